/* SPDX-License-Identifier: MIT */
/* map.c: what all backends share: opening, references, checked access to spans. */
#include "io/map.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that are not regular, and advice for the user. */
static const struct {
    mode_t format;
    int os_code;
    const char *found;
} others[] = {
    {S_IFDIR, EISDIR, "a directory: name a file in it"},
    {S_IFIFO, ESPIPE, "a pipe: save it into a file first"},
    {S_IFSOCK, ESPIPE, "a socket: save what it sends into a file first"},
    {S_IFCHR, ENODEV, "a device: copy it into a file first"},
    {S_IFBLK, ENODEV, "a device: copy it into a file first"},
};

static dv_status check_regular(mode_t mode, dv_error *err)
{
    if (S_ISREG(mode))
        return DV_OK;
    size_t i = 0;
    while (i < sizeof others / sizeof *others - 1 && others[i].format != (mode & S_IFMT))
        i++;
    dvi_fail(err, DV_ERR_IO, "", -1, "cannot be opened", "a regular file|%s", others[i].found);
    if (err)
        err->os_code = others[i].os_code;
    return DV_ERR_IO;
}

/* A regular file. */
typedef struct regular {
    int fd;
    int64_t nbytes;
    uint64_t device;
    bool is_named;
} regular;

/* O_NONBLOCK: opening a pipe must not block. O_NOCTTY: a terminal must not become ours. */
static dv_status open_path(int *fd_out, const char *path, dv_error *err)
{
    do
        *fd_out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (*fd_out < 0 && errno == EINTR);
    return *fd_out < 0 ? dvi_fail_os(err, errno, "cannot be opened") : DV_OK;
}

/* Check before opening: a socket cannot be opened, and opening acts on some devices. Check again
 * afterwards: the name may lead to another file by then. */
static dv_status open_regular(regular *o, const char *path, dv_error *err)
{
    struct stat named, st;
    if (stat(path, &named) != 0)
        return dvi_fail_os(err, errno, "cannot be opened");
    DVI_TRY(check_regular(named.st_mode, err));
    int fd;
    DVI_TRY(open_path(&fd, path, err));
    const dv_status status = fstat(fd, &st) != 0 ? dvi_fail_os(err, errno, "cannot be opened")
                                                 : check_regular(st.st_mode, err);
    if (status != DV_OK) {
        close(fd);
        return status;
    }
    *o = (regular){fd, st.st_size, (uint64_t)st.st_dev,
                   named.st_dev == st.st_dev && named.st_ino == st.st_ino};
    return DV_OK;
}

/* The network file system of a file; "": none. */
static const char *find_file_system(const regular *o, dvi_map_common *common)
{
    if (!common->file_system || common->device != o->device)
        common->file_system = dvi_os_network(o->fd);
    common->device = o->device;
    return common->file_system;
}

static dv_status open_backend(dvi_map **map_out, const char *path, dv_io io, dvi_map_common *common,
                              const dv_allocator *allocator, dv_error *err)
{
    regular o = {.fd = -1};
    DVI_TRY(open_regular(&o, path, err));
    const char *file_system = io == DV_IO_AUTO ? find_file_system(&o, common) : "";
    const dv_status status =
        io == DV_IO_PREAD || *file_system
            ? dvi_map_open_pread(map_out, o.fd, o.nbytes, path, allocator, err)
            : dvi_map_open_posix(map_out, o.fd, o.nbytes, path, allocator, err);
    if (status != DV_OK) {
        close(o.fd);
        return status;
    }
    dvi_map *map = *map_out;
    map->file_system = file_system;
    map->is_named = o.is_named;
    map->is_held = true;
    map->held = common->memory;
    common->memory = NULL;
    return DV_OK;
}

