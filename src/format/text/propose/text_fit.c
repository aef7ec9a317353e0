/* SPDX-License-Identifier: MIT */
/* text_fit.c: finds the columns of the first file in another file of the same table. */
#include "format/text/propose/text_fit.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "format/text/propose/text_dialect.h"
#include "format/text/propose/text_start.h"
#include <inttypes.h>
#include <string.h>

/* The first line of a file, as fields without white space around them. */
typedef struct head {
    dv_text *name;
    int32_t n;
    int64_t offset;
    bool has_rows; /* a line follows */
} head;

typedef struct fit {
    dvi_text_file *file;
    dvi_arena arena;
    head own, first;
    dvi_hashtab positions; /* where the file has its own names */
    dvi_hashtab wanted;    /* the names of the table */
    dv_text *names;        /* the source columns: of the first file, then further ones */
    int32_t *at;           /* where the file has them; -1: nowhere */
    int32_t n;
} fit;

/* --- Heads --- */

static dv_status split(head *h, dvi_text_reader *reader, dv_text line, dvi_arena *arena,
                       dv_error *err)
{
    void *made;
    int64_t source;
    dvi_text_field field;
    DVI_TRY(dvi_arena_alloc(arena, &made, (size_t)line.nbytes + 1, err));
    dvi_text_items items = dvi_text_items_of(&reader->dialect, line, made);
    while (dvi_text_items_next(&items, &source, &field))
        ;
    h->n = (int32_t)dvi_text_items_count(&items);
    DVI_TRY(dvi_arena_alloc(arena, &made, (size_t)h->n * sizeof *h->name + 1, err));
    h->name = made;
    for (int32_t i = 0; i < h->n; i++)
        h->name[i] = dv_text_of("");
    DVI_TRY(dvi_arena_alloc(arena, &made, (size_t)line.nbytes + 1, err));
    items = dvi_text_items_of(&reader->dialect, line, made);
    while (dvi_text_items_next(&items, &source, &field))
        h->name[source] = dvi_text_trim(field.text);
    return DV_OK;
}

static dv_status read_lines(head *h, dvi_text_reader *reader, bool has_header, dvi_arena *arena,
                            dv_error *err)
{
    dv_text line, kept;
    int64_t ignored;
    dv_status status = dvi_text_reader_next(reader, &line, &h->offset, err);
    if (status != DV_OK)
        return status;
    if (has_header && line.nbytes > 2 && memcmp(line.data, "# ", 2) == 0)
        line = (dv_text){line.data + 2, line.nbytes - 2}; /* as NumPy writes names */
    DVI_TRY(dvi_arena_text(arena, &kept, line, err));
    DVI_TRY(split(h, reader, kept, arena, err));
    status = dvi_text_reader_next(reader, &line, &ignored, err);
    h->has_rows = status == DV_OK || !has_header;
    return status;
}

/* Without a line, there are no fields. */
static dv_status read_head(head *h, fit *f, dvi_map *map, dv_error *err)
{
    const dvi_text_options *o = &f->file->options;
    dvi_text_reader reader;
    dv_status status = dvi_text_reader_start(&reader, map, o, dvi_text_line_limit(f->file), err);
    if (status == DV_OK)
        status = read_lines(h, &reader, o->has_header, &f->arena, err);
    dvi_text_reader_free(&reader);
    return status == DV_END ? DV_OK : status;
}

/* Without a line that could be the header, the first one is looked at, and differs. */
static dv_status find_header(fit *f, dv_error *err)
{
    dvi_text_start start;
    int32_t before;
    dvi_text_options *o = &f->file->options;
    const dv_text *names = f->names ? f->names : f->first.name;
    const int32_t n = f->names ? f->n : f->first.n;
    for (int32_t i = 0; i < n; i++)
        if (names[i].nbytes > 0)
            DVI_TRY(dvi_hashtab_put(&f->wanted, names[i], i, &before, err));
    DVI_TRY(dvi_text_find_start(&start, f->file->map, o, dvi_text_line_limit(f->file), &f->wanted,
                                f->first.n, err));
    o->skip = start.has_names ? (int32_t)start.skip : 0;
    return DV_OK;
}

/* --- Columns in order --- */

static dv_status compare(const fit *f, dv_error *err)
{
    const head *own = &f->own, *first = &f->first;
    for (int32_t i = 0; i < own->n && i < first->n && f->file->options.has_header; i++) {
        if (dv_text_equal(own->name[i], first->name[i]))
            continue;
        dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", own->offset, "header",
                 "\"%s\" as in the first file|\"%s\"", dvi_show(first->name[i]).text,
                 dvi_show(own->name[i]).text);
        dvi_error_within(err, "column %" PRId32, i);
        return DV_ERR_CORRUPT;
    }
    if (own->n == first->n)
        return DV_OK;
    dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", own->offset, "line",
             "%" PRId32 " field%s as in the first file|%" PRId32, first->n, DVI_S(first->n),
             own->n);
    dvi_error_advise(err, "a file with another separator needs a header, or option sep= and to be "
                          "opened alone");
    return DV_ERR_CORRUPT;
}

