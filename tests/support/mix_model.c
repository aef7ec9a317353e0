/* SPDX-License-Identifier: MIT */
/* mix_model.c: the order of a mix, row by row. */
#include "support/mix_model.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096

static void *room_for(int64_t n, size_t each)
{
    void *made = calloc(n > 0 ? (size_t)n : 1, each);
    if (!made)
        abort();
    return made;
}

/* --- docs/shuffling.md, Epochs and Permutations ----------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t draw(uint64_t key, uint64_t i)
{
    return (uint32_t)(mix(key + (i + 1) * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static uint64_t derive(uint64_t key, uint64_t i)
{
    return mix(mix(key) + (i + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

static uint64_t distance(uint64_t v, uint32_t k, uint64_t size)
{
    uint32_t t = ((uint32_t)v ^ k) * 0x9E3779B1u;
    t = (t ^ t >> 15) * 0x85EBCA77u;
    return (uint64_t)t * size >> 32;
}

static int64_t permute_many(int64_t n, uint64_t key, int64_t at)
{
    uint64_t w = (uint64_t)sqrt((double)n), i = (uint64_t)at;
    while (w * w < (uint64_t)n)
        w++;
    while ((w - 1) * (w - 1) >= (uint64_t)n)
        w--;
    const uint64_t h = ((uint64_t)n + w - 1) / w;
    do {
        uint64_t x = i / h, y = i % h;
        for (uint64_t r = 0; r < 6; r += 2) {
            x = (x + distance(y, draw(key, r), w)) % w;
            y = (y + distance(x, draw(key, r + 1), h)) % h;
        }
        i = x * h + y;
    } while (i >= (uint64_t)n);
    return (int64_t)i;
}

/* P(n, key), all of it. */
static int64_t *permutation(int64_t n, uint64_t key)
{
    int64_t *p = room_for(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = n > BLOCK ? permute_many(n, key, i) : i;
    for (int64_t i = 0; i < n && n <= BLOCK; i++) {
        const int64_t j = i + (int64_t)((uint64_t)draw(key, (uint64_t)i) * (uint64_t)(n - i) >> 32);
        const int64_t held = p[i];
        p[i] = p[j];
        p[j] = held;
    }
    return p;
}

/* --- Shares ----------------------------------------------------------------------------------- */

void dvt_mix_shares(int64_t *shares, const double *weights, int32_t n)
{
    double part[DV_MIX_SOURCES_MOST], most = 0, sum = 0;
    int64_t period;
    for (int32_t i = 0; weights && i < n; i++)
        most = fmax(most, weights[i]);
    for (int32_t i = 0; i < n; i++)
        sum += part[i] = weights ? weights[i] / most : 1;
    for (period = n; period <= 65536; period++) {
        bool are_whole = true;
        for (int32_t i = 0; i < n; i++) {
            const double x = part[i] / sum * (double)period, whole = floor(x + 0.5);
            shares[i] = (int64_t)whole;
            are_whole = are_whole && whole >= 1 && fabs(x - whole) <= 1e-6;
        }
        if (are_whole)
            return;
    }
    for (int32_t i = 0; i < n; i++)
        shares[i] = (int64_t)fmax(floor(part[i] / sum * 65536 + 0.5), 1);
}

/* --- Choices ---------------------------------------------------------------------------------- */

/* The exact order, without a period: the source that lacks most of its share after each choice. */
static void choose(int32_t *out, int64_t n, const int64_t *shares, int32_t sources)
{
    int64_t whole = 0, taken[DV_MIX_SOURCES_MOST] = {0};
    for (int32_t i = 0; i < sources; i++)
        whole += shares[i];
    for (int64_t p = 0; p < n; p++) {
        int64_t best = 0;
        out[p] = -1;
        for (int32_t i = 0; i < sources; i++) {
            const int64_t lacking = (p + 1) * shares[i] - whole * taken[i];
            if (shares[i] > 0 && (out[p] < 0 || lacking > best)) {
                out[p] = i;
                best = lacking;
            }
        }
        taken[out[p]]++;
    }
}

/* Shuffle the choices of each block. */
static void shuffle(int32_t *choices, int64_t n, int64_t first, uint64_t key)
{
    int32_t held[BLOCK];
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t *p = permutation(BLOCK, derive(key, (uint64_t)(first + at)));
        for (int64_t j = 0; j < BLOCK; j++)
            held[j] = choices[at + p[j]];
        memcpy(choices + at, held, sizeof held);
        free(p);
    }
}

