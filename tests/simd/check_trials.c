/* SPDX-License-Identifier: MIT */
/* check_trials.c: the sizes, values and addresses that the drivers of shapes try.
 *
 * Tests use all sizes and addresses, random numbers from a seed, and inaccessible pages around the
 * arrays.  A fuzz target makes one trial from the bytes of the engine, with heap blocks of exact
 * size that ASan guards. */
#include "check_kernels.h"
#include "support/page.h"
#include <stdlib.h>
#include <string.h>

#define CANARY 0xA5
#define NEIGHBOURS ((size_t)256)

/* The bytes from which the trial is made; NULL: all trials are made. */
static struct {
    const uint8_t *data;
    size_t n, at;
} given;

/* Heap blocks, by the number of the page that they replace. */
static void *blocks[DVT_SHARED_PAGES];

void dvt_trial_begin(const uint8_t *data, size_t n)
{
    given.data = data;
    given.n = n;
    given.at = 0;
}

bool dvt_trial_is_given(void)
{
    return given.data != NULL;
}

void dvt_trial_end(void)
{
    given.data = NULL;
    for (size_t i = 0; i < DVT_SHARED_PAGES; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

/* Read the next `width` bytes into *number.  Returns false if fewer are left. */
static bool take(uint64_t *number, size_t width)
{
    if (!given.data || given.n - given.at < width)
        return false;
    *number = 0;
    memcpy(number, given.data + given.at, width);
    given.at += width;
    return true;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

dvt_draw dvt_draw_from(uint64_t seed)
{
    return (dvt_draw){seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
}

static uint64_t draw_next(dvt_draw *draw)
{
    uint64_t z = draw->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t dvt_draw_bits(dvt_draw *draw)
{
    uint64_t number;
    return take(&number, 8) ? number : draw_next(draw);
}

size_t dvt_draw_below(dvt_draw *draw, size_t n)
{
    uint64_t number;
    if (take(&number, n <= 1 << 8 ? 1 : n <= 1 << 16 ? 2 : 4))
        return number % n;
    return (size_t)((draw_next(draw) >> 32) * n >> 32); /* a division is slow in emulation */
}

bool dvt_draw_once_in(dvt_draw *draw, size_t n)
{
    return dvt_draw_below(draw, n) == 0;
}

/* --- Sizes and addresses ---------------------------------------------------------------------- */

/* If all trials take too long, one in N is made.  If N and DVT_SLACKS have no common divisor, all
 * lengths and all slacks still occur, though not all combinations. */
static size_t step(void)
{
    static size_t once_in;
    const char *asked = getenv("DV_TRIALS_ONCE_IN");
    if (once_in == 0)
        once_in = asked ? strtoul(asked, NULL, 10) : 1;
    return once_in > 0 ? once_in : 1;
}

/* Mostly short, as in the other trials. */
static bool given_trial(dvt_try *trial, size_t i, size_t longest)
{
    uint64_t n = 0, slack = 0;
    if (i > 0 || !take(&n, 2) || !take(&slack, 1))
        return false;
    *trial = (dvt_try){n >> 15 ? n % longest : n % DVT_LENGTHS, slack % DVT_SLACKS, 0};
    return true;
}

bool dvt_try_at(dvt_try *trial, size_t i, size_t longest)
{
    const size_t shorts = DVT_LENGTHS * DVT_SLACKS;
    if (given.data)
        return given_trial(trial, i, longest);
    i *= step();
    *trial = (dvt_try){i / DVT_SLACKS, i % DVT_SLACKS, i};
    if (i < shorts)
        return true;
    dvt_draw draw = dvt_draw_from(i);
    trial->n = DVT_LENGTHS + dvt_draw_below(&draw, longest - DVT_LENGTHS);
    trial->slack = dvt_draw_below(&draw, DVT_SLACKS);
    return i < shorts + DVT_LONG;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static uint8_t *allocate(dvt_page page, const dvt_try *trial, size_t nbytes)
{
    return trial->slack == DVT_AT_START ? dvt_page_start(page, nbytes)
                                        : dvt_page_end(page, nbytes + trial->slack);
}

/* Return an address with the same misalignment as on a page.  The block ends with the array; with
 * DVT_AT_START it begins with the array. */
static uint8_t *allocate_block(int number, const dvt_try *trial, size_t nbytes)
{
    const bool is_start = trial->slack == DVT_AT_START;
    const size_t skipped = is_start ? 0 : -(nbytes + trial->slack) % 64;
    void *block = NULL;
    free(blocks[number]);
    if (posix_memalign(&block, 64, skipped + nbytes) != 0)
        abort();
    blocks[number] = block;
    memset(block, CANARY, skipped + nbytes);
    return (uint8_t *)block + skipped;
}

/* The bytes of the page before and after the array, as far as a stray store would reach. */
static size_t before(dvt_page page, const uint8_t *data)
{
    const size_t n = (size_t)(data - page.data);
    return n < NEIGHBOURS ? n : NEIGHBOURS;
}

static size_t after(dvt_page page, const uint8_t *data, size_t nbytes)
{
    const size_t n = page.nbytes - (size_t)(data - page.data) - nbytes;
    return n < NEIGHBOURS ? n : NEIGHBOURS;
}

uint8_t *dvt_allocate(int number, const dvt_try *trial, size_t nbytes)
{
    if (given.data)
        return allocate_block(number, trial, nbytes);
    const dvt_page page = dvt_shared_page(number);
    uint8_t *data = allocate(page, trial, nbytes);
    const size_t n = before(page, data);
    memset(data - n, CANARY, n + nbytes + after(page, data, nbytes));
    return data;
}

static bool is_canary(const uint8_t *data, size_t n)
{
    /* The first byte is right, and each byte equals the next. */
    return n == 0 || (data[0] == CANARY && memcmp(data, data + 1, n - 1) == 0);
}

/* In a heap block only the bytes before the array can be checked. */
static bool is_block_clean(int number, const uint8_t *data)
{
    return is_canary(blocks[number], (size_t)(data - (const uint8_t *)blocks[number]));
}

bool dvt_is_clean(int number, const uint8_t *data, size_t nbytes)
{
    if (given.data)
        return is_block_clean(number, data);
    const dvt_page page = dvt_shared_page(number);
    const size_t n = before(page, data);
    return is_canary(data - n, n) && is_canary(data + nbytes, after(page, data, nbytes));
}
