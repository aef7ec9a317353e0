/* SPDX-License-Identifier: MIT */
/* model_file.h: golden models of ML.NET, whole and damaged. A name is the model's folder in
 * tests/golden: "model-zip/hash". */
#ifndef DVT_MODEL_FILE_H
#define DVT_MODEL_FILE_H

#include "support/zip_made.h"
#include <dataview/pipeline.h>

dv_status dvt_model_open(dv_fitted **fitted_out, const void *bytes, size_t n, bool until_unknown,
                         const dv_allocator *allocator, dv_error *err);
/* Open the model that has these parts. */
dv_status dvt_model_open_parts(dv_fitted **fitted_out, const dvt_zip_parts *parts,
                               bool until_unknown, dv_error *err);
/* The bytes of a model, to be freed; its parts; one of them by its whole name. */
uint8_t *dvt_model_read(const char *name, size_t *nbytes_out);
void dvt_model_take(dvt_zip_parts *parts, const char *name);
dvt_zip_part *dvt_model_part(dvt_zip_parts *parts, const char *name);

/* Cut the file, change its bytes, or change the bytes of its parts: it opens, or an error says what
 * is wrong. */
void dvt_model_cut(const char *name);
void dvt_model_change_bytes(const char *name);
void dvt_model_change_fields(const char *name);

/* A number of 4 bytes in the fields of a part. */
typedef struct dvt_model_change {
    const char *model, *part;
    size_t at; /* offset among the fields */
    uint32_t value;
    dv_status status;
    const char *rule, *message;
} dvt_model_change;
/* Opening the model with this change fails as said. */
void dvt_model_check_change(const dvt_model_change *change);

/* Each allocation of opening and applying it fails once. */
void dvt_model_starve(const char *name);

#endif
