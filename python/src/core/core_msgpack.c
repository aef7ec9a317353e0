/* SPDX-License-Identifier: MIT */
/* core_msgpack.c: which objects of Python do messages of msgpack stand for?
 *
 * The answer is that of the package msgpack: what is plain is decoded here, in a tenth of the time;
 * a message that is broken, deep, or has a time or an ext goes to the package as a whole, which
 * also raises its own exceptions. */
#include "core.h"

#include <string.h>

#define NESTING 64  /* containers that are decoded here: each is a call */
#define UNPACKED 64 /* messages at once */
#define SOUND 256   /* values of an array that are believed before they are there */

typedef struct decoder {
    core_state *state;
    dv_msgpack_reader reader;
    PyObject *hook; /* (dict) -> object, for a map with a key of bytes */
    bool is_odd;    /* the message is for the package: there is no exception */
    int depth;
} decoder;

static PyObject *leave(decoder *d)
{
    d->is_odd = true;
    return NULL;
}

/* The only place for a key of 1..CORE_NAME_NBYTES bytes among those that are remembered. */
static core_name *place_of(decoder *d, const char *text, size_t n)
{
    const size_t mixed = n * 7 + (uint8_t)text[0] * 3u + (uint8_t)text[n - 1];
    return &d->state->names[mixed % CORE_NAMES];
}

/* Take a key that is next and remembered, as most are: samples of a set have the same few.  NULL,
 * without an exception, for others. */
static PyObject *take_name(decoder *d)
{
    const uint8_t *const at = d->reader.at;
    const size_t left = (size_t)(d->reader.end - at);
    const size_t n = left > 0 && (*at & 0xE0) == 0xA0 ? *at & 0x1F : 0; /* a short str */
    if (n == 0 || n >= left)
        return NULL;
    const core_name *const name = place_of(d, (const char *)at + 1, n);
    if (name->nbytes != n || memcmp(name->text, at + 1, n) != 0)
        return NULL;
    d->reader.at += 1 + n;
    return Py_NewRef(name->str);
}

/* Make a key of a map, and remember it; like the package's it is interned. */
static PyObject *make_name(decoder *d, dv_text text)
{
    const size_t n = (size_t)text.nbytes;
    PyObject *str = core_str(text);
    if (!str || n == 0 || n > CORE_NAME_NBYTES)
        return str;
    PyUnicode_InternInPlace(&str);
    core_name *const name = place_of(d, text.data, n);
    PyObject *const old = name->str;
    name->str = Py_NewRef(str);
    name->nbytes = n;
    memcpy(name->text, text.data, n);
    Py_XDECREF(old);
    return str;
}

static PyObject *read_value(decoder *d);

