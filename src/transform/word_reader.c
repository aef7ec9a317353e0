/* SPDX-License-Identifier: MIT */
/* word_reader.c: finds the words of texts, without copying them.
 *
 * A kernel finds the separators of a window of the texts, which goes beyond the end of a short one,
 * so that few words cost a call of their own. Separators beyond ASCII are looked for byte by byte.
 */
#include "transform/word_reader.h"
#include "base/check.h"
#include "base/utf8.h"
#include "simd/dispatch.h"
#include "codec/space.h"
#include "view/identity.h"
#include <string.h>

#define WINDOW 4096 /* bytes: their separators lie in the nearest cache */

/* --- Separators ------------------------------------------------------------------------------- */

const dvi_separators dvi_blank_separator = {.ascii = {{1 << (' ' >> 4)}}};

static inline bool is_member(const dvi_ascii_set *set, uint8_t c)
{
    return set->members[c & 15] >> (c >> 4) & 1;
}

static void add_ascii(dvi_ascii_set *set, uint8_t c)
{
    set->members[c & 15] = (uint8_t)(set->members[c & 15] | 1u << (c >> 4));
}

static dv_status add_other(dvi_separators *s, dv_text character, size_t room, dvi_arena *arena,
                           dv_error *err)
{
    void *list;
    dv_text copy;
    if (!s->others) {
        DVI_TRY(dvi_arena_alloc(arena, &list, room * sizeof(dv_text), err));
        s->others = list;
    }
    DVI_TRY(dvi_arena_text(arena, &copy, character, err));
    ((dv_text *)(uintptr_t)s->others)[s->others_count++] = copy;
    return DV_OK;
}

dv_status dvi_separators_read(dvi_separators *separators_out, dv_text text, dvi_arena *arena,
                              dv_error *err)
{
    dvi_separators s = {.others_count = 0};
    if (text.nbytes <= 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.8", -1, "separators",
                        "one character or more|none");
    for (int64_t i = 0; i < text.nbytes;) {
        const size_t left = (size_t)(text.nbytes - i), width = dvi_utf8_step(text.data + i, left);
        if (width == 0)
            return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.8", -1, "separators",
                            "UTF-8|other bytes");
        if (width == 1)
            add_ascii(&s.ascii, (uint8_t)text.data[i]);
        else
            DVI_TRY(add_other(&s, (dv_text){text.data + i, (int64_t)width}, left, arena, err));
        i += (int64_t)width;
    }
    *separators_out = s;
    return DV_OK;
}

/* The bytes of the separator at p; 0: there is none. */
static inline size_t separator_at(const dvi_separators *s, const char *p, const char *end)
{
    const uint8_t c = (uint8_t)*p;
    if (c < 0x80)
        return is_member(&s->ascii, c);
    for (int32_t i = 0; i < s->others_count; i++) {
        const size_t n = (size_t)s->others[i].nbytes;
        if ((size_t)(end - p) >= n && memcmp(p, s->others[i].data, n) == 0)
            return n;
    }
    return 0;
}

/* --- Stop words ------------------------------------------------------------------------------- */

static void free_table(void *of)
{
    dvi_hashtab_free(of);
}

static dv_status add_stop_word(dvi_stop_words *stop, dv_text word, dvi_arena *arena, dv_error *err)
{
    void *room;
    int32_t before;
    const dv_text trimmed = dvi_text_trim_blanks(word);
    if (trimmed.nbytes <= 0)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(arena, &room, dvi_text_norm_room((size_t)trimmed.nbytes), err));
    const dv_text lowered = {room, (int64_t)dvi_text_norm_write(&stop->lower, room, trimmed)};
    DVI_TRY(dvi_hashtab_put(&stop->table, lowered, (int32_t)stop->count, &before, err));
    stop->words[stop->count++] = lowered;
    return DV_OK;
}

dv_status dvi_stop_words_create(const dvi_stop_words **stop_out, const dv_text *words, int64_t n,
                                dvi_arena *arena, dv_error *err)
{
    static const dvi_text_norm_options lower = {DVI_CASE_LOWER, true, true, true};
    void *room, *list;
    if (n > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "words", -1, "stop words", "at most 2^31-1|more");
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_stop_words), err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)n * sizeof(dv_text), err));
    dvi_stop_words *stop = room;
    stop->words = list;
    stop->lower = dvi_text_norm_of(&lower);
    dvi_hashtab_init(&stop->table, &arena->allocator);
    DVI_TRY(dvi_arena_own(arena, free_table, &stop->table, err));
    for (int64_t i = 0; i < n; i++)
        DVI_TRY(add_stop_word(stop, words[i], arena, err));
    *stop_out = stop;
    return DV_OK;
}

/* `room` has room for the word in lower case. */
static bool is_stop_word(const dvi_stop_words *stop, dv_text word, char *room)
{
    const dv_text lowered = {room, (int64_t)dvi_text_norm_write(&stop->lower, room, word)};
    return dvi_hashtab_get(&stop->table, lowered) >= 0;
}

/* --- Words ------------------------------------------------------------------------------------ */

static void identify_texts(const dv_text *texts, int64_t n, dv_identity *identity)
{
    dvi_identity_add_i8(identity, n);
    for (int64_t i = 0; i < n; i++) {
        dvi_identity_add_i8(identity, texts[i].nbytes);
        dv_identity_add(identity, texts[i].data, (size_t)texts[i].nbytes);
    }
}

