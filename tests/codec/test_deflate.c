/* SPDX-License-Identifier: MIT */
/* test_deflate.c: streams that are whole, truncated, damaged, or followed by other bytes. */
#include "support/page.h"
#include "support/test.h"

#include "codec/deflate.h"
#include <string.h>

#define CONTENT_NBYTES 70000
#define STREAM_NBYTES (CONTENT_NBYTES + 100)
#define ADLER_PRIME 65521

/* A compressed stream and its content. */
typedef struct stream {
    uint8_t bytes[STREAM_NBYTES];
    size_t n;
    uint8_t content[CONTENT_NBYTES];
    size_t content_nbytes;
} stream;

static void add(stream *s, const void *bytes, size_t n)
{
    cr_assert_leq(n, sizeof s->bytes - s->n);
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

/* --- Streams made by another implementation, and by hand -------------------------------------- */

typedef struct sample {
    const char *bytes;
    size_t n;
    const char *content;
    size_t content_nbytes;
} sample;

/* Blocks that ML.NET compressed: idv:9.2 and idv:9.3, fixed codes with and without matches, and one
 * of scalar-all-deflate-rpb7.idv with codes of its own; last the shortest stream there is. */
static const sample samples[] = {
    {"\x53\x61\x62\x60\x00\x00", 6, "\x24\x02\x00\x00", 4},
    {"\xAB\x6F\x6C\x60\x68\x00\x00", 7, "\x7F\x81\x80\x00\x80", 5},
    {"\x63\x65\x60\x60\x60\x06\x62\x36\x08\x6E\x80\xD3\x69\xF9\xF9\x15\x95\x55\x00", 19,
     "\5\0\0\0\3\0\0\0\6\0\0\0\6\0\0\x80\6\0\0\0\6\0\0\x80\6"
     "fooxyz",
     31},
    {"\x63\x64\x60\x60\x60\x06\xE2\xFF\x40\xC0\x00\x65\x33\x02\x31\x13\x94\xCD\x6C\x68\x68\x08\x00",
     23, "\1\0\0\0\3\0\0\0\xFF\xFF\xFF\xFF\0\0\0\0\3\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\003111", 36},
    {"\x25\xC1\xC1\x01\x00\x00\x04\x04\xA0\x38\xF6\x5F\xD9\x43\x41\xA1\x11\x0C\xD6\x3B", 20,
     "\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\0\0\0\0", 28},
    {"\x03\x00", 2, "", 0},
};
#define SAMPLES (sizeof samples / sizeof *samples)

static void make_sample(stream *s, size_t number)
{
    const sample *from = &samples[number];
    *s = (stream){.content_nbytes = from->content_nbytes};
    add(s, from->bytes, from->n);
    memcpy(s->content, from->content, from->content_nbytes);
}

/* n bytes in stored blocks of at most 65535 bytes. */
static void make_stored(stream *s, size_t n)
{
    *s = (stream){.content_nbytes = n};
    for (size_t i = 0; i < n; i++)
        s->content[i] = (uint8_t)(i * i >> 3);
    size_t at = 0;
    do {
        const size_t left = n - at, size = left < 65535 ? left : 65535;
        const uint8_t low = (uint8_t)size, high = (uint8_t)(size >> 8);
        const uint8_t head[5] = {size == left, low, high, (uint8_t)~low, (uint8_t)~high};
        add(s, head, sizeof head);
        add(s, s->content + at, size);
        at += size;
    } while (at < n);
}

/* RFC 1950: two bytes before, the Adler-32 of the content after. */
static void wrap(stream *s)
{
    static stream raw;
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < s->content_nbytes; i++) {
        a = (a + s->content[i]) % ADLER_PRIME;
        b = (b + a) % ADLER_PRIME;
    }
    const uint8_t adler[4] = {(uint8_t)(b >> 8), (uint8_t)b, (uint8_t)(a >> 8), (uint8_t)a};
    raw = *s;
    s->n = 0;
    add(s, "\x78\x9C", 2);
    add(s, raw.bytes, raw.n);
    add(s, adler, sizeof adler);
}

/* Call check for each stream in both wrappers. */
static void each_stream(void (*check)(const stream *s, dvi_wrapper wrapper))
{
    static stream s;
    for (size_t i = 0; i < SAMPLES + 3; i++) {
        static const size_t stored[] = {0, 100, CONTENT_NBYTES};
        if (i < SAMPLES)
            make_sample(&s, i);
        else
            make_stored(&s, stored[i - SAMPLES]);
        check(&s, DVI_WRAPPER_RAW);
        wrap(&s);
        check(&s, DVI_WRAPPER_ZLIB);
    }
}

