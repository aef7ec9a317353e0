/* SPDX-License-Identifier: MIT */
/* test_errors.c: a dv_error is written if and only if the status is negative (status.h). */
#include "support/feeds.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdlib.h>
#include <string.h>

static dv_error err, canary;
static dv_view *view, *made;
static dv_cursor *cursor;
static dv_row_cursor *rows;
static dv_feed *feed;
static const dv_batch *batch;
static dv_token token;
static int64_t number;

static void start(void)
{
    memset(&canary, 0xA5, sizeof canary);
    err = canary;
}

/* Check what the call left in err, and put the canary back. */
static void check(dv_status got, dv_status want, const char *call)
{
    cr_expect_eq(got, want, "%s: %s, not %s", call, dv_status_name(got), dv_status_name(want));
    if (got >= 0)
        cr_expect_eq(memcmp(&err, &canary, sizeof err), 0, "%s: err is written", call);
    else
        cr_expect(err.status == got && *err.message, "%s: err is not written", call);
    err = canary;
}

#define CALL(want, call) check(call, want, #call)

/* A view that the call made. */
#define VIEW(call)                                                                                 \
    do {                                                                                           \
        made = NULL;                                                                               \
        check(call, DV_OK, #call);                                                                 \
        dv_view_release(&made);                                                                    \
    } while (0)
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        made = NULL;                                                                               \
        check(call, DV_ERR_ARGUMENT, #call);                                                       \
        cr_expect_null(made, #call);                                                               \
    } while (0)

TestSuite(errors, .init = start);

static const char *people(void)
{
    static dvt_path path;
    path = dvt_test_path("golden/idv/people.idv");
    return path.text;
}

Test(errors, of_opening)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    const char *const none[] = {"/no/such/file.idv"}, *const some[] = {people(), people()};
    const char *name;
    dv_buffer text;
    CALL(DV_OK, dv_open(&view, people(), NULL, &err));
    dv_view_release(&view);
    CALL(DV_ERR_IO, dv_open(&view, none[0], NULL, &err));
    CALL(DV_OK, dv_open_many(&view, some, 2, NULL, &err));
    dv_view_release(&view);
    CALL(DV_ERR_IO, dv_open_many(&view, none, 1, NULL, &err));
    CALL(DV_ERR_CORRUPT, dv_open_memory(&view, "CML\0DVB", 8, NULL, NULL, "x.idv", NULL, &err));
    CALL(DV_OK, dv_open_format(&name, people(), NULL, &err));
    CALL(DV_NOT_FOUND, dv_open_propose(&text, people(), NULL, &err));
    options.format = "none";
    CALL(DV_ERR_ARGUMENT, dv_open(&view, people(), &options, &err));

    dvt_path folder = dvt_folder_create(), csv = dvt_path_in(&folder, "some.csv");
    dvt_file_write(&csv, "a,b\n1,2\n", 8);
    CALL(DV_OK, dv_open_propose(&text, csv.text, NULL, &err));
    dv_buffer_release(&text);
    dvt_file_write(&csv, "", 0);
    CALL(DV_NOT_FOUND, dv_open_propose(&text, csv.text, NULL, &err));
    dvt_folder_remove(&folder);
}

Test(errors, of_keys)
{
    bool does;
    view = dvt_golden_open("datadings/tiny.msgpack", NULL);
    CALL(DV_OK, dv_datadings_find(view, dv_text_of("a"), &number, &err));
    CALL(DV_NOT_FOUND, dv_datadings_find(view, dv_text_of("none"), &number, &err));
    CALL(DV_OK, dv_datadings_contains(view, dv_text_of("none"), &does, &err));
    dv_view_release(&view);
}

Test(errors, of_cursors)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    view = dvt_golden_open("idv/people.idv", NULL);
    const dv_schema *schema = dv_view_schema(view);
    CALL(DV_OK, dv_cursor_options_column(&options, schema, "Age", &err));
    CALL(DV_ERR_ARGUMENT, dv_cursor_options_column(&options, schema, "none", &err));
    CALL(DV_OK, dv_cursor_open(&cursor, view, &options, &err));
    CALL(DV_OK, dv_cursor_next(cursor, &batch, &err));
    CALL(DV_OK, dv_cursor_token(cursor, &token, &err));
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        check(status, DV_OK, "dv_cursor_next");
    check(status, DV_END, "dv_cursor_next");
    CALL(DV_END, dv_cursor_next(cursor, &batch, &err));
    dv_cursor_close(&cursor);
    options.first_row = -1;
    CALL(DV_ERR_ARGUMENT, dv_cursor_open(&cursor, view, &options, &err));
    CALL(DV_ERR_ARGUMENT, dv_row_cursor_open(&rows, view, &options, &err));

    dv_value value;
    dv_u128 id;
    CALL(DV_OK, dv_row_cursor_open(&rows, view, NULL, &err));
    CALL(DV_ERR_ARGUMENT, dv_row_value(rows, 0, &value, &err));
    CALL(DV_OK, dv_row_next(rows, &err));
    CALL(DV_OK, dv_row_value(rows, 0, &value, &err));
    CALL(DV_ERR_ARGUMENT, dv_row_value(rows, 99, &value, &err));
    CALL(DV_OK, dv_row_token(rows, &token, &err));
    CALL(DV_END, dv_row_skip(rows, INT64_MAX, &err));
    CALL(DV_END, dv_row_next(rows, &err));
    CALL(DV_ERR_ARGUMENT, dv_row_id(rows, &id, &err));
    dv_row_cursor_close(&rows);

    dv_cursor *members[2];
    int32_t opened;
    CALL(DV_ERR_ARGUMENT, dv_cursor_set_open(members, 0, &opened, view, NULL, &err));
    CALL(DV_OK, dv_cursor_set_open(members, 2, &opened, view, NULL, &err));
    CALL(DV_OK, dv_cursor_set_consolidate(&cursor, members, opened, &err));
    CALL(DV_OK, dv_cursor_next(cursor, &batch, &err));
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

Test(errors, of_schemas_and_types)
{
    dv_type type;
    int32_t dims[4];
    view = dvt_golden_open("idv/people.idv", NULL);
    CALL(DV_NOT_FOUND, dv_schema_metadata_value(dv_view_schema(view), 0, 99, &batch, &err));
    CALL(DV_NOT_FOUND, dv_schema_metadata_value(dv_view_schema(view), 99, 0, &batch, &err));
    CALL(DV_OK, dv_type_parse(&type, dv_text_of("R4"), dims, 4, &err));
    CALL(DV_ERR_ARGUMENT, dv_type_parse(&type, dv_text_of("R5"), dims, 4, &err));
    type = (dv_type){.kind = (dv_kind)99};
    CALL(DV_ERR_ARGUMENT, dv_type_check(&type, &err));
    dv_view_release(&view);
}

Test(errors, of_transforms)
{
    const dv_text age = dv_text_of("Age"), none = dv_text_of("none");
    const dv_column_spec spec = {.name = age, .source = age},
                         no_spec = {.name = age, .source = none};
    const int64_t first = 0, beyond = INT64_MAX;
    view = dvt_golden_open("idv/people.idv", NULL);
    VIEW(dv_view_keep(&made, view, &age, 1, NULL, &err));
    REFUSED(dv_view_keep(&made, view, &none, 1, NULL, &err));
    VIEW(dv_view_drop(&made, view, &age, 1, NULL, &err));
    REFUSED(dv_view_drop(&made, view, &none, 1, NULL, &err));
    VIEW(dv_view_copy(&made, view, &spec, 1, NULL, &err));
    REFUSED(dv_view_copy(&made, view, &no_spec, 1, NULL, &err));
    VIEW(dv_view_combine(&made, view, age, &spec, 1, NULL, &err));
    REFUSED(dv_view_combine(&made, view, age, &no_spec, 1, NULL, &err));
    VIEW(dv_view_slice(&made, view, 1, 2, NULL, &err));
    REFUSED(dv_view_slice(&made, view, -1, 2, NULL, &err));
    VIEW(dv_view_take(&made, view, &first, 1, NULL, &err));
    REFUSED(dv_view_take(&made, view, &beyond, 1, NULL, &err));
    VIEW(dv_view_exclude(&made, view, &first, 1, NULL, &err));
    REFUSED(dv_view_exclude(&made, view, &beyond, 1, NULL, &err));
    VIEW(dv_view_sample(&made, view, NULL, NULL, &err));
    dv_sample_options drawn = DV_SAMPLE_OPTIONS_INIT;
    drawn.rows = -2;
    REFUSED(dv_view_sample(&made, view, &drawn, NULL, &err));
    REFUSED(dv_view_bucket(&made, view, -1, NULL, NULL, &err));
    REFUSED(dv_view_pack(&made, view, NULL, NULL, &err));
    VIEW(dv_view_concat(&made, &view, 1, NULL, &err));
    REFUSED(dv_view_concat(&made, &view, 0, NULL, &err));
    VIEW(dv_view_zip(&made, &view, 1, NULL, &err));
    REFUSED(dv_view_zip(&made, &view, 0, NULL, &err));
    VIEW(dv_view_filter_na(&made, view, &age, 1, false, NULL, &err));
    REFUSED(dv_view_filter_na(&made, view, &none, 1, false, NULL, &err));
    VIEW(dv_view_bootstrap(&made, view, 1, false, NULL, &err));
    VIEW(dv_view_materialize(&made, view, NULL, NULL, &err));
    VIEW(dv_view_cache(&made, view, NULL, NULL, &err));
    VIEW(dv_view_epoch(&made, view, NULL, NULL, &err));
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    order.shards = 0;
    REFUSED(dv_view_epoch(&made, view, &order, NULL, &err));
    VIEW(dv_view_mix(&made, &view, 1, NULL, NULL, &err));
    REFUSED(dv_view_mix(&made, &view, 0, NULL, NULL, &err));
    dv_view_release(&view);
}

static bool stop(void *ctx, const dv_error *what)
{
    (void)ctx;
    (void)what;
    return false;
}

static bool stop_now(void *ctx, int64_t done, int64_t total)
{
    (void)ctx;
    (void)done;
    (void)total;
    return false;
}

Test(errors, of_what_reads_all_rows)
{
    dv_facts *facts;
    dv_stats *stats;
    dv_csr *csr;
    dv_buffer bytes;
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    dv_stats_options measure = DV_STATS_OPTIONS_INIT;
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    verify.defect = stop;
    view = dvt_golden_open("idv/people.idv", NULL);
    CALL(DV_OK, dv_inspect(&facts, view, &err));
    dv_facts_free(&facts);
    CALL(DV_OK, dv_verify(view, &verify, &err));
    verify.progress.report = stop_now;
    CALL(DV_ERR_STOPPED, dv_verify(view, &verify, &err));
    CALL(DV_OK, dv_stats_create(&stats, view, &measure, &err));
    dv_stats_free(&stats);
    measure.progress.report = stop_now;
    CALL(DV_ERR_STOPPED, dv_stats_create(&stats, view, &measure, &err));
    CALL(DV_ERR_ARGUMENT, dv_csr_create(&csr, view, NULL, &err));
    save.format = "idv";
    CALL(DV_OK, dv_save_memory(view, &bytes, &save, &err));
    dv_buffer_release(&bytes);
    CALL(DV_ERR_IO, dv_save(view, "/no/such/folder/x.idv", &save, &err));
    CALL(DV_ERR_ARGUMENT, dv_datadings_find(view, dv_text_of("key"), &number, &err));
    dv_view_release(&view);

    verify.progress.report = NULL;
    CALL(DV_OK,
         dv_open(&view, dvt_test_path("malformed/idv/key_above_count.WARNING.4.1@264.idv").text,
                 NULL, &err));
    CALL(DV_END, dv_verify(view, &verify, &err));
    dv_view_release(&view);
}

Test(errors, of_feeds)
{
    dvt_feed_table *t = dvt_feed_table_create(20, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    const dv_feed_batch *filled;
    CALL(DV_OK, dv_feed_open(&feed, t->view, &options, &err));
    CALL(DV_OK, dv_feed_next(feed, &filled, &err));
    CALL(DV_OK, dv_feed_token(feed, &token, &err));
    dv_status status;
    while ((status = dv_feed_next(feed, &filled, &err)) == DV_OK)
        check(status, DV_OK, "dv_feed_next");
    check(status, DV_END, "dv_feed_next");
    CALL(DV_END, dv_feed_next(feed, &filled, &err));
    dv_feed_close(&feed);
    options.batch_rows = 0;
    CALL(DV_ERR_ARGUMENT, dv_feed_open(&feed, t->view, &options, &err));
    dvt_feed_table_free(t);
}
