/* SPDX-License-Identifier: MIT */
/* test_dense_items.c: a matrix of any items has the numbers of any column, or says which it cannot
 * hold. */
#include "view/batch.h"
#include "matrix/dense.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 1200 /* more than two tiles */
#define SLOTS 5   /* a vector has these */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;

static const char *const types[] = {"I1", "I2",      "I4",      "I8",      "U1",     "U2",
                                    "U4", "U8",      "R4",      "R8",      "BL",     "TS",
                                    "DT", "U1[0-*]", "U2[0-*]", "U4[0-*]", "U8[0-*]"};
static const dv_kind items[] = {DV_KIND_I1, DV_KIND_U1, DV_KIND_I2, DV_KIND_U2,
                                DV_KIND_I4, DV_KIND_U4, DV_KIND_I8, DV_KIND_U8,
                                DV_KIND_R2, DV_KIND_B2, DV_KIND_R4, DV_KIND_R8};

/* --- What a column means ---------------------------------------------------------------------- */

/* A number of any type: the long double of the machine has 64 bits or more. */
typedef struct number {
    bool is_na;
    long double value;
} number;

static int64_t signed_of(uint64_t bits, size_t nbytes)
{
    const unsigned shift = (unsigned)(64 - 8 * nbytes);
    return (int64_t)(bits << shift) >> shift;
}

static number number_of(const dv_type *type, uint64_t bits)
{
    const size_t nbytes = (size_t)dv_kind_width(type->kind);
    const int64_t whole = signed_of(bits, nbytes);
    float f4;
    double f8;
    memcpy(&f4, &bits, sizeof f4);
    memcpy(&f8, &bits, sizeof f8);
    if (type->is_key)
        return (number){bits == 0, (long double)(bits - 1)};
    switch (type->kind) {
    case DV_KIND_R4:
        return (number){isnan(f4), (long double)f4};
    case DV_KIND_R8:
        return (number){isnan(f8), (long double)f8};
    case DV_KIND_BL:
        return (number){bits > 1, (long double)bits};
    case DV_KIND_DT:
        return (number){whole < 0 || whole > DV_TICKS_MAX, (long double)whole};
    case DV_KIND_U1:
    case DV_KIND_U2:
    case DV_KIND_U4:
    case DV_KIND_U8:
        return (number){false, (long double)bits};
    default:
        return (number){bits == UINT64_C(1) << (8 * nbytes - 1), (long double)whole};
    }
}

/* --- What a matrix has ------------------------------------------------------------------------ */

/* A real of two bytes, whose mantissa has this number of bits. */
static long double decode(uint32_t bits, int mantissa)
{
    const int exponent = (int)(bits >> mantissa), bias = mantissa == 10 ? 15 : 127;
    const uint32_t low = bits & ((UINT32_C(1) << mantissa) - 1);
    return exponent == 0
               ? ldexpl((long double)low, 1 - bias - mantissa)
               : ldexpl((long double)(low | UINT32_C(1) << mantissa), exponent - bias - mantissa);
}

/* The bits of the nearest, ties to even, found by halving; above the largest those of infinity. */
static uint32_t nearest(long double value, int mantissa)
{
    const uint32_t infinite = mantissa == 10 ? 0x7C00 : 0x7F80;
    uint32_t low = 0, high = infinite; /* decode(low) <= value < decode(high), if it is less */
    if (value >= decode(high, mantissa))
        return infinite;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (decode(middle, mantissa) <= value)
            low = middle;
        else
            high = middle;
    }
    const long double half = (decode(low, mantissa) + decode(high, mantissa)) / 2;
    return value < half || (value == half && low % 2 == 0) ? low : high;
}

static bool is_integer(dv_kind kind)
{
    return kind >= DV_KIND_I1 && kind <= DV_KIND_U8;
}

static bool is_unsigned(dv_kind kind)
{
    return is_integer(kind) && kind % 2 == 0;
}

/* The bits of NA. */
static uint64_t na_of(dv_kind item)
{
    if (item == DV_KIND_R4)
        return DV_R4_NA_BITS;
    if (item == DV_KIND_R8)
        return DV_R8_NA_BITS;
    if (item == DV_KIND_R2 || item == DV_KIND_B2)
        return item == DV_KIND_R2 ? 0xFE00 : 0xFFC0;
    return UINT64_C(1) << (8 * dv_kind_width(item) - 1);
}

