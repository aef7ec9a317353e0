/* SPDX-License-Identifier: MIT */
/* test_open_types.c: values that own something (open_type.h) are passed on, kept as long as they
 * are needed and given back once; what would copy or write them refuses them. */
#include "support/file.h"
#include "support/made_table.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/arrow.h>
#include <dataview/cache.h>
#include <dataview/epoch.h>
#include <dataview/open_type.h>
#include <dataview/save.h>
#include <dataview/stats.h>
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 5000
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A value is 24 bytes: the address of a number, and some that are not looked at. */
typedef struct handle {
    int64_t *number;
    char rest[16];
} handle;

static atomic_int alive;

static void destroy(void *values, int64_t n)
{
    handle *h = values;
    for (int64_t i = 0; i < n; i++) {
        alive -= h[i].number != NULL;
        free(h[i].number);
    }
}

static bool write(const void *value, const dv_sink *sink)
{
    const handle *h = value;
    return sink->write(sink->ctx, "handle of ", 10) &&
           sink->write(sink->ctx, *h->number % 2 ? "odd" : "even", *h->number % 2 ? 3 : 4);
}

static const dv_open_type handle_type = {sizeof(dv_open_type), "Handle", sizeof(handle), destroy,
                                         write};

/* --- Steps that make such values of I8, and numbers of them ----------------------------------- */

static dv_status type_handle(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    (void)b;
    (void)learned;
    (void)err;
    *type_out = dv_open_type_find("Handle");
    return DV_OK;
}

static dv_status fill_handles(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    void *values;
    const dv_status status =
        dv_open_values_create(&out->as.fixed.values, &values, f->type, f->rows, NULL, err);
    if (status != DV_OK)
        return status;
    out->layout = DV_LAYOUT_FIXED;
    handle *h = values;
    for (int64_t i = 0; i < f->rows; i++) {
        const dv_value value = dv_value_at(f->sources[0], i);
        h[i].number = malloc(sizeof(int64_t));
        if (!h[i].number) {
            dv_buffer_release(&out->as.fixed.values);
            return dv_error_set(err, DV_ERR_MEMORY, "no memory");
        }
        *h[i].number = dv_value_i8(&value);
        alive++;
    }
    return DV_OK;
}

static dv_status type_number(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    const dv_type wanted = dv_open_type_find("Handle");
    (void)learned;
    *type_out = dv_type_of(DV_KIND_I8);
    return dv_type_equal(&dv_schema_column(b->schema, b->sources[0])->type, &wanted)
               ? DV_OK
               : dv_error_set(err, DV_ERR_ARGUMENT, "unhandle takes Handle");
}

static dv_status fill_numbers(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    const handle *h = f->sources[0]->as.fixed.values.data;
    int64_t *values = malloc((size_t)f->rows * sizeof *values);
    if (!values)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory");
    for (int64_t i = 0; i < f->rows; i++)
        values[i] = *h[i].number;
    out->layout = DV_LAYOUT_FIXED;
    const dv_status status = dv_buffer_wrap(&out->as.fixed.values, values, (size_t)f->rows * 8, 8,
                                            free, values, NULL, err);
    if (status != DV_OK)
        free(values);
    return status;
}

#define CLASS(type_of, fill_of)                                                                    \
    {                                                                                              \
        .size = sizeof(dv_step_class), .version = 1, .type = (type_of), .fill = (fill_of)          \
    }
static const dv_step_class handle_class = CLASS(type_handle, fill_handles),
                           unhandle_class = CLASS(type_number, fill_numbers);
static const dv_transform_info handle_info = {.name = "handle",
                                              .ml_net = "",
                                              .summary = "Make handles of numbers.",
                                              .columns = DV_STEP_COLUMNS_ONE},
                               unhandle_info = {.name = "unhandle",
                                                .ml_net = "",
                                                .summary = "Make numbers of handles.",
                                                .columns = DV_STEP_COLUMNS_ONE};

/* --- Tests ------------------------------------------------------------------------------------ */

/* Once in a process. */
static void start(void)
{
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    cr_assert_eq(dv_open_type_register(&handle_type, NULL), DV_OK);
    cr_assert_eq(dv_step_register(&handle_info, &handle_class, NULL), DV_OK);
    cr_assert_eq(dv_step_register(&unhandle_info, &unhandle_class, NULL), DV_OK);
}

static void stop(void)
{
    cr_expect_eq(alive, 0);
}

TestSuite(open_types, .init = start, .fini = stop);

static int64_t numbers[ROWS];

static dv_view *table_of(dvt_made_table *table)
{
    for (int i = 0; i < ROWS; i++)
        numbers[i] = (int64_t)i * 7919 % 1009;
    *table = (dvt_made_table){
        .columns = 1, .rows = ROWS, .block_rows = 300, .in_blocks = true, .bad_row = -1};
    table->column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers, ROWS);
    return dvt_made_table_open(table, NULL);
}

static dv_view *piped(dv_view *source, const char *text)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(text), NULL, NULL, &err), DV_OK, "%s: %s",
                 text, err.message);
    return view;
}

