/* SPDX-License-Identifier: MIT */
/* kept_rows.c: rows of columns that lie apart, kept side by side. */
#include "gather/kept_rows.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/compiler.h"
#include "base/size.h"
#include <string.h>

#define COLUMNS_LEAST 4 /* fewer save few lines */
#define SHARE 64        /* one of 64 rows is read before any are kept */
#define AHEAD 16        /* rows that are prefetched before they are copied */
#define LINE 64
#define FETCHED 512 /* bytes of a row; the CPU fetches the lines after them by itself */

enum { GROUP_NONE, GROUP_BEGUN, GROUP_THERE };

struct dvi_kept_rows {
    int64_t rows;
    int32_t n;
    size_t width, nbytes; /* one value has; all rows have */
    size_t header_nbytes;
    dvi_kept_sets *of;
    const dv_allocator *allocator; /* the view's */
    atomic_int_fast64_t read;      /* rows so far */
    atomic_int_fast64_t lacking;   /* groups */
    _Atomic(uint8_t *) data;       /* row after row; NULL: none are kept */
    atomic_uchar *groups_are;      /* after the columns */
    int32_t columns[];
};

/* --- Choices of columns ----------------------------------------------------------------------- */

bool dvi_side_by_side_pays(int32_t columns, size_t width)
{
    return columns >= COLUMNS_LEAST && (width == 4 || width == 8);
}

bool dvi_kept_rows_fit(const dvi_kept_set *set)
{
    const size_t row = (size_t)set->n * set->width;
    return dvi_side_by_side_pays(set->n, set->width) && set->rows > 0 &&
           (uint64_t)set->rows <= DVI_KEPT_ROWS_NBYTES / row;
}

static dv_status make(dvi_kept_rows **made_out, dvi_kept_sets *sets, const dvi_kept_set *set,
                      const dv_allocator *allocator, dv_error *err)
{
    const int64_t groups = (set->rows - 1) / DVI_KEPT_ROWS_GROUP + 1;
    const size_t columns = (size_t)set->n * sizeof *set->columns;
    const size_t nbytes = sizeof(dvi_kept_rows) + columns + (size_t)groups;
    void *made;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, nbytes, err));
    dvi_kept_rows *kept = made;
    kept->rows = set->rows;
    kept->lacking = groups;
    kept->n = set->n;
    kept->width = set->width;
    kept->nbytes = (size_t)set->rows * (size_t)set->n * set->width;
    kept->header_nbytes = nbytes;
    kept->of = sets;
    kept->allocator = allocator;
    memcpy(kept->columns, set->columns, columns);
    kept->groups_are = (atomic_uchar *)(kept->columns + set->n);
    *made_out = kept;
    return DV_OK;
}

static void free_rows(dvi_kept_rows *kept)
{
    dvi_free(kept->allocator, atomic_load(&kept->data), kept->nbytes);
    dvi_free(kept->allocator, kept, kept->header_nbytes);
}

static bool is_of(const dvi_kept_rows *kept, const dvi_kept_set *set)
{
    return kept->n == set->n &&
           memcmp(kept->columns, set->columns, (size_t)set->n * sizeof *set->columns) == 0;
}

dvi_kept_rows *dvi_kept_rows_find(dvi_kept_sets *sets, const dvi_kept_set *set,
                                  const dv_allocator *allocator)
{
    for (int i = 0; i < DVI_KEPT_ROWS_SETS; i++) {
        dvi_kept_rows *kept = atomic_load_explicit(&sets->sets[i], memory_order_acquire), *made;
        if (!kept) {
            if (!DVI_ATTEMPT("kept_rows.c dvi_kept_rows_find",
                             make(&made, sets, set, allocator, NULL) == DV_OK))
                return NULL;
            if (atomic_compare_exchange_strong(&sets->sets[i], &kept, made))
                return made;
            free_rows(made);
        }
        if (is_of(kept, set))
            return kept;
    }
    return NULL;
}

