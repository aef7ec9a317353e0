/* SPDX-License-Identifier: MIT */
/* datadings_scan.c: reads messages to find their starts and their own keys, for sets without side
 * files (datadings:1.1, datadings:3.1). */
#include "base/alloc.h"
#include "format/datadings/index/datadings_files_priv.h"
#include "format/datadings/index/datadings_message.h"
#include <inttypes.h>
#include <string.h>

/* --- Starts of messages ----------------------------------------------------------------------- */

/* Set *nbytes_out to the size of the message at `at`. The window doubles until it holds the whole
 * message. */
static dv_status measure(const dvi_datadings_set *set, dvi_span *span, dvi_memory **memory,
                         int64_t at, int64_t *nbytes_out, dv_error *err)
{
    const int64_t left = dvi_map_nbytes(set->data) - at;
    const int64_t most = dvi_min_i64(left, set->options.message_nbytes);
    const int32_t nesting = (int32_t)set->options.nesting;
    int64_t window = span->offset + (int64_t)span->nbytes - at; /* bytes in *span */
    for (;;) {
        dvi_msgpack_reader r =
            dvi_msgpack_reader_of(span->data + (at - span->offset), (size_t)window, at, nesting);
        const bool is_whole = dvi_msgpack_skip(&r, 0);
        *nbytes_out = dvi_msgpack_offset(&r) - at;
        if (is_whole && *nbytes_out <= most)
            return DV_OK;
        if (!is_whole && (window == left || r.fault != DVI_MSGPACK_BROKEN))
            return dvi_msgpack_failure(&r, err);
        if (is_whole || window > most)
            return dvi_fail(err, DV_ERR_LIMIT, "message_nbytes", at, "message",
                            "at most %" PRId64 " bytes|more", most);
        window = dvi_min_i64(left, dvi_max_i64(2 * window, DVI_DATADINGS_WINDOW_NBYTES));
        DVI_TRY(dvi_map_span(set->data, at, (size_t)window, memory, span, err));
    }
}

static dv_status add_start(dvi_datadings_set *set, int64_t at, dv_error *err)
{
    void *starts = set->starts;
    DVI_REQUIRE(set->rows < DVI_DATADINGS_ROWS_MAX,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings:9", at, "messages",
                         "at most %" PRId64 "|more", DVI_DATADINGS_ROWS_MAX));
    const dv_status status = dvi_array_reserve(&set->allocator, &starts, &set->starts_cap,
                                               (size_t)set->rows + 1, sizeof *set->starts, err);
    set->starts = starts;
    DVI_TRY(status);
    set->starts[set->rows++] = at;
    return DV_OK;
}

/* A sample takes 8 bytes of memory, and a message without a key one byte of the file, or none if
 * the file has holes: zeros are messages. */
static dv_status check_content(const dvi_datadings_set *set, const dvi_span *span, int64_t *empty,
                               dv_error *err)
{
    const int64_t most = set->options.rows_without_columns;
    dvi_msgpack map;
    const size_t at = (size_t)(set->end - span->offset);
    dvi_msgpack_reader r = dvi_msgpack_reader_of(span->data + at, span->nbytes - at, set->end,
                                                 (int32_t)set->options.nesting);
    const bool has_keys = dvi_msgpack_read(&r, &map) && map.kind == DVI_MSGPACK_MAP && map.n > 0;
    *empty += !has_keys;
    DVI_REQUIRE(*empty <= most,
                dvi_fail(err, DV_ERR_LIMIT, "rows_without_columns", set->end,
                         "messages that are no map with keys",
                         "at most %" PRId64 " (option rows_without_columns)|more", most));
    return DV_OK;
}

dv_status dvi_datadings_scan(dvi_datadings_set *set, dv_error *err)
{
    int64_t empty = 0, left = 0;
    dvi_memory *memory = NULL;
    dvi_span span = {.data = (const uint8_t *)""};
    dv_error found = DV_ERROR_INIT;
    dv_status status = DV_OK;
    while (set->end < dvi_map_nbytes(set->data) && status == DV_OK) {
        int64_t nbytes;
        status = measure(set, &span, &memory, set->end, &nbytes, &found);
        if (status == DV_OK)
            status = check_content(set, &span, &empty, &found);
        if (status == DV_OK)
            status = add_start(set, set->end, &found);
        if (status == DV_OK)
            set->end += nbytes;
        dvi_map_leave(set->data, &left, set->end, DVI_LEAVE_NBYTES);
    }
    dvi_memory_release(&memory);
    if (status == DV_ERR_CORRUPT && set->options.lenient)
        return DV_OK; /* the samples before a broken end, as a crash leaves it */
    if (status < 0 && err) {
        dvi_error_within(&found, "sample %" PRId64, set->rows);
        dvi_error_set_file(&found, dvi_map_name(set->data));
        *err = found;
    }
    return status;
}

/* --- Keys in messages ------------------------------------------------------------------------- */

/* Append a key to the *used bytes in *memory. */
static dv_status keep_key(dvi_datadings_set *set, dv_text key, dvi_memory **memory, size_t *used,
                          dv_error *err)
{
    if (key.nbytes <= 0)
        return DV_OK;
    DVI_TRY(dvi_memory_extend(memory, *used, *used + (size_t)key.nbytes, &set->allocator, err));
    memcpy((*memory)->data + *used, key.data, (size_t)key.nbytes);
    *used += (size_t)key.nbytes;
    return DV_OK;
}

/* Append the key of one row to *memory. *nbytes_out: its length, -1: NA. */
static dv_status copy_own_key(dvi_datadings_set *set, int64_t row, dvi_memory **window,
                              dvi_memory **memory, size_t *used, int64_t *nbytes_out, dv_error *err)
{
    int64_t ends[2];
    dvi_span span;
    dv_text key;
    DVI_TRY(dvi_datadings_offsets(set, row, 1, ends, NULL, err));
    DVI_TRY(dvi_map_span(set->data, ends[0], (size_t)(ends[1] - ends[0]), window, &span, err));
    dvi_datadings_own_key(span.data, span.nbytes, (int32_t)set->options.nesting, &key);
    *nbytes_out = key.nbytes;
    return keep_key(set, key, memory, used, err);
}

dv_status dvi_datadings_own_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                                 dvi_memory **memory, dv_error *err)
{
    dvi_memory *window = NULL;
    size_t used = 0;
    dv_status status = dvi_memory_reserve(memory, &set->allocator, 1, err);
    for (size_t i = 0; i < n && status == DV_OK; i++)
        status =
            copy_own_key(set, row + (int64_t)i, &window, memory, &used, &keys_out[i].nbytes, err);
    dvi_memory_release(&window);
    used = 0;
    for (size_t i = 0; i < n && status == DV_OK; i++) {
        keys_out[i].data = (const char *)(*memory)->data + used;
        used += keys_out[i].nbytes > 0 ? (size_t)keys_out[i].nbytes : 0;
    }
    return status;
}
