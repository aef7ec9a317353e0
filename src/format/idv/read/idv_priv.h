/* SPDX-License-Identifier: MIT */
/* idv_priv.h: types and functions that the .idv readers share: an open file, its columns, its
 * blocks. */
#ifndef DVI_IDV_PRIV_H
#define DVI_IDV_PRIV_H

#include "base/arena.h"
#include "base/reader.h"
#include "io/map.h"
#include "codec/deflate.h"
#include "view/column.h"
#include "view/view.h"
#include <dataview/open.h>
#include <dataview/own_view.h>
#include <dataview/save.h>

#define DVI_IDV_HEADER_NBYTES 256
#define DVI_IDV_ENTRY_NBYTES 16                             /* of a block table */
#define DVI_IDV_SIGNATURE UINT64_C(0x00425644004C4D43)      /* "CML\0DVB\0" */
#define DVI_IDV_TAIL_SIGNATURE UINT64_C(0x434D4C0044564200) /* "\0BVD\0LMC" */
#define DVI_IDV_VERSION(last) (UINT64_C(0x0001000100010000) | (last))

typedef enum dvi_idv_compression {
    DVI_IDV_STORED = 0,
    DVI_IDV_DEFLATE = 1,
    DVI_IDV_ZLIB = 2,
    DVI_IDV_COMPRESSIONS /* the first unknown code */
} dvi_idv_compression;

/* How a block stores the values of a codec (idv:5). */
typedef enum dvi_idv_encoding {
    DVI_IDV_RAW,      /* n values of the kind's width */
    DVI_IDV_DATETIME, /* the same, ticks in range (idv:5.1) */
    DVI_IDV_BITS,     /* one bit each (idv:5.2) */
    DVI_IDV_PAIRS,    /* two bits each (idv:5.3) */
    DVI_IDV_ZONED,    /* offsets, then ticks (idv:5.5) */
    DVI_IDV_TEXT,     /* ends and text (idv:5.4) */
    DVI_IDV_BYTES     /* vectors of Byte that are values of BY (idv:5.9) */
} dvi_idv_encoding;

/* Metadata of BL: true makes values of BY of a column's vectors of U1 (idv:5.9). */
#define DVI_IDV_BYTES_KIND "dataview.bytes"

/* A parsed codec definition. For a vector, `encoding` is that of the items. */
typedef struct dvi_idv_codec {
    dv_type type;
    dvi_idv_encoding encoding;
    dv_text unknown; /* the unknown codec name, its own or an inner one's; data NULL: none */
    bool is_renamed; /* an old name of DataViewRowId, which ML.NET no longer reads */
} dvi_idv_codec;

/* The header (idv:2.1), checked. */
typedef struct dvi_idv_header {
    uint64_t version, compatible;
    int64_t toc, tail; /* offsets */
    int64_t rows;
    int32_t columns; /* including dead ones */
} dvi_idv_header;

/* One entry of the column TOC (idv:3.1). */
typedef struct dvi_idv_column {
    dv_text name; /* in the file's arena */
    dvi_idv_codec codec;
    uint8_t compression;
    int64_t rpb; /* rows per block */
    int64_t lookup, metadata;
    int64_t slot_names, slot_names_nbytes; /* version 1.1.1.3: offset (0: none), bytes and count */
    int32_t slot_names_count;
    int64_t name_at, rpb_at, lookup_at, metadata_at, slot_names_at; /* offsets of the fields */
} dvi_idv_column;

/* One alive entry of a metadata TOC (idv:3.3), or the slot names of version 1.1.1.3. */
typedef struct dvi_idv_metadata {
    int32_t column; /* of the schema */
    dvi_idv_codec codec;
    uint8_t compression;
    bool is_slot_names; /* if so, offset and nbytes are those of the pairs, count is their number */
    int32_t count;
    int64_t offset, nbytes;
} dvi_idv_metadata;

/* A warning from opening the file, in its arena: a sentence, or a dead column or metadata entry.
 * The latter has the rule, the byte, what is unknown, and the loss that a save without it counts.
 */
