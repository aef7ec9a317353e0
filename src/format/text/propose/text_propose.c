/* SPDX-License-Identifier: MIT */
/* text_propose.c: proposes options for reading a text file.
 *
 * Its first lines are read with one separator after the other. The best separator closes all
 * quotes, gives most lines the same number of columns, and gives the most columns a type other than
 * TX. Then lines from all over the file are read with it, which decide the types. */
#include "format/text/propose/text_propose.h"
#include "base/check.h"
#include "base/size.h"
#include "format/text/propose/text_hints.h"
#include "format/text/propose/text_proposal.h"
#include <stdio.h>
#include <string.h>

#define RULES_NBYTES 160
#define REGULAR(lines)                                                                             \
    ((lines) - (lines) / 10) /* the lines that must have the usual number of columns */

/* --- Options --- */

/* The ways to read quotes, as flags that are counted up if some quotes are broken: the next way may
 * close more of them. */
enum { MULTILINES = 1, ESCAPE = 2, SINGLE = 4, TRIALS = 8, NONE = TRIALS };

/* How to read a file, but for header and columns. */
typedef struct manner {
    const char *separator; /* written as an option; "": the caller gave it */
    bool has_comma;        /* decimal=, */
    int trial;             /* of quoting; NONE: there are no quotes */
    char escape;           /* with ESCAPE; NUL: a backslash */
    int32_t skip;
    bool has_comments; /* comment=# */
    bool skips_words;  /* the skipped lines are words, not comments */
    bool needs_lf;     /* ends=lf */
} manner;

static const char *const separators[] = {"sep=tab", "sep=comma", "sep=semicolon", "sep=bar"};
static const char separator_bytes[] = {'\t', ',', ';', '|'};
#define SEPARATORS (sizeof separators / sizeof *separators)
static const char *const blanks[] = {"sep=space", "sep=blanks"};

typedef struct search {
    const dvi_text_given *given;
    dvi_map *map;
    dvi_arena *arena;
    const char *named; /* a separator that the first line names, as an option; NULL: none */
    bool is_present[SEPARATORS]; /* each is among the first bytes */
    bool has_cr;                 /* so is a CR that no LF follows */
} search;

/* A guess and its rating. */
typedef struct candidate {
    dvi_text_guess guess;
    manner how;
    const char *options;
    bool is_regular;
    int32_t typed; /* columns */
} candidate;

static void write_quotes(char *text, size_t cap, const dvi_text_given *g, const manner *how)
{
    const char escape[2] = {how->escape ? how->escape : '\\', '\0'};
    if (how->trial == NONE)
        snprintf(text, cap, " quote-%s", g->has_blank ? "" : " blank=na");
    else
        snprintf(text, cap, "%s%s%s%s", how->trial & MULTILINES ? " multilines+" : "",
                 how->trial & ESCAPE ? " escapechar=" : "", how->trial & ESCAPE ? escape : "",
                 how->trial & SINGLE ? " quotechar='" : "");
}

/* The options as a string. */
static dv_status write_options(const search *s, const manner *how, const char **options_out,
                               dv_error *err)
{
    char skip[32] = "", quotes[64], rules[RULES_NBYTES];
    const dvi_text_given *g = s->given;
    write_quotes(quotes, sizeof quotes, g, how);
    if (how->skip > 0)
        snprintf(skip, sizeof skip, " skip=%d", (int)how->skip);
    const int n = snprintf(rules, sizeof rules, "%s%s%s%s%s%s%s%s%s%s%s",
                           *g->words && *how->separator ? " " : "", how->separator,
                           how->has_comma ? " decimal=," : "", quotes,
                           how->needs_lf ? " ends=lf" : "", skip, g->has_sparse ? "" : " sparse-",
                           g->has_comment      ? ""
                           : how->has_comments ? " comment=#"
                                               : " comment=none",
                           g->has_defaults ? "" : " defaults-", g->has_strict ? "" : " strict+",
                           g->has_csv ? "" : " csv+");
    void *made;
    const size_t words = strlen(g->words);
    DVI_TRY(dvi_arena_alloc(s->arena, &made, words + (size_t)n + 1, err));
    memcpy(made, g->words, words);
    memcpy((char *)made + words, rules, (size_t)n + 1);
    *options_out = (const char *)made + (*(const char *)made == ' ');
    return DV_OK;
}

