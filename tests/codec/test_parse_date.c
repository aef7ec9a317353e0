/* SPDX-License-Identifier: MIT */
/* test_parse_date.c: parsed dates and times of day: every row of the table in semantics:4.3, both
 * sides of every limit, and printed values. */
#include "support/test.h"

#include "codec/datetime.h"
#include "codec/parse.h"
#include "support/page.h"
#include <stdio.h>
#include <string.h>

/* The parsed clock and zone, printed; "" for a bad text. */
static void expect_n(const char *text, size_t n, const char *want)
{
    const char *src = (const char *)dvt_page_copy_end(dvt_shared_page(0), text, n);
    dv_zoned zoned = {77, 77};
    const bool is_good = dvi_parse_dz(&zoned, src, n);
    char got[DVI_DATETIME_NBYTES + 1];
    got[dvi_zoned_print(got, zoned)] = '\0';
    cr_expect_str_eq(got, want, "'%s': %s, not %s", text, got, want);
    cr_expect_eq(is_good, *want != '\0', "'%s'", text);

    int64_t ticks = 77;
    cr_expect_eq(dvi_parse_dt(&ticks, src, n), is_good, "'%s'", text);
    cr_expect_eq(ticks, is_good ? zoned.ticks - zoned.minutes * DVI_TICKS_PER_MINUTE : DV_TICKS_NA);
}

/* want: "2017-01-02", "2017-01-02T03:04:05", each with or without a fraction and a zone. */
static void expect(const char *text, const char *want)
{
    char whole[64];
    const size_t n = strlen(want);
    const bool has_zone =
        n > 10 && (want[n - 6] == '+' || want[n - 6] == '-') && want[n - 3] == ':';
    const int clock = (int)(has_zone ? n - 6 : n);
    const char *fraction = memchr(want, '.', n) ? "" : ".0000000";
    snprintf(whole, sizeof whole, "%.*s%s%s%s", clock, want, clock == 10 ? "T00:00:00" : "",
             fraction, has_zone ? want + clock : "+00:00");
    expect_n(text, strlen(text), whole);
}

static void expect_bad(const char *text)
{
    expect_n(text, strlen(text), "");
}

#define EACH(check, ...)                                                                           \
    do {                                                                                           \
        static const char *const texts[] = {__VA_ARGS__};                                          \
        for (size_t each = 0; each < sizeof texts / sizeof *texts; each++)                         \
            check(texts[each]);                                                                    \
    } while (0)

/* --- Dates ------------------------------------------------------------------------------------ */

Test(parse_date, numbers)
{
    expect("2017-01-02", "2017-01-02");
    expect("2017/1/2", "2017-01-02");
    expect("2017.1-02", "2017-01-02");
    expect("017-1-2", "0017-01-02");
    expect("1/2/2017", "2017-01-02");
    expect("01-02.0017", "0017-01-02");
    expect("1/2/017", "0017-01-02");
    expect("1/2/49", "2049-01-02");
    expect("1/2/50", "1950-01-02");
    expect("1/2/0", "2000-01-02");
    expect("0001-01-01", "0001-01-01");
    expect("9999-12-31", "9999-12-31");
    EACH(expect_bad, "20170102", "17-01-02", "31/1/2017", "12017-01-02", "2017-001-02",
         "2017-1-002", "2017-01-", "2017-", "2017", "1/2", "1/2/", "01-02", "1.5", "2017--01-02",
         "+2017-01-02", "-2017-01-02", "2017_01_02", "2017-01-02-", "1/2/20170", "2017-01-02x",
         "x2017-01-02");
}

Test(parse_date, the_calendar)
{
    expect("2000-02-29", "2000-02-29");
    expect("2016-02-29", "2016-02-29");
    EACH(expect_bad, "2017-00-01", "2017-13-01", "2017-01-00", "2017-01-32", "2017-04-31",
         "2017-02-29", "1900-02-29", "0000-01-01", "1/1/0000", "13/1/2017", "0/1/2017", "1/0/2017");
}

