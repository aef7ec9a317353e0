/* SPDX-License-Identifier: MIT */
/* set_cursor.c: one cursor over the members of a set, which its own threads advance.
 *
 * Task k lets a member read all of chunk k + 1 into a slot. The caller delivers slots in the order
 * of chunks. It reads chunk 0 itself, so that reading a few rows starts no thread, unless rows take
 * long: then all threads start at once. It reads what is left of a chunk that is too large to keep,
 * all of a chunk for which memory ran out, and the reading cursor, if members share one.
 *
 * A task guesses where a split begins (splits.h); the end of the split before it decides. A member
 * stays with its split until this is delivered, and then uses its memory again. */
#include "scan/set_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/tasks.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include <pthread.h>

#define KEPT_NBYTES ((size_t)16 << 20) /* kept of a chunk; the caller reads the rest */
#define GUESSES 8                      /* remembered: of the last splits */

/* A batch that is kept, and the counts of the rows that were read for it. */
typedef struct kept {
    const dv_batch *batch; /* retained */
    void *counts;
    int64_t rows; /* read so far in the split */
} kept;

/* A chunk. */
typedef struct slot {
    dvi_group group; /* its batches, if members share a reading cursor */
    kept *kept;      /* at to n - 1 of the chunk */
    size_t n, at, cap;
    dv_status status; /* DV_OK: the member continues; DV_END: the chunk is complete; an error */
    dv_error error;
    dv_cursor *member;  /* which reads the chunk; NULL: none yet */
    bool is_begun;      /* the member was given the chunk */
    bool is_positioned; /* and has been moved to it */
} slot;

struct dvi_set {
    dv_allocator allocator;
    dv_view *view; /* the cursor's */
    dvi_scan *scan;
    const dv_cursor_request *request; /* the cursor's */
    dv_cursor_options options;        /* of members */
    dv_cursor **given;                /* workers + 1 open members, until the cursor is opened */
    int32_t workers;
    int64_t window;   /* chunks in progress or kept */
    slot first;       /* chunk 0 */
    dvi_tasks *tasks; /* places: the slots of later chunks */

    pthread_mutex_t lock; /* guards idle and idle_n */
    dv_cursor **idle;     /* members without a chunk; has room for all members */
    int32_t idle_n;

    /* Only for the caller. */
    bool is_split;  /* chunks are splits */
    int64_t left;   /* rows of the splits that may still be delivered; -1: no split was found yet */
    int64_t before; /* rows of the splits before the chunk */
    int64_t delivered; /* rows of the splits, up to the last one delivered */
    uint32_t guesses;  /* a bit for each of the last splits: its begin was guessed wrong */
    bool is_rest;      /* the chunk is read to the end of all splits */
    enum { IDS_UNKNOWN, IDS_OWN, IDS_NUMBERED } ids; /* whose ids the rows have */
    int64_t split_end;                               /* where the split before the chunk ends */
    int64_t first_id;                                /* the id with which split 0 begins */
    int64_t chunk;                                   /* being delivered */
    bool is_current;                                 /* it was taken */
    int64_t rows;                                    /* delivered */
    int64_t read;                                    /* groups read from the reading cursor */
    dv_status read_status;
    dv_error read_error;
};

static int32_t room_for_idle(const dvi_set *set)
{
    return 2 * (set->workers + 1) + (int32_t)set->window;
}

static slot *slot_of(dvi_set *set, int64_t chunk)
{
    return chunk == 0 ? &set->first : dvi_tasks_place(set->tasks, chunk - 1);
}

/* --- Members ---------------------------------------------------------------------------------- */

static dv_cursor *take_idle(dvi_set *set)
{
    pthread_mutex_lock(&set->lock);
    dv_cursor *member = set->idle_n > 0 ? set->idle[--set->idle_n] : NULL;
    pthread_mutex_unlock(&set->lock);
    return member;
}

static void return_idle(dvi_set *set, slot *s)
{
    if (!s->member)
        return;
    pthread_mutex_lock(&set->lock);
    set->idle[set->idle_n++] = s->member;
    pthread_mutex_unlock(&set->lock);
    s->member = NULL;
    s->is_begun = false;
}

static dvi_member *member_of(const slot *s)
{
    return dvi_cursor_member(s->member);
}

static dv_status find_member(dvi_set *set, slot *s, dv_error *err)
{
    if (!s->member)
        s->member = take_idle(set);
    return s->member ? DV_OK
                     : dvi_scan_open_member(set->scan, &s->member, set->view, &set->options, err);
}

