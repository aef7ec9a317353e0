/* SPDX-License-Identifier: MIT */
/* piece_cache_priv.h: what the two halves of the cache share: which pieces there are
 * (piece_cache.c), and how they are fetched (piece_fetch.c).
 *
 * A piece is queued, then fetched, then ready; or it failed, and leaves the list.  The pieces of a
 * source do not overlap and are sorted.  Ready ones that nobody copies from form one list for all
 * sources, by last use: what is needed least leaves first. */
#ifndef DVI_IO_PIECE_CACHE_PRIV_H
#define DVI_IO_PIECE_CACHE_PRIV_H

#include "base/thread.h"
#include "io/disk_source.h"
#include "io/piece_cache.h"
#include "io/piece_readers.h"
#include <pthread.h>

typedef enum dvi_piece_state {
    DVI_PIECE_QUEUED,
    DVI_PIECE_FETCHING,
    DVI_PIECE_READY,
    DVI_PIECE_FAILED
} dvi_piece_state;

typedef struct dvi_piece {
    dvi_pieces *of;
    int64_t from, to;
    uint8_t *data; /* to - from bytes */
    dvi_piece_state state;
    bool is_announced;                /* by dvi_pieces_advise */
    int32_t users;                    /* that wait for it or copy from it */
    struct dvi_piece *before, *after; /* in the queue; or in the list of those that can leave */
    dv_status status;                 /* of a piece that failed */
    dv_error *err;                    /* likewise; NULL: no memory for it */
} dvi_piece;

/* Pieces in a row. */
typedef struct dvi_piece_list {
    dvi_piece *first, *last;
} dvi_piece_list;

struct dvi_piece_cache {
    dv_allocator allocator;
    dv_source_options options;
    dvi_disk_folder *folder; /* NULL: nothing is kept on disk */
    pthread_mutex_t lock;    /* guards all below, and all pieces */
    pthread_cond_t changed;  /* a piece is queued, ready or failed; or has_ended */
    int32_t refs;
    int64_t nbytes; /* of all pieces, queued ones too */
    dvi_piece_list queue, unused;
    bool has_ended;
    int32_t threads, idle;
    dvi_thread thread[]; /* options.requests */
};

struct dvi_pieces {
    dvi_piece_cache *cache;
    const dv_source *source;
    int64_t nbytes;
    dvi_disk_source *disk; /* NULL: nothing is kept on disk */
    atomic_int_fast64_t requests, fetched_nbytes;
    dvi_piece **piece; /* sorted */
    size_t count, cap;
    int32_t fetching;
    bool is_closing;
    dvi_piece_readers readers;
};

/* --- Lists ------------------------------------------------------------------------------------ */

static inline void dvi_piece_append(dvi_piece_list *l, dvi_piece *p)
{
    p->before = l->last;
    p->after = NULL;
    *(l->last ? &l->last->after : &l->first) = p;
    l->last = p;
}

static inline void dvi_piece_prepend(dvi_piece_list *l, dvi_piece *p)
{
    p->before = NULL;
    p->after = l->first;
    *(l->first ? &l->first->before : &l->last) = p;
    l->first = p;
}

static inline void dvi_piece_take_out(dvi_piece_list *l, dvi_piece *p)
{
    *(p->before ? &p->before->after : &l->first) = p->after;
    *(p->after ? &p->after->before : &l->last) = p->before;
}

/* Take a piece out of its source, which nobody finds any more; free one. With the lock held. */
void dvi_piece_forget(dvi_piece *piece);
void dvi_piece_free(dvi_piece *piece);

/* Is another piece of the same blocks on disk being fetched?  With the lock held. */
bool dvi_piece_must_wait(const dvi_piece *piece);

/* The functions by which missing blocks are fetched. */
dvi_disk_below dvi_pieces_below(dvi_pieces *pieces);

/* Have threads fetch what is queued; with the lock held. */
void dvi_piece_cache_fetch(dvi_piece_cache *cache);

/* Wait, without the lock, until a piece is ready or has failed; NULL: until no request of the
 * source runs.  false: the source asks to stop. */
bool dvi_pieces_wait(dvi_pieces *pieces, const dvi_piece *piece);

#endif
