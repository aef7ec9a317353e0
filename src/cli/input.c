/* SPDX-License-Identifier: MIT */
/* input.c: opening what the command line names. */
#include "cli/input.h"
#include "cli/glob.h"
#include <string.h>
#include <sys/stat.h>

dvi_exit dvi_input_open(dv_view **view_out, const dvi_args *args)
{
    struct stat facts;
    const bool is_there = stat(args->file, &facts) == 0;
    if (is_there && S_ISDIR(facts.st_mode))
        return dvi_say_usage("reading a directory as one view (%s) is not built yet", args->file);
    if (!is_there && dvi_glob_is_pattern(args->file, strlen(args->file)))
        return dvi_say_usage("reading a pattern of files as one view (%s) is not built yet",
                             args->file);
    dv_error err = DV_ERROR_INIT;
    return dv_open(view_out, args->file, &args->open, &err) == DV_OK ? DVI_EXIT_DONE
                                                                     : dvi_say_error(&err);
}
