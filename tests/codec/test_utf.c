/* SPDX-License-Identifier: MIT */
/* test_utf.c: validation of UTF-8, its length in UTF-16, and ends of texts in UTF-16 units: the
 * kernels, and the functions for the cases where they stop, compared with simple references. */
#include "support/page.h"
#include "support/test.h"

#include "simd/kernel.h"
#include "codec/utf.h"
#include <string.h>

static const dvi_kernel_table *kernels(void)
{
    return dvi_kernels_at(DV_LEVEL_SCALAR);
}

/* --- A reference validator: decodes the bits, encodes them again, compares -------------------- */

static size_t encode(uint32_t scalar, uint8_t *dst)
{
    if (scalar < 0x80) {
        dst[0] = (uint8_t)scalar;
        return 1;
    }
    const size_t width = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4;
    static const uint8_t lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = width - 1; i > 0; i--, scalar >>= 6)
        dst[i] = (uint8_t)(0x80 | (scalar & 0x3F));
    dst[0] = (uint8_t)(lead[width] | scalar);
    return width;
}

static size_t promised_width(uint8_t lead)
{
    return lead < 0x80   ? 1
           : lead < 0xC0 ? 0
           : lead < 0xE0 ? 2
           : lead < 0xF0 ? 3
           : lead < 0xF8 ? 4
                         : 0;
}

/* The number of bytes of the character at p, and its scalar value; 0: not a character. */
static size_t decode(const uint8_t *p, size_t n, uint32_t *scalar_out)
{
    static const uint8_t mask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const size_t width = promised_width(p[0]);
    if (width == 0 || width > n)
        return 0;
    uint32_t scalar = p[0] & mask[width];
    for (size_t i = 1; i < width; i++) {
        if (p[i] < 0x80 || p[i] > 0xBF)
            return 0;
        scalar = scalar << 6 | (p[i] & 0x3F);
    }
    uint8_t again[4];
    const bool is_scalar = scalar < 0xD800 || (scalar > 0xDFFF && scalar <= 0x10FFFF);
    *scalar_out = scalar;
    return is_scalar && encode(scalar, again) == width ? width : 0;
}

static size_t reference_prefix(const uint8_t *p, size_t n, size_t *units_out)
{
    size_t i = 0, width;
    uint32_t scalar;
    for (*units_out = 0; i < n && (width = decode(p + i, n - i, &scalar)) > 0; i += width)
        *units_out += scalar >= 0x10000 ? 2 : 1;
    return i;
}

/* --- Draws ------------------------------------------------------------------------------------ */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

/* A random scalar value, of a random width in bytes. */
static uint32_t draw_scalar(void)
{
    switch (draw(4)) {
    case 0:
        return draw(0x80);
    case 1:
        return 0x80 + draw(0x780);
    case 2: {
        const uint32_t scalar = 0x800 + draw(0xF800 - 0x800);
        return scalar < 0xD800 ? scalar : scalar + 0x800;
    }
    default:
        return 0x10000 + draw(0x100000);
    }
}

/* --- The validator ---------------------------------------------------------------------------- */

/* Compare both results for the bytes at p. Differences are counted, since there are millions. */
static size_t wrong;
static uint8_t first_wrong[16];

static void compare(const uint8_t *p, size_t n)
{
    size_t units, want_units;
    const size_t valid = kernels()->utf8_units(p, n, &units);
    const size_t want = reference_prefix(p, n, &want_units);
    if (valid == want && units == want_units)
        return;
    if (wrong++ == 0)
        memcpy(first_wrong, p, n < sizeof first_wrong ? n : sizeof first_wrong);
}

static void expect_none_wrong(void)
{
    const uint8_t *p = first_wrong;
    cr_expect_eq(wrong, 0, "%zu wrong, the first starts %02X %02X %02X %02X", wrong, p[0], p[1],
                 p[2], p[3]);
}

Test(utf, validates_every_sequence_of_up_to_three_bytes)
{
    uint8_t *const end = dvt_page_end(dvt_shared_page(0), 0);
    for (uint32_t word = 0; word < 0x1000000; word++) {
        end[-3] = (uint8_t)(word >> 16);
        end[-2] = (uint8_t)(word >> 8);
        end[-1] = (uint8_t)word;
        compare(end - 3, 3);
        if (word < 0x10000)
            compare(end - 2, 2);
        if (word < 0x100)
            compare(end - 1, 1);
    }
    compare(end, 0);
    expect_none_wrong();
}

/* Bytes at which the rules change, and their neighbours. */
static const uint8_t edges[] = {0x00, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
                                0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFE, 0xFF};
#define EDGES (sizeof edges)

