/* SPDX-License-Identifier: MIT */
/* char_keys.c: reads the characters of a row.
 *
 * Texts that are taken as they are come from vectors as combine would join them: of a sparse one
 * the items count, of a dense one the slots; a border stands before any text but the first. */
#include "transform/char_keys.h"
#include "base/check.h"
#include "base/utf8.h"
#include "transform/tf_chars.h"

#define WORDS 64 /* that are read together */

static dvi_text_rows *source_at(const dvi_char_keys *k, int32_t i)
{
    return (dvi_text_rows *)(void *)k->sources->data + i;
}

dv_status dvi_char_keys_start(dvi_char_keys *k, const dvi_char_rules *rules,
                              const dv_column_view *const *columns, int32_t n,
                              const dv_allocator *allocator, dv_error *err)
{
    const char *limit = n == 1 ? dvi_text_limit_of(columns[0], columns[0]->rows) : NULL;
    dvi_word_reader_start(&k->reader, &rules->words, limit);
    k->sources_count = n;
    DVI_TRY(dvi_memory_reserve(&k->sources, allocator, (size_t)n * sizeof(dvi_text_rows), err));
    for (int32_t i = 0; i < n; i++)
        *source_at(k, i) = dvi_text_rows_of(columns[i]);
    return DV_OK;
}

/* --- Adding ----------------------------------------------------------------------------------- */

/* Room for more keys, at first a little and then twice as much. */
static dv_status reserve(dvi_char_keys *k, size_t more, const dv_allocator *allocator,
                         dv_error *err)
{
    const size_t n = (size_t)k->n;
    if (k->keys && k->keys->cap / 4 - n >= more)
        return DV_OK;
    if (n + more > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "characters of a row",
                        "at most 2^31-1|more");
    return dvi_memory_extend(&k->keys, 4 * n, 4 * (n + (more > n ? more : n)), allocator, err);
}

static void add(dvi_char_keys *k, uint32_t key)
{
    ((uint32_t *)(void *)k->keys->data)[k->n++] = key;
}

/* Add the units of a text, after a border unless it is the first. */
static dv_status add_text(dvi_char_keys *k, dv_text text, bool is_first,
                          const dv_allocator *allocator, dv_error *err)
{
    if (text.nbytes <= 0)
        return DV_OK;
    DVI_TRY(reserve(k, (size_t)text.nbytes + 1, allocator, err));
    if (!is_first)
        add(k, DVI_CHARS_BORDER);
    for (int64_t i = 0; i < text.nbytes;) {
        const uint8_t c = (uint8_t)text.data[i];
        const size_t width = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        const uint32_t code = dvi_utf8_code(text.data + i, width);
        if (code < 0x10000) {
            add(k, code);
        } else {
            add(k, 0xD800 + ((code - 0x10000) >> 10));
            add(k, 0xDC00 + (code & 0x3FF));
        }
        i += (int64_t)width;
    }
    return DV_OK;
}

/* --- Words ------------------------------------------------------------------------------------ */

static dv_status add_words_of(dvi_char_keys *k, dv_text text, bool *is_first,
                              const dv_allocator *allocator, dv_error *err)
{
    dv_text words[WORDS];
    DVI_TRY(dvi_word_reader_begin(&k->reader, text, allocator, err));
    for (int n; (n = dvi_word_reader_read(&k->reader, words, WORDS)) > 0;)
        for (int i = 0; i < n; i++) {
            DVI_TRY(add_text(k, words[i], *is_first, allocator, err));
            *is_first = false;
        }
    return DV_OK;
}

static dv_status add_words(dvi_char_keys *k, const dv_allocator *allocator, dv_error *err)
{
    bool is_first = true;
    for (int32_t s = 0; s < k->sources_count; s++) {
        int64_t first;
        dvi_text_rows *rows = source_at(k, s);
        const int32_t n = dvi_text_rows_next(rows, &first);
        for (int32_t i = 0; i < n; i++)
            DVI_TRY(add_words_of(k, dvi_text_rows_at(rows, first + i), &is_first, allocator, err));
    }
    return DV_OK;
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Do the next rows, joined, count as items? */
static bool are_sparse(const dvi_char_keys *k)
{
    int64_t items = 0, slots = 0;
    for (int32_t s = 0; s < k->sources_count; s++) {
        const dvi_text_rows *rows = source_at(k, s);
        const int32_t count = rows->vector ? dvi_vector_count(rows->vector, rows->row) : -1;
        const int32_t length = rows->vector ? dvi_vector_length(rows->vector, rows->row) : 1;
        if (k->sources_count == 1)
            return count >= 0;
        items += count < 0 ? length : count;
        slots += length;
    }
    return items < slots && items <= slots / 2;
}

/* Add the texts of the next row of a source. `before` texts or slots came before them. Returns how
 * many there are now in *before. */
static dv_status add_source(dvi_char_keys *k, dvi_text_rows *rows, bool counts_items,
                            int64_t *before, const dv_allocator *allocator, dv_error *err)
{
    int64_t first;
    const dvi_text_rows at = *rows;
    const int32_t n = dvi_text_rows_next(rows, &first);
    for (int32_t i = 0; i < n; i++) {
        const int64_t place = *before + (counts_items ? i : dvi_text_rows_slot(&at, i));
        DVI_TRY(add_text(k, dvi_text_rows_at(rows, first + i), place == 0, allocator, err));
    }
    *before += counts_items || !at.vector ? n : dvi_vector_length(at.vector, at.row);
    return DV_OK;
}

static dv_status add_texts(dvi_char_keys *k, const dv_allocator *allocator, dv_error *err)
{
    const bool counts_items = are_sparse(k);
    int64_t before = 0;
    for (int32_t s = 0; s < k->sources_count; s++)
        DVI_TRY(add_source(k, source_at(k, s), counts_items, &before, allocator, err));
    return DV_OK;
}

dv_status dvi_char_keys_next(dvi_char_keys *k, const dvi_char_rules *rules,
                             const dv_allocator *allocator, dv_error *err)
{
    const dvi_words *w = &rules->words;
    k->n = 0;
    DVI_TRY(reserve(k, 2, allocator, err));
    add(k, DVI_CHARS_START);
    DVI_TRY(w->norm || w->separators || w->stop ? add_words(k, allocator, err)
                                                : add_texts(k, allocator, err));
    DVI_TRY(reserve(k, 1, allocator, err));
    add(k, DVI_CHARS_END);
    if (k->n == 2 && !rules->is_vector)
        k->n = 0;
    return DV_OK;
}

void dvi_char_keys_free(dvi_char_keys *k)
{
    dvi_word_reader_free(&k->reader);
    dvi_memory_release(&k->sources);
    dvi_memory_release(&k->keys);
}
