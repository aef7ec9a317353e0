/* SPDX-License-Identifier: MIT */
/* disk_block.c: blocks of sources as files of a folder, checked before they are used. */
#include "io/disk_block.h"
#include "base/load.h"
#include "base/os.h"
#include "base/size.h"
#include "io/lock_file.h"
#include <dataview/digest.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUMS_OFFSET 40
#define KEY_OFFSET 168
#define HEX 32
#define TRIES_MAX 100                      /* to lock a file that others remove or rename */
#define USED_NS (INT64_C(60) * 1000000000) /* a use is noted once in a minute */

static const char mark[8] = {'D', 'V', 'B', 'L', 'O', 'C', 'K', '1'};
static const char prefix[] = "dv-";

/* --- Names ------------------------------------------------------------------------------------ */

int64_t dvi_disk_block_nbytes(const dvi_disk_key *key, int64_t number)
{
    return dvi_min_i64(DVI_DISK_BLOCK_NBYTES, key->nbytes - number * DVI_DISK_BLOCK_NBYTES);
}

dvi_disk_name dvi_disk_name_of(const uint64_t hash[2], const char *suffix)
{
    dvi_disk_name name;
    snprintf(name.text, sizeof name.text, "%s%016" PRIx64 "%016" PRIx64 "%s", prefix, hash[0],
             hash[1], suffix);
    return name;
}

dvi_disk_name dvi_disk_block_name(const dvi_disk_key *key, int64_t number, const char *suffix)
{
    const dv_u128 text = dv_digest_16(key->text, key->text_nbytes, 0);
    const uint64_t parts[4] = {text.lo, text.hi, (uint64_t)key->nbytes, (uint64_t)number};
    const dv_u128 hash = dv_digest_16(parts, sizeof parts, 0);
    return dvi_disk_name_of((const uint64_t[]){hash.hi, hash.lo}, suffix);
}

