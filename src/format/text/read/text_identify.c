/* SPDX-License-Identifier: MIT */
/* text_identify.c: computes the identity of a text view: all that its rows and values depend on. */
#include "view/identity.h"
#include "format/text/read/text_priv.h"
#include <string.h>

/* Add options, except those that affect only speed or names. */
static void add_options(dv_identity *identity, const dvi_text_options *o)
{
    const int64_t numbers[] = {o->allow_quoting, o->allow_sparse,     o->trim,        o->has_header,
                               o->multilines,    o->missing_real_nan, o->blank_is_na, o->size,
                               o->rows,          o->escape,           o->decimal};
    dv_identity_add(identity, o->separators, (size_t)o->separators_count);
    dv_identity_add(identity, numbers, sizeof numbers);
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
