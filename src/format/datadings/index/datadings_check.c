/* SPDX-License-Identifier: MIT */
/* datadings_check.c: verifies the files of a set.
 *
 * One pass over the samples checks offsets, keys, hashes, bits of the filter, and messages. A
 * defect in one of them does not stop the checks of the others. */
#include "format/datadings/index/datadings_check.h"
#include "format/datadings/index/datadings_message.h"
#include <inttypes.h>
#include <string.h>

#define STEP_NBYTES (INT64_C(1) << 20) /* between two reports of progress */
#define AT_ONCE 256                    /* samples */

dv_status dvi_datadings_report(dvi_datadings_check *check, dv_error *found, const dvi_map *map,
                               dv_error *err)
{
    if (map)
        dvi_error_set_file(found, dvi_map_name(map));
    return dvi_verify_report(check->options, found, err);
}

dv_status dvi_datadings_progress(dvi_datadings_check *check, int64_t nbytes)
{
    check->done += nbytes;
    const int64_t steps = check->done / STEP_NBYTES;
    if (!check->options->progress.report || steps == check->reported)
        return DV_OK;
    check->reported = steps;
    const int64_t all = dvi_max_i64(check->all / STEP_NBYTES, steps);
    return check->options->progress.report(check->options->progress.ctx, steps, all) ? DV_OK
                                                                                     : DV_END;
}

/* A run of samples. */
typedef struct samples {
    dvi_datadings_check *check;
    dvi_datadings_set *set;
    bool is_strict;
    int64_t row;
    size_t n;
    bool has_offsets, has_keys; /* offsets and keys are sound */
    int64_t offsets[AT_ONCE + 1];
    dv_text keys[AT_ONCE];
    dvi_key_probe salted[AT_ONCE], plain[AT_ONCE]; /* of the keys, if has_keys */
    dvi_span hashes;                               /* of these samples, if has_hashes */
    dvi_memory *offsets_memory, *keys_memory, *message_memory, *hashes_memory;

    bool has_hashes, has_filter; /* there is a file, and its header is sound */
    dvi_key_salt salt;
    dvi_key_table table;    /* of the keys so far */
    dv_error last_reported; /* the last error about an offset or a key */
} samples;

static dv_status report(samples *s, dv_error *found, const dvi_map *map, dv_error *err)
{
    return dvi_datadings_report(s->check, found, map, err);
}

static dv_status report_row(samples *s, size_t i, dv_error *found, const dvi_map *map,
                            dv_error *err)
{
    dvi_error_within(found, "row %" PRId64, s->row + (int64_t)i);
    return report(s, found, map, err);
}

/* Report an error about an offset or a key, unless the sample before had the same error. */
static dv_status report_once(samples *s, dv_error *found, dv_error *err)
{
    if (found->offset >= 0 && found->offset == s->last_reported.offset &&
        strcmp(found->file, s->last_reported.file) == 0)
        return DV_OK;
    s->last_reported = *found;
    return report(s, found, NULL, err);
}

/* --- Hashes and filter ------------------------------------------------------------------------ */

/* Report a sample whose hash or key another sample has. */
static dv_status check_unique(samples *s, size_t i, uint64_t hash, dv_error *err)
{
    const int64_t row = s->row + (int64_t)i;
    const int64_t before = dvi_key_table_put(&s->table, hash, row);
    dvi_memory *memory = NULL;
    dv_error found = DV_ERROR_INIT;
    dv_text key;
    if (before < 0)
        return DV_OK;
    dv_status status = dvi_datadings_keys(s->set, before, 1, &key, &memory, err);
    if (status == DV_OK && dv_text_equal(key, s->keys[i])) {
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.15", -1, "key",
                 "a key of one sample only|the key of row %" PRId64, before);
        status = report_row(s, i, &found, s->set->list.map ? s->set->list.map : s->set->data, err);
    } else if (status == DV_OK && s->has_hashes) {
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.9", 8 * (row + 1), "hash",
                 "another one for each key|that of row %" PRId64, before);
        status = report(s, &found, s->set->maps.file[DVI_DATADINGS_HASHES], err);
    }
    dvi_memory_release(&memory);
    return status;
}

