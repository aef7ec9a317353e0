/* SPDX-License-Identifier: MIT */
/* again.c: reads on after DV_ERR_MEMORY with a cursor that is opened at the token. */
#include "support/again.h"
#include "support/produce.h"
#include <stddef.h>

#define FAILURES_MOST 100

dv_status dvt_open_again(dv_cursor **cursor_out, dv_view *view, const dv_cursor_options *options,
                         int *failures, dv_error *err)
{
    dv_status status;
    while ((status = dv_cursor_open(cursor_out, view, options, err)) == DV_ERR_MEMORY) {
        DVT_MUST(!*cursor_out);
        if (++*failures >= FAILURES_MOST)
            break;
    }
    return status;
}

static dv_cursor_options options_at(const dv_cursor_options *given, const dv_token *token)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    if (given)
        options = *given;
    options.token = token->text;
    return options;
}

static dv_status resume(dv_cursor **cursor, dv_view *view, const dv_cursor_options *given,
                        int *failures, dv_error *err)
{
    dv_token token;
    dv_cursor *next;
    dv_status status;
    while ((status = dv_cursor_token(*cursor, &token, err)) == DV_ERR_MEMORY)
        if (++*failures >= FAILURES_MOST)
            break;
    if (status != DV_OK)
        return status;
    const dv_cursor_options options = options_at(given, &token);
    status = dvt_open_again(&next, view, &options, failures, err);
    if (status != DV_OK)
        return status;
    dv_cursor_close(cursor);
    *cursor = next;
    return DV_OK;
}

dv_status dvt_next_again(dv_cursor **cursor, dv_view *view, const dv_cursor_options *options,
                         const dv_batch **batch_out, int *failures, dv_error *err)
{
    for (;;) {
        const dv_status status = dv_cursor_next(*cursor, batch_out, err);
        if (status != DV_ERR_MEMORY || ++*failures >= FAILURES_MOST)
            return status;
        DVT_MUST(!*batch_out && dv_cursor_next(*cursor, batch_out, NULL) == DV_ERR_MEMORY);
        if (resume(cursor, view, options, failures, NULL) != DV_OK)
            return DV_ERR_MEMORY;
    }
}

dv_status dvt_row_again(dv_row_cursor **cursor, dv_view *view, const dv_cursor_options *given,
                        dv_error *err)
{
    dv_token token;
    dv_row_cursor *next;
    dv_status status = DV_ERR_MEMORY;
    DVT_MUST(dv_row_next(*cursor, NULL) == DV_ERR_MEMORY);
    for (int tries = 0; status == DV_ERR_MEMORY && tries < FAILURES_MOST; tries++)
        status = dv_row_token(*cursor, &token, err);
    if (status != DV_OK)
        return status;
    const dv_cursor_options options = options_at(given, &token);
    status = DV_ERR_MEMORY;
    for (int tries = 0; status == DV_ERR_MEMORY && tries < FAILURES_MOST; tries++)
        status = dv_row_cursor_open(&next, view, &options, err);
    if (status != DV_OK)
        return status;
    dv_row_cursor_close(cursor);
    *cursor = next;
    return DV_OK;
}
