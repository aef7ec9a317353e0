/* SPDX-License-Identifier: MIT */
/* datadings_message.c: checks a message. */
#include "format/datadings/index/datadings_message.h"
#include "codec/nd_map.h"
#include <string.h>

dv_status dvi_datadings_check_map(const dvi_msgpack_reader *r, dv_error *err)
{
    dvi_msgpack t;
    dvi_msgpack_reader copy = *r;
    if (!dvi_msgpack_read(&copy, &t))
        return dvi_msgpack_failure(&copy, err);
    DVI_REQUIRE(t.kind == DVI_MSGPACK_MAP,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.30", dvi_msgpack_offset(r), "message",
                         "a map (option raw reads any)|%s", dvi_msgpack_kind_name(t.kind)));
    return DV_OK;
}

dv_status dvi_datadings_check_end(const dvi_msgpack_reader *r, dv_error *err)
{
    DVI_REQUIRE(r->at == r->end,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.25", dvi_msgpack_offset(r), "message",
                         "one value|%td bytes after it", r->end - r->at));
    return DV_OK;
}

/* Check the values of numpy in a message that was sound msgpack, down to DVI_DATADINGS_LEVELS. The
 * message is a map's: if it has changed since, a count may be any, so the first failure ends it. */
static dv_status check_values(dvi_msgpack_reader *r, int level, bool strict, dv_error *err)
{
    dvi_msgpack t;
    dvi_nd_map nd = {.what = DVI_ND_PLAIN};
    const dvi_msgpack_reader start = *r;
    DVI_REQUIRE(dvi_msgpack_read(r, &t), dvi_msgpack_failure(r, err));
    if (t.kind < DVI_MSGPACK_ARRAY)
        return DV_OK;
    if (t.kind == DVI_MSGPACK_MAP && level < DVI_DATADINGS_LEVELS)
        DVI_TRY(dvi_nd_read(&start, strict, &nd, err));
    if (nd.what != DVI_ND_PLAIN || level == DVI_DATADINGS_LEVELS) {
        *r = start;
        return dvi_msgpack_skip(r, 0) ? DV_OK : dvi_msgpack_failure(r, err);
    }
    for (uint32_t i = 0; i < t.n; i++) {
        dvi_msgpack key;
        if (t.kind == DVI_MSGPACK_MAP)
            DVI_REQUIRE(dvi_msgpack_read(r, &key), dvi_msgpack_failure(r, err));
        DVI_TRY(check_values(r, level + 1, strict, err));
    }
    return DV_OK;
}

dv_status dvi_datadings_check_message(dvi_msgpack_reader message, bool strict, dv_error *err)
{
    dvi_msgpack_reader r = message;
    if (!dvi_msgpack_check(&r, 0))
        return dvi_msgpack_failure(&r, err);
    DVI_TRY(dvi_datadings_check_end(&r, err));
    if (strict)
        DVI_TRY(dvi_datadings_check_map(&message, err));
    message.nesting = DVI_MSGPACK_NESTING;
    return check_values(&message, 0, strict, err);
}

/* --- Keys ------------------------------------------------------------------------------------- */

bool dvi_datadings_own_key(const uint8_t *p, size_t n, int32_t nesting, dv_text *key_out)
{
    dvi_msgpack map, name;
    dvi_msgpack_reader r = dvi_msgpack_reader_of(p, n, 0, nesting);
    *key_out = (dv_text){NULL, -1};
    if (!dvi_msgpack_read(&r, &map) || map.kind != DVI_MSGPACK_MAP)
        return false;
    for (uint32_t i = 0; i < map.n; i++) { /* of equal keys the last one counts */
        const uint8_t *at = r.at;
        const bool is_key = dvi_msgpack_read(&r, &name) && name.kind == DVI_MSGPACK_STR &&
                            name.n == 3 && memcmp(name.data, "key", 3) == 0;
        r.at = at;
        if (!dvi_msgpack_skip(&r, 1))
            return false;
        at = r.at;
        dvi_msgpack value;
        if (is_key && dvi_msgpack_read(&r, &value))
            *key_out = value.kind == DVI_MSGPACK_STR && dvi_msgpack_is_utf8(&value)
                           ? (dv_text){(const char *)value.data, value.n}
                           : (dv_text){NULL, -1};
        r.at = at;
        if (!dvi_msgpack_skip(&r, 1))
            return false;
    }
    return true;
}

dv_status dvi_datadings_check_own_key(const dvi_msgpack_reader *message, const dv_text *listed,
                                      bool strict, dv_error *err)
{
    dv_text own;
    const int64_t offset = dvi_msgpack_offset(message);
    const bool is_map = dvi_datadings_own_key(message->at, (size_t)(message->end - message->at),
                                              message->nesting, &own);
    DVI_REQUIRE(is_map || !strict, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.30", offset,
                                            "message", "a map|another value"));
    DVI_REQUIRE(own.nbytes >= 0 || !strict, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.31", offset,
                                                     "key in the message", "a str|none"));
    DVI_REQUIRE(!listed || own.nbytes < 0 || dv_text_equal(own, *listed),
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.31", offset, "key in the message",
                         "\"%.20s\"|\"%.20s\"", dvi_show(*listed).text, dvi_show(own).text));
    return DV_OK;
}
