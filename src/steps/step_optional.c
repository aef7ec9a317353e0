/* SPDX-License-Identifier: MIT */
/* step_optional.c: optional, which learns from the schema what the columns are that may be missing
 * later. */
#include "base/check.h"
#include "steps/learned_view.h"
#include "steps/step_class.h"
#include "transform/tf_optional.h"

/* The type that is given. dims: 8 of them. */
static dv_status read_type(dv_type *type_out, int32_t *dims, const dv_step *step, dv_error *err)
{
    return dv_type_parse(type_out, dv_step_text(step, "type", 0), dims, 8, err);
}

/* A schema whose only column is missing in the source. */
static dv_status make_schema(dv_schema **schema_out, const dv_step_binding *b, dv_error *err)
{
    int32_t dims[8];
    dv_type type;
    if (!dv_step_is_given(b->step, "type"))
        return dvi_fail_argument(err, "it is missing, so its type must be given: set \"type\"");
    DVI_TRY(read_type(&type, dims, b->step, err));
    DVI_TRY(dv_schema_create(schema_out, b->allocator, err));
    const dv_status status =
        dv_schema_add(*schema_out, dv_step_column(b->step, b->column), &type, NULL, err);
    if (status < 0)
        dv_schema_free(schema_out);
    return status;
}

/* What is learned: a view without rows that has such a column (dvi_optional_column). */
static dv_status give(void **learned_out, const dv_step_binding *b, dv_error *err)
{
    dv_view *like;
    dv_schema *own = NULL;
    *learned_out = NULL;
    if (b->sources[0] < 0)
        DVI_TRY(make_schema(&own, b, err));
    const dv_status status = dvi_optional_column(&like, own ? own : b->schema,
                                                 own ? 0 : b->sources[0], b->allocator, err);
    dv_schema_free(&own);
    *learned_out = like;
    return status;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"column", NULL};
    (void)step;
    return names;
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    int32_t dims[8];
    dv_type type;
    const dv_schema *schema = dv_view_schema(list[0]);
    (void)allocator;
    DVI_REQUIRE(dv_schema_columns(schema) == 1,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT5", -1, "columns of the table", "1|%d",
                         (int)dv_schema_columns(schema)));
    if (dv_step_is_given(step, "type")) {
        DVI_TRY(read_type(&type, dims, step, err));
        DVI_REQUIRE(dv_type_equal(&type, &dv_schema_column(schema, 0)->type),
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT5", -1, "type of the column",
                             "that of the step|another"));
    }
    dv_view_retain(list[0]);
    *learned_out = list[0];
    return DV_OK;
}

/* --- Applying --------------------------------------------------------------------------------- */

/* Of the type given, or else of that which was learned. */
static dv_status add_column(dv_view **view_out, const dv_step *step, int32_t i, dv_view *like,
                            dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    int32_t dims[8];
    dv_type type = dv_schema_column(dv_view_schema(like), 0)->type;
    if (dv_step_is_given(step, "type"))
        DVI_TRY(read_type(&type, dims, step, err));
    return dvi_optional_view(view_out, source, dv_step_column(step, i), &type, like, 0, allocator,
                             err);
}

static dv_status view(dv_view **view_out, const dv_step *step, void *const *learned,
                      dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    dv_view *made;
    dv_status status = DV_OK;
    dv_view_retain(source);
    for (int32_t i = 0; status == DV_OK && i < step->columns_count; i++) {
        status = add_column(&made, step, i, learned[i], source, allocator, err);
        if (status == DV_OK) {
            dv_view_release(&source);
            source = made;
        }
    }
    if (status == DV_OK)
        *view_out = source;
    else
        dv_view_release(&source);
    return status;
}

const dvi_step_class dvi_class_optional = {.open = {.size = sizeof(dv_step_class),
                                                    .version = 1,
                                                    .takes_missing = true,
                                                    .give = give,
                                                    .free_learned = dvi_learned_view_free,
                                                    .tables = tables,
                                                    .show = dvi_learned_view_show,
                                                    .load = load,
                                                    .view = view,
                                                    .adds_columns = true},
                                           .keys = DVI_KEYS_PASSED};
