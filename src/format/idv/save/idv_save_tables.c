/* SPDX-License-Identifier: MIT */
/* idv_save_tables.c: writes the tables after the blocks, and the header (idv:2, idv:3, idv:7.4). */
#include "base/alloc.h"
#include "base/size.h"
#include "format/idv/save/idv_save_priv.h"

/* A growing table of contents. It is written after what its entries describe. */
typedef struct table {
    const dv_allocator *allocator;
    uint8_t *data;
    size_t nbytes, cap;
} table;

/* Reserve n more bytes at table->data + table->nbytes. */
static dv_status reserve(table *t, size_t n, dv_error *err)
{
    void *data = t->data;
    size_t need;
    if (!dvi_size_add(t->nbytes, n, &need))
        return dvi_fail_memory(err, SIZE_MAX);
    const dv_status status = dvi_array_reserve(t->allocator, &data, &t->cap, need, 1, err);
    t->data = data;
    return status;
}

static void append_u8(table *t, uint8_t value)
{
    t->data[t->nbytes++] = value;
}

static void append_i64(table *t, int64_t value)
{
    dvi_store_i64(t->data + t->nbytes, value);
    t->nbytes += sizeof value;
}

static void store_leb(table *t, uint64_t value)
{
    t->nbytes += dvi_idv_store_leb(value, t->data + t->nbytes);
}

/* Append a str and a codec definition, and reserve room for the numbers after them. */
#define NUMBERS_NBYTES 64

static dv_status append_name_and_codec(table *t, dv_text name, const dvi_idv_dialect *dialect,
                                       const dvi_idv_codec *codec, dv_error *err)
{
    const size_t name_nbytes = dvi_idv_store_str(name, NULL);
    const size_t codec_nbytes = dvi_idv_store_codec(dialect, codec, NULL);
    DVI_TRY(reserve(t, name_nbytes + codec_nbytes + NUMBERS_NBYTES, err));
    t->nbytes += dvi_idv_store_str(name, t->data + t->nbytes);
    t->nbytes += dvi_idv_store_codec(dialect, codec, t->data + t->nbytes);
    return DV_OK;
}

/* --- Metadata --------------------------------------------------------------------------------- */

/* The state of writing a column's metadata. */
typedef struct metadata {
    const dvi_idv_saver *saver;
    int32_t column; /* of the schema */
    dvi_deflater *deflater;
    dvi_idv_encoded encoded;
    dvi_memory *joined, *compressed;
    uint64_t count; /* entries so far */
    table entries;
} metadata;

/* Compress the block of a value. 0: stored as it is, because compression does not make it smaller
 * (idv:7.4). */
static dv_status compress_value(metadata *m, size_t *compressed_out, dv_error *err)
{
    const dvi_idv_saver *saver = m->saver;
    const dv_allocator *allocator = saver->saving->allocator;
    const dvi_wrapper wrapper =
        saver->compression == DVI_IDV_ZLIB ? DVI_WRAPPER_ZLIB : DVI_WRAPPER_RAW;
    const size_t n = (size_t)m->encoded.nbytes;
    const void *bytes;
    *compressed_out = 0;
    if (!m->deflater)
        return DV_OK;
    DVI_TRY(dvi_idv_join(&m->encoded, allocator, &m->joined, &bytes, err));
    DVI_TRY(dvi_memory_reserve(&m->compressed, allocator, n, err));
    *compressed_out = dvi_deflate(m->deflater, wrapper, bytes, n, m->compressed->data, n - 1);
    return DV_OK;
}

static dv_status write_value(metadata *m, const dv_column_view *value, const dvi_idv_codec *codec,
                             dv_error *err)
{
    const dvi_idv_saver *saver = m->saver;
    const dvi_idv_source source = {&saver->dialect, saver->saving->allocator,
                                   dv_schema_column(saver->saving->schema, m->column)->name, -1};
    size_t compressed;
    DVI_TRY(dvi_idv_encode(&source, codec, value, &m->encoded, err));
    DVI_TRY(compress_value(m, &compressed, err));
    if (compressed == 0)
        DVI_TRY(dvi_idv_align(saver, &m->encoded, err));
    const int64_t offset = dvi_writer_offset(saver->writer);
    if (compressed == 0)
        DVI_TRY(dvi_idv_write_fragments(saver, &m->encoded, err));
    else
        DVI_TRY(dvi_writer_write(saver->writer, m->compressed->data, compressed, err));
    append_u8(&m->entries, (uint8_t)(compressed == 0 ? DVI_IDV_STORED : saver->compression));
    append_i64(&m->entries, offset);
    store_leb(&m->entries, compressed == 0 ? (uint64_t)m->encoded.nbytes : compressed);
    m->count++;
    return DV_OK;
}

/* Write one kind, unless dropping it was allowed. */
static dv_status write_kind(metadata *m, int32_t i, dv_error *err)
{
    const dv_schema *schema = m->saver->saving->schema;
    const dv_metadata_info *info = dv_schema_metadata(schema, m->column, i);
    dvi_idv_codec codec;
    const dv_batch *batch;
    if (dvi_idv_is_mark(&dv_schema_column(schema, m->column)->type, info->kind) ||
        dvi_idv_choose_codec(&m->saver->dialect, &info->type, &codec))
        return DV_OK;
    DVI_TRY(append_name_and_codec(&m->entries, info->kind, &m->saver->dialect, &codec, err));
    DVI_TRY(dv_schema_metadata_value(schema, m->column, i, &batch, err));
    const dv_status status = write_value(m, dv_batch_column(batch, 0), &codec, err);
    dv_batch_release(&batch);
    return status;
}

