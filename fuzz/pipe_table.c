/* SPDX-License-Identifier: MIT */
/* pipe_table.c: a small table for pipelines, and an allocator that has little. */
#include "pipe_table.h"
#include "meter.h"
#include <dataview/table.h>
#include <stdlib.h>

enum {
    ROWS = 7,
    MEMORY_NBYTES = 1 << 24 /* of one allocation */
};

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    (void)ctx;
    const size_t all = (nbytes + alignment - 1) / alignment * alignment;
    return nbytes > MEMORY_NBYTES ? NULL : aligned_alloc(alignment, all);
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    (void)ctx;
    (void)nbytes;
    free(memory);
}

const dv_allocator dvt_pipe_allocator = {allocate, release, NULL};

dv_view *dvt_pipe_table(void)
{
    static const char *const texts[ROWS] = {"b", "a", "", NULL, "b", "\xC3\xA9 x", "c"};
    static const int32_t numbers[ROWS] = {1, -1, 0, INT32_MIN, 1, 7, 7};
    static const float vectors[ROWS * 2] = {1, 0, -0.0f, 2, 2, 1, 0, 0, 5, 1, 1, 1, 3, 3};
    static const uint8_t keys[ROWS * 2] = {1, 2, 3, 0, 1, 1, 2, 4, 0, 0, 3, 3, 1, 2};
    const dv_type r4 = dv_type_of(DV_KIND_R4), key = dv_type_key(DV_KIND_U1, 0, 3);
    const dv_table_column columns[] = {{"A", dv_type_of(DV_KIND_TX), texts, NULL},
                                       {"B", dv_type_of(DV_KIND_I4), numbers, NULL},
                                       {"V", dv_type_vector(r4, 2), vectors, NULL},
                                       {"K", key, keys, NULL},
                                       {"W", dv_type_vector(key, 2), keys, NULL}};
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = &dvt_pipe_allocator;
    DVT_CHECK(dv_table_create(&view, columns, 5, ROWS, &options, NULL) == DV_OK);
    return view;
}

dv_view *dvt_pipe_pairs(void)
{
    static const char *const texts[] = {"a", "b", NULL};
    static const float numbers[] = {1, 0, -1};
    const dv_table_column columns[] = {{"Key", dv_type_of(DV_KIND_TX), texts, NULL},
                                       {"Value", dv_type_of(DV_KIND_R4), numbers, NULL}};
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = &dvt_pipe_allocator;
    DVT_CHECK(dv_table_create(&view, columns, 2, 3, &options, NULL) == DV_OK);
    return view;
}

bool dvt_pipe_is_small(const dv_view *view)
{
    const dv_schema *schema = dv_view_schema(view);
    int64_t slots = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        slots += dv_type_value_count(&info->type);
        for (int32_t k = 0; k < info->metadata_count; k++)
            slots += dv_type_value_count(&dv_schema_metadata(schema, i, k)->type);
    }
    return slots < 1 << 14;
}
