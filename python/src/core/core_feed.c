/* SPDX-License-Identifier: MIT */
/* core_feed.c: what is a Feed?  It fills matrices of Python's with batches of training rows. */
#include "core.h"

#include <stddef.h>
#include <string.h>

#define FEED_OPTION(name, kind)                                                                    \
    {                                                                                              \
#name, kind, offsetof(dv_feed_options, name), NULL                                         \
    }
static const core_option feed_options[] = {
    FEED_OPTION(batch_rows, CORE_I8), FEED_OPTION(drop_last, CORE_BOOL),
    FEED_OPTION(ids, CORE_BOOL),      FEED_OPTION(epochs, CORE_I8),
    FEED_OPTION(prefetch, CORE_I4),   FEED_OPTION(threads, CORE_I4),
    FEED_OPTION(token, CORE_TEXT),    FEED_OPTION(worker, CORE_I4),
    FEED_OPTION(workers, CORE_I4),
};

/* Arguments of dv_feed_open, and the memory that they point to. */
typedef struct request {
    dv_feed_options options;
    dv_epoch_options order;
    dv_feed_matrix matrices[DV_FEED_MATRICES_MOST];
    dv_dense_options dense[DV_FEED_MATRICES_MOST];
    int32_t *columns[DV_FEED_MATRICES_MOST];
    size_t *widths[DV_FEED_MATRICES_MOST];
} request;

static void free_request(request *r)
{
    for (int32_t m = 0; m < r->options.matrices_count; m++) {
        PyMem_Free(r->columns[m]);
        PyMem_Free(r->widths[m]);
    }
}

/* The slots of each column; None: as their types say. */
static bool read_widths(size_t **widths_out, int32_t columns, PyObject *list)
{
    int32_t *numbers, n;
    *widths_out = NULL;
    if (list == Py_None)
        return true;
    if (!core_int32_list(&numbers, &n, list))
        return false;
    size_t *const widths = n == columns ? PyMem_Calloc((size_t)n + 1, sizeof *widths) : NULL;
    for (int32_t k = 0; widths && k < n; k++)
        widths[k] = numbers[k] > 0 ? (size_t)numbers[k] : 0;
    PyMem_Free(numbers);
    if (!widths)
        PyErr_Format(PyExc_ValueError, "%d widths for %d columns", (int)n, (int)columns);
    *widths_out = widths;
    return widths != NULL;
}

/* A matrix: (columns, letter of its items, what NA becomes, widths or None, name) */
static bool read_matrix(request *r, int32_t m, PyObject *tuple)
{
    PyObject *columns, *na, *widths;
    int letter;
    dv_dense_options *const dense = &r->dense[m];
    dv_feed_matrix *const matrix = &r->matrices[m];
    *dense = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    if (!PyArg_ParseTuple(tuple, "OCOOs", &columns, &letter, &na, &widths, &matrix->name) ||
        !core_dense_options_set(dense, na) || !core_items_of(&matrix->items, letter) ||
        !core_int32_list(&r->columns[m], &dense->columns_count, columns) ||
        !read_widths(&r->widths[m], dense->columns_count, widths))
        return false;
    dense->columns = r->columns[m];
    dense->widths = r->widths[m];
    matrix->columns = dense;
    return true;
}

static bool read_matrices(request *r, PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);
    if (n > DV_FEED_MATRICES_MOST)
        PyErr_Format(PyExc_ValueError, "%zd matrices: at most %d", n, DV_FEED_MATRICES_MOST);
    if (n < 0 || n > DV_FEED_MATRICES_MOST)
        return false;
    r->options.matrices = r->matrices;
    for (int32_t m = 0; m < (int32_t)n; m++) {
        r->options.matrices_count = m + 1;
        if (!read_matrix(r, m, PyList_GetItem(list, m)))
            return false;
    }
    return true;
}

