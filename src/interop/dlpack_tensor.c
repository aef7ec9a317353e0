/* SPDX-License-Identifier: MIT */
/* dlpack_tensor.c: makes DLPack tensors of columns. */
#include <dataview/dlpack.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/na.h"
#include "view/batch.h"
#include "view/view.h"
#include "interop/arrow_value.h"
#include <inttypes.h>
#include <string.h>

/* A tensor, and what it needs. */
typedef struct tensor {
    union { /* first, because deleters get a pointer to it */
        struct DLManagedTensorVersioned versioned;
        struct DLManagedTensor old;
    } shown;
    dv_allocator allocator;
    size_t nbytes;         /* of this struct */
    const dv_batch *batch; /* whose bytes are lent; or NULL */
    void *memory;          /* the copy; or NULL */
    size_t memory_nbytes;
    int64_t shape[]; /* and the strides */
} tensor;

/* The items of a column, all rows one after the other. */
typedef struct source {
    int32_t k;
    dv_type type, item;
    const uint8_t *items;
    int64_t rows, slots; /* slots of a row */
    size_t n;            /* items */
    DLDataType dtype;
} source;

/* --- Items ------------------------------------------------------------------------------------ */

/* false: tensors have no such items. */
static bool find_dtype(const dv_type *item, DLDataType *dtype_out)
{
    static const uint8_t codes[DV_KIND_BY + 1] = {
        [DV_KIND_I1] = kDLInt,   [DV_KIND_I2] = kDLInt,  [DV_KIND_I4] = kDLInt,
        [DV_KIND_I8] = kDLInt,   [DV_KIND_U1] = kDLUInt, [DV_KIND_U2] = kDLUInt,
        [DV_KIND_U4] = kDLUInt,  [DV_KIND_U8] = kDLUInt, [DV_KIND_R4] = kDLFloat,
        [DV_KIND_R8] = kDLFloat, [DV_KIND_BL] = kDLBool, [DV_KIND_TS] = kDLInt,
        [DV_KIND_DT] = kDLInt};
    const bool is_known = item->kind <= DV_KIND_BY && item->kind != DV_KIND_TX &&
                          item->kind != DV_KIND_BY && item->kind != DV_KIND_DZ &&
                          item->kind != DV_KIND_UG;
    if (!is_known)
        return false;
    *dtype_out = (DLDataType){codes[item->kind], (uint8_t)(8 * dv_kind_width(item->kind)), 1};
    if (item->is_key)
        *dtype_out = (DLDataType){kDLInt, 64, 1};
    return true;
}

static dv_status fail_type(const source *s, dv_error *err)
{
    char name[128];
    dv_type_print(&s->type, name, sizeof name);
    return dvi_fail_argument(err,
                             "column %d has the type %s, and tensors have only numbers, BL, TS, DT "
                             "and keys: export it with dv_batch_export_arrow, or convert it with "
                             "dv_view_convert",
                             s->k, name);
}

/* Are all slots of all rows stored? */
static dv_status find_slots(source *s, const dv_vector_layout *vector, dv_error *err)
{
    s->slots = dv_type_value_count(&s->type);
    DVI_REQUIRE(s->slots > 0,
                dvi_fail_argument(err,
                                  "column %d has vectors whose size varies: fill a matrix with "
                                  "dv_batch_dense and its option widths",
                                  s->k));
    int64_t row = 0;
    while (row < s->rows && dvi_vector_length(vector, row) == s->slots &&
           (dvi_vector_count(vector, row) < 0 || dvi_vector_count(vector, row) == s->slots))
        row++;
    DVI_REQUIRE(row == s->rows,
                dvi_fail_argument(err,
                                  "column %d is sparse in row %" PRId64 ": fill a matrix with "
                                  "dv_batch_dense, or make one with dv_csr_create",
                                  s->k, row));
    return DV_OK;
}

