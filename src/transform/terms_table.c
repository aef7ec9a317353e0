/* SPDX-License-Identifier: MIT */
/* terms_table.c: copies the terms of a dictionary into a table, and back. */
#include "transform/terms_table.h"
#include "base/alloc.h"
#include "base/check.h"
#include "scan/read_batches.h"
#include "transform/terms_priv.h"
#include <dataview/table.h>
#include <inttypes.h>
#include <string.h>

/* Values that a table does not take as a column has them. */
static void copy_values(void *dst, const dvi_terms *t, const dv_column_view *terms)
{
    dv_text *texts = dst;
    dv_zoned *times = dst;
    for (int64_t i = 0; i < t->count; i++)
        if (t->type.kind == DV_KIND_TX)
            texts[i] = dvi_terms_text(t, i);
        else
            times[i] =
                (dv_zoned){dvi_load_i64((const uint8_t *)terms->as.zoned.ticks.data + 8 * i),
                           dvi_load_i16((const uint8_t *)terms->as.zoned.minutes.data + 2 * i)};
}

dv_status dvi_terms_table(dv_view **table_out, const dvi_terms *t, const dv_allocator *allocator,
                          dv_error *err)
{
    dv_column_view terms;
    dv_table_column column = {.name = "Term", .type = t->type};
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    const bool is_text = t->type.kind == DV_KIND_TX, is_zoned = t->type.kind == DV_KIND_DZ;
    const size_t nbytes = (size_t)(t->count + 1) * (is_text    ? sizeof(dv_text)
                                                    : is_zoned ? sizeof(dv_zoned)
                                                               : 1);
    void *copies = NULL;
    *table_out = NULL;
    options.allocator = allocator;
    dvi_terms_values(t, &terms);
    DVI_TRY(dvi_alloc(allocator, &copies, nbytes, err));
    if (is_text || is_zoned)
        copy_values(copies, t, &terms);
    column.texts = is_text ? copies : NULL;
    column.values = is_zoned || t->count == 0 ? copies : terms.as.fixed.values.data;
    if (is_text)
        column.values = NULL;
    const dv_status status = dv_table_create(table_out, &column, 1, t->count, &options, err);
    dvi_free(allocator, copies, nbytes);
    return status;
}

/* --- A dictionary of a table ------------------------------------------------------------------ */

static dv_status check_column(const dv_schema *schema, dv_error *err)
{
    DVI_REQUIRE(dv_schema_columns(schema) == 1,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT1", -1, "columns of a table of terms", "1|%d",
                         (int)dv_schema_columns(schema)));
    const dv_column_info *column = dv_schema_column(schema, 0);
    const dv_type *type = &column->type;
    DVI_REQUIRE(dv_text_equal(column->name, dv_text_of("Term")) && column->metadata_count == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT1", -1, "column of a table of terms",
                         "Term, without metadata|\"%s\"", dvi_show(column->name).text));
    DVI_REQUIRE(!dv_type_is_vector(type) && type->kind != DV_KIND_BY &&
                    type->kind != DV_KIND_EXTENSION,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT1", -1, "type of terms",
                         "any scalar but BY and extensions|%s", dv_kind_name(type->kind)));
    return DV_OK;
}

/* Rows that are the same as others, or none, change nothing: then there are too few terms. */
static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    dvi_terms *t = ctx;
    const int64_t before = t->count;
    DVI_REQUIRE(batch->rows <= t->most - before,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT2", -1, "terms",
                         "at most %" PRId64 "|%" PRId64 " or more", t->most, before + batch->rows));
    DVI_TRY(dvi_terms_add(t, dv_batch_column(batch, 0), 0, batch->rows, err));
    DVI_REQUIRE(t->count - before == batch->rows,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT3", -1, "different terms",
                         "%" PRId64 " in the rows from %" PRId64 " on|%" PRId64, batch->rows,
                         before, t->count - before));
    return DV_OK;
}

static dv_status add_rows(dvi_terms *t, dv_view *table, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    return dvi_read_batches(table, &options, add_batch, t, err);
}

static dv_status add_next(void *ctx, const dv_batch *batch, dv_error *err)
{
    return dvi_terms_add(ctx, dv_batch_column(batch, 0), 0, batch->rows, err);
}

dv_status dvi_terms_add_table(dvi_terms *t, dv_view *table, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(table);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    DVI_TRY(check_column(schema, err));
    DVI_REQUIRE(dv_type_equal(&dv_schema_column(schema, 0)->type, &t->type),
                dvi_fail(err, DV_ERR_CORRUPT, "parts:S1", -1, "type of terms", "%s|%s",
                         dv_kind_name(t->type.kind),
                         dv_kind_name(dv_schema_column(schema, 0)->type.kind)));
    return dvi_read_batches(table, &options, add_next, t, err);
}

dv_status dvi_terms_from_table(dvi_terms **terms_out, dv_view *table, int64_t most,
                               const dv_allocator *allocator, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(table);
    dvi_terms *t;
    *terms_out = NULL;
    DVI_TRY(check_column(schema, err));
    DVI_TRY(
        dvi_terms_create(&t, &dv_schema_column(schema, 0)->type, most, INT32_MAX, allocator, err));
    const dv_status status = add_rows(t, table, err);
    if (status < 0)
        dvi_terms_free(&t);
    *terms_out = t;
    return status;
}
