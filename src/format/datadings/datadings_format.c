/* SPDX-License-Identifier: MIT */
/* datadings_format.c: the format record of datadings, and views of msgpack messages (datadings:12).
 */
#include "format/datadings/datadings_format.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "view/view.h"
#include "scan/scan.h"
#include "format/datadings/read/datadings_priv.h"
#include "format/datadings/save/datadings_save_priv.h"
#include <stdio.h>
#include <unistd.h>

#define HEAD_NBYTES 256 /* enough for the head of a map and a short first key */

static int64_t count_rows(void *self)
{
    return dvi_datadings_rows(((dvi_datadings_file *)self)->set);
}

/* A cursor can start at any row: the offsets of all samples are known. */
static int64_t block_rows(void *self)
{
    (void)self;
    return 1;
}

static void close_file(void *self)
{
    dvi_datadings_file *file = self;
    const dv_allocator allocator = file->allocator;
    dvi_datadings_set_close(&file->set);
    dvi_datadings_options_free(&file->options);
    dvi_datadings_fields_free(&file->fields);
    dvi_map_release(&file->map);
    dvi_free(&allocator, file, sizeof *file);
}

static dv_status check_file(void *self, dv_error *err)
{
    return dvi_map_check(((dvi_datadings_file *)self)->map, err);
}

/* The keys that lead to a column, the outermost last, and how its values are read. */
static void identify_column(const dvi_datadings_file *file, const dvi_datadings_column *column,
                            dv_identity *identity)
{
    dvi_identity_add_i8(identity, column->is_opaque);
    for (int32_t i = column->field; i > 0; i = file->fields.field[i].parent) {
        const dv_text key = file->fields.field[i].key;
        dv_identity_add(identity, key.data, (size_t)key.nbytes);
    }
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_datadings_file *file = self;
    dvi_identity_add_i8(identity, file->options.raw);
    dvi_identity_add_i8(identity, file->options.mismatch_na);
    for (int32_t i = 0; i < file->options.names_count; i++) {
        const dv_text name = file->options.names[i];
        dvi_identity_add_i8(identity, file->options.keeps);
        dv_identity_add(identity, name.data, (size_t)name.nbytes);
    }
    for (int32_t i = 0; i < file->columns_count; i++)
        identify_column(file, &file->columns[i], identity);
    return dvi_datadings_identify_files(file->set, identity, err);
}

/* Decoding pays off in a cursor set; raw messages are not decoded. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    const dvi_datadings_file *file = self;
    return request->columns_count > 0 && !file->options.raw ? DVI_WORK_SET : DVI_WORK_NONE;
}

static const dv_view_class view_class = {
    .size = sizeof(dv_view_class),
    .kind = "datadings",
    .rows = count_rows,
    .close = close_file,
    .open_cursor = dvi_datadings_open_cursor,
    .next = dvi_datadings_next,
    .close_cursor = dvi_datadings_close_cursor,
    .check = check_file,
    .inspect = dvi_datadings_inspect,
    .verify = dvi_datadings_verify,
    .seek = dvi_datadings_seek,
    .block_rows = block_rows,
    .identify = identify,
};
static int64_t announce(void *self, const int32_t *columns, int32_t n, const int64_t *rows,
                        int64_t count)
{
    (void)columns;
    (void)n;
    return dvi_datadings_announce(self, rows, count);
}

static const dvi_view_traits traits = {.work = work, .announce = announce};

static dv_status make_columns(dvi_datadings_file *file, dv_schema *schema, dv_error *err)
{
    int32_t key;
    if (file->options.raw)
        return dvi_datadings_make_raw_columns(schema, err);
    DVI_TRY(dvi_datadings_make_columns(file, schema, err));
    return file->options.strict /* the key of each message is compared, also without a column */
               ? dvi_datadings_fields_add(&file->fields, 0, dv_text_of("key"), &key, err)
               : DV_OK;
}

static dv_status make_view(dv_view **view_out, dvi_datadings_file *file, dv_error *err)
{
    dv_schema *schema;
    DVI_TRY(dv_schema_create(&schema, &file->allocator, err));
    dv_status status = make_columns(file, schema, err);
    if (status == DV_OK)
        status = dvi_view_create(view_out, &view_class, &traits, file, &schema, NULL, 0,
                                 &file->allocator, err);
    dv_schema_free(&schema);
    return status;
}

/* Open the files of the set, and read the samples that decide the columns. */
static dv_status open_set(dvi_datadings_file *file, dv_error *err)
{
    DVI_TRY(dvi_datadings_fields_init(&file->fields, &file->allocator, err));
    DVI_TRY(dvi_datadings_options_read(&file->options, file->limits.datadings, &file->fields.arena,
                                       err));
    DVI_TRY(dvi_datadings_set_open(&file->set, file->map, &file->limits, file->options.scan, err));
    file->samples = dvi_datadings_rows(file->set);
    return file->options.raw || file->options.specs_count > 0 ? DV_OK
                                                              : dvi_datadings_infer(file, err);
}

