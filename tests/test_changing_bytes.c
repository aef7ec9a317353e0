/* SPDX-License-Identifier: MIT */
/* test_changing_bytes.c: bytes of a mapped file change right after the library has read them.
 *
 * A length that is read from the map, checked, and read again may be another one by then.  So the
 * processor stops at each read of a mapped file: the pages cannot be accessed, and the signal that
 * this raises lets one instruction pass.  After the read that the seed draws, the bytes just read
 * become others, through another mapping of the file.  Wrong values and errors may come, but no
 * crash, no leak, and nothing that a sanitizer reports.
 *
 * DV_CHANGES=N in the environment: changes of each file in each use.  DV_CHANGES_SEED=S: of draws.
 * DV_CHANGES_ONLY=TEXT: only files and uses, "FILE, USE", that contain it. */
#include "support/allocator.h"
#include "support/every_use.h"
#include "support/many_rows.h"
#include "support/small_files.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define REGIONS 16
#define READS_MOST 4000 /* that are stopped at: each takes some microseconds */
#define SECONDS 60      /* of a child: then it hangs */
#define POPULATE_READ 22
#define STEP INT64_C(0x100) /* flag of the processor: stop after one instruction */

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* --- Mapped files ----------------------------------------------------------------------------- */

static dvt_small_files files;

/* A file that the library has mapped. */
typedef struct region {
    uint8_t *data, *alias, *original; /* alias: writes to the same file */
    size_t nbytes;
} region;

static struct {
    region regions[REGIONS];
    atomic_flag is_held; /* guards the rest: several threads map, read and unmap files */
    bool is_watching;
    uint8_t *read; /* by the last access */
    int64_t accesses, change_at;
    uint64_t seed;
} watched = {.is_held = ATOMIC_FLAG_INIT};

/* May be called in a signal handler: the holder reads no protected page. */
static void hold(void)
{
    while (atomic_flag_test_and_set(&watched.is_held))
        sched_yield();
}

static void let_go(void)
{
    atomic_flag_clear(&watched.is_held);
}

static region *region_of(const void *address)
{
    const uint8_t *at = address;
    for (int i = 0; i < REGIONS; i++) {
        region *r = &watched.regions[i];
        if (r->data && at >= r->data && (size_t)(at - r->data) < r->nbytes)
            return r;
    }
    return NULL;
}

static size_t whole_pages(size_t nbytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (nbytes + page - 1) / page * page;
}

/* The caller holds the table. */
static void protect(int access)
{
    for (int i = 0; i < REGIONS; i++)
        if (watched.regions[i].data)
            syscall(SYS_mprotect, watched.regions[i].data, whole_pages(watched.regions[i].nbytes),
                    access);
}

/* Is the descriptor a file of the folder? */
static bool is_ours(int fd, char path_out[512])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = fd < 0 ? -1 : readlink(link, path_out, 511);
    if (n < 0)
        return false;
    path_out[n] = 0;
    return *files.folder.text &&
           strncmp(path_out, files.folder.text, strlen(files.folder.text)) == 0;
}

static void *system_map(void *address, size_t nbytes, int access, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, address, nbytes, access, flags, fd, offset);
}

