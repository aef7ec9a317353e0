/* SPDX-License-Identifier: MIT */
/* opened.c: any bytes as a view. */
#include "opened.h"
#include "walk.h"
#include <stdlib.h>
#include <string.h>

#define INPUT_NBYTES ((size_t)1 << 17)

bool dvt_input_read(dvt_input *input_out, const uint8_t *data, size_t n)
{
    *input_out = (dvt_input){.n = n, .draws = dvt_hash_bytes(0, data, n)};
    if (n == 0 || n > INPUT_NBYTES)
        return false;
    input_out->data = malloc(n);
    if (input_out->data)
        memcpy(input_out->data, data, n);
    return input_out->data;
}

void dvt_input_free(dvt_input *input)
{
    free(input->data);
    input->data = NULL;
}

uint64_t dvt_input_draw(dvt_input *input, uint64_t below)
{
    input->draws = dvt_hash_number(input->draws, 0x5EED);
    return (input->draws >> 16) % below;
}

dv_view *dvt_opened(const dvt_input *input, dv_io io, const dv_allocator *allocator)
{
    dv_view *view = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = allocator;
    options.format = "idv";
    options.io = io;
    options.columns = DVT_WALK_COLUMNS;
    options.metadata_nbytes = 1 << 14;
    options.metadata_toc_nbytes = 1 << 15;
    options.block_nbytes = 1 << 16;
    options.rows_without_columns = DVT_OPENED_ROWS;
    dv_open_memory(&view, input->data, input->n, NULL, NULL, "input", &options, NULL);
    return view;
}
