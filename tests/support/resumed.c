/* SPDX-License-Identifier: MIT */
/* resumed.c: compares the rows of a cursor with those of cursors that resume from its tokens. */
#include "support/resumed.h"
#include "support/lines.h"
#include "support/produce.h"
#include <dataview/row.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUTS 4 /* tokens that are tried, of each kind */

/* Rows, each a line, and how they ended. */
typedef struct walk {
    dvt_lines lines;
    size_t *start; /* of each row's line; and where the last one ends */
    int64_t rows, cap;
    dv_token *token; /* before the first batch, and after each */
    int64_t tokens, tokens_cap;
    int64_t *token_at; /* rows before it */
    dv_status status;
} walk;

static void *grown(void *array, int64_t n, int64_t *cap, size_t nbytes)
{
    if (n < *cap)
        return array;
    *cap = 2 * n + 16;
    array = realloc(array, (size_t)*cap * nbytes);
    DVT_MUST(array != NULL);
    return array;
}

static void free_walk(walk *w)
{
    dvt_lines_free(&w->lines);
    free(w->start);
    free(w->token);
    free(w->token_at);
}

static void put_batch(walk *w, const dv_batch *batch)
{
    const dv_sink sink = dvt_lines_sink(&w->lines);
    dv_value *values = calloc((size_t)batch->columns + 1, sizeof *values);
    DVT_MUST(values != NULL);
    for (int32_t k = 0; k < batch->columns; k++)
        values[k] = dv_value_first(dv_batch_column(batch, k));
    for (int64_t i = 0; i < batch->rows; i++) {
        w->start = grown(w->start, w->rows + 1, &w->cap, sizeof *w->start);
        w->start[w->rows++] = w->lines.nbytes;
        dvt_lines_print(&w->lines, "%" PRId64 " %" PRId64, batch->position + i,
                        batch->first_row + i);
        if (batch->ids)
            dvt_lines_print(&w->lines, " %" PRIx64 ".%" PRIx64, batch->ids[i].hi, batch->ids[i].lo);
        for (int32_t k = 0; k < batch->columns; k++) {
            dvt_lines_print(&w->lines, " ");
            dv_value_write(&values[k], DV_STYLE_EXACT, &sink);
            if (i + 1 < batch->rows)
                dv_value_next(&values[k]);
        }
        dvt_lines_print(&w->lines, "\n");
    }
    free(values);
}

static void keep_token(walk *w, const dv_cursor *cursor)
{
    int64_t cap = w->tokens_cap;
    w->token = grown(w->token, w->tokens, &w->tokens_cap, sizeof *w->token);
    w->token_at = grown(w->token_at, w->tokens, &cap, sizeof *w->token_at);
    DVT_MUST(dv_cursor_token(cursor, &w->token[w->tokens], NULL) == DV_OK);
    w->token_at[w->tokens++] = w->rows;
}

/* All rows of these options, with tokens if requested. */
static void read_walk(walk *w, dv_view *view, const dv_cursor_options *options, bool tokens)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    *w = (walk){.rows = 0};
    w->status = dv_cursor_open(&cursor, view, options, NULL);
    if (w->status == DV_OK && tokens)
        keep_token(w, cursor);
    while (w->status == DV_OK) {
        w->status = dv_cursor_next(cursor, &batch, NULL);
        if (w->status == DV_OK)
            put_batch(w, batch);
        if (w->status == DV_OK && tokens)
            keep_token(w, cursor);
    }
    dv_cursor_close(&cursor);
    w->start = grown(w->start, w->rows + 1, &w->cap, sizeof *w->start);
    w->start[w->rows] = w->lines.nbytes;
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static char difference[512];

/* Limits and combined slots are counted for a batch: rows of it before the one at fault may be lost
 * with it, and other batches lose other rows. */
static bool is_counted_by_batch(dv_status status)
{
    return status == DV_ERR_LIMIT || status == DV_ERR_ARGUMENT;
}

/* Does a cursor with that token deliver the rest after this many rows? */
static bool check_rest(const walk *whole, dv_view *view, const dv_cursor_options *given,
                       const char *token, int64_t at, uint64_t *state)
{
    static const int64_t batches[] = {0, 1, 3, 64, 7};
    dv_cursor_options options = *given;
    walk rest;
    options.token = token;
    options.batch_rows = batches[draw(state) % 5];
    options.threads = 1 + (int32_t)(draw(state) % 3);
    read_walk(&rest, view, &options, false);
    size_t nbytes = whole->lines.nbytes - whole->start[at];
    if (rest.status == whole->status && is_counted_by_batch(rest.status) &&
        rest.lines.nbytes < nbytes)
        nbytes = rest.lines.nbytes;
    const bool is_as_long = rest.status == whole->status && rest.lines.nbytes == nbytes;
    const bool is_same =
        (is_as_long || (whole->status < 0 && rest.lines.nbytes >= nbytes)) &&
        (nbytes == 0 || memcmp(rest.lines.data, whole->lines.data + whole->start[at], nbytes) == 0);
    if (!is_same)
        snprintf(difference, sizeof difference,
                 "%s, batch_rows %d, threads %d: %" PRId64 " rows and status %d after row %" PRId64
                 " of %" PRId64 " and status %d; first \"%.60s\" for \"%.60s\"",
                 token, (int)options.batch_rows, options.threads, rest.rows, (int)rest.status, at,
                 whole->rows, (int)whole->status, rest.lines.nbytes ? rest.lines.data : "",
                 nbytes ? whole->lines.data + whole->start[at] : "");
    free_walk(&rest);
    return is_same;
}

/* The token of a row cursor on row `at`, or before the first (-1). */
static bool check_row(const walk *whole, dv_view *first, dv_view *second,
                      const dv_cursor_options *options, int64_t at, uint64_t *state)
{
    dv_row_cursor *cursor;
    dv_token token;
    DVT_MUST(dv_row_cursor_open(&cursor, first, options, NULL) == DV_OK);
    DVT_MUST(at < 0 || dv_row_skip(cursor, at + 1, NULL) == DV_OK);
    DVT_MUST(dv_row_token(cursor, &token, NULL) == DV_OK);
    dv_row_cursor_close(&cursor);
    return check_rest(whole, second, options, token.text, at + 1, state);
}

static bool check_cuts(const walk *whole, dv_view *first, dv_view *second,
                       const dv_cursor_options *options, uint64_t *state)
{
    for (int i = 0; i < CUTS; i++) {
        const int64_t k = (int64_t)(draw(state) % (uint64_t)whole->tokens);
        if (!check_rest(whole, second, options, whole->token[k].text, whole->token_at[k], state))
            return false;
        const int64_t row = (int64_t)(draw(state) % (uint64_t)(whole->rows + 1)) - 1;
        if (!check_row(whole, first, second, options, row, state))
            return false;
    }
    return check_rest(whole, second, options, whole->token[whole->tokens - 1].text, whole->rows,
                      state);
}

const char *dvt_resume_difference(dv_view *first, dv_view *second, const dv_cursor_options *options,
                                  uint64_t seed)
{
    walk whole;
    bool is_same = true;
    read_walk(&whole, first, options, true);
    if (whole.tokens > 0)
        is_same = check_cuts(&whole, first, second, options, &seed);
    free_walk(&whole);
    return is_same ? NULL : difference;
}
