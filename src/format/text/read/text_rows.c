/* SPDX-License-Identifier: MIT */
/* text_rows.c: creates and clears row builders, and returns their columns. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/column.h"
#include "format/text/read/text_rows_priv.h"

#define LEAST_NBYTES 64

/* --- Creating and clearing --- */

static void start_column(dvi_text_builder *c, const dvi_text_column *source)
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

/* The source columns that a line needs so that no value of the column is missing. */
static int64_t least_fields(const dvi_text_rows *r, const dvi_text_builder *c)
{
    int64_t least = 0;
    const bool is_real = c->item_type.kind == DV_KIND_R4 || c->item_type.kind == DV_KIND_R8;
    if (is_real && r->reading.missing_real_nan)
        return 0;
    for (int32_t k = 0; k < c->source->segments_count; k++)
        if (c->source->segments[k].end != DVI_TEXT_NO_END &&
            c->source->segments[k].first != DVI_TEXT_ABSENT)
            least = dvi_max_i64(least, c->source->segments[k].end);
    return least;
}

static dv_status start(dvi_text_rows *r, const dvi_text_layout *layout, const int32_t *columns,
                       int32_t columns_count, dv_error *err)
{
    void *made;
    DVI_TRY(
        dvi_arena_alloc(&r->arena, &made, (size_t)columns_count * sizeof(dvi_text_builder), err));
    r->columns = made;
    r->columns_count = columns_count;
    r->reads_all = r->reading.missing_real_nan || !r->reading.has_defaults || r->reading.strict ||
                   r->reading.counts || r->reading.csv;
    r->sources = 0;
    for (int32_t i = 0; i < layout->columns_count; i++) {
        const dvi_text_column *column = &layout->columns[i];
        for (int32_t k = 0; k < column->segments_count; k++)
            if (column->segments[k].first != DVI_TEXT_ABSENT)
                r->sources = dvi_max_i64(r->sources, column->segments[k].end);
    }
    r->most = dvi_max_i64(r->sources, r->most);
    r->full = r->reading.csv ? dvi_max_i64(r->sources, r->full) : r->most;
    for (int32_t k = 0; k < columns_count; k++) {
        start_column(&r->columns[k], &layout->columns[columns[k]]);
        r->reads_all |= layout->columns[columns[k]].variable >= 0;
        r->has_text |= r->columns[k].values.layout == DV_LAYOUT_TEXT;
        r->least = dvi_max_i64(r->least, least_fields(r, &r->columns[k]));
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
    r->encoding = options->found;
    r->names_encoding = options->names_encoding;
    r->most = options->first_fields;
    r->full = options->first_extent;
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
    const dvi_text_reading reading = {.decimal = options->decimal,
                                      .blank_is_na = options->blank_is_na,
                                      .missing_real_nan = options->missing_real_nan,
                                      .has_defaults = options->has_defaults,
                                      .missing = options->missing,
                                      .novalue = options->novalue,
                                      .csv = options->csv,
                                      .dress = options->dress,
                                      .date = options->date,
                                      .zeros = options->zeros,
                                      .strict = options->strict || options->refuses,
                                      .refuses = options->refuses,
                                      .counts = options->counts,
                                      .absent = options->absent};
    return create(rows_out, layout, options, &reading, columns, columns_count, limit, allocator,
                  err);
}

dv_status dvi_text_rows_create_names(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                                     const dvi_text_options *options, const int32_t *columns,
                                     int32_t columns_count, int64_t limit,
                                     const dv_allocator *allocator, dv_error *err)
{
    const dvi_text_reading reading = {
        .decimal = options->decimal, .has_defaults = true, .trims = true};
    dvi_text_options open = *options; /* names beyond the size are kept */
    open.size = open.size > 0 ? INT32_MAX : 0;
    return create(rows_out, layout, &open, &reading, columns, columns_count, limit, allocator, err);
}

void dvi_text_rows_free(dvi_text_rows **rows)
{
    dvi_text_rows *r = *rows;
    *rows = NULL;
    if (!r)
        return;
    for (int32_t k = 0; k < r->columns_count; k++) {
        dvi_text_builder *c = &r->columns[k];
        dvi_memory_release(&c->values.main);
        dvi_memory_release(&c->values.beside);
        dvi_memory_release(&c->counts);
        dvi_memory_release(&c->lengths);
        dvi_memory_release(&c->indices);
        dvi_free(&r->allocator, c->items, c->items_cap * sizeof *c->items);
    }
    dvi_memory_release(&r->unquoted);
    dvi_memory_release(&r->name);
    dvi_memory_release(&r->decoded);
    dvi_memory_release(&r->marks);
    dvi_arena_free(&r->arena);
    const dv_allocator allocator = r->allocator;
    dvi_free(&allocator, r, sizeof *r);
}

/* Reserve about as much memory as was used (memory that a batch retains is replaced). */
static dv_status clear_column(dvi_text_builder *c, int64_t rows, const dv_allocator *allocator,
                              dv_error *err)
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

/* --- Content --- */

void dvi_text_rows_watch(dvi_text_rows *r, dvi_text_watch *watch, void *ctx)
{
    r->watch = watch;
    r->watch_ctx = ctx;
    r->reads_all = true;
}

void dvi_text_rows_limit(dvi_text_rows *r, int64_t limit)
{
    r->limit = limit;
}

int64_t dvi_text_rows_count(const dvi_text_rows *r)
{
    return r->rows;
}

int64_t dvi_text_rows_nbytes(const dvi_text_rows *r)
{
    int64_t nbytes = 0;
    for (int32_t k = 0; k < r->columns_count; k++) {
        const dvi_text_builder *c = &r->columns[k];
        nbytes += c->values.nbytes + 4 * c->indices_count + (c->is_vector ? 8 * r->rows : 0) +
                  c->values.n * (int64_t)(c->values.width + c->values.beside_width);
    }
    return nbytes;
}

dvi_text_faults dvi_text_rows_faults(const dvi_text_rows *r)
{
    return r->faults;
}

static dv_column_view view_of(const dvi_text_values *v)
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
    const dvi_text_builder *c = &r->columns[k];
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