/* --- Which separator? --- */

static bool is_blank(const manner *how)
{
    return strcmp(how->separator, "sep=space") == 0 || strcmp(how->separator, "sep=blanks") == 0;
}

/* Texts with blanks are one column, unless each line has quotes around some of them, or a column
 * has numbers alone, however they are written, or values but for single fields. */
static bool is_prose(const candidate *c)
{
    bool has_values = !is_blank(&c->how) || c->typed > 0 || c->guess.sound >= c->guess.lines;
    for (size_t i = 0; i < c->guess.columns_seen && !has_values; i++)
        has_values = (c->guess.columns[i].numbers > 0 && !c->guess.columns[i].is_other) ||
                     dvi_text_guess_is_valued(&c->guess, (int32_t)i);
    return !has_values;
}

/* Nearly all lines of a table have the same fields.  Where a header has them too and types show
 * that it is a table, most lines are enough; but texts of two words are not two columns. */
static void rate(candidate *c)
{
    const dvi_text_guess *g = &c->guess;
    const int lines = g->compared - g->lead;
    int32_t shift;
    const bool has_header = dvi_text_guess_has_header(g, &shift);
    c->typed = 0;
    for (int32_t i = 0; i < g->columns_count; i++)
        c->typed += dvi_text_guess_kind(g, i, has_header) != DV_KIND_TX;
    /* one of a few lines may be too short, where types show that it is a table */
    const bool may_lack =
        lines >= 3 && lines < 10 && c->typed > 0 && g->own_count == g->usual_count;
    const bool is_short = /* only the header is */
        (shift == 1 || (g->own_count > 1 && g->own_count < g->usual_count)) &&
        g->usual_lines == g->compared - 1;
    const bool is_most = g->own_count == g->usual_count && 2 * g->usual_lines > lines;
    const bool is_shown =
        has_header && c->typed > 0 && (is_short || (is_most && !is_blank(&c->how)));
    const bool is_first = g->first_table > 0 && has_header && (c->typed > 0 || g->usual_count > 2);
    const bool is_extra =
        has_header && dvi_text_guess_extra_name(g) >= 0 && g->usual_lines == lines - 1;
    c->is_regular =
        g->columns_count > 1 && lines > 0 && !is_prose(c) &&
        (g->usual_lines >= REGULAR(lines) - may_lack || is_shown || is_first || is_extra) &&
        (!c->how.has_comma || g->has_clear);
}

static dv_status read_guess(candidate *c, const search *s, dvi_text_extent extent, dv_error *err)
{
    DVI_TRY(write_options(s, &c->how, &c->options, err));
    const dv_status status =
        dvi_text_guess_read(&c->guess, s->map, c->options, extent, s->given, err);
    if (status == DV_OK)
        rate(c);
    return status;
}

/* Keep the better one in *best, and free the other. */
static void keep(candidate *best, candidate *other, bool is_other)
{
    dvi_text_guess_free(is_other ? &best->guess : &other->guess);
    if (is_other)
        *best = *other;
}

static bool can_try(const dvi_text_given *g, int trial)
{
    if (trial == NONE)
        return !g->has_quote;
    if (g->has_quote || (trial & ESCAPE && g->has_escape) || (trial & SINGLE && g->has_quote_char))
        return false;
    return !g->has_multilines || !(trial & MULTILINES);
}

/* The fields whose quotes are broken. */
static int64_t count_broken(const candidate *c)
{
    return c->guess.broken + c->guess.is_open;
}

