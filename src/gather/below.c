/* SPDX-License-Identifier: MIT */
/* below.c: the rows of a view as rows of one below it. */
#include "gather/below.h"
#include "view/view.h"

dvi_below dvi_below_of(dv_view *view)
{
    dvi_below below = {.view = view};
    while (below.n < DVI_BELOW_MOST) {
        const dvi_view_traits *traits = dvi_view_traits_of(below.view);
        dv_view *next = traits->renumber ? traits->reordered(dvi_view_self(below.view)) : NULL;
        if (!next || dv_view_rows(next) < 0)
            break;
        below.above[below.n++] = below.view;
        below.view = next;
    }
    return below;
}

/* A view renumbers each row that it has. */
void dvi_below_renumber(const dvi_below *below, int64_t epoch, int64_t *rows, int64_t n)
{
    for (int32_t k = 0; k < below->n; k++) {
        const dv_view *view = below->above[k];
        const dvi_view_traits *traits = dvi_view_traits_of(view);
        void *self = dvi_view_self(view);
        for (int64_t i = 0; i < n; i++)
            traits->renumber(self, epoch, rows[i], &rows[i], 1);
    }
}
