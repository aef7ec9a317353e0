/* SPDX-License-Identifier: MIT */
/* inspect.c: facts of a file, gathered from its view, and the verification of any view. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "view/view.h"
#include <dataview/cursor.h>
#include <dataview/inspect.h>
#include <string.h>

/* Facts with the memory of all that they point to. */
typedef struct facts {
    dv_facts shown;
    dv_allocator allocator;
    dvi_arena arena;
    dv_column_facts *column;
    const char **warning;
    size_t warnings_cap;
} facts;

static dv_status start_facts(facts *f, dv_view *view, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view);
    const int32_t n = dv_schema_columns(schema);
    void *column;
    DVI_TRY(dvi_arena_alloc(&f->arena, &column, (size_t)n * sizeof *f->column, err));
    f->column = column;
    for (int32_t i = 0; i < n; i++)
        f->column[i] = (dv_column_facts){-1, -1, -1, -1, -1, ""};
    f->shown = (dv_facts){.format = dv_view_kind(view),
                          .version = "",
                          .file_nbytes = -1,
                          .rows = dv_view_rows(view),
                          .rows_per_block = -1,
                          .blocks_per_column = -1,
                          .columns = n,
                          .column = f->column};
    const dv_view_class *cls = dvi_view_class(view);
    return cls->inspect ? cls->inspect(dvi_view_self(view), &f->shown, err) : DV_OK;
}

dv_status dv_inspect(dv_facts **facts_out, dv_view *view, dv_error *err)
{
    void *made;
    *facts_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(facts), err));
    facts *f = made;
    f->allocator = *dvi_view_allocator(view);
    dvi_arena_init(&f->arena, &f->allocator);
    dv_facts *shown = &f->shown;
    const dv_status status = start_facts(f, view, err);
    if (status < 0) {
        dv_facts_free(&shown);
        return status;
    }
    *facts_out = shown;
    return DV_OK;
}

void dv_facts_free(dv_facts **shown)
{
    facts *f = (facts *)*shown;
    *shown = NULL;
    if (!f)
        return;
    const dv_allocator allocator = f->allocator;
    dvi_free(&allocator, f->warning, f->warnings_cap * sizeof *f->warning);
    dvi_arena_free(&f->arena);
    dvi_free(&allocator, f, sizeof *f);
}

static dv_status copy_text(facts *f, const char **copy_out, const char *text, dv_error *err)
{
    dv_text copy;
    DVI_TRY(dvi_arena_text(&f->arena, &copy, dv_text_of(text), err));
    *copy_out = copy.data;
    return DV_OK;
}

dv_status dv_facts_set_version(dv_facts *shown, const char *version, dv_error *err)
{
    return copy_text((facts *)shown, &shown->version, version, err);
}

dv_status dv_facts_set_column(dv_facts *shown, int32_t column, const dv_column_facts *column_facts,
                              dv_error *err)
{
    if (column < 0 || column >= shown->columns)
        return dvi_fail_argument(err, "column %d of %d: there is none", column, shown->columns);
    ((facts *)shown)->column[column] = *column_facts;
    return DV_OK;
}

dv_status dv_facts_warn(dv_facts *shown, const char *sentence, dv_error *err)
{
    facts *f = (facts *)shown;
    const size_t n = (size_t)shown->warnings;
    void *list = f->warning;
    const dv_status status =
        dvi_array_reserve(&f->allocator, &list, &f->warnings_cap, n + 1, sizeof *f->warning, err);
    f->warning = list;
    shown->warning = f->warning;
    DVI_TRY(status);
    DVI_TRY(copy_text(f, &f->warning[n], sentence, err));
    shown->warnings++;
    return DV_OK;
}

/* --- Verification of a view that has no way of its own: read all of it. ------------------------
 */

/* Bad bytes are what verification looks for; the rest stops it. */
static bool is_defect(dv_status status)
{
    return status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT;
}

static dv_status read_all(dv_view *view, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    DVI_TRY(dv_cursor_open(&cursor, view, NULL, err));
    dv_status status;
    do
        status = dv_cursor_next(cursor, &batch, err);
    while (status == DV_OK);
    dv_cursor_close(&cursor);
    return status < 0 ? status : DV_OK;
}

dv_status dv_verify(dv_view *view, const dv_verify_options *given, dv_error *err)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    if (!given || given->size == 0 || given->size > sizeof options)
        return dvi_fail_argument(err, "verify options: start from DV_VERIFY_OPTIONS_INIT");
    memcpy(&options, given, given->size);
    if (!options.defect)
        return dvi_fail_argument(err, "verify options: `defect` is needed");

    const dv_view_class *cls = dvi_view_class(view);
    if (cls->verify)
        return cls->verify(dvi_view_self(view), &options, err);
    dv_error found = DV_ERROR_INIT;
    const dv_status status = read_all(view, &found);
    if (!is_defect(status)) {
        if (err && status < 0)
            *err = found;
        return status;
    }
    return options.defect(options.ctx, &found) ? DV_OK : DV_END;
}
