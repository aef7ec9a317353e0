/* SPDX-License-Identifier: MIT */
/* test_row_copy.c: rows of every size, copied in any order, with a gap after each. */
#include "gather/row_ref.h"
#include "support/page.h"
#include "support/test.h"
#include <string.h>

#define ROWS 150 /* more than are prefetched at once */
#define PITCH_MORE 3
#define UNTOUCHED 0xA5

/* Two columns of ROWS rows: one ends before an inaccessible page, one starts after it. */
typedef struct table {
    dvt_page page[2], matrix;
    dvi_kept_column column[2];
    dvi_row_ref refs[ROWS];
    size_t nbytes;
} table;

static uint8_t byte_of(size_t source, int64_t row, size_t i)
{
    return (uint8_t)(source * 101 + (size_t)row * 31 + i * 7 + i / 256);
}

static void make(table *t, size_t nbytes)
{
    const size_t all = ROWS * nbytes;
    *t = (table){.nbytes = nbytes, .matrix = dvt_page_create(ROWS * (nbytes + PITCH_MORE))};
    for (size_t k = 0; k < 2; k++) {
        t->page[k] = dvt_page_create(all);
        uint8_t *values = k == 0 ? dvt_page_end(t->page[k], all) : dvt_page_start(t->page[k], all);
        for (int64_t row = 0; row < ROWS; row++)
            for (size_t i = 0; i < nbytes; i++)
                values[(size_t)row * nbytes + i] = byte_of(k, row, i);
        t->column[k] = (dvi_kept_column){.values = values};
    }
    for (int64_t i = 0; i < ROWS; i++)
        t->refs[i] = (dvi_row_ref){&t->column[i % 3 == 0], (i * 37 + 5) % ROWS};
}

static void drop(table *t)
{
    dvt_page_free(&t->page[0]);
    dvt_page_free(&t->page[1]);
    dvt_page_free(&t->matrix);
}

/* The first n rows, whose gaps and successors stay as they were. */
static void expect_copies(const table *t, int64_t n, size_t pitch)
{
    const size_t room = ROWS * pitch;
    uint8_t *dst = dvt_page_end(t->matrix, room);
    memset(dst, UNTOUCHED, room);
    dvi_row_refs_copy(dst, pitch, 0, t->refs, n, t->nbytes);
    for (int64_t i = 0; i < ROWS; i++) {
        const dvi_row_ref *ref = &t->refs[i];
        for (size_t k = 0; k < pitch; k++) {
            const bool is_copy = i < n && k < t->nbytes;
            const uint8_t want =
                is_copy ? byte_of(ref->columns == &t->column[1], ref->row, k) : UNTOUCHED;
            cr_assert_eq(dst[(size_t)i * pitch + k], want, "%zu bytes: row %d, byte %zu", t->nbytes,
                         (int)i, k);
        }
    }
}

Test(row_copy, copies_rows_of_every_size)
{
    static const size_t sizes[] = {1,  2,  3,  4,   5,   8,   12,   16,   17,   32,   63,   64,
                                   65, 68, 98, 127, 128, 400, 4096, 8191, 8192, 8200, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        table t;
        make(&t, sizes[i]);
        expect_copies(&t, ROWS, sizes[i]);
        expect_copies(&t, ROWS, sizes[i] + PITCH_MORE);
        expect_copies(&t, 1, sizes[i]);
        expect_copies(&t, 0, sizes[i]);
        drop(&t);
    }
}
