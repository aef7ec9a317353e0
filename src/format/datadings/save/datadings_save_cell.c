/* SPDX-License-Identifier: MIT */
/* datadings_save_cell.c: the value of a row, as msgpack.  (datadings:12) */
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "codec/msgpack.h"
#include "view/text_check.h"
#include "format/datadings/save/datadings_save_priv.h"
#include <dataview/own_view.h>
#include <dataview/schema.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef dvi_datadings_cell cell;
typedef dvi_datadings_output putter;

#define TICKS_PER_MINUTE INT64_C(600000000)

dvi_datadings_where dvi_datadings_where_of(const dvi_datadings_plan *plan, int32_t column,
                                           int64_t row)
{
    dvi_datadings_where w;
    const dv_column_info *info = dv_schema_column(plan->saving->schema, column);
    snprintf(w.text, sizeof w.text, "row %" PRId64 ", column \"%s\"", row,
             info ? dvi_show(info->name).text : "key");
    return w;
}

static dv_status fail(const cell *c, dv_status status, const char *wanted, const char *found,
                      dv_error *err)
{
    const dvi_datadings_where w = dvi_datadings_where_of(c->plan, c->entry->column, c->row);
    return dvi_fail(err, status, status == DV_ERR_LOSS ? "allow_loss" : "", -1, w.text, "%s|%s",
                    wanted, found);
}

/* --- A batch ------------------------------------------------------------------------------------
 */

static const uint8_t nothing[16]; /* where a batch without any item has its arrays */

static const uint8_t *data_of(const dv_buffer *buffer)
{
    return buffer->data ? buffer->data : nothing;
}

/* The items of the batch's rows. */
static dv_status find_list(cell *c, const dv_column_view *view, dv_error *err)
{
    c->list = *view;
    if (view->layout != DV_LAYOUT_VECTOR)
        return DV_OK;
    const dv_vector_layout *vector = &view->as.vector;
    const dv_sparse rows = dvi_vector_sparse(vector, view->rows);
    int64_t sums[2];
    dvi_kernels()->counts_check(&rows, 0, sums); /* which are sound: dv_batch_fill looked */
    DVI_REQUIRE(dvi_kernels()->indices_check(&rows, (size_t)sums[0]) == (size_t)sums[0],
                fail(c, DV_ERR_ARGUMENT, "indices that rise below the length", "others", err));
    c->lengths = rows.lengths;
    c->counts = rows.counts;
    c->index = rows.indices;
    c->slots = rows.length;
    c->list = *vector->items;
    dvi_column_advance(&c->list, vector->item_base);
    dvi_column_limit(&c->list, sums[1]);
    return DV_OK;
}

dv_status dvi_datadings_cell_begin(cell *c, const dv_column_view *view, int64_t row, dv_error *err)
{
    c->row = row;
    c->item = c->at = 0;
    DVI_TRY(find_list(c, view, err));
    const dv_column_view *list = &c->list;
    if (list->layout == DV_LAYOUT_TEXT || list->layout == DV_LAYOUT_BYTES) {
        const char *wanted = dvi_text_check(list);
        DVI_REQUIRE(!wanted, fail(c, DV_ERR_ARGUMENT, wanted, "others in its batch", err));
        c->values = data_of(&list->as.text.utf8);
        c->beside = data_of(&list->as.text.ends);
        return DV_OK;
    }
    const bool is_zoned = list->layout == DV_LAYOUT_ZONED;
    c->values = data_of(is_zoned ? &list->as.zoned.ticks : &list->as.fixed.values);
    c->beside = is_zoned ? data_of(&list->as.zoned.minutes) : NULL;
    return DV_OK;
}

/* --- Scalars ------------------------------------------------------------------------------------
 */

static int64_t utc(int64_t ticks, const uint8_t *minutes)
{
    return ticks == DV_TICKS_NA ? ticks : ticks - dvi_load_i16(minutes) * TICKS_PER_MINUTE;
}

static uint8_t *put_signed(uint8_t *dst, int64_t value, int64_t na)
{
    return value == na ? dvi_msgpack_put_nil(dst) : dvi_msgpack_put_int(dst, value);
}

static uint8_t *put_f4(uint8_t *dst, uint32_t bits)
{
    return bits == DV_R4_NA_BITS ? dvi_msgpack_put_nil(dst) : dvi_msgpack_put_f4(dst, bits);
}

static uint8_t *put_f8(uint8_t *dst, uint64_t bits)
{
    return bits == DV_R8_NA_BITS ? dvi_msgpack_put_nil(dst) : dvi_msgpack_put_f8(dst, bits);
}

