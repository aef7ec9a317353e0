/* SPDX-License-Identifier: MIT */
/* test_piped_input.c: every verb that needs the rows more than once reads a pipe, packed or not. */
#include "cli/run.h"
#include "support/file.h"
#include "support/packed.h"
#include "support/pipe.h"

static dvt_path folder;
static dvt_lines text, packed[DVT_PACKINGS];

static void start(void)
{
    folder = dvt_folder_create();
    dvt_lines_print(&text, "id,x,Label\n");
    for (int i = 0; i < 100; i++)
        dvt_lines_print(&text, "%d,%d.5,%s\n", i, i % 10, i % 2 ? "a" : "b");
    for (int k = 0; k < DVT_PACKINGS; k++)
        dvt_pack(&packed[k], (dvt_packing)k, text.data, text.nbytes);
    const dvt_path plain = dvt_path_in(&folder, "plain.csv");
    dvt_file_write(&plain, text.data, text.nbytes);
}

static void stop(void)
{
    dvt_folder_remove(&folder);
    dvt_lines_free(&text);
    for (int k = 0; k < DVT_PACKINGS; k++)
        dvt_lines_free(&packed[k]);
}

TestSuite(piped_input, .init = start, .fini = stop);

static const char *in(const char *name)
{
    static dvt_path paths[8];
    static int next;
    dvt_path *path = &paths[next++ % 8];
    *path = dvt_path_in(&folder, name);
    return path->text;
}

/* Run with these bytes as standard input, through a pipe. */
static dvt_run run_piped(const dvt_lines *bytes, const char *const *argv)
{
    const int before = dup(STDIN_FILENO);
    dvt_pipe pipe = dvt_pipe_of(bytes->data, bytes->nbytes, 1000);
    dup2(pipe.fd, STDIN_FILENO);
    const dvt_run run = dvt_run_with(&(dvt_setting){DVT_STDOUT_PIPE, 0, false, NULL}, argv);
    dup2(before, STDIN_FILENO);
    close(before);
    dvt_pipe_close(&pipe);
    return run;
}

#define PIPED(bytes, ...) run_piped(bytes, (const char *const[]){__VA_ARGS__, "--quiet", NULL})

/* Each way in which the text comes; k < 0: as it is. */
static const dvt_lines *bytes_of(int k)
{
    if (k < 0)
        return &text;
    return dvt_can_unpack((dvt_packing)k) ? &packed[k] : NULL;
}

Test(piped_input, becomes_a_file)
{
    for (int k = -1; k < DVT_PACKINGS; k++) {
        const dvt_lines *bytes = bytes_of(k);
        if (!bytes)
            continue;
        dvt_expect(PIPED(bytes, "convert", "-", in("o.idv")), 0, "", "");
        dvt_expect(DVT_RUN("diff", "--quiet", in("o.idv"), in("plain.csv")), 0, "", "");
        dvt_expect(PIPED(bytes, "convert", "-", in("o.msgpack"), "--to=datadings",
                         "--to-datadings=key=rownumber"),
                   0, "", "");
        dvt_expect(DVT_RUN("tail", "-n1", "-cid", in("o.msgpack")), 0, "*id\nI8\n99\n", "");
        dvt_expect(PIPED(bytes, "convert", "-", in("o.btable"), "-cx", "--allow-loss=types"), 0, "",
                   "");
        dvt_expect(PIPED(bytes, "convert", "-", in("p.idv"), "--allow-loss=fields"), 0, "", "");
        dvt_expect(PIPED(bytes, "convert", "-", in("p.idv"), "--text=auto narrow+"), 0, "", "");
        dvt_expect(DVT_RUN("schema", in("p.idv")), 0, "*I1\n", "");
    }
}

