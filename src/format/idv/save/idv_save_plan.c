/* SPDX-License-Identifier: MIT */
/* idv_save_plan.c: plans the rows per block: as many of the first rows as the options allow
 * (idv:7.2). */
#include "base/alloc.h"
#include "base/size.h"
#include "format/idv/save/idv_save_priv.h"

#define CHUNK_ROWS INT64_C(1024)

static int64_t total(const dvi_idv_planner *e, int64_t rows)
{
    return e->least + e->each * rows + e->bits * ((rows + 7) / 8) +
           e->pairs * ((rows + 15) / 16) * 4 + e->varying;
}

/* Add a column. Returns whether its rows have to be read. */
static bool add_column(dvi_idv_planner *e, const dvi_idv_codec *codec)
{
    const bool is_text = codec->encoding == DVI_IDV_TEXT;
    if (codec->type.rank > 0) {
        e->least += 12 + (is_text ? 9 : 0);
        e->each += codec->type.size > 0 ? 4 : 8;
        return true;
    }
    if (codec->encoding == DVI_IDV_BYTES) {
        e->least += 12;
        e->each += 8;
        return true;
    }
    e->least += is_text ? 9 : 0;
    e->each += is_text ? 4 : 0;
    if (codec->encoding == DVI_IDV_BITS)
        e->bits++;
    else if (codec->encoding == DVI_IDV_PAIRS)
        e->pairs++;
    else
        e->each += dv_kind_width(codec->type.kind);
    return is_text;
}

static int64_t text_nbytes(const dv_text_layout *text, int64_t first, int64_t n)
{
    return dvi_text_end(text, first + n) - dvi_text_end(text, first);
}

/* The bytes of a row's items. */
static int64_t items_nbytes(const dvi_idv_codec *codec, const dv_vector_layout *vector,
                            int64_t first, int64_t n)
{
    switch (codec->encoding) {
    case DVI_IDV_TEXT:
        return 4 * n + text_nbytes(&vector->items->as.text, vector->item_base + first, n);
    case DVI_IDV_BITS:
        return (n + 7) / 8;
    case DVI_IDV_PAIRS:
        return (n + 3) / 4;
    default:
        return n * dv_kind_width(codec->type.kind);
    }
}

/* Add the bytes of each of the first n rows of a column. */
static void add_rows(int64_t *nbytes, const dvi_idv_codec *codec, const dv_column_view *view,
                     int64_t n)
{
    if (view->layout != DV_LAYOUT_VECTOR) {
        for (int64_t i = 0; i < n; i++)
            nbytes[i] += text_nbytes(&view->as.text, i, 1);
        return;
    }
    const dv_vector_layout *vector = &view->as.vector;
    int64_t item = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t count = dvi_vector_count(vector, i);
        const int64_t items = count < 0 ? dvi_vector_length(vector, i) : count;
        nbytes[i] += (count < 0 ? 0 : 4 * items) + items_nbytes(codec, vector, item, items);
        item += items;
    }
}

/* Count rows of a batch until they fill the block; true: it is full. */
static bool count_rows(dvi_idv_planner *e, const dv_batch *batch)
{
    int64_t nbytes[CHUNK_ROWS];
    const int64_t last = dvi_min_i64(batch->rows, e->limits.rows - e->rows);
    for (int64_t at = 0; at < last; at += CHUNK_ROWS) {
        const int64_t n = dvi_min_i64(CHUNK_ROWS, last - at);
        memset(nbytes, 0, (size_t)n * sizeof *nbytes);
        for (int32_t k = 0; k < e->n; k++) {
            dvi_column rows_view;
            dvi_column_assign(&rows_view, dv_batch_column(batch, e->columns[k]));
            dvi_column_advance(&rows_view.view, at);
            add_rows(nbytes, &e->codecs[e->columns[k]], &rows_view.view, n);
        }
        for (int64_t i = 0; i < n; i++, e->rows++) {
            e->varying += nbytes[i];
            if (e->rows > 0 && total(e, e->rows + 1) > e->limits.nbytes)
                return true;
        }
    }
    return e->rows == e->limits.rows;
}

/* The most rows that fit if each row has the same size. */
static int64_t rows_that_fit(const dvi_idv_planner *e)
{
    int64_t fit = 1, too_many = e->limits.rows + 1;
    while (too_many - fit > 1) {
        const int64_t middle = fit + (too_many - fit) / 2;
        if (total(e, middle) <= e->limits.nbytes)
            fit = middle;
        else
            too_many = middle;
    }
    return fit;
}

dv_status dvi_idv_planner_open(dvi_idv_planner *e, const dvi_idv_limits *limits,
                               const dvi_idv_codec *codecs, int32_t n,
                               const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *e = (dvi_idv_planner){.limits = *limits, .codecs = codecs};
    DVI_TRY(dvi_alloc(allocator, &made, (size_t)n * sizeof *e->columns, err));
    e->columns = made;
    for (int32_t k = 0; k < n; k++)
        if (add_column(e, &codecs[k]))
            e->columns[e->n++] = k;
    e->limits.rows = rows_that_fit(e);
    e->is_done = e->n == 0;
    e->rows = e->is_done ? e->limits.rows : 0;
    return DV_OK;
}

void dvi_idv_planner_add(dvi_idv_planner *e, const dv_batch *batch)
{
    e->is_done = e->is_done || count_rows(e, batch);
}

void dvi_idv_planner_end(dvi_idv_planner *e)
{
    if (!e->is_done)
        e->rows = e->limits.rows; /* all rows fit in one block */
    e->is_done = true;
}
