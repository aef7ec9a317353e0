/* SPDX-License-Identifier: MIT */
/* text_head.c: reads options, columns and names from the option string and the first lines.
 * (semantics:6.2, semantics:6.3, semantics:6.6) */
#include "base/check.h"
#include "base/size.h"
#include "codec/option_string.h"
#include "format/text/read/text_priv.h"
#include "format/text/read/text_rows.h"
#include <dataview/schema.h>
#include <string.h>

#define SAMPLE_LINES 100
#define HEADER_FILE_LINES 2

static const char default_columns[] = "col=Label:0 col=Features:1-*";

/* --- Options in the file --- */

/* The text of the leading lines that begin with #@. */
typedef struct embedded {
    char *text;
    int64_t nbytes, at; /* at: offset of the first of them */
    dvi_memory *memory;
} embedded;

static dv_status add_line(embedded *e, dv_text line, const dvi_text_file *file, dv_error *err)
{
    const dv_text text = dvi_text_trim((dv_text){line.data + 2, line.nbytes - 2});
    const int64_t need = e->nbytes + text.nbytes + 1;
    const int64_t most = file->limits.metadata_nbytes;
    DVI_REQUIRE(need <= most,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", e->at, "options in the file",
                         "at most %lld bytes (option metadata_nbytes)|more", (long long)most));
    DVI_TRY(dvi_memory_extend(&e->memory, (size_t)e->nbytes, (size_t)need, &file->allocator, err));
    e->text = (char *)(void *)e->memory->data;
    if (e->nbytes > 0)
        e->text[e->nbytes++] = ' ';
    if (text.nbytes > 0)
        memcpy(e->text + e->nbytes, text.data, (size_t)text.nbytes);
    e->nbytes += text.nbytes;
    return DV_OK;
}

static dv_status find_embedded(embedded *e, const dvi_text_file *file, dvi_map *map, dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_text line;
    int64_t offset;
    dv_status status =
        dvi_text_lines_start(&lines, map, &file->options.encoding, dvi_text_line_limit(file), err);
    while (status == DV_OK) {
        status = dvi_text_lines_next_option(&lines, &line, &offset, err);
        if (status != DV_OK)
            break;
        e->at = e->nbytes == 0 ? offset : e->at;
        status = add_line(e, line, file, err);
    }
    dvi_text_lines_free(&lines);
    return status == DV_END ? DV_OK : status;
}

/* The text between the braces of `TextLoader{...}`; false: it is something else. */
static bool inside_braces(dv_text *inside, dv_text text)
{
    static const char *const names[] = {"TextLoader", "Text"};
    for (size_t i = 0; i < 2; i++) {
        const int64_t n = (int64_t)strlen(names[i]);
        if (text.nbytes <= n || memcmp(text.data, names[i], (size_t)n) != 0)
            continue;
        const dv_text rest = dvi_text_trim((dv_text){text.data + n, text.nbytes - n});
        if (rest.nbytes < 2 || rest.data[0] != '{' || rest.data[rest.nbytes - 1] != '}')
            continue;
        *inside = rest;
        return true;
    }
    return false;
}

static dv_status fail_embedded(int64_t at, const char *found, dv_error *err)
{
    return dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.3", at, "options in the file",
                    "TextLoader{...} with columns|%s", found);
}

static dv_status parse_embedded(dvi_text_file *file, const embedded *e, dv_error *err)
{
    dv_text inside;
    dv_error own = DV_ERROR_INIT;
    dvi_text_options options = {.specs_count = 0};
    dv_text copy, value; /* the options point into this copy */
    DVI_TRY(dvi_arena_text(&file->arena, &copy, (dv_text){e->text, e->nbytes}, err));
    if (!inside_braces(&inside, copy))
        return fail_embedded(e->at, "something else", err);
    /* parsed as an option's value, which removes the braces and one level of backslashes */
    dvi_option_string words = {inside, 0, &file->arena};
    dv_status status = dvi_option_string_value(&words, &value, &own);
    if (status == DV_OK && words.at != inside.nbytes)
        return fail_embedded(e->at, "unbalanced braces", err);
    if (status == DV_OK)
        status = dvi_text_options_read(&options, value, &file->options, &file->arena, &own);
    if (status == DV_ERR_MEMORY)
        return dvi_fail_memory(err, (size_t)e->nbytes);
    if (status < 0 || options.specs_count == 0)
        return fail_embedded(e->at, status < 0 ? own.message : "no column", err);
    file->options = options;
    return DV_OK;
}

/* Read the options in the file if the caller's name no columns.  *at_out: their offset if they are
 * used. */
static dv_status read_embedded(dvi_text_file *file, int64_t *at_out, dvi_map *map, dv_error *err)
{
    embedded e = {.at = -1};
    dv_status status = find_embedded(&e, file, map, err);
    if (status == DV_OK && e.nbytes > 0) {
        file->options_ignored = file->options.has_own;
        if (!file->options_ignored) {
            status = parse_embedded(file, &e, err);
            *at_out = e.at;
        }
    }
    dvi_memory_release(&e.memory);
    return status;
}

