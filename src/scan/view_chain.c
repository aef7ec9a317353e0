/* SPDX-License-Identifier: MIT */
/* view_chain.c: goes down from a view to those that it is made of. */
#include "scan/view_chain.h"
#include "base/check.h"
#include "base/size.h"

dv_view *dvi_find_base(dv_view *view, bool is_range, bool *is_free_out)
{
    bool needs_numbers = is_range;
    *is_free_out = true;
    for (;;) {
        int numbers;
        dv_view *source = dvi_row_source(view, &numbers);
        if (!source || (needs_numbers && (numbers & DVI_ROWS_LOST)))
            return view;
        needs_numbers |= (numbers & DVI_ROWS_NEEDED) != 0;
        *is_free_out &= (numbers & (DVI_ROWS_NEEDED | DVI_ROW_IDS_NEEDED)) == 0;
        view = source;
    }
}

/* --- A view below that has the same rows and columns ------------------------------------------ */

static bool step_down(dv_view *view, int32_t *columns, int32_t n, dvi_lender *below_out)
{
    const dvi_view_traits *traits = dvi_view_traits_of(view);
    return traits->lend && traits->lend(dvi_view_self(view), columns, n, below_out);
}

dvi_lender dvi_find_lender(dv_view *view, const dvi_member *member, int32_t *columns, int32_t n)
{
    dvi_lender found = {view, 0, INT64_MAX}, below;
    while (!(member && dvi_member_is_at_base(member, found.view)) &&
           step_down(found.view, columns, n, &below)) {
        /* A run of a run: row i is row found.first_row + i of the upper one, if there is one. */
        found.rows_most = dvi_min_i64(found.rows_most, below.rows_most - found.first_row);
        if (__builtin_add_overflow(found.first_row, below.first_row, &found.first_row))
            found.first_row = INT64_MAX;
        found.view = below.view;
    }
    return found;
}

int64_t dvi_lender_row(const dvi_lender *lender, int64_t row)
{
    int64_t sum;
    return __builtin_add_overflow(dvi_min_i64(row, lender->rows_most), lender->first_row, &sum)
               ? INT64_MAX
               : sum;
}

/* --- The same chain over other rows ----------------------------------------------------------- */

/* The source of a view whose rows do not depend on their numbers; NULL: it has none. */
static dv_view *below(const dv_view *view)
{
    int numbers;
    dv_view *source = dvi_row_source(view, &numbers);
    const bool can_be = dvi_view_traits_of(view)->over && (numbers & ~DVI_ROW_IDS_NEEDED) == 0;
    return can_be ? source : NULL;
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
