/* SPDX-License-Identifier: MIT */
/* pipe_files.c: files as lists of texts, and as tables. */
#include "pipeline/pipe_files.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/utf8.h"
#include <string.h>

#define FILE_NBYTES ((size_t)64 << 20)

/* The bytes of a file that have come. */
typedef struct intake {
    dvi_memory *memory;
    size_t nbytes;
    const dv_allocator *allocator;
    dv_status status;
    dv_error *err;
} intake;

static bool take(void *ctx, const char *data, size_t nbytes)
{
    intake *in = ctx;
    if (nbytes > FILE_NBYTES - in->nbytes)
        in->status = dvi_fail_argument(in->err, "the file has more than 64 MiB");
    if (in->status == DV_OK)
        in->status =
            dvi_memory_extend(&in->memory, in->nbytes, in->nbytes + nbytes, in->allocator, in->err);
    if (in->status < 0)
        return false;
    if (nbytes > 0)
        memcpy(in->memory->data + in->nbytes, data, nbytes);
    in->nbytes += nbytes;
    return true;
}

/* A NUL shows that the file is no text. */
static bool is_text(dv_text line)
{
    for (int64_t at = 0, step; at < line.nbytes; at += step) {
        step = (int64_t)dvi_utf8_step(line.data + at, (size_t)(line.nbytes - at));
        if (step == 0 || !line.data[at])
            return false;
    }
    return true;
}

static dv_status add_line(dv_text **lines, int64_t *n, dv_text line, int64_t number,
                          dvi_arena *arena, dv_error *err)
{
    dv_text copy;
    if (line.nbytes > 0 && line.data[line.nbytes - 1] == '\r')
        line.nbytes--;
    if (line.nbytes == 0)
        return DV_OK;
    if (!is_text(line)) {
        dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "text", "UTF-8|%s", dvi_show(line).text);
        dvi_error_within(err, "line %lld", (long long)number);
        return DV_ERR_ARGUMENT;
    }
    DVI_TRY(dvi_arena_text(arena, &copy, line, err));
    return dvi_arena_append(arena, lines, (*n)++, &copy, sizeof copy, err);
}

static dv_status split(dv_text **lines, int64_t *n, const intake *in, dvi_arena *arena,
                       dv_error *err)
{
    const char *at = in->nbytes > 0 ? (const char *)in->memory->data : "";
    const char *const end = at + in->nbytes;
    if (in->nbytes >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    for (int64_t number = 1; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        DVI_TRY(add_line(lines, n, (dv_text){at, stop - at}, number, arena, err));
        at = stop + (stop < end);
    }
    return DV_OK;
}

static dv_status read_lines(dv_text **lines, int64_t *n, dv_text path,
                            const dv_pipeline_options *options, dvi_arena *arena, dv_error *err)
{
    intake in = {.allocator = &arena->allocator, .err = err};
    dv_text own;
    const dv_sink sink = {take, &in};
    DVI_TRY(dvi_arena_text(arena, &own, path, err)); /* a NUL ends it */
    dv_status status = options->read_file(options->ctx, own.data, &sink, err);
    if (in.status < 0)
        status = in.status;
    if (status == DV_OK)
        status = split(lines, n, &in, arena, err);
    dvi_memory_release(&in.memory);
    return status;
}

/* No file is read, or no table opened. */
static dv_status refuse(const dv_pipeline_options *options, dv_text name, const char *why,
                        dv_error *err)
{
    if (options && options->untrusted)
        return dvi_fail_argument(err,
                                 "@%s: an untrusted pipeline opens only files below a folder that "
                                 "you allow: --allow-folder DIR, allow_folder=DIR",
                                 dvi_show(name).text);
    return dvi_fail_argument(err, "@%s is a %s", dvi_show(name).text, why);
}

static dv_status check_name(dv_text name, dv_error *err)
{
    if (name.nbytes == 0 || memchr(name.data, 0, (size_t)name.nbytes))
        return dvi_fail_argument(err, "@ must be followed by the name of a file");
    return DV_OK;
}

dv_status dvi_pipe_read_lines(dv_text **lines_out, int64_t *n_out, dv_text path,
                              const dv_pipeline_options *options, dvi_arena *arena, dv_error *err)
{
    *lines_out = NULL;
    *n_out = 0;
    if (!options || !options->read_file)
        return refuse(options, path, "file, and no file is read here; in quotes it is a text", err);
    DVI_TRY(check_name(path, err));
    const dv_status status = read_lines(lines_out, n_out, path, options, arena, err);
    if (status < 0 && err && !*err->file)
        dvi_error_within(err, "@%s", dvi_show(path).text);
    return status;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void release_table(void *of)
{
    dv_view *table = of;
    dv_view_release(&table);
}

dv_status dvi_pipe_open_table(dv_view **table_out, dv_text name, const dv_pipeline_options *options,
                              dvi_arena *arena, dv_error *err)
{
    dv_text own;
    *table_out = NULL;
    if (!options || !options->open_table)
        return refuse(options, name, "table, and no table is opened here", err);
    DVI_TRY(check_name(name, err));
    DVI_TRY(dvi_arena_text(arena, &own, name, err)); /* a NUL ends it */
    const dv_status status = options->open_table(options->ctx, own.data, table_out, err);
    if (status < 0 && err && !*err->file)
        dvi_error_within(err, "@%s", dvi_show(name).text);
    DVI_TRY(status);
    return *table_out ? dvi_arena_own(arena, release_table, *table_out, err) : DV_OK;
}
