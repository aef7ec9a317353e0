/* SPDX-License-Identifier: MIT */
/* text_save_rows.c: writes a line of fields: dense ones, then sparse ones if that is shorter.
 * (semantics:6.6) */
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "codec/number.h"
#include "format/text/save/text_save_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEAST_SPARSE 5     /* fewest slots of a sparse part */
#define VALUES_AT_ONCE 256 /* values to reserve room for together */
#define SHORT_NBYTES 32

/* --- Where the sparse part begins --- */

typedef struct split {
    int32_t column; /* the first sparse source; line->count: none */
    int64_t slots;  /* slots of the sparse part */
} split;

/* Count what each source would write as sparse. */
static int64_t count_written(const dvi_text_line *line)
{
    int64_t written = 0;
    for (int32_t k = 0; k < line->count; k++) {
        dvi_text_source *s = &line->sources[k];
        s->written = s->count_items(&s->values, s->item, s->items);
        written += s->written;
    }
    return written;
}

/* Choose the cheapest split: a dense slot costs 1, a sparse slot that is not the default 2.5 (here
 * both doubled); among equal ones the first. */
static split choose(const dvi_text_line *line, int64_t slots)
{
    const split none = {line->count, 0};
    if (line->plan->form.is_dense || slots < LEAST_SPARSE)
        return none;
    int64_t before = 0, written = count_written(line);
    int64_t least = 5 * written, best_before = 0;
    split best = {0, slots};
    for (int32_t k = 0; k < line->count; k++) {
        before += line->sources[k].length;
        written -= line->sources[k].written;
        if (2 * before + 5 * written < least) {
            least = 2 * before + 5 * written;
            best = (split){k + 1, slots - before};
            best_before = before;
        }
    }
    return best.slots < LEAST_SPARSE || best.slots < best_before / 5 ? none : best;
}

/* --- Fields --- */

/* A separator follows each field; the last one becomes the line end. */
static dv_status end_field(const dvi_text_line *line, dv_error *err)
{
    DVI_TRY(dvi_text_writer_reserve(line->out, 1, err));
    *line->out->p++ = line->plan->form.separator;
    return DV_OK;
}

/* Most texts are short: copy a fixed length, and let the next field overwrite the rest. */
static void write_short(dvi_text_writer *out, const dvi_text_source *s, int32_t from, size_t n)
{
    if (n <= SHORT_NBYTES && s->marks.end - from >= SHORT_NBYTES)
        memcpy(out->p, s->values.main + from, SHORT_NBYTES);
    else
        memcpy(out->p, s->values.main + from, n);
    out->p += n;
}

static dv_status write_long(const dvi_text_line *line, const dvi_text_source *s, int64_t i,
                            dv_text text, bool is_quoted, dv_error *err)
{
    if (!is_quoted)
        return dvi_text_write_bytes(line->out, text.data, (size_t)text.nbytes, err);
    DVI_TRY(dvi_text_source_check_breaks(s, line->plan, i, text, err));
    return dvi_text_write_quoted(line->out, text, &line->quoting, err);
}

/* Would a line that begins with this text be skipped? The first byte mostly decides. */
static bool hides(const dvi_text_line *line, dv_text text)
{
    const char c = *text.data;
    return (c == '#' || c == '/' || c == '\xEF') && line->quoting.protects && dvi_text_hides(text);
}

/* Write text i as a field, quoted if needed; NA is blank. is_first: of its line. */
static DVI_ALWAYS_INLINE dv_status write_text(const dvi_text_line *line, dvi_text_source *s,
                                              int64_t i, bool is_first, dv_error *err)
{
    const dvi_text_values *v = &s->values;
    const int32_t from = i > 0 ? dvi_load_i32(v->beside + 4 * (i - 1)) & INT32_MAX : v->first;
    const int32_t end = dvi_load_i32(v->beside + 4 * i);
    if (end < 0)
        return end_field(line, err);
    const size_t n = (size_t)(end - from);
    const dv_text text = {(const char *)v->main + from, end - from};
    const bool is_quoted = n == 0 || *text.data == ' ' ||
                           dvi_text_marks_in(&s->marks, &line->quoting.marks, from, end) ||
                           (is_first && hides(line, text));
    if (is_quoted || (size_t)(line->out->end - line->out->p) <= n + SHORT_NBYTES) {
        DVI_TRY(write_long(line, s, i, text, is_quoted, err));
        return end_field(line, err);
    }
    write_short(line->out, s, from, n);
    *line->out->p++ = line->plan->form.separator;
    return DV_OK;
}

