/* SPDX-License-Identifier: MIT */
/* completion.c: the lists of the command, as scripts of shells. */
#include "cli/completion.h"
#include "cli/args.h"
#include <string.h>

static const char *const lead = "Made by the command itself: dataview help --as";

/* Does the option belong to the verb?  Is its value a list of columns? */
static bool is_of(const dvi_option *option, const dvi_verb *verb)
{
    return (option->needs & ~verb->takes) == 0;
}

static bool is_columns(const dvi_option *option)
{
    return strcmp(option->value, "LIST") == 0;
}

static bool is_types(const dvi_option *option)
{
    return strcmp(option->value, "NAME:TYPE") == 0;
}

/* The types that something can be converted to. */
#define TYPE_WORD(name, number, width, ctype, aliases)                                             \
    number == DV_KIND_UG || number == DV_KIND_BY ? "" : #name " ",
static const char *const type_words[] = {DV_TYPE_LIST(TYPE_WORD)};

static void write_types(dvi_out *out)
{
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
        dvi_out_text(out, type_words[i]);
}

/* Words with a space between them. */
static void write_words(dvi_out *out, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        dvi_out_print(out, "%s%s", i ? " " : "", words[i]);
}

static void write_verbs(dvi_out *out)
{
    const dvi_verb *verb;
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        dvi_out_print(out, "%s%s", i ? " " : "", verb->name);
}

/* "-c | --columns" with that between them. */
static void write_names(dvi_out *out, const dvi_option *option, const char *between)
{
    if (option->letter)
        dvi_out_print(out, "-%c%s", option->letter, *option->name ? between : "");
    if (*option->name)
        dvi_out_print(out, "--%s", option->name);
}

/* A line of `case $prev`: what the value of the option is. */
static void write_bash_value(dvi_out *out, dvi_option_id id)
{
    const dvi_option *option = &dvi_options[id];
    const char *const *words = dvi_option_words(id);
    dvi_out_text(out, "    ");
    write_names(out, option, " | ");
    if (words) {
        dvi_out_text(out, ") _dataview_words '");
        write_words(out, words);
        dvi_out_text(out, "'; return ;;\n");
    } else {
        dvi_out_print(out, ") %sreturn ;;\n",
                      is_columns(option) ? "_dataview_columns; "
                      : is_types(option) ? "_dataview_types; "
                                         : "");
    }
}

/* A line of `case $verb`: its options, and verbs where it takes one. */
static void write_bash_verb(dvi_out *out, const dvi_verb *verb)
{
    dvi_out_print(out, "    %s) options='", verb->name);
    for (int i = 0; i < DVI_OPTIONS; i++) {
        if (is_of(&dvi_options[i], verb)) {
            write_names(out, &dvi_options[i], " ");
            dvi_out_text(out, " ");
        }
    }
    dvi_out_print(out, "' %s;;\n", verb->takes & DVI_TAKES_VERB ? "names=$verbs " : "");
}

