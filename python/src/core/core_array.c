/* SPDX-License-Identifier: MIT */
/* core_array.c: what is an Array?  A column of a batch, whose bytes Python reads in place. */
#include "core.h"

PyObject *core_array_new(core_batch *batch, int32_t k)
{
    const dv_column_view *const column = dv_batch_column(batch->batch, k);
    core_array *const self = core_new(core_state_of(batch), CORE_TYPE_array);
    if (!self)
        return NULL;
    self->batch = (core_batch *)Py_NewRef((PyObject *)batch);
    self->column = column;
    self->k = k;
    self->schema_column = batch->shape->columns[k];
    return (PyObject *)self;
}

static void array_dealloc(core_array *self)
{
    Py_CLEAR(self->batch);
    core_free(self, CORE_TYPE_array);
}

static Py_ssize_t array_length(core_array *self)
{
    return (Py_ssize_t)self->column->rows;
}

/* The values that keys stand for; NULL without an exception: it has no keys. */
static PyObject *key_values_of(core_array *self)
{
    return self->column->type.is_key
               ? core_key_values(self->batch->shape->view, self->schema_column)
               : NULL;
}

static PyObject *array_item(core_array *self, Py_ssize_t i)
{
    if (i < 0 || i >= self->column->rows) {
        PyErr_Format(PyExc_IndexError, "the array has %lld rows", (long long)self->column->rows);
        return NULL;
    }
    PyObject *const key_values = key_values_of(self);
    if (PyErr_Occurred())
        return NULL;
    const dv_value value = dv_value_at(self->column, i);
    return core_value(core_state_of(self), &value, key_values);
}

static PyObject *array_to_pylist(core_array *self, PyObject *unused)
{
    (void)unused;
    PyObject *const key_values = key_values_of(self);
    if (PyErr_Occurred())
        return NULL;
    return core_values(core_state_of(self), self->column, key_values);
}

/* Not item by item: an item of a vector column costs a walk over the rows before it. */
static PyObject *array_iter(core_array *self)
{
    PyObject *const list = array_to_pylist(self, NULL);
    PyObject *const iterator = list ? PyObject_GetIter(list) : NULL;
    Py_XDECREF(list);
    return iterator;
}

static PyObject *array_repr(core_array *self)
{
    PyObject *const name = core_str(
        dv_schema_column(dv_view_schema(self->batch->shape->view->view), self->schema_column)
            ->name);
    PyObject *const type = core_type_text(&self->column->type);
    PyObject *const text = name && type ? PyUnicode_FromFormat("<Array %R of %lld rows: %U>", name,
                                                               (long long)self->column->rows, type)
                                        : NULL;
    Py_XDECREF(name);
    Py_XDECREF(type);
    return text;
}

/* --- Exact text ------------------------------------------------------------------------------- */

static bool append(void *ctx, const char *data, size_t nbytes)
{
    PyObject *const piece = PyBytes_FromStringAndSize(data, (Py_ssize_t)nbytes);
    if (!piece)
        return false;
    PyBytes_ConcatAndDel(ctx, piece);
    return *(PyObject **)ctx;
}

