/* SPDX-License-Identifier: MIT */
/* test_datadings_cursor.c: cursors: values in place, batches of small samples, row ranges,
 * skipping, threads, memory, recognition of files, option strict and verification. */
#include "support/allocator.h"
#include "support/messages.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 20000 /* bytes of a sample that is a batch of its own */

static dv_open_options options_of(const char *text, dv_io io)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.datadings = text;
    options.io = io;
    return options;
}

/* {key, data: LARGE bytes, text: LARGE bytes, x: three f4 of numpy, n: number} */
static void add_large(dvt_lines *bytes, int number)
{
    static const char head[] = "\x85\xA3key\xA1k\xA4"
                               "data\xC5\x4E\x20";
    char *zeros = calloc(1, LARGE);
    dvt_lines_add(bytes, head, sizeof head - 1);
    zeros[0] = (char)number;
    dvt_lines_add(bytes, zeros, LARGE);
    memset(zeros, 'x', LARGE);
    dvt_lines_add(bytes, "\xA4text\xDA\x4E\x20", 8);
    dvt_lines_add(bytes, zeros, LARGE);
    dvt_messages_add(bytes, "\"x\" @<f4[3]#0000803F0000004000004040 \"n\" 7");
    free(zeros);
}

typedef struct batches {
    int64_t n, rows, borrowed, in_place;
} batches;

/* Read a view, and count the buffers of columns that are in `file`. */
static batches read_view(dv_view *view, const dv_cursor_options *options, const uint8_t *file,
                         size_t nbytes, dv_status *status_out, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    batches b = {0};
    *status_out = dv_cursor_open(&cursor, view, options, err);
    while (*status_out == DV_OK && (*status_out = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        b.n++;
        b.rows += batch->rows;
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_column_view *c = dv_batch_column(batch, k);
            const dv_column_view *items = c->layout == DV_LAYOUT_VECTOR ? c->as.vector.items : c;
            const dv_buffer *buffer =
                items->layout == DV_LAYOUT_FIXED ? &items->as.fixed.values : &items->as.text.utf8;
            const uint8_t *p = buffer->data;
            b.borrowed += buffer->is_borrowed;
            b.in_place += file && p >= file && p < file + nbytes;
        }
    }
    dv_cursor_close(&cursor);
    return b;
}

static dv_view *open_bytes(const dvt_lines *bytes, const char *text, dv_io io)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = options_of(text, io);
    how.format = "datadings";
    dv_open_memory(&view, bytes->data, bytes->nbytes, NULL, NULL, "messages", &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view;
}

/* --- In place --------------------------------------------------------------------------------- */

Test(datadings_cursor, large_samples_are_in_place)
{
    dvt_lines bytes = {0};
    dv_status status;
    for (int i = 0; i < 5; i++)
        add_large(&bytes, i);
    for (int way = 0; way < 2; way++) {
        dv_view *view = open_bytes(&bytes, NULL, way ? DV_IO_PREAD : DV_IO_MMAP);
        const batches b =
            read_view(view, NULL, (const uint8_t *)bytes.data, bytes.nbytes, &status, NULL);
        cr_expect_eq(status, DV_END);
        cr_expect(b.n == 5 && b.rows == 5);
        cr_expect_eq(b.in_place, way ? 0 : 5 * 4); /* key, data, text, x */
        dv_view_release(&view);
    }
    dvt_lines_free(&bytes);
}

