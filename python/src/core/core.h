/* SPDX-License-Identifier: MIT */
/* core.h: what the files of the extension share: its objects, how they are made, and how a failure
 * of the library becomes an exception.
 *
 * The extension is a thin layer of C over the public headers, for the package's Python files alone:
 * `Table` and what else users see is Python.  It keeps to the limited API of Python 3.11. */
#ifndef DATAVIEW_CORE_H
#define DATAVIEW_CORE_H

#ifndef Py_LIMITED_API /* the build defines it too */
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dataview/dataview.h>
#include <stdatomic.h>

/* The types of the extension: C name, name in Python. */
#define CORE_TYPE_LIST(X)                                                                          \
    X(view, "View")                                                                                \
    X(shape, "Shape")                                                                              \
    X(cursor, "Cursor")                                                                            \
    X(batch, "Batch")                                                                              \
    X(array, "Array")                                                                              \
    X(buffer, "Buffer")                                                                            \
    X(writer, "Writer")                                                                            \
    X(feed, "Feed")                                                                                \
    X(fitted, "Fitted")

#define CORE_TYPE_MEMBER(name, title) CORE_TYPE_##name,
typedef enum core_type_index { CORE_TYPE_LIST(CORE_TYPE_MEMBER) CORE_TYPES } core_type_index;
#undef CORE_TYPE_MEMBER

#define CORE_TYPE_SPEC(name, title) extern PyType_Spec core_##name##_spec;
CORE_TYPE_LIST(CORE_TYPE_SPEC)
#undef CORE_TYPE_SPEC

/* Functions of the package's Python files that the extension calls. */
#define CORE_HOOK_LIST(X)                                                                          \
    X(error)    /* (status, message, file, offset, rule, expected, found, os_code) -> exception */ \
    X(na_error) /* (column, row, type) -> exception */                                             \
    X(no_column) /* (name, names) -> exception */                                                  \
    X(datetime)  /* (ticks) -> datetime */                                                         \
    X(timedelta) /* (ticks) -> timedelta */                                                        \
    X(zoned)     /* (ticks, minutes) -> datetime with a zone */                                    \
    X(to_numpy)  /* (array, dtype, na, copy, ...) -> numpy.ndarray */                              \
    X(dense)     /* (batch, dtype, na, columns) -> numpy.ndarray */

#define CORE_NAMES 64
#define CORE_NAME_NBYTES 48 /* of a key that is remembered */

/* A key of maps as a str, and its bytes in UTF-8. */
typedef struct core_name {
    PyObject *str;
    size_t nbytes; /* 0: none */
    char text[CORE_NAME_NBYTES];
} core_name;

#define CORE_HOOK_MEMBER(name) PyObject *name;
typedef struct core_state {
    PyTypeObject *type[CORE_TYPES];
    CORE_HOOK_LIST(CORE_HOOK_MEMBER)
    core_name names[CORE_NAMES];     /* keys of maps that came last: core_msgpack.c */
    PyObject *frombuffer;            /* numpy.frombuffer; NULL before its first use */
    PyObject *dtype[DV_KIND_BY + 1]; /* numpy's, by kind; likewise */
} core_state;
#undef CORE_HOOK_MEMBER

/* --- Objects ---------------------------------------------------------------------------------- */

/* Every object starts so.  `generation` is that of the process: a forked child neither uses nor
 * frees what it inherited, since a thread that it lacks may have held a lock. */
typedef struct core_head {
    PyObject ob_base;
    unsigned generation;
} core_head;

typedef struct core_view {
    core_head head;
    dv_view *view;
    PyObject *key_values; /* dict: column -> list of values or None; NULL before its first use */
} core_view;

typedef struct core_progress {
    dv_progress progress; /* what the library is given */
    PyObject *report;     /* callable (done, total), or NULL: only signals are looked for */
    int64_t last_ns;
    int64_t done; /* of the last report: all rows after a call that succeeded */
} core_progress;

/* What the batches of a cursor have in common, which outlives the cursor. */
typedef struct core_shape {
    core_head head;
    core_view *view;
    PyObject *names;  /* dict: name -> position among the active columns */
    int32_t *columns; /* the active columns of the view */
    int32_t count;
} core_shape;

