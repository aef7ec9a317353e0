/* SPDX-License-Identifier: MIT */
/* model_tables.c: makes tables of the values that a model has. */
#include "base/alloc.h"
#include "format/idv/idv_format.h"
#include "mlnet/model_read.h"
#include <dataview/cursor.h>
#include <dataview/table.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

dv_status dvi_model_text_table(dvi_model_reading *r, dv_view **table_out, const char *name,
                               const dv_text *texts, int32_t n, dv_error *err)
{
    static const dv_text none = {"", 0};
    const dv_table_column column = {
        .name = name, .type = dv_type_of(DV_KIND_TX), .texts = n > 0 ? texts : &none};
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = r->allocator;
    for (int32_t i = 0; i < n; i++)
        r->texts_nbytes += texts[i].nbytes;
    *table_out = NULL;
    DVI_REQUIRE(r->texts_nbytes <= DVI_ZIP_NBYTES,
                dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "texts of the model",
                         "at most %d bytes|more", (int)DVI_ZIP_NBYTES));
    return dv_table_create(table_out, &column, 1, n, &options, err);
}

/* --- Values as a file ------------------------------------------------------------------------- */

/* Values are written as in an .idv file. So they are read as such a file, which has one column and
 * one block, and is checked as files from anyone are. */
typedef struct values {
    const char *name;
    const uint8_t *codec, *block;
    size_t codec_nbytes, block_nbytes;
    int32_t rows;
} values;

enum { HEADER = 256, LOOKUP = 16, AFTER_CODEC = 1 + 5 + 8 + 8, TAIL = 8 };

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t n)
{
    if (n > 0)
        memcpy(p, bytes, n);
    return p + n;
}

/* Returns the length of the file. */
static size_t write_file(uint8_t *file, const values *v)
{
    static const uint8_t head[24] = {'C', 'M', 'L', 0, 'D', 'V', 'B', 0, 6, 0, 1, 0,
                                     1,   0,   1,   0, 6,   0,   1,   0, 1, 0, 1, 0};
    static const uint8_t tail[TAIL] = {0, 'B', 'V', 'D', 0, 'L', 'M', 'C'};
    const size_t name = strlen(v->name), lookup = HEADER + v->block_nbytes;
    uint8_t *p = put_bytes(file + HEADER, v->block, v->block_nbytes);
    dvi_store_i64(p, HEADER);
    dvi_store_i32(p + 8, (int32_t)v->block_nbytes);
    dvi_store_i32(p + 12, (int32_t)v->block_nbytes);
    p += LOOKUP;
    dvi_store_i64(file + 24, p - file);
    *p++ = (uint8_t)name;
    p = put_bytes(p, v->name, name);
    p = put_bytes(p, v->codec, v->codec_nbytes);
    *p++ = 0; /* not compressed */
    for (int32_t i = 0, rows = v->rows; i < 5; i++, rows >>= 7)
        *p++ = (uint8_t)((rows & 0x7F) | (i < 4 ? 0x80 : 0));
    dvi_store_i64(p, (int64_t)lookup);
    p += 16; /* no metadata */
    dvi_store_i64(file + 32, p - file);
    put_bytes(file, head, sizeof head);
    dvi_store_i64(file + 40, v->rows);
    dvi_store_i32(file + 48, 1);
    p = put_bytes(p, tail, sizeof tail);
    return (size_t)(p - file);
}

static void release_memory(void *of)
{
    dvi_memory *memory = of;
    dvi_memory_release(&memory);
}

static dv_status open_values(dvi_model_reading *r, const values *v, dv_view **table_out,
                             dv_error *err)
{
    dvi_memory *memory;
    dvi_map *map;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    const size_t most = HEADER + v->block_nbytes + LOOKUP + 1 + strlen(v->name) + v->codec_nbytes +
                        AFTER_CODEC + TAIL;
    *table_out = NULL;
    options.allocator = r->allocator;
    options.strict_text = true;
    DVI_TRY(dvi_memory_create(&memory, r->allocator, most, err));
    memset(memory->data, 0, most);
    const size_t n = write_file(memory->data, v);
    dv_status status = dvi_map_open_memory(&map, memory->data, n, release_memory, memory, "",
                                           DV_IO_AUTO, r->allocator, err);
    if (status < 0) {
        dvi_memory_release(&memory);
        return status;
    }
    status = dvi_format_idv.open(table_out, map, &options, err);
    dvi_map_release(&map);
    if (status == DV_OK && dv_schema_columns(dv_view_schema(*table_out)) != 1) {
        dv_view_release(table_out);
        status = dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:P6", -1, "type of values",
                          "one that .idv files have|another");
    }
    return status;
}

