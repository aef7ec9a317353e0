/* SPDX-License-Identifier: MIT */
/* test_disk_killed.c: processes that are killed at each system call while they keep blocks leave no
 * wrong byte, no bound exceeded, and nothing that stays (disk_folder.h). */
#include "support/faults.h"
#include "support/kept_source.h"
#include "support/test.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((int64_t)1 << 20)
#define NBYTES (4 * MIB + 5)
#define BOUND (4 * MIB) /* so that blocks are removed, too */

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(disk_killed, .init = make_folder, .fini = remove_folder);

/* Read all as a process that is killed at call k; false: it had fewer calls. */
static bool read_and_die(int64_t k)
{
    int how;
    const pid_t child = fork();
    if (child == 0) {
        dvt_kept_counts counts = {0};
        dvt_kept kept;
        if (dvt_kept_open(&kept, &folder, BOUND, "x", "1", NBYTES, &counts, 0) != DV_OK)
            _exit(2);
        dvt_faults_start(k, DVT_FAULT_KILL, 0);
        _exit(dvt_kept_reads_all(&kept) ? 0 : 3);
    }
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_assert(WIFSIGNALED(how) ? WTERMSIG(how) == SIGKILL : WEXITSTATUS(how) == 0);
    return WIFSIGNALED(how);
}

Test(disk_killed, a_killed_process_leaves_nothing_wrong)
{
    for (int64_t k = 1; read_and_die(k); k += 1 + k / 50) {
        dvt_kept_counts counts = {0};
        dvt_kept kept;
        int64_t nbytes, left;
        cr_assert_eq(dvt_kept_open(&kept, &folder, BOUND, "x", "1", NBYTES, &counts, 0), DV_OK);
        cr_expect_eq(dvt_kept_files(&folder, ".new", &left, NULL), 0, "call %d", (int)k);
        cr_expect(dvt_kept_reads_all(&kept), "call %d", (int)k);
        dvt_kept_files(&folder, ".block", &nbytes, NULL);
        cr_expect_leq(nbytes, BOUND);
        cr_expect(dvt_kept_close(&kept));
    }
}

/* Several at the same time, killed at different calls, share a folder. */
Test(disk_killed, a_storm)
{
    enum { PROCESSES = 6, ROUNDS = 8 };
    for (int round = 0; round < ROUNDS; round++) {
        pid_t children[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                dvt_kept_counts counts = {0};
                dvt_kept kept;
                dvt_faults_start(20 + 37 * i + 11 * round, DVT_FAULT_KILL, 0);
                if (dvt_kept_open(&kept, &folder, BOUND, "x", "1", NBYTES, &counts, 0) != DV_OK)
                    _exit(2);
                _exit(dvt_kept_reads_all(&kept) ? 0 : 3);
            }
        }
        for (int i = 0; i < PROCESSES; i++) {
            int how;
            cr_assert_eq(waitpid(children[i], &how, 0), children[i]);
            cr_expect(WIFSIGNALED(how) || WEXITSTATUS(how) == 0);
        }
    }
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    int64_t nbytes;
    cr_assert_eq(dvt_kept_open(&kept, &folder, BOUND, "x", "1", NBYTES, &counts, 0), DV_OK);
    cr_expect_eq(dvt_kept_files(&folder, ".new", &nbytes, NULL), 0);
    cr_expect(dvt_kept_reads_all(&kept));
    dvt_kept_files(&folder, ".block", &nbytes, NULL);
    cr_expect_leq(nbytes, BOUND);
    cr_expect(dvt_kept_close(&kept));
}
