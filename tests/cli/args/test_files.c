/* SPDX-License-Identifier: MIT */
/* test_files.c: several files, a directory and a pattern give one view, in the right order. */
#include "cli/run.h"
#include "support/file.h"
#include <sys/stat.h>

#define SCALARS DVT_GOLDEN("scalar-all-raw-rpb7"), DVT_GOLDEN("scalar-all-deflate-rpb7")

/* A folder with files of one and two rows: x is 0, and 0, 0.125. */
static dvt_path folder;

static void put(const char *name, const char *golden)
{
    size_t nbytes;
    char file[64];
    snprintf(file, sizeof file, "golden/idv/%s.idv", golden);
    uint8_t *data = dvt_file_read(dvt_file(file), &nbytes);
    const dvt_path path = dvt_path_in(&folder, name);
    dvt_file_write(&path, data, nbytes);
    free(data);
}

static void start(void)
{
    folder = dvt_folder_create();
    put("part-2.idv", "rows-1");
    put("part-10.idv", "rows-2-raw");
    put("part-B.idv", "rows-2-raw");
    put("part-a.data", "rows-1"); /* known by its content */
    const dvt_path notes = dvt_path_in(&folder, "README.md");
    dvt_file_write(&notes, "\1ello", 5);
    const dvt_path hidden = dvt_path_in(&folder, ".part-0.idv");
    dvt_file_write(&hidden, "hello", 5);
    const dvt_path below = dvt_path_in(&folder, "part-below");
    cr_assert(mkdir(below.text, 0700) == 0);
}

