/* SPDX-License-Identifier: MIT */
/* idv_block.c: reads a block, inflates it if needed, and decodes it into a column view (idv:5,
 * idv:6). */
#include "base/size.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>

#define FIRST_GUESS_NBYTES ((size_t)4096)

void dvi_idv_opened_free(dvi_idv_opened *opened)
{
    dvi_memory_release(&opened->entry);
    dvi_memory_release(&opened->stored);
    dvi_memory_release(&opened->inflated);
    dvi_memory_release(&opened->decoded);
    dvi_memory_release(&opened->layout);
    dvi_memory_release(&opened->ends);
}

int64_t dvi_idv_blame(dvi_idv_content *content, size_t at)
{
    content->blamed = at;
    return dvi_reader_offset_of(&content->r, at);
}

dv_buffer dvi_idv_take(dvi_idv_content *content, size_t nbytes, size_t width)
{
    const uint8_t *data = dvi_read_bytes(&content->r, nbytes);
    return (dv_buffer){data, nbytes, content->owner, content->is_borrowed,
                       (uintptr_t)data % width == 0};
}

dv_status dvi_idv_reserve_layout(dvi_idv_content *content, size_t at, size_t nbytes,
                                 dvi_memory **memory, dv_buffer *buffer_out, dv_error *err)
{
    const uint8_t *data = content->r.data + at;
    *buffer_out =
        (dv_buffer){data, nbytes, content->owner, content->is_borrowed, (uintptr_t)data % 4 == 0};
    if (!content->is_borrowed || content->in_place || nbytes == 0)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(memory, content->allocator, nbytes, err));
    *buffer_out = dvi_memory_buffer(*memory, 0, nbytes, 4);
    return DV_OK;
}

dv_status dvi_idv_decode_into(dvi_idv_content *content, size_t nbytes, const char *why,
                              dv_error *err)
{
    if (content->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", dvi_idv_blame(content, 0), "zero_copy_only",
                        "values to use as they are|%s", why);
    if (nbytes > content->limit)
        return dvi_fail(err, DV_ERR_LIMIT, content->limit_name, dvi_idv_blame(content, 0),
                        "decoded values", "at most %zu bytes (option %s)|%zu", content->limit,
                        content->limit_name, nbytes);
    return dvi_memory_reserve(&content->opened->decoded, content->allocator, nbytes, err);
}

/* --- Inflating -------------------------------------------------------------------------------- */

static dv_status fail_inflate(dvi_inflate_result result, int64_t offset, size_t n, size_t used,
                              size_t room, dv_error *err)
{
    if (result == DVI_INFLATE_MORE)
        return dvi_fail(err, DV_ERR_CORRUPT, "idv:6", offset, "compressed block",
                        "%zu bytes when inflated|more", room);
    if (result == DVI_INFLATE_TRAILING)
        return dvi_fail(err, DV_ERR_CORRUPT, "idv:6", offset, "compressed block",
                        "an end at its last byte|an end %zu bytes before", n - used);
    return dvi_fail(err, DV_ERR_CORRUPT, "idv:6", offset, "compressed block",
                    "compressed data of %zu bytes|data that does not inflate", n);
}

static dvi_wrapper wrapper_of(uint8_t compression)
{
    return compression == DVI_IDV_ZLIB ? DVI_WRAPPER_ZLIB : DVI_WRAPPER_RAW;
}

/* Inflate a block whose length is known. */
static dv_status inflate_exact(dvi_inflater *inflater, uint8_t compression, const dvi_span *stored,
                               size_t want, dvi_memory **memory, const dv_allocator *allocator,
                               dv_error *err)
{
    size_t n, used;
    DVI_TRY(dvi_memory_reserve(memory, allocator, want, err));
    const dvi_inflate_result result = dvi_inflate(inflater, wrapper_of(compression), stored->data,
                                                  stored->nbytes, (*memory)->data, want, &n, &used);
    DVI_REQUIRE(result == DVI_INFLATE_DONE,
                fail_inflate(result, stored->offset, stored->nbytes, used, want, err));
    DVI_REQUIRE(n == want, dvi_fail(err, DV_ERR_CORRUPT, "idv:6", stored->offset,
                                    "compressed block", "%zu bytes when inflated|%zu", want, n));
    return DV_OK;
}

/* Inflate metadata, whose inflated length is not stored: the buffer grows up to the limit. */
static dv_status inflate_unknown(dvi_inflater *inflater, uint8_t compression,
                                 const dvi_span *stored, size_t limit, dvi_memory **memory,
                                 const dv_allocator *allocator, size_t *n_out, dv_error *err)
{
    size_t room = FIRST_GUESS_NBYTES < limit ? FIRST_GUESS_NBYTES : limit, used;
    dvi_inflate_result result;
    for (;;) {
        DVI_TRY(dvi_memory_reserve(memory, allocator, room, err));
        result = dvi_inflate(inflater, wrapper_of(compression), stored->data, stored->nbytes,
                             (*memory)->data, room, n_out, &used);
        if (result != DVI_INFLATE_MORE || room == limit)
            break;
        room = room > limit / 4 ? limit : 4 * room;
    }
    DVI_REQUIRE(result != DVI_INFLATE_MORE,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", stored->offset, "metadata value",
                         "at most %zu bytes (option metadata_nbytes)|more", limit));
    DVI_REQUIRE(result == DVI_INFLATE_DONE,
                fail_inflate(result, stored->offset, stored->nbytes, used, room, err));
    return DV_OK;
}