static DVI_ALWAYS_INLINE dv_status write_value(const dvi_text_line *line, const dvi_text_source *s,
                                               int64_t i, dv_error *err)
{
    DVI_TRY(dvi_text_writer_reserve(line->out, DVI_TEXT_PRINT_NBYTES, err));
    char *p = s->print(line->out->p, &s->values, i);
    *p = line->plan->form.separator;
    line->out->p = p + 1;
    return DV_OK;
}

/* Write keys as their values; missing ones are blank. */
static dv_status write_words(const dvi_text_line *line, const dvi_text_source *s, int64_t i,
                             int64_t n, dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++) {
        uint64_t key = 0;
        memcpy(&key, s->values.main + (size_t)i * s->width, s->width);
        if (key - 1 < s->values.key_most) {
            const dv_text word = s->words.word[key - 1];
            DVI_TRY(dvi_text_source_check_word(s, line->plan, i, word, err));
            if (word.nbytes > 0)
                DVI_TRY(dvi_text_write_bytes(line->out, word.data, (size_t)word.nbytes, err));
        }
        DVI_TRY(end_field(line, err));
    }
    return DV_OK;
}

static dv_status write_texts(const dvi_text_line *line, dvi_text_source *s, int64_t i, int64_t n,
                             bool is_first, dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++, is_first = false)
        DVI_TRY(write_text(line, s, i, is_first, err));
    return DV_OK;
}

static dv_status write_values(const dvi_text_line *line, const dvi_text_source *s, int64_t i,
                              int64_t n, dv_error *err)
{
    const char separator = line->plan->form.separator;
    for (const int64_t end = i + n; i < end;) {
        const int64_t stop = dvi_min_i64(end, i + VALUES_AT_ONCE);
        DVI_TRY(
            dvi_text_writer_reserve(line->out, (size_t)(stop - i) * DVI_TEXT_PRINT_NBYTES, err));
        char *p = line->out->p;
        for (; i < stop; i++) {
            p = s->print(p, &s->values, i);
            *p++ = separator;
        }
        line->out->p = p;
    }
    return DV_OK;
}

/* Write n consecutive items. */
static dv_status write_items(const dvi_text_line *line, dvi_text_source *s, int64_t i, int64_t n,
                             bool is_first, dv_error *err)
{
    if (s->words.word)
        return write_words(line, s, i, n, err);
    return s->print ? write_values(line, s, i, n, err) : write_texts(line, s, i, n, is_first, err);
}

static DVI_ALWAYS_INLINE dv_status write_item(const dvi_text_line *line, dvi_text_source *s,
                                              int64_t i, bool is_first, dv_error *err)
{
    if (DVI_UNLIKELY(s->words.word != NULL))
        return write_words(line, s, i, 1, err);
    return s->print ? write_value(line, s, i, err) : write_text(line, s, i, is_first, err);
}

static dv_status write_default(const dvi_text_line *line, const dvi_text_source *s, dv_error *err)
{
    const size_t n = strlen(s->initial);
    DVI_TRY(dvi_text_writer_reserve(line->out, DVI_TEXT_PRINT_NBYTES, err));
    memcpy(line->out->p, s->initial, n);
    line->out->p[n] = line->plan->form.separator;
    line->out->p += n + 1;
    return DV_OK;
}

/* Write all slots, also those without an item. */
static dv_status write_dense(const dvi_text_line *line, dvi_text_source *s, int64_t row,
                             bool is_first, dv_error *err)
{
    if (!s->is_vector)
        return write_item(line, s, row * s->step, is_first, err);
    if (!s->is_sparse)
        return write_items(line, s, s->item, s->items, is_first, err);
    int32_t slot = 0;
    for (int32_t k = 0; k < s->items; k++, slot++) {
        for (const int32_t next = dvi_load_i32(s->index + 4 * k); slot < next; slot++)
            DVI_TRY(write_default(line, s, err));
        DVI_TRY(write_items(line, s, s->item + k, 1, is_first && slot == 0, err));
    }
    for (; slot < s->length; slot++)
        DVI_TRY(write_default(line, s, err));
    return DV_OK;
}

static dv_status write_index(const dvi_text_line *line, int64_t index, dv_error *err)
{
    DVI_TRY(dvi_text_writer_reserve(line->out, DVI_TEXT_PRINT_NBYTES, err));
    line->out->p += dvi_number_print_u8(line->out->p, (uint64_t)index);
    *line->out->p++ = ':';
    return DV_OK;
}

/* Write the items that are not the default. at: position of the source in the sparse part. */
static dv_status write_sparse(const dvi_text_line *line, dvi_text_source *s, int64_t at,
                              dv_error *err)
{
    for (int32_t k = 0; k < s->items; k++) {
        if (!s->count_items(&s->values, s->item + k, 1))
            continue;
        const int32_t slot = s->is_sparse ? dvi_load_i32(s->index + 4 * k) : k;
        DVI_TRY(write_index(line, at + slot, err));
        DVI_TRY(write_items(line, s, s->item + k, 1, false, err));
    }
    return DV_OK;
}

