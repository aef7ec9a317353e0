/* SPDX-License-Identifier: MIT */
/* datadings_files.c: opens the files of a set, and reads the offsets of its samples (datadings:1,
 * datadings:2.1). */
#include "format/datadings/index/datadings_files.h"
#include "base/alloc.h"
#include "simd/dispatch.h"
#include "view/identity.h"
#include "format/datadings/index/datadings_files_priv.h"
#include <inttypes.h>
#include <string.h>

/* --- Opening ---------------------------------------------------------------------------------- */

static dvi_map *file_of(const dvi_datadings_set *set, dvi_datadings_side file)
{
    return set->maps.file[file];
}

/* Open all side files, and check that they belong to the open D: a writer that replaces a set
 * removes the old side files before it replaces D, and adds the new ones after that. */
static dv_status open_sides(dvi_datadings_maps *maps, const dvi_map *data,
                            const dv_open_options *options, dv_error *err)
{
    for (int file = 0; file < DVI_DATADINGS_FILES; file++)
        DVI_TRY(dvi_map_open_beside(&maps->file[file], data,
                                    dvi_datadings_suffix((dvi_datadings_side)file), options->io,
                                    options->allocator, err));
    return dvi_map_is_file(data) ? dvi_map_check_name(data, err) : DV_OK;
}

static void release_maps(dvi_datadings_maps *maps)
{
    for (int file = 0; file < DVI_DATADINGS_FILES; file++)
        dvi_map_release(&maps->file[file]);
}

void dvi_datadings_set_close(dvi_datadings_set **set)
{
    dvi_datadings_set *s = *set;
    *set = NULL;
    if (!s)
        return;
    const dv_allocator allocator = s->allocator;
    dvi_key_table_free(&s->table);
    dvi_memory_release(&s->filter);
    dvi_free(&allocator, s->list.key_offsets,
             s->list.key_offsets_cap * sizeof *s->list.key_offsets);
    dvi_free(&allocator, s->starts, s->starts_cap * sizeof *s->starts);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->table_lock);
    release_maps(&s->maps);
    dvi_map_release(&s->data);
    dvi_free(&allocator, s, sizeof *s);
}

/* A set without offsets or keys is incomplete, as after a crash of its writer. */
static dv_status check_complete(const dvi_datadings_set *set, dv_error *err)
{
    const bool has_offsets = file_of(set, DVI_DATADINGS_OFFSETS) != NULL;
    const bool has_keys = file_of(set, DVI_DATADINGS_KEYS) != NULL;
    if (file_of(set, DVI_DATADINGS_LEGACY) || (has_offsets && has_keys))
        return DV_OK;
    return dvi_fail(err, DV_ERR_CORRUPT, "datadings:1.1", -1, "set",
                    ".offsets and .keys beside it (or the option scan)|no %s",
                    has_offsets ? ".keys"
                    : has_keys  ? ".offsets"
                                : "side file");
}

/* Compare the end of the last sample, according to .offsets, with the size of D. */
static dv_status check_end(const dvi_datadings_set *set, uint64_t end, int64_t at, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(set->data);
    DVI_REQUIRE(end <= INT64_MAX, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.6", at,
                                           "end of the last sample", "below 2^63|%" PRIu64, end));
    DVI_REQUIRE((int64_t)end <= nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.4", at, "end of the last sample",
                         "at most the %" PRId64 " bytes of data|%" PRIu64, nbytes, end));
    DVI_REQUIRE((int64_t)end == nbytes || set->options.lenient,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.5", at, "end of the last sample",
                         "the %" PRId64 " bytes of data (option lenient)|%" PRIu64, nbytes, end));
    return DV_OK;
}

/* Read the first and the last number of .offsets. */
static dv_status read_ends(dvi_datadings_set *set, dvi_map *map, dvi_memory **memory, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map);
    dvi_span span;
    DVI_REQUIRE(nbytes > 0 && nbytes % 8 == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.1", nbytes, "size",
                         "a multiple of 8, but not 0|%" PRId64 " bytes", nbytes));
    DVI_TRY(dvi_map_copy(map, nbytes - 8, 8, memory, &span, err)); /* to map it takes longer */
    const uint64_t end = dvi_load_u64_be(span.data);
    DVI_TRY(dvi_map_copy(map, 0, 8, memory, &span, err));
    const uint64_t first = dvi_load_u64_be(span.data);
    DVI_REQUIRE(first == 0, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.2", 0,
                                     "start of the first sample", "0|%" PRIu64, first));
    DVI_TRY(check_end(set, end, nbytes - 8, err));
    set->rows = nbytes / 8 - 1;
    set->end = (int64_t)end;
    return DV_OK;
}

