/* SPDX-License-Identifier: MIT */
/* test_row_epoch.c: --shuffle and --shard deliver the right rows. */
#include "cli/run.h"
#include "support/file.h"
#include "support/golden_lines.h"
#include <string.h>

#define ROWS 1000

/* --- ML.NET's orders -------------------------------------------------------------------------- */

static int runs;

/* A file of the reference implementation; some are in tests/golden. */
static void find_file(char *path, size_t cap, const dvt_json *name)
{
    const char *shared = getenv("DV_GOLDEN_DIR");
    snprintf(path, cap, "%s/golden/random/idv/%.*s", getenv("DV_TEST_ROOT"), (int)name->text.nbytes,
             name->text.data);
    if (access(path, R_OK) != 0 && shared)
        snprintf(path, cap, "%s/random/idv/%.*s", shared, (int)name->text.nbytes, name->text.data);
}

static void check_pool(const dvt_json *line)
{
    char path[1024], pool[64], seed[32], want[8192] = "X\n";
    if (!dvt_json_is_text(dvt_json_member(line, "source"), "BinaryLoader, caller rng"))
        return;
    const dvt_json *blocks = dvt_json_member(line, "poolBlocks");
    const uint32_t number = (uint32_t)dvt_json_int(dvt_json_member(line, "rngSeed"));
    find_file(path, sizeof path, dvt_json_member(line, "file"));
    snprintf(pool, sizeof pool, "--pool-blocks=%.*s", (int)blocks->source.nbytes,
             blocks->source.data);
    snprintf(seed, sizeof seed, "--seed=%u", number);
    size_t n = strlen(want);
    for (const dvt_json *row = dvt_json_member(line, "order")->first; row; row = row->next) {
        cr_assert_lt(n + 8, sizeof want);
        n += (size_t)snprintf(want + n, sizeof want - n, "%lld\n", (long long)dvt_json_int(row));
    }
    dvt_expect(DVT_RUN("cat", "--shuffle=pool", seed, pool, "-cX", path), 0, want, "");
    runs++;
}

Test(row_epoch, pool_as_the_reference)
{
    dvt_golden_json("random/shuffle.jsonl", check_pool);
    cr_expect_geq(runs, 28);
}

/* --- Rows of a made table --------------------------------------------------------------------- */

/* A table of the numbers 0 to ROWS - 1, as text and as .idv in blocks of 64. */
typedef struct table {
    dvt_path folder, text, idv;
} table;

static table make_table(void)
{
    table t = {.folder = dvt_folder_create()};
    t.text = dvt_path_in(&t.folder, "numbers.txt");
    t.idv = dvt_path_in(&t.folder, "numbers.idv");
    FILE *file = fopen(t.text.text, "w");
    cr_assert(file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d\n", i);
    fclose(file);
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows-per-block=64", "--text=col=X:I4:0",
                       t.text.text, t.idv.text),
               0, "", "");
    return t;
}

/* Count each number that the command writes; returns how many there are.  *straight_out: how many
 * follow the number before. */
static int count_rows(dvt_run run, int *seen, int *straight_out)
{
    int n = 0, before = -2;
    cr_assert_eq(run.status, 0, "%s", dvt_text_of(&run.err));
    *straight_out = 0;
    for (char *line = strchr(run.out.data, '\n') + 1; *line; line = strchr(line, '\n') + 1, n++) {
        const int number = atoi(line);
        cr_assert(number >= 0 && number < ROWS);
        seen[number]++;
        *straight_out += number == before + 1;
        before = number;
    }
    dvt_run_free(&run);
    return n;
}

Test(row_epoch, each_row_once)
{
    static const char *const ways[][2] = {{"--threads=1", ""},
                                          {"--shuffle=uniform", "--seed=3"},
                                          {"--shuffle=pool", "--pool=100"},
                                          {"--shuffle=pool", "--epoch=4"},
                                          {"--shuffle=blocks", "--epoch=1"}};
    table t = make_table();
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int shards = 1; shards <= 4; shards += 3) {
            int seen[ROWS] = {0}, all = 0, straight;
            for (int i = 0; i < shards; i++) {
                char shard[32];
                snprintf(shard, sizeof shard, "--shard=%d/%d", i, shards);
                all += count_rows(DVT_RUN("cat", ways[w][0], shard, t.idv.text,
                                          *ways[w][1] ? ways[w][1] : "--quiet"),
                                  seen, &straight);
                cr_expect(w == 0 || straight < ROWS / 20, "way %zu: %d", w, straight);
            }
            cr_expect_eq(all, ROWS);
            for (int i = 0; i < ROWS; i++)
                cr_assert_eq(seen[i], 1, "way %zu: row %d", w, i);
        }
    dvt_folder_remove(&t.folder);
}

/* Text that is read into memory first has the same order; a pool over text keeps rows near their
 * position. */
Test(row_epoch, of_text)
{
    table t = make_table();
    dvt_run run = DVT_RUN("cat", "--shuffle=uniform", "--seed=9", t.idv.text);
    dvt_expect(DVT_RUN("cat", "--shuffle=uniform", "--seed=9", "--text=col=X:I4:0", t.text.text), 0,
               run.out.data, "");
    dvt_run_free(&run);
    run = DVT_RUN("cat", "--shuffle=pool", "--pool=20", "--text=col=X:I4:0", t.text.text);
    int place = 0;
    for (char *line = strchr(run.out.data, '\n') + 1; *line; line = strchr(line, '\n') + 1)
        cr_assert_lt(atoi(line), 20 + place++);
    cr_expect_eq(place, ROWS);
    dvt_run_free(&run);
    dvt_folder_remove(&t.folder);
}

