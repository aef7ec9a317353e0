/* SPDX-License-Identifier: MIT */
/* open_keys.c: columns from the names of folders, KEY=VALUE. */
#include "open_keys.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/owner.h"
#include "view/growing_column.h"
#include "format/text/read/text_options.h"
#include "transform/mapper.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>
#include <dataview/schema.h>
#include <stdio.h>
#include <string.h>

#define KEYS_MOST 64 /* in a path */

static const char missing[] = "__HIVE_DEFAULT_PARTITION__";

/* A folder of a path; texts are in the arena. */
typedef struct pair {
    dv_text key, value;
    bool is_missing;
} pair;

typedef struct pairs {
    pair list[KEYS_MOST];
    int32_t n;
} pairs;

/* --- Paths ------------------------------------------------------------------------------------ */

static int hex_of(char c)
{
    const char lower = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static dv_status decode(dv_text *out, dv_text text, dvi_arena *arena, dv_error *err)
{
    int64_t n = 0;
    void *made;
    DVI_TRY(dvi_arena_alloc(arena, &made, (size_t)text.nbytes + 1, err));
    char *to = made;
    for (int64_t i = 0; i < text.nbytes; i++) {
        const bool is_code = text.data[i] == '%' && i + 2 < text.nbytes &&
                             hex_of(text.data[i + 1]) >= 0 && hex_of(text.data[i + 2]) >= 0;
        to[n++] = is_code ? (char)(16 * hex_of(text.data[i + 1]) + hex_of(text.data[i + 2]))
                          : text.data[i];
        i += is_code ? 2 : 0;
    }
    *out = (dv_text){to, n};
    return DV_OK;
}

/* The name of the file is left out. */
static dv_status read_path(pairs *p, const char *path, dvi_arena *arena, dv_error *err)
{
    const char *at = NULL, *next = path;
    p->n = 0;
    while ((next = strstr(next, "/./")))
        at = next += 2;
    for (const char *end; at && (end = strchr(at + 1, '/')); at = end) {
        const char *equals = memchr(at + 1, '=', (size_t)(end - at - 1));
        if (!equals || equals == at + 1)
            continue;
        DVI_REQUIRE(p->n < KEYS_MOST,
                    dvi_fail_argument(err, "more than %d folders KEY=VALUE in \"%s\"", KEYS_MOST,
                                      dvi_show(dv_text_of(path)).text));
        pair *to = &p->list[p->n++];
        const dv_text value = {equals + 1, end - equals - 1};
        to->is_missing = dv_text_equal(value, dv_text_of(missing));
        DVI_TRY(decode(&to->key, (dv_text){at + 1, equals - at - 1}, arena, err));
        DVI_TRY(decode(&to->value, value, arena, err));
    }
    return DV_OK;
}

/* Put the pairs into the order of the first path. */
static dv_status order(pairs *p, const pairs *first, const char *path, dv_error *err)
{
    pairs sorted = {.n = first->n};
    int32_t found = 0;
    for (int32_t i = 0; i < first->n; i++)
        for (int32_t k = 0; k < p->n; k++)
            if (dv_text_equal(p->list[k].key, first->list[i].key)) {
                sorted.list[i] = p->list[k];
                found++;
            }
    const bool is_same = found == first->n && p->n == first->n;
    if (!is_same) {
        dvi_fail(err, DV_ERR_CORRUPT, "", -1, "folders",
                 "the keys of the first file, or option plain_folders|others");
        dvi_error_set_file(err, path);
        return DV_ERR_CORRUPT;
    }
    *p = sorted;
    return DV_OK;
}

/* --- Values as a CSV -------------------------------------------------------------------------- */

typedef struct text {
    dvi_memory *memory;
    size_t n;
    const dv_allocator *allocator;
} text;

static dv_status put(text *t, dv_text s, dv_error *err)
{
    DVI_TRY(dvi_memory_extend(&t->memory, t->n, t->n + (size_t)s.nbytes, t->allocator, err));
    if (s.nbytes > 0)
        memcpy(t->memory->data + t->n, s.data, (size_t)s.nbytes);
    t->n += (size_t)s.nbytes;
    return DV_OK;
}

static dv_status put_field(text *t, dv_text s, dv_error *err)
{
    DVI_TRY(put(t, dv_text_of("\""), err));
    for (int64_t i = 0; i < s.nbytes; i++) {
        const dv_text c = {s.data + i, 1};
        if (*c.data == '"')
            DVI_TRY(put(t, c, err));
        DVI_TRY(put(t, c, err));
    }
    return put(t, dv_text_of("\""), err);
}

/* The last column keeps a line of missing values from being empty. */
static dv_status put_line(text *t, const pairs *p, bool are_keys, dv_error *err)
{
    for (int32_t i = 0; i < p->n; i++) {
        if (are_keys || !p->list[i].is_missing)
            DVI_TRY(put_field(t, are_keys ? p->list[i].key : p->list[i].value, err));
        DVI_TRY(put(t, dv_text_of(","), err));
    }
    return put(t, dv_text_of("x\n"), err);
}

static dv_status write_values(text *t, pairs *first, const char *const *paths, int32_t n,
                              dvi_arena *arena, dv_error *err)
{
    pairs own;
    DVI_TRY(read_path(first, paths[0], arena, err));
    DVI_TRY(put_line(t, first, true, err));
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(read_path(&own, paths[i], arena, err));
        DVI_TRY(order(&own, first, paths[i], err));
        if (first->n > 0)
            DVI_TRY(put_line(t, &own, false, err));
    }
    return DV_OK;
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* A value, as a column of one row. */
typedef struct constant {
    dvi_growing_column value;
    dvi_column column;
} constant;

static void free_constant(void *of)
{
    dvi_growing_free(&((constant *)of)->value);
}

/* The value in each row.  Batches that are retained share the memory: what is written once stays.
 */
static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const constant *c = f->params;
    dvi_growing_column *rows = f->memory;
    while (rows->rows < f->batch->rows) {
        DVI_TRY(dvi_growing_reserve(rows, &c->column.view, 1, f->allocator, err));
        dvi_growing_append(rows, &c->column.view, 1);
    }
    dvi_growing_column part = *rows;
    part.rows = f->batch->rows;
    part.text = c->value.text * (size_t)part.rows;
    dvi_growing_view(&part, f->type, dst);
    return DV_OK;
}

