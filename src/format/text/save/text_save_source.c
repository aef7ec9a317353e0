/* SPDX-License-Identifier: MIT */
/* text_save_source.c: reads the fields of a column, and checks that they can be written. */
#include "base/check.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "view/column.h"
#include "format/text/save/text_save_priv.h"
#include <dataview/own_view.h>
#include <dataview/schema.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

dvi_text_source dvi_text_source_of(const dv_type *item, int32_t column, bool in_vector,
                                   dvi_text_style style)
{
    dvi_text_source s = {.column = column,
                         .step = 1,
                         .is_key = item->is_key,
                         .is_counted = item->key_count > 0,
                         .width = dvi_width_of(item),
                         .print = dvi_text_print_of(item, style, in_vector),
                         .count_items = dvi_text_count_of(item),
                         .initial = dvi_text_print_default(item, style)};
    s.values.key_min = item->key_min;
    s.values.key_most = item->is_key ? dvi_text_key_most(item) : 0;
    return s;
}

/* --- Failures --- */

/* `row 17, column "x"` */
typedef struct where {
    char text[160];
} where;

static where where_of(const dvi_text_source *s, const dv_schema *schema, int64_t row)
{
    where w;
    const dv_column_info *info = dv_schema_column(schema, s->column);
    snprintf(w.text, sizeof w.text, "row %" PRId64 ", column \"%s\"", row,
             dvi_show(info->name).text);
    return w;
}

/* The row that holds an item, numbered as in errors. */
static int64_t row_of_item(const dvi_text_source *s, int64_t item)
{
    int64_t row = 0;
    if (!s->is_vector)
        return s->row + item;
    for (; row + 1 < s->view.rows; row++) {
        const int32_t count = dvi_vector_count(&s->view.as.vector, row);
        item -= count < 0 ? dvi_vector_length(&s->view.as.vector, row) : count;
        if (item < 0)
            break;
    }
    return s->row + row;
}

static dv_status fail_broken(const dvi_text_source *s, int64_t row, const char *wanted,
                             dv_error *err)
{
    return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "the view", "%s|others in row %" PRId64, wanted,
                    s->row + row);
}

/* --- The shape of a batch --- */

static const uint8_t nothing[16]; /* the arrays of a batch without items */

static const uint8_t *data_of(const dv_buffer *buffer)
{
    return buffer->data ? buffer->data : nothing;
}

/* Find the items of the batch's rows. */
static dv_status find_list(dvi_text_source *s, dv_error *err)
{
    const dv_vector_layout *vector = &s->view.as.vector;
    s->list = s->view;
    if (!s->is_vector)
        return DV_OK;
    const dv_sparse rows = dvi_vector_sparse(vector, s->view.rows);
    int64_t sums[2];
    dvi_kernels()->counts_check(&rows, 0, sums); /* valid: dv_batch_fill checked them */
    DVI_REQUIRE(dvi_kernels()->indices_check(&rows, (size_t)sums[0]) == (size_t)sums[0],
                fail_broken(s, 0, "indices that rise below the length", err));
    s->lengths = rows.lengths;
    s->counts = rows.counts;
    s->index = s->indices = rows.indices;
    s->slots = rows.length;
    s->list = *vector->items;
    dvi_column_advance(&s->list, vector->item_base);
    dvi_column_limit(&s->list, sums[1]);
    return DV_OK;
}

/* Does a boundary cut a character in two? The texts as a whole are UTF-8. */
static bool has_cut(const dvi_text_values *values, int64_t n)
{
    const int32_t last = dvi_load_i32(values->beside + 4 * (n - 1)) & INT32_MAX;
    for (int64_t i = 0; i < n; i++) {
        const int32_t end = dvi_load_i32(values->beside + 4 * i) & INT32_MAX;
        if (end < last && (values->main[end] & 0xC0) == 0x80)
            return true;
    }
    return false;
}

static dv_status check_texts(dvi_text_source *s, size_t room, int64_t n, dv_error *err)
{
    const dvi_text_values *values = &s->values;
    int32_t last = values->first;
    size_t units;
    const size_t sound = dvi_kernels()->ends_check(NULL, values->beside, (size_t)n, last, &last);
    DVI_REQUIRE(sound == (size_t)n && (size_t)last <= room,
                fail_broken(s, 0, "texts end to end", err));
    const size_t nbytes = (size_t)(last - values->first);
    const size_t good = dvi_kernels()->utf8_units(values->main + values->first, nbytes, &units);
    DVI_REQUIRE(good == nbytes && (units == nbytes || !has_cut(values, n)),
                fail_broken(s, 0, "texts of valid UTF-8", err));
    dvi_text_marks_start(&s->marks, values->main, values->first, last);
    return DV_OK;
}

