/* SPDX-License-Identifier: MIT */
/* fuzz_msgpack_json.c: any bytes as a value of msgpack: the pieces that the public reader gives are
 * the value that it skips; an array of numpy has the bytes that it claims; and the JSON is JSON,
 * not much larger than the value, for just the bytes that are one sound value. */
#include "base/arena.h"
#include "meter.h"
#include "support/json_tree.h"
#include "support/lines.h"
#include <dataview/msgpack.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUE_NBYTES = 1 << 14, /* larger inputs are not looked at */
    DEPTH_MOST = 60,        /* of values that the parser of JSON takes */
    GROWTH = 512            /* bytes of JSON per byte: names of fields are written for each item */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The pieces of one value: how many containers are around the deepest; -1: it is broken. */
static int read_pieces(dv_msgpack_reader *reader)
{
    static uint64_t left[VALUE_NBYTES + 2];
    int depth = 0, deepest = 0;
    left[0] = 1;
    while (depth >= 0) {
        dv_msgpack_item item;
        dv_error err = DV_ERROR_INIT;
        const dv_status status = dv_msgpack_next(reader, &item, &err);
        DVT_CHECK(status == DV_OK || status == DV_END || status == DV_ERR_CORRUPT);
        if (status != DV_OK)
            return -1;
        left[depth]--;
        if (item.kind == DV_MSGPACK_ARRAY || item.kind == DV_MSGPACK_MAP)
            left[++depth] = (uint64_t)item.count << (item.kind == DV_MSGPACK_MAP);
        deepest = depth > deepest ? depth : deepest;
        while (depth >= 0 && left[depth] == 0)
            depth--;
    }
    return deepest;
}

static void check_numpy(const uint8_t *data, size_t n)
{
    dv_msgpack_reader reader;
    dv_msgpack_numpy numpy;
    dv_error err = DV_ERROR_INIT;
    dv_msgpack_start(&reader, data, n);
    const uint8_t *before = reader.at;
    const dv_status status = dv_msgpack_read_numpy(&reader, &numpy, &err);
    if (status != DV_OK) {
        DVT_CHECK(reader.at == before);
        return;
    }
    DVT_CHECK(reader.at > before && reader.at <= data + n);
    if (numpy.is_complex)
        return;
    const uint8_t *start = (const uint8_t *)numpy.data.data;
    DVT_CHECK(numpy.data.nbytes == 0 || !start ||
              (start > data && start + numpy.data.nbytes <= data + n));
    int64_t items = 1;
    for (int32_t i = 0; i < numpy.rank; i++)
        items *= numpy.dims[i];
    DVT_CHECK(items == numpy.items);
}

/* Lists and objects around the deepest value, brackets in texts included. */
static int nesting_of(const dvt_lines *json)
{
    int depth = 0, deepest = 0;
    for (size_t i = 0; i < json->nbytes; i++) {
        depth += (json->data[i] == '[' || json->data[i] == '{') -
                 (json->data[i] == ']' || json->data[i] == '}');
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void check_json(const uint8_t *data, size_t n, bool is_sound)
{
    dvt_lines json = {0};
    dvi_arena arena;
    dv_error err = DV_ERROR_INIT;
    const dv_sink sink = dvt_lines_sink(&json);
    const dv_status status = dv_msgpack_write_json(data, n, &sink, &err);
    DVT_CHECK((status == DV_OK) == (is_sound || n == 0));
    if (status < 0)
        DVT_CHECK(json.nbytes == 0 && *err.message);
    DVT_CHECK(json.nbytes <= GROWTH * n + 1024);
    if (status == DV_OK && nesting_of(&json) <= DEPTH_MOST) {
        dvi_arena_init(&arena, NULL);
        DVT_CHECK(dvt_json_parse(&arena, dvt_lines_text(&json)));
        dvi_arena_free(&arena);
    }
    dvt_lines_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > VALUE_NBYTES)
        return 0;
    uint8_t *copy = calloc(1, n + !n); /* exact size: ASan sees one byte too far */
    if (n > 0)
        memcpy(copy, data, n);
    dv_msgpack_reader skipped, read;
    dv_error err = DV_ERROR_INIT;
    dv_msgpack_start(&skipped, copy, n);
    read = skipped;
    const dv_status status = dv_msgpack_skip(&skipped, &err);
    const int depth = n > 0 ? read_pieces(&read) : -1;
    if (status == DV_OK)
        DVT_CHECK(depth >= 0 && depth <= DV_MSGPACK_NESTING && read.at == skipped.at);
    check_numpy(copy, n);
    check_json(copy, n, status == DV_OK && skipped.at == skipped.end);
    free(copy);
    return 0;
}
