/* SPDX-License-Identifier: MIT */
/* text_csv_header.c: the first line of a CSV: a name for each field, each name once.
 *
 * A slot has the name that metadata give it. Without one it is NAME.0, NAME.1 and so on; if another
 * field has the same, NAME.SLOTNAME. Names that are still the same are numbered: x, x_2, x_3. A
 * column that hides another of its name keeps it. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "codec/option_string.h"
#include "format/text/save/text_save_priv.h"
#include <dataview/schema.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The name of a field. */
typedef struct field {
    dv_text name;
    int32_t same; /* the number of the last field that got its name with a number */
    int32_t output, slot;
} field;

typedef struct header {
    const dvi_text_plan *plan;
    dvi_arena arena;
    dvi_hashtab table; /* of the names given so far: their fields */
    field *fields;     /* in the order of the file */
    int32_t count;
} header;

static const dv_text none = {"", 0};

/* --- Wanted names --- */

static bool is_slot(const header *h, const field *f)
{
    return h->plan->outputs[f->output].is_vector;
}

/* Copy the names of slots from metadata. */
static dv_status read_slot_names(header *h, const dvi_text_output *output, field *first,
                                 dv_error *err)
{
    const dv_batch *value;
    const dv_schema *schema = h->plan->saving->schema;
    DVI_TRY(dv_schema_metadata_value(schema, output->column, output->names, &value, err));
    const dv_value names = dv_value_first(dv_batch_column(value, 0));
    dv_status status = DV_OK;
    for (int32_t i = 0; i < dv_value_items(&names) && status == DV_OK; i++) {
        const dv_value item = dv_value_item(&names, i);
        const dv_text name = dv_value_tx(&item);
        if (dvi_text_trim(name).nbytes > 0)
            status = dvi_arena_text(&h->arena, &first[dv_value_slot(&names, i)].name, name, err);
    }
    dv_batch_release(&value);
    return status;
}

static dv_status make_fields(header *h, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&h->arena, &made, (size_t)h->plan->slots * sizeof *h->fields, err));
    h->fields = made;
    for (int32_t k = 0; k < h->plan->count; k++) {
        const dvi_text_output *output = &h->plan->outputs[k];
        field *first = h->fields + h->count;
        for (int32_t i = 0; i < output->slots; i++)
            h->fields[h->count++] = (field){
                output->is_vector || output->name.nbytes == 0 ? none : output->name, 1, k, i};
        if (output->names >= 0)
            DVI_TRY(read_slot_names(h, output, first, err));
    }
    return DV_OK;
}

/* --- Each once --- */

/* NAME.SLOTNAME, or NAME.0 */
static dv_status qualify(header *h, field *f, dv_error *err)
{
    char number[16];
    void *made;
    const dv_text column = h->plan->outputs[f->output].name;
    snprintf(number, sizeof number, "%" PRId32, f->slot);
    const dv_text slot = f->name.nbytes > 0 ? f->name : dv_text_of(number);
    const size_t n = (size_t)column.nbytes, m = (size_t)slot.nbytes;
    DVI_TRY(dvi_arena_alloc(&h->arena, &made, n + m + 1, err));
    char *p = made;
    if (n > 0)
        memcpy(p, column.data, n);
    p[n] = '.';
    memcpy(p + n + 1, slot.data, m);
    f->name = (dv_text){p, (int64_t)(n + m + 1)};
    return DV_OK;
}

/* Slots without a name, and those with the name of another field, take that of their column. */
static dv_status qualify_all(header *h, dv_error *err)
{
    int32_t before;
    for (int32_t i = 0; i < h->count; i++) {
        field *f = &h->fields[i];
        if (is_slot(h, f) && f->name.nbytes == 0)
            continue;
        DVI_TRY(dvi_hashtab_put(&h->table, f->name, i, &before, err));
        f->same = before;
    }
    for (int32_t i = h->count - 1; i >= 0; i--) {
        field *f = &h->fields[i];
        const bool is_unnamed = f->name.nbytes == 0;
        const int32_t last = is_unnamed ? -1 : dvi_hashtab_get(&h->table, f->name);
        const bool is_shared = last >= 0 && (last != i || f->same >= 0);
        f->same = 1;
        if (is_slot(h, f) && (is_unnamed || is_shared))
            DVI_TRY(qualify(h, f, err));
    }
    return DV_OK;
}