void dvi_map_settle(dvi_map *map, dvi_map_common *common)
{
    dvi_map *stored = dvi_map_stored(map);
    dvi_memory_release(&common->memory);
    common->memory = stored->held;
    stored->held = NULL;
    stored->held_nbytes = 0;
    stored->is_held = false;
    if (!stored->backend->settle || !stored->is_named)
        return;
    if (common->descriptors == 0)
        common->descriptors = dvi_descriptor_most();
    stored->backend->settle(stored, common->descriptors);
}

void dvi_map_common_free(dvi_map_common *common)
{
    dvi_memory_release(&common->memory);
}

dv_status dvi_map_open(dvi_map **map_out, const char *path, dv_io io, const dv_allocator *allocator,
                       dv_error *err)
{
    dvi_map_common common = {.device = 0};
    DVI_TRY(dvi_map_open_held(map_out, path, io, &common, allocator, err));
    dvi_map_settle(*map_out, &common);
    dvi_map_common_free(&common);
    return DV_OK;
}

dv_status dvi_map_open_held(dvi_map **map_out, const char *path, dv_io io, dvi_map_common *common,
                            const dv_allocator *allocator, dv_error *err)
{
    *map_out = NULL;
    const dv_status status = open_backend(map_out, path, io, common, allocator, err);
    if (status != DV_OK && strstr(path, "://"))
        dvi_error_advise(err, "a URL is opened in Python (dv.open), or fetched into a file first");
    if (status != DV_OK)
        dvi_error_set_file(err, path);
    return status;
}

/* --- Files beside a file ---------------------------------------------------------------------- */

/* The name of a file and the suffix. */
static dv_status suffixed(char **path_out, size_t *nbytes_out, const dvi_map *map,
                          const char *suffix, dv_error *err)
{
    const size_t n = strlen(map->name), m = strlen(suffix) + 1;
    void *made;
    DVI_TRY(dvi_alloc(&map->allocator, &made, n + m, err));
    memcpy(made, map->name, n);
    memcpy((char *)made + n, suffix, m);
    *path_out = made;
    *nbytes_out = n + m;
    return DV_OK;
}

static dv_status open_path_beside(dvi_map **map_out, const char *path, dv_io io,
                                  const dv_allocator *allocator, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    const dv_status status = dvi_map_open(map_out, path, io, allocator, &found);
    if (status < 0 && found.os_code == ENOENT)
        return DV_NOT_FOUND;
    if (status < 0 && err)
        *err = found;
    return status;
}

dv_status dvi_map_open_beside(dvi_map **map_out, const dvi_map *map, const char *suffix, dv_io io,
                              const dv_allocator *allocator, dv_error *err)
{
    char *path;
    size_t nbytes;
    *map_out = NULL;
    if (map->backend->beside)
        return map->backend->beside(map, suffix, map_out, err);
    if (!dvi_map_is_file(map))
        return DV_NOT_FOUND;
    DVI_TRY(suffixed(&path, &nbytes, map, suffix, err));
    const dv_status status = open_path_beside(map_out, path, io, allocator, err);
    dvi_free(&map->allocator, path, nbytes);
    return status;
}

/* A file exists even if it cannot be read. */
static dv_status has_path_beside(const dvi_map *map, const char *suffix, dv_error *err)
{
    char *path;
    size_t nbytes;
    if (!dvi_map_is_file(map))
        return DV_NOT_FOUND;
    DVI_TRY(suffixed(&path, &nbytes, map, suffix, err));
    const int os_code = access(path, F_OK) == 0 ? 0 : errno;
    dv_status status = os_code == 0 ? DV_OK : DV_NOT_FOUND;
    if (os_code != 0 && os_code != ENOENT && os_code != ENOTDIR && os_code != ENAMETOOLONG) {
        status = dvi_fail_os(err, os_code, "looking for it");
        dvi_error_set_file(err, path);
    }
    dvi_free(&map->allocator, path, nbytes);
    return status;
}

