/* SPDX-License-Identifier: MIT */
/* echo.h: a view of a user's own, with the values of another one: elsewhere in memory, behind bytes
 * of no meaning, at odd addresses, and now and then not what batch.h asks for. */
#ifndef DVT_ECHO_H
#define DVT_ECHO_H

#include <dataview/view.h>

typedef struct dvt_echo {
    dv_view *source; /* must outlive the view */
    uint64_t seed;   /* every choice follows from it and from row numbers */
    bool breaks;     /* text, indices and ends may be wrong, NA be spelled in other ways */
    bool hides_rows; /* how many there are is not known */
    const dv_allocator *allocator;
} dvt_echo;

/* NULL: there is no memory, or metadata cannot be read.  echo must outlive the view. */
dv_view *dvt_echo_open(dvt_echo *echo);

#endif
