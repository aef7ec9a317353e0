/* SPDX-License-Identifier: MIT */
/* reading.c: reads tables, and checks what batch.h and value.h promise of every value. */
#include "reading.h"
#include "meter.h"
#include "support/again.h"
#include <stdlib.h>
#include <string.h>

#define RETRIES 3
#define LOOKED_AT_ROWS 64
#define TICKS_PER_MINUTE INT64_C(600000000)
#define WRITTEN_COST 2048 /* later values are only hashed */

/* --- Hashes ----------------------------------------------------------------------------------- */

uint64_t dvt_hash_number(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9FB21C651E98DF25);
    return hash ^ hash >> 32;
}

uint64_t dvt_hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const char *p = data;
    hash = dvt_hash_number(hash, n);
    for (size_t left = n; left > 0;) {
        const size_t step = left < 8 ? left : 8;
        uint64_t word = 0;
        memcpy(&word, p, step);
        hash = dvt_hash_number(hash, word);
        p += step;
        left -= step;
    }
    return hash;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* Checks UTF-8 that arrives in pieces. */
typedef struct utf8_state {
    uint8_t left, low, high; /* bytes to come, and the range of the next one */
} utf8_state;

static bool utf8_is_next(utf8_state *s, uint8_t c)
{
    if (s->left > 0) {
        if (c < s->low || c > s->high)
            return false;
        *s = (utf8_state){(uint8_t)(s->left - 1), 0x80, 0xBF};
        return true;
    }
    if (c < 0x80)
        return true;
    if (c < 0xC2 || c > 0xF4)
        return false;
    const uint8_t low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    *s = (utf8_state){c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3, low, high};
    return true;
}

static bool is_utf8(const char *text, size_t n)
{
    utf8_state s = {0, 0, 0};
    for (size_t i = 0; i < n; i++)
        if (!utf8_is_next(&s, (uint8_t)text[i]))
            return false;
    return s.left == 0;
}

static uint64_t hash_fixed(uint64_t hash, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    switch (dv_kind_width(type->kind)) {
    case 1:
        if (type->kind == DV_KIND_BL) {
            const int8_t b = dv_value_i1(value);
            DVT_CHECK(b == 0 || b == 1 || b == DV_BL_NA);
        }
        return dvt_hash_number(hash, dv_value_u1(value));
    case 2:
        return dvt_hash_number(hash, dv_value_u2(value));
    case 4:
        return dvt_hash_number(hash, dv_value_u4(value));
    case 8:
        if (type->kind == DV_KIND_DT) {
            const int64_t ticks = dv_value_i8(value);
            DVT_CHECK(ticks == DV_TICKS_NA || (ticks >= 0 && ticks <= DV_TICKS_MAX));
        }
        return dvt_hash_number(hash, dv_value_u8(value));
    default:
        DVT_CHECK(type->kind == DV_KIND_UG);
        const dv_u128 id = dv_value_ug(value);
        return dvt_hash_number(dvt_hash_number(hash, id.lo), id.hi);
    }
}

static uint64_t hash_zoned(uint64_t hash, const dv_value *value)
{
    const dv_zoned z = dv_value_dz(value);
    if (z.ticks == DV_TICKS_NA)
        return dvt_hash_number(hash, 1);
    const int64_t utc = z.ticks - z.minutes * TICKS_PER_MINUTE;
    DVT_CHECK(z.ticks >= 0 && z.ticks <= DV_TICKS_MAX && z.minutes >= -840 && z.minutes <= 840);
    DVT_CHECK(utc >= 0 && utc <= DV_TICKS_MAX);
    return dvt_hash_number(dvt_hash_number(hash, (uint64_t)z.ticks), (uint16_t)z.minutes);
}

