/* SPDX-License-Identifier: MIT */
/* test_os_page_cache.c: the system says what it has of a file in memory, and to ask reads nothing.
 */
#include "base/os.h"
#include "support/file.h"
#include "support/test.h"
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHESTAT 451 /* SYS_cachestat, which older headers lack */
#define NBYTES ((size_t)1 << 20)

static dvt_path folder, path;
static int fd;

static void set_up(void)
{
    folder = dvt_folder_create();
    path = dvt_path_in(&folder, "f");
    dvt_file_pattern(&path, NBYTES);
    fd = open(path.text, O_RDONLY | O_CLOEXEC);
}

static void tear_down(void)
{
    close(fd);
    dvt_folder_remove(&folder);
}

TestSuite(os_page_cache, .init = set_up, .fini = tear_down, .timeout = 60);

/* Whether this system tells without reading. */
static bool is_told(void)
{
    const uint64_t range[] = {0, 1};
    uint64_t found[5] = {0};
    return syscall(CACHESTAT, fd, range, found, 0) == 0;
}

Test(os_page_cache, what_was_written_or_read_is_there)
{
    char byte;
    cr_assert_geq(fd, 0);
    cr_assert_eq(pread(fd, &byte, 1, 0), 1);
    if (is_told())
        cr_expect_eq(dvi_os_page(fd, 0), DVI_PAGE_THERE);
    cr_expect_neq(dvi_os_page(fd, (int64_t)NBYTES), DVI_PAGE_THERE);
    cr_expect_eq(dvi_os_page(-1, 0), DVI_PAGE_UNKNOWN);
}

Test(os_page_cache, to_ask_reads_nothing)
{
    cr_assert_geq(fd, 0);
    cr_assert_eq(fsync(fd), 0);
    cr_assert_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    if (!is_told() || dvi_os_page(fd, 0) != DVI_PAGE_MISSING) {
        tear_down(); /* a skipped test does not run .fini */
        cr_skip_test("an older system, or a file system in memory");
    }
    for (int i = 0; i < 3; i++)
        cr_expect_eq(dvi_os_page(fd, 0), DVI_PAGE_MISSING);
}