/* The only incomplete date that is accepted; it means the first day of the month. */
Test(parse_date, months_alone)
{
    expect("2017-03", "2017-03-01");
    expect(" 2017-3 ", "2017-03-01");
    EACH(expect_bad, "2017-13", "2017-0", "2017-001", "2017/03", "2017.03", "03-2017",
         "2017-03 04:05", "2017-03Z", "2017-03T04:05", "17-03");
}

Test(parse_date, names)
{
    expect("Jan 2 2017", "2017-01-02");
    expect("january 2, 2017", "2017-01-02");
    expect("JANUARY 02 , 2017", "2017-01-02");
    expect("2 Jan 2017", "2017-01-02");
    expect("02-Jan-2017", "2017-01-02");
    expect("2 Jan-2017", "2017-01-02");
    expect("2-dEc 2017", "2017-12-02");
    expect("Mon, January 2, 2017", "2017-01-02");
    expect("Monday January 2 2017", "2017-01-02");
    expect("monday, 2 Jan 2017", "2017-01-02");
    EACH(expect_bad, "Tue, January 2, 2017", "Sept 2 2017", "Janu 2 2017", "Jan 2017", "2 Jan",
         "Jan 2", "Jan 2 17", "2 Jan 17", "Jan-02-2017", "Jan2 2017", "Jan 2/2017", "2/Jan/2017",
         "2Jan2017", "Monday", "Mond 2 Jan 2017", "Mon2 Jan 2017", "Mon Mon 2 Jan 2017",
         "2017 Jan 2", "Feb 29 2017", "Jan 32 2017", "Jan 0 2017", "Jan 002 2017", "2 2 2017",
         "today", "Jan");
}

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};
static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                   "Friday", "Saturday", "Sunday"};

/* Two weeks of each month, whole names and short ones. */
Test(parse_date, every_name)
{
    for (int month = 1; month <= 12; month++)
        for (int day = 1; day <= 14; day++) {
            char text[64], want[16];
            const char *weekday = days[dvi_date_to_days(2017, month, day) % 7];
            snprintf(want, sizeof want, "2017-%02d-%02d", month, day);
            snprintf(text, sizeof text, "%s, %s %d, 2017", weekday, months[month - 1], day);
            expect(text, want);
            snprintf(text, sizeof text, "%.3s, %02d %.3s 2017", weekday, day, months[month - 1]);
            expect(text, want);
        }
}

/* --- Times of day ----------------------------------------------------------------------------- */

Test(parse_date, strict_times)
{
    expect("2017-01-02T03:04", "2017-01-02T03:04:00");
    expect("2017/1/2t03:04:05", "2017-01-02T03:04:05");
    expect("2017-01-02 T 03:04:05.5", "2017-01-02T03:04:05.5000000");
    expect("2017-01-02T23:59:59,9999999", "2017-01-02T23:59:59.9999999");
    EACH(expect_bad, "2017-01-02T", "2017-01-02T3:04", "2017-01-02T03", "2017-01-02T03:4",
         "2017-01-02T03:04:5", "2017-01-02T03:04:", "2017-01-02T03:04:05.", "2017-01-02T003:04",
         "2017-01-02T03:04:05 AM", "2017-01-02T03:04GMT", "1/2/2017T03:04", "2 Jan 2017T03:04",
         "2017-01-02T030405", "2017-01-02TT03:04", "T03:04", "03:04");
}

Test(parse_date, loose_times)
{
    expect("2017-01-02 3:4", "2017-01-02T03:04:00");
    expect("1/2/2017\t\n03:04:5", "2017-01-02T03:04:05");
    expect("2 Jan 2017 23:59:59.25", "2017-01-02T23:59:59.2500000");
    EACH(expect_bad, "2017-01-02 3", "2017-01-02 3:", "2017-01-02 3:4:", "2017-01-02 3:4:5.",
         "2017-01-02 003:4", "2017-01-02 3:004", "2017-01-02 03.04", "2017-01-02 03-04",
         "2017-01-02 3:4 5", "2017-01-02 3 :4", "2017-01-02 030405");
}

