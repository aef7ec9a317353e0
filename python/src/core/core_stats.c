/* SPDX-License-Identifier: MIT */
/* core_stats.c: how do statistics, counts, facts and defects look in Python? */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* A number of the column's form; ticks stay ticks, keys stay as stored. */
static PyObject *number(dv_stats_form form, dv_stats_value value)
{
    switch (form) {
    case DV_STATS_I8:
        return PyLong_FromLongLong(value.i8);
    case DV_STATS_U8:
        return PyLong_FromUnsignedLongLong(value.u8);
    case DV_STATS_R8:
        return PyFloat_FromDouble(value.r8);
    default:
        return Py_NewRef(Py_None);
    }
}

static PyObject *number_or_none(const dv_column_stats *s, dv_stats_value value)
{
    return s->ordered > 0 ? number(s->form, value) : Py_NewRef(Py_None);
}

static PyObject *top_of(const dv_column_stats *s)
{
    PyObject *const list = PyList_New(s->top_count);
    for (int32_t i = 0; list && i < s->top_count; i++) {
        const dv_stats_top *const top = &s->top[i];
        PyObject *const value =
            top->text.nbytes >= 0
                ? PyUnicode_DecodeUTF8(top->text.data, (Py_ssize_t)top->text.nbytes, "replace")
                : number(s->form, top->value);
        PyObject *const pair = value ? Py_BuildValue("(NL)", value, (long long)top->count) : NULL;
        if (!pair || PyList_SetItem(list, i, pair) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *numbers_of(const dv_column_stats *s, const dv_stats_value *values, int n)
{
    PyObject *const list = PyList_New(n);
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, number_or_none(s, values[i]));
    return list;
}

static PyObject *bins_of(const dv_column_stats *s)
{
    PyObject *const list = PyList_New(DV_STATS_BINS);
    for (int i = 0; list && i < DV_STATS_BINS; i++)
        PyList_SetItem(list, i, PyLong_FromLongLong(s->bin[i]));
    return list;
}

static PyObject *column_of(const dv_column_stats *s)
{
    return Py_BuildValue(
        "{s:i,s:i,s:L,s:L,s:L,s:L,s:N,s:N,s:N,s:d,s:d,s:d,s:L,s:d,s:N,s:N,s:N,s:N,s:(LLd),s:(LLd)}",
        "column", (int)s->column, "slot", (int)s->slot, "values", (long long)s->values, "na",
        (long long)s->na, "defaults", (long long)s->defaults, "ordered", (long long)s->ordered,
        "min", number_or_none(s, s->min), "max", number_or_none(s, s->max), "quantiles",
        numbers_of(s, s->quantile, DV_STATS_QUANTILES), "rank_error", s->rank_error, "mean",
        s->mean, "sd", s->sd, "distinct", (long long)s->distinct, "distinct_error",
        s->distinct_error, "top", top_of(s), "bin_low", number_or_none(s, s->bin_low), "bin_high",
        number_or_none(s, s->bin_high), "bins", bins_of(s), "vector_length",
        (long long)s->vector_length.least, (long long)s->vector_length.most, s->vector_length.mean,
        "text_nbytes", (long long)s->text_nbytes.least, (long long)s->text_nbytes.most,
        s->text_nbytes.mean);
}

#define STATS_OPTION(name)                                                                         \
    {                                                                                              \
#name, CORE_I8, offsetof(dv_stats_options, name), NULL                                     \
    }
static const core_option stats_options[] = {
    STATS_OPTION(exact_values),
    STATS_OPTION(exact_distinct),
    STATS_OPTION(memory_nbytes),
};

/* stats(columns, slot columns, threads, options, progress) -> (rows, [dict, ...]) */
PyObject *core_view_stats(core_view *self, PyObject *args)
{
    PyObject *list, *slots, *dict, *callable;
    int threads;
    int32_t *columns, n, *slot_columns, slot_count;
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "OOiOO", &list, &slots, &threads, &dict, &callable) ||
        !core_options_set(&options, stats_options, sizeof stats_options / sizeof *stats_options,
                          dict) ||
        !core_int32_list(&columns, &n, list))
        return NULL;
    if (!core_int32_list(&slot_columns, &slot_count, slots)) {
        PyMem_Free(columns);
        return NULL;
    }
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = n;
    cursor.threads = threads;
    options.cursor = &cursor;
    options.slot_columns = slot_columns;
    options.slot_columns_count = slot_columns ? slot_count : 0;
    options.progress = progress.progress;
    dv_stats *stats = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_stats_create(&stats, view, &options, &err));
    PyMem_Free(columns);
    PyMem_Free(slot_columns);
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);

    PyObject *result = PyList_New(stats->columns);
    for (int32_t i = 0; result && i < stats->columns; i++) {
        PyObject *const column = column_of(&stats->column[i]);
        if (!column || PyList_SetItem(result, i, column) < 0)
            Py_CLEAR(result);
    }
    const long long rows = stats->rows;
    dv_stats_free(&stats);
    return result ? Py_BuildValue("(LN)", rows, result) : NULL;
}

/* counts(column, most, exact_distinct, threads, progress) ->
 * (values, counts, na, distinct, missed_most) */
