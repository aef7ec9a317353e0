/* SPDX-License-Identifier: MIT */
/* tf_combine.c: a column of vectors that join the values of several columns (semantics:7.15). */
#include "base/check.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "view/growing_column.h"
#include "transform/tf_combine_priv.h"
#include "transform/wanted_type.h"
#include <string.h>

/* One of the columns in the batch, at its next row. */
typedef struct input {
    const dv_vector_layout *vector; /* NULL: a scalar */
    const dv_column_view *items;    /* or the scalars */
    dv_column_view reals;           /* those that were converted */
    int64_t item, index;
    int32_t length, explicit; /* of that row: slots, and slots with an item */
    bool is_sparse;
} input;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_memory *inputs, *lengths, *counts, *slots;
    dvi_growing_column items;
    int64_t indices;       /* written to slots so far */
    dvi_memory *converted; /* a dvi_converted of each input; NULL: none is converted yet */
    int32_t converted_n;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory **all[] = {&m->inputs, &m->lengths, &m->counts, &m->slots};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
    dvi_growing_free(&m->items);
    for (int32_t k = 0; k < m->converted_n; k++)
        dvi_converted_free((dvi_converted *)(void *)m->converted->data + k);
    dvi_memory_release(&m->converted);
}

/* --- Items ------------------------------------------------------------------------------------ */

static dv_status append_items(const dvi_filling *f, const dv_column_view *items, int64_t first,
                              int64_t n, dv_error *err)
{
    memory *m = f->memory;
    dv_column_view run = *items;
    if (n > 0)
        dvi_column_advance(&run, first);
    DVI_TRY(dvi_growing_reserve(&m->items, &run, n, f->allocator, err));
    dvi_growing_append(&m->items, &run, n);
    return DV_OK;
}

/* A column of some items with the default value. */
static dv_column_view make_defaults(const dv_type *type)
{
    static const uint64_t zeros[512];
    const dv_buffer none = {zeros, sizeof zeros, NULL, false, true};
    dv_column_view defaults = {.type = dv_type_item(type)};
    defaults.layout = dvi_layout_of(&defaults.type);
    if (defaults.layout == DV_LAYOUT_FIXED) {
        defaults.as.fixed.values = none;
        defaults.rows = (int64_t)(sizeof zeros / dvi_width_of(&defaults.type));
    } else if (defaults.layout == DV_LAYOUT_ZONED) {
        defaults.as.zoned = (dv_zoned_layout){none, none};
        defaults.rows = (int64_t)(sizeof zeros / 8);
    } else {
        defaults.as.text = (dv_text_layout){none, none, 0};
        defaults.rows = (int64_t)(sizeof zeros / 4);
    }
    return defaults;
}

static dv_status append_defaults(const dvi_filling *f, int64_t n, dv_error *err)
{
    const dv_column_view defaults = make_defaults(f->type);
    for (; n > 0; n -= defaults.rows)
        DVI_TRY(append_items(f, &defaults, 0, n < defaults.rows ? n : defaults.rows, err));
    return DV_OK;
}

/* --- Rows, one by one ------------------------------------------------------------------------- */

static int32_t slot_at(const input *in, int32_t i)
{
    return dvi_load_i32((const char *)in->vector->indices.data + 4 * (in->index + i));
}

/* Append all slots of the row. */
static dv_status append_dense(const dvi_filling *f, const input *in, dv_error *err)
{
    int32_t next = 0;
    if (!in->is_sparse)
        return append_items(f, in->items, in->item, in->length, err);
    for (int32_t i = 0; i < in->explicit; i++) {
        const int32_t slot = slot_at(in, i);
        DVI_TRY(append_defaults(f, slot - next, err));
        DVI_TRY(append_items(f, in->items, in->item + i, 1, err));
        next = slot + 1;
    }
    return append_defaults(f, in->length - next, err);
}

/* Append the items of the row; its first slot is slot `base` of the vector. */
static dv_status append_sparse(const dvi_filling *f, const input *in, int32_t base, dv_error *err)
{
    memory *m = f->memory;
    uint8_t *slots = m->slots->data;
    for (int32_t i = 0; i < in->explicit; i++)
        dvi_store_i32(slots + 4 * m->indices++, base + (in->is_sparse ? slot_at(in, i) : i));
    return append_items(f, in->items, in->item, in->explicit, err);
}

