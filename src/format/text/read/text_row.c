/* SPDX-License-Identifier: MIT */
/* text_row.c: parses a line into a row by the general path.
 *
 * Fields are read in the order of source columns. At the end of the row the number of slots of each
 * vector is known, and whether few enough are recorded to store it as sparse. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "format/text/read/text_rows_priv.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONG_TEXT_NBYTES 4096

static const dvi_text_value none = {.text = {"", 0}}; /* the default of every type */

/* --- Values --- */

/* Count nbytes against the limit of the row. */
static dv_status charge(dvi_text_rows *r, int64_t nbytes, dv_error *err)
{
    DVI_REQUIRE(nbytes <= r->limit - r->row_nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", -1, "memory of a row",
                         "at most %" PRId64 " bytes (option cursor_nbytes)|more", r->limit));
    r->row_nbytes += nbytes;
    return DV_OK;
}

static dv_status reserve(dvi_text_rows *r, dvi_text_values *v, int64_t more, dv_error *err)
{
    const size_t n = (size_t)v->n, need = n + (size_t)more;
    DVI_TRY(charge(r, more * (int64_t)(v->width + v->beside_width), err));
    if (v->beside_width > 0)
        DVI_TRY(dvi_memory_extend(&v->beside, v->beside_width * n, v->beside_width * need,
                                  &r->allocator, err));
    return v->width == 0
               ? DV_OK
               : dvi_memory_extend(&v->main, v->width * n, v->width * need, &r->allocator, err);
}

/* The most bytes that a text can become. Long texts are checked, because most are valid UTF-8 and
 * need a third of the worst case. */
static int64_t room_for(dv_text text)
{
    size_t units;
    if (text.nbytes <= 0)
        return 0;
    if (text.nbytes > LONG_TEXT_NBYTES &&
        dvi_kernels()->utf8_units(text.data, (size_t)text.nbytes, &units) == (size_t)text.nbytes)
        return text.nbytes;
    return text.nbytes <= INT64_MAX / 3 ? 3 * text.nbytes : INT64_MAX;
}

static dv_status append_text(dvi_text_rows *r, dvi_text_values *v, dv_text text, dv_error *err)
{
    const int64_t room = room_for(text);
    DVI_TRY(charge(r, room, err));
    DVI_REQUIRE(room <= INT32_MAX - v->nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of a batch",
                         "at most 2^31-1 bytes|perhaps %" PRId64, v->nbytes + room));
    DVI_TRY(dvi_memory_extend(&v->main, (size_t)v->nbytes, (size_t)(v->nbytes + room),
                              &r->allocator, err));
    v->nbytes += (int64_t)dvi_text_copy(v->main->data + v->nbytes, text, &r->faults.ill_formed);
    const uint32_t na = text.nbytes < 0 ? UINT32_C(1) << 31 : 0;
    dvi_store_u32(v->beside->data + 4 * v->n++, (uint32_t)v->nbytes | na);
    return DV_OK;
}

/* Append a value. There is room, except for its text. */
static dv_status append(dvi_text_rows *r, dvi_text_values *v, const dvi_text_value *value,
                        dv_error *err)
{
    if (v->layout == DV_LAYOUT_TEXT)
        return append_text(r, v, value->text, err);
    memcpy(v->main->data + v->width * (size_t)v->n, value->bits, v->width);
    if (v->layout == DV_LAYOUT_ZONED)
        memcpy(v->beside->data + 2 * v->n, &value->bits[1], 2);
    v->n++;
    return DV_OK;
}

/* --- A row --- */

static dv_status reserve_item(dvi_text_rows *r, dvi_text_builder *c, dv_error *err)
{
    DVI_TRY(charge(r, (int64_t)sizeof *c->items, err));
    if (c->items_count < c->items_cap)
        return DV_OK;
    void *items = c->items;
    DVI_TRY(dvi_array_reserve(&r->allocator, &items, &c->items_cap, c->items_count + 1,
                              sizeof *c->items, err));
    c->items = items;
    return DV_OK;
}

dv_status dvi_text_rows_record(dvi_text_rows *r, dvi_text_builder *c, int32_t segment, int64_t slot,
                               const dvi_text_field *field, dv_error *err)
{
    DVI_TRY(reserve_item(r, c, err));
    dvi_text_record *to = &c->items[c->items_count];
    const dvi_text_verdict verdict =
        dvi_text_read_value(&to->value, &c->item_type, field, &r->reading);
    r->faults.bad_values += verdict == DVI_TEXT_BAD;
    to->slot = slot;
    to->segment = segment;
    c->items_count += verdict != DVI_TEXT_NOTHING;
    return DV_OK;
}

/* With missingrealnan, reals missing at the end of a line are NaN. Gaps between sparse items are
 * not: a line could ask for 2^31 of them. */
static dv_status record_absent(dvi_text_rows *r, dvi_text_builder *c, int64_t count, dv_error *err)
{
    if (c->item_type.kind != DV_KIND_R4 && c->item_type.kind != DV_KIND_R8)
        return DV_OK;
    for (int32_t k = 0; k < c->source->segments_count; k++) {
        const dvi_text_segment *s = &c->source->segments[k];
        if (s->end == DVI_TEXT_NO_END)
            continue;
        for (int64_t at = dvi_max_i64(s->first, count); at < s->end; at++) {
            DVI_TRY(reserve_item(r, c, err));
            c->items[c->items_count++] =
                (dvi_text_record){at - s->first, k, dvi_text_default(&c->item_type, &r->reading)};
        }
    }
    return DV_OK;
}

