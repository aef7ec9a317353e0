/* SPDX-License-Identifier: MIT */
/* test_date_order.c: dates are read in the order that is known, or that their numbers show. */
#include "codec/date_order.h"
#include "codec/parse.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

#define ANY DVI_DATE_ANY
#define YMD DVI_DATE_YMD
#define DMY DVI_DATE_DMY
#define MDY DVI_DATE_MDY

/* A text, the order that is known, the orders that it fits, and its value as ISO 8601. */
static const struct {
    const char *text;
    dvi_date_order order;
    unsigned orders;
    const char *value;
} dates[] = {
    {"2023-02-17", ANY, YMD, "2023-02-17T00:00:00+00:00"},
    {"2023/02/17", DMY, YMD, "2023-02-17T00:00:00+00:00"},
    {"2023-2-7", ANY, 0, NULL},
    {"2023.02.17", ANY, 0, NULL},
    {"01.02.2023", ANY, DMY, "2023-02-01T00:00:00+00:00"},
    {"17.02.2023", ANY, DMY, "2023-02-17T00:00:00+00:00"},
    {"02.17.2023", ANY, 0, NULL}, /* dots never have the month first */
    {"01.02.2023", MDY, 0, NULL},
    {"1/2/2023", ANY, DMY | MDY, "2023-02-01T00:00:00+00:00"},
    {"1/2/2023", DMY, DMY, "2023-02-01T00:00:00+00:00"},
    {"1/2/2023", MDY, MDY, "2023-01-02T00:00:00+00:00"},
    {"17/02/2023", ANY, DMY, "2023-02-17T00:00:00+00:00"},
    {"02-17-2023", ANY, MDY, "2023-02-17T00:00:00+00:00"},
    {"30/02/2023", ANY, 0, NULL},
    {"29/02/2024", ANY, DMY, "2024-02-29T00:00:00+00:00"},
    {"1/2/23", ANY, 0, NULL}, /* which century? */
    {"1/2-2023", ANY, 0, NULL},
    {"1/2/2003 4:05 PM", MDY, MDY, "2003-01-02T16:05:00+00:00"},
    {"1/2/2003 12:05 am", MDY, MDY, "2003-01-02T00:05:00+00:00"},
    {"1/2/2003 13:05 PM", MDY, 0, NULL},
    {"1/2/2003 4:05", MDY, 0, NULL},
    {"2024-01-02 03:04:05+02", ANY, YMD, "2024-01-02T03:04:05+02:00"},
    {"2024-01-02 03:04:05-0530", ANY, YMD, "2024-01-02T03:04:05-05:30"},
    {"2024-01-02T03:04:05.25 +02:00", ANY, YMD, "2024-01-02T03:04:05.25+02:00"},
    {"2024-01-02 03:04:05 UTC", ANY, YMD, "2024-01-02T03:04:05+00:00"},
    {"2024-01-02 03:04Z", ANY, YMD, "2024-01-02T03:04:00+00:00"},
    {"2024-01-02 03:04:05.", ANY, 0, NULL},
    {"2024-01-02 03:04:05.12345678", ANY, 0, NULL},
    {"2024-01-02 03:04:05+2", ANY, 0, NULL},
    {"2024-01-02 03:04:05+0260", ANY, 0, NULL},
    {"2024-01-02 ", ANY, 0, NULL},
    {"2024-01-02T", ANY, 0, NULL},
    {"", ANY, 0, NULL},
    {"1.5", ANY, 0, NULL},
};

Test(date_order, of_each_form)
{
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        dvi_date date;
        dv_zoned value;
        const size_t n = strlen(dates[i].text);
        char *copy = malloc(n + 1); /* nothing is read beyond it */
        cr_assert_not_null(copy);
        memcpy(copy, dates[i].text, n);
        const bool is_date = dvi_parse_date(&date, copy, n, dates[i].order);
        cr_expect_eq(is_date, dates[i].orders != 0, "%s", dates[i].text);
        cr_expect_eq(date.orders, dates[i].orders, "%s: %u", dates[i].text, date.orders);
        if (dates[i].value) {
            cr_assert(dvi_parse_dz(&value, dates[i].value, strlen(dates[i].value)));
            cr_expect_eq(date.value.ticks, value.ticks, "%s", dates[i].text);
            cr_expect_eq(date.value.minutes, value.minutes, "%s", dates[i].text);
        }
        free(copy);
    }
}

Test(date_order, two_orders_of_one_day_are_not_ambiguous)
{
    dvi_date date;
    cr_expect(dvi_parse_date(&date, "3/3/2023", 8, ANY) && !date.is_ambiguous);
    cr_expect(dvi_parse_date(&date, "3/4/2023", 8, ANY) && date.is_ambiguous);
    cr_expect(dvi_parse_date(&date, "3/4/2023", 8, DMY) && !date.is_ambiguous);
    cr_expect(!dvi_parse_date(&date, "30/30/2023", 10, ANY) && date.is_like);
    cr_expect(!dvi_parse_date(&date, "May 3", 5, ANY) && !date.is_like);
}
