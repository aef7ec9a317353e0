/* SPDX-License-Identifier: MIT */
/* core_arrow.c: how do Arrow's structs go through Python?  In capsules, as its PyCapsule interface
 * says. */
#include "core.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void free_schema(PyObject *capsule)
{
    struct ArrowSchema *const schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema->release)
        schema->release(schema);
    free(schema);
}

static void free_array(PyObject *capsule)
{
    struct ArrowArray *const array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array->release)
        array->release(array);
    free(array);
}

static void free_stream(PyObject *capsule)
{
    struct ArrowArrayStream *const stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release)
        stream->release(stream);
    free(stream);
}

/* A capsule around a new, empty struct; NULL with an exception. */
static PyObject *capsule_of(void **struct_out, size_t nbytes, const char *name,
                            PyCapsule_Destructor destroy)
{
    *struct_out = calloc(1, nbytes);
    PyObject *const capsule =
        *struct_out ? PyCapsule_New(*struct_out, name, destroy) : PyErr_NoMemory();
    if (!capsule)
        free(*struct_out);
    return capsule;
}

/* --- Streams of which Python gets the errors ---------------------------------------------------
 */

/* The library that reads the stream knows only an errno and a message. */
typedef struct watched {
    struct ArrowArrayStream inner;
    core_state *state;
    PyObject *failures; /* a list: the exception of each call that failed */
    core_progress progress;
    dv_error err;
} watched;

/* Keep the exception of a call that failed.  No exception stays set: the caller is another library.
 */
static int watched_result(watched *w, int code)
{
    PyObject *type, *value, *trace;
    if (code == 0)
        return 0;
    const PyGILState_STATE gil = PyGILState_Ensure();
    core_raise(w->state, &w->err);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && PyList_Append(w->failures, value) < 0)
        PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyGILState_Release(gil);
    return code;
}

static int watched_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema_out)
{
    watched *const w = stream->private_data;
    return watched_result(w, w->inner.get_schema(&w->inner, schema_out));
}

static int watched_next(struct ArrowArrayStream *stream, struct ArrowArray *array_out)
{
    watched *const w = stream->private_data;
    return watched_result(w, w->inner.get_next(&w->inner, array_out));
}

static const char *watched_error(struct ArrowArrayStream *stream)
{
    watched *const w = stream->private_data;
    return w->inner.get_last_error(&w->inner);
}

static void watched_release(struct ArrowArrayStream *stream)
{
    watched *const w = stream->private_data;
    w->inner.release(&w->inner);
    const PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(w->failures);
    PyGILState_Release(gil);
    free(w);
    stream->release = NULL;
}

static dv_status export_watched(dv_view *view, struct ArrowArrayStream *stream_out,
                                dv_arrow_options *options, dv_cursor_options *cursor,
                                core_state *state, PyObject *failures, dv_error *err)
{
    watched *const w = calloc(1, sizeof *w);
    if (!w) {
        err->status = DV_ERR_MEMORY;
        return DV_ERR_MEMORY;
    }
    dv_status status;
    w->state = state;
    core_progress_start(&w->progress, Py_None);
    cursor->progress = w->progress.progress;
    options->failed = &w->err;
    CORE_WITHOUT_GIL(status = dv_view_export_arrow(view, &w->inner, options, err));
    if (status != DV_OK) {
        free(w);
        return status;
    }
    w->failures = Py_NewRef(failures);
    *stream_out =
        (struct ArrowArrayStream){watched_schema, watched_next, watched_error, watched_release, w};
    return DV_OK;
}

/* --- Options ---------------------------------------------------------------------------------- */

#define ARROW_OPTION(name, kind, choices)                                                          \
    {                                                                                              \
#name, kind, offsetof(dv_arrow_options, name), choices                                     \
    }
