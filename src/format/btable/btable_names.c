/* SPDX-License-Identifier: MIT */
/* btable_names.c: the labels as the names of slots (btable.md 14). */
#include "base/size.h"
#include "view/batch.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

/* Labels as UTF-8 with their ends in front, in one memory. */
static dv_status read_names(const dvi_btable_file *file, dvi_memory **memory, dv_error *err)
{
    const dvi_btable_header *h = &file->header;
    const int64_t limit = dvi_min_i64(file->limits.metadata_nbytes, INT32_MAX);
    const int64_t ends_nbytes = 4 * (int64_t)h->slots;
    DVI_REQUIRE(ends_nbytes + h->utf8_nbytes <= limit,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", 8, "slot names",
                         "at most %" PRId64 " bytes (option metadata_nbytes)|%" PRId64, limit,
                         ends_nbytes + h->utf8_nbytes));
    DVI_TRY(
        dvi_memory_reserve(memory, &file->allocator, (size_t)(ends_nbytes + h->utf8_nbytes), err));
    dvi_btable_labels labels = {.utf8 = (*memory)->data + ends_nbytes,
                                .ends = (*memory)->data,
                                .utf8_cap = h->utf8_nbytes,
                                .slots = h->slots};
    DVI_TRY(dvi_btable_labels_read(&labels, file->map, h->units, err));
    if (labels.separators == h->slots - 1 && labels.utf8_nbytes == h->utf8_nbytes)
        return DV_OK;
    return dvi_fail(err, DV_ERR_IO, "", 8, "labels", "those that were opened|others");
}

dv_status dvi_btable_load_names(void *self, int64_t number, const dv_batch **batch_out,
                                dv_error *err)
{
    static const int32_t dense = -1;
    (void)number;
    const dvi_btable_file *file = self;
    const int32_t slots = file->header.slots;
    const dv_type *type = &file->names_type;
    dvi_memory *memory = NULL;
    dv_batch *batch;
    *batch_out = NULL;
    DVI_TRY(dvi_batch_create(&batch, file->view, &type, 1, &file->allocator, err));
    const dv_batch *shown = batch;
    dv_status status = read_names(file, &memory, err);
    if (status == DV_OK)
        status = dv_batch_start(batch, 0, 1, err);
    if (status == DV_OK) {
        const size_t ends_nbytes = 4 * (size_t)slots;
        dv_column_view items = {
            .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = slots};
        dv_column_view view = {.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
        items.as.text.ends = dvi_memory_buffer(memory, 0, ends_nbytes, 4);
        items.as.text.utf8 =
            dvi_memory_buffer(memory, ends_nbytes, (size_t)file->header.utf8_nbytes, 1);
        view.as.vector.length = slots;
        view.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
        view.as.vector.items = &items;
        dvi_batch_set_slot(batch, 0, &view);
        *batch_out = batch;
    } else {
        dvi_error_set_file(err, dvi_map_name(file->map));
        dv_batch_release(&shown);
    }
    dvi_memory_release(&memory);
    return status;
}
