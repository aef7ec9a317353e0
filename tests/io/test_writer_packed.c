/* SPDX-License-Identifier: MIT */
/* test_writer_packed.c: a compressed file unpacks to what was written, whole or not at all. */
#include "io/pack.h"
#include "io/pack_priv.h"
#include "io/writer.h"
#include "support/allocator.h"
#include "support/faults.h"
#include "support/file.h"
#include "support/saves.h"
#include "support/test.h"
#include "support/written.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const dvi_packing packings[] = {DVI_PACKING_GZIP, DVI_PACKING_ZSTD};

/* Can this build compress so? */
static bool can_pack(dvi_packing packing)
{
    return packing == DVI_PACKING_GZIP ? dvi_pack_gzip : dvi_pack_zstd;
}

/* Bytes, and by how many at a time they are written. */
typedef struct job {
    const uint8_t *data;
    size_t nbytes, piece;
    dvi_packing packing;
    dvt_allocator *allocator; /* NULL: malloc */
} job;

static dv_status write_pieces(const job *j, dvi_writer *writer, dv_error *err)
{
    dv_status status = dvi_writer_pack(writer, j->packing, err);
    for (size_t at = 0; at < j->nbytes && status == DV_OK; at += j->piece) {
        const size_t left = j->nbytes - at;
        status = dvi_writer_write(writer, j->data + at, left < j->piece ? left : j->piece, err);
    }
    return status == DV_OK ? dvi_writer_commit(writer, err) : status;
}

static dv_status save(void *ctx, const char *path, dv_error *err)
{
    const job *j = ctx;
    dvi_writer *writer;
    dv_status status =
        dvi_writer_create(&writer, path, true, j->allocator ? &j->allocator->allocator : NULL, err);
    if (status == DV_OK)
        status = write_pieces(j, writer, err);
    dvi_writer_close(&writer);
    return status;
}

/* Bytes of which some repeat: less than half is left of them. */
static uint8_t *half_random(size_t n)
{
    uint8_t *data = dvt_pattern(n);
    for (size_t i = 0; i < n; i++)
        if (i / 64 % 2)
            data[i] = (uint8_t)(i % 7);
    return data;
}

static void expect_unpacked(dvi_map *map, const job *j)
{
    dv_error err = DV_ERROR_INIT;
    dvi_memory *memory = NULL;
    dvi_map *reading;
    int64_t end;
    size_t at = 0;
    cr_assert_eq(dvi_map_begin_reading(map, false, &reading, &err), DV_OK, "%s", err.message);
    while (at < j->nbytes) {
        dvi_span span;
        cr_assert_eq(dvi_map_reach(reading, (int64_t)at + 1, &end, &err), DV_OK, "%s", err.message);
        cr_assert_gt(end, (int64_t)at);
        const size_t n = (size_t)end - at < MIB ? (size_t)end - at : MIB;
        cr_assert_eq(dvi_map_copy(reading, (int64_t)at, n, &memory, &span, &err), DV_OK, "%s",
                     err.message);
        cr_assert_eq(memcmp(span.data, j->data + at, n), 0, "bytes from %zu on", at);
        at += n;
    }
    cr_expect_eq(dvi_map_reach(reading, (int64_t)j->nbytes, &end, &err), DV_OK, "%s", err.message);
    cr_expect_eq(end, (int64_t)j->nbytes);
    dvi_memory_release(&memory);
    dvi_map_release(&reading);
}

static void expect_file_unpacks(const dvt_path *path, const job *j)
{
    dv_error err = DV_ERROR_INIT;
    dvi_map *stored, *map;
    cr_assert_eq(dvi_map_open(&stored, path->text, DV_IO_AUTO, NULL, &err), DV_OK);
    cr_assert_eq(dvi_map_open_packed(&map, stored, j->packing, 8 * MIB, &err), DV_OK, "%s",
                 err.message);
    expect_unpacked(map, j);
    dvi_map_release(&map);
    dvi_map_release(&stored);
}

/* The file depends on the bytes alone, not on the pieces in which they come. */
Test(writer_packed, unpacks_to_what_was_written)
{
    static const size_t sizes[] = {0, 1, 1000, MIB - 1, MIB, MIB + 1, 3 * MIB + 12345};
    static const size_t pieces[] = {64 << 10, 777, MIB - 1, 2 * MIB};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    uint8_t *data = half_random(4 * MIB);
    for (size_t k = 0; k < COUNT(packings); k++) {
        for (size_t i = 0; i < COUNT(sizes) && can_pack(packings[k]); i++) {
            size_t first_nbytes = 0;
            uint8_t *first = NULL;
            for (size_t p = 0; p < COUNT(pieces); p++) {
                dv_error err = DV_ERROR_INIT;
                job j = {data, sizes[i], pieces[p], packings[k], NULL};
                cr_assert_eq(save(&j, path.text, &err), DV_OK, "%s", err.message);
                expect_file_unpacks(&path, &j);
                if (!first)
                    first = dvt_file_read(path.text, &first_nbytes);
                cr_expect(dvt_file_holds(&path, first, first_nbytes), "%zu bytes by %zu", sizes[i],
                          pieces[p]);
            }
            cr_expect(sizes[i] < MIB || first_nbytes < sizes[i] * 3 / 4, "%zu", first_nbytes);
            free(first);
        }
    }
    free(data);
    dvt_folder_remove(&folder);
}