static void release_rows(void *memory)
{
    dvi_growing_free(memory);
}

static void identify(const void *params, dv_identity *identity)
{
    const constant *c = params;
    const dvi_growing_column *v = &c->value;
    const dvi_memory *const parts[] = {v->values, v->minutes, v->utf8, v->ends};
    const dvi_growing_size size = {1, 0, 0, v->text};
    const size_t width = dvi_growing_nbytes(&c->column.view.type, &size) - v->text;
    const size_t nbytes[] = {width, 2, v->text, 4};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            dv_identity_add(identity, parts[i]->data,
                            nbytes[i] < parts[i]->cap ? nbytes[i] : parts[i]->cap);
}

static const dvi_maker key_maker = {.name = "folder",
                                    .identify = identify,
                                    .describe = dvi_no_metadata,
                                    .fill = fill,
                                    .memory = sizeof(dvi_growing_column),
                                    .release = release_rows};
static const dv_view_class keys_class = DVI_MAPPER_CLASS("folders", NULL, NULL);

static dv_status fail_twice(dv_text key, const char *path, dv_error *err)
{
    dvi_fail(err, DV_ERR_CORRUPT, "", -1, "folder",
             "a key that is no column of the file, or option plain_folders|\"%s\"",
             dvi_show(key).text);
    dvi_error_set_file(err, path);
    return DV_ERR_CORRUPT;
}

/* Add the values of one row as columns. */
static dv_status add_row(dvi_mapper *m, dv_schema **schema_out, const dv_schema *schema,
                         const dv_batch *row, const char *path, dv_error *err)
{
    dvi_new_column made[KEYS_MOST];
    int32_t hidden;
    for (int32_t k = 0; k < row->columns; k++) {
        void *room;
        const dv_column_info *info = dv_schema_column(schema, k);
        DVI_REQUIRE(dv_schema_find(dv_view_schema(m->base.source), info->name, &hidden) != DV_OK,
                    fail_twice(info->name, path, err));
        DVI_TRY(dvi_arena_alloc(&m->base.arena, &room, sizeof(constant), err));
        constant *c = room;
        *c = (constant){.value = {.rows = 0}};
        DVI_TRY(dvi_arena_own(&m->base.arena, free_constant, c, err));
        const dv_column_view *value = dv_batch_column(row, k);
        DVI_TRY(dvi_growing_reserve(&c->value, value, 1, &m->base.arena.allocator, err));
        dvi_growing_append(&c->value, value, 1);
        dvi_growing_view(&c->value, &value->type, &c->column);
        made[k] = (dvi_new_column){.name = info->name, .type = info->type};
        made[k].mapped = (dvi_mapped){.maker = &key_maker, .params = c};
    }
    return dvi_mapper_arrange(m, schema_out, made, row->columns, err);
}

static dv_status extend(dv_view **view, const dv_schema *keys, const dv_batch *row,
                        const char *path, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dv_view *made;
    DVI_TRY(dvi_mapper_create(&mapper, *view, row->columns, allocator, err));
    const dv_status status = add_row(mapper, &schema, keys, row, path, err);
    DVI_TRY(dvi_mapper_view(&made, &keys_class, mapper, schema, status, err));
    dv_view_release(view);
    *view = made;
    return DV_OK;
}

static dv_status extend_all(dv_view **views, dv_view *keys, int32_t keys_count,
                            const char *const *paths, int32_t n, const dv_allocator *allocator,
                            dv_error *err)
{
    int32_t columns[KEYS_MOST];
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *row;
    dv_status status = DV_OK;
    for (int32_t k = 0; k < keys_count; k++)
        columns[k] = k;
    how.columns = columns;
    how.columns_count = keys_count;
    how.batch_rows = 1;
    how.threads = 1;
    DVI_TRY(dv_cursor_open(&cursor, keys, &how, err));
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        status = dv_cursor_next(cursor, &row, err);
        if (status < 0)
            dvi_error_set_file(err, paths[i]);
        if (status == DV_OK)
            status = extend(&views[i], dv_view_schema(keys), row, paths[i], allocator, err);
    }
    dv_cursor_close(&cursor);
    return status < 0 ? status : DV_OK;
}

