/* SPDX-License-Identifier: MIT */
/* date_format.h: dates in a format of strftime, such as %d/%m/%Y %H:%M. (semantics:6.8) */
#ifndef DVI_CODEC_DATE_FORMAT_H
#define DVI_CODEC_DATE_FORMAT_H

#include "codec/date_parts.h"

/* Has the format a day, a month and a year, each part once, and AM or PM exactly if its hour needs
 * it?  Only these signs may follow %:
 *
 *   Y  y            year of four digits; of two: 69 to 99 are 19xx, the others 20xx
 *   m  b  B         month as number; as English name in any case, whole or three letters
 *   d               day
 *   a  A            weekday by name, the right one
 *   H  I  M  S      hour to 23, to 12; minute, second
 *   f               fraction of a second: one digit or more
 *   p               AM or PM
 *   z  Z            Z, UTC, GMT or an offset such as +02, +0200, +02:00
 *   F  T  R         %Y-%m-%d, %H:%M:%S, %H:%M
 *   %               a percent sign
 *
 * Numbers have one digit or two; two where another number follows or precedes directly.  A space
 * stands for at least one, other characters for themselves; a minus after % has no effect. */
bool dvi_date_format_is_good(dv_text format);

/* Read a text that the format, which is good, covers whole; *parts_out: all zeros before. */
bool dvi_date_format_read(dv_zoned *value_out, dvi_date_parts *parts_out, dvi_date_input text,
                          dv_text format);

/* Can a text that does not fit the format have the year first?  Not if the day follows the year. */
bool dvi_date_format_may_be_iso(dv_text format);

#endif
