/* SPDX-License-Identifier: MIT */
/* test_datadings_malformed.c: defects of side files are reported, by the first function that reads
 * them and by verification (datadings:8). Each line of a table damages the worked example once. */
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;

/* A change to a file; bytes are hexadecimal. */
typedef enum change { PATCH, CUT, ADD, SET, DROP } change;

/* The first step that fails: opening the set, reading all of it, or only verification. */
typedef enum when { OPEN, READ, VERIFY } when;

/* The files of a set, and D. */
enum {
    OFFSETS = DVI_DATADINGS_OFFSETS,
    KEYS = DVI_DATADINGS_KEYS,
    HASHES = DVI_DATADINGS_HASHES,
    FILTER = DVI_DATADINGS_FILTER,
    MD5 = DVI_DATADINGS_MD5,
    LEGACY = DVI_DATADINGS_LEGACY,
    DATA = DVI_DATADINGS_FILES
};

typedef struct damaged {
    const char *name;
    when when;
    const char *rule; /* "8.1@31": rule and offset of the first error */
    int blamed;       /* the file in the error */
    int file;         /* that is changed */
    change change;
    size_t at;
    const char *hex;
    const char *verdict; /* all errors of verification; NULL: `rule` */
} damaged;

#define N16 "ffffffffffffffff"

