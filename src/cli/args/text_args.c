/* SPDX-License-Identifier: MIT */
/* text_args.c: the options that say how text is read: --text, --sep, --header, --type. */
#include "cli/args/text_args.h"
#include "cli/args/at_file.h"
#include "cli/args/option_value.h"
#include <stdlib.h>
#include <string.h>

const char *const dvi_header_names[] = {"yes", "no", NULL};
const char *const dvi_bad_rows_names[] = {"stop", "na", NULL};

dvi_exit dvi_text_args_set(dvi_args *args, const char *value)
{
    char *text;
    args->open.text = value;
    if (*value != '@')
        return DVI_EXIT_DONE;
    if (!value[1])
        return dvi_say_usage("--text @ must be followed by the name of a file with the options");
    const dvi_exit status = dvi_at_file_text(&text, value + 1);
    args->open.text = text;
    if (text && !dvi_words_own(&args->texts, text))
        return dvi_say_memory();
    return status;
}

dvi_exit dvi_text_args_header(dvi_args *args, const char *value)
{
    return dvi_set_name("--header", value, dvi_header_names, &args->header);
}

/* na: what allows a loss where files are written, and what reading verbs count. */
dvi_exit dvi_text_args_bad_rows(dvi_args *args, const char *value)
{
    const dvi_exit status = dvi_set_name("--bad-rows", value, dvi_bad_rows_names, &args->bad_rows);
    const bool is_na = !status && strcmp(args->bad_rows, "na") == 0;
    args->open.bad_fields = is_na ? DV_BAD_FIELDS_ALLOW : DV_BAD_FIELDS_COUNT;
    return status;
}

/* --- Options of a proposal ------------------------------------------------------------------- */

/* A string that grows; NULL: out of memory. */
typedef struct string {
    char *text;
    size_t n, cap;
} string;

static void put(string *s, const char *text, size_t n)
{
    if (s->cap > 0 && !s->text)
        return;
    if (s->n + n + 1 > s->cap) {
        char *grown = realloc(s->text, s->cap = 2 * (s->n + n + 1));
        if (!grown)
            free(s->text);
        s->text = grown;
    }
    if (!s->text)
        return;
    memcpy(s->text + s->n, text, n);
    s->n += n;
    s->text[s->n] = '\0';
}

/* Put name={value}, with backslashes where the value would otherwise be read as something else. */
static void put_option(string *s, const char *name, const char *value)
{
    put(s, " ", 1);
    put(s, name, strlen(name));
    put(s, "={", 2);
    for (const char *p = value; *p;) {
        const size_t slashes = strspn(p, "\\");
        const char *after = p + slashes;
        const bool is_special = !*after || strchr("\"{}#", *after);
        put(s, p, slashes);
        if (is_special)
            put(s, p, slashes);
        if (is_special && *after)
            put(s, "\\", 1);
        p = after;
        if (*p)
            put(s, p++, 1);
    }
    put(s, "}", 1);
}

static bool is_auto(const char *text)
{
    text += strspn(text, " \t\r\n");
    return strncasecmp(text, "auto", 4) == 0 && (!text[4] || strchr(" \t\r\n+#", text[4]));
}

dvi_exit dvi_text_args_settle(dvi_args *args)
{
    string s = {NULL, 0, 0};
    const char *first = args->sep          ? "--sep"
                        : args->header     ? "--header"
                        : args->type.count ? "--type"
                                           : NULL;
    if (!first)
        return DVI_EXIT_DONE;
    if (args->open.text && !is_auto(args->open.text))
        return dvi_say_usage("%s adds to what is found in the file: put it into --text, or begin "
                             "--text with auto",
                             first);
    const char *base = args->open.text ? args->open.text : "auto";
    put(&s, base, strlen(base));
    if (args->sep)
        put_option(&s, "sep", strcmp(args->sep, "\\t") == 0 ? "tab" : args->sep);
    if (args->header)
        put(&s, strcmp(args->header, "yes") == 0 ? " header+" : " header-", strlen(" header+"));
    for (int i = 0; i < args->type.count; i++)
        put_option(&s, "type", args->type.word[i]);
    args->open.text = s.text;
    return s.text && dvi_words_own(&args->texts, s.text) ? DVI_EXIT_DONE : dvi_say_memory();
}
