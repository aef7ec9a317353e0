/* SPDX-License-Identifier: MIT */
/* several.c: failures and verification of several views. */
#include "view/several.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"

dv_status dvi_blame_view(const char *const *names, int32_t i, dv_status status, dv_error *err)
{
    if (status < 0 && err && !*err->file) {
        if (names)
            dvi_error_set_file(err, names[i]);
        else
            dvi_error_within(err, "view %d", i);
    }
    return status;
}

/* How far the verification of one view is, told as a share of them all. */
typedef struct share {
    const char *const *names;
    const dv_verify_options *options;
    int32_t number, n;
} share;

#define STEPS INT64_C(1000) /* of each view */

static bool report_defect(void *ctx, const dv_error *what)
{
    const share *s = ctx;
    dv_error placed = *what;
    dvi_blame_view(s->names, s->number, placed.status, &placed);
    return s->options->defect(s->options->ctx, &placed);
}

static bool report_progress(void *ctx, int64_t done, int64_t all)
{
    const share *s = ctx;
    const int64_t steps = all > 0 ? (int64_t)((double)done / (double)all * (double)STEPS) : 0;
    return s->options->progress.report(s->options->progress.ctx, s->number * STEPS + steps,
                                       s->n * STEPS);
}

dv_status dvi_verify_views(dv_view *const *views, const char *const *names, int32_t n,
                           const dv_verify_options *options, dv_error *err)
{
    dv_status status = DV_OK;
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        share s = {names, options, i, n};
        dv_verify_options part = DV_VERIFY_OPTIONS_INIT;
        part.defect = report_defect;
        part.ctx = &s;
        if (options->progress.report)
            part.progress = (dv_progress){report_progress, &s};
        status = dvi_blame_view(names, i, dv_verify(views[i], &part, err), err);
    }
    return status;
}

int64_t dvi_several_block_rows(dv_view *const *views, int32_t n)
{
    int64_t most = 0;
    for (int32_t i = 0; i < n; i++) {
        const int64_t rows = dv_view_block_rows(views[i]);
        if (rows == 0)
            return 0;
        most = dvi_max_i64(most, rows);
    }
    return most;
}

dv_status dvi_several_check(dv_view *const *views, const char *const *names, int32_t n,
                            dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        const dv_status status = dvi_view_check(views[i], err);
        if (status < 0)
            return dvi_blame_view(names, i, status, err);
    }
    return DV_OK;
}
