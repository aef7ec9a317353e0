/* SPDX-License-Identifier: MIT */
/* test_table_writer.c: rows that are appended make the file that dv_save makes of them, or none
 * (writer.h). */
#include "support/allocator.h"
#include "support/faults.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/saves.h"
#include "support/test.h"
#include "support/written.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/writer.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A file whose rows are appended in batches of so many rows. */
typedef struct job {
    const char *format, *source;
    dv_compression compression;
    int32_t threads;
    int64_t batch_rows, rows_per_block;
    const char *datadings;
    bool announced;
    dvt_allocator *counted; /* NULL: malloc */
} job;

static dv_save_options options_of(const job *j)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = j->format;
    options.compression = j->compression;
    options.threads = j->threads;
    options.rows_per_block = j->rows_per_block;
    options.datadings = j->datadings;
    options.allocator = j->counted ? &j->counted->allocator : NULL;
    options.allow_loss = DV_LOSS_METADATA | DV_LOSS_COLUMNS | DV_LOSS_NAMES | DV_LOSS_TYPES;
    return options;
}

static dv_view *source_of(const job *j, dv_error *err)
{
    dv_view *view;
    return dv_open(&view, dvt_test_path(j->source).text, NULL, err) == DV_OK ? view : NULL;
}

static dv_status append_all(dv_writer *writer, dv_view *view, int64_t batch_rows, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    dv_cursor *cursor;
    int32_t columns[64];
    options.batch_rows = batch_rows;
    options.columns = columns;
    options.columns_count = dv_schema_columns(dv_view_schema(view));
    for (int32_t k = 0; k < options.columns_count; k++)
        columns[k] = k;
    dv_status status = dv_cursor_open(&cursor, view, &options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        status = dv_writer_append(writer, batch, err);
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}

static dv_status write_file(void *ctx, const char *path, dv_error *err)
{
    const job *j = ctx;
    const dv_save_options options = options_of(j);
    dv_view *view = source_of(j, err);
    dv_writer *writer;
    if (!view)
        return err->status;
    dv_status status =
        dv_writer_open(&writer, path, dv_view_schema(view),
                       j->announced ? dv_view_rows(view) : DV_ROWS_UNKNOWN, &options, err);
    if (status == DV_OK)
        status = append_all(writer, view, j->batch_rows, err);
    if (status == DV_OK)
        status = dv_writer_close(&writer, err);
    dv_writer_abandon(&writer);
    dv_view_release(&view);
    return status;
}

static dv_buffer saved(const job *j)
{
    const dv_save_options options = options_of(j);
    dv_buffer buffer;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = source_of(j, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(dv_save_memory(view, &buffer, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    return buffer;
}

#define PEOPLE "golden/idv/people.idv"

/* name, format, source, compression, rows of a block, option datadings */
#define JOB_LIST(X)                                                                                \
    X(idv, "idv", PEOPLE, DV_COMPRESSION_NONE, 100, NULL)                                          \
    X(idv_first_block, "idv", PEOPLE, DV_COMPRESSION_NONE, 0, NULL)                                \
    X(idv_deflate, "idv", PEOPLE, DV_COMPRESSION_DEFLATE, 7, NULL)                                 \
    X(text, "text", PEOPLE, DV_COMPRESSION_NONE, 0, NULL)                                          \
    X(btable, "btable", "golden/btable/random-00.btable", DV_COMPRESSION_NONE, 0, NULL)            \
    X(datadings, "datadings", PEOPLE, DV_COMPRESSION_NONE, 0, "key=rownumber")

static void expect_same(job j)
{
    static const int64_t batches[] = {0, 1, 3, 8, 100, 1000};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    dv_buffer expected = saved(&j);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        for (j.threads = 1; j.threads <= 4; j.threads += 3) {
            dv_error err = DV_ERROR_INIT;
            j.batch_rows = batches[i];
            cr_expect_eq(write_file(&j, path.text, &err), DV_OK, "%s", err.message);
            cr_expect(dvt_file_holds(&path, expected.data, expected.nbytes), "%s in %d", j.format,
                      (int)batches[i]);
        }
    dv_buffer_release(&expected);
    dvt_folder_remove(&folder);
}

#define SAME_TEST(name, format, source, compression, rows, datadings)                              \
    Test(table_writer, name##_is_what_dv_save_writes)                                              \
    {                                                                                              \
        expect_same((job){format, source, compression, 1, 0, rows, datadings, true, NULL});        \
    }
JOB_LIST(SAME_TEST)

/* --- What fails ------------------------------------------------------------------------------- */

/* A process that is killed tells a sanitizer nothing; what is left of a call that failed does. */
#ifdef DVT_SANITIZED
#define CHECKS_KILLS false
#else
#define CHECKS_KILLS true
#endif

#define FAULT_TEST(name, format, source, compression, rows, datadings)                             \
    DVT_TEST_WITHOUT_THREADS(table_writer, name##_while_calls_fail)                                \
    {                                                                                              \
        job j = {format, source, compression, 1, 8, rows, datadings, true, NULL};                  \
        dv_buffer buffer = saved(&j);                                                              \
        const dvt_saves saves = {write_file, &j, buffer.data, buffer.nbytes};                      \
        if (strcmp(format, "datadings") != 0) { /* whose six files have a test of their own */     \
            const char *wrong = dvt_saves_check_faults(&saves, DVT_FAULT_ERROR, ENOSPC, NULL);     \
            cr_expect_null(wrong, "%s", wrong);                                                    \
            wrong = CHECKS_KILLS ? dvt_saves_check_kills(&saves, NULL) : NULL;                     \
            cr_expect_null(wrong, "%s", wrong);                                                    \
        }                                                                                          \
        dv_buffer_release(&buffer);                                                                \
    }
JOB_LIST(FAULT_TEST)

#define MEMORY_TEST(name, format, source, compression, rows, datadings)                            \
    DVT_TEST_WITHOUT_THREADS(table_writer, name##_each_allocation_may_fail)                        \
    {                                                                                              \
        dvt_path folder = dvt_folder_create();                                                     \
        const dvt_path path = dvt_path_in(&folder, "out.bin");                                     \
        dv_status status = DV_ERR_MEMORY;                                                          \
        for (int64_t at = 1; status != DV_OK; at += DVT_FAIL_STEP) {                               \
            dvt_allocator counted;                                                                 \
            dv_error err = DV_ERROR_INIT;                                                          \
            job j = {format, source, compression, 1, 8, rows, datadings, true, &counted};          \
            dvt_allocator_init(&counted, at);                                                      \
            status = write_file(&j, path.text, &err);                                              \
            cr_assert(status == DV_OK || status == DV_ERR_MEMORY, "%s", err.message);              \
            cr_assert_eq(counted.live, 0);                                                         \
            cr_assert(dvt_folder_entries(&folder) == 0 || status == DV_OK);                        \
        }                                                                                          \
        dvt_folder_remove(&folder);                                                                \
    }
JOB_LIST(MEMORY_TEST)

/* --- The contract ----------------------------------------------------------------------------- */

static dv_schema *two_columns(void)
{
    dv_schema *schema;
    const dv_type number = dv_type_of(DV_KIND_R4), text = dv_type_of(DV_KIND_TX);
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("Height"), &number, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("Name"), &text, NULL, NULL), DV_OK);
    return schema;
}

static const float heights[] = {1.75F, 2, 1.62F};
static const char *const names[] = {"Ann", "Bo", NULL};

/* Rows one by one are the rows of a table. */
Test(table_writer, rows_of_arrays)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.idv");
    dv_schema *schema = two_columns();
    dv_writer *writer;
    dv_view *view;
    dv_buffer buffer;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    const dv_table_column all[] = {{"Height", dv_type_of(DV_KIND_R4), heights, NULL},
                                   {"Name", dv_type_of(DV_KIND_TX), names, NULL}};
    cr_assert_eq(dv_writer_open(&writer, path.text, schema, 3, NULL, &err), DV_OK, "%s",
                 err.message);
    for (int i = 0; i < 3; i++) {
        const dv_table_column one[] = {{"Height", dv_type_of(DV_KIND_R4), heights + i, NULL},
                                       {"Name", dv_type_of(DV_KIND_TX), names + i, NULL}};
        cr_expect_eq(dv_writer_append_columns(writer, one, 2, 1, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_writer_append_columns(writer, one, 2, 0, &err), DV_OK, "%s", err.message);
    }
    cr_expect_neq(access(path.text, F_OK), 0);
    cr_expect_eq(dv_writer_close(&writer, &err), DV_OK, "%s", err.message);
    cr_expect_null(writer);
    cr_assert_eq(dv_table_create(&view, all, 2, 3, NULL, &err), DV_OK);
    cr_assert_eq(dv_save_memory(view, &buffer, &options, &err), DV_OK);
    cr_expect(dvt_file_holds(&path, buffer.data, buffer.nbytes));
    dv_buffer_release(&buffer);
    dv_view_release(&view);
    dv_schema_free(&schema);
    dvt_folder_remove(&folder);
}

/* Each refusal stays: the file is not written whatever follows. */
static void expect_refused(const dv_table_column *columns, int32_t n, int64_t rows,
                           const char *message)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.idv");
    const dv_table_column good[] = {{"Height", dv_type_of(DV_KIND_R4), heights, NULL},
                                    {"Name", dv_type_of(DV_KIND_TX), names, NULL}};
    dv_schema *schema = two_columns();
    dv_writer *writer;
    dv_error err = DV_ERROR_INIT, again = DV_ERROR_INIT, last = DV_ERROR_INIT;
    dvt_file_write(&path, "old", 3);
    cr_assert_eq(dv_writer_open(&writer, path.text, schema, 3, NULL, &err), DV_OK);
    const dv_status status =
        columns ? dv_writer_append_columns(writer, columns, n, rows, &err) : DV_ERR_ARGUMENT;
    cr_expect_eq(status, DV_ERR_ARGUMENT);
    if (columns) {
        cr_expect(strstr(err.message, message), "%s", err.message);
        cr_expect_eq(dv_writer_append_columns(writer, good, 2, 3, &again), DV_ERR_ARGUMENT);
        cr_expect_str_eq(again.message, err.message);
    }
    cr_expect_eq(dv_writer_close(&writer, &last), DV_ERR_ARGUMENT);
    cr_expect(strstr(last.message, message), "%s", last.message);
    cr_expect(dvt_file_holds(&path, "old", 3));
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dv_schema_free(&schema);
    dvt_folder_remove(&folder);
}

Test(table_writer, each_wrong_call_is_final)
{
    const dv_table_column height = {"Height", dv_type_of(DV_KIND_R4), heights, NULL};
    const dv_table_column name = {"Name", dv_type_of(DV_KIND_TX), names, NULL};
    const dv_table_column other = {"Name", dv_type_of(DV_KIND_R4), heights, NULL};
    expect_refused((const dv_table_column[]){height}, 1, 1, "1 columns: the schema has 2");
    expect_refused((const dv_table_column[]){name, height}, 2, 1,
                   "column 0: the schema calls it \"Height\"");
    expect_refused((const dv_table_column[]){height, other}, 2, 1,
                   "column \"Name\": the batch has another type");
    expect_refused(NULL, 0, 0, "0 rows of the 3 announced");
    static const float four[4];
    static const char *const more[4];
    expect_refused((const dv_table_column[]){{"Height", dv_type_of(DV_KIND_R4), four, NULL},
                                             {"Name", dv_type_of(DV_KIND_TX), more, NULL}},
                   2, 4, "more rows than the 3 announced");
}

Test(table_writer, options_that_it_refuses)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.idv"), odd = dvt_path_in(&folder, "out.odd");
    dv_schema *schema = two_columns();
    dv_writer *writer;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    cr_expect_eq(dv_writer_open(&writer, odd.text, schema, -1, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_null(writer);
    cr_expect_eq(dv_writer_open(&writer, path.text, schema, -2, NULL, &err), DV_ERR_ARGUMENT);
    options.take = 1;
    cr_expect_eq(dv_writer_open(&writer, path.text, schema, -1, &options, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "a writer chooses no rows"), "%s", err.message);
    options.take = -1;
    options.format = "btable";
    cr_expect_eq(dv_writer_open(&writer, path.text, schema, -1, &options, &err), DV_ERR_LOSS);
    cr_expect_null(writer);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    cr_expect_eq(dv_writer_close(&writer, &err), DV_OK);
    dv_schema_free(&schema);
    dvt_folder_remove(&folder);
}

Test(table_writer, abandoned)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.idv");
    const job j = {.source = PEOPLE};
    dv_writer *writer;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = source_of(&j, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(dv_writer_open(&writer, path.text, dv_view_schema(view), -1, NULL, &err), DV_OK);
    cr_expect_eq(append_all(writer, view, 0, &err), DV_OK);
    dv_writer_abandon(&writer);
    cr_expect_null(writer);
    dv_writer_abandon(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* A million rows need no more memory than a few thousand. */
static int64_t highest_of(int64_t times)
{
    enum { ROWS = 1000 };
    static float numbers[ROWS];
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.txt");
    dv_schema *schema;
    dvt_allocator counted;
    dv_writer *writer;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    const dv_type type = dv_type_of(DV_KIND_R4);
    const dv_table_column column = {"A", type, numbers, NULL};
    dvt_allocator_init(&counted, 0);
    options.allocator = &counted.allocator;
    options.sync = false;
    options.threads = 1; /* the highest number is then the same in each run */
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("A"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_writer_open(&writer, path.text, schema, -1, &options, &err), DV_OK);
    for (int64_t i = 0; i < times; i++)
        cr_assert_eq(dv_writer_append_columns(writer, &column, 1, ROWS, &err), DV_OK);
    cr_expect_eq(dv_writer_close(&writer, &err), DV_OK);
    dv_schema_free(&schema);
    dvt_folder_remove(&folder);
    return counted.highest;
}

Test(table_writer, memory_does_not_grow)
{
    cr_expect_eq(highest_of(300), highest_of(30));
}
