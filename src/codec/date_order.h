/* SPDX-License-Identifier: MIT */
/* date_order.h: reads dates whose day, month and year come in a known order, or that have a known
 * format. (semantics:6.8) */
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

/* The known order or format of the dates of a file.  All zeros: nothing is known. */
typedef struct dvi_date_rule {
    dvi_date_order order;
    dv_text format; /* date_format.h; empty: none */
} dvi_date_rule;

/* A date as it was read. */
typedef struct dvi_date {
    dv_zoned value;
    unsigned orders;   /* the orders that the text fits; 0: it is not a date */
    bool is_like;      /* three numbers, whose order others may know; the first is not a year */
    bool is_ambiguous; /* two orders give two days */
    bool has_format;   /* it was read by the format; then `orders` is DVI_DATE_YMD */
    bool has_zone;     /* an offset, Z, UTC or GMT; else the offset is 0 */
    bool is_utc;       /* one of the last three */
} dvi_date;

/* Parse a date, perhaps with a time and an offset:
 *
 *   2023-02-17  2023/02/17       year first, with two digits for the month and the day
 *   17.02.2023  1.2.2023         dots: day first
 *   17/02/2023  02-17-2023       slashes and minuses: the order, or one that the numbers allow
 *   ... 16:05  T16:05:06.25  4:05 PM
 *   ... Z  UTC  GMT  +02  -0530  +02:00
 *
 * rule: NULL if nothing is known.  With an order, a text may have the year first all the same; with
 * a format too, unless in the format the day comes between the year and the month.  If the text
 * fits two orders, `orders` has both, and the value has the first.  Returns false if the text is
 * not a date by that rule. */
bool dvi_parse_date(dvi_date *date_out, const char *src, size_t n, const dvi_date_rule *rule);

/* Read a date by that rule, with white space around it, or by semantics:4.3 if that cannot change
 * the order of three numbers: year first, months by name, NA.  false: it is not a date, or
 * ambiguous; then the value is NA. */
bool dvi_date_read(dv_zoned *value_out, dv_text text, const dvi_date_rule *rule);

/* Is it a date by some rule, though not by this one, or ambiguous? */
bool dvi_date_needs_rule(dv_text text, const dvi_date_rule *rule);

/* Read the value of option date=: dmy, mdy, ymd, or a format.  Returns false
 * for anything else. */
bool dvi_date_rule_read(dvi_date_rule *rule_out, dv_text value);

/* Are both the same rule? */
bool dvi_date_rule_equal(const dvi_date_rule *a, const dvi_date_rule *b);

#endif
