/* SPDX-License-Identifier: MIT */
/* datadings_encoder.c: encodes the value of a row as msgpack (datadings:12). */
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "codec/msgpack.h"
#include "view/column.h"
#include "format/datadings/save/datadings_save_priv.h"
#include <dataview/own_view.h>
#include <dataview/schema.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef dvi_datadings_encoder encoder;

#define TICKS_PER_MINUTE INT64_C(600000000)

dvi_datadings_location dvi_datadings_location_of(const dvi_datadings_plan *plan, int32_t column,
                                                 int64_t row)
{
    dvi_datadings_location w;
    const dv_column_info *info = dv_schema_column(plan->saving->schema, column);
    snprintf(w.text, sizeof w.text, "row %" PRId64 ", column \"%s\"", row,
             info ? dvi_show(info->name).text : "key");
    return w;
}

static dv_status fail(const encoder *e, dv_status status, const char *wanted, const char *found,
                      dv_error *err)
{
    const dvi_datadings_location w = dvi_datadings_location_of(e->plan, e->entry->column, e->row);
    return dvi_fail(err, status, status == DV_ERR_LOSS ? "allow_loss" : "", -1, w.text, "%s|%s",
                    wanted, found);
}

/* --- A batch ---------------------------------------------------------------------------------- */

static const uint8_t nothing[16]; /* the arrays of a batch without items */

static const uint8_t *data_of(const dv_buffer *buffer)
{
    return buffer->data ? buffer->data : nothing;
}

/* The items of the batch's rows. */
static dv_status find_list(encoder *e, const dv_column_view *view, dv_error *err)
{
    e->list = *view;
    if (view->layout != DV_LAYOUT_VECTOR)
        return DV_OK;
    const dv_vector_layout *vector = &view->as.vector;
    const dv_sparse rows = dvi_vector_sparse(vector, view->rows);
    int64_t sums[2];
    dvi_kernels()->counts_check(&rows, 0, sums); /* sound: dv_batch_fill has checked them */
    DVI_REQUIRE(dvi_kernels()->indices_check(&rows, (size_t)sums[0]) == (size_t)sums[0],
                fail(e, DV_ERR_ARGUMENT, "indices that rise below the length", "others", err));
    e->lengths = rows.lengths;
    e->counts = rows.counts;
    e->index = rows.indices;
    e->slots = rows.length;
    e->list = *vector->items;
    dvi_column_advance(&e->list, vector->item_base);
    dvi_column_limit(&e->list, sums[1]);
    return DV_OK;
}

dv_status dvi_datadings_encoder_begin(encoder *e, const dv_column_view *view, int64_t row,
                                      dv_error *err)
{
    e->row = row;
    e->item = e->at = 0;
    DVI_TRY(find_list(e, view, err));
    const dv_column_view *list = &e->list;
    if (list->layout == DV_LAYOUT_TEXT || list->layout == DV_LAYOUT_BYTES) {
        const char *wanted = dvi_text_check(list);
        DVI_REQUIRE(!wanted, fail(e, DV_ERR_ARGUMENT, wanted, "others in its batch", err));
        e->values = data_of(&list->as.text.utf8);
        e->beside = data_of(&list->as.text.ends);
        return DV_OK;
    }
    const bool is_zoned = list->layout == DV_LAYOUT_ZONED;
    e->values = data_of(is_zoned ? &list->as.zoned.ticks : &list->as.fixed.values);
    e->beside = is_zoned ? data_of(&list->as.zoned.minutes) : NULL;
    return DV_OK;
}

/* --- Scalars ---------------------------------------------------------------------------------- */

