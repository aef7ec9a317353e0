/* SPDX-License-Identifier: MIT */
/* text_lines.c: reads a file line by line as UTF-8, whatever its encoding. */
#include "format/text/read/text_lines.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include <inttypes.h>
#include <string.h>

#define WINDOW_NBYTES (INT64_C(64) << 10)
#define PIECE_NBYTES 64
#define MARK_NBYTES 4
#define HEAD_NBYTES 512 /* that show an encoding without a mark */
#define FEW_UNITS 32
#define CTRL_Z 0x1A /* the end of some files */

/* Byte order marks; a longer one comes first. */
static const struct {
    uint8_t mark[MARK_NBYTES];
    int nbytes;
    dvi_encoding encoding;
} marks[] = {{{0xEF, 0xBB, 0xBF}, 3, {.kind = DVI_ENCODING_UTF8}},
             {{0xFF, 0xFE, 0, 0}, 4, {.kind = DVI_ENCODING_UTF32_LE}},
             {{0, 0, 0xFE, 0xFF}, 4, {.kind = DVI_ENCODING_UTF32_BE}},
             {{0xFF, 0xFE}, 2, {.kind = DVI_ENCODING_UTF16_LE}},
             {{0xFE, 0xFF}, 2, {.kind = DVI_ENCODING_UTF16_BE}}};
#define MARKS (sizeof marks / sizeof *marks)

/* The mark with which n bytes begin, preferably one of the given encoding; MARKS: none. */
static size_t find_mark(const uint8_t *head, size_t n, const dvi_encoding *given)
{
    size_t found = MARKS;
    for (size_t i = 0; i < MARKS; i++) {
        const size_t nbytes = (size_t)marks[i].nbytes;
        if (n < nbytes || memcmp(head, marks[i].mark, nbytes) != 0)
            continue;
        if (given && marks[i].encoding.kind == given->kind)
            return i;
        found = found == MARKS ? i : found;
    }
    return found;
}

dv_status dvi_text_lines_start(dvi_text_lines *lines, dvi_map *map, const dvi_encoding *given,
                               dvi_text_limit limit, dv_error *err)
{
    *lines = (dvi_text_lines){.map = map, .limit = limit, .window = WINDOW_NBYTES};
    int64_t nbytes;
    dvi_span span;
    DVI_TRY(dvi_map_reach(map, MARK_NBYTES, &nbytes, err));
    const size_t n = (size_t)dvi_min_i64(MARK_NBYTES, nbytes);
    DVI_TRY(dvi_map_copy(map, 0, n, &lines->read, &span, err));
    const size_t found = find_mark(span.data, n, given);
    if (found < MARKS) {
        lines->transcoder.encoding = marks[found].encoding;
        lines->at = marks[found].nbytes;
    } else if (given) {
        lines->transcoder.encoding = *given;
    }
    const bool is_utf8 = lines->transcoder.encoding.kind == DVI_ENCODING_UTF8;
    if (is_utf8 && nbytes < marks[0].nbytes && n > 0 && memcmp(span.data, marks[0].mark, n) == 0)
        lines->at = nbytes; /* the file ends inside its mark, and holds no text */
    return DV_OK;
}

static bool is_control(uint32_t c)
{
    return c < ' ' && c != '\t' && c != '\n' && c != '\r';
}

/* Planes 4 to 13 hold no characters.  A tab or line end of UTF-16, together with the unit before or
 * after it, would lie there. */
static bool is_unassigned(uint32_t c)
{
    return c > 0x3FFFF && c < 0xE0000;
}

/* Characters of four bytes, and nothing else. */
static bool is_utf32(const uint8_t *p, size_t n, const dvi_encoding *as)
{
    for (size_t i = 0; i < n; i += 4) {
        const uint32_t c = dvi_encoding_unit(as, p + i);
        if (is_control(c) || c > 0x10FFFF || c >> 11 == 0x1B || is_unassigned(c))
            return false;
    }
    return n >= 8;
}

/* A tab or line end with its bytes in the other order. */
static bool is_swapped(uint32_t c)
{
    return c == '\t' << 8 || c == '\n' << 8 || c == '\r' << 8;
}

/* All units are Latin-1; or some are, an LF or CR among them, half of the units where these are
 * few. */
static bool is_utf16(const uint8_t *p, size_t n, const dvi_encoding *as)
{
    size_t latin = 0;
    bool has_end = false;
    for (size_t i = 0; i < n; i += 2) {
        const uint32_t c = dvi_encoding_unit(as, p + i);
        if (is_control(c) || is_swapped(c))
            return false;
        latin += c <= 0xFF;
        has_end |= c == '\n' || c == '\r';
    }
    const size_t units = n / 2, wanted = units < FEW_UNITS ? (units + 1) / 2 : units / 8;
    return units >= 2 && (latin == units || (has_end && latin >= wanted));
}

