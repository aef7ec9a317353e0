/* SPDX-License-Identifier: MIT */
/* core_options.c: how do Python values become the arguments and options of the library? */
#include "core.h"

#include <limits.h>
#include <string.h>

bool core_has_arguments(Py_ssize_t n, Py_ssize_t wanted)
{
    if (n != wanted)
        PyErr_Format(PyExc_TypeError, "%zd arguments, not %zd", wanted, n);
    return n == wanted;
}

bool core_text(dv_text *text_out, PyObject *str)
{
    Py_ssize_t nbytes = 0;
    if (!PyUnicode_Check(str)) /* what Python says of it names neither */
        PyErr_Format(PyExc_TypeError, "expected a str, not %R", str);
    const char *const data = PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &nbytes) : NULL;
    *text_out = (dv_text){data, nbytes};
    return data;
}

bool core_c_string(const char **text_out, PyObject *str, const char *what)
{
    dv_text text;
    *text_out = NULL;
    if (!core_text(&text, str))
        return false;
    if (memchr(text.data, '\0', (size_t)text.nbytes)) {
        PyErr_Format(PyExc_ValueError, "%s must not hold NUL: %R", what, str);
        return false;
    }
    *text_out = text.data;
    return true;
}

/* --- Options ---------------------------------------------------------------------------------- */

/* The number of a word in a list of words; -1: it is not there. */
static int choice_of(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    int number = 0;
    for (const char *p = choices; *p; number++) {
        const size_t n = strcspn(p, " ");
        if (n == length && memcmp(p, word, n) == 0)
            return number;
        p += n + (p[n] == ' ');
    }
    return -1;
}

static bool set_choice(int *member, const core_option *option, PyObject *value)
{
    const char *word;
    if (!core_c_string(&word, value, option->name))
        return false;
    *member = choice_of(option->choices, word);
    if (*member >= 0)
        return true;
    PyErr_Format(PyExc_ValueError, "%s=%R: expected one of %s", option->name, value,
                 option->choices);
    return false;
}

/* Negative numbers too: ML.NET's seeds have a sign. */
static bool set_seed(uint64_t *member, PyObject *value)
{
    int is_beyond;
    const long long number = PyLong_AsLongLongAndOverflow(value, &is_beyond);
    if (is_beyond == 0)
        *member = (uint64_t)number;
    else if (is_beyond > 0)
        *member = PyLong_AsUnsignedLongLong(value);
    else
        PyErr_SetNone(PyExc_OverflowError);
    return !PyErr_Occurred();
}

static bool set_number(void *member, const core_option *option, PyObject *value)
{
    if (option->kind == CORE_R8) {
        *(double *)member = PyFloat_AsDouble(value);
        return !PyErr_Occurred();
    }
    if (option->kind == CORE_U8)
        return set_seed(member, value);
    const long long number = PyLong_AsLongLong(value);
    if (PyErr_Occurred())
        return false;
    if (option->kind == CORE_I8) {
        *(int64_t *)member = number;
        return true;
    }
    if (number < INT32_MIN || number > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s=%lld is out of range", option->name, number);
        return false;
    }
    *(int32_t *)member = (int32_t)number;
    return true;
}

/* Say which option has a value of another type. */
static bool named(const core_option *option, PyObject *value)
{
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        static const char *const expected[] = {"True or False",  "a whole number", "a whole number",
                                               "a whole number", "a number",       "a str",
                                               "a str"};
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s=%R: expected %s", option->name, value,
                     expected[option->kind]);
    } else if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s=%R is out of range", option->name, value);
    }
    return false;
}

static bool set_member(void *member, const core_option *option, PyObject *value)
{
    switch (option->kind) {
    case CORE_BOOL: {
        const int is_true = PyObject_IsTrue(value);
        *(bool *)member = is_true == 1;
        return is_true >= 0;
    }
    case CORE_TEXT: {
        *(const char **)member = NULL;
        return value == Py_None || core_c_string(member, value, option->name);
    }
    case CORE_CHOICE:
        return set_choice(member, option, value);
    default:
        return set_number(member, option, value);
    }
}

bool core_options_set(void *options, const core_option *list, size_t n, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name;
        if (!core_c_string(&name, key, "the name of an option"))
            return false;
        size_t i = 0;
        while (i < n && strcmp(list[i].name, name) != 0)
            i++;
        if (i == n) {
            PyErr_Format(PyExc_TypeError, "there is no option '%s'", name);
            return false;
        }
        if (!set_member((char *)options + list[i].at, &list[i], value))
            return named(&list[i], value);
    }
    return true;
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* The items of a sequence, as a list whose items it keeps; NULL with an exception. */
static PyObject *items_of(PyObject *sequence, int64_t *n_out)
{
    PyObject *const list = PySequence_List(sequence);
    *n_out = list ? PyList_Size(list) : -1;
    if (list && *n_out > INT32_MAX) {
        Py_DECREF(list);
        PyErr_SetString(PyExc_ValueError, "more than 2^31-1 items");
        return NULL;
    }
    return list;
}