/* --- Columns by name --- */

/* The names of all source columns: those that the first file lacks are called as their columns. */
static dv_status list_names(fit *f, dv_error *err)
{
    void *made;
    const dvi_text_layout *layout = &f->file->layout;
    f->n = f->first.n + layout->columns_count;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)f->n * sizeof *f->names, err));
    f->names = made;
    for (int32_t i = 0; i < f->n; i++)
        f->names[i] = i < f->first.n ? f->first.name[i] : (dv_text){NULL, 0};
    for (int32_t i = 0; i < layout->columns_count; i++)
        for (int32_t k = 0; k < layout->columns[i].segments_count; k++) {
            const dvi_text_segment *s = &layout->columns[i].segments[k];
            DVI_REQUIRE(s->end <= f->n,
                        dvi_fail_argument(err,
                                          "option match: column \"%s\" goes on after the names of "
                                          "the header",
                                          dvi_show(layout->columns[i].name).text));
            if (s->first >= f->first.n)
                f->names[s->first] = layout->columns[i].name;
        }
    return DV_OK;
}

/* A name that occurs twice has its places in order: no other file can have them in another. */
static dv_status fail_twice(const fit *f, dv_text name, dv_error *err)
{
    dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", f->own.offset, "header",
             "names in the order of the first file, for some occur twice|others");
    dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
    return DV_ERR_CORRUPT;
}

static dv_status fail_lack(const fit *f, dv_text name, dv_error *err)
{
    dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", f->own.offset, "header",
             "\"%s\" (option match=union: NA)|no such name", dvi_show(name).text);
    dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
    return DV_ERR_CORRUPT;
}

static dv_status fail_more(const fit *f, dv_text name, dv_error *err)
{
    const bool is_union = f->file->options.match == DVI_TEXT_MATCH_UNION;
    dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", f->own.offset, "header",
             is_union ? "the name of a column|\"%s\""
                      : "a name of the first file (option match=union: any)|\"%s\"",
             dvi_show(name).text);
    dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
    return DV_ERR_CORRUPT;
}

/* Find each source column; every field of the header has to be one of them. */
static dv_status find_names(fit *f, dv_error *err)
{
    void *made;
    int32_t before, found = 0;
    bool *is_found;
    for (int32_t i = 0; i < f->own.n; i++) {
        DVI_REQUIRE(dvi_hashtab_get(&f->positions, f->own.name[i]) < 0,
                    fail_twice(f, f->own.name[i], err));
        DVI_TRY(dvi_hashtab_put(&f->positions, f->own.name[i], i, &before, err));
    }
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)f->own.n + 1, err));
    is_found = made;
    memset(is_found, 0, (size_t)f->own.n);
    for (int32_t i = 0; i < f->n; i++) {
        f->at[i] = f->names[i].data ? dvi_hashtab_get(&f->positions, f->names[i]) : -1;
        if (f->at[i] < 0) {
            DVI_REQUIRE(!f->names[i].data || f->file->options.match == DVI_TEXT_MATCH_UNION,
                        fail_lack(f, f->names[i], err));
            continue;
        }
        DVI_REQUIRE(!is_found[f->at[i]], fail_twice(f, f->names[i], err));
        is_found[f->at[i]] = true;
        found++;
    }
    for (int32_t i = 0; i < f->own.n && found < f->own.n; i++)
        DVI_REQUIRE(is_found[i], fail_more(f, f->own.name[i], err));
    return DV_OK;
}

static bool is_same(const fit *f)
{
    bool is = f->own.n == f->first.n;
    for (int32_t i = 0; i < f->own.n && is; i++)
        is = dv_text_equal(f->own.name[i], f->first.name[i]);
    return is;
}

/* Write the segments of a column where the file has them.  NULL: count them. */
static int32_t place(const fit *f, const dvi_text_column *column, dvi_text_segment *to)
{
    int32_t n = 0;
    int64_t next = -1;
    for (int32_t k = 0; k < column->segments_count; k++) {
        const dvi_text_segment *s = &column->segments[k];
        for (int64_t i = s->first; i < s->end; i++) {
            const int32_t at = f->at[i];
            const int64_t first = at < 0 ? DVI_TEXT_ABSENT : at;
            if (at >= 0 && at == next) {
                if (to)
                    to[n - 1].end++;
            } else {
                if (to)
                    to[n] = (dvi_text_segment){first, first + 1, s->slot + i - s->first};
                n++;
            }
            next = at < 0 ? -1 : at + 1;
        }
    }
    return n;
}

/* Is it one source column, which the file lacks? */
static bool is_nowhere(const fit *f, const dvi_text_column *column)
{
    const dvi_text_segment *s = column->segments;
    return column->segments_count == 1 && s->end == s->first + 1 && f->at[s->first] < 0;
}

