/* SPDX-License-Identifier: MIT */
/* token.c: a position as text: dv1-DELIVERED-FIRST-END-IDENTITY-CHECKSUM (docs/resuming.md). */
#include "scan/token.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "view/token_text.h"
#include "scan/cursor.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "docs/resuming.md"
#define TO_END "end"

static const dvi_token_kind cursor_token = {"cursor", "dv", RULE};

dvi_position dvi_position_of(const dv_cursor_options *options)
{
    dvi_position position = {0};
    dvi_cursor_limit_rows(options, INT64_MAX, &position.first, &position.end);
    return position;
}

typedef struct rows_text {
    char text[2 * 20 + 8];
} rows_text;

/* "0 to end", "5 to 100" */
static rows_text print_rows(const dvi_position *position)
{
    rows_text shown;
    if (position->end == INT64_MAX)
        snprintf(shown.text, sizeof shown.text, "%" PRId64 " to " TO_END, position->first);
    else
        snprintf(shown.text, sizeof shown.text, "%" PRId64 " to %" PRId64, position->first,
                 position->end);
    return shown;
}

dv_status dvi_token_write(dv_token *token_out, dv_view *view, const dvi_position *position,
                          dv_error *err)
{
    dv_u128 identity;
    memset(token_out, 0, sizeof *token_out);
    DVI_TRY(dvi_view_identity(view, false, &identity, err));
    dvi_token_start(token_out, &cursor_token);
    dvi_token_add_number(token_out, (uint64_t)position->delivered);
    dvi_token_add_number(token_out, (uint64_t)position->first);
    if (position->end == INT64_MAX)
        dvi_token_add_word(token_out, TO_END);
    else
        dvi_token_add_number(token_out, (uint64_t)position->end);
    dvi_token_finish(token_out, identity);
    return DV_OK;
}

static bool read_row(const char **at, int64_t *row_out)
{
    uint64_t row;
    if (!dvi_token_read_number(at, INT64_MAX, &row))
        return false;
    *row_out = (int64_t)row;
    return true;
}

static bool read_end(const char **at, int64_t *end_out)
{
    *end_out = INT64_MAX;
    return dvi_token_read_word(at, TO_END) || read_row(at, end_out);
}

/* Parse the position and the identity. */
static dv_status read_text(dvi_position *position, dvi_identity_text *identity, const char *token,
                           dv_error *err)
{
    const char *at;
    DVI_TRY(dvi_token_check(&at, &cursor_token, token, err));
    if (!read_row(&at, &position->delivered) || !read_row(&at, &position->first) ||
        !read_end(&at, &position->end) || !dvi_token_read_identity(at, identity))
        return dvi_token_malformed(&cursor_token, "ROWS-FIRST-END", token, err);
    return DV_OK;
}

/* Check that the view has this many of the requested rows, as far as it knows. */
static dv_status check_delivered(const dv_cursor_options *options, const dv_view *view,
                                 int64_t delivered, dv_error *err)
{
    int64_t first, end;
    dvi_cursor_read_rows(view, options, &first, &end);
    if (delivered <= end - first)
        return DV_OK;
    return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "rows before the position of the token",
                    "at most %" PRId64 "|%" PRId64, end - first, delivered);
}

dv_status dvi_token_apply(dvi_position *position_out, dv_cursor_options *options, dv_view *view,
                          dv_error *err)
{
    dvi_position found = {0};
    dvi_identity_text identity = {{0}};
    *position_out = dvi_position_of(options);
    if (!options->token)
        return DV_OK;
    DVI_TRY(read_text(&found, &identity, options->token, err));
    DVI_TRY(dvi_token_check_view(&cursor_token, view, &identity, err));
    if (found.first != position_out->first || found.end != position_out->end)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "rows of the token", "%s|%s",
                        print_rows(position_out).text, print_rows(&found).text);
    DVI_TRY(check_delivered(options, view, found.delivered, err));
    *position_out = found;
    options->first_row = found.first + found.delivered;
    options->end_row = found.end == INT64_MAX ? -1 : found.end;
    options->skip = 0;
    options->take = -1;
    options->token = NULL;
    return DV_OK;
}
