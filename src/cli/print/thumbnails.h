/* SPDX-License-Identifier: MIT */
/* thumbnails.h: small pictures of selected rows. */
#ifndef DVI_CLI_THUMBNAILS_H
#define DVI_CLI_THUMBNAILS_H

#include "cli/args/select.h"
#include "cli/terminal/graphics.h"

/* How args->thumbnails are to be written; DVI_GRAPHICS_NONE: they are not asked for.
 * DVI_EXIT_DONE, or DVI_EXIT_USAGE after a message: the terminal shows none, or there is none. */
dvi_exit dvi_thumbnails_how(dvi_graphics *how_out, const dvi_args *args, const dvi_out *out);

/* Write the name of each selected column of bytes or pictures, and its pictures, side by side in
 * the order of the rows.  A row without one leaves its place empty.
 * DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_thumbnails_show(dvi_graphics how, dv_view *view, const dvi_selection *selection,
                             dvi_out *out);

#endif