static void remember(uint8_t *data, size_t nbytes, const char *path)
{
    region *r = watched.regions;
    hold();
    while (r < watched.regions + REGIONS && r->data)
        r++;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (r == watched.regions + REGIONS || fd < 0)
        abort();
    r->alias = system_map(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    r->original = malloc(nbytes);
    if (r->alias == MAP_FAILED || !r->original)
        abort();
    memcpy(r->original, r->alias, nbytes);
    r->nbytes = nbytes;
    r->data = data;
    if (watched.is_watching)
        syscall(SYS_mprotect, data, whole_pages(nbytes), PROT_NONE);
    let_go();
}

/* These replace functions of the C library. */
void *mmap(void *address, size_t nbytes, int access, int flags, int fd, off_t offset)
{
    char path[512];
    void *data = system_map(address, nbytes, access, flags, fd, offset);
    if (data != MAP_FAILED && access == PROT_READ && is_ours(fd, path))
        remember(data, nbytes, path);
    return data;
}

int munmap(void *address, size_t nbytes)
{
    hold();
    region *r = region_of(address);
    if (r && r->data == address) {
        memcpy(r->alias, r->original, r->nbytes);
        syscall(SYS_munmap, r->alias, r->nbytes);
        free(r->original);
        *r = (region){0};
    }
    const int status = (int)syscall(SYS_munmap, address, nbytes);
    let_go();
    return status;
}

/* The system cannot read ahead what cannot be accessed. */
int madvise(void *address, size_t nbytes, int advice)
{
    hold();
    const bool is_watched = region_of(address) != NULL;
    let_go();
    if (advice == POPULATE_READ && is_watched)
        return 0;
    return (int)syscall(SYS_madvise, address, nbytes, advice);
}

/* --- Changes ---------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t below)
{
    return dvt_draw(&watched.seed) % below;
}

/* A number that a length, count, offset or index should not be. */
static uint64_t hostile_number(uint64_t now)
{
    static const uint64_t numbers[] = {0,          UINT64_MAX, INT32_MAX,         UINT32_C(1) << 31,
                                       0x00FFFFFF, 0x0FFFFFFF, UINT64_C(1) << 62, 0x7FFF,
                                       0x80,       0x1000,     0x10000,           0x7F7F7F7F};
    switch (draw(5)) {
    case 0:
        return now + 1;
    case 1:
        return now - 1;
    case 2:
        return now ^ UINT64_C(1) << draw(32);
    case 3:
        return now * 2 + 5;
    default:
        return numbers[draw(sizeof numbers / sizeof *numbers)];
    }
}

/* The bytes from `at` on become others. */
static void change(region *r, size_t at)
{
    static const size_t widths[] = {1, 1, 2, 4, 4, 4, 8, 64};
    size_t width = widths[draw(sizeof widths / sizeof *widths)];
    uint64_t number = 0;
    if (draw(2))
        at -= at % (width > 8 ? 1 : width);
    if (width > r->nbytes - at)
        width = r->nbytes - at;
    memcpy(&number, r->alias + at, width > 8 ? 8 : width);
    number = hostile_number(number);
    const int filler = draw(2) ? 0xFF : '"';
    if (width <= 8)
        memcpy(r->alias + at, &number, width);
    else
        memset(r->alias + at, draw(3) ? filler : (int)draw(256), width);
    if (draw(16) == 0) /* all that follows, too */
        memset(r->alias + at, filler, r->nbytes - at);
}

/* Anywhere. */
static void change_somewhere(void *ctx)
{
    (void)ctx;
    hold();
    region *r = &watched.regions[draw(REGIONS)];
    for (int i = 0; i < REGIONS && !r->data; i++)
        r = &watched.regions[i];
    if (r->data && draw(3) == 0) {
        if (draw(4) == 0)
            memcpy(r->alias, r->original, r->nbytes);
        else
            change(r, draw(r->nbytes));
    }
    let_go();
}

static struct sigaction before_fault;

/* Make the pages of a region readable.  NULL: the address is in none. */
static region *open_pages(uint8_t *at, bool *is_watching_out)
{
    hold();
    region *r = region_of(at);
    if (r)
        syscall(SYS_mprotect, r->data, whole_pages(r->nbytes), PROT_READ);
    if (r && watched.is_watching)
        watched.read = at;
    *is_watching_out = watched.is_watching;
    let_go();
    return r;
}

/* Execute one instruction, unless another thread has just stopped watching. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    bool is_watching;
    if (!open_pages(info->si_addr, &is_watching)) {
        sigaction(number, &before_fault, NULL); /* raise it again */
        return;
    }
#ifdef __x86_64__
    if (is_watching)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= STEP;
#else
    (void)context;
#endif
}

/* The caller holds the table. */
static void count_read(void)
{
    if (++watched.accesses != watched.change_at && watched.accesses < READS_MOST) {
        protect(PROT_NONE);
        return;
    }
    watched.is_watching = false;
    protect(PROT_READ);
    region *r = region_of(watched.read);
    if (r && watched.accesses == watched.change_at)
        change(r, (size_t)(watched.read - r->data));
}

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
#ifdef __x86_64__
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~STEP;
#else
    (void)context;
#endif
    hold();
    if (watched.is_watching)
        count_read();
    let_go();
}

static void handle_signals(void)
{
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &fault, &before_fault);
    sigaction(SIGTRAP, &step, NULL);
}

/* --- Attempts --------------------------------------------------------------------------------- */

/* One use of one file.  Shared by the processes. */
typedef struct attempt {
    int file, use;
    int32_t threads;
    uint64_t seed;
    bool from_open;    /* reads are counted from there on; else after it */
    int64_t change_at; /* the read after which bytes change; 0: none */
    int64_t accesses;
} attempt;

