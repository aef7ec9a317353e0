/* SPDX-License-Identifier: MIT */
/* view.h: views, which are immutable tables, and their properties.
 *
 * open.h opens files as views, transform.h makes views of views, cursor.h and row.h read their
 * rows, and own_view.h makes a view of data of your own.  The contract is semantics:5.1. */
#ifndef DATAVIEW_VIEW_H
#define DATAVIEW_VIEW_H

#include <dataview/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An immutable table (ML.NET: IDataView).  Reference-counted.  Any number of threads may use a view
 * and read it with cursors of their own at the same time; the functions below may be called from
 * any thread and, but for dv_view_identity, cannot fail. */
typedef struct dv_view dv_view;

#define DV_ROWS_UNKNOWN INT64_C(-1)

/* Add a reference. */
DV_API void dv_view_retain(dv_view *view);
/* Drop a reference and set the pointer to NULL; a NULL pointer is fine.  The last reference closes
 * the view.  Cursors, retained batches and views that are made of the view hold references too.
 * Inside the `close` of another view (own_view.h) the view is closed after that function returns.
 */
DV_API void dv_view_release(dv_view **view);

/* The columns.  Borrowed; lives as long as the view. */
DV_API const dv_schema *dv_view_schema(const dv_view *view);

/* The number of rows (ML.NET: GetRowCount), or DV_ROWS_UNKNOWN if it takes reading them all: text,
 * filters.  A known number is exact and does not change.  An unknown one may become known when the
 * view has been read to the end. */
DV_API int64_t dv_view_rows(const dv_view *view);

/* Whether rows can be read in another order at no extra cost (ML.NET: CanShuffle).  epoch.h
 * shuffles. */
DV_API bool dv_view_can_shuffle(const dv_view *view);

/* How many rows a cursor must read to deliver one (dv_cursor_options.first_row).
 *
 * 1      only that row: datadings, BTable, rows in memory
 * n > 1  the stored block that holds it: .idv.  Each block but the last has n rows
 * 0      all rows before it, which the cursor reads and drops: text, filters
 *
 * A view of several tables returns the largest of their numbers.  Only cost depends on it, not rows
 * or values. */
DV_API int64_t dv_view_block_rows(const dv_view *view);

/* The name of the format or of the transform: "idv", "filter"; of a view of your own the
 * `kind` of its class.  Static text. */
DV_API const char *dv_view_kind(const dv_view *view);

/* The option `text` that was found for a text file opened without one, or with "auto"
 * (dv_open_options, open.h): opened with this string, the file gives the same view, whatever rows
 * are added to it.  Of several files the string of the first; of a view made of such views that of
 * its source.  NULL: nothing had to be found.  Valid as long as the view. */
DV_API const char *dv_view_proposal(const dv_view *view);

/* Compute the identity of the view: a digest (XXH3, 128 bits) that differs between views with other
 * rows, or with the same rows in another order.  Tokens compare it.  It is the same in every
 * process for a view that is made in the same way from the same bytes, whatever the names and times
 * of the files; docs/resuming.md says what it sees of each view.  Any thread.
 *
 * Cost: the first identity of a view, or its first token, reads 128 KiB of each of its files; later
 * ones nothing.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a pipe, which has no identity because its bytes come once; *identity_out is 0
 * DV_ERR_IO, DV_ERR_MEMORY
 * DV_ERR_*         of a view of your own what its `identify` returns */
DV_API dv_status dv_view_identity(dv_view *view, dv_u128 *identity_out, dv_error *err);

/* Call `report` for each sum of what cursors of a text view that have ended, or were closed, read
 * as NA or in a different form than the file has it, with a file and a sentence: "column "b": 2
 * lines are too short: in row 0, in row 7".  Before these, a text view that was opened without
 * options reports what could not be settled about the file, with the option that settles it.  Row
 * numbers count rows of the file.  Only a view opened with DV_BAD_FIELDS_COUNT or _ALLOW counts;
 * rows that were read again are not counted again.  Of a view made of such views by selecting,
 * filtering, converting, concatenating and the like, the sums of these; of any other view nothing.
 * Any thread.
 *
 * report  returns false to stop; its texts are valid during the call
 *
 * DV_OK            also if there was nothing to report
 * DV_END           `report` returned false
 * DV_ERR_ARGUMENT  no report
 * DV_ERR_MEMORY    memory ran out while a cursor counted, so the sums are not complete */
typedef bool dv_bad_fields_report(void *ctx, const char *file, const char *sentence);
DV_API dv_status dv_view_bad_fields(dv_view *view, dv_bad_fields_report *report, void *ctx,
                                    dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
