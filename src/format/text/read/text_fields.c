/* SPDX-License-Identifier: MIT */
/* text_fields.c: splits a line into fields and maps them to source columns. */
#include "format/text/read/text_fields.h"
#include "base/compiler.h"
#include "base/size.h"
#include "codec/digits.h"
#include "codec/parse.h"
#include <string.h>

#define INDEX_DIGITS 9
#define SHORT_NBYTES 16 /* fields up to it are faster to search byte by byte */

dvi_text_dialect dvi_text_dialect_of(const dvi_text_options *options)
{
    dvi_text_dialect d = {.allow_quoting = options->allow_quoting,
                          .allow_sparse = options->allow_sparse,
                          .merges = options->merges_blanks,
                          .keeps_broken = options->csv,
                          .quote = options->quote,
                          .escape = options->escape,
                          .size = options->size,
                          .dense_most = options->size > 0
                                            ? (int64_t)options->size + options->allow_sparse
                                            : INT64_MAX};
    for (int32_t i = 0; i < options->separators_count; i++)
        d.is_separator[(uint8_t)options->separators[i]] = true;
    if (options->separators_count == 1 && options->wide_separators_count == 0)
        d.only = options->separators[0];
    for (int32_t i = 0; i < options->wide_separators_count; i++)
        d.wide[d.wide_count++] = options->wide_separators[i];
    d.skips_blanks = !d.is_separator[' '];
    return d;
}

dvi_text_comment dvi_text_comment_of(const dvi_text_options *options)
{
    dvi_text_comment comment = {.skips_hash = !options->has_comment,
                                .skips_empty = options->csv,
                                .start = "//",
                                .nbytes = 2};
    if (options->has_comment) {
        comment.nbytes = (size_t)options->comment.nbytes;
        memset(comment.start, 0, sizeof comment.start);
        if (comment.nbytes > 0)
            memcpy(comment.start, options->comment.data, comment.nbytes);
    }
    return comment;
}

bool dvi_text_is_empty(const void *line, size_t n)
{
    const uint8_t *p = line;
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\0' || p[i] == 0x1A))
        i++;
    return i == n;
}

static DVI_ALWAYS_INLINE const char *skip_blanks(const dvi_text_dialect *d, const char *p,
                                                 const char *end)
{
    while (d->skips_blanks && p < end && *p == ' ')
        p++;
    return p;
}

/* The end of the separators in a row from p on. */
static const char *skip_run(const dvi_text_dialect *d, const char *p, const char *end)
{
    while (p < end && d->is_separator[(uint8_t)*p])
        p++;
    return p;
}

/* separator_at, where separators have one byte or are merged. */
static DVI_NOINLINE size_t long_separator_at(const dvi_text_dialect *d, const char *p,
                                             const char *end)
{
    if (d->merges) {
        const char *after = skip_run(d, p, end);
        return after < end ? (size_t)(after - p) : 0;
    }
    for (int32_t i = 0; i < d->wide_count; i++) {
        const size_t n = (size_t)d->wide[i].nbytes;
        if ((size_t)(end - p) >= n && memcmp(p, d->wide[i].data, n) == 0)
            return n;
    }
    return 0;
}

/* The bytes of the separator at p; 0: there is none. */
static DVI_ALWAYS_INLINE size_t separator_at(const dvi_text_dialect *d, const char *p,
                                             const char *end)
{
    if (p < end && d->is_separator[(uint8_t)*p] && !d->merges)
        return 1;
    return d->merges || d->wide_count > 0 ? long_separator_at(d, p, end) : 0;
}

static DVI_NOINLINE const char *find_wide_separator(const dvi_text_dialect *d, const char *p,
                                                    const char *end)
{
    while (p < end && separator_at(d, p, end) == 0)
        p++;
    return p;
}

static DVI_ALWAYS_INLINE const char *find_separator(const dvi_text_dialect *d, const char *p,
                                                    const char *end)
{
    if (d->wide_count > 0)
        return find_wide_separator(d, p, end);
    const char *near = end - p > SHORT_NBYTES && d->only ? p + SHORT_NBYTES : end;
    while (p < near && !d->is_separator[(uint8_t)*p])
        p++;
    if (p < near || p == end)
        return p;
    const char *found = memchr(p, d->only, (size_t)(end - p));
    return found ? found : end;
}

/* --- One field --- */

/* Parse `index:` at *p, and move *p to the value after it. -1: there is none, and *p is
 * unchanged. */
