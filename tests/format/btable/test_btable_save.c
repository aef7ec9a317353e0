/* SPDX-License-Identifier: MIT */
/* test_btable_save.c: saved files follow btable:11 and btable:14, and no loss is unreported. */
#include "base/load.h"
#include "support/allocator.h"
#include "support/btable.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/save.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_buffer save(dv_view *view, const char *format, uint32_t allow, bool canonical)
{
    dv_buffer file;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = format;
    options.allow_loss = allow;
    options.canonical = canonical;
    cr_assert_eq(dv_save_memory(view, &file, &options, &err), DV_OK, "%s", err.message);
    return file;
}

static bool same_bytes(const dv_buffer *file, const void *data, size_t nbytes)
{
    return file->nbytes == nbytes && memcmp(file->data, data, nbytes) == 0;
}

/* --- Round trips ------------------------------------------------------------------------------ */

/* Does a dense row hold a +0? These are not written. */
static bool has_dense_zero(dv_view *view)
{
    bool has = false, is_dense = false;
    dvt_lines lines = {0};
    cr_assert_eq(dvt_btable_rows(&lines, view, NULL, NULL), DV_OK);
    for (const char *p = lines.data; p && *p; p++) {
        is_dense = *p == '[' || (is_dense && *p != ']');
        has |= is_dense && strchr("[ ", *p) && strncmp(p + 1, "0000000000000000", 16) == 0;
    }
    dvt_lines_free(&lines);
    return has;
}

static dv_view *open_bytes(const dv_buffer *file, const char *format)
{
    dv_view *view;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = format;
    cr_assert_eq(
        dv_open_memory(&view, file->data, file->nbytes, NULL, NULL, "saved", &options, NULL),
        DV_OK);
    return view;
}

static int kept_files;

/* Canonical files, and files whose stored zeros are in sparse rows, are saved with the same bytes,
 * also by way of .idv. Other files lose the zeros of dense rows, and do not change again. */
static void check_roundtrip(const dvt_golden *golden)
{
    size_t nbytes;
    uint8_t *data = dvt_file_read(golden->path, &nbytes);
    dv_view *view;
    cr_assert_eq(dv_open(&view, golden->path, NULL, NULL), DV_OK);
    const bool is_kept = !has_dense_zero(view);
    dv_buffer file = save(view, "btable", 0, false), idv = save(view, "idv", 0, false);
    dv_view *from_idv = open_bytes(&idv, "idv"), *again = open_bytes(&file, "btable");
    dv_buffer by_idv = save(from_idv, "btable", 0, false), twice = save(again, "btable", 0, false);
    kept_files += is_kept;
    if (is_kept)
        cr_expect(same_bytes(&file, data, nbytes), "%s", golden->path);
    cr_expect(same_bytes(&by_idv, file.data, file.nbytes), "%s by way of .idv", golden->path);
    cr_expect(same_bytes(&twice, file.data, file.nbytes), "%s twice", golden->path);
    dv_view_release(&view);
    dv_view_release(&from_idv);
    dv_view_release(&again);
    dv_buffer *files[] = {&file, &idv, &by_idv, &twice};
    for (size_t i = 0; i < COUNT(files); i++)
        dv_buffer_release(files[i]);
    free(data);
}

Test(btable_save, canonical_files_come_back_byte_for_byte)
{
    cr_expect_geq(dvt_golden_each_in("btable", check_roundtrip), 20);
    cr_expect_geq(kept_files, 15);
}

