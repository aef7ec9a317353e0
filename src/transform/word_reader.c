/* SPDX-License-Identifier: MIT */
/* word_reader.c: finds the words of texts one by one, without copying them. */
#include "transform/word_reader.h"
#include "base/check.h"
#include "base/utf8.h"
#include "codec/space.h"
#include "view/identity.h"
#include <string.h>

/* --- Separators ------------------------------------------------------------------------------- */

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
            s.ascii[(uint8_t)text.data[i]] = true;
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
        return s->ascii[c];
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
        dv_identity_add(identity, s->ascii, sizeof s->ascii);
        identify_texts(s->others, s->others_count, identity);
    }
    if (words->stop)
        identify_texts(words->stop->words, words->stop->count, identity);
}

dv_status dvi_word_reader_begin(dvi_word_reader *r, dv_text text, const dv_allocator *allocator,
                                dv_error *err)
{
    const dvi_words *w = r->words;
    r->at = r->end = NULL;
    if (text.nbytes <= 0)
        return DV_OK;
    if (w->norm) {
        const size_t room = dvi_text_norm_room((size_t)text.nbytes);
        DVI_TRY(dvi_memory_reserve(&r->normal, allocator, room, err));
        char *normal = (char *)r->normal->data;
        text = (dv_text){normal, (int64_t)dvi_text_norm_write(w->norm, normal, text)};
    }
    if (w->stop)
        DVI_TRY(dvi_memory_reserve(&r->lowered, allocator, dvi_text_norm_room((size_t)text.nbytes),
                                   err));
    r->at = text.data;
    r->end = text.data + text.nbytes;
    return DV_OK;
}

/* The next piece, which may be empty, without the blanks around it. */
static dv_text next_piece(dvi_word_reader *r)
{
    const dvi_separators *s = r->words->separators;
    const char *p = r->at, *const start = p, *const end = r->end;
    size_t width = 0;
    if (!s) {
        r->at = end;
        return (dv_text){start, end - start};
    }
    while (p < end && (width = separator_at(s, p, end)) == 0)
        p++;
    r->at = p + width;
    return dvi_text_trim_blanks((dv_text){start, p - start});
}

bool dvi_word_reader_next(dvi_word_reader *r, dv_text *word_out)
{
    const dvi_stop_words *stop = r->words->stop;
    while (r->at < r->end) {
        *word_out = next_piece(r);
        if (word_out->nbytes > 0 &&
            !(stop && is_stop_word(stop, *word_out, (char *)r->lowered->data)))
            return true;
    }
    return false;
}

void dvi_word_reader_free(dvi_word_reader *r)
{
    dvi_memory_release(&r->normal);
    dvi_memory_release(&r->lowered);
}
