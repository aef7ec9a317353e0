/* SPDX-License-Identifier: MIT */
/* model_text.c: writes the steps of a model in the notation of pipelines. */
#include "base/alloc.h"
#include "mlnet/model_read.h"
#include "pipeline/pipe_notation.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 4096 }; /* at most */

/* --- Text ------------------------------------------------------------------------------------- */

dv_status dvi_model_put(dvi_model_reading *r, dvi_model_text *text, dv_text more, dv_error *err)
{
    const size_t n = (size_t)more.nbytes;
    DVI_REQUIRE(n <= (size_t)DVI_NOTATION_NBYTES - text->used,
                dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "bytes of the steps as text",
                         "at most 2^26|more"));
    DVI_TRY(dvi_memory_extend(&text->memory, text->used, text->used + n + 1, r->allocator, err));
    if (n > 0)
        memcpy(text->memory->data + text->used, more.data, n);
    text->used += n;
    return DV_OK;
}

dv_status dvi_model_putf(dvi_model_reading *r, dvi_model_text *text, dv_error *err,
                         const char *format, ...)
{
    char more[128];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(more, sizeof more, format, args);
    va_end(args);
    return dvi_model_put(r, text, (dv_text){more, n < (int)sizeof more ? n : 0}, err);
}

dv_status dvi_model_put_quoted(dvi_model_reading *r, dvi_model_text *text, dv_text more,
                               dv_error *err)
{
    const dv_text quote = dv_text_of("\"");
    DVI_TRY(dvi_model_put(r, text, quote, err));
    for (int64_t i = 0, n; i < more.nbytes; i += n) {
        for (n = 0; i + n < more.nbytes && more.data[i + n] != '"' && more.data[i + n] != '\\';)
            n++;
        DVI_TRY(dvi_model_put(r, text, (dv_text){more.data + i, n}, err));
        if (i + n == more.nbytes)
            break;
        const char escaped[2] = {'\\', more.data[i + n++]};
        DVI_TRY(dvi_model_put(r, text, (dv_text){escaped, 2}, err));
    }
    return dvi_model_put(r, text, quote, err);
}

dv_status dvi_model_set_options(dvi_model_reading *r, dvi_model_column *columns, int32_t n,
                                dv_error *err)
{
    dv_text options = {"", 0};
    if (r->scratch.used > 0)
        DVI_TRY(dvi_arena_text(
            &r->arena, &options,
            (dv_text){(const char *)r->scratch.memory->data, (int64_t)r->scratch.used}, err));
    r->scratch.used = 0;
    for (int32_t i = 0; i < n; i++)
        columns[i].options = options;
    return DV_OK;
}

/* --- Steps ------------------------------------------------------------------------------------ */

static dv_status put_column(dvi_model_reading *r, const dvi_model_column *column, dv_error *err)
{
    DVI_TRY(dvi_model_put(r, &r->text, dv_text_of(" "), err));
    DVI_TRY(dvi_model_put_quoted(r, &r->text, column->name, err));
    for (int32_t i = 0; i < column->n; i++) {
        DVI_TRY(dvi_model_put(r, &r->text, dv_text_of(i > 0 ? "," : ":"), err));
        DVI_TRY(dvi_model_put_quoted(r, &r->text, column->sources[i], err));
    }
    return DV_OK;
}

static dv_status put_step(dvi_model_reading *r, const char *step, const dvi_model_column *columns,
                          int32_t n, dv_error *err)
{
    DVI_REQUIRE(r->steps < STEPS, dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "steps",
                                           "at most %d|more", STEPS));
    DVI_TRY(dvi_model_put(r, &r->text, dv_text_of(step), err));
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(put_column(r, &columns[i], err));
    if (columns[0].options.nbytes > 0)
        DVI_TRY(dvi_model_put(r, &r->text, columns[0].options, err));
    r->steps++;
    return dvi_model_put(r, &r->text, dv_text_of("\n"), err);
}

