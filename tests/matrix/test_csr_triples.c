/* SPDX-License-Identifier: MIT */
/* test_csr_triples.c: the three arrays of a CSR matrix hold the rows, however they are made. */
#include "base/load.h"
#include "matrix/csr_target.h"
#include "support/allocator.h"
#include "support/btable.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/csr.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- A plain reference reader --- */

/* Entries as the header defines them, from batches. */
typedef struct plain {
    int64_t *starts;
    int32_t *indices;
    double *values;
    int64_t rows, rows_cap, entries, cap;
} plain;

static void plain_free(plain *p)
{
    free(p->starts);
    free(p->indices);
    free(p->values);
    *p = (plain){0};
}

static void plain_add(plain *p, int32_t index, double value)
{
    if (p->entries == p->cap) {
        p->cap = 2 * p->cap + 64;
        p->indices = realloc(p->indices, (size_t)p->cap * sizeof *p->indices);
        p->values = realloc(p->values, (size_t)p->cap * sizeof *p->values);
    }
    p->indices[p->entries] = index;
    p->values[p->entries++] = value;
}

static void plain_batch(plain *p, const dv_batch *batch, bool all_slots)
{
    const dv_vector_layout *v = &dv_batch_column(batch, 0)->as.vector;
    const bool is_f8 = v->items->type.kind == DV_KIND_R8;
    int64_t index = v->index_base, item = v->item_base;
    for (int64_t row = 0; row < batch->rows; row++) {
        const int32_t count = dvi_load_i32((const char *)v->counts.data + 4 * row);
        const int32_t slots = v->lengths.nbytes > 0
                                  ? dvi_load_i32((const char *)v->lengths.data + 4 * row)
                                  : v->length;
        for (int32_t k = 0; k < (count < 0 ? slots : count); k++, item++) {
            const char *at = (const char *)v->items->as.fixed.values.data + (is_f8 ? 8 : 4) * item;
            const double value = is_f8 ? dvi_load_f8(at) : (double)dvi_load_f4(at);
            if (count >= 0)
                plain_add(p, dvi_load_i32((const char *)v->indices.data + 4 * index++), value);
            else if (all_slots || (is_f8 ? dvi_load_u64(at) != 0 : dvi_load_u32(at) != 0))
                plain_add(p, k, value);
        }
        if (p->rows == p->rows_cap) {
            p->rows_cap = 2 * p->rows_cap + 64;
            p->starts = realloc(p->starts, (size_t)(p->rows_cap + 1) * sizeof *p->starts);
        }
        p->starts[++p->rows] = p->entries;
    }
}

static plain plain_of(dv_view *view, const dv_csr_options *o)
{
    plain p = {.starts = calloc(1, sizeof(int64_t))};
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = o->column < 0 ? NULL : &o->column;
    options.columns_count = o->column < 0 ? -1 : 1;
    options.first_row = o->first_row;
    options.end_row = o->end_row;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        plain_batch(&p, batch, o->all_slots);
    cr_assert_eq(err.status, DV_OK, "%s", err.message);
    dv_cursor_close(&cursor);
    return p;
}

static int64_t start_of(const dv_csr *csr, int64_t row)
{
    return csr->indptr_kind == DV_KIND_I8 ? ((const int64_t *)csr->indptr)[row]
                                          : ((const int32_t *)csr->indptr)[row];
}

/* NaN bits count: a value is rounded once and not changed otherwise. */
static bool same_value(const dv_csr *csr, int64_t k, double want)
{
    if (csr->data_kind == DV_KIND_R8)
        return memcmp((const double *)csr->data + k, &want, sizeof want) == 0;
    const float rounded = (float)want;
    return memcmp((const float *)csr->data + k, &rounded, sizeof rounded) == 0;
}

