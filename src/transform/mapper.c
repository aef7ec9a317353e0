/* SPDX-License-Identifier: MIT */
/* mapper.c: the columns, schema and identity of a mapper. */
#include "transform/mapper.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "scan/scan.h"
#include "scan/view_chain.h"
#include <string.h>

const dvi_maker dvi_same_column = {.name = "same"};

dv_status dvi_no_metadata(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    (void)made;
    (void)source;
    (void)schema;
    (void)column;
    (void)err;
    return DV_OK;
}

dv_status dvi_filling_check(const dvi_filling *f, size_t nbytes, dv_error *err)
{
    const int64_t rows = dvi_max_i64(f->batch->rows, 1), below = f->below ? *f->below : 0;
    const size_t each = nbytes / (size_t)rows;
    if (f->row_nbytes <= 0 || (each <= INT64_MAX && (int64_t)each <= f->row_nbytes - below))
        return DV_OK;
    return dvi_fail(err, DV_ERR_LIMIT, "row_nbytes", -1, "values of a row",
                    "at most %lld bytes (option row_nbytes)|%zu", (long long)f->row_nbytes,
                    (size_t)below + each);
}

bool dvi_fills_slots(const void *params)
{
    (void)params;
    return true;
}

dv_status dvi_mapper_create(dvi_mapper **mapper_out, dv_view *source, int32_t more,
                            const dv_allocator *allocator, dv_error *err)
{
    void *made, *origin = NULL, *number = NULL;
    const int64_t columns = (int64_t)dv_schema_columns(dv_view_schema(source)) + more;
    *mapper_out = NULL;
    if (columns > INT32_MAX)
        return dvi_fail_argument(err, "more than 2^31-1 columns");
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_mapper), source, allocator, err));
    dvi_mapper *m = made;
    dv_status status =
        dvi_arena_alloc(&m->base.arena, &origin, (size_t)columns * sizeof *m->origin, err);
    if (status == DV_OK)
        status = dvi_arena_alloc(&m->base.arena, &number, (size_t)columns * sizeof *m->number, err);
    if (status < 0) {
        dvi_derived_close(m);
        return status;
    }
    m->number = number;
    m->base.origin = m->origin = origin;
    *mapper_out = m;
    return DV_OK;
}

static void keep(dvi_mapper *m, int32_t i)
{
    m->origin[m->columns] = i;
    m->number[m->columns++] = -1;
}

static dv_status make(dvi_mapper *m, const dvi_mapped *mapped, dv_error *err)
{
    DVI_TRY(dvi_arena_append(&m->base.arena, &m->made, m->made_count, mapped, sizeof *mapped, err));
    m->origin[m->columns] = -1;
    m->number[m->columns++] = m->made_count++;
    return DV_OK;
}

dv_status dvi_mapper_keep(dvi_mapper *m, dv_schema *schema, int32_t i, dv_text name, dv_error *err)
{
    DVI_TRY(dvi_schema_add_column(schema, dv_view_schema(m->base.source), i, name, err));
    keep(m, i);
    return DV_OK;
}

/* --- New columns among those of the source ---------------------------------------------------- */

static dv_status check_names(const dvi_new_column *made, int32_t n, const dv_allocator *allocator,
                             dv_error *err)
{
    dvi_hashtab names;
    dv_status status = DV_OK;
    dvi_hashtab_init(&names, allocator);
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        int32_t before = -1;
        if (made[i].name.nbytes > 0) /* the schema refuses an empty one */
            status = dvi_hashtab_put(&names, made[i].name, i, &before, err);
        if (status == DV_OK && before >= 0)
            status = dvi_fail_argument(err, "two new columns are called \"%s\"",
                                       dvi_show(made[i].name).text);
    }
    dvi_hashtab_free(&names);
    return status;
}

