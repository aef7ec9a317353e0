/* SPDX-License-Identifier: MIT */
/* datadings_index.c: keys and sizes gathered, and the files made of them (datadings.md 2). */
#include "format/datadings/datadings_index.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "codec/bloom.h"
#include "codec/msgpack.h"
#include "format/datadings/datadings_table.h"
#include <inttypes.h>
#include <string.h>

#define HEAD_NBYTES 5 /* of a msgpack str or array, at most */

/* What is kept of a sample. */
typedef struct sample {
    int64_t end;   /* of its message, in D */
    size_t key_at; /* its key in `keys` */
    uint64_t hash; /* of its key */
} sample;

struct dvi_datadings_index {
    dv_allocator allocator;
    sample *samples;
    size_t n, hashed, samples_cap; /* hashed: of the n, whose hashes all differ */
    uint8_t *keys;                 /* as .keys has them, without the head of the array */
    size_t keys_nbytes, keys_cap;
    dvi_key_table table; /* by these hashes */
    dvi_key_salt salt;
    int32_t salt_number;
    dvi_md5 *md5; /* NULL until something is written */
};

dv_status dvi_datadings_index_create(dvi_datadings_index **index_out, const dv_allocator *allocator,
                                     dv_error *err)
{
    void *made;
    *index_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof **index_out, err));
    dvi_datadings_index *index = made;
    index->allocator = dvi_allocator_of(allocator);
    index->salt = dvi_key_salt_of(0);
    dvi_key_table_init(&index->table, allocator);
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
    dvi_md5_free(&x->md5);
    dvi_key_table_free(&x->table);
    dvi_free(&allocator, x->keys, x->keys_cap);
    dvi_free(&allocator, x->samples, x->samples_cap * sizeof *x->samples);
    dvi_free(&allocator, x, sizeof *x);
}

/* --- Gathering -------------------------------------------------------------------------------- */

/* The shortest head of a msgpack str: its length. */
static size_t put_str_head(uint8_t dst[HEAD_NBYTES], uint32_t n)
{
    if (n < 32) {
        dst[0] = (uint8_t)(0xA0 | n);
        return 1;
    }
    if (n <= UINT8_MAX) {
        dst[0] = 0xD9;
        dst[1] = (uint8_t)n;
        return 2;
    }
    dst[0] = n <= UINT16_MAX ? 0xDA : 0xDB;
    if (n <= UINT16_MAX)
        dvi_store_u16_be(dst + 1, (uint16_t)n);
    else
        dvi_store_i32_be(dst + 1, (int32_t)n);
    return n <= UINT16_MAX ? 3 : 5;
}

static dv_text key_of(const dvi_datadings_index *index, size_t row)
{
    const size_t at = index->samples[row].key_at;
    dvi_msgpack str;
    dvi_msgpack_reader r = dvi_msgpack_reader_of(index->keys + at, index->keys_nbytes - at, 0, 1);
    dvi_msgpack_read(&r, &str);
    return (dv_text){(const char *)str.data, str.n};
}

/* Room for one sample more, so that adding it cannot fail. */
static dv_status reserve(dvi_datadings_index *index, dv_text key, dv_error *err)
{
    void *samples = index->samples, *keys = index->keys;
    size_t need;
    if (index->n == DVI_DATADINGS_ROWS_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "datadings.md 9", -1, "samples",
                        "%" PRId64 " at most|more", DVI_DATADINGS_ROWS_MAX);
    if (key.nbytes > UINT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "datadings.md 9", -1, "key",
                        "less than 4 GiB|%" PRId64 " bytes", key.nbytes);
    if (!dvi_size_add(index->keys_nbytes + HEAD_NBYTES, (size_t)key.nbytes, &need))
        return dvi_fail_memory(err, SIZE_MAX);
    const dv_status status = dvi_array_reserve(&index->allocator, &samples, &index->samples_cap,
                                               index->n + 1, sizeof(sample), err);
    index->samples = samples;
    DVI_TRY(status);
    DVI_TRY(dvi_array_reserve(&index->allocator, &keys, &index->keys_cap, need, 1, err));
    index->keys = keys;
    return DV_OK;
}

