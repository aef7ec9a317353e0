/* SPDX-License-Identifier: MIT */
/* datadings_project.c: copies the entries of a message that the options keep. */
#include "format/datadings/read/datadings_project.h"
#include "codec/msgpack_write.h"
#include "format/datadings/index/datadings_message.h"
#include <string.h>

static bool is_kept(const dvi_datadings_options *o, const dvi_msgpack *key)
{
    const dv_text name = {(const char *)key->data, key->n};
    if (key->kind != DVI_MSGPACK_STR)
        return !o->keeps;
    if (o->keeps && dv_text_equal(name, dv_text_of("key")))
        return true;
    return (dvi_hashtab_get(&o->by_name, name) >= 0) == o->keeps;
}

/* Read an entry. false: the reader is at the token that is wrong. */
static bool read_entry(dvi_msgpack_reader *r, dvi_msgpack *key_out)
{
    const dvi_msgpack_reader start = *r;
    if (!dvi_msgpack_read(r, key_out))
        return false;
    if (key_out->kind >= DVI_MSGPACK_ARRAY) {
        *r = start;
        r->fault = DVI_MSGPACK_KEY;
        return false;
    }
    return dvi_msgpack_skip(r, 1);
}

/* Count the kept entries, and copy them to dst unless it is NULL. *end_out: the end of the copy. */
static dv_status walk(const dvi_datadings_options *o, dvi_msgpack_reader r, uint32_t entries,
                      uint32_t *kept_out, uint8_t *dst, const uint8_t **end_out, dv_error *err)
{
    *kept_out = 0;
    for (uint32_t i = 0; i < entries; i++) {
        const uint8_t *at = r.at;
        dvi_msgpack key;
        if (!read_entry(&r, &key))
            return dvi_msgpack_failure(&r, err);
        if (!is_kept(o, &key))
            continue;
        ++*kept_out;
        if (dst) {
            memcpy(dst, at, (size_t)(r.at - at));
            dst += r.at - at;
        }
    }
    *end_out = dst;
    return dvi_datadings_check_end(&r, err);
}

dv_status dvi_datadings_project(const dvi_datadings_options *o, const dvi_msgpack_reader *message,
                                uint8_t *dst, size_t *n_out, dv_error *err)
{
    dvi_msgpack_reader r = *message;
    uint32_t kept, copied;
    const uint8_t *end = dst;
    DVI_TRY(dvi_datadings_check_map(message, err));
    const dvi_msgpack map = dvi_msgpack_next(&r);
    DVI_TRY(walk(o, r, map.n, &kept, NULL, &end, err));
    /* the head is at most as long as that of the message, which has as many entries or more */
    uint8_t *const body = dvi_msgpack_put_map(dst, kept);
    DVI_TRY(walk(o, r, map.n, &copied, body, &end, err));
    if (copied != kept) /* the mapped file has changed */
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.43", message->offset, "message",
                        "the same bytes when they are read again|others");
    *n_out = (size_t)(end - dst);
    return DV_OK;
}
