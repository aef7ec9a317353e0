/* SPDX-License-Identifier: MIT */
/* every_use.c: calls every function of the library that reads a view. */
#include "support/every_use.h"
#include "support/arrow_check.h"
#include "support/drawn_chain.h"
#include "support/every_value.h"
#include "support/many_rows.h"
#include <dataview/dataview.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define DENSE_NBYTES ((size_t)1 << 20)
#define SAVED_NBYTES (8 << 20)

static void use_metadata(dvt_use *u)
{
    const dv_schema *schema = dv_view_schema(u->view);
    for (int32_t k = 0; k < dv_schema_columns(schema); k++)
        for (int32_t i = 0; i < dv_schema_column(schema, k)->metadata_count; i++) {
            const dv_batch *value;
            if (dv_schema_metadata_value(schema, k, i, &value, NULL) != DV_OK)
                continue;
            dvt_use_batch(u, value);
            dv_batch_release(&value);
        }
}

static bool go_on(void *ctx, const dv_error *what)
{
    (void)what;
    return ++*(int *)ctx < 100;
}

static void use_inspect(dvt_use *u)
{
    dv_facts *facts;
    if (dv_inspect(&facts, u->view, NULL) == DV_OK)
        dv_facts_free(&facts);
}

static void use_verify(dvt_use *u)
{
    int defects = 0;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = go_on;
    options.ctx = &defects;
    dv_verify(u->view, &options, NULL);
}

static void use_batches(dvt_use *u)
{
    dvt_use_rows(u, u->view);
}

static void use_rows(dvt_use *u)
{
    dv_row_cursor *cursor;
    dv_cursor_options options = dvt_use_options(u);
    if (dv_row_cursor_open(&cursor, u->view, &options, NULL) == DV_OK) {
        while (dv_row_next(cursor, NULL) == DV_OK)
            for (int32_t k = 0; k < options.columns_count; k++) {
                dv_value value;
                dv_text text;
                if (dv_row_value(cursor, options.columns[k], &value, NULL) == DV_OK)
                    dvt_use_value(&value);
                dv_row_tx(cursor, options.columns[k], &text, NULL);
            }
        dv_row_cursor_close(&cursor);
    }
    dvt_all_columns_free(&options);
}

static void use_set(dvt_use *u)
{
    dv_cursor *members[3];
    int32_t n = 0;
    dv_cursor_options options = dvt_use_options(u);
    if (dv_cursor_set_open(members, COUNT(members), &n, u->view, &options, NULL) == DV_OK)
        for (int32_t i = 0; i < n; i++)
            dvt_use_cursor(u, members[i]);
    dvt_all_columns_free(&options);
}

static void use_token(dvt_use *u)
{
    dv_token token;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = 2;
    options.threads = 1;
    if (dv_cursor_open(&cursor, u->view, &options, NULL) != DV_OK)
        return;
    dv_cursor_next(cursor, &batch, NULL);
    const dv_status status = dv_cursor_token(cursor, &token, NULL);
    dv_cursor_close(&cursor);
    options.token = token.text;
    if (status == DV_OK && dv_cursor_open(&cursor, u->view, &options, NULL) == DV_OK)
        dvt_use_cursor(u, cursor);
}

/* --- Matrices --------------------------------------------------------------------------------- */

static dv_kind items_of(dvt_use *u)
{
    static const dv_kind items[] = {DV_KIND_I1, DV_KIND_U1, DV_KIND_I2, DV_KIND_U2,
                                    DV_KIND_I4, DV_KIND_U4, DV_KIND_I8, DV_KIND_U8,
                                    DV_KIND_R2, DV_KIND_B2, DV_KIND_R4, DV_KIND_R8};
    return items[dvt_use_draw(u, sizeof items / sizeof *items)];
}

