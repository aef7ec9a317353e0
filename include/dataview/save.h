/* SPDX-License-Identifier: MIT */
/* save.h: saves views as files, without loss unless it is allowed (docs/saving.md). */
#ifndef DATAVIEW_SAVE_H
#define DATAVIEW_SAVE_H

#include <dataview/buffer.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A save keeps everything, or it fails with DV_ERR_LOSS.  The losses that
 * dv_save_options.allow_loss can allow: member, bit, name, sentence.  FIELDS is lost when text is
 * read, so it is refused or allowed there (dv_open_options.bad_fields). */
#define DV_LOSS_LIST(X)                                                                            \
    X(COLUMNS, 0, "columns", "columns that the format cannot hold")                                \
    X(METADATA, 1, "metadata", "metadata that the format cannot hold")                             \
    X(NAMES, 2, "names", "names of columns or slots")                                              \
    X(TYPES, 3, "types", "the type; every value is kept as a number of another type")              \
    X(PRECISION, 4, "precision", "digits of numbers that the format's type cannot hold")           \
    X(NA, 5, "na", "the difference between NA and the value that stands for it")                   \
    X(BREAKS, 6, "breaks", "line breaks inside texts: CRLF and CR become LF")                      \
    X(DAMAGED, 7, "damaged", "samples of datadings are damaged; they are copied as they are")      \
    X(FIELDS, 8, "fields", "fields of text that are no value of their column; they become NA")     \
    X(FORMS, 9, "forms",                                                                           \
      "what msgpack says apart: absent keys, nested maps, lists, complex numbers")

#define DV_LOSS_MEMBER(member, bit, name, sentence) DV_LOSS_##member = 1 << bit,
typedef enum dv_loss {
    DV_LOSS_NONE = 0, /* in a report: impossible, whatever is allowed */
    DV_LOSS_LIST(DV_LOSS_MEMBER)
} dv_loss;
#undef DV_LOSS_MEMBER

/* The name of a loss, "columns", and its sentence: static text; "" unless loss is exactly one
 * member other than DV_LOSS_NONE.  Any thread. */
DV_API const char *dv_loss_name(dv_loss loss);
DV_API const char *dv_loss_sentence(dv_loss loss);
/* Find a loss by its name.  Any thread.  DV_OK; DV_NOT_FOUND: *loss_out is DV_LOSS_NONE. */
DV_API dv_status dv_loss_parse(dv_loss *loss_out, dv_text name);

/* A loss, or an impossibility.  Valid during the call that reports it.  Later versions add members
 * at the end. */
typedef struct dv_loss_report {
    dv_loss loss;         /* DV_LOSS_NONE: impossible */
    bool is_allowed;      /* by allow_loss */
    int32_t column;       /* of the view; -1: the view as a whole, or whole rows */
    dv_text metadata;     /* the kind of metadata that is concerned; else empty */
    const char *sentence; /* one printable line that names column, metadata, row and key */
    int64_t row;          /* of the rows that are saved; -1: all of them */
    bool is_implied;      /* the form of the file never keeps it, so it is allowed; is_allowed is
                             true: a CSV has no types */
} dv_loss_report;

typedef enum dv_compression {
    DV_COMPRESSION_NONE = 0,    /* blocks can be used in place */
    DV_COMPRESSION_DEFLATE = 1, /* the default of ML.NET */
    DV_COMPRESSION_ZLIB = 2     /* not readable by ML.NET */
} dv_compression;

/* Start from DV_SAVE_OPTIONS_INIT.  Options that are marked with a format apply to that format
 * only; others ignore them. */
typedef struct dv_save_options {
    size_t size;                   /* of this struct: set by the INIT */
    const dv_allocator *allocator; /* NULL: malloc */
    const char *format; /* "idv", ...; NULL: by the extension of the path.  Text whose path
                           ends in .gz or .zst, as x.csv.gz, is compressed */

    /* Columns and rows, as in dv_cursor_options (cursor.h). */
    const int32_t *columns; /* in order; NULL: see columns_count */
    int32_t columns_count;  /* -1: all that are not hidden */
    bool hidden;            /* with columns_count -1: hidden ones too */
    int64_t first_row, end_row, skip, take;
    int32_t threads; /* that encode and decode; 0: the library chooses, at most 8.  The bytes of
                        the file do not depend on it */

    uint32_t allow_loss; /* DV_LOSS_COLUMNS and others, combined with | */
    bool sync;           /* return only after the file has reached the disk */

    dv_progress progress; /* of the rows that are saved.  While blocks of .idv are compressed, also
                             about ten times a second: a thread more compresses then, and of a step
                             of blocks a share of the rows is reported */

    int64_t memory_nbytes; /* dv_save_memory: limit of the bytes of the file */

    /* .idv.  The first block has as many rows as rows_per_block and block_nbytes both allow (0: the
     * library chooses); all others but the last have as many as the first. */
    int64_t rows_per_block;
    int64_t block_nbytes; /* bytes of a block of all columns together, before compression */
    dv_compression compression;
    int32_t level;           /* of compression: 1 (fast) to 12 (small); 0: 6 */
    int32_t align;           /* alignment of the widest array of each uncompressed block, in bytes:
                                a power of two, 8..4096 */
    const char *idv_version; /* "1.1.1.6"; "1.1.1.5" for old readers; NULL: 1.1.1.6 */
    bool idv_old_keys;       /* use the codec `Key` of old readers: least value, contiguity, and a
                                count of 31 bits */
    bool idv_bool_2bit;      /* use the codec `DvBool` of old readers, which has NA */

    /* BTable. */
    bool canonical; /* leave out stored zeros */

    const char *text; /* text: how to write it (docs/formats/text.md).  NULL: a path in .csv or .tsv
                         is for other programs and keeps no types; others keep them */

    const char *datadings; /* datadings: where keys come from (docs/formats/datadings.md) */

    /* Called with report_ctx in the thread of the caller for each loss of DV_LOSS_DAMAGED that is
     * allowed, when it is found.  Returns false to stop: DV_ERR_STOPPED.  NULL: no reports */
    bool (*report)(void *ctx, const dv_loss_report *report);
    void *report_ctx;
} dv_save_options;

