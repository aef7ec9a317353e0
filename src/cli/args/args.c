/* SPDX-License-Identifier: MIT */
/* args.c: reads a command line, word by word. */
#include "cli/args/args.h"
#include "cli/args/at_file.h"
#include "cli/args/format_words.h"
#include "cli/args/limit_args.h"
#include "cli/args/option_value.h"
#include "cli/args/pipe_args.h"
#include "cli/args/retype.h"
#include "cli/args/row_cache.h"
#include "cli/args/row_epoch.h"
#include "cli/args/row_format.h"
#include "cli/args/text_args.h"
#include "cli/args/where.h"
#include <dataview/names.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 1024

#define OPTION(id, name, letter, value, needs, summary) {name, letter, value, summary, needs},
const dvi_option dvi_options[DVI_OPTIONS] = {DVI_OPTION_LIST(OPTION)};

static bool same_text(const char *text, size_t nbytes, const char *word)
{
    return strlen(word) == nbytes && memcmp(text, word, nbytes) == 0;
}

/* "A:B", "A:", ":B" or ":". */
static dvi_exit set_rows(dvi_args *args, const char *text)
{
    const char *colon = strchr(text, ':');
    int64_t first = 0, end = -1;
    const bool ok = colon &&
                    (colon == text || dvi_parse_count(text, (size_t)(colon - text), &first)) &&
                    (!colon[1] || dvi_parse_count(colon + 1, strlen(colon + 1), &end));
    if (!ok)
        return dvi_say_usage("--rows expects A:B, two row numbers, not '%s'", text);
    if (end >= 0 && end < first)
        return dvi_say_usage("--rows %s ends before it begins", text);
    args->first_row = first;
    args->end_row = end;
    return DVI_EXIT_DONE;
}

static dvi_exit set_threads(dvi_args *args, const char *text)
{
    int64_t threads = 0;
    const dvi_exit status = dvi_set_count("--threads", text, THREADS_MAX, &threads);
    if (!status)
        args->threads = (int32_t)threads;
    return status;
}

/* Digits, a point, an exponent, in the C locale. */
static dvi_exit set_tolerance(dvi_args *args, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (strspn(text, "0123456789.eE+-") != strlen(text) || !*text || *end || !(value >= 0) ||
        !isfinite(value))
        return dvi_say_usage("--tolerance expects a number of at least 0, such as 1e-6, not '%s'",
                             text);
    args->tolerance = value;
    return DVI_EXIT_DONE;
}

static const char *const io_names[] = {"auto", "mmap", "pread", NULL}; /* as dv_io */
static const char *const strategy_names[] = {"random", "concat", "sequential", NULL};
static const char *const thumbnail_names[] = {"auto", "sixel", "kitty", NULL};
static const char *const as_names[] = {"text", "man", "bash", "zsh", "verbs", NULL};

const char *const *dvi_option_words(dvi_option_id id)
{
    switch (id) {
    case DVI_OPTION_IO:
        return io_names;
    case DVI_OPTION_FROM:
        return dvi_format_words();
    case DVI_OPTION_AS:
        return as_names;
    case DVI_OPTION_FORMAT:
        return dvi_row_format_names;
    case DVI_OPTION_STRATEGY:
        return strategy_names;
    case DVI_OPTION_SHUFFLE:
        return dvi_shuffle_names;
    case DVI_OPTION_THUMBNAILS:
        return thumbnail_names;
    case DVI_OPTION_HEADER:
        return dvi_header_names;
    case DVI_OPTION_BAD_ROWS:
        return dvi_bad_rows_names;
    case DVI_OPTION_KEY_FILE: /* a file, as --keys of writers is not */
        return NULL;
    default:
        return dvi_save_args_words(dvi_options[id].name);
    }
}

const char *dvi_option_summary(const dvi_option *option, char buffer[DVI_SUMMARY_CAP])
{
    const char *const *words = dvi_option_words((dvi_option_id)(option - dvi_options));
    size_t n = strlen(option->summary);
    if (!words || option->summary[n - 1] != ':')
        return option->summary;
    snprintf(buffer, DVI_SUMMARY_CAP, "%s", option->summary);
    for (int i = 0; words[i] && n < DVI_SUMMARY_CAP; i++)
        n += (size_t)snprintf(buffer + n, DVI_SUMMARY_CAP - n, "%s %s", i ? "," : "", words[i]);
    return buffer;
}

