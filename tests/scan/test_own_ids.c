/* SPDX-License-Identifier: MIT */
/* test_own_ids.c: checks views of a user that set their own row ids (batch.h, own_view.h). */
#include "support/again.h"
#include "support/allocator.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>
#include <dataview/row.h>
#include <string.h>

#define ROWS 20
#define STRIDE 6 /* rows of a batch */

/* Rows of one number each; which batches get ids? */
typedef enum habit { ALWAYS, NEVER, FIRST_ONLY, LAST_ONLY, UNASKED, TOO_EARLY } habit;

typedef struct table {
    habit habit;
    bool asked;
} table;

typedef struct numbers_cursor {
    const dv_cursor_request *request;
    table *table;
    int64_t row;
} numbers_cursor;

static int64_t count(void *self)
{
    (void)self;
    return ROWS;
}

static numbers_cursor cursors[4];
static int cursors_count;

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    (void)err;
    numbers_cursor *c = &cursors[cursors_count++ % 4];
    *c = (numbers_cursor){request, self, request->first_row};
    c->table->asked = request->ids;
    *cursor_out = c;
    return DV_OK;
}

static bool gives_ids(const numbers_cursor *c)
{
    switch (c->table->habit) {
    case ALWAYS:
        return c->request->ids;
    case FIRST_ONLY:
        return c->row == 0;
    case LAST_ONLY:
        return c->row > 0;
    case UNASKED:
        return true;
    default:
        return false;
    }
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    static const int32_t values[ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    numbers_cursor *c = cursor;
    dv_u128 ids[STRIDE] = {{0, 0}};
    const int64_t end = c->request->end_row < ROWS ? c->request->end_row : ROWS;
    const int64_t rows = end - c->row < STRIDE ? end - c->row : STRIDE;
    if (rows <= 0)
        return DV_END;
    if (c->table->habit == TOO_EARLY)
        return dv_batch_fill_ids(batch, ids, err);
    dv_status status = dv_batch_start(batch, c->row, rows, err);
    const dv_column_view column = {
        .type = dv_type_of(DV_KIND_I4),
        .layout = DV_LAYOUT_FIXED,
        .rows = rows,
        .as.fixed.values = {values + c->row, (size_t)rows * 4, NULL, true, true}};
    for (int32_t k = 0; status == DV_OK && k < c->request->columns_count; k++)
        status = dv_batch_fill(batch, k, &column, err);
    for (int64_t i = 0; i < rows; i++)
        ids[i] = (dv_u128){(uint64_t)(c->row + i) * 7, 42};
    if (status == DV_OK && gives_ids(c))
        status = dv_batch_fill_ids(batch, ids, err);
    memset(ids, 0xEE, sizeof ids); /* they are copied */
    if (status == DV_OK)
        c->row += rows;
    return status;
}

static const dv_view_class cls = {
    .size = sizeof cls, .kind = "numbers", .rows = count, .open_cursor = open_cursor, .next = next};

static dv_view *make(table *t, const dv_allocator *allocator)
{
    dv_schema *schema;
    dv_view *view;
    const dv_type type = dv_type_of(DV_KIND_I4);
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("i"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_create(&view, &cls, t, &schema, allocator, NULL), DV_OK);
    return view;
}

/* Ids of each row, in batches of every size, from any row on. */
Test(own_ids, belong_to_their_rows)
{
    table t = {.habit = ALWAYS};
    dv_view *view = make(&t, NULL);
    for (int64_t size = 0; size <= ROWS + 1; size++)
        for (int64_t first = 0; first < ROWS; first++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_cursor *cursor;
            const dv_batch *batch;
            int64_t row = first;
            options.first_row = first;
            options.batch_rows = size;
            options.ids = true;
            cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
            while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
                for (int64_t i = 0; i < batch->rows; i++, row++)
                    cr_expect(batch->ids[i].lo == (uint64_t)row * 7 && batch->ids[i].hi == 42,
                              "row %d, %d a batch", (int)row, (int)size);
            cr_expect_eq(row, ROWS);
            cr_expect(t.asked);
            dv_cursor_close(&cursor);
        }
    dv_view_release(&view);
}

Test(own_ids, reach_the_row_cursor)
{
    table t = {.habit = ALWAYS};
    dv_view *view = make(&t, NULL);
    dv_row_cursor *cursor;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_u128 id;
    options.ids = true;
    cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, NULL), DV_OK);
    for (uint64_t row = 0; dv_row_next(cursor, NULL) == DV_OK; row++) {
        cr_assert_eq(dv_row_id(cursor, &id, NULL), DV_OK);
        cr_expect(id.lo == row * 7 && id.hi == 42);
    }
    dv_row_cursor_close(&cursor);
    dv_view_release(&view);
}

