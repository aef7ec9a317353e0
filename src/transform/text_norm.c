/* SPDX-License-Identifier: MIT */
/* text_norm.c: maps texts unit by unit. Surrogates are no letters, so characters above U+FFFF stay.
 */
#include "transform/text_norm.h"
#include "base/utf8.h"
#include "codec/unit.h"
#include "view/identity.h"
#include <string.h>

#define NOTHING 0xFF /* of `ascii` */

/* What a unit becomes; -1: nothing. */
static int32_t map_unit(const dvi_text_norm_options *o, uint32_t unit)
{
    const uint8_t flags = dvi_unit_flags(unit);
    if ((!o->punctuation && flags & DVI_UNIT_PUNCTUATION) ||
        (!o->numbers && flags & DVI_UNIT_NUMBER) || (!o->diacritics && flags & DVI_UNIT_MARK))
        return -1;
    const uint32_t letter = o->diacritics ? unit : dvi_unit_plain(unit);
    if (o->to_case == DVI_CASE_NONE)
        return (int32_t)letter;
    return (int32_t)(o->to_case == DVI_CASE_LOWER ? dvi_unit_lower(letter)
                                                  : dvi_unit_upper(letter));
}

dvi_text_norm dvi_text_norm_of(const dvi_text_norm_options *options)
{
    dvi_text_norm norm = {.options = *options};
    for (uint32_t c = 0; c < sizeof norm.ascii; c++)
        norm.ascii[c] = (uint8_t)map_unit(options, c); /* -1 is NOTHING */
    return norm;
}

bool dvi_text_norm_is_nothing(const dvi_text_norm_options *o)
{
    return o->to_case == DVI_CASE_NONE && o->diacritics && o->punctuation && o->numbers;
}

void dvi_text_norm_identify(const dvi_text_norm *norm, dv_identity *identity)
{
    const dvi_text_norm_options *o = &norm->options;
    const int64_t numbers[] = {o->to_case, o->diacritics, o->punctuation, o->numbers};
    dv_identity_add(identity, numbers, sizeof numbers);
}

/* The bytes of the character that begins so; the text is UTF-8. */
static size_t width_of(uint8_t first)
{
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

size_t dvi_text_norm_write(const dvi_text_norm *norm, char *dst, dv_text text)
{
    size_t used = 0;
    for (int64_t i = 0; i < text.nbytes;) {
        const uint8_t c = (uint8_t)text.data[i];
        if (c < 0x80) {
            dst[used] = (char)norm->ascii[c];
            used += norm->ascii[c] != NOTHING;
            i++;
            continue;
        }
        const size_t width = width_of(c);
        const int32_t unit =
            width < 4 ? map_unit(&norm->options, dvi_utf8_code(text.data + i, width)) : -1;
        if (width == 4) {
            memcpy(dst + used, text.data + i, width);
            used += width;
        } else if (unit >= 0) {
            used += dvi_utf8_write(dst + used, (uint32_t)unit);
        }
        i += (int64_t)width;
    }
    return used;
}
