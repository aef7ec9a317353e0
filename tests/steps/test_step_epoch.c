/* SPDX-License-Identifier: MIT */
/* test_step_epoch.c: a step of a caller is told the epoch of its reader, whatever lies between. */
#include "support/file.h"
#include "support/test.h"
#include <dataview/cache.h>
#include <dataview/cursor_set.h>
#include <dataview/epoch.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/step.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 200000
#define BLOCKS 20

/* --- A step whose values are the epoch -------------------------------------------------------- */

static dv_status type_of_lot(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    (void)b;
    (void)learned;
    (void)err;
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

static dv_status fill_lot(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    int64_t *values = malloc((size_t)f->rows * sizeof *values);
    if (!values)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory");
    for (int64_t i = 0; i < f->rows; i++)
        values[i] = f->epoch;
    out->layout = DV_LAYOUT_FIXED;
    const dv_status status = dv_buffer_wrap(&out->as.fixed.values, values, (size_t)f->rows * 8, 8,
                                            free, values, NULL, err);
    if (status != DV_OK)
        free(values);
    return status;
}

static const dv_step_class lot_class = {
    .size = sizeof(dv_step_class), .version = 1, .type = type_of_lot, .fill = fill_lot};
static const dv_transform_info lot_info = {
    .name = "lot", .ml_net = "", .summary = "Tell the epoch.", .columns = DV_STEP_COLUMNS_ONE};

/* --- Reading ---------------------------------------------------------------------------------- */

/* Of a file of many blocks, which threads and the members of a set share. */
static dv_view *view_of_lots(const dvt_path *folder)
{
    static int64_t numbers[ROWS];
    const dv_table_column column = {.name = "A", .type = dv_type_of(DV_KIND_I8), .values = numbers};
    dv_view *table, *file, *view;
    dv_error err = DV_ERROR_INIT;
    const dvt_path path = dvt_path_in(folder, "numbers.idv");
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    how.rows_per_block = ROWS / BLOCKS;
    cr_assert_eq(dv_step_register(&lot_info, &lot_class, NULL), DV_OK);
    cr_assert_eq(dv_table_create(&table, &column, 1, ROWS, NULL, NULL), DV_OK);
    cr_assert_eq(dv_save(table, path.text, &how, NULL), DV_OK);
    cr_assert_eq(dv_open(&file, path.text, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_pipe(&view, file, dv_text_of("lot A"), NULL, NULL, &err), DV_OK, "%s",
                 err.message);
    dv_view_release(&table);
    dv_view_release(&file);
    return view;
}

/* Take all rows, and close the cursor. */
static void expect_all(dv_cursor *cursor, int64_t want, const char *what)
{
    const dv_batch *batch;
    int64_t rows = 0;
    for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; rows += batch->rows)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            cr_assert_eq(dv_value_i8(&value), want, "%s: %d", what, (int)dv_value_i8(&value));
        }
    cr_expect_eq(rows, ROWS, "%s", what);
    dv_cursor_close(&cursor);
}

static dv_cursor_options options_of(dv_view *view, int64_t epoch, int32_t threads)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.epoch = epoch;
    options.threads = threads;
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "A", NULL), DV_OK);
    return options;
}

static void expect_epochs(dv_view *view, int64_t want, const char *what)
{
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        dv_cursor *cursor;
        dv_cursor_options options = options_of(view, 5, threads);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        expect_all(cursor, want, what);
    }
}

Test(step_epoch, is_that_of_the_reader)
{
    static const struct {
        dv_shuffle shuffle;
        const char *what;
    } orders[] = {{DV_SHUFFLE_UNIFORM, "uniform"}, {DV_SHUFFLE_POOL, "pool"}};
    dvt_path folder = dvt_folder_create();
    dv_view *view = view_of_lots(&folder), *other;
    dv_cursor *cursor, *members[2];
    int32_t opened;
    expect_epochs(view, 5, "plain");
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    expect_all(cursor, -1, "no epoch");

    dv_cursor_options options = options_of(view, 5, 1);
    cr_assert_eq(dv_cursor_set_open(members, 2, &opened, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_set_consolidate(&cursor, members, opened, NULL), DV_OK);
    expect_all(cursor, 5, "set");

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        order.shuffle = orders[i].shuffle;
        order.epoch = 2; /* of the order: it is not that of the reader */
        cr_assert_eq(dv_view_epoch(&other, view, &order, NULL, NULL), DV_OK);
        expect_epochs(other, 5, orders[i].what);
        dv_view_release(&other);
    }
    cr_assert_eq(dv_view_pipe(&other, view, dv_text_of("convert A type=TX; convert A type=I8"),
                              NULL, NULL, NULL),
                 DV_OK);
    expect_epochs(other, 5, "steps above");
    dv_view_release(&other);
    cr_assert_eq(dv_view_cache(&other, view, NULL, NULL, NULL), DV_OK);
    expect_epochs(other, -1, "cache");
    dv_view_release(&other);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}
