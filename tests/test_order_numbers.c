/* SPDX-License-Identifier: MIT */
/* test_order_numbers.c: whatever numbers the options of epochs, feeds and matrices hold, and views
 * of classes claim, a call succeeds or refuses them (as in test_option_numbers.c). */
#include "support/option_numbers.h"
#include "support/test.h"

TestSuite(order_numbers, .init = dvt_small_open, .fini = dvt_small_close);

/* --- Epochs and feeds ------------------------------------------------------------------------- */

static const dvt_number epoch_fields[] = {
    DVT_NUMBER(dv_epoch_options, block_rows), DVT_NUMBER(dv_epoch_options, pool_rows),
    DVT_NUMBER(dv_epoch_options, shards),     DVT_NUMBER(dv_epoch_options, start),
    DVT_NUMBER(dv_epoch_options, shuffle),    DVT_NUMBER(dv_epoch_options, seed),
    DVT_NUMBER(dv_epoch_options, epoch),      DVT_NUMBER(dv_epoch_options, shard),
    DVT_NUMBER(dv_epoch_options, shard_by),   DVT_NUMBER(dv_epoch_options, shard_size)};

static dv_status use_epoch(void *options, dv_error *err)
{
    dv_view *made;
    dv_status status =
        dv_view_epoch(&made, dvt_small_views[dvt_small_now], options, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, NULL, err);
    dv_view_release(&made);
    return status;
}

/* The same for data of 600 rows. */
static dv_status use_order(void *options, dv_error *err)
{
    int64_t rows[16], count;
    return dv_order_epoch(rows, 16, &count, 600, options, &dvt_small_allocator, err);
}

/* The batches of a feed in that order. */
static dv_status use_order_of_feed(void *options, dv_error *err)
{
    static const int32_t column[] = {3};
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    dv_feed_options how = DV_FEED_OPTIONS_INIT;
    dv_feed *feed;
    const dv_feed_batch *batch;
    how.order = options;
    how.batch_rows = 7;
    const dv_feed_matrix matrix = {&features, DV_KIND_R4, NULL};
    how.matrices = &matrix;
    how.matrices_count = 1;
    how.epochs = -1;
    features.columns = column;
    features.columns_count = 1;
    dv_status status = dv_feed_open(&feed, dvt_small_views[dvt_small_now], &how, err);
    for (int i = 0; i < 3 && status == DV_OK; i++)
        status = dv_feed_next(feed, &batch, err);
    dv_feed_close(&feed);
    return status;
}

static void try_epochs(const char *name, dv_status (*use)(void *options, dv_error *err))
{
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    for (int shuffle = DV_SHUFFLE_NONE; shuffle <= DV_SHUFFLE_BLOCKS; shuffle++)
        for (int32_t shards = 1; shards <= 3; shards += 2) {
            options.shuffle = (dv_shuffle)shuffle;
            options.shards = shards;
            /* of known and of unknown rows */
            dvt_numbered_try_tables(&DVT_NUMBERED(name, options, epoch_fields, 4, use),
                                    DVT_SMALL_IDV, DVT_SMALL_TEXT - DVT_SMALL_IDV);
        }
}

Test(order_numbers, epoch)
{
    try_epochs("epoch", use_epoch);
}

Test(order_numbers, order)
{
    try_epochs("order", use_order);
}

Test(order_numbers, order_of_a_feed)
{
    try_epochs("order of a feed", use_order_of_feed);
}

/* A mix of the table with itself, and where it is read. */
typedef struct mix_use {
    dv_mix_options mix;
    int64_t epoch, first_row;
} mix_use;

static const dvt_number mix_fields[] = {
    DVT_NUMBER(mix_use, mix.rows),  DVT_NUMBER(mix_use, epoch),    DVT_NUMBER(mix_use, first_row),
    DVT_NUMBER(mix_use, mix.order), DVT_NUMBER(mix_use, mix.stop), DVT_NUMBER(mix_use, mix.seed)};

static dv_status use_mix(void *options, dv_error *err)
{
    const mix_use *use = options;
    dv_view *const views[] = {dvt_small_views[dvt_small_now], dvt_small_views[dvt_small_now]};
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_view *made;
    cursor.epoch = use->epoch;
    cursor.first_row = use->first_row;
    cursor.take = 40;
    dv_status status = dv_view_mix(&made, views, 2, &use->mix, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, &cursor, err);
    dv_view_release(&made);
    return status;
}

static void try_mix(const double *weights, dv_mix_stop stop, dv_mix_order order, int step)
{
    mix_use use = {.mix = DV_MIX_OPTIONS_INIT};
    use.mix.weights = weights;
    use.mix.stop = stop;
    use.mix.order = order;
    dvt_numbered_try_tables(&DVT_NUMBERED("mix", use, mix_fields, 3, use_mix), DVT_SMALL_IDV, step);
}

