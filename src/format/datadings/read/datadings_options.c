/* SPDX-License-Identifier: MIT */
/* datadings_options.c: parses the options for reading datadings. */
#include "format/datadings/read/datadings_options.h"
#include "base/check.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include <string.h>

#define RANK 64 /* the highest rank of a column, as in numpy */

static dv_status fail_value(const dvi_option_word *s, const char *wanted, dv_error *err)
{
    return dvi_fail_argument(err, "option %s: %s, not \"%s\"", dvi_show(s->name).text, wanted,
                             dvi_show(s->value).text);
}

static dv_status read_infer(dvi_datadings_options *o, const dvi_option_word *s, dv_error *err)
{
    if (dvi_text_is(s->value, "all")) {
        o->infer = INT64_MAX;
        return DV_OK;
    }
    const size_t n = (size_t)s->value.nbytes;
    const bool is_number = s->sign == '=' && n > 0 && dvi_parse_i8(&o->infer, s->value.data, n, n);
    DVI_REQUIRE(is_number && o->infer >= 1, fail_value(s, "a number of samples, or all", err));
    return DV_OK;
}

static dv_status read_mismatch(dvi_datadings_options *o, const dvi_option_word *s, dv_error *err)
{
    o->mismatch_na = dvi_text_is(s->value, "na");
    DVI_REQUIRE(o->mismatch_na || dvi_text_is(s->value, "error"),
                fail_value(s, "error or na", err));
    return DV_OK;
}

/* Can values of messages have this type? */
static bool is_readable(const dv_type *type)
{
    const dv_type item = dv_type_item(type);
    const bool is_scalar = type->rank == 0;
    return item.kind != DV_KIND_UG && item.kind != DV_KIND_DZ && item.kind != DV_KIND_EXTENSION &&
           (is_scalar || !item.is_key);
}

/* PATH:TYPE */
static dv_status read_column(dvi_datadings_options *o, const dvi_option_word *s, dvi_arena *arena,
                             dv_error *err)
{
    void *dims;
    dvi_datadings_spec *spec = &o->specs[o->specs_count];
    dv_text name, type;
    DVI_REQUIRE(s->sign == '=' && dvi_text_split_type(s->value, &name, &type),
                fail_value(s, "a name and a type, such as x:R4", err));
    DVI_TRY(dvi_arena_text(arena, &spec->path, name, err));
    o->specs_count++;
    spec->is_opaque = dvi_text_is(type, "opaque");
    spec->type = dv_type_of(DV_KIND_BY);
    if (spec->is_opaque)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(arena, &dims, RANK * sizeof(int32_t), err));
    const bool is_type = dv_type_parse(&spec->type, type, dims, RANK, NULL) == DV_OK;
    DVI_REQUIRE(is_type && is_readable(&spec->type),
                fail_value(s, "a type after the colon that messages can hold", err));
    return DV_OK;
}

/* An option with a value, which `read` parses, or a flag. */
typedef struct option {
    const char *name;
    dv_status (*read)(dvi_datadings_options *, const dvi_option_word *, dv_error *);
    size_t flag;
} option;

static const option list[] = {
    {"infer", read_infer, 0},
    {"mismatch", read_mismatch, 0},
    {"scan", NULL, offsetof(dvi_datadings_options, scan)},
    {"raw", NULL, offsetof(dvi_datadings_options, raw)},
    {"confirm", NULL, offsetof(dvi_datadings_options, confirm)},
    {"strict", NULL, offsetof(dvi_datadings_options, strict)},
};
#define OPTIONS (sizeof list / sizeof *list)

static dv_status read_option(dvi_datadings_options *o, const dvi_option_word *s, uint32_t *seen,
                             dv_error *err)
{
    size_t i = 0;
    while (i < OPTIONS && !dvi_text_is(s->name, list[i].name))
        i++;
    DVI_REQUIRE(i < OPTIONS,
                dvi_fail_argument(err, "unknown option %s: docs/formats/datadings.md lists them",
                                  dvi_show(s->name).text));
    DVI_REQUIRE(!(*seen & 1U << i),
                dvi_fail_argument(err, "option %s is given twice", list[i].name));
    *seen |= 1U << i;
    if (list[i].read)
        return list[i].read(o, s, err);
    DVI_REQUIRE(dvi_option_flag(s, (bool *)((char *)o + list[i].flag)),
                dvi_fail_argument(err, "option %s is a flag: %s+ or %s-", list[i].name,
                                  list[i].name, list[i].name));
    return DV_OK;
}

