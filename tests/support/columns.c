/* SPDX-License-Identifier: MIT */
/* columns.c: column views from bytes written as hex. */
#include "support/columns.h"

#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
    return c <= '9' ? c - '0' : (c & 0x5F) - 'A' + 10;
}

/* Bytes at an odd address, with nothing after them: blanks in hex are skipped. */
dv_buffer dvt_column_bytes(const char *hex)
{
    size_t n = 0;
    uint8_t *data = malloc(strlen(hex) / 2 + 2);
    if (!data)
        abort();
    for (; *hex; hex++)
        if (*hex != ' ') {
            data[1 + n++] = (uint8_t)(digit_of(hex[0]) << 4 | digit_of(hex[1]));
            hex++;
        }
    uint8_t *exact = realloc(data, n + 1); /* one byte too far is seen by ASan */
    return (dv_buffer){exact + 1, n, NULL, true, false};
}

void dvt_column_bytes_free(const dv_buffer *buffer)
{
    if (buffer->data)
        free((uint8_t *)(uintptr_t)buffer->data - 1);
}

dv_column_view dvt_column_fixed(dv_type type, const char *hex)
{
    const size_t width = type.kind == DV_KIND_EXTENSION ? (size_t)type.extension_width
                                                        : (size_t)dv_kind_width(type.kind);
    const dv_buffer values = dvt_column_bytes(hex);
    return (dv_column_view){type, DV_LAYOUT_FIXED, (int64_t)(values.nbytes / width), {{values}}};
}

dv_column_view dvt_column_text(dv_kind kind, const char *utf8, int32_t first, const char *ends)
{
    const dv_layout layout = kind == DV_KIND_BY ? DV_LAYOUT_BYTES : DV_LAYOUT_TEXT;
    dv_column_view view = {.type = dv_type_of(kind), .layout = layout};
    view.as.text.ends = dvt_column_bytes(ends);
    view.as.text.utf8 = (dv_buffer){utf8, strlen(utf8), NULL, true, true};
    view.as.text.first = first;
    view.rows = (int64_t)view.as.text.ends.nbytes / 4;
    return view;
}

dv_column_view dvt_column_zoned(const char *ticks, const char *minutes)
{
    dv_column_view view = {.type = dv_type_of(DV_KIND_DZ), .layout = DV_LAYOUT_ZONED};
    view.as.zoned.ticks = dvt_column_bytes(ticks);
    view.as.zoned.minutes = dvt_column_bytes(minutes);
    view.rows = (int64_t)view.as.zoned.minutes.nbytes / 2;
    return view;
}

dv_column_view dvt_column_vector(const dv_column_view *items, int32_t size, const char *counts,
                                 const char *indices)
{
    dv_column_view view = {.type = dv_type_vector(items->type, size), .layout = DV_LAYOUT_VECTOR};
    view.as.vector.length = size;
    view.as.vector.counts = dvt_column_bytes(counts);
    view.as.vector.indices = dvt_column_bytes(indices);
    view.as.vector.items = items;
    view.rows = (int64_t)view.as.vector.counts.nbytes / 4;
    return view;
}

dv_column_view dvt_column_scalar(const dv_type *type, const dv_scalar *scalar)
{
    dv_column_view column = {.type = *type, .layout = DV_LAYOUT_FIXED, .rows = 1};
    if (type->kind == DV_KIND_DZ) {
        column.layout = DV_LAYOUT_ZONED;
        column.as.zoned.ticks.data = &scalar->dz.ticks;
        column.as.zoned.minutes.data = &scalar->dz.minutes;
        return column;
    }
    column.as.fixed.values.data = scalar;
    return column;
}

void dvt_column_free(dv_column_view *view)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        dvt_column_bytes_free(&view->as.fixed.values);
        break;
    case DV_LAYOUT_ZONED:
        dvt_column_bytes_free(&view->as.zoned.ticks);
        dvt_column_bytes_free(&view->as.zoned.minutes);
        break;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        dvt_column_bytes_free(&view->as.text.ends);
        break;
    case DV_LAYOUT_VECTOR:
        dvt_column_bytes_free(&view->as.vector.lengths);
        dvt_column_bytes_free(&view->as.vector.counts);
        dvt_column_bytes_free(&view->as.vector.indices);
        break;
    }
}
