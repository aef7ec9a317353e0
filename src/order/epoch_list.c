/* SPDX-License-Identifier: MIT */
/* epoch_list.c: the row numbers of an epoch, listed once for all cursors that read it. */
#include "order/epoch_list.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <string.h>

void dvi_epoch_list_init(dvi_epoch_list *list, const dv_allocator *allocator)
{
    list->allocator = dvi_allocator_of(allocator);
    pthread_mutex_init(&list->lock, NULL);
    list->list = NULL;
    list->epoch = 0;
}

void dvi_epoch_list_free(dvi_epoch_list *list)
{
    dvi_memory_release(&list->list);
    pthread_mutex_destroy(&list->lock);
}

/* --- The list --------------------------------------------------------------------------------- */

static int64_t *numbers_of(dvi_memory *list)
{
    return (int64_t *)(void *)list->data;
}

static dv_status make_list(dvi_memory **list_out, const dvi_epoch_lister *lister, int64_t epoch,
                           const dv_allocator *allocator, dv_error *err)
{
    size_t nbytes;
    *list_out = NULL;
    if (!dvi_size_mul((size_t)lister->count, sizeof(int64_t), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_create(list_out, allocator, nbytes, err));
    const dv_status status =
        lister->count > 0 ? lister->list(lister->plan, epoch, numbers_of(*list_out), allocator, err)
                          : DV_OK;
    if (status != DV_OK)
        dvi_memory_release(list_out);
    return status;
}

static dv_status find_list(dvi_memory **list_out, dvi_epoch_list *l, const dvi_epoch_lister *lister,
                           int64_t epoch, dv_error *err)
{
    dvi_memory *made = NULL;
    dv_status status = DV_OK;
    pthread_mutex_lock(&l->lock);
    if (!l->list || l->epoch != epoch)
        status = make_list(&made, lister, epoch, &l->allocator, err);
    if (made) {
        dvi_memory_release(&l->list);
        l->list = made;
        l->epoch = epoch;
    }
    if (status == DV_OK)
        dvi_owner_retain(&l->list->owner);
    *list_out = status == DV_OK ? l->list : NULL;
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* --- The numbers of a cursor ------------------------------------------------------------------ */

typedef struct listed {
    dv_allocator allocator;
    dvi_memory *list;
    int64_t count;
} listed;

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const listed *l = ctx;
    n = dvi_min_i64(n, l->count - position);
    if (n > 0)
        memcpy(rows_out, numbers_of(l->list) + position, (size_t)n * sizeof *rows_out);
    return dvi_max_i64(n, 0);
}

static void close_numbers(void *ctx)
{
    listed *l = ctx;
    const dv_allocator allocator = l->allocator;
    dvi_memory_release(&l->list);
    dvi_free(&allocator, l, sizeof *l);
}

dv_status dvi_epoch_list_open(dvi_row_numbers *numbers_out, dvi_epoch_list *list,
                              const dvi_epoch_lister *lister, int64_t epoch,
                              const dv_allocator *allocator, dv_error *err)
{
    listed *own;
    DVI_TRY(DVI_NEW(allocator, &own, 1, err));
    own->allocator = dvi_allocator_of(allocator);
    own->count = lister->count;
    const dv_status status = find_list(&own->list, list, lister, epoch, err);
    if (status != DV_OK) {
        close_numbers(own);
        return status;
    }
    *numbers_out = (dvi_row_numbers){next_numbers, close_numbers, own};
    return DV_OK;
}