dv_status dvi_map_has_beside(const dvi_map *map, const char *suffix, dv_error *err)
{
    dvi_map *beside;
    if (!map->backend->beside)
        return has_path_beside(map, suffix, err);
    const dv_status status = map->backend->beside(map, suffix, &beside, err);
    dvi_map_release(&beside);
    return status;
}

/* --- References ------------------------------------------------------------------------------- */

static void release_map(dv_owner *owner)
{
    dvi_map *map = (dvi_map *)owner;
    map->backend->close(map);
    dvi_memory_release(&map->held);
    const dv_allocator allocator = map->allocator;
    dvi_free(&allocator, map->left, map->windows);
    dvi_free(&allocator, map, map->whole_nbytes);
}

dv_status dvi_map_create(dvi_map **map_out, size_t struct_nbytes, const dvi_map_backend *backend,
                         int64_t file_nbytes, const char *name, const dv_allocator *allocator,
                         dv_error *err)
{
    *map_out = NULL;
    const size_t name_nbytes = strlen(name) + 1;
    const size_t whole_nbytes = struct_nbytes + name_nbytes;
    void *made;
    DVI_TRY(dvi_alloc_struct(allocator, &made, whole_nbytes, err));
    char *name_copy = (char *)made + struct_nbytes;
    memcpy(name_copy, name, name_nbytes);

    dvi_map *map = made;
    dvi_owner_init(&map->owner, release_map);
    map->allocator = dvi_allocator_of(allocator);
    map->backend = backend;
    atomic_init(&map->nbytes, file_nbytes);
    map->name = name_copy;
    map->file_system = "";
    map->whole_nbytes = whole_nbytes;
    *map_out = map;
    return DV_OK;
}

void dvi_map_retain(dvi_map *map)
{
    dvi_owner_retain(&map->owner);
}

void dvi_map_release(dvi_map **map)
{
    if (*map)
        dvi_owner_release(&(*map)->owner);
    *map = NULL;
}

bool dvi_map_was_stream(const dvi_map *map)
{
    return dvi_map_is_stream(map) || map->is_spooled;
}

bool dvi_map_is_file(const dvi_map *map)
{
    return map->backend->file != NULL && !map->is_spooled;
}

/* What the system knows of the file that was opened. */
static dv_status stat_opened(const dvi_map *map, struct stat *st, dv_error *err)
{
    const dvi_descriptor *file = map->backend->file(map);
    int fd;
    DVI_TRY(dvi_descriptor_take(file, &fd, err));
    const int os_code = fstat(fd, st) == 0 ? 0 : errno;
    dvi_descriptor_give(file, fd);
    return os_code == 0 ? DV_OK : dvi_fail_os(err, os_code, "reading its times");
}

