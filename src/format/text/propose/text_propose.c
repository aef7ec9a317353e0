/* SPDX-License-Identifier: MIT */
/* text_propose.c: proposes options for reading a text file.
 *
 * Its first lines are read with one separator after the other. The best separator closes all
 * quotes, gives most lines the same number of columns, and gives the most columns a type other than
 * TX. */
#include "format/text/propose/text_propose.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "codec/option_string.h"
#include "format/text/propose/text_guess.h"
#include "format/text/read/text_value.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_NBYTES 64
#define REGULAR(lines)                                                                             \
    ((lines) - (lines) / 10) /* the lines that must have the usual number of columns */
#define VECTOR_LEAST 9       /* adjacent columns of numbers */

/* --- Which separator? --- */

static const char *const separators[] = {
    "sep=tab",           "sep=comma", "sep=semicolon", "sep=semicolon decimal=,",
    "sep=tab decimal=,", "sep=bar",   "sep=space"};
#define SEPARATORS (sizeof separators / sizeof *separators)

/* A guess and its rating. */
typedef struct candidate {
    dvi_text_guess guess;
    char options[OPTIONS_NBYTES]; /* without columns and header */
    bool has_header, is_regular;
    int32_t typed; /* columns */
} candidate;

static void rate(candidate *c)
{
    const dvi_text_guess *g = &c->guess;
    c->is_regular = !g->has_errors && g->columns_count > 1 && g->usual_lines >= REGULAR(g->lines);
    c->has_header = dvi_text_guess_has_header(g);
    c->typed = 0;
    for (int32_t i = 0; i < g->columns_count; i++)
        c->typed += dvi_text_guess_kind(g, i, c->has_header) != DV_KIND_TX;
}

static dv_status try_options(candidate *c, dvi_map *map, const char *first, const char *second,
                             dv_error *err)
{
    snprintf(c->options, sizeof c->options, "%s%s", first, second);
    char all[OPTIONS_NBYTES + 16];
    snprintf(all, sizeof all, "%s sparse-", c->options);
    const dv_status status = dvi_text_guess_read(&c->guess, map, all, err);
    if (status == DV_OK)
        rate(c);
    return status;
}

/* If a quote stays open, try multilines. */
static dv_status try_separator(candidate *c, dvi_map *map, const char *options, dv_error *err)
{
    DVI_TRY(try_options(c, map, options, "", err));
    if (!c->guess.has_errors)
        return DV_OK;
    dvi_text_guess_free(&c->guess);
    return try_options(c, map, options, " multilines+", err);
}

static bool is_better(const candidate *a, const candidate *b)
{
    if (a->is_regular != b->is_regular)
        return a->is_regular;
    const int32_t columns = a->guess.columns_count, others = b->guess.columns_count;
    /* decimal commas read as separators would make more columns, so compare shares */
    const bool is_share = a->guess.options.decimal != b->guess.options.decimal;
    const int64_t mine = (int64_t)a->typed * (is_share ? others : 1);
    const int64_t theirs = (int64_t)b->typed * (is_share ? columns : 1);
    return a->is_regular && (mine > theirs || (mine == theirs && columns > others));
}

/* Spaces are tried only if no other separator fits. If none does, each line is one text. */
static dv_status choose(candidate *best, dvi_map *map, dv_error *err)
{
    DVI_TRY(try_separator(best, map, separators[0], err));
    for (size_t i = 1; i < SEPARATORS && !(best->is_regular && i == SEPARATORS - 1); i++) {
        candidate other = {.is_regular = false};
        const dv_status status = try_separator(&other, map, separators[i], err);
        candidate *const worse = status == DV_OK && is_better(&other, best) ? best : &other;
        dvi_text_guess_free(&worse->guess);
        if (worse == best)
            *best = other;
        DVI_TRY(status);
    }
    if (best->is_regular || !best->guess.has_errors)
        return DV_OK;
    dvi_text_guess_free(&best->guess);
    return try_options(best, map, separators[0], " quote-", err);
}

/* --- What is written --- */

typedef struct proposal {
    const candidate *from;
    dvi_arena arena;
    dvi_hashtab names; /* and the next suffix for each */
    dvi_memory *memory;
    size_t n;
} proposal;

static dv_status append(proposal *p, dv_text text, dv_error *err)
{
    const size_t n = (size_t)text.nbytes;
    DVI_TRY(dvi_memory_extend(&p->memory, p->n, p->n + n + 1, &p->arena.allocator, err));
    if (n > 0)
        memcpy(p->memory->data + p->n, text.data, n);
    p->n += n;
    p->memory->data[p->n] = '\0';
    return DV_OK;
}

