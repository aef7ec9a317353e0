/* SPDX-License-Identifier: MIT */
/* view.c: a view as a class, a schema and a reference count. */
#include "view/view.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/owner.h"
#include "base/size.h"
#include "codec/date_order.h"
#include <dataview/open.h>
#include <stdatomic.h>

struct dv_view {
    dv_owner owner;
    dv_allocator allocator;
    dv_view_class cls; /* a copy; the smaller class of an older program ends in NULLs */
    dvi_view_traits traits;
    void *self;
    dv_schema *schema; /* owned */
    dvi_view_limits limits;
    int32_t depth;   /* derived views of the chain, this one included */
    int64_t columns; /* sum over the derived views of the chain, along each path */
    dv_view *next;   /* while it is released */
    atomic_int identity_is;
    dv_u128 identity; /* valid once KEPT; only the thread that set WRITING writes it */
    _Atomic(dv_owner *) kept[DVI_KEPT_KINDS];
};

enum { IDENTITY_UNKNOWN, IDENTITY_WRITING, IDENTITY_KEPT };

static void close_view(dv_view *view)
{
    dv_schema_free(&view->schema);
    if (view->cls.close)
        view->cls.close(view->self);
    const dv_allocator allocator = view->allocator;
    for (int kind = 0; kind < DVI_KEPT_KINDS; kind++)
        dvi_owner_release(atomic_load(&view->kept[kind]));
    dvi_free(&allocator, view, sizeof *view);
}

/* Closing a view releases those that it is made of.  They wait until it is closed, so that the
 * length of a chain takes no stack. */
static void release_view(dv_owner *owner)
{
    static _Thread_local bool is_closing;
    static _Thread_local dv_view *waiting;
    dv_view *view = (dv_view *)owner;
    view->next = waiting;
    waiting = view;
    if (is_closing)
        return;
    is_closing = true;
    while ((view = waiting)) {
        waiting = view->next;
        close_view(view);
    }
    is_closing = false;
}

static dv_status check_limits(const dv_view *view, dv_error *err)
{
    if (view->depth > view->limits.depth)
        return dvi_fail(err, DV_ERR_LIMIT, "depth", -1, "views made one of another",
                        "at most %lld (option depth)|more", (long long)view->limits.depth);
    if (view->columns > view->limits.chain_columns)
        return dvi_fail(err, DV_ERR_LIMIT, "chain_columns", -1,
                        "columns of views made one of another, together",
                        "at most %lld (option chain_columns)|more",
                        (long long)view->limits.chain_columns);
    return DV_OK;
}

static dvi_view_limits lower_limits(dvi_view_limits a, dvi_view_limits b)
{
    return (dvi_view_limits){dvi_min_i64(a.depth, b.depth),
                             dvi_min_i64(a.chain_columns, b.chain_columns),
                             dvi_min_i64(a.row_nbytes, b.row_nbytes),
                             dvi_min_i64(a.block_cache_nbytes, b.block_cache_nbytes)};
}

/* Take depth and limits from the sources, and check them. */
static dv_status stand_on(dv_view *view, dv_view *const *sources, int32_t n, dv_error *err)
{
    const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;
    view->limits = (dvi_view_limits){defaults.depth, defaults.chain_columns, defaults.row_nbytes,
                                     defaults.block_cache_nbytes};
    view->columns = n > 0 ? dv_schema_columns(view->schema) : 0;
    for (int32_t i = 0; i < n; i++) {
        const dv_view *source = sources[i];
        view->limits = i > 0 ? lower_limits(view->limits, source->limits) : source->limits;
        view->depth = source->depth >= view->depth ? source->depth + 1 : view->depth;
        if (__builtin_add_overflow(view->columns, source->columns, &view->columns))
            view->columns = INT64_MAX;
    }
    return n > 0 ? check_limits(view, err) : DV_OK;
}

