/* SPDX-License-Identifier: MIT */
/* glob.h: matches names with shell patterns. */
#ifndef DVI_CLI_GLOB_H
#define DVI_CLI_GLOB_H

#include <dataview/type.h>

/* Whether the text has a character that makes it a pattern: * ? [ */
bool dvi_glob_is_pattern(const char *text, size_t nbytes);

/* Whether the whole name matches.  * matches any text, ? one character, [a-z] one of these, [!a-z]
 * any other; \ makes the next character literal, and a [ without a ] is literal too. */
bool dvi_glob_match(const char *pattern, size_t nbytes, dv_text name);

#endif
