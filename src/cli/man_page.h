/* SPDX-License-Identifier: MIT */
/* man_page.h: what is the manual page of a verb? */
#ifndef DVI_CLI_MAN_PAGE_H
#define DVI_CLI_MAN_PAGE_H

#include "cli/verbs.h"

/* Write dataview-<verb>.1 in the man macros of roff; of NULL, dataview.1. */
void dvi_man_page(dvi_out *out, const dvi_verb *verb);

#endif
