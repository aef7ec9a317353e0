/* SPDX-License-Identifier: MIT */
/* test_idv_save_file.c: does the file have the regions of the specification, and blocks of the
 * requested size? (idv:2, idv:3, idv:7) */
#include "base/load.h"
#include "support/columns.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/own_table.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void free_hex(const dv_buffer *bytes)
{
    free((char *)(uintptr_t)bytes->data - 1);
}

/* --- The whole file of idv:9.4 ---------------------------------------------------------------- */

#define V6 "0600010001000100 "
#define ZEROS_204                                                                                  \
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"     \
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"     \
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"     \
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"     \
    "00000000000000000000000000000000000000000000000000000000 "
#define X_0 "0000803F00000040 "
#define X_1 "00004040 "
#define S_0 "02000000 01000000 02000000 03 61C3A9 "
#define S_1 "01000000 01000000 01 62 "
#define NORMALIZED "01 0C 49734E6F726D616C697A6564 07 426F6F6C65616E 00 00 "
#define TAIL "00425644004C4D43"

/* As in the specification, without padding. */
#define PAGE                                                                                       \
    "434D4C0044564200 " V6 V6                                                                      \
    "8801000000000000 C201000000000000 0300000000000000 02000000 " ZEROS_204 X_0 S_0 X_1 S_1       \
    "0001000000000000 08000000 08000000 1801000000000000 04000000 04000000 "                       \
    "0801000000000000 10000000 10000000 1C01000000000000 0A000000 0A000000 "                       \
    "01 " NORMALIZED "6601000000000000 01 "                                                        \
    "01 78 06 53696E676C65 00 00 02 2601000000000000 6701000000000000 "                            \
    "01 73 08 546578745370616E 00 00 02 4601000000000000 0000000000000000 " TAIL

/* As we write it: ends, values and the Boolean at multiples of 8. */
#define OURS                                                                                       \
    "434D4C0044564200 " V6 V6                                                                      \
    "9201000000000000 CC01000000000000 0300000000000000 02000000 " ZEROS_204 X_0 "00000000 " S_0   \
    "00000000 " X_1 S_1 "0001000000000000 08000000 08000000 2001000000000000 04000000 04000000 "   \
    "0C01000000000000 10000000 10000000 2401000000000000 0A000000 0A000000 "                       \
    "0000 01 " NORMALIZED "7001000000000000 01 "                                                   \
    "01 78 06 53696E676C65 00 00 02 2E01000000000000 7101000000000000 "                            \
    "01 73 08 546578745370616E 00 00 02 4E01000000000000 0000000000000000 " TAIL

Test(idv_save_file, the_worked_example_byte_by_byte)
{
    const dv_buffer page = dvt_column_bytes(PAGE), ours = dvt_column_bytes(OURS);
    cr_assert_eq(page.nbytes, 458);
    dv_view *view = dvt_open_saved(&page);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.rows_per_block = 2;
    options.align = 8;
    dv_buffer file = dvt_save_idv(view, &options);
    cr_assert_eq(file.nbytes, ours.nbytes);
    for (size_t i = 0; i < ours.nbytes; i++)
        cr_assert_eq(((const uint8_t *)file.data)[i], ((const uint8_t *)ours.data)[i], "byte %zu",
                     i);
    dv_buffer_release(&file);
    dv_view_release(&view);
    free_hex(&page);
    free_hex(&ours);
}

/* --- Rows per block --- */

/* The header and tables of the file. */
typedef struct shape {
    int64_t rows, rows_per_block, blocks;
} shape;

static shape shape_of(dv_view *source, const dv_save_options *options)
{
    dv_facts *facts;
    dv_buffer file = dvt_save_idv(source, options);
    dv_view *view = dvt_open_saved(&file);
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    const shape s = {facts->rows, facts->rows_per_block, facts->blocks_per_column};
    dv_facts_free(&facts);
    dv_view_release(&view);
    dv_buffer_release(&file);
    return s;
}

static void expect_shape(dvt_made_table *table, const dv_save_options *options, shape want)
{
    static const int64_t batches[] = {1000, 100000};
    for (size_t i = 0; i < 2 * COUNT(batches); i++) {
        table->block_rows = batches[i / 2];
        table->rows_unknown = i % 2 == 1;
        dv_view *view = dvt_made_table_open(table, NULL);
        const shape got = shape_of(view, options);
        cr_expect(got.rows == want.rows && got.rows_per_block == want.rows_per_block &&
                      got.blocks == want.blocks,
                  "%d rows in %d blocks of %d, not in %d of %d", (int)got.rows, (int)got.blocks,
                  (int)got.rows_per_block, (int)want.blocks, (int)want.rows_per_block);
        dv_view_release(&view);
    }
}