static bool read_request(request *r, core_shape **shape_out, core_view *view, PyObject *args)
{
    PyObject *list, *columns, *names, *dict, *order_dict;
    memset(r, 0, sizeof *r);
    r->options = (dv_feed_options)DV_FEED_OPTIONS_INIT;
    r->order = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "OOOOO", &list, &columns, &names, &dict, &order_dict) ||
        !read_matrices(r, list) ||
        !core_options_set(&r->options, feed_options, sizeof feed_options / sizeof *feed_options,
                          dict) ||
        !core_epoch_options_set(&r->order, order_dict))
        return false;
    r->options.order = &r->order;
    r->options.lent = true;
    core_shape *const shape = core_shape_new(core_state_of(view), view, columns, names);
    if (shape && shape->count > 0) {
        r->options.columns = shape->columns;
        r->options.columns_count = shape->count;
    }
    *shape_out = shape;
    return shape != NULL;
}

/* Batches whose matrices the feed has at a time.  What the library refuses has one. */
static int64_t most_lent(const dv_feed_options *options)
{
    const int32_t prefetch = options->prefetch > 0 ? options->prefetch : 0;
    return 1 + (prefetch < DV_FEED_PREFETCH_MOST ? prefetch : DV_FEED_PREFETCH_MOST);
}

static core_feed *make_feed(core_state *state, request *r)
{
    core_feed *const feed = core_new(state, CORE_TYPE_feed);
    if (!feed)
        return NULL;
    const int32_t n = r->options.matrices_count;
    atomic_flag_clear(&feed->busy);
    core_progress_start(&feed->progress, Py_None);
    r->options.progress = feed->progress.progress;
    feed->batch_rows = r->options.batch_rows;
    feed->has_ids = r->options.ids;
    feed->matrices = n;
    for (int32_t m = 0; m < n; m++)
        feed->item_nbytes[m] = (Py_ssize_t)dv_kind_width(r->matrices[m].items);
    feed->lent_most = most_lent(&r->options);
    feed->lent = PyMem_Calloc((size_t)feed->lent_most, sizeof *feed->lent);
    feed->buffers = PyMem_Calloc((size_t)feed->lent_most * (size_t)n + 1, sizeof *feed->buffers);
    if (feed->lent && feed->buffers)
        return feed;
    Py_DECREF(feed);
    PyErr_NoMemory();
    return NULL;
}

/* feed([(columns, letter, na, widths, name), ...], columns, their names, options, order) -> Feed */
PyObject *core_view_feed(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    request r = {.columns = {NULL}};
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    dv_view *const view = core_view_of(self);
    core_shape *shape = NULL;
    core_feed *const feed =
        view && read_request(&r, &shape, self, args) ? make_feed(state, &r) : NULL;
    if (feed)
        feed->shape = (core_shape *)Py_XNewRef((PyObject *)shape);
    if (feed)
        CORE_WITHOUT_GIL(status = dv_feed_open(&feed->feed, view, &r.options, &err));
    free_request(&r);
    Py_XDECREF((PyObject *)shape);
    if (!feed || status == DV_OK)
        return (PyObject *)feed;
    Py_DECREF(feed);
    return core_raise(state, &err);
}

/* The matrices of batch number k. */
static Py_buffer *buffers_of(const core_feed *self, int64_t k)
{
    return self->buffers + k % self->lent_most * self->matrices;
}

static void release(Py_buffer *buffers, int32_t n)
{
    for (int32_t m = 0; m < n; m++)
        PyBuffer_Release(&buffers[m]);
}

/* The batch that was lent first is Python's again.  Returns its `whole`, a reference. */
static PyObject *take(core_feed *self)
{
    const int64_t k = self->taken++;
    release(buffers_of(self, k), self->matrices);
    return self->lent[k % self->lent_most];
}

/* Matrices that were lent and not filled. */
static void give_back(core_feed *self)
{
    while (self->taken < self->lent_count)
        Py_DECREF(take(self));
}

static void feed_dealloc(core_feed *self)
{
    if (self->feed && core_is_ours(self))
        CORE_WITHOUT_GIL(dv_feed_close(&self->feed));
    give_back(self);
    PyMem_Free(self->lent);
    PyMem_Free(self->buffers);
    Py_CLEAR(self->shape);
    core_free(self, CORE_TYPE_feed);
}

/* Whether this thread may use the feed now; true must be followed by `leave`. */
static bool enter(core_feed *self)
{
    if (!core_is_ours(self)) {
        PyErr_SetString(PyExc_RuntimeError, "this feed was opened before the process was forked: "
                                            "open another one in the child");
        return false;
    }
    if (atomic_flag_test_and_set(&self->busy)) {
        PyErr_SetString(PyExc_RuntimeError, "another call is using this feed: a feed is for one "
                                            "thread at a time");
        return false;
    }
    if (self->feed)
        return true;
    atomic_flag_clear(&self->busy);
    PyErr_SetString(PyExc_ValueError, "the feed is closed");
    return false;
}

