/* SPDX-License-Identifier: MIT */
/* tf_lpnorm.c: scales vectors to the same norm. */
#include "transform/tf_lpnorm.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "transform/elementwise.h"
#include "transform/vector_holes.h"
#include "transform/vector_rows.h"
#include <math.h>
#include <string.h>

#define SCALE_LEAST 1e-8 /* a factor below it is taken for 1 */

typedef struct lpnorm {
    dvi_lpnorm_options options;
    int32_t column;
} lpnorm;

typedef struct memory {
    dvi_memory *values, *counts, *indices;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->values);
    dvi_memory_release(&m->counts);
    dvi_memory_release(&m->indices);
}

/* --- Sums ------------------------------------------------------------------------------------- */

static float term_of_sum(float x, float mean)
{
    return x - mean;
}

static float term_of_l1(float x, float mean)
{
    return fabsf(x - mean);
}

static float term_of_squares(float x, float mean)
{
    return (x - mean) * (x - mean);
}

/* Sums in the order of ML.NET's four lanes (semantics:7.16). */
#define SUM(name, term)                                                                            \
    static float name(const float *values, size_t n, float mean)                                   \
    {                                                                                              \
        float lanes[4] = {0, 0, 0, 0};                                                             \
        size_t i = 0;                                                                              \
        for (; n - i >= 4; i += 4)                                                                 \
            for (size_t k = 0; k < 4; k++)                                                         \
                lanes[k] += term(values[i + k], mean);                                             \
        float sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);                                 \
        for (; i < n; i++)                                                                         \
            sum += term(values[i], mean);                                                          \
        return sum;                                                                                \
    }
SUM(sum_of, term_of_sum)
SUM(sum_l1, term_of_l1)
SUM(sum_squares, term_of_squares)
#undef SUM

/* The greatest distance from the mean; NaN if there is one. */
static float max_of(const float *values, size_t n, float mean)
{
    float max = 0;
    for (size_t i = 0; i < n; i++) {
        const float distance = fabsf(values[i] - mean);
        if (distance > max || distance != distance)
            max = distance;
    }
    return max;
}

/* The deviation of `length` values, of which those without an item are 0. */
static float deviation_of(const float *values, size_t n, int32_t length)
{
    const float mean = sum_of(values, n, 0) / (float)length;
    const float holes = (float)length - (float)n;
    return sqrtf((sum_squares(values, n, mean) + holes * mean * mean) / (float)length);
}

