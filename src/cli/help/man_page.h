/* SPDX-License-Identifier: MIT */
/* man_page.h: writes manual pages. */
#ifndef DVI_CLI_MAN_PAGE_H
#define DVI_CLI_MAN_PAGE_H

#include "cli/args/verbs.h"
#include "cli/terminal/out.h"

/* Write dataview-<verb>.1 in the man macros of roff; for NULL, dataview.1. */
void dvi_man_page(dvi_out *out, const dvi_verb *verb);

#endif
