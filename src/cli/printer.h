/* SPDX-License-Identifier: MIT */
/* printer.h: which ways are there to write rows for other programs? */
#ifndef DVI_CLI_PRINTER_H
#define DVI_CLI_PRINTER_H

#include "cli/out.h"
#include "cli/select.h"

/* One form of output.  What writes returns false when the output failed. */
typedef struct dvi_printer {
    const char *before, *between, *after; /* the values of a row */
    /* Write what comes before the first row.  The status is of reading metadata. */
    dv_status (*header)(dvi_out *out, const dvi_selection *selection, dv_error *err);
    bool (*id)(dvi_out *out, dv_u16 id);
    /* Of selected column k. */
    bool (*value)(dvi_out *out, const dvi_selection *selection, int32_t k, const dv_value *value);
} dvi_printer;

#define DVI_ID_NAME "#id" /* the column of row ids */

/* Every form; the first is the default. */
#define DVI_PRINTER_LIST(X)                                                                        \
    X(tsv)                                                                                         \
    X(csv)                                                                                         \
    X(jsonl)                                                                                       \
    X(exact)

#define DVI_PRINTER_PROTOTYPE(name) extern const dvi_printer dvi_printer_##name;
DVI_PRINTER_LIST(DVI_PRINTER_PROTOTYPE)

/* Write an id as tables of text have it: 0x and 32 digits. */
bool dvi_printer_id(dvi_out *out, dv_u16 id);

/* Their names, ending with NULL; the one of a name, the default for NULL. */
extern const char *const dvi_printer_names[];
const dvi_printer *dvi_printer_find(const char *name);

#endif
