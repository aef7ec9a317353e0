/* SPDX-License-Identifier: MIT */
/* arrow_read.c: makes scalars of the values of a producer's arrays. */
#define DVI_ARROW_READ_C
#include "interop/arrow_read.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/na.h"
#include "codec/datetime.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- Memory ----------------------------------------------------------------------------------- */

void dvi_arrow_memory_free(dvi_arrow_memory *memory)
{
    for (int i = 0; i < DVI_ARROW_MEMORIES; i++)
        dvi_memory_release(&memory->part[i]);
}

static bool is_values(int part)
{
    return part == DVI_ARROW_VALUES || part == DVI_ARROW_BYTES || part == DVI_ARROW_ORDERED;
}

dv_status dvi_arrow_reserve(const dvi_arrow_reading *r, int part, int64_t n, size_t width,
                            void **memory_out, dv_error *err)
{
    size_t nbytes;
    dvi_memory **memory = &r->memory->part[part];
    *memory_out = NULL;
    DVI_REQUIRE(!r->zero_copy_only || !is_values(part),
                dvi_fail(err, DV_ERR_COPY, "", -1, "values", "in place|%s, which is converted",
                         r->scalar->shape->format.name));
    DVI_REQUIRE(dvi_size_mul((size_t)n, width, &nbytes), dvi_fail_memory(err, SIZE_MAX));
    DVI_TRY(dvi_memory_reserve(memory, r->allocator, nbytes, err));
    *memory_out = (*memory)->data;
    return DV_OK;
}

dv_buffer dvi_arrow_made(const dvi_arrow_reading *r, int part, int64_t n, size_t width)
{
    return dvi_memory_buffer(r->memory->part[part], 0, (size_t)n * width, width);
}

dv_buffer dvi_arrow_lent(const dvi_arrow_reading *r, const void *data, size_t nbytes, size_t width)
{
    const size_t alignment = width > 8 ? 8 : width;
    return (dv_buffer){nbytes ? data : NULL, nbytes, r->owner, true,
                       alignment <= 1 || (uintptr_t)data % alignment == 0};
}

bool dvi_arrow_is_whole(const dvi_arrow_reading *r)
{
    return r->runs_count <= 1 && !r->valid;
}

const uint8_t *dvi_arrow_first(const dvi_arrow_reading *r, int buffer, size_t width)
{
    if (r->n == 0) /* the buffer may be missing */
        return NULL;
    return (const uint8_t *)r->array->buffers[buffer] + (size_t)r->runs[0].first * width;
}

/* --- Failures --------------------------------------------------------------------------------- */

/* The row that holds value i. */
static int64_t row_of(const dvi_arrow_reading *r, int64_t i)
{
    int64_t row = 0;
    if (!r->vectors)
        return r->row + i;
    for (; row < r->rows - 1; row++) {
        const int32_t count = dvi_vector_count(r->vectors, row);
        const int64_t items = count < 0 ? dvi_vector_length(r->vectors, row) : count;
        if (i < items)
            break;
        i -= items;
    }
    return r->row + row;
}

dv_status dvi_arrow_fail_at(const dvi_arrow_reading *r, dv_status status, int64_t i,
                            const char *expected, const char *found, dv_error *err)
{
    char where[64];
    snprintf(where, sizeof where, "row %" PRId64, row_of(r, i));
    return dvi_fail(err, status, "docs/arrow.md", -1, where, "%s|%s", expected, found);
}

/* A type that has NA, and holds everything that this one does. */
static const char *wider_kind(dv_kind kind)
{
    switch (kind) {
    case DV_KIND_I1:
    case DV_KIND_U1:
        return "I2";
    case DV_KIND_I2:
    case DV_KIND_U2:
        return "I4";
    case DV_KIND_I4:
    case DV_KIND_U4:
        return "I8";
    case DV_KIND_I8:
    case DV_KIND_U8:
        return "R8";
    case DV_KIND_BY:
    case DV_KIND_UG:
        return "TX";
    default:
        return NULL;
    }
}

dv_status dvi_arrow_fail_null(const dvi_arrow_reading *r, int64_t i, const char *found,
                              dv_error *err)
{
    char expected[128];
    const char *wider = wider_kind(r->scalar->type.kind);
    if (wider)
        snprintf(expected, sizeof expected, "types=\"%.32s:%s\", or the loss `na`",
                 dvi_show(r->column->name).text, wider);
    else
        snprintf(expected, sizeof expected, "a value of the calendar, or the loss `na`");
    return dvi_arrow_fail_at(r, DV_ERR_LOSS, i, expected, found, err);
}

