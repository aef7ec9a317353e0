/* SPDX-License-Identifier: MIT */
/* text_guess.c: reads lines of a file with given options, and collects which types keep the fields
 * of each column. */
#include "format/text/propose/text_guess.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "codec/parse.h"
#include "format/text/read/text_value.h"
#include <string.h>

#define EXAMINED_LINES 50   /* compared with the first one for rising numbers */
#define EXAMINED_NUMBERS 64 /* of each */
#define ODD_NBYTES 128      /* of an odd field that are kept: more than is shown */
#define PLACE_NBYTES (INT64_C(48) << 10)
#define PLACES_NBYTES (INT64_C(16) << 20) /* at all places together, if lines are long */

/* The numbers of a line. */
typedef struct numbers {
    double value[EXAMINED_NUMBERS];
    int32_t n, blanks; /* blanks before the first number */
    bool has_text, has_other;
} numbers;

/* Reads the lines of a guess. */
typedef struct source {
    dvi_text_guess *g;
    dvi_text_reader reader;
    dvi_memory *unquoted;
    int64_t longest; /* bytes of a line */
} source;

/* --- Fields --- */

static dv_status reserve_column(dvi_text_guess *g, int64_t column, dv_error *err)
{
    void *columns = g->columns;
    DVI_TRY(dvi_array_reserve(&g->allocator, &columns, &g->columns_cap, (size_t)column + 1,
                              sizeof *g->columns, err));
    g->columns = columns;
    for (; g->columns_seen <= (size_t)column; g->columns_seen++)
        g->columns[g->columns_seen] =
            (dvi_text_guess_column){.first = {.text = {"", 0}, .is_missing = true},
                                    .kinds = DVI_TEXT_CAN_ALL,
                                    .is_blank = g->lines > 1,
                                    .is_whole = true,
                                    .is_r4 = true,
                                    .least = INT64_MAX,
                                    .most = INT64_MIN};
    return DV_OK;
}

static bool is_blank(dv_text text)
{
    return dvi_text_trim(text).nbytes == 0;
}

static bool is_missing(const dvi_text_guess *g, dv_text text)
{
    const dvi_text_reading reading = {.missing = g->options.missing, .novalue = g->options.novalue};
    const dv_type any = dv_type_of(DV_KIND_I8);
    return is_blank(text) || dvi_parse_is_missing(text.data, (size_t)text.nbytes) ||
           dvi_text_is_missing(&any, text, &reading);
}

static dv_status add_first(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text, dv_error *err)
{
    const dv_text trimmed = dvi_text_trim(text);
    c->first.is_missing = is_missing(g, text);
    if (!c->first.is_missing)
        c->first.evidence = dvi_text_evidence_of(text, g->options.decimal);
    g->has_clear |= c->first.evidence.is_clear;
    return dvi_arena_text(&g->arena, &c->first.text, trimmed, err);
}

static void measure(dvi_text_guess_column *c, const dvi_text_evidence *e, dv_text text, char point)
{
    if (e->kinds & DVI_TEXT_CAN_I8) {
        c->least = dvi_min_i64(c->least, e->integer);
        c->most = dvi_max_i64(c->most, e->integer);
    }
    c->is_r4 = c->is_r4 && dvi_text_evidence_fits_r4(text, point);
}

/* Narrow the types of the column down to those that keep the field, too. */
static dv_status add_kinds(dvi_text_guess *g, dvi_text_guess_column *c, unsigned kinds,
                           dv_text text, dv_error *err)
{
    if (c->kinds & kinds) {
        c->kinds &= kinds;
        c->typed++;
        return DV_OK;
    }
    c->kinds_typed = c->kinds;
    c->kinds = 0;
    if (c->typed < DVI_TEXT_GUESS_ODD_AFTER)
        return DV_OK;
    dv_text odd = dvi_text_trim(text);
    odd.nbytes = dvi_min_i64(odd.nbytes, ODD_NBYTES);
    return dvi_arena_text(&g->arena, &c->odd, odd, err);
}

static dv_status add_below(dvi_text_guess *g, dvi_text_guess_column *c, dv_text text, dv_error *err)
{
    if (is_missing(g, text)) {
        c->is_blank = true;
        return DV_OK;
    }
    const int word = dvi_text_evidence_word(text);
    if (word >= 0) {
        c->words |= 1U << word;
        c->is_blank = true;
        return DV_OK;
    }
    c->repeats = c->repeats || dv_text_equal(text, c->first.text);
    c->has_value = true;
    if (c->kinds == 0)
        return DV_OK;
    const dvi_text_evidence e = dvi_text_evidence_of(text, g->options.decimal);
    DVI_TRY(add_kinds(g, c, e.kinds, text, err));
    c->is_whole = c->is_whole && e.is_whole;
    g->has_clear |= e.is_clear;
    if (g->is_narrow && c->kinds & (DVI_TEXT_CAN_I8 | DVI_TEXT_CAN_R8))
        measure(c, &e, text, g->options.decimal);
    return DV_OK;
}

