/* SPDX-License-Identifier: MIT */
/* schema.c: holds the columns of a view, and the annotations of each. */
#include "type/schema.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "base/load.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A column with more kinds than this finds them by hash. */
#define KINDS_SEARCHED 16

typedef struct metadata {
    dv_metadata_info info;
    dvi_metadata_source source;
} metadata;

typedef struct column {
    dv_column_info info;
    metadata **metadata; /* metadata_count of them; arena */
    int32_t metadata_cap;
    dvi_hashtab *kinds; /* kind -> number, when there are many, else NULL; arena */
    uint32_t marks;
} column;

/* What others may point to never moves: columns, metadata and texts lie in the arena. */
struct dv_schema {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_hashtab names; /* name -> the last column of that name */
    column **columns;  /* allocator */
    size_t columns_cap;
    int32_t columns_count;
    atomic_int refs; /* views */
};

dv_status dv_schema_create(dv_schema **schema_out, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *schema_out = NULL;
    DVI_TRY(dvi_alloc_struct(allocator, &made, sizeof(dv_schema), err));
    dv_schema *schema = made;
    schema->allocator = dvi_allocator_of(allocator);
    dvi_arena_init(&schema->arena, allocator);
    dvi_hashtab_init(&schema->names, allocator);
    atomic_init(&schema->refs, 1);
    *schema_out = schema;
    return DV_OK;
}

dv_schema *dvi_schema_share(const dv_schema *schema)
{
    dv_schema *s = (dv_schema *)(uintptr_t)schema;
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

static void free_metadata(column *c)
{
    for (int32_t i = 0; i < c->info.metadata_count; i++) {
        const dvi_metadata_source *source = &c->metadata[i]->source;
        if (source->release)
            source->release(source->source);
    }
    if (c->kinds)
        dvi_hashtab_free(c->kinds);
}

void dv_schema_free(dv_schema **schema)
{
    dv_schema *s = *schema;
    *schema = NULL;
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (int32_t i = 0; i < s->columns_count; i++)
        free_metadata(s->columns[i]);
    const dv_allocator allocator = s->allocator;
    dvi_free(&allocator, s->columns, s->columns_cap * sizeof *s->columns);
    dvi_hashtab_free(&s->names);
    dvi_arena_free(&s->arena);
    dvi_free(&allocator, s, sizeof *s);
}

const dv_allocator *dvi_schema_allocator(const dv_schema *schema)
{
    return &schema->allocator;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static column *column_at(const dv_schema *schema, int32_t i)
{
    return i >= 0 && i < schema->columns_count ? schema->columns[i] : NULL;
}

static const metadata *metadata_at(const dv_schema *schema, int32_t column_index, int32_t i)
{
    const column *c = column_at(schema, column_index);
    return c && i >= 0 && i < c->info.metadata_count ? c->metadata[i] : NULL;
}

static dv_status found(int32_t number, int32_t *number_out)
{
    *number_out = number;
    return number >= 0 ? DV_OK : DV_NOT_FOUND;
}

int32_t dv_schema_columns(const dv_schema *schema)
{
    return schema->columns_count;
}

const dv_column_info *dv_schema_column(const dv_schema *schema, int32_t column_index)
{
    const column *c = column_at(schema, column_index);
    return c ? &c->info : NULL;
}

dv_status dv_schema_find(const dv_schema *schema, dv_text name, int32_t *column_out)
{
    return found(name.nbytes > 0 ? dvi_hashtab_get(&schema->names, name) : -1, column_out);
}

/* "the columns are A, B, C, ...", each name once. */
static void list_columns(const dv_schema *schema, dv_error *err)
{
    enum { SHOWN = 5 };
    char text[SHOWN * sizeof(dvi_shown)];
    int32_t columns = 0;
    size_t n = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema) && columns <= SHOWN && n < sizeof text; i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        if (info->is_hidden)
            continue;
        const dvi_shown name = dvi_show(info->name);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? ", " : "",
                              columns < SHOWN ? name.text : "...");
        columns++;
    }
    char list[sizeof text + 32];
    snprintf(list, sizeof list, "the column%s %s", columns > 1 ? "s are" : " is", text);
    dvi_error_advise(err, columns > 0 ? list : "there are no columns");
}

