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

typedef struct column column;

/* How a schema shows a column.  A derived schema may hide a column that its source shows, and the
 * reverse. */
typedef struct face {
    dv_column_info info;
    column *of;
} face;

struct column {
    face faces[2];       /* the owner's; the same with is_hidden inverted */
    metadata **metadata; /* metadata_count of them; arena */
    int32_t metadata_cap;
    int32_t borrowed;   /* the first ones, which belong to another column */
    dvi_hashtab *kinds; /* kind -> number, when there are many, else NULL; arena */
    bool lends_kinds;   /* another column owns `kinds` */
    uint32_t marks;
    uint32_t name_hash;
    const dv_schema *owner;
    column *next; /* in the owner's list */
};

/* A schema owns some columns and shares the others with its source, which outlives it.  In a chain
 * of views, a column that passes through a view takes one pointer there.  Columns, metadata and
 * texts never move, because others point to them: they are in the arena. */
struct dv_schema {
    dv_allocator allocator;
    dvi_arena arena;
    column *own;
    face **columns; /* allocator */
    size_t columns_cap;
    uint32_t
        *named; /* open addressing by hash: 1 + the last column of a name; 0: free; allocator */
    size_t named_cap, names; /* named_cap is a power of two, or 0 */
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
    for (int32_t i = c->borrowed; i < c->faces[0].info.metadata_count; i++) {
        const dvi_metadata_source *source = &c->metadata[i]->source;
        if (source->release)
            source->release(source->source);
    }
    if (c->kinds && !c->lends_kinds)
        dvi_hashtab_free(c->kinds);
}

void dv_schema_free(dv_schema **schema)
{
    dv_schema *s = *schema;
    *schema = NULL;
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (column *c = s->own; c; c = c->next)
        free_metadata(c);
    const dv_allocator allocator = s->allocator;
    dvi_free(&allocator, s->columns, s->columns_cap * sizeof *s->columns);
    dvi_free(&allocator, s->named, s->named_cap * sizeof *s->named);
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
    return i >= 0 && i < schema->columns_count ? schema->columns[i]->of : NULL;
}

/* The slot of a name, or the free slot for it; there is one. */
static uint32_t *find_slot(const dv_schema *schema, dv_text name, uint32_t hash)
{
    const size_t mask = schema->named_cap - 1;
    size_t i = hash & mask;
    for (; schema->named[i]; i = (i + 1) & mask) {
        const face *shown = schema->columns[schema->named[i] - 1];
        if (shown->of->name_hash == hash && dv_text_equal(shown->info.name, name))
            break;
    }
    return &schema->named[i];
}

static int32_t find_name(const dv_schema *schema, dv_text name)
{
    const bool any = schema->names > 0 && name.nbytes > 0;
    return any ? (int32_t)*find_slot(schema, name, dvi_text_hash(name)) - 1 : -1;
}

static const metadata *metadata_at(const dv_schema *schema, int32_t column_index, int32_t i)
{
    const column *c = column_at(schema, column_index);
    return c && i >= 0 && i < c->faces[0].info.metadata_count ? c->metadata[i] : NULL;
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
    const int32_t i = column_index;
    return i >= 0 && i < schema->columns_count ? &schema->columns[i]->info : NULL;
}

dv_status dv_schema_find(const dv_schema *schema, dv_text name, int32_t *column_out)
{
    return found(find_name(schema, name), column_out);
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
    for (int32_t i = 0; i < c->faces[0].info.metadata_count; i++)
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

/* Make room for a table of cap slots, and put the names of all columns into it again. */
static dv_status index_names(dv_schema *schema, size_t cap, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&schema->allocator, &made, cap * sizeof *schema->named, err));
    dvi_free(&schema->allocator, schema->named, schema->named_cap * sizeof *schema->named);
    schema->named = made;
    schema->named_cap = cap;
    for (int32_t i = 0; i < schema->columns_count; i++) {
        const face *shown = schema->columns[i];
        *find_slot(schema, shown->info.name, shown->of->name_hash) = 1 + (uint32_t)i;
    }
    return DV_OK;
}