/* Move a member to the chunk, unless it is there. place: of a split, as dvi_member_place. */
static dv_status begin(dvi_set *set, slot *s, int64_t chunk, const dvi_split *place, dv_error *err)
{
    if (!s->is_begun) {
        DVI_TRY(find_member(set, s, err));
        dvi_member_give(member_of(s), chunk, &s->group);
        s->is_begun = true;
        s->is_positioned = false;
    }
    if (set->is_split)
        dvi_member_place(member_of(s), place);
    if (!s->is_positioned)
        DVI_TRY(dvi_cursor_seek(s->member, set->request->first_row, set->request->end_row, err));
    s->is_positioned = true;
    return DV_OK;
}

/* --- Tasks ------------------------------------------------------------------------------------ */

/* Keep the batches of the chunk. Returns the status of the slot. */
static dv_status collect(dvi_set *set, const dvi_task *task)
{
    slot *s = task->place;
    const dvi_split place = {.from = -1, .rows_most = INT64_MAX, .is_ahead = true};
    size_t nbytes = 0;
    DVI_TRY(begin(set, s, task->number + 1, &place, &s->error));
    while (nbytes < KEPT_NBYTES && !dvi_task_is_unwanted(task)) {
        void *list = s->kept;
        const dv_batch *batch;
        dv_status status = dvi_array_reserve(&set->allocator, &list, &s->cap, s->n + 1,
                                             sizeof *s->kept, &s->error);
        s->kept = list;
        if (status == DV_OK)
            status = dv_cursor_next(s->member, &batch, &s->error);
        if (status != DV_OK)
            return status;
        dv_batch_retain(batch);
        s->kept[s->n++] =
            (kept){batch, dvi_member_take_counts(member_of(s)), dvi_member_rows(member_of(s))};
        nbytes += dvi_batch_nbytes(batch);
    }
    return DV_OK;
}

static void drop_kept(const dvi_set *set, slot *s)
{
    for (; s->at < s->n; s->at++) {
        dvi_scan_drop_counts(set->scan, &s->kept[s->at].counts);
        dv_batch_release(&s->kept[s->at].batch);
    }
    s->n = s->at = 0;
}

/* Another member reads the chunk: a cursor that failed has ended. */
static void give_up(const dvi_set *set, slot *s)
{
    drop_kept(set, s);
    dv_cursor_close(&s->member);
    s->is_begun = false;
    s->status = DV_OK;
}

/* An error comes after the batches before it, so it stays in the slot. */
static dv_status run_task(void *ctx, const dvi_task *task, dv_error *err)
{
    dvi_set *set = ctx;
    slot *s = task->place;
    (void)err;
    s->status = collect(set, task);
    if (s->status == DV_END && !set->is_split)
        return_idle(set, s);
    else if (s->status == DV_ERR_MEMORY || (s->status == DV_ERR_LIMIT && set->is_split))
        give_up(set, s);
    return DV_OK;
}

static void free_slot(void *ctx, void *place)
{
    const dvi_set *set = ctx;
    slot *s = place;
    drop_kept(set, s);
    dvi_free(&set->allocator, s->kept, s->cap * sizeof *s->kept);
    dvi_group_release(&s->group);
    dv_cursor_close(&s->member);
}

/* --- Delivering ------------------------------------------------------------------------------- */

/* Read the groups of this chunk and of the chunks whose tasks may run. DV_END: there is no such
 * chunk. */
static dv_status read_ahead(dvi_set *set, dv_error *err)
{
    const bool is_ahead = set->chunk > 0 || dvi_scan_is_fine(set->scan);
    const int64_t end = set->chunk + (is_ahead ? set->window : 1);
    const int64_t before = set->read;
    while (set->read < end && set->read_status == DV_OK) {
        set->read_status =
            dvi_scan_read(set->scan, &slot_of(set, set->read)->group, &set->read_error);
        set->read += set->read_status == DV_OK;
    }
    if (is_ahead && set->read > dvi_max_i64(before, 1))
        dvi_tasks_allow(set->tasks, set->read - 1);
    if (set->chunk < set->read)
        return DV_OK;
    if (err)
        *err = set->read_error;
    return set->read_status;
}

static int64_t count_tasks(const dvi_set *set)
{
    return dvi_max_i64(dvi_scan_chunks(set->scan) - 1, 0);
}

