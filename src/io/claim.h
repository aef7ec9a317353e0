/* SPDX-License-Identifier: MIT */
/* claim.h: the files that open writers of this process will replace. */
#ifndef DVI_IO_CLAIM_H
#define DVI_IO_CLAIM_H

#include "io/target.h"
#include <sys/types.h>

/* A claim on a file. Zeroed: it is not held. */
typedef struct dvi_claim {
    struct dvi_claim *next; /* in the list of held claims */
    const dvi_target *target;
    pid_t process; /* a child process does not hold the claims of its parent */
} dvi_claim;

/* Claim the file. `target` and `claim` stay where they are until dvi_claim_drop.
 * DV_OK; DV_ERR_ARGUMENT: another claim of this process is on the same file. The error does not
 * name the file. */
dv_status dvi_claim_take(dvi_claim *claim, const dvi_target *target, dv_error *err);

/* End the claim, if it is held. */
void dvi_claim_drop(dvi_claim *claim);

#endif
