/* SPDX-License-Identifier: MIT */
/* text_learn.c: learns which types keep the fields of each column. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "codec/parse.h"
#include "format/text/propose/text_guess.h"
#include "format/text/read/text_value.h"
#include <limits.h>
#include <string.h>

#define BOTH_ORDERS ((unsigned)DVI_TEXT_ORDERS)
#define EXAMINED_LINES 50   /* compared with the first one for rising numbers */
#define EXAMINED_NUMBERS 64 /* each line is examined so far */
#define ODD_NBYTES 128      /* an odd field is kept so far: more than is shown */
#define WORD_NBYTES 9       /* the longest word for infinity */

/* The numbers of a line. */
typedef struct numbers {
    double value[EXAMINED_NUMBERS];
    int32_t n, blanks; /* blanks before the first number */
    bool has_text;
    bool is_out; /* they do not rise, or there is another value: the others do not matter */
} numbers;

/* --- Fields --- */

static dv_status reserve_column(dvi_text_guess *g, int64_t column, dv_error *err)
{
    void *columns = g->columns;
    DVI_TRY(dvi_array_reserve(&g->allocator, &columns, &g->columns_cap, (size_t)column + 1,
                              sizeof *g->columns, err));
    g->columns = columns;
    for (; g->columns_seen <= (size_t)column; g->columns_seen++)
        g->columns[g->columns_seen] =
            (dvi_text_guess_column){.first = {.text = {"", 0}, .is_missing = true},
                                    .kinds = DVI_TEXT_CAN_ALL,
                                    .is_blank = g->lines > 1,
                                    .is_whole = true,
                                    .is_grouped = true,
                                    .is_r4 = true,
                                    .least = INT64_MAX,
                                    .most = INT64_MIN};
    return DV_OK;
}

static bool is_missing(const dvi_text_guess *g, dv_text text)
{
    const dv_text missing = g->options.missing, novalue = g->options.novalue;
    return dvi_text_guess_is_blank(text) || dvi_parse_is_missing(text.data, (size_t)text.nbytes) ||
           (missing.nbytes > 0 && dvi_text_has_word(missing, text)) ||
           (novalue.nbytes > 0 && dvi_text_has_word(novalue, text));
}

/* The evidence of a field, without the dress that options name. */
static dvi_text_evidence evidence_of(const dvi_text_guess *g, dv_text text)
{
    char plain[DVI_DRESSED_NBYTES];
    if (dvi_text_undresses(&g->options.dress)) {
        const size_t used = dvi_undress(plain, text, &g->options.dress);
        text = used > 0 ? (dv_text){plain, (int64_t)used} : text;
    }
    return dvi_text_evidence_of(text, &g->options);
}

static dv_status add_first(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text, dv_error *err)
{
    const dv_text trimmed = dvi_text_trim(text);
    c->first.is_missing = is_missing(g, text);
    if (dvi_text_infinity(trimmed) != 0)
        c->first.evidence.kinds = DVI_TEXT_CAN_R8;
    else if (!c->first.is_missing)
        c->first.evidence = evidence_of(g, trimmed);
    g->has_clear |= c->first.evidence.is_clear;
    c->first.is_number = dvi_is_dressed(trimmed, &c->first.needs, &c->first.affix);
    DVI_TRY(dvi_arena_text(&g->arena, &c->first.affix, c->first.affix, err));
    return dvi_arena_text(&g->arena, &c->first.text, trimmed, err);
}

static void measure(dvi_text_guess_column *c, const dvi_text_evidence *e, dv_text text, char point)
{
    if (e->kinds & DVI_TEXT_CAN_I8) {
        c->least = dvi_min_i64(c->least, e->integer);
        c->most = dvi_max_i64(c->most, e->integer);
    }
    c->is_r4 = c->is_r4 && dvi_text_evidence_fits_r4(text, point);
}

/* Note what the field needs to be a number. */
static dv_status add_dress(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text, dv_error *err)
{
    unsigned needs;
    dv_text affix = {"", 0};
    if (c->is_other)
        return DV_OK;
    c->is_other = !dvi_is_dressed(text, &needs, &affix);
    if (c->is_other)
        return DV_OK;
    c->numbers++;
    if (needs && c->needs == 0)
        DVI_TRY(dvi_arena_text(&g->arena, &c->dressed, text, err));
    if (affix.nbytes > 0 && c->affix.nbytes == 0)
        DVI_TRY(dvi_arena_text(&g->arena, &c->affix, affix, err));
    c->needs |= needs;
    return DV_OK;
}

