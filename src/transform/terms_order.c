/* SPDX-License-Identifier: MIT */
/* terms_order.c: the order of terms: in vectors, sorted by value, and of several threads. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "codec/scalar.h"
#include "codec/space.h"
#include "view/column.h"
#include "transform/terms_priv.h"
#include <stdlib.h>
#include <string.h>

/* --- Vectors ---------------------------------------------------------------------------------- */

uint32_t dvi_terms_find_default(const dvi_terms *t)
{
    uint32_t key;
    const dv_column_view value = dvi_column_of_default(&t->type);
    dvi_terms_find(t, &value, 0, 1, &key);
    return key;
}

/* Of a sparse row with `count` items, how many come before its first slot without one. */
static int32_t items_before_gap(const dv_vector_layout *vector, int64_t index, int32_t count)
{
    const char *indices = vector->indices.data;
    int32_t i = 0;
    while (i < count && dvi_load_i32(indices + 4 * (index + i)) == i)
        i++;
    return i;
}

/* Add rows until one has a slot without an item, and that row. Returns how many in *rows_out. */
static dv_status learn_to_gap(dvi_terms *t, const dv_vector_layout *vector, int64_t rows,
                              int64_t *item, int64_t *rows_out, dv_error *err)
{
    const dv_column_view value = dvi_column_of_default(&t->type);
    int64_t index = vector->index_base;
    for (int64_t row = 0; row < rows; row++) {
        const int32_t count = dvi_vector_count(vector, row);
        const int32_t length = dvi_vector_length(vector, row);
        const int32_t n = count < 0 ? length : count;
        if (count >= 0 && count < length) {
            const int32_t before = items_before_gap(vector, index, count);
            DVI_TRY(dvi_terms_add(t, vector->items, *item, before, err));
            DVI_TRY(dvi_terms_add(t, &value, 0, 1, err));
            DVI_TRY(dvi_terms_add(t, vector->items, *item + before, n - before, err));
            *item += n;
            *rows_out = row + 1;
            return DV_OK;
        }
        DVI_TRY(dvi_terms_add(t, vector->items, *item, n, err));
        *item += n;
        index += count < 0 ? 0 : count;
    }
    *rows_out = rows;
    return DV_OK;
}

dv_status dvi_terms_learn(dvi_terms *t, const dv_column_view *column, dv_error *err)
{
    if (column->layout != DV_LAYOUT_VECTOR)
        return dvi_terms_add(t, column, 0, column->rows, err);
    const dv_vector_layout *vector = &column->as.vector;
    const int64_t all = dvi_vector_extent(vector, column->rows).items;
    const bool has_default = t->type.kind != DV_KIND_TX && !t->type.is_key;
    int64_t item = vector->item_base, rows;
    if (has_default && dvi_terms_find_default(t) == 0)
        DVI_TRY(learn_to_gap(t, vector, column->rows, &item, &rows, err));
    return dvi_terms_add(t, vector->items, item, vector->item_base + all - item, err);
}

/* --- Given terms ------------------------------------------------------------------------------ */

static dv_status add_text(dvi_terms *t, dv_text text, dv_error *err)
{
    dv_scalar scalar;
    dv_column_view one = dvi_column_of_default(&t->type);
    if (t->type.kind == DV_KIND_TX) {
        const int32_t end = (int32_t)dvi_min_i64(text.nbytes, INT32_MAX);
        one.as.text.utf8 = (dv_buffer){text.data, (size_t)end, NULL, false, true};
        one.as.text.ends = (dv_buffer){&end, sizeof end, NULL, false, true};
        return dvi_terms_add(t, &one, 0, 1, err);
    }
    if (text.nbytes <= 0 ||
        !dvi_scalar_parse(&scalar, &t->type, text.data, (size_t)text.nbytes, '.'))
        return DV_OK;
    if (t->type.kind == DV_KIND_DZ) {
        const dv_zoned zoned = scalar.dz;
        one.as.zoned.ticks = (dv_buffer){&zoned.ticks, sizeof zoned.ticks, NULL, false, true};
        one.as.zoned.minutes = (dv_buffer){&zoned.minutes, sizeof zoned.minutes, NULL, false, true};
        return dvi_terms_add(t, &one, 0, 1, err);
    }
    one.as.fixed.values = (dv_buffer){&scalar, sizeof scalar, NULL, false, true};
    return dvi_terms_add(t, &one, 0, 1, err);
}

dv_status dvi_terms_add_texts(dvi_terms *t, const dv_text *texts, int64_t n, dv_error *err)
{
    for (int64_t i = 0; i < n; i++)
        DVI_TRY(add_text(t, dvi_text_trim_blanks(texts[i]), err));
    return DV_OK;
}

/* --- By value --------------------------------------------------------------------------------- */

/* A term, in a form that is compared as a signed or unsigned number, or as text. */
typedef struct ranked {
    uint64_t hi, lo;
    dv_text text;
    int64_t number;
} ranked;