dv_status dvi_text_source_begin(dvi_text_source *s, const dv_column_view *view, int64_t row,
                                dv_error *err)
{
    s->view = *view;
    s->row = row;
    s->is_vector = view->layout == DV_LAYOUT_VECTOR;
    s->item = 0;
    s->items = !s->is_vector;
    s->length = 1;
    s->is_sparse = false;
    DVI_TRY(find_list(s, err));
    const dv_column_view *list = &s->list;
    if (list->layout == DV_LAYOUT_TEXT) {
        s->values.main = data_of(&list->as.text.utf8);
        s->values.beside = data_of(&list->as.text.ends);
        s->values.first = list->as.text.first;
        return list->rows > 0 ? check_texts(s, list->as.text.utf8.nbytes, list->rows, err) : DV_OK;
    }
    const bool is_zoned = list->layout == DV_LAYOUT_ZONED;
    s->values.main = data_of(is_zoned ? &list->as.zoned.ticks : &list->as.fixed.values);
    s->values.beside = is_zoned ? data_of(&list->as.zoned.minutes) : NULL;
    return DV_OK;
}

/* --- Losses that only values show --- */

/* The first key that is too large and not missing; -1: none. */
static int64_t find_odd_key(const dvi_text_source *s)
{
    for (int64_t i = 0; i < s->list.rows; i++) {
        uint64_t key = 0;
        memcpy(&key, s->values.main + (size_t)i * s->width, s->width);
        if (key > s->values.key_most)
            return i;
    }
    return -1;
}

static dv_status fail_loss(const dvi_text_source *s, const dvi_saving *saving, int64_t item,
                           const char *wanted, const char *found, dv_error *err)
{
    const where w = where_of(s, saving->schema, row_of_item(s, item));
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, w.text, "%s|%s", wanted, found);
}

static dv_status check_keys(const dvi_text_source *s, const dvi_saving *saving, dv_error *err)
{
    if (s->is_counted && dvi_saving_allows(saving, DV_LOSS_NA))
        return DV_OK;
    const int64_t i = find_odd_key(s);
    if (i < 0)
        return DV_OK;
    return s->is_counted
               ? fail_loss(s, saving, i, "a key up to the count, or na allowed", "a larger one",
                           err)
               : fail_loss(s, saving, i, "a key with a number up to 2^64-1", "a larger one", err);
}

/* The first text, or key that is written as a text, that is NA; -1: none. */
static int64_t find_na(const dvi_text_source *s)
{
    int64_t i = 0;
    for (dv_value v = {.column = &s->list}; i < s->list.rows; v.row = ++i)
        if (dv_value_is_na(&v))
            return i;
    return -1;
}

/* The only field of a line is "" if it is NA, because readers skip empty lines. */
static dv_status check_only_text(const dvi_text_source *s, const dvi_text_plan *plan, dv_error *err)
{
    const bool is_text = s->words.word ? s->words.are_texts : !s->print;
    if (!is_text || plan->slots > 1 || dvi_saving_allows(plan->saving, DV_LOSS_NA))
        return DV_OK;
    const int64_t i = find_na(s);
    return i < 0 ? DV_OK
                 : fail_loss(s, plan->saving, i,
                             "a text, because the only column of a CSV has no "
                             "sign for NA, or loss na allowed",
                             "NA", err);
}

dv_status dvi_text_source_check(const dvi_text_source *s, const dvi_text_plan *plan, dv_error *err)
{
    if (s->is_key && plan->form.style != DVI_TEXT_MLNET)
        DVI_TRY(check_keys(s, plan->saving, err));
    return plan->form.style == DVI_TEXT_CSV ? check_only_text(s, plan, err) : DV_OK;
}

dv_status dvi_text_source_check_breaks(const dvi_text_source *s, const dvi_text_plan *plan,
                                       int64_t item, dv_text text, dv_error *err)
{
    if (plan->form.style != DVI_TEXT_TYPED || dvi_saving_allows(plan->saving, DV_LOSS_BREAKS) ||
        !memchr(text.data, '\r', (size_t)text.nbytes))
        return DV_OK;
    return fail_loss(s, plan->saving, item, "a text without CR, or breaks allowed", "CR", err);
}

dv_status dvi_text_source_check_word(const dvi_text_source *s, const dvi_text_plan *plan,
                                     int64_t item, dv_text word, dv_error *err)
{
    if (word.nbytes >= 0 || dvi_saving_allows(plan->saving, DV_LOSS_NA))
        return DV_OK;
    return fail_loss(s, plan->saving, item, "a key whose value is not NA, or na allowed", "NA",
                     err);
}

/* --- Rows --- */

void dvi_text_source_next(dvi_text_source *s, int64_t row)
{
    s->item += s->items;
    if (s->is_sparse && s->items > 0)
        s->index += 4 * (size_t)s->items;
    const int32_t count = dvi_load_i32(s->counts + 4 * row);
    s->length = s->lengths ? dvi_load_i32(s->lengths + 4 * row) : s->slots;
    s->is_sparse = count >= 0;
    s->items = count < 0 ? s->length : count;
}
