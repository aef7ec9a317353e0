/* SPDX-License-Identifier: MIT */
/* test_zip.c: the directory of a zip file is read; what it must not say is refused. */
#include "base/load.h"
#include "mlnet/zip.h"
#include "support/test.h"
#include "support/zip_made.h"
#include <stdlib.h>
#include <string.h>

static dv_status open_zip(const uint8_t *bytes, size_t n, dv_error *err)
{
    dvi_zip zip;
    dvi_map *map;
    cr_assert_eq(dvi_map_open_memory(&map, bytes, n, NULL, NULL, "", DV_IO_PREAD, NULL, NULL),
                 DV_OK);
    dv_status status = dvi_zip_open(&zip, map, err);
    for (int32_t i = 0; status == DV_OK && i < zip.count; i++) {
        dvi_memory *content;
        status = dvi_zip_read(&zip, &zip.entries[i], &content, err);
        dvi_memory_release(&content);
    }
    dvi_zip_close(&zip);
    dvi_map_release(&map);
    return status;
}

static uint8_t *make_named(const char *name, size_t *n)
{
    dvt_zip_parts parts = {.count = 0};
    dvt_zip_add(&parts, name, "content", 7);
    uint8_t *zip = dvt_zip_make(&parts, n);
    dvt_zip_free(&parts);
    return zip;
}

static void expect_status(const uint8_t *zip, size_t n, dv_status want, const char *rule,
                          const char *what)
{
    dv_error err = DV_ERROR_INIT;
    const dv_status status = open_zip(zip, n, &err);
    cr_expect_eq(status, want, "%s: %s", what, err.message);
    cr_expect_eq(strcmp(err.rule, rule), 0, "%s: %s", what, err.rule);
}

Test(zip, finds_entries)
{
    size_t n;
    dvi_zip zip;
    dvi_map *map;
    dvi_memory *content;
    dvt_zip_parts parts = {.count = 0};
    dvt_zip_add(&parts, "A\\B", "content", 7);
    dvt_zip_add(&parts, "C/", "", 0);
    uint8_t *bytes = dvt_zip_make(&parts, &n);
    cr_assert_eq(dvi_map_open_memory(&map, bytes, n, NULL, NULL, "", DV_IO_AUTO, NULL, NULL),
                 DV_OK);
    cr_expect_eq(dvi_zip_recognize(map, NULL), DV_OK);
    cr_assert_eq(dvi_zip_open(&zip, map, NULL), DV_OK);
    dvi_map_release(&map);
    const dvi_zip_entry *entry = dvi_zip_find(&zip, dv_text_of("A/B"));
    cr_assert(entry && !dvi_zip_find(&zip, dv_text_of("A")));
    cr_assert_eq(dvi_zip_read(&zip, entry, &content, NULL), DV_OK);
    cr_expect_eq(memcmp(content->data, "content", 7), 0);
    dvi_memory_release(&content);
    dvi_zip_close(&zip);
    dvt_zip_free(&parts);
    free(bytes);
}

Test(zip, names_stay_inside)
{
    static const char *const names[] = {"../a",
                                        "a/../b",
                                        "/a",
                                        "a//b",
                                        "./a",
                                        "C:/a",
                                        "a/.",
                                        "..",
                                        "a\\..\\b",
                                        "\x01",
                                        "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/a",
                                        "\xFF"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n;
        uint8_t *zip = make_named(names[i], &n);
        expect_status(zip, n, DV_ERR_CORRUPT, "modelzip:Z3", names[i]);
        free(zip);
    }
}

Test(zip, no_name_comes_twice)
{
    size_t n;
    dvt_zip_parts parts = {.count = 0};
    dvt_zip_add(&parts, "a/b", "x", 1);
    dvt_zip_add(&parts, "a\\b", "y", 1);
    uint8_t *zip = dvt_zip_make(&parts, &n);
    expect_status(zip, n, DV_ERR_CORRUPT, "modelzip:Z3", "twice");
    dvt_zip_free(&parts);
    free(zip);
}

/* Bytes of a file with one entry "a" of 7 bytes: its header has 31, the directory 47, and begins at
 * 38; the record at the end begins at 85. */
enum { LISTED = 38, END = 85 };

typedef struct change {
    const char *what;
    size_t at;
    uint8_t byte;
    dv_status status;
    const char *rule;
} change;

