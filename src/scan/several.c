/* SPDX-License-Identifier: MIT */
/* several.c: ownership, errors, verification and defaults of views that are made of several views.
 */
#include "scan/several.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "codec/date_order.h"

/* --- Ownership -------------------------------------------------------------------------------- */

static dv_status copy_names(dvi_several *s, const char *const *names, int32_t n, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&s->arena, &made, (size_t)n * sizeof *s->names, err));
    const char **copies = made;
    for (int32_t i = 0; i < n; i++) {
        dv_text copy;
        DVI_TRY(dvi_arena_text(&s->arena, &copy, dv_text_of(names[i]), err));
        copies[i] = copy.data;
    }
    s->names = copies;
    return DV_OK;
}

static dv_status retain_views(dvi_several *s, dv_view *const *views, int32_t n, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&s->arena, &made, (size_t)n * sizeof *s->views, err));
    s->views = made;
    for (int32_t i = 0; i < n; i++) {
        s->views[s->n++] = views[i];
        s->may_take_long |= dvi_view_may_take_long(views[i]);
        dv_view_retain(views[i]);
    }
    return DV_OK;
}

dv_status dvi_several_create(void **self_out, size_t nbytes, dv_view *const *views,
                             const char *const *names, int32_t n, const dv_allocator *given,
                             dv_error *err)
{
    const dv_allocator allocator = dvi_allocator_of(given);
    void *made;
    *self_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, nbytes, err));
    dvi_several *s = made;
    dvi_arena_init(&s->arena, &allocator);
    s->nbytes = nbytes;
    dv_status status = names ? copy_names(s, names, n, err) : DV_OK;
    if (status == DV_OK)
        status = retain_views(s, views, n, err);
    if (status < 0)
        dvi_several_close(s);
    else
        *self_out = s;
    return status;
}

void dvi_several_close(void *self)
{
    dvi_several *s = self;
    for (int32_t i = 0; i < s->n; i++)
        dv_view_release(&s->views[i]);
    const dv_allocator allocator = s->arena.allocator;
    dvi_arena_free(&s->arena);
    dvi_free(&allocator, s, s->nbytes);
}

int32_t dvi_several_joined(const dv_view *view, dv_view *const **views_out)
{
    const bool is_several = dvi_view_class(view)->close == dvi_several_close;
    const dvi_several *s = is_several ? dvi_view_self(view) : NULL;
    *views_out = s && s->is_joined ? s->views : NULL;
    return *views_out ? s->n : 0;
}

/* --- Errors ----------------------------------------------------------------------------------- */

dv_status dvi_several_blame(const void *self, int32_t i, dv_status status, dv_error *err)
{
    const dvi_several *s = self;
    if (status < 0 && err && !*err->file) {
        if (s->names)
            dvi_error_set_file(err, s->names[i]);
        else
            dvi_error_within(err, "view %d", i);
    }
    return status;
}

/* --- Members of the class --------------------------------------------------------------------- */

/* The verification of one view, which is one of n equal shares of the whole. */
typedef struct share {
    const dvi_several *all;
    const dv_verify_options *options;
    int32_t number;
} share;

#define STEPS INT64_C(1000) /* of each view */

static bool report_defect(void *ctx, const dv_error *what)
{
    const share *s = ctx;
    dv_error named = *what;
    dvi_several_blame(s->all, s->number, named.status, &named);
    return s->options->defect(s->options->ctx, &named);
}

static bool report_progress(void *ctx, int64_t done, int64_t all)
{
    const share *s = ctx;
    const int64_t steps = all > 0 ? (int64_t)((double)done / (double)all * (double)STEPS) : 0;
    return s->options->progress.report(s->options->progress.ctx, s->number * STEPS + steps,
                                       s->all->n * STEPS);
}

static dv_status verify(void *self, const dv_verify_options *options, dv_error *err)
{
    const dvi_several *s = self;
    dv_status status = DV_OK;
    for (int32_t i = 0; i < s->n && status == DV_OK; i++) {
        share of = {s, options, i};
        dv_verify_options own = DV_VERIFY_OPTIONS_INIT;
        own.defect = report_defect;
        own.ctx = &of;
        if (options->progress.report)
            own.progress = (dv_progress){report_progress, &of};
        status = dvi_several_blame(s, i, dv_verify(s->views[i], &own, err), err);
    }
    return status;
}

static int64_t block_rows(void *self)
{
    const dvi_several *s = self;
    int64_t most = 0;
    for (int32_t i = 0; i < s->n; i++) {
        const int64_t rows = dv_view_block_rows(s->views[i]);
        if (rows == 0)
            return 0;
        most = dvi_max_i64(most, rows);
    }
    return most;
}