static dv_status check_hash(samples *s, size_t i, uint64_t hash, dv_error *err)
{
    const int64_t row = s->row + (int64_t)i;
    dv_error found = DV_ERROR_INIT;
    if (!s->has_hashes)
        return DV_OK;
    const uint64_t stored = dvi_load_u64_be(s->hashes.data + 8 * i);
    if (stored == hash)
        return DV_OK;
    dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.10", 8 * (row + 1), "hash",
             "%016" PRIx64 " of the key|%016" PRIx64, hash, stored);
    return report_row(s, i, &found, s->set->maps.file[DVI_DATADINGS_HASHES], err);
}

static dv_status check_filter(samples *s, size_t i, dv_error *err)
{
    bool may = true;
    dv_error found = DV_ERROR_INIT;
    if (s->has_filter)
        DVI_TRY(dvi_datadings_query_filter(s->set, s->plain[i], &may, err));
    if (may)
        return DV_OK;
    dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.22", -1, "bits", "set for every key|not all set");
    return report_row(s, i, &found, s->set->maps.file[DVI_DATADINGS_FILTER], err);
}

static dv_status check_key(samples *s, size_t i, dv_error *err)
{
    if (s->keys[i].nbytes < 0)
        return DV_OK;
    const uint64_t hash = s->salted[i].first;
    dv_status status = check_hash(s, i, hash, err);
    if (status == DV_OK)
        status = check_unique(s, i, hash, err);
    return status == DV_OK ? check_filter(s, i, err) : status;
}

/* --- Messages --------------------------------------------------------------------------------- */

static dv_status check_message(samples *s, size_t i, dv_error *err)
{
    dvi_span span;
    dv_error found = DV_ERROR_INIT;
    const int64_t at = s->offsets[i], nbytes = s->offsets[i + 1] - at;
    DVI_TRY(dvi_map_span(s->set->data, at, (size_t)nbytes, &s->message_memory, &span, err));
    const dvi_msgpack_reader r =
        dvi_msgpack_reader_of(span.data, span.nbytes, at, (int32_t)s->set->options.nesting);
    const dv_text *listed = s->has_keys ? &s->keys[i] : NULL;
    dv_status status = dvi_datadings_check_message(r, s->is_strict, &found);
    if (status < 0)
        return report_row(s, i, &found, s->set->data, err);
    status = dvi_datadings_check_own_key(&r, listed, s->is_strict, &found);
    if (status == DV_OK)
        return DV_OK;
    dvi_error_within(&found, "row %" PRId64, s->row + (int64_t)i);
    dvi_error_set_file(&found, dvi_map_name(s->set->data));
    if (!s->is_strict)
        found.status = DV_OK; /* a warning: readers take the listed key */
    return report(s, &found, NULL, err);
}

/* --- All checks ------------------------------------------------------------------------------- */

/* Check a run as far as its offsets and keys are sound. */
static dv_status check_run(samples *s, dv_error *err)
{
    dv_status status = DV_OK;
    if (s->has_keys)
        dvi_key_probes(s->salted, &s->salt, s->keys, s->n);
    if (s->has_keys && s->has_filter)
        dvi_key_probes(s->plain, NULL, s->keys, s->n);
    if (s->has_hashes)
        DVI_TRY(dvi_map_span(s->set->maps.file[DVI_DATADINGS_HASHES], 8 * (s->row + 1), 8 * s->n,
                             &s->hashes_memory, &s->hashes, err));
    for (size_t i = 0; i < s->n && status == DV_OK; i++) {
        if (s->has_keys)
            status = check_key(s, i, err);
        if (status == DV_OK && s->has_offsets)
            status = check_message(s, i, err);
        if (status == DV_OK && s->has_offsets)
            status = dvi_datadings_progress(s->check, s->offsets[i + 1] - s->offsets[i]);
    }
    return status;
}

/* Is it a defect of the file, not a failure of the system? */
static bool is_defect(dv_status status)
{
    return status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT;
}

/* Check n samples from `row` on; one by one if an offset or a key is wrong. */
static dv_status check_samples(samples *s, int64_t row, size_t n, dv_error *err)
{
    dv_error offset_error = DV_ERROR_INIT, key_error = DV_ERROR_INIT;
    dv_status status = DV_OK;
    s->row = row;
    s->n = n;
    s->has_offsets = dvi_datadings_offsets(s->set, row, n, s->offsets, &s->offsets_memory,
                                           &offset_error) == DV_OK;
    s->has_keys = dvi_datadings_keys(s->set, row, n, s->keys, &s->keys_memory, &key_error) == DV_OK;
    if (n > 1 && (is_defect(offset_error.status) || is_defect(key_error.status))) {
        for (size_t i = 0; i < n && status == DV_OK; i++)
            status = check_samples(s, row + (int64_t)i, 1, err);
        return status;
    }
    if (!s->has_offsets)
        status = report_once(s, &offset_error, err);
    if (status == DV_OK && !s->has_keys)
        status = report_once(s, &key_error, err);
    return status == DV_OK ? check_run(s, err) : status;
}

