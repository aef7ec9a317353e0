/* SPDX-License-Identifier: MIT */
/* text_spec.c: parses a column: `name:type:ranges` or `{name=... src=...}`. (semantics:6.2) */
#include "base/check.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include "format/text/read/text_options.h"
#include <string.h>

static dv_status fail_spec(dv_text text, const char *wanted, dv_error *err)
{
    return dvi_fail_argument(err, "column \"%s\": %s", dvi_show(text).text, wanted);
}

/* --- Types --- */

static bool read_number(uint64_t *number_out, dv_text text)
{
    const size_t n = (size_t)text.nbytes;
    return text.nbytes > 0 && dvi_parse_u8(number_out, text.data, n, n) && text.data[0] >= '0' &&
           text.data[0] <= '9';
}

static dv_status read_kind(dv_kind *kind_out, dv_text text, dv_error *err)
{
    dv_type type;
    uint64_t number;
    if (read_number(&number, text) && number >= DV_KIND_I1 && number <= DV_KIND_UG)
        *kind_out = (dv_kind)number;
    else if (dv_type_parse(&type, text, NULL, 0, NULL) == DV_OK && type.rank == 0 && !type.is_key &&
             type.kind <= DV_KIND_UG)
        *kind_out = type.kind;
    else
        return fail_spec(
            text,
            "unknown type: use I1 to I8, U1 to U8, R4, R8, TX, BL, TS, DT, DZ, UG, or a "
            "key such as U4[0-9]",
            err);
    return DV_OK;
}

static bool is_key_kind(dv_kind kind)
{
    return kind == DV_KIND_U1 || kind == DV_KIND_U2 || kind == DV_KIND_U4 || kind == DV_KIND_U8;
}

static uint64_t most_of(dv_kind kind)
{
    return UINT64_MAX >> (64 - 8 * dv_kind_width(kind));
}

/* Parse the brackets of a key: nothing or 0-* (all that the kind has), a count, or first and
 * last. */
static dv_status read_key(dv_type *type_out, dv_kind kind, dv_text range, dv_error *err)
{
    uint64_t n;
    int64_t dash = 0;
    DVI_REQUIRE(is_key_kind(kind), fail_spec(range, "only U1, U2, U4 and U8 can be keys", err));
    if (range.nbytes == 0) {
        *type_out = dv_type_key(kind, 0, most_of(kind));
        return DV_OK;
    }
    if (read_number(&n, range)) {
        DVI_REQUIRE(n > 0 && n <= most_of(kind), fail_spec(range,
                                                           "a count of keys is 1 to the "
                                                           "largest of the kind",
                                                           err));
        *type_out = dv_type_key(kind, 0, n);
        return DV_OK;
    }
    while (dash < range.nbytes && range.data[dash] != '-')
        dash++;
    const dv_text low = {range.data, dash};
    const dv_text high = {range.data + dash + 1, range.nbytes - dash - 1};
    const bool is_open =
        dash < range.nbytes && (high.nbytes == 0 || dv_text_equal(high, dv_text_of("*")));
    uint64_t last = 0;
    DVI_REQUIRE(
        dash < range.nbytes && read_number(&n, low) &&
            (is_open || (read_number(&last, high) && last >= n && last - n < UINT64_MAX)),
        fail_spec(range, "invalid range of keys: use first-last, first-*, or a count", err));
    if (is_open)
        *type_out = dv_type_key(kind, n, n == 0 ? most_of(kind) : 0);
    else
        *type_out = dv_type_key(kind, n, last - n + 1);
    return dv_type_check(type_out, err);
}

static dv_status read_type(dv_type *type_out, dv_text text, bool key_is_seed, dv_error *err)
{
    dv_kind kind = DV_KIND_NONE;
    const char *bracket = text.nbytes > 0 ? memchr(text.data, '[', (size_t)text.nbytes) : NULL;
    if (bracket && key_is_seed) {
        DVI_REQUIRE(dv_type_parse(type_out, text, NULL, 0, NULL) == DV_OK && type_out->is_key &&
                        type_out->rank == 0,
                    fail_spec(text, "not a key type, such as U4[0-9]", err));
        return DV_OK;
    }
    const int64_t n = bracket ? bracket - text.data : text.nbytes;
    DVI_TRY(read_kind(&kind, (dv_text){text.data, n}, err));
    *type_out = dv_type_of(kind);
    if (!bracket)
        return DV_OK;
    DVI_REQUIRE(text.data[text.nbytes - 1] == ']', fail_spec(text, "] is missing", err));
    return read_key(type_out, kind, (dv_text){bracket + 1, text.nbytes - n - 2}, err);
}

