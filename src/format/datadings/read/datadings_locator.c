/* SPDX-License-Identifier: MIT */
/* datadings_locator.c: from key to key of a message, to the values that are wanted. */
#include "format/datadings/read/datadings_locator.h"
#include "base/alloc.h"
#include "base/check.h"
#include "codec/nd_map.h"
#include <stdio.h>

/* --- Cells ------------------------------------------------------------------------------------ */

/* Give the fields that are marked as wanted in a map their cells, one after the other. */
static void place_cells(dvi_datadings_locator *w, int32_t parent)
{
    const dvi_datadings_field *field = w->fields->field;
    dvi_datadings_cell *cells = w->cells;
    cells[parent].first = w->cells_count;
    for (int32_t i = field[cells[parent].field].first; i >= 0; i = field[i].next)
        if (w->cell_of[i] >= 0) {
            w->cell_of[i] = w->cells_count;
            cells[w->cells_count++] = (dvi_datadings_cell){.field = i};
        }
    cells[parent].count = w->cells_count - cells[parent].first;
    cells[parent].is_map = true;
    w->has_maps |= parent > 0;
}

/* Fields that are wanted, and the maps around them; how many there are. */
static int32_t mark_wanted(dvi_datadings_locator *w, const int32_t *wanted, int32_t n)
{
    int32_t marked = 1;
    for (size_t i = 0; i < w->fields->n; i++)
        w->cell_of[i] = -1;
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = wanted[k]; i > 0 && w->cell_of[i] < 0; i = w->fields->field[i].parent) {
            w->cell_of[i] = 0;
            marked++;
        }
    w->cell_of[0] = 0;
    return marked;
}

static bool has_wanted(const dvi_datadings_locator *w, int32_t i)
{
    for (i = w->fields->field[i].first; i >= 0; i = w->fields->field[i].next)
        if (w->cell_of[i] >= 0)
            return true;
    return false;
}

dv_status dvi_datadings_locator_create(dvi_datadings_locator *w, const dvi_datadings_fields *fields,
                                       const int32_t *wanted, int32_t n,
                                       const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *w = (dvi_datadings_locator){.fields = fields, .allocator = *allocator};
    DVI_TRY(dvi_alloc(allocator, &made, fields->n * sizeof(int32_t), err));
    w->cell_of = made;
    DVI_TRY(dvi_alloc(allocator, &made, fields->n * 2 * sizeof(int32_t), err));
    w->follows = made;
    for (size_t i = 0; i < fields->n; i++) {
        w->follows[2 * i] = fields->field[i].next;
        w->follows[2 * i + 1] = fields->field[i].first;
    }
    const size_t cells = (size_t)mark_wanted(w, wanted, n);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, cells * sizeof *w->cells, err));
    w->cells = made;
    w->cells[w->cells_count++] = (dvi_datadings_cell){.field = 0};
    for (int32_t i = 0; i < w->cells_count; i++)
        if (i == 0 || has_wanted(w, w->cells[i].field))
            place_cells(w, i);
    return DV_OK;
}

void dvi_datadings_locator_free(dvi_datadings_locator *w)
{
    const size_t fields = w->fields ? w->fields->n : 0;
    dvi_free(&w->allocator, w->cell_of, fields * sizeof(int32_t));
    dvi_free(&w->allocator, w->follows, fields * 2 * sizeof(int32_t));
    dvi_free(&w->allocator, w->cells, (size_t)w->cells_count * sizeof *w->cells);
    *w = (dvi_datadings_locator){.cells = NULL};
}

/* --- Messages --------------------------------------------------------------------------------- */

/* A map under way: the fields in it, and the one that came last. */
typedef struct place {
    int32_t parent;
    int32_t *follows; /* what comes next */
} place;