typedef struct dvi_idv_warning {
    struct dvi_idv_warning *next;
    const char *what, *unknown, *rule;
    dv_loss loss;
    int64_t offset;
} dvi_idv_warning;

/* An open file. It does not change after opening, so any thread may read it. */
typedef struct dvi_idv_file {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_map *map;  /* one reference */
    dv_view *view; /* the view that owns the file; no reference */
    dv_open_options limits;
    dvi_idv_header header;
    int64_t rpb, blocks;     /* of every column; rpb 0: there are no rows or no columns */
    dvi_idv_column *columns; /* alive columns, in schema order */
    int32_t alive;
    dvi_idv_metadata *metadata;
    size_t metadata_count, metadata_cap;
    int64_t metadata_toc_nbytes; /* parsed so far, for all columns */
    int32_t dead;                /* columns that cannot be read, */
    int32_t dead_metadata;       /* and metadata entries of the other columns */
    dvi_idv_warning *warnings, **warnings_end;
    int32_t warning_count, dead_listed; /* dead_listed: of the warnings that are kept */
} dvi_idv_file;

/* One entry of a lookup table (idv:3.2), checked. */
typedef struct dvi_idv_block {
    int64_t at; /* offset of the entry itself */
    int64_t offset;
    size_t stored, inflated;
} dvi_idv_block;

/* An open block and its memory, which the next block reuses. One thread at a time. */
typedef struct dvi_idv_opened {
    dvi_memory *entry, *stored, *inflated, *decoded;
    dvi_memory *layout, *ends; /* of vectors and texts, copied from a mapped file to be checked */
    dvi_idv_block block;       /* the last one opened */
    int64_t next, next_nbytes; /* offset and length of the column's next block; 0 bytes: unknown */
    int64_t need;              /* estimated memory of opening it */
    dvi_column column;         /* the block's rows; points into the members below or into the map */
    size_t splits;             /* surrogate pairs cut by a text boundary (idv:5.4) */
} dvi_idv_opened;

void dvi_idv_opened_free(dvi_idv_opened *opened);

/* --- idv_header.c, idv_toc.c, idv_meta.c, idv_codec.c: opening -------------------------------- */

/* Read and check the header and the tail signature (idv:2.2). */
dv_status dvi_idv_read_header(dvi_map *map, dvi_idv_header *header_out, dv_error *err);
/* A version as "1.1.1.6". */
typedef struct dvi_idv_version_text {
    char text[32];
} dvi_idv_version_text;
dvi_idv_version_text dvi_idv_version(uint64_t version);

/* Read the column TOC and each alive column's metadata TOC into file and schema (idv:3.1, idv:3.3).
 * is_shared: the schema is that of another file; DV_NOT_FOUND: this file has other columns, or
 * metadata. */
dv_status dvi_idv_read_toc(dvi_idv_file *file, dv_schema *schema, bool is_shared, dv_error *err);
dv_status dvi_idv_read_metadata_toc(dvi_idv_file *file, dv_schema *schema, int32_t column,
                                    dv_error *err);
/* Keep a copy of a warning, whose `what` is the format, for `info` and `verify`. */
dv_status dvi_idv_warn(dvi_idv_file *file, const dvi_idv_warning *given, dv_error *err,
                       const char *format, ...) DVI_PRINTF(4, 5);

/* Parse a codec definition (idv:4), or skip an unknown one; `unknown` then points into the reader's
 * bytes. version: of the file; in 1.1.1.1 an unknown one is DV_ERR_UNSUPPORTED. rule: the rule of
 * the region, for errors of running out of data. */
dv_status dvi_idv_parse_codec(dvi_reader *r, uint64_t version, const char *rule, dvi_arena *arena,
                              dvi_idv_codec *codec_out, dv_error *err);
/* The name under which a codec without parameters is written, for readers of 1.1.1.6 or older ones.
 * NULL: they have none. */
