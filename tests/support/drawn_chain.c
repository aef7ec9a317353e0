/* SPDX-License-Identifier: MIT */
/* drawn_chain.c: makes transforms with parameters drawn from bytes. */
#include "support/drawn_chain.h"
#include "transform/tf_group.h"
#include "transform/tf_ungroup.h"
#include <dataview/bucket.h>
#include <dataview/cache.h>
#include <dataview/epoch.h>
#include <dataview/pack.h>
#include <dataview/sample.h>
#include <dataview/schema.h>
#include <dataview/transform.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LIST 4 /* parameters of a kind, at most */
#define COLUMNS_MOST 48
#define ROWS_MOST 4000 /* of a view that is concatenated with itself, if it knows its rows */
#define SLOTS_MOST 64  /* of a vector that becomes text */
#define SEVERAL_MOST 3 /* views that are put together, one upon the other */

uint32_t dvt_next_draw(dvt_draws *draws, uint32_t n)
{
    if (draws->left == 0 || n == 0)
        return 0;
    draws->left--;
    return *draws->at++ % n;
}

/* What a step knows. */
typedef struct step {
    dv_view *source;
    dvt_draws *draws;
    const dv_allocator *allocator;
    dv_error *err;
    int *several;     /* steps that may make more rows or columns, so far */
    bool *is_learned; /* rows become known by and by, in another thread: nothing may hang on that */
} step;

static int32_t draw_column(const step *s)
{
    return (int32_t)dvt_next_draw(s->draws,
                                  (uint32_t)dv_schema_columns(dv_view_schema(s->source)) & 255);
}

/* The name of a column; now and then of none. */
static dv_text draw_name(const step *s)
{
    const dv_column_info *info = dv_schema_column(dv_view_schema(s->source), draw_column(s));
    return info ? info->name : dv_text_of("none");
}

static dv_text draw_new_name(const step *s)
{
    static const char *const names[] = {NULL, "a", "b", "Features", "temp_a_000", ""};
    return dv_text_of(names[dvt_next_draw(s->draws, COUNT(names))]);
}

static int32_t draw_specs(const step *s, dv_column_spec specs[LIST])
{
    const int32_t n = (int32_t)dvt_next_draw(s->draws, LIST + 1);
    for (int32_t i = 0; i < n; i++) {
        specs[i].source = draw_name(s);
        specs[i].name = draw_new_name(s);
    }
    return n;
}

static int32_t draw_names(const step *s, dv_text names[LIST])
{
    const int32_t n = (int32_t)dvt_next_draw(s->draws, LIST + 1);
    for (int32_t i = 0; i < n; i++)
        names[i] = draw_name(s);
    return n;
}

