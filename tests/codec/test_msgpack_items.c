/* SPDX-License-Identifier: MIT */
/* test_msgpack_items.c: the public reader of msgpack (msgpack.h): each kind of piece, arrays of
 * numpy, and what is refused. */
#include "support/messages.h"
#include "support/test.h"
#include <dataview/msgpack.h>
#include <string.h>

static dv_msgpack_reader reader_of(dvt_lines *bytes, const char *text)
{
    dv_msgpack_reader reader;
    *bytes = (dvt_lines){0};
    dvt_messages_add(bytes, text);
    dv_msgpack_start(&reader, bytes->data, bytes->nbytes);
    return reader;
}

/* "array 2, int -5, ..." of all pieces, and how the reading ended. */
static void expect_pieces(const char *text, const char *pieces, dv_status end)
{
    static const char *const names[] = {"nil", "bool", "int",   "uint", "f4",  "f8",
                                        "str", "bin",  "array", "map",  "ext", "time"};
    dvt_lines bytes, found = {0};
    dv_msgpack_reader reader = reader_of(&bytes, text);
    dv_msgpack_item item;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    dvt_lines_print(&found, "%s", "");
    while ((status = dv_msgpack_next(&reader, &item, &err)) == DV_OK) {
        dvt_lines_print(&found, "%s%s", found.nbytes ? ", " : "", names[item.kind]);
        if (item.kind == DV_MSGPACK_BOOL || item.kind == DV_MSGPACK_INT ||
            item.kind == DV_MSGPACK_TIME)
            dvt_lines_print(&found, " %lld", (long long)item.integer);
        if (item.kind == DV_MSGPACK_TIME)
            dvt_lines_print(&found, ".%u", item.nanoseconds);
        if (item.kind == DV_MSGPACK_UINT)
            dvt_lines_print(&found, " %llu", (unsigned long long)item.bits);
        if (item.kind == DV_MSGPACK_F4 || item.kind == DV_MSGPACK_F8)
            dvt_lines_print(&found, " %g %llx", item.real, (unsigned long long)item.bits);
        if (item.kind == DV_MSGPACK_ARRAY || item.kind == DV_MSGPACK_MAP)
            dvt_lines_print(&found, " %u", item.count);
        if (item.kind == DV_MSGPACK_EXT)
            dvt_lines_print(&found, " %d", item.ext_type);
        if (item.bytes.nbytes > 0)
            dvt_lines_print(&found, " %.*s", (int)item.bytes.nbytes, item.bytes.data);
    }
    cr_expect_str_eq(found.data, pieces, "%s: %s", text, found.data);
    cr_expect_eq(status, end, "%s: %s", text, err.message);
    dvt_lines_free(&found);
    dvt_lines_free(&bytes);
}

Test(msgpack_items, pieces)
{
    expect_pieces("[n,t,f,1,-5] 7", "array 5, nil, bool 1, bool 0, int 1, int -5, int 7", DV_END);
    expect_pieces("18446744073709551615", "uint 18446744073709551615", DV_END);
    expect_pieces("2.5 1.5f", "f8 2.5 4004000000000000, f4 1.5 3fc00000", DV_END);
    expect_pieces("{a:\"bc\",1:#6465}", "map 2, str a, str bc, int 1, bin de", DV_END);
    expect_pieces("!D5056162", "ext 5 ab", DV_END);
    expect_pieces("!D6FF00000001 !D7FF0000000400000002 !C70CFF00000003FFFFFFFFFFFFFFFE",
                  "time 1.0, time 2.1, time -2.3", DV_END);
    expect_pieces("", "", DV_END);
}

