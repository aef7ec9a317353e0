/* SPDX-License-Identifier: MIT */
/* fuzz_parts.c: any bytes as a part of a fit (docs/spec/parts.md): errors are complete, and a
 * pipeline that is fitted on the part, once or twice, is saved as a file that opens as the same.
 *
 * An input is the number of rows that were seen (a byte), and then rows of the part: step and
 * column (a byte each), the size of the state (two bytes), the state. */
#include "base/load.h"
#include "meter.h"
#include "mutate_idv.h"
#include "pipe_table.h"
#include "support/fitted_bytes.h"
#include <dataview/table.h>
#include <string.h>

enum {
    INPUT_NBYTES = 1 << 16, /* larger inputs are not looked at */
    ROW_NBYTES = 4,         /* before a state */
    ROWS_MOST = 64
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

typedef struct rows {
    int32_t step[ROWS_MOST], column[ROWS_MOST];
    int64_t seen[ROWS_MOST];
    dv_text state[ROWS_MOST];
    int64_t n;
} rows;

/* The last state may be cut: it ends with the input. */
static void read_rows(rows *r, const uint8_t *data, size_t n)
{
    size_t at = 1;
    for (r->n = 0; r->n < ROWS_MOST && n >= at + ROW_NBYTES; r->n++) {
        const size_t left = n - at - ROW_NBYTES, claimed = dvi_load_u16(data + at + 2);
        const size_t nbytes = claimed < left ? claimed : left;
        r->step[r->n] = data[at];
        r->column[r->n] = data[at + 1];
        r->seen[r->n] = data[0];
        r->state[r->n] = (dv_text){(const char *)data + at + ROW_NBYTES, (int64_t)nbytes};
        at += ROW_NBYTES + nbytes;
    }
}

static dv_view *open_rows(const rows *r)
{
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    const dv_table_column columns[] = {{"Step", dv_type_of(DV_KIND_I4), r->step, NULL},
                                       {"Column", dv_type_of(DV_KIND_I4), r->column, NULL},
                                       {"Rows", dv_type_of(DV_KIND_I8), r->seen, NULL},
                                       {"State", dv_type_of(DV_KIND_BY), NULL, r->state}};
    options.allocator = &dvt_pipe_allocator;
    DVT_CHECK(dv_table_create(&view, columns, 4, r->n, &options, NULL) == DV_OK);
    return view;
}

/* --- Properties ------------------------------------------------------------------------------- */

static void check_error(const dv_error *err, dv_status status)
{
    DVT_CHECK(err->status == status && *err->message);
    DVT_CHECK(status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT ||
              status == DV_ERR_ARGUMENT || status == DV_ERR_MEMORY);
}

static void check_saved(dv_fitted *fitted)
{
    dv_buffer bytes = {0}, again = {0};
    dv_fitted *opened = NULL;
    dv_error err = DV_ERROR_INIT;
    if (dvt_fitted_save(&bytes, fitted, &dvt_pipe_allocator, &err) == DV_OK) {
        const dv_status status =
            dvt_fitted_open(&opened, bytes.data, bytes.nbytes, &dvt_pipe_allocator, &err);
        DVT_CHECK(status == DV_OK || status == DV_ERR_MEMORY);
    }
    if (opened && dvt_fitted_save(&again, opened, &dvt_pipe_allocator, &err) == DV_OK)
        DVT_CHECK(again.nbytes == bytes.nbytes &&
                  memcmp(again.data, bytes.data, bytes.nbytes) == 0);
    dv_buffer_release(&again);
    dv_fitted_release(&opened);
    dv_buffer_release(&bytes);
}

static dv_status check_merge(dv_view *const *parts, int32_t n)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_fit_merge(&fitted, NULL, parts, n, NULL, &dvt_pipe_allocator, &err);
    DVT_CHECK((status == DV_OK) == (fitted != NULL));
    if (fitted)
        check_saved(fitted);
    else
        check_error(&err, status);
    dv_fitted_release(&fitted);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rows r;
    if (n < 1 || n > INPUT_NBYTES)
        return 0;
    read_rows(&r, data, n);
    dv_view *view = open_rows(&r), *const twice[] = {view, view};
    if (check_merge(twice, 1) == DV_OK)
        check_merge(twice, 2);
    dv_view_release(&view);
    return 0;
}

/* --- Mutation --------------------------------------------------------------------------------- */

/* Mutate one state as a table; or let the engine change any bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    static uint8_t state[INPUT_NBYTES];
    rows r;
    dvt_draw draw = {seed};
    if (n < 1 || n > INPUT_NBYTES || dvt_draw_one_in(&draw, 4))
        return LLVMFuzzerMutate(data, n, most);
    read_rows(&r, data, n);
    if (r.n == 0)
        return LLVMFuzzerMutate(data, n, most);
    const dv_text old = r.state[dvt_draw_below(&draw, (size_t)r.n)];
    const size_t at = (size_t)((const uint8_t *)old.data - data), end = at + (size_t)old.nbytes;
    const size_t room = most - (n - (size_t)old.nbytes);
    memcpy(state, old.data, (size_t)old.nbytes);
    const size_t most_of_state = room < UINT16_MAX ? room : UINT16_MAX;
    if ((size_t)old.nbytes > most_of_state)
        return LLVMFuzzerMutate(data, n, most);
    const size_t now = dvt_idv_mutate(state, (size_t)old.nbytes, most_of_state, seed);
    memmove(data + at + now, data + end, n - end);
    memcpy(data + at, state, now);
    dvi_store_u16(data + at - 2, (uint16_t)now);
    return n - (size_t)old.nbytes + now;
}
