/* SPDX-License-Identifier: MIT */
/* select.h: the columns and rows that the command line selects. */
#ifndef DVI_CLI_SELECT_H
#define DVI_CLI_SELECT_H

#include "cli/args/args.h"
#include <dataview/cursor.h>

typedef struct dvi_selection {
    const dv_schema *schema;
    int32_t *columns; /* indices in the schema, each once; owned */
    int32_t count;
    bool ids;
    int64_t rows;              /* to be delivered; -1 unknown */
    dv_cursor_options options; /* for dv_cursor_open; borrows columns */
} dvi_selection;

/* Resolve the options that select columns and rows.  DVI_EXIT_DONE, or another status after a
 * message.  Free selection_out in any case. */
dvi_exit dvi_select(dvi_selection *selection_out, const dvi_args *args, dv_view *view);
void dvi_selection_free(dvi_selection *selection);

/* The two halves of dvi_select: the columns of a schema, then the rows of a view that has them. */
dvi_exit dvi_select_columns(dvi_selection *selection_out, const dvi_args *args,
                            const dv_schema *schema);
void dvi_select_rows(dvi_selection *selection, const dvi_args *args, const dv_view *view);

/* The number of hidden columns: those with a later column of the same name. */
/* Whether --columns has the name itself, not a pattern that it matches. */
bool dvi_select_is_named(const dvi_args *args, dv_text name);

int32_t dvi_count_hidden(const dv_schema *schema);

/* Report that the column which the option names does not exist, with the one that was probably
 * meant.  Returns DVI_EXIT_USAGE. */
dvi_exit dvi_say_no_column(const dv_schema *schema, const char *option, dv_text word);

/* The name of selected column k. */
dv_text dvi_selection_name(const dvi_selection *selection, int32_t k);

#endif
