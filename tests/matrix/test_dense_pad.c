/* SPDX-License-Identifier: MIT */
/* test_dense_pad.c: rows that are shorter or longer than their columns are filled and cut as a loop
 * over their slots does, and written end to end. */
#include "simd/check_kernels.h"
#include "view/batch.h"
#include "support/page.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 24
#define COLUMNS_MAX 4
#define LONG 1200 /* slots: more than are converted at a time */
#define CANARY 0xA5

static dv_error err;

static bool is_unsigned(dv_kind kind)
{
    return kind == DV_KIND_U1 || kind == DV_KIND_U2 || kind == DV_KIND_U4 || kind == DV_KIND_U8;
}

/* --- Rows ------------------------------------------------------------------------------------- */

typedef enum state { ABSENT, MISSING, PRESENT } state;

/* One column: what each slot holds, and the same as the library gets it. */
typedef struct drawn {
    dv_type item;
    bool is_vector;
    size_t longest, lengths[ROWS_MAX];
    uint8_t *states, *numbers; /* ROWS_MAX x longest */
    dv_column_view column, items;
    void *memory[4];
} drawn;

static size_t at(const drawn *d, size_t row, size_t slot)
{
    return row * d->longest + slot;
}

static void *allocate(drawn *d, int i, size_t nbytes)
{
    d->memory[i] = malloc(nbytes + 1);
    cr_assert_not_null(d->memory[i]);
    return (uint8_t *)d->memory[i] + 1; /* at an odd address */
}

/* The stored item of a number, or of NA. */
static uint64_t stored(const dv_type *item, bool is_na, uint8_t number)
{
    const float f4 = number;
    const double f8 = number;
    uint64_t bits = 0;
    if (item->is_key)
        return is_na ? 0 : (uint64_t)number + 1;
    if (item->kind == DV_KIND_R4) {
        memcpy(&bits, &f4, sizeof f4);
        return is_na ? DV_R4_NA_BITS : bits;
    }
    if (item->kind == DV_KIND_R8) {
        memcpy(&bits, &f8, sizeof f8);
        return is_na ? DV_R8_NA_BITS : bits;
    }
    return is_na ? UINT64_C(1) << (8 * dv_kind_width(item->kind) - 1) : number;
}

static void put(drawn *d, uint8_t *items, size_t *n, size_t row, size_t slot)
{
    const size_t k = at(d, row, slot), width = (size_t)dv_kind_width(d->item.kind);
    const uint64_t bits = stored(&d->item, d->states[k] == MISSING, d->numbers[k]);
    memcpy(items + (*n)++ * width, &bits, width);
}

/* Rows without an absent slot are dense or list all of their slots. */
static void lay_out(drawn *d, size_t rows, dvt_draw *draw)
{
    const size_t most = rows * d->longest, width = (size_t)dv_kind_width(d->item.kind);
    uint8_t *lengths = allocate(d, 0, 4 * rows), *counts = allocate(d, 1, 4 * rows);
    uint8_t *indices = allocate(d, 2, 4 * most), *items = allocate(d, 3, width * most);
    size_t listed = 0, n = 0;
    for (size_t i = 0; i < rows; i++) {
        const int32_t length = (int32_t)d->lengths[i];
        bool is_dense = !d->is_vector || !dvt_draw_once_in(draw, 4);
        int32_t count = 0;
        for (int32_t s = 0; s < length; s++)
            is_dense = is_dense && d->states[at(d, i, (size_t)s)] != ABSENT;
        for (int32_t s = 0; s < length; s++) {
            if (d->states[at(d, i, (size_t)s)] == ABSENT)
                continue;
            put(d, items, &n, i, (size_t)s);
            count++;
            if (!is_dense)
                memcpy(indices + 4 * listed++, &s, 4);
        }
        count = is_dense ? -1 : count;
        memcpy(lengths + 4 * i, &length, 4);
        memcpy(counts + 4 * i, &count, 4);
    }
    d->items = (dv_column_view){d->item, DV_LAYOUT_FIXED, (int64_t)n, .as = {{{0}}}};
    d->items.as.fixed.values = (dv_buffer){items, n * width, NULL, true, false};
    if (!d->is_vector) {
        d->column = d->items;
        return;
    }
    bool varies = dvt_draw_once_in(draw, 2);
    for (size_t i = 0; i < rows; i++)
        varies = varies || d->lengths[i] != d->longest;
    const int32_t size = varies ? 0 : (int32_t)d->longest;
    d->column = (dv_column_view){dv_type_vector(d->item, size), DV_LAYOUT_VECTOR, (int64_t)rows,
                                 .as = {{{0}}}};
    d->column.as.vector = (dv_vector_layout){.length = size,
                                             .counts = {counts, 4 * rows, NULL, true, false},
                                             .indices = {indices, 4 * listed, NULL, true, false},
                                             .items = &d->items};
    if (varies)
        d->column.as.vector.lengths = (dv_buffer){lengths, 4 * rows, NULL, true, false};
}