/* What readline makes of a line: words, where = is one.  cur is the word before the cursor. */
static const char bash_functions[] =
    "\n"
    "_dataview_words() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "# A word as the program will get it; nothing in it is run.\n"
    "_dataview_plain() {\n"
    "    plain=${1//\\\\/}\n"
    "    plain=${plain#[\\\"\\']}\n"
    "    plain=${plain%[\\\"\\']}\n"
    "    [[ $plain == '~/'* ]] && plain=$HOME/${plain:2}\n"
    "}\n"
    "\n"
    "# The columns of the file on the line.\n"
    "_dataview_names() {\n"
    "    local word plain\n"
    "    for word in \"${COMP_WORDS[@]:2}\"; do\n"
    "        _dataview_plain \"$word\"\n"
    "        if [[ $word != -* && -f $plain ]]; then\n"
    "            \"${COMP_WORDS[0]}\" cat --take 0 --quiet -- \"$plain\" 2>/dev/null | tr '\\t' "
    "'\\n'\n"
    "            return\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "\n"
    "# Columns with $2 behind them, behind $1; but none whose name is not shown as it is, or has "
    "$3.\n"
    "_dataview_offer() {\n"
    "    local name quoted plain before=${1#[\\\"\\']}\n"
    "    _dataview_plain \"${cur#\"$1\"}\"\n"
    "    while IFS= read -r name; do\n"
    "        [[ $name == \"$plain\"* && $name != *[\\\\$3]* ]] || continue\n"
    "        printf -v quoted %q \"$name\"\n"
    "        [[ $cur == [\\\"\\']* ]] && quoted=$name\n"
    "        COMPREPLY+=(\"$before$quoted$2\")\n"
    "    done < <(_dataview_names)\n"
    "    compopt -o nospace 2>/dev/null\n"
    "}\n"
    "\n"
    "# Columns with commas between them.\n"
    "_dataview_columns() {\n"
    "    local before=\n"
    "    [[ $cur == *,* ]] && before=${cur%,*},\n"
    "    _dataview_offer \"$before\" '' ,\n"
    "}\n"
    "\n"
    "# NAME:TYPE\n"
    "_dataview_types() {\n"
    "    local plain type\n"
    "    _dataview_plain \"${cur%:*}\"\n"
    "    if [[ $cur != *:* ]] || ! _dataview_names | grep -qxF -- \"$plain\"; then\n"
    "        _dataview_offer '' : ''\n"
    "        return\n"
    "    fi\n"
    "    for type in $types; do\n"
    "        [[ $type == \"${cur##*:}\"* ]] && COMPREPLY+=(\"${cur%:*}:$type\")\n"
    "    done\n"
    "}\n"
    "\n"
    "# @FILE: options from a file.\n"
    "_dataview_at_file() {\n"
    "    local name quoted plain\n"
    "    _dataview_plain \"${cur#@}\"\n"
    "    while IFS= read -r name; do\n"
    "        printf -v quoted %q \"$name\"\n"
    "        [[ -d $name ]] && quoted+=/ && compopt -o nospace 2>/dev/null\n"
    "        COMPREPLY+=(\"@$quoted\")\n"
    "    done < <(compgen -f -- \"$plain\")\n"
    "}\n"
    "\n"
    "# What readline divides at colons is one word: it replaces what stands behind the last of "
    "them.\n"
    "_dataview() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD\n"
    "    while ((at > 2)) && [[ $cur == :* || ${COMP_WORDS[at - 1]} == *: ]]; do\n"
    "        cur=${COMP_WORDS[--at]}$cur\n"
    "    done\n"
    "    COMPREPLY=()\n"
    "    [[ ${COMP_WORDS[COMP_CWORD - 1]} == @ ]] && cur=@$cur # which it replaces too\n"
    "    _dataview_word \"${COMP_WORDS[at - 1]}\" \"${COMP_WORDS[at - 2]}\"\n"
    "    if ((at < COMP_CWORD)); then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"${cur##*:}\"}\"}\")\n"
    "    fi\n"
    "}\n"
    "\n"
    "# The word $cur behind $1, and $2 before that.\n"
    "_dataview_word() {\n"
    "    local prev=$1 verb=${COMP_WORDS[1]} options= names=\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == '=' ]]; then\n"
    "        prev=$2\n"
    "    fi\n";

void dvi_completion_bash(dvi_out *out)
{
    const dvi_verb *verb;
    dvi_out_print(out, "# Completion for bash.  %s bash\n", lead);
    dvi_out_text(out, bash_functions);
    dvi_out_text(out, "    local types='");
    write_types(out);
    dvi_out_text(out, "'\n    local verbs='");
    write_verbs(out);
    dvi_out_text(out, "'\n    if ((COMP_CWORD == 1)); then\n"
                      "        _dataview_words \"$verbs --help --version\"\n"
                      "        return\n    fi\n    case $prev in\n");
    for (int i = 0; i < DVI_OPTIONS; i++)
        if (*dvi_options[i].value)
            write_bash_value(out, (dvi_option_id)i);
    dvi_out_text(out, "    esac\n    case $verb in\n");
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        write_bash_verb(out, verb);
    dvi_out_text(out, "    esac\n    if [[ $cur == -* ]]; then\n"
                      "        _dataview_words \"$options\"\n"
                      "    elif [[ $names ]]; then\n"
                      "        _dataview_words \"$names\"\n"
                      "    elif [[ $cur == @* ]]; then\n"
                      "        _dataview_at_file\n"
                      "    else\n"
                      "        compopt -o default 2>/dev/null # names of files\n"
                      "    fi\n}\n\ncomplete -F _dataview dataview\n");
}

/* Within '...[...]' of a specification. */
static void write_zsh_text(dvi_out *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            dvi_out_text(out, "\\");
        if (*text == '\'')
            dvi_out_text(out, "'\\'");
        dvi_out_write(out, text, 1);
    }
}