PyObject *core_view_counts(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    int column, threads;
    long long most, exact_distinct;
    PyObject *callable;
    dv_view *const view = core_view_of(self);
    if (!view ||
        !PyArg_ParseTuple(args, "iLLiO", &column, &most, &exact_distinct, &threads, &callable))
        return NULL;
    PyObject *const key_values = core_key_values(self, column);
    if (!key_values)
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.threads = threads;
    dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    options.cursor = &cursor;
    options.most = most;
    options.exact_distinct = exact_distinct;
    options.progress = progress.progress;
    dv_counts *counts = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_counts_create(&counts, view, column, &options, &err));
    if (status != DV_OK)
        return core_raise(state, &err);
    PyObject *numbers = PyList_New((Py_ssize_t)counts->n);
    for (int64_t i = 0; numbers && i < counts->n; i++)
        PyList_SetItem(numbers, (Py_ssize_t)i, PyLong_FromLongLong(counts->count[i]));
    PyObject *const values = numbers ? core_values(state, &counts->value, key_values) : NULL;
    PyObject *const result =
        values ? Py_BuildValue("(NNLLL)", values, numbers, (long long)counts->na,
                               (long long)counts->distinct, (long long)counts->missed_most)
               : NULL;
    if (!values)
        Py_XDECREF(numbers);
    dv_counts_free(&counts);
    return result;
}

/* --- Facts and defects ------------------------------------------------------------------------ */

static PyObject *texts_of(const char *const *texts, int32_t n)
{
    PyObject *list = PyList_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        PyObject *const text =
            PyUnicode_DecodeUTF8(texts[i], (Py_ssize_t)strlen(texts[i]), "replace");
        if (!text || PyList_SetItem(list, i, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *columns_of(const dv_facts *facts)
{
    PyObject *list = PyList_New(facts->columns);
    for (int32_t i = 0; list && i < facts->columns; i++) {
        const dv_column_facts *const f = &facts->column[i];
        PyObject *const item = Py_BuildValue(
            "{s:L,s:L,s:L,s:L,s:L,s:s}", "blocks", (long long)f->blocks, "stored_nbytes",
            (long long)f->stored_nbytes, "inflated_nbytes", (long long)f->inflated_nbytes,
            "in_place_blocks", (long long)f->in_place_blocks, "aligned_blocks",
            (long long)f->aligned_blocks, "compression", f->compression);
        if (!item || PyList_SetItem(list, i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *source_of(const dv_source_facts *facts)
{
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:s}", "requests", (long long)facts->requests,
                         "fetched_nbytes", (long long)facts->fetched_nbytes, "disk_read_nbytes",
                         (long long)facts->disk_read_nbytes, "disk_kept_nbytes",
                         (long long)facts->disk_kept_nbytes, "disk_note", facts->disk_note);
}

/* facts(is_brief): without `columns`, and what else takes reading tables or rows. */
PyObject *core_view_facts(core_view *self, PyObject *args)
{
    int is_brief;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "p", &is_brief))
        return NULL;
    dv_facts *facts = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = is_brief ? dv_inspect_briefly(&facts, view, &err)
                                       : dv_inspect(&facts, view, &err));
    if (is_brief && facts)
        facts->columns = 0;
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    PyObject *const result = Py_BuildValue(
        "{s:s,s:s,s:L,s:L,s:L,s:L,s:i,s:i,s:N,s:N,s:L,s:s,s:s,s:N}", "format", facts->format,
        "version", facts->version, "file_nbytes", (long long)facts->file_nbytes, "rows",
        (long long)facts->rows, "rows_per_block", (long long)facts->rows_per_block,
        "blocks_per_column", (long long)facts->blocks_per_column, "dead_columns",
        (int)facts->dead_columns, "dead_metadata", (int)facts->dead_metadata, "warnings",
        texts_of(facts->warning, facts->warnings), "columns", columns_of(facts), "items",
        (long long)facts->items, "io", facts->io, "file_system", facts->file_system, "source",
        source_of(&facts->source));
    dv_facts_free(&facts);
    return result;
}

/* A defect goes to the list of the call, until it is as long as the caller asked for. */
typedef struct defects {
    PyObject *list;
    Py_ssize_t most;
} defects;

static bool take_defect(void *ctx, const dv_error *what)
{
    defects *const taken = ctx;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *const item =
        Py_BuildValue("{s:i,s:s,s:s,s:L,s:s,s:s,s:s}", "status", (int)what->status, "message",
                      what->message, "file", what->file, "offset", (long long)what->offset, "rule",
                      what->rule, "expected", what->expected, "found", what->found);
    const bool goes_on =
        item && PyList_Append(taken->list, item) == 0 && PyList_Size(taken->list) < taken->most;
    Py_XDECREF(item);
    PyGILState_Release(gil);
    return goes_on;
}

/* verify(most, progress) -> [dict, ...] */
PyObject *core_view_verify(core_view *self, PyObject *args)
{
    defects taken = {NULL, 0};
    PyObject *callable;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "nO", &taken.most, &callable) ||
        !(taken.list = PyList_New(0)))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = take_defect;
    options.ctx = &taken;
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_verify(view, &options, &err));
    if ((status == DV_OK || status == DV_END) && !PyErr_Occurred())
        return taken.list;
    Py_DECREF(taken.list);
    return core_raise(core_state_of(self), &err);
}

/* A sum of bad fields goes to the list; a failure empties it. */
static bool take_sum(void *ctx, const char *file, const char *sentence)
{
    PyObject **const list = ctx;
    PyObject *const item = Py_BuildValue("(ss)", file, sentence);
    const int status = item ? PyList_Append(*list, item) : -1;
    Py_XDECREF(item);
    if (status == 0)
        return true;
    Py_CLEAR(*list);
    return false;
}

/* bad_fields() -> [(file, sentence), ...] */
PyObject *core_view_bad_fields(core_view *self, PyObject *args)
{
    (void)args;
    dv_view *const view = core_view_of(self);
    PyObject *list = view ? PyList_New(0) : NULL;
    if (!list)
        return NULL;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_view_bad_fields(view, take_sum, &list, &err);
    if (!list || status == DV_OK)
        return list;
    Py_DECREF(list);
    return core_raise(core_state_of(self), &err);
}
