/* SPDX-License-Identifier: MIT */
/* fit_part.h: what the makers and readers of parts share (docs/spec/parts.md). */
#ifndef DVI_SAVED_FIT_PART_H
#define DVI_SAVED_FIT_PART_H

#include <dataview/pipeline.h>

enum { DVI_PART_COLUMNS = 4 };

typedef struct dvi_part_column {
    const char *name;
    dv_kind kind;
} dvi_part_column;

extern const dvi_part_column dvi_part_columns[DVI_PART_COLUMNS];

/* The steps, a line each, which the caller releases. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_part_steps(dv_buffer *text_out, const dv_pipeline *pipeline,
                         const dv_allocator *allocator, dv_error *err);

#endif
