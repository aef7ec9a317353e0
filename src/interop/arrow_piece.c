/* SPDX-License-Identifier: MIT */
/* arrow_piece.c: makes columns of rows of an array: finds the values below structs and lists. */
#include "interop/arrow_piece.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "interop/arrow_tensor.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <string.h>

#define PIECE_ITEMS (1 << 22)         /* of a batch, unless a row has more */
#define PIECE_TEXT (INT64_C(1) << 28) /* bytes */

/* A bitmap of validity, and the bit of row 0 of the piece. */
typedef struct bitmap {
    const uint8_t *bits;
    int64_t at;
} bitmap;

/* Where the rows of a column are: the array below all structs, and the bitmaps above it. */
typedef struct place {
    const struct ArrowArray *array;
    int64_t at; /* of row 0 of the piece; its offset is included */
    bitmap maps[DVI_ARROW_DEPTH + 1];
    int maps_count;
} place;

/* --- Nulls ------------------------------------------------------------------------------------ */

static void add_map(place *p, const struct ArrowArray *array, int64_t at, bool has_map)
{
    if (has_map && array->null_count != 0 && array->buffers[0])
        p->maps[p->maps_count++] = (bitmap){array->buffers[0], at};
}

static place find_place(const dvi_arrow_piece *piece)
{
    const dvi_arrow_column *c = piece->column;
    const struct ArrowArray *array = &piece->held->array;
    place p = {.array = array, .at = piece->first + array->offset};
    for (int32_t i = 0; i < c->depth; i++) {
        add_map(&p, array, p.at, true);
        array = array->children[c->path[i]];
        p.array = array;
        p.at += array->offset;
    }
    add_map(&p, array, p.at, c->outer->format.storage != DVI_ARROW_NULLS);
    return p;
}

static bool is_all_valid(const bitmap *map, int64_t n)
{
    int64_t i = map->at;
    const int64_t end = map->at + n;
    for (; i < end && i % 8 != 0; i++)
        if (!(map->bits[i / 8] >> i % 8 & 1))
            return false;
    for (; end - i >= 64; i += 64)
        if (dvi_load_u64(map->bits + i / 8) != UINT64_MAX)
            return false;
    for (; i < end; i++)
        if (!(map->bits[i / 8] >> i % 8 & 1))
            return false;
    return true;
}

static void clear_nulls(uint8_t *valid, const bitmap *map, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        valid[i] &= map->bits[(map->at + i) / 8] >> (map->at + i) % 8 & 1;
}

/* Reserve a byte for each value, all 1, unless that has been done. */
static dv_status start_valid(uint8_t **valid, const dvi_arrow_reading *r, int part, int64_t n,
                             dv_error *err)
{
    void *made;
    if (*valid)
        return DV_OK;
    DVI_TRY(dvi_arrow_reserve(r, part, n, 1, &made, err));
    *valid = memset(made, 1, (size_t)n);
    return DV_OK;
}

/* *valid_out: a byte for each row; NULL: all are valid. */
static dv_status find_nulls(const uint8_t **valid_out, const dvi_arrow_reading *r, int part,
                            const place *p, int64_t n, dv_error *err)
{
    uint8_t *valid = NULL;
    *valid_out = NULL;
    for (int i = 0; i < p->maps_count; i++) {
        if (is_all_valid(&p->maps[i], n))
            continue;
        DVI_TRY(start_valid(&valid, r, part, n, err));
        clear_nulls(valid, &p->maps[i], n);
    }
    *valid_out = valid;
    return DV_OK;
}