static const dv_kind kinds[] = {DV_KIND_I1, DV_KIND_I2, DV_KIND_I4, DV_KIND_I8,
                                DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8,
                                DV_KIND_R4, DV_KIND_R8, DV_KIND_BL, DV_KIND_TS};
#define KINDS (sizeof kinds / sizeof *kinds)

static void draw_column(drawn *d, size_t rows, bool has_keys, dvt_draw *draw)
{
    const dv_kind kind = kinds[dvt_draw_below(draw, KINDS)];
    const bool is_key = has_keys && is_unsigned(kind);
    const bool has_absent = dvt_draw_once_in(draw, 2), is_fixed = dvt_draw_once_in(draw, 4);
    d->item = is_key ? dv_type_key(kind, 0, 200) : dv_type_of(kind);
    const bool has_na = dv_type_has_na(&d->item) && !dvt_draw_once_in(draw, 3);
    d->is_vector = !dvt_draw_once_in(draw, 5);
    d->longest = !d->is_vector                ? 1
                 : dvt_draw_once_in(draw, 20) ? LONG
                                              : 1 + dvt_draw_below(draw, 12);
    d->states = calloc(ROWS_MAX, d->longest);
    d->numbers = calloc(ROWS_MAX, d->longest);
    cr_assert(d->states && d->numbers);
    for (size_t i = 0; i < rows; i++) {
        d->lengths[i] =
            !d->is_vector || is_fixed ? d->longest : dvt_draw_below(draw, d->longest + 1);
        for (size_t s = 0; s < d->lengths[i]; s++) {
            const bool is_absent = d->is_vector && has_absent && dvt_draw_once_in(draw, 3);
            const bool is_na = has_na && dvt_draw_once_in(draw, 15);
            d->states[at(d, i, s)] = (uint8_t)(is_absent ? ABSENT : is_na ? MISSING : PRESENT);
            d->numbers[at(d, i, s)] = (uint8_t)dvt_draw_below(draw, kind == DV_KIND_BL ? 2 : 100);
        }
    }
    lay_out(d, rows, draw);
}

static void drop(drawn *d)
{
    for (int i = 0; i < 4; i++)
        free(d->memory[i]);
    free(d->states);
    free(d->numbers);
    *d = (drawn){.longest = 0};
}

static const dv_batch *make_batch(drawn *all, size_t columns, size_t rows)
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

/* --- The model: slot by slot ------------------------------------------------------------------ */

static const dv_kind matrices[] = {DV_KIND_I1, DV_KIND_I2, DV_KIND_I4, DV_KIND_I8,
                                   DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8,
                                   DV_KIND_R4, DV_KIND_R8, DV_KIND_R2, DV_KIND_B2};
#define MATRICES (sizeof matrices / sizeof *matrices)

static bool is_whole(dv_kind items)
{
    return items != DV_KIND_R4 && items != DV_KIND_R8 && items != DV_KIND_R2 && items != DV_KIND_B2;
}

/* The bits of an item; the number is one that R2 and B2 have. */
static uint64_t item_of(dv_kind items, double number)
{
    const float f4 = (float)number;
    uint32_t bits;
    uint64_t wide;
    memcpy(&bits, &f4, sizeof bits);
    memcpy(&wide, &number, sizeof wide);
    if (items == DV_KIND_R4)
        return bits;
    if (items == DV_KIND_R8)
        return wide;
    if (items == DV_KIND_B2)
        return bits >> 16;
    if (items == DV_KIND_R2 && isinf(number))
        return 0x7C00;
    if (items == DV_KIND_R2)
        return bits << 1 == 0
                   ? bits >> 16
                   : (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3FFFF) - ((127 - 15) << 10));
    return (uint64_t)(int64_t)number;
}

