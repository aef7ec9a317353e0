/* SPDX-License-Identifier: MIT */
/* core_source.c: files that Python reads: objects of _remote.Source become sources of the library.
 *
 * Threads of the library call read_at, and take the GIL for it; a thread that waits for one gives
 * the GIL away, whatever called it. */
#include "core.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

/* The object of a source, and its texts, which the library borrows while it opens it. */
typedef struct object {
    PyObject *source, *name, *version;
} object;

static atomic_int running; /* calls of read_at */

/* The exception that a source raised last and that no call has raised yet; guarded by the GIL. */
static struct {
    PyObject *exception; /* NULL: none */
    const object *raised_by;
    unsigned long by_signal; /* the thread whose call a signal ends; 0: no signal raised it */
} kept;

/* Python code that the library calls in the main thread, inside a call: an exception that is raised
 * there would end that code, not the call. */
static _Thread_local int called_back;
static bool is_due; /* raise_later has come at such a time */

enum { KEPT = -1 }; /* dv_error.os_code: the call raises the exception that is kept */

static dv_status fail_kept(dv_error *err, dv_status status)
{
    dv_source_fail(err, status, "stopped by an exception");
    if (err)
        err->os_code = KEPT;
    return status;
}

/* Keep the exception that is set for the call that waits for the source. */
static dv_status keep(const object *o, dv_error *err, dv_status status)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    PyObject *const before = kept.exception;
    kept.exception = value;
    kept.raised_by = o;
    kept.by_signal = 0;
    Py_XDECREF(before);
    return fail_kept(err, status);
}

bool core_source_raise(const dv_error *err)
{
    PyObject *const exception = kept.exception;
    if ((err->os_code != KEPT && err->status != DV_ERR_STOPPED) || !exception)
        return false;
    kept.exception = NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
    return true;
}

/* A call that ended before it saw the stop must not lose the exception. */
static int raise_later(void *ignored)
{
    const dv_error stopped = {.status = DV_ERR_STOPPED};
    (void)ignored;
    is_due = called_back > 0;
    return !is_due && kept.by_signal && core_source_raise(&stopped) ? -1 : 0;
}

static void leave_callback(void)
{
    if (--called_back == 0 && is_due) {
        is_due = false;
        Py_AddPendingCall(raise_later, NULL);
    }
}

bool core_source_is_stopped(void)
{
    if (atomic_load(&core_is_exiting))
        return false;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const unsigned long thread = PyThread_get_thread_ident();
    if (PyErr_CheckSignals() != 0) {
        keep(NULL, NULL, DV_ERR_STOPPED);
        kept.by_signal = thread;
        Py_AddPendingCall(raise_later, NULL);
    }
    const bool is_stopped = kept.exception && kept.by_signal == thread;
    PyGILState_Release(gil);
    return is_stopped;
}

/* A failure with the exception that is set, which is cleared: "TypeError: text".  An interrupt is
 * kept as it is. */
static dv_status fail(const object *o, dv_error *err, dv_status status)
{
    PyObject *type, *value, *trace;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return keep(o, err, DV_ERR_STOPPED);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *const text = value ? PyObject_Str(value) : NULL;
    PyObject *const name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *const both = text && name ? PyUnicode_FromFormat("%U: %U", name, text) : NULL;
    const char *const sentence = both ? PyUnicode_AsUTF8AndSize(both, NULL) : NULL;
    dv_source_fail(err, DV_ERR_IO, sentence ? sentence : "an exception");
    PyErr_Clear();
    Py_XDECREF(both);
    Py_XDECREF(name);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return status;
}

/* The bytes of an answer; a str says why there are none, for good. */
static dv_status take(const object *o, PyObject *answer, void *dst, size_t nbytes, dv_error *err)
{
    Py_buffer bytes;
    if (PyUnicode_Check(answer)) {
        const char *const sentence = PyUnicode_AsUTF8AndSize(answer, NULL);
        dv_source_fail(err, DV_ERR_IO, sentence ? sentence : "it is gone");
        PyErr_Clear();
        return DV_NOT_FOUND;
    }
    if (PyObject_GetBuffer(answer, &bytes, PyBUF_SIMPLE) < 0)
        return fail(o, err, DV_NOT_FOUND);
    dv_status status = DV_OK;
    if ((size_t)bytes.len == nbytes) {
        CORE_WITHOUT_GIL(memcpy(dst, bytes.buf, nbytes));
    } else {
        char sentence[64];
        PyOS_snprintf(sentence, sizeof sentence, "%zu bytes were asked for, %zd came", nbytes,
                      bytes.len);
        status = dv_source_fail(err, DV_ERR_IO, sentence);
    }
    PyBuffer_Release(&bytes);
    return status;
}