/* x, or x_2, x_3, ... if fields before have these. */
static dv_status number(header *h, int32_t i, dv_error *err)
{
    int32_t before;
    field *f = &h->fields[i];
    const dv_text wanted = f->name;
    const int32_t first = dvi_hashtab_get(&h->table, wanted);
    void *made;
    if (first < 0)
        return dvi_hashtab_put(&h->table, wanted, i, &before, err);
    const size_t n = (size_t)wanted.nbytes;
    DVI_TRY(dvi_arena_alloc(&h->arena, &made, n + 16, err));
    char *p = made;
    if (n > 0)
        memcpy(p, wanted.data, n);
    do {
        const int m = snprintf(p + n, 16, "_%" PRId32, ++h->fields[first].same);
        f->name = (dv_text){p, (int64_t)n + m};
    } while (dvi_hashtab_get(&h->table, f->name) >= 0);
    return dvi_hashtab_put(&h->table, f->name, i, &before, err);
}

/* Columns before slots, and the last of a name first, because it hides the others. */
static dv_status number_all(header *h, dv_error *err)
{
    for (int slots = 0; slots < 2; slots++)
        for (int32_t i = h->count - 1; i >= 0; i--)
            if (is_slot(h, &h->fields[i]) == (slots == 1))
                DVI_TRY(number(h, i, err));
    return DV_OK;
}

static dv_status make_names(header *h, dv_error *err)
{
    DVI_TRY(make_fields(h, err));
    DVI_TRY(qualify_all(h, err));
    dvi_hashtab_free(&h->table);
    dvi_hashtab_init(&h->table, h->plan->saving->allocator);
    return number_all(h, err);
}

/* --- Writing --- */

static dv_status write_names(dvi_text_writer *out, const header *h, dv_error *err)
{
    const char separator = h->plan->form.separator;
    const dvi_text_quoting quoting = dvi_text_quoting_of(separator, DVI_TEXT_CSV, h->plan->slots);
    for (int32_t i = 0; i < h->count; i++) {
        const dv_text name = h->fields[i].name;
        DVI_TRY(dvi_text_needs_quotes(name, &quoting)
                    ? dvi_text_write_quoted(out, name, &quoting, err)
                    : dvi_text_write_bytes(out, name.data, (size_t)name.nbytes, err));
        DVI_TRY(dvi_text_writer_reserve(out, 1, err));
        *out->p++ = i + 1 < h->count ? separator : '\n';
    }
    return dvi_text_writer_reserve(out, 1, err);
}

static dv_status keep_names(dvi_text_plan *plan, const header *h, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&plan->arena, &made, (size_t)h->count * sizeof(dv_text), err));
    plan->csv_names = made;
    for (int32_t i = 0; i < h->count; i++)
        DVI_TRY(dvi_arena_text(&plan->arena, &plan->csv_names[i], h->fields[i].name, err));
    return DV_OK;
}

dv_status dvi_text_write_csv_header(dvi_text_writer *out, dvi_text_plan *plan, dv_error *err)
{
    header h = {.plan = plan};
    if (!plan->has_header)
        return DV_OK;
    dvi_arena_init(&h.arena, plan->saving->allocator);
    dvi_hashtab_init(&h.table, plan->saving->allocator);
    dv_status status = make_names(&h, err);
    if (status == DV_OK)
        status = write_names(out, &h, err);
    if (status == DV_OK)
        status = keep_names(plan, &h, err);
    dvi_hashtab_free(&h.table);
    dvi_arena_free(&h.arena);
    return status;
}