Test(piped_input, is_read_more_than_once)
{
    for (int k = -1; k < DVT_PACKINGS; k++) {
        const dvt_lines *bytes = bytes_of(k);
        if (!bytes)
            continue;
        dvt_expect(PIPED(bytes, "split", "-", "--fraction=0.8,0.2", "--stratify=Label", "--shuffle",
                         "-o", in("train.idv"), "-o", in("test.idv")),
                   0, "", "");
        dvt_expect(DVT_RUN("counts", in("test.idv"), "Label", "--quiet"), 0,
                   "*a         10  50.0 %\n", "");
        dvt_expect(PIPED(bytes, "sample", "-", in("s.idv"), "7"), 0, "", "");
        dvt_expect(PIPED(bytes, "shuffle", "-", in("s.idv")), 0, "", "");
        dvt_expect(PIPED(bytes, "head", "-", "-n1", "-cid", "--shard=1/3"), 0, "*id\nI8\n 1\n", "");
        dvt_expect(PIPED(bytes, "cat", "-", "-cid", "--take=1", "--shuffle", "--seed=1"), 0,
                   "*id\n", "");
        dvt_expect(PIPED(bytes, "stats", "-", "-cid", "--cache", in("cache.idv")), 0, NULL, "");
    }
}

Test(piped_input, every_verb_reads_a_packed_file)
{
    static const char *const verbs[] = {"info", "schema", "head",   "tail",
                                        "cat",  "stats",  "verify", "bench"};
    for (int k = 0; k < DVT_PACKINGS; k++) {
        const dvt_path path = dvt_path_in(&folder, k == DVT_GZIP ? "x.csv.gz" : "x.csv.zst");
        if (!bytes_of(k))
            continue;
        dvt_file_write(&path, packed[k].data, packed[k].nbytes);
        for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
            dvt_expect(DVT_RUN(verbs[i], "--quiet", path.text), 0, NULL, "");
        dvt_expect(DVT_RUN("diff", "--quiet", path.text, in("plain.csv")), 0, "", "");
        dvt_expect(DVT_RUN("merge", "--quiet", path.text, path.text, in("m.idv")), 0, "", "");
        dvt_expect(DVT_RUN("split", "--quiet", path.text, "50", "-o", in("h.idv")), 0, "", "");
        dvt_expect(DVT_RUN("info", "--proposal", path.text), 0,
                   "*header+ col=id:I8:0 col=x:R8:1 col=Label:TX:2\n", "");
    }
}

/* What reads a file by its name several times says so. */
Test(piped_input, what_needs_a_file)
{
    dvt_expect(PIPED(&text, "bench", "-"), 2, "", "*save the pipe into a file first\n");
    dvt_expect(PIPED(&text, "merge", "-", in("plain.csv"), in("m.idv")), 2, "",
               "*or say --strategy concat\n");
    dvt_expect(PIPED(&text, "merge", "--strategy=concat", "-", in("plain.csv"), in("m.idv")), 0, "",
               "");
    dvt_expect(PIPED(&text, "sample", "-", in("s.idv"), "7", "--spool-bytes=500"), 1, "",
               "*expected at most 500 (--spool-bytes), found more (spool_nbytes)\n");
    dvt_expect(PIPED(&text, "cat", "-", "--spool-bytes=0"), 2, "",
               "*--spool-bytes must be at least 1\n");
}

/* A file that is standard input has no name either. */
Test(piped_input, a_file_as_standard_input)
{
    const int before = dup(STDIN_FILENO), fd = open(in("plain.csv"), O_RDONLY | O_CLOEXEC);
    dup2(fd, STDIN_FILENO);
    dvt_expect(DVT_RUN("head", "-n1", "-cid", "--quiet", "-"), 0, "*id\nI8\n 0\n", "");
    dup2(before, STDIN_FILENO);
    close(before);
    close(fd);
}

Test(piped_input, directories_without_tables)
{
    dvt_path empty = dvt_folder_create(), other = dvt_folder_create();
    const dvt_path parquet = dvt_path_in(&other, "x.parquet");
    dvt_file_write(&parquet, "PAR1\x15\x04", 6);
    dvt_expect(DVT_RUN("info", empty.text), 1, "",
               "*directory: expected files of a known format, found none\n");
    dvt_expect(DVT_RUN("info", other.text), 1, "", "*found a Parquet file; python -c ");
    dvt_folder_remove(&empty);
    dvt_folder_remove(&other);
}
