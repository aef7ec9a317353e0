/* SPDX-License-Identifier: MIT */
/* idv_format.c: opens an .idv file as a view, and holds the format's record. */
#include "format/idv/idv_format.h"
#include "base/alloc.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/identity.h"
#include "view/view.h"
#include "format/idv/read/idv_ahead.h"
#include "format/idv/save/idv_save_priv.h"

static bool recognizes(const uint8_t *head, size_t n)
{
    return n >= 8 && dvi_load_u64(head) == DVI_IDV_SIGNATURE;
}

static int64_t count_rows(void *self)
{
    return ((const dvi_idv_file *)self)->header.rows;
}

static bool can_shuffle(void *self)
{
    (void)self;
    return true;
}

/* A file without columns has no blocks. */
static int64_t block_rows(void *self)
{
    return dvi_max_i64(((const dvi_idv_file *)self)->rpb, 1);
}

static void close_file(void *self)
{
    dvi_idv_file *file = self;
    const dv_allocator allocator = file->allocator;
    dvi_free(&allocator, file->metadata, file->metadata_cap * sizeof *file->metadata);
    dvi_free(&allocator, file->columns, (size_t)file->header.columns * sizeof *file->columns);
    dvi_arena_free(&file->arena);
    dvi_map_release(&file->map);
    dvi_free(&allocator, file, sizeof *file);
}

static dv_status check_map(void *self, dv_error *err)
{
    return dvi_map_check(((const dvi_idv_file *)self)->map, err);
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    return dvi_identity_add_map(identity, ((const dvi_idv_file *)self)->map, err);
}

static const dv_view_class view_class = {
    .size = sizeof(dv_view_class),
    .kind = "idv",
    .rows = count_rows,
    .can_shuffle = can_shuffle,
    .close = close_file,
    .open_cursor = dvi_idv_open_cursor,
    .next = dvi_idv_next,
    .close_cursor = dvi_idv_close_cursor,
    .check = check_map,
    .inspect = dvi_idv_inspect,
    .verify = dvi_idv_verify,
    .block_rows = block_rows,
    .identify = identify,
};

static bool decodes_blocks(void *self)
{
    const dvi_idv_file *file = self;
    bool any = false;
    for (int32_t i = 0; i < file->alive; i++)
        any |= file->columns[i].compression != DVI_IDV_STORED;
    return any && file->rpb > 1;
}

static dv_status locate(void *self, int32_t column, int64_t block, dvi_located *located_out,
                        dv_error *err)
{
    const dvi_idv_file *file = self;
    const dvi_idv_column *c = &file->columns[column];
    const bool is_stored = c->compression == DVI_IDV_STORED && c->codec.encoding == DVI_IDV_RAW;
    if (dvi_map_is_copied(file->map) || !is_stored || c->codec.type.rank > 0)
        return DV_NOT_FOUND;
    return dvi_idv_locate(file, c, block, located_out, err);
}

static int64_t announce(void *self, const int32_t *columns, int32_t n, const int64_t *rows,
                        int64_t count)
{
    return dvi_idv_announce_rows(self, columns, n, rows, count);
}

static const dvi_view_traits traits = {
    .decodes_blocks = decodes_blocks, .locate = locate, .announce = announce};

/* like: the schema of another file, to be shared; NULL: none. DV_NOT_FOUND: it has other columns.
 */
static dv_status make_view(dv_view **view_out, dvi_idv_file *file, const dv_schema *like,
                           dv_error *err)
{
    dv_schema *schema = like ? dvi_schema_share(like) : NULL;
    if (!schema)
        DVI_TRY(dv_schema_create(&schema, &file->allocator, err));
    dv_status status = dvi_idv_read_toc(file, schema, like != NULL, err);
    if (status == DV_OK)
        status = dvi_view_create(view_out, &view_class, &traits, file, &schema, NULL, 0,
                                 &file->allocator, err);
    dv_schema_free(&schema);
    return status;
}

static dv_status open_like(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           const dv_schema *like, dv_error *err)
{
    const dv_allocator *allocator = dvi_map_allocator(map);
    dvi_idv_header header = {0};
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_idv_read_header(map, &header, err));
    DVI_TRY(dvi_alloc_struct(allocator, &made, sizeof(dvi_idv_file), err));
    dvi_idv_file *file = made;
    file->allocator = *allocator;
    file->map = map;
    dvi_map_retain(map);
    file->limits = *options;
    file->header = header;
    file->warnings_end = &file->warnings;
    dvi_arena_init(&file->arena, allocator);
    const dv_status status = make_view(view_out, file, like, err);
    if (status == DV_OK)
        file->view = *view_out;
    else
        close_file(file);
    return status;
}

static dv_status open_idv(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                          dv_error *err)
{
    return open_like(view_out, map, options, NULL, err);
}

/* Metadata are read from their own file: only columns without any are shared. */
static bool can_share(const dv_schema *schema)
{
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        if (dv_schema_column(schema, i)->metadata_count > 0)
            return false;
    return true;
}

/* Most files of a table have the same columns, which are then kept once. */
static dv_status open_next(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *first, dv_error *err)
{
    const dv_schema *like = dv_view_schema(first);
    const bool is_idv = dvi_view_class(first)->open_cursor == dvi_idv_open_cursor;
    const dv_status status =
        is_idv && can_share(like) ? open_like(view_out, map, options, like, err) : DV_NOT_FOUND;
    return status == DV_NOT_FOUND ? open_idv(view_out, map, options, err) : status;
}

const dvi_format dvi_format_idv = {
    .info = {.name = "idv",
             .title = "ML.NET binary data view",
             .extensions = ".idv",
             .open_options = "strict_text block_nbytes rows_without_columns",
             .save_options = "rows_per_block block_nbytes compression level align idv_version "
                             "idv_old_keys idv_bool_2bit",
             .can_save = true,
             .side_files = ""},
    .recognizes = recognizes,
    .open = open_idv,
    .open_next = open_next,
    .check_save = dvi_idv_check_save,
    .begin_save = dvi_idv_begin_save,
};
