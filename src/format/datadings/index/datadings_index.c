/* SPDX-License-Identifier: MIT */
/* datadings_index.c: gathers keys and sizes of samples, and makes the side files (datadings:2). */
#include "format/datadings/index/datadings_index.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "codec/bloom.h"
#include "codec/msgpack.h"
#include "codec/msgpack_write.h"
#include "format/datadings/index/datadings_table.h"
#include <inttypes.h>
#include <string.h>

#define HEAD_NBYTES DVI_MSGPACK_HEAD /* the longest head of a key, or of the array of keys */
#define NUMBER_NBYTES ((size_t)8)
#define EXPECTED_MOST ((int64_t)1 << 22) /* samples that memory is reserved for at once */

struct dvi_datadings_index {
    dv_allocator allocator;
    size_t n, hashed; /* samples; the first ones, whose keys are hashed without collision */
    /* Files as they are written, with memory for one more sample. */
    uint8_t *offsets, *hashes;
    size_t offsets_cap, hashes_cap; /* numbers */
    uint8_t *keys;                  /* HEAD_NBYTES for the head of the array, then the keys */
    size_t keys_nbytes, keys_cap;   /* with the head */
    size_t hashed_nbytes;           /* up to the first key that is not hashed */
    uint8_t *filter;
    size_t filter_nbytes;
    dvi_key_table table; /* by these hashes */
    dvi_key_salt salt;
    int32_t salt_number;
};

/* Reserve memory for samples + 1 more numbers, and keys_nbytes more bytes of keys. */
static dv_status reserve(dvi_datadings_index *index, size_t samples, size_t keys_nbytes,
                         dv_error *err)
{
    void *offsets = index->offsets, *hashes = index->hashes, *keys = index->keys;
    const size_t numbers = index->n + samples + 1;
    size_t need;
    if (!dvi_size_add(index->keys_nbytes, keys_nbytes, &need))
        return dvi_fail_memory(err, SIZE_MAX);
    dv_status status = dvi_array_reserve(&index->allocator, &offsets, &index->offsets_cap, numbers,
                                         NUMBER_NBYTES, err);
    index->offsets = offsets;
    if (status == DV_OK)
        status = dvi_array_reserve(&index->allocator, &hashes, &index->hashes_cap, numbers,
                                   NUMBER_NBYTES, err);
    index->hashes = hashes;
    if (status == DV_OK)
        status = dvi_array_reserve(&index->allocator, &keys, &index->keys_cap, need, 1, err);
    index->keys = keys;
    return status;
}

dv_status dvi_datadings_index_create(dvi_datadings_index **index_out, const dv_allocator *allocator,
                                     dv_error *err)
{
    void *made;
    *index_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof **index_out, err));
    dvi_datadings_index *index = made;
    index->allocator = dvi_allocator_of(allocator);
    index->salt = dvi_key_salt_of(0);
    index->keys_nbytes = index->hashed_nbytes = HEAD_NBYTES;
    dvi_key_table_init(&index->table, allocator);
    const dv_status status = reserve(index, 0, 0, err);
    if (status < 0) {
        dvi_datadings_index_free(&index);
        return status;
    }
    dvi_store_u64_be(index->offsets, 0);
    *index_out = index;
    return DV_OK;
}

void dvi_datadings_index_free(dvi_datadings_index **index)
{
    dvi_datadings_index *x = *index;
    *index = NULL;
    if (!x)
        return;
    const dv_allocator allocator = x->allocator;
    dvi_key_table_free(&x->table);
    dvi_free(&allocator, x->filter, x->filter_nbytes);
    dvi_free(&allocator, x->keys, x->keys_cap);
    dvi_free(&allocator, x->hashes, x->hashes_cap * NUMBER_NBYTES);
    dvi_free(&allocator, x->offsets, x->offsets_cap * NUMBER_NBYTES);
    dvi_free(&allocator, x, sizeof *x);
}

/* --- Gathering -------------------------------------------------------------------------------- */

/* Read the key at *at, and move *at to the next one. */
static dv_text read_key(const dvi_datadings_index *index, size_t *at)
{
    dvi_msgpack str;
    dvi_msgpack_reader r = dvi_msgpack_reader_of(index->keys + *at, index->keys_nbytes - *at, 0, 1);
    dvi_msgpack_read(&r, &str);
    *at = (size_t)(str.data + str.n - index->keys);
    return (dv_text){(const char *)str.data, str.n};
}

/* The key of a row, found by reading all keys before it: only for hashes that collide. */
static dv_text key_of(const dvi_datadings_index *index, int64_t row)
{
    size_t at = HEAD_NBYTES;
    while (row-- > 0)
        read_key(index, &at);
    return read_key(index, &at);
}