Test(parse_date, times_out_of_range)
{
    EACH(expect_bad, "2017-01-02T24:00", "2017-01-02T23:60", "2017-01-02T23:59:60",
         "2017-01-02 24:00", "2017-01-02 23:60", "2017-01-02 23:59:60", "2017-01-02 24 PM");
}

Test(parse_date, halves_of_the_day)
{
    expect("2017-01-02 3AM", "2017-01-02T03:00:00");
    expect("2017-01-02 3 pm", "2017-01-02T15:00:00");
    expect("2017-01-02 12:30 AM", "2017-01-02T00:30:00");
    expect("2017-01-02 0:30 am", "2017-01-02T00:30:00");
    expect("2017-01-02 12:30 PM", "2017-01-02T12:30:00");
    expect("2017-01-02 0:30pm", "2017-01-02T12:30:00");
    expect("2017-01-02 11:59:59.5 PM", "2017-01-02T23:59:59.5000000");
    expect("2017-01-02 13:00 PM", "2017-01-02T13:00:00");
    expect("2017-01-02 23:00 PM", "2017-01-02T23:00:00");
    expect("2017-01-02 3 PM +02:00", "2017-01-02T15:00:00+02:00");
    EACH(expect_bad, "2017-01-02 13:00 AM", "2017-01-02 13 AM", "2017-01-02 3 P",
         "2017-01-02 3 PMZ", "2017-01-02 3:00 A", "2017-01-02 3:00 pmgmt", "2017-01-02 AM",
         "2017-01-02 3 XM", "2017-01-02 3 PM PM");
}

Test(parse_date, fractions)
{
    expect("2017-01-02T03:04:05.12345678", "2017-01-02T03:04:05.1234568");
    expect("2017-01-02T03:04:05.12345674", "2017-01-02T03:04:05.1234567");
    expect("2017-01-02T03:04:05.00000005", "2017-01-02T03:04:05.0000001"); /* 0.5000000000000001 */
    expect("2017-01-02T03:04:05.00000015", "2017-01-02T03:04:05.0000002");
    expect("2017-01-02T03:04:59.99999999", "2017-01-02T03:05:00");
    expect("2017-12-31T23:59:59.99999999", "2018-01-01");
    expect("2017-01-02T03:04:05.0000000000000000000000000000000000000001", "2017-01-02T03:04:05");
    expect_bad("9999-12-31T23:59:59.99999999");
}

/* --- Zones ------------------------------------------------------------------------------------ */

Test(parse_date, zones)
{
    expect("2017-01-02T03:04:05Z", "2017-01-02T03:04:05");
    expect("2017-01-02 03:04 z", "2017-01-02T03:04:00");
    expect("2017-01-02 03:04:05 gmt", "2017-01-02T03:04:05");
    expect("2017-01-02GMT", "2017-01-02");
    expect("2017-01-02 Z", "2017-01-02");
    expect("2017-01-02+2", "2017-01-02+02:00");
    expect("2017-01-02-03", "2017-01-02-03:00");
    expect("2017-01-02 +02:3", "2017-01-02+02:03");
    expect("2017-01-02T03:04 -0230", "2017-01-02T03:04:00-02:30");
    expect("2017-01-02T03:04:05+00:30", "2017-01-02T03:04:05+00:30");
    expect("2017-01-02T03:04:05-00:30", "2017-01-02T03:04:05-00:30");
    expect("2017-01-02T03:04:05+14:00", "2017-01-02T03:04:05+14:00");
    expect("2017-01-02T03:04:05-1400", "2017-01-02T03:04:05-14:00");
    EACH(expect_bad, "2017-01-02+", "2017-01-02 + 2", "2017-01-02+123", "2017-01-02+12345",
         "2017-01-02+2:", "2017-01-02+02:60", "2017-01-02+0260", "2017-01-02+14:01",
         "2017-01-02-15", "2017-01-02+24:00", "2017-01-02 UTC", "2017-01-02 PST", "2017-01-02Zz",
         "2017-01-02ZZ", "2017-01-02+02:00Z", "2017-01-02GMT+1", "2017-01-02+02:000",
         "2017-01-02+0200:00", "2017-01-02GM",
         "2017-01-02 \xE2\x88\x92"
         "02:00");
}

