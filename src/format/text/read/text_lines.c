/* SPDX-License-Identifier: MIT */
/* text_lines.c: reads a file line by line as UTF-8. */
#include "format/text/read/text_lines.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include <inttypes.h>
#include <string.h>

#define WINDOW_NBYTES (INT64_C(256) << 10)
#define PIECE_NBYTES 64
#define HALF_A_UNIT UINT32_MAX
#define NOT_UTF8 0xFF

dv_status dvi_text_lines_start(dvi_text_lines *lines, dvi_map *map, dvi_text_limit limit,
                               dv_error *err)
{
    static const struct {
        uint8_t mark[3];
        int nbytes;
        dvi_text_encoding encoding;
    } marks[] = {{{0xEF, 0xBB, 0xBF}, 3, DVI_TEXT_UTF8},
                 {{0xFF, 0xFE, 0}, 2, DVI_TEXT_UTF16_LE},
                 {{0xFE, 0xFF, 0}, 2, DVI_TEXT_UTF16_BE}};
    *lines = (dvi_text_lines){.map = map, .limit = limit, .window = WINDOW_NBYTES};
    int64_t nbytes;
    dvi_span span;
    DVI_TRY(dvi_map_reach(map, 3, &nbytes, err));
    const size_t n = (size_t)dvi_min_i64(3, nbytes);
    DVI_TRY(dvi_map_span(map, 0, n, &lines->read, &span, err));
    for (size_t i = 0; i < 3; i++)
        if (n >= (size_t)marks[i].nbytes &&
            memcmp(span.data, marks[i].mark, (size_t)marks[i].nbytes) == 0) {
            lines->at = marks[i].nbytes;
            lines->encoding = marks[i].encoding;
        }
    if (nbytes < marks[0].nbytes && n > 0 && memcmp(span.data, marks[0].mark, n) == 0)
        lines->at = nbytes; /* the file ends inside its mark, and holds no text */
    return DV_OK;
}

/* --- UTF-16 --- */

static uint32_t unit_at(const dvi_text_lines *lines, const uint8_t *p)
{
    return lines->encoding == DVI_TEXT_UTF16_LE ? (uint32_t)p[0] | (uint32_t)p[1] << 8
                                                : dvi_load_u16_be(p);
}

static size_t width_of(const dvi_text_lines *lines)
{
    return lines->encoding == DVI_TEXT_UTF8 ? 1 : 2;
}

static uint32_t char_at(const dvi_text_lines *lines, const uint8_t *p)
{
    return lines->encoding == DVI_TEXT_UTF8 ? *p : unit_at(lines, p);
}

static size_t write_utf8(uint8_t *dst, uint32_t c)
{
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        dst[i] = (uint8_t)(0x80 | (c & 0x3F));
    dst[0] = (uint8_t)(leads[n] | c);
    return n;
}

/* Convert n bytes to UTF-8. Half a surrogate pair, and half a unit at the end, become a byte that
 * is not UTF-8: whoever checks the text treats both encodings alike. */
static dv_status decode(dvi_text_lines *lines, const uint8_t *p, size_t n, dv_text *text_out,
                        dv_error *err)
{
    size_t used = 0;
    DVI_TRY(dvi_memory_reserve(&lines->decoded, dvi_map_allocator(lines->map), n / 2 * 3 + 3, err));
    uint8_t *dst = lines->decoded->data;
    for (size_t i = 0; i < n; i += 2) {
        uint32_t c = n - i >= 2 ? unit_at(lines, p + i) : HALF_A_UNIT;
        const uint32_t next = n - i >= 4 ? unit_at(lines, p + i + 2) : 0;
        if (c >> 10 == 0x36 && next >> 10 == 0x37) {
            c = 0x10000 + ((c & 0x3FF) << 10) + (next & 0x3FF);
            i += 2;
        }
        if (c >> 11 == 0x1B || c == HALF_A_UNIT)
            dst[used++] = NOT_UTF8;
        else
            used += write_utf8(dst + used, c);
    }
    *text_out = (dv_text){(const char *)dst, (int64_t)used};
    return DV_OK;
}

/* --- Ends --- */

static size_t find_end_utf16(const dvi_text_lines *lines, const uint8_t *p, size_t n)
{
    for (size_t i = 0; n - i >= 2; i += 2) {
        const uint32_t c = unit_at(lines, p + i);
        if (c == '\n' || (c == '\r' && !lines->needs_lf))
            return i;
    }
    return n;
}

/* The first LF or CR of n bytes; n: none. Either may be rare, so the search alternates between them
 * in pieces that double in length. */
static size_t find_end(const dvi_text_lines *lines, const uint8_t *p, size_t n)
{
    if (lines->encoding != DVI_TEXT_UTF8)
        return find_end_utf16(lines, p, n);
    if (lines->needs_lf) {
        const uint8_t *lf = memchr(p, '\n', n);
        return lf ? (size_t)(lf - p) : n;
    }
    for (size_t at = 0, piece = PIECE_NBYTES; at < n; at += piece, piece = at) {
        piece = piece < n - at ? piece : n - at;
        const uint8_t *lf = memchr(p + at, '\n', piece);
        const size_t most = lf ? (size_t)(lf - p) - at : piece;
        const uint8_t *cr = most > 0 ? memchr(p + at, '\r', most) : NULL;
        if (cr || lf)
            return (size_t)((cr ? cr : lf) - p);
    }
    return n;
}

