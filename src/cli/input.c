/* SPDX-License-Identifier: MIT */
/* input.c: opening what the command line names. */
#include "cli/input.h"
#include "cli/retype.h"
#include "cli/row_cache.h"
#include "cli/row_epoch.h"
#include "cli/where.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define DESCRIPTORS_SPARE 64 /* for everything that is no input */

/* Each file keeps a descriptor: ask for as many as there may be. */
static void raise_descriptors(int files)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)files + DESCRIPTORS_SPARE;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit); /* if not, opening will say so */
}

/* What is wrong, and of text that nobody told how to read, where to learn it. */
static dvi_exit say_failure(const dvi_args *args, const dv_error *err)
{
    const char *format = NULL, *path = args->paths.word[0];
    const dvi_exit status = dvi_say_error(err);
    if (!args->open.text && dv_open_format(&format, path, &args->open, NULL) == DV_OK &&
        strcmp(format, "text") == 0)
        dvi_say("`dataview info %s` proposes how to read it", path);
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
