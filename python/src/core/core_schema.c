/* SPDX-License-Identifier: MIT */
/* core_schema.c: how do types and metadata look in Python? */
#include "core.h"

#include <stdio.h>
#include <string.h>

enum { DIMS_MOST = 64 };

PyObject *core_str(dv_text text)
{
    return text.nbytes < 0 ? PyUnicode_FromString("")
                           : PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.nbytes, "strict");
}

PyObject *core_type_text(const dv_type *type)
{
    char small[128];
    const size_t n = dv_type_print(type, small, sizeof small);
    if (n < sizeof small)
        return PyUnicode_FromStringAndSize(small, (Py_ssize_t)n);
    char *const text = PyMem_Malloc(n + 1);
    if (!text)
        return PyErr_NoMemory();
    dv_type_print(type, text, n + 1);
    PyObject *const str = PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
    PyMem_Free(text);
    return str;
}

const char *core_format_of(dv_kind kind)
{
    switch (kind) {
    case DV_KIND_I1:
        return "b";
    case DV_KIND_U1:
        return "B";
    case DV_KIND_I2:
        return "h";
    case DV_KIND_U2:
        return "H";
    case DV_KIND_I4:
        return "i";
    case DV_KIND_U4:
        return "I";
    case DV_KIND_I8:
    case DV_KIND_TS:
    case DV_KIND_DT:
        return "q";
    case DV_KIND_U8:
        return "Q";
    case DV_KIND_R4:
        return "f";
    case DV_KIND_R8:
        return "d";
    case DV_KIND_BL:
        return "b";
    default:
        return NULL;
    }
}

/* The open type of that name, which has no notation; text ends with a NUL. */
static dv_type open_type_of(dv_text text)
{
    return strlen(text.data) == (size_t)text.nbytes ? dv_open_type_find(text.data)
                                                    : dv_type_of(DV_KIND_NONE);
}

PyObject *core_is_type(PyObject *module, PyObject *str)
{
    dv_text text;
    dv_type type;
    int32_t dims[DIMS_MOST];
    (void)module;
    if (!core_text(&text, str))
        return NULL;
    return PyBool_FromLong(open_type_of(text).kind != DV_KIND_NONE ||
                           dv_type_parse(&type, text, dims, DIMS_MOST, NULL) == DV_OK);
}

PyObject *core_type_parse(PyObject *module, PyObject *args)
{
    PyObject *str;
    dv_text text;
    dv_type type;
    int32_t dims[DIMS_MOST];
    dv_error err = DV_ERROR_INIT;
    if (!PyArg_ParseTuple(args, "U", &str) || !core_text(&text, str))
        return NULL;
    const dv_type open = open_type_of(text);
    if (open.kind != DV_KIND_NONE)
        type = open;
    else if (dv_type_parse(&type, text, dims, DIMS_MOST, &err) != DV_OK)
        return core_raise(PyModule_GetState(module), &err);

    PyObject *const shape = PyTuple_New(type.rank);
    for (int32_t i = 0; shape && i < type.rank; i++)
        PyTuple_SetItem(shape, i, PyLong_FromLong(dv_type_dim(&type, i)));
    PyObject *const notation = core_type_text(&type);
    if (!shape || !notation || PyErr_Occurred()) {
        Py_XDECREF(shape);
        Py_XDECREF(notation);
        return NULL;
    }
    return Py_BuildValue(
        "{s:N,s:s,s:O,s:K,s:K,s:N,s:i}", "notation", notation, "kind",
        type.kind == DV_KIND_EXTENSION ? type.extension : dv_kind_name(type.kind), "is_key",
        type.is_key ? Py_True : Py_False, "key_min", (unsigned long long)type.key_min, "key_count",
        (unsigned long long)type.key_count, "shape", shape, "width", (int)dv_kind_width(type.kind));
}

/* The value of metadata `kind` of a column, of any kind; None if there is none. */
PyObject *core_view_metadata(core_view *self, PyObject *args)
{
    int column;
    PyObject *kind;
    dv_text text;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "iU", &column, &kind) || !core_text(&text, kind))
        return NULL;
    core_state *const state = core_state_of(self);
    const dv_schema *const schema = dv_view_schema(view);
    int32_t i;
    if (dv_schema_find_metadata(schema, column, text, &i) != DV_OK)
        Py_RETURN_NONE;

    dv_error err = DV_ERROR_INIT;
    const dv_batch *batch = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_schema_metadata_value(schema, column, i, &batch, &err));
    if (status != DV_OK)
        return core_raise(state, &err);
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    PyObject *const result = core_value_slots(state, &value, NULL);
    dv_batch_release(&batch);
    return result;
}

/* Key k of a column means value k - 1 of its KeyValues, if these are a vector of as many slots. */
PyObject *core_key_values(core_view *self, int32_t column)
{
    if (!self->key_values && !(self->key_values = PyDict_New()))
        return NULL;
    PyObject *const key = PyLong_FromLong(column);
    PyObject *const known = key ? PyDict_GetItemWithError(self->key_values, key) : NULL;
    if (known || !key || PyErr_Occurred()) {
        Py_XDECREF(key);
        return known;
    }

    const dv_column_info *const info = dv_schema_column(dv_view_schema(self->view), column);
    PyObject *values = NULL;
    if (info && info->type.is_key) {
        PyObject *const args = Py_BuildValue("(is)", (int)column, DV_KEY_VALUES);
        values = args ? core_view_metadata(self, args) : NULL;
        Py_XDECREF(args);
        if (!values) {
            Py_DECREF(key);
            return NULL;
        }
    }
    const bool fits =
        values && PyList_Check(values) && (uint64_t)PyList_Size(values) == info->type.key_count;
    PyObject *const kept = fits ? values : Py_None;
    const int status = PyDict_SetItem(self->key_values, key, kept);
    Py_DECREF(key);
    Py_XDECREF(values); /* the dict holds what is kept */
    return status == 0 ? kept : NULL;
}