static uint64_t na_of(dv_kind items)
{
    return items == DV_KIND_R4   ? DV_R4_NA_BITS
           : items == DV_KIND_R8 ? DV_R8_NA_BITS
           : items == DV_KIND_R2 ? 0xFE00
           : items == DV_KIND_B2 ? 0xFFC0
                                 : UINT64_C(1) << (8 * dv_kind_width(items) - 1);
}

/* The first NA of a matrix that refuses it; row SIZE_MAX: there is none. */
typedef struct place {
    size_t row, column, slot;
} place;

typedef struct model {
    const dv_dense_options *o;
    dv_kind items;
    uint8_t *dst;
    size_t stride;
    place na;
} model;

static void put_item(const model *m, size_t i, uint64_t bits)
{
    const size_t nbytes = (size_t)dv_kind_width(m->items);
    memcpy(m->dst + i * nbytes, &bits, nbytes);
}

/* Write slot `slot` of row i of column k. */
static void model_slot(model *m, const drawn *d, size_t k, size_t i, size_t slot, size_t to)
{
    const state found = d->states[at(d, i, slot)];
    const bool is_na = found == MISSING || (found == ABSENT && d->item.is_key);
    const double number = found == PRESENT ? d->numbers[at(d, i, slot)] : 0;
    const bool is_refused =
        m->o->na == DV_DENSE_NA_REFUSED || (m->o->na == DV_DENSE_NA_KEEP && is_unsigned(m->items));
    if (is_na && is_refused && m->na.row > i)
        m->na = (place){i, k, slot};
    put_item(m, to,
             m->o->na == DV_DENSE_NA_MASK    ? is_na
             : !is_na                        ? item_of(m->items, number)
             : m->o->na == DV_DENSE_NA_VALUE ? item_of(m->items, m->o->na_value)
                                             : na_of(m->items));
}

static void model_row(model *m, const drawn *d, size_t k, size_t i, size_t first, size_t width)
{
    const size_t length = d->lengths[i], kept = length < width ? length : width;
    const size_t from = m->o->cut == DV_DENSE_CUT_START ? length - kept : 0;
    const size_t before = m->o->left ? width - kept : 0;
    const bool is_mask = m->o->na == DV_DENSE_NA_MASK;
    for (size_t s = 0; s < width; s++)
        put_item(m, i * m->stride + first + s, is_mask ? 0 : item_of(m->items, m->o->fill));
    for (size_t s = 0; s < kept; s++)
        model_slot(m, d, k, i, from + s, i * m->stride + first + before + s);
}

/* --- Trials ----------------------------------------------------------------------------------- */

typedef struct trial {
    dv_dense_options o;
    dv_kind items;
    size_t rows, columns, width, widths[COLUMNS_MAX];
    drawn all[COLUMNS_MAX];
    const dv_batch *batch;
} trial;

static void draw_options(trial *t, dvt_draw *draw)
{
    static const double fills[] = {0, 7, -1, 0.5, -0.0, (double)INFINITY};
    t->o = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    t->o.fill = fills[dvt_draw_below(draw, is_unsigned(t->items) ? 2 : is_whole(t->items) ? 3 : 6)];
    t->o.left = dvt_draw_once_in(draw, 2);
    t->o.cut = (dv_dense_cut)dvt_draw_below(draw, 3);
    t->o.na = (dv_dense_na)dvt_draw_below(draw, t->items == DV_KIND_U1 ? 4 : 3);
    t->o.na_value = 55;
    t->o.widths = t->widths;
}

static void draw_trial(trial *t, dvt_draw *draw)
{
    memset(t, 0, sizeof *t);
    t->items = matrices[dvt_draw_below(draw, MATRICES)];
    t->rows = 1 + dvt_draw_below(draw, ROWS_MAX);
    t->columns = 1 + dvt_draw_below(draw, COLUMNS_MAX);
    for (size_t k = 0; k < t->columns; k++) {
        draw_column(&t->all[k], t->rows, is_whole(t->items) && dvt_draw_once_in(draw, 2), draw);
        const size_t longest = t->all[k].longest;
        t->widths[k] = dvt_draw_once_in(draw, 2) ? longest + dvt_draw_below(draw, 5)
                                                 : 1 + dvt_draw_below(draw, longest);
        t->width += t->widths[k];
    }
    draw_options(t, draw);
    t->batch = make_batch(t->all, t->columns, t->rows);
}

static void drop_trial(trial *t)
{
    dv_batch_release(&t->batch);
    for (size_t k = 0; k < t->columns; k++)
        drop(&t->all[k]);
}

