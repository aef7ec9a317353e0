/* SPDX-License-Identifier: MIT */
/* datadings_parts.c: files in one run of bytes, and what the page says of them: slowly, and by the
 * page's own words. */
#include "datadings_parts.h"
#include "base/load.h"
#include "base/utf8.h"
#include "codec/bloom.h"
#include "support/reference_hash.h"
#include <string.h>

bool dvt_parts_read(dvt_parts *parts_out, const uint8_t *data, size_t n)
{
    *parts_out = (dvt_parts){.flags = 0};
    if (n < DVT_PARTS_HEAD)
        return false;
    parts_out->flags = data[0];
    const uint8_t *p = data + DVT_PARTS_HEAD, *end = data + n;
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) {
        const size_t wanted = dvi_load_u16(data + 1 + 2 * file), left = (size_t)(end - p);
        if (wanted == 0)
            continue;
        const size_t nbytes = wanted - 1 < left ? wanted - 1 : left;
        parts_out->side[file] = (dvt_part){p, nbytes};
        p += nbytes;
    }
    parts_out->data = (dvt_part){p, (size_t)(end - p)};
    return true;
}

static void append(uint8_t *dst, size_t *n, size_t most, const dvt_part *part)
{
    const size_t nbytes = part->n < most - *n ? part->n : most - *n;
    if (nbytes > 0)
        memcpy(dst + *n, part->data, nbytes);
    *n += nbytes;
}

size_t dvt_parts_write(uint8_t *dst, size_t most, const dvt_parts *parts)
{
    size_t n = DVT_PARTS_HEAD;
    if (most < n)
        return 0;
    dst[0] = parts->flags;
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) {
        dvt_part part = parts->side[file];
        part.n = part.n < UINT16_MAX ? part.n : UINT16_MAX - 1;
        dvi_store_u16(dst + 1 + 2 * file, part.data ? (uint16_t)(part.n + 1) : 0);
        append(dst, &n, most, &part);
    }
    append(dst, &n, most, &parts->data);
    return n;
}

/* --- The model: msgpack ----------------------------------------------------------------------- */

/* Bytes to be read from the front. */
typedef struct bytes {
    const uint8_t *p, *end;
    bool is_bad;
} bytes;

static size_t left(const bytes *b)
{
    return (size_t)(b->end - b->p);
}

static uint64_t take(bytes *b, size_t n)
{
    uint64_t value = 0;
    if (b->is_bad || left(b) < n) {
        b->is_bad = true;
        return 0;
    }
    while (n-- > 0)
        value = value << 8 | *b->p++;
    return value;
}

static void pass(bytes *b, uint64_t n)
{
    if (b->is_bad || left(b) < n)
        b->is_bad = true;
    else
        b->p += n;
}

/* A length of 8, 16 or 32 bits. */
static uint64_t take_length(bytes *b, uint8_t first, uint8_t narrow)
{
    return take(b, (size_t)1 << (first - narrow));
}

/* A str: where it is; data NULL: it is none. */
static dvt_part take_str(bytes *b)
{
    const uint8_t first = (uint8_t)take(b, 1);
    uint64_t n = 0;
    if (first >= 0xA0 && first <= 0xBF)
        n = first & 31;
    else if (first >= 0xD9 && first <= 0xDB)
        n = take_length(b, first, 0xD9);
    else
        b->is_bad = true;
    const dvt_part str = {b->p, (size_t)n};
    pass(b, n);
    return b->is_bad ? (dvt_part){NULL, 0} : str;
}

static bool is_utf8(dvt_part str)
{
    for (size_t i = 0, k; i < str.n; i += k) {
        k = dvi_utf8_step((const char *)str.data + i, str.n - i);
        if (k == 0)
            return false;
    }
    return true;
}

static bool is_same(dvt_part a, dvt_part b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.data, b.data, a.n) == 0);
}

static void check_value(bytes *b, int depth, bool is_key, bool *has_nd);