static dv_status find_splits(dvi_set *set, dv_error *err)
{
    dvi_splits_found found;
    const dv_status status = dvi_scan_find_splits(set->scan, set->request, &found, err);
    if (status != DV_OK)
        return status;
    set->left = found.rows_most;
    set->first_id = found.first_row;
    return DV_OK;
}

/* Can the chunk be read? DV_END: there is no such chunk. */
static dv_status reach_chunk(dvi_set *set, dv_error *err)
{
    dv_status status = DV_OK;
    if (set->is_split && set->left < 0)
        status = find_splits(set, err);
    const bool is_end = set->chunk >= dvi_scan_chunks(set->scan) || set->left == 0 || set->is_rest;
    if (status == DV_OK && is_end)
        return DV_END;
    if (dvi_scan_kind(set->scan) == DVI_CHUNKS_ARE_GROUPS)
        return read_ahead(set, err);
    const bool are_due =
        set->is_split ? set->chunk == 1 : set->chunk == 0 && dvi_scan_is_fine(set->scan);
    if (status == DV_OK && are_due)
        dvi_tasks_allow(set->tasks, count_tasks(set)); /* starts the threads */
    return status;
}

/* The caller knows where its split begins, and how many rows are left. */
static dvi_split place_of(const dvi_set *set)
{
    return (dvi_split){.from = set->split_end, .rows_most = set->left, .is_rest = set->is_rest};
}

/* Note whether the begin of a split was guessed right. If most were not, guessing costs more than
 * it saves: this thread reads the rest alone. */
static void note_guess(dvi_set *set, bool is_right)
{
    set->guesses = (set->guesses << 1 | !is_right) & (((uint32_t)1 << GUESSES) - 1);
    set->is_rest = !is_right && __builtin_popcount(set->guesses) > GUESSES / 2;
}

/* Has the task read the split from where the one before it has ended, and no row too many, not even
 * one that it failed to read? If not, the caller reads it. */
static void check_split(dvi_set *set, slot *s)
{
    int64_t from, to;
    if (!s->is_begun)
        return;
    dvi_member_bounds(member_of(s), &from, &to);
    note_guess(set, from == set->split_end);
    const int64_t rows = dvi_member_rows(member_of(s));
    if (from == set->split_end && (rows < set->left || (rows == set->left && s->status >= 0)))
        return;
    drop_kept(set, s);
    if (s->status < 0)
        dv_cursor_close(&s->member);
    s->status = DV_OK;
    s->is_begun = false;
}

/* Take the current chunk. DV_END: there is no such chunk. */
static dv_status take_chunk(dvi_set *set, dv_error *err)
{
    if (set->is_current)
        return DV_OK;
    dv_status status = reach_chunk(set, err);
    if (status == DV_OK && set->chunk > 0)
        status = dvi_tasks_take(set->tasks, set->chunk - 1, NULL, err);
    if (status == DV_OK && set->chunk > 0 && set->is_split)
        check_split(set, slot_of(set, set->chunk));
    set->is_current = status == DV_OK;
    return status;
}

static void leave_split(dvi_set *set, slot *s)
{
    int64_t from;
    const int64_t rows = dvi_member_rows(member_of(s));
    dvi_member_bounds(member_of(s), &from, &set->split_end);
    set->before += rows;
    set->left -= set->left == INT64_MAX ? 0 : rows;
}

static void leave_chunk(dvi_set *set, slot *s)
{
    if (set->is_split)
        leave_split(set, s);
    return_idle(set, s);
    dvi_group_release(&s->group);
    s->n = s->at = 0;
    s->status = DV_OK;
    if (set->chunk > 0)
        dvi_tasks_give_back(set->tasks, set->chunk);
    set->chunk++;
    set->is_current = false;
}

/* Ids that are numbers of rows in the split become numbers of rows of the view. */
static dv_status number_ids(const dvi_set *set, dv_batch *batch, const dv_batch *from,
                            dv_error *err)
{
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    for (int64_t i = 0; i < from->rows; i++)
        ids[i] = (dv_u128){from->ids[i].lo + (uint64_t)(set->first_id + set->before), 0};
    return DV_OK;
}

/* The source sets the ids of all rows or of none. */
static dv_status take_ids(dvi_set *set, const slot *s, dv_batch *batch, const dv_batch *from,
                          dv_error *err)
{
    const bool are_numbers = dvi_member_numbers_ids(member_of(s));
    if (set->ids == IDS_UNKNOWN)
        set->ids = are_numbers ? IDS_NUMBERED : IDS_OWN;
    if (are_numbers != (set->ids == IDS_NUMBERED))
        return dvi_fail_argument(err, "view %s: only some of its batches have ids",
                                 dv_view_kind(dvi_scan_base(set->scan)));
    return are_numbers ? number_ids(set, batch, from, err) : DV_OK;
}

