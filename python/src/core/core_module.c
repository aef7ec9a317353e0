/* SPDX-License-Identifier: MIT */
/* core_module.c: what does the module _core hold, and which objects live? */
#include "core.h"

#include <dataview/image.h>
#include <pthread.h>
#include <string.h>

atomic_uint core_generation;
atomic_bool core_is_exiting;
static atomic_llong living[CORE_TYPES];

core_state *core_state_of(const void *object)
{
    return PyType_GetModuleState(Py_TYPE((PyObject *)object));
}

void *core_new(core_state *state, core_type_index type)
{
    core_head *const object = PyObject_New(core_head, state->type[type]);
    if (!object)
        return NULL;
#define CORE_SIZE(name, title) sizeof(core_##name),
    static const size_t nbytes[] = {CORE_TYPE_LIST(CORE_SIZE)};
#undef CORE_SIZE
    memset((char *)object + sizeof(PyObject), 0, nbytes[type] - sizeof(PyObject));
    object->generation = atomic_load(&core_generation);
    atomic_fetch_add(&living[type], 1);
    return object;
}

bool core_is_ours(const void *object)
{
    return ((const core_head *)object)->generation == atomic_load(&core_generation);
}

void core_free(void *object, core_type_index type)
{
    PyTypeObject *const python_type = Py_TYPE((PyObject *)object);
    if (core_is_ours(object))
        atomic_fetch_sub(&living[type], 1);
    PyObject_Free(object);
    Py_DECREF(python_type);
}

PyObject *core_call_method(PyObject *function, PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *const first = PyTuple_Pack(1, self);
    PyObject *const all = first ? PySequence_Concat(first, args) : NULL;
    PyObject *const result = all ? PyObject_Call(function, all, kwargs) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(all);
    return result;
}

/* --- Functions -------------------------------------------------------------------------------- */

