/* SPDX-License-Identifier: MIT */
/* pipe_notation.c: reads pipelines from text. */
#include "pipeline/pipe_notation.h"
#include "base/check.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "pipeline/pipe_files.h"
#include "pipeline/pipe_notation_priv.h"
#include "steps/step_registry.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The text, and what has been read of the step that is being read. */
typedef struct parser {
    const char *data;
    int64_t at, nbytes;
    const dv_pipeline_options *options; /* NULL: no file is read */
    dvi_arena *arena;
    const dvi_step_trust *trust;
    dvi_step step;
    dvi_step_column *columns;
    dvi_option_value *values;
    uint8_t *forms; /* of the sources of the column that is being read */
} parser;

static dv_status refuse(const parser *p, int64_t at, const char *expected, dv_error *err)
{
    const int64_t left = p->nbytes - at;
    const dv_text found = {p->data + at, left < 24 ? left : 24};
    return dvi_fail(err, DV_ERR_ARGUMENT, "", at, "text of the pipeline", "%s|%s", expected,
                    left > 0 ? dvi_show(found).text : "the end");
}

static char peek(const parser *p)
{
    return p->at < p->nbytes ? p->data[p->at] : '\n';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Pass blanks and a comment. */
static void skip_blanks(parser *p)
{
    while (p->at < p->nbytes && is_blank(p->data[p->at]))
        p->at++;
    if (p->at < p->nbytes && p->data[p->at] == '#')
        while (p->at < p->nbytes && p->data[p->at] != '\n')
            p->at++;
}

static bool ends_step(char c)
{
    return c == ';' || c == '\n';
}

/* The word at byte `at`, up to a blank, the end of the step, or a mark outside of < > and [ ]. */
static dv_text type_at(const parser *p, int64_t at)
{
    int64_t end = at;
    for (int depth = 0; end < p->nbytes; end++) {
        const char c = p->data[end];
        if (is_blank(c) || ends_step(c) || (depth <= 0 && (c == ',' || c == ':')))
            break;
        depth += (c == '<' || c == '[') - (c == '>' || c == ']');
    }
    return (dv_text){p->data + at, end - at};
}

/* Is a type after the # at which the parser is? Else a comment begins. */
static bool is_at_type(const parser *p)
{
    dv_type type;
    int32_t dims[DVI_NOTATION_DIMS];
    return p->at < p->nbytes && p->data[p->at] == '#' &&
           dv_type_parse(&type, type_at(p, p->at + 1), dims, DVI_NOTATION_DIMS, NULL) == DV_OK;
}

/* Pass what separates the words of a step. */
static void skip_to_word(parser *p)
{
    while (is_blank(peek(p)))
        p->at++;
    if (!is_at_type(p))
        skip_blanks(p);
}

/* --- Words ------------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    const char *found = c ? strchr("0123456789abcdefABCDEF", c) : NULL;
    const int at = found ? (int)(found - "0123456789abcdefABCDEF") : -1;
    return at < 16 ? at : at - 6;
}

/* Write what the escape at the parser stands for; \xNN is the character U+00NN. */
static dv_status read_escape(parser *p, char *dst, int64_t *n, dv_error *err)
{
    static const char marks[] = "\"\\tnr", meant[] = "\"\\\t\n\r";
    const char c = p->data[p->at + 1]; /* a quote comes later */
    const char *found = c ? strchr(marks, c) : NULL;
    if (found) {
        dst[(*n)++] = meant[found - marks];
        p->at += 2;
        return DV_OK;
    }
    const int high = c == 'x' ? hex_digit(p->data[p->at + 2]) : -1;
    const int low = high >= 0 ? hex_digit(p->data[p->at + 3]) : -1;
    if (low < 0)
        return refuse(p, p->at, "\\\", \\\\, \\t, \\n, \\r or \\xNN", err);
    *n += (int64_t)dvi_utf8_write(dst + *n, (uint32_t)(16 * high + low));
    p->at += 4;
    return DV_OK;
}

static dv_status read_quoted(parser *p, dv_text *text_out, dv_error *err)
{
    const int64_t start = p->at++;
    int64_t end = p->at;
    void *made;
    while (end < p->nbytes && p->data[end] != '"')
        end += p->data[end] == '\\' ? 2 : 1;
    if (end >= p->nbytes)
        return refuse(p, start, "a quote that is closed", err);
    DVI_TRY(dvi_arena_alloc(p->arena, &made, (size_t)(end - start), err));
    char *dst = made;
    int64_t n = 0;
    while (p->at < end) {
        if (p->data[p->at] == '\\')
            DVI_TRY(read_escape(p, dst, &n, err));
        else
            dst[n++] = p->data[p->at++];
    }
    p->at++;
    *text_out = (dv_text){dst, n};
    return DV_OK;
}

/* Read a quoted text, or a word up to a blank, the end of the step or one of `ends`. */
static dv_status read_word(parser *p, const char *ends, dv_text *text_out, dv_error *err)
{
    if (peek(p) == '"')
        return read_quoted(p, text_out, err);
    const int64_t start = p->at;
    for (char c; p->at < p->nbytes; p->at++)
        if (is_blank(c = p->data[p->at]) || ends_step(c) || (c && strchr(ends, c)))
            break;
    *text_out = (dv_text){p->data + start, p->at - start};
    return p->at > start ? DV_OK : refuse(p, start, "a word", err);
}

/* [a b c]; lines may end in it. */
static dv_status read_list(parser *p, dv_text **texts_out, int64_t *n_out, dv_error *err)
{
    const int64_t start = p->at++;
    for (;;) {
        dv_text text;
        while (p->at < p->nbytes && (is_blank(p->data[p->at]) || p->data[p->at] == '\n'))
            p->at++;
        if (p->at >= p->nbytes)
            return refuse(p, start, "a list that ends in ]", err);
        if (p->data[p->at] == ']') {
            p->at++;
            return DV_OK;
        }
        DVI_TRY(read_word(p, "\"[]", &text, err));
        DVI_TRY(dvi_arena_append(p->arena, texts_out, (*n_out)++, &text, sizeof text, err));
    }
}

/* --- Unknown names ---------------------------------------------------------------------------- */

/* Is it the name of that step in ML.NET, whatever the case? */
static bool is_ml_net(const dv_transform_info *info, dv_text name)
{
    return (size_t)name.nbytes == strlen(info->ml_net) && name.nbytes > 0 &&
           strncasecmp(name.data, info->ml_net, (size_t)name.nbytes) == 0;
}

static dv_status refuse_step(const parser *p, int64_t at, dv_text name, dv_error *err)
{
    dv_nearest best = DV_NEAREST_INIT;
    char text[128] = "";
    const char *advice = dvi_step_advice(name);
    if (advice) {
        refuse(p, at, "a step that this program has", err);
        dvi_error_advise(err, advice);
        return DV_ERR_ARGUMENT;
    }
    for (int32_t i = 0; i < dv_transform_count(); i++) {
        const dv_transform_info *info = dv_transform_at(i);
        dv_nearest_offer(&best, name, dv_text_of(info->name));
        if (is_ml_net(info, name) && !*text)
            snprintf(text, sizeof text, "ML.NET's %s is %s here", info->ml_net, info->name);
    }
    refuse(p, at, dvi_notation_steps().text, err);
    if (*text)
        dvi_error_advise(err, text);
    else
        dvi_nearest_advise(&best, err);
    return DV_ERR_ARGUMENT;
}

static dv_status refuse_option(const parser *p, int64_t at, dv_text name, dv_error *err)
{
    dv_nearest best = DV_NEAREST_INIT;
    const dv_transform_info *info = p->step.info;
    for (int32_t i = 0; i < info->options_count; i++)
        dv_nearest_offer(&best, name, dv_text_of(info->options[i].name));
    refuse(p, at, dvi_notation_options(info).text, err);
    dvi_nearest_advise(&best, err);
    return DV_ERR_ARGUMENT;
}

/* --- Options ---------------------------------------------------------------------------------- */

/* An option that has not been given yet. */
static dv_status find_option(const parser *p, int64_t at, dv_text name, int32_t *i_out,
                             dv_error *err)
{
    const dv_transform_info *info = p->step.info;
    int32_t i = 0;
    while (i < info->options_count && !dv_text_equal(name, dv_text_of(info->options[i].name)))
        i++;
    if (i == info->options_count)
        return refuse_option(p, at, name, err);
    if (p->values[i].is_given)
        return refuse(p, at, "each option once", err);
    *i_out = i;
    return DV_OK;
}

static dv_status set_option(parser *p, int64_t at, dv_text name, const dv_text *texts, int64_t n,
                            dv_error *err)
{
    const dv_transform_info *info = p->step.info;
    int32_t i;
    DVI_TRY(find_option(p, at, name, &i, err));
    const dv_status status =
        dvi_option_read(&p->values[i], &info->options[i], texts, n, p->arena, err);
    if (status == DV_ERR_ARGUMENT && err)
        err->offset = at;
    return status;
}

/* The lines of a file as the value of option i. */
static dv_status set_lines(parser *p, int32_t i, dv_text path, dv_error *err)
{
    int64_t n;
    dv_text *lines;
    const dv_step_option *option = &p->step.info->options[i];
    DVI_TRY(dvi_pipe_read_lines(&lines, &n, path, p->options, p->arena, err));
    if (option->kind == DV_STEP_OPTION_TEXT && n != 1)
        return dvi_fail_argument(err, "@%s has %lld lines; the option is one text",
                                 dvi_show(path).text, (long long)n);
    return dvi_option_read(&p->values[i], option, lines, n, p->arena, err);
}

static dv_status set_table(parser *p, int32_t i, dv_text name, dv_error *err)
{
    dv_text *texts = NULL;
    dvi_option_value *value = &p->values[i];
    DVI_TRY(dvi_pipe_open_table(&value->table, name, p->options, p->arena, err));
    DVI_TRY(dvi_arena_append(p->arena, &texts, 0, &name, sizeof name, err));
    value->texts = texts;
    value->n = 1;
    value->is_given = true;
    return DV_OK;
}

/* name=@FILE, of an option whose value is a table, a list or a text. */
static dv_status read_file(parser *p, int64_t at, dv_text name, dv_error *err)
{
    int32_t i;
    dv_text path = {"", 0};
    DVI_TRY(find_option(p, at, name, &i, err));
    const dv_step_option *option = &p->step.info->options[i];
    if (option->kind < DV_STEP_OPTION_TEXT)
        return refuse(p, p->at, "a value (only texts, lists of them and tables come from files)",
                      err);
    p->at++;
    if (!is_blank(peek(p)) && !ends_step(peek(p)))
        DVI_TRY(read_word(p, "", &path, err));
    const dv_status status = option->kind == DV_STEP_OPTION_TABLE ? set_table(p, i, path, err)
                                                                  : set_lines(p, i, path, err);
    if (status == DV_OK)
        return status;
    if (err && status == DV_ERR_ARGUMENT)
        err->offset = at;
    dvi_error_within(err, "option \"%s\"", option->name);
    return status;
}

static dv_status read_option(parser *p, int64_t at, dv_text name, dv_error *err)
{
    dv_text text, *texts = &text;
    int64_t n = 1;
    p->at++;
    if (peek(p) == '@')
        return read_file(p, at, name, err);
    if (peek(p) == '[') {
        n = 0;
        DVI_TRY(read_list(p, &texts, &n, err));
    } else {
        DVI_TRY(read_word(p, "", &text, err));
    }
    return set_option(p, at, name, texts, n, err);
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* 'A*'; there is no ' in it. */
static dv_status read_glob(parser *p, dv_text *text_out, dv_error *err)
{
    const int64_t start = p->at++;
    while (p->at < p->nbytes && p->data[p->at] != '\'' && p->data[p->at] != '\n')
        p->at++;
    if (peek(p) != '\'' || p->at == start + 1)
        return refuse(p, start, "a pattern in single quotes, on one line", err);
    *text_out = (dv_text){p->data + start + 1, p->at - start - 1};
    p->at++;
    return DV_OK;
}

/* #R4 */
static dv_status read_type(parser *p, dv_text *text_out, dv_error *err)
{
    if (!is_at_type(p))
        return refuse(p, p->at, "a type after #", err);
    *text_out = type_at(p, p->at + 1);
    p->at += 1 + text_out->nbytes;
    return DV_OK;
}

static dv_status add_source(parser *p, dvi_step_column *column, dv_error *err)
{
    dv_text source;
    const char first = peek(p);
    const uint8_t form = first == '\''  ? DVI_SOURCE_GLOB
                         : first == '#' ? DVI_SOURCE_TYPE
                                        : DVI_SOURCE_NAME;
    DVI_TRY(form == DVI_SOURCE_GLOB   ? read_glob(p, &source, err)
            : form == DVI_SOURCE_TYPE ? read_type(p, &source, err)
                                      : read_word(p, DVI_NOTATION_MARKS, &source, err));
    DVI_TRY(dvi_arena_append(p->arena, &column->sources, column->n, &source, sizeof source, err));
    DVI_TRY(dvi_arena_append(p->arena, &p->forms, column->n, &form, sizeof form, err));
    column->n++;
    if (form != DVI_SOURCE_NAME || column->forms)
        column->forms = p->forms;
    return DV_OK;
}

static dv_status add_column(parser *p, const dvi_step_column *column, dv_error *err)
{
    return dvi_arena_append(p->arena, &p->columns, p->step.columns_count++, column, sizeof *column,
                            err);
}

/* A pattern alone: the columns that it means are replaced. */
static dv_status read_pattern(parser *p, dv_error *err)
{
    const int64_t at = p->at;
    dvi_step_column column = {.name = dv_text_of(NULL)};
    if (p->step.info->columns == DV_STEP_COLUMNS_NONE)
        return refuse(p, at, "no column", err);
    if (p->step.cls->open.makes_only)
        return refuse(p, at, "the name of a new column", err);
    p->forms = NULL;
    DVI_TRY(add_source(p, &column, err));
    if (peek(p) == ':')
        return refuse(p, at, "the name of a new column", err);
    return add_column(p, &column, err);
}

static dv_status read_sources(parser *p, dvi_step_column *column, dv_error *err)
{
    p->forms = NULL;
    do {
        p->at++;
        const int64_t at = p->at;
        DVI_TRY(add_source(p, column, err));
        if (column->forms && p->step.info->columns == DV_STEP_COLUMNS_ONE)
            return refuse(p, at, "one name (a pattern stands alone, without New:)", err);
    } while (peek(p) == ',');
    return DV_OK;
}

static dv_status read_column(parser *p, int64_t at, dv_text name, dv_error *err)
{
    const dv_step_columns form = p->step.info->columns;
    dvi_step_column column = {.name = name};
    if (form == DV_STEP_COLUMNS_NONE)
        return refuse(p, at, "no column", err);
    if (peek(p) == ':' && form == DV_STEP_COLUMNS_NAMES)
        return refuse(p, p->at, "the name of a column alone", err);
    if (peek(p) == ':')
        DVI_TRY(read_sources(p, &column, err));
    else
        DVI_TRY(dvi_arena_append(p->arena, &column.sources, column.n++, &name, sizeof name, err));
    if (form == DV_STEP_COLUMNS_ONE && column.n > 1)
        return refuse(p, at, "one source of each column", err);
    return add_column(p, &column, err);
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* A column or an option. */
static dv_status read_item(parser *p, dv_error *err)
{
    dv_text word;
    const int64_t at = p->at;
    const bool is_quoted = peek(p) == '"';
    if (peek(p) == '\'' || peek(p) == '#')
        return read_pattern(p, err);
    DVI_TRY(read_word(p, DVI_NOTATION_MARKS, &word, err));
    const char next = peek(p), last = word.nbytes > 0 ? word.data[word.nbytes - 1] : 0;
    if (!is_quoted && next == '=')
        return read_option(p, at, word, err);
    if (is_quoted || (last != '+' && last != '-') || next == ':')
        return read_column(p, at, word, err);
    const dv_text name = {word.data, word.nbytes - 1}, sign = {word.data + name.nbytes, 1};
    return set_option(p, at, name, &sign, 1, err);
}

/* What holds where nothing else was given. */
static dv_status set_initial(parser *p, dv_error *err)
{
    const dv_transform_info *info = p->step.info;
    for (int32_t i = 0; i < info->options_count; i++) {
        const dv_text initial = dv_text_of(info->options[i].initial);
        if (p->values[i].is_given || initial.nbytes == 0)
            continue;
        DVI_TRY(dvi_option_read(&p->values[i], &info->options[i], &initial, 1, p->arena, err));
        p->values[i].is_given = false;
    }
    return DV_OK;
}

/* The step after the next separators; its info is NULL at the end of the text. */
static dv_status read_step(parser *p, dv_error *err)
{
    dv_text name = {"", 0};
    void *values;
    p->step = (dvi_step){0};
    for (skip_blanks(p); p->at < p->nbytes && ends_step(p->data[p->at]); skip_blanks(p))
        p->at++;
    if (p->at >= p->nbytes)
        return DV_OK;
    const int64_t at = p->at;
    DVI_TRY(read_word(p, DVI_NOTATION_MARKS, &name, err));
    const dv_transform_info *info = dvi_transform_find(name);
    if (!info)
        return refuse_step(p, at, name, err);
    const size_t nbytes = (size_t)(info->options_count + 1) * sizeof *p->values;
    DVI_TRY(dvi_arena_alloc(p->arena, &values, nbytes, err));
    p->columns = NULL;
    p->values = values;
    p->step.info = info;
    p->step.cls = dvi_class_of(info);
    p->step.trust = p->trust;
    for (skip_to_word(p); !ends_step(peek(p)); skip_to_word(p))
        DVI_TRY(read_item(p, err));
    if (info->columns != DV_STEP_COLUMNS_NONE && p->step.columns_count == 0)
        return refuse(p, p->at, "a column", err);
    DVI_TRY(set_initial(p, err));
    p->step.columns = p->columns;
    p->step.values = p->values;
    return DV_OK;
}

static dv_status start_untrusted(parser *p, dvi_steps *steps, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(p->arena, &made, sizeof *steps->trust, err));
    steps->trust = made;
    p->trust = steps->trust;
    return DV_OK;
}

static dv_status read_steps(parser *p, dvi_steps *steps, dv_error *err)
{
    dvi_step *list = NULL;
    if (p->options && p->options->untrusted)
        DVI_TRY(start_untrusted(p, steps, err));
    for (;;) {
        const dv_status status = read_step(p, err);
        const dvi_step *step = &p->step;
        if (status < 0) {
            dvi_error_within(err, "step %d%s%s", (int)steps->count + 1, step->info ? ", " : "",
                             step->info ? step->info->name : "");
            return status;
        }
        if (!step->info)
            break;
        DVI_TRY(dvi_arena_append(p->arena, &list, steps->count, step, sizeof *step, err));
        steps->count++;
    }
    steps->step = list;
    return DV_OK;
}

dv_status dvi_notation_parse(dvi_steps *steps_out, dv_text text, const dv_pipeline_options *options,
                             const dv_allocator *allocator, dv_error *err)
{
    parser p = {
        .data = text.data, .nbytes = text.nbytes, .options = options, .arena = &steps_out->arena};
    dv_text kept;
    *steps_out = (dvi_steps){0};
    dvi_arena_init(&steps_out->arena, allocator);
    if (text.nbytes > DVI_NOTATION_NBYTES)
        return dvi_fail_argument(err, "the text of a pipeline has %lld bytes; at most %lld",
                                 (long long)text.nbytes, (long long)DVI_NOTATION_NBYTES);
    for (int64_t at = 0, step; at < text.nbytes; at += step)
        if ((step = (int64_t)dvi_utf8_step(text.data + at, (size_t)(text.nbytes - at))) == 0)
            return refuse(&p, at, "UTF-8", err);
    dv_status status = dvi_arena_text(&steps_out->arena, &kept, text, err);
    p.data = kept.data;
    if (status == DV_OK)
        status = read_steps(&p, steps_out, err);
    if (status < 0)
        dvi_steps_free(steps_out);
    return status;
}

void dvi_steps_free(dvi_steps *steps)
{
    dvi_arena_free(&steps->arena);
    steps->step = NULL;
    steps->count = 0;
}