/* Collect the numbers of one of the first lines. */
static void add_number(numbers *all, const dvi_text_guess *g, dv_text text)
{
    const size_t n = (size_t)text.nbytes;
    if (is_missing(g, text)) {
        all->blanks += all->n == 0;
        return;
    }
    const dvi_text_evidence e = dvi_text_evidence_of(text, g->options.decimal);
    all->has_text |= e.kinds == 0;
    all->has_other |= e.kinds != 0 && !(e.kinds & DVI_TEXT_CAN_R8);
    if (e.kinds & DVI_TEXT_CAN_R8 && all->n < EXAMINED_NUMBERS)
        dvi_parse_r8(&all->value[all->n++], text.data, n, n, g->options.decimal);
}

static void compare_numbers(dvi_text_guess *g, const numbers *all)
{
    const dvi_text_corner corner = all->has_text      ? DVI_TEXT_TEXT_CORNER
                                   : all->blanks == 1 ? DVI_TEXT_BLANK_CORNER
                                                      : DVI_TEXT_NO_CORNER;
    const bool rises = !all->has_other && dvi_text_guess_rises(all->value, all->n, corner);
    if (g->lines == 0) {
        g->first_rises = rises;
    } else {
        g->sequences += rises;
        g->risers++;
    }
}

/* --- Lines --- */

static dv_status read_fields(source *s, dvi_text_items *items, int64_t *count_out, dv_error *err)
{
    dvi_text_guess *g = s->g;
    dvi_text_field field;
    int64_t column;
    numbers all = {.n = 0};
    const bool is_examined = g->lines < EXAMINED_LINES;
    while (dvi_text_items_next(items, &column, &field)) {
        DVI_TRY(reserve_column(g, column, err));
        g->has_quotes |= field.mark == DVI_TEXT_QUOTED;
        if (g->lines == 0)
            DVI_TRY(add_first(g, &g->columns[column], field.text, err));
        else
            DVI_TRY(add_below(g, &g->columns[column], field.text, err));
        if (is_examined)
            add_number(&all, g, field.text);
    }
    *count_out = dvi_text_items_count(items);
    if (is_examined)
        compare_numbers(g, &all);
    for (size_t i = (size_t)*count_out; i < g->columns_seen && g->lines > 0; i++)
        g->columns[i].is_blank = true;
    return DV_OK;
}

static dvi_text_items items_of(source *s, dv_text line)
{
    return dvi_text_items_of(&s->reader.dialect, line, (char *)(void *)s->unquoted->data);
}

static dv_status add_line(source *s, dv_text line, int64_t *count_out, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(&s->unquoted, &s->g->allocator, (size_t)line.nbytes, err));
    dvi_text_items items = items_of(s, line);
    DVI_TRY(read_fields(s, &items, count_out, err));
    s->g->has_errors |= items.errors > 0;
    s->longest = dvi_max_i64(s->longest, line.nbytes);
    s->g->most_count = (int32_t)dvi_min_i64(dvi_max_i64(s->g->most_count, *count_out), INT32_MAX);
    if (s->g->lines == 0)
        s->g->first_count = (int32_t)dvi_min_i64(*count_out, INT32_MAX);
    s->g->lines++;
    return DV_OK;
}

/* Find the number of columns that most of the first lines have. */
static void count_columns(dvi_text_guess *g, const int64_t *counts)
{
    for (int i = 0; i < g->compared; i++) {
        int same = 0;
        for (int k = 0; k < g->compared; k++)
            same += counts[k] == counts[i];
        if (same > g->usual_lines) {
            g->usual_lines = same;
            g->usual_count = (int32_t)counts[i];
        }
    }
}