/* Narrow the types of the column down to those that keep the field, too. */
static dv_status add_kinds(dvi_text_guess *g, dvi_text_guess_column *c, unsigned kinds,
                           dv_text text, dv_error *err)
{
    if (c->kinds & kinds) {
        c->kinds &= kinds;
        c->typed++;
        return DV_OK;
    }
    c->kinds_typed = c->kinds;
    c->kinds = 0;
    if (c->typed < DVI_TEXT_GUESS_ODD_AFTER)
        return DV_OK;
    dv_text odd = dvi_text_trim(text);
    c->odd_in = g->reading;
    c->orders = c->kinds_typed & BOTH_ORDERS;
    odd.nbytes = dvi_min_i64(odd.nbytes, ODD_NBYTES);
    return dvi_arena_text(&g->arena, &c->odd, odd, err);
}

/* After an odd field, the dates below it still show their order. */
static void add_order(dvi_text_guess_column *c, dv_text text)
{
    dvi_text_evidence e = {.kinds = 0};
    dvi_text_evidence_date(&e, text);
    if (e.kinds & BOTH_ORDERS)
        c->orders &= e.kinds;
}

static uint64_t digest_of(dv_text text)
{
    uint64_t digest = (uint64_t)text.nbytes, word;
    int64_t i = 0;
    for (; i + 8 <= text.nbytes; i += 8) {
        memcpy(&word, text.data + i, 8);
        digest = (digest ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        digest ^= digest >> 32;
    }
    for (; i < text.nbytes; i++)
        digest = (digest ^ (uint8_t)text.data[i]) * UINT64_C(0x100000001B3);
    return digest;
}

static bool may_separate(dv_text text)
{
    bool may = false;
    for (int64_t i = 0; i < text.nbytes; i++)
        may |= strchr("\t,;|", text.data[i]) != NULL && text.data[i] != '\0';
    return may;
}

/* Note how the first texts below look. */
static void add_shape(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text)
{
    if (g->lines >= DVI_TEXT_GUESS_LINES)
        return;
    c->shape = dvi_text_guess_shape(text, c->shaped++ > 0 ? c->shape : UINT_MAX);
    if (g->usual_count != 1 || g->seen_count == DVI_TEXT_GUESS_LINES)
        return;
    const uint64_t digest = digest_of(text);
    bool is_seen = false;
    for (int32_t i = 0; i < g->seen_count; i++)
        is_seen |= g->seen[i] == digest;
    g->again += is_seen;
    g->separated += may_separate(text);
    g->seen[g->seen_count++] = digest;
}

/* The same as dvi_text_trim, which most fields do not need. */
static inline dv_text trimmed(dv_text text)
{
    const bool is_bare = text.nbytes > 0 && text.data[0] > ' ' && text.data[text.nbytes - 1] > ' ';
    return is_bare ? text : dvi_text_trim(text);
}

/* Does the text stand for a missing number or infinity, though no type reads it? */
static bool is_word(dv_text text)
{
    return text.nbytes <= WORD_NBYTES && dvi_text_evidence_may_be_word(text) &&
           (dvi_text_evidence_word(text) >= 0 || dvi_text_infinity(text) != 0 ||
            dvi_text_is_no_number(text));
}

/* Note a word that stands for a missing number or infinity; *is_value_out: it does not. */
static dv_status add_word(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text,
                          bool *is_value_out, dv_error *err)
{
    *is_value_out = false;
    if (is_missing(g, text)) {
        c->is_blank = true;
        if (text.nbytes > 0 && c->named_missing++ == 0)
            return dvi_arena_text(&g->arena, &c->missing, text, err);
        return DV_OK;
    }
    *is_value_out = !is_word(text);
    if (*is_value_out)
        return DV_OK;
    const int word = dvi_text_evidence_word(text);
    const bool is_infinity = dvi_text_infinity(text) != 0;
    c->words |= word >= 0 ? 1U << word : 0U;
    c->has_infinity |= is_infinity;
    c->is_blank |= !is_infinity;
    c->has_value |= is_infinity;
    return DV_OK;
}

static dv_status add_below(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text, dv_error *err)
{
    text = trimmed(text);
    dvi_text_evidence e = {.kinds = 0};
    const bool is_plain = text.nbytes > 0 && g->is_undressed &&
                          dvi_text_evidence_is_plain(&e, text, g->options.decimal);
    bool is_value = true;
    if (!is_plain)
        DVI_TRY(add_word(g, c, text, &is_value, err));
    if (!is_value)
        return DV_OK;
    if (!c->repeats && text.nbytes == c->first.text.nbytes)
        c->repeats = memcmp(text.data, c->first.text.data, (size_t)text.nbytes) == 0;
    c->has_value = true;
    add_shape(g, c, text);
    const bool is_counted = g->lines < DVI_TEXT_GUESS_LINES;
    if (c->orders)
        add_order(c, text);
    if (c->kinds == 0 && !is_counted)
        return add_dress(g, c, text, err);
    if (!is_plain)
        e = evidence_of(g, text);
    c->valued += is_counted && e.kinds != 0;
    c->plain += is_counted && e.kinds == 0;
    if (c->kinds == 0)
        return add_dress(g, c, text, err);
    if (e.kinds == 0 || (c->needs == 0 && !(e.kinds & (DVI_TEXT_CAN_I8 | DVI_TEXT_CAN_R8))))
        DVI_TRY(add_dress(g, c, text, err));
    c->is_grouped = c->is_grouped && e.is_grouped;
    c->has_padded |= e.is_padded;
    DVI_TRY(add_kinds(g, c, e.kinds, text, err));
    c->is_whole = c->is_whole && e.is_whole;
    g->has_clear |= e.is_clear;
    if (g->is_narrow && c->kinds & (DVI_TEXT_CAN_I8 | DVI_TEXT_CAN_R8))
        measure(c, &e, text, g->options.decimal);
    return DV_OK;
}

/* A letter with which no word for a missing value and no infinity begins. */
static bool begins_plainly(char c)
{
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'z' && lower != 'i' && lower != 'n';
}

/* Quotes that are doubled inside: the text may be any that has a quote. */
static bool may_equal(dv_text name, dv_text text, bool is_doubled, char quote)
{
    if (is_doubled)
        return name.nbytes > 0 && memchr(name.data, quote, (size_t)name.nbytes);
    return text.nbytes == name.nbytes && text.data[0] == name.data[0] &&
           memcmp(text.data, name.data, (size_t)text.nbytes) == 0;
}

/* The same conditions as in add_below: a change there is one here.  Where fields have a type, one
 * without (leading zeros, quotes that are doubled) is not familiar. */
bool dvi_text_guess_is_familiar(const dvi_text_guess *g, int32_t column, dv_text text,
                                bool is_doubled)
{
    const dvi_text_guess_column *c = &g->columns[column];
    const int64_t n = text.nbytes;
    dvi_text_evidence e = {.kinds = 0};
    if (n == 0)
        return c->is_blank;
    const bool is_bare = (uint8_t)text.data[0] > ' ' && (uint8_t)text.data[n - 1] > ' ';
    const bool is_settled = c->kinds == 0 || c->typed >= DVI_TEXT_GUESS_ODD_AFTER;
    if (c->orders || !is_bare || !is_settled)
        return false;
    const bool may_repeat = column == 0 || !c->repeats; /* a line may be the first again */
    if (may_repeat && may_equal(c->first.text, text, is_doubled, g->options.quote))
        return false;
    if (c->kinds == 0 && c->is_other && begins_plainly(*text.data))
        return true;
    if (!dvi_text_evidence_is_plain(&e, text, g->options.decimal)) {
        if (is_missing(g, text) || is_word(text))
            return false;
        if (c->kinds != 0)
            e = dvi_text_evidence_of(text, &g->options);
    }
    if (c->kinds == 0)
        return c->is_other;
    return (c->kinds & ~e.kinds) == 0 && (!c->is_grouped || e.is_grouped) &&
           (!c->is_whole || e.is_whole) && (g->has_clear || !e.is_clear);
}

/* Collect the numbers of one of the first lines. */
static void add_number(numbers *all, const dvi_text_guess *g, dv_text text)
{
    const size_t n = (size_t)text.nbytes;
    if (is_missing(g, text)) {
        all->blanks += all->n == 0;
        return;
    }
    const dvi_text_evidence e = dvi_text_evidence_of(text, &g->options);
    all->has_text |= e.kinds == 0;
    all->is_out |= e.kinds != 0 && !(e.kinds & DVI_TEXT_CAN_R8);
    if (e.kinds & DVI_TEXT_CAN_R8 && all->n < EXAMINED_NUMBERS) {
        dvi_parse_r8(&all->value[all->n++], text.data, n, n, g->options.decimal);
        all->is_out |= all->n > 1 && !(all->value[all->n - 1] > all->value[all->n - 2]);
    }
}

static void compare_numbers(dvi_text_guess *g, const numbers *all)
{
    const dvi_text_corner corner = all->has_text      ? DVI_TEXT_TEXT_CORNER
                                   : all->blanks == 1 ? DVI_TEXT_BLANK_CORNER
                                                      : DVI_TEXT_NO_CORNER;
    const bool rises = !all->is_out && dvi_text_guess_rises(all->value, all->n, corner);
    if (g->lines == 0) {
        g->first_rises = rises;
    } else {
        g->sequences += rises;
        g->risers++;
    }
}

dv_status dvi_text_guess_learn(dvi_text_guess *g, const dvi_text_field *fields, size_t n,
                               dv_error *err)
{
    numbers all;
    all.n = all.blanks = 0;
    all.has_text = all.is_out = false;
    const bool is_examined = g->lines < EXAMINED_LINES;
    for (size_t i = 0; i < n; i++) {
        const int32_t column = fields[i].index;
        const dv_text text = fields[i].text;
        if ((size_t)column >= g->columns_seen)
            DVI_TRY(reserve_column(g, column, err));
        DVI_TRY(g->lines == 0 ? add_first(g, &g->columns[column], text, err)
                              : add_below(g, &g->columns[column], text, err));
        if (is_examined && !all.is_out)
            add_number(&all, g, text);
    }
    if (is_examined)
        compare_numbers(g, &all);
    return DV_OK;
}

dv_status dvi_text_guess_add_column(dvi_text_guess *g, int32_t column, dv_text name, dv_error *err)
{
    DVI_TRY(reserve_column(g, column, err));
    g->columns[column].is_blank = true;
    g->columns[column].first.is_missing = false;
    return dvi_arena_text(&g->arena, &g->columns[column].first.text, name, err);
}

/* --- Types --- */

/* The least whole number with NA that holds the values of the column. */
static dv_kind narrow_integer(int64_t least, int64_t most)
{
    static const struct {
        dv_kind kind;
        int64_t most;
    } kinds[] = {{DV_KIND_I1, INT8_MAX}, {DV_KIND_I2, INT16_MAX}, {DV_KIND_I4, INT32_MAX}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (least >= -kinds[i].most && most <= kinds[i].most)
            return kinds[i].kind;
    return DV_KIND_I8;
}

/* Is the first line a row that says something about the column?  One that is odd does if no other
 * line does. */
static bool counts_first(const dvi_text_guess *g, const dvi_text_guess_column *c, bool has_header)
{
    return !has_header && !c->first.is_missing && !(g->is_first_odd && c->has_value);
}

static dv_kind narrow(const dvi_text_guess *g, const dvi_text_guess_column *c, dv_kind kind,
                      bool with_first)
{
    const dvi_text_evidence *e = &c->first.evidence;
    const bool has_first = counts_first(g, c, !with_first);
    if (kind == DV_KIND_I8)
        return narrow_integer(has_first ? dvi_min_i64(c->least, e->integer) : c->least,
                              has_first ? dvi_max_i64(c->most, e->integer) : c->most);
    const bool is_r4 =
        c->is_r4 && (!has_first || dvi_text_evidence_fits_r4(c->first.text, g->options.decimal));
    return kind == DV_KIND_R8 && is_r4 ? DV_KIND_R4 : kind;
}

/* The first type that is among these; TX: none. */
static dv_kind kind_among(unsigned bits)
{
    static const struct {
        unsigned bit;
        dv_kind kind;
    } kinds[] = {{DVI_TEXT_CAN_BL, DV_KIND_BL},  {DVI_TEXT_CAN_I8, DV_KIND_I8},
                 {DVI_TEXT_CAN_U8, DV_KIND_U8},  {DVI_TEXT_CAN_R8, DV_KIND_R8},
                 {DVI_TEXT_CAN_DT, DV_KIND_DT},  {DVI_TEXT_CAN_UTC, DV_KIND_DT},
                 {DVI_TEXT_CAN_DZ, DV_KIND_DZ},  {DVI_TEXT_CAN_TS, DV_KIND_TS},
                 {DVI_TEXT_CAN_DMY, DV_KIND_DT}, {DVI_TEXT_CAN_MDY, DV_KIND_DT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (bits & kinds[i].bit)
            return kinds[i].kind;
    return DV_KIND_TX;
}

bool dvi_text_guess_is_valued(const dvi_text_guess *g, int32_t column)
{
    if ((size_t)column >= g->columns_seen)
        return false;
    const dvi_text_guess_column *c = &g->columns[column];
    return c->valued >= 2 * c->plain && c->plain <= 1 + (c->valued + c->plain) / 10 &&
           c->valued > 0;
}

dv_text dvi_text_guess_odd(const dvi_text_guess *guess, int32_t column, dv_kind *kind_out)
{
    if ((size_t)column >= guess->columns_seen)
        return (dv_text){"", 0};
    *kind_out = kind_among(guess->columns[column].kinds_typed);
    return guess->columns[column].odd;
}

dvi_text_dressed dvi_text_guess_dressed(const dvi_text_guess *g, int32_t column, bool has_header)
{
    const dvi_text_dressed none = {.needs = 0};
    if ((size_t)column >= g->columns_seen)
        return none;
    const dvi_text_guess_column *c = &g->columns[column];
    const dvi_text_first *first = &c->first;
    const bool has_first = counts_first(g, c, has_header);
    if (c->is_other || (has_first && !first->is_number))
        return none;
    return (dvi_text_dressed){c->needs | (has_first ? first->needs : 0U),
                              c->needs ? c->dressed : first->text,
                              c->affix.nbytes > 0 ? c->affix : first->affix};
}

/* The types of a column.  The first line counts if it has such a date, which no header has. */
static unsigned date_kinds(const dvi_text_guess_column *c)
{
    const unsigned first = c->first.evidence.kinds & BOTH_ORDERS,
                   below = c->has_value ? c->kinds : 0;
    return !first || (c->has_value && !(below & first)) ? below
           : c->has_value                               ? below & first
                                                        : first;
}

static bool is_order(unsigned kinds)
{
    return kinds == DVI_TEXT_CAN_DMY || kinds == DVI_TEXT_CAN_MDY;
}

void dvi_text_guess_settle_dates(dvi_text_guess *g)
{
    const dvi_date_order given = g->options.date.order;
    unsigned odd = 0;
    g->date_order = given == DVI_DATE_DMY   ? DVI_TEXT_CAN_DMY
                    : given == DVI_DATE_MDY ? DVI_TEXT_CAN_MDY
                                            : 0U;
    for (size_t i = 0; i < g->columns_seen && given == DVI_DATE_ANY; i++) {
        const unsigned kinds = date_kinds(&g->columns[i]);
        if (is_order(kinds)) {
            g->date_order = kinds;
            return;
        }
        odd = odd == 0 && is_order(g->columns[i].orders) ? g->columns[i].orders : odd;
    }
    g->date_order |= odd;
}

bool dvi_text_guess_is_ambiguous(const dvi_text_guess *g, int32_t column)
{
    return (size_t)column < g->columns_seen && date_kinds(&g->columns[column]) == BOTH_ORDERS;
}

bool dvi_text_guess_has_dates(const dvi_text_guess *g, int32_t column)
{
    const unsigned kinds = (size_t)column < g->columns_seen ? date_kinds(&g->columns[column]) : 0;
    return kinds != 0 && (kinds & ~BOTH_ORDERS) == 0;
}

dv_kind dvi_text_guess_kind(const dvi_text_guess *guess, int32_t column, bool has_header)
{
    if ((size_t)column >= guess->columns_seen)
        return DV_KIND_TX;
    const dvi_text_guess_column *c = &guess->columns[column];
    const dvi_text_first *first = &c->first;
    const bool has_first = counts_first(guess, c, has_header);
    const bool is_missing = guess->is_whole && !c->has_value && c->named_missing > 0;
    unsigned bits = c->has_value || has_first ? c->kinds : 0;
    if (is_missing && !has_first) /* nothing but NA */
        return DV_KIND_R8;
    if (c->has_infinity)
        bits &= DVI_TEXT_CAN_R8;
    if (has_first)
        bits &= first->evidence.kinds;
    bits &= ~(BOTH_ORDERS & ~guess->date_order);
    if (guess->options.date.format.nbytes > 0 && bits & DVI_TEXT_DATES)
        bits &= DVI_TEXT_DATES; /* not the number 20230217 */
    const bool has_na = c->is_blank || guess->repeated > 0 || guess->has_odd ||
                        (!has_header && (first->is_missing || guess->is_first_odd));
    if (has_na) /* U8 has none */
        bits &= ~(unsigned)DVI_TEXT_CAN_U8;
    const bool is_whole = c->is_whole && (!has_first || first->evidence.is_whole);
    if (is_whole && !c->has_infinity && !(bits & DVI_TEXT_CAN_I8)) /* R8 would show fewer digits */
        bits &= ~(unsigned)DVI_TEXT_CAN_R8;
    const dv_kind kind = kind_among(bits);
    return guess->is_narrow ? narrow(guess, c, kind, !has_header) : kind;
}
