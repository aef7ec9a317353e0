/* SPDX-License-Identifier: MIT */
/* test_datadings_sets.c: incomplete sets, files that change while they are read, side files that
 * are no files, and sets of messages only (datadings:1, datadings:8). */
#include "format/datadings/index/datadings_message.h"
#include "support/allocator.h"
#include "support/reference_hash.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;

static void drop(dvt_samples *made, dvi_datadings_side file)
{
    dvt_bytes_set(&made->side[file], NULL, 0);
}

static dvt_path path_of(const dvt_samples *made, dvi_datadings_side file)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", made->name, dvi_datadings_suffix(file));
    return dvt_path_in(&made->folder, name);
}

/* --- Incomplete sets -------------------------------------------------------------------------- */

/* Sets with some of their files, o k h f m i. A set that a crash leaves is refused; a set without
 * optional files opens. */
Test(datadings_sets, of_any_of_its_files)
{
    static const char letters[] = "okhfmi";
    for (unsigned there = 0; there < 64; there++) {
        dvt_samples made = dvt_samples_tiny();
        dvi_datadings_set *set;
        dv_error err = DV_ERROR_INIT;
        for (int file = 0; file < DVI_DATADINGS_FILES; file++)
            if (!(there >> file & 1))
                drop(&made, (dvi_datadings_side)file);
        const bool is_whole = (there & 3) == 3 || there >> DVI_DATADINGS_LEGACY & 1;
        const dv_status status = dvt_samples_open_memory(&set, &made, &defaults, false, &err);
        cr_expect_eq(status, is_whole ? DV_OK : DV_ERR_CORRUPT, "%x of %s", there, letters);
        if (is_whole)
            cr_expect_eq(dvt_samples_read(set, &err), DV_OK, "%x: %s", there, err.message);
        else {
            cr_expect_str_eq(err.rule, "datadings:1.1");
            cr_expect_not_null(strstr(err.expected, "option scan"));
            cr_expect_str_eq(err.found, there & 1   ? "no .keys"
                                        : there & 2 ? "no .offsets"
                                                    : "no side file");
        }
        dvi_datadings_set_close(&set);
        cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, true, &err), DV_OK);
        cr_expect_eq(dvi_datadings_rows(set), 3);
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
    }
}

/* Side files of other sets are found by their sizes or keys. */
Test(datadings_sets, with_files_of_another_set)
{
    for (int file = 0; file < DVI_DATADINGS_SIDES; file++) {
        dvt_samples made = dvt_samples_numbered(3), other = dvt_samples_tiny();
        dvi_datadings_set *set;
        dv_error err = DV_ERROR_INIT;
        dvt_bytes swapped = made.side[file];
        made.side[file] = other.side[file];
        other.side[file] = swapped;
        dv_status status = dvt_samples_open_memory(&set, &made, &defaults, false, &err);
        if (status == DV_OK) {
            const dv_status read = dvt_samples_read(set, &err);
            const bool is_hidden = file == DVI_DATADINGS_FILTER; /* for the same number of keys */
            cr_expect(read < 0 || is_hidden, "%s", dvi_datadings_suffix((dvi_datadings_side)file));
        }
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
        dvt_samples_free(&other);
    }
}

/* --- Side files that are no files ------------------------------------------------------------- */

static void expect_io(const dvt_samples *made, int os_code, const char *suffix)
{
    dvi_datadings_set *set;
    char name[64];
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_open_options options = defaults;
        dv_error err = DV_ERROR_INIT;
        options.io = (dv_io)io;
        cr_expect_eq(dvt_samples_open(&set, made, &options, false, &err), DV_ERR_IO);
        cr_expect_null(set);
        cr_expect_eq(err.os_code, os_code, "%s", err.message);
        snprintf(name, sizeof name, "%s%s", made->name, suffix);
        cr_expect_not_null(strstr(err.message, name), "%s", err.message);
    }
}

