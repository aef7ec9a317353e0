/* SPDX-License-Identifier: MIT */
/* dense_fill.c: writes columns into a matrix in tiles of rows.
 *
 * A tile is some rows of all columns, few enough for the L1 and L2 caches, and enough to read
 * several lines of a column at once. Adjacent scalar columns are transposed into it; items that
 * have to be converted first go through scratch memory, 8 columns at a time or more. Vectors are
 * made dense in place. A tile is either the matrix itself, or memory from which whole lines are
 * stored past the cache; between these stores the scalars of the next tile are prefetched. */
#include "matrix/dense_fill.h"
#include "base/check.h"
#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/na.h"
#include "simd/sparse.h"
#include "simd/store.h"

/* The most bytes of a tile; TILE is best if the tile is the matrix. Otherwise fewer are better: 4
 * lines or more of each column if they fit, else one. Two lines were slowest by far: the CPU
 * prefetches the next two, and evicts them before they are used. */
#define TILE ((size_t)32 << 10)
#define TILE_APART ((size_t)8 << 10)
#define TILE_ROWS 256
#define LINE 64
#define COPY_STEPS 4 /* steps in which a tile is copied out and the next one prefetched */
#define EDGES 256    /* narrower rows with gaps between them have more edges than lines */
#define SCRATCH ((size_t)16 << 10) /* bytes; room for 8 columns or more of the longest tile */
#define CONVERT_ITEMS ((size_t)DVI_ITEMS_MOST) /* items converted at a time */

typedef dvi_dense_matrix matrix;
typedef dvi_dense_column column;

static uint8_t *matrix_at(const matrix *m, size_t row, size_t slot)
{
    return (uint8_t *)m->to.dst + (row * m->to.stride + slot) * m->item_nbytes;
}

/* --- Kernels by width ------------------------------------------------------------------------- */

/* A level of its own would serve many scalar columns of one or two bytes, which are rare. */
#define TRANSPOSE(width_, ctype)                                                                   \
    static void transpose_##width_(ctype *dst, size_t stride, const void *const *columns,          \
                                   size_t width, size_t n)                                         \
    {                                                                                              \
        for (size_t k = 0; k < width; k++)                                                         \
            for (size_t i = 0; i < n; i++)                                                         \
                memcpy(&dst[i * stride + k], (const uint8_t *)columns[k] + i * sizeof *dst,        \
                       sizeof *dst);                                                               \
    }
TRANSPOSE(1, uint8_t)
TRANSPOSE(2, uint16_t)

static void transpose(const matrix *m, void *dst, size_t stride, const void *const *columns,
                      size_t width, size_t n)
{
    if (m->item_nbytes == 4)
        dvi_kernels()->transpose_4(dst, stride, columns, width, n);
    else if (m->item_nbytes == 8)
        dvi_kernels()->transpose_8(dst, stride, columns, width, n);
    else if (m->item_nbytes == 2)
        transpose_2(dst, stride, columns, width, n);
    else
        transpose_1(dst, stride, columns, width, n);
}

static void replace_na(const dvi_dense_items *items, void *dst, const void *src, size_t n)
{
    const dvi_kernel_table *k = dvi_kernels();
    if (items->nbytes == 1)
        k->na_replace_1(dst, src, n, &items->rule, (uint8_t)items->value);
    else if (items->nbytes == 2)
        k->na_replace_2(dst, src, n, &items->rule, (uint16_t)items->value);
    else if (items->nbytes == 4)
        k->na_replace_4(dst, src, n, &items->rule, (uint32_t)items->value);
    else
        k->na_replace_8(dst, src, n, &items->rule, items->value);
}

/* --- Items ------------------------------------------------------------------------------------ */

/* Items that were made, and the rule that the next one broke; NULL: none did. */
typedef struct made {
    size_t n;
    const char *rule;
} made;

/* Keep the first n, if they are fewer. */
static void keep(made *all, size_t n, const char *rule)
{
    if (n < all->n)
        *all = (made){n, rule};
}

