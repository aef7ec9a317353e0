/* SPDX-License-Identifier: MIT */
/* model_part.h: a part of a model of ML.NET, Model.key in a folder of its zip (modelzip:2). */
#ifndef DVI_MLNET_MODEL_PART_H
#define DVI_MLNET_MODEL_PART_H

#include "base/arena.h"
#include "base/reader.h"
#include "mlnet/zip.h"

/* "TERMTRNF", with blanks in the place of NULs. */
typedef struct dvi_model_name {
    char text[9];
} dvi_model_name;

/* A part, whose fields are read in order with the functions below. */
typedef struct dvi_model_part {
    dvi_zip *zip;
    dvi_arena *arena; /* of its bytes, and of what is read */
    dv_text folder;   /* ends in / */
    dvi_model_name signature;
    dv_text loader;             /* the name that ML.NET loads it by */
    uint32_t version, readable; /* low halves: of the writer, and the oldest that can read it */
    dvi_reader fields;
    const uint8_t *ends, *characters; /* of its strings */
    dv_text *texts;                   /* the strings that were read; NULL data: not yet */
    int32_t strings;
} dvi_model_part;

/* The entry of that name in the folder of a part; NULL: none. */
const dvi_zip_entry *dvi_model_entry(const dvi_model_part *in, const char *name);

/* Open the part of a folder, and check all but its fields. in_folder: with / at its end, or empty.
 *
 * DV_OK
 * DV_ERR_CORRUPT      there is none, or it is damaged
 * DV_ERR_UNSUPPORTED  a later version of the header
 * DV_ERR_MEMORY */
dv_status dvi_model_open_part(dvi_model_part *part_out, dvi_zip *zip, dvi_arena *arena,
                              dv_text folder, dv_error *err);
/* The same for a part in another file of the folder. */
dv_status dvi_model_open_file(dvi_model_part *part_out, dvi_zip *zip, dvi_arena *arena,
                              dv_text folder, const char *file, dv_error *err);
/* The same for the folder of that name in the folder of another part. */
dv_status dvi_model_open_inner(dvi_model_part *part_out, const dvi_model_part *in,
                               const char *folder, dv_error *err);

/* Check its signature, and that this library can read its version: DV_ERR_CORRUPT,
 * DV_ERR_UNSUPPORTED. */
dv_status dvi_model_check_part(const dvi_model_part *part, const char *signature, uint32_t version,
                               dv_error *err);
/* Check that all fields have been read: DV_ERR_CORRUPT. */
dv_status dvi_model_end_part(const dvi_model_part *part, dv_error *err);

/* --- Fields ----------------------------------------------------------------------------------- */

/* Each returns DV_OK; DV_ERR_CORRUPT: the field is not inside the part, or outside its range; or,
 * where it allocates, DV_ERR_MEMORY. */
dv_status dvi_model_i32(dvi_model_part *part, int32_t *value_out, int32_t least, int32_t most,
                        const char *what, dv_error *err);
dv_status dvi_model_flag(dvi_model_part *part, bool *value_out, const char *what, dv_error *err);
dv_status dvi_model_u8(dvi_model_part *part, uint8_t *value_out, uint8_t most, const char *what,
                       dv_error *err);
/* A number of items that have so many bytes each, or more. */
dv_status dvi_model_count(dvi_model_part *part, int32_t *count_out, int32_t least, size_t nbytes,
                          const char *what, dv_error *err);
/* Bytes, which stay valid as long as the arena. */
dv_status dvi_model_bytes(dvi_model_part *part, const uint8_t **bytes_out, size_t nbytes,
                          const char *what, dv_error *err);
/* The string of the next number, as UTF-8. DV_ERR_UNSUPPORTED: it has half a surrogate pair. */
dv_status dvi_model_string(dvi_model_part *part, dv_text *text_out, const char *what,
                           dv_error *err);
/* n of them. */
dv_status dvi_model_strings(dvi_model_part *part, dv_text **texts_out, int32_t n, const char *what,
                            dv_error *err);
/* The same, but -1 is NA. */
dv_status dvi_model_string_or_none(dvi_model_part *part, dv_text *text_out, const char *what,
                                   dv_error *err);

/* Write a character of Unicode. Returns its bytes, 4 at most. */
size_t dvi_model_utf8(char *dst, uint32_t code);

/* Say in which part the error is. */
dv_status dvi_model_within(const dvi_model_part *part, dv_status status, dv_error *err);

#endif
