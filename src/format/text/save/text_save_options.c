/* SPDX-License-Identifier: MIT */
/* text_save_options.c: parses the options of writing a text file. (semantics:6.1, semantics:6.6) */
#include "base/check.h"
#include "codec/option_string.h"
#include "format/text/read/text_options.h"
#include "format/text/save/text_save_priv.h"
#include <stddef.h>
#include <string.h>

static dv_status read_separator(dvi_text_form *form, const dvi_option_word *word, dv_error *err)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"tab", '\t'}, {"space", ' '}, {"comma", ','}, {"semicolon", ';'}, {"bar", '|'}};
    const dv_text value = word->value;
    for (size_t i = 0; i < sizeof names / sizeof *names && word->sign == '='; i++)
        if (dvi_text_is(value, names[i].name) || (value.nbytes == 1 && *value.data == names[i].c)) {
            form->separator = names[i].c;
            return DV_OK;
        }
    return dvi_fail_argument(
        err,
        "option sep: only tab, space, comma, semicolon and bar can be written, "
        "not \"%s\"",
        dvi_show(value).text);
}

/* The flags among the options of writing. */
static const struct {
    const char *name, *long_name;
    size_t flag;
} flags[] = {
    {"dense", "dense", offsetof(dvi_text_form, is_dense)},
    {"schema", "outputschema", offsetof(dvi_text_form, has_schema)},
    {"header", "outputheader", offsetof(dvi_text_form, has_header)},
    {"mlnet", "mlnet", offsetof(dvi_text_form, is_mlnet)},
};
#define FLAGS (sizeof flags / sizeof *flags)
#define SEPARATOR FLAGS

static size_t find(dv_text name)
{
    size_t i = 0;
    while (i < FLAGS && !dvi_text_is(name, flags[i].name) && !dvi_text_is(name, flags[i].long_name))
        i++;
    const bool is_separator = dvi_text_is(name, "sep") || dvi_text_is(name, "separator");
    return i < FLAGS ? i : is_separator ? SEPARATOR : SEPARATOR + 1;
}

static dv_status read_flag(dvi_text_form *form, size_t i, const dvi_option_word *word,
                           dv_error *err)
{
    DVI_REQUIRE(dvi_option_flag(word, (bool *)((char *)form + flags[i].flag)),
                dvi_fail_argument(err, "option %s is a flag: %s+ or %s-", flags[i].name,
                                  flags[i].name, flags[i].name));
    return DV_OK;
}

static dv_status read_words(dvi_text_form *form, dvi_option_string *words, dv_error *err)
{
    dvi_option_word word;
    dv_status status;
    uint32_t seen = 0;
    while ((status = dvi_option_string_next(words, &word, err)) == DV_OK) {
        const size_t i = find(word.name);
        DVI_REQUIRE(i <= SEPARATOR,
                    dvi_fail_argument(err,
                                      "option %s is not for writing text: use sep=, "
                                      "dense, schema, header, mlnet",
                                      dvi_show(word.name).text));
        DVI_REQUIRE(!(seen & 1U << i),
                    dvi_fail_argument(err, "option %s is given twice", dvi_show(word.name).text));
        seen |= 1U << i;
        DVI_TRY(i == SEPARATOR ? read_separator(form, &word, err) : read_flag(form, i, &word, err));
    }
    return status == DV_END ? DV_OK : status;
}

dv_status dvi_text_form_read(dvi_text_form *form_out, const dvi_saving *saving, dv_error *err)
{
    const size_t n = strlen(saving->path);
    const bool is_csv = n > 4 && strcmp(saving->path + n - 4, ".csv") == 0;
    const char *text = saving->options->text;
    dvi_arena arena;
    *form_out =
        (dvi_text_form){.separator = is_csv ? ',' : '\t', .has_schema = true, .has_header = true};
    dvi_arena_init(&arena, saving->allocator);
    dvi_option_string words = {dv_text_of(text ? text : ""), 0, &arena};
    const dv_status status = read_words(form_out, &words, err);
    dvi_arena_free(&arena);
    return status;
}