/* Item i of a list of fixed width. */
static uint8_t *put_scalar(uint8_t *dst, const cell *c, size_t i)
{
    const uint8_t *p = c->values;
    switch (c->entry->item.kind) {
    case DV_KIND_I1:
        return put_signed(dst, (int8_t)p[i], INT8_MIN);
    case DV_KIND_U1:
        return dvi_msgpack_put_uint(dst, p[i]);
    case DV_KIND_I2:
        return put_signed(dst, dvi_load_i16(p + 2 * i), INT16_MIN);
    case DV_KIND_U2:
        return dvi_msgpack_put_uint(dst, dvi_load_u16(p + 2 * i));
    case DV_KIND_I4:
        return put_signed(dst, dvi_load_i32(p + 4 * i), INT32_MIN);
    case DV_KIND_U4:
        return dvi_msgpack_put_uint(dst, dvi_load_u32(p + 4 * i));
    case DV_KIND_U8:
        return dvi_msgpack_put_uint(dst, dvi_load_u64(p + 8 * i));
    case DV_KIND_R4:
        return put_f4(dst, dvi_load_u32(p + 4 * i));
    case DV_KIND_R8:
        return put_f8(dst, dvi_load_u64(p + 8 * i));
    case DV_KIND_BL:
        return p[i] > 1 ? dvi_msgpack_put_nil(dst) : dvi_msgpack_put_bool(dst, p[i]);
    case DV_KIND_DZ:
        return put_signed(dst, utc(dvi_load_i64(p + 8 * i), c->beside + 2 * i), DV_TICKS_NA);
    default:
        return put_signed(dst, dvi_load_i64(p + 8 * i), INT64_MIN); /* I8, TS, DT */
    }
}

/* --- Texts --------------------------------------------------------------------------------------
 */

static dv_text text_at(const cell *c, int64_t i)
{
    const uint8_t *ends = c->beside + 4 * i;
    const int32_t first = i > 0 ? dvi_load_i32(ends - 4) & INT32_MAX : c->list.as.text.first;
    const int32_t end = dvi_load_i32(ends);
    if (end < 0)
        return (dv_text){"", -1};
    return (dv_text){(const char *)c->values + first, end - first};
}

dv_text dvi_datadings_cell_text(cell *c)
{
    c->row++;
    return text_at(c, c->at++);
}

/* A str, a bin, or nil. */
static dv_status put_text(const cell *c, dv_text text, putter *put, dv_error *err)
{
    const bool is_bytes = c->entry->item.kind == DV_KIND_BY;
    const uint32_t n = (uint32_t)text.nbytes;
    DVI_TRY(dvi_datadings_output_room(put, DVI_MSGPACK_HEAD, err));
    if (text.nbytes < 0) {
        put->p = dvi_msgpack_put_nil(put->p);
        return DV_OK;
    }
    put->p = is_bytes ? dvi_msgpack_put_bin(put->p, n) : dvi_msgpack_put_str(put->p, n);
    return dvi_datadings_output_bytes(put, text.data, n, err);
}

/* One whole value, or nothing, which is nil. */
static dv_status put_opaque(const cell *c, dv_text value, putter *put, dv_error *err)
{
    if (value.nbytes <= 0)
        return put_text(c, (dv_text){"", -1}, put, err);
    dvi_msgpack_reader r =
        dvi_msgpack_reader_of(value.data, (size_t)value.nbytes, 0, DVI_MSGPACK_NESTING);
    DVI_REQUIRE(dvi_msgpack_skip(&r, 1) && r.at == r.end,
                fail(c, DV_ERR_ARGUMENT, "one value of msgpack", "other bytes", err));
    return dvi_datadings_output_bytes(put, value.data, (size_t)value.nbytes, err);
}

/* --- Vectors ------------------------------------------------------------------------------------
 */

/* Bytes 0 and 1; NA is neither. */
static dv_status put_bools(const cell *c, int64_t i, int64_t n, putter *put, dv_error *err)
{
    const bool may_go = dvi_saving_allows(c->plan->saving, DV_LOSS_NA);
    for (const int64_t end = i + n; i < end; i++) {
        DVI_REQUIRE(c->values[i] <= 1 || may_go,
                    fail(c, DV_ERR_LOSS, "items that are true or false, or na allowed", "NA", err));
        DVI_TRY(dvi_datadings_output_room(put, 1, err));
        *put->p++ = c->values[i] == 1;
    }
    return DV_OK;
}

