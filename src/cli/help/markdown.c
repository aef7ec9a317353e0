/* SPDX-License-Identifier: MIT */
/* markdown.c: headings, paragraphs, lists, code and tables. */
#include "cli/help/markdown.h"
#include "cli/terminal/glyph.h"
#include "cli/terminal/wrap.h"
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 16 /* columns of a table that are aligned */
#define GAP 2        /* columns between those of a table */
#define INDENT 4     /* of code, and of the cells of a row */
#define LABEL_MOST 24

typedef struct printer {
    dvi_out *out;
    int32_t width;
    const char *const *lines;
    size_t count, at;
    char *text;    /* owned, with room for all lines end to end */
    bool is_blank; /* the last line written is empty */
} printer;

/* --- One line --------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *end, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(end - text) >= n && memcmp(text, word, n) == 0;
}

/* The end of `[text](target)`, whose text ends at *close; NULL: it is no link. */
static const char *link_end(const char *p, const char *end, const char **close)
{
    *close = memchr(p, ']', (size_t)(end - p));
    if (!*close || !starts(*close, end, "]("))
        return NULL;
    const char *last = memchr(*close, ')', (size_t)(end - *close));
    return last ? last + 1 : NULL;
}

/* Does a mark of emphasis begin here, and where does it end?  NULL: it is a product, or `I*`. */
static const char *emphasis_end(const char *start, const char *p, const char *end)
{
    if ((p > start && !strchr(" (*|", p[-1])) || p + 1 >= end || strchr(" *", p[1]))
        return NULL;
    for (const char *q = p + 1; q < end; q++)
        if (*q == '*' && q[-1] != ' ' && (q + 1 == end || strchr(" ),.;:|", q[1])))
            return q;
    return NULL;
}

size_t dvi_markdown_plain(char *dst, const char *text, size_t nbytes)
{
    const char *const end = text + nbytes;
    const char *last = NULL; /* the end of emphasis */
    bool is_code = false;
    size_t n = 0;
    for (const char *p = text; p < end;) {
        const char *close, *next = NULL;
        is_code ^= *p == '`';
        if (!is_code && starts(p, end, "<a id=") && (close = strstr(p, "</a>"))) {
            p = close + strlen("</a>");
        } else if (!is_code && *p == '[' && (next = link_end(p, end, &close))) {
            n += dvi_markdown_plain(dst + n, p + 1, (size_t)(close - p - 1));
            p = next;
        } else if (!is_code && starts(p, end, "**")) {
            p += 2;
        } else if (!is_code && *p == '*' && (p == last || (next = emphasis_end(text, p, end)))) {
            last = next;
            p++;
        } else {
            p += starts(p, end, "\\|"); /* within a cell */
            dst[n++] = *p++;
        }
    }
    dst[n] = 0;
    return n;
}

