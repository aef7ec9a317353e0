/* SPDX-License-Identifier: MIT */
/* test_murmur.c: hashes are those of ML.NET (golden/random/hash.jsonl, semantics:7.6). */
#include "codec/murmur.h"
#include "support/golden_lines.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

static uint32_t hex(const dvt_json *line, const char *name)
{
    return (uint32_t)strtoul(dvt_json_member(line, name)->text.data, NULL, 16);
}

static uint32_t number(const dvt_json *line, const char *name)
{
    return (uint32_t)dvt_json_int(dvt_json_member(line, name));
}

/* The keys of n-grams are hashed like this (semantics:7.10). */
static uint32_t sequence(const dvt_json *line)
{
    const dvt_json *keys = dvt_json_member(line, "seq");
    uint32_t hash = number(line, "seed");
    for (int64_t i = 0; i < keys->count; i++)
        hash = dvi_murmur_round(hash, (uint32_t)dvt_json_int(dvt_json_item(keys, i)));
    return dvi_murmur_finish(dvi_murmur_round(hash, (uint32_t)keys->count));
}

static void check_line(const dvt_json *line)
{
    const dv_text fn = dvt_json_member(line, "fn")->text;
    uint32_t found;
    if (dv_text_equal(fn, dv_text_of("text"))) {
        if (dvt_json_member(line, "text")->kind != DVT_JSON_STRING)
            return; /* halves of characters, which our texts do not have */
        const dv_text text = dvt_json_member(line, "text")->text;
        const uint32_t seed = number(line, "seed");
        cr_expect_eq(dvi_murmur_text(seed, text, DVI_MURMUR_1), hex(line, "v1"), "%.*s",
                     (int)line->source.nbytes, line->source.data);
        cr_expect_eq(dvi_murmur_text(seed, text, DVI_MURMUR_2), hex(line, "v2"), "%.*s",
                     (int)line->source.nbytes, line->source.data);
        return;
    }
    if (dv_text_equal(fn, dv_text_of("round")))
        found = dvi_murmur_round(hex(line, "h"), hex(line, "x"));
    else if (dv_text_equal(fn, dv_text_of("mix1")))
        found = dvi_murmur_finish(hex(line, "h"));
    else if (dv_text_equal(fn, dv_text_of("mix2")))
        found = dvi_murmur_finish_of(hex(line, "h"), number(line, "len"));
    else
        found = sequence(line);
    cr_expect_eq(found, hex(line, "result"), "%.*s", (int)line->source.nbytes, line->source.data);
}

Test(murmur, as_the_reference)
{
    cr_expect_geq(dvt_golden_json("random/hash.jsonl", check_line), 60);
}

/* Of semantics:7.6: versions 2 and 1 of each value, without order. */
#define SEED DVI_MURMUR_SEED
#define BOTH(function, value, two, one)                                                            \
    do {                                                                                           \
        cr_expect_eq(function(SEED, value, DVI_MURMUR_2), two);                                    \
        cr_expect_eq(function(SEED, value, DVI_MURMUR_1), one);                                    \
    } while (0)

Test(murmur, texts)
{
    BOTH(dvi_murmur_text, dv_text_of("a"), 0x2c72b6c0, 0x70f412dc);
    BOTH(dvi_murmur_text, dv_text_of("hello"), 0x09f85fab, 0x528cf545);
    BOTH(dvi_murmur_text, dv_text_of("a\xC3\xA9"), 0x4466314c, 0xf2503084);
    BOTH(dvi_murmur_text, dv_text_of("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"), 0xf8c5d1aa,
         0x00876fb9);
    BOTH(dvi_murmur_text, dv_text_of("\xF0\x9F\x98\x80"), 0x11c98223, 0x249b79b5);
    /* a byte that is no character is U+FFFD, as the reader makes it; NA has no bytes */
    cr_expect_eq(dvi_murmur_text(SEED, dv_text_of("a\xFF z"), DVI_MURMUR_2),
                 dvi_murmur_text(SEED, dv_text_of("a\xEF\xBF\xBD z"), DVI_MURMUR_2));
    const dv_text na = {NULL, -1};
    cr_expect_eq(dvi_murmur_text(SEED, na, DVI_MURMUR_2),
                 dvi_murmur_text(SEED, dv_text_of(""), DVI_MURMUR_2));
}

