/* SPDX-License-Identifier: MIT */
/* idv_slotnames.c: reads the slot names of version 1.1.1.3 as a vector of texts (idv:3.1). */
#include "base/size.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <string.h>

#define RULE "idv:3.1"

/* Store the position of each slot's name in the pairs: byte + 1; 0: the slot has no name. */
static dv_status find_names(dvi_reader *r, const dvi_idv_metadata *m, int32_t slots,
                            uint32_t *offsets, dv_error *err)
{
    memset(offsets, 0, (size_t)slots * sizeof *offsets);
    for (int32_t i = 0; i < m->count; i++) {
        const int64_t at = dvi_reader_offset(r);
        const int32_t slot = dvi_read_i32_le(r);
        const size_t name_at = r->at;
        const int64_t name_offset = dvi_reader_offset(r);
        const dv_text name = dvi_read_str(r);
        DVI_REQUIRE_READ(err, r, RULE, "idv:1", "slot name");
        DVI_REQUIRE_IN(err, slot, 0, slots - 1, RULE, at, "slot of a slot name");
        DVI_REQUIRE(offsets[slot] == 0, dvi_fail(err, DV_ERR_CORRUPT, RULE, at, "slot name",
                                                 "each slot once|slot %d again", slot));
        DVI_TRY(dvi_idv_check_str(name, name_offset, "slot name", err));
        offsets[slot] = (uint32_t)name_at + 1;
    }
    DVI_REQUIRE(dvi_reader_left(r) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, dvi_reader_offset(r), "slot names",
                         "their end|%zu bytes more", dvi_reader_left(r)));
    return DV_OK;
}

/* Write the names in slot order, one after the other. */
static void join_names(dvi_reader *r, const uint32_t *offsets, int32_t slots, uint8_t *ends,
                       uint8_t *text)
{
    size_t n = 0;
    for (int32_t slot = 0; slot < slots; slot++) {
        if (offsets[slot] > 0) {
            r->at = offsets[slot] - 1;
            const dv_text name = dvi_read_str(r);
            memcpy(text + n, name.data, (size_t)name.nbytes);
            n += (size_t)name.nbytes;
        }
        dvi_store_i32(ends + 4 * (size_t)slot, (int32_t)n);
    }
}

dv_status dvi_idv_open_slot_names(const dvi_idv_file *file, const dvi_idv_metadata *m,
                                  dvi_idv_opened *opened, dv_error *err)
{
    static const int32_t dense = -1;
    const int32_t slots = m->codec.type.size;
    const int64_t limit = dvi_min_i64(file->limits.metadata_nbytes, INT32_MAX);
    DVI_REQUIRE(m->nbytes <= limit && slots <= limit / 4,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", m->offset, "slot names",
                         "at most %" PRId64 " bytes (option metadata_nbytes)|%" PRId64
                         " bytes for %d slots",
                         limit, m->nbytes, slots));
    dvi_span bytes;
    const size_t ends_nbytes = 4 * (size_t)slots;
    DVI_TRY(dvi_map_copy(file->map, m->offset, (size_t)m->nbytes, &opened->stored, &bytes, err));
    DVI_TRY(dvi_memory_reserve(&opened->inflated, &file->allocator, ends_nbytes, err));
    DVI_TRY(
        dvi_memory_reserve(&opened->decoded, &file->allocator, ends_nbytes + bytes.nbytes, err));
    dvi_reader r = dvi_reader_of(bytes.data, bytes.nbytes, bytes.offset, false);
    uint32_t *offsets = (uint32_t *)(void *)opened->inflated->data;
    DVI_TRY(find_names(&r, m, slots, offsets, err));
    uint8_t *ends = opened->decoded->data, *text = ends + ends_nbytes;
    join_names(&r, offsets, slots, ends, text);

    dv_column_view *items = &opened->column.items, *view = &opened->column.view;
    const size_t nbytes = (size_t)dvi_load_i32(ends + ends_nbytes - 4);
    *items =
        (dv_column_view){.type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = slots};
    items->as.text.ends = dvi_memory_buffer(opened->decoded, 0, ends_nbytes, 4);
    items->as.text.utf8 = dvi_memory_buffer(opened->decoded, ends_nbytes, nbytes, 1);
    *view = (dv_column_view){.type = m->codec.type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
    view->as.vector.length = slots;
    view->as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    view->as.vector.items = items;
    return DV_OK;
}
