/* SPDX-License-Identifier: MIT */
/* datadings_filter.c: reads the Bloom filter of a set (datadings:2.4). */
#include "format/datadings/index/datadings_files_priv.h"
#include <inttypes.h>
#include <string.h>

/* Parse the header, and compare it with the file and the set. */
static dv_status parse_filter(const dvi_datadings_set *set, int64_t nbytes, const uint8_t *p,
                              dvi_bloom *bloom_out, dv_error *err)
{
    const uint64_t size = dvi_load_u64_be(p + 8), elements = dvi_load_u64_be(p + 16);
    const uint64_t wanted = (uint64_t)dvi_max_i64(set->rows, 2);
    const uint64_t bits = dvi_load_u64_be(p + 24);
    double rate;
    memcpy(&rate, &bits, sizeof rate);
    DVI_REQUIRE(memcmp(p, DVI_BLOOM_MAGIC, 8) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.17", 0, "magic", "SIMPBLOO|%s",
                         dvi_show((dv_text){(const char *)p, 8}).text));
    DVI_REQUIRE(size == (uint64_t)nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.18", 8, "size",
                         "the file's %" PRId64 " bytes|%" PRIu64, nbytes, size));
    DVI_REQUIRE(elements >= 2, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.19", 16, "number of keys",
                                        "2 or more|%" PRIu64, elements));
    DVI_REQUIRE(rate > 0 && rate < 1,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.19", 24, "rate of false positives",
                         "between 0 and 1|%g", rate));
    DVI_REQUIRE(dvi_bloom_of(bloom_out, elements, rate),
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.20", 16, "bits", "below 2^63|more"));
    DVI_REQUIRE(dvi_bloom_nbytes(bloom_out) == size,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.20", 8, "size",
                         "%" PRIu64 " bytes for its keys and rate|%" PRIu64,
                         dvi_bloom_nbytes(bloom_out), size));
    DVI_REQUIRE(elements == wanted,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.21", 16, "number of keys",
                         "%" PRIu64 "|%" PRIu64, wanted, elements));
    return DV_OK;
}

dv_status dvi_datadings_read_filter(const dvi_datadings_set *set, dvi_bloom *bloom_out,
                                    dv_error *err)
{
    dvi_map *map = set->maps.file[DVI_DATADINGS_FILTER];
    const int64_t nbytes = dvi_map_nbytes(map);
    dvi_memory *memory = NULL;
    dvi_span span;
    dv_status status = DV_OK;
    if (nbytes < DVI_BLOOM_HEADER_NBYTES)
        status = dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.17", nbytes, "size",
                          "32 bytes or more|%" PRId64, nbytes);
    if (status == DV_OK)
        status = dvi_map_span(map, 0, DVI_BLOOM_HEADER_NBYTES, &memory, &span, err);
    if (status == DV_OK)
        status = parse_filter(set, nbytes, span.data, bloom_out, err);
    dvi_memory_release(&memory);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    return status;
}

/* Read the filter unless it is read. */
static dv_status need_filter(dvi_datadings_set *set, dv_error *err)
{
    dvi_map *map = set->maps.file[DVI_DATADINGS_FILTER];
    dvi_span span;
    dv_status status = DV_OK;
    if (atomic_load_explicit(&set->has_filter, memory_order_acquire))
        return DV_OK;
    pthread_mutex_lock(&set->table_lock);
    if (!atomic_load_explicit(&set->has_filter, memory_order_relaxed)) {
        status = dvi_datadings_read_filter(set, &set->bloom, err);
        if (status == DV_OK)
            status = dvi_map_span(map, 0, (size_t)dvi_map_nbytes(map), &set->filter, &span, err);
        if (status == DV_OK) {
            set->bits = span.data + DVI_BLOOM_HEADER_NBYTES;
            atomic_store_explicit(&set->has_filter, true, memory_order_release);
        }
    }
    pthread_mutex_unlock(&set->table_lock);
    return status;
}

dv_status dvi_datadings_query_filter(dvi_datadings_set *set, dvi_key_probe key, bool *may_out,
                                     dv_error *err)
{
    DVI_TRY(need_filter(set, err));
    DVI_TRY(dvi_map_check(set->maps.file[DVI_DATADINGS_FILTER], err));
    *may_out = dvi_bloom_has(&set->bloom, set->bits, key);
    return DV_OK;
}
