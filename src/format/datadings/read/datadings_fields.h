/* SPDX-License-Identifier: MIT */
/* datadings_fields.h: which keys do the messages have, and what was seen there?
 *
 * A tree: field 0 is the message itself, its children are the keys of the message, theirs the keys
 * of maps in it.  It grows while samples are looked at; then it is fixed, and any thread may read
 * it. */
#ifndef DVI_DATADINGS_FIELDS_H
#define DVI_DATADINGS_FIELDS_H

#include "base/arena.h"
#include "base/hashtab.h"
#include "base/load.h"
#include "format/datadings/read/datadings_profile.h"
#include <string.h>

typedef struct dvi_datadings_field {
    dv_text key;         /* arena */
    const uint8_t *form; /* the same as the shortest str: its head, then the key */
    size_t form_nbytes;
    uint64_t short_form,
        short_mask; /* its first bytes, at most eight, and which of eight these are */
    int32_t parent, next, first, last, children; /* next of its parent; its own; -1: none */
    int32_t level;       /* how many maps are around: 0 for a key of the message, -1: field 0 */
    int32_t column;      /* of the schema, -1: none */
    dvi_hashtab *by_key; /* of many children; NULL: walk over them */
    dvi_datadings_profile sight;
    /* While a sample is looked at: where its value starts, if it has one. */
    const uint8_t *at;
    int64_t sample;
} dvi_datadings_field;

typedef struct dvi_datadings_fields {
    dvi_arena arena;
    dvi_datadings_field *field;
    size_t n, cap;
} dvi_datadings_fields;

dv_status dvi_datadings_fields_init(dvi_datadings_fields *fields, const dv_allocator *allocator,
                                    dv_error *err);
void dvi_datadings_fields_free(dvi_datadings_fields *fields);

/* The child of that key; -1: there is none. */
int32_t dvi_datadings_fields_find(const dvi_datadings_fields *fields, int32_t parent, dv_text key);
/* The same, made when there is none. */
dv_status dvi_datadings_fields_add(dvi_datadings_fields *fields, int32_t parent, dv_text key,
                                   int32_t *child_out, dv_error *err);

/* Does the reader stand on the key of this field, in its usual form?  Then it passes it. */
static inline bool dvi_datadings_field_is_next(const dvi_datadings_field *field,
                                               dvi_msgpack_reader *r)
{
    const size_t n = field->form_nbytes, left = (size_t)(r->end - r->at);
    const bool is_next =
        left >= 8 ? ((dvi_load_u64(r->at) ^ field->short_form) & field->short_mask) == 0 &&
                        (n <= 8 || (n <= left && memcmp(r->at + 8, field->form + 8, n - 8) == 0))
                  : n <= left && memcmp(r->at, field->form, n) == 0;
    r->at += is_next ? n : 0;
    return is_next;
}

/* "a.b", the name of the column that the field is: bytes that it has, or it is written. */
size_t dvi_datadings_field_path(const dvi_datadings_fields *fields, int32_t field, char *dst);

#endif
