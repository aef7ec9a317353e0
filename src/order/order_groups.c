/* SPDX-License-Identifier: MIT */
/* order_groups.c: divides rows among parts, with all rows of a value in one part (order.h).
 *
 * A value is known by its hash, which the seed changes.  Two values with one hash share a part,
 * which breaks no promise, so values are not kept. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "view/column.h"
#include "view/view.h"
#include "scan/cursor.h"
#include <dataview/digest.h>
#include <dataview/order.h>
#include <string.h>

#define PLACED (UINT64_C(1) << 63) /* with the number of its part, in place of a size */

__extension__ typedef __int128 i128;

typedef struct grouping {
    int64_t *counts, n;
    const int64_t *shares;
    int64_t whole; /* the sum of the shares */
    int32_t parts, empty;
    uint64_t seed;
    uint64_t *of_row; /* the hash of each row */
    uint64_t *group;  /* the hashes that differ, in order */
    uint64_t *size;   /* the rows of each group, later its part */
    size_t groups;
} grouping;

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

static dv_status read_hashes(grouping *g, dv_view *view, const dv_cursor_options *options,
                             dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t row = 0;
    DVI_TRY(dv_cursor_open(&cursor, view, options, err));
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        dv_value value = dv_value_first(dv_batch_column(batch, 0));
        if (batch->rows > g->n - row) {
            status = refuse_rows(g->n, err);
            break;
        }
        for (const int64_t end = row + batch->rows; row < end; row++, dv_value_next(&value))
            g->of_row[row] = hash_of(&value, g->seed);
    }
    dv_cursor_close(&cursor);
    if (status == DV_END)
        status = row < g->n ? refuse_rows(g->n, err) : DV_OK;
    return status;
}

/* --- The parts -------------------------------------------------------------------------------- */

/* The part that lacks most rows of its share; of equal ones the first.  If there are only as many
 * groups left as parts without rows, one of these. */
static int32_t choose_part(const grouping *g, size_t left)
{
    int32_t best = -1;
    i128 most = 0;
    for (int32_t i = 0; i < g->parts; i++) {
        const i128 lacks = (i128)g->shares[i] * g->n - (i128)g->counts[i] * g->whole;
        if (left <= (size_t)g->empty && g->counts[i] > 0)
            continue;
        if (best < 0 || lacks > most) {
            best = i;
            most = lacks;
        }
    }
    return best;
}

/* Set groups, their hashes and their sizes.  `size` is scratch of the sort before. */
static void find_groups(grouping *g)
{
    const size_t n = (size_t)g->n;
    memcpy(g->group, g->of_row, n * sizeof *g->group);
    dvi_sort_u64(g->group, g->size, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = g->group[i];
        if (g->groups == 0 || g->group[g->groups - 1] != hash) {
            g->group[g->groups] = hash;
            g->size[g->groups++] = 0;
        }
        g->size[g->groups - 1]++;
    }
}

static void place_groups(grouping *g)
{
    size_t left = g->groups;
    for (int rank = 62; rank >= 0 && left > 0; rank--)
        for (size_t i = 0; g->n >> rank > 0 && i < g->groups; i++) {
            if (g->size[i] & PLACED || g->size[i] >> rank != 1)
                continue;
            const int32_t part = choose_part(g, left--);
            g->empty -= g->counts[part] == 0;
            g->counts[part] += (int64_t)g->size[i];
            g->size[i] = PLACED | (uint64_t)part;
        }
}

static int32_t part_of(const grouping *g, uint64_t hash)
{
    size_t low = 0, high = g->groups;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hash < g->group[middle])
            high = middle;
        else
            low = middle;
    }
    return (int32_t)(g->size[low] & ~PLACED);
}

/* The counts become the positions of the next rows, and counts again. */
static void write_rows(grouping *g, int64_t *rows)
{
    int64_t first = 0;
    for (int32_t i = 0; i < g->parts; i++) {
        const int64_t count = g->counts[i];
        g->counts[i] = first;
        first += count;
    }
    for (int64_t row = 0; row < g->n; row++)
        rows[g->counts[part_of(g, g->of_row[row])]++] = row;
    for (int32_t i = g->parts - 1; i > 0; i--)
        g->counts[i] -= g->counts[i - 1];
}

/* --- Entry ------------------------------------------------------------------------------------ */

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

static dv_status check_shares(grouping *g, dv_error *err)
{
    const int64_t most = INT64_C(1) << 62;
    bool is_sound = g->parts > 0 && g->n >= 0;
    for (int32_t i = 0; i < g->parts && is_sound; i++) {
        is_sound = g->shares[i] > 0 && g->shares[i] <= most - g->whole;
        g->whole += is_sound ? g->shares[i] : 0;
    }
    return is_sound
               ? DV_OK
               : dvi_fail_argument(err, "groups of rows: expected n of at least 0 and positive "
                                        "shares, whose sum is at most 2^62");
}

dv_status dv_order_groups(int64_t *rows, int64_t *counts, int64_t n, dv_view *view, int32_t column,
                          const dv_cursor_options *cursor, const int64_t *shares, int32_t parts,
                          uint64_t seed, dv_error *err)
{
    void *made;
    size_t nbytes;
    dv_cursor_options options;
    grouping g = {.counts = counts, .n = n, .shares = shares, .parts = parts, .empty = parts};
    g.seed = seed;
    DVI_TRY(check_column(view, column, err));
    DVI_TRY(check_shares(&g, err));
    DVI_TRY(dvi_cursor_read_options(cursor, &options, err));
    options.columns = &column;
    options.columns_count = 1;
    options.named_count = 0;
    options.ids = false;
    if (!dvi_size_mul((size_t)n, 3 * sizeof *g.of_row, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(dvi_view_allocator(view), &made, nbytes, err));
    g.of_row = made;
    g.group = g.of_row + n;
    g.size = g.group + n;
    memset(counts, 0, (size_t)parts * sizeof *counts);
    const dv_status status = read_hashes(&g, view, &options, err);
    if (status == DV_OK) {
        find_groups(&g);
        place_groups(&g);
        write_rows(&g, rows);
    }
    dvi_free(dvi_view_allocator(view), made, nbytes);
    return status;
}
