/* SPDX-License-Identifier: MIT */
/* datadings_list.c: reads the keys that .keys or .index list (datadings:1.4, datadings:2.2). */
#include "base/alloc.h"
#include "base/compiler.h"
#include "format/datadings/index/datadings_files_priv.h"
#include <inttypes.h>

#define STR_HEAD_NBYTES 5  /* at most */
#define UINT_NBYTES 9      /* a uint, at most */
#define LIST_HEAD_NBYTES 5 /* of the array or map */

/* --- The head of the file --------------------------------------------------------------------- */

/* Read the head of an array or map and return its size; 0: another value, or incomplete. */
static int64_t list_head(const uint8_t *p, size_t n, bool is_map, uint32_t *count_out)
{
    const uint8_t fix = is_map ? 0x80 : 0x90, wide = is_map ? 0xDE : 0xDC;
    if (n >= 1 && (p[0] & 0xF0) == fix) {
        *count_out = p[0] & 0x0F;
        return 1;
    }
    if (n >= 3 && p[0] == wide) {
        *count_out = dvi_load_u16_be(p + 1);
        return 3;
    }
    if (n >= 5 && p[0] == wide + 1) {
        *count_out = (uint32_t)dvi_load_i32_be(p + 1);
        return 5;
    }
    return 0;
}

/* The rule of an error about an entry. */
static const char *rule_of(const dvi_datadings_list *list, const char *rule)
{
    return list->is_legacy ? "datadings:8.42" : rule;
}

static dv_status fail_trailing(const dvi_datadings_list *list, int64_t at, dv_error *err)
{
    return dvi_fail(err, DV_ERR_CORRUPT, rule_of(list, "datadings:8.16"), at, "after the last key",
                    "the end of the file|%" PRId64 " bytes more", dvi_map_nbytes(list->map) - at);
}

static dv_status read_list_head(dvi_datadings_list *list, dvi_memory **memory, int64_t *rows_out,
                                dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(list->map);
    const size_t n = (size_t)dvi_min_i64(nbytes, LIST_HEAD_NBYTES);
    const char *wanted = list->is_legacy ? "map" : "array";
    uint32_t count;
    dvi_span span;
    DVI_TRY(dvi_map_copy(list->map, 0, n, memory, &span, err));
    list->at = list_head(span.data, n, list->is_legacy, &count);
    if (list->at == 0 && n == 0)
        return dvi_fail(err, DV_ERR_CORRUPT, rule_of(list, "datadings:8.11"), 0, "keys",
                        "a msgpack %s|an empty file", wanted);
    if (list->at == 0)
        return dvi_fail(err, DV_ERR_CORRUPT, rule_of(list, "datadings:8.11"), 0, "keys",
                        "a msgpack %s|%02x at the start of %" PRId64 " bytes", wanted, span.data[0],
                        nbytes);
    /* An entry has at least one byte, in .index two. */
    const int64_t most = (nbytes - list->at) / (list->is_legacy ? 2 : 1);
    DVI_REQUIRE(count <= most, dvi_fail_range(err, rule_of(list, "datadings:8.12"), 0,
                                              "number of keys", 0, most, count));
    DVI_REQUIRE(count > 0 || list->at == nbytes, fail_trailing(list, list->at, err));
    *rows_out = count;
    return DV_OK;
}

dv_status dvi_datadings_list_open(dvi_datadings_list *list, dvi_map *map, bool is_legacy,
                                  int64_t *rows_out, dv_error *err)
{
    dvi_memory *memory = NULL;
    *list = (dvi_datadings_list){.map = map, .is_legacy = is_legacy};
    const dv_status status = read_list_head(list, &memory, rows_out, err);
    dvi_memory_release(&memory);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    return status;
}

/* --- Entries ---------------------------------------------------------------------------------- */

/* The bytes of the file read last. */
typedef struct window {
    dvi_map *map;
    dvi_memory *memory;
    dvi_span span;
} window;

