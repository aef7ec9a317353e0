/* SPDX-License-Identifier: MIT */
/* arrow_scalar.c: makes Arrow arrays of scalars: validity, offsets, and values that Arrow has in
 * another form. */
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/na.h"
#include "interop/arrow_array.h"
#include "interop/arrow_flat.h"
#include "interop/arrow_node.h"
#include "interop/arrow_value.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the functions below work on. */
typedef struct job {
    const dvi_arrow_plan *plan;
    const dvi_arrow_field *field;
    const dvi_arrow_source *source;
    dv_type item;
    dv_column_view flat;
    size_t n;
} job;

/* --- Validity --------------------------------------------------------------------------------- */

static size_t put_mask(uint8_t *bits, const void *items, size_t width, size_t n, const dvi_na *na)
{
    switch (width) {
    case 1:
        return dvi_kernels()->na_mask_1(bits, items, n, na, 0);
    case 2:
        return dvi_kernels()->na_mask_2(bits, items, n, na, 0);
    case 4:
        return dvi_kernels()->na_mask_4(bits, items, n, na, 0);
    default:
        return dvi_kernels()->na_mask_8(bits, items, n, na, 0);
    }
}

/* A bitmap, if an item is NA. Of text, the items are the ends. */
static dv_status add_validity(const job *j, const void *items, size_t width,
                              struct ArrowArray *array, dv_error *err)
{
    const dvi_na na = dvi_na_of(&j->item);
    void *bits;
    if (!j->field->is_nullable || dvi_na_first(&na, items, width, j->n) == j->n)
        return DV_OK;
    DVI_TRY(dvi_arrow_array_make(array, (j->n + 7) / 8, &bits, err));
    array->null_count = (int64_t)put_mask(bits, items, width, j->n, &na);
    array->buffers[0] = bits;
    return DV_OK;
}