/* The lines that are not split as most are. */
static int count_odd(const candidate *c)
{
    return c->guess.compared - c->guess.usual_lines;
}

static bool is_separator(const candidate *c, char sign)
{
    const dvi_text_options *o = &c->guess.options;
    return memchr(o->separators, sign, (size_t)o->separators_count);
}

/* A comma cannot be both a separator and, without quotes, the decimal point. */
static bool can_lack_quotes(const candidate *c)
{
    return !(c->guess.options.decimal == ',' && is_separator(c, ','));
}

/* Are quotes signs of texts?  Most of them are broken, and that in one line of ten at least, or a
 * few are and no field is in quotes. */
static bool are_signs(const candidate *c)
{
    const int64_t broken = count_broken(c), sound = c->guess.sound;
    const bool are_many = 10 * broken >= c->guess.compared;
    return broken >= sound && (are_many || (sound == 0 && broken >= DVI_TEXT_GUESS_ODD_AFTER)) &&
           can_lack_quotes(c);
}

/* Read once more with a sign that precedes quotes in broken fields: all of them must be closed
 * so, for a stray quote may follow any sign. */
static dv_status try_escapes(candidate *c, const search *s, dvi_text_extent extent, dv_error *err)
{
    static const char signs[] = DVI_TEXT_GUESS_ESCAPES;
    for (int i = 0; signs[i] && count_broken(c) > 1; i++) {
        if (!(c->guess.escapes >> i & 1) || c->how.trial & ESCAPE || c->how.trial == NONE ||
            !can_try(s->given, c->how.trial | ESCAPE) || is_separator(c, signs[i]))
            continue;
        candidate other = {.how = c->how};
        other.how.trial |= ESCAPE;
        other.how.escape = signs[i];
        const dv_status status = read_guess(&other, s, extent, err);
        keep(c, &other, status == DV_OK && count_broken(&other) == 0);
        DVI_TRY(status);
    }
    return DV_OK;
}

/* Read with a separator, in the way that leaves the fewest quotes broken.  Single broken ones are
 * odd fields; if most are, they are part of texts. */
static dv_status try_quotes(candidate *c, const search *s, dvi_text_extent extent, dv_error *err)
{
    DVI_TRY(read_guess(c, s, extent, err));
    const int first = c->how.trial;
    if (!c->how.escape)
        DVI_TRY(try_escapes(c, s, extent, err));
    for (int trial = 0; trial <= NONE && first != NONE && count_broken(c) > 0; trial++) {
        const bool is_last = trial == NONE;
        const bool is_other = !is_last && ((trial & SINGLE) != (first & SINGLE) ||
                                           (trial & ESCAPE && is_separator(c, '\\')));
        if (trial == first || is_other || !can_try(s->given, trial) || (is_last && !are_signs(c)))
            continue;
        candidate other = {.how = c->how};
        other.how.trial = trial;
        const dv_status status = read_guess(&other, s, extent, err);
        keep(c, &other, status == DV_OK && count_broken(&other) < count_broken(c));
        DVI_TRY(status);
    }
    return DV_OK;
}

/* The same, and with single quotes if nothing is in double ones.  An apostrophe may begin a text:
 * more lines must be split alike so, or the names must be in quotes. */
static dv_status try_singles(candidate *c, const search *s, dv_error *err)
{
    DVI_TRY(try_quotes(c, s, DVI_TEXT_FIRST_LINES, err));
    if (c->guess.sound > 0 || c->guess.apostrophes == 0 || !can_try(s->given, SINGLE) ||
        is_separator(c, '\''))
        return DV_OK;
    candidate other = {.how = c->how};
    other.how.trial = SINGLE;
    const dv_status status = try_quotes(&other, s, DVI_TEXT_FIRST_LINES, err);
    const dvi_text_guess *g = &other.guess;
    const bool is_sound = status == DV_OK && g->sound > 0 && 10 * count_broken(&other) <= g->sound;
    const bool fits_more = other.is_regular && (!c->is_regular || count_odd(&other) < count_odd(c));
    keep(c, &other, is_sound && (fits_more || (g->has_quoted_name && count_broken(&other) == 0)));
    return status;
}

