/* SPDX-License-Identifier: MIT */
/* output_paths.c: finds paths that lead to one file, before files are saved there. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "io/target.h"
#include <dataview/save.h>
#include <stdlib.h>
#include <string.h>

/* Where a path leads. */
typedef struct place {
    dvi_file_id folder, file; /* file: if it exists */
    bool exists;
    const char *name; /* in the folder; in an arena */
    int32_t index;    /* the path's position */
} place;

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_ids(const dvi_file_id *a, const dvi_file_id *b)
{
    const int order = compare((uint64_t)a->device, (uint64_t)b->device);
    return order ? order : compare(a->inode, b->inode);
}

static int compare_names(const place *a, const place *b)
{
    const int order = compare_ids(&a->folder, &b->folder);
    return order ? order : strcmp(a->name, b->name);
}

/* Places without a file are after the others, and none is equal to another. */
static int compare_files(const place *a, const place *b)
{
    if (!a->exists || !b->exists)
        return a->exists != b->exists ? b->exists - a->exists
                                      : compare((uint64_t)a->index, (uint64_t)b->index);
    return compare_ids(&a->file, &b->file);
}

static int by_name(const void *left, const void *right)
{
    const place *a = left, *b = right;
    const int order = compare_names(a, b);
    return order ? order : compare((uint64_t)a->index, (uint64_t)b->index);
}

static int by_file(const void *left, const void *right)
{
    const place *a = left, *b = right;
    const int order = compare_files(a, b);
    return order ? order : compare((uint64_t)a->index, (uint64_t)b->index);
}

static dv_status fail(const char *const *paths, const place *a, const place *b, dv_error *err)
{
    const char *first = paths[a->index], *second = paths[b->index];
    if (strcmp(first, second) == 0)
        return dvi_fail_argument(err, "%s is given twice: name different files", first);
    return dvi_fail_argument(err, "%s and %s are the same file: name different files", first,
                             second);
}

static dv_status compare_all(const char *const *paths, place *places, int32_t n, dv_error *err)
{
    qsort(places, (size_t)n, sizeof *places, by_name);
    for (int32_t i = 1; i < n; i++)
        if (compare_names(&places[i - 1], &places[i]) == 0)
            return fail(paths, &places[i - 1], &places[i], err);
    qsort(places, (size_t)n, sizeof *places, by_file);
    for (int32_t i = 1; i < n; i++)
        if (compare_files(&places[i - 1], &places[i]) == 0)
            return fail(paths, &places[i - 1], &places[i], err);
    return DV_OK;
}

static dv_status find(place *place_out, const char *path, dvi_arena *arena, dv_error *err)
{
    dvi_target target;
    dv_text name = {NULL, 0};
    dv_status status = dvi_target_open(&target, path, err);
    if (status < 0)
        dvi_error_set_file(err, path);
    else
        status = dvi_arena_text(arena, &name, dv_text_of(target.name), err);
    if (status == DV_OK) {
        *place_out =
            (place){.folder = target.folder_id, .exists = target.exists, .name = name.data};
        if (target.exists)
            place_out->file = (dvi_file_id){target.old.st_dev, target.old.st_ino};
    }
    dvi_target_close(&target);
    return status;
}

dv_status dv_save_check_paths(const char *const *paths, int32_t n, const dv_allocator *allocator,
                              dv_error *err)
{
    dvi_arena arena;
    void *made;
    if (n < 0)
        return dvi_fail_argument(err, "%d paths: use a number from 0 on", (int)n);
    dvi_arena_init(&arena, allocator);
    dv_status status = dvi_arena_alloc(&arena, &made, (size_t)n * sizeof(place), err);
    place *places = made;
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        status = find(&places[i], paths[i], &arena, err);
        places[i].index = i;
    }
    if (status == DV_OK)
        status = compare_all(paths, places, n, err);
    dvi_arena_free(&arena);
    return status;
}
