/* SPDX-License-Identifier: MIT */
/* datadings_locator.c: reads the keys of a message and locates the requested values. */
#include "format/datadings/read/datadings_locator.h"
#include "base/alloc.h"
#include "base/check.h"
#include "codec/nd_map.h"
#include <stdio.h>

#define SHORT_MAP 0x80 /* and the number of its entries, at most 15 */

/* --- Cells ------------------------------------------------------------------------------------ */

/* Add cells for the marked fields of a map, next to each other. */
static void add_cells(dvi_datadings_locator *l, int32_t parent)
{
    const dvi_datadings_field *field = l->fields->field;
    dvi_datadings_cell *cells = l->cells;
    cells[parent].first = l->cells_count;
    for (int32_t i = field[cells[parent].field].first; i >= 0; i = field[i].next)
        if (l->cell_of[i] >= 0) {
            l->cell_of[i] = l->cells_count;
            cells[l->cells_count++] = (dvi_datadings_cell){.field = i};
        }
    cells[parent].count = l->cells_count - cells[parent].first;
    cells[parent].is_map = true;
    l->has_maps |= parent > 0;
}

/* Mark the requested fields and the maps that contain them; return their number. */
static int32_t mark_requested(dvi_datadings_locator *l, const int32_t *requested, int32_t n)
{
    int32_t marked = 1;
    for (size_t i = 0; i < l->fields->n; i++)
        l->cell_of[i] = -1;
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = requested[k]; i > 0 && l->cell_of[i] < 0; i = l->fields->field[i].parent) {
            l->cell_of[i] = 0;
            marked++;
        }
    l->cell_of[0] = 0;
    return marked;
}

static bool has_requested(const dvi_datadings_locator *l, int32_t i)
{
    for (i = l->fields->field[i].first; i >= 0; i = l->fields->field[i].next)
        if (l->cell_of[i] >= 0)
            return true;
    return false;
}

dv_status dvi_datadings_locator_create(dvi_datadings_locator *l, const dvi_datadings_fields *fields,
                                       const int32_t *requested, int32_t n,
                                       const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *l = (dvi_datadings_locator){.fields = fields, .allocator = *allocator};
    DVI_TRY(dvi_alloc(allocator, &made, fields->n * sizeof(int32_t), err));
    l->cell_of = made;
    DVI_TRY(dvi_alloc(allocator, &made, fields->n * 2 * sizeof(int32_t), err));
    l->follows = made;
    for (size_t i = 0; i < fields->n; i++) {
        l->follows[2 * i] = fields->field[i].next;
        l->follows[2 * i + 1] = fields->field[i].first;
    }
    const size_t cells = (size_t)mark_requested(l, requested, n);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, cells * sizeof *l->cells, err));
    l->cells = made;
    l->cells[l->cells_count++] = (dvi_datadings_cell){.field = 0};
    for (int32_t i = 0; i < l->cells_count; i++)
        if (i == 0 || has_requested(l, l->cells[i].field))
            add_cells(l, i);
    return DV_OK;
}

void dvi_datadings_locator_free(dvi_datadings_locator *l)
{
    const size_t fields = l->fields ? l->fields->n : 0;
    dvi_free(&l->allocator, l->cell_of, fields * sizeof(int32_t));
    dvi_free(&l->allocator, l->follows, fields * 2 * sizeof(int32_t));
    dvi_free(&l->allocator, l->cells, (size_t)l->cells_count * sizeof *l->cells);
    *l = (dvi_datadings_locator){.cells = NULL};
}

/* --- Messages --------------------------------------------------------------------------------- */

/* A map that is being read. */
typedef struct open_map {
    int32_t parent;
    int32_t *follows; /* the predicted next field */
} open_map;

/* Read the next key. *field_out: its field; -1: none. */
static bool read_key(dvi_datadings_locator *l, open_map *p, dvi_msgpack_reader *r,
                     int32_t *field_out, bool *is_bin_out)
{
    dvi_msgpack key;
    const int32_t guess = *p->follows;
    *field_out = guess;
    *is_bin_out = false;
    if (DVI_UNLIKELY(guess < 0 || !dvi_datadings_field_is_next(&l->fields->field[guess], r))) {
        dvi_msgpack_reader start = *r;
        if (!dvi_msgpack_read(r, &key))
            return false;
        *field_out = -1;
        *is_bin_out = key.kind == DVI_MSGPACK_BIN;
        if (key.kind == DVI_MSGPACK_STR)
            *field_out = dvi_datadings_fields_find(l->fields, p->parent,
                                                   (dv_text){(const char *)key.data, key.n});
        if (key.kind >= DVI_MSGPACK_ARRAY) {
            *r = start;
            r->fault = DVI_MSGPACK_KEY;
            return false;
        }
        if (*field_out < 0)
            return true;
        *p->follows = *field_out;
    }
    p->follows = &l->follows[2 * *field_out];
    return true;
}

/* Read the value of a cell. */
static bool read_value(dvi_datadings_cell *cell, dvi_msgpack_reader *r, int32_t depth,
                       int64_t stamp)
{
    cell->stamp = 0; /* not there, unless all of it is sound */
    cell->at = r->at;
    if (!dvi_msgpack_read(r, &cell->token))
        return false;
    if (cell->token.kind >= DVI_MSGPACK_ARRAY) {
        r->at = cell->at;
        if (!dvi_msgpack_skip(r, depth))
            return false;
    }
    cell->end = r->at;
    cell->stamp = stamp;
    return true;
}

