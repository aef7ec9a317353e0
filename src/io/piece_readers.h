/* SPDX-License-Identifier: MIT */
/* piece_readers.h: finds out who reads a source from start to end, and how far to fetch ahead. */
#ifndef DVI_IO_PIECE_READERS_H
#define DVI_IO_PIECE_READERS_H

#include <stdint.h>

#define DVI_PIECE_READERS 8

/* A reader's last bytes, their end when `ahead` last grew, and how far it is fetched ahead. */
typedef struct dvi_piece_reader {
    int64_t begin, end, stepped, ahead;
} dvi_piece_reader;

/* Zeroed: nobody reads. The last ones come first. */
typedef struct dvi_piece_readers {
    dvi_piece_reader reader[DVI_PIECE_READERS];
} dvi_piece_readers;

/* Note that begin..end - 1 are read. Returns how many bytes to fetch after them: none for bytes
 * that do not follow others; then `least`, and twice as much with each step, up to `most`.  A step
 * is half of what is fetched ahead. */
int64_t dvi_piece_readers_ahead(dvi_piece_readers *readers, int64_t begin, int64_t end,
                                int64_t least, int64_t most);

#endif
