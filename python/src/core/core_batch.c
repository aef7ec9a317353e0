/* SPDX-License-Identifier: MIT */
/* core_batch.c: what is a Batch?  Rows that stay valid as long as somebody holds them. */
#include "core.h"

PyObject *core_batch_new(core_shape *shape, const dv_batch *batch)
{
    core_batch *const self = core_new(core_state_of(shape), CORE_TYPE_batch);
    if (!self)
        return NULL;
    dv_batch_retain(batch);
    self->batch = batch;
    self->shape = (core_shape *)Py_NewRef((PyObject *)shape);
    return (PyObject *)self;
}

static void batch_dealloc(core_batch *self)
{
    if (self->batch && core_is_ours(self))
        dv_batch_release(&self->batch);
    Py_CLEAR(self->shape);
    core_free(self, CORE_TYPE_batch);
}

static Py_ssize_t batch_length(core_batch *self)
{
    return (Py_ssize_t)self->batch->rows;
}

static PyObject *batch_item(core_batch *self, PyObject *key)
{
    PyObject *const known =
        PyUnicode_Check(key) ? PyDict_GetItemWithError(self->shape->names, key) : NULL;
    if (known)
        return core_array_new(self, (int32_t)PyLong_AsLong(known));
    if (PyErr_Occurred())
        return NULL;
    if (PyIndex_Check(key)) {
        Py_ssize_t k = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (k == -1 && PyErr_Occurred())
            return NULL;
        k += k < 0 ? self->batch->columns : 0;
        if (k >= 0 && k < self->batch->columns)
            return core_array_new(self, (int32_t)k);
        return PyErr_Format(PyExc_IndexError, "the batch has %d columns", self->batch->columns);
    }
    PyObject *const names = PyDict_Keys(self->shape->names);
    PyObject *const exception =
        names ? PyObject_CallFunctionObjArgs(core_state_of(self)->no_column, key, names, NULL)
              : NULL;
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    Py_XDECREF(names);
    return NULL;
}

static int batch_contains(core_batch *self, PyObject *name)
{
    return PyUnicode_Check(name) ? PyDict_Contains(self->shape->names, name) : 0;
}

/* A batch iterates over the names of its columns, as a Table does. */
static PyObject *batch_iter(core_batch *self)
{
    return PyObject_GetIter(self->shape->names);
}

static PyObject *get_rows(core_batch *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(self->batch->rows);
}

static PyObject *get_position(core_batch *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(self->batch->position);
}

static PyObject *get_first_row(core_batch *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(self->batch->first_row);
}

static PyObject *get_columns(core_batch *self, void *closure)
{
    (void)closure;
    return PyDict_Keys(self->shape->names);
}

/* 16 bytes a row: the low word, then the high one. */
static PyObject *get_ids(core_batch *self, void *closure)
{
    (void)closure;
    if (!self->batch->ids)
        Py_RETURN_NONE;
    PyObject *const buffer =
        core_buffer_new(core_state_of(self), self->batch->ids,
                        (size_t)self->batch->rows * sizeof(dv_u128), "Q", 8, (PyObject *)self);
    PyObject *const view = buffer ? PyMemoryView_FromObject(buffer) : NULL;
    Py_XDECREF(buffer);
    return view;
}

static PyObject *batch_reduce(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    PyErr_SetString(PyExc_TypeError, "a Batch cannot be pickled: pickle its Table, or "
                                     "pyarrow.record_batch(batch)");
    return NULL;
}

static PyObject *batch_repr(core_batch *self)
{
    PyObject *const names = PyDict_Keys(self->shape->names);
    PyObject *const text = names ? PyUnicode_FromFormat("<Batch of %lld rows: %R>",
                                                        (long long)self->batch->rows, names)
                                 : NULL;
    Py_XDECREF(names);
    return text;
}

static PyObject *batch_dense(core_batch *self, PyObject *args, PyObject *kwargs)
{
    return core_call_method(core_state_of(self)->dense, (PyObject *)self, args, kwargs);
}

/* The slots of a row of a matrix of a kind, by its letter. */
static PyObject *batch_width(core_batch *self, PyObject *args)
{
    int letter;
    if (!PyArg_ParseTuple(args, "C", &letter))
        return NULL;
    const dv_kind kind = letter == 'f' ? DV_KIND_R4 : letter == 'd' ? DV_KIND_R8 : DV_KIND_I8;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = self->shape->columns;
    cursor.columns_count = self->shape->count;
    size_t width;
    dv_error err = DV_ERROR_INIT;
    if (dv_dense_width(&width, dv_view_schema(self->shape->view->view), kind, &cursor, NULL,
                       &err) != DV_OK)
        return core_raise(core_state_of(self), &err);
    return PyLong_FromSize_t(width);
}

static PyGetSetDef properties[] = {
    {"rows", (getter)get_rows, NULL, "The number of rows, at least 1.", NULL},
    {"position", (getter)get_position, NULL, "Rows that the cursor delivered before.", NULL},
    {"first_row", (getter)get_first_row, NULL, "The number of the first row in the table.", NULL},
    {"columns", (getter)get_columns, NULL, "The names of the columns, in order.", NULL},
    {"ids", (getter)get_ids, NULL,
     "With batches(ids=True), the id of each row: two uint64, the low word first; else None.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"__arrow_c_array__", (PyCFunction)core_batch_arrow, METH_VARARGS,
     "__arrow_c_array__($self, requested_schema=None, /)\n--\n\nThe rows as an Arrow struct array, "
     "in place "
     "where docs/python-arrow.md says so."},
    {"__arrow_c_schema__", (PyCFunction)core_batch_arrow_schema, METH_VARARGS, NULL},
    {"dense", (PyCFunction)(void (*)(void))batch_dense, METH_VARARGS | METH_KEYWORDS,
     "dense($self, dtype='f4', na='nan', columns=None)\n--\n\nThe columns side by side as a matrix "
     "of its "
     "own."},
    {"width", (PyCFunction)batch_width, METH_VARARGS, NULL},
    {"fill_dense", (PyCFunction)core_batch_dense, METH_VARARGS, NULL},
    {"fill_columns", (PyCFunction)core_batch_fill_columns, METH_VARARGS, NULL},
    {"fill_ragged", (PyCFunction)core_batch_fill_ragged, METH_VARARGS, NULL},
    {"lengths", (PyCFunction)core_batch_lengths, METH_VARARGS, NULL},
    {"__reduce__", batch_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Consecutive rows of a Table: batch[\"Age\"] is an Array.  It stays valid after "
                "the next step of its cursor, and any thread may read it.\n\n"
                ">>> import libdataview as dv\n"
                ">>> [len(b) for b in dv.open(\"examples/sample.idv\").batches(rows=250)]\n"
                "[250, 250, 100]\n"},
    {Py_tp_dealloc, (void *)batch_dealloc},
    {Py_tp_repr, (void *)batch_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_iter, (void *)batch_iter},
    {Py_sq_contains, (void *)batch_contains},
    {Py_mp_length, (void *)batch_length},
    {Py_mp_subscript, (void *)batch_item},
    {0, NULL},
};

PyType_Spec core_batch_spec = {
    "libdataview.Batch",
    sizeof(core_batch),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
