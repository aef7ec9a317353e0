/* SPDX-License-Identifier: MIT */
/* core_rows.c: how are views made whose rows are in another order, or kept? */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* has_rows(an array of int64) -> whether all of them are known to be there */
PyObject *core_view_has_rows(core_view *self, PyObject *args)
{
    PyObject *list;
    int64_t *rows, n;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "O", &list) || !core_int64_list(&rows, &n, list))
        return NULL;
    const int64_t known = dv_view_rows(view); /* negative: unknown */
    bool has = known >= 0;
    for (int64_t i = 0; i < n; i++)
        has &= rows[i] >= 0 && rows[i] < known;
    PyMem_Free(rows);
    return PyBool_FromLong(has);
}

/* take(an array of int64) */
PyObject *core_view_take(core_view *self, PyObject *args)
{
    PyObject *list;
    int64_t *rows, n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "O", &list) || !core_int64_list(&rows, &n, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status status = dv_view_take(&view, source, rows, n, NULL, &err);
    PyMem_Free(rows);
    return core_made(core_state_of(self), status, view, &err);
}

/* groups(rows, column, an array of int64: the share of each part, seed) -> (row numbers, counts),
 * bytes of int64: dv_order_groups */
PyObject *core_view_groups(core_view *self, PyObject *args)
{
    long long n;
    int column;
    unsigned long long seed;
    PyObject *list;
    int64_t *shares, parts;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "LiOK", &n, &column, &list, &seed) ||
        !core_int64_list(&shares, &parts, list))
        return NULL;
    const Py_ssize_t width = sizeof(int64_t);
    PyObject *const rows = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * width);
    PyObject *const counts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)parts * width);
    PyObject *result = NULL;
    if (rows && counts) {
        int64_t *const row = (int64_t *)(void *)PyBytes_AsString(rows);
        int64_t *const count = (int64_t *)(void *)PyBytes_AsString(counts);
        dv_error err = DV_ERROR_INIT;
        dv_status status;
        CORE_WITHOUT_GIL(status = dv_order_groups(row, count, n, view, column, NULL, shares,
                                                  (int32_t)parts, seed, &err));
        result =
            status == DV_OK ? PyTuple_Pack(2, rows, counts) : core_raise(core_state_of(self), &err);
    }
    Py_XDECREF(rows);
    Py_XDECREF(counts);
    PyMem_Free(shares);
    return result;
}

/* folds(rows, column or -1, folds, shuffle, seed) -> (row numbers, counts), bytes of int64:
 * dv_order_folds */
PyObject *core_view_folds(core_view *self, PyObject *args)
{
    long long n;
    int column, folds, shuffle;
    unsigned long long seed;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "LiipK", &n, &column, &folds, &shuffle, &seed))
        return NULL;
    const Py_ssize_t width = sizeof(int64_t);
    PyObject *const rows = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * width);
    PyObject *const counts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)folds * width);
    PyObject *result = NULL;
    if (rows && counts) {
        int64_t *const row = (int64_t *)(void *)PyBytes_AsString(rows);
        int64_t *const count = (int64_t *)(void *)PyBytes_AsString(counts);
        dv_error err = DV_ERROR_INIT;
        dv_status status;
        CORE_WITHOUT_GIL(status = dv_order_folds(row, count, n, column >= 0 ? view : NULL, column,
                                                 NULL, folds, shuffle, seed, &err));
        result =
            status == DV_OK ? PyTuple_Pack(2, rows, counts) : core_raise(core_state_of(self), &err);
    }
    Py_XDECREF(rows);
    Py_XDECREF(counts);
    return result;
}

/* exclude(an array of int64) */
PyObject *core_view_exclude(core_view *self, PyObject *args)
{
    PyObject *list;
    int64_t *rows, n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "O", &list) || !core_int64_list(&rows, &n, list))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_exclude(&view, source, rows, n, NULL, &err));
    PyMem_Free(rows);
    return core_made(core_state_of(self), status, view, &err);
}

#define SAMPLE_OPTION(name, kind)                                                                  \
    {                                                                                              \
#name, kind, offsetof(dv_sample_options, name), NULL                                       \
    }
static const core_option sample_options[] = {
    SAMPLE_OPTION(rows, CORE_I8),         SAMPLE_OPTION(replace, CORE_BOOL),
    SAMPLE_OPTION(in_order, CORE_BOOL),   SAMPLE_OPTION(seed, CORE_U8),
    SAMPLE_OPTION(epoch, CORE_I8),        SAMPLE_OPTION(weight_column, CORE_I4),
    SAMPLE_OPTION(class_column, CORE_I4), SAMPLE_OPTION(threads, CORE_I4),
};

/* Borrow an array of float64; None: no weights. */
static bool borrow_weights(dv_sample_options *options, Py_buffer *bytes, PyObject *source)
{
    if (source == Py_None)
        return true;
    if (PyObject_GetBuffer(source, bytes, PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS) < 0)
        return false;
    if (bytes->ndim != 1 || !bytes->format || strcmp(bytes->format, "d") != 0) {
        PyBuffer_Release(bytes);
        PyErr_SetString(PyExc_TypeError, "weights must be an array of float64");
        return false;
    }
    options->weights = bytes->buf;
    options->weights_count = bytes->shape[0];
    return true;
}

