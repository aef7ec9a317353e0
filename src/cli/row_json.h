/* SPDX-License-Identifier: MIT */
/* row_json.h: how do rows of a view become a JSON document? */
#ifndef DVI_CLI_ROW_JSON_H
#define DVI_CLI_ROW_JSON_H

#include "cli/json.h"
#include "cli/select.h"

/* Selected rows: names, types, an object per row, as `cat --format jsonl` writes it. */
typedef struct dvi_row_json {
    const dvi_selection *selection;
    dvi_json json;
    dv_value *values; /* one per selected column, standing in a row */
} dvi_row_json;

/* Start it; to be freed in any case.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM when told that memory ran
 * out. */
dvi_exit dvi_row_json_init(dvi_row_json *r, const dvi_selection *selection, const dvi_args *args);
void dvi_row_json_free(dvi_row_json *r);

/* Add the rows of a batch of the selected columns, from row `first` on. */
void dvi_row_json_add(dvi_row_json *r, const dv_batch *batch, int64_t first);
/* The same with all rows that a cursor with the selection's options delivers. */
dvi_exit dvi_row_json_read(dvi_row_json *r, dv_view *view);
/* End the document and write it (dvi_json_end). */
dvi_exit dvi_row_json_finish(dvi_row_json *r, dvi_out *out);

/* All of it; nothing when a row cannot be read, which is told. */
dvi_exit dvi_row_json_show(dv_view *view, const dvi_selection *selection, const dvi_args *args,
                           dvi_out *out);

#endif
