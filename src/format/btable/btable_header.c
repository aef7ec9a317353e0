/* SPDX-License-Identifier: MIT */
/* btable_header.c: reads and checks the header (btable:1, btable:2, btable:7). */
#include "base/size.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

static dv_status parse(dvi_map *map, int64_t *units_out, dvi_memory **memory, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map);
    DVI_REQUIRE(nbytes >= 8, dvi_fail(err, DV_ERR_CORRUPT, "btable:HDR_TRUNC", nbytes, "header",
                                      "8 bytes|a file of %" PRId64, nbytes));
    dvi_span span;
    DVI_TRY(dvi_map_span(map, 0, 8, memory, &span, err));
    const int32_t version = dvi_load_i32_be(span.data);
    const int64_t units = dvi_load_i32_be(span.data + 4);
    DVI_REQUIRE(version == 0, dvi_fail(err, DV_ERR_UNSUPPORTED, "btable:VERSION", 0, "version",
                                       "0|%" PRId32, version));
    DVI_REQUIRE_IN(err, units, 0, INT32_MAX, "btable:LABEL_LEN", 4, "length of the labels");
    DVI_REQUIRE_IN(err, units, 0, (nbytes - 8) / 2, "btable:LABEL_TRUNC", 4,
                   "length of the labels");
    *units_out = units;
    return DV_OK;
}

static dv_status check_labels(const dvi_btable_labels *labels, bool is_lenient, dv_error *err)
{
    DVI_REQUIRE(labels->ill_formed == 0 || is_lenient,
                dvi_fail(err, DV_ERR_CORRUPT, "btable:LABEL_UTF16", 8 + 2 * labels->ill_formed_unit,
                         "labels",
                         "well-formed UTF-16 (option lenient replaces it)|a lone surrogate"));
    /* The number of slots has 32 bits; only labels that are nearly all empty exceed it. */
    DVI_REQUIRE(labels->separators < INT32_MAX,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "btable:14", 4, "labels",
                         "at most 2^31-1|%" PRId64, labels->separators + 1));
    return DV_OK;
}

dv_status dvi_btable_read_header(dvi_map *map, const dv_open_options *options,
                                 dvi_btable_header *header_out, dv_error *err)
{
    dvi_memory *memory = NULL;
    int64_t units = 0;
    const dv_status status = parse(map, &units, &memory, err);
    dvi_memory_release(&memory);
    DVI_TRY(status);

    dvi_btable_labels labels = {0};
    DVI_TRY(dvi_btable_labels_read(&labels, map, units, err));
    DVI_TRY(check_labels(&labels, options->lenient, err));
    *header_out = (dvi_btable_header){
        .units = units,
        .nbytes = 8 + 2 * units,
        .slots = (int32_t)(labels.separators + 1),
        .utf8_nbytes = labels.utf8_nbytes,
        .ill_formed = labels.ill_formed,
        .ill_formed_at = 8 + 2 * labels.ill_formed_unit,
        .has_comma = labels.has_comma,
    };
    return DV_OK;
}
