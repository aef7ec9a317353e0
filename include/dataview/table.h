/* SPDX-License-Identifier: MIT */
/* table.h: makes a view of arrays in memory.  examples/arrays.c is a complete program. */
#ifndef DATAVIEW_TABLE_H
#define DATAVIEW_TABLE_H

#include <dataview/buffer.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A column: one value per row; of a vector one per slot, row after row.
 *
 *   numbers, BL, keys, TS, DT, DZ, UG  values: an array of the C type that DV_TYPE_LIST names
 *   TX                                 values: const char *[], each NUL-terminated, NULL is NA; or
 *                                      texts
 *   BY                                 texts
 *
 * Values that a type counts as NA are NA.  Vectors have a known size and are dense. */
typedef struct dv_table_column {
    const char *name; /* UTF-8, not empty.  A later column of the same name hides this one */
    dv_type type;     /* no extension */
    const void *values;
    const dv_text *texts; /* instead of values: with lengths, so that they may hold NUL */
} dv_table_column;

/* Start from DV_TABLE_OPTIONS_INIT. */
typedef struct dv_table_options {
    size_t size; /* of this struct: set by the INIT */

    /* Use the arrays in place, without a copy: they stay unchanged until `release` is called.  TX,
     * BY and DZ are copied even so. */
    bool lend;
    void (*release)(void *ctx); /* with lend: called once, in the thread that drops the last
                                   reference to an array; NULL: nothing to call */
    void *ctx;
    const dv_allocator *allocator; /* NULL: malloc */
} dv_table_options;

#define DV_TABLE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_table_options), false, NULL, NULL, NULL                                          \
    }

/* Make a view of n columns of so many rows, which is then used like any other: saved, shuffled, put
 * beside the columns of a file.  Any thread.
 *
 * columns  read during the call only; what they point to, too, unless it is lent
 * options  NULL: the defaults, which copy everything
 *
 * rows       known; reached by number
 * batches    point into the arrays or their copies.  zero_copy_only never fails
 * shuffles   yes
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n or rows is negative; a column without name or values, of an unknown type, an
 *                  extension or a vector of unknown size; TX that is not UTF-8, with its row; texts
 *                  of more than 2^31-1 bytes in rows that are read together, at most 65,536
 * DV_ERR_MEMORY
 *
 * After a failure *view_out is NULL, and `release` has not been called. */
DV_API dv_status dv_table_create(dv_view **view_out, const dv_table_column *columns, int32_t n,
                                 int64_t rows, const dv_table_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