dv_status dvi_datadings_index_add(dvi_datadings_index *index, dv_text key, int64_t nbytes,
                                  dv_error *err)
{
    DVI_TRY(reserve(index, key, err));
    const int64_t start = index->n > 0 ? index->samples[index->n - 1].end : 0;
    index->samples[index->n++] = (sample){start + nbytes, index->keys_nbytes, 0};
    index->keys_nbytes += put_str_head(index->keys + index->keys_nbytes, (uint32_t)key.nbytes);
    if (key.nbytes > 0)
        memcpy(index->keys + index->keys_nbytes, key.data, (size_t)key.nbytes);
    index->keys_nbytes += (size_t)key.nbytes;
    return DV_OK;
}

/* --- Hashing ---------------------------------------------------------------------------------- */

/* A run of samples, and what is made of their keys. */
typedef struct run {
    size_t row, n;
    dv_text keys[DVI_DATADINGS_HASHED_AT_ONCE];
    dvi_key_probe probes[DVI_DATADINGS_HASHED_AT_ONCE];
} run;

/* The next one up to the last sample; false: there is none. */
static bool next_run(const dvi_datadings_index *index, const dvi_key_salt *salt, run *r)
{
    const size_t left = index->n - r->row;
    r->n = left < DVI_DATADINGS_HASHED_AT_ONCE ? left : DVI_DATADINGS_HASHED_AT_ONCE;
    for (size_t i = 0; i < r->n; i++)
        r->keys[i] = key_of(index, r->row + i);
    dvi_key_probes(r->probes, salt, r->keys, r->n);
    return r->n > 0;
}

/* Forget the samples from there on. */
static void forget(dvi_datadings_index *index, size_t row)
{
    index->n = row;
    index->keys_nbytes = index->samples[row].key_at;
}

/* False: different keys have the same hash.  Twins end it; the slots of a run are fetched first,
 * since they are anywhere. */
static bool hash_samples(dvi_datadings_index *index, dvi_datadings_twins *twins_out)
{
    run r = {.row = index->hashed};
    for (; next_run(index, &index->salt, &r); r.row += r.n) {
        for (size_t i = 0; i < r.n; i++)
            dvi_key_table_fetch(&index->table, r.probes[i].first);
        for (size_t i = 0; i < r.n; i++) {
            const int64_t row = (int64_t)(r.row + i);
            const int64_t before = dvi_key_table_put(&index->table, r.probes[i].first, row);
            index->samples[row].hash = r.probes[i].first;
            if (before < 0)
                continue;
            if (!dv_text_equal(key_of(index, (size_t)before), r.keys[i]))
                return false;
            *twins_out = (dvi_datadings_twins){row, before, r.keys[i]};
            forget(index, r.row + i);
            r.n = i;
        }
    }
    index->hashed = index->n;
    return true;
}

dv_status dvi_datadings_index_hash(dvi_datadings_index *index, size_t least,
                                   dvi_datadings_twins *twins_out, dv_error *err)
{
    *twins_out = (dvi_datadings_twins){-1, -1, {NULL, 0}};
    if (index->n - index->hashed < least)
        return DV_OK;
    /* Twice as many slots each time that they do not do. */
    if (index->n > index->table.cap / 4 * 3)
        DVI_TRY(dvi_key_table_reserve(&index->table, 2 * index->n + 10, err));
    while (!hash_samples(index, twins_out)) {
        if (++index->salt_number == DVI_KEY_SALTS)
            return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings.md 2.3", -1, "hashes of the keys",
                            "a salt that tells them apart|%d that do not", DVI_KEY_SALTS);
        index->salt = dvi_key_salt_of(index->salt_number);
        dvi_key_table_clear(&index->table);
        index->hashed = 0;
    }
    return DV_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* A file under way; what it is given is hashed on the way. */
typedef struct part {
    dvi_writer *writer;
    dvi_md5 *md5;
} part;

static dv_status put(const part *p, const void *src, size_t n, dv_error *err)
{
    dvi_md5_add(p->md5, src, n);
    return dvi_writer_write(p->writer, src, n, err);
}

