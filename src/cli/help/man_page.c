/* SPDX-License-Identifier: MIT */
/* man_page.c: formats the lists of verbs, options and manuals as manual pages. */
#include "cli/help/man_page.h"
#include "cli/args/args.h"
#include "cli/help/manual.h"
#include <dataview/version.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LINE_LEAST 50 /* a line ends at the first space after that */
#define TITLE "typed, lazy tables from machine-learning data files"

/* Write text literally: what roff would read as a request, an escape or a typographic quote is
 * escaped.  Roff joins lines, so long ones are broken at spaces. */
static void write_text(dvi_out *out, const char *text)
{
    static const char special[] = "\\-'`^~";
    static const char *const spelled[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    size_t used = 0;
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (used == 0 && *text == '.')
            dvi_out_text(out, "\\&");
        used = *text == ' ' && used > LINE_LEAST ? 0 : used + 1;
        if (at)
            dvi_out_text(out, spelled[at - special]);
        else
            dvi_out_write(out, used ? text : "\n", 1);
    }
}

static void write_bold(dvi_out *out, const char *text)
{
    dvi_out_text(out, "\\fB");
    write_text(out, text);
    dvi_out_text(out, "\\fR");
}

static void write_section(dvi_out *out, const char *name)
{
    dvi_out_print(out, ".SH %s\n", name);
}

static void write_paragraph(dvi_out *out, const char *text)
{
    write_text(out, text);
    dvi_out_text(out, "\n");
}

/* Write a bold label and its meaning. */
static void write_item(dvi_out *out, const char *label, const char *what)
{
    dvi_out_text(out, ".TP\n");
    write_bold(out, label);
    dvi_out_text(out, "\n");
    write_paragraph(out, what);
}

static void write_items(dvi_out *out, const char *section, const dvi_manual_item *item)
{
    write_section(out, section);
    for (; item->name; item++)
        write_item(out, item->name, item->what);
}

static void write_option(dvi_out *out, const dvi_option *option)
{
    char name[64], summary[DVI_SUMMARY_CAP];
    const char letter[] = {'-', option->letter, 0};
    snprintf(name, sizeof name, "--%s", option->name);
    dvi_out_text(out, ".TP\n");
    if (option->letter)
        write_bold(out, letter);
    if (option->letter && *option->name)
        dvi_out_text(out, ", ");
    if (*option->name)
        write_bold(out, name);
    if (*option->value)
        dvi_out_print(out, " \\fI%s\\fR", option->value);
    dvi_out_text(out, "\n");
    write_paragraph(out, dvi_option_summary(option, summary));
}

/* The title line, without a date: the page belongs to a version. */
static void write_title(dvi_out *out, const char *verb)
{
    dvi_out_text(out, ".TH DATAVIEW");
    dvi_out_text(out, *verb ? "\\-" : "");
    for (; *verb; verb++)
        dvi_out_print(out, "%c", toupper((unsigned char)*verb));
    dvi_out_print(out, " 1 \"\" \"dataview %s\" \"libdataview\"\n", dv_version());
}

/* "dataview-head(1)" */
static void write_reference(dvi_out *out, const char *verb, const char *after)
{
    dvi_out_print(out, "\\fBdataview%s%s\\fR(1)%s\n", *verb ? "\\-" : "", verb, after);
}

static void write_examples(dvi_out *out, const dvi_manual *manual)
{
    write_section(out, "EXAMPLES");
    for (int i = 0; i < DVI_EXAMPLES; i++) {
        dvi_out_print(out, ".TP\n\\fBdataview %s ", manual->verb);
        write_text(out, manual->examples[i].words);
        dvi_out_text(out, "\\fR\n");
        write_paragraph(out, manual->examples[i].what);
    }
}

static void write_verb(dvi_out *out, const dvi_verb *verb)
{
    const dvi_manual *manual = dvi_manual_of(verb->name);
    write_title(out, verb->name);
    write_section(out, "NAME");
    dvi_out_print(out, "dataview\\-%s \\- ", verb->name);
    write_paragraph(out, verb->summary);
    write_section(out, "SYNOPSIS");
    dvi_out_print(out, "\\fBdataview %s\\fR [\\fIOPTIONS\\fR] \\fI%s\\fR\n", verb->name,
                  verb->arguments);
    if (manual) {
        write_section(out, "DESCRIPTION");
        write_paragraph(out, manual->description);
    }
    write_section(out, "OPTIONS");
    for (int i = 0; i < DVI_OPTIONS; i++)
        if ((dvi_options[i].needs & ~verb->takes) == 0)
            write_option(out, &dvi_options[i]);
    write_items(out, "EXIT STATUS", dvi_manual_exits);
    write_items(out, "ENVIRONMENT", dvi_manual_environment);
    if (manual)
        write_examples(out, manual);
    write_section(out, "SEE ALSO");
    write_reference(out, "", "");
}

static void write_command(dvi_out *out)
{
    const dvi_verb *verb;
    write_title(out, "");
    write_section(out, "NAME");
    dvi_out_text(out, "dataview \\- ");
    write_paragraph(out, TITLE);
    write_section(out, "SYNOPSIS");
    dvi_out_text(out, "\\fBdataview\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR\n");
    write_section(out, "DESCRIPTION");
    write_paragraph(out, "The verb says what to do with the files. Data goes to standard output, "
                         "everything else to standard error.");
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        write_item(out, verb->name, verb->summary);
    write_section(out, "OPTIONS");
    write_paragraph(out, "Options follow the verb, before or after the files: --take 5, --take=5, "
                         "-n5 or -n 5. Every word after -- is a file.");
    write_item(out, "--version", "the version of the command and the library");
    write_item(out, "VERB --help", "describe the verb and its options");
    write_items(out, "EXIT STATUS", dvi_manual_exits);
    write_items(out, "ENVIRONMENT", dvi_manual_environment);
    write_examples(out, dvi_manual_of("head"));
    write_section(out, "SEE ALSO");
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        write_reference(out, verb->name, dvi_verb_at(i + 1) ? "," : "");
}

void dvi_man_page(dvi_out *out, const dvi_verb *verb)
{
    if (verb)
        write_verb(out, verb);
    else
        write_command(out);
}
