/* SPDX-License-Identifier: MIT */
/* text_given.c: what a caller asks of a proposal: `auto`, and options that it has to keep. */
#include "format/text/propose/text_given.h"
#include "base/check.h"
#include "format/text/propose/text_guess.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The options that a proposal would otherwise choose. */
static const struct {
    const char *name, *long_name;
    size_t flag;
} chosen[] = {
    {"sep", "separator", offsetof(dvi_text_given, has_sep)},
    {"decimal", "decimalmarker", offsetof(dvi_text_given, has_decimal)},
    {"quote", "allowquoting", offsetof(dvi_text_given, has_quote)},
    {"multilines", "readmultilines", offsetof(dvi_text_given, has_multilines)},
    {"header", "hasheader", offsetof(dvi_text_given, has_header)},
    {"sparse", "allowsparse", offsetof(dvi_text_given, has_sparse)},
    {"comment", "comment", offsetof(dvi_text_given, has_comment)},
    {"skip", "skip", offsetof(dvi_text_given, has_skip)},
    {"defaults", "defaults", offsetof(dvi_text_given, has_defaults)},
    {"strict", "strict", offsetof(dvi_text_given, has_strict)},
    {"blank", "blank", offsetof(dvi_text_given, has_blank)},
    {"novalue", "novalue", offsetof(dvi_text_given, has_novalue)},
    {"csv", "csv", offsetof(dvi_text_given, has_csv)},
    {"zeros", "zeros", offsetof(dvi_text_given, has_zeros)},
    {"thousands", "thousands", offsetof(dvi_text_given, has_thousands)},
    {"date", "date", offsetof(dvi_text_given, has_date)},
    {"ends", "ends", offsetof(dvi_text_given, has_ends)},
    {"escapechar", "escapecharacter", offsetof(dvi_text_given, has_escape)},
    {"quotechar", "quotecharacter", offsetof(dvi_text_given, has_quote_char)},
    {"encoding", "encoding", offsetof(dvi_text_given, has_encoding)},
    {"match", "match", offsetof(dvi_text_given, has_match)},
};

/* Options that do not contradict those in a file, as the list in text_options.c has them. */
static bool is_harmless(dv_text name)
{
    static const char *const names[] = {"hf",         "headerfile", "rows",    "maxrows",
                                        "blank",      "piece",      "absent",  "threads",
                                        "usethreads", "keysyntax",  "encoding"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dvi_text_is(name, names[i]))
            return true;
    return false;
}

static dv_status add_type(dvi_text_given *g, dv_text value, dv_error *err)
{
    int64_t at = value.nbytes;
    while (at > 0 && value.data[at - 1] != ':')
        at--;
    DVI_REQUIRE(at > 1 && at < value.nbytes,
                dvi_fail_argument(err, "option type: NAME:TYPE, such as id:TX, not \"%s\"",
                                  dvi_show(value).text));
    if (g->types)
        g->types[g->types_count] = (dvi_text_given_type){
            {value.data, at - 1}, {value.data + at, value.nbytes - at}, false};
    g->types_count++;
    return DV_OK;
}

/* A flag of proposals alone: narrow, pack, auto. */
static dv_status read_flag(bool *flag, const dvi_option_word *word, dv_error *err)
{
    bool is_on;
    DVI_REQUIRE(dvi_option_flag(word, &is_on),
                dvi_fail_argument(err, "option %s is a flag", dvi_show(word->name).text));
    *flag = is_on;
    return DV_OK;
}

/* Note one word; *is_ours_out: it is not an option of reading. */
static dv_status note(dvi_text_given *g, const dvi_option_word *word, bool *is_ours_out,
                      dv_error *err)
{
    bool is_auto;
    *is_ours_out = true;
    if (dvi_text_is(word->name, "auto"))
        return read_flag(&is_auto, word, err);
    if (!g->has_own && !is_harmless(word->name)) {
        g->has_own = true;
        g->first_own = word->name;
    }
    if (dvi_text_is(word->name, "narrow"))
        return read_flag(&g->narrow, word, err);
    if (dvi_text_is(word->name, "pack"))
        return read_flag(&g->pack, word, err);
    if (dvi_text_is(word->name, "type"))
        return add_type(g, word->value, err);
    *is_ours_out = false;
    DVI_REQUIRE(!dvi_text_is(word->name, "col") && !dvi_text_is(word->name, "column") &&
                    !dvi_text_is(word->name, "size") && !dvi_text_is(word->name, "inputsize"),
                dvi_fail_argument(err, "auto finds the columns: give their types, such as "
                                       "type=id:TX, or leave auto out"));
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (dvi_text_is(word->name, chosen[i].name) || dvi_text_is(word->name, chosen[i].long_name))
            *(bool *)((char *)g + chosen[i].flag) = true;
    return DV_OK;
}