/* --- Values of the same bits ------------------------------------------------------------------ */

static bool is_real(const dv_type *type)
{
    return type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8;
}

/* Among values that are not null, one that the type counts as NA; n: there is none. */
static int64_t find_na(const dvi_arrow_reading *r, const uint8_t *values, size_t width)
{
    const dvi_na na = dvi_na_of(&r->scalar->type);
    int64_t i = 0;
    while (i < r->n) {
        const size_t left = (size_t)(r->n - i);
        i += (int64_t)dvi_na_first(&na, values + (size_t)i * width, width, left);
        if (i == r->n || !r->valid || r->valid[i])
            break;
        i++;
    }
    return i;
}

static dv_status check_values(const dvi_arrow_reading *r, const void *values, size_t width,
                              dv_error *err)
{
    if (is_real(&r->scalar->type))
        return dvi_arrow_check_nan(r, values, err);
    if ((r->allow_loss & DV_LOSS_NA) || r->n == 0)
        return DV_OK;
    const int64_t at = find_na(r, values, width);
    return at < r->n ? dvi_arrow_fail_null(r, at, "the value that stands for NA", err) : DV_OK;
}

dv_status dvi_arrow_saw_nan(const dvi_arrow_reading *r, int64_t i, dv_error *err)
{
    dvi_arrow_seen *seen = r->column->seen;
    if (seen->is_once)
        seen->has_nan = true;
    return seen->has_nulls && !(r->allow_loss & DV_LOSS_NA)
               ? dvi_arrow_fail_at(r, DV_ERR_LOSS, i, "nulls or NaN, not both; or the loss `na`",
                                   "NaN", err)
               : DV_OK;
}

dv_status dvi_arrow_check_nan(const dvi_arrow_reading *r, const void *values, dv_error *err)
{
    dvi_arrow_seen *seen = r->column->seen;
    if (!is_real(&r->scalar->type) || (r->allow_loss & DV_LOSS_NA) || r->n == 0)
        return DV_OK;
    if (seen->is_once && r->valid)
        seen->has_nulls = true;
    if (!seen->has_nulls && !seen->is_once && !r->valid)
        return DV_OK;
    const int64_t at = find_na(r, values, dvi_width_of(&r->scalar->type));
    if (at < r->n && r->valid) /* in a dictionary, nothing else has looked for nulls */
        return dvi_arrow_fail_at(r, DV_ERR_LOSS, at, "nulls or NaN, not both; or the loss `na`",
                                 "NaN", err);
    if (at < r->n)
        return dvi_arrow_saw_nan(r, at, err);
    DVI_REQUIRE(!seen->has_nulls || !seen->has_nan,
                dvi_arrow_fail_at(r, DV_ERR_LOSS, 0, "nulls or NaN, not both; or the loss `na`",
                                  "null after NaN", err));
    return DV_OK;
}

/* A null in a type without NA. */
static dv_status check_nulls(const dvi_arrow_reading *r, dv_error *err)
{
    if (!r->valid || dv_type_has_na(&r->scalar->type) || (r->allow_loss & DV_LOSS_NA))
        return DV_OK;
    const uint8_t *null = memchr(r->valid, 0, (size_t)r->n);
    return null ? dvi_arrow_fail_null(r, null - r->valid, "null", err) : DV_OK;
}

static void copy_runs(uint8_t *dst, const dvi_arrow_reading *r, size_t width)
{
    const uint8_t *values = r->array->buffers[1];
    for (int64_t i = 0; i < r->runs_count; i++) {
        const dvi_arrow_run *run = &r->runs[i];
        if (run->n > 0)
            memcpy(dst, values + (size_t)run->first * width, (size_t)run->n * width);
        dst += (size_t)run->n * width;
    }
}

/* NA, or 0, where a value is null. */
static void put_na(uint8_t *dst, const dvi_arrow_reading *r, size_t width)
{
    const uint64_t na = dvi_na_bits(&r->scalar->type);
    for (int64_t i = 0; r->valid && i < r->n; i++) {
        if (r->valid[i])
            continue;
        if (width <= 8)
            memcpy(dst + (size_t)i * width, &na, width);
        else
            memset(dst + (size_t)i * width, 0, width);
    }
}

static bool is_odd_date(const uint8_t *ticks)
{
    const int64_t value = dvi_load_i64(ticks);
    return value != DV_TICKS_NA && dvi_datetime_is_na(value);
}

/* Are there ticks outside the calendar, which become NA as DT writes it? Only if the loss is
 * allowed: else check_values refuses them. */
