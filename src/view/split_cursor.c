/* SPDX-License-Identifier: MIT */
/* split_cursor.c: divides the rows at the base of a chain of views among the members of a cursor
 * set. */
#include "view/split_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/view.h"
#include <pthread.h>
#include <string.h>

#define CHUNK_NBYTES INT64_C(1 << 20) /* of the active columns, roughly */
#define TEXT_NBYTES 32                /* of a text, if nothing more is known */
#define BYTES_NBYTES 256              /* of bytes */
#define SLOTS 16                      /* of a vector of any length */
#define CHUNK_ROWS_LEAST INT64_C(1024)
#define CHUNK_ROWS_MOST INT64_C(65536)
#define GROUP_ROWS INT64_C(1024)
#define GROUP_NBYTES ((size_t)1 << 20)

struct dvi_split {
    dv_owner owner;
    dv_allocator allocator;
    dv_view *base; /* one reference */
    bool is_by_number, is_assigned;
    int64_t job_rows; /* 0: not fine */
    int32_t threads, reader_threads;

    pthread_mutex_t lock; /* guards all below, while members are opened or moved */
    bool is_set_up;
    int64_t first_row, end_row, chunk_rows; /* by number */
    int64_t chunks;
    int64_t next; /* chunk to be taken */
    dv_cursor *reader;
};

struct dvi_member {
    dvi_split *split; /* one reference */
    int64_t chunk;
    bool has_chunk; /* some of its rows are not delivered yet */
    dvi_group group;
};

/* --- Views ------------------------------------------------------------------------------------ */

/* Go down the chain while a member that reads only some rows of the source still produces the right
 * rows. */
static dv_view *find_base(dv_view *view, bool is_range)
{
    bool needs_numbers = is_range;
    for (;;) {
        const dvi_view_traits *traits = dvi_view_traits_of(view);
        int numbers = 0;
        dv_view *source =
            traits->row_source ? traits->row_source(dvi_view_self(view), &numbers) : NULL;
        if (!source || (needs_numbers && (numbers & DVI_ROWS_LOST)))
            return view;
        needs_numbers |= (numbers & DVI_ROWS_NEEDED) != 0;
        view = source;
    }
}

/* --- Split ------------------------------------------------------------------------------------ */

void dvi_group_release(dvi_group *group)
{
    while (group->at < group->n)
        dv_batch_release(&group->batch[group->at++]);
    group->at = group->n = 0;
}

static void release_split(dv_owner *owner)
{
    dvi_split *s = (dvi_split *)owner;
    dv_cursor_close(&s->reader);
    dv_view_release(&s->base);
    pthread_mutex_destroy(&s->lock);
    const dv_allocator allocator = s->allocator;
    dvi_free(&allocator, s, sizeof *s);
}

int64_t dvi_split_job_rows(const dv_view *view, const int32_t *columns, int32_t n,
                           int64_t batch_rows)
{
    const int64_t rows = dvi_view_job_rows(view, columns, n);
    return rows > 0 ? dvi_fewer_rows(rows, batch_rows) : 0;
}

dv_status dvi_split_create(dvi_split **split_out, dv_view *view, const dvi_split_how *how,
                           dv_error *err)
{
    void *made;
    *split_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(dvi_split), err));
    dvi_split *s = made;
    dvi_owner_init(&s->owner, release_split);
    s->allocator = *dvi_view_allocator(view);
    s->base = find_base(view, how->is_range);
    dv_view_retain(s->base);
    s->job_rows = how->job_rows < CHUNK_ROWS_LEAST ? how->job_rows : 0;
    s->threads = how->threads;
    const int64_t block = dv_view_block_rows(s->base);
    const bool suits = block <= s->job_rows && !dvi_view_decodes_far_blocks(s->base);
    s->is_by_number = dv_view_rows(s->base) >= 0 && block > 0 && (s->job_rows == 0 || suits);
    s->reader_threads = 1;
    pthread_mutex_init(&s->lock, NULL);
    *split_out = s;
    return DV_OK;
}

void dvi_split_retain(dvi_split *s)
{
    dvi_owner_retain(&s->owner);
}

void dvi_split_release(dvi_split **split)
{
    if (*split)
        dvi_owner_release(&(*split)->owner);
    *split = NULL;
}