static const damaged cases[] = {
    {"offsets end in half a number", OPEN, "8.1@31", OFFSETS, OFFSETS, CUT, 31, NULL, NULL},
    {"offsets are empty", OPEN, "8.1@0", OFFSETS, OFFSETS, CUT, 0, NULL, NULL},
    {"first offset is not 0", OPEN, "8.2@0", OFFSETS, OFFSETS, PATCH, 7, "01", NULL},
    {"sample has no byte", READ, "8.3@8", OFFSETS, OFFSETS, PATCH, 15, "00", "8.3@8 8.25@26"},
    {"offset falls", READ, "8.3@16", OFFSETS, OFFSETS, PATCH, 23, "05", "8.3@16 8.25@7"},
    {"data is cut off", OPEN, "8.4@24", OFFSETS, DATA, CUT, 201, NULL, NULL},
    {"data goes on", OPEN, "8.5@24", OFFSETS, DATA, ADD, 0, "c0", NULL},
    {"offset is swapped", READ, "8.6@8", OFFSETS, OFFSETS, PATCH, 8, "1a00000000000000", "8.6@8"},
    {"offset is beyond 2^63", READ, "8.6@8", OFFSETS, OFFSETS, PATCH, 8, "80", "8.6@8"},
    {"offset is after the data", READ, "8.6@8", OFFSETS, OFFSETS, PATCH, 15, "cb", "8.6@8"},
    {"last offset is beyond 2^63", OPEN, "8.6@24", OFFSETS, OFFSETS, PATCH, 24, "80", NULL},
    {"keys are fewer", OPEN, "8.7@0", KEYS, KEYS, PATCH, 0, "92", NULL},
    {"keys are more", OPEN, "8.7@0", KEYS, KEYS, PATCH, 0, "94", NULL},
    {"hashes are cut off", READ, "8.8@31", HASHES, HASHES, CUT, 31, NULL, NULL},
    {"hashes are less than a salt", READ, "8.8@7", HASHES, HASHES, CUT, 7, NULL, NULL},
    {"hashes are too many", READ, "8.8@32", HASHES, HASHES, ADD, 0, "0000000000000000", NULL},
    {"hash is that of another key", READ, "8.10@16", HASHES, HASHES, PATCH, 16, "953ffc3d1368ba74",
     NULL},
    {"hash is of another key", READ, "8.10@8", HASHES, HASHES, PATCH, 8, "00", NULL},
    {"salt is another", READ, "8.10@8", HASHES, HASHES, PATCH, 0, "00", "8.10@8 8.10@16 8.10@24"},
    {"keys are a map", OPEN, "8.11@0", KEYS, KEYS, PATCH, 0, "83", NULL},
    {"keys are a str", OPEN, "8.11@0", KEYS, KEYS, PATCH, 0, "a9", NULL},
    {"keys are nil", OPEN, "8.11@0", KEYS, KEYS, SET, 0, "c0", NULL},
    {"keys are an empty file", OPEN, "8.11@0", KEYS, KEYS, SET, 0, "", NULL},
    {"keys end in their head", OPEN, "8.11@0", KEYS, KEYS, SET, 0, "dc00", NULL},
    {"keys end in their wide head", OPEN, "8.11@0", KEYS, KEYS, SET, 0, "dd000000", NULL},
    {"keys claim 4 billion", OPEN, "8.12@0", KEYS, KEYS, SET, 0, "ddffffffff", NULL},
    {"keys claim 15", OPEN, "8.12@0", KEYS, KEYS, PATCH, 0, "9f", NULL},
    {"keys are cut off in a key", READ, "8.13@7", KEYS, KEYS, CUT, 9, NULL, NULL},
    {"keys are cut off after a key", READ, "8.13@7", KEYS, KEYS, CUT, 7, NULL, NULL},
    {"key is an integer", READ, "8.13@1", KEYS, KEYS, PATCH, 1, "01", NULL},
    {"key is bin", READ, "8.13@1", KEYS, KEYS, PATCH, 1, "c4", NULL},
    {"key is nil", READ, "8.13@3", KEYS, KEYS, PATCH, 3, "c0", NULL},
    {"key is an array", READ, "8.13@3", KEYS, KEYS, PATCH, 3, "91", NULL},
    {"key is longer than the file", READ, "8.13@3", KEYS, KEYS, PATCH, 3, "d9ff", NULL},
    {"key ends in its head", READ, "8.13@7", KEYS, KEYS, SET, 0, "93a161a3622f31db000000", NULL},
    {"key is overlong UTF-8", READ, "8.14@7", KEYS, KEYS, PATCH, 8, "c0bc", NULL},
    {"key is a surrogate", READ, "8.14@3", KEYS, KEYS, PATCH, 4, "eda080", NULL},
    {"key is half a character", READ, "8.14@7", KEYS, KEYS, PATCH, 8, "61c3", NULL},
    {"key is given twice", READ, "8.10@24", HASHES, KEYS, SET, 0, "93a161a3622f31a161",
     "8.10@24 8.15@-1 8.31@110"},
    {"keys are swapped", READ, "8.10@8", HASHES, KEYS, SET, 0, "93a3622f31a161a2c3bc",
     "8.10@8 8.31@0 8.10@16 8.31@26"},
    {"keys go on", READ, "8.16@10", KEYS, KEYS, ADD, 0, "c0", NULL},
    {"filter is none", READ, "8.17@0", FILTER, FILTER, PATCH, 0, "54", NULL},
    {"filter is less than a head", READ, "8.17@31", FILTER, FILTER, CUT, 31, NULL, NULL},
    {"filter is empty", READ, "8.17@0", FILTER, FILTER, CUT, 0, NULL, NULL},
    {"filter is cut off", READ, "8.18@8", FILTER, FILTER, CUT, 32, NULL, NULL},
    {"filter goes on", READ, "8.18@8", FILTER, FILTER, ADD, 0, "00", NULL},
    {"filter claims 2^64 bytes", READ, "8.18@8", FILTER, FILTER, PATCH, 8, N16, NULL},
    {"filter is of one key", READ, "8.19@16", FILTER, FILTER, PATCH, 23, "01", NULL},
    {"filter has rate 0", READ, "8.19@24", FILTER, FILTER, PATCH, 24, "0000000000000000", NULL},
    {"filter has rate 1", READ, "8.19@24", FILTER, FILTER, PATCH, 24, "3ff0000000000000", NULL},
    {"filter has rate -1/3", READ, "8.19@24", FILTER, FILTER, PATCH, 24, "bf", NULL},
    {"filter has rate NaN", READ, "8.19@24", FILTER, FILTER, PATCH, 24, "7ff8", NULL},
    {"filter has rate infinity", READ, "8.19@24", FILTER, FILTER, PATCH, 24, "7ff0000000000000",
     NULL},
    {"filter has fewer bits than its rate", READ, "8.20@8", FILTER, FILTER, PATCH, 24,
     "3f847ae147ae147b", NULL},
    {"filter has more than 2^63 bits", READ, "8.20@16", FILTER, FILTER, PATCH, 16,
     N16 "0000000000000001", NULL},
    {"filter is of two keys", READ, "8.21@16", FILTER, FILTER, PATCH, 23, "023fe0000000000000",
     NULL},
    {"filter lacks a key", VERIFY, "8.22@-1", FILTER, FILTER, PATCH, 32, "c9", NULL},
    {"filter lacks all keys", VERIFY, "8.22@-1", FILTER, FILTER, PATCH, 32, "00",
     "8.22@-1 8.22@-1 8.22@-1"},
    {"message is cut off", VERIFY, "8.24@25", DATA, OFFSETS, PATCH, 15, "19", "8.24@25 8.25@26"},
    {"message has an own key that is another", VERIFY, "8.31@0", DATA, DATA, PATCH, 6, "62", NULL},
    {"message has a key that is no UTF-8", VERIFY, "8.29@5", DATA, DATA, PATCH, 6, "ff", NULL},
    {"message has an undefined type byte", VERIFY, "8.26@25", DATA, DATA, PATCH, 25, "c1", NULL},
    {"message claims too much", VERIFY, "8.27@13", DATA, DATA, PATCH, 13, "c40d", NULL},
};

