/* SPDX-License-Identifier: MIT */
/* slow_source.c: a source of bytes in memory, or of a file, that is slow, fails and counts. */
#include "support/slow_source.h"
#include "support/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct object {
    dvt_store *store;
    const uint8_t *data;
    size_t nbytes;
    uint8_t *owned; /* NULL: the test's */
    char name[600];
} object;

static dv_status length(void *ctx, int64_t *nbytes_out, dv_error *err)
{
    (void)err;
    *nbytes_out = (int64_t)((object *)ctx)->nbytes;
    return DV_OK;
}

static void enter(dvt_store *store)
{
    const int running = atomic_fetch_add(&store->running, 1) + 1;
    int most = store->most;
    while (running > most && !atomic_compare_exchange_weak(&store->most, &most, running))
        ;
}

static dv_status outcome(const dvt_store *store, int64_t request)
{
    const int status = store->fail_with;
    if (status != DV_OK)
        return (dv_status)status;
    return store->fail_each > 0 && request % store->fail_each == 0 ? DV_ERR_IO : DV_OK;
}

static dv_status read_at(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err)
{
    const object *o = ctx;
    dvt_store *store = o->store;
    enter(store);
    const int64_t request = atomic_fetch_add(&store->requests, 1) + 1;
    atomic_fetch_add(&store->nbytes, (int64_t)nbytes);
    if (store->delay_ns > 0)
        nanosleep(&(struct timespec){store->delay_ns / 1000000000, store->delay_ns % 1000000000},
                  NULL);
    const bool is_inside = nbytes > 0 && offset >= 0 && (size_t)offset <= o->nbytes &&
                           nbytes <= o->nbytes - (size_t)offset;
    if (!is_inside)
        store->is_outside = true;
    const dv_status status = is_inside ? outcome(store, request) : DV_ERR_ARGUMENT;
    if (status == DV_OK)
        memcpy(dst, o->data + offset, nbytes);
    else if (!store->is_mute)
        dv_source_fail(err, status, "the store is out of order");
    atomic_fetch_sub(&store->running, 1);
    return status;
}

static dv_status beside(void *ctx, const char *suffix, dv_source *source_out, dv_error *err)
{
    const object *o = ctx;
    char path[640];
    (void)err;
    snprintf(path, sizeof path, "%s%s", o->name, suffix);
    if (access(path, F_OK) != 0)
        return DV_NOT_FOUND;
    *source_out = dvt_slow_file(o->store, path);
    return DV_OK;
}

static void release(void *ctx)
{
    object *o = ctx;
    atomic_fetch_sub(&o->store->live, 1);
    free(o->owned);
    free(o);
}

static object *make(dvt_store *store, const char *name)
{
    object *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->store = store;
    snprintf(o->name, sizeof o->name, "%.511s", name);
    atomic_fetch_add(&store->live, 1);
    return o;
}

static dv_source source_of(object *o)
{
    dv_source source = DV_SOURCE_INIT;
    source.ctx = o;
    source.name = o->name;
    source.length = length;
    source.read_at = read_at;
    source.release = release;
    return source;
}

dv_source dvt_slow_memory(dvt_store *store, const void *data, size_t nbytes, const char *name)
{
    object *o = make(store, name);
    o->data = data;
    o->nbytes = nbytes;
    return source_of(o);
}

dv_source dvt_slow_file(dvt_store *store, const char *path)
{
    object *o = make(store, path);
    o->owned = dvt_file_read(path, &o->nbytes);
    o->data = o->owned;
    dv_source source = source_of(o);
    source.beside = beside;
    return source;
}

void dvt_store_reset(dvt_store *store)
{
    store->requests = store->nbytes = 0;
    store->most = 0;
}