static dv_status open_file(dvi_datadings_file **file_out, dvi_map *map,
                           const dv_open_options *options, dv_error *err)
{
    const dv_allocator *allocator = dvi_map_allocator(map);
    void *made;
    *file_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_datadings_file), err));
    dvi_datadings_file *file = made;
    file->allocator = *allocator;
    file->map = map;
    dvi_map_retain(map);
    file->limits = *options;
    atomic_init(&file->mismatches, 0);
    const dv_status status = open_set(file, err);
    file->limits.datadings = NULL; /* owned by the caller, who may free it now */
    if (status < 0)
        close_file(file);
    else
        *file_out = file;
    return status;
}

/* The view owns the file, which is closed after a failure. */
static dv_status finish(dv_view **view_out, dvi_datadings_file *file, dv_error *err)
{
    const dv_status status = make_view(view_out, file, err);
    if (status < 0)
        close_file(file);
    else
        file->view = *view_out;
    return status;
}

static dv_status open_datadings(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                                dv_error *err)
{
    dvi_datadings_file *file;
    *view_out = NULL;
    DVI_TRY(open_file(&file, map, options, err));
    return finish(view_out, file, err);
}

static dv_status open_files(dvi_datadings_file **files, dv_view **views_out, dvi_map *const *maps,
                            int32_t n, const dv_open_options *options, int32_t *blamed_out,
                            dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        *blamed_out = i;
        DVI_TRY(open_file(&files[i], maps[i], options, err));
    }
    DVI_TRY(dvi_datadings_unite(files, n, blamed_out, err));
    for (int32_t i = 0; i < n; i++) {
        dvi_datadings_file *file = files[i];
        *blamed_out = i;
        files[i] = NULL;
        DVI_TRY(finish(&views_out[i], file, err));
    }
    return DV_OK;
}

/* Files whose columns are inferred have the columns of all. */
static dv_status open_all(dv_view **views_out, dvi_map *const *maps, int32_t n,
                          const dv_open_options *options, dv_error *err)
{
    const dv_allocator *allocator = dvi_map_allocator(maps[0]);
    const size_t nbytes = (size_t)n * sizeof(dvi_datadings_file *);
    void *files;
    int32_t blamed = 0;
    DVI_TRY(dvi_alloc_zeroed(allocator, &files, nbytes, err));
    const dv_status status = open_files(files, views_out, maps, n, options, &blamed, err);
    for (int32_t i = 0; i < n; i++)
        if (((dvi_datadings_file **)files)[i])
            close_file(((dvi_datadings_file **)files)[i]);
    dvi_free(allocator, files, nbytes);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(maps[blamed]));
    return status;
}

/* Messages start without a magic number. */
static bool recognizes(const uint8_t *head, size_t n)
{
    (void)head;
    (void)n;
    return false;
}

/* Is the first value a map whose first key is a str? This is weak evidence: all other formats are
 * tried first. */
static dv_status starts_with_map(dvi_map *map, dv_error *err)
{
    const size_t n = (size_t)dvi_min_i64(dvi_map_nbytes(map), HEAD_NBYTES);
    dvi_memory *memory = NULL;
    dvi_span span;
    dvi_msgpack message, key;
    dv_status status = dvi_map_span(map, 0, n, &memory, &span, err);
    if (status == DV_OK) {
        dvi_msgpack_reader r = dvi_msgpack_reader_of(span.data, n, 0, DVI_MSGPACK_NESTING);
        const bool does = dvi_msgpack_read(&r, &message) && message.kind == DVI_MSGPACK_MAP &&
                          message.n > 0 && dvi_msgpack_read(&r, &key) &&
                          key.kind == DVI_MSGPACK_STR && dvi_msgpack_is_utf8(&key);
        status = does ? DV_OK : DV_NOT_FOUND;
    }
    dvi_memory_release(&memory);
    return status;
}

static dv_status resembles(dvi_map *map, dv_error *err)
{
    dv_status status = dvi_map_has_beside(map, ".offsets", err);
    if (status == DV_NOT_FOUND)
        status = dvi_map_has_beside(map, ".index", err);
    return status == DV_NOT_FOUND ? starts_with_map(map, err) : status;
}

static bool is_implied(const dv_open_options *options)
{
    return options->datadings != NULL;
}

const dvi_format dvi_format_datadings = {
    .info = {.name = "datadings",
             .title = "msgpack samples with keys",
             .extensions = ".msgpack",
             .open_options = "datadings nesting message_nbytes rows_without_columns",
             .save_options = "datadings",
             .can_save = true,
             .side_files = ".offsets .keys .key_hashes .filter .md5 .index"},
    .recognizes = recognizes,
    .resembles = resembles,
    .is_implied = is_implied,
    .open = open_datadings,
    .open_all = open_all,
    .check_save = dvi_datadings_check_save,
    .begin_save = dvi_datadings_begin_save,
};
