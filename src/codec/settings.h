/* SPDX-License-Identifier: MIT */
/* settings.h: which options does a string name?  (semantics:6.1, semantics:6.3) */
#ifndef DVI_CODEC_SETTINGS_H
#define DVI_CODEC_SETTINGS_H

#include "base/arena.h"

/* A string of options, on the way from its first to its last. */
typedef struct dvi_settings {
    dv_text text;
    int64_t at;
    dvi_arena *arena; /* of values that had to be copied */
} dvi_settings;

/* `name=value`, `name+`, `name-` or `name`. */
typedef struct dvi_setting {
    dv_text name;  /* not empty */
    char sign;     /* '=', '+' or '-' */
    dv_text value; /* after '=': without braces or quotes, and one level of backslashes less */
} dvi_setting;

/* The next option.  DV_OK; DV_END: there are no more; DV_ERR_ARGUMENT: a brace or a quote stays
 * open, or there is no name; DV_ERR_MEMORY. */
dv_status dvi_settings_next(dvi_settings *words, dvi_setting *word_out, dv_error *err);

/* The value that starts here: as after '='.  Statuses as above. */
dv_status dvi_settings_value(dvi_settings *words, dv_text *value_out, dv_error *err);

/* Of a flag: `name`, `name+`, `name=+` switch it on, `name-` off; false: it is no flag. */
bool dvi_setting_flag(const dvi_setting *setting, bool *is_on_out);

/* Is it that word?  In any case of ASCII letters. */
bool dvi_text_is(dv_text text, const char *word);

/* Without the white space around it, as semantics:4.3 has white space. */
dv_text dvi_text_trim(dv_text text);

/* Get the next field of a text whose fields are separated by `delimiter`; false: there are no more.
 * Start with *at = 0. */
bool dvi_text_next_field(dv_text *field_out, dv_text text, char delimiter, int64_t *at);

#endif