/* The article's table, from six columns of numbers (btable:8). */
Test(btable_save, columns_of_numbers_become_labels)
{
    static const double rows[6][6] = {{10, 0, 0, 0, -2, 0}, {3, 9, 0, 0, 0, 3},
                                      {0, 7, 8, 7, 0, 0},   {3, 0, 8, 7, 5, 0},
                                      {0, 8, 0, 9, 9, 13},  {0, 4, 0, 0, 2, -1}};
    double values[6][6];
    dvt_made_table table = {.columns = 6, .rows = 6, .block_rows = 4, .bad_row = -1};
    for (int32_t k = 0; k < 6; k++) {
        for (int32_t i = 0; i < 6; i++)
            values[k][i] = rows[i][k];
        table.column[k] = dvt_made_fixed(dv_type_of(DV_KIND_R8), values[k], 6);
    }
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_buffer file = save(view, "btable", DV_LOSS_TYPES, false);
    size_t nbytes;
    uint8_t *want = dvt_file_read(dvt_test_path("golden/btable/article.btable").text, &nbytes);
    cr_expect(same_bytes(&file, want, nbytes));
    free(want);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The rows of a saved view as text. */
static void expect_rows(dv_view *view, uint32_t allow, bool canonical, const char *want)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_buffer file = save(view, "btable", allow, canonical);
    dv_view *again = open_bytes(&file, "btable");
    cr_expect_eq(dvt_btable_rows(&lines, again, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(lines.data ? lines.data : "", want);
    dvt_lines_free(&lines);
    dv_view_release(&again);
    dv_buffer_release(&file);
}

/* One scalar column of a kind, from its bytes. */
static void expect_numbers(dv_kind kind, const void *values, int64_t n, const char *want)
{
    dvt_made_table table = {.columns = 1, .rows = n, .block_rows = n, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(kind), values, n);
    dv_view *view = dvt_made_table_open(&table, NULL);
    expect_rows(view, DV_LOSS_TYPES, false, want);
    dv_view_release(&view);
}

#define NA "[FFF8000000000000]"
#define ONE "[3FF0000000000000]"

Test(btable_save, numbers_of_every_kind)
{
    static const int8_t i1[] = {1, -128, -1}, bl[] = {1, -128, 0, 7};
    static const uint8_t u1[] = {1, 255};
    static const int16_t i2[] = {1, INT16_MIN, -2};
    static const uint16_t u2[] = {1, 65535};
    static const int32_t i4[] = {1, INT32_MIN, INT32_MAX};
    static const uint32_t u4[] = {1, UINT32_MAX};
    static const int64_t i8[] = {1, INT64_MIN, -(INT64_C(1) << 53), INT64_C(1) << 62, 0};
    static const uint64_t u8[] = {1, UINT64_C(1) << 63};
    static const float r4[] = {1, 0.5f, 0, -0.0f};
    expect_numbers(DV_KIND_I1, i1, 3, ONE NA "[BFF0000000000000]");
    expect_numbers(DV_KIND_BL, bl, 4, ONE NA "{}" NA);
    expect_numbers(DV_KIND_U1, u1, 2, ONE "[406FE00000000000]");
    expect_numbers(DV_KIND_I2, i2, 3, ONE NA "[C000000000000000]");
    expect_numbers(DV_KIND_U2, u2, 2, ONE "[40EFFFE000000000]");
    expect_numbers(DV_KIND_I4, i4, 3, ONE NA "[41DFFFFFFFC00000]");
    expect_numbers(DV_KIND_U4, u4, 2, ONE "[41EFFFFFFFE00000]");
    expect_numbers(DV_KIND_I8, i8, 5, ONE NA "[C340000000000000][43D0000000000000]{}");
    expect_numbers(DV_KIND_U8, u8, 2, ONE "[43E0000000000000]");
    expect_numbers(DV_KIND_R4, r4, 4, ONE "[3FE0000000000000]{}[8000000000000000]");
}

/* Rows of 3 slots: sparse with zeros of both signs, dense with them, and a NaN. */
static const int32_t counts[] = {2, -1, 1, 0};
static const int32_t indices[] = {0, 2, 1};
static const double items[] = {0, -0.0, 0, -0.0, 5, (double)NAN};

static dv_column_view vectors(dv_column_view *inner, dv_kind kind, const void *values)
{
    *inner = dvt_made_fixed(dv_type_of(kind), values, 6);
    dv_column_view view = {
        .type = dv_type_vector(dv_type_of(kind), 3), .layout = DV_LAYOUT_VECTOR, .rows = 4};
    view.as.vector.length = 3;
    view.as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, true, true};
    view.as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, true, true};
    view.as.vector.items = inner;
    return view;
}

