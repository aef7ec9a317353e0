/* SPDX-License-Identifier: MIT */
/* printer.h: the formats in which cat writes rows. */
#ifndef DVI_CLI_PRINTER_H
#define DVI_CLI_PRINTER_H

#include "cli/args/row_format.h"
#include "cli/args/select.h"
#include "cli/terminal/out.h"

/* A format.  Functions that return bool return false if the output failed. */
typedef struct dvi_printer {
    const char *before, *between, *after; /* around the values of a row */
    /* Write what comes before the first row.  The status is that of reading metadata. */
    dv_status (*header)(dvi_out *out, const dvi_selection *selection, dv_error *err);
    bool (*id)(dvi_out *out, dv_u128 id);
    /* Write a value of selected column k. */
    bool (*value)(dvi_out *out, const dvi_selection *selection, int32_t k, const dv_value *value);
} dvi_printer;

#define DVI_ID_NAME "#id" /* the column of row ids */

#define DVI_PRINTER_PROTOTYPE(name) extern const dvi_printer dvi_printer_##name;
DVI_ROW_FORMAT_LIST(DVI_PRINTER_PROTOTYPE)

/* Write a row id as tsv and csv do: 0x and 32 digits. */
bool dvi_printer_id(dvi_out *out, dv_u128 id);

/* The printer of that name; the default for NULL. */
const dvi_printer *dvi_printer_find(const char *name);

#endif