typedef struct core_cursor {
    core_head head;
    dv_cursor *cursor;
    core_shape *shape;
    core_progress progress;
    atomic_flag busy; /* a thread is in dv_cursor_next */
    PyObject *told;   /* called once after the last batch; NULL: nothing */
} core_cursor;

typedef struct core_batch {
    core_head head;
    const dv_batch *batch;
    core_shape *shape;
} core_batch;

/* A column of a batch; or the items of a vector column, whose `column` is inside that of the
 * batch. */
typedef struct core_array {
    core_head head;
    core_batch *batch;
    const dv_column_view *column;
    int32_t k;             /* of the batch */
    int32_t schema_column; /* of the view */
} core_array;

/* Bytes that Python may read, or write if they are its own. */
typedef struct core_buffer {
    core_head head;
    void *data;
    Py_ssize_t nbytes, item_nbytes, items;
    const char *format; /* of struct: static */
    bool is_writable;
    PyObject *holder; /* keeps the bytes alive */
} core_buffer;

typedef struct core_writer {
    core_head head;
    dv_datadings_writer *writer; /* NULL: closed */
    PyObject *options;           /* whose texts the writer borrows */
    core_progress progress;
    atomic_flag busy; /* a call is using it */
} core_writer;

typedef struct core_feed {
    core_head head;
    dv_feed *feed; /* NULL: closed */
    int64_t batch_rows;
    bool has_ids;
    core_shape *shape; /* of columns that are delivered as they are; NULL: there are none */
    int32_t matrices;
    Py_ssize_t item_nbytes[DV_FEED_MATRICES_MOST];
    PyObject **lent;    /* what Python gets with batch k, at k % lent_most until it is taken */
    Py_buffer *buffers; /* and its matrices */
    int64_t lent_most, lent_count, taken;
    core_progress progress;
    atomic_flag busy; /* a call is using it */
} core_feed;

typedef struct core_fitted {
    core_head head;
    dv_fitted *fitted;
} core_fitted;

/* The state of the module that an object's type belongs to. */
core_state *core_state_of(const void *object);

/* A new object of a type, its fields 0; NULL with an exception. */
void *core_new(core_state *state, core_type_index type);
/* For tp_dealloc: whether the object may free what it holds; then that much of `core_free`. */
bool core_is_ours(const void *object);
void core_free(void *object, core_type_index type);
extern atomic_uint core_generation;
extern atomic_bool
    core_is_exiting; /* the interpreter ends: what came from Python is not released */

/* View of a batch's or an array's columns. */
PyObject *core_view_new(core_state *state,
                        dv_view *view); /* takes the reference, also on failure */
/* Call function(self, *args, **kwargs): a method that a Python file defines. */
PyObject *core_call_method(PyObject *function, PyObject *self, PyObject *args, PyObject *kwargs);
/* The new view of a call, or its exception. */
PyObject *core_made(core_state *state, dv_status status, dv_view *view, const dv_error *err);
PyObject *core_batch_new(core_shape *shape, const dv_batch *batch); /* adds a reference */
/* columns: a list of numbers, or None; names: dict: name -> position among them */
core_shape *core_shape_new(core_state *state, core_view *view, PyObject *columns, PyObject *names);
PyObject *core_array_new(core_batch *batch, int32_t k);
PyObject *core_buffer_new(core_state *state, const void *data, size_t nbytes, const char *format,
                          Py_ssize_t item_nbytes, PyObject *holder);

/* --- Failures --------------------------------------------------------------------------------- */

/* Let a call that may read, decode, wait or write run without the GIL. */
#define CORE_WITHOUT_GIL(call)                                                                     \
    do {                                                                                           \
        PyThreadState *const saved_ = PyEval_SaveThread();                                         \
        call;                                                                                      \
        PyEval_RestoreThread(saved_);                                                              \
    } while (0)

/* Raise the exception of a failure; one that a progress callback or a signal has raised stays.
 * Returns NULL. */
PyObject *core_raise(core_state *state, const dv_error *err);
/* Raise NAError: a row of a batch is NA in column k, which is column columns[k] of the view. */
PyObject *core_raise_na(const core_view *view, const int32_t *columns, const dv_batch *batch,
                        int32_t k, int64_t row);
/* The first row from `row` on whose value is NA; the number of rows if there is none. */
int64_t core_na_row(const dv_column_view *column, int64_t row);

/* --- Arguments -------------------------------------------------------------------------------- */

