/* SPDX-License-Identifier: MIT */
/* input.h: opens the files of the command line as one view. */
#ifndef DVI_CLI_INPUT_H
#define DVI_CLI_INPUT_H

#include "cli/args/args.h"

/* Open all files, args->paths, as one view, with --cache, --shuffle, --shard, --convert, --where
 * and
 * --pipe applied, in this order.  DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_input_open(dv_view **view_out, const dvi_args *args);

/* Say what the verb has read from text as NA or in another form than the files have it, and close
 * what dvi_input_open keeps for that.  is_quiet: only close.  status: of the verb; that of the
 * command is returned. */
dvi_exit dvi_input_close(bool is_quiet, dvi_exit status);

/* Its two halves: open all files as one view; apply these options to *view, which is replaced. */
dvi_exit dvi_input_open_files(dv_view **view_out, const dvi_args *args);
dvi_exit dvi_input_apply(dv_view **view, const dvi_args *args);

/* Whether one of the files, or each of them, has that format.  What else is wrong with a file is
 * for those to report who open it. */
dvi_exit dvi_input_find_format(bool *found_out, const dvi_args *args, const char *wanted,
                               bool each);

/* If all files are datadings and no option says how to find their columns, have all samples read
 * for them, so that no kind comes too late.  *text_out: the changed options, which the caller
 * frees. */
dvi_exit dvi_input_infer_all(dvi_args *how, char **text_out);

/* Whether a pipe among the files would be read more than once: then it is spooled as it is opened.
 */
bool dvi_input_is_spooled(const dvi_args *args);
/* Whether one of the files is no regular file: a pipe. */
bool dvi_input_has_pipe(const dvi_args *args);

/* A title for all files: the path of the only one, the directory or pattern, or "3 files". */
#define DVI_TITLE_CAP 32
const char *dvi_input_title(const dvi_args *args, char buffer[DVI_TITLE_CAP]);

/* The size of all files together; -1 if the system does not say. */
int64_t dvi_input_nbytes(const dvi_args *args);

/* dvi_say_error in the words of the command (reword.h). */
dvi_exit dvi_say_reworded(const dv_error *err);

#endif
