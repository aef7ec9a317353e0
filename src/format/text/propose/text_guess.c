/* SPDX-License-Identifier: MIT */
/* text_guess.c: reads the first lines of a file with given options, and guesses column types. */
#include "format/text/propose/text_guess.h"
#include "base/alloc.h"
#include "base/check.h"
#include "codec/parse.h"
#include "format/text/read/text_value.h"
#include <string.h>

#define R4_EXACT (INT64_C(1) << 24)

/* The types, in the order in which they are preferred. */
static const dv_kind kinds[] = {DV_KIND_BL, DV_KIND_I4, DV_KIND_I8, DV_KIND_R4,
                                DV_KIND_DT, DV_KIND_DZ, DV_KIND_TS};
enum { KINDS = sizeof kinds / sizeof *kinds, ALL = (1 << KINDS) - 1 };
enum { BL = 1, I4 = 2, I8 = 4, R4 = 8, DT = 16, DZ = 32, TS = 64 };

/* --- Fields --- */

/* Rejects values that the type would not preserve: zip code 00501, or a number that means NA. */
static bool is_sound(int bit, dv_text text, const dvi_text_value *value)
{
    const size_t sign = text.data[0] == '-' || text.data[0] == '+';
    const bool is_padded = text.nbytes > (int64_t)sign + 1 && text.data[sign] == '0' &&
                           text.data[sign + 1] >= '0' && text.data[sign + 1] <= '9';
    switch (bit) {
    case BL: /* 0 and 1 are numbers */
        return (text.data[0] | 0x20) >= 'a' && (text.data[0] | 0x20) <= 'z';
    case I4:
        return !is_padded && value->bits[0] != UINT32_C(1) << 31;
    case I8:
        return !is_padded && value->bits[0] != UINT64_C(1) << 63;
    case R4:
        return !is_padded;
    case TS: /* a plain number of days stays a number */
        return memchr(text.data, ':', (size_t)text.nbytes) != NULL;
    default:
        return true;
    }
}

/* Returns which of these types can represent the field. */
static uint8_t try_kinds(dvi_text_guess_column *c, uint8_t bits, const dvi_text_field *field,
                         const dvi_text_reading *reading)
{
    for (int i = 0; i < KINDS; i++) {
        const dv_type type = dv_type_of(kinds[i]);
        dvi_text_value value;
        if (!(bits >> i & 1))
            continue;
        if (dvi_text_read_value(&value, &type, field, reading) == DVI_TEXT_BAD ||
            !is_sound(1 << i, field->text, &value)) {
            bits &= (uint8_t) ~(1 << i);
            continue;
        }
        const int64_t size = (int64_t)value.bits[0];
        c->is_long |= 1 << i == I8 && (size > R4_EXACT || size < -R4_EXACT);
        c->is_zoned |= 1 << i == DZ && value.bits[1] != 0;
    }
    return bits;
}

static dv_status reserve_column(dvi_text_guess *g, int64_t column, dv_error *err)
{
    void *columns = g->columns;
    DVI_TRY(dvi_array_reserve(&g->allocator, &columns, &g->columns_cap, (size_t)column + 1,
                              sizeof *g->columns, err));
    g->columns = columns;
    for (; g->columns_seen <= (size_t)column; g->columns_seen++)
        g->columns[g->columns_seen] = (dvi_text_guess_column){.first = ALL, .rest = ALL};
    return DV_OK;
}

static void add_field(dvi_text_guess *g, int64_t column, const dvi_text_field *field,
                      const dvi_text_reading *reading)
{
    dvi_text_guess_column *c = &g->columns[column];
    const dv_text text = field->text;
    if (text.nbytes == 0 || dvi_parse_is_missing(text.data, (size_t)text.nbytes))
        return;
    if (g->lines == 0) {
        c->has_first = true;
        c->first = try_kinds(c, c->first, field, reading);
    } else {
        c->has_rest = true;
        c->rest = try_kinds(c, c->rest, field, reading);
    }
}

/* --- Lines --- */

