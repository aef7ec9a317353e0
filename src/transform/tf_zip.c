/* SPDX-License-Identifier: MIT */
/* tf_zip.c: the columns of several views, row by row. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/derived.h"
#include "view/inherit.h"
#include "view/several.h"
#include "view/split_cursor.h"
#include <dataview/transform.h>

#define COUNTED_ROWS 65536 /* of a batch for which nothing is read */

/* Where a column comes from. */
typedef struct place {
    int32_t view, column;
} place;

typedef struct zip {
    dvi_several base;
    place *column; /* of the zip */
} zip;

static int64_t count_rows(void *self)
{
    const zip *z = self;
    int64_t least = INT64_MAX;
    bool is_known = true;
    for (int32_t i = 0; i < z->base.n; i++) {
        const int64_t rows = dv_view_rows(z->base.views[i]);
        is_known = is_known && rows >= 0;
        least = rows >= 0 ? dvi_min_i64(least, rows) : least;
    }
    return is_known || least == 0 ? least : DV_ROWS_UNKNOWN;
}

/* --- The walk --------------------------------------------------------------------------------- */

/* One view that is read. */
typedef struct lane {
    int32_t view, count;      /* columns */
    bool is_read;             /* for its columns, or to see where it ends */
    int32_t *columns, *slots; /* of the view; of the batch that is made */
    dv_cursor *cursor;
    int64_t left; /* rows of its batch that are not handed on */
} lane;

typedef struct walk {
    const zip *z;
    const dv_cursor_request *request;
    dvi_arena arena;  /* of all arrays */
    lane *lanes;      /* one per view; those without cursor are not read */
    dvi_column *rest; /* of each active column: the rows that are left, held by its view's cursor */
    int64_t at, end;
} walk;

/* Which columns of which view are active. */
static dv_status plan_lanes(walk *w, dv_error *err)
{
    const dv_cursor_request *request = w->request;
    const size_t n = (size_t)w->z->base.n, active = (size_t)request->columns_count;
    void *lanes, *rest;
    DVI_TRY(dvi_arena_alloc(&w->arena, &lanes, n * sizeof *w->lanes, err));
    DVI_TRY(dvi_arena_alloc(&w->arena, &rest, active * sizeof *w->rest, err));
    w->lanes = lanes;
    w->rest = rest;
    for (size_t k = 0; k < active; k++)
        w->lanes[w->z->column[request->columns[k]].view].count++;
    for (int32_t i = 0; i < w->z->base.n; i++) {
        void *columns, *slots;
        lane *l = &w->lanes[i];
        const size_t nbytes = (size_t)l->count * sizeof(int32_t);
        DVI_TRY(dvi_arena_alloc(&w->arena, &columns, nbytes, err));
        DVI_TRY(dvi_arena_alloc(&w->arena, &slots, nbytes, err));
        *l = (lane){.view = i, .columns = columns, .slots = slots};
    }
    for (int32_t k = 0; k < request->columns_count; k++) {
        const place from = w->z->column[request->columns[k]];
        lane *l = &w->lanes[from.view];
        l->columns[l->count] = from.column;
        l->slots[l->count++] = k;
    }
    return DV_OK;
}

/* Where does the walk end?  Views may have learned how many rows they have since the zip was made.
 */
static void find_end(walk *w)
{
    for (int32_t i = 0; i < w->z->base.n; i++) {
        const int64_t rows = dv_view_rows(w->z->base.views[i]);
        w->lanes[i].is_read = w->lanes[i].count > 0 || rows < 0;
        if (rows >= 0)
            w->end = dvi_min_i64(w->end, rows);
    }
}

static dv_status open_lanes(walk *w, dv_error *err)
{
    DVI_TRY(plan_lanes(w, err));
    find_end(w);
    for (int32_t i = 0; i < w->z->base.n; i++) {
        lane *l = &w->lanes[i];
        dv_view *view = w->z->base.views[i];
        if (!l->is_read)
            continue;
        const dv_status status = dvi_open_source(&l->cursor, view, w->request, l->columns, l->count,
                                                 w->request->batch_rows, w->at, w->end, err);
        DVI_TRY(dvi_several_blame(w->z, i, status, err));
    }
    return DV_OK;
}

static void close_walk(void *cursor)
{
    walk *w = cursor;
    for (int32_t i = 0; w->lanes && i < w->z->base.n; i++)
        dv_cursor_close(&w->lanes[i].cursor);
    dvi_arena_free(&w->arena);
    dvi_free(w->request->allocator, w, sizeof *w);
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(walk), err));
    walk *w = made;
    w->z = self;
    w->request = request;
    w->at = request->first_row;
    w->end = request->end_row;
    dvi_arena_init(&w->arena, request->allocator);
    const dv_status status = open_lanes(w, err);
    if (status < 0)
        close_walk(w);
    else
        *cursor_out = w;
    return status;
}

