/* SPDX-License-Identifier: MIT */
/* cmd_find.c: looks up samples of datadings files by key. */
#include "cli/args/datadings_words.h"
#include "cli/args/input.h"
#include "cli/print/row_json.h"
#include "cli/print/row_table.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/key_source.h"
#include <dataview/datadings.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

typedef struct find {
    const dvi_args *args;
    dvi_out *out;
    dv_view **files; /* one per path, for looking up */
    dv_view *all;    /* all files together, as they are shown */
    dvi_selection selection;
    dvi_key_source keys;
    int64_t rows[DVI_KEYS_AT_ONCE];  /* per key, the row in all files together; -1: not found */
    int64_t shown[DVI_KEYS_AT_ONCE]; /* the rows found */
    int64_t found, missing;          /* of all keys so far */
    dvi_row_table table;
    bool has_table;
} find;

/* --- Looking up ------------------------------------------------------------------------------- */

/* The options without those that say how values are read: look-ups need keys only. */
static dvi_exit add_raw(char **text_out, const char *given)
{
    dv_text word;
    const size_t nbytes = strlen(given ? given : "") + sizeof "raw "; /* a blank before each word */
    char *text = *text_out = malloc(nbytes);
    if (!text)
        return dvi_say_memory();
    memcpy(text, "raw", sizeof "raw");
    for (const char *at = given ? given : ""; dvi_datadings_word(&at, &word);) {
        if (dvi_datadings_is(word, "raw") || dvi_datadings_is(word, "infer") ||
            dvi_datadings_is(word, "mismatch") || dvi_datadings_is(word, "col"))
            continue;
        char *end = text + strlen(text);
        *end++ = ' ';
        memcpy(end, word.data, (size_t)word.nbytes);
        end[word.nbytes] = 0;
    }
    return DVI_EXIT_DONE;
}

