/* SPDX-License-Identifier: MIT */
/* core_matrix.c: how do rows become matrices: dense ones in Python's memory, and compressed sparse
 * rows? */
#include "core.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DENSE_OPTION(name, kind, choices)                                                          \
    {                                                                                              \
#name, kind, offsetof(dv_dense_options, name), choices                                     \
    }
static const core_option dense_options[] = {
    DENSE_OPTION(na, CORE_CHOICE, "keep value refused mask"),
    DENSE_OPTION(na_value, CORE_R8, NULL),
    DENSE_OPTION(fill, CORE_R8, NULL),
    DENSE_OPTION(left, CORE_BOOL, NULL),
    DENSE_OPTION(cut, CORE_CHOICE, "refused end start"),
};

bool core_dense_options_set(dv_dense_options *options, PyObject *dict)
{
    return core_options_set(options, dense_options, sizeof dense_options / sizeof *dense_options,
                            dict);
}

/* The kinds of items of a matrix, by the letters that NumPy has for them; y is bfloat16. */
bool core_items_of(dv_kind *kind_out, int letter)
{
    static const char letters[] = "bBhHiIqQfdey";
    static const dv_kind kinds[] = {DV_KIND_I1, DV_KIND_U1, DV_KIND_I2, DV_KIND_U2,
                                    DV_KIND_I4, DV_KIND_U4, DV_KIND_I8, DV_KIND_U8,
                                    DV_KIND_R4, DV_KIND_R8, DV_KIND_R2, DV_KIND_B2};
    const char *const at = letter > 0 ? strchr(letters, letter) : NULL;
    if (at)
        *kind_out = kinds[at - letters];
    else
        PyErr_Format(PyExc_ValueError, "no items have the letter %c", letter);
    return at != NULL;
}

/* dense_width(columns, kind letter) -> slots of a row */
PyObject *core_view_dense_width(core_view *self, PyObject *args)
{
    PyObject *list;
    int letter;
    int32_t *columns, n;
    dv_kind kind;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "OC", &list, &letter) || !core_items_of(&kind, letter) ||
        !core_int32_list(&columns, &n, list))
        return NULL;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = n;
    size_t width = 0;
    dv_error err = DV_ERROR_INIT;
    const dv_status status =
        dv_dense_width(&width, dv_view_schema(view), kind, &cursor, NULL, &err);
    PyMem_Free(columns);
    return status == DV_OK ? PyLong_FromSize_t(width) : core_raise(core_state_of(self), &err);
}

/* Raise what filling a matrix failed with: NAError for the first column with an NA. */
static PyObject *raise_dense(const core_view *view, const int32_t *columns, const dv_batch *batch,
                             const dv_error *err)
{
    if (err->status == DV_ERR_LIMIT && strcmp(err->rule, "na") == 0 && batch && !PyErr_Occurred())
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_column_view *const column = dv_batch_column(batch, k);
            const int64_t row = core_na_row(column, 0);
            if (row < column->rows)
                return core_raise_na(view, columns, batch, k, row);
        }
    return core_raise(core_state_of(view), err);
}

/* dense(matrix, kind letter, width, options): fill rows x width items of a writable buffer */
PyObject *core_batch_dense(core_batch *self, PyObject *args)
{
    Py_buffer out;
    PyObject *dict;
    int letter;
    Py_ssize_t width;
    dv_kind kind;
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "w*CnO", &out, &letter, &width, &dict))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    const bool fits = core_items_of(&kind, letter) && width >= 0 &&
                      core_dense_options_set(&options, dict) &&
                      (width == 0 || out.len / dv_kind_width(kind) / width >= self->batch->rows);
    if (fits)
        CORE_WITHOUT_GIL(
            status = dv_batch_dense(self->batch, kind, out.buf, (size_t)width, &options, &err));
    PyBuffer_Release(&out);
    if (!fits)
        return PyErr_Occurred() ? NULL
                                : PyErr_Format(PyExc_ValueError, "the matrix has too few items");
    return status == DV_OK
               ? Py_NewRef(Py_None)
               : raise_dense(self->shape->view, self->shape->columns, self->batch, &err);
}

/* --- Rows of varying length ------------------------------------------------------------------- */

/* Raise an error of a column of a batch, whose message has the number of the column in place of its
 * name.  where: a str that says which batch it is. */
static PyObject *raise_at(const core_batch *self, PyObject *where, const dv_error *err)
{
    core_state *const state = core_state_of(self);
    const core_shape *const shape = self->shape;
    int32_t k;
    int end = 0;
    if (sscanf(err->message, "column %" SCNd32 ":%n", &k, &end) != 1 || end == 0 || k < 0 ||
        k >= shape->count || PyErr_Occurred())
        return core_raise(state, err);
    const dv_schema *const schema = dv_view_schema(shape->view->view);
    PyObject *const name = core_str(dv_schema_column(schema, shape->columns[k])->name);
    PyObject *const message =
        name ? PyUnicode_FromFormat("%U: column \"%U\":%s", where, name, err->message + end) : NULL;
    PyObject *const exception =
        message ? PyObject_CallFunction(state->error, "iOsLsssi", (int)err->status, message,
                                        err->file, (long long)err->offset, err->rule, err->expected,
                                        err->found, (int)err->os_code)
                : NULL;
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    Py_XDECREF(message);
    Py_XDECREF(name);
    return NULL;
}

