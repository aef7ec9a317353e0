/* SPDX-License-Identifier: MIT */
/* sample_sets.c: sets of samples for tests. */
#include "support/sample_sets.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test builds on. */
static void must(bool holds)
{
    if (!holds)
        abort();
}

void dvt_bytes_set(dvt_bytes *bytes, const void *data, size_t n)
{
    free(bytes->data);
    *bytes = (dvt_bytes){NULL, 0, 0};
    if (data)
        dvt_bytes_append(bytes, data, n);
}

void dvt_bytes_patch(dvt_bytes *bytes, size_t at, const void *data, size_t n)
{
    must(at + n <= bytes->n);
    memcpy(bytes->data + at, data, n);
}

void dvt_bytes_cut(dvt_bytes *bytes, size_t n)
{
    must(n <= bytes->n);
    bytes->n = n;
}

void dvt_bytes_append(dvt_bytes *bytes, const void *data, size_t n)
{
    if (!bytes->data || bytes->n + n > bytes->cap) {
        bytes->cap = 2 * (bytes->n + n) + 1;
        uint8_t *wider = realloc(bytes->data, bytes->cap);
        must(wider != NULL);
        bytes->data = wider;
    }
    if (n > 0)
        memcpy(bytes->data + bytes->n, data, n);
    bytes->n += n;
}

/* --- Making ----------------------------------------------------------------------------------- */

static dvi_md5_text md5_of(const dvt_bytes *bytes)
{
    dvi_md5 *md5;
    must(dvi_md5_create(&md5, NULL, NULL) == DV_OK);
    dvi_md5_add(md5, bytes->data, bytes->n);
    const dvi_md5_text text = dvi_md5_end(md5);
    dvi_md5_free(&md5);
    return text;
}

static dvi_writer *memory_writer(void)
{
    dvi_writer *writer;
    must(dvi_writer_create_memory(&writer, INT64_C(1) << 30, "", NULL, NULL) == DV_OK);
    return writer;
}

static void take(dvt_bytes *bytes, dvi_writer **writer)
{
    dv_buffer buffer;
    dvi_writer_take(*writer, &buffer);
    dvt_bytes_set(bytes, "", 0);
    dvt_bytes_append(bytes, buffer.data, buffer.nbytes);
    dv_buffer_release(&buffer);
    dvi_writer_close(writer);
}

/* A set whose samples and keys are added one by one. */
typedef struct maker {
    dvt_samples set;
    dvi_datadings_index *index;
    dvt_bytes legacy; /* without its head */
} maker;

static void start(maker *m, const char *name)
{
    *m = (maker){.index = NULL};
    snprintf(m->set.name, sizeof m->set.name, "%s", name);
    must(dvi_datadings_index_create(&m->index, NULL, NULL) == DV_OK);
    dvt_bytes_set(&m->set.data, "", 0);
    dvt_bytes_set(&m->legacy, "", 0);
}

static void add_head(dvt_bytes *bytes, uint8_t first, uint64_t n, int width)
{
    uint8_t head[9] = {first};
    for (int i = 0; i < width; i++)
        head[1 + i] = (uint8_t)(n >> 8 * (width - 1 - i));
    dvt_bytes_append(bytes, head, 1 + (size_t)width);
}

/* The shortest form of the offsets in .index. */
static void add_uint(dvt_bytes *bytes, uint64_t n)
{
    const int width = n < 128 ? 0 : n <= UINT8_MAX ? 1 : n <= UINT16_MAX ? 2 : 4;
    static const uint8_t first[] = {0, 0xCC, 0xCD, 0, 0xCE};
    add_head(bytes, width ? first[width] : (uint8_t)n, n, width);
}

static void add_str(dvt_bytes *bytes, const char *key)
{
    add_head(bytes, (uint8_t)(0xA0 | strlen(key)), 0, 0); /* all are short */
    dvt_bytes_append(bytes, key, strlen(key));
}

