/* SPDX-License-Identifier: MIT */
/* datadings_find.c: looks up keys by their hashes (datadings:2.3, datadings:2.5). */
#include "base/attempt.h"
#include "format/datadings/index/datadings_files_priv.h"
#include <inttypes.h>
#include <string.h>

#define KEYS_AT_ONCE 512
#define FOUND_AT_ONCE 64
#define COMPARED 64 /* first keys whose stored hashes are checked before all are used */

bool dvi_datadings_lists_keys(const dvi_datadings_set *set)
{
    return !set->is_scanned;
}

dv_status dvi_datadings_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                             dvi_memory **memory, dv_error *err)
{
    dvi_span span;
    if (n == 0)
        return DV_OK;
    return set->is_scanned ? dvi_datadings_own_keys(set, row, n, keys_out, memory, err)
                           : dvi_datadings_list_keys(set, row, n, keys_out, memory, &span, err);
}

dv_status dvi_datadings_key(dvi_datadings_set *set, int64_t row, dv_buffer *key_out, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span span = {0};
    dv_text key = {NULL, -1};
    dv_status status = set->is_scanned
                           ? dvi_datadings_own_keys(set, row, 1, &key, &memory, err)
                           : dvi_datadings_list_keys(set, row, 1, &key, &memory, &span, err);
    *key_out = (dv_buffer){0};
    if (status == DV_OK && key.nbytes < 0)
        status = DV_NOT_FOUND;
    if (status == DV_OK) {
        dv_owner *owner = span.owner ? span.owner : &memory->owner;
        *key_out = (dv_buffer){key.data, (size_t)key.nbytes, owner, span.is_borrowed, true};
        dv_buffer_retain(key_out);
    }
    dvi_memory_release(&memory);
    return status;
}

dv_status dvi_datadings_message(dvi_datadings_set *set, int64_t row, dv_buffer *message_out,
                                dv_error *err)
{
    int64_t ends[2];
    dvi_memory *memory = NULL;
    dvi_span span = {0};
    *message_out = (dv_buffer){0};
    dv_status status = dvi_datadings_offsets(set, row, 1, ends, &memory, err);
    if (status == DV_OK)
        status = dvi_map_span(set->data, ends[0], (size_t)(ends[1] - ends[0]), &memory, &span, err);
    if (status == DV_OK) {
        *message_out = (dv_buffer){span.data, span.nbytes, span.owner, span.is_borrowed, true};
        dv_buffer_retain(message_out);
    }
    dvi_memory_release(&memory);
    return status;
}

/* --- Stored hashes ---------------------------------------------------------------------------- */

static dvi_map *hashes_of(const dvi_datadings_set *set)
{
    return set->maps.file[DVI_DATADINGS_HASHES];
}

dv_status dvi_datadings_check_hashes(const dvi_datadings_set *set, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(hashes_of(set));
    const int64_t wanted = (int64_t)sizeof(dvi_key_salt) + 8 * set->rows;
    DVI_REQUIRE(nbytes == wanted,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.8", dvi_min_i64(nbytes, wanted), "size",
                         "%" PRId64 " bytes|%" PRId64, wanted, nbytes));
    return DV_OK;
}

/* Put the hashes of n rows into the table, from `row` on. */
static dv_status put_hashes(dvi_datadings_set *set, const uint8_t *p, int64_t row, size_t n,
                            dv_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = dvi_load_u64_be(p + 8 * i);
        if (n - i > 16) /* each hash belongs to another cache line */
            dvi_key_table_prefetch(&set->table, dvi_load_u64_be(p + 8 * (i + 16)));
        const int64_t before = dvi_key_table_put(&set->table, hash, row + (int64_t)i);
        DVI_REQUIRE(before < 0,
                    dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.9", 8 * (row + (int64_t)i + 1),
                             "hash", "another one for each key|that of row %" PRId64, before));
    }
    return DV_OK;
}