bool dvi_markdown_cell(dv_text *cell_out, const char *line, int32_t k)
{
    const char *p = line;
    for (int32_t i = -1; *p; i++) {
        const char *start = p;
        while (*p && (*p != '|' || (p > line && p[-1] == '\\')))
            p++;
        const char *last = p;
        while (start < last && *start == ' ')
            start++;
        while (start < last && last[-1] == ' ')
            last--;
        if (i == k && *p) {
            *cell_out = (dv_text){start, last - start};
            return true;
        }
        p += *p == '|';
    }
    return false;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static void end_line(printer *p)
{
    dvi_out_text(p->out, "\n");
    p->is_blank = false;
}

static bool is_row(const char *line)
{
    return *line == '|';
}

static bool is_line_of_dashes(const char *line)
{
    return is_row(line) && strspn(line, "|-: ") == strlen(line);
}

/* The columns that the mark of a list item takes: "- ", "* ", "12. ", and what is before it. */
static int32_t mark_of(const char *line)
{
    const size_t blanks = strspn(line, " "), digits = strspn(line + blanks, "0123456789");
    const char *mark = line + blanks + digits;
    const bool is_mark = digits ? *mark == '.' : *mark == '-' || *mark == '*';
    return is_mark && mark[1] == ' ' ? (int32_t)(blanks + digits) + 2 : 0;
}

static bool is_text(const char *line)
{
    return *line && !is_row(line) && *line != '#' && !starts(line, line + strlen(line), "```");
}

/* A paragraph, or an item of a list: lines up to the next of another sort. */
static void print_text(printer *p)
{
    const int32_t mark = mark_of(p->lines[p->at]);
    size_t n = 0;
    dvi_out_write(p->out, p->lines[p->at], (size_t)mark);
    do {
        const char *line = p->lines[p->at];
        const size_t blanks = n ? strspn(line, " ") : (size_t)mark, nbytes = strlen(line + blanks);
        if (n)
            p->text[n++] = ' ';
        memcpy(p->text + n, line + blanks, nbytes);
        n += nbytes;
        p->at++;
    } while (p->at < p->count && is_text(p->lines[p->at]) && !mark_of(p->lines[p->at]));
    dvi_markdown_plain(p->text, p->text, n);
    dvi_wrap(p->out, p->width, mark, mark, p->text);
    end_line(p);
}

static void print_blank(printer *p)
{
    if (!p->is_blank)
        dvi_out_text(p->out, "\n");
    p->is_blank = true;
}

static void print_heading(printer *p)
{
    const char *line = p->lines[p->at];
    line += strspn(line, "# ");
    if (p->at++ > 0)
        print_blank(p);
    dvi_markdown_plain(p->text, line, strlen(line));
    dvi_wrap(p->out, p->width, 0, 0, p->text);
    end_line(p);
    if (p->at < p->count)
        print_blank(p);
}

static void print_verbatim(printer *p, const char *line)
{
    dvi_out_print(p->out, "%*s", *line ? INDENT : 0, "");
    dvi_out_shown(p->out, line, strlen(line));
    end_line(p);
}

static void print_fenced(printer *p)
{
    for (p->at++; p->at < p->count && p->lines[p->at][0] != '`'; p->at++)
        print_verbatim(p, p->lines[p->at]);
    p->at++;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static int32_t plain_cell(printer *p, const char *line, int32_t k)
{
    dv_text cell;
    p->text[0] = 0;
    if (!dvi_markdown_cell(&cell, line, k))
        return -1;
    const size_t n = dvi_markdown_plain(p->text, cell.data, (size_t)cell.nbytes);
    return dvi_glyph_columns(p->text, n);
}

/* Write a cell after its label, which is the cell above it in the head. */
static void print_labelled(printer *p, const char *head, const char *row, int32_t k, int32_t indent)
{
    const int32_t used = plain_cell(p, head, k) + INDENT;
    dvi_out_print(p->out, "%*s", INDENT, "");
    dvi_out_shown(p->out, p->text, strlen(p->text));
    const int32_t column = used + GAP > indent ? used + GAP : indent;
    dvi_out_print(p->out, "%*s", (int)(column - used), "");
    plain_cell(p, row, k);
    dvi_wrap(p->out, p->width, indent, column, p->text);
    end_line(p);
}

/* All cells of a row but the first, each as a line. */
static void print_record(printer *p, const char *head, const char *row)
{
    int32_t label = 0;
    for (int32_t k = 1, n; (n = plain_cell(p, head, k)) >= 0; k++)
        label = n > label && n <= LABEL_MOST ? n : label;
    for (int32_t k = 1, n; (n = plain_cell(p, row, k)) >= 0; k++)
        if (n > 0)
            print_labelled(p, head, row, k, INDENT + label + GAP);
}

/* The columns of a table that ends before line `end`; 0: it does not fit the screen. */
static int32_t fit_table(printer *p, size_t end, int32_t widths[CELLS_MAX])
{
    int32_t cells = 0, sum = 0;
    memset(widths, 0, CELLS_MAX * sizeof *widths);
    for (size_t i = p->at; i < end; i++) {
        if (is_line_of_dashes(p->lines[i]))
            continue;
        for (int32_t k = 0, n; (n = plain_cell(p, p->lines[i], k)) >= 0; k++) {
            if (k == CELLS_MAX)
                return 0;
            widths[k] = n > widths[k] ? n : widths[k];
            cells = k + 1 > cells ? k + 1 : cells;
        }
    }
    for (int32_t k = 0; k < cells; k++)
        sum += widths[k] + (k ? GAP : 0);
    return sum <= p->width ? cells : 0;
}

static void print_aligned(printer *p, const char *line, const int32_t *widths, int32_t cells)
{
    int32_t blanks = 0;
    for (int32_t k = 0; k < cells; k++) {
        const int32_t n = plain_cell(p, line, k);
        if (n > 0) {
            dvi_out_print(p->out, "%*s", (int)blanks, "");
            dvi_out_shown(p->out, p->text, strlen(p->text));
            blanks = 0;
        }
        blanks += widths[k] - (n > 0 ? n : 0) + GAP;
    }
    end_line(p);
}

static void print_table(printer *p)
{
    int32_t widths[CELLS_MAX];
    const char *head = p->lines[p->at];
    size_t end = p->at;
    while (end < p->count && is_row(p->lines[end]))
        end++;
    const int32_t cells = fit_table(p, end, widths);
    for (size_t i = p->at; i < end; i++) {
        const char *line = p->lines[i];
        if (is_line_of_dashes(line) || (!cells && line == head))
            continue;
        if (cells) {
            print_aligned(p, line, widths, cells);
            continue;
        }
        plain_cell(p, line, 0);
        dvi_wrap(p->out, p->width, 0, 0, p->text);
        end_line(p);
        print_record(p, head, line);
    }
    p->at = end;
}

/* --- All of it -------------------------------------------------------------------------------- */

static bool start(printer *p, dvi_out *out, int32_t width, const char *const *lines, size_t count)
{
    size_t nbytes = 1;
    for (size_t i = 0; i < count; i++)
        nbytes += strlen(lines[i]) + 1;
    *p = (printer){.out = out, .width = width, .lines = lines, .count = count};
    p->text = malloc(nbytes);
    return p->text;
}

static void print_block(printer *p)
{
    const char *line = p->lines[p->at];
    if (!*line) {
        print_blank(p);
        p->at++;
    } else if (*line == '#') {
        print_heading(p);
    } else if (*line == '`' && starts(line, line + strlen(line), "```")) {
        print_fenced(p);
    } else if (is_row(line)) {
        print_table(p);
    } else if (strspn(line, " ") >= INDENT && !mark_of(line)) {
        print_verbatim(p, line + INDENT);
        p->at++;
    } else {
        print_text(p);
    }
}

bool dvi_markdown_print(dvi_out *out, int32_t width, const char *const *lines, size_t count)
{
    printer p;
    while (count > 0 && !*lines[count - 1])
        count--;
    if (!start(&p, out, width, lines, count))
        return false;
    while (p.at < p.count)
        print_block(&p);
    free(p.text);
    return true;
}

bool dvi_markdown_print_row(dvi_out *out, int32_t width, const char *head, const char *row)
{
    printer p;
    if (!start(&p, out, width, (const char *const[]){head, row}, 2))
        return false;
    print_record(&p, head, row);
    free(p.text);
    return true;
}
