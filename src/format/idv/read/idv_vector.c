/* SPDX-License-Identifier: MIT */
/* idv_vector.c: decodes blocks of vectors, dense and sparse (idv:5.6). */
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <string.h>

#define RULE "idv:5.6"
#define STRIP 2048 /* indices copied and checked at a time */

/* The layout of a block of vectors. */
typedef struct shape {
    int64_t n, size;
    size_t size_at, lengths, counts, count_at,
        indices;          /* positions in the content; count_at: that of K */
    int64_t k, items;     /* number of indices, and of items of all vectors */
    bool is_copy;         /* lengths, counts and indices are delivered as copies */
    const uint8_t *head;  /* lengths and counts that stay as they are checked */
    const uint8_t *index; /* indices: those that are delivered */
} shape;

/* Lengths and counts of a mapped block are copied before they are checked: others are sized by
 * them. Indices are copied strip by strip as they are checked, unless they stay in place. */
static dv_status place_layout(dvi_idv_content *content, shape *s, dv_error *err)
{
    const uint8_t *data = content->r.data;
    const size_t head_nbytes = s->count_at - s->lengths, nbytes = content->r.at - s->lengths;
    dvi_memory **memory = &content->opened->layout;
    s->is_copy = content->is_borrowed && !content->in_place;
    s->head = data + s->lengths;
    s->index = data + s->indices;
    if (!content->is_borrowed)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(memory, content->allocator, s->is_copy ? nbytes : head_nbytes, err));
    s->head = memcpy((*memory)->data, s->head, head_nbytes);
    if (s->is_copy)
        s->index = (*memory)->data + (s->indices - s->lengths);
    return DV_OK;
}

static void copy_indices(const dvi_idv_content *content, const shape *s, size_t at, size_t n)
{
    if (s->is_copy && n > 0)
        memcpy(content->opened->layout->data + (s->indices - s->lengths) + 4 * at,
               content->r.data + s->indices + 4 * at, 4 * n);
}

static dv_status read_shape(dvi_idv_content *content, const dv_type *type, shape *s, dv_error *err)
{
    dvi_reader *r = &content->r;
    const size_t start = r->at, nbytes = 4 * (size_t)s->n;
    const int64_t vectors = dvi_read_i32_le(r);
    s->size_at = r->at;
    s->size = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, RULE, RULE, "number and size of vectors");
    DVI_REQUIRE(vectors == s->n, dvi_fail_range(err, "idv:V1", dvi_idv_blame(content, start),
                                                "number of vectors", s->n, s->n, vectors));
    const int64_t least = type->size, most = type->size > 0 ? type->size : INT32_MAX;
    DVI_REQUIRE(s->size >= least && s->size <= most,
                dvi_fail_range(err, "idv:V2", dvi_idv_blame(content, s->size_at), "size of vectors",
                               least, most, s->size));
    s->lengths = r->at;
    if (s->size == 0)
        dvi_read_bytes(r, nbytes);
    s->counts = r->at;
    dvi_read_bytes(r, nbytes);
    s->count_at = r->at;
    s->k = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, RULE, RULE, "lengths and counts of vectors");
    DVI_REQUIRE(s->k >= 0 && s->k <= (int64_t)(dvi_reader_left(r) / 4),
                dvi_fail_range(err, "idv:V7", dvi_idv_blame(content, s->count_at),
                               "number of indices", 0, (int64_t)(dvi_reader_left(r) / 4), s->k));
    s->indices = r->at;
    dvi_read_bytes(r, 4 * (size_t)s->k);
    return place_layout(content, s, err);
}

/* The block's rows in the form that kernels take. */
static dv_sparse sparse_of(const shape *s)
{
    return (dv_sparse){.n = (size_t)s->n,
                       .length = (int32_t)s->size,
                       .lengths = s->size == 0 ? s->head : NULL,
                       .counts = s->head + (s->counts - s->lengths),
                       .indices = s->index};
}

/* Report what is wrong with the length or count of row i (idv:V3 to idv:V5). */
static dv_status fail_count(dvi_idv_content *content, const shape *s, size_t i, dv_error *err)
{
    const dv_sparse rows = sparse_of(s);
    const int64_t length = dvi_sparse_length(&rows, i), count = dvi_sparse_count(&rows, i);
    const size_t at = s->counts + 4 * i;
    DVI_REQUIRE(length >= 0,
                dvi_fail_range(err, "idv:V3", dvi_idv_blame(content, s->lengths + 4 * i),
                               "length of a vector", 0, INT32_MAX, length));
    DVI_REQUIRE(count >= -1, dvi_fail_range(err, "idv:V4", dvi_idv_blame(content, at),
                                            "count of a vector", -1, length - 1, count));
    return dvi_fail(err, DV_ERR_CORRUPT, "idv:V5", dvi_idv_blame(content, at),
                    "count of a sparse vector", "below its length %" PRId64 "|%" PRId64, length,
                    count);
}