static dvt_made_table vector_table(dv_column_view *inner)
{
    dvt_made_table table = {
        .columns = 1, .rows = 4, .block_rows = 3, .bad_row = -1, .name = {"Features"}};
    table.column[0] = vectors(inner, DV_KIND_R8, items);
    return table;
}

Test(btable_save, stored_zeros_stay_unless_canonical)
{
    dv_column_view inner;
    dvt_made_table table = vector_table(&inner);
    dv_view *view = dvt_made_table_open(&table, NULL);
    char want[200];
    uint64_t nan;
    memcpy(&nan, &items[5], sizeof nan);
    snprintf(want, sizeof want,
             "{0:0000000000000000 2:8000000000000000}{1:8000000000000000 2:4014000000000000}"
             "{1:%016llX}{}",
             (unsigned long long)nan);
    expect_rows(view, 0, false, want);
    snprintf(want, sizeof want, "{}{2:4014000000000000}{1:%016llX}{}", (unsigned long long)nan);
    expect_rows(view, 0, true, want);
    dv_view_release(&view);
}

/* --- Refusals --------------------------------------------------------------------------------- */

/* The set of all losses in schema and metadata; DV_LOSS_NONE is bit 31. */
static bool add_loss(void *ctx, const dv_loss_report *report)
{
    *(uint32_t *)ctx |= report->loss == DV_LOSS_NONE ? UINT32_C(1) << 31 : (uint32_t)report->loss;
    return true;
}

#define IMPOSSIBLE (UINT32_C(1) << 31)

static void expect_losses(dvt_made_table *table, uint32_t want, const char *says)
{
    dv_error err = DV_ERROR_INIT;
    dv_buffer file;
    uint32_t losses = 0;
    dv_view *view = dvt_made_table_open(table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "btable";
    const dv_status status = dv_save_check(view, NULL, &options, add_loss, &losses, &err);
    cr_expect_eq(losses, want, "%s: %x", says, losses);
    cr_expect_eq(status, want ? DV_ERR_LOSS : DV_OK);
    cr_expect(strstr(err.message, says), "%s", err.message);
    cr_expect_eq(dv_save_memory(view, &file, &options, NULL), status);
    dv_buffer_release(&file);
    options.allow_loss = want & ~IMPOSSIBLE;
    const dv_status allowed = want & IMPOSSIBLE ? DV_ERR_LOSS : DV_OK;
    cr_expect_eq(dv_save_memory(view, &file, &options, NULL), allowed, "%s", says);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

Test(btable_save, refuses_what_a_vector_would_lose)
{
    static const float f4[6] = {1, 2, 3, 4, 5, 6};
    static const int32_t dims[] = {1, 3};
    dv_column_view inner, other;
    dvt_made_table table = vector_table(&inner);
    expect_losses(&table, 0, "");
    table.name[0] = "Scores";
    expect_losses(&table, DV_LOSS_NAMES, "becomes \"Features\"");
    table = vector_table(&inner);
    table.column[0] = vectors(&inner, DV_KIND_R4, f4);
    expect_losses(&table, DV_LOSS_TYPES, "items of type R4");
    table = vector_table(&inner);
    table.column[0].type.rank = 2;
    table.column[0].type.dims = dims;
    expect_losses(&table, DV_LOSS_TYPES, "dimensions");
    table = vector_table(&inner);
    table.columns = 3;
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_R4), f4, 4);
    table.column[2] = vectors(&other, DV_KIND_R8, items);
    expect_losses(&table, DV_LOSS_COLUMNS, "one vector of numbers");
}

Test(btable_save, refuses_columns_that_cannot_be_written)
{
    static const int32_t ends[4] = {0};
    dvt_made_table table = {.columns = 1, .rows = 4, .block_rows = 4, .bad_row = -1};
    table.column[0] = dvt_made_text(DV_KIND_TX, "", ends, 4);
    expect_losses(&table, IMPOSSIBLE, "no such column");
    dv_type key = dv_type_of(DV_KIND_U4);
    key.is_key = true;
    key.key_count = 5;
    key.key_is_contiguous = true;
    table.column[0] = dvt_made_fixed(key, ends, 4);
    expect_losses(&table, IMPOSSIBLE, "no such column");
    table.columns = 2;
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), ends, 4);
    expect_losses(&table, DV_LOSS_COLUMNS | DV_LOSS_TYPES, "not a number");
    table.name[1] = "a\x1f"
                    "b";
    expect_losses(&table, DV_LOSS_COLUMNS | DV_LOSS_TYPES | IMPOSSIBLE, "U+001F");
    static const dv_u128 wide[4];
    table.columns = 1;
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_UG), wide, 4);
    expect_losses(&table, IMPOSSIBLE, "no such column");
}

