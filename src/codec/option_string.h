/* SPDX-License-Identifier: MIT */
/* option_string.h: parses strings of options (semantics:6.1, semantics:6.3). */
#ifndef DVI_CODEC_OPTION_STRING_H
#define DVI_CODEC_OPTION_STRING_H

#include "base/arena.h"

/* A string of options that is being parsed. */
typedef struct dvi_option_string {
    dv_text text;
    int64_t at;       /* offset of the next option */
    dvi_arena *arena; /* holds values that had to be copied */
} dvi_option_string;

/* `name=value`, `name+`, `name-` or `name`. */
typedef struct dvi_option_word {
    dv_text name; /* not empty */
    char sign;    /* '=', '+' or '-' */
    bool in_braces;
    dv_text value; /* after '=', as read by dvi_option_string_value */
} dvi_option_word;

/* Parse the next option. DV_OK; DV_END: there are no more; DV_ERR_ARGUMENT: a brace or a quote is
 * not closed, or a name is missing; DV_ERR_MEMORY. */
dv_status dvi_option_string_next(dvi_option_string *words, dvi_option_word *word_out,
                                 dv_error *err);

/* Parse a value at the current offset, as after '=': a bare token without its quotes, or the
 * content of a group in braces, without the backslashes that escape. Statuses as above. */
dv_status dvi_option_string_value(dvi_option_string *words, dv_text *value_out, dv_error *err);

/* Whether the value reads as itself. */
bool dvi_option_string_is_bare(dv_text value);

/* Put a value in braces so that it reads as itself. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_option_string_quote(dv_text *quoted_out, dv_text value, dvi_arena *arena,
                                  dv_error *err);

/* Parse an option as a flag: `name`, `name+` and `name=+` are on, `name-` and `name=-` off; false:
 * it is not a flag. */
bool dvi_option_flag(const dvi_option_word *setting, bool *is_on_out);

/* Whether a text is this lower-case word, ignoring the case of ASCII letters. */
bool dvi_text_is(dv_text text, const char *word);

/* Remove the white space (semantics:4.3) around a text. */
dv_text dvi_text_trim(dv_text text);

/* Get the next field of a text whose fields are separated by `delimiter`; false: there are no more.
 * Start with *at = 0. */
bool dvi_text_next_field(dv_text *field_out, dv_text text, char delimiter, int64_t *at);

/* Split `NAME:TYPE` at its last colon. Returns false if there is no colon, or no name before it. */
bool dvi_text_split_type(dv_text text, dv_text *name_out, dv_text *type_out);

#endif