/* Without overflow: a mapped file may have changed since its ticks were checked. */
static int64_t utc(int64_t ticks, const uint8_t *minutes)
{
    const int64_t ahead = dvi_load_i16(minutes) * TICKS_PER_MINUTE;
    return ticks == DV_TICKS_NA ? ticks : (int64_t)((uint64_t)ticks - (uint64_t)ahead);
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
static uint8_t *put_scalar(uint8_t *dst, const encoder *e, size_t i)
{
    const uint8_t *p = e->values;
    switch (e->entry->item.kind) {
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
        return put_signed(dst, utc(dvi_load_i64(p + 8 * i), e->beside + 2 * i), DV_TICKS_NA);
    default:
        return put_signed(dst, dvi_load_i64(p + 8 * i), INT64_MIN); /* I8, TS, DT */
    }
}

/* --- Texts ------------------------------------------------------------------------------------ */

static dv_text text_at(const encoder *e, int64_t i)
{
    const uint8_t *ends = e->beside + 4 * i;
    const int32_t first = i > 0 ? dvi_load_i32(ends - 4) & INT32_MAX : e->list.as.text.first;
    const int32_t end = dvi_load_i32(ends);
    if (end < 0)
        return (dv_text){"", -1};
    return (dv_text){(const char *)e->values + first, end - first};
}

dv_text dvi_datadings_encoder_text(encoder *e)
{
    e->row++;
    return text_at(e, e->at++);
}

/* Write a str, a bin, or nil. */
static dv_status put_text(const encoder *e, dv_text text, dvi_datadings_output *output,
                          dv_error *err)
{
    const bool is_bytes = e->entry->item.kind == DV_KIND_BY;
    const uint32_t n = (uint32_t)text.nbytes;
    DVI_TRY(dvi_datadings_output_room(output, DVI_MSGPACK_HEAD, err));
    if (text.nbytes < 0) {
        output->p = dvi_msgpack_put_nil(output->p);
        return DV_OK;
    }
    output->p = is_bytes ? dvi_msgpack_put_bin(output->p, n) : dvi_msgpack_put_str(output->p, n);
    return dvi_datadings_output_bytes(output, text.data, n, err);
}

/* Write a value of msgpack. */
static dv_status put_opaque(const encoder *e, dv_text value, dvi_datadings_output *output,
                            dv_error *err)
{
    dvi_msgpack_reader r =
        dvi_msgpack_reader_of(value.data, (size_t)value.nbytes, 0, DVI_MSGPACK_NESTING);
    DVI_REQUIRE(dvi_msgpack_skip(&r, 1) && r.at == r.end,
                fail(e, DV_ERR_ARGUMENT, "one value of msgpack", "other bytes", err));
    return dvi_datadings_output_bytes(output, value.data, (size_t)value.nbytes, err);
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Write bools as bytes 0 and 1. NA cannot be written: it becomes 0 if that loss is allowed. */
static dv_status put_bools(const encoder *e, int64_t i, int64_t n, dvi_datadings_output *output,
                           dv_error *err)
{
    const bool may_go = dvi_saving_allows(e->plan->saving, DV_LOSS_NA);
    for (const int64_t end = i + n; i < end; i++) {
        DVI_REQUIRE(e->values[i] <= 1 || may_go,
                    fail(e, DV_ERR_LOSS, "items that are true or false, or na allowed", "NA", err));
        DVI_TRY(dvi_datadings_output_room(output, 1, err));
        *output->p++ = e->values[i] == 1;
    }
    return DV_OK;
}

static dv_status put_instants(const encoder *e, int64_t i, int64_t n, dvi_datadings_output *output,
                              dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++) {
        DVI_TRY(dvi_datadings_output_room(output, 8, err));
        dvi_store_i64(output->p, utc(dvi_load_i64(e->values + 8 * i), e->beside + 2 * i));
        output->p += 8;
    }
    return DV_OK;
}

static dv_status put_texts(const encoder *e, int64_t i, int64_t n, dvi_datadings_output *output,
                           dv_error *err)
{
    for (const int64_t end = i + n; i < end; i++)
        DVI_TRY(put_text(e, text_at(e, i), output, err));
    return DV_OK;
}

/* Write n items from item i on. */
static dv_status put_items(const encoder *e, int64_t i, int64_t n, dvi_datadings_output *output,
                           dv_error *err)
{
    const size_t width = e->entry->width;
    if (e->entry->encoding == DVI_DATADINGS_LIST)
        return put_texts(e, i, n, output, err);
    if (e->entry->item.kind == DV_KIND_BL)
        return put_bools(e, i, n, output, err);
    if (e->beside)
        return put_instants(e, i, n, output, err);
    return dvi_datadings_output_bytes(output, e->values + (size_t)i * width, (size_t)n * width,
                                      err);
}

/* Write the default for n slots without an item. */
static dv_status put_defaults(const encoder *e, int64_t n, dvi_datadings_output *output,
                              dv_error *err)
{
    if (e->entry->encoding != DVI_DATADINGS_LIST)
        return dvi_datadings_output_zeros(output, (size_t)n * e->entry->width, err);
    for (; n > 0; n--)
        DVI_TRY(put_text(e, (dv_text){"", 0}, output, err));
    return DV_OK;
}

/* A sparse vector of any length takes a few bytes of its file, but all of its slots here.  An empty
 * text takes a byte. */
static dv_status charge_defaults(const encoder *e, int64_t n, dv_error *err)
{
    const int64_t width = e->entry->encoding == DVI_DATADINGS_LIST ? 1 : (int64_t)e->entry->width;
    const int64_t nbytes = n * width; /* n is below 2^31 */
    const dvi_datadings_location w = dvi_datadings_location_of(e->plan, e->entry->column, e->row);
    DVI_REQUIRE(nbytes <= *e->defaults_left,
                dvi_fail(err, DV_ERR_LIMIT, "datadings", -1, w.text,
                         "at most %" PRId64 " bytes of empty slots (defaults_nbytes=N)|more",
                         e->plan->options.defaults_nbytes));
    *e->defaults_left -= nbytes;
    return DV_OK;
}

static dv_status put_sparse(const encoder *e, int32_t length, int32_t count,
                            dvi_datadings_output *output, dv_error *err)
{
    int32_t slot = 0;
    DVI_TRY(charge_defaults(e, length - count, err));
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = dvi_load_i32(e->index + 4 * (size_t)k);
        DVI_TRY(put_defaults(e, at - slot, output, err));
        DVI_TRY(put_items(e, e->item + k, 1, output, err));
        slot = at + 1;
    }
    return put_defaults(e, length - slot, output, err);
}

