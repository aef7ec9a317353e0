/* SPDX-License-Identifier: MIT */
/* sketch.c: values in ink. */
#include "cli/sketch.h"
#include "cli/blank.h"
#include <stdio.h>
#include <string.h>

#define NEAR_SLOTS 3   /* a first item here is seen when slots are shown in order */
#define SHORT_SLOTS 32 /* vectors up to this length are shown in order */

static bool is_clock(dv_kind kind)
{
    return kind == DV_KIND_DT || kind == DV_KIND_DZ;
}

/* Times of day are mostly whole seconds: the seven zeros are left out. */
static void drop_zero_fraction(dvi_ink *ink, size_t from)
{
    static const char zeros[] = ".0000000";
    const size_t n = sizeof zeros - 1;
    for (size_t i = from; i + n <= ink->nbytes; i++) {
        if (memcmp(ink->text + i, zeros, n) != 0)
            continue;
        memmove(ink->text + i, ink->text + i + n, ink->nbytes - i - n);
        dvi_ink_rewind(ink, ink->nbytes - n, ink->columns - (int32_t)n);
        return;
    }
}

bool dvi_sketch_scalar(dvi_ink *ink, const dv_value *value)
{
    const size_t from = ink->nbytes;
    const dv_sink sink = dvi_ink_sink(ink);
    const bool ok = dv_value_write(value, DV_STYLE_TEXT, &sink);
    if (ok && is_clock(value->column->type.kind))
        drop_zero_fraction(ink, from);
    return ok;
}

/* A text that would not stand out as one item of a list. */
static bool needs_quotes(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if (strchr(" \"[],", text.data[i]))
            return true;
    return text.nbytes == 0;
}

static bool write_item(dvi_ink *ink, const dv_value *item)
{
    if (dv_value_is_na(item))
        return dvi_ink_text(ink, "NA");
    if (item->column->type.kind != DV_KIND_TX || !needs_quotes(dv_value_tx(item)))
        return dvi_sketch_scalar(ink, item);
    return dvi_ink_text(ink, "\"") && dvi_sketch_scalar(ink, item) && dvi_ink_text(ink, "\"");
}

/* Close an item, or take back what there was no room for; of the first something is kept. */
static bool end_item(dvi_ink *ink, bool ok, size_t nbytes, int32_t columns)
{
    const bool fits = ok && ink->columns < ink->most;
    if (!fits && nbytes > 0) {
        dvi_ink_rewind(ink, nbytes, columns);
        return false;
    }
    ink->columns += fits; /* for the blank behind it */
    dvi_ink_mark(ink, &(char){DVI_ITEM_END}, 1);
    return fits;
}

/* All slots in order, as far as there is room; true: all of them. */
static bool write_in_order(dvi_ink *ink, const dv_value *vector)
{
    const dv_column_view blank = dvi_blank_item(vector->column->as.vector.items);
    const dv_value default_item = dv_value_first(&blank);
    const int32_t items = dv_value_items(vector);
    int32_t next = 0;
    for (int32_t slot = 0; slot < vector->length; slot++) {
        const bool is_set = next < items && dv_value_slot(vector, next) == slot;
        const dv_value item = is_set ? dv_value_item(vector, next++) : default_item;
        const size_t nbytes = ink->nbytes;
        const int32_t columns = ink->columns;
        if (!end_item(ink, write_item(ink, &item), nbytes, columns))
            return false;
    }
    return true;
}

/* The items with their slots, "15045:0.86", as far as there is room. */
static void write_by_slot(dvi_ink *ink, const dv_value *vector)
{
    const int32_t items = dv_value_items(vector);
    for (int32_t i = 0; i < items; i++) {
        char slot[16];
        snprintf(slot, sizeof slot, "%d:", (int)dv_value_slot(vector, i));
        const dv_value item = dv_value_item(vector, i);
        const size_t nbytes = ink->nbytes;
        const int32_t columns = ink->columns;
        const bool ok = dvi_ink_text(ink, slot) && write_item(ink, &item);
        if (!end_item(ink, ok, nbytes, columns))
            return;
    }
}

static bool is_by_slot(const dv_value *vector, bool is_limited)
{
    if (vector->count < 0 || vector->length <= SHORT_SLOTS)
        return false;
    return !is_limited || vector->count == 0 || dv_value_slot(vector, 0) >= NEAR_SLOTS;
}

bool dvi_sketch_items(dvi_ink *ink, const dv_value *vector)
{
    if (!is_by_slot(vector, ink->most < DVI_INK_UNLIMITED))
        return write_in_order(ink, vector);
    write_by_slot(ink, vector);
    return false;
}

void dvi_sketch_tail(dvi_ink *ink, const dv_value *vector)
{
    char tail[48];
    const int n = vector->count < 0 ? snprintf(tail, sizeof tail, "%d", (int)vector->length)
                                    : snprintf(tail, sizeof tail, "%d, %d set", (int)vector->length,
                                               (int)vector->count);
    dvi_ink_mark(ink, tail, (size_t)n);
}
