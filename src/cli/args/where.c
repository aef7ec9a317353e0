/* SPDX-License-Identifier: MIT */
/* where.c: makes the filtered view of --where. */
#include "cli/args/where.h"
#include "cli/args/select.h"
#include <dataview/expression.h>
#include <stdio.h>
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

/* --- Parts -------------------------------------------------------------------------------------
 */

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

/* --- Values ------------------------------------------------------------------------------------
 */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Does the text hold a word of the language that joins conditions, a quote or a parenthesis? */
static bool is_compound(dv_text text)
{
    static const char *const words[] = {"and", "or", "not", "in", "between", "like", "is"};
    for (int64_t i = 0; i < text.nbytes; i++) {
        if (memchr("'\"`()", text.data[i], 5))
            return true;
        if (i > 0 && is_letter(text.data[i - 1]))
            continue;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            const int64_t n = (int64_t)strlen(words[k]), end = i + n;
            if (end <= text.nbytes && strncasecmp(text.data + i, words[k], (size_t)n) == 0 &&
                (end == text.nbytes || !is_letter(text.data[end])))
                return true;
        }
    }
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

/* --- Text of the expression --------------------------------------------------------------------
 */

static void put_quoted(FILE *out, dv_text text, char quote)
{
    fputc(quote, out);
    for (int64_t i = 0; i < text.nbytes; i++) {
        if (text.data[i] == quote)
            fputc(quote, out);
        fputc(text.data[i], out);
    }
    fputc(quote, out);
}

static void put(FILE *out, dv_text text)
{
    fwrite(text.data, 1, (size_t)text.nbytes, out);
}

/* Write a test with its quotes; a value that is the name of a column stands for that column. */
static void put_test(FILE *out, const test *t, const dv_schema *schema)
{
    int32_t column;
    put_quoted(out, t->name, '`');
    put(out, t->sign);
    if (dv_schema_find(schema, t->value, &column) == DV_OK)
        put_quoted(out, t->value, '`');
    else if (t->is_number || is_quoted(t->value) || t->value.nbytes == 0)
        put(out, t->value);
    else
        put_quoted(out, t->value, '\'');
}

static dvi_exit put_word(FILE *out, const char *given, const dv_schema *schema)
{
    const dv_text word = trim(dv_text_of(given));
    test t;
    if (read_missing(&t, schema, word)) {
        put_test(out, &t, schema);
    } else if (read_test(&t, schema, word) && (is_quoted(t.value) || !is_compound(t.value))) {
        if (t.value.nbytes == 0 && !t.is_number)
            t.value = dv_text_of("''");
        put_test(out, &t, schema);
        return check_order(&t, schema);
    } else {
        put(out, word);
    }
    return DVI_EXIT_DONE;
}

dvi_exit dvi_where(dv_view **view, const dvi_args *args)
{
    const dvi_words *words = &args->where;
    const dv_schema *schema = dv_view_schema(*view);
    dv_error err = DV_ERROR_INIT;
    dv_view *made = NULL;
    char *text = NULL;
    size_t nbytes = 0;
    dvi_exit status = DVI_EXIT_DONE;
    if (words->count == 0)
        return status;
    FILE *out = open_memstream(&text, &nbytes);
    if (!out)
        return dvi_say_memory();
    for (int i = 0; i < words->count && !status; i++) {
        fputs(words->count == 1 ? "" : i == 0 ? "(" : ") and (", out);
        status = put_word(out, words->word[i], schema);
    }
    fputs(words->count == 1 ? "" : ")", out);
    const bool is_whole = !ferror(out);
    if (fclose(out) != 0 || !is_whole)
        status = status ? status : dvi_say_memory();
    const dv_text condition = {text, (int64_t)nbytes};
    if (!status && dv_view_where(&made, *view, condition, NULL, &err) != DV_OK)
        status = err.status == DV_ERR_ARGUMENT ? dvi_say_usage("--where: %s", err.message)
                                               : dvi_say_error(&err);
    free(text);
    if (status)
        return status;
    dv_view_release(view);
    *view = made;
    return status;
}
