/* SPDX-License-Identifier: MIT */
/* pipe_args.c: reads, fits and applies the pipeline of the command line. */
#include "cli/args/pipe_args.h"
#include "cli/args/at_file.h"
#include "cli/args/input.h"
#include "cli/args/nearest.h"
#include "cli/args/retype.h"
#include "cli/args/where.h"
#include "cli/terminal/progress.h"
#include <string.h>

/* Of the first table; NULL: nothing has been fitted. */
static dv_fitted *kept;

dvi_exit dvi_pipe_args_set(dvi_args *args, const char *option, const char *text)
{
    char *own;
    args->pipe = text;
    if (*text != '@')
        return DVI_EXIT_DONE;
    if (!text[1])
        return dvi_say_usage("%s @ must be followed by the name of a file with the steps", option);
    const dvi_exit status = dvi_at_file_text(&own, text + 1);
    args->pipe = own;
    if (own && !dvi_words_own(&args->texts, own))
        return dvi_say_memory();
    return status;
}

const char *const dvi_pipe_actions[] = {"list", "check", "fit", NULL};

dvi_exit dvi_pipe_args_action(dvi_args *args, const char *word)
{
    dvi_nearest best = DVI_NEAREST_INIT;
    for (const char *const *action = dvi_pipe_actions; *action; action++) {
        if (strcmp(*action, word) == 0) {
            args->action = *action;
            return DVI_EXIT_DONE;
        }
        dvi_nearest_offer(&best, word, *action, strlen(*action));
    }
    return best.word
               ? dvi_say_usage("pipe %s: did you mean pipe %s?", word, best.word)
               : dvi_say_usage("pipe lists, checks or fits: dataview pipe list, not '%s'", word);
}

/* The steps are a text; a word without a blank is the name of a file that has them. */
static dvi_exit take_steps(dvi_args *args, const char *word)
{
    char *own;
    if (*word == '@' || strpbrk(word, " ;\n"))
        return dvi_pipe_args_set(args, "pipe", word);
    const dvi_exit status = dvi_at_file_text(&own, word);
    args->pipe = own;
    if (own && !dvi_words_own(&args->texts, own))
        return dvi_say_memory();
    return status;
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
    if (args->pipe && files->count)
        return DVI_EXIT_DONE;
    if (files->count < 2)
        return dvi_say_usage("pipe %s needs a table and steps: dataview pipe %s FILE 'term A'",
                             args->action, args->action);
    return take_steps(args, files->word[--files->count]);
}

dvi_exit dvi_pipe_args_check(const dvi_args *args)
{
    if (args->fit_on && !args->pipe)
        return dvi_say_usage("--fit-on says where the steps of --pipe learn: give --pipe too");
    return DVI_EXIT_DONE;
}

dvi_exit dvi_pipe_parse(dv_pipeline **pipeline_out, const char *text)
{
    dv_error err = DV_ERROR_INIT;
    if (dv_pipeline_parse(pipeline_out, dv_text_of(text), NULL, &err) == DV_OK)
        return DVI_EXIT_DONE;
    if (err.status != DV_ERR_ARGUMENT)
        return dvi_say_error(&err);
    return dvi_say_usage("--pipe: %s", err.message);
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

static dvi_exit fit_on(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *view,
                       const dvi_args *args)
{
    watch w = {.nbytes = args->fit_on ? -1 : dvi_input_nbytes(args)};
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = args->threads;
    options.progress = (dv_progress){step, &w};
    dvi_progress_start(&w.progress, args->progress, args->quiet);
    const dv_status status = dv_fit(fitted_out, pipeline, view, &options, NULL, &err);
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
    if (!args->pipe)
        return DVI_EXIT_DONE;
    dvi_exit status = DVI_EXIT_DONE;
    if (!kept) {
        status = dvi_pipe_parse(&pipeline, args->pipe);
        if (!status)
            status = open_rows(&rows, view, args);
        if (!status)
            status = fit_on(&kept, pipeline, rows, args);
        dv_view_release(&rows);
        dv_pipeline_release(&pipeline);
    }
    *fitted_out = kept;
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
