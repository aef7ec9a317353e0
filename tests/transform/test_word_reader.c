/* SPDX-License-Identifier: MIT */
/* test_word_reader.c: words of many texts that lie end to end, beside a plain loop over their
 * bytes; behind the last text memory ends (semantics:7.8). */
#include "support/many_rows.h"
#include "support/page.h"
#include "support/test.h"
#include "transform/word_reader.h"
#include <string.h>

#define TEXTS 40
#define LONGEST 9000 /* bytes of a text: more than two windows */

static const char *const separators[] = {" ", ",", ", ;", "\xC3\xA9", "\xC3\xA9 ,"};

/* A text of a few characters; `often`: one in so many is no letter. */
static size_t draw_text(char *dst, size_t n, uint64_t often, uint64_t *state)
{
    static const char *const others[] = {" ", ",", ";", "\xC3\xA9", "\xC3\xA8", "  "};
    size_t at = 0;
    while (at + 2 <= n) {
        const char *other = others[dvt_draw(state) % 6];
        const bool is_letter = dvt_draw(state) % often != 0;
        const size_t width = is_letter ? 1 : strlen(other);
        memcpy(dst + at, is_letter ? "x" : other, width);
        at += width;
    }
    return at;
}

/* The bytes of the separator at p; 0: there is none. */
static size_t separator_at(const char *set, const char *p, const char *end)
{
    for (size_t width; *set; set += width) {
        width = (uint8_t)*set < 0x80 ? 1 : 2;
        if ((size_t)(end - p) >= width && memcmp(set, p, width) == 0)
            return width;
    }
    return 0;
}

/* The next word of the text at *p, which is moved behind it; empty: there is none. */
static dv_text next_word(const char *set, const char **p, const char *end)
{
    dv_text word = {*p, 0};
    while (*p < end && word.nbytes == 0) {
        const char *from = *p, *to = *p;
        size_t width = 0;
        while (to < end && (width = separator_at(set, to, end)) == 0)
            to++;
        *p = to + width;
        while (from < to && *from == ' ')
            from++;
        while (to > from && to[-1] == ' ')
            to--;
        word = (dv_text){from, to - from};
    }
    return word;
}

static void expect_words(dvi_word_reader *reader, const char *set, dv_text text, int room)
{
    dv_text words[64];
    const char *p = text.data, *const end = text.data + (text.nbytes > 0 ? text.nbytes : 0);
    cr_assert_eq(dvi_word_reader_begin(reader, text, NULL, NULL), DV_OK);
    for (int n; (n = dvi_word_reader_read(reader, words, room)) > 0;) {
        cr_assert_leq(n, room);
        for (int i = 0; i < n; i++) {
            const dv_text want = next_word(set, &p, end);
            cr_assert(words[i].data == want.data && words[i].nbytes == want.nbytes,
                      "separators \"%s\": a word of %d bytes at %d", set, (int)words[i].nbytes,
                      (int)(words[i].data - text.data));
        }
    }
    cr_assert_eq(next_word(set, &p, end).nbytes, 0, "separators \"%s\": words are missing", set);
}

static void expect_texts(const char *set, bool has_limit, uint64_t seed)
{
    dv_text texts[TEXTS];
    dvi_arena arena;
    dvi_separators s;
    dvi_word_reader reader = {.words = NULL};
    static char made[TEXTS * LONGEST];
    uint64_t state = seed;
    size_t used = 0;
    for (int i = 0; i < TEXTS; i++) {
        const size_t n = dvt_draw(&state) % (i % 8 == 0 ? LONGEST : 200);
        texts[i].nbytes = (int64_t)draw_text(made + used, n,
                                             1 + dvt_draw(&state) % (uint64_t)(i % 9 + 2), &state);
        used += (size_t)texts[i].nbytes;
    }
    dvt_page page = dvt_page_create(used);
    const char *at = (const char *)dvt_page_copy_end(page, made, used), *const end = at + used;
    dvi_arena_init(&arena, NULL);
    cr_assert_eq(dvi_separators_read(&s, dv_text_of(set), &arena, NULL), DV_OK);
    const dvi_words words = {.separators = &s};
    dvi_word_reader_start(&reader, &words, has_limit ? end : NULL);
    for (int i = 0; i < TEXTS; i++) {
        texts[i].data = at;
        at += texts[i].nbytes;
        if (i % 5 == 0)
            expect_words(&reader, set, (dv_text){"", -1}, 64); /* NA is between them */
        expect_words(&reader, set, texts[i], 1 + (int)(dvt_draw(&state) % 64));
    }
    expect_words(&reader, set, texts[3], 64); /* out of order */
    dvi_word_reader_free(&reader);
    dvi_arena_free(&arena);
    dvt_page_free(&page);
}

Test(word_reader, texts_end_to_end)
{
    for (uint64_t i = 0; i < 100; i++)
        expect_texts(separators[i % 5], i % 2 == 0, 7 * i + 1);
}
