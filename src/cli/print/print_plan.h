/* SPDX-License-Identifier: MIT */
/* print_plan.h: prints how rows would be read. */
#ifndef DVI_CLI_PRINT_PLAN_H
#define DVI_CLI_PRINT_PLAN_H

#include "cli/args/select.h"
#include "cli/terminal/out.h"
#include "cli/terminal/say.h"

/* For --plan. DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_print_plan(dvi_out *out, dv_view *view, const dvi_selection *selection);

#endif
