/* SPDX-License-Identifier: MIT */
/* amount.c: formats bytes, counts and shares. */
#include "cli/terminal/amount.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *dvi_amount_bytes(char text[DVI_AMOUNT_CAP], int64_t nbytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)nbytes / 1024;
    size_t unit = 0;
    while (amount >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
        amount /= 1024;
        unit++;
    }
    if (nbytes < 0)
        snprintf(text, DVI_AMOUNT_CAP, "?");
    else if (nbytes < 1024)
        snprintf(text, DVI_AMOUNT_CAP, "%d B", (int)nbytes);
    else
        snprintf(text, DVI_AMOUNT_CAP, "%.1f %s", amount, units[unit]);
    return text;
}

const char *dvi_amount_count(char text[DVI_AMOUNT_CAP], int64_t n, const char *noun)
{
    snprintf(text, DVI_AMOUNT_CAP, "%" PRId64 " %s%s", n, noun, n == 1 ? "" : "s");
    return text;
}

const char *dvi_amount_bar(char text[DVI_BAR_CAP], int64_t share, int64_t whole)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d", "\u258c",
                                          "\u258b", "\u258a", "\u2589", "\u2588"};
    const double ratio = whole > 0 && share > 0 ? (double)share / (double)whole : 0;
    int left = (int)(8 * DVI_BAR_COLUMNS * (ratio < 1 ? ratio : 1) + 0.5);
    if (ratio > 0 && left == 0)
        left = 1;
    *text = 0;
    for (; left > 0; left -= 8)
        strcat(text, eighths[left < 8 ? left : 8]);
    return text;
}
