/* SPDX-License-Identifier: MIT */
/* test_dense_mix.c: adjacent columns of any types fill a matrix as a loop over their items does. */
#include "simd/check_kernels.h"
#include "simd/na.h"
#include "view/batch.h"
#include "matrix/dense_fill.h"
#include "support/page.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 150
#define SLOTS_MAX 40
#define CANARY 0xA5

/* --- Random columns --- */

static const dv_kind kinds[] = {DV_KIND_I1, DV_KIND_I2, DV_KIND_I4, DV_KIND_I8, DV_KIND_U1,
                                DV_KIND_U2, DV_KIND_U4, DV_KIND_U8, DV_KIND_R4, DV_KIND_R8,
                                DV_KIND_BL, DV_KIND_TS, DV_KIND_DT};
#define KINDS (sizeof kinds / sizeof *kinds)

/* A column with its memory at odd addresses: one allocation per buffer, with nothing after it. */
typedef struct drawn {
    dv_column_view column, items;
    size_t width;
    void *memory[4];
} drawn;

/* Allocate n items of nbytes each, uninitialized. */
static uint8_t *allocate(void **memory, size_t n, size_t nbytes, dv_buffer *buffer)
{
    uint8_t *data = malloc(n * nbytes + 1);
    cr_assert_not_null(data);
    *memory = data;
    *buffer = (dv_buffer){data + 1, n * nbytes, NULL, true, false};
    return data + 1;
}

/* NA in most of its forms, zeros, values too large for a float, and any other. */
static uint64_t draw_item(dv_kind kind, dvt_draw *draw, bool has_na)
{
    const uint64_t bits = dvt_draw_bits(draw);
    const int width = 8 * dv_kind_width(kind);
    const uint64_t least = UINT64_C(1) << (width - 1);
    const bool is_real = kind == DV_KIND_R4 || kind == DV_KIND_R8;
    const float f4 = (float)((double)(int64_t)bits * 0x1p-40);
    const double f8 = (double)(int64_t)bits * 0x1p-40;
    uint64_t item = 0;
    switch (dvt_draw_below(draw, 8)) {
    case 0:
        return is_real && has_na ? bits | (width == 32 ? 0x7FC00000 : UINT64_C(0x7FF8) << 48)
               : has_na          ? least
                                 : 1;
    case 1:
        return is_real ? least : 0; /* -0 */
    case 2:
        return has_na && !is_real ? bits : 0;
    default:
        break;
    }
    if (kind == DV_KIND_BL)
        return bits % 2;
    if (!is_real)
        return kind == DV_KIND_DT || !has_na ? bits >> (68 - width) : bits;
    memcpy(&item, kind == DV_KIND_R4 ? (const void *)&f4 : (const void *)&f8, (size_t)width / 8);
    return item;
}

static void fill_items(uint8_t *dst, size_t n, dv_kind kind, dvt_draw *draw, bool has_na)
{
    const size_t width = (size_t)dv_kind_width(kind);
    for (size_t i = 0; i < n; i++) {
        const uint64_t item = draw_item(kind, draw, has_na);
        memcpy(dst + i * width, &item, width);
    }
}

static void draw_scalars(drawn *d, size_t rows, dv_kind kind, dvt_draw *draw, bool has_na)
{
    d->column = (dv_column_view){dv_type_of(kind), DV_LAYOUT_FIXED, (int64_t)rows, .as = {{{0}}}};
    fill_items(
        allocate(&d->memory[0], rows, (size_t)dv_kind_width(kind), &d->column.as.fixed.values),
        rows, kind, draw, has_na);
    d->width = 1;
}

