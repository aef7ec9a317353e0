/* SPDX-License-Identifier: MIT */
/* identities.h: compares identities of views: equal ones, and all others. */
#ifndef DVT_IDENTITIES_H
#define DVT_IDENTITIES_H

#include <dataview/view.h>

#define DVT_IDENTITIES_MAX 96

/* Of views that are all different.  Start from {.n = 0}. */
typedef struct dvt_identities {
    dv_u128 identity[DVT_IDENTITIES_MAX];
    const char *name[DVT_IDENTITIES_MAX]; /* the caller's */
    int n;
} dvt_identities;

/* The identity of a view, which is let go; one that has none ends the program. */
dv_u128 dvt_identity_of(dv_view *view);
bool dvt_identity_same(dv_u128 a, dv_u128 b);

/* Add one more.  NULL, or which of those before is the same. */
const char *dvt_identities_add(dvt_identities *all, const char *name, dv_u128 identity);

#endif
