/* SPDX-License-Identifier: MIT */
/* core_dlpack.c: how does a column go to torch, JAX and NumPy as a DLPack tensor? */
#include "core.h"

#include <dataview/dlpack.h>

/* A consumer renames the capsule that it has taken; one that nobody took frees its tensor. */
static void free_new(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned"))
        return;
    DLManagedTensorVersioned *const tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (tensor->deleter)
        tensor->deleter(tensor);
}

static void free_old(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dltensor"))
        return;
    DLManagedTensor *const tensor = PyCapsule_GetPointer(capsule, "dltensor");
    if (tensor->deleter)
        tensor->deleter(tensor);
}

/* Whether the consumer knows DLPack 1: max_version=(1, ...). */
static int knows_flags(PyObject *max_version)
{
    if (max_version == Py_None)
        return 0;
    PyObject *const major = PySequence_GetItem(max_version, 0);
    const long number = major ? PyLong_AsLong(major) : -1;
    Py_XDECREF(major);
    return PyErr_Occurred() ? -1 : number >= 1;
}

/* Only the CPU: dl_device=(1, 0). */
static bool is_cpu(PyObject *device)
{
    if (device == Py_None)
        return true;
    PyObject *const type = PySequence_GetItem(device, 0);
    const long number = type ? PyLong_AsLong(type) : -1;
    Py_XDECREF(type);
    if (number == kDLCPU)
        return true;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_BufferError, "the values are in the memory of the CPU: take them "
                                           "there, and copy them to the device");
    return false;
}

/* What has no place in a tensor is a BufferError, as the protocol has it. */
static PyObject *refuse(const core_array *self, dv_status status, const dv_error *err)
{
    if (status != DV_ERR_ARGUMENT && status != DV_ERR_COPY)
        return core_raise(core_state_of(self), err);
    PyObject *const type = core_type_text(&self->column->type);
    if (type)
        PyErr_Format(PyExc_BufferError,
                     status == DV_ERR_COPY
                         ? "a tensor of %U has to be made: copy=False is not possible"
                         : "a tensor cannot hold this column of %U (text, NA, sparse or ragged "
                           "vectors): take to_numpy() or to_pylist(), or Table.to_csr()",
                     type);
    Py_XDECREF(type);
    return NULL;
}

static PyObject *make_new(const core_array *self, bool copy)
{
    DLManagedTensorVersioned *tensor = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status =
                         dv_column_export_dlpack(self->batch->batch, self->k, copy, &tensor, &err));
    if (status != DV_OK)
        return refuse(self, status, &err);
    PyObject *const capsule = PyCapsule_New(tensor, "dltensor_versioned", free_new);
    if (!capsule)
        tensor->deleter(tensor);
    return capsule;
}

static PyObject *make_old(const core_array *self)
{
    DLManagedTensor *tensor = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status =
                         dv_column_export_dlpack_old(self->batch->batch, self->k, &tensor, &err));
    if (status != DV_OK)
        return refuse(self, status, &err);
    PyObject *const capsule = PyCapsule_New(tensor, "dltensor", free_old);
    if (!capsule)
        tensor->deleter(tensor);
    return capsule;
}

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None): a copy unless copy is
 * False, since consumers write to what they get. */
PyObject *core_array_dlpack(core_array *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO", names, &stream, &version, &device,
                                     &copy) ||
        !is_cpu(device))
        return NULL;
    const int is_new = knows_flags(version);
    if (is_new < 0)
        return NULL;
    if (!is_new && copy == Py_False) {
        PyErr_SetString(PyExc_BufferError, "this consumer cannot be told that memory is read-only: "
                                           "it gets a copy, so copy=False is not possible");
        return NULL;
    }
    const dv_column_view *const column = self->column;
    const dv_kind kind = column->type.kind;
    if (kind != DV_KIND_R4 && kind != DV_KIND_R8 && kind != DV_KIND_BL && !column->type.is_key) {
        const int64_t row = core_na_row(column, 0); /* NA is no number */
        if (row < column->rows)
            return core_raise_na(self->batch->shape->view, self->batch->shape->columns,
                                 self->batch->batch, self->k, row);
    }
    return is_new ? make_new(self, copy != Py_False) : make_old(self);
}

PyObject *core_array_dlpack_device(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return Py_BuildValue("(ii)", (int)kDLCPU, 0);
}