/* Check the headers of .key_hashes and .filter. */
static dv_status open_lookup(samples *s, dv_error *err)
{
    dvi_map *hashes = s->set->maps.file[DVI_DATADINGS_HASHES];
    dvi_bloom bloom;
    dv_error found = DV_ERROR_INIT;
    dv_status status = DV_OK;
    s->salt = dvi_key_salt_of(0);
    if (hashes) {
        s->has_hashes = dvi_datadings_check_hashes(s->set, &found) == DV_OK;
        status = s->has_hashes ? dvi_map_span(hashes, 0, 8, &s->hashes_memory, &s->hashes, err)
                               : report(s, &found, hashes, err);
        if (status == DV_OK && s->has_hashes)
            memcpy(s->salt.bytes, s->hashes.data, sizeof s->salt);
    }
    if (status != DV_OK || !s->set->maps.file[DVI_DATADINGS_FILTER])
        return status;
    found = (dv_error)DV_ERROR_INIT;
    s->has_filter = dvi_datadings_read_filter(s->set, &bloom, &found) == DV_OK;
    return s->has_filter ? DV_OK : report(s, &found, NULL, err);
}

static dv_status check_all(samples *s, dv_error *err)
{
    dv_status status = open_lookup(s, err);
    if (status == DV_OK)
        status = dvi_key_table_reserve(&s->table, (size_t)s->set->rows, err);
    for (int64_t row = 0, n; row < s->set->rows && status == DV_OK; row += n) {
        n = dvi_min_i64(s->set->rows - row, AT_ONCE);
        status = check_samples(s, row, (size_t)n, err);
    }
    return status;
}

/* Check a legacy index that is not read, since there are newer files. */
static dv_status check_legacy(dvi_datadings_check *check, dv_error *err)
{
    dvi_datadings_maps maps = {{NULL}};
    dvi_datadings_set *legacy;
    dv_error found = DV_ERROR_INIT;
    dvi_map *map = check->set->maps.file[DVI_DATADINGS_LEGACY];
    if (!map || check->set->list.map == map)
        return DV_OK;
    dvi_map_retain(map);
    maps.file[DVI_DATADINGS_LEGACY] = map;
    dv_status status = dvi_datadings_set_of_maps(&legacy, check->set->data, &maps,
                                                 &check->set->options, false, &found);
    if (status == DV_OK) {
        pthread_mutex_lock(&legacy->lock);
        status = dvi_datadings_list_advance(legacy, legacy->rows, &found);
        pthread_mutex_unlock(&legacy->lock);
    }
    if (status == DV_OK && legacy->rows != check->set->rows)
        status = dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.7", 0, "keys",
                          "%" PRId64 ", one per sample|%" PRId64, check->set->rows, legacy->rows);
    dvi_datadings_set_close(&legacy);
    return status < 0 ? dvi_datadings_report(check, &found, map, err) : DV_OK;
}

dv_status dvi_datadings_verify_files(dvi_datadings_set *set, bool strict,
                                     const struct dv_verify_options *options, dv_error *err)
{
    dvi_datadings_check check = {.set = set, .options = options, .reported = -1, .all = set->end};
    samples s = {.check = &check, .set = set, .is_strict = strict, .last_reported = DV_ERROR_INIT};
    dv_status status = DV_OK;
    if (set->maps.file[DVI_DATADINGS_MD5]) {
        check.all += dvi_map_nbytes(set->data);
        for (int file = 0; file < DVI_DATADINGS_FILES; file++)
            check.all += set->maps.file[file] ? dvi_map_nbytes(set->maps.file[file]) : 0;
        status = dvi_datadings_check_md5(&check, err);
    }
    if (status == DV_OK)
        status = check_legacy(&check, err);
    dvi_key_table_init(&s.table, &set->allocator);
    if (status == DV_OK)
        status = check_all(&s, err);
    dvi_key_table_free(&s.table);
    dvi_memory_release(&s.offsets_memory);
    dvi_memory_release(&s.keys_memory);
    dvi_memory_release(&s.message_memory);
    dvi_memory_release(&s.hashes_memory);
    return status;
}
