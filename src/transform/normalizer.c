/* SPDX-License-Identifier: MIT */
/* normalizer.c: maps values by scales, deviations or bounds. */
#include "transform/normalizer.h"
#include "base/check.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "view/identity.h"
#include "transform/elementwise.h"
#include "transform/wanted_type.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

const dvi_learned_columns dvi_scales = {
    .table = "scales", .n = 2, .names = {"Offset", "Scale"}, .kinds = {DV_KIND_NONE, DV_KIND_NONE}};
const dvi_learned_columns dvi_deviations = {.table = "deviations",
                                            .n = 2,
                                            .names = {"Mean", "Deviation"},
                                            .kinds = {DV_KIND_NONE, DV_KIND_NONE}};
const dvi_learned_columns dvi_bounds = {
    .table = "bounds", .n = 2, .names = {"Slot", "Bound"}, .kinds = {DV_KIND_I4, DV_KIND_NONE}};

#define RUN 512 /* values that a kernel takes at once, or more */

/* The state of a map. */
typedef struct normalizer {
    const dvi_learned_table *learned;
    const void *first, *second; /* columns of reals; scales: again and again, if slots are few */
    size_t run;                 /* scales: so many values, all slots once or more often */
    const int64_t *starts;      /* bounds: of each slot, and their number */
    bool is_vector, is_log, fixes_zero;
} normalizer;

/* A map that calls `one(n, slot, x)` for each value. */
#define MAP(name, T, load, one)                                                                    \
    static void name(const void *state, void *dst, const void *src, const char *indices, size_t n, \
                     size_t rows)                                                                  \
    {                                                                                              \
        const normalizer *of = state;                                                              \
        const char *p = src;                                                                       \
        T *made = dst;                                                                             \
        for (size_t row = 0; row < rows; row++)                                                    \
            for (size_t i = 0; i < n; i++, p += sizeof(T))                                         \
                *made++ = one(of, indices ? (size_t)dvi_load_i32(indices + 4 * i) : i, load(p));   \
    }

/* --- Scales ----------------------------------------------------------------------------------- */

/* In a vector 0 is added, which makes -0 a 0, as in all vectors of ML.NET's. */
#define AFFINE(name, T, load, kernel)                                                              \
    static void name(const void *state, void *dst, const void *src, const char *indices, size_t n, \
                     size_t rows)                                                                  \
    {                                                                                              \
        const normalizer *of = state;                                                              \
        const T *offset = of->first, *scale = of->second;                                          \
        const char *p = src;                                                                       \
        T *made = dst;                                                                             \
        for (size_t i = 0; indices && i < n; i++) {                                                \
            const size_t slot = (size_t)dvi_load_i32(indices + 4 * i);                             \
            made[i] = (load(p + i * sizeof(T)) - offset[slot]) * scale[slot] +                     \
                      (of->is_vector ? 0 : (T)-0.0);                                               \
        }                                                                                          \
        for (size_t i = 0, some; !indices && i < n * rows; i += some) {                            \
            some = n * rows - i < of->run ? n * rows - i : of->run;                                \
            dvi_kernels()->kernel(made + i, p + i * sizeof(T), some, offset, scale,                \
                                  of->is_vector);                                                  \
        }                                                                                          \
    }
AFFINE(map_scales_r4, float, dvi_load_f4, affine_r4)
AFFINE(map_scales_r8, double, dvi_load_f8, affine_r8)
#undef AFFINE

/* --- The distribution function of a normal or log-normal distribution ------------------------- */

#define FOUR_BY_PI (4 / 3.14159265358979323846)

/* Rounded to T after each step but the last (semantics:7.12). */
#define CDF(name, T, denormal)                                                                     \
    static T name(const normalizer *n, size_t slot, T x)                                           \
    {                                                                                              \
        const T mean = ((const T *)n->first)[slot], sd = ((const T *)n->second)[slot];             \
        if (n->is_log)                                                                             \
            x = x > 0 ? (T)log((double)x) : (T)NAN;                                                \
        if (!(x - x == 0) || !(sd > (denormal)) || !(sd - sd == 0))                                \
            return 0;                                                                              \
        const T distance = (x - mean) / sd;                                                        \
        const T q = distance * distance / 2;                                                       \
        const T a = (T)0.147 * q;                                                                  \
        const T d = 1 + a;                                                                         \
        const double sign = distance > 0 ? 1 : distance < 0 ? -1 : 0;                              \
        const double tail = exp(-(double)q * (FOUR_BY_PI + (double)a) / (double)d);                \
        return (T)(0.5 + 0.5 * sign * sqrt(1 - tail));                                             \
    }
CDF(cdf_r4, float, FLT_TRUE_MIN)
CDF(cdf_r8, double, DBL_TRUE_MIN)
#undef CDF
MAP(map_cdf_r4, float, dvi_load_f4, cdf_r4)
MAP(map_cdf_r8, double, dvi_load_f8, cdf_r8)

/* --- Bounds ----------------------------------------------------------------------------------- */

