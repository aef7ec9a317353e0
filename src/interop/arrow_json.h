/* SPDX-License-Identifier: MIT */
/* arrow_json.h: reads JSON: the parts of it that metadata has. */
#ifndef DVI_INTEROP_ARROW_JSON_H
#define DVI_INTEROP_ARROW_JSON_H

#include <dataview/type.h>

/* A position in a text. After the first read that fails, all reads fail. */
typedef struct dvi_json {
    const char *at, *end;
    bool is_wrong;
} dvi_json;

dvi_json dvi_json_of(dv_text text);

/* Pass over white space. */
void dvi_json_space(dvi_json *json);

/* Take a character, with white space before it, or a word such as null. false: something else
 * follows; the position stays. */
bool dvi_json_take(dvi_json *json, char c);
bool dvi_json_take_word(dvi_json *json, const char *word);

/* Take what must follow. */
void dvi_json_require(dvi_json *json, char c);

/* An integer: its digits, with a minus in front. */
dv_text dvi_json_integer(dvi_json *json);

/* A string, unescaped into dst, which has room for as many bytes as are left; NULL: it is only
 * measured. Returns its bytes. */
size_t dvi_json_string(dvi_json *json, char *dst);

/* A string without escapes, as it lies. */
dv_text dvi_json_word(dvi_json *json);

/* Pass over any value. */
void dvi_json_skip(dvi_json *json);

/* Whether all of it has been read, and nothing was wrong. */
bool dvi_json_is_done(dvi_json *json);

/* A list of numbers from 0 to 2^31-1, at most `cap`; returns how many, 0 if it is not such a list.
 */
int32_t dvi_json_integers(dvi_json *json, int32_t *numbers, int32_t cap);

#endif
