/* SPDX-License-Identifier: MIT */
/* tf_rowid.c: a column of the ids of rows (semantics:7.19). */
#include "transform/tf_rowid.h"
#include "base/check.h"
#include "view/batch.h"
#include "transform/mapper.h"

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    (void)err;
    dst->view = dvi_batch_ids_column(f->batch, f->batch->rows);
    return DV_OK;
}

static const dvi_maker rowid_maker = {
    .name = "rowid", .describe = dvi_no_metadata, .fill = fill, .reads_ids = true, .lends = true};
static const dv_view_class rowid_class = DVI_MAPPER_CLASS("rowid", NULL, NULL);

dv_status dvi_rowid_view(dv_view **view_out, dv_view *source, dv_text name,
                         const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dvi_new_column made = {.name = name, .type = dv_type_of(DV_KIND_UG)};
    made.mapped.maker = &rowid_maker;
    *view_out = NULL;
    DVI_TRY(dvi_mapper_create(&mapper, source, 1, allocator, err));
    const dv_status status = dvi_mapper_arrange(mapper, &schema, &made, 1, err);
    return dvi_mapper_view(view_out, &rowid_class, mapper, schema, status, err);
}
