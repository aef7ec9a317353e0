/* SPDX-License-Identifier: MIT */
/* transform.h: which views are made from other views? */
#ifndef DATAVIEW_TRANSFORM_H
#define DATAVIEW_TRANSFORM_H

#include <dataview/buffer.h>
#include <dataview/cursor.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All rows of the first view, then all of the second, and so on: n views as one.
 *
 * views      n >= 1; each is retained, so the caller's references stay the caller's
 * allocator  NULL: malloc
 *
 * schema     that of the first view, metadata too.  The others have the same columns: names, order
 *            and types, hidden ones included; their metadata may differ, and are not seen
 * rows       the sum; unknown when one of them is
 * ids        dv_rowid_combine(id of the row, {number of its view, 0})  (semantics.md 5.4)
 * batches    those of the views, not copied; none crosses from one view into the next, unless
 *            batch_rows asks for it.  Only views that the rows asked for lie in are read, one after
 *            the other: each has a cursor of its own, opened when its turn comes.  A view that does
 *            not know how many rows it has is read once more, without columns, to pass over rows
 *
 * errors     as the view tells them, after the rows before; "view 1" in front when no file is named
 *
 * facts      summed up; verification checks one view after the other
 *
 * One view is no concatenation: then *view_out is that view, and its ids are as they were.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 1; more than 2^63-1 rows; a view differs from the first: err names view and
 *                  column, what was expected and what was found
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_append(dv_view **view_out, dv_view *const *views, int32_t n,
                                const dv_allocator *allocator, dv_error *err);

/* Some rows of a view, in any order: row i of the new view is row rows[i] of the source.
 *
 * source     retained
 * rows       n >= 0 numbers, which are copied; one may be there several times
 * allocator  NULL: malloc
 *
 * schema     that of the source, metadata too
 * ids        those of the source's rows, which travel with them  (semantics.md 5.4)
 * batches    copies; zero_copy_only is refused with DV_ERR_COPY when a cursor is opened.  Rows that
 *            follow each other in the source are read together; the others cost a jump each, which
 *            is cheap in datadings and BTable files, and a block's decoding elsewhere
 * errors     as the source tells them, after the rows before; a row behind the end of a source that
 *            does not know its rows is DV_ERR_CORRUPT
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a row that the source has not, as far as it knows; n < 0
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_pick(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                              const dv_allocator *allocator, dv_error *err);

/* Rows of a view, copied into memory, where each of them is at hand: for dv_view_pick of a source
 * that jumps at a cost (blocks to be decoded, lines to be found).
 *
 * source     retained; all rows that are asked for are read by this call, and never again
 * options    columns, rows and threads as in cursor.h, the rest has no meaning; NULL: all
 * allocator  NULL: malloc.  As much memory as the values take, and 400 bytes a column for each 1024
 *            rows, or 64 where a vector is among the columns
 *
 * schema     the columns that are asked for, in that order, with their metadata
 * rows       known.  ids: their numbers in this view
 * batches    of that memory, without a copy; zero_copy_only is refused with DV_ERR_COPY when a
 *            cursor is opened
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dv_cursor_open
 * DV_ERR_MEMORY
 * DV_ERR_*         what the cursor of the source says
 */
DV_API dv_status dv_view_hold(dv_view **view_out, dv_view *source, const dv_cursor_options *options,
                              const dv_allocator *allocator, dv_error *err);

/* --- Columns ----------------------------------------------------------------------------------
 *
 * Views whose rows, ids and batches are those of the source.  Of a source only the columns that
 * active ones need are read; what is not computed is lent, not copied.  Facts and verification are
 * the source's; new columns have no facts.  Where nothing else is said:
 *
 * source     retained
 * names      mean the last column of that name; they, and all specs, are copied
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 0; no such column; a new name that is empty, no UTF-8, or given twice
 * DV_ERR_MEMORY
 */

/* A column under a name of its own. */
typedef struct dv_column_spec {
    dv_text source; /* its name */
    dv_text name;   /* its new one; dv_text_of(NULL): the same */
} dv_column_spec;

/* What becomes of columns that the last one of the same name hides; they go along once, when it is
 * chosen first. */
