/* SPDX-License-Identifier: MIT */
/* text_start.c: finds where the table of another file starts.
 *
 * A title stands above the table in one file and not in another, so that the lines to be left out
 * are found in each. A line that could be a row is never left out. */
#include "format/text/propose/text_start.h"
#include "base/check.h"
#include <string.h>

#define MOST_LINES 200 /* are looked at */

/* How a line is split. */
typedef struct parts {
    int64_t fields, extent; /* extent: without blank ones at the end */
    int64_t filled, named;  /* fields that are not blank, and those that are names */
    bool is_comment;        /* it begins with # or // */
} parts;

static dv_status split(parts *p, dvi_text_reader *reader, dv_text line, const dvi_hashtab *names,
                       dvi_memory **unquoted, dv_error *err)
{
    int64_t source;
    dvi_text_field field;
    *p = (parts){.is_comment = line.nbytes > 0 && line.data[0] == '#'};
    p->is_comment |= line.nbytes > 1 && memcmp(line.data, "//", 2) == 0;
    if (line.nbytes > 2 && memcmp(line.data, "# ", 2) == 0)
        line = (dv_text){line.data + 2, line.nbytes - 2}; /* as NumPy writes names */
    DVI_TRY(dvi_memory_reserve(unquoted, dvi_map_allocator(reader->lines.map), (size_t)line.nbytes,
                               err));
    dvi_text_items items =
        dvi_text_items_of(&reader->dialect, line, (char *)(void *)(*unquoted)->data);
    while (dvi_text_items_next(&items, &source, &field)) {
        const dv_text text = dvi_text_trim(field.text);
        if (text.nbytes <= 0)
            continue;
        p->filled++;
        p->named += names && dvi_hashtab_get(names, text) >= 0;
        p->extent = source + 1;
    }
    p->fields = dvi_text_items_count(&items);
    return DV_OK;
}

/* A title that is a name by chance is one field of several. */
static bool is_header(const parts *p, bool is_union, int32_t columns)
{
    return p->named > 0 && (is_union || p->named == p->filled) && (p->extent > 1 || columns == 1);
}

/* A file of a union may have rows with fewer fields. */
static bool is_before(const parts *p, bool is_union, int32_t columns)
{
    if (columns == 1)
        return p->is_comment;
    return p->extent <= 1 || (!is_union && p->fields != columns);
}

static dv_status find(dvi_text_start *start, dvi_text_reader *reader, const dvi_hashtab *names,
                      bool is_union, int32_t columns, dvi_memory **unquoted, dv_error *err)
{
    parts p;
    dv_text line;
    int64_t offset;
    dv_status status = DV_OK;
    for (int i = 0; i < MOST_LINES; i++) {
        const int64_t before = reader->lines.count;
        status = dvi_text_reader_next(reader, &line, &offset, err);
        if (status != DV_OK)
            return status;
        DVI_TRY(split(&p, reader, line, names, unquoted, err));
        start->has_names = is_header(&p, is_union, columns);
        if (!start->has_names && is_before(&p, is_union, columns))
            continue;
        start->skip = before;
        return DV_OK;
    }
    return DV_OK;
}

dv_status dvi_text_find_start(dvi_text_start *start_out, dvi_map *map,
                              const dvi_text_options *options, dvi_text_limit limit,
                              const dvi_hashtab *names, int32_t columns, dv_error *err)
{
    dvi_text_reader reader;
    dvi_memory *unquoted = NULL;
    dvi_text_options own = *options;
    own.skip = 0;
    *start_out = (dvi_text_start){.skip = INT64_MAX};
    dv_status status = dvi_text_reader_start(&reader, map, &own, limit, err);
    if (status == DV_OK)
        status = find(start_out, &reader, names, own.match == DVI_TEXT_MATCH_UNION, columns,
                      &unquoted, err);
    dvi_text_reader_free(&reader);
    dvi_memory_release(&unquoted);
    return status == DV_END ? DV_OK : status;
}