/* The length of the line end at p (LF, CR or CRLF) among n bytes; 0: none. */
static size_t end_nbytes(const dvi_text_lines *lines, const uint8_t *p, size_t n)
{
    const size_t width = width_of(lines);
    if (n < width)
        return 0;
    const bool is_crlf =
        n >= 2 * width && char_at(lines, p) == '\r' && char_at(lines, p + width) == '\n';
    return is_crlf ? 2 * width : width;
}

static dv_status fail_limit(const dvi_text_lines *lines, dv_error *err)
{
    const dvi_text_limit limit = lines->limit;
    return dvi_fail(err, DV_ERR_LIMIT, limit.option, lines->at, "line",
                    "at most %" PRId64 " bytes (option %s)|more", limit.nbytes, limit.option);
}

/* The bytes in the window from the next line on. */
static dvi_span at_hand(const dvi_text_lines *lines)
{
    const int64_t skip = lines->at - lines->span.offset;
    if (skip < 0 || skip >= (int64_t)lines->span.nbytes)
        return (dvi_span){0};
    return (dvi_span){.data = lines->span.data + skip, .nbytes = lines->span.nbytes - (size_t)skip};
}

/* Read a window that holds the next line and its end. *found: the line's length. */
static dv_status find_line(dvi_text_lines *lines, dvi_span *line_out, size_t *found, dv_error *err)
{
    const size_t width = width_of(lines);
    /* an LF may follow a CR */
    const int64_t most = dvi_min_i64(lines->limit.nbytes, INT64_MAX / 4) + 2 * (int64_t)width;
    int64_t wanted = dvi_min_i64(dvi_max_i64(lines->window, 2 * (int64_t)width), most);
    for (;; wanted = dvi_min_i64(2 * wanted, most)) {
        int64_t end;
        *line_out = at_hand(lines);
        const size_t n = line_out->nbytes;
        *found = n > 0 ? find_end(lines, line_out->data, n) : 0;
        DVI_REQUIRE((int64_t)*found <= lines->limit.nbytes, fail_limit(lines, err));
        if (n - *found >= 2 * width)
            return DV_OK;
        DVI_TRY(dvi_map_reach(lines->map, lines->at + dvi_max_i64(wanted, (int64_t)n), &end, err));
        if (lines->at + (int64_t)n == end)
            return DV_OK;
        wanted = dvi_min_i64(wanted, end - lines->at);
        DVI_TRY(
            dvi_map_span(lines->map, lines->at, (size_t)wanted, &lines->read, &lines->span, err));
    }
}

/* Note what ended the line of n bytes, whose end has `nbytes`.  Returns n without a CR before an LF
 * that alone was found as the end. */
static size_t note_ending(dvi_text_lines *lines, const uint8_t *line, size_t n, size_t nbytes)
{
    const size_t width = width_of(lines);
    char *to = lines->ending;
    const bool has_cr =
        lines->needs_lf && nbytes > 0 && n >= width && char_at(lines, line + n - width) == '\r';
    if (has_cr)
        *to++ = '\r';
    for (size_t i = 0; i < nbytes; i += width)
        *to++ = (char)char_at(lines, line + n + i);
    *to = '\0';
    return has_cr ? n - width : n;
}

dv_status dvi_text_lines_next_option(dvi_text_lines *lines, dv_text *line_out, int64_t *offset_out,
                                     dv_error *err)
{
    dv_status status;
    while ((status = dvi_text_lines_next(lines, line_out, offset_out, err)) == DV_OK) {
        const dv_text line = *line_out;
        const bool is_hash = line.nbytes > 0 && line.data[0] == '#';
        if (is_hash && line.nbytes > 1 && line.data[1] == '@')
            return DV_OK;
        if (line.nbytes > 0 && !is_hash && (line.nbytes < 2 || memcmp(line.data, "//", 2) != 0))
            return DV_END;
    }
    return status;
}

bool dvi_text_lines_has_ended(const dvi_text_lines *lines)
{
    return lines->at > 0 && lines->at == lines->end;
}

dv_status dvi_text_lines_next(dvi_text_lines *lines, dv_text *line_out, int64_t *offset_out,
                              dv_error *err)
{
    dvi_span line;
    size_t found;
    if (dvi_text_lines_has_ended(lines))
        return DV_END;
    DVI_TRY(find_line(lines, &line, &found, err));
    if (line.nbytes == 0)
        return DV_END;
    const size_t end_length = end_nbytes(lines, line.data + found, line.nbytes - found);
    const size_t n = end_length > 0 ? found : line.nbytes;
    const size_t own = note_ending(lines, line.data, n, end_length);
    dv_text text = {(const char *)line.data, (int64_t)own};
    if (lines->encoding != DVI_TEXT_UTF8)
        DVI_TRY(decode(lines, line.data, own, &text, err));
    *line_out = text;
    *offset_out = lines->at;
    lines->at += (int64_t)(n + end_length);
    lines->count++;
    lines->end = end_length > 0 ? lines->end : lines->at;
    return DV_OK;
}

void dvi_text_lines_free(dvi_text_lines *lines)
{
    dvi_memory_release(&lines->read);
    dvi_memory_release(&lines->decoded);
    lines->span = (dvi_span){0};
}