static dv_status find_source(source *s, const dv_batch *batch, int32_t k, dv_error *err)
{
    const dv_column_view *view = dv_batch_column(batch, k);
    DVI_REQUIRE(view,
                dvi_fail_argument(err, "column %d: the batch has %d columns", k, batch->columns));
    *s = (source){.k = k, .type = view->type, .rows = view->rows, .slots = 1};
    s->item = dv_type_item(&view->type);
    DVI_REQUIRE(find_dtype(&s->item, &s->dtype), fail_type(s, err));
    const dv_column_view *items = view;
    int64_t base = 0;
    if (view->layout == DV_LAYOUT_VECTOR) {
        DVI_TRY(find_slots(s, &view->as.vector, err));
        items = view->as.vector.items;
        base = view->as.vector.item_base;
    }
    s->items = (const uint8_t *)items->as.fixed.values.data + (size_t)base * dvi_width_of(&s->item);
    s->n = (size_t)s->rows * (size_t)s->slots; /* they are stored */
    return DV_OK;
}

/* --- NA --------------------------------------------------------------------------------------- */

static uint64_t key_at(const source *s, size_t i)
{
    uint64_t key = 0;
    const size_t width = dvi_width_of(&s->item);
    memcpy(&key, s->items + i * width, width); /* little-endian */
    return key;
}

/* The last key that has a class number of 63 bits. */
static uint64_t last_key(const dv_type *item)
{
    const uint64_t most = UINT64_C(1) << 63;
    return item->key_count > 0 && item->key_count < most ? item->key_count : most;
}

static bool is_class(const source *s, uint64_t key)
{
    return key > 0 && key <= last_key(&s->item);
}

/* Whether all keys are class numbers, by their least and their largest. */
static bool are_classes(const source *s)
{
    uint64_t ends[2] = {0, 0};
    uint32_t four[2];
    uint16_t two[2];
    uint8_t one[2];
    switch (dvi_width_of(&s->item)) {
    case 1:
        dvi_kernels()->minmax_u1(s->items, s->n, one);
        ends[0] = one[0], ends[1] = one[1];
        break;
    case 2:
        dvi_kernels()->minmax_u2(s->items, s->n, two);
        ends[0] = two[0], ends[1] = two[1];
        break;
    case 4:
        dvi_kernels()->minmax_u4(s->items, s->n, four);
        ends[0] = four[0], ends[1] = four[1];
        break;
    default:
        dvi_kernels()->minmax_u8(s->items, s->n, ends);
        break;
    }
    return is_class(s, ends[0]) && is_class(s, ends[1]);
}

/* How many items come before one that a tensor cannot hold; n: all can be held. */
static size_t count_sound(const source *s)
{
    const dvi_na na = dvi_na_of(&s->item);
    if (s->item.kind == DV_KIND_BL)
        return dvi_kernels()->na_first_1(s->items, s->n, &na);
    if (!s->item.is_key || are_classes(s))
        return s->n;
    size_t i = 0;
    while (i < s->n && is_class(s, key_at(s, i)))
        i++;
    return i;
}

static dv_status check_na(const source *s, dv_error *err)
{
    const size_t sound = count_sound(s), slots = (size_t)s->slots;
    if (sound == s->n)
        return DV_OK;
    return dvi_fail_argument(
        err,
        "column %d: row %zu, slot %zu is NA, which a tensor of %s cannot hold: "
        "fill a matrix with dv_batch_dense, whose options say what becomes "
        "of NA",
        s->k, sound / slots, sound % slots, s->item.is_key ? "class numbers" : "kDLBool");
}

/* --- Tensors ---------------------------------------------------------------------------------- */

static void drop(tensor *t)
{
    const dv_allocator allocator = t->allocator;
    dv_batch_release(&t->batch);
    dvi_free(&allocator, t->memory, t->memory_nbytes);
    dvi_free(&allocator, t, t->nbytes);
}

static void delete_versioned(struct DLManagedTensorVersioned *self)
{
    drop((tensor *)self);
}

static void delete_old(struct DLManagedTensor *self)
{
    drop((tensor *)self);
}

/* The allocator of the view, to which a batch without one has no way. */
static dv_allocator allocator_for(const dv_batch *batch)
{
    const dv_view *view = dvi_batch_view(batch);
    return dvi_allocator_of(view ? dvi_view_allocator(view) : NULL);
}

static dv_status create(tensor **tensor_out, const dv_batch *batch, const source *s, dv_error *err)
{
    const size_t nbytes = sizeof(tensor) + 2 * ((size_t)s->type.rank + 1) * sizeof(int64_t);
    const dv_allocator allocator = allocator_for(batch);
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, nbytes, err));
    *tensor_out = made;
    (*tensor_out)->allocator = allocator;
    (*tensor_out)->nbytes = nbytes;
    return DV_OK;
}

