/* SPDX-License-Identifier: MIT */
/* nearest.h: which known word was probably meant? */
#ifndef DVI_CLI_NEAREST_H
#define DVI_CLI_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* The best guess so far.  Start from DVI_NEAREST_INIT, offer every known word, read `word`. */
typedef struct dvi_nearest {
    const char *word; /* as it was offered; NULL: nothing is near */
    size_t nbytes;
    size_t distance;
} dvi_nearest;

#define DVI_NEAREST_INIT                                                                           \
    {                                                                                              \
        NULL, 0, SIZE_MAX                                                                          \
    }

/* Is `word` nearer to what was typed?  Slips are inserted, left out, wrong and swapped letters; a
 * third of the letters may be wrong, and the beginning of a word counts as near. */
void dvi_nearest_offer(dvi_nearest *best, const char *typed, const char *word, size_t nbytes);

#endif
