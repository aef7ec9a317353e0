/* SPDX-License-Identifier: MIT */
/* text_identify.c: computes the identity of a text view: all that its rows and values depend on. */
#include "view/identity.h"
#include "format/text/read/text_priv.h"
#include <string.h>

static void add_text(dv_identity *identity, dv_text text)
{
    dvi_identity_add_i8(identity, text.nbytes);
    if (text.nbytes > 0)
        dv_identity_add(identity, text.data, (size_t)text.nbytes);
}

/* Add the options that ML.NET does not have, if one of them is not its default. */
static void add_rules(dv_identity *identity, const dvi_text_options *o)
{
    if (o->has_defaults && !o->strict && !o->has_comment && o->skip == 0 &&
        o->missing.nbytes == 0 && o->novalue.nbytes == 0 && o->wide_separators_count == 0)
        return;
    const int64_t numbers[] = {o->has_defaults, o->strict, o->has_comment, o->skip};
    dv_identity_add(identity, numbers, sizeof numbers);
    add_text(identity, o->comment);
    add_text(identity, o->missing);
    add_text(identity, o->novalue);
    for (int32_t i = 0; i < o->wide_separators_count; i++)
        add_text(identity, o->wide_separators[i]);
}

/* Add options, except those that affect only speed or names. */
static void add_options(dv_identity *identity, const dvi_text_options *o)
{
    const int64_t numbers[] = {o->allow_quoting, o->allow_sparse,     o->trim,        o->has_header,
                               o->multilines,    o->missing_real_nan, o->blank_is_na, o->size,
                               o->rows,          o->escape,           o->decimal};
    dv_identity_add(identity, o->separators, (size_t)o->separators_count);
    dv_identity_add(identity, numbers, sizeof numbers);
    if (o->refuses) /* rows that were read by another view may hold what this one refuses */
        dv_identity_add(identity, "refuses", 7);
    if (o->quote != '"')
        dv_identity_add(identity, &o->quote, 1);
    add_rules(identity, o);
    if (o->encoding.kind != DVI_ENCODING_UTF8)
        add_text(identity, dv_text_of(dvi_encoding_name(&o->encoding)));
}

/* Add the source columns of a column. */
static void add_column(dv_identity *identity, const dvi_text_column *column)
{
    dvi_identity_add_i8(identity, column->variable);
    for (int32_t i = 0; i < column->segments_count; i++) {
        const dvi_text_segment *s = &column->segments[i];
        const int64_t numbers[] = {s->first, s->end, s->slot};
        dv_identity_add(identity, numbers, sizeof numbers);
    }
}

dv_status dvi_text_identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_text_file *file = self;
    add_options(identity, &file->options);
    for (int32_t i = 0; i < file->layout.columns_count; i++)
        add_column(identity, &file->layout.columns[i]);
    return dvi_identity_add_map(identity, file->map, err);
}