#define BIN(name, find, T)                                                                         \
    /* The first of n bounds that is not less than x. */                                           \
    static size_t find(const T *bounds, size_t n, T x)                                             \
    {                                                                                              \
        size_t first = 0;                                                                          \
        while (n > 1) {                                                                            \
            const size_t half = n / 2;                                                             \
            first += bounds[first + half - 1] < x ? half : 0;                                      \
            n -= half;                                                                             \
        }                                                                                          \
        return first;                                                                              \
    }                                                                                              \
    static T name(const normalizer *n, size_t slot, T x)                                           \
    {                                                                                              \
        const T *bounds = (const T *)n->second + n->starts[slot];                                  \
        const size_t bins = (size_t)(n->starts[slot + 1] - n->starts[slot]);                       \
        const T scale = (T)(bins > 1 ? bins - 1 : 1);                                              \
        const T offset = n->fixes_zero ? (T)find(bounds, bins, 0) / scale : 0;                     \
        return x == x ? (T)find(bounds, bins, x) / scale - offset : x;                             \
    }
BIN(bin_r4, find_r4, float)
BIN(bin_r8, find_r8, double)
#undef BIN
MAP(map_vector_bins_r4, float, dvi_load_f4, bin_r4)
MAP(map_vector_bins_r8, double, dvi_load_f8, bin_r8)

/* Many values of one slot. */
#define BINS(name, T, load, find, kernel, others)                                                  \
    static void name(const void *state, void *dst, const void *src, const char *indices, size_t n, \
                     size_t rows)                                                                  \
    {                                                                                              \
        const normalizer *of = state;                                                              \
        uint32_t bin[RUN];                                                                         \
        const T *bounds = of->second;                                                              \
        const char *p = src;                                                                       \
        T *made = dst;                                                                             \
        if (indices || n > 1) {                                                                    \
            others(state, dst, src, indices, n, rows);                                             \
            return;                                                                                \
        }                                                                                          \
        const size_t bins = (size_t)of->starts[1];                                                 \
        const T scale = (T)(bins > 1 ? bins - 1 : 1);                                              \
        const T offset = of->fixes_zero ? (T)find(bounds, bins, 0) / scale : 0;                    \
        for (size_t some; rows > 0; rows -= some, p += some * sizeof(T), made += some) {           \
            some = rows < RUN ? rows : RUN;                                                        \
            dvi_kernels()->kernel(bin, p, some, bounds, bins);                                     \
            for (size_t i = 0; i < some; i++) {                                                    \
                const T x = load(p + i * sizeof(T));                                               \
                made[i] = x == x ? (T)bin[i] / scale - offset : x;                                 \
            }                                                                                      \
        }                                                                                          \
    }
BINS(map_bins_r4, float, dvi_load_f4, find_r4, bins_r4, map_vector_bins_r4)
BINS(map_bins_r8, double, dvi_load_f8, find_r8, bins_r8, map_vector_bins_r8)
#undef BINS

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *state, dv_identity *identity)
{
    const normalizer *n = state;
    const dvi_learned_table *t = n->learned;
    const size_t width = t->real == DV_KIND_R4 ? 4 : 8;
    dvi_identity_add_i8(identity, n->is_log);
    dvi_identity_add_i8(identity, n->fixes_zero);
    dvi_identity_add_i8(identity, t->rows);
    dv_identity_add(identity, t->values[0],
                    (size_t)t->rows * (t->columns == &dvi_bounds ? 4 : width));
    dv_identity_add(identity, t->values[1], (size_t)t->rows * width);
}

static const dvi_elementwise_kind scales_r4 = {"scales", map_scales_r4, identify};
static const dvi_elementwise_kind scales_r8 = {"scales", map_scales_r8, identify};
static const dvi_elementwise_kind cdf4 = {"deviations", map_cdf_r4, identify};
static const dvi_elementwise_kind cdf8 = {"deviations", map_cdf_r8, identify};
static const dvi_elementwise_kind bins_r4 = {"bounds", map_bins_r4, identify};
static const dvi_elementwise_kind bins_r8 = {"bounds", map_bins_r8, identify};

static const dvi_elementwise_kind *kind_of(const dvi_learned_table *t)
{
    const bool is_r4 = t->real == DV_KIND_R4;
    if (t->columns == &dvi_scales)
        return is_r4 ? &scales_r4 : &scales_r8;
    if (t->columns == &dvi_deviations)
        return is_r4 ? &cdf4 : &cdf8;
    return is_r4 ? &bins_r4 : &bins_r8;
}

static int64_t slots_of(const dvi_learned_table *t)
{
    return t->columns != &dvi_bounds ? t->rows
           : t->rows > 0             ? (int64_t)((const int32_t *)t->values[0])[t->rows - 1] + 1
                                     : 0;
}

