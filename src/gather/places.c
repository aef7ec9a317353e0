/* SPDX-License-Identifier: MIT */
/* places.c: addresses of blocks that are used in place, and copies of single rows. */
#include "gather/places.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/column.h"
#include "view/view.h"
#include "scan/view_chain.h"
#include "gather/kept_rows.h"
#include <stdatomic.h>
#include <string.h>

#define AT_ONCE INT64_C(128) /* rows whose place in `dst` stays in the first cache */
#define PART INT64_C(1024)   /* rows of which some are kept side by side */
#define GROUPS_AT_ONCE 32    /* that one call makes: it is never slow */
#define COLUMNS_AT_ONCE 64
#define KEPT_NBYTES ((size_t)64 << 20) /* of addresses; other rows are gathered */

/* Where the values of each block of a column lie; NULL: not known yet. */
typedef struct addresses {
    _Atomic(const uint8_t *) values[1];
} addresses;

typedef struct slot {
    _Atomic(addresses *) column; /* NULL: not made yet */
} slot;

/* Kept with a view for all of its readers. */
typedef struct kept_places {
    dv_owner owner;
    dv_allocator allocator;
    int64_t blocks;
    atomic_size_t nbytes;
    dvi_kept_sets rows; /* side by side */
    size_t n;
    slot slots[]; /* one per column */
} kept_places;

struct dvi_places {
    dv_allocator allocator;
    dv_view *view; /* that stores the columns; kept by the one that was given */
    const dvi_view_traits *traits;
    kept_places *kept;
    int64_t first_row, block_rows;
    int shift; /* block_rows is 1 << shift; -1: not a power of two */
    int32_t n, *columns;
    size_t *widths;
    const addresses **addresses;
};

/* --- What a view keeps ------------------------------------------------------------------------ */

static size_t column_nbytes(const kept_places *kept)
{
    return (size_t)kept->blocks * sizeof(_Atomic(const uint8_t *));
}

static size_t kept_nbytes(size_t columns)
{
    return sizeof(kept_places) + columns * sizeof(slot);
}

static void release_kept(dv_owner *owner)
{
    kept_places *kept = (kept_places *)owner;
    const dv_allocator allocator = kept->allocator;
    dvi_kept_sets_free(&kept->rows);
    for (size_t k = 0; k < kept->n; k++)
        dvi_free(&allocator, atomic_load(&kept->slots[k].column), column_nbytes(kept));
    dvi_free(&allocator, kept, kept_nbytes(kept->n));
}

static dv_status find_kept(dvi_places *p, dv_error *err)
{
    const size_t n = (size_t)dv_schema_columns(dv_view_schema(p->view));
    dv_owner *before = dvi_view_kept(p->view, DVI_KEPT_PLACES);
    void *made;
    p->kept = (kept_places *)before;
    if (before)
        return DV_OK;
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(p->view), &made, kept_nbytes(n), err));
    kept_places *kept = made;
    dvi_owner_init(&kept->owner, release_kept);
    kept->allocator = *dvi_view_allocator(p->view);
    kept->blocks = (dv_view_rows(p->view) - 1) / p->block_rows + 1;
    kept->n = n;
    p->kept = kept;
    if (dvi_view_keep(p->view, DVI_KEPT_PLACES, &before, &kept->owner))
        return DV_OK;
    dvi_owner_release(&kept->owner);
    p->kept = (kept_places *)before;
    return DV_OK;
}

static slot *slot_of(const dvi_places *p, int32_t k)
{
    return &p->kept->slots[p->columns[k]];
}

/* Make the addresses of a column, unless another thread is faster. DV_NOT_FOUND: they are too many.
 */
static dv_status make_addresses(const dvi_places *p, int32_t k, dv_error *err)
{
    const dv_allocator *allocator = dvi_view_allocator(p->view);
    slot *s = slot_of(p, k);
    void *made;
    addresses *before = NULL;
    if (atomic_load(&s->column))
        return DV_OK;
    const size_t nbytes = column_nbytes(p->kept);
    if (atomic_fetch_add(&p->kept->nbytes, nbytes) > KEPT_NBYTES - nbytes) {
        atomic_fetch_sub(&p->kept->nbytes, nbytes);
        return DV_NOT_FOUND;
    }
    const dv_status status = dvi_alloc_zeroed(allocator, &made, nbytes, err);
    if (status == DV_OK && atomic_compare_exchange_strong(&s->column, &before, made))
        return DV_OK;
    dvi_free(allocator, made, nbytes);
    atomic_fetch_sub(&p->kept->nbytes, nbytes);
    return status;
}

