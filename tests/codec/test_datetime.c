/* SPDX-License-Identifier: MIT */
/* test_datetime.c: time spans, dates and zoned dates as text. */
#include "support/test.h"

#include "codec/datetime.h"
#include <string.h>

#define DAY INT64_C(864000000000)

typedef struct printed {
    char text[DVI_DATETIME_NBYTES + 2];
} printed;

static printed blank(void)
{
    printed p;
    memset(p.text, '~', sizeof p.text);
    return p;
}

static printed finish(printed p, size_t n)
{
    cr_assert_leq(n, DVI_DATETIME_NBYTES);
    cr_expect_eq(p.text[n], '~', "bytes after the text were touched");
    p.text[n] = '\0';
    return p;
}

static printed print_ts(int64_t ticks)
{
    printed p = blank();
    return finish(p, dvi_timespan_print(p.text, ticks));
}

static printed print_dt(int64_t ticks)
{
    printed p = blank();
    return finish(p, dvi_datetime_print(p.text, ticks));
}

static printed print_dz(int64_t ticks, int16_t minutes)
{
    printed p = blank();
    return finish(p, dvi_zoned_print(p.text, (dv_zoned){ticks, minutes}));
}

typedef struct ticks_case {
    int64_t ticks;
    const char *text;
} ticks_case;

typedef struct zoned_case {
    int64_t ticks;
    int16_t minutes;
    const char *text;
} zoned_case;

/* Written by ML.NET's text saver. */
static const ticks_case ts_cases[] = {
    {0, "00:00:00"},
    {INT64_C(37230000000), "01:02:03"},
    {INT64_C(937845000000), "1.02:03:04.5000000"},
    {INT64_C(-9223372036854775807), "-10675199.02:48:05.4775807"},
    {INT64_C(864000000000), "1.00:00:00"},
    {INT64_C(863999999999), "23:59:59.9999999"},
    {INT64_C(-863999999999), "-23:59:59.9999999"},
    {1234567, "00:00:00.1234567"},
    {INT64_C(9007199254740993), "10424.23:58:45.4740993"},
    {16777217, "00:00:01.6777217"},
    {INT64_C(4345462586670), "5.00:42:26.2586670"},
    {INT64_C(5195777654250), "6.00:19:37.7654250"},
    {INT64_C(-1563024676643891906), "-1809056.08:07:44.3891906"},
    {INT64_C(-443436247484572694), "-513236.09:32:28.4572694"},
    {-631134, "-00:00:00.0631134"},
    {84033, "00:00:00.0084033"},
    {INT64_C(233977754863), "06:29:57.7754863"},
    {INT64_C(-134132822489340), "-155.05:54:42.2489340"},
    {-521381594, "-00:00:52.1381594"},
    {-3452, "-00:00:00.0003452"},
    {11247, "00:00:00.0011247"},
    {48744395, "00:00:04.8744395"},
    {INT64_C(92234578736756858), "106752.23:37:53.6756858"},
    {INT64_C(47144340439246153), "54565.05:00:43.9246153"},
};

static const ticks_case dt_cases[] = {
    {INT64_C(636188256000000000), "2017-01-01T00:00:00.0000000"},
    {INT64_C(636612932961234567), "2018-05-07T12:34:56.1234567"},
    {INT64_C(621355968000000000), "1970-01-01T00:00:00.0000000"},
    {INT64_C(630822815999999999), "1999-12-31T23:59:59.9999999"},
    {INT64_C(599266080000000000), "1900-01-01T00:00:00.0000000"},
    {INT64_C(1343116884590910814), "4257-03-03T10:20:59.0910814"},
    {INT64_C(3047260768957829049), "9657-05-21T04:28:15.7829049"},
    {INT64_C(2738039136525265535), "8677-07-02T18:40:52.5265535"},
    {INT64_C(2667521592735557611), "8454-01-15T06:01:13.5557611"},
    {INT64_C(339763773972417682), "1077-09-02T02:36:37.2417682"},
    {INT64_C(1257973400673176019), "3987-05-12T17:34:27.3176019"},
    {INT64_C(2352028570239719385), "7454-04-14T06:57:03.9719385"},
    {INT64_C(1625798581882321781), "5152-12-14T07:43:08.2321781"},
    {INT64_C(2742723732730358504), "8692-05-06T18:21:13.0358504"},
    {INT64_C(3053784385739592151), "9678-01-21T16:02:53.9592151"},
    {INT64_C(2904063158245404256), "9203-08-12T05:03:44.5404256"},
    {INT64_C(1983438634760323183), "6286-04-08T13:37:56.0323183"},
    {INT64_C(675321585320266723), "2141-01-04T04:55:32.0266723"},
    {INT64_C(1558865469081816864), "4940-11-06T10:35:08.1816864"},
    {INT64_C(919325078671994571), "2914-03-24T15:44:27.1994571"},
    {INT64_C(994825361090001076), "3153-06-24T05:48:29.0001076"},
    {INT64_C(1740762981591529111), "5517-04-05T23:15:59.1529111"},
    {INT64_C(268882803668552424), "0853-01-20T22:46:06.8552424"},
};