Test(datadings_sets, side_file_that_is_none)
{
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) {
        dvt_samples made = dvt_samples_tiny();
        dvt_samples_write(&made);
        const dvt_path path = path_of(&made, (dvi_datadings_side)file);
        cr_assert_eq(unlink(path.text), 0);
        cr_assert_eq(mkdir(path.text, 0700), 0);
        expect_io(&made, EISDIR, dvi_datadings_suffix((dvi_datadings_side)file));
        cr_assert_eq(rmdir(path.text), 0);
        cr_assert_eq(mkfifo(path.text, 0600), 0);
        expect_io(&made, ESPIPE, dvi_datadings_suffix((dvi_datadings_side)file));
        cr_assert_eq(unlink(path.text), 0);
        dvt_samples_free(&made);
    }
}

/* A dangling link is no file; a link to a file is one. */
Test(datadings_sets, side_file_that_is_a_link)
{
    dvt_samples made = dvt_samples_tiny();
    dvi_datadings_set *set;
    dvt_samples_write(&made);
    const dvt_path path = path_of(&made, DVI_DATADINGS_KEYS),
                   elsewhere = dvt_path_in(&made.folder, "elsewhere");
    cr_assert_eq(rename(path.text, elsewhere.text), 0);
    cr_assert_eq(symlink(elsewhere.text, path.text), 0);
    drop(&made, DVI_DATADINGS_LEGACY);
    cr_assert_eq(unlink(path_of(&made, DVI_DATADINGS_LEGACY).text), 0);
    cr_expect_eq(dvt_samples_open(&set, &made, &defaults, false, NULL), DV_OK);
    dvi_datadings_set_close(&set);
    cr_assert_eq(unlink(elsewhere.text), 0);
    cr_expect_eq(dvt_samples_open(&set, &made, &defaults, false, NULL), DV_ERR_CORRUPT);
    dvt_samples_free(&made);
}

/* --- Files that change ------------------------------------------------------------------------ */

/* Each file is cut while the set is open: reading it is an error. */
Test(datadings_sets, side_file_that_shrinks)
{
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++)
        for (int file = 0; file < DVI_DATADINGS_SIDES; file++) {
            dvt_samples made = dvt_samples_numbered(1000);
            dvi_datadings_set *set;
            dv_open_options options = defaults;
            dv_error err = DV_ERROR_INIT;
            options.io = (dv_io)io;
            dvt_samples_write(&made);
            cr_assert_eq(dvt_samples_open(&set, &made, &options, false, NULL), DV_OK);
            const dvt_path path = path_of(&made, (dvi_datadings_side)file);
            dvt_file_resize(&path, 100);
            cr_expect_eq(dvt_samples_read(set, &err), DV_ERR_IO, "%s", path.text);
            cr_expect_eq(err.os_code, 0, "%s", err.message);
            cr_expect_not_null(strstr(err.file, dvi_datadings_suffix((dvi_datadings_side)file)),
                               "%s", err.message);
            dvi_datadings_set_close(&set);
            dvt_samples_free(&made);
        }
}

/* The filter is checked at each look-up. */
Test(datadings_sets, filter_that_shrinks_later)
{
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dvt_samples made = dvt_samples_numbered(1000);
        dvi_datadings_set *set;
        dv_open_options options = defaults;
        bool does;
        options.io = (dv_io)io;
        dvt_samples_write(&made);
        cr_assert_eq(dvt_samples_open(&set, &made, &options, false, NULL), DV_OK);
        cr_expect_eq(dvi_datadings_contains(set, dv_text_of("k7"), false, &does, NULL), DV_OK);
        cr_expect(does);
        const dvt_path path = path_of(&made, DVI_DATADINGS_FILTER);
        dvt_file_resize(&path, 0);
        const dv_status status = dvi_datadings_contains(set, dv_text_of("k7"), false, &does, NULL);
        cr_expect_eq(status, DV_ERR_IO);
        cr_expect_not(does);
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
    }
}

