/* SPDX-License-Identifier: MIT */
/* test_cursor_set.c: checks that the members of a set deliver every row once, in whatever order
 * they are advanced (cursor_set.h, semantics:5.5). */
#include "support/allocator.h"
#include "support/delay.h"
#include "support/produce.h"
#include "support/set_files.h"
#include "support/test.h"
#include <dataview/cursor_set.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 8
#ifdef DVT_SANITIZED
#define ROWS 2300
#define IS_LEFT_OUT(i) ((i) % 7 != 0) /* each source and each chain is met all the same */
#else
#define ROWS 6000
#define IS_LEFT_OUT(i) false
#endif

/* A batch that a member delivered, as text. */
typedef struct delivered {
    int64_t id;
    int32_t member;
    int64_t number; /* in its member */
    dvt_lines lines;
} delivered;

typedef struct delivered_list {
    delivered *all;
    size_t n, cap;
} delivered_list;

typedef struct member {
    dv_cursor *cursor;
    int32_t number;
    bool has_numbers;
    uint64_t delays; /* state of the draws; 0: none */
    int64_t stop;    /* batches after which it is closed; -1: never */
    delivered_list delivered;
    int64_t last_id;
    dv_status status;
    pthread_t thread;
} member;

static void add_part(member *m, const dv_batch *batch)
{
    delivered_list *p = &m->delivered;
    if (p->n == p->cap) {
        p->cap = 2 * p->cap + 16;
        p->all = realloc(p->all, p->cap * sizeof *p->all);
        DVT_MUST(p->all != NULL);
    }
    delivered *one = &p->all[p->n];
    *one = (delivered){dv_batch_chunk(batch), m->number, (int64_t)p->n, {0}};
    dvt_set_put(&one->lines, batch, m->has_numbers);
    p->n++;
}

/* One step of a member.  false: it has ended. */
static bool move(member *m)
{
    const dv_batch *batch;
    if (m->stop == 0) {
        dv_cursor_close(&m->cursor);
        m->status = DV_END;
        return false;
    }
    m->stop--;
    m->status = dv_cursor_next(m->cursor, &batch, NULL);
    if (m->status != DV_OK)
        return false;
    DVT_MUST(dv_batch_chunk(batch) >= m->last_id);
    m->last_id = dv_batch_chunk(batch);
    add_part(m, batch);
    return true;
}

static int in_order(const void *a, const void *b)
{
    const delivered *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    DVT_MUST(x->member == y->member); /* a chunk is one member's */
    return x->number < y->number ? -1 : x->number > y->number;
}

/* All that the members delivered, in the order of chunks; closes them. */
static dvt_lines gather(member *members, int32_t n)
{
    dvt_lines lines = {0};
    delivered_list all = {0};
    for (int32_t i = 0; i < n; i++)
        all.cap += members[i].delivered.n;
    all.all = calloc(all.cap + 1, sizeof *all.all);
    DVT_MUST(all.all != NULL);
    for (int32_t i = 0; i < n; i++) {
        for (size_t k = 0; k < members[i].delivered.n; k++)
            all.all[all.n++] = members[i].delivered.all[k];
        free(members[i].delivered.all);
        dv_cursor_close(&members[i].cursor);
    }
    qsort(all.all, all.n, sizeof *all.all, in_order);
    for (size_t k = 0; k < all.n; k++) {
        if (all.all[k].lines.nbytes > 0)
            dvt_lines_add(&lines, all.all[k].lines.data, all.all[k].lines.nbytes);
        dvt_lines_free(&all.all[k].lines);
    }
    free(all.all);
    return lines;
}

static int32_t open_set(member *members, int32_t n, dv_view *view, const dv_cursor_options *options,
                        bool has_numbers)
{
    dv_cursor *cursors[MEMBERS_MAX];
    int32_t opened;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_cursor_set_open(cursors, n, &opened, view, options, &err);
    cr_assert_eq(status, DV_OK, "%s", err.message);
    cr_assert(opened >= 1 && opened <= n);
    for (int32_t i = 0; i < n; i++) {
        cr_assert_eq(cursors[i] != NULL, i < opened);
        members[i] =
            (member){.cursor = cursors[i], .number = i, .has_numbers = has_numbers, .stop = -1};
    }
    return opened;
}

/* --- One thread, any order -------------------------------------------------------------------- */

