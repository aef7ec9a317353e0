/* SPDX-License-Identifier: MIT */
/* text_format.c: opens a text file as a view, and holds the format's record (semantics:6). */
#include "format/text/text_format.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/view.h"
#include "scan/scan.h"
#include "format/text/propose/text_fit.h"
#include "format/text/propose/text_guess.h"
#include "format/text/propose/text_propose.h"
#include "format/text/read/text_priv.h"
#include "format/text/text_again.h"
#include <string.h>

#define HEAD_NBYTES 512 /* that show whether it is text */

static int64_t count_rows(void *self)
{
    return atomic_load(&((dvi_text_file *)self)->rows);
}

static void close_file(void *self)
{
    dvi_text_file *file = self;
    const dv_allocator allocator = file->allocator;
    dvi_text_seen_destroy(file);
    dvi_map_release(&file->map);
    dv_view_release(&file->like);
    dvi_arena_free(&file->arena);
    dvi_free(&allocator, file, sizeof *file);
}

/* A file that is packed is unpacked by a thread of the cursor's own. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    const dvi_text_file *file = self;
    if (dvi_text_count_splits(file, request) > 1)
        return DVI_WORK_SET;
    return dvi_map_is_stream(file->map) ? DVI_WORK_OWN : DVI_WORK_NONE;
}

/* Batches are copies, which a change of the file does not reach: there is no `check`. */
static const dv_view_class view_class = {
    .size = sizeof(dv_view_class),
    .kind = "text",
    .rows = count_rows,
    .close = close_file,
    .open_cursor = dvi_text_open_cursor,
    .next = dvi_text_next,
    .seek = dvi_text_seek,
    .close_cursor = dvi_text_close_cursor,
    .inspect = dvi_text_inspect,
    .verify = dvi_text_verify,
    .identify = dvi_text_identify,
};
/* The files that are opened together. */
typedef struct table {
    dvi_map *const *maps;
    int32_t n;
} table;

/* --- How to read it --------------------------------------------------------------------------- */

/* Does the string begin with this word?  Returns what follows it; NULL: it does not. */
static const char *after_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')
        text++;
    const bool is_first = dvi_text_is((dv_text){text, (int64_t)strnlen(text, n)}, word);
    return is_first && (!text[n] || strchr(" \t\r\n+#", text[n])) ? text + n : NULL;
}

static bool is_auto(const char *text)
{
    return !text || after_word(text, "auto");
}

/* The string without the word that asks for ML.NET's rules. */
static const char *without_mlnet(const char *text)
{
    const char *rest = after_word(text, "mlnet");
    return !rest ? text : *rest == '+' ? rest + 1 : rest;
}

static dv_status read_string(dvi_text_file *file, const char *text, dv_error *err)
{
    dv_text copy;
    DVI_TRY(dvi_arena_text(&file->arena, &copy, dv_text_of(text), err));
    return dvi_text_options_read(&file->options, copy, NULL, &file->arena, err);
}

/* Propose how to read the file, and keep the string. */
static dv_status read_proposal(dvi_text_file *file, const dvi_text_given *given, dv_error *err)
{
    dv_buffer text, notes;
    dv_text kept, noted = {NULL, 0};
    if (given->narrow && dvi_map_is_once(file->map) && file->limits.spool != DV_SPOOL_NEVER)
        DVI_TRY(dvi_map_spool(&file->map, file->limits.spool_nbytes, err));
    const dv_status proposed = dvi_text_propose(&text, &notes, file->map, given, err);
    DVI_REQUIRE(proposed != DV_NOT_FOUND,
                dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", 0, "lines",
                         "a header and a row in lines of at most %lld bytes (with columns in "
                         "option text, cursor_nbytes is the limit)|%s",
                         (long long)dvi_text_guess_line_nbytes(file->map),
                         dvi_map_nbytes(file->map) == 0 ? "an empty file" : "none"));
    DVI_TRY(proposed);
    dv_status status = dvi_arena_text(&file->arena, &kept, dv_text_of(text.data), err);
    if (status == DV_OK && notes.data)
        status = dvi_arena_text(&file->arena, &noted,
                                (dv_text){(const char *)notes.data, (int64_t)notes.nbytes}, err);
    dv_buffer_release(&text);
    dv_buffer_release(&notes);
    if (status == DV_OK)
        status = dvi_text_options_read(&file->options, kept, NULL, &file->arena, err);
    file->proposal = status == DV_OK ? kept.data : NULL;
    file->notes = noted.data;
    return status;
}

