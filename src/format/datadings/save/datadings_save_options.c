/* SPDX-License-Identifier: MIT */
/* datadings_save_options.c: parses the options for saving datadings (datadings:12). */
#include "base/check.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include "format/datadings/save/datadings_save_priv.h"

#define DEFAULTS_NBYTES (INT64_C(1) << 30)

static const char key_name[] = "key", drop_name[] = "drop_metadata", number_name[] = "rownumber",
                  defaults_name[] = "defaults_nbytes";

static dv_status read_defaults(dvi_datadings_save_options *options, const dvi_option_word *word,
                               dv_error *err)
{
    int64_t *nbytes = &options->defaults_nbytes;
    const size_t n = (size_t)word->value.nbytes;
    if (*nbytes >= 0)
        return dvi_fail_argument(err, "option %s is given twice", defaults_name);
    if (word->sign != '=' || n == 0 || !dvi_parse_i8(nbytes, word->value.data, n, n) || *nbytes < 0)
        return dvi_fail_argument(err, "option %s: a number of bytes, not \"%s\"", defaults_name,
                                 dvi_show(word->value).text);
    return DV_OK;
}

static dv_status read_word(dvi_datadings_save_options *options, const dvi_option_word *word,
                           dv_error *err)
{
    const bool is_key = dvi_text_is(word->name, key_name);
    if (dvi_text_is(word->name, defaults_name))
        return read_defaults(options, word, err);
    if (!is_key && !dvi_text_is(word->name, drop_name))
        return dvi_fail_argument(err, "unknown option \"%s\": the options are %s, %s and %s",
                                 dvi_show(word->name).text, key_name, drop_name, defaults_name);
    if (word->sign != '=' || word->value.nbytes == 0)
        return dvi_fail_argument(err, "option %s needs a name", is_key ? key_name : drop_name);
    if ((is_key ? options->key : options->dropped_metadata).nbytes > 0 ||
        (is_key && options->is_numbered))
        return dvi_fail_argument(err, "option %s is given twice", is_key ? key_name : drop_name);
    if (!is_key)
        options->dropped_metadata = word->value;
    else if (dv_text_equal(word->value, dv_text_of(number_name)))
        options->is_numbered = true;
    else
        options->key = word->value;
    return DV_OK;
}

dv_status dvi_datadings_save_options_read(dvi_datadings_save_options *options_out, const char *text,
                                          dvi_arena *arena, dv_error *err)
{
    dvi_option_word word;
    dv_status status;
    dvi_option_string words = {dv_text_of(text ? text : ""), 0, arena};
    *options_out = (dvi_datadings_save_options){.defaults_nbytes = -1};
    while ((status = dvi_option_string_next(&words, &word, err)) == DV_OK)
        DVI_TRY(read_word(options_out, &word, err));
    if (options_out->defaults_nbytes < 0)
        options_out->defaults_nbytes = DEFAULTS_NBYTES;
    return status == DV_END ? DV_OK : status;
}

bool dvi_datadings_save_options_drops(const dvi_datadings_save_options *options, dv_text kind)
{
    int64_t at = 0;
    dv_text listed;
    while (options->dropped_metadata.nbytes > 0 &&
           dvi_text_next_field(&listed, options->dropped_metadata, ',', &at))
        if (dv_text_equal(listed, kind))
            return true;
    return false;
}
