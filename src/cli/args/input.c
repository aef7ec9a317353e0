/* SPDX-License-Identifier: MIT */
/* input.c: opens the files, and applies the options that change rows and types. */
#include "cli/args/input.h"
#include "cli/args/retype.h"
#include "cli/args/row_cache.h"
#include "cli/args/row_epoch.h"
#include "cli/args/where.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define DESCRIPTORS_SPARE 64 /* for everything but input files */

/* Each open file keeps a descriptor: raise the soft limit if there are many files. */
static void raise_descriptors(int files)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)files + DESCRIPTORS_SPARE;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit); /* if this fails, opening the files reports it */
}

/* For text opened without --text: how to find the options.  info proposes them itself, so it gets
 * here only with a file of which nothing can be proposed, such as an empty one. */
static void advise(const dvi_args *args, const char *path)
{
    dv_buffer proposal = {0};
    if (dv_open_propose(&proposal, path, &args->open, NULL) == DV_OK)
        dvi_say("dataview info %s proposes options to read it with", path);
    else
        dvi_say("say what its columns are, such as --text 'col=Name:TX:0 col=Age:R4:1'");
    dv_buffer_release(&proposal);
}

/* Report the error; of text, say how to go on. */
static dvi_exit say_failure(const dvi_args *args, const dv_error *err)
{
    const char *format = NULL, *path = args->paths.word[0];
    const dvi_exit status = dvi_say_error(err);
    if (!args->open.text && dv_open_format(&format, path, &args->open, NULL) == DV_OK &&
        strcmp(format, "text") == 0)
        advise(args, path);
    return status;
}

dvi_exit dvi_input_open(dv_view **view_out, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    raise_descriptors(args->paths.count);
    if (dv_open_many(view_out, args->paths.word, args->paths.count, &args->open, &err) != DV_OK)
        return say_failure(args, &err);
    dvi_exit status = dvi_row_cache(view_out, args);
    if (!status)
        status = dvi_row_epoch(view_out, args);
    if (!status)
        status = dvi_retype(view_out, args);
    return status ? status : dvi_where(view_out, args);
}

const char *dvi_input_title(const dvi_args *args, char buffer[DVI_TITLE_CAP])
{
    if (args->paths.count == 1)
        return args->paths.word[0];
    if (args->files.count == 1)
        return args->files.word[0];
    snprintf(buffer, DVI_TITLE_CAP, "%d files", args->paths.count);
    return buffer;
}

int64_t dvi_input_nbytes(const dvi_args *args)
{
    int64_t nbytes = 0;
    for (int i = 0; i < args->paths.count; i++) {
        struct stat facts;
        if (stat(args->paths.word[i], &facts) != 0)
            return -1;
        nbytes += (int64_t)facts.st_size;
    }
    return nbytes;
}