static dv_status put_instants(const cell *c, int64_t i, int64_t n, putter *put, dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++) {
        DVI_TRY(dvi_datadings_output_room(put, 8, err));
        dvi_store_i64(put->p, utc(dvi_load_i64(c->values + 8 * i), c->beside + 2 * i));
        put->p += 8;
    }
    return DV_OK;
}

static dv_status put_texts(const cell *c, int64_t i, int64_t n, putter *put, dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++)
        DVI_TRY(put_text(c, text_at(c, i), put, err));
    return DV_OK;
}

/* n items from item i on. */
static dv_status put_items(const cell *c, int64_t i, int64_t n, putter *put, dv_error *err)
{
    const size_t width = c->entry->width;
    if (c->entry->shape == DVI_DATADINGS_LIST)
        return put_texts(c, i, n, put, err);
    if (c->entry->item.kind == DV_KIND_BL)
        return put_bools(c, i, n, put, err);
    if (c->beside)
        return put_instants(c, i, n, put, err);
    return dvi_datadings_output_bytes(put, c->values + (size_t)i * width, (size_t)n * width, err);
}

/* n slots that hold no item: the default. */
static dv_status put_defaults(const cell *c, int64_t n, putter *put, dv_error *err)
{
    if (c->entry->shape != DVI_DATADINGS_LIST)
        return dvi_datadings_output_zeros(put, (size_t)n * c->entry->width, err);
    for (; n > 0; n--)
        DVI_TRY(put_text(c, (dv_text){"", 0}, put, err));
    return DV_OK;
}

static dv_status put_sparse(const cell *c, int32_t length, int32_t count, putter *put,
                            dv_error *err)
{
    int32_t slot = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = dvi_load_i32(c->index + 4 * (size_t)k);
        DVI_TRY(put_defaults(c, at - slot, put, err));
        DVI_TRY(put_items(c, c->item + k, 1, put, err));
        slot = at + 1;
    }
    return put_defaults(c, length - slot, put, err);
}

static dv_status put_head(const cell *c, int32_t length, putter *put, dv_error *err)
{
    const dvi_datadings_entry *entry = c->entry;
    const int64_t nbytes = (int64_t)length * (int64_t)entry->width;
    const int32_t *dims = entry->dims ? entry->dims : &length;
    DVI_TRY(dvi_datadings_output_room(put, DVI_ND_HEAD(entry->rank), err));
    if (entry->shape == DVI_DATADINGS_LIST) {
        put->p = dvi_msgpack_put_array(put->p, (uint32_t)length);
        return DV_OK;
    }
    DVI_REQUIRE(nbytes <= DVI_MSGPACK_MOST,
                fail(c, DV_ERR_LOSS, "a vector of at most 4294967295 bytes", "a longer one", err));
    put->p = dvi_nd_put_head(put->p, entry->dtype, dims, entry->rank, (uint32_t)nbytes);
    return DV_OK;
}

static dv_status put_vector(cell *c, putter *put, dv_error *err)
{
    const int32_t count = dvi_load_i32(c->counts + 4 * c->at);
    const int32_t length = c->lengths ? dvi_load_i32(c->lengths + 4 * c->at) : c->slots;
    DVI_TRY(put_head(c, length, put, err));
    DVI_TRY(count < 0 ? put_items(c, c->item, length, put, err)
                      : put_sparse(c, length, count, put, err));
    c->item += count < 0 ? length : count;
    if (count > 0)
        c->index += 4 * (size_t)count;
    return DV_OK;
}

/* --- Any ----------------------------------------------------------------------------------------
 */

static dv_status put_value(cell *c, putter *put, dv_error *err)
{
    switch (c->entry->shape) {
    case DVI_DATADINGS_TEXT:
        return put_text(c, text_at(c, c->at), put, err);
    case DVI_DATADINGS_OPAQUES:
        return put_opaque(c, text_at(c, c->at), put, err);
    case DVI_DATADINGS_ARRAY:
    case DVI_DATADINGS_LIST:
        return put_vector(c, put, err);
    case DVI_DATADINGS_SCALAR:
        break;
    }
    DVI_TRY(dvi_datadings_output_room(put, DVI_MSGPACK_HEAD, err));
    put->p = put_scalar(put->p, c, (size_t)c->at);
    return DV_OK;
}

dv_status dvi_datadings_cell_put(cell *c, putter *put, dv_error *err)
{
    DVI_TRY(dvi_datadings_output_bytes(put, c->entry->name, c->entry->name_nbytes, err));
    DVI_TRY(put_value(c, put, err));
    c->at++;
    c->row++;
    return DV_OK;
}