static void fill_dense(dvt_use *u, const dv_batch *batch, void *dst)
{
    size_t width = 1 + dvt_use_draw(u, 40);
    for (int32_t k = 0; k < batch->columns; k++) {
        dv_dense_options options = DV_DENSE_OPTIONS_INIT;
        const int32_t size = dv_batch_column(batch, k)->type.size;
        if (size > 0)
            width = (size_t)size + dvt_use_draw(u, 2);
        options.columns = &k;
        options.columns_count = 1;
        options.widths = dv_type_is_vector(&dv_batch_column(batch, k)->type) ? &width : NULL;
        options.na = dvt_use_draw(u, 2) ? DV_DENSE_NA_KEEP : DV_DENSE_NA_VALUE;
        const size_t stride = width + dvt_use_draw(u, 3);
        if (stride * 8 * (size_t)batch->rows > DENSE_NBYTES)
            continue;
        dvt_use_pause(u);
        dv_batch_dense(batch, DV_KIND_R4, dst, stride, &options, NULL);
        dv_batch_dense(batch, DV_KIND_R8, dst, stride, &options, NULL);
        dv_batch_dense(batch, items_of(u), dst, stride, &options, NULL);
        options.na = DV_DENSE_NA_MASK;
        dv_batch_dense(batch, DV_KIND_U1, dst, stride, &options, NULL);
        options.na = DV_DENSE_NA_REFUSED;
        dv_batch_dense(batch, DV_KIND_R4, dst, stride, &options, NULL);
        dv_column_dense(dv_batch_column(batch, k), DV_KIND_R8, dst, width, stride, NULL);
    }
}

static void use_dense(dvt_use *u)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = dvt_use_options(u);
    void *dst = malloc(DENSE_NBYTES);
    if (dst && dv_cursor_open(&cursor, u->view, &options, NULL) == DV_OK) {
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            fill_dense(u, batch, dst);
        dv_cursor_close(&cursor);
    }
    free(dst);
    dvt_all_columns_free(&options);
}

/* Bytes may change while this reads, so what the check says does not matter. */
static void use_arrow(dvt_use *u)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    dv_cursor_options cursor = dvt_use_options(u);
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    options.cursor = &cursor;
    options.keys = (dv_arrow_keys)(dvt_use_draw(u, 3));
    options.vectors = (dv_arrow_vectors)(dvt_use_draw(u, 3));
    options.made_nbytes = 1 + (int64_t)(dvt_use_draw(u, 4096));
    options.offsets = options.nan_is_null = dvt_use_draw(u, 2);
    const dv_status status = dv_view_export_arrow(u->view, &stream, &options, NULL);
    dvt_all_columns_free(&cursor);
    if (status != DV_OK)
        return;
    if (stream.get_schema(&stream, &schema) == 0) {
        for (int i = 0; i < 50 && stream.get_next(&stream, &array) == 0 && array.release; i++) {
            dvt_arrow_array_wrong(&array, &schema);
            array.release(&array);
        }
        schema.release(&schema);
    }
    stream.release(&stream);
}

static void use_csr(dvt_use *u)
{
    dv_csr *csr;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    options.threads = u->threads;
    options.all_slots = dvt_use_draw(u, 2);
    options.data = dvt_use_draw(u, 2) ? DV_KIND_R4 : DV_KIND_R8;
    options.indptr = dvt_use_draw(u, 2) ? DV_KIND_I4 : DV_KIND_I8;
    const int32_t columns = dv_schema_columns(dv_view_schema(u->view));
    for (options.column = 0; options.column < columns; options.column++) {
        dv_csr filled;
        int64_t rows = 0, entries = 0;
        if (dv_csr_measure(&rows, &entries, u->view, &options, NULL) != DV_OK ||
            rows > DVT_USE_ROWS || entries > (1 << 20))
            continue;
        /* exact room: a file that says more later must not get it */
        const dv_csr_room room = {malloc(8 * (size_t)(rows + 1)), malloc(4 * (size_t)entries + 1),
                                  malloc(8 * (size_t)entries + 1), rows, entries};
        dvt_use_pause(u);
        if (room.indptr && room.indices && room.data)
            dv_csr_fill(&filled, &room, u->view, &options, NULL);
        free(room.indptr);
        free(room.indices);
        free(room.data);
        if (dv_csr_create(&csr, u->view, &options, NULL) != DV_OK)
            continue;
        const size_t width = (size_t)csr->columns;
        double *dst =
            width < 4096 && csr->rows < 100 ? malloc(8 * width * (size_t)csr->rows + 8) : NULL;
        if (dst)
            dv_csr_dense_f8(csr, 0, -1, dst, width, width, NULL);
        free(dst);
        dv_csr_free(&csr);
    }
}