dv_status dvi_map_check_name(const dvi_map *map, dv_error *err)
{
    struct stat opened, named;
    if (stat_opened(map, &opened, NULL) == DV_OK && stat(map->name, &named) == 0 &&
        opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
        return DV_OK;
    dvi_fail(err, DV_ERR_IO, "", -1, "its name", "the file that was opened|another, or none");
    dvi_error_set_file(err, map->name);
    return DV_ERR_IO;
}

dv_status dvi_map_times(const dvi_map *map, int64_t times_out[2], dv_error *err)
{
    struct stat now;
    times_out[0] = times_out[1] = 0;
    if (!dvi_map_is_file(map))
        return DV_OK;
    DVI_TRY(stat_opened(map, &now, err));
    dvi_os_times(&now, times_out);
    return DV_OK;
}

int64_t dvi_map_nbytes(const dvi_map *map)
{
    return map->nbytes;
}

dv_status dvi_map_reach(dvi_map *map, int64_t nbytes, int64_t *nbytes_out, dv_error *err)
{
    dv_status status = DV_OK;
    if (nbytes >= map->nbytes && map->backend->reach)
        status = map->backend->reach(map, nbytes, err);
    if (status != DV_OK)
        dvi_error_set_file(err, map->name);
    *nbytes_out = map->nbytes;
    return status;
}

dv_status dvi_map_begin_reading(dvi_map *map, bool is_ahead, dvi_map **reading_out, dv_error *err)
{
    *reading_out = NULL;
    if (!map->backend->begin) {
        dvi_map_retain(map);
        *reading_out = map;
        return DV_OK;
    }
    const dv_status status = map->backend->begin(map, is_ahead, reading_out, err);
    if (status != DV_OK)
        dvi_error_set_file(err, map->name);
    return status;
}

const char *dvi_map_name(const dvi_map *map)
{
    return map->name;
}

bool dvi_map_is_copied(const dvi_map *map)
{
    return map->is_copied;
}

const char *dvi_map_file_system(const dvi_map *map)
{
    return map->file_system;
}

dvi_map_reason dvi_map_why_copied(const dvi_map *map)
{
    dvi_map_reason reason = {"a file that is read by copies"};
    if (*map->file_system)
        snprintf(reason.text, sizeof reason.text, "a file on %s, which is read (io = mmap maps it)",
                 map->file_system);
    return reason;
}

const dv_allocator *dvi_map_allocator(const dvi_map *map)
{
    return &map->allocator;
}

static bool is_inside(const dvi_map *map, int64_t offset, size_t nbytes)
{
    return offset >= 0 && offset <= map->nbytes && nbytes <= (size_t)(map->nbytes - offset);
}

static dv_status find_span(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                           dvi_span *span_out, dv_error *err)
{
    static const uint8_t none[1];
    DVI_REQUIRE(is_inside(map, offset, nbytes),
                dvi_fail_argument(err, "%zu bytes at %" PRId64 " of a file of %" PRId64, nbytes,
                                  offset, (int64_t)map->nbytes));
    if (nbytes > 0)
        return map->backend->span(map, offset, nbytes, memory, span_out, err);
    *span_out = (dvi_span){none, 0, offset, &map->owner, true};
    return DV_OK;
}

dv_status dvi_map_span_unchecked(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                                 dvi_span *span_out, dv_error *err)
{
    assert(is_inside(map, offset, nbytes));
    *span_out = (dvi_span){0};
    const dv_status status = find_span(map, offset, nbytes, memory, span_out, err);
    if (status != DV_OK)
        dvi_error_set_file(err, map->name);
    return status;
}

/* Copied bytes were read. Mapped bytes exist if the file is still long enough. */
static dv_status find_sound_span(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                                 dvi_span *span_out, dv_error *err)
{
    DVI_TRY(dvi_map_span_unchecked(map, offset, nbytes, memory, span_out, err));
    const dv_status status = nbytes > 0 && span_out->is_borrowed ? dvi_map_check(map, err) : DV_OK;
    if (status != DV_OK)
        *span_out = (dvi_span){0};
    return status;
}

static dv_status copy(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                      dvi_span *span_out, dv_error *err)
{
    const dv_status status = is_inside(map, offset, nbytes) && nbytes > 0 && map->backend->copy
                                 ? map->backend->copy(map, offset, nbytes, memory, span_out, err)
                                 : DV_NOT_FOUND;
    if (status < 0)
        dvi_error_set_file(err, map->name);
    if (status != DV_NOT_FOUND)
        return status;
    DVI_TRY(find_sound_span(map, offset, nbytes, memory, span_out, err));
    if (!span_out->is_borrowed)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(memory, &map->allocator, nbytes, err));
    memcpy((*memory)->data, span_out->data, nbytes);
    *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return DV_OK;
}

/* What a map holds while it is opened: a page from the first byte that is wanted, or a range that
 * is announced. */
#define HELD_NBYTES INT64_C(4096)
#define HELD_NBYTES_MOST (INT64_C(16) << 10)

static bool holds(const dvi_map *map, int64_t offset, int64_t nbytes)
{
    return offset >= map->held_at && nbytes <= map->held_nbytes &&
           offset - map->held_at <= map->held_nbytes - nbytes;
}