/* Give the file a layout of its own. */
static dv_status place_all(fit *f, dv_error *err)
{
    void *made;
    dvi_text_file *file = f->file;
    const size_t n = (size_t)file->layout.columns_count;
    DVI_TRY(dvi_arena_alloc(&file->arena, &made, n * sizeof(dvi_text_column), err));
    dvi_text_column *columns = made;
    DVI_TRY(dvi_arena_alloc(&file->arena, &made, sizeof(dvi_text_segment), err));
    dvi_text_segment *nowhere = made; /* the place of columns that the file lacks */
    *nowhere = (dvi_text_segment){DVI_TEXT_ABSENT, DVI_TEXT_ABSENT + 1, 0};
    for (size_t i = 0; i < n; i++) {
        columns[i] = file->layout.columns[i];
        if (is_nowhere(f, &columns[i])) {
            columns[i].segments = nowhere;
            continue;
        }
        columns[i].segments_count = place(f, &file->layout.columns[i], NULL);
        DVI_TRY(dvi_arena_alloc(&file->arena, &made,
                                (size_t)columns[i].segments_count * sizeof(dvi_text_segment), err));
        columns[i].segments = made;
        place(f, &file->layout.columns[i], made);
    }
    file->layout.columns = columns;
    if (file->options.first_fields > 0)
        file->options.first_fields = f->own.n;
    return DV_OK;
}

static dv_status match(fit *f, dv_error *err)
{
    void *made;
    const bool is_union = f->file->options.match == DVI_TEXT_MATCH_UNION;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)f->n * sizeof *f->at, err));
    f->at = made;
    if (!is_same(f)) {
        DVI_TRY(find_names(f, err));
        return place_all(f, err);
    }
    for (int32_t i = 0; i < f->n; i++)
        f->at[i] = i < f->own.n ? i : -1;
    return is_union ? place_all(f, err) : DV_OK;
}

/* Is a line alone a header?  All its fields are names of the table, for one field of a row may be
 * one by chance; with match=union, where each file has a header with names of its own, one is. */
static bool is_header_alone(const fit *f)
{
    int32_t named = 0, others = 0;
    for (int32_t i = 0; i < f->own.n; i++) {
        const bool is_name = dvi_hashtab_get(&f->wanted, f->own.name[i]) >= 0;
        named += is_name;
        others += !is_name && f->own.name[i].nbytes > 0;
    }
    return named > 0 && (others == 0 || f->file->options.match == DVI_TEXT_MATCH_UNION);
}

/* Has the header none of the names of the table? */
static bool is_strange(const fit *f)
{
    for (int32_t i = 0; i < f->own.n; i++)
        if (dvi_hashtab_get(&f->wanted, f->own.name[i]) >= 0)
            return false;
    return f->own.n > 0;
}

/* A file that has none of the names may be split in a way of its own. */
static dv_status read_dialect(fit *f, dv_error *err)
{
    bool is_found;
    dvi_text_given given;
    dvi_text_file *file = f->file;
    if (!file->proposal || !is_strange(f))
        return DV_OK;
    DVI_TRY(dvi_text_given_read(&given, file->limits.text, &f->arena, err));
    DVI_TRY(dvi_text_dialect_find(&is_found, &file->options, file->map, &given, &f->wanted,
                                  &file->arena, err));
    if (!is_found)
        return DV_OK;
    DVI_TRY(find_header(f, err));
    return read_head(&f->own, f, file->map, err);
}

static dv_status find_columns(fit *f, dvi_map *first, dv_error *err)
{
    const bool has_names =
        f->file->options.match != DVI_TEXT_MATCH_POSITION && f->file->options.has_header;
    DVI_TRY(read_head(&f->first, f, first, err));
    if (has_names && f->first.n > 0)
        DVI_TRY(list_names(f, err));
    if (f->file->options.has_header && f->file->map != first)
        DVI_TRY(find_header(f, err));
    DVI_TRY(read_head(&f->own, f, f->file->map, err));
    if (has_names && f->file->map != first)
        DVI_TRY(read_dialect(f, err));
    if (f->own.n == 0)
        return DV_OK;
    if (has_names && !f->names)
        DVI_TRY(list_names(f, err));
    if (has_names && !f->own.has_rows && is_header_alone(f))
        return DV_OK;
    return has_names ? match(f, err) : compare(f, err);
}

dv_status dvi_text_fit(dvi_text_file *file, dvi_map *first, dv_error *err)
{
    fit f = {.file = file};
    dvi_arena_init(&f.arena, &file->allocator);
    dvi_hashtab_init(&f.positions, &file->allocator);
    dvi_hashtab_init(&f.wanted, &file->allocator);
    const dv_status status = find_columns(&f, first, err);
    dvi_hashtab_free(&f.positions);
    dvi_hashtab_free(&f.wanted);
    dvi_arena_free(&f.arena);
    return status;
}
