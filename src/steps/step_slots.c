/* SPDX-License-Identifier: MIT */
/* step_slots.c: dropslots, which leaves out slots of vectors. */
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/tf_dropslots.h"

/* Read digits at *p, before `end`. false: there are none, or the number is above 2^31-1. */
static bool read_slot(int32_t *slot_out, const char **p, const char *end)
{
    int64_t slot = 0;
    const char *start = *p;
    for (; *p < end && **p >= '0' && **p <= '9' && slot <= INT32_MAX; (*p)++)
        slot = 10 * slot + (**p - '0');
    *slot_out = (int32_t)slot;
    return *p > start && slot <= INT32_MAX;
}

/* "3", "3-5" or "3-". */
static bool read_range(dvi_slot_range *range_out, dv_text text)
{
    const char *p = text.data, *end = p + text.nbytes;
    if (text.nbytes <= 0 || !read_slot(&range_out->first, &p, end))
        return false;
    range_out->last = range_out->first;
    if (p == end)
        return true;
    if (*p++ != '-')
        return false;
    range_out->last = INT32_MAX;
    return p == end || (read_slot(&range_out->last, &p, end) && p == end &&
                        range_out->last >= range_out->first);
}

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                      void *learned, dv_error *err)
{
    void *room;
    const dvi_option_value *slots = dvi_step_option(b->step, "slots");
    (void)learned;
    if (!slots->is_given)
        return dvi_fail_argument(err, "no slots to drop are named: set \"slots\"");
    DVI_TRY(dvi_arena_alloc(arena, &room, (size_t)slots->n * sizeof(dvi_slot_range), err));
    dvi_slot_range *ranges = room;
    for (int64_t i = 0; i < slots->n; i++)
        if (!read_range(&ranges[i], slots->texts[i]))
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "value of the option \"slots\"",
                            "slots such as 3, 3-5 or 3-|%s", dvi_show(slots->texts[i]).text);
    const dvi_dropslots_options options = {ranges, (size_t)slots->n};
    return dvi_dropslots_plan(made, arena, b->schema, b->sources[0], &options, err);
}

const dvi_step_class dvi_class_dropslots = {
    .open = {.size = sizeof(dv_step_class), .version = 1}, .keys = DVI_KEYS_PASSED, .plan = plan};