static const zoned_case dz_cases[] = {
    {INT64_C(636188256000000000), 0, "2017-01-01T00:00:00.0000000+00:00"},
    {INT64_C(636612932961234567), 840, "2018-05-07T12:34:56.1234567+14:00"},
    {INT64_C(636612932961234567), -840, "2018-05-07T12:34:56.1234567-14:00"},
    {INT64_C(3155378975999999999), 0, "9999-12-31T23:59:59.9999999+00:00"},
    {INT64_C(636188256000000000), 330, "2017-01-01T00:00:00.0000000+05:30"},
    {INT64_C(636188256000000000), 1, "2017-01-01T00:00:00.0000000+00:01"},
    {INT64_C(636188256000000000), -1, "2017-01-01T00:00:00.0000000-00:01"},
    {INT64_C(615863290557788890), -538, "1952-08-05T17:37:35.7788890-08:58"},
    {INT64_C(649335442015118951), -598, "2058-08-30T15:36:41.5118951-09:58"},
    {INT64_C(648060457849243716), -24, "2054-08-15T23:23:04.9243716-00:24"},
    {INT64_C(651299998009571639), 79, "2064-11-20T10:36:40.9571639+01:19"},
    {INT64_C(612111893177119677), -533, "1940-09-15T20:08:37.7119677-08:53"},
    {INT64_C(650577969312653537), -517, "2062-08-07T18:15:31.2653537-08:37"},
    {INT64_C(618120635772178526), -340, "1959-10-01T09:39:37.2178526-05:40"},
    {INT64_C(632928115892281130), 525, "2006-09-02T16:33:09.2281130+08:45"},
    {INT64_C(634847791768194705), -623, "2012-10-02T12:52:56.8194705-10:23"},
    {INT64_C(656529756291229671), -35, "2081-06-17T09:40:29.1229671-00:35"},
    {INT64_C(659558596942507704), 767, "2091-01-22T00:08:14.2507704+12:47"},
    {INT64_C(644344097377718217), -39, "2042-11-05T15:08:57.7718217-00:39"},
    {INT64_C(606013155892918927), -383, "1921-05-20T02:46:29.2918927-06:23"},
    {INT64_C(632891929840242659), 704, "2006-07-22T19:23:04.0242659+11:44"},
    {INT64_C(651777651151096287), 741, "2066-05-27T06:45:15.1096287+12:21"},
    {INT64_C(637974648535522236), -346, "2022-08-30T14:00:53.5522236-05:46"},
    {INT64_C(613868682935495431), 49, "1946-04-11T03:51:33.5495431+00:49"},
};

Test(datetime, vectors_of_time_spans)
{
    for (size_t i = 0; i < sizeof ts_cases / sizeof *ts_cases; i++) {
        const printed p = print_ts(ts_cases[i].ticks);
        cr_expect_str_eq(p.text, ts_cases[i].text, "%s, not %s", p.text, ts_cases[i].text);
    }
}

Test(datetime, vectors_of_dates)
{
    for (size_t i = 0; i < sizeof dt_cases / sizeof *dt_cases; i++) {
        const printed p = print_dt(dt_cases[i].ticks);
        cr_expect_str_eq(p.text, dt_cases[i].text, "%s, not %s", p.text, dt_cases[i].text);
    }
}

Test(datetime, vectors_of_zoned_dates)
{
    for (size_t i = 0; i < sizeof dz_cases / sizeof *dz_cases; i++) {
        const printed p = print_dz(dz_cases[i].ticks, dz_cases[i].minutes);
        cr_expect_str_eq(p.text, dz_cases[i].text, "%s, not %s", p.text, dz_cases[i].text);
    }
}

