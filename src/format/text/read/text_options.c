/* SPDX-License-Identifier: MIT */
/* text_options.c: parses a string of options. */
#include "format/text/read/text_options.h"
#include "base/check.h"
#include "base/utf8.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include "codec/space.h"
#include <stddef.h>
#include <string.h>

#define PIECE_NBYTES (1 << 20)
#define ABSENT (1 << 14)
#define LONG_SEPARATOR_NBYTES 16

/* --- Values --- */

typedef dv_status read_fn(dvi_text_options *o, const dvi_option_word *word, dv_error *err);

static dv_status fail_value(const dvi_option_word *word, const char *wanted, dv_error *err)
{
    return dvi_fail_argument(err, "option %s: %s, not \"%s\"", dvi_show(word->name).text, wanted,
                             dvi_show(word->value).text);
}

static dv_status fail_separator(const dvi_option_word *word, dv_error *err)
{
    return fail_value(word, "use characters other than digits, quotes and line ends", err);
}

/* Signs alone: a word would be a misspelt name. */
static bool is_long_separator(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++) {
        const char c = text.data[i], letter = (char)(c | 0x20);
        if ((uint8_t)c >= 0x80 || c == '"' || c == '\n' || c == '\r' || c == '\0' ||
            (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'z'))
            return false;
    }
    return text.nbytes > 1 && text.nbytes <= LONG_SEPARATOR_NBYTES;
}

/* A separator beyond ASCII is one character; one of several characters has signs alone. */
static dv_status add_wide_separator(dvi_text_options *o, dv_text c, const dvi_option_word *word,
                                    dv_error *err)
{
    /* U+0080 to U+009F are controls */
    DVI_REQUIRE(is_long_separator(c) ||
                    ((int64_t)dvi_utf8_step(c.data, (size_t)c.nbytes) == c.nbytes &&
                     !((uint8_t)c.data[0] == 0xC2 && (uint8_t)c.data[1] < 0xA0)),
                fail_separator(word, err));
    for (int32_t i = 0; i < o->wide_separators_count; i++)
        if (dv_text_equal(o->wide_separators[i], c))
            return DV_OK;
    DVI_REQUIRE(
        o->wide_separators_count < DVI_TEXT_WIDE_SEPARATORS,
        fail_value(word, "at most 4 separators beyond ASCII or of several characters", err));
    o->wide_separators[o->wide_separators_count++] = c;
    return DV_OK;
}

static dv_status add_separator(dvi_text_options *o, char c, const dvi_option_word *word,
                               dv_error *err)
{
    const bool is_end = c == '\0' || c == '\n' || c == '\r' || c == 0x1A || c == 0x7F;
    DVI_REQUIRE(!is_end && c != '"' && !(c >= '0' && c <= '9') && (uint8_t)c < 0x80,
                fail_separator(word, err));
    if (memchr(o->separators, c, (size_t)o->separators_count))
        return DV_OK;
    DVI_REQUIRE(o->separators_count < (int32_t)sizeof o->separators,
                fail_value(word, "at most 16 separators", err));
    o->separators[o->separators_count++] = c;
    return DV_OK;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static dv_status read_separator(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"tab", '\t'},      {"space", ' '}, {"comma", ','},
                 {"semicolon", ';'}, {"bar", '|'},   {"colon", ':'}};
    dv_text token;
    int64_t commas = 0;
    o->separators_count = o->wide_separators_count = 0;
    o->merges_blanks = dvi_text_is(word->value, "blanks");
    if (o->merges_blanks) {
        DVI_TRY(add_separator(o, ' ', word, err));
        return add_separator(o, '\t', word, err);
    }
    while (commas < word->value.nbytes && word->value.data[commas] == ',')
        commas++;
    if (commas > 0 && commas == word->value.nbytes) /* nothing but commas is a comma */
        return add_separator(o, ',', word, err);
    for (int64_t at = 0; dvi_text_next_field(&token, word->value, ',', &at);) {
        char c = token.nbytes == 1 ? lower(token.data[0]) : 0;
        if (token.nbytes > 1 && ((uint8_t)token.data[0] >= 0x80 || is_long_separator(token))) {
            DVI_TRY(add_wide_separator(o, token, word, err));
            continue;
        }
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            c = dvi_text_is(token, names[i].name) ? names[i].c : c;
        DVI_REQUIRE(
            c != 0,
            fail_value(
                word,
                "one character, several signs such as ||, or tab space blanks comma semicolon "
                "bar colon",
                err));
        DVI_TRY(add_separator(o, c, word, err));
    }
    return DV_OK;
}

