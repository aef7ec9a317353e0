/* SPDX-License-Identifier: MIT */
/* test_reader.c: a reader reads the fields of its region, and no byte outside it (idv:1). */
#include "base/reader.h"
#include "support/page.h"
#include "support/test.h"
#include <string.h>

/* A reader over a copy of the bytes that ends at a guard page. */
static dvi_reader reader_of(const void *bytes, size_t n)
{
    return dvi_reader_of(dvt_page_copy_end(dvt_shared_page(0), bytes, n), n, 1000, false);
}

/* Every kind of read, to be tried at every truncation. */
typedef enum read_kind { BYTES, U8, I32, I64, U64, LEB64, STR, READS } read_kind;

static uint64_t read_one(dvi_reader *r, read_kind kind)
{
    switch (kind) {
    case BYTES: {
        const uint8_t *p = dvi_read_bytes(r, 3);
        return p ? p[2] : 0;
    }
    case U8:
        return dvi_read_u8(r);
    case I32:
        return (uint64_t)(uint32_t)dvi_read_i32_le(r);
    case I64:
        return (uint64_t)dvi_read_i64_le(r);
    case U64:
        return dvi_read_u64_le(r);
    case LEB64:
        return dvi_read_leb64(r);
    case STR:
    case READS:
        break;
    }
    const dv_text text = dvi_read_str(r);
    return text.nbytes ? (uint8_t)text.data[text.nbytes - 1] : 0;
}

static const struct {
    uint8_t bytes[12];
    size_t n;
    uint64_t value;
} fields[READS] = {
    [BYTES] = {{1, 2, 3}, 3, 3},
    [U8] = {{0xF1}, 1, 0xF1},
    [I32] = {{0x78, 0x56, 0x34, 0xF2}, 4, 0xF2345678},
    [I64] = {{8, 7, 6, 5, 4, 3, 2, 0x81}, 8, 0x8102030405060708},
    [U64] = {{8, 7, 6, 5, 4, 3, 2, 0x81}, 8, 0x8102030405060708},
    [LEB64] = {{0xE5, 0x8E, 0x26}, 3, 624485},
    [STR] = {{0x83, 0x00, 'x', 'y', 'z'}, 5, 'z'},
};

Test(reader, reads_every_field_at_the_end_of_its_region)
{
    for (read_kind kind = 0; kind < READS; kind++) {
        dvi_reader r = reader_of(fields[kind].bytes, fields[kind].n);
        cr_expect_eq(read_one(&r, kind), fields[kind].value, "kind %d", (int)kind);
        cr_expect_eq(r.fault, DVI_READ_FINE);
        cr_expect_eq(r.at, fields[kind].n);
        cr_expect_eq(dvi_reader_left(&r), 0);
        cr_expect_eq(dvi_reader_offset(&r), 1000 + (int64_t)fields[kind].n);
    }
}

/* One byte comes first, so that the field does not start where the region does. */
static void expect_cut(read_kind kind, size_t n)
{
    uint8_t bytes[13] = {0};
    memcpy(bytes + 1, fields[kind].bytes, fields[kind].n);
    dvi_reader r = reader_of(bytes, 1 + n);
    dvi_read_u8(&r);
    cr_expect_eq(read_one(&r, kind), 0, "kind %d, %zu bytes", (int)kind, n);
    const bool is_text_cut = kind == STR && n >= 2;
    cr_expect_eq(r.fault, is_text_cut ? DVI_READ_STR_SHORT : DVI_READ_SHORT);
    cr_expect_eq(r.at, 1);
    cr_expect_eq(r.fault_at, 1);
    cr_expect_gt(r.fault_need, n);

    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_reader_failure(&r, "region", "encoding", "field", &err), DV_ERR_CORRUPT);
    cr_expect_eq(err.offset, 1001);
    cr_expect_str_eq(err.rule, is_text_cut ? "encoding" : "region");
    cr_expect(*err.expected && *err.found, "%s", err.message);
}

/* Bytes before the region are a guard page. */
Test(reader, reads_nothing_before_its_region)
{
    for (read_kind kind = 0; kind < READS; kind++) {
        const size_t n = fields[kind].n;
        const uint8_t *start = dvt_page_copy_start(dvt_shared_page(0), fields[kind].bytes, n);
        dvi_reader r = dvi_reader_of(start, n, 0, false);
        cr_expect_eq(read_one(&r, kind), fields[kind].value);
    }
}

Test(reader, fails_at_every_truncation)
{
    for (read_kind kind = 0; kind < READS; kind++)
        for (size_t n = 0; n < fields[kind].n; n++)
            expect_cut(kind, n);
}

