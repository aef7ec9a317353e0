/* SPDX-License-Identifier: MIT */
/* slot_statistics.c: adds values to the statistics of their slots. */
#include "transform/slot_statistics.h"
#include "base/check.h"
#include "simd/dispatch.h"
#include <math.h>

/* --- Minimum and maximum ---------------------------------------------------------------------- */

void dvi_extremes_init(dvi_extremes *extremes, int32_t slots)
{
    for (int32_t i = 0; i < slots; i++)
        extremes[i] = (dvi_extremes){INFINITY, -INFINITY, 0};
}

static inline void add_extreme(dvi_extremes *e, double value)
{
    e->least = value < e->least ? value : e->least;
    e->most = value > e->most ? value : e->most;
}

dv_status dvi_extremes_take(void *extremes, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++) {
        dvi_extremes *e = (dvi_extremes *)extremes + dvi_slot_of(v, i);
        const int64_t before = v->is_single ? v->row + (int64_t)i : v->row;
        if (e->items < before) /* a row before had no item: a 0 that may come before this one */
            add_extreme(e, 0);
        add_extreme(e, v->values[i]);
        e->items++;
    }
    return DV_OK;
}

/* --- The same, of columns without holes ------------------------------------------------------- */

#define WIDTH 256 /* values that are compared at once, of one or more rows */

/* Values that follow each other: `rows` rows of `width` values that are looked at, each row
 * `stride` bytes behind the one before. */
typedef struct grid {
    const char *src;
    size_t width, rows, stride;
} grid;

/* The extremes of each column of a grid. A comparison with NaN is false, and keeps the previous
 * value. */
#define DEFINE_COLUMNS(name, T, load)                                                              \
    static void name(double least_out[WIDTH], double most_out[WIDTH], grid g)                      \
    {                                                                                              \
        T least[WIDTH], most[WIDTH];                                                               \
        for (size_t i = 0; i < g.width; i++) {                                                     \
            least[i] = (T)INFINITY;                                                                \
            most[i] = (T)-INFINITY;                                                                \
        }                                                                                          \
        for (size_t row = 0; row < g.rows; row++, g.src += g.stride)                               \
            for (size_t i = 0; i < g.width; i++) {                                                 \
                const T value = load(g.src + i * sizeof(T));                                       \
                least[i] = value < least[i] ? value : least[i];                                    \
                most[i] = value > most[i] ? value : most[i];                                       \
            }                                                                                      \
        for (size_t i = 0; i < g.width; i++) {                                                     \
            least_out[i] = (double)least[i];                                                       \
            most_out[i] = (double)most[i];                                                         \
        }                                                                                          \
    }
DEFINE_COLUMNS(find_r4, float, dvi_load_f4)
DEFINE_COLUMNS(find_r8, double, dvi_load_f8)
#undef DEFINE_COLUMNS

/* false: an extreme is 0, and it is not known whether -0 or 0 comes first. */
static bool merge(dvi_extremes *e, double least, double most)
{
    if ((least < e->least && least == 0) || (most > e->most && most == 0))
        return false;
    e->least = least < e->least ? least : e->least;
    e->most = most > e->most ? most : e->most;
    return true;
}

/* Merge a grid whose columns are the slots from e on, again and again. */
static bool see_grid(dvi_extremes *e, size_t slots, bool is_r4, const grid *g)
{
    double least[WIDTH], most[WIDTH];
    (is_r4 ? find_r4 : find_r8)(least, most, *g);
    for (size_t i = 0; g->rows > 0 && i < g->width; i++)
        if (!merge(e + i % slots, least[i], most[i]))
            return false;
    return true;
}

static bool see_scalars(dvi_extremes *e, const char *src, size_t rows, bool is_r4)
{
    float r4[2];
    double r8[2];
    if (!is_r4) {
        dvi_kernels()->minmax_r8(src, rows, r8);
        return merge(e, r8[0], r8[1]);
    }
    dvi_kernels()->minmax_r4(src, rows, r4);
    return merge(e, (double)r4[0], (double)r4[1]);
}

