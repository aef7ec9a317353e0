/* SPDX-License-Identifier: MIT */
/* text_guess_columns.c: finds how many columns the first lines of a guess have. */
#include "format/text/propose/text_guess.h"

#define LEAD_LINES 64 /* before the table */

/* Has the line `count` fields, but for blank ones? */
bool dvi_text_guess_fits(const dvi_text_guess_line *line, int32_t count)
{
    return !line->is_broken && line->extent <= count && count <= line->fields;
}

/* The first lines that are not split as the table, though the next one is: a title, remarks.  Lines
 * with all separators are among them if few of their fields are not blank. */
static int count_lead(dvi_text_guess *g, int32_t count)
{
    int lead = 0, full = 0;
    g->has_gap = false;
    while (lead < g->compared && lead < LEAD_LINES && count > 1) {
        const dvi_text_guess_line *line = &g->first[lead];
        const bool is_short = 2 * line->extent <= count, is_full = line->fields >= count;
        if (is_full ? line->extent > 1 || (line->extent == 1 && !line->is_title)
                    : !is_short && (count < 3 || !line->is_title))
            break;
        full += is_full;
        g->has_gap |= line->extent == 0;
        lead++;
    }
    g->has_titles = full > 0;
    if (lead + 1 >= g->compared)
        return 0;
    const int32_t extent = g->first[lead].extent;
    const bool is_short = extent > 1 && extent == count - 1 && g->first[lead + 1].extent == count;
    return extent == count || is_short ? lead : 0; /* a name may lack in the header */
}

static int count_fitting(const dvi_text_guess *g, int from, int32_t count)
{
    int n = 0;
    for (int i = from; i < g->compared; i++)
        n += dvi_text_guess_fits(&g->first[i], count);
    return n;
}

/* The lines with broken quotes that have the fields of the table all the same. */
static int count_broken_rows(const dvi_text_guess *g)
{
    int n = 0;
    for (int i = g->lead; i < g->compared; i++)
        n += g->first[i].is_broken && g->first[i].fields >= g->usual_count &&
             g->first[i].fields <= g->wide_count;
    return n;
}

/* The first lines that are split alike, where the others are split alike in another way and do not
 * outnumber them much: a table that another one follows.  0: there are none. */
static int count_first_table(const dvi_text_guess *g)
{
    const int32_t count = g->compared > 0 ? g->first[0].extent : 0;
    int n = 0;
    while (n < g->compared && dvi_text_guess_fits(&g->first[n], count))
        n++;
    bool is_alike = count > 1 && n >= 3 && n < g->compared - 1 && 3 * n >= g->compared;
    for (int i = n; i < g->compared && is_alike; i++)
        is_alike = !g->first[i].is_broken && g->first[i].fields != count &&
                   g->first[i].fields == g->first[n].fields && g->first[i].fields > 1;
    return is_alike ? n : 0;
}

static bool is_split_alike(const dvi_text_guess_line *a, const dvi_text_guess_line *b)
{
    return a->fields == b->fields && a->extent == b->extent && a->is_broken == b->is_broken;
}

/* Find the number of fields that most of the first lines have. */
void dvi_text_guess_count_columns(dvi_text_guess *g)
{
    int most = 0;
    for (int i = 0; i < g->compared; i++) {
        const int32_t count = g->first[i].extent > 0 ? g->first[i].extent : g->first[i].fields;
        if (i > 0 && is_split_alike(&g->first[i], &g->first[i - 1]))
            continue;
        const int n = g->first[i].is_broken ? 0 : count_fitting(g, 0, count);
        if (n > most || (n == most && count > g->usual_count && n > 0)) {
            most = n;
            g->usual_count = count;
        }
    }
    g->first_table = most < g->compared ? count_first_table(g) : 0;
    if (g->first_table > 0)
        g->usual_count = g->first[0].extent;
    if (most == 0 && g->compared > 0) /* all lines are broken */
        g->usual_count = g->first[0].fields;
    int widest = 0;
    for (int i = 0; i < g->compared; i++) {
        int n = 0;
        if (i > 0 && is_split_alike(&g->first[i], &g->first[i - 1]))
            continue;
        for (int k = 0; k < g->compared; k++)
            n += dvi_text_guess_fits(&g->first[k], g->usual_count) &&
                 g->first[k].fields == g->first[i].fields;
        const bool is_wider = g->first[i].fields > g->wide_count;
        if (dvi_text_guess_fits(&g->first[i], g->usual_count) &&
            (n > widest || (n == widest && is_wider))) {
            widest = n;
            g->wide_count = g->first[i].fields;
        }
    }
    g->wide_count = g->wide_count > g->usual_count ? g->wide_count : g->usual_count;
    g->lead = count_lead(g, g->usual_count);
    g->usual_lines = count_fitting(g, g->lead, g->usual_count) + count_broken_rows(g);
    for (int i = 0; i < g->compared; i++)
        g->full_lines += g->first[i].extent == g->usual_count;
    int table = g->compared - g->lead;
    for (int i = g->lead + 1; i < g->compared; i++) /* these are odd in any table */
        table -= g->first[i].is_hash && !dvi_text_guess_fits(&g->first[i], g->usual_count);
    const int most_odd = table >= 20 ? table / 10 : table >= 10 ? 2 : table >= 3;
    g->is_even = g->first_table > 0 || g->usual_lines >= table - most_odd;
}
