/* SPDX-License-Identifier: MIT */
/* glob.h: does a name match a pattern? */
#ifndef DVI_CLI_GLOB_H
#define DVI_CLI_GLOB_H

#include <dataview/type.h>

/* Has the text a character that makes it a pattern: * ? [ ? */
bool dvi_glob_is_pattern(const char *text, size_t nbytes);

/* Does all of the name match?  * is any text, ? one character, [a-z] one of these, [!a-z] any
 * other; \ takes the next character as it is, and so does a [ without its ]. */
bool dvi_glob_match(const char *pattern, size_t nbytes, dv_text name);

#endif