static dv_status use_default_columns(dvi_text_file *file, dv_error *err)
{
    dvi_text_options defaults;
    DVI_TRY(dvi_text_options_read(&defaults, dv_text_of(default_columns), NULL, &file->arena, err));
    file->options.specs = defaults.specs;
    file->options.specs_count = defaults.specs_count;
    return DV_OK;
}

/* --- How many source columns? --- */

/* Count the source columns of up to `most` lines. Those that have any must agree. *columns: those
 * of earlier lines; -1: none.  *extent_out: the end of the last one that is not blank in any. */
static dv_status sample(const dvi_text_file *file, dvi_map *map, int most, int64_t *columns,
                        int64_t *extent_out, dv_error *err)
{
    dvi_text_reader reader;
    dv_text line;
    int64_t offset;
    dvi_memory *unquoted = NULL;
    *extent_out = 0;
    dv_status status =
        dvi_text_reader_start(&reader, map, &file->options, dvi_text_line_limit(file), err);
    for (int i = 0; i < most && status == DV_OK; i++) {
        status = dvi_text_reader_next(&reader, &line, &offset, err);
        if (status == DV_OK)
            status = dvi_memory_reserve(&unquoted, &file->allocator, (size_t)line.nbytes, err);
        if (status != DV_OK)
            break;
        if (line.nbytes == 0) /* nothing is left of it by `trim` */
            continue;
        dvi_text_field field;
        int64_t source;
        dvi_text_items items =
            dvi_text_items_of(&reader.dialect, line, (char *)(void *)unquoted->data);
        while (dvi_text_items_next(&items, &source, &field))
            if (field.mark != DVI_TEXT_BLANK)
                *extent_out = dvi_max_i64(*extent_out, source + 1);
        const int64_t count = dvi_text_items_count(&items);
        if (count == 0) /* a sparse item without a length: the line shows nothing */
            continue;
        if (*columns >= 0 && count != *columns)
            status = dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", offset, "line",
                              "%lld source columns as in earlier lines, or columns with ends|%lld",
                              (long long)*columns, (long long)count);
        *columns = count;
    }
    dvi_memory_release(&unquoted);
    dvi_text_reader_free(&reader);
    return status == DV_END ? DV_OK : status;
}

dv_status dvi_text_count_first(dvi_text_options *options, const dvi_text_file *file, dv_error *err)
{
    options->first_fields = -1;
    DVI_TRY(sample(file, file->map, 1, &options->first_fields, &options->first_extent, err));
    options->first_fields = dvi_max_i64(0, options->first_fields);
    if (file->proposal) /* every field has a column, whatever the first line has */
        options->first_extent = 0;
    return DV_OK;
}

static dv_status make_layout(dvi_text_file *file, dvi_map *header, dv_error *err)
{
    int64_t columns = -1, ignored;
    if (file->options.size > 0) {
        columns = file->options.size;
    } else if (dvi_text_layout_needs_lines(&file->options)) {
        if (header)
            DVI_TRY(sample(file, header, HEADER_FILE_LINES, &columns, &ignored, err));
        DVI_TRY(sample(file, file->map, SAMPLE_LINES, &columns, &ignored, err));
        DVI_REQUIRE(columns >= 0, dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", 0, "lines",
                                           "a data line, which shows the number of columns|none"));
    }
    return dvi_text_layout_make(&file->layout, &file->options, columns, &file->arena, err);
}

/* --- Schema --- */

static bool has_names(const dvi_text_layout *layout)
{
    for (int32_t i = 0; i < layout->columns_count; i++)
        if (dv_type_is_known_size_vector(&layout->columns[i].type))
            return true;
    return false;
}

/* Parse the header as a row of texts. Those of vectors of known size name their slots; other
 * columns are not read. */
static dv_status add_names(dvi_text_file *file, dv_schema *schema, dv_text line, dv_error *err)
{
    const dvi_text_layout *layout = &file->layout;
    const size_t n = (size_t)layout->columns_count;
    dvi_text_layout texts = {NULL, layout->columns_count};
    dvi_text_rows *row;
    void *columns, *numbers;
    int32_t count = 0;
    DVI_TRY(dvi_arena_alloc(&file->arena, &columns, n * sizeof(dvi_text_column), err));
    DVI_TRY(dvi_arena_alloc(&file->arena, &numbers, n * sizeof(int32_t), err));
    int32_t *const named = numbers;
    texts.columns = columns;
    for (int32_t i = 0; i < texts.columns_count; i++) {
        texts.columns[i] = layout->columns[i];
        if (!dv_type_is_known_size_vector(&layout->columns[i].type))
            continue;
        texts.columns[i].type =
            dv_type_vector(dv_type_of(DV_KIND_TX), layout->columns[i].type.size);
        named[count++] = i;
    }
    DVI_TRY(dvi_text_rows_create_names(&row, &texts, &file->options, named, count,
                                       file->limits.cursor_nbytes, &file->allocator, err));
    dv_status status = dvi_text_rows_add(row, line, err);
    for (int32_t k = 0; k < count && status == DV_OK; k++) {
        dv_column_view items;
        const dv_column_view view = dvi_text_rows_column(row, k, 1, &items);
        if (items.as.text.utf8.nbytes > 0)
            status =
                dv_schema_add_metadata(schema, named[k], dv_text_of(DV_SLOT_NAMES), &view, err);
    }
    dvi_text_rows_free(&row);
    return status;
}

