/* SPDX-License-Identifier: MIT */
/* conversion.c: finds conversions, and converts values of fixed width. */
#include "transform/conversion.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "codec/datetime.h"
#include "transform/conversion_priv.h"
#include <dataview/value.h>

/* --- Fixed width to fixed width --------------------------------------------------------------- */

/* Row `at` of a buffer of fixed width. An empty buffer may have no address. */
static const void *row_at(const dv_buffer *buffer, int64_t at, size_t width)
{
    return buffer->data ? (const char *)buffer->data + (size_t)at * width : NULL;
}

dv_status dvi_conversion_reserve(dvi_memory **memory, int64_t n, size_t width,
                                 const dv_allocator *allocator, dv_error *err)
{
    size_t nbytes;
    if (!dvi_size_mul((size_t)n, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    return dvi_memory_reserve(memory, allocator, nbytes, err);
}

static size_t width_of(const dv_type *type)
{
    return (size_t)dv_kind_width(type->kind);
}

static dv_status run_map(const dvi_conversion *c, dvi_converted *memory, const dv_column_view *src,
                         int64_t first, int64_t n, const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, width_of(&c->to), allocator, err));
    if (n > 0)
        c->map(memory->first->data, row_at(&src->as.fixed.values, first, width_of(&c->from)),
               (size_t)n);
    return DV_OK;
}

bool dvi_conversion_is_map(const dvi_conversion *c)
{
    return c->run == run_map && !c->is_strict;
}

#define CLOCK_ROWS INT64_C(512)

/* Read the UTC ticks of n <= CLOCK_ROWS rows; NA if they are outside the calendar. */
static void read_clock(int64_t *ticks, const dv_column_view *src, int64_t first, int64_t n)
{
    if (src->layout == DV_LAYOUT_FIXED) {
        dvi_kernels()->convert_dt_i8(ticks, row_at(&src->as.fixed.values, first, sizeof *ticks),
                                     (size_t)n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const dv_zoned zoned = dv_value_dz(&(dv_value){.column = src, .row = first + i});
        ticks[i] = dvi_zoned_is_na(zoned) ? DV_TICKS_NA : dvi_zoned_utc(zoned);
    }
}

/* Convert DT and DZ: first to ticks, then by map to a number of another type. map is NULL for I8.
 */
static dv_status run_clock(const dvi_conversion *c, dvi_converted *memory,
                           const dv_column_view *src, int64_t first, int64_t n,
                           const dv_allocator *allocator, dv_error *err)
{
    const size_t width = width_of(&c->to);
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, width, allocator, err));
    for (int64_t at = 0; at < n; at += CLOCK_ROWS) {
        int64_t ticks[CLOCK_ROWS];
        const int64_t rows = dvi_min_i64(n - at, CLOCK_ROWS);
        uint8_t *dst = memory->first->data + (size_t)at * width;
        read_clock(ticks, src, first + at, rows);
        if (c->map)
            c->map(dst, ticks, (size_t)rows);
        else
            memcpy(dst, ticks, (size_t)rows * sizeof *ticks);
    }
    return DV_OK;
}

/* --- Finding ---------------------------------------------------------------------------------- */

static void use_map(dvi_conversion *c, dv_kind from, dv_kind to)
{
    c->map = dvi_convert_find(from, to);
    c->run = c->map ? run_map : NULL;
}

/* Conversions of plain values: the same bits, or a number. */
static void use_kinds(dvi_conversion *c)
{
    const dv_kind from = c->from.kind, to = c->to.kind;
    const bool is_clock = from == DV_KIND_DT || from == DV_KIND_DZ;
    const bool is_real = to == DV_KIND_R4 || to == DV_KIND_R8;
    if (from == to || (from == DV_KIND_TS && to == DV_KIND_I8)) {
        c->is_identity = true;
    } else if (is_clock && (is_real || to == DV_KIND_I8)) {
        c->map = dvi_convert_find(DV_KIND_I8, to);
        c->run = run_clock;
    } else if (from == DV_KIND_TS && is_real) {
        use_map(c, DV_KIND_I8, to);
    } else {
        use_map(c, from, to);
    }
}

