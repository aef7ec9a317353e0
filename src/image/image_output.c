/* SPDX-License-Identifier: MIT */
/* image_output.c: makes buffers of columns, and notes sizes of pictures. */
#include "image/image_output.h"
#include "image/picture.h"
#include <dataview/value.h>
#include <string.h>

/* --- Buffers ---------------------------------------------------------------------------------- */

dv_status dvi_output_create(dv_buffer *buffer_out, void **data_out, size_t nbytes, size_t width,
                            dvi_pool *pool, const dv_allocator *allocator, dv_error *err)
{
    *data_out = pool ? dvi_pool_take(pool, nbytes) : dvi_block_create(nbytes, allocator);
    if (!*data_out)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory for a column");
    const dv_status status = dv_buffer_wrap(buffer_out, *data_out, nbytes, width, dvi_block_free,
                                            *data_out, allocator, err);
    buffer_out->is_borrowed = false; /* whoever keeps rows counts the memory */
    if (status != DV_OK)
        dvi_block_free(*data_out);
    return status;
}

/* --- Sizes ------------------------------------------------------------------------------------ */

dv_status dvi_size_note(dv_schema *schema, int32_t column, int32_t width, int32_t height,
                        const dv_allocator *allocator, dv_error *err)
{
    static const int32_t dense = -1; /* it has all its slots */
    void *data;
    const int32_t sides[2] = {height, width};
    dv_column_view items = {.type = dv_type_of(DV_KIND_I4), .layout = DV_LAYOUT_FIXED, .rows = 2};
    dv_column_view value = {
        .type = dv_type_vector(items.type, 2), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    dv_status status = dvi_output_create(&items.as.fixed.values, &data, sizeof sides, sizeof *sides,
                                         NULL, allocator, err);
    if (status != DV_OK)
        return status;
    memcpy(data, sides, sizeof sides);
    value.as.vector =
        (dv_vector_layout){.length = 2,
                           .counts = {.data = &dense, .nbytes = sizeof dense, .is_aligned = true},
                           .items = &items};
    status = dv_schema_add_metadata(schema, column, dv_text_of(DV_PICTURE_SIZE), &value, err);
    dv_buffer_release(&items.as.fixed.values);
    return status;
}

dv_status dvi_size_read(int32_t *width_out, int32_t *height_out, const dv_schema *schema,
                        int32_t column, dv_error *err)
{
    int32_t i;
    const dv_batch *batch;
    const dv_type wanted = dv_type_vector(dv_type_of(DV_KIND_I4), 2);
    dv_status status = dv_schema_find_metadata(schema, column, dv_text_of(DV_PICTURE_SIZE), &i);
    if (status != DV_OK)
        return status;
    if (!dv_type_equal(&dv_schema_metadata(schema, column, i)->type, &wanted))
        return DV_NOT_FOUND;
    status = dv_schema_metadata_value(schema, column, i, &batch, err);
    if (status != DV_OK)
        return status;
    int32_t sides[2] = {0, 0};
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    for (int32_t k = 0; k < dv_value_items(&value); k++) {
        const dv_value item = dv_value_item(&value, k);
        sides[dv_value_slot(&value, k)] = dv_value_i4(&item);
    }
    dv_batch_release(&batch);
    *height_out = sides[0];
    *width_out = sides[1];
    const bool is_sound = sides[0] >= 1 && sides[0] <= DVI_PICTURE_SIDE_MAX && sides[1] >= 1 &&
                          sides[1] <= DVI_PICTURE_SIDE_MAX;
    return is_sound ? DV_OK : DV_NOT_FOUND;
}
