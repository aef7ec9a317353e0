/* SPDX-License-Identifier: MIT */
/* word_keys.c: reads the words of a row, some at a time, and gives them their keys. */
#include "transform/word_keys.h"
#include "base/check.h"

static dvi_text_rows *source_at(const dvi_word_keys *k, int32_t i)
{
    return (dvi_text_rows *)(void *)k->sources->data + i;
}

dv_status dvi_word_keys_start(dvi_word_keys *k, const dvi_words *words,
                              const dv_column_view *const *columns, int32_t n,
                              const dv_allocator *allocator, dv_error *err)
{
    const char *limit = n == 1 ? dvi_text_limit_of(columns[0], columns[0]->rows) : NULL;
    dvi_word_reader_start(&k->reader, words, limit);
    DVI_TRY(dvi_memory_reserve(&k->sources, allocator, (size_t)n * sizeof(dvi_text_rows), err));
    for (int32_t i = 0; i < n; i++)
        *source_at(k, i) = dvi_text_rows_of(columns[i]);
    return DV_OK;
}

/* Room for the keys of some more words, at first a little and then twice as much. */
static dv_status reserve(dvi_word_keys *k, const dv_allocator *allocator, dv_error *err)
{
    const size_t n = (size_t)k->n;
    if (k->keys && k->keys->cap / 4 - n >= DVI_WORD_KEYS)
        return DV_OK;
    if (n > INT32_MAX - DVI_WORD_KEYS)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "words of a row",
                        "at most 2^31-1|more");
    return dvi_memory_extend(&k->keys, 4 * n, 4 * (2 * n + DVI_WORD_KEYS), allocator, err);
}

static dv_status read_text(dvi_word_keys *k, dv_text text, dvi_word_number *number, void *ctx,
                           const dv_allocator *allocator, dv_error *err)
{
    dv_text words[DVI_WORD_KEYS];
    DVI_TRY(dvi_word_reader_begin(&k->reader, text, allocator, err));
    for (int n; (n = dvi_word_reader_read(&k->reader, words, DVI_WORD_KEYS)) > 0; k->n += n) {
        DVI_TRY(reserve(k, allocator, err));
        DVI_TRY(number(ctx, words, n, dvi_word_reader_limit(&k->reader),
                       (uint32_t *)(void *)k->keys->data + k->n, err));
    }
    return DV_OK;
}

dv_status dvi_word_keys_next(dvi_word_keys *k, int32_t first, int32_t n, dvi_word_number *number,
                             void *ctx, const dv_allocator *allocator, dv_error *err)
{
    k->n = 0;
    for (int32_t i = 0; i < n; i++) {
        int64_t item;
        dvi_text_rows *rows = source_at(k, first + i);
        const int32_t texts = dvi_text_rows_next(rows, &item);
        for (int32_t t = 0; t < texts; t++)
            DVI_TRY(read_text(k, dvi_text_rows_at(rows, item + t), number, ctx, allocator, err));
    }
    return DV_OK;
}

void dvi_word_keys_free(dvi_word_keys *k)
{
    dvi_word_reader_free(&k->reader);
    dvi_memory_release(&k->sources);
    dvi_memory_release(&k->keys);
}
