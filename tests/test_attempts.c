/* SPDX-License-Identifier: MIT */
/* test_attempts.c: has each attempt fail whose failure decides nothing (base/attempt.h).
 *
 * The table in docs/security.md lists them. For each, all stories run while it fails: a story ends
 * with the digest that it has without the fault, or with an error. Some story must reach the
 * attempt. */
#include "support/faults.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/packed.h"
#include "support/slow_source.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE "docs/security.md"
#define BEGIN "<!-- attempts: tests/tree/attempts.py checks them -->\n"
#define END "<!-- end of attempts -->\n"
#define ATTEMPTS_LEAST 30
#define ROWS 8000
#define LONGER_ROWS 40000
#define LARGE_ROWS 1100000 /* several windows of a map */
#define FILES 80           /* the limit of descriptors */
#define COLUMNS_MOST 16

#define DVT_TRY(call)                                                                              \
    do {                                                                                           \
        const dv_status tried = (call);                                                            \
        if (tried != DV_OK)                                                                        \
            return tried;                                                                          \
    } while (0)

static dvt_path folder, csv, gz, idv, large, longer, bags;

/* --- Digests ---------------------------------------------------------------------------------- */

/* Digest the rows column by column: the batches do not matter. */
static dv_status digest_cursor(uint64_t *digest, dv_cursor *cursor, int32_t n, dv_error *err)
{
    dv_digester *digester[COLUMNS_MOST] = {NULL};
    const dv_batch *batch;
    dv_status status = DV_OK;
    cr_assert_leq(n, COLUMNS_MOST);
    for (int32_t k = 0; k < n && status == DV_OK; k++)
        status = dv_digester_create(&digester[k], NULL, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        for (int32_t k = 0; k < batch->columns; k++)
            dv_digester_add_column(digester[k], dv_batch_column(batch, k));
    for (int32_t k = 0; k < n; k++) {
        const dv_u128 one = digester[k] ? dv_digester_result(digester[k]) : (dv_u128){0, 0};
        *digest = dv_digest_8(&one, sizeof one, *digest);
        dv_digester_free(&digester[k]);
    }
    return status == DV_END ? DV_OK : status;
}

static dv_status digest_view(uint64_t *digest, dv_view *view, int32_t threads, dv_error *err)
{
    dv_cursor *cursor;
    dv_cursor_options options = dvt_all_columns(view);
    options.threads = threads;
    dv_status status = dv_cursor_open(&cursor, view, &options, err);
    if (status == DV_OK)
        status = digest_cursor(digest, cursor, options.columns_count, err);
    dv_cursor_close(&cursor);
    dvt_all_columns_free(&options);
    return status;
}

/* Open a file, and digest it as it is or as `make` changes it, twice. */
static dv_status digest_file(uint64_t *digest, const char *path, const dv_open_options *how,
                             dv_status (*make)(dv_view **view_out, dv_view *source, dv_error *err),
                             int32_t threads, dv_error *err)
{
    dv_view *file = NULL, *view = NULL;
    dv_status status = dv_open(&file, path, how, err);
    if (status == DV_OK && make)
        status = make(&view, file, err);
    for (int round = 0; round < 2 && status == DV_OK; round++)
        status = digest_view(digest, make ? view : file, threads, err);
    dv_view_release(&view);
    dv_view_release(&file);
    return status;
}

/* --- Stories ---------------------------------------------------------------------------------- */

static dv_status read_text(uint64_t *digest, dv_error *err)
{
    return digest_file(digest, csv.text, NULL, NULL, 3, err);
}

static dv_status read_packed_text(uint64_t *digest, dv_error *err)
{
    return digest_file(digest, gz.text, NULL, NULL, 3, err);
}

static dv_status read_idv(uint64_t *digest, dv_error *err)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = DV_IO_MMAP;
    dvt_faults_uncached(true);
    DVT_TRY(digest_file(digest, large.text, &how, NULL, 1, err));
    dvt_faults_uncached(false);
    how.drop_behind = true;
    DVT_TRY(digest_file(digest, large.text, &how, NULL, 1, err));
    how.io = DV_IO_PREAD;
    return digest_file(digest, large.text, &how, NULL, 3, err);
}

/* A request fails while a reader waits for it, then none. */
static dv_status read_source(uint64_t *digest, dv_error *err)
{
    dvt_store store = {0};
    dv_source source = dvt_slow_file(&store, large.text);
    dv_source_options how = DV_SOURCE_OPTIONS_INIT;
    dv_view *view;
    uint64_t ignored = 0;
    how.attempts = 1;
    DVT_TRY(dv_open_source(&view, &source, 1, &how, NULL, err));
    store.fail_with = DV_ERR_IO;
    cr_expect_lt(digest_view(&ignored, view, 1, NULL), 0);
    store.fail_with = DV_OK;
    const dv_status status = digest_view(digest, view, 1, err);
    dv_view_release(&view);
    return status;
}