/* The options in the file are in force, and the caller cannot add to them. */
static dv_status read_auto(dvi_text_file *file, const char *text, const table *of, dv_error *err)
{
    dvi_text_given given;
    bool is_described;
    DVI_TRY(dvi_text_given_read(&given, text, &file->arena, err));
    DVI_TRY(dvi_text_has_options(&is_described, file->map, &given.encoding, err));
    given.maps = of->maps;
    given.maps_count = of->n;
    if (!is_described)
        return read_proposal(file, &given, err);
    DVI_REQUIRE(!given.has_own,
                dvi_fail_argument(err, "option %s: the file says itself how it is read (#@)",
                                  dvi_show(given.first_own).text));
    return read_string(file, given.words, err);
}

static dv_status read_options(dvi_text_file *file, const char *text, const table *of, dv_error *err)
{
    return is_auto(text) ? read_auto(file, text, of, err)
                         : read_string(file, without_mlnet(text), err);
}

/* dv_open_propose */
static dv_status propose(dv_buffer *text_out, dvi_map *map, const char *text, dv_error *err)
{
    dvi_text_given given;
    dvi_arena arena;
    bool is_described = false;
    *text_out = (dv_buffer){0};
    dvi_arena_init(&arena, dvi_map_allocator(map));
    dv_status status = dvi_text_given_read(&given, is_auto(text) ? text : NULL, &arena, err);
    if (status == DV_OK)
        status = dvi_text_has_options(&is_described, map, &given.encoding, err);
    if (status == DV_OK)
        status = is_described ? DV_NOT_FOUND : dvi_text_propose(text_out, NULL, map, &given, err);
    dvi_arena_free(&arena);
    return status;
}

static const char *proposal_of(void *self)
{
    return ((const dvi_text_file *)self)->proposal;
}

/* By the rules of CSV alone, dates have an order. */
static const dvi_date_rule *dates_of(void *self)
{
    const dvi_text_options *o = &((const dvi_text_file *)self)->options;
    return o->csv ? &o->date : NULL;
}

/* --- Opening ---------------------------------------------------------------------------------- */

/* Take options, columns and slot names from another file; not its notes, which quote its fields. */
static dv_status share_head(dvi_text_file *file, dv_view *like, dv_schema **schema_out,
                            dv_error *err)
{
    const dvi_text_file *first = dvi_view_self(like);
    file->options = first->options;
    file->proposal = first->proposal;
    file->layout = first->layout;
    file->like = like;
    dv_view_retain(like);
    *schema_out = dvi_schema_share(dv_view_schema(like));
    DVI_TRY(dvi_text_find_encoding(file, err));
    if (file->options.match == DVI_TEXT_MATCH_UNION) /* the first file has a layout of its own */
        file->layout = first->whole;
    const bool is_checked = file->proposal || file->options.match != DVI_TEXT_MATCH_POSITION;
    return is_checked ? dvi_text_fit(file, first->map, err) : DV_OK;
}

static const dvi_view_traits traits = {.work = work,
                                       .splits = &dvi_text_splits,
                                       .proposal = proposal_of,
                                       .dates = dates_of,
                                       .bad_fields = dvi_text_seen_report};

