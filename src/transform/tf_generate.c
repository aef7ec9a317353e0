/* SPDX-License-Identifier: MIT */
/* tf_generate.c: columns of random numbers, or of row numbers (semantics:7.16). */
#include "base/check.h"
#include "base/owner.h"
#include "base/random.h"
#include "view/identity.h"
#include "transform/mapper.h"
#include <dataview/transform.h>

/* Of one column: the numbers of the last batch, and the generator after it. */
typedef struct memory {
    dvi_memory *values;
    dvi_random random;
    int64_t drawn; /* rows that the generator has passed */
} memory;

static void release_memory(void *of)
{
    dvi_memory_release(&((memory *)of)->values);
}

static dv_status reserve(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const size_t width = dvi_width_of(f->type), nbytes = (size_t)f->batch->rows * width;
    DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, nbytes, err));
    dst->view =
        (dv_column_view){.type = *f->type, .layout = DV_LAYOUT_FIXED, .rows = f->batch->rows};
    dst->view.as.fixed.values = dvi_memory_buffer(m->values, 0, nbytes, width);
    return DV_OK;
}

/* Row k of the view has draw k: the draws of rows that are not requested are skipped. */
static dv_status fill_random(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const uint32_t *seed = f->params;
    DVI_TRY(reserve(f, dst, err));
    if (m->drawn == 0 || m->drawn > f->batch->first_row) {
        m->random = dvi_random_of(*seed);
        m->drawn = 0;
    }
    for (; m->drawn < f->batch->first_row; m->drawn++)
        dvi_random_u4(&m->random);
    float *values = (float *)(void *)m->values->data;
    for (int64_t i = 0; i < f->batch->rows; i++)
        values[i] = dvi_random_r4(&m->random);
    m->drawn += f->batch->rows;
    return DV_OK;
}

static dv_status fill_numbers(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    DVI_TRY(reserve(f, dst, err));
    int64_t *values = (int64_t *)(void *)m->values->data;
    for (int64_t i = 0; i < f->batch->rows; i++)
        values[i] = f->batch->first_row + i;
    return DV_OK;
}

/* Random numbers are normalized; row numbers have no metadata. */
static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    (void)source;
    return made->mapped.params ? dvi_mapper_add_normalized(schema, column, err) : DV_OK;
}

static void identify(const void *seed, dv_identity *identity)
{
    dvi_identity_add_i8(identity, *(const uint32_t *)seed);
}

static const dvi_maker random_maker = {.name = "random",
                                       .identify = identify,
                                       .describe = describe,
                                       .fill = fill_random,
                                       .memory = sizeof(memory),
                                       .release = release_memory};
static const dvi_maker number_maker = {.name = "number",
                                       .describe = describe,
                                       .fill = fill_numbers,
                                       .memory = sizeof(memory),
                                       .release = release_memory};
static const dv_view_class generate_class =
    DVI_MAPPER_CLASS("generate", dvi_never_shuffles, dvi_no_block_rows);

static dv_status add_columns(dvi_mapper *m, dv_schema **schema_out, const dv_generated *specs,
                             int32_t n, dv_error *err)
{
    void *list, *numbers;
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &list, (size_t)n * sizeof(dvi_new_column), err));
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &numbers, (size_t)n * sizeof(uint32_t), err));
    dvi_new_column *made = list;
    uint32_t *seeds = numbers;
    for (int32_t i = 0; i < n; i++) {
        const bool counts = specs[i].counts;
        seeds[i] = specs[i].seed;
        made[i].name = specs[i].name;
        made[i].type = dv_type_of(counts ? DV_KIND_I8 : DV_KIND_R4);
        made[i].mapped.maker = counts ? &number_maker : &random_maker;
        made[i].mapped.params = counts ? NULL : &seeds[i];
    }
    return dvi_mapper_arrange(m, schema_out, made, n, err);
}

dv_status dv_view_generate(dv_view **view_out, dv_view *source, const dv_generated *specs,
                           int32_t n, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (n < 0)
        return dvi_fail_argument(err, "%d columns; the number must be >= 0", n);
    DVI_TRY(dvi_mapper_create(&mapper, source, n, allocator, err));
    mapper->is_numbered = true;
    const dv_status status = add_columns(mapper, &schema, specs, n, err);
    return dvi_mapper_view(view_out, &generate_class, mapper, schema, status, err);
}