const char *dvi_idv_codec_name(dv_kind kind, dvi_idv_encoding encoding, bool old);
/* Check that the text is UTF-8. at: offset of the string. */
dv_status dvi_idv_check_str(dv_text text, int64_t at, const char *what, dv_error *err);

/* --- idv_region.c: parses a table of entries and reads no more of it than needed --- */

typedef struct dvi_idv_region {
    dvi_map *map;
    int64_t at, end; /* offset of the next entry, and of the region's end */
    size_t window;   /* bytes to read at a time */
    dvi_memory *memory;
    dvi_reader r;
} dvi_idv_region;

dv_status dvi_idv_region_start(dvi_idv_region *region, dvi_map *map, int64_t offset, int64_t end,
                               dv_error *err);
void dvi_idv_region_free(dvi_idv_region *region);
/* Let parse read one entry from the reader. If the window is too small, parse is called again from
 * the entry's start, so it must only write results. */
dv_status dvi_idv_region_parse(dvi_idv_region *region,
                               dv_status (*parse)(dvi_reader *r, void *ctx, dv_error *err),
                               void *ctx, dv_error *err);

/* --- idv_block_table.c, idv_block.c, idv_vector.c, idv_text.c: blocks --- */

/* Rows of block k. */
int64_t dvi_idv_block_rows(const dvi_idv_file *file, int64_t k);
/* Read and check n lookup entries of a column from entry k on (idv:3.2). memory: used if the file
 * is not mapped. */
dv_status dvi_idv_read_entries(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                               int64_t n, dvi_memory **memory, dvi_idv_block *blocks_out,
                               dv_error *err);

/* The same up to the first invalid entry; returns how many are valid. is_checked: the file's length
 * was checked just now. */
int64_t dvi_idv_sound_entries(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                              int64_t n, bool is_checked, dvi_memory **memory,
                              dvi_idv_block *blocks_out);

/* How to open a block. */
typedef struct dvi_idv_how {
    dvi_inflater *inflater; /* NULL when nothing is compressed */
    bool zero_copy_only;
    bool in_place; /* the layout may stay in the mapped file (dvi_request_in_place) */
    int64_t room;  /* bytes of memory that opening may take */
} dvi_idv_how;

/* Read, inflate and decode block k of a column; opened->column is then a view of its rows. */
dv_status dvi_idv_open_block(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                             dvi_idv_opened *opened, const dvi_idv_how *how, dv_error *err);
/* The same for a metadata value; the view has one row. */
dv_status dvi_idv_open_metadata(const dvi_idv_file *file, const dvi_idv_metadata *metadata,
                                dvi_idv_opened *opened, dvi_inflater *inflater, dv_error *err);
dv_status dvi_idv_open_slot_names(const dvi_idv_file *file, const dvi_idv_metadata *metadata,
                                  dvi_idv_opened *opened, dv_error *err);

/* The bytes of a block, and the limits of decoding them. */
typedef struct dvi_idv_content {
    dvi_reader r;     /* at the first byte */
    dv_owner *owner;  /* of the bytes */
    bool is_borrowed; /* the bytes belong to the mapped file */
    bool zero_copy_only, in_place, strict_text;
    size_t limit; /* most bytes to decode into, and the option that sets it */
    const char *limit_name;
    const dv_allocator *allocator;
    dvi_idv_opened *opened;
    size_t blamed; /* byte of the content that an error is about */
} dvi_idv_content;

/* Returns the file offset of byte `at` of the content, for an error, and records the byte. */
int64_t dvi_idv_blame(dvi_idv_content *content, size_t at);

/* Decode n values of a codec, which must use up the content, into opened->column. */
dv_status dvi_idv_open_content(dvi_idv_content *content, const dvi_idv_codec *codec, int64_t n,
                               dv_error *err);
/* The bytes of n values of a fixed-width encoding; -1 if n does not determine them. */
int64_t dvi_idv_fixed_nbytes(const dvi_idv_codec *codec, int64_t n);
/* The rule that describes the encoding: "idv:5.2". */
const char *dvi_idv_encoding_rule(dvi_idv_encoding encoding);

