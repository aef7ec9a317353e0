/* SPDX-License-Identifier: MIT */
/* row_cache.c: caches the rows of a view in memory or in a file. */
#include "cli/args/row_cache.h"
#include "cli/args/input.h"
#include <dataview/cache.h>
#include <string.h>

static bool is_memory(const dvi_args *args)
{
    return strcmp(args->cache, "memory") == 0;
}

dvi_exit dvi_row_cache_check(const dvi_args *args)
{
    if (!args->cache || is_memory(args))
        return DVI_EXIT_DONE;
    if (!*args->cache)
        return dvi_say_usage("--cache expects memory or a file name");
    if (args->verb->takes & DVI_TAKES_TWO)
        return dvi_say_usage("%s reads two tables, and a cache file holds one: use --cache memory",
                             args->verb->name);
    return DVI_EXIT_DONE;
}

dvi_exit dvi_row_cache(dv_view **view, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    dv_view *made = NULL;
    if (!args->cache)
        return DVI_EXIT_DONE;
    options.threads = args->threads;
    const dv_status status =
        is_memory(args) ? dv_view_cache(&made, *view, &options, NULL, &err)
                        : dv_view_cache_disk(&made, *view, args->cache, &options, NULL, &err);
    if (status < 0)
        return dvi_say_reworded(&err);
    dv_view_release(view);
    *view = made;
    return DVI_EXIT_DONE;
}
