/* SPDX-License-Identifier: MIT */
/* text_reader.c: reads the data lines of a file. */
#include "format/text/read/text_reader.h"
#include "base/check.h"
#include "codec/space.h"
#include <inttypes.h>
#include <string.h>

#define JOINED_NBYTES ((size_t)64 << 20) /* an open quote is text after this size */

dv_status dvi_text_reader_start(dvi_text_reader *reader, dvi_map *map,
                                const dvi_text_options *options, dvi_text_limit limit,
                                dv_error *err)
{
    *reader = (dvi_text_reader){.dialect = dvi_text_dialect_of(options),
                                .trim = options->trim,
                                .comment = dvi_text_comment_of(options),
                                .skip = options->skip,
                                .keeps_breaks = options->csv,
                                .multilines = options->multilines && options->allow_quoting};
    const dv_status status =
        dvi_text_lines_start(&reader->lines, map, &options->encoding, limit, err);
    reader->lines.needs_lf = options->needs_lf;
    return status;
}

void dvi_text_reader_free(dvi_text_reader *reader)
{
    dvi_text_lines_free(&reader->lines);
    dvi_memory_release(&reader->joined);
}

dvi_text_reader dvi_text_reader_twin(const dvi_text_reader *reader)
{
    dvi_text_reader twin = *reader;
    twin.joined = twin.lines.read = twin.lines.transcoder.memory = NULL;
    twin.lines.transcoder.iconv = NULL;
    twin.lines.span = (dvi_span){0};
    return twin;
}

static bool is_skipped(const dvi_text_reader *reader, dv_text line)
{
    const dvi_text_comment *c = &reader->comment;
    if (dvi_text_is_passed(c, line.data, (size_t)line.nbytes))
        return true;
    return !reader->has_begun && c->skips_hash && line.data[0] == '#';
}

/* Append a line, after the end of the one before. */
static dv_status append(dvi_text_reader *reader, size_t *used, const char *ending, dv_text line,
                        dv_error *err)
{
    const size_t n = strlen(ending), need = *used + n + (size_t)line.nbytes;
    const dvi_text_limit limit = reader->lines.limit;
    DVI_REQUIRE((int64_t)need <= limit.nbytes,
                dvi_fail(err, DV_ERR_LIMIT, limit.option, -1, "lines inside quotes",
                         "at most %" PRId64 " bytes (option %s)|more", limit.nbytes, limit.option));
    DVI_TRY(
        dvi_memory_extend(&reader->joined, *used, need, dvi_map_allocator(reader->lines.map), err));
    memcpy(reader->joined->data + *used, ending, n);
    if (line.nbytes > 0)
        memcpy(reader->joined->data + *used + n, line.data, (size_t)line.nbytes);
    *used = need;
    return DV_OK;
}

/* Append the lines into which an open quote goes on.  *goes_on_out: a quote closes it. */
static dv_status append_rest(dvi_text_reader *reader, dvi_text_quotes *quotes, size_t *used,
                             bool *goes_on_out, dv_error *err)
{
    dv_text line;
    int64_t ignored;
    bool is_open = true;
    *goes_on_out = false;
    while (is_open) {
        char ending[sizeof reader->lines.ending] = "\n";
        if (reader->keeps_breaks)
            memcpy(ending, reader->lines.ending, sizeof ending);
        const dv_status status = dvi_text_lines_next(&reader->lines, &line, &ignored, err);
        if (status != DV_OK)
            return status;
        if (reader->keeps_breaks && *used + (size_t)line.nbytes > JOINED_NBYTES)
            return DV_OK;
        DVI_TRY(append(reader, used, ending, line, err));
        is_open = dvi_text_quotes_go_on(quotes, &reader->dialect, line);
        if (quotes->is_broken && reader->keeps_breaks)
            return DV_OK;
    }
    *goes_on_out = true;
    return DV_OK;
}

/* Join lines while a quote is open. */
static dv_status join(dvi_text_reader *reader, dv_text *line, int64_t offset, dv_error *err)
{
    dvi_text_quotes quotes = {false, false};
    size_t used = 0;
    bool goes_on;
    if (!dvi_text_quotes_go_on(&quotes, &reader->dialect, *line))
        return DV_OK;
    const dvi_text_lines after = reader->lines;
    DVI_TRY(append(reader, &used, "", *line, err));
    const size_t own = used;
    const dv_status status = append_rest(reader, &quotes, &used, &goes_on, err);
    DVI_TRY(status);
    if (status == DV_END && !reader->keeps_breaks)
        return dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.1", offset, "quoted field",
                        "a closing quote|the end of the file");
    if (!goes_on) { /* the quote is text */
        reader->lines.at = after.at;
        reader->lines.end = after.end;
        used = own;
    }
    *line = (dv_text){(const char *)reader->joined->data, (int64_t)used};
    return DV_OK;
}

/* Without multilines: do quotes go on in another line? */
static dv_status peek(dvi_text_reader *reader, dv_text *line, int64_t offset, dv_error *err)
{
    const int64_t at = reader->lines.at;
    DVI_TRY(join(reader, line, offset, err));
    if (reader->lines.at == at)
        return DV_OK;
    return dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.1", offset, "quoted field",
                    "a closing quote in the same line, or option multilines+|\"%s\"",
                    dvi_show(*line).text);
}

static dv_text trim_end(dv_text line)
{
    int64_t n = 0;
    const char *end = line.data + line.nbytes;
    for (const char *p = line.data; p < end;) {
        const size_t step = dvi_space_step(p, end);
        p += step > 0 ? step : 1;
        n = step > 0 ? n : p - line.data;
    }
    return (dv_text){line.data, n};
}

dv_status dvi_text_reader_next(dvi_text_reader *reader, dv_text *line_out, int64_t *offset_out,
                               dv_error *err)
{
    dv_status status = DV_OK;
    for (; reader->skip > 0 && status == DV_OK; reader->skip -= status == DV_OK)
        status = dvi_text_lines_next(&reader->lines, line_out, offset_out, err);
    if (status != DV_OK)
        return status;
    const int64_t start = reader->lines.at;
    do {
        status = dvi_text_lines_next(&reader->lines, line_out, offset_out, err);
    } while (status == DV_OK && is_skipped(reader, *line_out));
    if (status == DV_OK && reader->multilines)
        status = join(reader, line_out, *offset_out, err);
    else if (status == DV_OK && reader->peeks)
        status = peek(reader, line_out, *offset_out, err);
    if (status == DV_OK && reader->trim)
        *line_out = trim_end(*line_out);
    if (status == DV_OK)
        reader->has_begun = true;
    else if (status < 0)
        reader->lines.at = start;
    return status;
}
