/* SPDX-License-Identifier: MIT */
/* text_rows.c: lines become columns, a row at a time.
 *
 * The fields of a row are read as they come, in the order of source columns.  When the row is
 * complete its vectors are known: how many slots they have, and whether few enough are recorded
 * for a sparse one. */
#include "format/text/text_rows.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/column.h"
#include "format/text/text_targets.h"
#include "format/text/text_value.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_NBYTES 64
#define LONG_TEXT_NBYTES 4096

static const dvi_text_value none = {.text = {"", 0}}; /* the default of every type */

/* A recorded item of the row: first where it belongs, then its slot. */
typedef struct item {
    int64_t slot; /* within its segment; then of the vector */
    int32_t segment;
    dvi_text_value value;
} item;

/* Values of a kind, one behind the other. */
typedef struct values {
    dv_type type;
    dv_layout layout;
    size_t width;        /* of one in `main`; of text 0 */
    size_t beside_width; /* of one in `beside`; 0: there is none */
    dvi_memory *main;    /* values, ticks or UTF-8 */
    dvi_memory *beside;  /* minutes, or ends of text */
    int64_t n, nbytes;   /* values; bytes of text */
} values;

typedef struct column {
    const dvi_text_column *source;
    dv_type item_type;
    bool is_vector;
    values values;
    item *items; /* of this row */
    size_t items_count, items_cap;
    dvi_memory *counts, *lengths, *indices;
    int64_t indices_count;
} column;

struct dvi_text_rows {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_text_dialect dialect;
    dvi_text_reading reading;
    dvi_text_targets targets;
    column *columns;
    int32_t columns_count;
    bool reads_all; /* a column varies, or wants to know what is absent: its end matters */
    dvi_memory *unquoted;
    int64_t limit, row_nbytes; /* of a row: at most, and of this one so far */
    int64_t rows;
    dvi_text_faults faults;
};

/* --- Values, one behind the other --------------------------------------------------------------
 */

/* The row takes so many bytes more. */
static dv_status charge(dvi_text_rows *r, int64_t nbytes, dv_error *err)
{
    DVI_REQUIRE(nbytes <= r->limit - r->row_nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", -1, "memory of a row",
                         "at most %" PRId64 " bytes (option cursor_nbytes)|more", r->limit));
    r->row_nbytes += nbytes;
    return DV_OK;
}

static dv_status reserve(dvi_text_rows *r, values *v, int64_t more, dv_error *err)
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

/* Bytes that a text can become.  Long ones are mostly what they seem: they are looked at, so as not
 * to hold three times their size. */
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

static dv_status append_text(dvi_text_rows *r, values *v, dv_text text, dv_error *err)
{
    const int64_t room = room_for(text);
    DVI_TRY(charge(r, room, err));
    DVI_REQUIRE(room <= INT32_MAX - v->nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "text", -1, "text of a batch",
                         "at most 2^31-1 bytes|perhaps %" PRId64, v->nbytes + room));
    DVI_TRY(dvi_memory_extend(&v->main, (size_t)v->nbytes, (size_t)(v->nbytes + room),
                              &r->allocator, err));
    v->nbytes += (int64_t)dvi_text_copy(v->main->data + v->nbytes, text, &r->faults.ill_formed);
    const uint32_t na = text.nbytes < 0 ? UINT32_C(1) << 31 : 0;
    dvi_store_u32(v->beside->data + 4 * v->n++, (uint32_t)v->nbytes | na);
    return DV_OK;
}

/* There is room for it, but for its text. */
static dv_status append(dvi_text_rows *r, values *v, const dvi_text_value *value, dv_error *err)
{
    if (v->layout == DV_LAYOUT_TEXT)
        return append_text(r, v, value->text, err);
    memcpy(v->main->data + v->width * (size_t)v->n, value->bits, v->width);
    if (v->layout == DV_LAYOUT_ZONED)
        memcpy(v->beside->data + 2 * v->n, &value->bits[1], 2);
    v->n++;
    return DV_OK;
}

/* --- Making, clearing --------------------------------------------------------------------------
 */

static void start_column(column *c, const dvi_text_column *source)
{
    c->source = source;
    c->item_type = dv_type_item(&source->type);
    c->is_vector = dv_type_is_vector(&source->type);
    c->values.type = c->item_type;
    c->values.layout = dvi_layout_of(&c->item_type);
    const bool is_text = c->values.layout == DV_LAYOUT_TEXT;
    const bool is_zoned = c->values.layout == DV_LAYOUT_ZONED;
    c->values.width = is_text ? 0 : is_zoned ? 8 : dvi_width_of(&c->item_type);
    c->values.beside_width = is_text ? 4 : is_zoned ? 2 : 0;
}