/* A garbage collection in a thread that reads ahead could release the view that owns the thread,
 * which would wait for itself. So none begins while a source reads. The GIL guards both variables.
 */
static int reading;
static bool has_collector;

static void pause_collector(void)
{
    if (reading++ == 0)
        has_collector = PyGC_Disable() == 1;
}

static void resume_collector(void)
{
    if (--reading == 0 && has_collector)
        PyGC_Enable();
}

static dv_status read_with_gil(const object *o, int64_t offset, void *dst, size_t nbytes,
                               dv_error *err)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    dv_status status;
    if (kept.exception &&
        kept.raised_by == o) { /* bytes that nothing waited for: it is raised now */
        status = fail_kept(err, DV_ERR_STOPPED);
    } else {
        pause_collector();
        called_back++;
        PyObject *const answer =
            PyObject_CallMethod(o->source, "read_at", "Ln", (long long)offset, (Py_ssize_t)nbytes);
        status = answer ? take(o, answer, dst, nbytes, err) : fail(o, err, DV_ERR_IO);
        Py_XDECREF(answer);
        leave_callback();
        resume_collector();
    }
    PyGILState_Release(gil);
    return status;
}

static dv_status read_at(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err)
{
    dv_status status = DV_NOT_FOUND;
    atomic_fetch_add(&running, 1);
    if (atomic_load(&core_is_exiting))
        dv_source_fail(err, DV_ERR_IO, "the interpreter ends");
    else
        status = read_with_gil(ctx, offset, dst, nbytes, err);
    atomic_fetch_sub(&running, 1);
    return status;
}

static dv_status length(void *ctx, int64_t *nbytes_out, dv_error *err)
{
    const object *const o = ctx;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *const answer = PyObject_GetAttrString(o->source, "nbytes");
    *nbytes_out = answer ? PyLong_AsLongLong(answer) : -1;
    const dv_status status = PyErr_Occurred() ? keep(o, err, DV_ERR_IO) : DV_OK;
    Py_XDECREF(answer);
    PyGILState_Release(gil);
    return status;
}

/* Signals are handled in the main thread alone; their exception stays in it. */
static bool wait(void *ctx, bool can_stop, bool (*step)(void *arg), void *arg)
{
    if (atomic_load(&core_is_exiting)) { /* nothing runs: core_source_drain */
        while (!step(arg))
            ;
        return true;
    }
    const PyGILState_STATE gil = PyGILState_Ensure();
    bool is_over = false, goes_on = true;
    while (!is_over && goes_on) {
        CORE_WITHOUT_GIL(is_over = step(arg));
        goes_on = is_over || !can_stop || PyErr_CheckSignals() == 0;
    }
    if (!goes_on) /* the caller may be another library, which must not find an exception set */
        keep(ctx, NULL, DV_ERR_STOPPED);
    PyGILState_Release(gil);
    return is_over;
}

static void cancel(void *ctx)
{
    const object *const o = ctx;
    PyObject *type, *value, *trace;
    if (atomic_load(&core_is_exiting))
        return;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &trace); /* a view may be released while an exception travels */
    called_back++;
    PyObject *const answer = PyObject_CallMethod(o->source, "cancel", NULL);
    Py_XDECREF(answer);
    leave_callback();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
}

static void release(void *ctx)
{
    object *const o = ctx;
    if (atomic_load(&core_is_exiting)) /* the interpreter may be gone */
        return;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (kept.raised_by == o) /* a call that fails to open a source releases it, then raises */
        kept.raised_by = NULL;
    called_back++;
    Py_XDECREF(o->source);
    Py_XDECREF(o->name);
    Py_XDECREF(o->version);
    PyMem_Free(o);
    leave_callback();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
}

static dv_status beside(void *ctx, const char *suffix, dv_source *source_out, dv_error *err);