static dv_status hold(dvi_map *map, int64_t offset, int64_t nbytes, dv_error *err)
{
    dvi_span span;
    map->held_nbytes = 0;
    DVI_TRY(copy(map, offset, (size_t)nbytes, &map->held, &span, err));
    map->held_at = offset;
    map->held_nbytes = nbytes;
    return DV_OK;
}

void dvi_map_hold(dvi_map *map, const dvi_range *range)
{
    if (map->is_held && range->nbytes > 0 && range->nbytes <= HELD_NBYTES_MOST &&
        !holds(map, range->offset, range->nbytes))
        hold(map, range->offset, range->nbytes, NULL);
}

dv_status dvi_map_copy(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                       dvi_span *span_out, dv_error *err)
{
    if (!map->is_held || nbytes == 0 || nbytes > HELD_NBYTES || !is_inside(map, offset, nbytes))
        return copy(map, offset, nbytes, memory, span_out, err);
    if (!holds(map, offset, (int64_t)nbytes))
        DVI_TRY(hold(map, offset, dvi_min_i64(HELD_NBYTES, map->nbytes - offset), err));
    dvi_memory_release(memory);
    *memory = map->held;
    dvi_owner_retain(&map->held->owner);
    const uint8_t *data = map->held->data + (offset - map->held_at);
    *span_out = (dvi_span){data, nbytes, offset, &map->held->owner, false};
    return DV_OK;
}

/* To read a small file takes less time than to map it: opening a format does no more. */
dv_status dvi_map_span(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                       dvi_span *span_out, dv_error *err)
{
    const bool is_small = map->is_held && memory && map->nbytes <= HELD_NBYTES;
    return (is_small ? dvi_map_copy : find_sound_span)(map, offset, nbytes, memory, span_out, err);
}

dv_status dvi_map_check(dvi_map *map, dv_error *err)
{
    const dv_status status = map->backend->check(map, err);
    if (status != DV_OK)
        dvi_error_set_file(err, map->name);
    return status;
}

void dvi_map_advise(dvi_map *map, int64_t offset, int64_t nbytes)
{
    if (offset >= 0 && offset < map->nbytes && nbytes > 0)
        map->backend->advise(map, offset, dvi_min_i64(nbytes, map->nbytes - offset));
}

dv_status dvi_map_fail_shrank(dv_error *err, int64_t file_nbytes, int64_t found_nbytes)
{
    return dvi_fail(err, DV_ERR_IO, "", found_nbytes, "the file shrank after it was opened",
                    "%" PRId64 " bytes|%" PRId64, file_nbytes, found_nbytes);
}

/* The length of the file now. */
static dv_status length_of(const dvi_descriptor *file, int64_t *nbytes_out, dv_error *err)
{
    int fd;
    DVI_TRY(dvi_descriptor_take(file, &fd, err));
    /* Half the cost of fstat. Nothing else uses the position of this descriptor. */
    const off_t found = lseek(fd, 0, SEEK_END);
    const int os_code = errno;
    dvi_descriptor_give(file, fd);
    *nbytes_out = found;
    return found >= 0 ? DV_OK : dvi_fail_os(err, os_code, "reading the file's length");
}

dv_status dvi_map_check_length(const dvi_descriptor *file, int64_t file_nbytes, dv_error *err)
{
    int64_t found;
    DVI_TRY(length_of(file, &found, err));
    DVI_REQUIRE(found >= file_nbytes, dvi_map_fail_shrank(err, file_nbytes, found));
    return DV_OK;
}

dv_status dvi_map_reach_length(dvi_map *map, const dvi_descriptor *file, dv_error *err)
{
    int64_t found;
    DVI_TRY(length_of(file, &found, err));
    int_fast64_t known = map->nbytes;
    while (found > known && !atomic_compare_exchange_weak(&map->nbytes, &known, found))
        ;
    return DV_OK;
}