static dv_status open_values(dv_view **keys_out, const text *t, const dvi_key_options *keys,
                             dvi_arena *arena, dv_error *err)
{
    static const char how[] =
        "auto sep=comma header+ skip=0 comment=none quote+ multilines+ ends=lf encoding=utf-8";
    void *words;
    const size_t cap = sizeof how + strlen(keys->words) + 1;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    DVI_TRY(dvi_arena_alloc(arena, &words, cap, err));
    snprintf(words, cap, "%s %s", how, keys->words);
    options.allocator = keys->files.allocator;
    options.format = "text";
    options.text = words;
    options.bad_fields = DV_BAD_FIELDS_REFUSE;
    return dv_open_memory(keys_out, t->memory->data, t->n, NULL, NULL, "folders", &options, err);
}

dv_status dvi_open_keys(dv_view **views, const char *const *paths, int32_t n,
                        const dvi_key_options *options, dv_error *err)
{
    pairs first;
    dvi_arena arena;
    dv_view *keys = NULL;
    const dv_allocator allocator = dvi_allocator_of(options->files.allocator);
    text t = {.allocator = &allocator};
    if (options->files.plain_folders)
        return DV_OK;
    dvi_arena_init(&arena, &allocator);
    dv_status status = write_values(&t, &first, paths, n, &arena, err);
    if (status == DV_OK && first.n > 0)
        status = open_values(&keys, &t, options, &arena, err);
    if (status == DV_OK && keys)
        status = extend_all(views, keys, first.n, paths, n, options->files.allocator, err);
    dv_view_release(&keys);
    dvi_memory_release(&t.memory);
    dvi_arena_free(&arena);
    return status;
}

/* --- Options ---------------------------------------------------------------------------------- */

/* Is it type=KEY:TYPE of one of these keys? */
static bool is_key_type(const dvi_option_word *word, const pairs *keys)
{
    int64_t at = word->value.nbytes;
    if (!dvi_text_is(word->name, "type") || word->sign != '=')
        return false;
    while (at > 0 && word->value.data[at - 1] != ':')
        at--;
    for (int32_t i = 0; i < keys->n && at > 1; i++)
        if (dv_text_equal(keys->list[i].key, (dv_text){word->value.data, at - 1}))
            return true;
    return false;
}

/* Append the word and a space. */
static void put_word(char *words, dv_text word)
{
    const size_t n = strlen(words);
    memcpy(words + n, word.data, (size_t)word.nbytes);
    memcpy(words + n + word.nbytes, " ", 2);
}

/* Types of keys are not for the files; the order of dates is for both. */
static dv_status divide(dvi_key_options *o, const pairs *keys, dv_text given, dv_error *err)
{
    void *room;
    dvi_option_word word;
    dvi_option_string from = {given, 0, &o->arena};
    dv_status status;
    bool has_auto = false, has_type = false;
    DVI_TRY(dvi_arena_alloc(&o->arena, &room, 2 * (size_t)given.nbytes + 4, err));
    char *of_keys = room, *of_files = of_keys + given.nbytes + 2;
    *of_keys = *of_files = '\0';
    while ((status = dvi_text_options_next(&from, &word, err)) == DV_OK) {
        const dv_text whole = {word.name.data, given.data + from.at - word.name.data};
        const bool is_key = is_key_type(&word, keys);
        has_auto |= dvi_text_is(word.name, "auto");
        has_type |= is_key;
        if (is_key || dvi_text_is(word.name, "date"))
            put_word(of_keys, whole);
        if (!is_key)
            put_word(of_files, whole);
    }
    if (status < 0 || !has_auto)
        return status < 0 ? status : DV_OK;
    o->words = of_keys;
    if (has_type) /* files of other formats take no options of text */
        o->files.text = strcmp(of_files, "auto ") == 0 ? NULL : of_files;
    return DV_OK;
}

dv_status dvi_key_options_read(dvi_key_options *keys_out, const char *path,
                               const dv_open_options *options, dv_error *err)
{
    pairs keys;
    dv_text given;
    *keys_out = (dvi_key_options){.files = *options, .words = ""};
    dvi_arena_init(&keys_out->arena, options->allocator);
    if (options->plain_folders || !options->text)
        return DV_OK;
    DVI_TRY(read_path(&keys, path, &keys_out->arena, err));
    if (keys.n == 0)
        return DV_OK;
    DVI_TRY(dvi_arena_text(&keys_out->arena, &given, dv_text_of(options->text), err));
    return divide(keys_out, &keys, given, err);
}

void dvi_key_options_free(dvi_key_options *keys)
{
    dvi_arena_free(&keys->arena);
}