/* Rows of few slots are put together, so that there are enough for vector instructions. */
static bool see_dense(dvi_extremes *e, const char *src, size_t rows, size_t n, bool is_r4)
{
    const size_t width = is_r4 ? 4 : 8, together = n < WIDTH ? WIDTH / n : 1;
    const grid whole = {src, together * n, rows / together, together * n * width};
    const grid rest = {src + whole.rows * whole.stride, n, rows % together, n * width};
    if (n == 1)
        return see_scalars(e, src, rows, is_r4);
    if (n <= WIDTH)
        return see_grid(e, n, is_r4, &whole) && see_grid(e, n, is_r4, &rest);
    for (size_t i = 0, some; i < n; i += some) {
        some = n - i < WIDTH ? n - i : WIDTH;
        const grid part = {src + i * width, some, rows, n * width};
        if (!see_grid(e + i, some, is_r4, &part))
            return false;
    }
    return true;
}

dv_status dvi_extremes_see(dvi_extremes *extremes, const dv_column_view *column, int64_t row,
                           dv_error *err)
{
    const bool is_vector = column->layout == DV_LAYOUT_VECTOR;
    const dv_column_view *items = is_vector ? column->as.vector.items : column;
    const int32_t n = dv_type_value_count(&column->type);
    const bool is_whole =
        column->rows > 0 &&
        (!is_vector ||
         dvi_vector_extent(&column->as.vector, column->rows).items == n * column->rows);
    const size_t width = items->type.kind == DV_KIND_R4 ? 4 : 8;
    const char *values = items->as.fixed.values.data;
    const size_t first = is_vector ? (size_t)column->as.vector.item_base : 0;
    for (int32_t i = 0; is_whole && i < n; i++)
        if (extremes[i].items < row)
            add_extreme(&extremes[i], 0);
    if (!is_whole ||
        !see_dense(extremes, values + first * width, (size_t)column->rows, (size_t)n, width == 4))
        return dvi_slot_values_each(column, row, dvi_extremes_take, extremes, err);
    for (int32_t i = 0; i < n; i++)
        extremes[i].items += column->rows;
    return DV_OK;
}

/* --- Zeros ------------------------------------------------------------------------------------ */

void dvi_extremes_finish(dvi_extremes *e, int64_t rows)
{
    if (e->items < rows)
        add_extreme(e, 0);
}

/* --- Mean and deviation ----------------------------------------------------------------------- */

static inline void add_moment(dvi_moments *m, double value)
{
    if (value - value != 0) { /* NaN, or an infinity */
        m->others++;
        return;
    }
    m->n++;
    const double d = value - m->mean;
    m->mean += d / (double)m->n;
    m->m2 += d * (value - m->mean);
}

dv_status dvi_moments_take(void *moments, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++)
        if (v->values[i] != 0)
            add_moment((dvi_moments *)moments + dvi_slot_of(v, i), v->values[i]);
    return DV_OK;
}

dv_status dvi_moments_take_ln4(void *moments, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++)
        if (v->values[i] > 0)
            add_moment((dvi_moments *)moments + dvi_slot_of(v, i),
                       (double)(float)log(v->values[i]));
    return DV_OK;
}

dv_status dvi_moments_take_ln8(void *moments, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++)
        if (v->values[i] > 0)
            add_moment((dvi_moments *)moments + dvi_slot_of(v, i), log(v->values[i]));
    return DV_OK;
}

void dvi_moments_finish(dvi_moments *m, int64_t rows)
{
    const int64_t zeros = rows - m->n - m->others;
    if (zeros <= 0)
        return;
    m->n += zeros;
    const double d = 0 - m->mean;
    m->mean += d * (double)zeros / (double)m->n;
    m->m2 += d * (0 - m->mean) * (double)zeros;
}

/* --- The mean --------------------------------------------------------------------------------- */

/* The mean moves by each value. What is written differently for values of another sign cannot
 * overflow, and is rounded differently (semantics:7.13). */
static inline void move_mean(dvi_mean *m, double value)
{
    const double n = (double)++m->n;
    if ((m->mean > 0) != (value > 0))
        m->mean = m->mean - m->mean / n + value / n;
    else
        m->mean += (value - m->mean) / n;
}

dv_status dvi_mean_take(void *means, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++) {
        dvi_mean *m = (dvi_mean *)means + dvi_slot_of(v, i);
        const double value = v->values[i];
        if (value - value != 0)
            m->others++;
        else if (value != 0)
            move_mean(m, value);
    }
    return DV_OK;
}

double dvi_mean_of(const dvi_mean *m, int64_t rows)
{
    const int64_t n = rows - m->others;
    return n > 0 ? m->mean * ((double)m->n / (double)n) : 0;
}