Test(datadings_cursor, small_samples_share_batches)
{
    dvt_lines bytes = {0};
    dv_status status;
    for (int i = 0; i < 5000; i++)
        dvt_messages_add(&bytes, "{key:\"k\",n:1}");
    dv_view *view = open_bytes(&bytes, NULL, DV_IO_MMAP);
    batches b = read_view(view, NULL, NULL, 0, &status, NULL);
    cr_expect(status == DV_END && b.rows == 5000 && b.n == 2);
    add_large(&bytes, 1);
    for (int i = 0; i < 10; i++)
        dvt_messages_add(&bytes, "{key:\"k\",n:1}");
    add_large(&bytes, 1);
    add_large(&bytes, 1);
    dv_view_release(&view);
    view = open_bytes(&bytes, NULL, DV_IO_MMAP);
    b = read_view(view, NULL, NULL, 0, &status, NULL);
    cr_expect(status == DV_END && b.rows == 5013);
    cr_expect_eq(b.n, 2 + 1 + 1 + 2); /* runs, and a batch for each large one */
    dv_view_release(&view);
    dvt_lines_free(&bytes);
}

/* Samples with many columns: batches have fewer rows, so that columns stay small. */
Test(datadings_cursor, many_columns_make_short_runs)
{
    dvt_lines bytes = {0};
    char text[40];
    dv_status status;
    dvt_lines_add(&bytes, "\xDE\x0B\xB8", 3); /* 3,000 keys */
    for (int i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "\"c%d\" 1", i);
        dvt_messages_add(&bytes, text);
    }
    for (int i = 0; i < 4096; i++)
        dvt_messages_add(&bytes, "{}");
    dv_view *view = open_bytes(&bytes, NULL, DV_IO_MMAP);
    const batches b = read_view(view, NULL, NULL, 0, &status, NULL);
    cr_expect(status == DV_END && b.rows == 4097);
    cr_expect(b.n >= 4097 / 43 && b.n <= 4097 / 43 + 2, "%lld", (long long)b.n);
    dv_view_release(&view);
    dvt_lines_free(&bytes);
}

Test(datadings_cursor, raw_messages_are_in_place)
{
    dvt_lines bytes = {0};
    dv_status status;
    const int32_t message = 1;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &message;
    options.columns_count = 1;
    for (int i = 0; i < 5000; i++)
        dvt_messages_add(&bytes, "{key:\"k\",n:1}");
    for (int way = 0; way < 3; way++) {
        options.zero_copy_only = way > 0;
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_bytes(&bytes, "raw", way == 2 ? DV_IO_PREAD : DV_IO_MMAP);
        const batches b =
            read_view(view, &options, (const uint8_t *)bytes.data, bytes.nbytes, &status, &err);
        cr_expect_eq(status, way == 2 ? DV_ERR_COPY : DV_END, "%s", err.message);
        if (way < 2)
            cr_expect(b.rows == 5000 && b.n == 2 && b.borrowed == 2 && b.in_place == 2);
        dv_view_release(&view);
    }
    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT; /* all: keys are copied */
    options.zero_copy_only = true;
    dv_view *view = open_bytes(&bytes, "raw", DV_IO_MMAP);
    read_view(view, &options, NULL, 0, &status, NULL);
    cr_expect_eq(status, DV_ERR_COPY);
    dv_view_release(&view);
    dvt_lines_free(&bytes);
}

Test(datadings_cursor, zero_copy_only_borrows_the_file_or_fails)
{
    static const struct {
        const char *column;
        dv_status status;
    } cases[] = {{"data", DV_END}, {"text", DV_END}, {"x", DV_END}, {"n", DV_ERR_COPY}};
    dvt_lines bytes = {0};
    for (int i = 0; i < 3; i++)
        add_large(&bytes, i);
    dvt_messages_add(&bytes, "{data:#0102,text:\"\"} {}");
    for (size_t i = 0; i < 8; i++) {
        int32_t column;
        dv_status status;
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        const bool is_read = i >= 4;
        dv_view *view = open_bytes(&bytes, NULL, is_read ? DV_IO_PREAD : DV_IO_MMAP);
        dv_schema_find(dv_view_schema(view), dv_text_of(cases[i % 4].column), &column);
        options.columns = &column;
        options.columns_count = 1;
        options.zero_copy_only = true;
        const batches b =
            read_view(view, &options, (const uint8_t *)bytes.data, bytes.nbytes, &status, &err);
        cr_expect_eq(status, is_read ? DV_ERR_COPY : cases[i % 4].status, "%s: %s",
                     cases[i % 4].column, err.message);
        if (status == DV_END)
            cr_expect(b.n == 5 && b.in_place >= 3, "%s", cases[i % 4].column);
        dv_view_release(&view);
    }
    dvt_lines_free(&bytes);
}

