/* SPDX-License-Identifier: MIT */
/* temp_file.c: temporary files, which replace their target or are removed.
 *
 * The lock on a temporary file shows that its saver is alive. Another saver removes a file that it
 * finds unlocked. This can happen between creation and locking; then another file is created. */
#include "io/temp_file.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "io/lock_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* `.NAME.dv-XXXX`, where XXXX are letters and digits. */
static const char mark[] = ".dv-";
static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
#define LETTERS 4
#define AROUND_NAME (1 + sizeof mark - 1 + LETTERS)

#define TRIES_MAX 100 /* to find a free name, of 62^4 */

/* --- Names ------------------------------------------------------------------------------------ */

/* The number of bytes of the target's name that fit, cut between characters. */
static size_t fit_name(const dvi_target *target)
{
    const long limit = fpathconf(target->folder, _PC_NAME_MAX);
    const size_t most = limit > (long)AROUND_NAME && limit < NAME_MAX ? (size_t)limit : NAME_MAX;
    size_t n = strlen(target->name);
    if (n <= most - AROUND_NAME)
        return n;
    n = most - AROUND_NAME;
    while (n > 1 && ((unsigned char)target->name[n] & 0xC0) == 0x80)
        n--;
    return n;
}

/* Write the pattern up to XXXX; returns the offset of XXXX. */
static size_t start_name(char *dst, const dvi_target *target)
{
    const size_t n = fit_name(target);
    dst[0] = '.';
    memcpy(dst + 1, target->name, n);
    memcpy(dst + 1 + n, mark, sizeof mark - 1);
    return 1 + n + sizeof mark - 1;
}

/* The draw need not be good: a name that exists is drawn again. */
static void draw_letters(char *dst, int attempt)
{
    uint64_t draw = 0;
    if (!DVI_ATTEMPT("temp_file.c draw_letters", dvi_os_random(&draw, sizeof draw))) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        draw = (uint64_t)now.tv_nsec * 2654435761u + (uint64_t)getpid() + (uint64_t)attempt;
    }
    for (int i = 0; i < LETTERS; i++, draw /= sizeof letters - 1)
        dst[i] = letters[draw % (sizeof letters - 1)];
    dst[LETTERS] = 0;
}

static bool is_ours(const char *name, const char *start, size_t start_nbytes)
{
    return strncmp(name, start, start_nbytes) == 0 && strlen(name) == start_nbytes + LETTERS &&
           strspn(name + start_nbytes, letters) == LETTERS;
}

/* --- Files left by a crash -------------------------------------------------------------------- */

static void clear_entries(const dvi_target *target, DIR *list)
{
    char start[NAME_MAX + 1];
    const size_t start_nbytes = start_name(start, target);
    const struct dirent *entry;
    while ((entry = readdir(list)) != NULL)
        if (is_ours(entry->d_name, start, start_nbytes))
            dvi_remove_unlocked(target->folder, entry->d_name);
}

void dvi_temp_file_clear(const dvi_target *target)
{
    const int fd =
        target->can_list ? dvi_open_at(target->folder, ".", O_RDONLY | O_DIRECTORY, 0) : -1;
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (list) {
        clear_entries(target, list);
        closedir(list);
    } else if (fd >= 0) {
        close(fd);
    }
}

/* --- The file --------------------------------------------------------------------------------- */

/* DV_NOT_FOUND: the file was removed before it was locked, or another saver is about to. */
static dv_status lock_new(const dvi_temp_file *temp, const dvi_target *target, dv_error *err)
{
    if (dvi_lock_file(temp->fd, LOCK_EX | LOCK_NB) == 0)
        return dvi_file_has_name(temp->fd, target->folder, temp->name) ? DV_OK : DV_NOT_FOUND;
    if (dvi_has_no_locks(errno)) /* then no other saver can lock and remove our file either */
        return DV_OK;
    return errno == EWOULDBLOCK
               ? DV_NOT_FOUND
               : dvi_target_fail(err, errno, "the temporary file cannot be locked");
}

/* A new file gets its mode from the umask. One that replaces a file is private until it gets the
 * mode of that file. */
static dv_status create_locked(dvi_temp_file *temp, const dvi_target *target, dv_error *err)
{
    const mode_t mode = target->exists ? 0600 : 0666;
    temp->fd = dvi_open_at(target->folder, temp->name, O_RDWR | O_CREAT | O_EXCL, mode);
    if (temp->fd < 0)
        return errno == EEXIST ? DV_NOT_FOUND
                               : dvi_target_fail(err, errno, "cannot be saved in this folder");
    temp->is_here = true;
    const dv_status status = lock_new(temp, target, err);
    if (status == DV_NOT_FOUND)
        dvi_temp_file_discard(temp, target);
    return status;
}

