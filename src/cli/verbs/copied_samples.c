/* SPDX-License-Identifier: MIT */
/* copied_samples.c: opens samples of datadings that are written as they are. */
#include "cli/verbs/copied_samples.h"
#include "cli/args/datadings_words.h"
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/terminal/say.h"
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Options of reading ----------------------------------------------------------------------- */

static void append(char *text, size_t *n, const char *data, size_t nbytes)
{
    memcpy(text + *n, data, nbytes);
    *n += nbytes;
    text[*n] = 0;
}

/* --- Which entries stay ----------------------------------------------------------------------- */

/* Is the column an entry of the message, whose name an option can say?  A dot may be that of a
 * nested map. */
static bool is_entry(dv_text name)
{
    for (int64_t i = 0; i < name.nbytes; i++)
        if (strchr(".{}\\", name.data[i]))
            return false;
    return true;
}

static bool is_selected(const dvi_selection *selection, int32_t column)
{
    for (int32_t k = 0; k < selection->count; k++)
        if (selection->columns[k] == column)
            return true;
    return false;
}

/* The columns that an option has to name: with --columns those that stay, else those that go. */
static bool is_named(const dvi_selection *selection, const dvi_args *args, int32_t column)
{
    const bool is_hidden = dv_schema_column(selection->schema, column)->is_hidden;
    return !is_hidden && is_selected(selection, column) == (args->columns.count > 0);
}

/* Can the samples be written without decoding the entries that stay? */
static bool can_project(const dvi_selection *selection, const dvi_args *args)
{
    bool has_key = false;
    for (int32_t i = 0; i < dv_schema_columns(selection->schema); i++) {
        const dv_text name = dv_schema_column(selection->schema, i)->name;
        has_key |= dv_text_equal(name, dv_text_of("key")) && is_selected(selection, i);
        if (is_named(selection, args, i) && !is_entry(name))
            return false;
    }
    return has_key && !args->hidden;
}

/* Append "keep={NAME}" for each; NULL: out of memory. */
static char *name_entries(const dvi_selection *selection, const dvi_args *args, const char *options)
{
    const char *word = args->columns.count ? " keep={" : " drop={";
    size_t n = strlen(options), need = n + 1;
    for (int32_t i = 0; i < dv_schema_columns(selection->schema); i++)
        need += (size_t)dv_schema_column(selection->schema, i)->name.nbytes + strlen(word) + 1;
    char *text = malloc(need);
    if (!text)
        return NULL;
    memcpy(text, options, n + 1);
    for (int32_t i = 0; i < dv_schema_columns(selection->schema); i++) {
        const dv_text name = dv_schema_column(selection->schema, i)->name;
        if (!is_named(selection, args, i))
            continue;
        append(text, &n, word, strlen(word));
        append(text, &n, name.data, (size_t)name.nbytes);
        append(text, &n, "}", 1);
    }
    return text;
}

/* --- Views ------------------------------------------------------------------------------------ */

/* "copied key", or another name that no column of the samples has. */
static void name_apart(char *name, size_t cap, const char *base, const dv_schema *samples)
{
    int32_t column;
    snprintf(name, cap, "copied %s", base);
    for (int i = 2; dv_schema_find(samples, dv_text_of(name), &column) == DV_OK; i++)
        snprintf(name, cap, "copied %s %d", base, i);
}

/* The columns of the samples beside keys and messages, for --where, and what it leaves of these. */
static dvi_exit join(dv_view **view_out, dv_view *samples, dv_view *messages, const dvi_args *args)
{
    char key[64], message[64];
    dv_error err = DV_ERROR_INIT;
    dv_view *apart = NULL, *both = NULL;
    name_apart(key, sizeof key, "key", dv_view_schema(samples));
    name_apart(message, sizeof message, "message", dv_view_schema(samples));
    const dv_column_spec away[] = {{dv_text_of("key"), dv_text_of(key)},
                                   {dv_text_of("message"), dv_text_of(message)}};
    const dv_column_spec back[] = {{dv_text_of(key), dv_text_of("key")},
                                   {dv_text_of(message), dv_text_of("message")}};
    dv_status status = dv_view_select(&apart, messages, away, 2, DV_HIDDEN_DROP, NULL, &err);
    if (status == DV_OK)
        status = dv_view_zip(&both, (dv_view *[]){samples, apart}, 2, NULL, &err);
    dvi_exit exit = status < 0 ? dvi_say_error(&err) : dvi_input_apply(&both, args);
    if (!exit && dv_view_select(view_out, both, back, 2, DV_HIDDEN_DROP, NULL, &err) != DV_OK)
        exit = dvi_say_error(&err);
    dv_view_release(&apart);
    dv_view_release(&both);
    return exit;
}