static uint64_t hash_text(uint64_t hash, const dv_value *value, int64_t *cost)
{
    const dv_text text = dv_value_tx(value);
    DVT_CHECK(dv_value_is_na(value) == (text.nbytes < 0));
    if (text.nbytes < 0)
        return dvt_hash_number(hash, UINT64_MAX);
    DVT_CHECK(value->column->type.kind == DV_KIND_BY || is_utf8(text.data, (size_t)text.nbytes));
    *cost += text.nbytes / 8;
    return dvt_hash_bytes(hash, text.data, (size_t)text.nbytes);
}

static uint64_t hash_vector(uint64_t hash, const dv_value *value, int64_t *cost)
{
    const dv_type *type = &value->column->type;
    const int32_t items = dv_value_items(value);
    DVT_CHECK(value->length >= 0 && (type->size == 0 || value->length == type->size));
    DVT_CHECK(value->count == -1 || (value->count >= 0 && value->count < value->length));
    DVT_CHECK(items == (value->count < 0 ? value->length : value->count));
    hash = dvt_hash_number(hash, (uint32_t)value->length);
    hash = dvt_hash_number(hash, (uint32_t)value->count);
    int32_t before = -1;
    for (int32_t i = 0; i < items; i++) {
        const int32_t slot = dv_value_slot(value, i);
        DVT_CHECK(slot > before && slot < value->length);
        before = slot;
        const dv_value item = dv_value_item(value, i);
        DVT_CHECK(item.column->layout != DV_LAYOUT_VECTOR && item.row < item.column->rows);
        hash = dvt_hash_value(dvt_hash_number(hash, (uint32_t)slot), &item, cost);
    }
    return hash;
}

uint64_t dvt_hash_value(uint64_t hash, const dv_value *value, int64_t *cost)
{
    ++*cost;
    switch (value->column->layout) {
    case DV_LAYOUT_FIXED:
        return hash_fixed(hash, value);
    case DV_LAYOUT_ZONED:
        return hash_zoned(hash, value);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return hash_text(hash, value, cost);
    case DV_LAYOUT_VECTOR:
        return hash_vector(hash, value, cost);
    }
    DVT_CHECK(value->column->layout == DV_LAYOUT_FIXED); /* none of them */
    return hash;
}

/* --- Text ------------------------------------------------------------------------------------- */

/* Checks what is written. */
typedef struct text_state {
    utf8_state utf8;
    bool is_json, is_quoted, is_escaped;
    int depth;
    size_t nbytes;
} text_state;

static bool look(void *ctx, const char *data, size_t n)
{
    text_state *s = ctx;
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = (uint8_t)data[i];
        DVT_CHECK(utf8_is_next(&s->utf8, c));
        if (!s->is_json)
            continue;
        DVT_CHECK(c >= 0x20);
        if (s->is_escaped)
            s->is_escaped = false;
        else if (s->is_quoted && c == '\\')
            s->is_escaped = true;
        else if (c == '"')
            s->is_quoted = !s->is_quoted;
        else if (!s->is_quoted)
            s->depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        DVT_CHECK(s->depth >= 0);
    }
    s->nbytes += n;
    return true;
}