/* Rows of up to `longest` slots, sparse, dense, or mixed; indices and items start somewhere. */
static void draw_vectors(drawn *d, size_t rows, dv_kind kind, dvt_draw *draw, bool has_na)
{
    const bool varies = dvt_draw_once_in(draw, 2);
    const size_t longest = 1 + dvt_draw_below(draw, SLOTS_MAX), dense = dvt_draw_below(draw, 3);
    dv_vector_layout *v = &d->column.as.vector;
    d->column = (dv_column_view){dv_type_vector(dv_type_of(kind), varies ? 0 : (int32_t)longest),
                                 DV_LAYOUT_VECTOR, (int64_t)rows, .as = {{{0}}}};
    v->length = varies ? 0 : (int32_t)longest;
    v->index_base = (int64_t)dvt_draw_below(draw, 3);
    v->item_base = (int64_t)dvt_draw_below(draw, 3);
    uint8_t *lengths = varies ? allocate(&d->memory[0], rows, 4, &v->lengths) : NULL;
    uint8_t *counts = allocate(&d->memory[1], rows, 4, &v->counts);
    uint8_t *indices = allocate(&d->memory[2], rows * longest + 3, 4, &v->indices);
    size_t index = (size_t)v->index_base, items = (size_t)v->item_base;
    for (size_t i = 0; i < rows; i++) {
        const size_t length = varies ? dvt_draw_below(draw, longest + 1) : longest;
        const bool is_dense = dense == 2 || (dense == 1 && dvt_draw_once_in(draw, 2));
        int32_t count = is_dense ? -1 : 0, number = (int32_t)length;
        for (int32_t slot = 0; !is_dense && slot < (int32_t)length; slot++)
            if (dvt_draw_once_in(draw, 3)) {
                memcpy(indices + 4 * index++, &slot, 4);
                count++;
            }
        memcpy(counts + 4 * i, &count, 4);
        if (varies)
            memcpy(lengths + 4 * i, &number, 4);
        items += is_dense ? length : (size_t)count;
    }
    v->indices.nbytes = 4 * index;
    d->items = (dv_column_view){dv_type_of(kind), DV_LAYOUT_FIXED, (int64_t)items, .as = {{{0}}}};
    fill_items(
        allocate(&d->memory[3], items, (size_t)dv_kind_width(kind), &d->items.as.fixed.values),
        items, kind, draw, has_na);
    v->items = &d->items;
    d->width = longest + (varies ? dvt_draw_below(draw, 3) : 0);
}

static void drop(drawn *d)
{
    for (int i = 0; i < 4; i++)
        free(d->memory[i]);
    *d = (drawn){.width = 0};
}

/* --- The model: item by item --- */

/* The bits of an item in the matrix: NA is NaN. is_f4: 4 bytes, else 8. */
static uint64_t model_item(dv_kind kind, const uint8_t *src, bool is_f4)
{
    int64_t i = 0;
    uint64_t u = 0, bits = 0;
    float f4 = 0;
    double f8 = 0;
    bool is_na = false, is_signed = true;
    memcpy(&u, src, (size_t)dv_kind_width(kind));
    switch (kind) {
    case DV_KIND_R4:
        memcpy(&f4, &u, 4);
        f8 = (double)f4;
        if (is_f4)
            return u;
        is_na = isnan(f4);
        break;
    case DV_KIND_R8:
        memcpy(&f8, &u, 8);
        f4 = (float)f8;
        if (!is_f4)
            return u;
        is_na = isnan(f8);
        break;
    default:
        is_signed =
            kind != DV_KIND_U1 && kind != DV_KIND_U2 && kind != DV_KIND_U4 && kind != DV_KIND_U8;
        const int unused = 64 - 8 * dv_kind_width(kind);
        i = (int64_t)(u << unused) >> unused;
        is_na = is_signed && i == INT64_MIN >> unused;
        if (kind == DV_KIND_BL)
            is_na = i != 0 && i != 1;
        if (kind == DV_KIND_DT)
            is_na = i < 0 || i > DV_TICKS_MAX;
        f4 = is_signed ? (float)i : (float)u;
        f8 = is_signed ? (double)i : (double)u;
        break;
    }
    if (is_na)
        return is_f4 ? DV_R4_NA_BITS : DV_R8_NA_BITS;
    memcpy(&bits, is_f4 ? (const void *)&f4 : (const void *)&f8, is_f4 ? 4 : 8);
    return bits;
}

