/* SPDX-License-Identifier: MIT */
/* verify.c: verifies everything that a view delivers. */
#include "scan/verify.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "view/view.h"
#include "scan/read_batches.h"

dv_status dvi_verify_report(const dv_verify_options *options, const dv_error *found, dv_error *err)
{
    switch (found->status) {
    case DV_OK: /* a warning */
    case DV_ERR_CORRUPT:
    case DV_ERR_UNSUPPORTED:
    case DV_ERR_LIMIT:
    case DV_ERR_LOSS: /* a field that text refuses */
        return options->defect(options->ctx, found) ? DV_OK : DV_END;
    default:
        if (err)
            *err = *found;
        return found->status;
    }
}

dv_status dvi_verify_metadata(const dv_schema *schema, const dv_verify_options *options,
                              dv_error *err)
{
    for (int32_t column = 0; column < dv_schema_columns(schema); column++)
        for (int32_t i = 0; i < dv_schema_column(schema, column)->metadata_count; i++) {
            const dv_batch *value;
            dv_error found = DV_ERROR_INIT;
            dv_status status = dv_schema_metadata_value(schema, column, i, &value, &found);
            dv_batch_release(&value);
            if (status < 0)
                status = dvi_verify_report(options, &found, err);
            if (status != DV_OK)
                return status;
        }
    return DV_OK;
}

/* Verify a view whose class has no `verify`: read all, up to the first failure. */
static dv_status verify_any(dv_view *view, const dv_verify_options *options, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view);
    const dv_allocator *allocator = dvi_view_allocator(view);
    const int32_t n = dv_schema_columns(schema);
    dv_cursor_options cursor_options = DV_CURSOR_OPTIONS_INIT;
    dv_error found = DV_ERROR_INIT;
    dv_status status = dvi_verify_metadata(schema, options, err);
    if (status != DV_OK)
        return status;
    void *made;
    DVI_TRY(dvi_alloc(allocator, &made, (size_t)n * sizeof(int32_t), err));
    int32_t *columns = made;
    for (int32_t i = 0; i < n; i++)
        columns[i] = i;
    cursor_options.columns = columns;
    cursor_options.columns_count = n;
    if (dvi_read_batches(view, &cursor_options, NULL, NULL, &found) < 0)
        status = dvi_verify_report(options, &found, err);
    dvi_free(allocator, made, (size_t)n * sizeof(int32_t));
    return status;
}

/* The caller's progress, and whether it stopped the call. */
typedef struct watch {
    dv_progress progress;
    bool is_stopped;
} watch;

static bool report(void *ctx, int64_t done, int64_t total)
{
    watch *w = ctx;
    w->is_stopped = !w->progress.report(w->progress.ctx, done, total);
    return !w->is_stopped;
}

static dv_status verify(dv_view *view, const dv_verify_options *options, dv_error *err)
{
    const dv_view_class *cls = dvi_view_class(view);
    return cls->verify ? cls->verify(dvi_view_self(view), options, err)
                       : verify_any(view, options, err);
}

dv_status dv_verify(dv_view *view, const dv_verify_options *given, dv_error *err)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(&options, sizeof options, given, "DV_VERIFY_OPTIONS_INIT", err));
    if (!options.defect)
        return dvi_fail_argument(err, "verify options: `defect` is needed");
    watch w = {options.progress, false};
    if (w.progress.report)
        options.progress = (dv_progress){report, &w};
    const dv_status status = verify(view, &options, err);
    return w.is_stopped
               ? dvi_fail(err, DV_ERR_STOPPED, "", -1, "not verified", "stopped on request")
               : status;
}