/* A str, or NULL for None; *text_out keeps it. */
static bool text_of(const char **utf8_out, PyObject **text_out, PyObject *source, const char *name)
{
    *utf8_out = NULL;
    *text_out = PyObject_GetAttrString(source, name);
    return *text_out && (*text_out == Py_None || core_c_string(utf8_out, *text_out, name));
}

/* A source of the object; false with an exception. */
static bool source_of(dv_source *source_out, PyObject *source)
{
    object *const o = PyMem_Calloc(1, sizeof *o);
    if (!o) {
        PyErr_NoMemory();
        return false;
    }
    *source_out = (dv_source)DV_SOURCE_INIT;
    o->source = Py_NewRef(source);
    source_out->ctx = o;
    source_out->length = length;
    source_out->read_at = read_at;
    source_out->beside = beside;
    source_out->wait = wait;
    source_out->cancel = cancel;
    source_out->release = release;
    if (text_of(&source_out->name, &o->name, source, "name") &&
        text_of(&source_out->version, &o->version, source, "version"))
        return true;
    release(o);
    return false;
}

static dv_status beside(void *ctx, const char *suffix, dv_source *source_out, dv_error *err)
{
    const object *const o = ctx;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *const answer = PyObject_CallMethod(o->source, "beside", "s", suffix);
    dv_status status = DV_NOT_FOUND;
    if (!answer || (answer != Py_None && !source_of(source_out, answer)))
        status = keep(o, err, DV_ERR_IO);
    else if (answer != Py_None)
        status = DV_OK;
    Py_XDECREF(answer);
    PyGILState_Release(gil);
    return status;
}

/* --- Opening ---------------------------------------------------------------------------------- */

#define SOURCE_OPTION(name, kind)                                                                  \
    {                                                                                              \
#name, kind, offsetof(dv_source_options, name), NULL                                       \
    }
static const core_option source_options[] = {
    SOURCE_OPTION(requests, CORE_I4),       SOURCE_OPTION(attempts, CORE_I4),
    SOURCE_OPTION(piece_nbytes, CORE_I8),   SOURCE_OPTION(least_nbytes, CORE_I8),
    SOURCE_OPTION(request_nbytes, CORE_I8), SOURCE_OPTION(cache_nbytes, CORE_I8),
    SOURCE_OPTION(disk_folder, CORE_TEXT),  SOURCE_OPTION(disk_nbytes, CORE_I8),
};

/* The sources of a list of objects; NULL with an exception. */
static dv_source *sources_of(PyObject *list, Py_ssize_t n)
{
    dv_source *const sources = PyMem_Calloc((size_t)(n > 0 ? n : 1), sizeof *sources);
    if (!sources)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; sources && i < n; i++) {
        if (source_of(&sources[i], PyList_GetItem(list, i)))
            continue;
        for (Py_ssize_t k = 0; k < i; k++)
            release(sources[k].ctx);
        PyMem_Free(sources);
        return NULL;
    }
    return sources;
}

PyObject *core_open_source(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *list, *source_dict, *dict;
    dv_source_options how = DV_SOURCE_OPTIONS_INIT;
    dv_open_options options;
    if (!PyArg_ParseTuple(args, "O!OO", &PyList_Type, &list, &source_dict, &dict) ||
        !core_options_set(&how, source_options, sizeof source_options / sizeof *source_options,
                          source_dict) ||
        !core_open_options_set(&options, dict))
        return NULL;
    const Py_ssize_t n = PyList_Size(list);
    dv_source *const sources = sources_of(list, n);
    if (!sources)
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_open_source(&view, sources, (int32_t)n, &how, &options, &err));
    PyMem_Free(sources);
    return core_made(state, status, view, &err);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* The interpreter ends: threads that run Python must be out of it before. */
void core_source_drain(void)
{
    const struct timespec pause = {0, 1000000};
    PyThreadState *const saved = PyEval_SaveThread();
    while (atomic_load(&running) > 0)
        nanosleep(&pause, NULL);
    PyEval_RestoreThread(saved);
}

/* In a forked child they do not exist. */
void core_source_forked(void)
{
    atomic_store(&running, 0);
    if (reading > 0 && has_collector)
        PyGC_Enable();
    reading = 0;
}
