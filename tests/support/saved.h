/* SPDX-License-Identifier: MIT */
/* saved.h: saves a view in memory and opens it again. */
#ifndef DVT_SAVED_H
#define DVT_SAVED_H

#include "support/lines.h"
#include <dataview/save.h>

/* A saved file; free it with dv_buffer_release.  Any other status than DV_OK ends the program. */
dv_buffer dvt_save_idv(dv_view *view, const dv_save_options *options);
/* Open such a file; the buffer must outlive the view.  NULL ends the program. */
dv_view *dvt_open_saved(const dv_buffer *file);

/* All of a view as JSON lines: every column, hidden ones too, with metadata, then each row. */
dvt_lines dvt_lines_of(dv_view *view);
/* The same of a file. */
dvt_lines dvt_lines_of_saved(const dv_buffer *file);
/* Where two texts differ first, for a message; "" when they do not. */
const char *dvt_lines_difference(const dvt_lines *a, const dvt_lines *b);

#endif
