/* SPDX-License-Identifier: MIT */
/* core_datadings.c: how are samples of datadings found by key, and their bytes lent? */
#include "core.h"

/* find(key) -> row, or None */
PyObject *core_view_find(core_view *self, PyObject *const *args, Py_ssize_t n)
{
    dv_text key;
    dv_view *const view = core_view_of(self);
    if (!view || !core_has_arguments(n, 1))
        return NULL;
    if (!PyUnicode_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "keys are str, not %R", args[0]);
    if (!core_text(&key, args[0]))
        return NULL;
    int64_t row;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_datadings_find(view, key, &row, &err));
    if (status == DV_NOT_FOUND)
        Py_RETURN_NONE;
    return status == DV_OK ? PyLong_FromLongLong(row) : core_raise(core_state_of(self), &err);
}

/* find_many(keys) -> list of rows and None */
PyObject *core_view_find_many(core_view *self, PyObject *args)
{
    PyObject *list;
    dv_text *keys;
    int32_t n;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "O", &list) || !core_text_list(&keys, &n, list))
        return NULL;
    int64_t *const rows = PyMem_Malloc(((size_t)n + 1) * sizeof *rows);
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    if (rows)
        CORE_WITHOUT_GIL(status = dv_datadings_find_many(view, keys, (size_t)n, rows, &err));
    PyObject *const found = rows && status == DV_OK ? PyList_New(n) : NULL;
    for (int32_t i = 0; found && i < n; i++)
        PyList_SetItem(found, i, rows[i] < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(rows[i]));
    PyMem_Free(keys);
    PyMem_Free(rows);
    if (!rows)
        return PyErr_NoMemory();
    return status == DV_OK ? found : core_raise(core_state_of(self), &err);
}

typedef dv_status reads_bytes(dv_view *, int64_t, dv_buffer *, dv_error *);

static void free_bytes(PyObject *capsule)
{
    dv_buffer *const bytes = PyCapsule_GetPointer(capsule, "dv_buffer");
    dv_buffer_release(bytes);
    PyMem_Free(bytes);
}

/* The bytes as a memoryview, in place if they are in the map. */
static PyObject *lend(core_view *self, PyObject *const *args, Py_ssize_t n, reads_bytes *read)
{
    core_state *const state = core_state_of(self);
    dv_view *const view = core_view_of(self);
    if (!view || !core_has_arguments(n, 1))
        return NULL;
    const long long row = PyLong_AsLongLong(args[0]);
    if (row == -1 && PyErr_Occurred())
        return NULL;
    dv_buffer *const bytes = PyMem_Calloc(1, sizeof *bytes);
    if (!bytes)
        return PyErr_NoMemory();
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = read(view, row, bytes, &err));
    if (status != DV_OK) {
        PyMem_Free(bytes);
        if (status == DV_NOT_FOUND)
            Py_RETURN_NONE;
        return core_raise(state, &err);
    }
    PyObject *const holder = PyCapsule_New(bytes, "dv_buffer", free_bytes);
    if (!holder) {
        dv_buffer_release(bytes);
        PyMem_Free(bytes);
        return NULL;
    }
    PyObject *const buffer = core_buffer_new(state, bytes->data, bytes->nbytes, "B", 1, holder);
    PyObject *const result = buffer ? PyMemoryView_FromObject(buffer) : NULL;
    Py_DECREF(holder);
    Py_XDECREF(buffer);
    return result;
}

/* A memoryview over all bytes of a batch's messages, or NULL with an exception. */
static PyObject *lend_batch(core_state *state, const dv_buffer *bytes)
{
    dv_buffer *const held = PyMem_Malloc(sizeof *held);
    if (!held)
        return PyErr_NoMemory();
    *held = *bytes;
    dv_buffer_retain(held);
    PyObject *const holder = PyCapsule_New(held, "dv_buffer", free_bytes);
    if (!holder) {
        dv_buffer_release(held);
        PyMem_Free(held);
        return NULL;
    }
    PyObject *const buffer = core_buffer_new(state, held->data, held->nbytes, "B", 1, holder);
    PyObject *const view = buffer ? PyMemoryView_FromObject(buffer) : NULL;
    Py_DECREF(holder);
    Py_XDECREF(buffer);
    return view;
}

/* memoryviews() -> list */
PyObject *core_array_memoryviews(core_array *self, PyObject *unused)
{
    (void)unused;
    const dv_column_view *const column = self->column;
    if (column->layout != DV_LAYOUT_BYTES)
        return PyErr_Format(PyExc_TypeError, "memoryviews() is for columns of BY");
    const dv_text_layout *const text = &column->as.text;
    PyObject *const all = lend_batch(core_state_of(self), &text->utf8);
    PyObject *const list = all ? PyList_New((Py_ssize_t)column->rows) : NULL;
    dv_value value = dv_value_first(column);
    for (int64_t i = 0; list && i < column->rows; i++) {
        const dv_text one = dv_value_tx(&value);
        const Py_ssize_t start =
            one.nbytes > 0 ? (Py_ssize_t)(one.data - (const char *)text->utf8.data) : 0;
        PyObject *const item =
            PySequence_GetSlice(all, start, start + (Py_ssize_t)(one.nbytes > 0 ? one.nbytes : 0));
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) {
            Py_DECREF(list);
            Py_DECREF(all);
            return NULL;
        }
        if (i + 1 < column->rows)
            dv_value_next(&value);
    }
    Py_XDECREF(all);
    return list;
}

/* key(row), message(row) -> memoryview */
PyObject *core_view_key(core_view *self, PyObject *const *args, Py_ssize_t n)
{
    return lend(self, args, n, dv_datadings_key);
}

PyObject *core_view_message(core_view *self, PyObject *const *args, Py_ssize_t n)
{
    return lend(self, args, n, dv_datadings_message);
}