static dv_status start(dvi_text_rows *r, const dvi_text_layout *layout, const int32_t *columns,
                       int32_t columns_count, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, (size_t)columns_count * sizeof(column), err));
    r->columns = made;
    r->columns_count = columns_count;
    r->reads_all = r->reading.missing_real_nan;
    for (int32_t k = 0; k < columns_count; k++) {
        start_column(&r->columns[k], &layout->columns[columns[k]]);
        r->reads_all |= layout->columns[columns[k]].variable >= 0;
    }
    DVI_TRY(dvi_text_targets_make(&r->targets, layout, columns, columns_count, &r->arena, err));
    return dvi_text_rows_clear(r, err);
}

static dv_status create(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                        const dvi_text_options *options, const dvi_text_reading *reading,
                        const int32_t *columns, int32_t columns_count, int64_t limit,
                        const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *rows_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_text_rows), err));
    dvi_text_rows *r = made;
    r->allocator = *allocator;
    dvi_arena_init(&r->arena, allocator);
    r->dialect = dvi_text_dialect_of(options);
    r->reading = *reading;
    r->limit = limit;
    const dv_status status = start(r, layout, columns, columns_count, err);
    *rows_out = r;
    if (status < 0)
        dvi_text_rows_free(rows_out);
    return status;
}

dv_status dvi_text_rows_create(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                               const dvi_text_options *options, const int32_t *columns,
                               int32_t columns_count, int64_t limit, const dv_allocator *allocator,
                               dv_error *err)
{
    const dvi_text_reading reading = {options->decimal, options->blank_is_na,
                                      options->missing_real_nan, false};
    return create(rows_out, layout, options, &reading, columns, columns_count, limit, allocator,
                  err);
}

dv_status dvi_text_rows_create_names(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                                     const dvi_text_options *options, const int32_t *columns,
                                     int32_t columns_count, int64_t limit,
                                     const dv_allocator *allocator, dv_error *err)
{
    const dvi_text_reading reading = {options->decimal, false, false, true};
    return create(rows_out, layout, options, &reading, columns, columns_count, limit, allocator,
                  err);
}

void dvi_text_rows_free(dvi_text_rows **rows)
{
    dvi_text_rows *r = *rows;
    *rows = NULL;
    if (!r)
        return;
    for (int32_t k = 0; k < r->columns_count; k++) {
        column *c = &r->columns[k];
        dvi_memory_release(&c->values.main);
        dvi_memory_release(&c->values.beside);
        dvi_memory_release(&c->counts);
        dvi_memory_release(&c->lengths);
        dvi_memory_release(&c->indices);
        dvi_free(&r->allocator, c->items, c->items_cap * sizeof *c->items);
    }
    dvi_memory_release(&r->unquoted);
    dvi_arena_free(&r->arena);
    const dv_allocator allocator = r->allocator;
    dvi_free(&allocator, r, sizeof *r);
}

/* Memory for about as much as was there before (that of a retained batch is replaced). */
static dv_status clear_column(column *c, int64_t rows, const dv_allocator *allocator, dv_error *err)
{
    const size_t n = (size_t)c->values.n;
    const struct {
        dvi_memory **memory;
        size_t nbytes;
        bool is_used;
    } all[] = {
        {&c->values.main, n * c->values.width + (size_t)c->values.nbytes, true},
        {&c->values.beside, n * c->values.beside_width, c->values.beside_width > 0},
        {&c->counts, 4 * (size_t)rows, c->is_vector},
        {&c->lengths, 4 * (size_t)rows, c->is_vector},
        {&c->indices, 4 * (size_t)c->indices_count, c->is_vector},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_used)
            DVI_TRY(dvi_memory_reserve(all[i].memory, allocator,
                                       all[i].nbytes > 0 ? all[i].nbytes : LEAST_NBYTES, err));
    c->values.n = c->values.nbytes = c->indices_count = 0;
    c->items_count = 0;
    return DV_OK;
}

dv_status dvi_text_rows_clear(dvi_text_rows *r, dv_error *err)
{
    for (int32_t k = 0; k < r->columns_count; k++)
        DVI_TRY(clear_column(&r->columns[k], r->rows, &r->allocator, err));
    r->rows = 0;
    return DV_OK;
}

/* --- A row -------------------------------------------------------------------------------------
 */

static dv_status reserve_item(dvi_text_rows *r, column *c, dv_error *err)
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

static dv_status record(dvi_text_rows *r, const dvi_text_target *target, int64_t source,
                        const dvi_text_field *field, dv_error *err)
{
    column *c = &r->columns[target->column];
    DVI_TRY(reserve_item(r, c, err));
    item *to = &c->items[c->items_count];
    const dvi_text_verdict verdict =
        dvi_text_read_value(&to->value, &c->item_type, field, &r->reading);
    r->faults.bad_values += verdict == DVI_TEXT_BAD;
    to->slot = source - target->first;
    to->segment = target->segment;
    c->items_count += verdict != DVI_TEXT_NOTHING;
    return DV_OK;
}

/* With missingrealnan the reals behind the end of a line are NaN; holes between sparse items are
 * not: a line could ask for 2^31 of them. */