static bool has_odd_dates(const dvi_arrow_reading *r, const uint8_t *values)
{
    if (r->scalar->type.kind != DV_KIND_DT || !(r->allow_loss & DV_LOSS_NA))
        return false;
    int64_t i = 0;
    while (i < r->n && !is_odd_date(values + 8 * i))
        i++;
    return i < r->n;
}

static void put_dates(uint8_t *dst, const dvi_arrow_reading *r)
{
    static const int64_t na = DV_TICKS_NA;
    for (int64_t i = 0; r->scalar->type.kind == DV_KIND_DT && i < r->n; i++)
        if (is_odd_date(dst + 8 * i))
            memcpy(dst + 8 * i, &na, 8);
}

dv_status dvi_arrow_read_bits(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const size_t width = dvi_width_of(&r->scalar->type);
    void *made;
    if (dvi_arrow_is_whole(r)) {
        const uint8_t *values = dvi_arrow_first(r, 1, width);
        if (!has_odd_dates(r, values)) {
            view->as.fixed.values = dvi_arrow_lent(r, values, (size_t)r->n * width, width);
            return check_values(r, values, width, err);
        }
    }
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALUES, r->n, width, &made, err));
    copy_runs(made, r, width);
    DVI_TRY(check_values(r, made, width, err));
    put_na(made, r, width);
    put_dates(made, r);
    view->as.fixed.values = dvi_arrow_made(r, DVI_ARROW_VALUES, r->n, width);
    return DV_OK;
}

/* --- Nulls only ------------------------------------------------------------------------------- */

static dv_status read_nulls(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const dv_type *type = &r->scalar->type;
    const bool is_text = view->layout == DV_LAYOUT_TEXT;
    const int part = is_text ? DVI_ARROW_ENDS : DVI_ARROW_VALUES;
    const size_t width = is_text ? 4 : view->layout == DV_LAYOUT_ZONED ? 8 : dvi_width_of(type);
    const uint64_t na = is_text ? UINT64_C(1) << 31 : dvi_na_bits(type);
    void *made, *minutes;
    DVI_TRY(dvi_arrow_reserve(r, part, r->n, width, &made, err));
    for (int64_t i = 0; i < r->n; i++)
        memcpy((uint8_t *)made + (size_t)i * width, &na, width);
    const dv_buffer values = dvi_arrow_made(r, part, r->n, width);
    if (is_text)
        view->as.text.ends = values;
    else if (view->layout == DV_LAYOUT_FIXED)
        view->as.fixed.values = values;
    if (view->layout != DV_LAYOUT_ZONED)
        return DV_OK;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_BYTES, r->n, 2, &minutes, err));
    memset(minutes, 0, (size_t)r->n * 2);
    view->as.zoned.ticks = values;
    view->as.zoned.minutes = dvi_arrow_made(r, DVI_ARROW_BYTES, r->n, 2);
    return DV_OK;
}

/* --- Scalars ---------------------------------------------------------------------------------- */

dv_status dvi_arrow_read_scalars(dv_column_view *view_out, dvi_arrow_reading *r, dv_error *err)
{
    const dvi_arrow_scalar *s = r->scalar;
    *view_out = (dv_column_view){.type = s->type, .layout = dvi_layout_of(&s->type), .rows = r->n};
    if (s->make != DVI_ARROW_FROM_NULLS && s->make != DVI_ARROW_FROM_ENTRIES)
        DVI_TRY(check_nulls(r, err));
    switch (s->make) {
    case DVI_ARROW_FROM_NULLS:
        return read_nulls(view_out, r, err);
    case DVI_ARROW_FROM_BITS:
        return dvi_arrow_read_bits(view_out, r, err);
    case DVI_ARROW_FROM_NUMBERS:
        return dvi_arrow_read_numbers(view_out, r, err);
    case DVI_ARROW_FROM_DECIMALS:
        return dvi_arrow_read_decimals(view_out, r, err);
    case DVI_ARROW_FROM_KEYS:
        return dvi_arrow_read_keys(view_out, r, err);
    case DVI_ARROW_FROM_CODES:
        return dvi_arrow_read_codes(view_out, r, err);
    case DVI_ARROW_FROM_ENTRIES:
        return dvi_arrow_read_entries(view_out, r, err);
    case DVI_ARROW_FROM_TIMES:
    case DVI_ARROW_FROM_ZONED:
        return dvi_arrow_read_times(view_out, r, err);
    case DVI_ARROW_FROM_TEXT:
        return dvi_arrow_read_text(view_out, r, err);
    }
    return DV_OK;
}