/* Ask the view where blocks lie, from this one on. */
static dv_status locate(const dvi_places *p, int32_t k, int64_t block, dv_error *err)
{
    dvi_located found;
    const dv_status status =
        p->traits->locate(dvi_view_self(p->view), p->columns[k], block, &found, err);
    if (status != DV_OK)
        return status;
    addresses *a = atomic_load_explicit(&slot_of(p, k)->column, memory_order_acquire);
    const int64_t n = dvi_min_i64(found.blocks, p->kept->blocks - block);
    for (int64_t i = 0; i < n; i++)
        atomic_store_explicit(&a->values[block + i], found.values + i * found.distance,
                              memory_order_relaxed);
    return DV_OK;
}

static const uint8_t *values_of(const addresses *a, int64_t block)
{
    return atomic_load_explicit(&a->values[block], memory_order_relaxed);
}

/* --- One reader ------------------------------------------------------------------------------- */

static bool is_fixed(const dv_type *type)
{
    return type->rank == 0 && type->kind != DV_KIND_EXTENSION &&
           dvi_layout_of(type) == DV_LAYOUT_FIXED;
}

/* Is the column in place, as far as its first block shows? */
static dv_status look_at_column(dvi_places *p, int32_t k, dv_error *err)
{
    const dv_type *type = &dv_schema_column(dv_view_schema(p->view), p->columns[k])->type;
    if (!is_fixed(type))
        return DV_NOT_FOUND;
    p->widths[k] = dvi_width_of(type);
    const dv_status status = make_addresses(p, k, err);
    if (status != DV_OK)
        return status;
    p->addresses[k] = atomic_load_explicit(&slot_of(p, k)->column, memory_order_acquire);
    return values_of(p->addresses[k], 0) ? DV_OK : locate(p, k, 0, err);
}

/* Is there room for the addresses of all columns that have none? */
static bool has_room(const dvi_places *p)
{
    size_t lacking = 0;
    if ((size_t)p->kept->blocks > KEPT_NBYTES / sizeof(void *))
        return false;
    for (int32_t k = 0; k < p->n; k++)
        lacking += !atomic_load(&slot_of(p, k)->column);
    const size_t nbytes = atomic_load(&p->kept->nbytes);
    return lacking == 0 ||
           (nbytes <= KEPT_NBYTES && lacking <= (KEPT_NBYTES - nbytes) / column_nbytes(p->kept));
}

static dv_status look_at_columns(dvi_places *p, dv_error *err)
{
    dv_status status = find_kept(p, err);
    if (status == DV_OK && !has_room(p))
        return DV_NOT_FOUND;
    for (int32_t k = 0; status == DV_OK && k < p->n; k++)
        status = look_at_column(p, k, err);
    return status;
}

/* Everything in one piece of memory, the widest first: a take opens places for a few rows. */
static size_t nbytes_of(size_t n)
{
    return sizeof(dvi_places) + n * (sizeof(const addresses *) + sizeof(size_t) + sizeof(int32_t));
}

static dv_status set_up(dvi_places *p, dv_view *view, const int32_t *columns, dv_error *err)
{
    const size_t n = (size_t)p->n;
    p->addresses = (const addresses **)(p + 1);
    p->widths = (size_t *)(p->addresses + n);
    p->columns = (int32_t *)(p->widths + n);
    memcpy(p->columns, columns, n * sizeof *columns);
    const dvi_lender lender = dvi_find_lender(view, NULL, p->columns, p->n);
    p->view = lender.view;
    p->first_row = lender.first_row;
    p->traits = dvi_view_traits_of(p->view);
    p->block_rows = dv_view_block_rows(p->view);
    if (!p->traits->locate || p->block_rows < 1 || dv_view_rows(p->view) < 1)
        return DV_NOT_FOUND;
    const bool is_power = (p->block_rows & (p->block_rows - 1)) == 0;
    p->shift = is_power ? __builtin_ctzll((unsigned long long)p->block_rows) : -1;
    return look_at_columns(p, err);
}

