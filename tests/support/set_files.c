/* SPDX-License-Identifier: MIT */
/* set_files.c: one table of many rows in every format, and chains of views over it. */
#include "support/set_files.h"
#include "support/chain.h"
#include "support/produce.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* --- Sources ---------------------------------------------------------------------------------- */

typedef struct source {
    const char *name, *file, *options;
    dv_compression compression;
    dv_io io;
    enum { A_FILE, A_TABLE, UNKNOWN_ROWS, HELD, TWICE } way;
} source;

static const source sources[] = {
    {"idv", "raw.idv", NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, A_FILE},
    {"idv by read", "raw.idv", NULL, DV_COMPRESSION_NONE, DV_IO_PREAD, A_FILE},
    {"idv deflated", "small.idv", NULL, DV_COMPRESSION_DEFLATE, DV_IO_MMAP, A_FILE},
    {"text", "rows.csv", NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, A_FILE},
    {"datadings", "rows.msgpack", NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, A_FILE},
    {"datadings by read", "rows.msgpack", NULL, DV_COMPRESSION_NONE, DV_IO_PREAD, A_FILE},
    {"btable", "rows.btable", NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, A_FILE},
    {"table", NULL, NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, A_TABLE},
    {"table of unknown rows", NULL, NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, UNKNOWN_ROWS},
    {"held", NULL, NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, HELD},
    {"two files", "raw.idv", NULL, DV_COMPRESSION_NONE, DV_IO_MMAP, TWICE},
};

static void save(const dvt_set_files *files, const source *s, int32_t columns)
{
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    static const int32_t all[] = {0, 1, 2, 3}, vector[] = {3};
    const dvt_path path = dvt_path_in(&files->folder, s->file);
    files->rows->table.rows_unknown = false;
    dv_view *view = dvt_made_table_open(&files->rows->table, NULL), *saved = view;
    how.columns = columns == 1 ? vector : all;
    how.columns_count = columns;
    how.rows_per_block = 300;
    how.compression = s->compression;
    how.allow_loss = DV_LOSS_TYPES | DV_LOSS_NAMES;
    how.sync = false;
    how.datadings = "key=rownumber";
    const dv_conversion_spec to = {dv_text_of("d"), dv_text_of(NULL), dv_type_of(DV_KIND_R8)};
    if (columns == 1)
        DVT_MUST(dv_view_convert(&saved, view, &to, 1, NULL, NULL) == DV_OK);
    static const int32_t converted[] = {4};
    how.columns = columns == 1 ? converted : how.columns;
    const dv_status status = dv_save(saved, path.text, &how, &err);
    if (status != DV_OK)
        fprintf(stderr, "%s\n", err.message);
    DVT_MUST(status == DV_OK);
    if (saved != view)
        dv_view_release(&saved);
    dv_view_release(&view);
}

dvt_set_files dvt_set_files_create(int64_t rows)
{
    dvt_set_files files = {dvt_folder_create(), dvt_many_rows_create(rows, 190)};
    for (int i = 0; i < COUNT(sources); i++)
        if (sources[i].way == A_FILE && sources[i].io == DV_IO_MMAP)
            save(&files, &sources[i], strcmp(sources[i].name, "btable") == 0 ? 1 : 4);
    return files;
}

void dvt_set_files_free(dvt_set_files *files)
{
    dvt_folder_remove(&files->folder);
    dvt_many_rows_free(files->rows);
}

static dv_view *open_file(const dvt_set_files *files, const source *s,
                          const dv_allocator *allocator)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    const dvt_path path = dvt_path_in(&files->folder, s->file);
    how.io = s->io;
    how.allocator = allocator;
    const dv_status status = dv_open(&view, path.text, &how, &err);
    if (status != DV_OK)
        fprintf(stderr, "%s\n", err.message);
    DVT_MUST(status == DV_OK);
    return view;
}

static dv_view *open_table(const dvt_set_files *files, bool rows_unknown,
                           const dv_allocator *allocator)
{
    files->rows->table.rows_unknown = rows_unknown;
    return dvt_made_table_open(&files->rows->table, allocator);
}

static dv_view *open_source(const dvt_set_files *files, const source *s,
                            const dv_allocator *allocator)
{
    dv_view *view = NULL, *parts[2];
    switch (s->way) {
    case A_FILE:
        return open_file(files, s, allocator);
    case A_TABLE:
    case UNKNOWN_ROWS:
        return open_table(files, s->way == UNKNOWN_ROWS, allocator);
    case HELD:
        parts[0] = open_table(files, false, allocator);
        DVT_MUST(dv_view_materialize(&view, parts[0], NULL, allocator, NULL) == DV_OK);
        dv_view_release(&parts[0]);
        break;
    case TWICE:
        parts[0] = open_file(files, s, allocator);
        parts[1] = parts[0];
        DVT_MUST(dv_view_concat(&view, parts, 2, allocator, NULL) == DV_OK);
        dv_view_release(&parts[0]);
        break;
    }
    return view;
}

