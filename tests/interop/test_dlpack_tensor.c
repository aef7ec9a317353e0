/* SPDX-License-Identifier: MIT */
/* test_dlpack_tensor.c: tensors have the items of their column, and outlive what they were made of.
 */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/dlpack.h>
#include <dataview/schema.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROWS 7u
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Batches ---------------------------------------------------------------------------------- */

/* A table of one column in one batch. */
typedef struct one {
    dvt_made_table table;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
} one;

static void open_one(one *o, const dv_column_view *column, const dv_allocator *allocator)
{
    *o = (one){.table = {.columns = 1, .rows = column->rows, .block_rows = 1000, .bad_row = -1}};
    o->table.column[0] = *column;
    o->view = dvt_made_table_open(&o->table, allocator);
    cr_assert_eq(dv_cursor_open(&o->cursor, o->view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(o->cursor, &o->batch, NULL), DV_OK);
}

static void close_one(one *o)
{
    dv_cursor_close(&o->cursor);
    dv_view_release(&o->view);
}

/* Rows of vectors; counts -1 or NULL: dense. */
static dv_column_view vectors_of(dv_type type, const dv_column_view *items, const int32_t *counts,
                                 int64_t rows)
{
    static const int32_t dense[] = {-1, -1, -1, -1, -1, -1, -1};
    static const int32_t indices[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
    dv_column_view v = {.type = type, .layout = DV_LAYOUT_VECTOR, .rows = rows};
    v.as.vector.length = type.size;
    v.as.vector.counts = (dv_buffer){
        .data = counts ? counts : dense, .nbytes = 4 * (size_t)rows, .is_aligned = true};
    v.as.vector.indices =
        (dv_buffer){.data = indices, .nbytes = counts ? sizeof indices : 0, .is_aligned = true};
    v.as.vector.items = items;
    return v;
}

/* --- The checker ------------------------------------------------------------------------------ */

static void check_shape(const DLTensor *t, const int64_t *shape, int32_t ndim, const char *what)
{
    int64_t stride = 1;
    cr_assert_eq(t->ndim, ndim, "%s", what);
    for (int32_t i = ndim; i-- > 0; stride *= shape[i]) {
        cr_expect_eq(t->shape[i], shape[i], "%s: dim %d", what, i);
        cr_expect_eq(t->strides[i], stride, "%s: stride %d", what, i);
    }
    cr_expect(t->device.device_type == kDLCPU && t->device.device_id == 0, "%s", what);
    cr_expect(t->dtype.lanes == 1 && t->byte_offset == 0, "%s", what);
}

/* What a tensor of a column should be. */
typedef struct wanted {
    const char *what;
    DLDataType dtype;
    const int64_t *shape;
    int32_t ndim;
    const void *items, *place; /* place NULL: the items cannot be lent */
    size_t nbytes;
} wanted;

static void check_items(const DLTensor *t, const wanted *w)
{
    check_shape(t, w->shape, w->ndim, w->what);
    cr_expect(t->dtype.code == w->dtype.code && t->dtype.bits == w->dtype.bits, "%s", w->what);
    cr_expect_eq(memcmp(t->data, w->items, w->nbytes), 0, "%s", w->what);
}

static void check_copy(const DLTensor *t, const wanted *w)
{
    check_items(t, w);
    cr_expect_eq((uintptr_t)t->data % 64, 0, "%s", w->what);
    memset(t->data, 0x77, w->nbytes); /* writable, and nobody else's */
}

/* All three exports. */
static void expect_tensors(const dv_batch *batch, const wanted *w)
{
    struct DLManagedTensorVersioned *lent, *copy;
    struct DLManagedTensor *old;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_column_export_dlpack(batch, 0, true, &copy, &err), DV_OK, "%s: %s", w->what,
                 err.message);
    cr_assert_eq(dv_column_export_dlpack_old(batch, 0, &old, NULL), DV_OK, "%s", w->what);
    cr_expect(copy->version.major == 1 && copy->flags == DLPACK_FLAG_BITMASK_IS_COPIED);
    check_copy(&copy->dl_tensor, w);
    check_copy(&old->dl_tensor, w);
    copy->deleter(copy);
    old->deleter(old);

    const dv_status status = dv_column_export_dlpack(batch, 0, false, &lent, &err);
    cr_assert_eq(status, w->place ? DV_OK : DV_ERR_COPY, "%s: %s", w->what, err.message);
    cr_assert_eq(lent != NULL, w->place != NULL, "%s", w->what);
    if (!lent)
        return;
    cr_expect(lent->version.major == 1 && lent->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    cr_expect_eq(lent->dl_tensor.data, (void *)(uintptr_t)w->place, "%s: in place", w->what);
    check_items(&lent->dl_tensor, w);
    lent->deleter(lent);
}

/* --- Values ----------------------------------------------------------------------------------- */

static const struct kind {
    dv_kind kind;
    uint8_t code, bits;
} kinds[] = {
    {DV_KIND_I1, kDLInt, 8},    {DV_KIND_I2, kDLInt, 16},  {DV_KIND_I4, kDLInt, 32},
    {DV_KIND_I8, kDLInt, 64},   {DV_KIND_U1, kDLUInt, 8},  {DV_KIND_U2, kDLUInt, 16},
    {DV_KIND_U4, kDLUInt, 32},  {DV_KIND_U8, kDLUInt, 64}, {DV_KIND_R4, kDLFloat, 32},
    {DV_KIND_R8, kDLFloat, 64}, {DV_KIND_TS, kDLInt, 64},  {DV_KIND_DT, kDLInt, 64},
    {DV_KIND_BL, kDLBool, 8},
};

/* Any bytes: NA among numbers and times stays what it is.  A BL is 0 or 1. */
static void fill_items(uint8_t *items, size_t nbytes, dv_kind kind)
{
    for (size_t i = 0; i < nbytes; i++)
        items[i] = (uint8_t)(kind == DV_KIND_BL ? i % 3 == 0 : 0x80 + 37 * i);
}

Test(dlpack_tensor, of_scalars_has_their_bytes)
{
    static const int64_t shape[] = {ROWS};
    _Alignas(64) uint8_t items[ROWS * 8 + 1];
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (size_t at = 0; at < 2; at++) { /* aligned, and not */
            const dv_type type = dv_type_of(kinds[i].kind);
            const dv_column_view column = dvt_made_fixed(type, items + at, ROWS);
            const bool is_aligned = at == 0 || kinds[i].bits == 8;
            one o;
            fill_items(items, sizeof items, kinds[i].kind);
            open_one(&o, &column, NULL);
            expect_tensors(o.batch, &(wanted){.what = dv_kind_name(kinds[i].kind),
                                              .dtype = {kinds[i].code, kinds[i].bits, 1},
                                              .shape = shape,
                                              .ndim = 1,
                                              .items = items + at,
                                              .place = is_aligned ? items + at : NULL,
                                              .nbytes = ROWS * kinds[i].bits / 8});
            close_one(&o);
        }
}

Test(dlpack_tensor, of_vectors_has_a_dimension_for_each_dim)
{
    static const int32_t dims[] = {2, 3}, full[] = {-1, 6, -1, 6};
    static const int64_t flat[] = {4, 6}, deep[] = {4, 2, 3};
    _Alignas(64) uint8_t items[4 * 6 * 8];
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const dv_type item = dv_type_of(kinds[i].kind);
        const dv_column_view scalars = dvt_made_fixed(item, items, 4 * 6);
        fill_items(items, sizeof items, kinds[i].kind);
        for (int way = 0; way < 3;
             way++) { /* a vector; a tensor; rows that store all their slots */
            const dv_type type = way == 1 ? dv_type_tensor(item, dims, 2) : dv_type_vector(item, 6);
            const dv_column_view column = vectors_of(type, &scalars, way == 2 ? full : NULL, 4);
            one o;
            open_one(&o, &column, NULL);
            expect_tensors(o.batch, &(wanted){.what = dv_kind_name(kinds[i].kind),
                                              .dtype = {kinds[i].code, kinds[i].bits, 1},
                                              .shape = way == 1 ? deep : flat,
                                              .ndim = way == 1 ? 3 : 2,
                                              .items = items,
                                              .place = items,
                                              .nbytes = 24u * kinds[i].bits / 8});
            close_one(&o);
        }
    }
}

/* Later batches of a cursor begin in the middle of the items. */
Test(dlpack_tensor, of_a_later_batch_begins_at_its_first_item)
{
    static const int64_t shape[] = {2, 3};
    static const float items[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const dv_column_view scalars = dvt_made_fixed(dv_type_of(DV_KIND_R4), items, 12);
    const dv_column_view column = vectors_of(dv_type_vector(scalars.type, 3), &scalars, NULL, 4);
    one o;
    open_one(&o, &column, NULL);
    dv_cursor_close(&o.cursor);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = 2;
    cr_assert_eq(dv_cursor_open(&o.cursor, o.view, &options, NULL), DV_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(dv_cursor_next(o.cursor, &o.batch, NULL), DV_OK);
        expect_tensors(o.batch, &(wanted){.what = "batch",
                                          .dtype = {kDLFloat, 32, 1},
                                          .shape = shape,
                                          .ndim = 2,
                                          .items = items + 6 * i,
                                          .place = items + 6 * i,
                                          .nbytes = 24});
    }
    close_one(&o);
}

#define KEYS 3
static const dv_kind key_kinds[] = {DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};

/* Keys of any width. */
static void put_key(uint8_t *keys, dv_kind kind, int i, uint64_t key)
{
    const size_t width = (size_t)dv_kind_width(kind);
    memcpy(keys + (size_t)i * width, &key, width); /* little-endian */
}

Test(dlpack_tensor, of_keys_has_class_numbers)
{
    static const int64_t shape[] = {KEYS}, classes[] = {4, 0, 2};
    for (size_t i = 0; i < COUNT(key_kinds); i++)
        for (uint64_t count = 0; count <= 5; count += 5) {
            uint8_t keys[KEYS * 8];
            for (int k = 0; k < KEYS; k++)
                put_key(keys, key_kinds[i], k, (uint64_t)classes[k] + 1);
            const dv_column_view column =
                dvt_made_fixed(dv_type_key(key_kinds[i], 7, count), keys, KEYS);
            one o;
            open_one(&o, &column, NULL);
            expect_tensors(o.batch, &(wanted){.what = dv_kind_name(key_kinds[i]),
                                              .dtype = {kDLInt, 64, 1},
                                              .shape = shape,
                                              .ndim = 1,
                                              .items = classes,
                                              .nbytes = sizeof classes});
            close_one(&o);
        }
}

/* --- What is refused -------------------------------------------------------------------------- */

static void expect_refused(const dv_column_view *column, const char *where, const char *way)
{
    one o;
    open_one(&o, column, NULL);
    for (int copy = 0; copy < 2; copy++) {
        struct DLManagedTensorVersioned *t = (void *)&o;
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_column_export_dlpack(o.batch, 0, copy, &t, &err), DV_ERR_ARGUMENT, "%s",
                     err.message);
        cr_expect(!t && strstr(err.message, where) && strstr(err.message, way), "%s", err.message);
    }
    struct DLManagedTensor *old = (void *)&o;
    cr_expect_eq(dv_column_export_dlpack_old(o.batch, 0, &old, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(old);
    close_one(&o);
}

Test(dlpack_tensor, of_keys_or_booleans_that_are_na_is_refused)
{
    for (size_t i = 0; i < COUNT(key_kinds); i++)
        for (int bad = 0; bad < KEYS; bad++)
            for (uint64_t key = 0; key <= 6; key += 6) { /* NA; over the count */
                uint8_t keys[KEYS * 8];
                char where[32];
                for (int k = 0; k < KEYS; k++)
                    put_key(keys, key_kinds[i], k, k == bad ? key : 5);
                const dv_column_view column =
                    dvt_made_fixed(dv_type_key(key_kinds[i], 0, 5), keys, KEYS);
                snprintf(where, sizeof where, "row %d, slot 0 is NA", bad);
                expect_refused(&column, where, "dv_batch_dense");
            }
    const uint64_t far[] = {1, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1};
    const dv_column_view wide = dvt_made_fixed(dv_type_key(DV_KIND_U8, 0, 0), far, 3);
    expect_refused(&wide, "row 2, slot 0", "dv_batch_dense");
    static const int8_t answers[] = {0, 1, 1, 0, 1, DV_BL_NA};
    const dv_column_view bl = dvt_made_fixed(dv_type_of(DV_KIND_BL), answers, 6);
    expect_refused(&bl, "row 5, slot 0 is NA", "dv_batch_dense");
    const dv_column_view pairs = vectors_of(dv_type_vector(bl.type, 2), &bl, NULL, 3);
    expect_refused(&pairs, "row 2, slot 1 is NA", "dv_batch_dense");
}

Test(dlpack_tensor, of_sparse_rows_or_other_types_is_refused)
{
    static const float items[24];
    static const int32_t counts[] = {-1, 6, 5}, ends[] = {0, 0};
    static const dv_u128 ids[2];
    const dv_column_view scalars = dvt_made_fixed(dv_type_of(DV_KIND_R4), items, 24);
    const dv_column_view sparse = vectors_of(dv_type_vector(scalars.type, 6), &scalars, counts, 3);
    expect_refused(&sparse, "sparse in row 2", "dv_csr_create");
    static const int32_t lengths[] = {2, 2};
    dv_column_view varies = vectors_of(dv_type_vector(scalars.type, 0), &scalars, NULL, 2);
    varies.as.vector.lengths = (dv_buffer){.data = lengths, .nbytes = 8, .is_aligned = true};
    expect_refused(&varies, "size varies", "widths");
    const dv_column_view text = dvt_made_text(DV_KIND_TX, "", ends, 2);
    expect_refused(&text, "type TX", "dv_batch_export_arrow");
    const dv_column_view bytes = dvt_made_text(DV_KIND_BY, "", ends, 2);
    expect_refused(&bytes, "type BY", "dv_batch_export_arrow");
    const dv_column_view id = dvt_made_fixed(dv_type_of(DV_KIND_UG), ids, 2);
    expect_refused(&id, "type UG", "dv_batch_export_arrow");
    dv_column_view zoned = {.type = dv_type_of(DV_KIND_DZ), .layout = DV_LAYOUT_ZONED, .rows = 2};
    zoned.as.zoned.ticks = (dv_buffer){.data = items, .nbytes = 16, .is_aligned = true};
    zoned.as.zoned.minutes = (dv_buffer){.data = items, .nbytes = 4, .is_aligned = true};
    expect_refused(&zoned, "type DZ", "dv_view_convert");
}

Test(dlpack_tensor, of_no_column_is_refused)
{
    static const float items[3];
    const dv_column_view scalars = dvt_made_fixed(dv_type_of(DV_KIND_R4), items, 3);
    one o;
    open_one(&o, &scalars, NULL);
    for (int32_t k = -1; k <= 1; k += 2) {
        struct DLManagedTensorVersioned *t;
        cr_expect_eq(dv_column_export_dlpack(o.batch, k, true, &t, NULL), DV_ERR_ARGUMENT);
        cr_expect_null(t);
    }
    close_one(&o);
}

/* --- Lifetime, memory ------------------------------------------------------------------------- */

static void *delete_both(void *ctx)
{
    struct DLManagedTensorVersioned **t = ctx;
    for (int i = 0; i < 2; i++)
        t[i]->deleter(t[i]);
    return NULL;
}

/* The bytes of a mapped file, and decoded ones, after file, view and cursor are gone. */
Test(dlpack_tensor, outlives_batch_cursor_and_view)
{
    static const char *const files[] = {"idv/scalar-all-raw-rpb7.idv",
                                        "idv/scalar-all-deflate-rpb7.idv"};
    for (size_t i = 0; i < COUNT(files); i++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, 0);
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        how.allocator = &counted.allocator;
        dv_view *view = dvt_golden_open(files[i], &how);
        dv_cursor *cursor;
        const dv_batch *batch;
        struct DLManagedTensorVersioned *t[2];
        cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "I1", NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
        cr_assert_eq(dv_column_export_dlpack(batch, 0, false, &t[0], NULL), DV_OK);
        cr_assert_eq(dv_column_export_dlpack(batch, 0, true, &t[1], NULL), DV_OK);
        const dv_buffer *values = &dv_batch_column(batch, 0)->as.fixed.values;
        cr_expect_eq(t[0]->dl_tensor.data, (void *)(uintptr_t)values->data);
        cr_expect_eq(values->is_borrowed, i == 0);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            ; /* the memory of the first batch is not used again */
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        cr_expect_eq(
            memcmp(t[0]->dl_tensor.data, t[1]->dl_tensor.data, (size_t)t[0]->dl_tensor.shape[0]),
            0);
        pthread_t other;
        cr_assert_eq(pthread_create(&other, NULL, delete_both, t), 0);
        pthread_join(other, NULL);
        cr_expect_eq(atomic_load(&counted.live), 0);
    }
}

Test(dlpack_tensor, without_memory)
{
    static const uint8_t keys[] = {1, 2, 3};
    const dv_column_view column = dvt_made_fixed(dv_type_key(DV_KIND_U1, 0, 3), keys, 3);
    for (int64_t k = 1; k <= 3; k++) {
        dvt_allocator counted;
        struct DLManagedTensorVersioned *t;
        one o;
        dvt_allocator_init(&counted, 0);
        open_one(&o, &column, &counted.allocator);
        counted.fail_at = atomic_load(&counted.asked) + k;
        const dv_status status = dv_column_export_dlpack(o.batch, 0, true, &t, NULL);
        cr_expect_eq(status, k <= 2 ? DV_ERR_MEMORY : DV_OK);
        cr_expect_eq(t != NULL, k > 2);
        close_one(&o);
        if (t)
            t->deleter(t);
        cr_expect_eq(atomic_load(&counted.live), 0);
    }
}