static dv_status read_size(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const size_t n = (size_t)word->value.nbytes;
    const bool is_good = n > 0 && dvi_parse_i4(&o->size, word->value.data, n, n);
    DVI_REQUIRE(is_good && o->size >= 0, fail_value(word, "a number from 0 to 2^31-1", err));
    return DV_OK;
}

static dv_status read_rows(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const size_t n = (size_t)word->value.nbytes;
    const bool is_good = n > 0 && dvi_parse_i8(&o->rows, word->value.data, n, n);
    DVI_REQUIRE(is_good && o->rows >= 0, fail_value(word, "a number of rows, not negative", err));
    return DV_OK;
}

static dv_status read_piece(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const size_t n = (size_t)word->value.nbytes;
    const bool is_good = n > 0 && dvi_parse_i4(&o->piece_nbytes, word->value.data, n, n);
    DVI_REQUIRE(is_good && o->piece_nbytes >= 0,
                fail_value(word, "a number of bytes from 0 to 2^31-1", err));
    return DV_OK;
}

static dv_status read_absent(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const size_t n = (size_t)word->value.nbytes;
    const bool is_good = n > 0 && dvi_parse_i4(&o->absent, word->value.data, n, n);
    DVI_REQUIRE(is_good && o->absent >= 0,
                fail_value(word, "a number of values from 0 to 2^31-1", err));
    return DV_OK;
}

static dv_status read_escape(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    DVI_REQUIRE(word->value.nbytes == 1 && (uint8_t)word->value.data[0] < 0x80,
                fail_value(word, "one ASCII character", err));
    o->escape = word->value.data[0];
    return DV_OK;
}

/* A sign that begins no number and no option. */
static dv_status read_quote(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const char c = word->value.nbytes == 1 ? word->value.data[0] : ' ', letter = (char)(c | 0x20);
    const bool is_sign = c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') &&
                         !(letter >= 'a' && letter <= 'z') && !strchr("+-.,#", c);
    DVI_REQUIRE(is_sign, fail_value(word, "one ASCII sign, such as '", err));
    o->quote = c;
    return DV_OK;
}

static dv_status read_decimal(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const bool is_good = word->value.nbytes == 1 && memchr(".,", word->value.data[0], 2);
    DVI_REQUIRE(is_good, fail_value(word, "a point or a comma", err));
    o->decimal = word->value.data[0];
    return DV_OK;
}

static dv_status read_blank(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    o->blank_is_na = dvi_text_is(word->value, "na");
    DVI_REQUIRE(o->blank_is_na || dvi_text_is(word->value, "empty"),
                fail_value(word, "na or empty", err));
    return DV_OK;
}

static dv_status read_key(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    o->key_is_seed = dvi_text_is(word->value, "seed");
    DVI_REQUIRE(o->key_is_seed || dvi_text_is(word->value, "count"),
                fail_value(word, "count or seed", err));
    return DV_OK;
}

/* The start of a line that is a comment; mlnet: as ML.NET has it. */
static dv_status read_comment(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    o->has_comment = !dvi_text_is(word->value, "mlnet");
    o->comment = dvi_text_is(word->value, "none") || !o->has_comment ? dv_text_of("") : word->value;
    DVI_REQUIRE(word->value.nbytes > 0 && o->comment.nbytes <= DVI_TEXT_COMMENT_NBYTES,
                fail_value(word, "none, mlnet, or how a comment begins, such as # or //", err));
    return DV_OK;
}

static dv_status read_date(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    DVI_REQUIRE(dvi_date_rule_read(&o->date, word->value),
                fail_value(word,
                           "dmy, mdy or ymd: what comes first in a date; or a format, such as "
                           "%d/%m/%Y %H:%M, with day, month and year",
                           err));
    return DV_OK;
}

/* One character, or its name. */
static dv_status read_thousands(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const dv_text value = dvi_text_is(word->value, "space") ? dv_text_of(" ") : word->value;
    const char c = value.nbytes > 0 ? *value.data : '0';
    const bool is_good = value.nbytes > 0 &&
                         (int64_t)dvi_utf8_step(value.data, (size_t)value.nbytes) == value.nbytes &&
                         !(c >= '0' && c <= '9') && c != '-' && c != '+' && c != '"';
    DVI_REQUIRE(is_good, fail_value(word, "one character, such as a comma, or space", err));
    o->dress.thousands = value;
    return DV_OK;
}

