/* SPDX-License-Identifier: MIT */
/* arrow_import.c: views of what Arrow streams deliver. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/identity.h"
#include "view/view.h"
#include "interop/arrow_exact.h"
#include "interop/arrow_keys.h"
#include "interop/arrow_piece.h"
#include <dataview/digest.h>
#include <dataview/save.h>
#include <assert.h>
#include <errno.h>
#include <string.h>

#define RULE "docs/arrow.md"

/* A view. With `hold` the arrays are all there; else the stream delivers them, once. */
typedef struct import {
    dv_allocator allocator;
    dvi_arrow_intake intake;
    dvi_arrow_keys *keys; /* of each dictionary */
    dv_buffer dense;      /* int32 -1, for as many rows as a batch may have */

    dvi_arrow_held **arrays; /* without empty ones; of a stream the first, if it was needed */
    int64_t *starts;         /* the row of each */
    size_t arrays_cap, starts_cap, arrays_count;
    int64_t rows;

    struct ArrowArrayStream stream;
    struct ArrowArray pending; /* of the stream, but not taken yet */
    atomic_bool is_read;       /* a cursor has the stream */
} import;

/* --- Streams ---------------------------------------------------------------------------------- */

/* What the producer's number means, with its own words. */
static dv_status fail_stream(struct ArrowArrayStream *stream, int code, const char *what,
                             dv_error *err)
{
    const char *said = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    const dv_status status = code == ENOMEM                      ? DV_ERR_MEMORY
                             : code == ECANCELED                 ? DV_ERR_STOPPED
                             : code == ENOTSUP || code == ENOSYS ? DV_ERR_UNSUPPORTED
                                                                 : DV_ERR_IO;
    const dv_text text = dv_text_of(said ? said : strerror(code));
    const dv_text shown = {text.data, dvi_min_i64(text.nbytes, 200)};
    dvi_fail(err, status, "", -1, what, "a batch|%.*s", (int)shown.nbytes, shown.data);
    if (err && status == DV_ERR_IO)
        err->os_code = code;
    return status;
}

/* The next array, or the next that has rows. *pending: an array that was delivered, but not taken
 * for want of memory. DV_END: there is none. */
static dv_status next_held(dvi_arrow_held **held_out, struct ArrowArrayStream *stream,
                           struct ArrowArray *pending, const dvi_arrow_intake *intake,
                           bool keep_empty, dv_error *err)
{
    *held_out = NULL;
    for (;;) {
        const int code = pending->release ? 0 : stream->get_next(stream, pending);
        if (code != 0)
            return fail_stream(stream, code, "Arrow stream", err);
        if (!pending->release)
            return DV_END;
        DVI_TRY(dvi_arrow_hold(held_out, pending, intake, err));
        if (keep_empty || (*held_out)->array.length > 0)
            return DV_OK;
        dvi_owner_release(&(*held_out)->owner);
        *held_out = NULL;
    }
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* Held columns know whether they have nulls before a row is read. */
static void find_nulls(import *self, const dvi_arrow_held *held)
{
    for (int32_t i = 0; self->intake.hold && i < self->intake.n; i++) {
        const dvi_arrow_column *c = &self->intake.columns[i];
        if (!c->seen->has_nulls && c->scalar.make != DVI_ARROW_FROM_NULLS)
            c->seen->has_nulls = dvi_arrow_held_has_nulls(held, c);
    }
}

static dv_status add_keys(import *self, dvi_arrow_held *held, bool may_grow, dv_error *err)
{
    for (int32_t i = 0; i < self->intake.n; i++) {
        const dvi_arrow_column *c = &self->intake.columns[i];
        if (c->scalar.make == DVI_ARROW_FROM_CODES)
            DVI_TRY(dvi_arrow_keys_add(&self->keys[c->scalar.dictionary], held, c, may_grow, err));
    }
    return DV_OK;
}

/* Take an array; one without rows may still have a dictionary. */
static dv_status add_array(import *self, dvi_arrow_held *held, dv_error *err)
{
    void *arrays = self->arrays, *starts = self->starts;
    dv_status status = add_keys(self, held, true, err);
    if (status == DV_OK)
        status = dvi_array_reserve(&self->allocator, &arrays, &self->arrays_cap,
                                   self->arrays_count + 1, sizeof *self->arrays, err);
    self->arrays = arrays;
    if (status == DV_OK)
        status = dvi_array_reserve(&self->allocator, &starts, &self->starts_cap,
                                   self->arrays_count + 1, sizeof *self->starts, err);
    self->starts = starts;
    if (status == DV_OK && held->array.length > INT64_MAX / 2 - self->rows)
        status = dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "rows", "at most 2^62|more");
    if (status < 0 || held->array.length == 0) {
        dvi_owner_release(&held->owner);
        return status;
    }
    find_nulls(self, held);
    self->arrays[self->arrays_count] = held;
    self->starts[self->arrays_count++] = self->rows;
    self->rows += held->array.length;
    return DV_OK;
}