/* --- Ranges --- */

static bool read_index(int32_t *index_out, dv_text text)
{
    uint64_t number;
    if (!read_number(&number, text) || number >= INT32_MAX)
        return false;
    *index_out = (int32_t)number;
    return true;
}

/* n, a-b, a-*, a-, a-**, and the same with ~, which may be alone. */
static dv_status read_range(dvi_text_range *range, dv_text text, dv_error *err)
{
    int64_t at = 0;
    *range = (dvi_text_range){0};
    while (at < text.nbytes && text.data[at] != '-' && text.data[at] != '~')
        at++;
    const dv_text low = dvi_text_trim((dv_text){text.data, at});
    const bool has_more = at < text.nbytes;
    const bool is_rest = has_more && text.data[at] == '~';
    const dv_text high = has_more
                             ? dvi_text_trim((dv_text){text.data + at + 1, text.nbytes - at - 1})
                             : dv_text_of("");
    bool is_good = read_index(&range->min, low) || (is_rest && low.nbytes == 0);
    range->is_vector = has_more;
    range->is_rest = is_rest;
    range->max = range->min;
    if (has_more) {
        range->is_variable = dv_text_equal(high, dv_text_of("**"));
        const bool is_open = high.nbytes == 0 || dv_text_equal(high, dv_text_of("*"));
        if (is_open || range->is_variable)
            range->max = DVI_TEXT_TO_END;
        else
            is_good = is_good && read_index(&range->max, high);
    }
    DVI_REQUIRE(is_good, fail_spec(text, "invalid range: use n, a-b, a-*, a-**, ~", err));
    DVI_REQUIRE(range->max == DVI_TEXT_TO_END || range->max >= range->min,
                fail_spec(text, "a range ends before its start", err));
    return DV_OK;
}

static dv_status add_range(dvi_text_spec *spec, const dvi_text_range *range, dvi_arena *arena,
                           size_t *cap, dv_error *err)
{
    const size_t n = (size_t)spec->ranges_count;
    if (n == *cap) {
        void *more;
        const size_t room = 2 * n + 4;
        DVI_TRY(dvi_arena_alloc(arena, &more, room * sizeof *range, err));
        if (n > 0)
            memcpy(more, spec->ranges, n * sizeof *range);
        spec->ranges = more;
        *cap = room;
    }
    spec->ranges[spec->ranges_count++] = *range;
    return DV_OK;
}

static dv_status read_ranges(dvi_text_spec *spec, dv_text text, dvi_arena *arena, size_t *cap,
                             dv_error *err)
{
    dv_text token;
    for (int64_t at = 0; dvi_text_next_field(&token, text, ',', &at);) {
        dvi_text_range range;
        DVI_TRY(read_range(&range, dvi_text_trim(token), err));
        DVI_TRY(add_range(spec, &range, arena, cap, err));
    }
    return DV_OK;
}

/* src={min=a [max=b] [var+]} */
static dv_status read_bounds(dvi_text_range *range, dv_text text, dvi_arena *arena, dv_error *err)
{
    dvi_option_string words = {text, 0, arena};
    dvi_option_word word;
    dv_status status;
    bool has_min = false, has_max = false;
    *range = (dvi_text_range){0};
    while ((status = dvi_option_string_next(&words, &word, err)) == DV_OK) {
        bool is_good = false;
        if (dvi_text_is(word.name, "min"))
            has_min = is_good = word.sign == '=' && read_index(&range->min, word.value);
        else if (dvi_text_is(word.name, "max"))
            has_max = is_good = word.sign == '=' && read_index(&range->max, word.value);
        else if (dvi_text_is(word.name, "var")) {
            is_good = word.sign != '=';
            range->is_variable = word.sign == '+';
        }
        DVI_REQUIRE(is_good, fail_spec(text, "unknown word in src: use min, max and var+", err));
    }
    DVI_TRY(status);
    DVI_REQUIRE(has_min && !(has_max && range->is_variable),
                fail_spec(text, "src needs min, and max or var+ at most", err));
    if (!has_max)
        range->max = range->is_variable ? DVI_TEXT_TO_END : range->min;
    range->is_vector = has_max || range->is_variable;
    DVI_REQUIRE(range->max == DVI_TEXT_TO_END || range->max >= range->min,
                fail_spec(text, "a range ends before its start", err));
    return DV_OK;
}

