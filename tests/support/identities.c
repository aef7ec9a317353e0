/* SPDX-License-Identifier: MIT */
/* identities.c: compares identities of views. */
#include "support/identities.h"
#include "support/produce.h"

dv_u128 dvt_identity_of(dv_view *view)
{
    dv_u128 identity;
    DVT_MUST(view != NULL);
    DVT_MUST(dv_view_identity(view, &identity, NULL) == DV_OK);
    dv_view_release(&view);
    return identity;
}

bool dvt_identity_same(dv_u128 a, dv_u128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

const char *dvt_identities_add(dvt_identities *all, const char *name, dv_u128 identity)
{
    for (int i = 0; i < all->n; i++)
        if (dvt_identity_same(identity, all->identity[i]))
            return all->name[i];
    DVT_MUST(all->n < DVT_IDENTITIES_MAX);
    all->identity[all->n] = identity;
    all->name[all->n++] = name;
    return NULL;
}
