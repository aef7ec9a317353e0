/* SPDX-License-Identifier: MIT */
/* tf_replacena.c: replaces missing values, each by that of its slot. */
#include "base/check.h"
#include "view/identity.h"
#include "transform/tf_replacena_priv.h"
#include <inttypes.h>
#include <string.h>

const dvi_learned_columns dvi_replacements = {
    .table = "values", .n = 1, .names = {"Value"}, .kinds = {DV_KIND_NONE}};

/* NaN alone differs from itself. */
#define REPLACE(name, T, U, load, kernel)                                                          \
    static void name(const void *state, void *dst, const void *src, const char *indices, size_t n, \
                     size_t rows)                                                                  \
    {                                                                                              \
        const dvi_replacena *of = state;                                                           \
        const T *values = of->values->values[0];                                                   \
        const char *p = src;                                                                       \
        T *made = dst;                                                                             \
        if (!indices && n == 1) {                                                                  \
            U bits;                                                                                \
            memcpy(&bits, values, sizeof bits);                                                    \
            dvi_kernels()->kernel(dst, src, rows, &of->na, bits);                                  \
            return;                                                                                \
        }                                                                                          \
        for (size_t row = 0; row < rows; row++)                                                    \
            for (size_t i = 0; i < n; i++, p += sizeof(T)) {                                       \
                const T value = load(p);                                                           \
                const size_t slot = indices ? (size_t)dvi_load_i32(indices + 4 * i) : i;           \
                *made++ = value == value ? value : values[slot];                                   \
            }                                                                                      \
    }
REPLACE(replace_r4, float, uint32_t, dvi_load_f4, na_replace_4)
REPLACE(replace_r8, double, uint64_t, dvi_load_f8, na_replace_8)
#undef REPLACE

static void identify(const void *state, dv_identity *identity)
{
    const dvi_learned_table *t = ((const dvi_replacena *)state)->values;
    dvi_identity_add_i8(identity, t->rows);
    dv_identity_add(identity, t->values[0], (size_t)t->rows * (t->real == DV_KIND_R4 ? 4 : 8));
}

static const dvi_elementwise_kind kind_r4 = {"replacena", replace_r4, identify};
static const dvi_elementwise_kind kind_r8 = {"replacena", replace_r8, identify};

dv_status dvi_replacena_set(dvi_replacena *r, const dv_type *type, const dvi_learned_table *values,
                            dv_error *err)
{
    const dv_type item = dv_type_item(type);
    if (type->kind != values->real ||
        (values->rows != 1 && values->rows != dv_type_value_count(type)))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.13", -1, "values to replace",
                        "%s, in %" PRId64 " slots|%s, in %d", dv_kind_name(values->real),
                        values->rows, dv_kind_name(type->kind), (int)dv_type_value_count(type));
    r->values = values;
    r->na = dvi_na_of(&item);
    r->function = (dvi_elementwise){.kind = type->kind == DV_KIND_R4 ? &kind_r4 : &kind_r8,
                                    .state = r,
                                    .item = type->kind,
                                    .is_uniform = values->rows == 1};
    return DV_OK;
}

dv_status dvi_replacena_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const void *options, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_replacena), err));
    dvi_replacena *r = room;
    DVI_TRY(dvi_replacena_set(r, &dv_schema_column(source, column)->type, options, err));
    return dvi_elementwise_plan(column_out, arena, source, column, &r->function, err);
}