/* Samples of RawWriter are ordinary without a key of their own: only `strict` wants one. */
static const damaged keyless[] = {
    {"message has no key", VERIFY, "8.31@0", DATA, DATA, PATCH, 2, "6c", NULL},
    {"message has a key that is no str", VERIFY, "8.31@0", DATA, DATA, PATCH, 5, "9161", NULL},
    {"message is no map", VERIFY, "8.30@0", DATA, DATA, PATCH, 0, "96", NULL},
};

/* The same with .index as the only side file. */
static const damaged legacy[] = {
    {"index is an array", OPEN, "8.42@0", LEGACY, LEGACY, PATCH, 0, "93", NULL},
    {"index is empty", OPEN, "8.42@0", LEGACY, LEGACY, CUT, 0, NULL, NULL},
    {"index ends in its head", OPEN, "8.42@0", LEGACY, LEGACY, SET, 0, "de00", NULL},
    {"index claims 15", OPEN, "8.42@0", LEGACY, LEGACY, PATCH, 0, "8f", NULL},
    {"index claims 4 billion", OPEN, "8.42@0", LEGACY, LEGACY, SET, 0, "dfffffffff0000", NULL},
    {"index is of no sample", OPEN, "8.5@0", DATA, LEGACY, SET, 0, "80", NULL},
    {"index of no sample goes on", OPEN, "8.42@1", LEGACY, LEGACY, SET, 0, "80c0", NULL},
    {"index has a key that is no str", READ, "8.42@1", LEGACY, LEGACY, PATCH, 1, "01", NULL},
    {"index has a start that is nil", READ, "8.42@3", LEGACY, LEGACY, PATCH, 3, "c0", NULL},
    {"index has a start that is negative", READ, "8.42@8", LEGACY, LEGACY, PATCH, 8, "ff", NULL},
    {"index does not start at 0", READ, "8.42@3", LEGACY, LEGACY, PATCH, 3, "01", NULL},
    {"index falls", READ, "8.42@12", LEGACY, LEGACY, PATCH, 12, "10", NULL},
    {"index stays", READ, "8.42@12", LEGACY, LEGACY, PATCH, 12, "1a", NULL},
    {"index is after the data", READ, "8.42@12", LEGACY, LEGACY, SET, 0,
     "83a16100a3622f311aa2c3bcccca", NULL},
    {"index is beyond 2^63", READ, "8.42@12", LEGACY, LEGACY, SET, 0,
     "83a16100a3622f311aa2c3bccf8000000000000000", NULL},
    {"index is cut off in a start", READ, "8.42@12", LEGACY, LEGACY, SET, 0,
     "83a16100a3622f311aa2c3bccd00", NULL},
    {"index is cut off after a key", READ, "8.42@12", LEGACY, LEGACY, CUT, 12, NULL, NULL},
    {"index goes on", READ, "8.42@13", LEGACY, LEGACY, ADD, 0, "c0", NULL},
    {"index has a key twice", READ, "8.15@-1", LEGACY, LEGACY, SET, 0, "83a16100a3622f311aa1616e",
     "8.15@-1 8.31@110"},
    {"index has a key that is no UTF-8", READ, "8.14@9", LEGACY, LEGACY, PATCH, 10, "c0", NULL},
};

/* --- Checks ----------------------------------------------------------------------------------- */

static size_t bytes_of(uint8_t *dst, const char *hex)
{
    const size_t n = hex ? strlen(hex) / 2 : 0;
    for (size_t i = 0; i < n; i++) {
        unsigned int byte;
        cr_assert_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        dst[i] = (uint8_t)byte;
    }
    return n;
}

