/* SPDX-License-Identifier: MIT */
/* text_lines.c: where are the lines of a file? */
#include "format/text/text_lines.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include <inttypes.h>
#include <string.h>

#define WINDOW_NBYTES (INT64_C(256) << 10)
#define REPLACEMENT 0xFFFD

dv_status dvi_text_lines_start(dvi_text_lines *lines, dvi_map *map, int64_t limit, dv_error *err)
{
    static const struct {
        uint8_t mark[3];
        int nbytes;
        dvi_text_encoding encoding;
    } marks[] = {{{0xEF, 0xBB, 0xBF}, 3, DVI_TEXT_UTF8},
                 {{0xFF, 0xFE, 0}, 2, DVI_TEXT_UTF16_LE},
                 {{0xFE, 0xFF, 0}, 2, DVI_TEXT_UTF16_BE}};
    *lines = (dvi_text_lines){.map = map, .limit = limit};
    const size_t n = (size_t)dvi_min_i64(3, dvi_map_nbytes(map));
    dvi_span span;
    DVI_TRY(dvi_map_span(map, 0, n, &lines->read, &span, err));
    for (size_t i = 0; i < 3; i++)
        if (n >= (size_t)marks[i].nbytes &&
            memcmp(span.data, marks[i].mark, (size_t)marks[i].nbytes) == 0) {
            lines->at = marks[i].nbytes;
            lines->encoding = marks[i].encoding;
        }
    return DV_OK;
}

/* --- UTF-16 ------------------------------------------------------------------------------------
 */

static uint32_t unit_at(const dvi_text_lines *lines, const uint8_t *p)
{
    return lines->encoding == DVI_TEXT_UTF16_LE ? (uint32_t)p[0] | (uint32_t)p[1] << 8
                                                : dvi_load_u16_be(p);
}

static size_t put(uint8_t *dst, uint32_t c)
{
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        dst[i] = (uint8_t)(0x80 | (c & 0x3F));
    dst[0] = (uint8_t)(leads[n] | c);
    return n;
}

/* n bytes as UTF-8; half a pair, and half a unit at the end, become U+FFFD. */
static dv_status decode(dvi_text_lines *lines, const uint8_t *p, size_t n, dv_text *text_out,
                        dv_error *err)
{
    size_t used = 0;
    DVI_TRY(dvi_memory_reserve(&lines->decoded, dvi_map_allocator(lines->map), n / 2 * 3 + 3, err));
    uint8_t *dst = lines->decoded->data;
    for (size_t i = 0; i < n; i += 2) {
        uint32_t c = n - i >= 2 ? unit_at(lines, p + i) : REPLACEMENT;
        const uint32_t next = n - i >= 4 ? unit_at(lines, p + i + 2) : 0;
        if (c >> 10 == 0x36 && next >> 10 == 0x37) {
            c = 0x10000 + ((c & 0x3FF) << 10) + (next & 0x3FF);
            i += 2;
        } else if (c >> 11 == 0x1B) {
            c = REPLACEMENT;
        }
        used += put(dst + used, c);
    }
    *text_out = (dv_text){(const char *)dst, (int64_t)used};
    return DV_OK;
}

/* --- Ends --------------------------------------------------------------------------------------
 */

/* The first LF or CR of n bytes; n: none. */
static size_t find_end(const dvi_text_lines *lines, const uint8_t *p, size_t n)
{
    if (lines->encoding == DVI_TEXT_UTF8) {
        const uint8_t *lf = memchr(p, '\n', n);
        const size_t most = lf ? (size_t)(lf - p) : n;
        const uint8_t *cr = most > 0 ? memchr(p, '\r', most) : NULL;
        return cr ? (size_t)(cr - p) : most;
    }
    for (size_t i = 0; n - i >= 2; i += 2) {
        const uint32_t c = unit_at(lines, p + i);
        if (c == '\n' || c == '\r')
            return i;
    }
    return n;
}

/* Have `nbytes` bytes of the next line at hand, or all that are left of the file. */
static dv_status read_more(dvi_text_lines *lines, int64_t nbytes, dv_error *err)
{
    const int64_t left = dvi_map_nbytes(lines->map) - lines->at;
    const int64_t n = dvi_min_i64(left, nbytes);
    DVI_REQUIRE(n <= dvi_max_i64(lines->limit, WINDOW_NBYTES),
                dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", lines->at, "line",
                         "at most %" PRId64 " bytes (option cursor_nbytes)|more", lines->limit));
    return dvi_map_span(lines->map, lines->at, (size_t)n, &lines->read, &lines->span, err);
}

dv_status dvi_text_lines_next(dvi_text_lines *lines, dv_text *line_out, int64_t *offset_out,
                              dv_error *err)
{
    const size_t width = lines->encoding == DVI_TEXT_UTF8 ? 1 : 2;
    const int64_t end = dvi_map_nbytes(lines->map);
    if (lines->at >= end)
        return DV_END;
    for (int64_t wanted = WINDOW_NBYTES;; wanted *= 2) {
        const int64_t skip = lines->at - lines->span.offset;
        const bool is_inside =
            lines->span.nbytes > 0 && skip >= 0 && skip < (int64_t)lines->span.nbytes;
        const uint8_t *p = is_inside ? lines->span.data + skip : NULL;
        const size_t n = is_inside ? lines->span.nbytes - (size_t)skip : 0;
        const bool is_all = lines->at + (int64_t)n == end;
        const size_t found = n > 0 ? find_end(lines, p, n) : n;
        /* behind a CR there may be an LF */
        if (!is_all && n - found < 2 * width) {
            DVI_TRY(read_more(lines, wanted, err));
            continue;
        }
        size_t next = found;
        if (n - found >= width) {
            const bool is_cr = p[found] == '\r' || (width == 2 && p[found + 1] == '\r');
            next += width;
            if (is_cr && n - next >= width) {
                const uint32_t c = width == 1 ? p[next] : unit_at(lines, p + next);
                next += c == '\n' ? width : 0;
            }
        } else {
            next = n;
        }
        const size_t text_nbytes = n - found >= width ? found : n;
        *offset_out = lines->at;
        *line_out = (dv_text){(const char *)p, (int64_t)text_nbytes};
        if (width == 2)
            DVI_TRY(decode(lines, p, text_nbytes, line_out, err));
        lines->at += (int64_t)next;
        return DV_OK;
    }
}

void dvi_text_lines_free(dvi_text_lines *lines)
{
    dvi_memory_release(&lines->read);
    dvi_memory_release(&lines->decoded);
    lines->span = (dvi_span){0};
}
