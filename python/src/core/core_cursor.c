/* SPDX-License-Identifier: MIT */
/* core_cursor.c: what is a Cursor?  It delivers the batches of a view. */
#include "core.h"

#include <dataview/plan.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CURSOR_OPTION(name, kind)                                                                  \
    {                                                                                              \
#name, kind, offsetof(dv_cursor_options, name), NULL                                       \
    }
static const core_option cursor_options[] = {
    CURSOR_OPTION(first_row, CORE_I8),  CURSOR_OPTION(end_row, CORE_I8),
    CURSOR_OPTION(skip, CORE_I8),       CURSOR_OPTION(take, CORE_I8),
    CURSOR_OPTION(batch_rows, CORE_I8), CURSOR_OPTION(threads, CORE_I4),
    CURSOR_OPTION(ids, CORE_BOOL),      CURSOR_OPTION(zero_copy_only, CORE_BOOL),
    CURSOR_OPTION(token, CORE_TEXT),    CURSOR_OPTION(epoch, CORE_I8),
};

bool core_cursor_options_set(dv_cursor_options *options, PyObject *dict)
{
    *options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    return core_options_set(options, cursor_options, sizeof cursor_options / sizeof *cursor_options,
                            dict);
}

static void shape_dealloc(core_shape *self)
{
    Py_CLEAR(self->view);
    Py_CLEAR(self->names);
    PyMem_Free(self->columns);
    core_free(self, CORE_TYPE_shape);
}

core_shape *core_shape_new(core_state *state, core_view *view, PyObject *columns, PyObject *names)
{
    core_shape *const self = core_new(state, CORE_TYPE_shape);
    if (!self)
        return NULL;
    self->view = (core_view *)Py_NewRef((PyObject *)view);
    self->names = Py_NewRef(names);
    if (core_int32_list(&self->columns, &self->count, columns))
        return self;
    Py_DECREF(self);
    return NULL;
}

/* cursor(columns, names, options, progress, told=None) -> Cursor, which calls told() after the last
 * batch */
PyObject *core_view_cursor(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    PyObject *columns, *names, *dict, *progress, *told = Py_None;
    dv_cursor_options options;
    dv_view *const view = core_view_of(self);
    if (!view ||
        !PyArg_ParseTuple(args, "O!OOO|O", &PyList_Type, &columns, &names, &dict, &progress,
                          &told) ||
        !core_cursor_options_set(&options, dict))
        return NULL;
    core_cursor *const cursor = core_new(state, CORE_TYPE_cursor);
    if (!cursor)
        return NULL;
    atomic_flag_clear(&cursor->busy);
    cursor->shape = core_shape_new(state, self, columns, names);
    if (!cursor->shape) {
        Py_DECREF(cursor);
        return NULL;
    }
    core_progress_start(&cursor->progress, progress);
    Py_XINCREF(cursor->progress.report);
    cursor->told = told == Py_None ? NULL : Py_NewRef(told);
    options.columns = cursor->shape->columns;
    options.columns_count = cursor->shape->count;
    options.progress = cursor->progress.progress;

    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_cursor_open(&cursor->cursor, view, &options, &err));
    if (status == DV_OK)
        return (PyObject *)cursor;
    Py_DECREF(cursor);
    return core_raise(state, &err);
}

typedef struct text {
    char *data;
    size_t nbytes;
} text;

static bool add_text(void *ctx, const char *data, size_t nbytes)
{
    text *const t = ctx;
    char *const longer = realloc(t->data, t->nbytes + nbytes + 1);
    if (!longer)
        return false;
    memcpy(longer + t->nbytes, data, nbytes);
    t->data = longer;
    t->nbytes += nbytes;
    return true;
}

/* plan(columns, options) -> str */
PyObject *core_view_plan(core_view *self, PyObject *args)
{
    PyObject *columns, *dict;
    dv_cursor_options options;
    int32_t *list;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "O!O", &PyList_Type, &columns, &dict) ||
        !core_cursor_options_set(&options, dict) ||
        !core_int32_list(&list, &options.columns_count, columns))
        return NULL;
    options.columns = list;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    text plan = {NULL, 0};
    const dv_sink sink = {add_text, &plan};
    CORE_WITHOUT_GIL(status = dv_cursor_plan(view, &options, &sink, &err));
    PyMem_Free(list);
    PyObject *const str = status == DV_OK ? core_str((dv_text){plan.data, (int64_t)plan.nbytes})
                                          : core_raise(core_state_of(self), &err);
    free(plan.data);
    return str;
}

