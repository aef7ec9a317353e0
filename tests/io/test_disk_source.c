/* SPDX-License-Identifier: MIT */
/* test_disk_source.c: blocks on disk never change the bytes of a source, even if the folder is
 * damaged or full, and each block is fetched once (disk_source.h). */
#include "io/disk_source.h"
#include "support/faults.h"
#include "support/kept_source.h"
#include "support/test.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((int64_t)1 << 20)
#define NBYTES (3 * MIB + 77777)
#define BLOCKS 4
#define FEW (MIB + 70000) /* two blocks, for tests in many rounds */
#define GIB ((int64_t)1 << 30)

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(disk_source, .init = make_folder, .fini = remove_folder);

static void open_kept(dvt_kept *kept, dvt_kept_counts *counts)
{
    cr_assert_eq(dvt_kept_open(kept, &folder, GIB, "s3://a/b.idv", "v1", NBYTES, counts, 0), DV_OK);
}

/* Read all bytes by a new source of the folder; how many are fetched. */
static int64_t fetch_all(void)
{
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    open_kept(&kept, &counts);
    cr_expect(dvt_kept_reads_all(&kept));
    cr_expect(dvt_kept_close(&kept));
    return counts.nbytes;
}

/* --- What is kept ----------------------------------------------------------------------------- */

Test(disk_source, blocks_are_fetched_once_and_kept)
{
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    open_kept(&kept, &counts);
    cr_expect(dvt_kept_reads(&kept, MIB + 500, 10)); /* a block for a few bytes */
    cr_expect_eq(counts.nbytes, MIB);
    cr_expect(dvt_kept_reads(&kept, MIB, MIB));
    cr_expect_eq(counts.requests, 1);
    cr_expect(dvt_kept_reads_all(&kept));
    cr_expect_eq(counts.nbytes, NBYTES);
    cr_expect_eq(dvi_disk_source_counts(kept.source).kept_nbytes, NBYTES);
    cr_expect_str_eq(dvi_disk_source_counts(kept.source).note, "");
    cr_expect(dvt_kept_close(&kept));
    cr_expect_eq(fetch_all(), 0); /* by another one */
    int64_t nbytes;
    cr_expect_eq(dvt_kept_files(&folder, ".block", &nbytes, NULL), BLOCKS);
    cr_expect_eq(nbytes, NBYTES + BLOCKS * 4096);
    cr_expect_eq(dvt_kept_files(&folder, ".new", &nbytes, NULL), 0);
}

Test(disk_source, missing_blocks_in_a_row_are_one_request)
{
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    open_kept(&kept, &counts);
    cr_expect(dvt_kept_reads(&kept, 2 * MIB, 5));
    cr_expect(dvt_kept_reads(&kept, 5, NBYTES - 5)); /* 0 and 1; 3 */
    cr_expect_eq(counts.requests, 3);
    cr_expect_eq(counts.nbytes, NBYTES);
    cr_expect(dvt_kept_close(&kept));
}

Test(disk_source, sizes_of_sources)
{
    static const int64_t sizes[] = {1,       65535,       65536,   65537, MIB - 1,
                                    MIB + 0, MIB + 65536, 2 * MIB, 7};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            dvt_kept_counts counts = {0};
            dvt_kept kept;
            cr_assert_eq(dvt_kept_open(&kept, &folder, GIB, "x", "1", sizes[i], &counts, 0), DV_OK);
            cr_expect(dvt_kept_reads_all(&kept));
            cr_expect_eq(counts.nbytes, round == 0 ? sizes[i] : 0);
            cr_expect(dvt_kept_close(&kept));
        }
}

/* Names, versions and lengths that differ have different bytes here. */
Test(disk_source, other_sources_have_other_blocks)
{
    static const char *const names[] = {"a", "a", "ab", "", "a"};
    static const char *const versions[] = {"bc", "c", "c", "abc", ""};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
            const int64_t nbytes = i % 2 ? 5000 : 5001;
            dvt_kept_counts counts = {0};
            dvt_kept kept;
            cr_assert_eq(dvt_kept_open(&kept, &folder, GIB, names[i / 2], versions[i / 2], nbytes,
                                       &counts, 0),
                         DV_OK);
            cr_expect(dvt_kept_reads_all(&kept));
            cr_expect_eq(counts.requests, round == 0, "%zu", i);
            cr_expect(dvt_kept_close(&kept));
        }
}

