/* SPDX-License-Identifier: MIT */
/* core_view.c: what is a View, and how is one opened? */
#include "core.h"

#include <string.h>

#include <stddef.h>

PyObject *core_view_new(core_state *state, dv_view *view)
{
    core_view *const self = core_new(state, CORE_TYPE_view);
    if (self)
        self->view = view;
    else
        dv_view_release(&view);
    return (PyObject *)self;
}

PyObject *core_made(core_state *state, dv_status status, dv_view *view, const dv_error *err)
{
    return status == DV_OK ? core_view_new(state, view) : core_raise(state, err);
}

dv_view *core_view_of(const core_view *self)
{
    if (!core_is_ours(self)) {
        PyErr_SetString(PyExc_RuntimeError, "this view was opened before the process was forked");
        return NULL;
    }
    return self->view;
}

static void view_dealloc(core_view *self)
{
    Py_CLEAR(self->key_values);
    if (self->view && core_is_ours(self))
        CORE_WITHOUT_GIL(dv_view_release(&self->view));
    core_free(self, CORE_TYPE_view);
}

/* --- Properties ------------------------------------------------------------------------------- */

static PyObject *get_rows(core_view *self, void *closure)
{
    (void)closure;
    const int64_t rows = dv_view_rows(self->view);
    if (rows == DV_ROWS_UNKNOWN)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(rows);
}

static PyObject *get_block_rows(core_view *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(dv_view_block_rows(self->view));
}

static PyObject *get_can_shuffle(core_view *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(dv_view_can_shuffle(self->view));
}

static PyObject *get_kind(core_view *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(dv_view_kind(self->view));
}

static PyObject *get_proposal(core_view *self, void *closure)
{
    (void)closure;
    const char *const proposal = dv_view_proposal(self->view);
    if (!proposal)
        Py_RETURN_NONE;
    return PyUnicode_FromString(proposal);
}

/* The kinds and types of the metadata of a column: ((kind, type), ...). */
static PyObject *metadata_kinds(const dv_schema *schema, int32_t column, int32_t n)
{
    PyObject *const kinds = PyTuple_New(n);
    for (int32_t i = 0; kinds && i < n; i++) {
        const dv_metadata_info *const info = dv_schema_metadata(schema, column, i);
        PyObject *const kind = core_str(info->kind), *const type = core_type_text(&info->type);
        PyObject *const pair = kind && type ? PyTuple_Pack(2, kind, type) : NULL;
        Py_XDECREF(kind);
        Py_XDECREF(type);
        if (!pair || PyTuple_SetItem(kinds, i, pair) < 0) {
            Py_DECREF(kinds);
            return NULL;
        }
    }
    return kinds;
}

/* The columns of a schema. Of thousands most have the type of the one before, and no metadata. */
typedef struct columns {
    PyObject *names, *types; /* tuples */
    PyObject *hidden;        /* the numbers of those that are */
    PyObject *kinds;         /* dict: number -> ((kind, type), ...), of those that have some */
} columns;

static bool set_item(PyObject *tuple, int32_t i, PyObject *item)
{
    return item && PyTuple_SetItem(tuple, i, item) == 0;
}

static PyObject *type_text(const columns *to, const dv_schema *schema, int32_t i)
{
    const dv_type *const type = &dv_schema_column(schema, i)->type;
    if (i > 0 && dv_type_equal(type, &dv_schema_column(schema, i - 1)->type))
        return Py_NewRef(PyTuple_GetItem(to->types, i - 1));
    return core_type_text(type);
}

/* What few columns have. */
static bool add_rest(const columns *to, const dv_schema *schema, int32_t i)
{
    const dv_column_info *const info = dv_schema_column(schema, i);
    PyObject *const number = PyLong_FromLong(i);
    PyObject *const kinds = number ? metadata_kinds(schema, i, info->metadata_count) : NULL;
    const bool is_added = kinds && (!info->is_hidden || PySet_Add(to->hidden, number) == 0) &&
                          PyDict_SetItem(to->kinds, number, kinds) == 0;
    Py_XDECREF(number);
    Py_XDECREF(kinds);
    return is_added;
}

