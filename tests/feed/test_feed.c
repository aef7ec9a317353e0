/* SPDX-License-Identifier: MIT */
/* test_feed.c: the batches of a feed are the rows of its epochs, filled by the caller's thread or
 * the feed's, into its memory or the caller's. */
#include "support/feeds.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 131

static dv_error err;

/* --- Against a cursor and a fill of all rows at once -------------------------------------------
 */

/* How batches are requested. */
typedef enum way { NEXT, RELEASED, FILL, FILL_WIDE, LENT, LENT_WIDE, WAYS } way;

/* Matrices that a feed has, those of batch k at k % LENT_MOST. */
#define LENT_MOST 8
typedef struct lent {
    float *x[LENT_MOST];
    int64_t *y[LENT_MOST];
    int lent, delivered, most;
} lent;
static lent with;

static void begin_way(dv_feed_options *options, way how)
{
    options->lent = how == LENT || how == LENT_WIDE;
    with = (lent){.most = options->prefetch + 1};
}

static void lend_all(dv_feed *feed, size_t w, size_t v)
{
    for (; with.lent < with.delivered + with.most; with.lent++) {
        const int k = with.lent % LENT_MOST;
        with.x[k] = malloc(w * DVT_FEED_ROWS * sizeof *with.x[k]);
        with.y[k] = malloc(v * DVT_FEED_ROWS * sizeof *with.y[k]);
        memset(with.x[k], 0xA5, w * DVT_FEED_ROWS * sizeof *with.x[k]);
        cr_assert_eq(dv_feed_lend(feed, (dv_feed_items[]){{with.x[k], w}, {with.y[k], v}}, &err),
                     DV_OK, "%s", err.message);
    }
    cr_assert_eq(dv_feed_lend(feed, (dv_feed_items[]){{with.x, w}, {with.y, v}}, &err),
                 DV_ERR_ARGUMENT);
}

static void drop_lent(int n)
{
    for (; with.delivered < with.lent && n > 0; with.delivered++, n--) {
        free(with.x[with.delivered % LENT_MOST]);
        free(with.y[with.delivered % LENT_MOST]);
    }
}

static dv_status next_lent(dv_feed *feed, size_t gap, dvt_feed_rows *got, dv_feed_batch *batch)
{
    const dv_feed_batch *b;
    const size_t w = dv_feed_width(feed, 0), v = dv_feed_width(feed, 1);
    if (with.lent == with.delivered)
        cr_assert_eq(dv_feed_next(feed, &b, &err), DV_ERR_ARGUMENT);
    lend_all(feed, w + gap, v + gap);
    const dv_status status = dv_feed_next(feed, &b, &err);
    if (status != DV_OK)
        return status;
    *batch = *b;
    const int k = with.delivered % LENT_MOST;
    cr_assert(b->matrices[0].items == with.x[k] && b->matrices[0].stride == w + gap);
    cr_assert(b->matrices[1].items == with.y[k] && b->matrices[1].stride == v + gap);
    dvt_feed_copy(got, batch);
    for (int64_t i = 0; i < b->rows && gap > 0; i++)
        cr_assert_eq(((uint8_t *)(with.x[k] + (size_t)i * (w + gap) + w))[0], 0xA5);
    drop_lent(1);
    return DV_OK;
}

