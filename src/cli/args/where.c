/* SPDX-License-Identifier: MIT */
/* where.c: parses NAME OP VALUE and NAME is na, and makes the filtered view. */
#include "cli/args/where.h"
#include "cli/args/select.h"
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *sign;
    unsigned relations;
} signs[] = {{"<=", DV_IS_LESS | DV_IS_EQUAL},
             {">=", DV_IS_GREATER | DV_IS_EQUAL},
             {"==", DV_IS_EQUAL},
             {"!=", DV_IS_LESS | DV_IS_GREATER},
             {"<>", DV_IS_LESS | DV_IS_GREATER},
             {"<", DV_IS_LESS},
             {">", DV_IS_GREATER},
             {"=", DV_IS_EQUAL}};

static dv_text trim(dv_text text)
{
    for (; text.nbytes > 0 && *text.data == ' '; text.nbytes--)
        text.data++;
    while (text.nbytes > 0 && text.data[text.nbytes - 1] == ' ')
        text.nbytes--;
    return text;
}

/* Strip quotes around the text. */
static dv_text unquote(dv_text text)
{
    const char first = text.nbytes > 1 ? *text.data : 0;
    if ((first == '"' || first == '\'') && text.data[text.nbytes - 1] == first)
        return (dv_text){text.data + 1, text.nbytes - 2};
    return text;
}

/* "NAME is na", or "NAME is not na". */
static bool read_missing(dv_condition *condition_out, dv_text word)
{
    static const struct {
        const char *end;
        unsigned relations;
    } ends[] = {{" is not na", DV_IS_VALUE}, {" is na", DV_IS_NA}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const int64_t n = (int64_t)strlen(ends[i].end), left = word.nbytes - n;
        if (left > 0 && strncasecmp(word.data + left, ends[i].end, (size_t)n) == 0) {
            const dv_text name = {word.data, left};
            *condition_out = (dv_condition){trim(name), ends[i].relations, dv_text_of(NULL)};
            return true;
        }
    }
    return false;
}

/* Read the longest sign at `at`. */
static bool read_sign(dv_condition *condition_out, dv_text word, int64_t at)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const int64_t n = (int64_t)strlen(signs[i].sign);
        if (word.nbytes - at >= n && memcmp(word.data + at, signs[i].sign, (size_t)n) == 0) {
            const dv_text name = {word.data, at};
            const dv_text value = {word.data + at + n, word.nbytes - at - n};
            *condition_out = (dv_condition){trim(name), signs[i].relations, unquote(trim(value))};
            return true;
        }
    }
    return false;
}

/* Read the word by its first sign; false: it has none. */
static bool read_first(dv_condition *condition_out, dv_text word)
{
    if (read_missing(condition_out, word))
        return true;
    for (int64_t at = 1; at < word.nbytes; at++)
        if (read_sign(condition_out, word, at))
            return true;
    return false;
}

dvi_exit dvi_where_check(const char *word)
{
    dv_condition condition;
    if (read_first(&condition, trim(dv_text_of(word))) && condition.column.nbytes > 0)
        return DVI_EXIT_DONE;
    return dvi_say_usage(
        "--where expects NAME OP VALUE such as 'Age>=18', or 'NAME is na', not '%s'", word);
}

static bool has_column(const dv_schema *schema, dv_text name)
{
    int32_t column;
    return dv_schema_find(schema, name, &column) == DV_OK;
}

/* Is it `<`, `<=`, `>` or `>=`? */
static bool is_order(unsigned relations)
{
    return !(relations & DV_IS_LESS) != !(relations & DV_IS_GREATER);
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
 * in quotes, after which a word goes on. */
static dvi_exit check_order(const dv_condition *c, dv_text word, const dv_schema *schema)
{
    int32_t column;
    const bool is_quoted = c->value.data + c->value.nbytes < word.data + word.nbytes;
    if (is_quoted || !is_order(c->relations) || !is_number(c->value) ||
        dv_schema_find(schema, c->column, &column) != DV_OK ||
        dv_schema_column(schema, column)->type.kind != DV_KIND_TX)
        return DVI_EXIT_DONE;
    const int n = (int)c->column.nbytes;
    return dvi_say_usage("--where: column \"%.*s\" is text, in which 9 comes after 10: --convert "
                         "'%.*s:R8' makes numbers of it, quotes around the value compare texts",
                         n, c->column.data, n, c->column.data);
}

/* Names and values may contain signs: the longest existing name wins. */
static dvi_exit read_condition(dv_condition *c, const dv_schema *schema, const char *given)
{
    const dv_text word = trim(dv_text_of(given));
    if (read_missing(c, word) && has_column(schema, c->column))
        return DVI_EXIT_DONE;
    for (int64_t at = word.nbytes - 1; at > 0; at--)
        if (read_sign(c, word, at) && has_column(schema, c->column))
            return check_order(c, word, schema);
    read_first(c, word);
    return dvi_say_no_column(schema, "--where", c->column);
}

dvi_exit dvi_where(dv_view **view, const dvi_args *args)
{
    const dvi_words *words = &args->where;
    dv_error err = DV_ERROR_INIT;
    dv_view *made = NULL;
    dvi_exit status = DVI_EXIT_DONE;
    if (words->count == 0)
        return status;
    dv_condition *conditions = calloc((size_t)words->count, sizeof *conditions);
    if (!conditions)
        return dvi_say_memory();
    for (int i = 0; i < words->count && !status; i++)
        status = read_condition(&conditions[i], dv_view_schema(*view), words->word[i]);
    if (!status && dv_view_filter(&made, *view, conditions, words->count, NULL, &err) != DV_OK)
        status = err.status == DV_ERR_ARGUMENT ? dvi_say_usage("--where: %s", err.message)
                                               : dvi_say_error(&err);
    free(conditions);
    if (status)
        return status;
    dv_view_release(view);
    *view = made;
    return status;
}
