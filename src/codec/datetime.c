/* SPDX-License-Identifier: MIT */
/* datetime.c: checks dates and prints TS, DT and DZ. */
#include "codec/datetime.h"
#include "codec/number.h"

#define SECOND ((uint64_t)DVI_TICKS_PER_SECOND)
#define MINUTE ((uint64_t)DVI_TICKS_PER_MINUTE)
#define DAY ((uint64_t)DVI_TICKS_PER_DAY)

bool dvi_zoned_is_na(dv_zoned zoned)
{
    return dvi_datetime_is_na(zoned.ticks) || zoned.minutes < -DV_MINUTES_MAX ||
           zoned.minutes > DV_MINUTES_MAX ||
           dvi_datetime_is_na(zoned.ticks - zoned.minutes * DVI_TICKS_PER_MINUTE);
}

/* Print the last `width` digits of a number. */
static size_t put_digits(char *dst, uint64_t number, size_t width)
{
    for (size_t i = width; i-- > 0; number /= 10)
        dst[i] = (char)('0' + number % 10);
    return width;
}

/* "hh:mm" */
static size_t put_minutes(char *dst, uint64_t minutes)
{
    size_t n = put_digits(dst, minutes / 60, 2);
    dst[n++] = ':';
    return n + put_digits(dst + n, minutes % 60, 2);
}

/* "hh:mm:ss", and ".fffffff" if has_fraction or if it is not zero. */
static size_t put_time(char *dst, uint64_t ticks, bool has_fraction)
{
    size_t n = put_minutes(dst, ticks / MINUTE);
    dst[n++] = ':';
    n += put_digits(dst + n, ticks % MINUTE / SECOND, 2);
    if (!has_fraction && ticks % SECOND == 0)
        return n;
    dst[n++] = '.';
    return n + put_digits(dst + n, ticks % SECOND, 7);
}

size_t dvi_timespan_print(char *dst, int64_t ticks)
{
    if (ticks == DV_TICKS_NA)
        return 0;
    const uint64_t size = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
    size_t n = 0;
    if (ticks < 0)
        dst[n++] = '-';
    if (size >= DAY) {
        n += dvi_number_print_u8(dst + n, size / DAY);
        dst[n++] = '.';
    }
    return n + put_time(dst + n, size % DAY, false);
}

/* Years are counted from March, so that a leap day is the last day of its year and month m always
 * starts at day floor((153 m + 2) / 5). */
dvi_civil dvi_date_of_days(uint64_t days)
{
    days += 306;                                             /* since 0000-03-01 */
    const uint64_t era = days / 146097, day = days % 146097; /* eras of 400 years */
    const uint64_t leaps = day / 1460 - day / 36524 + day / 146096;
    const uint64_t year = (day - leaps) / 365;
    const uint64_t day_of_year = day - (365 * year + year / 4 - year / 100);
    const uint64_t month = (5 * day_of_year + 2) / 153; /* 0: March */
    const uint64_t day_of_month = day_of_year - (153 * month + 2) / 5;
    return (dvi_civil){(int32_t)(400 * era + year + (month >= 10)),
                       (int32_t)(month < 10 ? month + 3 : month - 9), (int32_t)day_of_month + 1};
}

/* "yyyy-MM-dd" */
static size_t put_date(char *dst, uint64_t days)
{
    const dvi_civil date = dvi_date_of_days(days);
    size_t n = put_digits(dst, (uint64_t)date.year, 4);
    dst[n++] = '-';
    n += put_digits(dst + n, (uint64_t)date.month, 2);
    dst[n++] = '-';
    return n + put_digits(dst + n, (uint64_t)date.day, 2);
}

int64_t dvi_date_to_days(int year, int month, int day)
{
    static const int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1)
        return -1;
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > lengths[month - 1] + (month == 2 && is_leap))
        return -1;
    const int y = year - (month <= 2), m = (month + 9) % 12; /* 0: March, as in put_date */
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 306;
}

size_t dvi_datetime_print(char *dst, int64_t ticks)
{
    if (dvi_datetime_is_na(ticks))
        return 0;
    size_t n = put_date(dst, (uint64_t)ticks / DAY);
    dst[n++] = 'T';
    return n + put_time(dst + n, (uint64_t)ticks % DAY, true);
}

size_t dvi_zoned_print(char *dst, dv_zoned zoned)
{
    if (dvi_zoned_is_na(zoned))
        return 0;
    const int minutes = zoned.minutes;
    size_t n = dvi_datetime_print(dst, zoned.ticks);
    dst[n++] = minutes < 0 ? '-' : '+';
    return n + put_minutes(dst + n, (uint64_t)(minutes < 0 ? -minutes : minutes));
}