/* Pass the next key.  *field_out: whose it is, -1: nobody knows it. */
static bool pass_key(dvi_datadings_locator *w, place *p, dvi_msgpack_reader *r, int32_t *field_out,
                     bool *is_bin_out)
{
    dvi_msgpack key;
    const int32_t guess = *p->follows;
    *field_out = guess;
    *is_bin_out = false;
    if (DVI_UNLIKELY(guess < 0 || !dvi_datadings_field_is_next(&w->fields->field[guess], r))) {
        dvi_msgpack_reader start = *r;
        if (!dvi_msgpack_read(r, &key))
            return false;
        *field_out = -1;
        *is_bin_out = key.kind == DVI_MSGPACK_BIN;
        if (key.kind == DVI_MSGPACK_STR)
            *field_out = dvi_datadings_fields_find(w->fields, p->parent,
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
    p->follows = &w->follows[2 * *field_out];
    return true;
}

/* Pass the value of a cell. */
static bool pass_value(dvi_datadings_cell *cell, dvi_msgpack_reader *r, int32_t depth,
                       int64_t stamp)
{
    cell->stamp = stamp;
    cell->at = r->at;
    if (!dvi_msgpack_read(r, &cell->token))
        return false;
    if (cell->token.kind >= DVI_MSGPACK_ARRAY) {
        r->at = cell->at;
        if (!dvi_msgpack_skip(r, depth))
            return false;
    }
    cell->end = r->at;
    return true;
}

/* All entries of the map on which the reader stands, which lies in `depth` others.  *has_bin_out: a
 * key is bin, so it may be no map but a value of numpy. */
static bool pass_map(dvi_datadings_locator *w, int32_t cell, dvi_msgpack_reader *r, int32_t depth,
                     bool *has_bin_out)
{
    dvi_msgpack map;
    const int32_t parent = w->cells[cell].field;
    place p = {parent, &w->follows[2 * parent + 1]};
    *has_bin_out = false;
    if (!dvi_msgpack_read(r, &map))
        return false;
    for (uint32_t i = 0; i < map.n; i++) {
        int32_t field;
        bool is_bin;
        if (!pass_key(w, &p, r, &field, &is_bin))
            return false;
        *has_bin_out |= is_bin;
        const int32_t child = field < 0 ? -1 : w->cell_of[field];
        if (child < 0 ? !dvi_msgpack_skip(r, depth + 1)
                      : !pass_value(&w->cells[child], r, depth + 1, w->stamp))
            return false;
    }
    return true;
}

static void tell_misfit(const dvi_datadings_cell *cell, const char *found,
                        dvi_datadings_misfit *misfit_out)
{
    *misfit_out = (dvi_datadings_misfit){.field = cell->field, .at = cell->at};
    snprintf(misfit_out->found, sizeof misfit_out->found, "%s", found);
}

static dv_status enter_maps(dvi_datadings_locator *w, int32_t parent, dvi_msgpack_reader r,
                            dvi_datadings_misfit *misfit_out, dv_error *err);

/* Into a map.  Its values were passed before, so they are sound. */
static dv_status enter_map(dvi_datadings_locator *w, int32_t i, dvi_msgpack_reader r,
                           dvi_datadings_misfit *misfit_out, dv_error *err)
{
    dvi_datadings_cell *cell = &w->cells[i];
    dvi_nd_map nd;
    bool has_bin;
    if (cell->token.kind != DVI_MSGPACK_MAP) {
        tell_misfit(cell, dvi_msgpack_kind_name(cell->token.kind), misfit_out);
        return DV_NOT_FOUND;
    }
    r.at = cell->at;
    const dvi_msgpack_reader start = r;
    pass_map(w, i, &r, 0, &has_bin);
    nd.what = DVI_ND_PLAIN;
    if (has_bin)
        DVI_TRY(dvi_nd_read(&start, false, &nd, err));
    const dv_status status = enter_maps(w, i, r, misfit_out, err);
    if (status != DV_OK || nd.what == DVI_ND_PLAIN)
        return status;
    tell_misfit(cell, "a value of numpy", misfit_out);
    return DV_NOT_FOUND;
}

/* Into the maps that are wanted in this one. */
static dv_status enter_maps(dvi_datadings_locator *w, int32_t parent, dvi_msgpack_reader r,
                            dvi_datadings_misfit *misfit_out, dv_error *err)
{
    dv_status worst = DV_OK;
    const int32_t first = w->cells[parent].first, end = first + w->cells[parent].count;
    for (int32_t i = first; i < end; i++) {
        const dvi_datadings_cell *cell = &w->cells[i];
        if (!cell->is_map || cell->stamp != w->stamp || cell->token.kind == DVI_MSGPACK_NIL)
            continue;
        const dv_status status = enter_map(w, i, r, misfit_out, err);
        DVI_TRY(status);
        worst = status == DV_NOT_FOUND ? status : worst;
    }
    return worst;
}

dv_status dvi_datadings_locator_find(dvi_datadings_locator *w, const dvi_msgpack_reader *message,
                                     dvi_datadings_misfit *misfit_out, dv_error *err)
{
    bool has_bin;
    dvi_msgpack_reader r = *message;
    w->stamp++;
    if (r.at == r.end || (*r.at & 0xF0) != 0x80) /* a small map, as nearly all are */
        DVI_TRY(dvi_datadings_check_map(message, err));
    if (!pass_map(w, 0, &r, 0, &has_bin))
        return dvi_msgpack_failure(&r, err);
    DVI_TRY(dvi_datadings_check_end(&r, err));
    if (!w->has_maps)
        return DV_OK;
    r.nesting = DVI_MSGPACK_NESTING;
    return enter_maps(w, 0, r, misfit_out, err);
}