static PyObject *set_hooks(PyObject *module, PyObject *args, PyObject *kwargs)
{
    core_state *const state = PyModule_GetState(module);
    if (PyTuple_Size(args) != 0 || !kwargs)
        return PyErr_Format(PyExc_TypeError, "set_hooks takes keywords only");
#define CORE_SET_HOOK(name)                                                                        \
    {                                                                                              \
        PyObject *const hook = PyDict_GetItemString(kwargs, #name);                                \
        if (hook) {                                                                                \
            PyObject *const old = state->name;                                                     \
            state->name = Py_NewRef(hook);                                                         \
            Py_XDECREF(old);                                                                       \
        }                                                                                          \
    }
    CORE_HOOK_LIST(CORE_SET_HOOK)
#undef CORE_SET_HOOK
    Py_RETURN_NONE;
}

static PyObject *live(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *const counts = PyDict_New();
    if (!counts)
        return NULL;
#define CORE_LIVE(name, title)                                                                     \
    {                                                                                              \
        PyObject *const n = PyLong_FromLongLong(atomic_load(&living[CORE_TYPE_##name]));           \
        if (!n || PyDict_SetItemString(counts, title, n) < 0) {                                    \
            Py_XDECREF(n);                                                                         \
            Py_DECREF(counts);                                                                     \
            return NULL;                                                                           \
        }                                                                                          \
        Py_DECREF(n);                                                                              \
    }
    CORE_TYPE_LIST(CORE_LIVE)
#undef CORE_LIVE
    return counts;
}

/* In a forked child: everything made before belongs to the parent. The system calls this, because
 * hooks of Python that come first may collect garbage. */
static void in_child(void)
{
    atomic_fetch_add(&core_generation, 1);
}

static PyObject *forked(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    core_source_forked();
    for (size_t i = 0; i < CORE_TYPES; i++)
        atomic_store(&living[i], 0);
    Py_RETURN_NONE;
}

static PyObject *exiting(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    atomic_store(&core_is_exiting, true);
    core_source_drain();
    Py_RETURN_NONE;
}

static PyObject *statuses(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *const list = PyList_New(0);
    if (!list)
        return NULL;
#define CORE_STATUS(name, value, sentence)                                                         \
    {                                                                                              \
        PyObject *const item = Py_BuildValue("(sis)", #name, value, sentence);                     \
        if (!item || PyList_Append(list, item) < 0) {                                              \
            Py_XDECREF(item);                                                                      \
            Py_DECREF(list);                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        Py_DECREF(item);                                                                           \
    }
    DV_STATUS_LIST(CORE_STATUS)
#undef CORE_STATUS
    return list;
}

static PyMethodDef functions[] = {
    {"set_hooks", (PyCFunction)(void (*)(void))set_hooks, METH_VARARGS | METH_KEYWORDS,
     "Set functions that the extension calls: at first, all of them."},
    {"live", live, METH_NOARGS, "How many objects of each type live: for tests of leaks."},
    {"forked", forked, METH_NOARGS, "Called in a forked child."},
    {"exiting", exiting, METH_NOARGS, "Called when the interpreter ends."},
    {"statuses", statuses, METH_NOARGS, "DV_STATUS_LIST: (name, value, sentence)."},
    {"open", core_open, METH_VARARGS, "open(paths, options) -> View"},
    {"open_list", core_open_list, METH_VARARGS,
     "open_list(folder, options) -> paths of the tables in it"},
    {"open_memory", core_open_memory, METH_VARARGS, "open_memory(bytes, name, options) -> View"},
    {"open_source", core_open_source, METH_VARARGS,
     "open_source(sources, source options, options) -> View"},
    {"concat", core_concat, METH_VARARGS, "concat(views) -> View"},
    {"zip", core_zip, METH_VARARGS, "zip(views) -> View"},
    {"mix", core_mix, METH_VARARGS, "mix(views, weights or None, options) -> View"},
    {"arrow_import", core_arrow_import, METH_VARARGS, "arrow_import(capsule, options) -> View"},
    {"arrow_import_array", core_arrow_import_array, METH_VARARGS,
     "arrow_import_array(schema, array, options) -> View"},
    {"csr_import", core_csr_import, METH_VARARGS,
     "csr_import(name, type, rows, indptr, indices, data) -> View"},
    {"table", core_table, METH_VARARGS, "table(columns, rows, lend) -> View"},
    {"writer", core_writer_open, METH_VARARGS, "writer(path, options, progress) -> Writer"},
    {"transforms", core_transforms, METH_NOARGS, "The list of the steps of pipelines."},
    {"fitted_open", core_fitted_open, METH_VARARGS,
     "fitted_open(path, until_unknown, allowed) -> Fitted"},
    {"fit_merge", core_fit_merge, METH_VARARGS,
     "fit_merge(text, open, allowed, parts, terms_nbytes) -> Fitted"},
    {"open_below", core_open_below, METH_VARARGS, "open_below(folder, name) -> View"},
    {"fitted_format", core_fitted_format, METH_VARARGS, "fitted_format(path) -> str or None"},
    {"pipeline_steps", core_pipeline_steps, METH_VARARGS,
     "pipeline_steps(text, open, allowed=None) -> [(name, text), ...]"},
    {"unpack", core_unpack, METH_VARARGS, "unpack(bytes, hook, package) -> object"},
    {"is_type", core_is_type, METH_O, "is_type(text) -> whether type_parse() takes it"},
    {"type_parse", core_type_parse, METH_VARARGS, "type_parse(text) -> dict of its parts"},
    {NULL, NULL, 0, NULL},
};

/* --- The module ------------------------------------------------------------------------------- */

/* Lists of the library: losses (name -> bit), extensions of file names. */
static int add_lists(PyObject *module)
{
    PyObject *const losses = PyDict_New(), *const extensions = PySet_New(NULL);
    int status = losses && extensions ? 0 : -1;
#define CORE_LOSS(member, bit, name, sentence)                                                     \
    if (status == 0) {                                                                             \
        PyObject *const number = PyLong_FromLong(1L << bit);                                       \
        status = number ? PyDict_SetItemString(losses, name, number) : -1;                         \
        Py_XDECREF(number);                                                                        \
    }
    DV_LOSS_LIST(CORE_LOSS)
#undef CORE_LOSS
    for (int32_t i = 0; status == 0 && i < dv_format_count(); i++) {
        PyObject *const text = PyUnicode_FromString(dv_format_at(i)->extensions);
        PyObject *const words = text ? PyUnicode_Split(text, NULL, -1) : NULL;
        for (Py_ssize_t k = 0; words && status == 0 && k < PyList_Size(words); k++)
            status = PySet_Add(extensions, PyList_GetItem(words, k));
        status = words ? status : -1;
        Py_XDECREF(text);
        Py_XDECREF(words);
    }
    if (status == 0)
        status = PyModule_AddObjectRef(module, "losses", losses);
    if (status == 0)
        status = PyModule_AddObjectRef(module, "extensions", extensions);
    Py_XDECREF(losses);
    Py_XDECREF(extensions);
    return status;
}

static int make_types(PyObject *module)
{
    static atomic_flag is_watched = ATOMIC_FLAG_INIT;
    core_state *const state = PyModule_GetState(module);
    if (!atomic_flag_test_and_set(&is_watched) && pthread_atfork(NULL, NULL, in_child) != 0) {
        PyErr_NoMemory();
        return -1;
    }
#define CORE_MAKE_TYPE(name, title)                                                                \
    {                                                                                              \
        PyObject *const type = PyType_FromModuleAndSpec(module, &core_##name##_spec, NULL);        \
        if (!type)                                                                                 \
            return -1;                                                                             \
        state->type[CORE_TYPE_##name] = (PyTypeObject *)type;                                      \
        if (PyModule_AddObjectRef(module, title, type) < 0)                                        \
            return -1;                                                                             \
    }
    CORE_TYPE_LIST(CORE_MAKE_TYPE)
#undef CORE_MAKE_TYPE
    return PyModule_AddStringConstant(module, "version", dv_version()) < 0 ? -1 : add_lists(module);
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *const state = PyModule_GetState(module);
    if (!state)
        return 0;
    for (size_t i = 0; i < CORE_TYPES; i++)
        Py_VISIT(state->type[i]);
#define CORE_VISIT_HOOK(name) Py_VISIT(state->name);
    CORE_HOOK_LIST(CORE_VISIT_HOOK)
#undef CORE_VISIT_HOOK
    return 0;
}

static int clear(PyObject *module)
{
    core_state *const state = PyModule_GetState(module);
    for (size_t i = 0; i < CORE_TYPES; i++)
        Py_CLEAR(state->type[i]);
#define CORE_CLEAR_HOOK(name) Py_CLEAR(state->name);
    CORE_HOOK_LIST(CORE_CLEAR_HOOK)
#undef CORE_CLEAR_HOOK
    for (size_t i = 0; i < CORE_NAMES; i++) {
        Py_CLEAR(state->names[i].str);
        state->names[i].nbytes = 0;
    }
    Py_CLEAR(state->frombuffer);
    for (size_t i = 0; i <= DV_KIND_BY; i++)
        Py_CLEAR(state->dtype[i]);
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)make_types},
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_core",
    "The library, for the package's own files.",
    sizeof(core_state),
    functions,
    slots,
    traverse,
    clear,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
#ifdef DVI_LIBRARY_VERSION /* the library is another file, and one that is loaded hides it */
    if (strcmp(dv_version(), DVI_LIBRARY_VERSION) != 0)
        return PyErr_Format(
            PyExc_ImportError,
            "this process has loaded libdataview %s, which hides the package's own, %s: "
            "import the package in another process",
            dv_version(), DVI_LIBRARY_VERSION);
#endif
    dv_set_stop_check(core_source_is_stopped);
#ifdef DVI_HAS_IMAGE
    dv_image_register(NULL); /* without memory a pipeline that needs its steps says so */
#endif
    return PyModuleDef_Init(&definition);
}