/* Set *p_out to the bytes at `at`: *n_out of them, which is `most` unless the file ends. */
static dv_status get_bytes(window *w, int64_t at, size_t most, const uint8_t **p_out, size_t *n_out,
                           dv_error *err)
{
    const int64_t left = dvi_map_nbytes(w->map) - at;
    const size_t n = (size_t)dvi_min_i64(left, (int64_t)most);
    const int64_t end = w->span.offset + (int64_t)w->span.nbytes;
    if (at < w->span.offset || at + (int64_t)n > end)
        DVI_TRY(dvi_map_span(w->map, at, (size_t)dvi_min_i64(left, DVI_DATADINGS_WINDOW_NBYTES),
                             &w->memory, &w->span, err));
    *p_out = w->span.data + (at - w->span.offset);
    *n_out = n;
    return DV_OK;
}

/* Read the head of a str and return its size; 0: another value, or incomplete. */
static int64_t str_head(const uint8_t *p, size_t n, uint32_t *nbytes_out)
{
    if (n >= 1 && (p[0] & 0xE0) == 0xA0) {
        *nbytes_out = p[0] & 0x1F;
        return 1;
    }
    if (n >= 2 && p[0] == 0xD9) {
        *nbytes_out = p[1];
        return 2;
    }
    if (n >= 3 && p[0] == 0xDA) {
        *nbytes_out = dvi_load_u16_be(p + 1);
        return 3;
    }
    if (n >= 5 && p[0] == 0xDB) {
        *nbytes_out = (uint32_t)dvi_load_i32_be(p + 1);
        return 5;
    }
    return 0;
}

/* Move *at after the key there. */
static dv_status read_key(const dvi_datadings_list *list, window *w, int64_t *at, dv_error *err)
{
    const uint8_t *p;
    size_t n;
    uint32_t nbytes;
    DVI_TRY(get_bytes(w, *at, STR_HEAD_NBYTES, &p, &n, err));
    const int64_t head = str_head(p, n, &nbytes);
    if (head == 0)
        return n == 0 ? dvi_fail(err, DV_ERR_CORRUPT, rule_of(list, "datadings:8.13"), *at, "key",
                                 "a str|the end of the file")
                      : dvi_fail(err, DV_ERR_CORRUPT, rule_of(list, "datadings:8.13"), *at, "key",
                                 "a str|%02x", p[0]);
    const int64_t left = dvi_map_nbytes(w->map) - *at - head;
    DVI_REQUIRE(nbytes <= left, dvi_fail_range(err, rule_of(list, "datadings:8.13"), *at,
                                               "length of a key", 0, left, nbytes));
    *at += head + nbytes;
    return DV_OK;
}

/* Read the start of a sample, and move *at after it. Starts increase from 0 on, and are in D. */
static dv_status read_start(dvi_datadings_set *set, window *w, int64_t *at, int64_t row,
                            dv_error *err)
{
    const uint8_t *p;
    size_t n;
    dvi_msgpack t;
    DVI_TRY(get_bytes(w, *at, UINT_NBYTES, &p, &n, err));
    dvi_msgpack_reader r = dvi_msgpack_reader_of(p, n, *at, 1);
    DVI_REQUIRE(dvi_msgpack_read(&r, &t) && t.kind == DVI_MSGPACK_UINT,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.42", *at, "start of a sample",
                         "an unsigned integer|something else"));
    const int64_t least = row == 0 ? 0 : set->starts[row - 1] + 1;
    const int64_t most = row == 0 ? 0 : set->end - 1;
    DVI_REQUIRE(t.u <= INT64_MAX && (int64_t)t.u >= least && (int64_t)t.u <= most,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.42", *at, "start of a sample",
                         "%" PRId64 "..%" PRId64 "|%" PRIu64, least, most, t.u));
    set->starts[row] = (int64_t)t.u;
    *at = dvi_msgpack_offset(&r);
    return DV_OK;
}