/* The same of values in runs of one array. */
static dv_status find_nulls_in_runs(dvi_arrow_reading *r, dv_error *err)
{
    uint8_t *valid = NULL;
    int64_t done = 0;
    const bool has_map = r->scalar->shape->format.storage != DVI_ARROW_NULLS;
    r->valid = NULL;
    if (!has_map || r->array->null_count == 0 || !r->array->buffers[0])
        return DV_OK;
    for (int64_t i = 0; i < r->runs_count; i++) {
        const bitmap map = {r->array->buffers[0], r->runs[i].first};
        if (!is_all_valid(&map, r->runs[i].n)) {
            DVI_TRY(start_valid(&valid, r, DVI_ARROW_VALID, r->n, err));
            clear_nulls(valid + done, &map, r->runs[i].n);
        }
        done += r->runs[i].n;
    }
    r->valid = valid;
    return DV_OK;
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* The items of row i of a list, in items of its child. */
static dvi_arrow_run list_at(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                             int64_t i)
{
    const dvi_arrow_storage storage = shape->format.storage;
    const bool has_sizes = storage == DVI_ARROW_LIST_VIEW_4 || storage == DVI_ARROW_LIST_VIEW_8;
    if (!has_sizes && storage != DVI_ARROW_LIST_4 && storage != DVI_ARROW_LIST_8)
        return (dvi_arrow_run){i * shape->format.width, shape->format.width};
    const uint8_t *offsets = array->buffers[1];
    const uint8_t *sizes = has_sizes ? array->buffers[2] : offsets;
    switch (storage) {
    case DVI_ARROW_LIST_4: {
        const int64_t start = dvi_load_i32(offsets + 4 * i);
        return (dvi_arrow_run){start, dvi_load_i32(offsets + 4 * (i + 1)) - start};
    }
    case DVI_ARROW_LIST_8: {
        const int64_t start = dvi_load_i64(offsets + 8 * i),
                      end = dvi_load_i64(offsets + 8 * i + 8);
        int64_t n;
        return (dvi_arrow_run){start, __builtin_sub_overflow(end, start, &n) ? -1 : n};
    }
    case DVI_ARROW_LIST_VIEW_4:
        return (dvi_arrow_run){dvi_load_i32(offsets + 4 * i), dvi_load_i32(sizes + 4 * i)};
    default:
        return (dvi_arrow_run){dvi_load_i64(offsets + 8 * i), dvi_load_i64(sizes + 8 * i)};
    }
}

/* What the reading of vectors works on. */
typedef struct lists {
    const dvi_arrow_piece *piece;
    dvi_arrow_reading *r;
    place place;
    const uint8_t *valid; /* of the rows */
    dvi_arrow_run *runs;
    int64_t runs_count, items;
    int32_t *lengths, *counts; /* NULL: all of the type's size; all -1 */
    bool has_full;             /* a sparse row has an item in every slot */
} lists;

static dv_status fail_row(const lists *l, dv_status status, int64_t i, const char *expected,
                          const char *found, dv_error *err)
{
    dvi_arrow_reading rows = *l->r;
    rows.vectors = NULL;
    return dvi_arrow_fail_at(&rows, status, i, expected, found, err);
}

/* Add the items of row i; a null has none. */
static dv_status add_row(lists *l, int64_t i, dv_error *err)
{
    const dvi_arrow_column *c = l->piece->column;
    const struct ArrowArray *array = l->place.array;
    const bool is_null = l->valid && !l->valid[i];
    const dvi_arrow_run run =
        is_null ? (dvi_arrow_run){0, 0} : list_at(c->outer, array, l->place.at + i);
    const int64_t most = array->children[0]->length;
    DVI_REQUIRE(run.first >= 0 && run.n >= 0 && run.n <= most && run.first <= most - run.n,
                fail_row(l, DV_ERR_CORRUPT, i, "a list inside its items", "one outside", err));
    DVI_REQUIRE(run.n <= INT32_MAX,
                fail_row(l, DV_ERR_LIMIT, i, "at most 2^31-1 items", "more", err));
    DVI_REQUIRE(!c->is_sparse || run.n <= c->type.size,
                fail_row(l, DV_ERR_CORRUPT, i, "at most an item for each slot", "more", err));
    dvi_arrow_run *last = l->runs_count > 0 ? &l->runs[l->runs_count - 1] : NULL;
    if (last && last->first + last->n == run.first)
        last->n += run.n;
    else if (run.n > 0)
        l->runs[l->runs_count++] = run;
    l->items += run.n;
    if (l->lengths)
        l->lengths[i] = (int32_t)run.n;
    if (l->counts)
        l->counts[i] = c->is_sparse ? (int32_t)run.n : is_null && c->type.size > 0 ? 0 : -1;
    l->has_full = l->has_full || (c->is_sparse && run.n == c->type.size);
    return DV_OK;
}

/* Rows of a list whose type has a size: each has it. */
static dv_status check_size(const lists *l, int64_t i, int64_t n, dv_error *err)
{
    const int32_t size = l->piece->column->type.size;
    const bool is_null = l->valid && !l->valid[i];
    DVI_REQUIRE(
        is_null || size == 0 || n == size,
        fail_row(l, DV_ERR_LOSS, i, "as many items as the type has", "another number", err));
    return DV_OK;
}

static dv_status check_null_rows(const lists *l, dv_error *err)
{
    const uint8_t *null = l->valid ? memchr(l->valid, 0, (size_t)l->piece->n) : NULL;
    DVI_REQUIRE(!null || (l->piece->intake->allow_loss & DV_LOSS_NA),
                fail_row(l, DV_ERR_LOSS, null - l->valid,
                         "a vector, or the loss `na`, which empties it", "null", err));
    return DV_OK;
}

/* Lengths are made if they vary, counts if rows are sparse or null. */
static dv_status reserve_rows(lists *l, dv_error *err)
{
    void *made;
    const int64_t n = l->piece->n;
    const dvi_arrow_column *c = l->piece->column;
    const bool is_fixed = c->type.size > 0 || c->outer->format.storage == DVI_ARROW_FIXED_LIST;
    if (!is_fixed) {
        DVI_TRY(dvi_arrow_reserve(l->r, DVI_ARROW_LENGTHS, n, 4, &made, err));
        l->lengths = made;
    }
    if (c->is_sparse || l->valid) {
        DVI_TRY(dvi_arrow_reserve(l->r, DVI_ARROW_COUNTS, n, 4, &made, err));
        l->counts = made;
    }
    DVI_TRY(dvi_arrow_reserve(l->r, DVI_ARROW_RUNS, n, sizeof(dvi_arrow_run), &made, err));
    l->runs = made;
    return DV_OK;
}

/* Rows of fixed_size_list without nulls are one run, whatever their number. */
static dv_status find_rows(lists *l, dv_error *err)
{
    const dvi_arrow_column *c = l->piece->column;
    const int64_t n = l->piece->n;
    DVI_TRY(find_nulls(&l->valid, l->r, DVI_ARROW_ROWS_VALID, &l->place, n, err));
    DVI_TRY(check_null_rows(l, err));
    DVI_TRY(reserve_rows(l, err));
    const bool is_fixed = c->outer->format.storage == DVI_ARROW_FIXED_LIST;
    const bool is_counted = c->type.size > 0 && !is_fixed && !c->is_sparse;
    for (int64_t i = 0; i < n; i++) {
        const int64_t before = l->items;
        DVI_TRY(add_row(l, i, err));
        if (is_counted)
            DVI_TRY(check_size(l, i, l->items - before, err));
    }
    return DV_OK;
}

/* Move from items that are lists of one size themselves to their items. */
static dv_status descend(lists *l, const dvi_arrow_shape **shape, const struct ArrowArray **array,
                         dv_error *err)
{
    const dvi_arrow_shape *outer = *shape;
    for (int64_t k = 0; k < l->runs_count; k++) {
        dvi_arrow_run *run = &l->runs[k];
        run->first += (*array)->offset;
        const bitmap map = {(*array)->buffers[0], run->first};
        DVI_REQUIRE((*array)->null_count == 0 || !map.bits || is_all_valid(&map, run->n),
                    dvi_fail(err, DV_ERR_LOSS, "docs/arrow.md", -1, "a vector of vectors",
                             "no null inside|one"));
        run->first *= outer->format.width;
        run->n *= outer->format.width;
    }
    l->items *= outer->format.width;
    *shape = &outer->children[0];
    *array = (*array)->children[0];
    return DV_OK;
}

/* --- Sparse vectors --------------------------------------------------------------------------- */

static dv_status check_indices(const lists *l, const dv_vector_layout *vector, dv_error *err)
{
    const dv_sparse sparse = {.n = (size_t)l->piece->n,
                              .length = vector->length,
                              .counts = vector->counts.data,
                              .indices = vector->indices.data};
    const size_t n = (size_t)l->items;
    const size_t sound = dvi_kernels()->indices_check(&sparse, n);
    int64_t row = 0, i = (int64_t)sound;
    if (sound == n)
        return DV_OK;
    for (; row < l->piece->n && i >= l->counts[row]; row++)
        i -= l->counts[row];
    return fail_row(l, DV_ERR_CORRUPT, row, "indices that rise, below the size of the type",
                    "others", err);
}

/* Rows that have an item in every slot become dense, and need no indices. */
static void drop_full_rows(lists *l, dv_vector_layout *vector, int32_t *indices)
{
    const int32_t size = l->piece->column->type.size;
    int64_t from = 0, to = 0;
    for (int64_t row = 0; row < l->piece->n; row++) {
        const int32_t count = l->counts[row];
        if (count == size)
            l->counts[row] = -1;
        else
            memmove(indices + to, indices + from, 4 * (size_t)count);
        to += count == size ? 0 : count;
        from += count;
    }
    vector->indices = dvi_arrow_made(l->r, DVI_ARROW_INDICES, to, 4);
}

/* The indices: in place if they are one run. */
static dv_status read_indices(lists *l, dv_vector_layout *vector, const struct ArrowArray *pairs,
                              dv_error *err)
{
    void *made = NULL;
    const struct ArrowArray *array = pairs->children[0];
    for (int64_t k = 0; k < l->runs_count; k++) {
        const bitmap maps[] = {
            {pairs->buffers[0], l->runs[k].first + pairs->offset},
            {array->buffers[0], l->runs[k].first + pairs->offset + array->offset}};
        for (int i = 0; i < 2; i++)
            DVI_REQUIRE(!maps[i].bits || is_all_valid(&maps[i], l->runs[k].n),
                        dvi_fail(err, DV_ERR_CORRUPT, "docs/arrow.md", -1, "a sparse vector",
                                 "indices that are not null|null"));
        l->runs[k].first += pairs->offset;
    }
    const uint8_t *values = array->buffers[1];
    if (l->runs_count <= 1 && !l->has_full) {
        const uint8_t *first =
            l->items > 0 ? values + 4 * (size_t)(l->runs[0].first + array->offset) : NULL;
        vector->indices = dvi_arrow_lent(l->r, first, 4 * (size_t)l->items, 4);
    } else {
        DVI_TRY(dvi_arrow_reserve(l->r, DVI_ARROW_INDICES, l->items, 4, &made, err));
        uint8_t *to = made;
        for (int64_t k = 0; k < l->runs_count; k++) {
            const size_t nbytes = 4 * (size_t)l->runs[k].n;
            memcpy(to, values + 4 * (size_t)(l->runs[k].first + array->offset), nbytes);
            to += nbytes;
        }
        vector->indices = dvi_arrow_made(l->r, DVI_ARROW_INDICES, l->items, 4);
    }
    DVI_TRY(check_indices(l, vector, err));
    if (l->has_full)
        drop_full_rows(l, vector, made);
    return DV_OK;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static void set_rows(const lists *l, dv_vector_layout *vector)
{
    const int64_t n = l->piece->n;
    const dvi_arrow_column *c = l->piece->column;
    vector->length = c->type.size > 0 ? c->type.size : (int32_t)c->slots;
    if (l->lengths)
        vector->lengths = dvi_arrow_made(l->r, DVI_ARROW_LENGTHS, n, 4);
    vector->counts = l->counts ? dvi_arrow_made(l->r, DVI_ARROW_COUNTS, n, 4) : *l->piece->dense;
    if (!l->counts)
        vector->counts.nbytes = 4 * (size_t)n;
}

static dv_status read_lists(dvi_column *column_out, lists *l, dv_error *err)
{
    const dvi_arrow_column *c = l->piece->column;
    dvi_arrow_reading *r = l->r;
    dv_vector_layout *vector = &column_out->view.as.vector;
    const dvi_arrow_shape *shape = &c->outer->children[0];
    const struct ArrowArray *array = l->place.array->children[0];
    DVI_TRY(find_rows(l, err));
    set_rows(l, vector);
    for (int32_t i = 1; i < c->lists; i++)
        DVI_TRY(descend(l, &shape, &array, err));
    if (c->is_sparse) {
        DVI_TRY(read_indices(l, vector, array, err));
        array = array->children[1];
    }
    for (int64_t k = 0; k < l->runs_count; k++)
        l->runs[k].first += array->offset;
    r->array = array;
    r->runs = l->runs;
    r->runs_count = l->runs_count;
    r->n = l->items;
    r->vectors = vector;
    r->rows = l->piece->n;
    DVI_TRY(find_nulls_in_runs(r, err));
    vector->items = &column_out->items;
    DVI_TRY(dvi_arrow_read_scalars(&column_out->items, r, err));
    return c->tensor.order ? dvi_arrow_tensor_order(&column_out->items, r, err) : DV_OK;
}

static dvi_arrow_reading reading_of(const dvi_arrow_piece *piece)
{
    const dvi_arrow_column *c = piece->column;
    const int32_t k = c->scalar.dictionary;
    return (dvi_arrow_reading){.column = c,
                               .scalar = &c->scalar,
                               .owner = (dv_owner *)(uintptr_t)&piece->held->owner,
                               .entries = k >= 0 ? &piece->held->entries[k] : NULL,
                               .memory = piece->memory,
                               .allocator = piece->allocator,
                               .allow_loss = piece->intake->allow_loss,
                               .zero_copy_only = piece->zero_copy_only,
                               .row = piece->row,
                               .n = piece->n};
}

static dv_status read_piece(dvi_column *column_out, const dvi_arrow_piece *piece, dv_error *err)
{
    const dvi_arrow_column *c = piece->column;
    dvi_arrow_reading r = reading_of(piece);
    const place p = find_place(piece);
    if (c->lists > 0) {
        column_out->view =
            (dv_column_view){.type = c->type, .layout = DV_LAYOUT_VECTOR, .rows = piece->n};
        lists l = {.piece = piece, .r = &r, .place = p};
        return read_lists(column_out, &l, err);
    }
    const dvi_arrow_run run = {p.at, piece->n};
    r.array = p.array;
    r.runs = &run;
    r.runs_count = 1;
    DVI_TRY(find_nulls(&r.valid, &r, DVI_ARROW_VALID, &p, piece->n, err));
    return dvi_arrow_read_scalars(&column_out->view, &r, err);
}

dv_status dvi_arrow_piece_read(dvi_column *column_out, const dvi_arrow_piece *piece, dv_error *err)
{
    const dv_status status = read_piece(column_out, piece, err);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(piece->column->name).text);
    return status;
}

/* --- How many rows ---------------------------------------------------------------------------- */

/* Bytes of text in row i, as far as they may have to be copied; a number that is unsound counts as
 * 0, and is found when it is read. */
static int64_t text_nbytes(const dvi_arrow_shape *shape, const struct ArrowArray *array, int64_t i)
{
    const uint8_t *buffer = array->buffers[1];
    int64_t n = 0;
    switch (shape->format.storage) {
    case DVI_ARROW_TEXT_4:
        n = (int64_t)dvi_load_i32(buffer + 4 * i + 4) - dvi_load_i32(buffer + 4 * i);
        break;
    case DVI_ARROW_TEXT_8:
        if (__builtin_sub_overflow(dvi_load_i64(buffer + 8 * i + 8), dvi_load_i64(buffer + 8 * i),
                                   &n))
            n = 0;
        break;
    case DVI_ARROW_TEXT_VIEW:
        n = dvi_load_i32(buffer + 16 * i);
        break;
    default:
        n = shape->format.width;
        break;
    }
    return dvi_max_i64(n, 0);
}

/* Do all rows fit? The first and the last offset say so if none decreases; one that does is found
 * when the rows are read. */
static bool all_fit(const place *p, const dvi_arrow_shape *shape, int64_t n)
{
    const uint8_t *offsets = p->array->buffers[1];
    if (shape->format.storage != DVI_ARROW_TEXT_4 || n == 0)
        return false;
    const int64_t first = dvi_load_i32(offsets + 4 * p->at);
    const int64_t nbytes = dvi_load_i32(offsets + 4 * (p->at + n)) - first;
    return nbytes >= 0 && nbytes <= PIECE_TEXT;
}

static int64_t rows_of_text(const place *p, const dvi_arrow_shape *shape, int64_t n)
{
    int64_t nbytes = 0, fit = 0;
    if (all_fit(p, shape, n))
        return n;
    for (; fit < n; fit++) {
        nbytes += dvi_min_i64(text_nbytes(shape, p->array, p->at + fit), PIECE_TEXT);
        if (nbytes > PIECE_TEXT)
            break;
    }
    return fit;
}

/* Bytes of the texts of a run of items, of which those outside are found when they are read. */
static int64_t run_nbytes(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                          dvi_arrow_run run)
{
    int64_t nbytes = 0;
    if (run.first < 0 || run.n > array->length || run.first > array->length - run.n)
        return 0;
    for (int64_t i = 0; i < run.n && nbytes <= PIECE_TEXT; i++)
        nbytes += dvi_min_i64(text_nbytes(shape, array, array->offset + run.first + i), PIECE_TEXT);
    return nbytes;
}

/* Rows of at most `most` items, and so many bytes of text. */
static int64_t rows_of_lists(const place *p, const dvi_arrow_column *c, int64_t n, int64_t most)
{
    int64_t items = 0, nbytes = 0, fit = 0;
    const dvi_arrow_shape *shape = &c->outer->children[0];
    const bool has_texts = c->lists == 1 && !c->is_sparse && dvi_arrow_is_text(&shape->format);
    if (c->slots > 0)
        return dvi_min_i64(n, most / c->slots);
    for (; fit < n; fit++) {
        const dvi_arrow_run run = list_at(c->outer, p->array, p->at + fit);
        items += dvi_min_i64(dvi_max_i64(run.n, 0), most);
        nbytes += has_texts ? run_nbytes(shape, p->array->children[0], run) : 0;
        if (items > most || nbytes > PIECE_TEXT)
            break;
    }
    return fit;
}

int64_t dvi_arrow_piece_rows(const dvi_arrow_piece *piece)
{
    const dvi_arrow_column *c = piece->column;
    const int32_t k = c->scalar.dictionary;
    const int64_t longest = k >= 0 ? piece->held->entries[k].longest : 0;
    const int64_t most = dvi_min_i64(PIECE_ITEMS, INT32_MAX / dvi_max_i64(longest, 1));
    int64_t fit = dvi_min_i64(piece->n, DVI_ARROW_PIECE_ROWS);
    const place p = find_place(piece);
    if (c->lists > 0)
        fit = rows_of_lists(&p, c, fit, most);
    else if (dvi_arrow_is_text(&c->outer->format))
        fit = rows_of_text(&p, c->outer, fit);
    else
        fit = dvi_min_i64(fit, most);
    return dvi_max_i64(fit, dvi_min_i64(piece->n, 1));
}
