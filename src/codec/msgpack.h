/* SPDX-License-Identifier: MIT */
/* msgpack.h: what is the next value of a msgpack message?  (datadings:3.2)
 *
 * A reader pulls one token after the other out of bytes that it never leaves.  Every form of the
 * specification is read, shortest or not; what a token claims is checked against the bytes that are
 * left, so neither memory nor time follows a number that the bytes cannot back.  Nothing here
 * allocates.  A call that answers false has not moved the reader, and dvi_msgpack_failure says what
 * is wrong there: it costs nothing to be able to fail. */
#ifndef DVI_CODEC_MSGPACK_H
#define DVI_CODEC_MSGPACK_H

#include "base/check.h"

/* Most containers around a value, as the reference has it. */
#define DVI_MSGPACK_NESTING 1024

typedef enum dvi_msgpack_kind {
    DVI_MSGPACK_NIL,
    DVI_MSGPACK_BOOL,     /* u: 0 or 1 */
    DVI_MSGPACK_UINT,     /* u: from zero on, also when written with a sign */
    DVI_MSGPACK_NEGATIVE, /* i: below zero */
    DVI_MSGPACK_F4,       /* u: the 32 bits */
    DVI_MSGPACK_F8,       /* u: the 64 bits */
    DVI_MSGPACK_STR,      /* n bytes at data; not checked for UTF-8 */
    DVI_MSGPACK_BIN,      /* n bytes at data */
    DVI_MSGPACK_EXT,      /* n bytes at data, of ext_type */
    DVI_MSGPACK_ARRAY,    /* n values follow: at most as many as there are bytes */
    DVI_MSGPACK_MAP       /* n pairs follow: at most half as many as there are bytes */
} dvi_msgpack_kind;

typedef struct dvi_msgpack {
    dvi_msgpack_kind kind;
    uint32_t n;
    int8_t ext_type;
    union {
        uint64_t u;
        int64_t i;
        const uint8_t *data; /* inside the bytes of the reader */
    };
} dvi_msgpack;

/* Why did a call answer false? */
typedef enum dvi_msgpack_fault {
    DVI_MSGPACK_BROKEN, /* the token's own bytes tell */
    DVI_MSGPACK_DEEP,
    DVI_MSGPACK_KEY, /* a container as the key of a map */
    DVI_MSGPACK_TEXT
} dvi_msgpack_fault;

typedef struct dvi_msgpack_reader {
    const uint8_t *at;    /* the next token; may equal end */
    const uint8_t *start; /* the byte that lies at `offset` of the file */
    int64_t offset;
    const uint8_t *end; /* not beside `at`: both as one load would wait for the store of one */
    int32_t nesting; /* most containers around a value, 1..DVI_MSGPACK_NESTING: the open option */
    dvi_msgpack_fault fault;
} dvi_msgpack_reader;

static inline dvi_msgpack_reader dvi_msgpack_reader_of(const void *data, size_t n, int64_t offset,
                                                       int32_t nesting)
{
    const uint8_t *p = (const uint8_t *)data;
    return (dvi_msgpack_reader){p, p, offset, p + n, nesting, DVI_MSGPACK_BROKEN};
}

/* Where in the file is the next token? */
static inline int64_t dvi_msgpack_offset(const dvi_msgpack_reader *r)
{
    return r->offset + (r->at - r->start);
}

/* The next token.  false: there is none that is whole and sound. */
bool dvi_msgpack_read_any(dvi_msgpack_reader *r, dvi_msgpack *token_out);

/* The same; small numbers and short texts without a call. */
static inline bool dvi_msgpack_read(dvi_msgpack_reader *r, dvi_msgpack *token_out)
{
    const size_t left = (size_t)(r->end - r->at);
    const uint8_t first = left > 0 ? *r->at : 0xC1;
    const uint32_t n = first & 0x1F;
    token_out->n = n;
    if (first < 0x80) {
        token_out->kind = DVI_MSGPACK_UINT;
        token_out->u = first;
        r->at++;
        return true;
    }
    if (first < 0xA0 || first >= 0xC0 || n >= left)
        return dvi_msgpack_read_any(r, token_out);
    token_out->kind = DVI_MSGPACK_STR;
    token_out->data = r->at + 1;
    r->at += 1 + n;
    return true;
}

/* Pass one whole value, whatever lies in it; `depth` containers are around it already.  false: the
 * reader stands on the token that is wrong: broken, too deep, or a container as the key of a map.
 */
bool dvi_msgpack_skip(dvi_msgpack_reader *r, int32_t depth);
/* The same, and false also for a str that is not UTF-8. */
bool dvi_msgpack_check(dvi_msgpack_reader *r, int32_t depth);

/* Is a str token UTF-8, strictly? */
bool dvi_msgpack_is_utf8(const dvi_msgpack *str);

/* What is wrong with the token on which a reader stopped, as an error with its offset:
 * DV_ERR_CORRUPT by the rows of datadings:8, "datadings:8.24" for the first;
 * DV_ERR_LIMIT "nesting". */
dv_status dvi_msgpack_failure(const dvi_msgpack_reader *r, dv_error *err);

/* "str", "map", ... for a sentence. */
const char *dvi_msgpack_kind_name(dvi_msgpack_kind kind);

#endif
