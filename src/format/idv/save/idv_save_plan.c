/* SPDX-License-Identifier: MIT */
/* idv_save_plan.c: plans the rows per block: as many of the first rows as the options allow
 * (idv:7.2). */
#include "base/alloc.h"
#include "base/size.h"
#include "format/idv/save/idv_save_priv.h"

#define CHUNK_ROWS INT64_C(1024)

/* The size of the first blocks of all columns together. */
typedef struct estimate {
    int64_t least, each; /* bytes of the blocks without rows, and of each row of fixed size */
    int64_t bits, pairs; /* columns of Booleans of one bit, and of two bits */
    int64_t varying;     /* bytes of the texts and vectors counted so far */
} estimate;

static int64_t total(const estimate *e, int64_t rows)
{
    return e->least + e->each * rows + e->bits * ((rows + 7) / 8) +
           e->pairs * ((rows + 15) / 16) * 4 + e->varying;
}

/* Add a column. Returns whether its rows have to be read. */
static bool add_column(estimate *e, const dvi_idv_codec *codec)
{
    const bool is_text = codec->encoding == DVI_IDV_TEXT;
    if (codec->type.rank > 0) {
        e->least += 12 + (is_text ? 9 : 0);
        e->each += codec->type.size > 0 ? 4 : 8;
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

/* The columns whose rows have to be read. */
typedef struct varying {
    const dvi_idv_codec **codecs;
    int32_t *columns, n;
} varying;

/* Count rows of a batch, up to `most` in all, until they fill the block; true: it is full. */
static bool count_rows(estimate *e, const varying *v, const dv_batch *batch,
                       const dvi_idv_limits *limits, int64_t *rows)
{
    int64_t nbytes[CHUNK_ROWS];
    const int64_t last = dvi_min_i64(batch->rows, limits->rows - *rows);
    for (int64_t at = 0; at < last; at += CHUNK_ROWS) {
        const int64_t n = dvi_min_i64(CHUNK_ROWS, last - at);
        memset(nbytes, 0, (size_t)n * sizeof *nbytes);
        for (int32_t k = 0; k < v->n; k++) {
            dvi_column rows_view;
            dvi_column_assign(&rows_view, dv_batch_column(batch, k));
            dvi_column_advance(&rows_view.view, at);
            add_rows(nbytes, v->codecs[k], &rows_view.view, n);
        }
        for (int64_t i = 0; i < n; i++, ++*rows) {
            e->varying += nbytes[i];
            if (*rows > 0 && total(e, *rows + 1) > limits->nbytes)
                return true;
        }
    }
    return *rows == limits->rows;
}

static dv_status look_at_rows(estimate *e, const varying *v, const dvi_saving *saving,
                              const dvi_idv_limits *limits, int64_t *rows_out, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    DVI_TRY(dvi_saving_open_cursor(saving, &cursor, v->columns, v->n, 0, 1, err));
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        if (count_rows(e, v, batch, limits, &rows))
            break;
    dv_cursor_close(&cursor);
    *rows_out = status == DV_END ? limits->rows : rows; /* all rows fit in one block */
    return status < 0 ? status : DV_OK;
}

/* The most rows that fit if each row has the same size. */
static int64_t rows_that_fit(const estimate *e, const dvi_idv_limits *limits)
{
    int64_t fit = 1, too_many = limits->rows + 1;
    while (too_many - fit > 1) {
        const int64_t middle = fit + (too_many - fit) / 2;
        if (total(e, middle) <= limits->nbytes)
            fit = middle;
        else
            too_many = middle;
    }
    return fit;
}

dv_status dvi_idv_plan_rows(const dvi_saving *saving, const dvi_idv_limits *limits,
                            const int32_t *columns, const dvi_idv_codec *codecs, int32_t n,
                            int64_t *rows_out, dv_error *err)
{
    estimate e = {0};
    void *memory;
    const size_t each = sizeof(dvi_idv_codec *) + sizeof(int32_t), nbytes = (size_t)n * each;
    DVI_TRY(dvi_alloc(saving->allocator, &memory, nbytes, err));
    varying v = {.codecs = memory};
    v.columns = (int32_t *)(v.codecs + n);
    for (int32_t k = 0; k < n; k++) {
        if (!add_column(&e, &codecs[k]))
            continue;
        v.codecs[v.n] = &codecs[k];
        v.columns[v.n++] = columns[k];
    }
    dv_status status = DV_OK;
    const dvi_idv_limits most = {rows_that_fit(&e, limits), limits->nbytes};
    *rows_out = most.rows;
    if (v.n > 0)
        status = look_at_rows(&e, &v, saving, &most, rows_out, err);
    dvi_free(saving->allocator, memory, nbytes);
    return status;
}