/* draw(options, an array of float64 or None, progress): dv_view_sample */
PyObject *core_view_draw(core_view *self, PyObject *args)
{
    PyObject *dict, *weights, *callable;
    Py_buffer bytes = {.obj = NULL};
    dv_sample_options options = DV_SAMPLE_OPTIONS_INIT;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "OOO", &dict, &weights, &callable) ||
        !core_options_set(&options, sample_options, sizeof sample_options / sizeof *sample_options,
                          dict) ||
        !borrow_weights(&options, &bytes, weights))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_sample(&view, source, &options, NULL, &err));
    PyBuffer_Release(&bytes);
    return core_made(core_state_of(self), status, view, &err);
}

#define BUCKET_OPTION(name, kind, choices)                                                         \
    {                                                                                              \
#name, kind, offsetof(dv_bucket_options, name), choices                                    \
    }
static const core_option bucket_options[] = {
    BUCKET_OPTION(batch_rows, CORE_I8, NULL),
    BUCKET_OPTION(pool_rows, CORE_I8, NULL),
    BUCKET_OPTION(shuffle, CORE_CHOICE, "none uniform pool blocks"),
    BUCKET_OPTION(seed, CORE_U8, NULL),
};

/* bucket(column, options, progress): dv_view_bucket */
PyObject *core_view_bucket(core_view *self, PyObject *args)
{
    PyObject *dict, *callable;
    int column;
    dv_bucket_options options = DV_BUCKET_OPTIONS_INIT;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "iOO", &column, &dict, &callable) ||
        !core_options_set(&options, bucket_options, sizeof bucket_options / sizeof *bucket_options,
                          dict))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_bucket(&view, source, column, &options, NULL, &err));
    return core_made(core_state_of(self), status, view, &err);
}

#define PACK_OPTION(name, kind, choices)                                                           \
    {                                                                                              \
#name, kind, offsetof(dv_pack_options, name), choices                                      \
    }
static const core_option pack_options[] = {
    PACK_OPTION(tokens, CORE_I8, NULL),
    PACK_OPTION(how, CORE_CHOICE, "whole stream"),
    PACK_OPTION(too_long, CORE_CHOICE, "refuse drop cut split"),
    PACK_OPTION(drop_last, CORE_BOOL, NULL),
    PACK_OPTION(window, CORE_I8, NULL),
    PACK_OPTION(shuffle, CORE_BOOL, NULL),
    PACK_OPTION(seed, CORE_U8, NULL),
};

/* pack(numbers of columns, options, progress): dv_view_pack */
PyObject *core_view_pack(core_view *self, PyObject *args)
{
    PyObject *list, *dict, *callable;
    int32_t *columns;
    dv_pack_options options = DV_PACK_OPTIONS_INIT;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "OOO", &list, &dict, &callable) ||
        !core_options_set(&options, pack_options, sizeof pack_options / sizeof *pack_options,
                          dict) ||
        !core_int32_list(&columns, &options.columns_count, list))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.progress = progress.progress;
    options.columns = columns;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_pack(&view, source, &options, NULL, &err));
    PyMem_Free(columns);
    return core_made(core_state_of(self), status, view, &err);
}

#define EPOCH_OPTION(name, kind, choices)                                                          \
    {                                                                                              \
#name, kind, offsetof(dv_epoch_options, name), choices                                     \
    }
static const core_option epoch_options[] = {
    EPOCH_OPTION(shuffle, CORE_CHOICE, "none uniform pool blocks"),
    EPOCH_OPTION(seed, CORE_U8, NULL),
    EPOCH_OPTION(epoch, CORE_I8, NULL),
    EPOCH_OPTION(block_rows, CORE_I8, NULL),
    EPOCH_OPTION(pool_blocks, CORE_R8, NULL),
    EPOCH_OPTION(pool_rows, CORE_I8, NULL),
    EPOCH_OPTION(shard, CORE_I4, NULL),
    EPOCH_OPTION(shards, CORE_I4, NULL),
    EPOCH_OPTION(shard_by, CORE_CHOICE, "default rows blocks"),
    EPOCH_OPTION(shard_size, CORE_CHOICE, "as_is drop pad"),
    EPOCH_OPTION(start, CORE_I8, NULL),
};

bool core_epoch_options_set(dv_epoch_options *options, PyObject *dict)
{
    return core_options_set(options, epoch_options, sizeof epoch_options / sizeof *epoch_options,
                            dict);
}

/* epoch(options, progress) */
PyObject *core_view_epoch(core_view *self, PyObject *args)
{
    PyObject *dict, *callable;
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "OO", &dict, &callable) ||
        !core_epoch_options_set(&options, dict))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_epoch(&view, source, &options, NULL, &err));
    return core_made(core_state_of(self), status, view, &err);
}