/* Make items of the matrix of n <= CONVERT_ITEMS items. */
static made convert_some(const matrix *m, const column *p, void *dst, const void *src, size_t n)
{
    uint64_t first[CONVERT_ITEMS], second[CONVERT_ITEMS];
    const dvi_dense_items *via = p->is_direct ? &m->own : &m->via;
    dvi_items_map *const from_via = p->is_direct ? NULL : m->from_via;
    const bool replaces = p->has_na && m->na == DV_DENSE_NA_VALUE;
    made all = {n, NULL};
    if (m->na == DV_DENSE_NA_MASK) {
        dvi_items_mask(dst, src, p->item_nbytes, &p->rule, n);
        return all;
    }
    if (p->to_via) {
        void *to = replaces || from_via ? first : dst;
        keep(&all, p->to_via(to, src, n), "range");
        src = to;
    }
    if (p->has_na && m->na == DV_DENSE_NA_REFUSED)
        keep(&all, dvi_na_first(&via->rule, src, via->nbytes, all.n), "na");
    if (replaces) {
        void *to = from_via ? second : dst;
        replace_na(via, to, src, all.n);
        src = to;
    }
    if (from_via)
        keep(&all, from_via(dst, src, all.n), "range");
    else if (src != dst)
        memcpy(dst, src, all.n * m->item_nbytes);
    return all;
}

static made convert_items(const matrix *m, const column *p, uint8_t *dst, const uint8_t *src,
                          size_t n)
{
    for (size_t at = 0; at < n; at += CONVERT_ITEMS) {
        const size_t some = n - at < CONVERT_ITEMS ? n - at : CONVERT_ITEMS;
        const made all =
            convert_some(m, p, dst + at * m->item_nbytes, src + at * p->item_nbytes, some);
        if (all.rule)
            return (made){at + all.n, all.rule};
    }
    return (made){n, NULL};
}

bool dvi_dense_convert(const matrix *m, const column *p, void *dst, const void *src, size_t n)
{
    return !convert_items(m, p, dst, src, n).rule;
}

static dv_status fail(const matrix *m, const column *p, const char *rule, size_t row, int64_t slot,
                      dv_error *err)
{
    const bool is_na = strcmp(rule, "na") == 0;
    if (m->na_row)
        *m->na_row = row;
    dvi_fail(err, DV_ERR_LIMIT, rule, -1, "items", "%s%s|one in row %lld, slot %lld",
             is_na ? "none that is NA" : "numbers that fit in ",
             is_na ? "" : dv_kind_name(m->to.item), (long long)(m->to.first_row + (int64_t)row),
             (long long)slot);
    if (p->number >= 0)
        dvi_dense_within_column(err, m->names, p->number);
    return DV_ERR_LIMIT;
}