static dv_status record_absent(dvi_text_rows *r, column *c, int64_t count, dv_error *err)
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
                (item){at - s->first, k, dvi_text_default(&c->item_type, &r->reading)};
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
        for (size_t i = 0; i < in->n; i++)
            DVI_TRY(record(r, &t->targets[in->first + i], source, &field, err));
    }
    return DV_OK;
}

static int compare(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Slots of the segment without an end, in a line of so many source columns. */
static int64_t variable_slots(const dvi_text_column *source, int64_t count)
{
    if (source->variable < 0)
        return 0;
    return dvi_max_i64(0, count - source->segments[source->variable].first);
}

/* Items know their segments: let them know their slots, and rise. */
static void place_items(column *c, int64_t variable)
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

/* Every slot has a value: those without an item, the default. */
static dv_status append_dense(dvi_text_rows *r, column *c, int64_t slots, dv_error *err)
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

static dv_status append_sparse(dvi_text_rows *r, column *c, dv_error *err)
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

static dv_status append_vector(dvi_text_rows *r, column *c, int64_t count, dv_error *err)
{
    const int64_t variable = variable_slots(c->source, count);
    const int64_t slots = c->source->fixed_slots + variable;
    const size_t at = 4 * (size_t)r->rows;
    DVI_REQUIRE(slots <= INT32_MAX, dvi_fail(err, DV_ERR_LIMIT, "text", -1, "slots of a vector",
                                             "at most 2^31-1|%" PRId64, slots));
    place_items(c, variable);
    DVI_TRY(dvi_memory_extend(&c->counts, at, at + 4, &r->allocator, err));
    DVI_TRY(dvi_memory_extend(&c->lengths, at, at + 4, &r->allocator, err));
    const bool is_sparse = c->items_count <= (size_t)slots / 2 && slots > 0;
    dvi_store_i32(c->counts->data + at, is_sparse ? (int32_t)c->items_count : -1);
    dvi_store_i32(c->lengths->data + at, (int32_t)slots);
    return is_sparse ? append_sparse(r, c, err) : append_dense(r, c, slots, err);
}

static dv_status append_scalar(dvi_text_rows *r, column *c, dv_error *err)
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
        column *c = &r->columns[k];
        if (r->reading.missing_real_nan)
            DVI_TRY(record_absent(r, c, count, err));
        DVI_TRY(c->is_vector ? append_vector(r, c, count, err) : append_scalar(r, c, err));
    }
    r->rows++;
    return DV_OK;
}

/* --- What there is -----------------------------------------------------------------------------
 */

int64_t dvi_text_rows_count(const dvi_text_rows *r)
{
    return r->rows;
}

int64_t dvi_text_rows_nbytes(const dvi_text_rows *r)
{
    int64_t nbytes = 0;
    for (int32_t k = 0; k < r->columns_count; k++) {
        const column *c = &r->columns[k];
        nbytes += c->values.nbytes + 4 * c->indices_count + (c->is_vector ? 8 * r->rows : 0) +
                  c->values.n * (int64_t)(c->values.width + c->values.beside_width);
    }
    return nbytes;
}

dvi_text_faults dvi_text_rows_faults(const dvi_text_rows *r)
{
    return r->faults;
}

static dv_column_view view_of(const values *v)
{
    dv_column_view view = {.type = v->type, .layout = v->layout, .rows = v->n};
    const size_t n = (size_t)v->n;
    if (v->layout == DV_LAYOUT_TEXT) {
        view.as.text.utf8 = dvi_memory_buffer(v->main, 0, (size_t)v->nbytes, 1);
        view.as.text.ends = dvi_memory_buffer(v->beside, 0, 4 * n, 4);
    } else if (v->layout == DV_LAYOUT_ZONED) {
        view.as.zoned.ticks = dvi_memory_buffer(v->main, 0, 8 * n, 8);
        view.as.zoned.minutes = dvi_memory_buffer(v->beside, 0, 2 * n, 2);
    } else {
        view.as.fixed.values = dvi_memory_buffer(v->main, 0, v->width * n, v->width);
    }
    return view;
}

dv_column_view dvi_text_rows_column(const dvi_text_rows *r, int32_t k, int64_t n,
                                    dv_column_view *items_out)
{
    const column *c = &r->columns[k];
    dv_column_view view = view_of(&c->values);
    if (c->is_vector) {
        *items_out = view;
        view =
            (dv_column_view){.type = c->source->type, .layout = DV_LAYOUT_VECTOR, .rows = r->rows};
        view.as.vector.length = c->source->type.size;
        view.as.vector.counts = dvi_memory_buffer(c->counts, 0, 4 * (size_t)r->rows, 4);
        view.as.vector.indices = dvi_memory_buffer(c->indices, 0, 4 * (size_t)c->indices_count, 4);
        if (c->source->variable >= 0 || c->source->type.size == 0)
            view.as.vector.lengths = dvi_memory_buffer(c->lengths, 0, 4 * (size_t)r->rows, 4);
        view.as.vector.items = items_out;
    }
    dvi_column_limit(&view, n);
    return view;
}
