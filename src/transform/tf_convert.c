/* SPDX-License-Identifier: MIT */
/* tf_convert.c: columns converted to other types (semantics:7.1). */
#include "base/check.h"
#include "view/identity.h"
#include "transform/tf_convert_priv.h"
#include "transform/tf_fused.h"

/* --- A batch of one column -------------------------------------------------------------------- */

/* Check n values made of those of src from `first` on. */
static dv_status check(const dvi_filling *f, const dv_column_view *dst, const dv_column_view *src,
                       int64_t first, int64_t n, dv_error *err)
{
    const dvi_conversion *conversion = f->params;
    return conversion->is_strict ? dvi_conversion_check(conversion, dst, src, first, n, err)
                                 : DV_OK;
}

/* Convert the items; the rest of the vector stays as it is. */
static dv_status convert_items(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_conversion *conversion = f->params;
    dvi_convert_memory *memory = f->memory;
    dv_vector_layout *vector = &dst->view.as.vector;
    const int64_t n = dvi_vector_extent(vector, dst->view.rows).items;
    DVI_TRY(dvi_conversion_run(conversion, &memory->values, &dst->items, vector->items,
                               vector->item_base, n, f->allocator, err));
    DVI_TRY(check(f, &dst->items, vector->items, vector->item_base, n, err));
    vector->items = &dst->items;
    vector->item_base = 0;
    if (conversion->to.kind != DV_KIND_TX)
        return DV_OK;
    return dvi_convert_fill_holes(conversion, memory, &dst->view, &dst->items, f->allocator, err);
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    dvi_convert_memory *memory = f->memory;
    dst->view = *src;
    if (src->layout == DV_LAYOUT_VECTOR)
        return convert_items(f, dst, err);
    DVI_TRY(dvi_conversion_run(f->params, &memory->values, &dst->view, src, 0, src->rows,
                               f->allocator, err));
    return check(f, &dst->view, src, 0, src->rows, err);
}

static bool fills_slots(const void *params)
{
    return ((const dvi_conversion *)params)->to.kind == DV_KIND_TX;
}

/* Texts are other dates by another rule. */
static void identify(const void *params, dv_identity *identity)
{
    const dvi_conversion *c = params;
    if (!c->has_dates || c->dates.order == DVI_DATE_ANY)
        return;
    dvi_identity_add_i8(identity, (int64_t)c->dates.order);
    dv_identity_add(identity, c->dates.format.data, (size_t)c->dates.format.nbytes);
}

static const dvi_maker converter = {.name = "convert",
                                    .identify = identify,
                                    .describe = dvi_convert_describe,
                                    .fill = fill,
                                    .memory = sizeof(dvi_convert_memory),
                                    .release = dvi_convert_memory_free,
                                    .fuse = dvi_fuse_values,
                                    .fills_slots = fills_slots};
static const dvi_maker same_bits = {.name = "same", .describe = dvi_convert_describe};

const dvi_maker *dvi_convert_maker(const dvi_conversion *conversion)
{
    return conversion->is_identity ? &same_bits : &converter;
}

const dvi_conversion *dvi_convert_of(const dvi_mapped *mapped)
{
    return mapped->maker == &converter ? mapped->params : NULL;
}

/* --- Making ----------------------------------------------------------------------------------- */

static const dv_view_class convert_class = DVI_MAPPER_CLASS("convert", NULL, NULL);

static dv_status convert(dv_view **view_out, dv_view *source, const dvi_convert_plan *plan,
                         const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (plan->n < 0)
        return dvi_fail_argument(err, "%d conversions; the number must be >= 0", plan->n);
    if (plan->n == 0) {
        dv_view_retain(source);
        *view_out = source;
        return DV_OK;
    }
    DVI_TRY(dvi_mapper_create(&mapper, source, plan->n, allocator, err));
    const dv_status status = dvi_convert_make(mapper, &schema, plan, err);
    return dvi_mapper_view(view_out, &convert_class, mapper, schema, status, err);
}

dv_status dv_view_convert(dv_view **view_out, dv_view *source, const dv_conversion_spec *specs,
                          int32_t n, const dv_allocator *allocator, dv_error *err)
{
    return convert(view_out, source, &(dvi_convert_plan){specs, n, {NULL, -1}, false}, allocator,
                   err);
}

dv_status dv_view_convert_dates(dv_view **view_out, dv_view *source,
                                const dv_conversion_spec *specs, int32_t n, dv_text date,
                                const dv_allocator *allocator, dv_error *err)
{
    return convert(view_out, source, &(dvi_convert_plan){specs, n, date, false}, allocator, err);
}

dv_status dv_view_convert_strict(dv_view **view_out, dv_view *source,
                                 const dv_conversion_spec *specs, int32_t n,
                                 const dv_allocator *allocator, dv_error *err)
{
    return convert(view_out, source, &(dvi_convert_plan){specs, n, {NULL, 0}, true}, allocator,
                   err);
}
