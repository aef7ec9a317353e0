/* SPDX-License-Identifier: MIT */
/* learned_view.c: keeps what a step has learned as a view. */
#include "steps/learned_view.h"

void dvi_learned_view_free(void *learned)
{
    dv_view *view = learned;
    dv_view_release(&view);
}

dv_status dvi_learned_view_show(dv_view **table_out, void *learned, int32_t table,
                                const dv_allocator *allocator, dv_error *err)
{
    (void)table;
    (void)allocator;
    (void)err;
    *table_out = learned;
    dv_view_retain(*table_out);
    return DV_OK;
}