/* Columns of a batch that go into a matrix, and where. */
typedef struct columns_request {
    Py_buffer out;
    dv_kind kind;
    Py_ssize_t stride, slot; /* items of a row; the first one that is written */
    int32_t *columns, *numbers, n;
    size_t *widths;
    dv_dense_options options;
    PyObject *where; /* str */
} columns_request;

static void free_columns(columns_request *r)
{
    PyBuffer_Release(&r->out);
    PyMem_Free(r->columns);
    PyMem_Free(r->numbers);
    PyMem_Free(r->widths);
}

/* Whether all rows fit in the matrix.  ValueError. */
static bool has_room(const columns_request *r, int64_t rows)
{
    const Py_ssize_t items = r->out.len / dv_kind_width(r->kind);
    Py_ssize_t left = r->stride - r->slot;
    for (int32_t k = 0; k < r->n; k++)
        left -= r->numbers[k] > 0 && r->numbers[k] <= left ? r->numbers[k] : left + 1;
    if (r->slot >= 0 && left >= 0 && r->stride > 0 && rows <= items / r->stride)
        return true;
    PyErr_SetString(PyExc_ValueError, "the matrix has too few items");
    return false;
}

static bool read_columns(columns_request *r, int64_t rows, PyObject *args)
{
    PyObject *columns, *widths, *dict;
    int letter;
    int32_t n;
    memset(r, 0, sizeof *r);
    r->options = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "w*CnnOOOU", &r->out, &letter, &r->stride, &r->slot, &columns,
                          &widths, &dict, &r->where))
        return false;
    if (!core_items_of(&r->kind, letter) || !core_dense_options_set(&r->options, dict) ||
        !core_int32_list(&r->columns, &r->n, columns) ||
        !core_int32_list(&r->numbers, &n, widths) || n != r->n || n < 0 || !has_room(r, rows) ||
        !(r->widths = PyMem_Calloc((size_t)n + 1, sizeof *r->widths))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a width for each column");
        free_columns(r);
        return false;
    }
    for (int32_t k = 0; k < n; k++)
        r->widths[k] = (size_t)r->numbers[k];
    r->options.columns = r->columns;
    r->options.columns_count = n;
    r->options.widths = r->widths;
    return true;
}

/* fill_columns(matrix, kind letter, stride, slot, columns, widths, options, where): from `slot` on
 * of each row; numbers of columns are positions in the batch; `where` begins the message of an
 * error */
PyObject *core_batch_fill_columns(core_batch *self, PyObject *args)
{
    columns_request r;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    if (!read_columns(&r, self->batch->rows, args))
        return NULL;
    uint8_t *const dst = (uint8_t *)r.out.buf + r.slot * dv_kind_width(r.kind);
    CORE_WITHOUT_GIL(
        status = dv_batch_dense(self->batch, r.kind, dst, (size_t)r.stride, &r.options, &err));
    free_columns(&r);
    return status == DV_OK ? Py_NewRef(Py_None) : raise_at(self, r.where, &err);
}

/* lengths(column, matrix of int64): the slots of each row */
PyObject *core_batch_lengths(core_batch *self, PyObject *args)
{
    Py_buffer out;
    int k;
    if (!PyArg_ParseTuple(args, "iw*", &k, &out))
        return NULL;
    const dv_column_view *const column = dv_batch_column(self->batch, k);
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    const bool fits = column && out.len / (Py_ssize_t)sizeof(int64_t) >= self->batch->rows;
    if (fits)
        status = dv_column_lengths(column, out.buf, &err);
    PyBuffer_Release(&out);
    if (!fits)
        return PyErr_Format(PyExc_ValueError, "no column %d, or too little room", k);
    return status == DV_OK ? Py_NewRef(Py_None) : core_raise(core_state_of(self), &err);
}

/* fill_ragged(matrix, kind letter, column, options, where): the slots of all rows end to end */
PyObject *core_batch_fill_ragged(core_batch *self, PyObject *args)
{
    Py_buffer out;
    PyObject *dict, *where;
    int letter, k;
    dv_kind kind;
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "w*CiOU", &out, &letter, &k, &dict, &where))
        return NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    const bool is_read = core_items_of(&kind, letter) && core_dense_options_set(&options, dict);
    if (is_read)
        CORE_WITHOUT_GIL(status = dv_batch_ragged(self->batch, k, kind, out.buf,
                                                  (size_t)(out.len / dv_kind_width(kind)), &options,
                                                  &err));
    PyBuffer_Release(&out);
    if (!is_read)
        return NULL;
    return status == DV_OK ? Py_NewRef(Py_None) : raise_at(self, where, &err);
}

/* --- Views ------------------------------------------------------------------------------------ */

/* Raise what filling a matrix from a view failed with.  For NAError, the first batch with an NA is
 * read again. */
