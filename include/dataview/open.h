/* SPDX-License-Identifier: MIT */
/* open.h: opens files as views. */
#ifndef DATAVIEW_OPEN_H
#define DATAVIEW_OPEN_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dv_io {
    DV_IO_AUTO = 0, /* as MMAP, but as PREAD on network file systems (NFS, SMB, FUSE, ...), whose
                       files another machine can cut, or which may become unreachable */
    DV_IO_MMAP = 1, /* map the file: uncompressed blocks are used in place */
    DV_IO_PREAD = 2 /* read into memory: safe while other processes change or truncate the file */
} dv_io;

/* What a cursor does where text holds no value of its column: a field that is no value of its type,
 * quotes that stay open, sparse items out of order, bytes that are not UTF-8, a line too short for
 * its columns, or with more fields than columns and first line have (docs/formats/text.md). */
typedef enum dv_bad_fields {
    DV_BAD_FIELDS_NA = 0,     /* reads NA or the default, as ML.NET defines it; with the option
                                 `strict` of `text`, which is found with columns, fails with
                                 DV_ERR_CORRUPT */
    DV_BAD_FIELDS_REFUSE = 1, /* fails with DV_ERR_LOSS, which names row, column and field */
    DV_BAD_FIELDS_ALLOW = 2,  /* reads NA or the default, whatever `strict` says, and counts them */
    DV_BAD_FIELDS_COUNT = 3   /* as DV_BAD_FIELDS_NA, and counts them (dv_view_bad_fields).  Lines
                                 with such fields are read more slowly, others are not */
} dv_bad_fields;

/* When a pipe is copied into a temporary file, in $TMPDIR or /tmp, as it is opened.  Then it can be
 * read as a file can: by any format, in any order, any number of times. */
typedef enum dv_spool {
    DV_SPOOL_NEVER = 0,
    DV_SPOOL_NEEDED = 1, /* if the format cannot be read from a pipe, or the option narrow+ of
                            `text` asks for a pass over all rows before the first one */
    DV_SPOOL_ALWAYS = 2
} dv_spool;

/* Start from DV_OPEN_OPTIONS_INIT.  A file that exceeds a limit is DV_ERR_LIMIT, and err->rule
 * names the option. */
