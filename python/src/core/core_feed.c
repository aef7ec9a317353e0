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

/* The matrices of a batch, and what Python gets back with it. */
typedef struct core_lent {
    Py_buffer matrices[2];
    PyObject *whole;
} core_lent;

/* A matrix: its columns, the letter of its items (f d q), and what NA becomes. */
typedef struct matrix {
    dv_dense_options options;
    dv_kind kind;
    int32_t *columns;
} matrix;

static bool matrix_of(matrix *m, PyObject *list, int letter, PyObject *dict)
{
    m->options = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    if (!core_dense_options_set(&m->options, dict) ||
        !core_int32_list(&m->columns, &m->options.columns_count, list))
        return false;
    m->options.columns = m->columns;
    m->kind = letter == 'f' ? DV_KIND_R4 : letter == 'd' ? DV_KIND_R8 : DV_KIND_I8;
    return true;
}

static bool read_options(dv_feed_options *options, dv_epoch_options *order, matrix *features,
                         matrix *labels, PyObject *args)
{
    PyObject *feature_list, *feature_na, *label_list, *label_na, *dict, *order_dict;
    int feature_letter, label_letter;
    *options = (dv_feed_options)DV_FEED_OPTIONS_INIT;
    *order = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "OCOOCOOO", &feature_list, &feature_letter, &feature_na,
                          &label_list, &label_letter, &label_na, &dict, &order_dict) ||
        !matrix_of(features, feature_list, feature_letter, feature_na) ||
        !matrix_of(labels, label_list, label_letter, label_na) ||
        !core_options_set(options, feed_options, sizeof feed_options / sizeof *feed_options,
                          dict) ||
        !core_epoch_options_set(order, order_dict))
        return false;
    options->features = &features->options;
    options->feature_items = features->kind;
    options->labels = labels->options.columns_count > 0 ? &labels->options : NULL;
    options->label_items = labels->kind;
    options->order = order;
    options->lent = true;
    return true;
}

/* Batches whose matrices the feed has at a time.  What the library refuses has one. */
static int64_t most_lent(const dv_feed_options *options)
{
    const int32_t prefetch = options->prefetch > 0 ? options->prefetch : 0;
    return 1 + (prefetch < DV_FEED_PREFETCH_MOST ? prefetch : DV_FEED_PREFETCH_MOST);
}

/* feed(features, letter, na, labels, letter, na, options, order) -> Feed */
PyObject *core_view_feed(core_view *self, PyObject *args)
{
    core_state *const state = core_state_of(self);
    dv_feed_options options;
    dv_epoch_options order;
    matrix features = {.columns = NULL}, labels = {.columns = NULL};
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    dv_view *const view = core_view_of(self);
    core_feed *feed = NULL;
    if (view && read_options(&options, &order, &features, &labels, args))
        feed = core_new(state, CORE_TYPE_feed);
    if (feed) {
        atomic_flag_clear(&feed->busy);
        core_progress_start(&feed->progress, Py_None);
        options.progress = feed->progress.progress;
        feed->batch_rows = options.batch_rows;
        feed->has_ids = options.ids;
        feed->lent_most = most_lent(&options);
        feed->item_nbytes[0] = (Py_ssize_t)dv_kind_width(features.kind);
        feed->item_nbytes[1] = (Py_ssize_t)dv_kind_width(labels.kind);
        feed->lent = PyMem_Calloc((size_t)feed->lent_most, sizeof *feed->lent);
    }
    if (feed && !feed->lent) {
        Py_CLEAR(feed);
        PyErr_NoMemory();
    }
    if (feed)
        CORE_WITHOUT_GIL(status = dv_feed_open(&feed->feed, view, &options, &err));
    PyMem_Free(features.columns);
    PyMem_Free(labels.columns);
    if (!feed || status == DV_OK)
        return (PyObject *)feed;
    Py_DECREF(feed);
    return core_raise(state, &err);
}

/* The batch that was lent first is Python's again.  Returns its `whole`, a reference. */
static PyObject *take(core_feed *self)
{
    core_lent lent = self->lent[self->taken++ % self->lent_most];
    for (int k = 0; k < 2; k++)
        PyBuffer_Release(&lent.matrices[k]);
    return lent.whole;
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
static bool has_room(const core_feed *self, const Py_buffer *out, size_t width, int k)
{
    const size_t nbytes = (size_t)self->batch_rows * width * (size_t)self->item_nbytes[k];
    if ((size_t)out->len >= nbytes && (uintptr_t)out->buf % (size_t)self->item_nbytes[k] == 0)
        return true;
    PyErr_Format(PyExc_ValueError, "a matrix of %zd bytes: expected %zu, aligned to its items",
                 out->len, nbytes);
    return false;
}

/* lend(features, labels, whole): matrices for one more batch, kept until it is taken */
static bool lend(core_feed *self, const core_lent *lent)
{
    const Py_buffer *const matrices = lent->matrices;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    const size_t width = dv_feed_features_width(self->feed);
    const size_t labels_width = dv_feed_labels_width(self->feed);
    if (!has_room(self, &matrices[0], width, 0) || !has_room(self, &matrices[1], labels_width, 1))
        return false;
    CORE_WITHOUT_GIL(status = dv_feed_lend(self->feed, matrices[0].buf, width, matrices[1].buf,
                                           labels_width, &err));
    if (status != DV_OK) {
        core_raise(core_state_of(self), &err);
        return false;
    }
    self->lent[self->lent_count++ % self->lent_most] = *lent;
    Py_INCREF(lent->whole);
    return true;
}

static PyObject *feed_lend(core_feed *self, PyObject *args)
{
    core_lent lent;
    if (!PyArg_ParseTuple(args, "w*w*O", &lent.matrices[0], &lent.matrices[1], &lent.whole))
        return NULL;
    bool is_lent = false;
    if (enter(self)) {
        is_lent = lend(self, &lent);
        leave(self);
    }
    for (int k = 0; k < 2 && !is_lent; k++)
        PyBuffer_Release(&lent.matrices[k]);
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

/* The ids of a batch, in that room; those of a short one get the place that it leaves. */
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
    ids = put_ids(ids, batch);
    if (ids)
        return Py_BuildValue("(LLLLNN)", (long long)batch->rows, (long long)batch->epoch,
                             (long long)batch->position, (long long)batch->number, ids, whole);
    Py_DECREF(whole);
    return NULL;
}

/* next() -> (rows, epoch, position, number, ids, whole) of the batch whose matrices were lent
 * first, or None at the end */
static PyObject *feed_next(core_feed *self, PyObject *unused)
{
    (void)unused;
    if (!enter(self))
        return NULL;
    PyObject *const result = next(self);
    leave(self);
    return result;
}

/* token(batches or None) -> str: after so many batches from the start, or after the last one */
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
    PyObject *const widths = Py_BuildValue("(nn)", (Py_ssize_t)dv_feed_features_width(self->feed),
                                           (Py_ssize_t)dv_feed_labels_width(self->feed));
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
    {"lend", (PyCFunction)feed_lend, METH_VARARGS, "lend(features, labels, whole)"},
    {"next", (PyCFunction)feed_next, METH_NOARGS,
     "next() -> (rows, epoch, position, number, ids, whole) or None"},
    {"token", (PyCFunction)feed_token, METH_VARARGS, "token(batches or None) -> str"},
    {"close", (PyCFunction)feed_close, METH_NOARGS, "close()"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"widths", (getter)feed_widths, NULL, "Slots of a row of features, and of labels.", NULL},
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