Test(datetime, time_spans_at_their_limits)
{
    cr_expect_str_eq(print_ts(DV_TICKS_NA).text, "");
    cr_expect_str_eq(print_ts(INT64_MAX).text, "10675199.02:48:05.4775807");
    cr_expect_str_eq(print_ts(-DAY).text, "-1.00:00:00");
    cr_expect_str_eq(print_ts(1).text, "00:00:00.0000001");
    cr_expect_str_eq(print_ts(-1).text, "-00:00:00.0000001");
}

Test(datetime, ticks_outside_the_calendar_are_na)
{
    const int64_t outside[] = {DV_TICKS_NA, -1, DV_TICKS_MAX + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        cr_expect(dvi_datetime_is_na(outside[i]), "%zu", i);
        cr_expect(dvi_zoned_is_na((dv_zoned){outside[i], 0}), "%zu", i);
        cr_expect_str_eq(print_dt(outside[i]).text, "");
        cr_expect_str_eq(print_dz(outside[i], 0).text, "");
    }
    cr_expect(!dvi_datetime_is_na(0) && !dvi_datetime_is_na(DV_TICKS_MAX));
    cr_expect_str_eq(print_dt(0).text, "0001-01-01T00:00:00.0000000");
    cr_expect_str_eq(print_dt(DV_TICKS_MAX).text, "9999-12-31T23:59:59.9999999");
}

Test(datetime, zones_reach_14_hours_and_stay_in_the_calendar)
{
    const int64_t hour = DAY / 24;
    cr_expect_str_eq(print_dz(DAY, 840).text, "0001-01-02T00:00:00.0000000+14:00");
    cr_expect_str_eq(print_dz(DAY, -840).text, "0001-01-02T00:00:00.0000000-14:00");
    cr_expect_str_eq(print_dz(DAY, 841).text, "");
    cr_expect_str_eq(print_dz(DAY, -841).text, "");
    cr_expect_str_eq(print_dz(DAY, INT16_MIN).text, "");

    cr_expect_str_eq(print_dz(hour, 60).text, "0001-01-01T01:00:00.0000000+01:00");
    cr_expect_str_eq(print_dz(hour - 1, 60).text, "", "before 0001-01-01 in UTC");
    cr_expect_str_eq(print_dz(DV_TICKS_MAX - hour, -60).text, "9999-12-31T22:59:59.9999999-01:00");
    cr_expect_str_eq(print_dz(DV_TICKS_MAX - hour + 1, -60).text, "", "after 9999-12-31 in UTC");
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static void put_digits(char *dst, int number, int width)
{
    for (; width > 0; number /= 10)
        dst[--width] = (char)('0' + number % 10);
}

/* Every day of the calendar, one after the other. */
Test(datetime, every_day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    char want[] = "yyyy-MM-ddT12:00:00.0000000";
    int64_t ticks = DAY / 2;
    int wrong = 0;
    for (int year = 1; year <= 9999; year++)
        for (int month = 1; month <= 12; month++) {
            const int days = lengths[month - 1] + (month == 2 && is_leap(year));
            cr_expect_eq(dvi_date_to_days(year, month, days + 1), -1);
            for (int day = 1; day <= days; day++, ticks += DAY) {
                char text[DVI_DATETIME_NBYTES];
                put_digits(want, year, 4);
                put_digits(want + 5, month, 2);
                put_digits(want + 8, day, 2);
                wrong += dvi_date_to_days(year, month, day) != ticks / DAY;
                wrong += dvi_datetime_print(text, ticks) != strlen(want) ||
                         memcmp(text, want, strlen(want)) != 0;
            }
        }
    cr_expect_eq(wrong, 0);
    cr_expect_eq(ticks - DAY / 2, DV_TICKS_MAX + 1);
}

Test(datetime, no_day_of_the_calendar)
{
    cr_expect_eq(dvi_date_to_days(1, 1, 1), 0);
    cr_expect_eq(dvi_date_to_days(0, 12, 31), -1);
    cr_expect_eq(dvi_date_to_days(10000, 1, 1), -1);
    cr_expect_eq(dvi_date_to_days(2017, 0, 1), -1);
    cr_expect_eq(dvi_date_to_days(2017, 13, 1), -1);
    cr_expect_eq(dvi_date_to_days(2017, 1, 0), -1);
}
