/* SPDX-License-Identifier: MIT */
/* drawn_scan.c: drawn chains of views over drawn sources, and the rows that they have. */
#include "support/drawn_scan.h"
#include "support/lines.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/text_table.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 5

static int64_t draw(uint64_t *state, int64_t below)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)below);
}

/* --- Sources ---------------------------------------------------------------------------------- */

/* Row i has a = i and g = i % GROUPS. */
typedef struct source {
    dvt_source_kind kind;
    int64_t n, bad; /* bad -1: every row can be read */
    dv_status status;
    int64_t block, batch;   /* rows */
    int64_t splits, *first; /* the first row of each split, then n */
    bool has_ids;
    dvt_lines text;
    dv_allocator allocator;
} source;

static void close_source(void *self)
{
    source *s = self;
    free(s->first);
    free(s);
}

static int64_t count_rows(void *self)
{
    return ((const source *)self)->n;
}

static int64_t block_rows(void *self)
{
    return ((const source *)self)->block;
}

static int64_t count_splits(void *self)
{
    return ((const source *)self)->splits;
}

typedef struct values {
    dv_allocator allocator;
    size_t nbytes;
    int64_t of[];
} values;

static void free_values(void *ctx)
{
    values *v = ctx;
    const dv_allocator allocator = v->allocator;
    allocator.release(allocator.ctx, v, v->nbytes);
}

static dv_status fill_column(const dv_cursor_request *request, dv_batch *batch, int32_t k,
                             int64_t row, dv_error *err)
{
    const dv_allocator *allocator = request->allocator;
    const size_t n = (size_t)batch->rows, nbytes = sizeof(values) + 8 * n;
    values *v = allocator->allocate(allocator->ctx, nbytes, 16);
    dv_column_view column = {
        .type = dv_type_of(DV_KIND_I8), .layout = DV_LAYOUT_FIXED, .rows = batch->rows};
    if (!v)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory for values");
    *v = (values){*allocator, nbytes};
    for (size_t i = 0; i < n; i++)
        v->of[i] = request->columns[k] == 0 ? row + (int64_t)i : (row + (int64_t)i) % GROUPS;
    dv_buffer *buffer = &column.as.fixed.values;
    dv_status status = dv_buffer_wrap(buffer, v->of, 8 * n, 8, free_values, v, allocator, err);
    if (status < 0) {
        free_values(v);
        return status;
    }
    buffer->is_borrowed = false;
    status = dv_batch_fill(batch, k, &column, err);
    dv_buffer_release(buffer);
    return status;
}

static dv_status fail_row(const source *s, int64_t row, dv_error *err)
{
    char message[60];
    snprintf(message, sizeof message, "row %lld is bad", (long long)row);
    return dv_error_set(err, s->status, message);
}

/* Rows from `row` of the source on, `shown` in the batch; at most up to end. */
static dv_status fill_rows(const source *s, const dv_cursor_request *request, int64_t row,
                           int64_t shown, int64_t end, dv_batch *batch, dv_error *err)
{
    if (row >= end)
        return DV_END;
    if (row == s->bad)
        return fail_row(s, row, err);
    int64_t n = end - row < s->batch ? end - row : s->batch;
    if (s->bad > row && s->bad < row + n)
        n = s->bad - row;
    dv_status status = dv_batch_start(batch, shown, n, err);
    for (int32_t k = 0; status == DV_OK && k < request->columns_count; k++)
        status = fill_column(request, batch, k, row, err);
    if (status != DV_OK || !s->has_ids || !request->ids)
        return status;
    dv_u128 ids[64];
    for (int64_t i = 0; i < n; i++)
        ids[i] = (dv_u128){(uint64_t)(row + i), 7};
    return dv_batch_fill_ids(batch, ids, err);
}

static dv_status read_block(void *self, const dv_cursor_request *request, void *scratch,
                            dv_batch *batch, dv_error *err)
{
    const source *s = self;
    int64_t *calls = scratch;
    ++*calls;
    DVT_MUST(request->first_row < request->end_row && request->end_row <= s->n);
    DVT_MUST(request->first_row / s->block == (request->end_row - 1) / s->block);
    return fill_rows(s, request, request->first_row, request->first_row, request->end_row, batch,
                     err);
}

