/* SPDX-License-Identifier: MIT */
/* text_propose.c: proposes options for reading a text file.
 *
 * Its first lines are read with one separator after the other. The best separator closes all
 * quotes, gives most lines the same number of columns, and gives the most columns a type other than
 * TX. Then lines from all over the file are read with it, which decide the types. */
#include "format/text/propose/text_propose.h"
#include "base/check.h"
#include "format/text/propose/text_proposal.h"
#include <stdio.h>
#include <string.h>

#define RULES_NBYTES 160
#define REGULAR(lines)                                                                             \
    ((lines) - (lines) / 10) /* the lines that must have the usual number of columns */
#define TRIALS 3             /* of quoting: line by line, over several lines, none */

/* --- Options --- */

/* How to read a file, but for header and columns. */
typedef struct manner {
    const char *separator; /* as an option, "": given */
    bool has_comma;        /* decimal=, */
    int trial;             /* of quoting */
    int32_t skip;
} manner;

static const manner manners[] = {{"sep=tab", false, 0, 0},       {"sep=comma", false, 0, 0},
                                 {"sep=semicolon", false, 0, 0}, {"sep=semicolon", true, 0, 0},
                                 {"sep=tab", true, 0, 0},        {"sep=bar", false, 0, 0},
                                 {"sep=space", false, 0, 0}};
static const manner given_manners[] = {{"", false, 0, 0}, {"", true, 0, 0}};

typedef struct search {
    const dvi_text_given *given;
    dvi_map *map;
    dvi_arena *arena;
} search;

/* A guess and its rating. */
typedef struct candidate {
    dvi_text_guess guess;
    manner how;
    const char *options;
    bool is_regular;
    int32_t typed; /* columns */
} candidate;

static const char *quoting_of(const dvi_text_given *g, int trial)
{
    if (trial == 2)
        return g->has_blank ? " quote-" : " quote- blank=na";
    return trial == 1 ? " multilines+" : "";
}

/* The options as a string. */
static dv_status write_options(const search *s, const manner *how, const char **options_out,
                               dv_error *err)
{
    char skip[32] = "", rules[RULES_NBYTES];
    const dvi_text_given *g = s->given;
    if (how->skip > 0)
        snprintf(skip, sizeof skip, " skip=%d", (int)how->skip);
    const int n =
        snprintf(rules, sizeof rules, "%s%s%s%s%s%s%s%s%s", *g->words && *how->separator ? " " : "",
                 how->separator, how->has_comma ? " decimal=," : "", quoting_of(g, how->trial),
                 skip, g->has_sparse ? "" : " sparse-", g->has_comment ? "" : " comment=none",
                 g->has_defaults ? "" : " defaults-", g->has_strict ? "" : " strict+");
    void *made;
    const size_t words = strlen(g->words);
    DVI_TRY(dvi_arena_alloc(s->arena, &made, words + (size_t)n + 1, err));
    memcpy(made, g->words, words);
    memcpy((char *)made + words, rules, (size_t)n + 1);
    *options_out = (const char *)made + (*(const char *)made == ' ');
    return DV_OK;
}

/* --- Which separator? --- */

static void rate(candidate *c)
{
    const dvi_text_guess *g = &c->guess;
    int32_t shift;
    const bool has_header = dvi_text_guess_has_header(g, &shift);
    c->typed = 0;
    for (int32_t i = 0; i < g->columns_count; i++)
        c->typed += dvi_text_guess_kind(g, i, has_header) != DV_KIND_TX;
    /* of a few lines one may be too short, where types show that it is a table */
    const bool may_lack =
        g->compared >= 3 && g->compared < 10 && c->typed > 0 && g->first_count == g->usual_count;
    const bool is_prose = strcmp(c->how.separator, "sep=space") == 0 && c->typed == 0;
    c->is_regular = !g->has_errors && g->columns_count > 1 && g->compared > 0 && !is_prose &&
                    g->usual_lines >= REGULAR(g->compared) - may_lack &&
                    (!c->how.has_comma || g->has_clear);
}

