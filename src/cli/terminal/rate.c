/* SPDX-License-Identifier: MIT */
/* rate.c: measures time, and formats seconds and rates. */
#include "cli/terminal/rate.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double dvi_rate_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double dvi_rate_median(double *numbers, size_t n)
{
    qsort(numbers, n, sizeof *numbers, compare);
    return (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
}

/* Digits after the point: three digits in all. */
static int decimals(double x)
{
    return x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
}

const char *dvi_rate_text(char text[DVI_RATE_CAP], double per_second, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    const char *space = *unit == 'B' ? "" : " "; /* MB, but M rows */
    size_t i = 0;
    for (; per_second >= 999.5 && i + 1 < sizeof prefixes / sizeof *prefixes; i++)
        per_second /= 1000;
    snprintf(text, DVI_RATE_CAP, "%.*f %s%s%s/s", i ? decimals(per_second) : 0, per_second,
             prefixes[i], i ? space : "", unit);
    return text;
}

const char *dvi_rate_seconds(char text[DVI_RATE_CAP], double seconds)
{
    const double ms = 1e3 * seconds;
    if (ms < 999.5)
        snprintf(text, DVI_RATE_CAP, "%.*f ms", decimals(ms), ms);
    else
        snprintf(text, DVI_RATE_CAP, "%.*f s", decimals(seconds), seconds);
    return text;
}
