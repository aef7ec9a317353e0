/* SPDX-License-Identifier: MIT */
/* pack_view.c: rows that are packs of documents (pack.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "order/pack_cursor.h"
#include "order/permutation.h"
#include "order/row_lengths.h"
#include <stdio.h>

#define WINDOW_MOST 65536

static const char *const made_names[] = {"cu_seqlens", "position_ids", "rows"};

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const dvi_pack *)self)->plan.packs;
}

static dv_status warn(dv_facts *facts, int64_t n, const char *what, int32_t tokens, dv_error *err)
{
    char sentence[160];
    if (n == 0)
        return DV_OK;
    snprintf(sentence, sizeof sentence, "%lld %s %s", (long long)n,
             n == 1 ? "document" : "documents", what);
    if (tokens > 0)
        snprintf(sentence, sizeof sentence, "%lld %s of more than %d items %s", (long long)n,
                 n == 1 ? "document" : "documents", (int)tokens, what);
    return dv_facts_warn(facts, sentence, err);
}

static dv_status inspect(void *self, dv_facts *facts, dv_error *err)
{
    const dvi_pack_plan *p = &((const dvi_pack *)self)->plan;
    char sentence[160];
    DVI_TRY(warn(facts, p->empty, "without items: in no pack", 0, err));
    DVI_TRY(warn(facts, p->dropped, "left out", p->tokens, err));
    DVI_TRY(warn(facts, p->cut, "cut", p->tokens, err));
    DVI_TRY(warn(facts, p->split, "split", p->tokens, err));
    if (p->rest == 0)
        return DV_OK;
    snprintf(sentence, sizeof sentence, "%lld item%s of the last pack, which is not full, left out",
             (long long)p->rest, DVI_S(p->rest));
    return dv_facts_warn(facts, sentence, err);
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_pack *view = self;
    const dvi_pack_plan *p = &view->plan;
    const int64_t numbers[] = {p->tokens,        p->how,       p->too_long,
                               p->drop_last,     p->window,    p->shuffle,
                               (int64_t)p->seed, p->documents, view->columns_count};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dvi_identity_add_i8(identity, numbers[i]);
    for (int32_t i = 0; i < view->columns_count; i++)
        dvi_identity_add_i8(identity, view->columns[i]);
    return dv_identity_add_view(identity, view->base.source, err);
}

static void close_view(void *self)
{
    dvi_pack_plan_free(&((dvi_pack *)self)->plan);
    dvi_derived_close(self);
}

static const dv_view_class pack_class = {.size = sizeof pack_class,
                                         .kind = "pack",
                                         .rows = count_rows,
                                         .can_shuffle = dvi_never_shuffles,
                                         .close = close_view,
                                         .open_cursor = dvi_pack_cursor_open,
                                         .next = dvi_pack_cursor_next,
                                         .close_cursor = dvi_pack_cursor_close,
                                         .check = dvi_nothing_to_check,
                                         .inspect = inspect,
                                         .seek = dvi_pack_cursor_seek,
                                         .block_rows = dvi_single_rows,
                                         .identify = identify};

/* --- Traits ----------------------------------------------------------------------------------- */

static dv_view *source_of(void *self)
{
    return ((const dvi_pack *)self)->base.source;
}

/* Threads share documents that are costly to make. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    const dvi_pack *view = self;
    (void)request;
    return dvi_view_makes_single_rows(source_of(self), view->columns, view->columns_count)
               ? DVI_WORK_SET
               : DVI_WORK_NONE;
}

static int64_t job_rows(void *self, int32_t column)
{
    const dvi_pack *view = self;
    return column < view->columns_count
               ? dvi_view_job_rows(source_of(self), &view->columns[column], 1)
               : 0;
}

static bool decodes_blocks(void *self)
{
    return dvi_view_decodes_blocks(source_of(self));
}

static const char *proposal(void *self)
{
    return dv_view_proposal(source_of(self));
}

static dv_status bad_fields(void *self, dv_bad_fields_report *report, void *ctx, dv_error *err)
{
    return dv_view_bad_fields(source_of(self), report, ctx, err);
}

static const dvi_view_traits pack_traits = {.work = work,
                                            .job_rows = job_rows,
                                            .decodes_blocks = decodes_blocks,
                                            .proposal = proposal,
                                            .bad_fields = bad_fields};

/* --- Options ---------------------------------------------------------------------------------- */

