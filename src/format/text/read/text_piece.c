/* SPDX-License-Identifier: MIT */
/* text_piece.c: reads the rows of a piece of a file. */
#include "format/text/read/text_piece.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include <string.h>

#define BATCH_NBYTES (INT64_C(4) << 20)
#define SEARCH_NBYTES (INT64_C(64) << 10)
#define GUESSES 16
#define SEARCH_MARKS 64 /* the fewest with which the kernel is fast */

/* Count a fault in a column of the file. */
static void count_fault(void *ctx, const dvi_text_fault *fault)
{
    dvi_text_piece *p = ctx;
    dvi_text_fault own = *fault;
    own.column = fault->column < 0 ? -1 : p->columns[fault->column];
    dvi_text_tallies_add(&p->tallies, &own);
}

dv_status dvi_text_piece_create(dvi_text_piece *p, const dvi_text_file *file,
                                const int32_t *columns, int32_t columns_count, dv_error *err)
{
    const dvi_text_options *o = &file->options;
    const dvi_text_dialect dialect = dvi_text_dialect_of(o);
    const int64_t limit = file->limits.cursor_nbytes;
    const int64_t line_nbytes = dvi_text_line_limit(file).nbytes;
    dvi_text_wanted wanted = {.line_nbytes = line_nbytes};
    *p = (dvi_text_piece){
        .is_scanned = o->piece_nbytes > 0, .plain_rows = INT64_MAX, .plain_nbytes = INT64_MAX};
    p->tallies = (dvi_text_tallies){.allocator = &file->allocator, .layout = &file->layout};
    p->columns = columns;
    if (columns_count > 0) {
        DVI_TRY(dvi_text_rows_create(&p->rows, &file->layout, o, columns, columns_count, limit,
                                     &file->allocator, err));
        p->is_scanned &= dvi_text_rows_plain(p->rows, &wanted, &p->plain_rows, &p->plain_nbytes);
        wanted.line_nbytes = dvi_min_i64(wanted.line_nbytes, line_nbytes);
        wanted.trims = o->trim;
        if (o->counts)
            dvi_text_rows_watch(p->rows, count_fault, p);
    }
    wanted.comment = dvi_text_comment_of(o);
    p->is_scanned &= o->wide_separators_count == 0;
    wanted.joins = o->multilines && o->allow_quoting;
    wanted.needs_lf = o->needs_lf;
    dvi_text_scan_start(&p->scan, file->map, &dialect, &wanted);
    return DV_OK;
}

/* What was read beyond the end of the piece stays for the one that reads the next piece; drop it
 * once that is done, too: when this one goes on at `begin`. */
static void leave_rest(dvi_text_piece *p, int64_t begin)
{
    const dvi_span *scan = &p->scan.span, *lines = &p->reader.lines.span;
    const int64_t end =
        dvi_max_i64(scan->offset + (int64_t)scan->nbytes, lines->offset + (int64_t)lines->nbytes);
    if (end <= begin)
        dvi_map_leave(p->scan.map, &p->left, end, 1);
}

void dvi_text_piece_stop(dvi_text_piece *p)
{
    if (p->scan.map)
        leave_rest(p, INT64_MAX);
    p->scan.map = p->reader.lines.map = NULL;
}

void dvi_text_piece_free(dvi_text_piece *p)
{
    dvi_text_piece_stop(p);
    dvi_text_reader_free(&p->reader);
    dvi_text_scan_free(&p->scan);
    dvi_text_rows_free(&p->rows);
    if (p->tallies.allocator)
        dvi_text_tallies_free(&p->tallies);
}

static bool is_ascii(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (uint8_t)text[i] < 0x80)
        i++;
    return i == n;
}

