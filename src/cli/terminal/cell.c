/* SPDX-License-Identifier: MIT */
/* cell.c: makes cells of values, and writes them cut to a width. */
#include "cli/terminal/cell.h"
#include "cli/terminal/brief.h"
#include "cli/terminal/glyph.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOTS "\u2026"
#define TEXT_LEAST 10   /* texts are not cut below this */
#define PART_COLUMNS 60 /* the width that a shortened vector asks for */
#define LIST_LEAST 12   /* columns for brackets, dots and one or two items, besides the tail */
#define CUT_COLUMNS 6   /* an item is cut to this at least, or left out */

/* Move the text of the clip to the cell; false: the clip failed. */
static bool finish(dvi_cell *cell_out, dvi_clip *clip, dvi_cell_kind kind)
{
    *cell_out = (dvi_cell){.kind = kind};
    if (clip->is_failed) {
        dvi_clip_free(clip);
        return false;
    }
    cell_out->text = clip->text;
    cell_out->nbytes = clip->nbytes;
    cell_out->least = TEXT_LEAST;
    cell_out->width = clip->is_full ? clip->most + 1 : clip->columns; /* full: it must be cut */
    return true;
}

bool dvi_cell_take(dvi_cell *cell_out, dvi_clip *clip)
{
    return finish(cell_out, clip, DVI_CELL_TEXT);
}

bool dvi_cell_text(dvi_cell *cell_out, dv_text text, int32_t most)
{
    dvi_clip clip = {.most = most};
    dvi_clip_write(&clip, text.data, text.nbytes > 0 ? (size_t)text.nbytes : 0);
    return dvi_cell_take(cell_out, &clip);
}

bool dvi_cell_id(dvi_cell *cell_out, dv_u128 id)
{
    char text[40];
    const int n = id.hi ? snprintf(text, sizeof text, "0x%016" PRIx64 "%016" PRIx64, id.hi, id.lo)
                        : snprintf(text, sizeof text, "%" PRIu64, id.lo);
    return dvi_cell_text(cell_out, (dv_text){text, n}, DVI_CLIP_UNLIMITED);
}

static bool make_list(dvi_cell *cell_out, const dv_value *vector, int32_t most)
{
    dvi_clip clip = {.most = most};
    const bool is_whole = dvi_brief_items(&clip, vector);
    const int32_t columns = clip.columns - (clip.columns > 0); /* none after the last item */
    const size_t items = clip.nbytes;
    dvi_brief_tail(&clip, vector);
    if (!finish(cell_out, &clip, DVI_CELL_LIST))
        return false;

    cell_out->tail = items;
    cell_out->least = (int32_t)(cell_out->nbytes - items) + LIST_LEAST;
    cell_out->is_whole = is_whole;
    cell_out->width = columns + 2;
    if (!is_whole) {
        const int32_t part = columns + 5 + (int32_t)(cell_out->nbytes - items);
        cell_out->width = most == DVI_CLIP_UNLIMITED || part < PART_COLUMNS ? part : PART_COLUMNS;
    }
    return true;
}

bool dvi_cell_value(dvi_cell *cell_out, const dv_value *value, int32_t most)
{
    if (dv_type_is_vector(&value->column->type))
        return make_list(cell_out, value, most);
    dvi_clip clip = {.most = most};
    if (dv_value_is_na(value)) {
        dvi_clip_text(&clip, "NA");
        return finish(cell_out, &clip, DVI_CELL_NA);
    }
    const bool is_text = value->column->type.kind == DV_KIND_TX;
    if (is_text && dv_text_equal(dv_value_tx(value), dv_text_of("NA"))) /* the text, not NA */
        dvi_clip_text(&clip, "\"NA\"");
    else
        dvi_brief_scalar(&clip, value);
    return dvi_cell_take(cell_out, &clip);
}

void dvi_cell_free(dvi_cell *cell)
{
    free(cell->text);
    *cell = (dvi_cell){0};
}

/* Write as many of the first glyphs as fit. */
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

/* Write the first items, each with a blank after it, in at most `room` columns.  If the first one
 * does not fit, write its beginning: the dots that follow then mark the cut. */
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