static void expect_same(const dv_csr *csr, const plain *p, const char *what)
{
    cr_assert_eq(csr->rows, p->rows, "%s", what);
    cr_assert_eq(csr->entries, p->entries, "%s", what);
    int64_t row = 0, k = 0;
    while (row <= p->rows && start_of(csr, row) == p->starts[row])
        row++;
    cr_assert_gt(row, p->rows, "%s, row %lld", what, (long long)row);
    while (k < p->entries && csr->indices[k] == p->indices[k] && same_value(csr, k, p->values[k]))
        k++;
    cr_assert_eq(k, p->entries, "%s, entry %lld", what, (long long)k);
}

/* Make it in every way, and measure it. */
static void check_view(dv_view *view, dv_csr_options options, const char *what)
{
    for (int way = 0; way < 8; way++) {
        options.indptr = way % 2 ? DV_KIND_I4 : DV_KIND_I8;
        options.data = way / 2 % 2 ? DV_KIND_R4 : DV_KIND_R8;
        options.all_slots = way / 4;
        plain want = plain_of(view, &options);
        int64_t rows, entries;
        cr_expect_eq(dv_csr_measure(&rows, &entries, view, &options, NULL), DV_OK);
        cr_expect(rows == want.rows && entries == want.entries, "%s: measured %lld, %lld", what,
                  (long long)rows, (long long)entries);
        for (options.threads = 1; options.threads <= 4; options.threads += 3) {
            dv_csr *csr;
            dv_error err = DV_ERROR_INIT;
            cr_assert_eq(dv_csr_create(&csr, view, &options, &err), DV_OK, "%s: %s", what,
                         err.message);
            expect_same(csr, &want, what);
            cr_expect(csr->indptr_kind == options.indptr && csr->data_kind == options.data);
            dv_csr_free(&csr);
            cr_expect_null(csr);
        }
        plain_free(&want);
    }
}

/* --- BTables ---------------------------------------------------------------------------------- */

static void check_golden(const dvt_golden *golden)
{
    const int64_t rows = golden->truth->rows;
    const int64_t ranges[][2] = {{0, -1}, {rows / 2, -1}, {1, rows - 1}, {rows, rows + 1}};
    for (int way = 0; way < 4; way++)
        for (size_t i = 0; i < COUNT(ranges); i++) {
            dv_view *view;
            dv_open_options options = DV_OPEN_OPTIONS_INIT;
            dv_csr_options csr = DV_CSR_OPTIONS_INIT;
            options.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
            options.lenient = way / 2; /* lenient goes by batches */
            csr.first_row = ranges[i][0];
            csr.end_row = ranges[i][1] < -1 ? 0 : ranges[i][1];
            cr_assert_eq(dv_open(&view, golden->path, &options, NULL), DV_OK);
            check_view(view, csr, golden->path);
            dv_view_release(&view);
        }
}

Test(csr_triples, golden_btables)
{
    cr_expect_geq(dvt_golden_each_in("btable", check_golden), 20);
}

/* A table with several ranges and windows, and rows longer than a window. */
static dvt_btable large_table(void)
{
    dvt_btable table = {0};
    dvt_btable_numbered_header(&table, 30011);
    dvt_btable_random_rows(&table, 40, 30011, 15, 1); /* of 24 KB */
    for (int64_t i = 0; i < 70000; i++)
        dvt_btable_count(&table, 0);
    dvt_btable_random_rows(&table, 3, 30011, 1, 2); /* of 360 KB: every slot, some of them 0 */
    dvt_btable_random_rows(&table, 4, 30011, 2, 3);
    return table;
}

static dvt_btable narrow_table(void)
{
    dvt_btable table = {0};
    dvt_btable_numbered_header(&table, 105);
    dvt_btable_random_rows(&table, 20000, 105, 15, 4);
    return table;
}

static void check_large(dvt_btable table)
{
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        dv_csr_options csr = DV_CSR_OPTIONS_INIT;
        options.io = io;
        dv_view *view = dvt_btable_open(&table, &options, &err);
        cr_assert_not_null(view, "%s", err.message);
        check_view(view, csr, "whole");
        csr.first_row = 30;
        csr.end_row = 19000;
        check_view(view, csr, "rows 30:19000");
        dv_view_release(&view);
    }
    dvt_btable_free(&table);
}

