/* SPDX-License-Identifier: MIT */
/* retype.c: parses NAME:TYPE, and makes the view of converted columns. */
#include "cli/args/retype.h"
#include "cli/args/select.h"
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define DIMS_MOST 32

/* What one --convert asks for; type.dims points to dims. */
typedef struct wish {
    dv_conversion_spec spec;
    int32_t dims[DIMS_MOST];
} wish;

dvi_exit dvi_retype_check(const char *word)
{
    const char *colon = strrchr(word, ':');
    if (!colon || colon == word || !colon[1])
        return dvi_say_usage("--convert expects NAME:TYPE, such as Age:R8, not '%s'", word);
    return DVI_EXIT_DONE;
}

/* The colon after the name.  Names and types may have colons: the longest existing name wins, and
 * if none exists, the last colon counts. */
static const char *find_colon(const dv_schema *schema, const char *word)
{
    const char *last = strrchr(word, ':');
    for (const char *at = last; at > word; at--) {
        int32_t column;
        if (*at == ':' && dv_schema_find(schema, (dv_text){word, at - word}, &column) == DV_OK)
            return at;
    }
    return last;
}

static dvi_exit read_wish(wish *w, const dv_schema *schema, const char *word)
{
    const char *colon = find_colon(schema, word);
    const dv_text name = {word, colon - word};
    dv_error err = DV_ERROR_INIT;
    int32_t column;
    if (dv_schema_find(schema, name, &column) != DV_OK)
        return dvi_say_no_column(schema, "--convert", name);
    w->spec = (dv_conversion_spec){.source = name, .name = dv_text_of(NULL)};
    if (dv_type_parse(&w->spec.type, dv_text_of(colon + 1), w->dims, DIMS_MOST, &err) == DV_OK)
        return DVI_EXIT_DONE;
    return dvi_say_usage(
        "--convert %s: not a type such as R8, TX, U4[0-9] or V<R4,3>: expected %s, found %s", word,
        err.expected, err.found);
}

/* Make the view; wishes and specs have an item per word. */
static dvi_exit convert(dv_view **view, const dvi_args *args, wish *wishes,
                        dv_conversion_spec *specs)
{
    const dvi_words *words = &args->convert;
    const bool may_lose = args->save.options.allow_loss & DV_LOSS_FIELDS;
    dv_error err = DV_ERROR_INIT;
    dv_view *made = NULL;
    for (int i = 0; i < words->count; i++) {
        const dvi_exit status = read_wish(&wishes[i], dv_view_schema(*view), words->word[i]);
        if (status)
            return status;
        specs[i] = wishes[i].spec;
    }
    const dv_status status =
        may_lose
            ? dv_view_convert_dates(&made, *view, specs, words->count, dv_text_of(""), NULL, &err)
            : dv_view_convert_strict(&made, *view, specs, words->count, NULL, &err);
    if (status == DV_ERR_ARGUMENT)
        return dvi_say_usage("--convert: %s", err.message);
    if (status != DV_OK)
        return dvi_say_error(&err);
    dv_view_release(view);
    *view = made;
    return DVI_EXIT_DONE;
}

dvi_exit dvi_retype(dv_view **view, const dvi_args *args)
{
    const dvi_words *words = &args->convert;
    if (words->count == 0)
        return DVI_EXIT_DONE;
    wish *wishes = calloc((size_t)words->count, sizeof *wishes);
    dv_conversion_spec *specs = calloc((size_t)words->count, sizeof *specs);
    dvi_exit status;
    if (wishes && specs)
        status = convert(view, args, wishes, specs);
    else
        status = dvi_say_memory();
    free(wishes);
    free(specs);
    return status;
}