/* A save replaces D after it is opened, before the side files are. */
Test(datadings_sets, replaced_while_it_is_opened)
{
    dvt_samples made = dvt_samples_tiny();
    dvi_datadings_set *set;
    dvi_map *map;
    dv_error err = DV_ERROR_INIT;
    dvt_samples_write(&made);
    cr_assert_eq(dvi_map_open(&map, made.path.text, DV_IO_MMAP, NULL, NULL), DV_OK);
    cr_expect(dvi_map_is_file(map));
    cr_expect_eq(dvi_map_check_name(map, &err), DV_OK);
    const dvt_path old = dvt_path_in(&made.folder, "old");
    cr_assert_eq(rename(made.path.text, old.text), 0);
    for (int i = 0; i < 2; i++) { /* removed, then replaced */
        cr_expect_eq(dvi_datadings_set_open(&set, map, &defaults, false, &err), DV_ERR_IO);
        cr_expect_null(set);
        cr_expect(*err.expected && *err.found && *err.file, "%s", err.message);
        dvt_samples_write(&made);
    }
    cr_expect_eq(dvi_datadings_set_open(&set, map, &defaults, true, NULL),
                 DV_OK); /* side files are not opened */
    dvi_datadings_set_close(&set);
    dvi_map_release(&map);
    dvt_samples_free(&made);
}

/* --- Messages only ---------------------------------------------------------------------------- */

static dvi_datadings_set *scan(dvt_samples *made, const char *bytes, size_t n,
                               const dv_open_options *options, dv_error *err)
{
    dvi_datadings_set *set;
    dvt_bytes_set(&made->data, bytes, n);
    dvt_samples_open_memory(&set, made, options, true, err);
    return set;
}
#define SCAN(made, text, options, err) scan(made, text, sizeof text - 1, options, err)

Test(datadings_sets, messages_that_are_broken)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *rule;
        int64_t offset, rows; /* rows before it */
    } cases[] = {
        {"\x80\xc1", 2, "datadings:8.26", 1, 1},
        {"\x80\x80\x81\xa1k", 5, "datadings:8.24", 5, 2},
        {"\xc0\xd9\x05hello\xd9\x05hell", 13, "datadings:8.27", 8, 2},
        {"\xdd\xff\xff\xff\xff", 5, "datadings:8.27", 0, 0},
        {"\x81\x90\xc0", 3, "datadings:8.41", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dvt_samples made = dvt_samples_tiny();
        dv_open_options options = defaults;
        dv_error err = DV_ERROR_INIT;
        cr_expect_null(scan(&made, cases[i].bytes, cases[i].n, &options, &err));
        cr_expect_eq(err.status, DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, cases[i].rule, "%s", err.message);
        cr_expect_eq(err.offset, cases[i].offset, "%s", err.message);
        cr_expect_str_eq(err.file, "tiny.msgpack");
        options.lenient = true; /* reads the complete samples */
        dvi_datadings_set *set = scan(&made, cases[i].bytes, cases[i].n, &options, &err);
        cr_assert_not_null(set);
        cr_expect_eq(dvi_datadings_rows(set), cases[i].rows);
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
    }
}

static void expect_limit(dvt_samples *made, const dv_open_options *options, const char *rule)
{
    dv_open_options lenient = *options;
    dvi_datadings_set *set;
    lenient.lenient = true; /* has no effect */
    for (int i = 0; i < 2; i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dvt_samples_open_memory(&set, made, i ? &lenient : options, true, &err),
                     DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, rule, "%s", err.message);
        cr_expect_eq(err.offset, 3 - 3 * (*rule == 'm'), "%s", err.message);
    }
}

