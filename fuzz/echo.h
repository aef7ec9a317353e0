/* SPDX-License-Identifier: MIT */
/* echo.h: a view of the user's kind with the values of another view, at odd addresses, after unused
 * bytes, and sometimes against the rules of batch.h. */
#ifndef DVT_ECHO_H
#define DVT_ECHO_H

#include <dataview/view.h>

typedef struct dvt_echo {
    dv_view *source; /* must outlive the view */
    uint64_t seed;   /* all choices depend on it and on row numbers */
    bool breaks;     /* text, indices and ends may be wrong, and NA may have other bits */
    bool hides_rows; /* the number of rows is unknown */
    const dv_allocator *allocator;
} dvt_echo;

/* NULL: out of memory, or metadata cannot be read.  echo must outlive the view. */
dv_view *dvt_echo_open(dvt_echo *echo);

#endif
