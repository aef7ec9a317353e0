/* SPDX-License-Identifier: MIT */
/* test_msgpack.c: every form of the specification, shortest or not; and every fault of a message,
 * with the offset of the wrong byte. */
#include "support/columns.h"
#include "support/page.h"
#include "support/test.h"

#include "codec/msgpack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reader of bytes given in hex, which end at a guard page. */
static dvi_msgpack_reader reader_of(const char *hex)
{
    const dv_buffer bytes = dvt_column_bytes(hex);
    const uint8_t *p = dvt_page_copy_end(dvt_shared_page(0), bytes.data, bytes.nbytes);
    const dvi_msgpack_reader r = dvi_msgpack_reader_of(p, bytes.nbytes, 100, DVI_MSGPACK_NESTING);
    dvt_column_bytes_free(&bytes);
    return r;
}

/* --- Tokens ----------------------------------------------------------------------------------- */

/* The number of a token, or of its bytes, elements or pairs. */
static long long number_of(const dvi_msgpack *t)
{
    return t->kind >= DVI_MSGPACK_STR ? (long long)t->n : (long long)t->i;
}

#define FORM_LIST(X)                                                                               \
    X("00", UINT, 0)                                                                               \
    X("7F", UINT, 127)                                                                             \
    X("E0", NEGATIVE, -32)                                                                         \
    X("FF", NEGATIVE, -1)                                                                          \
    X("80", MAP, 0)                                                                                \
    X("81 C0C0", MAP, 1)                                                                           \
    X("8F" F30, MAP, 15)                                                                           \
    X("90", ARRAY, 0)                                                                              \
    X("9F" F15, ARRAY, 15)                                                                         \
    X("A0", STR, 0)                                                                                \
    X("A1 61", STR, 1)                                                                             \
    X("BF" F30 "00", STR, 31)                                                                      \
    X("C0", NIL, 0)                                                                                \
    X("C2", BOOL, 0)                                                                               \
    X("C3", BOOL, 1)                                                                               \
    X("C4 00", BIN, 0)                                                                             \
    X("C4 02 FFFE", BIN, 2)                                                                        \
    X("C5 0001 FF", BIN, 1)                                                                        \
    X("C6 00000001 FF", BIN, 1)                                                                    \
    X("C7 00 05", EXT, 0)                                                                          \
    X("C7 02 05 0102", EXT, 2)                                                                     \
    X("C8 0001 05 01", EXT, 1)                                                                     \
    X("C9 00000001 05 01", EXT, 1)                                                                 \
    X("CA 3FC00000", F4, 0x3FC00000)                                                               \
    X("CB 3FE0000000000000", F8, 0x3FE0000000000000)                                               \
    X("CC 00", UINT, 0)                                                                            \
    X("CC FF", UINT, 255)                                                                          \
    X("CD 00FF", UINT, 255)                                                                        \
    X("CD FFFF", UINT, 65535)                                                                      \
    X("CE 00000001", UINT, 1)                                                                      \
    X("CE FFFFFFFF", UINT, 4294967295)                                                             \
    X("CF 0000000000000001", UINT, 1)                                                              \
    X("CF FFFFFFFFFFFFFFFF", UINT, -1)                                                             \
    X("D0 80", NEGATIVE, -128)                                                                     \
    X("D0 FF", NEGATIVE, -1)                                                                       \
    X("D0 05", UINT, 5)                                                                            \
    X("D1 8000", NEGATIVE, -32768)                                                                 \
    X("D1 7FFF", UINT, 32767)                                                                      \
    X("D2 80000000", NEGATIVE, -2147483648)                                                        \
    X("D2 00000000", UINT, 0)                                                                      \
    X("D3 8000000000000000", NEGATIVE, INT64_MIN)                                                  \
    X("D3 7FFFFFFFFFFFFFFF", UINT, INT64_MAX)                                                      \
    X("D4 FF 01", EXT, 1)                                                                          \
    X("D5 05 0102", EXT, 2)                                                                        \
    X("D6 05 01020304", EXT, 4)                                                                    \
    X("D7 05 0102030405060708", EXT, 8)                                                            \
    X("D8 05 01020304050607080102030405060708", EXT, 16)                                           \
    X("D9 00", STR, 0)                                                                             \
    X("D9 01 61", STR, 1)                                                                          \
    X("DA 0001 61", STR, 1)                                                                        \
    X("DB 00000001 61", STR, 1)                                                                    \
    X("DC 0001 00", ARRAY, 1)                                                                      \
    X("DD 00000001 00", ARRAY, 1)                                                                  \
    X("DE 0001 0000", MAP, 1)                                                                      \
    X("DF 00000001 0000", MAP, 1)