/* Four bytes by number: a byte of `edges` each. */
static void put_edges(uint8_t *dst, size_t number)
{
    for (size_t i = 0; i < 4; i++, number /= EDGES)
        dst[i] = edges[number % EDGES];
}

Test(utf, validates_four_bytes_at_the_edges_of_the_rules)
{
    uint8_t *const end = dvt_page_end(dvt_shared_page(0), 0);
    for (size_t number = 0; number < EDGES * EDGES * EDGES * EDGES; number++) {
        put_edges(end - 4, number);
        compare(end - 4, 4);
    }
    expect_none_wrong();
}

/* ASCII before and after, so that the four bytes fall everywhere in words of eight; the text
 * starts at every address, and ends at the guard page or starts there. */
static void compare_at(const uint8_t four[4], size_t before, size_t after)
{
    uint8_t text[64];
    const size_t n = before + 4 + after;
    memset(text, 'a', sizeof text);
    memcpy(text + before, four, 4);
    compare(dvt_page_copy_end(dvt_shared_page(0), text, n), n);
    compare(dvt_page_copy_start(dvt_shared_page(0), text, n), n);
}

/* Bytes at the edges of the rules, or whole characters of which the last may be cut. */
static void draw_four(uint8_t four[4])
{
    if (draw(2) == 0) {
        put_edges(four, draw(EDGES * EDGES * EDGES * EDGES));
        return;
    }
    for (size_t at = 0, width; at < 4; at += width) {
        uint8_t one[4];
        width = encode(draw_scalar(), one);
        memcpy(four + at, one, width <= 4 - at ? width : 4 - at);
    }
}

Test(utf, validates_at_every_offset_and_address)
{
    state = 1;
    for (int i = 0; i < 400; i++) {
        uint8_t four[4];
        draw_four(four);
        for (size_t before = 0; before < 20; before++)
            for (size_t after = 0; after < 20; after++)
                compare_at(four, before, after);
    }
    expect_none_wrong();
}

Test(utf, validates_every_character)
{
    uint8_t *const end = dvt_page_end(dvt_shared_page(0), 0);
    size_t refused = 0;
    for (uint32_t scalar = 0; scalar <= 0x10FFFF; scalar++) {
        uint8_t one[4];
        size_t units;
        const size_t width = encode(scalar, one);
        memcpy(end - width, one, width);
        const bool is_valid = kernels()->utf8_units(end - width, width, &units) == width;
        const size_t want = scalar > 0xFFFF ? 2 : 1;
        refused += !is_valid;
        wrong += is_valid && units != want;
        wrong += is_valid == (scalar >= 0xD800 && scalar <= 0xDFFF);
    }
    cr_expect_eq(refused, 0x800, "surrogates, and nothing else");
    cr_expect_eq(wrong, 0);
}

/* --- Boundaries: random UTF-16, divided into texts -------------------------------------------- */

#define UNITS_MAX 400
#define TEXTS_MAX 200
#define NA UINT32_C(0x80000000)

/* A string in both encodings, and the ends of the texts into which it is divided. */
typedef struct sample {
    uint8_t text[3 * UNITS_MAX];
    size_t nbytes;
    uint32_t unit[UNITS_MAX]; /* the scalar; of the second half of a pair HALF */
    size_t units;
    uint32_t ends[TEXTS_MAX]; /* in units, with the NA bit */
    size_t texts;
} sample;

#define HALF UINT32_MAX

static void add_scalar(sample *s, uint32_t scalar)
{
    s->nbytes += encode(scalar, s->text + s->nbytes);
    s->unit[s->units++] = scalar;
    if (scalar > 0xFFFF)
        s->unit[s->units++] = HALF;
}

static void add_end(sample *s, size_t unit)
{
    s->ends[s->texts++] = (uint32_t)unit;
}

static bool is_split(const sample *s, size_t unit)
{
    return unit < s->units && s->unit[unit] == HALF;
}

/* The units from..to-1 in UTF-8, with U+FFFD for half a pair. */
static size_t encode_piece(const sample *s, size_t from, size_t to, uint8_t *dst)
{
    size_t n = 0;
    for (size_t u = from; u < to; u++) {
        const bool is_pair = s->unit[u] != HALF && s->unit[u] > 0xFFFF;
        const bool is_half = s->unit[u] == HALF || (is_pair && u + 1 == to);
        n += encode(is_half ? 0xFFFD : s->unit[u], dst + n);
        u += is_pair && !is_half;
    }
    return n;
}

/* The expected result, text by text. */
typedef struct answer {
    uint8_t text[6 * UNITS_MAX];
    size_t nbytes, splits;
    uint32_t ends[TEXTS_MAX];
    size_t first_split; /* index of the first text that ends in a split; texts: none */
} answer;