static void check_values(bytes *b, uint64_t n, bool is_map, int depth, bool *has_nd)
{
    if (depth > 1024 || n > left(b) / (is_map ? 2 : 1))
        b->is_bad = true;
    for (uint64_t i = 0; i < n && !b->is_bad; i++) {
        if (is_map)
            check_value(b, depth, true, has_nd);
        check_value(b, depth, false, has_nd);
    }
}

/* The type and the n bytes of an ext: those of Python's msgpack. */
static void check_ext(bytes *b, uint64_t n)
{
    const uint8_t type = (uint8_t)take(b, 1);
    const uint8_t *data = b->p;
    pass(b, n);
    if (b->is_bad || type < 128)
        return;
    const uint64_t ns = n == 8    ? dvi_load_u64_be(data) >> 34
                        : n == 12 ? dvi_load_u64_be(data) >> 32
                                  : 0;
    b->is_bad = type != 255 || (n != 4 && n != 8 && n != 12) || ns >= 1000000000;
}

/* One value of a message. */
static void check_value(bytes *b, int depth, bool is_key, bool *has_nd)
{
    const uint8_t *start = b->p;
    const uint8_t first = (uint8_t)take(b, 1);
    const bool is_container = (first >= 0x80 && first <= 0x9F) || (first >= 0xDC && first <= 0xDF);
    if (b->is_bad || (is_container && is_key) || first == 0xC1) {
        b->is_bad = true;
    } else if ((first >= 0xA0 && first <= 0xBF) || (first >= 0xD9 && first <= 0xDB)) {
        b->p = start;
        const dvt_part str = take_str(b);
        b->is_bad = b->is_bad || !is_utf8(str);
    } else if (first >= 0x80 && first <= 0x9F) {
        check_values(b, first & 15, first < 0x90, depth + 1, has_nd);
    } else if (first >= 0xDC && first <= 0xDF) {
        const uint64_t n = take(b, first & 1 ? 4 : 2);
        check_values(b, n, first >= 0xDE, depth + 1, has_nd);
    } else if (first >= 0xC4 && first <= 0xC6) {
        *has_nd = *has_nd || is_key; /* "nd" or "complex" perhaps */
        pass(b, take_length(b, first, 0xC4));
    } else if (first >= 0xC7 && first <= 0xC9) {
        check_ext(b, take_length(b, first, 0xC7));
    } else if (first >= 0xD4 && first <= 0xD8) {
        check_ext(b, (uint64_t)1 << (first - 0xD4));
    } else if (first >= 0xCA && first <= 0xD3) {
        static const uint8_t widths[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
        pass(b, widths[first - 0xCA]);
    }
}

/* --- The model: files ------------------------------------------------------------------------- */

static uint64_t offset_of(const dvt_parts *parts, int64_t row)
{
    return dvi_load_u64_be(parts->side[DVI_DATADINGS_OFFSETS].data + 8 * row);
}

/* The head of .keys: so many; -1: it is no array, or claims too many. */
static int64_t count_keys(bytes *b)
{
    const uint8_t first = (uint8_t)take(b, 1);
    uint64_t n = 0;
    if ((first & 0xF0) == 0x90)
        n = first & 15;
    else if (first == 0xDC || first == 0xDD)
        n = take(b, first == 0xDC ? 2 : 4);
    else
        b->is_bad = true;
    return b->is_bad || n > left(b) ? -1 : (int64_t)n;
}

/* Is the value at b whole, and if it is a map with a key of its own, is that this key? */
static bool is_sample(bytes b, dvt_part key, bool *has_nd)
{
    bytes whole = b;
    check_value(&whole, 0, false, has_nd);
    if (whole.is_bad || whole.p != whole.end)
        return false;
    const uint8_t first = (uint8_t)take(&b, 1);
    uint64_t n = first & 15;
    if (first == 0xDE || first == 0xDF)
        n = take(&b, first == 0xDE ? 2 : 4);
    else if (first < 0x80 || first > 0x8F)
        return true;
    dvt_part own = {NULL, 0};
    for (uint64_t i = 0; i < n; i++) {
        bytes at = b;
        const dvt_part name = take_str(&at);
        check_value(&b, 1, true, has_nd);
        bytes value = b;
        if (name.data && name.n == 3 && memcmp(name.data, "key", 3) == 0)
            own = take_str(&value);
        check_value(&b, 1, false, has_nd);
    }
    return !own.data || is_same(own, key);
}

static bool has_hash(const dvt_parts *parts, int64_t row, dv_text key)
{
    const dvt_part *file = &parts->side[DVI_DATADINGS_HASHES];
    dvi_key_salt salt;
    if (!file->data)
        return true;
    memcpy(salt.bytes, file->data, 8);
    return dvi_load_u64_be(file->data + 8 * (row + 1)) == dvt_key_hash(&salt, key);
}

/* The filter's head, and its bits. */
static bool is_filter(const dvt_parts *parts, int64_t rows, dvi_bloom *bloom)
{
    const dvt_part *file = &parts->side[DVI_DATADINGS_FILTER];
    double rate;
    if (file->n < 32 || memcmp(file->data, "SIMPBLOO", 8) != 0)
        return false;
    const uint64_t bits = dvi_load_u64_be(file->data + 24);
    memcpy(&rate, &bits, sizeof rate);
    return dvi_load_u64_be(file->data + 8) == file->n &&
           dvi_load_u64_be(file->data + 16) == (uint64_t)(rows < 2 ? 2 : rows) &&
           dvi_bloom_of(bloom, (uint64_t)(rows < 2 ? 2 : rows), rate) &&
           bloom->bits / 8 + 32 == file->n;
}

static bool is_row_sound(const dvt_parts *parts, int64_t row, dvt_part key, const dvi_bloom *bloom,
                         bool *has_nd)
{
    const uint64_t start = offset_of(parts, row), end = offset_of(parts, row + 1);
    const dv_text text = {(const char *)key.data, (int64_t)key.n};
    const dvt_part *filter = &parts->side[DVI_DATADINGS_FILTER];
    if (start >= end || end > parts->data.n || !is_utf8(key) || !has_hash(parts, row, text))
        return false;
    if (filter->data && !dvi_bloom_has(bloom, filter->data + 32, dvt_key_probe_of(text)))
        return false;
    const bytes message = {parts->data.data + start, parts->data.data + end, false};
    return is_sample(message, key, has_nd);
}

/* Is the key that b stands on another than all that were before? */
static bool is_new_key(const dvt_part *keys, int64_t n, dvt_part key)
{
    for (int64_t i = 0; i < n; i++)
        if (is_same(keys[i], key))
            return false;
    return true;
}

static bool are_rows_sound(const dvt_parts *parts, bytes b, dvt_parts_model *model)
{
    enum { MOST = 4096 };
    static dvt_part keys[MOST];
    dvi_bloom bloom = {0};
    const dvt_part *hashes = &parts->side[DVI_DATADINGS_HASHES];
    if (model->rows > MOST || (hashes->data && (int64_t)hashes->n != 8 + 8 * model->rows))
        return false;
    if (parts->side[DVI_DATADINGS_FILTER].data && !is_filter(parts, model->rows, &bloom))
        return false;
    for (int64_t row = 0; row < model->rows; row++) {
        keys[row] = take_str(&b);
        if (b.is_bad || !is_new_key(keys, row, keys[row]) ||
            !is_row_sound(parts, row, keys[row], &bloom, &model->has_nd))
            return false;
    }
    return b.p == b.end;
}

dvt_parts_model dvt_parts_model_of(const dvt_parts *parts)
{
    const dvt_part *offsets = &parts->side[DVI_DATADINGS_OFFSETS];
    const dvt_part *keys = &parts->side[DVI_DATADINGS_KEYS];
    dvt_parts_model model = {.rows = (int64_t)(offsets->n / 8) - 1};
    if (!offsets->data || !keys->data || offsets->n == 0 || offsets->n % 8 != 0)
        return model;
    bytes b = {keys->data, keys->data + keys->n, false};
    model.opens = offset_of(parts, 0) == 0 && offset_of(parts, model.rows) == parts->data.n &&
                  count_keys(&b) == model.rows && (model.rows > 0 || b.p == b.end);
    model.is_sound = model.opens && are_rows_sound(parts, b, &model);
    return model;
}