/* A batch that is held outlives the next batch, the cursor and the view. */
Test(datadings_cursor, batches_may_be_held)
{
    dvt_lines bytes = {0};
    for (int i = 0; i < 3; i++)
        add_large(&bytes, i);
    for (int way = 0; way < 4; way++) {
        dv_cursor *cursor;
        const dv_batch *batch, *held[3];
        dv_view *view =
            open_bytes(&bytes, way < 2 ? NULL : "raw", way % 2 ? DV_IO_PREAD : DV_IO_MMAP);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        for (int i = 0; i < 3; i++) {
            cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
            dv_batch_retain(batch);
            held[i] = batch;
        }
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        for (int i = 0; i < 3; i++) {
            const dv_text_layout *text = &dv_batch_column(held[i], 1)->as.text;
            const uint8_t *p = (const uint8_t *)text->utf8.data + (way < 2 ? 0 : 15);
            cr_expect_eq(*p, i, "%d: %d", way, *p);
            dv_batch_release(&held[i]);
        }
    }
    dvt_lines_free(&bytes);
}

/* --- Ranges and jumps ------------------------------------------------------------------------- */

static dvt_lines numbered(int n)
{
    dvt_lines bytes = {0};
    for (int i = 0; i < n; i++) {
        char text[80];
        if (i % 3)
            snprintf(text, sizeof text, "{key:\"k%d\",n:%d,z:#0000000000000000000000}", i, i);
        else
            snprintf(text, sizeof text, "{n:%d,key:\"k%d\",z:#0000000000000000000000}", i, i);
        dvt_messages_add(&bytes, text);
    }
    return bytes;
}

#define ENDS (sizeof ends / sizeof *ends)

Test(datadings_cursor, ranges_start_and_end_anywhere)
{
    static const int64_t ends[] = {0, 1, 4095, 4096, 4097, 9000};
    dvt_lines bytes = numbered(9000);
    for (size_t way = 0; way < 2; way++) {
        dv_view *view = open_bytes(&bytes, way ? "raw" : NULL, DV_IO_MMAP);
        for (size_t i = 0; i < ENDS; i++)
            for (size_t k = i; k < ENDS; k++) {
                dvt_lines rows = {0};
                dv_error err = DV_ERROR_INIT;
                char first[40];
                dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
                options.first_row = ends[i];
                options.end_row = ends[k];
                cr_assert_eq(dvt_messages_rows(&rows, view, &options, &err), DV_OK, "%s",
                             err.message);
                int64_t n = 0;
                for (size_t at = 0; at < rows.nbytes; at++)
                    n += rows.data[at] == '\n';
                cr_expect_eq(n, ends[k] - ends[i]);
                snprintf(first, sizeof first, "[\"k%lld\",", (long long)ends[i]);
                cr_expect(n == 0 || strstr(rows.data, first) == rows.data, "%s", first);
                dvt_lines_free(&rows);
            }
        dv_view_release(&view);
    }
    dvt_lines_free(&bytes);
}