static dv_status check_range(const char *name, int64_t value, int64_t most, dv_error *err)
{
    DVI_TRY(dvi_options_least(name, value, 1, err));
    DVI_REQUIRE(value <= most, dvi_fail_argument(err, "%s is %lld: at most %lld", name,
                                                 (long long)value, (long long)most));
    return DV_OK;
}

static dv_status check_options(const dv_pack_options *o, dv_error *err)
{
    DVI_REQUIRE(o->columns, dvi_fail_argument(err, "columns is NULL: name the columns to pack"));
    DVI_TRY(check_range("columns_count", o->columns_count, DV_PACK_COLUMNS_MOST, err));
    DVI_TRY(check_range("tokens", o->tokens, INT32_MAX, err));
    DVI_TRY(check_range("window", o->window, WINDOW_MOST, err));
    DVI_TRY(dvi_options_least("threads", o->threads, 0, err));
    DVI_REQUIRE(
        o->how == DV_PACK_WHOLE || o->how == DV_PACK_STREAM,
        dvi_fail_argument(err, "how is %d: expected DV_PACK_WHOLE or DV_PACK_STREAM", (int)o->how));
    DVI_REQUIRE(
        o->too_long >= DV_PACK_LONG_REFUSE && o->too_long <= DV_PACK_LONG_SPLIT,
        dvi_fail_argument(err, "too_long is %d: expected a dv_pack_long", (int)o->too_long));
    DVI_REQUIRE(o->how == DV_PACK_WHOLE || o->too_long == DV_PACK_LONG_REFUSE,
                dvi_fail_argument(err, "too_long with a stream, in which no document is too long: "
                                       "leave it out"));
    DVI_REQUIRE(o->how == DV_PACK_STREAM || !o->drop_last,
                dvi_fail_argument(err, "drop_last with whole documents, whose packs are not full: "
                                       "leave it out, or stream them"));
    return DV_OK;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status refuse_type(const dv_column_info *info, dv_error *err)
{
    char found[96];
    dv_type_print(&info->type, found, sizeof found);
    return dvi_fail_argument(err,
                             "column \"%s\" of type %s: expected vectors of one dimension, of "
                             "numbers or keys",
                             dvi_show(info->name).text, found);
}

static dv_status check_name(dv_text name, dv_error *err)
{
    for (int32_t i = 0; i < DVI_PACK_MADE; i++)
        DVI_REQUIRE(!dv_text_equal(name, dv_text_of(made_names[i])),
                    dvi_fail_argument(err,
                                      "column \"%s\" has the name of one that a pack gets: give it "
                                      "a different name (dv_view_select)",
                                      made_names[i]));
    return DV_OK;
}

static dv_status check_column(const dvi_pack *view, int32_t column, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view->base.source);
    const dv_column_info *info = dv_schema_column(schema, column);
    DVI_REQUIRE(info, dvi_fail_argument(err, "column %d: the view has %d column%s", (int)column,
                                        (int)dv_schema_columns(schema),
                                        DVI_S(dv_schema_columns(schema))));
    for (int32_t i = 0; i < view->columns_count; i++)
        DVI_REQUIRE(
            view->columns[i] != column,
            dvi_fail_argument(err, "column \"%s\" is packed twice", dvi_show(info->name).text));
    const dv_type item = dv_type_item(&info->type);
    DVI_REQUIRE(info->type.rank == 1 && dvi_layout_of(&item) == DV_LAYOUT_FIXED,
                refuse_type(info, err));
    return check_name(info->name, err);
}

static dv_status add_packed(dv_schema *schema, const dv_schema *source, int32_t from, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(source, from);
    const dv_type type = dv_type_vector(dv_type_item(&info->type), 0);
    int32_t column;
    DVI_TRY(dv_schema_add(schema, info->name, &type, &column, err));
    DVI_TRY(dvi_schema_mark(schema, column, dvi_schema_marks(source, from), err));
    for (int32_t i = 0; i < info->metadata_count; i++)
        if (dvi_is_of_items(dv_schema_metadata(source, from, i)->kind))
            DVI_TRY(dvi_inherit_metadata(schema, column, source, from, i, err));
    return DV_OK;
}