/* Write the length, then the items. A part without items gets one default item, which marks it as
 * sparse. */
static dv_status write_sparse_fields(const dvi_text_line *line, const split *sparse, dv_error *err)
{
    int64_t at = 0, written = 0;
    DVI_TRY(dvi_text_writer_reserve(line->out, DVI_TEXT_PRINT_NBYTES, err));
    line->out->p += dvi_number_print_u8(line->out->p, (uint64_t)sparse->slots);
    *line->out->p++ = line->plan->form.separator;
    for (int32_t k = sparse->column; k < line->count; k++) {
        dvi_text_source *s = &line->sources[k];
        DVI_TRY(write_sparse(line, s, at, err));
        at += s->length;
        written += s->written;
    }
    if (written > 0)
        return DV_OK;
    DVI_TRY(write_index(line, 0, err));
    return write_default(line, &line->sources[sparse->column], err);
}

/* --- A line --- */

/* A line with one blank field would be skipped: write it as a sparse one, or in quotes. */
static dv_status write_blank(const dvi_text_line *line, dv_error *err)
{
    const char sparse[] = {'1', line->plan->form.separator, '0', ':'};
    const bool is_csv = line->plan->form.style == DVI_TEXT_CSV;
    line->out->p--; /* replaces the separator */
    DVI_TRY(
        dvi_text_write_bytes(line->out, is_csv ? "\"\"" : sparse, is_csv ? 2 : sizeof sparse, err));
    *line->out->p++ = line->plan->form.separator;
    return DV_OK;
}

/* A line of nothing but blanks is left out where a CSV is detected. */
static dv_status check_blanks(const dvi_text_line *line, int64_t row, dv_error *err)
{
    char where[32];
    if (line->plan->form.style != DVI_TEXT_CSV ||
        dvi_saving_allows(line->plan->saving, DV_LOSS_TYPES))
        return DV_OK;
    snprintf(where, sizeof where, "row %" PRId64, line->sources->row + row);
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, where,
                    "a value between blanks, or loss types allowed|NA in all columns");
}

static bool is_plain(const dvi_text_plan *plan)
{
    bool has_vectors = false;
    for (int32_t k = 0; k < plan->count; k++)
        has_vectors |= plan->outputs[k].is_vector;
    return !has_vectors && (plan->form.is_dense || plan->slots < LEAST_SPARSE);
}

dvi_text_line dvi_text_line_of(const dvi_text_plan *plan, dvi_text_writer *out,
                               dvi_text_source *sources, int32_t count)
{
    const dvi_text_output *last = &plan->outputs[plan->count - 1];
    return (dvi_text_line){
        .plan = plan,
        .out = out,
        .quoting = dvi_text_quoting_of(plan->form.separator, plan->form.style, plan->slots),
        .sources = sources,
        .count = count,
        .varying = last->slots == 0 ? &sources[count - 1] : NULL,
        .is_plain = is_plain(plan)};
}

/* Move each source to the row. */
static void seek_row(const dvi_text_line *line, int64_t row)
{
    for (dvi_text_source *s = line->sources; s < line->sources + line->count; s++) {
        if (s->is_vector)
            dvi_text_source_next(s, row);
        else
            s->item = row * s->step;
    }
}

dv_status dvi_text_write_line(const dvi_text_line *line, int64_t row, dv_error *err)
{
    if (!line->is_plain)
        seek_row(line, row);
    const int64_t slots = line->plan->slots + (line->varying ? line->varying->length : 0);
    const bool may_vanish = slots == 1 || line->plan->form.separator == ' ';
    const int64_t start = may_vanish ? dvi_text_writer_offset(line->out) : 0;
    DVI_REQUIRE(slots <= DVI_TEXT_SLOTS_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "text", -1, "slots of a row",
                         "at most %" PRId64 "|%" PRId64, DVI_TEXT_SLOTS_MAX, slots));
    const split sparse = choose(line, slots);
    for (int32_t k = 0; k < sparse.column; k++)
        DVI_TRY(write_dense(line, &line->sources[k], row, k == 0, err));
    if (sparse.column < line->count)
        DVI_TRY(write_sparse_fields(line, &sparse, err));
    if (may_vanish && line->quoting.protects && dvi_text_writer_offset(line->out) == start + slots)
        DVI_TRY(slots == 1 ? write_blank(line, err) : check_blanks(line, row, err));
    line->out->p -= slots > 0;
    *line->out->p++ = '\n';
    return dvi_text_writer_reserve(line->out, 1, err);
}
