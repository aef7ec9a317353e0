/* SPDX-License-Identifier: MIT */
/* scan.c: divides the rows at the base of a chain of views among the members of a cursor set. */
#include "scan/scan.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/read_cursor.h"
#include "scan/view_chain.h"
#include <pthread.h>
#include <string.h>

#define GROUP_ROWS INT64_C(1024)
#define GROUP_NBYTES ((size_t)1 << 20)

struct dvi_scan {
    dv_owner owner;
    dv_allocator allocator;
    dv_view *base; /* one reference */
    dvi_chunks kind;
    bool is_assigned;
    int64_t job_rows; /* 0: not fine */
    int32_t threads, reader_threads;

    pthread_mutex_t lock; /* guards all below, while members are opened or moved */
    bool is_set_up;
    int64_t first_row, end_row, chunk_rows; /* by number */
    int64_t chunks;
    int64_t next; /* chunk to be taken */
    dv_cursor *reader;
    dvi_request asked; /* for splits: the request that the base gets */
    void *splits;      /* NULL: not found yet */
};

struct dvi_member {
    dvi_scan *scan; /* one reference */
    int64_t chunk;
    bool has_chunk; /* some of its rows are not delivered yet */
    dvi_group group;

    dvi_split split;
    void *source;     /* the base's cursor, which reads it; NULL: not open */
    int64_t rows;     /* that were read of it */
    void *counts;     /* what is counted in them */
    bool has_failed;  /* the base's cursor has */
    bool numbers_ids; /* the base has no ids of its own */
};

/* --- Scan ------------------------------------------------------------------------------------- */

void dvi_group_release(dvi_group *group)
{
    while (group->at < group->n)
        dv_batch_release(&group->batch[group->at++]);
    group->at = group->n = 0;
}

static const dvi_splits_class *splits_of(const dvi_scan *s)
{
    return dvi_view_splits(s->base);
}

static void release_scan(dv_owner *owner)
{
    dvi_scan *s = (dvi_scan *)owner;
    dv_cursor_close(&s->reader);
    if (s->splits)
        splits_of(s)->close(s->splits);
    dv_view_release(&s->base);
    pthread_mutex_destroy(&s->lock);
    const dv_allocator allocator = s->allocator;
    dvi_free(&allocator, s, sizeof *s);
}

int64_t dvi_scan_job_rows(const dv_view *view, const int32_t *columns, int32_t n,
                          int64_t batch_rows)
{
    const int64_t rows = dvi_view_job_rows(view, columns, n);
    return rows > 0 ? dvi_fewer_rows(rows, batch_rows) : 0;
}

static dvi_chunks choose_kind(const dvi_scan *s, bool is_free, const dv_cursor_request *in_order)
{
    const int64_t block = dv_view_block_rows(s->base);
    const bool suits = block <= s->job_rows && !dvi_view_decodes_far_blocks(s->base);
    if (dv_view_rows(s->base) >= 0 && block > 0 && (s->job_rows == 0 || suits))
        return DVI_CHUNKS_OF_ROWS;
    const bool may_split = in_order && is_free && s->job_rows == 0 && splits_of(s);
    return may_split && splits_of(s)->most(s->base, in_order) > 1 ? DVI_CHUNKS_ARE_SPLITS
                                                                  : DVI_CHUNKS_ARE_GROUPS;
}

dv_status dvi_scan_create(dvi_scan **scan_out, dv_view *view, const dvi_scan_how *how,
                          dv_error *err)
{
    void *made;
    *scan_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(dvi_scan), err));
    dvi_scan *s = made;
    dvi_owner_init(&s->owner, release_scan);
    s->allocator = *dvi_view_allocator(view);
    bool is_free;
    s->base = dvi_find_base(view, how->is_range, &is_free);
    dv_view_retain(s->base);
    s->job_rows = how->job_rows < DVI_CHUNK_ROWS_LEAST ? how->job_rows : 0;
    s->threads = how->threads;
    s->kind = choose_kind(s, is_free, how->in_order);
    s->reader_threads = 1;
    pthread_mutex_init(&s->lock, NULL);
    *scan_out = s;
    return DV_OK;
}

