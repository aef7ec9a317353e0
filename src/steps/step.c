/* SPDX-License-Identifier: MIT */
/* step.c: the list of steps of the library, and values of options. */
#include "base/check.h"
#include "base/nearest.h"
#include "codec/scalar.h"
#include "steps/step_registry.h"
#include <stdio.h>
#include <string.h>

/* --- The list --------------------------------------------------------------------------------- */

#define FLAG(option, start, text)                                                                  \
    {.name = #option, .initial = (start), .summary = (text), .kind = DV_STEP_OPTION_FLAG},
#define INTEGER(option, start, low, high, text)                                                    \
    {.name = #option,                                                                              \
     .initial = (start),                                                                           \
     .summary = (text),                                                                            \
     .kind = DV_STEP_OPTION_INTEGER,                                                               \
     .least = (low),                                                                               \
     .most = (high)},
#define NUMBER(option, start, text)                                                                \
    {.name = #option, .initial = (start), .summary = (text), .kind = DV_STEP_OPTION_NUMBER},
#define WORD(option, start, list, text)                                                            \
    {.name = #option,                                                                              \
     .initial = (start),                                                                           \
     .summary = (text),                                                                            \
     .kind = DV_STEP_OPTION_WORD,                                                                  \
     .words = (list)},
#define TEXT(option, start, text)                                                                  \
    {.name = #option, .initial = (start), .summary = (text), .kind = DV_STEP_OPTION_TEXT},
#define TEXTS(option, text)                                                                        \
    {.name = #option, .initial = "", .summary = (text), .kind = DV_STEP_OPTION_TEXTS},

#define TABLE(option, text)                                                                        \
    {.name = #option, .initial = "", .summary = (text), .kind = DV_STEP_OPTION_TABLE},

#define OPTIONS(step, ml_net, form, text, ...)                                                     \
    static const dv_step_option step##_options[] = {__VA_ARGS__{.name = NULL}};
DVI_TRANSFORM_LIST(OPTIONS, FLAG, INTEGER, NUMBER, WORD, TEXT, TEXTS, TABLE)
#undef OPTIONS

const dv_transform_info dvi_transforms[] = {
#define STEP(step, names, columns, text, ...)                                                      \
    {DVI_STEP_##step,                                                                              \
     #step,                                                                                        \
     names,                                                                                        \
     text,                                                                                         \
     DV_STEP_COLUMNS_##columns,                                                                    \
     step##_options,                                                                               \
     (int32_t)(sizeof step##_options / sizeof *step##_options) - 1},
    DVI_TRANSFORM_LIST(STEP, FLAG, INTEGER, NUMBER, WORD, TEXT, TEXTS, TABLE)
#undef STEP
};

/* --- Values ----------------------------------------------------------------------------------- */

static dv_status refuse(dv_error *err, const dv_step_option *info, const char *expected,
                        dv_text found)
{
    dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "value of the option", "%s|%s", expected,
             dvi_show(found).text);
    dvi_error_within(err, "option \"%s\"", info->name);
    return DV_ERR_ARGUMENT;
}

static dv_status read_flag(dvi_option_value *value, const dv_step_option *info, dv_text text,
                           dv_error *err)
{
    if (!dv_text_equal(text, dv_text_of("+")) && !dv_text_equal(text, dv_text_of("-")))
        return refuse(err, info, "+ or -", text);
    value->integer = text.data[0] == '+';
    return DV_OK;
}

static dv_status read_integer(dvi_option_value *value, const dv_step_option *info, dv_text text,
                              dv_error *err)
{
    char expected[64];
    dv_scalar scalar;
    const dv_type type = dv_type_of(DV_KIND_I8);
    snprintf(expected, sizeof expected, "an integer, %lld to %lld", (long long)info->least,
             (long long)info->most);
    if (text.nbytes <= 0 ||
        !dvi_scalar_parse(&scalar, &type, text.data, (size_t)text.nbytes, '.') ||
        scalar.i8 < info->least || scalar.i8 > info->most)
        return refuse(err, info, expected, text);
    value->integer = scalar.i8;
    return DV_OK;
}

static dv_status read_number(dvi_option_value *value, const dv_step_option *info, dv_text text,
                             dv_error *err)
{
    dv_scalar scalar;
    const dv_type type = dv_type_of(DV_KIND_R8);
    if (text.nbytes <= 0 ||
        !dvi_scalar_parse(&scalar, &type, text.data, (size_t)text.nbytes, '.') ||
        scalar.r8 != scalar.r8)
        return refuse(err, info, "a number", text);
    value->number = scalar.r8;
    return DV_OK;
}

/* "one of a, b, c" of "a|b|c". */
static void list_words(char *dst, size_t cap, const char *words)
{
    size_t n = (size_t)snprintf(dst, cap, "one of ");
    for (; *words && n + 3 < cap; words++) {
        dst[n++] = *words == '|' ? ',' : *words;
        if (*words == '|')
            dst[n++] = ' ';
    }
    dst[n] = 0;
}

static dv_status read_word(dvi_option_value *value, const dv_step_option *info, dv_text text,
                           dv_error *err)
{
    char expected[128];
    dv_nearest best = DV_NEAREST_INIT;
    const char *word = info->words;
    for (int64_t i = 0;; i++) {
        const size_t n = strcspn(word, "|");
        if (dv_text_equal(text, (dv_text){word, (int64_t)n})) {
            value->integer = i;
            return DV_OK;
        }
        dv_nearest_offer(&best, text, (dv_text){word, (int64_t)n});
        if (!word[n])
            break;
        word += n + 1;
    }
    list_words(expected, sizeof expected, info->words);
    refuse(err, info, expected, text);
    dvi_nearest_advise(&best, err);
    return DV_ERR_ARGUMENT;
}

static dv_status read_value(dvi_option_value *value, const dv_step_option *info, dv_error *err)
{
    switch (info->kind) {
    case DV_STEP_OPTION_FLAG:
        return read_flag(value, info, value->texts[0], err);
    case DV_STEP_OPTION_INTEGER:
        return read_integer(value, info, value->texts[0], err);
    case DV_STEP_OPTION_NUMBER:
        return read_number(value, info, value->texts[0], err);
    case DV_STEP_OPTION_WORD:
        return read_word(value, info, value->texts[0], err);
    case DV_STEP_OPTION_TABLE:
        return refuse(err, info, "@ and the name of a table", value->texts[0]);
    default:
        return DV_OK;
    }
}

dv_status dvi_option_read(dvi_option_value *value_out, const dv_step_option *info,
                          const dv_text *texts, int64_t n, dvi_arena *arena, dv_error *err)
{
    void *list;
    *value_out = (dvi_option_value){.is_given = true};
    if (info->kind != DV_STEP_OPTION_TEXTS && n != 1)
        return refuse(err, info, "one value", dv_text_of("a list"));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)n * sizeof(dv_text), err));
    dv_text *copies = list;
    for (int64_t i = 0; i < n; i++)
        DVI_TRY(dvi_arena_text(arena, &copies[i], texts[i], err));
    value_out->texts = copies;
    value_out->n = n;
    return read_value(value_out, info, err);
}

/* --- A step ----------------------------------------------------------------------------------- */

const dvi_option_value *dvi_step_option(const dvi_step *step, const char *name)
{
    static const dvi_option_value none = {0};
    for (int32_t i = 0; i < step->info->options_count; i++)
        if (strcmp(step->info->options[i].name, name) == 0)
            return &step->values[i];
    return &none;
}

const dv_transform_info *dv_step_info(const dv_step *step)
{
    return step->info;
}

int32_t dv_step_columns_count(const dv_step *step)
{
    return step->columns_count;
}

dv_text dv_step_column(const dv_step *step, int32_t column)
{
    return step->columns[column].name;
}

bool dv_step_is_given(const dv_step *step, const char *option)
{
    return dvi_step_option(step, option)->is_given;
}

int64_t dv_step_integer(const dv_step *step, const char *option)
{
    return dvi_step_option(step, option)->integer;
}

double dv_step_number(const dv_step *step, const char *option)
{
    return dvi_step_option(step, option)->number;
}

int64_t dv_step_texts(const dv_step *step, const char *option)
{
    return dvi_step_option(step, option)->n;
}

dv_view *dv_step_table(const dv_step *step, const char *option)
{
    return dvi_step_option(step, option)->table;
}

dv_text dv_step_text(const dv_step *step, const char *option, int64_t i)
{
    const dvi_option_value *value = dvi_step_option(step, option);
    return i >= 0 && i < value->n ? value->texts[i] : dv_text_of(NULL);
}
