/* SPDX-License-Identifier: MIT */
/* idv_encode_vector.c: encodes vectors, dense and sparse (idv:5.6). */
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include "format/idv/save/idv_save_priv.h"
#include <inttypes.h>

#define RULE "idv:5.6"

/* A block of vectors without its items. */
typedef struct shape {
    dv_sparse rows;
    int32_t size;        /* of all vectors; 0: lengths follow */
    const void *lengths; /* int32[n] */
    const void *counts;  /* int32[n] */
    const void *indices; /* int32[k] */
    int64_t k, items;
} shape;

static dv_status fail_index(const dvi_idv_encoder *e, const dv_sparse *rows, size_t i,
                            dv_error *err)
{
    int64_t row = 0;
    for (int32_t count;
         count = dvi_sparse_count(rows, (size_t)row), count < 0 || i >= (size_t)count; row++)
        i -= count < 0 ? 0 : (size_t)count;
    return dvi_idv_fail_row(e, row, DV_ERR_ARGUMENT, RULE,
                            "rising indices below the length|other indices", err);
}

/* Check that counts and indices are as batch.h requires. has_full: some sparse rows have an item
 * for each slot; a block stores those as dense (idv:V5). */
static dv_status check_rows(const dvi_idv_encoder *e, shape *s, bool *has_full_out, dv_error *err)
{
    const dvi_kernel_table *kernels = dvi_kernels();
    int64_t sums[2];
    size_t sound = kernels->counts_check(&s->rows, 1, sums);
    *has_full_out = sound < s->rows.n;
    if (*has_full_out)
        sound = kernels->counts_check(&s->rows, 0, sums);
    DVI_REQUIRE(sound == s->rows.n, dvi_idv_fail_row(e, (int64_t)sound, DV_ERR_ARGUMENT, RULE,
                                                     "a count from -1 to the length|another", err));
    s->k = sums[0];
    s->items = sums[1];
    if (s->k > INT32_MAX || s->items > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "rows_per_block", -1, "block",
                        "at most 2^31-1 items of vectors (option rows_per_block)|%" PRId64,
                        s->items);
    const size_t rising = kernels->indices_check(&s->rows, (size_t)s->k);
    DVI_REQUIRE(rising == (size_t)s->k, fail_index(e, &s->rows, rising, err));
    return DV_OK;
}

/* The length of all rows if it is the same, else 0. */
static int32_t common_length(const dv_sparse *rows)
{
    const int32_t length = dvi_sparse_length(rows, 0);
    for (size_t i = 1; i < rows->n; i++)
        if (dvi_sparse_length(rows, i) != length)
            return 0;
    return length;
}

/* Turn rows with an item for each slot into dense rows, without indices. */
static void make_full_dense(shape *s, uint8_t *counts, uint8_t *indices)
{
    size_t from = 0, to = 0;
    for (size_t i = 0; i < s->rows.n; i++) {
        const int32_t count = dvi_sparse_count(&s->rows, i);
        const size_t n = count < 0 ? 0 : (size_t)count;
        const bool is_full = count == dvi_sparse_length(&s->rows, i);
        dvi_store_i32(counts + 4 * i, is_full ? -1 : count);
        if (n > 0 && !is_full) {
            memcpy(indices + 4 * to, (const uint8_t *)s->indices + 4 * from, 4 * n);
            to += n;
        }
        from += n;
    }
    s->counts = counts;
    s->indices = indices;
    s->k = (int64_t)to;
}

/* Rewrite what a block stores in another way: full rows, and lengths of vectors without slots. */
static dv_status rewrite(const dvi_idv_encoder *e, shape *s, bool has_full, dv_error *err)
{
    const bool has_no_lengths = s->size == 0 && !s->lengths;
    if (!has_full && !has_no_lengths)
        return DV_OK;
    const size_t n = 4 * s->rows.n;
    DVI_TRY(
        dvi_memory_reserve(&e->out->shape, e->source->allocator, 2 * n + 4 * (size_t)s->k, err));
    uint8_t *memory = e->out->shape->data;
    if (has_no_lengths) {
        memset(memory, 0, n);
        s->lengths = memory;
    }
    if (has_full)
        make_full_dense(s, memory + n, memory + 2 * n);
    return DV_OK;
}

dv_status dvi_idv_encode_vectors(const dvi_idv_encoder *e, const dvi_idv_codec *codec,
                                 dv_error *err)
{
    const dv_vector_layout *vector = &e->view->as.vector;
    const dv_sparse rows = dvi_vector_sparse(vector, e->view->rows);
    shape s = {
        .rows = rows, .lengths = rows.lengths, .counts = rows.counts, .indices = rows.indices};
    bool has_full;
    DVI_TRY(check_rows(e, &s, &has_full, err));
    s.size = codec->type.size > 0 ? codec->type.size : common_length(&rows);
    dv_column_view items = *vector->items;
    dvi_column_advance(&items, vector->item_base);
    dvi_column_limit(&items, s.items);
    DVI_TRY(rewrite(e, &s, has_full, err));

    dvi_idv_encoded *out = e->out;
    dvi_idv_append_i32(out, (int32_t)rows.n);
    dvi_idv_append_i32(out, s.size);
    if (s.size == 0)
        dvi_idv_append_fragment(out, s.lengths, 4 * rows.n);
    dvi_idv_append_fragment(out, s.counts, 4 * rows.n);
    dvi_idv_append_i32(out, (int32_t)s.k);
    dvi_idv_append_fragment(out, s.indices, 4 * (size_t)s.k);
    return dvi_idv_encode_scalars(e, codec, &items, err);
}

/* Values of BY are dense vectors of bytes (idv:5.9). */
dv_status dvi_idv_encode_byte_strings(const dvi_idv_encoder *e, const dv_column_view *items,
                                      dv_error *err)
{
    const dv_text_layout *layout = &items->as.text;
    const size_t n = (size_t)items->rows;
    DVI_TRY(dvi_memory_reserve(&e->out->shape, e->source->allocator, 8 * n, err));
    uint8_t *lengths = e->out->shape->data, *counts = lengths + 4 * n;
    int32_t start = layout->first, common = -1;
    for (size_t i = 0; i < n; i++) {
        const int32_t end = dvi_text_end(layout, (int64_t)i + 1), length = end - start;
        DVI_REQUIRE(length >= 0, dvi_idv_fail_row(e, (int64_t)i, DV_ERR_ARGUMENT, RULE,
                                                  "ends that do not fall|others", err));
        dvi_store_i32(lengths + 4 * i, length);
        dvi_store_i32(counts + 4 * i, -1);
        common = i == 0 || common == length ? length : 0;
        start = end;
    }
    const size_t nbytes = (size_t)(start - layout->first);
    dvi_idv_encoded *out = e->out;
    dvi_idv_append_i32(out, (int32_t)n);
    dvi_idv_append_i32(out, common < 0 ? 0 : common);
    if (common <= 0)
        dvi_idv_append_fragment(out, lengths, 4 * n);
    dvi_idv_append_fragment(out, counts, 4 * n);
    dvi_idv_append_i32(out, 0);
    out->widest = out->nbytes;
    dvi_idv_append_fragment(
        out, nbytes > 0 ? (const uint8_t *)layout->utf8.data + layout->first : NULL, nbytes);
    return DV_OK;
}
