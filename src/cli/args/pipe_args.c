/* SPDX-License-Identifier: MIT */
/* pipe_args.c: reads, fits and applies the pipeline of the command line. */
#include "cli/args/pipe_args.h"
#include "cli/args/at_file.h"
#include "cli/args/input.h"
#include "cli/args/retype.h"
#include "cli/args/where.h"
#include "cli/terminal/progress.h"
#include <dataview/names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the first table; NULL: nothing has been fitted. */
static dv_fitted *kept;

/* A saved pipeline is a regular file; steps may come from a pipe too. */
static bool is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static dvi_exit take_file(dvi_args *args, const char *path)
{
    char *own;
    const char *format;
    args->pipe = NULL;
    args->model = NULL;
    args->pipe_file = path;
    dv_error err = DV_ERROR_INIT;
    const dv_status found = is_regular(path) ? dv_fitted_format(&format, path, &err) : DV_NOT_FOUND;
    if (found < 0)
        return dvi_say_error(&err);
    if (found == DV_OK) {
        args->model = path;
        return DVI_EXIT_DONE;
    }
    const dvi_exit status = dvi_at_file_text(&own, path);
    args->pipe = own;
    if (own && !dvi_words_own(&args->texts, own))
        return dvi_say_memory();
    return status;
}

dvi_exit dvi_pipe_args_set(dvi_args *args, const char *option, const char *text)
{
    args->pipe = text;
    args->model = NULL;
    args->pipe_file = NULL;
    if (*text != '@')
        return DVI_EXIT_DONE;
    if (!text[1])
        return dvi_say_usage("%s @ must be followed by the name of a file with the steps", option);
    return take_file(args, text + 1);
}

const char *const dvi_pipe_actions[] = {"list", "check", "fit",   "show",
                                        "diff", "part",  "merge", NULL};

dvi_exit dvi_pipe_args_action(dvi_args *args, const char *word)
{
    dv_nearest best = DV_NEAREST_INIT;
    for (const char *const *action = dvi_pipe_actions; *action; action++) {
        if (strcmp(*action, word) == 0) {
            args->action = *action;
            return DVI_EXIT_DONE;
        }
        dv_nearest_offer(&best, dv_text_of(word), dv_text_of(*action));
    }
    return best.name.data
               ? dvi_say_usage("pipe %s: did you mean pipe %s?", word, best.name.data)
               : dvi_say_usage(
                     "pipe lists, checks, fits, shows, compares or merges: dataview pipe list, not "
                     "'%s'; "
                     "--pipe @MODEL of other verbs applies: dataview convert FILE OUT --pipe "
                     "@MODEL",
                     word);
}

/* The steps are a text; a word without a blank is the name of a file that has them. */
static dvi_exit take_steps(dvi_args *args, const char *word)
{
    if (*word == '@' || strpbrk(word, " ;\n"))
        return dvi_pipe_args_set(args, "pipe", word);
    return take_file(args, word);
}

/* pipe show MODEL */
static dvi_exit take_model(dvi_args *args)
{
    if (args->files.count != 1 || args->pipe)
        return dvi_say_usage("pipe show takes one saved pipeline: dataview pipe show model.dvp");
    const char *word = args->files.word[0];
    args->model = *word == '@' && access(word, F_OK) != 0 ? word + 1 : word;
    args->pipe_file = args->model;
    args->files.count = 0;
    return DVI_EXIT_DONE;
}

/* pipe diff A B */
static dvi_exit take_two(dvi_args *args)
{
    dvi_words *files = &args->files;
    if (files->count != 2 || args->pipe || args->model)
        return dvi_say_usage("pipe diff takes two pipelines: dataview pipe diff a.dvp b.dvp");
    files->count = 0;
    dvi_exit status = take_steps(args, files->word[1]);
    args->pipe_b = args->pipe;
    args->model_b = args->model;
    args->pipe_b_file = args->pipe_file;
    if (!status)
        status = take_steps(args, files->word[0]);
    return status;
}

static bool is_action(const dvi_args *args, const char *action)
{
    return args->action && strcmp(args->action, action) == 0;
}