static dv_status add_new(dvi_mapper *m, dv_schema *schema, const dvi_new_column *made,
                         dv_error *err)
{
    const dv_schema *source = dv_view_schema(m->base.source);
    const dvi_maker *maker = made->mapped.maker;
    int32_t column;
    DVI_TRY(dv_schema_add(schema, made->name, &made->type, &column, err));
    DVI_TRY(make(m, &made->mapped, err));
    for (int32_t i = 0; i < made->mapped.n; i++)
        DVI_TRY(dvi_schema_mark(schema, column, dvi_schema_marks(source, made->mapped.sources[i]),
                                err));
    if (maker->describe)
        return maker->describe(made, source, schema, column, err);
    return dvi_inherit_all_metadata(schema, column, source, made->mapped.sources[0], err);
}

/* Keep all columns of the source, and put each new one that hides one of them right after it. */
static dv_status interleave(dvi_mapper *m, dv_schema *schema, const dvi_new_column *made, int32_t n,
                            dv_error *err)
{
    const dv_schema *source = dv_view_schema(m->base.source);
    const dv_allocator *allocator = &m->base.arena.allocator;
    const int32_t columns = dv_schema_columns(source);
    const size_t nbytes = (size_t)columns * sizeof(int32_t);
    void *list;
    DVI_TRY(dvi_alloc_zeroed(allocator, &list, nbytes, err));
    int32_t *hidden_by = list; /* 1 + number of the new column that hides this one; 0: none */
    for (int32_t i = 0; i < n; i++)
        if (made[i].hides >= 0)
            hidden_by[made[i].hides] = i + 1;
    dv_status status = DV_OK;
    for (int32_t i = 0; i < columns && status == DV_OK; i++) {
        status = dvi_mapper_keep(m, schema, i, dv_schema_column(source, i)->name, err);
        if (status == DV_OK && hidden_by[i] > 0)
            status = add_new(m, schema, &made[hidden_by[i] - 1], err);
    }
    dvi_free(allocator, list, nbytes);
    return status;
}

dv_status dvi_mapper_arrange(dvi_mapper *m, dv_schema **schema_out, dvi_new_column *made, int32_t n,
                             dv_error *err)
{
    const dv_schema *source = dv_view_schema(m->base.source);
    bool any_hides = false;
    DVI_TRY(check_names(made, n, &m->base.arena.allocator, err));
    for (int32_t i = 0; i < n; i++)
        any_hides |= dv_schema_find(source, made[i].name, &made[i].hides) == DV_OK;
    DVI_TRY(dv_schema_create(schema_out, &m->base.arena.allocator, err));
    if (any_hides) {
        DVI_TRY(interleave(m, *schema_out, made, n, err));
    } else {
        DVI_TRY(dvi_schema_add_columns(*schema_out, source, err));
        for (int32_t i = 0; i < dv_schema_columns(source); i++)
            keep(m, i);
    }
    for (int32_t i = 0; i < n; i++)
        if (made[i].hides < 0)
            DVI_TRY(add_new(m, *schema_out, &made[i], err));
    return DV_OK;
}

dv_status dvi_mapper_add_normalized(dv_schema *schema, int32_t column, dv_error *err)
{
    static const int8_t yes = 1;
    dv_column_view value = {.type = dv_type_of(DV_KIND_BL), .layout = DV_LAYOUT_FIXED, .rows = 1};
    value.as.fixed.values = (dv_buffer){&yes, sizeof yes, NULL, false, true};
    return dv_schema_add_metadata(schema, column, dv_text_of(DV_IS_NORMALIZED), &value, err);
}

static void identify_column(dvi_mapped column, dv_identity *identity)
{
    const dvi_maker *maker = column.maker;
    dv_identity_add(identity, maker->name, strlen(maker->name));
    dv_identity_add(identity, column.sources, (size_t)column.n * sizeof *column.sources);
    if (maker->identify)
        maker->identify(column.params, identity);
}

dv_status dvi_mapper_identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_mapper *m = self;
    dvi_identity_add_i8(identity, m->base.first_row);
    dvi_identity_add_i8(identity, m->base.rows_most);
    for (int32_t i = 0; i < m->columns; i++)
        identify_column(dvi_mapper_column(m, i), identity);
    return dv_identity_add_view(identity, m->base.source, err);
}