static const core_option arrow_options[] = {
    ARROW_OPTION(na, CORE_CHOICE, "null keep"),
    ARROW_OPTION(keys, CORE_CHOICE, "classes meant stored"),
    ARROW_OPTION(times, CORE_CHOICE, "us exact ns ticks"),
    ARROW_OPTION(vectors, CORE_CHOICE, "by_size dense sparse"),
    ARROW_OPTION(dense_slots, CORE_I4, NULL),
    ARROW_OPTION(offsets, CORE_BOOL, NULL),
    ARROW_OPTION(nan_is_null, CORE_BOOL, NULL),
    ARROW_OPTION(made_nbytes, CORE_I8, NULL),
    ARROW_OPTION(extensions, CORE_BOOL, NULL),
    ARROW_OPTION(metadata_nbytes, CORE_I8, NULL),
};

/* Options of a view: (columns, cursor options, arrow options[, list of exceptions or None, told]).
 */
typedef struct stream_options {
    PyObject *failures; /* NULL: none */
    PyObject *told;
    int32_t *columns;
    dv_cursor_options cursor;
    dv_arrow_options arrow;
} stream_options;

static bool stream_options_of(stream_options *options, PyObject *args)
{
    PyObject *list, *cursor, *arrow;
    int32_t n;
    options->arrow = (dv_arrow_options)DV_ARROW_OPTIONS_INIT;
    options->failures = NULL;
    options->told = Py_None;
    if (!PyArg_ParseTuple(args, "OOO|OO", &list, &cursor, &arrow, &options->failures,
                          &options->told) ||
        !core_cursor_options_set(&options->cursor, cursor) ||
        !core_options_set(&options->arrow, arrow_options,
                          sizeof arrow_options / sizeof *arrow_options, arrow) ||
        !core_int32_list(&options->columns, &n, list))
        return false;
    if (options->failures == Py_None)
        options->failures = NULL;
    options->cursor.columns = options->columns;
    options->cursor.columns_count = n;
    options->arrow.cursor = &options->cursor;
    return true;
}

/* --- Streams that say what was lost ----------------------------------------------------------- */

/* A stream of the library, after whose last array Python is called. */
typedef struct told_stream {
    struct ArrowArrayStream inner;
    PyObject *told; /* told(times that were floored) */
    int64_t floored;
    bool has_ended;
    char message[200]; /* the exception of `told`, as text */
} told_stream;

static int told_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema_out)
{
    told_stream *const t = stream->private_data;
    return t->inner.get_schema(&t->inner, schema_out);
}

/* Keep the exception as the message of the stream: a warning that is an error. */
static void take_exception(told_stream *t)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *const text = value ? PyObject_Str(value) : NULL;
    const char *const utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    snprintf(t->message, sizeof t->message, "%s", utf8 ? utf8 : "an exception");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* The caller may be any thread, with the GIL or without it. */
static int tell(told_stream *t)
{
    int code = 0;
    t->has_ended = true;
    if (atomic_load(&core_is_exiting))
        return 0;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *const answer = PyObject_CallFunction(t->told, "L", (long long)t->floored);
    if (!answer) {
        take_exception(t);
        code = EINVAL;
    }
    Py_XDECREF(answer);
    PyGILState_Release(gil);
    return code;
}

static int told_next(struct ArrowArrayStream *stream, struct ArrowArray *array_out)
{
    told_stream *const t = stream->private_data;
    const int code = t->inner.get_next(&t->inner, array_out);
    return code == 0 && !array_out->release && !t->has_ended ? tell(t) : code;
}

static const char *told_error(struct ArrowArrayStream *stream)
{
    told_stream *const t = stream->private_data;
    return *t->message ? t->message : t->inner.get_last_error(&t->inner);
}

static void told_release(struct ArrowArrayStream *stream)
{
    told_stream *const t = stream->private_data;
    if (t->inner.release)
        t->inner.release(&t->inner);
    if (!atomic_load(&core_is_exiting)) {
        const PyGILState_STATE gil = PyGILState_Ensure();
        Py_DECREF(t->told);
        PyGILState_Release(gil);
    }
    free(t);
    stream->release = NULL;
}