static void solve(const sample *s, answer *a)
{
    size_t from = 0;
    *a = (answer){.first_split = s->texts};
    for (size_t i = 0; i < s->texts; i++) {
        const size_t to = s->ends[i] & ~NA;
        a->nbytes += encode_piece(s, from, to, a->text + a->nbytes);
        a->ends[i] = (uint32_t)a->nbytes | (s->ends[i] & NA);
        a->splits += is_split(s, to) && to != from;
        if (is_split(s, to) && a->first_split == s->texts)
            a->first_split = i;
        from = to;
    }
}

/* Copy the sample so that text and boundaries end at guard pages. A `slack` of 1..3 moves the
 * boundaries to an unaligned address. */
static const uint8_t *place_text(const sample *s)
{
    return dvt_page_copy_end(dvt_shared_page(0), s->text, s->nbytes);
}

static const uint8_t *place_ends(const sample *s, size_t slack)
{
    uint8_t *ends = dvt_page_end(dvt_shared_page(1), 4 * s->texts + slack);
    memcpy(ends, s->ends, 4 * s->texts);
    return ends;
}

static int32_t *room_for_ends(const sample *s)
{
    return (int32_t *)(void *)dvt_page_end(dvt_shared_page(2), 4 * s->texts);
}

/* Returns the name of a difference, or NULL. */
static const char *check_map(const sample *s, const answer *a, size_t slack)
{
    int32_t *dst = room_for_ends(s);
    const size_t n = s->texts;
    if (kernels()->ends_map(dst, place_text(s), s->nbytes, place_ends(s, slack), n) !=
        a->first_split)
        return "the first text that ends in a split";
    if (a->first_split == n && memcmp(dst, a->ends, 4 * n) != 0)
        return "mapped boundaries";
    return NULL;
}

static const char *check_split(const sample *s, const answer *a, size_t slack)
{
    const uint8_t *text = place_text(s), *ends = place_ends(s, slack);
    int32_t *dst = room_for_ends(s);
    size_t nbytes = 0, splits = 0;
    dvi_utf_split_ends(text, ends, s->texts, NULL, NULL, &nbytes, &splits);
    if (splits != a->splits || nbytes != a->nbytes)
        return "the result of the first call";
    uint8_t *text_dst = dvt_page_end(dvt_shared_page(3), nbytes);
    nbytes = splits = 0;
    dvi_utf_split_ends(text, ends, s->texts, text_dst, dst, &nbytes, &splits);
    if (splits != a->splits || nbytes != a->nbytes)
        return "the result of the second call";
    if (memcmp(text_dst, a->text, nbytes) != 0)
        return "text with halves";
    if (memcmp(dst, a->ends, 4 * s->texts) != 0)
        return "boundaries with halves";
    if (splits == 0 && (nbytes != s->nbytes || memcmp(text_dst, s->text, nbytes) != 0))
        return "text without halves";
    return NULL;
}

/* The inverse, from text `from` on; units are counted from its start. */
static const char *check_back(const sample *s, const answer *a, size_t from, size_t slack)
{
    const size_t n = s->texts - from;
    const uint32_t first = from > 0 ? a->ends[from - 1] & ~NA : 0;
    const uint32_t units = from > 0 ? s->ends[from - 1] & ~NA : 0;
    uint8_t *ends = dvt_page_end(dvt_shared_page(1), 4 * n + slack);
    int32_t *dst = (int32_t *)(void *)dvt_page_end(dvt_shared_page(2), 4 * n);
    if (n > 0)
        memcpy(ends, a->ends + from, 4 * n);
    if (dvi_utf_unit_ends(dst, place_text(s), ends, n, (int32_t)first) != n)
        return "a boundary in bytes";
    for (size_t i = 0; i < n; i++)
        if ((uint32_t)dst[i] != s->ends[from + i] - units)
            return "boundaries in units";
    return NULL;
}

static const char *first_difference;

static void check_sample(const sample *s)
{
    static answer a;
    solve(s, &a);
    for (size_t slack = 0; slack < 4; slack++) {
        const char *difference = check_map(s, &a, slack);
        if (!difference)
            difference = check_split(s, &a, slack);
        if (!difference && a.splits == 0)
            difference = check_back(s, &a, slack % 2 * s->texts / 2, slack);
        wrong += difference != NULL;
        if (!first_difference)
            first_difference = difference;
    }
}

static void expect_no_difference(void)
{
    cr_expect_eq(wrong, 0, "%zu samples, the first by: %s", wrong,
                 first_difference ? first_difference : "");
}