static bool reads_ids(const dvi_mapper *m)
{
    bool reads = false;
    for (int32_t i = 0; i < m->made_count; i++)
        reads |= m->made[i].maker->reads_ids;
    return reads;
}

static dv_view *row_source(void *self, int *numbers_out)
{
    const dvi_mapper *m = self;
    const bool has_all = m->base.first_row == 0 && m->base.rows_most == INT64_MAX;
    *numbers_out = (m->is_numbered || !has_all ? DVI_ROWS_NEEDED : 0) |
                   (reads_ids(m) ? DVI_ROW_IDS_NEEDED : 0);
    return m->base.source;
}

/* Filling columns gains from threads. Generated columns do not: drawing a number costs less than
 * passing a row between threads, and each member of a set would have to draw the numbers of all
 * rows. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    const dvi_mapper *m = self;
    for (int32_t k = 0; k < request->columns_count && !m->is_numbered; k++) {
        const dvi_maker *maker = dvi_mapper_column(m, request->columns[k]).maker;
        if (maker->fill && !maker->lends)
            return DVI_WORK_SET;
    }
    return DVI_WORK_NONE;
}

static int64_t job_rows(void *self, int32_t column)
{
    const dvi_mapper *m = self;
    return m->job_rows ? m->job_rows[column] : 0;
}

static bool lend(void *self, int32_t *columns, int32_t n, dvi_lender *lender_out)
{
    const dvi_mapper *m = self;
    for (int32_t k = 0; k < n; k++)
        if (dvi_mapper_column(m, columns[k]).maker != &dvi_same_column)
            return false;
    for (int32_t k = 0; k < n; k++)
        columns[k] = dvi_mapper_column(m, columns[k]).sources[0];
    *lender_out = (dvi_lender){m->base.source, m->base.first_row, m->base.rows_most};
    return true;
}

static void release_view(void *of)
{
    dv_view *view = of;
    dv_view_release(&view);
}

/* Everything but the source is the first view's, which is kept alive. */
static dv_status over(dv_view *view, dv_view *source, dv_view **view_out, dv_error *err)
{
    const dvi_mapper *of = dvi_view_self(view);
    const dv_allocator *allocator = dvi_view_allocator(view);
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_mapper), source, allocator, err));
    dvi_mapper *m = made;
    m->base.traits = of->base.traits;
    m->base.origin = m->origin = of->origin;
    m->number = of->number;
    m->made = of->made;
    m->made_count = of->made_count;
    m->job_rows = of->job_rows;
    m->columns = of->columns;
    m->is_reordered = true;
    dv_view_retain(view);
    dv_status status = dvi_arena_own(&m->base.arena, release_view, view, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, dvi_view_class(view), m,
                                dvi_schema_share(dv_view_schema(view)), err);
    dvi_derived_close(m);
    return status;
}

static const dvi_view_traits mapper_traits = {
    .row_source = row_source, .work = work, .job_rows = job_rows, .lend = lend, .over = over};

/* A column takes as long as the columns that it is made of, too. */
static dv_status find_job_rows(dvi_mapper *m, dv_error *err)
{
    void *list;
    for (int32_t i = 0; i < m->columns; i++) {
        const dvi_mapped column = dvi_mapper_column(m, i);
        const int64_t rows = dvi_fewer_rows(
            column.maker->batch_rows, dvi_view_job_rows(m->base.source, column.sources, column.n));
        if (rows > 0 && !m->job_rows) {
            DVI_TRY(dvi_arena_alloc(&m->base.arena, &list, (size_t)m->columns * sizeof *m->job_rows,
                                    err));
            m->job_rows = list;
        }
        if (rows > 0)
            m->job_rows[i] = rows;
    }
    return DV_OK;
}

dv_status dvi_mapper_view(dv_view **view_out, const dv_view_class *cls, dvi_mapper *m,
                          dv_schema *schema, dv_status status, dv_error *err)
{
    m->base.traits = &mapper_traits;
    if (status == DV_OK)
        status = find_job_rows(m, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, cls, m, schema, err);
    dv_schema_free(&schema);
    dvi_derived_close(m);
    return status;
}
