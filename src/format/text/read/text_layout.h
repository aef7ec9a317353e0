/* SPDX-License-Identifier: MIT */
/* text_layout.h: assigns source columns to columns. (semantics:6.2) */
#ifndef DVI_FORMAT_TEXT_LAYOUT_H
#define DVI_FORMAT_TEXT_LAYOUT_H

#include "format/text/read/text_options.h"

#define DVI_TEXT_NO_END INT64_MAX
#define DVI_TEXT_ABSENT (INT32_MAX - 1) /* a source column beyond those of any line */

/* Source columns first..end-1, which are consecutive slots of a column. */
typedef struct dvi_text_segment {
    int64_t first, end; /* end DVI_TEXT_NO_END: the end of each line */
    int64_t slot;       /* of `first`, not counting slots of a segment without an end */
} dvi_text_segment;

typedef struct dvi_text_column {
    dv_text name;
    dv_type type;
    dvi_text_segment *segments;
    int32_t segments_count;
    int32_t variable;    /* the segment without an end; -1: none */
    int32_t fixed_slots; /* of all other segments */
} dvi_text_column;

typedef struct dvi_text_layout {
    dvi_text_column *columns;
    int32_t columns_count;
} dvi_text_layout;

/* Does the end of a range depend on the first lines? */
bool dvi_text_layout_needs_lines(const dvi_text_options *options);

/* Make the layout for lines of so many source columns (-1: not needed).
 * DV_OK; DV_ERR_ARGUMENT: ranges of a column overlap, two ranges are the rest of all, a range
 * begins after the last source column, a column has no source column or too many; DV_ERR_MEMORY. */
dv_status dvi_text_layout_make(dvi_text_layout *layout_out, const dvi_text_options *options,
                               int64_t source_columns, dvi_arena *arena, dv_error *err);

#endif