/* Which characters end a line. */
static dv_status read_match(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    static const char *const names[] = {"position", "name", "union"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dvi_text_is(word->value, names[i])) {
            o->match = (dvi_text_match)i;
            return DV_OK;
        }
    return fail_value(word, "position, name or union", err);
}

static dv_status read_ends(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    o->needs_lf = dvi_text_is(word->value, "lf");
    DVI_REQUIRE(o->needs_lf || dvi_text_is(word->value, "any"), fail_value(word, "lf or any", err));
    return DV_OK;
}

static dv_status read_skip(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const size_t n = (size_t)word->value.nbytes;
    const bool is_good = n > 0 && dvi_parse_i4(&o->skip, word->value.data, n, n);
    DVI_REQUIRE(is_good && o->skip >= 0, fail_value(word, "a number of lines", err));
    return DV_OK;
}

/* [a b c]: words, with white space between; one word may stand without brackets. */
static dv_status read_words(dv_text *list_out, const dvi_option_word *word, dv_error *err)
{
    dv_text list = dvi_text_trim(word->value);
    const bool opens = list.nbytes > 0 && list.data[0] == '[';
    const bool closes = list.nbytes > 1 && list.data[list.nbytes - 1] == ']';
    DVI_REQUIRE(opens == closes,
                fail_value(word, "words in brackets with spaces between, such as [NA ?]", err));
    if (opens)
        list = (dv_text){list.data + 1, list.nbytes - 2};
    *list_out = dvi_text_trim(list);
    DVI_REQUIRE(list_out->nbytes > 0, fail_value(word, "at least one word", err));
    return DV_OK;
}

static dv_status read_encoding(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    const dv_status status = dvi_encoding_find(&o->encoding, word->value, err);
    return status == DV_NOT_FOUND
               ? fail_value(word, "an encoding, such as windows-1252 or utf-16le", err)
               : status;
}

static dv_status read_affixes(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    return read_words(&o->dress.affixes, word, err);
}

static dv_status read_missing(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    return read_words(&o->missing, word, err);
}

static dv_status read_novalue(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    return read_words(&o->novalue, word, err);
}

static dv_status read_header_file(dvi_text_options *o, const dvi_option_word *word, dv_error *err)
{
    DVI_REQUIRE(word->value.nbytes > 0, fail_value(word, "the name of a file", err));
    o->header_file = word->value;
    return DV_OK;
}

/* --- Options --- */

/* Short name, long name; the offset of a flag, or a function; whether options in the file stay in
 * force. */
typedef struct option {
    const char *name, *long_name;
    int32_t flag;
    read_fn *read;
    bool is_harmless;
} option;

#define FLAG(field) (int32_t) offsetof(dvi_text_options, field), NULL
static const option list[] = {
    {"quote", "allowquoting", FLAG(allow_quoting), false},
    {"sparse", "allowsparse", FLAG(allow_sparse), false},
    {"trim", "trimwhitespace", FLAG(trim), false},
    {"header", "hasheader", FLAG(has_header), false},
    {"multilines", "readmultilines", FLAG(multilines), false},
    {"missingrealnan", "missingrealsasnans", FLAG(missing_real_nan), false},
    {"size", "inputsize", -1, read_size, false},
    {"sep", "separator", -1, read_separator, false},
    {"hf", "headerfile", -1, read_header_file, true},
    {"rows", "maxrows", -1, read_rows, true},
    {"escapechar", "escapecharacter", -1, read_escape, false},
    {"quotechar", "quotecharacter", -1, read_quote, false},
    {"decimal", "decimalmarker", -1, read_decimal, false},
    {"blank", "blank", -1, read_blank, true},
    {"keysyntax", "keysyntax", -1, read_key, true},
    {"piece", "piece", -1, read_piece, true},
    {"absent", "absent", -1, read_absent, true},
    {"encoding", "encoding", -1, read_encoding, true},
    {"strict", "strict", FLAG(strict), false},
    {"comment", "comment", -1, read_comment, false},
    {"defaults", "defaults", FLAG(has_defaults), false},
    {"skip", "skip", -1, read_skip, false},
    {"csv", "csv", FLAG(csv), false},
    {"zeros", "zeros", FLAG(zeros), false},
    {"thousands", "thousands", -1, read_thousands, false},
    {"affixes", "affixes", -1, read_affixes, false},
    {"parentheses", "parentheses", FLAG(dress.parentheses), false},
    {"date", "date", -1, read_date, false},
    {"ends", "ends", -1, read_ends, false},
    {"match", "match", -1, read_match, false},
    {"unitrow", "unitrow", FLAG(has_unit_row), false},
    {"missing", "missing", -1, read_missing, false},
    {"novalue", "novalue", -1, read_novalue, false},
    {"threads", "usethreads", -1, NULL, true},
    {"col", "column", -1, NULL, false},
};
#define OPTIONS (sizeof list / sizeof *list)
#define THREADS (OPTIONS - 2)
#define COLUMN (OPTIONS - 1)