void dvi_text_piece_start(dvi_text_piece *p, const dvi_text_reader *reader)
{
    dvi_text_reader_free(&p->reader);
    p->reader = dvi_text_reader_twin(reader);
    p->line_nbytes = reader->lines.limit.nbytes;
    p->scan.map = reader->lines.map;
    const bool is_utf8 = reader->lines.transcoder.encoding.kind == DVI_ENCODING_UTF8;
    p->is_scanned &= dvi_text_lines_width(&reader->lines) == 1;
    /* bytes are compared with it before they are decoded */
    p->is_scanned &=
        is_utf8 || is_ascii(p->scan.wanted.comment.start, p->scan.wanted.comment.nbytes);
    p->end = INT64_MAX;
}

void dvi_text_piece_limit(dvi_text_piece *p, int64_t nbytes)
{
    p->reader.lines.limit.nbytes = dvi_min_i64(nbytes, p->line_nbytes);
    if (p->rows)
        dvi_text_rows_limit(p->rows, nbytes);
}

/* --- Where it starts --- */

/* Move *at past the first line end at *at or later but before byte `end` - 1; or to `end`. If `end`
 * parts a CRLF, its LF is an empty line. */
static dv_status find_line(dvi_text_piece *p, int64_t *at, int64_t end, dv_error *err)
{
    static const dvi_ascii_set either = {{['\n'] = 1, ['\r'] = 1}}, lf = {{['\n'] = 1}};
    const dvi_ascii_set *line_ends = p->reader.lines.needs_lf ? &lf : &either;
    dvi_text_lines *lines = &p->reader.lines;
    uint32_t marks[SEARCH_MARKS];
    while (*at < end - 1) {
        const size_t n = (size_t)dvi_min_i64(end - 1 - *at, SEARCH_NBYTES);
        lines->span = (dvi_span){0};
        DVI_TRY(dvi_map_span(lines->map, *at, n, &lines->read, &lines->span, err));
        if (dvi_kernels()->bytes_find(marks, SEARCH_MARKS, lines->span.data, n, line_ends) > 0) {
            const char *found = (const char *)lines->span.data + marks[0];
            const bool is_crlf = *found == '\r' && marks[0] + 1 < n && found[1] == '\n';
            *at += marks[0] + (is_crlf ? 2 : 1);
            return DV_OK;
        }
        *at += (int64_t)n;
    }
    *at = end;
    return DV_OK;
}

static bool ends_field(const dvi_text_dialect *d, char c)
{
    return c == '\n' || c == '\r' || d->is_separator[(uint8_t)c];
}

/* Does the first quote of a line, `quote`, open a field? Before `end`. */
static bool opens_field(const dvi_text_dialect *d, const char *line, const char *quote,
                        const char *end)
{
    const char before = quote > line ? quote[-1] : '\n';
    return d->is_separator[(uint8_t)before] ||
           (ends_field(d, before) && quote + 1 < end && !ends_field(d, quote[1]));
}

/* Where quotes may contain line ends, the line at *at may be the inside of a field: its first quote
 * then closes one, and the next line is tried. This is a guess, which saves time where it is
 * right. */
static dv_status guess_row(dvi_text_piece *p, int64_t *at, int64_t end, dv_error *err)
{
    const dvi_text_dialect *d = &p->reader.dialect;
    dvi_text_lines *lines = &p->reader.lines;
    for (int tries = 0; tries < GUESSES && *at < end; tries++) {
        const size_t n = (size_t)dvi_min_i64(end - *at, SEARCH_NBYTES);
        lines->span = (dvi_span){0};
        DVI_TRY(dvi_map_span(lines->map, *at, n, &lines->read, &lines->span, err));
        const char *line = (const char *)lines->span.data, *quote = memchr(line, d->quote, n);
        if (!quote || opens_field(d, line, quote, line + n))
            return DV_OK;
        *at += quote - line;
        DVI_TRY(find_line(p, at, end, err));
    }
    return DV_OK;
}