static dvi_exit open_file(dv_view **view_out, const dv_open_options *options, const char *path)
{
    dv_error err = DV_ERROR_INIT;
    const char *format;
    dv_status status = dv_open_format(&format, path, options, &err);
    if (status == DV_OK && strcmp(format, "datadings") != 0)
        return dvi_say_usage("%s: find needs a datadings file, but this is %s", path, format);
    if (status != DV_ERR_MEMORY)
        status = dv_open(view_out, path, options, &err);
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

static dvi_exit open_files(find *f)
{
    const dvi_words *paths = &f->args->paths;
    dv_open_options options = f->args->open;
    char *raw;
    f->files = calloc((size_t)paths->count + 1, sizeof(dv_view *));
    if (!f->files)
        return dvi_say_memory();
    dvi_exit status = add_raw(&raw, options.datadings);
    options.datadings = raw;
    for (int i = 0; i < paths->count && !status; i++)
        status = open_file(&f->files[i], &options, paths->word[i]);
    free(raw);
    if (!status)
        status = dvi_input_open(&f->all, f->args);
    return status ? status : dvi_select(&f->selection, f->args, f->all);
}

/* Look up the keys not found yet in one of several files; its rows begin at `base`.  Ask its filter
 * first: most files then need no table of hashes. */
static dv_status find_in_file(find *f, dv_view *view, int64_t base, dv_error *err)
{
    dv_status status = DV_OK;
    for (int i = 0; i < f->keys.n && status >= 0; i++) {
        bool does = false;
        int64_t row;
        if (f->rows[i] >= 0)
            continue;
        status = dv_datadings_contains(view, f->keys.key[i], &does, err);
        if (status < 0 || !does)
            continue;
        status = dv_datadings_find(view, f->keys.key[i], &row, err);
        if (status == DV_OK)
            f->rows[i] = base + row;
    }
    return status < 0 ? status : DV_OK;
}

static dvi_exit look_up(find *f)
{
    dv_error err = DV_ERROR_INIT;
    const int files = f->args->paths.count;
    dv_status status = DV_OK;
    int64_t base = 0;
    for (int i = 0; i < f->keys.n; i++)
        f->rows[i] = -1;
    if (files == 1)
        status = dv_datadings_find_many(f->files[0], f->keys.key, (size_t)f->keys.n, f->rows, &err);
    for (int i = 0; i < files && files > 1 && status == DV_OK; i++) {
        status = find_in_file(f, f->files[i], base, &err);
        base += dv_view_rows(f->files[i]);
    }
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

static void say_missing(const find *f)
{
    for (int i = 0; i < f->keys.n; i++)
        if (f->rows[i] < 0)
            dvi_say("no sample has key '%.*s'", (int)f->keys.key[i].nbytes, f->keys.key[i].data);
}

/* --- Text ------------------------------------------------------------------------------------- */

static dvi_exit show_rows(find *f, int64_t n)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dvi_exit status = DVI_EXIT_DONE;
    if (!f->has_table)
        status = dvi_row_table_init(&f->table, &f->selection, f->out);
    f->has_table = true;
    if (!status && dv_view_take(&view, f->all, f->shown, n, NULL, &err) != DV_OK)
        return dvi_say_error(&err);
    if (!status)
        status = dvi_row_table_read(&f->table, view);
    dv_view_release(&view);
    return status;
}

/* Look up a portion of the keys, and show what is found. */
static dvi_exit find_portion(find *f)
{
    int64_t n = 0;
    dvi_exit status = dvi_key_source_next(&f->keys);
    if (!status)
        status = look_up(f);
    for (int i = 0; i < f->keys.n && !status; i++)
        if (f->rows[i] >= 0)
            f->shown[n++] = f->rows[i];
    f->found += n;
    f->missing += f->keys.n - n;
    return status || n == 0 ? status : show_rows(f, n);
}

static dvi_exit run_text(find *f)
{
    dvi_exit status = DVI_EXIT_DONE;
    while (!f->keys.is_last && !status && !f->out->os_code) {
        status = find_portion(f);
        if (!status && !f->keys.is_last)
            say_missing(f);
    }
    f->selection.rows = f->found;
    if (!status && f->has_table)
        status = dvi_row_table_finish(&f->table, f->args->quiet);
    if (status)
        return status;
    dvi_out_flush(f->out);
    say_missing(f);
    return f->missing ? DVI_EXIT_DATA : DVI_EXIT_DONE;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* The whole answer, which a document needs before it begins. */
typedef struct answer {
    int64_t *rows, *shown; /* of all keys, of those found */
    dvi_words keys;        /* owned, with NULs as they are */
    size_t *nbytes;
    size_t n, cap;
} answer;

static void *grown(void *array, size_t cap, size_t size)
{
    return realloc(array, cap * size);
}

static bool reserve(answer *a, size_t n)
{
    if (n <= a->cap)
        return true;
    const size_t cap = 2 * n;
    int64_t *rows = grown(a->rows, cap, sizeof *rows);
    a->rows = rows ? rows : a->rows;
    int64_t *shown = rows ? grown(a->shown, cap, sizeof *shown) : NULL;
    a->shown = shown ? shown : a->shown;
    size_t *nbytes = shown ? grown(a->nbytes, cap, sizeof *nbytes) : NULL;
    a->nbytes = nbytes ? nbytes : a->nbytes;
    a->cap = nbytes ? cap : a->cap;
    return nbytes;
}

static bool add_key(answer *a, dv_text key, int64_t row)
{
    const size_t n = (size_t)key.nbytes;
    char *copy = malloc(n + 1);
    if (copy && n > 0)
        memcpy(copy, key.data, n);
    a->rows[a->n] = row;
    a->nbytes[a->n++] = n;
    return dvi_words_own(&a->keys, copy);
}

static dvi_exit add_portion(find *f, answer *a)
{
    dvi_exit status = dvi_key_source_next(&f->keys);
    if (!status)
        status = look_up(f);
    if (!status && !reserve(a, a->n + (size_t)f->keys.n))
        return dvi_say_memory();
    for (int i = 0; i < f->keys.n && !status; i++) {
        if (!add_key(a, f->keys.key[i], f->rows[i]))
            return dvi_say_memory();
        if (f->rows[i] >= 0)
            a->shown[f->found++] = f->rows[i];
        f->missing += f->rows[i] < 0;
    }
    return status;
}

static dv_text key_at(const answer *a, size_t i)
{
    return (dv_text){a->keys.word[i], (int64_t)a->nbytes[i]};
}

static void put_keys(const answer *a, dvi_json *json)
{
    dvi_json_open(json, dv_text_of("keys"), '[');
    for (size_t i = 0; i < a->n; i++) {
        dvi_json_open(json, dv_text_of(NULL), '{');
        dvi_json_put(json, "key", dvi_json_text(key_at(a, i)));
        dvi_json_put(json, "row", dvi_json_count(a->rows[i]));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

static dvi_exit show_json(find *f, const answer *a)
{
    dv_error err = DV_ERROR_INIT;
    dvi_row_json r;
    dv_view *view;
    f->selection.rows = f->found;
    if (dv_view_take(&view, f->all, a->shown, f->found, NULL, &err) != DV_OK)
        return dvi_say_error(&err);
    dvi_exit status = dvi_row_json_init(&r, &f->selection, f->args);
    if (!status)
        status = dvi_row_json_read(&r, view);
    if (!status) {
        dvi_json_close(&r.json, ']');
        put_keys(a, &r.json);
        status = dvi_json_end(&r.json, f->out);
    }
    dvi_row_json_free(&r);
    dv_view_release(&view);
    return status;
}

static dvi_exit run_json(find *f)
{
    answer a = {0};
    dvi_exit status = DVI_EXIT_DONE;
    while (!f->keys.is_last && !status)
        status = add_portion(f, &a);
    if (!status)
        status = show_json(f, &a);
    dvi_out_flush(f->out);
    for (size_t i = 0; i < a.n && !status; i++)
        if (a.rows[i] < 0)
            dvi_say("no sample has key '%.*s'", (int)a.nbytes[i], a.keys.word[i]);
    dvi_words_free_all(&a.keys);
    free(a.rows);
    free(a.shown);
    free(a.nbytes);
    return status || !f->missing ? status : DVI_EXIT_DATA;
}

dvi_exit dvi_cmd_find(const dvi_args *args, dvi_out *out)
{
    if (args->keys.count == 0 && !args->key_file)
        return dvi_say_usage("find needs a key: dataview find %s", args->verb->arguments);
    find *f = calloc(1, sizeof *f);
    if (!f)
        return dvi_say_memory();
    f->args = args;
    f->out = out;
    dvi_key_source_init(&f->keys, args);
    dvi_exit status = open_files(f);
    if (!status)
        status = (args->json ? run_json : run_text)(f);
    if (f->has_table)
        dvi_row_table_free(&f->table);
    dvi_key_source_free(&f->keys);
    dvi_selection_free(&f->selection);
    dv_view_release(&f->all);
    for (int i = 0; f->files && i < args->paths.count; i++)
        dv_view_release(&f->files[i]);
    free(f->files);
    free(f);
    return status;
}