Test(parse_date, utc_stays_in_the_calendar)
{
    expect("0001-01-01T01:00+01:00", "0001-01-01T01:00:00+01:00");
    expect("9999-12-31T22:59:59.9999999-01:00", "9999-12-31T22:59:59.9999999-01:00");
    expect_bad("0001-01-01T00:59:59.9999999+01:00");
    expect_bad("9999-12-31T23:00-01:00");
}

/* --- Around it -------------------------------------------------------------------------------- */

Test(parse_date, white_space_and_nuls_around)
{
    expect(" \xC2\xA0\t2017-01-02\xE3\x80\x80\n", "2017-01-02");
    expect_n("2017-01-02\0\0", 12, "2017-01-02T00:00:00.0000000+00:00");
    expect_n("2017-01-02 \0", 12, "2017-01-02T00:00:00.0000000+00:00");
    expect_n("2017-01-02\0 ", 12, "");
    expect_n("2017-01-02\0x", 12, "");
    expect_n("\0002017-01-02", 11, "");
    expect_n("2017-01-02\00003:04", 16, "");
    EACH(expect_bad, " ", "2017-01-02 x", "2017-01-02,", "2017-01-02\xC2", "\xE2\x80",
         "2017-01-02\x80", "42737", "636188256000000000");
}

Test(parse_date, tokens_of_missing_values)
{
    static const char *const tokens[] = {"?", "NA", "n/a", "nan"};
    for (size_t i = 0; i < 4; i++) {
        int64_t ticks = 77;
        dv_zoned zoned = {77, 77};
        const size_t n = strlen(tokens[i]);
        cr_expect(dvi_parse_dt(&ticks, tokens[i], n) && ticks == DV_TICKS_NA, "%s", tokens[i]);
        cr_expect(dvi_parse_dz(&zoned, tokens[i], n) && zoned.ticks == DV_TICKS_NA, "%s",
                  tokens[i]);
    }
    int64_t ticks = 77;
    dv_zoned zoned = {77, 77};
    cr_expect(dvi_parse_dt(&ticks, "", 0) && ticks == 0);
    cr_expect(dvi_parse_dz(&zoned, "", 0) && zoned.ticks == 0 && zoned.minutes == 0);
}

/* Every day of the calendar, at some time of day, in some zone. */
Test(parse_date, printed_dates_read_back)
{
    uint64_t state = 88172645463325252;
    int wrong = 0;
    for (int64_t day = 0; day * DVI_TICKS_PER_DAY <= DV_TICKS_MAX; day++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const dv_zoned want = {day * DVI_TICKS_PER_DAY + (int64_t)(state % DVI_TICKS_PER_DAY),
                               (int16_t)((int)(state >> 40) % 1681 - 840)};
        char text[DVI_DATETIME_NBYTES];
        dv_zoned got = {77, 77};
        int64_t ticks = 77;
        wrong += !dvi_parse_dt(&ticks, text, dvi_datetime_print(text, want.ticks)) ||
                 ticks != want.ticks;
        const size_t n = dvi_zoned_print(text, want);
        if (n > 0) /* the first and last days have fewer zones */
            wrong += !dvi_parse_dz(&got, text, n) || got.ticks != want.ticks ||
                     got.minutes != want.minutes;
    }
    cr_expect_eq(wrong, 0);
}