/* --- Words --- */

/* A value in brackets extends over white space, to the closing bracket. */
static void take_brackets(dvi_option_string *words, dvi_option_word *word)
{
    const dv_text text = words->text;
    const int64_t start = words->at - word->value.nbytes;
    const bool is_plain = word->value.nbytes > 0 && word->value.data == text.data + start;
    if (word->sign != '=' || !is_plain || word->value.data[0] != '[')
        return;
    const char *end = memchr(text.data + start, ']', (size_t)(text.nbytes - start));
    if (!end || end < text.data + words->at)
        return;
    words->at = end + 1 - text.data;
    word->value.nbytes = words->at - start;
}

/* A format of dates goes on in words that begin with a percent sign. */
static void take_format(dvi_option_string *words, dvi_option_word *word)
{
    const char *start = words->text.data, *const end = start + words->text.nbytes;
    const char *p = start + words->at;
    if (word->value.nbytes == 0 || word->value.data + word->value.nbytes != p)
        return; /* in quotes or braces */
    for (const char *next = dvi_space_skip(p, end); next < end && *next == '%' && next > p;
         next = dvi_space_skip(p, end)) {
        for (p = next; p < end && dvi_space_step(p, end) == 0;)
            p++;
        words->at = p - start;
        word->value.nbytes = p - word->value.data;
    }
}

/* The next word. comment=# does not begin a comment, and [a b] is one value. */
dv_status dvi_text_options_next(dvi_option_string *words, dvi_option_word *word, dv_error *err)
{
    const dv_status status = dvi_option_string_next(words, word, err);
    if (status != DV_OK)
        return status;
    const bool is_open = word->name.nbytes > 0 && word->sign == '=' && !word->in_braces;
    if (is_open && (dvi_text_is(word->name, "missing") || dvi_text_is(word->name, "novalue") ||
                    dvi_text_is(word->name, "affixes")))
        take_brackets(words, word);
    if (is_open && dvi_text_is(word->name, "date"))
        take_format(words, word);
    if (is_open && dvi_text_is(word->name, "comment") && word->value.nbytes == 0 &&
        words->at < words->text.nbytes && words->text.data[words->at] == '#')
        word->value = (dv_text){words->text.data + words->at++, 1};
    return DV_OK;
}

static size_t find(dv_text name)
{
    size_t i = 0;
    while (i < OPTIONS && !dvi_text_is(name, list[i].name) && !dvi_text_is(name, list[i].long_name))
        i++;
    return i;
}

/* Read a word that is not a column: one of the options above. */
static dv_status read_option(dvi_text_options *o, const dvi_option_word *word, uint64_t *seen,
                             dv_error *err)
{
    const size_t i = find(word->name);
    DVI_REQUIRE(i < OPTIONS,
                dvi_fail_argument(err, "unknown option %s: docs/formats/text.md lists them",
                                  dvi_show(word->name).text));
    if (i == COLUMN)
        return DV_OK;
    DVI_REQUIRE(!(*seen & UINT64_C(1) << i),
                dvi_fail_argument(err, "option %s is given twice", dvi_show(word->name).text));
    *seen |= UINT64_C(1) << i;
    o->has_own |= !list[i].is_harmless;
    if (list[i].read && word->sign == '=')
        return list[i].read(o, word, err);
    DVI_REQUIRE(!list[i].read, dvi_fail_argument(err, "option %s needs a value: %s=...",
                                                 list[i].name, list[i].name));
    bool is_on;
    DVI_REQUIRE(dvi_option_flag(word, &is_on),
                dvi_fail_argument(err, "option %s is a flag: %s+ or %s-", list[i].name,
                                  list[i].name, list[i].name));
    if (i != THREADS)
        *(bool *)((char *)o + list[i].flag) = is_on;
    return DV_OK;
}