static void damage(dvt_samples *set, const damaged *c)
{
    uint8_t bytes[64];
    const size_t n = bytes_of(bytes, c->hex);
    dvt_bytes *file = c->file == DATA ? &set->data : &set->side[c->file];
    switch (c->change) {
    case PATCH:
        dvt_bytes_patch(file, c->at, bytes, n);
        break;
    case CUT:
        dvt_bytes_cut(file, c->at);
        break;
    case ADD:
        dvt_bytes_append(file, bytes, n);
        break;
    case SET:
        dvt_bytes_set(file, bytes, n);
        break;
    case DROP:
        dvt_bytes_set(file, NULL, 0);
        break;
    }
}

/* Errors as text: "8.1@31 8.3@8". A key that differs is a warning without `strict`. */
typedef struct verdict {
    char text[400];
    bool is_strict;
} verdict;

static void add_verdict(verdict *v, const dv_error *err)
{
    const size_t n = strlen(v->text);
    const char *rule = strncmp(err->rule, "datadings:", 10) == 0 ? err->rule + 10 : err->rule;
    snprintf(v->text + n, sizeof v->text - n, "%s%s@%" PRId64, n ? " " : "", rule, err->offset);
}

static void expect_error(const damaged *c, const dv_error *err)
{
    verdict v = {.text = ""};
    char file[64];
    add_verdict(&v, err);
    snprintf(file, sizeof file, "tiny.msgpack%s",
             c->blamed == DATA ? "" : dvi_datadings_suffix((dvi_datadings_side)c->blamed));
    cr_expect_eq(err->status, DV_ERR_CORRUPT, "%s: %s", c->name, err->message);
    cr_expect_str_eq(v.text, c->rule, "%s: %s", c->name, err->message);
    cr_expect(*err->expected && *err->found, "%s: %s", c->name, err->message);
    if (*err->file) /* else dv_open adds the name of D */
        cr_expect_str_eq(err->file, file, "%s: %s", c->name, err->message);
    else
        cr_expect_eq(c->blamed, DATA, "%s: %s", c->name, err->message);
}

static bool collect(void *ctx, const dv_error *what)
{
    verdict *v = ctx;
    const bool is_warning = strcmp(what->rule, "datadings:8.31") == 0 && !v->is_strict;
    cr_expect_eq(what->status, is_warning ? DV_OK : DV_ERR_CORRUPT, "%s", what->message);
    cr_expect(*what->expected && *what->found && *what->file, "%s", what->message);
    add_verdict(v, what);
    return true;
}

static bool is_keyless(const damaged *c)
{
    return c >= keyless && c < keyless + sizeof keyless / sizeof *keyless;
}

static void expect_verdict(const damaged *c, dvi_datadings_set *set, bool strict)
{
    const char *want = c->verdict ? c->verdict : is_keyless(c) && !strict ? "" : c->rule;
    verdict v = {.text = ""};
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    options.defect = collect;
    options.ctx = &v;
    v.is_strict = strict;
    cr_expect_eq(dvi_datadings_verify_files(set, strict, &options, &err), DV_OK, "%s: %s", c->name,
                 err.message);
    cr_expect_str_eq(v.text, want, "%s: %s", c->name, v.text);
}

static void check_case(const damaged *c, bool is_legacy, dv_io io)
{
    dvt_samples made = dvt_samples_tiny();
    dvi_datadings_set *set;
    dv_open_options options = defaults;
    dv_error err = DV_ERROR_INIT;
    options.io = io;
    dvt_bytes_set(&made.side[MD5], NULL, 0); /* its digests would find every change */
    for (int file = 0; file < DVI_DATADINGS_MD5; file++)
        if (is_legacy)
            dvt_bytes_set(&made.side[file], NULL, 0);
    if (!is_legacy)
        dvt_bytes_set(&made.side[LEGACY], NULL, 0);
    damage(&made, c);
    dv_status status = dvt_samples_open_memory(&set, &made, &options, false, &err);
    cr_expect_eq(status < 0, c->when == OPEN, "%s: %s", c->name, err.message);
    if (status == DV_OK) {
        status = dvt_samples_read(set, &err);
        cr_expect_eq(status < 0, c->when == READ, "%s: %s", c->name, err.message);
        expect_verdict(c, set, false);
        if (is_keyless(c))
            expect_verdict(c, set, true);
    }
    if (status < 0)
        expect_error(c, &err);
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

Test(datadings_malformed, side_files)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(&cases[i], false, DV_IO_MMAP);
        check_case(&cases[i], false, DV_IO_PREAD);
    }
}