/* Bytes as words, the last of them not full: version 1, and MurmurHash3. */
static uint32_t hash_bytes(const uint8_t *bytes, size_t n, dvi_murmur_version version)
{
    uint32_t hash = SEED, word = 0;
    for (size_t i = 0; i < n; i++) {
        word |= (uint32_t)bytes[i] << 8 * (i % 4);
        if (i % 4 == 3) {
            hash = dvi_murmur_round(hash, word);
            word = 0;
        }
    }
    if (version == DVI_MURMUR_1)
        return dvi_murmur_finish(
            dvi_murmur_round(n % 4 ? dvi_murmur_round(hash, word) : hash, (uint32_t)n));
    if (n % 4) {
        word *= 0xCC9E2D51u;
        hash ^= (word << 15 | word >> 17) * 0x1B873593u;
    }
    return dvi_murmur_finish_of(hash, (uint32_t)n);
}

/* Texts of all lengths, with ASCII at any place of a word: in version 1 a character beyond ASCII
 * has the bytes of UTF-8 backwards. */
Test(murmur, drawn_texts)
{
    static const char *const wide[] = {"\xC3\xA9", "\xE6\x97\xA5"};
    uint32_t state = 1;
    for (int i = 0; i < 20000; i++) {
        char text[80];
        uint8_t bytes[80];
        size_t n = 0;
        const size_t most = (size_t)i % 70;
        const bool is_ascii = i % 3 == 0;
        while (n < most) {
            state = state * 1664525u + 1013904223u;
            const size_t k = is_ascii || state >> 28 > 3 ? 1 : 2 + (state >> 27 & 1);
            for (size_t j = 0; j < k; j++) {
                text[n + j] = k == 1 ? (char)(state >> 20 & 0x7F) : wide[k - 2][j];
                bytes[n + k - 1 - j] = (uint8_t)text[n + j];
            }
            n += k;
        }
        const dv_text all = {text, (int64_t)n};
        cr_assert_eq(dvi_murmur_text(SEED, all, DVI_MURMUR_1), hash_bytes(bytes, n, DVI_MURMUR_1));
        if (is_ascii)
            cr_assert_eq(dvi_murmur_text(SEED, all, DVI_MURMUR_2),
                         hash_bytes(bytes, n, DVI_MURMUR_2));
    }
}

Test(murmur, numbers)
{
    BOTH(dvi_murmur_r4, 1.0f, 0xbc50bdce, 0xd84883a4);
    BOTH(dvi_murmur_r4, -1.0f, 0xb4ab00fb, 0x53c7adf8);
    BOTH(dvi_murmur_r4, -0.0f, 0x60d48749, 0x7a4d4b4f);
    BOTH(dvi_murmur_r8, 1.0, 0xc84984bb, 0xf272a69e);
    BOTH(dvi_murmur_r8, 0.1, 0x1395452c, 0x0f7d4676);
    cr_expect_eq(dvi_murmur_r8(SEED, -0.0, DVI_MURMUR_2), dvi_murmur_u8(SEED, 0, DVI_MURMUR_2));
    BOTH(dvi_murmur_u4, 1, 0x758ea9f5, 0x5f22b1eb);
    BOTH(dvi_murmur_u4, (uint32_t)-1, 0xfadae69b, 0xc1522110);
    BOTH(dvi_murmur_u4, 2, 0x1eaebd96, 0x26e11ea3);
    BOTH(dvi_murmur_u4, 1000, 0xf8ae3c60, 0x4e69ab16);
    BOTH(dvi_murmur_u8, 1, 0xdd5ff548, 0x5f22b1eb);
    BOTH(dvi_murmur_u8, (uint64_t)-1, 0xf0aff71e, 0xb79629b6);
    BOTH(dvi_murmur_u8, UINT64_C(1) << 40, 0xe7715a82, 0xeca13c8c);
    BOTH(dvi_murmur_ug, ((dv_u128){1294, 0}), 0x31ac76c7, 0xfbc9b713);
    BOTH(dvi_murmur_ug, ((dv_u128){1294, 7}), 0x31ac76c7, 0xfee8ee38);
}
