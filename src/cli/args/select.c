/* SPDX-License-Identifier: MIT */
/* select.c: selects columns by name and pattern, rows by number. */
#include "cli/args/select.h"
#include <dataview/names.h>
#include <stdlib.h>
#include <string.h>

/* Columns that are being chosen. */
typedef struct choice {
    const dv_schema *schema;
    int32_t total;
    bool hidden;  /* hidden columns can be chosen */
    bool *marked; /* per column: chosen already */
    int32_t *order;
    int32_t count; /* of order: the chosen columns, in order */
} choice;

static bool can_choose(const choice *c, int32_t column)
{
    return c->hidden || !dv_schema_column(c->schema, column)->is_hidden;
}

static void mark(choice *c, int32_t column)
{
    if (!c->marked[column])
        c->order[c->count++] = column;
    c->marked[column] = true;
}

/* Choose the columns of exactly this name: without hidden ones, at most one. */
static bool mark_name(choice *c, dv_text name)
{
    int32_t last;
    if (dv_schema_find(c->schema, name, &last) != DV_OK)
        return false;
    for (int32_t i = c->hidden ? 0 : last; i <= last; i++)
        if (i == last || dv_text_equal(dv_schema_column(c->schema, i)->name, name))
            mark(c, i);
    return true;
}

static bool mark_pattern(choice *c, dv_text pattern)
{
    bool found = false;
    for (int32_t i = 0; i < c->total; i++) {
        const dv_column_info *info = dv_schema_column(c->schema, i);
        if (can_choose(c, i) && dv_glob_match(pattern, info->name)) {
            mark(c, i);
            found = true;
        }
    }
    return found;
}

dvi_exit dvi_say_no_column(const dv_schema *schema, const char *option, dv_text word)
{
    dv_nearest best = DV_NEAREST_INIT;
    const int shown = (int)(word.nbytes < 256 ? word.nbytes : 256);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        dv_nearest_offer(&best, word, dv_schema_column(schema, i)->name);
    if (best.name.data)
        return dvi_say_usage("%s: no column is called '%.*s'; did you mean %.*s?", option, shown,
                             word.data, (int)best.name.nbytes, best.name.data);
    return dvi_say_usage("%s: no column is called '%.*s'", option, shown, word.data);
}

static dvi_exit refuse_word(const choice *c, const char *option, dv_text word)
{
    const int shown = (int)(word.nbytes < 256 ? word.nbytes : 256);
    if (dv_glob_is_pattern(word))
        return dvi_say_usage("%s: no column matches '%.*s'", option, shown, word.data);
    return dvi_say_no_column(c->schema, option, word);
}

static dvi_exit mark_word(choice *c, const char *option, dv_text word)
{
    if (word.nbytes == 0)
        return dvi_say_usage("%s: a column name is empty", option);
    if (mark_name(c, word))
        return DVI_EXIT_DONE;
    if (dv_glob_is_pattern(word) && mark_pattern(c, word))
        return DVI_EXIT_DONE;
    return refuse_word(c, option, word);
}

/* The whole list is one name if a column has it, commas included; else it is split at commas. */
static dvi_exit mark_list(choice *c, const char *option, const char *list)
{
    if (*list && mark_name(c, dv_text_of(list)))
        return DVI_EXIT_DONE;
    for (;; list++) {
        const size_t n = strcspn(list, ",");
        const dvi_exit status = mark_word(c, option, (dv_text){list, (int64_t)n});
        if (status)
            return status;
        list += n;
        if (!*list)
            return DVI_EXIT_DONE;
    }
}

static dvi_exit mark_lists(choice *c, const char *option, const dvi_words *lists)
{
    for (int i = 0; i < lists->count; i++) {
        const dvi_exit status = mark_list(c, option, lists->word[i]);
        if (status)
            return status;
    }
    return DVI_EXIT_DONE;
}

static void mark_all(choice *c)
{
    for (int32_t i = 0; i < c->total; i++)
        if (can_choose(c, i))
            mark(c, i);
}

/* Choose by --columns, then remove by --drop. */
static dvi_exit choose(choice *c, choice *dropped, dvi_selection *selection, const dvi_args *args)
{
    dvi_exit status = mark_lists(c, "--columns", &args->columns);
    if (!status && !args->columns.count)
        mark_all(c);
    if (!status)
        status = mark_lists(dropped, "--drop", &args->drop);
    if (status)
        return status;
    for (int32_t i = 0; i < c->count; i++)
        if (!dropped->marked[c->order[i]])
            selection->columns[selection->count++] = c->order[i];
    return DVI_EXIT_DONE;
}

dvi_exit dvi_select_columns(dvi_selection *selection_out, const dvi_args *args,
                            const dv_schema *schema)
{
    *selection_out = (dvi_selection){.schema = schema, .ids = args->ids};
    const int32_t total = dv_schema_columns(schema);
    const size_t n = total > 0 ? (size_t)total : 1;
    bool *marked = calloc(n, 2 * sizeof *marked);
    int32_t *order = calloc(n, 2 * sizeof *order);
    selection_out->columns = calloc(n, sizeof *selection_out->columns);

    dvi_exit status;
    if (!marked || !order || !selection_out->columns) {
        status = dvi_say_memory();
    } else {
        choice c = {schema, total, args->hidden, marked, order, 0};
        choice dropped = {schema, total, args->hidden, marked + n, order + n, 0};
        status = choose(&c, &dropped, selection_out, args);
    }
    free(marked);
    free(order);
    return status;
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The number of rows that the options leave of `rows`. */
static int64_t count_rows(int64_t rows, const dvi_args *args)
{
    if (rows < 0)
        return -1;
    const int64_t end = args->end_row < 0 ? rows : less(args->end_row, rows);
    int64_t left = end - less(args->first_row, end);
    left -= less(args->skip, left);
    return args->take < 0 ? left : less(args->take, left);
}

void dvi_select_rows(dvi_selection *selection, const dvi_args *args, const dv_view *view)
{
    dv_cursor_options *options = &selection->options;
    selection->rows = count_rows(dv_view_rows(view), args);
    *options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    options->columns = selection->columns;
    options->columns_count = selection->count;
    options->first_row = args->first_row;
    options->end_row = args->end_row;
    options->skip = args->skip;
    options->take = args->take;
    options->threads = args->threads;
    options->ids = args->ids;
}

dvi_exit dvi_select(dvi_selection *selection_out, const dvi_args *args, dv_view *view)
{
    const dvi_exit status = dvi_select_columns(selection_out, args, dv_view_schema(view));
    if (!status)
        dvi_select_rows(selection_out, args, view);
    return status;
}

void dvi_selection_free(dvi_selection *selection)
{
    free(selection->columns);
    selection->columns = NULL;
}

dv_text dvi_selection_name(const dvi_selection *selection, int32_t k)
{
    return dv_schema_column(selection->schema, selection->columns[k])->name;
}

bool dvi_select_is_named(const dvi_args *args, dv_text name)
{
    for (int i = 0; i < args->columns.count; i++) {
        const char *list = args->columns.word[i];
        if (dv_text_equal(dv_text_of(list), name))
            return true;
        for (size_t n; *list; list += n + (list[n] == ',')) {
            n = strcspn(list, ",");
            if (dv_text_equal((dv_text){list, (int64_t)n}, name))
                return true;
        }
    }
    return false;
}

int32_t dvi_count_hidden(const dv_schema *schema)
{
    int32_t hidden = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        hidden += dv_schema_column(schema, i)->is_hidden;
    return hidden;
}
