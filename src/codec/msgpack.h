/* SPDX-License-Identifier: MIT */
/* msgpack.h: reads tokens of a msgpack message (datadings:3.2).
 *
 * A reader never reads outside its bytes. It accepts every form of the specification, shortest or
 * not. The length that a token claims is checked against the bytes left, so a false length costs
 * neither memory nor time. Nothing here allocates. A read that returns false leaves the reader at
 * the token that is wrong, for which dvi_msgpack_failure makes the error; so reads that succeed do
 * no work for errors. */
#ifndef DVI_CODEC_MSGPACK_H
#define DVI_CODEC_MSGPACK_H

#include "base/check.h"

/* The most containers around a value, as in the reference. */
#define DVI_MSGPACK_NESTING 1024

typedef enum dvi_msgpack_kind {
    DVI_MSGPACK_NIL,
    DVI_MSGPACK_BOOL,     /* u: 0 or 1 */
    DVI_MSGPACK_UINT,     /* u: not negative, also if written in a signed form */
    DVI_MSGPACK_NEGATIVE, /* i: negative */
    DVI_MSGPACK_F4,       /* u: the 32 bits */
    DVI_MSGPACK_F8,       /* u: the 64 bits */
    DVI_MSGPACK_STR,      /* n bytes at data; not checked for UTF-8 */
    DVI_MSGPACK_BIN,      /* n bytes at data */
    DVI_MSGPACK_EXT,      /* n bytes at data, of ext_type */
    DVI_MSGPACK_ARRAY,    /* n values follow; n is at most the number of bytes left */
    DVI_MSGPACK_MAP       /* n pairs follow; n is at most half the number of bytes left */
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

/* Why a call returned false. */
typedef enum dvi_msgpack_fault {
    DVI_MSGPACK_BROKEN, /* the bytes of the token are wrong */
    DVI_MSGPACK_DEEP,
    DVI_MSGPACK_KEY, /* a container as the key of a map */
    DVI_MSGPACK_TEXT,
    DVI_MSGPACK_EXT_CODE, /* an ext of another type than 0 to 127 and -1 */
    DVI_MSGPACK_TIME      /* an ext of type -1 that is no time */
} dvi_msgpack_fault;

typedef struct dvi_msgpack_reader {
    const uint8_t *at;    /* the next token; may equal end */
    const uint8_t *start; /* the byte at `offset` of the file */
    int64_t offset;
    const uint8_t *end; /* not next to `at`: one load of both would wait for the store to `at` */
    int32_t nesting; /* most containers around a value, 1..DVI_MSGPACK_NESTING: the open option */
    dvi_msgpack_fault fault;
} dvi_msgpack_reader;

static inline dvi_msgpack_reader dvi_msgpack_reader_of(const void *data, size_t n, int64_t offset,
                                                       int32_t nesting)
{
    const uint8_t *p = (const uint8_t *)data;
    return (dvi_msgpack_reader){p, p, offset, p + n, nesting, DVI_MSGPACK_BROKEN};
}

/* The file offset of the next token. */
static inline int64_t dvi_msgpack_offset(const dvi_msgpack_reader *r)
{
    return r->offset + (r->at - r->start);
}

/* Read the next token. false: there is none, or it is broken. */
bool dvi_msgpack_read_any(dvi_msgpack_reader *r, dvi_msgpack *token_out);

/* The same, without a call for small numbers and short texts. */
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

/* Read the next token of bytes that were checked; nil if they are wrong by now, because a mapped
 * file has changed. */
static inline dvi_msgpack dvi_msgpack_next(dvi_msgpack_reader *r)
{
    dvi_msgpack token;
    if (!dvi_msgpack_read(r, &token))
        return (dvi_msgpack){.kind = DVI_MSGPACK_NIL};
    return token;
}

/* Skip one value with all values inside it; `depth` containers are around it. false: the reader is
 * at the token that is wrong: broken, too deep, or a container as the key of a map. */
bool dvi_msgpack_skip(dvi_msgpack_reader *r, int32_t depth);
/* The same, but a str that is not UTF-8 is wrong too, and an ext that Python's msgpack refuses. */
bool dvi_msgpack_check(dvi_msgpack_reader *r, int32_t depth);

/* What only dvi_msgpack_check refuses of a token that was read; DVI_MSGPACK_BROKEN: nothing. */
dvi_msgpack_fault dvi_msgpack_find_refused(const dvi_msgpack *token);
/* The seconds since 1970, and the rest, of an ext that is a time: not one that was refused. */
int64_t dvi_msgpack_seconds(const dvi_msgpack *time, uint32_t *ns_out);

/* Whether a str token is valid UTF-8. */
bool dvi_msgpack_is_utf8(const dvi_msgpack *str);

/* The error for the token at which a reader stopped, with its offset: DV_ERR_CORRUPT with a row of
 * datadings:8, such as "datadings:8.24"; DV_ERR_LIMIT "nesting". */
dv_status dvi_msgpack_failure(const dvi_msgpack_reader *r, dv_error *err);

/* The name of a kind for messages: "str", "map", ... */
const char *dvi_msgpack_kind_name(dvi_msgpack_kind kind);

#endif
