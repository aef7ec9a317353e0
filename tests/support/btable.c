/* SPDX-License-Identifier: MIT */
/* btable.c: BTables in memory. */
#include "support/btable.h"
#include "base/load.h"
#include "support/many_rows.h"
#include "support/page.h"
#include "support/produce.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *add(dvt_btable *table, size_t nbytes)
{
    if (table->nbytes + nbytes > table->cap) {
        table->cap = 2 * (table->nbytes + nbytes);
        table->data = realloc(table->data, table->cap);
        DVT_MUST(table->data);
    }
    uint8_t *p = table->data + table->nbytes;
    table->nbytes += nbytes;
    return p;
}

void dvt_btable_free(dvt_btable *table)
{
    free(table->data);
    *table = (dvt_btable){0};
}

void dvt_btable_hex(dvt_btable *table, const char *hex)
{
    unsigned byte;
    for (int used; sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
        *add(table, 1) = (uint8_t)byte;
}

void dvt_btable_header(dvt_btable *table, const char *labels)
{
    const size_t n = strlen(labels);
    dvi_store_i32_be(add(table, 4), 0);
    dvi_store_i32_be(add(table, 4), (int32_t)n);
    for (size_t i = 0; i < n; i++)
        dvi_store_u16_be(add(table, 2), labels[i] == '|' ? 0x1F : (uint16_t)labels[i]);
}

void dvt_btable_numbered_header(dvt_btable *table, int32_t slots)
{
    dvt_lines labels = {0};
    for (int32_t i = 0; i < slots; i++)
        dvt_lines_print(&labels, "%ss%d", i > 0 ? "|" : "", i);
    dvt_btable_header(table, labels.data);
    dvt_lines_free(&labels);
}

void dvt_btable_count(dvt_btable *table, int32_t n)
{
    dvi_store_i32_be(add(table, 4), n);
}

void dvt_btable_pair(dvt_btable *table, int32_t index, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint8_t *p = add(table, 12);
    dvi_store_i32_be(p, index);
    dvi_store_u64_be(p + 4, bits);
}

void dvt_btable_random_rows(dvt_btable *table, int64_t rows, int32_t slots, size_t once,
                            uint64_t seed)
{
    uint64_t state = seed;
    for (int64_t row = 0; row < rows; row++) {
        const size_t at = table->nbytes;
        int32_t n = 0;
        dvt_btable_count(table, 0);
        for (int32_t slot = 0; slot < slots; slot++)
            if (dvt_draw(&state) % once == 0) {
                dvt_btable_pair(table, slot, (double)(dvt_draw(&state) % 1000) / 8 - 3);
                n++;
            }
        dvi_store_i32_be(table->data + at, n);
    }
}

static void release_page(void *ctx)
{
    dvt_page_free(ctx);
    free(ctx);
}

dv_view *dvt_btable_open(const dvt_btable *table, const dv_open_options *given, dv_error *err)
{
    static const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;
    dv_open_options options = given ? *given : defaults;
    if (!options.format)
        options.format = "btable";
    dvt_page *page = malloc(sizeof *page);
    DVT_MUST(page);
    *page = dvt_page_create(table->nbytes);
    const uint8_t *data =
        dvt_page_copy_end(*page, table->data ? table->data : (uint8_t *)page, table->nbytes);
    dv_view *view;
    dv_open_memory(&view, data, table->nbytes, release_page, page, "bytes", &options, err);
    return view;
}

static const void *items_at(const dv_vector_layout *vector, int64_t item)
{
    return (const char *)vector->items->as.fixed.values.data + 8 * (vector->item_base + item);
}

static void put_batch(dvt_lines *lines, const dv_batch *batch)
{
    const dv_column_view *view = dv_batch_column(batch, 0);
    const dv_vector_layout *vector = &view->as.vector;
    int64_t index = vector->index_base, item = 0;
    for (int64_t row = 0; row < view->rows; row++) {
        const int32_t count = dvi_load_i32((const char *)vector->counts.data + 4 * row);
        const int32_t n = count < 0 ? vector->length : count;
        dvt_lines_add(lines, count < 0 ? "[" : "{", 1);
        for (int32_t k = 0; k < n; k++, item++) {
            if (k > 0)
                dvt_lines_add(lines, " ", 1);
            if (count >= 0)
                dvt_lines_print(
                    lines, "%d:", dvi_load_i32((const char *)vector->indices.data + 4 * index++));
            dvt_lines_print(lines, "%016" PRIX64, dvi_load_u64(items_at(vector, item)));
        }
        dvt_lines_add(lines, count < 0 ? "]" : "}", 1);
    }
}

dv_status dvt_btable_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                          dv_error *err)
{
    return dvt_put_rows(lines, view, options, put_batch, err);
}

bool dvt_btable_names(dvt_lines *lines, dv_view *view)
{
    const dv_batch *value;
    int32_t i;
    if (dv_schema_find_metadata(dv_view_schema(view), 0, dv_text_of(DV_SLOT_NAMES), &i) != DV_OK)
        return false;
    DVT_MUST(dv_schema_metadata_value(dv_view_schema(view), 0, i, &value, NULL) == DV_OK);
    const dv_vector_layout *vector = &dv_batch_column(value, 0)->as.vector;
    const dv_text_layout *text = &vector->items->as.text;
    int32_t start = 0;
    DVT_MUST(vector->length == dv_schema_column(dv_view_schema(view), 0)->type.size);
    for (int32_t k = 0; k < vector->length; k++) {
        const int32_t end = dvi_load_i32((const char *)text->ends.data + 4 * (size_t)k);
        if (k > 0)
            dvt_lines_add(lines, "|", 1);
        if (end > start)
            dvt_lines_add(lines, (const char *)text->utf8.data + start, (size_t)(end - start));
        start = end;
    }
    dv_batch_release(&value);
    return true;
}
