/* SPDX-License-Identifier: MIT */
/* btable_model.c: BTables read the plain way, from the page: one byte after the other. */
#include "btable_model.h"
#include "meter.h"
#include "reading.h"
#include <stdlib.h>
#include <string.h>

/* Bytes, and where we are. */
typedef struct bytes {
    const uint8_t *data;
    size_t n, at;
} bytes;

static uint64_t number(const bytes *b, size_t at, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | b->data[at + i];
    return value;
}

static int32_t int_at(const bytes *b, size_t at)
{
    return (int32_t)(uint32_t)number(b, at, 4);
}

uint64_t dvt_btable_hash_row(uint64_t hash, int32_t count)
{
    return dvt_hash_number(hash, UINT64_C(0xC0C0) + (uint64_t)(int64_t)count);
}

uint64_t dvt_btable_hash_item(uint64_t hash, int32_t index, uint64_t bits)
{
    return dvt_hash_number(dvt_hash_number(hash, (uint64_t)index), bits);
}

static void fail(dvt_btable_model *m, dv_status status, const char *rule, size_t offset)
{
    m->status = status;
    m->rule = rule;
    m->offset = (int64_t)offset;
}

/* --- Labels ----------------------------------------------------------------------------------- */

/* The code point at unit k, and how many units it has; U+FFFD for half a pair. */
static uint32_t code_point(const bytes *b, size_t k, size_t units, size_t *step, bool *is_half)
{
    const uint32_t u = (uint32_t)number(b, 8 + 2 * k, 2);
    *step = 1;
    *is_half = u >= 0xD800 && u < 0xE000;
    if (!*is_half)
        return u;
    if (u < 0xDC00 && k + 1 < units) {
        const uint32_t low = (uint32_t)number(b, 8 + 2 * (k + 1), 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *step = 2;
            *is_half = false;
            return 0x10000 + (u - 0xD800) * 0x400 + (low - 0xDC00);
        }
    }
    return 0xFFFD;
}

/* Labels as code points; each ends with a number that is none. */
static bool read_labels(dvt_btable_model *m, const bytes *b, size_t units, bool lenient)
{
    m->labels = 1;
    for (size_t k = 0, step; k < units; k += step) {
        bool is_half;
        const uint32_t c = code_point(b, k, units, &step, &is_half);
        if (is_half && !lenient) {
            fail(m, DV_ERR_CORRUPT, "LABEL_UTF16", 8 + 2 * k);
            return false;
        }
        m->labels += c == 0x1F;
        m->names = dvt_hash_number(m->names, c == 0x1F ? UINT64_C(1) << 32 : c);
    }
    return true;
}

static bool read_header(dvt_btable_model *m, bytes *b, bool lenient)
{
    if (b->n < 8) {
        fail(m, DV_ERR_CORRUPT, "HDR_TRUNC", b->n);
        return false;
    }
    const int32_t version = int_at(b, 0), units = int_at(b, 4);
    if (version != 0)
        fail(m, DV_ERR_UNSUPPORTED, "VERSION", 0);
    else if (units < 0)
        fail(m, DV_ERR_CORRUPT, "LABEL_LEN", 4);
    else if ((uint64_t)units * 2 + 8 > b->n)
        fail(m, DV_ERR_CORRUPT, "LABEL_TRUNC", 4);
    if (m->status != DV_OK)
        return false;
    b->at = 8 + 2 * (size_t)units;
    m->header_nbytes = (int64_t)b->at;
    return read_labels(m, b, (size_t)units, lenient);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* What the strict rules say of n pairs. */
static bool pairs_are_sound(dvt_btable_model *m, const bytes *b, int32_t n)
{
    int64_t before = -1;
    for (int32_t k = 0; k < n; k++) {
        const size_t at = b->at + 4 + 12 * (size_t)k;
        const int32_t index = int_at(b, at);
        const char *rule = index < 0            ? "INDEX_NEG"
                           : index >= m->labels ? "INDEX_RANGE"
                           : index == before    ? "INDEX_DUP"
                           : index < before     ? "INDEX_ORDER"
                                                : NULL;
        if (rule) {
            fail(m, DV_ERR_CORRUPT, rule, at);
            return false;
        }
        before = index;
    }
    return true;
}

/* A pair, by slot and then by place. */
typedef struct pair {
    int32_t index, place;
} pair;

static int compare(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

/* The pairs that count, in the order of slots; returns how many. */
static int32_t sort_pairs(const dvt_btable_model *m, const bytes *b, int32_t n, pair *pairs)
{
    int32_t kept = 0, last = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t index = int_at(b, b->at + 4 + 12 * (size_t)k);
        if (index >= 0 && index < m->labels)
            pairs[kept++] = (pair){index, k};
    }
    if (kept > 1)
        qsort(pairs, (size_t)kept, sizeof *pairs, compare);
    for (int32_t k = 0; k < kept; k++)
        if (k + 1 == kept || pairs[k + 1].index != pairs[k].index)
            pairs[last++] = pairs[k];
    return last;
}

static void hash_pairs(dvt_btable_model *m, const bytes *b, int32_t n)
{
    pair *pairs = malloc(((size_t)n + 1) * sizeof *pairs);
    DVT_CHECK(pairs);
    const int32_t count = sort_pairs(m, b, n, pairs);
    m->values = dvt_btable_hash_row(m->values, count == m->labels ? -1 : count);
    for (int32_t k = 0; k < count; k++) {
        const uint64_t bits = number(b, b->at + 8 + 12 * (size_t)pairs[k].place, 8);
        m->values = dvt_btable_hash_item(m->values, pairs[k].index, bits);
        m->zeros += bits << 1 == 0;
    }
    m->items += count;
    m->rows++;
    free(pairs);
}

static bool read_row(dvt_btable_model *m, bytes *b, bool lenient)
{
    const size_t left = b->n - b->at;
    if (left == 0 || (left < 4 && lenient))
        return false;
    if (left < 4) {
        fail(m, DV_ERR_CORRUPT, "COUNT_TRUNC", b->at);
        return false;
    }
    const int32_t n = int_at(b, b->at);
    if (n < 0)
        fail(m, DV_ERR_CORRUPT, "COUNT_NEG", b->at);
    else if (n > m->labels && !lenient)
        fail(m, DV_ERR_CORRUPT, "COUNT_GT_N", b->at);
    else if ((uint64_t)n * 12 > left - 4)
        fail(m, DV_ERR_CORRUPT, "ROW_TRUNC", b->at);
    if (m->status != DV_OK || (!lenient && !pairs_are_sound(m, b, n)))
        return false;
    hash_pairs(m, b, n);
    b->at += 4 + 12 * (size_t)n;
    return true;
}

dvt_btable_model dvt_btable_model_of(const uint8_t *data, size_t n, bool lenient)
{
    dvt_btable_model m = {.status = DV_OK, .rule = "", .offset = -1};
    bytes b = {data, n, 0};
    m.opens = read_header(&m, &b, lenient);
    while (m.opens && read_row(&m, &b, lenient)) {
    }
    m.is_whole_rows = (int64_t)n == m.header_nbytes + 4 * m.rows + 12 * m.items;
    return m;
}