Test(disk_source, sources_that_cannot_be_kept)
{
    static char name[5000];
    memset(name, 'x', sizeof name - 1);
    for (int i = 0; i < 2; i++) {
        dvt_kept_counts counts = {0};
        dvt_kept kept;
        int64_t nbytes;
        cr_assert_eq(
            dvt_kept_open(&kept, &folder, GIB, i ? name : "x", i ? "1" : NULL, NBYTES, &counts, 0),
            DV_OK);
        cr_expect(dvt_kept_reads(&kept, 5, 10));
        cr_expect_eq(counts.nbytes, 10); /* no block is fetched for them */
        cr_expect_str_eq(dvi_disk_source_counts(kept.source).note,
                         i ? "its name and version are too long" : "the source has no version");
        cr_expect(dvt_kept_close(&kept));
        cr_expect_eq(dvt_kept_files(&folder, "", &nbytes, NULL), 2); /* . and .. */
    }
}

/* --- Damage ----------------------------------------------------------------------------------- */

/* Each byte of the head, and some of each chunk. */
Test(disk_source, a_damaged_block_is_fetched_and_replaced)
{
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    dvt_path path;
    int64_t nbytes;
    size_t n;
    const int64_t source_nbytes = 70000; /* two chunks */
    cr_assert_eq(dvt_kept_open(&kept, &folder, GIB, "x", "1", source_nbytes, &counts, 0), DV_OK);
    cr_expect(dvt_kept_reads_all(&kept));
    cr_assert_eq(dvt_kept_files(&folder, ".block", &nbytes, &path), 1);
    uint8_t *file = dvt_file_read(path.text, &n);
    cr_assert_eq((int64_t)n, source_nbytes + 4096);
    for (size_t at = 0; at < n; at += at < 4200 ? 1 : 97) {
        file[at] ^= (uint8_t)(1 << at % 8);
        dvt_file_write(&path, file, n);
        file[at] ^= (uint8_t)(1 << at % 8);
        const int64_t before = counts.requests;
        cr_expect(dvt_kept_reads(&kept, 0, source_nbytes), "byte %zu", at);
        const bool is_unused_sum = at >= 40 + 16 && at < 168;
        cr_expect_eq(counts.requests - before, !is_unused_sum, "byte %zu", at);
        uint8_t *again = dvt_file_read(path.text, &(size_t){0});
        cr_expect(is_unused_sum || memcmp(again, file, n) == 0, "byte %zu", at);
        free(again);
    }
    free(file);
    cr_expect(dvt_kept_close(&kept));
}

/* Files that were cut, lengthened or replaced by something else. */
Test(disk_source, what_is_not_a_block_is_replaced)
{
    dvt_path path;
    int64_t nbytes;
    fetch_all();
    cr_assert_eq(dvt_kept_files(&folder, ".block", &nbytes, &path), BLOCKS);
    static const int64_t lengths[] = {0, 1, 4095, 4096, 5000, 2 * MIB};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        dvt_file_resize(&path, lengths[i]);
        cr_expect_gt(fetch_all(), 0);
        cr_expect_eq(fetch_all(), 0);
    }
    const dvt_path elsewhere = dvt_path_in(&folder, "mine");
    cr_assert_eq(rename(path.text, elsewhere.text), 0);
    cr_assert_eq(symlink("mine", path.text), 0); /* its bytes would be right */
    cr_expect_gt(fetch_all(), 0);
    cr_assert_eq(unlink(path.text), 0);
    cr_assert_eq(mkfifo(path.text, 0600), 0);
    cr_expect_gt(fetch_all(), 0);
    cr_expect_eq(fetch_all(), 0);
    cr_assert_eq(unlink(path.text), 0);
    cr_assert_eq(mkdir(path.text, 0700), 0); /* no file can have its name */
    cr_expect_gt(fetch_all(), 0);
    cr_expect_gt(fetch_all(), 0);
    cr_assert_eq(rmdir(path.text), 0);
    cr_expect_eq(access(elsewhere.text, F_OK), 0);
}

