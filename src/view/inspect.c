/* SPDX-License-Identifier: MIT */
/* inspect.c: collects the facts of a view. */
#include "view/inspect.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "view/view.h"

/* Facts, and the memory of everything that they point to. */
typedef struct facts {
    dv_facts shown;
    bool is_brief;
    dv_allocator allocator;
    dvi_arena arena;
    dv_column_facts *column;
    const char **warning;
    size_t warnings_cap;
    dv_file_facts *file;
    size_t files_cap;
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
                          .column = f->column,
                          .items = -1,
                          .io = "",
                          .file_system = "",
                          .source = {.disk_note = ""}};
    const dv_view_class *cls = dvi_view_class(view);
    return cls->inspect ? cls->inspect(dvi_view_self(view), &f->shown, err) : DV_OK;
}

void dvi_facts_set_map(dv_facts *shown, dvi_map *map)
{
    const dvi_map *stored = dvi_map_stored(map);
    shown->file_nbytes = dvi_map_nbytes(stored);
    if (dvi_map_is_file(stored))
        shown->io = dvi_map_is_copied(stored) ? "pread" : "mmap";
    if (dvi_map_is_source(stored))
        shown->io = "source";
    const dvi_piece_counts counts = dvi_map_counts(stored);
    shown->source = (dv_source_facts){counts.requests, counts.fetched_nbytes, counts.disk_nbytes,
                                      counts.kept_nbytes, counts.disk_note};
    shown->file_system = dvi_map_file_system(stored);
}

bool dvi_facts_are_brief(const dv_facts *shown)
{
    return ((const facts *)shown)->is_brief;
}

dv_status dvi_inspect(dv_facts **facts_out, dv_view *view, bool is_brief, dv_error *err)
{
    void *made;
    *facts_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(facts), err));
    facts *f = made;
    f->is_brief = is_brief;
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

dv_status dv_inspect(dv_facts **facts_out, dv_view *view, dv_error *err)
{
    return dvi_inspect(facts_out, view, false, err);
}

dv_status dv_inspect_briefly(dv_facts **facts_out, dv_view *view, dv_error *err)
{
    return dvi_inspect(facts_out, view, true, err);
}

void dv_facts_free(dv_facts **shown)
{
    facts *f = (facts *)*shown;
    *shown = NULL;
    if (!f)
        return;
    const dv_allocator allocator = f->allocator;
    dvi_free(&allocator, f->warning, f->warnings_cap * sizeof *f->warning);
    dvi_free(&allocator, f->file, f->files_cap * sizeof *f->file);
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
        return dvi_fail_argument(err, "column %d does not exist: the view has %d", column,
                                 shown->columns);
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

dv_status dv_facts_add_file(dv_facts *shown, const char *name, int64_t nbytes, dv_error *err)
{
    facts *f = (facts *)shown;
    const size_t n = (size_t)shown->files;
    void *list = f->file;
    const dv_status status =
        dvi_array_reserve(&f->allocator, &list, &f->files_cap, n + 1, sizeof *f->file, err);
    f->file = list;
    shown->file = f->file;
    DVI_TRY(status);
    f->file[n].nbytes = nbytes;
    DVI_TRY(copy_text(f, &f->file[n].name, name, err));
    shown->files++;
    return DV_OK;
}