#define ROWS_MAX 20000
static float floats[ROWS_MAX];
static int8_t booleans[ROWS_MAX];
static int32_t ends[ROWS_MAX], dense[ROWS_MAX];
static char text[10 * ROWS_MAX];

/* Floats and Booleans; optionally texts of 10 bytes and vectors of 2 floats. */
static dvt_made_table made_table(int64_t rows, int32_t columns)
{
    static dv_column_view items;
    dvt_made_table table = {.rows = rows, .columns = columns, .bad_row = -1};
    for (int32_t i = 0; i < ROWS_MAX; i++) {
        ends[i] = 10 * (i + 1);
        dense[i] = -1;
        floats[i] = (float)i;
    }
    memset(text, 'x', sizeof text);
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), floats, rows);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_BL), booleans, rows);
    table.column[2] = dvt_made_text(DV_KIND_TX, text, ends, rows);
    items = dvt_made_fixed(dv_type_of(DV_KIND_R4), floats, ROWS_MAX);
    dv_column_view *vectors = &table.column[3];
    *vectors = (dv_column_view){
        .type = dv_type_vector(items.type, 2), .layout = DV_LAYOUT_VECTOR, .rows = rows};
    vectors->as.vector.length = 2;
    vectors->as.vector.counts = (dv_buffer){dense, sizeof dense, NULL, true, true};
    vectors->as.vector.items = &items;
    return table;
}

Test(idv_save_file, as_many_rows_as_ml_net_takes) /* idv:7.2 */
{
    static const shape all[] = {{0, 1, 0},       {1, 1, 1},        {8191, 8191, 1}, {8192, 8192, 1},
                                {8193, 8192, 2}, {16384, 8192, 2}, {16385, 8192, 3}};
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    for (size_t i = 0; i < COUNT(all); i++) {
        dvt_made_table table = made_table(all[i].rows, 3);
        expect_shape(&table, &options, all[i]);
    }
}

/* Both limits apply; the first block decides, also if it is the only one. */
Test(idv_save_file, by_rows_and_by_bytes)
{
    static const struct {
        int32_t columns;
        int64_t rows, nbytes;
        shape want;
    } all[] = {
        {1, 100, 0, {10000, 100, 100}},
        {1, 100, 399, {10000, 99, 102}},
        {1, 100, 400, {10000, 100, 100}},
        {1, 0, 1, {10000, 1, 10000}},
        {1, INT64_MAX, 0, {10000, 10000, 1}},
        {2, 0, 40 + 2, {10000, 10, 1000}}, /* and bits */
        {2, 0, 64 + 2, {10000, 16, 625}},
        {2, 0, 68 + 2, {10000, 16, 625}},
        {2, 0, 68 + 3, {10000, 17, 589}},
        {3, 0, 9 + 1800 + 13, {10000, 100, 100}}, /* and texts: 4, 1/8, 14 a row */
        {3, 0, 9 + 1800 + 12, {10000, 99, 102}},
        {3, 50, 9 + 1800 + 13, {10000, 50, 200}},
        {3, 5000, 10000000, {10000, 5000, 2}},
        {4, 0, 21 + 3000 + 13, {10000, 100, 100}}, /* and vectors: 12 a row */
        {4, 0, 21 + 3000 + 12, {10000, 99, 102}},
        {4, 0, 5, {10000, 1, 10000}},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        dvt_made_table table = made_table(10000, all[i].columns);
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.rows_per_block = all[i].rows;
        options.block_nbytes = all[i].nbytes;
        expect_shape(&table, &options, all[i].want);
    }
}

/* --- Which columns and rows --- */

