/* SPDX-License-Identifier: MIT */
/* text_save_options.c: parses the options of writing a text file. (semantics:6.1, semantics:6.6) */
#include "base/check.h"
#include "io/pack.h"
#include "codec/option_string.h"
#include "format/text/read/text_options.h"
#include "format/text/save/text_save_priv.h"
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* What the options say. */
typedef struct choice {
    bool dense, schema, header, mlnet, csv, bom;
    uint32_t given; /* 1 << index in `flags` */
    char separator; /* 0: not given */
} choice;

static dv_status read_separator(choice *chosen, const dvi_option_word *word, dv_error *err)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"tab", '\t'}, {"space", ' '}, {"comma", ','}, {"semicolon", ';'}, {"bar", '|'}};
    const dv_text value = word->value;
    for (size_t i = 0; i < sizeof names / sizeof *names && word->sign == '='; i++)
        if (dvi_text_is(value, names[i].name) || (value.nbytes == 1 && *value.data == names[i].c)) {
            chosen->separator = names[i].c;
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
    {"dense", "dense", offsetof(choice, dense)},
    {"schema", "outputschema", offsetof(choice, schema)},
    {"header", "outputheader", offsetof(choice, header)},
    {"mlnet", "mlnet", offsetof(choice, mlnet)},
    {"csv", "csv", offsetof(choice, csv)},
    {"bom", "bom", offsetof(choice, bom)},
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

static dv_status read_flag(choice *chosen, size_t i, const dvi_option_word *word, dv_error *err)
{
    DVI_REQUIRE(dvi_option_flag(word, (bool *)((char *)chosen + flags[i].flag)),
                dvi_fail_argument(err, "option %s is a flag: %s+ or %s-", flags[i].name,
                                  flags[i].name, flags[i].name));
    return DV_OK;
}

static dv_status read_words(choice *chosen, dvi_option_string *words, dv_error *err)
{
    dvi_option_word word;
    dv_status status;
    while ((status = dvi_option_string_next(words, &word, err)) == DV_OK) {
        const size_t i = find(word.name);
        DVI_REQUIRE(i <= SEPARATOR,
                    dvi_fail_argument(err,
                                      "option %s is not for writing text: use sep=, "
                                      "dense, schema, header, mlnet, csv, bom",
                                      dvi_show(word.name).text));
        DVI_REQUIRE(!(chosen->given & 1U << i),
                    dvi_fail_argument(err, "option %s is given twice", dvi_show(word.name).text));
        chosen->given |= 1U << i;
        DVI_TRY(i == SEPARATOR ? read_separator(chosen, &word, err)
                               : read_flag(chosen, i, &word, err));
    }
    return status == DV_END ? DV_OK : status;
}

/* Does the path have this extension, which .gz or .zst may follow? */
static bool ends_in(const char *path, const char *extension)
{
    size_t n;
    const size_t k = strlen(extension);
    dvi_packing_of_path(path, &n);
    return n > k && strncasecmp(path + n - k, extension, k) == 0;
}

/* A name in .csv or .tsv is for other programs, unless an option names another form. */
static dv_status choose(dvi_text_form *form_out, const choice *chosen, const char *path,
                        dv_error *err)
{
    const bool has_commas = ends_in(path, ".csv"), has_tabs = ends_in(path, ".tsv");
    const bool has_schema = chosen->given & 1U << 1 && chosen->schema;
    const bool is_other = has_schema || chosen->mlnet, is_said = chosen->given & 1U << 4;
    const bool is_csv = is_said ? chosen->csv : (has_commas || has_tabs) && !is_other;
    DVI_REQUIRE(!is_csv || !is_other,
                dvi_fail_argument(err, "options csv and %s contradict each other",
                                  has_schema ? "schema" : "mlnet"));
    DVI_REQUIRE(is_csv || !chosen->bom,
                dvi_fail_argument(err, "option bom is for the form csv, which csv+ chooses"));
    *form_out = (dvi_text_form){.style = is_csv          ? DVI_TEXT_CSV
                                         : chosen->mlnet ? DVI_TEXT_MLNET
                                                         : DVI_TEXT_TYPED,
                                .separator = chosen->separator ? chosen->separator
                                             : has_commas || (is_csv && !has_tabs) ? ','
                                                                                   : '\t',
                                .is_dense = is_csv || chosen->dense,
                                .has_schema = !is_csv && chosen->schema,
                                .has_header = chosen->header,
                                .has_bom = chosen->bom};
    return DV_OK;
}

dv_status dvi_text_form_read(dvi_text_form *form_out, const dvi_saving *saving, dv_error *err)
{
    const char *text = saving->options->text;
    choice chosen = {.schema = true, .header = true};
    dvi_arena arena;
    dvi_arena_init(&arena, saving->allocator);
    dvi_option_string words = {dv_text_of(text ? text : ""), 0, &arena};
    dv_status status = read_words(&chosen, &words, err);
    if (status == DV_OK)
        status = choose(form_out, &chosen, saving->path, err);
    dvi_arena_free(&arena);
    return status;
}