/* The first fault stays: later reads return zeros and do not advance, even if they would fit. */
Test(reader, a_failed_reader_returns_zeros)
{
    for (read_kind kind = 0; kind < READS; kind++) {
        dvi_reader r = reader_of("\1\1\1\1\1\1\1\1\1\1\1\1", 12);
        dvi_read_u8(&r);
        dvi_read_bytes(&r, 12);
        cr_expect_eq(read_one(&r, kind), 0);
        cr_expect_null(dvi_read_bytes(&r, 0));
        dvi_reader_fail(&r, DVI_READ_LEB64, 5, 6);
        cr_expect_eq(r.fault, DVI_READ_SHORT);
        cr_expect_eq(r.at, 1);
        cr_expect_eq(r.fault_at, 1);
        cr_expect_eq(r.fault_need, 12);
    }
}

Test(reader, reports_bytes_that_can_be_loaded)
{
    for (read_kind kind = 0; kind < READS; kind++)
        for (size_t n = 0; n < fields[kind].n; n++) {
            dvi_reader r = reader_of(fields[kind].bytes, n);
            r.after = fields[kind].n - n;
            cr_expect_eq(read_one(&r, kind), 0);
            cr_expect_eq(r.fault, DVI_READ_MORE, "kind %d, %zu bytes", (int)kind, n);
            cr_expect_eq(r.at, 0);
            cr_expect_eq(r.fault_at, 0);
            cr_expect(r.fault_need > n && r.fault_need <= fields[kind].n);
        }
}

Test(reader, reads_zero_bytes_of_an_empty_region)
{
    dvi_reader r = dvi_reader_of(NULL, 0, 0, false);
    cr_expect_not_null(dvi_read_bytes(&r, 0));
    cr_expect_null(dvi_read_bytes(&r, 1));
    cr_expect_null(dvi_read_bytes(&r, 0));
}

Test(reader, a_huge_length_does_not_wrap)
{
    dvi_reader r = reader_of("abcd", 4);
    dvi_read_u8(&r);
    cr_expect_null(dvi_read_bytes(&r, SIZE_MAX));
    cr_expect_eq(r.fault, DVI_READ_SHORT);
    r = reader_of("abcd", 4);
    r.after = 4;
    dvi_read_u8(&r);
    cr_expect_null(dvi_read_bytes(&r, SIZE_MAX));
    cr_expect_eq(r.fault, DVI_READ_SHORT);
}

/* Narrow the region to bytes 1 to 5, of which n - 1 are available. */
static void expect_narrowed(size_t n)
{
    dvi_reader r = reader_of("\1\0\0\0\2\0\0\0\3\0\0\0", n);
    r.after = 12 - n;
    dvi_read_u8(&r);
    const dvi_reader_end end = dvi_reader_narrow(&r, 5);
    cr_expect_eq(dvi_reader_left(&r), 5);
    dvi_reader copy = r;
    cr_expect_null(dvi_read_bytes(&copy, 6));
    cr_expect_eq(copy.fault, DVI_READ_SHORT);
    copy = r;
    cr_expect_eq(dvi_read_bytes(&copy, 5) != NULL, n >= 6);
    cr_expect_eq(copy.fault, n >= 6 ? DVI_READ_FINE : DVI_READ_MORE);
    dvi_reader_widen(&r, end);
    cr_expect_eq(dvi_reader_left(&r), 11);
    cr_expect_eq(dvi_read_bytes(&r, 11) != NULL, n == 12);
}

Test(reader, stays_in_a_narrowed_region)
{
    expect_narrowed(12);
    expect_narrowed(4);
    expect_narrowed(6); /* the narrowed region ends with the available bytes */
}

Test(reader, inflated_bytes_have_the_offset_of_their_block)
{
    dvi_reader r = dvi_reader_of("abcd", 4, 777, true);
    dvi_read_i32_le(&r);
    cr_expect_eq(dvi_reader_offset(&r), 777);
    dvi_read_u8(&r);
    dv_error err = DV_ERROR_INIT;
    dvi_reader_failure(&r, "x", "y", "z", &err);
    cr_expect_eq(err.offset, 777);
}

static void expect_leb64(const char *bytes, size_t n, dvi_reader_fault fault, uint64_t value)
{
    dvi_reader r = reader_of(bytes, n);
    cr_expect_eq(dvi_read_leb64(&r), value);
    cr_expect_eq(r.fault, fault);
    cr_expect_eq(r.at, fault ? 0 : n);
    cr_expect_eq(r.fault_at, 0);
}

#define LEB(bytes, fault, value) expect_leb64(bytes, sizeof(bytes) - 1, DVI_READ_##fault, value)
#define NINE "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

Test(reader, leb64_limits)
{
    LEB("\x00", FINE, 0);
    LEB("\x7F", FINE, 127);
    LEB("\x80\x01", FINE, 128);
    LEB("\x80\x00", FINE, 0); /* not minimal, but accepted */
    LEB("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", FINE, 0);
    LEB(NINE "\x01", FINE, UINT64_MAX);
    LEB(NINE "\x00", FINE, UINT64_MAX >> 1);
    LEB(NINE "\x02", LEB64, 0);
    LEB(NINE "\x7F", LEB64, 0);
    LEB(NINE "\x80", LEB64, 0);
    LEB(NINE "\x81", LEB64, 0);
    LEB(NINE "\x80\x00", LEB64, 0); /* an eleventh byte is not read */
    LEB(NINE, SHORT, 0);
}

