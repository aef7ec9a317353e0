/* SPDX-License-Identifier: MIT */
/* text_guess.c: reads lines of a file with given options, and collects which types keep the fields
 * of each column. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/text/propose/text_sample.h"
#include <string.h>

#define DAMAGED_NBYTES 40 /* a damaged field is quoted so far */
#define PLACE_NBYTES (INT64_C(8) << 10)
#define PLACE_LEAST_NBYTES (INT64_C(4) << 10)
#define PLACES_NBYTES (INT64_C(16) << 20) /* at all places together, if lines are long */
#define EMPTY_NBYTES (INT64_C(8) << 20)   /* and again, if a column is empty so far */

/* --- Lines --- */

/* The first line without "# ", which NumPy writes before names. */
static dv_text without_hash(dv_text line)
{
    const bool has_hash = line.nbytes > 2 && memcmp(line.data, "# ", 2) == 0;
    return has_hash ? (dv_text){line.data + 2, line.nbytes - 2} : line;
}

static bool is_ascii(const char *p, size_t n)
{
    uint64_t all = 0, word;
    for (size_t i = 0; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        all |= word;
    }
    for (size_t i = n - n % sizeof word; i < n; i++)
        all |= (uint8_t)p[i];
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

static bool is_utf8(dv_text text)
{
    size_t units;
    const size_t n = text.nbytes > 0 ? (size_t)text.nbytes : 0;
    return is_ascii(text.data, n) || dvi_kernels()->utf8_units(text.data, n, &units) == n;
}

/* Note the bytes of a line that is not UTF-8. */
static dv_status note_bytes(dvi_text_sample *s, dv_text line, bool is_first, dv_error *err)
{
    dvi_text_guess *g = s->g;
    dvi_text_bytes_add(&g->bytes, line);
    g->is_first_damaged |= is_first;
    for (size_t i = 0; i < s->fields_count && g->damaged.nbytes == 0; i++) {
        dv_text field = s->fields[i].text;
        field.nbytes = dvi_min_i64(field.nbytes, DAMAGED_NBYTES);
        if (!is_utf8(field))
            DVI_TRY(dvi_arena_text(&g->arena, &g->damaged, field, err));
    }
    return DV_OK;
}

/* Split a line into the fields of the source. */
static dv_status split(dvi_text_sample *s, dv_text line, bool is_first, dv_error *err)
{
    dvi_text_guess *g = s->g;
    s->line = (dvi_text_guess_line){.before = s->reader.lines.count - 1};
    s->line.is_comment = line.nbytes > 0 && (line.data[0] == '#' ||
                                             (line.nbytes > 1 && memcmp(line.data, "//", 2) == 0));
    s->line.is_hash = s->line.is_comment && line.data[0] == '#';
    s->line.is_damaged = s->reader.lines.transcoder.encoding.kind == DVI_ENCODING_UTF8 &&
                         !g->options.names_encoding && !is_utf8(line);
    s->longest = dvi_max_i64(s->longest, line.nbytes);
    line = is_first && !g->has_hash_name ? without_hash(line) : line;
    DVI_TRY(dvi_text_sample_split(s, line, is_first, err));
    s->line.is_title = s->line.extent == 1 && s->fields_count > 0 && s->fields[0].index == 0 &&
                       dvi_text_evidence_of(s->fields[0].text, &g->options).kinds == 0;
    return s->line.is_damaged ? note_bytes(s, line, is_first, err) : DV_OK;
}

/* Is the line not split as the table is?  Nothing is learned from it. */
static bool is_odd(const dvi_text_sample *s)
{
    const dvi_text_guess *g = s->g;
    const dvi_text_guess_line *line = &s->line;
    if (line->is_broken)
        return true;
    if (s->columns_count > 0)
        return g->is_even && (line->fields < s->head_extent || line->extent > s->columns_count);
    const int32_t most = g->first[0].fields > g->wide_count ? g->first[0].fields : g->wide_count;
    return g->is_even && (line->fields < g->usual_count || line->extent > most);
}

/* Has the line all texts of the first, as where files with headers were joined?  A table of a few
 * other columns may follow.  A line with a text in a column without a name is a row. */
static bool is_first_again(const dvi_text_sample *s)
{
    const dvi_text_guess *g = s->g;
    const size_t first = (size_t)g->first_count,
                 n = s->fields_count < first ? s->fields_count : first;
    if (n < 2 || 2 * n < first || 2 * n < s->fields_count)
        return false;
    if (g->first_count < g->wide_count && s->line.extent > g->first_count)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!dv_text_equal(dvi_text_trim(s->fields[i].text), g->columns[i].first.text))
            return false;
    return true;
}

