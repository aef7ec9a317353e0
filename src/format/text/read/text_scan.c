/* SPDX-License-Identifier: MIT */
/* text_scan.c: finds plain lines and the positions of their fields.
 *
 * A kernel lists the marks of a window: all bytes that could delimit something. For each line, the
 * marks that do are moved to the front of the list: the one before the first field, the separators,
 * the line end. The write position never passes the read position. */
#include "format/text/read/text_scan.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include <string.h>

#define WINDOW_NBYTES (INT64_C(128) << 10)
#define WINDOW_MOST (INT64_C(2) << 20) /* a longer line is not plain */
#define GUESS_NBYTES 64                /* estimated bytes of the last line before `end` */
#define LINES_MAX 8192
#define NOWHERE (-1)

enum role { SEPARATOR, LINE_END, QUOTE, COLON };

static void add(dvi_text_scan *s, uint8_t c, enum role role)
{
    s->role[c] = (uint8_t)role;
    dvi_ascii_set_add(&s->set, c);
}

void dvi_text_scan_start(dvi_text_scan *s, dvi_map *map, const dvi_text_dialect *d,
                         const dvi_text_wanted *wanted)
{
    *s = (dvi_text_scan){.map = map,
                         .wanted = *wanted,
                         .skips_blanks = d->skips_blanks,
                         .doubles_quotes = d->escape == d->quote,
                         .window = WINDOW_NBYTES,
                         .unusual_at = NOWHERE};
    if (wanted->fields > 0 || wanted->joins) {
        for (uint8_t c = 0; c < 128; c++)
            if (d->is_separator[c])
                add(s, c, SEPARATOR);
        if (d->allow_quoting)
            add(s, (uint8_t)d->quote, QUOTE);
        if (d->allow_sparse)
            add(s, ':', COLON);
    }
    add(s, '\n', LINE_END);
    add(s, '\r', LINE_END);
}

void dvi_text_scan_free(dvi_text_scan *s)
{
    dvi_memory_release(&s->read);
    dvi_memory_release(&s->marks);
    dvi_memory_release(&s->lines);
}

/* --- A line --- */

typedef enum verdict { PLAIN, PASSED, UNUSUAL, CUT_OFF, AFTER_END } verdict;

/* The positions of the next mark to read, and of the next one to keep. */
typedef struct mark_cursor {
    const dvi_text_scan *scan;
    uint32_t *marks;
    size_t in, out;
} mark_cursor;

static uint8_t role_at(const mark_cursor *w, uint32_t at)
{
    return w->scan->role[w->scan->span.data[at]];
}

static bool is_blank(const dvi_text_scan *s, uint32_t from, uint32_t end)
{
    while (s->skips_blanks && from < end && s->span.data[from] == ' ')
        from++;
    return from == end;
}

/* Can the bytes before a colon be the index of a sparse item? */
static bool is_index(const dvi_text_scan *s, uint32_t from, uint32_t colon)
{
    while (s->skips_blanks && from < colon && s->span.data[from] == ' ')
        from++;
    const uint32_t digits = from;
    while (from < colon && s->span.data[from] >= '0' && s->span.data[from] <= '9')
        from++;
    return from == colon && from > digits;
}

/* After an opening quote, go to the mark that ends the field. Doubled quotes, and what follows the
 * closing quote, are left to the code that parses the field. */
static verdict pass_quotes(mark_cursor *w)
{
    const dvi_text_scan *s = w->scan;
    if (!s->doubles_quotes)
        return UNUSUAL;
    while (w->in < s->found) {
        const uint32_t at = w->marks[w->in++];
        const uint8_t role = role_at(w, at);
        if (role == LINE_END)
            return UNUSUAL;
        if (role != QUOTE)
            continue;
        if (w->in == s->found)
            break;
        const uint32_t next = w->marks[w->in];
        if (next != at + 1 || role_at(w, next) != QUOTE)
            return role_at(w, next) <= LINE_END ? PLAIN : UNUSUAL;
        w->in++;
    }
    return CUT_OFF;
}

/* The line after mark `first` ends at a mark. A CR and an LF need not be recognized as one end: the
 * line between them is empty. */
static verdict end_line(mark_cursor *w, size_t first, uint32_t at)
{
    const dvi_text_scan *s = w->scan;
    const uint8_t *text = s->span.data;
    const uint32_t start = w->marks[first] + 1, nbytes = at - start;
    const bool is_row = !dvi_text_is_passed(&s->wanted.comment, text + start, nbytes);
    if (is_row) {
        const bool is_trimmed = s->wanted.trims && (text[at - 1] <= ' ' || text[at - 1] >= 0x80);
        const int64_t fields = (int64_t)(w->out - first), most = s->wanted.most_fields;
        const int64_t full = s->wanted.full_fields;
        const bool has_more = full > 0 && fields > full && /* a separator for each */
                              at - w->marks[first + (size_t)full] != (uint32_t)(fields - full);
        if (fields < s->wanted.fields || (most > 0 && fields > most) || has_more ||
            nbytes > s->wanted.line_nbytes || is_trimmed)
            return UNUSUAL;
    } else {
        w->out = first + 1; /* `first` may be the end of the previous line */
    }
    w->marks[w->out++] = at;
    return is_row ? PLAIN : PASSED;
}

