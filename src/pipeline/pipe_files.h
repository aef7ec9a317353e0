/* SPDX-License-Identifier: MIT */
/* pipe_files.h: reads files, and opens tables, that the text of a pipeline names. */
#ifndef DVI_PIPELINE_PIPE_FILES_H
#define DVI_PIPELINE_PIPE_FILES_H

#include "base/arena.h"
#include <dataview/pipeline.h>

/* Read the lines of a file of UTF-8, without the ends of lines (LF or CR LF) and without empty
 * lines. A byte order mark at the start is left out.
 *
 * options    how files are read; NULL, or without read_file: no file is
 * lines_out  in the arena
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no file is read; or the file is not text: the message names it and the line
 * DV_ERR_LIMIT     more than 64 MiB
 * DV_ERR_MEMORY; statuses of read_file */
dv_status dvi_pipe_read_lines(dv_text **lines_out, int64_t *n_out, dv_text path,
                              const dv_pipeline_options *options, dvi_arena *arena, dv_error *err);

/* Open a table, which the arena then owns.
 *
 * options    how tables are opened; NULL, or without open_table: none is
 * table_out  NULL: only its name is to be known
 *
 * DV_OK; DV_ERR_ARGUMENT: no table is opened; DV_ERR_MEMORY; statuses of open_table */
dv_status dvi_pipe_open_table(dv_view **table_out, dv_text name, const dv_pipeline_options *options,
                              dvi_arena *arena, dv_error *err);

#endif
