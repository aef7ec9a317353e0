/* SPDX-License-Identifier: MIT */
/* pipe_diff.c: pairs the steps of two pipelines, and lists what differs. */
#include "cli/verbs/pipe_diff.h"
#include "cli/print/json.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/table.h"
#include "cli/verbs/pipe_diff_tables.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 1000 /* that are paired: time and memory grow with the product */
#define ROWS_SHOWN 5

typedef struct diff {
    const dvi_pipe_side *sides;
    int32_t count[2];   /* steps of each side */
    dvi_clip *texts[2]; /* of each step */
    uint16_t *alike;    /* of the steps from (i, j) on: how alike the best pairs are */
    dvi_table table;
    dvi_json json; /* in place of the table, if as_json */
    bool as_json;
    int64_t found;
} diff;

/* --- Steps ------------------------------------------------------------------------------------ */

static dvi_exit write_texts(diff *d, int side)
{
    const dv_pipeline *pipeline = d->sides[side].pipeline;
    d->texts[side] = calloc((size_t)d->count[side] + 1, sizeof *d->texts[side]);
    if (!d->texts[side])
        return dvi_say_memory();
    for (int32_t i = 0; i < d->count[side]; i++) {
        dvi_clip *text = &d->texts[side][i];
        text->most = DVI_CLIP_UNLIMITED;
        const dv_sink sink = dvi_clip_sink(text);
        dv_pipeline_write_step(pipeline, i, &sink);
        if (text->is_failed)
            return dvi_say_memory();
    }
    return DVI_EXIT_DONE;
}

static bool is_same(const diff *d, int32_t i, int32_t j)
{
    const dvi_clip *a = &d->texts[0][i], *b = &d->texts[1][j];
    return a->nbytes > 0 && a->nbytes == b->nbytes && memcmp(a->text, b->text, a->nbytes) == 0;
}

/* 3: the same; 1: of one kind; 0: no pair. */
static int likeness(const diff *d, int32_t i, int32_t j)
{
    if (is_same(d, i, j))
        return 3;
    return dv_pipeline_step(d->sides[0].pipeline, i) == dv_pipeline_step(d->sides[1].pipeline, j);
}

static uint16_t *alike_at(const diff *d, int32_t i, int32_t j)
{
    return &d->alike[(size_t)i * ((size_t)d->count[1] + 1) + (size_t)j];
}

