/* SPDX-License-Identifier: MIT */
/* reader.h: reads fields from a region of bytes.
 *
 * A reader never reads outside its region. After the first read that fails, all reads return zeros
 * and do not advance; the reader keeps the offset of the field and the fault. So a group of reads
 * is checked once, with DVI_REQUIRE_READ. */
#ifndef DVI_BASE_READER_H
#define DVI_BASE_READER_H

#include "base/check.h"
#include "base/load.h"
#include <dataview/type.h>

typedef enum dvi_reader_fault {
    DVI_READ_FINE,
    DVI_READ_MORE,     /* the field continues after the available bytes, inside the region */
    DVI_READ_SHORT,    /* the region ends inside the field */
    DVI_READ_LEB64,    /* more than ten bytes, or over 2^64-1 */
    DVI_READ_STR,      /* a string length of more than five bytes, or over 2^31-1 */
    DVI_READ_STR_SHORT /* a string longer than the rest of the region */
} dvi_reader_fault;

typedef struct dvi_reader {
    const uint8_t *data;
    size_t n, at;   /* available bytes; the next one */
    size_t after;   /* bytes of the region that follow them and can be loaded (DVI_READ_MORE) */
    int64_t offset; /* in the file, of data[0] */
    bool is_block;  /* data was inflated: every byte has the offset of its stored block */
    dvi_reader_fault fault;
    size_t fault_at, fault_need; /* start of the field, and the bytes that it needs */
} dvi_reader;

static inline dvi_reader dvi_reader_of(const void *data, size_t n, int64_t offset, bool is_block)
{
    return (dvi_reader){.data = data, .n = n, .offset = offset, .is_block = is_block};
}

/* The number of bytes left in the region. */
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

/* End the region nbytes (at most those left) after the current position; and restore its end. */
typedef struct dvi_reader_end {
    size_t n, after;
} dvi_reader_end;
dvi_reader_end dvi_reader_narrow(dvi_reader *r, size_t nbytes);
void dvi_reader_widen(dvi_reader *r, dvi_reader_end end);

/* The next nbytes; NULL: the reader has failed. Never NULL for 0 bytes unless it failed before. */
const uint8_t *dvi_read_bytes(dvi_reader *r, size_t nbytes);

uint8_t dvi_read_u8(dvi_reader *r);
int32_t dvi_read_i32_le(dvi_reader *r);
int64_t dvi_read_i64_le(dvi_reader *r);
uint64_t dvi_read_u64_le(dvi_reader *r);
/* Unsigned LEB128, at most ten bytes (idv:1). */
uint64_t dvi_read_leb64(dvi_reader *r);
/* A LEB128 length and as many bytes, not checked for UTF-8 (idv:1). */
dv_text dvi_read_str(dvi_reader *r);

/* Record a fault at byte `at`, unless there is one already. */
void dvi_reader_fail(dvi_reader *r, dvi_reader_fault fault, size_t at, size_t need);

/* Report the fault of a reader: DV_ERR_CORRUPT. `rule` is the rule of the region; `encoding_rule`
 * is that of LEB128 and strings. */
dv_status dvi_reader_failure(const dvi_reader *r, const char *rule, const char *encoding_rule,
                             const char *what, dv_error *err);

/* As in base/error.h: never DV_OK. */
#if defined(__clang_analyzer__) && !defined(DVI_READER_C)
#define dvi_reader_failure(...) (dvi_reader_failure(__VA_ARGS__), DV_ERR_CORRUPT)
#endif

#define DVI_REQUIRE_READ(err, r, rule, encoding_rule, what)                                        \
    DVI_REQUIRE((r)->fault == DVI_READ_FINE, dvi_reader_failure(r, rule, encoding_rule, what, err))

#endif
