/* SPDX-License-Identifier: MIT */
/* stats_column.c: adds values of every kind to the summary of a column.
 *
 * Values are cut into leaves by their rows alone, so the result does not depend on batches or runs.
 */
#include "stats/stats_column.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "type/open_type.h"
#include "codec/datetime.h"
#include "view/column.h"
#include <dataview/value.h>
#include <math.h>

#define SIGN (UINT64_C(1) << 63)
#define SLICE INT64_C(1024) /* values to make room for at once */

_Static_assert(SLICE <= (int64_t)DVI_LEAF_PENDING, "room for a slice");

/* --- Numbers and their order ------------------------------------------------------------------ */

static inline uint64_t key_of_real(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

uint64_t dvi_stats_key_of(dv_stats_form form, dv_stats_value value)
{
    switch (form) {
    case DV_STATS_I8:
        return value.u8 ^ SIGN;
    case DV_STATS_R8:
        return key_of_real(value.r8 + 0.0); /* -0 becomes 0 */
    default:
        return value.u8;
    }
}

dv_stats_value dvi_stats_value_of(dv_stats_form form, uint64_t key)
{
    switch (form) {
    case DV_STATS_I8:
        return (dv_stats_value){.u8 = key ^ SIGN};
    case DV_STATS_R8:
        return (dv_stats_value){.u8 = key & SIGN ? key ^ SIGN : ~key};
    default:
        return (dv_stats_value){.u8 = key};
    }
}

double dvi_stats_number_of(dv_stats_form form, uint64_t key)
{
    const dv_stats_value value = dvi_stats_value_of(form, key);
    switch (form) {
    case DV_STATS_I8:
        return (double)value.i8;
    case DV_STATS_R8:
        return value.r8;
    default:
        return (double)value.u8;
    }
}

static dv_stats_form form_of(const dv_type *item)
{
    switch (item->kind) {
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_I4:
    case DV_KIND_I8:
    case DV_KIND_TS:
    case DV_KIND_DT:
    case DV_KIND_DZ:
        return DV_STATS_I8;
    case DV_KIND_U1:
    case DV_KIND_U2:
    case DV_KIND_U4:
    case DV_KIND_U8:
    case DV_KIND_BL:
        return DV_STATS_U8;
    case DV_KIND_R4:
    case DV_KIND_R8:
        return DV_STATS_R8;
    default:
        return DV_STATS_NONE;
    }
}

/* --- Life ------------------------------------------------------------------------------------- */

static void start(dvi_stats_column *c, const dv_type *type)
{
    c->type = type;
    c->item = dv_type_item(type);
    c->form = form_of(&c->item);
    c->has_distinct = c->form != DV_STATS_R8;
    c->low = UINT64_MAX;
    c->distinct.has_tails = c->item.kind == DV_KIND_TX || c->item.kind == DV_KIND_BY;
}

void dvi_stats_column_init(dvi_stats_column *c, const dv_type *type, size_t exact_values,
                           size_t exact_distinct, atomic_bool *many, const dv_allocator *allocator)
{
    *c = (dvi_stats_column){.rows = 0};
    dvi_tree_init(&c->tree, exact_values, allocator);
    dvi_distinct_init(&c->distinct, exact_distinct, false, many, allocator);
    start(c, type);
}

void dvi_stats_column_free(dvi_stats_column *c)
{
    dvi_tree_free(&c->tree);
    dvi_distinct_clear(&c->distinct);
}

void dvi_stats_column_reset(dvi_stats_column *c, const dv_type *type, atomic_bool *many)
{
    dvi_tree_reset(&c->tree);
    dvi_distinct_clear(&c->distinct);
    *c = (dvi_stats_column){.tree = c->tree, .distinct = c->distinct};
    c->distinct.many = many;
    start(c, type);
}

/* --- Counting --------------------------------------------------------------------------------- */

/* Far from wrapping, so that single counts need no check. */
static void count(int64_t *sum, int64_t n)
{
    *sum = n > DVI_COUNT_MOST - *sum ? DVI_COUNT_MOST : *sum + n;
}

/* Add n things of a length. */
static void add_lengths(dvi_length_sum *sum, int64_t length, int64_t n)
{
    if (n == 0)
        return;
    sum->least = sum->count ? dvi_min_i64(sum->least, length) : length;
    sum->most = sum->count ? dvi_max_i64(sum->most, length) : length;
    count(&sum->total, length > DVI_COUNT_MOST / n ? DVI_COUNT_MOST : length * n);
    count(&sum->count, n);
}

static void merge_lengths(dvi_length_sum *sum, const dvi_length_sum *more)
{
    if (more->count == 0)
        return;
    sum->least = sum->count ? dvi_min_i64(sum->least, more->least) : more->least;
    sum->most = dvi_max_i64(sum->most, more->most);
    count(&sum->total, more->total);
    count(&sum->count, more->count);
}

/* Add a value that is not NA, by its order and as a number. */
static DVI_ALWAYS_INLINE dv_status add_value(dvi_stats_column *c, uint64_t key, double number,
                                             dv_error *err)
{
    c->low = key < c->low ? key : c->low;
    c->high = key > c->high ? key : c->high;
    return dvi_tree_add(&c->tree, key, number) ? dvi_tree_spill(&c->tree, err) : DV_OK;
}

static DVI_ALWAYS_INLINE dv_status add_signed(dvi_stats_column *c, int64_t x, dv_error *err)
{
    DVI_TRY(dvi_distinct_number(&c->distinct, (uint64_t)x, 1, err));
    if (x != 0)
        return add_value(c, (uint64_t)x ^ SIGN, (double)x, err);
    c->zeros++;
    return DV_OK;
}

static DVI_ALWAYS_INLINE dv_status add_unsigned(dvi_stats_column *c, uint64_t x, dv_error *err)
{
    DVI_TRY(dvi_distinct_number(&c->distinct, x, 1, err));
    if (x != 0)
        return add_value(c, x, (double)x, err);
    c->zeros++;
    return DV_OK;
}

static DVI_ALWAYS_INLINE dv_status add_real(dvi_stats_column *c, double x, dv_error *err)
{
    if (x == 0)
        c->zeros++;
    else if (x != x)
        c->na++;
    else if (isinf(x))
        *(x < 0 ? &c->negative_infinities : &c->positive_infinities) += 1;
    else
        return add_value(c, key_of_real(x), x, err);
    return DV_OK;
}

/* --- Values of each kind, n <= SLICE of them at any address ----------------------------------- */

/* v: a value; is_na: whether it is NA; put: what else to do with it */
#define ADD_FIXED(name, ctype, is_na, add_it)                                                      \
    static dv_status add_##name(dvi_stats_column *c, const uint8_t *src, int64_t n, dv_error *err) \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            ctype v;                                                                               \
            memcpy(&v, src + (size_t)i * sizeof v, sizeof v);                                      \
            if (is_na)                                                                             \
                c->na++;                                                                           \
            else                                                                                   \
                DVI_TRY(add_it(c, v, err));                                                        \
        }                                                                                          \
        return DV_OK;                                                                              \
    }
