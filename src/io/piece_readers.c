/* SPDX-License-Identifier: MIT */
/* piece_readers.c: finds out who reads a source from start to end, and how far to fetch ahead.
 *
 * Bytes follow others if they begin in them, soon after them, or in what was fetched ahead: text
 * reads the end of a window again, several threads read windows out of order, and tables are read
 * an entry here and there. */
#include "io/piece_readers.h"
#include "base/size.h"
#include <string.h>

static int follows(const dvi_piece_reader *r, int64_t begin, int64_t least)
{
    return r->end > 0 && begin >= r->begin && begin <= r->end + dvi_max_i64(r->ahead, least);
}

/* A reader goes on. Few bytes make no step: who reads a few entries of a table needs no more. */
static dvi_piece_reader step(const dvi_piece_reader *r, int64_t begin, int64_t end, int64_t least,
                             int64_t most)
{
    dvi_piece_reader next = {dvi_max_i64(r->begin, begin), dvi_max_i64(r->end, end), r->stepped,
                             r->ahead};
    if (next.end - r->stepped >= dvi_max_i64(r->ahead, least) / 2) {
        next.ahead = dvi_min_i64(r->ahead > 0 ? 2 * r->ahead : least, most);
        next.stepped = next.end;
    }
    return next;
}

int64_t dvi_piece_readers_ahead(dvi_piece_readers *readers, int64_t begin, int64_t end,
                                int64_t least, int64_t most)
{
    int k = 0;
    while (k < DVI_PIECE_READERS && !follows(&readers->reader[k], begin, least))
        k++;
    dvi_piece_reader r = {begin, end, end, 0};
    if (k < DVI_PIECE_READERS)
        r = step(&readers->reader[k], begin, end, least, most);
    else
        k--;
    memmove(&readers->reader[1], &readers->reader[0], (size_t)k * sizeof r);
    readers->reader[0] = r;
    return r.ahead;
}