/* Set the length of the input's next row. */
static void measure_row(input *in, int64_t row)
{
    const int32_t count = in->vector ? dvi_vector_count(in->vector, row) : -1;
    in->length = in->vector ? dvi_vector_length(in->vector, row) : 1;
    in->is_sparse = count >= 0;
    in->explicit = in->is_sparse ? count : in->length;
}

static void skip_row(input *in)
{
    in->item += in->explicit;
    in->index += in->is_sparse ? in->explicit : 0;
}

static dv_status append_row(const dvi_filling *f, int64_t row, dv_error *err)
{
    memory *m = f->memory;
    input *inputs = (input *)(void *)m->inputs->data;
    int64_t length = 0, explicit = 0;
    for (int32_t k = 0; k < f->n; k++) {
        measure_row(&inputs[k], row);
        length += inputs[k].length;
        explicit += inputs[k].explicit;
    }
    if (length > INT32_MAX)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "slots of a vector", "at most 2^31-1|%lld",
                        (long long)length);
    const bool is_sparse = explicit < length && explicit <= length / 2;
    int32_t base = 0;
    for (int32_t k = 0; k < f->n; k++) {
        DVI_TRY(is_sparse ? append_sparse(f, &inputs[k], base, err)
                          : append_dense(f, &inputs[k], err));
        base += inputs[k].length;
        skip_row(&inputs[k]);
    }
    dvi_store_i32(m->counts->data + 4 * row, is_sparse ? (int32_t) explicit : -1);
    if (f->type->size == 0)
        dvi_store_i32(m->lengths->data + 4 * row, (int32_t)length);
    return DV_OK;
}

/* --- A batch ---------------------------------------------------------------------------------- */

/* Convert the n items of input k, from its first one on. */
static dv_status convert(const dvi_filling *f, int32_t k, input *in, int64_t n, dv_error *err)
{
    memory *m = f->memory;
    const dvi_conversion *conversion = &((const dvi_combine *)f->params)->conversions[k];
    if (conversion->is_identity)
        return DV_OK;
    if (!m->converted) {
        const size_t nbytes = (size_t)f->n * sizeof(dvi_converted);
        DVI_TRY(dvi_memory_reserve(&m->converted, f->allocator, nbytes, err));
        memset(m->converted->data, 0, nbytes);
        m->converted_n = f->n;
    }
    DVI_TRY(dvi_conversion_run(conversion, (dvi_converted *)(void *)m->converted->data + k,
                               &in->reals, in->items, in->item, n, f->allocator, err));
    in->items = &in->reals;
    in->item = 0;
    return DV_OK;
}

/* Start the inputs at their first row. *items_out: the number of items of all rows. */
static dv_status start_inputs(const dvi_filling *f, input *inputs, int64_t *items_out,
                              dv_error *err)
{
    *items_out = 0;
    for (int32_t k = 0; k < f->n; k++) {
        const dv_column_view *src = dv_batch_column(f->batch, f->slots[k]);
        int64_t n = src->rows;
        inputs[k] = (input){.items = src};
        if (src->layout == DV_LAYOUT_VECTOR) {
            const dv_vector_layout *vector = &src->as.vector;
            inputs[k] = (input){.vector = vector,
                                .items = vector->items,
                                .item = vector->item_base,
                                .index = vector->index_base};
            n = dvi_vector_extent(vector, src->rows).items;
        }
        DVI_TRY(convert(f, k, &inputs[k], n, err));
        *items_out += n;
    }
    return DV_OK;
}

/* Every slot has an item of fixed width: one kernel call per input copies all of its rows. */
static dv_status copy_dense(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const input *inputs = (const input *)(const void *)m->inputs->data;
    const size_t rows = (size_t)f->batch->rows, width = dvi_width_of(&dst->items.type);
    const size_t pitch = (size_t)f->type->size * width, nbytes = rows * pitch;
    size_t at = 0;
    DVI_TRY(dvi_memory_reserve(&m->items.values, f->allocator, nbytes, err));
    for (int32_t k = 0; k < f->n; k++) {
        const size_t own = (inputs[k].vector ? (size_t)inputs[k].vector->length : 1) * width;
        const char *src = inputs[k].items->as.fixed.values.data;
        dvi_kernels()->rows_copy(m->items.values->data + at, pitch,
                                 src + (size_t)inputs[k].item * width, own, own, rows,
                                 DVI_STORE_CACHED);
        at += own;
    }
    memset(m->counts->data, 0xFF, 4 * rows);
    dst->items.rows = (int64_t)rows * f->type->size;
    dst->items.as.fixed.values = dvi_memory_buffer(m->items.values, 0, nbytes, width);
    return DV_OK;
}