void dvt_write_value(const dv_value *value)
{
    for (int style = 0; style < 2; style++) {
        text_state s = {.is_json = style == 1};
        const dv_sink sink = {look, &s};
        DVT_CHECK(dv_value_write(value, s.is_json ? DV_STYLE_EXACT : DV_STYLE_TEXT, &sink));
        DVT_CHECK(s.utf8.left == 0 && !s.is_quoted && !s.is_escaped && s.depth == 0);
        DVT_CHECK(!s.is_json || s.nbytes > 0);
    }
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The state of a reading. */
typedef struct state {
    const dvt_reading *reading;
    dvt_answer *answer;
    int64_t view_row; /* number of the next row in the view */
} state;

static bool is_done(const state *s)
{
    const dvt_reading *w = s->reading;
    return (w->rows > 0 && s->answer->rows >= w->rows) ||
           (w->cost > 0 && s->answer->cost >= w->cost);
}

static void take_value(state *s, int32_t k, const dv_value *value)
{
    const dvt_reading *w = s->reading;
    uint64_t *hash = &s->answer->hash[k], *marked = &s->answer->marked[k];
    *hash = dvt_hash_value(*hash, value, &s->answer->cost);
    int64_t free_of_cost = 0;
    if (s->view_row >= w->marked_row && s->view_row < w->marked_end)
        *marked = dvt_hash_value(*marked, value, &free_of_cost);
    DVT_CHECK(dv_value_same(value, value));
    dv_value_is_default(value);
    const bool has_na = dv_value_is_na(value);
    DVT_CHECK(!has_na || dv_type_has_na(&value->column->type));
    if (w->writes && s->answer->cost < WRITTEN_COST)
        dvt_write_value(value);
}

static void end_row(state *s)
{
    s->answer->rows++;
    s->answer->cost++;
    s->view_row++;
}

static bool is_long_enough(const dv_buffer *buffer, int64_t items, int64_t width)
{
    const bool is_aligned = buffer->nbytes == 0 || (uintptr_t)buffer->data % (size_t)width == 0;
    return (int64_t)buffer->nbytes >= items * width && (is_aligned || !buffer->is_aligned);
}

/* Ends do not decrease, and NA repeats the one before. */
static void check_text_layout(const dv_column_view *column)
{
    const dv_text_layout *text = &column->as.text;
    const char *ends = text->ends.data;
    int32_t before = text->first;
    DVT_CHECK(is_long_enough(&text->ends, column->rows, 4) && before >= 0);
    for (int64_t i = 0; i < column->rows && i < LOOKED_AT_ROWS; i++) {
        uint32_t end;
        memcpy(&end, ends + 4 * i, 4);
        const int32_t at = (int32_t)(end & INT32_MAX);
        DVT_CHECK(end > INT32_MAX ? at == before : at >= before);
        DVT_CHECK((size_t)at <= text->utf8.nbytes);
        before = at;
    }
}

/* Buffers hold what batch.h says. */
static void check_layout(const dv_column_view *column)
{
    const int64_t rows = column->rows;
    const dv_vector_layout *v = &column->as.vector;
    switch (column->layout) {
    case DV_LAYOUT_FIXED:
        DVT_CHECK((int64_t)column->as.fixed.values.nbytes >=
                  rows * dv_kind_width(column->type.kind));
        return;
    case DV_LAYOUT_ZONED:
        DVT_CHECK(is_long_enough(&column->as.zoned.ticks, rows, 8));
        DVT_CHECK(is_long_enough(&column->as.zoned.minutes, rows, 2));
        return;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        check_text_layout(column);
        return;
    case DV_LAYOUT_VECTOR:
        DVT_CHECK(is_long_enough(&v->counts, rows, 4) && v->index_base >= 0 && v->item_base >= 0);
        DVT_CHECK(v->lengths.nbytes == 0 || is_long_enough(&v->lengths, rows, 4));
        DVT_CHECK(is_long_enough(&v->indices, v->index_base, 4));
        DVT_CHECK(v->items->layout != DV_LAYOUT_VECTOR && v->item_base <= v->items->rows);
        check_layout(v->items);
    }
}

/* The starts of the rows of a vector column, at once and row by row, are equal. */
static void check_offsets(const dv_batch *batch, int32_t k)
{
    const dv_column_view *column = dv_batch_column(batch, k);
    const int64_t *indices, *items;
    const dv_status status = dv_vector_offsets(batch, k, &indices, &items, NULL);
    DVT_CHECK((status == DV_OK) == (column->layout == DV_LAYOUT_VECTOR));
    dv_value value = dv_value_first(column);
    for (int64_t row = 0; status == DV_OK && row < batch->rows && row < LOOKED_AT_ROWS; row++) {
        DVT_CHECK(indices[row] == value.index && items[row] == value.item);
        const dv_value same = dv_value_at(column, row);
        DVT_CHECK(same.index == value.index && same.item == value.item);
        DVT_CHECK(same.length == value.length && same.count == value.count);
        dv_value_next(&value);
        DVT_CHECK(indices[row + 1] == value.index && items[row + 1] == value.item);
    }
}

static void take_batch(state *s, const dv_batch *batch)
{
    dv_value values[DVT_READ_COLUMNS];
    const int32_t n = s->reading->columns_count;
    DVT_CHECK(batch->rows >= 1 && batch->columns == n);
    DVT_CHECK(batch->position == s->answer->rows && batch->first_row == s->view_row);
    DVT_CHECK(s->reading->batch_rows == 0 || batch->rows <= s->reading->batch_rows);
    DVT_CHECK((batch->ids != NULL) == s->reading->ids);
    for (int32_t k = 0; k < n; k++) {
        const dv_column_view *column = dv_batch_column(batch, k);
        DVT_CHECK(column->rows == batch->rows);
        values[k] = dv_value_first(column);
        check_layout(column);
        if (s->reading->writes)
            check_offsets(batch, k);
    }
    for (int64_t row = 0; row < batch->rows && !is_done(s); row++) {
        for (int32_t k = 0; k < n; k++) {
            if (row > 0)
                dv_value_next(&values[k]);
            take_value(s, k, &values[k]);
        }
        DVT_CHECK(!s->reading->ids || s->reading->own_ids ||
                  batch->ids[row].lo == (uint64_t)s->view_row);
        end_row(s);
    }
}

/* A row cursor skips the first rows on its own. */
static bool skips_rows(const dvt_reading *reading)
{
    return reading->by_row && reading->by_skip && reading->first_row > 0;
}

static dv_cursor_options options_of(const dvt_reading *reading)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    if (!reading->by_default) {
        options.columns = reading->columns;
        options.columns_count = reading->columns_count;
    }
    options.threads = reading->threads;
    options.batch_rows = reading->batch_rows;
    options.zero_copy_only = reading->zero_copy_only;
    options.ids = reading->ids;
    if (skips_rows(reading)) {
        options.end_row = reading->end_row;
    } else if (reading->by_skip) {
        options.skip = reading->first_row;
        options.take = reading->end_row < 0 ? -1 : reading->end_row - reading->first_row;
    } else {
        options.first_row = reading->first_row;
        options.end_row = reading->end_row;
    }
    return options;
}