/* The header of gzip: no flags, no time. */
Test(writer_packed, has_no_time_and_no_name)
{
    static const uint8_t head[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    job j = {head, sizeof head, 5, DVI_PACKING_GZIP, NULL};
    if (can_pack(DVI_PACKING_GZIP)) {
        size_t n;
        cr_assert_eq(save(&j, path.text, NULL), DV_OK);
        uint8_t *bytes = dvt_file_read(path.text, &n);
        cr_assert_gt(n, sizeof head);
        cr_expect_eq(memcmp(bytes, head, sizeof head), 0);
        free(bytes);
    }
    dvt_folder_remove(&folder);
}

/* The writer maps the bytes so far, uncompressed, and then commits them. */
Test(writer_packed, is_read_before_it_is_committed)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    uint8_t *data = half_random(2 * MIB);
    for (size_t k = 0; k < COUNT(packings); k++) {
        dv_error err = DV_ERROR_INIT;
        dvi_writer *writer;
        dvi_map *map;
        job j = {data, 2 * MIB, MIB, packings[k], NULL};
        if (!can_pack(packings[k]))
            continue;
        cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK);
        cr_assert_eq(dvi_writer_pack(writer, packings[k], &err), DV_OK);
        cr_expect(dvi_writer_is_packed(writer));
        cr_assert_eq(dvi_writer_write(writer, data, j.nbytes, &err), DV_OK);
        cr_expect_eq(dvi_writer_offset(writer), (int64_t)j.nbytes);
        cr_assert_eq(dvi_writer_map(writer, &map, &err), DV_OK, "%s", err.message);
        expect_unpacked(map, &j);
        dvi_map_release(&map);
        cr_assert_eq(dvi_writer_commit(writer, &err), DV_OK, "%s", err.message);
        dvi_writer_close(&writer);
        expect_file_unpacks(&path, &j);
    }
    free(data);
    dvt_folder_remove(&folder);
}

Test(writer_packed, each_allocation_may_fail)
{
    uint8_t *data = half_random(2 * MIB);
    for (size_t k = 0; k < COUNT(packings); k++) {
        dvt_path folder = dvt_folder_create();
        const dvt_path path = dvt_path_in(&folder, "out.bin");
        dv_status status = can_pack(packings[k]) ? DV_ERR_MEMORY : DV_OK;
        int64_t at = 0;
        while (status != DV_OK) {
            dv_error err = DV_ERROR_INIT;
            dvt_allocator counted;
            dvt_allocator_init(&counted, ++at);
            job j = {data, 2 * MIB, 100000, packings[k], &counted};
            status = save(&j, path.text, &err);
            cr_assert(status == DV_OK || status == DV_ERR_MEMORY, "%s", err.message);
            cr_expect_eq(counted.live, 0);
            cr_expect_eq(dvt_folder_entries(&folder), status == DV_OK);
        }
        cr_expect(!can_pack(packings[k]) || at > 3, "%d", (int)at);
        dvt_folder_remove(&folder);
    }
    free(data);
}

/* --- The disk --------------------------------------------------------------------------------- */

static void check_each(dvi_packing packing, dvt_fault fault, int os_code)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    uint8_t *data = half_random(600000);
    size_t nbytes;
    job j = {data, 600000, 100000, packing, NULL};
    cr_assert_eq(save(&j, path.text, NULL), DV_OK);
    uint8_t *packed = dvt_file_read(path.text, &nbytes);
    const dvt_saves saves = {save, &j, packed, nbytes};
    const char *wrong = fault == DVT_FAULT_KILL
                            ? dvt_saves_check_kills(&saves, NULL)
                            : dvt_saves_check_faults(&saves, fault, os_code, NULL);
    cr_expect_null(wrong, "%s", wrong);
    free(packed);
    free(data);
    dvt_folder_remove(&folder);
}

static const struct {
    dvt_fault fault;
    int os_code;
} faults[] = {{DVT_FAULT_ERROR, EIO}, {DVT_FAULT_ERROR, ENOSPC}, {DVT_FAULT_ERROR, EINTR},
              {DVT_FAULT_FROM, EIO},  {DVT_FAULT_SHORT, 0},      {DVT_FAULT_KILL, 0}};

Test(writer_packed, is_the_old_or_the_new_file)
{
    for (size_t k = 0; k < COUNT(packings); k++)
        for (size_t i = 0; i < COUNT(faults) && can_pack(packings[k]); i++)
            check_each(packings[k], faults[i].fault, faults[i].os_code);
}

/* --- Names ------------------------------------------------------------------------------------ */

Test(writer_packed, follows_the_name)
{
    static const struct {
        const char *path;
        dvi_packing packing;
        size_t stem_nbytes;
    } cases[] = {
        {"x.csv.gz", DVI_PACKING_GZIP, 5}, {"X.CSV.GZ", DVI_PACKING_GZIP, 5},
        {"x.zst", DVI_PACKING_ZSTD, 1},    {"x.csv", DVI_PACKING_NONE, 5},
        {".gz", DVI_PACKING_NONE, 3},      {"", DVI_PACKING_NONE, 0},
        {"x.gz.csv", DVI_PACKING_NONE, 8}, {"xgz", DVI_PACKING_NONE, 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n;
        cr_expect_eq(dvi_packing_of_path(cases[i].path, &n), cases[i].packing, "%s", cases[i].path);
        cr_expect_eq(n, cases[i].stem_nbytes, "%s", cases[i].path);
    }
}