static dv_status add_zoned_validity(const job *j, struct ArrowArray *array, dv_error *err)
{
    const dv_zoned_layout *zoned = &j->flat.as.zoned;
    void *bits;
    DVI_TRY(dvi_arrow_array_make(array, (j->n + 7) / 8, &bits, err));
    array->null_count =
        (int64_t)dvi_arrow_zoned_valid(bits, zoned->ticks.data, zoned->minutes.data, j->n);
    if (array->null_count > 0)
        array->buffers[0] = bits;
    return DV_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* Lend the values; copy them if they are not aligned. */
static dv_status add_values(const dv_buffer *values, size_t width, size_t n,
                            struct ArrowArray *array, dv_error *err)
{
    const size_t alignment = width >= 8 && width % 8 == 0 ? 8
                             : width == 4 || width == 2   ? width
                                                          : 1;
    const void *data = values->data;
    void *copy;
    if (n > 0 && (uintptr_t)data % alignment != 0) {
        DVI_TRY(dvi_arrow_array_make(array, n * width, &copy, err));
        data = memcpy(copy, data, n * width);
    }
    dvi_arrow_array_set(array, 1, data, n * width);
    return DV_OK;
}

static dv_status add_plain(const job *j, struct ArrowArray *array, dv_error *err)
{
    const dv_buffer *values = &j->flat.as.fixed.values;
    const size_t width = dvi_width_of(&j->item);
    if (width <= 8)
        DVI_TRY(add_validity(j, values->data, width, array, err));
    return add_values(values, width, j->n, array, err);
}

static dv_status add_bits(const job *j, struct ArrowArray *array, dv_error *err)
{
    const void *values = j->flat.as.fixed.values.data;
    void *bits;
    DVI_TRY(add_validity(j, values, 1, array, err));
    DVI_TRY(dvi_arrow_array_make(array, (j->n + 7) / 8, &bits, err));
    dvi_kernels()->bits_pack(bits, values, j->n);
    dvi_arrow_array_set(array, 1, bits, (j->n + 7) / 8);
    return DV_OK;
}

static dv_status add_text(const job *j, struct ArrowArray *array, dv_error *err)
{
    const dv_text_layout *text = &j->flat.as.text;
    const uint8_t *ends = text->ends.data;
    void *memory;
    DVI_TRY(add_validity(j, ends, 4, array, err));
    DVI_TRY(dvi_arrow_array_make(array, 4 * (j->n + 1), &memory, err));
    int32_t *offsets = memory;
    offsets[0] = text->first;
    for (size_t i = 0; i < j->n; i++)
        offsets[i + 1] = dvi_load_i32(ends + 4 * i) & INT32_MAX;
    dvi_arrow_array_set(array, 1, offsets, 4 * (j->n + 1));
    dvi_arrow_array_set(array, 2, text->utf8.data, (size_t)offsets[j->n]);
    return DV_OK;
}

/* "row 7", if the values are rows. */
static void put_row(char *dst, size_t cap, const job *j, size_t at, const char *otherwise)
{
    if (!j->source->vectors && j->source->row >= 0)
        snprintf(dst, cap, "row %" PRId64, j->source->row + (int64_t)at);
    else
        snprintf(dst, cap, "%s", otherwise);
}

/* A key whose count is unknown may mean a number above 2^64-1. */
static dv_status check_meant(const job *j, const uint8_t *keys, size_t width, dv_error *err)
{
    char where[64];
    const uint64_t first = j->field->first_code, most = UINT64_MAX - first + 1;
    if (first == 0 || j->item.key_count > 0 || UINT64_MAX >> (64 - 8 * width) <= most)
        return DV_OK;
    for (size_t i = 0; i < j->n; i++) {
        uint64_t key = 0;
        memcpy(&key, keys + i * width, width);
        if (key <= most)
            continue;
        put_row(where, sizeof where, j, i, "a key");
        return dvi_fail(err, DV_ERR_LOSS, "docs/arrow.md", -1, where,
                        "a number below 2^64, or keys of classes|%" PRIu64 " more than %" PRIu64,
                        key - 1, first);
    }
    return DV_OK;
}

static dv_status add_codes(const job *j, struct ArrowArray *array, dv_error *err)
{
    const void *keys = j->flat.as.fixed.values.data;
    const size_t width = dvi_width_of(&j->item), nbytes = j->n * j->field->code_width;
    void *codes;
    DVI_TRY(check_meant(j, keys, width, err));
    DVI_TRY(add_validity(j, keys, width, array, err));
    DVI_TRY(dvi_arrow_array_make(array, nbytes, &codes, err));
    dvi_arrow_codes(codes, j->field->code_width, keys, width, j->n, j->item.key_count,
                    j->field->first_code);
    dvi_arrow_array_set(array, 1, codes, nbytes);
    return j->field->values ? dvi_arrow_array_share(array->dictionary, &j->field->dictionary, err)
                            : DV_OK;
}

/* --- Times ------------------------------------------------------------------------------------ */

static dv_status fail_time(const job *j, size_t at, dv_error *err)
{
    const bool is_exact = j->plan->options.times == DV_ARROW_TIMES_EXACT;
    char where[64];
    put_row(where, sizeof where, j, at, "a time");
    return dvi_fail(err, DV_ERR_LOSS, "times", -1, where, "%s|%s",
                    is_exact ? "whole microseconds, or times of ticks"
                             : "a time of the years 1678 to 2261, or times of ticks",
                    is_exact ? "a finer part" : "one outside");
}

static void add_floored(const job *j, int64_t floored)
{
    if (j->plan->options.floored)
        *j->plan->options.floored += floored;
}

static dv_status add_clock(const job *j, struct ArrowArray *array, dv_error *err)
{
    const void *ticks = j->flat.as.fixed.values.data;
    void *times;
    int64_t floored = 0;
    DVI_TRY(add_validity(j, ticks, 8, array, err));
    DVI_TRY(dvi_arrow_array_make(array, 8 * j->n, &times, err));
    dvi_arrow_array_set(array, 1, times, 8 * j->n);
    const size_t sound = dvi_arrow_times(times, ticks, j->n, j->item.kind == DV_KIND_TS,
                                         j->plan->options.times, &floored);
    add_floored(j, floored);
    DVI_REQUIRE(sound == j->n, fail_time(j, sound, err));
    return DV_OK;
}

static dv_status add_utc(const job *j, struct ArrowArray *array, dv_error *err)
{
    const dv_zoned_layout *zoned = &j->flat.as.zoned;
    void *times;
    int64_t floored = 0;
    DVI_TRY(dvi_arrow_array_make(array, 8 * j->n, &times, err));
    dvi_arrow_array_set(array, 1, times, 8 * j->n);
    const size_t sound = dvi_arrow_utc_times(times, zoned->ticks.data, zoned->minutes.data, j->n,
                                             j->plan->options.times, &floored);
    add_floored(j, floored);
    DVI_REQUIRE(sound == j->n, fail_time(j, sound, err));
    return DV_OK;
}

/* The struct of time and minutes. The minutes are copied: they may be a part of the struct's own
 * memory, which a child outlives. */
static dv_status add_zoned(const job *j, struct ArrowArray *array, dv_error *err)
{
    const dv_allocator *allocator = &j->plan->allocator;
    struct ArrowArray *time = array->children[0], *minutes = array->children[1];
    void *copy;
    DVI_TRY(dvi_arrow_array_create(time, (int64_t)j->n, 2, 0, false, NULL, allocator, err));
    DVI_TRY(add_utc(j, time, err));
    DVI_TRY(dvi_arrow_array_create(minutes, (int64_t)j->n, 2, 0, false, NULL, allocator, err));
    DVI_TRY(dvi_arrow_array_make(minutes, 2 * j->n, &copy, err));
    if (j->n > 0)
        memcpy(copy, j->flat.as.zoned.minutes.data, 2 * j->n);
    dvi_arrow_array_set(minutes, 1, copy, 2 * j->n);
    return DV_OK;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static dv_status add_all(job *j, struct ArrowArray *array, dv_error *err)
{
    DVI_TRY(dvi_arrow_flatten(&j->flat, j->source, array, err));
    switch (j->field->form) {
    case DVI_ARROW_PLAIN:
        return add_plain(j, array, err);
    case DVI_ARROW_BITS:
        return add_bits(j, array, err);
    case DVI_ARROW_TEXT:
        return add_text(j, array, err);
    case DVI_ARROW_CLOCK:
        return add_clock(j, array, err);
    case DVI_ARROW_UTC:
        DVI_TRY(add_zoned_validity(j, array, err));
        return add_utc(j, array, err);
    case DVI_ARROW_ZONED:
        DVI_TRY(add_zoned_validity(j, array, err));
        return add_zoned(j, array, err);
    case DVI_ARROW_CODES:
        return add_codes(j, array, err);
    }
    return DV_OK;
}

static int64_t buffers_of(dvi_arrow_form form)
{
    return form == DVI_ARROW_TEXT ? 3 : form == DVI_ARROW_ZONED ? 1 : 2;
}

dv_status dvi_arrow_array_of_scalars(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                                     const dvi_arrow_field *field, const dvi_arrow_source *source,
                                     dv_error *err)
{
    job j = {.plan = plan,
             .field = field,
             .source = source,
             .item = source->scalars.type,
             .n = (size_t)source->n};
    DVI_TRY(dvi_arrow_array_create(array_out, source->n, buffers_of(field->form),
                                   field->form == DVI_ARROW_ZONED ? 2 : 0, field->values != NULL,
                                   source->batch, &plan->allocator, err));
    const dv_status status = add_all(&j, array_out, err);
    if (status != DV_OK)
        dvi_arrow_array_drop(array_out);
    return status;
}
