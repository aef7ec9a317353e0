/* SPDX-License-Identifier: MIT */
/* writing_jsonl.h: writes a table to a file of JSON lines. */
#ifndef DVI_CLI_WRITING_JSONL_H
#define DVI_CLI_WRITING_JSONL_H

#include "cli/args/select.h"
#include <dataview/save.h>

/* Report the implied loss of JSON lines (dv_loss_report.is_implied). */
void dvi_jsonl_check(bool (*report)(void *ctx, const dv_loss_report *report), void *ctx);

/* Write the rows of a selection as `cat --format jsonl` does, to a file that replaces the one at
 * the path as dv_save does.  options: its rows, sync and progress count.  rows: in all; -1:
 * unknown. DV_OK; DV_ERR_STOPPED; statuses of reading, and of dv_file_writer_close. */
dv_status dvi_jsonl_save(dv_view *view, const dvi_selection *selection, const char *path,
                         const dv_save_options *options, dv_error *err);

#endif
