/* SPDX-License-Identifier: MIT */
/* cmd_find.c: looks up samples of datadings files by key. */
#include "cli/args/input.h"
#include "cli/print/row_json.h"
#include "cli/print/row_table.h"
#include "cli/verbs/commands.h"
#include <dataview/datadings.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

typedef struct find {
    const dvi_args *args;
    dvi_out *out;
    int64_t *rows;  /* per key, the row in all files together; -1: not found */
    int64_t *shown; /* the rows found */
    int64_t found;  /* the number of these */
    dv_view *view;  /* of these rows */
    dvi_selection selection;
} find;

/* --- Looking up ------------------------------------------------------------------------------- */

/* With several files, ask the filter of each first: most then need no table of hashes. */
static dv_status find_key(dv_view *view, dv_text key, bool is_one, int64_t *row_out, dv_error *err)
{
    bool does = true;
    dv_status status = DV_OK;
    if (!is_one)
        status = dv_datadings_contains(view, key, &does, err);
    return status == DV_OK && does ? dv_datadings_find(view, key, row_out, err) : status;
}

/* Look up the keys not found yet; the rows of this file begin at `base`. */
static dvi_exit find_in_file(find *f, dv_view *view, int64_t base)
{
    const dvi_words *keys = &f->args->keys;
    for (int i = 0; i < keys->count; i++) {
        dv_error err = DV_ERROR_INIT;
        int64_t row = -1;
        if (f->rows[i] >= 0)
            continue;
        if (find_key(view, dv_text_of(keys->word[i]), f->args->paths.count == 1, &row, &err) < 0)
            return dvi_say_error(&err);
        f->rows[i] = row < 0 ? -1 : base + row;
    }
    return DVI_EXIT_DONE;
}

static dvi_exit open_file(dv_view **view_out, const find *f, const char *path)
{
    dv_error err = DV_ERROR_INIT;
    const char *format;
    dv_status status = dv_open_format(&format, path, &f->args->open, &err);
    if (status == DV_OK && strcmp(format, "datadings") != 0)
        return dvi_say_usage("%s: find needs a datadings file, but this is %s", path, format);
    if (status != DV_ERR_MEMORY)
        status = dv_open(view_out, path, &f->args->open, &err);
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

static dvi_exit find_all(find *f)
{
    int64_t base = 0;
    for (int i = 0; i < f->args->paths.count; i++) {
        dv_view *view = NULL;
        dvi_exit status = open_file(&view, f, f->args->paths.word[i]);
        if (!status) {
            status = find_in_file(f, view, base);
            base += dv_view_rows(view);
        }
        dv_view_release(&view);
        if (status)
            return status;
    }
    for (int i = 0; i < f->args->keys.count; i++)
        if (f->rows[i] >= 0)
            f->shown[f->found++] = f->rows[i];
    return DVI_EXIT_DONE;
}

/* --- Showing ---------------------------------------------------------------------------------- */

static dvi_exit open_rows(find *f)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *all = NULL;
    dvi_exit status = dvi_input_open(&all, f->args);
    if (!status && dv_view_take(&f->view, all, f->shown, f->found, NULL, &err) != DV_OK)
        status = dvi_say_error(&err);
    dv_view_release(&all);
    return status ? status : dvi_select(&f->selection, f->args, f->view);
}

static void add_keys(const find *f, dvi_json *json)
{
    dvi_json_open(json, dv_text_of("keys"), '[');
    for (int i = 0; i < f->args->keys.count; i++) {
        dvi_json_open(json, dv_text_of(NULL), '{');
        dvi_json_put(json, "key", dvi_json_cstr(f->args->keys.word[i]));
        dvi_json_put(json, "row", dvi_json_count(f->rows[i]));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

static dvi_exit show_json(const find *f)
{
    dvi_row_json r;
    dvi_exit status = dvi_row_json_init(&r, &f->selection, f->args);
    if (!status)
        status = dvi_row_json_read(&r, f->view);
    if (!status) {
        dvi_json_close(&r.json, ']');
        add_keys(f, &r.json);
        status = dvi_json_end(&r.json, f->out);
    }
    dvi_row_json_free(&r);
    return status;
}

static dvi_exit show(const find *f)
{
    dvi_exit status = DVI_EXIT_DONE;
    if (f->args->json)
        status = show_json(f);
    else if (f->found)
        status = dvi_row_table_show(f->view, &f->selection, f->args->quiet, f->out);
    if (status || f->found == f->args->keys.count)
        return status;
    dvi_out_flush(f->out);
    for (int i = 0; i < f->args->keys.count; i++)
        if (f->rows[i] < 0)
            dvi_say("no sample has key '%s'", f->args->keys.word[i]);
    return DVI_EXIT_DATA;
}

dvi_exit dvi_cmd_find(const dvi_args *args, dvi_out *out)
{
    find f = {.args = args, .out = out};
    const size_t n = (size_t)args->keys.count;
    if (n == 0)
        return dvi_say_usage("find needs a key: dataview find %s", args->verb->arguments);
    int64_t *rows = malloc(2 * n * sizeof *rows);
    if (!rows)
        return dvi_say_memory();
    for (size_t i = 0; i < n; i++)
        rows[i] = -1;
    f.rows = rows;
    f.shown = rows + n;
    dvi_exit status = find_all(&f);
    if (!status)
        status = open_rows(&f);
    if (!status)
        status = show(&f);
    dvi_selection_free(&f.selection);
    dv_view_release(&f.view);
    free(rows);
    return status;
}
