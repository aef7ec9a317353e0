/* SPDX-License-Identifier: MIT */
/* text_dialect.c: finds how another file of a table is split, if not as the first file is. */
#include "format/text/propose/text_dialect.h"
#include "base/check.h"
#include "format/text/propose/text_propose.h"
#include <string.h>

/* Has the header names of the table: several, or no others?  With match=union one is enough. */
static bool has_names(const dvi_text_options *o, const dvi_hashtab *names, bool has_union)
{
    int32_t found = 0;
    for (int32_t i = 0; i < o->specs_count; i++)
        found += dvi_hashtab_get(names, o->specs[i].name) >= 0;
    return o->has_header && found > 0 && (found == o->specs_count || found > 1 || has_union);
}

static void take_dialect(dvi_text_options *to, const dvi_text_options *from)
{
    memcpy(to->separators, from->separators, sizeof to->separators);
    memcpy(to->wide_separators, from->wide_separators, sizeof to->wide_separators);
    to->separators_count = from->separators_count;
    to->wide_separators_count = from->wide_separators_count;
    to->merges_blanks = from->merges_blanks;
    to->allow_quoting = from->allow_quoting;
    to->multilines = from->multilines;
    to->quote = from->quote;
    to->escape = from->escape;
    to->decimal = from->decimal;
    to->dress.point = from->decimal;
}

static dv_status read_proposal(dvi_text_options *options_out, dvi_map *map,
                               const dvi_text_given *given, dvi_arena *arena, dv_error *err)
{
    dv_buffer found;
    dv_text kept;
    dvi_text_given alone = *given;
    alone.types_count = 0;
    alone.maps_count = 0;
    alone.narrow = alone.pack = false;
    dv_status status = dvi_text_propose(&found, NULL, map, &alone, err);
    if (status != DV_OK)
        return status;
    status = dvi_arena_text(arena, &kept, dv_text_of(found.data), err);
    dv_buffer_release(&found);
    return status == DV_OK ? dvi_text_options_read(options_out, kept, NULL, arena, err) : status;
}

dv_status dvi_text_dialect_find(bool *found_out, dvi_text_options *options, dvi_map *map,
                                const dvi_text_given *given, const dvi_hashtab *names,
                                dvi_arena *arena, dv_error *err)
{
    dvi_text_options own;
    *found_out = false;
    if (given->has_sep || dvi_map_is_stream(map))
        return DV_OK;
    const dv_status status = read_proposal(&own, map, given, arena, err);
    if (status != DV_OK)
        return status == DV_NOT_FOUND ? DV_OK : status;
    *found_out = has_names(&own, names, given->has_union);
    if (*found_out)
        take_dialect(options, &own);
    return DV_OK;
}