static dv_status read_names(dvi_text_file *file, dv_schema *schema, dvi_map *map, dv_error *err)
{
    dvi_text_reader reader;
    dv_text line;
    int64_t offset;
    dv_status status =
        dvi_text_reader_start(&reader, map, &file->options, dvi_text_line_limit(file), err);
    if (status == DV_OK)
        status = dvi_text_reader_next(&reader, &line, &offset, err);
    if (status == DV_OK)
        status = add_names(file, schema, line, err);
    dvi_text_reader_free(&reader);
    return status == DV_END ? DV_OK : status;
}

static dv_status add_columns(dvi_text_file *file, dv_schema *schema, dvi_map *header, dv_error *err)
{
    const dvi_text_layout *layout = &file->layout;
    for (int32_t i = 0; i < layout->columns_count; i++)
        DVI_TRY(
            dv_schema_add(schema, layout->columns[i].name, &layout->columns[i].type, NULL, err));
    if (!has_names(layout) || !(header || file->options.has_header))
        return DV_OK;
    return read_names(file, schema, header ? header : file->map, err);
}

/* Columns that contradict each other are the caller's argument, or the fault of the file whose
 * options at offset `embedded_at` list them; -1: these are not used. */
static dv_status lay_out(dvi_text_file *file, int64_t embedded_at, dvi_map *header, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    const dv_status status = make_layout(file, header, &own);
    if (status == DV_ERR_ARGUMENT && embedded_at >= 0)
        return fail_embedded(embedded_at, own.message, err);
    if (status < 0 && err)
        *err = own;
    return status;
}

static dv_status read_head(dvi_text_file *file, dv_schema *schema, dvi_map *header, dv_error *err)
{
    int64_t embedded_at = -1;
    if (file->options.specs_count == 0)
        DVI_TRY(read_embedded(file, &embedded_at, header ? header : file->map, err));
    if (file->options.specs_count == 0)
        DVI_TRY(use_default_columns(file, err));
    DVI_REQUIRE(file->options.specs_count <= file->limits.columns,
                dvi_fail(err, DV_ERR_LIMIT, "columns", -1, "columns", "at most %lld|%d",
                         (long long)file->limits.columns, file->options.specs_count));
    DVI_TRY(lay_out(file, embedded_at, header, err));
    return add_columns(file, schema, header, err);
}

/* Zeros that no option explains. */
static dv_status check_unmarked(const dvi_text_file *file, dv_error *err)
{
    dvi_encoding seen;
    DVI_TRY(dvi_text_lines_unmarked(&seen, file->map, err));
    const char *name = dvi_encoding_name(&seen);
    return seen.kind == DVI_ENCODING_UTF8
               ? DV_OK
               : dvi_fail(err, DV_ERR_UNSUPPORTED, "docs/formats/text.md", 0, "text",
                          "a byte order mark, or option encoding=%s|%s without a mark", name, name);
}

dv_status dvi_text_find_encoding(dvi_text_file *file, dv_error *err)
{
    dvi_text_lines lines = {0};
    dvi_text_options *o = &file->options;
    const dv_status status =
        dvi_text_lines_start(&lines, file->map, &o->encoding, dvi_text_line_limit(file), err);
    o->found = lines.transcoder.encoding;
    dvi_text_lines_free(&lines);
    DVI_TRY(status);
    const bool is_default = o->found.kind == DVI_ENCODING_UTF8 && !o->names_encoding;
    return is_default ? check_unmarked(file, err) : DV_OK;
}

dv_status dvi_text_read_head(dvi_text_file *file, dv_schema *schema, dv_error *err)
{
    dvi_map *header = NULL;
    if (file->options.header_file.nbytes >= 0) {
        dv_text path; /* NUL-terminated */
        DVI_TRY(dvi_arena_text(&file->arena, &path, file->options.header_file, err));
        DVI_TRY(dvi_map_open(&header, path.data, file->limits.io, &file->allocator, err));
    }
    const dv_status status = read_head(file, schema, header, err);
    dvi_map_release(&header);
    return status;
}
