/* SPDX-License-Identifier: MIT */
/* diff_value.c: compares values of two tables, many at once by their bytes, or one by one. */
#include "cli/verbs/diff_value.h"
#include "cli/terminal/default_item.h"
#include <math.h>
#include <string.h>

#define END_MASK UINT32_C(0x7FFFFFFF) /* the other bit of a text's end is its NA flag */

static uint32_t load_u32(const dv_buffer *buffer, int64_t i)
{
    uint32_t value;
    memcpy(&value, (const char *)buffer->data + 4 * i, sizeof value);
    return value;
}

/* --- Many at once ----------------------------------------------------------------------------- */

static bool same_bytes(const dv_buffer *a, int64_t a_first, const dv_buffer *b, int64_t b_first,
                       int64_t n, size_t width)
{
    return n == 0 ||
           memcmp((const char *)a->data + (size_t)a_first * width,
                  (const char *)b->data + (size_t)b_first * width, (size_t)n * width) == 0;
}

/* The start of text i. */
static uint32_t text_start(const dv_text_layout *text, int64_t i)
{
    return i == 0 ? (uint32_t)text->first : load_u32(&text->ends, i - 1) & END_MASK;
}

static bool same_texts(const dv_text_layout *a, int64_t a_first, const dv_text_layout *b,
                       int64_t b_first, int64_t n)
{
    const uint32_t a_start = text_start(a, a_first), b_start = text_start(b, b_first);
    uint32_t differs = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t x = load_u32(&a->ends, a_first + i), y = load_u32(&b->ends, b_first + i);
        differs |= (x ^ y) & ~END_MASK;
        differs |= ((x & END_MASK) - a_start) ^ ((y & END_MASK) - b_start);
    }
    const uint32_t nbytes = text_start(a, a_first + n) - a_start;
    return !differs && same_bytes(&a->utf8, a_start, &b->utf8, b_start, nbytes, 1);
}

static size_t width_of(const dv_type *type)
{
    const bool is_extension = type->kind == DV_KIND_EXTENSION;
    return (size_t)(is_extension ? type->extension_width : dv_kind_width(type->kind));
}

/* Compare items that are not vectors. */
static bool same_scalars(const dv_column_view *a, int64_t a_first, const dv_column_view *b,
                         int64_t b_first, int64_t n)
{
    switch (a->layout) {
    case DV_LAYOUT_FIXED:
        return same_bytes(&a->as.fixed.values, a_first, &b->as.fixed.values, b_first, n,
                          width_of(&a->type));
    case DV_LAYOUT_ZONED:
        return same_bytes(&a->as.zoned.ticks, a_first, &b->as.zoned.ticks, b_first, n, 8) &&
               same_bytes(&a->as.zoned.minutes, a_first, &b->as.zoned.minutes, b_first, n, 2);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return n == 0 || same_texts(&a->as.text, a_first, &b->as.text, b_first, n);
    case DV_LAYOUT_VECTOR:
        break;
    }
    return false;
}

static bool has_lengths(const dv_vector_layout *vector)
{
    return vector->lengths.nbytes > 0;
}

static bool same_lengths(const dvi_run *a, const dvi_run *b, int64_t n)
{
    const dv_vector_layout *x = &a->column->as.vector, *y = &b->column->as.vector;
    if (has_lengths(x) && has_lengths(y))
        return same_bytes(&x->lengths, a->first, &y->lengths, b->first, n, 4);
    return !has_lengths(x) && !has_lengths(y) && x->length == y->length;
}

bool dvi_run_equal(const dvi_run *a, const dvi_run *b, int64_t n)
{
    const int64_t i = a->first, j = b->first;
    if (a->column->layout != b->column->layout)
        return false;
    if (a->column->layout != DV_LAYOUT_VECTOR)
        return same_scalars(a->column, i, b->column, j, n);
    const dv_vector_layout *x = &a->column->as.vector, *y = &b->column->as.vector;
    const int64_t indices = a->indices[i + n] - a->indices[i];
    const int64_t items = a->items[i + n] - a->items[i];
    return indices == b->indices[j + n] - b->indices[j] && items == b->items[j + n] - b->items[j] &&
           same_lengths(a, b, n) && same_bytes(&x->counts, i, &y->counts, j, n, 4) &&
           same_bytes(&x->indices, a->indices[i], &y->indices, b->indices[j], indices, 4) &&
           same_scalars(x->items, a->items[i], y->items, b->items[j], items);
}

