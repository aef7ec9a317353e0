/* SPDX-License-Identifier: MIT */
/* save.h: how does a view become a file? */
#ifndef DATAVIEW_SAVE_H
#define DATAVIEW_SAVE_H

#include <dataview/buffer.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Saving keeps everything, or it fails with DV_ERR_LOSS.  What may go, each only when allowed by
 * name: member, name, sentence. */
#define DV_LOSS_LIST(X)                                                                            \
    X(COLUMNS, 0, "columns", "columns that the format has no place for")                           \
    X(METADATA, 1, "metadata", "metadata that the format has no place for")                        \
    X(NAMES, 2, "names", "names of columns or slots")                                              \
    X(TYPES, 3, "types", "the type; every value is kept as a number of another type")              \
    X(PRECISION, 4, "precision", "digits of numbers that the format's type cannot hold")           \
    X(NA, 5, "na", "the difference between NA and the value that stands for it")                   \
    X(BREAKS, 6, "breaks", "how lines break inside texts: CRLF and CR become LF")

#define DV_LOSS_MEMBER(member, bit, name, sentence) DV_LOSS_##member = 1 << bit,
typedef enum dv_loss {
    DV_LOSS_NONE = 0, /* in a report: it cannot be saved, whatever is allowed */
    DV_LOSS_LIST(DV_LOSS_MEMBER)
} dv_loss;
#undef DV_LOSS_MEMBER

/* "columns", and what that means: static text; "" for what is not one member. */
DV_API const char *dv_loss_name(dv_loss loss);
DV_API const char *dv_loss_sentence(dv_loss loss);
/* The loss of that name.  DV_OK; DV_NOT_FOUND: *loss_out is DV_LOSS_NONE. */
DV_API dv_status dv_loss_parse(dv_loss *loss_out, dv_text name);

typedef enum dv_compression {
    DV_COMPRESSION_NONE = 0,    /* blocks that can be used in place */
    DV_COMPRESSION_DEFLATE = 1, /* as ML.NET writes by default */
    DV_COMPRESSION_ZLIB = 2
} dv_compression;

/* Start from DV_SAVE_OPTIONS_INIT.  What a format has no use for is ignored: those that concern one
 * format only say which. */
typedef struct dv_save_options {
    size_t size;                   /* of this struct: set by the INIT */
    const dv_allocator *allocator; /* NULL: malloc */
    const char *format;            /* "idv", ...; NULL: by the path's ending */

    /* Which columns and rows, as in dv_cursor_options (cursor.h). */
    const int32_t *columns; /* in the order wanted; NULL: see columns_count */
    int32_t columns_count;  /* -1: all that are not hidden */
    bool hidden;            /* with columns_count -1: the hidden ones too */
    int64_t first_row, end_row, skip, take;
    int32_t threads; /* that encode and decode; 0: the library chooses, at most 8.  The bytes of
                        the file do not depend on it */

    uint32_t allow_loss; /* DV_LOSS_COLUMNS and others, or'ed */
    bool sync;           /* come back when the file is on the disk, not only with the system */

    dv_progress progress; /* of the rows that will be saved */

    int64_t memory_nbytes; /* dv_save_memory: most bytes of the file */

    /* .idv.  A block holds as many rows of a column as rows_per_block and block_nbytes both allow
     * (0: the library chooses); the first block decides how many all have. */
    int64_t rows_per_block;
    int64_t block_nbytes; /* of a block of all columns together, before compression */
    dv_compression compression;
    int32_t level;           /* of compression, 1 fast .. 12 small; 0: as libdeflate chooses, 6 */
    int32_t align;           /* the widest array of a stored block starts at a multiple of this many
                                bytes: a power of two, 8..4096 */
    const char *idv_version; /* "1.1.1.6"; "1.1.1.5" for readers of that time; NULL: 1.1.1.6 */
    bool idv_old_keys;       /* the codec `Key` of old readers: Min and contiguity, a count of 31
                                bits */
    bool idv_bool_2bit;      /* the codec `DvBool` of old readers, which has NA */

    /* BTable. */
    bool canonical; /* leave out stored zeros */

    const char *text; /* text: how it is written (docs/formats/text.md) */

    const char *datadings; /* datadings: which column has the keys (docs/formats/datadings.md) */
} dv_save_options;

