/* SPDX-License-Identifier: MIT */
/* text_check.c: checks that a column of texts is as batch.h requires. */
#include "view/text_check.h"
#include "base/load.h"
#include "simd/dispatch.h"

/* Is an end inside a character? The bytes of all texts together are valid UTF-8. */
static bool has_cut(const dv_column_view *texts, int32_t last)
{
    const dv_text_layout *text = &texts->as.text;
    const uint8_t *utf8 = text->utf8.data, *ends = text->ends.data;
    for (int64_t i = 0; i < texts->rows; i++) {
        const int32_t end = dvi_load_i32(ends + 4 * i) & INT32_MAX;
        if (end < last && (utf8[end] & 0xC0) == 0x80)
            return true;
    }
    return false;
}

const char *dvi_text_check(const dv_column_view *texts)
{
    const dv_text_layout *text = &texts->as.text;
    const size_t rows = (size_t)texts->rows;
    int32_t last = text->first;
    size_t units;
    if (rows == 0)
        return NULL;
    if (dvi_kernels()->ends_check(NULL, text->ends.data, rows, last, &last) != rows ||
        (size_t)last > text->utf8.nbytes)
        return "texts end to end";
    const size_t nbytes = (size_t)(last - text->first);
    if (texts->layout == DV_LAYOUT_BYTES || nbytes == 0)
        return NULL;
    const uint8_t *first = (const uint8_t *)text->utf8.data + text->first;
    if (dvi_kernels()->utf8_units(first, nbytes, &units) != nbytes ||
        (units != nbytes && has_cut(texts, last)))
        return "texts of valid UTF-8";
    return NULL;
}