static bool has_room(const step *s)
{
    return dv_schema_columns(dv_view_schema(s->source)) < COLUMNS_MOST;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status draw_select(dv_view **view_out, const step *s)
{
    dv_column_spec specs[LIST];
    const int32_t n = draw_specs(s, specs);
    const dv_hidden hidden = (dv_hidden)(1 + dvt_next_draw(s->draws, 3));
    return dv_view_select(view_out, s->source, specs, n, hidden, s->allocator, s->err);
}

static dv_status draw_keep(dv_view **view_out, const step *s)
{
    dv_text names[LIST];
    const int32_t n = draw_names(s, names);
    return dv_view_keep(view_out, s->source, names, n, s->allocator, s->err);
}

static dv_status draw_drop(dv_view **view_out, const step *s)
{
    dv_text names[LIST];
    const int32_t n = draw_names(s, names);
    return dv_view_drop(view_out, s->source, names, n, s->allocator, s->err);
}

static dv_status draw_copy(dv_view **view_out, const step *s)
{
    dv_column_spec specs[LIST];
    const int32_t n = draw_specs(s, specs);
    if (!has_room(s))
        return DV_ERR_ARGUMENT;
    return dv_view_copy(view_out, s->source, specs, n, s->allocator, s->err);
}

/* Columns with items of one type: that of the first, if the draws decide so. */
static dv_status draw_combine(dv_view **view_out, const step *s)
{
    const dv_schema *schema = dv_view_schema(s->source);
    dv_column_spec specs[LIST];
    const dv_text name = draw_new_name(s);
    const int32_t first = draw_column(s), columns = dv_schema_columns(schema);
    const int32_t n = 1 + (int32_t)dvt_next_draw(s->draws, LIST);
    for (int32_t i = 0; i < n; i++) {
        int32_t column = draw_column(s);
        for (int32_t tries = 0; tries < columns && tries < 32; tries++) {
            const dv_type a = dv_type_item(&dv_schema_column(schema, first)->type);
            const dv_type b = dv_type_item(&dv_schema_column(schema, column)->type);
            if (dv_type_equal(&a, &b))
                break;
            column = (column + 1) % columns;
        }
        const dv_column_info *info = dv_schema_column(schema, column);
        specs[i].source = info ? info->name : dv_text_of("none");
        specs[i].name = draw_new_name(s);
    }
    return dv_view_combine(view_out, s->source, name, specs, n, s->allocator, s->err);
}

static dv_status draw_generate(dv_view **view_out, const step *s)
{
    dv_generated specs[LIST];
    const int32_t n = (int32_t)dvt_next_draw(s->draws, LIST + 1);
    for (int32_t i = 0; i < n; i++) {
        specs[i].name = draw_new_name(s);
        specs[i].seed = dvt_next_draw(s->draws, 256);
        specs[i].counts = dvt_next_draw(s->draws, 2);
    }
    if (!has_room(s))
        return DV_ERR_ARGUMENT;
    return dv_view_generate(view_out, s->source, specs, n, s->allocator, s->err);
}

static dv_status draw_convert(dv_view **view_out, const step *s)
{
    dv_conversion_spec specs[LIST];
    const int32_t n = 1 + (int32_t)dvt_next_draw(s->draws, LIST);
    for (int32_t i = 0; i < n; i++) {
        const int32_t column = draw_column(s);
        const dv_column_info *info = dv_schema_column(dv_view_schema(s->source), column);
        const dv_kind kind = (dv_kind)(1 + dvt_next_draw(s->draws, 17));
        const bool is_key = dvt_next_draw(s->draws, 8) == 7;
        specs[i].source = info ? info->name : dv_text_of("none");
        specs[i].name = draw_new_name(s);
        specs[i].type = is_key ? dv_type_key(kind, 0, 9) : dv_type_of(kind);
        if (info && kind == DV_KIND_TX && info->type.rank > 0 &&
            (info->type.size == 0 || info->type.size > SLOTS_MOST))
            return DV_ERR_ARGUMENT;
    }
    if (!has_room(s))
        return DV_ERR_ARGUMENT;
    return dv_view_convert(view_out, s->source, specs, n, s->allocator, s->err);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status draw_slice(dv_view **view_out, const step *s)
{
    const int64_t skip = dvt_next_draw(s->draws, 9),
                  take = (int64_t)dvt_next_draw(s->draws, 256) - 1;
    return dv_view_slice(view_out, s->source, skip, take, s->allocator, s->err);
}

static dv_status draw_filter(dv_view **view_out, const step *s)
{
    static const char *const values[] = {"0", "1", "3.5", "-2", "a", "", "true", "2020-01-01", "9"};
    dv_condition conditions[LIST];
    const int32_t n = (int32_t)dvt_next_draw(s->draws, LIST);
    for (int32_t i = 0; i < n; i++) {
        conditions[i].column = draw_name(s);
        conditions[i].relations = dvt_next_draw(s->draws, 17);
        conditions[i].value = dv_text_of(values[dvt_next_draw(s->draws, COUNT(values))]);
    }
    return dv_view_filter(view_out, s->source, conditions, n, s->allocator, s->err);
}

static dv_status draw_filter_na(dv_view **view_out, const step *s)
{
    dv_text names[LIST];
    const int32_t n = draw_names(s, names);
    return dv_view_filter_na(view_out, s->source, names, n, dvt_next_draw(s->draws, 2),
                             s->allocator, s->err);
}

static dv_status draw_group(dv_view **view_out, const step *s)
{
    dv_text keys[LIST], columns[LIST];
    const int32_t keys_count = draw_names(s, keys), columns_count = draw_names(s, columns);
    return dvi_group_view(view_out, s->source, keys, keys_count, columns, columns_count,
                          s->allocator, s->err);
}

/* Of vectors of few slots, and those that a source may make long only once. */
static dv_status draw_ungroup(dv_view **view_out, const step *s)
{
    const dvi_ungroup_mode mode = (dvi_ungroup_mode)dvt_next_draw(s->draws, 3);
    const int32_t column = draw_column(s);
    const dv_column_info *info = dv_schema_column(dv_view_schema(s->source), column);
    if (!info || info->type.size == 0 || info->type.size > SLOTS_MOST ||
        ++*s->several > SEVERAL_MOST)
        return DV_ERR_ARGUMENT;
    return dvi_ungroup_view(view_out, s->source, &info->name, 1, mode, s->allocator, s->err);
}

static dv_status draw_filter_range(dv_view **view_out, const step *s)
{
    const uint32_t flags = dvt_next_draw(s->draws, 8);
    dv_range range = {.has_min = flags & 1, .has_max = flags & 2, .complement = flags & 4};
    range.min = (double)dvt_next_draw(s->draws, 64) / 8 - 2;
    range.max = range.min + (double)dvt_next_draw(s->draws, 64) / 8;
    range.include_min = (dv_inclusion)dvt_next_draw(s->draws, 3);
    range.include_max = (dv_inclusion)dvt_next_draw(s->draws, 3);
    return dv_view_filter_range(view_out, s->source, draw_name(s), &range, s->allocator, s->err);
}

static dv_status draw_bootstrap(dv_view **view_out, const step *s)
{
    const uint32_t seed = dvt_next_draw(s->draws, 256);
    return dv_view_bootstrap(view_out, s->source, seed, dvt_next_draw(s->draws, 2), s->allocator,
                             s->err);
}

static dv_status draw_take(dv_view **view_out, const step *s)
{
    const int64_t known = dv_view_rows(s->source);
    const uint32_t rows = known < 0 ? 6 : known > 250 ? 250 : (uint32_t)known;
    const int64_t n = known == 0 ? 0 : dvt_next_draw(s->draws, 20);
    int64_t list[20];
    if (*s->is_learned)
        return DV_ERR_ARGUMENT;
    for (int64_t i = 0; i < n; i++)
        list[i] = dvt_next_draw(s->draws, rows);
    return dv_view_take(view_out, s->source, list, n, s->allocator, s->err);
}

static dv_status draw_exclude(dv_view **view_out, const step *s)
{
    const int64_t known = dv_view_rows(s->source);
    const int64_t n = known > 0 ? dvt_next_draw(s->draws, 20) : 0;
    int64_t list[20];
    if (*s->is_learned || known < 0)
        return DV_ERR_ARGUMENT;
    for (int64_t i = 0; i < n; i++)
        list[i] = dvt_next_draw(s->draws, known > 250 ? 250 : (uint32_t)known);
    return dv_view_exclude(view_out, s->source, list, n, s->allocator, s->err);
}

static dv_status draw_sample(dv_view **view_out, const step *s)
{
    dv_sample_options options = DV_SAMPLE_OPTIONS_INIT;
    const uint32_t kind = dvt_next_draw(s->draws, 6);
    if (*s->is_learned || dv_view_rows(s->source) < 0 || dv_view_rows(s->source) > ROWS_MOST)
        return DV_ERR_ARGUMENT;
    options.replace = kind % 2;
    options.in_order = kind == 0;
    options.weight_column = kind / 2 == 1 ? draw_column(s) : -1;
    options.class_column = kind / 2 == 2 ? draw_column(s) : -1;
    options.rows = (int64_t)dvt_next_draw(s->draws, 30) - 1;
    options.seed = dvt_next_draw(s->draws, 256);
    return dv_view_sample(view_out, s->source, &options, s->allocator, s->err);
}

/* Is it one whose rows are known from the beginning, and not too many of them? */
static bool has_known_rows(const step *s)
{
    const int64_t rows = dv_view_rows(s->source);
    return !*s->is_learned && rows >= 0 && rows <= ROWS_MOST;
}

static dv_status draw_bucket(dv_view **view_out, const step *s)
{
    dv_bucket_options options = DV_BUCKET_OPTIONS_INIT;
    if (!has_known_rows(s))
        return DV_ERR_ARGUMENT;
    options.batch_rows = dvt_next_draw(s->draws, 30) + 1;
    options.pool_rows = dvt_next_draw(s->draws, 200);
    options.shuffle = (dv_shuffle)dvt_next_draw(s->draws, 4);
    options.seed = dvt_next_draw(s->draws, 256);
    return dv_view_bucket(view_out, s->source, draw_column(s), &options, s->allocator, s->err);
}

static dv_status draw_pack(dv_view **view_out, const step *s)
{
    dv_pack_options options = DV_PACK_OPTIONS_INIT;
    int32_t columns[LIST];
    if (!has_known_rows(s))
        return DV_ERR_ARGUMENT;
    options.columns = columns;
    options.columns_count = (int32_t)dvt_next_draw(s->draws, 2) + 1;
    for (int32_t i = 0; i < options.columns_count; i++)
        columns[i] = draw_column(s);
    options.tokens = dvt_next_draw(s->draws, 100) + 1;
    options.how = (dv_pack_how)dvt_next_draw(s->draws, 2);
    options.too_long = (dv_pack_long)(options.how ? 0 : dvt_next_draw(s->draws, 4));
    options.drop_last = options.how && dvt_next_draw(s->draws, 2);
    options.window = dvt_next_draw(s->draws, 5) + 1;
    options.shuffle = dvt_next_draw(s->draws, 2);
    return dv_view_pack(view_out, s->source, &options, s->allocator, s->err);
}

static dv_status draw_materialize(dv_view **view_out, const step *s)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int32_t columns[LIST];
    options.skip = dvt_next_draw(s->draws, 4);
    options.take = (int64_t)dvt_next_draw(s->draws, 256) - 1;
    options.threads = (int32_t)dvt_next_draw(s->draws, 2) + 1;
    options.columns_count = (int32_t)dvt_next_draw(s->draws, LIST + 1) - 1;
    for (int32_t i = 0; i < options.columns_count; i++)
        columns[i] = draw_column(s);
    if (options.columns_count >= 0)
        options.columns = columns;
    return dv_view_materialize(
        view_out, s->source,
        &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
        s->allocator, s->err);
}

static dv_status draw_cache(dv_view **view_out, const step *s)
{
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    /* Without prefetch: with prefetch, an error in a column that is read ahead together with those
     * of a cursor may or may not be reported to the cursor. */
    options.threads = 1 + (int32_t)dvt_next_draw(s->draws, 2);
    *s->is_learned = *s->is_learned || dv_view_rows(s->source) < 0;
    return dv_view_cache(view_out, s->source, &options, s->allocator, s->err);
}

static dv_status draw_epoch(dv_view **view_out, const step *s)
{
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    options.shuffle = (dv_shuffle)dvt_next_draw(s->draws, 4);
    options.seed = dvt_next_draw(s->draws, 256);
    options.epoch = dvt_next_draw(s->draws, 3);
    options.block_rows = dvt_next_draw(s->draws, 9);
    options.pool_rows = dvt_next_draw(s->draws, 30);
    options.shards = 1 + (int32_t)dvt_next_draw(s->draws, 3);
    options.shard = (int32_t)dvt_next_draw(s->draws, (uint32_t)options.shards);
    options.shard_by = (dv_shard_by)dvt_next_draw(s->draws, 3);
    options.shard_size = (dv_shard_size)dvt_next_draw(s->draws, 3);
    options.start = dvt_next_draw(s->draws, 2) ? 6 * options.shards * options.block_rows : 0;
    return dv_view_epoch(view_out, s->source, &options, s->allocator, s->err);
}

/* --- Several views: the source, and a run of it ----------------------------------------------- */

typedef dv_status combine(dv_view **view_out, dv_view *const *views, int32_t n,
                          const dv_allocator *allocator, dv_error *err);

static dv_status draw_several(dv_view **view_out, const step *s, combine *call)
{
    if (++*s->several > SEVERAL_MOST)
        return DV_ERR_ARGUMENT;
    const int64_t skip = dvt_next_draw(s->draws, 4), take = (int64_t)dvt_next_draw(s->draws, 9) - 1;
    const int32_t n = 1 + (int32_t)dvt_next_draw(s->draws, 3),
                  place = (int32_t)dvt_next_draw(s->draws, 3);
    dv_view *views[3] = {s->source, s->source, s->source}, *part = NULL;
    dv_status status = dv_view_slice(&part, s->source, skip, take, s->allocator, s->err);
    views[place % n] = part;
    if (status == DV_OK)
        status = call(view_out, views, n, s->allocator, s->err);
    dv_view_release(&part);
    return status;
}

static dv_status draw_zip(dv_view **view_out, const step *s)
{
    return has_room(s) ? draw_several(view_out, s, dv_view_zip) : DV_ERR_ARGUMENT;
}

static dv_status draw_concat(dv_view **view_out, const step *s)
{
    if (!*s->is_learned && dv_view_rows(s->source) > ROWS_MOST)
        return DV_ERR_ARGUMENT;
    return draw_several(view_out, s, dv_view_concat);
}

/* --- Steps ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    dv_status (*draw)(dv_view **view_out, const step *s);
} steps[] = {
    {"slice", draw_slice},
    {"select", draw_select},
    {"keep", draw_keep},
    {"drop", draw_drop},
    {"copy", draw_copy},
    {"combine", draw_combine},
    {"generate", draw_generate},
    {"convert", draw_convert},
    {"filter", draw_filter},
    {"filter_na", draw_filter_na},
    {"range", draw_filter_range},
    {"bootstrap", draw_bootstrap},
    {"take", draw_take},
    {"materialize", draw_materialize},
    {"zip", draw_zip},
    {"concat", draw_concat},
    {"cache", draw_cache},
    {"epoch", draw_epoch},
    {"group", draw_group},
    {"ungroup", draw_ungroup},
    {"exclude", draw_exclude},
    {"sample", draw_sample},
    {"bucket", draw_bucket},
    {"pack", draw_pack},
};

dv_status dvt_drawn_chain(dv_view **view_out, dv_view *source, dvt_draws *draws,
                          const dv_allocator *allocator, dvt_lines *log, dv_error *err)
{
    const uint32_t n = dvt_next_draw(draws, DVT_DRAWN_STEPS + 1);
    dv_view *view = source;
    int several = 0;
    bool is_learned = false;
    *view_out = NULL;
    dv_view_retain(view);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t number = dvt_next_draw(draws, COUNT(steps));
        dv_view *made = NULL;
        const dv_status status =
            steps[number].draw(&made, &(step){view, draws, allocator, err, &several, &is_learned});
        if (status == DV_ERR_MEMORY) {
            dv_view_release(&view);
            return status;
        }
        if (log)
            dvt_lines_print(log, "%s%s", steps[number].name, made ? " " : "! ");
        if (!made)
            continue;
        dv_view_release(&view);
        view = made;
    }
    *view_out = view;
    return DV_OK;
}