/* Blocks are kept on disk, then read from there. */
static dv_status read_source_on_disk(uint64_t *digest, dv_error *err)
{
    dvt_path disk = dvt_folder_create();
    dv_status status = DV_OK;
    for (int round = 0; round < 2 && status == DV_OK; round++) {
        dvt_store store = {0};
        dv_source source = dvt_slow_file(&store, large.text);
        dv_source_options how = DV_SOURCE_OPTIONS_INIT;
        dv_view *view;
        source.version = "1";
        how.disk_folder = disk.text;
        status = dv_open_source(&view, &source, 1, &how, NULL, err);
        if (status == DV_OK)
            status = digest_view(digest, view, 1, err);
        dv_view_release(&view);
    }
    dvt_folder_remove(&disk);
    return status;
}

static dv_status cache(dv_view **view_out, dv_view *source, dv_error *err)
{
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.prefetch_count = -1;
    return dv_view_cache(view_out, source, &options, NULL, err);
}

static dv_status read_cache(uint64_t *digest, dv_error *err)
{
    return digest_file(digest, csv.text, NULL, cache, 1, err);
}

static dv_status materialize(dv_view **view_out, dv_view *source, dv_error *err)
{
    return dv_view_materialize(view_out, source, NULL, NULL, err);
}

static dv_status read_memory(uint64_t *digest, dv_error *err)
{
    return digest_file(digest, idv.text, NULL, materialize, 1, err);
}

static dv_status shuffle(dv_view **view_out, dv_view *source, dv_error *err)
{
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    options.shuffle = DV_SHUFFLE_UNIFORM;
    return dv_view_epoch(view_out, source, &options, NULL, err);
}

static dv_status read_shuffled(uint64_t *digest, dv_error *err)
{
    return digest_file(digest, idv.text, NULL, shuffle, 1, err);
}

/* Rows of a shuffled view are not stored in blocks. */
static dv_status shuffle_twice(dv_view **view_out, dv_view *source, dv_error *err)
{
    dv_view *once;
    DVT_TRY(shuffle(&once, source, err));
    const dv_status status = shuffle(view_out, once, err);
    dv_view_release(&once);
    return status;
}

static dv_status read_twice(uint64_t *digest, dv_error *err)
{
    return digest_file(digest, idv.text, NULL, shuffle_twice, 1, err);
}

static dv_status pipe_with(dv_view **view_out, dv_view *source, const char *steps, dv_error *err)
{
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = 3;
    return dv_view_pipe(view_out, source, dv_text_of(steps), &options, NULL, err);
}

static dv_status learn_terms(dv_view **view_out, dv_view *source, dv_error *err)
{
    return pipe_with(view_out, source, "term T:word", err);
}

static dv_status learn_bags(dv_view **view_out, dv_view *source, dv_error *err)
{
    return pipe_with(view_out, source, "wordbag B:words; tokenize W:words; term W; ngram N:W", err);
}

static dv_status learn_features(dv_view **view_out, dv_view *source, dv_error *err)
{
    return pipe_with(view_out, source, "text F:words; normalize x", err);
}

static dv_status learn(uint64_t *digest, dv_error *err)
{
    DVT_TRY(digest_file(digest, idv.text, NULL, learn_terms, 1, err));
    DVT_TRY(digest_file(digest, idv.text, NULL, learn_bags, 1, err));
    return digest_file(digest, idv.text, NULL, learn_features, 1, err);
}

static dv_status digest_csr(uint64_t *digest, dv_view *view, int32_t column, dv_error *err)
{
    dv_csr *csr;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    options.column = column;
    options.threads = 3;
    DVT_TRY(dv_csr_create(&csr, view, &options, err));
    *digest = dv_digest_8(csr->indptr, (size_t)(csr->rows + 1) * 8, *digest);
    *digest = dv_digest_8(csr->indices, (size_t)csr->entries * 4, *digest);
    *digest = dv_digest_8(csr->data, (size_t)csr->entries * 8, *digest);
    dv_csr_free(&csr);
    return DV_OK;
}

static dv_status make_csr(uint64_t *digest, dv_error *err)
{
    dv_view *file, *view;
    DVT_TRY(dv_open(&file, bags.text, NULL, err));
    dv_status status = digest_csr(digest, file, -1, err);
    dv_view_release(&file);
    DVT_TRY(status);
    DVT_TRY(dv_open(&file, idv.text, NULL, err));
    status = pipe_with(&view, file, "wordbag B:words", err);
    int32_t column;
    if (status == DV_OK)
        status = dv_schema_find(dv_view_schema(view), dv_text_of("B"), &column);
    if (status == DV_OK)
        status = digest_csr(digest, view, column, err);
    dv_view_release(&view);
    dv_view_release(&file);
    return status;
}