/* The next batch; its matrices without gaps in *got. */
static dv_status next_batch(dv_feed *feed, way how, dvt_feed_rows *got, dv_feed_batch *batch)
{
    const size_t gap = how == FILL_WIDE ? 3 : 0;
    const size_t w = dv_feed_width(feed, 0), v = dv_feed_width(feed, 1);
    if (how == NEXT || how == RELEASED) {
        const dv_feed_batch *b;
        const dv_status status = dv_feed_next(feed, &b, &err);
        if (status != DV_OK)
            return status;
        *batch = *b;
        cr_assert_eq((uintptr_t)b->matrices[0].items % 64, 0);
        cr_assert_eq(b->matrices[0].stride, w);
        dvt_feed_copy(got, batch);
        if (how == RELEASED)
            dv_feed_return_batch(feed);
        return DV_OK;
    }
    memset(got->features, 0xA5, sizeof got->features);
    if (how == LENT || how == LENT_WIDE)
        return next_lent(feed, how == LENT_WIDE ? 3 : 0, got, batch);
    dv_feed_batch wide;
    float *x = malloc((w + gap) * DVT_FEED_ROWS * sizeof *x);
    int64_t *y = malloc((v + gap) * DVT_FEED_ROWS * sizeof *y);
    memset(x, 0xA5, (w + gap) * DVT_FEED_ROWS * sizeof *x);
    const dv_status status =
        dv_feed_fill(feed, (dv_feed_items[]){{x, w + gap}, {y, v + gap}}, &wide, &err);
    if (status == DV_OK) {
        cr_assert(wide.matrices[0].items == x && wide.matrices[0].stride == w + gap);
        cr_assert(wide.matrices[1].items == y && wide.matrices[1].stride == v + gap);
        *batch = wide;
        dvt_feed_copy(got, batch);
        for (int64_t i = 0; i < wide.rows && gap > 0; i++)
            cr_assert_eq(((uint8_t *)(x + (size_t)i * (w + gap) + w))[0], 0xA5);
    }
    free(x);
    free(y);
    return status;
}

/* Two epochs of a feed against the truth of each. */
static void expect_epochs(dv_view *view, dv_feed_options *options, way how)
{
    static dvt_feed_rows want, got;
    dv_feed *feed;
    dv_feed_batch batch;
    int64_t number = 0;
    begin_way(options, how);
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s", err.message);
    const dv_epoch_options *order = options->order;
    for (int64_t epoch = order->epoch; epoch < order->epoch + options->epochs; epoch++) {
        dvt_feed_truth(&want, view, options, epoch);
        const int64_t n = options->batch_rows;
        const int64_t end = options->drop_last ? want.rows / n * n : want.rows;
        for (int64_t at = 0; at < end; at += n) {
            cr_assert_eq(next_batch(feed, how, &got, &batch), DV_OK, "%s", err.message);
            const int64_t rows = end - at < n ? end - at : n;
            cr_assert_eq(batch.rows, rows);
            cr_assert_eq(batch.epoch, epoch);
            cr_assert_eq(batch.position, at);
            cr_assert_eq(batch.number, number++);
            dvt_feed_expect(&want, at, &got, rows);
        }
    }
    for (int i = 0; i < 2; i++)
        cr_assert_eq(next_batch(feed, how, &got, &batch), DV_END);
    dv_feed_close(&feed);
    drop_lent(LENT_MOST);
}

static const int64_t batch_rows[] = {1, 3, 64, ROWS, ROWS + 1};
static const int32_t prefetch[] = {0, 1, 4};

static void expect_all_ways(dv_view *view, dv_feed_options *options)
{
    for (size_t b = 0; b < COUNT(batch_rows); b++)
        for (size_t p = 0; p < COUNT(prefetch); p++)
            for (int k = 0; k < 2 * WAYS; k++) {
                options->batch_rows = batch_rows[b];
                options->prefetch = prefetch[p];
                options->drop_last = k % 2;
                expect_epochs(view, options, (way)(k / 2));
            }
}

Test(feed, rows_in_their_order)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.epochs = 2;
    options.ids = true;
    expect_all_ways(t->view, &options);
    t->many->table.rows_unknown = true; /* options of every feed */
    expect_all_ways(t->view, &options);
    dvt_feed_table_free(t);
}

