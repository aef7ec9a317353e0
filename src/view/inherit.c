/* SPDX-License-Identifier: MIT */
/* inherit.c: copies metadata from the schema of a source. */
#include "view/inherit.h"
#include "base/check.h"
#include "type/schema.h"

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