Test(datadings_sets, messages_beyond_a_limit)
{
    dvt_samples made = dvt_samples_tiny();
    dv_open_options options = defaults;
    dvi_datadings_set *set;
    dvt_bytes_set(&made.data, "\x91\x91\x91\x91\xc0", 5);
    options.nesting = 3;
    expect_limit(&made, &options, "nesting");
    options.nesting = 4;
    cr_expect_eq(dvt_samples_open_memory(&set, &made, &options, true, NULL), DV_OK);
    dvi_datadings_set_close(&set);

    options.message_nbytes = 4;
    expect_limit(&made, &options, "message_nbytes"); /* the last bytes of the file */
    dvt_bytes_append(&made.data, "\xc0", 1);
    expect_limit(&made, &options, "message_nbytes");
    options.message_nbytes = 5;
    cr_expect_eq(dvt_samples_open_memory(&set, &made, &options, true, NULL), DV_OK);
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

/* The same for a listed message. */
Test(datadings_sets, listed_message_beyond_the_limit)
{
    dvt_samples made = dvt_samples_tiny();
    dv_open_options options = defaults;
    dvi_datadings_set *set;
    int64_t ends[4];
    dv_error err = DV_ERROR_INIT;
    options.message_nbytes = 91;
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &options, false, NULL), DV_OK);
    cr_expect_eq(dvi_datadings_offsets(set, 0, 2, ends, NULL, &err), DV_OK);
    cr_expect_eq(dvi_datadings_offsets(set, 0, 3, ends, NULL, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "message_nbytes");
    cr_expect_eq(err.offset, 110);
    cr_expect_str_eq(err.file, "tiny.msgpack");
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

/* Messages longer than a window, within the limit. */
Test(datadings_sets, large_messages_are_scanned)
{
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dvt_samples made = dvt_samples_tiny();
        dv_open_options options = defaults;
        dvi_datadings_set *set;
        enum { NBYTES = 3 << 20 };
        uint8_t *zeros = calloc(1, NBYTES);
        int64_t ends[5];
        dv_text keys[4];
        dvi_memory *memory = NULL;
        dvt_bytes_set(&made.data, "\xc0", 1);
        for (int i = 0; i < 3; i++) {
            dvt_bytes_append(&made.data, "\x82\xa1x\xc6\x00\x30\x00\x00", 8);
            dvt_bytes_append(&made.data, zeros, NBYTES);
            dvt_bytes_append(&made.data,
                             "\xa3key\xa1"
                             "0",
                             6);
        }
        dvt_samples_write(&made);
        options.io = (dv_io)io;
        cr_assert_eq(dvt_samples_open(&set, &made, &options, true, NULL), DV_OK);
        cr_assert_eq(dvi_datadings_rows(set), 4);
        cr_assert_eq(dvi_datadings_offsets(set, 0, 4, ends, NULL, NULL), DV_OK);
        cr_expect_eq(ends[1], 1);
        cr_expect_eq(ends[4], 1 + 3 * (NBYTES + 14));
        cr_assert_eq(dvi_datadings_keys(set, 0, 4, keys, &memory, NULL), DV_OK);
        cr_expect_eq(keys[0].nbytes, -1);
        cr_expect(dv_text_equal(keys[3], dv_text_of("0")));
        dvi_memory_release(&memory);
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
        free(zeros);
    }
}

static dv_text own_key(const char *message, size_t n, bool *is_map)
{
    dv_text key;
    *is_map = dvi_datadings_own_key((const uint8_t *)message, n, 1024, &key);
    return key;
}
#define OWN_KEY(text, is_map) own_key(text, sizeof text - 1, is_map)