static dvi_exit check_fit(const dvi_args *args)
{
    if (args->model && (is_action(args, "fit") || is_action(args, "part")))
        return dvi_say_usage("%s is fitted already; pipe show shows it", args->model);
    if (is_action(args, "part") && !args->model_out)
        return dvi_say_usage(
            "pipe part makes a file: dataview pipe part FILE 'term A' -o part.idv");
    return DVI_EXIT_DONE;
}

/* pipe merge PART... */
static dvi_exit take_parts(const dvi_args *args)
{
    if (args->files.count < 1 || args->pipe || args->model)
        return dvi_say_usage("pipe merge takes what pipe part has made, in the order of the rows: "
                             "dataview pipe merge a.idv b.idv -o all.dvp");
    return DVI_EXIT_DONE;
}

dvi_exit dvi_pipe_args_take(dvi_args *args)
{
    dvi_words *files = &args->files;
    if (!args->action)
        args->action = dvi_pipe_actions[0];
    if (strcmp(args->action, "list") == 0) {
        if (files->count > 1)
            return dvi_say_usage("pipe list takes one step; %s is one too many", files->word[1]);
        args->last = files->count ? files->word[0] : NULL;
        files->count = 0;
        return DVI_EXIT_DONE;
    }
    if (strcmp(args->action, "show") == 0)
        return take_model(args);
    if (strcmp(args->action, "diff") == 0)
        return take_two(args);
    if (strcmp(args->action, "merge") == 0)
        return take_parts(args);
    if ((args->pipe || args->model) && files->count)
        return check_fit(args);
    if (files->count < 2)
        return dvi_say_usage("pipe %s needs a table and steps: dataview pipe %s FILE 'term A'",
                             args->action, args->action);
    if (strpbrk(files->word[0], " ;") && access(files->word[0], F_OK) != 0 &&
        access(files->word[1], F_OK) == 0)
        return dvi_say_usage("pipe %s takes the table first: dataview pipe %s '%s' '%s'",
                             args->action, args->action, files->word[1], files->word[0]);
    const dvi_exit status = take_steps(args, files->word[--files->count]);
    return status ? status : check_fit(args);
}

dvi_exit dvi_pipe_args_check(const dvi_args *args)
{
    if (args->fit_on && args->model)
        return dvi_say_usage("--fit-on: %s is fitted already", args->model);
    if (args->model_out && !is_action(args, "fit") && !is_action(args, "part") &&
        !is_action(args, "merge"))
        return dvi_say_usage("-o saves what pipe fit has fitted; pipe %s fits nothing",
                             args->action);
    if (args->need_rows >= 0 && strcmp(args->action, "check") != 0)
        return dvi_say_usage("--rows is for pipe check, not for pipe %s", args->action);
    if (args->need_rows >= 0 && args->model)
        return dvi_say_usage("--rows: %s is fitted already", args->model);
    if (args->fit_on && !args->pipe)
        return dvi_say_usage("--fit-on says where the steps of --pipe learn: give --pipe too");
    if (args->allow_folder && !args->pipe_file && !args->pipe_b_file)
        return dvi_say_usage("--allow-folder is for steps that a file has, not for those that you "
                             "type: give --pipe @FILE too");
    if (args->until_unknown && !args->model)
        return dvi_say_usage(
            "--until-unknown is for a model of ML.NET: give --pipe @model.zip too");
    return DVI_EXIT_DONE;
}

/* The folder of --allow-folder; NULL: none. */
static dvi_exit open_allowed(dv_folder **folder_out, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    *folder_out = NULL;
    if (!args->allow_folder || dv_folder_open(folder_out, args->allow_folder, NULL, &err) == DV_OK)
        return DVI_EXIT_DONE;
    dvi_say("--allow-folder: %s", err.message);
    return DVI_EXIT_SYSTEM;
}