/* The bytes of idv:9.4. */
Test(utf, maps_the_vectors_of_the_specification)
{
    static const char text[] = "a\xC3\xA9\xF0\x9F\x98\x80z";
    const uint32_t ends[] = {1, 2, 2, 4, 5}, want[] = {1, 3, 3, 7, 8};
    int32_t dst[5];
    cr_expect_eq(kernels()->ends_map(dst, text, sizeof text - 1, ends, 5), 5);
    cr_expect_arr_eq(dst, want, sizeof want);

    const uint32_t halves[] = {1, 2}, byte_ends[] = {3, 6};
    uint8_t parted[6];
    size_t nbytes, splits;
    cr_expect_eq(kernels()->ends_map(dst, "\xF0\x9F\x98\x80", 4, halves, 2), 0);
    dvi_utf_split_ends("\xF0\x9F\x98\x80", halves, 2, parted, dst, &nbytes, &splits);
    cr_expect(nbytes == 6 && splits == 1);
    cr_expect_arr_eq(parted, "\xEF\xBF\xBD\xEF\xBF\xBD", 6);
    cr_expect_arr_eq(dst, byte_ends, sizeof byte_ends);
}

/* Several boundaries at one split, some of them NA; then the halves of two adjacent pairs. */
Test(utf, maps_several_boundaries_at_one_split)
{
    static const char two[] = "\xF0\x9F\x98\x80\xF0\x9F\x98\x81";
    const uint32_t ends[] = {1, 1, 1 | NA, 3, 3, 4}, want[] = {3, 3, 3 | NA, 9, 9, 12};
    uint8_t parted[12];
    int32_t dst[6];
    size_t nbytes, splits;
    dvi_utf_split_ends(two, ends, 6, parted, dst, &nbytes, &splits);
    cr_expect(nbytes == 12 && splits == 2, "%zu bytes, %zu splits", nbytes, splits);
    cr_expect_arr_eq(parted, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 12);
    cr_expect_arr_eq(dst, want, sizeof want);
}

/* A boundary inside a character is the first bad one. */
Test(utf, no_boundary_lies_inside_a_character)
{
    static const char text[] = "a\xC3\xA9\xF0\x9F\x98\x80z";
    for (uint32_t end = 0; end < sizeof text; end++) {
        const bool is_inside = end == 2 || (end > 3 && end < 7);
        const uint32_t ends[] = {0, end, sizeof text - 1};
        int32_t dst[3];
        cr_expect_eq(dvi_utf_unit_ends(dst, text, ends, 3, 0), is_inside ? 1 : 3, "%u", end);
        cr_expect_eq(dst[0], 0);
        if (!is_inside)
            cr_expect_eq(dst[2], 5);
    }
}

/* Up to two boundaries at each unit, as given by the digits of `number`. The second is NA. */
static void put_ends(sample *s, size_t number)
{
    s->texts = 0;
    for (size_t unit = 0; unit <= s->units; unit++, number /= 3) {
        if (number % 3 > 0 || unit == s->units)
            add_end(s, unit);
        if (number % 3 > 1)
            add_end(s, unit | NA);
    }
}

/* A string of `length` characters, each chosen by two bits of `word`, with every set of boundaries.
 */
static void check_word(size_t word, size_t length)
{
    static const uint32_t alphabet[] = {'a', 0xE9, 0x20AC, 0x1F600};
    static sample s;
    s = (sample){0};
    for (size_t i = 0; i < length; i++)
        add_scalar(&s, alphabet[word >> (2 * i) & 3]);
    size_t choices = 3;
    for (size_t u = 0; u < s.units; u++)
        choices *= 3;
    for (size_t number = 0; number < choices; number++) {
        put_ends(&s, number);
        check_sample(&s);
    }
}

Test(utf, maps_every_boundary_of_short_texts)
{
    for (size_t length = 0; length <= 4; length++)
        for (size_t word = 0; word < (size_t)1 << (2 * length); word++)
            check_word(word, length);
    expect_no_difference();
}

/* Long strings with runs of ASCII, divided rarely or often. */
static void draw_sample(sample *s, uint32_t seed)
{
    state = seed;
    *s = (sample){0};
    const uint32_t length = draw(UNITS_MAX / 2), widths = draw(8), distance = 1 + draw(12);
    while (s->units < length)
        add_scalar(s, draw(8) < widths ? draw_scalar() : 'a' + draw(26));
    for (size_t unit = draw(distance); unit < s->units; unit += draw(distance)) {
        if (s->texts + 2 >= TEXTS_MAX)
            break;
        add_end(s, unit);
        if (draw(5) == 0)
            add_end(s, unit | NA);
    }
    add_end(s, s->units);
}

Test(utf, maps_drawn_texts)
{
    static sample s;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        const size_t before = wrong;
        draw_sample(&s, seed);
        check_sample(&s);
        cr_assert_eq(wrong, before, "seed %u: %s", seed, first_difference);
    }
}

Test(utf, maps_no_texts_at_all)
{
    static sample s;
    check_sample(&s);
    expect_no_difference();
}
