/* SPDX-License-Identifier: MIT */
/* where.c: makes the filtered view of --where. */
#include "cli/args/where.h"
#include "cli/args/select.h"
#include <dataview/expression.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* In the shell a value may stand without quotes: --where town=Bath, --where 'day>=2024-05-01'.  So
 * that it is read as such, it gets quotes here; and the name before it, which may have blanks and
 * signs in it, gets backticks.  Everything else is an expression (docs/spec/expressions.md). */

/* A test of a column as it was typed. */
typedef struct test {
    dv_text name, sign, value;
    bool is_number; /* the column holds numbers */
} test;

static dv_text trim(dv_text text)
{
    for (; text.nbytes > 0 && *text.data == ' '; text.nbytes--)
        text.data++;
    while (text.nbytes > 0 && text.data[text.nbytes - 1] == ' ')
        text.nbytes--;
    return text;
}

dvi_exit dvi_where_check(const char *word)
{
    if (trim(dv_text_of(word)).nbytes > 0)
        return DVI_EXIT_DONE;
    return dvi_say_usage("--where expects a condition such as 'Age >= 18 and Town = \"Bath\"'");
}

/* --- Parts ------------------------------------------------------------------------------------ */

/* The bytes of the sign at `at`; 0: there is none. */
static int64_t sign_at(dv_text word, int64_t at)
{
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<>", "<", ">", "="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const int64_t n = (int64_t)strlen(signs[i]);
        if (word.nbytes - at >= n && memcmp(word.data + at, signs[i], (size_t)n) == 0)
            return n;
    }
    return 0;
}

static bool is_number_type(const dv_type *type)
{
    return type->rank == 0 && !type->is_key && dv_type_is_number(type) && type->kind != DV_KIND_UG;
}

static bool find(test *test_out, const dv_schema *schema, dv_text name)
{
    int32_t column;
    if (dv_schema_find(schema, name, &column) != DV_OK)
        return false;
    test_out->name = name;
    test_out->is_number = is_number_type(&dv_schema_column(schema, column)->type);
    return true;
}

/* NAME SIGN VALUE: names and values may contain signs, and the longest existing name wins. */
static bool read_test(test *test_out, const dv_schema *schema, dv_text word)
{
    for (int64_t at = word.nbytes - 1; at > 0; at--) {
        const int64_t n = sign_at(word, at);
        const dv_text name = {word.data, at};
        if (n == 0 || !find(test_out, schema, trim(name)))
            continue;
        test_out->sign = (dv_text){word.data + at, n};
        test_out->value = trim((dv_text){word.data + at + n, word.nbytes - at - n});
        return true;
    }
    return false;
}

