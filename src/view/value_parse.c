/* SPDX-License-Identifier: MIT */
/* value_parse.c: parses scalars from text. */
#include "codec/scalar.h"

bool dv_value_parse(dv_scalar *scalar_out, const dv_type *type, dv_text text)
{
    const bool is_key = type->is_key && !dv_type_is_vector(type);
    if (!is_key && !dv_type_is_standard_scalar(type))
        return false;
    if (text.nbytes < 0)
        *scalar_out = dvi_scalar_na(type);
    else if (type->kind == DV_KIND_TX)
        scalar_out->tx = text;
    else
        return dvi_scalar_parse(scalar_out, type, text.nbytes > 0 ? text.data : "",
                                (size_t)text.nbytes, '.');
    return true;
}