ADD_FIXED(i1, int8_t, v == INT8_MIN, add_signed)
ADD_FIXED(i2, int16_t, v == INT16_MIN, add_signed)
ADD_FIXED(i4, int32_t, v == INT32_MIN, add_signed)
ADD_FIXED(i8, int64_t, v == INT64_MIN, add_signed)
ADD_FIXED(u1, uint8_t, false, add_unsigned)
ADD_FIXED(u2, uint16_t, false, add_unsigned)
ADD_FIXED(u4, uint32_t, false, add_unsigned)
ADD_FIXED(u8, uint64_t, false, add_unsigned)
ADD_FIXED(r4, float, false, add_real)
ADD_FIXED(r8, double, false, add_real)
ADD_FIXED(bl, uint8_t, v > 1, add_unsigned)
ADD_FIXED(dt, int64_t, dvi_datetime_is_na(v), add_signed)

static dv_status add_keys(dvi_stats_column *c, const uint8_t *src, int64_t n, dv_error *err)
{
    const size_t width = dvi_width_of(&c->item);
    const uint64_t most = c->item.key_count ? c->item.key_count : UINT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = 0;
        memcpy(&key, src + (size_t)i * width, width);
        c->defaults += key == 0;
        if (key == 0 || key > most)
            c->na++;
        else
            DVI_TRY(add_unsigned(c, key, err));
    }
    return DV_OK;
}

/* UG and extensions: bytes that are only counted as distinct; those of open types are addresses,
 * and are not looked at. */
static dv_status add_opaque(dvi_stats_column *c, const uint8_t *src, int64_t n, dv_error *err)
{
    const size_t width = dvi_width_of(&c->item);
    if (dvi_open_type_of(&c->item))
        return DV_OK;
    for (int64_t i = 0; i < n; i++, src += width) {
        size_t zeros = 0;
        while (zeros < width && src[zeros] == 0)
            zeros++;
        c->defaults += zeros == width;
        DVI_TRY(dvi_distinct_bytes(&c->distinct, src, width, 1, err));
    }
    return DV_OK;
}