static void add(maker *m, const char *key, const void *message, size_t n)
{
    add_str(&m->legacy, key);
    add_uint(&m->legacy, m->set.data.n);
    dvt_bytes_append(&m->set.data, message, n);
    must(dvi_datadings_index_add(m->index, dv_text_of(key), (int64_t)n, NULL) == DV_OK);
}

static dvt_samples finish(maker *m, int rows)
{
    dvi_md5_text data = md5_of(&m->set.data), md5[DVI_DATADINGS_SIDES];
    dvi_datadings_duplicate duplicate;
    dvi_md5_queue *queue;
    dvt_bytes *legacy = &m->set.side[DVI_DATADINGS_LEGACY];
    must(dvi_datadings_index_hash(m->index, 1, &duplicate, NULL) == DV_OK && duplicate.row < 0);
    must(dvi_md5_queue_create(&queue, 1, NULL, NULL) == DV_OK);
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++) {
        dvi_writer *writer = memory_writer();
        must(dvi_datadings_index_write(m->index, (dvi_datadings_side)side, writer, queue,
                                       &md5[side], NULL) == DV_OK);
        take(&m->set.side[side], &writer);
    }
    dvi_writer *writer = memory_writer();
    must(dvi_datadings_write_md5(writer, m->set.name, &data, md5, NULL) == DV_OK);
    take(&m->set.side[DVI_DATADINGS_MD5], &writer);
    const int width = rows < 16 ? 0 : rows <= UINT16_MAX ? 2 : 4;
    add_head(legacy,
             (uint8_t)(width == 0   ? 0x80 | rows
                       : width == 2 ? 0xDE
                                    : 0xDF),
             (uint64_t)rows, width);
    dvt_bytes_append(legacy, m->legacy.data, m->legacy.n);
    free(m->legacy.data);
    dvi_md5_queue_free(&queue);
    dvi_datadings_index_free(&m->index);
    return m->set;
}

dvt_samples dvt_samples_tiny(void)
{
    static const char a[] = "\x83\xa3key\xa1"
                            "a\xa5image\xc4\x04\xff\xd8\xff\xe0\xa5label\0";
    static const char b[] = "\x83\xa3key\xa3"
                            "b/1\xa1x\x85\xc4\x02nd\xc3\xc4\x04type\xa3<f4\xc4\x04kind\xc4\x00"
                            "\xc4\x05shape\x92\x02\x03\xc4\x04"
                            "data\xc4\x18\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40"
                            "\0\0\xa0\x40\xa5label\xff";
    static const char c[] =
        "\x86\xa3key\xa2\xc3\xbc\xa1w\xcb\x3f\xe0\0\0\0\0\0\0\xa5label\xcd\x01\x2c"
        "\xa4tags\x93\xa1x\xc0\xc3\xa1s\x83\xc4\x02nd\xc2\xc4\x04type\xa3<i2"
        "\xc4\x04"
        "data\xc4\x02\xfe\xff\xa1"
        "c\x82\xc4\x07"
        "complex\xc3\xc4\x04"
        "data\xa6(1-2j)";
    maker m;
    start(&m, "tiny.msgpack");
    add(&m, "a", a, sizeof a - 1);
    add(&m, "b/1", b, sizeof b - 1);
    add(&m, "\xC3\xBC", c, sizeof c - 1);
    return finish(&m, 3);
}

dvt_samples dvt_samples_numbered(int n)
{
    maker m;
    dvt_bytes message = {NULL, 0, 0};
    char key[16];
    start(&m, "k1000.msgpack");
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "k%d", i);
        dvt_bytes_set(&message, "\x82", 1);
        add_str(&message, "key");
        add_str(&message, key);
        add_str(&message, "v");
        add_uint(&message, (uint64_t)i);
        add(&m, key, message.data, message.n);
    }
    free(message.data);
    return finish(&m, n);
}