/* --- Failures --------------------------------------------------------------------------------- */

Test(disk_source, failures_of_the_source)
{
    static const dv_status statuses[] = {DV_ERR_IO, DV_NOT_FOUND, DV_ERR_STOPPED};
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    int64_t nbytes;
    bool ignored;
    open_kept(&kept, &counts);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        counts.status = statuses[i];
        cr_expect_eq(dvt_kept_read(&kept, 0, 10, &ignored), statuses[i]);
        cr_expect_eq(dvt_kept_read(&kept, 5, NBYTES - 5, &ignored), statuses[i]);
    }
    cr_expect_eq(dvt_kept_files(&folder, "k", &nbytes, NULL), 0);
    cr_expect_eq(dvt_kept_files(&folder, ".new", &nbytes, NULL), 0);
    counts.status = DV_OK;
    cr_expect(dvt_kept_reads(&kept, 0, 10));
    counts.status = DV_NOT_FOUND; /* after a block that is there */
    cr_expect_eq(dvt_kept_read(&kept, MIB - 5, 10, &ignored), DV_NOT_FOUND);
    cr_expect(dvt_kept_close(&kept));
}

/* Each system call fails in turn. */
Test(disk_source, failures_of_the_disk)
{
    static const int codes[] = {EIO, ENOSPC, ENOLCK};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        for (int64_t k = 1, n = k; k <= n; k += 1 + k / 40) {
            dvt_kept_counts counts = {0};
            dvt_kept kept;
            dvt_path own = dvt_folder_create();
            cr_assert_eq(dvt_kept_open(&kept, &own, GIB, "x", "1", FEW, &counts, 0), DV_OK);
            dvt_faults_start(k, k % 2 ? DVT_FAULT_ERROR : DVT_FAULT_FROM, codes[i]);
            const bool is_right = dvt_kept_reads(&kept, 9, FEW - 9);
            n = dvt_faults_stop();
            cr_expect(is_right, "call %d, %s", (int)k, dvt_faults_hit());
            cr_expect(dvt_kept_reads_all(&kept));
            cr_expect(dvt_kept_close(&kept));
            dvt_folder_remove(&own);
        }
}

/* Once the disk is full, or read-only, no more blocks are fetched for a few bytes. */
static void expect_note(const char *call, int os_code, const char *note)
{
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    dvt_path own = dvt_folder_create();
    cr_assert_eq(dvt_kept_open(&kept, &own, GIB, "x", "1", NBYTES, &counts, 0), DV_OK);
    dvt_faults_start_at(call, 1, DVT_FAULT_FROM, os_code);
    bool is_right = true;
    for (int i = 0; i < 10; i++)
        is_right &= dvt_kept_reads(&kept, i % 2 * 2 * MIB + i, 10);
    dvt_faults_stop();
    cr_expect(is_right);
    cr_expect_str_eq(dvi_disk_source_counts(kept.source).note, note);
    const int64_t before = counts.nbytes;
    cr_expect(dvt_kept_reads(&kept, 3 * MIB, 10));
    cr_expect_eq(counts.nbytes, before + 10);
    cr_expect(dvt_kept_close(&kept));
    dvt_folder_remove(&own);
}

Test(disk_source, a_disk_that_takes_no_more)
{
    expect_note("pwrite", ENOSPC, "the disk is full");
    expect_note("openat", EROFS, "the folder cannot be written to");
    expect_note("renameat", EACCES, "the folder cannot be written to");
    expect_note("pwrite", EIO, "the folder fails again and again");
    expect_note("flock", EOPNOTSUPP, "the file system has no locks");
}

/* A child process has the limit, so that other tests do not. */
Test(disk_source, a_limit_of_the_size_of_files)
{
    const pid_t child = fork();
    int how;
    if (child == 0) {
        dvt_kept_counts counts = {0};
        dvt_kept kept;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000});
        if (dvt_kept_open(&kept, &folder, GIB, "x", "1", NBYTES, &counts, 0) != DV_OK)
            _exit(1);
        const bool is_right = dvt_kept_reads_all(&kept);
        const char *note = dvi_disk_source_counts(kept.source).note;
        _exit(is_right && strcmp(note, "the limit of the size of files is too low") == 0 ? 0 : 2);
    }
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_expect(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    cr_expect_eq(fetch_all(), NBYTES);
}

