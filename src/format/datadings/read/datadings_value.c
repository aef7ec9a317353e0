/* SPDX-License-Identifier: MIT */
/* datadings_value.c: appends a value of a message to a column (datadings:12). */
#include "base/check.h"
#include "base/compiler.h"
#include "base/load.h"
#include "format/datadings/read/datadings_decoder.h"
#include "format/datadings/read/datadings_number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NA_BIT (UINT32_C(1) << 31)

/* A value that is being appended. */
typedef struct value {
    dvi_datadings_decoder *d;
    dvi_datadings_builder *b;
    const dvi_datadings_cell *cell;
    const dvi_msgpack_reader *message;
    dvi_msgpack_reader r; /* of a value of several tokens: start_reader */
} value;

/* Read the message from `at` on, up to the end of the value, to which it was checked: also if the
 * file changes while it is read. */
static void start_reader(value *v, const uint8_t *at)
{
    v->r = *v->message;
    v->r.at = at;
    v->r.end = v->cell->end;
    v->r.nesting = DVI_MSGPACK_NESTING;
}

static dv_status mismatch(const value *v, const uint8_t *at, const char *found)
{
    dvi_datadings_mismatch *m = &v->d->mismatch;
    *m = (dvi_datadings_mismatch){.field = v->b->column->field, .at = at};
    snprintf(m->found, sizeof m->found, "%s", found);
    return DV_NOT_FOUND;
}

/* Describe a map as the value of numpy that it is. */
static dv_status mismatch_nd(const value *v, const uint8_t *at, const dvi_nd_map *nd)
{
    static const char *const names[] = {"map", "array of numpy", "scalar of numpy",
                                        "complex number"};
    dvi_datadings_mismatch *m = &v->d->mismatch;
    int32_t dims[DVI_ND_RANK];
    mismatch(v, at, names[nd->what]);
    if (nd->what != DVI_ND_ARRAY || nd->dtype.kind == DV_KIND_NONE || nd->items > INT32_MAX)
        return DV_NOT_FOUND;
    for (int32_t i = 0; i < nd->rank; i++)
        dims[i] = nd->dims[i] > INT32_MAX ? 0 : (int32_t)nd->dims[i];
    const dv_type item = dv_type_of(nd->dtype.kind);
    const dv_type type = nd->rank > 1   ? dv_type_tensor(item, dims, nd->rank)
                         : nd->rank > 0 ? dv_type_vector(item, dims[0])
                                        : item;
    dv_type_print(&type, m->found, sizeof m->found);
    return DV_NOT_FOUND;
}

/* --- Scalars and elements --------------------------------------------------------------------- */

/* A scalar of numpy. */
static DVI_NOINLINE dv_status read_nd_fixed(value *v, const uint8_t *at, void *dst, dv_error *err)
{
    dvi_nd_map nd;
    start_reader(v, at);
    DVI_TRY(dvi_nd_read(&v->r, v->d->file->options.strict, &nd, err));
    const bool is_scalar = nd.what == DVI_ND_SCALAR || (nd.what == DVI_ND_ARRAY && nd.rank == 0);
    return is_scalar && dvi_datadings_store_nd(dst, &v->b->item, v->b->width, &nd)
               ? DV_OK
               : mismatch_nd(v, at, &nd);
}

/* Read a value of fixed width into dst. `at`: its first byte, t: its first token. */
static dv_status read_fixed(value *v, const dvi_msgpack *t, const uint8_t *at, void *dst,
                            dv_error *err)
{
    if (t->kind == DVI_MSGPACK_MAP)
        return read_nd_fixed(v, at, dst, err);
    return dvi_datadings_store(dst, &v->b->item, v->b->width, t)
               ? DV_OK
               : mismatch(v, at, dvi_msgpack_kind_name(t->kind));
}

static dv_status fail_text(const value *v, const uint8_t *at, dv_error *err)
{
    return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.29",
                    v->message->offset + (at - v->message->start), "text", "UTF-8|other bytes");
}

/* Is there memory for n more bytes of texts? It was reserved for those that the value had when it
 * was located. */
static bool has_room(const dvi_datadings_builder *b, size_t n)
{
    return n <= b->main_cap - b->nbytes;
}

