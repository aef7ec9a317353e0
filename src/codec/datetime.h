/* SPDX-License-Identifier: MIT */
/* datetime.h: checks dates and prints TS, DT and DZ (semantics:4.4). */
#ifndef DVI_CODEC_DATETIME_H
#define DVI_CODEC_DATETIME_H

#include <dataview/type.h>

#define DVI_TICKS_PER_MINUTE INT64_C(600000000)

#define DVI_TICKS_PER_SECOND INT64_C(10000000) /* of 100 ns */
#define DVI_TICKS_PER_HOUR (60 * DVI_TICKS_PER_MINUTE)
#define DVI_TICKS_PER_DAY (24 * DVI_TICKS_PER_HOUR)
#define DVI_EPOCH_TICKS INT64_C(621355968000000000) /* 1970, where numpy and Arrow start */

/* Enough for the longest text; no NUL is written. */
#define DVI_DATETIME_NBYTES 40

/* Whether a value is NA or outside the calendar: ticks outside 0..DV_TICKS_MAX; of DZ also an
 * offset over 14 hours, or a time outside the calendar in UTC. Of TS only DV_TICKS_NA is NA. */
static inline bool dvi_datetime_is_na(int64_t ticks)
{
    return ticks < 0 || ticks > DV_TICKS_MAX;
}
bool dvi_zoned_is_na(dv_zoned zoned);

/* The ticks in UTC of a value that is not NA. */
static inline int64_t dvi_zoned_utc(dv_zoned zoned)
{
    return zoned.ticks - zoned.minutes * DVI_TICKS_PER_MINUTE;
}

/* Print into dst, of DVI_DATETIME_NBYTES bytes, and return the length: 0 for NA.
 *
 *   TS  [-][D.]hh:mm:ss[.fffffff]
 *   DT  yyyy-MM-ddThh:mm:ss.fffffff
 *   DZ  the local clock as DT, then +hh:mm or -hh:mm
 */
size_t dvi_timespan_print(char *dst, int64_t ticks);
size_t dvi_datetime_print(char *dst, int64_t ticks);
size_t dvi_zoned_print(char *dst, dv_zoned zoned);

/* The date of the days since 0001-01-01. */
typedef struct dvi_civil {
    int32_t year, month, day;
} dvi_civil;
dvi_civil dvi_date_of_days(uint64_t days);

/* The days from 0001-01-01, a Monday, to a date; -1: no date of the years 1..9999. */
int64_t dvi_date_to_days(int year, int month, int day);

#endif