void dvi_scan_retain(dvi_scan *s)
{
    dvi_owner_retain(&s->owner);
}

void dvi_scan_release(dvi_scan **scan)
{
    if (*scan)
        dvi_owner_release(&(*scan)->owner);
    *scan = NULL;
}

dv_view *dvi_scan_base(const dvi_scan *s)
{
    return s->base;
}

dvi_chunks dvi_scan_kind(const dvi_scan *s)
{
    return s->kind;
}

bool dvi_scan_is_fine(const dvi_scan *s)
{
    return s->job_rows > 0;
}

void dvi_scan_use_threads(dvi_scan *s, int32_t reader_threads)
{
    s->reader_threads = reader_threads;
}

void dvi_scan_assign(dvi_scan *s)
{
    s->is_assigned = true;
}

bool dvi_scan_has_begun(const dvi_scan *s)
{
    return s->next > 0;
}

int64_t dvi_scan_chunks(const dvi_scan *s)
{
    return s->chunks;
}

static dv_status open_reader(dvi_scan *s, const dv_cursor_request *request, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = request->columns;
    options.columns_count = request->columns_count;
    options.first_row = request->first_row;
    options.end_row = request->end_row == INT64_MAX ? -1 : request->end_row;
    options.threads = s->reader_threads;
    options.ids = request->ids;
    options.epoch = request->epoch;
    options.zero_copy_only = request->zero_copy_only;
    if (!request->zero_copy_only)
        options.batch_rows = s->job_rows; /* slices of blocks */
    const unsigned how = splits_of(s) ? 0 : DVI_CURSOR_PLAIN;
    return dvi_cursor_open(&s->reader, s->base, &options, NULL, how, err);
}

/* All members request the same at the base; the first one sets up the scan. */
static dv_status set_up(dvi_scan *s, const dv_cursor_request *request, dv_error *err)
{
    if (s->is_set_up)
        return DV_OK;
    s->chunks = INT64_MAX;
    if (s->kind == DVI_CHUNKS_OF_ROWS) {
        s->chunk_rows = dvi_scan_chunk_rows(s->base, request, s->job_rows, s->threads);
        s->first_row = request->first_row;
        s->end_row = request->end_row;
        s->chunks = (s->end_row - 1) / s->chunk_rows - s->first_row / s->chunk_rows + 1;
    } else if (s->kind == DVI_CHUNKS_ARE_GROUPS) {
        DVI_TRY(open_reader(s, request, err));
    }
    s->asked.shown = *request;
    s->is_set_up = true;
    return DV_OK;
}

const dv_cursor_request *dvi_scan_asked(const dvi_scan *s)
{
    return &s->asked.shown;
}

int64_t dvi_scan_splits_most(const dvi_scan *s)
{
    return splits_of(s)->most(s->base, &s->asked.shown);
}

dv_status dvi_scan_find_splits(dvi_scan *s, const dv_cursor_request *request,
                               dvi_splits_found *found_out, dv_error *err)
{
    dvi_request asked = {.shown = s->asked.shown, .progress = dvi_request_progress(request)};
    asked.shown.size = sizeof asked;
    const dv_status status = splits_of(s)->open(s->base, &asked.shown, &s->splits, found_out, err);
    s->chunks = status == DV_OK ? found_out->count : 0;
    return status;
}

void dvi_scan_end_splits(dvi_scan *s, int64_t rows, bool is_end)
{
    if (s->splits && splits_of(s)->end)
        splits_of(s)->end(s->splits, rows, is_end);
}

