/* SPDX-License-Identifier: MIT */
/* test_idv_save_refused.c: checks that losses are refused, or left out where they are allowed. */
#include "support/columns.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <dataview/own_view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Views without rows, for their schemas --- */

static int64_t no_rows(void *self)
{
    (void)self;
    return 0;
}

static dv_status open_none(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)self;
    (void)request;
    (void)err;
    *cursor_out = NULL;
    return DV_OK;
}

static dv_status next_none(void *cursor, dv_batch *batch, dv_error *err)
{
    (void)cursor;
    (void)batch;
    (void)err;
    return DV_END;
}

static const dv_view_class empty_class = {.size = sizeof empty_class,
                                          .kind = "empty",
                                          .rows = no_rows,
                                          .open_cursor = open_none,
                                          .next = next_none};

/* Columns "keep" R4 and "x" of that type; the latter with metadata KIND unless value is NULL. */
static dv_view *schema_view(dv_type type, const char *kind, const dv_column_view *value)
{
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    dv_schema *schema;
    dv_view *view;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("keep"), &r4, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("x"), &type, NULL, NULL), DV_OK);
    if (value)
        cr_assert_eq(dv_schema_add_metadata(schema, 1, dv_text_of(kind), value, NULL), DV_OK);
    cr_assert_eq(dv_view_create(&view, &empty_class, NULL, &schema, NULL, NULL), DV_OK);
    return view;
}

static dv_loss_report seen;
static char sentence[256];
static int reports;

static bool note(void *ctx, const dv_loss_report *report)
{
    (void)ctx;
    reports++;
    seen = *report;
    snprintf(sentence, sizeof sentence, "%s", report->sentence);
    return true;
}

/* The save is refused with this loss, and drops `columns` and `metadata` if it is allowed. */
static void expect_lost(dv_view *view, dv_save_options options, dv_loss loss, const char *why,
                        int32_t columns, int32_t metadata)
{
    dv_error err = DV_ERROR_INIT;
    dv_buffer file;
    options.format = "idv";
    reports = 0;
    cr_expect_eq(dv_save_check(view, NULL, &options, note, NULL, &err), DV_ERR_LOSS);
    cr_expect_eq(reports, 1);
    cr_expect_eq(seen.loss, loss);
    cr_expect_not(seen.is_allowed);
    cr_expect_eq(seen.column, 1);
    cr_expect(strstr(sentence, why) != NULL, "%s: %s", why, sentence);
    cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, why) != NULL, "%s: %s", why, err.message);

    options.allow_loss = (uint32_t)loss;
    cr_expect_eq(dv_save_check(view, NULL, &options, note, NULL, &err), DV_OK);
    cr_expect(seen.is_allowed);
    file = dvt_save_idv(view, &options);
    dv_view *again = dvt_open_saved(&file);
    const dv_schema *schema = dv_view_schema(again);
    cr_assert_eq(dv_schema_columns(schema), columns);
    cr_expect_eq(dv_schema_column(schema, 0)->name.nbytes, 4);
    if (columns == 2)
        cr_expect_eq(dv_schema_column(schema, 1)->metadata_count, metadata);
    dv_view_release(&again);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

static dv_type noncontiguous(void)
{
    dv_type type = dv_type_key(DV_KIND_U4, 0, 0);
    type.key_is_contiguous = false;
    return type;
}

static dv_save_options old_keys(void)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.idv_old_keys = true;
    return options;
}

Test(idv_save_refused, columns_without_a_codec)
{
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    const dv_type big = dv_type_key(DV_KIND_U4, 0, (uint64_t)1 << 31);
    const dv_type from_one = dv_type_key(DV_KIND_U4, 1, 5);
    expect_lost(schema_view(dv_type_vector(dv_type_of(DV_KIND_BY), 2), "", NULL), options,
                DV_LOSS_COLUMNS, "no codec", 1, 0);
    expect_lost(schema_view(dv_type_extension("Picture", 8), "", NULL), options, DV_LOSS_COLUMNS,
                "no codec", 1, 0);
    expect_lost(schema_view(from_one, "", NULL), options, DV_LOSS_COLUMNS, "idv_old_keys", 1, 0);
    expect_lost(schema_view(dv_type_vector(noncontiguous(), 2), "", NULL), options, DV_LOSS_COLUMNS,
                "idv_old_keys", 1, 0);
    expect_lost(schema_view(big, "", NULL), old_keys(), DV_LOSS_COLUMNS, "2^31-1", 1, 0);
}

Test(idv_save_refused, metadata_without_a_codec)
{
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    dv_column_view bytes = dvt_column_text(DV_KIND_BY, "ab", 0, "02000000");
    dv_column_view key = dvt_column_fixed(dv_type_key(DV_KIND_U4, 7, 5), "01000000");
    expect_lost(schema_view(r4, "Raw", &bytes), options, DV_LOSS_METADATA, "metadata Raw", 2, 0);
    expect_lost(schema_view(r4, "Key", &key), options, DV_LOSS_METADATA, "idv_old_keys", 2, 0);
    dvt_column_free(&bytes);
    dvt_column_free(&key);
}

