/* SPDX-License-Identifier: MIT */
/* produce.h: writes a view as JSON lines, in four ways that share only the printing of a scalar, so
 * that each is compared with golden files (golden.h) independently. */
#ifndef DVT_PRODUCE_H
#define DVT_PRODUCE_H

#include "support/lines.h"
#include <dataview/cursor.h>

/* A header of the active columns, then a line per row that the cursor delivers; appended to
 * `lines`.  "rows" is that of the view, whatever the options ask for.  A batch that breaks its own
 * rules (position, rows, columns, types, bases) ends the program. */
typedef dv_status dvt_producer(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                               dv_error *err);

dvt_producer dvt_produce_by_value;  /* batches, dv_value_write */
dvt_producer dvt_produce_by_getter; /* the row cursor's typed getters, dv_value_i4 and so on */
dvt_producer dvt_produce_by_layout; /* batches, straight from the buffers */

/* What `dataview cat --format exact --io IO PATH` prints.  Returns its exit status, -1 when it did
 * not run.  The program is the one that the environment calls DV_BIN. */
int dvt_produce_by_command(dvt_lines *lines, const char *path, const char *io);

/* Steps of the above: the header, and the rows of one batch. */
dv_status dvt_put_header(dvt_lines *lines, const dv_view *view, const dv_cursor_options *options,
                         void (*put_metadata)(dvt_lines *lines, const dv_batch *value),
                         dv_error *err);
void dvt_put_metadata_by_value(dvt_lines *lines, const dv_batch *value);
void dvt_put_batch_by_value(dvt_lines *lines, const dv_batch *batch);
void dvt_put_batch_by_layout(dvt_lines *lines, const dv_batch *batch);

/* Every row of a cursor, each batch handed to put. */
dv_status dvt_put_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                       void (*put)(dvt_lines *lines, const dv_batch *batch), dv_error *err);

/* The columns of the schema that these options make active; returns how many, free() them.
 * options may be NULL. */
int32_t dvt_active_columns(const dv_schema *schema, const dv_cursor_options *options,
                           int32_t **columns_out);

/* Ends the program with the sentence unless the condition holds. */
#define DVT_MUST(condition) dvt_must(condition, #condition, __FILE__, __LINE__)
void dvt_must(bool holds, const char *condition, const char *file, int line);

#endif