static dvi_exit open_messages(dv_view **view_out, dv_view *samples, const dvi_args *how)
{
    dv_view *messages = NULL;
    dvi_exit status = dvi_input_open_files(&messages, how);
    if (!status)
        status = join(view_out, samples, messages, how);
    dv_view_release(&messages);
    return status;
}

/* --- Which way -------------------------------------------------------------------------------- */

/* Whether samples go from datadings to datadings, and nothing says how to take them apart. */
static dvi_exit find_copies(bool *are_copied_out, const dvi_args *args)
{
    const char *out = args->last         ? args->last
                      : args->outs.count ? args->outs.word[0]
                                         : args->paths.word[0];
    *are_copied_out = false;
    if (dvi_datadings_has(args->open.datadings, "raw") ||
        dvi_datadings_has(args->open.datadings, "col") ||
        strcmp(dvi_save_args_format(&args->save, out), "datadings") != 0)
        return DVI_EXIT_DONE;
    return dvi_input_find_format(are_copied_out, args, "datadings", true);
}

/* The options that read messages undecoded: "raw" and those that say where they are; or else those
 * that read all samples for their types. */
static char *choose_options(const dvi_args *args, bool is_raw)
{
    const char *given = args->open.datadings ? args->open.datadings : "";
    const char *first = is_raw ? "raw" : dvi_datadings_has(given, "infer") ? "" : "infer=all";
    char *text = malloc(strlen(given) + strlen(first) + 2);
    size_t n = 0;
    dv_text word;
    if (!text)
        return NULL;
    append(text, &n, first, strlen(first));
    while (dvi_datadings_word(&given, &word)) {
        if (is_raw && (dvi_datadings_is(word, "infer") || dvi_datadings_is(word, "mismatch")))
            continue;
        append(text, &n, " ", 1);
        append(text, &n, word.data, (size_t)word.nbytes);
    }
    return text;
}

/* Set the options by which messages are read; they stay as they are if samples are taken apart. */
static dvi_exit choose(dvi_args *how, char **text_out, dv_view *samples, const dvi_args *args)
{
    dvi_selection selection = {0};
    dvi_exit status = DVI_EXIT_DONE;
    bool can = true;
    char *named = NULL;
    if (samples && (args->columns.count || args->drop.count)) {
        status = dvi_select_columns(&selection, args, dv_view_schema(samples));
        can = !status && can_project(&selection, args);
    }
    char *text = status || !can ? NULL : choose_options(args, true);
    if (text && selection.columns) {
        named = name_entries(&selection, args, text);
        free(text);
        text = named;
    }
    dvi_selection_free(&selection);
    if (status || !can)
        return status;
    if (!text)
        return dvi_say_memory();
    free(*text_out);
    *text_out = text;
    how->open.datadings = text;
    how->columns = how->drop = (dvi_words){0};
    return DVI_EXIT_DONE;
}

/* Open the samples as columns, which --columns, --drop and --where name. */
static dvi_exit open_samples(dvi_args *how, char **text_out, dv_view **view_out,
                             const dvi_args *args)
{
    dv_view *samples = NULL;
    *text_out = choose_options(args, false);
    if (!*text_out)
        return dvi_say_memory();
    how->open.datadings = *text_out;
    dvi_exit status = dvi_input_open_files(&samples, how);
    if (!status)
        status = choose(how, text_out, samples, args);
    if (!status && args->where.count && how->open.datadings == *text_out &&
        dvi_datadings_has(*text_out, "raw"))
        status = open_messages(view_out, samples, how);
    dv_view_release(&samples);
    return status;
}

dvi_exit dvi_copied_samples(dvi_args *how_out, char **text_out, dv_view **view_out,
                            const dvi_args *args)
{
    bool are_copied, is_key_given;
    *how_out = *args;
    *text_out = NULL;
    *view_out = NULL;
    const dvi_exit status = find_copies(&are_copied, args);
    if (status || !are_copied)
        return status;
    is_key_given = dvi_datadings_has(args->save.options.datadings, "key");
    if (args->convert.count || args->pipe || args->model || is_key_given) {
        *text_out = choose_options(args, false);
        how_out->open.datadings = *text_out;
        return *text_out ? DVI_EXIT_DONE : dvi_say_memory();
    }
    if (args->columns.count || args->drop.count || args->where.count)
        return open_samples(how_out, text_out, view_out, args);
    return choose(how_out, text_out, NULL, args);
}
