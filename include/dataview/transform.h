/* SPDX-License-Identifier: MIT */
/* transform.h: makes views from other views: their columns, rows and order.
 *
 * Making a view reads no row, except dv_view_materialize.  A view holds references to its sources,
 * and may be used by any thread, as every view (view.h).  Rows keep the contract of semantics:5;
 * the transforms of ML.NET that the functions implement are in semantics:7.  docs/views.md compares
 * them. */
#ifndef DATAVIEW_TRANSFORM_H
#define DATAVIEW_TRANSFORM_H

#include <dataview/buffer.h>
#include <dataview/cursor.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make one view of n views: all rows of the first, then all of the second, and so on (ML.NET:
 * AppendRows).
 *
 * views      n >= 1; each is retained
 * allocator  NULL: malloc
 *
 * schema     that of the first view, with its metadata.  The others must have the same columns:
 *            names, order and types, hidden ones included.  Their metadata are ignored
 * rows       the sum; unknown if that of a view is unknown
 * ids        dv_rowid_combine(id of the row, {index of its view, 0})  (semantics:5.4)
 * batches    those of the views, not copied; none has rows of two views, unless batch_rows is set.
 *            Only views with requested rows are read, one after the other, each by a cursor that is
 *            opened when its turn comes.  To skip rows of a view that does not know their number,
 *            its rows up to the first requested one are read once more, without columns
 * errors     as the view returns them, after the rows before; "view 1" precedes the message if no
 *            file is named
 * facts      added up; verification checks one view after the other
 *
 * With n = 1, *view_out is that view itself, with its own ids.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 1; more than 2^63-1 rows; a view differs from the first: err names view and
 *                  column, and has what was expected and found
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_concat(dv_view **view_out, dv_view *const *views, int32_t n,
                                const dv_allocator *allocator, dv_error *err);

/* Make a view of rows by number, in any order: row i of the new view is row rows[i] of the source.
 *
 * source     retained
 * rows       n >= 0 row numbers, which are copied; a number may be given more than once
 * allocator  NULL: malloc
 *
 * schema     that of the source, with its metadata
 * ids        those of the source's rows  (semantics:5.4)
 * batches    copies; opening a cursor with zero_copy_only fails with DV_ERR_COPY.  Each row is
 *            copied once, from the mapped file or from memory of the source.  Decoded blocks are
 *            kept up to 64 MiB by the cursor, and by the source, for the next take, within its
 *            block_cache_nbytes (open.h, docs/caching.md); samples of datadings and rows of a
 *            BTable are decoded one by one
 * errors     as the source returns them, after the rows before; a row after the end of a source
 *            that does not know its number of rows is DV_ERR_CORRUPT
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 0; a row that the source does not have, as far as it knows its rows
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_take(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                              const dv_allocator *allocator, dv_error *err);

/* Make a view of all rows but those with these numbers.
 *
 * source     retained.  If it does not know its number of rows, it is read once, without columns,
 *            to count them
 * rows       n >= 0 row numbers in any order, which are copied; a number may be given more than
 *            once
 * allocator  NULL: malloc.  Keeps 8 bytes for each row that is left out
 *
 * Everything else as for dv_view_take.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 0; a row that the source does not have
 * DV_ERR_MEMORY
 * DV_ERR_*         what the source returns while its rows are counted
 */
DV_API dv_status dv_view_exclude(dv_view **view_out, dv_view *source, const int64_t *rows,
                                 int64_t n, const dv_allocator *allocator, dv_error *err);