/* Memory for n items, never NULL but with an exception. */
static void *room_for(int64_t n, size_t item_nbytes)
{
    void *const room = PyMem_Malloc((size_t)(n ? n : 1) * item_nbytes);
    if (!room)
        PyErr_NoMemory();
    return room;
}

bool core_int32_list(int32_t **numbers_out, int32_t *n_out, PyObject *sequence)
{
    *numbers_out = NULL;
    *n_out = -1;
    if (sequence == Py_None)
        return true;
    int64_t n;
    PyObject *const list = items_of(sequence, &n);
    int32_t *const numbers = list ? room_for(n, sizeof *numbers) : NULL;
    for (int64_t i = 0; numbers && i < n; i++) {
        const long long number = PyLong_AsLongLong(PyList_GetItem(list, i));
        numbers[i] = (int32_t)number;
        if (number == -1 && PyErr_Occurred())
            break;
        if (number != numbers[i]) {
            PyErr_Format(PyExc_ValueError, "%lld is out of range", number);
            break;
        }
    }
    Py_XDECREF(list);
    if (PyErr_Occurred()) {
        PyMem_Free(numbers);
        return false;
    }
    *numbers_out = numbers;
    *n_out = (int32_t)n;
    return true;
}

/* Row numbers may be many: a contiguous array of int64 is copied as it is. */
bool core_int64_list(int64_t **numbers_out, int64_t *n_out, PyObject *source)
{
    *numbers_out = NULL;
    Py_buffer bytes;
    if (PyObject_GetBuffer(source, &bytes, PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS) < 0)
        return false;
    const bool fits = bytes.itemsize == 8 && bytes.ndim == 1 && bytes.format &&
                      (strcmp(bytes.format, "l") == 0 || strcmp(bytes.format, "q") == 0);
    int64_t *const numbers = fits ? room_for(bytes.shape[0], sizeof *numbers) : NULL;
    if (!fits)
        PyErr_SetString(PyExc_TypeError, "row numbers must be an array of int64");
    if (numbers) {
        memcpy(numbers, bytes.buf, (size_t)bytes.len);
        *numbers_out = numbers;
        *n_out = bytes.shape[0];
    }
    PyBuffer_Release(&bytes);
    return numbers;
}

/* The lists below borrow from the strings, which the caller's sequence keeps: it must be a list or
 * a tuple. */
static bool is_list(PyObject *sequence, int64_t *n_out)
{
    *n_out = PyList_Check(sequence)    ? PyList_Size(sequence)
             : PyTuple_Check(sequence) ? PyTuple_Size(sequence)
                                       : -1;
    if (*n_out >= 0 && *n_out <= INT32_MAX)
        return true;
    PyErr_SetString(PyExc_TypeError, "expected a list or a tuple");
    return false;
}

static PyObject *item_at(PyObject *sequence, int64_t i)
{
    return PyList_Check(sequence) ? PyList_GetItem(sequence, i) : PyTuple_GetItem(sequence, i);
}

bool core_text_list(dv_text **texts_out, int32_t *n_out, PyObject *sequence)
{
    int64_t n;
    *texts_out = NULL;
    dv_text *const texts = is_list(sequence, &n) ? room_for(n, sizeof *texts) : NULL;
    for (int64_t i = 0; texts && i < n; i++)
        if (!core_text(&texts[i], item_at(sequence, i))) {
            PyMem_Free(texts);
            return false;
        }
    *texts_out = texts;
    *n_out = (int32_t)n;
    return texts;
}

bool core_spec_list(dv_column_spec **specs_out, int32_t *n_out, PyObject *sequence)
{
    int64_t n;
    *specs_out = NULL;
    dv_column_spec *const specs = is_list(sequence, &n) ? room_for(n, sizeof *specs) : NULL;
    for (int64_t i = 0; specs && i < n; i++) {
        PyObject *const pair = item_at(sequence, i);
        PyObject *const name =
            PyTuple_Check(pair) && PyTuple_Size(pair) == 2 ? PyTuple_GetItem(pair, 1) : NULL;
        specs[i].name = dv_text_of(NULL);
        if (!name)
            PyErr_SetString(PyExc_TypeError, "expected pairs of names");
        if (!name || !core_text(&specs[i].source, PyTuple_GetItem(pair, 0)) ||
            (name != Py_None && !core_text(&specs[i].name, name))) {
            PyMem_Free(specs);
            return false;
        }
    }
    *specs_out = specs;
    *n_out = (int32_t)n;
    return specs;
}

bool core_view_list(dv_view ***views_out, int32_t *n_out, core_state *state, PyObject *sequence)
{
    int64_t n;
    *views_out = NULL;
    dv_view **const views = is_list(sequence, &n) ? room_for(n, sizeof *views) : NULL;
    for (int64_t i = 0; views && i < n; i++) {
        PyObject *const item = item_at(sequence, i);
        const bool is_view = PyObject_TypeCheck(item, state->type[CORE_TYPE_view]);
        if (!is_view)
            PyErr_SetString(PyExc_TypeError, "expected views");
        views[i] = is_view ? core_view_of((const core_view *)item) : NULL;
        if (!views[i]) {
            PyMem_Free(views);
            return false;
        }
    }
    *views_out = views;
    *n_out = (int32_t)n;
    return views;
}