Test(feed, every_shuffle_and_shard)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.epochs = 2;
    options.ids = true;
    t->order.seed = 11;
    t->order.epoch = 3;
    t->order.block_rows = 10;
    for (int k = DV_SHUFFLE_NONE; k <= DV_SHUFFLE_BLOCKS; k++) {
        t->order.shuffle = (dv_shuffle)k;
        t->order.shards = 1 + k % 2 * 2;
        t->order.shard = k % 2 * 2;
        expect_all_ways(t->held, &options);
    }
    dvt_feed_table_free(t);
}

Test(feed, matrices_of_every_item_and_without_labels)
{
    static dvt_feed_rows want;
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    const dv_feed_batch *batch;
    dv_feed *feed;
    options.batch_rows = ROWS;
    dv_feed_matrix matrices[] = {options.matrices[0], options.matrices[1]};
    matrices[0].items = DV_KIND_R8;
    matrices[1].items = DV_KIND_R4;
    options.matrices = matrices;
    dvt_feed_truth(&want, t->view, &options, 0);
    cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
    cr_expect_null(batch->ids);
    for (int64_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < batch->matrices[0].stride; k++) {
            const double x = ((const double *)batch->matrices[0].items)[(size_t)i * want.width + k];
            const float f4 = (float)x, wanted = want.features[i][k];
            cr_assert((isnan(f4) && isnan(wanted)) || f4 == wanted);
        }
    for (int64_t i = 0; i < ROWS; i++)
        cr_assert_eq(((const float *)batch->matrices[1].items)[i], (float)want.labels[i][0]);
    dv_feed_close(&feed);

    options.matrices = NULL; /* one of all columns */
    cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_feed_width(feed, 0), 7);
    cr_expect_eq(dv_feed_width(feed, 1), 0);
    cr_expect_eq(dv_feed_width(feed, -1), 0);
    cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
    dv_feed_close(&feed);

    matrices[0].columns = NULL; /* all but the label */
    options.matrices = matrices;
    cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_feed_width(feed, 0), 6);
    dv_feed_close(&feed);
    dvt_feed_table_free(t);
}

/* --- Ends ------------------------------------------------------------------------------------- */

/* Epochs without end; but if none has a batch, the feed ends. */
Test(feed, without_end)
{
    static dvt_feed_rows want, got;
    dvt_feed_table *t = dvt_feed_table_create(10, 3, NULL);
    for (size_t p = 0; p < COUNT(prefetch); p++) {
        const dv_feed_batch *batch;
        dv_feed *feed;
        dv_feed_options options = dvt_feed_options(&t->order);
        options.epochs = -1;
        options.batch_rows = 4;
        options.drop_last = true;
        options.prefetch = prefetch[p];
        dvt_feed_truth(&want, t->view, &options, 0);
        cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
        for (int64_t i = 0; i < 50; i++) {
            cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
            cr_assert_eq(batch->epoch, i / 2);
            dvt_feed_copy(&got, batch);
            dvt_feed_expect(&want, i % 2 * 4, &got, 4);
        }
        dv_feed_close(&feed);
        options.batch_rows = 11;
        cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_END);
        cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_END);
        dv_feed_close(&feed);
        options.epochs = 0;
        cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_END);
        dv_feed_close(&feed);
    }
    dvt_feed_table_free(t);
}

/* An error comes in place of the batch with its row: those before are sound, no row of that one is
 * handed out, and later calls return the error again. */
