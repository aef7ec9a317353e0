/* SPDX-License-Identifier: MIT */
/* core_import.c: how does data of other libraries become a view?  Through Arrow's structs, which
 * come in capsules, or are made here around the arrays of a sparse matrix. */
#include "core.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT_OPTION(name, kind)                                                                  \
    {                                                                                              \
#name, kind, offsetof(dv_arrow_import_options, name), NULL                                 \
    }
static const core_option import_options[] = {
    IMPORT_OPTION(hold, CORE_BOOL),
    IMPORT_OPTION(flatten, CORE_BOOL),
    IMPORT_OPTION(types, CORE_TEXT),
    IMPORT_OPTION(allow_loss, CORE_I4),
};

static bool import_options_of(dv_arrow_import_options *options, PyObject *dict)
{
    *options = (dv_arrow_import_options)DV_ARROW_IMPORT_OPTIONS_INIT;
    return core_options_set(options, import_options, sizeof import_options / sizeof *import_options,
                            dict);
}

/* arrow_import(capsule of a stream, options) */
PyObject *core_arrow_import(PyObject *module, PyObject *args)
{
    PyObject *capsule, *dict;
    dv_arrow_import_options options;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &dict) || !import_options_of(&options, dict))
        return NULL;
    struct ArrowArrayStream *const stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream)
        return NULL;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_import_arrow(&view, stream, &options, &err));
    return core_made(PyModule_GetState(module), status, view, &err);
}

/* arrow_import_array(capsule of a schema, capsule of an array, options) */
PyObject *core_arrow_import_array(PyObject *module, PyObject *args)
{
    PyObject *schema_capsule, *array_capsule, *dict;
    dv_arrow_import_options options;
    if (!PyArg_ParseTuple(args, "OOO", &schema_capsule, &array_capsule, &dict) ||
        !import_options_of(&options, dict))
        return NULL;
    struct ArrowSchema *const schema = PyCapsule_GetPointer(schema_capsule, "arrow_schema");
    struct ArrowArray *const array =
        schema ? PyCapsule_GetPointer(array_capsule, "arrow_array") : NULL;
    if (!array)
        return NULL;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_import_arrow_array(&view, schema, array, &options, &err));
    return core_made(PyModule_GetState(module), status, view, &err);
}

/* --- Sparse matrices -------------------------------------------------------------------------- */

enum { LIST, ITEM, INDEX, VALUE, NODES }; /* list<struct<index: int32, value>> */

/* Everything that schema and array of a matrix point to, in one allocation for each. */
typedef struct matrix_schema {
    struct ArrowSchema node[NODES], *list_child[1], *item_child[2];
    char *metadata, *name;
} matrix_schema;

typedef struct matrix_array {
    struct ArrowArray node[NODES], *list_child[1], *item_child[2];
    const void *list_buffer[2], *item_buffer[1], *index_buffer[2], *value_buffer[2];
    Py_buffer indptr, indices, data;
} matrix_array;

static void release_child_schema(struct ArrowSchema *schema)
{
    schema->release = NULL; /* the parent's release frees all */
}

static void release_child_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    matrix_schema *const all = schema->private_data;
    free(all->metadata);
    free(all->name);
    free(all);
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    matrix_array *const all = array->private_data;
    array->release = NULL;
    if (atomic_load(&core_is_exiting)) /* the interpreter may be gone */
        return;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyBuffer_Release(&all->indptr);
    PyBuffer_Release(&all->indices);
    PyBuffer_Release(&all->data);
    PyGILState_Release(gil);
    free(all);
}

/* Metadata with the one key dataview.type, as Arrow stores it. */
static char *type_metadata(const char *type)
{
    static const char key[] = "dataview.type";
    const int32_t one = 1, key_nbytes = sizeof key - 1, type_nbytes = (int32_t)strlen(type);
    char *const metadata = malloc(3 * sizeof one + (size_t)key_nbytes + (size_t)type_nbytes);
    if (!metadata)
        return NULL;
    char *p = metadata;
    memcpy(p, &one, 4);
    memcpy(p += 4, &key_nbytes, 4);
    memcpy(p += 4, key, (size_t)key_nbytes);
    memcpy(p += key_nbytes, &type_nbytes, 4);
    memcpy(p += 4, type, (size_t)type_nbytes);
    return metadata;
}

