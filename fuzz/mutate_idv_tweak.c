/* SPDX-License-Identifier: MIT */
/* mutate_idv_tweak.c: makes one field of a block slightly wrong.  Follows the content as its codec
 * says, and changes what a check of idv:5 reads. */
#include "mutate_idv.h"
#include <string.h>

typedef struct tweak {
    dvt_pool *pool;
    dvt_draw *draw;
    dvt_bytes *content;
} tweak;

/* Whether the whole field exists. */
static bool has(const tweak *t, uint64_t at, uint64_t nbytes)
{
    return at <= t->content->n && nbytes <= t->content->n - at;
}

static uint32_t i32_at(const tweak *t, uint64_t at)
{
    return has(t, at, 4) ? (uint32_t)dvt_number(t->content->data + at, 4) : 0;
}

static void bend(tweak *t, uint64_t at, size_t width)
{
    if (!has(t, at, width))
        return;
    uint8_t *p = t->content->data + at;
    dvt_set_number(p, dvt_draw_number(t->draw, dvt_number(p, width), width), width);
}

/* Change one of n fields of four bytes, exchange two, or copy one over another. */
static void bend_i32_of(tweak *t, uint64_t at, uint64_t n)
{
    if (n == 0 || !has(t, at, 4) || !has(t, at, 4 * n))
        return;
    const uint64_t a = at + 4 * (uint64_t)dvt_draw_below(t->draw, (size_t)n);
    const uint64_t b = at + 4 * (uint64_t)dvt_draw_below(t->draw, (size_t)n);
    const uint32_t old = i32_at(t, a);
    switch (dvt_draw_below(t->draw, 4)) {
    case 0:
        dvt_set_number(t->content->data + a, i32_at(t, b), 4);
        dvt_set_number(t->content->data + b, old, 4);
        return;
    case 1:
        dvt_set_number(t->content->data + a, i32_at(t, b), 4);
        return;
    default:
        bend(t, a, 4);
    }
}

/* Overwrite some bytes of a text with a sequence that is mostly not UTF-8. */
static void tweak_utf8(tweak *t, uint64_t at)
{
    static const char *const bad[] = {"\x80",
                                      "\xC0\x80",
                                      "\xC3",
                                      "\xE0\x80\x80",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF0\x9F\x98",
                                      "\xF8\x88\x80\x80\x80",
                                      "\xFF",
                                      "\xC3\xA9",
                                      "\xF0\x9F\x98\x80",
                                      "\xEF\xBF\xBE",
                                      "a"};
    const size_t n = t->content->n;
    if (at >= n)
        return;
    const char *text = bad[dvt_draw_below(t->draw, sizeof bad / sizeof *bad)];
    const size_t left = n - (size_t)at;
    const size_t where = (size_t)at + (dvt_draw_one_in(t->draw, 3) && left > strlen(text)
                                           ? left - strlen(text)
                                           : dvt_draw_below(t->draw, left));
    for (size_t i = 0; text[i] && where + i < n; i++)
        t->content->data[where + i] = (uint8_t)text[i];
}

/* Write a length in more bytes than it needs, or more than allowed. */
static void tweak_leb(tweak *t, uint64_t at)
{
    uint64_t value = 0;
    size_t width = 0;
    while (has(t, at, width + 1) && width < 9) {
        const uint8_t c = t->content->data[at + width];
        value |= (uint64_t)(c & 0x7F) << (7 * width++);
        if (c < 0x80)
            break;
    }
    if (width == 0)
        return;
    uint8_t out[10];
    const size_t wider = width + dvt_draw_below(t->draw, 11 - width);
    if (dvt_draw_one_in(t->draw, 3))
        value = dvt_draw_number(t->draw, value, 8);
    for (size_t i = 0; i < wider; i++)
        out[i] = (uint8_t)((7 * i < 64 ? value >> (7 * i) & 0x7F : 0) | (i + 1 < wider ? 0x80 : 0));
    dvt_bytes_splice(t->pool, t->content, (size_t)at, width, out, wider);
}