#define DV_SAVE_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(dv_save_options), NULL, NULL, NULL, -1, false, 0, -1, 0, -1, 0, 0, true,            \
            {NULL, NULL}, INT64_C(1) << 32, 0, 0, DV_COMPRESSION_NONE, 0, 64, NULL, false, false,  \
            false, NULL, NULL                                                                      \
    }

/* Save a view of any kind, one's own too, as a file.
 *
 * What is at `path` is replaced as a whole.  The rows go to a file `.NAME.dv-XXXX` in the same
 * folder, which gets the name once all of it is written and on the disk.  Until then, and after
 * every failure, the old file is as it was; a crash leaves the old file or the new one, and a
 * temporary file that the next save to this name removes.  So the view may be that of the very file
 * that is replaced.  Who has the old file open keeps the old bytes.
 *
 * A symbolic link stays, and the file it points to is replaced.  A new file may be read and written
 * as the umask allows; one that replaces another has its permissions, and its owner where the
 * system lets us give it away.  Hard links, access lists and other attributes of the old file are
 * not kept.  An old file that may not be written is not replaced.
 *
 * Datadings are six files.  All are written first; then the old ones beside the messages go, the
 * messages are replaced, and the new ones beside them come, so that dv_open of what a crash leaves
 * gives the old set or the new one, or refuses it as incomplete (docs/formats/datadings.md).  A
 * symbolic link is refused there.
 *
 * A limit on the size of files (ulimit -f) is DV_ERR_IO only for a process that ignores SIGXFSZ;
 * the signal ends others.
 *
 * What schema and metadata show that the format cannot hold is refused before any file is made;
 * what only a value shows, when it is met: err->message then names its row and column.
 *
 * view     any thread may use it meanwhile
 * options  NULL: the defaults
 *
 * DV_OK
 * DV_ERR_LOSS         the format cannot hold the view.  The message lists all that schema and
 *                     metadata show, as far as it is long enough (dv_save_check tells each), or
 *                     names row and column; err->expected says what to allow, where that helps
 * DV_ERR_STOPPED      `progress` said so
 * DV_ERR_IO           err->os_code tells why, the message what to do: no room, no permission, a
 *                     folder that is missing; a directory, pipe or device at `path`.  The target is
 *                     as it was, unless the message says that the file is saved and only its folder
 *                     could not be synced, or which of the files of a set are there
 * DV_ERR_ARGUMENT     unknown format name or ending, an option out of range, options of an
 *                     unknown size
 * DV_ERR_UNSUPPORTED  the format can be read, but not written
 * DV_ERR_LIMIT        err->rule names the option, such as a block beyond 2^31-1 bytes
 *                     (rows_per_block)
 * DV_ERR_MEMORY
 * DV_ERR_*            what the view's own cursor says, which names its file
 */
DV_API dv_status dv_save(dv_view *view, const char *path, const dv_save_options *options,
                         dv_error *err);

/* The same as dv_save, into memory.  options->format is needed; *buffer_out is the caller's, to be
 * released with dv_buffer_release, and empty after a failure.
 * Statuses as dv_save; DV_ERR_LIMIT: beyond memory_nbytes. */
DV_API dv_status dv_save_memory(dv_view *view, dv_buffer *buffer_out,
                                const dv_save_options *options, dv_error *err);

/* Something that schema and metadata show to be lost or impossible.  Grows at its end only; lives
 * during the call that reports it. */
typedef struct dv_loss_report {
    dv_loss loss;         /* DV_LOSS_NONE: impossible */
    bool is_allowed;      /* by allow_loss */
    int32_t column;       /* of the view; -1: the view as a whole */
    dv_text metadata;     /* the kind, when it is about metadata; else empty */
    const char *sentence; /* one line, printable; names column and metadata */
} dv_loss_report;

/* Could the view be saved, as far as schema and metadata tell?  Reads no row and touches no file.
 *
 * path    only its ending counts, and only without options->format; else it may be NULL
 * report  called once for each thing, allowed or not, column by column; false: no more reports.
 *         The result does not depend on it; NULL: nobody asks
 *
 * DV_OK; DV_ERR_LOSS, as dv_save would say; DV_ERR_ARGUMENT, DV_ERR_UNSUPPORTED, DV_ERR_MEMORY, as
 * dv_save; and what reading metadata may say (dv_schema_metadata_value).
 */
DV_API dv_status dv_save_check(dv_view *view, const char *path, const dv_save_options *options,
                               bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                               dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
