/* SPDX-License-Identifier: MIT */
/* tf_lpnorm.h: vectors that are scaled to the same norm (semantics:7.16; ML.NET: LpNormNormalizer,
 * GlobalContrastNormalizer). */
#ifndef DVI_TRANSFORM_TF_LPNORM_H
#define DVI_TRANSFORM_TF_LPNORM_H

#include "transform/mapper.h"

/* In the order of the words of the option `norm`. */
typedef enum dvi_norm { DVI_NORM_L2, DVI_NORM_L1, DVI_NORM_MAX, DVI_NORM_DEVIATION } dvi_norm;

typedef struct dvi_lpnorm_options {
    dvi_norm norm;
    bool subtracts_mean; /* of all slots, first */
    float scale;         /* the norm of the result */
} dvi_lpnorm_options;

/* Plan the column (mapper.h). options: dvi_lpnorm_options. Sums are R4, of the items as they are
 * stored, in four lanes. DV_ERR_ARGUMENT: no vector of R4 of known size. DV_ERR_MEMORY. */
dv_status dvi_lpnorm_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                          int32_t column, const void *options, dv_error *err);

#endif