static bool whole_bits(dv_kind item, bool is_own, long double value, uint64_t *bits_out)
{
    const int width = 8 * dv_kind_width(item);
    const bool is_natural = is_unsigned(item);
    const long double above = ldexpl(1, is_natural && (width < 64 || is_own) ? width
                                        : width == 64                        ? 63
                                                                             : width - 1);
    if (value != rintl(value) || value >= above || (is_natural ? value < 0 : value <= -above))
        return false;
    *bits_out = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    if (width < 64)
        *bits_out &= (UINT64_C(1) << width) - 1;
    return true;
}

static bool real_bits(dv_kind item, long double value, uint64_t *bits_out)
{
    const float f4 = (float)value;
    const double f8 = (double)value;
    const int mantissa = item == DV_KIND_R2 ? 10 : 7;
    *bits_out = 0;
    if (item == DV_KIND_R4)
        memcpy(bits_out, &f4, sizeof f4);
    else if (item == DV_KIND_R8)
        memcpy(bits_out, &f8, sizeof f8);
    else
        *bits_out = nearest(fabsl(value), mantissa) | (signbit(value) ? 0x8000 : 0);
    const uint64_t infinite = item == DV_KIND_R2 ? 0x7C00 : 0x7F80;
    const bool is_small = item == DV_KIND_R2 || item == DV_KIND_B2;
    return !is_small || isinf(value) || (*bits_out & 0x7FFF) < infinite;
}

