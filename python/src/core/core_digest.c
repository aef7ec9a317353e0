/* SPDX-License-Identifier: MIT */
/* core_digest.c: do two views have the same values?  Digests of their columns tell. */
#include "core.h"

/* The cursor's rows into a digester for each column. */
static dv_status digest_rows(int64_t *rows_out, dv_digester **digesters, int32_t n, dv_view *view,
                             const dv_cursor_options *options, dv_error *err)
{
    dv_cursor *cursor = NULL;
    dv_status status = DV_OK;
    for (int32_t k = 0; k < n && status == DV_OK; k++)
        status = dv_digester_create(&digesters[k], NULL, err);
    if (status == DV_OK)
        status = dv_cursor_open(&cursor, view, options, err);
    while (status == DV_OK) {
        const dv_batch *batch;
        status = dv_cursor_next(cursor, &batch, err);
        for (int32_t k = 0; k < n && status == DV_OK; k++)
            dv_digester_add_column(digesters[k], dv_batch_column(batch, k));
        *rows_out += status == DV_OK ? batch->rows : 0;
    }
    dv_cursor_close(&cursor);
    return status;
}

/* (rows, [digest of each column]) */
static PyObject *digests_of(dv_digester *const *digesters, int32_t n, int64_t rows)
{
    PyObject *const list = PyList_New(n);
    for (int32_t k = 0; list && k < n; k++) {
        PyObject *const digest = core_u128(dv_digester_result(digesters[k]));
        if (!digest || PyList_SetItem(list, k, digest) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list ? Py_BuildValue("(LN)", (long long)rows, list) : NULL;
}

/* digest(columns, threads, progress) -> (rows, [whole number of 128 bits, ...]) */
PyObject *core_view_digest(core_view *self, PyObject *args)
{
    PyObject *list, *callable;
    int threads;
    int32_t *columns, n;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "O!iO", &PyList_Type, &list, &threads, &callable) ||
        !core_int32_list(&columns, &n, list))
        return NULL;
    dv_digester **const digesters = PyMem_Calloc((size_t)(n ? n : 1), sizeof *digesters);
    if (!digesters) {
        PyMem_Free(columns);
        return PyErr_NoMemory();
    }
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = n;
    options.threads = threads;
    options.progress = progress.progress;
    int64_t rows = 0;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = digest_rows(&rows, digesters, n, view, &options, &err));
    PyObject *const result =
        status == DV_END ? digests_of(digesters, n, rows) : core_raise(core_state_of(self), &err);
    for (int32_t k = 0; k < n; k++)
        dv_digester_free(&digesters[k]);
    PyMem_Free((void *)digesters);
    PyMem_Free(columns);
    return result;
}
