/* SPDX-License-Identifier: MIT */
/* text_again.c: is a CSV that was written read again as the same table?
 *
 * A reader finds the separator, names and types of a CSV by looking at it.  So the file is looked
 * at in the same way before it is kept: texts that are all numbers are numbers to every reader. */
#include "format/text/text_again.h"
#include "base/check.h"
#include "format/text/propose/text_propose.h"
#include <dataview/schema.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The kinds that a reader distinguishes. */
static const char *kind_of(dv_kind kind)
{
    switch (kind) {
    case DV_KIND_BL:
        return "true and false";
    case DV_KIND_DT:
    case DV_KIND_DZ:
        return "dates";
    case DV_KIND_TS:
        return "time spans";
    case DV_KIND_TX:
    case DV_KIND_UG:
        return "texts";
    default:
        return "numbers";
    }
}

static dv_status refuse(const char *what, dv_text name, const char *wanted, const char *found,
                        dv_error *err)
{
    char where[160] = "the table";
    if (what)
        snprintf(where, sizeof where, "%s \"%s\"", what, dvi_show(name).text);
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, where,
                    "%s when it is read again, or loss types allowed|%s", wanted, found);
}

/* --- The lines -------------------------------------------------------------------------------- */

/* NULL: fields and lines are found as they were written. */
static const char *differing_rule(const dvi_text_plan *plan, const dvi_text_options *o)
{
    const bool is_plain =
        o->separators_count == 1 && o->wide_separators_count == 0 && !o->merges_blanks;
    const bool is_separator =
        is_plain && (o->separators[0] == plan->form.separator ||
                     (plan->slots == 1 && strchr("\t,;|", o->separators[0]))); /* none occurs */
    if (!is_separator)
        return "another separator";
    if (!o->allow_quoting || o->escape != '"')
        return "other quotes";
    if (o->decimal != '.')
        return "another decimal point";
    if (o->skip > 0 || !o->has_comment || o->comment.nbytes > 0)
        return "lines that are left out";
    return NULL;
}

static dv_status check_lines(const dvi_text_plan *plan, const dvi_text_options *o, dv_error *err)
{
    const dv_text none = {"", 0};
    char found[64];
    const char *const rule = differing_rule(plan, o);
    if (rule)
        return refuse(NULL, none, "rows as written", rule, err);
    if (o->specs_count != plan->slots) {
        snprintf(found, sizeof found, "%d", (int)o->specs_count);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%" PRId64 " column%s", plan->slots, DVI_S(plan->slots));
        return refuse(NULL, none, wanted, found, err);
    }
    if (o->has_header != plan->has_header)
        return refuse(NULL, none, o->has_header ? "rows alone" : "names and rows",
                      o->has_header ? "a row that is taken for names"
                                    : "names that are taken for "
                                      "a row",
                      err);
    return DV_OK;
}

/* --- The columns ------------------------------------------------------------------------------ */

/* A key may be written as its value. */
static dv_kind written_kind(const dvi_text_plan *plan, const dvi_text_output *output)
{
    const dv_schema *schema = plan->saving->schema;
    return output->words < 0 ? output->item.kind
                             : dv_schema_metadata(schema, output->column, output->words)->type.kind;
}

static dv_status check_columns(const dvi_text_plan *plan, const dvi_text_options *o, dv_error *err)
{
    const dvi_text_spec *spec = o->specs;
    for (int32_t k = 0; k < plan->count; k++) {
        const dvi_text_output *output = &plan->outputs[k];
        const char *const wanted = kind_of(written_kind(plan, output));
        for (int32_t i = 0; i < output->slots; i++, spec++) {
            const char *const found = kind_of(spec->item.kind);
            const dv_text name = plan->has_header ? plan->csv_names[spec - o->specs] : spec->name;
            if (!dv_text_equal(name, spec->name))
                return refuse("name", name, "that name", dvi_show(spec->name).text, err);
            if (strcmp(wanted, found) == 0)
                continue;
            refuse("column", name, wanted, found, err);
            if (spec->item.kind == DV_KIND_TX && strcmp(wanted, "numbers") == 0)
                dvi_error_advise(err, "if all its values are missing, a CSV shows no type: leave "
                                      "it out, or write .txt or .idv");
            return DV_ERR_LOSS;
        }
    }
    return DV_OK;
}

/* --- Entry ------------------------------------------------------------------------------------ */

static dv_status check(const dvi_text_plan *plan, dv_text found, dvi_arena *arena, dv_error *err)
{
    dvi_text_options options;
    DVI_TRY(dvi_text_options_read(&options, found, NULL, arena, err));
    DVI_TRY(check_lines(plan, &options, err));
    return check_columns(plan, &options, err);
}

dv_status dvi_text_check_again(const dvi_text_plan *plan, dvi_writer *writer, dv_error *err)
{
    dvi_map *map;
    dv_buffer found = {0};
    dvi_arena arena;
    if (plan->form.style != DVI_TEXT_CSV || dvi_saving_allows(plan->saving, DV_LOSS_TYPES))
        return DV_OK;
    DVI_TRY(dvi_writer_map(writer, &map, err));
    dv_status status = dvi_text_propose(&found, NULL, map, NULL, err);
    dvi_map_release(&map);
    dvi_arena_init(&arena, plan->saving->allocator);
    if (status == DV_OK)
        status = check(plan, dv_text_of(found.data), &arena, err);
    else if (status == DV_NOT_FOUND)
        status = refuse(NULL, dv_text_of(""), "rows as written", "no columns", err);
    dvi_arena_free(&arena);
    dv_buffer_release(&found);
    return status;
}
