/* SPDX-License-Identifier: MIT */
/* losses.h: what would be lost, told one by one and as one sentence. */
#ifndef DVI_VIEW_LOSSES_H
#define DVI_VIEW_LOSSES_H

#include "save/save.h"

/* Room for what is refused in a message that also names file and format; each that does not fit is
 * counted. */
#define DVI_LOSSES_LISTED 220

struct dvi_losses {
    const dv_schema *schema;
    uint32_t allow;
    bool (*report)(void *ctx, const dv_loss_report *report); /* NULL: nobody, or nobody any more */
    void *ctx;
    uint32_t needed;  /* of what was told, all that is not allowed */
    bool is_possible; /* would it do to allow that? */
    int32_t refused, unlisted;
    size_t listed_nbytes;
    char listed[DVI_LOSSES_LISTED];
};

/* DV_ERR_LOSS if anything was refused, with all of it in the message; else DV_OK. */
dv_status dvi_losses_verdict(const dvi_losses *losses, const char *format, dv_error *err);

#endif