void dvt_samples_free(dvt_samples *set)
{
    free(set->data.data);
    for (int file = 0; file < DVI_DATADINGS_FILES; file++)
        free(set->side[file].data);
    dvt_folder_remove(&set->folder);
    *set = (dvt_samples){.name = ""};
}

/* --- Files ------------------------------------------------------------------------------------ */

static void write_file(const dvt_path *path, const dvt_bytes *bytes)
{
    if (bytes->data)
        dvt_file_write(path, bytes->data, bytes->n);
    else
        unlink(path->text);
}

void dvt_samples_write(dvt_samples *set)
{
    char name[64];
    if (!*set->folder.text)
        set->folder = dvt_folder_create();
    set->path = dvt_path_in(&set->folder, set->name);
    write_file(&set->path, &set->data);
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) {
        snprintf(name, sizeof name, "%s%s", set->name,
                 dvi_datadings_suffix((dvi_datadings_side)file));
        const dvt_path path = dvt_path_in(&set->folder, name);
        write_file(&path, &set->side[file]);
    }
}

dv_status dvt_samples_open(dvi_datadings_set **set_out, const dvt_samples *set,
                           const dv_open_options *options, bool scan, dv_error *err)
{
    dvi_map *map;
    *set_out = NULL;
    dv_status status = dvi_map_open(&map, set->path.text, options->io, options->allocator, err);
    if (status == DV_OK)
        status = dvi_datadings_set_open(set_out, map, options, scan, err);
    dvi_map_release(&map);
    return status;
}

static dv_status open_bytes(dvi_map **map_out, const dvt_bytes *bytes, const char *name,
                            const dv_open_options *options, dv_error *err)
{
    return dvi_map_open_memory(map_out, bytes->data, bytes->n, NULL, NULL, name, options->io,
                               options->allocator, err);
}

dv_status dvt_samples_open_memory(dvi_datadings_set **set_out, const dvt_samples *set,
                                  const dv_open_options *options, bool scan, dv_error *err)
{
    dvi_datadings_maps maps = {{NULL}};
    dvi_map *map;
    char name[64];
    *set_out = NULL;
    dv_status status = open_bytes(&map, &set->data, set->name, options, err);
    for (int file = 0; file < DVI_DATADINGS_FILES && status == DV_OK && !scan; file++) {
        snprintf(name, sizeof name, "%s%s", set->name,
                 dvi_datadings_suffix((dvi_datadings_side)file));
        if (set->side[file].data)
            status = open_bytes(&maps.file[file], &set->side[file], name, options, err);
    }
    if (status == DV_OK)
        status = dvi_datadings_set_of_maps(set_out, map, &maps, options, scan, err);
    else
        for (int file = 0; file < DVI_DATADINGS_FILES; file++)
            dvi_map_release(&maps.file[file]);
    dvi_map_release(&map);
    return status;
}

dv_status dvt_samples_read(dvi_datadings_set *set, dv_error *err)
{
    enum { AT_ONCE = 100 };
    int64_t offsets[AT_ONCE + 1], found;
    dv_text keys[AT_ONCE];
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    for (int64_t row = 0, n; row < dvi_datadings_rows(set) && status == DV_OK; row += n) {
        n = dvi_min_i64(dvi_datadings_rows(set) - row, AT_ONCE);
        status = dvi_datadings_offsets(set, row, (size_t)n, offsets, &memory, err);
        if (status == DV_OK)
            status = dvi_datadings_keys(set, row, (size_t)n, keys, &memory, err);
        for (int64_t i = 0; i < n && status == DV_OK; i++) {
            bool does = false;
            status =
                keys[i].nbytes < 0 ? DV_OK : dvi_datadings_find(set, keys[i], true, &found, err);
            if (status == DV_OK && keys[i].nbytes >= 0)
                status = dvi_datadings_contains(set, keys[i], false, &does, err);
        }
    }
    dvi_memory_release(&memory);
    return status;
}