dv_status dvi_places_open(dvi_places **places_out, dv_view *view, const int32_t *columns, int32_t n,
                          const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *places_out = NULL;
    if (n == 0)
        return DV_NOT_FOUND;
    DVI_TRY(dvi_alloc_struct(allocator, &made, nbytes_of((size_t)n), err));
    dvi_places *p = made;
    p->allocator = dvi_allocator_of(allocator);
    p->n = n;
    const dv_status status = set_up(p, view, columns, err);
    if (status != DV_OK)
        dvi_places_free(&p);
    *places_out = p;
    return status;
}

void dvi_places_free(dvi_places **places)
{
    dvi_places *p = *places;
    *places = NULL;
    if (!p)
        return;
    const dv_allocator allocator = p->allocator;
    dvi_free(&allocator, p, nbytes_of((size_t)p->n));
}

size_t dvi_places_width(const dvi_places *p, int32_t k)
{
    return p->widths[k];
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Find a row of the view that stores the columns. */
static inline dvi_place place_of(const dvi_places *p, int64_t row)
{
    const int64_t block = p->shift >= 0 ? row >> p->shift : row / p->block_rows;
    return (dvi_place){block, (size_t)(row - block * p->block_rows)};
}

dv_status dvi_places_find(const dvi_places *p, const int64_t *rows, int64_t n, dvi_place *at,
                          dv_error *err)
{
    for (int64_t i = 0; i < n; i++)
        at[i] = place_of(p, p->first_row + rows[i]);
    return dvi_view_check(p->view, err);
}

/* Copy rows of a column up to the first whose block is not known; returns how many. Inlined for
 * each width. */
static inline __attribute__((always_inline)) int64_t copy_known(const addresses *a,
                                                                const dvi_place *at, int64_t n,
                                                                uint8_t *dst, size_t pitch,
                                                                const uint32_t *to, size_t width)
{
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *values = values_of(a, at[i].block);
        if (!values)
            return i;
        memcpy(dst + (to ? to[i] : (size_t)i) * pitch, values + at[i].row * width, width);
    }
    return n;
}

static int64_t copy_of_width(const addresses *a, const dvi_place *at, int64_t n, uint8_t *dst,
                             size_t pitch, const uint32_t *to, size_t width)
{
    switch (width) {
    case 1:
        return copy_known(a, at, n, dst, pitch, to, 1);
    case 2:
        return copy_known(a, at, n, dst, pitch, to, 2);
    case 4:
        return to ? copy_known(a, at, n, dst, pitch, to, 4)
                  : copy_known(a, at, n, dst, pitch, NULL, 4);
    case 8:
        return to ? copy_known(a, at, n, dst, pitch, to, 8)
                  : copy_known(a, at, n, dst, pitch, NULL, 8);
    default:
        return copy_known(a, at, n, dst, pitch, to, 16);
    }
}