dv_status dvi_datadings_index_expect(dvi_datadings_index *index, int64_t samples, dv_error *err)
{
    const size_t n = (size_t)dvi_min_i64(samples, EXPECTED_MOST);
    DVI_TRY(reserve(index, n, 0, err));
    return dvi_key_table_reserve(&index->table, n, err);
}

dv_status dvi_datadings_index_add(dvi_datadings_index *index, dv_text key, int64_t nbytes,
                                  dv_error *err)
{
    if (index->n == DVI_DATADINGS_ROWS_MAX)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings:9", -1, "samples",
                        "at most %" PRId64 "|more", DVI_DATADINGS_ROWS_MAX);
    if (key.nbytes > UINT32_MAX)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings:9", -1, "key",
                        "less than 4 GiB|%" PRId64 " bytes", key.nbytes);
    DVI_TRY(reserve(index, 1, HEAD_NBYTES + (size_t)key.nbytes, err));
    uint8_t *last = index->offsets + NUMBER_NBYTES * index->n++;
    dvi_store_u64_be(last + NUMBER_NBYTES, dvi_load_u64_be(last) + (uint64_t)nbytes);
    uint8_t *dst = dvi_msgpack_put_str(index->keys + index->keys_nbytes, (uint32_t)key.nbytes);
    if (key.nbytes > 0)
        memcpy(dst, key.data, (size_t)key.nbytes);
    index->keys_nbytes = (size_t)(dst - index->keys) + (size_t)key.nbytes;
    return DV_OK;
}

/* --- Hashing ---------------------------------------------------------------------------------- */

/* A run of samples with the hashes of their keys. */
typedef struct run {
    size_t row, n;
    size_t at, next_at; /* offsets of their keys, and of those of the next run */
    dv_text keys[DVI_DATADINGS_HASHED_AT_ONCE];
    dvi_key_probe probes[DVI_DATADINGS_HASHED_AT_ONCE];
} run;

/* Go to the next run; false: there is none. Before the first call *r is zeroed, except row and
 * next_at. */
static bool next_run(const dvi_datadings_index *index, const dvi_key_salt *salt, run *r)
{
    r->row += r->n;
    r->at = r->next_at;
    const size_t left = index->n - r->row;
    r->n = left < DVI_DATADINGS_HASHED_AT_ONCE ? left : DVI_DATADINGS_HASHED_AT_ONCE;
    for (size_t i = 0; i < r->n; i++)
        r->keys[i] = read_key(index, &r->next_at);
    dvi_key_probes(r->probes, salt, r->keys, r->n);
    return r->n > 0;
}

/* Hash keys again from this row on. */
static void rewind_to(dvi_datadings_index *index, size_t row, size_t at)
{
    index->hashed = row;
    index->hashed_nbytes = at;
}

/* Remove sample i of a run, and all samples after it. */
static void remove_from(dvi_datadings_index *index, const run *r, size_t i)
{
    size_t at = r->at;
    for (size_t k = 0; k < i; k++)
        read_key(index, &at);
    index->n = r->row + i;
    index->keys_nbytes = at;
    rewind_to(index, index->n, at);
}

/* Add the hashes of a run. false: sample *i_out has the hash of row *before_out. */
static bool list_run(dvi_datadings_index *index, const run *r, size_t *i_out, int64_t *before_out)
{
    uint8_t *hashes = index->hashes + NUMBER_NBYTES * (r->row + 1);
    for (size_t i = 0; i < r->n; i++)
        dvi_key_table_prefetch(&index->table, r->probes[i].first);
    for (size_t i = 0; i < r->n; i++) {
        dvi_store_u64_be(hashes + NUMBER_NBYTES * i, r->probes[i].first);
        *i_out = i;
        *before_out = dvi_key_table_put(&index->table, r->probes[i].first, (int64_t)(r->row + i));
        if (*before_out >= 0)
            return false;
    }
    return true;
}

/* Hash all keys that are not hashed yet, up to the first duplicate. false: hashes of different keys
 * collide. */
static bool hash_samples(dvi_datadings_index *index, dvi_datadings_duplicate *duplicate_out)
{
    run r = {.row = index->hashed, .next_at = index->hashed_nbytes};
    while (next_run(index, &index->salt, &r)) {
        size_t i;
        int64_t before;
        if (list_run(index, &r, &i, &before))
            continue;
        if (!dv_text_equal(key_of(index, before), r.keys[i]))
            return false;
        *duplicate_out = (dvi_datadings_duplicate){(int64_t)(r.row + i), before, r.keys[i]};
        remove_from(index, &r, i);
        return true;
    }
    rewind_to(index, index->n, r.next_at);
    return true;
}

