/* SPDX-License-Identifier: MIT */
/* fuzz_arrow_import.c: any bytes as a schema and arrays of Arrow, imported in process.
 *
 * Each buffer has the bytes that its array's lengths ask for, and no more, so that ASan sees one
 * byte too far; everything else may be unsound.  A view has the same rows, or the same error, held
 * or streamed, in any batches, also after allocations that failed; what it exports is sound, and
 * comes back with the same values; everything is released. */
#include "meter.h"
#include "reading.h"
#include "support/arrow_check.h"
#include "support/arrow_made.h"
#include <dataview/digest.h>
#include <dataview/save.h>
#include <stdio.h>
#include <string.h>

enum {
    INPUT_NBYTES = 1 << 12,
    NODES = 24,
    DEPTH = 5,
    TEXT_NBYTES = 48,
    LENGTH = 48, /* of an array */
    ARRAYS = 3,
    MEMORY_NBYTES = 64 << 20
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* --- Bytes ------------------------------------------------------------------------------------ */

typedef struct input {
    const uint8_t *data;
    size_t n, at;
    int nodes;
    char texts[NODES * 4][TEXT_NBYTES]; /* names and metadata */
    int texts_count;
} input;

/* The next byte; 0 after the last. */
static int draw(input *in, int below)
{
    return in->at < in->n ? in->data[in->at++] % below : 0;
}

static bool one_in(input *in, int n)
{
    return draw(in, 256) % n == n - 1;
}

static const char *draw_text(input *in)
{
    char *text = in->texts[in->texts_count < NODES * 4 - 1 ? in->texts_count++ : 0];
    const int n = draw(in, TEXT_NBYTES);
    for (int i = 0; i < n; i++)
        text[i] = (char)draw(in, 256);
    text[n] = '\0';
    return text;
}

static void fill_drawn(input *in, dvt_arrow *node, int buffer, size_t nbytes)
{
    uint8_t bytes[4096] = {0};
    nbytes = nbytes < sizeof bytes ? nbytes : sizeof bytes;
    for (size_t i = 0; i < nbytes && in->at < in->n; i++)
        bytes[i] = in->data[in->at++];
    dvt_arrow_fill(node, buffer, bytes, nbytes);
}

/* --- Buffers ---------------------------------------------------------------------------------- */

/* Offsets up to `most`, as a rule rising. */
static void fill_offsets(input *in, dvt_arrow *node, int64_t n, int width, int most)
{
    int64_t wide[64];
    int32_t narrow[64];
    int at = draw(in, 3) - (one_in(in, 16) ? 2 : 0);
    for (int64_t i = 0; i < n; i++) {
        wide[i] = narrow[i] = at < most ? at : most;
        at += one_in(in, 32) ? -1 : draw(in, 4);
    }
    dvt_arrow_fill(node, 1, width == 4 ? (const void *)narrow : wide, (size_t)(n * width));
}

/* Views of up to `buffers` buffers, of which some lie outside. */
static void fill_views(input *in, dvt_arrow *node, int64_t n)
{
    uint8_t views[64 * 16];
    int64_t sizes[3];
    const int buffers = draw(in, 4);
    node->array.n_buffers = 3 + buffers;
    for (int i = 0; i < buffers; i++) {
        sizes[i] = draw(in, 64) - 1;
        if (sizes[i] >= 0)
            fill_drawn(in, node, 2 + i, (size_t)sizes[i]);
    }
    for (int64_t i = 0; i < n * 16; i++)
        views[i] = (uint8_t)draw(in, 256);
    for (int64_t i = 0; i < n; i++) {
        const int32_t nbytes = draw(in, 40) - 1, buffer = draw(in, 4), offset = draw(in, 32) - 1;
        memcpy(views + 16 * i, &nbytes, 4);
        if (nbytes > 12) {
            memcpy(views + 16 * i + 8, &buffer, 4);
            memcpy(views + 16 * i + 12, &offset, 4);
        }
    }
    dvt_arrow_fill(node, 1, views, (size_t)n * 16);
    dvt_arrow_fill(node, 2 + buffers, sizes, 8 * (size_t)buffers);
}

static void fill_sizes(input *in, dvt_arrow *node, int64_t n, int width)
{
    int64_t wide[64];
    int32_t narrow[64];
    for (int64_t i = 0; i < n; i++)
        wide[i] = narrow[i] = draw(in, 6) - one_in(in, 32);
    dvt_arrow_fill(node, 2, width == 4 ? (const void *)narrow : wide, (size_t)(n * width));
}

/* What buffers a format has after validity. */
typedef enum layout { NONE, BITS, VALUES, TEXT, VIEWS, OFFSETS, SIZES } layout;

static const struct {
    const char *text;
    layout layout;
    int width;
    int children; /* -1: any number */
} formats[] = {{"n", NONE, 0, 0},           {"b", BITS, 0, 0},
               {"c", VALUES, 1, 0},         {"C", VALUES, 1, 0},
               {"s", VALUES, 2, 0},         {"S", VALUES, 2, 0},
               {"i", VALUES, 4, 0},         {"I", VALUES, 4, 0},
               {"l", VALUES, 8, 0},         {"L", VALUES, 8, 0},
               {"e", VALUES, 2, 0},         {"f", VALUES, 4, 0},
               {"g", VALUES, 8, 0},         {"u", TEXT, 4, 0},
               {"U", TEXT, 8, 0},           {"vu", VIEWS, 0, 0},
               {"z", TEXT, 4, 0},           {"Z", TEXT, 8, 0},
               {"vz", VIEWS, 0, 0},         {"w:0", VALUES, 0, 0},
               {"w:3", VALUES, 3, 0},       {"w:16", VALUES, 16, 0},
               {"tdD", VALUES, 4, 0},       {"tdm", VALUES, 8, 0},
               {"tts", VALUES, 4, 0},       {"ttm", VALUES, 4, 0},
               {"ttu", VALUES, 8, 0},       {"ttn", VALUES, 8, 0},
               {"tss:", VALUES, 8, 0},      {"tsm:UTC", VALUES, 8, 0},
               {"tsu:", VALUES, 8, 0},      {"tsn:x", VALUES, 8, 0},
               {"tDs", VALUES, 8, 0},       {"tDm", VALUES, 8, 0},
               {"tDu", VALUES, 8, 0},       {"tDn", VALUES, 8, 0},
               {"+s", NONE, 0, -1},         {"+l", OFFSETS, 4, 1},
               {"+L", OFFSETS, 8, 1},       {"+vl", SIZES, 4, 1},
               {"+vL", SIZES, 8, 1},        {"+w:0", NONE, 0, 1},
               {"+w:1", NONE, 0, 1},        {"+w:2", NONE, 0, 1},
               {"+w:3", NONE, 0, 1},        {"+w:2147483647", NONE, 0, 1},
               {"d:9,2", VALUES, 16, 0},    {"d:9,-2,32", VALUES, 4, 0},
               {"d:18,3,64", VALUES, 8, 0}, {"d:76,9,256", VALUES, 32, 0},
               {"+m", OFFSETS, 4, 1},       {"+ud:0", NONE, 0, 1},
               {"tin", VALUES, 16, 0},      {"+r", NONE, 0, 1}};
#define FORMATS ((int)(sizeof formats / sizeof *formats))

static void fill_buffers(input *in, dvt_arrow *node, int f)
{
    const int64_t n = node->array.offset + node->array.length;
    const int width = formats[f].width, bytes = draw(in, 60);
    switch (formats[f].layout) {
    case NONE:
        return;
    case BITS:
        fill_drawn(in, node, 1, (size_t)(n + 7) / 8);
        return;
    case VALUES:
        fill_drawn(in, node, 1, (size_t)(n * width));
        return;
    case TEXT:
        fill_offsets(in, node, n + 1, width, bytes);
        fill_drawn(in, node, 2, (size_t)bytes);
        return;
    case VIEWS:
        fill_views(in, node, n);
        return;
    case OFFSETS:
        fill_offsets(in, node, n + 1, width, 100);
        return;
    case SIZES:
        fill_offsets(in, node, n, width, 100);
        fill_sizes(in, node, n, width);
        return;
    }
}

/* --- Nodes ------------------------------------------------------------------------------------ */

static void fill_validity(input *in, dvt_arrow *node)
{
    const int64_t n = node->array.offset + node->array.length;
    uint8_t bits[16];
    for (size_t i = 0; i < sizeof bits; i++)
        bits[i] = one_in(in, 2) ? 0xFF : (uint8_t)draw(in, 256);
    dvt_arrow_fill(node, 0, bits, (size_t)(n + 7) / 8);
    node->array.null_count = 0;
    for (int64_t i = node->array.offset; i < n; i++)
        node->array.null_count += !(bits[i / 8] >> i % 8 & 1);
    if (one_in(in, 4))
        node->array.null_count = -1;
}

static void add_metadata(input *in, dvt_arrow *node)
{
    static const char *const keys[] = {
        "dataview.type",        "dataview.type",           "dataview.meta.Odd", "dataview.values",
        "dataview.keys",        "dataview.name",           "dataview.hidden",   "dataview.mapping",
        "ARROW:extension:name", "ARROW:extension:metadata"};
    static const char *const values[] = {
        "V<I4,10>",
        "V<R4,2,3>",
        "U4[0-9]",
        "U1[5-*]",
        "V<TX,*>",
        "UG",
        "DZ",
        "DT",
        "TS",
        "stored",
        "meant",
        "1",
        "arrow.fixed_shape_tensor",
        "arrow.timestamp_with_offset",
        "{\"shape\":[2,3]}",
        "{\"shape\":[3,2],\"permutation\":[1,0],\"dim_names\":[\"a\",null]}",
        "{\"permutation\":[2,0,1],\"shape\":[1,2,3]}",
        "arrow.bool8",
        "a.number",
        "{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"dense\":[\"a\",null,\"\"]}}",
        "{\"type\":\"V<R4,9>\",\"value\":{\"len\":9,\"idx\":[3],\"val\":[\"r4:3f800000\"]}}",
        "{\"type\":\"DZ\",\"value\":\"dz:630821952000000000:330\"}"};
    for (int n = draw(in, 3); n > 0; n--) {
        const char *key = keys[draw(in, (int)(sizeof keys / sizeof *keys))];
        const char *value =
            one_in(in, 2) ? draw_text(in) : values[draw(in, (int)(sizeof values / sizeof *values))];
        dvt_arrow_annotate(node, key, value);
    }
}

/* Numbers that no array has, so that no buffer backs them. */
static void spoil(input *in, dvt_arrow *node)
{
    static const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, (INT64_C(1) << 48) + 1};
    const int64_t number = numbers[draw(in, 4)];
    switch (draw(in, 8)) {
    case 0:
        node->array.length = number;
        break;
    case 1:
        node->array.offset = number;
        break;
    case 2:
        node->array.null_count = number;
        break;
    case 3:
        node->array.n_buffers = number < 0 ? number : 0;
        break;
    case 4:
        node->array.n_children = number < 0 ? number : 0;
        break;
    case 5:
        node->schema.n_children = number < 0 ? number : 0;
        break;
    case 6:
        node->buffers[draw(in, 3)] = NULL;
        break;
    default:
        node->schema.format = draw_text(in);
        break;
    }
}