/* Start from DV_MATERIALIZE_OPTIONS_INIT.
 *
 * cursor    columns, rows, threads and token, as for dv_cursor_open; the rest is ignored.  NULL:
 *           DV_CURSOR_OPTIONS_INIT
 * progress  of the rows that are copied
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

/* Copy rows of a view into memory, in this call (ML.NET: Cache).  Rows of the new view can be read
 * by number at no extra cost; so it suits dv_view_take of a source with blocks to decode or lines
 * to find.  dv_view_cache (cache.h) copies rows on demand.
 *
 * source     retained; the selected rows are read by this call, and never again
 * options    NULL: DV_MATERIALIZE_OPTIONS_INIT
 * allocator  NULL: malloc.  Takes as much memory as the values, and less than a kilobyte per column
 *            for each MiB of them
 *
 * schema     the selected columns, in that order, with their metadata
 * rows       known.  ids: row numbers of this view
 * batches    point into that memory, without a copy; opening a cursor with zero_copy_only fails
 *            with DV_ERR_COPY
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dv_cursor_open; options of unknown size
 * DV_ERR_STOPPED   `progress` returned false: there is no view
 * DV_ERR_MEMORY
 * DV_ERR_*         what the cursor of the source returns
 */
DV_API dv_status dv_view_materialize(dv_view **view_out, dv_view *source,
                                     const dv_materialize_options *options,
                                     const dv_allocator *allocator, dv_error *err);

/* --- Columns ----------------------------------------------------------------------------------
 *
 * Views with the rows, ids and batches of their source.  Only the columns of the source that active
 * columns need are read.  Columns that are not computed are lent, not copied.  Facts and
 * verification are those of the source; new columns have no facts.  Unless stated otherwise:
 *
 * source     retained
 * names      mean the last column of that name.  Names and specs are copied
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 0; no such column; a new name that is empty, not UTF-8, or given twice
 * DV_ERR_MEMORY
 */

/* A column, and the name of its copy. */
typedef struct dv_column_spec {
    dv_text source; /* name of the column */
    dv_text name;   /* new name; dv_text_of(NULL): the same */
} dv_column_spec;

/* What dv_view_select does with columns that a selected one hides.  They are kept once, where that
 * column is selected first. */
typedef enum dv_hidden {
    DV_HIDDEN_DROP = 1,
    DV_HIDDEN_KEEP = 2,  /* before the column that hides them, under its new name */
    DV_HIDDEN_RENAME = 3 /* the same, under the names temp_NAME_000, temp_NAME_001, ... */
} dv_hidden;

/* Make a view of these columns only, in this order (semantics:7.15, Choose; ML.NET:
 * SelectColumns). */
DV_API dv_status dv_view_select(dv_view **view_out, dv_view *source, const dv_column_spec *specs,
                                int32_t n, dv_hidden hidden, const dv_allocator *allocator,
                                dv_error *err);

/* Make a view of all columns with these names, hidden ones included (ML.NET: SelectColumns); or of
 * all other columns (DropColumns).  They stay in the order of the source.  A name may be given
 * twice. */
DV_API dv_status dv_view_keep(dv_view **view_out, dv_view *source, const dv_text *names, int32_t n,
                              const dv_allocator *allocator, dv_error *err);
DV_API dv_status dv_view_drop(dv_view **view_out, dv_view *source, const dv_text *names, int32_t n,
                              const dv_allocator *allocator, dv_error *err);

/* Make a view of all columns, and of copies of some, with their metadata (ML.NET: CopyColumns).  A
 * copy comes right after the last column of the same name, which it hides, or at the end, in the
 * order of specs, if there is none.  A copy without a new name hides its source. */
DV_API dv_status dv_view_copy(dv_view **view_out, dv_view *source, const dv_column_spec *specs,
                              int32_t n, const dv_allocator *allocator, dv_error *err);

/* --- Rows ------------------------------------------------------------------------------------- */

/* Make a view of a run of rows: skip the first `skip`, then take at most `take`; -1: all
 * (semantics:7.14, SkipTake; ML.NET: SkipRows, TakeRows).
 *
 * Schema, ids, batches and facts are those of the source, of which no row before the run is read
 * unless dv_view_block_rows is 0.  The view cannot be shuffled.  Source, allocator and statuses as
 * above; DV_ERR_ARGUMENT: skip < 0, take < -1. */
DV_API dv_status dv_view_slice(dv_view **view_out, dv_view *source, int64_t skip, int64_t take,
                               const dv_allocator *allocator, dv_error *err);