static dv_status load_hashes(dvi_datadings_set *set, dvi_memory **memory, dv_error *err)
{
    dvi_map *map = hashes_of(set);
    dvi_span span;
    DVI_TRY(dvi_key_table_reserve(&set->table, (size_t)set->rows, err));
    DVI_TRY(dvi_map_span(map, 0, sizeof set->salt, memory, &span, err));
    memcpy(set->salt.bytes, span.data, sizeof set->salt);
    for (int64_t row = 0, n; row < set->rows; row += n) {
        n = dvi_min_i64(set->rows - row, DVI_DATADINGS_WINDOW_NBYTES / 8);
        DVI_TRY(dvi_map_span(map, 8 * (row + 1), 8 * (size_t)n, memory, &span, err));
        DVI_TRY(put_hashes(set, span.data, row, (size_t)n, err));
    }
    return DV_OK;
}

/* Compare the hashes of the first keys, to find a file of another set. */
static dv_status compare_keys_with(dvi_datadings_set *set, const dvi_key_salt *salt,
                                   const uint8_t *hashes, size_t n, dv_error *err)
{
    dv_text keys[COMPARED] = {{NULL, 0}}; /* an empty set sets none */
    dvi_key_probe probes[COMPARED];
    dvi_memory *memory = NULL;
    dv_status status = dvi_datadings_keys(set, 0, n, keys, &memory, err);
    if (status == DV_OK)
        dvi_key_probes(probes, salt, keys, n);
    for (size_t i = 0; i < n && status == DV_OK; i++) {
        const uint64_t stored = dvi_load_u64_be(hashes + 8 * i), hash = probes[i].first;
        if (stored != hash)
            status = dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.10", 8 * ((int64_t)i + 1), "hash",
                              "%016" PRIx64 " of key %zu|%016" PRIx64, hash, i, stored);
    }
    dvi_memory_release(&memory);
    return status;
}

dv_status dvi_datadings_compare_hashes(dvi_datadings_set *set, dv_error *err)
{
    dvi_map *map = hashes_of(set);
    const size_t n = (size_t)dvi_min_i64(set->rows, COMPARED);
    dvi_memory *memory = NULL;
    dvi_key_salt salt;
    dvi_span span;
    dv_status status = dvi_datadings_check_hashes(set, err);
    if (status == DV_OK)
        status = dvi_map_span(map, 0, 8 * (n + 1), &memory, &span, err);
    if (status == DV_OK) {
        memcpy(salt.bytes, span.data, sizeof salt);
        status = compare_keys_with(set, &salt, span.data + sizeof salt, n, err);
    }
    dvi_memory_release(&memory);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    return status;
}

/* --- Computed hashes -------------------------------------------------------------------------- */

/* Compare keys with the same hash. DV_OK: they differ, and another salt is needed. */
static dv_status compare_keys(dvi_datadings_set *set, int64_t before, int64_t row, dv_text key,
                              dv_error *err)
{
    dvi_memory *memory = NULL;
    dv_text other;
    dv_status status = dvi_datadings_keys(set, before, 1, &other, &memory, err);
    if (status == DV_OK && dv_text_equal(key, other))
        status = dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.15", -1, "keys",
                          "a key of one sample only|row %" PRId64 " has the key of row %" PRId64,
                          row, before);
    dvi_memory_release(&memory);
    return status;
}

/* Hash all keys with one salt. DV_NOT_FOUND: hashes collide. */
static dv_status hash_keys(dvi_datadings_set *set, dvi_memory **memory, dv_error *err)
{
    dv_text keys[KEYS_AT_ONCE];
    dvi_key_probe probes[KEYS_AT_ONCE];
    dvi_key_table_clear(&set->table);
    for (int64_t row = 0, n; row < set->rows; row += n) {
        n = dvi_min_i64(set->rows - row, KEYS_AT_ONCE);
        DVI_TRY(dvi_datadings_keys(set, row, (size_t)n, keys, memory, err));
        dvi_key_probes(probes, &set->salt, keys, (size_t)n);
        for (int64_t i = 0; i < n; i++) {
            if (keys[i].nbytes < 0)
                continue; /* a message without a key cannot be found by one */
            const int64_t before = dvi_key_table_put(&set->table, probes[i].first, row + i);
            if (before < 0)
                continue;
            DVI_TRY(compare_keys(set, before, row + i, keys[i], err));
            return DV_NOT_FOUND;
        }
    }
    return DV_OK;
}

