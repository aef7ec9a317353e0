/* SPDX-License-Identifier: MIT */
/* text_save_names.c: checks which names can be written. (semantics:6.3, semantics:6.6) */
#include "base/check.h"
#include "codec/option_string.h"
#include "view/column.h"
#include "format/text/save/text_save_priv.h"
#include <dataview/schema.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <string.h>

static bool has_byte(dv_text text, char c)
{
    return text.nbytes > 0 && memchr(text.data, c, (size_t)text.nbytes);
}

dv_status dvi_text_clean_name(dv_text *clean_out, dv_text name, dvi_arena *arena, dv_error *err)
{
    dv_text copy;
    *clean_out = dvi_text_trim(name);
    if (!has_byte(*clean_out, '\n') && !has_byte(*clean_out, '\r'))
        return DV_OK;
    DVI_TRY(dvi_arena_text(arena, &copy, *clean_out, err));
    for (char *p = (char *)(uintptr_t)copy.data; *p || p < copy.data + copy.nbytes; p++)
        *p = *p == '\n' || *p == '\r' ? ' ' : *p; /* the copy may be changed */
    *clean_out = copy;
    return DV_OK;
}

/* --- Names of slots --- */

/* Counts of names that will be read differently. */
typedef struct seen {
    int64_t named, na, spaced, broken;
} seen;

static void look_at_name(seen *s, dv_text name)
{
    const int64_t trimmed = name.nbytes < 0 ? 0 : dvi_text_trim(name).nbytes;
    s->na += name.nbytes < 0;
    s->named += trimmed > 0;
    s->spaced += trimmed < name.nbytes;
    s->broken += has_byte(name, '\r');
}

static dv_status count_names(seen *s, const dvi_text_output *output, const dv_column_view *view,
                             dv_error *err)
{
    dvi_text_source source =
        dvi_text_source_of(&output->item, output->column, true, DVI_TEXT_TYPED);
    DVI_TRY(dvi_text_source_begin(&source, view, 0, err));
    for (dv_value item = {.column = &source.list}; item.row < source.list.rows; item.row++)
        look_at_name(s, dv_value_tx(&item));
    return DV_OK;
}

static void report_names(const dvi_text_output *output, const seen *s, dvi_losses *losses)
{
    const dv_text kind = dv_text_of(DV_SLOT_NAMES);
    if (s->named == 0)
        dvi_losses_add(losses, DV_LOSS_METADATA, output->column, kind,
                       "names that are all empty read as none");
    if (s->na > 0)
        dvi_losses_add(losses, DV_LOSS_NA, output->column, kind,
                       "names that are NA become empty: %" PRId64, s->na);
    if (s->spaced > 0)
        dvi_losses_add(losses, DV_LOSS_NAMES, output->column, kind,
                       "names lose the white space around them: %" PRId64, s->spaced);
    if (s->broken > 0)
        dvi_losses_add(losses, DV_LOSS_BREAKS, output->column, kind,
                       "CR in %" PRId64 " name%s becomes LF", s->broken, DVI_S(s->broken));
}

dv_status dvi_text_check_names(const dvi_text_plan *plan, const dvi_text_output *output,
                               dvi_losses *losses, bool *named_out, dv_error *err)
{
    const dv_schema *schema = plan->saving->schema;
    const dv_batch *value;
    seen s = {0};
    DVI_TRY(dv_schema_metadata_value(schema, output->column, output->names, &value, err));
    const dv_status status = count_names(&s, output, dv_batch_column(value, 0), err);
    dv_batch_release(&value);
    DVI_TRY(status);
    if (losses)
        report_names(output, &s, losses);
    *named_out = s.named > 0;
    return DV_OK;
}
