/* SPDX-License-Identifier: MIT */
/* idv_encode.c: encodes rows as the bytes of a block (idv:5). */
#include "format/idv/save/idv_save_priv.h"
#include <inttypes.h>
#include <stdio.h>

void dvi_idv_encoded_free(dvi_idv_encoded *encoded)
{
    dvi_memory_release(&encoded->shape);
    dvi_memory_release(&encoded->decoded);
}

void dvi_idv_append_fragment(dvi_idv_encoded *out, const void *data, size_t nbytes)
{
    out->nbytes += (int64_t)nbytes;
    if (nbytes > 0)
        out->fragments[out->count++] = (dvi_idv_fragment){data, nbytes};
}

void dvi_idv_append_i32(dvi_idv_encoded *out, int32_t value)
{
    uint8_t *at = out->small + out->small_nbytes;
    dvi_store_i32(at, value);
    out->small_nbytes += sizeof value;
    dvi_idv_append_fragment(out, at, sizeof value);
}

dv_status dvi_idv_fail_row(const dvi_idv_encoder *e, int64_t row, dv_status status,
                           const char *rule, const char *detail, dv_error *err)
{
    const char *const divide = strchr(detail, '|');
    const dvi_shown name = dvi_show(e->source->column);
    char what[128];
    if (e->source->first_row < 0)
        snprintf(what, sizeof what, "metadata of column \"%s\"", name.text);
    else
        snprintf(what, sizeof what, "row %" PRId64 ", column \"%s\"", e->source->first_row + row,
                 name.text);
    return dvi_fail(err, status, rule, -1, what, "%.*s|%s", (int)(divide - detail), detail,
                    divide + 1);
}

/* The row of a vector column that holds item i, counted over all rows. */
static int64_t row_of_item(const dv_vector_layout *vector, int64_t i)
{
    for (int64_t row = 0;; row++) {
        const int32_t count = dvi_vector_count(vector, row);
        const int32_t items = count < 0 ? dvi_vector_length(vector, row) : count;
        if (i < items)
            return row;
        i -= items;
    }
}

dv_status dvi_idv_fail_item(const dvi_idv_encoder *e, int64_t i, dv_status status, const char *rule,
                            const char *detail, dv_error *err)
{
    const bool is_vector = e->view->layout == DV_LAYOUT_VECTOR;
    const int64_t row = is_vector ? row_of_item(&e->view->as.vector, i) : i;
    return dvi_idv_fail_row(e, row, status, rule, detail, err);
}

dv_status dvi_idv_reserve_decoded(const dvi_idv_encoder *e, size_t nbytes, uint8_t **memory_out,
                                  dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(&e->out->decoded, e->source->allocator, nbytes, err));
    *memory_out = e->out->decoded->data;
    return DV_OK;
}

dv_status dvi_idv_encode(const dvi_idv_source *source, const dvi_idv_codec *codec,
                         const dv_column_view *view, dvi_idv_encoded *encoded, dv_error *err)
{
    const dvi_idv_encoder e = {source, view, encoded};
    encoded->count = 0;
    encoded->nbytes = encoded->widest = 0;
    encoded->small_nbytes = 0;
    if (view->layout == DV_LAYOUT_VECTOR)
        DVI_TRY(dvi_idv_encode_vectors(&e, codec, err));
    else
        DVI_TRY(dvi_idv_encode_scalars(&e, codec, view, err));
    if (encoded->nbytes <= INT32_MAX)
        return DV_OK;
    return dvi_fail(err, DV_ERR_LIMIT, "rows_per_block", -1, "block",
                    "at most 2^31-1 bytes (option rows_per_block)|%" PRId64, encoded->nbytes);
}
