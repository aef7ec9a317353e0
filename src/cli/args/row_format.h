/* SPDX-License-Identifier: MIT */
/* row_format.h: the formats in which cat writes rows (--format). */
#ifndef DVI_CLI_ROW_FORMAT_H
#define DVI_CLI_ROW_FORMAT_H

/* Every format; the first is the default.  print/printer.h declares a printer for each. */
#define DVI_ROW_FORMAT_LIST(X)                                                                     \
    X(tsv)                                                                                         \
    X(csv)                                                                                         \
    X(jsonl)                                                                                       \
    X(exact)

/* Their names, ending with NULL. */
extern const char *const dvi_row_format_names[];

#endif
