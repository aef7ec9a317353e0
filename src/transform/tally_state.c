/* SPDX-License-Identifier: MIT */
/* tally_state.c: a table of counted values: a row for each value of a slot, after one for all. */
#include "transform/tally_state.h"
#include "base/check.h"
#include "transform/learned_table.h"
#include <inttypes.h>
#include <math.h>

#define RULE "parts:S2"

/* In the place of a slot: Count is the number of rows, First that of items; rows of a label. */
enum { ALL = -1, LABEL = -2 };

static const dvi_learned_columns state_columns = {
    .table = "state",
    .n = 5,
    .names = {"Slot", "Label", "Value", "Count", "First"},
    .kinds = {DV_KIND_I4, DV_KIND_I4, DV_KIND_R8, DV_KIND_I8, DV_KIND_I8}};

typedef struct line {
    int32_t slot;
    dvi_tally_entry entry;
} line;

static void put(dvi_learned_table *t, int64_t *at, const line *l)
{
    ((int32_t *)t->values[0])[*at] = l->slot;
    ((int32_t *)t->values[1])[*at] = l->entry.label;
    ((double *)t->values[2])[*at] = l->entry.value;
    ((int64_t *)t->values[3])[*at] = l->entry.count;
    ((int64_t *)t->values[4])[*at] = l->entry.first;
    ++*at;
}

static line get(const dvi_learned_table *t, int64_t i)
{
    return (line){.slot = ((const int32_t *)t->values[0])[i],
                  .entry = {.label = ((const int32_t *)t->values[1])[i],
                            .value = ((const double *)t->values[2])[i],
                            .count = ((const int64_t *)t->values[3])[i],
                            .first = ((const int64_t *)t->values[4])[i]}};
}

static void put_rows(dvi_learned_table *t, int64_t *at, const dvi_counted_rows *c, int64_t items)
{
    put(t, at, &(line){ALL, {.count = *c->rows, .first = items}});
    for (int32_t i = 0; i < c->labels_count; i++)
        put(t, at, &(line){LABEL, {.label = i, .count = c->labels[i]}});
}

static dv_status show(dv_view **table_out, dvi_learned_table *t, const dv_allocator *allocator,
                      dv_error *err)
{
    const dv_status status = dvi_learned_show(table_out, t, allocator, err);
    dvi_learned_table_free(t);
    return status;
}

/* --- Tallies ---------------------------------------------------------------------------------- */

/* The items of a slot that are NaN have no entry. */
static int64_t missing(const dvi_slot_tally *s)
{
    int64_t n = s->items;
    for (size_t i = 0; i < s->n; i++)
        n -= s->entries[i].count;
    return n;
}

static void put_slot(dvi_learned_table *t, int64_t *at, const dvi_slot_tally *s, int32_t slot)
{
    const int64_t nan = missing(s);
    for (size_t i = 0; i < s->n; i++)
        put(t, at, &(line){slot, s->entries[i]});
    if (nan > 0)
        put(t, at, &(line){slot, {.value = NAN, .count = nan}});
}

dv_status dvi_tally_state(dv_view **table_out, dvi_tally *tally, const dvi_counted_rows *c,
                          const dv_allocator *allocator, dv_error *err)
{
    dvi_learned_table *t;
    int64_t n = 1 + (int64_t)c->labels_count, at = 0;
    *table_out = NULL;
    for (int32_t i = 0; i < tally->slots; i++) {
        DVI_TRY(dvi_tally_sort(tally, i, err));
        n += (int64_t)tally->slot[i].n + (missing(&tally->slot[i]) > 0);
    }
    DVI_TRY(dvi_learned_create(&t, &state_columns, DV_KIND_R8, n, allocator, err));
    put_rows(t, &at, c, tally->items);
    for (int32_t i = 0; i < tally->slots; i++)
        put_slot(t, &at, &tally->slot[i], i);
    return show(table_out, t, allocator, err);
}

/* --- Extremes --------------------------------------------------------------------------------- */

/* The zeros of rows without items are added here: those of later rows come after them. */
dv_status dvi_extremes_state(dv_view **table_out, dvi_extremes *extremes, int32_t slots,
                             const dvi_counted_rows *c, const dv_allocator *allocator,
                             dv_error *err)
{
    dvi_learned_table *t;
    int64_t n = 1, at = 0;
    *table_out = NULL;
    for (int32_t i = 0; i < slots; i++) {
        dvi_extremes_finish(&extremes[i], *c->rows);
        n += extremes[i].least <= extremes[i].most ? 2 : 0;
    }
    DVI_TRY(dvi_learned_create(&t, &state_columns, DV_KIND_R8, n, allocator, err));
    put_rows(t, &at, c, 0);
    for (int32_t i = 0; i < slots; i++)
        if (extremes[i].least <= extremes[i].most) {
            put(t, &at, &(line){i, {.value = extremes[i].least, .count = 1}});
            put(t, &at, &(line){i, {.value = extremes[i].most, .count = 1}});
        }
    return show(table_out, t, allocator, err);
}

/* --- Taking ----------------------------------------------------------------------------------- */

static dv_status fail(const char *what, const char *expected, int64_t row, dv_error *err)
{
    return dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, what, "%s|another in row %" PRId64, expected,
                    row);
}