static bool has_separator(const dvi_text_options *o, char c)
{
    return memchr(o->separators, c, (size_t)o->separators_count) != NULL;
}

static dv_status check(const dvi_text_options *o, dv_error *err)
{
    DVI_REQUIRE(!(o->allow_sparse && has_separator(o, ':')),
                dvi_fail_argument(err, "a colon as separator needs sparse-"));
    DVI_REQUIRE(o->dress.thousands.nbytes != 1 || *o->dress.thousands.data != o->decimal,
                dvi_fail_argument(err, "thousands=%c needs decimal=%c", o->decimal,
                                  o->decimal == '.' ? ',' : '.'));
    DVI_REQUIRE(!has_separator(o, o->quote), dvi_fail_argument(err, "quotechar is a separator"));
    DVI_REQUIRE(!has_separator(o, o->escape), dvi_fail_argument(err, "escapechar is a separator"));
    DVI_REQUIRE(!(o->decimal == ',' && has_separator(o, ',') && !o->allow_quoting),
                dvi_fail_argument(err, "decimal=, with a comma as separator needs quote+"));
    return DV_OK;
}

/* Count the columns, or read them. They depend on keysyntax, which may come last. */
static dv_status read_columns(dvi_text_options *o, dv_text text, dvi_arena *arena, dv_error *err)
{
    dvi_option_string words = {text, 0, arena};
    dvi_option_word word;
    dv_status status;
    int32_t n = 0;
    while ((status = dvi_text_options_next(&words, &word, err)) == DV_OK)
        if (find(word.name) == COLUMN) {
            DVI_REQUIRE(word.sign == '=', dvi_fail_argument(err, "option col needs a value"));
            if (o->specs)
                DVI_TRY(dvi_text_spec_read(&o->specs[n], &word, o->key_is_seed, arena, err));
            n++;
        }
    DVI_TRY(status);
    o->specs_count = n;
    return DV_OK;
}

/* The caller's options take precedence over the file's, which cannot raise a limit, leave out rows
 * or name a header file. */
static void prefer(dvi_text_options *o, const dvi_text_options *caller)
{
    o->rows = caller->rows;
    o->piece_nbytes = caller->piece_nbytes;
    o->absent = caller->absent;
    o->header_file = caller->header_file;
    if (caller->names_blank)
        o->blank_is_na = caller->blank_is_na;
    if (caller->names_key)
        o->key_is_seed = caller->key_is_seed;
    if (caller->names_encoding)
        o->encoding = caller->encoding;
}

dv_status dvi_text_options_read(dvi_text_options *options_out, dv_text text,
                                const dvi_text_options *caller, dvi_arena *arena, dv_error *err)
{
    dvi_option_string words = {text, 0, arena};
    dvi_option_word word;
    dv_status status;
    uint64_t seen = 0;
    dvi_text_options o = {.separators = "\t",
                          .separators_count = 1,
                          .allow_quoting = true,
                          .allow_sparse = true,
                          .has_defaults = true,
                          .rows = -1,
                          .piece_nbytes = PIECE_NBYTES,
                          .absent = ABSENT,
                          .quote = '"',
                          .decimal = '.',
                          .header_file = dv_text_of(NULL),
                          .comment = dv_text_of(""),
                          .dress = {.thousands = {"", 0}, .affixes = {"", 0}},
                          .missing = dv_text_of(""),
                          .novalue = dv_text_of("")};
    while ((status = dvi_text_options_next(&words, &word, err)) == DV_OK)
        DVI_TRY(read_option(&o, &word, &seen, err));
    DVI_TRY(status);
    o.escape = o.escape ? o.escape : o.quote;
    DVI_TRY(check(&o, err));
    o.dress.point = o.decimal;
    o.names_blank = seen >> find(dv_text_of("blank")) & 1;
    o.names_key = seen >> find(dv_text_of("keysyntax")) & 1;
    o.names_encoding = seen >> find(dv_text_of("encoding")) & 1;
    if (!o.names_blank)
        o.blank_is_na = o.allow_quoting;
    if (caller)
        prefer(&o, caller);
    DVI_TRY(read_columns(&o, text, arena, err));
    if (o.specs_count > 0) {
        void *specs;
        DVI_TRY(dvi_arena_alloc(arena, &specs, (size_t)o.specs_count * sizeof *o.specs, err));
        o.specs = specs;
        DVI_TRY(read_columns(&o, text, arena, err));
    }
    *options_out = o;
    return DV_OK;
}