static void start_watching(int64_t change_at)
{
    hold();
    watched.accesses = 0;
    watched.change_at = change_at;
    watched.is_watching = true;
    protect(PROT_NONE);
    let_go();
}

static void stop_watching(void)
{
    hold();
    watched.is_watching = false;
    protect(PROT_READ);
    let_go();
}

static void restore(void)
{
    for (int i = 0; i < REGIONS; i++)
        if (watched.regions[i].data)
            memcpy(watched.regions[i].alias, watched.regions[i].original,
                   watched.regions[i].nbytes);
}

static void run(attempt *a)
{
    dv_view *view;
    const dv_open_options how = dvt_small_options(&files, a->file);
    const bool is_stepping = a->change_at >= 0;
    watched.seed = a->seed;
    if (is_stepping && a->from_open)
        start_watching(a->change_at);
    const dv_status status = dv_open(&view, files.path[a->file].text, &how, NULL);
    if (status == DV_OK) {
        if (is_stepping && !a->from_open)
            start_watching(a->change_at);
        dvt_every_use(a->use, view, a->seed, a->threads, NULL,
                      is_stepping ? NULL : change_somewhere, NULL);
        stop_watching();
        dv_view_release(&view);
    }
    stop_watching();
    restore();
    a->accesses = watched.accesses;
}

/* All changes of a file in a use, in a process of their own. */
static void run_all(attempt *a, int64_t changes)
{
    alarm(SECONDS);
    handle_signals();
    uint64_t state = a->seed;
    for (int64_t i = 0; i < changes; i++) {
        a->seed = dvt_draw(&state);
        a->from_open = (a->file + a->use + i) % 4 == 3;
        a->threads = 1 + (int32_t)(a->seed % 3);
        a->change_at = -1;
        run(a); /* between calls */
#ifdef __x86_64__
        a->change_at = 0;
        run(a);
        if (a->accesses == 0)
            continue;
        a->change_at = 1 + (int64_t)(dvt_draw(&state) % (uint64_t)a->accesses);
        run(a);
#endif
    }
    _exit(__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check() ? 3 : 0);
}

static int64_t number_of(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoll(text, NULL, 10) : otherwise;
}

static bool is_chosen(const attempt *a)
{
    char text[256];
    const char *only = getenv("DV_CHANGES_ONLY");
    snprintf(text, sizeof text, "%s, %s", files.name[a->file], dvt_every_use_name(a->use));
    return !only || strstr(text, only) != NULL;
}

static void check(attempt *a, uint64_t seed, int64_t changes)
{
    int status = 0;
    if (!is_chosen(a))
        return;
    a->seed = seed + (uint64_t)(a->file * 1000 + a->use);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        run_all(a, changes);
    while (waitpid(child, &status, 0) < 0)
        cr_assert_eq(errno, EINTR);
    cr_expect_eq(status, 0,
                 "%s, %s: seed %" PRIu64 ", read %" PRId64 " of %" PRId64 "%s, %d threads: %s %d",
                 files.name[a->file], dvt_every_use_name(a->use), a->seed, a->change_at,
                 a->accesses, a->from_open ? " from open on" : "", (int)a->threads,
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void make_files(void)
{
    files = dvt_small_files_create();
    for (int i = 0; i < files.n; i++) {
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        const dv_open_options how = dvt_small_options(&files, i);
        const dv_status status = dv_open(&view, files.path[i].text, &how, &err);
        cr_assert_eq(status, DV_OK, "%s: %s", files.name[i], err.message);
        dv_view_release(&view);
    }
}

static void remove_files(void)
{
    dvt_small_files_remove(&files);
}

Test(changing_bytes, no_read_is_trusted_twice, .init = make_files, .fini = remove_files)
{
    const int64_t changes = number_of("DV_CHANGES", 1);
    const int step = getenv("DV_CHANGES") ? 1 : (int)dvt_fail_step(1, 4);
    const uint64_t seed = (uint64_t)number_of("DV_CHANGES_SEED", 1);
    attempt *shared =
        system_map(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)shared, MAP_FAILED);
    for (int file = 0; file < files.n; file++)
        for (int use = 0; use < dvt_every_uses(); use++) {
            *shared = (attempt){.file = file, .use = use};
            if ((file + use) % step == 0)
                check(shared, seed, changes);
        }
    syscall(SYS_munmap, shared, sizeof *shared);
}