Test(order_numbers, mix)
{
    static const double weights[][2] = {
        {1, 1e-300}, {5e-324, 1.7e308}, {1.7e308, 1.7e308}, {1, 65535}, {1, 65536}};
    for (int stop = DV_MIX_FIRST; stop <= DV_MIX_REPEAT; stop++)
        try_mix(NULL, (dv_mix_stop)stop, DV_MIX_RANDOM, 1);
    for (int i = 0; i < 5; i++)
        try_mix(weights[i], (dv_mix_stop)(i % 3), (dv_mix_order)(i % 2), DVT_SMALL_TEXT);
}

static dv_status use_feed(void *options, dv_error *err)
{
    static const int32_t column[] = {3};
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    dv_feed_options *how = options;
    dv_feed *feed;
    const dv_feed_batch *batch;
    dv_feed_matrix matrices[DV_FEED_MATRICES_MOST];
    for (int i = 0; i < DV_FEED_MATRICES_MOST; i++)
        matrices[i] = (dv_feed_matrix){&features, DV_KIND_R4, NULL};
    how->matrices = matrices;
    features.columns = column;
    features.columns_count = 1;
    dv_status status = dv_feed_open(&feed, dvt_small_views[0], how, err);
    for (int i = 0; i < 3 && status == DV_OK; i++)
        status = dv_feed_next(feed, &batch, err);
    dv_feed_close(&feed);
    return status;
}

Test(order_numbers, feed)
{
    static const dvt_number numbers[] = {
        DVT_NUMBER(dv_feed_options, matrices_count), DVT_NUMBER(dv_feed_options, batch_rows),
        DVT_NUMBER(dv_feed_options, epochs),         DVT_NUMBER(dv_feed_options, prefetch),
        DVT_NUMBER(dv_feed_options, threads),        DVT_NUMBER(dv_feed_options, worker),
        DVT_NUMBER(dv_feed_options, workers)};
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    options.matrices_count = 1;
    options.batch_rows = 50;
    dvt_numbered_try(&DVT_NUMBERED("feed", options, numbers, SIZE_MAX, use_feed));
}

/* A sample, and where it is read. */
typedef struct sample_use {
    dv_sample_options sample;
    int64_t epoch, first_row;
} sample_use;

static const dvt_number sample_fields[] = {DVT_NUMBER(sample_use, sample.rows),
                                           DVT_NUMBER(sample_use, sample.epoch),
                                           DVT_NUMBER(sample_use, epoch),
                                           DVT_NUMBER(sample_use, first_row),
                                           DVT_NUMBER(sample_use, sample.weight_column),
                                           DVT_NUMBER(sample_use, sample.class_column),
                                           DVT_NUMBER(sample_use, sample.threads),
                                           DVT_NUMBER(sample_use, sample.weights_count),
                                           DVT_NUMBER(sample_use, sample.seed)};

static dv_status use_sample(void *options, dv_error *err)
{
    const sample_use *use = options;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_view *made;
    cursor.epoch = use->epoch;
    cursor.first_row = use->first_row;
    cursor.take = 40;
    dv_status status = dv_view_sample(&made, dvt_small_views[dvt_small_now], &use->sample,
                                      &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, &cursor, err);
    dv_view_release(&made);
    return status;
}

Test(order_numbers, sample)
{
    for (int kind = 0; kind < 4; kind++) {
        sample_use use = {.sample = DV_SAMPLE_OPTIONS_INIT};
        use.sample.replace = kind % 2;
        use.sample.in_order = kind == 2;
        use.sample.class_column = kind == 3 ? 0 : -1;
        dvt_numbered_try_tables(&DVT_NUMBERED("sample", use, sample_fields, 4, use_sample),
                                DVT_SMALL_IDV, DVT_SMALL_TEXT - DVT_SMALL_IDV);
    }
}

/* --- Sequences -------------------------------------------------------------------------------- */

/* Buckets by the lengths of a column, and where they are read. */
typedef struct bucket_use {
    dv_bucket_options bucket;
    int64_t epoch, first_row;
    int32_t column;
} bucket_use;

static const dvt_number bucket_fields[] = {
    DVT_NUMBER(bucket_use, bucket.batch_rows), DVT_NUMBER(bucket_use, bucket.pool_rows),
    DVT_NUMBER(bucket_use, bucket.shuffle),    DVT_NUMBER(bucket_use, bucket.seed),
    DVT_NUMBER(bucket_use, bucket.threads),    DVT_NUMBER(bucket_use, epoch),
    DVT_NUMBER(bucket_use, first_row),         DVT_NUMBER(bucket_use, column)};

