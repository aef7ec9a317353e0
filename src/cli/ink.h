/* SPDX-License-Identifier: MIT */
/* ink.h: what is seen of a text, gathered up to a number of columns? */
#ifndef DVI_CLI_INK_H
#define DVI_CLI_INK_H

#include <dataview/value.h>

/* More columns than any line has; below INT32_MAX, so that sums do not wrap. */
#define DVI_INK_UNLIMITED (1 << 30)

/* Text that can be seen, in memory that grows.  Start from {.most = ...}. */
typedef struct dvi_ink {
    char *text; /* owned, not NUL-terminated */
    size_t nbytes, cap;
    int32_t columns, most;   /* what would pass `most` is left out, and is_full is set */
    bool is_full, is_failed; /* is_failed: out of memory */
} dvi_ink;

/* Add text, spelling out what cannot be seen.  false: full or failed. */
bool dvi_ink_write(dvi_ink *ink, const char *data, size_t nbytes);
bool dvi_ink_text(dvi_ink *ink, const char *text);
bool dvi_ink_type(dvi_ink *ink, const dv_type *type); /* its notation */
dv_sink dvi_ink_sink(dvi_ink *ink);

/* Add bytes that count for nothing and have a place in any case. */
void dvi_ink_mark(dvi_ink *ink, const char *data, size_t nbytes);

/* Go back to where it was. */
void dvi_ink_rewind(dvi_ink *ink, size_t nbytes, int32_t columns);

void dvi_ink_free(dvi_ink *ink);

#endif
