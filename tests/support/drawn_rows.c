/* SPDX-License-Identifier: MIT */
/* drawn_rows.c: the rows that docs/shuffling.md says are drawn. */
#include "support/drawn_rows.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* --- The table -------------------------------------------------------------------------------- */

/* Many are 0, few are huge or tiny. */
static double draw_weight(uint64_t *state)
{
    static const double odd[] = {0, 0, 1e-300, 0x1p-1074, 1e12, 0.1, 3};
    const uint64_t drawn = dvt_draw(state);
    return drawn % 4 == 0 ? odd[drawn / 4 % 7] : (double)(drawn / 4 % 1000) / 8;
}

static void fill(dvt_drawn_table *t, int64_t n, uint64_t seed)
{
    uint64_t state = seed + 1;
    const uint64_t classes = 1 + dvt_draw(&state) % 9;
    t->weight[0] = 0.5;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t class = dvt_draw(&state) % classes;
        t->number[i] = i;
        t->weight[i] = i == 0 ? 0.5 : draw_weight(&state);
        t->class[i] = class == 4 ? INT32_MIN : (int32_t)(dvt_draw(&state) % (class + 1));
        t->ends[i + 1] = t->ends[i] + snprintf(t->utf8 + t->ends[i], 8, "t%d", (int)(i % 1000));
    }
}

dv_view *dvt_drawn_open(dvt_drawn_table *t, int64_t n, int64_t block_rows, uint64_t seed,
                        const dv_allocator *allocator)
{
    static const char *const names[] = {"n", "w", "c", "t"};
    memset(t, 0, sizeof *t);
    DVT_MUST(n <= DVT_DRAWN_MOST);
    fill(t, n, seed);
    t->made = (dvt_made_table){.columns = 4,
                               .rows = n,
                               .block_rows = block_rows > 0 ? block_rows : 50,
                               .in_blocks = block_rows > 0,
                               .bad_row = -1};
    memcpy(t->made.name, names, sizeof names);
    t->made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), t->number, n);
    t->made.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_R8), t->weight, n);
    t->made.column[2] = dvt_made_fixed(dv_type_of(DV_KIND_I4), t->class, n);
    t->made.column[3] = dvt_made_text(DV_KIND_TX, t->utf8, t->ends + 1, n);
    return dvt_made_table_open(&t->made, allocator);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static uint64_t wide(uint64_t key, uint64_t i)
{
    return mix(key + (i + 1) * 0x9E3779B97F4A7C15);
}

uint64_t dvt_model_key(uint64_t key, uint64_t number)
{
    return mix(mix(key) + (number + 1) * 0x9E3779B97F4A7C15);
}

static int64_t below(uint64_t key, uint64_t i, int64_t n)
{
    return (int64_t)((u128)wide(key, i) * (u128)n >> 64);
}

void dvt_model_permutation(int64_t *numbers, int64_t n, uint64_t key)
{
    DVT_MUST(n <= 4096);
    for (int64_t i = 0; i < n; i++)
        numbers[i] = i;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = i + (int64_t)((wide(key, (uint64_t)i) >> 32) * (uint64_t)(n - i) >> 32);
        const int64_t held = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = held;
    }
}

/* --- Weights ---------------------------------------------------------------------------------- */

/* Whole numbers of units; returns their sum. */
static int64_t units_of(int64_t *units, const double *weights, int64_t n)
{
    double most = 0;
    int64_t sum = 0;
    int bits = 0, exponent;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, weights[i]);
    while ((int64_t)1 << bits < n)
        bits++;
    frexp(most, &exponent);
    for (int64_t i = 0; i < n; i++) {
        const long double scaled = ldexpl(weights[i], 62 - bits - exponent);
        units[i] = weights[i] == 0 ? 0 : scaled < 1 ? 1 : (int64_t)floorl(scaled);
        sum += units[i];
    }
    return sum;
}

