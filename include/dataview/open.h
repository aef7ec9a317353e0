/* SPDX-License-Identifier: MIT */
/* open.h: how does a file become a view? */
#ifndef DATAVIEW_OPEN_H
#define DATAVIEW_OPEN_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dv_io {
    DV_IO_MMAP = 0, /* map the file: stored blocks are used in place */
    DV_IO_PREAD = 1 /* copy what is read: safe against a file that others change or cut */
} dv_io;

/* Start from DV_OPEN_OPTIONS_INIT.  Limits: a file that passes one is DV_ERR_LIMIT, and err->rule
 * names the option. */
typedef struct dv_open_options {
    size_t size;                   /* of this struct: set by the INIT */
    const dv_allocator *allocator; /* NULL: malloc */
    const char *format; /* "idv", "btable", "datadings", "text"; NULL: by the first bytes, then by
                           the name's ending, then by what the file looks like; text when `text`,
                           else datadings when `datadings` is not NULL */
    dv_io io;
    bool strict_text; /* refuse text whose boundary cuts a character in two (idv:5.4) */

    int64_t columns;              /* most columns */
    int64_t metadata_nbytes;      /* largest metadata value, inflated */
    int64_t metadata_toc_nbytes;  /* most bytes of metadata tables, all columns together */
    int64_t block_nbytes;         /* largest block, inflated */
    int64_t cursor_nbytes;        /* most memory for a block of every active column of a cursor, and
                                     as much again for blocks decoded ahead; of text, for a line
                                     and for a row */
    int64_t rows_without_columns; /* most rows of a file in which no column can be read */

    bool lenient;     /* BTable: repair what its readers disagree on (docs/formats/btable.md) */
    const char *text; /* text: how it is read, and into which columns (docs/formats/text.md) */

    const char *datadings; /* datadings: which samples tell the columns, and what else there is to
                              say (docs/formats/datadings.md) */
    int64_t nesting;       /* of a datadings message: most containers in each other, at most 1024 */
    int64_t message_nbytes; /* largest datadings message */
} dv_open_options;

#define DV_OPEN_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(dv_open_options), NULL, NULL, DV_IO_MMAP, false, 1000000, 64 << 20, 4 << 20,        \
            1 << 30, INT64_C(1) << 32, 1 << 24, false, NULL, NULL, 1024, 1 << 30                   \
    }

/* Open a file as a view.  Reads its header and tables, no block.  The view is the caller's, to be
 * released with dv_view_release.  options may be NULL.
 *
 * A file that is cut or rewritten by others while it is mapped: what shrank before a batch was
 * handed out is DV_ERR_IO; what changes under a pointer that you hold is not noticed, and what
 * shrinks under it raises SIGBUS.  Where that can happen, open with DV_IO_PREAD.
 *
 * Text may also come through a pipe, which dv_open waits for: with format NULL or "text".  Its
 * bytes come once, so one cursor, or one call that reads all rows, can walk over it; the next
 * fails.
 *
 * DV_OK
 * DV_ERR_IO           the system's own error (err->os_code); a directory, a device; a pipe of other
 *                     than text
 * DV_ERR_CORRUPT      err->offset is the first wrong byte
 * DV_ERR_UNSUPPORTED  of no known format, or of a version this library cannot read
 * DV_ERR_LIMIT        err->rule names the option
 * DV_ERR_ARGUMENT     unknown format name, unknown size of options
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_open(dv_view **view_out, const char *path, const dv_open_options *options,
                         dv_error *err);

/* Open several files, in the order given, as one view: dv_view_concat (transform.h) says what that
 * is.  Errors name the file; each of them keeps a file descriptor open.  One path is dv_open.
 * Statuses as dv_open and dv_view_concat. */
DV_API dv_status dv_open_many(dv_view **view_out, const char *const *paths, int32_t n,
                              const dv_open_options *options, dv_error *err);

/* Of which format is a file, as dv_open would see it?  Reads its first 64 bytes.
 * DV_OK: *format_out is its name as options->format has it, static text; DV_NOT_FOUND: none that is
 * known, *format_out is NULL; DV_ERR_IO, DV_ERR_ARGUMENT, DV_ERR_MEMORY as dv_open. */
DV_API dv_status dv_open_format(const char **format_out, const char *path,
                                const dv_open_options *options, dv_error *err);

/* With which options->text could this text file be read?  Looks at its first 200 lines and 1 MiB:
 * separator, header, names and types, so that all of these fields are values of their types.  A
 * guess: whoever knows the file knows better.
 * DV_OK: the string is text_out->data, with a NUL after its nbytes, to be given back with
 * dv_buffer_release; DV_NOT_FOUND: no text, no lines, or a file that names its columns itself;
 * DV_ERR_IO, DV_ERR_ARGUMENT, DV_ERR_MEMORY as dv_open. */
DV_API dv_status dv_open_propose(dv_buffer *text_out, const char *path,
                                 const dv_open_options *options, dv_error *err);

/* The same as dv_open for bytes in memory, which must stay as they are until release is called with
 * ctx: once, when the last reference is gone, or before a failure returns (NULL: nothing to do).
 * name is what errors call the file. */
DV_API dv_status dv_open_memory(dv_view **view_out, const void *data, size_t nbytes,
                                void (*release)(void *ctx), void *ctx, const char *name,
                                const dv_open_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
