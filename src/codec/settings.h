/* SPDX-License-Identifier: MIT */
/* settings.h: parses strings of options (semantics:6.1, semantics:6.3). */
#ifndef DVI_CODEC_SETTINGS_H
#define DVI_CODEC_SETTINGS_H

#include "base/arena.h"

/* A string of options that is being parsed. */
typedef struct dvi_settings {
    dv_text text;
    int64_t at;       /* offset of the next option */
    dvi_arena *arena; /* holds values that had to be copied */
} dvi_settings;

/* `name=value`, `name+`, `name-` or `name`. */
typedef struct dvi_setting {
    dv_text name;  /* not empty */
    char sign;     /* '=', '+' or '-' */
    dv_text value; /* after '=': without braces, quotes and one level of backslashes */
} dvi_setting;

/* Parse the next option. DV_OK; DV_END: there are no more; DV_ERR_ARGUMENT: a brace or a quote is
 * not closed, or a name is missing; DV_ERR_MEMORY. */
dv_status dvi_settings_next(dvi_settings *words, dvi_setting *word_out, dv_error *err);

/* Parse a value at the current offset, as after '='. Statuses as above. */
dv_status dvi_settings_value(dvi_settings *words, dv_text *value_out, dv_error *err);

/* Parse an option as a flag: `name`, `name+` and `name=+` are on, `name-` and `name=-` off; false:
 * it is not a flag. */
bool dvi_setting_flag(const dvi_setting *setting, bool *is_on_out);

/* Whether a text is this lower-case word, ignoring the case of ASCII letters. */
bool dvi_text_is(dv_text text, const char *word);

/* Remove the white space (semantics:4.3) around a text. */
dv_text dvi_text_trim(dv_text text);

/* Get the next field of a text whose fields are separated by `delimiter`; false: there are no more.
 * Start with *at = 0. */
bool dvi_text_next_field(dv_text *field_out, dv_text text, char delimiter, int64_t *at);

#endif