/* Append a name with two levels of backslashes: it is in braces within braces. */
static dv_status append_escaped(proposal *p, dv_text name, dv_error *err)
{
    for (int64_t i = 0; i < name.nbytes; i++) {
        const bool is_special = memchr("\\{}", name.data[i], 3) != NULL;
        if (is_special)
            DVI_TRY(append(p, dv_text_of("\\\\\\"), err));
        DVI_TRY(append(p, (dv_text){name.data + i, 1}, err));
    }
    return DV_OK;
}

static bool is_plain(dv_text name)
{
    for (int64_t i = 0; i < name.nbytes; i++)
        if ((uint8_t)name.data[i] <= ' ' || memchr("\"#:={}\\", name.data[i], 7))
            return false;
    return true;
}

static dv_status append_column(proposal *p, dv_text name, dv_kind kind, int32_t first, int32_t last,
                               dv_error *err)
{
    char range[32];
    const char *type = dv_kind_name(kind);
    snprintf(range, sizeof range, first < last ? "%" PRId32 "-%" PRId32 : "%" PRId32, first, last);
    const bool plain = is_plain(name);
    DVI_TRY(append(p, dv_text_of(plain ? " col=" : " col={name={"), err));
    DVI_TRY(plain ? append(p, name, err) : append_escaped(p, name, err));
    DVI_TRY(append(p, dv_text_of(plain ? ":" : "} type="), err));
    DVI_TRY(append(p, dv_text_of(type), err));
    DVI_TRY(append(p, dv_text_of(plain ? ":" : " src="), err));
    DVI_TRY(append(p, dv_text_of(range), err));
    return plain ? DV_OK : append(p, dv_text_of("}"), err);
}

/* --- Names --- */

/* A header field as a name: UTF-8 on one line, without white space around it. */
static dv_status clean_name(proposal *p, dv_text *name_out, dv_text field, dv_error *err)
{
    void *made;
    int64_t ill_formed = 0;
    DVI_TRY(dvi_arena_alloc(&p->arena, &made, 3 * (size_t)field.nbytes + 1, err));
    char *text = made;
    const size_t n = dvi_text_copy((uint8_t *)made, field, &ill_formed);
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)text[i] < ' ' || text[i] == 0x7F)
            text[i] = ' ';
    *name_out = dvi_text_trim((dv_text){text, (int64_t)n});
    return DV_OK;
}

/* Keep the name, or append the first of _2, _3, ... that makes it unique. */
static dv_status make_unique(proposal *p, dv_text *name, dv_error *err)
{
    const dv_text wanted = *name;
    int32_t ignored, next = dvi_hashtab_get(&p->names, wanted);
    char suffix[16];
    if (next < 0)
        return dvi_hashtab_put(&p->names, wanted, 2, &ignored, err);
    do {
        void *made;
        const int n = snprintf(suffix, sizeof suffix, "_%" PRId32, next++);
        DVI_TRY(dvi_arena_alloc(&p->arena, &made, (size_t)wanted.nbytes + sizeof suffix, err));
        memcpy(made, wanted.data, (size_t)wanted.nbytes);
        memcpy((char *)made + wanted.nbytes, suffix, (size_t)n);
        *name = (dv_text){made, wanted.nbytes + n};
    } while (dvi_hashtab_get(&p->names, *name) >= 0);
    DVI_TRY(dvi_hashtab_put(&p->names, wanted, next, &ignored, err));
    return dvi_hashtab_put(&p->names, *name, 2, &ignored, err);
}

static dv_status name_of(proposal *p, dv_text *name_out, const dv_text *header, int32_t column,
                         dv_error *err)
{
    char number[16];
    *name_out = header ? header[column] : dv_text_of("");
    if (name_out->nbytes == 0) {
        snprintf(number, sizeof number, "C%" PRId32, column);
        DVI_TRY(dvi_arena_text(&p->arena, name_out, dv_text_of(number), err));
    }
    return make_unique(p, name_out, err);
}

/* --- Columns --- */

static dv_kind kind_of(const proposal *p, int32_t column)
{
    return dvi_text_guess_kind(&p->from->guess, column, p->from->has_header);
}

/* Can the column be a slot of a vector of R4? */
static bool is_slot(const proposal *p, const dv_text *header, int32_t column)
{
    const dv_kind kind = kind_of(p, column);
    if (header && dvi_text_is(header[column], "label"))
        return false;
    return kind == DV_KIND_R4 ||
           ((kind == DV_KIND_I4 || kind == DV_KIND_I8) && !p->from->guess.columns[column].is_long);
}

static dv_status append_columns(proposal *p, const dv_text *header, dv_error *err)
{
    const int32_t n = p->from->guess.columns_count;
    for (int32_t first = 0, end; first < n; first = end) {
        dv_text name = dv_text_of("Features");
        for (end = first; end < n && is_slot(p, header, end); end++)
            ;
        const bool is_vector = end - first >= VECTOR_LEAST;
        if (is_vector) {
            DVI_TRY(make_unique(p, &name, err));
        } else {
            end = first + 1;
            DVI_TRY(name_of(p, &name, header, first, err));
        }
        const dv_kind kind = is_vector ? DV_KIND_R4 : kind_of(p, first);
        DVI_TRY(append_column(p, name, kind, first, end - 1, err));
    }
    return DV_OK;
}