/* --- The cursor ------------------------------------------------------------------------------- */

typedef struct cursor {
    import *self;
    const dv_cursor_request *request;
    int64_t row;              /* of the view: the next one */
    dvi_arrow_held *held;     /* that has it, or NULL; a reference, unless the view holds arrays */
    int64_t start, end;       /* its rows */
    bool has_first;           /* of a stream: the array that the view has was taken */
    dvi_arrow_held *waiting;  /* the next array, whose keys are not known for want of memory */
    dvi_arrow_memory *memory; /* of each active column */
} cursor;

static bool is_held(const import *self)
{
    return self->intake.hold;
}

static void drop_held(cursor *c)
{
    if (c->held && !is_held(c->self))
        dvi_owner_release(&c->held->owner);
    c->held = NULL;
}

/* The array of the view that has the row. */
static void find_array(cursor *c)
{
    const import *self = c->self;
    size_t low = 0, high = self->arrays_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(self->starts[middle] <= c->row ? &low : &high) = middle;
    }
    c->held = self->arrays[low];
    c->start = self->starts[low];
    c->end = c->start + c->held->array.length;
}

/* The next array of the stream. The first one may be there already. */
static dv_status next_array(cursor *c, dv_error *err)
{
    import *self = c->self;
    if (!c->has_first && self->arrays_count > 0) {
        c->waiting = self->arrays[0];
        dvi_owner_retain(&c->waiting->owner);
    } else if (!c->waiting) {
        const dv_status status =
            next_held(&c->waiting, &self->stream, &self->pending, &self->intake, false, err);
        if (status != DV_OK)
            return status;
    }
    assert(c->waiting);
    c->has_first = true;
    DVI_TRY(add_keys(self, c->waiting, false, err));
    drop_held(c);
    c->held = c->waiting;
    c->waiting = NULL;
    c->start = c->end;
    c->end = c->start + c->held->array.length;
    return DV_OK;
}

/* Move to the array with the next row. DV_END: there are no more rows. */
static dv_status find_row(cursor *c, dv_error *err)
{
    const import *self = c->self;
    if (is_held(self)) {
        if (c->row >= dvi_min_i64(self->rows, c->request->end_row))
            return DV_END;
        find_array(c);
        return DV_OK;
    }
    if (c->row >= c->request->end_row)
        return DV_END;
    while (!c->held || c->row >= c->end) {
        const dv_status status = next_array(c, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static dvi_arrow_piece piece_of(const cursor *c, int32_t k, int64_t n)
{
    const import *self = c->self;
    return (dvi_arrow_piece){.intake = &self->intake,
                             .column = &self->intake.columns[c->request->columns[k]],
                             .held = c->held,
                             .first = c->row - c->start,
                             .n = n,
                             .row = c->row,
                             .dense = &self->dense,
                             .memory = &c->memory[k],
                             .allocator = c->request->allocator,
                             .zero_copy_only = c->request->zero_copy_only};
}

/* No batch crosses a multiple of DVI_ARROW_PIECE_ROWS inside its array. */
static int64_t rows_of_batch(const cursor *c)
{
    const int64_t at = c->row - c->start;
    const int64_t end = (at / DVI_ARROW_PIECE_ROWS + 1) * DVI_ARROW_PIECE_ROWS;
    int64_t n = dvi_min_i64(dvi_min_i64(end - at, c->end - c->row), c->request->end_row - c->row);
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        const dvi_arrow_piece piece = piece_of(c, k, n);
        n = dvi_arrow_piece_rows(&piece);
    }
    return n;
}

static dv_status next(void *cursor_of, dv_batch *batch, dv_error *err)
{
    cursor *c = cursor_of;
    const dv_status status = find_row(c, err);
    if (status != DV_OK)
        return status;
    const int64_t n = rows_of_batch(c);
    DVI_TRY(dv_batch_start(batch, c->row, n, err));
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        dvi_column made;
        const dvi_arrow_piece piece = piece_of(c, k, n);
        DVI_TRY(dvi_arrow_piece_read(&made, &piece, err));
        dvi_batch_set_slot(batch, k, &made.view);
    }
    c->row += n;
    return DV_OK;
}

static void close_cursor(void *cursor_of)
{
    cursor *c = cursor_of;
    const dv_allocator *allocator = c->request->allocator;
    const size_t n = (size_t)c->request->columns_count;
    drop_held(c);
    if (c->waiting)
        dvi_owner_release(&c->waiting->owner);
    for (size_t k = 0; c->memory && k < n; k++)
        dvi_arrow_memory_free(&c->memory[k]);
    dvi_free(allocator, c->memory, n * sizeof *c->memory);
    dvi_free(allocator, c, sizeof *c);
}

static dv_status open_cursor(void *view, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    import *self = view;
    void *made, *memory;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(cursor), err));
    cursor *c = made;
    *c = (cursor){.self = self, .request = request, .row = request->first_row};
    dv_status status = dvi_alloc_zeroed(request->allocator, &memory,
                                        (size_t)request->columns_count * sizeof *c->memory, err);
    if (status == DV_OK)
        c->memory = memory;
    if (status == DV_OK && !is_held(self) && atomic_exchange(&self->is_read, true))
        status = dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "cursor on an Arrow stream",
                          "one, or a view made with hold|another");
    if (status < 0) {
        close_cursor(c);
        return status;
    }
    *cursor_out = c;
    return DV_OK;
}