/* Where spaces separate, lines of words may be split alike by chance: a title above them is one of
 * them, unless it is a comment or all columns below have a type. */
static bool may_be_words(const candidate *c, const candidate *without_lead)
{
    return is_blank(&c->how) && without_lead->how.skips_words && c->guess.sound == 0 &&
           without_lead->typed < without_lead->guess.columns_count;
}

/* The same, without the lines before the table. */
static dv_status try_manner(candidate *c, const search *s, const manner *how, dv_error *err)
{
    c->how = *how;
    DVI_TRY(try_singles(c, s, err));
    const dvi_text_guess *g = &c->guess;
    if (g->lead == 0 || s->given->has_skip)
        return DV_OK;
    candidate other = {.how = c->how};
    other.how.skip = (int32_t)dvi_min_i64(g->first[g->lead].before, INT32_MAX);
    for (int i = 0; i < g->lead; i++)
        other.how.skips_words |= !g->first[i].is_comment;
    const dv_status status = try_quotes(&other, s, DVI_TEXT_FIRST_LINES, err);
    int32_t shift;
    /* a single short line may be a header too */
    const bool may_be_names =
        status == DV_OK && g->lead == 1 && (g->first[0].extent > 1 || g->usual_count == 2) &&
        dvi_text_guess_has_header(g, &shift) && !dvi_text_guess_has_header(&other.guess, &shift);
    /* lines with all separators are rows, unless a gap or the types below show a header after
     * them */
    const bool may_be_rows = status == DV_OK && g->has_titles &&
                             !(dvi_text_guess_has_header(&other.guess, &shift) &&
                               (g->has_gap || other.typed > c->typed));
    const bool are_words = status == DV_OK && may_be_words(c, &other);
    c->is_regular = c->is_regular && !are_words;
    keep(c, &other,
         status == DV_OK && other.is_regular && !may_be_names && !may_be_rows && !are_words);
    return status;
}

/* Are commas decimal points in one, which has no fewer columns and types than the other, where they
 * separate? */
static bool has_decimals(const candidate *a, const candidate *b)
{
    return a->is_regular && a->guess.options.decimal == ',' && is_separator(b, ',') &&
           a->guess.columns_count >= b->guess.columns_count && a->typed >= b->typed;
}

/* Has a candidate that is better otherwise types, if the other has some? */
static bool shows_types(const candidate *better, const candidate *other)
{
    return better->typed > 0 || other->typed == 0;
}

static bool is_better(const candidate *a, const candidate *b)
{
    if (a->is_regular != b->is_regular)
        return a->is_regular;
    const bool is_quoted = a->how.trial < NONE;
    if (is_quoted != (b->how.trial < NONE))
        return a->is_regular && is_quoted;
    const int32_t columns = a->guess.columns_count, others = b->guess.columns_count;
    const bool fits = a->guess.own_count == a->guess.usual_count;
    const bool other_fits = b->guess.own_count == b->guess.usual_count;
    const bool skips_less = a->how.skip < b->how.skip;
    if (a->is_regular && a->how.skip != b->how.skip &&
        shows_types(skips_less ? a : b, skips_less ? b : a))
        return skips_less;
    if (a->is_regular && fits != other_fits && shows_types(fits ? a : b, fits ? b : a))
        return fits;
    if (has_decimals(a, b) || has_decimals(b, a))
        return has_decimals(a, b);
    /* decimal commas read as separators, or each blank of a run, would make more columns, so
     * compare shares */
    const bool are_blanks = is_blank(&a->how) && is_blank(&b->how);
    const bool is_share = a->guess.options.decimal != b->guess.options.decimal || are_blanks;
    if (a->is_regular && are_blanks && count_odd(a) != count_odd(b)) /* nothing is learned there */
        return count_odd(a) < count_odd(b);
    const int64_t mine = (int64_t)a->typed * (is_share ? others : 1);
    const int64_t theirs = (int64_t)b->typed * (is_share ? columns : 1);
    if (!a->is_regular || mine != theirs)
        return a->is_regular && mine > theirs;
    return are_blanks ? columns < others : columns > others; /* blank columns show nothing */
}

