/* SPDX-License-Identifier: MIT */
/* epoch_list.h: the row numbers of an epoch, listed once for all cursors that read it. */
#ifndef DVI_ORDER_EPOCH_LIST_H
#define DVI_ORDER_EPOCH_LIST_H

#include "base/owner.h"
#include "gather/row_gatherer.h"
#include <pthread.h>

/* How a view lists the rows of an epoch. */
typedef struct dvi_epoch_lister {
    const void *plan;
    int64_t count; /* numbers of a list */
    /* Write them.  The allocator is for scratch.  DV_OK, DV_ERR_MEMORY. */
    dv_status (*list)(const void *plan, int64_t epoch, int64_t *rows_out,
                      const dv_allocator *allocator, dv_error *err);
} dvi_epoch_lister;

/* The list of the epoch that was read last. */
typedef struct dvi_epoch_list {
    dv_allocator allocator; /* of lists */
    pthread_mutex_t lock;   /* guards what follows */
    dvi_memory *list;       /* NULL: none yet */
    int64_t epoch;
} dvi_epoch_list;

void dvi_epoch_list_init(dvi_epoch_list *list, const dv_allocator *allocator);
void dvi_epoch_list_free(dvi_epoch_list *list);

/* The numbers of an epoch, for a cursor: the first cursor of an epoch makes the list, while others
 * wait.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_epoch_list_open(dvi_row_numbers *numbers_out, dvi_epoch_list *list,
                              const dvi_epoch_lister *lister, int64_t epoch,
                              const dv_allocator *allocator, dv_error *err);

#endif
