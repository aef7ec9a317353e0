/* SPDX-License-Identifier: MIT */
/* piece_cache.h: pieces of slow sources, fetched ahead by a bounded number of requests at the same
 * time, and kept in bounded memory. */
#ifndef DVI_IO_PIECE_CACHE_H
#define DVI_IO_PIECE_CACHE_H

#include <dataview/source.h>

/* The pieces of several sources, and the threads that fetch them.  Reference-counted; any thread.
 */
typedef struct dvi_piece_cache dvi_piece_cache;

/* options are sound.  No thread starts before the first piece is wanted.  DV_OK, DV_ERR_MEMORY;
 * statuses of dvi_disk_folder_open. */
dv_status dvi_piece_cache_create(dvi_piece_cache **cache_out, const dv_source_options *options,
                                 const dv_allocator *allocator, dv_error *err);
/* The last reference ends the threads. Sets NULL; NULL is fine. */
void dvi_piece_cache_release(dvi_piece_cache **cache);
/* How far it pays to announce bytes before they are read: what all requests fetch together. */
int64_t dvi_piece_cache_ahead(const dvi_piece_cache *cache);

/* The pieces of one source. */
typedef struct dvi_pieces dvi_pieces;

/* `source`, whose name is not NULL, outlives it; nbytes: its length.  Retains the cache.  DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_pieces_create(dvi_pieces **pieces_out, dvi_piece_cache *cache,
                            const dv_source *source, int64_t nbytes, dv_error *err);
/* Forget the pieces, wait for the requests that run, and release the cache.  Sets NULL. */
void dvi_pieces_free(dvi_pieces **pieces);

/* Copy bytes that lie within the length to dst, fetching what is missing.  Any thread.
 * A request that was on its way before fails no call: its bytes are fetched again.
 * DV_OK; DV_ERR_MEMORY; DV_ERR_STOPPED: `wait` of the source asked for it; statuses of read_at. */
dv_status dvi_pieces_read(dvi_pieces *pieces, int64_t offset, size_t nbytes, uint8_t *dst,
                          dv_error *err);

/* The cost of the pieces so far.  Any thread. */
typedef struct dvi_piece_counts {
    int64_t requests, fetched_nbytes; /* calls of read_at, and bytes that they brought */
    int64_t disk_nbytes;              /* that were read from disk */
    int64_t kept_nbytes;              /* that were added to it */
    const char *disk_note;            /* why none are: static text; "": they are, or shall not be */
} dvi_piece_counts;

dvi_piece_counts dvi_pieces_counts(const dvi_pieces *pieces);

/* Bytes of a source. */
typedef struct dvi_range {
    int64_t offset, nbytes;
} dvi_range;

/* Begin to fetch ranges, which lie within the length, as far as there are requests and room for
 * them.  Ranges that lie close together, in the order given, are fetched together.  Never fails. */
void dvi_pieces_advise(dvi_pieces *pieces, const dvi_range *ranges, size_t n);

#endif