static dv_status make_hashes(dvi_datadings_set *set, dvi_memory **memory, dv_error *err)
{
    dv_status status = DV_NOT_FOUND;
    DVI_TRY(dvi_key_table_reserve(&set->table, (size_t)set->rows, err));
    for (int32_t t = 0; t < DVI_KEY_SALTS && status == DV_NOT_FOUND; t++) {
        set->salt = dvi_key_salt_of(t);
        status = hash_keys(set, memory, err);
    }
    if (status == DV_NOT_FOUND)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings:2.3", -1, "hashes of the keys",
                        "a salt without collisions|%d salts with collisions", DVI_KEY_SALTS);
    return status;
}

/* --- Looking up ------------------------------------------------------------------------------- */

static dv_status fill_table(dvi_datadings_set *set, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_map *map = hashes_of(set);
    dv_status status;
    if (map) {
        status = dvi_datadings_compare_hashes(set, err);
        if (status == DV_OK)
            status = load_hashes(set, &memory, err);
        if (status < 0)
            dvi_error_set_file(err, dvi_map_name(map));
    } else {
        status = make_hashes(set, &memory, err);
        if (status < 0)
            dvi_error_set_file(err, dvi_map_name(set->list.map ? set->list.map : set->data));
    }
    dvi_memory_release(&memory);
    return status;
}

/* Make the table unless it exists. */
static dv_status need_table(dvi_datadings_set *set, dv_error *err)
{
    dv_status status = DV_OK;
    if (atomic_load_explicit(&set->has_table, memory_order_acquire))
        return DV_OK;
    pthread_mutex_lock(&set->table_lock);
    if (!atomic_load_explicit(&set->has_table, memory_order_relaxed)) {
        status = fill_table(set, err);
        if (status < 0)
            dvi_key_table_free(&set->table);
        else
            atomic_store_explicit(&set->has_table, true, memory_order_release);
    }
    pthread_mutex_unlock(&set->table_lock);
    return status;
}

/* The row has another key, `found`, than the one whose hash `stored` led to it. DV_NOT_FOUND: both
 * have this hash; else the hash is not that of the row. */
static dv_status refuse_row(const dvi_datadings_set *set, dv_text found, int64_t row,
                            uint64_t stored, dv_error *err)
{
    dvi_key_probe probe;
    dvi_key_probes(&probe, &set->salt, &found, 1);
    if (probe.first == stored || !hashes_of(set))
        return DV_NOT_FOUND;
    dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.10", 8 * (row + 1), "hash",
             "%016" PRIx64 " of key %" PRId64 "|%016" PRIx64, probe.first, row, stored);
    dvi_error_set_file(err, dvi_map_name(hashes_of(set)));
    return DV_ERR_CORRUPT;
}

/* Does the row have this key? DV_NOT_FOUND: no. The file of listed keys was checked for its size.
 */
static dv_status confirm_key(dvi_datadings_set *set, dv_text key, uint64_t hash, int64_t row,
                             dvi_memory **memory, dv_error *err)
{
    dvi_span span;
    dv_text found;
    DVI_TRY(set->is_scanned
                ? dvi_datadings_own_keys(set, row, 1, &found, memory, err)
                : dvi_datadings_list_keys_unchecked(set, row, 1, &found, memory, &span, err));
    return dv_text_equal(key, found) ? DV_OK : refuse_row(set, found, row, hash, err);
}

static dv_status check_list(const dvi_datadings_set *set, dv_error *err)
{
    return set->is_scanned ? DV_OK : dvi_map_check(set->list.map, err);
}

/* Set to -1 the rows that do not have their keys.  The list has been checked. */
static dv_status confirm_rows(dvi_datadings_set *set, const dv_text *keys,
                              const dvi_key_probe *probes, size_t n, int64_t *rows, dv_error *err)
{
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    if (!set->is_scanned && n > 1)
        dvi_datadings_list_prefetch(set, rows, n);
    for (size_t i = 0; i < n && status >= 0; i++) {
        if (rows[i] < 0)
            continue;
        status = confirm_key(set, keys[i], probes[i].first, rows[i], &memory, err);
        if (status == DV_NOT_FOUND)
            rows[i] = -1;
    }
    dvi_memory_release(&memory);
    return status < 0 ? status : DV_OK;
}

