/* SPDX-License-Identifier: MIT */
/* fuzz_propose.c: any bytes as text without options, or with an encoding or dates, which the last
 * byte chooses: what is proposed opens, and no bad value ends the rows of a file that was looked at
 * as a whole. */
#include "io/unpack.h"
#include "format/text/propose/text_propose.h"
#include "meter.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 13, /* larger inputs are not looked at */
    LINES = 200            /* sampled by a proposal */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const asked[] = {"auto encoding=windows-1252",
                                    "auto encoding=windows-874",
                                    "auto encoding=utf-16le",
                                    "auto encoding=utf-16be",
                                    "auto encoding=utf-32le",
                                    "auto encoding=utf-32be",
                                    "auto encoding=gbk",
                                    "auto encoding=shift_jis",
                                    "auto date=dmy",
                                    "auto date=mdy",
                                    "auto date=ymd",
                                    "auto date=%d/%m/%Y %H:%M",
                                    "auto date=%Y%m%d",
                                    "auto date={%b %d, %y}"};
#define ASKED (sizeof asked / sizeof *asked)

/* Propose options; the input bounds all memory. */
static dv_status propose(dv_buffer *text_out, const uint8_t *data, size_t n,
                         const dv_allocator *allocator)
{
    dvi_map *map = NULL;
    dvi_arena arena;
    dvi_text_given given;
    const size_t choice = n > 0 ? (size_t)data[n - 1] - 1 : ASKED;
    dv_error err = DV_ERROR_INIT;
    dv_status status =
        dvi_map_open_memory(&map, data, n, NULL, NULL, "input", DV_IO_PREAD, allocator, &err);
    DVT_CHECK(status == DV_OK);
    dvi_arena_init(&arena, allocator);
    if (choice < ASKED)
        status = dvi_text_given_read(&given, asked[choice], &arena, &err);
    DVT_CHECK(status == DV_OK);
    status = dvi_text_propose(text_out, NULL, map, choice < ASKED ? &given : NULL, &err);
    dvi_arena_free(&arena);
    dvi_map_release(&map);
    DVT_CHECK(status == DV_OK || status == DV_NOT_FOUND);
    return status;
}

static bool is_whole(const uint8_t *data, size_t n)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += data[i] == '\n' || data[i] == '\r';
    return lines < LINES;
}

/* Does a bad value end the rows?  Other faults may: a line with more fields than columns, a quote
 * that stays open. */
static bool has_bad_value(dv_view *view)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status = dv_cursor_open(&cursor, view, NULL, &err);
    DVT_CHECK(status == DV_OK);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, &err);
    dv_cursor_close(&cursor);
    return status != DV_END && strcmp(err.rule, "semantics:6.4") == 0 &&
           strncmp(err.expected, "at most", 7) != 0;
}

static void check_proposal(const char *text, const uint8_t *data, size_t n,
                           const dv_allocator *allocator)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.format = "text";
    how.text = text;
    how.allocator = allocator;
    DVT_CHECK(dv_open_memory(&view, data, n, NULL, NULL, "input", &how, &err) == DV_OK);
    DVT_CHECK(!has_bad_value(view) || !is_whole(data, n));
    dv_view_release(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FILE_NBYTES || dvi_packing_of(data, n) != DVI_PACKING_NONE) /* dv_open unpacks it */
        return 0;
    dvt_meter meter = {.most_nbytes = 4096 * (long long)n + (16 << 20)};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    dv_buffer text;
    if (propose(&text, data, n, &allocator) == DV_OK) {
        DVT_CHECK(strlen(text.data) == text.nbytes);
        check_proposal(text.data, data, n, &allocator);
        dv_buffer_release(&text);
    }
    DVT_CHECK(atomic_load(&meter.live_nbytes) == 0);
    return 0;
}
