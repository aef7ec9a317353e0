/* SPDX-License-Identifier: MIT */
/* test_cmd_index.c: `dataview index` rebuilds the files beside a datadings file. */
#include "cli/run.h"
#include "support/file.h"

#define TINY "golden/datadings/tiny.msgpack"
#define PEOPLE DVT_GOLDEN("people")

static const char *const sides[] = {".offsets", ".keys", ".key_hashes", ".filter", ".md5"};
#define SIDES (sizeof sides / sizeof *sides)

/* datadings:7 */
static const char legacy[] = "\x83\xa1\x61\x00\xa3\x62\x2f\x31\x1a\xa2\xc3\xbc\x6e";

static dvt_path side_of(const dvt_path *file, const char *suffix)
{
    dvt_path path = *file;
    cr_assert_lt(strlen(path.text) + strlen(suffix), sizeof path.text);
    strcat(path.text, suffix);
    return path;
}

/* The samples alone, with the right name. */
static dvt_path write_bare(const dvt_path *folder)
{
    size_t n;
    uint8_t *data = dvt_file_read(dvt_file(TINY), &n);
    const dvt_path path = dvt_path_in(folder, "tiny.msgpack");
    dvt_file_write(&path, data, n);
    free(data);
    return path;
}

/* The first `count` files beside it are identical to those of the reference implementation. */
static void expect_sides(const dvt_path *file, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        size_t n, wanted_n;
        snprintf(name, sizeof name, "%s%s", TINY, sides[i]);
        uint8_t *wanted = dvt_file_read(dvt_file(name), &wanted_n);
        uint8_t *got = dvt_file_read(side_of(file, sides[i]).text, &n);
        cr_expect(n == wanted_n && memcmp(got, wanted, n) == 0, "%s", sides[i]);
        free(wanted);
        free(got);
    }
}

Test(cmd_index, by_a_scan)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path file = write_bare(&folder);
    dvt_expect(DVT_RUN("index", file.text), 1, "", "*tiny.msgpack: ");
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_expect(DVT_RUN("index", "--datadings", "raw scan", file.text), 0,
               "*tiny.msgpack: 3 samples, files beside it rebuilt\n", "");
    expect_sides(&file, SIDES);
    cr_expect_eq(dvt_folder_entries(&folder), 1 + (int)SIDES);

    /* Damaged files are rebuilt too, and the set is then sound. */
    const dvt_path keys = side_of(&file, ".keys");
    dvt_file_write(&keys, "\x90", 1);
    dvt_expect(DVT_RUN("verify", file.text), 1, NULL, NULL);
    dvt_expect(DVT_RUN("index", "--quiet", "--datadings", "raw scan", file.text), 0, "", "");
    dvt_expect(DVT_RUN("verify", file.text), 0, NULL, "");
    dvt_folder_remove(&folder);
}

/* As convert-index: the old index stays, and has a line in .md5. */
Test(cmd_index, from_a_legacy_index)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path file = write_bare(&folder), index = side_of(&file, ".index");
    dvt_file_write(&index, legacy, sizeof legacy - 1);
    dvt_expect(DVT_RUN("index", "--json", file.text), 0, "*\"rows\":3}]}\n", "");
    expect_sides(&file, SIDES - 1);
    size_t n;
    uint8_t *md5 = dvt_file_read(side_of(&file, ".md5").text, &n);
    cr_expect(strstr((const char *)md5, "27a555f4971a90b2a98e26056cecc9a9  tiny.msgpack.index\n"));
    free(md5);
    dvt_expect(DVT_RUN("verify", file.text), 0, NULL, "");
    dvt_folder_remove(&folder);
}

Test(cmd_index, progress_usage_and_failures)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path file = write_bare(&folder), twice = dvt_path_in(&folder, "twice.msgpack");
    dvt_expect(DVT_RUN("index", "--progress", "--datadings=scan", file.text), 0, NULL, "*100 %");
    dvt_expect(DVT_RUN("index", PEOPLE), 2, "",
               "*people.idv: index needs a datadings file, but this is idv");
    dvt_expect(DVT_RUN("index", "no-such.msgpack"), 3, "", "*No such file");
    dvt_file_write(&twice, "\x81\xa3key\xa1z\x81\xa3key\xa1z", 14);
    dvt_expect(DVT_RUN("index", "--datadings=scan", twice.text), 1, "", "*twice.msgpack: ");
    cr_expect_eq(dvt_folder_entries(&folder), 2 + (int)SIDES);
    dvt_folder_remove(&folder);
}