static void tweak_text(tweak *t, uint64_t at)
{
    const uint64_t n = i32_at(t, at), ends = at + 4, length = ends + 4 * n;
    uint64_t text = length;
    while (has(t, text, 1) && t->content->data[text] >= 0x80)
        text++;
    text++;
    switch (dvt_draw_below(t->draw, 6)) {
    case 0:
        bend(t, at, 4);
        return;
    case 1:
        if (n > 0 && has(t, ends, 4 * n)) /* toggles NA */
            t->content->data[ends + 4 * (uint64_t)dvt_draw_below(t->draw, (size_t)n) + 3] ^= 0x80;
        return;
    case 2:
        if (has(t, length, 1))
            tweak_leb(t, length);
        return;
    case 3:
        bend_i32_of(t, ends, n);
        return;
    default:
        tweak_utf8(t, text);
    }
}

static void tweak_values(tweak *t, const dvt_idv_codec *codec, uint64_t at, uint64_t n);

static void tweak_vectors(tweak *t, const dvt_idv_codec *codec, uint64_t at)
{
    const uint64_t n = i32_at(t, at), size = i32_at(t, at + 4);
    const uint64_t lengths = at + 8, counts = lengths + (size == 0 ? 4 * n : 0);
    const uint64_t indices = counts + 4 * n, k = i32_at(t, indices);
    const uint64_t values = indices + 4 + 4 * k;
    uint64_t items = 0;
    for (uint64_t i = 0; i < n && has(t, counts, 4 * (i + 1)); i++) {
        const uint32_t count = i32_at(t, counts + 4 * i);
        items += count != UINT32_MAX ? count : size > 0 ? size : i32_at(t, lengths + 4 * i);
    }
    switch (dvt_draw_below(t->draw, 8)) {
    case 0:
        bend(t, at, 4);
        return;
    case 1:
        bend(t, at + 4, 4);
        return;
    case 2:
        if (size == 0)
            bend_i32_of(t, lengths, n);
        return;
    case 3:
        bend_i32_of(t, counts, n);
        return;
    case 4:
        bend(t, indices, 4);
        return;
    case 5:
        bend_i32_of(t, indices + 4, k);
        return;
    default:
        if (has(t, values, 1))
            tweak_values(t, codec->inner, values, items);
    }
}

static void tweak_values(tweak *t, const dvt_idv_codec *codec, uint64_t at, uint64_t n)
{
    size_t width;
    const dvt_idv_shape shape = dvt_idv_shape_of(codec, &width);
    const uint64_t left = t->content->n - at;
    uint64_t some = n;
    switch (shape) {
    case DVT_IDV_TEXT:
        tweak_text(t, at);
        return;
    case DVT_IDV_VECTOR:
        tweak_vectors(t, codec, at);
        return;
    case DVT_IDV_ZONED:
        if (n == 0 || !has(t, at, 10 * n))
            return;
        some = dvt_draw_below(t->draw, (size_t)n);
        if (dvt_draw_one_in(t->draw, 2))
            bend(t, at + 2 * some, 2);
        else
            bend(t, at + 2 * n + 8 * some, 8);
        return;
    case DVT_IDV_FIXED:
    case DVT_IDV_TICKS:
    case DVT_IDV_KEY:
        if (left >= width && width > 0)
            bend(t, at + width * (uint64_t)dvt_draw_below(t->draw, (size_t)left / width),
                 width > 8 ? 8 : width);
        return;
    case DVT_IDV_UNKNOWN:
    case DVT_IDV_BITS:
    case DVT_IDV_BITS2:
        if (left > 0)
            bend(t, at + (uint64_t)dvt_draw_below(t->draw, (size_t)left), 1);
    }
}

void dvt_idv_tweak_block(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec,
                         dvt_idv_block *block)
{
    block->content = dvt_bytes_copy(pool, block->content.data, block->content.n);
    tweak t = {pool, draw, &block->content};
    const size_t n = block->content.n;
    if (n > 0 && dvt_draw_one_in(draw, 16)) { /* too short */
        block->content.n -= 1 + dvt_draw_below(draw, n < 9 ? n : 9);
        return;
    }
    if (dvt_draw_one_in(draw, 16)) { /* or too long */
        dvt_bytes_add_number(pool, &block->content, 0, 1 + dvt_draw_below(draw, 8));
        return;
    }
    if (!block->is_stored)
        tweak_values(&t, codec, 0, block->rows > 0 ? (uint64_t)block->rows : 1);
    else if (n > 0)
        bend(&t, dvt_draw_below(draw, n), 1);
}