static void use_feed(dvt_use *u)
{
    const dv_schema *schema = dv_view_schema(u->view);
    for (int32_t k = 0; k < dv_schema_columns(schema); k++) {
        dv_feed *feed;
        const dv_feed_batch *batch;
        dv_feed_options options = DV_FEED_OPTIONS_INIT;
        dv_dense_options columns = DV_DENSE_OPTIONS_INIT;
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        const dv_type *type = &dv_schema_column(schema, k)->type;
        const size_t width = type->size > 0 ? (size_t)type->size : 1 + dvt_use_draw(u, 40);
        if (width > 4096)
            continue;
        columns.columns = &k;
        columns.columns_count = 1;
        columns.widths = dv_type_is_vector(type) ? &width : NULL;
        const dv_feed_matrix matrix = {&columns, items_of(u), NULL};
        options.matrices = &matrix;
        options.matrices_count = 1;
        options.batch_rows = 1 + (int64_t)dvt_use_draw(u, 8);
        options.prefetch = u->threads > 1 ? 2 : 0;
        options.threads = u->threads;
        options.epochs = 2;
        order.shuffle = (dv_shuffle)dvt_use_draw(u, 4);
        order.block_rows = (int64_t)dvt_use_draw(u, 4);
        options.order = &order;
        if (dv_feed_open(&feed, u->view, &options, NULL) != DV_OK)
            continue;
        for (int i = 0; i < 100 && dv_feed_next(feed, &batch, NULL) == DV_OK; i++)
            dvt_use_pause(u);
        dv_feed_close(&feed);
    }
}

/* --- Statistics and files --------------------------------------------------------------------- */

static void use_stats(dvt_use *u)
{
    dv_stats *stats;
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = dvt_use_options(u);
    options.cursor = &cursor;
    if (dvt_use_draw(u, 2))
        options.exact_values = options.exact_distinct = (int64_t)dvt_use_draw(u, 4);
    if (dv_stats_create(&stats, u->view, &options, NULL) == DV_OK)
        dv_stats_free(&stats);
    dv_counts *counts;
    dv_counts_options few = DV_COUNTS_OPTIONS_INIT;
    few.cursor = &cursor;
    few.exact_distinct = 1 + (int64_t)dvt_use_draw(u, 100);
    few.most = 1;
    if (dv_counts_create(&counts, u->view, 0, &few, NULL) == DV_OK)
        dv_counts_free(&counts);
    dvt_all_columns_free(&cursor);
}

static dv_save_options save_options(dvt_use *u)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allocator = u->allocator;
    options.threads = u->threads;
    options.hidden = dvt_use_draw(u, 2);
    options.take = DVT_USE_ROWS;
    options.allow_loss = UINT32_MAX;
    options.memory_nbytes = SAVED_NBYTES;
    options.rows_per_block = (int64_t)dvt_use_draw(u, 6);
    options.compression = (dv_compression)dvt_use_draw(u, 3);
    options.idv_bool_2bit = dvt_use_draw(u, 2);
    options.idv_old_keys = dvt_use_draw(u, 4) == 0;
    options.canonical = dvt_use_draw(u, 2);
    return options;
}

static bool note_loss(void *ctx, const dv_loss_report *report)
{
    *(size_t *)ctx += strlen(report->sentence);
    return true;
}