static dv_status copy_rows(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    dvi_column items;
    const dv_column_view defaults = make_defaults(f->type);
    dvi_growing_reset(&m->items);
    DVI_TRY(append_items(f, &defaults, 0, 0, err)); /* allocates even without items */
    for (int64_t row = 0; row < f->batch->rows; row++)
        DVI_TRY(append_row(f, row, err));
    dvi_growing_view(&m->items, &dst->items.type, &items);
    dst->items = items.view;
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const size_t rows = (size_t)f->batch->rows;
    DVI_TRY(dvi_memory_reserve(&m->inputs, f->allocator, (size_t)f->n * sizeof(input), err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err));
    int64_t items;
    DVI_TRY(start_inputs(f, (input *)(void *)m->inputs->data, &items, err));
    if (f->type->size == 0)
        DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->slots, f->allocator, 4 * (size_t)items, err));
    dst->items = (dv_column_view){.type = dv_type_item(f->type)};
    dst->items.layout = dvi_layout_of(&dst->items.type);
    m->indices = 0;
    const bool is_full = f->type->size > 0 && items == (int64_t)rows * f->type->size;
    if (is_full && dst->items.layout == DV_LAYOUT_FIXED)
        DVI_TRY(copy_dense(f, dst, err));
    else
        DVI_TRY(copy_rows(f, dst, err));
    dvi_column_set_vectors(dst, f->type, f->batch->rows, m->lengths, m->counts, m->slots,
                           m->indices);
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static const dvi_maker combiner = {.name = "combine",
                                   .describe = dvi_combine_describe,
                                   .fill = fill,
                                   .memory = sizeof(memory),
                                   .release = release_memory};
static const dv_view_class combine_class = DVI_MAPPER_CLASS("combine", NULL, NULL);

bool dvi_combine_items(dv_type *common_out, const dv_type *a, const dv_type *b)
{
    *common_out = *a;
    if (a->kind == DV_KIND_EXTENSION || dv_type_equal(a, b))
        return a->kind != DV_KIND_EXTENSION;
    const bool is_wide = dvi_real_of(a) == DV_KIND_R8 || dvi_real_of(b) == DV_KIND_R8;
    const bool is_number = dv_type_is_number(a) && dv_type_is_number(b);
    if (is_number)
        *common_out = dv_type_of(is_wide ? DV_KIND_R8 : DV_KIND_R4);
    return is_number;
}

static dv_status refuse_items(const dv_type *item, const dv_type *own, dv_text name, dv_error *err)
{
    char expected[96], found[96];
    dv_type_print(item, expected, sizeof expected);
    dv_type_print(own, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.15", -1, "items", "%s|%s",
             item->kind == DV_KIND_EXTENSION ? "no extension" : expected, found);
    if (item->kind != DV_KIND_EXTENSION && own->kind != DV_KIND_EXTENSION)
        dvi_error_advise(err, own->is_key || item->is_key
                                  ? "make vectors of keys first: onehot, or value"
                                  : "convert the columns to one type first");
    dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
    return DV_ERR_ARGUMENT;
}

/* The type that joins the items of all columns, or the one that is asked for. */
static dv_status find_item(dv_type *item, const dvi_combine *c, dv_error *err)
{
    const dv_type asked = *item;
    *item = dv_type_item(&dv_schema_column(c->schema, c->columns[0])->type);
    for (int32_t k = 0; k < c->n; k++) {
        const dv_column_info *info = dv_schema_column(c->schema, c->columns[k]);
        const dv_type own = dv_type_item(&info->type);
        dv_type before = *item;
        if (!dvi_combine_items(item, &before, &own) ||
            (asked.kind != DV_KIND_NONE && !dv_type_is_number(&own)))
            return refuse_items(&before, &own, info->name, err);
    }
    if (asked.kind != DV_KIND_NONE)
        *item = asked;
    return DV_OK;
}

static dv_status find_conversions(dvi_combine *c, const dv_type *item, dvi_arena *arena,
                                  dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(arena, &made, (size_t)c->n * sizeof *c->conversions, err));
    dvi_conversion *conversion = made;
    for (int32_t k = 0; k < c->n; k++) {
        const dv_type own = dv_type_item(&dv_schema_column(c->schema, c->columns[k])->type);
        if (dv_type_equal(&own, item))
            conversion[k].is_identity = true;
        else if (dvi_conversion_find(&conversion[k], &own, item) != DV_OK)
            return refuse_items(item, &own, c->names[k], err);
    }
    c->conversions = made;
    return DV_OK;
}

