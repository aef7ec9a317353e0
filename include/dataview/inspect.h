/* SPDX-License-Identifier: MIT */
/* inspect.h: what is known about the file behind a view, and is all of it sound? */
#ifndef DATAVIEW_INSPECT_H
#define DATAVIEW_INSPECT_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the bytes of one column cost. */
typedef struct dv_column_facts {
    int64_t blocks;
    int64_t stored_nbytes, inflated_nbytes;
    int64_t in_place_blocks; /* stored so that a mapped file can serve them without a copy; of text
                                the boundaries only where it is ASCII */
    int64_t aligned_blocks;  /* of these, those whose values start at a multiple of their width; of
                                text and vectors the 32-bit arrays */
    const char *compression; /* "none", "deflate", "zlib": static */
} dv_column_facts;

/* A file that stands beside the one that was opened, and belongs to it. */
typedef struct dv_file_facts {
    const char *name; /* what its name has more: ".keys" */
    int64_t nbytes;
} dv_file_facts;

/* Facts of a file.  Numbers that are not known are -1, texts "".  Owned by the caller, freed with
 * dv_facts_free; everything it points to is its own. */
typedef struct dv_facts {
    const char *format;  /* its name: "idv" */
    const char *version; /* "1.1.1.6", or "9.9.9.9 (readable since 1.1.1.4)" */
    int64_t file_nbytes;
    int64_t rows, rows_per_block, blocks_per_column;
    int32_t columns;               /* as in the schema, hidden ones included */
    const dv_column_facts *column; /* one per column */
    int32_t dead_columns;          /* in the file but unreadable: unknown codec or compression */
    int32_t warnings;
    const char *const *warning; /* sentences */
    int64_t items;              /* values that are stored, all rows and vectors together */
    int32_t dead_metadata;      /* in the file but unreadable, of columns that are not */
    int64_t inferred_rows;      /* rows whose values told the schema; 0: the file has one itself, or
                                   the caller gave it */
    int32_t files;
    const dv_file_facts *file; /* those that stand beside it */
} dv_facts;

/* Gather the facts.  Reads the tables of all columns (16 bytes a block), no block; of a BTable,
 * which has no tables, the count of every row.
 * DV_OK; DV_ERR_CORRUPT, DV_ERR_IO: a table cannot be read; DV_ERR_MEMORY. */
DV_API dv_status dv_inspect(dv_facts **facts_out, dv_view *view, dv_error *err);
/* Sets the pointer to NULL; NULL is fine. */
DV_API void dv_facts_free(dv_facts **facts);

/* How a verification goes.  Start from DV_VERIFY_OPTIONS_INIT.
 *
 * defect    called in the caller's thread for each defect found (status CORRUPT, UNSUPPORTED or
 *           LIMIT) and each warning (status DV_OK: legal, yet suspicious): first those of metadata,
 *           then those of blocks, each in the order of columns; false stops
 * ctx       passed to defect
 * progress  of blocks, or of other units of the file's bytes
 */
typedef struct dv_verify_options {
    size_t size;
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

/* Read every block and every metadata value of every column, hidden ones too, and check all rules;
 * after a defect go on with the next block.  (A view whose class has no verify is read up to its
 * first bad row, without progress.)
 * DV_OK: all was read, whatever was found; DV_END: `defect` stopped it; DV_ERR_STOPPED: `progress`
 * did; DV_ERR_IO,
 * DV_ERR_MEMORY: the system failed, nothing is known of the rest; DV_ERR_ARGUMENT. */
DV_API dv_status dv_verify(dv_view *view, const dv_verify_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
