/* SPDX-License-Identifier: MIT */
/* step_needs.c: what learners take for each value, gram, slot and number. */
#include "steps/step_needs.h"
#include "base/size.h"
#include "transform/tally.h"

#define ROOM 3           /* of an item in a buffer that grows */
#define FIRST 4096       /* bytes of buffers that have few items */
#define SLOT_OF_TERM 96  /* up to 16 slots of 4 bytes, and the old table */
#define SLOT_OF_GRAM 72  /* up to 4 of 12 bytes, and the old table */
#define KEPT_OF_TERM 48  /* its keys, and the run that it began */
#define TALLY_ENTRIES 10 /* up to 4 of a number, the old ones, and as many to sort */

static void add(dv_fit_need *need, int64_t nbytes)
{
    if (need->nbytes >= 0)
        need->nbytes += nbytes;
}

void dvi_need_terms(dv_fit_need *need, const dvi_step_amounts *amounts, const dv_type *item,
                    int64_t most)
{
    const int64_t n = amounts->slots > 0 ? dvi_min_i64(amounts->values, most) : most;
    const bool is_text = item->kind == DV_KIND_TX;
    const int64_t value = is_text ? 4 : (int64_t)dv_kind_width(item->kind) + 2;
    add(need, FIRST + n * (SLOT_OF_TERM + ROOM * (KEPT_OF_TERM + value)));
    need->texts += is_text ? n : 0;
}

void dvi_need_grams(dv_fit_need *need, const dvi_gram_options *options)
{
    const dvi_gram_shape *shape = &options->shape;
    const int64_t numbers = 2 * 8 + (options->weight == DVI_GRAM_TF ? 0 : 3 * 8);
    for (int32_t i = shape->all ? 0 : shape->n - 1; i < shape->n; i++)
        add(need, FIRST + options->most[i] * (SLOT_OF_GRAM + ROOM * (4 * shape->n + numbers)));
}

void dvi_need_slots(dv_fit_need *need, const dvi_step_amounts *amounts, int64_t nbytes)
{
    if (amounts->slots > 0)
        add(need, FIRST + amounts->slots * nbytes);
    else
        need->nbytes = -1;
}

void dvi_need_tally(dv_fit_need *need, const dvi_step_amounts *amounts, int64_t rows_most)
{
    const int64_t entry = (int64_t)sizeof(dvi_tally_entry);
    dvi_need_slots(need, amounts, (int64_t)sizeof(dvi_slot_tally) + 2 * 16 * entry);
    if (amounts->slots <= 0)
        return;
    int64_t n = dvi_min_i64(amounts->values, DVI_TALLY_MOST);
    if (rows_most < DVI_TALLY_MOST / amounts->slots)
        n = dvi_min_i64(n, rows_most * amounts->slots);
    add(need, TALLY_ENTRIES * entry * n);
}