static dv_status use_stats(uint64_t *digest, dv_error *err)
{
    dv_view *view;
    dv_stats *stats;
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    DVT_TRY(dv_open(&view, large.text, NULL, err));
    cursor.threads = 3;
    options.cursor = &cursor;
    const dv_status status = dv_stats_create(&stats, view, &options, err);
    for (int32_t k = 0; status == DV_OK && k < stats->columns; k++) {
        const dv_column_stats *column = &stats->column[k];
        *digest = dv_digest_8(&column->mean, sizeof column->mean, *digest);
    }
    dv_stats_free(&stats);
    dv_view_release(&view);
    return status;
}

/* In one set or in the same set twice: the filter is asked first. */
static dv_status find_keys(uint64_t *digest, dv_error *err)
{
    const dvt_path path = dvt_test_path("golden/datadings/tiny.msgpack");
    const char *const paths[] = {path.text, path.text};
    dv_status status = DV_OK;
    for (int32_t n = 1; n <= 2 && status == DV_OK; n++) {
        dv_view *view;
        dv_buffer first = {0};
        int64_t row = -1, missing = -1;
        DVT_TRY(dv_open_many(&view, paths, n, NULL, err));
        status = dv_datadings_find(view, dv_text_of("no such key"), &missing, err);
        if (status == DV_NOT_FOUND)
            status = dv_datadings_key(view, 0, &first, err);
        if (status == DV_OK)
            status =
                dv_datadings_find(view, (dv_text){first.data, (int64_t)first.nbytes}, &row, err);
        *digest = dv_digest_8(&row, sizeof row, *digest + (uint64_t)missing);
        dv_buffer_release(&first);
        dv_view_release(&view);
    }
    return status;
}

static dv_status feed(uint64_t *digest, dv_error *err)
{
    static const int32_t x[] = {0, 0, 0, 0}; /* enough for rows that are kept side by side */
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    const dv_feed_batch *batch;
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    dv_view *view;
    dv_feed *made;
    order.shuffle = DV_SHUFFLE_UNIFORM;
    features.columns = x;
    features.columns_count = 4;
    const dv_feed_matrix matrix = {&features, DV_KIND_R4, NULL};
    options.matrices = &matrix;
    options.matrices_count = 1;
    options.order = &order;
    options.batch_rows = LARGE_ROWS / 200;
    DVT_TRY(dv_open(&view, large.text, NULL, err));
    dv_status status = DV_OK;
    for (options.prefetch = 0; options.prefetch < 4 && status == DV_OK; options.prefetch += 3) {
        options.ids = options.prefetch > 0; /* rows are gathered, not copied from their places */
        status = dv_feed_open(&made, view, &options, err);
        for (int i = 0; i < 5 && status == DV_OK; i++) {
            status = dv_feed_next(made, &batch, err);
            if (status == DV_OK)
                *digest = dv_digest_8(batch->matrices[0].items,
                                      (size_t)batch->rows * sizeof(float[4]), *digest);
        }
        dv_feed_close(&made);
    }
    dv_view_release(&view);
    return status;
}

static dv_status save(uint64_t *digest, dv_error *err)
{
    dv_view *view;
    const dvt_path path = dvt_path_in(&folder, "saved.idv");
    DVT_TRY(dv_open(&view, idv.text, NULL, err));
    const dv_status status = dv_save(view, path.text, NULL, err);
    dv_view_release(&view);
    return status == DV_OK ? digest_file(digest, path.text, NULL, NULL, 1, err) : status;
}