static dv_status read_guess(candidate *c, const search *s, dvi_text_extent extent, dv_error *err)
{
    DVI_TRY(write_options(s, &c->how, &c->options, err));
    const dv_status status =
        dvi_text_guess_read(&c->guess, s->map, c->options, extent, s->given->narrow, err);
    if (status == DV_OK)
        rate(c);
    return status;
}

/* The next way to read quotes; false: there is none. */
static bool next_trial(const dvi_text_given *g, int *trial)
{
    do
        ++*trial;
    while ((*trial == 1 && (g->has_multilines || g->has_quote)) || (*trial == 2 && g->has_quote));
    return *trial < TRIALS;
}

/* If a quote stays open, quotes may go on in other lines, or be part of texts. */
static dv_status try_manner(candidate *c, const search *s, const manner *how,
                            dvi_text_extent extent, dv_error *err)
{
    c->how = *how;
    for (;;) {
        DVI_TRY(read_guess(c, s, extent, err));
        const bool fails = c->guess.has_errors || (c->guess.is_open && c->how.trial == 0);
        if (!fails || !next_trial(s->given, &c->how.trial))
            return DV_OK;
        dvi_text_guess_free(&c->guess);
    }
}

static bool is_better(const candidate *a, const candidate *b)
{
    if (a->is_regular != b->is_regular)
        return a->is_regular;
    const bool is_quoted = a->how.trial < 2;
    if (is_quoted != (b->how.trial < 2))
        return a->is_regular && is_quoted;
    const int32_t columns = a->guess.columns_count, others = b->guess.columns_count;
    /* decimal commas read as separators would make more columns, so compare shares */
    const bool is_share = a->guess.options.decimal != b->guess.options.decimal;
    const int64_t mine = (int64_t)a->typed * (is_share ? others : 1);
    const int64_t theirs = (int64_t)b->typed * (is_share ? columns : 1);
    return a->is_regular && (mine > theirs || (mine == theirs && columns > others));
}

/* Keep the better one in *best, and free the other. */
static void keep(candidate *best, candidate *other, bool is_other)
{
    dvi_text_guess_free(is_other ? &best->guess : &other->guess);
    if (is_other)
        *best = *other;
}

/* Spaces are tried only if no other separator fits. If none does, each line is one text. */
static dv_status choose(candidate *best, const search *s, int32_t skip, dv_error *err)
{
    const bool is_given = s->given->has_sep;
    const manner *list = is_given ? given_manners : manners;
    size_t n =
        is_given ? sizeof given_manners / sizeof *given_manners : sizeof manners / sizeof *manners;
    for (size_t i = 0; i < n; i++) {
        manner how = list[i];
        how.skip = skip;
        if ((how.has_comma && s->given->has_decimal) ||
            (strcmp(how.separator, "sep=space") == 0 && best->is_regular))
            continue;
        if (i == 0) {
            DVI_TRY(try_manner(best, s, &how, DVI_TEXT_FIRST_LINES, err));
            continue;
        }
        candidate other = {.is_regular = false};
        const dv_status status = try_manner(&other, s, &how, DVI_TEXT_FIRST_LINES, err);
        keep(best, &other, status == DV_OK && is_better(&other, best));
        DVI_TRY(status);
    }
    return DV_OK;
}

/* --- Lines before the table --- */