/* All columns; if the format cannot hold them, each alone. */
static void save_as(dvt_use *u, dv_view *view, const char *format)
{
    dv_buffer file = {0};
    size_t nbytes = 0;
    dv_save_options options = save_options(u);
    const uint32_t losses = DV_LOSS_COLUMNS | DV_LOSS_METADATA | DV_LOSS_NAMES | DV_LOSS_TYPES |
                            DV_LOSS_PRECISION | DV_LOSS_NA | DV_LOSS_BREAKS;
    options.format = format;
    options.allow_loss = losses;
    options.datadings = dvt_use_draw(u, 2) ? "key=rownumber" : NULL;
    static const char *const texts[] = {NULL, "sep=,", "sep=space", "dense+ header-"};
    options.text = strcmp(format, "text") == 0 ? texts[dvt_use_draw(u, COUNT(texts))] : NULL;
    dv_save_check(view, NULL, &options, note_loss, &nbytes, NULL);
    if (dv_save_memory(view, &file, &options, NULL) == DV_OK)
        dv_buffer_release(&file);
    options.columns_count = 1;
    const int32_t columns = dv_schema_columns(dv_view_schema(view));
    for (int32_t k = 0; k < columns; k++) {
        options.columns = &k;
        if (dv_save_memory(view, &file, &options, NULL) == DV_OK)
            dv_buffer_release(&file);
    }
}