/* Steps that were read from a file open only files that are allowed. */
static dv_status parse_text(dv_pipeline **pipeline_out, const char *text, bool is_loaded,
                            dv_folder *allowed, dv_error *err)
{
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.untrusted = is_loaded;
    options.allowed = options.ctx = is_loaded ? allowed : NULL;
    if (!is_loaded || allowed) {
        options.read_file = dv_pipeline_read_file;
        options.open_table = dv_pipeline_open_table;
    }
    return dv_pipeline_parse_files(pipeline_out, dv_text_of(text), &options, NULL, err);
}

static dvi_exit parse(dv_pipeline **pipeline_out, const char *text, bool is_loaded,
                      const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_folder *allowed;
    const dvi_exit opened = open_allowed(&allowed, args);
    if (opened)
        return opened;
    const dv_status status = parse_text(pipeline_out, text, is_loaded, allowed, &err);
    dv_folder_release(&allowed);
    if (status == DV_OK)
        return DVI_EXIT_DONE;
    if (err.status != DV_ERR_ARGUMENT)
        return dvi_say_error(&err);
    const char *dot = strrchr(text, '.');
    if (dot && !strpbrk(text, " ;\n") && (strcmp(dot, ".zip") == 0 || strcmp(dot, ".dvp") == 0))
        return dvi_say_usage("--pipe: %s; a file is given as @%s", err.message, text);
    return dvi_say_usage("--pipe: %s", err.message);
}

static dv_status open_fitted(dv_fitted **fitted_out, const char *model, const dvi_args *args,
                             dv_folder *allowed, dv_error *err)
{
    dv_fitted_options options = DV_FITTED_OPTIONS_INIT;
    options.until_unknown = args->until_unknown;
    options.allowed = allowed;
    return dv_fitted_open_with(fitted_out, model, &options, NULL, err);
}

/* Say what --until-unknown has left out. */
static dvi_exit open_model(dv_fitted **fitted_out, const char *model, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_folder *allowed;
    const dvi_exit opened = open_allowed(&allowed, args);
    if (opened)
        return opened;
    const dv_status status = open_fitted(fitted_out, model, args, allowed, &err);
    dv_folder_release(&allowed);
    if (status != DV_OK && strcmp(err.rule, "modelzip:S2") == 0) {
        const size_t n = strlen(err.message);
        snprintf(err.message + n, sizeof err.message - n,
                 "; --until-unknown leaves it out, and all steps after it");
    }
    if (status != DV_OK)
        return dvi_say_error(&err);
    const dv_text left_out = dv_fitted_left_out(*fitted_out);
    if (left_out.nbytes > 0)
        dvi_say("%s: left out: %.*s, and all steps after it", model, (int)left_out.nbytes,
                left_out.data);
    return DVI_EXIT_DONE;
}

dvi_exit dvi_pipe_open(dv_pipeline **pipeline_out, dv_fitted **fitted_out, const dvi_args *args,
                       bool is_second)
{
    const char *model = is_second ? args->model_b : args->model;
    *pipeline_out = NULL;
    *fitted_out = NULL;
    if (!model && is_second)
        return parse(pipeline_out, args->pipe_b, args->pipe_b_file != NULL, args);
    if (!model)
        return parse(pipeline_out, args->pipe, args->pipe_file != NULL, args);
    const dvi_exit status = open_model(fitted_out, model, args);
    if (status)
        return status;
    *pipeline_out = dv_fitted_pipeline(*fitted_out);
    dv_pipeline_retain(*pipeline_out);
    return DVI_EXIT_DONE;
}

/* --- Fitting ---------------------------------------------------------------------------------- */

typedef struct watch {
    dvi_progress progress;
    int64_t nbytes;
} watch;

static bool step(void *ctx, int64_t done, int64_t all)
{
    watch *w = ctx;
    dvi_progress_table(&w->progress, done, all, w->nbytes);
    return true;
}