/* Column "b" is "a", whatever lies between. */
Test(open_types, pass_through_views)
{
    static const char *const texts[] = {
        "handle h:a; unhandle b:h",
        "convert r:a type=R8; handle h:a; range r min=100 max=500; unhandle b:h",
        "handle h:a; slice skip=10 take=1000; unhandle b:h",
        "handle h:a; copy i:h; select i a; unhandle b:i",
        "convert r:a type=R8; handle h:a; range r min=1000; slice take=7; unhandle b:h",
    };
    static const int64_t batches[] = {0, 1, 7, 301, ROWS};
    dvt_made_table table;
    dv_view *source = table_of(&table);
    for (size_t t = 0; t < COUNT(texts); t++) {
        dv_view *view = piped(source, texts[t]);
        for (size_t k = 0; k < COUNT(batches); k++) {
            dv_cursor *cursor;
            const dv_batch *batch;
            int32_t columns[2];
            int64_t rows = 0;
            dv_status status;
            dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
            dv_schema_find(dv_view_schema(view), dv_text_of("a"), &columns[0]);
            dv_schema_find(dv_view_schema(view), dv_text_of("b"), &columns[1]);
            how.columns = columns;
            how.columns_count = 2;
            how.batch_rows = batches[k];
            cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
            while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
                for (int64_t i = 0; i < batch->rows; i++, rows++) {
                    const dv_value a = dv_value_at(dv_batch_column(batch, 0), i),
                                   b = dv_value_at(dv_batch_column(batch, 1), i);
                    cr_assert_eq(dv_value_i8(&a), dv_value_i8(&b), "%s", texts[t]);
                }
            cr_expect_eq(status, DV_END);
            cr_expect_gt(rows, 0);
            dv_cursor_close(&cursor);
            cr_expect_eq(alive, 0, "%s: %d values are left", texts[t], alive);
        }
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

/* A batch that is retained keeps its values after cursor and view; one of joined or filtered rows
 * keeps those of all batches of which it is made. */
Test(open_types, live_as_long_as_a_batch)
{
    static const char *const texts[] = {"handle h:a",
                                        "convert r:a type=R8; handle h:a; range r min=500"};
    dvt_made_table table;
    dv_view *source = table_of(&table);
    for (size_t t = 0; t < COUNT(texts); t++) {
        dv_view *view = piped(source, texts[t]);
        dv_cursor *cursor;
        const dv_batch *batch, *kept[3];
        dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
        how.batch_rows = 1000;
        cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
        for (int i = 0; i < 3; i++) {
            cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
            dv_batch_retain(batch);
            kept[i] = batch;
        }
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            continue;
        dv_cursor_close(&cursor);
        const int32_t columns = dv_schema_columns(dv_view_schema(view));
        dv_view_release(&view);
        cr_expect_geq(alive, 3);
        for (int i = 0; i < 3; i++) {
            const dv_column_view *a = dv_batch_column(kept[i], 0),
                                 *h = dv_batch_column(kept[i], columns - 1);
            for (int64_t row = 0; row < kept[i]->rows; row++) {
                const dv_value number = dv_value_at(a, row);
                cr_assert_eq(*((const handle *)h->as.fixed.values.data)[row].number,
                             dv_value_i8(&number));
            }
            dv_batch_release(&kept[i]);
        }
        cr_expect_eq(alive, 0);
    }
    dv_view_release(&source);
}

/* --- What refuses them ------------------------------------------------------------------------ */

static dv_status read_all(dv_view *view, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, NULL, err);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    dv_cursor_close(&cursor);
    return status;
}

/* says: the type, or the column. */
static void expect_refused(dv_status status, const dv_error *err, const char *says)
{
    cr_expect_lt(status, 0, "%s", err->message);
    cr_expect(strstr(err->message, says), "%s", err->message);
}

Test(open_types, are_refused_by_what_copies_or_writes_them)
{
    static const char *const paths[] = {"a.idv", "a.csv", "a.btable", "a.msgpack"};
    dvt_made_table table;
    dv_error err = DV_ERROR_INIT;
    dv_view *source = table_of(&table), *view = piped(source, "handle h:a"), *made;
    dvt_path folder = dvt_folder_create();
    struct ArrowArrayStream stream;
    dv_stats *stats;
    for (size_t i = 0; i < COUNT(paths); i++) {
        const dvt_path path = dvt_path_in(&folder, paths[i]);
        err = (dv_error)DV_ERROR_INIT;
        expect_refused(dv_save(view, path.text, NULL, &err), &err, "column \"h\"");
    }
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dvt_folder_remove(&folder);
    err = (dv_error)DV_ERROR_INIT;
    expect_refused(dv_view_export_arrow(view, &stream, NULL, &err), &err,
                   "Handle cannot be copied into Arrow");
    cr_assert_eq(dv_view_cache(&made, view, NULL, NULL, &err), DV_OK, "%s", err.message);
    expect_refused(read_all(made, &err), &err, "Handle cannot be copied into a cache");
    dv_view_release(&made);
    dv_epoch_options shuffled = DV_EPOCH_OPTIONS_INIT;
    shuffled.shuffle = DV_SHUFFLE_POOL;
    err = (dv_error)DV_ERROR_INIT;
    cr_assert_eq(dv_view_epoch(&made, view, &shuffled, NULL, &err), DV_OK, "%s", err.message);
    expect_refused(read_all(made, &err), &err,
                   "Handle cannot be copied into rows in another order");
    dv_view_release(&made);
    cr_expect_eq(dv_stats_create(&stats, view, NULL, &err), DV_OK, "%s", err.message);
    dv_stats_free(&stats);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* There is no advice to convert what nothing converts. */
Test(open_types, are_not_combined)
{
    static const char *const texts[][2] = {
        {"handle h:a; combine F:h", "column \"h\": items: expected no extension, found"},
        {"handle h:a; combine F:a,h", "column \"h\": items: expected I8, found"}};
    dvt_made_table table;
    dv_view *source = table_of(&table), *view = NULL;
    for (size_t i = 0; i < COUNT(texts); i++) {
        dv_error err = DV_ERROR_INIT;
        expect_refused(dv_view_pipe(&view, source, dv_text_of(texts[i][0]), NULL, NULL, &err), &err,
                       texts[i][1]);
        cr_expect(!strstr(err.message, "convert"), "%s", err.message);
    }
    dv_view_release(&source);
}

/* --- Text, and faults ------------------------------------------------------------------------- */

static bool append(void *ctx, const char *data, size_t nbytes)
{
    strncat(ctx, data, nbytes);
    return true;
}

Test(open_types, are_written_as_the_type_says)
{
    static const dv_open_type silent = {sizeof(dv_open_type), "Silent", 8, destroy, NULL};
    static const dv_style styles[] = {DV_STYLE_TEXT, DV_STYLE_EXACT};
    static const char *const expected[2][2] = {{"handle of odd", "\"open:Handle\""},
                                               {"<Silent>", "\"open:Silent\""}};
    int64_t seven = 7;
    handle h = {.number = &seven};
    cr_assert_eq(dv_open_type_register(&silent, NULL), DV_OK);
    for (int t = 0; t < 2; t++)
        for (int s = 0; s < 2; s++) {
            char text[64] = "";
            const dv_sink sink = {append, text};
            const dv_column_view column =
                dvt_made_fixed(dv_open_type_find(t ? "Silent" : "Handle"), &h, 1);
            const dv_value value = dv_value_first(&column);
            cr_expect(dv_value_write(&value, styles[s], &sink));
            cr_expect_str_eq(text, expected[t][s]);
        }
}

Test(open_types, types_that_are_refused)
{
    static const struct {
        dv_open_type type;
        const char *says;
    } cases[] = {
        {{8, "A", 8, destroy, NULL}, "another version"},
        {{sizeof(dv_open_type), NULL, 8, destroy, NULL}, "needs a name"},
        {{sizeof(dv_open_type), "", 8, destroy, NULL}, "needs a name"},
        {{sizeof(dv_open_type), "9", 8, destroy, NULL}, "begins with a letter"},
        {{sizeof(dv_open_type), "A b", 8, destroy, NULL}, "needs a name"},
        {{sizeof(dv_open_type), "r4", 8, destroy, NULL}, "there is a type r4 already"},
        {{sizeof(dv_open_type), "Handle", 8, destroy, NULL}, "already"},
        {{sizeof(dv_open_type), "A", 0, destroy, NULL}, "0 bytes"},
        {{sizeof(dv_open_type), "A", 65537, destroy, NULL}, "65537 bytes"},
        {{sizeof(dv_open_type), "A", 8, NULL, NULL}, "needs destroy"},
    };
    dv_buffer buffer;
    void *values;
    const dv_type unknown = dv_type_extension("Unknown", 8), number = dv_type_of(DV_KIND_I8);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_open_type_register(&cases[i].type, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, cases[i].says), "%s", err.message);
    }
    cr_expect_eq(dv_open_type_find("A").kind, DV_KIND_NONE);
    const dv_type type = dv_open_type_find("Handle");
    cr_expect_eq(dv_open_values_create(&buffer, &values, &unknown, 1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_open_values_create(&buffer, &values, &number, 1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_open_values_create(&buffer, &values, &type, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_open_values_create(&buffer, &values, &type, INT64_MAX, NULL, NULL),
                 DV_ERR_MEMORY);
    cr_expect_eq(dv_open_values_create(&buffer, &values, &type, 0, NULL, NULL), DV_OK);
    dv_buffer_release(&buffer);
}

static dv_status use(const void *what, const dv_allocator *allocator, const dv_cursor_options *how,
                     dvt_lines *lines, dv_error *err)
{
    dvt_made_table table;
    dv_view *source = table_of(&table), *view;
    dv_status status = dv_view_pipe(&view, source, dv_text_of(what), NULL, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, how, lines, err);
    dv_view_release(&view);
    return status;
}

Test(open_types, each_allocation_may_fail)
{
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    how.batch_rows = 700;
    how.take = 900;
    how.threads = 1;
    dvt_fail_each_allocation(use, "convert r:a type=R8; handle h:a; range r min=200; unhandle b:h",
                             "handles", &how);
}