/* The message about the first row that is too long; "": none is. */
static void too_long(const trial *t, char *message, size_t nbytes)
{
    *message = '\0';
    for (size_t k = 0; k < t->columns && t->o.cut == DV_DENSE_CUT_REFUSED; k++)
        for (size_t i = 0; i < t->rows; i++)
            if (t->all[k].lengths[i] > t->widths[k]) {
                snprintf(message, nbytes, "column %zu: row %zu has %zu slots, width is %zu", k, i,
                         t->all[k].lengths[i], t->widths[k]);
                return;
            }
}

static void expect_outcome(const trial *t, const model *m, const uint8_t *dst, size_t nbytes,
                           dv_status status, size_t seed)
{
    char message[200];
    too_long(t, message, sizeof message);
    if (*message) {
        cr_assert_eq(status, DV_ERR_ARGUMENT, "seed %zu", seed);
        cr_assert_not_null(strstr(err.message, message), "seed %zu: %s, not %s", seed, err.message,
                           message);
        for (size_t i = 0; i < nbytes; i++)
            cr_assert_eq(dst[i], CANARY, "seed %zu", seed);
    } else if (m->na.row != SIZE_MAX) {
        snprintf(message, sizeof message,
                 "column %zu: items: expected none that is NA, found one in row %zu, slot %zu",
                 m->na.column, m->na.row, m->na.slot);
        cr_assert_eq(status, DV_ERR_LIMIT, "seed %zu", seed);
        cr_assert_str_eq(err.rule, "na");
        cr_assert_not_null(strstr(err.message, message), "seed %zu: %s, not %s", seed, err.message,
                           message);
    } else {
        cr_assert_eq(status, DV_OK, "seed %zu: %s", seed, err.message);
        for (size_t i = 0; i < nbytes; i++)
            cr_assert_eq(dst[i], m->dst[i], "seed %zu: byte %zu is %02X, not %02X; items %s", seed,
                         i, dst[i], m->dst[i], dv_kind_name(m->items));
    }
}

static void try_matrix(const trial *t, size_t gap, size_t seed)
{
    const size_t stride = t->width + gap, items = (t->rows - 1) * stride + t->width;
    const size_t nbytes = items * (size_t)dv_kind_width(t->items);
    dvt_page page = dvt_page_create(nbytes + 1), wanted = dvt_page_create(nbytes + 1);
    model m = {&t->o, t->items, wanted.data, stride, {SIZE_MAX, 0, 0}};
    memset(wanted.data, CANARY, nbytes);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 0, first = 0; k < t->columns; first += t->widths[k++])
            model_row(&m, &t->all[k], k, i, first, t->widths[k]);
    for (int way = 0; way < 2; way++) {
        uint8_t *dst = way ? dvt_page_start(page, nbytes) : dvt_page_end(page, nbytes);
        memset(dst, CANARY, nbytes);
        err = (dv_error)DV_ERROR_INIT;
        const dv_status status = dv_batch_dense(t->batch, t->items, dst, stride, &t->o, &err);
        expect_outcome(t, &m, dst, nbytes, status, seed);
    }
    dvt_page_free(&page);
    dvt_page_free(&wanted);
}

/* The rows of each column end to end. */
static void try_ragged(const trial *t, size_t k, size_t seed)
{
    const drawn *d = &t->all[k];
    int64_t lengths[ROWS_MAX];
    size_t room = 0;
    cr_assert_eq(dv_column_lengths(&d->column, lengths, &err), DV_OK, "%s", err.message);
    for (size_t i = 0; i < t->rows; i++) {
        cr_assert_eq(lengths[i], (int64_t)d->lengths[i], "seed %zu", seed);
        room += d->lengths[i];
    }
    const size_t nbytes = room * (size_t)dv_kind_width(t->items);
    dvt_page page = dvt_page_create(nbytes + 1), wanted = dvt_page_create(nbytes + 1);
    model m = {&t->o, t->items, wanted.data, 0, {SIZE_MAX, 0, 0}};
    uint8_t *const dst = dvt_page_end(page, nbytes);
    for (size_t i = 0, first = 0; i < t->rows; first += d->lengths[i++])
        model_row(&m, d, k, i, first, d->lengths[i]);
    err = (dv_error)DV_ERROR_INIT;
    const dv_status status =
        dv_batch_ragged(t->batch, (int32_t)k, t->items, dst, room, &t->o, &err);
    if (m.na.row == SIZE_MAX) {
        cr_assert_eq(status, DV_OK, "seed %zu: %s", seed, err.message);
        cr_assert_eq(memcmp(dst, wanted.data, nbytes), 0, "seed %zu", seed);
    } else {
        char found[80];
        snprintf(found, sizeof found, "one in row %zu, slot %zu", m.na.row, m.na.slot);
        cr_assert_eq(status, DV_ERR_LIMIT, "seed %zu", seed);
        cr_assert_str_eq(err.found, found, "seed %zu", seed);
    }
    if (room > 0)
        cr_assert_eq(dv_batch_ragged(t->batch, (int32_t)k, t->items, dst, room - 1, &t->o, &err),
                     DV_ERR_ARGUMENT);
    dvt_page_free(&page);
    dvt_page_free(&wanted);
}