/* Numbers whose default is zero alone. */
static dv_status add_numbers(dvi_stats_column *c, const uint8_t *src, int64_t n, dv_error *err)
{
    typedef dv_status add_fn(dvi_stats_column *, const uint8_t *, int64_t, dv_error *);
    static add_fn *const by_kind[] = {
        [DV_KIND_I1] = add_i1, [DV_KIND_I2] = add_i2, [DV_KIND_I4] = add_i4, [DV_KIND_I8] = add_i8,
        [DV_KIND_U1] = add_u1, [DV_KIND_U2] = add_u2, [DV_KIND_U4] = add_u4, [DV_KIND_U8] = add_u8,
        [DV_KIND_R4] = add_r4, [DV_KIND_R8] = add_r8, [DV_KIND_BL] = add_bl, [DV_KIND_TS] = add_i8,
        [DV_KIND_DT] = add_dt};
    const int64_t zeros = c->zeros;
    DVI_TRY(by_kind[c->item.kind](c, src, n, err));
    c->defaults += c->zeros - zeros;
    return DV_OK;
}

static dv_status add_zoned(dvi_stats_column *c, const dv_zoned_layout *zoned, int64_t first,
                           int64_t n, dv_error *err)
{
    const char *ticks = zoned->ticks.data, *minutes = zoned->minutes.data;
    for (int64_t i = first; i < first + n; i++) {
        const dv_zoned z = {dvi_load_i64(ticks + 8 * i), dvi_load_i16(minutes + 2 * i)};
        c->defaults += z.ticks == 0 && z.minutes == 0;
        if (dvi_zoned_is_na(z))
            c->na++;
        else
            DVI_TRY(add_signed(c, dvi_zoned_utc(z), err));
    }
    return DV_OK;
}

static dv_status add_texts(dvi_stats_column *c, const dv_text_layout *text, int64_t first,
                           int64_t n, dv_error *err)
{
    const char *ends = text->ends.data, *utf8 = text->utf8.data;
    int32_t from = dvi_text_end(text, first);
    for (int64_t i = first; i < first + n; i++) {
        const int32_t end = dvi_load_i32(ends + 4 * i), to = end & INT32_MAX;
        if (end < 0) {
            c->na++;
            continue;
        }
        c->defaults += to == from;
        add_lengths(&c->texts, to - from, 1);
        const char *data = to > from ? utf8 + from : NULL;
        DVI_TRY(dvi_distinct_bytes(&c->distinct, data, (size_t)(to - from), 1, err));
        from = to;
    }
    return DV_OK;
}

static dv_status add_slice(dvi_stats_column *c, const dv_column_view *view, int64_t first,
                           int64_t n, dv_error *err)
{
    if (view->layout == DV_LAYOUT_TEXT || view->layout == DV_LAYOUT_BYTES)
        return add_texts(c, &view->as.text, first, n, err);
    if (c->form != DV_STATS_NONE)
        DVI_TRY(dvi_tree_reserve(&c->tree, (size_t)n, err));
    if (view->layout == DV_LAYOUT_ZONED)
        return add_zoned(c, &view->as.zoned, first, n, err);
    const uint8_t *values = view->as.fixed.values.data;
    values += (size_t)first * dvi_width_of(&c->item);
    if (c->item.is_key)
        return add_keys(c, values, n, err);
    return c->form == DV_STATS_NONE ? add_opaque(c, values, n, err)
                                    : add_numbers(c, values, n, err);
}

