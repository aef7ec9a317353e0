/* SPDX-License-Identifier: MIT */
/* idv_slotnames.c: reads the slot names of version 1.1.1.3 as a vector of texts (idv:3.1). */
#include "base/size.h"
#include "base/sort.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <string.h>

#define RULE "idv:3.1"
#define SLOT_NBYTES 4

/* Few names among many slots make a sparse vector: its cost is that of the names, not of the number
 * of slots, which takes no bytes of the file. */
typedef struct names {
    int32_t slots, count;
    uint64_t *entry; /* count of them: slot << 32 | position of the name */
    int64_t offset;  /* of position 0 in the file */
} names;

static int32_t slot_of(uint64_t entry)
{
    return (int32_t)(entry >> 32);
}

static size_t position_of(uint64_t entry)
{
    return (size_t)(uint32_t)entry;
}

static bool is_sparse(const names *n)
{
    return n->count <= n->slots / 2;
}

static dv_status find_names(dvi_reader *r, names *n, dv_error *err)
{
    for (int32_t i = 0; i < n->count; i++) {
        const int64_t at = dvi_reader_offset(r);
        const int32_t slot = dvi_read_i32_le(r);
        const size_t name_at = r->at;
        const int64_t name_offset = dvi_reader_offset(r);
        const dv_text name = dvi_read_str(r);
        DVI_REQUIRE_READ(err, r, RULE, "idv:1", "slot name");
        DVI_REQUIRE_IN(err, slot, 0, n->slots - 1, RULE, at, "slot of a slot name");
        DVI_TRY(dvi_idv_check_str(name, name_offset, "slot name", err));
        n->entry[i] = (uint64_t)slot << 32 | name_at;
    }
    DVI_REQUIRE(dvi_reader_left(r) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, dvi_reader_offset(r), "slot names",
                         "their end|%zu bytes more", dvi_reader_left(r)));
    return DV_OK;
}

/* In sorted entries, those of a slot are neighbours.  The first in the file is reported. */
static dv_status check_once(const names *n, dv_error *err)
{
    uint64_t again = UINT64_MAX;
    for (int32_t i = 1; i < n->count; i++)
        if (slot_of(n->entry[i]) == slot_of(n->entry[i - 1]) &&
            position_of(n->entry[i]) < position_of(again))
            again = n->entry[i];
    DVI_REQUIRE(again == UINT64_MAX,
                dvi_fail(err, DV_ERR_CORRUPT, RULE,
                         n->offset + (int64_t)position_of(again) - SLOT_NBYTES, "slot name",
                         "each slot once|slot %d again", slot_of(again)));
    return DV_OK;
}

/* Write the names in slot order, one after the other: those of all slots, or those that there are,
 * with their slots. */
static void join_names(dvi_reader *r, const names *n, uint8_t *ends, uint8_t *indices,
                       uint8_t *text)
{
    size_t nbytes = 0;
    int32_t end = 0; /* number of ends written */
    for (int32_t i = 0; i < n->count; i++) {
        const int32_t slot = slot_of(n->entry[i]);
        while (indices == NULL && end < slot)
            dvi_store_i32(ends + 4 * (size_t)end++, (int32_t)nbytes);
        r->at = position_of(n->entry[i]);
        const dv_text name = dvi_read_str(r);
        memcpy(text + nbytes, name.data, (size_t)name.nbytes);
        nbytes += (size_t)name.nbytes;
        if (indices)
            dvi_store_i32(indices + 4 * (size_t)i, slot);
        dvi_store_i32(ends + 4 * (size_t)end++, (int32_t)nbytes);
    }
    while (indices == NULL && end < n->slots)
        dvi_store_i32(ends + 4 * (size_t)end++, (int32_t)nbytes);
}

/* Decode into: count of items, ends of the items, slots of the items if sparse, texts. */
static dv_status decode(dvi_reader *r, const names *n, dvi_idv_opened *opened,
                        const dvi_idv_file *file, const dv_type *type, dv_error *err)
{
    const int32_t items_count = is_sparse(n) ? n->count : n->slots;
    const size_t each = 4 * (size_t)items_count, slots = is_sparse(n) ? each : 0;
    const size_t text_at = 4 + each + slots;
    DVI_TRY(dvi_memory_reserve(&opened->decoded, &file->allocator, text_at + r->n, err));
    dvi_memory *memory = opened->decoded;
    uint8_t *ends = memory->data + 4;
    dvi_store_i32(memory->data, is_sparse(n) ? n->count : -1);
    join_names(r, n, ends, slots > 0 ? ends + each : NULL, memory->data + text_at);

    dv_column_view *items = &opened->column.items, *view = &opened->column.view;
    const size_t nbytes = (size_t)dvi_load_i32(ends + each - 4);
    *items = (dv_column_view){
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = items_count};
    items->as.text.ends = dvi_memory_buffer(memory, 4, each, 4);
    items->as.text.utf8 = dvi_memory_buffer(memory, text_at, nbytes, 1);
    *view = (dv_column_view){.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
    view->as.vector.length = n->slots;
    view->as.vector.counts = dvi_memory_buffer(memory, 0, 4, 4);
    view->as.vector.indices = dvi_memory_buffer(memory, 4 + each, slots, 4);
    view->as.vector.items = items;
    return DV_OK;
}

dv_status dvi_idv_open_slot_names(const dvi_idv_file *file, const dvi_idv_metadata *m,
                                  dvi_idv_opened *opened, dv_error *err)
{
    names n = {.slots = m->codec.type.size, .count = m->count};
    const int64_t limit = dvi_min_i64(file->limits.metadata_nbytes, INT32_MAX);
    DVI_REQUIRE(m->nbytes <= limit && (is_sparse(&n) || n.slots <= limit / 4),
                dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", m->offset, "slot names",
                         "at most %" PRId64 " bytes (option metadata_nbytes)|%" PRId64
                         " bytes for %d slots",
                         limit, m->nbytes, n.slots));
    dvi_span bytes;
    const size_t entries_nbytes = (size_t)n.count * sizeof *n.entry;
    DVI_TRY(dvi_map_copy(file->map, m->offset, (size_t)m->nbytes, &opened->stored, &bytes, err));
    DVI_TRY(dvi_memory_reserve(&opened->inflated, &file->allocator, 2 * entries_nbytes, err));
    dvi_reader r = dvi_reader_of(bytes.data, bytes.nbytes, bytes.offset, false);
    n.entry = (uint64_t *)(void *)opened->inflated->data;
    n.offset = bytes.offset;
    DVI_TRY(find_names(&r, &n, err));
    dvi_sort_u64(n.entry, n.entry + n.count, (size_t)n.count);
    DVI_TRY(check_once(&n, err));
    return decode(&r, &n, opened, file, &m->codec.type, err);
}