static dv_status copy_column(const dvi_places *p, int32_t k, const dvi_place *at, int64_t n,
                             uint8_t *dst, size_t pitch, const uint32_t *to, dv_error *err)
{
    for (int64_t i = 0; i < n;) {
        uint8_t *rest = to ? dst : dst + (size_t)i * pitch;
        i += copy_of_width(p->addresses[k], at + i, n - i, rest, pitch, to ? to + i : NULL,
                           p->widths[k]);
        const dv_status status = i < n ? locate(p, k, at[i].block, err) : DV_OK;
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

/* Column by column: blocks of many columns often lie at distances of powers of two, where the cache
 * holds only a few of them at a time. */
dv_status dvi_places_copy(const dvi_places *p, int32_t k, int32_t count, const dvi_place *at,
                          int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to, dv_error *err)
{
    for (int32_t c = 0; c < count; c++) {
        const dv_status status =
            copy_column(p, k + c, at, n, dst + (size_t)c * p->widths[k], pitch, to, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static dv_status read_apart(const dvi_places *p, int32_t k, int32_t count, const int64_t *rows,
                            int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to,
                            dv_error *err)
{
    dvi_place at[AT_ONCE];
    for (int64_t i = 0; i < n; i += AT_ONCE) {
        const int64_t part = dvi_min_i64(n - i, AT_ONCE);
        DVI_TRY(dvi_places_find(p, rows + i, part, at, err));
        const dv_status status =
            dvi_places_copy(p, k, count, at, part, to ? dst : dst + (size_t)i * pitch, pitch,
                            to ? to + i : NULL, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

/* --- Rows that the view keeps side by side ---------------------------------------------------- */

/* Write rows of a block side by side. */
static dv_status write_run(const dvi_places *p, int32_t k, int32_t count, dvi_place at, int64_t n,
                           uint8_t *dst, dv_error *err)
{
    const size_t width = p->widths[k];
    const void *columns[COLUMNS_AT_ONCE];
    for (int32_t c = 0; c < count; c += COLUMNS_AT_ONCE) {
        const int32_t some = count - c < COLUMNS_AT_ONCE ? count - c : COLUMNS_AT_ONCE;
        for (int32_t i = 0; i < some; i++) {
            const int32_t column = k + c + i;
            const dv_status status = values_of(p->addresses[column], at.block)
                                         ? DV_OK
                                         : locate(p, column, at.block, err);
            if (status != DV_OK)
                return status;
            columns[i] = values_of(p->addresses[column], at.block) + at.row * width;
        }
        void *to = dst + (size_t)c * width;
        if (width == 4)
            dvi_kernels()->transpose_4(to, (size_t)count, columns, (size_t)some, (size_t)n);
        else
            dvi_kernels()->transpose_8(to, (size_t)count, columns, (size_t)some, (size_t)n);
    }
    return DV_OK;
}

static dv_status write_group(const dvi_places *p, int32_t k, int32_t count, int64_t group,
                             uint8_t *dst, dv_error *err)
{
    const size_t row_nbytes = (size_t)count * p->widths[k];
    const int64_t first = group * DVI_KEPT_ROWS_GROUP;
    const int64_t end = dvi_min_i64(first + DVI_KEPT_ROWS_GROUP, dv_view_rows(p->view));
    DVI_TRY(dvi_view_check(p->view, err));
    for (int64_t row = first, n; row < end; row += n) {
        const dvi_place at = place_of(p, row);
        n = dvi_min_i64(end - row, p->block_rows - (int64_t)at.row);
        const dv_status status =
            write_run(p, k, count, at, n, dst + (size_t)(row - first) * row_nbytes, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

/* Keep the groups that these rows need, a few at a time. A group that fails is read apart, and that
 * error counts. */
static void keep_groups(const dvi_places *p, dvi_kept_rows *kept, int32_t k, int32_t count,
                        const int64_t *rows, int64_t n)
{
    int made = 0;
    for (int64_t i = 0; i < n && made < GROUPS_AT_ONCE; i++) {
        const int64_t row = p->first_row + rows[i], group = row / DVI_KEPT_ROWS_GROUP;
        uint8_t *dst = dvi_kept_rows_has(kept, row) ? NULL : dvi_kept_rows_begin(kept, group);
        if (!dst)
            continue;
        dvi_kept_rows_end(kept, group,
                          DVI_ATTEMPT("places.c keep_groups",
                                      write_group(p, k, count, group, dst, NULL) == DV_OK));
        made++;
    }
}

/* Read at most PART rows, of which some are kept. */
static dv_status read_part(const dvi_places *p, const dvi_kept_rows *kept, int32_t k, int32_t count,
                           const int64_t *rows, int64_t n, uint8_t *dst, size_t pitch,
                           const uint32_t *to, dv_error *err)
{
    int64_t there[PART], apart[PART], is_there = 0, is_apart = 0;
    uint32_t to_there[PART], to_apart[PART];
    for (int64_t i = 0; i < n; i++) {
        const uint32_t at = to ? to[i] : (uint32_t)i;
        if (dvi_kept_rows_has(kept, p->first_row + rows[i])) {
            to_there[is_there] = at;
            there[is_there++] = rows[i];
        } else {
            to_apart[is_apart] = at;
            apart[is_apart++] = rows[i];
        }
    }
    dvi_kept_rows_copy(kept, p->first_row, there, is_there, dst, pitch, to_there);
    return read_apart(p, k, count, apart, is_apart, dst, pitch, to_apart, err);
}

static dv_status read_kept(const dvi_places *p, dvi_kept_rows *kept, int32_t k, int32_t count,
                           const int64_t *rows, int64_t n, uint8_t *dst, size_t pitch,
                           const uint32_t *to, dv_error *err)
{
    DVI_TRY(dvi_view_check(p->view, err)); /* read_apart does the same */
    if (!dvi_kept_rows_are_whole(kept))
        keep_groups(p, kept, k, count, rows, n);
    if (dvi_kept_rows_are_whole(kept)) {
        dvi_kept_rows_copy(kept, p->first_row, rows, n, dst, pitch, to);
        return DV_OK;
    }
    for (int64_t i = 0; i < n; i += PART) {
        const dv_status status =
            read_part(p, kept, k, count, rows + i, dvi_min_i64(n - i, PART),
                      to ? dst : dst + (size_t)i * pitch, pitch, to ? to + i : NULL, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static dvi_kept_rows *find_kept_rows(const dvi_places *p, int32_t k, int32_t count)
{
    const dvi_kept_set set = {p->columns + k, count, p->widths[k], dv_view_rows(p->view)};
    return dvi_kept_rows_fit(&set)
               ? dvi_kept_rows_find(&p->kept->rows, &set, dvi_view_allocator(p->view))
               : NULL;
}

bool dvi_places_keep_rows(const dvi_places *p, int32_t k, int32_t count)
{
    const dvi_kept_rows *kept = count > 0 ? find_kept_rows(p, k, count) : NULL;
    return kept && dvi_kept_rows_have_room(kept);
}

dv_status dvi_places_read(const dvi_places *p, int32_t k, int32_t count, const int64_t *rows,
                          int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to, dv_error *err)
{
    dvi_kept_rows *kept = find_kept_rows(p, k, count);
    return kept && dvi_kept_rows_note(kept, n)
               ? read_kept(p, kept, k, count, rows, n, dst, pitch, to, err)
               : read_apart(p, k, count, rows, n, dst, pitch, to, err);
}

/* --- Sorted rows ------------------------------------------------------------------------------ */

#define DENSE (DVI_KEPT_ROWS_GROUP / 16)      /* these rows of a group touch all of its lines */
#define GROUP_NBYTES_MOST ((size_t)768 << 10) /* it stays in the second cache */

size_t dvi_places_group_nbytes(const dvi_places *p, int32_t k, int32_t count)
{
    if (count < 1 || !dvi_side_by_side_pays(count, p->widths[k]))
        return 0;
    const size_t nbytes = (size_t)DVI_KEPT_ROWS_GROUP * (size_t)count * p->widths[k];
    return nbytes <= GROUP_NBYTES_MOST ? nbytes : 0;
}

/* How many of the rows, from the first one on, are of its group. */
static int64_t count_of_group(const dvi_places *p, const int64_t *rows, int64_t n)
{
    const int64_t group = (p->first_row + rows[0]) / DVI_KEPT_ROWS_GROUP;
    int64_t i = 1;
    while (i < n && (p->first_row + rows[i]) / DVI_KEPT_ROWS_GROUP == group)
        i++;
    return i;
}

dv_status dvi_places_read_sorted(const dvi_places *p, int32_t k, int32_t count, const int64_t *rows,
                                 int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to,
                                 uint8_t *group, dv_error *err)
{
    if (!group)
        return read_apart(p, k, count, rows, n, dst, pitch, to, err);
    for (int64_t i = 0, some; i < n; i += some) {
        const int64_t number = (p->first_row + rows[i]) / DVI_KEPT_ROWS_GROUP;
        dv_status status;
        some = count_of_group(p, rows + i, n - i);
        if (some < DENSE) {
            status = read_apart(p, k, count, rows + i, some, dst, pitch, to + i, err);
        } else {
            status = write_group(p, k, count, number, group, err);
            if (status == DV_OK)
                dvi_side_by_side_copy(group, (size_t)count * p->widths[k],
                                      p->first_row - number * DVI_KEPT_ROWS_GROUP, rows + i, some,
                                      dst, pitch, to + i);
        }
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}