#define F15 "000000000000000000000000000000"
#define F30 F15 F15

static void check_form(const char *hex, dvi_msgpack_kind kind, long long number)
{
    dvi_msgpack t;
    dvi_msgpack_reader r = reader_of(hex);
    cr_assert(dvi_msgpack_read(&r, &t), "%s", hex);
    cr_expect_eq(t.kind, kind, "%s", hex);
    cr_expect_eq(number_of(&t), number, "%s: %lld", hex, number_of(&t));
    if (kind >= DVI_MSGPACK_STR && kind <= DVI_MSGPACK_EXT)
        cr_expect_eq(t.data + t.n, r.end, "%s", hex);
    if (kind < DVI_MSGPACK_ARRAY)
        cr_expect_eq(r.at, r.end, "%s", hex);
}

Test(msgpack, every_form_is_read)
{
#define X(hex, kind, number) check_form(hex, DVI_MSGPACK_##kind, number);
    FORM_LIST(X)
#undef X
}

/* Each form as elements of an array, so that the end of the token must be found. */
static void check_skips(const char *hex)
{
    char text[200];
    snprintf(text, sizeof text, "93 01 %s %s 07", hex, hex);
    for (int way = 0; way < 2; way++) {
        dvi_msgpack t;
        dvi_msgpack_reader r = reader_of(text);
        const bool is_time = strncmp(hex, "D4 FF", 5) == 0; /* of a wrong size */
        cr_expect_eq(way ? dvi_msgpack_check(&r, 0) : dvi_msgpack_skip(&r, 0), !way || !is_time,
                     "%s", text);
        if (way && is_time)
            continue;
        cr_expect(dvi_msgpack_read(&r, &t) && t.u == 7 && r.at == r.end, "%s", text);
    }
}

Test(msgpack, every_form_is_skipped)
{
#define X(hex, kind, number) check_skips(hex);
    FORM_LIST(X)
#undef X
}