/* --- Inflating between guard pages ------------------------------------------------------------ */

static dvi_inflater *inflater; /* shared by all tests, so that earlier errors would show */
static dvt_page src_page, dst_page;

static void start(void)
{
    cr_assert_eq(dvi_inflater_create(&inflater, NULL), DV_OK);
    src_page = dvt_page_create(STREAM_NBYTES);
    dst_page = dvt_page_create(2 * CONTENT_NBYTES);
}

static void stop(void)
{
    dvi_inflater_free(&inflater);
    cr_expect_null(inflater);
    dvt_page_free(&src_page);
    dvt_page_free(&dst_page);
}

TestSuite(deflate, .init = start, .fini = stop);

typedef struct outcome {
    dvi_inflate_result result;
    const uint8_t *content;
    size_t n, used;
} outcome;

static outcome inflate(dvi_wrapper wrapper, const uint8_t *bytes, size_t n, size_t cap)
{
    const uint8_t *src = dvt_page_copy_end(src_page, bytes, n);
    uint8_t *dst = dvt_page_end(dst_page, cap);
    outcome o = {.content = dst};
    o.result = dvi_inflate(inflater, wrapper, src, n, dst, cap, &o.n, &o.used);
    return o;
}

static void expect_content(const stream *s, const outcome *o)
{
    cr_expect_eq(o->n, s->content_nbytes);
    cr_expect_arr_eq(o->content, s->content, s->content_nbytes);
}

/* --- The results ------------------------------------------------------------------------------ */

static void check_done(const stream *s, dvi_wrapper wrapper)
{
    for (size_t more = 0; more < 20; more += 19) { /* room, just enough or plenty */
        const outcome o = inflate(wrapper, s->bytes, s->n, s->content_nbytes + more);
        cr_expect_eq(o.result, DVI_INFLATE_DONE, "%zu bytes", s->n);
        cr_expect_eq(o.used, s->n);
        expect_content(s, &o);
    }
}

Test(deflate, whole_streams)
{
    each_stream(check_done);
}

/* Every destination that is too small; of large content only lengths near its ends. */
static void check_more(const stream *s, dvi_wrapper wrapper)
{
    for (size_t cap = 0; cap < s->content_nbytes; cap++) {
        if (cap > 300 && cap + 300 < s->content_nbytes)
            cap = s->content_nbytes - 300;
        const outcome o = inflate(wrapper, s->bytes, s->n, cap);
        cr_expect_eq(o.result, DVI_INFLATE_MORE, "%zu of %zu bytes", cap, s->content_nbytes);
    }
}

Test(deflate, content_beyond_the_room)
{
    each_stream(check_more);
}

/* Missing bits may be read as zeros, and these as content beyond the destination. */
static void check_cut(const stream *s, dvi_wrapper wrapper)
{
    for (size_t n = 0; n < s->n; n++) {
        if (n > 300 && n + 300 < s->n)
            n = s->n - 300;
        outcome o = inflate(wrapper, s->bytes, n, s->content_nbytes);
        cr_expect(o.result == DVI_INFLATE_BAD || o.result == DVI_INFLATE_MORE,
                  "cut to %zu of %zu bytes: %d", n, s->n, o.result);
        o = inflate(wrapper, s->bytes, n, 2 * CONTENT_NBYTES);
        cr_expect_eq(o.result, DVI_INFLATE_BAD, "cut to %zu of %zu bytes: %d", n, s->n, o.result);
    }
}

Test(deflate, cut_streams_are_bad)
{
    each_stream(check_cut);
}

static void check_trailing(const stream *s, dvi_wrapper wrapper)
{
    static stream longer;
    for (size_t more = 1; more < 20; more++) {
        longer = *s;
        add(&longer, s->bytes, more < s->n ? more : 1);
        const outcome o = inflate(wrapper, longer.bytes, longer.n, s->content_nbytes);
        cr_expect_eq(o.result, DVI_INFLATE_TRAILING, "%zu bytes after %zu", more, s->n);
        cr_expect_eq(o.used, s->n);
        expect_content(s, &o);
    }
}

Test(deflate, bytes_after_the_end)
{
    each_stream(check_trailing);
}

/* A stream read with the wrong wrapper. */
static void check_other(const stream *s, dvi_wrapper wrapper)
{
    const dvi_wrapper other = wrapper == DVI_WRAPPER_RAW ? DVI_WRAPPER_ZLIB : DVI_WRAPPER_RAW;
    const outcome o = inflate(other, s->bytes, s->n, s->content_nbytes);
    cr_expect_neq(o.result, DVI_INFLATE_DONE, "%zu bytes", s->n);
}