/* NAME is na, NAME is not na */
static bool read_missing(test *test_out, const dv_schema *schema, dv_text word)
{
    static const char *const ends[] = {" is not na", " is na"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const int64_t n = (int64_t)strlen(ends[i]), left = word.nbytes - n;
        if (left <= 0 || strncasecmp(word.data + left, ends[i], (size_t)n) != 0)
            continue;
        if (!find(test_out, schema, trim((dv_text){word.data, left})))
            continue;
        test_out->sign = (dv_text){word.data + left, n};
        test_out->value = (dv_text){word.data, 0};
        return true;
    }
    return false;
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_word_at(dv_text text, int64_t at, const char *word)
{
    const int64_t n = (int64_t)strlen(word), end = at + n;
    return (at == 0 || !is_letter(text.data[at - 1])) && end <= text.nbytes &&
           strncasecmp(text.data + at, word, (size_t)n) == 0 &&
           (end == text.nbytes || !is_letter(text.data[end]));
}

/* Does the value hold a word of the language that joins conditions?  Or does it begin with a quote
 * or backtick, or end with a parenthesis after the name of a function? */
static bool is_compound(dv_text text)
{
    static const char *const words[] = {"and", "or", "not", "in", "between", "like", "is"};
    static const char *const functions[] = {"abs",    "round", "sqrt",     "log",      "exp",
                                            "length", "lower", "upper",    "contains", "year",
                                            "month",  "day",   "coalesce", "if"};
    if (text.nbytes > 0 && memchr("'\"`", *text.data, 3))
        return true;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (is_word_at(text, 0, functions[k]) && text.data[text.nbytes - 1] == ')')
            return true;
    for (int64_t i = 0; i < text.nbytes; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (is_word_at(text, i, words[k]))
                return true;
    return false;
}

/* Is the whole text between two quotes, without such quotes inside? */
static bool is_quoted(dv_text text)
{
    const char quote = text.nbytes > 1 ? *text.data : 0;
    return (quote == '"' || quote == '\'') && text.data[text.nbytes - 1] == quote &&
           !memchr(text.data + 1, quote, (size_t)text.nbytes - 2);
}

static bool is_number(dv_text text)
{
    char copy[64], *end;
    if (text.nbytes < 1 || text.nbytes >= (int64_t)sizeof copy)
        return false;
    memcpy(copy, text.data, (size_t)text.nbytes);
    copy[text.nbytes] = '\0';
    strtod(copy, &end);
    return !*end && strpbrk(copy, "0123456789");
}

/* Texts have an order of their own, in which 9 comes after 10: a number is compared with them only
 * in quotes. */
static dvi_exit check_order(const test *t, const dv_schema *schema)
{
    int32_t column;
    const bool is_order = t->sign.nbytes > 0 && strchr("<>", *t->sign.data) != NULL;
    if (!is_order || !is_number(t->value) || dv_schema_find(schema, t->name, &column) != DV_OK ||
        dv_schema_column(schema, column)->type.kind != DV_KIND_TX)
        return DVI_EXIT_DONE;
    const int n = (int)t->name.nbytes;
    return dvi_say_usage("--where: column \"%.*s\" is text, in which 9 comes after 10: --convert "
                         "'%.*s:R8' makes numbers of it, quotes around the value compare texts",
                         n, t->name.data, n, t->name.data);
}

/* --- Text of the expression ------------------------------------------------------------------- */

/* has_failed: memory is out, and the text is not whole. */
typedef struct growing {
    char *data;
    int64_t nbytes, cap;
    bool has_failed;
} growing;

static void put(growing *out, dv_text text)
{
    if (out->nbytes + text.nbytes > out->cap) {
        const int64_t cap = 2 * (out->nbytes + text.nbytes) + 64;
        char *wider = realloc(out->data, (size_t)cap);
        out->has_failed |= !wider;
        if (!wider)
            return;
        out->data = wider;
        out->cap = cap;
    }
    if (text.nbytes > 0)
        memcpy(out->data + out->nbytes, text.data, (size_t)text.nbytes);
    out->nbytes += text.nbytes;
}

/* Between quotes; a quote in the text is doubled. */
static void put_quoted(growing *out, dv_text text, char quote)
{
    const dv_text one = {&quote, 1};
    put(out, one);
    for (int64_t i = 0; i < text.nbytes; i++) {
        if (text.data[i] == quote)
            put(out, one);
        put(out, (dv_text){text.data + i, 1});
    }
    put(out, one);
}

/* A number that an expression does not hold, but its column does. */
static bool is_far_number(const test *t)
{
    static const char *const names[] = {"inf", "-inf", "infinity", "-infinity"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (t->value.nbytes == (int64_t)strlen(names[i]) &&
            strncasecmp(t->value.data, names[i], (size_t)t->value.nbytes) == 0)
            return true;
    for (int64_t i = 0; i < t->value.nbytes; i++)
        if (t->value.data[i] < '0' || t->value.data[i] > '9')
            return false;
    return t->value.nbytes > 18;
}

/* Write a test with its quotes. */
static void put_test(growing *out, const test *t)
{
    put_quoted(out, t->name, '`');
    put(out, t->sign);
    if (is_quoted(t->value) || t->value.nbytes == 0 || (t->is_number && !is_far_number(t)))
        put(out, t->value);
    else
        put_quoted(out, t->value, '\'');
}

/* Without quotes, the name of another column may mean its value or itself. */
static dvi_exit check_column(const test *t, const dv_schema *schema)
{
    int32_t column;
    if (t->is_number || is_quoted(t->value) || is_number(t->value) ||
        dv_schema_find(schema, t->value, &column) != DV_OK)
        return DVI_EXIT_DONE;
    const int n = (int)t->value.nbytes, name = (int)t->name.nbytes;
    return dvi_say_usage(
        "--where: \"%.*s\" is also the name of a column: write '%.*s=\"%.*s\"' for "
        "the text, '%.*s=`%.*s`' for the column",
        n, t->value.data, name, t->name.data, n, t->value.data, name, t->name.data, n,
        t->value.data);
}

static dvi_exit put_word(growing *out, const char *given, const dv_schema *schema)
{
    const dv_text word = trim(dv_text_of(given));
    test t;
    if (read_missing(&t, schema, word)) {
        put_test(out, &t);
    } else if (read_test(&t, schema, word) && (is_quoted(t.value) || !is_compound(t.value))) {
        if (t.value.nbytes == 0 && !t.is_number)
            t.value = dv_text_of("''");
        put_test(out, &t);
        const dvi_exit status = check_column(&t, schema);
        return status ? status : check_order(&t, schema);
    } else {
        put(out, word);
    }
    return DVI_EXIT_DONE;
}

static bool ignore(void *ctx, const char *data, size_t nbytes)
{
    (void)ctx;
    (void)data;
    (void)nbytes;
    return true;
}

/* Add one --where to the text.  Each must be an expression alone: a parenthesis of one does not
 * close that of another. */
static dvi_exit add_word(growing *out, const char *given, const dv_schema *schema)
{
    const dv_sink nowhere = {ignore, NULL};
    dv_error err = DV_ERROR_INIT;
    const int64_t begin = out->nbytes;
    const dvi_exit status = put_word(out, given, schema);
    if (status)
        return status;
    if (out->has_failed)
        return dvi_say_memory();
    const dv_text text = {out->data + begin, out->nbytes - begin};
    if (dv_expression_print(text, &nowhere, NULL, &err) == DV_OK)
        return DVI_EXIT_DONE;
    return err.status == DV_ERR_ARGUMENT ? dvi_say_usage("--where: %s", err.message)
                                         : dvi_say_error(&err);
}

static dvi_exit write_all(growing *out, const dvi_words *words, const dv_schema *schema)
{
    for (int i = 0; i < words->count; i++) {
        put(out, dv_text_of(words->count == 1 ? "" : i == 0 ? "(" : ") and ("));
        const dvi_exit status = add_word(out, words->word[i], schema);
        if (status)
            return status;
    }
    put(out, dv_text_of(words->count == 1 ? "" : ")"));
    return out->has_failed ? dvi_say_memory() : DVI_EXIT_DONE;
}

dvi_exit dvi_where(dv_view **view, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *made = NULL;
    growing text = {0};
    if (args->where.count == 0)
        return DVI_EXIT_DONE;
    dvi_exit status = write_all(&text, &args->where, dv_view_schema(*view));
    const dv_text condition = {text.data, text.nbytes};
    if (!status && dv_view_where(&made, *view, condition, NULL, &err) != DV_OK)
        status = err.status == DV_ERR_ARGUMENT ? dvi_say_usage("--where: %s", err.message)
                                               : dvi_say_error(&err);
    free(text.data);
    if (status)
        return status;
    dv_view_release(view);
    *view = made;
    return status;
}