/* Names of slots: texts end to end, with these ends. */
static void expect_names(const char *utf8, const int32_t *ends, int32_t n, uint32_t want,
                         const char *says)
{
    static const int32_t dense = -1;
    dv_column_view inner, texts = dvt_made_text(DV_KIND_TX, utf8, ends, n);
    dvt_made_table table = vector_table(&inner);
    table.metadata_kind = DV_SLOT_NAMES;
    table.metadata = (dv_column_view){
        .type = dv_type_vector(dv_type_of(DV_KIND_TX), n), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    table.metadata.as.vector.length = n;
    table.metadata.as.vector.counts = (dv_buffer){&dense, 4, NULL, true, true};
    table.metadata.as.vector.items = &texts;
    expect_losses(&table, want, says);
}

Test(btable_save, refuses_names_that_cannot_be_labels)
{
    static const int32_t good[] = {1, 2, 3}, na[] = {1, (int32_t)(UINT32_C(1) << 31 | 1), 2};
    static const int32_t empty[] = {0, 0, 0}, last[] = {1, 2, 2};
    expect_names("abc", good, 3, 0, "");
    expect_names("ab", last, 3, 0, "");
    expect_names("a\x1f"
                 "c",
                 good, 3, IMPOSSIBLE, "U+001F");
    expect_names("ab", na, 3, DV_LOSS_NA, "NA");
    expect_names("", empty, 3, DV_LOSS_METADATA, "all empty");
    expect_names("ab", good, 2, DV_LOSS_METADATA, "only the names of slots");
}

Test(btable_save, refuses_other_metadata)
{
    static const int8_t yes[1] = {1};
    static const double one[4] = {1};
    dv_column_view inner;
    dvt_made_table table = vector_table(&inner);
    table.metadata_kind = DV_IS_NORMALIZED;
    table.metadata = dvt_made_fixed(dv_type_of(DV_KIND_BL), yes, 1);
    expect_losses(&table, DV_LOSS_METADATA, "IsNormalized");
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R8), one, 4);
    expect_losses(&table, DV_LOSS_METADATA | DV_LOSS_TYPES, "IsNormalized");
}