static void leave(core_feed *self)
{
    atomic_flag_clear(&self->busy);
}

/* Whether a matrix has the room of a batch, from an address that its items may have. */
static bool has_room(const core_feed *self, const Py_buffer *out, size_t width, int32_t m)
{
    const size_t nbytes = (size_t)self->batch_rows * width * (size_t)self->item_nbytes[m];
    if ((size_t)out->len >= nbytes && (uintptr_t)out->buf % (size_t)self->item_nbytes[m] == 0)
        return true;
    PyErr_Format(PyExc_ValueError, "a matrix of %zd bytes: expected %zu, aligned to its items",
                 out->len, nbytes);
    return false;
}

static bool lend(core_feed *self, const Py_buffer *buffers)
{
    dv_feed_items items[DV_FEED_MATRICES_MOST];
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    for (int32_t m = 0; m < self->matrices; m++) {
        items[m] = (dv_feed_items){buffers[m].buf, dv_feed_width(self->feed, m)};
        if (!has_room(self, &buffers[m], items[m].stride, m))
            return false;
    }
    CORE_WITHOUT_GIL(status = dv_feed_lend(self->feed, items, &err));
    if (status != DV_OK)
        core_raise(core_state_of(self), &err);
    return status == DV_OK;
}

/* Get the buffers of a list; false with an exception, and none. */
static bool get_buffers(Py_buffer *buffers, int32_t n, PyObject *list)
{
    if (PyList_Size(list) != n) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%zd matrices: expected %d", PyList_Size(list), (int)n);
        return false;
    }
    for (int32_t m = 0; m < n; m++)
        if (PyObject_GetBuffer(PyList_GetItem(list, m), &buffers[m], PyBUF_WRITABLE) < 0) {
            release(buffers, m);
            return false;
        }
    return true;
}

/* Lend what there is room for; the library refuses the rest. */
static bool lend_list(core_feed *self, PyObject *list, PyObject *whole)
{
    Py_buffer buffers[DV_FEED_MATRICES_MOST];
    if (!get_buffers(buffers, self->matrices, list))
        return false;
    if (!lend(self, buffers)) {
        release(buffers, self->matrices);
        return false;
    }
    memcpy(buffers_of(self, self->lent_count), buffers, (size_t)self->matrices * sizeof *buffers);
    self->lent[self->lent_count++ % self->lent_most] = Py_NewRef(whole);
    return true;
}

/* lend(matrices, whole): for one more batch, kept until it is taken */
static PyObject *feed_lend(core_feed *self, PyObject *args)
{
    PyObject *list, *whole;
    if (!PyArg_ParseTuple(args, "OO", &list, &whole) || !enter(self))
        return NULL;
    const bool is_lent = lend_list(self, list, whole);
    leave(self);
    return is_lent ? Py_NewRef(Py_None) : NULL;
}

/* Bytes for the ids of a whole batch, or None. */
static PyObject *room_for_ids(const core_feed *self)
{
    const int64_t most = PY_SSIZE_T_MAX / (int64_t)sizeof(dv_u128);
    if (!self->has_ids)
        Py_RETURN_NONE;
    return self->batch_rows <= most
               ? PyBytes_FromStringAndSize(NULL, self->batch_rows * (Py_ssize_t)sizeof(dv_u128))
               : PyErr_NoMemory();
}

/* The ids of a batch, in that room; a short batch gets bytes of its own. */
static PyObject *put_ids(PyObject *room, const dv_feed_batch *batch)
{
    const Py_ssize_t nbytes = (Py_ssize_t)batch->rows * (Py_ssize_t)sizeof *batch->ids;
    if (room == Py_None)
        return room;
    if (nbytes == PyBytes_Size(room)) {
        memcpy(PyBytes_AsString(room), batch->ids, (size_t)nbytes);
        return room;
    }
    Py_DECREF(room);
    return PyBytes_FromStringAndSize((const char *)batch->ids, nbytes);
}