static dv_status read_source(dvi_text_spec *spec, dv_text text, dvi_arena *arena, size_t *cap,
                             dv_error *err)
{
    dvi_text_range range;
    if (text.nbytes == 0 || !memchr(text.data, '=', (size_t)text.nbytes))
        return read_ranges(spec, text, arena, cap, err);
    DVI_TRY(read_bounds(&range, text, arena, err));
    return add_range(spec, &range, arena, cap, err);
}

/* --- Columns --- */

static dv_status read_braces(dvi_text_spec *spec, dv_text text, bool key_is_seed, dvi_arena *arena,
                             dv_error *err)
{
    dvi_option_string words = {text, 0, arena};
    dvi_option_word word;
    dv_status status;
    size_t cap = 0;
    dv_text type = dv_text_of("R4"), key = dv_text_of(NULL);
    while ((status = dvi_option_string_next(&words, &word, err)) == DV_OK) {
        DVI_REQUIRE(word.sign == '=',
                    fail_spec(text, "name=, type=, src= and key= need values", err));
        if (dvi_text_is(word.name, "name"))
            spec->name = dvi_text_trim(word.value);
        else if (dvi_text_is(word.name, "type"))
            type = word.value;
        else if (dvi_text_is(word.name, "key"))
            key = word.value;
        else if (dvi_text_is(word.name, "src") || dvi_text_is(word.name, "source"))
            DVI_TRY(read_source(spec, word.value, arena, &cap, err));
        else
            return fail_spec(text, "unknown word: use name=, type=, src= and key=", err);
    }
    DVI_TRY(status);
    DVI_TRY(read_type(&spec->item, type, key_is_seed, err));
    if (key.nbytes >= 0)
        DVI_TRY(read_key(&spec->item, spec->item.kind, key, err));
    return DV_OK;
}

static dv_status read_colons(dvi_text_spec *spec, dv_text text, bool key_is_seed, dvi_arena *arena,
                             dv_error *err)
{
    dv_text token[4];
    int32_t n = 0;
    size_t cap = 0;
    for (int64_t at = 0; n < 4 && dvi_text_next_field(&token[n], text, ':', &at);)
        n++;
    DVI_REQUIRE(n == 2 || n == 3, fail_spec(text, "name:ranges or name:type:ranges", err));
    spec->name = dvi_text_trim(token[0]);
    spec->item = dv_type_of(DV_KIND_R4);
    if (n == 3)
        DVI_TRY(read_type(&spec->item, dvi_text_trim(token[1]), key_is_seed, err));
    return read_ranges(spec, token[n - 1], arena, &cap, err);
}

dv_status dvi_text_spec_read(dvi_text_spec *spec_out, const dvi_option_word *word, bool key_is_seed,
                             dvi_arena *arena, dv_error *err)
{
    dvi_text_spec spec = {.name = dv_text_of(NULL)};
    const dv_text text = word->value;
    const bool has_names =
        word->in_braces && text.nbytes > 0 && memchr(text.data, '=', (size_t)text.nbytes);
    if (has_names)
        DVI_TRY(read_braces(&spec, text, key_is_seed, arena, err));
    else
        DVI_TRY(read_colons(&spec, text, key_is_seed, arena, err));
    DVI_REQUIRE(spec.name.nbytes > 0, fail_spec(text, "a column needs a name", err));
    DVI_REQUIRE(spec.ranges_count > 0, fail_spec(text, "a column needs source columns", err));
    *spec_out = spec;
    return DV_OK;
}
