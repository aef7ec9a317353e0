/* SPDX-License-Identifier: MIT */
/* core_datadings.c: how are samples of datadings found by key, and their bytes lent? */
#include "core.h"

/* find(key) -> row, or None */
PyObject *core_view_find(core_view *self, PyObject *args)
{
    PyObject *str;
    dv_text key;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "U", &str) || !core_text(&key, str))
        return NULL;
    int64_t row;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_datadings_find(view, key, &row, &err));
    if (status == DV_NOT_FOUND)
        Py_RETURN_NONE;
    return status == DV_OK ? PyLong_FromLongLong(row) : core_raise(core_state_of(self), &err);
}

typedef dv_status reads_bytes(dv_view *, int64_t, dv_buffer *, dv_error *);

static void free_bytes(PyObject *capsule)
{
    dv_buffer *const bytes = PyCapsule_GetPointer(capsule, "dv_buffer");
    dv_buffer_release(bytes);
    PyMem_Free(bytes);
}

/* The bytes as a memoryview, in place if they are in the map. */
static PyObject *lend(core_view *self, PyObject *args, reads_bytes *read)
{
    core_state *const state = core_state_of(self);
    long long row;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "L", &row))
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

/* key(row), message(row) -> memoryview */
PyObject *core_view_key(core_view *self, PyObject *args)
{
    return lend(self, args, dv_datadings_key);
}

PyObject *core_view_message(core_view *self, PyObject *args)
{
    return lend(self, args, dv_datadings_message);
}