static void expect_error(dv_view *view, dv_feed_options *options, int64_t good, dv_status status)
{
    static dvt_feed_rows want, got;
    dv_feed_options lenient = *options;
    dv_dense_options features = *options->matrices[0].columns;
    dv_feed_matrix matrices[] = {options->matrices[0], options->matrices[1]};
    features.na = DV_DENSE_NA_KEEP;
    matrices[0].columns = &features;
    lenient.matrices = matrices;
    for (size_t p = 0; p < COUNT(prefetch); p++)
        for (int how = 0; how < WAYS; how++) {
            dv_feed_batch batch;
            dv_feed *feed;
            options->prefetch = prefetch[p];
            begin_way(options, (way)how);
            cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s", err.message);
            dvt_feed_truth_of(&want, view, &lenient, 0, good * options->batch_rows);
            for (int64_t i = 0; i < good; i++) {
                cr_assert_eq(next_batch(feed, (way)how, &got, &batch), DV_OK, "%s", err.message);
                dvt_feed_expect(&want, i * options->batch_rows, &got, batch.rows);
            }
            for (int i = 0; i < 2; i++) {
                err = (dv_error)DV_ERROR_INIT;
                cr_assert_eq(next_batch(feed, (way)how, &got, &batch), status);
                cr_assert_eq(err.status, status);
            }
            dv_feed_close(&feed);
            drop_lent(LENT_MOST);
        }
}

Test(feed, errors_in_place_of_their_batch)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.batch_rows = 10;
    t->many->table.bad_row =
        60; /* its block begins at row 56, so 6 rows of the batch can be read */
    expect_error(t->view, &options, 5, DV_ERR_CORRUPT);
    options.drop_last = true;
    expect_error(t->view, &options, 5, DV_ERR_CORRUPT);
    t->many->table.bad_row = 0;
    expect_error(t->view, &options, 0, DV_ERR_CORRUPT);
    t->many->table.bad_row = -1;

    dv_dense_options features = *options.matrices[0].columns;
    dv_feed_matrix matrices[] = {{&features, DV_KIND_R4, NULL}, options.matrices[1]};
    int64_t first = 0;
    while (!isnan(t->many->real[first]) || first < 33) {
        t->many->real[first] = 1;
        first++;
    }
    features.na = DV_DENSE_NA_REFUSED;
    options.matrices = matrices;
    expect_error(t->view, &options, first / 10, DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "na");
    dvt_feed_table_free(t);
}

Test(feed, na_as_the_options_say)
{
    static dvt_feed_rows want, got;
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    dv_dense_options features = *options.matrices[0].columns;
    dv_feed_matrix matrices[] = {{&features, DV_KIND_R4, NULL}, options.matrices[1]};
    const dv_feed_batch *batch;
    dv_feed *feed;
    int nas = 0;
    options.batch_rows = ROWS;
    dvt_feed_truth(&want, t->view, &options, 0);
    features.na = DV_DENSE_NA_VALUE;
    features.na_value = -7.5;
    options.matrices = matrices;
    cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
    dvt_feed_copy(&got, batch);
    for (int64_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < want.width; k++) {
            const bool is_na = isnan(want.features[i][k]);
            cr_assert_eq(got.features[i][k], is_na ? -7.5f : want.features[i][k]);
            nas += is_na;
        }
    cr_assert_gt(nas, 5);
    dv_feed_close(&feed);
    dvt_feed_table_free(t);
}

/* Wherever the thread is: at the first batch, between two, waiting for memory, at the end. */
Test(feed, closed_early)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.batch_rows = 5;
    options.prefetch = 3;
    for (int taken = 0; taken < 30; taken++) {
        const dv_feed_batch *batch;
        dv_feed *feed;
        cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
        for (int i = 0; i < taken; i++)
            cr_assert_eq(dv_feed_next(feed, &batch, &err), i < 27 ? DV_OK : DV_END);
        dv_feed_close(&feed);
        cr_assert_null(feed);
        dv_feed_close(&feed);
    }
    dvt_feed_table_free(t);
}

/* A batch that may have more rows than there are takes memory for those that there are. */
Test(feed, a_batch_of_all_rows)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    const dv_feed_batch *batch;
    dv_feed *feed;
    options.batch_rows = INT64_MAX;
    for (options.prefetch = 0; options.prefetch < 2; options.prefetch++) {
        cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
        cr_expect_eq(batch->rows, ROWS);
        cr_expect_eq(dv_feed_next(feed, &batch, &err), DV_END);
        dv_feed_close(&feed);
    }
    dvt_feed_table_free(t);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void expect_refused(dv_view *view, const dv_feed_options *options, const char *why)
{
    dv_feed *feed;
    err = (dv_error)DV_ERROR_INIT;
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_ERR_ARGUMENT, "%s", why);
    cr_assert_null(feed);
    cr_assert(strstr(err.message, why), "%s: %s", why, err.message);
}