void dvi_schema_advise(const dv_schema *schema, dv_text name, dv_error *err)
{
    dv_nearest best = DV_NEAREST_INIT;
    for (int32_t i = 0; err && i < dv_schema_columns(schema); i++)
        dv_nearest_offer(&best, name, dv_schema_column(schema, i)->name);
    if (best.name.nbytes > 0)
        dvi_nearest_advise(&best, err);
    else
        list_columns(schema, err);
}

const dv_metadata_info *dv_schema_metadata(const dv_schema *schema, int32_t column_index, int32_t i)
{
    const metadata *m = metadata_at(schema, column_index, i);
    return m ? &m->info : NULL;
}

const dvi_metadata_source *dvi_schema_metadata_source(const dv_schema *schema, int32_t column_index,
                                                      int32_t i)
{
    const metadata *m = metadata_at(schema, column_index, i);
    return m ? &m->source : NULL;
}

void dvi_schema_set_type(dv_schema *schema, int32_t column_index, const dv_type *type)
{
    column *c = column_at(schema, column_index);
    if (c)
        c->info.type = *type;
}

void dvi_schema_mark(dv_schema *schema, int32_t column_index, uint32_t marks)
{
    column *c = column_at(schema, column_index);
    if (c)
        c->marks |= marks;
}

uint32_t dvi_schema_marks(const dv_schema *schema, int32_t column_index)
{
    const column *c = column_at(schema, column_index);
    return c ? c->marks : 0;
}

static int32_t find_kind(const column *c, dv_text kind)
{
    if (kind.nbytes <= 0)
        return -1;
    if (c->kinds)
        return dvi_hashtab_get(c->kinds, kind);
    for (int32_t i = 0; i < c->info.metadata_count; i++)
        if (dv_text_equal(c->metadata[i]->info.kind, kind))
            return i;
    return -1;
}

dv_status dv_schema_find_metadata(const dv_schema *schema, int32_t column_index, dv_text kind,
                                  int32_t *i_out)
{
    const column *c = column_at(schema, column_index);
    return found(c ? find_kind(c, kind) : -1, i_out);
}

/* --- Making ----------------------------------------------------------------------------------- */

/* Eight bytes of ASCII at once, of which most names are. */
static bool is_utf8(dv_text text)
{
    int64_t i = 0;
    while (text.nbytes - i >= 8 && !(dvi_load_u64(text.data + i) & UINT64_C(0x8080808080808080)))
        i += 8;
    for (int64_t step; i < text.nbytes; i += step) {
        step = (int64_t)dvi_utf8_step(text.data + i, (size_t)(text.nbytes - i));
        if (step == 0)
            return false;
    }
    return true;
}

static dv_status check_name(dv_text name, const char *what, dv_error *err)
{
    DVI_REQUIRE(name.nbytes > 0, dvi_fail_argument(err, "%s is empty", what));
    DVI_REQUIRE(is_utf8(name),
                dvi_fail_argument(err, "%s is not UTF-8: \"%s\"", what, dvi_show(name).text));
    return DV_OK;
}

static dv_status copy_type(dvi_arena *arena, dv_type *copy_out, const dv_type *type, dv_error *err)
{
    *copy_out = *type;
    copy_out->dims = NULL;
    if (type->rank < 2)
        return DV_OK;
    const size_t nbytes = (size_t)type->rank * sizeof *type->dims;
    void *dims;
    DVI_TRY(dvi_arena_alloc(arena, &dims, nbytes, err));
    memcpy(dims, type->dims, nbytes);
    copy_out->dims = dims;
    return DV_OK;
}

