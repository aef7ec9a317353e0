/* SPDX-License-Identifier: MIT */
/* core_error.c: how does a failure of the library become an exception, and how does a long call
 * hear of Ctrl-C? */
#include "core.h"

#include <time.h>

PyObject *core_raise(core_state *state, const dv_error *err)
{
    if (PyErr_Occurred()) /* raised by the progress callback that stopped the call */
        return NULL;
    if (core_source_raise(err))
        return NULL;
    if (!state->error)
        return PyErr_Format(PyExc_RuntimeError, "%s", err->message);
    PyObject *const exception = PyObject_CallFunction(
        state->error, "issLsssi", (int)err->status, err->message, err->file, (long long)err->offset,
        err->rule, err->expected, err->found, (int)err->os_code);
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    return NULL;
}

PyObject *core_raise_na(const core_view *view, const int32_t *columns, const dv_batch *batch,
                        int32_t k, int64_t row)
{
    const dv_schema *const schema = dv_view_schema(view->view);
    PyObject *const name = core_str(dv_schema_column(schema, columns[k])->name);
    PyObject *const type = core_type_text(&dv_batch_column(batch, k)->type);
    PyObject *const exception =
        name && type ? PyObject_CallFunction(core_state_of(view)->na_error, "OLO", name,
                                             (long long)(batch->first_row + row), type)
                     : NULL;
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    Py_XDECREF(type);
    Py_XDECREF(name);
    return NULL;
}

/* --- Progress --------------------------------------------------------------------------------- */

enum { INTERVAL_NS = 50 * 1000 * 1000 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Called by the library, without the GIL, perhaps from a thread of its own.  Only the main thread
 * sees signals; an exception stays in the thread that called the library. */
static bool report(void *ctx, int64_t done, int64_t total)
{
    core_progress *const progress = ctx;
    progress->done = done;
    const int64_t now = now_ns();
    const bool is_last = done == total && progress->report;
    if (now - progress->last_ns < INTERVAL_NS && !is_last)
        return true;
    progress->last_ns = now;

    const PyGILState_STATE gil = PyGILState_Ensure();
    bool goes_on = PyErr_CheckSignals() == 0;
    if (goes_on && progress->report) {
        PyObject *const answer =
            PyObject_CallFunction(progress->report, "LL", (long long)done, (long long)total);
        goes_on = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    PyGILState_Release(gil);
    return goes_on;
}

void core_progress_start(core_progress *progress, PyObject *callable)
{
    progress->report = callable == Py_None ? NULL : callable;
    progress->last_ns = now_ns();
    progress->done = 0;
    progress->progress.report = report;
    progress->progress.ctx = progress;
}