static dv_status read_split(void *self, const dv_cursor_request *request, void *scratch,
                            dv_batch *batch, dv_error *err)
{
    const source *s = self;
    int64_t *next = scratch; /* in the split */
    DVT_MUST(request->split >= 0 && request->split < s->splits);
    DVT_MUST(request->first_row == 0 || request->first_row == *next);
    const int64_t row = s->first[request->split] + request->first_row;
    const dv_status status =
        fill_rows(s, request, row, request->first_row, s->first[request->split + 1], batch, err);
    if (status == DV_OK)
        *next = request->first_row + batch->rows;
    return status;
}

static dv_status open_scratch(void *self, const dv_cursor_request *request, void **scratch_out,
                              dv_error *err)
{
    (void)self, (void)request, (void)err;
    DVT_MUST((*scratch_out = calloc(1, sizeof(int64_t))));
    return DV_OK;
}

typedef struct walk {
    const source *s;
    const dv_cursor_request *request;
    int64_t row;
} walk;

static dv_status seek_walk(void *cursor, dv_error *err)
{
    walk *w = cursor;
    (void)err;
    w->row = w->s->kind == DVT_SEEKS ? w->request->first_row : 0;
    return DV_OK;
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    walk *w = malloc(sizeof *w);
    DVT_MUST(w);
    *w = (walk){.s = self, .request = request};
    *cursor_out = w;
    return seek_walk(w, err);
}

static dv_status next_rows(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const source *s = w->s;
    const int64_t first = w->request->first_row;
    const int64_t end = w->request->end_row < s->n ? w->request->end_row : s->n;
    for (; w->row < first && w->row < end; w->row++) /* rows that have to be passed */
        if (w->row == s->bad)
            return fail_row(s, w->row, err);
    const dv_status status = fill_rows(s, w->request, w->row, w->row, end, batch, err);
    w->row += status == DV_OK ? batch->rows : 0;
    return status;
}

static const dv_view_class classes[] = {[DVT_BLOCKS] = {.kind = "blocks",
                                                        .rows = count_rows,
                                                        .block_rows = block_rows,
                                                        .close = close_source,
                                                        .open_scratch = open_scratch,
                                                        .close_scratch = free,
                                                        .read = read_block},
                                        [DVT_SPLITS] = {.kind = "splits",
                                                        .close = close_source,
                                                        .open_scratch = open_scratch,
                                                        .close_scratch = free,
                                                        .splits = count_splits,
                                                        .read = read_split},
                                        [DVT_STREAM] = {.kind = "stream",
                                                        .close = close_source,
                                                        .open_cursor = open_walk,
                                                        .next = next_rows,
                                                        .close_cursor = free},
                                        [DVT_SEEKS] = {.kind = "seeks",
                                                       .rows = count_rows,
                                                       .block_rows = block_rows,
                                                       .close = close_source,
                                                       .open_cursor = open_walk,
                                                       .next = next_rows,
                                                       .close_cursor = free,
                                                       .seek = seek_walk}};

/* --- Text ------------------------------------------------------------------------------------- */

static void write_text(dvt_lines *text, uint64_t *state, int64_t n, int64_t bad)
{
    static const char *const third[] = {
        "x", "\"x\"", "\"x\ny\"", "\"\n\n7,7\n\"", "\"a \"\"b\"\"\"", "\"1\n\"\"2\"\"\n3\"", ""};
    const int64_t odd = 1 + draw(state, 20);
    for (int64_t i = 0; i < n; i++) {
        const bool is_odd = draw(state, odd) == 0;
        const char *what = is_odd ? third[draw(state, 7)] : "plain";
        dvt_lines_print(text, "%lld%s,%lld,%s%s", (long long)i, i == bad ? "!" : "",
                        (long long)(i % GROUPS), what, is_odd && odd % 2 ? "\r\n" : "\n");
    }
}

