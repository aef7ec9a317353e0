/* SPDX-License-Identifier: MIT */
/* core_writer.c: what is a Writer?  It takes messages of datadings one by one. */
#include "core.h"

/* writer(path as bytes, options, progress) -> Writer */
PyObject *core_writer_open(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    const char *path;
    PyObject *dict, *callable;
    dv_save_options options;
    if (!PyArg_ParseTuple(args, "yOO", &path, &dict, &callable) ||
        !core_save_options_set(&options, dict))
        return NULL;
    core_writer *const self = core_new(state, CORE_TYPE_writer);
    if (!self)
        return NULL;
    atomic_flag_clear(&self->busy);
    self->options = Py_NewRef(dict);
    core_progress_start(&self->progress, callable);
    Py_XINCREF(self->progress.report);
    options.progress = self->progress.progress;

    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_datadings_writer_open(&self->writer, path, &options, &err));
    if (status == DV_OK)
        return (PyObject *)self;
    Py_DECREF(self);
    return core_raise(state, &err);
}

static void writer_dealloc(core_writer *self)
{
    if (self->writer && core_is_ours(self))
        CORE_WITHOUT_GIL(dv_datadings_writer_abandon(&self->writer));
    Py_CLEAR(self->options);
    Py_CLEAR(self->progress.report);
    core_free(self, CORE_TYPE_writer);
}

/* Whether this thread may use the writer now; true must be followed by `leave`. */
static bool enter(core_writer *self)
{
    if (!core_is_ours(self)) {
        PyErr_SetString(PyExc_RuntimeError, "this writer was opened before the process was forked: "
                                            "only the process that opened it can write");
        return false;
    }
    if (atomic_flag_test_and_set(&self->busy)) {
        PyErr_SetString(PyExc_RuntimeError, "another call is using this writer: a writer is for "
                                            "one thread at a time");
        return false;
    }
    if (self->writer)
        return true;
    atomic_flag_clear(&self->busy);
    PyErr_SetString(PyExc_ValueError, "the writer is closed");
    return false;
}

static void leave(core_writer *self)
{
    atomic_flag_clear(&self->busy);
}

/* append(key or None, message) */
static PyObject *writer_append(core_writer *self, PyObject *args)
{
    PyObject *str;
    Py_buffer message;
    dv_text key = dv_text_of(NULL);
    if (!PyArg_ParseTuple(args, "Oy*", &str, &message))
        return NULL;
    const bool is_key = str == Py_None || PyUnicode_Check(str);
    if (!is_key)
        PyErr_Format(PyExc_TypeError, "a key is a str, or None: found %R", str);
    if (!is_key || (str != Py_None && !core_text(&key, str)) || !enter(self)) {
        PyBuffer_Release(&message);
        return NULL;
    }
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_datadings_writer_append(self->writer, key, message.buf,
                                                         (size_t)message.len, &err));
    leave(self);
    PyBuffer_Release(&message);
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    Py_RETURN_NONE;
}

static PyObject *writer_close(core_writer *self, PyObject *unused)
{
    (void)unused;
    if (!self->writer)
        Py_RETURN_NONE;
    if (!enter(self))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_datadings_writer_close(&self->writer, &err));
    leave(self);
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    Py_RETURN_NONE;
}

static PyObject *writer_abandon(core_writer *self, PyObject *unused)
{
    (void)unused;
    if (!self->writer || !core_is_ours(self))
        Py_RETURN_NONE;
    if (!enter(self))
        return NULL;
    CORE_WITHOUT_GIL(dv_datadings_writer_abandon(&self->writer));
    leave(self);
    Py_RETURN_NONE;
}

static PyObject *is_open(core_writer *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->writer && core_is_ours(self));
}

static PyMethodDef methods[] = {
    {"append", (PyCFunction)writer_append, METH_VARARGS, "append(key or None, message)"},
    {"close", (PyCFunction)writer_close, METH_NOARGS, "close(): the files are whole after it"},
    {"abandon", (PyCFunction)writer_abandon, METH_NOARGS, "abandon(): no file is written"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"is_open", (getter)is_open, NULL, "Whether this process can still append.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Takes messages of datadings one by one."},
    {Py_tp_dealloc, (void *)writer_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

PyType_Spec core_writer_spec = {
    "libdataview._core.Writer",
    sizeof(core_writer),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