Test(feed, options_that_cannot_be)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    const dv_feed_options good = dvt_feed_options(&t->order);
    const dv_epoch_options good_order = t->order;
    dv_dense_options dense = *good.matrices[0].columns;
    dv_feed_matrix matrices[] = {good.matrices[0], good.matrices[1]};
    const int32_t none = 9;
    dv_feed_options o = good;
    expect_refused(t->view, NULL, "batch_rows is 0");
    o.size = sizeof o + 1;
    expect_refused(t->view, &o, "DV_FEED_OPTIONS_INIT");
    o = good;
    o.batch_rows = 0;
    expect_refused(t->view, &o, "batch_rows is 0");
    t->many->table.rows_unknown = true;
    o.batch_rows = INT64_MAX;
    expect_refused(t->view, &o, "are too large for memory");
    t->many->table.rows_unknown = false;
    o = good;
    o.epochs = -2;
    expect_refused(t->view, &o, "epochs is -2");
    o = good;
    o.prefetch = -1;
    expect_refused(t->view, &o, "prefetch is -1");
    o = good;
    o.threads = -1;
    expect_refused(t->view, &o, "threads is -1");
    o = good;
    o.matrices_count = 0;
    expect_refused(t->view, &o, "0 matrices");
    o.matrices_count = DV_FEED_MATRICES_MOST + 1;
    expect_refused(t->view, &o, "65 matrices");
    o = good;
    o.matrices = matrices;
    matrices[0].items = DV_KIND_TX;
    expect_refused(t->view, &o, "features: items of TX");
    matrices[0].items = DV_KIND_R4;
    matrices[0].columns = matrices[1].columns = NULL;
    expect_refused(t->view, &o, "2 matrices without columns");
    matrices[1].columns = good.matrices[1].columns;
    dense.columns = NULL;
    dense.columns_count = 1;
    matrices[0].columns = &dense;
    expect_refused(t->view, &o, "columns is NULL");
    dense.columns = &none;
    expect_refused(t->view, &o, "column 9");
    matrices[0].columns = good.matrices[0].columns;
    matrices[1].columns = &dense;
    expect_refused(t->view, &o, "column 9");
    dense = *good.matrices[1].columns;
    dense.na = DV_DENSE_NA_VALUE;
    dense.na_value = 0.5;
    expect_refused(t->view, &o, "labels: na_value is 0.5");
    o = good;
    t->order.size = 0;
    expect_refused(t->view, &o, "DV_EPOCH_OPTIONS_INIT");
    t->order = good_order;
    t->order.epoch = -1;
    expect_refused(t->view, &o, "epoch is -1");
    t->order = good_order;
    t->order.shard = 1;
    dv_feed *feed;
    cr_expect_eq(dv_feed_open(&feed, t->view, &o, &err), DV_ERR_ARGUMENT);
    t->order = good_order;

    float x[64];
    int64_t y[8];
    dv_feed_batch batch;
    o.batch_rows = 2;
    cr_assert_eq(dv_feed_open(&feed, t->view, &o, &err), DV_OK);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{NULL, 6}, {y, 1}}, &batch, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{x, 5}, {y, 1}}, &batch, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{x, SIZE_MAX / 4}, {y, 1}}, &batch, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{x, 6}, {NULL, 1}}, &batch, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{x, 6}, {y, 0}}, &batch, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{x, 6}, {y, 1}}, &batch, &err), DV_OK);
    cr_expect_eq(batch.number, 0);
    dv_feed_close(&feed);
    dvt_feed_table_free(t);
}