/* A cursor skips rows that are not picked. */
Test(datadings_cursor, rows_are_picked)
{
    static const int64_t rows[] = {8999, 0, 5000, 5000, 4096, 1};
    dvt_lines bytes = numbered(9000);
    for (size_t way = 0; way < 2; way++) {
        dvt_lines found = {0};
        dv_view *picked;
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_bytes(&bytes, way ? "raw" : NULL, DV_IO_MMAP);
        cr_assert_eq(dv_view_take(&picked, view, rows, 6, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dvt_messages_rows(&found, picked, NULL, &err), DV_OK, "%s", err.message);
        const char *at = found.data;
        for (size_t i = 0; i < 6; i++) {
            char first[40];
            snprintf(first, sizeof first, "[\"k%lld\",", (long long)rows[i]);
            cr_expect(strncmp(at, first, strlen(first)) == 0, "%s", at);
            at = strchr(at, '\n') + 1;
        }
        dv_view_release(&picked);
        dv_view_release(&view);
        dvt_lines_free(&found);
    }
    dvt_lines_free(&bytes);
}

/* --- Recognition ------------------------------------------------------------------------------ */

/* Open a file without extension, with or without a side file. */
static void expect_format(const char *hex, const char *side, bool is_ours)
{
    dvt_lines bytes = {0};
    dvt_path folder = dvt_folder_create();
    const char *format;
    dvt_messages_add(&bytes, hex);
    const dvt_path file = dvt_path_in(&folder, "samples");
    dvt_file_write(&file, bytes.data ? bytes.data : "", bytes.nbytes);
    if (side) {
        const dvt_path beside = dvt_path_in(&folder, side);
        dvt_file_write(&beside, "", 0);
    }
    const dv_status status = dv_open_format(&format, file.text, NULL, NULL);
    cr_expect_eq(status == DV_OK && strcmp(format, "datadings") == 0, is_ours, "%s", hex);
    dvt_folder_remove(&folder);
    dvt_lines_free(&bytes);
}

Test(datadings_cursor, files_are_known_by_their_looks)
{
    expect_format("{key:1}", NULL, true);
    expect_format("!DE0001D903616263C0", NULL, true);
    expect_format("{}", NULL, false);
    expect_format("[1]", NULL, false);
    expect_format("{1:2}", NULL, false);
    expect_format("!81A1FF00", NULL, false);
    expect_format("!81A561", NULL, false);
    expect_format("!81", NULL, false);
    expect_format("", NULL, false);
    expect_format("[1]", "samples.offsets", true);
    expect_format("[1]", "samples.index", true);
    expect_format("[1]", "samples.keys", false);
    expect_format("[1]", "others.offsets", false);
}

/* Options for the format imply it. */
Test(datadings_cursor, options_imply_the_format)
{
    dvt_path folder = dvt_folder_create();
    dv_view *view;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dvt_path file = dvt_path_in(&folder, "samples");
    dvt_file_write(&file, "\x91\x01\x05", 3);
    cr_expect_eq(dv_open(&view, file.text, &how, NULL), DV_ERR_UNSUPPORTED);
    how.datadings = "raw scan";
    cr_expect_eq(dv_open(&view, file.text, &how, NULL), DV_OK);
    cr_expect_eq(dv_view_rows(view), 2);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

typedef struct job {
    dv_view *view;
    uint64_t hash;
} job;

static void *read_all(void *ctx)
{
    job *j = ctx;
    dvt_lines rows = {0};
    dvt_messages_rows(&rows, j->view, NULL, NULL);
    j->hash = dvt_lines_hash(&rows);
    dvt_lines_free(&rows);
    return NULL;
}

Test(datadings_cursor, threads_read_the_same)
{
    dvt_lines bytes = numbered(3000);
    dv_view *view = open_bytes(&bytes, NULL, DV_IO_MMAP);
    pthread_t thread[4];
    job jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (job){view, 0};
        cr_assert_eq(pthread_create(&thread[i], NULL, read_all, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i < 4; i++)
        cr_expect_eq(jobs[i].hash, jobs[0].hash);
    dv_view_release(&view);
    dvt_lines_free(&bytes);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* After two batches no memory is allocated. */
Test(datadings_cursor, none_in_steady_state)
{
    dvt_lines small = numbered(20000), large = {0};
    for (int i = 0; i < 250; i++)
        add_large(&large, i);
    for (int way = 0; way < 8; way++) {
        dvt_allocator counted;
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        dvt_lines *bytes = way < 4 ? &small : &large;
        dv_open_options how =
            options_of(way % 2 ? "raw" : NULL, way / 2 % 2 ? DV_IO_PREAD : DV_IO_MMAP);
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        how.format = "datadings";
        dv_open_memory(&view, bytes->data, bytes->nbytes, NULL, NULL, "m", &how, NULL);
        static const int32_t message = 1; /* keys of a scan cost memory */
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = 1; /* other threads would decode ahead into new memory */
        if (way % 2) {
            options.columns = &message;
            options.columns_count = 1;
        }
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        int64_t asked = 0, n = 0;
        for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; n++)
            if (n == 2)
                asked = counted.asked;
        cr_expect_geq(n, 4);
        cr_expect_eq(counted.asked, asked, "%d: %lld", way, (long long)(counted.asked - asked));
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
    dvt_lines_free(&small);
    dvt_lines_free(&large);
}

/* --- Strict ----------------------------------------------------------------------------------- */

/* Keys are compared even if no column is requested. */
Test(datadings_cursor, strict_keys_of_all_rows)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{key:\"k0\",n:1};{n:2,key:\"k1\"};{key:\"k2\"}");
    static const int32_t none = 0;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_open_options how = options_of("strict col=n:I8", DV_IO_MMAP);
    dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
    dv_status status;
    options.columns = &none;
    options.columns_count = 1;
    cr_expect_eq(read_view(view, &options, NULL, 0, &status, &err).rows, 3, "%s", err.message);
    cr_expect_eq(status, DV_END);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- verify ----------------------------------------------------------------------------------- */

typedef struct findings {
    int defects, warnings, stop_at;
    dv_error last;
} findings;

static bool count_defect(void *ctx, const dv_error *what)
{
    findings *t = ctx;
    t->last = *what;
    t->defects += what->status != DV_OK;
    t->warnings += what->status == DV_OK;
    return t->defects + t->warnings != t->stop_at;
}

static findings verify(const dvt_path *folder, const char *text, int stop_at, dv_status want)
{
    findings t = {.stop_at = stop_at, .last = DV_ERROR_INIT};
    dv_error err = DV_ERROR_INIT;
    const dv_open_options how = options_of(text, DV_IO_MMAP);
    dv_view *view = dvt_messages_open_saved(folder, &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &t;
    cr_expect_eq(dv_verify(view, &options, &err), want, "%s", err.message);
    dv_view_release(&view);
    return t;
}

Test(datadings_cursor, verify_reports_values_that_do_not_fit)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{key:\"k0\",a:1};{key:\"k1\",a:\"x\"};{key:\"k2\",a:#00};"
                               "{key:\"k3\",a:2}");
    findings t = verify(&folder, "infer=1", 0, DV_OK);
    cr_expect(t.defects == 2, "%d", t.defects);
    cr_expect(strstr(t.last.message, "sample 2: a: expected I8") != NULL, "%s", t.last.message);
    const int others = t.warnings;
    t = verify(&folder, "infer=1 mismatch=na", 0, DV_OK);
    cr_expect(t.defects == 0 && t.warnings == others + 2);
    t = verify(&folder, "infer=1", 1 + others, DV_END);
    t = verify(&folder, NULL, 0, DV_OK); /* inferred from all samples: opaque */
    cr_expect_eq(t.defects, 0);
    t = verify(&folder, "raw", 0, DV_OK);
    cr_expect_eq(t.defects, 0);
    dvt_folder_remove(&folder);
}

/* A defect of a message is reported once, with or without a column. */
Test(datadings_cursor, verify_reports_broken_messages_once)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{key:\"k0\",a:\"x\"};{key:\"k1\",a:!A1FF};{key:\"k2\",b:@<x4#00}");
    findings t = verify(&folder, "col=key:TX col=a:TX col=b:I8", 0, DV_OK);
    cr_expect_eq(t.defects, 2, "%d: %s", t.defects, t.last.message);
    t = verify(&folder, "col=key:TX", 0, DV_OK);
    cr_expect_eq(t.defects, 2);
    dvt_folder_remove(&folder);
}