static bool make_schema(struct ArrowSchema *out, const char *name, const char *type, bool is_long,
                        const char *value_format)
{
    matrix_schema *const all = calloc(1, sizeof *all);
    if (!all)
        return false;
    const char *const formats[NODES] = {is_long ? "+L" : "+l", "+s", "i", value_format};
    const char *const names[NODES] = {"", "item", "index", "value"};
    for (int i = 0; i < NODES; i++) {
        all->node[i].format = formats[i];
        all->node[i].name = names[i];
        all->node[i].release = release_child_schema;
    }
    all->list_child[0] = &all->node[ITEM];
    all->item_child[0] = &all->node[INDEX];
    all->item_child[1] = &all->node[VALUE];
    all->node[LIST].n_children = 1;
    all->node[LIST].children = all->list_child;
    all->node[ITEM].n_children = 2;
    all->node[ITEM].children = all->item_child;
    all->metadata = type_metadata(type);
    all->name = strdup(name);
    *out = all->node[LIST];
    out->metadata = all->metadata;
    out->name = all->name;
    out->private_data = all;
    out->release = release_schema;
    if (all->metadata && all->name)
        return true;
    release_schema(out);
    return false;
}

/* The array around buffers that `all` holds. */
static void make_array(struct ArrowArray *out, matrix_array *all, int64_t rows)
{
    const int64_t entries = all->indices.len / 4;
    const int64_t lengths[NODES] = {rows, entries, entries, entries};
    const void **const buffers[NODES] = {all->list_buffer, all->item_buffer, all->index_buffer,
                                         all->value_buffer};
    for (int i = 0; i < NODES; i++) {
        all->node[i].length = lengths[i];
        all->node[i].n_buffers = i == ITEM ? 1 : 2;
        all->node[i].buffers = buffers[i];
        all->node[i].release = release_child_array;
    }
    all->list_buffer[1] = all->indptr.buf;
    all->index_buffer[1] = all->indices.buf;
    all->value_buffer[1] = all->data.buf;
    all->list_child[0] = &all->node[ITEM];
    all->item_child[0] = &all->node[INDEX];
    all->item_child[1] = &all->node[VALUE];
    all->node[LIST].n_children = 1;
    all->node[LIST].children = all->list_child;
    all->node[ITEM].n_children = 2;
    all->node[ITEM].children = all->item_child;
    *out = all->node[LIST];
    out->private_data = all;
    out->release = release_array;
}

/* The three arrays of a matrix fit each other; what they hold is checked as it is read. */
static const char *fault_of(const matrix_array *all, int64_t rows)
{
    if (all->indptr.itemsize != 4 && all->indptr.itemsize != 8)
        return "indptr must be int32 or int64";
    if (all->indptr.len / all->indptr.itemsize != rows + 1)
        return "indptr must have rows + 1 items";
    if (all->indices.itemsize != 4)
        return "indices must be int32";
    if (all->data.itemsize != 4 && all->data.itemsize != 8)
        return "data must be float32 or float64";
    if (all->data.len / all->data.itemsize != all->indices.len / 4)
        return "indices and data must be of one length";
    const char *const end = (const char *)all->indptr.buf + all->indptr.len;
    int64_t last = 0;
    if (all->indptr.itemsize == 8) {
        memcpy(&last, end - 8, 8);
    } else {
        int32_t small;
        memcpy(&small, end - 4, 4);
        last = small;
    }
    return last > all->indices.len / 4 ? "indptr ends after the entries" : NULL;
}

/* csr_import(name, type, rows, indptr, indices, data): a column of sparse vectors, in place */
PyObject *core_csr_import(PyObject *module, PyObject *args)
{
    PyObject *str;
    const char *name, *type;
    long long rows;
    matrix_array *const all = calloc(1, sizeof *all);
    if (!all)
        return PyErr_NoMemory();
    struct ArrowArray array = {0};
    struct ArrowSchema schema = {0};
    if (!PyArg_ParseTuple(args, "UsLy*y*y*", &str, &type, &rows, &all->indptr, &all->indices,
                          &all->data)) {
        free(all);
        return NULL;
    }
    make_array(&array, all, rows);
    if (!core_c_string(&name, str, "the name of a column")) {
        array.release(&array);
        return NULL;
    }
    const char *const fault = fault_of(all, rows);
    if (fault || !make_schema(&schema, name, type, all->indptr.itemsize == 8,
                              all->data.itemsize == 8 ? "g" : "f")) {
        array.release(&array);
        return fault ? PyErr_Format(PyExc_ValueError, "%s", fault) : PyErr_NoMemory();
    }
    const dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    CORE_WITHOUT_GIL(status = dv_view_import_arrow_array(&view, &schema, &array, &options, &err));
    if (schema.release)
        schema.release(&schema);
    if (array.release)
        array.release(&array);
    return core_made(PyModule_GetState(module), status, view, &err);
}