/* Retained batches keep theirs, also where ids are lent from batch to batch. */
Test(own_ids, of_retained_batches)
{
    table t = {.habit = ALWAYS};
    dv_view *view = make(&t, NULL);
    for (int64_t size = 0; size < 9; size++) {
        const dv_batch *held[ROWS + 1];
        int n = 0;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        options.batch_rows = size;
        options.ids = true;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &held[n], NULL) == DV_OK)
            dv_batch_retain(held[n++]);
        dv_cursor_close(&cursor);
        for (int i = 0; i < n; i++) {
            for (int64_t k = 0; k < held[i]->rows; k++)
                cr_expect_eq(held[i]->ids[k].lo, (uint64_t)(held[i]->first_row + k) * 7);
            dv_batch_release(&held[i]);
        }
    }
    dv_view_release(&view);
}

static dv_status read(dv_view *view, bool ids, int64_t size, int64_t *rows_out, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    options.ids = ids;
    options.batch_rows = size;
    *rows_out = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        cr_expect_eq(batch->ids != NULL, ids);
        for (int64_t i = 0; ids && i < batch->rows; i++) /* numbered */
            cr_expect(batch->ids[i].hi == 42 ||
                      batch->ids[i].lo == (uint64_t)*rows_out + (uint64_t)i);
        *rows_out += batch->rows;
    }
    dv_cursor_close(&cursor);
    return status;
}

Test(own_ids, in_every_batch_or_in_none)
{
    for (int64_t size = 0; size <= 7; size += 7) {
        dv_error err = DV_ERROR_INIT;
        int64_t rows;
        table t = {.habit = NEVER};
        dv_view *view = make(&t, NULL);
        cr_expect_eq(read(view, true, size, &rows, &err), DV_END);
        cr_expect_eq(rows, ROWS);
        cr_expect(t.asked);
        cr_expect_eq(read(view, false, size, &rows, &err), DV_END);
        cr_expect(!t.asked);
        t.habit = UNASKED;
        cr_expect_eq(read(view, false, size, &rows, &err), DV_END);
        cr_expect_eq(rows, ROWS);
        for (int k = 0; k < 2; k++) {
            t.habit = k ? FIRST_ONLY : LAST_ONLY;
            cr_expect_eq(read(view, true, size, &rows, &err), DV_ERR_ARGUMENT);
            cr_expect_eq(rows, 6);
            cr_expect(strstr(err.message, "numbers"), "%s", err.message);
        }
        t.habit = TOO_EARLY;
        cr_expect_eq(read(view, true, size, &rows, &err), DV_ERR_ARGUMENT);
        cr_expect_eq(rows, 0);
        dv_view_release(&view);
    }
}

/* Every allocation for ids may fail: the repeated call delivers the same rows. */
Test(own_ids, without_memory)
{
    for (int64_t size = 0; size <= 8; size += 4) {
        bool is_done = false;
        for (int64_t k = 1; !is_done; k++) {
            dvt_allocator counted;
            table t = {.habit = ALWAYS};
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_cursor *cursor = NULL;
            const dv_batch *batch;
            int64_t row = 0;
            dvt_allocator_init(&counted, 0);
            dv_view *view = make(&t, &counted.allocator);
            counted.fail_at = counted.asked + k;
            options.batch_rows = size;
            options.ids = true;
            int failures = 0;
            dv_status s = dvt_open_again(&cursor, view, &options, &failures, NULL);
            while (s == DV_OK &&
                   (s = dvt_next_again(&cursor, view, &options, &batch, &failures, NULL)) == DV_OK)
                for (int64_t i = 0; i < batch->rows; i++, row++)
                    cr_expect_eq(batch->ids[i].lo, (uint64_t)row * 7, "allocation %d", (int)k);
            cr_expect_eq(s, DV_END);
            cr_expect_eq(row, ROWS);
            is_done = counted.asked < counted.fail_at;
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0);
        }
    }
}