static void stop(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(files, .init = start, .fini = stop);

static const char *in(const char *name)
{
    static dvt_path paths[8];
    static int next;
    dvt_path *path = &paths[next++ % 8];
    *path = dvt_path_in(&folder, name);
    return path->text;
}

/* The output of cat for each file, one after the other, with the first header only. */
static void put_truth(dvt_lines *lines, const char *const *files)
{
    for (int i = 0; files[i]; i++) {
        dvt_run run = DVT_RUN("cat", files[i]);
        const char *text = dvt_text_of(&run.out);
        const size_t header = i ? strcspn(text, "\n") + 1 : 0;
        dvt_lines_add(lines, text + header, run.out.nbytes - header);
        dvt_expect(run, 0, NULL, "");
    }
}

#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_files(dvt_run run, const char *const *files)
{
    dvt_lines truth = {0};
    put_truth(&truth, files);
    dvt_expect(run, 0, truth.data, "");
    dvt_lines_free(&truth);
}

Test(files, arguments_in_the_order_given)
{
    expect_files(DVT_RUN("cat", SCALARS), FILES(SCALARS));
    expect_files(DVT_RUN("cat", in("part-B.idv"), in("part-2.idv"), in("part-10.idv")),
                 FILES(in("part-B.idv"), in("part-2.idv"), in("part-10.idv")));
    expect_files(DVT_RUN("cat", in("part-2.idv"), in("part-2.idv")),
                 FILES(in("part-2.idv"), in("part-2.idv")));
    expect_files(DVT_RUN("cat", "--", in("part-2.idv"), in("part-B.idv")),
                 FILES(in("part-2.idv"), in("part-B.idv")));
}

Test(files, a_directory_in_the_order_of_bytes)
{
    const char *const all[] = {in("part-10.idv"), in("part-2.idv"), in("part-B.idv"),
                               in("part-a.data"), NULL};
    expect_files(DVT_RUN("cat", folder.text), all);
    expect_files(DVT_RUN("cat", in("")), all); /* with a trailing slash */
    expect_files(DVT_RUN("cat", folder.text, in("part-2.idv")),
                 FILES(all[0], all[1], all[2], all[3], in("part-2.idv")));
}

Test(files, a_pattern_in_the_order_of_bytes)
{
    expect_files(DVT_RUN("cat", in("part-*.idv")),
                 FILES(in("part-10.idv"), in("part-2.idv"), in("part-B.idv")));
    expect_files(DVT_RUN("cat", in("*.idv")),
                 FILES(in("part-10.idv"), in("part-2.idv"), in("part-B.idv")));
    expect_files(DVT_RUN("cat", in("part-?.idv")), FILES(in("part-2.idv"), in("part-B.idv")));
    expect_files(DVT_RUN("cat", in("part-[!0-9]*.[id]*")),
                 FILES(in("part-B.idv"), in("part-a.data")));
    expect_files(DVT_RUN("cat", in("part-[0-9]*"), in("*B*")),
                 FILES(in("part-10.idv"), in("part-2.idv"), in("part-B.idv")));
    dvt_expect(DVT_RUN("cat", in("*.md")), 1, "", "*README.md: ");
    dvt_expect(DVT_RUN("cat", in(".part*")), 1, "", "*.part-0.idv: ");
    dvt_expect(DVT_RUN("cat", in("zz*")), 3, "", "*zz*: no file matches this pattern\n");
    dvt_expect(DVT_RUN("cat", in("part-*/x.idv")), 3, "", "*no file matches this pattern\n");
    dvt_expect(DVT_RUN("cat", "no-such-folder/*/x"), 3, "", "*no file matches");
}

/* Folders in the path can be patterns too; matches are read as if they were given. */
Test(files, patterns_over_folders)
{
    put("part-below/one.idv", "rows-1");
    put("part-below/two.idv", "rows-2-raw");
    expect_files(DVT_RUN("cat", in("*/t*.idv")), FILES(in("part-below/two.idv")));
    expect_files(DVT_RUN("cat", in("p*w//*")),
                 FILES(in("part-below/one.idv"), in("part-below/two.idv")));
    expect_files(DVT_RUN("cat", in("*below")),
                 FILES(in("part-below/one.idv"), in("part-below/two.idv")));
    expect_files(DVT_RUN("cat", in("*below/")),
                 FILES(in("part-below/one.idv"), in("part-below/two.idv")));
}

/* A file whose name looks like a pattern is that file. */
Test(files, names_win_over_patterns)
{
    put("part-[2].idv", "rows-2-raw");
    put("a*b.idv", "rows-1");
    expect_files(DVT_RUN("cat", in("part-[2].idv")), FILES(in("part-[2].idv")));
    expect_files(DVT_RUN("cat", in("a\\*b.id?")), FILES(in("a*b.idv")));
}

Test(files, ids_and_ranges_over_the_seam)
{
    dvt_expect(DVT_RUN("cat", "--ids", "-ct", "--rows=0:3", in("part-2.idv"), in("part-10.idv")), 0,
               "#id\tt\n0x0caaf0300e06760fd1c998c375881dc3\tr0\n"
               "0x9e0a1d2e49d5142304cd65793f9e9e51\tr0\n"
               "0x9e0a1d2d81d5142304cd6579179e9e51\tr1\n",
               "");
    dvt_run whole = DVT_RUN("cat", SCALARS), part = DVT_RUN("cat", "--rows=95:105", SCALARS);
    const size_t header = strcspn(dvt_text_of(&part.out), "\n");
    cr_expect(
        memmem(whole.out.data, whole.out.nbytes, part.out.data + header, part.out.nbytes - header));
    dvt_expect(part, 0, NULL, "");
    dvt_expect(whole, 0, NULL, "");
    dvt_run four = DVT_RUN("cat", "--threads=4", "--io=pread", "--format=exact", SCALARS);
    dvt_run one = DVT_RUN("cat", "--threads=1", "--format=exact", SCALARS);
    cr_expect_str_eq(dvt_text_of(&one.out), dvt_text_of(&four.out));
    dvt_expect(one, 0, "*{\"rows\":200,", "");
    dvt_expect(four, 0, NULL, "");
}

Test(files, every_verb)
{
    const char *people = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN("head", "-n1", "-cAge", people, people), 0,
               "Age\n R4\n NA\n1 of 1200 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("tail", "-n1", "-cAge", people, people), 0,
               "Age\n R4\n 59\n1 of 1200 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("schema", people, people), 0, "*1  Age     R4\n", "");
    dvt_expect(DVT_RUN("verify", people, people), 0,
               "2 files: sound: 1200 rows, 5 columns, 22.6 KiB\n", "");
    dvt_expect(DVT_RUN("bench", "-cAge", people, people), 0,
               "*2 files: 1200 rows, 1 column, 22.6 KiB\n", "");
    dvt_expect(DVT_RUN("info", people, people), 0,
               "*2 files\n  format   idv 1.1.1.6\n  size     22.6 KiB (23140 bytes)\n"
               "  rows     1200\n  columns  5\n  blocks   10 per column, 128 rows each\n",
               "");
    char want[640];
    snprintf(want, sizeof want, "*%s\n  files    4\n  format   idv ", folder.text);
    dvt_expect(DVT_RUN("info", folder.text), 0, want, "");
    dvt_expect(DVT_RUN("info", folder.text), 0, "*  rows     6\n  columns  2\n", "");
    dvt_expect(DVT_RUN("verify", in("part-1*")), 0, NULL, "");
    snprintf(want, sizeof want, "%s: sound: 2 rows, ", in("part-10.idv"));
    dvt_run run = DVT_RUN("verify", in("part-1*"));
    cr_expect_eq(strncmp(dvt_text_of(&run.out), want, strlen(want)), 0);
    dvt_expect(run, 0, NULL, "");
}

Test(files, that_do_not_fit)
{
    dvt_expect(DVT_RUN("head", in("part-2.idv"), DVT_GOLDEN("people")), 2, "",
               "*people.idv: column 0: expected x, found Name\n");
    dvt_expect(DVT_RUN("cat", in("part-2.idv"), in("no-such.idv")), 3, "", "*no-such.idv: ");
    dvt_expect(DVT_RUN("cat", in("part-2.idv"), in("README.md")), 1, "", "*README.md: ");
    dvt_expect(DVT_RUN("cat", in("part-below")), 1, "",
               "*part-below: directory: expected files of a known format, found none\n");
    put("broken.idv", "rows-1");
    const dvt_path broken = dvt_path_in(&folder, "broken.idv");
    dvt_file_resize(&broken, 100); /* recognized by its name, so it is not skipped */
    dvt_expect(DVT_RUN("cat", folder.text), 1, "", "*broken.idv: ");
    dvt_expect(DVT_RUN("cat", "--from=idv", in(".")), 1, "", "*README.md: offset 5: ");
    const char *lost = in("lost.idv");
    cr_assert(symlink("nowhere", lost) == 0);
    dvt_expect(DVT_RUN("cat", folder.text), 3, "",
               "*lost.idv: cannot be opened: No such file or directory\n");
}

/* Text counts where it is the only kind; .txt where it is alone. */
Test(files, a_directory_of_text)
{
    const dvt_path b = dvt_path_in(&folder, "part-below/b.CSV"),
                   a = dvt_path_in(&folder, "part-below/a.csv"),
                   success = dvt_path_in(&folder, "part-below/_SUCCESS"),
                   notes = dvt_path_in(&folder, "part-below/notes.txt");
    dvt_file_write(&notes, "n,w\n9,z\n", 8);
    dvt_expect(DVT_RUN("cat", "--quiet", in("part-below")), 0, "n\tw\n9\tz\n", "");
    dvt_file_write(&a, "w,n\nx,1\n", 8);
    dvt_file_write(&b, "n,w\n2,y\n", 8);
    dvt_file_write(&success, "", 0);
    dvt_expect(DVT_RUN("cat", "--quiet", in("part-below")), 0, "w\tn\nx\t1\ny\t2\n", NULL);
    dvt_expect(DVT_RUN("cat", "--quiet", "--text", "auto", in("part-below")), 0, NULL, NULL);
    put("part-below/x.idv", "rows-1");
    dvt_expect(DVT_RUN("cat", in("part-below")), 1, "",
               "*part-below: directory: expected tables of one kind: name the files, found x.idv "
               "and a.csv\n");
}

/* The mark of a job that was killed (open.h). */
Test(files, a_folder_that_is_not_finished)
{
    const dvt_path mark = dvt_path_in(&folder, ".unfinished");
    dvt_file_write(&mark, "", 0);
    dvt_expect(
        DVT_RUN("cat", folder.text), 1, "",
        "*: directory: expected a job that wrote all of its files, found .unfinished; run the "
        "job again, or name the files that are to be read\n");
    expect_files(DVT_RUN("cat", in("part-*.idv")),
                 FILES(in("part-10.idv"), in("part-2.idv"), in("part-B.idv")));
}

/* Side files of a set are left out, and a note called after a table is not listed as one. */
Test(files, side_files)
{
    const dvt_path set = dvt_path_in(&folder, "part-below/a.msgpack"),
                   bare = dvt_path_in(&folder, "part-below/b"),
                   index = dvt_path_in(&folder, "part-below/a.msgpack.index"),
                   sum = dvt_path_in(&folder, "part-below/a.msgpack.md5sum"),
                   alone = dvt_path_in(&folder, "part-below/c.index");
    const char *tiny = dvt_file("golden/datadings/tiny.msgpack");
    dvt_expect(DVT_RUN("convert", tiny, set.text), 0, NULL, "");
    dvt_expect(DVT_RUN("convert", "--to", "datadings", tiny, bare.text), 0, NULL, "");
    dvt_file_write(&index, "\x81\xA1k\0", 4); /* alone it would be a table */
    expect_files(DVT_RUN("cat", "--from", "datadings", in("part-below")),
                 FILES(set.text, bare.text));
    dvt_file_write(&sum, "0123 a.msgpack\n", 15);
    expect_files(DVT_RUN("cat", in("part-below")), FILES(set.text, bare.text));
    dvt_expect(DVT_RUN("find", "--quiet", "-c", "key", in("part-below"), "a"), 0, "key\nTX\na\n",
               "");
    dvt_file_write(&alone, "\x81\xA1k\0", 4);
    dvt_expect(DVT_RUN("cat", in("part-below")), 1, NULL, "*c.index: set: expected ");
    const dvt_path csv = dvt_path_in(&folder, "part-below/k=1");
    cr_assert(mkdir(csv.text, 0700) == 0);
    const dvt_path text = dvt_path_in(&csv, "a.csv"), note = dvt_path_in(&csv, "a.csv.md5");
    dvt_file_write(&text, "n\n1\n", 4);
    dvt_file_write(&note, "0123 a.csv\n", 11);
    dvt_expect(DVT_RUN("cat", "--quiet", csv.text), 0, "n\n1\n", "");
}

/* Folders KEY=VALUE are columns. */
Test(files, folders_of_values)
{
    static const char *const folders[] = {"set", "set/year=2020", "set/year=2020/w%3D=a%20b",
                                          "set/year=2021",
                                          "set/year=2021/w%3D=__HIVE_DEFAULT_PARTITION__"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        cr_assert(mkdir(in(folders[i]), 0700) == 0);
    const dvt_path a = dvt_path_in(&folder, "set/year=2020/w%3D=a%20b/x.csv"),
                   b = dvt_path_in(&folder, "set/year=2021/w%3D=__HIVE_DEFAULT_PARTITION__/x.csv"),
                   c = dvt_path_in(&folder, "set/top.csv");
    dvt_file_write(&a, "n\n1\n2\n", 6);
    dvt_file_write(&b, "n\n1.5\n", 6);
    dvt_expect(DVT_RUN("cat", "--quiet", in("set")), 0,
               "n\tyear\tw=\n1\t2020\ta b\n2\t2020\ta b\n1.5\t2021\t\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--plain-folders", in("set")), 0, "n\n1\n2\n1.5\n", "");
    dvt_expect(DVT_RUN("schema", in("set")), 0, "*1  year    I8\n2  w=      TX\n", NULL);
    dvt_expect(DVT_RUN("cat", "--quiet", a.text), 0, "n\n1\n2\n", "");
    dvt_expect(
        DVT_RUN("cat", "--quiet", in("set/./year=2021/w%3D=__HIVE_DEFAULT_PARTITION__/x.csv")), 0,
        "n\tyear\tw=\n1.5\t2021\t\n", "");
    dvt_file_write(&b, "year\n1.5\n", 9);
    dvt_expect(
        DVT_RUN("cat", "--quiet",
                in("set/year=2021/../../set/./year=2021/w%3D=__HIVE_DEFAULT_PARTITION__/x.csv")),
        1, "",
        "*folder: expected a key that is no column of the file, or option plain_folders, found "
        "\"year\"\n");
    dvt_file_write(&b, "n\n1.5\n", 6);
    dvt_file_write(&c, "n\n3\n", 4);
    dvt_expect(DVT_RUN("cat", "--quiet", in("set")), 1, "",
               "*top.csv: folders: expected the keys of the first file, or option plain_folders, "
               "found others\n");
    dvt_expect(DVT_RUN("cat", "--quiet", "--plain-folders", in("set")), 0, "n\n1\n2\n1.5\n3\n", "");
}

/* Defects of the second file name it, and the rows before them are delivered. */
Test(files, a_defect_in_the_second)
{
    const char *bad = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    const char *good = DVT_MALFORMED("blocks_reversed.OK");
    dvt_expect(DVT_RUN("cat", good, bad), 1, "*\n1\n", "*L4@280.idv: offset 280: ");
    dvt_expect(DVT_RUN("verify", good, bad), 1, "*L4@280.idv: offset 280: ",
               "*L4@280.idv: not sound: the first defect is at offset 280\n");
    dvt_expect(DVT_RUN("verify", good, bad), 1, "*2 files: 1 defect, ", NULL);
}

/* More files than the initial limit on descriptors. */
Test(files, many)
{
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "part-below/%03d.idv", i);
        put(name, "rows-1");
    }
    char command[2048];
    snprintf(command, sizeof command, "ulimit -S -n 128 && '%s' tail -n1 -cx '%s'",
             getenv("DV_BIN"), in("part-below"));
    FILE *pipe = popen(command, "r");
    char line[256] = "";
    while (fgets(line, sizeof line, pipe)) {
    }
    cr_expect_eq(pclose(pipe), 0);
    cr_expect_str_eq(line, "1 of 300 rows, 1 column\n");
}