Test(zip, every_rule)
{
    static const change changes[] = {
        {"mark of the end", END, 'Q', DV_ERR_CORRUPT, "modelzip:Z1"},
        {"part of several", END + 4, 1, DV_ERR_UNSUPPORTED, "modelzip:Z1"},
        {"entries here", END + 8, 2, DV_ERR_UNSUPPORTED, "modelzip:Z1"},
        {"length of the directory", END + 12, 46, DV_ERR_CORRUPT, "modelzip:Z1"},
        {"offset of the directory", END + 16, 37, DV_ERR_CORRUPT, "modelzip:Z1"},
        {"comment", END + 20, 1, DV_ERR_CORRUPT, "modelzip:Z1"},
        {"mark of an entry", LISTED, 'Q', DV_ERR_CORRUPT, "modelzip:Z2"},
        {"length of a name", LISTED + 28, 2, DV_ERR_CORRUPT, "modelzip:Z2"},
        {"length of more", LISTED + 30, 1, DV_ERR_CORRUPT, "modelzip:Z2"},
        {"encrypted", LISTED + 8, 1, DV_ERR_UNSUPPORTED, "modelzip:Z4"},
        {"packing", LISTED + 10, 12, DV_ERR_UNSUPPORTED, "modelzip:Z4"},
        {"packing that the header has not", LISTED + 10, 8, DV_ERR_CORRUPT, "modelzip:Z5"},
        {"offset of the header", LISTED + 42, 1, DV_ERR_CORRUPT, "modelzip:Z5"},
        {"header behind the directory", LISTED + 42, LISTED, DV_ERR_CORRUPT, "modelzip:Z5"},
        {"name in the header", 30, 'b', DV_ERR_CORRUPT, "modelzip:Z5"},
        {"length of the name in the header", 26, 2, DV_ERR_CORRUPT, "modelzip:Z5"},
        {"bytes of an entry", LISTED + 24, 6, DV_ERR_CORRUPT, "modelzip:Z6"},
        {"stored bytes", LISTED + 20, 200, DV_ERR_CORRUPT, "modelzip:Z6"},
        {"CRC", LISTED + 16, 0, DV_ERR_CORRUPT, "modelzip:Z7"},
        {"content", 31, 'd', DV_ERR_CORRUPT, "modelzip:Z7"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const change *c = &changes[i];
        size_t n;
        uint8_t *zip = make_named("a", &n);
        cr_assert_eq(n, END + 22);
        zip[c->at] = c->byte;
        expect_status(zip, n, c->status, c->rule, c->what);
        free(zip);
    }
}

/* The content of "a" begins as the entry "b" does. */
Test(zip, entries_do_not_overlap)
{
    size_t n, inner_nbytes;
    uint8_t *inner = make_named("b", &inner_nbytes);
    dvt_zip_parts parts = {.count = 0};
    dvt_zip_add(&parts, "a", inner, inner_nbytes);
    dvt_zip_add(&parts, "b", "content", 7);
    uint8_t *zip = dvt_zip_make(&parts, &n);
    cr_expect_eq(open_zip(zip, n, NULL), DV_OK);
    dvi_store_u32(zip + n - 22 - 47 + 42, 31); /* in the last entry of the directory */
    expect_status(zip, n, DV_ERR_CORRUPT, "modelzip:Z5", "inside another");
    dvt_zip_free(&parts);
    free(inner);
    free(zip);
}

Test(zip, sizes_have_limits)
{
    size_t n;
    uint8_t *zip = make_named("a", &n);
    zip[8] = zip[LISTED + 10] = 8; /* deflated: 7 bytes have at most 7,224 */
    dvi_store_u32(zip + LISTED + 24, 7225);
    expect_status(zip, n, DV_ERR_CORRUPT, "modelzip:Z6", "more than deflate has");
    dvi_store_u32(zip + LISTED + 24, 7224);
    expect_status(zip, n, DV_ERR_CORRUPT, "modelzip:Z7", "not deflated");
    free(zip);
}

Test(zip, an_empty_one_has_no_entry)
{
    size_t n;
    const dvt_zip_parts parts = {.count = 0};
    uint8_t *zip = dvt_zip_make(&parts, &n);
    cr_expect_eq(open_zip(zip, n, NULL), DV_OK);
    for (size_t at = 0; at < n; at++)
        expect_status(zip, at, DV_ERR_CORRUPT, "modelzip:Z1", "a cut");
    free(zip);
}
