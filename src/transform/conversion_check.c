/* SPDX-License-Identifier: MIT */
/* conversion_check.c: finds values that were lost: those that became NA although they are not NA,
 * or 0 although they are not 0, in types without NA. */
#include "base/check.h"
#include "simd/na.h"
#include "codec/date_order.h"
#include "codec/parse.h"
#include "transform/conversion_priv.h"

bool dvi_conversion_hides(const dvi_conversion *c)
{
    return !c->is_identity && !dv_type_has_na(&c->to);
}

static bool is_signed(const dv_type *type)
{
    return type->kind == DV_KIND_I1 || type->kind == DV_KIND_I2 || type->kind == DV_KIND_I4 ||
           type->kind == DV_KIND_I8;
}

bool dvi_conversion_may_lose(const dvi_conversion *c)
{
    const bool narrows = is_signed(&c->from) && is_signed(&c->to) &&
                         dv_kind_width(c->to.kind) < dv_kind_width(c->from.kind);
    return dvi_conversion_hides(c) || (!c->is_identity && (narrows || c->from.kind == DV_KIND_TX));
}

static bool is_zero(const dv_column_view *column, int64_t row)
{
    return dv_value_is_default(&(dv_value){.column = column, .row = row});
}

/* Is it 0 in the old type too? The empty text is the default of text, as 0 is that of numbers. */
static bool was_zero(const dvi_conversion *c, const dv_column_view *src, int64_t row)
{
    dv_scalar scalar;
    if (c->from.kind != DV_KIND_TX)
        return is_zero(src, row);
    const dv_text text = dv_value_tx(&(dv_value){.column = src, .row = row});
    if (text.nbytes <= 0)
        return text.nbytes == 0;
    return !dvi_parse_is_missing(text.data, (size_t)text.nbytes) &&
           dvi_scalar_parse(&scalar, &c->to, text.data, (size_t)text.nbytes, '.');
}

/* The first row from i on that is NA; n: there is none. */
static int64_t next_na(const dv_column_view *dst, int64_t i, int64_t n)
{
    const int width = dv_kind_width(dst->type.kind);
    if (i < n && dst->layout == DV_LAYOUT_FIXED && width <= 8) {
        const dvi_na na = dvi_na_of(&dst->type);
        const uint8_t *items = dst->as.fixed.values.data;
        return i + (int64_t)dvi_na_first(&na, items + i * width, (size_t)width, (size_t)(n - i));
    }
    while (i < n && !dv_value_is_na(&(dv_value){.column = dst, .row = i}))
        i++;
    return i;
}

/* Is it NA in the old type, or what the new type reads as NA? */
static bool was_na(const dvi_conversion *c, const dv_column_view *src, int64_t row)
{
    dv_scalar scalar;
    const dv_value value = {.column = src, .row = row};
    if (c->from.kind != DV_KIND_TX)
        return dv_value_is_na(&value);
    const dv_text text = dv_value_tx(&value);
    return text.nbytes <= 0 || dvi_parse_is_missing(text.data, (size_t)text.nbytes) ||
           (!c->has_dates &&
            dvi_scalar_parse(&scalar, &c->to, text.data, (size_t)text.nbytes, '.'));
}

/* The text would be a date if its order or format was known. */
static dv_status fail_date(const dvi_conversion *c, dv_text text, dv_error *err)
{
    dvi_fail(err, DV_ERR_LOSS, "semantics:6.8", -1, "conversion", "a %s whose order is known|%s",
             dv_kind_name(c->to.kind), dvi_show(text).text);
    dvi_error_advise(err, "when the text is opened, option date=dmy, date=mdy or date=FORMAT reads "
                          "it; later, option date= of the step convert does");
    return DV_ERR_LOSS;
}

static dv_status fail(const dvi_conversion *c, const dv_column_view *src, int64_t row,
                      dv_error *err)
{
    const dv_type *to = &c->to;
    const dv_text text = c->from.kind == DV_KIND_TX
                             ? dv_value_tx(&(dv_value){.column = src, .row = row})
                             : dv_text_of("a number that does not fit");
    const bool hides = dvi_conversion_hides(c);
    if (c->has_dates && dvi_date_needs_rule(text, &c->dates))
        return fail_date(c, text, err);
    dvi_fail(err, DV_ERR_LOSS, "semantics:4.2", -1, "conversion", "a value of %s%s|%s",
             dv_kind_name(to->kind), hides ? ", which has no NA" : "",
             text.nbytes < 0 ? "NA" : dvi_show(text).text);
    dvi_error_advise(err, hides ? "R8 has NA" : "the step convert makes NA of it");
    return DV_ERR_LOSS;
}

dv_status dvi_conversion_check(const dvi_conversion *c, const dv_column_view *dst,
                               const dv_column_view *src, int64_t first, int64_t n, dv_error *err)
{
    if (!dvi_conversion_hides(c)) {
        for (int64_t i = next_na(dst, 0, n); i < n; i = next_na(dst, i + 1, n))
            if (!was_na(c, src, first + i))
                return fail(c, src, first + i, err);
        return DV_OK;
    }
    for (int64_t i = 0; i < n; i++)
        if (is_zero(dst, i) && !was_zero(c, src, first + i))
            return fail(c, src, first + i, err);
    return DV_OK;
}
