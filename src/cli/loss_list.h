/* SPDX-License-Identifier: MIT */
/* loss_list.h: how is it told what a format cannot hold, so that it fits a screen? */
#ifndef DVI_CLI_LOSS_LIST_H
#define DVI_CLI_LOSS_LIST_H

#include "cli/json.h"
#include "cli/out.h"
#include <dataview/save.h>

#define DVI_LOSS_GROUPS 16 /* lines of the list */
#define DVI_LOSS_COLUMNS 3 /* names in each */

/* What is said of one column or of many. */
typedef struct dvi_loss_group {
    dv_loss loss;
    bool is_allowed;
    char *what;                    /* the sentence without the column; owned */
    char *names[DVI_LOSS_COLUMNS]; /* of the first columns; owned */
    int64_t count;                 /* columns; or once, when it is about no column */
} dvi_loss_group;

/* What dv_save_check reports.  Start from {.schema = ...}; memory that runs out is remembered. */
typedef struct dvi_loss_list {
    const dv_schema *schema;
    dvi_json *json; /* where each goes too; NULL: nowhere */
    dvi_loss_group group[DVI_LOSS_GROUPS];
    int32_t groups;
    int64_t more[2]; /* that found no place: refused, allowed */
    int64_t refused, allowed;
    uint32_t needed;    /* the losses that would have to be allowed, */
    bool is_impossible; /* if that were enough */
    bool is_failed;
} dvi_loss_list;

/* Take a report: a callback of dv_save_check. */
bool dvi_loss_list_take(void *list, const dv_loss_report *report);

/* "columns,types": what is needed; empty when nothing is, or nothing helps. */
#define DVI_LOSS_NEEDED_CAP 64
const char *dvi_loss_list_needed(const dvi_loss_list *list, char text[DVI_LOSS_NEEDED_CAP]);

/* Write a line for each group that is allowed, or that is not and which option would allow it.
 * width: columns; 0: as wide as need be. */
void dvi_loss_list_write(const dvi_loss_list *list, bool allowed, int32_t width, dvi_out *out);

void dvi_loss_list_free(dvi_loss_list *list);

#endif
