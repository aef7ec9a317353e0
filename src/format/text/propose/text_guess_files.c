/* SPDX-License-Identifier: MIT */
/* text_guess_files.c: learns from other files of the same table. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/text/propose/text_dialect.h"
#include "format/text/propose/text_sample.h"
#include "format/text/propose/text_start.h"
#include <string.h>

#define FIRST_FILES 16 /* whose first lines help to compare options */
#define FIRST_FILES_NBYTES (INT64_C(4) << 10)
#define OTHER_NBYTES (INT64_C(16) << 10)  /* read of another file at least, if it has as much; */
#define OTHERS_NBYTES (INT64_C(64) << 20) /* in all of them together, if they are few */

/* Give the columns of the first line their names. */
static dv_status name_columns(dvi_text_guess *g, dv_error *err)
{
    int32_t before;
    if (g->files > 0)
        return DV_OK;
    for (int32_t i = 0; i < g->first_count && (size_t)i < g->columns_seen; i++)
        if (dvi_hashtab_get(&g->names, g->columns[i].first.text) < 0)
            DVI_TRY(dvi_hashtab_put(&g->names, g->columns[i].first.text, i, &before, err));
    return DV_OK;
}

static bool has_letter(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if ((text.data[i] | 0x20) >= 'a' && (text.data[i] | 0x20) <= 'z')
            return true;
    return false;
}

/* Are the fields of this first line the names of the table?  A single one shows it where the first
 * file has a header; else all have to. */
static bool is_header(const dvi_text_sample *s, bool is_known)
{
    const dvi_text_guess *g = s->g;
    size_t found = 0;
    bool has_name = false;
    for (size_t i = 0; i < s->fields_count; i++) {
        const dv_text text = dvi_text_trim(s->fields[i].text);
        const bool is_one = dvi_hashtab_get(&g->names, text) >= 0;
        found += is_one && text.nbytes > 0;
        has_name |= is_one && has_letter(text);
    }
    return is_known ? found > 0
                    : has_name && found == s->fields_count && found == (size_t)g->first_count;
}

/* A column that the files before this one lack. */
static dv_status add_column(dvi_text_sample *s, dv_text name, int32_t *column_out, dv_error *err)
{
    dvi_text_guess *g = s->g;
    int32_t before;
    const int32_t column = g->columns_count;
    DVI_TRY(dvi_text_guess_add_column(g, column, name, err));
    g->first_count = g->columns_count = column + 1;
    *column_out = column;
    return dvi_hashtab_put(&g->names, g->columns[column].first.text, column, &before, err);
}

/* Find the columns of the fields by the header that was split. */
static dv_status find_columns(dvi_text_sample *s, bool has_union, dv_error *err)
{
    dvi_text_guess *g = s->g;
    void *columns = s->columns;
    const size_t n = (size_t)s->line.fields;
    DVI_TRY(dvi_array_reserve(&g->allocator, &columns, &s->columns_cap, n + 1, sizeof *s->columns,
                              err));
    s->columns = columns;
    s->columns_count = (int32_t)n;
    s->head_extent = s->line.extent;
    for (size_t i = 0; i < n; i++)
        s->columns[i] = -1;
    for (size_t i = 0; i < g->columns_seen; i++)
        g->columns[i].is_named = false;
    for (size_t i = 0; i < s->fields_count; i++) {
        const dv_text text = dvi_text_trim(s->fields[i].text);
        const int32_t at = s->fields[i].index;
        const bool is_same = at < g->first_count && (size_t)at < g->columns_seen &&
                             dv_text_equal(text, g->columns[at].first.text);
        int32_t column = is_same ? at : dvi_hashtab_get(&g->names, text);
        if (column < 0 && has_union)
            DVI_TRY(add_column(s, text, &column, err));
        s->columns[at] = column;
        if (column >= 0)
            g->columns[column].is_named = true;
    }
    for (size_t i = 0; i < g->columns_seen; i++)
        g->columns[i].is_blank |= !g->columns[i].is_named;
    return DV_OK;
}

/* Learn from lines up to byte `end`, then from places. */
static dv_status read_rest(dvi_text_sample *s, int64_t end, bool can_seek, dv_error *err)
{
    dv_status status = DV_OK;
    while (status == DV_OK && s->reader.lines.at < end) {
        status = dvi_text_sample_next(s, false, err);
        if (status == DV_OK)
            status = dvi_text_sample_add(s, err);
    }
    s->g->is_whole &= status == DV_END;
    if (status != DV_OK || !can_seek)
        return status;
    return dvi_text_sample_read_places(s, dvi_map_nbytes(s->reader.lines.map), err);
}