/* More files than descriptors are kept of, by a relative path. */
static dv_status open_many(uint64_t *digest, dv_error *err)
{
    dv_view *view[FILES] = {NULL};
    struct rlimit before, few;
    char *const home = getcwd(NULL, 0);
    cr_assert(home && chdir(folder.text) == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = (struct rlimit){FILES, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    dv_status status = DV_OK;
    for (int i = 0; i < FILES * 3 / 4 && status == DV_OK; i++)
        status = dv_open(&view[i], "words.idv", NULL, err);
    if (status == DV_OK)
        status = digest_view(digest, view[0], 1, err);
    for (int i = 0; i < FILES; i++)
        dv_view_release(&view[i]);
    cr_assert(setrlimit(RLIMIT_NOFILE, &before) == 0 && chdir(home) == 0);
    free(home);
    return status;
}

typedef dv_status story(uint64_t *digest, dv_error *err);
static story *const stories[] = {
    read_text,  read_packed_text, read_idv,      read_source, read_source_on_disk,
    read_cache, read_memory,      read_shuffled, read_twice,  learn,
    make_csr,   use_stats,        find_keys,     feed,        save,
    open_many};
#define STORIES (sizeof stories / sizeof *stories)

/* --- Files ------------------------------------------------------------------------------------ */

static void make_text(const dvt_path *path, int rows)
{
    dvt_lines lines = {0}, packed = {0};
    char line[200];
    dvt_lines_add(&lines, "x,word,words\n", 13);
    for (int i = 0; i < rows; i++) {
        int n = snprintf(line, sizeof line, "%d.5,w%d,", i * 7 % 1001, i % 211);
        for (int k = i < 100 ? 12 : i % 4; k >= 0; k--)
            n += snprintf(line + n, sizeof line - (size_t)n, "t%d ", (i * (k + 1)) % 97);
        line[n - 1] = '\n';
        dvt_lines_add(&lines, line, (size_t)n);
    }
    dvt_file_write(path, lines.data, lines.nbytes);
    dvt_pack(&packed, DVT_GZIP, lines.data, lines.nbytes);
    dvt_file_write(&gz, packed.data, packed.nbytes);
    dvt_lines_free(&packed);
    dvt_lines_free(&lines);
}

static void save_raw(dv_view *view, const dvt_path *path, int64_t rows_per_block)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.rows_per_block = rows_per_block;
    options.compression = DV_COMPRESSION_NONE;
    cr_assert_eq(dv_save(view, path->text, &options, &err), DV_OK, "%s", err.message);
}

static void make_large(void)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    float *values = malloc(LARGE_ROWS * sizeof *values);
    cr_assert_not_null(values);
    for (int i = 0; i < LARGE_ROWS; i++)
        values[i] = (float)(i % 1009);
    const dv_table_column column = {"x", dv_type_of(DV_KIND_R4), values, NULL};
    cr_assert_eq(dv_table_create(&view, &column, 1, LARGE_ROWS, NULL, &err), DV_OK, "%s",
                 err.message);
    save_raw(view, &large, LARGE_ROWS);
    dv_view_release(&view);
    free(values);
}

static void set_up(void)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *text, *bag;
    folder = dvt_folder_create();
    csv = dvt_path_in(&folder, "words.csv");
    gz = dvt_path_in(&folder, "words.csv.gz");
    idv = dvt_path_in(&folder, "words.idv");
    longer = dvt_path_in(&folder, "longer.csv");
    large = dvt_path_in(&folder, "large.idv");
    bags = dvt_path_in(&folder, "bags.btable");
    make_text(&longer, LONGER_ROWS);
    make_text(&csv, ROWS);
    make_large();
    cr_assert_eq(dv_open(&text, csv.text, NULL, &err), DV_OK, "%s", err.message);
    save_raw(text, &idv, 1000);
    dv_view_release(&text);
    cr_assert_eq(dv_open(&text, longer.text, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(pipe_with(&bag, text, "wordbag B:words; select B", &err), DV_OK, "%s",
                 err.message);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allow_loss = DV_LOSS_NAMES | DV_LOSS_TYPES;
    cr_assert_eq(dv_save(bag, bags.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&bag);
    dv_view_release(&text);
}

static void tear_down(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(attempts, .init = set_up, .fini = tear_down, .timeout = 300);

/* --- The property ----------------------------------------------------------------------------- */

/* Run the stories while the attempt fails; how often it was made. */
static int64_t check(const char *place, const uint64_t *wanted)
{
    int64_t made = 0;
    for (size_t i = 0; i < STORIES; i++) {
        dv_error err = DV_ERROR_INIT;
        uint64_t digest = i;
        dvt_faults_start_at(place, 1, DVT_FAULT_FROM, EIO);
        const dv_status status = stories[i](&digest, &err);
        made += dvt_faults_stop();
        cr_expect(status < 0 ? *err.message != 0 : digest == wanted[i], "%s: story %zu: %s", place,
                  i, status < 0 ? "no message" : "another result");
    }
    return made;
}

Test(attempts, decide_nothing)
{
    uint64_t wanted[STORIES];
    for (size_t i = 0; i < STORIES; i++) {
        dv_error err = DV_ERROR_INIT;
        wanted[i] = i;
        cr_assert_eq(stories[i](&wanted[i], &err), DV_OK, "story %zu: %s", i, err.message);
    }
    size_t nbytes;
    const dvt_path path = dvt_test_path("../" PAGE);
    char *page = (char *)dvt_file_read(path.text, &nbytes);
    char *at = strstr(page, BEGIN), *end = at ? strstr(at, END) : NULL;
    cr_assert(at && end, "%s: the table of attempts is missing", PAGE);
    int found = 0;
    for (*end = 0; (at = strstr(at, "\n| `")) != NULL; found++) {
        at += strlen("\n| `");
        char place[100] = "";
        sscanf(at, "%99[^`]", place);
        cr_expect_gt(check(place, wanted), 0, "%s: no story makes the attempt", place);
    }
    cr_expect_geq(found, ATTEMPTS_LEAST);
    free(page);
}
