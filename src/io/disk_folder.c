/* SPDX-License-Identifier: MIT */
/* disk_folder.c: a folder of blocks of sources that processes share, of bounded size. */
#include "io/disk_folder.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/os.h"
#include "base/size.h"
#include "io/lock_file.h"
#include <dataview/digest.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUM_NAME "dv-sum"
#define SUM_NBYTES 24
#define TRIES_MAX 200    /* to lock it, */
#define PAUSE_NS 5000000 /* with pauses: a second, and another process may have been stopped */
#define ROOM_PART 8      /* an eighth of the bound is freed at once: the folder is rarely listed */

struct dvi_disk_folder {
    dv_allocator allocator;
    int fd;
    int64_t most;
};

/* --- Listing ---------------------------------------------------------------------------------- */

/* The entries of the folder; NULL with errno. */
static DIR *list_of(const dvi_disk_folder *f)
{
    const int fd = dvi_open_at(f->fd, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (!list && fd >= 0) {
        const int os_code = errno;
        close(fd);
        errno = os_code;
    }
    return list;
}

/* A block, and when it was used last. */
typedef struct found {
    int64_t used;
    int64_t nbytes;
    uint64_t hash[2];
} found;

typedef struct found_blocks {
    found *block;
    size_t n, cap;
    int64_t sum; /* bytes of all files, unfinished ones included */
} found_blocks;

/* Whether the entry is a regular file of this user. */
static bool look_at(const dvi_disk_folder *f, const char *name, struct stat *facts)
{
    return fstatat(f->fd, name, facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts->st_mode) &&
           facts->st_uid == geteuid();
}

/* Returns 0, or ENOMEM. */
static int add_entry(const dvi_disk_folder *f, found_blocks *all, const char *name)
{
    struct stat facts;
    found one = {.used = 0};
    int64_t times[2];
    if (dvi_disk_is_name(name, DVI_DISK_NEW, one.hash)) {
        dvi_remove_unlocked(f->fd, name);
        all->sum += look_at(f, name, &facts) ? facts.st_size : 0;
        return 0;
    }
    if (!dvi_disk_is_name(name, DVI_DISK_KEPT, one.hash) || !look_at(f, name, &facts))
        return 0;
    void *blocks = all->block;
    if (dvi_array_reserve(&f->allocator, &blocks, &all->cap, all->n + 1, sizeof one, NULL) < 0)
        return ENOMEM;
    dvi_os_times(&facts, times);
    one.used = times[0];
    one.nbytes = facts.st_size;
    all->block = blocks;
    all->block[all->n++] = one;
    all->sum += one.nbytes;
    return 0;
}

static int find_all(const dvi_disk_folder *f, found_blocks *all)
{
    DIR *list = list_of(f);
    const struct dirent *entry;
    int os_code = 0;
    if (!list)
        return errno;
    while (os_code == 0 && (entry = readdir(list)) != NULL)
        os_code = add_entry(f, all, entry->d_name);
    closedir(list);
    return os_code;
}

static int compare(const void *a, const void *b)
{
    const found *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return x->hash[0] < y->hash[0] ? -1 : x->hash[0] > y->hash[0];
}

/* Remove blocks, the one used longest ago first, until all files have at most `most` bytes. */
static void remove_oldest(const dvi_disk_folder *f, found_blocks *all, int64_t most)
{
    if (all->n > 0)
        qsort(all->block, all->n, sizeof *all->block, compare);
    for (size_t i = 0; i < all->n && all->sum > most; i++) {
        const dvi_disk_name name = dvi_disk_name_of(all->block[i].hash, DVI_DISK_KEPT);
        if (unlinkat(f->fd, name.text, 0) == 0 || errno == ENOENT)
            all->sum -= all->block[i].nbytes;
    }
}

/* Make room for nbytes; *sum_out: the bytes of the files that are left. */
static int make_room(const dvi_disk_folder *f, int64_t nbytes, int64_t *sum_out)
{
    found_blocks all = {.block = NULL};
    const int os_code = find_all(f, &all);
    if (os_code == 0 && all.sum > f->most - nbytes)
        remove_oldest(f, &all, dvi_max_i64(f->most - f->most / ROOM_PART - nbytes, 0));
    *sum_out = all.sum;
    dvi_free(&f->allocator, all.block, all.cap * sizeof *all.block);
    return os_code;
}

/* --- The sum ---------------------------------------------------------------------------------- */

/* Lock the file of the sum.  Returns 0, or an errno code; EBUSY. */
static int open_sum(const dvi_disk_folder *f, int *fd_out)
{
    const int fd = dvi_open_at(f->fd, SUM_NAME, O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY, 0600);
    struct stat facts;
    int os_code = fd < 0 ? errno : 0;
    if (fd >= 0 && (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)))
        os_code = EPERM;
    for (int i = 0; os_code == 0 && dvi_lock_file(fd, LOCK_EX | LOCK_NB) != 0; i++) {
        os_code = errno != EWOULDBLOCK ? errno : i < TRIES_MAX ? 0 : EBUSY;
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    }
    if (os_code != 0 && fd >= 0)
        close(fd);
    *fd_out = os_code == 0 ? fd : -1;
    return os_code;
}

