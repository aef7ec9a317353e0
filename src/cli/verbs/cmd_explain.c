/* SPDX-License-Identifier: MIT */
/* cmd_explain.c: what a rule of the specification says, and which rules there are. */
#include "cli/args/args.h"
#include "cli/help/markdown.h"
#include "cli/help/spec_rule.h"
#include "cli/print/json.h"
#include "cli/terminal/clip.h"
#include "cli/terminal/glyph.h"
#include "cli/terminal/screen.h"
#include "cli/verbs/commands.h"
#include <dataview/names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST 100       /* columns for a line, however wide the screen */
#define NAME_NBYTES 64 /* of PAGE:RULE */
#define GAP 2

static void name_rule(char name[NAME_NBYTES], const dvi_spec_rule *rule)
{
    snprintf(name, NAME_NBYTES, "%s:%.*s", rule->page->name, (int)rule->nbytes, rule->name);
}

/* The words of a heading: "3.1 Column TOC"; or of a row: what is beside its name. */
static char *summarize(const dvi_spec_rule *rule)
{
    const char *line = rule->page->lines[rule->line];
    dv_text cell = {line, (int64_t)strlen(line)};
    if (rule->is_section)
        cell.data += strspn(line, "# ");
    else
        dvi_markdown_cell(&cell, line, 1);
    cell.nbytes = rule->is_section ? (int64_t)strlen(cell.data) : cell.nbytes;
    char *text = malloc((size_t)cell.nbytes + 1);
    if (text)
        dvi_markdown_plain(text, cell.data, (size_t)cell.nbytes);
    return text;
}

/* "`idv`: ML.NET's binary data view", without the name. */
static const char *title_of(const dvi_spec_page *page)
{
    const char *colon = page->count ? strstr(page->lines[0], ": ") : NULL;
    return colon ? colon + 2 : "";
}

static size_t count_rules(const dvi_spec_page *page)
{
    size_t n = 0;
    for (dvi_spec_rule rule = {.page = page}; dvi_spec_next(&rule);)
        n++;
    return n;
}

/* --- For people ------------------------------------------------------------------------------- */

static void write_pages(dvi_out *out)
{
    for (const dvi_spec_page *page = dvi_spec_pages; page->name; page++)
        dvi_out_print(out, "%-12s%4zu rules  %s\n", page->name, count_rules(page), title_of(page));
}

/* A line of the list: the name, and of the text what the rest of the line has room for. */
static dvi_exit write_entry(dvi_out *out, const char *name, int32_t column, const char *text,
                            int32_t room)
{
    const bool is_cut = room > 0 && dvi_glyph_columns(text, strlen(text)) > room;
    dvi_clip clip = {.most = is_cut ? room - 1 : DVI_CLIP_UNLIMITED};
    dvi_clip_text(&clip, text);
    const bool is_failed = clip.is_failed;
    if (!is_failed) {
        dvi_out_print(out, "%-*s", (int)column, name);
        dvi_out_write(out, clip.text, clip.nbytes);
        dvi_out_text(out, is_cut ? "\u2026\n" : "\n");
    }
    dvi_clip_free(&clip);
    return is_failed ? dvi_say_memory() : DVI_EXIT_DONE;
}

static dvi_exit write_list(dvi_out *out, const dvi_spec_page *page)
{
    const int32_t screen = dvi_screen_of(out->fd).width;
    dvi_exit status = DVI_EXIT_DONE;
    int32_t column = 0;
    for (dvi_spec_rule rule = {.page = page}; dvi_spec_next(&rule);) {
        const int32_t n = (int32_t)(strlen(page->name) + 1 + rule.nbytes) + GAP;
        column = n > column ? n : column;
    }
    for (dvi_spec_rule rule = {.page = page}; !status && dvi_spec_next(&rule);) {
        char name[NAME_NBYTES];
        char *text = summarize(&rule);
        if (!text)
            return dvi_say_memory();
        name_rule(name, &rule);
        status = write_entry(out, name, column, text, screen > column ? screen - column : screen);
        free(text);
    }
    return status;
}

