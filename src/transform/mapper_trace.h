/* SPDX-License-Identifier: MIT */
/* mapper_trace.h: finds what columns are made of, through steps that leave other columns as they
 * are. */
#ifndef DVI_TRANSFORM_MAPPER_TRACE_H
#define DVI_TRANSFORM_MAPPER_TRACE_H

#include "transform/mapper.h"

#define DVI_TRACE_VIEWS 32 /* that are looked through */

/* The views from the first one down to the one that makes a column. */
typedef struct dvi_trace {
    const dvi_mapper *views[DVI_TRACE_VIEWS];
    int32_t count;
    const dvi_mapped *made; /* the column, of the last of the views */
} dvi_trace;

/* Find the view that makes a column of `view`; false: none that is known does. */
bool dvi_trace_start(dvi_trace *trace, const dv_view *view, int32_t column);
/* Go on with the view that makes the only source of the column that was found. */
bool dvi_trace_source(dvi_trace *trace);
/* Find those columns of the first view that are the sources of the column, unchanged, and let
 * *mapped be made of them. They are in the arena. DV_OK; DV_NOT_FOUND: one is not there;
 * DV_ERR_MEMORY. */
dv_status dvi_trace_sources(const dvi_trace *trace, dvi_mapped *mapped, dvi_arena *arena,
                            dv_error *err);

#endif