static void cursor_dealloc(core_cursor *self)
{
    if (self->cursor && core_is_ours(self))
        CORE_WITHOUT_GIL(dv_cursor_close(&self->cursor));
    Py_CLEAR(self->shape);
    Py_CLEAR(self->progress.report);
    Py_CLEAR(self->told);
    core_free(self, CORE_TYPE_cursor);
}

/* Whether this thread may use the cursor now; true must be followed by `leave`. */
static bool enter(core_cursor *self)
{
    if (!core_is_ours(self)) {
        PyErr_SetString(PyExc_RuntimeError, "this cursor was opened before the process was forked: "
                                            "open another one with batches()");
        return false;
    }
    if (atomic_flag_test_and_set(&self->busy)) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is using this cursor: a cursor is for "
                                            "one thread at a time; open another one with "
                                            "batches()");
        return false;
    }
    if (self->cursor)
        return true;
    atomic_flag_clear(&self->busy);
    PyErr_SetString(PyExc_ValueError, "the cursor is closed");
    return false;
}

static void leave(core_cursor *self)
{
    atomic_flag_clear(&self->busy);
}

static PyObject *cursor_next(core_cursor *self)
{
    if (!enter(self))
        return NULL;
    dv_error err;
    err.status = DV_OK;
    const dv_batch *batch = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_cursor_next(self->cursor, &batch, &err));
    PyObject *const result = status == DV_OK ? core_batch_new(self->shape, batch) : NULL;
    leave(self);
    if (status != DV_OK && status != DV_END)
        return core_raise(core_state_of(self), &err);
    PyObject *const told = status == DV_END ? self->told : NULL;
    if (told) {
        self->told = NULL;
        Py_XDECREF(PyObject_CallNoArgs(told)); /* a warning may be an error */
        Py_DECREF(told);
    }
    return result;
}

static PyObject *cursor_close(core_cursor *self, PyObject *unused)
{
    (void)unused;
    if (!self->cursor)
        Py_RETURN_NONE;
    if (!enter(self))
        return NULL;
    CORE_WITHOUT_GIL(dv_cursor_close(&self->cursor));
    leave(self);
    Py_RETURN_NONE;
}

static PyObject *cursor_token(core_cursor *self, PyObject *unused)
{
    (void)unused;
    if (!enter(self))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_token token;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_cursor_token(self->cursor, &token, &err));
    leave(self);
    return status == DV_OK ? PyUnicode_FromString(token.text)
                           : core_raise(core_state_of(self), &err);
}

static PyObject *cursor_iter(PyObject *self)
{
    return Py_NewRef(self);
}

static PyObject *cursor_exit(core_cursor *self, PyObject *args)
{
    (void)args;
    return cursor_close(self, NULL);
}

static PyObject *cursor_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *cursor_reduce(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    PyErr_SetString(PyExc_TypeError, "a Cursor cannot be pickled: pickle its Table and its token");
    return NULL;
}

static PyMethodDef methods[] = {
    {"close", (PyCFunction)cursor_close, METH_NOARGS,
     "close($self)\n--\n\nClose the cursor.  Batches and arrays that it delivered stay valid."},
    {"token", (PyCFunction)cursor_token, METH_NOARGS,
     "token($self)\n--\n\nReturn the position after the last batch as text.  "
     "Table.batches(token=...)\n"
     "goes on from there, in this process or another one."},
    {"__enter__", cursor_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)cursor_exit, METH_VARARGS, NULL},
    {"__reduce__", cursor_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Delivers the batches of a Table, in order.  For one thread at a time: a second "
                "one gets RuntimeError.\n\n"
                ">>> import libdataview as dv\n"
                ">>> with dv.open(\"examples/sample.idv\").batches(rows=250) as cursor:\n"
                "...     print(len(next(cursor)))\n250\n"},
    {Py_tp_dealloc, (void *)cursor_dealloc},
    {Py_tp_iter, (void *)cursor_iter},
    {Py_tp_iternext, (void *)cursor_next},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Slot shape_slots[] = {
    {Py_tp_doc, "What the batches of a cursor have in common."},
    {Py_tp_dealloc, (void *)shape_dealloc},
    {0, NULL},
};

PyType_Spec core_shape_spec = {
    "libdataview._core.Shape",
    sizeof(core_shape),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    shape_slots,
};

PyType_Spec core_cursor_spec = {
    "libdataview.Cursor",
    sizeof(core_cursor),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