/* Lines have as many fields as the columns need, or as the first line of all files has. */
static dv_status treat_bad_fields(dvi_text_file *file, dv_error *err)
{
    const dv_bad_fields how = file->limits.bad_fields;
    if (how == DV_BAD_FIELDS_NA)
        return DV_OK;
    file->options.refuses = how == DV_BAD_FIELDS_REFUSE;
    file->options.counts = how != DV_BAD_FIELDS_REFUSE;
    if (how == DV_BAD_FIELDS_ALLOW)
        file->options.strict = false;
    return dvi_text_count_first(&file->options, file, err);
}

static dv_status make_head(dvi_text_file *file, const table *of, dv_schema **schema_out,
                           dv_error *err)
{
    DVI_TRY(dv_schema_create(schema_out, &file->allocator, err));
    DVI_TRY(read_options(file, file->limits.text, of, err));
    DVI_TRY(dvi_text_read_head(file, *schema_out, err));
    DVI_TRY(dvi_text_find_encoding(file, err));
    file->whole = file->layout;
    if (file->options.match == DVI_TEXT_MATCH_UNION)
        DVI_TRY(dvi_text_fit(file, file->map, err));
    return treat_bad_fields(file, err);
}

static dv_status make_view(dv_view **view_out, dvi_text_file *file, dv_view *like, const table *of,
                           dv_error *err)
{
    dv_schema *schema = NULL;
    dv_status status =
        like ? share_head(file, like, &schema, err) : make_head(file, of, &schema, err);
    if (status == DV_OK)
        status = dvi_view_create(view_out, &view_class, &traits, file, &schema, NULL, 0,
                                 &file->allocator, err);
    dv_schema_free(&schema);
    return status;
}

static dv_status open_like(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *like, const table *of, dv_error *err)
{
    const dv_allocator *allocator = dvi_map_allocator(map);
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_alloc_struct(allocator, &made, sizeof(dvi_text_file), err));
    dvi_text_file *file = made;
    file->allocator = *allocator;
    dvi_arena_init(&file->arena, allocator);
    file->map = map;
    dvi_map_retain(map);
    file->limits = *options;
    atomic_init(&file->rows, DV_ROWS_UNKNOWN);
    dvi_text_seen_init(file);
    const dv_status status = make_view(view_out, file, like, of, err);
    file->limits.text = NULL; /* owned by the caller, who may free it now */
    if (status < 0)
        close_file(file);
    return status;
}

static dv_status open_text(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_error *err)
{
    return open_like(view_out, map, options, NULL, &(table){&map, 1}, err);
}

static bool is_text(const dv_view *view)
{
    return dvi_view_class(view)->open_cursor == dvi_text_open_cursor;
}

/* The first of several files decides options and columns of all. */
static dv_status open_next(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *first, dv_error *err)
{
    return open_like(view_out, map, options, is_text(first) ? first : NULL, &(table){&map, 1}, err);
}

/* Are the columns of several files found by their names? */
static dv_status is_matched(bool *is_out, const dv_open_options *options,
                            const dv_allocator *allocator, dv_error *err)
{
    dvi_text_options read = {.match = DVI_TEXT_MATCH_POSITION};
    dvi_arena arena;
    dv_status status = DV_OK;
    dvi_arena_init(&arena, allocator);
    if (!is_auto(options->text))
        status = dvi_text_options_read(&read, dv_text_of(without_mlnet(options->text)), NULL,
                                       &arena, err);
    dvi_arena_free(&arena);
    *is_out = is_auto(options->text) || read.match != DVI_TEXT_MATCH_POSITION;
    return status;
}

/* The file that decides how all are read: the first one that is not empty; where names decide, the
 * first with more than one line, if there is any. */
static dv_status find_first(int32_t *first_out, const table *of, bool is_matched, dv_error *err)
{
    int64_t most = 0;
    *first_out = 0;
    for (int32_t i = 0; i < of->n && most < 1 + is_matched; i++) {
        int64_t lines = dvi_map_is_stream(of->maps[i]) || dvi_map_nbytes(of->maps[i]) > 0;
        if (is_matched)
            DVI_TRY(dvi_text_count_lines(&lines, of->maps[i], NULL, 2, err));
        *first_out = lines > most ? i : *first_out;
        most = dvi_max_i64(lines, most);
    }
    return DV_OK;
}

