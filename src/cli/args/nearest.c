/* SPDX-License-Identifier: MIT */
/* nearest.c: edit distances between words. */
#include "cli/args/nearest.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LETTERS 48 /* longer words are not compared */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Inserted, missing, wrong and swapped letters (optimal string alignment). */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LETTERS + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t wrong = above[j - 1] + !same(a[i - 1], b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, wrong);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void dvi_nearest_offer(dvi_nearest *best, const char *typed, const char *word, size_t nbytes)
{
    const size_t n = strlen(typed);
    if (n == 0 || n > LETTERS || nbytes > LETTERS)
        return;
    const bool is_beginning = n >= 2 && n < nbytes && memcmp(typed, word, n) == 0;
    const size_t d = is_beginning ? 1 : distance(typed, n, word, nbytes);
    if (d < best->distance && d <= (n + 2) / 3 && d < nbytes)
        *best = (dvi_nearest){word, nbytes, d};
}
