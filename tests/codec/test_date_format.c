/* SPDX-License-Identifier: MIT */
/* test_date_format.c: dates are read in a format of strftime, whole or not at all. */
#include "codec/date_format.h"
#include "codec/parse.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

/* A format, a text, and its value as ISO 8601; NULL: the text does not fit. */
static const struct {
    const char *format, *text, *value;
} dates[] = {
    {"%d/%m/%Y", "17/02/2023", "2023-02-17"},
    {"%d/%m/%Y", "1/2/2023", "2023-02-01"},
    {"%d/%m/%Y", "2/17/2023", NULL},
    {"%d/%m/%Y", "1/2/23", NULL},
    {"%d/%m/%Y", "1/2/2023 ", NULL},
    {"%d/%m/%Y", "1/2/20233", NULL},
    {"%d/%m/%Y", "", NULL},
    {"%d/%m/%Y", "30/2/2023", NULL},
    {"%-d/%-m/%Y", "1/2/2023", "2023-02-01"},
    {"%d/%m/%Y %H:%M", "17/02/2023 16:05", "2023-02-17T16:05:00"},
    {"%d/%m/%Y %H:%M", "17/02/2023  6:05", "2023-02-17T06:05:00"},
    {"%d/%m/%Y %H:%M", "17/02/2023", NULL},
    {"%d/%m/%Y %H:%M", "17/02/2023 24:00", NULL},
    {"%m-%d-%y", "02-17-68", "2068-02-17"},
    {"%m-%d-%y", "02-17-69", "1969-02-17"},
    {"%m-%d-%y", "02-17-1969", NULL},
    {"%Y%m%d", "20230217", "2023-02-17"},
    {"%Y%m%d", "2023217", NULL},
    {"%Y%m%dT%H%M%S", "20230217T160506", "2023-02-17T16:05:06"},
    {"%Y%m%d%H", "2023021716", "2023-02-17T16:00:00"},
    {"%d %b %Y", "17 feb 2023", "2023-02-17"},
    {"%d %B %Y", "17 February 2023", "2023-02-17"},
    {"%d %b %Y", "17 Foo 2023", NULL},
    {"%a, %d %b %Y", "Fri, 17 Feb 2023", "2023-02-17"},
    {"%A %d %b %Y", "Monday 17 Feb 2023", NULL}, /* it was a Friday */
    {"%d.%m.%Y %I:%M %p", "17.02.2023 12:05 AM", "2023-02-17T00:05:00"},
    {"%d.%m.%Y %I:%M %p", "17.02.2023 4:05 pm", "2023-02-17T16:05:00"},
    {"%d.%m.%Y %I:%M %p", "17.02.2023 13:05 PM", NULL},
    {"%d.%m.%Y %T.%f", "17.02.2023 16:05:06.25", "2023-02-17T16:05:06.25"},
    {"%d.%m.%Y %T.%f", "17.02.2023 16:05:06.123456700", "2023-02-17T16:05:06.1234567"},
    {"%d.%m.%Y %T.%f", "17.02.2023 16:05:06.12345678", NULL},
    {"%d.%m.%Y %R%z", "17.02.2023 16:05+02", "2023-02-17T16:05:00+02:00"},
    {"%d.%m.%Y %R%z", "17.02.2023 16:05-0530", "2023-02-17T16:05:00-05:30"},
    {"%d.%m.%Y %R %Z", "17.02.2023 16:05 UTC", "2023-02-17T16:05:00"},
    {"%d.%m.%Y %R %Z", "17.02.2023 16:05 CET", NULL},
    {"%F", "2023-02-17", "2023-02-17"},
    {"%F%T", "2023-02-1716:05:06", "2023-02-17T16:05:06"},
    {"%d%%%m%%%Y", "17%02%2023", "2023-02-17"},
};

Test(date_format, of_each_part)
{
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        const char *const format = dates[i].format, *const text = dates[i].text;
        const size_t n = strlen(text);
        char *copy = malloc(n + 1); /* nothing is read beyond it */
        dv_zoned value, wanted;
        dvi_date_parts parts = {.year = 0};
        cr_assert_not_null(copy);
        memcpy(copy, text, n);
        cr_assert(dvi_date_format_is_good(dv_text_of(format)), "%s", format);
        const bool is_read = dvi_date_format_read(&value, &parts, (dvi_date_input){copy, copy + n},
                                                  dv_text_of(format));
        cr_expect_eq(is_read, dates[i].value != NULL, "%s %s", format, text);
        if (dates[i].value) {
            cr_assert(dvi_parse_dz(&wanted, dates[i].value, strlen(dates[i].value)));
            cr_expect_eq(value.ticks, wanted.ticks, "%s %s", format, text);
            cr_expect_eq(value.minutes, wanted.minutes, "%s %s", format, text);
        }
        free(copy);
    }
}

Test(date_format, needs_day_month_and_year_once)
{
    static const char *const bad[] = {"",
                                      "dmy2",
                                      "%d/%m",
                                      "%d/%m/%Y/%y",
                                      "%d/%m/%Y%",
                                      "%d/%m/%Y %I",
                                      "%d/%m/%Y %p",
                                      "%d/%m/%Y %H %p",
                                      "%d/%q/%Y",
                                      "%d/%m/%b/%Y",
                                      "%d/%m/%Y %M",
                                      "%d/%m/%Y %H:%S",
                                      "%F %Y",
                                      "%-",
                                      "%d/%m/%Y %H %I %p"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(dvi_date_format_is_good(dv_text_of(bad[i])), "%s", bad[i]);
}

Test(date_format, year_first_in_another_order)
{
    cr_expect(dvi_date_format_may_be_iso(dv_text_of("%d/%m/%Y")));
    cr_expect(dvi_date_format_may_be_iso(dv_text_of("%Y%m%d")));
    cr_expect(dvi_date_format_may_be_iso(dv_text_of("%F")));
    cr_expect_not(dvi_date_format_may_be_iso(dv_text_of("%Y-%d-%m")));
}