/* The codec at the next field, which stays there whole. */
static dv_status read_codec(dvi_model_part *part, values *v, dv_error *err)
{
    const size_t start = part->fields.at;
    const dv_text name = dvi_read_str(&part->fields);
    const uint64_t nbytes = dvi_read_leb64(&part->fields);
    const size_t left = dvi_reader_left(&part->fields);
    const uint8_t *skipped;
    DVI_TRY(dvi_model_bytes(part, &skipped, nbytes <= left ? (size_t)nbytes : left + 1,
                            "type of values", err));
    (void)name;
    v->codec = part->fields.data + start;
    v->codec_nbytes = part->fields.at - start;
    return DV_OK;
}

/* The bytes of n values of a codec whose values are alike in size; -1: they are not. */
static int64_t size_of(const values *v, int64_t n)
{
    static const struct {
        const char *name;
        int64_t width;
    } widths[] = {{"SByte", 1},           {"Byte", 1},          {"Int16", 2},    {"UInt16", 2},
                  {"Int32", 4},           {"UInt32", 4},        {"Int64", 8},    {"UInt64", 8},
                  {"Single", 4},          {"Double", 8},        {"TimeSpan", 8}, {"DateTime", 8},
                  {"DateTimeOffset", 10}, {"DataViewRowId", 16}};
    dvi_reader reader = dvi_reader_of(v->codec, v->codec_nbytes, 0, false);
    dv_text name = dvi_read_str(&reader);
    if (dv_text_equal(name, dv_text_of("Boolean")))
        return (n + 7) / 8;
    if (dv_text_equal(name, dv_text_of("Key2"))) {
        dvi_read_leb64(&reader);
        name = dvi_read_str(&reader);
    }
    for (size_t i = 0; reader.fault == DVI_READ_FINE && i < sizeof widths / sizeof *widths; i++)
        if (dv_text_equal(name, dv_text_of(widths[i].name)))
            return n * widths[i].width;
    return -1;
}

dv_status dvi_model_values(dvi_model_reading *r, dvi_model_part *part, dv_view **table_out,
                           const char *name, dv_error *err)
{
    values v = {.name = name};
    *table_out = NULL;
    DVI_TRY(read_codec(part, &v, err));
    DVI_TRY(dvi_model_i32(part, &v.rows, 0, INT32_MAX, "number of values", err));
    const int64_t nbytes = size_of(&v, v.rows), left = (int64_t)dvi_reader_left(&part->fields);
    if (nbytes < 0)
        return dvi_model_refuse(part, "type of values", "numbers, BL, TS, DT, DZ, UG or keys",
                                "another", err);
    v.block_nbytes = (size_t)(nbytes <= left ? nbytes : left + 1);
    DVI_TRY(dvi_model_bytes(part, &v.block, v.block_nbytes, "values", err));
    DVI_REQUIRE(nbytes <= INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "bytes of values",
                         "at most 2^31-1|%" PRId64, nbytes));
    return dvi_model_within(part, open_values(r, &v, table_out, err), err);
}

/* --- One value -------------------------------------------------------------------------------- */

/* The codec of the items of a vector, in the parameters of its own; false: it is of no vector. */
static bool find_items(const values *v, values *items_out)
{
    dvi_reader reader = dvi_reader_of(v->codec, v->codec_nbytes, 0, false);
    const dv_text name = dvi_read_str(&reader);
    dvi_read_leb64(&reader);
    *items_out =
        (values){.codec = v->codec + reader.at, .codec_nbytes = v->codec_nbytes - reader.at};
    return reader.fault == DVI_READ_FINE && dv_text_equal(name, dv_text_of("VBuffer"));
}

/* The bytes of a block of one vector of known size: four numbers, of which the second is the size,
 * the third -1 if it is dense, and the last the number of indices, which follow; then the items.
 * -1: the items are not alike in size. */
static int64_t size_of_vector(const dvi_model_part *part, const values *items)
{
    dvi_reader ahead = part->fields;
    const uint8_t *head = dvi_read_bytes(&ahead, 16);
    if (ahead.fault != DVI_READ_FINE)
        return 16;
    const int64_t indices = dvi_load_u32(head + 12);
    const int64_t nbytes =
        size_of(items, dvi_load_i32(head + 8) < 0 ? dvi_load_u32(head + 4) : indices);
    return nbytes < 0 ? -1 : 16 + 4 * indices + nbytes;
}

dv_status dvi_model_value(dvi_model_reading *r, dvi_model_part *part, dv_view **table_out,
                          const char *name, dv_error *err)
{
    values v = {.name = name, .rows = 1}, items;
    *table_out = NULL;
    DVI_TRY(read_codec(part, &v, err));
    const int64_t nbytes = find_items(&v, &items) ? size_of_vector(part, &items) : size_of(&v, 1);
    const int64_t left = (int64_t)dvi_reader_left(&part->fields);
    if (nbytes < 0)
        return dvi_model_refuse(part, "type of a value", "numbers, or a vector of them", "another",
                                err);
    v.block_nbytes = (size_t)(nbytes <= left ? nbytes : left + 1);
    DVI_TRY(dvi_model_bytes(part, &v.block, v.block_nbytes, "value", err));
    return dvi_model_within(part, open_values(r, &v, table_out, err), err);
}