static float norm_of(const float *values, size_t n, int32_t length, float mean, dvi_norm norm)
{
    switch (norm) {
    case DVI_NORM_L1:
        return sum_l1(values, n, mean);
    case DVI_NORM_MAX:
        return max_of(values, n, mean);
    case DVI_NORM_DEVIATION:
        return deviation_of(values, n, length);
    default:
        return sqrtf(sum_squares(values, n, mean));
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void scale(float *values, size_t n, int32_t length, float mean, const lpnorm *l)
{
    const float norm = norm_of(values, n, length, mean, l->options.norm);
    float factor = norm > 0 ? l->options.scale / norm : l->options.scale;
    if (factor < SCALE_LEAST)
        factor = 1;
    for (size_t i = 0; i < n; i++)
        values[i] = (values[i] - mean) * factor;
}

/* Spread n items, which stand at the start of a row, over its slots. From the last on: a slot is
 * never before its item. */
static void spread(float *values, const dvi_vector_row *row)
{
    int32_t slot = row->length;
    for (int32_t i = row->n - 1; i >= 0; i--) {
        const int32_t own = dvi_vector_row_slot(row, i);
        while (--slot > own)
            values[slot] = 0;
        values[own] = values[i];
    }
    while (--slot >= 0)
        values[slot] = 0;
}

/* Write a row. Returns the items that it has now; *is_dense_out: one in each slot. */
static int32_t write_row(float *values, const dvi_vector_row *row, const lpnorm *l,
                         bool *is_dense_out)
{
    const char *src = row->items->as.fixed.values.data;
    int32_t n = row->n;
    float mean = 0;
    if (n > 0)
        memcpy(values, src + 4 * row->item, 4 * (size_t)n);
    if (l->options.subtracts_mean && n > 0)
        mean = sum_of(values, (size_t)n, 0) / (float)row->length;
    *is_dense_out = !row->slots;
    if (row->slots && mean != 0) {
        spread(values, row);
        n = row->length;
        *is_dense_out = true;
    }
    scale(values, (size_t)n, row->length, mean, l);
    return n;
}

static int64_t write_rows(memory *m, const dv_column_view *src, const lpnorm *l,
                          int64_t *indices_out)
{
    float *values = (float *)(void *)m->values->data;
    uint8_t *indices = m->indices->data;
    dvi_vector_row row = dvi_vector_rows(src);
    int64_t items = 0;
    *indices_out = 0;
    while (dvi_vector_rows_next(&row)) {
        bool is_dense;
        const int32_t n = write_row(values + items, &row, l, &is_dense);
        if (!is_dense && n > 0) {
            memcpy(indices + 4 * *indices_out, row.slots, 4 * (size_t)n);
            *indices_out += n;
        }
        dvi_store_i32(m->counts->data + 4 * row.row, is_dense ? -1 : n);
        items += n;
    }
    return items;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    const dv_vector_layout *vector = &src->as.vector;
    const lpnorm *l = f->params;
    memory *m = f->memory;
    int64_t slots = dvi_vector_extent(vector, src->rows).items, indices;
    const int64_t before = slots;
    if (l->options.subtracts_mean) { /* sparse rows may become dense */
        slots = dvi_vector_slots(vector, src->rows);
        DVI_TRY(dvi_holes_check(slots, err));
    }
    DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, 4 * (size_t)slots, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * (size_t)src->rows, err));
    DVI_TRY(dvi_memory_reserve(&m->indices, f->allocator, 4 * (size_t)before, err));
    const int64_t items = write_rows(m, src, l, &indices);
    dst->items =
        (dv_column_view){.type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = items};
    dst->items.as.fixed.values = dvi_memory_buffer(m->values, 0, 4 * (size_t)items, 4);
    dvi_column_set_vectors(dst, f->type, src->rows, NULL, m->counts, m->indices, indices);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const lpnorm *l = made->mapped.params;
    DVI_TRY(dvi_elementwise_inherit(schema, column, source, l->column, DV_SLOT_NAMES, err));
    return dvi_mapper_add_normalized(schema, column, err);
}

static void identify(const void *params, dv_identity *identity)
{
    const dvi_lpnorm_options *options = &((const lpnorm *)params)->options;
    dvi_identity_add_i8(identity, options->norm);
    dvi_identity_add_i8(identity, options->subtracts_mean);
    dv_identity_add(identity, &options->scale, sizeof options->scale);
}

static bool fills_slots(const void *params)
{
    return ((const lpnorm *)params)->options.subtracts_mean;
}

static const dvi_maker lpnorm_maker = {.name = "lpnorm",
                                       .identify = identify,
                                       .describe = describe,
                                       .fill = fill,
                                       .memory = sizeof(memory),
                                       .release = release_memory,
                                       .fills_slots = fills_slots};

dv_status dvi_lpnorm_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                          int32_t column, const void *options, dv_error *err)
{
    const dv_type *type = &dv_schema_column(source, column)->type;
    void *room;
    if (type->kind != DV_KIND_R4 || !dv_type_is_known_size_vector(type)) {
        char found[96];
        dv_type_print(type, found, sizeof found);
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.16", -1, "values with a norm",
                        "vectors of R4 of known size|%s", found);
    }
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(lpnorm), err));
    lpnorm *l = room;
    *l = (lpnorm){*(const dvi_lpnorm_options *)options, column};
    column_out->type = *type;
    column_out->mapped = (dvi_mapped){&lpnorm_maker, l, &l->column, 1};
    return DV_OK;
}