void dvi_scan_blame(const dvi_scan *s, const dvi_member *member, int64_t rows, dv_error *err)
{
    if (member->has_failed && splits_of(s)->blame)
        splits_of(s)->blame(s->splits, rows + member->rows, err);
}

dv_status dvi_scan_read(dvi_scan *s, dvi_group *group, dv_error *err)
{
    const int64_t most = s->job_rows > 0 ? s->job_rows : GROUP_ROWS;
    int64_t rows = 0;
    size_t nbytes = 0;
    group->at = group->n = 0;
    while (group->n < DVI_GROUP_MAX && rows < most && nbytes < GROUP_NBYTES) {
        const dv_batch *batch;
        dv_error own = DV_ERROR_INIT;
        const dv_status status = dv_cursor_next(s->reader, &batch, &own);
        if (status != DV_OK && group->n > 0)
            break; /* the next call returns it again */
        if (status < 0 && err)
            *err = own;
        if (status != DV_OK)
            return status;
        dv_batch_retain(batch);
        group->batch[group->n++] = batch;
        rows += batch->rows;
        nbytes += dvi_batch_nbytes(batch);
    }
    return DV_OK;
}

/* --- Members ---------------------------------------------------------------------------------- */

dv_status dvi_scan_open_member(dvi_scan *s, dv_cursor **cursor_out, dv_view *view,
                               const dv_cursor_options *given, dv_error *err)
{
    void *made;
    dv_cursor_options options = *given;
    options.threads = 1;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&s->allocator, &made, sizeof(dvi_member), err));
    dvi_member *member = made;
    dvi_scan_retain(s);
    member->scan = s;
    const dv_status status = dvi_cursor_open(cursor_out, view, &options, member, 0, err);
    if (status < 0)
        dvi_member_free(member);
    else
        dvi_cursor_own_member(*cursor_out);
    return status;
}

bool dvi_member_is_at_base(const dvi_member *member, const dv_view *view)
{
    return member->scan->base == view;
}

dvi_scan *dvi_member_scan(const dvi_member *member)
{
    return member->scan;
}

void dvi_scan_drop_counts(const dvi_scan *s, void **counts)
{
    if (*counts)
        splits_of(s)->free_counts(*counts);
    *counts = NULL;
}

dv_status dvi_scan_add_counts(dvi_scan *s, int64_t rows, void **counts, dv_error *err)
{
    const dv_status status = *counts ? splits_of(s)->add(s->splits, rows, *counts, err) : DV_OK;
    dvi_scan_drop_counts(s, counts);
    return status;
}

void *dvi_member_take_counts(dvi_member *member)
{
    void *counts = member->counts;
    member->counts = NULL;
    return counts;
}

void dvi_member_free(dvi_member *member)
{
    dvi_group_release(&member->group);
    dvi_scan_drop_counts(member->scan, &member->counts);
    const dv_allocator allocator = member->scan->allocator;
    dvi_scan_release(&member->scan);
    dvi_free(&allocator, member, sizeof *member);
}

void dvi_member_give(dvi_member *member, int64_t chunk, const dvi_group *group)
{
    member->chunk = chunk;
    member->has_chunk = true;
    member->rows = 0;
    member->has_failed = member->numbers_ids = false;
    dvi_scan_drop_counts(member->scan, &member->counts);
    if (member->scan->kind != DVI_CHUNKS_ARE_GROUPS)
        return;
    dvi_group_release(&member->group);
    member->group = *group;
    for (int32_t i = group->at; i < group->n; i++)
        dv_batch_retain(group->batch[i]);
}

void dvi_member_place(dvi_member *member, const dvi_split *how)
{
    member->split = *how;
    member->split.splits = member->scan->splits;
    member->split.number = member->chunk;
}

int64_t dvi_member_rows(const dvi_member *member)
{
    return member->rows;
}

void dvi_member_bounds(const dvi_member *member, int64_t *from_out, int64_t *to_out)
{
    const dvi_splits_class *cls = splits_of(member->scan);
    *from_out = *to_out = -1;
    if (cls->bounds && member->source)
        cls->bounds(member->source, from_out, to_out);
}