static int compare_numbers(const void *of_a, const void *of_b)
{
    const ranked *a = of_a, *b = of_b;
    if (a->hi != b->hi)
        return a->hi < b->hi ? -1 : 1;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

static int compare_texts(const void *of_a, const void *of_b)
{
    const ranked *a = of_a, *b = of_b;
    return dv_text_compare(a->text, b->text);
}

/* A number whose unsigned order is that of the values with this key. */
static uint64_t order_of(dv_kind kind, uint64_t key)
{
    const uint64_t sign = UINT64_C(1) << 63;
    switch (kind) {
    case DV_KIND_R4: /* negative ones the other way round */
        key <<= 32;
        return key & sign ? ~key : key | sign;
    case DV_KIND_R8:
        return key & sign ? ~key : key | sign;
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_I4:
    case DV_KIND_I8:
    case DV_KIND_TS:
    case DV_KIND_DT:
    case DV_KIND_DZ:
        return key ^ sign;
    default:
        return key;
    }
}

static void rank(const dvi_terms *t, int64_t number, ranked *ranked_out)
{
    *ranked_out = (ranked){.number = number};
    if (t->type.kind == DV_KIND_TX) {
        ranked_out->text = dvi_terms_text(t, number);
        return;
    }
    const uint64_t *keys = (const uint64_t *)(const void *)t->keys->data;
    if (t->type.kind == DV_KIND_UG) {
        ranked_out->lo = keys[2 * number];
        ranked_out->hi = keys[2 * number + 1];
    } else {
        ranked_out->lo = order_of(t->type.kind, keys[number]);
    }
}

static dv_status add_in_order(dvi_terms *sorted, const dvi_terms *t, const ranked *list,
                              dv_error *err)
{
    dv_column_view values;
    dvi_terms_values(t, &values);
    for (int64_t i = 0; i < t->count; i++)
        DVI_TRY(dvi_terms_add(sorted, &values, list[i].number, 1, err));
    return DV_OK;
}

dv_status dvi_terms_sort(dvi_terms **sorted_out, const dvi_terms *t, uint32_t *keys_out,
                         dv_error *err)
{
    void *made;
    size_t nbytes;
    DVI_TRY(dvi_terms_create(sorted_out, &t->type, t->most, t->text_nbytes, &t->allocator, err));
    if (!dvi_size_mul((size_t)t->count, sizeof(ranked), &nbytes))
        nbytes = SIZE_MAX;
    dv_status status = dvi_terms_reserve(*sorted_out, t->count, t->text_used, err);
    if (status == DV_OK)
        status = dvi_alloc(&t->allocator, &made, nbytes, err);
    if (status == DV_OK) {
        ranked *list = made;
        for (int64_t i = 0; i < t->count; i++)
            rank(t, i, &list[i]);
        if (t->count > 0)
            qsort(list, (size_t)t->count, sizeof *list,
                  t->type.kind == DV_KIND_TX ? compare_texts : compare_numbers);
        status = add_in_order(*sorted_out, t, list, err);
        if (keys_out)
            keys_out[0] = 0;
        for (int64_t i = 0; keys_out && i < t->count; i++)
            keys_out[1 + list[i].number] = (uint32_t)i + 1;
        dvi_free(&t->allocator, list, nbytes);
    }
    if (status < 0)
        dvi_terms_free(sorted_out);
    return status;
}

/* --- Of several threads ----------------------------------------------------------------------- */

static const dvi_terms_run *run_of(const dvi_terms *t, size_t i)
{
    return i < t->runs_count ? (const dvi_terms_run *)(const void *)t->runs->data + i : NULL;
}

/* The dictionary whose next run is that of the least chunk; -1: no run is left. */
static int32_t next_part(dvi_terms *const *parts, int32_t n, const size_t *next)
{
    int32_t least = -1;
    for (int32_t k = 0; k < n; k++) {
        const dvi_terms_run *run = run_of(parts[k], next[k]);
        if (run && (least < 0 || run->chunk < run_of(parts[least], next[least])->chunk))
            least = k;
    }
    return least;
}

static dv_status merge(dvi_terms *merged, dvi_terms *const *parts, int32_t n, size_t *next,
                       uint32_t *const *keys_out, dv_error *err)
{
    for (int32_t k = 0; keys_out && k < n; k++)
        memset(keys_out[k], 0, ((size_t)parts[k]->count + 1) * sizeof **keys_out);
    for (int32_t k; (k = next_part(parts, n, next)) >= 0 && !dvi_terms_are_full(merged);) {
        dv_column_view values;
        const dvi_terms_run *run = run_of(parts[k], next[k]++), *later = run_of(parts[k], next[k]);
        const int64_t end = later ? later->first : parts[k]->count;
        dvi_terms_values(parts[k], &values);
        DVI_TRY(dvi_terms_number(merged, &values, run->first, end - run->first,
                                 keys_out ? keys_out[k] + 1 + run->first : NULL, err));
    }
    return DV_OK;
}

/* Make room for what there is in the largest dictionary at least. */
static dv_status reserve_largest(dvi_terms *merged, dvi_terms *const *parts, int32_t n,
                                 dv_error *err)
{
    int64_t count = 0;
    size_t text_nbytes = 0;
    for (int32_t k = 0; k < n; k++) {
        count = dvi_max_i64(count, parts[k]->count);
        text_nbytes = parts[k]->text_used > text_nbytes ? parts[k]->text_used : text_nbytes;
    }
    return dvi_terms_reserve(merged, count, text_nbytes, err);
}

dv_status dvi_terms_merge(dvi_terms **merged_out, dvi_terms *const *parts, int32_t n,
                          uint32_t *const *keys_out, dv_error *err)
{
    void *next;
    const dvi_terms *one = parts[0];
    *merged_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&one->allocator, &next, (size_t)n * sizeof(size_t), err));
    dv_status status =
        dvi_terms_create(merged_out, &one->type, one->most, one->text_nbytes, &one->allocator, err);
    if (status == DV_OK)
        status = reserve_largest(*merged_out, parts, n, err);
    if (status == DV_OK)
        status = merge(*merged_out, parts, n, next, keys_out, err);
    if (status < 0)
        dvi_terms_free(merged_out);
    dvi_free(&one->allocator, next, (size_t)n * sizeof(size_t));
    return status;
}