static void free_text(void *ctx)
{
    dvt_lines *text = ctx;
    dvt_lines_free(text);
    free(text);
}

/* most: option `rows`. */
static dv_status open_text(dv_view **view_out, uint64_t *state, int64_t n, int64_t bad,
                           int64_t most, const dv_allocator *allocator)
{
    char options[160];
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines *text = calloc(1, sizeof *text);
    DVT_MUST(text);
    write_text(text, state, n, bad);
    const int piece = (int)(1 + draw(state, 2) * draw(state, 300) + draw(state, 40));
    snprintf(options, sizeof options,
             "sep=comma multilines+ piece=%d rows=%lld col=a:I8:0 col=g:I8:1 col=s:TX:2", piece,
             (long long)most);
    how.format = "text";
    how.text = options;
    how.bad_fields = DV_BAD_FIELDS_REFUSE;
    how.allocator = allocator;
    const dv_status status =
        dv_open_memory(view_out, text->data, text->nbytes, free_text, text, "text", &how, &err);
    DVT_MUST(status == DV_OK || status == DV_ERR_MEMORY);
    return status;
}

/* --- A drawn source --------------------------------------------------------------------------- */

static void cut(source *s, uint64_t *state)
{
    s->splits = draw(state, 12);
    s->splits += s->n > 0;
    s->first = calloc((size_t)s->splits + 1, sizeof *s->first);
    DVT_MUST(s->first);
    for (int64_t k = 1; k < s->splits; k++)
        s->first[k] =
            s->first[k - 1] + draw(state, s->n - s->first[k - 1] + 1) / (1 + draw(state, 3));
    s->first[s->splits] = s->n;
}

static dv_status make_view(dv_view **view_out, source *s, const dv_allocator *allocator)
{
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema = NULL;
    const dv_type type = dv_type_of(DV_KIND_I8);
    dv_view_class cls = classes[s->kind];
    cls.size = sizeof cls;
    dv_status status = dv_schema_create(&schema, allocator, &err);
    if (status == DV_OK)
        status = dv_schema_add(schema, dv_text_of("a"), &type, NULL, &err);
    if (status == DV_OK)
        status = dv_schema_add(schema, dv_text_of("g"), &type, NULL, &err);
    if (status == DV_OK)
        status = dv_view_create(view_out, &cls, s, &schema, allocator, &err);
    dv_schema_free(&schema);
    DVT_MUST(status == DV_OK || status == DV_ERR_MEMORY);
    if (status < 0)
        close_source(s);
    return status;
}

static void make_rows(dvt_rows *rows, const source *s)
{
    const bool fails = s->bad >= 0;
    *rows = (dvt_rows){.n = fails ? s->bad : s->n,
                       .end = fails ? s->status : DV_END,
                       .bad = s->bad,
                       .is_known = s->kind == DVT_BLOCKS || s->kind == DVT_SEEKS};
    rows->a = calloc((size_t)s->n + 1, sizeof *rows->a);
    rows->id = calloc((size_t)s->n + 1, sizeof *rows->id);
    DVT_MUST(rows->a && rows->id);
    for (int64_t i = 0; i < s->n; i++) {
        rows->a[i] = i;
        rows->id[i] = (dv_u128){(uint64_t)i, s->has_ids ? 7 : 0};
    }
}