/* --- One by one ------------------------------------------------------------------------------- */

dv_value dvi_run_value(const dvi_run *run)
{
    const dv_column_view *column = run->column;
    const int64_t i = run->first;
    if (column->layout != DV_LAYOUT_VECTOR)
        return (dv_value){.column = column, .row = i};
    const dv_vector_layout *vector = &column->as.vector;
    return (dv_value){
        .column = column,
        .row = i,
        .length = has_lengths(vector) ? (int32_t)load_u32(&vector->lengths, i) : vector->length,
        .count = (int32_t)load_u32(&vector->counts, i),
        .index = run->indices[i],
        .item = run->items[i],
    };
}

/* Whether they differ by at most the tolerance, absolute or relative to the larger one. */
static bool are_close(double x, double y, double tolerance)
{
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (isinf(x) || isinf(y))
        return x == y;
    const double gap = fabs(x - y);
    return gap <= tolerance || gap <= tolerance * fmax(fabs(x), fabs(y));
}

static bool are_same(const dvi_diff_rule *rule, const dv_value *a, const dv_value *b)
{
    if (dv_value_same(a, b))
        return true;
    if (rule->tolerance < 0)
        return false;
    switch (a->column->type.kind) {
    case DV_KIND_R4:
        return are_close((double)dv_value_r4(a), (double)dv_value_r4(b), rule->tolerance);
    case DV_KIND_R8:
        return are_close(dv_value_r8(a), dv_value_r8(b), rule->tolerance);
    default:
        return false;
    }
}

/* Visits the stored items of a vector; `blank` is the value of all other slots. */
typedef struct slots {
    const dv_value *vector;
    dv_value blank;
    int32_t items, next;
} slots;

static slots slots_of(const dv_value *vector, dv_column_view *blank)
{
    *blank = dvi_default_item(vector->column->as.vector.items);
    return (slots){vector, dv_value_first(blank), dv_value_items(vector), 0};
}

static int32_t next_slot(const slots *s)
{
    return s->next < s->items ? dv_value_slot(s->vector, s->next) : INT32_MAX;
}

/* The value of a slot, which is at most the next stored one. */
static dv_value take(slots *s, int32_t slot)
{
    return next_slot(s) == slot ? dv_value_item(s->vector, s->next++) : s->blank;
}

/* Find the first slot in which they differ. */
static bool find_slot(dvi_difference *d, const dvi_diff_rule *rule, const dv_value *a,
                      const dv_value *b)
{
    slots x = slots_of(a, &d->blank[0]), y = slots_of(b, &d->blank[1]);
    while (x.next < x.items || y.next < y.items) {
        const int32_t i = next_slot(&x), j = next_slot(&y);
        d->slot = i < j ? i : j;
        d->a = take(&x, d->slot);
        d->b = take(&y, d->slot);
        if (!are_same(rule, &d->a, &d->b))
            d->aspect = DVI_ASPECT_VALUE;
        else if (rule->layout && i != j)
            d->aspect = DVI_ASPECT_STORED;
        if (d->aspect)
            return true;
    }
    return false;
}

bool dvi_diff_value_find(dvi_difference *difference_out, const dvi_diff_rule *rule,
                         const dv_value *a, const dv_value *b)
{
    dvi_difference *d = difference_out;
    d->aspect = DVI_ASPECT_NONE;
    d->slot = -1;
    d->a = *a;
    d->b = *b;
    if (!dv_type_is_vector(&a->column->type))
        d->aspect = are_same(rule, a, b) ? DVI_ASPECT_NONE : DVI_ASPECT_VALUE;
    else if (a->length != b->length)
        d->aspect = DVI_ASPECT_LENGTH;
    else if (rule->layout && (a->count < 0) != (b->count < 0))
        d->aspect = DVI_ASPECT_DENSE;
    else
        find_slot(d, rule, a, b);
    return d->aspect != DVI_ASPECT_NONE;
}

bool dvi_diff_value_can(const dv_type *a, const dv_type *b)
{
    const dv_type x = dv_type_item(a), y = dv_type_item(b);
    return dv_type_is_vector(a) == dv_type_is_vector(b) && dv_type_equal(&x, &y);
}
