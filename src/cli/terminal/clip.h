/* SPDX-License-Identifier: MIT */
/* clip.h: collects displayable text up to a number of columns. */
#ifndef DVI_CLI_CLIP_H
#define DVI_CLI_CLIP_H

#include <dataview/value.h>

/* More columns than any line has; below INT32_MAX, so that sums do not wrap. */
#define DVI_CLIP_UNLIMITED (1 << 30)

/* Displayable text in memory that grows.  Start from {.most = ...}. */
typedef struct dvi_clip {
    char *text; /* owned, not NUL-terminated */
    size_t nbytes, cap;
    int32_t columns, most;   /* text past `most` is dropped, and is_full is set */
    bool is_full, is_failed; /* is_failed: out of memory */
} dvi_clip;

/* Add text, with unsafe characters spelled out (glyph.h).  false: full or failed. */
bool dvi_clip_write(dvi_clip *clip, const char *data, size_t nbytes);
bool dvi_clip_text(dvi_clip *clip, const char *text);
bool dvi_clip_type(dvi_clip *clip, const dv_type *type); /* its notation */
dv_sink dvi_clip_sink(dvi_clip *clip);

/* Add bytes that take no columns, even if it is full. */
void dvi_clip_mark(dvi_clip *clip, const char *data, size_t nbytes);

/* Shorten it to an earlier length. */
void dvi_clip_rewind(dvi_clip *clip, size_t nbytes, int32_t columns);

void dvi_clip_free(dvi_clip *clip);

#endif
