/* SPDX-License-Identifier: MIT */
/* datadings_save_options.c: parses the options for saving datadings (datadings:12). */
#include "codec/option_string.h"
#include "format/datadings/save/datadings_save_priv.h"

static const char key_name[] = "key", drop_name[] = "drop_metadata", number_name[] = "rownumber";

static dv_status read_word(dvi_datadings_save_options *options, const dvi_option_word *word,
                           dv_error *err)
{
    const bool is_key = dvi_text_is(word->name, key_name);
    if (!is_key && !dvi_text_is(word->name, drop_name))
        return dvi_fail_argument(err, "unknown option \"%s\": the options are %s and %s",
                                 dvi_show(word->name).text, key_name, drop_name);
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
    *options_out = (dvi_datadings_save_options){.is_numbered = false};
    while ((status = dvi_option_string_next(&words, &word, err)) == DV_OK)
        DVI_TRY(read_word(options_out, &word, err));
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
