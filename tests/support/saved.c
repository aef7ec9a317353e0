/* SPDX-License-Identifier: MIT */
/* saved.c: saves a view in memory and opens it again. */
#include "support/saved.h"
#include "support/produce.h"
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(dv_status status, const dv_error *err)
{
    if (status == DV_OK)
        return;
    fprintf(stderr, "%s: %s\n", dv_status_name(status), err->message);
    abort();
}

dv_buffer dvt_save_idv(dv_view *view, const dv_save_options *given)
{
    dv_save_options options = *given;
    dv_error err = DV_ERROR_INIT;
    dv_buffer file;
    options.format = "idv";
    must(dv_save_memory(view, &file, &options, &err), &err);
    return file;
}

dv_view *dvt_open_saved(const dv_buffer *file)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    must(dv_open_memory(&view, file->data, file->nbytes, NULL, NULL, "saved", NULL, &err), &err);
    return view;
}

dvt_lines dvt_lines_of(dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    int32_t *columns = malloc((size_t)n * sizeof *columns + 1);
    DVT_MUST(columns != NULL);
    for (int32_t i = 0; i < n; i++)
        columns[i] = i;
    options.columns = columns;
    options.columns_count = n;
    must(dvt_produce_by_value(&lines, view, &options, &err), &err);
    free(columns);
    return lines;
}

dvt_lines dvt_lines_of_saved(const dv_buffer *file)
{
    dv_view *view = dvt_open_saved(file);
    const dvt_lines lines = dvt_lines_of(view);
    dv_view_release(&view);
    return lines;
}

const char *dvt_lines_difference(const dvt_lines *a, const dvt_lines *b)
{
    static char text[256];
    size_t i = 0;
    while (i < a->nbytes && i < b->nbytes && a->data[i] == b->data[i])
        i++;
    if (i == a->nbytes && i == b->nbytes)
        return "";
    const size_t from = i > 40 ? i - 40 : 0;
    snprintf(text, sizeof text, "byte %zu: \"%.80s\" or \"%.80s\"", i,
             a->data ? a->data + from : "", b->data ? b->data + from : "");
    return text;
}
