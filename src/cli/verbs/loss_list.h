/* SPDX-License-Identifier: MIT */
/* loss_list.h: lists what a format cannot hold, in a few lines. */
#ifndef DVI_CLI_LOSS_LIST_H
#define DVI_CLI_LOSS_LIST_H

#include "cli/print/json.h"
#include "cli/terminal/out.h"
#include <dataview/save.h>

#define DVI_LOSS_GROUPS 16 /* lines of the list */
#define DVI_LOSS_COLUMNS 3 /* names in each */

/* A loss of one column or of many. */
typedef struct dvi_loss_group {
    dv_loss loss;
    bool is_allowed;
    char *what;                    /* the sentence without the column; owned */
    char *names[DVI_LOSS_COLUMNS]; /* of the first columns; owned */
    int64_t count;                 /* columns; 1 if it is not about a column */
} dvi_loss_group;

/* The reports of dv_save_check.  Start from {.schema = ...}.  Running out of memory is remembered.
 */
typedef struct dvi_loss_list {
    const dv_schema *schema;
    dvi_json *json; /* where each report is added too, or NULL */
    dvi_loss_group group[DVI_LOSS_GROUPS];
    int32_t groups;
    int64_t more[2]; /* reports past the last group: refused, allowed */
    int64_t refused, allowed;
    char *implied;   /* the sentence of what the form of the file never keeps; owned; NULL: none */
    uint32_t needed; /* the losses that need to be allowed, */
    bool is_impossible; /* or that cannot be allowed */
    bool is_failed;
} dvi_loss_list;

/* Add a report: the callback of dv_save_check. */
bool dvi_loss_list_add(void *list, const dv_loss_report *report);

/* "columns,types": the losses to allow; empty if there are none, or if one cannot be allowed. */
#define DVI_LOSS_NEEDED_CAP 80
const char *dvi_loss_list_needed(const dvi_loss_list *list, char text[DVI_LOSS_NEEDED_CAP]);

/* Write a line for each group that is allowed; or for each that is refused, with the option that
 * allows it.  width: columns of the screen; 0: unlimited. */
void dvi_loss_list_write(const dvi_loss_list *list, bool allowed, int32_t width, dvi_out *out);

void dvi_loss_list_free(dvi_loss_list *list);

#endif
