/* SPDX-License-Identifier: MIT */
/* resolved.h: a save with what it owns, for the two that make one: dv_save and dv_writer. */
#ifndef DVI_SAVE_RESOLVED_H
#define DVI_SAVE_RESOLVED_H

#include "save/save.h"

typedef struct dvi_resolved {
    dvi_saving saving;
    int32_t *columns; /* owned */
} dvi_resolved;

/* Resolve the options. view NULL: the rows do not come from a view. rows: those to be saved; -1:
 * unknown. Free it, also after a failure. DV_OK, DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_resolved_make(dvi_resolved *resolved, dv_view *view, const dv_schema *schema,
                            int64_t rows, const dv_save_options *options, dv_error *err);
void dvi_resolved_free(dvi_resolved *resolved);

/* Check what schema and metadata show. report: dv_save_check. Statuses as dv_save_check. */
dv_status dvi_resolved_check(const dvi_resolved *resolved, const dvi_format *format,
                             bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                             dv_error *err);

/* A failure that cannot come from the source of the rows, so that the file is named. (A limit may
 * be a cursor's.) */
bool dvi_is_own_failure(dv_status status);

#endif
