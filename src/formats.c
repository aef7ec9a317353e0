/* SPDX-License-Identifier: MIT */
/* formats.c: the list of formats; a new format adds one line to it. */
#include "formats.h"
#include "base/arena.h"
#include "base/check.h"
#include "io/pack.h"
#include "foreign.h"
#include "format/btable/btable_format.h"
#include "format/datadings/datadings_format.h"
#include "format/idv/idv_format.h"
#include "format/text/text_format.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HEAD_NBYTES 512

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

/* The bytes before the one of these words in which the first n bytes of the path end, in any case;
 * 0: they do not. */
static size_t stem_nbytes(const char *path, size_t n, const char *ends)
{
    for (const char *end = ends; *end; end += *end == ' ') {
        const size_t k = strcspn(end, " ");
        if (n > k && strncasecmp(path + n - k, end, k) == 0)
            return n - k;
        end += k;
    }
    return 0;
}

static const dvi_format *find_by_extension(const char *path, size_t n)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (stem_nbytes(path, n, formats[i]->info.extensions) > 0)
            return formats[i];
    return NULL;
}

const dvi_format *dvi_format_by_extension(const char *path)
{
    return find_by_extension(path, strlen(path));
}

const dvi_format *dvi_format_by_saved_name(const char *path, dvi_packing *packing_out)
{
    size_t n;
    *packing_out = dvi_packing_of_path(path, &n);
    return find_by_extension(path, n);
}

const dvi_format *dvi_format_by_side_file(const char *path, size_t *stem_nbytes_out)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((*stem_nbytes_out = stem_nbytes(path, strlen(path), formats[i]->info.side_files)) > 0)
            return formats[i];
    return NULL;
}

/* --- By content and options ------------------------------------------------------------------- */

dv_status dvi_format_head(dvi_map *map, dvi_memory **memory, dvi_span *head_out, dv_error *err)
{
    int64_t nbytes = dvi_map_nbytes(map);
    if (dvi_map_is_stream(map))
        DVI_TRY(dvi_map_reach(map, HEAD_NBYTES, &nbytes, err));
    const size_t n = nbytes < HEAD_NBYTES ? (size_t)nbytes : HEAD_NBYTES;
    return dvi_map_copy(map, 0, n, memory, head_out, err);
}

/* *foreign_out: what the bytes look like instead; NULL: nothing. */
static dv_status find_by_head(dvi_map *map, const dvi_format **format_out,
                              const dvi_foreign **foreign_out, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span span;
    const dv_status status = dvi_format_head(map, &memory, &span, err);
    *foreign_out = NULL;
    for (size_t i = 0; i < FORMATS && status == DV_OK && !*format_out; i++)
        if (formats[i]->recognizes(span.data, span.nbytes))
            *format_out = formats[i];
    if (status == DV_OK && !*format_out)
        *foreign_out = dvi_foreign_find(span.data, span.nbytes, DVI_FOREIGN_ALIKE);
    dvi_memory_release(&memory);
    return status;
}

/* By the extension of the map's name; of a packed file, by the one before that of the packing. */
static dv_status find_by_name(dvi_map *map, const dvi_format **format_out, dv_error *err)
{
    dv_text name;
    dvi_arena arena;
    const char *path = dvi_map_name(map), *dot = strrchr(path, '.');
    *format_out = dvi_format_by_extension(path);
    if (*format_out || !dot || dvi_map_stored(map) == map)
        return DV_OK;
    dvi_arena_init(&arena, dvi_map_allocator(map));
    const dv_status status = dvi_arena_text(&arena, &name, (dv_text){path, dot - path}, err);
    if (status == DV_OK)
        *format_out = dvi_format_by_extension(name.data);
    dvi_arena_free(&arena);
    return status;
}

/* Text is asked last, since many files look like it, and not if the bytes look like another kind.
 */
static dv_status find_by_looks(dvi_map *map, bool is_foreign, const dvi_format **format_out,
                               dv_error *err)
{
    dv_status status = DV_NOT_FOUND;
    for (size_t i = 0; i < 2 * FORMATS && status == DV_NOT_FOUND; i++) {
        const dvi_format *format = formats[i % FORMATS];
        const bool is_text = format->info.can_stream;
        if (format->resembles && is_text == (i >= FORMATS) && !(is_text && is_foreign))
            status = format->resembles(map, err);
        if (status == DV_OK)
            *format_out = format;
    }
    return status;
}

dv_status dvi_format_by_content(dvi_map *map, const dv_open_options *options,
                                const dvi_format **format_out, dv_error *err)
{
    const dvi_foreign *foreign;
    const dvi_foreign_doubt least = options->text ? DVI_FOREIGN_SURE : DVI_FOREIGN_TEXT;
    *format_out = NULL;
    DVI_TRY(find_by_head(map, format_out, &foreign, err));
    if (!*format_out)
        DVI_TRY(find_by_name(map, format_out, err));
    if (foreign && foreign->doubt >= least && (!*format_out || (*format_out)->info.can_stream)) {
        *format_out = NULL; /* a reader of text would find columns in anything */
        return DV_NOT_FOUND;
    }
    if (!*format_out && !dvi_map_is_stream(map))
        return find_by_looks(map, foreign != NULL, format_out, err);
    return *format_out ? DV_OK : DV_NOT_FOUND;
}

/* A pipe has the format that can be read from pipes. */
const dvi_format *dvi_format_implied(bool is_nameless, const dv_open_options *options)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((is_nameless && formats[i]->info.can_stream) ||
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
    dvi_packing packing;
    const dvi_format *format = dvi_format_by_saved_name(path, &packing);
    const bool is_refused = packing != DVI_PACKING_NONE && format && !format->info.can_stream;
    return format && !is_refused ? &format->info : NULL;
}
