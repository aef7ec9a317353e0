/* SPDX-License-Identifier: MIT */
/* cmd_help.c: describes the command or a verb. */
#include "cli/args/args.h"
#include "cli/help/completion.h"
#include "cli/help/man_page.h"
#include "cli/help/manual.h"
#include "cli/print/json.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/commands.h"
#include <dataview/format.h>
#include <dataview/version.h>
#include <stdio.h>
#include <string.h>

#define INDENT 24       /* where descriptions start */
#define NARROW 60       /* on a screen narrower than that, */
#define NARROW_INDENT 8 /* they start here */
#define LEAST 20        /* columns for a description, even on a narrow screen */
#define MOST 100        /* columns for a line, even on a wide screen */

static void write_spaces(dvi_out *out, int32_t n)
{
    dvi_out_print(out, "%*s", (int)n, "");
}

/* Write a text whose lines all start at column `indent`. */
static void write_wrapped(dvi_out *out, int32_t width, int32_t indent, const char *text)
{
    dvi_wrap(out, width > indent + LEAST ? width : indent + LEAST, indent, indent, text);
    dvi_out_text(out, "\n");
}

/* Write the label, then the description, wrapped. */
static void write_item(dvi_out *out, int32_t width, const char *label, const char *sentence)
{
    const int32_t indent = width < NARROW ? NARROW_INDENT : INDENT;
    const int32_t n = (int32_t)strlen(label);
    write_spaces(out, 2);
    if (n + 3 <= indent) {
        dvi_out_text(out, label);
        write_spaces(out, indent - n - 2);
    } else {
        dvi_wrap(out, width, 4, 2, label);
        dvi_out_text(out, "\n");
        write_spaces(out, indent);
    }
    write_wrapped(out, width, indent, sentence);
}

static void write_option(dvi_out *out, int32_t width, const dvi_option *option)
{
    char letter[4] = "", label[64], summary[DVI_SUMMARY_CAP];
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c", option->letter);
    const bool has_both = option->letter && *option->name;
    snprintf(label, sizeof label, "%s%s%s%s%s%s", letter, has_both ? ", " : "",
             *option->name ? "--" : "", option->name, *option->value ? " " : "", option->value);
    write_item(out, width, label, dvi_option_summary(option, summary));
}

static void write_paragraph(dvi_out *out, int32_t width, const char *text)
{
    write_spaces(out, 2);
    write_wrapped(out, width, 2, text);
    dvi_out_text(out, "\n");
}

static void write_manual(dvi_out *out, int32_t width, const dvi_manual *manual)
{
    char line[256];
    dvi_out_text(out, "\nExamples:\n");
    for (int i = 0; i < DVI_EXAMPLES; i++) {
        snprintf(line, sizeof line, "dataview %s %s", manual->verb, manual->examples[i].words);
        write_item(out, width, line, manual->examples[i].what);
    }
}

static void write_verb(dvi_out *out, int32_t width, const dvi_verb *verb)
{
    const dvi_manual *manual = dvi_manual_of(verb->name);
    dvi_out_print(out, "dataview %s [OPTIONS] %s\n\n", verb->name, verb->arguments);
    write_paragraph(out, width, verb->summary);
    if (manual)
        write_paragraph(out, width, manual->description);
    for (int i = 0; i < DVI_OPTIONS; i++)
        if ((dvi_options[i].needs & ~verb->takes) == 0)
            write_option(out, width, &dvi_options[i]);
    if (manual)
        write_manual(out, width, manual);
}

static void write_formats(dvi_out *out, int32_t width)
{
    char line[128];
    dvi_out_text(out, "\nFormats:\n");
    for (int32_t i = 0; i < dv_format_count(); i++) {
        const dv_format_info *format = dv_format_at(i);
        snprintf(line, sizeof line, "%s: %s", format->title, format->extensions);
        write_item(out, width, format->name, line);
    }
}

static void write_all(dvi_out *out, int32_t width)
{
    const dvi_verb *verb;
    dvi_out_text(out, "dataview VERB [OPTIONS] FILE...\n\n");
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        write_item(out, width, verb->name, verb->summary);
    dvi_out_text(out, "\n");
    write_item(out, width, "VERB --help", "describe the verb and its options");
    write_item(out, width, "--version", "the version of the command and the library");
    write_formats(out, width);
    dvi_out_text(out, "\nExit status:\n");
    for (const dvi_manual_item *item = dvi_manual_exits; item->name; item++)
        write_item(out, width, item->name, item->what);
}

static void write_text(dvi_out *out, const dvi_verb *verb)
{
    const int32_t screen = dvi_screen_of(out->fd).width;
    const int32_t width = screen && screen < MOST ? screen : MOST;
    if (verb)
        write_verb(out, width, verb);
    else
        write_all(out, width);
}

/* Write a name per line, for programs. */
static void write_verbs(dvi_out *out)
{
    const dvi_verb *verb;
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        dvi_out_print(out, "%s\n", verb->name);
}

static void add_json_option(dvi_json *json, const dvi_option *option)
{
    const char letter[] = {option->letter, 0};
    char summary[DVI_SUMMARY_CAP];
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(*option->name ? option->name : NULL));
    dvi_json_put(json, "letter", dvi_json_cstr(option->letter ? letter : NULL));
    dvi_json_put(json, "value", dvi_json_cstr(*option->value ? option->value : NULL));
    dvi_json_put(json, "summary", dvi_json_cstr(dvi_option_summary(option, summary)));
    dvi_json_close(json, '}');
}

static void add_json_verb(dvi_json *json, const dvi_verb *verb)
{
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(verb->name));
    dvi_json_put(json, "arguments", dvi_json_cstr(verb->arguments));
    dvi_json_put(json, "summary", dvi_json_cstr(verb->summary));
    dvi_json_open(json, dv_text_of("options"), '[');
    for (int i = 0; i < DVI_OPTIONS; i++)
        if ((dvi_options[i].needs & ~verb->takes) == 0)
            add_json_option(json, &dvi_options[i]);
    dvi_json_close(json, ']');
    dvi_json_close(json, '}');
}

/* Write all verbs, or only one. */
static dvi_exit write_json(dvi_out *out, const dvi_verb *only)
{
    dvi_json json;
    const dvi_verb *verb;
    dvi_json_begin(&json, "help", NULL);
    dvi_json_put(&json, "version", dvi_json_cstr(dv_version()));
    dvi_json_open(&json, dv_text_of("verbs"), '[');
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        if (!only || only == verb)
            add_json_verb(&json, verb);
    dvi_json_close(&json, ']');
    return dvi_json_end(&json, out);
}

dvi_exit dvi_help_verb(const dvi_verb *verb, bool json, dvi_out *out)
{
    if (json)
        return write_json(out, verb);
    write_text(out, verb);
    return DVI_EXIT_DONE;
}

dvi_exit dvi_cmd_help(const dvi_args *args, dvi_out *out)
{
    const char *as = args->as ? args->as : "text";
    const char *name = args->files.count > 0 ? args->files.word[0] : NULL;
    const dvi_verb *verb = name ? dvi_verb_find(name) : NULL;
    if (name && !verb)
        return dvi_verb_refuse(name);
    if (strcmp(as, "man") == 0)
        dvi_man_page(out, verb);
    else if (strcmp(as, "bash") == 0)
        dvi_completion_bash(out);
    else if (strcmp(as, "zsh") == 0)
        dvi_completion_zsh(out);
    else if (strcmp(as, "verbs") == 0)
        write_verbs(out);
    else
        return dvi_help_verb(verb, args->json, out);
    return DVI_EXIT_DONE;
}