static PyObject *raise_dense_view(const core_view *self, const dv_cursor_options *options,
                                  const dv_error *err)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch = NULL;
    bool has_na = false;
    dv_status status = DV_ERR_LIMIT;
    if (err->status != DV_ERR_LIMIT || strcmp(err->rule, "na") != 0 || PyErr_Occurred())
        return core_raise(core_state_of(self), err);
    CORE_WITHOUT_GIL(status = dv_cursor_open(&cursor, self->view, options, NULL));
    while (status == DV_OK && !has_na) {
        CORE_WITHOUT_GIL(status = dv_cursor_next(cursor, &batch, NULL));
        for (int32_t k = 0; status == DV_OK && !has_na && k < batch->columns; k++) {
            const dv_column_view *const column = dv_batch_column(batch, k);
            has_na = core_na_row(column, 0) < column->rows;
        }
    }
    if (!PyErr_Occurred()) /* raised by the progress callback */
        raise_dense(self, options->columns, has_na ? batch : NULL, err);
    CORE_WITHOUT_GIL(dv_cursor_close(&cursor)); /* the batch is its own */
    return NULL;
}

/* dense(matrix, kind letter, width, columns, cursor options, dense options, progress) -> rows */
PyObject *core_view_dense(core_view *self, PyObject *args)
{
    Py_buffer out;
    PyObject *list, *cursor_dict, *dict, *callable;
    int letter;
    Py_ssize_t width;
    int32_t *columns = NULL, n;
    dv_kind kind;
    dv_cursor_options cursor;
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "w*CnOOOO", &out, &letter, &width, &list, &cursor_dict,
                                   &dict, &callable))
        return NULL;
    const bool fits = core_items_of(&kind, letter) && width >= 0 &&
                      core_cursor_options_set(&cursor, cursor_dict) &&
                      core_dense_options_set(&options, dict) && core_int32_list(&columns, &n, list);
    if (!fits) {
        PyBuffer_Release(&out);
        return NULL;
    }
    core_progress progress;
    core_progress_start(&progress, callable);
    cursor.columns = columns;
    cursor.columns_count = n;
    cursor.progress = progress.progress;
    const int64_t room = width ? out.len / dv_kind_width(kind) / width : INT64_MAX;
    int64_t rows = 0;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_dense(view, kind, out.buf, room, (size_t)width, &cursor,
                                            &options, &rows, &err));
    PyObject *const result =
        status == DV_OK ? PyLong_FromLongLong(rows) : raise_dense_view(self, &cursor, &err);
    PyBuffer_Release(&out);
    PyMem_Free(columns);
    return result;
}

/* --- Compressed sparse rows ------------------------------------------------------------------- */

static void free_csr(PyObject *capsule)
{
    dv_csr *csr = PyCapsule_GetPointer(capsule, "dv_csr");
    dv_csr_free(&csr);
}

static PyObject *part(core_state *state, void *data, int64_t items, dv_kind kind, PyObject *holder)
{
    PyObject *const buffer =
        core_buffer_new(state, data, (size_t)items * (size_t)dv_kind_width(kind),
                        core_format_of(kind), dv_kind_width(kind), holder);
    if (buffer)
        ((core_buffer *)buffer)->is_writable = true;
    return buffer;
}

#define CSR_OPTION(name, kind)                                                                     \
    {                                                                                              \
#name, kind, offsetof(dv_csr_options, name), NULL                                          \
    }
static const core_option csr_options[] = {
    CSR_OPTION(column, CORE_I4),    CSR_OPTION(all_slots, CORE_BOOL), CSR_OPTION(threads, CORE_I4),
    CSR_OPTION(first_row, CORE_I8), CSR_OPTION(end_row, CORE_I8),
};

/* csr(long_indptr, kind letter, options, progress) -> (rows, columns, indptr, indices, data) */
PyObject *core_view_csr(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    int is_long, letter;
    PyObject *dict, *callable;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    dv_view *const view = core_view_of(self);
    if (!view || !PyArg_ParseTuple(args, "pCOO", &is_long, &letter, &dict, &callable) ||
        !core_options_set(&options, csr_options, sizeof csr_options / sizeof *csr_options, dict))
        return NULL;
    if (!core_items_of(&options.data, letter))
        return NULL;
    core_progress progress;
    core_progress_start(&progress, callable);
    options.indptr = is_long ? DV_KIND_I8 : DV_KIND_I4;
    options.progress = progress.progress;
    dv_csr *csr = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_csr_create(&csr, view, &options, &err));
    if (status != DV_OK)
        return core_raise(state, &err);
    PyObject *const holder = PyCapsule_New(csr, "dv_csr", free_csr);
    if (!holder) {
        dv_csr_free(&csr);
        return NULL;
    }
    PyObject *const result =
        Py_BuildValue("(LiNNN)", (long long)csr->rows, (int)csr->columns,
                      part(state, csr->indptr, csr->rows + 1, csr->indptr_kind, holder),
                      part(state, csr->indices, csr->entries, DV_KIND_I4, holder),
                      part(state, csr->data, csr->entries, csr->data_kind, holder));
    Py_DECREF(holder);
    return result;
}