/* --- Rows that pass a test --------------------------------------------------------------------
 *
 * Views of the rows of a source that pass a test, in their order.
 *
 * source     retained
 * allocator  NULL: malloc
 *
 * schema     that of the source
 * rows       unknown
 * ids        those of the source's rows
 * batches    those of the source: lent if every row passes, else copies of the rows that pass;
 *            opening a cursor with zero_copy_only fails with DV_ERR_COPY.  Active columns and
 *            tested ones are read, from the first row of the source on
 * facts      those of the source, verification included
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 0; no such column; a column that cannot be tested; and as stated below
 * DV_ERR_MEMORY
 */

/* Relations of a value to another one; NA has none of them. */
enum {
    DV_IS_LESS = 1,
    DV_IS_EQUAL = 2,
    DV_IS_GREATER = 4,
    DV_IS_NA = 8,
    DV_IS_VALUE = DV_IS_LESS | DV_IS_EQUAL | DV_IS_GREATER
};

/* A condition: the value of `column` has one of `relations` to `value`.
 *
 * relations  members of the enum above, combined with |
 * value      text that is converted as dv_value_parse does (semantics:4.3); ignored if `relations`
 *            has all of less, equal and greater, or none
 *
 * The order is that of semantics:1.1: text by UTF-16 code units, false before true, DZ by UTC, keys
 * by the values that they stand for.  BY, extensions and vectors can only be tested for NA.  A
 * vector is NA if one of its items is; a vector of keys also if a slot has no item. */
typedef struct dv_condition {
    dv_text column;
    unsigned relations;
    dv_text value;
} dv_condition;

/* Make a view of the rows for which all conditions are true.  DV_ERR_ARGUMENT also: a text that is
 * not a value of the type, or is NA; no relation, or an unknown one. */
DV_API dv_status dv_view_filter(dv_view **view_out, dv_view *source, const dv_condition *conditions,
                                int32_t n, const dv_allocator *allocator, dv_error *err);

/* Make a view of the rows in which none of these columns is NA; with complement, of those in which
 * at least one is (semantics:7.13, NAFilter; ML.NET: FilterRowsByMissingValues). */
DV_API dv_status dv_view_filter_na(dv_view **view_out, dv_view *source, const dv_text *columns,
                                   int32_t n, bool complement, const dv_allocator *allocator,
                                   dv_error *err);

/* Whether an end of a range belongs to it.  By default min does; max does if it is not given or,
 * for keys, if it is 1. */
typedef enum dv_inclusion {
    DV_INCLUDED_BY_DEFAULT = 0,
    DV_INCLUDED = 1,
    DV_EXCLUDED = 2
} dv_inclusion;

/* A range of numbers.  Start from {0}.  For a key with n values, value k counts as (k - 0.5) / n; a
 * min below 0 or a max above 1 is then ignored. */
typedef struct dv_range {
    bool has_min, has_max; /* at least one */
    double min, max;
    dv_inclusion include_min, include_max;
    bool complement; /* the values outside the range; NA is in neither */
} dv_range;

/* Make a view of the rows in which a column is in the range (semantics:7.14, RangeFilter; ML.NET:
 * FilterRowsByColumn): R4, R8, or a key with a count.  DV_ERR_ARGUMENT also: neither min nor max,
 * or one that is NaN. */
DV_API dv_status dv_view_filter_range(dv_view **view_out, dv_view *source, dv_text column,
                                      const dv_range *range, const dv_allocator *allocator,
                                      dv_error *err);

/* Make a view with a random number of copies of each row, 1 on average (semantics:7.17, Bootstrap,
 * in the order of the source and without a pool; ML.NET: BootstrapSample).
 *
 * seed        of ML.NET's generator: a Poisson draw of mean 1 for each row, in their order
 * complement  instead, each row once whose draw is 0
 *
 * ids      dv_rowid_combine(id of the row, {number of its copies that follow, 0})
 * batches  copies; opening a cursor with zero_copy_only fails with DV_ERR_COPY.  If the source
 *          knows its number of rows, rows before the first requested one are not read
 * limits   DV_ERR_LIMIT from a cursor: the text of a batch exceeds 2^31-1 bytes; reduce batch_rows
 *
 * Everything else as for tests above.  DV_OK; DV_ERR_MEMORY. */
