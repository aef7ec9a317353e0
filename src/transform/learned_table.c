/* SPDX-License-Identifier: MIT */
/* learned_table.c: copies numbers that were learned into a table, and back. */
#include "transform/learned_table.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "scan/read_batches.h"
#include <dataview/table.h>
#include <inttypes.h>
#include <string.h>

static dv_kind kind_of(const dvi_learned_table *t, int32_t k)
{
    return t->columns->kinds[k] == DV_KIND_NONE ? t->real : t->columns->kinds[k];
}

static size_t width_of(const dvi_learned_table *t, int32_t k)
{
    return (size_t)dv_kind_width(kind_of(t, k));
}

static dv_status create(dvi_learned_table **table_out, const dvi_learned_columns *columns,
                        dv_kind real, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *table_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_learned_table), err));
    *table_out = made;
    (*table_out)->columns = columns;
    (*table_out)->allocator = dvi_allocator_of(allocator);
    (*table_out)->real = real;
    return DV_OK;
}

void dvi_learned_table_free(void *of)
{
    dvi_learned_table *t = of;
    if (!t)
        return;
    const dv_allocator allocator = t->allocator;
    for (int32_t k = 0; k < t->columns->n; k++)
        dvi_free(&allocator, t->values[k], (size_t)t->rows * width_of(t, k));
    dvi_free(&allocator, t, sizeof *t);
}

static dv_status reserve(dvi_learned_table *t, int64_t rows, dv_error *err)
{
    t->rows = rows;
    for (int32_t k = 0; k < t->columns->n; k++) {
        size_t nbytes;
        if (!dvi_size_mul((size_t)rows, width_of(t, k), &nbytes))
            return dvi_fail_memory(err, SIZE_MAX);
        DVI_TRY(dvi_alloc_zeroed(&t->allocator, &t->values[k], nbytes, err));
    }
    return DV_OK;
}

dv_status dvi_learned_create(dvi_learned_table **table_out, const dvi_learned_columns *columns,
                             dv_kind real, int64_t rows, const dv_allocator *allocator,
                             dv_error *err)
{
    DVI_TRY(create(table_out, columns, real, allocator, err));
    const dv_status status = reserve(*table_out, rows, err);
    if (status < 0) {
        dvi_learned_table_free(*table_out);
        *table_out = NULL;
    }
    return status;
}

/* --- Views ------------------------------------------------------------------------------------ */

dv_status dvi_learned_show(dv_view **view_out, const dvi_learned_table *t,
                           const dv_allocator *allocator, dv_error *err)
{
    dv_table_column columns[DVI_LEARNED_COLUMNS];
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = allocator;
    for (int32_t k = 0; k < t->columns->n; k++)
        columns[k] = (dv_table_column){.name = t->columns->names[k],
                                       .type = dv_type_of(kind_of(t, k)),
                                       .values = t->values[k]};
    return dv_table_create(view_out, columns, t->columns->n, t->rows, &options, err);
}

static bool fits(const dv_column_info *info, const dvi_learned_columns *columns, int32_t k,
                 dv_kind real)
{
    const dv_kind kind = columns->kinds[k] == DV_KIND_NONE ? real : columns->kinds[k];
    return dv_text_equal(info->name, dv_text_of(columns->names[k])) && info->type.rank == 0 &&
           !info->type.is_key && info->type.kind == kind && info->metadata_count == 0;
}

/* *real_out: the type of the reals. */
static dv_status check_columns(const dv_schema *schema, const dvi_learned_columns *columns,
                               dv_kind *real_out, dv_error *err)
{
    *real_out = DV_KIND_R4;
    DVI_REQUIRE(dv_schema_columns(schema) == columns->n,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT10", -1, "columns of a table of numbers",
                         "%d|%d", (int)columns->n, (int)dv_schema_columns(schema)));
    for (int32_t k = 0; k < columns->n; k++)
        if (columns->kinds[k] == DV_KIND_NONE &&
            dv_schema_column(schema, k)->type.kind == DV_KIND_R8)
            *real_out = DV_KIND_R8;
    for (int32_t k = 0; k < columns->n; k++) {
        const dv_column_info *info = dv_schema_column(schema, k);
        DVI_REQUIRE(fits(info, columns, k, *real_out),
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT10", -1, "column of a table of numbers",
                             "%s, of numbers, without metadata|\"%s\", %s", columns->names[k],
                             dvi_show(info->name).text, dv_kind_name(info->type.kind)));
    }
    return DV_OK;
}

typedef struct reading {
    dvi_learned_table *table;
    size_t caps[DVI_LEARNED_COLUMNS];
    int64_t most; /* rows that it may have */
} reading;

/* Grows with the rows that are there: a file may claim any number. */
static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    reading *r = ctx;
    dvi_learned_table *t = r->table;
    DVI_REQUIRE(batch->rows <= r->most - t->rows,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT10", -1, "rows of a table of numbers",
                         "at most %" PRId64 "|more", r->most));
    for (int32_t k = 0; k < t->columns->n; k++) {
        const size_t width = width_of(t, k);
        DVI_TRY(dvi_array_reserve(&t->allocator, &t->values[k], &r->caps[k],
                                  (size_t)(t->rows + batch->rows), width, err));
        memcpy((char *)t->values[k] + (size_t)t->rows * width,
               dv_batch_column(batch, k)->as.fixed.values.data, (size_t)batch->rows * width);
    }
    t->rows += batch->rows;
    return DV_OK;
}

dv_status dvi_learned_load(dvi_learned_table **table_out, const dvi_learned_columns *columns,
                           dv_view *view, int64_t most, const dv_allocator *allocator,
                           dv_error *err)
{
    dv_kind real;
    reading r = {.most = most};
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.threads = 1;
    *table_out = NULL;
    DVI_TRY(check_columns(dv_view_schema(view), columns, &real, err));
    DVI_TRY(create(&r.table, columns, real, allocator, err));
    dvi_learned_table *const grown = r.table;
    dv_status status = dvi_read_batches(view, &cursor, add_batch, &r, err);
    if (status == DV_OK)
        status = dvi_learned_create(table_out, columns, real, grown->rows, allocator, err);
    for (int32_t k = 0; k < columns->n; k++) {
        const size_t width = width_of(grown, k);
        if (status == DV_OK && grown->rows > 0)
            memcpy((*table_out)->values[k], grown->values[k], (size_t)grown->rows * width);
        dvi_free(&grown->allocator, grown->values[k], r.caps[k] * width);
        grown->values[k] = NULL;
    }
    dvi_learned_table_free(grown);
    return status;
}

/* --- Reals ------------------------------------------------------------------------------------ */

double dvi_learned_get(const dvi_learned_table *t, int32_t k, int64_t i)
{
    return t->real == DV_KIND_R4 ? (double)((const float *)t->values[k])[i]
                                 : ((const double *)t->values[k])[i];
}

void dvi_learned_set(dvi_learned_table *t, int32_t k, int64_t i, double value)
{
    if (t->real == DV_KIND_R4)
        ((float *)t->values[k])[i] = (float)value;
    else
        ((double *)t->values[k])[i] = value;
}