static bool is_nan_bits(uint64_t bits, bool is_f4)
{
    float f4;
    double f8;
    memcpy(&f4, &bits, 4);
    memcpy(&f8, &bits, 8);
    return is_f4 ? isnan(f4) : isnan(f8);
}

/* What a column puts into a matrix of rows of `stride` items, at slot `at` of each. */
typedef struct model {
    uint8_t *want;
    size_t stride;
    bool is_f4;
    dv_dense_na na;
    double na_value;
    int64_t na_row[COLUMNS_MAX], na_slot[COLUMNS_MAX]; /* the first of each column; -1: none */
} model;

static void put_bits(model *m, size_t column, size_t row, size_t at, size_t slot, uint64_t bits)
{
    const size_t size = m->is_f4 ? 4 : 8;
    const float f4 = (float)m->na_value;
    if (is_nan_bits(bits, m->is_f4)) {
        if (m->na_row[column] < 0) {
            m->na_row[column] = (int64_t)row;
            m->na_slot[column] = (int64_t)slot;
        }
        if (m->na == DV_DENSE_NA_VALUE)
            memcpy(&bits, m->is_f4 ? (const void *)&f4 : (const void *)&m->na_value, size);
    }
    memcpy(m->want + (row * m->stride + at + slot) * size, &bits, size);
}

static void model_column(model *m, size_t column, const drawn *d, size_t at, size_t width)
{
    const dv_kind kind = d->column.type.kind;
    const size_t size = (size_t)dv_kind_width(kind), own = m->is_f4 ? 4 : 8;
    const dv_vector_layout *v = &d->column.as.vector;
    const bool is_vector = d->column.layout == DV_LAYOUT_VECTOR;
    const uint8_t *item =
        is_vector ? (const uint8_t *)d->items.as.fixed.values.data + (size_t)v->item_base * size
                  : d->column.as.fixed.values.data;
    size_t index = is_vector ? (size_t)v->index_base : 0;
    m->na_row[column] = -1;
    for (size_t i = 0; i < (size_t)d->column.rows; i++) {
        int32_t count = -1, length = 1, slot;
        memset(m->want + (i * m->stride + at) * own, 0, width * own);
        if (is_vector) {
            memcpy(&count, (const uint8_t *)v->counts.data + 4 * i, 4);
            length = v->length;
            if (v->lengths.nbytes > 0)
                memcpy(&length, (const uint8_t *)v->lengths.data + 4 * i, 4);
        }
        for (int32_t j = 0; j < (count < 0 ? length : count); j++, item += size) {
            slot = j;
            if (count >= 0)
                memcpy(&slot, (const uint8_t *)v->indices.data + 4 * index++, 4);
            put_bits(m, column, i, at, (size_t)slot, model_item(kind, item, m->is_f4));
        }
    }
}

/* --- Trials --- */

static drawn all[COLUMNS_MAX];
static dv_error err;