/* Try one more manner.  Only a regular one can be better than another.  is_fit: NULL, or what it
 * needs.
 */
static dv_status compete(candidate *best, const search *s, const manner *how,
                         bool (*is_fit)(const candidate *), dv_error *err)
{
    candidate other = {.is_regular = false};
    const dv_status status = try_manner(&other, s, how, err);
    const bool is_other = best->options ? is_better(&other, best) : other.is_regular;
    keep(best, &other, status == DV_OK && is_other && (!is_fit || is_fit(&other)));
    return status;
}

/* May commas be decimal points? */
static bool can_have_commas(const search *s, const char *separator, const candidate *best)
{
    if (s->given->has_decimal || s->given->has_thousands || strcmp(separator, "sep=comma") == 0)
        return false;
    if (strcmp(separator, "sep=bar") == 0 &&
        (!best->options ||
         (strcmp(best->how.separator, separator) != 0 && !is_separator(best, ','))))
        return false; /* seldom: only if bars are the best so far, or commas, which may be these */
    const dvi_text_options *o = &best->guess.options;
    return *separator || !memchr(o->separators, ',', (size_t)o->separators_count);
}

/* Does the comma separate, though option thousands= says that it groups digits? */
static bool may_group(const candidate *c)
{
    const dv_text signs = c->guess.options.dress.thousands;
    return c->options && is_separator(c, ',') && signs.nbytes > 0 &&
           memchr(signs.data, ',', (size_t)signs.nbytes);
}

/* Do blanks split every line alike, though another separator needs lines to be left out, does not
 * split all, breaks quotes or groups digits? */
static bool splits_all(const candidate *c)
{
    const dvi_text_guess *g = &c->guess;
    return c->is_regular && c->how.skip == 0 && g->usual_lines == g->compared &&
           g->own_count == g->usual_count;
}

/* Choose among the separators that the file has: others make one column, which is never regular. */
static dv_status choose_separator(candidate *best, const search *s, const manner *base,
                                  dv_error *err)
{
    manner how = *base;
    for (size_t i = 0; i < SEPARATORS; i++) {
        how.separator = separators[i];
        how.has_comma = false;
        if (s->is_present[i])
            DVI_TRY(compete(best, s, &how, NULL, err));
        how.has_comma = true;
        if (s->is_present[i] && can_have_commas(s, how.separator, best))
            DVI_TRY(compete(best, s, &how, NULL, err));
    }
    how.has_comma = false;
    const bool is_found = best->is_regular;
    const bool is_doubtful = best->how.skip > base->skip || count_odd(best) > 0 ||
                             best->how.trial == NONE || may_group(best);
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks && (!is_found || is_doubtful); i++) {
        how.separator = blanks[i];
        DVI_TRY(compete(best, s, &how, is_found ? splits_all : NULL, err));
    }
    return DV_OK;
}

/* Blanks are tried only if no other separator fits. If none does, each line is one text. */
static dv_status choose(candidate *best, const search *s, const manner *base, dv_error *err)
{
    manner how = *base;
    const char *named = s->given->has_sep ? "" : s->named;
    if (!named)
        DVI_TRY(choose_separator(best, s, base, err));
    if (best->options)
        return DV_OK;
    how.separator = named ? named : separators[0];
    DVI_TRY(try_manner(best, s, &how, err));
    how.has_comma = true;
    return named && can_have_commas(s, named, best) ? compete(best, s, &how, NULL, err) : DV_OK;
}