/* Where the bounds of each slot start. */
static dv_status find_starts(normalizer *n, dvi_arena *arena, dv_error *err)
{
    void *room;
    const dvi_learned_table *t = n->learned;
    const int32_t *slot = t->values[0];
    if (t->columns != &dvi_bounds)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(arena, &room, ((size_t)slots_of(t) + 1) * sizeof(int64_t), err));
    int64_t *starts = room;
    for (int64_t i = 0; i < t->rows; i++)
        starts[slot[i] + 1] = i + 1;
    n->starts = starts;
    return DV_OK;
}

/* Repeat a column of reals until there are enough of them for a kernel. */
static dv_status repeat(const void **column, dvi_arena *arena, size_t nbytes, size_t times,
                        dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, nbytes * times, err));
    for (size_t i = 0; i < times; i++)
        memcpy((char *)room + i * nbytes, *column, nbytes);
    *column = room;
    return DV_OK;
}

static dv_status spread_scales(normalizer *n, dvi_arena *arena, dv_error *err)
{
    const dvi_learned_table *t = n->learned;
    const size_t slots = (size_t)t->rows;
    DVI_KNOWN(slots > 0);
    const size_t times = slots < RUN ? RUN / slots : 1;
    const size_t nbytes = slots * (t->real == DV_KIND_R4 ? 4 : 8);
    if (t->columns != &dvi_scales)
        return DV_OK;
    n->run = slots * times;
    DVI_TRY(repeat(&n->first, arena, nbytes, times, err));
    return repeat(&n->second, arena, nbytes, times, err);
}

dv_status dvi_normalizer_check(const dv_type *type, dv_error *err)
{
    if ((type->kind != DV_KIND_R4 && type->kind != DV_KIND_R8) ||
        (type->rank > 0 && type->size == 0))
        return dvi_fail_reals(err, "semantics:7.12", "values to learn from",
                              "R4 or R8, or vectors of known size", type);
    if (dv_type_value_count(type) > DVI_LEARNED_SLOTS)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.12", -1, "slots to learn from",
                        "at most %d|%d", DVI_LEARNED_SLOTS, (int)type->size);
    return DV_OK;
}

dv_status dvi_normalizer_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                              int32_t column, const void *options, dv_error *err)
{
    const dvi_normalizer_options *o = options;
    const dvi_learned_table *t = o->learned;
    const dv_type *type = &dv_schema_column(source, column)->type;
    void *room;
    DVI_TRY(dvi_normalizer_check(type, err));
    if (type->kind != t->real || dv_type_value_count(type) != slots_of(t))
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "values as those learned from",
                        "%" PRId64 " slots of %s|%d of %s", slots_of(t), dv_kind_name(t->real),
                        (int)dv_type_value_count(type), dv_kind_name(type->kind));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(normalizer), err));
    normalizer *n = room;
    *n = (normalizer){.learned = t,
                      .first = t->values[0],
                      .second = t->values[1],
                      .is_vector = type->rank > 0,
                      .is_log = o->is_log,
                      .fixes_zero = o->fixes_zero};
    DVI_TRY(find_starts(n, arena, err));
    DVI_TRY(spread_scales(n, arena, err));
    const dvi_elementwise function = {.kind = kind_of(t),
                                      .state = n,
                                      .item = type->kind,
                                      .is_normalized = true,
                                      .is_built = o->is_built};
    return dvi_elementwise_plan(column_out, arena, source, column, &function, err);
}

/* --- Tables from anyone ----------------------------------------------------------------------- */

/* Each slot has bounds, from slot 0 on, which do not decrease and end in infinity. Two may be
 * infinite: that between the greatest number and infinity is. */
static dv_status check_bounds(const dvi_learned_table *t, dv_error *err)
{
    const int32_t *slot = t->values[0];
    for (int64_t i = 0; i < t->rows; i++) {
        const double bound = dvi_learned_get(t, 1, i);
        const bool is_first = i == 0 || slot[i] != slot[i - 1];
        const bool is_last = i + 1 == t->rows || slot[i] != slot[i + 1];
        const int64_t before = i == 0 ? -1 : slot[i - 1];
        DVI_REQUIRE(slot[i] == before + is_first,
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT12", -1, "slots of bounds",
                             "each, from 0 on|%d after %" PRId64, (int)slot[i], before));
        DVI_REQUIRE(is_first ? bound == bound : bound >= dvi_learned_get(t, 1, i - 1),
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT12", -1, "bounds of a slot",
                             "rising|%g in row %" PRId64, bound, i));
        DVI_REQUIRE(!is_last || bound > DBL_MAX,
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT12", -1, "last bound of a slot",
                             "infinity|%g in row %" PRId64, bound, i));
    }
    return DV_OK;
}

dv_status dvi_normalizer_check_table(const dvi_learned_table *t, dv_error *err)
{
    DVI_REQUIRE(t->rows > 0, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT11", -1, "slots", "1 or more|0"));
    if (t->columns == &dvi_bounds)
        return check_bounds(t, err);
    for (int64_t i = 0; i < t->rows; i++)
        DVI_REQUIRE(dvi_learned_get(t, 1, i) == dvi_learned_get(t, 1, i),
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT11", -1, t->columns->names[1],
                             "a number|NaN in row %" PRId64, i));
    return DV_OK;
}
