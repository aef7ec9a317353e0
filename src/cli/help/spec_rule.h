/* SPDX-License-Identifier: MIT */
/* spec_rule.h: the rules of the specification: sections and rows of tables, by their anchors. */
#ifndef DVI_CLI_SPEC_RULE_H
#define DVI_CLI_SPEC_RULE_H

#include "cli/help/spec_pages.h"
#include <stdbool.h>

typedef struct dvi_spec_rule {
    const dvi_spec_page *page;
    const char *name; /* "T3"; it has nbytes and no NUL */
    size_t nbytes;
    size_t line;    /* where its anchor is: a heading, or the row of a table */
    size_t section; /* the heading that it is below; of a section its own */
    size_t top;     /* of a row: the first line of its table */
    size_t end;     /* the line after its last */
    bool is_section;
} dvi_spec_rule;

/* The next rule of the page, in the order of the page; false: there are no more.  Start from
 * {.page = page}. */
bool dvi_spec_next(dvi_spec_rule *rule);

/* A citation of a rule as typed: "idv:T3", "idv T3", "(IDV:t3)", "docs/spec/idv.md#T3". */
typedef struct dvi_citation {
    const dvi_spec_page *page; /* NULL: none is named */
    char rule[48];             /* "": none is named */
} dvi_citation;

/* Read a citation; false: it is too long to be one. */
bool dvi_citation_read(dvi_citation *citation_out, const char *text);

/* The rule of that name, in any case of letters; false: the page has none. */
bool dvi_spec_find(dvi_spec_rule *rule_out, const dvi_spec_page *page, const char *name);

#endif