typedef enum dv_hidden {
    DV_HIDDEN_DROP = 1,
    DV_HIDDEN_KEEP = 2,  /* in front of the one that hides them, and under its new name */
    DV_HIDDEN_RENAME = 3 /* the same, called temp_NAME_000, temp_NAME_001, ... */
} dv_hidden;

/* These columns of a view and no others, in this order (semantics.md 7.15, Choose). */
DV_API dv_status dv_view_select(dv_view **view_out, dv_view *source, const dv_column_spec *specs,
                                int32_t n, dv_hidden hidden, const dv_allocator *allocator,
                                dv_error *err);

/* All columns of these names, hidden ones too, and no others; or all others.  They stay in the
 * order of the source.  A name may be given twice. */
DV_API dv_status dv_view_keep(dv_view **view_out, dv_view *source, const dv_text *names, int32_t n,
                              const dv_allocator *allocator, dv_error *err);
DV_API dv_status dv_view_drop(dv_view **view_out, dv_view *source, const dv_text *names, int32_t n,
                              const dv_allocator *allocator, dv_error *err);

/* All columns, and copies of some, with their metadata.  A copy whose name the source has goes
 * right behind the last column of that name, which it hides; others go to the end, in the order of
 * specs.  A copy without a name of its own hides its source. */
DV_API dv_status dv_view_copy(dv_view **view_out, dv_view *source, const dv_column_spec *specs,
                              int32_t n, const dv_allocator *allocator, dv_error *err);

/* A column that shall be converted. */
typedef struct dv_conversion_spec {
    dv_text source; /* its name, which means the last column of that name */
    dv_text name;   /* of the new column; dv_text_of(NULL): the same, so that it hides its source */
    dv_type type;   /* of the new column's values or, if the source is a vector, of its items; or a
                       vector with the dims of the source */
} dv_conversion_spec;

/* A view with columns of other types, made from those of the source view (semantics.md 4, 7.1).
 *
 * source     retained
 * specs      n >= 0, of which no two make columns of one name; none: *view_out is the source view.
 *            They are copied, dims too
 * allocator  NULL: malloc
 *
 * From        to
 * I*          I*, R4, R8, BL (is it not 0?), TX
 * U*          U*, R4, R8, BL, TX
 * R4, R8      R4, R8, BL (NaN is true), TX
 * UG          U*, TX
 * BL          I*, R4, R8 (false is 0), TX
 * TX          all but UG and BY; a key
 * TS, DT, DZ  I8, R4, R8 (ticks; of DZ those of UTC), TX
 * a key       a key of the same values, U1 to U8; U1 to U8 without values mean such a key
 * any         itself
 *
 * values     NA becomes NA, or the default where there is none, and so does what is no value of the
 *            new type or does not fit it: that is no error.  Reals are rounded to nearest.  Into
 *            text: R4 in 7 digits, R8 in 17, NaN, True and False, NA as NA
 * vectors    item by item, dense or sparse as they are; but into text all slots, since 0 is no
 *            empty text
 * schema     a column whose name the source view has goes right behind the last one of that name,
 *            which it hides; others go to the end, in the order of specs.  All other columns stay.
 *            Of its source a new column has SlotNames (vectors of known size), KeyValues (a key of
 *            a key with a count), IsNormalized (a number of a number); a number of a BL is
 *            normalized.  Metadata are read when they are asked for
 * batches    those of the source, with its rows and ids; only active columns are read and
 *            converted.  Where the bits are the same the source's memory is lent; elsewhere
 *            zero_copy_only is refused with DV_ERR_COPY when a cursor is opened
 * limits     DV_ERR_LIMIT from a cursor: text of a batch over 2^31-1 bytes, or vectors into text
 *            over 1 GiB; batch_rows makes batches smaller
 * facts      those of the source; of a new column none.  Verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; no such conversion (err tells which there are); other dims; not
 *                  a type; a name that is empty, no UTF-8, or told twice
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_convert(dv_view **view_out, dv_view *source,
                                 const dv_conversion_spec *specs, int32_t n,
                                 const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
