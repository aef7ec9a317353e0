/* SPDX-License-Identifier: MIT */
/* names.h: finds names: those that a pattern means, and the one that was probably meant. */
#ifndef DATAVIEW_NAMES_H
#define DATAVIEW_NAMES_H

#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a text has a character that makes it a pattern: * ? [ */
DV_API bool dv_glob_is_pattern(dv_text text);

/* Whether the whole name matches.  * matches any text, ? one character, [a-z] one of these, [!a-z]
 * any other; \ makes the next character literal, and a [ without a ] is literal too.  Any thread.
 */
DV_API bool dv_glob_match(dv_text pattern, dv_text name);

/* The best guess so far.  Start from DV_NEAREST_INIT, offer every known name, read `name`. */
typedef struct dv_nearest {
    dv_text name; /* as offered; NA: none is near */
    int32_t distance;
} dv_nearest;

#define DV_NEAREST_INIT                                                                            \
    {                                                                                              \
        {NULL, -1}, INT32_MAX                                                                      \
    }

/* Keep `name` if it is nearer to what was typed than all before it.  Inserted, missing, wrong and
 * swapped bytes count one each, and letters of ASCII are alike in either case; a third of the bytes
 * may be wrong, and the beginning of a name is near.  Texts of more than 48 bytes are never near.
 * Any thread; no allocation. */
DV_API void dv_nearest_offer(dv_nearest *best, dv_text typed, dv_text name);

#ifdef __cplusplus
}
#endif

#endif
