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
 * ids        dv_rowid_combine(id of the row, {number of its view, 0})  (semantics:5.4)
 * batches    those of the views, not copied; none crosses from one view into the next, unless
 *            batch_rows asks for it.  Only views that the rows asked for lie in are read, one after
 *            the other: each has a cursor of its own, opened when its turn comes.  A view that does
 *            not know how many rows it has is read once more, without columns, to pass over rows,
 *            up to the one that is asked for
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
DV_API dv_status dv_view_concat(dv_view **view_out, dv_view *const *views, int32_t n,
                                const dv_allocator *allocator, dv_error *err);

/* Some rows of a view, in any order: row i of the new view is row rows[i] of the source.
 *
 * source     retained
 * rows       n >= 0 numbers, which are copied; one may be there several times
 * allocator  NULL: malloc
 *
 * schema     that of the source, metadata too
 * ids        those of the source's rows, which travel with them  (semantics:5.4)
 * batches    copies; zero_copy_only is refused with DV_ERR_COPY when a cursor is opened.  Each row
 *            is copied once: out of the mapped file, or of memory that the source keeps.  Blocks
 *            that must be decoded are kept while they fit into 64 MiB, and decoded again otherwise;
 *            samples of datadings and rows of a BTable are decoded by themselves
 * errors     as the source tells them, after the rows before; a row after the end of a source that
 *            does not know its rows is DV_ERR_CORRUPT
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a row that the source has not, as far as it knows; n < 0
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_take(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                              const dv_allocator *allocator, dv_error *err);

/* What dv_view_materialize copies.  Start from DV_MATERIALIZE_OPTIONS_INIT.
 *
 * cursor    columns, rows, threads and token as for dv_cursor_open; the rest is ignored.  NULL: all
 * progress  rows that are copied
 */
typedef struct dv_materialize_options {
    size_t size; /* of this struct: set by the INIT */
    const dv_cursor_options *cursor;
    dv_progress progress;
} dv_materialize_options;

#define DV_MATERIALIZE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(dv_materialize_options), NULL,                                                      \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Rows of a view, copied into memory, where each of them is at hand: for dv_view_take of a source
 * that jumps at a cost (blocks to be decoded, lines to be found).
 *
 * source     retained; all rows that are asked for are read by this call, and never again
 * options    NULL: DV_MATERIALIZE_OPTIONS_INIT
 * allocator  NULL: malloc.  As much memory as the values take, and less than a kilobyte a column
 *            for each MiB of them
 *
 * schema     the columns that are asked for, in that order, with their metadata
 * rows       known.  ids: their numbers in this view
 * batches    of that memory, without a copy; zero_copy_only is refused with DV_ERR_COPY when a
 *            cursor is opened
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dv_cursor_open; options of an unknown size
 * DV_ERR_STOPPED   `progress` stopped it: there is no view
 * DV_ERR_MEMORY
 * DV_ERR_*         what the cursor of the source returns
 */