typedef struct dv_open_options {
    size_t size;                   /* of this struct: set by the INIT */
    const dv_allocator *allocator; /* NULL: malloc */
    const char *format; /* "idv", "btable", "datadings", "text".  NULL: recognized by the first
                           bytes, then by the extension in any case, then by the content: text is
                           what has no control characters; if none fits, text if `text` is set, or
                           datadings if `datadings` is */
    dv_io io;
    bool strict_text; /* .idv: refuse a text that begins or ends inside a character (idv:5.4) */

    /* Limits. */
    int64_t columns;              /* columns of the file */
    int64_t metadata_nbytes;      /* bytes of a metadata value, inflated */
    int64_t metadata_toc_nbytes;  /* bytes of the metadata tables of all columns */
    int64_t block_nbytes;         /* bytes of a block, inflated */
    int64_t cursor_nbytes;        /* bytes of one block of every active column of a cursor, and as
                                     much again for blocks decoded ahead.  Text: bytes of a row */
    int64_t rows_without_columns; /* rows of a file in which no column can be read; messages of a
                                     datadings scan that are no map with keys */

    bool lenient;     /* BTable: accept what only some readers accept (docs/formats/btable.md) */
    const char *text; /* text: how to read it, and into which columns (docs/formats/text.md).  NULL
                         or "auto": as found in the file, "auto ..." with options that are kept;
                         "mlnet" or "": as ML.NET's loader by default */

    const char *datadings;  /* datadings: how to find the columns, and more
                               (docs/formats/datadings.md) */
    int64_t nesting;        /* limit: containers nested in a datadings message, at most 1024 */
    int64_t message_nbytes; /* limit: bytes of a datadings message */

    dv_bad_fields bad_fields; /* text */

    dv_spool spool;        /* pipes */
    int64_t spool_nbytes;  /* limit: bytes of a pipe in a temporary file */
    int64_t window_nbytes; /* limit: memory for the window of packed text (zstd), rounded down to a
                              power of two from 1 KiB to 2 GiB; gzip takes 32 KiB */

    /* For a pass in order over a file that is larger than memory, or that nobody reads again soon:
     * a cursor that goes on, or is closed, drops the pages that it has left from memory and from
     * the system's page cache.  What stays is what the batch and the threads ahead of it use, and
     * at most 64 MiB for each cursor, also of a set; of datadings also the files beside it.  Who
     * reads these pages again, in this or another process, waits for the disk: a batch that is
     * kept, a second pass, rows in random order.  So an epoch or a feed that shuffles gains nothing
     * where rows are used in the map (raw .idv): rows of a block are read long after it was left,
     * and their pages come back and stay.  Of compressed blocks, which a pool decodes once, pages
     * are dropped as in order.  Kept batches stay as they are, but may then raise
     * SIGBUS if the disk fails, as they may if the file is cut.  Without effect on sources, and on
     * bytes in memory.  Advice: systems may ignore it */
    bool drop_behind;

    /* Limits of the views that transforms and pipelines make of this one, and of those made of
     * them.  A view made of several has the lowest limits of these; one that no call here opened
     * has the defaults.  The call that exceeds a limit makes no view and returns DV_ERR_LIMIT. */
    int64_t depth;         /* length of a chain of views.  A cursor takes 1 to 3 KB of the stack of
                              its thread for each view, one of an epoch with a pool 8 KB */
    int64_t chain_columns; /* columns of all views of a chain together, counted along each path if a
                              chain meets a view more than once.  A column takes some 30 bytes.  Of
                              text with match=union, also columns times files, of some 130 bytes */
    int64_t row_nbytes;    /* bytes of the values of one row from which the steps of a chain make
                              columns, together with the bytes that these columns add.  A group is
                              one row.  A cursor that meets a larger row fails with DV_ERR_LIMIT.
                              Each step makes as many smaller rows at a time as take a quarter of
                              this, divided by the length of the chain */

    int64_t line_nbytes; /* limit: bytes of a line of text, and of lines that quotes join */

    bool plain_folders; /* folders KEY=VALUE after the last "/./" of a path make no columns */

    int64_t block_cache_nbytes; /* of decoded blocks that a view of compressed columns keeps, once
                                   rows were taken from it or shuffled uniformly, for the next time
                                   (docs/caching.md).
                                   Views made of this one, which keep their own blocks, have the
                                   same budget, or the lowest of several.  0: none are kept */
} dv_open_options;

#define DV_OPEN_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(dv_open_options), NULL, NULL, DV_IO_AUTO, false, 1000000, 64 << 20, 4 << 20,        \
            1 << 30, INT64_C(1) << 32, 1 << 24, false, NULL, NULL, 1024, 1 << 30,                  \
            DV_BAD_FIELDS_NA, DV_SPOOL_NEVER, INT64_C(1) << 36, 1 << 27, false, 1000, 10000000,    \
            64 << 20, 64 << 20, false, 256 << 20                                                   \
    }

/* Open a file as a view.  Reads its header and tables, but no block; of datadings the
 * beginning if the columns have to be found, and of text lines from all over the file.  The caller
 * releases the view with dv_view_release. options may be NULL, and is not kept.  Any thread.
 *
 * A file is mapped when more of it is read than header and tables; one that cannot be mapped is
 * DV_ERR_IO then, and is opened with DV_IO_PREAD.
 *
 * If other processes change a mapped file: a file that shrank before a batch is delivered is
 * DV_ERR_IO; changes under a batch that you hold are not noticed, and reading bytes that are cut
 * off raises SIGBUS.  Where that can happen, open with DV_IO_PREAD (docs/lifetimes.md).
 *
 * Text, with format NULL or "text", can also come from a pipe; dv_open waits for its first bytes.
 * A pipe can be read once: by one cursor, or by one call that reads all rows.  The next one fails,
 * unless the pipe is spooled.
 *
 * Text may be packed by gzip or zstd, in one or several members or frames, in a file, in memory or
 * in a pipe; the first bytes show it.  It is unpacked while it is read, in bounded memory, and each
 * cursor begins again: rows are unknown until one has reached the end.  Offsets in errors of text
 * count unpacked bytes, those of DV_ERR_CORRUPT about the packing the bytes of the file.
 *
 * DV_OK
 * DV_ERR_IO           a system call failed (err->os_code); a directory or device; a pipe with
 *                     another format than text
 * DV_ERR_CORRUPT      err->offset is the first wrong byte
 * DV_ERR_UNSUPPORTED  an unknown format, or a version that this library cannot read; the message
 *                     says what the file is instead, and what to do (docs/formats.md).  Or packed,
 *                     by what this build lacks the library for
 * DV_ERR_LIMIT        err->rule names the option
 * DV_ERR_ARGUMENT     an unknown name of a format; invalid `text` or `datadings`; options of
 *                     unknown size
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_open(dv_view **view_out, const char *path, const dv_open_options *options,
                         dv_error *err);

/* Open n >= 1 files as one view: the rows of the first, then those of the next, as dv_view_concat
 * makes it (transform.h).  Files of datadings whose columns are inferred have the columns of all,
 * united as those of one file are (datadings:12); those of text are matched by their headers, and
 * have types for lines of all files (docs/formats/text.md).  Errors name the file.  With one path
 * the call is dv_open.
 *
 * Files keep at most half of the descriptors that the process may have (RLIMIT_NOFILE).  A file
 * beyond that is opened again for each use, and DV_ERR_IO if it is gone or another one.
 *
 * Statuses as dv_open and dv_view_concat. */
