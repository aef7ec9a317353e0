/* SPDX-License-Identifier: MIT */
/* text_save_schema.c: the lines in which a text file says how it is read.  (semantics:6.2,
 * semantics:6.3, semantics:6.6) */
#include "base/check.h"
#include "format/text/save/text_save_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static dv_status put_word(dvi_text_put *put, const char *word, dv_error *err)
{
    return dvi_text_put_bytes(put, word, strlen(word), err);
}

/* --- Names --- */

static bool is_any_of(char c, const char *of)
{
    return c && strchr(of, c);
}

/* Would it be something else without braces around it? */
static bool needs_braces(dv_text name)
{
    for (int64_t i = 0; i < name.nbytes; i++)
        if (is_any_of(name.data[i], " \t\v\f{}\"#=:\\"))
            return true;
    return false;
}

/* Inside three levels of braces, each of which takes one level of backslashes away. */
static dv_status put_escaped(dvi_text_put *put, dv_text name, dv_error *err)
{
    for (int64_t i = 0; i < name.nbytes; i++) {
        if (is_any_of(name.data[i], "{}\"\\"))
            DVI_TRY(put_word(put, "\\\\\\\\\\\\\\", err)); /* seven */
        DVI_TRY(dvi_text_put_bytes(put, &name.data[i], 1, err));
    }
    return DV_OK;
}

/* --- Types and ranges --- */

/* What is in the brackets of a key: so many from 0, first and last, or first and all others. */
static void write_keys(char *dst, size_t cap, const dv_type *key)
{
    const uint64_t min = key->key_min, count = key->key_count;
    if (count == 0)
        snprintf(dst, cap, "%" PRIu64 "-*", min);
    else if (min == 0)
        snprintf(dst, cap, "%" PRIu64, count);
    else
        snprintf(dst, cap, "%" PRIu64 "-%" PRIu64, min, min + count - 1);
}

/* n, a-b, or a-** */
static void write_range(char *dst, size_t cap, const dvi_text_place *place)
{
    const int64_t first = place->first;
    if (!place->is_vector)
        snprintf(dst, cap, "%" PRId64, first);
    else if (place->slots == 0)
        snprintf(dst, cap, "%" PRId64 "-**", first);
    else
        snprintf(dst, cap, "%" PRId64 "-%" PRId64, first, first + place->slots - 1);
}

/* name:type:range */
static dv_status put_colons(dvi_text_put *put, const dvi_text_plan *plan,
                            const dvi_text_place *place, dv_error *err)
{
    char keys[48], range[48], type[64], text[128];
    const char *kind = dv_kind_name(place->item.kind);
    write_range(range, sizeof range, place);
    write_keys(keys, sizeof keys, &place->item);
    if (place->item.is_key && !plan->keys_as_seed)
        snprintf(type, sizeof type, "%s[%s]", kind, keys);
    else
        dv_type_print(&place->item, type, sizeof type);
    snprintf(text, sizeof text, ":%s:%s", type, range);
    DVI_TRY(dvi_text_put_bytes(put, place->name.data, (size_t)place->name.nbytes, err));
    return put_word(put, text, err);
}

/* {name={...} type=... src=... key=...} */
static dv_status put_braces(dvi_text_put *put, const dvi_text_plan *plan,
                            const dvi_text_place *place, dv_error *err)
{
    char keys[48], range[48], type[64], text[128];
    const bool has_key = place->item.is_key && !plan->keys_as_seed;
    write_range(range, sizeof range, place);
    write_keys(keys, sizeof keys, &place->item);
    snprintf(type, sizeof type, "%s", dv_kind_name(place->item.kind));
    if (place->item.is_key && plan->keys_as_seed)
        dv_type_print(&place->item, type, sizeof type);
    DVI_TRY(put_word(put, "{name={", err));
    DVI_TRY(put_escaped(put, place->name, err));
    DVI_TRY(put_word(put, "}", err));
    if (place->item.kind != DV_KIND_R4)
        DVI_TRY((snprintf(text, sizeof text, " type=%s", type), put_word(put, text, err)));
    snprintf(text, sizeof text, " src=%s%s%s}", range, has_key ? " key=" : "", has_key ? keys : "");
    return put_word(put, text, err);
}

static dv_status put_column(dvi_text_put *put, const dvi_text_plan *plan,
                            const dvi_text_place *place, dv_error *err)
{
    DVI_TRY(put_word(put, "#@   col=", err));
    DVI_TRY(needs_braces(place->name) ? put_braces(put, plan, place, err)
                                      : put_colons(put, plan, place, err));
    return put_word(put, "\n", err);
}

/* --- Options --- */

static const char *separator_name(char c)
{
    switch (c) {
    case ' ':
        return "space";
    case ',':
        return "comma";
    case ';':
        return "semicolon";
    case '|':
        return "bar";
    default:
        return "tab";
    }
}

dv_status dvi_text_put_schema(dvi_text_put *put, const dvi_text_plan *plan, int64_t *multilines_at,
                              dv_error *err)
{
    char text[64];
    *multilines_at = -1;
    if (!plan->form.has_schema)
        return DV_OK;
    DVI_TRY(put_word(put, "#@ TextLoader{\n", err));
    if (plan->has_header)
        DVI_TRY(put_word(put, "#@   header+\n", err));
    snprintf(text, sizeof text, "#@   sep=%s\n", separator_name(plan->form.separator));
    DVI_TRY(put_word(put, text, err));
    if (!plan->form.is_mlnet)
        DVI_TRY(put_word(put, "#@   quote+\n#@   sparse+\n", err));
    if (!plan->form.is_mlnet && plan->has_text) {
        DVI_TRY(put_word(put, "#@   multilines-\n", err));
        *multilines_at = dvi_text_put_at(put) - 2;
    }
    if (plan->keys_as_seed)
        DVI_TRY(put_word(put, "#@   keysyntax=seed\n", err));
    for (int32_t k = 0; k < plan->count; k++)
        DVI_TRY(put_column(put, plan, &plan->places[k], err));
    return put_word(put, "#@ }\n", err);
}