static dv_status open_next_of(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                              dv_view *first, const table *of, dv_error *err)
{
    const dv_status status = open_like(view_out, map, options, first, of, err);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    return status;
}

/* With match=union each file has places for the columns of all. */
static dv_status check_union(const dv_view *first, int32_t n, dv_error *err)
{
    const dvi_text_file *file = dvi_view_self(first);
    const int64_t most = file->limits.chain_columns;
    DVI_REQUIRE(file->options.match != DVI_TEXT_MATCH_UNION ||
                    file->layout.columns_count <= most / n,
                dvi_fail(err, DV_ERR_LIMIT, "chain_columns", -1, "columns of all files together",
                         "at most %lld (option chain_columns)|%lld", (long long)most,
                         (long long)n * file->layout.columns_count));
    return DV_OK;
}

/* The files are one table: lines of all decide the types, and names the columns. */
static dv_status open_all(dv_view **views, dvi_map *const *maps, int32_t n,
                          const dv_open_options *options, dv_error *err)
{
    bool has_names;
    int32_t first;
    const table of = {maps, n};
    DVI_TRY(is_matched(&has_names, options, dvi_map_allocator(maps[0]), err));
    DVI_TRY(find_first(&first, &of, has_names, err));
    DVI_TRY(open_next_of(&views[first], maps[first], options, NULL, &of, err));
    DVI_TRY(check_union(views[first], n, err));
    for (int32_t i = 0; i < n; i++)
        if (i != first)
            DVI_TRY(open_next_of(&views[i], maps[i], options, views[first], &of, err));
    return DV_OK;
}

static int64_t most_rows(const dv_view *first)
{
    const dvi_text_file *file = is_text(first) ? dvi_view_self(first) : NULL;
    return file && file->options.rows >= 0 ? file->options.rows : INT64_MAX;
}

/* The content starts with options that name columns. */
static bool recognizes(const uint8_t *head, size_t n)
{
    const size_t mark = n >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return n >= mark + 2 && memcmp(head + mark, "#@", 2) == 0;
}

/* Can the bytes be characters?  n is not 0. */
static bool are_characters(const uint8_t *p, size_t n)
{
    static const char controls[] = "\t\n\v\f\r\x1A";
    if (dvi_text_lines_is_wide(p, n))
        return true;
    for (size_t i = 0; i < n; i++)
        if (p[i] < ' ' && !memchr(controls, p[i], sizeof controls - 1))
            return false;
    return true;
}

/* Any text may be a table, if no name says what it is. */
static dv_status resembles(dvi_map *map, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span span;
    const size_t n = (size_t)dvi_min_i64(dvi_map_nbytes(map), HEAD_NBYTES);
    dv_status status = n > 0 ? dvi_map_copy(map, 0, n, &memory, &span, err) : DV_NOT_FOUND;
    if (status == DV_OK && !are_characters(span.data, n))
        status = DV_NOT_FOUND;
    dvi_memory_release(&memory);
    return status;
}

static bool is_implied(const dv_open_options *options)
{
    return options->text != NULL;
}

static dv_status begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                            dv_error *err)
{
    return dvi_text_begin_save(saver_out, saving, writer, dvi_text_check_again, err);
}

const dvi_format dvi_format_text = {
    .info = {.name = "text",
             .title = "delimited text",
             .extensions = ".txt .csv .tsv",
             .open_options = "text bad_fields",
             .save_options = "text",
             .can_save = true,
             .can_stream = true,
             .can_propose = true,
             .side_files = ""},
    .recognizes = recognizes,
    .resembles = resembles,
    .is_implied = is_implied,
    .open = open_text,
    .open_next = open_next,
    .open_all = open_all,
    .most_rows = most_rows,
    .propose = propose,
    .check_save = dvi_text_check_save,
    .begin_save = begin_save,
};