/* --- Chains ----------------------------------------------------------------------------------- */

#define FILTER                                                                                     \
    "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"b\",\"relations\":1,"                 \
    "\"value\":\"170\"}]}"
#define RARE                                                                                       \
    "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"b\",\"relations\":2,"                 \
    "\"value\":\"7\"}]}"
#define CONVERT                                                                                    \
    "{\"transform\":\"Convert\",\"columns\":[{\"source\":\"b\",\"type\":\"R4\"},"                  \
    "{\"source\":\"a\",\"name\":\"t\",\"type\":\"TX\"}]}"
#define GENERATE                                                                                   \
    "{\"transform\":\"GenerateNumber\",\"columns\":[{\"name\":\"g\"},"                             \
    "{\"name\":\"n\",\"useCounter\":true}]}"
#define BOOTSTRAP "{\"transform\":\"BootstrapSample\",\"seed\":3}"
#define TAKE "{\"transform\":\"SkipTake\",\"skip\":333,\"take\":3210}"
#define NA "{\"transform\":\"NAFilter\",\"columns\":[\"a\"]}"
#define ZIP "{\"transform\":\"Zip\",\"skip\":5}"
#define CHOOSE                                                                                     \
    "{\"transform\":\"Choose\",\"columns\":[{\"source\":\"b\"},{\"source\":\"a\",\"name\":\"x\"}]" \
    "}"

static const struct {
    const char *steps;
    bool has_numbers, needs_scalars;
} chains[] = {
    {"[]", true, false},
    {"[" CONVERT "]", true, true},
    {"[" FILTER "]", false, true},
    {"[" FILTER "," CONVERT "]", false, true},
    {"[" CONVERT "," RARE "]", false, true},
    {"[" CONVERT "," NA "," FILTER "," CHOOSE "]", false, true},
    {"[" TAKE "," CONVERT "]", true, true},
    {"[" FILTER "," TAKE "]", true, true},
    {"[" CONVERT "," GENERATE "," CHOOSE "]", true, true},
    {"[" GENERATE "]", true, false},
    {"[" FILTER "," GENERATE "," CONVERT "]", true, true},
    {"[" CONVERT "," BOOTSTRAP "]", true, true},
    {"[" FILTER "," BOOTSTRAP "]", true, true},
    {"[" CONVERT "," ZIP "," NA "]", false, true},
    {"[" TAKE "," BOOTSTRAP "," TAKE "," CONVERT "]", true, true},
};

int dvt_set_sources(void)
{
    return COUNT(sources);
}

const char *dvt_set_source(int i)
{
    return sources[i].name;
}

int dvt_set_chains(void)
{
    return COUNT(chains);
}

const char *dvt_set_chain(int i)
{
    return chains[i].steps;
}

bool dvt_set_has_numbers(int chain)
{
    return chains[chain].has_numbers;
}

dv_view *dvt_set_view(const dvt_set_files *files, int number, int chain,
                      const dv_allocator *allocator)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    if (chains[chain].needs_scalars && strcmp(sources[number].name, "btable") == 0)
        return NULL;
    dv_view *bottom = open_source(files, &sources[number], allocator);
    const dv_status status = dvt_chain_of(&view, bottom, chains[chain].steps, allocator, &err);
    if (status != DV_OK)
        fprintf(stderr, "%s: %s\n", chains[chain].steps, err.message);
    DVT_MUST(status == DV_OK);
    dv_view_release(&bottom);
    return view;
}

/* --- Rows ------------------------------------------------------------------------------------- */

void dvt_set_put(dvt_lines *lines, const dv_batch *batch, bool has_numbers)
{
    dvt_lines rows = {0};
    dvt_put_batch_by_value(&rows, batch);
    const char *at = rows.data;
    for (int64_t i = 0; i < batch->rows; i++) {
        const char *end = strchr(at, '\n');
        DVT_MUST(end != NULL);
        if (has_numbers)
            dvt_lines_print(lines, "%lld ", (long long)(batch->first_row + i));
        if (batch->ids)
            dvt_lines_print(lines, "%llx-%llx ", (unsigned long long)batch->ids[i].hi,
                            (unsigned long long)batch->ids[i].lo);
        dvt_lines_add(lines, at, (size_t)(end + 1 - at));
        at = end + 1;
    }
    dvt_lines_free(&rows);
}

dvt_lines dvt_set_truth(dv_view *view, const dv_cursor_options *given, bool has_numbers)
{
    dvt_lines lines = {0};
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = *given;
    dv_error err = DV_ERROR_INIT;
    options.threads = 1;
    options.batch_rows = 0;
    DVT_MUST(dv_cursor_open(&cursor, view, &options, &err) == DV_OK);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        dvt_set_put(&lines, batch, has_numbers);
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    DVT_MUST(status == DV_END);
    dv_cursor_close(&cursor);
    return lines;
}