Test(csr_triples, rows_longer_than_a_part)
{
    check_large(large_table());
}

Test(csr_triples, many_short_rows)
{
    check_large(narrow_table());
}

/* An error is the one that a cursor reports, whichever thread sees it first. */
Test(csr_triples, damage_is_reported_as_by_a_cursor)
{
    for (size_t spoiled = 0; spoiled < 40; spoiled++) {
        dvt_btable table = narrow_table();
        const size_t at = 8 + 2 * (size_t)dvi_load_i32_be(table.data + 4);
        const size_t words = (table.nbytes - at) / 4;
        dvi_store_i32_be(table.data + at + 4 * (words * spoiled / 40), -7);
        dv_error want = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dv_view *view = dvt_btable_open(&table, NULL, &want);
        dvt_btable_rows(&lines, view, NULL, &want);
        for (int32_t threads = 1; threads <= 4; threads += 3) {
            dv_csr *csr;
            dv_error err = DV_ERROR_INIT;
            dv_csr_options options = DV_CSR_OPTIONS_INIT;
            options.threads = threads;
            cr_expect_eq(dv_csr_create(&csr, view, &options, &err), want.status);
            cr_expect((csr != NULL) == (want.status == DV_OK));
            cr_expect_str_eq(err.message, want.message);
            cr_expect_str_eq(err.rule, want.rule);
            dv_csr_free(&csr);
        }
        dv_view_release(&view);
        dvt_lines_free(&lines);
        dvt_btable_free(&table);
    }
}

/* --- Arrays of the caller's ------------------------------------------------------------------- */

typedef struct arrays {
    int64_t indptr[200];
    int32_t indices[2000];
    double data[2000];
} arrays;

static dv_status fill_arrays(dv_csr *csr, arrays *a, int64_t rows_room, int64_t entries_room,
                             dv_view *view, int32_t threads, dv_error *err)
{
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    const dv_csr_room room = {a->indptr, a->indices, a->data, rows_room, entries_room};
    options.threads = threads;
    memset(a, 0x5A, sizeof *a);
    *err = (dv_error)DV_ERROR_INIT;
    return dv_csr_fill(csr, &room, view, &options, err);
}

/* Exactly enough room suffices; one less fails, and nothing beyond the room is written. */
static void check_room(dv_view *view, arrays *a)
{
    const dv_csr_options options = DV_CSR_OPTIONS_INIT;
    plain want = plain_of(view, &options);
    dv_csr csr;
    dv_error err;
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        cr_assert_eq(fill_arrays(&csr, a, want.rows, want.entries, view, threads, &err), DV_OK,
                     "%s", err.message);
        expect_same(&csr, &want, "room");
        cr_expect(csr.indptr == a->indptr && csr.indices == a->indices && csr.data == a->data);
        cr_expect_eq(a->indices[want.entries], 0x5A5A5A5A);
        cr_expect_eq(a->indptr[want.rows + 1], INT64_C(0x5A5A5A5A5A5A5A5A));

        cr_expect_eq(fill_arrays(&csr, a, want.rows - 1, 2000, view, threads, &err), DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "rows_room");
        cr_expect_null(csr.indptr);
        cr_expect_eq(fill_arrays(&csr, a, 199, want.entries - 1, view, threads, &err),
                     DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "entries_room");
        cr_expect(*err.expected && *err.found);
        cr_expect_eq(a->indices[want.entries - 1], 0x5A5A5A5A);
    }
    plain_free(&want);
}

Test(csr_triples, fills_arrays_of_the_callers)
{
    dvt_btable table = {0};
    static arrays a;
    dvt_btable_header(&table, "a|b|c|d|e|f|g|h|i|j");
    dvt_btable_random_rows(&table, 180, 10, 3, 5);
    for (int lenient = 0; lenient < 2; lenient++) {
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.lenient = lenient;
        dv_view *view = dvt_btable_open(&table, &options, NULL);
        check_room(view, &a);
        dv_view_release(&view);
    }
    dvt_btable_free(&table);
}