static dv_status reserve_columns(dv_schema *schema, size_t need, dv_error *err)
{
    void *columns = schema->columns;
    DVI_TRY(dvi_array_reserve(&schema->allocator, &columns, &schema->columns_cap, need,
                              sizeof *schema->columns, err));
    schema->columns = columns;
    return DV_OK;
}

/* Hide a column.  A schema that owns it has not been shown to others yet. */
static void hide(dv_schema *schema, int32_t i)
{
    column *c = schema->columns[i]->of;
    if (c->owner != schema) {
        schema->columns[i] = &c->faces[!c->faces[0].info.is_hidden];
        return;
    }
    c->faces[0].info.is_hidden = true;
    c->faces[1].info.is_hidden = false;
}

/* Show a column after the others, which hides the one before of its name. */
static dv_status append(dv_schema *schema, column *c, dv_error *err)
{
    const int32_t number = schema->columns_count;
    if (number == INT32_MAX)
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(reserve_columns(schema, (size_t)number + 1, err));
    if (4 * (schema->names + 1) > 3 * schema->named_cap)
        DVI_TRY(index_names(schema, schema->named_cap ? 2 * schema->named_cap : 16, err));
    uint32_t *slot = find_slot(schema, c->faces[0].info.name, c->name_hash);
    if (*slot)
        hide(schema, (int32_t)*slot - 1);
    else
        schema->names++;
    *slot = 1 + (uint32_t)number;
    schema->columns[number] = &c->faces[c->faces[0].info.is_hidden];
    schema->columns_count++;
    return DV_OK;
}

static void set_type(column *c, const dv_type *type)
{
    for (int i = 0; i < 2; i++)
        c->faces[i].info.type = *type;
}

static void set_metadata_count(column *c, int32_t n)
{
    for (int i = 0; i < 2; i++)
        c->faces[i].info.metadata_count = n;
}

/* A column that the schema owns and does not show yet.  The type is taken as it is. */
static dv_status make_column(dv_schema *schema, column **column_out, dv_text name,
                             const dv_type *type, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, sizeof(column), err));
    column *c = made;
    DVI_TRY(dvi_arena_text(&schema->arena, &name, name, err));
    for (int i = 0; i < 2; i++)
        c->faces[i] = (face){{.name = name, .is_hidden = i == 1}, c};
    set_type(c, type);
    c->name_hash = dvi_text_hash(name);
    c->owner = schema;
    c->next = schema->own;
    schema->own = c;
    *column_out = c;
    return DV_OK;
}

dv_status dv_schema_add(dv_schema *schema, dv_text name, const dv_type *type, int32_t *column_out,
                        dv_error *err)
{
    column *c;
    dv_type copy;
    DVI_TRY(check_name(name, "the name of a column", err));
    DVI_TRY(dv_type_check(type, err));
    DVI_TRY(copy_type(&schema->arena, &copy, type, err));
    DVI_TRY(make_column(schema, &c, name, &copy, err));
    DVI_TRY(append(schema, c, err));
    if (column_out)
        *column_out = schema->columns_count - 1;
    return DV_OK;
}

/* --- Columns of another schema ---------------------------------------------------------------- */

/* A column of the schema's own, with the type, the metadata and the marks of another one. */
static dv_status copy_column(dv_schema *schema, column **column_out, const column *from,
                             dv_text name, dv_error *err)
{
    column *c;
    const dv_column_info *info = &from->faces[0].info;
    DVI_TRY(make_column(schema, &c, name, &info->type, err));
    c->metadata = from->metadata;
    c->metadata_cap = c->borrowed = info->metadata_count;
    c->kinds = from->kinds;
    c->lends_kinds = from->kinds != NULL;
    c->marks = from->marks;
    set_metadata_count(c, info->metadata_count);
    *column_out = c;
    return DV_OK;
}