/* Fields other than numbers may look like `index:value`. */
static bool has_colons(const proposal *p, const dv_text *header)
{
    bool has = false;
    for (int32_t i = 0; i < p->from->guess.columns_count; i++) {
        const dv_kind kind = kind_of(p, i);
        has |= kind != DV_KIND_BL && kind != DV_KIND_I4 && kind != DV_KIND_I8 && kind != DV_KIND_R4;
        has |=
            header && header[i].nbytes > 0 && memchr(header[i].data, ':', (size_t)header[i].nbytes);
    }
    return has;
}

static dv_status append_all(proposal *p, const dv_text *header, dv_error *err)
{
    DVI_TRY(append(p, dv_text_of(p->from->options), err));
    if (header)
        DVI_TRY(append(p, dv_text_of(" header+"), err));
    if (has_colons(p, header))
        DVI_TRY(append(p, dv_text_of(" sparse-"), err));
    return append_columns(p, header, err);
}

/* --- The first line --- */

static dv_status read_names(proposal *p, dv_text *names, dv_text line, dvi_memory **unquoted,
                            const dvi_text_dialect *dialect, dv_error *err)
{
    dvi_text_field field;
    int64_t column;
    DVI_TRY(dvi_memory_reserve(unquoted, &p->arena.allocator, (size_t)line.nbytes, err));
    dvi_text_items items = dvi_text_items_of(dialect, line, (char *)(void *)(*unquoted)->data);
    while (dvi_text_items_next(&items, &column, &field))
        if (column < p->from->guess.columns_count)
            DVI_TRY(clean_name(p, &names[column], field.text, err));
    return DV_OK;
}

/* Read a name for each column; empty: none. */
static dv_status read_header(proposal *p, const dv_text **names_out, dvi_map *map, dv_error *err)
{
    const dvi_text_guess *g = &p->from->guess;
    dvi_text_reader reader = {0};
    dvi_memory *unquoted = NULL;
    dv_text line;
    int64_t offset;
    void *made;
    DVI_TRY(dvi_arena_alloc(&p->arena, &made, (size_t)g->columns_count * sizeof(dv_text), err));
    dv_status status = dvi_text_reader_start(&reader, map, &g->options, DVI_TEXT_GUESS_NBYTES, err);
    if (status == DV_OK)
        status = dvi_text_reader_next(&reader, &line, &offset, err);
    if (status == DV_OK)
        status = read_names(p, made, line, &unquoted, &reader.dialect, err);
    dvi_memory_release(&unquoted);
    dvi_text_reader_free(&reader);
    *names_out = made;
    return status;
}

/* Are there options in the file?  A line that is too long is data. */
static dv_status has_options(bool *has_out, dvi_map *map, dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_error own = DV_ERROR_INIT;
    dv_text line;
    int64_t offset;
    dv_status status = dvi_text_lines_start(&lines, map, DVI_TEXT_GUESS_NBYTES, &own);
    if (status == DV_OK)
        status = dvi_text_lines_next_option(&lines, &line, &offset, &own);
    dvi_text_lines_free(&lines);
    *has_out = status == DV_OK;
    if (status >= 0 || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = own;
    return status;
}

/* --- All of it --- */

static dv_status write_proposal(proposal *p, dvi_map *map, dv_error *err)
{
    const dv_text *header = NULL;
    if (p->from->has_header)
        DVI_TRY(read_header(p, &header, map, err));
    return append_all(p, header, err);
}

dv_status dvi_text_propose(dv_buffer *text_out, dvi_map *map, dv_error *err)
{
    candidate best = {.is_regular = false};
    proposal p = {.from = &best};
    bool is_described;
    *text_out = (dv_buffer){0};
    DVI_TRY(has_options(&is_described, map, err));
    if (is_described)
        return DV_NOT_FOUND;
    dvi_arena_init(&p.arena, dvi_map_allocator(map));
    dvi_hashtab_init(&p.names, dvi_map_allocator(map));
    dv_status status = choose(&best, map, err);
    if (status == DV_OK)
        status = best.guess.columns_count > 0 ? write_proposal(&p, map, err) : DV_NOT_FOUND;
    if (status == DV_OK)
        *text_out = dvi_memory_buffer(p.memory, 0, p.n, 1);
    else
        dvi_memory_release(&p.memory);
    dvi_hashtab_free(&p.names);
    dvi_arena_free(&p.arena);
    dvi_text_guess_free(&best.guess);
    return status;
}
