/* SPDX-License-Identifier: MIT */
/* core_value.c: how does a value become a Python object? */
#include "core.h"

#include <dataview/open_type.h>
#include <string.h>

static PyObject *text_value(const dv_value *value)
{
    const dv_text text = dv_value_tx(value);
    if (text.nbytes < 0)
        Py_RETURN_NONE;
    return value->column->layout == DV_LAYOUT_BYTES
               ? PyBytes_FromStringAndSize(text.data, (Py_ssize_t)text.nbytes)
               : PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.nbytes, "replace");
}

/* Keys are 1, 2, ...: key k has value k - 1, or is class k - 1. */
static PyObject *key_value(const dv_value *value, PyObject *key_values)
{
    const uint64_t number = dv_value_key(value) - 1;
    if (key_values && key_values != Py_None)
        return Py_NewRef(PyList_GetItem(key_values, (Py_ssize_t)number));
    return PyLong_FromUnsignedLongLong(number);
}

PyObject *core_u128(dv_u128 number)
{
    PyObject *const hi = PyLong_FromUnsignedLongLong(number.hi);
    PyObject *const lo = PyLong_FromUnsignedLongLong(number.lo);
    PyObject *const bits = PyLong_FromLong(64);
    PyObject *const high = hi && bits ? PyNumber_Lshift(hi, bits) : NULL;
    PyObject *const result = high && lo ? PyNumber_Or(high, lo) : NULL;
    Py_XDECREF(hi);
    Py_XDECREF(lo);
    Py_XDECREF(bits);
    Py_XDECREF(high);
    return result;
}

bool core_is_open_type(const dv_type *type)
{
    return type->kind == DV_KIND_EXTENSION &&
           dv_open_type_find(type->extension).kind != DV_KIND_NONE;
}

/* Where the text of a value goes; what does not fit is cut. */
typedef struct value_text {
    char data[256];
    size_t nbytes;
} value_text;

static bool take_text(void *ctx, const char *data, size_t nbytes)
{
    value_text *const taken = ctx;
    const size_t room = sizeof taken->data - taken->nbytes, n = nbytes < room ? nbytes : room;
    memcpy(taken->data + taken->nbytes, data, n);
    taken->nbytes += n;
    return true;
}

/* A value of a type that is only of this process, such as a picture: its text. Its bytes may be
 * pointers. */
static PyObject *open_value(const dv_value *value)
{
    value_text text = {.nbytes = 0};
    const dv_sink sink = {take_text, &text};
    dv_value_write(value, DV_STYLE_TEXT, &sink);
    if (text.nbytes == 0)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.nbytes, "replace");
}

static PyObject *scalar_value(core_state *state, const dv_value *value, PyObject *key_values)
{
    const dv_type *const type = &value->column->type;
    if (type->kind != DV_KIND_R4 && type->kind != DV_KIND_R8 && dv_value_is_na(value))
        Py_RETURN_NONE;
    if (type->is_key)
        return key_value(value, key_values);
    switch (type->kind) {
    case DV_KIND_I1:
        return PyLong_FromLong(dv_value_i1(value));
    case DV_KIND_U1:
        return PyLong_FromLong(dv_value_u1(value));
    case DV_KIND_I2:
        return PyLong_FromLong(dv_value_i2(value));
    case DV_KIND_U2:
        return PyLong_FromLong(dv_value_u2(value));
    case DV_KIND_I4:
        return PyLong_FromLong(dv_value_i4(value));
    case DV_KIND_U4:
        return PyLong_FromUnsignedLong(dv_value_u4(value));
    case DV_KIND_I8:
        return PyLong_FromLongLong(dv_value_i8(value));
    case DV_KIND_U8:
        return PyLong_FromUnsignedLongLong(dv_value_u8(value));
    case DV_KIND_R4:
        return PyFloat_FromDouble((double)dv_value_r4(value));
    case DV_KIND_R8:
        return PyFloat_FromDouble(dv_value_r8(value));
    case DV_KIND_TX:
    case DV_KIND_BY:
        return text_value(value);
    case DV_KIND_BL:
        return PyBool_FromLong(dv_value_i1(value));
    case DV_KIND_TS:
        return PyObject_CallFunction(state->timedelta, "L", (long long)dv_value_i8(value));
    case DV_KIND_DT:
        return PyObject_CallFunction(state->datetime, "L", (long long)dv_value_i8(value));
    case DV_KIND_DZ: {
        const dv_zoned zoned = dv_value_dz(value);
        return PyObject_CallFunction(state->zoned, "Li", (long long)zoned.ticks,
                                     (int)zoned.minutes);
    }
    case DV_KIND_UG:
        return core_u128(dv_value_ug(value));
    default: { /* an extension: its bytes, or its text */
        const dv_fixed_layout *const fixed = &value->column->as.fixed;
        const int32_t width = type->extension_width;
        if (core_is_open_type(type))
            return open_value(value);
        return PyBytes_FromStringAndSize((const char *)fixed->values.data + value->row * width,
                                         width);
    }
    }
}

