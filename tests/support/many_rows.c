/* SPDX-License-Identifier: MIT */
/* many_rows.c: a made table of many rows. */
#include "support/many_rows.h"
#include "support/produce.h"
#include <math.h>
#include <stdlib.h>

uint64_t dvt_draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void *room(size_t n, size_t nbytes)
{
    void *memory = calloc(n, nbytes);
    DVT_MUST(memory != NULL);
    return memory;
}

static void make_vectors(dvt_many_rows *m, int64_t rows, uint64_t *state)
{
    int64_t items = 0, indices = 0;
    for (int64_t i = 0; i < rows; i++) {
        m->counts[i] = (int32_t)(dvt_draw(state) % 5) - 1;
        for (int32_t k = 0; k < (m->counts[i] < 0 ? 4 : m->counts[i]); k++) {
            if (m->counts[i] >= 0)
                m->indices[indices++] = k;
            m->item[items++] = (int32_t)(dvt_draw(state) % 1000) - 500;
        }
    }
    m->items = dvt_made_fixed(dv_type_of(DV_KIND_I4), m->item, items);
    dv_column_view *v = &m->table.column[3];
    *v = (dv_column_view){
        .type = dv_type_vector(m->items.type, 4), .layout = DV_LAYOUT_VECTOR, .rows = rows};
    v->as.vector.length = 4;
    v->as.vector.counts = (dv_buffer){.data = m->counts, .nbytes = (size_t)rows * 4};
    v->as.vector.indices = (dv_buffer){.data = m->indices, .nbytes = (size_t)indices * 4};
    v->as.vector.items = &m->items;
}

dvt_many_rows *dvt_many_rows_create(int64_t rows, int64_t block_rows)
{
    const size_t n = (size_t)rows;
    uint64_t state = 5;
    dvt_many_rows *m = room(1, sizeof *m);
    m->real = room(n, sizeof *m->real);
    m->few = room(n, 4);
    m->many = room(n, 4);
    m->counts = room(n, 4);
    m->indices = room(4 * n, 4);
    m->item = room(4 * n, 4);
    for (int64_t i = 0; i < rows; i++) {
        m->real[i] = dvt_draw(&state) % 7 == 0 ? NAN : (double)(int64_t)dvt_draw(&state) * 0x1p-40;
        m->few[i] = (int32_t)(dvt_draw(&state) % 300);
        m->many[i] = (int32_t)dvt_draw(&state);
    }
    m->table = (dvt_made_table){.columns = 4, .rows = rows, .block_rows = block_rows};
    m->table.bad_row = -1;
    m->table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R8), m->real, rows);
    m->table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), m->few, rows);
    m->table.column[2] = dvt_made_fixed(dv_type_of(DV_KIND_I4), m->many, rows);
    make_vectors(m, rows, &state);
    return m;
}

void dvt_many_rows_free(dvt_many_rows *m)
{
    free(m->real);
    free(m->few);
    free(m->many);
    free(m->counts);
    free(m->indices);
    free(m->item);
    free(m);
}

dv_stats *dvt_stats_of(dv_view *view, const dv_stats_options *options)
{
    dv_stats *stats;
    dv_error err = DV_ERROR_INIT;
    DVT_MUST(dv_stats_create(&stats, view, options, &err) == DV_OK);
    return stats;
}

dv_cursor_options dvt_all_columns(const dv_view *view)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    int32_t *columns = malloc(((size_t)n + 1) * sizeof *columns);
    for (int32_t k = 0; k < n; k++)
        columns[k] = k;
    options.columns = columns;
    options.columns_count = n;
    return options;
}

void dvt_all_columns_free(dv_cursor_options *options)
{
    free((void *)(uintptr_t)options->columns);
}
