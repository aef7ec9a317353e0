/* SPDX-License-Identifier: MIT */
/* token_vectors.c: the bytes of all tokens, and where each ends. */
#include "transform/token_vectors.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include <string.h>

#define NBYTES_A_TOKEN 4 /* at first: room for that many ends */
#define COPIED 32 /* bytes of a short token, and of others behind it, that are copied at once */

dv_status dvi_token_vectors_start(dvi_token_vectors *v, int64_t rows, size_t nbytes,
                                  const dv_allocator *allocator, dv_error *err)
{
    const size_t ends = 4 * (nbytes / NBYTES_A_TOKEN + 1);
    v->used = 0;
    v->tokens = v->before = v->rows = 0;
    DVI_TRY(dvi_memory_reserve(&v->utf8, allocator, nbytes + COPIED, err));
    DVI_TRY(dvi_memory_reserve(&v->ends, allocator, ends, err));
    DVI_TRY(dvi_memory_reserve(&v->lengths, allocator, 4 * (size_t)rows, err));
    return dvi_memory_reserve(&v->counts, allocator, 4 * (size_t)rows, err);
}

dv_status dvi_token_vectors_room(dvi_token_vectors *v, size_t nbytes, char **room_out,
                                 const dv_allocator *allocator, dv_error *err)
{
    const size_t ends = 4 * (size_t)v->tokens;
    *room_out = NULL;
    if (nbytes > INT32_MAX - v->used)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of one batch",
                        "at most 2^31-1 bytes|%zu", v->used + nbytes);
    if (v->utf8->cap - v->used < nbytes)
        DVI_TRY(dvi_memory_extend(&v->utf8, v->used, v->used + nbytes, allocator, err));
    if (v->ends->cap - ends < 4)
        DVI_TRY(dvi_memory_extend(&v->ends, ends, ends + 4, allocator, err));
    *room_out = (char *)v->utf8->data + v->used;
    return DV_OK;
}

void dvi_token_vectors_add(dvi_token_vectors *v, size_t nbytes)
{
    v->used += nbytes;
    dvi_store_i32(v->ends->data + 4 * v->tokens++, (int32_t)v->used);
}

dv_status dvi_token_vectors_add_texts(dvi_token_vectors *v, const dv_text *tokens, int n,
                                      const char *limit, const dv_allocator *allocator,
                                      dv_error *err)
{
    const size_t ends = 4 * (size_t)v->tokens;
    size_t nbytes = 0;
    char *room;
    for (int i = 0; i < n; i++)
        nbytes += (size_t)tokens[i].nbytes;
    DVI_TRY(dvi_token_vectors_room(v, nbytes, &room, allocator, err));
    if (v->ends->cap - ends < 4 * (size_t)n)
        DVI_TRY(dvi_memory_extend(&v->ends, ends, ends + 4 * (size_t)n, allocator, err));
    const char *const room_end = (const char *)v->utf8->data + v->utf8->cap;
    for (int i = 0; i < n; i++) {
        const dv_text token = tokens[i];
        if (token.nbytes <= COPIED && limit - token.data >= COPIED && room_end - room >= COPIED)
            memcpy(room, token.data, COPIED);
        else
            memcpy(room, token.data, (size_t)token.nbytes);
        room += token.nbytes;
        dvi_token_vectors_add(v, (size_t)token.nbytes);
    }
    return DV_OK;
}

void dvi_token_vectors_end_row(dvi_token_vectors *v)
{
    dvi_store_i32(v->lengths->data + 4 * v->rows, (int32_t)(v->tokens - v->before));
    dvi_store_i32(v->counts->data + 4 * v->rows, -1);
    v->before = v->tokens;
    v->rows++;
}

static dv_column_view texts_of(const dvi_token_vectors *v, const dv_type *type)
{
    dv_column_view texts = {
        .type = dv_type_item(type), .layout = DV_LAYOUT_TEXT, .rows = v->tokens};
    texts.as.text.utf8 = dvi_memory_buffer(v->utf8, 0, v->used, 1);
    texts.as.text.ends = dvi_memory_buffer(v->ends, 0, 4 * (size_t)v->tokens, 4);
    return texts;
}

void dvi_token_vectors_column(const dvi_token_vectors *v, const dv_type *type, dvi_column *dst)
{
    dst->items = texts_of(v, type);
    dvi_column_set_vectors(dst, type, v->rows, v->lengths, v->counts, v->counts, 0);
}

void dvi_token_vectors_texts(const dvi_token_vectors *v, const dv_type *type, dvi_column *dst)
{
    dst->view = texts_of(v, type);
}

void dvi_token_vectors_free(dvi_token_vectors *v)
{
    dvi_memory **all[] = {&v->utf8, &v->ends, &v->lengths, &v->counts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}