/* One name of an option: '(-c --columns)-c+[only these columns]:LIST:_dataview_columns' */
static void write_zsh_option(dvi_out *out, dvi_option_id id, bool is_letter)
{
    const dvi_option *option = &dvi_options[id];
    const char *const *words = dvi_option_words(id);
    dvi_out_text(out, " \\\n            '");
    if (is_columns(option) || is_types(option)) {
        dvi_out_text(out, "*");
    } else {
        dvi_out_text(out, "(");
        write_names(out, option, " ");
        dvi_out_text(out, ")");
    }
    if (is_letter)
        dvi_out_print(out, "-%c%s", option->letter, *option->value ? "+" : "");
    else
        dvi_out_print(out, "--%s%s", option->name, *option->value ? "=" : "");
    dvi_out_text(out, "[");
    write_zsh_text(out, option->summary);
    dvi_out_text(out, "]");
    if (*option->value) {
        dvi_out_text(out, ":");
        write_zsh_text(out, option->value);
        dvi_out_text(out, ":");
    }
    if (words) {
        dvi_out_text(out, "(");
        write_words(out, words);
        dvi_out_text(out, ")");
    } else if (*option->value) {
        dvi_out_text(out, is_columns(option) ? "_dataview_columns"
                          : is_types(option) ? "_dataview_types"
                                             : " ");
    }
    dvi_out_text(out, "'");
}

static void write_zsh_verb(dvi_out *out, const dvi_verb *verb)
{
    dvi_out_print(out, "    %s)\n        _arguments -s -S '1: :'", verb->name);
    for (int i = 0; i < DVI_OPTIONS; i++) {
        if (is_of(&dvi_options[i], verb) && dvi_options[i].letter)
            write_zsh_option(out, (dvi_option_id)i, true);
        if (is_of(&dvi_options[i], verb) && *dvi_options[i].name)
            write_zsh_option(out, (dvi_option_id)i, false);
    }
    if (verb->takes & DVI_TAKES_VERB) {
        dvi_out_text(out, " \\\n            '2:verb:(");
        write_verbs(out);
        dvi_out_text(out, ")'\n        ;;\n");
    } else {
        dvi_out_text(out, " \\\n            '*:file:_dataview_files'\n        ;;\n");
    }
}

static const char zsh_functions[] =
    "\n"
    "# The columns of the file on the line, as names.\n"
    "_dataview_names() {\n"
    "    local word file=\n"
    "    for word in ${(Q)words[3,-1]}; do\n"
    "        [[ $word != -* && -f ${~word} ]] && file=${~word} && break\n"
    "    done\n"
    "    [[ -n $file ]] || { _message 'columns, once the file is named'; return 1 }\n"
    "    names=(${(ps:\\t:)\"$(${(Q)words[1]} cat --take 0 --quiet -- $file 2>/dev/null)\"})\n"
    "    names=(${names:#*\\\\*})\n"
    "}\n"
    "\n"
    "_dataview_columns() {\n"
    "    local -a names\n"
    "    _dataview_names || return\n"
    "    names=(${names:#*,*})\n"
    "    compset -P '*,'\n"
    "    compadd -S '' -a names\n"
    "}\n"
    "\n"
    "# NAME:TYPE\n"
    "_dataview_types() {\n"
    "    local -a names\n"
    "    _dataview_names || return\n"
    "    if [[ $PREFIX == *:* && -n ${(M)names:#${(Q)PREFIX%:*}} ]]; then\n"
    "        compset -P '*:'\n"
    "        compadd -- ${=types}\n"
    "    else\n"
    "        compadd -S : -a names\n"
    "    fi\n"
    "}\n"
    "\n"
    "# @FILE: options from a file.\n"
    "_dataview_files() {\n"
    "    compset -P @\n"
    "    _files\n"
    "}\n"
    "\n"
    "_dataview() {\n"
    "    local types='";
static const char zsh_verbs[] = "'\n"
                                "    if ((CURRENT == 2)); then\n"
                                "        local -a verbs=(";

void dvi_completion_zsh(dvi_out *out)
{
    const dvi_verb *verb;
    dvi_out_print(out, "#compdef dataview\n# Completion for zsh.  %s zsh\n", lead);
    dvi_out_text(out, zsh_functions);
    write_types(out);
    dvi_out_text(out, zsh_verbs);
    for (int i = 0; (verb = dvi_verb_at(i)); i++) {
        dvi_out_print(out, "\n            '%s:", verb->name);
        write_zsh_text(out, verb->summary);
        dvi_out_text(out, "'");
    }
    dvi_out_text(out, ")\n        _describe verb verbs\n"
                      "        _arguments '--version[the version]' '--help[the verbs]'\n"
                      "        return\n    fi\n    case $words[2] in\n");
    for (int i = 0; (verb = dvi_verb_at(i)); i++)
        write_zsh_verb(out, verb);
    dvi_out_text(out, "    esac\n}\n\n_dataview \"$@\"\n");
}
