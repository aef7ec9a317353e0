/* SPDX-License-Identifier: MIT */
/* lender.c: finds the view whose rows and columns the views above it lend unchanged. */
#include "view/lender.h"
#include "base/size.h"
#include "view/view.h"

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