static dv_status check_walk(void *cursor, dv_error *err)
{
    const walk *w = cursor;
    for (int32_t i = 0; i < w->z->base.n; i++)
        if (w->lanes[i].cursor)
            DVI_TRY(dvi_several_blame(w->z, i, dvi_cursor_check(w->lanes[i].cursor, err), err));
    return DV_OK;
}

/* Let the lane have rows that are left: DV_END when there are none. */
static dv_status refill(walk *w, lane *l, dv_error *err)
{
    const dv_batch *part;
    if (!l->cursor || l->left > 0)
        return DV_OK;
    const dv_status status = dv_cursor_next(l->cursor, &part, err);
    if (status != DV_OK)
        return dvi_several_blame(w->z, l->view, status, err);
    l->left = part->rows;
    for (int32_t j = 0; j < l->count; j++)
        dvi_column_assign(&w->rest[l->slots[j]], dv_batch_column(part, j));
    return DV_OK;
}

static void hand_on(walk *w, dv_batch *batch, int64_t rows)
{
    for (int32_t k = 0; k < batch->columns; k++) {
        dvi_column part;
        dvi_column_assign(&part, &w->rest[k].view);
        dvi_column_limit(&part.view, rows);
        dvi_batch_set_slot(batch, k, &part.view);
        dvi_column_advance(&w->rest[k].view, rows);
    }
    for (int32_t i = 0; i < w->z->base.n; i++)
        w->lanes[i].left -= w->lanes[i].cursor ? rows : 0;
    w->at += rows;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    int64_t rows = w->end - w->at;
    bool is_read = false;
    if (rows <= 0)
        return DV_END;
    for (int32_t i = 0; i < w->z->base.n; i++) {
        const dv_status status = refill(w, &w->lanes[i], err);
        if (status != DV_OK)
            return status;
        if (w->lanes[i].cursor)
            rows = dvi_min_i64(rows, w->lanes[i].left);
        is_read = is_read || w->lanes[i].cursor;
    }
    if (!is_read)
        rows = dvi_min_i64(rows, COUNTED_ROWS);
    DVI_TRY(dv_batch_start(batch, w->at, rows, err));
    hand_on(w, batch, rows);
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

/* What is read may have threads of its own. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    (void)self;
    (void)request;
    return DVI_WORK_OWN;
}

static const dv_view_class zip_class = {.size = sizeof zip_class,
                                        .kind = "zip",
                                        .rows = count_rows,
                                        .open_cursor = open_walk,
                                        .next = next,
                                        .close_cursor = close_walk,
                                        .check_cursor = check_walk};
static const dvi_view_traits traits = {.work = work};

static dv_status add_columns(zip *z, dv_schema *schema, dv_error *err)
{
    void *list;
    int64_t all = 0;
    for (int32_t i = 0; i < z->base.n; i++)
        all += dv_schema_columns(dv_view_schema(z->base.views[i]));
    if (all > INT32_MAX)
        return dvi_fail_argument(err, "%lld columns", (long long)all);
    DVI_TRY(dvi_arena_alloc(&z->base.arena, &list, (size_t)all * sizeof *z->column, err));
    z->column = list;
    place *to = list;
    for (int32_t i = 0; i < z->base.n; i++) {
        const dv_schema *source = dv_view_schema(z->base.views[i]);
        DVI_TRY(dvi_inherit_columns(schema, source, err));
        for (int32_t k = 0; k < dv_schema_columns(source); k++)
            *to++ = (place){i, k};
    }
    return DV_OK;
}

static dv_status describe(zip *z, dv_schema **schema_out, dv_error *err)
{
    DVI_TRY(dv_schema_create(schema_out, &z->base.arena.allocator, err));
    return add_columns(z, *schema_out, err);
}

dv_status dv_view_zip(dv_view **view_out, dv_view *const *views, int32_t n,
                      const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (n < 1)
        return dvi_fail_argument(err, "%d views are no view", n);
    DVI_TRY(dvi_several_create(&made, sizeof(zip), views, NULL, n, allocator, err));
    zip *z = made;
    z->base.traits = &traits;
    const dv_status status = describe(z, &schema, err);
    return dvi_several_view(view_out, &zip_class, z, schema, status, err);
}