static int32_t read_index(const dvi_text_dialect *d, const char **p, const char *end)
{
    int32_t index = 0;
    const char *q = *p;
    for (int digit;
         d->allow_sparse && q < end && (digit = dvi_digit_of(q)) >= 0 && q - *p <= INDEX_DIGITS;
         q++)
        index = q - *p < INDEX_DIGITS ? 10 * index + digit : index;
    if (!d->allow_sparse || q == *p || q - *p > INDEX_DIGITS || q == end || *q != ':')
        return -1;
    *p = skip_blanks(d, q + 1, end);
    return index;
}

/* unquote, where a quote is doubled. */
static const char *unquote_doubled(char mark, const char *p, const char *end, char *dst,
                                   size_t *nbytes_out)
{
    size_t n = 0;
    const char *quote;
    while (p < end && (quote = memchr(p, mark, (size_t)(end - p)))) {
        const bool is_doubled = quote + 1 < end && quote[1] == mark;
        const size_t nbytes = (size_t)(quote - p) + is_doubled;
        if (dst && nbytes > 0)
            memcpy(dst + n, p, nbytes);
        n += nbytes;
        if (!is_doubled) {
            *nbytes_out = n;
            return quote + 1;
        }
        p = quote + 2;
    }
    return NULL;
}

/* Parse quoted text from the byte after the opening quote. dst: receives the text; may be NULL.
 * Returns the byte after the closing quote; NULL: the quote is not closed. */
static const char *unquote(const dvi_text_dialect *d, const char *p, const char *end, char *dst,
                           size_t *nbytes_out)
{
    size_t n = 0;
    if (d->escape == d->quote)
        return unquote_doubled(d->quote, p, end, dst, nbytes_out);
    for (; p < end; p++) {
        const bool has_next = p + 1 < end;
        if (*p == d->escape && has_next) {
            if (p[1] != d->quote && dst)
                dst[n] = *p;
            n += p[1] != d->quote;
            p++;
        } else if (*p == d->quote) {
            *nbytes_out = n;
            return p + 1;
        }
        if (dst)
            dst[n] = *p;
        n++;
    }
    return NULL;
}

/* Does a field end at p? */
static bool ends_at(const dvi_text_dialect *d, const char *p, const char *end)
{
    return p == end || (d->merges ? d->is_separator[(uint8_t)*p] : separator_at(d, p, end) > 0);
}

/* The byte after the next quote from p on that a field can end with; NULL: there is none. */
static const char *find_close(const dvi_text_dialect *d, const char *p, const char *end)
{
    while (p < end && (p = memchr(p, d->quote, (size_t)(end - p)))) {
        const char *after = skip_blanks(d, ++p, end);
        if (ends_at(d, after, end))
            return p;
    }
    return NULL;
}

/* A field at p with broken quotes is kept as it is written. */
static const char *keep_broken(dvi_text_items *items, dvi_text_field *field, const char *p)
{
    const dvi_text_dialect *d = items->dialect;
    const bool may_close = items->is_lazy && !items->has_no_close;
    const char *close = may_close ? find_close(d, p + 1, items->end) : NULL;
    items->has_no_close |= may_close && !close;
    const char *q = close ? close : find_separator(d, p, items->end);
    field->text = (dv_text){p, q - p};
    return skip_blanks(d, q, items->end);
}

/* Parse a quoted field at p. */
static DVI_NOINLINE const char *read_quoted(dvi_text_items *items, dvi_text_field *field,
                                            const char *p)
{
    const dvi_text_dialect *d = items->dialect;
    size_t n = 0;
    const char *after = unquote(d, p + 1, items->end, items->unquoted, &n);
    const char *q = after ? after : items->end;
    q = skip_blanks(d, q, items->end);
    field->mark = DVI_TEXT_QUOTED;
    field->text = (dv_text){items->unquoted, (int64_t)n};
    if (!after || !ends_at(d, q, items->end)) {
        field->mark = DVI_TEXT_BROKEN;
        field->text = (dv_text){"", 0};
        items->errors++;
        if (d->keeps_broken)
            return keep_broken(items, field, p);
        return find_separator(d, q, items->end);
    }
    items->unquoted += n;
    return q;
}

static DVI_ALWAYS_INLINE bool next_field(dvi_text_items *items, dvi_text_field *field)
{
    const dvi_text_dialect *d = items->dialect;
    if (!items->has_field)
        return false;
    const char *p = skip_blanks(d, items->p, items->end);
    field->index = d->allow_sparse ? read_index(d, &p, items->end) : -1;
    const char *q;
    if (d->allow_quoting && p < items->end && *p == d->quote) {
        q = read_quoted(items, field, p);
    } else {
        q = find_separator(d, p, items->end);
        field->mark = q > p ? DVI_TEXT_PLAIN : DVI_TEXT_BLANK;
        field->text = (dv_text){p, q - p};
    }
    const size_t n = separator_at(d, q, items->end); /* 0 at the end of the line */
    items->has_field = n > 0;
    items->p = q + n;
    return true;
}