Test(dense_pad, rows_of_any_length_are_as_the_model_says)
{
    static trial t;
    for (size_t seed = 0; seed < 4000; seed++) {
        dvt_draw draw = dvt_draw_from(seed);
        draw_trial(&t, &draw);
        try_matrix(&t, dvt_draw_once_in(&draw, 2) ? dvt_draw_below(&draw, 9) : 0, seed);
        for (size_t k = 0; k < t.columns; k++)
            try_ragged(&t, k, seed);
        drop_trial(&t);
    }
}

/* --- Single cases ----------------------------------------------------------------------------- */

/* A batch of one column, V<I4,*>: rows of 3, 0 and 1 items. */
static const int32_t numbers[] = {1, 300, 3, 4}, lengths[] = {3, 0, 1}, counts[] = {-1, -1, -1};
static const dv_column_view items = {
    {.kind = DV_KIND_I4}, DV_LAYOUT_FIXED, 4, {{{numbers, sizeof numbers, NULL, true, true}}}};
static dv_column_view three;
static const dv_batch *batch;

static void start(void)
{
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_I4), 0), *types[] = {&three.type};
    static dv_column_view fixed;
    dv_batch *made;
    err = (dv_error)DV_ERROR_INIT;
    fixed = items;
    fixed.type = dv_type_of(DV_KIND_I4);
    three = (dv_column_view){type, DV_LAYOUT_VECTOR, 3, .as = {{{0}}}};
    three.as.vector = (dv_vector_layout){.lengths = {lengths, sizeof lengths, NULL, true, true},
                                         .counts = {counts, sizeof counts, NULL, true, true},
                                         .items = &fixed};
    cr_assert_eq(dvi_batch_create(&made, NULL, types, 1, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(made, 0, 3, &err), DV_OK);
    cr_assert_eq(dv_batch_fill(made, 0, &three, &err), DV_OK, "%s", err.message);
    batch = made;
}

static void stop(void)
{
    dv_batch_release(&batch);
}

TestSuite(dense_pad_single, .init = start, .fini = stop);

/* The options as they were before `fill`. */
typedef struct old_options {
    size_t size;
    const int32_t *columns;
    int32_t columns_count;
    const size_t *widths;
    dv_dense_na na;
    double na_value;
} old_options;

Test(dense_pad_single, options_of_the_first_size_are_read)
{
    cr_assert_eq(sizeof(old_options), offsetof(dv_dense_options, fill));
    struct {
        old_options o;
        uint64_t behind[4]; /* must not be read: no number, no rule */
    } given = {{sizeof(old_options), NULL, -1, (const size_t[]){4}, DV_DENSE_NA_VALUE, 9},
               {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    const dv_dense_options *options = (const void *)&given;
    int16_t dst[12];
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_I2, dst, 4, options, &err), DV_OK, "%s",
                 err.message);
    cr_expect_arr_eq(dst, ((const int16_t[]){1, 300, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0}), sizeof dst);
    given.o.widths = (const size_t[]){2};
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_I2, dst, 4, options, &err), DV_ERR_ARGUMENT);
    given.o.size = sizeof(old_options) + 8;
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_I2, dst, 4, options, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "start from DV_DENSE_OPTIONS_INIT"), "%s", err.message);
}

static dv_dense_options options_of(const size_t *widths, double fill, bool left, dv_dense_cut cut)
{
    dv_dense_options o = DV_DENSE_OPTIONS_INIT;
    o.widths = widths;
    o.fill = fill;
    o.left = left;
    o.cut = cut;
    return o;
}