static dv_status open_offsets(dvi_datadings_set *set, dvi_map *map, dv_error *err)
{
    dvi_memory *memory = NULL;
    const dv_status status = read_ends(set, map, &memory, err);
    dvi_memory_release(&memory);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    return status;
}

/* Is there one key per sample? */
static dv_status check_rows(const dvi_datadings_set *set, const dvi_map *map, int64_t rows,
                            dv_error *err)
{
    if (rows == set->rows)
        return DV_OK;
    dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.7", 0, "keys",
             "%" PRId64 ", one per sample|%" PRId64, set->rows, rows);
    dvi_error_set_file(err, dvi_map_name(map));
    return DV_ERR_CORRUPT;
}

/* Open the list of keys: .keys, or .index, which also lists offsets. */
static dv_status open_list(dvi_datadings_set *set, dv_error *err)
{
    dvi_map *keys = file_of(set, DVI_DATADINGS_KEYS), *legacy = file_of(set, DVI_DATADINGS_LEGACY);
    const bool has_offsets = file_of(set, DVI_DATADINGS_OFFSETS) != NULL;
    int64_t rows;
    if (!has_offsets || !keys) {
        DVI_TRY(dvi_datadings_list_open(&set->list, legacy, true, &rows, err));
        set->rows = has_offsets ? set->rows : rows;
        DVI_TRY(check_rows(set, legacy, rows, err));
    }
    if (!keys)
        return DV_OK;
    dvi_datadings_list list = {0};
    DVI_TRY(dvi_datadings_list_open(&list, keys, false, &rows, err));
    if (!set->list.map)
        set->list = list;
    return check_rows(set, keys, rows, err);
}

/* Read and check what does not depend on the number of samples. */
static dv_status open_files(dvi_datadings_set *set, dv_error *err)
{
    dvi_map *offsets = file_of(set, DVI_DATADINGS_OFFSETS);
    DVI_TRY(check_complete(set, err));
    if (offsets)
        DVI_TRY(open_offsets(set, offsets, err));
    DVI_TRY(open_list(set, err));
    if (offsets)
        return DV_OK;
    set->end = dvi_map_nbytes(set->data);
    DVI_REQUIRE(set->rows > 0 || set->end == 0 || set->options.lenient,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.5", 0, "data",
                         "0 bytes, without samples (option lenient)|%" PRId64, set->end));
    set->end = set->rows > 0 ? set->end : 0;
    return DV_OK;
}

dv_status dvi_datadings_set_of_maps(dvi_datadings_set **set_out, dvi_map *data,
                                    dvi_datadings_maps *maps, const dv_open_options *options,
                                    bool scan, dv_error *err)
{
    void *made = NULL;
    dv_status status = dvi_alloc_zeroed(options->allocator, &made, sizeof **set_out, err);
    *set_out = NULL;
    if (status < 0) {
        release_maps(maps);
        return status;
    }
    dvi_datadings_set *set = made;
    set->allocator = dvi_allocator_of(options->allocator);
    set->options = *options;
    set->options.allocator = &set->allocator; /* the caller may free its own */
    set->data = data;
    dvi_map_retain(data);
    set->maps = *maps;
    *maps = (dvi_datadings_maps){{NULL}};
    set->is_scanned = scan;
    pthread_mutex_init(&set->lock, NULL);
    pthread_mutex_init(&set->table_lock, NULL);
    dvi_key_table_init(&set->table, &set->allocator);
    status = scan ? dvi_datadings_scan(set, err) : open_files(set, err);
    if (status < 0)
        dvi_datadings_set_close(&set);
    *set_out = set;
    return status;
}

dv_status dvi_datadings_set_open(dvi_datadings_set **set_out, dvi_map *data,
                                 const dv_open_options *options, bool scan, dv_error *err)
{
    dvi_datadings_maps maps = {{NULL}};
    const bool is_alone = scan || !dvi_map_has_name(data);
    dv_status status = is_alone ? DV_OK : open_sides(&maps, data, options, err);
    *set_out = NULL;
    if (status == DV_OK)
        return dvi_datadings_set_of_maps(set_out, data, &maps, options, is_alone, err);
    release_maps(&maps);
    return status;
}

int64_t dvi_datadings_rows(const dvi_datadings_set *set)
{
    return set->rows;
}