static dv_status check_class(const dv_view_class *cls, const dv_schema *schema, dv_error *err)
{
    DVI_REQUIRE(cls->kind && schema && (cls->read || (cls->open_cursor && cls->next)),
                dvi_fail_argument(err, "a view needs a schema, and a class with kind, and with "
                                       "open_cursor and next, or with read"));
    DVI_REQUIRE(
        !cls->read || !cls->open_cursor,
        dvi_fail_argument(err, "class %s has read and open_cursor: leave one out", cls->kind));
    DVI_REQUIRE(
        !cls->splits || (cls->read && !cls->block_rows),
        dvi_fail_argument(err, "class %s has splits: it needs read, and no block_rows", cls->kind));
    DVI_REQUIRE(!cls->read || cls->splits || (cls->rows && cls->block_rows),
                dvi_fail_argument(err,
                                  "class %s has read: it also needs splits, or rows and "
                                  "block_rows",
                                  cls->kind));
    return DV_OK;
}

dv_status dvi_view_create(dv_view **view_out, const dv_view_class *cls,
                          const dvi_view_traits *traits, void *self, dv_schema **schema,
                          dv_view *const *sources, int32_t sources_count,
                          const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *view_out = NULL;
    dv_view_class copy;
    DVI_TRY(dvi_options_read(&copy, sizeof copy, cls, "sizeof(dv_view_class)", err));
    DVI_TRY(check_class(&copy, *schema, err));
    DVI_TRY(dvi_alloc_struct(allocator, &made, sizeof(dv_view), err));
    dv_view *view = made;
    dvi_owner_init(&view->owner, release_view);
    view->allocator = dvi_allocator_of(allocator);
    view->cls = copy;
    if (traits)
        view->traits = *traits;
    view->self = self;
    view->schema = *schema;
    atomic_init(&view->identity_is, IDENTITY_UNKNOWN);
    const dv_status status = stand_on(view, sources, sources_count, err);
    if (status < 0) {
        dvi_free(allocator, view, sizeof *view);
        return status;
    }
    *schema = NULL;
    *view_out = view;
    return DV_OK;
}

dv_status dv_view_create(dv_view **view_out, const dv_view_class *cls, void *self,
                         dv_schema **schema, const dv_allocator *allocator, dv_error *err)
{
    return dvi_view_create(view_out, cls, NULL, self, schema, NULL, 0, allocator, err);
}

void dv_view_retain(dv_view *view)
{
    dvi_owner_retain(&view->owner);
}

void dv_view_release(dv_view **view)
{
    if (*view)
        dvi_owner_release(&(*view)->owner);
    *view = NULL;
}

const dv_schema *dv_view_schema(const dv_view *view)
{
    return view->schema;
}

int64_t dv_view_rows(const dv_view *view)
{
    return view->cls.rows ? view->cls.rows(view->self) : DV_ROWS_UNKNOWN;
}

bool dv_view_can_shuffle(const dv_view *view)
{
    return view->cls.can_shuffle && view->cls.can_shuffle(view->self);
}

int64_t dv_view_block_rows(const dv_view *view)
{
    const int64_t rows = view->cls.block_rows ? view->cls.block_rows(view->self) : 0;
    return rows < 0 ? 0 : rows;
}

const char *dv_view_kind(const dv_view *view)
{
    return view->cls.kind;
}

dv_view *dvi_row_source(const dv_view *view, int *numbers_out)
{
    *numbers_out = 0;
    return view->traits.row_source ? view->traits.row_source(view->self, numbers_out) : NULL;
}

const char *dv_view_proposal(const dv_view *view)
{
    int ignored;
    while (view && !view->traits.proposal)
        view = dvi_row_source(view, &ignored);
    return view ? view->traits.proposal(view->self) : NULL;
}

dv_status dv_view_bad_fields(dv_view *view, dv_bad_fields_report *report, void *ctx, dv_error *err)
{
    DVI_REQUIRE(report, dvi_fail_argument(err, "no report"));
    int ignored;
    while (view && !view->traits.bad_fields)
        view = dvi_row_source(view, &ignored);
    return view ? view->traits.bad_fields(view->self, report, ctx, err) : DV_OK;
}

const dv_view_class *dvi_view_class(const dv_view *view)
{
    return &view->cls;
}

const dvi_view_traits *dvi_view_traits_of(const dv_view *view)
{
    return &view->traits;
}