Test(deflate, the_wrong_wrapper_is_bad)
{
    each_stream(check_other);
}

Test(deflate, streams_that_break_rfc_1951)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *why;
    } list[] = {
        {"\x07\x00", 2, "block type 3"},
        {"\x01\x02\x00\xFE\xFF"
         "ab",
         7, "lengths that do not fit each other"},
        {"\x03\x02", 2, "a distance before the first byte"},
        {"\x05\xE0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12, "too many codes"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const outcome o = inflate(DVI_WRAPPER_RAW, (const uint8_t *)list[i].bytes, list[i].n, 1000);
        cr_expect_eq(o.result, DVI_INFLATE_BAD, "%s", list[i].why);
    }
}

/* Each bit of the first two bytes, which are a multiple of 31, and of the checksum. */
Test(deflate, zlib_with_any_wrong_bit_is_bad)
{
    static stream s, damaged;
    make_sample(&s, 2);
    wrap(&s);
    for (size_t bit = 0; bit < 8 * s.n; bit++) {
        if (bit >= 16 && bit < 8 * (s.n - 4))
            continue;
        damaged = s;
        damaged.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const outcome o = inflate(DVI_WRAPPER_ZLIB, damaged.bytes, s.n, s.content_nbytes);
        cr_expect_eq(o.result, DVI_INFLATE_BAD, "bit %zu", bit);
    }
}

/* Change any bit of a stream: the output stays inside its buffer, and zlib detects the change. */
static void check_damage(const stream *s, dvi_wrapper wrapper)
{
    static stream damaged;
    for (size_t bit = 0; bit < 8 * s->n && s->n < 1000; bit++) {
        damaged = *s;
        damaged.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const outcome o = inflate(wrapper, damaged.bytes, s->n, s->content_nbytes);
        if (o.result == DVI_INFLATE_DONE && wrapper == DVI_WRAPPER_ZLIB)
            expect_content(s, &o); /* a bit that fills the last byte */
        cr_expect_leq(o.n, s->content_nbytes);
        cr_expect_leq(o.used, s->n);
    }
}

Test(deflate, damage_stays_inside)
{
    each_stream(check_damage);
}

Test(deflate, free_takes_null)
{
    dvi_inflater *none = NULL;
    dvi_inflater_free(&none);
    cr_expect_null(none);
}

/* --- Deflating -------------------------------------------------------------------------------- */

static size_t deflate_into(dvi_deflater *deflater, dvi_wrapper wrapper, const stream *s, size_t cap,
                           uint8_t **dst_out)
{
    const uint8_t *src = dvt_page_copy_end(src_page, s->content, s->content_nbytes);
    *dst_out = dvt_page_end(dst_page, cap);
    return dvi_deflate(deflater, wrapper, src, s->content_nbytes, *dst_out, cap);
}

/* At every level: the result inflates again, fits its bound, and is refused in less room. */
static void check_deflated(const stream *s, dvi_wrapper wrapper)
{
    for (int level = DVI_DEFLATE_LEVEL_MIN; level <= DVI_DEFLATE_LEVEL_MAX; level++) {
        static uint8_t made[STREAM_NBYTES];
        dvi_deflater *deflater;
        uint8_t *dst;
        cr_assert_eq(dvi_deflater_create(&deflater, level, NULL), DV_OK);
        const size_t bound = dvi_deflate_bound(deflater, wrapper, s->content_nbytes);
        cr_assert_leq(bound, sizeof made);
        const size_t n = deflate_into(deflater, wrapper, s, bound, &dst);
        cr_assert(n > 0 && n <= bound, "level %d: %zu bytes", level, n);
        memcpy(made, dst, n);
        cr_expect_eq(deflate_into(deflater, wrapper, s, n - 1, &dst), 0, "level %d", level);
        cr_expect_eq(deflate_into(deflater, wrapper, s, bound, &dst), n, "level %d", level);
        cr_expect_arr_eq(dst, made, n);
        const outcome o = inflate(wrapper, made, n, s->content_nbytes);
        cr_expect_eq(o.result, DVI_INFLATE_DONE, "level %d", level);
        expect_content(s, &o);
        dvi_deflater_free(&deflater);
        cr_expect_null(deflater);
        dvi_deflater_free(&deflater);
    }
}

Test(deflate, deflated_bytes_inflate)
{
    each_stream(check_deflated);
}
