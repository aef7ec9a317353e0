/* SPDX-License-Identifier: MIT */
/* conversion_parse.c: converts text to values. Text that is not a value becomes NA or the default,
 * without an error. */
#include "base/check.h"
#include "base/load.h"
#include "codec/datetime.h"
#include "codec/scalar.h"
#include "transform/conversion_priv.h"

/* For an NA text, a token that every parser reads as NA or the default. */
static dv_text text_at(const dvi_conversion *c, const dv_column_view *src, int64_t row)
{
    const dv_text text = dv_value_tx(&(dv_value){.column = src, .row = row});
    return text.nbytes < (c->empty_is_na ? 1 : 0) ? dv_text_of("?") : text;
}

static void parse_at(void *dst, dv_text text, const dvi_conversion *c)
{
    dvi_scalar_parse_into(dst, &c->to, text.data, (size_t)text.nbytes, '.');
}

static int64_t parse_dt(dv_text text, const dvi_conversion *c)
{
    dv_zoned zoned;
    dvi_date_read(&zoned, text, &c->dates);
    return zoned.ticks == DV_TICKS_NA ? DV_TICKS_NA : dvi_zoned_utc(zoned);
}

static dv_status run_fixed(const dvi_conversion *c, dvi_converted *memory,
                           const dv_column_view *src, int64_t first, int64_t n,
                           const dv_allocator *allocator, dv_error *err)
{
    const size_t width = (size_t)dv_kind_width(c->to.kind);
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, width, allocator, err));
    for (int64_t i = 0; i < n; i++) {
        const dv_text text = text_at(c, src, first + i);
        if (c->has_dates)
            dvi_store_i64(memory->first->data + (size_t)i * width, parse_dt(text, c));
        else
            parse_at(memory->first->data + (size_t)i * width, text, c);
    }
    return DV_OK;
}

static dv_status run_zoned(const dvi_conversion *c, dvi_converted *memory,
                           const dv_column_view *src, int64_t first, int64_t n,
                           const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, sizeof(int64_t), allocator, err));
    DVI_TRY(dvi_conversion_reserve(&memory->second, n, sizeof(int16_t), allocator, err));
    for (int64_t i = 0; i < n; i++) {
        dv_zoned zoned;
        const dv_text text = text_at(c, src, first + i);
        if (c->has_dates)
            dvi_date_read(&zoned, text, &c->dates);
        else
            parse_at(&zoned, text, c);
        dvi_store_i64(memory->first->data + 8 * i, zoned.ticks);
        dvi_store_i16(memory->second->data + 2 * i, zoned.minutes);
    }
    return DV_OK;
}

bool dvi_conversion_is_date(const dvi_conversion *c)
{
    return c->from.kind == DV_KIND_TX && (c->to.kind == DV_KIND_DT || c->to.kind == DV_KIND_DZ);
}

void dvi_conversion_use_parser(dvi_conversion *c)
{
    if (c->to.kind == DV_KIND_DZ)
        c->run = run_zoned;
    else if (dv_kind_width(c->to.kind) > 0)
        c->run = run_fixed;
}