dv_status dvi_datadings_find(dvi_datadings_set *set, dv_text key, bool confirm, int64_t *row_out,
                             dv_error *err)
{
    dvi_key_probe probe;
    *row_out = -1;
    DVI_TRY(need_table(set, err));
    dvi_key_probes(&probe, &set->salt, &key, 1);
    dvi_key_table_prefetch(&set->table, probe.first);
    /* The system is asked while the line of the table comes; only a row that is found may fail. */
    const bool is_listed = !confirm || DVI_ATTEMPT("datadings_find.c dvi_datadings_find",
                                                   check_list(set, NULL) == DV_OK);
    int64_t row = dvi_key_table_get(&set->table, probe.first);
    if (row >= 0 && !is_listed)
        DVI_TRY(check_list(set, err));
    if (row >= 0 && confirm)
        DVI_TRY(confirm_rows(set, &key, &probe, 1, &row, err));
    *row_out = row;
    return row < 0 ? DV_NOT_FOUND : DV_OK;
}

/* Prefetch all lines of the table before any is read. */
static void look_up(const dvi_datadings_set *set, const dv_text *keys, dvi_key_probe *probes,
                    size_t n, int64_t *rows_out)
{
    dvi_key_probes(probes, &set->salt, keys, n);
    for (size_t i = 0; i < n; i++)
        dvi_key_table_prefetch(&set->table, probes[i].first);
    for (size_t i = 0; i < n; i++)
        rows_out[i] = dvi_key_table_get(&set->table, probes[i].first);
}

dv_status dvi_datadings_find_many(dvi_datadings_set *set, const dv_text *keys, size_t n,
                                  bool confirm, int64_t *rows_out, dv_error *err)
{
    dvi_key_probe probes[FOUND_AT_ONCE];
    DVI_TRY(need_table(set, err));
    for (size_t i = 0, here; i < n && set->rows > 0; i += here) {
        here = n - i < FOUND_AT_ONCE ? n - i : FOUND_AT_ONCE;
        look_up(set, keys + i, probes, here, rows_out + i);
        if (confirm) {
            DVI_TRY(check_list(set, err));
            DVI_TRY(confirm_rows(set, keys + i, probes, here, rows_out + i, err));
        }
    }
    return DV_OK;
}

/* Does the filter, if there is one, let the key pass? */
static dv_status ask_filter(dvi_datadings_set *set, dv_text key, bool *may_out, dv_error *err)
{
    dvi_key_probe probe;
    *may_out = true;
    if (!set->maps.file[DVI_DATADINGS_FILTER])
        return DV_OK;
    dvi_key_probes(&probe, NULL, &key, 1);
    return dvi_datadings_query_filter(set, probe, may_out, err);
}

dv_status dvi_datadings_find_among(dvi_datadings_set *set, dvi_datadings_sought *sought,
                                   bool confirm, int64_t *row_out, dv_error *err)
{
    bool may = true;
    *row_out = -1;
    if (!atomic_load_explicit(&set->has_table, memory_order_acquire) &&
        DVI_ATTEMPT("datadings_find.c dvi_datadings_find_among",
                    ask_filter(set, sought->key, &may, NULL) == DV_OK) &&
        !may)
        return DV_NOT_FOUND; /* a filter that cannot be read only saves nothing */
    DVI_TRY(need_table(set, err));
    if (!sought->is_hashed || memcmp(&sought->salt, &set->salt, sizeof set->salt) != 0) {
        dvi_key_probes(&sought->probe, &set->salt, &sought->key, 1);
        sought->salt = set->salt;
        sought->is_hashed = true;
    }
    int64_t row = dvi_key_table_get(&set->table, sought->probe.first);
    if (row >= 0 && confirm) { /* most sets do not have the key: the system is not asked for them */
        DVI_TRY(check_list(set, err));
        DVI_TRY(confirm_rows(set, &sought->key, &sought->probe, 1, &row, err));
    }
    *row_out = row;
    return row < 0 ? DV_NOT_FOUND : DV_OK;
}

dv_status dvi_datadings_contains(dvi_datadings_set *set, dv_text key, bool confirm, bool *does_out,
                                 dv_error *err)
{
    bool may;
    int64_t row;
    *does_out = false;
    DVI_TRY(ask_filter(set, key, &may, err));
    if (!may)
        return DV_OK;
    const dv_status status = dvi_datadings_find(set, key, confirm, &row, err);
    *does_out = status == DV_OK;
    return status == DV_NOT_FOUND ? DV_OK : status;
}
