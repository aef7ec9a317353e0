/* SPDX-License-Identifier: MIT */
/* image_output.h: buffers of columns that steps for pictures make. */
#ifndef DVI_IMAGE_OUTPUT_H
#define DVI_IMAGE_OUTPUT_H

#include "image/picture_memory.h"
#include <dataview/batch.h>
#include <dataview/schema.h>

/* Make a buffer of nbytes to be written, of elements of `width` bytes.  It holds one reference.
 * data_out is aligned to 64 bytes, of the pool, if there is one, else of the allocator.  DV_OK;
 * DV_ERR_MEMORY. */
dv_status dvi_output_create(dv_buffer *buffer_out, void **data_out, size_t nbytes, size_t width,
                            dvi_pool *pool, const dv_allocator *allocator, dv_error *err);

/* Note on a column that all its pictures have this size (DV_PICTURE_SIZE).  DV_OK; DV_ERR_MEMORY.
 */
dv_status dvi_size_note(dv_schema *schema, int32_t column, int32_t width, int32_t height,
                        const dv_allocator *allocator, dv_error *err);
/* Read it.  DV_OK; DV_NOT_FOUND; DV_ERR_*: as dv_schema_metadata_value. */
dv_status dvi_size_read(int32_t *width_out, int32_t *height_out, const dv_schema *schema,
                        int32_t column, dv_error *err);

#endif
