/* SPDX-License-Identifier: MIT */
/* claim.c: lists the files that open writers of this process will replace.
 *
 * Two open writers to one file lose the rows of the one that commits first. Within a process this
 * is a mistake of the program. Processes do not know each other: the file of the last one stays. */
#include "io/claim.h"
#include "base/check.h"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static dvi_claim *held;

/* Another claim of this process on the same file. */
static bool is_taken(const dvi_claim *claim)
{
    for (const dvi_claim *other = held; other; other = other->next)
        if (other->process == claim->process && dvi_target_is_same(other->target, claim->target))
            return true;
    return false;
}

dv_status dvi_claim_take(dvi_claim *claim, const dvi_target *target, dv_error *err)
{
    *claim = (dvi_claim){.target = target, .process = getpid()};
    pthread_mutex_lock(&guard);
    const bool is_refused = is_taken(claim);
    if (!is_refused) {
        claim->next = held;
        held = claim;
    }
    pthread_mutex_unlock(&guard);
    if (!is_refused)
        return DV_OK;
    *claim = (dvi_claim){0};
    return dvi_fail_argument(err, "another open writer of this process replaces the same file: "
                                  "close that one first, or name another file");
}

void dvi_claim_drop(dvi_claim *claim)
{
    if (!claim->target)
        return;
    pthread_mutex_lock(&guard);
    dvi_claim **link = &held;
    while (*link != claim)
        link = &(*link)->next;
    *link = claim->next;
    pthread_mutex_unlock(&guard);
    *claim = (dvi_claim){0};
}