Test(csr_triples, no_room_at_all)
{
    dvt_btable table = {0};
    dv_csr csr;
    int64_t indptr[2] = {-1, -1};
    dv_csr_room room = {indptr, NULL, NULL, 0, 0};
    dvt_btable_header(&table, "a|b");
    dv_view *view = dvt_btable_open(&table, NULL, NULL);
    cr_expect_eq(dv_csr_fill(&csr, &room, view, NULL, NULL), DV_OK);
    cr_expect(csr.rows == 0 && csr.entries == 0 && csr.columns == 2);
    cr_expect(indptr[0] == 0 && indptr[1] == -1);
    room.indptr = NULL;
    cr_expect_eq(dv_csr_fill(&csr, &room, view, NULL, NULL), DV_ERR_ARGUMENT);
    room = (dv_csr_room){indptr, NULL, NULL, 0, 1};
    cr_expect_eq(dv_csr_fill(&csr, &room, view, NULL, NULL), DV_ERR_ARGUMENT);
    room = (dv_csr_room){indptr, NULL, NULL, -1, 0};
    cr_expect_eq(dv_csr_fill(&csr, &room, view, NULL, NULL), DV_ERR_ARGUMENT);
    dv_view_release(&view);
    dvt_btable_free(&table);
}

/* --- Other views ------------------------------------------------------------------------------ */

/* Rows of 4 slots: sparse, dense with a +0 and a -0, empty, all zero. */
static const int32_t counts[] = {2, -1, 0, -1, 4};
static const int32_t indices[] = {1, 3, 0, 1, 2, 3};
static const float f4[] = {1.5f, 0, 0, -0.0f, 2, 3, 0, 0, 0, 0, 7, 8, 9, 10};
static const double f8[] = {1.1, 0, 0, -0.0, 2, 1e300, 0, 0, 0, 0, 7, 8, 9, 10};

static dv_column_view vectors(dv_column_view *items, dv_kind kind, const void *values)
{
    *items = dvt_made_fixed(dv_type_of(kind), values, 14);
    dv_column_view view = {
        .type = dv_type_vector(dv_type_of(kind), 4), .layout = DV_LAYOUT_VECTOR, .rows = 5};
    view.as.vector.length = 4;
    view.as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, true, true};
    view.as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, true, true};
    view.as.vector.items = items;
    return view;
}

Test(csr_triples, any_vector_column_of_reals)
{
    dv_column_view items[2];
    for (int64_t block_rows = 1; block_rows <= 5; block_rows++) {
        dvt_made_table table = {.columns = 2, .rows = 5, .block_rows = block_rows, .bad_row = -1};
        table.column[0] = vectors(&items[0], DV_KIND_R4, f4);
        table.column[1] = vectors(&items[1], DV_KIND_R8, f8);
        dv_view *view = dvt_made_table_open(&table, NULL);
        dv_csr_options options = DV_CSR_OPTIONS_INIT;
        for (options.column = 0; options.column < 2; options.column++)
            check_view(view, options, "made");
        dv_view_release(&view);
    }
}

Test(csr_triples, entries_are_what_the_header_says)
{
    dv_column_view items;
    dvt_made_table table = {.columns = 1, .rows = 5, .block_rows = 5, .bad_row = -1};
    table.column[0] = vectors(&items, DV_KIND_R4, f4);
    dv_view *view = dvt_made_table_open(&table, NULL);
    static const int64_t starts[] = {0, 2, 5, 5, 5, 9}, all_starts[] = {0, 2, 6, 6, 10, 14};
    static const int32_t slots[] = {1, 3, 1, 2, 3, 0, 1, 2, 3};
    static const double values[] = {1.5, 0, -0.0, 2, 3, 7, 8, 9, 10};
    dv_csr *csr;
    cr_assert_eq(dv_csr_create(&csr, view, NULL, NULL), DV_OK);
    cr_expect(csr->rows == 5 && csr->entries == 9 && csr->columns == 4);
    cr_expect_arr_eq(csr->indptr, starts, sizeof starts);
    cr_expect_arr_eq(csr->indices, slots, sizeof slots);
    cr_expect_arr_eq(csr->data, values, sizeof values);
    dv_csr_free(&csr);
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    options.all_slots = true;
    cr_assert_eq(dv_csr_create(&csr, view, &options, NULL), DV_OK);
    cr_expect_arr_eq(csr->indptr, all_starts, sizeof all_starts);
    dv_csr_free(&csr);
    dv_view_release(&view);
}