static dv_status read_fields(dvi_text_rows *r, dvi_text_items *fields, dv_error *err)
{
    const dvi_text_targets *t = &r->targets;
    size_t interval = 0;
    int64_t source;
    dvi_text_field field;
    while ((r->reads_all || interval < t->intervals_count) &&
           dvi_text_items_next(fields, &source, &field)) {
        while (interval < t->intervals_count && source >= t->intervals[interval].end)
            interval++;
        if (interval == t->intervals_count)
            continue;
        const dvi_text_interval *in = &t->intervals[interval];
        for (size_t i = 0; i < in->n; i++) {
            const dvi_text_target *to = &t->targets[in->first + i];
            DVI_TRY(dvi_text_rows_record(r, &r->columns[to->column], to->segment,
                                         source - to->first, &field, err));
        }
    }
    return DV_OK;
}

static int compare(const void *a, const void *b)
{
    const dvi_text_record *x = a, *y = b;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The slots of the segment without an end, in a line of `count` source columns. */
static int64_t variable_slots(const dvi_text_column *source, int64_t count)
{
    if (source->variable < 0)
        return 0;
    return dvi_max_i64(0, count - source->segments[source->variable].first);
}

/* Turn the items' slots within segments into slots of the vector, and sort them. */
static void assign_slots(dvi_text_builder *c, int64_t variable)
{
    const dvi_text_column *s = c->source;
    bool rises = true;
    for (size_t i = 0; s->segments_count > 1 && i < c->items_count; i++) {
        const int32_t k = c->items[i].segment;
        c->items[i].slot += s->segments[k].slot;
        c->items[i].slot += s->variable >= 0 && k > s->variable ? variable : 0;
    }
    for (size_t i = 1; i < c->items_count; i++)
        rises &= c->items[i].slot > c->items[i - 1].slot;
    if (!rises)
        qsort(c->items, c->items_count, sizeof *c->items, compare);
}

/* Append a value for every slot; the default if it has no item. */
static dv_status append_dense(dvi_text_rows *r, dvi_text_builder *c, int64_t slots, dv_error *err)
{
    size_t next = 0;
    DVI_TRY(reserve(r, &c->values, slots, err));
    for (int64_t slot = 0; slot < slots; slot++) {
        const bool has_item = next < c->items_count && c->items[next].slot == slot;
        DVI_TRY(append(r, &c->values, has_item ? &c->items[next].value : &none, err));
        next += has_item;
    }
    return DV_OK;
}

static dv_status append_sparse(dvi_text_rows *r, dvi_text_builder *c, dv_error *err)
{
    const size_t at = (size_t)c->indices_count, n = c->items_count;
    DVI_TRY(reserve(r, &c->values, (int64_t)n, err));
    DVI_TRY(charge(r, 4 * (int64_t)n, err));
    DVI_TRY(dvi_memory_extend(&c->indices, 4 * at, 4 * (at + n), &r->allocator, err));
    for (size_t i = 0; i < n; i++) {
        dvi_store_i32(c->indices->data + 4 * (at + i), (int32_t)c->items[i].slot);
        DVI_TRY(append(r, &c->values, &c->items[i].value, err));
    }
    c->indices_count += (int64_t)n;
    return DV_OK;
}

dv_status dvi_text_rows_append_vector(dvi_text_rows *r, dvi_text_builder *c, int64_t row,
                                      int64_t count, dv_error *err)
{
    const int64_t variable = variable_slots(c->source, count);
    const int64_t slots = c->source->fixed_slots + variable;
    const size_t at = 4 * (size_t)row;
    DVI_REQUIRE(slots <= INT32_MAX, dvi_fail(err, DV_ERR_LIMIT, "text", -1, "slots of a vector",
                                             "at most 2^31-1|%" PRId64, slots));
    assign_slots(c, variable);
    DVI_TRY(dvi_memory_extend(&c->counts, at, at + 4, &r->allocator, err));
    DVI_TRY(dvi_memory_extend(&c->lengths, at, at + 4, &r->allocator, err));
    const bool is_sparse = c->items_count <= (size_t)slots / 2 && slots > 0;
    dvi_store_i32(c->counts->data + at, is_sparse ? (int32_t)c->items_count : -1);
    dvi_store_i32(c->lengths->data + at, (int32_t)slots);
    return is_sparse ? append_sparse(r, c, err) : append_dense(r, c, slots, err);
}

static dv_status append_scalar(dvi_text_rows *r, dvi_text_builder *c, dv_error *err)
{
    DVI_TRY(reserve(r, &c->values, 1, err));
    return append(r, &c->values, c->items_count > 0 ? &c->items[0].value : &none, err);
}

dv_status dvi_text_rows_add(dvi_text_rows *r, dv_text line, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(&r->unquoted, &r->allocator, (size_t)line.nbytes, err));
    dvi_text_items fields = dvi_text_items_of(&r->dialect, line, (char *)(void *)r->unquoted->data);
    for (int32_t k = 0; k < r->columns_count; k++)
        r->columns[k].items_count = 0;
    r->row_nbytes = 0;
    DVI_TRY(read_fields(r, &fields, err));
    r->faults.format_errors += fields.errors;
    const int64_t count = r->reads_all ? dvi_text_items_count(&fields) : 0;
    for (int32_t k = 0; k < r->columns_count; k++) {
        dvi_text_builder *c = &r->columns[k];
        if (r->reading.missing_real_nan)
            DVI_TRY(record_absent(r, c, count, err));
        DVI_TRY(c->is_vector ? dvi_text_rows_append_vector(r, c, r->rows, count, err)
                             : append_scalar(r, c, err));
    }
    r->rows++;
    return DV_OK;
}
