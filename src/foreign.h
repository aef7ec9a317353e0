/* SPDX-License-Identifier: MIT */
/* foreign.h: files that hold no table that the library reads: what they are, and what to do. */
#ifndef DVI_FOREIGN_H
#define DVI_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dvi_foreign {
    const char *name;   /* "a Parquet file", at most 63 bytes */
    const char *advice; /* what to do, at most 96 bytes; "": nothing */
} dvi_foreign;

/* What begins with these n bytes of at most 512.  is_sure: only what cannot be a table of text, and
 * is refused whatever its name is; else also what only looks like something else.  NULL: neither.
 */
const dvi_foreign *dvi_foreign_find(const uint8_t *head, size_t n, bool is_sure);

#endif