/* Note the signs that stand before quotes in a field with broken quotes. */
static void note_escapes(dvi_text_guess *g, dv_text text)
{
    for (int64_t i = 1; i < text.nbytes; i++) {
        const char sign = text.data[i - 1];
        const char *found =
            text.data[i] == g->options.quote && sign ? strchr(DVI_TEXT_GUESS_ESCAPES, sign) : NULL;
        g->escapes |= found ? 1U << (found - DVI_TEXT_GUESS_ESCAPES) : 0U;
    }
}

/* Give the fields of a file with a header of its own their columns, and leave out those without. */
static void place_fields(dvi_text_sample *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->fields_count; i++) {
        const int32_t at = s->fields[i].index;
        if (at >= s->columns_count || s->columns[at] < 0)
            continue;
        s->fields[n] = s->fields[i];
        s->fields[n++].index = s->columns[at];
    }
    for (int32_t i = s->line.fields; i < s->columns_count; i++)
        if (s->columns[i] >= 0)
            s->g->columns[s->columns[i]].is_blank = true;
    s->fields_count = n;
}

/* Learn from the line that was split. */
dv_status dvi_text_sample_add(dvi_text_sample *s, dv_error *err)
{
    dvi_text_guess *g = s->g;
    const int32_t n = s->line.fields;
    if (s->line.is_familiar) {
        g->sound += s->line.quoted;
        g->lines++;
        return DV_OK;
    }
    for (size_t i = 0; i < s->fields_count; i++) {
        g->sound += s->fields[i].mark == DVI_TEXT_QUOTED;
        g->broken += s->fields[i].mark == DVI_TEXT_BROKEN;
        if (s->fields[i].mark == DVI_TEXT_BROKEN)
            note_escapes(g, s->fields[i].text);
        g->apostrophes += s->fields[i].mark == DVI_TEXT_PLAIN && *s->fields[i].text.data == '\'';
        g->has_quoted_name |= g->lines == 0 && s->fields[i].mark == DVI_TEXT_QUOTED;
    }
    const bool is_list = g->usual_count == 1; /* where each line has all fields */
    const bool is_remark = s->line.is_hash && (is_list || (g->lines > 0 && is_odd(s)));
    g->remarks += is_remark;
    g->hashes += s->line.is_hash && !is_remark;
    if (g->lines > 0 && is_odd(s)) {
        g->has_odd = true;
        return DV_OK;
    }
    g->is_first_odd |= g->lines == 0 && (is_odd(s) || s->line.extent > g->wide_count);
    g->has_wide |= g->lines > 0 && n == g->wide_count && s->line.extent > g->usual_count;
    if (g->lines > 0 && is_first_again(s)) { /* a header, or a row that shows nothing new */
        g->repeated++;
        g->lines++;
        return DV_OK;
    }
    if (s->columns_count > 0)
        place_fields(s);
    DVI_TRY(dvi_text_guess_learn(g, s->fields, s->fields_count, err));
    for (size_t i = (size_t)n; i < g->columns_seen && g->lines > 0 && s->columns_count == 0; i++)
        g->columns[i].is_blank = true;
    if (g->lines == 0)
        g->own_count = g->first_count = s->line.extent > 0 ? s->line.extent : n;
    g->lines++;
    return DV_OK;
}

