/* SPDX-License-Identifier: MIT */
/* drawn_bags.c: a maker that draws slots and gives them to a bag. */
#include "support/drawn_bags.h"
#include "base/load.h"
#include "support/many_rows.h"
#include "support/test.h"
#include "transform/bag.h"
#include "transform/mapper.h"
#include <math.h>
#include <stdlib.h>

enum { DRAWN_MOST = 90 }; /* slots of a row, some of them the same */

static const double weights[] = {0,      -0.0,     NAN,       1.5,       -1e300,
                                 1e-320, INFINITY, -INFINITY, -0x1p-149, 0.1};

static double by_slot[1 << 19];

typedef struct memory {
    dvi_bag bag;
    dvi_bag_vectors vectors;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_bag_free(&m->bag);
    dvi_bag_vectors_free(&m->vectors);
}

static dv_status draw_row(const dvi_filling *f, uint64_t number, dv_error *err)
{
    memory *m = f->memory;
    uint64_t state = number * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)f->type->size;
    const int n = (int)(dvt_draw(&state) % 4 == 0 ? 0 : dvt_draw(&state) % DRAWN_MOST);
    dvi_bag_begin(&m->bag);
    const dv_status status = dvi_bag_reserve(&m->bag, DRAWN_MOST, f->allocator, err);
    for (int i = 0; i < n && status == DV_OK; i++)
        dvi_bag_add(&m->bag, (uint32_t)(dvt_draw(&state) % (uint64_t)f->type->size));
    return status;
}

static dv_status start(const dvi_filling *f, dv_error *err)
{
    memory *m = f->memory;
    const dv_status status = dvi_bag_start(&m->bag, f->type->size, f->allocator, err);
    return status == DV_OK
               ? dvi_bag_vectors_start(&m->vectors, f->batch->rows, f->sink, f->allocator, err)
               : status;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const dv_column_view *numbers = dv_batch_column(f->batch, f->slots[0]);
    dv_status status = start(f, err);
    dvi_bag_weights how = {.most = UINT32_MAX};
    if (status == DV_OK && !*(const bool *)f->params)
        how.by_slot = by_slot;
    for (int64_t i = 0; i < f->batch->rows && status == DV_OK; i++) {
        status =
            draw_row(f, dvi_load_u64((const char *)numbers->as.fixed.values.data + 8 * i), err);
        if (status == DV_OK)
            status =
                dvi_bag_vectors_add(&m->vectors, &m->bag, f->type->size, &how, f->allocator, err);
    }
    if (status == DV_OK)
        dvi_bag_vectors_column(&m->vectors, f->type, dst);
    return status;
}

static const dvi_maker maker = {.name = "drawn",
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory,
                                .uses_sinks = true};
static const dv_view_class drawn_class = DVI_MAPPER_CLASS("drawn", NULL, NULL);

dv_view *dvt_drawn_bags(dv_view *source, int32_t size, bool is_plain, const dv_allocator *allocator)
{
    static const bool plain[] = {false, true};
    static const int32_t sources[] = {0};
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dv_view *view;
    dvi_new_column made = {.name = dv_text_of("X"),
                           .type = dv_type_vector(dv_type_of(DV_KIND_R4), size),
                           .mapped = {&maker, &plain[is_plain], sources, 1}};
    cr_assert(size >= 1 && (size_t)size <= sizeof by_slot / sizeof *by_slot);
    for (int32_t s = 0; s < size; s++)
        by_slot[s] = weights[(size_t)s * 7 % (sizeof weights / sizeof *weights)];
    cr_assert_eq(dvi_mapper_create(&mapper, source, 1, allocator, NULL), DV_OK);
    const dv_status status = dvi_mapper_arrange(mapper, &schema, &made, 1, NULL);
    cr_assert_eq(dvi_mapper_view(&view, &drawn_class, mapper, schema, status, NULL), DV_OK);
    return view;
}