/* The longest common subsequence, from the end. */
static dvi_exit pair_steps(diff *d)
{
    d->alike = calloc((size_t)(d->count[0] + 1) * (size_t)(d->count[1] + 1), sizeof *d->alike);
    if (!d->alike)
        return dvi_say_memory();
    for (int32_t i = d->count[0] - 1; i >= 0; i--)
        for (int32_t j = d->count[1] - 1; j >= 0; j--) {
            const int pair = likeness(d, i, j);
            uint16_t best = *alike_at(d, i + 1, j);
            if (*alike_at(d, i, j + 1) > best)
                best = *alike_at(d, i, j + 1);
            if (pair > 0 && *alike_at(d, i + 1, j + 1) + pair > best)
                best = (uint16_t)(*alike_at(d, i + 1, j + 1) + pair);
            *alike_at(d, i, j) = best;
        }
    return DVI_EXIT_DONE;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* The number of a step, from 1; -1: it is not there. */
static void add_number(diff *d, int32_t step)
{
    if (step < 0)
        dvi_table_add_text(&d->table, dv_text_of(""));
    else
        dvi_table_add_print(&d->table, "%d", (int)step + 1);
}

static void add_line(diff *d, int32_t i, int32_t j, dvi_clip *what)
{
    add_number(d, i);
    add_number(d, j);
    dvi_table_add_clip(&d->table, what);
    d->found++;
}

static void add_text(dvi_clip *clip, const dvi_clip *text)
{
    dvi_clip_write(clip, text->text, text->nbytes);
}

/* The step as it is on one side; null where there is none. */
static void put_side(diff *d, int side, int32_t step)
{
    static const char *const numbers[] = {"a", "b"}, *const texts[] = {"a_step", "b_step"};
    dvi_json_put(&d->json, numbers[side], step < 0 ? json_null() : json_integer(step + 1));
    if (step < 0)
        dvi_json_put(&d->json, texts[side], json_null());
    else
        dvi_json_put(&d->json, texts[side],
                     dvi_json_text((dv_text){d->texts[side][step].text,
                                             (int64_t)d->texts[side][step].nbytes}));
}

static void open_item(diff *d, const char *what, int32_t i, int32_t j)
{
    dvi_json_open(&d->json, dv_text_of(NULL), '{');
    dvi_json_put(&d->json, "what", dvi_json_cstr(what));
    put_side(d, 0, i);
    put_side(d, 1, j);
}

static void add_steps(diff *d, int32_t i, int32_t j)
{
    dvi_clip what = {.most = DVI_CLIP_UNLIMITED};
    if (d->as_json) {
        open_item(d, i < 0 ? "added" : j < 0 ? "removed" : "changed", i, j);
        dvi_json_close(&d->json, '}');
        d->found++;
        return;
    }
    dvi_clip_text(&what, i < 0 ? "added: " : j < 0 ? "removed: " : "");
    if (i >= 0)
        add_text(&what, &d->texts[0][i]);
    if (i >= 0 && j >= 0)
        dvi_clip_text(&what, " \u2192 ");
    if (j >= 0)
        add_text(&what, &d->texts[1][j]);
    add_line(d, i, j, &what);
}

/* --- What was learned ------------------------------------------------------------------------- */

static void add_found(diff *d, const dv_fitted_state *state, int32_t j, dvi_rows_found *found,
                      const char *what)
{
    char amount[DVI_AMOUNT_CAP], noun[32];
    dvi_clip line = {.most = DVI_CLIP_UNLIMITED};
    if (found->count > 0) {
        snprintf(noun, sizeof noun, "%.*s", (int)strlen(state->name) - 1, state->name);
        dvi_clip_write(&line, state->column.data, (size_t)state->column.nbytes);
        dvi_clip_text(&line, ": ");
        dvi_clip_text(&line, dvi_amount_count(amount, found->count, noun));
        dvi_clip_text(&line, what);
        dvi_clip_write(&line, found->clip.text, found->clip.nbytes);
        dvi_clip_text(&line, found->count > ROWS_SHOWN ? " \u2026" : "");
        add_line(d, state->step, j, &line);
    }
    dvi_clip_free(&found->clip);
}

static void put_rows(diff *d, const char *name, const dvi_rows_found *found)
{
    const dv_sink sink = dvi_json_member(&d->json, dv_text_of(name));
    d->json.is_failed |= found->clip.is_failed;
    sink.write(sink.ctx, "[", 1);
    sink.write(sink.ctx, found->clip.text ? found->clip.text : "", found->clip.nbytes);
    sink.write(sink.ctx, "]", 1);
}

static void put_found(diff *d, const dv_fitted_state *a, int32_t j, dvi_tables_found *found)
{
    if (found->only[0].count + found->only[1].count + found->moved.count > 0) {
        open_item(d, "learned", a->step, j);
        dvi_json_put(&d->json, "column", dvi_json_text(a->column));
        dvi_json_put(&d->json, "table", dvi_json_cstr(a->name));
        put_rows(d, "only_a", &found->only[0]);
        put_rows(d, "only_b", &found->only[1]);
        put_rows(d, "moved", &found->moved);
        dvi_json_close(&d->json, '}');
        d->found++;
    }
    dvi_clip_free(&found->only[0].clip);
    dvi_clip_free(&found->only[1].clip);
    dvi_clip_free(&found->moved.clip);
}

static dv_status compare(diff *d, const dv_fitted_state *a, const dv_fitted_state *b, dv_error *err)
{
    static const dvi_rows_found none = {.clip = {.most = DVI_CLIP_UNLIMITED}};
    dvi_tables_found found = {.only = {none, none},
                              .moved = none,
                              .shown = d->as_json ? INT64_MAX : ROWS_SHOWN,
                              .as_json = d->as_json};
    const dv_status status = dvi_pipe_diff_tables(&found, a->view, b->view, err);
    if (status < 0)
        found.only[0].count = found.only[1].count = found.moved.count = 0;
    if (d->as_json) {
        put_found(d, a, b->step, &found);
        return status;
    }
    add_found(d, a, b->step, &found.only[0], " only in A: ");
    add_found(d, a, b->step, &found.only[1], " only in B: ");
    add_found(d, a, b->step, &found.moved, " with another number (of A, of B): ");
    return status;
}

/* The table of step j of B that has the column and name of one of A.  Steps that are alike have it
 * at the same place, where the search begins. */
static dv_status find_table(dv_fitted_state *state_out, dv_fitted *fitted, int32_t j, int32_t place,
                            const dv_fitted_state *like, dv_error *err)
{
    const int32_t first = dv_fitted_first_table(fitted, j);
    const int32_t n = dv_fitted_first_table(fitted, j + 1) - first;
    for (int32_t i = 0; i < n; i++) {
        const int32_t t = first + (int32_t)(((int64_t)place + i) % n);
        const dv_status status = dv_fitted_table(state_out, fitted, t, err);
        if (status < 0 || (dv_text_equal(state_out->column, like->column) &&
                           strcmp(state_out->name, like->name) == 0))
            return status;
        dv_view_release(&state_out->view);
    }
    return DV_NOT_FOUND;
}

/* The tables that steps i and j both have. */
static dv_status compare_learned(diff *d, int32_t i, int32_t j, dv_error *err)
{
    dv_fitted *a = d->sides[0].fitted, *b = d->sides[1].fitted;
    const bool have_learned = a && b;
    const int32_t first = have_learned ? dv_fitted_first_table(a, i) : 0;
    const int32_t end = have_learned ? dv_fitted_first_table(a, i + 1) : 0;
    dv_status status = DV_OK;
    for (int32_t t = first; t < end && status >= 0; t++) {
        dv_fitted_state mine, other = {.step = -1};
        status = dv_fitted_table(&mine, a, t, err);
        if (status == DV_OK)
            status = find_table(&other, b, j, t - first, &mine, err);
        if (status == DV_OK)
            status = compare(d, &mine, &other, err);
        dv_view_release(&mine.view);
        dv_view_release(&other.view);
    }
    return status < 0 ? status : DV_OK;
}

/* --- Both ------------------------------------------------------------------------------------- */

static dv_status compare_pair(diff *d, int32_t i, int32_t j, dv_error *err)
{
    if (!is_same(d, i, j))
        add_steps(d, i, j);
    return compare_learned(d, i, j, err);
}

static dv_status compare_steps(diff *d, dv_error *err)
{
    int32_t i = 0, j = 0;
    while (i < d->count[0] || j < d->count[1]) {
        const bool has_both = i < d->count[0] && j < d->count[1];
        const int pair = has_both ? likeness(d, i, j) : 0;
        if (pair > 0 && *alike_at(d, i, j) == *alike_at(d, i + 1, j + 1) + pair) {
            const dv_status status = compare_pair(d, i++, j++, err);
            if (status < 0)
                return status;
        } else if (i < d->count[0] &&
                   (j == d->count[1] || *alike_at(d, i, j) == *alike_at(d, i + 1, j))) {
            add_steps(d, i++, -1);
        } else {
            add_steps(d, -1, j++);
        }
    }
    return DV_OK;
}

static dvi_exit print_json(diff *d, dvi_out *out)
{
    dvi_json *json = &d->json;
    dvi_json_close(json, ']');
    dvi_json_put(json, "a_step_count", dvi_json_count(d->count[0]));
    dvi_json_put(json, "b_step_count", dvi_json_count(d->count[1]));
    dvi_json_put(json, "a_is_fitted", json_boolean(d->sides[0].fitted));
    dvi_json_put(json, "b_is_fitted", json_boolean(d->sides[1].fitted));
    dvi_json_put(json, "is_same", json_boolean(d->found == 0));
    const dvi_exit status = dvi_json_end(json, out);
    return status || d->found == 0 ? status : DVI_EXIT_DATA;
}

static dvi_exit print(diff *d, const dvi_args *args, dvi_out *out)
{
    char text[DVI_AMOUNT_CAP];
    if (d->as_json)
        return print_json(d, out);
    if (d->found > 0) {
        const dvi_exit status = dvi_table_print(&d->table, out);
        return status ? status : DVI_EXIT_DATA;
    }
    const bool is_half = !d->sides[0].fitted != !d->sides[1].fitted;
    if (!args->quiet)
        dvi_out_print(out, "same: %s%s\n", dvi_amount_count(text, d->count[0], "step"),
                      is_half ? "; only one of them is fitted" : "");
    return DVI_EXIT_DONE;
}

static void begin(diff *d)
{
    if (d->as_json) {
        dvi_json_begin(&d->json, "pipe", NULL);
        dvi_json_put(&d->json, "action", dvi_json_cstr("diff"));
        dvi_json_open(&d->json, dv_text_of("differences"), '[');
        return;
    }
    dvi_table_column_add(&d->table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    dvi_table_column_add(&d->table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    dvi_table_column_add(&d->table, 0);
    dvi_table_add_text(&d->table, dv_text_of("A"));
    dvi_table_add_text(&d->table, dv_text_of("B"));
    dvi_table_add_text(&d->table, dv_text_of("what differs"));
}

static dvi_exit run(diff *d, const dvi_args *args, dvi_out *out)
{
    dv_error err = DV_ERROR_INIT;
    dvi_exit status = write_texts(d, 0);
    if (!status)
        status = write_texts(d, 1);
    if (!status)
        status = pair_steps(d);
    if (status)
        return status;
    begin(d);
    return compare_steps(d, &err) < 0 ? dvi_say_error(&err) : print(d, args, out);
}

static void texts_free(dvi_clip *texts, int32_t n)
{
    for (int32_t i = 0; texts && i < n; i++)
        dvi_clip_free(&texts[i]);
    free(texts);
}

dvi_exit dvi_pipe_diff(const dvi_pipe_side sides[2], const dvi_args *args, dvi_out *out)
{
    diff d = {.sides = sides, .as_json = args->json};
    const dvi_screen screen = dvi_screen_of(out->fd);
    for (int i = 0; i < 2; i++)
        d.count[i] = dv_pipeline_steps(sides[i].pipeline);
    if (d.count[0] > STEPS_MAX || d.count[1] > STEPS_MAX)
        return dvi_say_usage("pipe diff compares pipelines of at most %d steps", STEPS_MAX);
    dvi_table_init(&d.table, &screen, 1);
    const dvi_exit status = run(&d, args, out);
    dvi_table_free(&d.table);
    dvi_json_free(&d.json);
    texts_free(d.texts[0], d.count[0]);
    texts_free(d.texts[1], d.count[1]);
    free(d.alike);
    return status;
}