/* --- Progress --------------------------------------------------------------------------------- */

typedef struct counter {
    int64_t calls, stop_at;
} counter;

static bool count_call(void *ctx, int64_t done, int64_t total)
{
    counter *c = ctx;
    (void)done;
    (void)total;
    return ++c->calls != c->stop_at;
}

/* Each epoch of a view that does not know its rows counts them; a report can stop the feed when it
 * is opened, and at a later epoch. */
Test(feed, counting_is_stopped)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 10, NULL);
    t->many->table.rows_unknown = true;
    t->order.shuffle = DV_SHUFFLE_POOL;
    dv_feed_options o = dvt_feed_options(&t->order);
    dv_feed *feed;
    const dv_feed_batch *batch;
    dv_view *view = dvt_made_table_open(&t->many->table, NULL);
    o.batch_rows = ROWS;
    o.epochs = 2;
    for (int32_t ahead = 0; ahead < 2; ahead++) {
        counter c = {0, 1};
        o.prefetch = ahead;
        o.progress = (dv_progress){count_call, &c};
        cr_expect_eq(dv_feed_open(&feed, view, &o, &err), DV_ERR_STOPPED);
        cr_expect_null(feed);
        c = (counter){0, 0};
        cr_assert_eq(dv_feed_open(&feed, view, &o, &err), DV_OK, "%s", err.message);
        if (!ahead)
            c.stop_at = c.calls + 1;
        cr_expect_eq(dv_feed_next(feed, &batch, &err), DV_OK);
        dv_status status = dv_feed_next(feed, &batch, &err);
        cr_expect_eq(status, ahead ? DV_OK : DV_ERR_STOPPED);
        cr_expect_eq(dv_feed_next(feed, &batch, &err), ahead ? DV_END : DV_ERR_STOPPED);
        dv_feed_close(&feed);
        cr_expect_gt(c.calls, 1);
    }
    dv_view_release(&view);
    dvt_feed_table_free(t);
}

/* What a feed refuses to be lent; a feed without the option lends nothing. */
Test(feed, what_cannot_be_lent)
{
    static float x[DVT_FEED_WIDTH * 4];
    static int64_t y[4];
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    const dv_feed_batch *batch;
    dv_feed_batch filled;
    dv_feed *feed;
    options.batch_rows = 4;
    cr_assert_eq(dv_feed_open(&feed, t->held, &options, &err), DV_OK);
    const size_t w = dv_feed_width(feed, 0);
    cr_expect_eq(dv_feed_lend(feed, (dv_feed_items[]){{x, w}, {y, 1}}, &err), DV_ERR_ARGUMENT);
    dv_feed_close(&feed);
    options.lent = true;
    options.ids = true;
    cr_assert_eq(dv_feed_open(&feed, t->held, &options, &err), DV_OK);
    cr_expect_eq(dv_feed_next(feed, &batch, &err), DV_ERR_ARGUMENT);
    cr_expect_null(batch);
    cr_expect_eq(dv_feed_fill(feed, (dv_feed_items[]){{x, w}, {y, 1}}, &filled, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_lend(feed, (dv_feed_items[]){{NULL, w}, {y, 1}}, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_lend(feed, (dv_feed_items[]){{x, w}, {NULL, 1}}, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_lend(feed, (dv_feed_items[]){{x, w - 1}, {y, 1}}, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_lend(feed, (dv_feed_items[]){{x, SIZE_MAX / 4}, {y, 1}}, &err),
                 DV_ERR_ARGUMENT);
    cr_assert_eq(dv_feed_lend(feed, (dv_feed_items[]){{x, w}, {y, 1}}, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
    cr_expect(batch->matrices[0].items == x && batch->matrices[1].items == y && batch->ids &&
              batch->rows == 4);
    dv_feed_close(&feed);
    dvt_feed_table_free(t);
}
