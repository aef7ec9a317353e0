/* SPDX-License-Identifier: MIT */
/* core_transform.c: how are views made of views that keep the order of rows? */
#include "core.h"

/* select([(source, name or None), ...], hidden) */
PyObject *core_view_select(core_view *self, PyObject *args)
{
    PyObject *list;
    int hidden;
    dv_column_spec *specs;
    int32_t n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "Oi", &list, &hidden) ||
        !core_spec_list(&specs, &n, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_select(&view, source, specs, n, (dv_hidden)hidden, NULL, &err);
    PyMem_Free(specs);
    return core_made(core_state_of(self), status, view, &err);
}

typedef dv_status by_names(dv_view **, dv_view *, const dv_text *, int32_t, const dv_allocator *,
                           dv_error *);

static PyObject *make_by_names(core_view *self, PyObject *args, by_names *make)
{
    PyObject *list;
    dv_text *names;
    int32_t n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "O", &list) || !core_text_list(&names, &n, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = make(&view, source, names, n, NULL, &err);
    PyMem_Free(names);
    return core_made(core_state_of(self), status, view, &err);
}

PyObject *core_view_keep(core_view *self, PyObject *args)
{
    return make_by_names(self, args, dv_view_keep);
}

PyObject *core_view_drop(core_view *self, PyObject *args)
{
    return make_by_names(self, args, dv_view_drop);
}

/* combine(name, [(source, slot name or None), ...]) */
PyObject *core_view_combine(core_view *self, PyObject *args)
{
    PyObject *str, *list;
    dv_text name;
    dv_column_spec *specs;
    int32_t n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "UO", &str, &list) || !core_text(&name, str) ||
        !core_spec_list(&specs, &n, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_combine(&view, source, name, specs, n, NULL, &err);
    PyMem_Free(specs);
    return core_made(core_state_of(self), status, view, &err);
}

/* convert(source, name or None, type, strict) */
PyObject *core_view_convert(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    PyObject *from, *to, *notation;
    dv_conversion_spec spec = {.name = dv_text_of(NULL)};
    dv_text text;
    int32_t dims[64];
    int strict;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "UOUp", &from, &to, &notation, &strict) ||
        !core_text(&spec.source, from) || (to != Py_None && !core_text(&spec.name, to)) ||
        !core_text(&text, notation))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status = dv_type_parse(&spec.type, text, dims, 64, &err);
    if (status == DV_OK)
        status = strict
                     ? dv_view_convert_strict(&view, source, &spec, 1, NULL, &err)
                     : dv_view_convert_dates(&view, source, &spec, 1, dv_text_of(""), NULL, &err);
    return core_made(state, status, view, &err);
}

/* generate(name, seed, counts) */
PyObject *core_view_generate(core_view *self, PyObject *args)
{
    PyObject *str;
    unsigned int seed;
    int counts;
    dv_generated spec;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "UIp", &str, &seed, &counts) ||
        !core_text(&spec.name, str))
        return NULL;
    spec.seed = seed;
    spec.counts = counts;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_generate(&view, source, &spec, 1, NULL, &err);
    return core_made(core_state_of(self), status, view, &err);
}

PyObject *core_view_slice(core_view *self, PyObject *args)
{
    long long skip, take;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "LL", &skip, &take))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_slice(&view, source, skip, take, NULL, &err);
    return core_made(core_state_of(self), status, view, &err);
}

/* --- Rows that pass --------------------------------------------------------------------------- */

/* where(condition) */
PyObject *core_view_where(core_view *self, PyObject *args)
{
    PyObject *str;
    dv_text condition;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "U", &str) || !core_text(&condition, str))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_where(&view, source, condition, NULL, &err);
    return core_made(core_state_of(self), status, view, &err);
}

/* compute([(name, expression), ...]) */
PyObject *core_view_compute(core_view *self, PyObject *args)
{
    PyObject *list;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "O!", &PyList_Type, &list))
        return NULL;
    const Py_ssize_t n = PyList_Size(list);
    dv_computed *const columns = PyMem_Malloc((size_t)(n ? n : 1) * sizeof *columns);
    if (!columns)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *name, *expression;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "UU", &name, &expression) ||
            !core_text(&columns[i].name, name) || !core_text(&columns[i].expression, expression)) {
            PyMem_Free(columns);
            return NULL;
        }
    }
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_compute(&view, source, columns, (int32_t)n, NULL, &err);
    PyMem_Free(columns);
    return core_made(core_state_of(self), status, view, &err);
}

/* filter_na(columns, complement) */
PyObject *core_view_filter_na(core_view *self, PyObject *args)
{
    PyObject *list;
    int complement;
    dv_text *names;
    int32_t n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "Op", &list, &complement) ||
        !core_text_list(&names, &n, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_filter_na(&view, source, names, n, complement, NULL, &err);
    PyMem_Free(names);
    return core_made(core_state_of(self), status, view, &err);
}

/* filter_range(column, min or None, max or None, include_min, include_max, complement) */
PyObject *core_view_filter_range(core_view *self, PyObject *args)
{
    PyObject *str, *min, *max;
    int include_min, include_max, complement;
    dv_text column;
    dv_view *const source = core_view_of(self);
    if (!source ||
        !PyArg_ParseTuple(args, "UOOiip", &str, &min, &max, &include_min, &include_max,
                          &complement) ||
        !core_text(&column, str))
        return NULL;
    const dv_range range = {
        .has_min = min != Py_None,
        .has_max = max != Py_None,
        .min = min != Py_None ? PyFloat_AsDouble(min) : 0,
        .max = max != Py_None ? PyFloat_AsDouble(max) : 0,
        .include_min = (dv_inclusion)include_min,
        .include_max = (dv_inclusion)include_max,
        .complement = complement,
    };
    if (PyErr_Occurred())
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_filter_range(&view, source, column, &range, NULL, &err);
    return core_made(core_state_of(self), status, view, &err);
}

/* bootstrap(seed, complement) */
PyObject *core_view_bootstrap(core_view *self, PyObject *args)
{
    unsigned int seed;
    int complement;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "Ip", &seed, &complement))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_bootstrap(&view, source, seed, complement, NULL, &err);
    return core_made(core_state_of(self), status, view, &err);
}

/* --- Several views ---------------------------------------------------------------------------- */

typedef dv_status of_views(dv_view **, dv_view *const *, int32_t, const dv_allocator *, dv_error *);

static PyObject *make_of_views(PyObject *module, PyObject *args, of_views *make)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *list;
    dv_view **views;
    int32_t n;
    if (!PyArg_ParseTuple(args, "O", &list) || !core_view_list(&views, &n, state, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = make(&view, views, n, NULL, &err);
    PyMem_Free(views);
    return core_made(state, status, view, &err);
}

PyObject *core_concat(PyObject *module, PyObject *args)
{
    return make_of_views(module, args, dv_view_concat);
}

PyObject *core_zip(PyObject *module, PyObject *args)
{
    return make_of_views(module, args, dv_view_zip);
}