/* From here on the reading releases the tables. */
static dv_status take_tables(dvi_model_reading *r, dvi_model_column *columns, int32_t n,
                             dv_error *err)
{
    void *tables = r->tables;
    const dv_status status = dvi_array_reserve(r->allocator, &tables, &r->tables_cap,
                                               r->tables_count + (size_t)n, sizeof *r->tables, err);
    r->tables = tables;
    for (int32_t i = 0; i < n; i++) {
        dv_view **const own[DVI_MODEL_TABLES] = {&columns[i].table, &columns[i].labels};
        for (int k = 0; k < DVI_MODEL_TABLES; k++) {
            if (status == DV_OK)
                r->tables[r->tables_count][k] = *own[k];
            else
                dv_view_release(own[k]);
            *own[k] = NULL;
        }
        r->tables_count += status == DV_OK;
    }
    return status;
}

/* All columns of a step of ML.NET are made of what was there before it. */
static dv_status check_order(const dvi_model_reading *r, const char *step,
                             const dvi_model_column *before, int32_t n,
                             const dvi_model_column *column, dv_error *err)
{
    (void)r;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < column->n; k++)
            DVI_REQUIRE(!dv_text_equal(before[i].name, column->sources[k]),
                        dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:S2", -1, "columns of a step",
                                 "those that no column of the step replaces|"
                                 "\"%s\" in %s",
                                 dvi_show(column->sources[k]).text, step));
    return DV_OK;
}

static dv_status add(dvi_model_reading *r, const char *step, dvi_model_column *columns, int32_t n,
                     bool is_each, dv_error *err)
{
    DVI_TRY(take_tables(r, columns, n, err));
    for (int32_t first = 0, end; first < n; first = end) {
        for (end = first + 1;
             !is_each && end < n && dv_text_equal(columns[end].options, columns[first].options);)
            end++;
        for (int32_t i = first; first > 0 && i < end; i++)
            DVI_TRY(check_order(r, step, columns, first, &columns[i], err));
        DVI_TRY(put_step(r, step, columns + first, end - first, err));
    }
    return DV_OK;
}

dv_status dvi_model_add(dvi_model_reading *r, const char *step, dvi_model_column *columns,
                        int32_t n, dv_error *err)
{
    return add(r, step, columns, n, false, err);
}

dv_status dvi_model_add_each(dvi_model_reading *r, const char *step, dvi_model_column *columns,
                             int32_t n, dv_error *err)
{
    return add(r, step, columns, n, true, err);
}

dv_status dvi_model_columns(dvi_model_part *part, dvi_model_column **columns_out, int32_t *n_out,
                            dv_error *err)
{
    void *made;
    DVI_TRY(dvi_model_count(part, n_out, 1, 8, "number of columns", err));
    DVI_TRY(dvi_arena_alloc(part->arena, &made, (size_t)*n_out * sizeof(dvi_model_column), err));
    *columns_out = made;
    for (int32_t i = 0; i < *n_out; i++) {
        dvi_model_column *column = &(*columns_out)[i];
        dv_text *source;
        DVI_TRY(dvi_model_string(part, &column->name, "name of a column", err));
        DVI_TRY(dvi_model_strings(part, &source, 1, "source of a column", err));
        column->options = dv_text_of("");
        column->sources = source;
        column->n = 1;
    }
    return DV_OK;
}

dv_status dvi_model_drop_tables(dvi_model_column *columns, int32_t n, dv_status status)
{
    for (int32_t i = 0; i < n; i++) {
        dv_view_release(&columns[i].table);
        dv_view_release(&columns[i].labels);
    }
    return status;
}

dv_status dvi_model_each(dvi_model_reading *r, dvi_model_part *part, const char *step,
                         dvi_model_read_column *read, dv_error *err)
{
    dvi_model_column *columns;
    int32_t n;
    dv_status status = DV_OK;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    for (int32_t i = 0; status == DV_OK && i < n; i++)
        status = read(r, part, &columns[i], i, err);
    return status < 0 ? dvi_model_drop_tables(columns, n, status)
                      : dvi_model_add(r, step, columns, n, err);
}

dv_status dvi_model_refuse(const dvi_model_part *part, const char *what, const char *expected,
                           const char *found, dv_error *err)
{
    return dvi_model_within(
        part, dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:S2", -1, what, "%s|%s", expected, found),
        err);
}