static dvi_exit set_io(dvi_args *args, const char *text)
{
    int i = 0;
    while (io_names[i] && strcmp(text, io_names[i]) != 0)
        i++;
    if (!io_names[i])
        return dvi_say_usage("--io expects auto, mmap or pread, not '%s'", text);
    args->open.io = (dv_io)i;
    return DVI_EXIT_DONE;
}

static dvi_exit set_spool(dvi_args *args, const char *text)
{
    const dvi_exit status = dvi_set_nbytes("--spool-bytes", text, &args->open.spool_nbytes);
    if (!status && args->open.spool_nbytes < 1)
        return dvi_say_usage("--spool-bytes must be at least 1");
    return status;
}

static dvi_exit add_conversion(dvi_args *args, const char *text)
{
    const dvi_exit status = dvi_retype_check(text);
    if (status || dvi_words_add(&args->convert, text))
        return status;
    return dvi_say_memory();
}

static dvi_exit add_test(dvi_args *args, const char *text)
{
    const dvi_exit status = dvi_where_check(text);
    if (status || dvi_words_add(&args->where, text))
        return status;
    return dvi_say_memory();
}

static dvi_exit set_option(dvi_args *args, dvi_option_id id, const char *value)
{
    switch (id) {
    case DVI_OPTION_LINES:
        return dvi_set_count("-n", value, INT64_MAX, &args->lines);
    case DVI_OPTION_SKIP:
        return dvi_set_count("--skip", value, INT64_MAX, &args->skip);
    case DVI_OPTION_TAKE:
        return dvi_set_count("--take", value, INT64_MAX, &args->take);
    case DVI_OPTION_ROWS:
        return set_rows(args, value);
    case DVI_OPTION_NEED_ROWS:
        return dvi_set_count("--rows", value, INT64_MAX, &args->need_rows);
    case DVI_OPTION_THREADS:
        return set_threads(args, value);
    case DVI_OPTION_TOLERANCE:
        return set_tolerance(args, value);
    case DVI_OPTION_IO:
        return set_io(args, value);
    case DVI_OPTION_LIMIT:
        return dvi_limit_set(&args->open, value);
    case DVI_OPTION_DROP_BEHIND:
        args->open.drop_behind = true;
        break;
    case DVI_OPTION_PLAIN_FOLDERS:
        args->open.plain_folders = true;
        break;
    case DVI_OPTION_SPOOL_BYTES:
        return set_spool(args, value);
    case DVI_OPTION_FROM:
        return dvi_set_format("--from", value, dvi_format_words(), &args->open.format);
    case DVI_OPTION_FORMAT:
        return dvi_set_name("--format", value, dvi_row_format_names, &args->format);
    case DVI_OPTION_AS:
        return dvi_set_name("--as", value, as_names, &args->as);
    case DVI_OPTION_KEY_FILE:
        args->key_file = value;
        break;
    case DVI_OPTION_SEED:
        args->has_seed = true;
        return dvi_set_number("--seed", value, &args->seed);
    case DVI_OPTION_SHUFFLE:
    case DVI_OPTION_EPOCH:
    case DVI_OPTION_POOL:
    case DVI_OPTION_POOL_BLOCKS:
    case DVI_OPTION_SHARD:
        return dvi_row_epoch_set(args, id, value);
    case DVI_OPTION_STRATEGY:
        return dvi_set_name("--strategy", value, strategy_names, &args->strategy);
    case DVI_OPTION_EVERY:
        return dvi_set_count("--every", value, INT64_MAX, &args->every);
    case DVI_OPTION_FRACTION:
        args->fraction = value;
        break;
    case DVI_OPTION_STRATIFY:
        args->stratify = value;
        break;
    case DVI_OPTION_GROUP:
        args->group = value;
        break;
    case DVI_OPTION_OUT:
        return dvi_words_add(&args->outs, value) ? DVI_EXIT_DONE : dvi_say_memory();
    case DVI_OPTION_COLUMNS:
        return dvi_words_add(&args->columns, value) ? DVI_EXIT_DONE : dvi_say_memory();
    case DVI_OPTION_DROP:
        return dvi_words_add(&args->drop, value) ? DVI_EXIT_DONE : dvi_say_memory();
    case DVI_OPTION_CONVERT:
        return add_conversion(args, value);
    case DVI_OPTION_WHERE:
        return add_test(args, value);
    case DVI_OPTION_CACHE:
        args->cache = value;
        break;
    case DVI_OPTION_THUMBNAILS:
        return dvi_set_name("--thumbnails", value, thumbnail_names, &args->thumbnails);
    case DVI_OPTION_PIPE:
        return dvi_pipe_args_set(args, "--pipe", value);
    case DVI_OPTION_MODEL:
        args->model_out = value;
        break;
    case DVI_OPTION_FIT_ON:
        args->fit_on = value;
        break;
    case DVI_OPTION_ALLOW_FOLDER:
        args->allow_folder = value;
        break;
    case DVI_OPTION_UNTIL_UNKNOWN:
        args->until_unknown = true;
        break;
    case DVI_OPTION_METADATA:
        args->metadata = true;
        break;
    case DVI_OPTION_IDS:
        args->ids = true;
        break;
    case DVI_OPTION_HIDDEN:
        args->hidden = true;
        break;
    case DVI_OPTION_QUIET:
        args->quiet = true;
        break;
    case DVI_OPTION_PROGRESS:
        args->progress = true;
        break;
    case DVI_OPTION_KERNELS:
        args->kernels = true;
        break;
    case DVI_OPTION_LAYOUT:
        args->layout = true;
        break;
    case DVI_OPTION_PLAN:
        args->plan = true;
        break;
    case DVI_OPTION_JSON:
        args->json = true;
        break;
    case DVI_OPTION_TEXT:
        return dvi_text_args_set(args, value);
    case DVI_OPTION_SEP:
        args->sep = value;
        break;
    case DVI_OPTION_HEADER:
        return dvi_text_args_header(args, value);
    case DVI_OPTION_BAD_ROWS:
        return dvi_text_args_bad_rows(args, value);
    case DVI_OPTION_TYPE:
        return dvi_words_add(&args->type, value) ? DVI_EXIT_DONE : dvi_say_memory();
    case DVI_OPTION_PROPOSAL:
        args->proposal = true;
        break;
    case DVI_OPTION_DATADINGS:
        args->open.datadings = value;
        break;
    case DVI_OPTION_LENIENT:
        args->open.lenient = true;
        break;
    case DVI_OPTION_HELP:
        args->wants_help = true;
        break;
    default: /* the options of writers */
        return dvi_save_args_set(&args->save, dvi_options[id].name, value);
    }
    return DVI_EXIT_DONE;
}

