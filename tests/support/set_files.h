/* SPDX-License-Identifier: MIT */
/* set_files.h: one table of many rows in every format, and chains of views over it, for tests of
 * cursors that share rows. */
#ifndef DVT_SET_FILES_H
#define DVT_SET_FILES_H

#include "support/file.h"
#include "support/lines.h"
#include "support/many_rows.h"
#include <dataview/cursor.h>

/* The table of many_rows.h as files. */
typedef struct dvt_set_files {
    dvt_path folder;
    dvt_many_rows *rows;
} dvt_set_files;

dvt_set_files dvt_set_files_create(int64_t rows);
void dvt_set_files_free(dvt_set_files *files);

/* A source, 0..dvt_set_sources() - 1, by name; and a chain of views on it. */
int dvt_set_sources(void);
const char *dvt_set_source(int i);
int dvt_set_chains(void);
const char *dvt_set_chain(int i);

/* Chain `chain` over source `source`; NULL: it has no such columns. */
dv_view *dvt_set_view(const dvt_set_files *files, int source, int chain,
                      const dv_allocator *allocator);

/* Each row as a line: its number in the view (unless that is lost), id and values. */
void dvt_set_put(dvt_lines *lines, const dv_batch *batch, bool has_numbers);

/* The rows of one cursor, in one thread. */
dvt_lines dvt_set_truth(dv_view *view, const dv_cursor_options *options, bool has_numbers);

/* Does the chain know row numbers in members of a set? */
bool dvt_set_has_numbers(int chain);

#endif
