/* SPDX-License-Identifier: MIT */
/* mix_reader.h: the rows of a mix whose sources are read in sequence, each by a cursor of its own.
 */
#ifndef DVI_ORDER_MIX_READER_H
#define DVI_ORDER_MIX_READER_H

#include "gather/gather_cursor.h"
#include "order/mix_order.h"

typedef struct dvi_mix_sources {
    dv_view *joined;       /* their concatenation; the only source, if there is one */
    dv_view *const *views; /* which it keeps alive */
} dvi_mix_sources;

/* A reader before request->first_row of the epoch that begins at position `first` of the order;
 * nothing is read.  It takes over the order, also after a failure.
 * DV_OK; DV_ERR_MEMORY; DV_ERR_ARGUMENT: a column of an open type.  Reading: what the cursors of
 * the sources return, and mix.h. */
dv_status dvi_mix_reader_create(dvi_row_reader *reader_out, const dvi_mix_sources *sources,
                                const dvi_mix_plan *plan, dvi_mix_order *order, int64_t first,
                                const dv_cursor_request *request, dv_error *err);

#endif