static int64_t pick(const int64_t *units, int64_t number)
{
    int64_t row = 0;
    while (number >= units[row])
        number -= units[row++];
    return row;
}

/* --- Classes ---------------------------------------------------------------------------------- */

typedef struct classes {
    int64_t n, count[DVT_DRAWN_MOST];
    int64_t rows[DVT_DRAWN_MOST][DVT_DRAWN_MOST];
} classes;

static void find_classes(classes *c, const dvt_drawn_table *t)
{
    c->n = 0;
    for (int64_t row = 0; row < t->made.rows; row++) {
        int64_t k = 0;
        while (k < c->n && t->class[c->rows[k][0]] != t->class[row])
            k++;
        if (k == c->n)
            c->count[c->n++] = 0;
        c->rows[k][c->count[k]++] = row;
    }
}

static int64_t balance_once(int64_t *rows, const classes *c, uint64_t key)
{
    int64_t place[DVT_DRAWN_MOST], order[DVT_DRAWN_MOST], fewest = DVT_DRAWN_MOST, q = 0;
    for (int64_t k = 0; k < c->n; k++)
        fewest = c->count[k] < fewest ? c->count[k] : fewest;
    if (c->n == 0)
        return 0;
    dvt_model_permutation(place, c->n * fewest, key);
    for (int64_t k = 0; k < c->n; k++) {
        dvt_model_permutation(order, c->count[k], dvt_model_key(key, (uint64_t)k));
        for (int64_t i = 0; i < fewest; i++)
            rows[place[q++]] = c->rows[k][order[i]];
    }
    return q;
}

/* --- The rows --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Each row once: all that can come. */
static int64_t draw_once(int64_t *rows, const dvt_drawn_table *t, const double *weights,
                         const classes *c, uint64_t key)
{
    int64_t units[DVT_DRAWN_MOST], n = 0;
    if (c)
        return balance_once(rows, c, key);
    if (!weights) {
        dvt_model_permutation(rows, t->made.rows, key);
        return t->made.rows;
    }
    for (int64_t left = units_of(units, weights, t->made.rows); left > 0; n++) {
        rows[n] = pick(units, below(key, (uint64_t)n, left));
        left -= units[rows[n]];
        units[rows[n]] = 0;
    }
    return n;
}

static void draw_again(int64_t *rows, int64_t n, const dvt_drawn_table *t, const double *weights,
                       const classes *c, uint64_t key)
{
    int64_t units[DVT_DRAWN_MOST], sum = weights ? units_of(units, weights, t->made.rows) : 0;
    for (int64_t p = 0; p < n; p++) {
        const uint64_t i = (uint64_t)p;
        const int64_t k = c ? below(key, 2 * i, c->n) : 0;
        rows[p] = c         ? c->rows[k][below(key, 2 * i + 1, c->count[k])]
                  : weights ? pick(units, below(key, i, sum))
                            : below(key, i, t->made.rows);
    }
}

int64_t dvt_drawn_model(int64_t *rows, const dvt_drawn_table *t, const dv_sample_options *o,
                        int64_t epoch)
{
    static classes found;
    const int64_t e = o->epoch >= 0 ? o->epoch : epoch > 0 ? epoch : 0;
    const uint64_t key = dvt_model_key(o->seed, (uint64_t)e);
    const double *weights = o->weights ? o->weights : o->weight_column == 1 ? t->weight : NULL;
    const classes *c = o->class_column == 2 ? &found : NULL;
    if (c)
        find_classes(&found, t);
    if (o->replace) {
        const int64_t n = o->rows >= 0 ? o->rows : t->made.rows;
        if (n > 0 && t->made.rows == 0)
            return -1;
        draw_again(rows, n, t, weights, c, key);
        return n;
    }
    const int64_t all = draw_once(rows, t, weights, c, key), n = o->rows >= 0 ? o->rows : all;
    if (n > all)
        return -1;
    if (o->in_order)
        qsort(rows, (size_t)n, sizeof *rows, compare);
    return n;
}
