/* SPDX-License-Identifier: MIT */
/* msgpack_items.c: the public reader of msgpack (msgpack.h). */
#include "codec/nd_map.h"
#include <dataview/msgpack.h>
#include <string.h>

static dvi_msgpack_reader inner_of(const dv_msgpack_reader *reader)
{
    dvi_msgpack_reader r = dvi_msgpack_reader_of(
        reader->start, (size_t)(reader->end - reader->start), 0, DVI_MSGPACK_NESTING);
    r.at = reader->at;
    return r;
}

void dv_msgpack_start(dv_msgpack_reader *reader, const void *data, size_t nbytes)
{
    static const uint8_t none[1];
    const uint8_t *start = nbytes > 0 ? data : none;
    *reader = (dv_msgpack_reader){start, start + nbytes, start};
}

/* Set the members of an item of zeros. It is not made elsewhere and copied: the copy would wait for
 * the stores of the members. */
static void fill_item(dv_msgpack_item *item, const dvi_msgpack *t)
{
    static const dv_msgpack_kind kinds[] = {DV_MSGPACK_NIL,   DV_MSGPACK_BOOL, DV_MSGPACK_INT,
                                            DV_MSGPACK_INT,   DV_MSGPACK_F4,   DV_MSGPACK_F8,
                                            DV_MSGPACK_STR,   DV_MSGPACK_BIN,  DV_MSGPACK_EXT,
                                            DV_MSGPACK_ARRAY, DV_MSGPACK_MAP};
    item->kind = kinds[t->kind];
    switch (t->kind) {
    case DVI_MSGPACK_NIL:
        break;
    case DVI_MSGPACK_BOOL:
        item->integer = (int64_t)t->u;
        break;
    case DVI_MSGPACK_UINT:
        if (t->u > INT64_MAX) {
            item->kind = DV_MSGPACK_UINT;
            item->bits = t->u;
        } else {
            item->integer = (int64_t)t->u;
        }
        break;
    case DVI_MSGPACK_NEGATIVE:
        item->integer = t->i;
        break;
    case DVI_MSGPACK_F4: {
        const uint32_t bits = (uint32_t)t->u;
        float single;
        memcpy(&single, &bits, sizeof single);
        item->bits = bits;
        item->real = (double)single;
        break;
    }
    case DVI_MSGPACK_F8:
        item->bits = t->u;
        memcpy(&item->real, &t->u, sizeof item->real);
        break;
    case DVI_MSGPACK_STR:
    case DVI_MSGPACK_BIN:
        item->bytes = (dv_text){(const char *)t->data, t->n};
        break;
    case DVI_MSGPACK_ARRAY:
    case DVI_MSGPACK_MAP:
        item->count = t->n;
        break;
    case DVI_MSGPACK_EXT:
        if (t->ext_type >= 0) {
            item->ext_type = t->ext_type;
            item->bytes = (dv_text){(const char *)t->data, t->n};
        } else {
            item->kind = DV_MSGPACK_TIME;
            item->integer = dvi_msgpack_seconds(t, &item->nanoseconds);
        }
        break;
    }
}

dv_status dv_msgpack_next(dv_msgpack_reader *reader, dv_msgpack_item *item_out, dv_error *err)
{
    dvi_msgpack_reader r = inner_of(reader);
    dvi_msgpack t;
    *item_out = (dv_msgpack_item){.kind = DV_MSGPACK_NIL};
    if (r.at == r.end)
        return DV_END;
    if (!dvi_msgpack_read(&r, &t))
        return dvi_msgpack_failure(&r, err);
    r.fault = dvi_msgpack_find_refused(&t);
    if (r.fault != DVI_MSGPACK_BROKEN) {
        r.at = reader->at;
        return dvi_msgpack_failure(&r, err);
    }
    reader->at = r.at;
    fill_item(item_out, &t);
    return DV_OK;
}

dv_status dv_msgpack_skip(dv_msgpack_reader *reader, dv_error *err)
{
    dvi_msgpack_reader r = inner_of(reader);
    if (r.at == r.end)
        return DV_END;
    if (!dvi_msgpack_check(&r, 0))
        return dvi_msgpack_failure(&r, err);
    reader->at = r.at;
    return DV_OK;
}

static dv_msgpack_numpy numpy_of(const dvi_nd_map *nd, dv_text type)
{
    dv_msgpack_numpy numpy = {.is_scalar = nd->what == DVI_ND_SCALAR,
                              .is_complex = nd->what == DVI_ND_COMPLEX,
                              .is_swapped = nd->dtype.is_swapped,
                              .letter = nd->dtype.letter,
                              .dtype = type,
                              .item_nbytes = nd->dtype.width,
                              .rank = nd->rank,
                              .items = nd->items};
    memcpy(numpy.dims, nd->dims, (size_t)nd->rank * sizeof *nd->dims);
    const bool is_pickle = nd->dtype.letter == 'O';
    numpy.data = (dv_text){(const char *)nd->data,
                           is_pickle ? nd->data_nbytes : nd->items * nd->dtype.width};
    return numpy;
}

dv_status dv_msgpack_read_numpy(dv_msgpack_reader *reader, dv_msgpack_numpy *numpy_out,
                                dv_error *err)
{
    dvi_nd_map nd;
    dv_text type;
    const dvi_msgpack_reader start = inner_of(reader);
    dv_msgpack_reader after = *reader;
    dvi_msgpack_reader r = start;
    dvi_msgpack map;
    DVI_TRY(dv_msgpack_skip(&after, err));
    if (r.at == r.end)
        return DV_END;
    if (!dvi_msgpack_read(&r, &map) || map.kind != DVI_MSGPACK_MAP)
        return DV_NOT_FOUND;
    DVI_TRY(dvi_nd_describe(&start, &nd, &type, err));
    if (nd.what == DVI_ND_PLAIN)
        return DV_NOT_FOUND;
    if (nd.what == DVI_ND_COMPLEX)
        *numpy_out = (dv_msgpack_numpy){
            .is_complex = true, .items = 1, .complex = {nd.complex[0], nd.complex[1]}};
    else
        *numpy_out = numpy_of(&nd, type);
    *reader = after;
    return DV_OK;
}