static dv_status draw_source(dvt_scan *scan, uint64_t *state, int64_t rows_most, bool may_fail,
                             const dv_allocator *allocator)
{
    static const dv_status statuses[] = {DV_ERR_CORRUPT, DV_ERR_IO, DV_ERR_LIMIT};
    source *s = calloc(1, sizeof *s);
    DVT_MUST(s);
    s->kind = (dvt_source_kind)draw(state, DVT_SOURCE_KINDS);
    s->n = draw(state, rows_most + 1);
    s->bad = may_fail && s->n > 0 && draw(state, 3) == 0 ? draw(state, s->n) : -1;
    s->status = statuses[draw(state, 3)];
    s->block = 1 + draw(state, 1 + rows_most / (1 + draw(state, 40)));
    s->batch = 1 + draw(state, 64);
    s->has_ids = s->kind != DVT_TEXT && draw(state, 3) == 0;
    if (s->kind == DVT_TEXT)
        s->status = DV_ERR_LOSS;
    if (s->kind == DVT_SPLITS)
        cut(s, state);
    make_rows(&scan->rows, s);
    snprintf(scan->chain, sizeof scan->chain, "%s of %lld rows, block %lld, batch %lld%s",
             s->kind == DVT_TEXT ? "text" : classes[s->kind].kind, (long long)s->n,
             (long long)s->block, (long long)s->batch, s->bad >= 0 ? ", fails" : "");
    if (s->kind != DVT_TEXT)
        return make_view(&scan->view, s, allocator);
    int64_t most = draw(state, 3) == 0 ? 1 + draw(state, s->n + 1) : INT32_MAX;
    if (s->bad > 0 && draw(state, 2))
        most = s->bad; /* the row after the last one cannot be read */
    dvt_rows_limit(&scan->rows, 0, most);
    const dv_status status = open_text(&scan->view, state, s->n, s->bad, most, allocator);
    close_source(s);
    return status;
}

/* --- Steps ------------------------------------------------------------------------------------ */

static void note(dvt_scan *scan, const char *name, int64_t a, int64_t b)
{
    const size_t n = strlen(scan->chain);
    snprintf(scan->chain + n, sizeof scan->chain - n, "; %s %lld %lld", name, (long long)a,
             (long long)b);
}

static void keep_row(dvt_rows *rows, int64_t to, int64_t from)
{
    rows->a[to] = rows->a[from];
    rows->id[to] = rows->id[from];
}

void dvt_rows_limit(dvt_rows *rows, int64_t first, int64_t end)
{
    const int64_t to = end < rows->n ? end : rows->n;
    int64_t n = 0;
    for (int64_t i = first; i < to; i++)
        keep_row(rows, n++, i);
    if (end <= rows->n)
        rows->end = DV_END;
    rows->n = n;
}

static dv_status add_filter(dvt_scan *scan, uint64_t *state, dv_view **view_out,
                            const dv_allocator *allocator, dv_error *err)
{
    const int64_t below = draw(state, GROUPS + 1);
    char value[4];
    int64_t n = 0;
    snprintf(value, sizeof value, "%d", (int)below);
    const dv_condition condition = {dv_text_of("g"), DV_IS_LESS, dv_text_of(value)};
    for (int64_t i = 0; i < scan->rows.n; i++)
        if (scan->rows.a[i] % GROUPS < below)
            keep_row(&scan->rows, n++, i);
    scan->rows.n = n;
    scan->rows.is_known = false;
    note(scan, "filter", below, 0);
    return dv_view_filter(view_out, scan->view, &condition, 1, allocator, err);
}

static dv_status add_slice(dvt_scan *scan, uint64_t *state, dv_view **view_out,
                           const dv_allocator *allocator, dv_error *err)
{
    const int64_t first = draw(state, scan->rows.n + 1), take = draw(state, scan->rows.n + 3);
    dvt_rows_limit(&scan->rows, first, first + take);
    note(scan, "slice", first, take);
    return dv_view_slice(view_out, scan->view, first, take, allocator, err);
}

/* A new column, computed of one, or of numbers of rows. */
static dv_status add_column(dvt_scan *scan, uint64_t *state, dv_view **view_out,
                            const dv_allocator *allocator, dv_error *err)
{
    if (draw(state, 2)) {
        const dv_generated numbers = {.name = dv_text_of("n"), .counts = true};
        note(scan, "number", 0, 0);
        return dv_view_generate(view_out, scan->view, &numbers, 1, allocator, err);
    }
    const dv_conversion_spec to = {dv_text_of("a"), dv_text_of("r"), dv_type_of(DV_KIND_R8)};
    note(scan, "convert", 0, 0);
    return dv_view_convert(view_out, scan->view, &to, 1, allocator, err);
}