static PyObject *read_array(decoder *d, uint32_t count)
{
    const uint32_t sound = count < SOUND ? count : SOUND;
    PyObject *const list = PyList_New((Py_ssize_t)sound);
    for (uint32_t i = 0; list && i < count; i++) {
        PyObject *const value = read_value(d);
        const bool is_added = value && (i < sound ? PyList_SetItem(list, (Py_ssize_t)i, value)
                                                  : PyList_Append(list, value)) == 0;
        if (i >= sound)
            Py_XDECREF(value);
        if (!is_added) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *read_key(decoder *d, bool *is_bytes_out)
{
    PyObject *const known = take_name(d);
    dv_msgpack_reader at = d->reader;
    dv_msgpack_item item;
    *is_bytes_out = false;
    if (known)
        return known;
    if (dv_msgpack_next(&at, &item, NULL) != DV_OK)
        return leave(d);
    *is_bytes_out = item.kind == DV_MSGPACK_BIN;
    if (item.kind != DV_MSGPACK_STR)
        return read_value(d);
    d->reader = at;
    return make_name(d, item.bytes);
}

static bool read_pair(decoder *d, PyObject *dict, bool *is_bytes_out)
{
    PyObject *const key = read_key(d, is_bytes_out);
    PyObject *const value = key ? read_value(d) : NULL;
    const bool is_set = value && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return is_set;
}

/* A map, or what it stands for: only maps with a key of bytes may be arrays and the like. */
static PyObject *read_map(decoder *d, uint32_t count)
{
    PyObject *const dict = PyDict_New();
    bool has_bytes = false;
    for (uint32_t i = 0; dict && i < count; i++) {
        bool is_bytes;
        if (!read_pair(d, dict, &is_bytes)) {
            Py_DECREF(dict);
            return NULL;
        }
        has_bytes |= is_bytes;
    }
    if (!dict || !has_bytes)
        return dict;
    PyObject *const object = PyObject_CallFunctionObjArgs(d->hook, dict, NULL);
    Py_DECREF(dict);
    return object;
}

static PyObject *read_container(decoder *d, const dv_msgpack_item *item)
{
    if (d->depth == NESTING)
        return leave(d);
    d->depth++;
    PyObject *const result =
        item->kind == DV_MSGPACK_MAP ? read_map(d, item->count) : read_array(d, item->count);
    d->depth--;
    return result;
}

static PyObject *read_value(decoder *d)
{
    dv_msgpack_item item;
    if (dv_msgpack_next(&d->reader, &item, NULL) != DV_OK)
        return leave(d);
    switch (item.kind) {
    case DV_MSGPACK_NIL:
        Py_RETURN_NONE;
    case DV_MSGPACK_BOOL:
        return PyBool_FromLong((long)item.integer);
    case DV_MSGPACK_INT:
        return PyLong_FromLongLong(item.integer);
    case DV_MSGPACK_UINT:
        return PyLong_FromUnsignedLongLong(item.bits);
    case DV_MSGPACK_F4:
    case DV_MSGPACK_F8:
        return PyFloat_FromDouble(item.real);
    case DV_MSGPACK_STR:
        return core_str(item.bytes);
    case DV_MSGPACK_BIN:
        return PyBytes_FromStringAndSize(item.bytes.data, (Py_ssize_t)item.bytes.nbytes);
    case DV_MSGPACK_ARRAY:
    case DV_MSGPACK_MAP:
        return read_container(d, &item);
    case DV_MSGPACK_EXT:
    case DV_MSGPACK_TIME:
        break;
    }
    return leave(d);
}

/* One message that is one sound value. */
static PyObject *read_message(decoder *d, dv_text message)
{
    dv_msgpack_start(&d->reader, message.data, (size_t)message.nbytes);
    PyObject *const value = read_value(d);
    if (!value || d->reader.at == d->reader.end)
        return value;
    Py_DECREF(value);
    return leave(d);
}

static PyObject *unpack(core_state *state, dv_text message, PyObject *hook, PyObject *package)
{
    decoder d = {.state = state, .hook = hook};
    PyObject *const value = read_message(&d, message);
    if (value || !d.is_odd)
        return value;
    PyObject *const bytes = PyBytes_FromStringAndSize(message.data, (Py_ssize_t)message.nbytes);
    PyObject *const result = bytes ? PyObject_CallFunctionObjArgs(package, bytes, NULL) : NULL;
    Py_XDECREF(bytes);
    return result;
}

/* unpack(bytes, hook, package) -> object.  What is no row of bytes is left to the package too. */
PyObject *core_unpack(PyObject *module, PyObject *args)
{
    PyObject *data, *hook, *package;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(args, "OOO", &data, &hook, &package))
        return NULL;
    if (PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) < 0) {
        PyErr_Clear();
        return PyObject_CallFunctionObjArgs(package, data, NULL);
    }
    PyObject *const result =
        bytes.itemsize == 1
            ? unpack(PyModule_GetState(module), (dv_text){bytes.buf, bytes.len}, hook, package)
            : PyObject_CallFunctionObjArgs(package, data, NULL);
    PyBuffer_Release(&bytes);
    return result;
}

/* unpack(first, hook, package) -> list: a few messages from row `first` on, at least one.  A
 * message that fails ends the list, and raises if it is the first. */
PyObject *core_array_unpack(core_array *self, PyObject *args)
{
    long long first;
    PyObject *hook, *package;
    const dv_column_view *const column = self->column;
    if (!PyArg_ParseTuple(args, "LOO", &first, &hook, &package))
        return NULL;
    if (column->layout != DV_LAYOUT_BYTES)
        return PyErr_Format(PyExc_TypeError, "unpack() is for columns of BY");
    if (first < 0 || first >= column->rows)
        return PyErr_Format(PyExc_IndexError, "row %lld of %lld", first, (long long)column->rows);
    PyObject *const list = PyList_New(0);
    dv_value value = dv_value_at(column, first);
    const int64_t end = column->rows - first < UNPACKED ? column->rows : first + UNPACKED;
    core_state *const state = core_state_of(self);
    for (int64_t row = first; list && row < end; row++) {
        PyObject *const object = unpack(state, dv_value_tx(&value), hook, package);
        const bool is_added = object && PyList_Append(list, object) == 0;
        Py_XDECREF(object);
        if (!is_added && row > first && PyErr_ExceptionMatches(PyExc_Exception)) {
            PyErr_Clear(); /* the next call raises it */
            break;
        }
        if (!is_added) {
            Py_DECREF(list);
            return NULL;
        }
        if (row + 1 < end)
            dv_value_next(&value);
    }
    return list;
}

/* sample(row, hook, package) -> object */
PyObject *core_view_sample(core_view *self, PyObject *const *args, Py_ssize_t n)
{
    dv_view *const view = core_view_of(self);
    if (!view || !core_has_arguments(n, 3))
        return NULL;
    const long long row = PyLong_AsLongLong(args[0]);
    if (row == -1 && PyErr_Occurred())
        return NULL;
    dv_buffer bytes;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_datadings_message(view, row, &bytes, &err));
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    PyObject *const sample =
        unpack(core_state_of(self), (dv_text){bytes.data, (int64_t)bytes.nbytes}, args[1], args[2]);
    dv_buffer_release(&bytes);
    return sample;
}
