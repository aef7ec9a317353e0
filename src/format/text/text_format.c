/* SPDX-License-Identifier: MIT */
/* text_format.c: opens a text file as a view, and holds the format's record (semantics:6). */
#include "format/text/text_format.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/inherit.h"
#include "view/split_cursor.h"
#include "view/view.h"
#include "format/text/propose/text_propose.h"
#include "format/text/read/text_priv.h"
#include "format/text/save/text_save_priv.h"
#include <string.h>

static int64_t count_rows(void *self)
{
    return atomic_load(&((dvi_text_file *)self)->rows);
}

static void close_file(void *self)
{
    dvi_text_file *file = self;
    const dv_allocator allocator = file->allocator;
    dvi_map_release(&file->map);
    dv_view_release(&file->like);
    dvi_arena_free(&file->arena);
    dvi_free(&allocator, file, sizeof *file);
}

/* Text cursors have threads of their own. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    (void)self;
    (void)request;
    return DVI_WORK_OWN;
}

/* Batches are copies, which a change of the file does not reach: there is no `check`. */
static const dv_view_class view_class = {
    .size = sizeof(dv_view_class),
    .kind = "text",
    .rows = count_rows,
    .close = close_file,
    .open_cursor = dvi_text_open_cursor,
    .next = dvi_text_next,
    .close_cursor = dvi_text_close_cursor,
    .inspect = dvi_text_inspect,
    .verify = dvi_text_verify,
    .identify = dvi_text_identify,
};
static const dvi_view_traits traits = {.work = work};

static dv_status read_options(dvi_text_file *file, const char *text, dv_error *err)
{
    dv_text copy;
    DVI_TRY(dvi_arena_text(&file->arena, &copy, dv_text_of(text ? text : ""), err));
    return dvi_text_options_read(&file->options, copy, NULL, &file->arena, err);
}

/* Take options, columns and slot names from another file. */
static dv_status share_head(dvi_text_file *file, dv_view *like, dv_schema *schema, dv_error *err)
{
    const dvi_text_file *first = dvi_view_self(like);
    file->options = first->options;
    file->layout = first->layout;
    file->like = like;
    dv_view_retain(like);
    return dvi_inherit_columns(schema, dv_view_schema(like), err);
}

static dv_status make_view(dv_view **view_out, dvi_text_file *file, dv_view *like, dv_error *err)
{
    dv_schema *schema;
    DVI_TRY(dv_schema_create(&schema, &file->allocator, err));
    dv_status status = like ? share_head(file, like, schema, err) : DV_OK;
    if (!like)
        status = read_options(file, file->limits.text, err);
    if (!like && status == DV_OK)
        status = dvi_text_read_head(file, schema, err);
    if (status == DV_OK)
        status =
            dvi_view_create(view_out, &view_class, &traits, file, &schema, &file->allocator, err);
    dv_schema_free(&schema);
    return status;
}

static dv_status open_like(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *like, dv_error *err)
{
    const dv_allocator *allocator = dvi_map_allocator(map);
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_text_file), err));
    dvi_text_file *file = made;
    file->allocator = *allocator;
    dvi_arena_init(&file->arena, allocator);
    file->map = map;
    dvi_map_retain(map);
    file->limits = *options;
    atomic_init(&file->rows, DV_ROWS_UNKNOWN);
    const dv_status status = make_view(view_out, file, like, err);
    file->limits.text = NULL; /* owned by the caller, who may free it now */
    if (status < 0)
        close_file(file);
    return status;
}

static dv_status open_text(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_error *err)
{
    return open_like(view_out, map, options, NULL, err);
}

static bool is_text(const dv_view *view)
{
    return dvi_view_class(view)->open_cursor == dvi_text_open_cursor;
}

/* The first of several files decides options and columns of all. */
static dv_status open_next(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *first, dv_error *err)
{
    return open_like(view_out, map, options, is_text(first) ? first : NULL, err);
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

static bool is_implied(const dv_open_options *options)
{
    return options->text != NULL;
}

const dvi_format dvi_format_text = {
    .info = {.name = "text",
             .title = "delimited text",
             .extensions = ".txt .csv .tsv",
             .open_options = "text",
             .save_options = "text",
             .can_save = true,
             .can_stream = true,
             .can_propose = true},
    .recognizes = recognizes,
    .is_implied = is_implied,
    .open = open_text,
    .open_next = open_next,
    .most_rows = most_rows,
    .propose = dvi_text_propose,
    .check_save = dvi_text_check_save,
    .save = dvi_text_save,
};
