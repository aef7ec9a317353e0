/* SPDX-License-Identifier: MIT */
/* feed_side.c: the library's side of torch_loader.py, without Python between the batches. A failure
 * ends the program with its message. */
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE __attribute__((visibility("default")))

/* How an epoch is read. */
typedef struct dvb_how {
    int64_t batch_rows, seed, epoch;
    int32_t prefetch, shuffle, threads;
} dvb_how;

SIDE void dvb_make(const char *path, const float *features, const int64_t *labels, int64_t rows,
                   int32_t width);
SIDE dv_view *dvb_open(const char *path);
SIDE void dvb_release(dv_view *view);
SIDE int64_t dvb_epoch(dv_view *view, const dvb_how *how);
SIDE int64_t dvb_sum(dv_view *view, const dvb_how *how);
SIDE int64_t dvb_first(const char *path, const dvb_how *how);

static void must(dv_status status, const dv_error *err)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* --- A file of arrays ------------------------------------------------------------------------- */

typedef struct arrays {
    const float *features;
    const int64_t *labels;
    int64_t rows;
    int32_t width, *counts; /* -1, of as many rows */
} arrays;

typedef struct walk {
    const arrays *a;
    const dv_cursor_request *request;
    int64_t row;
} walk;

static int64_t count_rows(void *self)
{
    return ((const arrays *)self)->rows;
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)err;
    walk *w = malloc(sizeof *w);
    *cursor_out = w;
    if (!w)
        return DV_ERR_MEMORY;
    *w = (walk){self, request, request->first_row};
    return DV_OK;
}

static dv_buffer buffer_of(const void *data, size_t nbytes)
{
    return (dv_buffer){data, nbytes, NULL, true, true};
}

/* Column 0: the features of some rows; 1: their labels. */
static dv_status fill(const walk *w, dv_batch *batch, int32_t k, size_t rows, dv_error *err)
{
    const arrays *a = w->a;
    const size_t width = (size_t)a->width, at = (size_t)w->row;
    dv_column_view items = {dv_type_of(DV_KIND_R4), DV_LAYOUT_FIXED, (int64_t)(rows * width),
                            .as = {{{0}}}};
    items.as.fixed.values = buffer_of(a->features + at * width, rows * width * sizeof(float));
    dv_column_view view = {dv_type_of(DV_KIND_I8), DV_LAYOUT_FIXED, (int64_t)rows, .as = {{{0}}}};
    if (w->request->columns[k] == 1) {
        view.as.fixed.values = buffer_of(a->labels + at, rows * sizeof *a->labels);
        return dv_batch_fill(batch, k, &view, err);
    }
    view.type = dv_type_vector(items.type, a->width);
    view.layout = DV_LAYOUT_VECTOR;
    view.as.vector = (dv_vector_layout){
        .length = a->width, .counts = buffer_of(a->counts, rows * 4), .items = &items};
    return dv_batch_fill(batch, k, &view, err);
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const int64_t left = w->request->end_row - w->row, rows = left < 1024 ? left : 1024;
    if (rows == 0)
        return DV_END;
    dv_status status = dv_batch_start(batch, w->row, rows, err);
    for (int32_t k = 0; status == DV_OK && k < w->request->columns_count; k++)
        status = fill(w, batch, k, (size_t)rows, err);
    w->row += rows;
    return status;
}

static const dv_view_class arrays_class = {.size = sizeof arrays_class,
                                           .kind = "arrays",
                                           .rows = count_rows,
                                           .open_cursor = open_walk,
                                           .next = next,
                                           .close_cursor = free};

