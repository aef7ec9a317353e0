/* SPDX-License-Identifier: MIT */
/* slot_names.c: reads the names of the slots of a vector from its metadata. */
#include "cli/verbs/slot_names.h"
#include <inttypes.h>
#include <stdio.h>

void dvi_slot_names_free(dvi_slot_names *names)
{
    if (names->batch)
        dv_batch_release(&names->batch);
    *names = (dvi_slot_names){.column = -1};
}

/* Metadata of that kind but of another type name nothing. */
static bool are_names(const dv_column_view *value, int32_t slots)
{
    return value->layout == DV_LAYOUT_VECTOR && value->as.vector.items->layout == DV_LAYOUT_TEXT &&
           dv_value_first(value).length == slots;
}

dvi_exit dvi_slot_names_read(dvi_slot_names *names, const dv_schema *schema, int32_t column)
{
    int32_t i;
    dv_error err = DV_ERROR_INIT;
    const int32_t slots = dv_schema_column(schema, column)->type.size;
    if (names->column == column)
        return DVI_EXIT_DONE;
    dvi_slot_names_free(names);
    names->column = column;
    if (dv_schema_find_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &i) != DV_OK)
        return DVI_EXIT_DONE;
    if (dv_schema_metadata_value(schema, column, i, &names->batch, &err) != DV_OK) {
        names->batch = NULL;
        return dvi_say_error(&err);
    }
    const dv_column_view *value = dv_batch_column(names->batch, 0);
    if (!are_names(value, slots))
        return DVI_EXIT_DONE;
    names->count = slots;
    names->names = dv_value_first(value);
    return DVI_EXIT_DONE;
}

/* The item of a slot; -1: none is stored. */
static int32_t find_item(const dv_value *vector, int32_t slot)
{
    int32_t from = 0, to = dv_value_items(vector);
    if (to == vector->length)
        return slot;
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (dv_value_slot(vector, middle) < slot)
            from = middle + 1;
        else
            to = middle;
    }
    const bool is_there = from < dv_value_items(vector) && dv_value_slot(vector, from) == slot;
    return is_there ? from : -1;
}

dv_text dvi_slot_names_of(const dvi_slot_names *names, int32_t slot)
{
    const dv_text none = dv_text_of(NULL);
    const int32_t i = slot < 0 || slot >= names->count ? -1 : find_item(&names->names, slot);
    if (i < 0)
        return none;
    const dv_value item = dv_value_item(&names->names, i);
    const dv_text name = dv_value_tx(&item);
    return name.nbytes > 0 ? name : none;
}

void dvi_slot_names_write(const dvi_slot_names *names, const dv_column_info *info, int32_t slot,
                          dvi_clip *clip)
{
    char number[24];
    const dv_text name = dvi_slot_names_of(names, slot);
    snprintf(number, sizeof number, "[%" PRId32 "]", slot);
    dvi_clip_write(clip, info->name.data, (size_t)info->name.nbytes);
    dvi_clip_text(clip, number);
    if (name.nbytes > 0) {
        dvi_clip_text(clip, " ");
        dvi_clip_write(clip, name.data, (size_t)name.nbytes);
    }
}
