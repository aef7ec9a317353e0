/* SPDX-License-Identifier: MIT */
/* conversion_check.c: finds values that became 0 although they are not 0, in types without NA. */
#include "base/check.h"
#include "codec/parse.h"
#include "transform/conversion_priv.h"

bool dvi_conversion_hides(const dvi_conversion *c)
{
    return !c->is_identity && !dv_type_has_na(&c->to);
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

static dv_status fail(const dvi_conversion *c, const dv_column_view *src, int64_t row,
                      dv_error *err)
{
    const dv_type *to = &c->to;
    const dv_text text = c->from.kind == DV_KIND_TX
                             ? dv_value_tx(&(dv_value){.column = src, .row = row})
                             : dv_text_of("a number that does not fit");
    dvi_fail(err, DV_ERR_LOSS, "semantics:4.2", -1, "conversion",
             "a value of %s, which has no NA|%s", dv_kind_name(to->kind),
             text.nbytes < 0 ? "NA" : dvi_show(text).text);
    dvi_error_advise(err, "R8 has NA");
    return DV_ERR_LOSS;
}

dv_status dvi_conversion_check(const dvi_conversion *c, const dv_column_view *dst,
                               const dv_column_view *src, int64_t first, int64_t n, dv_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (is_zero(dst, i) && !was_zero(c, src, first + i))
            return fail(c, src, first + i, err);
    return DV_OK;
}
