/* SPDX-License-Identifier: MIT */
/* core_table.c: how do arrays of Python become a view? */
#include "core.h"

#include <stdlib.h>

/* What a table of arrays holds: the buffers that it lends, released in any thread. */
typedef struct lent {
    Py_ssize_t n;
    Py_buffer buffer[];
} lent;

static void release_lent(void *ctx)
{
    lent *const held = ctx;
    if (atomic_load(&core_is_exiting)) /* the interpreter may be gone */
        return;
    const PyGILState_STATE gil = PyGILState_Ensure();
    for (Py_ssize_t i = 0; i < held->n; i++)
        PyBuffer_Release(&held->buffer[i]);
    PyMem_Free(held);
    PyGILState_Release(gil);
}

/* Texts or bytes of a list, None is NA; borrowed from its items. */
static bool texts_of(dv_text *texts, PyObject *list, int64_t rows, bool are_bytes)
{
    for (int64_t i = 0; i < rows; i++) {
        PyObject *const item = PyList_GetItem(list, (Py_ssize_t)i);
        char *data = NULL;
        Py_ssize_t nbytes = 0;
        if (item == Py_None)
            texts[i] = (dv_text){NULL, -1};
        else if (!are_bytes ? core_text(&texts[i], item)
                            : PyBytes_AsStringAndSize(item, &data, &nbytes) == 0) {
            if (are_bytes)
                texts[i] = (dv_text){data, nbytes};
        } else {
            return false;
        }
    }
    return true;
}

/* One column: (name, notation, a C-contiguous buffer, or a list of str or bytes). */
static bool column_of(dv_table_column *column, lent *held, PyObject *spec, int64_t rows,
                      core_state *state)
{
    enum { DIMS_MOST = 64 };
    PyObject *name, *notation, *source;
    dv_text text;
    dv_error err = DV_ERROR_INIT;
    if (!PyArg_ParseTuple(spec, "UUO", &name, &notation, &source) ||
        !core_c_string(&column->name, name, "the name of a column"))
        return false;
    int32_t *const dims = PyMem_Malloc(DIMS_MOST * sizeof *dims); /* freed with the column */
    if (!dims)
        return PyErr_NoMemory();
    if (!core_text(&text, notation) ||
        dv_type_parse(&column->type, text, dims, DIMS_MOST, &err) != DV_OK) {
        PyMem_Free(dims);
        if (!PyErr_Occurred())
            core_raise(state, &err);
        return false;
    }
    if (!column->type.dims) {
        PyMem_Free(dims);
    }
    const int64_t slots = dv_type_is_vector(&column->type) ? column->type.size : 1;

    if (PyList_Check(source)) {
        if (PyList_Size(source) != rows * slots) {
            PyErr_SetString(PyExc_ValueError, "the columns have different lengths");
            return false;
        }
        const size_t n = (size_t)(rows * slots);
        dv_text *const texts = PyMem_Malloc((n ? n : 1) * sizeof *texts);
        if (!texts)
            return PyErr_NoMemory();
        column->texts = texts;
        return texts_of(texts, source, rows * slots, column->type.kind == DV_KIND_BY);
    }
    Py_buffer *const buffer = &held->buffer[held->n];
    if (PyObject_GetBuffer(source, buffer, PyBUF_C_CONTIGUOUS) < 0)
        return false;
    held->n++;
    column->values = buffer->len ? buffer->buf : "";
    if (buffer->len == rows * slots * dv_kind_width(column->type.kind))
        return true;
    PyErr_SetString(PyExc_ValueError, "the columns have different lengths");
    return false;
}

static void free_columns(dv_table_column *columns, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyMem_Free((void *)(uintptr_t)columns[i].texts);
        PyMem_Free((void *)(uintptr_t)columns[i].type.dims);
    }
    PyMem_Free(columns);
}

/* table(columns, rows, lend) -> View */
PyObject *core_table(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *list;
    long long rows;
    int lend;
    if (!PyArg_ParseTuple(args, "O!Lp", &PyList_Type, &list, &rows, &lend))
        return NULL;
    const Py_ssize_t n = PyList_Size(list);
    dv_table_column *const columns = PyMem_Calloc((size_t)(n ? n : 1), sizeof *columns);
    lent *const held = PyMem_Calloc(1, sizeof *held + (size_t)n * sizeof held->buffer[0]);
    bool is_sound = columns && held;
    if (!is_sound)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; is_sound && i < n; i++)
        is_sound = column_of(&columns[i], held, PyList_GetItem(list, i), rows, state);

    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.lend = lend;
    options.release = lend ? release_lent : NULL;
    options.ctx = held;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_ERR_ARGUMENT;
    if (is_sound)
        CORE_WITHOUT_GIL(status =
                             dv_table_create(&view, columns, (int32_t)n, rows, &options, &err));
    if (columns)
        free_columns(columns, n);
    if (held && (status != DV_OK || !lend))
        release_lent(held);
    if (!is_sound)
        return NULL;
    return core_made(state, status, view, &err);
}