/* What Python needs memory for is made first: a batch that was read is not lost for want of it. */
static PyObject *next(core_feed *self)
{
    const dv_feed_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    PyObject *ids = room_for_ids(self);
    if (!ids)
        return NULL;
    CORE_WITHOUT_GIL(status = dv_feed_next(self->feed, &batch, &err));
    if (status != DV_OK)
        Py_DECREF(ids);
    if (status == DV_END) { /* final: the feed writes no more */
        give_back(self);
        Py_RETURN_NONE;
    }
    if (status != DV_OK)
        return core_raise(core_state_of(self), &err);
    PyObject *const whole = take(self);
    PyObject *const columns =
        batch->columns ? core_batch_new(self->shape, batch->columns) : Py_NewRef(Py_None);
    ids = put_ids(ids, batch);
    if (ids && columns)
        return Py_BuildValue("(LLLLNNN)", (long long)batch->rows, (long long)batch->epoch,
                             (long long)batch->position, (long long)batch->number, ids, whole,
                             columns);
    Py_XDECREF(ids);
    Py_XDECREF(columns);
    Py_DECREF(whole);
    return NULL;
}

/* next() -> (rows, epoch, position, number, ids, whole, columns) of the batch whose matrices were
 * lent first, or None at the end */
static PyObject *feed_next(core_feed *self, PyObject *unused)
{
    (void)unused;
    if (!enter(self))
        return NULL;
    PyObject *const result = next(self);
    leave(self);
    return result;
}

/* token(batches or None) -> str: after that number of batches, or after the last one */
static PyObject *feed_token(core_feed *self, PyObject *args)
{
    PyObject *batches;
    dv_token token;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    if (!PyArg_ParseTuple(args, "O", &batches))
        return NULL;
    const bool is_given = batches != Py_None;
    const long long n = is_given ? PyLong_AsLongLong(batches) : 0;
    if (PyErr_Occurred() || !enter(self))
        return NULL;
    CORE_WITHOUT_GIL(status = is_given ? dv_feed_token_after(self->feed, n, &token, &err)
                                       : dv_feed_token(self->feed, &token, &err));
    leave(self);
    return status == DV_OK ? PyUnicode_FromString(token.text)
                           : core_raise(core_state_of(self), &err);
}

static PyObject *feed_close(core_feed *self, PyObject *unused)
{
    (void)unused;
    if (!self->feed || !core_is_ours(self))
        Py_RETURN_NONE;
    if (!enter(self))
        return NULL;
    CORE_WITHOUT_GIL(dv_feed_close(&self->feed));
    give_back(self);
    leave(self);
    Py_RETURN_NONE;
}

static PyObject *feed_widths(core_feed *self, void *unused)
{
    (void)unused;
    if (!enter(self))
        return NULL;
    PyObject *widths = PyTuple_New(self->matrices);
    for (int32_t m = 0; widths && m < self->matrices; m++)
        PyTuple_SetItem(widths, m, PyLong_FromSize_t(dv_feed_width(self->feed, m)));
    if (PyErr_Occurred())
        Py_CLEAR(widths);
    leave(self);
    return widths;
}

static PyObject *feed_lent(core_feed *self, void *unused)
{
    (void)unused;
    if (!enter(self))
        return NULL;
    const long long n = self->lent_count - self->taken;
    leave(self);
    return PyLong_FromLongLong(n);
}

static PyMethodDef methods[] = {
    {"lend", (PyCFunction)feed_lend, METH_VARARGS, "lend(matrices, whole)"},
    {"next", (PyCFunction)feed_next, METH_NOARGS,
     "next() -> (rows, epoch, position, number, ids, whole, columns) or None"},
    {"token", (PyCFunction)feed_token, METH_VARARGS, "token(batches or None) -> str"},
    {"close", (PyCFunction)feed_close, METH_NOARGS, "close()"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"widths", (getter)feed_widths, NULL, "Slots of a row of each matrix.", NULL},
    {"lent", (getter)feed_lent, NULL, "Batches whose matrices the feed has.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Batches for training loops, filled into matrices of the caller."},
    {Py_tp_dealloc, (void *)feed_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

PyType_Spec core_feed_spec = {
    "libdataview._core.Feed",
    sizeof(core_feed),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};
