/* SPDX-License-Identifier: MIT */
/* cell.c: values as what is seen of them. */
#include "cli/cell.h"
#include "cli/glyph.h"
#include "cli/sketch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOTS "\u2026"
#define TEXT_LEAST 10   /* a longer text is not cut below this */
#define PART_COLUMNS 60 /* what a vector that cannot be shown whole asks for */
#define LIST_LEAST 12   /* columns for brackets, dots and an item or two, besides the tail */
#define CUT_COLUMNS 6   /* less of an item is not worth showing */

/* Take what the ink holds; false: it failed. */
static bool finish(dvi_cell *cell_out, dvi_ink *ink, dvi_cell_kind kind)
{
    *cell_out = (dvi_cell){.kind = kind};
    if (ink->is_failed) {
        dvi_ink_free(ink);
        return false;
    }
    cell_out->text = ink->text;
    cell_out->nbytes = ink->nbytes;
    cell_out->least = TEXT_LEAST;
    cell_out->width = ink->is_full ? ink->most + 1 : ink->columns; /* full: it has to be cut */
    return true;
}

bool dvi_cell_take(dvi_cell *cell_out, dvi_ink *ink)
{
    return finish(cell_out, ink, DVI_CELL_TEXT);
}

bool dvi_cell_text(dvi_cell *cell_out, dv_text text, int32_t most)
{
    dvi_ink ink = {.most = most};
    dvi_ink_write(&ink, text.data, text.nbytes > 0 ? (size_t)text.nbytes : 0);
    return dvi_cell_take(cell_out, &ink);
}

bool dvi_cell_id(dvi_cell *cell_out, dv_u16 id)
{
    char text[40];
    const int n = id.hi ? snprintf(text, sizeof text, "0x%016" PRIx64 "%016" PRIx64, id.hi, id.lo)
                        : snprintf(text, sizeof text, "%" PRIu64, id.lo);
    return dvi_cell_text(cell_out, (dv_text){text, n}, DVI_INK_UNLIMITED);
}

static bool make_list(dvi_cell *cell_out, const dv_value *vector, int32_t most)
{
    dvi_ink ink = {.most = most};
    const bool is_whole = dvi_sketch_items(&ink, vector);
    const int32_t columns = ink.columns - (ink.columns > 0); /* none behind the last item */
    const size_t items = ink.nbytes;
    dvi_sketch_tail(&ink, vector);
    if (!finish(cell_out, &ink, DVI_CELL_LIST))
        return false;

    cell_out->tail = items;
    cell_out->least = (int32_t)(cell_out->nbytes - items) + LIST_LEAST;
    cell_out->is_whole = is_whole;
    cell_out->width = columns + 2;
    if (!is_whole) {
        const int32_t part = columns + 5 + (int32_t)(cell_out->nbytes - items);
        cell_out->width = most == DVI_INK_UNLIMITED || part < PART_COLUMNS ? part : PART_COLUMNS;
    }
    return true;
}

bool dvi_cell_value(dvi_cell *cell_out, const dv_value *value, int32_t most)
{
    if (dv_type_is_vector(&value->column->type))
        return make_list(cell_out, value, most);
    dvi_ink ink = {.most = most};
    if (dv_value_is_na(value)) {
        dvi_ink_text(&ink, "NA");
        return finish(cell_out, &ink, DVI_CELL_NA);
    }
    dvi_sketch_scalar(&ink, value);
    return dvi_cell_take(cell_out, &ink);
}

void dvi_cell_free(dvi_cell *cell)
{
    free(cell->text);
    *cell = (dvi_cell){0};
}

/* The first glyphs, as many as there is room for. */
static int32_t write_glyphs(const char *text, size_t nbytes, int32_t room, dvi_out *out)
{
    int32_t columns = 0;
    for (size_t i = 0; i < nbytes;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(text + i, nbytes - i, escape);
        if (columns + glyph.width > room)
            break;
        dvi_out_write(out, glyph.data, glyph.nbytes);
        columns += glyph.width;
        i += glyph.source_nbytes;
    }
    return columns;
}

static int32_t write_cut(const char *text, size_t nbytes, int32_t width, dvi_out *out)
{
    const int32_t columns = write_glyphs(text, nbytes, width - 1, out);
    dvi_out_text(out, DOTS);
    return columns + 1;
}

/* The items, a blank behind each, that take `room` columns at most.  When there is none for the
 * first, then its beginning: the dots that come next are its own. */
static int32_t write_items(const dvi_cell *cell, int32_t room, dvi_out *out)
{
    int32_t used = 0;
    for (const char *item = cell->text, *end = item + cell->tail; item < end;) {
        const size_t n =
            (size_t)((const char *)memchr(item, DVI_ITEM_END, (size_t)(end - item)) - item);
        const int32_t columns = dvi_glyph_columns(item, n) + 1;
        if (columns > room - used)
            return used || room < CUT_COLUMNS ? used : write_glyphs(item, n, room, out);
        dvi_out_write(out, item, n);
        dvi_out_text(out, " ");
        used += columns;
        item += n + 1;
    }
    return used;
}

static void write_whole(const dvi_cell *cell, dvi_out *out)
{
    dvi_out_text(out, "[");
    for (size_t i = 0; i + 1 < cell->tail;) {
        const char *item = cell->text + i;
        const size_t n = (size_t)((const char *)memchr(item, DVI_ITEM_END, cell->tail - i) - item);
        dvi_out_write(out, item, n);
        i += n + 1;
        dvi_out_text(out, i < cell->tail ? " " : "");
    }
    dvi_out_text(out, "]");
}

/* "[0 0 3.5 ... 784, 12 set]" */
static int32_t write_part(const dvi_cell *cell, int32_t width, dvi_out *out)
{
    char rest[64];
    const int n = snprintf(rest, sizeof rest, DOTS " %.*s]", (int)(cell->nbytes - cell->tail),
                           cell->text + cell->tail);
    const int32_t columns = dvi_glyph_columns(rest, (size_t)n);
    dvi_out_text(out, "[");
    if (columns + 1 > width)
        return 1 + write_cut(rest, (size_t)n, width - 1, out);
    const int32_t used = write_items(cell, width - 1 - columns, out);
    dvi_out_write(out, rest, (size_t)n);
    return 1 + used + columns;
}

int32_t dvi_cell_write(const dvi_cell *cell, int32_t width, dvi_out *out)
{
    if (cell->kind == DVI_CELL_LIST && !(cell->is_whole && cell->width <= width))
        return write_part(cell, width, out);
    if (cell->kind == DVI_CELL_LIST)
        write_whole(cell, out);
    else if (cell->width > width)
        return write_cut(cell->text, cell->nbytes, width, out);
    else
        dvi_out_write(out, cell->text, cell->nbytes);
    return cell->width;
}