dv_status dv_schema_add(dv_schema *schema, dv_text name, const dv_type *type, int32_t *column_out,
                        dv_error *err)
{
    DVI_TRY(check_name(name, "the name of a column", err));
    DVI_TRY(dv_type_check(type, err));
    if (schema->columns_count == INT32_MAX)
        return dvi_fail_memory(err, SIZE_MAX);

    void *made, *columns = schema->columns;
    const int32_t number = schema->columns_count;
    DVI_TRY(dvi_array_reserve(&schema->allocator, &columns, &schema->columns_cap,
                              (size_t)number + 1, sizeof *schema->columns, err));
    schema->columns = columns;
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, sizeof(column), err));
    column *c = made;
    DVI_TRY(dvi_arena_text(&schema->arena, &c->info.name, name, err));
    DVI_TRY(copy_type(&schema->arena, &c->info.type, type, err));

    int32_t before;
    DVI_TRY(dvi_hashtab_put(&schema->names, c->info.name, number, &before, err));
    if (before >= 0)
        schema->columns[before]->info.is_hidden = true;
    schema->columns[number] = c;
    schema->columns_count++;
    if (column_out)
        *column_out = number;
    return DV_OK;
}

/* Room for one more; what is outgrown stays in the arena, at most as much again. */
static dv_status reserve_metadata(dv_schema *schema, column *c, dv_error *err)
{
    const int32_t count = c->info.metadata_count;
    if (count < c->metadata_cap)
        return DV_OK;
    if (count > INT32_MAX / 2)
        return dvi_fail_memory(err, SIZE_MAX);
    const int32_t cap = count ? 2 * count : 2;
    void *made;
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, (size_t)cap * sizeof *c->metadata, err));
    if (count)
        memcpy(made, c->metadata, (size_t)count * sizeof *c->metadata);
    c->metadata = made;
    c->metadata_cap = cap;
    return DV_OK;
}

/* Put the first n kinds into a table that is empty. */
static dv_status fill_table(dvi_hashtab *table, const column *c, int32_t n, dv_error *err)
{
    for (int32_t i = 0, before; i < n; i++)
        DVI_TRY(dvi_hashtab_put(table, c->metadata[i]->info.kind, i, &before, err));
    return DV_OK;
}

/* Give the column a table of its kinds once it has many. */
static dv_status index_kinds(dv_schema *schema, column *c, dv_error *err)
{
    if (c->kinds || c->info.metadata_count < KINDS_SEARCHED)
        return DV_OK;
    void *made;
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, sizeof(dvi_hashtab), err));
    dvi_hashtab *table = made;
    dvi_hashtab_init(table, &schema->allocator);
    const dv_status status = fill_table(table, c, c->info.metadata_count, err);
    if (status < 0) {
        dvi_hashtab_free(table);
        return status;
    }
    c->kinds = table;
    return DV_OK;
}

dv_status dvi_schema_add_metadata(dv_schema *schema, int32_t column_index, dv_text kind,
                                  const dv_type *type, const dvi_metadata_source *source,
                                  dv_error *err)
{
    column *c = column_at(schema, column_index);
    DVI_REQUIRE(c, dvi_fail_argument(err, "metadata of column %d, of %d", column_index,
                                     schema->columns_count));
    DVI_TRY(check_name(kind, "the kind of metadata", err));
    DVI_TRY(dv_type_check(type, err));
    DVI_REQUIRE(find_kind(c, kind) < 0,
                dvi_fail_argument(err, "column %s has metadata \"%s\" already",
                                  dvi_show(c->info.name).text, dvi_show(kind).text));

    void *made;
    int32_t before;
    DVI_TRY(reserve_metadata(schema, c, err));
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, sizeof(metadata), err));
    metadata *m = made;
    DVI_TRY(dvi_arena_text(&schema->arena, &m->info.kind, kind, err));
    DVI_TRY(copy_type(&schema->arena, &m->info.type, type, err));
    m->source = *source;
    DVI_TRY(index_kinds(schema, c, err));
    if (c->kinds)
        DVI_TRY(dvi_hashtab_put(c->kinds, m->info.kind, c->info.metadata_count, &before, err));
    c->metadata[c->info.metadata_count++] = m;
    return DV_OK;
}
