/* SPDX-License-Identifier: MIT */
/* core_buffer.c: what is a Buffer?  Bytes of the library that Python reads in place. */
#include "core.h"

PyObject *core_buffer_new(core_state *state, const void *data, size_t nbytes, const char *format,
                          Py_ssize_t item_nbytes, PyObject *holder)
{
    core_buffer *const self = core_new(state, CORE_TYPE_buffer);
    if (!self)
        return NULL;
    self->data = nbytes ? (void *)(uintptr_t)data : (void *)(uintptr_t) ""; /* never written */
    self->nbytes = (Py_ssize_t)nbytes;
    self->format = format;
    self->item_nbytes = item_nbytes;
    self->items = self->nbytes / item_nbytes;
    self->holder = Py_NewRef(holder);
    return (PyObject *)self;
}

static void buffer_dealloc(core_buffer *self)
{
    Py_CLEAR(self->holder);
    core_free(self, CORE_TYPE_buffer);
}

static int get_buffer(core_buffer *self, Py_buffer *view, int flags)
{
    if ((flags & PyBUF_WRITABLE) && !self->is_writable) {
        view->obj = NULL;
        PyErr_SetString(PyExc_BufferError, "these bytes are read-only: copy them to change them");
        return -1;
    }
    view->obj = Py_NewRef((PyObject *)self);
    view->buf = self->data;
    view->len = self->nbytes;
    view->readonly = !self->is_writable;
    view->itemsize = self->item_nbytes;
    view->format = (flags & PyBUF_FORMAT) ? (char *)(uintptr_t)self->format : NULL;
    view->ndim = 1;
    view->shape = (flags & PyBUF_ND) ? &self->items : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &self->item_nbytes : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "Bytes of the library, in place."},
    {Py_tp_dealloc, (void *)buffer_dealloc},
    {Py_bf_getbuffer, (void *)get_buffer},
    {0, NULL},
};

PyType_Spec core_buffer_spec = {
    "libdataview._core.Buffer",
    sizeof(core_buffer),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