Test(disk_source, every_allocation_can_fail)
{
    for (int64_t k = 1;; k++) {
        dvt_kept_counts counts = {0};
        dvt_kept kept;
        bool is_right = true;
        dvt_path own = dvt_folder_create();
        dv_status status = dvt_kept_open(&kept, &own, 4 * MIB, "x", "1", 6 * MIB, &counts, k);
        for (int64_t at = 0; status == DV_OK && at < 6 * MIB; at += MIB)
            status = dvt_kept_read(&kept, at, MIB, &is_right);
        cr_expect(status == DV_OK ? is_right : status == DV_ERR_MEMORY);
        const bool is_done = kept.counted.asked < k;
        cr_expect(dvt_kept_close(&kept));
        dvt_folder_remove(&own);
        if (is_done)
            break;
    }
}

/* --- Several at the same time ----------------------------------------------------------------- */

typedef struct reader {
    dvt_kept *kept;
    uint64_t seed;
    bool is_right;
} reader;

static void *run_reader(void *ctx)
{
    reader *r = ctx;
    r->is_right = true;
    for (int i = 0; i < 60; i++) {
        r->seed = r->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t at = (int64_t)(r->seed >> 33) % (NBYTES - 1000);
        r->is_right &= dvt_kept_reads(r->kept, at, 1000);
    }
    return NULL;
}

Test(disk_source, threads_fetch_a_block_once)
{
    dvt_kept_counts counts = {.delay_ns = 2000000};
    reader all[4];
    pthread_t id[4];
    dvt_kept kept;
    open_kept(&kept, &counts);
    for (int i = 0; i < 4; i++) {
        all[i] = (reader){&kept, (uint64_t)i + 1, false};
        cr_assert_eq(pthread_create(&id[i], NULL, run_reader, &all[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
        cr_expect(all[i].is_right);
    }
    cr_expect_eq(counts.nbytes, NBYTES);
    cr_expect(dvt_kept_close(&kept));
}

Test(disk_source, processes_fetch_a_block_once)
{
    dvt_kept_counts *counts =
        mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)counts, MAP_FAILED);
    *counts = (dvt_kept_counts){.delay_ns = 2000000};
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            dvt_kept kept;
            const bool is_open = dvt_kept_open(&kept, &folder, GIB, "s3://a/b.idv", "v1", NBYTES,
                                               counts, 0) == DV_OK;
            _exit(is_open && dvt_kept_reads_all(&kept) ? 0 : 1);
        }
    }
    for (int i = 0; i < 3; i++) {
        int how;
        cr_assert_eq(waitpid(children[i], &how, 0), children[i]);
        cr_expect(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    cr_expect_eq(counts->nbytes, NBYTES);
    munmap(counts, sizeof *counts);
}

/* Another process has the claim on the first block, and does nothing: who waits can be stopped. */
Test(disk_source, who_waits_for_a_process_can_stop)
{
    dvt_kept_counts counts = {.is_closing = true};
    dvt_path path;
    int64_t nbytes;
    dvt_kept kept;
    bool ignored;
    fetch_all();
    cr_assert_eq(dvt_kept_files(&folder, ".block", &nbytes, &path), BLOCKS);
    strcpy(path.text + strlen(path.text) - strlen("block"), "new");
    dvt_file_write(&path, "", 0);
    const int fd = open(path.text, O_RDWR);
    cr_assert_eq(flock(fd, LOCK_EX), 0);
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    open_kept(&kept, &counts);
    strcpy(path.text + strlen(path.text) - strlen("new"), "block");
    cr_assert_eq(unlink(path.text), 0);
    cr_expect_eq(dvt_kept_read(&kept, 0, NBYTES, &ignored), DV_ERR_STOPPED);
    cr_expect_eq(counts.nbytes, 0);
    close(fd); /* the child still has the lock */
    cr_expect_eq(dvt_kept_read(&kept, 0, NBYTES, &ignored), DV_ERR_STOPPED);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect(dvt_kept_reads_all(&kept)); /* its death gave the lock back */
    cr_expect(dvt_kept_close(&kept));
}