/* Labels with any characters; a sparse value omits some of them. */
Test(btable_save, sparse_names_and_characters_beyond_16_bits)
{
    static const int32_t ends[] = {4, 6}, stored = 2, slots[] = {0, 2};
    dv_column_view inner, texts = dvt_made_text(DV_KIND_TX, "\xF0\x9F\x98\x80\xC4\x9F", ends, 2);
    dvt_made_table table = vector_table(&inner);
    table.metadata_kind = DV_SLOT_NAMES;
    table.metadata = (dv_column_view){
        .type = dv_type_vector(dv_type_of(DV_KIND_TX), 3), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    table.metadata.as.vector.length = 3;
    table.metadata.as.vector.counts = (dv_buffer){&stored, 4, NULL, true, true};
    table.metadata.as.vector.indices = (dv_buffer){slots, sizeof slots, NULL, true, true};
    table.metadata.as.vector.items = &texts;
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_buffer file = save(view, "btable", 0, false);
    static const uint8_t header[] = {0,    0,    0,    0, 0,    0, 0,    5, 0xD8,
                                     0x3D, 0xDE, 0x00, 0, 0x1F, 0, 0x1F, 1, 0x1F};
    cr_assert_geq(file.nbytes, sizeof header);
    cr_expect_arr_eq(file.data, header, sizeof header);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

/* Separators only, more than a buffer of them; they are counted without reading labels. */
Test(btable_save, slots_without_names)
{
    static const int32_t none[4] = {0};
    dv_column_view inner;
    dvt_made_table table = vector_table(&inner);
    table.column[0].as.vector.counts = (dv_buffer){none, sizeof none, NULL, true, true};
    table.column[0].type.size = table.column[0].as.vector.length = 20001;
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_buffer file = save(view, "btable", 0, false);
    cr_expect_eq(file.nbytes, 8 + 2 * 20000 + 4 * 4);
    dv_view *again = open_bytes(&file, "btable");
    cr_expect_eq(dv_schema_column(dv_view_schema(again), 0)->type.size, 20001);
    cr_expect_eq(dv_schema_column(dv_view_schema(again), 0)->metadata_count, 0);
    dv_view_release(&again);
    dv_buffer_release(&file);
    dv_view_release(&view);
    table.column[0].type.size = table.column[0].as.vector.length = INT32_MAX;
    view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "btable";
    cr_expect_eq(dv_save_check(view, NULL, &options, NULL, NULL, NULL), DV_OK);
    options.memory_nbytes = 1000;
    cr_expect_eq(dv_save_memory(view, &file, &options, NULL), DV_ERR_LIMIT);
    dv_view_release(&view);
}

/* --- Precision -------------------------------------------------------------------------------- */

static void expect_precision(dv_kind kind, const void *values, const char *found)
{
    dvt_made_table table = {
        .columns = 2, .rows = 3, .block_rows = 2, .bad_row = -1, .name = {NULL, "Id"}};
    static const double zeros[3];
    dv_error err = DV_ERROR_INIT;
    dv_buffer file;
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R8), zeros, 3);
    table.column[1] = dvt_made_fixed(dv_type_of(kind), values, 3);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "btable";
    options.allow_loss = DV_LOSS_TYPES;
    cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, "row 2") && strstr(err.message, "\"Id\""), "%s", err.message);
    cr_expect_str_eq(err.found, found);
    options.allow_loss |= DV_LOSS_PRECISION;
    cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_OK);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

Test(btable_save, digits_that_are_lost_name_row_and_column)
{
    static const int64_t plus[] = {1, INT64_C(1) << 54, (INT64_C(1) << 53) + 1};
    static const int64_t minus[] = {1, INT64_MIN, -(INT64_C(1) << 53) - 1};
    static const int64_t most[] = {1, 1, INT64_MAX};
    static const uint64_t wide[] = {1, 1, UINT64_MAX};
    expect_precision(DV_KIND_I8, plus, "9007199254740993");
    expect_precision(DV_KIND_I8, minus, "-9007199254740993");
    expect_precision(DV_KIND_I8, most, "9223372036854775807");
    expect_precision(DV_KIND_U8, wide, "18446744073709551615");
}

/* --- Failing ---------------------------------------------------------------------------------- */

Test(btable_save, every_allocation_may_fail)
{
    dv_view *view;
    const dvt_path path = dvt_test_path("golden/btable/random-09.btable");
    dv_status status = DV_ERR_MEMORY;
    for (int64_t k = 1; status != DV_OK; k++) {
        dvt_allocator counted;
        dv_buffer file;
        dvt_allocator_init(&counted, k);
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.format = "btable";
        options.allocator = &counted.allocator;
        cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK);
        status = dv_save_memory(view, &file, &options, NULL);
        cr_assert(status == DV_OK ? counted.asked < k : status == DV_ERR_MEMORY);
        dv_buffer_release(&file);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0);
    }
}

static bool stop_at_once(void *ctx, int64_t rows_done, int64_t rows)
{
    (void)rows;
    *(int64_t *)ctx = rows_done;
    return rows_done == 0;
}

Test(btable_save, stops_as_asked)
{
    dv_column_view inner;
    dv_buffer file;
    int64_t done = -1;
    dvt_made_table table = vector_table(&inner);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "btable";
    options.progress = (dv_progress){stop_at_once, &done};
    cr_expect_eq(dv_save_memory(view, &file, &options, NULL), DV_ERR_STOPPED);
    cr_expect_eq(done, 3);
    table.bad_row = 1;
    options.progress = (dv_progress){0};
    cr_expect_eq(dv_save_memory(view, &file, &options, NULL), DV_ERR_CORRUPT);
    dv_view_release(&view);
}