static void drive_at_random(member *members, int32_t n, uint64_t seed)
{
    int32_t left[MEMBERS_MAX], count = n;
    for (int32_t i = 0; i < n; i++)
        left[i] = i;
    while (count > 0) {
        const int32_t at = (int32_t)(dvt_draw(&seed) % (uint64_t)count);
        if (!move(&members[left[at]]))
            left[at] = left[--count];
    }
}

/* --- Many threads ----------------------------------------------------------------------------- */

static void *run_member(void *ctx)
{
    member *m = ctx;
    do
        dvt_delay(m->delays ? dvt_draw(&m->delays) % 50 : 0);
    while (move(m));
    return NULL;
}

static void drive_by_threads(member *members, int32_t n, uint64_t seed)
{
    for (int32_t i = 0; i < n; i++) {
        members[i].delays = seed + (uint64_t)i;
        DVT_MUST(pthread_create(&members[i].thread, NULL, run_member, &members[i]) == 0);
    }
    for (int32_t i = 0; i < n; i++)
        pthread_join(members[i].thread, NULL);
}

/* --- Every source, every chain ---------------------------------------------------------------- */

static void check(int source, int chain, dv_view *view, const dv_cursor_options *options, int32_t n,
                  bool by_threads)
{
    const bool has_numbers = dvt_set_has_numbers(chain);
    const uint64_t seed = (uint64_t)(1000 * source + 10 * chain + n);
    member members[MEMBERS_MAX];
    dvt_lines truth = dvt_set_truth(view, options, has_numbers);
    const int32_t opened = open_set(members, n, view, options, has_numbers);
    (by_threads ? drive_by_threads : drive_at_random)(members, opened, seed);
    for (int32_t i = 0; i < opened; i++)
        cr_expect_eq(members[i].status, DV_END);
    dvt_lines got = gather(members, opened);
    cr_expect(got.nbytes == truth.nbytes &&
                  (got.nbytes == 0 || memcmp(got.data, truth.data, got.nbytes) == 0),
              "%s, %s, %d members, seed %d", dvt_set_source(source), dvt_set_chain(chain), (int)n,
              (int)seed);
    dvt_lines_free(&got);
    dvt_lines_free(&truth);
}

static void check_all(bool by_threads)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int chain = 0; chain < dvt_set_chains(); chain++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_view *view = dvt_set_view(&files, source, chain, NULL);
            options.ids = chain % 2 == 0;
            options.threads = 1 + chain % 3;
            if (view && !IS_LEFT_OUT(source + chain))
                check(source, chain, view, &options, 1 + (source + chain) % MEMBERS_MAX,
                      by_threads);
            dv_view_release(&view);
        }
    dvt_set_files_free(&files);
}

Test(cursor_set, members_in_any_order_have_every_row_once)
{
    check_all(false);
}

Test(cursor_set, members_in_threads_have_every_row_once)
{
    check_all(true);
}

/* A range of rows, no columns, batches of any size. */
Test(cursor_set, options_hold_for_the_whole)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int chain = 0; chain < 4; chain++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_view *view = dvt_set_view(&files, source, chain, NULL);
            if (!view || IS_LEFT_OUT(source + chain)) {
                dv_view_release(&view);
                continue;
            }
            options.ids = true;
            options.first_row = 77;
            options.take = 2001;
            check(source, chain, view, &options, 3, false);
            options.columns_count = 0;
            check(source, chain, view, &options, 4, true);
            options.columns_count = -1;
            options.batch_rows = source % 2 ? 3 : 1500;
            check(source, chain, view, &options, 5, false);
            options.skip = INT64_MAX; /* no rows at all */
            check(source, chain, view, &options, 2, false);
            dv_view_release(&view);
        }
    dvt_set_files_free(&files);
}

/* The other members deliver the chunks that a closed member has not taken. */
Test(cursor_set, members_may_be_closed_early)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int chain = 0; chain < dvt_set_chains(); chain++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            member members[MEMBERS_MAX];
            dv_view *view = dvt_set_view(&files, source, chain, NULL);
            if (!view || IS_LEFT_OUT(source + chain)) {
                dv_view_release(&view);
                continue;
            }
            const int32_t n = open_set(members, 4, view, &options, false);
            for (int32_t i = 1; i < n; i++)
                members[i].stop = i - 1;
            dv_view_release(&view);
            drive_by_threads(members, n, 7);
            for (int32_t i = 0; i < n; i++)
                cr_expect_eq(members[i].status, DV_END);
            dvt_lines lines = gather(members, n);
            dvt_lines_free(&lines);
        }
    dvt_set_files_free(&files);
}