static dv_status reserve(dvi_datadings_set *set, dv_error *err)
{
    dvi_datadings_list *list = &set->list;
    void *key_offsets = list->key_offsets, *starts = set->starts;
    dv_status status = dvi_array_reserve(&set->allocator, &key_offsets, &list->key_offsets_cap,
                                         (size_t)(list->row / DVI_DATADINGS_SAMPLED) + 1,
                                         sizeof *list->key_offsets, err);
    list->key_offsets = key_offsets;
    if (status == DV_OK && list->is_legacy)
        status = dvi_array_reserve(&set->allocator, &starts, &set->starts_cap,
                                   (size_t)list->row + 1, sizeof *set->starts, err);
    set->starts = starts;
    return status;
}

/* Read the next entry; nothing changes on failure. */
static dv_status read_entry(dvi_datadings_set *set, window *w, dv_error *err)
{
    dvi_datadings_list *list = &set->list;
    int64_t at = list->at;
    DVI_TRY(reserve(set, err));
    DVI_TRY(read_key(list, w, &at, err));
    if (list->is_legacy)
        DVI_TRY(read_start(set, w, &at, list->row, err));
    if (list->row + 1 == set->rows)
        DVI_REQUIRE(at == dvi_map_nbytes(list->map), fail_trailing(list, at, err));
    if (list->row % DVI_DATADINGS_SAMPLED == 0)
        list->key_offsets[list->row / DVI_DATADINGS_SAMPLED] = list->at;
    list->at = at;
    list->row++;
    if (list->row == set->rows)
        atomic_store_explicit(&list->is_read, true, memory_order_release);
    return DV_OK;
}

dv_status dvi_datadings_list_advance(dvi_datadings_set *set, int64_t row, dv_error *err)
{
    window w = {.map = set->list.map};
    dv_status status = DV_OK;
    while (set->list.row < row && status == DV_OK)
        status = read_entry(set, &w, err);
    dvi_memory_release(&w.memory);
    if (status < 0) {
        dvi_error_within(err, "key %" PRId64, set->list.row);
        dvi_error_set_file(err, dvi_map_name(set->list.map));
    }
    return status;
}

/* --- Keys ------------------------------------------------------------------------------------- */

void dvi_datadings_list_prefetch(dvi_datadings_set *set, const int64_t *rows, size_t n)
{
    enum { LINE_NBYTES = 64, LINES = 4 }; /* most of DVI_DATADINGS_SAMPLED short keys */
    const dvi_datadings_list *list = &set->list;
    dvi_memory *memory = NULL;
    dvi_span span = {0};
    dv_error err = DV_ERROR_INIT;
    if (!atomic_load_explicit(&list->is_read, memory_order_acquire) || dvi_map_is_copied(list->map))
        return;
    for (size_t i = 0; i < n; i++)
        if (rows[i] >= 0)
            DVI_FETCH(list->key_offsets + rows[i] / DVI_DATADINGS_SAMPLED);
    if (dvi_map_span_unchecked(list->map, 0, (size_t)list->at, &memory, &span, &err) != DV_OK)
        return;
    for (size_t i = 0; i < n; i++)
        for (int line = 0; line < LINES && rows[i] >= 0; line++)
            DVI_FETCH(span.data + list->key_offsets[rows[i] / DVI_DATADINGS_SAMPLED] +
                      LINE_NBYTES * line);
}

/* The bytes of the entries of these rows, and of the entries before them from row - row % SAMPLED
 * on. */
static dv_status find_entries(dvi_datadings_set *set, int64_t row, size_t n, int64_t *first_out,
                              int64_t *end_out, dv_error *err)
{
    const dvi_datadings_list *list = &set->list;
    const int64_t after = row + (int64_t)n;
    const int64_t block = (after + DVI_DATADINGS_SAMPLED - 1) / DVI_DATADINGS_SAMPLED;
    const int64_t upto = dvi_min_i64(block * DVI_DATADINGS_SAMPLED + 1, set->rows);
    const bool is_read = atomic_load_explicit(&list->is_read, memory_order_acquire);
    dv_status status = DV_OK;
    if (!is_read) {
        pthread_mutex_lock(&set->lock);
        status = dvi_datadings_list_advance(set, upto, err);
    }
    if (status == DV_OK) {
        *first_out = list->key_offsets[row / DVI_DATADINGS_SAMPLED];
        *end_out = block * DVI_DATADINGS_SAMPLED < set->rows ? list->key_offsets[block] : list->at;
    }
    if (!is_read)
        pthread_mutex_unlock(&set->lock);
    return status;
}

