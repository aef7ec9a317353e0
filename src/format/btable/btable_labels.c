/* SPDX-License-Identifier: MIT */
/* btable_labels.c: splits the joined labels, UTF-16 with separators, into texts (btable:2). */
#include "base/size.h"
#include "base/utf8.h"
#include "format/btable/btable_priv.h"

#define WINDOW_UNITS INT64_C(32768)
#define REPLACEMENT 0xFFFD

/* Append a character. Characters beyond utf8_cap are counted, not written. */
static void put(dvi_btable_labels *labels, uint32_t c)
{
    char text[4];
    const size_t n = dvi_utf8_write(text, c);
    if (labels->utf8 && labels->utf8_nbytes + (int64_t)n <= labels->utf8_cap)
        memcpy(labels->utf8 + labels->utf8_nbytes, text, n);
    labels->utf8_nbytes += (int64_t)n;
}

static void put_end(dvi_btable_labels *labels)
{
    if (labels->ends && labels->separators < labels->slots)
        dvi_store_i32(labels->ends + 4 * labels->separators, (int32_t)labels->utf8_nbytes);
}

/* Append a lone surrogate. */
static void put_lone(dvi_btable_labels *labels, int64_t unit)
{
    if (labels->ill_formed++ == 0)
        labels->ill_formed_unit = unit;
    put(labels, REPLACEMENT);
}

static void put_unit(dvi_btable_labels *labels, uint32_t u)
{
    const bool is_low = u >= 0xDC00 && u <= 0xDFFF;
    const uint32_t high = labels->high;
    labels->high = 0;
    if (high && is_low) {
        put(labels, 0x10000 + ((high - 0xD800) << 10) + (u - 0xDC00));
        return;
    }
    if (high)
        put_lone(labels, labels->units - 1);
    if (u >= 0xD800 && u <= 0xDBFF) {
        labels->high = u;
    } else if (is_low) {
        put_lone(labels, labels->units);
    } else if (u == DVI_BTABLE_SEPARATOR) {
        put_end(labels);
        labels->separators++;
    } else {
        labels->has_comma |= u == ',';
        put(labels, u);
    }
}

void dvi_btable_labels_feed(dvi_btable_labels *labels, const uint8_t *units, size_t n)
{
    for (size_t i = 0; i < n; i++, labels->units++)
        put_unit(labels, dvi_load_u16_be(units + 2 * i));
}

void dvi_btable_labels_end(dvi_btable_labels *labels)
{
    if (labels->high)
        put_lone(labels, labels->units - 1);
    labels->high = 0;
    put_end(labels);
}

dv_status dvi_btable_labels_read(dvi_btable_labels *labels, dvi_map *map, int64_t units,
                                 dv_error *err)
{
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    while (labels->units < units && status == DV_OK) {
        const size_t n = (size_t)dvi_min_i64(units - labels->units, WINDOW_UNITS);
        dvi_span span;
        status = dvi_map_span(map, 8 + 2 * labels->units, 2 * n, &memory, &span, err);
        if (status == DV_OK)
            dvi_btable_labels_feed(labels, span.data, n);
    }
    dvi_memory_release(&memory);
    if (status == DV_OK)
        dvi_btable_labels_end(labels);
    return status;
}