static dv_status add_take(dvt_scan *scan, uint64_t *state, dv_view **view_out,
                          const dv_allocator *allocator, dv_error *err)
{
    dvt_rows *rows = &scan->rows;
    const int64_t n = rows->n > 0 ? draw(state, rows->n + 1) : 0;
    int64_t *list = calloc((size_t)n + 1, sizeof *list);
    dvt_rows taken = *rows;
    DVT_MUST(list);
    taken.a = calloc((size_t)n + 1, sizeof *taken.a);
    taken.id = calloc((size_t)n + 1, sizeof *taken.id);
    DVT_MUST(taken.a && taken.id);
    taken.n = n;
    for (int64_t i = 0; i < n; i++) {
        list[i] = draw(state, rows->n);
        taken.a[i] = rows->a[list[i]];
        taken.id[i] = rows->id[list[i]];
    }
    free(rows->a);
    free(rows->id);
    *rows = taken;
    note(scan, "take", n, 0);
    const dv_status status = dv_view_take(view_out, scan->view, list, n, allocator, err);
    free(list);
    return status;
}

/* The rows of another source with the same columns. */
static dv_status add_concat(dvt_scan *scan, uint64_t *state, dv_view **view_out,
                            const dv_allocator *allocator, dv_error *err)
{
    dvt_rows *rows = &scan->rows;
    dv_view *const both[] = {scan->view, scan->view};
    const int64_t n = rows->n, all = rows->end == DV_END ? 2 * n : n;
    (void)state;
    rows->a = realloc(rows->a, ((size_t)all + 1) * sizeof *rows->a);
    rows->id = realloc(rows->id, ((size_t)all + 1) * sizeof *rows->id);
    DVT_MUST(rows->a && rows->id);
    for (int64_t i = all - 1; i >= 0; i--) {
        rows->a[i] = rows->a[i % n];
        rows->id[i] = dv_rowid_combine(rows->id[i % n], (dv_u128){(uint64_t)(i / n), 0});
    }
    rows->n = all;
    note(scan, "concat", 0, 0);
    return dv_view_concat(view_out, both, 2, allocator, err);
}

static dv_status add_step(dvt_scan *scan, uint64_t *state, const dv_allocator *allocator)
{
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    switch (draw(state, 7)) {
    case 0:
    case 1:
        status = add_filter(scan, state, &view, allocator, &err);
        break;
    case 2:
        status = add_slice(scan, state, &view, allocator, &err);
        break;
    case 3:
        if (!scan->rows.is_known || scan->rows.end != DV_END)
            return DV_OK;
        status = add_take(scan, state, &view, allocator, &err);
        break;
    case 4:
        if (scan->rows.n > 5000)
            return DV_OK;
        status = add_concat(scan, state, &view, allocator, &err);
        break;
    default:
        status = add_column(scan, state, &view, allocator, &err);
        break;
    }
    if (status != DV_OK && status != DV_ERR_MEMORY)
        fprintf(stderr, "%s: %s\n", scan->chain, err.message);
    DVT_MUST(status == DV_OK || status == DV_ERR_MEMORY);
    dv_view_release(&scan->view);
    scan->view = view;
    return status;
}

dv_status dvt_scan_draw(dvt_scan *scan, uint64_t *state, int64_t rows_most, bool may_fail,
                        const dv_allocator *allocator)
{
    *scan = (dvt_scan){0};
    dv_status status = draw_source(scan, state, rows_most, may_fail, allocator);
    for (int64_t i = draw(state, 5); i > 0 && status == DV_OK; i--)
        status = add_step(scan, state, allocator);
    if (status < 0)
        dvt_scan_free(scan);
    return status;
}

void dvt_scan_free(dvt_scan *scan)
{
    dv_view_release(&scan->view);
    free(scan->rows.a);
    free(scan->rows.id);
    scan->rows.a = NULL;
    scan->rows.id = NULL;
}