DV_API dv_status dv_view_bootstrap(dv_view **view_out, dv_view *source, uint32_t seed,
                                   bool complement, const dv_allocator *allocator, dv_error *err);

/* --- Several views ---------------------------------------------------------------------------- */

/* Make a view of the columns of several views, side by side: those of view 0, then those of view 1,
 * and so on (ML.NET: Zip).
 *
 * views      n >= 1; each is retained
 * allocator  NULL: malloc
 *
 * schema     columns of later views hide those of the same name in earlier ones
 * rows       the least of the numbers of rows; unknown if one of them is
 * ids        the number of the row: {row, 0}  (semantics:5.4)
 * batches    lent; each ends where a batch of one of the views ends.  Only views with active
 *            columns are read, and those that do not know their number of rows.  The view cannot be
 *            shuffled
 * errors     as a view returns them, after the rows before; "view 1" precedes the message if no
 *            file is named
 * facts      none; verification checks one view after the other
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 1; more than 2^31-1 columns
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_zip(dv_view **view_out, dv_view *const *views, int32_t n,
                             const dv_allocator *allocator, dv_error *err);

/* Make a view of all columns, and of a new one that joins the values of several columns into a
 * vector (semantics:7.15, Concat; ML.NET: Concatenate).
 *
 * name     of the new column, which is positioned like a copy (dv_view_copy)
 * sources  n >= 1 scalars and vectors with items of the same type, or of numbers, which become R4
 * if none is I4, I8, U4, U8 or R8, else R8; a column may be given more than once.  `name` is its
 * name in SlotNames; empty or dv_text_of(NULL): the column's own name
 *
 * type     V<item,N>, where N is the number of all slots, or V<item,*> if a source varies in size.
 *          A single vector keeps its type and all metadata, and is lent
 * values   sparse if at most half of the slots, rounded down, have an item; else dense
 * schema   SlotNames, if a source is a scalar or has them: the name of a scalar, NAME.SLOT for a
 *          slot with a name, empty for other slots.  CategoricalSlotRanges, each shifted to the
 *          slots of its source.  IsNormalized, if all sources are normalized and are numbers
 * limits   DV_ERR_LIMIT from a cursor: the text of a batch exceeds 2^31-1 bytes; reduce batch_rows
 *
 * Everything else as for columns above.  DV_ERR_ARGUMENT also: n < 1; items of different types that
 * are not all numbers; more than 2^31-1 slots.  If this depends on a row, a cursor returns the
 * error in place of the batch with that row. */
DV_API dv_status dv_view_combine(dv_view **view_out, dv_view *source, dv_text name,
                                 const dv_column_spec *sources, int32_t n,
                                 const dv_allocator *allocator, dv_error *err);

/* A generated column: random R4 of at least 0 and less than 1, or row numbers as I8. */
typedef struct dv_generated {
    dv_text name;
    uint32_t seed; /* of ML.NET's generator: row k has draw k (semantics:5.7) */
    bool counts;   /* instead, the number of the row: 0, 1, 2, ... */
} dv_generated;

#define DV_GENERATED_SEED 42 /* ML.NET's default */

/* Make a view of all columns, and of generated ones (semantics:7.16, GenerateNumber), which are
 * positioned like copies (dv_view_copy).  Random columns have IsNormalized.  The view cannot be
 * shuffled.  Starting at row k costs k draws.  Everything else as for columns above. */
DV_API dv_status dv_view_generate(dv_view **view_out, dv_view *source, const dv_generated *specs,
                                  int32_t n, const dv_allocator *allocator, dv_error *err);

/* A conversion of a column. */
typedef struct dv_conversion_spec {
    dv_text source; /* name of the column: the last one of that name */
    dv_text name;   /* of the new column; dv_text_of(NULL): the same, so that it hides its source */
    dv_type type;   /* of the new column's values or, if the source is a vector, of its items; or a
                       vector with the dims of the source */
} dv_conversion_spec;

