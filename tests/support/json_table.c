/* SPDX-License-Identifier: MIT */
/* json_table.c: a table in memory from the lines of a golden file. */
#include "support/json_table.h"
#include "support/one_value.h"
#include "support/produce.h"
#include <stdio.h>
#include <string.h>

static void append(dvi_growing_column *column, const dv_column_view *row)
{
    DVT_MUST(dvi_growing_reserve(column, row, 1, NULL, NULL) == DV_OK);
    dvi_growing_append(column, row, 1);
}

static void append_scalar(dvi_growing_column *column, const dv_type *type, const dvt_json *value)
{
    dvt_one one;
    dvt_one_make(&one, type, value);
    append(column, &one.column);
}

/* Buffers have an address even without items. */
static void reserve_nothing(dvi_growing_column *items)
{
    dvi_memory **all[] = {&items->values,  &items->minutes, &items->utf8, &items->ends,
                          &items->lengths, &items->counts,  &items->slots};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        DVT_MUST(*all[i] || dvi_memory_reserve(all[i], NULL, 0, NULL) == DV_OK);
}

/* {"len", "dense"} or {"len", "idx", "val"}. */
static void append_vector(dvi_growing_column *column, const dv_type *type, const dvt_json *value)
{
    const dv_type item = dv_type_item(type);
    const dvt_json *dense = dvt_json_member(value, "dense");
    const dvt_json *list = dense ? dense : dvt_json_member(value, "val");
    const dvt_json *slots = dvt_json_member(value, "idx");
    const int32_t length = (int32_t)dvt_json_int(dvt_json_member(value, "len"));
    const int32_t count = dense ? -1 : (int32_t)list->count;
    int32_t indices[64];
    dvi_growing_column items = {0};
    dvi_column made;
    for (int64_t i = 0; i < list->count; i++)
        append_scalar(&items, &item, dvt_json_item(list, i));
    for (int64_t i = 0; !dense && i < slots->count; i++) {
        DVT_MUST(i < 64);
        indices[i] = (int32_t)dvt_json_int(dvt_json_item(slots, i));
    }
    reserve_nothing(&items);
    dvi_growing_view(&items, &item, &made);
    dv_column_view row = {.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
    row.as.vector.lengths = (dv_buffer){&length, 4, NULL, false, true};
    row.as.vector.length = length;
    row.as.vector.counts = (dv_buffer){&count, 4, NULL, false, true};
    row.as.vector.indices = (dv_buffer){indices, dense ? 0 : 4 * (size_t)count, NULL, false, true};
    row.as.vector.items = &made.view;
    append(column, &row);
    dvi_growing_free(&items);
}

/* Column k of the table, to which values are appended. */
static dv_type start_column(dvt_json_table *t, int32_t k, dv_text name, const dvt_json *typed)
{
    dv_type type;
    const dvt_json *text = dvt_json_member(typed, "type");
    DVT_MUST(k < DVT_JSON_COLUMNS && name.nbytes < (int64_t)sizeof t->name[k]);
    memcpy(t->name[k], name.data, (size_t)name.nbytes);
    DVT_MUST(dv_type_parse(&type, text->text, t->dims[k], 4, NULL) == DV_OK);
    return type;
}

static void append_value(dvi_growing_column *column, const dv_type *type, const dvt_json *value)
{
    if (type->rank > 0)
        append_vector(column, type, value);
    else
        append_scalar(column, type, value);
}

static void read_metadata(dvt_json_table *t, int32_t column, const dvt_json *metadata)
{
    for (const dvt_json *one = metadata ? metadata->first : NULL; one; one = one->next) {
        const int32_t i = t->made.more_count++, k = DVT_MADE_COLUMNS + i;
        DVT_MUST(i < DVT_JSON_METADATA);
        const dv_type type = start_column(t, k, one->key, one);
        append_value(&t->held[k], &type, dvt_json_member(one, "value"));
        dvi_growing_view(&t->held[k], &type, &t->column[k]);
        t->metadata[i] = (dvt_made_metadata){column, t->name[k], t->column[k].view};
    }
}

void dvt_json_table_read(dvt_json_table *t, const char *lines)
{
    char message[DVT_MESSAGE_NBYTES];
    memset(t, 0, sizeof *t);
    DVT_MUST(dvt_table_parse(&t->parsed, dv_text_of(lines), message));
    const dvt_json *columns = dvt_json_member(t->parsed.header, "columns");
    t->made = (dvt_made_table){.columns = (int32_t)columns->count,
                               .rows = t->parsed.rows,
                               .block_rows = INT64_MAX / 2,
                               .bad_row = -1,
                               .more = t->metadata};
    DVT_MUST(t->made.columns <= DVT_MADE_COLUMNS);
    for (int32_t k = 0; k < t->made.columns; k++) {
        const dvt_json *column = dvt_json_item(columns, k);
        const dv_type type = start_column(t, k, dvt_json_member(column, "name")->text, column);
        for (int64_t row = 0; row < t->parsed.rows; row++)
            append_value(&t->held[k], &type, dvt_json_item(t->parsed.row[row], k));
        reserve_nothing(&t->held[k]);
        dvi_growing_view(&t->held[k], &type, &t->column[k]);
        t->made.column[k] = t->column[k].view;
        t->made.name[k] = t->name[k];
        read_metadata(t, k, dvt_json_member(column, "metadata"));
    }
}

void dvt_json_table_free(dvt_json_table *t)
{
    for (int32_t k = 0; k < DVT_JSON_COLUMNS; k++)
        dvi_growing_free(&t->held[k]);
    dvt_table_free(&t->parsed);
}
