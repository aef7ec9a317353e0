/* SPDX-License-Identifier: MIT */
/* disk_block.h: blocks of sources as files of a folder, checked before they are used.
 *
 * A source is divided into blocks of 1 MiB, the last of which may be shorter.  The file of a block
 * has a head of 4096 bytes, then the bytes of the block.  All numbers are little-endian:
 *
 *    0   8  DVBLOCK1
 *    8   8  bytes of the source
 *   16   8  number of the block
 *   24   8  bytes of the block
 *   32   8  n: bytes of the key
 *   40 128  XXH3 64 of each chunk of 64 KiB of the block; 0 where there is none
 *  168   n  the key: the name of the source, NUL, its version, NUL; zeros up to 4096
 *
 * A reader knows all of the head but the checksums, and compares it whole; then it compares the
 * checksums of the chunks that it reads.  So no byte is used that was not written for the block. */
#ifndef DVI_IO_DISK_BLOCK_H
#define DVI_IO_DISK_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DVI_DISK_BLOCK_NBYTES ((int64_t)1 << 20)
#define DVI_DISK_CHUNK_NBYTES ((int64_t)1 << 16)
#define DVI_DISK_CHUNKS 16
#define DVI_DISK_HEAD_NBYTES 4096
#define DVI_DISK_KEY_NBYTES_MOST (DVI_DISK_HEAD_NBYTES - 168)
#define DVI_DISK_FILE_NBYTES_MOST (DVI_DISK_HEAD_NBYTES + DVI_DISK_BLOCK_NBYTES)

/* Identifies the bytes of a source. */
typedef struct dvi_disk_key {
    const char *text; /* name, NUL, version, NUL */
    size_t text_nbytes;
    int64_t nbytes; /* length of the source */
} dvi_disk_key;

/* The name of a file in the folder: "dv-", 32 hexadecimal digits, and a suffix. */
typedef struct dvi_disk_name {
    char text[48];
} dvi_disk_name;

#define DVI_DISK_KEPT ".block" /* a block */
#define DVI_DISK_NEW ".new" /* one that is being fetched: its lock shows that the process lives */

/* The bytes of a block. */
int64_t dvi_disk_block_nbytes(const dvi_disk_key *key, int64_t number);
dvi_disk_name dvi_disk_block_name(const dvi_disk_key *key, int64_t number, const char *suffix);
/* Whether a name has that form; *hash_out: its digits, which may be NULL. */
bool dvi_disk_is_name(const char *name, const char *suffix, uint64_t hash_out[2]);
dvi_disk_name dvi_disk_name_of(const uint64_t hash[2], const char *suffix);

/* Whether the folder may have the block. */
bool dvi_disk_block_exists(int folder, const dvi_disk_key *key, int64_t number);

/* Copy n bytes of a block, which has them, from `from` on to dst.  room: DVI_DISK_CHUNK_NBYTES.
 * false: the folder does not have the block, or its file is wrong in any way; dst is undefined. */
bool dvi_disk_block_read(int folder, const dvi_disk_key *key, int64_t number, int64_t from,
                         int64_t n, uint8_t *dst, uint8_t *room);

/* The right to fetch a block, which one process has at a time. */
typedef struct dvi_disk_claim {
    int fd; /* -1: none */
    dvi_disk_name name;
} dvi_disk_claim;

/* Returns 0; EBUSY: another process or thread has it; or another errno code. */
int dvi_disk_claim_take(dvi_disk_claim *claim, int folder, const dvi_disk_key *key, int64_t number);
/* Write the file of the claimed block, which has its length (dvi_disk_folder_reserve), and give it
 * its name.  Returns 0, or an errno code. */
int dvi_disk_claim_keep(dvi_disk_claim *claim, int folder, const dvi_disk_key *key, int64_t number,
                        const uint8_t *data);
/* End the claim, if there is one; its file is removed unless it was kept. */
void dvi_disk_claim_end(dvi_disk_claim *claim, int folder);

#endif
