/* SPDX-License-Identifier: MIT */
/* test_options.c: every struct of options is accepted with its size, and refused with any other. */
#include "support/file.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdlib.h>
#include <string.h>

static dv_view *view;

static void start(void)
{
    const dvt_path path = dvt_test_path("golden/idv/people.idv");
    cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK);
}

static void finish(void)
{
    dv_view_release(&view);
}

TestSuite(options, .init = start, .fini = finish);

/* Use options, of which only `size` is read if it is refused. */
typedef dv_status use_fn(const void *options, dv_error *err);

static bool ignore(void *ctx, const dv_error *what)
{
    (void)ctx;
    (void)what;
    return true;
}

static dv_status use_open(const void *options, dv_error *err)
{
    dv_view *made;
    const dvt_path path = dvt_test_path("golden/idv/people.idv");
    const dv_status status = dv_open(&made, path.text, options, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_cursor(const void *options, dv_error *err)
{
    dv_cursor *cursor;
    const dv_status status = dv_cursor_open(&cursor, view, options, err);
    dv_cursor_close(&cursor);
    return status;
}

static dv_status use_save(const void *options, dv_error *err)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "saved.idv");
    const dv_status status = dv_save(view, path.text, options, err);
    dvt_folder_remove(&folder);
    return status;
}

static dv_status use_verify(const void *options, dv_error *err)
{
    return dv_verify(view, options, err);
}

static dv_status use_stats(const void *options, dv_error *err)
{
    dv_stats *stats;
    const dv_status status = dv_stats_create(&stats, view, options, err);
    dv_stats_free(&stats);
    return status;
}

static dv_status use_counts(const void *options, dv_error *err)
{
    dv_counts *counts;
    const dv_status status = dv_counts_create(&counts, view, 0, options, err);
    dv_counts_free(&counts);
    return status;
}

