/* SPDX-License-Identifier: MIT */
/* feed_token.c: where does a feed stand, as text?  (docs/training.md)
 *
 *   dvf1-EPOCH-START-ROWS-BATCHES-SHARDS-SEED-VIEW-ORDER-CHECKSUM
 *
 * Numbers are decimal, the others in hex: SEED 16 digits, VIEW (its identity) 32, ORDER (a digest
 * of the other options of the order) and CHECKSUM (of all before the last '-') 8 each. */
#include "feed/feed_token.h"
#include "base/check.h"
#include "view/identity.h"
#include <dataview/digest.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "docs/training.md"
#define MARK "dvf1-"
#define NUMBERS 5
#define CHECKSUM_CHARS 8

/* As it is written: the five numbers, and what they were counted in. */
typedef struct content {
    int64_t number[NUMBERS]; /* epoch, start, rows, batches, shards */
    uint64_t seed;
    dv_u128 view;
    uint32_t order;
} content;

/* What decides which row comes when, besides view, seed and epoch. */
static uint32_t digest_order(const dv_epoch_options *order)
{
    uint64_t parts[6] = {
        (uint64_t)order->shuffle,   (uint64_t)order->block_rows, 0,
        (uint64_t)order->pool_rows, (uint64_t)order->shard_by,   (uint64_t)order->shard_size};
    memcpy(&parts[2], &order->pool_blocks, sizeof parts[2]);
    return (uint32_t)dv_digest_8(parts, sizeof parts, 0);
}