/* Exts that Python's msgpack refuses are skipped, but fail the check: rows of datadings:8.45. */
Test(msgpack, exts_that_are_refused)
{
    static const struct {
        const char *hex;
        bool is_sound;
    } cases[] = {
        {"D6 FF 00000001", true},
        {"D7 FF 0000000000000001", true},
        {"D7 FF EE6B27FC00000000", true},
        {"D7 FF EE6B280000000000", false},
        {"D7 FF FFFFFFFFFFFFFFFF", false},
        {"C7 0C FF 3B9AC9FF 8000000000000000", true},
        {"C7 0C FF 3B9ACA00 0000000000000001", false},
        {"C7 00 FF", false},
        {"D4 FF 00", false},
        {"D5 FF 0000", false},
        {"C7 03 FF 000000", false},
        {"D8 FF 00000000000000000000000000000000", false},
        {"D4 FE 00", false},
        {"D6 80 00000000", false},
        {"D4 00 00", true},
        {"D4 7F 00", true},
        {"82 D4 05 00 01 D4 FE 00 02", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_error err = DV_ERROR_INIT;
        dvi_msgpack_reader r = reader_of(cases[i].hex);
        cr_expect(dvi_msgpack_skip(&r, 0) && r.at == r.end, "%s", cases[i].hex);
        r = reader_of(cases[i].hex);
        cr_expect_eq(dvi_msgpack_check(&r, 0), cases[i].is_sound, "%s", cases[i].hex);
        if (cases[i].is_sound)
            continue;
        cr_expect_eq(dvi_msgpack_failure(&r, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, "datadings:8.45", "%s", err.message);
        cr_expect(*err.expected && *err.found, "%s", err.message);
    }
}

/* A form truncated at any byte is refused. */
static void check_cut(const char *hex)
{
    const dvi_msgpack_reader whole = reader_of(hex);
    const size_t n = (size_t)(whole.end - whole.at);
    for (size_t left = 0; left < n; left++) {
        dv_error err = DV_ERROR_INIT;
        const uint8_t *p = dvt_page_copy_end(dvt_shared_page(1), whole.at, left);
        dvi_msgpack_reader r = dvi_msgpack_reader_of(p, left, 0, DVI_MSGPACK_NESTING);
        cr_expect_not(dvi_msgpack_skip(&r, 0), "%s", hex);
        cr_expect_eq(dvi_msgpack_failure(&r, &err), DV_ERR_CORRUPT);
        cr_expect(*err.expected && *err.found && *err.rule, "%s", err.message);
        cr_expect_leq(err.offset, (int64_t)left);
    }
}

Test(msgpack, no_form_is_read_when_cut)
{
#define X(hex, kind, number) check_cut(hex);
    FORM_LIST(X)
#undef X
}

Test(msgpack, ext_has_its_type)
{
    dvi_msgpack t;
    dvi_msgpack_reader r = reader_of("D4 FF 01 C7 01 80 02");
    cr_expect(dvi_msgpack_read(&r, &t) && t.ext_type == -1 && *t.data == 1);
    cr_expect(dvi_msgpack_read(&r, &t) && t.ext_type == -128 && *t.data == 2);
}

/* --- Faults ----------------------------------------------------------------------------------- */

/* Bytes, rule, offset after the 100 at which they start, expected, found. */
#define BROKEN_LIST(X)                                                                             \
    X("", "8.24", 0, "a whole value", "the message ends in 0 bytes")                               \
    X("CD 00", "8.24", 0, "a whole value", "the message ends in 2 bytes")                          \
    X("92 01", "8.27", 0, "at most 1 values", "2")                                                 \
    X("92 01 CB 00", "8.24", 2, "a whole value", "the message ends in 2 bytes")                    \
    X("91 91 C1", "8.26", 2, "a type byte of the specification", "c1")                             \
    X("A3 6162", "8.27", 0, "at most 2 bytes", "3")                                                \
    X("91 D9 05 61", "8.27", 1, "at most 1 bytes", "5")                                            \
    X("C4 01", "8.27", 0, "at most 0 bytes", "1")                                                  \
    X("C6 FFFFFFFF 00", "8.27", 0, "at most 1 bytes", "4294967295")                                \
    X("D8 01 00", "8.27", 0, "at most 1 bytes", "16")                                              \
    X("DD FFFFFFFF 00", "8.27", 0, "at most 1 values", "4294967295")                               \
    X("DF 80000000 0000", "8.27", 0, "at most 1 pairs", "2147483648")                              \
    X("82 0000 00", "8.27", 0, "at most 1 pairs", "2")                                             \
    X("81 90 01", "8.41", 1, "no container", "an array")                                           \
    X("81 DC0001 C0 01", "8.41", 1, "no container", "an array")                                    \
    X("81 80 01", "8.41", 1, "no container", "a map")                                              \
    X("82 A0 90 DF00000000 01", "8.41", 3, "no container", "a map")

static void check_broken(const char *hex, const char *rule, int64_t offset, const char *expected,
                         const char *found)
{
    char name[40];
    dv_error err = DV_ERROR_INIT;
    dvi_msgpack_reader r = reader_of(hex);
    cr_expect_not(dvi_msgpack_skip(&r, 0), "%s", hex);
    cr_expect_eq(dvi_msgpack_failure(&r, &err), DV_ERR_CORRUPT);
    snprintf(name, sizeof name, "datadings:%s", rule);
    cr_expect_str_eq(err.rule, name, "%s: %s", hex, err.message);
    cr_expect_eq(err.offset, 100 + offset, "%s: %s", hex, err.message);
    cr_expect_str_eq(err.expected, expected, "%s", hex);
    cr_expect_str_eq(err.found, found, "%s", hex);
}

Test(msgpack, faults_are_reported)
{
#define X(hex, rule, offset, expected, found) check_broken(hex, rule, offset, expected, found);
    BROKEN_LIST(X)
#undef X
}

Test(msgpack, text_is_checked_on_request)
{
    static const char *const bad[] = {"92 01 A2 C080", "92 01 A3 EDA080", "92 01 A1 C3",
                                      "82 00 00 A1 FF 00"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dv_error err = DV_ERROR_INIT;
        dvi_msgpack_reader r = reader_of(bad[i]);
        cr_expect(dvi_msgpack_skip(&r, 0), "%s", bad[i]);
        r = reader_of(bad[i]);
        cr_expect_not(dvi_msgpack_check(&r, 0), "%s", bad[i]);
        cr_expect_eq(dvi_msgpack_failure(&r, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, "datadings:8.29");
        cr_expect_eq(err.offset, i == 3 ? 103 : 102, "%s", err.message);
    }
    dvi_msgpack_reader r = reader_of("92 C4 01 FF A2 C3BC"); /* bin is not text */
    cr_expect(dvi_msgpack_check(&r, 0));
}

/* --- Depth ------------------------------------------------------------------------------------ */

/* n nested containers, each with one value; maps, on request, have nil as their key. */
static size_t nest(uint8_t *dst, int n, bool maps)
{
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        dst[at++] = i == n - 1 ? 0x90 : maps ? 0x81 : 0x91;
        if (maps && i < n - 1)
            dst[at++] = 0xC0;
    }
    return at;
}

static void check_nesting(int n, int nesting, int depth, bool maps, int bad_at)
{
    uint8_t bytes[2 * DVI_MSGPACK_NESTING + 8];
    dv_error err = DV_ERROR_INIT;
    const size_t nbytes = nest(bytes, n, maps);
    dvi_msgpack_reader r = dvi_msgpack_reader_of(bytes, nbytes, 0, nesting);
    const bool passes = dvi_msgpack_skip(&r, depth);
    cr_expect_eq(passes, bad_at < 0, "%d of %d at %d", n, nesting, depth);
    if (passes) {
        cr_expect_eq(r.at, r.end);
        return;
    }
    cr_expect_eq(dvi_msgpack_failure(&r, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "nesting");
    cr_expect_eq(err.offset, bad_at, "%s", err.message);
}

Test(msgpack, nesting_has_a_limit)
{
    check_nesting(1024, 1024, 0, false, -1);
    check_nesting(1025, 1024, 0, false, 1024);
    check_nesting(1024, 1024, 0, true, -1);
    check_nesting(1025, 1024, 0, true, 2048);
    check_nesting(1024, 1024, 1, false, 1023);
    check_nesting(3, 4, 1, false, -1);
    check_nesting(4, 4, 1, false, 3);
    check_nesting(1, 1, 0, false, -1);
    check_nesting(2, 1, 0, false, 1);
    check_nesting(1, 1, 1, false, 0);
}

/* Many adjacent containers are not deep: a closed container no longer counts. */
Test(msgpack, width_is_not_depth)
{
    uint8_t bytes[3 + 3 * 3000] = {0xDC, 3000 >> 8, 3000 & 0xFF};
    for (size_t i = 0; i < 3000; i++)
        memcpy(bytes + 3 + 3 * i, "\x91\x81\xC0", 3); /* a map of one pair runs into the next */
    dvi_msgpack_reader r = dvi_msgpack_reader_of(bytes, sizeof bytes, 0, DVI_MSGPACK_NESTING);
    cr_expect_not(dvi_msgpack_skip(&r, 0)); /* a thousand and more maps, each in the one before */
    for (size_t i = 0; i < 3000; i++)
        memcpy(bytes + 3 + 3 * i, "\x92\x80\x90", 3);
    r = dvi_msgpack_reader_of(bytes, sizeof bytes, 0, 3);
    cr_expect(dvi_msgpack_skip(&r, 0) && r.at == r.end);
}

/* A count that exceeds the bytes left costs no time. */
Test(msgpack, huge_counts_end_at_once)
{
    dvi_msgpack_reader r = reader_of("91 DD 00000005 DD 00000003 00 00");
    cr_expect_not(dvi_msgpack_skip(&r, 0));
    cr_expect_eq(dvi_msgpack_offset(&r), 106); /* where three values are missing */
}

Test(msgpack, kinds_have_names)
{
    cr_expect_str_eq(dvi_msgpack_kind_name(DVI_MSGPACK_NIL), "nil");
    cr_expect_str_eq(dvi_msgpack_kind_name(DVI_MSGPACK_NEGATIVE), "integer");
    cr_expect_str_eq(dvi_msgpack_kind_name(DVI_MSGPACK_MAP), "map");
}