Test(idv_save_file, without_columns_rows_are_counted)
{
    dvt_made_table table = made_table(12345, 2);
    table.block_rows = 100;
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.columns_count = 0;
    dv_buffer file = dvt_save_idv(view, &options);
    cr_expect_eq(file.nbytes, 256 + 8);
    dv_view *again = dvt_open_saved(&file);
    cr_expect_eq(dv_view_rows(again), 12345);
    cr_expect_eq(dv_schema_columns(dv_view_schema(again)), 0);
    dv_view_release(&again);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

Test(idv_save_file, columns_in_the_order_asked_for)
{
    static const int32_t columns[] = {2, 0, 2};
    dvt_made_table table = made_table(100, 3);
    table.block_rows = 9;
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = 3;
    options.first_row = 10;
    options.end_row = 60;
    options.skip = 5;
    options.take = 20;
    dv_buffer file = dvt_save_idv(view, &options);
    dv_view *again = dvt_open_saved(&file);
    const dv_schema *schema = dv_view_schema(again);
    cr_expect_eq(dv_view_rows(again), 20);
    cr_assert_eq(dv_schema_columns(schema), 3);
    for (int32_t k = 0; k < 3; k++)
        cr_expect_eq(dv_schema_column(schema, k)->name.data[0], "cac"[k]);
    dv_cursor *cursor;
    const dv_batch *batch;
    const int32_t second = 1;
    dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
    rows.columns = &second;
    rows.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, again, &rows, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(dvi_load_f4(dv_batch_column(batch, 0)->as.fixed.values.data), 15);
    dv_cursor_close(&cursor);
    dv_view_release(&again);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

Test(idv_save_file, hidden_columns_by_option)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view;
    cr_assert_eq(dvt_own_table_open(&view, &table, NULL, NULL), DV_OK);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.idv_bool_2bit = true;
    for (int hidden = 0; hidden < 2; hidden++) {
        options.hidden = hidden == 1;
        dv_buffer file = dvt_save_idv(view, &options);
        dv_view *again = dvt_open_saved(&file);
        cr_expect_eq(dv_schema_columns(dv_view_schema(again)), 5 + hidden);
        cr_expect_eq(dv_schema_column(dv_view_schema(again), 0)->is_hidden, hidden == 1);
        dv_view_release(&again);
        dv_buffer_release(&file);
    }
    dv_view_release(&view);
}

/* --- Many columns --- */

static dv_status open_wide(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)self;
    (void)err;
    int64_t *row = malloc(2 * sizeof *row);
    cr_assert_not_null(row);
    row[0] = request->first_row;
    row[1] = request->columns_count;
    *cursor_out = row;
    return DV_OK;
}

static dv_status next_wide(void *cursor, dv_batch *batch, dv_error *err)
{
    int64_t *row = cursor;
    const dv_column_view view = dvt_made_fixed(dv_type_of(DV_KIND_R4), floats, 3);
    dv_status status = row[0] < 9 ? dv_batch_start(batch, row[0], 3, err) : DV_END;
    for (int32_t k = 0; status == DV_OK && k < row[1]; k++)
        status = dv_batch_fill(batch, k, &view, err);
    row[0] += 3;
    return status;
}

#define WIDE 4096

Test(idv_save_file, thousands_of_columns)
{
    static const dv_view_class wide = {.size = sizeof wide,
                                       .kind = "wide",
                                       .open_cursor = open_wide,
                                       .next = next_wide,
                                       .close_cursor = free};
    const dv_type type = dv_type_of(DV_KIND_R4);
    dv_schema *schema;
    dv_view *view;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    for (int32_t k = 0; k < WIDE; k++)
        cr_assert_eq(dv_schema_add(schema, dv_text_of("same"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_create(&view, &wide, &view, &schema, NULL, NULL), DV_OK);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.hidden = true;
    options.rows_per_block = 2;
    for (int i = 0; i < 2; i++) {
        options.compression = i == 0 ? DV_COMPRESSION_NONE : DV_COMPRESSION_DEFLATE;
        options.threads = 3;
        dv_buffer file = dvt_save_idv(view, &options);
        dvt_lines want = dvt_lines_of(view), got = dvt_lines_of_saved(&file);
        const char *rows = strchr(want.data, '\n'), *again = strchr(got.data, '\n');
        cr_expect_str_eq(rows, again); /* the number of rows is known now */
        dvt_lines_free(&want);
        dvt_lines_free(&got);
        dv_buffer_release(&file);
    }
    dv_view_release(&view);
}

/* --- Versions --- */

Test(idv_save_file, version_and_oldest_reader)
{
    static const struct {
        const char *version;
        uint64_t word;
    } all[] = {{NULL, UINT64_C(0x0001000100010006)},
               {"1.1.1.6", UINT64_C(0x0001000100010006)},
               {"1.1.1.5", UINT64_C(0x0001000100010005)}};
    dvt_made_table table = made_table(10, 3);
    table.block_rows = 9;
    dv_view *view = dvt_made_table_open(&table, NULL);
    for (size_t i = 0; i < COUNT(all); i++) {
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.idv_version = all[i].version;
        dv_buffer file = dvt_save_idv(view, &options);
        cr_expect_eq(dvi_load_u64((const char *)file.data + 8), all[i].word);
        cr_expect_eq(dvi_load_u64((const char *)file.data + 16), all[i].word);
        dv_buffer_release(&file);
    }
    dv_view_release(&view);
}
