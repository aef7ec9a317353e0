/* SPDX-License-Identifier: MIT */
/* last_rows.c: a sliding window of batches. */
#include "cli/verbs/last_rows.h"
#include <stdlib.h>
#include <string.h>

/* Make room after the last batch: reuse that of released ones, or grow. */
static bool make_room(dvi_last_rows *last)
{
    const size_t n = last->end - last->first;
    if (last->end < last->cap)
        return true;
    if (n >= last->cap / 2) {
        const size_t cap = last->cap ? 2 * last->cap : 16;
        const dv_batch **more = realloc(last->batch, cap * sizeof *more);
        if (!more)
            return false;
        last->batch = more;
        last->cap = cap;
    }
    memmove(last->batch, last->batch + last->first, n * sizeof *last->batch);
    last->first = 0;
    last->end = n;
    return true;
}

bool dvi_last_rows_keep(dvi_last_rows *last, const dv_batch *batch)
{
    if (!make_room(last))
        return false;
    dv_batch_retain(batch);
    last->batch[last->end++] = batch;
    last->rows += batch->rows;
    while (last->first < last->end && last->rows - last->batch[last->first]->rows >= last->wanted) {
        last->rows -= last->batch[last->first]->rows;
        dv_batch_release(&last->batch[last->first++]);
    }
    return true;
}

int64_t dvi_last_rows_over(const dvi_last_rows *last)
{
    return last->rows > last->wanted ? last->rows - last->wanted : 0;
}

void dvi_last_rows_free(dvi_last_rows *last)
{
    while (last->first < last->end)
        dv_batch_release(&last->batch[last->first++]);
    free(last->batch);
    *last = (dvi_last_rows){0};
}