static void read_batches(state *s, dv_view *view)
{
    const dv_cursor_options options = options_of(s->reading);
    dvt_answer *a = s->answer;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int failures = 0;
    a->status = dvt_open_again(&cursor, view, &options, &failures, &a->err);
    DVT_CHECK((a->status == DV_OK) == (cursor != NULL));
    while (a->status == DV_OK && !is_done(s)) {
        a->status = dvt_next_again(&cursor, view, &options, &batch, &failures, &a->err);
        DVT_CHECK((a->status == DV_OK) == (batch != NULL));
        if (a->status == DV_OK)
            take_batch(s, batch);
    }
    if (cursor && a->status != DV_OK) /* a second call returns the same */
        DVT_CHECK(dv_cursor_next(cursor, &batch, NULL) == a->status);
    dv_cursor_close(&cursor);
}

#define COUNT_GETTER(name, ctype)                                                                  \
    static bool has_##name(const dv_row_cursor *cursor, int32_t column)                            \
    {                                                                                              \
        ctype value;                                                                               \
        return dv_row_##name(cursor, column, &value, NULL) == DV_OK;                               \
    }
DV_ROW_GETTER_LIST(COUNT_GETTER)
#define LIST_GETTER(name, ctype) has_##name,
static bool (*const getters[])(const dv_row_cursor *cursor,
                               int32_t column) = {DV_ROW_GETTER_LIST(LIST_GETTER)};