static dvi_encoding_kind find_unmarked(const uint8_t *p, size_t n)
{
    if (!memchr(p, 0, n))
        return DVI_ENCODING_UTF8;
    for (size_t i = 1; i < MARKS; i++) {
        const dvi_encoding *as = &marks[i].encoding;
        const size_t width = dvi_encoding_width(as), all = n - n % width;
        const bool has_ctrl_z = all > 0 && dvi_encoding_unit(as, p + all - width) == CTRL_Z;
        const size_t whole = has_ctrl_z ? all - width : all;
        if (width == 4 ? is_utf32(p, whole, as) : is_utf16(p, whole, as))
            return as->kind;
    }
    return DVI_ENCODING_UTF8;
}

bool dvi_text_lines_is_wide(const uint8_t *head, size_t n)
{
    const size_t mark = find_mark(head, n, NULL);
    const dvi_encoding_kind kind =
        mark < MARKS ? marks[mark].encoding.kind : find_unmarked(head, n);
    return kind != DVI_ENCODING_UTF8;
}

dv_status dvi_text_lines_unmarked(dvi_encoding *encoding_out, dvi_map *map, dv_error *err)
{
    int64_t nbytes;
    dvi_span span;
    dvi_memory *memory = NULL;
    *encoding_out = (dvi_encoding){.kind = DVI_ENCODING_UTF8};
    DVI_TRY(dvi_map_reach(map, HEAD_NBYTES, &nbytes, err));
    const size_t n = (size_t)dvi_min_i64(HEAD_NBYTES, nbytes);
    const dv_status status = dvi_map_copy(map, 0, n, &memory, &span, err);
    if (status == DV_OK && find_mark(span.data, n, NULL) == MARKS)
        encoding_out->kind = find_unmarked(span.data, n);
    dvi_memory_release(&memory);
    return status;
}

static uint32_t char_at(const dvi_text_lines *lines, const uint8_t *p)
{
    return dvi_encoding_unit(&lines->transcoder.encoding, p);
}

/* Decode a line, unless it is all ASCII, which most encodings contain. */
static dv_status decode(dvi_text_lines *lines, const uint8_t *p, size_t n, dv_text *text_out,
                        dv_error *err)
{
    size_t units;
    *text_out = (dv_text){(const char *)p, (int64_t)n};
    if (lines->transcoder.encoding.kind == DVI_ENCODING_UTF8 ||
        (dvi_text_lines_width(lines) == 1 && dvi_kernels()->utf8_units(p, n, &units) == n &&
         units == n))
        return DV_OK;
    return dvi_transcoder_read(&lines->transcoder, text_out, p, n, dvi_map_allocator(lines->map),
                               err);
}

/* --- Ends --- */

static size_t find_end_wide(const dvi_text_lines *lines, const uint8_t *p, size_t n)
{
    const size_t width = dvi_text_lines_width(lines);
    for (size_t i = 0; n - i >= width; i += width) {
        const uint32_t c = char_at(lines, p + i);
        if (c == '\n' || (c == '\r' && !lines->needs_lf))
            return i;
    }
    return n;
}

/* The first LF or CR of n bytes; n: none. Either may be rare, so the search alternates between them
 * in pieces that double in length. */
static size_t find_end(const dvi_text_lines *lines, const uint8_t *p, size_t n)
{
    if (dvi_text_lines_width(lines) > 1)
        return find_end_wide(lines, p, n);
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
    const size_t width = dvi_text_lines_width(lines);
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
    const size_t width = dvi_text_lines_width(lines);
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
            dvi_map_copy(lines->map, lines->at, (size_t)wanted, &lines->read, &lines->span, err));
    }
}

/* Note what ended the line of n bytes, whose end has `nbytes`.  Returns n without a CR before an LF
 * that alone was found as the end. */
static size_t note_ending(dvi_text_lines *lines, const uint8_t *line, size_t n, size_t nbytes)
{
    const size_t width = dvi_text_lines_width(lines);
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
    DVI_TRY(decode(lines, line.data, own, line_out, err));
    *offset_out = lines->at;
    lines->at += (int64_t)(n + end_length);
    lines->count++;
    lines->end = end_length > 0 ? lines->end : lines->at;
    return DV_OK;
}

void dvi_text_lines_free(dvi_text_lines *lines)
{
    dvi_memory_release(&lines->read);
    dvi_transcoder_free(&lines->transcoder);
    lines->span = (dvi_span){0};
}