#define USE_SAVE(name)                                                                             \
    static void use_save_##name(dvt_use *u)                                                        \
    {                                                                                              \
        save_as(u, u->view, #name);                                                                \
    }
USE_SAVE(idv)
USE_SAVE(btable)
USE_SAVE(datadings)
USE_SAVE(text)

/* --- Views ------------------------------------------------------------------------------------ */

static void use_take(dvt_use *u)
{
    dv_view *taken;
    int64_t rows[20];
    const int64_t n = dv_view_rows(u->view);
    for (int i = 0; i < COUNT(rows); i++)
        rows[i] = (int64_t)dvt_use_draw(u, n > 0 ? (uint64_t)n : 8);
    dvt_use_made(u, dv_view_take(&taken, u->view, rows, COUNT(rows), u->allocator, NULL), &taken);
}

static void use_sample(dvt_use *u)
{
    const int32_t columns = dv_schema_columns(dv_view_schema(u->view));
    for (int kind = 0; kind < 6; kind++) {
        dv_view *drawn;
        dv_sample_options options = DV_SAMPLE_OPTIONS_INIT;
        const int32_t column = columns > 0 ? (int32_t)dvt_use_draw(u, (uint64_t)columns) : -1;
        options.rows = (int64_t)dvt_use_draw(u, 30);
        options.replace = kind % 2;
        options.in_order = kind == 0;
        options.weight_column = kind / 2 == 1 ? column : -1;
        options.class_column = kind / 2 == 2 ? column : -1;
        options.threads = u->threads;
        dvt_use_made(u, dv_view_sample(&drawn, u->view, &options, u->allocator, NULL), &drawn);
    }
}

static void use_bucket(dvt_use *u)
{
    const int32_t columns = dv_schema_columns(dv_view_schema(u->view));
    for (int shuffle = 0; shuffle < 3; shuffle++) {
        dv_view *made;
        dv_bucket_options options = DV_BUCKET_OPTIONS_INIT;
        const int32_t column = columns > 0 ? (int32_t)dvt_use_draw(u, (uint64_t)columns) : -1;
        options.batch_rows = 1 + (int64_t)dvt_use_draw(u, 9);
        options.shuffle = (dv_shuffle)shuffle;
        options.threads = u->threads;
        dvt_use_made(u, dv_view_bucket(&made, u->view, column, &options, u->allocator, NULL),
                     &made);
    }
}

static void use_pack(dvt_use *u)
{
    const int32_t columns = dv_schema_columns(dv_view_schema(u->view));
    for (int how = 0; how < 2; how++) {
        dv_view *made;
        dv_pack_options options = DV_PACK_OPTIONS_INIT;
        const int32_t column = columns > 0 ? (int32_t)dvt_use_draw(u, (uint64_t)columns) : -1;
        options.columns = &column;
        options.columns_count = 1;
        options.tokens = 1 + (int64_t)dvt_use_draw(u, 30);
        options.how = (dv_pack_how)how;
        options.too_long = how == DV_PACK_WHOLE ? DV_PACK_LONG_SPLIT : DV_PACK_LONG_REFUSE;
        options.shuffle = dvt_use_draw(u, 2);
        options.threads = u->threads;
        dvt_use_made(u, dv_view_pack(&made, u->view, &options, u->allocator, NULL), &made);
    }
}

static void use_exclude(dvt_use *u)
{
    dv_view *rest;
    const int64_t n = dv_view_rows(u->view);
    const int64_t row = (int64_t)dvt_use_draw(u, n > 0 ? (uint64_t)n : 8);
    dvt_use_made(u, dv_view_exclude(&rest, u->view, &row, 1, u->allocator, NULL), &rest);
}

static void use_epoch(dvt_use *u)
{
    for (int shuffle = 0; shuffle < 4; shuffle++) {
        dv_view *epoch;
        dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
        options.shuffle = (dv_shuffle)shuffle;
        options.seed = u->state;
        options.block_rows = (int64_t)dvt_use_draw(u, 4);
        dvt_use_made(u, dv_view_epoch(&epoch, u->view, &options, u->allocator, NULL), &epoch);
    }
}

static void use_memory(dvt_use *u)
{
    dv_view *kept;
    dv_materialize_options options = DV_MATERIALIZE_OPTIONS_INIT;
    dv_cursor_options cursor = dvt_use_options(u);
    options.cursor = &cursor;
    dvt_use_made(u, dv_view_materialize(&kept, u->view, &options, u->allocator, NULL), &kept);
    dvt_all_columns_free(&cursor);
}

static void use_cache(dvt_use *u)
{
    dv_view *cached;
    dvt_use_made(u, dv_view_cache(&cached, u->view, NULL, u->allocator, NULL), &cached);
}

/* Each column to text, and each text to other types. */
static void use_convert(dvt_use *u)
{
    static const dv_kind kinds[] = {DV_KIND_TX, DV_KIND_R4, DV_KIND_I2, DV_KIND_BL,
                                    DV_KIND_DT, DV_KIND_DZ, DV_KIND_U4};
    const dv_schema *schema = dv_view_schema(u->view);
    for (int32_t k = 0; k < dv_schema_columns(schema); k++)
        for (int i = 0; i < COUNT(kinds); i++) {
            dv_view *converted;
            const dv_conversion_spec spec = {dv_schema_column(schema, k)->name, dv_text_of("new"),
                                             dv_type_of(kinds[i])};
            if (dv_view_convert(&converted, u->view, &spec, 1, u->allocator, NULL) != DV_OK)
                continue;
            dv_view *alone;
            const dv_text name = dv_text_of("new");
            dvt_use_made(u, dv_view_keep(&alone, converted, &name, 1, u->allocator, NULL), &alone);
            dv_view_release(&converted);
        }
}

static void use_filter(dvt_use *u)
{
    static const char *const values[] = {"1", "true", "a", "2020-01-01"};
    const dv_schema *schema = dv_view_schema(u->view);
    for (int32_t k = 0; k < dv_schema_columns(schema); k++) {
        dv_view *passed;
        const dv_text name = dv_schema_column(schema, k)->name;
        const dv_range range = {true, false, 0, 0, 0, 0, dvt_use_draw(u, 2)};
        for (int i = 0; i < COUNT(values); i++) {
            const dv_condition condition = {name, i == 0 ? DV_IS_VALUE : DV_IS_LESS | DV_IS_NA,
                                            dv_text_of(values[i])};
            dvt_use_made(u, dv_view_filter(&passed, u->view, &condition, 1, u->allocator, NULL),
                         &passed);
        }
        dvt_use_made(
            u,
            dv_view_filter_na(&passed, u->view, &name, 1, dvt_use_draw(u, 2), u->allocator, NULL),
            &passed);
        dvt_use_made(u, dv_view_filter_range(&passed, u->view, name, &range, u->allocator, NULL),
                     &passed);
    }
}

/* All columns of a type side by side, in one vector. */
static void use_combine(dvt_use *u)
{
    const dv_schema *schema = dv_view_schema(u->view);
    const int32_t columns = dv_schema_columns(schema);
    for (int32_t k = 0; k < columns; k++) {
        dv_view *combined;
        dv_column_spec specs[3];
        for (int i = 0; i < COUNT(specs); i++)
            specs[i] = (dv_column_spec){dv_schema_column(schema, k)->name, dv_text_of(NULL)};
        dvt_use_made(u,
                     dv_view_combine(&combined, u->view, dv_text_of("all"), specs, COUNT(specs),
                                     u->allocator, NULL),
                     &combined);
    }
}

static void use_several(dvt_use *u)
{
    dv_view *views[] = {u->view, u->view, u->view}, *made;
    dvt_use_made(u, dv_view_concat(&made, views, COUNT(views), u->allocator, NULL), &made);
    dvt_use_made(u, dv_view_zip(&made, views, COUNT(views), u->allocator, NULL), &made);
    dvt_use_made(
        u,
        dv_view_bootstrap(&made, u->view, (uint32_t)dvt_use_draw(u, 99), false, u->allocator, NULL),
        &made);
}

static void use_chain(dvt_use *u)
{
    uint8_t bytes[120];
    dv_view *made;
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < COUNT(bytes); i++)
        bytes[i] = (uint8_t)dvt_use_draw(u, 256);
    dvt_draws draws = {bytes, sizeof bytes};
    if (dvt_drawn_chain(&made, u->view, &draws, u->allocator, NULL, &err) != DV_OK)
        return;
    dvt_use on_chain = *u;
    on_chain.view = made;
    dvt_use_rows(u, made);
    static void (*const after[])(dvt_use *) = {use_stats, use_save_idv, use_save_text, use_dense,
                                               use_feed};
    after[dvt_use_draw(u, COUNT(after))](&on_chain);
    dv_view_release(&made);
}

