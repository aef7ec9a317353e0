/* SPDX-License-Identifier: MIT */
/* terms_table.c: copies the terms of a dictionary into a table. */
#include "transform/terms_table.h"
#include "base/alloc.h"
#include "base/check.h"
#include "transform/terms_priv.h"
#include <dataview/table.h>
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
