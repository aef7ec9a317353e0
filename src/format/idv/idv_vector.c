/* SPDX-License-Identifier: MIT */
/* idv_vector.c: blocks of vectors, dense and sparse (idv.md 5.6). */
#include "format/idv/idv_priv.h"
#include <inttypes.h>

#define RULE "idv.md 5.6"

/* What a block of vectors holds, and where. */
typedef struct shape {
    int64_t n, size;
    size_t size_at, lengths, counts, count_at, indices; /* count_at: of K */
    int64_t k, items;                                   /* indices, and items of all vectors */
} shape;

static dv_status read_shape(dvi_idv_content *content, const dv_type *type, shape *s, dv_error *err)
{
    dvi_reader *r = &content->r;
    const size_t start = r->at, nbytes = 4 * (size_t)s->n;
    const int64_t vectors = dvi_read_i32_le(r);
    s->size_at = r->at;
    s->size = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, RULE, RULE, "number and size of vectors");
    DVI_REQUIRE(vectors == s->n, dvi_fail_range(err, "idv.md V1", dvi_idv_blame(content, start),
                                                "number of vectors", s->n, s->n, vectors));
    const int64_t least = type->size, most = type->size > 0 ? type->size : INT32_MAX;
    DVI_REQUIRE(s->size >= least && s->size <= most,
                dvi_fail_range(err, "idv.md V2", dvi_idv_blame(content, s->size_at),
                               "size of vectors", least, most, s->size));
    s->lengths = r->at;
    if (s->size == 0)
        dvi_read_bytes(r, nbytes);
    s->counts = r->at;
    dvi_read_bytes(r, nbytes);
    s->count_at = r->at;
    s->k = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, RULE, RULE, "lengths and counts of vectors");
    DVI_REQUIRE(s->k >= 0 && s->k <= (int64_t)(dvi_reader_left(r) / 4),
                dvi_fail_range(err, "idv.md V7", dvi_idv_blame(content, s->count_at),
                               "number of indices", 0, (int64_t)(dvi_reader_left(r) / 4), s->k));
    s->indices = r->at;
    dvi_read_bytes(r, 4 * (size_t)s->k);
    return DV_OK;
}

static int64_t load_at(const dvi_idv_content *content, size_t start, int64_t i)
{
    return dvi_load_i32(content->r.data + start + 4 * (size_t)i);
}

/* Lengths and counts of each vector (V3 to V5), and what they add up to. */
static dv_status check_counts(dvi_idv_content *content, shape *s, dv_error *err)
{
    int64_t indices = 0, items = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t length = s->size > 0 ? s->size : load_at(content, s->lengths, i);
        const int64_t count = load_at(content, s->counts, i);
        const size_t at = s->counts + 4 * (size_t)i;
        DVI_REQUIRE(length >= 0, dvi_fail_range(err, "idv.md V3",
                                                dvi_idv_blame(content, s->lengths + 4 * (size_t)i),
                                                "length of a vector", 0, INT32_MAX, length));
        DVI_REQUIRE(count >= -1, dvi_fail_range(err, "idv.md V4", dvi_idv_blame(content, at),
                                                "count of a vector", -1, length - 1, count));
        DVI_REQUIRE(count < length || count < 0,
                    dvi_fail(err, DV_ERR_CORRUPT, "idv.md V5", dvi_idv_blame(content, at),
                             "count of a sparse vector", "below its length %" PRId64 "|%" PRId64,
                             length, count));
        indices += count < 0 ? 0 : count;
        items += count < 0 ? length : count;
    }
    DVI_REQUIRE(indices == s->k, dvi_fail_range(err, RULE, dvi_idv_blame(content, s->count_at),
                                                "number of indices", indices, indices, s->k));
    DVI_REQUIRE(items <= INT32_MAX, dvi_fail_range(err, RULE, dvi_idv_blame(content, s->count_at),
                                                   "number of items", 0, INT32_MAX, items));
    s->items = items;
    return DV_OK;
}

/* Indices rise within each vector and stay inside it (V6). */
static dv_status check_indices(dvi_idv_content *content, const shape *s, dv_error *err)
{
    int64_t next = 0;
    for (int64_t i = 0; i < s->n && next < s->k; i++) {
        const int64_t count = load_at(content, s->counts, i);
        const int64_t length = s->size > 0 ? s->size : load_at(content, s->lengths, i);
        int64_t before = -1;
        for (int64_t j = 0; j < count; j++, next++) {
            const int64_t index = load_at(content, s->indices, next);
            DVI_REQUIRE(index > before && index < length,
                        dvi_fail_range(err, "idv.md V6",
                                       dvi_idv_blame(content, s->indices + 4 * (size_t)next),
                                       "index", before + 1, length - 1, index));
            before = index;
        }
    }
    return DV_OK;
}

static dv_buffer part(const dvi_idv_content *content, size_t start, int64_t n)
{
    const uint8_t *data = content->r.data + start;
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
        vector->lengths = part(content, s.lengths, n);
    vector->counts = part(content, s.counts, n);
    vector->indices = part(content, s.indices, s.k);
    vector->items = &column->items;
    return DV_OK;
}
