/* SPDX-License-Identifier: MIT */
/* every_use.h: reads a view in every way that the library has, whatever comes of it: for files that
 * change while they are read. */
#ifndef DVT_EVERY_USE_H
#define DVT_EVERY_USE_H

#include <dataview/view.h>

/* A use, 0..dvt_every_uses() - 1, by name. */
int dvt_every_uses(void);
const char *dvt_every_use_name(int i);

/* Use the view.  The seed draws columns, rows, chains and options; `threads` may decode.  Any error
 * of the library is fine.  between: called before bytes of a batch are read that is held; may be
 * NULL. */
void dvt_every_use(int i, dv_view *view, uint64_t seed, int32_t threads,
                   const dv_allocator *allocator, void (*between)(void *ctx), void *ctx);

#endif
