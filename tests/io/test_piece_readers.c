/* SPDX-License-Identifier: MIT */
/* test_piece_readers.c: who reads from start to end is found out (piece_readers.h). */
#include "io/piece_readers.h"
#include "support/test.h"

#define LEAST 1000
#define MOST 6000

static int64_t note(dvi_piece_readers *readers, int64_t begin, int64_t end)
{
    return dvi_piece_readers_ahead(readers, begin, end, LEAST, MOST);
}

Test(piece_readers, steps_double)
{
    dvi_piece_readers readers = {0};
    static const int64_t ends[] = {500, 1000, 1400, 1500, 2400, 2500, 9000, 9500, 12000};
    static const int64_t ahead[] = {0, 1000, 1000, 2000, 2000, 4000, 6000, 6000, 6000};
    int64_t begin = 0;
    for (int i = 0; i < 9; i++) {
        cr_expect_eq(note(&readers, begin, ends[i]), ahead[i], "step %d", i);
        begin = ends[i];
    }
    cr_expect_eq(note(&readers, 9000, 9400), 0); /* before its last bytes: another reader */
}

Test(piece_readers, who_jumps_is_not_fetched_ahead)
{
    dvi_piece_readers readers = {0};
    for (int i = 0; i < 20; i++)
        cr_expect_eq(note(&readers, (i * 7 % 20) * 100000, (i * 7 % 20) * 100000 + 10), 0);
}

Test(piece_readers, several_read_at_the_same_time)
{
    dvi_piece_readers readers = {0};
    for (int step = 0; step < 4; step++)
        for (int64_t k = 0; k < DVI_PIECE_READERS; k++)
            cr_expect_eq(note(&readers, k * 1000000 + step * 600, k * 1000000 + step * 600 + 600) >
                             0,
                         step > 0, "reader %d, step %d", (int)k, step);
}