static void use_keys(dvt_use *u)
{
    bool does;
    int64_t row;
    unsigned sum = 0;
    const int64_t rows = dv_view_rows(u->view);
    for (int64_t i = 0; i < rows && i < 50; i++) {
        dv_buffer key = {0}, message = {0};
        if (dv_datadings_key(u->view, i, &key, NULL) == DV_OK) {
            dvt_use_pause(u);
            dvt_look(&sum, key.data, key.nbytes);
            const dv_text text = {key.data, (int64_t)key.nbytes};
            dv_datadings_find(u->view, text, &row, NULL);
            dv_datadings_contains(u->view, text, &does, NULL);
            dv_buffer_release(&key);
        }
        if (dv_datadings_message(u->view, i, &message, NULL) == DV_OK) {
            dvt_look(&sum, message.data, message.nbytes);
            dv_buffer_release(&message);
        }
    }
}

/* --- All of them ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*run)(dvt_use *u);
} uses[] = {
    {"batches", use_batches},
    {"rows", use_rows},
    {"metadata", use_metadata},
    {"inspect", use_inspect},
    {"verify", use_verify},
    {"cursor set", use_set},
    {"token", use_token},
    {"dense", use_dense},
    {"csr", use_csr},
    {"arrow", use_arrow},
    {"feed", use_feed},
    {"stats", use_stats},
    {"save idv", use_save_idv},
    {"save btable", use_save_btable},
    {"save datadings", use_save_datadings},
    {"save text", use_save_text},
    {"take", use_take},
    {"sample", use_sample},
    {"bucket", use_bucket},
    {"pack", use_pack},
    {"exclude", use_exclude},
    {"epoch", use_epoch},
    {"materialize", use_memory},
    {"cache", use_cache},
    {"convert", use_convert},
    {"filter", use_filter},
    {"combine", use_combine},
    {"concat, zip, bootstrap", use_several},
    {"chain", use_chain},
    {"keys", use_keys},
};

int dvt_every_uses(void)
{
    return COUNT(uses);
}

const char *dvt_every_use_name(int i)
{
    return uses[i].name;
}

void dvt_every_use(int i, dv_view *view, uint64_t seed, int32_t threads,
                   const dv_allocator *allocator, void (*between)(void *ctx), void *ctx)
{
    dvt_use u = {view, seed, threads, allocator, between, ctx};
    uses[i].run(&u);
}