bool dvi_member_numbers_ids(const dvi_member *member)
{
    return member->numbers_ids;
}

/* Take the next chunk. DV_END: there is none for this member. */
static dv_status take_chunk(dvi_member *member, dv_error *err)
{
    dvi_scan *s = member->scan;
    dv_status status = DV_OK;
    if (s->is_assigned)
        return DV_END;
    pthread_mutex_lock(&s->lock);
    if (s->next >= s->chunks)
        status = DV_END;
    else if (s->kind == DVI_CHUNKS_ARE_GROUPS)
        status = dvi_scan_read(s, &member->group, err);
    if (status == DV_OK)
        member->chunk = s->next++;
    pthread_mutex_unlock(&s->lock);
    member->has_chunk = status == DV_OK;
    return status;
}

/* --- The member as a cursor ------------------------------------------------------------------- */

typedef struct member_cursor {
    dvi_member *member;
    dvi_request request; /* for the base's cursor, which reads a run of row numbers */
    void *source;
    bool is_in_chunk; /* the base's cursor is in the member's chunk */
    bool is_fresh;    /* that cursor was opened and has delivered nothing */
} member_cursor;

static void close_source(member_cursor *c)
{
    void *self;
    const dv_view_class *cls = dvi_view_reader(c->member->scan->base, &self);
    if (c->source && cls->close_cursor)
        cls->close_cursor(c->source);
    c->source = c->member->source = NULL;
}

static void close_member_cursor(void *cursor)
{
    member_cursor *c = cursor;
    close_source(c);
    dvi_free(c->request.shown.allocator, c, sizeof *c);
}

static dv_status open_source(member_cursor *c, dv_error *err)
{
    dv_view *base = c->member->scan->base;
    void *self;
    const dv_view_class *cls = dvi_view_reader(base, &self);
    const dv_status status = cls->open_cursor(self, &c->request.shown, &c->source, err);
    if (status < 0)
        c->source = NULL;
    c->member->source = c->source;
    return status;
}

static void choose_rows(member_cursor *c, int64_t chunk)
{
    const dvi_scan *s = c->member->scan;
    if (s->kind == DVI_CHUNKS_ARE_SPLITS)
        return;
    const int64_t at = (s->first_row / s->chunk_rows + chunk) * s->chunk_rows;
    c->request.shown.first_row = dvi_max_i64(at, s->first_row);
    c->request.shown.end_row = at + dvi_min_i64(s->chunk_rows, s->end_row - at);
}

static dv_status open_member_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                    dv_error *err)
{
    dvi_member *member = self;
    dvi_scan *s = member->scan;
    void *made;
    pthread_mutex_lock(&s->lock);
    dv_status status = set_up(s, request, err);
    pthread_mutex_unlock(&s->lock);
    DVI_TRY(status);
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(member_cursor), err));
    member_cursor *c = made;
    c->member = member;
    c->request = (dvi_request){.shown = *request};
    c->request.shown.threads = 1;
    if (s->kind == DVI_CHUNKS_ARE_SPLITS)
        c->request.split = &member->split;
    if (s->kind != DVI_CHUNKS_ARE_GROUPS) {
        choose_rows(c, member->has_chunk ? member->chunk : 0);
        status = open_source(c, err);
        c->is_fresh = s->kind == DVI_CHUNKS_OF_ROWS;
    }
    if (status < 0)
        close_member_cursor(c);
    else
        *cursor_out = c;
    return status;
}