/* The item that a number becomes; else the rule that refuses it. */
static const char *item_of(const dv_type *type, dv_kind item, dv_dense_na na, uint64_t bits,
                           uint64_t *bits_out)
{
    const number n = number_of(type, bits);
    const bool is_own = type->kind == item && !type->is_key;
    if (na == DV_DENSE_NA_MASK) {
        *bits_out = n.is_na;
        return NULL;
    }
    if (n.is_na && na == DV_DENSE_NA_VALUE)
        return real_bits(item, 3, bits_out) && !is_integer(item) ? NULL : (*bits_out = 3, NULL);
    if (n.is_na && (na == DV_DENSE_NA_REFUSED || is_unsigned(item)))
        return "na";
    *bits_out = na_of(item);
    if (n.is_na)
        return NULL;
    const bool fits = is_integer(item) ? whole_bits(item, is_own, n.value, bits_out)
                                       : real_bits(item, n.value, bits_out);
    return fits ? NULL : "range";
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* Numbers of all sizes, halves of small reals and their neighbours, edges, NA. */
static uint64_t draw_bits(uint64_t *state, const dv_type *type)
{
    const size_t nbytes = (size_t)dv_kind_width(type->kind);
    const uint64_t bits = dvt_draw(state) ^ dvt_draw(state) << 20 ^ dvt_draw(state) << 44;
    const uint64_t least = UINT64_C(1) << (8 * nbytes - 1), mask = least | (least - 1);
    const uint64_t edges[] = {0,         1,   least, least - 1, mask, 2,
                              least + 1, 127, 128,   255,       256,  65535};
    const uint64_t pick = dvt_draw(state) % 32, low = bits % 4;
    uint64_t made = pick < COUNT(edges) ? edges[pick] : bits >> (pick % 8 * 8);
    if (type->kind == DV_KIND_R4 && pick >= COUNT(edges)) {
        float f4 = (float)ldexp((double)(int64_t)(bits >> 40), (int)(pick * 2) - 60);
        uint32_t small; /* 13 or 16 bits below the last one of R2 or B2 */
        if (pick % 3 == 0)
            f4 = (float)(int32_t)(bits >> (44 + pick % 12));
        memcpy(&small, &f4, sizeof small);
        if (pick % 3 == 1)
            small = (small & (pick % 2 ? 0xFFFFE000 : 0xFFFF0000)) + (pick % 2 ? 0x1000 : 0x8000) +
                    (uint32_t)low - 1;
        made = small ^ (bits & 0x80000000);
    } else if (type->kind == DV_KIND_R8 && pick >= COUNT(edges)) {
        double f8 = ldexp((double)(int64_t)(bits >> 20), (int)(pick * 2) - 70);
        if (pick % 3 == 0)
            f8 = (double)(int64_t)(bits >> (pick % 60));
        memcpy(&made, &f8, sizeof made);
        if (pick % 3 == 1) /* of R2, B2 and R4 */
            made = (made & ~((UINT64_C(1) << (pick % 2 ? 42 : 45)) - 1)) +
                   (UINT64_C(1) << (pick % 2 ? 41 : 44)) + low - 1;
    } else if (nbytes == 8 && pick % 3 == 1) { /* halves of large numbers */
        made = (made | 1) << (pick % 20) | low;
    }
    return made & mask;
}

/* Scalars, and the same numbers as vectors: dense ones, then sparse ones of which slots 1 and 3 are
 * there. */
typedef struct drawn {
    dv_type type, vector;
    uint64_t bits[ROWS * SLOTS];
    uint8_t *memory; /* at an odd address */
    int32_t counts[ROWS], indices[2 * ROWS];
    dv_column_view items, scalars, vectors;
} drawn;

static void put(drawn *d)
{
    const size_t nbytes = (size_t)dv_kind_width(d->type.kind);
    for (size_t i = 0; i < ROWS * SLOTS; i++)
        memcpy(d->memory + 1 + i * nbytes, &d->bits[i], nbytes);
}

static drawn *draw_column(const char *type, uint64_t *state)
{
    drawn *d = calloc(1, sizeof *d);
    cr_assert_not_null(d);
    cr_assert_eq(dv_type_parse(&d->type, dv_text_of(type), NULL, 0, &err), DV_OK);
    const size_t nbytes = (size_t)dv_kind_width(d->type.kind);
    d->memory = malloc(ROWS * SLOTS * nbytes + 1);
    for (size_t i = 0; i < ROWS * SLOTS; i++)
        d->bits[i] = draw_bits(state, &d->type);
    for (int32_t i = 0; i < ROWS; i++) {
        d->counts[i] = i < ROWS / 2 ? -1 : 2;
        d->indices[2 * i] = 1;
        d->indices[2 * i + 1] = 3;
    }
    const dv_buffer data = {d->memory + 1, ROWS * SLOTS * nbytes, NULL, true, false};
    const int64_t n = ROWS / 2 * SLOTS + ROWS / 2 * 2;
    d->items = (dv_column_view){d->type, DV_LAYOUT_FIXED, n, .as = {{data}}};
    d->scalars = (dv_column_view){d->type, DV_LAYOUT_FIXED, ROWS, .as = {{data}}};
    d->vector = dv_type_vector(d->type, SLOTS);
    d->vectors = (dv_column_view){.type = d->vector, .layout = DV_LAYOUT_VECTOR, .rows = ROWS};
    d->vectors.as.vector =
        (dv_vector_layout){.length = SLOTS,
                           .counts = {d->counts, sizeof d->counts, NULL, true, true},
                           .indices = {d->indices, 4 * ROWS, NULL, true, true},
                           .items = &d->items};
    return d;
}

static void drop(drawn *d)
{
    free(d->memory);
    free(d);
}

/* The number of the item in a row and slot of the vectors; -1: it has none. */
static int64_t item_at(size_t row, size_t slot)
{
    const size_t half = ROWS / 2;
    if (row < half)
        return (int64_t)(row * SLOTS + slot);
    return slot % 2 ? (int64_t)(half * SLOTS + (row - half) * 2 + slot / 2) : -1;
}

/* --- Tests ------------------------------------------------------------------------------------ */

typedef struct job {
    drawn *d;
    dv_kind item;
    dv_dense_options options;
    size_t copies; /* the batch has the scalars, or the vectors, this often */
    bool is_vector;
} job;

static const char *expected(const job *j, size_t row, size_t slot, uint64_t *bits_out)
{
    const int64_t at = j->is_vector ? item_at(row, slot % SLOTS) : (int64_t)row;
    *bits_out = 0;
    return at < 0 ? NULL : item_of(&j->d->type, j->item, j->options.na, j->d->bits[at], bits_out);
}

static bool is_same(dv_kind item, uint64_t got, uint64_t want)
{
    const uint64_t above = item == DV_KIND_R4   ? UINT64_C(0x7F800000)
                           : item == DV_KIND_R8 ? UINT64_C(0x7FF0000000000000)
                                                : UINT64_MAX;
    const uint64_t mask = item == DV_KIND_R4 ? INT32_MAX : INT64_MAX; /* any NaN */
    return got == want || (above < UINT64_MAX && (got & mask) > above && (want & mask) > above);
}

static dv_status fill(const job *j, uint8_t *dst, size_t stride)
{
    const dv_column_view *column = j->is_vector ? &j->d->vectors : &j->d->scalars;
    const dv_type *list[3] = {&column->type, &column->type, &column->type};
    dv_batch *batch;
    cr_assert_eq(dvi_batch_create(&batch, NULL, list, (int32_t)j->copies, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(batch, 0, ROWS, &err), DV_OK);
    for (size_t k = 0; k < j->copies; k++)
        cr_assert_eq(dv_batch_fill(batch, (int32_t)k, column, &err), DV_OK, "%s", err.message);
    const dv_status status = dv_batch_dense(batch, j->item, dst, stride, &j->options, &err);
    const dv_batch *held = batch;
    dv_batch_release(&held);
    return status;
}

/* The rule that refuses the first number in the order of rows; NULL: all are in the matrix. */
static const char *first_refused(const job *j, size_t width, size_t *row_out)
{
    uint64_t bits;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t slot = 0; slot < width; slot++) {
            const char *rule = expected(j, row, slot, &bits);
            *row_out = row;
            if (rule)
                return rule;
        }
    return NULL;
}

static void expect(const job *j)
{
    static uint64_t memory[ROWS * (3 * SLOTS + 1)];
    uint8_t *const dst = (uint8_t *)memory;
    const size_t width = j->copies * (j->is_vector ? SLOTS : 1), stride = width + j->copies % 2;
    const size_t nbytes = (size_t)dv_kind_width(j->item);
    char where[32], what[64];
    size_t row;
    const char *rule = first_refused(j, width, &row);
    memset(memory, 0xA5, sizeof memory);
    err = (dv_error)DV_ERROR_INIT;
    const dv_status status = fill(j, dst, stride);
    snprintf(where, sizeof where, "one in row %zu,", row);
    dv_type_print(&j->d->type, what, sizeof what);
    cr_assert_eq(status, rule ? DV_ERR_LIMIT : DV_OK, "%s to %s: %s", what, dv_kind_name(j->item),
                 err.message);
    cr_assert(!rule || (strcmp(err.rule, rule) == 0 && strstr(err.message, where)),
              "%s to %s: %s, expected %s in row %zu", what, dv_kind_name(j->item), err.message,
              rule, row);
    for (row = 0; row < ROWS && !rule; row++)
        for (size_t slot = 0; slot < width; slot++) {
            uint64_t want, got = 0;
            expected(j, row, slot, &want);
            memcpy(&got, dst + (row * stride + slot) * nbytes, nbytes);
            cr_assert(is_same(j->item, got, want), "%s to %s, row %zu: %llx, expected %llx", what,
                      dv_kind_name(j->item), row, (unsigned long long)got,
                      (unsigned long long)want);
        }
}

/* Scalars alone and side by side, vectors alone and side by side. */
static void expect_all(job *j)
{
    for (int way = 0; way < 5; way++) {
        j->is_vector = way > 2;
        j->copies = (size_t[]){1, 2, 3, 1, 2}[way];
        if (!j->is_vector || !j->d->type.is_key)
            expect(j);
    }
}

/* With the numbers as they were drawn; then with 1 in place of those that are refused. */
static void try_column(drawn *d, dv_kind item, dv_dense_na na)
{
    static uint64_t before[ROWS * SLOTS];
    uint64_t bits, one = 1;
    job j = {.d = d, .item = item, .options = DV_DENSE_OPTIONS_INIT};
    const float f4 = 1;
    const double f8 = 1;
    j.options.na = na;
    j.options.na_value = 3;
    if (d->type.kind == DV_KIND_R4)
        memcpy(&one, &f4, sizeof f4);
    if (d->type.kind == DV_KIND_R8)
        memcpy(&one, &f8, sizeof f8);
    memcpy(before, d->bits, sizeof before);
    expect_all(&j);
    for (size_t i = 0; i < ROWS * SLOTS; i++)
        if (item_of(&d->type, item, na, d->bits[i], &bits))
            d->bits[i] = one;
    put(d);
    expect_all(&j);
    memcpy(d->bits, before, sizeof before);
    put(d);
}

static bool can_be(const dv_type *type, dv_kind item)
{
    return !type->is_key || is_integer(item);
}

Test(dense_items, of_every_type_in_every_matrix)
{
    uint64_t state = 11;
    for (size_t t = 0; t < COUNT(types); t++) {
        drawn *d = draw_column(types[t], &state);
        put(d);
        for (size_t i = 0; i < COUNT(items); i++)
            for (int na = DV_DENSE_NA_KEEP; na <= DV_DENSE_NA_REFUSED; na++)
                if (can_be(&d->type, items[i]))
                    try_column(d, items[i], (dv_dense_na)na);
        try_column(d, DV_KIND_U1, DV_DENSE_NA_MASK);
        drop(d);
    }
}

/* All 65,536 of each, as R8, come back with their bits; so do those halfway, as the even one. */
Test(dense_items, small_reals_are_rounded_once)
{
    static double values[3 * 65536];
    static uint16_t got[3 * 65536];
    for (size_t i = 0; i < 2; i++) {
        const dv_kind item = i == 0 ? DV_KIND_R2 : DV_KIND_B2;
        const int mantissa = i == 0 ? 10 : 7;
        const uint32_t infinite = i == 0 ? 0x7C00 : 0x7F80;
        size_t n = 0;
        for (uint32_t k = 0; k + 1 < infinite; k++) {
            const double low = (double)decode(k, mantissa), high = (double)decode(k + 1, mantissa);
            values[n++] = low;
            values[n++] = -(low + high) / 2;
            values[n++] = nextafter((low + high) / 2, high);
        }
        const dv_column_view column = {dv_type_of(DV_KIND_R8), DV_LAYOUT_FIXED, (int64_t)n,
                                       .as = {{{values, n * sizeof *values, NULL, true, true}}}};
        cr_assert_eq(dv_column_dense(&column, item, got, 1, 1, &err), DV_OK, "%s", err.message);
        for (uint32_t k = 0; k + 1 < infinite; k++) {
            cr_assert_eq(got[3 * k], k);
            cr_assert_eq(got[3 * k + 1], (k % 2 ? k + 1 : k) | 0x8000);
            cr_assert_eq(got[3 * k + 2], k + 1);
        }
    }
}

Test(dense_items, what_no_matrix_has)
{
    static const dv_kind bad[] = {DV_KIND_NONE, DV_KIND_TX,  DV_KIND_BL,        DV_KIND_UG,
                                  DV_KIND_BY,   (dv_kind)18, DV_KIND_EXTENSION, (dv_kind)-1};
    static const float values[] = {1};
    const dv_column_view column = {dv_type_of(DV_KIND_R4), DV_LAYOUT_FIXED, 1,
                                   .as = {{{values, sizeof values, NULL, true, true}}}};
    uint64_t dst;
    for (size_t i = 0; i < COUNT(bad); i++) {
        cr_expect_eq(dv_column_dense(&column, bad[i], &dst, 1, 1, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "R2, B2, R4 or R8"), "%s", err.message);
    }
}

/* The replacement of NA must be an item of the matrix. */
Test(dense_items, values_in_place_of_na)
{
    static const struct {
        dv_kind item;
        double value;
        bool fits;
    } cases[] = {
        {DV_KIND_I1, -128, true},     {DV_KIND_I1, -129, false},   {DV_KIND_I1, 127, true},
        {DV_KIND_I1, 128, false},     {DV_KIND_U1, 255, true},     {DV_KIND_U1, -1, false},
        {DV_KIND_U1, 256, false},     {DV_KIND_U2, 0.5, false},    {DV_KIND_U8, 0x1p62, true},
        {DV_KIND_U8, 0x1p63, false},  {DV_KIND_I8, -0x1p63, true}, {DV_KIND_R2, 65504, true},
        {DV_KIND_R2, 65519, true},    {DV_KIND_R2, 65520, false},  {DV_KIND_R2, 1e300, false},
        {DV_KIND_R2, INFINITY, true}, {DV_KIND_B2, 3.38e38, true}, {DV_KIND_B2, 3.4e38, false},
        {DV_KIND_R4, 3.4e38, true},   {DV_KIND_R4, 1e39, false},   {DV_KIND_R8, 1e300, true}};
    static const int32_t values[] = {INT32_MIN};
    const dv_column_view column = {dv_type_of(DV_KIND_I4), DV_LAYOUT_FIXED, 1,
                                   .as = {{{values, sizeof values, NULL, true, true}}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const dv_type *type = &column.type;
        dv_batch *batch;
        uint64_t dst;
        dv_dense_options options = DV_DENSE_OPTIONS_INIT;
        options.na = DV_DENSE_NA_VALUE;
        options.na_value = cases[i].value;
        cr_assert_eq(dvi_batch_create(&batch, NULL, &type, 1, NULL, &err), DV_OK);
        cr_assert_eq(dv_batch_start(batch, 0, 1, &err), DV_OK);
        cr_assert_eq(dv_batch_fill(batch, 0, &column, &err), DV_OK);
        cr_expect_eq(dv_batch_dense(batch, cases[i].item, &dst, 1, &options, &err),
                     cases[i].fits ? DV_OK : DV_ERR_ARGUMENT, "%s %g", dv_kind_name(cases[i].item),
                     cases[i].value);
        const dv_batch *held = batch;
        dv_batch_release(&held);
    }
}
