/* SPDX-License-Identifier: MIT */
/* arrow_read.h: makes columns of the arrays of a producer: in place where the layouts agree. */
#ifndef DVI_INTEROP_ARROW_READ_H
#define DVI_INTEROP_ARROW_READ_H

#include "base/owner.h"
#include "view/column.h"
#include "interop/arrow_intake.h"

/* Memory in which a column is made; it is reused. */
enum {
    DVI_ARROW_VALUES, /* values, ticks */
    DVI_ARROW_BYTES,  /* of texts; minutes */
    DVI_ARROW_ENDS,
    DVI_ARROW_VALID, /* a byte for each value */
    DVI_ARROW_RUNS,
    DVI_ARROW_CODES,
    DVI_ARROW_LENGTHS,
    DVI_ARROW_COUNTS,
    DVI_ARROW_INDICES,
    DVI_ARROW_ROWS_VALID,
    DVI_ARROW_ORDERED, /* values of tensors, in the order of their dimensions */
    DVI_ARROW_MEMORIES
};
typedef struct dvi_arrow_memory {
    dvi_memory *part[DVI_ARROW_MEMORIES];
} dvi_arrow_memory;

void dvi_arrow_memory_free(dvi_arrow_memory *memory);

/* Consecutive values of an array; its offset is in `first`. */
typedef struct dvi_arrow_run {
    int64_t first, n;
} dvi_arrow_run;

/* The entries of the dictionary of an array, and the keys that its codes become. */
typedef struct dvi_arrow_entries {
    dv_column_view view;
    const int32_t *keys; /* of each code; NULL: code + 1 */
    int64_t longest;     /* bytes of the longest text */
} dvi_arrow_entries;

/* What a column, or a part of it, is made of. */
typedef struct dvi_arrow_reading {
    const dvi_arrow_column *column;
    const dvi_arrow_scalar *scalar;
    const struct ArrowArray *array;
    dv_owner *owner;                  /* of the memory of the array */
    const dvi_arrow_entries *entries; /* NULL: no dictionary */
    dvi_arrow_memory *memory;
    const dv_allocator *allocator;
    uint32_t allow_loss;
    bool zero_copy_only;
    int64_t row;                     /* of the view: the first one; for messages */
    const dv_vector_layout *vectors; /* NULL: a value is a row */
    int64_t rows;                    /* of vectors */
    const dvi_arrow_run *runs;       /* the values, in order */
    int64_t runs_count, n;
    const uint8_t *valid; /* a byte for each value; NULL: all are */
} dvi_arrow_reading;

/* Make the values a column view. Buffers have owners, but no reference is added. DV_OK;
 * DV_ERR_CORRUPT; DV_ERR_LOSS; DV_ERR_LIMIT; DV_ERR_COPY; DV_ERR_MEMORY. */
dv_status dvi_arrow_read_scalars(dv_column_view *view_out, dvi_arrow_reading *r, dv_error *err);

/* Parts of it, by what the values are made from. */
dv_status dvi_arrow_read_bits(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_numbers(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_decimals(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_keys(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_codes(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_entries(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_times(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);
dv_status dvi_arrow_read_text(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err);

/* Memory of n items for one part. DV_OK; DV_ERR_COPY; DV_ERR_MEMORY. */
dv_status dvi_arrow_reserve(const dvi_arrow_reading *r, int part, int64_t n, size_t width,
                            void **memory_out, dv_error *err);
/* The buffer of that memory; and one of the array's own bytes. */
dv_buffer dvi_arrow_made(const dvi_arrow_reading *r, int part, int64_t n, size_t width);
dv_buffer dvi_arrow_lent(const dvi_arrow_reading *r, const void *data, size_t nbytes, size_t width);

/* Whether all values lie end to end, and none is null. */
bool dvi_arrow_is_whole(const dvi_arrow_reading *r);
/* The first value, of `width` bytes. */
const uint8_t *dvi_arrow_first(const dvi_arrow_reading *r, int buffer, size_t width);

/* DV_ERR_LOSS or DV_ERR_CORRUPT at value i, with its row. */
dv_status dvi_arrow_fail_at(const dvi_arrow_reading *r, dv_status status, int64_t i,
                            const char *expected, const char *found, dv_error *err);
/* The same for a null that has no place in the type, with the type that has. */
dv_status dvi_arrow_fail_null(const dvi_arrow_reading *r, int64_t i, const char *found,
                              dv_error *err);

/* NaN in a column of reals that has nulls: both would be NA. Of `values` those that are not null
 * are looked at; the second function is for a value that is NaN. DV_OK; DV_ERR_LOSS. */
dv_status dvi_arrow_check_nan(const dvi_arrow_reading *r, const void *values, dv_error *err);
dv_status dvi_arrow_saw_nan(const dvi_arrow_reading *r, int64_t i, dv_error *err);

/* As in base/error.h: the static analyzer sees that these never return DV_OK. */
#if defined(__clang_analyzer__) && !defined(DVI_ARROW_READ_C)
#define dvi_arrow_fail_at(r, status, ...) (dvi_arrow_fail_at(r, status, __VA_ARGS__), (status))
#define dvi_arrow_fail_null(...) (dvi_arrow_fail_null(__VA_ARGS__), DV_ERR_LOSS)
#endif

#endif