/* Make a view of all columns, and of new ones that convert columns to other types (semantics:4,
 * semantics:7.1; ML.NET: ConvertType).
 *
 * source     retained
 * specs      n >= 0, all with different names of new columns; with n = 0, *view_out is the source.
 *            Copied, with the dims of their types
 * allocator  NULL: malloc
 *
 * From        to
 * I*          I*, R4, R8, BL (true unless 0), TX
 * U*          U*, UG, R4, R8, BL (true unless 0), TX
 * R4, R8      R4, R8, BL (NaN is true), TX
 * UG          U*, TX
 * BL          I*, R4, R8 (false is 0), TX
 * TX          every type but BY; a key
 * TS, DT, DZ  I8, R4, R8 (ticks; of DZ those of UTC), TX
 * a key       a key of the same values, U1 to U8; a type U1 to U8 that is not a key means that key
 * any         itself
 *
 * dates      1/2/2003 is 2 January (semantics:4.3): dv_view_convert_dates has other orders
 * values     NA becomes NA, or the default if the new type has none.  So does a value that is not a
 *            value of the new type or does not fit it, which is not an error.  Reals are rounded to
 *            nearest.  As text, R4 has 7 digits and R8 has 17; others are NaN, True, False, and NA
 * vectors    are converted item by item, and stay dense or sparse; but text has all slots, because
 *            0 is not the empty text
 * schema     a new column comes right after the last column of the same name, which it hides, or at
 *            the end, in the order of specs, if there is none.  All other columns stay.  A new
 *            column has the SlotNames of its source (vectors of known size), KeyValues (key to key,
 *            with a count) and IsNormalized (number to number); a number from a scalar BL has
 *            IsNormalized.  Metadata are read on demand
 * batches    those of the source, with its rows and ids; only active columns are read and
 *            converted.  If the bits are the same, the source's memory is lent; otherwise opening a
 *            cursor with zero_copy_only fails with DV_ERR_COPY
 * limits     DV_ERR_LIMIT from a cursor: the text of a batch exceeds 2^31-1 bytes, or that of
 *            vectors 1 GiB; reduce batch_rows
 * facts      those of the source; new columns have none.  Verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; no such conversion (err lists the possible ones); other dims;
 *                  not a type; a name that is empty, not UTF-8, or given twice
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_convert(dv_view **view_out, dv_view *source,
                                 const dv_conversion_spec *specs, int32_t n,
                                 const dv_allocator *allocator, dv_error *err);

/* The same, of texts that become DT or DZ and are dates in a known order or format (semantics:6.8).
 *
 * date       as option date= of text files has it (docs/formats/text.md): "dmy", "mdy", "ymd", or a
 *            format such as "%d/%m/%Y %H:%M".  Copied.  Empty: what that option gave or detection
 *            found for the text file; columns that do not become dates are converted, too
 * values     A text that is not such a date becomes NA, and so does one that may be two days
 * errors     DV_ERR_ARGUMENT also if date is invalid, or given for a column that does not hold
 * texts or does not become DT or DZ */
DV_API dv_status dv_view_convert_dates(dv_view **view_out, dv_view *source,
                                       const dv_conversion_spec *specs, int32_t n, dv_text date,
                                       const dv_allocator *allocator, dv_error *err);

/* As dv_view_convert, but nothing is lost silently, or made up.  A text that is not a value of
 * the new type, and a number that does not fit, are failures; so is NA where the new type has none
 * (U1 to U8, UG). In a type with NA the empty text becomes NA, not 0 as in ML.NET; as an item of a
 * vector, where sparse rows leave it out, and in a type without NA it is 0.
 *
 * dates      Texts from a text file are dates in the order that its option date= gives or that
 *            detection found; without one, a text that may be two days, as 1/2/2003, is a failure
 * errors     DV_ERR_LOSS from a cursor: the message names column and value */
DV_API dv_status dv_view_convert_strict(dv_view **view_out, dv_view *source,
                                        const dv_conversion_spec *specs, int32_t n,
                                        const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
