/* SPDX-License-Identifier: MIT */
/* text_split.c: splits a line of a sample into its fields. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/text/propose/text_sample.h"

#define MARKED_NBYTES (INT64_C(64) << 10) /* longer lines are split by every rule */
#define MARKS_MORE 64                     /* room, and bytes, with which the kernel is fast */

static dv_status reserve_fields(dvi_text_sample *s, size_t n, dv_error *err)
{
    void *fields = s->fields;
    if (n <= s->fields_cap)
        return DV_OK;
    DVI_TRY(
        dvi_array_reserve(&s->g->allocator, &fields, &s->fields_cap, n, sizeof *s->fields, err));
    s->fields = fields;
    return DV_OK;
}

/* Note the last column that is not blank. */
static inline void note_extent(dvi_text_sample *s, dv_text text, int64_t column)
{
    const uint8_t first = text.nbytes > 0 ? (uint8_t)*text.data : ' ';
    if ((first > ' ' && first < 0x7F) || !dvi_text_guess_is_blank(text))
        s->line.extent = (int32_t)dvi_min_i64(column + 1, INT32_MAX);
}

/* Split a line by every rule. */
static dv_status split_items(dvi_text_sample *s, dv_text line, dv_error *err)
{
    int64_t column;
    size_t n = 0;
    dvi_text_items items =
        dvi_text_items_of(&s->reader.dialect, line, (char *)(void *)s->unquoted->data);
    s->line.extent = 0;
    for (;; n++) {
        DVI_TRY(reserve_fields(s, n + 1, err));
        dvi_text_field *field = &s->fields[n];
        if (!dvi_text_items_next(&items, &column, field))
            break;
        field->index = (int32_t)column;
        note_extent(s, field->text, column);
    }
    s->fields_count = n;
    s->line.fields = (int32_t)dvi_min_i64(dvi_text_items_count(&items), INT32_MAX);
    s->line.is_broken = items.errors > 0;
    return DV_OK;
}

/* --- Marks --- */

/* Separators and quotes of a line, which starts at `text`. */
typedef struct marks {
    const char *text;
    const uint32_t *at, *last;
} marks;

/* The bytes from the start of a line that may be read: some of the next line, where it is at hand.
 */
static size_t readable(const dvi_text_lines *lines, dv_text line)
{
    const uintptr_t at = (uintptr_t)line.data, from = (uintptr_t)lines->span.data;
    const size_t n = (size_t)line.nbytes, padded = (n + MARKS_MORE - 1) / MARKS_MORE * MARKS_MORE;
    const bool is_inside = lines->span.data && at >= from && at - from <= lines->span.nbytes;
    return is_inside && lines->span.nbytes - (at - from) >= padded ? padded : n;
}

static dv_status find_marks(dvi_text_sample *s, dv_text line, marks *m, dv_error *err)
{
    const size_t n = readable(&s->reader.lines, line), room = n + MARKS_MORE;
    DVI_TRY(dvi_memory_reserve(&s->marks, &s->g->allocator, room * sizeof(uint32_t), err));
    uint32_t *at = (uint32_t *)(void *)s->marks->data;
    size_t found = dvi_kernels()->bytes_find(at, room, line.data, n, &s->marking);
    while (found > 0 && at[found - 1] >= (uint64_t)line.nbytes)
        found--;
    *m = (marks){line.data, at, at + found};
    return reserve_fields(s, found + 1, err);
}

/* A field between marks: its text without quotes around it, in which quotes may be doubled. */
typedef struct part {
    const char *from, *to;
    bool is_quoted, is_doubled;
} part;

/* Find the quote that closes a field, whose opening quote is the next mark.  Returns its byte;
 * NULL: there is none. */
static inline const char *find_close(marks *m, char quote, bool *is_doubled)
{
    for (m->at++; m->at < m->last; m->at++) {
        const char *at = m->text + *m->at;
        if (*at != quote)
            continue;
        if (m->at + 1 == m->last || m->at[1] != *m->at + 1 || at[1] != quote) {
            m->at++;
            return at;
        }
        *is_doubled = true;
        m->at++;
    }
    return NULL;
}

/* Read the field at *p, and move it to the separator or the end after the field.  false: its quotes
 * are broken. */
