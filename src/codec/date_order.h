/* SPDX-License-Identifier: MIT */
/* date_order.h: reads dates whose day, month and year come in a known order. (semantics:6.8) */
#ifndef DVI_CODEC_DATE_ORDER_H
#define DVI_CODEC_DATE_ORDER_H

#include <dataview/type.h>

/* The order of a date. As bits: the orders that a text fits. */
typedef enum dvi_date_order {
    DVI_DATE_ANY = 0, /* no order is known */
    DVI_DATE_YMD = 1 << 0,
    DVI_DATE_DMY = 1 << 1,
    DVI_DATE_MDY = 1 << 2
} dvi_date_order;

/* A date as it was read. */
typedef struct dvi_date {
    dv_zoned value;
    unsigned orders;   /* the orders that the text fits; 0: it is not a date */
    bool is_like;      /* three numbers with separators between them, as dates have */
    bool is_ambiguous; /* two orders give two days */
    bool has_time;
    bool has_zone; /* an offset, Z or UTC; else the offset is 0 */
    bool is_utc;   /* Z or UTC */
} dvi_date;

/* Parse a date, perhaps with a time and an offset:
 *
 *   2023-02-17  2023/02/17       year first, with two digits for the month and the day
 *   17.02.2023  1.2.2023         dots: day first
 *   17/02/2023  02-17-2023       slashes and minuses: the order, or one that the numbers allow
 *   ... 16:05  T16:05:06.25  4:05 PM
 *   ... Z  UTC  +02  -0530  +02:00
 *
 * order: one order, which a text with the year first need not have, or DVI_DATE_ANY.  If the text
 * fits two orders, `orders` has both, and the value has the first.  Returns false if the
 * text is not a date in that order. */
bool dvi_parse_date(dvi_date *date_out, const char *src, size_t n, dvi_date_order order);

/* Find the order by its name: dmy, mdy or ymd. */
bool dvi_date_order_of(dvi_date_order *order_out, dv_text name);

#endif
