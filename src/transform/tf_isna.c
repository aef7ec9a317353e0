/* SPDX-License-Identifier: MIT */
/* tf_isna.c: writes which values are missing. */
#include "transform/tf_isna.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/na.h"
#include "view/identity.h"
#include "transform/elementwise.h"
#include "transform/wanted_type.h"

#define RUN 4096 /* values whose bits stay in the cache */

typedef struct rule {
    dvi_na na;
    size_t width; /* of a value */
} rule;

/* Write a bit for each of n values: 1 where it is NA. */
static void mask(uint8_t *bits, const rule *r, const void *src, size_t n)
{
    const dvi_kernel_table *kernels = dvi_kernels();
    switch (r->width) {
    case 1:
        kernels->na_mask_1(bits, src, n, &r->na, 1);
        break;
    case 2:
        kernels->na_mask_2(bits, src, n, &r->na, 1);
        break;
    case 4:
        kernels->na_mask_4(bits, src, n, &r->na, 1);
        break;
    default:
        kernels->na_mask_8(bits, src, n, &r->na, 1);
        break;
    }
}

static void map(const void *state, void *dst, const void *src, const char *indices, size_t n,
                size_t rows)
{
    const rule *r = state;
    uint8_t bits[RUN / 8];
    (void)indices;
    for (size_t i = 0, all = n * rows; i < all; i += RUN) {
        const size_t part = all - i < RUN ? all - i : RUN;
        mask(bits, r, (const char *)src + i * r->width, part);
        dvi_kernels()->bits_expand((int8_t *)dst + i, bits, part);
    }
}

/* The types of source and column say it all. */
static void identify(const void *state, dv_identity *identity)
{
    (void)state;
    (void)identity;
}

static const dvi_elementwise_kind isna = {"isna", map, identify};

dv_status dvi_isna_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                        int32_t column, const void *options, dv_error *err)
{
    const dv_type item = dv_type_item(&dv_schema_column(source, column)->type);
    void *room;
    (void)options;
    if (!item.is_key && item.kind != DV_KIND_R4 && item.kind != DV_KIND_R8)
        return dvi_fail_reals(err, "semantics:7.13", "values of which some may be missing",
                              "R4, R8 or keys", &item);
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(rule), err));
    rule *r = room;
    *r = (rule){dvi_na_of(&item), dvi_width_of(&item)};
    const dvi_elementwise function = {
        .kind = &isna, .state = r, .item = DV_KIND_BL, .is_uniform = true, .is_normalized = true};
    return dvi_elementwise_plan(column_out, arena, source, column, &function, err);
}