/* Append the bytes of a text, for which memory is reserved. The caller stores its end. */
static dv_status put_text(value *v, const dvi_msgpack *t, const uint8_t *at, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const bool is_text = b->item.kind == DV_KIND_TX;
    const bool is_cut = is_text && t->n > 0 && (*t->data & 0xC0) == 0x80;
    if (is_cut || !has_room(b, t->n) || (is_text && v->d->checks_text && !dvi_msgpack_is_utf8(t)))
        return fail_text(v, at, err);
    if (t->n > 0)
        memcpy(b->main->data + b->nbytes, t->data, t->n);
    b->nbytes += t->n;
    return DV_OK;
}

/* Append the text of a scalar or an item of numpy. */
static dv_status put_nd_text(value *v, const dvi_nd_dtype *dtype, const uint8_t *src,
                             const uint8_t *at, dv_error *err)
{
    size_t n;
    if (!has_room(v->b, dtype->width) ||
        !dvi_nd_copy_text(v->b->main->data + v->b->nbytes, &n, dtype, src))
        return fail_text(v, at, err);
    v->b->nbytes += n;
    return DV_OK;
}

static bool is_text_token(const value *v, const dvi_msgpack *t)
{
    return t->kind == (v->b->item.kind == DV_KIND_TX ? DVI_MSGPACK_STR : DVI_MSGPACK_BIN);
}

/* A text of numpy, or no text at all. */
static DVI_NOINLINE dv_status read_nd_scalar(value *v, const dvi_msgpack *t, const uint8_t *at,
                                             dv_error *err)
{
    dvi_nd_map nd;
    if (t->kind != DVI_MSGPACK_MAP)
        return mismatch(v, at, dvi_msgpack_kind_name(t->kind));
    start_reader(v, at);
    DVI_TRY(dvi_nd_read(&v->r, v->d->file->options.strict, &nd, err));
    const bool is_scalar = nd.what == DVI_ND_SCALAR || (nd.what == DVI_ND_ARRAY && nd.rank == 0);
    if (!is_scalar || nd.dtype.kind != v->b->item.kind)
        return mismatch_nd(v, at, &nd);
    return put_nd_text(v, &nd.dtype, nd.data, at, err);
}

static dv_status read_text(value *v, const dvi_msgpack *t, const uint8_t *at, dv_error *err)
{
    return is_text_token(v, t) ? put_text(v, t, at, err) : read_nd_scalar(v, t, at, err);
}

static void end_text(dvi_datadings_builder *b, int64_t item, bool is_na)
{
    dvi_store_u32(b->ends->data + 4 * item, (uint32_t)b->nbytes | (is_na ? NA_BIT : 0));
}

static bool is_na_text(const dvi_datadings_builder *b)
{
    return b->item.kind == DV_KIND_TX;
}

/* --- Columns of scalars ----------------------------------------------------------------------- */

static dv_status append_text(value *v, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const dvi_msgpack *t = &v->cell->token;
    dvi_msgpack whole;
    if (b->column->is_opaque) {
        whole = (dvi_msgpack){.kind = DVI_MSGPACK_BIN, .n = (uint32_t)(v->cell->end - v->cell->at)};
        whole.data = v->cell->at;
        t = &whole;
    }
    const bool is_own = v->d->in_place && is_text_token(v, t);
    const size_t room = is_own ? 0 : (size_t)(v->cell->end - v->cell->at);
    DVI_TRY(dvi_datadings_room(v->d, b, 1, room, err));
    if (is_own) {
        if (b->item.kind == DV_KIND_TX && !dvi_msgpack_is_utf8(t))
            return fail_text(v, v->cell->at, err);
        b->borrowed = t->data;
        b->nbytes = t->n;
    } else {
        const dv_status status = read_text(v, t, v->cell->at, err);
        if (status != DV_OK)
            return status;
    }
    end_text(b, b->items++, false);
    return DV_OK;
}