Test(csr_triples, columns_of_varying_length_are_as_wide_as_the_longest)
{
    static const int32_t lengths[] = {4, 4, 9, 4, 4};
    dv_column_view items;
    dvt_made_table table = {.columns = 1, .rows = 5, .block_rows = 2, .bad_row = -1};
    table.column[0] = vectors(&items, DV_KIND_R8, f8);
    table.column[0].type = dv_type_vector(dv_type_of(DV_KIND_R8), 0);
    table.column[0].as.vector.lengths = (dv_buffer){lengths, sizeof lengths, NULL, true, true};
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_csr *csr;
    cr_assert_eq(dv_csr_create(&csr, view, NULL, NULL), DV_OK);
    cr_expect_eq(csr->columns, 9);
    dv_csr_free(&csr);
    check_view(view, (dv_csr_options)DV_CSR_OPTIONS_INIT, "varying");
    dv_view_release(&view);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void expect_refusal(dv_view *view, dv_csr_options options, dv_status status)
{
    dv_csr *csr = (dv_csr *)(void *)view;
    int64_t rows;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_csr_create(&csr, view, &options, &err), status, "%s", err.message);
    cr_expect_null(csr);
    cr_expect(status == DV_ERR_CORRUPT || *err.message);
    cr_expect_eq(dv_csr_measure(&rows, NULL, view, &options, NULL), status);
}

Test(csr_triples, refuses_what_is_no_matrix)
{
    static const int32_t numbers[5] = {0};
    dv_column_view items;
    dvt_made_table table = {.columns = 3, .rows = 5, .block_rows = 5, .bad_row = 3};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), f4, 5);
    table.column[1] = vectors(&items, DV_KIND_R4, f4);
    table.column[2] = dvt_made_fixed(dv_type_of(DV_KIND_I4), numbers, 5);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    expect_refusal(view, options, DV_ERR_ARGUMENT); /* which one of three? */
    for (options.column = 0; options.column <= 3; options.column++)
        expect_refusal(view, options, options.column == 1 ? DV_ERR_CORRUPT : DV_ERR_ARGUMENT);
    options = (dv_csr_options)DV_CSR_OPTIONS_INIT;
    options.column = 1;
    options.indptr = DV_KIND_U4;
    expect_refusal(view, options, DV_ERR_ARGUMENT);
    options.indptr = DV_KIND_I4;
    options.data = DV_KIND_I4;
    expect_refusal(view, options, DV_ERR_ARGUMENT);
    options.data = DV_KIND_R4;
    options.size++;
    expect_refusal(view, options, DV_ERR_ARGUMENT);
    options.size--;
    options.first_row = -1;
    expect_refusal(view, options, DV_ERR_ARGUMENT);
    dv_view_release(&view);
}

