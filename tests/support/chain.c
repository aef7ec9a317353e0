/* SPDX-License-Identifier: MIT */
/* chain.c: makes views of views from JSON. */
#include "support/chain.h"
#include "order/bootstrap.h"
#include "order/epoch_view.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "transform/tf_group.h"
#include "transform/tf_optional.h"
#include "transform/tf_rowid.h"
#include "transform/tf_ungroup.h"
#include <dataview/expression.h>
#include <dataview/transform.h>
#include <dataview/value.h>
#include <string.h>

/* One step that is taken. */
typedef struct step {
    dv_view *source;
    const dvt_json *params;
    const dv_allocator *allocator;
    dv_error *err;
} step;

#define LIST_MAX 64

static bool is_true(const dvt_json *params, const char *key)
{
    const dvt_json *value = dvt_json_member(params, key);
    return value && value->kind == DVT_JSON_TRUE;
}

static int64_t int_of(const dvt_json *params, const char *key, int64_t otherwise)
{
    const dvt_json *value = dvt_json_member(params, key);
    return value && value->kind == DVT_JSON_NUMBER ? dvt_json_int(value) : otherwise;
}

static dv_text text_of(const dvt_json *params, const char *key)
{
    const dvt_json *value = dvt_json_member(params, key);
    return value && value->kind == DVT_JSON_STRING ? value->text : dv_text_of(NULL);
}

