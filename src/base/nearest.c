/* SPDX-License-Identifier: MIT */
/* nearest.c: edit distances between words. */
#include "base/nearest.h"
#include "base/error.h"
#include <stdio.h>
#include <string.h>

#define LETTERS 48 /* longer words are not compared */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool same(char a, char b)
{
    return lower(a) == lower(b);
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

/* Can as many letters be wrong as the lengths differ by? */
static bool are_alike_in_length(size_t n, size_t m)
{
    return (n > m ? n - m : m - n) <= (n + 2) / 3;
}

void dv_nearest_offer(dv_nearest *best, dv_text typed, dv_text name)
{
    if (typed.nbytes <= 0 || typed.nbytes > LETTERS || name.nbytes <= 0 || name.nbytes > LETTERS)
        return;
    const size_t n = (size_t)typed.nbytes, m = (size_t)name.nbytes;
    const bool is_beginning = n >= 2 && n < m && memcmp(typed.data, name.data, n) == 0;
    if (!is_beginning && !are_alike_in_length(n, m))
        return;
    const size_t d = is_beginning ? 1 : distance(typed.data, n, name.data, m);
    if ((int32_t)d < best->distance && d <= (n + 2) / 3 && d < m)
        *best = (dv_nearest){name, (int32_t)d};
}

void dvi_nearest_advise(const dv_nearest *best, dv_error *err)
{
    char advice[96];
    if (best->name.nbytes <= 0)
        return;
    snprintf(advice, sizeof advice, "did you mean %s?", dvi_show(best->name).text);
    dvi_error_advise(err, advice);
}