DV_API dv_status dv_open_many(dv_view **view_out, const char *const *paths, int32_t n,
                              const dv_open_options *options, dv_error *err);

/* Find the files of a folder that are tables: by the extension, else by the content.  Hidden files
 * and folders in it are left out, and side files such as a.msgpack.keys of a.msgpack.  So is
 * text without an extension of text, and text in .txt if there is another table.  With
 * options->format all files but side files of that format count.
 *
 * Folders KEY=VALUE are searched too, and those in them; the paths of their files have "/./" before
 * the first such folder: "set/./year=2020/a.csv".  Opened by such a path, a file has a last column
 * year, as has each that is opened with it.  Its type is found in the names of all folders; in text
 * "auto", type=year:TX gives it, and date= the order of its dates.
 *
 * A job that writes many files keeps a file `.unfinished` in the folder while they do not belong
 * together.
 *
 * DV_OK               the paths, in the byte order of the names and with a NUL after each, are
 *                     paths_out->data; the caller releases it with dv_buffer_release
 * DV_ERR_UNSUPPORTED  there is none; there are both text such as .csv and tables of other formats;
 *                     or a folder has a file `.unfinished`
 * DV_ERR_IO, DV_ERR_ARGUMENT, DV_ERR_MEMORY  as dv_open */
DV_API dv_status dv_open_list(dv_buffer *paths_out, const char *folder,
                              const dv_open_options *options, dv_error *err);

/* Recognize the format of a file as dv_open does.  Reads its first 512 bytes, of a packed file
 * those of the text.
 *
 * DV_OK         *format_out is the name of the format, as in options->format: static text
 * DV_NOT_FOUND  no known format, or packed so that it cannot be read; *format_out is NULL
 * DV_ERR_IO, DV_ERR_ARGUMENT, DV_ERR_MEMORY  as dv_open */
DV_API dv_status dv_open_format(const char **format_out, const char *path,
                                const dv_open_options *options, dv_error *err);

/* Find options->text for a text file, as dv_open does without it: separator, header, and names and
 * types of columns, such that all fields of some 20,000 lines from all over the file are values of
 * their types (docs/formats/text.md).  options->text: NULL, or "auto" with options to keep.
 *
 * DV_OK         the string is text_out->data, with a NUL after its nbytes; the caller releases it
 *               with dv_buffer_release
 * DV_NOT_FOUND  not text, no lines, or a file whose first lines contain the options
 * DV_ERR_IO, DV_ERR_ARGUMENT, DV_ERR_MEMORY  as dv_open; of packed text also DV_ERR_CORRUPT,
 *               DV_ERR_UNSUPPORTED, DV_ERR_LIMIT.  A pipe is read, and cannot be read again */
DV_API dv_status dv_open_propose(dv_buffer *text_out, const char *path,
                                 const dv_open_options *options, dv_error *err);

/* Open the contents of a file in memory; otherwise as dv_open.
 *
 * data     nbytes bytes, which must not change until release is called
 * release  called once with ctx when the last reference to the bytes is dropped, from any thread,
 *          or before the call returns a failure; may be NULL
 * name     the name of the file in errors; its extension counts as in dv_open */
DV_API dv_status dv_open_memory(dv_view **view_out, const void *data, size_t nbytes,
                                void (*release)(void *ctx), void *ctx, const char *name,
                                const dv_open_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
