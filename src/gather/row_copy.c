/* SPDX-License-Identifier: MIT */
/* row_copy.c: rows of one size, copied from where they lie.
 *
 * The processor cannot predict where the next row lies, so its lines are prefetched.  They go to
 * the second cache: more lines can be on their way to it than to the first, and small rows take
 * half the time. */
#include "base/compiler.h"
#include "gather/row_ref.h"
#include <string.h>

#define LINE 64
#define AHEAD_NBYTES ((size_t)16 << 10)  /* prefetched before they are copied; at least one row */
#define AHEAD_ROWS 128                   /* and at most so many */
#define FETCHED_NBYTES ((size_t)8 << 10) /* of a row; the processor predicts the rest */

static const uint8_t *row_of(const dvi_row_ref *ref, int32_t k, size_t nbytes)
{
    return ref->columns[k].values + (size_t)ref->row * nbytes;
}

/* A row may start anywhere in a line, so the line of its last byte is one more. */
static DVI_ALWAYS_INLINE void fetch_row(const uint8_t *at, size_t nbytes)
{
    const size_t most = nbytes < FETCHED_NBYTES ? nbytes : FETCHED_NBYTES;
    for (size_t i = 0; i < most; i += LINE)
        DVI_FETCH_FAR(at + i);
    if (most > 1)
        DVI_FETCH_FAR(at + most - 1);
}

const uint8_t *dvi_row_ref_at(const dvi_row_ref *ref, int32_t k, size_t nbytes)
{
    return row_of(ref, k, nbytes);
}

void dvi_row_ref_fetch(const dvi_row_ref *ref, int32_t k, size_t nbytes)
{
    fetch_row(row_of(ref, k, nbytes), nbytes);
}

static DVI_ALWAYS_INLINE void copy_rows(uint8_t *dst, size_t pitch, int32_t k,
                                        const dvi_row_ref *refs, int64_t n, size_t nbytes)
{
    const size_t rows = AHEAD_NBYTES / nbytes;
    const int64_t most = rows < 1 ? 1 : rows > AHEAD_ROWS ? AHEAD_ROWS : (int64_t)rows;
    const int64_t ahead = most < n ? most : n;
    for (int64_t i = 0; i < ahead; i++)
        fetch_row(row_of(&refs[i], k, nbytes), nbytes);
    for (int64_t i = 0; i < n; i++) {
        if (i + ahead < n)
            fetch_row(row_of(&refs[i + ahead], k, nbytes), nbytes);
        memcpy(dst + (size_t)i * pitch, row_of(&refs[i], k, nbytes), nbytes);
    }
}

/* With a width that the compiler knows, a copy is some loads and stores, and no call. */
void dvi_row_refs_copy(uint8_t *dst, size_t pitch, int32_t k, const dvi_row_ref *refs, int64_t n,
                       size_t nbytes)
{
    switch (nbytes) {
    case 1:
        copy_rows(dst, pitch, k, refs, n, 1);
        break;
    case 2:
        copy_rows(dst, pitch, k, refs, n, 2);
        break;
    case 4:
        copy_rows(dst, pitch, k, refs, n, 4);
        break;
    case 8:
        copy_rows(dst, pitch, k, refs, n, 8);
        break;
    case 16:
        copy_rows(dst, pitch, k, refs, n, 16);
        break;
    case 32:
        copy_rows(dst, pitch, k, refs, n, 32);
        break;
    case 64:
        copy_rows(dst, pitch, k, refs, n, 64);
        break;
    case 128:
        copy_rows(dst, pitch, k, refs, n, 128);
        break;
    default:
        copy_rows(dst, pitch, k, refs, n, nbytes);
    }
}