/* How a member of a struct of options is set from a Python value. */
typedef enum core_kind {
    CORE_BOOL,
    CORE_I4,
    CORE_I8,
    CORE_U8,
    CORE_R8,
    CORE_TEXT,  /* const char *; None: NULL.  Borrowed from the str */
    CORE_CHOICE /* an enum whose members are the words of `choices`, from 0 */
} core_kind;

typedef struct core_option {
    const char *name;
    core_kind kind;
    size_t at; /* of the member in the struct */
    const char *choices;
} core_option;

/* Set members of *options from a dict; texts are borrowed from it.  An unknown name, or a value of
 * another type, raises TypeError or ValueError: false. */
bool core_options_set(void *options, const core_option *list, size_t n, PyObject *dict);

/* Those of a cursor: all but columns and progress. */
bool core_cursor_options_set(dv_cursor_options *options, PyObject *dict);
/* Those of opening a file, from their defaults. */
bool core_open_options_set(dv_open_options *options, PyObject *dict);
/* Those of a save: likewise. */
bool core_save_options_set(dv_save_options *options, PyObject *dict);

/* A list of whole numbers as an array of *n_out; None: NULL and -1.  Freed with PyMem_Free. */
bool core_int32_list(int32_t **numbers_out, int32_t *n_out, PyObject *list);
bool core_int64_list(int64_t **numbers_out, int64_t *n_out, PyObject *list);
/* A sequence of str, or of pairs of str and str or None, as texts that are borrowed from it. */
bool core_text_list(dv_text **texts_out, int32_t *n_out, PyObject *list);
bool core_spec_list(dv_column_spec **specs_out, int32_t *n_out, PyObject *list);
bool core_text(dv_text *text_out, PyObject *str);
/* The same as a C string, which ends at NUL; ValueError: `what` holds one. */
bool core_c_string(const char **text_out, PyObject *str, const char *what);
/* For METH_FASTCALL: TypeError unless there are as many arguments as wanted. */
bool core_has_arguments(Py_ssize_t n, Py_ssize_t wanted);
/* The views of a sequence of View, borrowed from it. */
bool core_view_list(dv_view ***views_out, int32_t *n_out, core_state *state, PyObject *list);
/* The view of an object, if it is open. */
dv_view *core_view_of(const core_view *view);

/* Set up the callback of a long call: `report` is callable or None, borrowed.  It looks for signals
 * and calls `report` at most 20 times a second, and once more at the end. */
void core_progress_start(core_progress *progress, PyObject *report);

/* Options of orders, and of what NA becomes in a matrix, from a dict; false with an exception. */
bool core_epoch_options_set(dv_epoch_options *options, PyObject *dict);
bool core_dense_options_set(dv_dense_options *options, PyObject *dict);

/* The kind of items of a matrix by its letter in NumPy; y: bfloat16.  false with an exception. */
bool core_items_of(dv_kind *kind_out, int letter);

/* --- Files that Python reads ------------------------------------------------------------------ */

/* Raise the exception of a source that stopped a call; false: this error has a different cause. */
bool core_source_raise(const dv_error *err);
/* Called by threads that wait for the library's: has a signal raised an exception? */
bool core_source_is_stopped(void);

/* The interpreter ends: wait for the calls into Python.  A forked child: there are none. */
void core_source_drain(void);
void core_source_forked(void);

/* --- Values ----------------------------------------------------------------------------------- */

/* A value as a Python object: NA is None, but NaN of a real.  key_values: those of the column, or
 * NULL; else class numbers from 0. */
PyObject *core_value(core_state *state, const dv_value *value, PyObject *key_values);
/* The same, but a vector is a list of all its slots: a dict only if it is sparse, and has more than
 * 2^20. */
PyObject *core_value_slots(core_state *state, const dv_value *value, PyObject *key_values);
/* All rows of a column view as a list. */
PyObject *core_values(core_state *state, const dv_column_view *column, PyObject *key_values);
/* The KeyValues of a column as a list, or None; borrowed from the view.  NULL with an exception. */
PyObject *core_key_values(core_view *view, int32_t column);
PyObject *core_u128(dv_u128 number);

/* Are its values only of this process, such as pictures? Their bytes may be pointers. */
bool core_is_open_type(const dv_type *type);
/* The notation of a type. */
PyObject *core_type_text(const dv_type *type);
PyObject *core_str(dv_text text);
/* The format of struct for a kind of fixed width; NULL: there is none. */
const char *core_format_of(dv_kind kind);