/* --- Lines before the table --- */

/* Choose again from another start. */
static dv_status choose_from(candidate *best, const search *s, const manner *base,
                             bool (*is_kept)(const candidate *, const candidate *), dv_error *err)
{
    candidate other = {.is_regular = false};
    const dv_status status = choose(&other, s, base, err);
    keep(best, &other, status == DV_OK && is_kept(&other, best));
    return status;
}

/* A # that was taken for a name begins a remark if the names stand below it. */
static bool fits_more(const candidate *a, const candidate *b)
{
    int32_t shift;
    const bool is_odd = !b->is_regular || b->guess.own_count != b->guess.usual_count;
    const bool has_names = b->guess.has_hash_name && dvi_text_guess_has_header(&a->guess, &shift);
    return a->is_regular && (is_odd || a->typed > b->typed || has_names);
}

/* Where CR ends lines, all of the file would be one line that ends with LF. */
static bool fits_lines(const candidate *a, const candidate *b)
{
    if (a->guess.compared < 2 || 2 * a->guess.usual_lines < b->guess.usual_lines)
        return false;
    return a->is_regular && (!b->is_regular || count_odd(a) < count_odd(b));
}

/* Leave lines before the table out, if they look like comments and are split unlike the table. */
static dv_status skip_comments(candidate *best, const search *s, dv_error *err)
{
    manner base = {.skip = 0};
    if (s->given->has_skip || s->given->has_comment)
        return DV_OK;
    DVI_TRY(dvi_text_count_comments(&base.skip, s->map, s->given, err));
    const bool may_skip = base.skip > 0 && base.skip >= best->how.skip;
    return may_skip ? choose_from(best, s, &base, fits_more, err) : DV_OK;
}

/* Leave comments between rows out, if every line was compared and no row begins as they do. */
static dv_status find_comments(candidate *best, const search *s, dv_error *err)
{
    dvi_text_guess *g = &best->guess;
    bool has_comments = false, may_comment = true;
    if (g->compared >= DVI_TEXT_GUESS_LINES)
        return DV_OK; /* a later row may begin so */
    for (int i = 0; i < g->compared && best->is_regular; i++) {
        const bool is_row = g->first[i].fields >= g->usual_count;
        if (g->first[i].is_comment && (i == 0 || is_row))
            return DV_OK;
        has_comments |= g->first[i].is_hash;
    }
    has_comments = has_comments && !s->given->has_comment;
    if (has_comments)
        DVI_TRY(dvi_text_guess_may_comment(&may_comment, g, s->map, s->given, err));
    best->how.has_comments |= has_comments && may_comment;
    return DV_OK;
}

/* The same in a longer file, all lines of which were read.  No type changes: nothing is learned
 * from odd lines. */
static dv_status find_remarks(candidate *best, const search *s, dv_error *err)
{
    dvi_text_guess *g = &best->guess;
    if (best->how.has_comments || s->given->has_comment || !g->is_whole || !g->is_even ||
        g->usual_count == 1 || g->remarks == 0 || g->hashes > 0)
        return DV_OK;
    DVI_TRY(dvi_text_guess_may_comment(&best->how.has_comments, g, s->map, s->given, err));
    if (!best->how.has_comments)
        return DV_OK;
    g->remarks = 0;
    return write_options(s, &best->how, &best->options, err);
}

/* What is among the first bytes? */
static dv_status search_head(search *s, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span span;
    int64_t end;
    const bool is_plain = s->given->encoding.kind == DVI_ENCODING_UTF8;
    DVI_TRY(dvi_map_reach(s->map, DVI_TEXT_GUESS_HEAD_NBYTES, &end, err));
    const size_t n = (size_t)dvi_min_i64(end, DVI_TEXT_GUESS_HEAD_NBYTES);
    const dv_status status = n > 0 ? dvi_map_copy(s->map, 0, n, &memory, &span, err) : DV_END;
    for (size_t i = 0; i < SEPARATORS && status == DV_OK; i++)
        s->is_present[i] = !is_plain || memchr(span.data, separator_bytes[i], n);
    s->has_cr = status == DV_OK && dvi_text_has_bare_cr(span.data, n);
    dvi_memory_release(&memory);
    return status < 0 ? status : DV_OK;
}