dv_view *dvi_split_base(const dvi_split *s)
{
    return s->base;
}

bool dvi_split_is_by_number(const dvi_split *s)
{
    return s->is_by_number;
}

bool dvi_split_is_fine(const dvi_split *s)
{
    return s->job_rows > 0;
}

void dvi_split_use_threads(dvi_split *s, int32_t reader_threads)
{
    s->reader_threads = reader_threads;
}

void dvi_split_assign(dvi_split *s)
{
    s->is_assigned = true;
}

bool dvi_split_has_begun(const dvi_split *s)
{
    return s->next > 0;
}

int64_t dvi_split_chunks(const dvi_split *s)
{
    return s->chunks;
}

static int64_t width_of(const dv_type *item)
{
    return dvi_max_i64((int64_t)dvi_width_of(item), 1);
}

/* The estimated bytes of a row. */
static int64_t guess_width(const dv_cursor_request *request)
{
    int64_t width = 1;
    for (int32_t k = 0; k < request->columns_count; k++) {
        const dv_type *type = &dv_schema_column(request->schema, request->columns[k])->type;
        const dv_type item = dv_type_item(type);
        const bool is_text = item.kind == DV_KIND_TX, is_bytes = item.kind == DV_KIND_BY;
        const int64_t each = is_text ? TEXT_NBYTES : is_bytes ? BYTES_NBYTES : width_of(&item);
        const int64_t slots = type->rank == 0 ? 1 : type->size > 0 ? type->size : SLOTS;
        width = dvi_min_i64(width + each * slots, INT32_MAX);
    }
    return width;
}

/* Whole blocks, and a chunk for each thread. */
static int64_t fine_chunk_rows(const dvi_split *s, const dv_cursor_request *request, int64_t block)
{
    const int64_t share = (request->end_row - request->first_row - 1) / s->threads + 1;
    return dvi_max_i64(dvi_min_i64(s->job_rows, share) / block, 1) * block;
}

/* Whole blocks, and enough rows to be worth a job. */
static int64_t choose_chunk_rows(const dvi_split *s, const dv_cursor_request *request)
{
    const int64_t block = dv_view_block_rows(s->base);
    if (s->job_rows > 0)
        return fine_chunk_rows(s, request, block);
    const int64_t wanted = dvi_max_i64(
        CHUNK_ROWS_LEAST, dvi_min_i64(CHUNK_NBYTES / guess_width(request), CHUNK_ROWS_MOST));
    const int64_t blocks = block < wanted ? (wanted + block - 1) / block : 1;
    return blocks * block;
}

static dv_status open_reader(dvi_split *s, const dv_cursor_request *request, dv_error *err)
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
    return dvi_cursor_open(&s->reader, s->base, &options, NULL, DVI_CURSOR_PLAIN, err);
}

/* All members request the same at the base; the first one sets up the split. */
static dv_status set_up(dvi_split *s, const dv_cursor_request *request, dv_error *err)
{
    if (s->is_set_up)
        return DV_OK;
    if (s->is_by_number) {
        s->chunk_rows = choose_chunk_rows(s, request);
        s->first_row = request->first_row;
        s->end_row = request->end_row;
        s->chunks = (s->end_row - 1) / s->chunk_rows - s->first_row / s->chunk_rows + 1;
    } else {
        DVI_TRY(open_reader(s, request, err));
        s->chunks = INT64_MAX;
    }
    s->is_set_up = true;
    return DV_OK;
}

dv_status dvi_split_read(dvi_split *s, dvi_group *group, dv_error *err)
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

dv_status dvi_split_open_member(dvi_split *s, dv_cursor **cursor_out, dv_view *view,
                                const dv_cursor_options *given, dv_error *err)
{
    void *made;
    dv_cursor_options options = *given;
    options.threads = 1;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&s->allocator, &made, sizeof(dvi_member), err));
    dvi_member *member = made;
    dvi_split_retain(s);
    member->split = s;
    const dv_status status = dvi_cursor_open(cursor_out, view, &options, member, 0, err);
    if (status < 0)
        dvi_member_free(member);
    else
        dvi_cursor_own_member(*cursor_out);
    return status;
}

