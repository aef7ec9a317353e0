/* SPDX-License-Identifier: MIT */
/* starving_malloc.c: runs the program into which it is preloaded once per allocation that fails.
 *
 * no_memory.py preloads this library into the command.  Before main it forks a child for each run.
 * The child becomes the command; the parent writes a record for each run and never
 * reaches main.  Environment:
 *
 *     STARVING_RECORDS=5       the descriptor for the records
 *     STARVING_RUNS=0,1,7-12   which runs; run k lets the k-th allocation fail, 0 none
 *     STARVING_FROM=1          all that follow fail as well
 *     STARVING_COPIES=A:B      copied into the folder before each run
 *
 * Each run starts in a folder without files, the current one; the record has a digest of each file
 * that it leaves, and the file is removed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_SECONDS 60 /* of an attempt; then it hangs */
#define FNV_START UINT64_C(0xCBF29CE484222325)
#define FNV_FACTOR UINT64_C(0x100000001B3)

/* glibc's allocator by its other names. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

/* --- The allocator ---------------------------------------------------------------------------- */

/* Shared by parent and child.  NULL: nothing is counted. */
static atomic_int_fast64_t *asked;
static int64_t fail_at;
static bool fails_from;

/* Count an allocation; false: it must fail. */
static bool allows(void)
{
    if (!asked)
        return true;
    const int64_t k = atomic_fetch_add(asked, 1) + 1;
    if (k != fail_at && !(fails_from && fail_at && k > fail_at))
        return true;
    errno = ENOMEM;
    return false;
}

void *malloc(size_t nbytes)
{
    return allows() ? __libc_malloc(nbytes) : NULL;
}

void *calloc(size_t count, size_t nbytes)
{
    return allows() ? __libc_calloc(count, nbytes) : NULL;
}

void *realloc(void *memory, size_t nbytes)
{
    return allows() ? __libc_realloc(memory, nbytes) : NULL;
}

void *memalign(size_t alignment, size_t nbytes)
{
    return allows() ? __libc_memalign(alignment, nbytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t nbytes)
{
    return memalign(alignment, nbytes);
}

int posix_memalign(void **memory, size_t alignment, size_t nbytes)
{
    void *start = memalign(alignment, nbytes);
    if (start)
        *memory = start;
    return start ? 0 : ENOMEM;
}

/* --- Runs ------------------------------------------------------------------------------------- */

static int records;

/* What is written for a run; then follow a digest of name and content of each file, and the bytes
 * of standard output and standard error. */
typedef struct record {
    int64_t k, asked, status; /* the exit status, or 128 + the signal */
    uint64_t files, out_nbytes, err_nbytes;
} record;

#define FILES_MOST 64

static _Noreturn void give_up(const char *what)
{
    dprintf(STDERR_FILENO, "starving_malloc: %s: %s\n", what, strerror(errno));
    _exit(125);
}

static void write_all(int fd, const void *data, size_t nbytes)
{
    const char *p = data;
    while (nbytes > 0) {
        const ssize_t n = write(fd, p, nbytes);
        if (n <= 0)
            give_up("write");
        p += n;
        nbytes -= (size_t)n;
    }
}

static uint64_t add_bytes(uint64_t sum, const char *data, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        sum = (sum ^ (unsigned char)data[i]) * FNV_FACTOR;
    return sum;
}

/* Copy all of a file to a descriptor, NULL sum; or add it to the sum, descriptor -1. */
static void read_file(const char *path, int to, uint64_t *sum)
{
    char part[1 << 14];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        give_up(path);
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;) {
        if (sum)
            *sum = add_bytes(*sum, part, (size_t)n);
        else
            write_all(to, part, (size_t)n);
    }
    close(fd);
}

static void copy_inputs(void)
{
    const char *copies = getenv("STARVING_COPIES");
    char list[4096];
    snprintf(list, sizeof list, "%s", copies ? copies : "");
    char *rest = list;
    for (const char *path; (path = strsep(&rest, ":"));) {
        if (!*path)
            continue;
        const char *slash = strrchr(path, '/');
        const int fd =
            open(slash ? slash + 1 : path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0)
            give_up(path);
        read_file(path, fd, NULL);
        close(fd);
    }
}

/* Take the digests of the files in the current folder, in any order, and remove them. */
static uint64_t take_files(uint64_t digests[FILES_MOST])
{
    uint64_t files = 0;
    DIR *dir = opendir(".");
    if (!dir)
        give_up(".");
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (files == FILES_MOST)
            give_up("too many files");
        digests[files] = add_bytes(FNV_START, name, strlen(name) + 1);
        read_file(name, -1, &digests[files++]);
        if (unlink(name) != 0)
            give_up(name);
    }
    closedir(dir);
    return files;
}

static void write_output(int fd, uint64_t nbytes)
{
    void *data = nbytes ? mmap(NULL, nbytes, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (data == MAP_FAILED)
        give_up("mmap");
    if (nbytes) {
        write_all(records, data, nbytes);
        munmap(data, nbytes);
    }
}

/* Returns true in the child, which then is the command. */
static bool start_run(int64_t k, record *r)
{
    int fds[2];
    struct stat facts[2];
    for (int i = 0; i < 2; i++)
        if ((fds[i] = memfd_create("output", MFD_CLOEXEC)) < 0)
            give_up("memfd_create");
    copy_inputs();
    atomic_store(asked, 0);
    const pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0) {
        for (int i = 0; i < 2; i++) {
            dup2(fds[i], STDOUT_FILENO + i);
            close(fds[i]);
        }
        close(records);
        alarm(RUN_SECONDS);
        fail_at = k;
        atomic_store(asked, 0);
        return true;
    }
    int status = 0;
    waitpid(child, &status, 0);
    *r = (record){.k = k, .asked = atomic_load(asked)};
    r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (int i = 0; i < 2; i++)
        if (fstat(fds[i], &facts[i]) != 0)
            give_up("fstat");
    r->out_nbytes = (uint64_t)facts[0].st_size;
    r->err_nbytes = (uint64_t)facts[1].st_size;
    uint64_t digests[FILES_MOST];
    r->files = take_files(digests);
    write_all(records, r, sizeof *r);
    write_all(records, digests, r->files * sizeof *digests);
    write_output(fds[0], r->out_nbytes);
    write_output(fds[1], r->err_nbytes);
    for (int i = 0; i < 2; i++)
        close(fds[i]);
    return false;
}

__attribute__((constructor)) static void start(void)
{
    const char *p = getenv("STARVING_RUNS"), *descriptor = getenv("STARVING_RECORDS");
    if (!p || !descriptor)
        return;
    records = (int)strtol(descriptor, NULL, 10);
    atomic_int_fast64_t *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        give_up("mmap");
    asked = shared;
    fails_from = getenv("STARVING_FROM") != NULL;
    while (*p) {
        char *end;
        const int64_t first = strtoll(p, &end, 10);
        const int64_t last = *end == '-' ? strtoll(end + 1, &end, 10) : first;
        record r;
        for (int64_t k = first; k <= last; k++)
            if (start_run(k, &r))
                return;
        p = *end == ',' ? end + 1 : end;
    }
    _exit(0);
}