/* --- Files ------------------------------------------------------------------------------------ */

dv_status dvi_model_file(dvi_model_reading *r, const dvi_zip_entry *entry, dv_view **view_out,
                         dv_error *err)
{
    dvi_memory *bytes;
    dvi_map *map;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = r->allocator;
    *view_out = NULL;
    DVI_TRY(dvi_zip_read(&r->zip, entry, &bytes, err));
    dv_status status = dvi_map_open_memory(&map, bytes->data, entry->nbytes, release_memory, bytes,
                                           "", DV_IO_AUTO, r->allocator, err);
    if (status < 0) {
        dvi_memory_release(&bytes);
        return status;
    }
    status = dvi_format_idv.open(view_out, map, &options, err);
    dvi_map_release(&map);
    if (status < 0)
        dvi_error_within(err, "entry %s", dvi_show(entry->name).text);
    return status;
}

/* --- Names of hashes -------------------------------------------------------------------------- */

/* Copy the names of a vector with their keys; the first key is 1. */
static dv_status copy_names(dvi_model_reading *r, dv_view **table_out, const dv_value *vector,
                            dv_error *err)
{
    void *keys, *texts;
    int64_t n = 0;
    const int32_t items = dv_value_items(vector);
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = r->allocator;
    DVI_TRY(dvi_arena_alloc(&r->arena, &keys, ((size_t)items + 1) * sizeof(uint32_t), err));
    DVI_TRY(dvi_arena_alloc(&r->arena, &texts, ((size_t)items + 1) * sizeof(dv_text), err));
    for (int32_t i = 0; i < items; i++) {
        const dv_value item = dv_value_item(vector, i);
        const dv_text text = dv_value_tx(&item);
        if (text.nbytes <= 0)
            continue;
        ((uint32_t *)keys)[n] = (uint32_t)dv_value_slot(vector, i) + 1;
        ((dv_text *)texts)[n++] = text;
    }
    if (n == 0)
        ((dv_text *)texts)[0] = (dv_text){"", 0};
    const dv_table_column columns[] = {
        {.name = "Key", .type = dv_type_of(DV_KIND_U4), .values = keys},
        {.name = "Text", .type = dv_type_of(DV_KIND_TX), .texts = texts}};
    return dv_table_create(table_out, columns, 2, n, &options, err);
}

static dv_status read_names(dvi_model_reading *r, dv_view **table_out, dv_view *view, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_type *type = &dv_schema_column(dv_view_schema(view), 0)->type;
    DVI_REQUIRE(dv_type_is_vector(type) && type->kind == DV_KIND_TX,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P6", -1, "names of hashes",
                         "a vector of texts|something else"));
    options.threads = 1;
    DVI_TRY(dv_cursor_open(&cursor, view, &options, err));
    dv_status status = dv_cursor_next(cursor, &batch, err);
    if (status == DV_OK) {
        const dv_value vector = dv_value_first(dv_batch_column(batch, 0));
        status = copy_names(r, table_out, &vector, err);
    }
    dv_cursor_close(&cursor);
    return status;
}

dv_status dvi_model_hash_names(dvi_model_reading *r, const dvi_model_part *in, int32_t i,
                               dv_view **table_out, dv_error *err)
{
    char folder[32], path[48];
    dvi_model_part part;
    dv_view *view;
    int32_t n;
    values v = {.name = "Names", .rows = 1};
    *table_out = NULL;
    snprintf(path, sizeof path, "Vocabulary_%03d/Model.key", (int)i);
    if (!dvi_model_entry(in, path))
        return DV_OK;
    snprintf(folder, sizeof folder, "Vocabulary_%03d", (int)i);
    DVI_TRY(dvi_model_open_inner(&part, in, folder, err));
    DVI_TRY(dvi_model_check_part(&part, "TEXTSPBF", 1, err));
    DVI_TRY(read_codec(&part, &v, err));
    DVI_TRY(dvi_model_count(&part, &n, 0, 1, "bytes of the names", err));
    v.block_nbytes = (size_t)n;
    DVI_TRY(dvi_model_bytes(&part, &v.block, v.block_nbytes, "names of hashes", err));
    DVI_TRY(dvi_model_end_part(&part, err));
    DVI_TRY(dvi_model_within(&part, open_values(r, &v, &view, err), err));
    const dv_status status = dvi_model_within(&part, read_names(r, table_out, view, err), err);
    dv_view_release(&view);
    return status;
}
