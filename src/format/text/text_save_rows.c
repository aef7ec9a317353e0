/* SPDX-License-Identifier: MIT */
/* text_save_rows.c: a line of fields: dense, then perhaps sparse.  (semantics.md 6.6) */
#include "base/check.h"
#include "base/load.h"
#include "codec/number.h"
#include "format/text/text_save_priv.h"
#include <inttypes.h>
#include <string.h>

#define LEAST_SPARSE 5 /* slots of a sparse part */

/* --- Where does the sparse part begin? ----------------------------------------------------------
 */

typedef struct split {
    int32_t column; /* the first sparse source; line->count: none */
    int64_t slots;  /* of the sparse part */
} split;

/* What each source would write, and how many slots all of them have. */
static int64_t count_slots(const dvi_text_line *line)
{
    int64_t slots = 0;
    for (int32_t k = 0; k < line->count; k++)
        slots += line->sources[k].length;
    return slots;
}

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

/* The cheapest: a dense slot costs 1, a sparse one 2.5 when it is not the default (here twice as
 * much each); of two as cheap the first. */
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

/* --- Fields -------------------------------------------------------------------------------------
 */

static dv_text text_at(const dvi_text_values *values, int64_t i)
{
    const int32_t from =
        i > 0 ? dvi_load_i32(values->beside + 4 * (i - 1)) & INT32_MAX : values->first;
    const int32_t end = dvi_load_i32(values->beside + 4 * i);
    return (dv_text){(const char *)values->main + from, end < 0 ? -1 : end - from};
}

/* Behind each field stands the separator, the last of which becomes the line's end. */
static dv_status put_text(const dvi_text_line *line, const dvi_text_source *s, int64_t i,
                          bool is_first, dv_error *err)
{
    DVI_TRY(dvi_text_put_field(line->put, text_at(&s->values, i), &line->quoting, is_first, err));
    DVI_TRY(dvi_text_put_room(line->put, 1, err));
    *line->put->p++ = line->plan->form.separator;
    return DV_OK;
}

static dv_status put_value(const dvi_text_line *line, const dvi_text_source *s, int64_t i,
                           dv_error *err)
{
    DVI_TRY(dvi_text_put_room(line->put, DVI_TEXT_PRINT_NBYTES, err));
    char *p = s->print(line->put->p, &s->values, i);
    *p++ = line->plan->form.separator;
    line->put->p = p;
    return DV_OK;
}

/* n items, one behind the other. */
static dv_status put_items(const dvi_text_line *line, const dvi_text_source *s, int64_t i,
                           int64_t n, bool is_first, dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++, is_first = false)
        DVI_TRY(s->print ? put_value(line, s, i, err) : put_text(line, s, i, is_first, err));
    return DV_OK;
}

static dv_status put_default(const dvi_text_line *line, const dvi_text_source *s, dv_error *err)
{
    const size_t n = strlen(s->initial);
    DVI_TRY(dvi_text_put_room(line->put, DVI_TEXT_PRINT_NBYTES, err));
    memcpy(line->put->p, s->initial, n);
    line->put->p[n] = line->plan->form.separator;
    line->put->p += n + 1;
    return DV_OK;
}

/* All slots, those without an item too. */
static dv_status put_dense(const dvi_text_line *line, const dvi_text_source *s, bool is_first,
                           dv_error *err)
{
    if (!s->is_sparse)
        return put_items(line, s, s->item, s->items, is_first, err);
    int32_t slot = 0;
    for (int32_t k = 0; k < s->items; k++, slot++) {
        for (const int32_t next = dvi_load_i32(s->index + 4 * k); slot < next; slot++)
            DVI_TRY(put_default(line, s, err));
        DVI_TRY(put_items(line, s, s->item + k, 1, is_first && slot == 0, err));
    }
    for (; slot < s->length; slot++)
        DVI_TRY(put_default(line, s, err));
    return DV_OK;
}

static dv_status put_index(const dvi_text_line *line, int64_t index, dv_error *err)
{
    DVI_TRY(dvi_text_put_room(line->put, DVI_TEXT_PRINT_NBYTES, err));
    line->put->p += dvi_number_print_u8(line->put->p, (uint64_t)index);
    *line->put->p++ = ':';
    return DV_OK;
}

/* The items that are not the default; at: where the source begins in the sparse part. */
static dv_status put_sparse(const dvi_text_line *line, const dvi_text_source *s, int64_t at,
                            dv_error *err)
{
    for (int32_t k = 0; k < s->items; k++) {
        if (!s->count_items(&s->values, s->item + k, 1))
            continue;
        const int32_t slot = s->is_sparse ? dvi_load_i32(s->index + 4 * k) : k;
        DVI_TRY(put_index(line, at + slot, err));
        DVI_TRY(put_items(line, s, s->item + k, 1, false, err));
    }
    return DV_OK;
}

/* The length, then the items; a part without any has a default, by which it is known as sparse. */
static dv_status put_sparse_part(const dvi_text_line *line, const split *part, dv_error *err)
{
    int64_t at = 0, written = 0;
    DVI_TRY(dvi_text_put_room(line->put, DVI_TEXT_PRINT_NBYTES, err));
    line->put->p += dvi_number_print_u8(line->put->p, (uint64_t)part->slots);
    *line->put->p++ = line->plan->form.separator;
    for (int32_t k = part->column; k < line->count; k++) {
        const dvi_text_source *s = &line->sources[k];
        DVI_TRY(put_sparse(line, s, at, err));
        at += s->length;
        written += s->written;
    }
    if (written > 0)
        return DV_OK;
    DVI_TRY(put_index(line, 0, err));
    return put_default(line, &line->sources[part->column], err);
}

/* --- A line -------------------------------------------------------------------------------------
 */

/* A line of one field that is blank would be passed over: it becomes a sparse one. */
static dv_status put_blank(const dvi_text_line *line, dv_error *err)
{
    const char text[] = {'1', line->plan->form.separator, '0', ':'};
    line->put->p--; /* the separator */
    DVI_TRY(dvi_text_put_bytes(line->put, text, sizeof text, err));
    *line->put->p++ = line->plan->form.separator;
    return DV_OK;
}

dv_status dvi_text_put_line(const dvi_text_line *line, dv_error *err)
{
    const int64_t slots = count_slots(line), start = dvi_text_put_at(line->put);
    DVI_REQUIRE(slots <= DVI_TEXT_SLOTS_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "text", -1, "slots of a row",
                         "at most %" PRId64 "|%" PRId64, DVI_TEXT_SLOTS_MAX, slots));
    const split part = choose(line, slots);
    for (int32_t k = 0; k < part.column; k++)
        DVI_TRY(put_dense(line, &line->sources[k], k == 0, err));
    if (part.column < line->count)
        DVI_TRY(put_sparse_part(line, &part, err));
    if (slots == 1 && line->quoting.protects && dvi_text_put_at(line->put) == start + 1)
        DVI_TRY(put_blank(line, err));
    line->put->p -= slots > 0;
    *line->put->p++ = '\n';
    return dvi_text_put_room(line->put, 1, err);
}