static dv_status deliver(dvi_set *set, const slot *s, dv_batch *batch, const dv_batch *from,
                         dv_error *err)
{
    DVI_TRY(dvi_batch_show(batch, from, set->request->first_row + set->rows, err));
    if (set->is_split && set->request->ids)
        DVI_TRY(take_ids(set, s, batch, from, err));
    set->rows += from->rows;
    return DV_OK;
}

/* Add what is counted in rows of the split: `rows` of them are delivered now, or were read and left
 * out. */
static dv_status count(dvi_set *set, void **counts, int64_t rows, dv_error *err)
{
    set->delivered = set->before + rows;
    return dvi_scan_add_counts(set->scan, set->before, counts, err);
}

/* The rows that the member has read and that are not counted yet. */
static dv_status count_rest(dvi_set *set, const slot *s, dv_error *err)
{
    if (!set->is_split)
        return DV_OK;
    void *counts = dvi_member_take_counts(member_of(s));
    return count(set, &counts, dvi_member_rows(member_of(s)), err);
}

/* Deliver the next batch that a task kept, if its file can still be read. */
static dv_status deliver_kept(dvi_set *set, slot *s, dv_batch *batch, dv_error *err)
{
    kept *k = &s->kept[s->at];
    DVI_TRY(dvi_view_check(set->view, err));
    DVI_TRY(deliver(set, s, batch, k->batch, err));
    dv_batch_release(&k->batch);
    s->at++;
    return count(set, &k->counts, k->rows, err);
}

/* Deliver the next batch of the member after those that the task kept. */
static dv_status deliver_rest(dvi_set *set, slot *s, dv_batch *batch, dv_error *err)
{
    const dv_batch *next;
    const dvi_split place = place_of(set);
    DVI_TRY(begin(set, s, set->chunk, &place, err));
    const dv_status status = dv_cursor_next(s->member, &next, err);
    DVI_TRY(count_rest(set, s, err));
    return status == DV_OK ? deliver(set, s, batch, next, err) : status;
}

/* Errors are those of rows in splits. */
static dv_status fail_in(const dvi_set *set, const slot *s, dv_status status, dv_error *err)
{
    if (set->is_split && status < 0 && s->member)
        dvi_scan_blame(set->scan, member_of(s), set->before, err);
    return status;
}

/* Errors after the requested rows, which some member may have met, are not reported. */
static bool has_all_rows(const dvi_set *set)
{
    const dv_cursor_request *request = set->request;
    return set->rows >= request->end_row - request->first_row;
}

static dv_status read_next(dvi_set *set, dv_batch *batch, dv_error *err)
{
    if (has_all_rows(set))
        return DV_END;
    for (;;) {
        DVI_TRY(dvi_request_report(set->request, err));
        const dv_status status = take_chunk(set, err);
        if (status != DV_OK)
            return status;
        slot *s = slot_of(set, set->chunk);
        if (s->at < s->n)
            return deliver_kept(set, s, batch, err);
        if (s->status == DV_OK) {
            const dv_status rest = deliver_rest(set, s, batch, err);
            if (rest != DV_END)
                return fail_in(set, s, rest, err);
        } else {
            DVI_TRY(count_rest(set, s, err));
            if (s->status < 0 && err)
                *err = s->error;
            if (s->status < 0)
                return fail_in(set, s, s->status, err);
        }
        leave_chunk(set, s);
    }
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_set *set = cursor;
    const dv_status status = read_next(set, batch, err);
    if (status == DV_END && set->is_split)
        dvi_scan_end_splits(set->scan, set->delivered, true);
    return status;
}

static dv_status check_set(void *cursor, dv_error *err)
{
    return dvi_view_check(((const dvi_set *)cursor)->view, err);
}

/* --- Opening and closing ---------------------------------------------------------------------- */

static void free_set(dvi_set *set)
{
    const dv_allocator allocator = set->allocator;
    dvi_scan_release(&set->scan);
    pthread_mutex_destroy(&set->lock);
    dvi_free(&allocator, set->idle, (size_t)room_for_idle(set) * sizeof *set->idle);
    dvi_free(&allocator, set, sizeof *set);
}

