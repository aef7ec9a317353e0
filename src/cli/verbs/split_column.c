/* SPDX-License-Identifier: MIT */
/* split_column.c: finds the column of --stratify and --group. */
#include "cli/verbs/split_column.h"
#include "cli/args/input.h"

dvi_exit dvi_split_column_find(dvi_split_column *c, const dvi_writing *w, const char *option,
                               const char *name, const char *purpose)
{
    const dv_text column = dv_text_of(name);
    *c = (dvi_split_column){.view = w->view, .column = -1};
    dv_view_retain(c->view);
    if (dv_schema_find(dv_view_schema(c->view), column, &c->column) != DV_OK) {
        dv_view_release(&c->view);
        const dvi_exit status = dvi_input_open(&c->view, w->args);
        if (status)
            return status;
        if (dv_schema_find(dv_view_schema(c->view), column, &c->column) != DV_OK)
            return dvi_say_no_column(dv_view_schema(c->view), option, column);
    }
    const dv_type *type = &dv_schema_column(dv_view_schema(c->view), c->column)->type;
    if (dv_type_is_vector(type) || type->kind == DV_KIND_EXTENSION)
        return dvi_say_usage("%s %s: the column is no scalar, so it has no %s", option, name,
                             purpose);
    c->rows = w->selection.options;
    c->rows.columns = &c->column;
    c->rows.columns_count = 1;
    return DVI_EXIT_DONE;
}
