/* SPDX-License-Identifier: MIT */
/* opened.c: opens bytes as a view, with limits and failing allocations. */
#include "opened.h"
#include "reading.h"
#include <stdlib.h>
#include <string.h>

#define INPUT_NBYTES ((size_t)1 << 17)

bool dvt_input_read(dvt_input *input_out, const uint8_t *data, size_t n)
{
    *input_out = (dvt_input){.n = n, .draws = dvt_hash_bytes(0, data, n)};
    if (n == 0 || n > INPUT_NBYTES)
        return false;
    input_out->data = malloc(n);
    if (input_out->data)
        memcpy(input_out->data, data, n);
    return input_out->data;
}

void dvt_input_free(dvt_input *input)
{
    free(input->data);
    input->data = NULL;
}

uint64_t dvt_input_draw(dvt_input *input, uint64_t below)
{
    input->draws = dvt_hash_number(input->draws, 0x5EED);
    return (input->draws >> 16) % below;
}

dv_view *dvt_opened(const dvt_input *input, dv_io io, const dv_allocator *allocator)
{
    dv_view *view = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = allocator;
    options.format = "idv";
    options.io = io;
    options.columns = DVT_READ_COLUMNS;
    options.metadata_nbytes = 1 << 14;
    options.metadata_toc_nbytes = 1 << 15;
    options.block_nbytes = 1 << 16;
    options.rows_without_columns = DVT_OPENED_ROWS;
    dv_open_memory(&view, input->data, input->n, NULL, NULL, "input", &options, NULL);
    return view;
}

/* --- Any format, with failing allocations ----------------------------------------------------- */

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

void dvt_metered_open(dvt_metered *m, const void *data, size_t n, const dv_open_options *how,
                      long long most_nbytes, long long fail_at)
{
    *m = (dvt_metered){.meter.most_nbytes = most_nbytes, .err = DV_ERROR_INIT};
    atomic_store(&m->meter.fail_at, fail_at);
    atomic_store(&m->meter.fail_count, fail_at > 0 ? DVT_METERED_FAILURES : 0);
    dvt_metered_reopen(m, data, n, how);
}

void dvt_metered_reopen(dvt_metered *m, const void *data, size_t n, const dv_open_options *how)
{
    dv_open_options options = *how;
    const dv_allocator allocator = dvt_meter_allocator(&m->meter);
    const bool may_fail = atomic_load(&m->meter.fail_count) > 0;
    options.allocator = &allocator;
    dv_view_release(&m->view);
    for (int tries = 0; tries == 0 || m->status == DV_ERR_MEMORY; tries++) {
        DVT_CHECK(tries == 0 || (may_fail && tries <= DVT_METERED_FAILURES));
        m->tries++;
        m->status = dv_open_memory(&m->view, data, n, count_release, &m->releases, "input",
                                   &options, &m->err);
    }
    DVT_CHECK((m->status == DV_OK) == (m->view != NULL));
    DVT_CHECK(m->status != DV_ERR_IO);
}

void dvt_metered_fail(dvt_metered *m, long long at, long long count)
{
    atomic_store(&m->meter.fail_at, atomic_load(&m->meter.asked) + at);
    atomic_store(&m->meter.fail_count, count);
}

void dvt_metered_close(dvt_metered *m)
{
    dv_view_release(&m->view);
    DVT_CHECK(m->releases == m->tries && atomic_load(&m->meter.live_nbytes) == 0);
}

static bool count_defect(void *ctx, const dv_error *what)
{
    dvt_verdict *v = ctx;
    DVT_CHECK(*what->message);
    v->defects += what->status != DV_OK;
    v->warnings += what->status == DV_OK;
    v->bare += !*what->rule || !*what->expected || !*what->found;
    return v->stop_at == 0 || v->defects + v->warnings < v->stop_at;
}

dvt_verdict dvt_metered_verify(const dvt_metered *m, int64_t stop_at)
{
    dvt_verdict v = {.stop_at = stop_at};
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &v;
    const dv_status status = dv_verify(m->view, &options, NULL);
    const bool is_stopped = stop_at > 0 && v.defects + v.warnings >= stop_at;
    DVT_CHECK(status == (is_stopped ? DV_END : DV_OK));
    return v;
}