/* The order is made first: tests and counts see the shuffled rows, and these are written. */
/* ML.NET's seeds have a sign (test_epoch_order.c has its orders). */
Test(row_epoch, seeds_have_a_sign)
{
    table t = make_table();
    dvt_run negative = DVT_RUN("cat", "--shuffle=pool", "--pool=9", "--seed=-5", t.idv.text);
    dvt_run same = DVT_RUN("cat", "--shuffle=pool", "--pool=9", "--seed=4294967291", t.idv.text);
    cr_assert_eq(negative.status, 0, "%s", dvt_text_of(&negative.err));
    cr_expect_str_eq(dvt_text_of(&negative.out), dvt_text_of(&same.out));
    dvt_run_free(&negative);
    dvt_run_free(&same);
    dvt_folder_remove(&t.folder);
}

Test(row_epoch, before_all_else)
{
    table t = make_table();
    const dvt_path out = dvt_path_in(&t.folder, "out.idv");
    dvt_run run = DVT_RUN("cat", "--shuffle=uniform", "--ids", "--where=X<500", t.idv.text);
    char *third = run.out.data;
    for (int i = 0; i < 4; i++)
        third = strchr(third, '\n') + 1;
    char want[128];
    snprintf(want, sizeof want, "#id\tX\n%.*s", (int)(strchr(third, '\n') + 1 - third), third);
    dvt_expect(DVT_RUN("cat", "--shuffle=uniform", "--ids", "--where=X<500", "--skip=3", "--take=1",
                       t.idv.text),
               0, want, "");
    dvt_run_free(&run);
    dvt_expect(
        DVT_RUN("convert", "--quiet", "--shuffle=blocks", "--shard=1/2", t.idv.text, out.text), 0,
        "", "");
    dvt_expect(DVT_RUN("diff", "--shuffle=blocks", "--shard=1/2", t.idv.text, t.idv.text), 0, NULL,
               "");
    run = DVT_RUN("cat", "--shuffle=blocks", "--shard=1/2", t.idv.text);
    dvt_expect(DVT_RUN("cat", out.text), 0, run.out.data, "");
    dvt_run_free(&run);
    dvt_expect(DVT_RUN("stats", "--json", "--shard=9/10", t.idv.text), 0, "*\"rows\":100,", "");
    dvt_expect(DVT_RUN("sample", "--quiet", "--shard=0/2", "--strategy=sequential", t.idv.text,
                       out.text, "2"),
               0, "", "");
    dvt_expect(DVT_RUN("cat", out.text), 0, "X\n0\n2\n", "");
    dvt_folder_remove(&t.folder);
}

/* --- Refusals --------------------------------------------------------------------------------- */

Test(row_epoch, usage)
{
    static const char *const wrong[][3] = {
        {"--shuffle=well", "--quiet",
         "--shuffle does not accept 'well'; it accepts uniform, pool, blocks"},
        {"--shuffle=pool", "--pool=0", "--pool expects a number of at least 1, not '0'\n"},
        {"--shuffle=pool", "--pool=2147483648", "--pool must be at most 2147483647, "},
        {"--shuffle=pool", "--pool-blocks=-1", "--pool-blocks expects a number of at least 0, "},
        {"--shuffle=pool", "--pool-blocks=nan", "--pool-blocks expects a number of at least 0, "},
        {"--shuffle=pool", "--pool-blocks=", "--pool-blocks expects a number of at least 0, "},
        {"--shuffle=pool", "--seed=-x", "--seed expects a whole number, not '-x'\n"},
        {"--shuffle=pool", "--seed=-", "--seed expects a whole number, not '-'\n"},
        {"--shuffle=pool", "--epoch=-1", "--epoch expects a number of at least 0, not '-1'\n"},
        {"--shard=1", "--quiet",
         "--shard expects I/N, a worker and the number of workers, not '1'\n"},
        {"--shard=/3", "--quiet", "--shard expects I/N, "},
        {"--shard=1/", "--quiet", "--shard expects I/N, "},
        {"--shard=1/2147483648", "--quiet", "--shard expects I/N, "},
        {"--shard=3/3", "--quiet", "--shard 3/3: workers are numbered from 0 "},
        {"--shard=0/0", "--quiet", "--shard 0/0: workers are numbered from 0 "},
        {"--seed=1", "--quiet", "--seed needs --shuffle\n"},
        {"--epoch=1", "--shard=0/2", "--epoch needs --shuffle\n"},
        {"--pool=1", "--shuffle=blocks", "--pool needs --shuffle pool\n"},
        {"--pool-blocks=1", "--seed=1", "--seed needs --shuffle\n"},
        {"--pool-blocks=1", "--quiet", "--pool-blocks needs --shuffle pool\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "*%s", wrong[i][2]);
        dvt_expect(DVT_RUN("cat", DVT_GOLDEN("people"), wrong[i][0], wrong[i][1]), 2, "", sentence);
    }
    dvt_expect(
        DVT_RUN("cat", "--shuffle=pool", "--pool=9", "--pool-blocks=2", DVT_GOLDEN("people")), 2,
        "", "*--pool and --pool-blocks exclude each other: both set the size of the pool\n");
    dvt_expect(DVT_RUN("shuffle", "--shuffle=uniform", DVT_GOLDEN("people"), "o.idv"), 2, "",
               "*shuffle has its own random order; to write rows in this one, use dataview convert "
               "--shuffle uniform\n");
    dvt_expect(DVT_RUN("info", "--shuffle=uniform", DVT_GOLDEN("people")), 2, "",
               "*--shuffle is not an option of info\n");
}