/* Representations are copied; what a narrower kind cannot hold becomes 0. */
static void use_representations(dvi_conversion *c)
{
    if (c->from.kind == c->to.kind)
        c->is_identity = true;
    else
        use_map(c, c->from.kind, c->to.kind);
}

static bool has_wider_kind(const dv_type *type, const dv_type *than)
{
    return dv_kind_width(type->kind) >= dv_kind_width(than->kind);
}

static bool is_same_key(const dv_type *from, const dv_type *to)
{
    return from->key_min == to->key_min && from->key_count == to->key_count &&
           from->key_is_contiguous == to->key_is_contiguous;
}

/* Does a plain number of this type hold every representation of the key? */
static bool holds_key(const dv_type *to, const dv_type *from)
{
    const dv_type key = dv_type_key(to->kind, 0, from->key_count);
    return has_wider_kind(to, from) || (from->key_count > 0 && dv_type_check(&key, NULL) == DV_OK);
}

static void use_key(dvi_conversion *c)
{
    const dv_type *from = &c->from, *to = &c->to;
    const bool is_unsigned = to->kind == DV_KIND_U1 || to->kind == DV_KIND_U2 ||
                             to->kind == DV_KIND_U4 || to->kind == DV_KIND_U8;
    if (to->is_key ? is_same_key(from, to) && (from->key_count > 0 || has_wider_kind(to, from))
                   : is_unsigned && holds_key(to, from))
        use_representations(c);
}

static bool is_extension(const dv_type *type)
{
    return type->kind == DV_KIND_EXTENSION;
}

dv_status dvi_conversion_find(dvi_conversion *conversion_out, const dv_type *from,
                              const dv_type *to)
{
    dvi_conversion c = {.from = *from, .to = *to};
    *conversion_out = (dvi_conversion){0};
    if (dv_type_is_vector(from) || dv_type_is_vector(to))
        return DV_NOT_FOUND;
    if (dv_type_equal(from, to))
        c.is_identity = true;
    else if (is_extension(from) || is_extension(to))
        return DV_NOT_FOUND;
    else if (from->is_key)
        use_key(&c);
    else if (from->kind == DV_KIND_TX)
        dvi_conversion_use_parser(&c);
    else if (to->is_key)
        return DV_NOT_FOUND;
    else if (to->kind == DV_KIND_TX)
        dvi_conversion_use_printer(&c);
    else
        use_kinds(&c);
    if (!c.is_identity && !c.run)
        return DV_NOT_FOUND;
    *conversion_out = c;
    return DV_OK;
}

/* --- Running ---------------------------------------------------------------------------------- */

/* Point *dst to the converted values. */
static void show(dv_column_view *dst, const dv_type *type, const dvi_converted *memory, int64_t n)
{
    const size_t rows = (size_t)n;
    *dst = (dv_column_view){.type = *type, .rows = n};
    switch (type->kind) {
    case DV_KIND_TX:
        dst->layout = DV_LAYOUT_TEXT;
        dst->as.text.ends = dvi_memory_buffer(memory->second, 0, 4 * rows, 4);
        dst->as.text.utf8 = dvi_memory_buffer(memory->first, 0, dvi_conversion_text_nbytes(dst), 1);
        break;
    case DV_KIND_DZ:
        dst->layout = DV_LAYOUT_ZONED;
        dst->as.zoned.ticks = dvi_memory_buffer(memory->first, 0, 8 * rows, 8);
        dst->as.zoned.minutes = dvi_memory_buffer(memory->second, 0, 2 * rows, 2);
        break;
    default:
        dst->layout = DV_LAYOUT_FIXED;
        dst->as.fixed.values =
            dvi_memory_buffer(memory->first, 0, rows * width_of(type), width_of(type));
        break;
    }
}

dv_status dvi_conversion_run(const dvi_conversion *c, dvi_converted *memory,
                             dv_column_view *dst_out, const dv_column_view *src, int64_t first,
                             int64_t n, const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(c->run(c, memory, src, first, n, allocator, err));
    show(dst_out, &c->to, memory, n);
    return DV_OK;
}

void dvi_converted_free(dvi_converted *memory)
{
    dvi_memory_release(&memory->first);
    dvi_memory_release(&memory->second);
}