dvi_work dvi_view_work(const dv_view *view, const dv_cursor_request *request)
{
    if (view->cls.read)
        return DVI_WORK_SET;
    return view->traits.work ? view->traits.work(view->self, request) : DVI_WORK_NONE;
}

/* The view below whose rows these are, in whatever order; NULL: there is none. */
static const dv_view *rows_below(const dv_view *view)
{
    int ignored;
    const dv_view *source = dvi_row_source(view, &ignored);
    return !source && view->traits.reordered ? view->traits.reordered(view->self) : source;
}

const dvi_date_rule *dvi_view_dates(const dv_view *view)
{
    while (view && !view->traits.dates)
        view = rows_below(view);
    return view ? view->traits.dates(view->self) : NULL;
}

/* The view, or one below it, that knows job_rows; NULL: none does. */
static const dv_view *find_job_rows(const dv_view *view)
{
    while (view && !view->traits.job_rows)
        view = rows_below(view);
    return view;
}

bool dvi_view_may_take_long(const dv_view *view)
{
    return find_job_rows(view) != NULL;
}

int64_t dvi_view_job_rows(const dv_view *view, const int32_t *columns, int32_t n)
{
    int64_t rows = 0;
    view = find_job_rows(view);
    for (int32_t k = 0; view && k < n; k++)
        rows = dvi_fewer_rows(rows, view->traits.job_rows(view->self, columns[k]));
    return rows;
}

bool dvi_view_takes_long(const dv_view *view)
{
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    for (int32_t i = 0; i < n && dvi_view_may_take_long(view); i++)
        if (dvi_view_job_rows(view, &i, 1) > 0)
            return true;
    return false;
}

bool dvi_view_decodes_blocks(const dv_view *view)
{
    while (view && !view->traits.decodes_blocks)
        view = rows_below(view);
    return view && view->traits.decodes_blocks(view->self);
}

bool dvi_view_is_far(const dv_view *view)
{
    while (view && !view->traits.announce)
        view = rows_below(view);
    return view && view->traits.announce(view->self, NULL, 0, NULL, 0) >= 0;
}

bool dvi_view_decodes_far_blocks(const dv_view *view)
{
    bool is_reordered = false;
    for (; view && !view->traits.decodes_blocks; view = rows_below(view))
        is_reordered |= view->traits.reordered != NULL;
    return is_reordered && view && view->traits.decodes_blocks(view->self);
}

bool dvi_view_makes_single_rows(const dv_view *view, const int32_t *columns, int32_t n)
{
    return dvi_view_job_rows(view, columns, n) > 0 && !dvi_view_decodes_blocks(view);
}

void *dvi_view_self(const dv_view *view)
{
    return view->self;
}

int32_t dvi_view_depth(const dv_view *view)
{
    return view->depth;
}

const dvi_view_limits *dvi_view_limits_of(const dv_view *view)
{
    return &view->limits;
}

void dvi_view_set_limits(dv_view *view, const dvi_view_limits *limits)
{
    view->limits = *limits;
}

const dv_allocator *dvi_view_allocator(const dv_view *view)
{
    return &view->allocator;
}

bool dvi_view_kept_identity(const dv_view *view, dv_u128 *identity_out)
{
    if (atomic_load_explicit(&view->identity_is, memory_order_acquire) != IDENTITY_KEPT)
        return false;
    *identity_out = view->identity;
    return true;
}

void dvi_view_keep_identity(dv_view *view, dv_u128 identity)
{
    int was = IDENTITY_UNKNOWN;
    if (!atomic_compare_exchange_strong(&view->identity_is, &was, IDENTITY_WRITING))
        return; /* another thread stores the same value */
    view->identity = identity;
    atomic_store_explicit(&view->identity_is, IDENTITY_KEPT, memory_order_release);
}

dv_owner *dvi_view_kept(const dv_view *view, dvi_kept kind)
{
    return atomic_load(&view->kept[kind]);
}

bool dvi_view_keep(dv_view *view, dvi_kept kind, dv_owner **kept, dv_owner *made)
{
    return atomic_compare_exchange_strong(&view->kept[kind], kept, made);
}

dv_status dvi_view_check(const dv_view *view, dv_error *err)
{
    return view->cls.check ? view->cls.check(view->self, err) : DV_OK;
}