/* Decode n scalar values into view. */
dv_status dvi_idv_open_scalars(dvi_idv_content *content, const dvi_idv_codec *codec, int64_t n,
                               dv_column_view *view, dv_error *err);
dv_status dvi_idv_open_text(dvi_idv_content *content, int64_t n, dv_column_view *view,
                            dv_error *err);
dv_status dvi_idv_open_vectors(dvi_idv_content *content, const dvi_idv_codec *codec, int64_t n,
                               dvi_column *column, dv_error *err);
dv_status dvi_idv_open_byte_strings(dvi_idv_content *content, int64_t n, dv_column_view *view,
                                    dv_error *err);

/* --- idv_contiguous.c: contiguous stored blocks of numbers, used or read as one --- */

/* Blocks of a column at equal distances: block first + i is at offset + i * distance, and its entry
 * is valid. */
typedef struct dvi_idv_series {
    int64_t first, blocks, offset, distance;
} dvi_idv_series;

/* What is known of a column of such blocks, and those that were opened last. Start from zeros; free
 * with dvi_memory_release(&stored). */
typedef struct dvi_idv_run {
    dvi_idv_series series;
    int64_t offset, nbytes; /* of all of them; 0: none yet */
    dvi_memory *stored;     /* their bytes, if the file is not mapped */
} dvi_idv_run;

/* How many blocks from k on, at most `most`, are contiguous and can be opened as one; 0: open block
 * k alone, it may be invalid. Only for columns of scalars that are stored uncompressed as
 * DVI_IDV_RAW. is_checked: start from false; of many columns the first that is read checks the
 * file's length. */
int64_t dvi_idv_count_contiguous(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                                 int64_t most, dvi_idv_run *run, bool *is_checked);
/* Find block k of such a column in the mapped file, and the blocks after it at the same distance.
 * DV_OK; DV_NOT_FOUND: open block k alone, it may be invalid; DV_ERR_IO. */
dv_status dvi_idv_locate(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                         dvi_located *located_out, dv_error *err);
/* Open n such blocks, as a view of all their rows. Check the file's length before touching them. */
dv_status dvi_idv_open_contiguous(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                                  int64_t n, dvi_idv_run *run, dv_column_view *view_out,
                                  dv_error *err);

/* The alignment of values of a width. */
static inline size_t dvi_idv_alignment_of(size_t width)
{
    return width == 16 ? 8 : width;
}

/* The next nbytes of the content as a buffer. The caller has checked that the reader holds them. */
dv_buffer dvi_idv_take(dvi_idv_content *content, size_t nbytes, size_t width);
/* Get a buffer for nbytes of the layout from byte `at` on: ends of texts; lengths, counts and
 * indices of vectors. It is the content itself, or *memory, reserved, if the content is mapped: the
 * caller then copies the bytes as it checks them, so that they stay what was checked even if the
 * file changes.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_idv_reserve_layout(dvi_idv_content *content, size_t at, size_t nbytes,
                                 dvi_memory **memory, dv_buffer *buffer_out, dv_error *err);
/* Reserve memory to decode into. DV_ERR_COPY if copies are forbidden; DV_ERR_LIMIT;
 * DV_ERR_MEMORY. */
dv_status dvi_idv_decode_into(dvi_idv_content *content, size_t nbytes, const char *why,
                              dv_error *err);

/* --- idv_cursor.c, idv_inspect.c, idv_verify.c --- */

dv_status dvi_idv_metadata_load(void *file, int64_t number, const dv_batch **batch_out,
                                dv_error *err);
dv_status dvi_idv_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                              dv_error *err);
dv_status dvi_idv_next(void *cursor, dv_batch *batch, dv_error *err);
void dvi_idv_close_cursor(void *cursor);
dv_status dvi_idv_inspect(void *self, struct dv_facts *facts, dv_error *err);
dv_status dvi_idv_verify(void *self, const struct dv_verify_options *options, dv_error *err);

#endif