static dvt_arrow *make_node(input *in, int64_t length, int depth)
{
    static const char *const names[] = {"x", "a", "", "index", "value", "item"};
    length = length < LENGTH ? length : LENGTH;
    const int f = draw(in, FORMATS);
    const char *name = one_in(in, 16) ? draw_text(in) : names[draw(in, 6)];
    dvt_arrow *node = dvt_arrow_make(formats[f].text, name, length);
    const int children = formats[f].children < 0 ? draw(in, 4) : formats[f].children;
    in->nodes++;
    node->array.offset = one_in(in, 3) ? draw(in, 8) : 0;
    if (length >= 0)
        fill_buffers(in, node, f);
    if (length >= 0 && *formats[f].text != 'n' && one_in(in, 3))
        fill_validity(in, node);
    add_metadata(in, node);
    for (int i = 0; i < children && in->nodes < NODES && depth < DEPTH; i++) {
        const int64_t least = node->array.offset + length;
        dvt_arrow_add(node, make_node(in, least + draw(in, 12) - one_in(in, 32), depth + 1));
    }
    if (strchr("csilCSIL", *formats[f].text) && one_in(in, 3) && in->nodes < NODES && depth < DEPTH)
        dvt_arrow_encode(node, make_node(in, draw(in, 8), depth + 1));
    if (one_in(in, 24))
        spoil(in, node);
    return node;
}

