/* SPDX-License-Identifier: MIT */
/* brief.c: writes scalars and vectors into a clip. */
#include "cli/terminal/brief.h"
#include "cli/terminal/default_item.h"
#include <stdio.h>
#include <string.h>

#define NEAR_SLOTS 3   /* a first item in one of these is visible if slots are shown in order */
#define SHORT_SLOTS 32 /* vectors up to this length are shown in order */

static bool is_clock(dv_kind kind)
{
    return kind == DV_KIND_DT || kind == DV_KIND_DZ;
}

/* Most times are whole seconds: the seven zeros are dropped. */
static void drop_zero_fraction(dvi_clip *clip, size_t from)
{
    static const char zeros[] = ".0000000";
    const size_t n = sizeof zeros - 1;
    for (size_t i = from; i + n <= clip->nbytes; i++) {
        if (memcmp(clip->text + i, zeros, n) != 0)
            continue;
        memmove(clip->text + i, clip->text + i + n, clip->nbytes - i - n);
        dvi_clip_rewind(clip, clip->nbytes - n, clip->columns - (int32_t)n);
        return;
    }
}

bool dvi_brief_scalar(dvi_clip *clip, const dv_value *value)
{
    const size_t from = clip->nbytes;
    const dv_sink sink = dvi_clip_sink(clip);
    const bool ok = dv_value_write(value, DV_STYLE_TEXT, &sink);
    if (ok && is_clock(value->column->type.kind))
        drop_zero_fraction(clip, from);
    return ok;
}

/* A text that would not read as one item of a list, or as NA. */
static bool needs_quotes(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if (strchr(" \"[],", text.data[i]))
            return true;
    return text.nbytes == 0 || dv_text_equal(text, dv_text_of("NA"));
}

static bool write_item(dvi_clip *clip, const dv_value *item)
{
    if (dv_value_is_na(item))
        return dvi_clip_text(clip, "NA");
    if (item->column->type.kind != DV_KIND_TX || !needs_quotes(dv_value_tx(item)))
        return dvi_brief_scalar(clip, item);
    return dvi_clip_text(clip, "\"") && dvi_brief_scalar(clip, item) && dvi_clip_text(clip, "\"");
}

/* End an item, or remove it if it does not fit; of the first item, the beginning is kept. */
static bool end_item(dvi_clip *clip, bool ok, size_t nbytes, int32_t columns)
{
    const bool fits = ok && clip->columns < clip->most;
    if (!fits && nbytes > 0) {
        dvi_clip_rewind(clip, nbytes, columns);
        return false;
    }
    clip->columns += fits; /* for the blank after it */
    dvi_clip_mark(clip, &(char){DVI_ITEM_END}, 1);
    return fits;
}

/* Write the slots in order, as many as fit; true: all of them. */
static bool write_in_order(dvi_clip *clip, const dv_value *vector)
{
    const dv_column_view blank = dvi_default_item(vector->column->as.vector.items);
    const dv_value default_item = dv_value_first(&blank);
    const int32_t items = dv_value_items(vector);
    int32_t next = 0;
    for (int32_t slot = 0; slot < vector->length; slot++) {
        const bool is_set = next < items && dv_value_slot(vector, next) == slot;
        const dv_value item = is_set ? dv_value_item(vector, next++) : default_item;
        const size_t nbytes = clip->nbytes;
        const int32_t columns = clip->columns;
        if (!end_item(clip, write_item(clip, &item), nbytes, columns))
            return false;
    }
    return true;
}

/* Write the items with their slots, "15045:0.86", as many as fit. */
static void write_by_slot(dvi_clip *clip, const dv_value *vector)
{
    const int32_t items = dv_value_items(vector);
    for (int32_t i = 0; i < items; i++) {
        char slot[16];
        snprintf(slot, sizeof slot, "%d:", (int)dv_value_slot(vector, i));
        const dv_value item = dv_value_item(vector, i);
        const size_t nbytes = clip->nbytes;
        const int32_t columns = clip->columns;
        const bool ok = dvi_clip_text(clip, slot) && write_item(clip, &item);
        if (!end_item(clip, ok, nbytes, columns))
            return;
    }
}

static bool is_by_slot(const dv_value *vector, bool is_limited)
{
    if (vector->count < 0 || vector->length <= SHORT_SLOTS)
        return false;
    return !is_limited || vector->count == 0 || dv_value_slot(vector, 0) >= NEAR_SLOTS;
}

bool dvi_brief_items(dvi_clip *clip, const dv_value *vector)
{
    if (!is_by_slot(vector, clip->most < DVI_CLIP_UNLIMITED))
        return write_in_order(clip, vector);
    write_by_slot(clip, vector);
    return false;
}

void dvi_brief_tail(dvi_clip *clip, const dv_value *vector)
{
    char tail[48];
    const int n = vector->count < 0 ? snprintf(tail, sizeof tail, "%d", (int)vector->length)
                                    : snprintf(tail, sizeof tail, "%d, %d set", (int)vector->length,
                                               (int)vector->count);
    dvi_clip_mark(clip, tail, (size_t)n);
}
