/* SPDX-License-Identifier: MIT */
/* datadings_save_options.c: how are datadings to be written?  (datadings:12) */
#include "codec/settings.h"
#include "format/datadings/save/datadings_save_priv.h"

static const char key_name[] = "key", drop_name[] = "drop_metadata", number_name[] = "rownumber";

static dv_status read_word(dvi_datadings_form *form, const dvi_setting *word, dv_error *err)
{
    const bool is_key = dvi_text_is(word->name, key_name);
    if (!is_key && !dvi_text_is(word->name, drop_name))
        return dvi_fail_argument(err, "unknown option \"%s\": there are %s, %s",
                                 dvi_show(word->name).text, key_name, drop_name);
    if (word->sign != '=' || word->value.nbytes == 0)
        return dvi_fail_argument(err, "option %s: nothing is named", is_key ? key_name : drop_name);
    if ((is_key ? form->key : form->unwritten).nbytes > 0 || (is_key && form->is_numbered))
        return dvi_fail_argument(err, "option %s is there twice", is_key ? key_name : drop_name);
    if (!is_key)
        form->unwritten = word->value;
    else if (dv_text_equal(word->value, dv_text_of(number_name)))
        form->is_numbered = true;
    else
        form->key = word->value;
    return DV_OK;
}

dv_status dvi_datadings_form_read(dvi_datadings_form *form_out, const char *text, dvi_arena *arena,
                                  dv_error *err)
{
    dvi_setting word;
    dv_status status;
    dvi_settings words = {dv_text_of(text ? text : ""), 0, arena};
    *form_out = (dvi_datadings_form){.is_numbered = false};
    while ((status = dvi_settings_next(&words, &word, err)) == DV_OK)
        DVI_TRY(read_word(form_out, &word, err));
    return status == DV_END ? DV_OK : status;
}

bool dvi_datadings_form_drops(const dvi_datadings_form *form, dv_text kind)
{
    int64_t at = 0;
    dv_text part;
    while (form->unwritten.nbytes > 0 && dvi_text_part(&part, form->unwritten, ',', &at))
        if (dv_text_equal(part, kind))
            return true;
    return false;
}
