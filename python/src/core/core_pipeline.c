/* SPDX-License-Identifier: MIT */
/* core_pipeline.c: which steps are there, what does a pipeline read as, and what is a Fitted? */
#include "core.h"

#include <string.h>

/* --- The list of steps ------------------------------------------------------------------------ */

static const char *kind_of(dv_step_option_kind kind)
{
    static const char *const names[] = {"",     "flag", "integer", "number",
                                        "word", "text", "texts",   "table"};
    return names[kind];
}

static const char *columns_of(dv_step_columns columns)
{
    static const char *const names[] = {"", "one", "many", "names", "none"};
    return names[columns];
}

static PyObject *options_of(const dv_transform_info *info)
{
    PyObject *const list = PyTuple_New(info->options_count);
    for (int32_t i = 0; list && i < info->options_count; i++) {
        const dv_step_option *const option = &info->options[i];
        PyObject *const item = Py_BuildValue(
            "(ssssLLz)", option->name, kind_of(option->kind), option->initial, option->summary,
            (long long)option->least, (long long)option->most, option->words);
        if (!item || PyTuple_SetItem(list, i, item) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* transforms() -> [(name, name in ML.NET, summary, columns, ((name, kind, initial, summary, least,
 * most, words or None), ...)), ...] */
PyObject *core_transforms(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    const int32_t n = dv_transform_count();
    PyObject *const list = PyList_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        const dv_transform_info *const info = dv_transform_at(i);
        PyObject *const options = options_of(info);
        PyObject *const item =
            options ? Py_BuildValue("(ssssN)", info->name, info->ml_net, info->summary,
                                    columns_of(info->columns), options)
                    : NULL;
        if (!item || PyList_SetItem(list, i, item) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* --- Steps as text ---------------------------------------------------------------------------- */

/* Where the text of a step goes; without `data` it is only counted. */
typedef struct step_text {
    char *data;
    size_t nbytes;
} step_text;

static bool take_text(void *ctx, const char *data, size_t nbytes)
{
    step_text *const taken = ctx;
    if (taken->data && nbytes > 0)
        memcpy(taken->data + taken->nbytes, data, nbytes);
    taken->nbytes += nbytes;
    return true;
}

/* A step as str; NULL with an exception. */
static PyObject *text_of_step(const dv_pipeline *pipeline, int32_t step)
{
    step_text text = {NULL, 0};
    const dv_sink sink = {take_text, &text};
    if (!dv_pipeline_write_step(pipeline, step, &sink))
        return PyErr_Format(PyExc_SystemError, "step %d cannot be written", (int)step);
    text.data = PyMem_Malloc(text.nbytes + 1);
    if (!text.data)
        return PyErr_NoMemory();
    text.nbytes = 0;
    dv_pipeline_write_step(pipeline, step, &sink);
    PyObject *const str = core_str((dv_text){text.data, (int64_t)text.nbytes});
    PyMem_Free(text.data);
    return str;
}

/* [(name, text), ...] */
static PyObject *steps_of(const dv_pipeline *pipeline)
{
    const int32_t n = dv_pipeline_steps(pipeline);
    PyObject *list = PyList_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        PyObject *const step = text_of_step(pipeline, i);
        PyObject *const item =
            step ? Py_BuildValue("(sN)", dv_pipeline_step(pipeline, i)->name, step) : NULL;
        if (!item || PyList_SetItem(list, i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* The files that a pipeline may open. */
typedef struct rights {
    bool untrusted;
    dv_folder *allowed; /* NULL: nothing, if it is untrusted */
} rights;

/* None: it is trusted; "": untrusted; or the folder that is allowed. Returns false with an
 * exception. */
static bool read_trust(core_state *state, rights *trust_out, PyObject *allowed)
{
    PyObject *path;
    *trust_out = (rights){allowed != Py_None, NULL};
    if (!trust_out->untrusted)
        return true;
    if (!PyUnicode_FSConverter(allowed, &path))
        return false;
    dv_error err = DV_ERROR_INIT;
    const char *const name = PyBytes_AsString(path);
    const dv_status status = *name ? dv_folder_open(&trust_out->allowed, name, NULL, &err) : DV_OK;
    Py_DECREF(path);
    if (status != DV_OK)
        core_raise(state, &err);
    return status == DV_OK;
}

/* How tables are opened: a callable that makes a View of a name, or None: it is left out. */
typedef struct opening {
    core_state *state;
    PyObject *callable;
    rights trust;
} opening;

static dv_status read_file(void *ctx, const char *path, const dv_sink *sink, dv_error *err)
{
    const opening *const o = ctx;
    return dv_pipeline_read_file(o->trust.allowed, path, sink, err);
}

/* An exception of the callable stays set, and is what is raised. */
static dv_status open_table(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    const opening *const o = ctx;
    *table_out = NULL;
    PyObject *const made = PyObject_CallFunction(o->callable, "s", name);
    if (made && PyObject_TypeCheck(made, (PyTypeObject *)o->state->type[CORE_TYPE_view]))
        *table_out = core_view_of((core_view *)made);
    else if (made && made != Py_None)
        PyErr_SetString(PyExc_TypeError, "a table is opened as a View");
    if (*table_out)
        dv_view_retain(*table_out);
    const bool is_answer = *table_out || made == Py_None;
    Py_XDECREF(made);
    return is_answer ? DV_OK : dv_error_set(err, DV_ERR_ARGUMENT, "no table");
}

/* Parse a pipeline, whose tables the callable opens, and which may open what `allowed` says
 * (read_trust); NULL with an exception. */
static dv_pipeline *parse(core_state *state, dv_text text, PyObject *callable, PyObject *allowed)
{
    opening o = {.state = state, .callable = callable};
    dv_pipeline *pipeline = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    if (!read_trust(state, &o.trust, allowed))
        return NULL;
    options.untrusted = o.trust.untrusted;
    options.allowed = o.trust.allowed;
    options.read_file = o.trust.untrusted && !o.trust.allowed ? NULL : read_file;
    options.open_table = open_table;
    options.ctx = &o;
    if (dv_pipeline_parse_files(&pipeline, text, &options, NULL, &err) != DV_OK &&
        !PyErr_Occurred())
        core_raise(state, &err);
    dv_folder_release(&o.trust.allowed);
    return pipeline;
}

/* pipeline_steps(text, open, allowed=None) -> [(name, text), ...], in which the lines of files are
 * lists
 */
PyObject *core_pipeline_steps(PyObject *module, PyObject *args)
{
    PyObject *str;
    dv_text text;
    PyObject *callable, *allowed = Py_None;
    if (!PyArg_ParseTuple(args, "UO|O", &str, &callable, &allowed) || !core_text(&text, str))
        return NULL;
    dv_pipeline *pipeline = parse(PyModule_GetState(module), text, callable, allowed);
    if (!pipeline)
        return NULL;
    PyObject *const list = steps_of(pipeline);
    dv_pipeline_release(&pipeline);
    return list;
}

/* open_below(folder, name) -> View of a regular file below the folder */
PyObject *core_open_below(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *path, *name;
    rights trust;
    if (!PyArg_ParseTuple(args, "UO&", &path, PyUnicode_FSConverter, &name))
        return NULL;
    if (!read_trust(state, &trust, path)) {
        Py_DECREF(name);
        return NULL;
    }
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_ERR_ARGUMENT;
    if (trust.allowed)
        CORE_WITHOUT_GIL(
            status = dv_pipeline_open_table(trust.allowed, PyBytes_AsString(name), &view, &err));
    else
        dv_error_set(&err, status, "no folder is allowed");
    Py_DECREF(name);
    dv_folder_release(&trust.allowed);
    return core_made(state, status, view, &err);
}

/* --- Fitted ----------------------------------------------------------------------------------- */

/* fit(text, open, allowed, threads, terms_nbytes, keys_nbytes, progress) -> Fitted */
PyObject *core_view_fit(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    PyObject *str, *callable, *opens, *allowed;
    int threads;
    long long terms_nbytes, keys_nbytes;
    dv_text text;
    dv_view *const view = core_view_of(self);
    if (!view ||
        !PyArg_ParseTuple(args, "UOOiLLO", &str, &opens, &allowed, &threads, &terms_nbytes,
                          &keys_nbytes, &callable) ||
        !core_text(&text, str))
        return NULL;
    dv_pipeline *pipeline = parse(state, text, opens, allowed);
    if (!pipeline)
        return NULL;
    core_fitted *const fitted = core_new(state, CORE_TYPE_fitted);
    if (!fitted) {
        dv_pipeline_release(&pipeline);
        return NULL;
    }
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    options.terms_nbytes = terms_nbytes;
    options.keys_nbytes = keys_nbytes;
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_fit(&fitted->fitted, pipeline, view, &options, NULL, &err));
    dv_pipeline_release(&pipeline);
    if (status == DV_OK)
        return (PyObject *)fitted;
    Py_DECREF(fitted);
    return core_raise(state, &err);
}

/* fit_part(text, open, allowed, threads, terms_nbytes, progress) -> View */
PyObject *core_view_fit_part(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    PyObject *str, *callable, *opens, *allowed;
    int threads;
    long long terms_nbytes;
    dv_text text;
    dv_view *const view = core_view_of(self);
    if (!view ||
        !PyArg_ParseTuple(args, "UOOiLO", &str, &opens, &allowed, &threads, &terms_nbytes,
                          &callable) ||
        !core_text(&text, str))
        return NULL;
    dv_pipeline *pipeline = parse(state, text, opens, allowed);
    if (!pipeline)
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    options.terms_nbytes = terms_nbytes;
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_view *part = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_fit_part(&part, pipeline, view, &options, NULL, &err));
    dv_pipeline_release(&pipeline);
    return core_made(state, status, part, &err);
}

/* fits_in_parts(text, open, allowed) -> whether fit_part() takes rows of this view */
PyObject *core_view_fits_in_parts(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    PyObject *str, *opens, *allowed;
    dv_text text;
    dv_view *const view = core_view_of(self), *none = NULL, *part = NULL;
    if (!view || !PyArg_ParseTuple(args, "UOO", &str, &opens, &allowed) || !core_text(&text, str))
        return NULL;
    dv_pipeline *pipeline = parse(state, text, opens, allowed);
    if (!pipeline)
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = dv_view_slice(&none, view, 0, 0, NULL, &err);
    if (status == DV_OK)
        status = dv_fit_part(&part, pipeline, none, NULL, NULL, &err);
    dv_view_release(&part);
    dv_view_release(&none);
    dv_pipeline_release(&pipeline);
    if (status < 0 && status != DV_ERR_ARGUMENT)
        return core_raise(state, &err);
    return PyBool_FromLong(status == DV_OK);
}

/* fit_merge(text, open, allowed, parts, terms_nbytes) -> Fitted */
PyObject *core_fit_merge(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *str, *list, *opens, *allowed;
    long long terms_nbytes;
    dv_text text;
    dv_view **parts;
    int32_t n;
    if (!PyArg_ParseTuple(args, "UOOOL", &str, &opens, &allowed, &list, &terms_nbytes) ||
        !core_text(&text, str) || !core_view_list(&parts, &n, state, list))
        return NULL;
    dv_pipeline *pipeline = parse(state, text, opens, allowed);
    core_fitted *const fitted = pipeline ? core_new(state, CORE_TYPE_fitted) : NULL;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.terms_nbytes = terms_nbytes;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_ERR_ARGUMENT;
    if (fitted)
        CORE_WITHOUT_GIL(
            status = dv_fit_merge(&fitted->fitted, pipeline, parts, n, &options, NULL, &err));
    dv_pipeline_release(&pipeline);
    PyMem_Free(parts);
    if (!fitted || status == DV_OK)
        return (PyObject *)fitted;
    Py_DECREF(fitted);
    return core_raise(state, &err);
}

static void fitted_dealloc(core_fitted *self)
{
    if (self->fitted && core_is_ours(self))
        CORE_WITHOUT_GIL(dv_fitted_release(&self->fitted));
    core_free(self, CORE_TYPE_fitted);
}

static dv_fitted *fitted_of(core_fitted *self)
{
    if (core_is_ours(self))
        return self->fitted;
    PyErr_SetString(PyExc_RuntimeError, "this pipeline was fitted before the process was forked");
    return NULL;
}

/* apply(view) -> View */
static PyObject *fitted_apply(core_fitted *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    core_view *source;
    dv_fitted *const fitted = fitted_of(self);
    if (!fitted || !PyArg_ParseTuple(args, "O!", state->type[CORE_TYPE_view], &source))
        return NULL;
    dv_view *const view = core_view_of(source);
    if (!view)
        return NULL;
    dv_view *made = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_fitted_apply(&made, fitted, view, NULL, &err));
    return core_made(state, status, made, &err);
}

/* table(i) -> (step, column, name, View) */
static PyObject *fitted_table(core_fitted *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    int i;
    dv_fitted *const fitted = fitted_of(self);
    if (!fitted || !PyArg_ParseTuple(args, "i", &i))
        return NULL;
    dv_fitted_state learnt;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_fitted_table(&learnt, fitted, i, &err));
    if (status != DV_OK)
        return core_raise(state, &err);
    PyObject *const view = core_view_new(state, learnt.view);
    PyObject *const column = view ? core_str(learnt.column) : NULL;
    if (!column) {
        Py_XDECREF(view);
        return NULL;
    }
    return Py_BuildValue("(iNsN)", (int)learnt.step, column, learnt.name, view);
}

/* inspect() -> (rows, passes, tables) */
static PyObject *fitted_inspect(core_fitted *self, PyObject *unused)
{
    (void)unused;
    dv_fitted *const fitted = fitted_of(self);
    if (!fitted)
        return NULL;
    const dv_fitted_info info = dv_fitted_inspect(fitted);
    return Py_BuildValue("(Lii)", (long long)info.rows, (int)info.passes, (int)info.tables);
}

/* left_out() -> str */
static PyObject *fitted_left_out(core_fitted *self, PyObject *unused)
{
    (void)unused;
    dv_fitted *const fitted = fitted_of(self);
    return fitted ? core_str(dv_fitted_left_out(fitted)) : NULL;
}

/* inputs() -> [(name, type), ...] */
static PyObject *fitted_inputs(core_fitted *self, PyObject *unused)
{
    (void)unused;
    dv_fitted *const fitted = fitted_of(self);
    PyObject *const made = fitted ? PyList_New(0) : NULL;
    for (int32_t i = 0; made && i < dv_fitted_inputs(fitted); i++) {
        const dv_fitted_input input = dv_fitted_input_at(fitted, i);
        PyObject *const pair = Py_BuildValue("(NN)", core_str(input.name), core_str(input.type));
        if (!pair || PyList_Append(made, pair) < 0) {
            Py_XDECREF(pair);
            Py_DECREF(made);
            return NULL;
        }
        Py_DECREF(pair);
    }
    return made;
}

/* steps() -> [(name, text), ...] */
static PyObject *fitted_steps(core_fitted *self, PyObject *unused)
{
    (void)unused;
    dv_fitted *const fitted = fitted_of(self);
    return fitted ? steps_of(dv_fitted_pipeline(fitted)) : NULL;
}

/* save(path) */
static PyObject *fitted_save(core_fitted *self, PyObject *args)
{
    PyObject *path;
    dv_fitted *const fitted = fitted_of(self);
    if (!fitted || !PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    const char *const name = PyBytes_AsString(path);
    CORE_WITHOUT_GIL(status = dv_fitted_save(fitted, name, NULL, &err));
    Py_DECREF(path);
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    Py_RETURN_NONE;
}

/* fitted_format(path) -> "dvp", "model.zip" or None */
PyObject *core_fitted_format(PyObject *module, PyObject *args)
{
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    const char *format;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_fitted_format(&format, PyBytes_AsString(path), &err);
    Py_DECREF(path);
    if (status < 0)
        return core_raise(PyModule_GetState(module), &err);
    return Py_BuildValue("z", format);
}

/* fitted_open(path, until_unknown, allowed) -> Fitted */
PyObject *core_fitted_open(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *path, *allowed;
    int until_unknown;
    rights trust;
    if (!PyArg_ParseTuple(args, "O&pU", PyUnicode_FSConverter, &path, &until_unknown, &allowed))
        return NULL;
    core_fitted *fitted = NULL;
    if (read_trust(state, &trust, allowed))
        fitted = core_new(state, CORE_TYPE_fitted);
    if (!fitted) {
        dv_folder_release(&trust.allowed);
        Py_DECREF(path);
        return NULL;
    }
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    dv_fitted_options options = DV_FITTED_OPTIONS_INIT;
    const char *const name = PyBytes_AsString(path);
    options.until_unknown = until_unknown != 0;
    options.allowed = trust.allowed;
    CORE_WITHOUT_GIL(status = dv_fitted_open_with(&fitted->fitted, name, &options, NULL, &err));
    Py_DECREF(path);
    dv_folder_release(&trust.allowed);
    if (status == DV_OK)
        return (PyObject *)fitted;
    Py_DECREF(fitted);
    return core_raise(state, &err);
}

static PyMethodDef methods[] = {
    {"steps", (PyCFunction)fitted_steps, METH_NOARGS, NULL},
    {"save", (PyCFunction)fitted_save, METH_VARARGS, NULL},
    {"apply", (PyCFunction)fitted_apply, METH_VARARGS, NULL},
    {"table", (PyCFunction)fitted_table, METH_VARARGS, NULL},
    {"inspect", (PyCFunction)fitted_inspect, METH_NOARGS, NULL},
    {"left_out", (PyCFunction)fitted_left_out, METH_NOARGS, NULL},
    {"inputs", (PyCFunction)fitted_inputs, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Steps with what they have learned: dv_fitted."},
    {Py_tp_dealloc, (void *)fitted_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec core_fitted_spec = {
    "libdataview._core.Fitted",
    sizeof(core_fitted),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