static dv_status seek(void *cursor_of, dv_error *err)
{
    cursor *c = cursor_of;
    (void)err;
    c->row = c->request->first_row;
    return DV_OK;
}

/* --- The view --------------------------------------------------------------------------------- */

static void close_import(void *view)
{
    import *self = view;
    const dv_allocator allocator = self->allocator;
    for (size_t i = 0; i < self->arrays_count; i++)
        dvi_owner_release(&self->arrays[i]->owner);
    for (int32_t i = 0; self->keys && i < self->intake.dictionaries; i++)
        dvi_arrow_keys_free(&self->keys[i]);
    if (self->pending.release)
        self->pending.release(&self->pending);
    if (self->stream.release)
        self->stream.release(&self->stream);
    dv_buffer_release(&self->dense);
    dvi_free(&allocator, self->arrays, self->arrays_cap * sizeof *self->arrays);
    dvi_free(&allocator, self->starts, self->starts_cap * sizeof *self->starts);
    dvi_free(&allocator, self->keys, (size_t)self->intake.dictionaries * sizeof *self->keys);
    dvi_arrow_intake_free(&self->intake);
    dvi_free(&allocator, self, sizeof *self);
}

static int64_t count_rows(void *view)
{
    return ((const import *)view)->rows;
}

static bool can_shuffle(void *view)
{
    (void)view;
    return true;
}

/* Blocks, if all arrays but the last have the same rows, and no batch crosses their ends. */
static int64_t block_rows(void *view)
{
    const import *self = view;
    const size_t n = self->arrays_count;
    int64_t rows = n > 0 ? self->arrays[0]->array.length : 0;
    for (size_t i = 1; i < n; i++)
        if (self->arrays[i]->array.length > rows ||
            (i + 1 < n && self->arrays[i]->array.length != rows))
            return 0;
    if (n == 1 || rows % DVI_ARROW_PIECE_ROWS == 0)
        rows = dvi_min_i64(rows, DVI_ARROW_PIECE_ROWS);
    return rows <= DVI_ARROW_PIECE_ROWS ? rows : 0;
}

static dv_status digest_rows(cursor *c, dv_digester *digester, dv_error *err)
{
    while (c->row < c->self->rows) {
        find_array(c);
        const int64_t n = rows_of_batch(c);
        for (int32_t k = 0; k < c->request->columns_count; k++) {
            dvi_column made;
            const dvi_arrow_piece piece = piece_of(c, k, n);
            DVI_TRY(dvi_arrow_piece_read(&made, &piece, err));
            dv_digester_add_column(digester, &made.view);
        }
        c->row += n;
    }
    return DV_OK;
}