static dv_status put_head(const encoder *e, int32_t length, dvi_datadings_output *output,
                          dv_error *err)
{
    const dvi_datadings_entry *entry = e->entry;
    const int64_t nbytes = (int64_t)length * (int64_t)entry->width;
    const int32_t *dims = entry->dims ? entry->dims : &length;
    DVI_TRY(dvi_datadings_output_room(output, DVI_ND_HEAD(entry->rank), err));
    if (entry->encoding == DVI_DATADINGS_LIST) {
        output->p = dvi_msgpack_put_array(output->p, (uint32_t)length);
        return DV_OK;
    }
    DVI_REQUIRE(nbytes <= DVI_MSGPACK_MOST,
                fail(e, DV_ERR_LOSS, "a vector of at most 4294967295 bytes", "a longer one", err));
    output->p = dvi_nd_put_head(output->p, entry->dtype, dims, entry->rank, (uint32_t)nbytes);
    return DV_OK;
}

static dv_status put_vector(encoder *e, dvi_datadings_output *output, dv_error *err)
{
    const int32_t count = dvi_load_i32(e->counts + 4 * e->at);
    const int32_t length = e->lengths ? dvi_load_i32(e->lengths + 4 * e->at) : e->slots;
    DVI_TRY(put_head(e, length, output, err));
    DVI_TRY(count < 0 ? put_items(e, e->item, length, output, err)
                      : put_sparse(e, length, count, output, err));
    e->item += count < 0 ? length : count;
    if (count > 0)
        e->index += 4 * (size_t)count;
    return DV_OK;
}

/* --- Any value -------------------------------------------------------------------------------- */

static dv_status put_value(encoder *e, dvi_datadings_output *output, dv_error *err)
{
    switch (e->entry->encoding) {
    case DVI_DATADINGS_TEXT:
        return put_text(e, text_at(e, e->at), output, err);
    case DVI_DATADINGS_OPAQUES:
        return put_opaque(e, text_at(e, e->at), output, err);
    case DVI_DATADINGS_ARRAY:
    case DVI_DATADINGS_LIST:
        return put_vector(e, output, err);
    case DVI_DATADINGS_SCALAR:
        break;
    }
    DVI_TRY(dvi_datadings_output_room(output, DVI_MSGPACK_HEAD, err));
    output->p = put_scalar(output->p, e, (size_t)e->at);
    return DV_OK;
}

bool dvi_datadings_encoder_is_absent(const encoder *e)
{
    return e->entry->encoding == DVI_DATADINGS_OPAQUES && text_at(e, e->at).nbytes <= 0;
}

dv_status dvi_datadings_encoder_put(encoder *e, dvi_datadings_output *output, dv_error *err)
{
    if (!dvi_datadings_encoder_is_absent(e)) {
        DVI_TRY(dvi_datadings_output_bytes(output, e->entry->name, e->entry->name_nbytes, err));
        DVI_TRY(put_value(e, output, err));
    }
    e->at++;
    e->row++;
    return DV_OK;
}