static dvi_exit write_rule(dvi_out *out, const dvi_spec_rule *rule)
{
    const int32_t screen = dvi_screen_of(out->fd).width;
    const int32_t width = screen && screen < MOST ? screen : MOST;
    const dvi_spec_page *page = rule->page;
    const char *const *lines = page->lines;
    char name[NAME_NBYTES];
    name_rule(name, rule);
    dvi_out_print(out, "%s  docs/spec/%s.md#%.*s\n", name, page->name, (int)rule->nbytes,
                  rule->name);
    bool is_fine;
    if (rule->is_section) {
        is_fine = dvi_markdown_print(out, width, lines + rule->line, rule->end - rule->line);
    } else {
        is_fine = dvi_markdown_print(out, width, lines + rule->section, 1) &&
                  dvi_out_text(out, "\n") &&
                  dvi_markdown_print_row(out, width, lines[rule->top], lines[rule->line]);
    }
    return is_fine || out->os_code ? DVI_EXIT_DONE : dvi_say_memory();
}

/* --- As JSON ---------------------------------------------------------------------------------- */

static void add_json_page(dvi_json *json, const dvi_spec_page *page)
{
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "page", dvi_json_cstr(page->name));
    dvi_json_put(json, "title", dvi_json_cstr(title_of(page)));
    dvi_json_put(json, "rules", dvi_json_count((int64_t)count_rules(page)));
    dvi_json_close(json, '}');
}

/* The lines of a rule, in Markdown; of a row with the head of its table. */
static json_t *markdown_of(const dvi_spec_rule *rule)
{
    const char *const *lines = rule->page->lines;
    size_t nbytes = 0, n = 0;
    for (size_t i = rule->top; i < rule->end; i++)
        nbytes += strlen(lines[i]) + 1;
    char *text = malloc(nbytes + 1);
    if (!text)
        return NULL;
    for (size_t i = rule->top; i < rule->end; i++)
        if (rule->is_section || i == rule->line || i < rule->top + 2)
            n = (size_t)(stpcpy(stpcpy(text + n, lines[i]), "\n") - text);
    json_t *value = dvi_json_text((dv_text){text, (int64_t)n});
    free(text);
    return value;
}

static void add_json_rule(dvi_json *json, const dvi_spec_rule *rule, bool is_whole)
{
    char name[NAME_NBYTES], location[NAME_NBYTES + 16];
    dvi_spec_rule section = {.page = rule->page, .line = rule->section, .is_section = true};
    char *summary = summarize(rule), *heading = summarize(&section);
    name_rule(name, rule);
    snprintf(location, sizeof location, "docs/spec/%s.md#%.*s", rule->page->name, (int)rule->nbytes,
             rule->name);
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "rule", dvi_json_cstr(name));
    dvi_json_put(json, "location", dvi_json_cstr(location));
    dvi_json_put(json, "section", heading ? dvi_json_cstr(heading) : NULL);
    dvi_json_put(json, "summary", summary ? dvi_json_cstr(summary) : NULL);
    dvi_json_put(json, "text", is_whole ? markdown_of(rule) : json_null());
    dvi_json_close(json, '}');
    free(summary);
    free(heading);
}

/* All pages; the rules of one; one rule. */
static dvi_exit write_json(dvi_out *out, const dvi_spec_page *only, const dvi_spec_rule *rule)
{
    dvi_json json;
    dvi_json_begin(&json, "explain", NULL);
    dvi_json_open(&json, dv_text_of("pages"), '[');
    for (const dvi_spec_page *page = dvi_spec_pages; page->name; page++)
        if (!only || only == page)
            add_json_page(&json, page);
    dvi_json_close(&json, ']');
    dvi_json_open(&json, dv_text_of("rules"), '[');
    if (rule) {
        add_json_rule(&json, rule, true);
    } else if (only) {
        for (dvi_spec_rule each = {.page = only}; dvi_spec_next(&each);)
            add_json_rule(&json, &each, false);
    }
    dvi_json_close(&json, ']');
    return dvi_json_end(&json, out);
}

