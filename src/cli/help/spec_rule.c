/* SPDX-License-Identifier: MIT */
/* spec_rule.c: finds rules by the anchors of docs/spec. */
#include "cli/help/spec_rule.h"
#include <string.h>
#include <strings.h>

static const char anchor[] = "<a id=\"";

/* A heading with an anchor; "#" also begins lines of code. */
static bool is_heading(const char *line)
{
    return *line == '#' && strstr(line, anchor);
}

static size_t level_of(const char *heading)
{
    return strspn(heading, "#");
}

/* The section ends where another one of its level or above begins. */
static size_t end_of_section(const dvi_spec_page *page, size_t line)
{
    const size_t level = level_of(page->lines[line]);
    for (size_t i = line + 1; i < page->count; i++)
        if (is_heading(page->lines[i]) && level_of(page->lines[i]) <= level)
            return i;
    return page->count;
}

static size_t top_of_table(const dvi_spec_page *page, size_t line)
{
    while (line > 0 && page->lines[line - 1][0] == '|')
        line--;
    return line;
}

bool dvi_spec_next(dvi_spec_rule *rule)
{
    const dvi_spec_page *page = rule->page;
    for (size_t i = rule->name ? rule->line + 1 : 0; i < page->count; i++) {
        const char *start = strstr(page->lines[i], anchor);
        if (!start)
            continue;
        rule->name = start + strlen(anchor);
        rule->nbytes = strcspn(rule->name, "\"");
        rule->line = i;
        rule->is_section = is_heading(page->lines[i]);
        if (rule->is_section)
            rule->section = i;
        rule->top = rule->is_section ? i : top_of_table(page, i);
        rule->end = rule->is_section ? end_of_section(page, i) : i + 1;
        return true;
    }
    return false;
}

bool dvi_spec_find(dvi_spec_rule *rule_out, const dvi_spec_page *page, const char *name)
{
    dvi_spec_rule rule = {.page = page};
    while (dvi_spec_next(&rule)) {
        if (strlen(name) == rule.nbytes && strncasecmp(rule.name, name, rule.nbytes) == 0) {
            *rule_out = rule;
            return true;
        }
    }
    return false;
}

/* --- Citations -------------------------------------------------------------------------------- */

static const char *skip(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncasecmp(text, prefix, n) == 0 ? text + n : text;
}

/* Words that may stand before a rule. */
static const char *skip_words(const char *text)
{
    static const char *const words[] = {"rule ", "section ", "row ", "\u00a7"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text = skip(text, words[i]);
    return text;
}

/* The page whose name the text begins with, and the text after it. */
static const dvi_spec_page *read_page(const char **text)
{
    const size_t n = strcspn(*text, " .:#");
    for (const dvi_spec_page *page = dvi_spec_pages; page->name; page++) {
        if (strlen(page->name) == n && strncasecmp(*text, page->name, n) == 0) {
            *text = skip(*text + n, ".md");
            *text += strspn(*text, " :#");
            return page;
        }
    }
    return NULL;
}

bool dvi_citation_read(dvi_citation *citation_out, const char *text)
{
    static const char around[] = " ()[]`'\"";
    text += strspn(text, around);
    const char *inside = skip(skip(skip(text, "docs/"), "spec/"), "formats/");
    citation_out->page = read_page(&inside);
    text = skip_words(citation_out->page ? inside : text);
    size_t n = strlen(text);
    while (n > 0 && (strchr(around, text[n - 1]) || strchr(",.;:", text[n - 1])))
        n--;
    if (n >= sizeof citation_out->rule)
        return false;
    memcpy(citation_out->rule, text, n);
    citation_out->rule[n] = 0;
    return true;
}