static bool add_column(const columns *to, const dv_schema *schema, int32_t i)
{
    const dv_column_info *const info = dv_schema_column(schema, i);
    return set_item(to->names, i, core_str(info->name)) &&
           set_item(to->types, i, type_text(to, schema, i)) &&
           ((!info->is_hidden && info->metadata_count == 0) || add_rest(to, schema, i));
}

static PyObject *get_schema(core_view *self, void *closure)
{
    (void)closure;
    const dv_schema *const schema = dv_view_schema(self->view);
    const int32_t n = dv_schema_columns(schema);
    const columns made = {PyTuple_New(n), PyTuple_New(n), PySet_New(NULL), PyDict_New()};
    bool fits = made.names && made.types && made.hidden && made.kinds;
    for (int32_t i = 0; fits && i < n; i++)
        fits = add_column(&made, schema, i);
    if (fits)
        return Py_BuildValue("(NNNN)", made.names, made.types, made.hidden, made.kinds);
    Py_XDECREF(made.names);
    Py_XDECREF(made.types);
    Py_XDECREF(made.hidden);
    Py_XDECREF(made.kinds);
    return NULL;
}

static PyGetSetDef properties[] = {
    {"rows", (getter)get_rows, NULL, "The number of rows; None: not known.", NULL},
    {"block_rows", (getter)get_block_rows, NULL, "dv_view_block_rows.", NULL},
    {"can_shuffle", (getter)get_can_shuffle, NULL, "dv_view_can_shuffle.", NULL},
    {"kind", (getter)get_kind, NULL, "dv_view_kind.", NULL},
    {"proposal", (getter)get_proposal, NULL, "dv_view_proposal.", NULL},
    {"schema", (getter)get_schema, NULL,
     "(names, types, numbers of hidden ones, {number: metadata}).", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- Opening ---------------------------------------------------------------------------------- */

#define OPEN_OPTION(name, kind, choices)                                                           \
    {                                                                                              \
#name, kind, offsetof(dv_open_options, name), choices                                      \
    }
static const core_option open_options[] = {
    OPEN_OPTION(format, CORE_TEXT, NULL),
    OPEN_OPTION(io, CORE_CHOICE, "auto mmap pread"),
    OPEN_OPTION(strict_text, CORE_BOOL, NULL),
    OPEN_OPTION(columns, CORE_I8, NULL),
    OPEN_OPTION(metadata_nbytes, CORE_I8, NULL),
    OPEN_OPTION(metadata_toc_nbytes, CORE_I8, NULL),
    OPEN_OPTION(block_nbytes, CORE_I8, NULL),
    OPEN_OPTION(cursor_nbytes, CORE_I8, NULL),
    OPEN_OPTION(rows_without_columns, CORE_I8, NULL),
    OPEN_OPTION(lenient, CORE_BOOL, NULL),
    OPEN_OPTION(text, CORE_TEXT, NULL),
    OPEN_OPTION(datadings, CORE_TEXT, NULL),
    OPEN_OPTION(nesting, CORE_I8, NULL),
    OPEN_OPTION(message_nbytes, CORE_I8, NULL),
    OPEN_OPTION(bad_fields, CORE_CHOICE, "na refuse allow count"),
    OPEN_OPTION(spool, CORE_CHOICE, "never needed always"),
    OPEN_OPTION(spool_nbytes, CORE_I8, NULL),
    OPEN_OPTION(window_nbytes, CORE_I8, NULL),
    OPEN_OPTION(drop_behind, CORE_BOOL, NULL),
    OPEN_OPTION(plain_folders, CORE_BOOL, NULL),
    OPEN_OPTION(depth, CORE_I8, NULL),
    OPEN_OPTION(chain_columns, CORE_I8, NULL),
    OPEN_OPTION(row_nbytes, CORE_I8, NULL),
    OPEN_OPTION(block_cache_nbytes, CORE_I8, NULL),
    OPEN_OPTION(line_nbytes, CORE_I8, NULL),
};

bool core_open_options_set(dv_open_options *options, PyObject *dict)
{
    *options = (dv_open_options)DV_OPEN_OPTIONS_INIT;
    return core_options_set(options, open_options, sizeof open_options / sizeof *open_options,
                            dict);
}

/* Paths come as bytes, as the file system has them. */
static bool paths_of(const char ***paths_out, Py_ssize_t *n_out, PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);
    const char **const paths = PyMem_Malloc((size_t)(n > 0 ? n : 1) * sizeof *paths);
    if (!paths)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; paths && i < n; i++) {
        char *path = NULL;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &path, NULL) < 0) { /* no NUL */
            PyMem_Free((void *)paths);
            return false;
        }
        paths[i] = path;
    }
    *paths_out = paths;
    *n_out = n;
    return paths;
}