/* Count the rows of the table. *is_over_out: they come after those that are counted. */
static dv_status take_rows(const dvi_counted_rows *c, const dvi_learned_table *t, bool *is_over_out,
                           dv_error *err)
{
    DVI_REQUIRE(t->rows > 0, fail("rows of a state", "1 or more", 0, err));
    const line l = get(t, 0);
    DVI_REQUIRE(l.slot == ALL && l.entry.count >= 0 && l.entry.first >= 0 &&
                    l.entry.count <= INT64_MAX - *c->rows,
                fail("first row of a state", "the number of rows", 0, err));
    *is_over_out = *c->rows >= c->most;
    if (*is_over_out)
        return DV_OK;
    if (l.entry.count > c->most - *c->rows)
        return dvi_fail_argument(err,
                                 "the %" PRId64 " rows to learn from (maxrows) end within a part: "
                                 "divide the rows there, or learn from all at once",
                                 c->most);
    *c->rows += l.entry.count;
    return DV_OK;
}

static dv_status check_line(const line *l, int32_t slots, const dvi_counted_rows *c, int64_t items,
                            int64_t row, dv_error *err)
{
    const int32_t labels = c->labels_count > 0 ? c->labels_count : 1;
    DVI_REQUIRE((l->slot >= 0 && l->slot < slots) || (l->slot == LABEL && c->labels),
                fail("slot of a state", "one of the column", row, err));
    DVI_REQUIRE(l->entry.label >= 0 && l->entry.label < labels,
                fail("label of a state", "one of the column", row, err));
    DVI_REQUIRE(l->entry.count >= (l->slot == LABEL ? 0 : 1),
                fail("count of a state", "1 or more", row, err));
    DVI_REQUIRE(l->entry.first >= 0 && l->entry.first <= items,
                fail("first item of a state", "one that was counted", row, err));
    return DV_OK;
}

static dv_status join(dvi_tally *tally, const dvi_counted_rows *c, line *l, int64_t row,
                      dv_error *err)
{
    int64_t *sum = l->slot == LABEL ? &c->labels[l->entry.label] : &tally->slot[l->slot].items;
    DVI_REQUIRE(l->entry.count <= INT64_MAX - *sum,
                fail("count of a state", "a sum below 2^63", row, err));
    if (l->slot == LABEL) {
        *sum += l->entry.count;
        return DV_OK;
    }
    l->entry.first += tally->items;
    return dvi_tally_join(tally, l->slot, &l->entry, err);
}

static dv_status add_tally(dvi_tally *tally, const dvi_counted_rows *c, const dvi_learned_table *t,
                           dv_error *err)
{
    bool is_over;
    DVI_TRY(take_rows(c, t, &is_over, err));
    const int64_t items = get(t, 0).entry.first;
    DVI_REQUIRE(items <= INT64_MAX - tally->items,
                fail("items of a state", "a sum below 2^63", 0, err));
    for (int64_t i = 1; i < t->rows && !is_over; i++) {
        line l = get(t, i);
        DVI_TRY(check_line(&l, tally->slots, c, items, i, err));
        DVI_TRY(join(tally, c, &l, i, err));
    }
    tally->items += is_over ? 0 : items;
    return DV_OK;
}

static dv_status load(dvi_learned_table **t_out, dv_view *table, const dv_allocator *allocator,
                      dv_error *err)
{
    const int64_t most = DVI_TALLY_MOST + 2 * (int64_t)DVI_LEARNED_SLOTS + INT32_MAX;
    return dvi_learned_load(t_out, &state_columns, table, most, allocator, err);
}

dv_status dvi_tally_state_add(dvi_tally *tally, const dvi_counted_rows *c, dv_view *table,
                              dv_error *err)
{
    dvi_learned_table *t;
    DVI_TRY(load(&t, table, &tally->allocator, err));
    const dv_status status = add_tally(tally, c, t, err);
    dvi_learned_table_free(t);
    return status;
}

static dv_status add_extremes(dvi_extremes *extremes, int32_t slots, const dvi_counted_rows *c,
                              const dvi_learned_table *t, dv_error *err)
{
    bool is_over;
    DVI_TRY(take_rows(c, t, &is_over, err));
    for (int64_t i = 1; i < t->rows && !is_over; i++) {
        const line l = get(t, i);
        DVI_TRY(check_line(&l, slots, c, 0, i, err));
        dvi_extremes *e = &extremes[l.slot];
        e->least = l.entry.value < e->least ? l.entry.value : e->least;
        e->most = l.entry.value > e->most ? l.entry.value : e->most;
    }
    for (int32_t i = 0; i < slots; i++)
        extremes[i].items = *c->rows; /* none has zeros to come */
    return DV_OK;
}

dv_status dvi_extremes_state_add(dvi_extremes *extremes, int32_t slots, const dvi_counted_rows *c,
                                 dv_view *table, const dv_allocator *allocator, dv_error *err)
{
    dvi_learned_table *t;
    DVI_TRY(load(&t, table, allocator, err));
    const dv_status status = add_extremes(extremes, slots, c, t, err);
    dvi_learned_table_free(t);
    return status;
}