/* --- Errors ----------------------------------------------------------------------------------- */

Test(cursor_set, an_error_comes_after_the_rows_before_it)
{
    dvt_many_rows *rows = dvt_many_rows_create(ROWS, 10);
    rows->table.bad_row = 2045;
    rows->table.rows_unknown = true;
    for (int32_t n = 1; n <= 4; n++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        member members[MEMBERS_MAX];
        int64_t batches = 0;
        dv_view *view = dvt_made_table_open(&rows->table, NULL);
        const int32_t opened = open_set(members, n, view, &options, false);
        cr_expect_eq(opened, n);
        drive_at_random(members, opened, (uint64_t)n);
        for (int32_t i = 0; i < opened; i++) {
            batches += (int64_t)members[i].delivered.n;
            cr_expect_eq(members[i].status, DV_ERR_CORRUPT);
            cr_expect_eq(dv_cursor_next(members[i].cursor, &(const dv_batch *){NULL}, NULL),
                         DV_ERR_CORRUPT);
        }
        cr_expect_eq(batches, 204);
        dvt_lines lines = gather(members, opened);
        dvt_lines_free(&lines);
        dv_view_release(&view);
    }
    dvt_many_rows_free(rows);
}

Test(cursor_set, refuses)
{
    dvt_many_rows *rows = dvt_many_rows_create(50, 10);
    dv_view *view = dvt_made_table_open(&rows->table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursors[3], *cursor;
    int32_t opened = 9;
    cr_expect_eq(dv_cursor_set_open(cursors, 0, &opened, view, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(opened, 0);
    options.first_row = -1;
    cr_expect_eq(dv_cursor_set_open(cursors, 2, &opened, view, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect(opened == 0 && !cursors[0] && !cursors[1]);
    dv_token token;
    cr_assert_eq(dv_cursor_set_open(cursors, 1, &opened, view, NULL, NULL), DV_OK);
    cr_expect_eq(dv_cursor_token(cursors[0], &token, NULL), DV_ERR_ARGUMENT);
    dv_cursor_close(&cursors[0]);
    cr_expect_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    const dv_batch *batch;
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(dv_batch_chunk(batch), 0);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_many_rows_free(rows);
}

/* --- No memory -------------------------------------------------------------------------------- */

/* All rows of a set, advanced in turn.  DV_OK; DV_ERR_MEMORY of a member, which is final. */
static dv_status read_all(dv_view *view, int32_t n, int64_t *rows_out)
{
    dv_cursor *cursors[MEMBERS_MAX];
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    int32_t opened, open;
    options.ids = true;
    *rows_out = 0;
    dv_status status = dv_cursor_set_open(cursors, n, &opened, view, &options, NULL);
    if (status < 0)
        return status;
    do {
        open = 0;
        for (int32_t i = 0; i < opened; i++) {
            const dv_status moved = dv_cursor_next(cursors[i], &batch, NULL);
            DVT_MUST(moved == DV_OK || moved == DV_END || moved == DV_ERR_MEMORY);
            *rows_out += moved == DV_OK ? batch->rows : 0;
            open += moved == DV_OK;
            status = moved == DV_ERR_MEMORY ? moved : status;
        }
    } while (open > 0);
    for (int32_t i = 0; i < opened; i++)
        dv_cursor_close(&cursors[i]);
    return status;
}

Test(cursor_set, each_allocation_may_fail)
{
    dvt_set_files files = dvt_set_files_create(2100);
    for (int source = 0; source < dvt_set_sources(); source += 2) {
        int64_t wanted = -1;
        for (int64_t k = 0, step = 1; k >= 0; k += step) {
            dvt_allocator counted;
            int64_t rows;
            dvt_allocator_init(&counted, 0);
            dv_view *view = dvt_set_view(&files, source, source == 6 ? 9 : 3, &counted.allocator);
            const int64_t before = counted.asked;
            counted.fail_at = k > 0 ? before + k : 0;
            const dv_status status = read_all(view, 3, &rows);
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0, "%s, allocation %d: a leak", dvt_set_source(source),
                         (int)k);
            wanted = k == 0 ? rows : wanted;
            cr_expect(status == DV_ERR_MEMORY || rows == wanted, "%s, allocation %d: %d rows",
                      dvt_set_source(source), (int)k, (int)rows);
            if (k > 0 && counted.asked < counted.fail_at)
                break;
            step = k == 0 ? 1 : dvt_fail_step(1, 25);
        }
    }
    dvt_set_files_free(&files);
}