/* Report the item after those that were made of these rows; row: the number of the first one. */
static dv_status fail_item(const matrix *m, const column *p, const dv_sparse *rows, size_t row,
                           made all, dv_error *err)
{
    size_t item = all.n;
    size_t index = 0, i = 0;
    for (;; i++) {
        const int32_t count = dvi_sparse_count(rows, i);
        const size_t items = (size_t)(count < 0 ? dvi_sparse_length(rows, i) : count);
        if (item < items)
            break;
        item -= items;
        index += count < 0 ? 0 : items;
    }
    const bool is_dense = dvi_sparse_count(rows, i) < 0;
    const int64_t slot = is_dense ? (int64_t)item : dvi_sparse_index(rows, index + item);
    return fail(m, p, all.rule, row + i, slot, err);
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Rows of the matrix that are written together. */
typedef struct tile {
    uint8_t *dst;
    size_t stride;    /* items */
    size_t row, rows; /* rows of the matrix: the first, and how many */
    size_t slot;      /* first slot of the tile in the matrix */
    uint8_t *scratch; /* SCRATCH bytes, aligned to any item */
} tile;

static uint8_t *tile_at(const matrix *m, const tile *t, size_t row, size_t slot)
{
    return t->dst + (row * t->stride + slot - t->slot) * m->item_nbytes;
}

/* The fields of all columns that each tile needs. The columns themselves would fill much of the L1
 * cache. */
typedef struct source {
    const void *next[DVI_DENSE_COLUMNS]; /* scalars of the next rows */
    size_t nbytes[DVI_DENSE_COLUMNS];    /* bytes of a scalar; 0: vectors */
    uint8_t run[DVI_DENSE_COLUMNS]; /* number of columns from this one on that have one slot and
                                       need no conversion */
} source;

static void find_source(source *s, const matrix *m, const column *columns, size_t n)
{
    uint8_t run = 0;
    for (size_t k = n; k-- > 0;) {
        const column *p = &columns[k];
        const bool is_one = !p->is_vector && p->width == 1 && dvi_dense_is_plain(p, m);
        s->run[k] = run = is_one ? (uint8_t)(run + 1) : 0;
        s->next[k] = p->values;
        s->nbytes[k] = p->is_vector ? 0 : p->item_nbytes;
    }
}

/* Move past the written rows, and prefetch the next tile's. Each line is named by its last
 * byte, because its first may belong to earlier rows. */
static void advance_scalars(source *s, size_t from, size_t to, size_t rows, size_t fetched)
{
    for (size_t k = from; k < to; k++) {
        if (s->nbytes[k] == 0)
            continue;
        const uint8_t *const next = (const uint8_t *)s->next[k] + rows * s->nbytes[k];
        for (size_t i = LINE - 1; i < fetched * s->nbytes[k]; i += LINE)
            DVI_FETCH(next + i);
        s->next[k] = next;
    }
}

/* Adjacent columns of scalars, converted to items of the matrix. */
typedef struct group {
    const void *columns[DVI_DENSE_COLUMNS];
    size_t slot, n;
    size_t used; /* bytes used of the scratch memory */
} group;

static void write_group(const matrix *m, const tile *t, group *g)
{
    if (g->n > 0)
        transpose(m, tile_at(m, t, 0, g->slot), t->stride, g->columns, g->n, t->rows);
    g->n = g->used = 0;
}

/* Set the slots of a column after its first to zero. */
static void write_zeros(const matrix *m, const tile *t, const column *p)
{
    for (size_t i = 0; i < t->rows; i++)
        memset(tile_at(m, t, i, p->slot + 1), 0, (p->width - 1) * m->item_nbytes);
}

static dv_status write_scalars(const matrix *m, const tile *t, const column *p, const void *values,
                               group *g, dv_error *err)
{
    if (!dvi_dense_is_plain(p, m)) {
        const size_t nbytes = t->rows * m->item_nbytes;
        if (g->used + nbytes > SCRATCH)
            write_group(m, t, g);
        uint8_t *to = t->scratch + g->used;
        const made all = convert_items(m, p, to, values, t->rows);
        DVI_REQUIRE(!all.rule, fail(m, p, all.rule, t->row + all.n, 0, err));
        g->used += nbytes;
        values = to;
    }
    g->slot = g->n > 0 ? g->slot : p->slot;
    g->columns[g->n++] = values;
    if (p->width > 1) {
        write_group(m, t, g);
        write_zeros(m, t, p);
    }
    return DV_OK;
}

/* Move past the rows of a column. */
static void advance(column *p, size_t rows, const int64_t sums[2])
{
    p->rows = dvi_sparse_from(&p->rows, rows, (size_t)sums[0], (size_t)sums[1] * p->item_nbytes);
}

static dv_status write_vectors(const matrix *m, const tile *t, column *p, dv_error *err)
{
    const bool is_plain = dvi_dense_is_plain(p, m);
    const size_t most = is_plain ? t->rows : SCRATCH / (p->width * m->item_nbytes);
    const dvi_densify_kernel *const densify =
        is_plain ? p->densify : dvi_densify_find(m->to.item, m->to.item);
    for (size_t at = 0; at < t->rows;) {
        dv_sparse rows = p->rows;
        int64_t sums[2];
        rows.n = t->rows - at < most ? t->rows - at : most;
        dvi_kernels()->counts_check(&rows, 0, sums);
        if (!is_plain) {
            const size_t n = (size_t)sums[1];
            const made all = convert_items(m, p, t->scratch, rows.items, n);
            DVI_REQUIRE(!all.rule, fail_item(m, p, &rows, t->row + at, all, err));
            rows.items = t->scratch;
        }
        densify->run(dvi_kernels(), tile_at(m, t, at, p->slot), t->stride, p->width, &rows,
                     DVI_STORE_CACHED);
        advance(p, rows.n, sums);
        at += rows.n;
    }
    return DV_OK;
}

static dv_status write_tile(const matrix *m, const tile *t, const source *s, column *columns,
                            size_t n, dv_error *err)
{
    group g;
    g.n = g.used = 0;
    for (size_t k = 0, next; k < n; k = next) {
        next = k + 1;
        if (columns[k].is_vector) {
            write_group(m, t, &g);
            DVI_TRY(write_vectors(m, t, &columns[k], err));
        } else if (g.n == 0 && s->run[k] > 1) {
            next = k + s->run[k];
            transpose(m, tile_at(m, t, 0, columns[k].slot), t->stride, s->next + k, s->run[k],
                      t->rows);
        } else {
            DVI_TRY(write_scalars(m, t, &columns[k], s->next[k], &g, err));
        }
    }
    write_group(m, t, &g);
    return DV_OK;
}

static size_t width_of(const column *columns, size_t n)
{
    return columns[n - 1].slot + columns[n - 1].width - columns[0].slot;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows per tile for rows of nbytes: whole lines of each column, and so of a matrix without gaps. */
static size_t rows_of_tile(const matrix *m, size_t nbytes, bool is_direct)
{
    const size_t line = LINE / m->item_nbytes, step = is_direct ? line : 4 * line;
    const size_t rows = least((is_direct ? TILE : TILE_APART) / nbytes, TILE_ROWS);
    return rows < step ? line : rows / step * step;
}

/* Copy the tile to the matrix, and prefetch the next one of `next` rows. */
static void copy_tile(const matrix *m, const tile *t, source *s, size_t n, size_t next)
{
    const size_t nbytes = t->stride * m->item_nbytes, pitch = m->to.stride * m->item_nbytes;
    uint8_t *const dst = matrix_at(m, t->row, t->slot);
    for (size_t i = 0; i < COPY_STEPS; i++) {
        const size_t row = t->rows * i / COPY_STEPS, end = t->rows * (i + 1) / COPY_STEPS;
        advance_scalars(s, n * i / COPY_STEPS, n * (i + 1) / COPY_STEPS, t->rows, next);
        dvi_kernels()->rows_copy(dst + row * pitch, pitch, t->dst + row * nbytes, nbytes, nbytes,
                                 end - row, m->store);
    }
}

static dv_status fill_tiles(const matrix *m, column *columns, size_t n, dv_error *err)
{
    _Alignas(64) uint8_t scratch[SCRATCH], memory[TILE];
    const size_t slot = columns[0].slot, width = width_of(columns, n);
    const size_t nbytes = width * m->item_nbytes, pitch = m->to.stride * m->item_nbytes;
    const bool is_thin = pitch > nbytes && nbytes < EDGES;
    const bool is_direct = m->store == DVI_STORE_CACHED || is_thin || nbytes > DVI_DENSE_STRIPE;
    const size_t most = rows_of_tile(m, nbytes, is_direct);
    tile t = {.slot = slot, .scratch = scratch};
    source s;
    find_source(&s, m, columns, n);
    for (; t.row < m->rows; t.row += t.rows) {
        t.rows = least(most, m->rows - t.row);
        t.dst = is_direct ? matrix_at(m, t.row, slot) : memory;
        t.stride = is_direct ? m->to.stride : width;
        DVI_TRY(write_tile(m, &t, &s, columns, n, err));
        if (is_direct)
            advance_scalars(&s, 0, n, t.rows, 0);
        else
            copy_tile(m, &t, &s, n, least(most, m->rows - t.row - t.rows));
    }
    if (!is_direct)
        dvi_store_finish();
    return DV_OK;
}

/* --- Row by row ------------------------------------------------------------------------------- */

bool dvi_dense_goes_by_rows(const matrix *m, const column *p)
{
    const bool fits =
        p->is_vector ? !p->rows.lengths && (size_t)p->rows.length == p->width : p->width == 1;
    return p->is_key_vector || (m->pads && !fits);
}

/* The slots of a row that are written, and where. */
typedef struct placed {
    size_t from, n; /* the first slot in the row, and how many follow */
    size_t to;      /* the first slot in the column */
} placed;

static placed place(const matrix *m, size_t length, size_t width)
{
    const size_t n = least(length, width);
    return (placed){m->cut == DV_DENSE_CUT_START ? length - n : 0, n, m->left ? width - n : 0};
}

static void write_fill(const matrix *m, uint8_t *dst, size_t n)
{
    if (m->fill == 0) {
        memset(dst, 0, n * m->item_nbytes);
        return;
    }
    for (size_t i = 0; m->item_nbytes == 1 && i < n; i++)
        dst[i] = (uint8_t)m->fill;
    for (size_t i = 0; m->item_nbytes == 2 && i < n; i++)
        ((uint16_t *)(void *)dst)[i] = (uint16_t)m->fill;
    for (size_t i = 0; m->item_nbytes == 4 && i < n; i++)
        ((uint32_t *)(void *)dst)[i] = (uint32_t)m->fill;
    for (size_t i = 0; m->item_nbytes == 8 && i < n; i++)
        ((uint64_t *)(void *)dst)[i] = m->fill;
}

/* The number of indices of a sparse row below a slot. */
static size_t indices_below(const dv_sparse *row, size_t slot)
{
    size_t first = 0, end = (size_t)dvi_sparse_count(row, 0);
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if ((size_t)dvi_sparse_index(row, middle) < slot)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The functions below write the slots of a row from dst on.  If one is refused, n is its number in
 * the row. */
static made write_dense(const matrix *m, const column *p, uint8_t *dst, const dv_sparse *row,
                        placed at)
{
    if (at.n == 0)
        return (made){0, NULL};
    const uint8_t *const src = (const uint8_t *)row->items + at.from * p->item_nbytes;
    const made all = convert_items(m, p, dst, src, at.n);
    return (made){at.from + all.n, all.rule};
}

static made write_sparse(const matrix *m, const column *p, uint8_t *dst, const dv_sparse *row,
                         placed at)
{
    const size_t end = indices_below(row, at.from + at.n);
    memset(dst, 0, at.n * m->item_nbytes);
    for (size_t k = indices_below(row, at.from), n; k < end; k += n) {
        uint64_t some[CONVERT_ITEMS];
        n = least(end - k, CONVERT_ITEMS);
        const made all =
            convert_some(m, p, some, (const uint8_t *)row->items + k * p->item_nbytes, n);
        if (all.rule)
            return (made){(size_t)dvi_sparse_index(row, k + all.n), all.rule};
        for (size_t i = 0; i < n; i++)
            memcpy(dst + ((size_t)dvi_sparse_index(row, k + i) - at.from) * m->item_nbytes,
                   (const uint8_t *)some + i * m->item_nbytes, m->item_nbytes);
    }
    return (made){0, NULL};
}

/* A sparse row of keys: slots without an item have key 0, which is NA. */
static made write_keys(const matrix *m, const column *p, uint8_t *dst, const dv_sparse *row,
                       placed at)
{
    const size_t nbytes = p->item_nbytes, end = indices_below(row, at.from + at.n);
    size_t k = indices_below(row, at.from);
    for (size_t slot = at.from, n; slot < at.from + at.n; slot += n) {
        uint64_t keys[CONVERT_ITEMS];
        n = least(at.from + at.n - slot, CONVERT_ITEMS);
        memset(keys, 0, n * nbytes);
        for (; k < end && (size_t)dvi_sparse_index(row, k) < slot + n; k++)
            memcpy((uint8_t *)keys + ((size_t)dvi_sparse_index(row, k) - slot) * nbytes,
                   (const uint8_t *)row->items + k * nbytes, nbytes);
        const made all = convert_some(m, p, dst + (slot - at.from) * m->item_nbytes, keys, n);
        if (all.rule)
            return (made){slot + all.n, all.rule};
    }
    return (made){0, NULL};
}

static made write_row(const matrix *m, const column *p, uint8_t *dst, const dv_sparse *row,
                      size_t width)
{
    const placed at = place(m, (size_t)dvi_sparse_length(row, 0), width);
    uint8_t *const first = dst + at.to * m->item_nbytes;
    const bool is_dense = dvi_sparse_count(row, 0) < 0;
    DVI_KNOWN(row->indices || is_dense); /* a scalar's row is dense */
    write_fill(m, dst, at.to);
    write_fill(m, first + at.n * m->item_nbytes, width - at.to - at.n);
    return is_dense           ? write_dense(m, p, first, row, at)
           : p->is_key_vector ? write_keys(m, p, first, row, at)
                              : write_sparse(m, p, first, row, at);
}

/* Take the next row of a column; a scalar is a row of one slot. */
static dv_sparse next_row(column *p)
{
    static const int32_t is_dense = -1;
    dv_sparse row = p->rows;
    row.n = 1;
    if (p->is_vector) {
        const int32_t count = dvi_sparse_count(&row, 0);
        const int64_t items = count < 0 ? dvi_sparse_length(&row, 0) : count;
        advance(p, 1, (const int64_t[2]){count < 0 ? 0 : count, items});
        return row;
    }
    row = (dv_sparse){.n = 1, .length = 1, .counts = &is_dense, .items = p->values};
    p->values += p->item_nbytes;
    return row;
}

static dv_status fill_rows(const matrix *m, column *p, dv_error *err)
{
    for (size_t i = 0; i < m->rows; i++) {
        const dv_sparse row = next_row(p);
        const made all = write_row(m, p, matrix_at(m, i, p->slot), &row, p->width);
        DVI_REQUIRE(!all.rule, fail(m, p, all.rule, i, (int64_t)all.n, err));
    }
    return DV_OK;
}

/* Dense rows are converted together.  They are written again to find one that is refused. */
static bool fill_dense_rows(const matrix *m, const column *p)
{
    int64_t sums[2] = {0, (int64_t)m->rows}, slots = (int64_t)m->rows;
    if (p->is_vector) {
        slots = 0;
        dvi_kernels()->counts_check(&p->rows, 0, sums);
        for (size_t i = 0; i < m->rows; i++)
            slots += dvi_sparse_length(&p->rows, i);
    }
    const void *const items = p->is_vector ? p->rows.items : p->values;
    return sums[0] == 0 && sums[1] == slots &&
           !convert_items(m, p, m->to.dst, items, (size_t)slots).rule;
}

dv_status dvi_dense_fill_ragged(const matrix *m, column *p, dv_error *err)
{
    uint8_t *dst = m->to.dst;
    if (fill_dense_rows(m, p))
        return DV_OK;
    for (size_t i = 0; i < m->rows; i++) {
        const dv_sparse row = next_row(p);
        const size_t slots = (size_t)dvi_sparse_length(&row, 0);
        const made all = write_row(m, p, dst, &row, slots);
        DVI_REQUIRE(!all.rule, fail(m, p, all.rule, i, (int64_t)all.n, err));
        dst += slots * m->item_nbytes;
    }
    return DV_OK;
}

/* --- All at once ------------------------------------------------------------------------------ */

/* Fill a matrix of one scalar column without gaps. */
static dv_status fill_contiguous(const matrix *m, const column *p, dv_error *err)
{
    if (dvi_dense_is_plain(p, m)) {
        if (m->rows > 0)
            memcpy(m->to.dst, p->values, m->rows * m->item_nbytes);
        return DV_OK;
    }
    const made all = convert_items(m, p, m->to.dst, p->values, m->rows);
    DVI_REQUIRE(!all.rule, fail(m, p, all.rule, all.n, 0, err));
    return DV_OK;
}

dv_status dvi_dense_fill(const matrix *m, column *columns, size_t n, dv_error *err)
{
    column *const first = columns;
    if (dvi_dense_goes_by_rows(m, first))
        return fill_rows(m, first, err);
    const bool is_long = width_of(columns, n) * m->item_nbytes > DVI_DENSE_STRIPE;
    if (n > 1 || (!first->is_vector && m->to.stride > 1))
        return fill_tiles(m, columns, n, err);
    if (!first->is_vector)
        return fill_contiguous(m, first, err);
    if (!dvi_dense_is_plain(first, m))
        return is_long ? fill_rows(m, first, err) : fill_tiles(m, columns, n, err);
    dvi_densify(first->densify, matrix_at(m, 0, first->slot), m->to.stride, first->width,
                &first->rows);
    return DV_OK;
}