/* Choices from position `first` on, whole blocks; false: no source is left. */
static bool choose_phase(const dvt_mix *m, int32_t *choices, int64_t n, const int64_t *shares,
                         int64_t first, uint64_t key)
{
    const uint64_t of_all = derive(m->options.seed, 0);
    int64_t whole = 0;
    for (int32_t i = 0; i < m->n; i++)
        whole += shares[i];
    if (whole == 0)
        return false;
    choose(choices, n, shares, m->n);
    if (m->options.order == DV_MIX_RANDOM)
        shuffle(choices, n, first, derive(m->options.stop == DV_MIX_FIRST ? of_all : key, 0));
    return true;
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* The order of one pass of each source. */
typedef struct passes {
    int64_t *order[DV_MIX_SOURCES_MOST], number[DV_MIX_SOURCES_MOST];
} passes;

static int64_t row_of(const dvt_mix *m, passes *p, int32_t i, int64_t k, uint64_t key)
{
    const int64_t rows = m->counts[i], number = k / rows;
    if (!m->options.shuffle)
        return k % rows;
    if (!p->order[i] || p->number[i] != number) {
        free(p->order[i]);
        p->order[i] = permutation(rows, derive(derive(key, (uint64_t)i + 1), (uint64_t)number));
        p->number[i] = number;
    }
    return p->order[i][k % rows];
}

/* Rows of the sequence of one key, from its first row on. */
static int64_t list_rows(dvt_mixed_row *out, int64_t most, const dvt_mix *m, uint64_t key)
{
    const int64_t n = most / BLOCK * BLOCK + BLOCK; /* whole blocks */
    int64_t shares[DV_MIX_SOURCES_MOST], taken[DV_MIX_SOURCES_MOST] = {0}, done = 0;
    int32_t *choices = room_for(n, sizeof *choices);
    passes *orders = room_for(1, sizeof *orders);
    dvt_mix_shares(shares, m->options.weights, m->n);
    while (done < most && choose_phase(m, choices, n, shares, done, key)) {
        int64_t p = 0;
        for (; done < most; p++) {
            const int32_t i = choices[p];
            if (m->options.stop != DV_MIX_REPEAT && taken[i] == m->counts[i])
                break;
            out[done].source = i;
            out[done++].row = row_of(m, orders, i, taken[i]++, key);
        }
        if (done == most || m->options.stop == DV_MIX_FIRST)
            break;
        shares[choices[p]] = 0;
    }
    for (int32_t i = 0; i < m->n; i++)
        free(orders->order[i]);
    free(orders);
    free(choices);
    return done;
}

int64_t dvt_mix_rows(dvt_mixed_row *out, int64_t most, const dvt_mix *m, int64_t epoch)
{
    const int64_t rows = m->options.rows;
    most = rows > 0 && rows < most ? rows : most;
    if (m->options.stop != DV_MIX_REPEAT || rows == 0)
        return list_rows(out, most, m, derive(m->options.seed, (uint64_t)epoch));
    const int64_t first = epoch * rows;
    dvt_mixed_row *all = room_for(first + most, sizeof *all);
    const int64_t n = list_rows(all, first + most, m, derive(m->options.seed, 0)) - first;
    memcpy(out, all + first, (size_t)n * sizeof *out);
    free(all);
    return n;
}