/* The offset after `n` entries of a span, which have been checked; -1: they are others now. */
static int64_t skip_entries(const dvi_datadings_list *list, const dvi_span *span, int64_t n)
{
    size_t at = 0;
    uint32_t nbytes;
    dvi_msgpack start;
    for (int64_t i = 0; i < n; i++) {
        const int64_t head = str_head(span->data + at, span->nbytes - at, &nbytes);
        if (head == 0 || nbytes > span->nbytes - at - (size_t)head)
            return -1;
        at += (size_t)head + nbytes;
        if (!list->is_legacy)
            continue;
        dvi_msgpack_reader r = dvi_msgpack_reader_of(span->data + at, span->nbytes - at, 0, 1);
        if (!dvi_msgpack_read(&r, &start))
            return -1;
        at += (size_t)dvi_msgpack_offset(&r);
    }
    return (int64_t)at;
}

static dv_status fail_changed(int64_t at, dv_error *err)
{
    return dvi_fail(err, DV_ERR_IO, "", at, "keys", "the bytes read before|other bytes");
}

/* Take the keys of n rows from a span that starts with `before` entries of other rows. All entries
 * have been checked, except that keys are UTF-8. */
static dv_status take_keys(const dvi_datadings_list *list, const dvi_span *span, int64_t before,
                           int64_t row, size_t n, dv_text *keys_out, dv_error *err)
{
    const int64_t skipped = skip_entries(list, span, before);
    DVI_REQUIRE(skipped >= 0, fail_changed(span->offset, err));
    dvi_msgpack_reader r = dvi_msgpack_reader_of(
        span->data + skipped, span->nbytes - (size_t)skipped, span->offset + skipped, 1);
    for (size_t i = 0; i < n; i++) {
        dvi_msgpack key, start;
        const int64_t at = dvi_msgpack_offset(&r);
        DVI_REQUIRE(dvi_msgpack_read(&r, &key) && key.kind == DVI_MSGPACK_STR &&
                        (!list->is_legacy || dvi_msgpack_read(&r, &start)),
                    fail_changed(at, err));
        if (!dvi_msgpack_is_utf8(&key)) {
            dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.14", at, "key", "UTF-8|other bytes");
            dvi_error_within(err, "key %" PRId64, row + (int64_t)i);
            return DV_ERR_CORRUPT;
        }
        keys_out[i] = (dv_text){(const char *)key.data, key.n};
    }
    return DV_OK;
}

dv_status dvi_datadings_list_keys_unchecked(dvi_datadings_set *set, int64_t row, size_t n,
                                            dv_text *keys_out, dvi_memory **memory,
                                            dvi_span *span_out, dv_error *err)
{
    const dvi_datadings_list *list = &set->list;
    int64_t first = 0, end = 0;
    DVI_TRY(find_entries(set, row, n, &first, &end, err));
    const size_t nbytes = (size_t)(end - first);
    DVI_TRY(dvi_map_span_unchecked(list->map, first, nbytes, memory, span_out, err));
    const dv_status status =
        take_keys(list, span_out, row % DVI_DATADINGS_SAMPLED, row, n, keys_out, err);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(list->map));
    return status;
}

dv_status dvi_datadings_list_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                                  dvi_memory **memory, dvi_span *span_out, dv_error *err)
{
    DVI_TRY(dvi_map_check(set->list.map, err));
    return dvi_datadings_list_keys_unchecked(set, row, n, keys_out, memory, span_out, err);
}