static dv_status check_one(const dvi_several *s, int32_t i, dv_error *err)
{
    return dvi_several_blame(s, i, dvi_view_check(s->views[i], err), err);
}

static dv_status check(void *self, dv_error *err)
{
    const dvi_several *s = self;
    for (int32_t i = 0; i < s->n; i++)
        DVI_TRY(check_one(s, i, err));
    return DV_OK;
}

dv_status dvi_several_check(const dv_view *view, int32_t i, dv_error *err)
{
    return check_one(dvi_view_self(view), i, err);
}

dv_status dvi_several_identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_several *s = self;
    for (int32_t i = 0; i < s->n; i++)
        DVI_TRY(dvi_several_blame(s, i, dv_identity_add_view(identity, s->views[i], err), err));
    return DV_OK;
}

/* The cursors of the views may have threads. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    (void)self;
    (void)request;
    return DVI_WORK_OWN;
}

static bool decodes_blocks(void *self)
{
    const dvi_several *s = self;
    bool any = false;
    for (int32_t i = 0; i < s->n; i++)
        any |= dvi_view_decodes_blocks(s->views[i]);
    return any;
}

static int64_t job_rows(void *self, int32_t column)
{
    const dvi_several *s = self;
    int64_t rows = 0;
    for (int32_t i = 0; i < s->n && s->may_take_long; i++) {
        const int32_t of = s->column_of ? s->column_of(s, i, column) : column;
        if (of >= 0)
            rows = dvi_fewer_rows(rows, dvi_view_job_rows(s->views[i], &of, 1));
    }
    return rows;
}

/* The view of a concatenation that has a row, which becomes a row of it; NULL: it is not known. */
static dv_view *find_row(const dvi_several *s, int64_t *row)
{
    for (int32_t i = 0; i < s->n; i++) {
        const int64_t rows = dv_view_rows(s->views[i]);
        if (rows < 0)
            return NULL;
        if (*row < rows)
            return s->views[i];
        *row -= rows;
    }
    return NULL;
}

static int64_t announce_in(const dv_view *view, const int32_t *columns, int32_t n,
                           const int64_t *rows, int64_t count)
{
    const dvi_view_traits *traits = dvi_view_traits_of(view);
    return traits->announce ? traits->announce(dvi_view_self(view), columns, n, rows, count) : -1;
}

static int64_t announce(void *self, const int32_t *columns, int32_t n, const int64_t *rows,
                        int64_t count)
{
    const dvi_several *s = self;
    bool is_far = false;
    for (int32_t i = 0; i < s->n && s->is_joined && !is_far; i++)
        is_far = announce_in(s->views[i], NULL, 0, NULL, 0) >= 0;
    if (!is_far)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = rows[i];
        const dv_view *view = find_row(s, &row);
        if (view)
            announce_in(view, columns, n, &row, 1);
    }
    return count;
}

static const char *proposal(void *self)
{
    const dvi_several *s = self;
    return s->n > 0 ? dv_view_proposal(s->views[0]) : NULL;
}

/* All of them have the same rule. */
static const dvi_date_rule *dates(void *self)
{
    const dvi_several *s = self;
    const dvi_date_rule *first = s->n > 0 ? dvi_view_dates(s->views[0]) : NULL;
    for (int32_t i = 1; i < s->n && first; i++) {
        const dvi_date_rule *rule = dvi_view_dates(s->views[i]);
        if (!rule || !dvi_date_rule_equal(first, rule))
            return NULL;
    }
    return first;
}

static dv_status bad_fields(void *self, dv_bad_fields_report *report, void *ctx, dv_error *err)
{
    const dvi_several *s = self;
    for (int32_t i = 0; i < s->n; i++) {
        const dv_status status = dv_view_bad_fields(s->views[i], report, ctx, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static const dvi_view_traits traits = {.work = work,
                                       .job_rows = job_rows,
                                       .decodes_blocks = decodes_blocks,
                                       .announce = announce,
                                       .proposal = proposal,
                                       .dates = dates,
                                       .bad_fields = bad_fields};

dv_status dvi_several_view(dv_view **view_out, const dv_view_class *given, void *self,
                           dv_schema *schema, dv_status status, dv_error *err)
{
    dvi_several *s = self;
    dv_view_class cls = *given;
    cls.close = dvi_several_close;
    cls.verify = verify;
    cls.check = check;
    cls.block_rows = block_rows;
    if (!cls.identify)
        cls.identify = dvi_several_identify;
    if (status == DV_OK)
        status = dvi_view_create(view_out, &cls, &traits, s, &schema, s->views, s->n,
                                 &s->arena.allocator, err);
    dv_schema_free(&schema);
    if (status < 0)
        dvi_several_close(s);
    return status;
}