/* --- NA of Booleans --- */

Test(idv_save_refused, metadata_that_is_na)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    dv_column_view na = dvt_column_fixed(dv_type_of(DV_KIND_BL), "80");
    expect_lost(schema_view(r4, "IsNormalized", &na), options, DV_LOSS_NA, "idv_bool_2bit", 2, 1);
    dv_view *view = schema_view(r4, "IsNormalized", &na);
    options.idv_bool_2bit = true;
    dv_buffer file = dvt_save_idv(view, &options);
    dv_view *again = dvt_open_saved(&file);
    const dv_batch *batch;
    cr_assert_eq(dv_schema_metadata_value(dv_view_schema(again), 1, 0, &batch, NULL), DV_OK);
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    cr_expect_eq(dv_value_i1(&value), DV_BL_NA);
    dv_batch_release(&batch);
    dv_view_release(&again);
    dv_buffer_release(&file);
    dv_view_release(&view);
    dvt_column_free(&na);
}

#define ROWS 5000
static int8_t values[ROWS], other[ROWS];

static dv_status save_booleans(dv_view *view, const dv_save_options *given, dv_buffer *file,
                               dv_error *err)
{
    dv_save_options options = *given;
    options.format = "idv";
    return dv_save_memory(view, file, &options, err);
}

/* The error names the first NA in the order of blocks and columns, for any number of threads. */
Test(idv_save_refused, a_value_that_is_na_is_reported_with_row_and_column)
{
    dvt_made_table table = {.rows = ROWS, .block_rows = 77, .columns = 2, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_BL), values, ROWS);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_BL), other, ROWS);
    other[3210] = DV_BL_NA;
    values[3301] = values[4000] = 99;
    dv_view *view = dvt_made_table_open(&table, NULL);
    for (int32_t threads = 1; threads <= 3; threads++) {
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        dv_buffer file;
        options.threads = threads;
        options.rows_per_block = 100;
        options.compression = threads > 1 ? DV_COMPRESSION_DEFLATE : DV_COMPRESSION_NONE;
        cr_expect_eq(save_booleans(view, &options, &file, &err), DV_ERR_LOSS);
        cr_expect(strstr(err.message, "row 3210, column \"b\"") != NULL, "%s", err.message);
        cr_expect_null(file.data);
        options.first_row = 3250;
        cr_expect_eq(save_booleans(view, &options, &file, &err), DV_ERR_LOSS);
        cr_expect(strstr(err.message, "row 3301, column \"a\"") != NULL, "%s", err.message);
        options.end_row = 3301;
        cr_expect_eq(save_booleans(view, &options, &file, &err), DV_OK, "%s", err.message);
        dv_buffer_release(&file);
    }
    dv_view_release(&view);
}

Test(idv_save_refused, na_may_become_false_when_allowed)
{
    static int8_t three[] = {1, DV_BL_NA, 1};
    dvt_made_table table = {.rows = 3, .block_rows = 3, .columns = 1, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_BL), three, 3);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allow_loss = DV_LOSS_NA;
    dv_buffer file = dvt_save_idv(view, &options);
    dvt_lines lines = dvt_lines_of_saved(&file);
    cr_expect(strstr(lines.data, "[true]\n[false]\n[true]\n") != NULL, "%s", lines.data);
    dvt_lines_free(&lines);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

/* --- Golden files that need an option --- */

Test(idv_save_refused, files_of_old_readers)
{
    static const struct {
        const char *name;
        bool decided_by_schema;
    } all[] = {{"idv-crafted/old-key-min.idv", true},
               {"idv-crafted/old-key-noncontiguous.idv", true},
               {"idv-crafted/old-dvbool.idv", false},
               {"idv-crafted/old-dvbool-vector.idv", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        dv_buffer file;
        dv_view *view = dvt_golden_open(all[i].name, NULL);
        cr_expect_eq(save_booleans(view, &options, &file, &err), DV_ERR_LOSS, "%s", all[i].name);
        cr_expect_str_eq(err.rule, "allow_loss");
        options.format = "idv";
        cr_expect_eq(dv_save_check(view, NULL, &options, NULL, NULL, &err),
                     all[i].decided_by_schema ? DV_ERR_LOSS : DV_OK, "%s", all[i].name);
        dv_view_release(&view);
    }
}

/* --- Options --- */

Test(idv_save_refused, versions_that_are_none)
{
    static const char *const versions[] = {"", "1.1.1.4", "1.1.1.7", "1.1.1.60", "six"};
    dv_view *view = schema_view(dv_type_of(DV_KIND_R4), "", NULL);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        dv_buffer file;
        options.idv_version = versions[i];
        cr_expect_eq(save_booleans(view, &options, &file, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "1.1.1.5") != NULL, "%s", err.message);
    }
    dv_view_release(&view);
}