/* One column after the other: the digest does not depend on the producer's batches. */
static dv_status identify(void *view, dv_identity *identity, dv_error *err)
{
    import *self = view;
    dv_digester *digester;
    dv_status status = dv_digester_create(&digester, &self->allocator, err);
    dv_identity_add(identity, &self->rows, sizeof self->rows);
    for (int32_t k = 0; k < self->intake.n && status == DV_OK; k++) {
        dvi_arrow_memory memory = {{NULL}};
        const dv_cursor_request request = {.columns = &k,
                                           .columns_count = 1,
                                           .end_row = self->rows,
                                           .epoch = -1,
                                           .allocator = &self->allocator};
        cursor c = {.self = self, .request = &request, .memory = &memory};
        status = digest_rows(&c, digester, err);
        dvi_arrow_memory_free(&memory);
    }
    if (status == DV_OK) {
        const dv_u128 digest = dv_digester_result(digester);
        dv_identity_add(identity, &digest, sizeof digest);
    }
    dv_digester_free(&digester);
    return status;
}

static dv_status refuse_identity(void *view, dv_identity *identity, dv_error *err)
{
    (void)view;
    (void)identity;
    return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "identity of a view",
                    "one made with hold|an Arrow stream, whose rows come once");
}

static const dv_view_class held_class = {
    .size = sizeof(dv_view_class),
    .kind = "arrow",
    .rows = count_rows,
    .can_shuffle = can_shuffle,
    .close = close_import,
    .open_cursor = open_cursor,
    .next = next,
    .close_cursor = close_cursor,
    .seek = seek,
    .block_rows = block_rows,
    .identify = identify,
};

static const dv_view_class stream_class = {
    .size = sizeof(dv_view_class),
    .kind = "arrow",
    .close = close_import,
    .open_cursor = open_cursor,
    .next = next,
    .close_cursor = close_cursor,
    .identify = refuse_identity,
};

/* --- The schema ------------------------------------------------------------------------------- */

static dv_status add_values(const import *self, const dvi_arrow_column *c, dv_schema *schema,
                            int32_t column, dv_error *err)
{
    dvi_column vector;
    const dvi_arrow_keys *keys =
        c->scalar.dictionary >= 0 ? &self->keys[c->scalar.dictionary] : NULL;
    if (c->scalar.make != DVI_ARROW_FROM_CODES || !keys || !keys->is_started ||
        keys->entries.rows == 0)
        return DV_OK;
    dvi_arrow_keys_vector(keys, &c->scalar.entries->type, &self->dense, &vector);
    return dv_schema_add_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &vector.view, err);
}

static dv_status add_column(import *self, dvi_arrow_column *c, dv_schema *schema, dv_error *err)
{
    int32_t column;
    const dvi_arrow_keys *keys =
        c->scalar.dictionary >= 0 ? &self->keys[c->scalar.dictionary] : NULL;
    if (keys && keys->is_started)
        DVI_TRY(dvi_arrow_intake_count(c, keys->entries.rows, err));
    DVI_TRY(dv_schema_add(schema, c->name, &c->type, &column, err));
    DVI_TRY(add_values(self, c, schema, column, err));
    const dv_status status = dvi_arrow_add_metadata(schema, column, c, &self->dense, err);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(c->name).text);
    return status;
}

/* As many as a batch may have, if there are vectors. */
static dv_status fill_dense(import *self, dv_error *err)
{
    dvi_memory *memory;
    int64_t n = 1;
    for (int32_t i = 0; i < self->intake.n; i++)
        if (self->intake.columns[i].lists > 0)
            n = is_held(self) ? dvi_max_i64(dvi_min_i64(self->rows, DVI_ARROW_PIECE_ROWS), 1)
                              : DVI_ARROW_PIECE_ROWS;
    const size_t nbytes = (size_t)n * sizeof(int32_t);
    DVI_TRY(dvi_memory_create(&memory, &self->allocator, nbytes, err));
    memset(memory->data, 0xFF, nbytes);
    memory->owner.stays = true;
    self->dense = dvi_memory_buffer(memory, 0, nbytes, sizeof(int32_t));
    return DV_OK;
}

static dv_status make_view(dv_view **view_out, import *self, dv_error *err)
{
    dv_schema *schema;
    DVI_TRY(fill_dense(self, err));
    DVI_TRY(dv_schema_create(&schema, &self->allocator, err));
    dv_status status = DV_OK;
    for (int32_t i = 0; i < self->intake.n && status == DV_OK; i++)
        status = add_column(self, &self->intake.columns[i], schema, err);
    if (status == DV_OK)
        status = dvi_view_create(view_out, is_held(self) ? &held_class : &stream_class, NULL, self,
                                 &schema, NULL, 0, &self->allocator, err);
    dv_schema_free(&schema);
    return status;
}