/* Check the length and count of each vector, and their sums. */
static dv_status check_counts(dvi_idv_content *content, shape *s, dv_error *err)
{
    const dv_sparse rows = sparse_of(s);
    int64_t sums[2];
    const size_t sound = dvi_kernels()->counts_check(&rows, 1, sums);
    DVI_REQUIRE(sound == rows.n, fail_count(content, s, sound, err));
    DVI_REQUIRE(sums[0] == s->k, dvi_fail_range(err, RULE, dvi_idv_blame(content, s->count_at),
                                                "number of indices", sums[0], sums[0], s->k));
    DVI_REQUIRE(sums[1] <= INT32_MAX, dvi_fail_range(err, RULE, dvi_idv_blame(content, s->count_at),
                                                     "number of items", 0, INT32_MAX, sums[1]));
    s->items = sums[1];
    return DV_OK;
}

/* Report the range in which index number i should be (idv:V6). */
static dv_status fail_index(dvi_idv_content *content, const shape *s, size_t i, dv_error *err)
{
    const dv_sparse rows = sparse_of(s);
    size_t row = 0, first = 0; /* the row's first index */
    for (;; row++) {
        const int32_t count = dvi_sparse_count(&rows, row);
        if (count > 0 && i - first < (size_t)count)
            break;
        first += count > 0 ? (size_t)count : 0;
    }
    const int64_t before = i > first ? dvi_sparse_index(&rows, i - 1) : -1;
    return dvi_fail_range(err, "idv:V6", dvi_idv_blame(content, s->indices + 4 * i), "index",
                          before + 1, (int64_t)dvi_sparse_length(&rows, row) - 1,
                          dvi_sparse_index(&rows, i));
}

/* Count rows until they have STRIP indices. */
static size_t find_strip(const dv_sparse *rows, size_t *indices_out)
{
    size_t n = 0, indices = 0;
    for (; n < rows->n && indices < STRIP; n++) {
        const int32_t count = dvi_sparse_count(rows, n);
        indices += count > 0 ? (size_t)count : 0;
    }
    *indices_out = indices;
    return n;
}

/* Copy the indices strip by strip, which stays in the first cache, and check that they rise within
 * each vector and stay below its length. */
static dv_status check_indices(dvi_idv_content *content, const shape *s, dv_error *err)
{
    dv_sparse rows = sparse_of(s);
    for (size_t at = 0, k; at < (size_t)s->k; at += k) {
        dv_sparse strip = rows;
        strip.n = find_strip(&rows, &k);
        copy_indices(content, s, at, k);
        const size_t sound = dvi_kernels()->indices_check(&strip, k);
        DVI_REQUIRE(sound == k, fail_index(content, s, at + sound, err));
        rows = dvi_sparse_from(&rows, strip.n, k, 0);
    }
    return DV_OK;
}

static dv_buffer buffer_at(const dvi_idv_content *content, const shape *s, size_t start, int64_t n)
{
    const uint8_t *data = content->r.data + start;
    if (s->is_copy)
        return dvi_memory_buffer(content->opened->layout, start - s->lengths, 4 * (size_t)n, 4);
    return (dv_buffer){data, 4 * (size_t)n, content->owner, content->is_borrowed,
                       (uintptr_t)data % 4 == 0};
}

dv_status dvi_idv_open_vectors(dvi_idv_content *content, const dvi_idv_codec *codec, int64_t n,
                               dvi_column *column, dv_error *err)
{
    shape s = {.n = n};
    DVI_TRY(read_shape(content, &codec->type, &s, err));
    DVI_TRY(check_counts(content, &s, err));
    DVI_TRY(check_indices(content, &s, err));
    DVI_TRY(dvi_idv_open_scalars(content, codec, s.items, &column->items, err));

    column->view = (dv_column_view){.type = codec->type, .layout = DV_LAYOUT_VECTOR, .rows = n};
    dv_vector_layout *vector = &column->view.as.vector;
    vector->length = (int32_t)s.size;
    if (s.size == 0)
        vector->lengths = buffer_at(content, &s, s.lengths, n);
    vector->counts = buffer_at(content, &s, s.counts, n);
    vector->indices = buffer_at(content, &s, s.indices, s.k);
    vector->items = &column->items;
    return DV_OK;
}

