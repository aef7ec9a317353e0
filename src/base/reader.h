/* SPDX-License-Identifier: MIT */
/* reader.h: is the next field there?
 *
 * A reader walks over a region of bytes and never leaves it.  After the first read that does not
 * fit it yields zeros and stays where it was, remembering the field's offset and what was wrong, so
 * a group of reads is checked once, with DVI_REQUIRE_READ. */
#ifndef DVI_BASE_READER_H
#define DVI_BASE_READER_H

#include "base/check.h"
#include "base/load.h"
#include <dataview/type.h>

typedef enum dvi_reader_fault {
    DVI_READ_FINE,
    DVI_READ_MORE,     /* the field goes on after the bytes at hand, inside the region */
    DVI_READ_SHORT,    /* the region ends inside the field */
    DVI_READ_LEB64,    /* more than ten bytes, or over 2^64-1 */
    DVI_READ_STR,      /* a string length of more than five bytes, or over 2^31-1 */
    DVI_READ_STR_SHORT /* a string that is longer than what is left */
} dvi_reader_fault;

typedef struct dvi_reader {
    const uint8_t *data;
    size_t n, at;   /* bytes at hand; the next one */
    size_t after;   /* bytes of the region that follow them and can be had (DVI_READ_MORE) */
    int64_t offset; /* in the file, of data[0] */
    bool is_block;  /* data was inflated: every byte has the offset of its stored block */
    dvi_reader_fault fault;
    size_t fault_at, fault_need; /* the field, and how many bytes it wanted */
} dvi_reader;

static inline dvi_reader dvi_reader_of(const void *data, size_t n, int64_t offset, bool is_block)
{
    return (dvi_reader){.data = data, .n = n, .offset = offset, .is_block = is_block};
}

/* Bytes of the region after the current place. */
static inline size_t dvi_reader_left(const dvi_reader *r)
{
    return r->n - r->at + r->after;
}

/* The file offset of byte `at` of the region, or of the next field. */
static inline int64_t dvi_reader_offset_of(const dvi_reader *r, size_t at)
{
    return r->is_block ? r->offset : r->offset + (int64_t)at;
}

static inline int64_t dvi_reader_offset(const dvi_reader *r)
{
    return dvi_reader_offset_of(r, r->at);
}

/* End the region nbytes (at most what is left) after the current place, and undo that; between the
 * two calls the reader stays inside. */
typedef struct dvi_reader_end {
    size_t n, after;
} dvi_reader_end;
dvi_reader_end dvi_reader_narrow(dvi_reader *r, size_t nbytes);
void dvi_reader_widen(dvi_reader *r, dvi_reader_end end);

/* The next nbytes, or NULL; an empty run is never NULL unless the reader failed before. */
const uint8_t *dvi_read_bytes(dvi_reader *r, size_t nbytes);

uint8_t dvi_read_u8(dvi_reader *r);
int32_t dvi_read_i32_le(dvi_reader *r);
int64_t dvi_read_i64_le(dvi_reader *r);
uint64_t dvi_read_u64_le(dvi_reader *r);
/* Unsigned LEB128, at most ten bytes (idv:1). */
uint64_t dvi_read_leb64(dvi_reader *r);
/* A 7-bit encoded length and that many bytes, not checked for UTF-8 (idv:1). */
dv_text dvi_read_str(dvi_reader *r);

/* Remember a fault at byte `at`, unless there is one. */
void dvi_reader_fail(dvi_reader *r, dvi_reader_fault fault, size_t at, size_t need);

/* The failure of a reader that has one: DV_ERR_CORRUPT.  rule is that of the region; faults of
 * LEB128 and strings have their own, `encoding_rule`. */
dv_status dvi_reader_failure(const dvi_reader *r, const char *rule, const char *encoding_rule,
                             const char *what, dv_error *err);

#define DVI_REQUIRE_READ(err, r, rule, encoding_rule, what)                                        \
    DVI_REQUIRE((r)->fault == DVI_READ_FINE, dvi_reader_failure(r, rule, encoding_rule, what, err))

#endif
