/* SPDX-License-Identifier: MIT */
/* core_save.c: how is a view saved, and what would be lost? */
#include "core.h"

#include <stddef.h>

#define SAVE_OPTION(name, kind, choices)                                                           \
    {                                                                                              \
#name, kind, offsetof(dv_save_options, name), choices                                      \
    }
static const core_option save_options[] = {
    SAVE_OPTION(format, CORE_TEXT, NULL),
    SAVE_OPTION(hidden, CORE_BOOL, NULL),
    SAVE_OPTION(threads, CORE_I4, NULL),
    SAVE_OPTION(allow_loss, CORE_I4, NULL),
    SAVE_OPTION(sync, CORE_BOOL, NULL),
    SAVE_OPTION(memory_nbytes, CORE_I8, NULL),
    SAVE_OPTION(rows_per_block, CORE_I8, NULL),
    SAVE_OPTION(block_nbytes, CORE_I8, NULL),
    SAVE_OPTION(compression, CORE_CHOICE, "none deflate zlib"),
    SAVE_OPTION(level, CORE_I4, NULL),
    SAVE_OPTION(align, CORE_I4, NULL),
    SAVE_OPTION(idv_version, CORE_TEXT, NULL),
    SAVE_OPTION(idv_old_keys, CORE_BOOL, NULL),
    SAVE_OPTION(idv_bool_2bit, CORE_BOOL, NULL),
    SAVE_OPTION(canonical, CORE_BOOL, NULL),
    SAVE_OPTION(text, CORE_TEXT, NULL),
    SAVE_OPTION(datadings, CORE_TEXT, NULL),
};

bool core_save_options_set(dv_save_options *options, PyObject *dict)
{
    *options = (dv_save_options)DV_SAVE_OPTIONS_INIT;
    return core_options_set(options, save_options, sizeof save_options / sizeof *save_options,
                            dict);
}

/* save(path as bytes, columns or None, options, progress) -> rows */
PyObject *core_view_save(core_view *self, PyObject *args)
{
    const char *path;
    PyObject *list, *dict, *callable;
    dv_save_options options;
    int32_t *columns;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "yOOO", &path, &list, &dict, &callable) ||
        !core_save_options_set(&options, dict) ||
        !core_int32_list(&columns, &options.columns_count, list))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.columns = columns;
    options.progress = progress.progress;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_save(view, path, &options, &err));
    PyMem_Free(columns);
    return status == DV_OK ? PyLong_FromLongLong(progress.done)
                           : core_raise(core_state_of(self), &err);
}

/* save_memory(options, progress) -> bytes */
PyObject *core_view_save_memory(core_view *self, PyObject *args)
{
    PyObject *dict, *callable;
    dv_save_options options;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "OO", &dict, &callable) ||
        !core_save_options_set(&options, dict))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.progress = progress.progress;
    dv_buffer bytes = {0};
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_save_memory(view, &bytes, &options, &err));
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    PyObject *const result = PyBytes_FromStringAndSize(bytes.data, (Py_ssize_t)bytes.nbytes);
    dv_buffer_release(&bytes);
    return result;
}

/* Collects the losses that a check reports; NULL after a failure. */
static bool collect(void *ctx, const dv_loss_report *report)
{
    PyObject **const list = ctx;
    PyObject *const item = Py_BuildValue("(sOiLsO)", dv_loss_name(report->loss),
                                         report->is_allowed ? Py_True : Py_False,
                                         (int)report->column, (long long)report->row,
                                         report->sentence, report->is_implied ? Py_True : Py_False);
    const int status = item ? PyList_Append(*list, item) : -1;
    Py_XDECREF(item);
    if (status == 0)
        return true;
    Py_CLEAR(*list);
    return false;
}

/* save_check(path as bytes, options) -> [(loss, is_allowed, column, row, sentence, is_implied)] */
PyObject *core_view_save_check(core_view *self, PyObject *args)
{
    const char *path;
    PyObject *dict;
    dv_save_options options;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "yO", &path, &dict) ||
        !core_save_options_set(&options, dict))
        return NULL;
    PyObject *list = PyList_New(0);
    if (!list)
        return NULL;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_save_check(view, path, &options, collect, &list, &err);
    if (!list || status == DV_OK || status == DV_ERR_LOSS)
        return list;
    Py_DECREF(list);
    return core_raise(core_state_of(self), &err);
}
