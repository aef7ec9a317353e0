/* SPDX-License-Identifier: MIT */
/* row_epoch.c: options that shuffle and share rows (docs/shuffling.md). */
#include "cli/args/row_epoch.h"
#include "cli/args/option_value.h"
#include <dataview/transform.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const dvi_shuffle_names[] = {"uniform", "pool", "blocks", NULL};

/* --- Values ----------------------------------------------------------------------------------- */

static dvi_exit set_shuffle(dvi_args *args, const char *text)
{
    static const dv_shuffle shuffles[] = {DV_SHUFFLE_UNIFORM, DV_SHUFFLE_POOL, DV_SHUFFLE_BLOCKS};
    const char *name;
    const dvi_exit status = dvi_set_name("--shuffle", text, dvi_shuffle_names, &name);
    for (int i = 0; dvi_shuffle_names[i] && !status; i++)
        if (dvi_shuffle_names[i] == name)
            args->epoch.shuffle = shuffles[i];
    return status;
}

/* What follows an option without its value: nothing, another option, or a file. */
bool dvi_row_epoch_is_bare(const char *next)
{
    for (int i = 0; next && dvi_shuffle_names[i]; i++)
        if (strcmp(dvi_shuffle_names[i], next) == 0)
            return false;
    return !next || *next == '-' || strpbrk(next, "./") || access(next, F_OK) == 0;
}

static dvi_exit set_pool(dvi_args *args, const char *text)
{
    const dvi_exit status = dvi_set_count("--pool", text, INT32_MAX, &args->epoch.pool_rows);
    if (!status && args->epoch.pool_rows == 0)
        return dvi_say_usage("--pool expects a number of at least 1, not '%s'", text);
    return status;
}

/* Digits, a point, an exponent, in the C locale. */
static dvi_exit set_pool_blocks(dvi_args *args, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (strspn(text, "0123456789.eE+-") != strlen(text) || !*text || *end || !(value >= 0) ||
        !isfinite(value))
        return dvi_say_usage(
            "--pool-blocks expects a number of at least 0, such as 4 or 0.5, not '%s'", text);
    args->epoch.pool_blocks = value;
    return DVI_EXIT_DONE;
}

/* "I/N". */
static dvi_exit set_shard(dvi_args *args, const char *text)
{
    const char *slash = strchr(text, '/');
    int64_t shard = 0, shards = 0;
    if (!slash || !dvi_parse_count(text, (size_t)(slash - text), &shard) ||
        !dvi_parse_count(slash + 1, strlen(slash + 1), &shards) || shards > INT32_MAX)
        return dvi_say_usage("--shard expects I/N, a worker and the number of workers, not '%s'",
                             text);
    if (shard >= shards)
        return dvi_say_usage("--shard %s: workers are numbered from 0 to N-1", text);
    args->epoch.shard = (int32_t)shard;
    args->epoch.shards = (int32_t)shards;
    return DVI_EXIT_DONE;
}

dvi_exit dvi_row_epoch_set(dvi_args *args, dvi_option_id id, const char *text)
{
    switch (id) {
    case DVI_OPTION_SHUFFLE:
        return set_shuffle(args, text);
    case DVI_OPTION_POOL:
        return set_pool(args, text);
    case DVI_OPTION_POOL_BLOCKS:
        args->has_pool_blocks = true;
        return set_pool_blocks(args, text);
    case DVI_OPTION_SHARD:
        return set_shard(args, text);
    default:
        args->has_epoch = true;
        return dvi_set_count("--epoch", text, INT64_MAX, &args->epoch.epoch);
    }
}

/* --- Together --------------------------------------------------------------------------------- */

static dvi_exit refuse_without(bool is_given, const char *option, const char *of)
{
    return is_given ? dvi_say_usage("%s needs %s", option, of) : DVI_EXIT_DONE;
}

dvi_exit dvi_row_epoch_check(const dvi_args *args)
{
    const dv_epoch_options *epoch = &args->epoch;
    const bool has_order = args->verb->takes & DVI_TAKES_ORDER; /* of its own */
    if (epoch->shuffle && has_order)
        return dvi_say_usage("%s has its own random order; to write rows in this one, use dataview "
                             "convert --shuffle %s",
                             args->verb->name, dvi_shuffle_names[epoch->shuffle - 1]);
    if (epoch->pool_rows && args->has_pool_blocks)
        return dvi_say_usage(
            "--pool and --pool-blocks exclude each other: both set the size of the pool");
    if (has_order && args->seed < 0)
        return dvi_say_usage("--seed expects a number of at least 0 here, not %lld",
                             (long long)args->seed);
    const bool is_pool = epoch->shuffle == DV_SHUFFLE_POOL;
    dvi_exit status = refuse_without(
        !epoch->shuffle && !has_order && !args->group && args->has_seed, "--seed",
        args->verb->takes & DVI_TAKES_OUTPUTS ? "--shuffle or --group" : "--shuffle");
    if (!status)
        status = refuse_without(!epoch->shuffle && args->has_epoch, "--epoch", "--shuffle");
    if (!status)
        status = refuse_without(!is_pool && epoch->pool_rows, "--pool", "--shuffle pool");
    if (!status)
        status =
            refuse_without(!is_pool && args->has_pool_blocks, "--pool-blocks", "--shuffle pool");
    return status;
}

/* --- The view --------------------------------------------------------------------------------- */

/* Replace *view by a copy in memory, with all columns. */
static dv_status hold(dv_view **view, const dvi_args *args, dv_error *err)
{
    const int32_t n = dv_schema_columns(dv_view_schema(*view));
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *held;
    int32_t *columns = calloc((size_t)n + 1, sizeof *columns);
    if (!columns)
        return dvi_err_memory(err);
    for (int32_t i = 0; i < n; i++)
        columns[i] = i;
    options.columns = columns;
    options.columns_count = n;
    options.threads = args->threads;
    const dv_status status = dv_view_materialize(
        &held, *view,
        &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options}, NULL,
        err);
    free(columns);
    if (status < 0)
        return status;
    dv_view_release(view);
    *view = held;
    return DV_OK;
}

static bool jumps(const dv_epoch_options *epoch)
{
    return epoch->shuffle == DV_SHUFFLE_UNIFORM || epoch->shuffle == DV_SHUFFLE_BLOCKS;
}

/* An .idv file with blocks of one row reports block_rows 1, as views without blocks do; ML.NET
 * still treats each row as a block. */
static bool has_blocks_of_one(const dv_view *view)
{
    return dv_view_block_rows(view) == 1 && strcmp(dv_view_kind(view), "idv") == 0;
}

dvi_exit dvi_row_epoch(dv_view **view, const dvi_args *args)
{
    dv_epoch_options epoch = args->epoch;
    dv_error err = DV_ERROR_INIT;
    dv_view *made = NULL;
    if (!epoch.shuffle && epoch.shards == 1)
        return DVI_EXIT_DONE;
    epoch.seed = (uint64_t)args->seed;
    if (has_blocks_of_one(*view))
        epoch.block_rows = 1;
    dv_status status = DV_OK;
    if (jumps(&epoch) && dv_view_block_rows(*view) == 0)
        status = hold(view, args, &err);
    if (status == DV_OK)
        status = dv_view_epoch(&made, *view, &epoch, NULL, &err);
    if (status < 0)
        return dvi_say_error(&err);
    dv_view_release(view);
    *view = made;
    return DVI_EXIT_DONE;
}
