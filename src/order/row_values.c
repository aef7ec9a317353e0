/* SPDX-License-Identifier: MIT */
/* row_values.c: which rows have the same value of a column. */
#include "order/row_values.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "view/column.h"
#include "scan/cursor.h"
#include <dataview/digest.h>
#include <string.h>

/* --- The hashes ------------------------------------------------------------------------------- */

static uint64_t hash_of(const dv_value *value, uint64_t seed)
{
    char own[DVI_VALUE_BYTES];
    if (dv_value_is_na(value)) /* unlike any value */
        return dv_digest_8("NA", 2, ~seed);
    const dv_text bytes = dvi_value_bytes(value, own);
    return dv_digest_8(bytes.nbytes > 0 ? bytes.data : "", (size_t)bytes.nbytes, seed);
}

static dv_status refuse_rows(int64_t n, dv_error *err)
{
    return dvi_fail_argument(err, "n is %lld, but the cursor delivers another number of rows",
                             (long long)n);
}

static dv_status read_hashes(uint64_t *hashes, int64_t n, dv_cursor *cursor, uint64_t seed,
                             dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    int64_t row = 0;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        dv_value value = dv_value_first(dv_batch_column(batch, 0));
        if (batch->rows > n - row)
            return refuse_rows(n, err);
        for (const int64_t end = row + batch->rows; row < end; row++, dv_value_next(&value))
            hashes[row] = hash_of(&value, seed);
    }
    return status == DV_END ? row < n ? refuse_rows(n, err) : DV_OK : status;
}

static dv_status check_column(dv_view *view, int32_t column, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view);
    if (column < 0 || column >= dv_schema_columns(schema))
        return dvi_fail_argument(err, "column %d: the view has %d column%s", (int)column,
                                 (int)dv_schema_columns(schema), DVI_S(dv_schema_columns(schema)));
    const dv_column_info *info = dv_schema_column(schema, column);
    if (dv_type_is_vector(&info->type) || info->type.kind == DV_KIND_EXTENSION)
        return dvi_fail_argument(err, "column \"%.*s\" has no single values to group rows by",
                                 (int)dvi_min_i64(info->name.nbytes, 256), info->name.data);
    return DV_OK;
}

dv_status dvi_row_values_read(uint64_t *hashes_out, int64_t n, dv_view *view, int32_t column,
                              const dv_cursor_options *given, uint64_t seed, dv_error *err)
{
    dv_cursor_options options;
    dv_cursor *cursor;
    DVI_TRY(check_column(view, column, err));
    DVI_TRY(dvi_cursor_read_options(given, &options, err));
    options.columns = &column;
    options.columns_count = 1;
    options.named_count = 0;
    options.ids = false;
    DVI_TRY(dv_cursor_open(&cursor, view, &options, err));
    const dv_status status = read_hashes(hashes_out, n, cursor, seed, err);
    dv_cursor_close(&cursor);
    return status;
}

/* --- The list --------------------------------------------------------------------------------- */

/* `sizes` is scratch of the sort before. */
size_t dvi_row_values_list(uint64_t *distinct, uint64_t *sizes, const uint64_t *hashes, size_t n)
{
    size_t count = 0;
    memcpy(distinct, hashes, n * sizeof *distinct);
    dvi_sort_u64(distinct, sizes, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = distinct[i];
        if (count == 0 || distinct[count - 1] != hash) {
            distinct[count] = hash;
            sizes[count++] = 0;
        }
        sizes[count - 1]++;
    }
    return count;
}

size_t dvi_row_values_find(const uint64_t *distinct, size_t n, uint64_t hash)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hash < distinct[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* --- Lists by number ----------------------------------------------------------------------------
 */

/* The ends are first where the rows of each number begin. */
void dvi_rows_by_number(int64_t *rows, int64_t *ends, int64_t numbers, const uint64_t *number_of,
                        int64_t n)
{
    int64_t before = 0;
    memset(ends, 0, (size_t)numbers * sizeof *ends);
    for (int64_t row = 0; row < n; row++)
        ends[number_of[row]]++;
    for (int64_t i = 0; i < numbers; i++) {
        const int64_t count = ends[i];
        ends[i] = before;
        before += count;
    }
    for (int64_t row = 0; row < n; row++)
        rows[ends[number_of[row]]++] = row;
}

/* --- Classes ---------------------------------------------------------------------------------- */

#define UNSEEN UINT64_MAX

const int64_t *dvi_row_class(const dvi_row_classes *classes, int64_t i, int64_t *count_out)
{
    const int64_t first = i > 0 ? classes->ends[i - 1] : 0;
    *count_out = classes->ends[i] - first;
    return classes->rows + first;
}

/* Replace each hash by its class; `sizes` becomes the number of each.  Returns how many there are.
 */
static int64_t number_rows(uint64_t *hashes, uint64_t *distinct, uint64_t *sizes, size_t n)
{
    const size_t count = dvi_row_values_list(distinct, sizes, hashes, n);
    uint64_t classes = 0;
    for (size_t i = 0; i < count; i++)
        sizes[i] = UNSEEN;
    for (size_t row = 0; row < n; row++) {
        uint64_t *number = &sizes[dvi_row_values_find(distinct, count, hashes[row])];
        if (*number == UNSEEN)
            *number = classes++;
        hashes[row] = *number;
    }
    return (int64_t)classes;
}

static dv_status list_classes(dvi_row_classes *classes, dvi_arena *arena, const uint64_t *class_of,
                              int64_t n, dv_error *err)
{
    void *ends, *rows;
    DVI_TRY(dvi_arena_alloc(arena, &ends, (size_t)classes->n * sizeof(int64_t), err));
    DVI_TRY(dvi_arena_alloc(arena, &rows, (size_t)n * sizeof(int64_t), err));
    dvi_rows_by_number(rows, ends, classes->n, class_of, n);
    classes->ends = ends;
    classes->rows = rows;
    return DV_OK;
}

dv_status dvi_row_classes_read(dvi_row_classes *classes_out, dvi_arena *arena, int64_t n,
                               dv_view *view, int32_t column, const dv_cursor_options *cursor,
                               dv_error *err)
{
    void *made;
    size_t nbytes;
    if (!dvi_size_mul((size_t)n, 3 * sizeof(uint64_t), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(&arena->allocator, &made, nbytes, err));
    uint64_t *hashes = made;
    dv_status status = dvi_row_values_read(hashes, n, view, column, cursor, 0, err);
    if (status == DV_OK) {
        classes_out->n = number_rows(hashes, hashes + n, hashes + 2 * n, (size_t)n);
        status = list_classes(classes_out, arena, hashes, n, err);
    }
    dvi_free(&arena->allocator, made, nbytes);
    return status;
}