static dv_status use_cache(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_cache(&made, view, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_sample(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_sample(&made, view, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_bucket(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_bucket(&made, view, 0, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_pack(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_pack(&made, view, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_materialize(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_materialize(&made, view, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_epoch(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_epoch(&made, view, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_mix(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_mix(&made, &view, 1, options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_dense(const void *options, dv_error *err)
{
    size_t width;
    return dv_dense_width(&width, dv_view_schema(view), DV_KIND_R4, NULL, options, err);
}

static dv_status use_csr(const void *options, dv_error *err)
{
    int64_t rows;
    return dv_csr_measure(&rows, NULL, view, options, err);
}

static dv_status use_feed(const void *options, dv_error *err)
{
    dv_feed *feed;
    const dv_status status = dv_feed_open(&feed, view, options, err);
    dv_feed_close(&feed);
    return status;
}

static dv_status use_fit(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_view_pipe(&made, view, dv_text_of(""), options, NULL, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_table(const void *options, dv_error *err)
{
    dv_view *made;
    const dv_status status = dv_table_create(&made, NULL, 0, 0, options, err);
    dv_view_release(&made);
    return status;
}

static dv_status use_arrow(const void *options, dv_error *err)
{
    struct ArrowSchema schema;
    const dv_status status = dv_view_export_arrow_schema(view, &schema, options, err);
    if (status == DV_OK)
        schema.release(&schema);
    return status;
}

static dv_status use_arrow_import(const void *options, dv_error *err)
{
    dv_view *made;
    struct ArrowArrayStream stream;
    cr_assert_eq(dv_view_export_arrow(view, &stream, NULL, NULL), DV_OK);
    const dv_status status = dv_view_import_arrow(&made, &stream, options, err);
    if (stream.release)
        stream.release(&stream);
    dv_view_release(&made);
    return status;
}

static dv_status use_class(const void *options, dv_error *err)
{
    dv_view *made;
    dv_schema *schema = NULL;
    return dv_view_create(&made, options, NULL, &schema, NULL, err);
}

static const dv_table_options table_options = DV_TABLE_OPTIONS_INIT;
static const dv_open_options open_options = DV_OPEN_OPTIONS_INIT;
static const dv_cursor_options cursor_options = DV_CURSOR_OPTIONS_INIT;
static const dv_save_options save_options = DV_SAVE_OPTIONS_INIT;
static const dv_verify_options verify_options = {sizeof verify_options, ignore, NULL, {NULL, NULL}};
static const dv_stats_options stats_options = DV_STATS_OPTIONS_INIT;
static const dv_counts_options counts_options = DV_COUNTS_OPTIONS_INIT;
static const dv_cache_options cache_options = DV_CACHE_OPTIONS_INIT;
static const dv_sample_options sample_options = DV_SAMPLE_OPTIONS_INIT;
static const dv_bucket_options bucket_options = DV_BUCKET_OPTIONS_INIT;
static const dv_pack_options pack_options = DV_PACK_OPTIONS_INIT;
static const dv_materialize_options materialize_options = DV_MATERIALIZE_OPTIONS_INIT;
static const dv_epoch_options epoch_options = DV_EPOCH_OPTIONS_INIT;
static const dv_mix_options mix_options = DV_MIX_OPTIONS_INIT;
static const dv_dense_options dense_options = DV_DENSE_OPTIONS_INIT;
static const dv_csr_options csr_options = DV_CSR_OPTIONS_INIT;
static const dv_feed_options feed_options = DV_FEED_OPTIONS_INIT;
static const dv_fit_options fit_options = DV_FIT_OPTIONS_INIT;
static const dv_arrow_options arrow_options = DV_ARROW_OPTIONS_INIT;
static const dv_arrow_import_options arrow_import_options = DV_ARROW_IMPORT_OPTIONS_INIT;
static const dv_view_class view_class = {.size = sizeof view_class};

/* accepted: a word of the error of these options, which are refused for another reason; NULL: they
 * are accepted. */
static const struct {
    const char *name;
    use_fn *use;
    const void *options;
    size_t nbytes;
    const char *accepted;
} structs[] = {
    {"open", use_open, &open_options, sizeof open_options, NULL},
    {"cursor", use_cursor, &cursor_options, sizeof cursor_options, NULL},
    {"save", use_save, &save_options, sizeof save_options, NULL},
    {"verify", use_verify, &verify_options, sizeof verify_options, NULL},
    {"stats", use_stats, &stats_options, sizeof stats_options, NULL},
    {"counts", use_counts, &counts_options, sizeof counts_options, NULL},
    {"cache", use_cache, &cache_options, sizeof cache_options, NULL},
    {"sample", use_sample, &sample_options, sizeof sample_options, NULL},
    {"bucket", use_bucket, &bucket_options, sizeof bucket_options, NULL},
    {"pack", use_pack, &pack_options, sizeof pack_options, "columns is NULL"},
    {"materialize", use_materialize, &materialize_options, sizeof materialize_options, NULL},
    {"epoch", use_epoch, &epoch_options, sizeof epoch_options, NULL},
    {"mix", use_mix, &mix_options, sizeof mix_options, NULL},
    {"dense", use_dense, &dense_options, sizeof dense_options, "converted"},
    {"csr", use_csr, &csr_options, sizeof csr_options, "column"},
    {"feed", use_feed, &feed_options, sizeof feed_options, "batch_rows is 0"},
    {"fit", use_fit, &fit_options, sizeof fit_options, NULL},
    {"table", use_table, &table_options, sizeof table_options, NULL},
    {"arrow", use_arrow, &arrow_options, sizeof arrow_options, NULL},
    {"arrow_import", use_arrow_import, &arrow_import_options, sizeof arrow_import_options, NULL},
    {"class", use_class, &view_class, sizeof view_class, "a view needs"},
};

/* The sizes that structs had before they grew. */
static const struct {
    const char *name;
    size_t nbytes;
} earlier[] = {{"dense", offsetof(dv_dense_options, fill)}};

static bool is_size(size_t i, size_t size)
{
    bool is = size == structs[i].nbytes;
    for (size_t k = 0; k < sizeof earlier / sizeof *earlier; k++)
        is = is || (strcmp(earlier[k].name, structs[i].name) == 0 && earlier[k].nbytes == size);
    return is;
}

/* A struct of that size ends with the block that holds it, so that reading more is a fault. */
static void expect_refused(size_t i, size_t size)
{
    dv_error err = DV_ERROR_INIT;
    void *block = malloc(size < sizeof size ? sizeof size : size);
    cr_assert_not_null(block);
    memset(block, 0xA5, size);
    memcpy(block, structs[i].options, size < structs[i].nbytes ? size : structs[i].nbytes);
    memcpy(block, &size, sizeof size);
    cr_expect_eq(structs[i].use(block, &err), DV_ERR_ARGUMENT, "%s: %zu bytes", structs[i].name,
                 size);
    cr_expect(strstr(err.message, "bytes, expected "), "%s: %s", structs[i].name, err.message);
    free(block);
}

Test(options, every_size_that_it_never_had_is_refused)
{
    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++) {
        for (size_t size = 0; size < structs[i].nbytes + 20; size++)
            if (!is_size(i, size))
                expect_refused(i, size);
        expect_refused(i, 100000);
    }
}

Test(options, the_size_of_the_header_is_accepted)
{
    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++) {
        dv_error err = DV_ERROR_INIT;
        const dv_status status = structs[i].use(structs[i].options, &err);
        if (structs[i].accepted)
            cr_expect(strstr(err.message, structs[i].accepted), "%s: %s", structs[i].name,
                      err.message);
        else
            cr_expect_eq(status, DV_OK, "%s: %s", structs[i].name, err.message);
    }
}
