/* SPDX-License-Identifier: MIT */
/* planned.h: a view with a column that a step's plan function makes. */
#ifndef DVT_PLANNED_H
#define DVT_PLANNED_H

#include "transform/tf_chain.h"

/* The source, and the column B that the plan makes of its column A. */
dv_status dvt_planned_view(dv_view **view_out, dv_view *source, dvi_plan *plan, const void *options,
                           const dv_allocator *allocator, dv_error *err);

/* A table (json_table.h), and the lines that column B of the view must have, header included:
 * in batches of any size, when allocations fail, and after everything else has ended. Checks of the
 * test. */
typedef struct dvt_planned_case {
    const char *name;
    dvi_plan *plan;
    const void *options;
    const char *table, *truth; /* truth NULL: the plan is refused */
} dvt_planned_case;
void dvt_check_planned(const dvt_planned_case *one);

/* The same for a folder of golden/transform (DV_GOLDEN_DIR) whose name begins so. Returns how many
 * there were. */
int dvt_check_planned_golden(const char *folder, const char *prefix, dvi_plan *plan,
                             const void *(*options)(const char *params));

#endif
