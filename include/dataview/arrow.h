/* SPDX-License-Identifier: MIT */
/* arrow.h: hands out views and batches as Arrow arrays, which pyarrow, polars, DuckDB, pandas and
 * many others take as they are; and makes views of the arrays that they hand out.  docs/arrow.md
 * says which types become which, and which bytes are lent and which are made.
 *
 * The structs are those of the Arrow C data and stream interfaces.  They are declared here unless
 * another header has declared them before. */
#ifndef DATAVIEW_ARROW_H
#define DATAVIEW_ARROW_H

#include <dataview/batch.h>
#include <dataview/cursor.h>
#include <dataview/schema.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset;
    int64_t n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* What becomes of NA in integers, keys, BL, times and text. */
typedef enum dv_arrow_na {
    DV_ARROW_NA_NULL, /* null; a bitmap is made where one is met */
    DV_ARROW_NA_KEEP  /* the stored value; nothing is looked at */
} dv_arrow_na;

/* What becomes of keys. */
typedef enum dv_arrow_keys {
    DV_ARROW_KEYS_CLASSES, /* dictionaries, if the column has KeyValues; else class numbers from 0
                            */
    DV_ARROW_KEYS_MEANT,   /* dictionaries; else the numbers that are meant, which start at Min */
    DV_ARROW_KEYS_STORED   /* the numbers as they are stored, 0 is NA */
} dv_arrow_keys;

/* What becomes of TS, DT and DZ. */
typedef enum dv_arrow_times {
    DV_ARROW_TIMES_US,    /* microseconds; a finer part is floored */
    DV_ARROW_TIMES_EXACT, /* microseconds; a finer part is DV_ERR_LOSS */
    DV_ARROW_TIMES_NS,    /* nanoseconds; what does not fit in 64 bits is DV_ERR_LOSS */
    DV_ARROW_TIMES_TICKS  /* int64, in ticks of 100 ns, in place; of DZ, those of UTC */
} dv_arrow_times;

/* What becomes of vectors. */
typedef enum dv_arrow_vectors {
    DV_ARROW_VECTORS_BY_SIZE, /* SPARSE, if they have rank 1 and more than dense_slots slots */
    DV_ARROW_VECTORS_DENSE,   /* fixed_size_list; list, if sizes vary */
    DV_ARROW_VECTORS_SPARSE   /* list of struct<index: int32, value> with the stored items; vectors
                                 whose sizes vary stay dense */
} dv_arrow_vectors;

/* Start from DV_ARROW_OPTIONS_INIT. */
typedef struct dv_arrow_options {
    size_t size; /* of this struct: set by the INIT */

    const dv_cursor_options *cursor; /* of a view: columns, rows, threads; NULL: the defaults.  Of
                                        their batch_rows 0 means: blocks of fewer than 1,024 rows
                                        are gathered into batches of 65,536 */
    dv_arrow_na na;
    dv_arrow_keys keys;
    dv_arrow_times times;
    dv_arrow_vectors vectors;
    int32_t dense_slots; /* for DV_ARROW_VECTORS_BY_SIZE */
    bool offsets;        /* of DZ, its minutes too: struct<timestamp, offset_minutes: int16> */
    bool nan_is_null;    /* of R4 and R8; else NaN stays NaN, and nothing is looked at */
    int64_t made_nbytes; /* a batch for which more than this must be made is cut; a row is not, but
                            it is DV_ERR_LIMIT if sparse vectors take more when dense, and more than
                            64 MiB */

    const dv_arrow_vectors *column_vectors; /* of each active column, instead of `vectors`; NULL:
                                               `vectors` for all */
    bool extensions;         /* mark vectors of fixed size as arrow.fixed_shape_tensor, and DZ with
                                `offsets` as arrow.timestamp_with_offset */
    int64_t metadata_nbytes; /* metadata whose text is longer is left out, and listed as such.  0:
                                all of it; for dv_batch_export_arrow, which else reads it each time
                              */
    int64_t *floored; /* the times that DV_ARROW_TIMES_US floored are added, while batches are made;
                         the caller's, which outlives the stream.  NULL: they are not counted */
    dv_error *failed; /* dv_view_export_arrow: receives the error of get_schema or get_next
                         whenever one fails, since callers of other libraries see only its
                         message.  It must outlive the stream.  NULL: nothing receives it */
} dv_arrow_options;