/* --- Properties ------------------------------------------------------------------------------- */

typedef struct how {
    dv_arrow_import_options import;
    int64_t batch_rows;
    int arrays;
} how;

static dvt_arrow *make(input *in)
{
    dvt_arrow *top = make_node(in, draw(in, 16), 0);
    if (one_in(in, 2) || top->array.length < 0 || top->array.length > 64)
        return top; /* as it is: a column, or a struct */
    dvt_arrow *table = dvt_arrow_make("+s", "", top->array.length);
    return dvt_arrow_add(table, top);
}

/* The same input gives the same nodes. */
static dv_status import(dv_view **view_out, const uint8_t *data, size_t n, how *h, dv_error *err)
{
    static input in;
    struct ArrowArrayStream stream;
    static const char *const types[] = {NULL,        "x:R4",      "x:I8",      "x:TX",
                                        "x:U4[0-9]", "x:V<R4,3>", "a:BY x:I1", "{x:DT}"};
    memset(&in, 0, sizeof in);
    in.data = data;
    in.n = n;
    h->import.flatten = one_in(&in, 2);
    h->import.types = types[one_in(&in, 4) ? draw(&in, 8) : 0];
    h->import.allow_loss = (uint32_t)draw(&in, 4) * DV_LOSS_PRECISION; /* and NA, its neighbour */
    h->batch_rows = draw(&in, 4);
    h->arrays = draw(&in, ARRAYS + 1);
    dvt_arrow_stream(&stream, make(&in), h->arrays);
    const dv_status status = dv_view_import_arrow(view_out, &stream, &h->import, err);
    DVT_CHECK((status == DV_OK) == !stream.release && (status == DV_OK) == (*view_out != NULL));
    if (stream.release)
        stream.release(&stream);
    return status;
}

