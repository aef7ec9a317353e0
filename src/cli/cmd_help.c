/* SPDX-License-Identifier: MIT */
/* cmd_help.c: what the command, or a verb, does and takes. */
#include "cli/json.h"
#include "cli/screen.h"
#include <dataview/version.h>
#include <stdio.h>
#include <string.h>

#define INDENT 24 /* where the sentences start */
#define LEAST 30  /* columns for a sentence, however narrow the screen */
#define MOST 100  /* columns for a line, however wide */

/* Write the label, then the sentence wrapped behind it. */
static void write_item(dvi_out *out, int32_t width, const char *label, const char *sentence)
{
    const size_t room = (size_t)(width - INDENT > LEAST ? width - INDENT : LEAST);
    dvi_out_print(out, "  %-*s", INDENT - 2, label);
    if (strlen(label) > INDENT - 3)
        dvi_out_print(out, "\n%*s", INDENT, "");
    while (strlen(sentence) > room) {
        size_t n = room;
        while (n > 0 && sentence[n] != ' ')
            n--;
        n = n ? n : room;
        dvi_out_print(out, "%.*s\n%*s", (int)n, sentence, INDENT, "");
        sentence += n + (sentence[n] == ' ');
    }
    dvi_out_print(out, "%s\n", sentence);
}

static void write_option(dvi_out *out, int32_t width, const dvi_option *option)
{
    char letter[4] = "", label[64];
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c", option->letter);
    const bool has_both = option->letter && *option->name;
    snprintf(label, sizeof label, "%s%s%s%s%s%s", letter, has_both ? ", " : "",
             *option->name ? "--" : "", option->name, *option->value ? " " : "", option->value);
    write_item(out, width, label, option->summary);
}

static dvi_exit write_verb(dvi_out *out, int32_t width, const dvi_verb *verb)
{
    const bool has_options = verb->takes & (DVI_TAKES_FILE | DVI_TAKES_JSON);
    dvi_out_print(out, "dataview %s %s%s\n\n  %s\n\n", verb->name, has_options ? "[OPTIONS] " : "",
                  verb->arguments, verb->summary);
    for (int i = 0; i < DVI_OPTIONS; i++)
        if ((dvi_options[i].needs & ~verb->takes) == 0)
            write_option(out, width, &dvi_options[i]);
    return DVI_EXIT_DONE;
}

static dvi_exit write_all(dvi_out *out, int32_t width)
{
    dvi_out_text(out, "dataview VERB [OPTIONS] FILE...\n\n");
    const dvi_verb *verb;
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        write_item(out, width, verb->name, verb->summary);
    dvi_out_text(out, "\n");
    write_item(out, width, "VERB --help", "what the verb does and takes");
    write_item(out, width, "--version", "the version of the command and its library");
    dvi_out_text(out, "\nExit status: 0 done; 1 the data is bad or beyond a limit; 2 wrong usage;"
                      "\n3 the system said no (files, memory, a full disk).\n");
    return DVI_EXIT_DONE;
}

static void add_json_option(dvi_json *json, const dvi_option *option)
{
    const char letter[] = {option->letter, 0};
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(*option->name ? option->name : NULL));
    dvi_json_put(json, "letter", dvi_json_cstr(option->letter ? letter : NULL));
    dvi_json_put(json, "value", dvi_json_cstr(*option->value ? option->value : NULL));
    dvi_json_put(json, "summary", dvi_json_cstr(option->summary));
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

/* All verbs, or only that one. */
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

static int32_t width_of(const dvi_out *out)
{
    const int32_t screen = dvi_screen_of(out->fd).width;
    return screen && screen < MOST ? screen : MOST;
}

dvi_exit dvi_help_verb(const dvi_verb *verb, bool json, dvi_out *out)
{
    return json ? write_json(out, verb) : write_verb(out, width_of(out), verb);
}

dvi_exit dvi_cmd_help(const dvi_args *args, dvi_out *out)
{
    if (args->files.count == 0)
        return args->json ? write_json(out, NULL) : write_all(out, width_of(out));
    const char *name = args->files.word[0];
    const dvi_verb *verb = dvi_verb_find(name);
    return verb ? dvi_help_verb(verb, args->json, out) : dvi_verb_refuse(name);
}
