/* SPDX-License-Identifier: MIT */
/* fuzz_packed.c: unpacks any bytes as gzip or zstd: memory is bounded, and every way of reading
 * gives the same bytes and the same failure; and any bytes that are packed come out as they were.
 *
 * An input is a packed file; or a byte under ' ', the packing and the size of members, then bytes.
 */
#include "io/unpack.h"
#include "meter.h"
#include "reading.h"
#include "support/packed.h"
#include <dataview/open.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 16,  /* larger inputs are ignored */
    MOST_NBYTES = 1 << 20,  /* of what is unpacked; */
    USUAL_NBYTES = 1 << 16, /* all of it for one input in four */
    WINDOW_NBYTES = 1 << 20,
    SPAN_NBYTES = 1 << 17 /* read at a time */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What a way of reading found. */
typedef struct outcome {
    dv_status status;
    int64_t offset, nbytes;
} outcome;

/* What the first way of reading found, or what was packed. */
static uint8_t first_bytes[MOST_NBYTES + SPAN_NBYTES];
static int64_t first_nbytes;
static int64_t most_nbytes; /* that are read of this input */

static void compare(int64_t at, const dvi_span *span)
{
    const int64_t left = first_nbytes - at, n = (int64_t)span->nbytes;
    if (left > 0)
        DVT_CHECK(memcmp(first_bytes + at, span->data, (size_t)(left < n ? left : n)) == 0);
}

/* Keep the bytes that are read, or compare them with those that were kept. */
static outcome read_all(dvi_map *map, int64_t each, bool keeps, dv_error *err)
{
    outcome o = {DV_OK, -1, 0};
    dvi_memory *memory = NULL;
    while (o.status == DV_OK && o.nbytes < most_nbytes) {
        int64_t end;
        dvi_span span;
        o.status = dvi_map_reach(map, o.nbytes + each - 1, &end, err);
        const int64_t n = end - o.nbytes < each ? end - o.nbytes : each;
        if (n <= 0)
            break;
        DVT_CHECK(dvi_map_span(map, o.nbytes, (size_t)n, &memory, &span, NULL) == DV_OK);
        if (keeps)
            memcpy(first_bytes + o.nbytes, span.data, span.nbytes);
        else
            compare(o.nbytes, &span);
        o.nbytes += n;
    }
    dvi_memory_release(&memory);
    if (o.status < 0)
        o.offset = err->offset;
    return o;
}

static void check_error(const dv_error *err, size_t n)
{
    DVT_CHECK(err->status == DV_ERR_CORRUPT || err->status == DV_ERR_LIMIT ||
              err->status == DV_ERR_UNSUPPORTED);
    DVT_CHECK(err->offset >= 0 && err->offset <= (int64_t)n);
    DVT_CHECK(*err->expected && *err->found && *err->rule && strcmp(err->file, "input") == 0);
}

static outcome unpack(const uint8_t *data, size_t n, dvi_packing packing, dv_io io, bool is_ahead,
                      int64_t each, bool keeps)
{
    dvt_meter meter = {.most_nbytes = MOST_NBYTES + (5 << 20)};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    dvi_map *stored, *map, *reading;
    dv_error err = DV_ERROR_INIT;
    outcome o = {DV_OK, -1, 0};
    DVT_CHECK(dvi_map_open_memory(&stored, data, n, NULL, NULL, "input", io, &allocator, &err) ==
              DV_OK);
    o.status = dvi_map_open_packed(&map, stored, packing, WINDOW_NBYTES, &err);
    dvi_map_release(&stored);
    if (o.status == DV_OK) {
        DVT_CHECK(dvi_map_begin_reading(map, is_ahead, &reading, &err) == DV_OK);
        o = read_all(reading, each, keeps, &err);
        dvi_map_release(&reading);
    }
    dvi_map_release(&map);
    if (o.status < 0)
        check_error(&err, n);
    DVT_CHECK(meter.live_nbytes == 0);
    return o;
}

static bool is_same(const outcome *a, const outcome *b)
{
    return a->status == b->status && a->offset == b->offset && a->nbytes == b->nbytes;
}

static void check_ways(const uint8_t *data, size_t n, dvi_packing packing)
{
    static const struct {
        dv_io io;
        bool is_ahead;
        int64_t each;
    } ways[] = {{DV_IO_MMAP, true, 65536}, {DV_IO_PREAD, false, 70001}, {DV_IO_MMAP, false, 4096}};
    const outcome first = unpack(data, n, packing, DV_IO_MMAP, false, 65536, true);
    first_nbytes = first.nbytes;
    for (size_t i = n % 2; i < sizeof ways / sizeof *ways; i++) { /* a thread reads far ahead */
        const outcome other =
            unpack(data, n, packing, ways[i].io, ways[i].is_ahead, ways[i].each, false);
        /* bytes that were not asked for may hide a failure after the most that is read */
        DVT_CHECK(is_same(&first, &other) || first.nbytes >= most_nbytes);
    }
}

static void check_packed(const uint8_t *data, size_t n)
{
    const dvt_packing packing = (dvt_packing)(data[0] % DVT_PACKINGS);
    const size_t each = (size_t)1 << (data[0] / DVT_PACKINGS);
    dvt_lines packed = {0};
    const outcome want = {DV_OK, -1, (int64_t)n - 1};
    memcpy(first_bytes, data + 1, n - 1);
    first_nbytes = want.nbytes;
    for (size_t at = 1; at < n || at == 1; at += each)
        dvt_pack(&packed, packing, data + at, n - at < each ? n - at : each);
    const dvi_packing found = dvi_packing_of((const uint8_t *)packed.data, packed.nbytes);
    DVT_CHECK(found == (packing == DVT_GZIP ? DVI_PACKING_GZIP : DVI_PACKING_ZSTD));
    const outcome got =
        unpack((const uint8_t *)packed.data, packed.nbytes, found, DV_IO_MMAP, true, 65536, false);
    DVT_CHECK(is_same(&got, &want));
    dvt_lines_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const dvi_packing packing = dvi_packing_of(data, n);
    most_nbytes = n % 4 == 2 ? MOST_NBYTES : USUAL_NBYTES;
    if (n == 0 || n > FILE_NBYTES || !dvt_can_unpack(DVT_GZIP) || !dvt_can_unpack(DVT_ZSTD))
        return 0;
    if (packing != DVI_PACKING_NONE)
        check_ways(data, n, packing);
    else if (data[0] < ' ' && n < 4096)
        check_packed(data, n);
    return 0;
}