/* Columns of a batch. */
static dv_batch *make_batch(size_t columns, size_t rows)
{
    const dv_type *types[COLUMNS_MAX];
    dv_batch *batch;
    for (size_t k = 0; k < columns; k++)
        types[k] = &all[k].column.type;
    cr_assert_eq(dvi_batch_create(&batch, NULL, types, (int32_t)columns, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(batch, 0, (int64_t)rows, &err), DV_OK);
    for (size_t k = 0; k < columns; k++)
        cr_assert_eq(dv_batch_fill(batch, (int32_t)k, &all[k].column, &err), DV_OK, "%s",
                     err.message);
    return batch;
}

static dv_status call(const dv_batch *batch, bool is_f4, uint8_t *dst, size_t stride,
                      const dv_dense_options *options)
{
    err = (dv_error)DV_ERROR_INIT;
    return is_f4 ? dv_batch_dense(batch, DV_KIND_R4, (void *)dst, stride, options, &err)
                 : dv_batch_dense(batch, DV_KIND_R8, (void *)dst, stride, options, &err);
}

/* The same with stores past the cache; only for columns that are written together. */
static dv_status call_streamed(const dv_batch *batch, const model *m, uint8_t *dst,
                               const dv_dense_options *o)
{
    const dv_kind kind = m->is_f4 ? DV_KIND_R4 : DV_KIND_R8;
    const dv_type type = dv_type_of(kind);
    const float f4 = (float)m->na_value;
    dvi_dense_matrix to = {.to = {.dst = dst, .stride = m->stride, .item = kind},
                           .rows = (size_t)batch->rows,
                           .item_nbytes = m->is_f4 ? 4 : 8,
                           .na = m->na,
                           .via = {m->is_f4 ? 4 : 8, dvi_na_of(&type), 0},
                           .store = DVI_STORE_STREAM};
    dvi_dense_column columns[DVI_DENSE_COLUMNS];
    size_t slot = 0;
    memcpy(&to.via.value, m->is_f4 ? (const void *)&f4 : (const void *)&m->na_value,
           to.item_nbytes);
    for (int32_t k = 0; k < o->columns_count; k++, slot += o->widths[k - 1])
        columns[k] = dvi_dense_column_of(dv_batch_column(batch, o->columns[k]), o->columns[k], slot,
                                         o->widths[k], kind);
    return dvi_dense_fill(&to, columns, (size_t)o->columns_count, &err);
}

/* A reported NA must be the first of its column. */
static void expect_na(const model *m, const dv_dense_options *o)
{
    char expected[COLUMNS_MAX];
    bool is_first = false;
    cr_assert_str_eq(err.rule, "na");
    for (int32_t k = 0; k < o->columns_count; k++) {
        snprintf(expected, sizeof expected,
                 "column %d: items: expected none that is NA, found one in row "
                 "%d, slot %d",
                 o->columns[k], (int)m->na_row[k], (int)m->na_slot[k]);
        is_first = is_first || (m->na_row[k] >= 0 && strstr(err.message, expected));
    }
    cr_assert(is_first, "%s", err.message);
}

/* Every byte is as in the model, also between the rows; nothing outside is written. */
static void expect_filled(const dv_batch *batch, const model *m, const dv_dense_options *o,
                          dvt_page page, size_t nbytes, size_t seed)
{
    const size_t size = m->is_f4 ? 4 : 8;
    bool has_na = false;
    for (int32_t k = 0; k < o->columns_count; k++)
        has_na = has_na || m->na_row[k] >= 0;
    for (int way = 0; way < 4; way++) {
        uint8_t *dst = way % 2 ? dvt_page_start(page, nbytes) : dvt_page_end(page, nbytes);
        const bool is_streamed = way >= 2;
        size_t width = 0;
        for (int32_t k = 0; k < o->columns_count; k++)
            width += o->widths[k];
        if (is_streamed && (o->columns_count > DVI_DENSE_COLUMNS || o->columns_count == 0 ||
                            width * size > DVI_DENSE_STRIPE))
            continue;
        memset(dst, CANARY, nbytes);
        const dv_status status = is_streamed ? call_streamed(batch, m, dst, o)
                                             : call(batch, m->is_f4, dst, m->stride, o);
        if (m->na == DV_DENSE_NA_REFUSED && has_na) {
            cr_assert_eq(status, DV_ERR_LIMIT, "seed %zu", seed);
            expect_na(m, o);
            continue;
        }
        cr_assert_eq(status, DV_OK, "seed %zu: %s", seed, err.message);
        cr_assert_eq(memcmp(dst, m->want, nbytes), 0, "seed %zu, way %d", seed, way);
    }
}

/* The parameters of a trial. */
typedef struct plan {
    dv_dense_options options;
    int32_t numbers[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX];
    size_t rows, columns, width; /* width: of the columns that are chosen */
    bool is_f4;
} plan;

/* A batch of drawn columns. */
static dv_batch *draw_batch(plan *p, size_t most, dvt_draw *draw)
{
    const bool has_na = !dvt_draw_once_in(draw, 4), is_same = dvt_draw_once_in(draw, 3);
    const size_t vectors = 1 + dvt_draw_below(draw, 5);
    p->rows = 1 + dvt_draw_below(draw, dvt_draw_once_in(draw, 4) ? 600 : 40);
    p->columns = 1 + dvt_draw_below(draw, most);
    for (size_t k = 0; k < p->columns; k++) {
        const dv_kind own = p->is_f4 ? DV_KIND_R4 : DV_KIND_R8;
        const dv_kind kind = is_same ? own : kinds[dvt_draw_below(draw, KINDS)];
        if (most < COLUMNS_MAX && dvt_draw_once_in(draw, vectors))
            draw_vectors(&all[k], p->rows, kind, draw, has_na);
        else
            draw_scalars(&all[k], p->rows, kind, draw, has_na);
    }
    return make_batch(p->columns, p->rows);
}

/* Some of its columns, in any order, one perhaps twice; some wider than they need. */
static void draw_options(plan *p, size_t most, dvt_draw *draw)
{
    const size_t n = dvt_draw_below(draw, most);
    p->width = 0;
    for (size_t k = 0; k < n; k++) {
        p->numbers[k] = (int32_t)dvt_draw_below(draw, p->columns);
        p->widths[k] = all[p->numbers[k]].width + (dvt_draw_once_in(draw, 9) ? 2 : 0);
        p->width += p->widths[k];
    }
    p->options = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    p->options.columns = p->numbers;
    p->options.columns_count = (int32_t)n;
    p->options.widths = p->widths;
    p->options.na = (dv_dense_na)dvt_draw_below(draw, 3);
    p->options.na_value = dvt_draw_once_in(draw, 3) ? 0.1 : -1;
}

static void try_columns(size_t seed)
{
    static plan p;
    dvt_draw draw = dvt_draw_from(seed);
    const size_t most = dvt_draw_once_in(&draw, 8) ? COLUMNS_MAX : 14;
    p.is_f4 = dvt_draw_once_in(&draw, 2);
    const dv_batch *batch = draw_batch(&p, most, &draw);
    draw_options(&p, most, &draw);
    const size_t gap = dvt_draw_once_in(&draw, 3) ? dvt_draw_below(&draw, 90) : 0;
    const size_t whole = dvt_draw_once_in(&draw, 3) ? 16 : 1; /* rows of whole lines */
    const size_t stride = (p.width + gap + whole - 1) / whole * whole;
    const size_t nbytes = ((p.rows - 1) * stride + p.width) * (p.is_f4 ? 4 : 8);
    dvt_page page = dvt_page_create(nbytes + 1), wanted = dvt_page_create(nbytes + 1);
    model m = {.want = wanted.data,
               .stride = stride,
               .is_f4 = p.is_f4,
               .na = p.options.na,
               .na_value = p.options.na_value};
    memset(m.want, CANARY, nbytes);
    for (size_t k = 0, at = 0; k < (size_t)p.options.columns_count; at += p.widths[k++])
        model_column(&m, k, &all[p.numbers[k]], at, p.widths[k]);
    expect_filled(batch, &m, &p.options, page, nbytes, seed);
    dvt_page_free(&page);
    dvt_page_free(&wanted);
    dv_batch_release(&batch);
    for (size_t k = 0; k < p.columns; k++)
        drop(&all[k]);
}

Test(dense_mix, any_columns_fill_as_the_model_says)
{
    for (size_t seed = 0; seed < 3000; seed++)
        try_columns(seed);
}