/* A false length, c1, text that is no UTF-8, an ext that is none, an end inside a value. */
Test(msgpack_items, broken_pieces)
{
    static const struct {
        const char *text, *rule;
        int64_t offset;
    } list[] = {{"!9102C1", "datadings:8.26", 2},   {"!DD7FFFFFFF", "datadings:8.27", 0},
                {"!91A2C328", "datadings:8.29", 1}, {"!D4FE00", "datadings:8.45", 0},
                {"!D4FF00", "datadings:8.45", 0},   {"!CD01", "datadings:8.24", 0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dvt_lines bytes;
        dv_msgpack_reader reader = reader_of(&bytes, list[i].text);
        dv_msgpack_item item;
        dv_error err = DV_ERROR_INIT;
        dv_status status;
        while ((status = dv_msgpack_next(&reader, &item, &err)) == DV_OK) {
        }
        cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, list[i].rule, "%s: %s", list[i].text, err.message);
        cr_expect_eq(err.offset, list[i].offset, "%s: %s", list[i].text, err.message);
        dvt_lines_free(&bytes);
    }
}

Test(msgpack_items, values_are_skipped)
{
    dvt_lines bytes;
    dv_error err = DV_ERROR_INIT;
    dv_msgpack_item item;
    dv_msgpack_reader reader = reader_of(&bytes, "{a:[1,{b:2}]} 7 !9102C1");
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_OK);
    cr_expect_eq(dv_msgpack_next(&reader, &item, &err), DV_OK);
    cr_expect_eq(item.integer, 7);
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_OK); /* an array of one, then what is left */
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_ERR_CORRUPT);
    dvt_lines_free(&bytes);

    dvt_lines deep = {0};
    for (int i = 0; i < DV_MSGPACK_NESTING + 1; i++)
        dvt_lines_add(&deep, "\x91", 1);
    dvt_lines_add(&deep, "\xC0", 1);
    dv_msgpack_start(&reader, deep.data, deep.nbytes);
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_ERR_LIMIT);
    dv_msgpack_start(&reader, deep.data + 1, deep.nbytes - 1);
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_OK);
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_END);
    dvt_lines_free(&deep);
}

Test(msgpack_items, arrays_of_numpy)
{
    dvt_lines bytes;
    dv_error err = DV_ERROR_INIT;
    dv_msgpack_numpy numpy;
    dv_msgpack_reader reader =
        reader_of(&bytes, "@<f4[2,1]#0000803F00000040 @>i2#0102 ~1-2j~ {a:1}");
    cr_assert_eq(dv_msgpack_read_numpy(&reader, &numpy, &err), DV_OK, "%s", err.message);
    cr_expect(numpy.rank == 2 && numpy.dims[0] == 2 && numpy.dims[1] == 1 && numpy.items == 2);
    cr_expect(numpy.letter == 'f' && numpy.item_nbytes == 4 && !numpy.is_swapped);
    cr_expect(dv_text_equal(numpy.dtype, dv_text_of("<f4")) && numpy.data.nbytes == 8);
    cr_expect_eq(memcmp(numpy.data.data, "\0\0\x80?\0\0\0@", 8), 0);
    cr_assert_eq(dv_msgpack_read_numpy(&reader, &numpy, &err), DV_OK, "%s", err.message);
    cr_expect(numpy.is_scalar && numpy.is_swapped && numpy.rank == 0 && numpy.items == 1);
    cr_assert_eq(dv_msgpack_read_numpy(&reader, &numpy, &err), DV_OK, "%s", err.message);
    cr_expect(numpy.is_complex && numpy.complex[0] == 1 && numpy.complex[1] == -2);
    cr_expect_eq(dv_msgpack_read_numpy(&reader, &numpy, &err), DV_NOT_FOUND);
    cr_expect_eq(dv_msgpack_skip(&reader, &err), DV_OK);
    cr_expect_eq(dv_msgpack_read_numpy(&reader, &numpy, &err), DV_END);
    dvt_lines_free(&bytes);

    reader = reader_of(&bytes, "@<f4[9]#00"); /* fewer bytes than items */
    cr_expect_eq(dv_msgpack_read_numpy(&reader, &numpy, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(err.rule, "datadings:8.33");
    dvt_lines_free(&bytes);
}