static verdict read_line(mark_cursor *w)
{
    const dvi_text_scan *s = w->scan;
    const size_t first = w->out - 1;
    uint32_t from = w->marks[first] + 1;
    while (w->in < s->found) {
        const uint32_t at = w->marks[w->in++];
        const uint8_t role = role_at(w, at);
        if (role == SEPARATOR) {
            w->marks[w->out++] = at;
            from = at + 1;
        } else if (role == LINE_END) {
            if (s->wanted.needs_lf && s->span.data[at] == '\r') {
                if (w->in == s->found)
                    break;
                if (w->marks[w->in] != at + 1 || s->span.data[at + 1] != '\n')
                    return UNUSUAL;
            }
            return end_line(w, first, at);
        } else if (role == COLON && is_index(s, from, at)) {
            return UNUSUAL;
        } else if (role == QUOTE && is_blank(s, from, at)) {
            const verdict is = pass_quotes(w);
            if (is != PLAIN)
                return is;
        }
    }
    return CUT_OFF;
}

/* --- Lines --- */

/* Load n bytes, or as many as there is room for marks. */
static dv_status load_window(dvi_text_scan *s, int64_t at, int64_t n, dv_error *err)
{
    int64_t file_end;
    DVI_TRY(dvi_map_reach(s->map, at + n, &file_end, err));
    const int64_t left = file_end - at;
    const size_t nbytes = (size_t)dvi_min_i64(n, left), room = nbytes / 2 + 1;
    const size_t lines = (size_t)dvi_min_i64((int64_t)room, LINES_MAX);
    const dv_allocator *allocator = dvi_map_allocator(s->map);
    s->found = 0;
    DVI_TRY(dvi_memory_reserve(&s->marks, allocator, (room + 1) * sizeof(uint32_t), err));
    DVI_TRY(dvi_memory_reserve(&s->lines, allocator, lines * sizeof(uint32_t), err));
    DVI_TRY(dvi_map_span(s->map, at, nbytes, &s->read, &s->span, err));
    uint32_t *marks = (uint32_t *)(void *)s->marks->data;
    const size_t found = dvi_kernels()->bytes_find(marks + 1, room, s->span.data, nbytes, &s->set);
    s->is_last = found < room && (int64_t)nbytes == left;
    s->nbytes = found < room ? nbytes : marks[found] + 1;
    s->found = found + 1;
    s->next = 1;
    s->from = 0;
    return DV_OK;
}

static bool is_loaded(const dvi_text_scan *s, int64_t at)
{
    const int64_t skip = at - s->span.offset;
    return s->found > 0 && skip >= s->from && skip < (int64_t)s->nbytes;
}

/* Find lines from a byte of the loaded window on. */
static verdict read_lines(dvi_text_scan *s, uint32_t begin, int64_t end, int64_t rows,
                          int64_t nbytes, dvi_text_plain *p)
{
    uint32_t *lines = (uint32_t *)(void *)s->lines->data;
    mark_cursor w = {s, (uint32_t *)(void *)s->marks->data, s->next, 0};
    verdict is = PLAIN;
    while (w.in < s->found && w.marks[w.in] < begin)
        w.in++;
    w.out = w.in;
    w.marks[w.in - 1] = begin - 1;
    *p = (dvi_text_plain){(const char *)s->span.data, begin, begin, s->nbytes, w.marks, lines, 0};
    while (is <= PASSED && (int64_t)p->n < rows && (int64_t)(p->end - begin) < nbytes) {
        const size_t first = w.out - 1;
        is = (int64_t)p->end < end ? read_line(&w) : AFTER_END;
        if (is == PLAIN)
            lines[p->n++] = (uint32_t)first;
        if (is <= PASSED)
            p->end = (uint32_t)(w.marks[w.out - 1] + 1);
    }
    s->next = w.in;
    s->from = w.in > 1 && is > PASSED && is != AFTER_END ? w.marks[w.in - 1] + 1 : (uint32_t)p->end;
    return is;
}

dv_status dvi_text_scan_next(dvi_text_scan *s, int64_t *at, int64_t end, int64_t rows,
                             int64_t nbytes, dvi_text_plain *lines_out, dv_error *err)
{
    const int64_t start = *at;
    int64_t file_end;
    const int64_t most = dvi_min_i64(rows, LINES_MAX);
    int64_t wanted = dvi_min_i64(end - start, s->window - GUESS_NBYTES) + GUESS_NBYTES;
    *lines_out = (dvi_text_plain){0};
    DVI_TRY(dvi_map_reach(s->map, start, &file_end, err));
    while (start < file_end && start != s->unusual_at) {
        if (!is_loaded(s, start))
            DVI_TRY(load_window(s, start, wanted, err));
        const int64_t offset = s->span.offset;
        const verdict is =
            read_lines(s, (uint32_t)(start - offset), end - offset, most, nbytes, lines_out);
        *at = offset + (int64_t)lines_out->end;
        if (is == UNUSUAL)
            s->unusual_at = *at;
        if (is != CUT_OFF || *at > start || s->is_last || wanted == WINDOW_MOST)
            break;
        if (offset == start)
            wanted = dvi_min_i64(2 * wanted, WINDOW_MOST);
        s->window = dvi_max_i64(s->window, wanted);
        s->found = 0;
    }
    return DV_OK;
}
