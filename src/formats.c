/* SPDX-License-Identifier: MIT */
/* formats.c: the list of formats; a new format adds one line to it. */
#include "formats.h"
#include "base/check.h"
#include "format/btable/btable_format.h"
#include "format/datadings/datadings_format.h"
#include "format/idv/idv_format.h"
#include "format/text/text_format.h"
#include <stdio.h>
#include <string.h>

#define HEAD_NBYTES 64

/* In the order in which they are asked to recognize a file. */
static const dvi_format *const formats[] = {
    &dvi_format_idv,
    &dvi_format_btable,
    &dvi_format_text,
    &dvi_format_datadings,
};
#define FORMATS (sizeof formats / sizeof *formats)

/* --- By name and extension -------------------------------------------------------------------- */

const dvi_format *dvi_format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->info.name, name) == 0)
            return formats[i];
    return NULL;
}

/* Does the path end in one of these words? */
static bool ends_in(const char *path, const char *extensions)
{
    const size_t n = strlen(path);
    for (const char *end = extensions; *end; end += *end == ' ') {
        const size_t k = strcspn(end, " ");
        if (n > k && memcmp(path + n - k, end, k) == 0)
            return true;
        end += k;
    }
    return false;
}

const dvi_format *dvi_format_by_extension(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (ends_in(path, formats[i]->info.extensions))
            return formats[i];
    return NULL;
}

/* --- By content and options ------------------------------------------------------------------- */

static dv_status find_by_head(dvi_map *map, const dvi_format **format_out, dv_error *err)
{
    int64_t nbytes;
    dvi_memory *memory = NULL;
    dvi_span span;
    DVI_TRY(dvi_map_reach(map, HEAD_NBYTES, &nbytes, err));
    const size_t n = nbytes < HEAD_NBYTES ? (size_t)nbytes : HEAD_NBYTES;
    const dv_status status = dvi_map_span(map, 0, n, &memory, &span, err);
    for (size_t i = 0; i < FORMATS && status == DV_OK && !*format_out; i++)
        if (formats[i]->recognizes(span.data, n))
            *format_out = formats[i];
    dvi_memory_release(&memory);
    return status;
}

static const dvi_format *find_by_looks(dvi_map *map)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->resembles && formats[i]->resembles(map))
            return formats[i];
    return NULL;
}

dv_status dvi_format_by_content(dvi_map *map, const dvi_format **format_out, dv_error *err)
{
    *format_out = NULL;
    DVI_TRY(find_by_head(map, format_out, err));
    if (!*format_out)
        *format_out = dvi_format_by_extension(dvi_map_name(map));
    if (!*format_out && !dvi_map_is_stream(map))
        *format_out = find_by_looks(map);
    return *format_out ? DV_OK : DV_NOT_FOUND;
}

/* A pipe has the format that can be read from pipes. */
const dvi_format *dvi_format_implied(bool is_stream, const dv_open_options *options)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((is_stream && formats[i]->info.can_stream) ||
            (formats[i]->is_implied && formats[i]->is_implied(options)))
            return formats[i];
    return NULL;
}

/* --- For messages and callers ----------------------------------------------------------------- */

static dvi_format_names list_names(bool only_saved)
{
    dvi_format_names names = {""};
    size_t n = 0;
    for (size_t i = 0; i < FORMATS && n < sizeof names.text; i++)
        if (!only_saved || formats[i]->info.can_save)
            n += (size_t)snprintf(names.text + n, sizeof names.text - n, "%s%s", n ? ", " : "",
                                  formats[i]->info.name);
    return names;
}

dvi_format_names dvi_format_names_all(void)
{
    return list_names(false);
}

dvi_format_names dvi_format_names_saved(void)
{
    return list_names(true);
}

int32_t dv_format_count(void)
{
    return (int32_t)FORMATS;
}

const dv_format_info *dv_format_at(int32_t i)
{
    return i >= 0 && i < dv_format_count() ? &formats[i]->info : NULL;
}

const dv_format_info *dv_format_find(const char *name)
{
    const dvi_format *format = dvi_format_by_name(name);
    return format ? &format->info : NULL;
}

const dv_format_info *dv_format_of_path(const char *path)
{
    const dvi_format *format = dvi_format_by_extension(path);
    return format ? &format->info : NULL;
}