static dvt_answer read_view(dv_view *view, int64_t batch_rows)
{
    int32_t columns[DVT_READ_COLUMNS];
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    for (int32_t k = 0; k < DVT_READ_COLUMNS; k++)
        columns[k] = k;
    const dvt_reading reading = {.columns = columns,
                                 .columns_count = n < DVT_READ_COLUMNS ? n : DVT_READ_COLUMNS,
                                 .end_row = -1,
                                 .threads = 1,
                                 .batch_rows = batch_rows,
                                 .writes = true,
                                 .marked_end = INT64_MAX};
    return dvt_read_view(view, &reading);
}

static void check_error(dv_status status, const dv_error *err)
{
    DVT_CHECK(status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LOSS ||
              status == DV_ERR_LIMIT || status == DV_ERR_ARGUMENT);
    DVT_CHECK(*err->message && (status == DV_ERR_ARGUMENT || (*err->expected && *err->found)));
}

/* Of the values, however they are stored. */
static dv_u128 digest_of(dv_view *view, int32_t column)
{
    dv_cursor *cursor;
    dv_digester *digester;
    const dv_batch *batch;
    dv_status status;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column;
    options.columns_count = 1;
    DVT_CHECK(dv_digester_create(&digester, NULL, NULL) == DV_OK);
    DVT_CHECK(dv_cursor_open(&cursor, view, &options, NULL) == DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        dv_digester_add_column(digester, dv_batch_column(batch, 0));
    DVT_CHECK(status == DV_END);
    const dv_u128 digest = dv_digester_result(digester);
    dv_cursor_close(&cursor);
    dv_digester_free(&digester);
    return digest;
}

/* What a view exports is sound, and has the same values when it is imported again. */
static void check_export(dv_view *view, const dvt_answer *all)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    dv_view *again;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    dv_arrow_import_options import_options = DV_ARROW_IMPORT_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    int32_t columns[DVT_READ_COLUMNS];
    for (int32_t k = 0; k < DVT_READ_COLUMNS; k++)
        columns[k] = k;
    cursor.columns = columns;
    cursor.columns_count = n < DVT_READ_COLUMNS ? n : DVT_READ_COLUMNS;
    options.cursor = &cursor;
    options.times = DV_ARROW_TIMES_TICKS;
    options.offsets = true;
    import_options.hold = true;
    DVT_CHECK(dv_view_export_arrow(view, &stream, &options, &err) == DV_OK);
    DVT_CHECK(stream.get_schema(&stream, &schema) == 0 && !dvt_arrow_schema_wrong(&schema));
    schema.release(&schema);
    DVT_CHECK(dv_view_import_arrow(&again, &stream, &import_options, &err) == DV_OK);
    DVT_CHECK(dv_view_rows(again) == all->rows);
    for (int32_t k = 0; k < cursor.columns_count; k++) {
        const dv_u128 a = digest_of(view, k), b = digest_of(again, k);
        DVT_CHECK(a.lo == b.lo && a.hi == b.hi);
    }
    dv_view_release(&again);
}