/* The number of lines at the start that look like comments, with the empty ones between. */
static dv_status count_comments(int32_t *count_out, dvi_map *map, dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_text line;
    int64_t offset;
    int32_t n = 0;
    dv_error own = DV_ERROR_INIT;
    dv_status status = dvi_text_lines_start(&lines, map, DVI_TEXT_GUESS_LINE_NBYTES, &own);
    *count_out = 0;
    while (status == DV_OK && n < DVI_TEXT_GUESS_LINES) {
        status = dvi_text_lines_next(&lines, &line, &offset, &own);
        const bool is_comment =
            status == DV_OK && line.nbytes > 0 &&
            (line.data[0] == '#' || (line.nbytes > 1 && memcmp(line.data, "//", 2) == 0));
        if (status != DV_OK || (line.nbytes > 0 && !is_comment))
            break;
        n++;
        if (is_comment)
            *count_out = n;
    }
    dvi_text_lines_free(&lines);
    if (status >= 0 || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = own;
    return status;
}

/* Leave lines before the table out, if they look like comments and are split unlike the table. */
static dv_status skip_comments(candidate *best, const search *s, dv_error *err)
{
    int32_t skip = 0;
    if (!s->given->has_skip && !s->given->has_comment)
        DVI_TRY(count_comments(&skip, s->map, err));
    const dvi_text_guess *g = &best->guess;
    if (skip == 0 || (best->is_regular && g->first_count == g->usual_count))
        return DV_OK;
    candidate other = {.is_regular = false};
    const dv_status status = choose(&other, s, skip, err);
    keep(best, &other, status == DV_OK && other.is_regular);
    return status;
}

/* --- All of it --- */

static dv_status find(candidate *best, const search *s, dv_error *err)
{
    DVI_TRY(choose(best, s, 0, err));
    DVI_TRY(skip_comments(best, s, err));
    const manner how = best->how;
    dvi_text_guess_free(&best->guess);
    DVI_TRY(
        try_manner(best, s, &how, s->given->narrow ? DVI_TEXT_ALL_LINES : DVI_TEXT_SAMPLE, err));
    /* a field in quotes may go on in another line where no line was read */
    const bool may_go_on = best->guess.has_quotes && !best->guess.is_whole && best->how.trial == 0;
    if (may_go_on && !s->given->has_multilines && !s->given->has_quote) {
        best->how.trial = 1;
        return write_options(s, &best->how, &best->options, err);
    }
    return DV_OK;
}

static dv_status propose(dv_buffer *text_out, dv_buffer *notes_out, const search *s,
                         candidate *best, dv_error *err)
{
    DVI_TRY(find(best, s, err));
    const dvi_text_guess *g = &best->guess;
    if (g->columns_count == 0)
        return DV_NOT_FOUND;
    dvi_text_finding finding = {.guess = g, .given = s->given, .options = best->options};
    finding.has_header = dvi_text_guess_has_header(g, &finding.shift);
    if (s->given->has_header) {
        finding.shift = s->given->header ? finding.shift : 0;
        finding.has_header = s->given->header;
    }
    finding.columns = g->most_count > g->columns_count ? g->most_count : g->columns_count;
    return dvi_text_proposal_write(text_out, notes_out, &finding, err);
}

dv_status dvi_text_propose(dv_buffer *text_out, dv_buffer *notes_out, dvi_map *map,
                           const dvi_text_given *given, dv_error *err)
{
    static const dvi_text_given nothing = {.words = ""};
    candidate best = {.is_regular = false};
    dvi_arena arena;
    *text_out = (dv_buffer){0};
    if (notes_out)
        *notes_out = (dv_buffer){0};
    dvi_arena_init(&arena, dvi_map_allocator(map));
    const search s = {given ? given : &nothing, map, &arena};
    const dv_status status = propose(text_out, notes_out, &s, &best, err);
    dvi_text_guess_free(&best.guess);
    dvi_arena_free(&arena);
    return status;
}

/* A line that is too long is data. */
dv_status dvi_text_has_options(bool *has_out, dvi_map *map, dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_error own = DV_ERROR_INIT;
    dv_text line;
    int64_t offset;
    dv_status status = dvi_text_lines_start(&lines, map, DVI_TEXT_GUESS_LINE_NBYTES, &own);
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