static void expect_str(const char *length, size_t n, dvi_reader_fault fault, int64_t nbytes)
{
    uint8_t bytes[512];
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, length, n);
    const size_t whole = n + (nbytes > 0 ? (size_t)nbytes : 0);
    dvi_reader r = reader_of(bytes, whole);
    const dv_text text = dvi_read_str(&r);
    cr_expect_not_null(text.data);
    cr_expect_eq(text.nbytes, nbytes);
    cr_expect_eq(r.fault, fault);
    cr_expect_eq(r.at, fault ? 0 : whole);
    cr_expect_eq(r.fault_at, 0);
}

#define STR(length, fault, nbytes) expect_str(length, sizeof(length) - 1, DVI_READ_##fault, nbytes)

Test(reader, str_limits)
{
    STR("\x00", FINE, 0);
    STR("\x05", FINE, 5);
    STR("\x80\x02", FINE, 256);
    STR("\x80\x00", FINE, 0); /* not minimal, but accepted */
    STR("\x85\x80\x80\x80\x00", FINE, 5);
    STR("\xFF\xFF\xFF\xFF\x07", STR_SHORT, 0); /* 2^31-1: valid, but longer than this region */
    STR("\x80\x80\x80\x80\x08", STR, 0);
    STR("\xFF\xFF\xFF\xFF\x0F", STR, 0);
    STR("\xFF\xFF\xFF\xFF\x10", STR, 0);
    STR("\x80\x80\x80\x80\x80", STR, 0);
    STR("\xFF\xFF\xFF\xFF", SHORT, 0);
}

/* The bytes left were counted from the length on, so an error said that 3 bytes do not fit in 3. */
Test(reader, a_short_text_reports_the_bytes_left)
{
    dvi_reader r = reader_of("\x03xy", 3);
    dvi_read_str(&r);
    dv_error err = DV_ERROR_INIT;
    dvi_reader_failure(&r, "region", "encoding", "name", &err);
    cr_expect_str_eq(err.found, "4 bytes");
    cr_expect_not_null(strstr(err.expected, "3 bytes left"), "%s", err.expected);
}

/* A number that continues after the region needs at least one byte more. */
Test(reader, a_short_number_reports_the_bytes_needed)
{
    dvi_reader r = reader_of("\x80\x80", 2);
    dvi_read_leb64(&r);
    dv_error err = DV_ERROR_INIT;
    dvi_reader_failure(&r, "region", "encoding", "number", &err);
    cr_expect_str_eq(err.expected, "3 more bytes");
    cr_expect_str_eq(err.found, "the end after 2");
}

static dv_status read_pair(dvi_reader *r, int64_t *sum_out, dv_error *err)
{
    *sum_out = 0;
    const int64_t a = dvi_read_i32_le(r);
    const int64_t b = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, "region", "encoding", "pair");
    *sum_out = a + b;
    return DV_OK;
}

Test(reader, a_group_of_reads_is_checked_once)
{
    int64_t sum;
    for (size_t n = 0; n <= 8; n++) {
        dvi_reader r = reader_of("\1\0\0\0\2\0\0\0", n);
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(read_pair(&r, &sum, &err), n < 8 ? DV_ERR_CORRUPT : DV_OK);
        cr_expect_eq(sum, n < 8 ? 0 : 3);
        cr_expect_eq(err.offset, n < 4 ? 1000 : n < 8 ? 1004 : -1);
    }
}

Test(reader, loads_and_stores_at_any_address)
{
    uint8_t bytes[17] = {0};
    for (size_t at = 0; at < 8; at++) {
        dvi_store_u16(bytes + at, 0x0102);
        cr_expect_eq(dvi_load_u16(bytes + at), 0x0102);
        cr_expect_eq(bytes[at], 2); /* the low byte first */
        dvi_store_i16(bytes + at, -2);
        cr_expect_eq(dvi_load_i16(bytes + at), -2);
        dvi_store_u32(bytes + at, 0xFFFFFFFE);
        cr_expect_eq(dvi_load_i32(bytes + at), -2);
        dvi_store_i64(bytes + at, -3);
        cr_expect_eq(dvi_load_u64(bytes + at), UINT64_MAX - 2);
        dvi_store_f8(bytes + at, -1.5);
        cr_expect_eq(dvi_load_u64(bytes + at), UINT64_C(0xBFF8000000000000));
        dvi_store_f4(bytes + at, -1.5f);
        cr_expect_eq(dvi_load_u32(bytes + at), 0xBFC00000);
    }
}
