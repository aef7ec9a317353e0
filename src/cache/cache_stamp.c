/* SPDX-License-Identifier: MIT */
/* cache_stamp.c: the stamp that ties a cache file to its source, and shows whether it is whole. */
#include "cache/cache_stamp.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include <string.h>

static const char mark[8] = {'d', 'v', 'c', 'a', 'c', 'h', 'e', '1'};
#define SUM_OFFSET (DVI_CACHE_STAMP_OFFSET + 48)
#define PIECE_NBYTES (INT64_C(1) << 20)

static void store_u128(uint8_t *dst, dv_u128 value)
{
    dvi_store_i64(dst, (int64_t)value.lo);
    dvi_store_i64(dst + 8, (int64_t)value.hi);
}

static dv_u128 load_u128(const uint8_t *src)
{
    dv_u128 value;
    value.lo = dvi_load_u64(src);
    value.hi = dvi_load_u64(src + 8);
    return value;
}

void dvi_cache_stamp_write(uint8_t *header, const dvi_cache_stamp *stamp)
{
    uint8_t *at = header + DVI_CACHE_STAMP_OFFSET;
    memcpy(at, mark, sizeof mark);
    dvi_store_i64(at + 8, stamp->nbytes);
    store_u128(at + 16, stamp->identity);
    store_u128(at + 32, stamp->digest);
    dvi_store_i64(header + SUM_OFFSET, (int64_t)dv_digest_8(header, SUM_OFFSET, 0));
}

static dv_status parse(dvi_cache_stamp *stamp_out, const uint8_t *header, int64_t nbytes,
                       dv_error *err)
{
    const uint8_t *at = header + DVI_CACHE_STAMP_OFFSET;
    if (memcmp(at, mark, sizeof mark) != 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "docs/caching.md", -1, "file",
                        "a cache, or no file|another file, which is not replaced");
    stamp_out->nbytes = dvi_load_i64(at + 8);
    stamp_out->identity = load_u128(at + 16);
    stamp_out->digest = load_u128(at + 32);
    const bool is_whole = dvi_load_u64(header + SUM_OFFSET) == dv_digest_8(header, SUM_OFFSET, 0);
    return is_whole && stamp_out->nbytes == nbytes ? DV_OK : DV_NOT_FOUND;
}

dv_status dvi_cache_stamp_read(dvi_cache_stamp *stamp_out, dvi_map *map, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map);
    uint8_t header[DVI_CACHE_HEADER_NBYTES] = {0};
    dvi_memory *memory = NULL;
    dvi_span span;
    *stamp_out = (dvi_cache_stamp){0};
    if (nbytes == 0)
        return DV_NOT_FOUND;
    const size_t n = (size_t)dvi_min_i64(nbytes, sizeof header);
    const dv_status status = dvi_map_span(map, 0, n, &memory, &span, err);
    if (status == DV_OK)
        memcpy(header, span.data, n);
    dvi_memory_release(&memory);
    return status == DV_OK ? parse(stamp_out, header, nbytes, err) : status;
}

static dv_status digest_all(dv_digester *digester, dvi_map *map, dv_error *err)
{
    static const uint8_t header[DVI_CACHE_HEADER_NBYTES];
    const int64_t nbytes = dvi_map_nbytes(map);
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    dv_digester_add(digester, header, sizeof header);
    for (int64_t at = sizeof header; at < nbytes && status == DV_OK; at += PIECE_NBYTES) {
        dvi_span span;
        const size_t n = (size_t)dvi_min_i64(PIECE_NBYTES, nbytes - at);
        status = dvi_map_span(map, at, n, &memory, &span, err);
        if (status == DV_OK)
            dv_digester_add(digester, span.data, n);
    }
    dvi_memory_release(&memory);
    return status;
}

dv_status dvi_cache_stamp_check(const dvi_cache_stamp *stamp, dvi_map *map, dv_error *err)
{
    dv_digester *digester;
    DVI_TRY(dv_digester_create(&digester, dvi_map_allocator(map), err));
    const dv_status status = digest_all(digester, map, err);
    const dv_u128 found = dv_digester_result(digester);
    dv_digester_free(&digester);
    DVI_TRY(status);
    return found.lo == stamp->digest.lo && found.hi == stamp->digest.hi ? DV_OK : DV_NOT_FOUND;
}
