/* SPDX-License-Identifier: MIT */
/* print_rows.h: writes rows in a format of cat. */
#ifndef DVI_CLI_PRINT_ROWS_H
#define DVI_CLI_PRINT_ROWS_H

#include "cli/print/printer.h"

/* Called for each batch with the rows done, before it is written (is_written false) and after.
 * false: stop. */
typedef bool dvi_print_step(void *ctx, int64_t done, bool is_written);

/* Write the selected rows of a view.  It also reads the metadata of the selected columns, so that
 * damage there is reported even if the format does not print it.  DV_OK or DV_END: all rows, as far
 * as `out` took them; DV_ERR_STOPPED: `step` returned false; statuses of reading. */
dv_status dvi_print_rows(dvi_out *out, const dvi_printer *printer, dv_view *view,
                         const dvi_selection *selection, dvi_print_step *step, void *ctx,
                         dv_error *err);

#endif