/* What a slot without an item holds: 0, False, the empty text, NA of a key. */
static PyObject *default_value(core_state *state, const dv_type *item)
{
    if (item->is_key)
        Py_RETURN_NONE;
    switch (item->kind) {
    case DV_KIND_R4:
    case DV_KIND_R8:
        return PyFloat_FromDouble(0);
    case DV_KIND_TX:
        return PyUnicode_FromString("");
    case DV_KIND_BY:
        return PyBytes_FromStringAndSize("", 0);
    case DV_KIND_BL:
        Py_RETURN_FALSE;
    case DV_KIND_TS:
        return PyObject_CallFunction(state->timedelta, "L", 0LL);
    case DV_KIND_DT:
        return PyObject_CallFunction(state->datetime, "L", 0LL);
    case DV_KIND_DZ:
        return PyObject_CallFunction(state->zoned, "Li", 0LL, 0);
    default:
        return PyLong_FromLong(0);
    }
}

static PyObject *dense_value(core_state *state, const dv_value *value, PyObject *key_values)
{
    PyObject *const list = PyList_New(value->length);
    for (int32_t i = 0; list && i < value->length; i++) {
        const dv_value item = dv_value_item(value, i);
        PyObject *const object = scalar_value(state, &item, key_values);
        if (!object || PyList_SetItem(list, i, object) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* All slots of a sparse vector. */
static PyObject *sparse_value(core_state *state, const dv_value *value, PyObject *key_values)
{
    const dv_type item_type = dv_type_item(&value->column->type);
    PyObject *const none = default_value(state, &item_type);
    PyObject *const list = none ? PyList_New(value->length) : NULL;
    for (int32_t i = 0; list && i < value->length; i++)
        PyList_SetItem(list, i, Py_NewRef(none));
    Py_XDECREF(none);
    for (int32_t i = 0; list && i < dv_value_items(value); i++) {
        const dv_value item = dv_value_item(value, i);
        PyObject *const object = scalar_value(state, &item, key_values);
        if (!object || PyList_SetItem(list, dv_value_slot(value, i), object) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* Vectors of many slots would be lists of zeros: a dict of slot and value instead. */
static PyObject *wide_value(core_state *state, const dv_value *value, PyObject *key_values)
{
    PyObject *const dict = PyDict_New();
    for (int32_t i = 0; dict && i < dv_value_items(value); i++) {
        const dv_value item = dv_value_item(value, i);
        PyObject *const slot = PyLong_FromLong(dv_value_slot(value, i));
        PyObject *const object = slot ? scalar_value(state, &item, key_values) : NULL;
        const int status = object ? PyDict_SetItem(dict, slot, object) : -1;
        Py_XDECREF(slot);
        Py_XDECREF(object);
        if (status < 0) {
            Py_DECREF(dict);
            return NULL;
        }
    }
    return dict;
}

enum { SLOTS_OF_A_LIST = 8192, SLOTS_OF_A_SPARSE_LIST = 1 << 20 };

PyObject *core_value_slots(core_state *state, const dv_value *value, PyObject *key_values)
{
    if (!dv_type_is_vector(&value->column->type))
        return scalar_value(state, value, key_values);
    if (value->count < 0)
        return dense_value(state, value, key_values);
    /* A few bytes can claim 2^31-1 slots. */
    return value->length > SLOTS_OF_A_SPARSE_LIST ? wide_value(state, value, key_values)
                                                  : sparse_value(state, value, key_values);
}

PyObject *core_value(core_state *state, const dv_value *value, PyObject *key_values)
{
    const dv_type *const type = &value->column->type;
    if (!dv_type_is_vector(type))
        return scalar_value(state, value, key_values);
    const bool is_wide = type->rank == 1 && type->size > SLOTS_OF_A_LIST && !type->is_key;
    if (is_wide || (value->count >= 0 && value->length > SLOTS_OF_A_LIST))
        return wide_value(state, value, key_values);
    return core_value_slots(state, value, key_values);
}

PyObject *core_values(core_state *state, const dv_column_view *column, PyObject *key_values)
{
    PyObject *const list = PyList_New((Py_ssize_t)column->rows);
    if (!list || column->rows == 0)
        return list;
    dv_value value = dv_value_first(column);
    for (int64_t i = 0;; i++) {
        PyObject *const object = core_value(state, &value, key_values);
        if (!object || PyList_SetItem(list, (Py_ssize_t)i, object) < 0) {
            Py_DECREF(list);
            return NULL;
        }
        if (i + 1 == column->rows)
            return list;
        dv_value_next(&value);
    }
}