static dv_status use_bucket(void *options, dv_error *err)
{
    const bucket_use *use = options;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_view *made;
    cursor.epoch = use->epoch;
    cursor.first_row = use->first_row;
    cursor.take = 40;
    dv_status status = dv_view_bucket(&made, dvt_small_views[dvt_small_now], use->column,
                                      &use->bucket, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, &cursor, err);
    dv_view_release(&made);
    return status;
}

Test(order_numbers, bucket)
{
    for (int32_t column = 0; column < 4; column++) {
        bucket_use use = {.bucket = DV_BUCKET_OPTIONS_INIT, .column = column};
        use.bucket.shuffle = (dv_shuffle)(column % 3);
        dvt_numbered_try_tables(&DVT_NUMBERED("bucket", use, bucket_fields, 4, use_bucket),
                                DVT_SMALL_IDV, DVT_SMALL_TEXT - DVT_SMALL_IDV);
    }
}

typedef struct pack_use {
    dv_pack_options pack;
    int64_t first_row;
    int32_t column;
} pack_use;

static const dvt_number pack_fields[] = {
    DVT_NUMBER(pack_use, pack.tokens),   DVT_NUMBER(pack_use, pack.how),
    DVT_NUMBER(pack_use, pack.too_long), DVT_NUMBER(pack_use, pack.window),
    DVT_NUMBER(pack_use, pack.seed),     DVT_NUMBER(pack_use, pack.threads),
    DVT_NUMBER(pack_use, first_row),     DVT_NUMBER(pack_use, column)};

static dv_status use_pack(void *options, dv_error *err)
{
    pack_use *use = options;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_view *made;
    cursor.first_row = use->first_row;
    cursor.take = 40;
    use->pack.columns = &use->column;
    use->pack.columns_count = 1;
    dv_status status =
        dv_view_pack(&made, dvt_small_views[dvt_small_now], &use->pack, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, &cursor, err);
    dv_view_release(&made);
    return status;
}

Test(order_numbers, pack)
{
    for (int32_t column = 0; column < 6; column++) {
        pack_use use = {.pack = DV_PACK_OPTIONS_INIT, .column = column};
        use.pack.shuffle = column % 2;
        dvt_numbered_try_tables(&DVT_NUMBERED("pack", use, pack_fields, 4, use_pack), DVT_SMALL_IDV,
                                DVT_SMALL_TEXT - DVT_SMALL_IDV);
    }
}

/* --- Matrices --------------------------------------------------------------------------------- */

/* The width of the only column. */
typedef struct dense {
    dv_dense_options options;
    dv_kind items;
    size_t width;
} dense;

static dv_status use_dense(void *options, dv_error *err)
{
    static const int32_t column[] = {0};
    dense *how = options;
    size_t width;
    dv_feed_options feed_options = DV_FEED_OPTIONS_INIT;
    dv_feed *feed;
    const dv_feed_batch *batch;
    how->options.widths = &how->width;
    how->options.columns = how->options.columns_count > 1 ? NULL : column;
    dv_status status = dv_dense_width(&width, dv_view_schema(dvt_small_views[1]), how->items, NULL,
                                      &how->options, err);
    if (status != DV_OK || width > 10000) /* which need memory */
        return status;
    feed_options.batch_rows = 2;
    const dv_feed_matrix matrix = {&how->options, how->items, NULL};
    feed_options.matrices = &matrix;
    feed_options.matrices_count = 1;
    status = dv_feed_open(&feed, dvt_small_views[1], &feed_options, err);
    if (status == DV_OK)
        status = dv_feed_next(feed, &batch, err);
    dv_feed_close(&feed);
    return status;
}

Test(order_numbers, dense)
{
    static const dvt_number numbers[] = {
        DVT_NUMBER(dense, options.columns_count), DVT_NUMBER(dense, options.na),
        DVT_NUMBER(dense, options.cut), DVT_NUMBER(dense, items), DVT_NUMBER(dense, width)};
    const dense options = {.options = {.size = sizeof options.options, .columns_count = 1},
                           .items = DV_KIND_R8};
    dvt_numbered_try(&DVT_NUMBERED("dense", options, numbers, SIZE_MAX, use_dense));
}

static dv_status use_csr(void *options, dv_error *err)
{
    dv_csr *csr;
    const dv_status status = dv_csr_create(&csr, dvt_small_views[1], options, err);
    dv_csr_free(&csr);
    return status;
}

Test(order_numbers, csr)
{
    static const dvt_number numbers[] = {
        DVT_NUMBER(dv_csr_options, column),    DVT_NUMBER(dv_csr_options, indptr),
        DVT_NUMBER(dv_csr_options, data),      DVT_NUMBER(dv_csr_options, threads),
        DVT_NUMBER(dv_csr_options, first_row), DVT_NUMBER(dv_csr_options, end_row)};
    const dv_csr_options options = DV_CSR_OPTIONS_INIT;
    dvt_numbered_try(&DVT_NUMBERED("csr", options, numbers, SIZE_MAX, use_csr));
}