dv_status dvi_temp_file_create(dvi_temp_file *temp, const dvi_target *target, dv_error *err)
{
    const size_t at = start_name(temp->name, target);
    temp->fd = -1;
    temp->is_here = false;
    for (int i = 0; i < TRIES_MAX; i++) {
        draw_letters(temp->name + at, i);
        const dv_status status = create_locked(temp, target, err);
        if (status != DV_NOT_FOUND)
            return status;
    }
    return dvi_target_fail(err, EEXIST, "no name is free for a temporary file");
}

/* DV_NOT_FOUND: the saver that held the lock has removed the file. */
static dv_status wait_for(dvi_temp_file *hold, const dvi_target *target, dv_error *err)
{
    hold->fd = dvi_open_at(target->folder, hold->name, O_RDWR | O_CREAT, 0666);
    if (hold->fd < 0)
        return dvi_target_fail(err, errno, "cannot be saved in this folder");
    const int os_code = dvi_lock_file(hold->fd, LOCK_EX) == 0 ? 0 : errno;
    hold->is_here = os_code == 0 || dvi_has_no_locks(os_code);
    if (!hold->is_here)
        return dvi_target_fail(err, os_code, "a file cannot be locked");
    if (dvi_file_has_name(hold->fd, target->folder, hold->name))
        return DV_OK;
    dvi_temp_file_discard(hold, target);
    return DV_NOT_FOUND;
}

dv_status dvi_temp_file_hold(dvi_temp_file *hold, const dvi_target *target, dv_error *err)
{
    static const char held[] = "lock"; /* LETTERS of them */
    dv_status status;
    memcpy(hold->name + start_name(hold->name, target), held, sizeof held);
    hold->is_here = false;
    do
        status = wait_for(hold, target, err);
    while (status == DV_NOT_FOUND);
    return status;
}

static int sync_retry(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result;
}

/* Only root can change the owner of a file; others can change its group to one of theirs. Returns
 * false if the group differs. */
static bool inherit_owner(int fd, const struct stat *now, const struct stat *old)
{
    if (now->st_uid == old->st_uid && now->st_gid == old->st_gid)
        return true;
    return fchown(fd, old->st_uid, old->st_gid) == 0 || now->st_gid == old->st_gid ||
           fchown(fd, (uid_t)-1, old->st_gid) == 0;
}

static dv_status inherit(const dvi_temp_file *temp, const dvi_target *target, dv_error *err)
{
    struct stat st;
    if (!target->exists)
        return DV_OK;
    if (fstat(temp->fd, &st) != 0)
        return dvi_target_fail(err, errno, "cannot be saved");
    mode_t mode = target->old.st_mode & 0777;
    if (!inherit_owner(temp->fd, &st, &target->old))
        mode &= ~(mode_t)0070; /* these permissions were meant for another group */
    if (fchmod(temp->fd, mode) != 0)
        return dvi_target_fail(err, errno, "cannot get the mode of the old file");
    return DV_OK;
}

/* Some file systems report lost bytes only when a file is closed, so close a duplicate. */
static int close_copy(int fd)
{
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 || close(copy) == 0 || errno == EINTR ? 0 : -1;
}

dv_status dvi_temp_file_finish(const dvi_temp_file *temp, const dvi_target *target, bool sync,
                               dv_error *err)
{
    DVI_TRY(inherit(temp, target, err));
    if ((sync ? sync_retry(temp->fd) : close_copy(temp->fd)) != 0)
        return dvi_target_fail(err, errno, "cannot be written to the disk");
    return DV_OK;
}

int dvi_temp_file_rename(dvi_temp_file *temp, const dvi_target *target)
{
    if (renameat(target->folder, temp->name, target->folder, target->name) != 0)
        return errno;
    temp->is_here = false;
    return 0;
}

static int swap_names(const dvi_temp_file *temp, const dvi_target *target)
{
    return dvi_os_swap_names(target->folder, temp->name, target->name);
}

/* If the old file cannot be removed, for example because a folder now has its name, swap back if
 * possible. */
int dvi_temp_file_swap(dvi_temp_file *temp, const dvi_target *target)
{
    const bool is_swapped = swap_names(temp, target) == 0;
    if (is_swapped && (unlinkat(target->folder, temp->name, 0) == 0 || errno == ENOENT ||
                       swap_names(temp, target) != 0)) {
        temp->is_here = false;
        return 0;
    }
    return dvi_temp_file_rename(temp, target);
}

/* A folder that cannot be opened for reading is synced with its whole file system. EINVAL: the file
 * system does not sync folders, and need not. */
int dvi_temp_file_sync_folder(const dvi_temp_file *temp, const dvi_target *target)
{
    const int result =
        target->can_list ? sync_retry(target->folder) : dvi_os_sync_file_system(temp->fd);
    return result == 0 || errno == EINVAL ? 0 : errno;
}

void dvi_temp_file_discard(dvi_temp_file *temp, const dvi_target *target)
{
    if (temp->is_here && dvi_file_has_name(temp->fd, target->folder, temp->name))
        unlinkat(target->folder, temp->name, 0);
    if (temp->fd >= 0)
        close(temp->fd);
    temp->fd = -1;
    temp->is_here = false;
}
