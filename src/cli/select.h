/* SPDX-License-Identifier: MIT */
/* select.h: which columns and rows of a view were asked for? */
#ifndef DVI_CLI_SELECT_H
#define DVI_CLI_SELECT_H

#include "cli/args.h"
#include <dataview/cursor.h>

typedef struct dvi_selection {
    const dv_schema *schema;
    int32_t *columns; /* of the schema, each once; owned */
    int32_t count;
    bool ids;
    int64_t rows;              /* that will be delivered; -1 unknown */
    dv_cursor_options options; /* all of this for dv_cursor_open; borrows columns */
} dvi_selection;

/* Resolve what the options say about columns and rows.  DVI_EXIT_DONE, or another status when told
 * what is wrong.  To be freed in any case. */
dvi_exit dvi_select(dvi_selection *selection_out, const dvi_args *args, dv_view *view);
void dvi_selection_free(dvi_selection *selection);

/* The two halves of it.  Columns: of any schema; rows: of a view with the columns that the
 * selection has by then. */
dvi_exit dvi_select_columns(dvi_selection *selection_out, const dvi_args *args,
                            const dv_schema *schema);
void dvi_select_rows(dvi_selection *selection, const dvi_args *args, const dv_view *view);

/* How many columns a later one of the same name hides. */
int32_t dvi_count_hidden(const dv_schema *schema);

/* There is no such column, which the option named; which one was probably meant?
 * DVI_EXIT_USAGE. */
dvi_exit dvi_say_no_column(const dv_schema *schema, const char *option, dv_text word);

/* The name of selected column k. */
dv_text dvi_selection_name(const dvi_selection *selection, int32_t k);

#endif