static bool read_digits(const char *text, uint64_t *value_out)
{
    static const char digits[] = "0123456789abcdef";
    *value_out = 0;
    for (int i = 0; i < HEX / 2; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        *value_out = *value_out << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

bool dvi_disk_is_name(const char *name, const char *suffix, uint64_t hash_out[2])
{
    const size_t before = sizeof prefix - 1;
    return strlen(name) == before + HEX + strlen(suffix) && strncmp(name, prefix, before) == 0 &&
           strcmp(name + before + HEX, suffix) == 0 && read_digits(name + before, &hash_out[0]) &&
           read_digits(name + before + HEX / 2, &hash_out[1]);
}

/* --- The head --------------------------------------------------------------------------------- */

/* The bytes of chunk i of a block of nbytes; 0 or less: it has none. */
static int64_t chunk_nbytes(int64_t nbytes, int64_t i)
{
    return dvi_min_i64(DVI_DISK_CHUNK_NBYTES, nbytes - i * DVI_DISK_CHUNK_NBYTES);
}

/* All but the checksums, which are 0. */
static void write_head(uint8_t *head, const dvi_disk_key *key, int64_t number)
{
    memset(head, 0, DVI_DISK_HEAD_NBYTES);
    memcpy(head, mark, sizeof mark);
    dvi_store_i64(head + 8, key->nbytes);
    dvi_store_i64(head + 16, number);
    dvi_store_i64(head + 24, dvi_disk_block_nbytes(key, number));
    dvi_store_i64(head + 32, (int64_t)key->text_nbytes);
    memcpy(head + KEY_OFFSET, key->text, key->text_nbytes);
}

/* Is it the head of the block?  Checksums are compared with the chunks later. */
static bool is_head(const uint8_t *head, const dvi_disk_key *key, int64_t number)
{
    uint8_t expected[DVI_DISK_HEAD_NBYTES];
    write_head(expected, key, number);
    return memcmp(head, expected, SUMS_OFFSET) == 0 &&
           memcmp(head + KEY_OFFSET, expected + KEY_OFFSET, sizeof expected - KEY_OFFSET) == 0;
}

static uint64_t sum_of(const uint8_t *head, int64_t chunk)
{
    return dvi_load_u64(head + SUMS_OFFSET + 8 * chunk);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static bool read_all(int fd, uint8_t *dst, int64_t n, int64_t offset)
{
    while (n > 0) {
        const ssize_t got = pread(fd, dst, (size_t)n, (off_t)offset);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        dst += dvi_max_i64(got, 0);
        offset += dvi_max_i64(got, 0);
        n -= dvi_max_i64(got, 0);
    }
    return true;
}

/* Read and check a whole chunk, and copy its bytes between from and from + n of the block. */
static bool read_chunk(int fd, const uint8_t *head, int64_t chunk, int64_t from, int64_t n,
                       uint8_t *dst, uint8_t *room)
{
    const int64_t begin = chunk * DVI_DISK_CHUNK_NBYTES;
    const int64_t nbytes = chunk_nbytes(dvi_load_i64(head + 24), chunk);
    const int64_t first = dvi_max_i64(from, begin);
    const int64_t end = dvi_min_i64(from + n, begin + nbytes);
    const bool is_whole = first == begin && end == begin + nbytes;
    uint8_t *to = is_whole ? dst + (begin - from) : room;
    if (!read_all(fd, to, nbytes, DVI_DISK_HEAD_NBYTES + begin) ||
        dv_digest_8(to, (size_t)nbytes, 0) != sum_of(head, chunk))
        return false;
    if (!is_whole)
        memcpy(dst + (first - from), room + (first - begin), (size_t)(end - first));
    return true;
}

/* Files of other users are not trusted. */
static bool is_sound(const struct stat *facts, const dvi_disk_key *key, int64_t number)
{
    return S_ISREG(facts->st_mode) && facts->st_uid == geteuid() &&
           facts->st_size == DVI_DISK_HEAD_NBYTES + dvi_disk_block_nbytes(key, number);
}

/* The least recently used blocks are removed first. */
static void note_use(int fd, const struct stat *facts)
{
    struct timespec now = {0};
    int64_t times[2];
    clock_gettime(CLOCK_REALTIME, &now);
    dvi_os_times(facts, times);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (times[0] < now_ns - USED_NS || times[0] > now_ns)
        (void)futimens(fd, NULL);
}

static bool read_open(int fd, const dvi_disk_key *key, int64_t number, int64_t from, int64_t n,
                      uint8_t *dst, uint8_t *room)
{
    uint8_t head[DVI_DISK_HEAD_NBYTES];
    struct stat facts;
    if (fstat(fd, &facts) != 0 || !is_sound(&facts, key, number) ||
        !read_all(fd, head, sizeof head, 0) || !is_head(head, key, number))
        return false;
    note_use(fd, &facts);
    for (int64_t k = from / DVI_DISK_CHUNK_NBYTES; k * DVI_DISK_CHUNK_NBYTES < from + n; k++)
        if (!read_chunk(fd, head, k, from, n, dst, room))
            return false;
    return true;
}

bool dvi_disk_block_exists(int folder, const dvi_disk_key *key, int64_t number)
{
    const dvi_disk_name name = dvi_disk_block_name(key, number, DVI_DISK_KEPT);
    struct stat facts;
    return fstatat(folder, name.text, &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

bool dvi_disk_block_read(int folder, const dvi_disk_key *key, int64_t number, int64_t from,
                         int64_t n, uint8_t *dst, uint8_t *room)
{
    const dvi_disk_name name = dvi_disk_block_name(key, number, DVI_DISK_KEPT);
    const int fd = dvi_open_at(folder, name.text, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    const bool is_read = fd >= 0 && read_open(fd, key, number, from, n, dst, room);
    if (fd >= 0)
        close(fd);
    return is_read;
}

/* --- Fetching --------------------------------------------------------------------------------- */

/* A child process that was forked in the meantime holds the lock, too, until it is given back. */
static void let_go(dvi_disk_claim *claim)
{
    (void)dvi_lock_file(claim->fd, LOCK_UN);
    close(claim->fd);
    claim->fd = -1;
}

static bool is_own(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid();
}

/* Open the file and lock it.  EAGAIN: it became a block, or was removed, before it was locked. */
static int take_once(dvi_disk_claim *claim, int folder)
{
    claim->fd =
        dvi_open_at(folder, claim->name.text, O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY, 0600);
    if (claim->fd < 0)
        return errno;
    int os_code = dvi_lock_file(claim->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (os_code == EWOULDBLOCK)
        os_code = EBUSY;
    else if (os_code == 0 && !dvi_file_has_name(claim->fd, folder, claim->name.text))
        os_code = EAGAIN;
    else if (os_code == 0 && !is_own(claim->fd))
        os_code = EPERM;
    if (os_code != 0) {
        close(claim->fd);
        claim->fd = -1;
    }
    return os_code;
}

int dvi_disk_claim_take(dvi_disk_claim *claim, int folder, const dvi_disk_key *key, int64_t number)
{
    int os_code = EAGAIN;
    claim->name = dvi_disk_block_name(key, number, DVI_DISK_NEW);
    for (int i = 0; i < TRIES_MAX && os_code == EAGAIN; i++)
        os_code = take_once(claim, folder);
    return os_code == EAGAIN ? EBUSY : os_code;
}

static int write_all(int fd, const uint8_t *src, int64_t n, int64_t offset)
{
    while (n > 0) {
        const ssize_t put = pwrite(fd, src, (size_t)n, (off_t)offset);
        if (put < 0 && errno != EINTR)
            return errno;
        if (put == 0)
            return ENOSPC;
        src += dvi_max_i64(put, 0);
        offset += dvi_max_i64(put, 0);
        n -= dvi_max_i64(put, 0);
    }
    return 0;
}

static int write_file(int fd, const dvi_disk_key *key, int64_t number, const uint8_t *data)
{
    uint8_t head[DVI_DISK_HEAD_NBYTES];
    const int64_t nbytes = dvi_disk_block_nbytes(key, number);
    write_head(head, key, number);
    for (int64_t i = 0; chunk_nbytes(nbytes, i) > 0; i++)
        dvi_store_i64(head + SUMS_OFFSET + 8 * i,
                      (int64_t)dv_digest_8(data + i * DVI_DISK_CHUNK_NBYTES,
                                           (size_t)chunk_nbytes(nbytes, i), 0));
    const int os_code = write_all(fd, head, sizeof head, 0);
    return os_code != 0 ? os_code : write_all(fd, data, nbytes, sizeof head);
}

int dvi_disk_claim_keep(dvi_disk_claim *claim, int folder, const dvi_disk_key *key, int64_t number,
                        const uint8_t *data)
{
    const dvi_disk_name name = dvi_disk_block_name(key, number, DVI_DISK_KEPT);
    const int os_code = write_file(claim->fd, key, number, data);
    if (os_code != 0)
        return os_code;
    if (renameat(folder, claim->name.text, folder, name.text) != 0)
        return errno;
    let_go(claim);
    return 0;
}

void dvi_disk_claim_end(dvi_disk_claim *claim, int folder)
{
    if (claim->fd < 0)
        return;
    unlinkat(folder, claim->name.text, 0);
    let_go(claim);
}