DV_API dv_status dv_view_materialize(dv_view **view_out, dv_view *source,
                                     const dv_materialize_options *options,
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

/* These columns of a view and no others, in this order (semantics:7.15, Choose). */
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
 * right after the last column of that name, which it hides; others go to the end, in the order of
 * specs.  A copy without a name of its own hides its source. */
DV_API dv_status dv_view_copy(dv_view **view_out, dv_view *source, const dv_column_spec *specs,
                              int32_t n, const dv_allocator *allocator, dv_error *err);

/* --- Rows ------------------------------------------------------------------------------------- */

/* A run of the rows of a view: without the first `skip`, and `take` of them at most (-1: all).
 *
 * ids, batches and facts are those of the source, which reads no row before the run.  The view
 * cannot be shuffled.  Schema, source, allocator and statuses as above; DV_ERR_ARGUMENT: skip < 0,
 * take < -1. */
DV_API dv_status dv_view_slice(dv_view **view_out, dv_view *source, int64_t skip, int64_t take,
                               const dv_allocator *allocator, dv_error *err);

/* --- Rows that pass a test --------------------------------------------------------------------
 *
 * The rows of a source of which something is true, in their order.
 *
 * source     retained
 * allocator  NULL: malloc
 *
 * schema     that of the source
 * rows       unknown
 * ids        those of the source's rows, which travel with them
 * batches    those of the source: lent where every row passes, else copies without the others;
 *            zero_copy_only is refused with DV_ERR_COPY when a cursor is opened.  Of the source,
 *            active columns and those that are tested are read, from its first row on
 * facts      those of the source, verification too
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 0; no such column; a column that cannot be tested so; and what is told below
 * DV_ERR_MEMORY
 */

/* Relations of a value to another one, and NA, which is in none. */
enum {
    DV_IS_LESS = 1,
    DV_IS_EQUAL = 2,
    DV_IS_GREATER = 4,
    DV_IS_NA = 8,
    DV_IS_VALUE = DV_IS_LESS | DV_IS_EQUAL | DV_IS_GREATER
};

/* Something that is true of a row: the value of that column is in one of these relations to
 * `value`.
 *
 * value  read as a text file's would be (semantics:4.3); not looked at when all three relations
 *        are asked for, or none
 *
 * Order is that of semantics:1.1: text by UTF-16 code units, false before true, DZ by UTC, keys
 * by what they stand for.  BY, extensions and vectors only are NA, or values.  A vector is NA when
 * one of its items is: of a vector of keys a slot without an item, too. */
typedef struct dv_condition {
    dv_text column;
    unsigned relations;
    dv_text value;
} dv_condition;

/* Rows of which all conditions are true.  DV_ERR_ARGUMENT: a text that is no value of the type, or
 * NA; no relation, or one that there is not. */
DV_API dv_status dv_view_filter(dv_view **view_out, dv_view *source, const dv_condition *conditions,
                                int32_t n, const dv_allocator *allocator, dv_error *err);

/* Rows in which none of these columns is NA; with complement those in which one is (semantics:7.13,
 * NAFilter). */
DV_API dv_status dv_view_filter_na(dv_view **view_out, dv_view *source, const dv_text *columns,
                                   int32_t n, bool complement, const dv_allocator *allocator,
                                   dv_error *err);

/* Is the end of a range in it? */
typedef enum dv_inclusion {
    DV_INCLUDED_BY_DEFAULT =
        0, /* the least is; the greatest where it is not given, or is 1 of keys */
    DV_INCLUDED = 1,
    DV_EXCLUDED = 2
} dv_inclusion;

/* A range of numbers; start from {0}.  Of a key with n values, value k counts as (k - 0.5) / n;
 * then a min below 0 or a max over 1 are as if not given. */
typedef struct dv_range {
    bool has_min, has_max; /* at least one */
    double min, max;
    dv_inclusion include_min, include_max;
    bool complement; /* what is not in the range; NA is in neither */
} dv_range;

/* Rows in which a column is in the range (semantics:7.14, RangeFilter): R4, R8, or a key with a
 * count.  DV_ERR_ARGUMENT: neither min nor max, or one that is NaN. */
DV_API dv_status dv_view_filter_range(dv_view **view_out, dv_view *source, dv_text column,
                                      const dv_range *range, const dv_allocator *allocator,
                                      dv_error *err);

/* Each row of a source as often as a draw says: none to a few times, once on the average
 * (semantics:7.17, Bootstrap, in the order of the source and without a pool).
 *
 * seed        of ML.NET's generator: a Poisson draw of mean 1 for each row, in their order
 * complement  instead, each row once that would not come at all
 *
 * ids      dv_rowid_combine(id of the row, {how many copies of it are still to come, 0})
 * batches  copies; zero_copy_only is refused with DV_ERR_COPY when a cursor is opened.  What lies
 *          before the rows asked for is not read where the source knows how many rows it has
 * DV_ERR_LIMIT from a cursor: text of a batch over 2^31-1 bytes (batch_rows)
 *
 * The rest is as said for tests above.  DV_OK, DV_ERR_MEMORY. */
DV_API dv_status dv_view_bootstrap(dv_view **view_out, dv_view *source, uint32_t seed,
                                   bool complement, const dv_allocator *allocator, dv_error *err);

/* --- Several views ---------------------------------------------------------------------------- */

/* The columns of several views, row by row: first those of view 0, then those of view 1, and so on.
 *
 * views      n >= 1; each is retained
 * allocator  NULL: malloc
 *
 * schema     columns of later views hide those of the same name in earlier ones
 * rows       as many as the view has that has the fewest; unknown when one of them is
 * ids        the number of the row: {row, 0}  (semantics:5.4)
 * batches    lent; each ends where one of the views ends a batch.  Only views with active columns
 *            are read, and those that do not know their rows.  The view cannot be shuffled
 * errors     as a view tells them, after the rows before; "view 1" in front when no file is named
 * facts      none; verification checks one view after the other
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 1; more than 2^31-1 columns
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_zip(dv_view **view_out, dv_view *const *views, int32_t n,
                             const dv_allocator *allocator, dv_error *err);

/* All columns, and one that is made of several: vectors of their values, one after the other
 * (semantics:7.15, Concat).
 *
 * name     of the new column, which is placed as a copy's is
 * sources  n >= 1 scalars and vectors, all with items of one type; one may be there several times.
 *          `name` is what SlotNames call it; empty or dv_text_of(NULL): as it is called
 *
 * type     V<item,N>, N being all slots; V<item,*> when one of the sources varies.  One vector
 *          alone stays as it is, with its type and all metadata, and is lent
 *
 * values   sparse where at most half of the slots have an item, rounded down; else dense
 *
 * schema   SlotNames, if a source is a scalar or has them: the name of a scalar, NAME.SLOT of a
 *          slot with a name, nothing of others.  CategoricalSlotRanges, each moved to where its
 *          source went.  IsNormalized, if all sources are, and are numbers
 *
 * limits   DV_ERR_LIMIT from a cursor: text of a batch over 2^31-1 bytes (batch_rows)
 *
 * DV_ERR_ARGUMENT  also: n < 1; other items; more than 2^31-1 slots.  If only a row shows that, a
 *                  cursor returns it in place of the batch with that row */
DV_API dv_status dv_view_combine(dv_view **view_out, dv_view *source, dv_text name,
                                 const dv_column_spec *sources, int32_t n,
                                 const dv_allocator *allocator, dv_error *err);

/* A column that is made of nothing: R4 from 0 up to, but without, 1; or I8. */
typedef struct dv_generated {
    dv_text name;
    uint32_t seed; /* of ML.NET's generator: row k has its draw k (semantics:5.7) */
    bool counts;   /* instead, the number of the row: 0, 1, 2, ... */
} dv_generated;

#define DV_GENERATED_SEED 42 /* when nothing else is told */

/* All columns, and some that are generated (semantics:7.16), which are placed as copies are.
 * Random ones are normalized.  The view cannot be shuffled.  To begin at row k costs k draws. */
DV_API dv_status dv_view_generate(dv_view **view_out, dv_view *source, const dv_generated *specs,
                                  int32_t n, const dv_allocator *allocator, dv_error *err);

/* A column that shall be converted. */
typedef struct dv_conversion_spec {
    dv_text source; /* its name, which means the last column of that name */
    dv_text name;   /* of the new column; dv_text_of(NULL): the same, so that it hides its source */
    dv_type type;   /* of the new column's values or, if the source is a vector, of its items; or a
                       vector with the dims of the source */
} dv_conversion_spec;

/* A view with columns of other types, made from those of the source view (semantics:4,
 * semantics:7.1).
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
 * schema     a column whose name the source view has goes right after the last one of that name,
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
