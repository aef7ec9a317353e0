/* SPDX-License-Identifier: MIT */
/* test_convert_packed.c: verbs that write text compress it if the name ends in .gz or .zst. */
#include "io/pack_priv.h"
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const endings[] = {".gz", ".zst"};

static bool can_pack(size_t k)
{
    return k == 0 ? dvi_pack_gzip != NULL : dvi_pack_zstd != NULL;
}

static dvt_path named(const dvt_path *folder, const char *stem, const char *ending)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", stem, ending);
    return dvt_path_in(folder, name);
}

/* A compressed file is the form that its name without the ending has. */
Test(convert_packed, has_the_rows_of_plain_text)
{
    static const char *const names[] = {"x.csv", "x.tsv", "x.txt", "X.CSV"};
    dvt_path folder = dvt_folder_create();
    for (size_t k = 0; k < COUNT(endings); k++) {
        for (size_t i = 0; i < COUNT(names) && can_pack(k); i++) {
            const dvt_path plain = dvt_path_in(&folder, names[i]);
            const dvt_path packed = named(&folder, names[i], endings[k]);
            const char *drop = strcmp(names[i], "x.txt") == 0 ? "--quiet" : "--drop=Tags";
            dvt_expect(DVT_RUN("convert", "--quiet", drop, PEOPLE, plain.text), 0, "", "");
            dvt_expect(DVT_RUN("convert", "--quiet", drop, PEOPLE, packed.text), 0, "", "");
            dvt_run shown = DVT_RUN("cat", plain.text);
            dvt_expect(DVT_RUN("cat", packed.text), 0, dvt_text_of(&shown.out), "");
            dvt_expect(shown, 0, NULL, "");
            size_t plain_nbytes, packed_nbytes;
            free(dvt_file_read(plain.text, &plain_nbytes));
            free(dvt_file_read(packed.text, &packed_nbytes));
            cr_expect_lt(packed_nbytes, plain_nbytes / 2);
        }
    }
    dvt_folder_remove(&folder);
}

/* Typed text has its types and line breaks again, and replaces itself. */
Test(convert_packed, typed_text_is_the_same_table)
{
    static const char lines[] = "a,b\n1,\"x\ny\"\n2,z\n";
    dvt_path folder = dvt_folder_create();
    const dvt_path csv = dvt_path_in(&folder, "x.csv"), idv = dvt_path_in(&folder, "x.idv");
    dvt_file_write(&csv, lines, sizeof lines - 1);
    dvt_expect(DVT_RUN("convert", "--quiet", csv.text, idv.text), 0, "", "");
    for (size_t k = 0; k < COUNT(endings) && can_pack(k); k++) {
        const dvt_path out = named(&folder, "y.txt", endings[k]);
        dvt_expect(DVT_RUN("convert", "--quiet", idv.text, out.text), 0, "", "");
        dvt_expect(DVT_RUN("convert", "--quiet", out.text, out.text), 0, "", "");
        dvt_expect(DVT_RUN("diff", out.text, idv.text), 0, "same: 2 rows, 2 columns\n", "");
        dvt_expect(DVT_RUN("convert", "--quiet", PEOPLE, out.text), 0, "", "");
        dvt_expect(DVT_RUN("diff", out.text, PEOPLE), 0, "same: 600 rows, 5 columns\n", "");
    }
    dvt_folder_remove(&folder);
}

/* A CSV is read again before it replaces a file, compressed or not. */
Test(convert_packed, is_read_again)
{
    static const char lines[] = "a,b\n1,x\n2,y\n", old[] = "old";
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in.csv");
    dvt_file_write(&in, lines, sizeof lines - 1);
    for (size_t k = 0; k < COUNT(endings) && can_pack(k); k++) {
        const dvt_path out = named(&folder, "out.csv", endings[k]);
        dvt_file_write(&out, old, sizeof old - 1);
        dvt_expect(DVT_RUN("convert", "--quiet", "--type=a:TX", in.text, out.text), 1, "",
                   "*: column \"a\": expected texts when it is read again, or --allow-loss types, "
                   "found numbers\n");
        size_t n;
        char *bytes = (char *)dvt_file_read(out.text, &n);
        cr_expect(n == sizeof old - 1 && memcmp(bytes, old, n) == 0);
        free(bytes);
        dvt_expect(
            DVT_RUN("convert", "--quiet", "--type=a:TX", "--allow-loss=types", in.text, out.text),
            0, "", "");
        dvt_expect(DVT_RUN("diff", in.text, out.text), 0, "same: 2 rows, 2 columns\n", "");
    }
    cr_expect_eq(dvt_folder_entries(&folder), 1 + can_pack(0) + can_pack(1));
    dvt_folder_remove(&folder);
}

Test(convert_packed, other_formats_are_refused)
{
    static const char *const cases[][2] = {{"", "x.idv.gz"},        {"", "x.btable.zst"},
                                           {"", "x.msgpack.gz"},    {"--to=idv", "x.csv.gz"},
                                           {"--to=btable", "x.gz"}, {"", "x.IDV.GZ"}};
    dvt_path folder = dvt_folder_create();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const dvt_path out = dvt_path_in(&folder, cases[i][1]);
        const char *option = *cases[i][0] ? cases[i][0] : "--quiet";
        dvt_expect(DVT_RUN("convert", option, PEOPLE, out.text), 2, "",
                   "*: only text is written compressed, as x.csv.gz or x.tsv.zst; ");
    }
    const dvt_path out = dvt_path_in(&folder, "x.csv.gz");
    dvt_expect(DVT_RUN("convert", "--compression=zlib", PEOPLE, out.text), 2, "",
               "dataview: --compression is an option for idv, but the output is text\n");
    const dvt_path nameless = dvt_path_in(&folder, "x.gz");
    dvt_expect(DVT_RUN("convert", PEOPLE, nameless.text), 2, "", "*: which format? ");
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dvt_folder_remove(&folder);
}

/* Each output of a verb has its own form: .csv.gz differs from .txt.gz. */
Test(convert_packed, other_verbs)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path txt = dvt_path_in(&folder, "a.txt.gz"), csv = dvt_path_in(&folder, "b.csv.gz");
    const dvt_path out = dvt_path_in(&folder, "c.tsv.gz");
    if (can_pack(0)) {
        dvt_expect(DVT_RUN("split", "--quiet", "--fraction=0.5,0.5", "--out", txt.text, "--out",
                           csv.text, PEOPLE),
                   1, "", "*b.csv.gz: not written, because its format cannot hold:");
        dvt_expect(DVT_RUN("split", "--quiet", "--drop=Tags", "--fraction=0.5,0.5", "--out",
                           txt.text, "--out", csv.text, PEOPLE),
                   0, "", "");
        dvt_expect(DVT_RUN("diff", "--drop=Tags", "--rows=:300", PEOPLE, txt.text), 0,
                   "same: 300 rows, 4 columns\n", "");
        dvt_expect(DVT_RUN("sample", "--quiet", "--seed=1", txt.text, out.text, "5"), 0, "", "");
        dvt_expect(DVT_RUN("info", out.text), 0, "*  format   text", "");
    }
    dvt_folder_remove(&folder);
}
