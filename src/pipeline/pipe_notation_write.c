/* SPDX-License-Identifier: MIT */
/* pipe_notation_write.c: writes pipelines as text, and lists of names for messages. */
#include "base/check.h"
#include "pipeline/pipe_notation_priv.h"
#include <stdio.h>
#include <string.h>

/* --- Lists of names --------------------------------------------------------------------------- */

static void add_name(dvi_notation_list *list, const char *name)
{
    const size_t n = strlen(list->text), left = sizeof list->text - n;
    snprintf(list->text + n, left, "%s%s", n > 0 ? ", " : "one of ", name);
}

dvi_notation_list dvi_notation_steps(void)
{
    dvi_notation_list list = {""};
    for (int i = 0; i < dv_transform_count(); i++)
        add_name(&list, dv_transform_at(i)->name);
    return list;
}

dvi_notation_list dvi_notation_options(const dv_transform_info *info)
{
    dvi_notation_list list = {""};
    for (int32_t i = 0; i < info->options_count; i++)
        add_name(&list, info->options[i].name);
    return info->options_count > 0 ? list : (dvi_notation_list){"no option"};
}

/* --- Writing ---------------------------------------------------------------------------------- */

static bool put(const dv_sink *sink, const char *text)
{
    return sink->write(sink->ctx, text, strlen(text));
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7F;
}

/* A byte in quotes; no control is written as itself. */
static bool put_character(char c, const dv_sink *sink)
{
    static const char marks[] = "\"\\\t\n\r", names[] = "\"\\tnr";
    char escape[8];
    const char *mark = c ? strchr(marks, c) : NULL;
    if (mark)
        snprintf(escape, sizeof escape, "\\%c", names[mark - marks]);
    else if (is_control(c))
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned)c);
    else
        return sink->write(sink->ctx, &c, 1);
    return put(sink, escape);
}

static bool put_quoted(dv_text text, const dv_sink *sink)
{
    bool is_written = put(sink, "\"");
    for (int64_t i = 0; is_written && i < text.nbytes; i++)
        is_written = put_character(text.data[i], sink);
    return is_written && put(sink, "\"");
}

/* Does the text read as itself without quotes, as the name of a column or in a list? */
static bool is_bare(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if (is_control(text.data[i]) || strchr(" ;\\@" DVI_NOTATION_MARKS, text.data[i]))
            return false;
    return text.nbytes > 0 && text.data[text.nbytes - 1] != '+' &&
           text.data[text.nbytes - 1] != '-';
}

/* Or as the value of an option? A type such as U4[0-9] does. */
static bool is_bare_value(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if (is_control(text.data[i]) || strchr(" ;\\\"#", text.data[i]))
            return false;
    return text.nbytes > 0 && !strchr("[@", text.data[0]);
}

static bool put_text(dv_text text, bool is_plain, const dv_sink *sink)
{
    return is_plain ? sink->write(sink->ctx, text.data, (size_t)text.nbytes)
                    : put_quoted(text, sink);
}

static bool put_name(dv_text name, const dv_sink *sink)
{
    return put_text(name, is_bare(name) && name.data[0] != '\'', sink);
}

static bool put_source(const dvi_step_column *column, int32_t i, const dv_sink *sink)
{
    const dv_text source = column->sources[i];
    switch (column->forms ? column->forms[i] : DVI_SOURCE_NAME) {
    case DVI_SOURCE_GLOB:
        return put(sink, "'") && put_text(source, true, sink) && put(sink, "'");
    case DVI_SOURCE_TYPE:
        return put(sink, "#") && put_text(source, true, sink);
    default:
        return put_name(source, sink);
    }
}

static bool put_column(const dvi_step_column *column, const dv_sink *sink)
{
    const bool is_pattern = column->name.nbytes < 0;
    bool is_written = put(sink, " ");
    if (is_pattern)
        return is_written && put_source(column, 0, sink);
    is_written = is_written && put_name(column->name, sink);
    if (!column->forms && column->n == 1 && dv_text_equal(column->sources[0], column->name))
        return is_written;
    for (int32_t i = 0; is_written && i < column->n; i++)
        is_written = put(sink, i > 0 ? "," : ":") && put_source(column, i, sink);
    return is_written;
}

static bool put_option(const dv_step_option *info, const dvi_option_value *value,
                       const dv_sink *sink)
{
    if (!value->is_given)
        return true;
    bool is_written = put(sink, " ") && put(sink, info->name);
    if (info->kind == DV_STEP_OPTION_FLAG)
        return is_written && put(sink, value->integer ? "+" : "-");
    is_written = is_written && put(sink, info->kind == DV_STEP_OPTION_TABLE ? "=@" : "=");
    if (info->kind != DV_STEP_OPTION_TEXTS)
        return is_written && put_text(value->texts[0], is_bare_value(value->texts[0]), sink);
    for (int64_t i = 0; is_written && i < value->n; i++)
        is_written = put(sink, i > 0 ? " " : "[") &&
                     put_text(value->texts[i], is_bare(value->texts[i]), sink);
    return is_written && put(sink, value->n > 0 ? "]" : "[]");
}

dv_status dvi_notation_write(const dvi_step *step, const dv_sink *sink, dv_error *err)
{
    bool is_written = put(sink, step->info->name);
    for (int32_t i = 0; is_written && i < step->columns_count; i++)
        is_written = put_column(&step->columns[i], sink);
    for (int32_t i = 0; is_written && i < step->info->options_count; i++)
        is_written = put_option(&step->info->options[i], &step->values[i], sink);
    return is_written ? DV_OK : dvi_fail_argument(err, "the text was not written to its end");
}