/* Start at the header of another file, or else at its first line that is not left out. */
static dv_status start_other(dvi_text_sample *s, dvi_map *map, dv_error *err)
{
    dvi_text_guess *g = s->g;
    dvi_text_start start;
    const int32_t skip = g->options.skip;
    DVI_TRY(dvi_text_find_start(&start, map, &g->options, dvi_text_guess_limit(map), &g->names,
                                g->first_count, err));
    g->options.skip = start.has_names ? (int32_t)start.skip : skip;
    const dv_status status = dvi_text_sample_start(s, map, err);
    g->options.skip = skip;
    return status;
}

/* Split the first line of a file that has none of the names by a dialect of its own, if there is
 * one in which it has them. */
static dv_status start_again(dvi_text_sample *s, bool *is_headed, dvi_map *map,
                             const dvi_text_given *given, dv_error *err)
{
    dvi_text_guess *g = s->g;
    DVI_TRY(dvi_text_dialect_find(is_headed, &g->options, map, given, &g->names, &g->arena, err));
    if (!*is_headed)
        return DV_OK;
    dvi_text_reader_free(&s->reader);
    DVI_TRY(start_other(s, map, err));
    return dvi_text_sample_next(s, true, err);
}

/* Read another file: `nbytes` of it, at most. */
static dv_status read_other(dvi_text_sample *s, dvi_map *map, int64_t nbytes, bool is_brief,
                            const dvi_text_given *given, dv_error *err)
{
    dvi_text_guess *g = s->g;
    int32_t shift;
    const bool is_known = given->has_header ? given->header : dvi_text_guess_has_header(g, &shift);
    int64_t count = 2;
    s->columns_count = 0;
    s->longest = 0;
    s->has_units = false;
    g->reading = dvi_map_name(map);
    if (given->has_union) /* a file without rows adds no column */
        DVI_TRY(dvi_text_count_lines(&count, map, &g->options.encoding, 2, err));
    if (count < 2)
        return DV_OK;
    DVI_TRY(start_other(s, map, err));
    dv_status status = dvi_text_sample_next(s, true, err);
    if (status != DV_OK)
        return status;
    bool is_headed = (is_known || !given->has_header) && is_header(s, is_known);
    if (!is_headed && is_known && !is_brief) {
        status = start_again(s, &is_headed, map, given, err);
        if (status != DV_OK)
            return status;
    }
    if (is_headed)
        DVI_TRY(find_columns(s, given->has_union, err));
    else if (!is_known)
        DVI_TRY(dvi_text_sample_add(s, err));
    else
        return DV_OK; /* opening it reports the names that it lacks */
    const int64_t lines = g->lines;
    const bool is_stream = dvi_map_is_stream(map);
    const bool is_long = !is_stream && dvi_map_nbytes(map) > nbytes;
    const bool can_seek = is_long && dvi_text_lines_width(&s->reader.lines) == 1;
    status = read_rest(s, can_seek ? nbytes / 2 : nbytes, can_seek, err);
    g->files += !is_headed || g->lines > lines;
    g->headed += is_headed && g->lines > lines;
    return status;
}

/* Each of many files gets its share. */
static int64_t share_of(int32_t files)
{
    return dvi_max_i64(OTHER_NBYTES, OTHERS_NBYTES / dvi_max_i64(files, 1));
}

/* The fields with quotes in the first files up to one that has some. */
typedef struct quotes {
    int64_t broken, sound, open; /* open: files in which a quote is never closed */
    unsigned escapes;
} quotes;

/* If the quotes of that file are sound, broken ones in later files do not matter, unless they may
 * go on in the next line. */
static void note_quotes(quotes *q, dvi_text_guess *g, dv_status status)
{
    q->open += status == DV_ERR_CORRUPT;
    if (q->sound > 0 && q->broken == 0 && g->options.multilines) {
        g->broken = q->open;
        g->escapes = q->escapes;
    } else if (q->sound + q->broken == 0) {
        *q = (quotes){g->broken, g->sound, q->open, g->escapes};
    }
}