/* --- Imports ---------------------------------------------------------------------------------- */

static dv_status read_options(dv_arrow_import_options *options,
                              const dv_arrow_import_options *given, dv_error *err)
{
    *options = (dv_arrow_import_options)DV_ARROW_IMPORT_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_ARROW_IMPORT_OPTIONS_INIT", err));
    DVI_REQUIRE(!(options->allow_loss & ~(uint32_t)(DV_LOSS_NA | DV_LOSS_PRECISION)),
                dvi_fail_argument(err, "arrow: allow_loss can allow na and precision"));
    return DV_OK;
}

static dv_status create_import(import **self_out, const struct ArrowSchema *schema,
                               const dv_arrow_import_options *options, dv_error *err)
{
    const dv_allocator allocator = dvi_allocator_of(options->allocator);
    void *made, *keys = NULL;
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, sizeof(import), err));
    import *self = made;
    self->allocator = allocator;
    atomic_init(&self->is_read, false);
    dv_status status = dvi_arrow_intake_make(&self->intake, schema, options, err);
    if (status == DV_OK)
        status = dvi_alloc_zeroed(&allocator, &keys,
                                  (size_t)self->intake.dictionaries * sizeof *self->keys, err);
    if (status < 0) {
        close_import(self);
        return status;
    }
    self->keys = keys;
    *self_out = self;
    return DV_OK;
}

/* All arrays; of a stream that is not held the first one, if a key needs its dictionary. */
static dv_status take_arrays(import *self, struct ArrowArrayStream *stream, dv_error *err)
{
    dvi_arrow_held *held;
    if (!is_held(self) && self->intake.dictionaries == 0)
        return DV_OK;
    for (;;) {
        const dv_status status =
            next_held(&held, stream, &self->pending, &self->intake, is_held(self), err);
        if (status != DV_OK)
            return status == DV_END ? DV_OK : status;
        DVI_TRY(add_array(self, held, err));
        if (!is_held(self))
            return DV_OK;
    }
}

static dv_status read_stream_schema(import **self_out, struct ArrowArrayStream *stream,
                                    const dv_arrow_import_options *options, dv_error *err)
{
    struct ArrowSchema schema = {0};
    const int code = stream->get_schema(stream, &schema);
    if (code != 0)
        return fail_stream(stream, code, "schema of an Arrow stream", err);
    const dv_status status = create_import(self_out, &schema, options, err);
    if (schema.release)
        schema.release(&schema);
    return status;
}

dv_status dv_view_import_arrow(dv_view **view_out, struct ArrowArrayStream *stream,
                               const dv_arrow_import_options *given, dv_error *err)
{
    dv_arrow_import_options options;
    import *self;
    *view_out = NULL;
    DVI_TRY(read_options(&options, given, err));
    DVI_REQUIRE(stream && stream->release && stream->get_schema && stream->get_next,
                dvi_fail_argument(err, "arrow: a stream that is released, or without functions"));
    DVI_TRY(read_stream_schema(&self, stream, &options, err));
    dv_status status = take_arrays(self, stream, err);
    if (status == DV_OK)
        status = make_view(view_out, self, err);
    if (status < 0) {
        close_import(self);
        return status;
    }
    self->stream = *stream;
    stream->release = NULL;
    return DV_OK;
}

dv_status dv_view_import_arrow_array(dv_view **view_out, struct ArrowSchema *schema,
                                     struct ArrowArray *array, const dv_arrow_import_options *given,
                                     dv_error *err)
{
    dv_arrow_import_options options;
    import *self;
    dvi_arrow_held *held;
    *view_out = NULL;
    DVI_TRY(read_options(&options, given, err));
    options.hold = true;
    DVI_REQUIRE(schema && array && schema->release && array->release,
                dvi_fail_argument(err, "arrow: a schema or an array that is released"));
    DVI_TRY(create_import(&self, schema, &options, err));
    dv_status status = dvi_arrow_hold(&held, array, &self->intake, err);
    if (status == DV_OK)
        status = add_array(self, held, err);
    if (status == DV_OK)
        status = make_view(view_out, self, err);
    if (status < 0) {
        close_import(self);
        return status;
    }
    schema->release(schema);
    return DV_OK;
}
