/* SPDX-License-Identifier: MIT */
/* mutate_btable.c: adds, removes or changes a row, pair or label and keeps the rest consistent, or
 * lets the engine mutate. */
#include "mutate_btable.h"
#include "base/load.h"
#include "reading.h"
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

typedef struct table {
    uint8_t *data;
    size_t n, most;
    uint64_t draws;
} table;

static size_t draw(table *t, size_t below)
{
    t->draws = dvt_hash_number(t->draws, 0x5EED);
    return (size_t)(t->draws >> 16) % below;
}

/* The start of the rows, if there is a header. */
static size_t rows_start(const table *t)
{
    if (t->n < 8)
        return t->n;
    const int64_t units = dvi_load_i32_be(t->data + 4);
    return units < 0 || 8 + 2 * units > (int64_t)t->n ? t->n : 8 + 2 * (size_t)units;
}

/* Insert zeroed nbytes at `at`, or remove them. */
static bool insert(table *t, size_t at, size_t nbytes)
{
    if (t->n + nbytes > t->most)
        return false;
    memmove(t->data + at + nbytes, t->data + at, t->n - at);
    memset(t->data + at, 0, nbytes);
    t->n += nbytes;
    return true;
}

static void take_out(table *t, size_t at, size_t nbytes)
{
    memmove(t->data + at, t->data + at + nbytes, t->n - at - nbytes);
    t->n -= nbytes;
}

/* A complete row: its start, and its pairs. */
typedef struct row {
    size_t at;
    int32_t n;
} row;

/* Draw one of the complete rows; false: there is none. */
static bool draw_row(table *t, row *row_out)
{
    size_t seen = 0;
    for (size_t at = rows_start(t); t->n - at >= 4;) {
        const int32_t n = dvi_load_i32_be(t->data + at);
        if (n < 0 || (size_t)n > (t->n - at - 4) / 12)
            break;
        if (draw(t, ++seen) == 0)
            *row_out = (row){at, n};
        at += 4 + 12 * (size_t)n;
    }
    return seen > 0;
}

static uint8_t *pair_of(table *t, const row *r, size_t k)
{
    return t->data + r->at + 4 + 12 * k;
}

/* --- Changes ---------------------------------------------------------------------------------- */

static void add_pair(table *t, const row *r)
{
    const size_t k = draw(t, (size_t)r->n + 1);
    if (!insert(t, r->at + 4 + 12 * k, 12))
        return;
    const int32_t before = k > 0 ? dvi_load_i32_be(pair_of(t, r, k - 1)) : -1;
    dvi_store_i32_be(pair_of(t, r, k), (int32_t)((uint32_t)before + (uint32_t)draw(t, 3)));
    dvi_store_u64_be(pair_of(t, r, k) + 4, (uint64_t)draw(t, 4) << 62);
    dvi_store_i32_be(t->data + r->at, r->n + 1);
}

static void drop_pair(table *t, const row *r)
{
    if (r->n == 0)
        return;
    take_out(t, r->at + 4 + 12 * draw(t, (size_t)r->n), 12);
    dvi_store_i32_be(t->data + r->at, r->n - 1);
}

static void change_index(table *t, const row *r)
{
    static const int32_t others[] = {-1, INT32_MIN, INT32_MAX, 0, 1, 2};
    if (r->n == 0)
        return;
    uint8_t *pair = pair_of(t, r, draw(t, (size_t)r->n));
    const uint32_t own = (uint32_t)dvi_load_i32_be(pair);
    const uint32_t other =
        draw(t, 2) ? own + (uint32_t)draw(t, 5) - 2 : (uint32_t)others[draw(t, 6)];
    dvi_store_i32_be(pair, (int32_t)other);
}

static void swap_pairs(table *t, const row *r)
{
    uint8_t held[12];
    if (r->n < 2)
        return;
    uint8_t *a = pair_of(t, r, draw(t, (size_t)r->n)), *b = pair_of(t, r, draw(t, (size_t)r->n));
    memcpy(held, a, 12);
    memmove(a, b, 12);
    memcpy(b, held, 12);
}

static void change_count(table *t, const row *r)
{
    static const int32_t others[] = {-1, INT32_MIN, INT32_MAX, 0x15555556};
    const int32_t near = (int32_t)((uint32_t)r->n + (uint32_t)draw(t, 5) - 2);
    dvi_store_i32_be(t->data + r->at, draw(t, 4) ? near : others[draw(t, 4)]);
}

static void copy_row(table *t, const row *r)
{
    const size_t nbytes = 4 + 12 * (size_t)r->n;
    if (insert(t, r->at, nbytes))
        memcpy(t->data + r->at, t->data + r->at + nbytes, nbytes);
}

static void add_label(table *t)
{
    static const uint16_t units[] = {0x1F, 'a', ',', 0xD83D, 0xDE00, 0x011F, 0xFEFF, 0};
    const size_t rows = rows_start(t);
    if (rows < 8 || rows > t->n || t->n < 8)
        return;
    const size_t at = 8 + 2 * draw(t, (rows - 8) / 2 + 1);
    if (!insert(t, at, 2))
        return;
    dvi_store_u16_be(t->data + at, draw(t, 2) ? 0x1F : units[draw(t, 8)]);
    const uint32_t n = (uint32_t)dvi_load_i32_be(t->data + 4);
    dvi_store_i32_be(t->data + 4,
                     (int32_t)(n + 1)); /* the file can be anything, so this may wrap */
}

static void change_row(table *t)
{
    row r;
    if (!draw_row(t, &r)) {
        insert(t, t->n, 4);
        return;
    }
    static void (*const changes[])(table *, const row *) = {
        add_pair, add_pair, drop_pair, change_index, swap_pairs, change_count, copy_row};
    changes[draw(t, sizeof changes / sizeof *changes)](t, &r);
}

size_t dvt_btable_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    table t = {data, n, most, seed};
    const size_t way = draw(&t, 8);
    if (n < 8 || way == 0)
        return LLVMFuzzerMutate(data, n, most);
    for (size_t i = 1 + draw(&t, 3); i > 0; i--)
        if (way == 1)
            add_label(&t);
        else
            change_row(&t);
    return t.n;
}