/* An open line or quote means that the options do not fit; other failures are passed on. */
dv_status dvi_text_guess_settle(dvi_text_guess *g, dv_status status, const dv_error *own,
                                dv_error *err)
{
    g->broken += status == DV_ERR_CORRUPT;
    g->has_limit |= status == DV_ERR_LIMIT;
    if (status >= 0 || status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = *own;
    return status;
}

/* The row of units is passed over only when the next line is wanted: the fields of the first one
 * lie in the reader until then. */
dv_status dvi_text_sample_next(dvi_text_sample *s, bool is_first, dv_error *err)
{
    dv_text line;
    int64_t offset;
    dv_status status = DV_OK;
    if (s->has_units)
        status = dvi_text_reader_next(&s->reader, &line, &offset, err);
    s->has_units = is_first && s->g->options.has_unit_row;
    if (status == DV_OK)
        status = dvi_text_reader_next(&s->reader, &line, &offset, err);
    return status == DV_OK ? split(s, line, is_first, err) : status;
}

/* Where spaces separate, "# a b" has three names if the next line has three fields, else two. */
static void find_hash_name(dvi_text_guess *g)
{
    dvi_text_guess_line *first = &g->first[0];
    if (g->compared < 2 || !first->is_hash || g->first[1].extent != first->extent + 1 ||
        !memchr(g->options.separators, ' ', (size_t)g->options.separators_count))
        return;
    g->has_hash_name = true;
    first->fields++;
    first->extent++;
}

/* Compare how the first lines are split. */
static dv_status compare_lines(dvi_text_sample *s, dv_error *err)
{
    dvi_text_guess *g = s->g;
    dv_status status = DV_OK;
    while (g->compared < DVI_TEXT_GUESS_LINES && s->reader.lines.at < DVI_TEXT_GUESS_NBYTES) {
        status = dvi_text_sample_next(s, g->compared == 0, err);
        if (status != DV_OK)
            break;
        g->first[g->compared++] = s->line;
        s->has_units = false; /* it may follow a title */
    }
    find_hash_name(g);
    dvi_text_guess_count_columns(g);
    return status;
}

/* Read from the start: `lines` lines, up to byte `end`. */
static dv_status read_start(dvi_text_sample *s, int64_t lines, int64_t end, dv_error *err)
{
    dvi_text_guess *g = s->g;
    dv_status status = DV_OK;
    dv_error own = DV_ERROR_INIT;
    for (int64_t n = 0; n < lines && s->reader.lines.at < end; n++) {
        status = dvi_text_sample_next(s, n == 0, &own);
        if (status == DV_OK)
            status = dvi_text_sample_add(s, &own);
        if (status != DV_OK)
            break;
    }
    g->is_whole = status == DV_END;
    return dvi_text_guess_settle(g, status, &own, err);
}

/* --- Places --- */

/* Add a line from the middle of a file, unless it does not look like the others: it may be part of
 * a field in quotes. */
static dv_status add_far_line(dvi_text_sample *s, dv_text line, dv_error *err)
{
    dvi_text_guess *g = s->g;
    DVI_TRY(split(s, line, false, err));
    g->is_open |= s->line.is_broken && !g->options.multilines;
    const bool may_continue = g->options.multilines || s->line.is_broken;
    if (may_continue && (s->line.is_broken || !dvi_text_guess_fits(&s->line, g->usual_count)))
        return DV_OK;
    return dvi_text_sample_add(s, err);
}

/* Read some lines from the first one that starts after byte `at`. */
static dv_status read_place(dvi_text_sample *s, int64_t at, int64_t lines, int64_t nbytes,
                            dv_error *err)
{
    int64_t offset;
    dv_text line;
    s->reader.lines.at = at - at % (int64_t)dvi_text_lines_width(&s->reader.lines);
    dv_status status = dvi_text_lines_next(&s->reader.lines, &line, &offset, err);
    for (; status == DV_OK && lines > 0 && s->reader.lines.at - at < nbytes + s->longest; lines--) {
        status = dvi_text_reader_next(&s->reader, &line, &offset, err);
        if (status == DV_OK)
            status = add_far_line(s, line, err);
    }
    return status;
}

/* The place i of so many, from `begin` on. */
static int64_t place_at(int64_t i, int64_t places, int64_t begin, int64_t nbytes)
{
    const int64_t last = dvi_max_i64(begin, nbytes - PLACE_NBYTES);
    return begin + i * ((last - begin) / dvi_max_i64(1, places - 1));
}

/* The bytes that are read at a place at once: some more than its lines have on average. */
static int64_t window_of(const dvi_text_lines *text, int64_t lines)
{
    const int64_t mean = text->at / dvi_max_i64(1, text->count);
    const int64_t nbytes = dvi_min_i64(lines + 2, PLACE_NBYTES) * dvi_min_i64(mean, PLACE_NBYTES);
    return dvi_max_i64(PLACE_LEAST_NBYTES, dvi_min_i64(nbytes, PLACE_NBYTES));
}

/* Where reading is slow, all places are fetched at the same time, and no more than them. */
static void announce_places(dvi_text_lines *text, int64_t places, int64_t begin, int64_t nbytes)
{
    dvi_range range[DVI_TEXT_GUESS_PLACES];
    for (int64_t i = 0; i < places; i++) {
        const int64_t at = place_at(i, places, begin, nbytes);
        range[i] = (dvi_range){at, dvi_min_i64(2 * PLACE_NBYTES, nbytes - at)};
    }
    dvi_map_announce(text->map, range, (size_t)places);
    text->window = 2 * PLACE_NBYTES;
}

/* The number of lines that have this number of fields. */
static int64_t lines_of(const dvi_text_guess *g, int64_t fields)
{
    return fields / dvi_max_i64(1, g->usual_count);
}

/* Read up to `lines` lines at each place, evenly spaced between two bytes of the file. */
static dv_status read_places(dvi_text_sample *s, int64_t places, int64_t lines, int64_t nbytes,
                             int64_t begin, int64_t end, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    for (int64_t i = 0; i < places && status >= 0 && begin < end; i++)
        status = read_place(s, place_at(i, places, begin, end), lines, nbytes, &own);
    return dvi_text_guess_settle(s->g, status == DV_ERR_LIMIT ? DV_OK : status, &own, err);
}

/* Is there a column of which nothing but missing values was read? */
static bool has_empty_column(const dvi_text_guess *g)
{
    for (size_t i = 0; i < g->columns_seen; i++)
        if (g->columns[i].is_blank && !g->columns[i].has_value)
            return true;
    return false;
}

/* The rest is read as a whole, if it has no more bytes than are read for empty columns; else as
 * many at the same places. */
static dv_status read_for_empty_columns(dvi_text_sample *s, int64_t places, int64_t begin,
                                        int64_t end, dv_error *err)
{
    const int64_t nbytes = dvi_min_i64(EMPTY_NBYTES, end - begin) / places;
    s->reader.lines.window = PLACE_NBYTES;
    return read_places(s, places, INT64_MAX, dvi_max_i64(1, nbytes - s->longest), begin, end, err);
}

/* Read lines at places all over the rest of the file; more of them if a column is empty so far,
 * since a type needs a value. */
dv_status dvi_text_sample_read_places(dvi_text_sample *s, int64_t nbytes, dv_error *err)
{
    const int64_t begin = s->reader.lines.at, longest = dvi_max_i64(s->longest, PLACE_NBYTES);
    const int64_t places = dvi_max_i64(1, dvi_min_i64(s->places, PLACES_NBYTES / longest));
    const int64_t rows = dvi_min_i64(s->rows, lines_of(s->g, DVI_TEXT_GUESS_FIELDS));
    const int64_t lines = dvi_max_i64(1, rows / places);
    const bool is_slow = dvi_map_ahead(s->reader.lines.map) > 0;
    s->reader.multilines = false; /* it is not known whether a quote is open */
    s->reader.lines.window = window_of(&s->reader.lines, lines);
    if (begin < nbytes && is_slow)
        announce_places(&s->reader.lines, places, begin, nbytes);
    DVI_TRY(read_places(s, places, lines, PLACE_NBYTES, begin, nbytes, err));
    return has_empty_column(s->g) && begin < nbytes && !is_slow
               ? read_for_empty_columns(s, places, begin, nbytes, err)
               : DV_OK;
}

static dv_status read_extent(dvi_text_sample *s, dvi_map *map, dvi_text_extent extent,
                             dv_error *err)
{
    const bool is_stream = dvi_map_is_stream(map);
    const int64_t nbytes = is_stream ? INT64_MAX : dvi_map_nbytes(map);
    if (extent == DVI_TEXT_FIRST_LINES)
        return read_start(s, DVI_TEXT_GUESS_LINES, DVI_TEXT_GUESS_NBYTES, err);
    if (extent == DVI_TEXT_ALL_LINES || nbytes <= DVI_TEXT_GUESS_WHOLE_NBYTES)
        return read_start(s, INT64_MAX, INT64_MAX, err);
    const int64_t end = is_stream ? DVI_TEXT_GUESS_NBYTES : DVI_TEXT_GUESS_HEAD_NBYTES;
    if (!is_stream)
        dvi_map_announce(map, &(dvi_range){0, end}, 1);
    const int64_t fields = lines_of(s->g, DVI_TEXT_GUESS_FIRST_FIELDS);
    const int64_t first = dvi_min_i64(fields, DVI_TEXT_GUESS_FIRST_ROWS);
    DVI_TRY(read_start(s, dvi_max_i64(first, DVI_TEXT_GUESS_LINES), end, err));
    return !is_stream && s->g->lines > 0 ? dvi_text_sample_read_places(s, nbytes, err) : DV_OK;
}

int64_t dvi_text_guess_line_nbytes(const dvi_map *map)
{
    return dvi_map_is_stream(map) ? DVI_TEXT_GUESS_STREAM_NBYTES : DVI_TEXT_GUESS_LINE_NBYTES;
}

dvi_text_limit dvi_text_guess_limit(const dvi_map *map)
{
    return (dvi_text_limit){dvi_text_guess_line_nbytes(map), "line_nbytes"};
}

dv_status dvi_text_sample_start(dvi_text_sample *s, dvi_map *map, dv_error *err)
{
    const dvi_text_options *o = &s->g->options;
    s->marking = (dvi_ascii_set){{0}};
    for (int32_t i = 0; i < o->separators_count; i++)
        dvi_ascii_set_add(&s->marking, (uint8_t)o->separators[i]);
    if (o->allow_quoting)
        dvi_ascii_set_add(&s->marking, (uint8_t)o->quote);
    return dvi_text_reader_start(&s->reader, map, o, dvi_text_guess_limit(map), err);
}

/* Tabs make a row of blank fields. */
static bool is_skipped(dv_text line)
{
    for (int64_t i = 0; i < line.nbytes; i++)
        if (line.data[i] != ' ' && line.data[i] != '\0' && line.data[i] != 0x1A)
            return false;
    return true;
}

dv_status dvi_text_count_lines(int64_t *lines_out, dvi_map *map, const dvi_encoding *given,
                               int64_t most, dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_error own = DV_ERROR_INIT;
    dv_text line;
    int64_t offset;
    dv_status status = dvi_text_lines_start(&lines, map, given, dvi_text_guess_limit(map), &own);
    *lines_out = 0;
    while (status == DV_OK && *lines_out < most) {
        status = dvi_text_lines_next(&lines, &line, &offset, &own);
        *lines_out += status == DV_OK && !is_skipped(line);
    }
    dvi_text_lines_free(&lines);
    *lines_out += status == DV_ERR_LIMIT;
    if (status >= 0 || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = own;
    return status;
}

void dvi_text_sample_free(dvi_text_sample *s)
{
    dvi_free(&s->g->allocator, s->fields, s->fields_cap * sizeof *s->fields);
    dvi_free(&s->g->allocator, s->columns, s->columns_cap * sizeof *s->columns);
    dvi_memory_release(&s->unquoted);
    dvi_memory_release(&s->marks);
    dvi_text_reader_free(&s->reader);
}

/* A compressed file is read whole by its own stream, which drops the bytes that were read. */
static dv_status read_map(dvi_text_sample *s, dvi_map *map, dvi_text_extent extent, dv_error *err)
{
    dvi_map *own = NULL;
    if (extent == DVI_TEXT_ALL_LINES && dvi_map_is_stream(map) && !dvi_map_is_once(map))
        DVI_TRY(dvi_map_begin_reading(map, false, &own, err));
    dv_error lost = DV_ERROR_INIT;
    dv_status status = dvi_text_sample_start(s, map, err);
    if (status == DV_OK)
        status = dvi_text_guess_settle(s->g, compare_lines(s, &lost), &lost, err);
    dvi_text_reader_free(&s->reader);
    if (status == DV_OK)
        status = dvi_text_sample_start(s, own ? own : map, err);
    if (status == DV_OK)
        status = read_extent(s, own ? own : map, extent, err);
    dvi_map_release(&own);
    return status;
}

dv_status dvi_text_guess_read(dvi_text_guess *guess, dvi_map *map, const char *options,
                              dvi_text_extent extent, const dvi_text_given *given, dv_error *err)
{
    dvi_text_sample s = {.g = guess, .places = DVI_TEXT_GUESS_PLACES, .rows = DVI_TEXT_GUESS_ROWS};
    dv_text copy;
    *guess = (dvi_text_guess){.allocator = *dvi_map_allocator(map), .is_narrow = given->narrow};
    dvi_hashtab_init(&guess->names, &guess->allocator);
    dvi_arena_init(&guess->arena, &guess->allocator);
    DVI_TRY(dvi_arena_text(&guess->arena, &copy, dv_text_of(options), err));
    DVI_TRY(dvi_text_options_read(&guess->options, copy, NULL, &guess->arena, err));
    const dvi_text_options *o = &guess->options;
    guess->is_undressed = !dvi_text_undresses(&o->dress) && o->missing.nbytes <= 0 &&
                          o->novalue.nbytes <= 0 && o->date.format.nbytes == 0;
    dv_status status = read_map(&s, map, extent, err);
    guess->columns_count = guess->has_wide ? guess->wide_count : guess->usual_count;
    dvi_text_reader_free(&s.reader);
    s.reader = (dvi_text_reader){0};
    if (status == DV_OK)
        status = dvi_text_sample_read_others(&s, map, extent, given, err);
    dvi_text_guess_settle_dates(guess);
    dvi_text_sample_free(&s);
    return status;
}

void dvi_text_guess_free(dvi_text_guess *guess)
{
    dvi_free(&guess->allocator, guess->columns, guess->columns_cap * sizeof *guess->columns);
    dvi_hashtab_free(&guess->names);
    dvi_arena_free(&guess->arena);
    guess->columns = NULL;
    guess->columns_cap = guess->columns_seen = 0;
}
