/* SPDX-License-Identifier: MIT */
/* frequent.h: counts of different values, in bounded memory (Misra and Gries).
 *
 * A value is a string of bytes.  If there are too many, the same number is taken from all counts,
 * and those without a rest are dropped: a count is then too low by at most the sum of these
 * numbers. */
#ifndef DVI_STATS_FREQUENT_H
#define DVI_STATS_FREQUENT_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <stdbool.h>

#define DVI_FREQUENT_INLINE 16 /* shorter values need no bytes elsewhere */

/* The bytes of a value are in `own` if nbytes <= DVI_FREQUENT_INLINE, else at `own.at` of `bytes`.
 */
typedef struct dvi_frequent_entry {
    uint64_t hash;
    int64_t count;
    union {
        char bytes[DVI_FREQUENT_INLINE];
        size_t at;
    } own;
    int32_t nbytes;
} dvi_frequent_entry;

typedef struct dvi_frequent {
    dv_allocator allocator;
    size_t limit, limit_nbytes;
    dvi_frequent_entry *entry; /* in the order of first occurrence */
    size_t n, cap;
    char *bytes; /* of long values */
    size_t used, bytes_cap;
    uint32_t *position; /* 1 + number of an entry; 0: free */
    size_t positions;   /* a power of two, at least twice n */
    int64_t missed;     /* a count is too low by at most this */
} dvi_frequent;

/* At most `limit` different values, 1..2^30, whose long ones take at most limit_nbytes. */
void dvi_frequent_init(dvi_frequent *frequent, size_t limit, size_t limit_nbytes,
                       const dv_allocator *allocator);
void dvi_frequent_free(dvi_frequent *frequent);

/* Count a value `count` times.  The bytes may be NULL if there are none. */
dv_status dvi_frequent_add(dvi_frequent *frequent, const void *data, size_t nbytes, int64_t count,
                           dv_error *err);

/* The bytes of entry i. */
const char *dvi_frequent_bytes(const dvi_frequent *frequent, size_t i);

/* The numbers of the `most` most frequent entries, in order, equally frequent ones as they first
 * occurred.  *top_out has room for n entries and is the caller's to free with n items; the first
 * *count_out of them are set. */
dv_status dvi_frequent_top(const dvi_frequent *frequent, size_t most, uint32_t **top_out,
                           size_t *count_out, dv_error *err);

#endif
