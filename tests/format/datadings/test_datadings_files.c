/* SPDX-License-Identifier: MIT */
/* test_datadings_files.c: samples, keys and look-ups of sets with any of their files. */
#include "support/allocator.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;

/* --- Checks ----------------------------------------------------------------------------------- */

static void expect_find(dvi_datadings_set *set, const char *key, int64_t row)
{
    for (int confirm = 0; confirm < 2; confirm++) {
        int64_t found = -7;
        bool does = row < 0;
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dvi_datadings_find(set, dv_text_of(key), confirm, &found, &err),
                     row < 0 ? DV_NOT_FOUND : DV_OK, "%s: %s", key, err.message);
        cr_expect_eq(found, row, "%s", key);
        cr_expect_eq(dvi_datadings_contains(set, dv_text_of(key), confirm, &does, &err), DV_OK);
        cr_expect_eq(does, row >= 0, "%s: %s", key, err.message);
    }
}

/* The set has samples "k<i>", read `step` at a time. */
static void expect_numbered(dvi_datadings_set *set, const dvt_samples *made, int64_t rows,
                            size_t step)
{
    int64_t *offsets = malloc((step + 1) * sizeof *offsets);
    dv_text *keys = malloc((step + 1) * sizeof *keys);
    dvi_memory *memory = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_datadings_rows(set), rows);
    cr_assert_eq(dvi_datadings_keys(set, 0, 0, keys, &memory, &err), DV_OK);
    for (int64_t row = 0; row < rows; row += (int64_t)step) {
        const size_t n = (size_t)dvi_min_i64(rows - row, (int64_t)step);
        cr_assert_eq(dvi_datadings_offsets(set, row, n, offsets, &memory, &err), DV_OK, "%s",
                     err.message);
        cr_assert_eq(dvi_datadings_keys(set, row, n, keys, &memory, &err), DV_OK, "%s",
                     err.message);
        for (size_t i = 0; i < n; i++) {
            char key[16];
            snprintf(key, sizeof key, "k%" PRId64, row + (int64_t)i);
            cr_assert(dv_text_equal(keys[i], dv_text_of(key)), "%s", key);
            cr_assert_eq(memcmp(made->data.data + offsets[i] + 6, key, strlen(key)), 0);
        }
        cr_assert(offsets[n] == (int64_t)made->data.n || row + (int64_t)n < rows);
    }
    dvi_memory_release(&memory);
    free(offsets);
    free(keys);
}

static void expect_all(const dvt_samples *made, const dv_open_options *options, bool in_memory,
                       bool scan, int64_t rows)
{
    dvi_datadings_set *set;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(
        (in_memory ? dvt_samples_open_memory : dvt_samples_open)(&set, made, options, scan, &err),
        DV_OK, "%s", err.message);
    if (rows <= 1000)
        expect_numbered(set, made, rows, 1);
    expect_numbered(set, made, rows, 77);
    expect_numbered(set, made, rows, 5000);
    for (int64_t row = rows - 1; row >= 0; row -= 1 + row / 8) {
        char key[24];
        snprintf(key, sizeof key, "k%" PRId64, row);
        expect_find(set, key, row);
    }
    expect_find(set, "nope", -1);
    expect_find(set, "", -1);
    dvi_datadings_set_close(&set);
    cr_expect_null(set);
    dvi_datadings_set_close(&set);
}

/* Every subset of files that opens, mapped, read and in memory. */
static void expect_ways(int rows)
{
    static const char *const ways[] = {"", "h", "f", "hfm", "i", "ih", "oi", "ki", "okhfm", "S"};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        dvt_samples made = dvt_samples_numbered(rows);
        static const char letters[] = "okhfm";
        for (int file = 0; file < DVI_DATADINGS_MD5 + 1; file++)
            if (strchr(ways[way], letters[file]) && strchr(ways[way], 'S') == NULL)
                dvt_bytes_set(&made.side[file], NULL, 0);
        const bool needs_legacy = strpbrk(ways[way], "ok") != NULL;
        if (!needs_legacy)
            dvt_bytes_set(&made.side[DVI_DATADINGS_LEGACY], NULL, 0);
        dvt_samples_write(&made);
        for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
            dv_open_options options = defaults;
            options.io = (dv_io)io;
            expect_all(&made, &options, false, *ways[way] == 'S', rows);
            expect_all(&made, &options, true, *ways[way] == 'S', rows);
        }
        dvt_samples_free(&made);
    }
}

Test(datadings_files, of_no_sample)
{
    expect_ways(0);
}

Test(datadings_files, of_one_sample)
{
    expect_ways(1);
}

Test(datadings_files, of_as_many_samples_as_share_an_offset)
{
    expect_ways(63);
    expect_ways(64);
    expect_ways(65);
    expect_ways(128);
}

Test(datadings_files, of_a_thousand_samples)
{
    expect_ways(1000);
}

/* More than a window of each file, and heads of 32 bits. */
Test(datadings_files, of_many_samples)
{
    expect_ways(70000);
}

Test(datadings_files, tiny_is_the_worked_example)
{
    static const char legacy[] = "\x83\xa1\x61\x00\xa3\x62\x2f\x31\x1a\xa2\xc3\xbc\x6e";
    static const char md5[] = "18e40a37666336555c24832ebfb45b13  tiny.msgpack\n";
    dvt_samples made = dvt_samples_tiny();
    dvi_datadings_set *set;
    cr_assert_eq(made.data.n, 202);
    cr_assert_eq(made.side[DVI_DATADINGS_LEGACY].n, sizeof legacy - 1);
    cr_expect_eq(memcmp(made.side[DVI_DATADINGS_LEGACY].data, legacy, sizeof legacy - 1), 0);
    cr_assert_eq(made.side[DVI_DATADINGS_MD5].n, 266);
    cr_expect_eq(memcmp(made.side[DVI_DATADINGS_MD5].data, md5, sizeof md5 - 1), 0);
    dvt_samples_write(&made);
    cr_assert_eq(dvt_samples_open(&set, &made, &defaults, false, NULL), DV_OK);
    expect_find(set, "a", 0);
    expect_find(set, "b/1", 1);
    expect_find(set, "\xC3\xBC", 2);
    expect_find(set, "nope", -1); /* a false positive of the filter */
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

/* Zeros are messages, each of them 8 bytes in memory, and a hole in a file is full of them. */
Test(datadings_files, messages_without_keys_have_a_limit)
{
    static const struct {
        const char *bytes;
        size_t n;
        int64_t refused_at; /* -1: not at all */
    } cases[] = {{"\0\0\0", 3, 2},
                 {"\x80\x80\x80", 3, 2},
                 {"\x81\xa1"
                  "a\0\0\0\x81\xa1"
                  "b\0",
                  10, -1},
                 {"\x81\xa1"
                  "a\0\0\0\x90",
                  7, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.format = "datadings";
        options.rows_without_columns = 2;
        const dv_status status = dv_open_memory(&view, cases[i].bytes, cases[i].n, NULL, NULL,
                                                "zeros.msgpack", &options, &err);
        if (cases[i].refused_at >= 0) {
            cr_expect_eq(status, DV_ERR_LIMIT, "%d: %s", (int)i, err.message);
            cr_expect_str_eq(err.rule, "rows_without_columns");
            cr_expect_eq(err.offset, cases[i].refused_at);
        } else {
            cr_expect_eq(status, DV_OK, "%d: %s", (int)i, err.message);
        }
        dv_view_release(&view);
    }
}
