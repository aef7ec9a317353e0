/* SPDX-License-Identifier: MIT */
/* text_header.c: tells a header from a first row: by types, blanks, uniqueness and numeric names.
 */
#include "format/text/propose/text_guess.h"
#include <math.h>
#include <string.h>

#define NAME_NBYTES 100 /* longer texts do not look like names */

/* --- Numeric names --- */

bool dvi_text_guess_rises(const double *numbers, int32_t n, dvi_text_corner corner)
{
    const bool is_pair =
        n == 2 && corner == DVI_TEXT_BLANK_CORNER && fabs(numbers[1] - numbers[0] - 1) < 1e-6;
    bool is_even = n >= 3 || is_pair, are_years = n >= 2;
    for (int32_t i = 0; i < n; i++) {
        are_years &= numbers[i] >= 1000 && numbers[i] < 3000 && numbers[i] - floor(numbers[i]) <= 0;
        if (i == 0)
            continue;
        const double step = numbers[i] - numbers[i - 1], first = numbers[1] - numbers[0];
        if (!(step > 0))
            return false;
        is_even &= fabs(step - first) < 1e-6 * first;
    }
    return is_even || are_years || (corner == DVI_TEXT_BLANK_CORNER && n >= 3);
}

/* The numbers of the first line rise, and few of those below do. */
static bool has_numeric_names(const dvi_text_guess *g)
{
    return g->first_rises && 2 * g->sequences < g->risers;
}

/* --- Shapes --- */

enum {
    HAS_AT = 1 << 0,
    HAS_DIGIT = 1 << 1,
    HAS_SLASH = 1 << 2,
    HAS_COLON = 1 << 3,
    STARTS_UPPER = 1 << 4,
    IS_UPPER = 1 << 5 /* capitals, no other letters */
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

unsigned dvi_text_guess_shape(dv_text text, unsigned among)
{
    unsigned shape = text.nbytes > 0 && is_upper(*text.data) ? STARTS_UPPER : 0U;
    unsigned open = among & ~(unsigned)STARTS_UPPER; /* what the bytes left may decide */
    bool has_upper = false;
    for (int64_t i = 0; i < text.nbytes && open; i++) {
        const char c = text.data[i];
        has_upper |= is_upper(c);
        shape |= c == '@' ? HAS_AT : c >= '0' && c <= '9' ? HAS_DIGIT : 0U;
        shape |= c == '/' ? HAS_SLASH : c == ':' ? HAS_COLON : 0U;
        open &= ~shape;
        if ((c >= 'a' && c <= 'z') || (uint8_t)c >= 0x80)
            open &= ~(unsigned)IS_UPPER;
    }
    return among & (shape | (has_upper ? open & IS_UPPER : 0U));
}

/* Have all texts below something that the first one lacks? */
static bool differs(const dvi_text_guess_column *c)
{
    return c->shaped >= 2 && (c->shape & ~dvi_text_guess_shape(c->first.text, c->shape)) != 0;
}

/* --- The first line --- */

typedef struct tally {
    int32_t names;  /* texts above columns that hold no text, or a few; */
    int32_t values; /* numbers, times, true and false */
    int32_t blanks;
    int32_t typed; /* these columns */
    bool repeats;  /* one occurs again below */
    bool is_long;
} tally;

/* Numbers, dates and codes without a letter are values even where no type reads them. */
static bool has_letter(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++) {
        const char c = text.data[i], letter = (char)(c | 0x20);
        if ((letter >= 'a' && letter <= 'z') || (uint8_t)c >= 0x80)
            return true;
    }
    return false;
}

int32_t dvi_text_guess_extra_name(const dvi_text_guess *g)
{
    int32_t extra = -1;
    if (g->own_count != (g->has_wide ? g->usual_count : g->wide_count) + 1)
        return -1;
    for (int32_t i = 0; i < g->first_count && (size_t)i < g->columns_seen; i++) {
        if (g->columns[i].first.text.nbytes > 0)
            continue;
        if (extra >= 0)
            return -1;
        extra = i;
    }
    return extra;
}

