/* SPDX-License-Identifier: MIT */
/* text_save_schema.c: writes the lines of options at the start of a text file. (semantics:6.2,
 * semantics:6.3, semantics:6.6) */
#include "base/check.h"
#include "codec/option_string.h"
#include "format/text/save/text_save_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static dv_status write_word(dvi_text_writer *out, const char *word, dv_error *err)
{
    return dvi_text_write_bytes(out, word, strlen(word), err);
}

/* --- Types and ranges --- */

/* The brackets of a key: a count from 0, first and last, or first and all others. */
static void print_keys(char *dst, size_t cap, const dv_type *key)
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
static void print_range(char *dst, size_t cap, const dvi_text_output *output)
{
    const int64_t first = output->first;
    if (!output->is_vector)
        snprintf(dst, cap, "%" PRId64, first);
    else if (output->slots == 0)
        snprintf(dst, cap, "%" PRId64 "-**", first);
    else
        snprintf(dst, cap, "%" PRId64 "-%" PRId64, first, first + output->slots - 1);
}

/* name:type:range */
static dv_status write_colons(dvi_text_writer *out, const dvi_text_plan *plan,
                              const dvi_text_output *output, dv_error *err)
{
    char keys[48], range[48], type[64], text[128];
    const char *kind = dv_kind_name(output->item.kind);
    print_range(range, sizeof range, output);
    print_keys(keys, sizeof keys, &output->item);
    if (output->item.is_key && !plan->keys_as_seed)
        snprintf(type, sizeof type, "%s[%s]", kind, keys);
    else
        dv_type_print(&output->item, type, sizeof type);
    snprintf(text, sizeof text, ":%s:%s", type, range);
    DVI_TRY(dvi_text_write_bytes(out, output->name.data, (size_t)output->name.nbytes, err));
    return write_word(out, text, err);
}

/* {name={...} type=... src=... key=...} */
static dv_status write_braces(dvi_text_writer *out, const dvi_text_plan *plan,
                              const dvi_text_output *output, dv_error *err)
{
    char keys[48], range[48], type[64], text[128];
    const bool has_key = output->item.is_key && !plan->keys_as_seed;
    print_range(range, sizeof range, output);
    print_keys(keys, sizeof keys, &output->item);
    snprintf(type, sizeof type, "%s", dv_kind_name(output->item.kind));
    if (output->item.is_key && plan->keys_as_seed)
        dv_type_print(&output->item, type, sizeof type);
    DVI_TRY(write_word(out, "{name=", err));
    DVI_TRY(dvi_text_write_bytes(out, output->quoted.data, (size_t)output->quoted.nbytes, err));
    if (output->item.kind != DV_KIND_R4)
        DVI_TRY((snprintf(text, sizeof text, " type=%s", type), write_word(out, text, err)));
    snprintf(text, sizeof text, " src=%s%s%s}", range, has_key ? " key=" : "", has_key ? keys : "");
    return write_word(out, text, err);
}

static dv_status write_column(dvi_text_writer *out, const dvi_text_plan *plan,
                              const dvi_text_output *output, dv_error *err)
{
    DVI_TRY(write_word(out, "#@   col=", err));
    DVI_TRY(dvi_option_string_is_bare(output->name) &&
                    !memchr(output->name.data, ':', (size_t)output->name.nbytes)
                ? write_colons(out, plan, output, err)
                : write_braces(out, plan, output, err));
    return write_word(out, "\n", err);
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

dv_status dvi_text_write_schema(dvi_text_writer *out, const dvi_text_plan *plan, int64_t *room_at,
                                dv_error *err)
{
    char text[64];
    *room_at = -1;
    if (!plan->form.has_schema)
        return DV_OK;
    DVI_TRY(write_word(out, "#@ TextLoader{\n", err));
    if (plan->has_header)
        DVI_TRY(write_word(out, "#@   header+\n", err));
    snprintf(text, sizeof text, "#@   sep=%s\n", separator_name(plan->form.separator));
    DVI_TRY(write_word(out, text, err));
    if (plan->form.style != DVI_TEXT_MLNET)
        DVI_TRY(write_word(out, "#@   quote+\n#@   sparse+", err));
    /* ML.NET 1.5 refuses a file that names the option, even as multilines- */
    if (plan->form.style != DVI_TEXT_MLNET && plan->has_text) {
        const bool is_packed = dvi_writer_is_packed(out->writer); /* nothing can be filled in */
        *room_at = is_packed ? -1 : dvi_text_writer_offset(out) + 1;
        snprintf(text, sizeof text, " %*s", (int)strlen(DVI_TEXT_MULTILINES),
                 is_packed ? DVI_TEXT_MULTILINES : "");
        DVI_TRY(write_word(out, text, err));
    }
    if (plan->form.style != DVI_TEXT_MLNET)
        DVI_TRY(write_word(out, "\n", err));
    if (plan->keys_as_seed)
        DVI_TRY(write_word(out, "#@   keysyntax=seed\n", err));
    for (int32_t k = 0; k < plan->count; k++)
        DVI_TRY(write_column(out, plan, &plan->outputs[k], err));
    return write_word(out, "#@ }\n", err);
}
