/* SPDX-License-Identifier: MIT */
/* token.h: the position of a cursor or a feed, as text.  docs/resuming.md and docs/training.md
 * describe what it contains. */
#ifndef DATAVIEW_TOKEN_H
#define DATAVIEW_TOKEN_H

#include <dataview/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Printable ASCII without spaces, NUL-terminated.  The caller owns it and may store it anywhere. */
#define DV_TOKEN_NBYTES 224
typedef struct dv_token {
    char text[DV_TOKEN_NBYTES];
} dv_token;

#ifdef __cplusplus
}
#endif

#endif