/* Move the base's cursor to the start of the member's chunk. */
static dv_status seek_chunk(member_cursor *c, dv_error *err)
{
    void *self;
    const dv_view_class *cls = dvi_view_reader(c->member->scan->base, &self);
    const int64_t before = c->request.shown.first_row;
    choose_rows(c, c->member->chunk);
    if (c->is_fresh && c->source && c->request.shown.first_row == before) {
        c->is_in_chunk = true;
        return DV_OK;
    }
    if (c->source && cls->seek) {
        DVI_TRY(cls->seek(c->source, err));
    } else {
        close_source(c);
        DVI_TRY(open_source(c, err));
    }
    c->is_in_chunk = true;
    return DV_OK;
}

/* Ids that the base does not set are numbers of rows, here in the split. It sets all or none. */
static dv_status number_ids(const member_cursor *c, dv_batch *batch, int64_t first, dv_error *err)
{
    dv_u128 *ids;
    if (!c->request.shown.ids)
        return DV_OK;
    if (first > 0 && c->member->numbers_ids == (batch->ids != NULL))
        return dvi_fail_argument(err, "view %s: only some of its batches have ids",
                                 dv_view_kind(c->member->scan->base));
    if (batch->ids)
        return DV_OK;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    for (int64_t i = 0; i < batch->rows; i++)
        ids[i] = (dv_u128){(uint64_t)(first + i), 0};
    c->member->numbers_ids = true;
    return DV_OK;
}

static dv_status note_rows(member_cursor *c, dv_batch *batch, dv_error *err)
{
    dvi_member *m = c->member;
    const dvi_splits_class *cls = splits_of(m->scan);
    DVI_TRY(number_ids(c, batch, m->rows, err));
    if (cls->count)
        DVI_TRY(cls->count(c->source, m->rows, &m->counts, err));
    m->rows += batch->rows;
    return DV_OK;
}

static dv_status next_of_own(member_cursor *c, dv_batch *batch, dv_error *err)
{
    const bool is_split = c->member->scan->kind == DVI_CHUNKS_ARE_SPLITS;
    void *self;
    dv_status status = c->is_in_chunk ? DV_OK : seek_chunk(c, err);
    c->is_fresh = false;
    if (status == DV_OK)
        status = dvi_view_reader(c->member->scan->base, &self)->next(c->source, batch, err);
    if (status == DV_END)
        c->is_in_chunk = c->member->has_chunk = false;
    c->member->has_failed = status < 0;
    return status == DV_OK && is_split ? note_rows(c, batch, err) : status;
}

static dv_status next_of_group(member_cursor *c, dv_batch *batch, dv_error *err)
{
    dvi_group *group = &c->member->group;
    if (group->at == group->n) {
        c->member->has_chunk = false;
        return DV_END;
    }
    const dv_batch *from = group->batch[group->at];
    DVI_TRY(dvi_batch_show(batch, from, from->first_row, err));
    dv_batch_release(&group->batch[group->at++]);
    return DV_OK;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    member_cursor *c = cursor;
    for (;;) {
        dv_status status = c->member->has_chunk ? DV_OK : take_chunk(c->member, err);
        if (status != DV_OK)
            return status;
        status = c->member->scan->kind == DVI_CHUNKS_ARE_GROUPS ? next_of_group(c, batch, err)
                                                                : next_of_own(c, batch, err);
        if (status == DV_OK)
            dvi_batch_set_chunk(batch, c->member->chunk);
        if (status != DV_END)
            return status;
    }
}

/* The chunk determines the rows. */
static dv_status seek(void *cursor, dv_error *err)
{
    (void)err;
    ((member_cursor *)cursor)->is_in_chunk = false;
    return DV_OK;
}

static dv_status check_member_cursor(void *cursor, dv_error *err)
{
    return dvi_view_check(((const member_cursor *)cursor)->member->scan->base, err);
}

const dv_view_class dvi_member_class = {.size = sizeof dvi_member_class,
                                        .kind = "member",
                                        .open_cursor = open_member_cursor,
                                        .next = next,
                                        .close_cursor = close_member_cursor,
                                        .check_cursor = check_member_cursor,
                                        .seek = seek};