dv_status dvi_datadings_identify_files(const dvi_datadings_set *set, dv_identity *identity,
                                       dv_error *err)
{
    static const dvi_datadings_side identifying[] = {DVI_DATADINGS_OFFSETS, DVI_DATADINGS_KEYS,
                                                     DVI_DATADINGS_LEGACY};
    dvi_identity_add_i8(identity, set->is_scanned);
    DVI_TRY(dvi_identity_add_map(identity, set->data, err));
    for (size_t i = 0; i < sizeof identifying / sizeof *identifying; i++) {
        dvi_map *side = file_of(set, identifying[i]);
        dvi_identity_add_i8(identity, side != NULL);
        if (side)
            DVI_TRY(dvi_identity_add_map(identity, side, err));
    }
    return DV_OK;
}

/* --- Offsets of samples ----------------------------------------------------------------------- */

/* Read numbers of .offsets, unchecked. */
static dv_status load_offsets(dvi_datadings_set *set, int64_t row, size_t n, int64_t *offsets_out,
                              dvi_memory **memory, dv_error *err)
{
    dvi_span span;
    DVI_TRY(dvi_map_span(file_of(set, DVI_DATADINGS_OFFSETS), 8 * row, 8 * (n + 1), memory, &span,
                         err));
    dvi_kernels()->swap_8((uint64_t *)offsets_out, span.data, n + 1);
    return DV_OK;
}

/* Copy offsets of .index, which is read as far as needed, or of a scan. */
static dv_status copy_starts(dvi_datadings_set *set, int64_t row, size_t n, int64_t *offsets_out,
                             dv_error *err)
{
    const int64_t after = row + (int64_t)n;
    pthread_mutex_lock(&set->lock);
    const dv_status status =
        set->is_scanned ? DV_OK
                        : dvi_datadings_list_advance(set, dvi_min_i64(after + 1, set->rows), err);
    if (status == DV_OK)
        for (size_t i = 0; i <= n; i++)
            offsets_out[i] =
                row + (int64_t)i < set->rows ? set->starts[row + (int64_t)i] : set->end;
    pthread_mutex_unlock(&set->lock);
    return status;
}

/* Check the start and the end of a sample. */
static dv_status check_sample(const dvi_datadings_set *set, int64_t row, const int64_t ends[2],
                              dv_error *err)
{
    const int64_t start = ends[0], end = ends[1], at = 8 * (row + 1);
    DVI_REQUIRE(end >= 0 && end <= set->end,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.6", at, "end of a sample",
                         "at most %" PRId64 "|%" PRIu64, set->end, (uint64_t)end));
    DVI_REQUIRE(end > start, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.3", at, "end of a sample",
                                      "more than its start %" PRId64 "|%" PRId64, start, end));
    DVI_REQUIRE(end - start <= set->options.message_nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "message_nbytes", start, "message",
                         "at most %" PRId64 " bytes|%" PRId64, set->options.message_nbytes,
                         end - start));
    return DV_OK;
}

static dv_status check_samples(const dvi_datadings_set *set, int64_t row, size_t n,
                               const int64_t *offsets, dv_error *err)
{
    const int64_t first = offsets[0];
    DVI_REQUIRE(first >= 0 && first <= set->end,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.6", 8 * row, "start of a sample",
                         "at most %" PRId64 "|%" PRIu64, set->end, (uint64_t)first));
    for (size_t i = 0; i < n; i++)
        DVI_TRY(check_sample(set, row + (int64_t)i, offsets + i, err));
    return DV_OK;
}

/* A limit is an error of D, a wrong offset one of .offsets. */
static dv_status name_file(const dvi_datadings_set *set, dv_status status, dv_error *err)
{
    if (status == DV_ERR_CORRUPT)
        dvi_error_set_file(err, dvi_map_name(file_of(set, DVI_DATADINGS_OFFSETS)));
    if (status == DV_ERR_LIMIT)
        dvi_error_set_file(err, dvi_map_name(set->data));
    return status;
}

dv_status dvi_datadings_offsets(dvi_datadings_set *set, int64_t row, size_t n, int64_t *offsets_out,
                                dvi_memory **memory, dv_error *err)
{
    if (file_of(set, DVI_DATADINGS_OFFSETS))
        DVI_TRY(load_offsets(set, row, n, offsets_out, memory, err));
    else
        DVI_TRY(copy_starts(set, row, n, offsets_out, err));
    return name_file(set, check_samples(set, row, n, offsets_out, err), err);
}
