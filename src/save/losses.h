/* SPDX-License-Identifier: MIT */
/* losses.h: collects what would be lost: reports each loss, and lists them in one message. */
#ifndef DVI_VIEW_LOSSES_H
#define DVI_VIEW_LOSSES_H

#include "save/save.h"

/* Room for refused losses in a message that also names file and format. Those that do not fit are
 * counted. */
#define DVI_LOSSES_LISTED 220

struct dvi_losses {
    const dv_schema *schema;
    uint32_t allow;
    bool (*report)(void *ctx,
                   const dv_loss_report *report); /* NULL: there is none, or it stopped */
    void *ctx;
    uint32_t needed;  /* losses reported so far that are not allowed */
    bool is_possible; /* would allowing those suffice? */
    int32_t refused, unlisted;
    size_t listed_nbytes;
    char listed[DVI_LOSSES_LISTED];
};

/* DV_ERR_LOSS if anything was refused, with the list in the message; else DV_OK. */
dv_status dvi_losses_verdict(const dvi_losses *losses, const char *format, dv_error *err);

#endif
