/* SPDX-License-Identifier: MIT */
/* idv_header.c: reads the 256-byte header and the tail signature (idv:2). */
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <stdio.h>

#define TOC_NBYTES (INT64_C(4) << 20) /* announced: one that precedes the blocks may reach far */

/* The smallest TOC entry: a dead column without a name. Until 1.1.1.2 it has one offset fewer. */
static int64_t least_column_nbytes(uint64_t version)
{
    return version <= DVI_IDV_VERSION(2) ? 14 : 22;
}

dvi_idv_version_text dvi_idv_version(uint64_t version)
{
    dvi_idv_version_text v;
    snprintf(v.text, sizeof v.text, "%u.%u.%u.%u", (unsigned)(version >> 48),
             (unsigned)(version >> 32 & 0xFFFF), (unsigned)(version >> 16 & 0xFFFF),
             (unsigned)(version & 0xFFFF));
    return v;
}

/* Can a file of this version be read by the rules of an older, compatible version?  From 1.1.1.4 on
 * all TOC entries have the same fields; 1.1.1.1 and 1.1.1.2 have the same, too. */
static bool has_known_toc(uint64_t version, uint64_t compatible)
{
    const uint64_t v1 = DVI_IDV_VERSION(1), v2 = DVI_IDV_VERSION(2), v4 = DVI_IDV_VERSION(4);
    return compatible >= v4 || compatible == version || (compatible == v1 && version == v2);
}

static dv_status check_versions(uint64_t version, uint64_t compatible, dv_error *err)
{
    const uint64_t v1 = DVI_IDV_VERSION(1), v6 = DVI_IDV_VERSION(6);
    DVI_REQUIRE(compatible <= version,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:H3", 8, "version",
                         "at least the compatible version %s|%s", dvi_idv_version(compatible).text,
                         dvi_idv_version(version).text));
    DVI_REQUIRE(version >= v1, dvi_fail(err, DV_ERR_CORRUPT, "idv:H4", 8, "version",
                                        "at least 1.1.1.1|%s", dvi_idv_version(version).text));
    DVI_REQUIRE(has_known_toc(version, compatible),
                dvi_fail(err, DV_ERR_UNSUPPORTED, "idv:H5", 16, "compatible version",
                         "at least 1.1.1.4, or %s itself|%s", dvi_idv_version(version).text,
                         dvi_idv_version(compatible).text));
    DVI_REQUIRE(compatible <= v6,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "idv:H6", 16, "compatible version",
                         "at most 1.1.1.6: the file needs a newer reader|%s",
                         dvi_idv_version(compatible).text));
    return DV_OK;
}

static dv_status check_tail(dvi_map *map, int64_t tail, dvi_memory **memory, dv_error *err)
{
    dvi_span span;
    DVI_TRY(dvi_map_copy(map, tail, 8, memory, &span, err));
    const uint64_t signature = dvi_load_u64(span.data);
    DVI_REQUIRE(signature == DVI_IDV_TAIL_SIGNATURE,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:H12", tail, "tail signature",
                         "%016" PRIx64 "|%016" PRIx64 ": cut off or overwritten",
                         __builtin_bswap64(DVI_IDV_TAIL_SIGNATURE), __builtin_bswap64(signature)));
    return DV_OK;
}

static dv_status parse(dvi_map *map, dvi_idv_header *h, dvi_memory **memory, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map);
    DVI_REQUIRE(nbytes >= DVI_IDV_HEADER_NBYTES,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:H1", nbytes, "header",
                         "256 bytes|a file of %" PRId64, nbytes));
    dvi_span span;
    DVI_TRY(dvi_map_copy(map, 0, DVI_IDV_HEADER_NBYTES, memory, &span, err));
    dvi_reader r = dvi_reader_of(span.data, span.nbytes, 0, false);

    const uint64_t signature = dvi_read_u64_le(&r);
    DVI_REQUIRE(signature == DVI_IDV_SIGNATURE,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:H2", 0, "signature",
                         "%016" PRIx64 "|%016" PRIx64 ": not a binary data view file",
                         __builtin_bswap64(DVI_IDV_SIGNATURE), __builtin_bswap64(signature)));
    h->version = dvi_read_u64_le(&r);
    h->compatible = dvi_read_u64_le(&r);
    h->toc = dvi_read_i64_le(&r);
    h->tail = dvi_read_i64_le(&r);
    h->rows = dvi_read_i64_le(&r);
    h->columns = dvi_read_i32_le(&r);

    DVI_TRY(check_versions(h->version, h->compatible, err));
    DVI_REQUIRE_IN(err, h->rows, 0, INT64_MAX, "idv:H7", 40, "row count");
    DVI_REQUIRE_IN(err, h->columns, 0, INT32_MAX, "idv:H8", 48, "column count");
    if (h->columns > 0)
        DVI_REQUIRE_IN(err, h->toc, DVI_IDV_HEADER_NBYTES, INT64_MAX, "idv:H9", 24, "TOC offset");
    DVI_REQUIRE_IN(err, h->tail, DVI_IDV_HEADER_NBYTES, INT64_MAX, "idv:H10", 32, "tail offset");
    DVI_REQUIRE(h->tail <= nbytes - 8,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:H11", 32, "tail offset",
                         "at most %" PRId64 "|%" PRId64 ": is the file cut off?", nbytes - 8,
                         h->tail));
    if (h->toc >= DVI_IDV_HEADER_NBYTES && h->toc <= h->tail && h->tail - h->toc <= TOC_NBYTES)
        dvi_map_announce(map, &(dvi_range){h->toc, h->tail + 8 - h->toc}, 1);
    DVI_TRY(check_tail(map, h->tail, memory, err));
    if (h->columns == 0)
        return DV_OK;
    DVI_REQUIRE(h->toc <= h->tail,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:H9", 24, "TOC offset",
                         "at most the tail offset %" PRId64 "|%" PRId64, h->tail, h->toc));
    DVI_REQUIRE_IN(err, h->columns, 0, (h->tail - h->toc) / least_column_nbytes(h->version),
                   "idv:H8", 48, "column count");
    return DV_OK;
}

dv_status dvi_idv_read_header(dvi_map *map, dvi_idv_header *header_out, dv_error *err)
{
    dvi_memory *memory = NULL;
    const dv_status status = parse(map, header_out, &memory, err);
    dvi_memory_release(&memory);
    return status;
}