/* An open line or quote means that the options do not fit; other failures are passed on. */
static dv_status settle(dvi_text_guess *g, dv_status status, const dv_error *own, dv_error *err)
{
    g->has_errors |= status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT;
    if (status >= 0 || status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = *own;
    return status;
}

/* Read from the start: `lines` lines, up to byte `end`. */
static dv_status read_start(source *s, int64_t lines, int64_t end, dv_error *err)
{
    dvi_text_guess *g = s->g;
    int64_t counts[DVI_TEXT_GUESS_LINES] = {0}, offset, count;
    dv_status status = DV_OK;
    dv_error own = DV_ERROR_INIT;
    while (g->lines < lines && s->reader.lines.at < end) {
        dv_text line;
        status = dvi_text_reader_next(&s->reader, &line, &offset, &own);
        if (status == DV_OK)
            status = add_line(s, line, &count, &own);
        if (status != DV_OK)
            break;
        if (g->compared < DVI_TEXT_GUESS_LINES)
            counts[g->compared++] = count;
    }
    g->is_whole = status == DV_END;
    count_columns(g, counts);
    return settle(g, status, &own, err);
}

/* --- Places --- */

/* Add a line from the middle of a file, unless it does not look like the others: it may be part of
 * a field in quotes. */
static dv_status add_far_line(source *s, dv_text line, dv_error *err)
{
    dvi_text_guess *g = s->g;
    dvi_text_field field;
    int64_t column, count;
    DVI_TRY(dvi_memory_reserve(&s->unquoted, &g->allocator, (size_t)line.nbytes, err));
    dvi_text_items items = items_of(s, line);
    while (dvi_text_items_next(&items, &column, &field))
        ;
    g->is_open |= items.errors > 0 && !g->options.multilines;
    const int64_t fields = dvi_text_items_count(&items);
    const bool may_continue = g->options.multilines || items.errors > 0;
    if (may_continue && (fields != g->usual_count || items.errors > 0))
        return DV_OK;
    return add_line(s, line, &count, err);
}

/* Read some lines from the first one that starts after byte `at`. */
static dv_status read_place(source *s, int64_t at, int64_t lines, int64_t nbytes, dv_error *err)
{
    int64_t offset;
    dv_text line;
    s->reader.lines.at = at;
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

/* Read lines at places all over the rest of the file. */
static dv_status read_places(source *s, int64_t nbytes, dv_error *err)
{
    const int64_t begin = s->reader.lines.at, longest = dvi_max_i64(s->longest, PLACE_NBYTES);
    const int64_t places =
        dvi_max_i64(1, dvi_min_i64(DVI_TEXT_GUESS_PLACES, PLACES_NBYTES / longest));
    const int64_t lines = DVI_TEXT_GUESS_ROWS / places;
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    s->reader.multilines = false; /* it is not known whether a quote is open */
    if (begin < nbytes && dvi_map_ahead(s->reader.lines.map) > 0)
        announce_places(&s->reader.lines, places, begin, nbytes);
    for (int64_t i = 0; i < places && status >= 0 && begin < nbytes; i++)
        status = read_place(s, place_at(i, places, begin, nbytes), lines, PLACE_NBYTES, &own);
    return settle(s->g, status == DV_ERR_LIMIT ? DV_OK : status, &own, err);
}

static dv_status read_extent(source *s, dvi_map *map, dvi_text_extent extent, dv_error *err)
{
    const bool is_stream = dvi_map_is_stream(map);
    const int64_t nbytes = is_stream ? INT64_MAX : dvi_map_nbytes(map);
    if (extent == DVI_TEXT_FIRST_LINES)
        return read_start(s, DVI_TEXT_GUESS_LINES, DVI_TEXT_GUESS_NBYTES, err);
    if (extent == DVI_TEXT_ALL_LINES || nbytes <= DVI_TEXT_GUESS_WHOLE_NBYTES)
        return read_start(s, INT64_MAX, INT64_MAX, err);
    if (!is_stream)
        dvi_map_announce(map, &(dvi_range){0, DVI_TEXT_GUESS_NBYTES}, 1);
    DVI_TRY(read_start(s, INT64_MAX, DVI_TEXT_GUESS_NBYTES, err));
    const bool can_seek = !is_stream && s->reader.lines.encoding == DVI_TEXT_UTF8;
    return can_seek && !s->g->has_errors ? read_places(s, nbytes, err) : DV_OK;
}

/* What is packed is read whole by a stream of its own, which drops what was read. */
static dv_status read_map(source *s, dvi_map *map, dvi_text_extent extent, dv_error *err)
{
    dvi_map *own = NULL;
    if (extent == DVI_TEXT_ALL_LINES && dvi_map_is_stream(map) && !dvi_map_is_once(map))
        DVI_TRY(dvi_map_begin_reading(map, false, &own, err));
    dv_status status = dvi_text_reader_start(&s->reader, own ? own : map, &s->g->options,
                                             DVI_TEXT_GUESS_LINE_NBYTES, err);
    if (status == DV_OK)
        status = read_extent(s, own ? own : map, extent, err);
    dvi_map_release(&own);
    return status;
}

dv_status dvi_text_guess_read(dvi_text_guess *guess, dvi_map *map, const char *options,
                              dvi_text_extent extent, bool is_narrow, dv_error *err)
{
    source s = {.g = guess};
    dv_text copy;
    *guess = (dvi_text_guess){.allocator = *dvi_map_allocator(map), .is_narrow = is_narrow};
    dvi_arena_init(&guess->arena, &guess->allocator);
    DVI_TRY(dvi_arena_text(&guess->arena, &copy, dv_text_of(options), err));
    DVI_TRY(dvi_text_options_read(&guess->options, copy, NULL, &guess->arena, err));
    const dv_status status = read_map(&s, map, extent, err);
    guess->columns_count = guess->usual_count;
    dvi_memory_release(&s.unquoted);
    dvi_text_reader_free(&s.reader);
    return status;
}

void dvi_text_guess_free(dvi_text_guess *guess)
{
    dvi_free(&guess->allocator, guess->columns, guess->columns_cap * sizeof *guess->columns);
    dvi_arena_free(&guess->arena);
    guess->columns = NULL;
    guess->columns_cap = guess->columns_seen = 0;
}

/* --- Types --- */

/* The least whole number with NA that holds the values of the column. */
static dv_kind narrow_integer(int64_t least, int64_t most)
{
    static const struct {
        dv_kind kind;
        int64_t most;
    } kinds[] = {{DV_KIND_I1, INT8_MAX}, {DV_KIND_I2, INT16_MAX}, {DV_KIND_I4, INT32_MAX}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (least >= -kinds[i].most && most <= kinds[i].most)
            return kinds[i].kind;
    return DV_KIND_I8;
}

static dv_kind narrow(const dvi_text_guess *g, const dvi_text_guess_column *c, dv_kind kind,
                      bool with_first)
{
    const dvi_text_evidence *e = &c->first.evidence;
    const bool has_first = with_first && !c->first.is_missing;
    if (kind == DV_KIND_I8)
        return narrow_integer(has_first ? dvi_min_i64(c->least, e->integer) : c->least,
                              has_first ? dvi_max_i64(c->most, e->integer) : c->most);
    const bool is_r4 =
        c->is_r4 && (!has_first || dvi_text_evidence_fits_r4(c->first.text, g->options.decimal));
    return kind == DV_KIND_R8 && is_r4 ? DV_KIND_R4 : kind;
}

/* The first type that is among these; TX: none. */
static dv_kind kind_among(unsigned bits)
{
    static const struct {
        unsigned bit;
        dv_kind kind;
    } kinds[] = {{DVI_TEXT_CAN_BL, DV_KIND_BL}, {DVI_TEXT_CAN_I8, DV_KIND_I8},
                 {DVI_TEXT_CAN_U8, DV_KIND_U8}, {DVI_TEXT_CAN_R8, DV_KIND_R8},
                 {DVI_TEXT_CAN_DT, DV_KIND_DT}, {DVI_TEXT_CAN_UTC, DV_KIND_DT},
                 {DVI_TEXT_CAN_DZ, DV_KIND_DZ}, {DVI_TEXT_CAN_TS, DV_KIND_TS}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (bits & kinds[i].bit)
            return kinds[i].kind;
    return DV_KIND_TX;
}

dv_text dvi_text_guess_odd(const dvi_text_guess *guess, int32_t column, dv_kind *kind_out)
{
    if ((size_t)column >= guess->columns_seen)
        return (dv_text){"", 0};
    *kind_out = kind_among(guess->columns[column].kinds_typed);
    return guess->columns[column].odd;
}

dv_kind dvi_text_guess_kind(const dvi_text_guess *guess, int32_t column, bool has_header)
{
    if ((size_t)column >= guess->columns_seen)
        return DV_KIND_TX;
    const dvi_text_guess_column *c = &guess->columns[column];
    const dvi_text_first *first = &c->first;
    const bool has_first = !has_header && !first->is_missing;
    unsigned bits = c->has_value || has_first ? c->kinds : 0;
    if (has_first)
        bits &= first->evidence.kinds;
    if (c->is_blank || (!has_header && first->is_missing)) /* U8 has no NA */
        bits &= ~(unsigned)DVI_TEXT_CAN_U8;
    const bool is_whole = c->is_whole && (!has_first || first->evidence.is_whole);
    if (is_whole && !(bits & DVI_TEXT_CAN_I8)) /* R8 would show fewer digits */
        bits &= ~(unsigned)DVI_TEXT_CAN_R8;
    const dv_kind kind = kind_among(bits);
    return guess->is_narrow ? narrow(guess, c, kind, !has_header) : kind;
}