Test(datadings_sets, own_keys_of_messages)
{
    bool is_map;
    cr_expect(dv_text_equal(OWN_KEY("\x81\xa3key\xa1z", &is_map), dv_text_of("z")) && is_map);
    cr_expect(dv_text_equal(OWN_KEY("\x82\xa1x\x92\x01\x02\xa3key\xa0", &is_map), dv_text_of("")));
    /* the last one counts, as in a dict */
    cr_expect(dv_text_equal(OWN_KEY("\x82\xa3key\xa1z\xa3key\xa1y", &is_map), dv_text_of("y")));
    cr_expect_eq(OWN_KEY("\x82\xa3key\xa1z\xa3key\xc0", &is_map).nbytes, -1);
    cr_expect(is_map);
    cr_expect_eq(OWN_KEY("\x81\xc4\x03key\xa1z", &is_map).nbytes, -1); /* bin is not str */
    cr_expect_eq(OWN_KEY("\x81\xa4keys\xa1z", &is_map).nbytes, -1);
    cr_expect_eq(OWN_KEY("\x81\xa3key\xa1\xff", &is_map).nbytes, -1); /* not UTF-8 */
    cr_expect(is_map);
    cr_expect_eq(OWN_KEY("\x80", &is_map).nbytes, -1);
    cr_expect(is_map);
    cr_expect_eq(OWN_KEY("\x91\xa3key", &is_map).nbytes, -1);
    cr_expect_not(is_map);
    cr_expect_eq(OWN_KEY("", &is_map).nbytes, -1);
    cr_expect_not(is_map);
    OWN_KEY("\x81\xa3key\xa2z", &is_map); /* cut off */
    cr_expect_not(is_map);
    OWN_KEY("\x81\xa3ke", &is_map);
    cr_expect_not(is_map);
}

/* Samples with keys are found among samples without. */
Test(datadings_sets, scanned_keys_are_found)
{
    dvt_samples made = dvt_samples_tiny();
    dv_error err = DV_ERROR_INIT;
    int64_t row;
    dvi_datadings_set *set =
        SCAN(&made, "\x80\x81\xa3key\xa1z\xc0\x81\xa3key\xa1y\x80", &defaults, &err);
    cr_assert_not_null(set, "%s", err.message);
    cr_expect_eq(dvi_datadings_find(set, dv_text_of("y"), true, &row, &err), DV_OK);
    cr_expect_eq(row, 3);
    cr_expect_eq(dvi_datadings_find(set, dv_text_of(""), true, &row, &err), DV_NOT_FOUND);
    dvi_datadings_set_close(&set);
    set = SCAN(&made, "\x81\xa3key\xa1z\x81\xa3key\xa1y\x81\xa3key\xa1z", &defaults, &err);
    cr_assert_not_null(set);
    cr_expect_eq(dvi_datadings_find(set, dv_text_of("y"), true, &row, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(err.rule, "datadings:8.15");
    cr_expect_str_eq(err.found, "row 2 has the key of row 0");
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

/* --- Lenient ---------------------------------------------------------------------------------- */

Test(datadings_sets, bytes_after_the_last_sample_may_be_ignored)
{
    dvt_samples made = dvt_samples_tiny();
    dv_open_options options = defaults;
    dvi_datadings_set *set;
    int64_t ends[4];
    options.lenient = true;
    dvt_bytes_append(&made.data, "\xc1\xc1", 2);
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &options, false, NULL), DV_OK);
    cr_expect_eq(dvi_datadings_offsets(set, 0, 3, ends, NULL, NULL), DV_OK);
    cr_expect_eq(ends[3], 202);
    dvi_datadings_set_close(&set);
    dvt_bytes_cut(&made.data, 201); /* missing bytes are still an error */
    cr_expect_eq(dvt_samples_open_memory(&set, &made, &options, false, NULL), DV_ERR_CORRUPT);
    for (int file = 0; file < DVI_DATADINGS_MD5; file++)
        drop(&made, (dvi_datadings_side)file);
    dvt_bytes_set(&made.side[DVI_DATADINGS_LEGACY], "\x80", 1); /* an empty index */
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &options, false, NULL), DV_OK);
    cr_expect_eq(dvi_datadings_rows(set), 0);
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

/* --- Another key of the same hash ------------------------------------------------------------- */

/* A hash in .key_hashes leads to a row whose key has another hash: no answer but an error. Without
 * the comparison the row would be the answer, as in the package. */
