/* SPDX-License-Identifier: MIT */
/* reader.c: reads fields from a region of bytes. */
#define DVI_READER_C
#include "base/reader.h"

void dvi_reader_fail(dvi_reader *r, dvi_reader_fault fault, size_t at, size_t need)
{
    if (r->fault != DVI_READ_FINE)
        return;
    r->fault = fault;
    r->fault_at = at;
    r->fault_need = need;
}

dvi_reader_end dvi_reader_narrow(dvi_reader *r, size_t nbytes)
{
    const dvi_reader_end end = {r->n, r->after};
    const size_t here = r->n - r->at;
    r->n = nbytes < here ? r->at + nbytes : r->n;
    r->after = nbytes < here ? 0 : nbytes - here;
    return end;
}

void dvi_reader_widen(dvi_reader *r, dvi_reader_end end)
{
    r->n = end.n;
    r->after = end.after;
}

const uint8_t *dvi_read_bytes(dvi_reader *r, size_t nbytes)
{
    static const uint8_t none[1];
    if (nbytes > r->n - r->at)
        dvi_reader_fail(r, nbytes > dvi_reader_left(r) ? DVI_READ_SHORT : DVI_READ_MORE, r->at,
                        nbytes);
    if (r->fault != DVI_READ_FINE)
        return NULL;
    const uint8_t *bytes = r->data ? r->data + r->at : none;
    r->at += nbytes;
    return bytes;
}

uint8_t dvi_read_u8(dvi_reader *r)
{
    const uint8_t *p = dvi_read_bytes(r, 1);
    return p ? *p : 0;
}

int32_t dvi_read_i32_le(dvi_reader *r)
{
    const uint8_t *p = dvi_read_bytes(r, 4);
    return p ? dvi_load_i32(p) : 0;
}

int64_t dvi_read_i64_le(dvi_reader *r)
{
    const uint8_t *p = dvi_read_bytes(r, 8);
    return p ? dvi_load_i64(p) : 0;
}

uint64_t dvi_read_u64_le(dvi_reader *r)
{
    const uint8_t *p = dvi_read_bytes(r, 8);
    return p ? dvi_load_u64(p) : 0;
}

/* Read at most `most` groups of seven bits, of which the last must not exceed `last`. */
static uint64_t read_groups(dvi_reader *r, int most, uint8_t last, dvi_reader_fault fault)
{
    const size_t start = r->at;
    uint64_t value = 0;
    for (int i = 0; i < most; i++) {
        const uint8_t *p = dvi_read_bytes(r, 1);
        if (!p) { /* the fault is at the number's first byte */
            r->fault_at = start;
            r->fault_need = (size_t)i + 1;
            r->at = start;
            return 0;
        }
        if (i == most - 1 && *p > last)
            break;
        value |= (uint64_t)(*p & 0x7F) << (7 * i);
        if (*p < 0x80)
            return value;
    }
    r->at = start;
    dvi_reader_fail(r, fault, start, 0);
    return 0;
}

uint64_t dvi_read_leb64(dvi_reader *r)
{
    return r->fault ? 0 : read_groups(r, 10, 1, DVI_READ_LEB64);
}

dv_text dvi_read_str(dvi_reader *r)
{
    const size_t start = r->at;
    const uint64_t n = r->fault ? 0 : read_groups(r, 5, 7, DVI_READ_STR);
    if (r->fault != DVI_READ_FINE)
        return (dv_text){"", 0};
    const size_t need = r->at - start + (size_t)n; /* including the length */
    const bool is_short = n > dvi_reader_left(r);
    const uint8_t *bytes = is_short ? NULL : dvi_read_bytes(r, (size_t)n);
    if (bytes)
        return (dv_text){(const char *)bytes, (int64_t)n};
    r->at = start;
    r->fault = is_short ? DVI_READ_STR_SHORT : DVI_READ_MORE;
    r->fault_at = start;
    r->fault_need = need;
    return (dv_text){"", 0};
}

dv_status dvi_reader_failure(const dvi_reader *r, const char *rule, const char *encoding_rule,
                             const char *what, dv_error *err)
{
    const int64_t offset = dvi_reader_offset_of(r, r->fault_at);
    const size_t left = r->n - r->fault_at + r->after;
    switch (r->fault) {
    case DVI_READ_LEB64:
        return dvi_fail(err, DV_ERR_CORRUPT, encoding_rule, offset, what,
                        "a number of at most 10 bytes, up to 2^64-1|more");
    case DVI_READ_STR:
        return dvi_fail(err, DV_ERR_CORRUPT, encoding_rule, offset, what,
                        "a text length of at most 5 bytes, up to 2^31-1|more");
    case DVI_READ_STR_SHORT:
        return dvi_fail(err, DV_ERR_CORRUPT, encoding_rule, offset, what,
                        "a length and its text in the %zu bytes left|%zu bytes", left,
                        r->fault_need);
    case DVI_READ_SHORT:
    case DVI_READ_MORE:
    case DVI_READ_FINE:
        break;
    }
    return dvi_fail(err, DV_ERR_CORRUPT, rule, offset, what, "%zu more bytes|the end after %zu",
                    r->fault_need, left);
}