/* --- Which rule? ------------------------------------------------------------------------------ */

/* The nearest rule of a page; of two alike one with the same first letter. */
static void offer_rules(dv_nearest *best, const dvi_spec_page **of, const dvi_spec_page *page,
                        const char *typed)
{
    const char *before = best->name.data;
    for (int pass = 0; pass < 2; pass++)
        for (dvi_spec_rule rule = {.page = page}; dvi_spec_next(&rule);)
            if (pass || strncasecmp(typed, rule.name, 1) == 0)
                dv_nearest_offer(best, dv_text_of(typed),
                                 (dv_text){rule.name, (int64_t)rule.nbytes});
    *of = best->name.data != before ? page : *of;
}

static dvi_exit refuse(const dvi_citation *citation)
{
    const char *typed = citation->rule;
    const size_t n = strlen(typed);
    const dvi_spec_page *page = citation->page, *of = NULL;
    const char *name = page ? page->name : "", *colon = page ? ":" : "";
    dv_nearest best = DV_NEAREST_INIT;
    if (!page && n > 3 && strcmp(typed + n - 3, ".md") == 0)
        return dvi_say_usage("%s is a document, not a rule of the specification", typed);
    for (const dvi_spec_page *each = dvi_spec_pages; each->name; each++)
        if (!page || page == each)
            offer_rules(&best, &of, each, typed);
    if (best.name.data)
        return dvi_say_usage("there is no rule %s%s%s; did you mean %s:%.*s?", name, colon, typed,
                             of->name, (int)best.name.nbytes, best.name.data);
    return dvi_say_usage("there is no rule %s%s%s; dataview explain%s%s lists %s", name, colon,
                         typed, page ? " " : "", name, page ? "them" : "the pages");
}

/* A rule that is named without its page: the only one of that name. */
static dvi_exit find_anywhere(dvi_spec_rule *rule_out, const dvi_citation *citation)
{
    char names[4 * NAME_NBYTES] = "", name[NAME_NBYTES];
    int found = 0;
    for (const dvi_spec_page *page = dvi_spec_pages; page->name; page++) {
        dvi_spec_rule rule;
        if (!dvi_spec_find(&rule, page, citation->rule))
            continue;
        *rule_out = rule;
        name_rule(name, &rule);
        const size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", found++ ? ", " : "", name);
    }
    if (found > 1)
        return dvi_say_usage("'%s' is a rule of several pages: %s", citation->rule, names);
    return found ? DVI_EXIT_DONE : refuse(citation);
}

/* The words with blanks between them: "idv T3" may be one word or two. */
static bool join(char *dst, size_t cap, const dvi_words *words)
{
    size_t n = 0;
    *dst = 0;
    for (int i = 0; i < words->count && n < cap; i++)
        n += (size_t)snprintf(dst + n, cap - n, "%s%s", i ? " " : "", words->word[i]);
    return n < cap;
}

dvi_exit dvi_cmd_explain(const dvi_args *args, dvi_out *out)
{
    char text[128];
    dvi_citation citation = {0};
    dvi_spec_rule rule;
    dvi_exit status = DVI_EXIT_DONE;
    if (!join(text, sizeof text, &args->files) || !dvi_citation_read(&citation, text))
        return dvi_say_usage("explain takes one rule, such as idv:T3, not '%.40s...'", text);
    const bool has_rule = *citation.rule;
    if (args->files.count && !has_rule && !citation.page)
        return dvi_say_usage("explain takes a rule, such as idv:T3, not '%s'", text);
    if (has_rule && !citation.page)
        status = find_anywhere(&rule, &citation);
    else if (has_rule && !dvi_spec_find(&rule, citation.page, citation.rule))
        status = refuse(&citation);
    if (status)
        return status;
    if (args->json)
        return write_json(out, has_rule ? rule.page : citation.page, has_rule ? &rule : NULL);
    if (has_rule)
        return write_rule(out, &rule);
    if (citation.page)
        return write_list(out, citation.page);
    write_pages(out);
    return DVI_EXIT_DONE;
}