PyObject *core_open(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *list, *dict;
    const char **paths;
    Py_ssize_t n;
    dv_open_options options;
    if (!PyArg_ParseTuple(args, "OO", &list, &dict) || !core_open_options_set(&options, dict) ||
        !paths_of(&paths, &n, list))
        return NULL;

    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_open_many(&view, paths, (int32_t)n, &options, &err));
    PyMem_Free((void *)paths);
    return core_made(state, status, view, &err);
}

PyObject *core_open_list(PyObject *module, PyObject *args)
{
    PyObject *folder, *dict;
    dv_open_options options;
    dv_buffer found;
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &folder, &dict))
        return NULL;
    if (!core_open_options_set(&options, dict)) {
        Py_DECREF(folder);
        return NULL;
    }
    const char *const path = PyBytes_AsString(folder);
    CORE_WITHOUT_GIL(status = dv_open_list(&found, path, &options, &err));
    Py_DECREF(folder);
    if (status < 0)
        return core_raise(PyModule_GetState(module), &err);
    PyObject *list = PyList_New(0);
    const char *at = found.data;
    for (const char *end = at + found.nbytes; list && at < end; at += strlen(at) + 1) {
        PyObject *const item = PyBytes_FromString(at);
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    dv_buffer_release(&found);
    return list;
}

/* A Py_buffer whose bytes a view reads: released with the view, in any thread. */
static void release_bytes(void *ctx)
{
    if (atomic_load(&core_is_exiting)) /* the interpreter may be gone */
        return;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyBuffer_Release(ctx);
    PyMem_Free(ctx);
    PyGILState_Release(gil);
}

PyObject *core_open_memory(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *source, *dict;
    const char *name;
    dv_open_options options;
    if (!PyArg_ParseTuple(args, "OsO", &source, &name, &dict) ||
        !core_open_options_set(&options, dict))
        return NULL;
    Py_buffer *const bytes = PyMem_Malloc(sizeof *bytes);
    if (!bytes)
        return PyErr_NoMemory();
    if (PyObject_GetBuffer(source, bytes, PyBUF_SIMPLE) < 0) {
        PyMem_Free(bytes);
        return NULL;
    }

    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_open_memory(&view, bytes->buf, (size_t)bytes->len, release_bytes,
                                             bytes, name, &options, &err));
    return core_made(state, status, view, &err);
}

/* --- The type --------------------------------------------------------------------------------- */

#define CORE_VIEW_METHOD(name)                                                                     \
    {&#name[sizeof "view"], (PyCFunction)core_##name, METH_VARARGS, NULL},
#define CORE_VIEW_FAST_METHOD(name)                                                                \
    {&#name[sizeof "view"], (PyCFunction)(void (*)(void))core_##name, METH_FASTCALL, NULL},
static PyMethodDef methods[] = {CORE_VIEW_METHOD_LIST(CORE_VIEW_METHOD) CORE_VIEW_FAST_METHOD_LIST(
    CORE_VIEW_FAST_METHOD){NULL, NULL, 0, NULL}};
#undef CORE_VIEW_METHOD
#undef CORE_VIEW_FAST_METHOD

static PyType_Slot slots[] = {
    {Py_tp_doc, "A view of the library: dv_view."},
    {Py_tp_dealloc, (void *)view_dealloc},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec core_view_spec = {
    "libdataview._core.View",
    sizeof(core_view),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
