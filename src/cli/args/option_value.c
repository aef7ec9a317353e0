/* SPDX-License-Identifier: MIT */
/* option_value.c: numbers and names as values of options. */
#include "cli/args/option_value.h"
#include <dataview/names.h>
#include <stdio.h>
#include <string.h>

bool dvi_parse_count(const char *text, size_t nbytes, int64_t *value_out)
{
    int64_t value = 0;
    for (size_t i = 0; i < nbytes; i++) {
        const int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *value_out = value;
    return nbytes > 0;
}

dvi_exit dvi_set_count(const char *option, const char *text, int64_t most, int64_t *value_out)
{
    int64_t value;
    if (!dvi_parse_count(text, strlen(text), &value))
        return dvi_say_usage("%s expects a number of at least 0, not '%s'", option, text);
    if (value > most)
        return dvi_say_usage("%s must be at most %lld, not %s", option, (long long)most, text);
    *value_out = value;
    return DVI_EXIT_DONE;
}

dvi_exit dvi_set_number(const char *option, const char *text, int64_t *value_out)
{
    const bool is_negative = *text == '-';
    if (!dvi_parse_count(text + is_negative, strlen(text + is_negative), value_out))
        return dvi_say_usage("%s expects a whole number, not '%s'", option, text);
    *value_out = is_negative ? -*value_out : *value_out;
    return DVI_EXIT_DONE;
}

dvi_exit dvi_set_nbytes(const char *option, const char *text, int64_t *value_out)
{
    static const char units[] = "KMG";
    const size_t n = strlen(text);
    const char *unit = n > 1 ? strchr(units, text[n - 1]) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    int64_t value;
    if (!dvi_parse_count(text, n - (unit != NULL), &value) || value > INT64_MAX >> shift)
        return dvi_say_usage("%s expects a number of bytes such as 65536, 64K, 16M or 1G, not '%s'",
                             option, text);
    *value_out = value << shift;
    return DVI_EXIT_DONE;
}

dvi_exit dvi_set_name(const char *option, const char *text, const char *const *known,
                      const char **name_out)
{
    dv_nearest best = DV_NEAREST_INIT;
    for (int i = 0; known[i]; i++) {
        if (strcmp(known[i], text) == 0) {
            *name_out = known[i];
            return DVI_EXIT_DONE;
        }
        dv_nearest_offer(&best, dv_text_of(text), dv_text_of(known[i]));
    }
    if (best.name.data)
        return dvi_say_usage("%s does not accept '%s'; did you mean %s?", option, text,
                             best.name.data);
    char all[256];
    size_t n = 0;
    for (int i = 0; known[i] && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", known[i]);
    return dvi_say_usage("%s does not accept '%s'; it accepts %s", option, text, all);
}