dv_status dvi_text_sample_read_others(dvi_text_sample *s, const dvi_map *first,
                                      dvi_text_extent extent, const dvi_text_given *given,
                                      dv_error *err)
{
    const bool is_brief = extent == DVI_TEXT_FIRST_LINES;
    const int32_t n = is_brief && given->maps_count > FIRST_FILES ? FIRST_FILES : given->maps_count;
    const int64_t share = is_brief ? FIRST_FILES_NBYTES : share_of(n);
    s->places = dvi_max_i64(2, DVI_TEXT_GUESS_PLACES / dvi_max_i64(n, 1));
    s->rows = dvi_max_i64(64, DVI_TEXT_GUESS_ROWS / dvi_max_i64(n, 1));
    DVI_TRY(s->g->lines > 0 ? name_columns(s->g, err) : DV_OK);
    quotes seen = {0, 0, 0, 0};
    note_quotes(&seen, s->g, DV_OK);
    for (int32_t i = 0; i < n && s->g->lines > 0; i++) {
        dv_error own = DV_ERROR_INIT;
        if (given->maps[i] == first)
            continue;
        const int64_t most = extent == DVI_TEXT_ALL_LINES
                                 ? INT64_MAX
                                 : dvi_min_i64(share, DVI_TEXT_GUESS_WHOLE_NBYTES);
        const dvi_text_options options = s->g->options;
        const dv_status status = read_other(s, given->maps[i], most, is_brief, given, &own);
        s->g->options = options;
        dvi_text_reader_free(&s->reader);
        DVI_TRY(dvi_text_guess_settle(s->g, status, &own, err));
        note_quotes(&seen, s->g, status);
    }
    return DV_OK;
}

/* --- Lines left out --- */

/* The most fields of a line, */
typedef struct widths {
    int32_t remark; /* that begins with #, */
    int32_t row;    /* and of the first other one */
} widths;

static dv_status measure(widths *w, dvi_text_sample *s, int64_t end, dv_error *err)
{
    dv_status status = DV_OK;
    while (status == DV_OK && s->reader.lines.at < end) {
        status = dvi_text_sample_next(s, false, err);
        if (status != DV_OK)
            break;
        if (s->line.is_hash)
            w->remark = s->line.fields > w->remark ? s->line.fields : w->remark;
        else if (w->row == 0)
            w->row = s->line.fields;
    }
    return status;
}

dv_status dvi_text_guess_may_comment(bool *may_out, dvi_text_guess *g, const dvi_map *first,
                                     const dvi_text_given *given, dv_error *err)
{
    *may_out = true;
    for (int32_t i = 0; i < given->maps_count && *may_out; i++) {
        dvi_map *map = given->maps[i];
        dvi_text_sample s = {.g = g};
        widths w = {0, 0};
        dv_error own = DV_ERROR_INIT;
        if (map == first)
            continue;
        dv_status status = dvi_text_sample_start(&s, map, &own);
        s.reader.skip = 0;
        if (status == DV_OK)
            status = measure(&w, &s, share_of(given->maps_count), &own);
        const int32_t row = w.row > 0 && w.row < g->usual_count ? w.row : g->usual_count;
        *may_out = status == DV_END && w.remark < row;
        dvi_text_sample_free(&s);
        DVI_TRY(dvi_text_guess_settle(g, status, &own, err));
    }
    return DV_OK;
}

dv_status dvi_text_guess_check_starts(dvi_text_guess *g, const dvi_map *first,
                                      const dvi_text_given *given, dv_error *err)
{
    for (int32_t i = 0; i < given->maps_count; i++) {
        dvi_map *map = given->maps[i];
        dvi_text_start start;
        dv_error own = DV_ERROR_INIT;
        if (map == first)
            continue;
        const dv_status status = dvi_text_find_start(
            &start, map, &g->options, dvi_text_guess_limit(map), NULL, g->usual_count, &own);
        DVI_TRY(dvi_text_guess_settle(g, status, &own, err));
        if (status == DV_OK && start.skip < g->options.skip) {
            dvi_fail(err, DV_ERR_CORRUPT, "docs/formats/text.md", -1, "line",
                     "one to be left out, as the first %d line%s of the first file are (option "
                     "skip=0: none)|a row",
                     (int)g->options.skip, DVI_S(g->options.skip));
            dvi_error_within(err, "row %d", (int)start.skip);
            dvi_error_set_file(err, dvi_map_name(map));
            return DV_ERR_CORRUPT;
        }
    }
    return DV_OK;
}