/* --- Values of BY ----------------------------------------------------------------------------- */

/* Vectors of a block as values: their ends, and how many bytes all have, which are in the block
 * unless a row is sparse. What the map may change is read once here, and checked against what was
 * checked before. */
static dv_status make_ends(dvi_idv_content *content, const dv_vector_layout *vector, int64_t n,
                           int32_t *ends, int64_t *nbytes_out, bool *is_sparse_out, dv_error *err)
{
    int64_t end = 0, stored = 0;
    *is_sparse_out = false;
    for (int64_t i = 0; i < n; i++) {
        const int32_t length = dvi_vector_length(vector, i), count = dvi_vector_count(vector, i);
        end += length < 0 ? INT64_C(1) << 32 : length;
        stored += count < 0 ? length : count;
        *is_sparse_out |= count >= 0;
        if (end > INT32_MAX)
            return dvi_fail(err, DV_ERR_LIMIT, content->limit_name, dvi_idv_blame(content, 0),
                            "values of BY in a block", "at most 2^31-1 bytes|more");
        ends[i] = (int32_t)end;
    }
    *nbytes_out = end;
    return stored == vector->items->rows
               ? DV_OK
               : dvi_fail_changed(err, dvi_idv_blame(content, 0), "lengths of vectors");
}

/* Write each slot of the rows: 0 where none is stored. */
static dv_status expand(dvi_idv_content *content, const dv_vector_layout *vector, int64_t n,
                        const int32_t *ends, uint8_t *dst, dv_error *err)
{
    const uint8_t *items = vector->items->as.fixed.values.data, *indices = vector->indices.data;
    const int64_t items_count = vector->items->rows;
    const int64_t indices_count = (int64_t)(vector->indices.nbytes / 4);
    int64_t at = 0, index_at = 0;
    for (int64_t i = 0, start = 0; i < n; start = ends[i++]) {
        const int64_t length = ends[i] - start, count = dvi_vector_count(vector, i);
        const int64_t stored = count < 0 ? length : count;
        if (stored > items_count - at || (count > 0 && count > indices_count - index_at))
            return dvi_fail_changed(err, dvi_idv_blame(content, 0), "counts of vectors");
        for (int64_t k = 0; k < count; k++) {
            const uint32_t index = dvi_load_u32(indices + 4 * index_at++);
            if (index >= (uint64_t)length)
                return dvi_fail_changed(err, dvi_idv_blame(content, 0), "indices of vectors");
            dst[start + index] = items[at + k];
        }
        if (count < 0 && length > 0)
            memcpy(dst + start, items + at, (size_t)length);
        at += stored;
    }
    return DV_OK;
}

dv_status dvi_idv_open_byte_strings(dvi_idv_content *content, int64_t n, dv_column_view *view,
                                    dv_error *err)
{
    const dvi_idv_codec vectors = {.type = dv_type_vector(dv_type_of(DV_KIND_U1), 0)};
    dvi_column column = {0};
    int64_t nbytes = 0;
    bool is_sparse = false;
    DVI_TRY(dvi_idv_open_vectors(content, &vectors, n, &column, err));
    const dv_vector_layout *vector = &column.view.as.vector;
    dvi_memory **memory = &content->opened->ends;
    DVI_TRY(dvi_memory_reserve(memory, content->allocator, 4 * (size_t)n, err));
    int32_t *ends = (int32_t *)(void *)(*memory)->data;
    DVI_TRY(make_ends(content, vector, n, ends, &nbytes, &is_sparse, err));

    dv_text_layout *layout = &view->as.text;
    layout->ends = dvi_memory_buffer(*memory, 0, 4 * (size_t)n, 4);
    layout->utf8 = column.items.as.fixed.values;
    layout->utf8.is_aligned = true;
    if (!is_sparse)
        return DV_OK;
    DVI_TRY(dvi_idv_decode_into(content, (size_t)nbytes, "sparse vectors of bytes", err));
    memset(content->opened->decoded->data, 0, (size_t)nbytes);
    layout->utf8 = dvi_memory_buffer(content->opened->decoded, 0, (size_t)nbytes, 1);
    return expand(content, vector, n, ends, content->opened->decoded->data, err);
}
