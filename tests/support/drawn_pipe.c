/* SPDX-License-Identifier: MIT */
/* drawn_pipe.c: draws steps of pipelines. */
#include "support/drawn_pipe.h"
#include "support/many_rows.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t below(uint64_t *state, uint64_t n)
{
    return dvt_draw(state) % n;
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* A name in quotes, whatever is in it. */
static void add_name(dvt_lines *text, dv_text name)
{
    dvt_lines_add(text, "\"", 1);
    for (int64_t i = 0; i < name.nbytes; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\')
            dvt_lines_add(text, "\\", 1);
        dvt_lines_add(text, name.data + i, 1);
    }
    dvt_lines_add(text, "\"", 1);
}

/* Nearly always one that there is. */
static void add_source(dvt_lines *text, const dv_schema *schema, uint64_t *state)
{
    const int32_t n = dv_schema_columns(schema);
    if (n == 0 || below(state, 40) == 0)
        dvt_lines_print(text, "nobody");
    else
        add_name(text, dv_schema_column(schema, (int32_t)below(state, (uint64_t)n))->name);
}

static void add_column(dvt_lines *text, dv_step_columns form, const dv_schema *schema,
                       uint64_t *state)
{
    if (form == DV_STEP_COLUMNS_NAMES && below(state, 8) == 0) {
        dvt_lines_print(text, "n%d", (int)below(state, 4));
        return;
    }
    if (form != DV_STEP_COLUMNS_NAMES && below(state, 3) > 0)
        dvt_lines_print(text, "n%d:", (int)below(state, 4));
    add_source(text, schema, state);
    for (uint64_t more = below(state, 3); form == DV_STEP_COLUMNS_MANY && more > 0; more--) {
        dvt_lines_print(text, ",");
        add_source(text, schema, state);
    }
}

/* --- Options ---------------------------------------------------------------------------------- */

static void add_integer(dvt_lines *text, const dv_step_option *option, uint64_t *state)
{
    static const int64_t some[] = {0, 1, 2, 3, 4, 5, 7, 10};
    int64_t value = some[below(state, COUNT(some))];
    value = value < option->least ? option->least : value > option->most ? option->most : value;
    dvt_lines_print(text, "=%lld", (long long)value);
}

static void add_word(dvt_lines *text, const char *words, uint64_t *state)
{
    int n = 1;
    for (const char *at = words; *at; at++)
        n += *at == '|';
    for (uint64_t i = below(state, (uint64_t)n); i > 0; i--)
        words = strchr(words, '|') + 1;
    dvt_lines_print(text, "=%.*s", (int)strcspn(words, "|"), words);
}

/* A type, a column, or any text. */
static void add_text(dvt_lines *text, const dv_schema *schema, uint64_t *state)
{
    static const char *const some[] = {"R4", "R8",      "TX", "I4", "U4[3]", "V<R4,3>",
                                       "BL", "\"a ,\"", "1",  "DT", "\" \"", "10-90"};
    dvt_lines_print(text, "=");
    if (below(state, 3) == 0)
        add_source(text, schema, state);
    else
        dvt_lines_print(text, "%s", some[below(state, COUNT(some))]);
}

static void add_texts(dvt_lines *text, const dv_schema *schema, uint64_t *state)
{
    static const char *const some[] = {"a", "1", "\"b c\"", "0", "2-3", "0-", "-0", "NaN", "\"\""};
    dvt_lines_print(text, "=[");
    for (uint64_t n = below(state, 4); n > 0; n--) {
        dvt_lines_print(text, " ");
        if (below(state, 2) == 0)
            add_source(text, schema, state);
        else
            dvt_lines_print(text, "%s", some[below(state, COUNT(some))]);
    }
    dvt_lines_print(text, "]");
}

static void add_option(dvt_lines *text, const dv_step_option *option, const dv_schema *schema,
                       uint64_t *state)
{
    static const char *const numbers[] = {"-1", "0", "0.25", "1", "2", "100", "1e30"};
    dvt_lines_print(text, " %s", option->name);
    switch (option->kind) {
    case DV_STEP_OPTION_FLAG:
        dvt_lines_print(text, "%s", below(state, 2) ? "+" : "-");
        break;
    case DV_STEP_OPTION_INTEGER:
        add_integer(text, option, state);
        break;
    case DV_STEP_OPTION_NUMBER:
        dvt_lines_print(text, "=%s", numbers[below(state, COUNT(numbers))]);
        break;
    case DV_STEP_OPTION_WORD:
        add_word(text, option->words, state);
        break;
    case DV_STEP_OPTION_TEXT:
        add_text(text, schema, state);
        break;
    default:
        add_texts(text, schema, state);
        break;
    }
}

/* 31 bits, the initial value where there are such, are too many for vectors in a test. */
static bool must_give(const dv_step_option *option)
{
    return strcmp(option->name, "bits") == 0;
}

bool dvt_step_is_of_models(const dv_transform_info *info)
{
    return strcmp(info->name, "predict") == 0 || strcmp(info->name, "calibrate") == 0;
}

void dvt_draw_step(dvt_lines *text, const dv_transform_info *info, const dv_schema *schema,
                   uint64_t *state)
{
    dvt_lines_print(text, "%s", info->name);
    const uint64_t columns =
        info->columns == DV_STEP_COLUMNS_NONE ? 0 : 1 + below(state, below(state, 2) ? 1 : 3);
    for (uint64_t k = 0; k < columns; k++) {
        dvt_lines_print(text, " ");
        add_column(text, info->columns, schema, state);
    }
    for (int32_t i = 0; i < info->options_count; i++)
        if (info->options[i].kind != DV_STEP_OPTION_TABLE &&
            (must_give(&info->options[i]) || below(state, 3) == 0))
            add_option(text, &info->options[i], schema, state);
}
