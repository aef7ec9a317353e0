/* SPDX-License-Identifier: MIT */
/* source.h: opens what is no local file: an object in a store, a file behind a web server. */
#ifndef DATAVIEW_SOURCE_H
#define DATAVIEW_SOURCE_H

#include <dataview/open.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where bytes lie that the caller reads.  Start from DV_SOURCE_INIT; `length` and `read_at` must be
 * set.  The struct and its texts are copied.
 *
 * ctx      the caller's; the first argument of each function
 * name     of the file, in errors; its extension counts as in dv_open.  NULL: ""
 * version  a text that another content would have changed, as the ETag of a web server; part of
 *          the identity of caches.  NULL: there is none, and a cache on disk reads all bytes to
 *          compare them
 *
 * length   the number of bytes, asked once, as the view is opened
 * read_at  writes exactly nbytes >= 1 to dst, from the offset on; they lie within the length.  It
 *          may be slow.  Called by threads of the library, up to dv_source_options.requests of
 *          them at the same time, and for different ranges
 * beside   fills *source_out, which the library has set to DV_SOURCE_INIT, with the file whose name
 *          is `name` and the suffix: ".offsets".  DV_NOT_FOUND: there is none.  The library calls
 *          its release.  NULL: the file has none beside it, so that samples of datadings are found
 *          by reading the messages
 * wait     calls step(arg), which waits for at most a tenth of a second, until it returns true, and
 *          returns true; or returns false before, to stop the call that waits, which then returns
 *          DV_ERR_STOPPED.  For callers who hold a lock that read_at needs, and to look for
 *          signals.  Called in the thread that reads rows, and, where stopping is ignored, in the
 *          one that releases the view.  NULL: step is called until it returns true
 * cancel   asks the calls of read_at that run to fail soon, because the view is released; called by
 *          the thread that releases it, which then waits for them.  NULL: it only waits
 * release  called once, by any thread, when nothing uses the source any more, and before the call
 *          that opens returns a failure.  NULL: nothing to do
 *
 * `length`, `read_at` and `beside` return DV_OK or a negative status, which is what the call of the
 * library returns; they fill err as they like, and dv_source_fail helps.  After DV_ERR_IO, which
 * may pass, read_at is called again, up to dv_source_options.attempts times; to DV_NOT_FOUND, of a
 * source that is gone or has changed, the call returns DV_ERR_IO at once. */
typedef struct dv_source {
    size_t size; /* of this struct: set by the INIT */
    void *ctx;
    const char *name;
    const char *version;
    dv_status (*length)(void *ctx, int64_t *nbytes_out, dv_error *err);
    dv_status (*read_at)(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err);
    dv_status (*beside)(void *ctx, const char *suffix, struct dv_source *source_out, dv_error *err);
    bool (*wait)(void *ctx, bool can_stop, bool (*step)(void *arg), void *arg);
    void (*cancel)(void *ctx);
    void (*release)(void *ctx);
} dv_source;

#define DV_SOURCE_INIT                                                                             \
    {                                                                                              \
        sizeof(dv_source), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL                    \
    }

/* Let calls be stopped while they wait.  A thread of the program that waits for threads of the
 * library calls `check` about every 20 ms.  If it returns true, threads that wait for a source stop
 * waiting, and the call returns DV_ERR_STOPPED; a call whose threads do not wait goes on.
 *
 * check   called by any thread of the program, by several at the same time.  NULL: none
 *
 * One function for the whole process: set it in a program, not in a library.  Any thread. */
DV_API void dv_set_stop_check(bool (*check)(void));

/* How sources are read.  Start from DV_SOURCE_OPTIONS_INIT.
 *
 * Bytes are fetched in pieces, which begin and end at multiples of piece_nbytes, and which are kept
 * while the last ones used fit in cache_nbytes.  A cursor announces the blocks it will need, and
 * what is read from start to end is fetched ahead, in steps that double; up to `requests` pieces
 * are fetched at the same time.
 *
 * The memory of all sources of one call together is cache_nbytes, and request_nbytes more for each
 * thread that waits.
 *
 * With disk_folder, fetched bytes are also kept in files there, in blocks of 1 MiB, for later calls
 * and for other processes.  Bytes that are missing are fetched with all of their blocks, at most
 * request_nbytes and 2 MiB at a time, for which each request needs memory.  The rules:
 *
 *   A block belongs to the source's name, version and length.  A source without a version is
 *   fetched as if there were no folder; dv_facts.source.disk_note has this reason, or another one.
 *   Bytes that are read from disk are compared with their checksum; a block that is damaged is
 *   fetched and replaced.  No failure of the disk fails a call.
 *   Processes that miss the same block at the same time fetch it once, unless that takes one of
 *   them more than 10 seconds, or the file system has no locks: then nothing is kept.
 *   Before a block is written, the least recently used ones are removed, so that all files have at
 *   most disk_nbytes.  Each call applies its own bound.  Other files stay.
 *   A process that is killed leaves no wrong bytes; what it left is removed by a later call.
 *   The folder must belong to the user, and no other user may write to it.  If it does not exist,
 *   it is made, for this user alone; its parent must exist. */
typedef struct dv_source_options {
    size_t size;             /* of this struct: set by the INIT */
    int32_t requests;        /* calls of read_at at the same time: 1 to 256 */
    int32_t attempts;        /* calls of read_at for a piece, at growing distances from 50 ms on */
    int64_t piece_nbytes;    /* a power of two */
    int64_t least_nbytes;    /* fetched with bytes that nothing announced */
    int64_t request_nbytes;  /* the most bytes of a call of read_at, except for whole blocks */
    int64_t cache_nbytes;    /* at least twice request_nbytes, at most 2^48 */
    const char *disk_folder; /* NULL: nothing is kept on disk */
    int64_t disk_nbytes;     /* of all files in disk_folder: 4 MiB to 2^60 */
} dv_source_options;

#define DV_SOURCE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_source_options), 4, 4, 1 << 10, 1 << 16, 4 << 20, 64 << 20, NULL,                \
            (int64_t)16 << 30                                                                      \
    }

/* Open sources as one view, as dv_open_many opens files, in the same formats.  All that is read is
 * copied, and nothing is used in place (dv_facts.io is "source").
 *
 * sources         n >= 1; what they hold is released in any case
 * source_options  NULL: the defaults
 * options         NULL: the defaults; `io` does not matter
 *
 * A piece that was fetched is not read again while it is kept: a source whose content changes must
 * fail in read_at, as it can by comparing versions.
 *
 * DV_OK; DV_ERR_ARGUMENT: also, a function is missing, options contradict each other, or other
 * users may write to disk_folder; DV_ERR_IO: also, all attempts of read_at failed, or disk_folder
 * cannot be opened; statuses of dv_open_many, and of `length`, `read_at` and `beside`. */
DV_API dv_status dv_open_source(dv_view **view_out, const dv_source *sources, int32_t n,
                                const dv_source_options *source_options,
                                const dv_open_options *options, dv_error *err);

/* Fill err, which may be NULL, with a failure of a source: a sentence that says what was wrong, of
 * at most 60 bytes.  Returns the status, so that a call can follow `return`. */
DV_API dv_status dv_source_fail(dv_error *err, dv_status status, const char *sentence);

#ifdef __cplusplus
}
#endif

#endif
