/* SPDX-License-Identifier: MIT */
/* learned_view.h: what a step has learned is one view, which is also its only table. */
#ifndef DVI_STEPS_LEARNED_VIEW_H
#define DVI_STEPS_LEARNED_VIEW_H

#include <dataview/view.h>

/* The members free_learned and show of dv_step_class. */
void dvi_learned_view_free(void *learned);
dv_status dvi_learned_view_show(dv_view **table_out, void *learned, int32_t table,
                                const dv_allocator *allocator, dv_error *err);

#endif