Test(datadings_sets, a_hash_that_leads_to_another_key)
{
    dvt_samples made = dvt_samples_numbered(100);
    dvi_datadings_set *set;
    dv_error err = DV_ERROR_INIT;
    uint8_t hash[8];
    const dvi_key_salt salt = dvi_key_salt_of(0);
    int64_t row;
    const dvi_key_probe probe = dvt_key_probe_of(dv_text_of("missing"));
    dvi_bloom bloom;
    dvi_bloom_of(&bloom, 100, 0.01);
    dvi_bloom_add(&bloom, made.side[DVI_DATADINGS_FILTER].data + 32, &probe, 1);
    dvi_store_u64_be(hash, dvt_key_hash(&salt, dv_text_of("missing")));
    dvt_bytes_patch(&made.side[DVI_DATADINGS_HASHES], 8 + 8 * 90, hash, 8);
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
    bool does;
    int64_t rows[2] = {-1, -1};
    const dv_text keys[2] = {dv_text_of("missing"), dv_text_of("k7")};
    cr_expect_eq(dvi_datadings_find_many(set, keys, 2, false, rows, NULL), DV_OK);
    cr_expect(rows[0] == 90 && rows[1] == 7);
    cr_expect_eq(dvi_datadings_find_many(set, keys, 2, true, rows, &err), DV_ERR_CORRUPT);
    cr_expect_eq(dvi_datadings_find_many(set, keys + 1, 1, true, rows, NULL), DV_OK);
    cr_expect_eq(rows[0], 7);
    cr_expect_eq(dvi_datadings_find(set, keys[0], false, &row, NULL), DV_OK);
    cr_expect_eq(row, 90);
    err = (dv_error)DV_ERROR_INIT;
    cr_expect_eq(dvi_datadings_find(set, keys[0], true, &row, &err), DV_ERR_CORRUPT);
    cr_expect_eq(row, -1);
    cr_expect_str_eq(err.rule, "datadings:8.10");
    cr_expect_eq(err.offset, 8 * 91);
    cr_expect_str_eq(err.file, "k1000.msgpack.key_hashes");
    cr_expect_eq(dvi_datadings_contains(set, keys[0], false, &does, NULL), DV_OK);
    cr_expect(does);
    cr_expect_eq(dvi_datadings_contains(set, keys[0], true, &does, NULL), DV_ERR_CORRUPT);
    cr_expect_not(does);
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static bool accept(void *ctx, const dv_error *what)
{
    (void)ctx;
    (void)what;
    return true;
}

/* Open, read and verify a set. */
static dv_status use_set(const dvt_samples *made, const dv_allocator *allocator, dv_io io,
                         bool is_scan)
{
    dvi_datadings_set *set;
    dv_open_options options = defaults;
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    options.allocator = allocator;
    options.io = io;
    verify.defect = accept;
    dv_status status = dvt_samples_open(&set, made, &options, is_scan, NULL);
    if (status == DV_OK)
        status = dvt_samples_read(set, NULL);
    if (status == DV_OK)
        status = dvi_datadings_verify_files(set, false, &verify, NULL);
    dvi_datadings_set_close(&set);
    return status;
}

static void fail_each(const dvt_samples *made, dv_io io, bool is_scan)
{
    dvt_allocator counted;
    int64_t k = 0;
    dv_status status;
    do {
        dvt_allocator_init(&counted, ++k);
        status = use_set(made, &counted.allocator, io, is_scan);
        cr_assert_eq(counted.live, 0, "allocation %d", (int)k);
        cr_assert_eq(status, counted.asked < k ? DV_OK : DV_ERR_MEMORY, "allocation %d", (int)k);
    } while (status != DV_OK);
    cr_expect_gt(k, 5);
}

Test(datadings_sets, any_allocation_may_fail)
{
    static const unsigned dropped[] = {0, 1 << DVI_DATADINGS_LEGACY, 3, 7, 12};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        dvt_samples made = dvt_samples_tiny();
        for (int file = 0; file < DVI_DATADINGS_FILES; file++)
            if (dropped[i] >> file & 1)
                drop(&made, (dvi_datadings_side)file);
        dvt_samples_write(&made);
        fail_each(&made, DV_IO_MMAP, false);
        fail_each(&made, DV_IO_PREAD, false);
        fail_each(&made, DV_IO_PREAD, true);
        dvt_samples_free(&made);
    }
}