static dvi_exit refuse_option(const dvi_verb *verb, const char *word, const char *name, size_t n)
{
    dv_nearest best = DV_NEAREST_INIT;
    for (int i = 0; i < DVI_OPTIONS; i++)
        if ((dvi_options[i].needs & ~verb->takes) == 0)
            dv_nearest_offer(&best, (dv_text){name, (int64_t)n}, dv_text_of(dvi_options[i].name));
    const int shown = (int)(name - word) + (int)(n < 256 ? n : 256);
    if (best.name.data)
        return dvi_say_usage("%s has no option %.*s; did you mean --%s?", verb->name, shown, word,
                             best.name.data);
    return dvi_say_usage("%s has no option %.*s; dataview help %s lists its options", verb->name,
                         shown, word, verb->name);
}

/* The option that a word names: "--name", "--name=value", "-x", "-xvalue".  Of two with this name,
 * the one that the verb takes. */
static dvi_option_id find_option(const dvi_verb *verb, const char *word, const char *name, size_t n)
{
    dvi_option_id id = DVI_OPTIONS;
    for (int i = 0; i < DVI_OPTIONS; i++) {
        const dvi_option *o = &dvi_options[i];
        const bool is_it = name - word == 2 ? *o->name && same_text(name, n, o->name)
                                            : o->letter && o->letter == *name;
        if (is_it && (id == DVI_OPTIONS || (o->needs & ~verb->takes) == 0))
            id = (dvi_option_id)i;
    }
    return id;
}

static bool is_among(const char *const *names, const char *word)
{
    while (*names && (!word || strcmp(*names, word) != 0))
        names++;
    return *names;
}