/* An .idv file, raw, of the columns Features and Label. */
void dvb_make(const char *path, const float *features, const int64_t *labels, int64_t rows,
              int32_t width)
{
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema = NULL;
    dv_view *view = NULL;
    arrays a = {features, labels, rows, width, malloc(1024 * sizeof(int32_t))};
    for (int i = 0; a.counts && i < 1024; i++)
        a.counts[i] = -1;
    const dv_type x = dv_type_vector(dv_type_of(DV_KIND_R4), width), y = dv_type_of(DV_KIND_I8);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    options.sync = false;
    must(dv_schema_create(&schema, NULL, &err), &err);
    must(dv_schema_add(schema, dv_text_of("Features"), &x, NULL, &err), &err);
    must(dv_schema_add(schema, dv_text_of("Label"), &y, NULL, &err), &err);
    must(dv_view_create(&view, &arrays_class, &a, &schema, NULL, &err), &err);
    must(dv_save(view, path, &options, &err), &err);
    dv_view_release(&view);
    free(a.counts);
}

/* --- Epochs ----------------------------------------------------------------------------------- */

dv_view *dvb_open(const char *path)
{
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    must(dv_open(&view, path, NULL, &err), &err);
    return view;
}

void dvb_release(dv_view *view)
{
    dv_view_release(&view);
}

static dv_feed *open_feed(dv_view *view, const dvb_how *how)
{
    static const int32_t columns[] = {0, 1};
    dv_feed *feed;
    dv_error err = DV_ERROR_INIT;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_dense_options features = DV_DENSE_OPTIONS_INIT, labels = DV_DENSE_OPTIONS_INIT;
    features.columns = &columns[0];
    labels.columns = &columns[1];
    features.columns_count = labels.columns_count = 1;
    order.shuffle = (dv_shuffle)how->shuffle;
    order.seed = (uint64_t)how->seed;
    order.epoch = how->epoch;
    const dv_feed_matrix matrices[] = {{&features, DV_KIND_R4, NULL}, {&labels, DV_KIND_I8, NULL}};
    options.matrices = matrices;
    options.matrices_count = 2;
    options.batch_rows = how->batch_rows;
    options.order = &order;
    options.prefetch = how->prefetch;
    options.threads = how->threads;
    must(dv_feed_open(&feed, view, &options, &err), &err);
    return feed;
}

/* The rows of one epoch, in filled batches. */
int64_t dvb_epoch(dv_view *view, const dvb_how *how)
{
    dv_feed *feed = open_feed(view, how);
    const dv_feed_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    int64_t rows = 0;
    while ((status = dv_feed_next(feed, &batch, &err)) == DV_OK)
        rows += batch->rows;
    must(status, &err);
    dv_feed_close(&feed);
    return rows;
}

/* The sum of the bits of all floats, each a whole number of 4 bytes, times 3 and one more than the
 * label of its row: rows, and labels of other rows, differ in any order. */
int64_t dvb_sum(dv_view *view, const dvb_how *how)
{
    dv_feed *feed = open_feed(view, how);
    const dv_feed_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    uint64_t sum = 0;
    while ((status = dv_feed_next(feed, &batch, &err)) == DV_OK)
        for (size_t i = 0; i < (size_t)batch->rows; i++) {
            const float *row =
                (const float *)batch->matrices[0].items + i * batch->matrices[0].stride;
            int64_t bits = 0;
            for (size_t k = 0; k < batch->matrices[0].stride; k++) {
                int32_t word;
                memcpy(&word, row + k, sizeof word);
                bits += word;
            }
            sum +=
                (uint64_t)bits * (uint64_t)(3 * ((const int64_t *)batch->matrices[1].items)[i] + 1);
        }
    must(status, &err);
    dv_feed_close(&feed);
    return (int64_t)sum;
}

/* From the name of a file to its first batch; its rows. */
int64_t dvb_first(const char *path, const dvb_how *how)
{
    dv_view *view = dvb_open(path);
    dv_feed *feed = open_feed(view, how);
    const dv_feed_batch *batch;
    dv_error err = DV_ERROR_INIT;
    must(dv_feed_next(feed, &batch, &err), &err);
    const int64_t rows = batch->rows;
    dv_feed_close(&feed);
    dv_view_release(&view);
    return rows;
}
