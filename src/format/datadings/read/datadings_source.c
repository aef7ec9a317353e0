/* SPDX-License-Identifier: MIT */
/* datadings_source.c: reads the bytes of runs of samples from D. */
#include "base/check.h"
#include "base/size.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>

/* The most memory that one byte of a message needs, itself included: an array of small integers. */
#define MEMORY_PER_BYTE 10

/* Have the offsets of `row` in the window. */
static dv_status load_offsets(dvi_datadings_source *s, int64_t row, int64_t end_row, dv_error *err)
{
    if (row >= s->row && row < s->row + (int64_t)s->n)
        return DV_OK;
    const size_t n = (size_t)dvi_min_i64(end_row - row, DVI_DATADINGS_WINDOW);
    s->n = 0;
    DVI_TRY(dvi_datadings_offsets(s->file->set, row, n, s->offsets, &s->scratch, err));
    s->row = row;
    s->n = n;
    return DV_OK;
}

static dv_status check_size(const dvi_datadings_source *s, int64_t at, int64_t nbytes,
                            dv_error *err)
{
    const dv_open_options *limits = &s->file->limits;
    const int64_t most = dvi_min_i64(limits->message_nbytes, INT32_MAX);
    DVI_REQUIRE(nbytes <= most, dvi_fail(err, DV_ERR_LIMIT, "message_nbytes", at, "message",
                                         "at most %" PRId64 " bytes|%" PRId64, most, nbytes));
    const int64_t room = limits->cursor_nbytes / MEMORY_PER_BYTE;
    DVI_REQUIRE(nbytes <= room,
                dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", at, "message",
                         "at most %" PRId64 " bytes (a tenth of cursor_nbytes)|%" PRId64, room,
                         nbytes));
    return DV_OK;
}

static int64_t size_of(const dvi_datadings_source *s, int64_t row)
{
    return dvi_datadings_source_offset(s, row + 1) - dvi_datadings_source_offset(s, row);
}

dv_status dvi_datadings_source_run(dvi_datadings_source *s, int64_t row, int64_t end_row,
                                   int64_t nbytes, int64_t large_nbytes, int64_t *rows_out,
                                   dv_error *err)
{
    DVI_TRY(load_offsets(s, row, end_row, err));
    const int64_t from = dvi_datadings_source_offset(s, row);
    const int64_t most = dvi_min_i64(end_row, s->row + (int64_t)s->n);
    int64_t end = row + 1;
    DVI_TRY(check_size(s, from, size_of(s, row), err));
    while (end < most && size_of(s, row) <= large_nbytes && size_of(s, end) <= large_nbytes &&
           dvi_datadings_source_offset(s, end + 1) - from <= nbytes)
        end++;
    const int64_t to = dvi_datadings_source_offset(s, end);
    dvi_map_leave(s->file->map, &s->left, from, DVI_LEAVE_NBYTES);
    DVI_TRY(dvi_map_span(s->file->map, from, (size_t)(to - from), &s->read, &s->span, err));
    *rows_out = end - row;
    return DV_OK;
}

int64_t dvi_datadings_announce(const dvi_datadings_file *file, const int64_t *rows, int64_t count)
{
    const int64_t most = dvi_map_ahead(file->map) / 2; /* half of them are left at the next call */
    dvi_memory *memory = NULL;
    int64_t done = 0;
    if (most == 0)
        return -1;
    for (int64_t nbytes = 0; done < count && nbytes < most; done++) {
        int64_t ends[2];
        if (dvi_datadings_offsets(file->set, rows[done], 1, ends, &memory, NULL) < 0)
            break;
        dvi_map_announce(file->map, &(dvi_range){ends[0], ends[1] - ends[0]}, 1);
        nbytes += ends[1] - ends[0];
    }
    dvi_memory_release(&memory);
    return done;
}

void dvi_datadings_source_free(dvi_datadings_source *s)
{
    if (s->span.nbytes > 0)
        dvi_map_leave(s->file->map, &s->left, s->span.offset + (int64_t)s->span.nbytes, 1);
    dvi_memory_release(&s->scratch);
    dvi_memory_release(&s->read);
}
