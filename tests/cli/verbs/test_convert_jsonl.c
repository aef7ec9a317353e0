/* SPDX-License-Identifier: MIT */
/* test_convert_jsonl.c: a name in .jsonl or .ndjson writes the lines of `cat --format jsonl`. */
#include "io/pack_priv.h"
#include "cli/run.h"
#include "support/file.h"
#include <glob.h>

#define PEOPLE DVT_GOLDEN("people")
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define IMPLIED                                                                                    \
    "dataview: JSON lines keep names and values as cat --format jsonl shows them, but not types, " \
    "metadata and row ids; .idv keeps everything\n"

/* Is the file what cat prints? */
static void expect_lines(const char *in, const char *out)
{
    size_t n;
    dvt_run shown = DVT_RUN("cat", "--hidden", "--format=jsonl", in);
    char *bytes = (char *)dvt_file_read(out, &n);
    cr_expect_eq(shown.status, 0);
    cr_expect(n == shown.out.nbytes && memcmp(bytes, dvt_text_of(&shown.out), n) == 0, "%s", in);
    free(bytes);
    dvt_run_free(&shown);
}

/* Every golden file: all scalars, vectors, keys, hidden columns. */
Test(convert_jsonl, is_what_cat_prints)
{
    glob_t found;
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.jsonl");
    cr_assert_eq(glob(dvt_file("golden/idv/*.idv"), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        dvt_expect(DVT_RUN("convert", "--hidden", found.gl_pathv[i], out.text), 0, NULL, IMPLIED);
        expect_lines(found.gl_pathv[i], out.text);
    }
    cr_expect_gt(found.gl_pathc, 20);
    globfree(&found);
    dvt_expect(DVT_RUN("convert", PEOPLE, out.text), 0, "*out.jsonl: 600 rows, 5 columns, ",
               IMPLIED);
    dvt_expect(DVT_RUN("convert", "--quiet", "--take=0", PEOPLE, out.text), 0, "", "");
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}

Test(convert_jsonl, may_be_compressed)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "OUT.NDJSON.GZ");
    if (dvi_pack_gzip) {
        size_t n;
        dvt_expect(DVT_RUN("convert", "--json", PEOPLE, out.text), 0, "*\"format\":\"jsonl\"", "");
        uint8_t *bytes = dvt_file_read(out.text, &n);
        cr_expect(n > 2 && n < 20000 && bytes[0] == 0x1F && bytes[1] == 0x8B);
        free(bytes);
    }
    dvt_folder_remove(&folder);
}

/* A damaged input leaves the old file. */
Test(convert_jsonl, whole_or_not_at_all)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in.csv"), out = dvt_path_in(&folder, "out.jsonl");
    static const char lines[] = "a\n1\n2\nx\n", old[] = "old";
    dvt_file_write(&in, lines, sizeof lines - 1);
    dvt_file_write(&out, old, sizeof old - 1);
    dvt_expect(DVT_RUN("convert", "--quiet", "--type=a:I4", in.text, out.text), 1, "", NULL);
    size_t n;
    char *bytes = (char *)dvt_file_read(out.text, &n);
    cr_expect(n == sizeof old - 1 && memcmp(bytes, old, n) == 0);
    free(bytes);
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    dvt_expect(
        DVT_RUN("convert", "--quiet", "--type=a:I4", "--allow-loss=fields", in.text, out.text), 0,
        "", NULL);
    bytes = (char *)dvt_file_read(out.text, &n);
    cr_expect(n == 27 && memcmp(bytes, "{\"a\":1}\n{\"a\":2}\n{\"a\":null}\n", n) == 0, "%zu", n);
    free(bytes);
    const dvt_path nowhere = dvt_path_in(&folder, "none/x.jsonl");
    dvt_expect(DVT_RUN("convert", "--quiet", PEOPLE, nowhere.text), 3, "", "*none/x.jsonl: ");
    dvt_folder_remove(&folder);
}

/* Options of other formats are refused; --to takes precedence over the extension. */
Test(convert_jsonl, options)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.jsonl");
    dvt_expect(DVT_RUN("convert", "--compression=zlib", PEOPLE, out.text), 2, "",
               "dataview: --compression is an option for idv, but the output is JSON lines\n");
    dvt_expect(DVT_RUN("convert", "--to-text=schema+", PEOPLE, out.text), 2, "",
               "dataview: --to-text is an option for text, but the output is JSON lines\n");
    dvt_expect(DVT_RUN("convert", "--quiet", "--to=idv", PEOPLE, out.text), 0, "", "");
    dvt_expect(DVT_RUN("diff", PEOPLE, out.text), 0, "same: 600 rows, 5 columns\n", "");
    dvt_folder_remove(&folder);
}

/* The files of `split` are the lines of the whole, one after the other. */
Test(convert_jsonl, other_verbs)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.jsonl"), b = dvt_path_in(&folder, "b.jsonl");
    const dvt_path whole = dvt_path_in(&folder, "whole.jsonl");
    dvt_expect(
        DVT_RUN("split", "--quiet", "--fraction=0.8,0.2", "--out", a.text, "--out", b.text, PEOPLE),
        0, "", "");
    dvt_expect(DVT_RUN("convert", "--quiet", PEOPLE, whole.text), 0, "", "");
    size_t na, nb, n;
    char *first = (char *)dvt_file_read(a.text, &na), *second = (char *)dvt_file_read(b.text, &nb);
    char *all = (char *)dvt_file_read(whole.text, &n);
    cr_assert_eq(n, na + nb);
    cr_expect(na > nb && memcmp(all, first, na) == 0 && memcmp(all + na, second, nb) == 0);
    free(first);
    free(second);
    free(all);
    dvt_expect(DVT_RUN("sample", PEOPLE, a.text, "7"), 0, "*a.jsonl: 7 rows, 5 columns, ", IMPLIED);
    dvt_expect(DVT_RUN("merge", "--quiet", PEOPLE, PEOPLE, a.text), 0, "", "");
    dvt_folder_remove(&folder);
}