static dv_status append_fixed(value *v, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    DVI_TRY(dvi_datadings_room(v->d, b, 1, 0, err));
    const dv_status status = read_fixed(v, &v->cell->token, v->cell->at,
                                        b->main->data + b->width * (size_t)b->items, err);
    b->items += status == DV_OK;
    return status;
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* End the row as a vector with this many slots. count: -1 dense, 0 without items. */
static dv_status end_vector(value *v, int64_t slots, int32_t count, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const size_t at = 4 * (size_t)v->d->rows;
    const dv_allocator *allocator = &v->d->allocator;
    DVI_TRY(dvi_memory_extend(&b->counts, at, at + 4, allocator, err));
    DVI_TRY(dvi_memory_extend(&b->lengths, at, at + 4, allocator, err));
    dvi_store_i32(b->counts->data + at, count);
    dvi_store_i32(b->lengths->data + at, (int32_t)slots);
    return DV_OK;
}

/* Read element i of the array into the item i after the last one. */
static dv_status read_element(value *v, int64_t i, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const int64_t item = b->items + i;
    const uint8_t *at = v->r.at;
    const dvi_msgpack t = dvi_msgpack_next(&v->r);
    dv_status status = DV_OK;
    const bool is_nil = t.kind == DVI_MSGPACK_NIL;
    if (is_nil && !dv_type_has_na(&b->item))
        return mismatch(v, at, "an array with nil");
    if (is_nil && !b->is_text)
        dvi_datadings_store_missing(b->main->data + b->width * (size_t)item, &b->item, b->width);
    else if (!is_nil)
        status = b->is_text ? read_text(v, &t, at, err)
                            : read_fixed(v, &t, at, b->main->data + b->width * (size_t)item, err);
    if (b->is_text && status == DV_OK)
        end_text(b, item, is_nil);
    if (t.kind >= DVI_MSGPACK_ARRAY) {
        v->r.at = at;
        dvi_msgpack_skip(&v->r, 0);
    }
    return status;
}

static dv_status mismatch_length(const value *v, int64_t n)
{
    mismatch(v, v->cell->at, "");
    snprintf(v->d->mismatch.found, sizeof v->d->mismatch.found, "an array of %" PRId64, n);
    return DV_NOT_FOUND;
}

static dv_status append_array(value *v, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const dv_type *type = &b->column->type;
    const int64_t n = v->cell->token.n;
    if (n > INT32_MAX || type->rank != 1 || (type->size > 0 && type->size != n))
        return mismatch_length(v, n);
    DVI_TRY(dvi_datadings_room(v->d, b, (size_t)n, (size_t)(v->cell->end - v->cell->at), err));
    start_reader(v, v->cell->at);
    dvi_msgpack_next(&v->r);
    for (int64_t i = 0; i < n; i++) {
        const dv_status status = read_element(v, i, err);
        if (status != DV_OK)
            return status;
    }
    DVI_TRY(end_vector(v, n, -1, err));
    b->items += n;
    return DV_OK;
}

static bool has_dims(const dvi_nd_map *nd, const dv_type *type)
{
    if (nd->items > INT32_MAX)
        return false;
    if (type->rank == 1 && type->size == 0)
        return true;
    bool has = nd->rank == type->rank;
    for (int32_t i = 0; i < type->rank && has; i++)
        has = dv_type_dim(type, i) == 0 || dv_type_dim(type, i) == nd->dims[i];
    return has;
}

/* Append items of dtype S or U. */
static dv_status append_nd_text(value *v, const dvi_nd_map *nd, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const size_t width = nd->dtype.width;
    DVI_TRY(dvi_datadings_room(v->d, b, (size_t)nd->items, width * (size_t)nd->items, err));
    for (int64_t i = 0; i < nd->items; i++) {
        DVI_TRY(put_nd_text(v, &nd->dtype, nd->data + width * (size_t)i, v->cell->at, err));
        end_text(b, b->items + i, false);
    }
    return DV_OK;
}

/* Append integers as ticks, to a column whose type the options give. */
static dv_status append_ticks(value *v, const dvi_nd_map *nd, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    DVI_TRY(dvi_datadings_room(v->d, b, (size_t)nd->items, 0, err));
    uint8_t *dst = b->main->data + b->width * (size_t)b->items;
    dvi_nd_copy(dst, &nd->dtype, nd->data, (size_t)nd->items);
    for (int64_t i = 0; i < nd->items && b->item.kind == DV_KIND_DT; i++) {
        const int64_t ticks = dvi_load_i64(dst + 8 * i);
        if (ticks != DV_TICKS_NA && (ticks < 0 || ticks > DV_TICKS_MAX))
            return mismatch(v, v->cell->at, "a time out of range");
    }
    return DV_OK;
}

/* Can items of kind `nd` be items or ticks of the column? */
static bool is_item(dv_kind nd, dv_kind item)
{
    return nd == item || (nd == DV_KIND_I8 && (item == DV_KIND_TS || item == DV_KIND_DT));
}

static dv_status append_nd_items(value *v, const dvi_nd_map *nd, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    if (b->is_text)
        return append_nd_text(v, nd, err);
    if (v->d->in_place && b->item.kind == nd->dtype.kind &&
        dvi_nd_is_in_place(&nd->dtype, nd->data, (size_t)nd->items)) {
        b->borrowed = nd->data;
        return DV_OK;
    }
    if (b->item.kind != nd->dtype.kind)
        return append_ticks(v, nd, err);
    DVI_TRY(dvi_datadings_room(v->d, b, (size_t)nd->items, 0, err));
    uint8_t *dst = b->main->data + b->width * (size_t)b->items;
    return dvi_nd_copy(dst, &nd->dtype, nd->data, (size_t)nd->items)
               ? DV_OK
               : mismatch(v, v->cell->at, "a time out of range");
}

static dv_status append_complex(value *v, const dvi_nd_map *nd, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    const dv_type *type = &b->column->type;
    if (b->item.kind != DV_KIND_R8 || type->rank != 1 || (type->size != 0 && type->size != 2))
        return mismatch_nd(v, v->cell->at, nd);
    DVI_TRY(dvi_datadings_room(v->d, b, 2, 0, err));
    memcpy(b->main->data + b->width * (size_t)b->items, nd->complex, sizeof nd->complex);
    return DV_OK;
}

static DVI_NOINLINE dv_status append_nd(value *v, dv_error *err)
{
    dvi_datadings_builder *b = v->b;
    dvi_nd_map nd;
    dv_status status;
    start_reader(v, v->cell->at);
    DVI_TRY(dvi_nd_read(&v->r, v->d->file->options.strict, &nd, err));
    if (nd.what == DVI_ND_COMPLEX)
        status = append_complex(v, &nd, err);
    else if (nd.what != DVI_ND_ARRAY || !is_item(nd.dtype.kind, b->item.kind))
        return mismatch_nd(v, v->cell->at, &nd);
    else if (!has_dims(&nd, &b->column->type))
        return mismatch_nd(v, v->cell->at, &nd);
    else
        status = append_nd_items(v, &nd, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(end_vector(v, nd.items, -1, err));
    b->items += nd.items;
    return DV_OK;
}

static dv_status append_vector(value *v, dv_error *err)
{
    const dvi_msgpack_kind kind = v->cell->token.kind;
    if (kind == DVI_MSGPACK_ARRAY)
        return append_array(v, err);
    if (kind == DVI_MSGPACK_MAP)
        return append_nd(v, err);
    return mismatch(v, v->cell->at, dvi_msgpack_kind_name(kind));
}

/* --- Any value -------------------------------------------------------------------------------- */

dv_status dvi_datadings_append(dvi_datadings_decoder *d, dvi_datadings_builder *b,
                               const dvi_datadings_cell *cell, const dvi_msgpack_reader *message,
                               dv_error *err)
{
    value v; /* not all set: most values are one token */
    v.d = d;
    v.b = b;
    v.cell = cell;
    v.message = message;
    const size_t nbytes = b->nbytes;
    const dv_status status = b->is_vector ? append_vector(&v, err)
                             : b->is_text ? append_text(&v, err)
                                          : append_fixed(&v, err);
    if (status != DV_OK)
        b->nbytes = nbytes; /* drop the texts of an incomplete vector */
    return status;
}

dv_status dvi_datadings_append_missing(dvi_datadings_decoder *d, dvi_datadings_builder *b,
                                       dv_error *err)
{
    value v = {.d = d, .b = b};
    b->borrowed = NULL;
    if (b->is_vector)
        return end_vector(&v, b->column->type.size, b->column->type.size > 0 ? 0 : -1, err);
    DVI_TRY(dvi_datadings_room(d, b, 1, 0, err));
    if (b->is_text)
        end_text(b, b->items, is_na_text(b));
    else
        dvi_datadings_store_missing(b->main->data + b->width * (size_t)b->items, &b->item,
                                    b->width);
    b->items++;
    return DV_OK;
}

dv_status dvi_datadings_append_listed(dvi_datadings_decoder *d, dvi_datadings_builder *b,
                                      dv_text key, dv_error *err)
{
    const size_t n = (size_t)key.nbytes;
    b->borrowed = NULL;
    DVI_TRY(dvi_datadings_room(d, b, 1, n, err));
    if (n > 0)
        memcpy(b->main->data + b->nbytes, key.data, n);
    b->nbytes += n;
    end_text(b, b->items++, false);
    return DV_OK;
}