bool dvi_member_is_at_base(const dvi_member *member, const dv_view *view)
{
    return member->split->base == view;
}

dvi_split *dvi_member_split(const dvi_member *member)
{
    return member->split;
}

void dvi_member_free(dvi_member *member)
{
    dvi_group_release(&member->group);
    const dv_allocator allocator = member->split->allocator;
    dvi_split_release(&member->split);
    dvi_free(&allocator, member, sizeof *member);
}

void dvi_member_give(dvi_member *member, int64_t chunk, const dvi_group *group)
{
    member->chunk = chunk;
    member->has_chunk = true;
    if (member->split->is_by_number)
        return;
    dvi_group_release(&member->group);
    member->group = *group;
    for (int32_t i = group->at; i < group->n; i++)
        dv_batch_retain(group->batch[i]);
}

/* Take the next chunk. DV_END: there is none for this member. */
static dv_status take_chunk(dvi_member *member, dv_error *err)
{
    dvi_split *s = member->split;
    dv_status status = DV_OK;
    if (s->is_assigned)
        return DV_END;
    pthread_mutex_lock(&s->lock);
    if (s->next >= s->chunks)
        status = DV_END;
    else if (!s->is_by_number)
        status = dvi_split_read(s, &member->group, err);
    if (status == DV_OK)
        member->chunk = s->next++;
    pthread_mutex_unlock(&s->lock);
    member->has_chunk = status == DV_OK;
    return status;
}

/* --- The member as a cursor ------------------------------------------------------------------- */

typedef struct member_cursor {
    dvi_member *member;
    dvi_request request; /* of the base's cursor, which reads a run of row numbers */
    void *source;
    bool is_in_chunk; /* the base's cursor is in the member's chunk */
    bool is_fresh;    /* that cursor was opened and has delivered nothing */
} member_cursor;

static void close_source(member_cursor *c)
{
    const dv_view_class *cls = dvi_view_class(c->member->split->base);
    if (c->source && cls->close_cursor)
        cls->close_cursor(c->source);
    c->source = NULL;
}

static void close_member_cursor(void *cursor)
{
    member_cursor *c = cursor;
    close_source(c);
    dvi_free(c->request.shown.allocator, c, sizeof *c);
}

static dv_status open_source(member_cursor *c, dv_error *err)
{
    dv_view *base = c->member->split->base;
    const dv_status status =
        dvi_view_class(base)->open_cursor(dvi_view_self(base), &c->request.shown, &c->source, err);
    if (status < 0)
        c->source = NULL;
    return status;
}

static void choose_rows(member_cursor *c, int64_t chunk)
{
    const dvi_split *s = c->member->split;
    const int64_t at = (s->first_row / s->chunk_rows + chunk) * s->chunk_rows;
    c->request.shown.first_row = dvi_max_i64(at, s->first_row);
    c->request.shown.end_row = dvi_min_i64(at + s->chunk_rows, s->end_row);
}

static dv_status open_member_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                    dv_error *err)
{
    dvi_member *member = self;
    dvi_split *s = member->split;
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
    if (s->is_by_number) {
        choose_rows(c, member->has_chunk ? member->chunk : 0);
        status = open_source(c, err);
        c->is_fresh = true;
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
    const dv_view_class *cls = dvi_view_class(c->member->split->base);
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

static dv_status next_by_number(member_cursor *c, dv_batch *batch, dv_error *err)
{
    if (!c->is_in_chunk)
        DVI_TRY(seek_chunk(c, err));
    c->is_fresh = false;
    const dv_status status = dvi_view_class(c->member->split->base)->next(c->source, batch, err);
    if (status == DV_END)
        c->is_in_chunk = c->member->has_chunk = false;
    return status;
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
        status = c->member->split->is_by_number ? next_by_number(c, batch, err)
                                                : next_of_group(c, batch, err);
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
    return dvi_view_check(((const member_cursor *)cursor)->member->split->base, err);
}

const dv_view_class dvi_member_class = {.size = sizeof dvi_member_class,
                                        .kind = "member",
                                        .open_cursor = open_member_cursor,
                                        .next = next,
                                        .close_cursor = close_member_cursor,
                                        .check_cursor = check_member_cursor,
                                        .seek = seek};
