/* SPDX-License-Identifier: MIT */
/* tf_chars_names.c: the texts of UTF-16 units (semantics:7.17). */
#include "base/check.h"
#include "base/load.h"
#include "base/utf8.h"
#include "type/schema.h"
#include "view/metadata.h"
#include "transform/tf_chars.h"
#include <stdio.h>
#include <string.h>

/* The short names of U+0080 to U+009F, as ML.NET has them. */
static const char *const controls[] = {"PAD", "HOP",  "BPH", "NBH", "IND", "NEL", "SSA", "ESA",
                                       "HTS", "HTJ",  "VTS", "PLD", "PLU", "RI",  "SS2", "SS3",
                                       "DCS", "PU1",  "PU2", "STS", "CCH", "MW",  "SPA", "EPA",
                                       "SOS", "SGCI", "SCI", "CSI", "ST",  "OSC", "PM",  "APC"};

int dvi_chars_name(char dst[DVI_CHARS_NAME_NBYTES], uint32_t unit)
{
    if (unit <= 0x20 || unit == 0x7F) { /* as U+2401 and so on show them */
        char symbol[DVI_CHARS_NAME_NBYTES] = "";
        dvi_utf8_write(symbol, unit == 0x7F ? 0x2421 : 0x2400 + unit);
        return snprintf(dst, DVI_CHARS_NAME_NBYTES, "<%s>", symbol);
    }
    if (unit < 0x7F) {
        *dst = (char)unit;
        return 1;
    }
    if (unit < 0xA0)
        return snprintf(dst, DVI_CHARS_NAME_NBYTES, "<%s>", controls[unit - 0x80]);
    if (unit >= 0xD800 && unit < 0xE000)
        return snprintf(dst, DVI_CHARS_NAME_NBYTES, "\\u%04X", (unsigned)unit);
    return (int)dvi_utf8_write(dst, unit);
}

static size_t write_names(uint8_t *utf8, uint8_t *ends)
{
    size_t used = 0;
    for (uint32_t unit = 1; unit <= DVI_CHARS_COUNT; unit++) {
        used += (size_t)dvi_chars_name((char *)utf8 + used, unit);
        dvi_store_i32(ends + 4 * (unit - 1), (int32_t)used);
    }
    return used;
}

static dv_status make_value(const dv_batch **batch_out, dvi_memory *utf8, dvi_memory *ends,
                            const dv_allocator *allocator, dv_error *err)
{
    static const int32_t dense = -1;
    const size_t used = write_names(utf8->data, ends->data);
    dv_column_view texts = {
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = DVI_CHARS_COUNT};
    texts.as.text.utf8 = dvi_memory_buffer(utf8, 0, used, 1);
    texts.as.text.ends = dvi_memory_buffer(ends, 0, 4 * DVI_CHARS_COUNT, 4);
    dv_column_view value = {
        .type = dv_type_vector(texts.type, DVI_CHARS_COUNT), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = DVI_CHARS_COUNT;
    value.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    value.as.vector.items = &texts;
    return dvi_metadata_batch(batch_out, &value, allocator, err);
}

dv_status dvi_chars_names(const dv_batch **batch_out, const dv_allocator *allocator, dv_error *err)
{
    dvi_memory *utf8 = NULL, *ends = NULL;
    *batch_out = NULL;
    dv_status status = dvi_memory_create(
        &utf8, allocator, (size_t)DVI_CHARS_NAME_NBYTES * (DVI_CHARS_COUNT + 1), err);
    if (status == DV_OK)
        status = dvi_memory_create(&ends, allocator, 4 * DVI_CHARS_COUNT, err);
    if (status == DV_OK)
        status = make_value(batch_out, utf8, ends, allocator, err);
    dvi_memory_release(&utf8);
    dvi_memory_release(&ends);
    return status;
}

static dv_status load(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    (void)number;
    return dvi_chars_names(batch_out, source, err);
}

dv_status dvi_chars_add_key_values(dv_schema *schema, int32_t column, const dv_allocator *allocator,
                                   dv_error *err)
{
    const dvi_metadata_source source = {load, (void *)(uintptr_t)allocator, 0, NULL};
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), DVI_CHARS_COUNT);
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &type, &source, err);
}
