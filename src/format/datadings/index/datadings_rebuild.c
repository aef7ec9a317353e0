/* SPDX-License-Identifier: MIT */
/* datadings_rebuild.c: writes the side files of a set again. */
#include "format/datadings/index/datadings_files_priv.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <string.h>

#define AT_ONCE 256 /* samples */

typedef struct rebuild {
    dvi_datadings_set *set;
    const dv_save_options *options;
    dvi_datadings_index *index;
    dvi_md5_queue *md5;
    dvi_md5_text samples; /* their digest */
    dvi_memory *memory, *keys_memory, *data_memory;
    int64_t offsets[AT_ONCE + 1];
    dv_text keys[AT_ONCE];
} rebuild;

static dv_status progress(const rebuild *r, int64_t rows, dv_error *err)
{
    return dvi_report_progress(&r->options->progress, "index not made", rows, r->set->rows, err);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Digest the bytes at..end-1 of a file. */
static dv_status digest(rebuild *r, dvi_map *map, int64_t at, int64_t end, dv_error *err)
{
    for (int64_t n; at < end; at += n) {
        dvi_span span;
        n = dvi_min_i64(end - at, DVI_DATADINGS_WINDOW_NBYTES);
        DVI_TRY(dvi_map_span(map, at, (size_t)n, &r->data_memory, &span, err));
        dvi_md5_queue_add(r->md5, span.data, span.nbytes);
    }
    return DV_OK;
}

static dv_status add_sample(rebuild *r, int64_t row, size_t i, dv_error *err)
{
    DVI_REQUIRE(r->keys[i].nbytes >= 0,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.31", r->offsets[i], "key of a message",
                         "a str|none in row %" PRId64, row));
    return dvi_datadings_index_add(r->index, r->keys[i], r->offsets[i + 1] - r->offsets[i], err);
}

/* Hash the keys of the samples from `row` on, which were added last. */
static dv_status hash_samples(rebuild *r, int64_t row, dv_error *err)
{
    dvi_datadings_duplicate duplicate;
    DVI_TRY(dvi_datadings_index_hash(r->index, 1, &duplicate, err));
    DVI_REQUIRE(duplicate.row < 0,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.15", r->offsets[duplicate.row - row],
                         "key",
                         "a key of one sample only|row %" PRId64 " has the key of row %" PRId64,
                         duplicate.row, duplicate.before));
    return DV_OK;
}

/* New digests would hide that samples are not what .md5 says. */
static dv_status check_listed(const rebuild *r, dv_error *err)
{
    char listed[33];
    DVI_TRY(dvi_datadings_listed_md5(r->set, listed, err));
    DVI_REQUIRE(!*listed || strcmp(listed, r->samples.digits) == 0 ||
                    r->options->allow_loss & (uint32_t)DV_LOSS_DAMAGED,
                dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, "MD5 of the samples",
                         "that in .md5, or loss damaged allowed|%s", r->samples.digits));
    return DV_OK;
}

static dv_status gather(rebuild *r, dv_error *err)
{
    dvi_datadings_set *set = r->set;
    DVI_TRY(progress(r, 0, err));
    for (int64_t row = 0, n; row < set->rows; row += n) {
        n = dvi_min_i64(set->rows - row, AT_ONCE);
        DVI_TRY(dvi_datadings_offsets(set, row, (size_t)n, r->offsets, &r->memory, err));
        DVI_TRY(dvi_datadings_keys(set, row, (size_t)n, r->keys, &r->keys_memory, err));
        for (int64_t i = 0; i < n; i++)
            DVI_TRY(add_sample(r, row + i, (size_t)i, err));
        DVI_TRY(hash_samples(r, row, err));
        DVI_TRY(digest(r, set->data, r->offsets[0], r->offsets[n], err));
        DVI_TRY(progress(r, row + n, err));
    }
    DVI_TRY(digest(r, set->data, set->end, dvi_map_nbytes(set->data), err));
    dvi_md5_queue_end(r->md5, &r->samples);
    return check_listed(r, err);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* A legacy index that was read stays, and .md5 gets a last line for it. */
static dv_status write_legacy_line(rebuild *r, dvi_writer *list, const char *base, dv_error *err)
{
    dvi_map *map = r->set->maps.file[DVI_DATADINGS_LEGACY];
    if (!map)
        return DV_OK;
    DVI_TRY(digest(r, map, 0, dvi_map_nbytes(map), err));
    dvi_md5_text text;
    dvi_md5_queue_end(r->md5, &text);
    return dvi_datadings_write_md5_line(list, &text, base,
                                        dvi_datadings_suffix(DVI_DATADINGS_LEGACY), err);
}

static dv_status write_sides(rebuild *r, dvi_writer *writer, dv_error *err)
{
    const char *base = dvi_writer_name(writer);
    dvi_md5_text texts[DVI_DATADINGS_SIDES];
    dvi_writer *side;
    for (int i = 0; i < DVI_DATADINGS_SIDES; i++) {
        DVI_TRY(dvi_writer_attach(writer, dvi_datadings_suffix((dvi_datadings_side)i), &side, err));
        DVI_TRY(dvi_datadings_index_write(r->index, (dvi_datadings_side)i, side, r->md5, &texts[i],
                                          err));
    }
    if (!r->set->maps.file[DVI_DATADINGS_LEGACY])
        DVI_TRY(dvi_writer_forget(writer, dvi_datadings_suffix(DVI_DATADINGS_LEGACY), err));
    DVI_TRY(dvi_writer_attach(writer, dvi_datadings_suffix(DVI_DATADINGS_MD5), &side, err));
    DVI_TRY(dvi_datadings_write_md5(side, base, &r->samples, texts, err));
    return write_legacy_line(r, side, base, err);
}

static dv_status write_all(rebuild *r, dv_error *err)
{
    dvi_writer *writer;
    DVI_TRY(dvi_map_check_name(r->set->data, err));
    dv_status status = dvi_writer_create_beside(&writer, dvi_map_name(r->set->data),
                                                r->options->sync, &r->set->allocator, err);
    if (status == DV_OK)
        status = write_sides(r, writer, err);
    if (status == DV_OK)
        status = dvi_writer_commit(writer, err);
    dvi_writer_close(&writer);
    return status;
}

dv_status dvi_datadings_rebuild(dvi_datadings_set *set, const dv_save_options *options,
                                dv_error *err)
{
    rebuild r = {.set = set, .options = options};
    if (!dvi_map_is_file(set->data))
        return dvi_fail_argument(err, "bytes in memory have no side files: save them first");
    dv_status status = dvi_datadings_index_create(&r.index, &set->allocator, err);
    if (status == DV_OK)
        status = dvi_datadings_index_expect(r.index, set->rows, err);
    if (status == DV_OK) /* one thread: there is no work to overlap with digests */
        status = dvi_md5_queue_create(&r.md5, 1, &set->allocator, err);
    if (status == DV_OK)
        status = gather(&r, err);
    if (status == DV_OK)
        status = write_all(&r, err);
    dvi_memory_release(&r.memory);
    dvi_memory_release(&r.keys_memory);
    dvi_memory_release(&r.data_memory);
    dvi_md5_queue_free(&r.md5);
    dvi_datadings_index_free(&r.index);
    return status;
}