#define DV_ARROW_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_arrow_options), NULL, DV_ARROW_NA_NULL, DV_ARROW_KEYS_CLASSES,                   \
            DV_ARROW_TIMES_US, DV_ARROW_VECTORS_BY_SIZE, 8192, false, false, INT64_C(64) << 20,    \
            NULL, false, INT64_C(1) << 20, NULL, NULL                                              \
    }

/* Hand out the rows of a view as a stream of struct arrays, a field for each active column.  No row
 * is read before get_next.
 *
 * stream_out  the caller calls its release.  It holds the view, and each array holds what it points
 *             into: either may outlive the other, and be released in any thread.  One thread at a
 *             time may call get_schema, get_next and get_last_error
 * options     NULL: the defaults.  Not kept
 *
 * get_next returns ENOMEM for DV_ERR_MEMORY, EIO for DV_ERR_IO, ENOTSUP for DV_ERR_UNSUPPORTED,
 * ECANCELED for DV_ERR_STOPPED, else EINVAL; get_last_error then returns the message.  Every error
 * is final.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  options of unknown size, or outside their range
 * DV_ERR_MEMORY
 * DV_ERR_*         what dv_cursor_open and dv_schema_metadata_value return
 *
 * After a failure stream_out->release is NULL. */
DV_API dv_status dv_view_export_arrow(dv_view *view, struct ArrowArrayStream *stream_out,
                                      const dv_arrow_options *options, dv_error *err);

/* The schema of that stream: a struct with a field for each active column.  Its metadata has
 * `dataview.mapping`, "1".  That of the fields (docs/arrow.md):
 *
 *   dataview.type       the type in the notation of semantics:1
 *   dataview.meta.KIND  metadata of the column, {"type":"R4","value":"r4:3f800000"}: its type and
 *                       its exact form (value.h).  KeyValues are the dictionary instead
 *   dataview.left_out   the kinds that are damaged, or longer than metadata_nbytes: ["SlotNames"]
 *   dataview.values     the type of the KeyValues, if they are the dictionary
 *   dataview.keys       "meant" or "stored", unless class numbers
 *   dataview.name       the name, if it holds NUL, where the field's own name ends
 *   dataview.hidden     "1", if a later column hides the field by having the same name
 *
 * Statuses as above. */
DV_API dv_status dv_view_export_arrow_schema(dv_view *view, struct ArrowSchema *schema_out,
                                             const dv_arrow_options *options, dv_error *err);

/* Hand out column k of a batch as an array with its schema; k -1: all columns, as a struct array.
 *
 * batch    of a cursor on the view with the schema, whose active columns were options->cursor's
 *          (NULL: all that are not hidden).  The array retains it
 * options  NULL: the defaults; of `cursor`, the columns apply.  The batch is not cut
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; columns that are not those of the batch
 * DV_ERR_LOSS      a time that does not fit (options->times); a key that means a number above
 *                  2^64-1
 * DV_ERR_LIMIT     more than 2^31-1 items of a list; sparse vectors that are too large when dense
 * DV_ERR_MEMORY
 * DV_ERR_*         what dv_schema_metadata_value returns
 *
 * After a failure nothing needs to be released. */
DV_API dv_status dv_batch_export_arrow(const dv_batch *batch, const dv_schema *schema, int32_t k,
                                       struct ArrowSchema *schema_out, struct ArrowArray *array_out,
                                       const dv_arrow_options *options, dv_error *err);

/* --- Import ----------------------------------------------------------------------------------- */

