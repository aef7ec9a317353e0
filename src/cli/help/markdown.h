/* SPDX-License-Identifier: MIT */
/* markdown.h: the Markdown of docs/spec as text for a terminal. */
#ifndef DVI_CLI_MARKDOWN_H
#define DVI_CLI_MARKDOWN_H

#include "cli/terminal/out.h"

/* The text of a line without anchors, links' targets, and marks of emphasis, into dst, which has
 * room for nbytes + 1 and may be the
 * text itself.  Returns its bytes. */
size_t dvi_markdown_plain(char *dst, const char *text, size_t nbytes);

/* Cell k of the row of a table, as it is in the line; false: the row has no such cell. */
bool dvi_markdown_cell(dv_text *cell_out, const char *line, int32_t k);

/* Write lines for a screen of so many columns: paragraphs wrapped, tables aligned where they fit
 * and else a line for each cell.  false: out of memory. */
bool dvi_markdown_print(dvi_out *out, int32_t width, const char *const *lines, size_t count);

/* Write one row of a table whose first line is the head: a line for each cell but the first. */
bool dvi_markdown_print_row(dvi_out *out, int32_t width, const char *head, const char *row);

#endif