/* materialize(columns or None, threads, progress) */
PyObject *core_view_materialize(core_view *self, PyObject *args)
{
    PyObject *list, *callable;
    int threads;
    int32_t *columns, n;
    dv_view *const source = core_view_of(self);
    if (!source || !PyArg_ParseTuple(args, "OiO", &list, &threads, &callable) ||
        !core_int32_list(&columns, &n, list))
        return NULL;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = n;
    cursor.threads = threads;
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_materialize_options options = DV_MATERIALIZE_OPTIONS_INIT;
    options.cursor = &cursor;
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_materialize(&view, source, &options, NULL, &err));
    PyMem_Free(columns);
    return core_made(core_state_of(self), status, view, &err);
}

/* cache(path as bytes or None, threads, memory_nbytes, check, progress).  A cache in memory reads
 * in threads of its own, so that it reports nothing: the cursors that wait for it do. */
PyObject *core_view_cache(core_view *self, PyObject *args)
{
    const char *path;
    int threads, check;
    long long memory_nbytes;
    PyObject *callable;
    dv_view *const source = core_view_of(self);
    if (!source ||
        !PyArg_ParseTuple(args, "yiLpO", &path, &threads, &memory_nbytes, &check, &callable))
        return NULL;
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.threads = threads;
    options.memory_nbytes = memory_nbytes;
    options.check = check;
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_status status;
    if (*path) {
        options.progress = progress.progress;
        CORE_WITHOUT_GIL(status = dv_view_cache_disk(&view, source, path, &options, NULL, &err));
    } else {
        CORE_WITHOUT_GIL(status = dv_view_cache(&view, source, &options, NULL, &err));
    }
    return core_made(core_state_of(self), status, view, &err);
}

/* count(progress): the rows, read if they are not known. */
PyObject *core_view_count(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    PyObject *callable;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "O", &callable))
        return NULL;
    int64_t rows = dv_view_rows(view);
    if (rows != DV_ROWS_UNKNOWN)
        return PyLong_FromLongLong(rows);
    core_progress progress;
    core_progress_start(&progress, callable);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns_count = 0;
    options.progress = progress.progress;
    dv_cursor *cursor = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    PyThreadState *const saved = PyEval_SaveThread();
    status = dv_cursor_open(&cursor, view, &options, &err);
    rows = 0;
    while (status == DV_OK) {
        const dv_batch *batch;
        status = dv_cursor_next(cursor, &batch, &err);
        if (status == DV_OK)
            rows += batch->rows;
    }
    dv_cursor_close(&cursor);
    PyEval_RestoreThread(saved);
    return status == DV_END ? PyLong_FromLongLong(rows) : core_raise(state, &err);
}

/* identity() -> a whole number of 128 bits */
PyObject *core_view_identity(core_view *self, PyObject *args)
{
    (void)args;
    dv_view *const view = core_view_of(self);
    if (!view)
        return NULL;
    dv_u128 identity;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_identity(view, &identity, &err));
    return status == DV_OK ? core_u128(identity) : core_raise(core_state_of(self), &err);
}

/* --- Mixes ------------------------------------------------------------------------------------ */

#define MIX_OPTION(name, kind, choices)                                                            \
    {                                                                                              \
#name, kind, offsetof(dv_mix_options, name), choices                                       \
    }
static const core_option mix_options[] = {
    MIX_OPTION(order, CORE_CHOICE, "exact random"),
    MIX_OPTION(stop, CORE_CHOICE, "first last repeat"),
    MIX_OPTION(shuffle, CORE_BOOL, NULL),
    MIX_OPTION(seed, CORE_U8, NULL),
    MIX_OPTION(rows, CORE_I8, NULL),
};

/* A sequence of n numbers; None: NULL. */
static bool read_weights(double **weights_out, int32_t n, PyObject *list)
{
    *weights_out = NULL;
    if (list == Py_None)
        return true;
    if (PySequence_Size(list) != n) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%zd weights of %d tables", PySequence_Size(list),
                         (int)n);
        return false;
    }
    *weights_out = PyMem_New(double, (size_t)n + 1);
    for (int32_t i = 0; *weights_out && i < n; i++) {
        PyObject *weight = PySequence_GetItem(list, i);
        (*weights_out)[i] = weight ? PyFloat_AsDouble(weight) : 0;
        Py_XDECREF(weight);
        if (PyErr_Occurred())
            return false;
    }
    if (!*weights_out)
        PyErr_NoMemory();
    return *weights_out != NULL;
}

/* mix(views, weights or None, options) */
PyObject *core_mix(PyObject *module, PyObject *args)
{
    core_state *const state = PyModule_GetState(module);
    PyObject *list, *weight_list, *dict, *result = NULL;
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_view **views;
    double *weights;
    int32_t n;
    if (!PyArg_ParseTuple(args, "OOO", &list, &weight_list, &dict) ||
        !core_options_set(&options, mix_options, sizeof mix_options / sizeof *mix_options, dict) ||
        !core_view_list(&views, &n, state, list))
        return NULL;
    if (read_weights(&weights, n, weight_list)) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        options.weights = weights;
        const dv_status status = dv_view_mix(&view, views, n, &options, NULL, &err);
        result = core_made(state, status, view, &err);
    }
    PyMem_Free(weights);
    PyMem_Free(views);
    return result;
}
