/* SPDX-License-Identifier: MIT */
/* nearest.h: finds the known word that was probably meant. */
#ifndef DVI_CLI_NEAREST_H
#define DVI_CLI_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* The best guess so far.  Start from DVI_NEAREST_INIT, offer every known word, read `word`. */
typedef struct dvi_nearest {
    const char *word; /* as offered; NULL: none is near */
    size_t nbytes;
    size_t distance;
} dvi_nearest;

#define DVI_NEAREST_INIT                                                                           \
    {                                                                                              \
        NULL, 0, SIZE_MAX                                                                          \
    }

/* Keep `word` if it is nearer to what was typed.  Inserted, missing, wrong and swapped letters
 * count one each; a third of the letters may be wrong, and the beginning of a word is near. */
void dvi_nearest_offer(dvi_nearest *best, const char *typed, const char *word, size_t nbytes);

#endif