static dv_status read_line(dvi_text_guess *g, const dvi_text_dialect *dialect, dv_text line,
                           dvi_memory **unquoted, int64_t *count_out, dv_error *err)
{
    const dvi_text_reading reading = {g->options.decimal, g->options.blank_is_na, false, false};
    dvi_text_field field;
    int64_t column;
    DVI_TRY(dvi_memory_reserve(unquoted, &g->allocator, (size_t)line.nbytes, err));
    dvi_text_items items = dvi_text_items_of(dialect, line, (char *)(void *)(*unquoted)->data);
    while (dvi_text_items_next(&items, &column, &field)) {
        DVI_TRY(reserve_column(g, column, err));
        add_field(g, column, &field, &reading);
    }
    *count_out = dvi_text_items_count(&items);
    g->has_errors |= items.errors > 0;
    return DV_OK;
}

/* Find the number of columns that most lines have. */
static void count_columns(dvi_text_guess *g, const int64_t *counts)
{
    for (int i = 0; i < g->lines; i++) {
        int same = 0;
        for (int k = 0; k < g->lines; k++)
            same += counts[k] == counts[i];
        if (same > g->usual_lines) {
            g->usual_lines = same;
            g->columns_count = (int32_t)counts[i];
        }
    }
}

static dv_status read_lines(dvi_text_guess *g, dvi_text_reader *reader, dvi_memory **unquoted,
                            dv_error *err)
{
    int64_t counts[DVI_TEXT_GUESS_LINES] = {0}, offset;
    dv_status status = DV_OK;
    dv_error own = DV_ERROR_INIT;
    while (g->lines < DVI_TEXT_GUESS_LINES && reader->lines.at < DVI_TEXT_GUESS_NBYTES) {
        dv_text line;
        status = dvi_text_reader_next(reader, &line, &offset, &own);
        if (status == DV_OK)
            status = read_line(g, &reader->dialect, line, unquoted, &counts[g->lines], &own);
        if (status != DV_OK)
            break;
        g->lines++;
    }
    count_columns(g, counts);
    /* an open line or quote: these options do not fit */
    g->has_errors |= status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT;
    if (status == DV_ERR_MEMORY || status == DV_ERR_IO) {
        if (err)
            *err = own;
        return status;
    }
    return DV_OK;
}

dv_status dvi_text_guess_read(dvi_text_guess *guess, dvi_map *map, const char *options,
                              dv_error *err)
{
    dvi_text_reader reader = {0};
    dvi_memory *unquoted = NULL;
    dv_text copy;
    *guess = (dvi_text_guess){.allocator = *dvi_map_allocator(map)};
    dvi_arena_init(&guess->arena, &guess->allocator);
    DVI_TRY(dvi_arena_text(&guess->arena, &copy, dv_text_of(options), err));
    DVI_TRY(dvi_text_options_read(&guess->options, copy, NULL, &guess->arena, err));
    dv_status status =
        dvi_text_reader_start(&reader, map, &guess->options, DVI_TEXT_GUESS_NBYTES, err);
    if (status == DV_OK)
        status = read_lines(guess, &reader, &unquoted, err);
    dvi_memory_release(&unquoted);
    dvi_text_reader_free(&reader);
    return status;
}

void dvi_text_guess_free(dvi_text_guess *guess)
{
    dvi_free(&guess->allocator, guess->columns, guess->columns_cap * sizeof *guess->columns);
    dvi_arena_free(&guess->arena);
    guess->columns = NULL;
}

/* --- Types --- */

dv_kind dvi_text_guess_kind(const dvi_text_guess *guess, int32_t column, bool has_header)
{
    const dvi_text_guess_column *c = &guess->columns[column];
    const bool has_any = c->has_rest || (!has_header && c->has_first);
    int bits = has_any ? c->rest & (has_header ? ALL : c->first) : 0;
    if (c->is_zoned && bits & DZ)
        bits = DZ;
    for (int i = 0; i < KINDS; i++)
        if (bits >> i & 1)
            return kinds[i];
    return DV_KIND_TX;
}

static int bit_of(dv_kind kind)
{
    int i = 0;
    while (i < KINDS && kinds[i] != kind)
        i++;
    return 1 << i;
}

bool dvi_text_guess_has_header(const dvi_text_guess *guess)
{
    bool differs = false;
    for (int32_t i = 0; i < guess->columns_count; i++) {
        const dvi_text_guess_column *c = &guess->columns[i];
        if (c->has_first && c->first & (I8 | R4 | DT | DZ | TS))
            return false;
        const dv_kind kind = dvi_text_guess_kind(guess, i, true);
        differs |= c->has_first && kind != DV_KIND_TX && !(c->first & bit_of(kind));
    }
    return differs;
}