/* A stream without an inner one yet, in a capsule; NULL with an exception. */
static PyObject *told_new(told_stream **told_out, PyObject *told)
{
    void *stream = NULL;
    told_stream *const t = calloc(1, sizeof *t);
    PyObject *const capsule =
        t ? capsule_of(&stream, sizeof(struct ArrowArrayStream), "arrow_array_stream", free_stream)
          : PyErr_NoMemory();
    if (!capsule) {
        free(t);
        return NULL;
    }
    t->told = Py_NewRef(told);
    *(struct ArrowArrayStream *)stream =
        (struct ArrowArrayStream){told_schema, told_next, told_error, told_release, t};
    *told_out = t;
    return capsule;
}

/* --- Export ----------------------------------------------------------------------------------- */

/* arrow_stream(columns, cursor options, arrow options, failures or None, told) -> capsule.  told(n)
 * is called after the last array, n of whose times were floored. */
PyObject *core_view_arrow_stream(core_view *self, PyObject *args)
{
    stream_options options;
    dv_view *const view = core_view_of(self);
    if (!view || !stream_options_of(&options, args))
        return NULL;
    told_stream *stream = NULL;
    PyObject *const capsule = told_new(&stream, options.told);
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    options.arrow.floored = capsule ? &stream->floored : NULL;
    if (capsule && options.failures)
        status = export_watched(view, &stream->inner, &options.arrow, &options.cursor,
                                core_state_of(self), options.failures, &err);
    else if (capsule)
        CORE_WITHOUT_GIL(status = dv_view_export_arrow(view, &stream->inner, &options.arrow, &err));
    PyMem_Free(options.columns);
    if (status == DV_OK)
        return capsule;
    Py_DECREF(capsule);
    return core_raise(core_state_of(self), &err);
}

PyObject *core_view_arrow_schema(core_view *self, PyObject *args)
{
    stream_options options;
    dv_view *const view = core_view_of(self);
    if (!view || !stream_options_of(&options, args))
        return NULL;
    void *schema;
    PyObject *const capsule =
        capsule_of(&schema, sizeof(struct ArrowSchema), "arrow_schema", free_schema);
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    if (capsule)
        CORE_WITHOUT_GIL(status = dv_view_export_arrow_schema(view, schema, &options.arrow, &err));
    PyMem_Free(options.columns);
    if (status == DV_OK)
        return capsule;
    Py_DECREF(capsule);
    return core_raise(core_state_of(self), &err);
}

/* Column k of a batch, or all (-1), as (schema, array). */
static PyObject *export_batch(core_batch *batch, int32_t k)
{
    core_shape *const shape = batch->shape;
    dv_cursor_options columns = DV_CURSOR_OPTIONS_INIT;
    columns.columns = shape->columns;
    columns.columns_count = shape->count;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    options.cursor = &columns;

    void *schema, *array;
    PyObject *const first =
        capsule_of(&schema, sizeof(struct ArrowSchema), "arrow_schema", free_schema);
    PyObject *const second =
        first ? capsule_of(&array, sizeof(struct ArrowArray), "arrow_array", free_array) : NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    if (second)
        CORE_WITHOUT_GIL(status =
                             dv_batch_export_arrow(batch->batch, dv_view_schema(shape->view->view),
                                                   k, schema, array, &options, &err));
    if (second && status == DV_OK)
        return Py_BuildValue("(NN)", first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return status == DV_OK ? NULL : core_raise(core_state_of(batch), &err);
}

static PyObject *schema_alone(PyObject *pair)
{
    PyObject *const schema = pair ? Py_NewRef(PyTuple_GetItem(pair, 0)) : NULL;
    Py_XDECREF(pair);
    return schema;
}

PyObject *core_batch_arrow(core_batch *self, PyObject *args)
{
    (void)args; /* requested_schema is a wish */
    return export_batch(self, -1);
}

PyObject *core_batch_arrow_schema(core_batch *self, PyObject *args)
{
    (void)args;
    return schema_alone(export_batch(self, -1));
}

PyObject *core_array_arrow(core_array *self, PyObject *args)
{
    (void)args;
    return export_batch(self->batch, self->k);
}

PyObject *core_array_arrow_schema(core_array *self, PyObject *args)
{
    (void)args;
    return schema_alone(export_batch(self->batch, self->k));
}