/* The size is the sum of all sizes. item: as in dvi_view_combine. */
static dv_status find_type(dv_type *type_out, dvi_combine *c, dv_type item, dvi_arena *arena,
                           dv_error *err)
{
    int64_t size = 0;
    bool varies = false;
    DVI_TRY(find_item(&item, c, err));
    DVI_TRY(find_conversions(c, &item, arena, err));
    for (int32_t k = 0; k < c->n; k++) {
        const dv_type *type = &dv_schema_column(c->schema, c->columns[k])->type;
        varies = varies || (type->rank > 0 && type->size == 0);
        size += dv_type_value_count(type);
    }
    if (size > INT32_MAX)
        return dvi_fail_argument(err, "a vector of %lld slots; at most 2^31-1", (long long)size);
    *type_out = dv_type_vector(item, varies ? 0 : (int32_t)size);
    return DV_OK;
}

static dv_status read_sources(dvi_combine *c, dvi_arena *arena, const dv_column_spec *sources,
                              int32_t n, dv_error *err)
{
    void *columns, *names;
    DVI_TRY(dvi_arena_alloc(arena, &columns, (size_t)n * sizeof(int32_t), err));
    DVI_TRY(dvi_arena_alloc(arena, &names, (size_t)n * sizeof(dv_text), err));
    int32_t *column = columns;
    dv_text *name = names;
    for (int32_t k = 0; k < n; k++) {
        DVI_TRY(dvi_find_column(c->schema, sources[k].source, &column[k], err));
        const dv_text given = sources[k].name;
        DVI_TRY(dvi_arena_text(arena, &name[k], given.nbytes > 0 ? given : sources[k].source, err));
    }
    c->columns = columns;
    c->names = names;
    c->n = n;
    return DV_OK;
}

dv_status dvi_combine_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           const int32_t *columns, int32_t n, dv_error *err)
{
    void *room, *names;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_combine), err));
    DVI_TRY(dvi_arena_alloc(arena, &names, (size_t)n * sizeof(dv_text), err));
    dvi_combine *c = room;
    for (int32_t k = 0; k < n; k++)
        ((dv_text *)names)[k] = dv_schema_column(source, columns[k])->name;
    *c = (dvi_combine){.schema = source,
                       .allocator = &arena->allocator,
                       .columns = columns,
                       .names = names,
                       .n = n};
    const dv_type any = {.kind = DV_KIND_NONE};
    DVI_TRY(find_type(&column_out->type, c, any, arena, err));
    column_out->mapped = (dvi_mapped){&combiner, c, columns, n};
    return DV_OK;
}

static dv_status add_column(dvi_mapper *m, dv_schema **schema_out, dv_text name,
                            const dv_column_spec *sources, int32_t n, const dv_type *item,
                            dv_error *err)
{
    void *room;
    dvi_new_column made = {.name = name};
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &room, sizeof(dvi_combine), err));
    dvi_combine *c = room;
    c->schema = dv_view_schema(m->base.source);
    c->allocator = &m->base.arena.allocator;
    DVI_TRY(read_sources(c, &m->base.arena, sources, n, err));
    DVI_TRY(find_type(&made.type, c, *item, &m->base.arena, err));
    made.mapped = (dvi_mapped){&combiner, c, c->columns, n};
    const dv_type *first = &dv_schema_column(c->schema, c->columns[0])->type;
    if (n == 1 && first->rank > 0 && c->conversions[0].is_identity) {
        made.type = *first;
        made.mapped.maker = &dvi_same_column;
    }
    return dvi_mapper_arrange(m, schema_out, &made, 1, err);
}

dv_status dvi_view_combine(dv_view **view_out, dv_view *source, dv_text name,
                           const dv_column_spec *sources, int32_t n, const dv_type *item,
                           const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (n < 1)
        return dvi_fail_argument(err, "a vector cannot be made of %d columns; name at least one",
                                 n);
    DVI_TRY(dvi_mapper_create(&mapper, source, 1, allocator, err));
    const dv_status status = add_column(mapper, &schema, name, sources, n, item, err);
    return dvi_mapper_view(view_out, &combine_class, mapper, schema, status, err);
}

dv_status dv_view_combine(dv_view **view_out, dv_view *source, dv_text name,
                          const dv_column_spec *sources, int32_t n, const dv_allocator *allocator,
                          dv_error *err)
{
    const dv_type any = {.kind = DV_KIND_NONE};
    return dvi_view_combine(view_out, source, name, sources, n, &any, allocator, err);
}