/* After the first hashes, which are compared with their keys. */
Test(datadings_malformed, hash_given_twice)
{
    dvt_samples made = dvt_samples_numbered(100);
    dvi_datadings_set *set;
    verdict v = {.text = ""};
    dv_error err = DV_ERROR_INIT;
    dvt_bytes *hashes = &made.side[HASHES];
    dvt_bytes_patch(hashes, 8 * 81, hashes->data + (size_t)8 * 6, 8);
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, &err), DV_OK);
    cr_expect_eq(dvt_samples_read(set, &err), DV_ERR_CORRUPT);
    add_verdict(&v, &err);
    cr_expect_str_eq(v.text, "8.9@648");
    cr_expect_str_eq(err.file, "k1000.msgpack.key_hashes");
    cr_expect_str_eq(err.found, "that of row 5");
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

Test(datadings_malformed, samples_without_keys)
{
    for (size_t i = 0; i < sizeof keyless / sizeof *keyless; i++) {
        check_case(&keyless[i], false, DV_IO_MMAP);
        check_case(&keyless[i], false, DV_IO_PREAD);
    }
}

Test(datadings_malformed, legacy_index)
{
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++) {
        check_case(&legacy[i], true, DV_IO_MMAP);
        check_case(&legacy[i], true, DV_IO_PREAD);
    }
}

/* --- .md5 ------------------------------------------------------------------------------------- */

#define GOOD_DATA "18e40a37666336555c24832ebfb45b13  tiny.msgpack\n"
#define GOOD_OFFSETS "da002f25a471125c45aa2318f9223b77  tiny.msgpack.offsets\n"
#define GOOD_KEYS "51d10fe55657c83af780683279b03f83  tiny.msgpack.keys\n"
#define GOOD_HASHES "9186f1d6c566a9f886be753ae93b78f0  tiny.msgpack.key_hashes\n"
#define GOOD_FILTER "90a980986cd3248a4edd5335c2a124ee  tiny.msgpack.filter\n"
#define GOOD_SIDES GOOD_OFFSETS GOOD_KEYS GOOD_HASHES GOOD_FILTER

static const struct {
    const char *name, *text, *verdict;
} lists[] = {
    {"as it is written", GOOD_DATA GOOD_SIDES, ""},
    {"in another order, with another mark, in capitals",
     GOOD_SIDES "18E40A37666336555C24832EBFB45B13 *tiny.msgpack\n", ""},
    {"with lines of another system",
     "18e40a37666336555c24832ebfb45b13  tiny.msgpack\r\n" GOOD_SIDES, ""},
    {"without an end of its last line", GOOD_SIDES "18e40a37666336555c24832ebfb45b13  tiny.msgpack",
     ""},
    {"with another digest", "18e40a37666336555c24832ebfb45b14  tiny.msgpack\n" GOOD_SIDES, "1.2@0"},
    {"with two of them",
     "da002f25a471125c45aa2318f9223b78  tiny.msgpack.offsets\n"
     "51d10fe55657c83af780683279b03f84  tiny.msgpack.keys\n" GOOD_DATA GOOD_HASHES GOOD_FILTER,
     "1.2@0 1.2@55"},
    {"empty", "", "8.23@-1 8.23@-1 8.23@-1 8.23@-1 8.23@-1"},
    {"without a line of the data", GOOD_SIDES, "8.23@-1"},
    {"with 31 digits", "8e40a37666336555c24832ebfb45b13  tiny.msgpack\n" GOOD_DATA GOOD_SIDES,
     "8.23@0"},
    {"with a digit that is none",
     "g8e40a37666336555c24832ebfb45b13  tiny.msgpack\n" GOOD_DATA GOOD_SIDES, "8.23@0"},
    {"with one blank", GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13 tiny.msgpack\n",
     "8.23@266"},
    {"without a name", GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13  \n", "8.23@266"},
    {"with an empty line", GOOD_DATA "\n" GOOD_SIDES, "8.23@47"},
    {"with a folder", GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13  a/tiny.msgpack\n",
     "8.23@266"},
    {"with the folder above", GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13  ..\n",
     "8.23@266"},
    {"with another name", GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13  tiny.msgpac\n",
     "8.23@266"},
    {"with a name that goes on",
     GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13  tiny.msgpack.tar\n", "8.23@266"},
    {"with itself", GOOD_DATA GOOD_SIDES "18e40a37666336555c24832ebfb45b13  tiny.msgpack.md5\n",
     "8.23@266"},
    {"with a file that is not there",
     GOOD_DATA GOOD_SIDES "27a555f4971a90b2a98e26056cecc9a9  tiny.msgpack.index\n", "8.23@266"},
};

Test(datadings_malformed, md5)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        dvt_samples made = dvt_samples_tiny();
        const damaged c = {.name = lists[i].name, .verdict = lists[i].verdict};
        dvi_datadings_set *set;
        dvt_bytes_set(&made.side[LEGACY], NULL, 0);
        dvt_bytes_set(&made.side[MD5], lists[i].text, strlen(lists[i].text));
        cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
        expect_verdict(&c, set, false);
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
    }
}