#define DV_SAVE_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(dv_save_options), NULL, NULL, NULL, -1, false, 0, -1, 0, -1, 0, 0, true,            \
            {NULL, NULL}, INT64_C(1) << 32, 0, 0, DV_COMPRESSION_NONE, 0, 64, NULL, false, false,  \
            false, NULL, NULL, NULL, NULL                                                          \
    }

/* Save a view of any kind as a file (idv:7, btable:11, semantics:6.6, datadings:4).  Any thread;
 * others may use the view at the same time.
 *
 * The file at `path` is replaced as a whole.  The rows go to a temporary file `.NAME.dv-XXXX` in
 * the same folder, which is renamed after all of it has been written to the disk.  Until then, and
 * after every failure, the old file is unchanged.  A crash leaves the old file or the new one, and
 * perhaps a temporary file, which the next save to this name removes.  So a view can replace its
 * own file.  Processes that have the old file open keep the old bytes.  Only one saver of a process
 * can write a file at a time; if several processes do, the last one's file stays.
 *
 * A symbolic link stays, and the file that it points to is replaced.  A new file has the
 * permissions that the umask allows.  A file that replaces another one has the permissions of the
 * old one, and its owner if the system permits that.  Hard links, access lists and extended
 * attributes are not kept.  An old file without write permission is not replaced.
 *
 * A datadings set has six files.  All are written first.  Then the old files beside the messages
 * are removed, the messages are replaced, and the new files beside them are renamed.  After a crash
 * dv_open finds the old set or the new one, or refuses an incomplete one
 * (docs/formats/datadings.md).  A symbolic link is refused.
 *
 * Losses that schema and metadata show are refused before a file is created.  Losses that only a
 * value shows are refused when it is reached; err->message then names its row and column.
 *
 * A limit on file sizes (ulimit -f) is DV_ERR_IO if the process ignores SIGXFSZ; otherwise that
 * signal ends it.
 *
 * options  NULL: the defaults
 *
 * DV_OK
 * DV_ERR_LOSS         the format cannot hold the view.  The message lists the losses that schema
 *                     and metadata show, as far as it has room (dv_save_check reports each), or
 *                     names row and column; err->expected names the loss to allow, if that helps
 * DV_ERR_STOPPED      `progress` or `report` returned false
 * DV_ERR_IO           err->os_code is the reason: a full disk, no permission, a missing folder; a
 *                     directory, pipe or device at `path`.  The target is unchanged, unless the
 *                     message says that the file is saved and only its folder could not be synced,
 *                     or which files of a set exist
 * DV_ERR_ARGUMENT     an unknown name or extension of a format, .gz or .zst after one that is not
 *                     text, an option out of range, options of unknown size; another open writer
 *                     of this process replaces the same file, or a side file of it
 * DV_ERR_UNSUPPORTED  the format can be read, but not written; or this build lacks the library that
 *                     compresses
 * DV_ERR_LIMIT        err->rule names the option, such as rows_per_block for a block of more than
 *                     2^31-1 bytes
 * DV_ERR_MEMORY
 * DV_ERR_*            what reading the view returns (dv_cursor_next); err names its file
 */
DV_API dv_status dv_save(dv_view *view, const char *path, const dv_save_options *options,
                         dv_error *err);

/* Save a view as dv_save does, but into memory.  options->format is required.  The caller releases
 * *buffer_out with dv_buffer_release; it is empty after a failure, and needs neither view nor
 * options.
 * Statuses as dv_save; DV_ERR_LIMIT also if the file exceeds memory_nbytes. */
DV_API dv_status dv_save_memory(dv_view *view, dv_buffer *buffer_out,
                                const dv_save_options *options, dv_error *err);

/* Check whether a view can be saved, as far as schema and metadata show.  Reads no row and touches
 * no file.  Any thread.
 *
 * path    only its extension is used: it chooses the format if options->format is NULL, and the
 *         form of text; NULL if there is none
 * report  called with ctx in the thread of the caller for each loss, allowed or not, column by
 *         column; returns false to receive no more.  The status does not depend on it.  NULL: no
 *         reports
 *
 * DV_OK
 * DV_ERR_LOSS  dv_save would refuse the view, with the same message
 * DV_ERR_ARGUMENT, DV_ERR_UNSUPPORTED, DV_ERR_MEMORY  as dv_save
 * DV_ERR_*     what reading metadata returns (dv_schema_metadata_value)
 */
DV_API dv_status dv_save_check(dv_view *view, const char *path, const dv_save_options *options,
                               bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                               dv_error *err);

/* Check that n paths lead to n files, before a program saves several: the last save to a file
 * replaces what an earlier one has saved there.
 *
 * Files are compared, not texts.  Two paths are one file if they end in the same name of the same
 * directory, however they are spelled and whichever symbolic links lead there, even if no file
 * exists yet; or if they are hard links to one file.  Side files (dv_format_info.side_files) are
 * compared if their paths are among the n.  Nothing is written.  Any thread.
 *
 * allocator  of memory for the call; NULL: the default
 *
 * DV_OK
 * DV_ERR_ARGUMENT  two paths lead to one file; the message names both
 * DV_ERR_IO        dv_save could not replace the file of a path, which err names
 * DV_ERR_MEMORY */
DV_API dv_status dv_save_check_paths(const char *const *paths, int32_t n,
                                     const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
