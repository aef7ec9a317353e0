/* SPDX-License-Identifier: MIT */
/* metadata.c: the values of metadata, and metadata with a given value or copied from a source. */
#include "view/metadata.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"
#include "type/schema.h"
#include "view/batch.h"
#include <string.h>

dv_status dv_schema_metadata_value(const dv_schema *schema, int32_t column, int32_t i,
                                   const dv_batch **batch_out, dv_error *err)
{
    const dvi_metadata_source *source = dvi_schema_metadata_source(schema, column, i);
    *batch_out = NULL;
    return source ? source->load(source->source, source->number, batch_out, err) : DV_NOT_FOUND;
}

/* A given value. The schema and every batch made of it hold a reference: the dims of the type are
 * stored here, and a batch may outlive the schema. */
typedef struct given {
    dv_owner owner;
    dv_allocator allocator;
    dvi_column column; /* its first row; holds the references to the caller's buffers */
    int32_t dims[];    /* of the column's type */
} given;

static size_t given_nbytes(int32_t rank)
{
    return sizeof(given) + (size_t)rank * sizeof(int32_t);
}

static void release_given(dv_owner *owner)
{
    given *g = (given *)owner;
    const int32_t rank = g->column.view.type.rank;
    const dv_allocator allocator = g->allocator;
    dvi_column_release(&g->column);
    dvi_free(&allocator, g, given_nbytes(rank));
}

static void release_source(void *source)
{
    dvi_owner_release(source);
}

/* A buffer that every column of this layout has. */
static dv_buffer *first_buffer(dv_column_view *view)
{
    switch (view->layout) {
    case DV_LAYOUT_ZONED:
        return &view->as.zoned.ticks;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return &view->as.text.ends;
    case DV_LAYOUT_VECTOR:
        return &view->as.vector.counts;
    case DV_LAYOUT_FIXED:
        break;
    }
    return &view->as.fixed.values;
}

/* Each call makes a batch of its own, because the calling thread writes the offsets of the batch.
 */
static dv_status load_given(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    (void)number;
    given *g = source;
    const dv_type *type = &g->column.view.type;
    dv_batch *batch;
    *batch_out = NULL;
    DVI_TRY(dvi_batch_create(&batch, NULL, &type, 1, &g->allocator, err));

    /* The batch holds the value through one of its buffers. */
    dvi_column column;
    dvi_column_assign(&column, &g->column.view);
    first_buffer(&column.view)->owner = &g->owner;
    const dv_batch *made = batch;
    dv_status status = dv_batch_start(batch, 0, 1, err);
    if (status == DV_OK)
        status = dv_batch_fill(batch, 0, &column.view, err);
    if (status == DV_OK)
        *batch_out = made;
    else
        dv_batch_release(&made);
    return status;
}

/* Copy the first row of a checked column, retaining its buffers. */
static dv_status create_given(given **given_out, const dv_column_view *value,
                              const dv_allocator *allocator, dv_error *err)
{
    const int32_t rank = value->type.rank;
    void *made;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, given_nbytes(rank), err));
    given *g = made;
    dvi_owner_init(&g->owner, release_given);
    g->allocator = *allocator;
    dvi_column_assign(&g->column, value);
    dvi_column_limit(&g->column.view, 1);
    if (rank > 1)
        memcpy(g->dims, value->type.dims, (size_t)rank * sizeof *g->dims);
    g->column.view.type.dims = rank > 1 ? g->dims : NULL;
    dvi_column_retain(&g->column);
    *given_out = g;
    return DV_OK;
}

dv_status dvi_metadata_batch(const dv_batch **batch_out, const dv_column_view *value,
                             const dv_allocator *allocator, dv_error *err)
{
    given *g;
    *batch_out = NULL;
    DVI_TRY(create_given(&g, value, allocator, err));
    const dv_status status = load_given(g, 0, batch_out, err);
    dvi_owner_release(&g->owner);
    return status;
}

dv_status dv_schema_add_metadata(dv_schema *schema, int32_t column, dv_text kind,
                                 const dv_column_view *value, dv_error *err)
{
    DVI_TRY(dv_type_check(&value->type, err));
    DVI_TRY(dvi_column_check(value, err));
    DVI_REQUIRE(value->rows >= 1, dvi_fail_argument(err, "a metadata value needs a row"));

    given *g;
    DVI_TRY(create_given(&g, value, dvi_schema_allocator(schema), err));
    const dvi_metadata_source source = {load_given, g, 0, release_source};
    const dv_status status =
        dvi_schema_add_metadata(schema, column, kind, &value->type, &source, err);
    if (status < 0)
        dvi_owner_release(&g->owner);
    return status;
}

/* --- Of a source ------------------------------------------------------------------------------ */

static dv_status load_metadata(void *source, int64_t number, const dv_batch **batch_out,
                               dv_error *err)
{
    return dv_schema_metadata_value(source, (int32_t)(number >> 32), (int32_t)(number & INT32_MAX),
                                    batch_out, err);
}

dv_status dvi_inherit_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                               int32_t source_column, int32_t i, dv_error *err)
{
    const dv_metadata_info *info = dv_schema_metadata(source, source_column, i);
    const dvi_metadata_source from = {load_metadata, (void *)(uintptr_t)source,
                                      (int64_t)source_column << 32 | i, NULL};
    return dvi_schema_add_metadata(schema, column, info->kind, &info->type, &from, err);
}

dv_status dvi_inherit_all_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                                   int32_t source_column, dv_error *err)
{
    const int32_t n = dv_schema_column(source, source_column)->metadata_count;
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(dvi_inherit_metadata(schema, column, source, source_column, i, err));
    return DV_OK;
}

bool dvi_is_of_items(dv_text kind)
{
    static const char *const kinds[] = {DV_IS_NORMALIZED,     DV_KEY_VALUES,
                                        DV_IS_USER_VISIBLE,   DV_SCORE_COLUMN_SET_ID,
                                        DV_SCORE_COLUMN_KIND, DV_SCORE_VALUE_KIND};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (dv_text_equal(kind, dv_text_of(kinds[i])))
            return true;
    return false;
}