static dv_status add_columns(dvi_pack *view, dv_schema **schema_out, dv_error *err)
{
    const dv_schema *source = dv_view_schema(view->base.source);
    const int32_t n = view->columns_count + DVI_PACK_MADE;
    void *origin;
    DVI_TRY(dvi_arena_alloc(&view->base.arena, &origin, (size_t)n * sizeof(int32_t), err));
    for (int32_t i = 0; i < n; i++)
        ((int32_t *)origin)[i] = -1;
    view->base.origin = origin;
    DVI_TRY(dv_schema_create(schema_out, &view->base.arena.allocator, err));
    for (int32_t i = 0; i < view->columns_count; i++)
        DVI_TRY(add_packed(*schema_out, source, view->columns[i], err));
    for (int32_t i = 0; i < DVI_PACK_MADE; i++) {
        const dv_kind kind = i == DVI_PACK_ROWS ? DV_KIND_I8 : DV_KIND_I4;
        const dv_type type = dv_type_vector(dv_type_of(kind), 0);
        DVI_TRY(dv_schema_add(*schema_out, dv_text_of(made_names[i]), &type, NULL, err));
    }
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_source(const dv_view *source, dv_error *err)
{
    const int64_t rows = dv_view_rows(source);
    DVI_REQUIRE(dv_view_block_rows(source) > 0 && rows >= 0,
                dvi_fail_argument(err, "packs of rows that are reached only in sequence: "
                                       "materialize the view (dv_view_materialize), or cache it"));
    DVI_REQUIRE(rows <= DVI_PERMUTATION_MOST,
                dvi_fail(err, DV_ERR_LIMIT, "rows", -1, "documents", "%lld at most|%lld",
                         (long long)DVI_PERMUTATION_MOST, (long long)rows));
    return DV_OK;
}

/* The lengths are not zeroed: a file may claim rows. */
static dv_status make_plan(dvi_pack *view, const dv_pack_options *o, dv_error *err)
{
    const dv_allocator *allocator = &view->base.arena.allocator;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    void *lengths;
    size_t nbytes;
    cursor.threads = o->threads;
    cursor.progress = o->progress;
    if (!dvi_size_mul((size_t)view->plan.documents, sizeof(uint32_t), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(allocator, &lengths, nbytes, err));
    dv_status status = dvi_row_lengths_read(lengths, view->plan.documents, view->base.source,
                                            view->columns[0], &cursor, true, err);
    if (status == DV_OK)
        status = dvi_pack_plan_make(&view->plan, lengths, err);
    dvi_free(allocator, lengths, nbytes);
    return status;
}

static dv_status set_up(dvi_pack *view, const dv_pack_options *given, dv_schema **schema_out,
                        dv_error *err)
{
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(&o, sizeof o, given, "DV_PACK_OPTIONS_INIT", err));
    DVI_TRY(check_options(&o, err));
    DVI_TRY(check_source(view->base.source, err));
    for (int32_t i = 0; i < o.columns_count; i++) {
        DVI_TRY(check_column(view, o.columns[i], err));
        view->columns[view->columns_count++] = o.columns[i];
    }
    view->plan = (dvi_pack_plan){.allocator = view->base.arena.allocator,
                                 .documents = dv_view_rows(view->base.source),
                                 .tokens = (int32_t)o.tokens,
                                 .how = o.how,
                                 .too_long = o.too_long,
                                 .drop_last = o.drop_last,
                                 .window = o.how == DV_PACK_WHOLE ? o.window : 0,
                                 .shuffle = o.shuffle,
                                 .seed = o.shuffle ? o.seed : 0};
    DVI_TRY(add_columns(view, schema_out, err));
    return make_plan(view, &o, err);
}

dv_status dv_view_pack(dv_view **view_out, dv_view *source, const dv_pack_options *options,
                       const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_pack), source, allocator, err));
    dvi_pack *view = made;
    view->plan.allocator = view->base.arena.allocator;
    view->base.traits = &pack_traits;
    const dv_status status = set_up(view, options, &schema, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &pack_class, view, schema, err);
    dv_schema_free(&schema);
    close_view(view);
    return status;
}