Test(csr_triples, indptr_of_four_bytes_has_a_limit)
{
    dvi_csr_target target = {.csr = {.indptr_kind = DV_KIND_I4}};
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_csr_check_entries(&target, INT32_MAX, &err), DV_OK);
    cr_expect_eq(dvi_csr_check_entries(&target, INT64_C(1) << 31, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "indptr");
    target.csr.indptr_kind = DV_KIND_I8;
    cr_expect_eq(dvi_csr_check_entries(&target, INT64_C(1) << 31, &err), DV_OK);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static dv_status make_counted(const dvt_btable *table, bool lenient, int32_t threads,
                              dvt_allocator *counted)
{
    dv_csr *csr = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    how.allocator = &counted->allocator;
    how.lenient = lenient;
    options.threads = threads;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = dvt_btable_open(table, &how, &err);
    if (view)
        dv_csr_create(&csr, view, &options, &err);
    dv_view_release(&view); /* the arrays need no view */
    cr_expect_eq(csr != NULL, err.status == DV_OK);
    if (csr)
        memset(csr->data, 1, (size_t)csr->entries * 8);
    dv_csr_free(&csr);
    cr_expect_eq(counted->live, 0);
    return err.status;
}

Test(csr_triples, every_allocation_may_fail)
{
    dvt_btable table = narrow_table();
    for (int way = 0; way < 3; way++) {
        int64_t k = 1;
        for (dv_status status = DV_ERR_MEMORY; status != DV_OK; k++) {
            dvt_allocator counted;
            dvt_allocator_init(&counted, k);
            status = make_counted(&table, way == 2, way == 1 ? 4 : 1, &counted);
            cr_assert(status == DV_OK ? counted.asked < k : status == DV_ERR_MEMORY,
                      "way %d, allocation %lld: %s", way, (long long)k, dv_status_name(status));
        }
        cr_expect_gt(k, 6);
    }
    dvt_btable_free(&table);
}

/* Memory follows the file, not a declared count. */
Test(csr_triples, memory_is_in_proportion_to_the_file)
{
    dvt_btable table = narrow_table();
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, 0);
        cr_expect_eq(make_counted(&table, false, threads, &counted), DV_OK);
        cr_expect_leq(counted.highest, 2 * (int64_t)table.nbytes + (2 << 20));
    }
    dvt_btable_free(&table);
}

typedef struct watched {
    int64_t calls, stop_at, done, total;
    bool rises;
} watched;

static bool watch(void *ctx, int64_t done, int64_t total)
{
    watched *w = ctx;
    w->rises &= done >= w->done;
    w->done = done;
    w->total = total;
    return ++w->calls != w->stop_at;
}

/* By several threads, by one, and by batches; making a matrix, and measuring one. */
static void check_progress(dv_view *view, dv_csr_options options)
{
    watched w = {.rises = true};
    int64_t rows, entries;
    dv_csr *csr;
    options.progress = (dv_progress){watch, &w};
    cr_assert_eq(dv_csr_create(&csr, view, &options, NULL), DV_OK);
    cr_expect(w.rises && w.calls >= 2 && w.done == csr->rows, "%lld calls, %lld of %lld rows",
              (long long)w.calls, (long long)w.done, (long long)csr->rows);
    cr_expect(w.total == csr->rows || w.total == -1);
    const int64_t calls = w.calls;
    dv_csr_free(&csr);
    for (int64_t stop = 1; stop <= calls; stop += 1 + calls / 4) {
        dv_error err = DV_ERROR_INIT;
        w = (watched){.stop_at = stop, .rises = true};
        cr_expect_eq(dv_csr_create(&csr, view, &options, &err), DV_ERR_STOPPED);
        cr_expect(!csr && err.status == DV_ERR_STOPPED && w.calls == stop);
    }
    w = (watched){.stop_at = 1, .rises = true};
    cr_expect_eq(dv_csr_measure(&rows, &entries, view, &options, NULL), DV_ERR_STOPPED);
}

Test(csr_triples, progress_is_reported_and_can_stop)
{
    dvt_btable made = narrow_table();
    for (int32_t threads = 1; threads <= 3; threads += 2)
        for (int lenient = 0; lenient < 2; lenient++) {
            dv_open_options how = DV_OPEN_OPTIONS_INIT;
            dv_csr_options options = DV_CSR_OPTIONS_INIT;
            how.lenient = lenient;
            options.threads = threads;
            dv_view *view = dvt_btable_open(&made, &how, NULL);
            check_progress(view, options);
            dv_view_release(&view);
        }
    dvt_btable_free(&made);
}