static DLTensor shape_of(tensor *t, const source *s)
{
    const int32_t ndim = s->type.rank + 1;
    int64_t *const shape = t->shape, *const strides = t->shape + ndim;
    shape[0] = s->rows;
    for (int32_t i = 1; i < ndim; i++)
        shape[i] = dv_type_dim(&s->type, i - 1);
    strides[ndim - 1] = 1;
    for (int32_t i = ndim - 1; i > 0; i--)
        strides[i - 1] = strides[i] * shape[i];
    return (DLTensor){
        .device = {kDLCPU, 0}, .ndim = ndim, .dtype = s->dtype, .shape = shape, .strides = strides};
}

static dv_status copy_items(tensor *t, const source *s, dv_error *err)
{
    const size_t width = dvi_width_of(&s->item);
    size_t nbytes;
    DVI_REQUIRE(dvi_size_mul(s->n, (size_t)s->dtype.bits / 8, &nbytes),
                dvi_fail_memory(err, SIZE_MAX));
    DVI_TRY(dvi_alloc(&t->allocator, &t->memory, nbytes, err));
    t->memory_nbytes = nbytes;
    if (s->item.is_key)
        dvi_arrow_codes(t->memory, 8, s->items, width, s->n, s->item.key_count, 0);
    else
        memcpy(t->memory, s->items, nbytes);
    return DV_OK;
}

/* Why the items cannot be lent; NULL: they can. */
static const char *why_copied(const source *s)
{
    if (s->item.is_key)
        return "keys, whose class numbers are made";
    return (uintptr_t)s->items % dvi_width_of(&s->item) == 0 ? NULL : "items that are not aligned";
}

static dv_status lend_items(tensor *t, const dv_batch *batch, const source *s, dv_error *err)
{
    const char *why = why_copied(s);
    DVI_REQUIRE(!why, dvi_fail(err, DV_ERR_COPY, "", -1, "a tensor without a copy",
                               "aligned items of its own type|column %d: %s", s->k, why));
    dv_batch_retain(batch);
    t->batch = batch;
    return DV_OK;
}

/* A tensor without the members that only one of the two structs has. */
static dv_status make(tensor **tensor_out, DLTensor *shown, const dv_batch *batch, int32_t k,
                      bool copy, dv_error *err)
{
    source s;
    tensor *t;
    *tensor_out = NULL;
    DVI_TRY(find_source(&s, batch, k, err));
    DVI_TRY(check_na(&s, err));
    DVI_TRY(create(&t, batch, &s, err));
    const dv_status status = copy ? copy_items(t, &s, err) : lend_items(t, batch, &s, err);
    if (status < 0) {
        drop(t);
        return status;
    }
    *shown = shape_of(t, &s);
    shown->data = copy ? t->memory : (void *)(uintptr_t)s.items;
    *tensor_out = t;
    return DV_OK;
}

dv_status dv_column_export_dlpack(const dv_batch *batch, int32_t k, bool copy,
                                  struct DLManagedTensorVersioned **tensor_out, dv_error *err)
{
    tensor *t;
    DLTensor shown;
    *tensor_out = NULL;
    DVI_TRY(make(&t, &shown, batch, k, copy, err));
    const uint64_t flags = copy ? DLPACK_FLAG_BITMASK_IS_COPIED : DLPACK_FLAG_BITMASK_READ_ONLY;
    t->shown.versioned = (struct DLManagedTensorVersioned){.version = {1, 0},
                                                           .manager_ctx = t,
                                                           .deleter = delete_versioned,
                                                           .flags = flags,
                                                           .dl_tensor = shown};
    *tensor_out = &t->shown.versioned;
    return DV_OK;
}

dv_status dv_column_export_dlpack_old(const dv_batch *batch, int32_t k,
                                      struct DLManagedTensor **tensor_out, dv_error *err)
{
    tensor *t;
    DLTensor shown;
    *tensor_out = NULL;
    DVI_TRY(make(&t, &shown, batch, k, true, err));
    t->shown.old =
        (struct DLManagedTensor){.dl_tensor = shown, .manager_ctx = t, .deleter = delete_old};
    *tensor_out = &t->shown.old;
    return DV_OK;
}