static tally count(const dvi_text_guess *g, int32_t shift)
{
    tally t = {0};
    const int32_t extra = shift == 0 ? dvi_text_guess_extra_name(g) : -1;
    for (int32_t i = 0; i < g->first_count && (size_t)i < g->columns_seen; i++) {
        const dvi_text_first *first = &g->columns[i].first;
        const int32_t column = i + shift - (extra >= 0 && i > extra);
        if (i == extra)
            continue;
        const bool is_typed = dvi_text_guess_kind(g, column, true) != DV_KIND_TX ||
                              dvi_text_guess_is_valued(g, column);
        t.typed += is_typed;
        t.blanks += first->text.nbytes == 0;
        const bool is_hash = dv_text_equal(first->text, dv_text_of("#")); /* a name for numbers */
        const bool is_value = first->evidence.kinds != 0 || (!has_letter(first->text) && !is_hash);
        t.values += !first->is_missing && is_value;
        t.names += is_typed && !first->is_missing && !is_value;
        t.repeats |= (size_t)column < g->columns_seen && shift == 0 && g->columns[i].repeats;
        t.is_long |= first->text.nbytes > NAME_NBYTES;
    }
    return t;
}

/* Do two fields of the first line have the same text?  Sorted comparison would need memory, and
 * lines without a type are seldom long: compare the first ones. */
static bool are_unique(const dvi_text_guess *g)
{
    const int32_t n = g->first_count < 256 ? g->first_count : 256;
    for (int32_t i = 1; i < n; i++)
        for (int32_t k = 0; k < i; k++)
            if (dv_text_equal(g->columns[i].first.text, g->columns[k].first.text))
                return false;
    return true;
}

/* A letter first, then no white space: what programs write as the name of a column. */
static bool is_identifier(dv_text text)
{
    const char first = (char)(text.nbytes > 0 ? text.data[0] | 0x20 : 0);
    bool is = first >= 'a' && first <= 'z';
    for (int64_t i = 0; i < text.nbytes; i++)
        is &= (uint8_t)text.data[i] > ' ';
    return is;
}

/* Letters, digits and what joins them, a space too. */
static bool is_words(dv_text text)
{
    const char first = (char)(text.nbytes > 0 ? text.data[0] | 0x20 : 0);
    bool are = first >= 'a' && first <= 'z' && text.nbytes <= NAME_NBYTES;
    for (int64_t i = 0; i < text.nbytes; i++)
        are &= (uint8_t)text.data[i] >= ' ' && !strchr("/:@\\,;|\"'()[]{}?!", text.data[i]);
    return are;
}

/* Do the texts below the first repeat themselves? */
static bool repeat_below(const dvi_text_guess *g)
{
    return g->seen_count >= 4 && 4 * g->again >= g->seen_count;
}

bool dvi_text_guess_may_name(const dvi_text_guess *g)
{
    const dv_text first = g->columns_seen == 1 ? g->columns[0].first.text : dv_text_of("");
    return g->columns_count == 1 && g->columns_seen == 1 && g->lines > 1 &&
           dvi_text_guess_kind(g, 0, false) == DV_KIND_TX && !g->columns[0].repeats &&
           is_words(first) && (is_identifier(first) || repeat_below(g));
}

/* Is the first of some texts unlike the others: by its shape, or since they repeat themselves? */
static bool is_headed(const dvi_text_guess *g)
{
    return g->lines == 1 || differs(&g->columns[0]) || repeat_below(g);
}

bool dvi_text_guess_has_header(const dvi_text_guess *g, int32_t *shift_out)
{
    *shift_out = 0;
    if (g->lines == 0 || g->columns_seen == 0)
        return false;
    /* a last column that is blank in most lines is not why a name lacks */
    const bool is_full = 2 * g->full_lines >= g->compared;
    const int32_t shift = is_full && g->first_count > 0 && g->first_count == g->columns_count - 1;
    tally t = count(g, shift);
    if (shift == 1 && t.names > 0 && t.values == 0 && t.blanks == 0) {
        *shift_out = 1;
        return true;
    }
    t = count(g, 0); /* a name may lack above row names, as R writes them */
    const bool is_short = g->first_count < g->columns_count;
    if (t.names > 0)
        return t.values == 0 || t.names > t.values || is_short || has_numeric_names(g);
    if (t.values > 0) /* numbers above numbers are names below a corner that is one */
        return has_numeric_names(g) || (g->first_rises && differs(&g->columns[0]));
    const bool has_corner = g->columns[0].first.text.nbytes == 0 && !g->columns[0].is_blank;
    if (t.typed > has_corner || t.blanks > has_corner || t.repeats || t.is_long || !are_unique(g))
        return false;
    /* nothing but text: a table of texts has names, a list of texts has none */
    return g->first_count > 1 || (is_identifier(g->columns[0].first.text) && is_headed(g));
}