dv_status dvi_schema_add_column(dv_schema *schema, const dv_schema *source, int32_t source_column,
                                dv_text name, dv_error *err)
{
    column *c = column_at(source, source_column);
    if (!dv_text_equal(name, c->faces[0].info.name)) {
        DVI_TRY(check_name(name, "the name of a column", err));
        DVI_TRY(copy_column(schema, &c, c, name, err));
    }
    return append(schema, c, err);
}

dv_status dvi_schema_add_columns(dv_schema *schema, const dv_schema *source, dv_error *err)
{
    const size_t n = (size_t)source->columns_count;
    if (schema->columns_count > 0 || n == 0) {
        for (int32_t i = 0; i < source->columns_count; i++)
            DVI_TRY(append(schema, column_at(source, i), err));
        return DV_OK;
    }
    DVI_TRY(reserve_columns(schema, n, err));
    DVI_TRY(index_names(schema, source->named_cap, err));
    memcpy(schema->columns, source->columns, n * sizeof *schema->columns);
    memcpy(schema->named, source->named, source->named_cap * sizeof *schema->named);
    schema->names = source->names;
    schema->columns_count = source->columns_count;
    return DV_OK;
}

/* The column, which is to be changed: a copy of it, if it belongs to another schema. */
static dv_status own_column(dv_schema *schema, int32_t number, column **column_out, dv_error *err)
{
    face **shown = &schema->columns[number];
    *column_out = (*shown)->of;
    if ((*shown)->of->owner == schema)
        return DV_OK;
    DVI_TRY(copy_column(schema, column_out, (*shown)->of, (*shown)->info.name, err));
    (*column_out)->faces[0].info.is_hidden = (*shown)->info.is_hidden;
    (*column_out)->faces[1].info.is_hidden = !(*shown)->info.is_hidden;
    *shown = &(*column_out)->faces[0];
    return DV_OK;
}

void dvi_schema_set_type(dv_schema *schema, int32_t column_index, const dv_type *type)
{
    column *c = column_at(schema, column_index);
    if (c && c->owner == schema)
        set_type(c, type);
}

dv_status dvi_schema_mark(dv_schema *schema, int32_t column_index, uint32_t marks, dv_error *err)
{
    column *c = column_at(schema, column_index);
    if (!c || (c->marks & marks) == marks)
        return DV_OK;
    DVI_TRY(own_column(schema, column_index, &c, err));
    c->marks |= marks;
    return DV_OK;
}

/* --- Metadata --------------------------------------------------------------------------------- */

/* Room for one more; what is outgrown stays in the arena, at most as much again. */
static dv_status reserve_metadata(dv_schema *schema, column *c, dv_error *err)
{
    const int32_t count = c->faces[0].info.metadata_count;
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
    if ((c->kinds && !c->lends_kinds) || c->faces[0].info.metadata_count < KINDS_SEARCHED)
        return DV_OK;
    void *made;
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, sizeof(dvi_hashtab), err));
    dvi_hashtab *table = made;
    dvi_hashtab_init(table, &schema->allocator);
    const dv_status status = fill_table(table, c, c->faces[0].info.metadata_count, err);
    if (status < 0) {
        dvi_hashtab_free(table);
        return status;
    }
    c->kinds = table;
    c->lends_kinds = false;
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
                                  dvi_show(c->faces[0].info.name).text, dvi_show(kind).text));

    void *made;
    int32_t before;
    DVI_TRY(own_column(schema, column_index, &c, err));
    DVI_TRY(reserve_metadata(schema, c, err));
    DVI_TRY(dvi_arena_alloc(&schema->arena, &made, sizeof(metadata), err));
    metadata *m = made;
    DVI_TRY(dvi_arena_text(&schema->arena, &m->info.kind, kind, err));
    DVI_TRY(copy_type(&schema->arena, &m->info.type, type, err));
    m->source = *source;
    DVI_TRY(index_kinds(schema, c, err));
    if (c->kinds)
        DVI_TRY(
            dvi_hashtab_put(c->kinds, m->info.kind, c->faces[0].info.metadata_count, &before, err));
    c->metadata[c->faces[0].info.metadata_count] = m;
    set_metadata_count(c, c->faces[0].info.metadata_count + 1);
    return DV_OK;
}
