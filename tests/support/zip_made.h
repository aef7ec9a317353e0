/* SPDX-License-Identifier: MIT */
/* zip_made.h: takes zip files apart, and makes some of which all sizes and CRCs are right; changes
 * the parts of a model of ML.NET in them. */
#ifndef DVT_ZIP_MADE_H
#define DVT_ZIP_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DVT_ZIP_PARTS = 64 };

/* An entry. */
typedef struct dvt_zip_part {
    char name[256];
    uint8_t *data; /* malloc */
    size_t n;
} dvt_zip_part;

typedef struct dvt_zip_parts {
    dvt_zip_part part[DVT_ZIP_PARTS];
    size_t count;
} dvt_zip_parts;

/* Inflate all entries.  false: it is no zip file, or one of more or longer entries. */
bool dvt_zip_take(dvt_zip_parts *parts_out, const void *zip, size_t nbytes);
void dvt_zip_free(dvt_zip_parts *parts);

/* Add an entry, with a copy of the bytes. */
void dvt_zip_add(dvt_zip_parts *parts, const char *name, const void *data, size_t nbytes);

/* The fields of a Model.key (docs/spec/modelzip.md). */
enum { DVT_MODEL_HEADER = 256 };

/* The bytes of the fields; 0: there are none, or it is no Model.key. */
size_t dvt_model_fields(const dvt_zip_part *part);
/* Let a Model.key with fields have n bytes of others, and move what follows them. */
void dvt_model_set_fields(dvt_zip_part *part, const void *fields, size_t n);

/* Write a zip file of stored entries; free() it. */
uint8_t *dvt_zip_make(const dvt_zip_parts *parts, size_t *nbytes_out);

#endif
