/* SPDX-License-Identifier: MIT */
/* write_count.h: counts how often a call writes a file, by the progress that it reports: each time
 * begins at row 0, which may be reported more than once. */
#ifndef DVT_WRITE_COUNT_H
#define DVT_WRITE_COUNT_H

#include <dataview/status.h>

typedef struct dvt_write_count {
    int writes;
    int64_t last; /* rows reported; start from -1 */
} dvt_write_count;

static inline bool dvt_count_write(void *ctx, int64_t done, int64_t total)
{
    (void)total;
    dvt_write_count *const count = ctx;
    count->writes += done == 0 && count->last != 0;
    count->last = done;
    return true;
}

#endif
