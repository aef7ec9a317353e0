/* SPDX-License-Identifier: MIT */
/* tf_fused_values.c: finds chains of steps that make numbers value by value, and lets blocks of
 * values go through all of them. */
#include "base/check.h"
#include "base/size.h"
#include "transform/elementwise.h"
#include "transform/mapper_trace.h"
#include "transform/tf_convert_priv.h"
#include "transform/tf_fused.h"
#include <string.h>

#define BLOCK 1024 /* values, of at most 8 bytes: two blocks of them stay in the first cache */
#define WIDTH_MOST 8

/* A step, and the values that it makes. */
typedef struct stage {
    dvi_elementwise function;
    size_t width; /* of a value */
    bool fills;   /* slots without an item become another value than the default */
} stage;

typedef struct chain {
    size_t src_width;
    int32_t count;
    stage stages[DVI_TRACE_VIEWS]; /* first the last step; once the chain is whole, in order */
} chain;

/* --- Blocks ----------------------------------------------------------------------------------- */

/* Map at most BLOCK values. */
static void map_block(const chain *c, void *dst, const void *src, const char *indices, size_t n,
                      size_t rows)
{
    _Alignas(64) uint64_t between[2][BLOCK];
    for (int32_t i = 0; i < c->count; i++) {
        void *to = i + 1 == c->count ? dst : between[i % 2];
        dvi_elementwise_map(&c->stages[i].function, to, src, indices, n, rows);
        src = to;
    }
}

static void map(const void *state, void *dst, const void *src, const char *indices, size_t n,
                size_t rows)
{
    const chain *c = state;
    const size_t width = c->stages[c->count - 1].width;
    for (size_t some; rows > 0; rows -= some) {
        some = rows < BLOCK / n ? rows : BLOCK / n;
        map_block(c, dst, src, indices, n, some);
        src = (const char *)src + n * some * c->src_width;
        dst = (char *)dst + n * some * width;
    }
}

/* Identities are those of the views, which are not fused. */
static const dvi_elementwise_kind fused = {"values", map, NULL};

/* --- Stages ----------------------------------------------------------------------------------- */

static void map_converted(const void *state, void *dst, const void *src, const char *indices,
                          size_t n, size_t rows)
{
    const dvi_conversion *conversion = state;
    (void)indices;
    conversion->map(dst, src, n * rows);
}

static const dvi_elementwise_kind converted = {"convert", map_converted, NULL};

/* Take the step that makes a column; false: it does not map values. */
static bool add_stage(chain *c, const dvi_mapped *made)
{
    stage s = {.fills = false};
    const dvi_elementwise *function = dvi_elementwise_of(made, &s.fills);
    const dvi_conversion *conversion = dvi_convert_of(made);
    if (function)
        s.function = *function;
    else if (conversion && dvi_conversion_is_map(conversion))
        s.function = (dvi_elementwise){.kind = &converted,
                                       .state = conversion,
                                       .item = conversion->to.kind,
                                       .is_uniform = true};
    if (!s.function.kind || c->count == DVI_TRACE_VIEWS)
        return false;
    s.width = (size_t)dv_kind_width(s.function.item);
    if (s.width > WIDTH_MOST)
        return false;
    c->stages[c->count++] = s;
    return true;
}

static void reverse(chain *c)
{
    for (int32_t i = 0, k = c->count - 1; i < k; i++, k--) {
        const stage s = c->stages[i];
        c->stages[i] = c->stages[k];
        c->stages[k] = s;
    }
}

/* --- Planning --------------------------------------------------------------------------------- */

/* Do the first n steps leave the default value as it is, to the bit? Alone they would leave it out;
 * where a later step fills all slots, they see it. */
static bool keeps_default(const chain *c, int32_t n, size_t slots)
{
    static const uint64_t zeros[BLOCK];
    uint64_t made[BLOCK];
    chain first = {.src_width = c->src_width, .count = n};
    if (n == 0)
        return true;
    memcpy(first.stages, c->stages, (size_t)n * sizeof *c->stages);
    map_block(&first, made, zeros, NULL, slots, 1);
    return memcmp(made, zeros, slots * first.stages[n - 1].width) == 0;
}

/* May the steps be one? *fills_out: so do all of them together. */
static bool is_one(const chain *c, const dv_type *type, bool is_uniform, bool *fills_out)
{
    const int64_t slots = is_uniform ? 1 : dv_type_value_count(type);
    *fills_out = false;
    if (c->count < 2 || slots < 1 || slots > BLOCK)
        return false;
    for (int32_t i = 0; i < c->count && !*fills_out; i++) {
        *fills_out = c->stages[i].fills;
        if (*fills_out && !keeps_default(c, i, (size_t)slots))
            return false;
    }
    return true;
}

/* Follow the column down, as long as steps map values; *mapped: the sources of the first one. */
static dv_status collect(chain *c, dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                         dv_error *err)
{
    dvi_trace t;
    bool goes_on = dvi_trace_start(&t, source, mapped->sources[0]);
    while (goes_on && add_stage(c, t.made)) {
        dvi_mapped deeper = {.maker = NULL};
        const dv_status status = dvi_trace_sources(&t, &deeper, arena, err);
        if (status == DV_NOT_FOUND) { /* a step has dropped it */
            c->count--;
            return DV_OK;
        }
        DVI_TRY(status);
        *mapped = deeper;
        goes_on = dvi_trace_source(&t);
    }
    return DV_OK;
}

dv_status dvi_fuse_values(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                          dv_error *err)
{
    void *room;
    bool fills;
    dvi_mapped made = *mapped;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(chain), err));
    chain *c = room;
    if (!add_stage(c, mapped))
        return DV_OK;
    DVI_TRY(collect(c, &made, source, arena, err));
    reverse(c);
    const dv_type *type = &dv_schema_column(dv_view_schema(source), made.sources[0])->type;
    const dv_type item = dv_type_item(type);
    c->src_width = (size_t)dv_kind_width(item.kind);
    dvi_elementwise function = {.kind = &fused,
                                .state = c,
                                .item = c->stages[c->count - 1].function.item,
                                .is_uniform = true,
                                .is_built = c->stages[c->count - 1].function.is_built};
    for (int32_t i = 0; i < c->count; i++)
        function.is_uniform &= c->stages[i].function.is_uniform;
    if (!is_one(c, type, function.is_uniform, &fills))
        return DV_OK;
    DVI_TRY(dvi_elementwise_set(&made, arena, &function, fills, err));
    *mapped = made;
    return DV_OK;
}
