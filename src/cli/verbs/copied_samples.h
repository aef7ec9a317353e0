/* SPDX-License-Identifier: MIT */
/* copied_samples.h: opens samples of datadings that are written as they are. */
#ifndef DVI_CLI_COPIED_SAMPLES_H
#define DVI_CLI_COPIED_SAMPLES_H

#include "cli/args/args.h"

/* If samples go from datadings to datadings, *how_out is `args` with the options that copy them:
 * undecoded, or without the entries that --columns and --drop leave out.  Where an option changes
 * what is in them, all of them are read to know what that loses.  *view_out: the view of keys and
 * messages if --where has to look inside, else NULL: open the input as *how_out says.  The caller
 * frees *text_out, which *how_out points to, and the view, in any case.  DVI_EXIT_DONE, or another
 * status after a message. */
dvi_exit dvi_copied_samples(dvi_args *how_out, char **text_out, dv_view **view_out,
                            const dvi_args *args);

#endif
