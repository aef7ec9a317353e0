/* SPDX-License-Identifier: MIT */
/* print_plan.c: prints how rows would be read. */
#include "cli/print/print_plan.h"
#include "cli/args/input.h"
#include <dataview/plan.h>

dvi_exit dvi_print_plan(dvi_out *out, dv_view *view, const dvi_selection *selection)
{
    dv_error err = DV_ERROR_INIT;
    const dv_sink sink = dvi_out_safe_sink(out);
    const dv_status status = dv_cursor_plan(view, &selection->options, &sink, &err);
    return status < 0 && !out->os_code ? dvi_say_reworded(&err) : DVI_EXIT_DONE;
}
