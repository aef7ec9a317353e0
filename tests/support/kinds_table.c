/* SPDX-License-Identifier: MIT */
/* kinds_table.c: a table of one kind: a scalar, a vector of three slots, a vector of any length. */
#include "support/kinds_table.h"
#include "view/column.h"
#include "support/produce.h"
#include <stdlib.h>
#include <string.h>

#define ITEMS 400

/* What the columns point to. */
typedef struct memory {
    _Alignas(64) uint8_t values[ITEMS * 16];
    int16_t minutes[ITEMS];
    int32_t ends[ITEMS];
    char utf8[ITEMS * 8];
    int32_t lengths[DVT_KINDS_ROWS], counts[2][DVT_KINDS_ROWS], indices[2][ITEMS];
} memory;

dvt_kinds_of dvt_kinds_at(int i)
{
    static const dv_kind keys[] = {DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};
    if (i < 16)
        return (dvt_kinds_of){.type = dv_type_of((dv_kind)(i + 1))};
    return (dvt_kinds_of){.type = dv_type_key(keys[i - 16], 0, i == 18 ? 0 : 200)};
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 16;
}

static void fill_ticks(memory *m, bool has_na, uint64_t *state)
{
    for (size_t i = 0; i < ITEMS; i++) {
        const int64_t t =
            (int64_t)(draw(state) * 4096 % (uint64_t)(DV_TICKS_MAX / 2)) + DV_TICKS_MAX / 4;
        const int64_t ticks = has_na && i % 7 == 3 ? DV_TICKS_NA : t;
        memcpy(m->values + 8 * i, &ticks, 8);
        m->minutes[i] = (int16_t)(ticks == DV_TICKS_NA ? 0 : (int)(draw(state) % 1681) - 840);
    }
}

static void fill_texts(memory *m, const dvt_kinds_of *kind, uint64_t *state)
{
    static const char *const words[] = {
        "", "a", "xyz", "\xC3\xA9", "\xE2\x82\xAC!", "\xF0\x9F\x98\x80"};
    int32_t at = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        const bool is_na = kind->has_na && i % 5 == 4;
        const char *word = is_na ? "" : words[draw(state) % (kind->is_ascii ? 3 : 6)];
        memcpy(m->utf8 + at, word, strlen(word));
        at += (int32_t)strlen(word);
        m->ends[i] = is_na ? (int32_t)((uint32_t)at | UINT32_C(0x80000000)) : at;
    }
}

static dv_column_view make_items(memory *m, const dvt_kinds_of *kind)
{
    uint64_t state = (uint64_t)kind->type.kind;
    if (kind->type.kind == DV_KIND_TX || kind->type.kind == DV_KIND_BY) {
        fill_texts(m, kind, &state);
        return dvt_made_text(kind->type.kind, m->utf8, m->ends, ITEMS);
    }
    for (size_t i = 0; i < sizeof m->values; i++)
        m->values[i] = (uint8_t)draw(&state);
    if (kind->type.kind == DV_KIND_DT || kind->type.kind == DV_KIND_DZ)
        fill_ticks(m, kind->has_na, &state);
    for (size_t i = 0; kind->type.kind == DV_KIND_BL && i < ITEMS; i++)
        m->values[i] = kind->has_na && i % 7 == 3 ? 0x80 : m->values[i] & 1;
    if (kind->type.kind != DV_KIND_DZ)
        return dvt_made_fixed(kind->type, m->values, ITEMS);
    dv_column_view view = {.type = kind->type, .layout = DV_LAYOUT_ZONED, .rows = ITEMS};
    view.as.zoned.ticks = (dv_buffer){m->values, (size_t)ITEMS * 8, NULL, true, true};
    view.as.zoned.minutes = (dv_buffer){m->minutes, sizeof m->minutes, NULL, true, true};
    return view;
}

/* Rows of these lengths, every third sparse where it can be; full ones are dense. */
static dv_column_view make_vectors(memory *m, const dv_column_view *items, int which)
{
    const int32_t size = which == 0 ? 3 : 0;
    int32_t k = 0;
    for (int32_t i = 0; i < DVT_KINDS_ROWS; i++) {
        m->lengths[i] = i < 20 ? i % 6 : 4;
        const int32_t length = size > 0 ? size : m->lengths[i], count = i % 3;
        const bool is_sparse = i % 4 != 1 && count < length;
        m->counts[which][i] = is_sparse ? count : -1;
        for (int32_t j = 0; is_sparse && j < count; j++)
            m->indices[which][k++] = length - count + j;
    }
    dv_column_view view = {.type = dv_type_vector(items->type, size),
                           .layout = DV_LAYOUT_VECTOR,
                           .rows = DVT_KINDS_ROWS};
    dv_vector_layout *vector = &view.as.vector;
    vector->length = size;
    if (size == 0)
        vector->lengths = (dv_buffer){m->lengths, sizeof m->lengths, NULL, true, true};
    vector->counts = (dv_buffer){m->counts[which], sizeof m->counts[which], NULL, true, true};
    vector->indices = (dv_buffer){m->indices[which], 4 * (size_t)k, NULL, true, true};
    vector->items = items;
    return view;
}

void dvt_kinds_make(dvt_kinds_table *table, dvt_kinds_of kind, int64_t block_rows)
{
    memory *m = calloc(1, sizeof *m);
    DVT_MUST(m != NULL);
    *table = (dvt_kinds_table){.memory = m};
    table->items = make_items(m, &kind);
    table->made.rows = DVT_KINDS_ROWS;
    table->made.block_rows = block_rows;
    table->made.bad_row = -1;
    table->made.columns = 3;
    table->made.column[0] = table->items;
    dvi_column_limit(&table->made.column[0], DVT_KINDS_ROWS);
    table->made.column[1] = make_vectors(m, &table->items, 0);
    table->made.column[2] = make_vectors(m, &table->items, 1);
}

void dvt_kinds_free(dvt_kinds_table *table)
{
    free(table->memory);
    table->memory = NULL;
}
