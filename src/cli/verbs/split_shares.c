/* SPDX-License-Identifier: MIT */
/* split_shares.c: reads shares as exact decimals, and shares rows out by largest remainder. */
#include "cli/verbs/split_shares.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 9 /* of DVI_SHARES_WHOLE */

/* Read a decimal number up to 1000 as billionths; false: it is none, or has more digits. */
static bool read_decimal(const char *text, size_t n, int64_t *value_out)
{
    int64_t value = 0;
    int digits = 0, after = -1;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.' && after < 0) {
            after = 0;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || after == DIGITS || value > 1000 * DVI_SHARES_WHOLE)
            return false;
        value = 10 * value + (text[i] - '0');
        digits++;
        after += after >= 0;
    }
    for (int i = after < 0 ? 0 : after; i < DIGITS; i++) {
        if (value > 1000 * DVI_SHARES_WHOLE)
            return false;
        value *= 10;
    }
    *value_out = value;
    return digits > 0;
}

static bool read_share(const char *text, size_t n, int64_t *share_out)
{
    const bool is_percent = n > 0 && text[n - 1] == '%';
    if (!read_decimal(text, n - is_percent, share_out) || (is_percent && *share_out % 100 != 0))
        return false;
    *share_out /= is_percent ? 100 : 1;
    return *share_out > 0 && *share_out <= DVI_SHARES_WHOLE;
}

/* Write billionths as a decimal number, without zeros at its end. */
static void write_share(char text[32], int64_t share)
{
    snprintf(text, 32, "%" PRId64 ".%09" PRId64, share / DVI_SHARES_WHOLE,
             share % DVI_SHARES_WHOLE);
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        text[--n] = 0;
    if (text[n - 1] == '.')
        text[n - 1] = 0;
}

static dvi_exit refuse_sum(const dvi_shares *shares, const char *text, int64_t sum)
{
    char total[32], rest[32];
    write_share(total, sum);
    const int64_t left = DVI_SHARES_WHOLE - sum, last = shares->part[shares->count - 1] + left;
    write_share(rest, left > 0 && 100 * left > DVI_SHARES_WHOLE ? left : last);
    if (left > 0 && 100 * left > DVI_SHARES_WHOLE)
        return dvi_say_usage("--fraction %s adds up to %s, not to 1: give the other rows a file "
                             "too, with --fraction %s,%s",
                             text, total, text, rest);
    if (last > 0)
        return dvi_say_usage("--fraction %s adds up to %s, not to 1: the last share can be %s",
                             text, total, rest);
    return dvi_say_usage("--fraction %s adds up to %s, not to 1", text, total);
}

dvi_exit dvi_shares_read(dvi_shares *shares, const char *text)
{
    int64_t sum = 0;
    shares->count = 0;
    for (const char *word = text;; word++) {
        const size_t n = strcspn(word, ",");
        int64_t share;
        if (!read_share(word, n, &share))
            return dvi_say_usage("--fraction expects shares such as 0.8,0.2 or 80%%,20%%, with up "
                                 "to 9 digits after the point, not '%.*s'",
                                 (int)(n < 64 ? n : 64), word);
        if (shares->count == DVI_SHARES_MOST)
            return dvi_say_usage("--fraction takes at most %d shares", DVI_SHARES_MOST);
        shares->part[shares->count++] = share;
        sum += share;
        word += n;
        if (!*word)
            break;
    }
    return sum == DVI_SHARES_WHOLE ? DVI_EXIT_DONE : refuse_sum(shares, text, sum);
}

/* The share of the rows beyond a multiple of DVI_SHARES_WHOLE: below 10^18. */
static int64_t rest_of(const dvi_shares *shares, int i, int64_t rows)
{
    return rows % DVI_SHARES_WHOLE * shares->part[i];
}

static int64_t remainder_of(const dvi_shares *shares, int i, int64_t rows)
{
    return rest_of(shares, i, rows) % DVI_SHARES_WHOLE;
}

void dvi_shares_rows(const dvi_shares *shares, int64_t rows, int64_t *rows_out)
{
    bool has_more[DVI_SHARES_MOST] = {false};
    int64_t left = rows;
    for (int i = 0; i < shares->count; i++) {
        rows_out[i] =
            rows / DVI_SHARES_WHOLE * shares->part[i] + rest_of(shares, i, rows) / DVI_SHARES_WHOLE;
        left -= rows_out[i];
    }
    for (; left > 0; left--) { /* fewer than there are parts */
        int best = -1;
        for (int i = 0; i < shares->count; i++)
            if (!has_more[i] &&
                (best < 0 || remainder_of(shares, i, rows) > remainder_of(shares, best, rows)))
                best = i;
        has_more[best] = true;
        rows_out[best]++;
    }
}

const char *dvi_shares_name(const dvi_shares *shares, int part)
{
    static const char *const two[] = {"train", "test"}, *const three[] = {"train", "valid", "test"};
    return shares->count == 2 ? two[part] : shares->count == 3 ? three[part] : NULL;
}