void dvi_kept_sets_free(dvi_kept_sets *sets)
{
    for (int i = 0; i < DVI_KEPT_ROWS_SETS; i++) {
        dvi_kept_rows *kept = atomic_load(&sets->sets[i]);
        if (kept)
            free_rows(kept);
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

static bool reserve(dvi_kept_rows *kept)
{
    size_t before = atomic_load(&kept->of->nbytes);
    do
        if (kept->nbytes > DVI_KEPT_ROWS_NBYTES - before)
            return false;
    while (!atomic_compare_exchange_weak(&kept->of->nbytes, &before, before + kept->nbytes));
    return true;
}

/* Make room, if the view may keep so much. Not cleared: a group is read once it is written. */
static void make_room(dvi_kept_rows *kept)
{
    void *data;
    if (!reserve(kept))
        return;
    if (DVI_ATTEMPT("kept_rows.c make_room",
                    dvi_alloc(kept->allocator, &data, kept->nbytes, NULL) == DV_OK))
        atomic_store_explicit(&kept->data, data, memory_order_release);
    else
        atomic_fetch_sub(&kept->of->nbytes, kept->nbytes);
}

bool dvi_kept_rows_note(dvi_kept_rows *kept, int64_t n)
{
    const int64_t least = (kept->rows - 1) / SHARE + 1;
    if (atomic_load_explicit(&kept->data, memory_order_acquire))
        return true;
    const int64_t before = atomic_fetch_add(&kept->read, n);
    if (before < least && n >= least - before) /* one thread, once */
        make_room(kept);
    return atomic_load_explicit(&kept->data, memory_order_acquire);
}

bool dvi_kept_rows_have_room(const dvi_kept_rows *kept)
{
    return atomic_load(&kept->data) ||
           kept->nbytes <= DVI_KEPT_ROWS_NBYTES - atomic_load(&kept->of->nbytes);
}

bool dvi_kept_rows_are_whole(const dvi_kept_rows *kept)
{
    return atomic_load_explicit(&kept->lacking, memory_order_acquire) == 0;
}

bool dvi_kept_rows_has(const dvi_kept_rows *kept, int64_t row)
{
    return atomic_load_explicit(&kept->groups_are[row / DVI_KEPT_ROWS_GROUP],
                                memory_order_acquire) == GROUP_THERE;
}

static size_t row_nbytes(const dvi_kept_rows *kept)
{
    return (size_t)kept->n * kept->width;
}

uint8_t *dvi_kept_rows_begin(dvi_kept_rows *kept, int64_t group)
{
    unsigned char was = GROUP_NONE;
    if (!atomic_compare_exchange_strong(&kept->groups_are[group], &was, GROUP_BEGUN))
        return NULL;
    return atomic_load(&kept->data) + (size_t)(group * DVI_KEPT_ROWS_GROUP) * row_nbytes(kept);
}

void dvi_kept_rows_end(dvi_kept_rows *kept, int64_t group, bool are_written)
{
    if (!are_written)
        return;
    atomic_store_explicit(&kept->groups_are[group], GROUP_THERE, memory_order_release);
    atomic_fetch_sub_explicit(&kept->lacking, 1, memory_order_release);
}

/* 16 bytes at a time, as long as that is quicker than a call. */
static inline void copy_row(uint8_t *restrict dst, const uint8_t *restrict src, size_t nbytes)
{
    if (nbytes > FETCHED) {
        memcpy(dst, src, nbytes);
        return;
    }
    for (size_t at = 0; at < nbytes - 16; at += 16)
        memcpy(dst + at, src + at, 16);
    memcpy(dst + nbytes - 16, src + nbytes - 16, 16);
}

static inline void fetch(const uint8_t *row, size_t nbytes)
{
    for (size_t at = 0; at < nbytes; at += LINE)
        DVI_FETCH(row + at);
    DVI_FETCH(row + nbytes - 1);
}

void dvi_side_by_side_copy(const uint8_t *data, size_t nbytes, int64_t first, const int64_t *rows,
                           int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to)
{
    const size_t fetched = nbytes < FETCHED ? nbytes : FETCHED;
    for (int64_t i = 0; i < dvi_min_i64(n, AHEAD); i++)
        fetch(data + (size_t)(first + rows[i]) * nbytes, fetched);
    for (int64_t i = 0; i < n; i++) {
        if (n - i > AHEAD)
            fetch(data + (size_t)(first + rows[i + AHEAD]) * nbytes, fetched);
        copy_row(dst + (to ? to[i] : (size_t)i) * pitch, data + (size_t)(first + rows[i]) * nbytes,
                 nbytes);
    }
}

void dvi_kept_rows_copy(const dvi_kept_rows *kept, int64_t first, const int64_t *rows, int64_t n,
                        uint8_t *dst, size_t pitch, const uint32_t *to)
{
    dvi_side_by_side_copy(atomic_load_explicit(&kept->data, memory_order_relaxed), row_nbytes(kept),
                          first, rows, n, dst, pitch, to);
}