static PyObject *array_exact(core_array *self, PyObject *unused)
{
    (void)unused;
    PyObject *const list = PyList_New((Py_ssize_t)self->column->rows);
    dv_value value = {0};
    for (int64_t i = 0; list && i < self->column->rows; i++) {
        if (i == 0)
            value = dv_value_first(self->column);
        else
            dv_value_next(&value);
        PyObject *bytes = PyBytes_FromStringAndSize("", 0);
        const dv_sink sink = {append, &bytes};
        const bool done = bytes && dv_value_write(&value, DV_STYLE_EXACT, &sink);
        PyObject *const text = done ? PyUnicode_FromEncodedObject(bytes, "utf-8", "strict") : NULL;
        Py_XDECREF(bytes);
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* --- In place --------------------------------------------------------------------------------- */

static bool put(PyObject *dict, core_array *self, const char *name, const dv_buffer *buffer,
                const char *format, Py_ssize_t item_nbytes)
{
    PyObject *const bytes = core_buffer_new(core_state_of(self), buffer->data, buffer->nbytes,
                                            format, item_nbytes, (PyObject *)self->batch);
    PyObject *const view = bytes ? PyMemoryView_FromObject(bytes) : NULL;
    const int status = view ? PyDict_SetItemString(dict, name, view) : -1;
    Py_XDECREF(bytes);
    Py_XDECREF(view);
    return status == 0;
}

static bool put_flat(PyObject *dict, core_array *self, const dv_column_view *column,
                     const char *prefix)
{
    const char *const format = core_format_of(column->type.kind);
    const int32_t width = dv_kind_width(column->type.kind);
    const bool is_item = *prefix;
    switch (column->layout) {
    case DV_LAYOUT_FIXED:
        return put(dict, self, is_item ? prefix : "values", &column->as.fixed.values,
                   format ? format : "B", format ? width : 1);
    case DV_LAYOUT_ZONED:
        return put(dict, self, "ticks", &column->as.zoned.ticks, "q", 8) &&
               put(dict, self, "minutes", &column->as.zoned.minutes, "h", 2);
    default:
        return put(dict, self, "utf8", &column->as.text.utf8, "B", 1) &&
               put(dict, self, "ends", &column->as.text.ends, "i", 4);
    }
}

static PyObject *get_raw(core_array *self, void *closure)
{
    (void)closure;
    if (core_is_open_type(&self->column->type))
        return PyErr_Format(PyExc_TypeError,
                            "values of %s are only of this process: to_pylist() has their texts; "
                            "the step pixels makes numbers of pictures",
                            self->column->type.extension);
    PyObject *const dict = PyDict_New();
    if (!dict)
        return NULL;
    const dv_column_view *const column = self->column;
    const dv_vector_layout *const vector = &column->as.vector;
    const bool done = column->layout == DV_LAYOUT_VECTOR
                          ? put(dict, self, "lengths", &vector->lengths, "i", 4) &&
                                put(dict, self, "counts", &vector->counts, "i", 4) &&
                                put(dict, self, "indices", &vector->indices, "i", 4) &&
                                put_flat(dict, self, vector->items, "items")
                          : put_flat(dict, self, column, "");
    if (done)
        return dict;
    Py_DECREF(dict);
    return NULL;
}

/* What the raw buffers of vectors and texts count from. */
static PyObject *get_bases(core_array *self, void *closure)
{
    (void)closure;
    const dv_column_view *const column = self->column;
    const dv_vector_layout *const vector = &column->as.vector;
    switch (column->layout) {
    case DV_LAYOUT_VECTOR:
        return Py_BuildValue(
            "{s:L,s:L,s:i,s:i}", "index_base", (long long)vector->index_base, "item_base",
            (long long)vector->item_base, "length", (int)vector->length, "first",
            vector->items->layout == DV_LAYOUT_TEXT || vector->items->layout == DV_LAYOUT_BYTES
                ? (int)vector->items->as.text.first
                : 0);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return Py_BuildValue("{s:i}", "first", (int)column->as.text.first);
    default:
        return PyDict_New();
    }
}

static const dv_buffer *values_of(const dv_column_view *column)
{
    switch (column->layout) {
    case DV_LAYOUT_FIXED:
        return &column->as.fixed.values;
    case DV_LAYOUT_ZONED:
        return &column->as.zoned.ticks;
    case DV_LAYOUT_VECTOR:
        return values_of(column->as.vector.items);
    default:
        return &column->as.text.utf8;
    }
}

static PyObject *get_is_borrowed(core_array *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(values_of(self->column)->is_borrowed);
}

static PyObject *get_type(core_array *self, void *closure)
{
    (void)closure;
    return core_type_text(&self->column->type);
}

static PyObject *get_layout(core_array *self, void *closure)
{
    (void)closure;
    static const char *const names[] = {"", "fixed", "zoned", "text", "bytes", "vector"};
    return PyUnicode_FromString(names[self->column->layout]);
}

static PyObject *get_key_values(core_array *self, void *closure)
{
    (void)closure;
    PyObject *const values = key_values_of(self);
    if (!values && PyErr_Occurred())
        return NULL;
    if (!values || values == Py_None)
        Py_RETURN_NONE;
    return PyList_AsTuple(values); /* the list stays as it is: keys are its positions */
}

/* --- NA --------------------------------------------------------------------------------------- */

int64_t core_na_row(const dv_column_view *column, int64_t row)
{
    if (row >= column->rows || !dv_type_has_na(&column->type))
        return column->rows;
    const dv_buffer *const values = &column->as.fixed.values;
    const int32_t width = dv_kind_width(column->type.kind);
    size_t first = 0;
    if (column->layout == DV_LAYOUT_FIXED && width <= 8 &&
        dv_items_na_first(&first, &column->type, (const char *)values->data + row * width,
                          (size_t)(column->rows - row), NULL) == DV_OK)
        return row + (int64_t)first;
    dv_value value = dv_value_at(column, row);
    for (; row < column->rows; row++) {
        if (dv_value_is_na(&value))
            return row;
        if (row + 1 < column->rows)
            dv_value_next(&value);
    }
    return row;
}

static PyObject *array_na_first(core_array *self, PyObject *unused)
{
    (void)unused;
    const int64_t row = core_na_row(self->column, 0);
    if (row == self->column->rows)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(row);
}

static PyObject *array_na_count(core_array *self, PyObject *unused)
{
    (void)unused;
    int64_t count = 0;
    const dv_column_view *const column = self->column;
    if (column->rows > 0 && dv_type_has_na(&column->type)) {
        dv_value value = dv_value_first(column);
        for (int64_t row = 0; row < column->rows; row++) {
            count += dv_value_is_na(&value);
            if (row + 1 < column->rows)
                dv_value_next(&value);
        }
    }
    return PyLong_FromLongLong(count);
}

/* A byte per row into a writable buffer: 1 if the value is NA. */
static PyObject *array_na_mask(core_array *self, PyObject *args)
{
    Py_buffer mask;
    if (!PyArg_ParseTuple(args, "w*", &mask))
        return NULL;
    const dv_column_view *const column = self->column;
    if (mask.len != column->rows) {
        PyBuffer_Release(&mask);
        return PyErr_Format(PyExc_ValueError, "the mask needs a byte for each row");
    }
    uint8_t *const bytes = mask.buf;
    dv_value value = {0};
    for (int64_t row = 0; row < column->rows; row++) {
        if (row == 0)
            value = dv_value_first(column);
        else
            dv_value_next(&value);
        bytes[row] = dv_value_is_na(&value);
    }
    PyBuffer_Release(&mask);
    Py_RETURN_NONE;
}

/* --- NumPy ------------------------------------------------------------------------------------ */

static const char *numpy_name(dv_kind kind)
{
    static const char *const names[] = {NULL,     "int8",  "uint8",  "int16",   "uint16",  "int32",
                                        "uint32", "int64", "uint64", "float32", "float64", NULL,
                                        "bool",   NULL,    NULL,     NULL,      NULL,      NULL};
    return kind <= DV_KIND_BY ? names[kind] : NULL;
}

/* NumPy's function and dtype, looked up once. */
static bool numpy_of(core_state *state, dv_kind kind)
{
    if (state->frombuffer && state->dtype[kind])
        return true;
    PyObject *const numpy = PyImport_ImportModule("numpy");
    if (numpy && !state->frombuffer)
        state->frombuffer = PyObject_GetAttrString(numpy, "frombuffer");
    if (numpy && state->frombuffer && !state->dtype[kind])
        state->dtype[kind] = PyObject_CallMethod(numpy, "dtype", "s", numpy_name(kind));
    Py_XDECREF(numpy);
    return state->frombuffer && state->dtype[kind];
}

/* Whether the values as they lie are what NumPy should see, apart from NA. */
static bool is_plain(const dv_column_view *column)
{
    return column->layout == DV_LAYOUT_FIXED && !column->type.is_key &&
           numpy_name(column->type.kind) && column->type.kind <= DV_KIND_BL;
}

/* __array__(dtype=None, copy=None).  What is in place is lent: numbers and BL without NA.
 * Everything else is made by libdataview._numpy. */
static PyObject *array_array(core_array *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dtype", "copy", NULL};
    PyObject *dtype = Py_None, *copy = Py_None;
    core_state *const state = core_state_of(self);
    const dv_column_view *const column = self->column;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", names, &dtype, &copy))
        return NULL;
    if (dtype != Py_None || copy == Py_True || !is_plain(column))
        return PyObject_CallFunction(state->to_numpy, "OOsO", (PyObject *)self, dtype, "raise",
                                     copy);

    const dv_kind kind = column->type.kind;
    const bool is_real = kind == DV_KIND_R4 || kind == DV_KIND_R8;
    const int64_t row = is_real ? column->rows : core_na_row(column, 0);
    if (row != column->rows)
        return core_raise_na(self->batch->shape->view, self->batch->shape->columns,
                             self->batch->batch, self->k, row);
    if (!numpy_of(state, kind))
        return NULL;
    if (column->rows == 0 || column->as.fixed.values.nbytes == 0)
        return PyObject_CallFunction(state->to_numpy, "OOsO", (PyObject *)self, dtype, "raise",
                                     copy);
    PyObject *const buffer = core_buffer_new(
        state, column->as.fixed.values.data, (size_t)(column->rows * dv_kind_width(kind)),
        core_format_of(kind), dv_kind_width(kind), (PyObject *)self->batch);
    PyObject *const result =
        buffer ? PyObject_CallFunctionObjArgs(state->frombuffer, buffer, state->dtype[kind], NULL)
               : NULL;
    Py_XDECREF(buffer);
    return result;
}

static PyObject *array_to_numpy(core_array *self, PyObject *args, PyObject *kwargs)
{
    return core_call_method(core_state_of(self)->to_numpy, (PyObject *)self, args, kwargs);
}

/* A position in a buffer, which is NULL if it has no bytes. */
static const void *at(const dv_buffer *buffer, int64_t nbytes)
{
    return buffer->data ? (const char *)buffer->data + nbytes : NULL;
}

/* Vectors of a known size into a writable buffer of rows * slots items, 0 where a row has none. */
static PyObject *array_densify(core_array *self, PyObject *args)
{
    Py_buffer out;
    if (!PyArg_ParseTuple(args, "w*", &out))
        return NULL;
    const dv_column_view *const column = self->column;
    const dv_vector_layout *const vector = &column->as.vector;
    const int32_t width = dv_kind_width(column->type.kind); /* 0: not fixed */
    const bool fits = column->layout == DV_LAYOUT_VECTOR && column->type.size > 0 && width > 0 &&
                      vector->items->layout == DV_LAYOUT_FIXED &&
                      out.len / width / column->type.size >= column->rows;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    if (fits) {
        const dv_sparse rows = {
            .n = (size_t)column->rows,
            .length = column->type.size,
            .counts = vector->counts.data,
            .indices = at(&vector->indices, vector->index_base * 4),
            .items = at(&vector->items->as.fixed.values, vector->item_base * width),
        };
        const size_t slots = (size_t)column->type.size;
        CORE_WITHOUT_GIL(status = dv_sparse_densify(out.buf, column->type.kind, slots, slots, &rows,
                                                    column->type.kind, &err));
    }
    PyBuffer_Release(&out);
    if (!fits)
        return PyErr_Format(PyExc_ValueError,
                            "not a vector of numbers, or the buffer is too small");
    return status == DV_OK ? Py_NewRef(Py_None) : core_raise(core_state_of(self), &err);
}

/* The starts of the rows of a vector column: two memoryviews of int64[rows + 1]. */
static PyObject *array_offsets(core_array *self, PyObject *unused)
{
    (void)unused;
    core_state *const state = core_state_of(self);
    const int64_t *indices, *items;
    dv_error err = DV_ERROR_INIT;
    if (dv_vector_offsets(self->batch->batch, self->k, &indices, &items, &err) != DV_OK)
        return core_raise(state, &err);
    const size_t nbytes = ((size_t)self->column->rows + 1) * sizeof *indices;
    PyObject *const holder = (PyObject *)self->batch;
    return Py_BuildValue("(NN)", core_buffer_new(state, indices, nbytes, "q", 8, holder),
                         core_buffer_new(state, items, nbytes, "q", 8, holder));
}

static PyObject *array_reduce(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    PyErr_SetString(PyExc_TypeError, "an Array cannot be pickled: pickle its Table, or "
                                     "array.to_numpy()");
    return NULL;
}

static PyObject *get_batch(core_array *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->batch);
}

static PyObject *get_name(core_array *self, void *closure)
{
    (void)closure;
    const dv_schema *const schema = dv_view_schema(self->batch->shape->view->view);
    return core_str(dv_schema_column(schema, self->schema_column)->name);
}

/* --- The type --------------------------------------------------------------------------------- */

static PyGetSetDef properties[] = {
    {"name", (getter)get_name, NULL, "The name of the column.", NULL},
    {"type", (getter)get_type, NULL, "The type, in the notation.", NULL},
    {"layout", (getter)get_layout, NULL, "fixed, zoned, text, bytes or vector.", NULL},
    {"is_borrowed", (getter)get_is_borrowed, NULL,
     "Whether the values are the mapped file itself, not a copy.", NULL},
    {"raw", (getter)get_raw, NULL,
     "The bytes as they lie, as read-only memoryviews by name: values; ticks and minutes; utf8 "
     "and\n"
     "ends; lengths, counts, indices and items.  NA is not looked at.",
     NULL},
    {"bases", (getter)get_bases, NULL, "What indices, items and ends in `raw` count from.", NULL},
    {"key_values", (getter)get_key_values, NULL, "The values of keys; None: there are none.", NULL},
    {"batch", (getter)get_batch, NULL, "The batch that the array is a column of.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"to_pylist", (PyCFunction)array_to_pylist, METH_NOARGS,
     "to_pylist($self)\n--\n\nThe values as Python objects: None for NA, lists for vectors."},
    {"exact", (PyCFunction)array_exact, METH_NOARGS,
     "exact($self)\n--\n\nThe values as lossless JSON, one text a row."},
    {"na_first", (PyCFunction)array_na_first, METH_NOARGS,
     "na_first($self)\n--\n\nThe first row whose value is NA; None: there is none."},
    {"na_count", (PyCFunction)array_na_count, METH_NOARGS,
     "na_count($self)\n--\n\nHow many values are NA."},
    {"na_mask", (PyCFunction)array_na_mask, METH_VARARGS, NULL},
    {"__array__", (PyCFunction)(void (*)(void))array_array, METH_VARARGS | METH_KEYWORDS,
     "__array__($self, dtype=None, copy=None)\n--\n\nThe values as a NumPy array: read-only and in "
     "place "
     "where nothing has to change."},
    {"to_numpy", (PyCFunction)(void (*)(void))array_to_numpy, METH_VARARGS | METH_KEYWORDS,
     "to_numpy($self, dtype=None, na='raise', copy=None, values=False, dense=False)\n--\n\n"
     "The values as a NumPy array; `na` says what NA becomes: 'raise', 'keep', 'mask', 'nan', or "
     "a\n"
     "value.  docs/python.md has the types."},
    {"densify", (PyCFunction)array_densify, METH_VARARGS, NULL},
    {"offsets", (PyCFunction)array_offsets, METH_NOARGS, NULL},
    {"memoryviews", (PyCFunction)core_array_memoryviews, METH_NOARGS,
     "memoryviews($self, /)\n--\n\nThe values of a column of BY as memoryviews of the batch's "
     "bytes, which "
     "keep only those alive: in\nplace, if they are in the file."},
    {"unpack", (PyCFunction)core_array_unpack, METH_VARARGS, NULL},
    {"__arrow_c_array__", (PyCFunction)core_array_arrow, METH_VARARGS,
     "__arrow_c_array__($self, requested_schema=None, /)\n--\n\nThe values as an Arrow array."},
    {"__arrow_c_schema__", (PyCFunction)core_array_arrow_schema, METH_VARARGS, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))core_array_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "The values as a tensor: a copy, unless copy=False, which may be the mapped file itself: do\n"
     "not write to it."},
    {"__dlpack_device__", core_array_dlpack_device, METH_NOARGS, NULL},
    {"__reduce__", array_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A column of a Batch.  array[i], iteration and to_pylist() give Python objects;\n"
                "numpy.asarray(array) lends the values in place.\n\n"
                ">>> import libdataview as dv\n"
                ">>> batch = next(iter(dv.open(\"examples/sample.idv\").batches([\"Age\"])))\n"
                ">>> batch[\"Age\"][1], len(batch[\"Age\"])\n(1.0, 128)\n"},
    {Py_tp_dealloc, (void *)array_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_iter, (void *)array_iter},
    {Py_tp_repr, (void *)array_repr},
    {Py_sq_length, (void *)array_length},
    {Py_sq_item, (void *)array_item},
    {0, NULL},
};

PyType_Spec core_array_spec = {
    "libdataview.Array",
    sizeof(core_array),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