/* --- Opening ---------------------------------------------------------------------------------- */

const char *dvi_idv_encoding_rule(dvi_idv_encoding encoding)
{
    switch (encoding) {
    case DVI_IDV_BITS:
        return "idv:5.2";
    case DVI_IDV_PAIRS:
        return "idv:5.3";
    case DVI_IDV_TEXT:
        return "idv:5.4";
    case DVI_IDV_ZONED:
        return "idv:5.5";
    case DVI_IDV_BYTES:
        return "idv:5.6";
    case DVI_IDV_RAW:
    case DVI_IDV_DATETIME:
        break;
    }
    return "idv:5.1";
}

int64_t dvi_idv_fixed_nbytes(const dvi_idv_codec *codec, int64_t n)
{
    if (codec->type.rank > 0)
        return -1;
    switch (codec->encoding) {
    case DVI_IDV_BITS:
        return (n + 7) / 8;
    case DVI_IDV_PAIRS:
        return (n + 15) / 16 * 4;
    case DVI_IDV_TEXT:
    case DVI_IDV_BYTES:
        return -1;
    default:
        return n * dv_kind_width(codec->type.kind);
    }
}

dv_status dvi_idv_open_content(dvi_idv_content *content, const dvi_idv_codec *codec, int64_t n,
                               dv_error *err)
{
    dvi_reader *r = &content->r;
    dvi_column *column = &content->opened->column;
    *column = (dvi_column){0};
    content->opened->splits = 0;
    if (codec->type.rank > 0)
        DVI_TRY(dvi_idv_open_vectors(content, codec, n, column, err));
    else
        DVI_TRY(dvi_idv_open_scalars(content, codec, n, &column->view, err));
    DVI_REQUIRE(dvi_reader_left(r) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:5", dvi_idv_blame(content, r->at), "block",
                         "its end after %zu bytes|%zu more", r->at, dvi_reader_left(r)));
    return DV_OK;
}

/* The memory limit for decoding, and the name of its option. */
typedef struct terms {
    bool zero_copy_only, in_place;
    int64_t limit;
    const char *limit_name;
} terms;

/* Open the bytes. An error in an inflated block names the byte of the inflated data. */
static dv_status open_bytes(const dvi_idv_file *file, const dvi_span *bytes, bool is_inflated,
                            const dvi_idv_codec *codec, int64_t n, dvi_idv_opened *opened,
                            terms allowed, dv_error *err)
{
    dvi_idv_content content = {
        .r = dvi_reader_of(bytes->data, bytes->nbytes, bytes->offset, is_inflated),
        .owner = bytes->owner,
        .is_borrowed = bytes->is_borrowed,
        .zero_copy_only = allowed.zero_copy_only,
        .in_place = allowed.in_place,
        .strict_text = file->limits.strict_text,
        .limit = (size_t)allowed.limit,
        .limit_name = allowed.limit_name,
        .allocator = &file->allocator,
        .opened = opened,
    };
    if (allowed.zero_copy_only && !bytes->is_borrowed)
        return dvi_fail(err, DV_ERR_COPY, "", bytes->offset, "zero_copy_only",
                        "mapped bytes, stored as they are|%s",
                        is_inflated ? "a compressed block" : dvi_map_why_copied(file->map).text);
    const dv_status status = dvi_idv_open_content(&content, codec, n, err);
    if (status < 0 && is_inflated)
        dvi_error_within(err, "byte %zu of the inflated block",
                         content.r.fault ? content.r.fault_at : content.blamed);
    return status;
}

/* An estimate of the memory that opening a block needs. */
static int64_t needed_nbytes(const dvi_idv_file *file, const dvi_idv_column *column,
                             const dvi_idv_block *block)
{
    const bool has_layout = column->codec.type.rank > 0 || column->codec.encoding == DVI_IDV_TEXT ||
                            column->codec.encoding == DVI_IDV_BYTES;
    const bool is_stored = column->compression == DVI_IDV_STORED;
    /* the block, or its layout, which is no larger */
    const bool is_copied = dvi_map_is_copied(file->map) || (is_stored && has_layout);
    const int64_t inflated = (int64_t)block->inflated;
    int64_t need = is_copied ? (int64_t)block->stored : 0;
    need += is_stored ? 0 : inflated;
    switch (column->codec.encoding) {
    case DVI_IDV_BITS:
    case DVI_IDV_PAIRS:
        return need + 8 * inflated;
    case DVI_IDV_TEXT:
    case DVI_IDV_ZONED:
    case DVI_IDV_BYTES:
        return need + inflated;
    case DVI_IDV_RAW:
    case DVI_IDV_DATETIME:
        break;
    }
    return need;
}