/* Read the option at argv[*i] and its value, which may be the next word. */
static dvi_exit read_option(dvi_args *args, int argc, const char *const *argv, int *i)
{
    const char *word = argv[*i];
    const bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    const size_t n = is_long ? strcspn(name, "=") : 1;
    const dvi_option_id id = find_option(args->verb, word, name, n);
    if (id == DVI_OPTIONS)
        return refuse_option(args->verb, word, name, n);
    const int shown = (int)(name - word + (ptrdiff_t)n);
    if (dvi_options[id].needs & ~args->verb->takes)
        return dvi_say_usage("%.*s is not an option of %s", shown, word, args->verb->name);
    const bool has_value = name[n], wants_value = *dvi_options[id].value;
    if (!wants_value && has_value)
        return dvi_say_usage("%.*s takes no value", shown, word);
    if (!wants_value || has_value)
        return set_option(args, id, name + n + (is_long && has_value));
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (id == DVI_OPTION_THUMBNAILS && !is_among(thumbnail_names, next)) /* it may be a file */
        return set_option(args, id, thumbnail_names[0]);
    if (id == DVI_OPTION_SHUFFLE && dvi_row_epoch_is_bare(next))
        return set_option(args, id, dvi_shuffle_names[0]);
    if (*i + 1 == argc)
        return dvi_say_usage("%.*s needs a value: %.*s %s", shown, word, shown, word,
                             dvi_options[id].value);
    return set_option(args, id, argv[++*i]);
}

/* Where the words come from. */
typedef struct source {
    dvi_args *args;
    bool is_literal;     /* after "--" */
    const char *at_file; /* the option file being read; NULL: the command line */
} source;

static dvi_exit read_words(source *from, int argc, const char *const *argv);

/* Read the words of FILE in place of "@FILE". */
static dvi_exit read_at_file(source *from, const char *word)
{
    dvi_words words = {0};
    char *text = NULL;
    if (from->at_file)
        return dvi_say_usage("%s: an option file cannot name another one (%s)", from->at_file,
                             word);
    if (!word[1])
        return dvi_say_usage("@ must be followed by the name of an option file");
    from->at_file = word + 1;
    dvi_exit status = dvi_at_file_read(&words, &text, word + 1);
    if (text && !dvi_words_own(&from->args->texts, text))
        status = dvi_say_memory();
    if (!status)
        status = read_words(from, words.count, words.word);
    from->at_file = NULL;
    dvi_words_free(&words);
    return status;
}

static const char standard_input[] = "/dev/stdin";

static dvi_exit read_file(source *from, const char *word)
{
    dvi_args *args = from->args;
    if (args->verb->takes & DVI_TAKES_STEPS && !args->action)
        return dvi_pipe_args_action(args, word);
    if (*word == '@' && !from->is_literal && !(args->verb->takes & DVI_TAKES_STEPS))
        return read_at_file(from, word);
    if (args->files.count && args->verb->takes & DVI_TAKES_KEYS)
        return dvi_words_add(&args->keys, word) ? DVI_EXIT_DONE : dvi_say_memory();
    if (args->files.count && args->verb->takes & DVI_TAKES_NAMES)
        return dvi_words_add(&args->columns, word) ? DVI_EXIT_DONE : dvi_say_memory();
    if (!*word)
        return dvi_say_usage("the file name is empty");
    if (strcmp(word, "-") == 0 && args->verb->takes & DVI_TAKES_FILE)
        word = standard_input;
    if (args->files.count && args->verb->takes & DVI_TAKES_VERB)
        return dvi_say_usage("%s takes one verb; %s is one too many", args->verb->name, word);
    return dvi_words_add(&args->files, word) ? DVI_EXIT_DONE : dvi_say_memory();
}

static dvi_exit read_words(source *from, int argc, const char *const *argv)
{
    dvi_exit status = DVI_EXIT_DONE;
    for (int i = 0; i < argc && !status; i++) {
        const char *word = argv[i];
        if (from->args->verb->takes & DVI_TAKES_STEPS && strcmp(word, "--list") == 0)
            word += 2; /* pipe --list is pipe list */
        if (from->is_literal || word[0] != '-' || !word[1])
            status = read_file(from, word);
        else if (strcmp(word, "--") == 0)
            from->is_literal = true;
        else
            status = read_option(from->args, argc, argv, &i);
    }
    return status;
}