/* Start from DV_ARROW_IMPORT_OPTIONS_INIT. */
typedef struct dv_arrow_import_options {
    size_t size; /* of this struct: set by the INIT */

    const dv_allocator *allocator; /* NULL: malloc */
    bool hold;                     /* take all batches of the stream now; they are not copied */
    bool flatten;      /* take structs apart, as columns "a.b"; a null struct gives NA in each */
    const char *types; /* columns that shall have another type: "Age:I8 Label:U4[0-9]"; a name with
                          blanks is in braces: "{my column:R4}".  NULL: none */
    uint32_t allow_loss; /* DV_LOSS_NA: a null in a type without NA becomes 0 or empty, a null
                            vector an empty one, and a value that stands for NA becomes NA, as does
                            NaN in a column with nulls.
                            DV_LOSS_PRECISION: numbers are rounded, and times floored to ticks */
} dv_arrow_import_options;

#define DV_ARROW_IMPORT_OPTIONS_INIT                                                               \
    {                                                                                              \
        sizeof(dv_arrow_import_options), NULL, false, false, NULL, 0                               \
    }

/* Make a view of what a stream delivers, which is then used like any other.  Any thread.
 *
 * stream   of structs, whose children become columns; or of anything else, which becomes a column
 *          of its name, or "value".  Taken: its release is NULL after DV_OK, and the view calls it.
 *          After a failure it is still the caller's, and batches of it may have been read
 * options  NULL: the defaults.  Not kept
 *
 * rows       with hold: known, reached by number, any number of cursors.  Else unknown, and they
 *            come once, like a pipe's: get_next is called by the only cursor
 * batches    at most 65,536 rows.  They point into the producer's arrays where the layouts agree,
 *            else what is converted is a copy.  An array is released with the last batch that
 *            points into it, in the thread that drops it
 * shuffles   with hold
 *
 * names      differ: a second field of a name is refused, unless dataview.hidden says that the
 *            first one is hidden
 * decimals   become I8 if no digits are after the point, else R8, or a kind of number that `types`
 *            says: where the value is exact, or the real has the decimal's digits when it is
 *            written with as many
 * reals      a column has nulls or NaN, both of which become NA
 * tensors    (arrow.fixed_shape_tensor) have the logical order of their dimensions: `permutation`
 *            is applied, unless it is not its own inverse: producers disagree on those, which are
 *            DV_ERR_UNSUPPORTED.  `dim_names` become metadata of the column, DimNames
 * extension  types that are not known are taken as their storage if that is text or bytes, or by
 *            `types`; else they are refused
 *
 * Everything that can contradict itself is checked before it is used: formats, lengths, offsets,
 * null counts, missing buffers, indices, UTF-8.  The sizes of buffers are not part of Arrow's
 * structs, so pointers are taken on trust.  Values are checked when a cursor reads them.
 *
 * DV_OK
 * DV_ERR_ARGUMENT     options of unknown size or value; in `types` no such column, or a type that
 *                     the column cannot have; a stream that is released
 * DV_ERR_UNSUPPORTED  a type of Arrow that has no place here; the message says what to do.  A field
 *                     without a name; a second one of the same name; an unknown extension type
 * DV_ERR_CORRUPT      a schema or an array that violates Arrow's format
 * DV_ERR_LOSS         a null in a dictionary of a type without NA
 * DV_ERR_LIMIT        a dictionary with more than 2^31-1 bytes of text
 * DV_ERR_MEMORY, and what the producer reports: DV_ERR_IO (err->os_code is its number),
 * DV_ERR_UNSUPPORTED, DV_ERR_STOPPED, with its own message
 *
 * dv_cursor_next returns the same, and names column and row:
 *
 * DV_ERR_LOSS         a null, a number, a time or a text that the type cannot hold; the message
 *                     names a type that can.  A null vector.  NaN in a column with nulls
 * DV_ERR_ARGUMENT     from dv_cursor_open: a second cursor on a stream without hold
 *
 * After a failure *view_out is NULL. */
DV_API dv_status dv_view_import_arrow(dv_view **view_out, struct ArrowArrayStream *stream,
                                      const dv_arrow_import_options *options, dv_error *err);

/* The same of one array with its schema, held.  Both are taken: release is NULL after DV_OK.  After
 * a failure what has a release is still the caller's. */
DV_API dv_status dv_view_import_arrow_array(dv_view **view_out, struct ArrowSchema *schema,
                                            struct ArrowArray *array,
                                            const dv_arrow_import_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
