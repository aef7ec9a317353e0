/* SPDX-License-Identifier: MIT */
/* vector_sink.h: where the rows of a column go that is made row by row, if its reader copies them
 * at once: no batch holds them on the way.
 *
 * The reader gives a sink to the cursor (dvi_cursor_open_onto). The step that makes the column puts
 * its rows there and, in the batches, empty rows in their place. Steps and views that know nothing
 * of sinks deliver the rows in batches. So the reader looks at is_used after each batch. */
#ifndef DVI_VIEW_VECTOR_SINK_H
#define DVI_VIEW_VECTOR_SINK_H

#include <dataview/status.h>

/* A row of a vector of R4: n items, whose slots rise. */
typedef struct dvi_sink_row {
    const uint32_t *slots;
    const float *items;
    int32_t n, length; /* items; slots of the row */
    bool is_dense;     /* the row has an item in every slot; those that are +0 may be left out */
} dvi_sink_row;

typedef struct dvi_vector_sink {
    /* The rows of the batch that comes next are here; unset by the reader when it has them. */
    bool is_used;
    int64_t rows; /* of that batch */
    /* All rows since is_used was unset come again: their batch has failed for want of memory. NULL:
     * the reader does not repeat a call that fails. */
    void (*restart)(struct dvi_vector_sink *sink);
    dv_status (*add)(struct dvi_vector_sink *sink, const dvi_sink_row *row, dv_error *err);
} dvi_vector_sink;

/* Begin the rows of a batch, for the first time or again. NULL: there is no sink. */
static inline void dvi_vector_sink_start(dvi_vector_sink *sink, int64_t rows)
{
    if (!sink)
        return;
    if (sink->is_used && sink->restart)
        sink->restart(sink);
    sink->is_used = true;
    sink->rows = rows;
}

#endif
