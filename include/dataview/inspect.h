/* SPDX-License-Identifier: MIT */
/* inspect.h: facts about the file of a view, and verification of all its bytes. */
#ifndef DATAVIEW_INSPECT_H
#define DATAVIEW_INSPECT_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Facts of the blocks of a column.  Unknown numbers are -1. */
typedef struct dv_column_facts {
    int64_t blocks;
    int64_t stored_nbytes, inflated_nbytes;
    int64_t in_place_blocks; /* blocks whose values a mapped file serves without a copy */
    int64_t aligned_blocks;  /* those of them whose values start at a multiple of their width; of
                                text and vectors the 32-bit arrays */
    const char *compression; /* "none", "deflate", "zlib": static */
} dv_column_facts;

/* A file that belongs to the opened one and is stored beside it. */
typedef struct dv_file_facts {
    const char *name; /* what follows the name of the opened file: ".keys" */
    int64_t nbytes;
} dv_file_facts;

/* The cost of a source (source.h) since it was opened, without its sidecar files. */
typedef struct dv_source_facts {
    int64_t requests;         /* calls of read_at */
    int64_t fetched_nbytes;   /* that they brought */
    int64_t disk_read_nbytes; /* from blocks in dv_source_options.disk_folder */
    int64_t disk_kept_nbytes; /* of blocks that were added there */
    const char *disk_note;    /* why blocks are not kept there: "the disk is full"; "": they are, or
                                 no folder is named: static text */
} dv_source_facts;

/* Facts of a file.  Unknown numbers are -1, unknown texts "".  The caller frees it with
 * dv_facts_free, and with it everything that it points to; it may outlive the view.  Later versions
 * add members at the end. */
typedef struct dv_facts {
    const char *format;  /* dv_view_kind: "idv" */
    const char *version; /* "1.1.1.6", or "9.9.9.9 (readable since 1.1.1.4)" */
    int64_t file_nbytes;
    int64_t rows, rows_per_block, blocks_per_column;
    int32_t columns;               /* as in the schema, hidden ones included */
    const dv_column_facts *column; /* one per column */
    int32_t dead_columns;          /* unreadable columns: of unknown codec or compression */
    int32_t warnings;
    const char *const *warning; /* sentences */
    int64_t items;              /* stored values of all rows and vectors together */
    int32_t dead_metadata;      /* unreadable metadata of readable columns */
    int64_t inferred_rows;      /* rows from which the schema was inferred; 0: the file or the
                                   caller gave it */
    int32_t files;
    const dv_file_facts *file; /* the files beside it */
    const char *io;            /* how its bytes are read: "mmap", "pread", "source" (source.h), or
                                  "mmap and pread" of several files; "" of bytes in memory and
                                  pipes: static text */
    const char *file_system;   /* the network file system because of which DV_IO_AUTO reads the
                                  file: "NFS"; else "": static text */
    dv_source_facts source;    /* zeros and "" if it is not a source */
} dv_facts;

/* Collect the facts of a view.  Reads the tables of all columns (16 bytes a block), but no block;
 * of a BTable, which has no tables, the count of every row.  Any thread.
 *
 * DV_OK
 * DV_ERR_CORRUPT, DV_ERR_IO  a table cannot be read
 * DV_ERR_MEMORY */
DV_API dv_status dv_inspect(dv_facts **facts_out, dv_view *view, dv_error *err);
/* The same without what takes reading tables or rows: facts of columns are unknown, of a BTable
 * also rows and items, of text the rows, unless they have been read before; warnings about them are
 * missing.  What it costs depends neither on the rows nor on the blocks of a file; a view of the
 * caller's own (own_view.h) is asked as by dv_inspect.  DV_OK; DV_ERR_MEMORY; of such a view what
 * it returns. */
DV_API dv_status dv_inspect_briefly(dv_facts **facts_out, dv_view *view, dv_error *err);
/* Free the facts and set the pointer to NULL; NULL is fine. */
DV_API void dv_facts_free(dv_facts **facts);

/* Start from DV_VERIFY_OPTIONS_INIT.
 *
 * defect    called in the thread of the caller for each defect (status DV_ERR_CORRUPT,
 *           DV_ERR_UNSUPPORTED or DV_ERR_LIMIT) and each warning (status DV_OK: valid, but
 *           suspicious): first those of metadata, then those of blocks, each in the order of
 *           columns.  Returns false to stop.  Required
 * ctx       passed to defect
 * progress  in blocks, or in another unit of the file's bytes
 */
typedef struct dv_verify_options {
    size_t size; /* of this struct: set by the INIT */
    bool (*defect)(void *ctx, const dv_error *what);
    void *ctx;
    dv_progress progress;
} dv_verify_options;

#define DV_VERIFY_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_verify_options), NULL, NULL,                                                     \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Read every block and every metadata value of every column, hidden ones included, and check all
 * rules.  After a defect, continue with the next block.  A view whose class has no `verify`
 * (own_view.h) is read up to its first bad row, without progress.  Any thread.
 *
 * If a cursor over all rows of all columns fails because of the data, `defect` is called with an
 * error, and with one for each column and metadata value that the view lacks because its codec or
 * compression is unknown; text fields that such a cursor reads as NA (DV_BAD_FIELDS_NA and others)
 * are warnings.
 *
 * options  from DV_VERIFY_OPTIONS_INIT, with `defect`; not NULL
 *
 * DV_OK            all was read, whatever the defects
 * DV_END           `defect` returned false
 * DV_ERR_STOPPED   `progress` returned false
 * DV_ERR_ARGUMENT  no options, options of unknown size, or no `defect`
 * DV_ERR_IO, DV_ERR_MEMORY  the system failed: the rest was not checked */
DV_API dv_status dv_verify(dv_view *view, const dv_verify_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
