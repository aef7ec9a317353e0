/* SPDX-License-Identifier: MIT */
/* btable_names.c: loads labels as metadata: slot names and UTF-16 units (btable:14). */
#include "base/size.h"
#include "view/batch.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

static dv_status make_room(const dvi_btable_file *file, dvi_memory **memory, const char *what,
                           int64_t nbytes, dv_error *err)
{
    const int64_t limit = dvi_min_i64(file->limits.metadata_nbytes, INT32_MAX);
    DVI_REQUIRE(nbytes <= limit,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", 8, what,
                         "at most %" PRId64 " bytes (option metadata_nbytes)|%" PRId64, limit,
                         nbytes));
    return dvi_memory_reserve(memory, &file->allocator, (size_t)nbytes, err);
}

/* Read labels as UTF-8. One memory holds their ends, then the bytes. */
static dv_status read_names(const dvi_btable_file *file, dvi_memory **memory, dv_column_view *items,
                            dv_error *err)
{
    const dvi_btable_header *h = &file->header;
    const int64_t ends_nbytes = 4 * (int64_t)h->slots;
    DVI_TRY(make_room(file, memory, "slot names", ends_nbytes + h->utf8_nbytes, err));
    dvi_btable_labels labels = {.utf8 = (*memory)->data + ends_nbytes,
                                .ends = (*memory)->data,
                                .utf8_cap = h->utf8_nbytes,
                                .slots = h->slots};
    DVI_TRY(dvi_btable_labels_read(&labels, file->map, h->units, err));
    if (labels.separators != h->slots - 1 || labels.utf8_nbytes != h->utf8_nbytes)
        return dvi_fail(err, DV_ERR_IO, "", 8, "labels", "the labels read before|others");
    items->layout = DV_LAYOUT_TEXT;
    items->as.text.ends = dvi_memory_buffer(*memory, 0, (size_t)ends_nbytes, 4);
    items->as.text.utf8 =
        dvi_memory_buffer(*memory, (size_t)ends_nbytes, (size_t)h->utf8_nbytes, 1);
    return DV_OK;
}

/* Read the units of the joined labels, which keep lone surrogates (btable:2). */
static dv_status read_units(const dvi_btable_file *file, dvi_memory **memory, dv_column_view *items,
                            dv_error *err)
{
    const size_t n = (size_t)file->header.units;
    dvi_memory *window = NULL;
    dvi_span span;
    DVI_TRY(make_room(file, memory, "label units", 2 * (int64_t)n, err));
    const dv_status status = dvi_map_span(file->map, 8, 2 * n, &window, &span, err);
    for (size_t i = 0; status == DV_OK && i < n; i++) {
        const uint16_t unit = dvi_load_u16_be(span.data + 2 * i);
        memcpy((*memory)->data + 2 * i, &unit, sizeof unit);
    }
    dvi_memory_release(&window);
    items->layout = DV_LAYOUT_FIXED;
    items->as.fixed.values = dvi_memory_buffer(*memory, 0, 2 * n, 2);
    return status;
}

dv_status dvi_btable_load_labels(void *self, int64_t number, const dv_batch **batch_out,
                                 dv_error *err)
{
    static const int32_t dense = -1;
    const dvi_btable_file *file = self;
    const dv_type *type = number == DVI_BTABLE_NAMES ? &file->names_type : &file->units_type;
    dvi_memory *memory = NULL;
    dv_batch *batch;
    *batch_out = NULL;
    DVI_TRY(dvi_batch_create(&batch, file->view, &type, 1, &file->allocator, err));
    const dv_batch *shown = batch;
    dv_column_view items = {.type = dv_type_item(type), .rows = type->size};
    dv_status status = number == DVI_BTABLE_NAMES ? read_names(file, &memory, &items, err)
                                                  : read_units(file, &memory, &items, err);
    if (status == DV_OK)
        status = dv_batch_start(batch, 0, 1, err);
    if (status == DV_OK) {
        dv_column_view view = {.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
        view.as.vector.length = (int32_t)items.rows;
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