/* Exactly one typed getter accepts a scalar, and none a vector. */
static void check_getters(const dv_row_cursor *cursor, int32_t column, bool is_vector)
{
    int fitting = 0;
    for (size_t i = 0; i < sizeof getters / sizeof *getters; i++)
        fitting += getters[i](cursor, column);
    DVT_CHECK(fitting == (is_vector ? 0 : 1));
}

static void take_row(state *s, const dv_row_cursor *cursor)
{
    dv_u128 id;
    const int64_t skipped = skips_rows(s->reading) ? s->reading->first_row : 0;
    DVT_CHECK(dv_row_position(cursor) == skipped + s->answer->rows);
    DVT_CHECK(dv_row_id(cursor, &id, NULL) == DV_OK);
    DVT_CHECK(s->reading->own_ids || id.lo == (uint64_t)s->view_row);
    for (int32_t k = 0; k < s->reading->columns_count; k++) {
        dv_value value;
        DVT_CHECK(dv_row_is_active(cursor, s->reading->columns[k]));
        DVT_CHECK(dv_row_value(cursor, s->reading->columns[k], &value, NULL) == DV_OK);
        if (s->answer->rows < LOOKED_AT_ROWS)
            check_getters(cursor, s->reading->columns[k], value.column->layout == DV_LAYOUT_VECTOR);
        take_value(s, k, &value);
    }
    end_row(s);
}

static dv_status open_rows(state *s, dv_view *view, dv_row_cursor **cursor)
{
    const dv_cursor_options options = options_of(s->reading);
    int tries = RETRIES;
    dv_status status;
    dv_row_cursor_close(cursor);
    do
        status = dv_row_cursor_open(cursor, view, &options, &s->answer->err);
    while (status == DV_ERR_MEMORY && tries-- > 0);
    DVT_CHECK((status == DV_OK) == (*cursor != NULL));
    return status;
}

/* Move to the next row; after DV_ERR_MEMORY with another cursor, from the beginning or at the
 * token. */
static dv_status next_row(state *s, dv_view *view, dv_row_cursor **cursor)
{
    const dv_cursor_options options = options_of(s->reading);
    dvt_answer *a = s->answer;
    for (int tries = RETRIES;; tries--) {
        const bool skips = skips_rows(s->reading) && a->rows == 0;
        const dv_status moved = skips ? dv_row_skip(*cursor, s->reading->first_row + 1, &a->err)
                                      : dv_row_next(*cursor, &a->err);
        if (moved != DV_ERR_MEMORY || tries == 0)
            return moved;
        const dv_status status = a->rows == 0 ? open_rows(s, view, cursor)
                                              : dvt_row_again(cursor, view, &options, &a->err);
        if (status != DV_OK)
            return status;
    }
}

static void read_rows(state *s, dv_view *view)
{
    dv_row_cursor *cursor = NULL;
    s->answer->status = open_rows(s, view, &cursor);
    while (s->answer->status == DV_OK && !is_done(s)) {
        s->answer->status = next_row(s, view, &cursor);
        if (s->answer->status == DV_OK)
            take_row(s, cursor);
    }
    dv_row_cursor_close(&cursor);
}

dvt_answer dvt_read_view(dv_view *view, const dvt_reading *reading)
{
    dvt_answer answer = {.err = DV_ERROR_INIT};
    state s = {reading, &answer, reading->first_row};
    if (reading->by_row)
        read_rows(&s, view);
    else
        read_batches(&s, view);
    if (answer.status >= 0)
        answer.err = (dv_error)DV_ERROR_INIT;
    else
        DVT_CHECK(answer.err.status == answer.status);
    return answer;
}

bool dvt_answer_same(const dvt_answer *a, const dvt_answer *b)
{
    return a->status == b->status && strcmp(a->err.rule, b->err.rule) == 0 &&
           a->err.offset == b->err.offset && a->rows == b->rows &&
           memcmp(a->hash, b->hash, sizeof a->hash) == 0;
}
