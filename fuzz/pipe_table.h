/* SPDX-License-Identifier: MIT */
/* pipe_table.h: what the targets of pipelines share: a small table that steps fit, and memory. */
#ifndef DVT_PIPE_TABLE_H
#define DVT_PIPE_TABLE_H

#include <dataview/view.h>

/* Refuses large allocations, because a pipeline can ask for any amount. */
extern const dv_allocator dvt_pipe_allocator;

/* Seven rows: A TX, B I4, V V<R4,2>, K U1[0-2], W V<U1[0-2],2>. */
dv_view *dvt_pipe_table(void);

/* Three rows: Key TX, Value R4. */
dv_view *dvt_pipe_pairs(void);

/* Vectors of a few hundred slots are printed; longer ones take too long. */
bool dvt_pipe_is_small(const dv_view *view);

#endif