/* Numbers on their way, big-endian. */
typedef struct numbers {
    uint8_t bytes[4096];
    size_t n;
} numbers;

static dv_status flush_numbers(const part *p, numbers *gathered, dv_error *err)
{
    const size_t n = gathered->n;
    gathered->n = 0;
    return put(p, gathered->bytes, n, err);
}

static dv_status put_number(const part *p, numbers *gathered, uint64_t value, dv_error *err)
{
    if (gathered->n == sizeof gathered->bytes)
        DVI_TRY(flush_numbers(p, gathered, err));
    dvi_store_u64_be(gathered->bytes + gathered->n, value);
    gathered->n += 8;
    return DV_OK;
}

static dv_status write_offsets(const dvi_datadings_index *index, const part *p, dv_error *err)
{
    numbers gathered = {.n = 0};
    DVI_TRY(put_number(p, &gathered, 0, err));
    for (size_t i = 0; i < index->n; i++)
        DVI_TRY(put_number(p, &gathered, (uint64_t)index->samples[i].end, err));
    return flush_numbers(p, &gathered, err);
}

static dv_status write_keys(const dvi_datadings_index *index, const part *p, dv_error *err)
{
    uint8_t head[HEAD_NBYTES] = {(uint8_t)(0x90 | index->n)};
    size_t n = 1;
    if (index->n > UINT16_MAX) {
        head[0] = 0xDD;
        dvi_store_i32_be(head + 1, (int32_t)index->n);
        n = 5;
    } else if (index->n > 15) {
        head[0] = 0xDC;
        dvi_store_u16_be(head + 1, (uint16_t)index->n);
        n = 3;
    }
    DVI_TRY(put(p, head, n, err));
    return put(p, index->keys, index->keys_nbytes, err);
}

static dv_status write_hashes(const dvi_datadings_index *index, const part *p, dv_error *err)
{
    numbers gathered = {.n = sizeof index->salt};
    memcpy(gathered.bytes, index->salt.bytes, sizeof index->salt);
    for (size_t i = 0; i < index->n; i++)
        DVI_TRY(put_number(p, &gathered, index->samples[i].hash, err));
    return flush_numbers(p, &gathered, err);
}

static dv_status write_filter(const dvi_datadings_index *index, const part *p, dv_error *err)
{
    const uint64_t elements = index->n > 2 ? index->n : 2;
    dvi_bloom bloom = {0};
    void *made;
    dvi_bloom_of(&bloom, elements, 1.0 / (double)elements);
    const size_t nbytes = (size_t)dvi_bloom_nbytes(&bloom);
    DVI_TRY(dvi_alloc_zeroed(&index->allocator, &made, nbytes, err));
    uint8_t *bytes = made;
    dvi_bloom_header(&bloom, bytes);
    for (run r = {.row = 0}; next_run(index, NULL, &r); r.row += r.n)
        for (size_t i = 0; i < r.n; i++)
            dvi_bloom_add(&bloom, bytes + DVI_BLOOM_HEADER_NBYTES, r.probes[i]);
    const dv_status status = put(p, bytes, nbytes, err);
    dvi_free(&index->allocator, made, nbytes);
    return status;
}

const char *dvi_datadings_suffix(dvi_datadings_side file)
{
    static const char *const suffixes[DVI_DATADINGS_FILES] = {".offsets", ".keys", ".key_hashes",
                                                              ".filter",  ".md5",  ".index"};
    return suffixes[file];
}

dv_status dvi_datadings_index_write(dvi_datadings_index *index, dvi_datadings_side side,
                                    dvi_writer *writer, dvi_md5_text *md5_out, dv_error *err)
{
    if (!index->md5)
        DVI_TRY(dvi_md5_create(&index->md5, err));
    static dv_status (*const write[DVI_DATADINGS_SIDES])(const dvi_datadings_index *index,
                                                         const part *p, dv_error *err) = {
        write_offsets, write_keys, write_hashes, write_filter};
    const part p = {writer, index->md5};
    const dv_status status = write[side](index, &p, err);
    *md5_out = dvi_md5_end(index->md5); /* which begins anew, also after a failure */
    return status;
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
