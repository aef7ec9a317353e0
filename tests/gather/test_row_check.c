/* SPDX-License-Identifier: MIT */
/* test_row_check.c: are only the files of the rows asked for, before rows of kept blocks are read?
 *
 * A feed over 10,000 files once asked for all of them before each batch, and opened most of them
 * again for it. */
#include "gather/row_check.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/epoch.h>
#include <dataview/own_view.h>
#include <dataview/transform.h>
#include <string.h>

#define VIEWS 5
#define ROWS 8 /* every view has these but the second, which is empty */

static dv_error err;

/* Counts how often it is asked whether it is still there. */
typedef struct part {
    int64_t rows;
    int asked;
    bool is_gone;
    float values[ROWS];
} part;

static int64_t rows(void *self)
{
    return ((const part *)self)->rows;
}

static int64_t block_rows(void *self)
{
    (void)self;
    return ROWS;
}

static dv_status check(void *self, dv_error *e)
{
    part *p = self;
    p->asked++;
    return p->is_gone ? dv_error_set(e, DV_ERR_IO, "gone") : DV_OK;
}

static dv_status read(void *self, const dv_cursor_request *request, void *scratch, dv_batch *batch,
                      dv_error *e)
{
    part *p = self;
    (void)scratch;
    const int64_t n = request->end_row - request->first_row;
    dv_column_view values = {.type = dv_type_of(DV_KIND_R4), .rows = n, .layout = DV_LAYOUT_FIXED};
    dv_status status = dv_batch_start(batch, request->first_row, n, e);
    if (status == DV_OK)
        status = dv_buffer_wrap(&values.as.fixed.values, p->values + request->first_row,
                                (size_t)n * sizeof *p->values, sizeof(float), NULL, NULL, NULL, e);
    if (status == DV_OK && request->columns_count > 0)
        status = dv_batch_fill(batch, 0, &values, e);
    dv_buffer_release(&values.as.fixed.values);
    return status;
}

static const dv_view_class known = {.size = sizeof known,
                                    .kind = "part",
                                    .rows = rows,
                                    .block_rows = block_rows,
                                    .check = check,
                                    .read = read};

static dv_view *open_part(part *p)
{
    dv_view *view;
    dv_schema *schema;
    const dv_type type = dv_type_of(DV_KIND_R4);
    cr_assert_eq(dv_schema_create(&schema, NULL, &err), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("x"), &type, NULL, &err), DV_OK);
    cr_assert_eq(dv_view_create(&view, &known, p, &schema, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

/* A concatenation of parts. */
static dv_view *open_all(part *parts)
{
    dv_view *views[VIEWS], *all;
    memset(parts, 0, VIEWS * sizeof *parts);
    for (int i = 0; i < VIEWS; i++) {
        parts[i].rows = i == 1 ? 0 : ROWS;
        for (int k = 0; k < ROWS; k++)
            parts[i].values[k] = (float)(10 * i + k);
        views[i] = open_part(&parts[i]);
    }
    cr_assert_eq(dv_view_concat(&all, views, VIEWS, NULL, &err), DV_OK, "%s", err.message);
    for (int i = 0; i < VIEWS; i++)
        dv_view_release(&views[i]);
    return all;
}

static void expect_asked(const part *parts, const int *asked)
{
    for (int i = 0; i < VIEWS; i++)
        cr_expect_eq(parts[i].asked, asked[i], "view %d: %d times", i, parts[i].asked);
}

Test(row_check, only_the_views_of_the_rows_and_once)
{
    part parts[VIEWS];
    dvi_row_check c = {.allocator = NULL};
    dv_view *all = open_all(parts);
    static const int64_t some[] = {3, 4, 23, 0, 16, 22}, last[] = {31}, beyond[] = {32, 1000};
    cr_assert_eq(dvi_row_check_make(&c, all, NULL, &err), DV_OK);
    cr_assert_eq(dvi_row_check_ask(&c, some, 6, &err), DV_OK);
    expect_asked(parts, (int[]){1, 0, 0, 1, 0});
    cr_assert_eq(dvi_row_check_ask(&c, some + 1, 5, &err), DV_OK);
    expect_asked(parts, (int[]){1, 0, 0, 1, 0});
    cr_assert_eq(dvi_row_check_ask(&c, last, 1, &err), DV_OK);
    expect_asked(parts, (int[]){1, 0, 0, 1, 1});
    dvi_row_check_begin(&c);
    cr_assert_eq(dvi_row_check_ask(&c, some, 1, &err), DV_OK);
    cr_assert_eq(dvi_row_check_ask(&c, beyond, 2, &err), DV_OK);
    expect_asked(parts, (int[]){2, 0, 0, 1, 1});
    parts[2].is_gone = true;
    cr_assert_eq(dvi_row_check_ask(&c, (int64_t[]){7, 8}, 2, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "view 2") && strstr(err.message, "gone"), "%s", err.message);
    dvi_row_check_free(&c);
    dv_view_release(&all);
}

/* Where the rows of each view are not known, or there is one view alone, the whole is asked. */
Test(row_check, the_whole_and_once)
{
    part parts[VIEWS];
    dv_view *all = open_all(parts), *slice;
    static const int64_t some[] = {0, 1};
    cr_assert_eq(dv_view_slice(&slice, all, 0, 4 * ROWS, NULL, &err), DV_OK, "%s", err.message);
    dvi_row_check c = {.allocator = NULL};
    cr_assert_eq(dvi_row_check_make(&c, slice, NULL, &err), DV_OK);
    for (int round = 1; round < 3; round++, dvi_row_check_begin(&c))
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(dvi_row_check_ask(&c, some, 2, &err), DV_OK);
            expect_asked(parts, (int[]){round, round, round, round, round});
        }
    dvi_row_check_free(&c);
    dv_view_release(&slice);
    dv_view_release(&all);
}

/* A shard of blocks asks for its own views; if one of them goes, no row of it is delivered. */
Test(row_check, a_shard_and_the_views_of_others)
{
    part parts[VIEWS];
    dv_view *all = open_all(parts), *mine;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    order.shuffle = DV_SHUFFLE_BLOCKS;
    order.shards = 4;
    options.batch_rows = 2;
    cr_assert_eq(dv_view_epoch(&mine, all, &order, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, mine, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    const float first = *(const float *)dv_batch_column(batch, 0)->as.fixed.values.data;
    const int own = (int)first / 10;
    for (int i = 0; i < VIEWS; i++)
        parts[i].is_gone = i != own;
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    parts[own].is_gone = true;
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_IO);
    for (int i = 0; i < VIEWS; i++)
        cr_expect(i == own || parts[i].asked == 0, "view %d: %d times", i, parts[i].asked);
    dv_cursor_close(&cursor);
    dv_view_release(&mine);
    dv_view_release(&all);
}