/* A child process that was forked in the meantime holds the lock, too, until it is given back. */
static void close_sum(int fd)
{
    (void)dvi_lock_file(fd, LOCK_UN);
    close(fd);
}

/* The sum that the file has; -1: it has none. */
static int64_t read_sum(int fd)
{
    uint8_t bytes[SUM_NBYTES];
    if (pread(fd, bytes, sizeof bytes, 0) != SUM_NBYTES || memcmp(bytes, SUM_NAME "1", 8) != 0 ||
        dvi_load_u64(bytes + 16) != dv_digest_8(bytes, 16, 0))
        return -1;
    return dvi_load_i64(bytes + 8);
}

static int write_sum(int fd, int64_t sum)
{
    uint8_t bytes[SUM_NBYTES];
    memcpy(bytes, SUM_NAME "1", 8);
    dvi_store_i64(bytes + 8, sum);
    dvi_store_i64(bytes + 16, (int64_t)dv_digest_8(bytes, 16, 0));
    const ssize_t put = pwrite(fd, bytes, sizeof bytes, 0);
    return put == SUM_NBYTES ? 0 : put < 0 ? errno : ENOSPC;
}

int dvi_disk_folder_reserve(const dvi_disk_folder *f, int file, int64_t nbytes)
{
    int fd;
    int os_code = open_sum(f, &fd);
    if (os_code != 0)
        return os_code;
    int64_t sum = read_sum(fd);
    if (sum < 0 || sum > f->most - nbytes)
        os_code = make_room(f, nbytes, &sum);
    if (os_code == 0 && sum > f->most - nbytes)
        os_code = EBUSY; /* files that others are writing have it */
    else if (os_code == 0)
        os_code = write_sum(fd, sum + nbytes);
    if (os_code == 0 && ftruncate(file, nbytes) != 0) /* so that it is counted */
        os_code = errno;
    close_sum(fd);
    return os_code;
}

/* --- Life ------------------------------------------------------------------------------------- */

/* Remove files that killed processes left. */
static void clear(const dvi_disk_folder *f)
{
    DIR *list = list_of(f);
    const struct dirent *entry;
    uint64_t hash[2];
    while (list && (entry = readdir(list)) != NULL)
        if (dvi_disk_is_name(entry->d_name, DVI_DISK_NEW, hash))
            dvi_remove_unlocked(f->fd, entry->d_name);
    if (list)
        closedir(list);
}

static int open_or_make(const char *path)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    const int fd = open(path, flags);
    if (fd >= 0 || errno != ENOENT || (mkdir(path, 0700) != 0 && errno != EEXIST))
        return fd;
    return open(path, flags);
}

static dv_status check_owner(int fd, const char *path, dv_error *err)
{
    struct stat facts;
    DVI_REQUIRE(fstat(fd, &facts) == 0, dvi_fail_os(err, errno, "disk_folder"));
    DVI_REQUIRE(facts.st_uid == geteuid(),
                dvi_fail_argument(err,
                                  "disk_folder \"%s\" belongs to another user: name a folder "
                                  "of your own",
                                  path));
    DVI_REQUIRE((facts.st_mode & (S_IWGRP | S_IWOTH)) == 0,
                dvi_fail_argument(err,
                                  "disk_folder \"%s\": other users may write to it, and blocks "
                                  "could be theirs: chmod go-w, or name another folder",
                                  path));
    return DV_OK;
}

dv_status dvi_disk_folder_open(dvi_disk_folder **folder_out, const char *path, int64_t nbytes,
                               const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *folder_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_disk_folder), err));
    dvi_disk_folder *f = made;
    f->allocator = dvi_allocator_of(allocator);
    f->most = nbytes;
    f->fd = open_or_make(path);
    dv_status status = f->fd < 0 ? dvi_fail_os(err, errno, "disk_folder, cannot be opened") : DV_OK;
    if (status < 0)
        dvi_error_set_file(err, path);
    else
        status = check_owner(f->fd, path, err);
    if (status < 0)
        dvi_disk_folder_close(&f);
    else
        clear(f);
    *folder_out = f;
    return status;
}

void dvi_disk_folder_close(dvi_disk_folder **folder)
{
    dvi_disk_folder *f = *folder;
    *folder = NULL;
    if (!f)
        return;
    const dv_allocator allocator = f->allocator;
    if (f->fd >= 0)
        close(f->fd);
    dvi_free(&allocator, f, sizeof *f);
}

int dvi_disk_folder_fd(const dvi_disk_folder *f)
{
    return f->fd;
}