/* Add values first to first + n - 1 of a column without vectors. */
static dv_status add_scalars(dvi_stats_column *c, const dv_column_view *view, int64_t first,
                             int64_t n, dv_error *err)
{
    count(&c->values, n);
    for (int64_t done = 0; done < n; done += SLICE)
        DVI_TRY(add_slice(c, view, first + done, dvi_min_i64(SLICE, n - done), err));
    return DV_OK;
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Add n slots without an item: each holds the default. */
static dv_status add_defaults(dvi_stats_column *c, int64_t n, dv_error *err)
{
    if (n == 0)
        return DV_OK;
    count(&c->values, n);
    count(&c->defaults, n);
    if (c->item.is_key) {
        count(&c->na, n);
        return DV_OK;
    }
    if (c->form == DV_STATS_R8) {
        count(&c->zeros, n);
        return DV_OK;
    }
    if (c->form != DV_STATS_NONE) {
        count(&c->zeros, n);
        return dvi_distinct_number(&c->distinct, 0, n, err);
    }
    if (c->distinct.has_tails) {
        add_lengths(&c->texts, 0, n);
        return dvi_distinct_bytes(&c->distinct, NULL, 0, n, err);
    }
    static const uint8_t zeros[64];
    const size_t width = dvi_width_of(&c->item); /* UG; extensions have no vectors */
    return dvi_distinct_bytes(&c->distinct, zeros, width, n, err);
}

/* Add rows of vectors whose items start at *item, and move it past them. */
static dv_status add_vectors(dvi_stats_column *c, const dv_vector_layout *v, int64_t first,
                             int64_t n, int64_t *item, dv_error *err)
{
    int64_t items = 0, empty = 0;
    for (int64_t row = first; row < first + n; row++) {
        const int32_t length = dvi_vector_length(v, row), stored = dvi_vector_count(v, row);
        add_lengths(&c->vectors, length, 1);
        items += stored < 0 ? length : stored;
        empty += stored < 0 ? 0 : length - stored;
    }
    DVI_TRY(add_scalars(c, v->items, *item, items, err));
    *item += items;
    return add_defaults(c, empty, err);
}

/* --- Rows ------------------------------------------------------------------------------------- */

dv_status dvi_stats_column_add(dvi_stats_column *c, const dv_column_view *view, dv_error *err)
{
    const bool is_vector = view->layout == DV_LAYOUT_VECTOR;
    int64_t item = is_vector ? view->as.vector.item_base : 0;
    for (int64_t done = 0, n; done < view->rows; done += n) {
        n = dvi_min_i64(view->rows - done, DVI_LEAF_ROWS - c->rows);
        if (is_vector)
            DVI_TRY(add_vectors(c, &view->as.vector, done, n, &item, err));
        else
            DVI_TRY(add_scalars(c, view, done, n, err));
        c->rows += n;
        if (c->rows == DVI_LEAF_ROWS)
            DVI_TRY(dvi_stats_column_end(c, err));
    }
    return DV_OK;
}

/* Add the items of a row that are in the slots of the parts. */
static dv_status add_slots(dvi_stats_column *part, int32_t n, int32_t slot, const dv_value *vector,
                           dv_error *err)
{
    const dv_column_view *items = vector->column->as.vector.items;
    const bool is_dense = vector->count < 0;
    for (int32_t i = is_dense ? slot : 0; i < dv_value_items(vector); i++) {
        const int32_t own = dv_value_slot(vector, i) - slot;
        if (own >= n)
            break;
        if (own >= 0)
            DVI_TRY(add_scalars(&part[own], items, vector->item + i, 1, err));
    }
    return DV_OK;
}

/* Add rows to the parts; a slot without an item holds the default. */
static dv_status add_slot_rows(dvi_stats_column *part, int32_t n, int32_t slot, dv_value *vector,
                               int64_t rows, dv_error *err)
{
    const int64_t values = part[0].values + rows; /* of each part, then */
    for (int64_t row = 0; row < rows; row++, dv_value_next(vector))
        DVI_TRY(add_slots(part, n, slot, vector, err));
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(add_defaults(&part[i], values - part[i].values, err));
        part[i].rows += rows;
        if (part[i].rows == DVI_LEAF_ROWS)
            DVI_TRY(dvi_stats_column_end(&part[i], err));
    }
    return DV_OK;
}

dv_status dvi_stats_part_add(dvi_stats_column *part, int32_t n, int32_t slot,
                             const dv_column_view *view, dv_error *err)
{
    if (slot < 0)
        return dvi_stats_column_add(part, view, err);
    dv_value vector = dv_value_first(view);
    for (int64_t done = 0, rows; done < view->rows; done += rows) {
        rows = dvi_min_i64(view->rows - done, DVI_LEAF_ROWS - part[0].rows);
        DVI_TRY(add_slot_rows(part, n, slot, &vector, rows, err));
    }
    return DV_OK;
}

dv_status dvi_stats_column_end(dvi_stats_column *c, dv_error *err)
{
    const bool has_leaf = c->rows > 0 && c->form != DV_STATS_NONE;
    c->rows = 0;
    return has_leaf ? dvi_tree_close_leaf(&c->tree, err) : DV_OK;
}

dv_status dvi_stats_column_absorb(dvi_stats_column *c, dvi_stats_column *next, dv_error *err)
{
    count(&c->values, next->values);
    count(&c->na, next->na);
    count(&c->defaults, next->defaults);
    count(&c->zeros, next->zeros);
    count(&c->negative_infinities, next->negative_infinities);
    count(&c->positive_infinities, next->positive_infinities);
    c->low = next->low < c->low ? next->low : c->low;
    c->high = next->high > c->high ? next->high : c->high;
    merge_lengths(&c->vectors, &next->vectors);
    merge_lengths(&c->texts, &next->texts);
    DVI_TRY(dvi_tree_absorb(&c->tree, &next->tree, err));
    return dvi_distinct_merge(&c->distinct, &next->distinct, err);
}
