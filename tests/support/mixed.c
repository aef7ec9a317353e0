/* SPDX-License-Identifier: MIT */
/* mixed.c: sources of a mix, and the rows that it has. */
#include "support/mixed.h"
#include <stdlib.h>
#include <string.h>

static void *room_for(int64_t n, size_t each)
{
    void *made = calloc(n > 0 ? (size_t)n : 1, each);
    if (!made)
        abort();
    return made;
}

static void open_source(dvt_mixed *m, int32_t i, int64_t block_rows, dvt_mixed_kind kind,
                        const dv_allocator *allocator)
{
    dvt_made_table *t = &m->table[i];
    m->numbers[i] = room_for(m->counts[i], sizeof(int32_t));
    for (int64_t row = 0; row < m->counts[i]; row++)
        m->numbers[i][row] = (int32_t)(i * DVT_MIXED_EACH + row);
    t->column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), m->numbers[i], m->counts[i]);
    t->columns = 1;
    t->rows = m->counts[i];
    t->block_rows = block_rows;
    t->in_blocks = kind == DVT_MIXED_BLOCKS;
    t->rows_unknown = kind == DVT_MIXED_UNKNOWN;
    t->bad_row = -1;
    m->view[i] = dvt_made_table_open(t, allocator);
}

void dvt_mixed_open(dvt_mixed *m, const int64_t *counts, int32_t n, int64_t block_rows,
                    dvt_mixed_kind kind, const dv_allocator *allocator)
{
    memset(m, 0, sizeof *m);
    m->n = n;
    memcpy(m->counts, counts, (size_t)n * sizeof *counts);
    for (int32_t i = 0; i < n; i++)
        open_source(m, i, block_rows + i, kind, allocator);
}

void dvt_mixed_close(dvt_mixed *m)
{
    for (int32_t i = 0; i < m->n; i++) {
        dv_view_release(&m->view[i]);
        free(m->numbers[i]);
    }
}

int64_t dvt_mixed_read(int32_t *out, int64_t most, dv_view *view, const dv_cursor_options *options,
                       dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t n = 0;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    while (status == DV_OK && n < most && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        const int64_t rows = batch->rows < most - n ? batch->rows : most - n;
        memcpy(out + n, dv_batch_column(batch, 0)->as.fixed.values.data,
               (size_t)rows * sizeof *out);
        n += rows;
    }
    dv_cursor_close(&cursor);
    return status < 0 ? status : n;
}

int64_t dvt_mixed_truth(int32_t *out, int64_t most, const dvt_mix *mix, int64_t epoch)
{
    dvt_mixed_row *rows = room_for(most, sizeof *rows);
    const int64_t n = dvt_mix_rows(rows, most, mix, epoch);
    for (int64_t i = 0; i < n; i++)
        out[i] = (int32_t)(rows[i].source * DVT_MIXED_EACH + rows[i].row);
    free(rows);
    return n;
}