/* Read all words, and copy those of reading to `words`, which has room for them; NULL: only count
 * the types. */
static dv_status read_words(dvi_text_given *g, dv_text text, char *words, dvi_arena *arena,
                            dv_error *err)
{
    dvi_option_string from = {text, 0, arena};
    dvi_option_word word;
    dv_status status;
    size_t n = 0;
    g->types_count = 0;
    while ((status = dvi_text_options_next(&from, &word, err)) == DV_OK) {
        bool is_ours;
        DVI_TRY(note(g, &word, &is_ours, err));
        const size_t nbytes = (size_t)(text.data + from.at - word.name.data);
        if (is_ours || !words)
            continue;
        memcpy(words + n, word.name.data, nbytes);
        words[n + nbytes] = ' ';
        n += nbytes + 1;
    }
    if (words)
        words[n > 0 ? n - 1 : 0] = '\0';
    return status < 0 ? status : DV_OK;
}

dv_status dvi_text_given_read(dvi_text_given *given_out, const char *text, dvi_arena *arena,
                              dv_error *err)
{
    static const char without_sparse[] = " sparse-";
    void *words, *types;
    dv_text copy;
    dvi_text_options options;
    *given_out = (dvi_text_given){.words = ""};
    DVI_TRY(dvi_arena_text(arena, &copy, dv_text_of(text ? text : ""), err));
    DVI_TRY(
        dvi_arena_alloc(arena, &words, 2 * (size_t)copy.nbytes + 2 + sizeof without_sparse, err));
    DVI_TRY(read_words(given_out, copy, NULL, arena, err));
    DVI_TRY(dvi_arena_alloc(arena, &types,
                            (size_t)given_out->types_count * sizeof *given_out->types + 1, err));
    given_out->types = types;
    DVI_TRY(read_words(given_out, copy, words, arena, err));
    given_out->words = words;
    char *end = (char *)words + strlen(words);
    if (!given_out->has_sparse) /* the proposal has it: then a colon may be a separator */
        memcpy(end, without_sparse, sizeof without_sparse);
    DVI_TRY(dvi_text_options_read(&options, dv_text_of(words), NULL, arena, err));
    *end = '\0';
    given_out->header = options.has_header;
    given_out->encoding = options.encoding;
    given_out->has_union = options.match == DVI_TEXT_MATCH_UNION;
    return DV_OK;
}

dv_status dvi_text_given_unmarked(dvi_text_given *g, dvi_map *map, dvi_arena *arena, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_text_lines_unmarked(&g->encoding, map, err));
    if (g->encoding.kind == DVI_ENCODING_UTF8)
        return DV_OK;
    const char *name = dvi_encoding_name(&g->encoding);
    const size_t n = strlen(g->words) + strlen(name) + sizeof " encoding=";
    DVI_TRY(dvi_arena_alloc(arena, &made, n, err));
    snprintf(made, n, "%s%sencoding=%s", g->words, *g->words ? " " : "", name);
    g->words = made;
    return DV_OK;
}

/* A line that is too long is data. */
dv_status dvi_text_has_options(bool *has_out, dvi_map *map, const dvi_encoding *encoding,
                               dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_error own = DV_ERROR_INIT;
    dv_text line;
    int64_t offset;
    dv_status status = dvi_text_lines_start(&lines, map, encoding, dvi_text_guess_limit(map), &own);
    if (status == DV_OK)
        status = dvi_text_lines_next_option(&lines, &line, &offset, &own);
    dvi_text_lines_free(&lines);
    *has_out = status == DV_OK;
    if (status >= 0 || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = own;
    return status;
}