/* Into a fitted pipeline, or into a part; the other one is NULL. */
static dvi_exit fit_on(dv_fitted **fitted_out, dv_view **part_out, dv_pipeline *pipeline,
                       dv_view *view, const dvi_args *args)
{
    watch w = {.nbytes = args->fit_on ? -1 : dvi_input_nbytes(args)};
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = args->threads;
    options.progress = (dv_progress){step, &w};
    dvi_progress_start(&w.progress, args->progress, args->quiet);
    const dv_status status = part_out ? dv_fit_part(part_out, pipeline, view, &options, NULL, &err)
                                      : dv_fit(fitted_out, pipeline, view, &options, NULL, &err);
    dvi_progress_clear(&w.progress);
    if (status == DV_ERR_ARGUMENT)
        return dvi_say_usage("--pipe: %s", err.message);
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

/* The rows to learn from: --convert and --where apply to them too. */
static dvi_exit open_rows(dv_view **rows_out, dv_view *view, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    *rows_out = view;
    if (!args->fit_on)
        dv_view_retain(view);
    else if (dv_open(rows_out, args->fit_on, &args->open, &err) != DV_OK)
        return dvi_say_reworded(&err);
    const dvi_exit status = dvi_retype(rows_out, args);
    return status ? status : dvi_where(rows_out, args);
}

dvi_exit dvi_pipe_fit(dv_fitted **fitted_out, dv_view *view, const dvi_args *args)
{
    dv_pipeline *pipeline = NULL;
    dv_view *rows = NULL;
    *fitted_out = NULL;
    if (!args->pipe && !args->model)
        return DVI_EXIT_DONE;
    dvi_exit status = DVI_EXIT_DONE;
    if (!kept && args->model) {
        status = open_model(&kept, args->model, args);
    } else if (!kept) {
        status = parse(&pipeline, args->pipe, args->pipe_file != NULL, args);
        if (!status)
            status = open_rows(&rows, view, args);
        if (!status)
            status = fit_on(&kept, NULL, pipeline, rows, args);
        dv_view_release(&rows);
        dv_pipeline_release(&pipeline);
    }
    *fitted_out = kept;
    return status;
}

dvi_exit dvi_pipe_part(dv_view **part_out, dv_view *view, const dvi_args *args)
{
    dv_pipeline *pipeline = NULL;
    dv_view *rows = NULL;
    *part_out = NULL;
    dvi_exit status = parse(&pipeline, args->pipe, args->pipe_file != NULL, args);
    if (!status)
        status = open_rows(&rows, view, args);
    if (!status)
        status = fit_on(NULL, part_out, pipeline, rows, args);
    dv_view_release(&rows);
    dv_pipeline_release(&pipeline);
    return status;
}

static dvi_exit find_needs(dv_fit_need *needs, dv_pipeline *pipeline, dv_view *rows,
                           const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = args->threads;
    const dv_status status =
        dv_fit_needs(needs, pipeline, rows, args->need_rows, &options, NULL, &err);
    if (status == DV_ERR_ARGUMENT)
        return dvi_say_usage("--pipe: %s", err.message);
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

dvi_exit dvi_pipe_needs(dv_fit_need **needs_out, dv_view *view, const dvi_args *args)
{
    dv_pipeline *pipeline = NULL;
    dv_view *rows = NULL;
    *needs_out = NULL;
    dvi_exit status = parse(&pipeline, args->pipe, args->pipe_file != NULL, args);
    if (!status)
        status = open_rows(&rows, view, args);
    if (!status) {
        const size_t steps = (size_t)dv_pipeline_steps(pipeline);
        *needs_out = calloc(steps + 1, sizeof **needs_out);
        status = *needs_out ? find_needs(*needs_out, pipeline, rows, args) : dvi_say_memory();
    }
    dv_view_release(&rows);
    dv_pipeline_release(&pipeline);
    return status;
}

dvi_exit dvi_pipe_apply(dv_view **view, dv_fitted *fitted)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *made = NULL;
    if (!fitted)
        return DVI_EXIT_DONE;
    const dv_status status = dv_fitted_apply(&made, fitted, *view, NULL, &err);
    if (status == DV_ERR_ARGUMENT)
        return dvi_say_usage("--pipe: %s", err.message);
    if (status < 0)
        return dvi_say_error(&err);
    dv_view_release(view);
    *view = made;
    return DVI_EXIT_DONE;
}

void dvi_pipe_close(void)
{
    dv_fitted_release(&kept);
}