/* Read the number of entries of the map at the reader. */
static bool read_count(dvi_msgpack_reader *r, uint32_t *n_out)
{
    dvi_msgpack map;
    const size_t left = (size_t)(r->end - r->at);
    if (left > 0 && (*r->at & 0xF0) == SHORT_MAP && (size_t)(*r->at & 0x0F) <= (left - 1) / 2) {
        *n_out = *r->at++ & 0x0F;
        return true;
    }
    const bool is_read = dvi_msgpack_read(r, &map);
    *n_out = map.n;
    return is_read;
}

/* Read all entries of the map at the reader, which is nested in `depth` others. *has_bin_out: a key
 * is bin, so the map may be a value of numpy. */
static bool read_map(dvi_datadings_locator *l, int32_t cell, dvi_msgpack_reader *r, int32_t depth,
                     bool *has_bin_out)
{
    uint32_t n;
    const int32_t parent = l->cells[cell].field;
    open_map p = {parent, &l->follows[2 * parent + 1]};
    *has_bin_out = false;
    if (!read_count(r, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int32_t field;
        bool is_bin;
        if (!read_key(l, &p, r, &field, &is_bin))
            return false;
        *has_bin_out |= is_bin;
        const int32_t child = field < 0 ? -1 : l->cell_of[field];
        if (child < 0 ? !dvi_msgpack_skip(r, depth + 1)
                      : !read_value(&l->cells[child], r, depth + 1, l->stamp))
            return false;
    }
    return true;
}

static void report_mismatch(const dvi_datadings_cell *cell, const char *found,
                            dvi_datadings_mismatch *mismatch_out)
{
    *mismatch_out = (dvi_datadings_mismatch){.field = cell->field, .at = cell->at};
    snprintf(mismatch_out->found, sizeof mismatch_out->found, "%s", found);
}

static dv_status enter_maps(dvi_datadings_locator *l, int32_t parent, dvi_msgpack_reader r,
                            dvi_datadings_mismatch *mismatch_out, dv_error *err);

/* Read a nested map. Its bytes are sound, because read_value has skipped them, unless a mapped file
 * has changed since. */
static dv_status enter_map(dvi_datadings_locator *l, int32_t i, dvi_msgpack_reader r,
                           dvi_datadings_mismatch *mismatch_out, dv_error *err)
{
    dvi_datadings_cell *cell = &l->cells[i];
    dvi_nd_map nd;
    bool has_bin;
    if (cell->token.kind != DVI_MSGPACK_MAP) {
        report_mismatch(cell, dvi_msgpack_kind_name(cell->token.kind), mismatch_out);
        return DV_NOT_FOUND;
    }
    r.at = cell->at;
    const dvi_msgpack_reader start = r;
    if (!read_map(l, i, &r, 0, &has_bin))
        return dvi_msgpack_failure(&r, err);
    nd.what = DVI_ND_PLAIN;
    if (has_bin)
        DVI_TRY(dvi_nd_read(&start, false, &nd, err));
    const dv_status status = enter_maps(l, i, r, mismatch_out, err);
    if (status != DV_OK || nd.what == DVI_ND_PLAIN)
        return status;
    report_mismatch(cell, "a value of numpy", mismatch_out);
    return DV_NOT_FOUND;
}

/* Read the maps with requested fields in this one. */
static dv_status enter_maps(dvi_datadings_locator *l, int32_t parent, dvi_msgpack_reader r,
                            dvi_datadings_mismatch *mismatch_out, dv_error *err)
{
    dv_status worst = DV_OK;
    const int32_t first = l->cells[parent].first, end = first + l->cells[parent].count;
    for (int32_t i = first; i < end; i++) {
        const dvi_datadings_cell *cell = &l->cells[i];
        if (!cell->is_map || cell->stamp != l->stamp || cell->token.kind == DVI_MSGPACK_NIL)
            continue;
        const dv_status status = enter_map(l, i, r, mismatch_out, err);
        DVI_TRY(status);
        worst = status == DV_NOT_FOUND ? status : worst;
    }
    return worst;
}

/* The reader is used itself: a copy would have to wait for the stores that have just filled it. */
dv_status dvi_datadings_locator_find(dvi_datadings_locator *l, dvi_msgpack_reader *message,
                                     dvi_datadings_mismatch *mismatch_out, dv_error *err)
{
    bool has_bin;
    l->stamp++;
    if (message->at == message->end || (*message->at & 0xF0) != SHORT_MAP)
        DVI_TRY(dvi_datadings_check_map(message, err));
    if (!read_map(l, 0, message, 0, &has_bin))
        return dvi_msgpack_failure(message, err);
    if (message->at != message->end)
        return dvi_datadings_check_end(message, err);
    if (!l->has_maps)
        return DV_OK;
    dvi_msgpack_reader r = *message;
    r.nesting = DVI_MSGPACK_NESTING;
    return enter_maps(l, 0, r, mismatch_out, err);
}