/* Read the entry of block k together with the next one, which may be invalid or missing. */
static dv_status read_entry(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                            dvi_idv_opened *opened, dv_error *err)
{
    dvi_idv_block blocks[2];
    const int64_t n = dvi_min_i64(2, file->blocks - k);
    const int64_t sound = dvi_idv_sound_entries(file, column, k, n, false, &opened->entry, blocks);
    if (sound == 0)
        DVI_TRY(dvi_idv_read_entries(file, column, k, 1, &opened->entry, blocks, err));
    opened->block = blocks[0];
    opened->next = sound == 2 ? blocks[1].offset : 0;
    opened->next_nbytes = sound == 2 ? (int64_t)blocks[1].stored : 0;
    return DV_OK;
}

dv_status dvi_idv_open_block(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                             dvi_idv_opened *opened, const dvi_idv_how *how, dv_error *err)
{
    const int64_t n = dvi_idv_block_rows(file, k), limit = file->limits.block_nbytes;
    const dvi_idv_codec *codec = &column->codec;
    opened->need = 0;
    DVI_TRY(read_entry(file, column, k, opened, err));
    const dvi_idv_block block = opened->block;
    DVI_REQUIRE((int64_t)block.inflated <= limit,
                dvi_fail(err, DV_ERR_LIMIT, "block_nbytes", block.at + 12, "inflated length",
                         "at most %" PRId64 " (option block_nbytes)|%zu", limit, block.inflated));
    const int64_t fixed = dvi_idv_fixed_nbytes(codec, n);
    if (fixed >= 0)
        DVI_REQUIRE_IN(err, (int64_t)block.inflated, fixed, fixed,
                       dvi_idv_encoding_rule(codec->encoding), block.at + 12, "inflated length");

    const int64_t need = needed_nbytes(file, column, &block);
    DVI_REQUIRE(need <= how->room,
                dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", block.at + 12,
                         "memory for the blocks of all active columns",
                         "at most %" PRId64 " bytes (option cursor_nbytes)|%" PRId64 " more than "
                         "are left",
                         file->limits.cursor_nbytes, need - how->room));

    dvi_span bytes; /* unchecked: reading the entry has just checked the file's length */
    DVI_TRY(dvi_map_span_unchecked(file->map, block.offset, block.stored, &opened->stored, &bytes,
                                   err));
    const bool is_inflated = column->compression != DVI_IDV_STORED;
    if (is_inflated && !how->zero_copy_only) {
        DVI_TRY(inflate_exact(how->inflater, column->compression, &bytes, block.inflated,
                              &opened->inflated, &file->allocator, err));
        bytes = (dvi_span){opened->inflated->data, block.inflated, block.offset,
                           &opened->inflated->owner, false};
    }
    if (is_inflated)
        bytes.is_borrowed = false;
    opened->need = need;
    return open_bytes(file, &bytes, is_inflated, codec, n, opened,
                      (terms){how->zero_copy_only, how->in_place, limit, "block_nbytes"}, err);
}

dv_status dvi_idv_open_metadata(const dvi_idv_file *file, const dvi_idv_metadata *m,
                                dvi_idv_opened *opened, dvi_inflater *inflater, dv_error *err)
{
    const int64_t limit =
        dvi_min_i64(file->limits.metadata_nbytes, INT32_MAX); /* the limit of blocks */
    const bool is_inflated = m->compression != DVI_IDV_STORED;
    DVI_REQUIRE(m->nbytes <= limit,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", m->offset, "metadata value",
                         "at most %" PRId64 " bytes (option metadata_nbytes)|%" PRId64, limit,
                         m->nbytes));
    dvi_span bytes;
    /* inflating makes a copy by itself */
    DVI_TRY((is_inflated ? dvi_map_span : dvi_map_copy)(file->map, m->offset, (size_t)m->nbytes,
                                                        &opened->stored, &bytes, err));
    if (is_inflated) {
        size_t n;
        DVI_TRY(inflate_unknown(inflater, m->compression, &bytes, (size_t)limit, &opened->inflated,
                                &file->allocator, &n, err));
        bytes = (dvi_span){opened->inflated->data, n, m->offset, &opened->inflated->owner, false};
    }
    const int64_t fixed = dvi_idv_fixed_nbytes(&m->codec, 1);
    if (fixed >= 0)
        DVI_REQUIRE_IN(err, (int64_t)bytes.nbytes, fixed, fixed,
                       dvi_idv_encoding_rule(m->codec.encoding), m->offset,
                       "metadata block length");
    return open_bytes(file, &bytes, is_inflated, &m->codec, 1, opened,
                      (terms){false, false, limit, "metadata_nbytes"}, err);
}