static void close_set(void *cursor)
{
    dvi_set *set = cursor;
    if (set->is_split)
        dvi_scan_end_splits(set->scan, set->delivered, false);
    dvi_tasks_free(&set->tasks);
    free_slot(set, &set->first);
    while (set->idle_n > 0)
        dv_cursor_close(&set->idle[--set->idle_n]);
    free_set(set);
}

static dv_status make_set(dvi_set **set_out, dv_view *view, dvi_scan *scan, int32_t workers,
                          dv_error *err)
{
    const dv_allocator *allocator = dvi_view_allocator(view);
    dvi_set *set;
    *set_out = NULL;
    DVI_TRY(DVI_NEW(allocator, &set, 1, err));
    set->workers = workers;
    set->window = dvi_tasks_window(workers);
    const dv_status status = DVI_NEW(allocator, &set->idle, (size_t)room_for_idle(set), err);
    if (status < 0) {
        dvi_free(allocator, set, sizeof *set);
        return status;
    }
    set->allocator = *allocator;
    set->view = view;
    set->scan = scan;
    set->read_error = (dv_error)DV_ERROR_INIT;
    set->is_split = dvi_scan_kind(scan) == DVI_CHUNKS_ARE_SPLITS;
    set->left = set->split_end = -1;
    pthread_mutex_init(&set->lock, NULL);
    dvi_scan_assign(scan);
    *set_out = set;
    return DV_OK;
}

dv_status dvi_set_create(dvi_set **set_out, dv_view *view, const dv_cursor_request *request,
                         dv_error *err)
{
    dvi_scan *scan;
    int32_t workers;
    *set_out = NULL;
    DVI_TRY(dvi_scan_plan(&scan, &workers, view, request, err));
    const dv_status status = workers > 0 ? make_set(set_out, view, scan, workers, err) : DV_OK;
    if (!*set_out)
        dvi_scan_release(&scan);
    return status;
}

dv_status dvi_set_of(dvi_set **set_out, dv_view *view, dvi_scan *scan, dv_cursor *members[],
                     int32_t n, dv_error *err)
{
    DVI_TRY(make_set(set_out, view, scan, n - 1, err));
    dvi_scan_retain(scan);
    (*set_out)->given = members;
    return DV_OK;
}

const dvi_scan *dvi_set_scan(const dvi_set *set)
{
    return set->scan;
}

int32_t dvi_set_workers(const dvi_set *set)
{
    return set->workers;
}

static void read_request(dvi_set *set, const dv_cursor_request *request)
{
    set->request = request;
    set->options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    set->options.columns = request->columns;
    set->options.columns_count = request->columns_count;
    set->options.first_row = request->first_row;
    set->options.end_row = request->end_row == INT64_MAX ? -1 : request->end_row;
    set->options.ids = request->ids;
    set->options.epoch = request->epoch;
    set->options.zero_copy_only = request->zero_copy_only;
}

/* Opening the first member reports errors, and sets the number of chunks. */
static dv_status open_members(dvi_set *set, dv_error *err)
{
    if (!set->given)
        DVI_TRY(dvi_scan_open_member(set->scan, &set->idle[0], set->view, &set->options, err));
    set->idle_n = !set->given;
    const bool is_by_number = dvi_scan_kind(set->scan) == DVI_CHUNKS_OF_ROWS;
    const int64_t most = is_by_number ? count_tasks(set) : set->workers;
    const dvi_tasks_how how = {.ctx = set,
                               .run = run_task,
                               .place_nbytes = sizeof(slot),
                               .free_place = free_slot,
                               .workers = (int32_t)dvi_min_i64(set->workers, most),
                               .window = set->window,
                               .count = is_by_number ? most : 0,
                               .runs_once = true};
    DVI_TRY(dvi_tasks_create(&set->tasks, &how, &set->allocator, err));
    for (int32_t i = set->workers; set->given && i >= 0; i--) {
        set->idle[set->idle_n++] = set->given[i];
        set->given[i] = NULL;
    }
    return DV_OK;
}

static dv_status open_set(void *self, const dv_cursor_request *request, void **cursor_out,
                          dv_error *err)
{
    dvi_set *set = self;
    read_request(set, request);
    const dv_status status = open_members(set, err);
    if (status < 0)
        close_set(set);
    else
        *cursor_out = set;
    return status;
}

const dv_view_class dvi_set_class = {.size = sizeof dvi_set_class,
                                     .kind = "set",
                                     .open_cursor = open_set,
                                     .next = next,
                                     .close_cursor = close_set,
                                     .check_cursor = check_set};
