/* SPDX-License-Identifier: MIT */
/* datadings_fields.h: the keys of messages and of the maps in them, with profiles of their values.
 *
 * A tree: field 0 is the message itself, its children are the keys of the message, and so on. It
 * grows during inference. Then it is constant, and any thread may read it. */
#ifndef DVI_DATADINGS_FIELDS_H
#define DVI_DATADINGS_FIELDS_H

#include "base/arena.h"
#include "base/hashtab.h"
#include "base/load.h"
#include "format/datadings/read/datadings_profile.h"
#include <string.h>

typedef struct dvi_datadings_field {
    dv_text key;            /* arena */
    const uint8_t *encoded; /* the key as the shortest str: head and text */
    size_t encoded_nbytes;
    uint64_t prefix, prefix_mask;  /* the first eight bytes of `encoded`; 0xFF where it has one */
    int32_t parent, next;          /* next child of the parent; -1: none */
    int32_t first, last, children; /* its own; -1: none */
    int32_t level;                 /* nesting: 0 for a key of the message, -1 for field 0 */
    int32_t column;                /* of the schema, -1: none */
    dvi_hashtab *by_key;           /* finds children; NULL: they are few, and searched one by one */
    dvi_datadings_profile profile;
    int64_t present; /* samples with a value, nil included */
    /* During inference: the value in `sample`. */
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

/* The child with this key; -1: none. */
int32_t dvi_datadings_fields_find(const dvi_datadings_fields *fields, int32_t parent, dv_text key);
/* Find the child, or make it. */
dv_status dvi_datadings_fields_add(dvi_datadings_fields *fields, int32_t parent, dv_text key,
                                   int32_t *child_out, dv_error *err);

/* Add the fields of another tree, their profiles, and the samples that have them. */
dv_status dvi_datadings_fields_join(dvi_datadings_fields *fields, const dvi_datadings_fields *from,
                                    dv_error *err);
/* Leave field 0 only. Texts and profiles stay in the arena. */
void dvi_datadings_fields_clear(dvi_datadings_fields *fields);

/* Skip the key of this field, encoded as the shortest str. false: the next bytes are not this key.
 */
static inline bool dvi_datadings_field_is_next(const dvi_datadings_field *field,
                                               dvi_msgpack_reader *r)
{
    const size_t n = field->encoded_nbytes, left = (size_t)(r->end - r->at);
    const bool is_next =
        left >= 8 ? ((dvi_load_u64(r->at) ^ field->prefix) & field->prefix_mask) == 0 &&
                        (n <= 8 || (n <= left && memcmp(r->at + 8, field->encoded + 8, n - 8) == 0))
                  : n <= left && memcmp(r->at, field->encoded, n) == 0;
    r->at += is_next ? n : 0;
    return is_next;
}

/* Write the name of the field's column, such as "a.b", to dst unless dst is NULL; return its length
 * in bytes. */
size_t dvi_datadings_field_path(const dvi_datadings_fields *fields, int32_t field, char *dst);

#endif