static inline bool read_part(const dvi_text_dialect *d, marks *m, const char **p, const char *end,
                             part *part_out)
{
    *part_out = (part){.is_quoted = false};
    while (d->skips_blanks && *p < end && **p == ' ')
        ++*p;
    part_out->from = *p;
    if (*p == end || !d->allow_quoting || **p != d->quote) {
        while (m->at < m->last && !d->is_separator[(uint8_t)m->text[*m->at]])
            m->at++;
        *p = part_out->to = m->at < m->last ? m->text + *m->at : end;
        return true;
    }
    const char *close = find_close(m, d->quote, &part_out->is_doubled);
    if (!close)
        return false;
    part_out->is_quoted = true;
    part_out->from++;
    part_out->to = close;
    *p = close + 1;
    while (d->skips_blanks && *p < end && **p == ' ')
        ++*p;
    return *p == end || d->is_separator[(uint8_t) * *p];
}

/* Split a line at its marks.  false: quotes are broken. */
static bool split_marked(dvi_text_sample *s, dv_text line, marks m)
{
    const dvi_text_dialect *d = &s->reader.dialect;
    const char *p = line.data, *const end = p + line.nbytes;
    int32_t n = 0;
    part found;
    for (bool has_field = true; has_field; p++, m.at++) {
        dvi_text_field *field = &s->fields[n];
        if (!read_part(d, &m, &p, end, &found))
            return false;
        const dv_text text = {found.from, found.to - found.from};
        if (found.is_doubled)
            *field = dvi_text_field_of(d, (dv_text){text.data - 1, text.nbytes + 2},
                                       (char *)(void *)s->unquoted->data + (text.data - line.data));
        else
            *field = (dvi_text_field){.mark = found.is_quoted   ? DVI_TEXT_QUOTED
                                              : text.nbytes > 0 ? DVI_TEXT_PLAIN
                                                                : DVI_TEXT_BLANK,
                                      .text = text};
        note_extent(s, field->text, n);
        field->index = n++;
        has_field = p < end;
    }
    s->fields_count = (size_t)n;
    s->line.fields = n;
    return true;
}

/* --- Lines that show nothing new --- */

/* Has the line as many fields as the table, all of which look like those before?  It is not split
 * then, and counts as a line. */
static bool is_familiar(dvi_text_sample *s, dv_text line, marks m)
{
    const dvi_text_guess *g = s->g;
    const dvi_text_dialect *d = &s->reader.dialect;
    const char *p = line.data, *const end = p + line.nbytes;
    int32_t n = 0, quoted = 0;
    part found;
    for (bool has_field = true; has_field; p++, m.at++) {
        if ((size_t)n == g->columns_seen || !read_part(d, &m, &p, end, &found) ||
            !dvi_text_guess_is_familiar(g, n, (dv_text){found.from, found.to - found.from},
                                        found.is_doubled))
            return false;
        quoted += found.is_quoted;
        has_field = p < end;
        n++;
    }
    if ((size_t)n != g->columns_seen)
        return false;
    s->line.fields = s->line.extent = n;
    s->line.quoted = quoted;
    return true;
}

/* Can a line be known by its fields?  They are columns, and all that is learned from the first
 * lines alone is known. */
static bool may_be_familiar(const dvi_text_sample *s)
{
    const dvi_text_guess *g = s->g;
    return g->lines >= DVI_TEXT_GUESS_LINES && g->is_undressed && !g->is_narrow &&
           s->columns_count == 0 && !s->line.is_comment && !s->line.is_damaged;
}

dv_status dvi_text_sample_split(dvi_text_sample *s, dv_text line, bool is_first, dv_error *err)
{
    const dvi_text_dialect *d = &s->reader.dialect;
    marks m;
    const bool has_escapes = d->allow_quoting && d->escape != d->quote;
    DVI_TRY(dvi_memory_reserve(&s->unquoted, &s->g->allocator, (size_t)line.nbytes, err));
    if (d->allow_sparse || d->size > 0 || d->merges || d->wide_count > 0 || has_escapes ||
        line.nbytes > MARKED_NBYTES)
        return split_items(s, line, err);
    DVI_TRY(find_marks(s, line, &m, err));
    s->line.is_familiar = !is_first && may_be_familiar(s) && is_familiar(s, line, m);
    return s->line.is_familiar || split_marked(s, line, m) ? DV_OK : split_items(s, line, err);
}