/* --- All of it --- */

static dv_status find(candidate *best, search *s, dv_error *err)
{
    DVI_TRY(dvi_text_find_named(&s->named, s->map, s->given, err));
    DVI_TRY(search_head(s, err));
    const int32_t skip = s->named && !s->given->has_skip;
    const manner start = {.skip = skip}, lf = {.skip = skip, .needs_lf = true};
    DVI_TRY(choose(best, s, &start, err));
    if (s->has_cr && !s->given->has_ends)
        DVI_TRY(choose_from(best, s, &lf, fits_lines, err));
    DVI_TRY(skip_comments(best, s, err));
    DVI_TRY(find_comments(best, s, err));
    dvi_text_guess_free(&best->guess);
    DVI_TRY(try_quotes(best, s, s->given->narrow ? DVI_TEXT_ALL_LINES : DVI_TEXT_SAMPLE, err));
    DVI_TRY(find_remarks(best, s, err));
    /* a field in quotes may go on in another line where no line was read */
    const bool has_quotes = best->guess.sound > 0 && !best->guess.is_whole;
    const bool may_go_on = has_quotes && !(best->how.trial & MULTILINES) && best->how.trial < NONE;
    if (may_go_on && can_try(s->given, best->how.trial + 1)) {
        best->how.trial++;
        return write_options(s, &best->how, &best->options, err);
    }
    return DV_OK;
}

static dv_status propose(dv_buffer *text_out, dv_buffer *notes_out, search *s, candidate *best,
                         dv_error *err)
{
    DVI_TRY(find(best, s, err));
    const dvi_text_guess *g = &best->guess;
    if (g->columns_count == 0 || (g->has_limit && g->lines < 2))
        return DV_NOT_FOUND;
    dvi_text_finding finding = {.guess = g,
                                .given = s->given,
                                .options = best->options,
                                .skips_words = best->how.skips_words};
    finding.has_header =
        dvi_text_guess_has_header(g, &finding.shift) || (g->headed > 0 && g->headed == g->files);
    if (s->given->has_header) {
        finding.shift = s->given->header ? finding.shift : 0;
        finding.has_header = s->given->header;
    }
    if (!finding.has_header && !s->given->has_skip && best->how.skip > 0)
        DVI_TRY(dvi_text_guess_check_starts(&best->guess, s->map, s->given, err));
    finding.extra = finding.has_header ? dvi_text_guess_extra_name(g) : -1;
    finding.columns = finding.extra >= 0                                        ? g->first_count - 1
                      : finding.has_header && g->first_count > g->columns_count ? g->first_count
                                                                                : g->columns_count;
    return dvi_text_proposal_write(text_out, notes_out, &finding, err);
}

dv_status dvi_text_propose(dv_buffer *text_out, dv_buffer *notes_out, dvi_map *map,
                           const dvi_text_given *given, dv_error *err)
{
    dvi_text_given own = {.words = ""};
    candidate best = {.is_regular = false};
    dvi_arena arena;
    *text_out = (dv_buffer){0};
    if (notes_out)
        *notes_out = (dv_buffer){0};
    dvi_arena_init(&arena, dvi_map_allocator(map));
    search s = {.given = &own, .map = map, .arena = &arena};
    own = given ? *given : own;
    dv_status status = own.has_encoding ? DV_OK : dvi_text_given_unmarked(&own, map, &arena, err);
    if (status == DV_OK)
        status = propose(text_out, notes_out, &s, &best, err);
    dvi_text_guess_free(&best.guess);
    dvi_arena_free(&arena);
    return status;
}
