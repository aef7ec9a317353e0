/* SPDX-License-Identifier: MIT */
/* image_steps.h: the steps for pictures. */
#ifndef DVI_IMAGE_STEPS_H
#define DVI_IMAGE_STEPS_H

#include "image/image_options.h"
#include "image/image_output.h"
#include <dataview/image.h>

/* The rows of a batch, unless its reader says: of 224 x 224 x 3 R4 they have 38 MB. */
#define DVI_IMAGE_BATCH_ROWS 64

#define DVI_DECLARE(name)                                                                          \
    extern const dv_step_class dvi_class_##name;                                                   \
    extern const dv_transform_info dvi_info_##name;
DV_IMAGE_STEP_LIST(DVI_DECLARE)
#undef DVI_DECLARE

/* The class of a step, from its functions type_NAME and fill_NAME; what else it has follows. */
#define DVI_IMAGE_CLASS(name, ...)                                                                 \
    const dv_step_class dvi_class_##name = {.size = sizeof(dv_step_class),                         \
                                            .version = 1,                                          \
                                            .type = type_##name,                                   \
                                            .fill = fill_##name,                                   \
                                            .batch_rows = DVI_IMAGE_BATCH_ROWS,                    \
                                            __VA_ARGS__}
/* What lists say of it; its options follow. */
#define DVI_IMAGE_INFO(name_, ml_net_, summary_, ...)                                              \
    static const dv_step_option options_##name_[] = {__VA_ARGS__};                                 \
    const dv_transform_info dvi_info_##name_ = {.name = #name_,                                    \
                                                .ml_net = (ml_net_),                               \
                                                .summary = (summary_),                             \
                                                .columns = DV_STEP_COLUMNS_ONE,                    \
                                                .options = options_##name_,                        \
                                                .options_count = sizeof options_##name_ /          \
                                                                 sizeof *options_##name_}

/* The vector that pixels of this form and size make.  `dims` has room for three.
 * DV_OK; DV_ERR_ARGUMENT: more than 2^31-1 numbers. */
dv_status dvi_pixel_type(dv_type *type_out, int32_t *dims, const dvi_pixel_form *form,
                         int32_t width, int32_t height, dv_error *err);

/* What a column of such vectors needs in the memory of the step; it closes the pool at the end. */
typedef struct dvi_pixel_rows {
    dv_column_view items;
    dvi_pool *pool;
} dvi_pixel_rows;

/* Begin a column of such vectors: its numbers are to be written at *numbers_out, row after row.
 * DV_OK; DV_ERR_LIMIT: too many bytes in a batch; DV_ERR_MEMORY. */
dv_status dvi_pixel_column(dv_column_view *values_out, dvi_pixel_rows *rows, void **numbers_out,
                           const dv_step_filling *filling, dv_error *err);
/* Give it back after a failure. */
void dvi_pixel_column_drop(dv_column_view *values, dvi_pixel_rows *rows);

#endif