/* Write that vectors of bytes are values of BY. */
static dv_status write_mark(metadata *m, dv_error *err)
{
    static const int8_t yes = 1;
    dvi_idv_codec codec;
    dv_column_view value = {.type = dv_type_of(DV_KIND_BL), .layout = DV_LAYOUT_FIXED, .rows = 1};
    value.as.fixed.values = (dv_buffer){&yes, 1, NULL, false, true};
    dvi_idv_choose_codec(&m->saver->dialect, &value.type, &codec);
    DVI_TRY(append_name_and_codec(&m->entries, dv_text_of(DVI_IDV_BYTES_KIND), &m->saver->dialect,
                                  &codec, err));
    return write_value(m, &value, &codec, err);
}

/* Write the blocks of a column's metadata, then their table. *offset_out: of the table; 0: none. */
static dv_status write_metadata(metadata *m, int32_t column, int64_t *offset_out, dv_error *err)
{
    const dvi_saving *saving = m->saver->saving;
    dvi_writer *writer = m->saver->writer;
    uint8_t count[10];
    m->column = column;
    m->count = 0;
    m->entries.nbytes = 0;
    *offset_out = 0;
    const int32_t n = dv_schema_column(saving->schema, column)->metadata_count;
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(write_kind(m, i, err));
    if (dv_schema_column(saving->schema, column)->type.kind == DV_KIND_BY)
        DVI_TRY(write_mark(m, err));
    if (m->count == 0)
        return DV_OK;
    *offset_out = dvi_writer_offset(writer);
    DVI_TRY(dvi_writer_write(writer, count, dvi_idv_store_leb(m->count, count), err));
    return dvi_writer_write(writer, m->entries.data, m->entries.nbytes, err);
}

/* --- The column TOC --------------------------------------------------------------------------- */

/* As planned, or all rows of the only block. */
static int64_t rows_per_block(const dvi_idv_saver *saver)
{
    return saver->blocks > 1 ? saver->rpb : dvi_max_i64(saver->rows, 1);
}

static dv_status write_lookup(const dvi_idv_saver *saver, int32_t k, dv_error *err)
{
    for (int64_t b = 0; b < saver->blocks; b++) {
        const dvi_idv_entry *entry = &saver->entries[b * saver->columns_count + k];
        uint8_t bytes[16];
        dvi_store_i64(bytes, entry->offset);
        dvi_store_i32(bytes + 8, entry->stored);
        dvi_store_i32(bytes + 12, entry->inflated);
        DVI_TRY(dvi_writer_write(saver->writer, bytes, sizeof bytes, err));
    }
    return DV_OK;
}

/* Write all that the TOC entry refers to, then the entry. */
static dv_status write_column(metadata *m, table *toc, int32_t k, int64_t lookup, dv_error *err)
{
    const dvi_idv_saver *saver = m->saver;
    int64_t offset;
    DVI_TRY(write_metadata(m, saver->columns[k], &offset, err));
    DVI_TRY(append_name_and_codec(toc,
                                  dv_schema_column(saver->saving->schema, saver->columns[k])->name,
                                  &saver->dialect, &saver->codecs[k], err));
    append_u8(toc, (uint8_t)saver->compression);
    store_leb(toc, (uint64_t)rows_per_block(saver));
    append_i64(toc, lookup);
    append_i64(toc, offset);
    return DV_OK;
}

static dv_status write_header(const dvi_idv_saver *saver, int64_t toc, int64_t tail, dv_error *err)
{
    uint8_t header[DVI_IDV_HEADER_NBYTES] = {0};
    dvi_store_u64(header, DVI_IDV_SIGNATURE);
    dvi_store_u64(header + 8, saver->dialect.version);
    dvi_store_u64(header + 16, saver->dialect.version);
    dvi_store_i64(header + 24, toc);
    dvi_store_i64(header + 32, tail);
    dvi_store_i64(header + 40, saver->rows);
    dvi_store_i32(header + 48, saver->columns_count);
    return dvi_writer_write_at(saver->writer, 0, header, sizeof header, err);
}

static dv_status write_tables(const dvi_idv_saver *saver, metadata *m, table *toc, dv_error *err)
{
    uint8_t signature[8];
    dvi_writer *writer = saver->writer;
    const int64_t lookup = dvi_writer_offset(writer);
    for (int32_t k = 0; k < saver->columns_count; k++)
        DVI_TRY(write_lookup(saver, k, err));
    for (int32_t k = 0; k < saver->columns_count; k++)
        DVI_TRY(write_column(m, toc, k, lookup + 16 * saver->blocks * k, err));
    const int64_t toc_at = dvi_writer_offset(writer);
    DVI_TRY(dvi_writer_write(writer, toc->data, toc->nbytes, err));
    const int64_t tail = dvi_writer_offset(writer);
    dvi_store_u64(signature, DVI_IDV_TAIL_SIGNATURE);
    DVI_TRY(dvi_writer_write(writer, signature, sizeof signature, err));
    return write_header(saver, toc_at, tail, err);
}

dv_status dvi_idv_write_tables(const dvi_idv_saver *saver, dv_error *err)
{
    const dv_allocator *allocator = saver->saving->allocator;
    table toc = {.allocator = allocator};
    metadata m = {.saver = saver, .entries = {.allocator = allocator}};
    dv_status status = DV_OK;
    if (saver->compression != DVI_IDV_STORED)
        status = dvi_deflater_create(&m.deflater, saver->level, err);
    if (status == DV_OK)
        status = write_tables(saver, &m, &toc, err);
    dvi_deflater_free(&m.deflater);
    dvi_idv_encoded_free(&m.encoded);
    dvi_memory_release(&m.joined);
    dvi_memory_release(&m.compressed);
    dvi_free(allocator, m.entries.data, m.entries.cap);
    dvi_free(allocator, toc.data, toc.cap);
    return status;
}