/* keep=NAME or drop=NAME */
static dv_status read_name(dvi_datadings_options *o, const dvi_option_word *s, dvi_arena *arena,
                           dv_error *err)
{
    const bool keeps = dvi_text_is(s->name, "keep");
    dv_text *name = &o->names[o->names_count];
    int32_t before;
    DVI_REQUIRE(s->sign == '=' && s->value.nbytes > 0, fail_value(s, "the key of an entry", err));
    DVI_REQUIRE(o->names_count == 0 || o->keeps == keeps,
                dvi_fail_argument(err, "options keep and drop exclude each other"));
    DVI_REQUIRE(keeps || !dvi_text_is(s->value, "key"),
                dvi_fail_argument(err, "option drop: the key of a sample stays"));
    o->keeps = keeps;
    DVI_TRY(dvi_arena_text(arena, name, s->value, err));
    o->names_count++;
    return dvi_hashtab_put(&o->by_name, *name, 0, &before, err);
}

static bool is_name(const dvi_option_word *s)
{
    return dvi_text_is(s->name, "keep") || dvi_text_is(s->name, "drop");
}

static bool is_column(const dvi_option_word *s)
{
    return dvi_text_is(s->name, "col");
}

static dv_status count_words(size_t *n_out, dv_text text, bool (*is)(const dvi_option_word *),
                             dvi_arena *arena, dv_error *err)
{
    dvi_option_string words = {text, 0, arena};
    dvi_option_word s;
    dv_status status;
    *n_out = 0;
    while ((status = dvi_option_string_next(&words, &s, err)) == DV_OK)
        *n_out += is(&s);
    return status;
}

static dv_status check(const dvi_datadings_options *o, uint32_t seen, dv_error *err)
{
    DVI_REQUIRE(!(o->specs_count > 0 && seen & 1),
                dvi_fail_argument(err, "options infer and col exclude each other"));
    DVI_REQUIRE(o->raw || o->names_count == 0,
                dvi_fail_argument(err, "options keep and drop need option raw"));
    DVI_REQUIRE(!(o->raw && (o->specs_count > 0 || seen & 3)),
                dvi_fail_argument(err, "option raw decodes nothing: no infer, mismatch or col"));
    return DV_OK;
}

dv_status dvi_datadings_options_read(dvi_datadings_options *options_out, const char *text,
                                     dvi_arena *arena, dv_error *err)
{
    dvi_datadings_options *o = options_out;
    size_t columns, names;
    void *specs, *made;
    uint32_t seen = 0;
    dvi_option_word s;
    dv_status status;
    *o = (dvi_datadings_options){.infer = DVI_DATADINGS_INFER, .confirm = true};
    dvi_hashtab_init(&o->by_name, &arena->allocator);
    dvi_option_string words = {dv_text_of(text ? text : ""), 0, arena};
    DVI_TRY(count_words(&columns, words.text, is_column, arena, err));
    DVI_TRY(count_words(&names, words.text, is_name, arena, err));
    DVI_TRY(dvi_arena_alloc(arena, &specs, columns * sizeof(dvi_datadings_spec), err));
    o->specs = specs;
    DVI_TRY(dvi_arena_alloc(arena, &made, names * sizeof *o->names, err));
    o->names = made;
    while ((status = dvi_option_string_next(&words, &s, err)) == DV_OK)
        DVI_TRY(is_column(&s) ? read_column(o, &s, arena, err)
                : is_name(&s) ? read_name(o, &s, arena, err)
                              : read_option(o, &s, &seen, err));
    return status < 0 ? status : check(o, seen, err);
}

void dvi_datadings_options_free(dvi_datadings_options *options)
{
    dvi_hashtab_free(&options->by_name);
}
