/* SPDX-License-Identifier: MIT */
/* row_json.h: rows of a view as a JSON document. */
#ifndef DVI_CLI_ROW_JSON_H
#define DVI_CLI_ROW_JSON_H

#include "cli/args/select.h"
#include "cli/print/json.h"
#include "cli/terminal/out.h"

/* Selected rows: names, types, and an object per row as `cat --format jsonl` writes it. */
typedef struct dvi_row_json {
    const dvi_selection *selection;
    dvi_json json;
    dv_value *values; /* one per selected column, at the current row */
} dvi_row_json;

/* Begin the document; free it in any case.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM after a message that
 * memory ran out. */
dvi_exit dvi_row_json_init(dvi_row_json *r, const dvi_selection *selection, const dvi_args *args);
void dvi_row_json_free(dvi_row_json *r);

/* Add the rows of a batch of the selected columns, from row `first` on. */
void dvi_row_json_add(dvi_row_json *r, const dv_batch *batch, int64_t first);
/* Add all rows that a cursor with the selection's options delivers. */
dvi_exit dvi_row_json_read(dvi_row_json *r, dv_view *view);
/* End the document and write it (dvi_json_end). */
dvi_exit dvi_row_json_finish(dvi_row_json *r, dvi_out *out);

/* Write the whole document, or only a message if a row cannot be read. */
dvi_exit dvi_row_json_show(dv_view *view, const dvi_selection *selection, const dvi_args *args,
                           dvi_out *out);

#endif
