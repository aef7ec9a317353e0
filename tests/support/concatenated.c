/* SPDX-License-Identifier: MIT */
/* concatenated.c: reads several views as one, with the library and without it. */
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/produce.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

dvt_set dvt_set_open(const char *names, const dv_open_options *options)
{
    dvt_set set = {.n = 0};
    while (*names) {
        char name[96];
        const int n = (int)strcspn(names, " ");
        snprintf(name, sizeof name, "idv/%.*s.idv", n, names);
        DVT_MUST(set.n < DVT_APPENDED_MAX);
        set.view[set.n++] = dvt_golden_open(name, options);
        names += n + (names[n] == ' ');
    }
    return set;
}

void dvt_set_release(dvt_set *set)
{
    for (int32_t i = 0; i < set->n; i++)
        dv_view_release(&set->view[i]);
    set->n = 0;
}

static void put_row(dvt_lines *lines, int64_t number, const dv_u128 *id, const dv_value *values,
                    int32_t columns)
{
    const dv_sink sink = dvt_lines_sink(lines);
    dvt_lines_print(lines, "%" PRId64, number);
    if (id)
        dvt_lines_print(lines, " %016" PRIx64 "%016" PRIx64, id->hi, id->lo);
    else
        dvt_lines_print(lines, " -");
    for (int32_t k = 0; k < columns; k++) {
        dvt_lines_print(lines, " ");
        dv_value_write(&values[k], DV_STYLE_EXACT, &sink);
    }
    dvt_lines_print(lines, "\n");
}

#define COLUMNS_MAX 32

static void first_values(dv_value *values, const dv_batch *batch)
{
    DVT_MUST(batch->columns <= COLUMNS_MAX);
    for (int32_t k = 0; k < batch->columns; k++)
        values[k] = dv_value_first(dv_batch_column(batch, k));
}

static void next_values(dv_value *values, const dv_batch *batch)
{
    for (int32_t k = 0; k < batch->columns; k++)
        dv_value_next(&values[k]);
}

dv_status dvt_put_numbered(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                           dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t position = 0, number = -1;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    if (status != DV_OK)
        return status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        dv_value values[COLUMNS_MAX];
        DVT_MUST(batch->position == position && (number < 0 || batch->first_row == number));
        DVT_MUST((batch->ids != NULL) == options->ids);
        first_values(values, batch);
        number = batch->first_row;
        for (int64_t row = 0; row < batch->rows; row++, number++) {
            put_row(lines, number, batch->ids ? &batch->ids[row] : NULL, values, batch->columns);
            if (row + 1 < batch->rows)
                next_values(values, batch);
        }
        position += batch->rows;
    }
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* Combine of semantics:5.4, step by step. */
static dv_u128 combine(dv_u128 id, uint64_t number)
{
    const uint64_t c1 = UINT64_C(0x87c37b91114253d5), c2 = UINT64_C(0x4cf5ad432745937f);
    const uint64_t lo = rotate(number, 27) * 5 + 0x52dce729;
    const uint64_t fh = lo * 5 + 0x38495ab5; /* Next of {number, 0}; rotl(0, 31) is 0 */
    const uint64_t fl = lo ^ rotate(c1, 31) * c2;
    const uint64_t a = rotate(fl * c1, 31) * c2, b = rotate(fh * c2, 33) * c1;
    dv_u128 made;
    made.lo = (rotate(id.lo ^ a, 27) + id.hi) * 5 + 0x52dce729;
    made.hi = (rotate(id.hi ^ b, 31) + made.lo) * 5 + 0x38495ab5;
    return made;
}

void dvt_put_truth(dvt_lines *lines, const dvt_set *set, int64_t first, int64_t end, bool ids)
{
    int64_t number = 0;
    for (int32_t i = 0; i < set->n; i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        options.threads = 1;
        options.ids = true;
        DVT_MUST(dv_cursor_open(&cursor, set->view[i], &options, NULL) == DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
            dv_value values[COLUMNS_MAX];
            first_values(values, batch);
            for (int64_t row = 0; row < batch->rows; row++, number++) {
                const dv_u128 id =
                    set->n > 1 ? combine(batch->ids[row], (uint64_t)i) : batch->ids[row];
                if (number >= first && number < end)
                    put_row(lines, number, ids ? &id : NULL, values, batch->columns);
                if (row + 1 < batch->rows)
                    next_values(values, batch);
            }
        }
        dv_cursor_close(&cursor);
    }
}