/* Words of digits at the end are row numbers, but the first word is always a file. */
static dvi_exit take_numbers(dvi_args *args)
{
    dvi_words *files = &args->files;
    int first = files->count;
    while (first > 1 &&
           strspn(files->word[first - 1], "0123456789") == strlen(files->word[first - 1]))
        first--;
    for (int i = first; i < files->count; i++)
        if (!dvi_words_add(&args->numbers, files->word[i]))
            return dvi_say_memory();
    files->count = first;
    return DVI_EXIT_DONE;
}

/* The last word is not a file of the first table: it is the second table, or the file to write. */
static dvi_exit take_last(dvi_args *args)
{
    const char *verb = args->verb->name;
    dvi_words *files = &args->files;
    const bool is_out = args->verb->takes & DVI_TAKES_OUT;
    if (files->count < 2 && is_out)
        return dvi_say_usage("%s needs the name of the file to write: dataview %s %s", verb, verb,
                             args->verb->arguments);
    if (files->count < 2)
        return dvi_say_usage("%s needs two tables: dataview %s %s", verb, verb,
                             args->verb->arguments);
    if (files->count > 2 && !is_out)
        return dvi_say_usage("%s compares two tables, not %d; to read several files as one table, "
                             "pass a directory or a quoted pattern",
                             verb, files->count);
    args->last = files->word[--files->count];
    if (is_out && args->last == standard_input)
        return dvi_say_usage("%s cannot write to standard output: name a file (./- for a file "
                             "called -), or use dataview cat to write rows as text",
                             verb);
    return is_out ? dvi_save_args_check(&args->save, args->last) : DVI_EXIT_DONE;
}

dvi_exit dvi_args_parse(dvi_args *args_out, const dvi_verb *verb, int argc, const char *const *argv)
{
    *args_out = (dvi_args){.verb = verb,
                           .end_row = -1,
                           .take = -1,
                           .lines = 10,
                           .tolerance = -1,
                           .every = -1,
                           .need_rows = -1};
    args_out->epoch = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    args_out->open = (dv_open_options)DV_OPEN_OPTIONS_INIT;
    args_out->open.bad_fields = DV_BAD_FIELDS_COUNT;
    args_out->save.options = (dv_save_options)DV_SAVE_OPTIONS_INIT;
    source from = {.args = args_out};
    dvi_exit status = read_words(&from, argc, argv);
    if (!status)
        status = dvi_text_args_settle(args_out);
    if (!status && verb->takes & DVI_TAKES_STEPS && !args_out->wants_help)
        status = dvi_pipe_args_take(args_out);
    const bool has_file = args_out->files.count > 0;
    if (!status && args_out->quiet && args_out->progress)
        return dvi_say_usage("--quiet and --progress contradict each other");
    if (!status && has_file && args_out->kernels)
        return dvi_say_usage("--kernels reads no file; remove %s", args_out->files.word[0]);
    const bool needs_file =
        (verb->takes & DVI_TAKES_FILE) && !args_out->kernels && !(verb->takes & DVI_TAKES_STEPS);
    if (!status && !has_file && !args_out->wants_help && needs_file)
        return dvi_say_usage("%s needs a file: dataview %s %s", verb->name, verb->name,
                             verb->arguments);
    if (status || args_out->wants_help)
        return status;
    status = dvi_row_cache_check(args_out);
    if (!status)
        status = dvi_pipe_args_check(args_out);
    if (!status)
        status = dvi_row_epoch_check(args_out);
    if (!status && verb->takes & DVI_TAKES_NUMBERS)
        status = take_numbers(args_out);
    if (!status && verb->takes & (DVI_TAKES_TWO | DVI_TAKES_OUT))
        status = take_last(args_out);
    return status;
}

void dvi_args_free(dvi_args *args)
{
    dvi_words_free(&args->columns);
    dvi_words_free(&args->drop);
    dvi_words_free(&args->convert);
    dvi_words_free(&args->type);
    dvi_words_free(&args->where);
    dvi_words_free(&args->numbers);
    dvi_words_free(&args->keys);
    dvi_words_free(&args->outs);
    dvi_words_free(&args->files);
    dvi_words_free_all(&args->paths);
    dvi_words_free_all(&args->texts);
}
