/* SPDX-License-Identifier: MIT */
/* text_fit.c: does another file have the columns that were found in the first one? */
#include "format/text/propose/text_fit.h"
#include "base/check.h"
#include <inttypes.h>

/* The first line of a file, and its fields. */
typedef struct head {
    dvi_text_reader reader;
    dvi_memory *unquoted;
    dvi_text_items items;
    int64_t offset;
} head;

/* DV_OK; DV_END: there is no line. */
static dv_status start(head *h, const dvi_text_file *file, dvi_map *map, dv_error *err)
{
    dv_text line;
    *h = (head){.offset = 0};
    DVI_TRY(dvi_text_reader_start(&h->reader, map, &file->options, dvi_text_line_limit(file), err));
    const dv_status status = dvi_text_reader_next(&h->reader, &line, &h->offset, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dvi_memory_reserve(&h->unquoted, &file->allocator, (size_t)line.nbytes, err));
    h->items = dvi_text_items_of(&h->reader.dialect, line, (char *)(void *)h->unquoted->data);
    return DV_OK;
}

static void stop(head *h)
{
    dvi_memory_release(&h->unquoted);
    dvi_text_reader_free(&h->reader);
}

static dv_status compare(head *own, head *first, bool has_header, dv_error *err)
{
    dvi_text_field field, wanted;
    int64_t column, ignored;
    for (;;) {
        const bool has_wanted = dvi_text_items_next(&first->items, &ignored, &wanted);
        const bool has_field = dvi_text_items_next(&own->items, &column, &field);
        if (!has_wanted && !has_field)
            return DV_OK;
        if (!has_wanted || !has_field)
            break;
        const dv_text name = dvi_text_trim(field.text), other = dvi_text_trim(wanted.text);
        if (!has_header || dv_text_equal(name, other))
            continue;
        dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", own->offset, "header",
                 "\"%s\" as in the first file|\"%s\"", dvi_show(other).text, dvi_show(name).text);
        dvi_error_within(err, "column %" PRId64, column);
        return DV_ERR_CORRUPT;
    }
    while (dvi_text_items_next(&first->items, &ignored, &wanted))
        ;
    while (dvi_text_items_next(&own->items, &ignored, &field))
        ;
    const int64_t wanted_fields = dvi_text_items_count(&first->items);
    return dvi_fail(err, DV_ERR_CORRUPT, "semantics:6.2", own->offset, "line",
                    "%" PRId64 " field%s as in the first file|%" PRId64, wanted_fields,
                    DVI_S(wanted_fields), dvi_text_items_count(&own->items));
}

dv_status dvi_text_check_fit(const dvi_text_file *file, dvi_map *first, dv_error *err)
{
    head own, other = {.offset = 0};
    if (dvi_map_is_once(file->map) || dvi_map_is_once(first))
        return DV_OK; /* its bytes may be gone */
    dv_status status = start(&own, file, file->map, err);
    if (status == DV_OK)
        status = start(&other, file, first, err);
    if (status == DV_OK)
        status = compare(&own, &other, file->options.has_header, err);
    stop(&own);
    stop(&other);
    return status < 0 ? status : DV_OK;
}