/* --- Views of views, and classes -------------------------------------------------------------- */

typedef struct slice {
    int64_t skip, take, again_skip, again_take;
} slice;

static dv_status use_slice(void *options, dv_error *err)
{
    const slice *how = options;
    dv_view *one, *two = NULL;
    dv_status status = dv_view_slice(&one, dvt_small_views[dvt_small_now], how->skip, how->take,
                                     &dvt_small_allocator, err);
    if (status == DV_OK)
        status =
            dv_view_slice(&two, one, how->again_skip, how->again_take, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(two, NULL, err);
    dv_view_release(&two);
    dv_view_release(&one);
    return status;
}

Test(order_numbers, slice)
{
    static const dvt_number numbers[] = {DVT_NUMBER(slice, skip), DVT_NUMBER(slice, take),
                                         DVT_NUMBER(slice, again_skip),
                                         DVT_NUMBER(slice, again_take)};
    const slice options = {0, -1, 0, -1};
    dvt_numbered_try_tables(&DVT_NUMBERED("slice", options, numbers, SIZE_MAX, use_slice), 0, 1);
}

/* A view that reports rows and rows of a block, and has none. */
typedef struct claim {
    int64_t rows, block_rows;
} claim;

static int64_t claimed_rows(void *self)
{
    return ((const claim *)self)->rows;
}

static int64_t claimed_block_rows(void *self)
{
    return ((const claim *)self)->block_rows;
}

static dv_status open_claim(void *self, const dv_cursor_request *request, void **cursor_out,
                            dv_error *err)
{
    (void)request;
    (void)err;
    *cursor_out = self;
    return DV_OK;
}

static dv_status next_of_claim(void *cursor, dv_batch *batch, dv_error *err)
{
    (void)cursor;
    (void)batch;
    (void)err;
    return DV_END;
}

static dv_status make_claim(dv_view **view_out, claim *self, dv_error *err)
{
    static const dv_view_class cls = {.size = sizeof cls,
                                      .kind = "claim",
                                      .rows = claimed_rows,
                                      .block_rows = claimed_block_rows,
                                      .open_cursor = open_claim,
                                      .next = next_of_claim};
    dv_schema *schema;
    int32_t column;
    dv_status status = dv_schema_create(&schema, &dvt_small_allocator, err);
    const dv_type type = dv_type_of(DV_KIND_R4);
    if (status == DV_OK)
        status = dv_schema_add(schema, dv_text_of("x"), &type, &column, err);
    if (status == DV_OK)
        status = dv_view_create(view_out, &cls, self, &schema, &dvt_small_allocator, err);
    dv_schema_free(&schema);
    return status;
}

static dv_status use_claim(void *options, dv_error *err)
{
    dv_view *view = NULL, *made;
    dv_epoch_options epoch = DV_EPOCH_OPTIONS_INIT;
    dv_status status = make_claim(&view, options, err);
    if (status != DV_OK)
        return status;
    dvt_read_rows(view, NULL, NULL);
    for (int shuffle = DV_SHUFFLE_NONE; shuffle <= DV_SHUFFLE_BLOCKS; shuffle++)
        for (epoch.shards = 1; epoch.shards <= 3; epoch.shards += 2) {
            if (shuffle == DV_SHUFFLE_POOL)
                continue; /* draws as many numbers as there are blocks */
            epoch.shuffle = (dv_shuffle)shuffle;
            status = dv_view_epoch(&made, view, &epoch, &dvt_small_allocator, NULL);
            if (status == DV_OK)
                dvt_read_rows(made, NULL, NULL);
            dv_view_release(&made);
        }
    status = dv_view_slice(&made, view, 5, -1, &dvt_small_allocator, err);
    if (status == DV_OK)
        dvt_read_rows(made, NULL, NULL);
    dv_view_release(&made);
    status = dv_view_concat(&made, (dv_view *[]){view, view}, 2, &dvt_small_allocator, err);
    if (status == DV_OK)
        dvt_read_rows(made, NULL, NULL);
    dv_view_release(&made);
    dv_view_release(&view);
    dvt_small_refused = 0; /* an order of that many rows may need more memory than there is */
    return DV_OK;
}

Test(order_numbers, claims_of_a_class)
{
    static const dvt_number numbers[] = {DVT_NUMBER(claim, rows), DVT_NUMBER(claim, block_rows)};
    const claim options = {10, 0};
    dvt_numbered_try(&DVT_NUMBERED("claim", options, numbers, SIZE_MAX, use_claim));
}