/* The texts of an array, or of members of its objects. */
static int32_t texts_of(dv_text texts[LIST_MAX], const dvt_json *params, const char *key)
{
    const dvt_json *array = dvt_json_member(params, key);
    DVT_MUST(array && array->count <= LIST_MAX);
    for (int64_t i = 0; i < array->count; i++)
        texts[i] = dvt_json_item(array, i)->text;
    return (int32_t)array->count;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static int32_t specs_of(dv_column_spec specs[LIST_MAX], const dvt_json *params)
{
    const dvt_json *columns = dvt_json_member(params, "columns");
    DVT_MUST(columns && columns->count <= LIST_MAX);
    for (int64_t i = 0; i < columns->count; i++) {
        const dvt_json *column = dvt_json_item(columns, i);
        specs[i] = (dv_column_spec){text_of(column, "source"), text_of(column, "name")};
    }
    return (int32_t)columns->count;
}

static dv_status apply_copy(dv_view **view_out, const step *s)
{
    dv_column_spec specs[LIST_MAX];
    const int32_t n = specs_of(specs, s->params);
    return dv_view_copy(view_out, s->source, specs, n, s->allocator, s->err);
}

static dv_status apply_choose(dv_view **view_out, const step *s)
{
    dv_column_spec specs[LIST_MAX];
    const int32_t n = specs_of(specs, s->params);
    const dv_hidden hidden = (dv_hidden)int_of(s->params, "hidden", DV_HIDDEN_DROP);
    return dv_view_select(view_out, s->source, specs, n, hidden, s->allocator, s->err);
}

static dv_status apply_keep(dv_view **view_out, const step *s)
{
    dv_text names[LIST_MAX];
    const int32_t n = texts_of(names, s->params, "names");
    return dv_view_keep(view_out, s->source, names, n, s->allocator, s->err);
}

/* ML.NET's has both; a name that is missing may be left out by the caller. */
static dv_status apply_select(dv_view **view_out, const step *s)
{
    dv_text names[LIST_MAX];
    dv_column_spec specs[LIST_MAX];
    int32_t n = 0, column;
    if (dvt_json_member(s->params, "dropColumns")) {
        n = texts_of(names, s->params, "dropColumns");
        return dv_view_drop(view_out, s->source, names, n, s->allocator, s->err);
    }
    const int32_t all = texts_of(names, s->params, "keepColumns");
    const dv_schema *schema = dv_view_schema(s->source);
    for (int32_t i = 0; i < all; i++)
        if (!is_true(s->params, "ignoreMissing") ||
            dv_schema_find(schema, names[i], &column) == DV_OK)
            specs[n++] = (dv_column_spec){names[i], dv_text_of(NULL)};
    const dv_hidden hidden = is_true(s->params, "keepHidden") ? DV_HIDDEN_KEEP : DV_HIDDEN_DROP;
    return dv_view_select(view_out, s->source, specs, n, hidden, s->allocator, s->err);
}

static dv_status apply_concat(dv_view **view_out, const step *s)
{
    dv_column_spec specs[LIST_MAX];
    const dvt_json *sources = dvt_json_member(s->params, "sources");
    DVT_MUST(sources && sources->count <= LIST_MAX);
    for (int64_t i = 0; i < sources->count; i++) {
        const dvt_json *one = dvt_json_item(sources, i);
        const bool is_name = one->kind == DVT_JSON_STRING;
        specs[i] = (dv_column_spec){is_name ? one->text : text_of(one, "source"),
                                    is_name ? dv_text_of(NULL) : text_of(one, "alias")};
    }
    return dv_view_combine(view_out, s->source, text_of(s->params, "name"), specs,
                           (int32_t)sources->count, s->allocator, s->err);
}

/* The seed and counter of a column take precedence over those of all. */
static dv_status apply_convert(dv_view **view_out, const step *s)
{
    dv_conversion_spec specs[LIST_MAX];
    const dvt_json *columns = dvt_json_member(s->params, "columns");
    DVT_MUST(columns && columns->count <= LIST_MAX);
    for (int64_t i = 0; i < columns->count; i++) {
        const dvt_json *one = dvt_json_item(columns, i);
        specs[i] =
            (dv_conversion_spec){.source = text_of(one, "source"), .name = text_of(one, "name")};
        DVT_MUST(dv_type_parse(&specs[i].type, text_of(one, "type"), NULL, 0, NULL) == DV_OK);
    }
    return dv_view_convert(view_out, s->source, specs, (int32_t)columns->count, s->allocator,
                           s->err);
}

static dv_status apply_generate(dv_view **view_out, const step *s)
{
    dv_generated specs[LIST_MAX];
    const dvt_json *columns = dvt_json_member(s->params, "columns");
    DVT_MUST(columns && columns->count <= LIST_MAX);
    const int64_t seed = int_of(s->params, "seed", DV_GENERATED_SEED);
    for (int64_t i = 0; i < columns->count; i++) {
        const dvt_json *one = dvt_json_item(columns, i);
        const dvt_json *own = dvt_json_member(one, "useCounter");
        specs[i] = (dv_generated){text_of(one, "name"), (uint32_t)int_of(one, "seed", seed),
                                  is_true(own ? one : s->params, "useCounter")};
    }
    return dv_view_generate(view_out, s->source, specs, (int32_t)columns->count, s->allocator,
                            s->err);
}

static dv_status apply_rowid(dv_view **view_out, const step *s)
{
    const dv_text name = text_of(dvt_json_member(s->params, "column"), "name");
    return dvi_rowid_view(view_out, s->source, name, s->allocator, s->err);
}

/* Columns with the metadata of the column "metadataOf" of the source, or without. */
static dv_status apply_optional(dv_view **view_out, const step *s)
{
    const dvt_json *columns = dvt_json_member(s->params, "columns");
    dv_status status = DV_OK;
    int32_t dims[8];
    *view_out = s->source;
    dv_view_retain(s->source);
    for (int64_t i = 0; i < columns->count && status == DV_OK; i++) {
        const dvt_json *one = dvt_json_item(columns, i);
        dv_view *source = *view_out;
        int32_t of;
        dv_type type;
        DVT_MUST(dv_type_parse(&type, text_of(one, "type"), dims, 8, NULL) == DV_OK);
        dv_schema_find(dv_view_schema(s->source), text_of(one, "metadataOf"), &of);
        status = dvi_optional_view(view_out, source, text_of(one, "name"), &type, s->source, of,
                                   s->allocator, s->err);
        dv_view_release(&source);
    }
    return status;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status apply_take(dv_view **view_out, const step *s)
{
    const int64_t skip = int_of(s->params, "skip", 0), take = int_of(s->params, "take", -1);
    return dv_view_slice(view_out, s->source, skip, take, s->allocator, s->err);
}

static dv_status apply_group(dv_view **view_out, const step *s)
{
    dv_text keys[LIST_MAX], columns[LIST_MAX];
    const int32_t keys_count = texts_of(keys, s->params, "groupKeys");
    const int32_t columns_count = texts_of(columns, s->params, "columns");
    return dvi_group_view(view_out, s->source, keys, keys_count, columns, columns_count,
                          s->allocator, s->err);
}

static dv_status apply_ungroup(dv_view **view_out, const step *s)
{
    dv_text pivots[LIST_MAX];
    const int32_t n = texts_of(pivots, s->params, "pivotColumns");
    const dv_text mode = text_of(s->params, "mode");
    return dvi_ungroup_view(view_out, s->source, pivots, n,
                            dv_text_equal(mode, dv_text_of("Inner"))   ? DVI_UNGROUP_INNER
                            : dv_text_equal(mode, dv_text_of("Outer")) ? DVI_UNGROUP_OUTER
                                                                       : DVI_UNGROUP_FIRST,
                            s->allocator, s->err);
}

static dv_status apply_filter_na(dv_view **view_out, const step *s)
{
    dv_text names[LIST_MAX];
    const int32_t n = texts_of(names, s->params, "columns");
    return dv_view_filter_na(view_out, s->source, names, n, is_true(s->params, "complement"),
                             s->allocator, s->err);
}

static bool real_of(const dvt_json *params, const char *key, double *real_out)
{
    const dvt_json *value = dvt_json_member(params, key);
    char text[64];
    if (!value || value->kind != DVT_JSON_NUMBER)
        return false;
    DVT_MUST(value->source.nbytes < (int64_t)sizeof text);
    memcpy(text, value->source.data, (size_t)value->source.nbytes);
    text[value->source.nbytes] = 0;
    dv_scalar read = {.r8 = 0};
    const dv_type type = dv_type_of(DV_KIND_R8);
    DVT_MUST(dv_value_parse(&read, &type, dv_text_of(text)));
    *real_out = read.r8;
    return true;
}

static dv_inclusion inclusion_of(const dvt_json *params, const char *key)
{
    const dvt_json *value = dvt_json_member(params, key);
    if (!value || value->kind == DVT_JSON_NULL)
        return DV_INCLUDED_BY_DEFAULT;
    return value->kind == DVT_JSON_TRUE ? DV_INCLUDED : DV_EXCLUDED;
}

static dv_status apply_filter_range(dv_view **view_out, const step *s)
{
    dv_range range = {.complement = is_true(s->params, "complement")};
    range.has_min = real_of(s->params, "min", &range.min);
    range.has_max = real_of(s->params, "max", &range.max);
    range.include_min = inclusion_of(s->params, "includeMin");
    range.include_max = inclusion_of(s->params, "includeMax");
    return dv_view_filter_range(view_out, s->source, text_of(s->params, "column"), &range,
                                s->allocator, s->err);
}

static dv_status apply_filter(dv_view **view_out, const step *s)
{
    dv_condition conditions[LIST_MAX];
    const dvt_json *list = dvt_json_member(s->params, "conditions");
    DVT_MUST(list && list->count <= LIST_MAX);
    for (int64_t i = 0; i < list->count; i++) {
        const dvt_json *one = dvt_json_item(list, i);
        conditions[i] = (dv_condition){
            text_of(one, "column"), (unsigned)int_of(one, "relations", 0), text_of(one, "value")};
    }
    return dv_view_filter(view_out, s->source, conditions, (int32_t)list->count, s->allocator,
                          s->err);
}

static dv_status apply_where(dv_view **view_out, const step *s)
{
    return dv_view_where(view_out, s->source, text_of(s->params, "condition"), s->allocator,
                         s->err);
}

static dv_status apply_compute(dv_view **view_out, const step *s)
{
    dv_computed columns[LIST_MAX];
    const dvt_json *list = dvt_json_member(s->params, "columns");
    DVT_MUST(list && list->count <= LIST_MAX);
    for (int64_t i = 0; i < list->count; i++) {
        const dvt_json *one = dvt_json_item(list, i);
        columns[i] = (dv_computed){text_of(one, "name"), text_of(one, "expression")};
    }
    return dv_view_compute(view_out, s->source, columns, (int32_t)list->count, s->allocator,
                           s->err);
}

/* The source as ML.NET's binary loader delivers it under a generator: blocks permuted, then a pool
 * of some blocks. */
static dv_status shuffle_source(dv_view **view_out, const step *s, dvi_random random)
{
    const int64_t stored = dv_view_block_rows(s->source);
    const int64_t rows = stored > 1 ? stored : DVI_EPOCH_BLOCK_ROWS;
    return dvi_epoch_of_pool(view_out, s->source, DVI_POOL_OF_BLOCKS,
                             int_of(s->params, "inputPoolBlocks", 4) * rows, random, s->allocator,
                             s->err);
}

/* Rows of a view out of a pool, if it holds more than one. */
static dv_status draw_from_pool(dv_view **view, const step *s, int64_t pool_rows, dvi_random random)
{
    dv_view *source = *view;
    *view = NULL;
    const dv_status status =
        dvi_epoch_of_pool(view, source, DVI_POOL_IN_ORDER, pool_rows, random, s->allocator, s->err);
    dv_view_release(&source);
    return status;
}

/* The generators of the source and of the pool are drawn from the sample's, in this order, before
 * it draws. */
static dv_status apply_bootstrap(dv_view **view_out, const step *s)
{
    dvi_random random = dvi_random_of((uint32_t)int_of(s->params, "seed", 42));
    const int64_t pool_rows = int_of(s->params, "poolSize", 0);
    dv_view *source = s->source;
    dv_status status = DV_OK;
    *view_out = NULL;
    dv_view_retain(source);
    if (is_true(s->params, "shuffleInput")) {
        dv_view_release(&source);
        status = shuffle_source(&source, s, dvi_random_child(&random));
    }
    const dvi_random pool = pool_rows > 1 ? dvi_random_child(&random) : random;
    if (status == DV_OK)
        status = dvi_bootstrap_of(view_out, source, random, is_true(s->params, "complement"),
                                  s->allocator, s->err);
    dv_view_release(&source);
    return status == DV_OK && pool_rows > 1 ? draw_from_pool(view_out, s, pool_rows, pool) : status;
}

/* Without force nothing is shuffled but what forceShuffleSource asks for (semantics:7.14). */
static dv_status apply_shuffle(dv_view **view_out, const step *s)
{
    dvi_random random = dvi_random_of((uint32_t)int_of(s->params, "forceShuffleSeed", 0));
    const bool force = is_true(s->params, "forceShuffle");
    const dvt_json *forced = dvt_json_member(s->params, "forceShuffleSource");
    const bool is_given = forced && forced->kind != DVT_JSON_NULL;
    const bool source =
        is_given ? forced->kind == DVT_JSON_TRUE : force && !is_true(s->params, "poolOnly");
    *view_out = s->source;
    dv_view_retain(s->source);
    if (source) {
        dv_view_release(view_out);
        const dv_status status = shuffle_source(view_out, s, dvi_random_child(&random));
        if (status < 0)
            return status;
    }
    return force ? draw_from_pool(view_out, s, int_of(s->params, "poolRows", 1000), random) : DV_OK;
}

dv_epoch_options dvt_chain_epoch(const dvt_json *params)
{
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    options.shuffle = (dv_shuffle)int_of(params, "shuffle", 0);
    options.seed = (uint64_t)int_of(params, "seed", 0);
    options.epoch = int_of(params, "epoch", 0);
    options.block_rows = int_of(params, "blockRows", 0);
    options.pool_blocks = (double)int_of(params, "poolQuarterBlocks", 16) / 4;
    options.pool_rows = int_of(params, "poolRows", 0);
    options.shard = (int32_t)int_of(params, "shard", 0);
    options.shards = (int32_t)int_of(params, "shards", 1);
    options.shard_by = (dv_shard_by)int_of(params, "shardBy", 0);
    options.shard_size = (dv_shard_size)int_of(params, "shardSize", 0);
    options.start = int_of(params, "start", 0);
    return options;
}

static dv_status apply_epoch(dv_view **view_out, const step *s)
{
    const dv_epoch_options options = dvt_chain_epoch(s->params);
    return dv_view_epoch(view_out, s->source, &options, s->allocator, s->err);
}

/* All columns. */
static dv_status apply_hold(dv_view **view_out, const step *s)
{
    dv_cursor_options options = dvt_all_columns(s->source);
    const dv_status status = dv_view_materialize(
        view_out, s->source,
        &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
        s->allocator, s->err);
    dvt_all_columns_free(&options);
    return status;
}

/* The source, and the source without its first rows (1 if there is no "skip"). */
static dv_status apply_zip(dv_view **view_out, const step *s)
{
    dv_view *views[2] = {s->source, NULL};
    const int64_t skip = int_of(s->params, "skip", 1);
    *view_out = NULL;
    dv_status status = dv_view_slice(&views[1], s->source, skip, -1, s->allocator, s->err);
    if (status == DV_OK)
        status = dv_view_zip(view_out, views, 2, s->allocator, s->err);
    dv_view_release(&views[1]);
    return status;
}

/* --- Steps ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    dv_status (*apply)(dv_view **view_out, const step *s);
} transforms[] = {
    {"CopyColumns", apply_copy},
    {"Choose", apply_choose},
    {"Keep", apply_keep},
    {"SelectColumns", apply_select},
    {"Concatenate", apply_concat},
    {"Convert", apply_convert},
    {"GenerateNumber", apply_generate},
    {"ProduceId", apply_rowid},
    {"OptionalColumn", apply_optional},
    {"BootstrapSample", apply_bootstrap},
    {"Shuffle", apply_shuffle},
    {"Epoch", apply_epoch},
    {"Hold", apply_hold},
    {"SkipTake", apply_take},
    {"Group", apply_group},
    {"Ungroup", apply_ungroup},
    {"NAFilter", apply_filter_na},
    {"FilterByColumn", apply_filter_range},
    {"Filter", apply_filter},
    {"Where", apply_where},
    {"Compute", apply_compute},
    {"Zip", apply_zip},
};

static dv_status apply_one(dv_view **view_out, dv_view *source, const dvt_json *params,
                           const dv_allocator *allocator, dv_error *err)
{
    const dvt_json *name = dvt_json_member(params, "transform");
    const step s = {source, params, allocator, err};
    for (size_t i = 0; name && i < sizeof transforms / sizeof *transforms; i++)
        if (dvt_json_is_text(name, transforms[i].name))
            return transforms[i].apply(view_out, &s);
    *view_out = NULL;
    return DV_ERR_UNSUPPORTED;
}

/* All steps of an array, one on the other. */
static dv_status apply_all(dv_view **view_out, dv_view *source, const dvt_json *steps,
                           const dv_allocator *allocator, dv_error *err)
{
    dv_view *view = source;
    dv_status status = DV_OK;
    dv_view_retain(view);
    for (int64_t i = 0; i < steps->count && status == DV_OK; i++) {
        dv_view *made = NULL;
        status = dvt_chain_apply(&made, view, dvt_json_item(steps, i), allocator, err);
        dv_view_release(&view);
        view = made;
    }
    *view_out = view;
    return status;
}

dv_status dvt_chain_apply(dv_view **view_out, dv_view *source, const dvt_json *given,
                          const dv_allocator *allocator, dv_error *err)
{
    const dvt_json *steps = dvt_json_member(given, "steps");
    const dvt_json *before = dvt_json_member(given, "before");
    dv_view *view = NULL;
    *view_out = NULL;
    if (given->kind == DVT_JSON_ARRAY || steps)
        return apply_all(view_out, source, steps ? steps : given, allocator, err);
    if (!before)
        return apply_one(view_out, source, given, allocator, err);
    dv_status status = apply_all(&view, source, before, allocator, err);
    if (status == DV_OK)
        status = apply_one(view_out, view, given, allocator, err);
    dv_view_release(&view);
    return status;
}

dv_status dvt_chain_of(dv_view **view_out, dv_view *source, const char *text,
                       const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    dvi_arena_init(&arena, NULL);
    const dvt_json *parsed = dvt_json_parse(&arena, dv_text_of(text));
    DVT_MUST(parsed != NULL);
    const dv_status status = dvt_chain_apply(view_out, source, parsed, allocator, err);
    dvi_arena_free(&arena);
    return status;
}
