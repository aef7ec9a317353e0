/* SPDX-License-Identifier: MIT */
/* saving.c: saves views, each in the format that the options or the path name. */
#include "base/check.h"
#include "formats.h"
#include "save/save.h"

/* The format that the options name, or that of the path's extension, if it can be saved. */
static dv_status choose_format(const dvi_format **format_out, const char *path,
                               const dv_save_options *options, dv_error *err)
{
    const dvi_format *format = NULL;
    if (options->format)
        format = dvi_format_by_name(options->format);
    else if (path)
        format = dvi_format_by_extension(path);
    if (!format && options->format)
        return dvi_fail_argument(err, "unknown format \"%s\": use one of %s", options->format,
                                 dvi_format_names_saved().text);
    if (!format)
        return dvi_fail_argument(err,
                                 "which format? give the name a known extension, or name one of %s",
                                 dvi_format_names_saved().text);
    if (!format->info.can_save)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "saving", "one of %s|%s",
                        dvi_format_names_saved().text, format->info.name);
    *format_out = format;
    return DV_OK;
}

/* Options and format; a failure names the path. */
static dv_status begin_save(const dvi_format **format_out, const char *path,
                            const dv_save_options *given, dv_save_options *options, dv_error *err)
{
    DVI_TRY(dvi_save_read_options(given, options, err));
    const dv_status status = choose_format(format_out, path, options, err);
    if (status != DV_OK && path)
        dvi_error_set_file(err, path);
    return status;
}

dv_status dv_save(dv_view *view, const char *path, const dv_save_options *given, dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_save_file(view, format, path, &options, err);
}

dv_status dv_save_memory(dv_view *view, dv_buffer *buffer_out, const dv_save_options *given,
                         dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    *buffer_out = (dv_buffer){0};
    DVI_TRY(begin_save(&format, NULL, given, &options, err));
    return dvi_save_memory(view, format, buffer_out, &options, err);
}

dv_status dv_save_check(dv_view *view, const char *path, const dv_save_options *given,
                        bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                        dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_save_check(view, format, &options, report, ctx, err);
}
