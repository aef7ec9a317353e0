/* SPDX-License-Identifier: MIT */
/* own_step.c: a step of one's own in a pipeline: it learns the mean of a column and subtracts it.
 */
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Learning: rows come in order, since sums of reals depend on it. -------------------------- */

typedef struct sum {
    double of_values;
    int64_t values;
} sum;

static dv_status begin(void **learner_out, const dv_step_binding *binding, dv_error *err)
{
    const dv_type *type = &dv_schema_column(binding->schema, binding->sources[0])->type;
    if (type->kind != DV_KIND_R4 || dv_type_is_vector(type))
        return dv_error_set(err, DV_ERR_ARGUMENT, "center takes numbers of type R4");
    *learner_out = calloc(1, sizeof(sum));
    return *learner_out ? DV_OK : DV_ERR_MEMORY;
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    (void)place, (void)err;
    sum *s = learner;
    dv_value value = dv_value_first(sources[0]);
    for (int64_t i = 0; i < sources[0]->rows; i++, dv_value_next(&value)) {
        s->of_values += dv_value_r4(&value);
        s->values++;
    }
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *binding,
                        dv_error *err)
{
    (void)binding, (void)err;
    const sum *s = *learner;
    float *mean = malloc(sizeof *mean);
    *learned_out = mean;
    if (!mean)
        return DV_ERR_MEMORY;
    *mean = s->values > 0 ? (float)(s->of_values / (double)s->values) : 0;
    return DV_OK;
}

/* --- What it has learned, as a table: so it is shown and saved. ------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"means", NULL};
    (void)step;
    return names;
}

static dv_status show(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)table;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = allocator;
    const dv_table_column column = {"Mean", dv_type_of(DV_KIND_R4), learned, NULL};
    return dv_table_create(table_out, &column, 1, 1, &options, err);
}

/* The table may come from anyone. */
static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)step, (void)allocator;
    dv_cursor *cursor;
    const dv_batch *batch;
    const dv_schema *schema = dv_view_schema(list[0]);
    const dv_type number = dv_type_of(DV_KIND_R4);
    if (dv_schema_columns(schema) != 1 || dv_view_rows(list[0]) != 1 ||
        !dv_type_equal(&dv_schema_column(schema, 0)->type, &number))
        return dv_error_set(err, DV_ERR_CORRUPT, "a table of means has one row, an R4");
    dv_status status = dv_cursor_open(&cursor, list[0], NULL, err);
    if (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    float *mean = status == DV_OK ? malloc(sizeof *mean) : NULL;
    if (status == DV_OK && !mean)
        status = DV_ERR_MEMORY;
    if (mean) {
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        *mean = dv_value_r4(&value);
    }
    *learned_out = mean;
    dv_cursor_close(&cursor);
    return status;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status type(dv_type *type_out, const dv_step_binding *binding, void *learned,
                      dv_error *err)
{
    (void)learned;
    *type_out = dv_type_of(DV_KIND_R4);
    if (!dv_type_equal(&dv_schema_column(binding->schema, binding->sources[0])->type, type_out))
        return dv_error_set(err, DV_ERR_ARGUMENT, "center takes numbers of type R4");
    return DV_OK;
}

static dv_status fill(dv_column_view *values_out, const dv_step_filling *filling, dv_error *err)
{
    const float mean = *(const float *)filling->learned;
    const size_t nbytes = (size_t)filling->rows * sizeof mean;
    float *values = malloc(nbytes);
    if (!values)
        return DV_ERR_MEMORY;
    dv_value value = dv_value_first(filling->sources[0]);
    for (int64_t i = 0; i < filling->rows; i++, dv_value_next(&value))
        values[i] = dv_value_r4(&value) - mean;
    values_out->layout = DV_LAYOUT_FIXED;
    const dv_status status = dv_buffer_wrap(&values_out->as.fixed.values, values, nbytes,
                                            sizeof *values, free, values, NULL, err);
    values_out->as.fixed.values.is_borrowed = false; /* made for this batch */
    return status;
}

static const dv_step_class center_class = {.size = sizeof center_class,
                                           .version = 1,
                                           .in_order = true,
                                           .begin = begin,
                                           .free_learner = free,
                                           .see = see,
                                           .finish = finish,
                                           .free_learned = free,
                                           .tables = tables,
                                           .show = show,
                                           .load = load,
                                           .type = type,
                                           .fill = fill};
static const dv_transform_info center_info = {.name = "center",
                                              .ml_net = "",
                                              .summary = "Subtract the mean of a column.",
                                              .columns = DV_STEP_COLUMNS_ONE};

/* --- Its use ---------------------------------------------------------------------------------- */

static dv_status run(const char *path, dv_error *err)
{
    dv_view *houses, *centered = NULL;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int32_t column;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_status status = dv_open(&houses, path, NULL, err);
    if (status == DV_OK)
        status =
            dv_view_pipe(&centered, houses, dv_text_of("convert price type=R4; center above:price"),
                         NULL, NULL, err);
    dv_view_release(&houses);
    if (status == DV_OK)
        status = dv_schema_find(dv_view_schema(centered), dv_text_of("above"), &column);
    options.columns = &column;
    options.columns_count = 1;
    if (status == DV_OK)
        status = dv_cursor_open(&cursor, centered, &options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        dv_value value = dv_value_first(dv_batch_column(batch, 0));
        for (int64_t i = 0; i < batch->rows; i++, dv_value_next(&value))
            printf("%g\n", (double)dv_value_r4(&value));
    }
    dv_cursor_close(&cursor);
    dv_view_release(&centered);
    return status == DV_END ? DV_OK : status;
}

int main(int argc, char **argv)
{
    dv_error err = DV_ERROR_INIT;
    dv_status status = dv_step_register(&center_info, &center_class, &err);
    if (status == DV_OK)
        status = run(argc > 1 ? argv[1] : "houses.csv", &err);
    if (status < 0)
        fprintf(stderr, "own_step: %s\n", err.message);
    return status < 0;
}