void dvi_words_identify(const dvi_words *words, dv_identity *identity)
{
    const int64_t has[] = {words->norm != NULL, words->separators != NULL, words->stop != NULL};
    dv_identity_add(identity, has, sizeof has);
    if (words->norm)
        dvi_text_norm_identify(words->norm, identity);
    if (words->separators) {
        const dvi_separators *s = words->separators;
        bool ascii[128];
        for (size_t c = 0; c < sizeof ascii; c++)
            ascii[c] = is_member(&s->ascii, (uint8_t)c);
        dv_identity_add(identity, ascii, sizeof ascii);
        identify_texts(s->others, s->others_count, identity);
    }
    if (words->stop)
        identify_texts(words->stop->words, words->stop->count, identity);
}

void dvi_word_reader_start(dvi_word_reader *r, const dvi_words *words, const char *limit)
{
    r->words = words;
    r->at = r->end = NULL;
    r->limit = limit;
}

static dv_status normalize(dvi_word_reader *r, dv_text *text, const dv_allocator *allocator,
                           dv_error *err)
{
    const size_t room = dvi_text_norm_room((size_t)text->nbytes);
    DVI_TRY(dvi_memory_reserve(&r->normal, allocator, room, err));
    char *normal = (char *)r->normal->data;
    *text = (dv_text){normal, (int64_t)dvi_text_norm_write(r->words->norm, normal, *text)};
    return DV_OK;
}

dv_status dvi_word_reader_begin(dvi_word_reader *r, dv_text text, const dv_allocator *allocator,
                                dv_error *err)
{
    const dvi_words *w = r->words;
    const bool goes_on = !w->norm && r->at && r->at == r->end && text.data == r->end;
    if (text.nbytes <= 0) {
        r->at = r->end;
        return DV_OK;
    }
    if (w->norm)
        DVI_TRY(normalize(r, &text, allocator, err));
    if (w->stop)
        DVI_TRY(dvi_memory_reserve(&r->lowered, allocator, dvi_text_norm_room((size_t)text.nbytes),
                                   err));
    if (w->separators)
        DVI_TRY(dvi_memory_reserve(&r->marks, allocator, WINDOW * sizeof(uint32_t), err));
    r->at = text.data;
    r->end = text.data + text.nbytes;
    if (!goes_on) {
        r->base = r->seen = r->at;
        r->next = r->marks_count = 0;
    }
    return DV_OK;
}

/* The separators of the next window. */
static void find_marks(dvi_word_reader *r)
{
    const size_t left = (size_t)(dvi_word_reader_limit(r) - r->seen);
    const size_t n = left < WINDOW ? left : WINDOW;
    r->base = r->seen;
    r->seen += n;
    r->next = 0;
    r->marks_count = (uint32_t)dvi_kernels()->bytes_find((uint32_t *)(void *)r->marks->data, WINDOW,
                                                         r->base, n, &r->words->separators->ascii);
}

/* Words between separators of ASCII, up to the last one of the window and of the text. */
static int read_marked(dvi_word_reader *r, dv_text *words, int room)
{
    const uint32_t *marks = (const uint32_t *)(const void *)r->marks->data;
    const char *const base = r->base, *const end = r->end, *at = r->at;
    const bool are_trimmed = is_member(&r->words->separators->ascii, ' ');
    const uint32_t count = r->marks_count;
    uint32_t next = r->next;
    int n = 0;
    for (; n < room && next < count && base + marks[next] < end; next++) {
        const dv_text piece = {at, base + marks[next] - at};
        words[n] = are_trimmed ? piece : dvi_text_trim_blanks(piece);
        n += words[n].nbytes > 0;
        at += piece.nbytes + 1;
    }
    r->next = next;
    r->at = at;
    return n;
}

/* The same up to the end of the text. */
static int read_windows(dvi_word_reader *r, dv_text *words, int room)
{
    int n = read_marked(r, words, room);
    while (n < room && r->at < r->end) {
        if (r->next == r->marks_count && r->seen < r->end) {
            find_marks(r);
            n += read_marked(r, words + n, room - n);
            continue;
        }
        words[n] = dvi_text_trim_blanks((dv_text){r->at, r->end - r->at});
        n += words[n].nbytes > 0;
        r->at = r->end;
    }
    return n;
}

/* Words between separators that are not all ASCII. */
static int read_pieces(dvi_word_reader *r, dv_text *words, int room)
{
    int n = 0;
    while (n < room && r->at < r->end) {
        const char *p = r->at, *const start = p;
        size_t width = 0;
        while (p < r->end && (width = separator_at(r->words->separators, p, r->end)) == 0)
            p++;
        r->at = p + width;
        words[n] = dvi_text_trim_blanks((dv_text){start, p - start});
        n += words[n].nbytes > 0;
    }
    return n;
}

static int read_text(dvi_word_reader *r, dv_text *words)
{
    words[0] = (dv_text){r->at, r->end - r->at};
    r->at = r->end;
    return 1;
}

/* Those of n words that stay. */
static int leave_out(const dvi_word_reader *r, dv_text *words, int n)
{
    const dvi_stop_words *stop = r->words->stop;
    int kept = 0;
    for (int i = 0; stop && i < n; i++)
        if (!is_stop_word(stop, words[i], (char *)r->lowered->data))
            words[kept++] = words[i];
    return stop ? kept : n;
}

int dvi_word_reader_read(dvi_word_reader *r, dv_text *words_out, int room)
{
    const dvi_separators *s = r->words->separators;
    int n = 0;
    while (n == 0 && r->at < r->end) {
        n = !s                    ? read_text(r, words_out)
            : s->others_count > 0 ? read_pieces(r, words_out, room)
                                  : read_windows(r, words_out, room);
        n = leave_out(r, words_out, n);
    }
    return n;
}

void dvi_word_reader_free(dvi_word_reader *r)
{
    dvi_memory_release(&r->normal);
    dvi_memory_release(&r->lowered);
    dvi_memory_release(&r->marks);
}
