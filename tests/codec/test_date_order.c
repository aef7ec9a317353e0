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
    {"2024-01-02 03:04:05 GMT", ANY, YMD, "2024-01-02T03:04:05+00:00"},
    {"2024-01-02 03:04:05.12345670", ANY, YMD, "2024-01-02T03:04:05.1234567+00:00"},
    {"2024-01-02 24:00", ANY, 0, NULL},
    {"2024-01-02 03:04+15", ANY, 0, NULL},
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
        const bool is_date =
            dvi_parse_date(&date, copy, n, &(dvi_date_rule){.order = dates[i].order});
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
    const dvi_date_rule dmy = {.order = DMY};
    cr_expect(dvi_parse_date(&date, "3/3/2023", 8, NULL) && !date.is_ambiguous);
    cr_expect(dvi_parse_date(&date, "3/4/2023", 8, NULL) && date.is_ambiguous);
    cr_expect(dvi_parse_date(&date, "3/4/2023", 8, &dmy) && !date.is_ambiguous);
    cr_expect(!dvi_parse_date(&date, "30/30/2023", 10, NULL) && date.is_like);
    cr_expect(!dvi_parse_date(&date, "May 3", 5, NULL) && !date.is_like);
    cr_expect(!dvi_parse_date(&date, "2023-2-7", 8, NULL) && !date.is_like);
}

/* --- By a rule, or by semantics:4.3 ----------------------------------------------------------- */

/* A text, the value of option date=, and the value; NULL: NA. */
static const struct {
    const char *text, *rule, *value;
} readings[] = {
    {" 1/2/2023 ", "dmy", "2023-02-01"},
    {"1/2/2023", "mdy", "2023-01-02"},
    {"1/2/2023", "ymd", NULL},
    {"1/2/2023", NULL, NULL},
    {" 1/2/2023", NULL, NULL},
    {"17/2/2023", NULL, "2023-02-17"},
    {"1/2/23", NULL, NULL}, /* semantics:4.3 has 2 January */
    {"2023-2-7", NULL, "2023-02-07"},
    {"2023-2-7", "mdy", "2023-02-07"},
    {"17 Feb 2023 10:00", NULL, "2023-02-17T10:00:00"},
    {"17 Feb 2023 10:00 UTC", "mdy", "2023-02-17T10:00:00"},
    {"UTC", NULL, NULL},
    {" UTC", NULL, NULL},
    {"17/02/2023 16:05", "%d/%m/%Y %H:%M", "2023-02-17T16:05:00"},
    {"01/02/2023", "%d/%m/%Y %H:%M", NULL}, /* not month first */
    {"2023-02-17", "%d/%m/%Y %H:%M", "2023-02-17"},
    {"2023-2-7", "%d/%m/%Y", NULL},
    {"2023-02-01", "%Y-%d-%m", "2023-01-02"},
    {"2023-02-13", "%Y-%d-%m", NULL}, /* not the year first in another order */
    {"Feb 17 2023", "%d/%m/%Y", "2023-02-17"},
};

Test(date_order, read_by_a_rule)
{
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        dvi_date_rule rule = {.order = ANY};
        dv_zoned value, wanted;
        const char *const text = readings[i].text;
        if (readings[i].rule)
            cr_assert(dvi_date_rule_read(&rule, dv_text_of(readings[i].rule)));
        const bool is_read = dvi_date_read(&value, dv_text_of(text), &rule);
        cr_expect_eq(is_read, readings[i].value != NULL, "%s", text);
        cr_expect(is_read || value.ticks == DV_TICKS_NA, "%s", text);
        if (!readings[i].value)
            continue;
        cr_assert(dvi_parse_dz(&wanted, readings[i].value, strlen(readings[i].value)));
        cr_expect_eq(value.ticks, wanted.ticks, "%s", text);
    }
    dv_zoned na;
    cr_expect(dvi_date_read(&na, dv_text_of("NA"), NULL) && na.ticks == DV_TICKS_NA);
}

Test(date_order, rules_are_compared)
{
    dvi_date_rule a, b;
    cr_assert(dvi_date_rule_read(&a, dv_text_of("DMY")) &&
              dvi_date_rule_read(&b, dv_text_of("dmy")));
    cr_expect(dvi_date_rule_equal(&a, &b));
    cr_assert(dvi_date_rule_read(&b, dv_text_of("%d.%m.%Y")));
    cr_expect_not(dvi_date_rule_equal(&a, &b));
    cr_assert(dvi_date_rule_read(&a, dv_text_of("%d.%m.%y")));
    cr_expect_not(dvi_date_rule_equal(&a, &b));
}
