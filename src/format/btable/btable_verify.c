/* SPDX-License-Identifier: MIT */
/* btable_verify.c: verifies all rows. After an unsound row it goes on with the next one, if the
 * offset of that row is known. */
#include "base/size.h"
#include "scan/verify.h"
#include "format/btable/btable_priv.h"
#include <dataview/inspect.h>
#include <inttypes.h>

#define STEP_NBYTES (INT64_C(1) << 20) /* between two reports of progress */

/* The state of a verification. */
typedef struct check {
    const dvi_btable_file *file;
    const dv_verify_options *options;
    int64_t row, at;
    bool is_stopped; /* by the caller */
    dvi_span span;
    dvi_memory *memory;
} check;

/* Report to the caller, who may stop. */
static dv_status report(check *c, const dv_error *found, dv_error *err)
{
    const dv_status status = dvi_verify_report(c->options, found, err);
    c->is_stopped = status == DV_END;
    return status;
}

/* Report a defect of the row. With option lenient it is a warning if lenient mode repairs it. */
static dv_status report_row(check *c, dv_error *found, bool is_passed, dv_error *err)
{
    dvi_error_within(found, "row %" PRId64, c->row);
    dvi_error_set_file(found, dvi_map_name(c->file->map));
    if (c->file->limits.lenient && is_passed)
        found->status = DV_OK;
    return report(c, found, err);
}

static dv_status report_labels(check *c, dv_error *err)
{
    const dvi_btable_header *h = &c->file->header;
    if (h->ill_formed == 0)
        return DV_OK;
    dv_error warning = DV_ERROR_INIT;
    dvi_fail(&warning, DV_ERR_CORRUPT, "btable:LABEL_UTF16", h->ill_formed_at, "labels",
             "well-formed UTF-16|%" PRId64 " lone surrogates", h->ill_formed);
    dvi_error_set_file(&warning, dvi_map_name(c->file->map));
    warning.status = DV_OK;
    return report(c, &warning, err);
}

/* Set *p_out to nbytes at c->at. */
static dv_status read(check *c, int64_t nbytes, const uint8_t **p_out, dv_error *err)
{
    const int64_t end = c->span.offset + (int64_t)c->span.nbytes;
    if (c->at < c->span.offset || c->at + nbytes > end) {
        const int64_t left = dvi_map_nbytes(c->file->map) - c->at;
        const size_t n = (size_t)dvi_min_i64(left, dvi_max_i64(nbytes, STEP_NBYTES));
        DVI_TRY(dvi_map_span(c->file->map, c->at, n, &c->memory, &c->span, err));
    }
    *p_out = c->span.data + (c->at - c->span.offset);
    return DV_OK;
}

/* Check the count of the row. DV_END: there is no row, or the offset of the next row is unknown. */
static dv_status check_count(check *c, int32_t *n_out, dv_error *err)
{
    const uint8_t *p;
    dv_error found = DV_ERROR_INIT;
    const int64_t left = dvi_map_nbytes(c->file->map) - c->at;
    DVI_TRY(read(c, dvi_min_i64(left, 4), &p, err));
    const dv_status strict = dvi_btable_check_count(c->file, c->at, p, false, n_out, &found);
    if (strict >= 0)
        return strict;
    const dv_status lenient = dvi_btable_check_count(c->file, c->at, p, true, n_out, NULL);
    const dv_status status = report_row(c, &found, lenient >= 0, err);
    return status != DV_OK ? status : lenient == DV_OK ? DV_OK : DV_END;
}

/* Check the row at c->at; statuses as for check_count. */
static dv_status check_row(check *c, dv_error *err)
{
    int32_t n;
    const uint8_t *p;
    dv_status status = check_count(c, &n, err);
    if (status != DV_OK)
        return status;
    const int64_t nbytes = 4 + (int64_t)DVI_BTABLE_PAIR_NBYTES * n;
    DVI_TRY(read(c, nbytes, &p, err));
    dv_error found = DV_ERROR_INIT;
    if (dvi_btable_check_pairs(c->file, c->at, p + 4, n, &found) < 0)
        status = report_row(c, &found, true, err);
    c->row++;
    c->at += nbytes;
    return status;
}

/* Report progress in steps; the caller may stop. */
static void report_progress(check *c, int64_t *reported)
{
    const int64_t start = c->file->header.nbytes;
    const int64_t done = (c->at - start) / STEP_NBYTES;
    if (!c->options->progress.report || done == *reported)
        return;
    *reported = done;
    const int64_t all = (dvi_map_nbytes(c->file->map) - start) / STEP_NBYTES;
    c->is_stopped = !c->options->progress.report(c->options->progress.ctx, done, all);
}

static dv_status check_rows(check *c, dv_error *err)
{
    dv_status status = DV_OK;
    int64_t reported = -1;
    while (status == DV_OK) {
        report_progress(c, &reported);
        status = c->is_stopped ? DV_END : check_row(c, err);
    }
    return status < 0 ? status : DV_OK;
}

dv_status dvi_btable_verify(void *self, const struct dv_verify_options *options, dv_error *err)
{
    const dvi_btable_file *file = self;
    check c = {.file = file, .options = options, .at = file->header.nbytes};
    dv_status status = report_labels(&c, err);
    if (status == DV_OK)
        status = dvi_verify_metadata(dv_view_schema(file->view), options, err);
    if (status == DV_OK)
        status = check_rows(&c, err);
    dvi_memory_release(&c.memory);
    return status == DV_OK && c.is_stopped ? DV_END : status;
}
