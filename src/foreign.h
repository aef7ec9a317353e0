/* SPDX-License-Identifier: MIT */
/* foreign.h: files that hold no table that the library reads: what they are, and what to do. */
#ifndef DVI_FOREIGN_H
#define DVI_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How sure is it?  A file is refused with each doubt that its name and the options leave. */
typedef enum dvi_foreign_doubt {
    DVI_FOREIGN_ALIKE, /* it looks like something else: refused unless the name says text */
    DVI_FOREIGN_TEXT,  /* lines in another notation: refused unless options say how text is read */
    DVI_FOREIGN_SURE   /* refused always */
} dvi_foreign_doubt;

typedef struct dvi_foreign {
    const char *name;   /* "a Parquet file", at most 63 bytes */
    const char *advice; /* what to do, at most 112 bytes; "": nothing */
    dvi_foreign_doubt doubt;
} dvi_foreign;

/* Find the file that begins with these n bytes of at most 512, at least as sure as `least`.  NULL:
 * the list has no such entry. */
const dvi_foreign *dvi_foreign_find(const uint8_t *head, size_t n, dvi_foreign_doubt least);

/* Advise about the file at this path: give its advice, or a command that converts it with the
 * Python package, where that opens a file of such a name.  The command has the path, unless it is
 * too long for a message or needs other quotes; then it has FILE. */
#define DVI_FOREIGN_ADVICE_CAP 208
const char *dvi_foreign_advise(const dvi_foreign *what, const char *path,
                               char text[DVI_FOREIGN_ADVICE_CAP]);

#endif