static dv_status content_of(content *c, const dvi_feed_plan *plan,
                            const dvi_feed_position *position, dv_error *err)
{
    const dv_epoch_options *order = &plan->order;
    *c = (content){.number = {position->epoch, position->start, position->rows, position->batches,
                              order->shards},
                   .seed = order->seed,
                   .order = digest_order(order)};
    return dvi_view_identity(plan->view, false, &c->view, err);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static uint32_t checksum_of(const char *text, size_t n)
{
    return (uint32_t)dv_digest_8(text, n, 0);
}

static void print(dv_feed_token_text *token, const content *c)
{
    const int64_t *const n = c->number;
    char *const text = token->text;
    memset(token, 0, sizeof *token);
    const int body =
        snprintf(text, sizeof token->text,
                 MARK "%" PRId64 "-%" PRId64 "-%" PRId64 "-%" PRId64 "-%" PRId64 "-%016" PRIx64
                      "-%016" PRIx64 "%016" PRIx64 "-%08" PRIx32,
                 n[0], n[1], n[2], n[3], n[4], c->seed, c->view.hi, c->view.lo, c->order);
    snprintf(text + body, sizeof token->text - (size_t)body, "-%08" PRIx32,
             checksum_of(text, (size_t)body));
}

dv_status dvi_feed_token_write(dv_feed_token_text *token_out, const dvi_feed_plan *plan,
                               const dvi_feed_position *position, dv_error *err)
{
    content c;
    memset(token_out, 0, sizeof *token_out);
    DVI_TRY(content_of(&c, plan, position, err));
    print(token_out, &c);
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_status fail(const char *what, const char *expected, const char *found, dv_error *err)
{
    return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, what, "%s|%s", expected,
                    dvi_show(dv_text_of(found)).text);
}

/* Is it whole, and of this version?  Its checksum is not made by accident. */
static dv_status check_text(const char *token, dv_error *err)
{
    const size_t n = strnlen(token, sizeof(dv_feed_token_text)),
                 least = sizeof MARK + CHECKSUM_CHARS;
    DVI_REQUIRE(strncmp(token, "dvf", 3) == 0,
                fail("token", "one of a feed, dvf1-...", token, err));
    DVI_REQUIRE(strncmp(token, MARK, strlen(MARK)) == 0,
                fail("token version", "dvf1-...", token, err));
    DVI_REQUIRE(n >= least && n < sizeof(dv_feed_token_text),
                fail("token", "one that is whole", token, err));
    const size_t body = n - CHECKSUM_CHARS - 1;
    char checksum[CHECKSUM_CHARS + 2];
    snprintf(checksum, sizeof checksum, "-%08" PRIx32, checksum_of(token, body));
    DVI_REQUIRE(strcmp(token + body, checksum) == 0,
                fail("checksum of the token", checksum + 1, token + body, err));
    return DV_OK;
}

/* Digits of that base up to the next '-'. */
static bool read_number(const char **at, uint64_t base, uint64_t most, uint64_t *number_out)
{
    const char *p = *at;
    uint64_t number = 0;
    for (; *p != '-' && *p; p++) {
        const uint64_t digit = *p >= '0' && *p <= '9'   ? (uint64_t)(*p - '0')
                               : *p >= 'a' && *p <= 'f' ? (uint64_t)(*p - 'a') + 10
                                                        : base;
        if (digit >= base || number > (most - digit) / base)
            return false;
        number = number * base + digit;
    }
    const bool is_number = p > *at && *p == '-';
    *at = p + 1;
    *number_out = number;
    return is_number;
}

static bool read_content(content *c, const char *at)
{
    uint64_t number;
    for (int i = 0; i < NUMBERS; i++) {
        if (!read_number(&at, 10, INT64_MAX, &number))
            return false;
        c->number[i] = (int64_t)number;
    }
    char hi[18] = {0};
    if (!read_number(&at, 16, UINT64_MAX, &c->seed) || strlen(at) < 33)
        return false;
    memcpy(hi, at, 16);
    hi[16] = '-';
    const char *half = hi;
    at += 16;
    if (!read_number(&half, 16, UINT64_MAX, &c->view.hi) ||
        !read_number(&at, 16, UINT64_MAX, &c->view.lo) ||
        !read_number(&at, 16, UINT32_MAX, &number))
        return false;
    c->order = (uint32_t)number;
    return true;
}

/* Printed again it must be the same: there is one way to write a token. */
static dv_status parse(content *c, const char *token, dv_error *err)
{
    dv_feed_token_text again;
    DVI_TRY(check_text(token, err));
    const bool is_read = read_content(c, token + strlen(MARK));
    if (is_read)
        print(&again, c);
    DVI_REQUIRE(is_read && strcmp(again.text, token) == 0 && c->number[4] >= 1 &&
                    c->number[4] <= INT32_MAX,
                fail("token", "nine parts as dv_feed_token writes them", token, err));
    return DV_OK;
}

static dv_status check_same(const content *own, const content *c, dv_error *err)
{
    char expected[40], found[40];
    if (own->view.hi != c->view.hi || own->view.lo != c->view.lo) {
        snprintf(expected, sizeof expected, "%016" PRIx64 "%016" PRIx64, own->view.hi,
                 own->view.lo);
        snprintf(found, sizeof found, "%016" PRIx64 "%016" PRIx64, c->view.hi, c->view.lo);
        return fail("view of the token", expected, found, err);
    }
    if (own->seed != c->seed) {
        snprintf(expected, sizeof expected, "%" PRIu64, own->seed);
        snprintf(found, sizeof found, "%" PRIu64, c->seed);
        return fail("seed of the token", expected, found, err);
    }
    if (own->order != c->order) {
        snprintf(expected, sizeof expected, "%08" PRIx32 " as these options make it", own->order);
        snprintf(found, sizeof found, "%08" PRIx32, c->order);
        return fail("order of the token", expected, found, err);
    }
    return DV_OK;
}

/* Rows of an epoch that n shards have delivered together, when one of them has `rows`. */
static bool count_all(const content *c, int64_t *rows_out)
{
    int64_t all;
    return !__builtin_mul_overflow(c->number[2], c->number[4], &all) &&
           !__builtin_add_overflow(all, c->number[1], rows_out);
}

dv_status dvi_feed_token_read(dvi_feed_position *position_out, const dvi_feed_plan *plan,
                              const char *token, dv_error *err)
{
    content own, c;
    int64_t start;
    DVI_TRY(parse(&c, token, err));
    DVI_TRY(content_of(&own, plan, &plan->first, err));
    DVI_TRY(check_same(&own, &c, err));
    DVI_REQUIRE(c.number[0] >= plan->order.epoch,
                dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "epoch of the token",
                         "%lld, the first one, or a later one|%lld", (long long)plan->order.epoch,
                         (long long)c.number[0]));
    *position_out = (dvi_feed_position){c.number[0], c.number[1], c.number[2], c.number[3]};
    if (c.number[4] == plan->order.shards)
        return DV_OK;
    DVI_REQUIRE(count_all(&c, &start), fail("token", "rows of an epoch", token, err));
    const int64_t rows = dv_view_rows(plan->view);
    position_out->start = rows >= 0 && start > rows ? rows : start; /* the last ones were padded */
    position_out->rows = 0;
    return DV_OK;
}
