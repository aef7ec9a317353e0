/* SPDX-License-Identifier: MIT */
/* datadings_bare.c: what our side of datadings_peer.py cannot do without, as loops that check
 * nothing. */
#include <dataview/dataview.h>
#include <blake2.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BARE __attribute__((visibility("default")))

BARE uint64_t dvb_bare_hash(const char *const *keys, int64_t n);
BARE uint64_t dvb_bare_sum(const uint8_t *messages, int64_t nbytes);
BARE int64_t dvb_bare_open(const char *path);

/* A salted BLAKE2s of each key. */
uint64_t dvb_bare_hash(const char *const *keys, int64_t n)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        blake2s_param param = {.digest_length = 32, .fanout = 1, .depth = 1, .salt = {1}};
        blake2s_state state;
        uint8_t digest[32];
        uint64_t head;
        blake2s_init_param(&state, &param);
        blake2s_update(&state, (const uint8_t *)keys[i], strlen(keys[i]));
        blake2s_final(&state, digest, sizeof digest);
        memcpy(&head, digest, sizeof head);
        sum += head;
    }
    return sum;
}

/* --- Samples {key: str, image: bin, label: int} as columns ------------------------------------ */

enum { ROWS = 4096, NBYTES = 256 << 10, LARGEST = 64 << 10 };

typedef struct texts {
    uint8_t bytes[NBYTES + LARGEST];
    int32_t ends[ROWS];
    int32_t nbytes;
} texts;

static uint64_t load_be(const uint8_t *p, int width)
{
    uint64_t number = 0;
    for (int i = 0; i < width; i++)
        number = number << 8 | p[i];
    return number;
}

/* Each returns the byte after what it has read. */
static const uint8_t *skip_key(const uint8_t *p)
{
    return p + 1 + (*p & 0x1F);
}

static const uint8_t *read_text(const uint8_t *p, texts *column, int32_t row)
{
    const int width = *p < 0xC0 ? 0 : *p >= 0xD9 ? 1 << (*p - 0xD9) : 1 << (*p - 0xC4);
    const size_t n = width == 0 ? *p & 0x1F : load_be(p + 1, width);
    p += 1 + width;
    memcpy(column->bytes + column->nbytes, p, n);
    column->nbytes += (int32_t)n;
    column->ends[row] = column->nbytes;
    return p + n;
}

static const uint8_t *read_number(const uint8_t *p, int64_t *number_out)
{
    const int width = *p < 0x80 ? 0 : 1 << (*p - 0xCC);
    *number_out = width == 0 ? *p : (int64_t)load_be(p + 1, width);
    return p + 1 + width;
}

static uint64_t sum_texts(const texts *column, int32_t rows)
{
    uint64_t sum = 0;
    int32_t first = 0;
    for (int32_t i = 0; i < rows; first = column->ends[i++])
        sum += dv_digest_8(column->bytes + first, (size_t)(column->ends[i] - first), 0);
    return sum;
}

static uint64_t sum_numbers(const int64_t *numbers, int32_t rows)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < rows; i++)
        sum += dv_digest_8(&numbers[i], sizeof numbers[i], 0);
    return sum;
}

/* As dvb_sum, of messages of at most 64 KiB: batches of columns, and the digests of their values.
 */
uint64_t dvb_bare_sum(const uint8_t *messages, int64_t nbytes)
{
    static texts keys, images;
    static int64_t labels[ROWS];
    const uint8_t *p = messages, *const end = messages + nbytes;
    uint64_t sum = 0;
    while (p < end) {
        int32_t rows = 0;
        keys.nbytes = images.nbytes = 0;
        for (; p < end && rows < ROWS && images.nbytes < NBYTES; rows++) {
            p = read_text(skip_key(p + 1), &keys, rows);
            p = read_text(skip_key(p), &images, rows);
            p = read_number(skip_key(p), &labels[rows]);
        }
        sum += sum_texts(&keys, rows) + sum_texts(&images, rows) + sum_numbers(labels, rows);
    }
    return sum;
}

/* --- Opening ---------------------------------------------------------------------------------- */

/* The size of the data file, after all files of a set were opened, and their sizes and the heads of
 * some read; then they are closed. */
int64_t dvb_bare_open(const char *path)
{
    static const char *const suffixes[] = {"",        ".offsets", ".keys", ".key_hashes",
                                           ".filter", ".md5"};
    enum { FILES = sizeof suffixes / sizeof *suffixes };
    char name[4096];
    int fd[FILES];
    struct stat st[FILES];
    uint8_t head[16];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        fd[i] = open(name, O_RDONLY | O_CLOEXEC);
        if (fd[i] < 0 || fstat(fd[i], &st[i]) != 0)
            exit(1);
    }
    if (pread(fd[1], head, 8, 0) != 8 || pread(fd[1], head, 8, st[1].st_size - 8) != 8 ||
        pread(fd[2], head, 5, 0) != 5)
        exit(1);
    for (int i = 0; i < FILES; i++)
        close(fd[i]);
    return st[0].st_size;
}