static dv_status check_held(const uint8_t *data, size_t n, how *h, dvt_answer *all)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    h->import.hold = true;
    const dv_status status = import(&view, data, n, h, &err);
    if (status != DV_OK) {
        check_error(status, &err);
        return status;
    }
    *all = read_view(view, 0);
    const dvt_answer again = read_view(view, h->batch_rows);
    DVT_CHECK(all->status == again.status);
    if (all->status == DV_END) {
        DVT_CHECK(all->rows == dv_view_rows(view) && dvt_answer_same(all, &again));
        check_export(view, all);
    } else {
        check_error(all->status, &all->err);
    }
    dv_view_release(&view);
    return DV_OK;
}

/* What is not held has the same rows, up to the array that is unsound. */
static void check_streamed(const uint8_t *data, size_t n, how *h, dv_status held,
                           const dvt_answer *all)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    h->import.hold = false;
    const dv_status status = import(&view, data, n, h, &err);
    if (status != DV_OK) {
        check_error(status, &err);
        DVT_CHECK(held != DV_OK); /* perhaps for what an array has */
        return;
    }
    const dvt_answer answer = read_view(view, 0);
    if (held == DV_OK)
        DVT_CHECK(answer.status == all->status && answer.rows == all->rows &&
                  memcmp(answer.hash, all->hash, sizeof answer.hash) == 0);
    else
        DVT_CHECK(answer.status == held && answer.rows == 0);
    dv_view_release(&view);
}

/* The rows. */
static dv_status count_rows(dv_view *view, int64_t *rows_out)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_status status = DV_ERR_MEMORY;
    *rows_out = 0;
    for (int i = 0; i < 2 && status == DV_ERR_MEMORY; i++)
        status = dv_cursor_open(&cursor, view, NULL, NULL);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        *rows_out += batch->rows;
    dv_cursor_close(&cursor);
    return status;
}

/* Some allocations fail: the rows are the same, or the call says so. */
static void check_starved(const uint8_t *data, size_t n, how *h, dvt_meter *meter, dv_status held,
                          const dvt_answer *all)
{
    dv_view *view;
    int64_t rows;
    dv_error err = DV_ERROR_INIT;
    h->import.hold = n % 2;
    atomic_store(&meter->fail_at, atomic_load(&meter->asked) + 1 + (long long)(n % 61));
    atomic_store(&meter->fail_count, 1);
    const dv_status status = import(&view, data, n, h, &err);
    if (status == DV_OK) {
        const dv_status read = count_rows(view, &rows);
        if (held == DV_OK && all->status == DV_END)
            DVT_CHECK(read == DV_ERR_MEMORY ? rows <= all->rows
                                            : read == DV_END && rows == all->rows);
    } else {
        DVT_CHECK(status == DV_ERR_MEMORY || held != DV_OK);
    }
    dv_view_release(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_meter meter = {.most_nbytes = MEMORY_NBYTES};
    dvt_answer all = {.status = DV_OK};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    how h = {.import = DV_ARROW_IMPORT_OPTIONS_INIT};
    h.import.allocator = &allocator;
    if (n > INPUT_NBYTES)
        return 0;
    const dv_status held = check_held(data, n, &h, &all);
    check_streamed(data, n, &h, held, &all);
    check_starved(data, n, &h, &meter, held, &all);
    DVT_CHECK(atomic_load(&meter.live_nbytes) == 0 && dvt_arrow_live() == 0);
    return 0;
}