/* --- Source columns --- */

dvi_text_items dvi_text_items_of(const dvi_text_dialect *dialect, dv_text line, char *unquoted)
{
    if (dialect->merges) {
        const char *first = skip_run(dialect, line.data, line.data + line.nbytes);
        line = (dv_text){first, line.nbytes - (first - line.data)};
    }
    return (dvi_text_items){.dialect = dialect,
                            .p = line.data,
                            .end = line.data + line.nbytes,
                            .has_field = true,
                            .unquoted = unquoted,
                            .last = -1};
}

dvi_text_field dvi_text_field_of(const dvi_text_dialect *dialect, dv_text text, char *unquoted)
{
    dvi_text_items items = dvi_text_items_of(dialect, text, unquoted);
    dvi_text_field field;
    next_field(&items, &field);
    return field;
}

int64_t dvi_text_items_count(const dvi_text_items *items)
{
    return items->dense + items->length;
}

int64_t dvi_text_items_end(const dvi_text_items *items)
{
    const int64_t count = dvi_text_items_count(items);
    return items->dialect->allow_sparse ? dvi_max_i64(count, items->dialect->size) : count;
}

/* Return the first sparse item and those after it. */
static bool next_sparse(dvi_text_items *items, int64_t *source_out, dvi_text_field *field)
{
    *field = items->first;
    items->first.index = -1;
    if (field->index < 0 && !next_field(items, field))
        items->is_done = true;
    else if (field->index <= items->last || field->index >= items->length) {
        items->is_done = true;
        items->errors++;
    }
    items->last = field->index;
    *source_out = items->dense + field->index;
    return !items->is_done;
}

/* Find the number of source columns of the sparse part. `size` gives it, or else the field before
 * the part; without `size`, that field is not data. */
static void begin_sparse(dvi_text_items *items)
{
    const int64_t size = items->dialect->size;
    const dv_text text = items->held.text;
    const size_t n = (size_t)text.nbytes;
    int32_t length = 0;
    items->is_sparse = true;
    if (size > 0) {
        items->length = size - items->dense;
    } else if (items->has_held && text.nbytes > 0 && dvi_parse_i4(&length, text.data, n, n) &&
               length > 0) {
        items->has_held = false;
        items->dense--;
        items->length = length;
    } else {
        items->errors++;
        items->is_done = true;
    }
}

bool dvi_text_items_next(dvi_text_items *items, int64_t *source_out, dvi_text_field *field_out)
{
    if (!items->dialect->allow_sparse && items->dialect->size == 0) { /* nothing is held back */
        items->is_done = !next_field(items, field_out);
        *source_out = items->dense;
        items->dense += !items->is_done;
        return !items->is_done;
    }
    const int64_t most = items->dialect->dense_most;
    while (!items->is_done && !items->is_sparse) {
        dvi_text_field field;
        if (items->dense >= most || !next_field(items, &field)) {
            items->is_done = true;
        } else if (field.index >= 0) {
            items->first = field;
            begin_sparse(items);
        } else {
            const bool has_held = items->has_held;
            *field_out = items->held;
            *source_out = items->dense - 1;
            items->held = field;
            items->has_held = true;
            items->dense++;
            if (has_held)
                return true;
        }
    }
    if (items->has_held) {
        *field_out = items->held;
        *source_out = items->dense - 1;
        items->has_held = false;
        return true;
    }
    return !items->is_done && next_sparse(items, source_out, field_out);
}

/* --- Lines that go on --- */

bool dvi_text_quotes_go_on(dvi_text_quotes *quotes, const dvi_text_dialect *d, dv_text line)
{
    const char *p = line.data, *const end = line.data + line.nbytes, *start = p;
    size_t n;
    bool has_field = true;
    while (has_field && !quotes->is_broken) {
        const bool is_first = !quotes->is_open;
        if (is_first) {
            p = skip_blanks(d, p, end);
            read_index(d, &p, end);
            if (!d->allow_quoting || p == end || *p != d->quote) {
                p = find_separator(d, p, end);
                const size_t width = separator_at(d, p, end);
                has_field = width > 0;
                p += width;
                continue;
            }
            start = p++;
        }
        const char *after = unquote(d, p, end, NULL, &n);
        quotes->is_open = !after;
        if (!after)
            return true;
        p = skip_blanks(d, after, end);
        size_t width = separator_at(d, p, end);
        quotes->is_broken = !ends_at(d, p, end);
        if (quotes->is_broken && d->keeps_broken && is_first) { /* it ends at a separator */
            quotes->is_broken = false;
            p = find_separator(d, start, end);
            width = separator_at(d, p, end);
        }
        has_field = width > 0;
        p += width;
    }
    quotes->is_open = false;
    return false;
}
