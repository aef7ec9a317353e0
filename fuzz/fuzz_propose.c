/* SPDX-License-Identifier: MIT */
/* fuzz_propose.c: any bytes as text without options, or with an encoding or dates, which the last
 * byte chooses: what is proposed opens, and no field of a file that was looked at as a whole is a
 * bad value then. */
#include "io/unpack.h"
#include "format/text/propose/text_propose.h"
#include "meter.h"
#include <dataview/inspect.h>
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

/* Does one of the first lines come again, as a header does in joined files?  Its names fit no
 * column.
 */
static bool has_header_again(const uint8_t *data, size_t n)
{
    const uint8_t *first[8];
    size_t nbytes[8], count = 0, begin = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && data[i] != '\n' && data[i] != '\r')
            continue;
        for (size_t k = 0; k < count; k++)
            if (nbytes[k] == i - begin && memcmp(first[k], data + begin, i - begin) == 0)
                return true;
        if (count < 8 && i > begin) {
            first[count] = data + begin;
            nbytes[count++] = i - begin;
        }
        begin = i + 1;
    }
    return false;
}

/* The defects that verify finds. */
typedef struct finds {
    bool has_bad; /* a field does not fit its column */
    bool has_odd; /* a line is odd as a whole, so that no type was made for its fields */
} finds;

static bool note_defect(void *ctx, const dv_error *found)
{
    finds *f = ctx;
    const bool is_bad = strstr(found->expected, "values of the column's type") != NULL;
    f->has_bad |= is_bad;
    f->has_odd |= strstr(found->expected, "field") || strstr(found->expected, "complete quotes");
    return true;
}

static void check_proposal(const char *text, const uint8_t *data, size_t n,
                           const dv_allocator *allocator)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    finds found = {false, false};
    how.format = "text";
    how.text = text;
    how.allocator = allocator;
    DVT_CHECK(dv_open_memory(&view, data, n, NULL, NULL, "input", &how, &err) == DV_OK);
    verify.defect = note_defect;
    verify.ctx = &found;
    dv_verify(view, &verify, &err); /* a quote that stays open ends it */
    DVT_CHECK(!is_whole(data, n) || !found.has_bad || found.has_odd || has_header_again(data, n));
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