/* 300 does not fit in U1. */
Test(dense_pad_single, what_is_left_out_is_not_converted)
{
    const size_t one = 1, two = 2;
    dv_dense_options o = options_of(&one, 7, false, DV_DENSE_CUT_START);
    uint8_t dst[6];
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_U1, dst, 1, &o, &err), DV_OK, "%s", err.message);
    cr_expect_arr_eq(dst, ((const uint8_t[]){3, 7, 4}), 3);
    o.cut = DV_DENSE_CUT_END;
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_U1, dst, 1, &o, &err), DV_OK, "%s", err.message);
    cr_expect_arr_eq(dst, ((const uint8_t[]){1, 7, 4}), 3);
    o = options_of(&two, 7, true, DV_DENSE_CUT_START);
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_U1, dst, 2, &o, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "range");
    cr_expect_str_eq(err.found, "one in row 0, slot 1", "%s", err.found);
}

Test(dense_pad_single, refuses_fill_and_cut_that_cannot_be)
{
    static const struct {
        dv_kind items;
        double fill;
        bool is_good;
    } fills[] = {
        {DV_KIND_U1, -1, false},   {DV_KIND_U1, 255, true},     {DV_KIND_U1, 256, false},
        {DV_KIND_I1, -128, true},  {DV_KIND_I4, 0.5, false},    {DV_KIND_R2, 65504, true},
        {DV_KIND_R2, 1e5, false},  {DV_KIND_B2, 1e39, false},   {DV_KIND_R4, 1e39, false},
        {DV_KIND_R8, 1e300, true}, {DV_KIND_I8, 0x1p63, false}, {DV_KIND_R4, (double)NAN, true}};
    const size_t three_slots = 3;
    double dst[9];
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        dv_dense_options o = options_of(&three_slots, fills[i].fill, false, DV_DENSE_CUT_END);
        const dv_status status = dv_batch_dense(batch, fills[i].items, dst, 3, &o, &err);
        if (fills[i].items == DV_KIND_U1 || fills[i].items == DV_KIND_I1) /* 300 does not fit */
            cr_expect_eq(status, fills[i].is_good ? DV_ERR_LIMIT : DV_ERR_ARGUMENT);
        else
            cr_expect_eq(status, fills[i].is_good ? DV_OK : DV_ERR_ARGUMENT, "%zu", i);
        if (!fills[i].is_good)
            cr_expect_not_null(strstr(err.message, "fill is "), "%s", err.message);
    }
    dv_dense_options o = options_of(&three_slots, 0, false, (dv_dense_cut)3);
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 3, &o, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "cut is 3: no such rule"), "%s", err.message);
    o.cut = (dv_dense_cut)-1;
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 3, &o, &err), DV_ERR_ARGUMENT);
}

Test(dense_pad_single, refuses_lengths_and_rows_that_cannot_be)
{
    int64_t found[3];
    float dst[4];
    dv_column_view bad = three;
    cr_expect_eq(dv_column_lengths(NULL, found, &err), DV_ERR_ARGUMENT);
    bad.rows = -1;
    cr_expect_eq(dv_column_lengths(&bad, found, &err), DV_ERR_ARGUMENT);
    bad.rows = 4;
    cr_expect_eq(dv_column_lengths(&bad, found, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "4 rows do not fit in 12 bytes"), "%s", err.message);
    bad = three;
    bad.as.vector.lengths.data = (const int32_t[]){3, -1, 1};
    cr_expect_eq(dv_column_lengths(&bad, found, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "row 1: invalid length"), "%s", err.message);

    cr_expect_eq(dv_batch_ragged(NULL, 0, DV_KIND_R4, dst, 4, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_batch_ragged(batch, 1, DV_KIND_R4, dst, 4, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "column 1: the batch has 1"), "%s", err.message);
    cr_expect_eq(dv_batch_ragged(batch, 0, DV_KIND_TX, dst, 4, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_batch_ragged(batch, 0, DV_KIND_R4, NULL, 4, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_batch_ragged(batch, 0, DV_KIND_R4, dst, 3, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "4 slots, and room for 3"), "%s", err.message);
    cr_assert_eq(dv_batch_ragged(batch, 0, DV_KIND_R4, dst, 4, NULL, &err), DV_OK);
    cr_expect_arr_eq(dst, ((const float[]){1, 300, 3, 4}), sizeof dst);
}
