/* SPDX-License-Identifier: MIT */
/* text_format.c: a text file becomes a view (semantics.md 6). */
#include "format/text/text_format.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/inherit.h"
#include "view/split_cursor.h"
#include "view/view.h"
#include "format/text/text_priv.h"
#include "format/text/text_save_priv.h"
#include <string.h>

static int64_t count_rows(void *self)
{
    return atomic_load(&((dvi_text_file *)self)->rows);
}

int64_t dvi_text_end_row(const dvi_text_file *file)
{
    const int64_t rows = atomic_load(&file->rows), most = file->options.rows;
    if (rows != DV_ROWS_UNKNOWN)
        return rows;
    return most >= 0 ? most : INT64_MAX;
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

/* Batches are copies, so there is nothing that could go away under them: no `check`. */
/* Cursors parse ahead themselves. */
static int work(void *self, const dv_cursor_request *request)
{
    (void)self;
    (void)request;
    return DVI_WORK_OWN;
}

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
    .work = work,
};

static dv_status read_options(dvi_text_file *file, const char *text, dv_error *err)
{
    dv_text copy;
    DVI_TRY(dvi_arena_text(&file->arena, &copy, dv_text_of(text ? text : ""), err));
    return dvi_text_options_read(&file->options, copy, NULL, &file->arena, err);
}

/* Options and columns are those of another file, and so is what its header called the slots. */
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
        status = dv_view_create(view_out, &view_class, file, &schema, &file->allocator, err);
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
    file->limits.text = NULL; /* the caller's, who may free it now */
    if (status < 0)
        close_file(file);
    return status;
}

static dv_status open_text(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_error *err)
{
    return open_like(view_out, map, options, NULL, err);
}

static bool is_text(dv_view *view)
{
    return dvi_view_class(view)->open_cursor == dvi_text_open_cursor;
}

/* Of the files that are opened as one, the first tells what all are. */
static dv_status open_next(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *first, dv_error *err)
{
    return open_like(view_out, map, options, is_text(first) ? first : NULL, err);
}

int64_t dvi_text_most_rows(dv_view *view)
{
    const dvi_text_file *file = is_text(view) ? dvi_view_self(view) : NULL;
    return file && file->options.rows >= 0 ? file->options.rows : INT64_MAX;
}

/* A file that names its columns. */
static bool recognizes(const uint8_t *head, size_t n)
{
    const size_t mark = n >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return n >= mark + 2 && memcmp(head + mark, "#@", 2) == 0;
}

const dvi_format dvi_format_text = {
    .name = "text",
    .endings = ".txt .csv .tsv",
    .recognizes = recognizes,
    .open = open_text,
    .open_next = open_next,
    .check_save = dvi_text_check_save,
    .save = dvi_text_save,
};