/* --- Methods that other files define ---------------------------------------------------------- */

/* clang-format off */
#define CORE_VIEW_METHOD_LIST(X) \
    X(view_select) X(view_keep) X(view_drop) X(view_slice) X(view_has_rows) X(view_take) X(view_where) \
    X(view_compute) X(view_filter_na) X(view_filter_range) X(view_bootstrap) X(view_combine) X(view_convert) \
    X(view_generate) X(view_epoch) X(view_materialize) X(view_cache) X(view_cursor) X(view_plan) X(view_metadata) \
    X(view_arrow_stream) X(view_arrow_schema) X(view_save) X(view_save_memory) \
    X(view_save_check) X(view_dense) X(view_dense_width) X(view_csr) X(view_stats) \
    X(view_counts) X(view_facts) X(view_verify) X(view_bad_fields) X(view_identity) \
    X(view_count) X(view_feed) X(view_find_many) X(view_digest) X(view_fit) \
    X(view_fit_part) X(view_fits_in_parts) X(view_groups) X(view_folds) X(view_draw) X(view_exclude) \
    X(view_bucket) X(view_pack)
/* Those that are called for one row: what a call costs beside it shows. */
#define CORE_VIEW_FAST_METHOD_LIST(X) X(view_find) X(view_key) X(view_message) X(view_sample)
/* clang-format on */
#define CORE_METHOD(name) PyObject *core_##name(core_view *self, PyObject *args);
CORE_VIEW_METHOD_LIST(CORE_METHOD)
#undef CORE_METHOD
#define CORE_FAST_METHOD(name)                                                                     \
    PyObject *core_##name(core_view *self, PyObject *const *args, Py_ssize_t n);
CORE_VIEW_FAST_METHOD_LIST(CORE_FAST_METHOD)
#undef CORE_FAST_METHOD

PyObject *core_array_arrow(core_array *self, PyObject *args);
PyObject *core_array_memoryviews(core_array *self, PyObject *unused);
PyObject *core_array_unpack(core_array *self, PyObject *args);
PyObject *core_array_arrow_schema(core_array *self, PyObject *args);
PyObject *core_batch_arrow(core_batch *self, PyObject *args);
PyObject *core_batch_arrow_schema(core_batch *self, PyObject *args);
PyObject *core_batch_dense(core_batch *self, PyObject *args);
PyObject *core_batch_fill_columns(core_batch *self, PyObject *args);
PyObject *core_batch_fill_ragged(core_batch *self, PyObject *args);
PyObject *core_batch_lengths(core_batch *self, PyObject *args);
PyObject *core_array_dlpack(core_array *self, PyObject *args, PyObject *kwargs);
PyObject *core_array_dlpack_device(PyObject *self, PyObject *unused);

/* Functions of the module. */
PyObject *core_open(PyObject *module, PyObject *args);
PyObject *core_open_memory(PyObject *module, PyObject *args);
PyObject *core_open_list(PyObject *module, PyObject *args);
PyObject *core_open_source(PyObject *module, PyObject *args);
PyObject *core_concat(PyObject *module, PyObject *args);
PyObject *core_zip(PyObject *module, PyObject *args);
PyObject *core_mix(PyObject *module, PyObject *args);
PyObject *core_arrow_import(PyObject *module, PyObject *args);
PyObject *core_arrow_import_array(PyObject *module, PyObject *args);
PyObject *core_csr_import(PyObject *module, PyObject *args);
PyObject *core_table(PyObject *module, PyObject *args);
PyObject *core_is_type(PyObject *module, PyObject *str);
PyObject *core_type_parse(PyObject *module, PyObject *args);
PyObject *core_unpack(PyObject *module, PyObject *args);
PyObject *core_writer_open(PyObject *module, PyObject *args);
PyObject *core_transforms(PyObject *module, PyObject *unused);
PyObject *core_pipeline_steps(PyObject *module, PyObject *args);
PyObject *core_fitted_open(PyObject *module, PyObject *args);
PyObject *core_fit_merge(PyObject *module, PyObject *args);
PyObject *core_open_below(PyObject *module, PyObject *args);
PyObject *core_fitted_format(PyObject *module, PyObject *args);

#endif