Test(datadings_malformed, md5_that_is_too_large)
{
    static const damaged c = {.name = "64 KiB and a byte", .verdict = "8.23@65536"};
    dvt_samples made = dvt_samples_tiny();
    dvi_datadings_set *set;
    uint8_t *zeros = calloc(1, 65537);
    dvt_bytes_set(&made.side[LEGACY], NULL, 0);
    dvt_bytes_set(&made.side[MD5], zeros, 65537);
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
    expect_verdict(&c, set, false);
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
    free(zeros);
}

/* A legacy index beside newer files is verified, too. */
Test(datadings_malformed, index_beside_its_successors)
{
    static const damaged sound = {.name = "sound", .verdict = ""},
                         broken = {.name = "broken", .verdict = "8.42@8"},
                         shorter = {.name = "shorter", .verdict = "8.7@0"};
    for (int i = 0; i < 3; i++) {
        dvt_samples made = dvt_samples_tiny();
        dvi_datadings_set *set;
        dvt_bytes_set(&made.side[MD5], NULL, 0);
        if (i == 1)
            dvt_bytes_patch(&made.side[LEGACY], 8, "\0", 1);
        if (i == 2)
            dvt_bytes_set(&made.side[LEGACY], "\x82\xa1\x61\x00\xa3\x62\x2f\x31\x1a", 9);
        cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
        expect_verdict(i == 0 ? &sound : i == 1 ? &broken : &shorter, set, false);
        dvi_datadings_set_close(&set);
        dvt_samples_free(&made);
    }
}

/* --- Verification ----------------------------------------------------------------------------- */

static bool refuse(void *ctx, const dv_error *what)
{
    (void)what;
    ++*(int *)ctx;
    return false;
}

static bool count_progress(void *ctx, int64_t done, int64_t all)
{
    int64_t *seen = ctx;
    cr_expect_leq(done, all);
    cr_expect_gt(done, seen[0]);
    seen[0] = done;
    return ++seen[1] != seen[2];
}

Test(datadings_malformed, verification_stops_when_asked)
{
    dvt_samples made = dvt_samples_tiny();
    dvi_datadings_set *set;
    int calls = 0;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = refuse;
    options.ctx = &calls;
    dvt_bytes_patch(&made.side[HASHES], 0, "\0", 1);
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
    cr_expect_eq(dvi_datadings_verify_files(set, false, &options, NULL), DV_END);
    cr_expect_eq(calls, 1);
    dvi_datadings_set_close(&set);
    dvt_samples_free(&made);
}

Test(datadings_malformed, verification_reports_progress)
{
    dvt_samples made = dvt_samples_numbered(200000); /* of 3.5 MB */
    dvi_datadings_set *set;
    int64_t seen[3] = {-1, 0, -1};
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = refuse;
    options.ctx = seen;
    options.ctx = seen;
    options.progress = (dv_progress){count_progress, seen};
    dvt_bytes_set(&made.side[LEGACY], NULL, 0);
    cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
    for (int list = 1; list >= 0; list--) { /* with .md5 and without */
        const int64_t least = list ? 10 : 3;
        memcpy(seen, (int64_t[]){-1, 0, -1}, sizeof seen);
        cr_expect_eq(dvi_datadings_verify_files(set, false, &options, NULL), DV_OK);
        cr_expect_geq(seen[1], least);
        memcpy(seen, (int64_t[]){-1, 0, 2}, sizeof seen);
        cr_expect_eq(dvi_datadings_verify_files(set, false, &options, NULL), DV_END);
        dvi_datadings_set_close(&set);
        dvt_bytes_set(&made.side[MD5], NULL, 0);
        if (list)
            cr_assert_eq(dvt_samples_open_memory(&set, &made, &defaults, false, NULL), DV_OK);
    }
    dvt_samples_free(&made);
}
