/* SPDX-License-Identifier: MIT */
/* part_block.h: reads the parts of a predictor, which may come from anyone. */
#ifndef DVI_PREDICT_PART_BLOCK_H
#define DVI_PREDICT_PART_BLOCK_H

#include "base/arena.h"
#include "base/hashtab.h"
#include "base/reader.h"
#include "predict/predictor.h"

/* All parts. */
typedef struct dvi_parts {
    const dvi_predictor_part *part;
    int32_t n;
    dvi_hashtab by_folder;
    dvi_arena *arena; /* for lists */
} dvi_parts;

/* A part whose fields are read in order. */
typedef struct dvi_block {
    const dvi_parts *all;
    const dvi_predictor_part *part;
    dvi_reader fields;
    int32_t depth; /* of parts around it */
} dvi_block;

/* Open the part of a folder inside another part's: "Predictor/"; in NULL: the outermost, "".
 * DV_OK; DV_ERR_CORRUPT: there is none; DV_ERR_MEMORY. */
dv_status dvi_block_open(dvi_block *block_out, const dvi_parts *all, const dvi_block *in,
                         const char *folder, dv_error *err);

/* --- Fields ----------------------------------------------------------------------------------- */

/* Each returns DV_OK; DV_ERR_CORRUPT, by that rule: the field is not inside the block, or outside
 * its range; or, where it allocates, DV_ERR_MEMORY. Lists are copies in the arena. */
dv_status dvi_block_i32(dvi_block *b, int32_t *value_out, int32_t least, int32_t most,
                        const char *rule, const char *what, dv_error *err);
dv_status dvi_block_u8(dvi_block *b, uint8_t *value_out, uint8_t most, const char *rule,
                       const char *what, dv_error *err);
dv_status dvi_block_f32(dvi_block *b, float *value_out, const char *rule, const char *what,
                        dv_error *err);
dv_status dvi_block_f64(dvi_block *b, double *value_out, const char *rule, const char *what,
                        dv_error *err);
/* The bytes of R4, with which most blocks begin. */
dv_status dvi_block_size(dvi_block *b, dv_error *err);
/* A number of items, which take at least nbytes each. */
dv_status dvi_block_count(dvi_block *b, int32_t *count_out, size_t nbytes, const char *rule,
                          const char *what, dv_error *err);
dv_status dvi_block_i32s(dvi_block *b, const int32_t **list_out, size_t n, const char *rule,
                         const char *what, dv_error *err);
dv_status dvi_block_f32s(dvi_block *b, const float **list_out, size_t n, const char *rule,
                         const char *what, dv_error *err);
dv_status dvi_block_f64s(dvi_block *b, const double **list_out, size_t n, const char *rule,
                         const char *what, dv_error *err);
/* Pass a list that is not needed: a number of items of `width` bytes, and the items. */
dv_status dvi_block_skip(dvi_block *b, size_t width, const char *rule, const char *what,
                         dv_error *err);
/* All fields have been read, unless a later version wrote the block. */
dv_status dvi_block_end(const dvi_block *b, uint32_t version, dv_error *err);

/* --- Checks ----------------------------------------------------------------------------------- */

/* DV_ERR_CORRUPT at the last field. */
dv_status dvi_block_refuse(const dvi_block *b, const char *rule, const char *what,
                           const char *expected, dv_error *err);
/* n slots ascend, from 0 to below `end`. */
dv_status dvi_block_check_slots(const dvi_block *b, const int32_t *slots, size_t n, int32_t end,
                                dv_error *err);
dv_status dvi_block_check_finite(const dvi_block *b, const float *values, size_t n,
                                 const char *what, dv_error *err);

#endif