dv_status dvi_datadings_index_hash(dvi_datadings_index *index, size_t least,
                                   dvi_datadings_duplicate *duplicate_out, dv_error *err)
{
    *duplicate_out = (dvi_datadings_duplicate){-1, -1, {NULL, 0}};
    if (index->n - index->hashed < least)
        return DV_OK;
    /* The table doubles, so that few calls rehash it. */
    if (index->n > dvi_key_table_room(&index->table))
        DVI_TRY(dvi_key_table_reserve(&index->table, 2 * index->n + 10, err));
    while (!hash_samples(index, duplicate_out)) {
        if (++index->salt_number == DVI_KEY_SALTS)
            return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings:2.3", -1, "hashes of the keys",
                            "a salt without collisions|%d salts with collisions", DVI_KEY_SALTS);
        index->salt = dvi_key_salt_of(index->salt_number);
        dvi_key_table_clear(&index->table);
        rewind_to(index, 0, HEAD_NBYTES);
    }
    return DV_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static dv_status make_filter(dvi_datadings_index *index, dv_error *err)
{
    const uint64_t elements = index->n > 2 ? index->n : 2;
    dvi_bloom bloom = {0};
    void *made;
    dvi_bloom_of(&bloom, elements, 1.0 / (double)elements);
    index->filter_nbytes = (size_t)dvi_bloom_nbytes(&bloom);
    DVI_TRY(dvi_alloc_zeroed(&index->allocator, &made, index->filter_nbytes, err));
    index->filter = made;
    dvi_bloom_header(&bloom, index->filter);
    run r = {.next_at = HEAD_NBYTES};
    while (next_run(index, NULL, &r))
        dvi_bloom_add(&bloom, index->filter + DVI_BLOOM_HEADER_NBYTES, r.probes, r.n);
    return DV_OK;
}

/* The head of the array is written right before the first key. */
static dvi_datadings_bytes keys_file(dvi_datadings_index *index)
{
    uint8_t head[DVI_MSGPACK_HEAD];
    const size_t n = (size_t)(dvi_msgpack_put_array(head, (uint32_t)index->n) - head);
    uint8_t *start = index->keys + HEAD_NBYTES - n;
    memcpy(start, head, n);
    return (dvi_datadings_bytes){start, index->keys_nbytes - HEAD_NBYTES + n};
}

dv_status dvi_datadings_index_file(dvi_datadings_index *index, dvi_datadings_side side,
                                   dvi_datadings_bytes *file_out, dv_error *err)
{
    const size_t numbers_nbytes = NUMBER_NBYTES * (index->n + 1);
    switch (side) {
    case DVI_DATADINGS_OFFSETS:
        *file_out = (dvi_datadings_bytes){index->offsets, numbers_nbytes};
        return DV_OK;
    case DVI_DATADINGS_KEYS:
        *file_out = keys_file(index);
        return DV_OK;
    case DVI_DATADINGS_HASHES:
        memcpy(index->hashes, index->salt.bytes, sizeof index->salt);
        *file_out = (dvi_datadings_bytes){index->hashes, numbers_nbytes};
        return DV_OK;
    default:
        if (!index->filter)
            DVI_TRY(make_filter(index, err));
        *file_out = (dvi_datadings_bytes){index->filter, index->filter_nbytes};
        return DV_OK;
    }
}

dv_status dvi_datadings_index_write(dvi_datadings_index *index, dvi_datadings_side side,
                                    dvi_writer *writer, dvi_md5_queue *md5, dvi_md5_text *md5_out,
                                    dv_error *err)
{
    dvi_datadings_bytes file;
    DVI_TRY(dvi_datadings_index_file(index, side, &file, err));
    dvi_md5_queue_add(md5, file.data, file.nbytes);
    dvi_md5_queue_end(md5, md5_out);
    return dvi_writer_write(writer, file.data, file.nbytes, err);
}

const char *dvi_datadings_suffix(dvi_datadings_side file)
{
    static const char *const suffixes[DVI_DATADINGS_FILES] = {".offsets", ".keys", ".key_hashes",
                                                              ".filter",  ".md5",  ".index"};
    return suffixes[file];
}

dv_status dvi_datadings_write_md5_line(dvi_writer *writer, const dvi_md5_text *md5,
                                       const char *base, const char *suffix, dv_error *err)
{
    DVI_TRY(dvi_writer_write(writer, md5->digits, strlen(md5->digits), err));
    DVI_TRY(dvi_writer_write(writer, "  ", 2, err));
    DVI_TRY(dvi_writer_write(writer, base, strlen(base), err));
    DVI_TRY(dvi_writer_write(writer, suffix, strlen(suffix), err));
    return dvi_writer_write(writer, "\n", 1, err);
}

dv_status dvi_datadings_write_md5(dvi_writer *writer, const char *base, const dvi_md5_text *data,
                                  const dvi_md5_text md5[DVI_DATADINGS_SIDES], dv_error *err)
{
    DVI_TRY(dvi_datadings_write_md5_line(writer, data, base, "", err));
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        DVI_TRY(dvi_datadings_write_md5_line(writer, &md5[side], base,
                                             dvi_datadings_suffix((dvi_datadings_side)side), err));
    return DV_OK;
}