dv_status dvi_text_piece_seek(dvi_text_piece *p, int64_t begin, int64_t end, bool is_line,
                              dv_error *err)
{
    const int64_t known = dvi_min_i64(end, dvi_map_nbytes(p->scan.map));
    int64_t at = is_line ? begin : begin - 1;
    leave_rest(p, begin);
    p->n = 0;
    if (!is_line)
        DVI_TRY(find_line(p, &at, known, err));
    if (!is_line && p->reader.multilines && p->reader.dialect.allow_quoting)
        DVI_TRY(guess_row(p, &at, known, err));
    p->reader.lines.at = at;
    p->left = at;
    /* no line starts in the piece; bytes appended to the file belong to the line before */
    p->end = is_line || at < known ? end : known;
    return DV_OK;
}

/* --- Rows --- */

/* Add one row by the general reader. */
static dv_status add_line(dvi_text_piece *p, dv_error *err)
{
    dvi_text_reader *reader = &p->reader;
    const int64_t at = reader->lines.at;
    const bool has_begun = reader->has_begun;
    dv_text line;
    int64_t offset;
    p->tallies.row = p->n;
    dv_status status = dvi_text_reader_next(reader, &line, &offset, err);
    if (status == DV_OK && offset >= p->end) {
        reader->lines.at = offset;
        status = DV_END;
    } else if (status == DV_OK && p->rows) {
        status = dvi_text_rows_add(p->rows, line, err);
        if (status == DV_OK && p->tallies.is_failed)
            status = dvi_fail_memory(err, sizeof(dvi_text_tally));
    }
    if (status < 0) {
        dvi_text_tallies_undo(&p->tallies);
        reader->lines.at = at;
        reader->has_begun = has_begun;
    }
    p->n += status == DV_OK;
    return status;
}

/* A line that ends with the piece may end with a CR whose LF is the first byte of the next piece,
 * which begins after it. */
static dv_status pass_lf(dvi_text_piece *p, int64_t *at, dv_error *err)
{
    dvi_text_lines *lines = &p->reader.lines;
    if (*at != p->end || *at < 1 || *at >= dvi_map_nbytes(lines->map))
        return DV_OK;
    lines->span = (dvi_span){0};
    DVI_TRY(dvi_map_span(lines->map, *at - 1, 2, &lines->read, &lines->span, err));
    *at += memcmp(lines->span.data, "\r\n", 2) == 0;
    return DV_OK;
}

/* Add at most `most` rows, or skip lines that are not rows. */
static dv_status add_lines(dvi_text_piece *p, int64_t most, dv_error *err)
{
    int64_t *at = &p->reader.lines.at, next = *at;
    dvi_text_plain lines;
    if (*at >= p->end || dvi_text_lines_has_ended(&p->reader.lines))
        return DV_END;
    if (!p->is_scanned || !p->reader.has_begun || *at < p->careful_end)
        return add_line(p, err);
    DVI_TRY(dvi_text_scan_next(&p->scan, &next, p->end, dvi_min_i64(most, p->plain_rows),
                               p->plain_nbytes, &lines, err));
    if (next == *at)
        return add_line(p, err);
    const dv_status status =
        p->rows && lines.n > 0 ? dvi_text_rows_add_plain(p->rows, &lines, err) : DV_OK;
    if (status == DV_NOT_FOUND) { /* one of them is an error, which the general reader names */
        p->careful_end = next;
        return add_line(p, err);
    }
    DVI_TRY(status);
    *at = next;
    p->n += (int64_t)lines.n;
    return pass_lf(p, at, err);
}

dv_status dvi_text_piece_read(dvi_text_piece *p, int64_t most, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    p->n = 0;
    dvi_text_tallies_clear(&p->tallies);
    if (p->rows)
        DVI_TRY(dvi_text_rows_clear(p->rows, err));
    while (status == DV_OK && p->n < most &&
           (!p->rows || dvi_text_rows_nbytes(p->rows) < BATCH_NBYTES))
        status = add_lines(p, most - p->n, &own);
    dvi_map_leave(p->scan.map, &p->left, p->reader.lines.at, 1);
    if (p->n > 0)
        return DV_OK;
    if (status < 0 && err)
        *err = own;
    return status;
}
