/* SPDX-License-Identifier: MIT */
/* rebase.c: makes views again, over another source. */
#include "view/rebase.h"
#include "base/check.h"

/* The source of a view whose rows do not depend on their numbers; NULL: it has none. */
static dv_view *below(const dv_view *view)
{
    const dvi_view_traits *traits = dvi_view_traits_of(view);
    int numbers = 0;
    dv_view *source = traits->over ? traits->row_source(dvi_view_self(view), &numbers) : NULL;
    return (numbers & ~DVI_ROW_IDS_NEEDED) == 0 ? source : NULL;
}

dv_view *dvi_find_quick(dv_view *view)
{
    dv_view *found = view;
    while (found && dvi_view_takes_long(found))
        found = below(found);
    return found != view ? found : NULL;
}

/* There are as many views as steps of a pipeline, so recursion is fine. */
dv_status dvi_rebase(dv_view **view_out, dv_view *view, dv_view *base, dv_view *source,
                     dv_error *err)
{
    dv_view *next = below(view), *made = source;
    *view_out = NULL;
    if (next != base)
        DVI_TRY(dvi_rebase(&made, next, base, source, err));
    const dv_status status = dvi_view_traits_of(view)->over(view, made, view_out, err);
    if (made != source)
        dv_view_release(&made);
    return status;
}
