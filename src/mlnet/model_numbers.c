/* SPDX-License-Identifier: MIT */
/* model_numbers.c: steps that have learned numbers: how to scale a column, or what stands for
 * missing values. */
#include "mlnet/model_read.h"
#include <dataview/cursor.h>
#include <dataview/table.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    R4 = 9, /* kinds */
    R8 = 10,
    KINDS = 16,
    SLOTS = 1 << 24, /* that a step learns from at most (dvp:PT10) */
    FILLED = 1 << 22 /* of which a model has no numbers */
};

/* --- Numbers ---------------------------------------------------------------------------------- */

/* A column that is normalized. */
typedef struct normalized {
    dv_kind kind;  /* R4 or R8 */
    int32_t slots; /* of a scalar 1 */
    bool is_vector;
} normalized;

static size_t width_of(const normalized *n)
{
    return n->kind == DV_KIND_R4 ? 4 : 8;
}

/* Copy n numbers of the column's kind, aligned. */
static dv_status copy_numbers(void **copy_out, dvi_model_part *part, const normalized *of,
                              int32_t n, const char *what, dv_error *err)
{
    const uint8_t *bytes;
    const size_t nbytes = (size_t)n * width_of(of);
    DVI_TRY(dvi_model_bytes(part, &bytes, nbytes, what, err));
    DVI_TRY(dvi_arena_alloc(part->arena, copy_out, nbytes + width_of(of), err));
    for (size_t i = 0; of->kind == DV_KIND_R4 && i < (size_t)n; i++)
        ((float *)*copy_out)[i] = dvi_load_f4(bytes + 4 * i);
    for (size_t i = 0; of->kind == DV_KIND_R8 && i < (size_t)n; i++)
        ((double *)*copy_out)[i] = dvi_load_f8(bytes + 8 * i);
    return DV_OK;
}

/* Parts of normalizers begin with the width of their numbers. */
static dv_status read_width(dvi_model_part *part, const normalized *n, dv_error *err)
{
    int32_t width;
    const int32_t want = (int32_t)width_of(n);
    return dvi_model_i32(part, &width, want, want, "bytes of a number", err);
}

static dv_status make_table(dvi_model_reading *r, dv_view **table_out, const normalized *n,
                            const char *const names[2], void *const values[2], int64_t rows,
                            dv_error *err)
{
    dv_table_column columns[2];
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = r->allocator;
    for (int32_t k = 0; k < 2; k++)
        columns[k] =
            (dv_table_column){.name = names[k], .type = dv_type_of(n->kind), .values = values[k]};
    if (strcmp(names[0], "Slot") == 0)
        columns[0].type = dv_type_of(DV_KIND_I4);
    return dv_table_create(table_out, columns, 2, rows, &options, err);
}

/* --- Normalizers ------------------------------------------------------------------------------ */

/* An offset under a scale of 0 is none: infinities would become NaN by it. */
static void drop_offset(const normalized *n, void *offsets, const void *scales, int32_t i)
{
    if (n->kind == DV_KIND_R4 && ((const float *)scales)[i] == 0)
        ((float *)offsets)[i] = 0;
    if (n->kind == DV_KIND_R8 && ((const double *)scales)[i] == 0)
        ((double *)offsets)[i] = 0;
}

/* The slots that have a scale, in order. */
typedef struct listed {
    int32_t count;
    const uint8_t *slots; /* 4 bytes each; NULL: all slots have one */
} listed;

/* What the model has no numbers for is bounded: a file could claim any number of such slots. */
static dv_status count_filled(dvi_model_reading *r, int32_t slots, dv_error *err)
{
    r->filled_slots += slots;
    DVI_REQUIRE(r->filled_slots <= FILLED,
                dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "slots without a scale",
                         "at most %d in a model|more", FILLED));
    return DV_OK;
}

static dv_status read_listed(dvi_model_reading *r, dvi_model_part *part, const normalized *n,
                             listed *list, dv_error *err)
{
    int32_t count, slot = -1;
    *list = (listed){.count = n->slots};
    DVI_TRY(dvi_model_i32(part, &count, -1, n->slots - 1, "slots with a scale", err));
    if (count < 0)
        return DV_OK;
    list->count = count;
    DVI_TRY(dvi_model_bytes(part, &list->slots, 4 * (size_t)count, "slots with a scale", err));
    for (int32_t i = 0; i < count; i++) {
        const int32_t before = slot;
        slot = dvi_load_i32(list->slots + 4 * (size_t)i);
        DVI_REQUIRE(slot > before && slot < n->slots,
                    dvi_model_within(part,
                                     dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P5", -1,
                                              "slot with a scale", "above %d, below %d|%d",
                                              (int)before, (int)n->slots, (int)slot),
                                     err));
    }
    return count_filled(r, n->slots - count, err);
}

/* Read the numbers of the listed slots; those of the others are `other`. */
static dv_status read_slots(void **values_out, dvi_model_part *part, const normalized *n,
                            const listed *list, double other, const char *what, dv_error *err)
{
    void *values;
    DVI_TRY(copy_numbers(values_out, part, n, list->count, what, err));
    if (!list->slots)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(part->arena, &values, (size_t)n->slots * width_of(n), err));
    for (int32_t i = 0, k = 0; i < n->slots; i++) {
        const bool is_listed = k < list->count && dvi_load_i32(list->slots + 4 * (size_t)k) == i;
        if (n->kind == DV_KIND_R4)
            ((float *)values)[i] = is_listed ? ((const float *)*values_out)[k] : (float)other;
        else
            ((double *)values)[i] = is_listed ? ((const double *)*values_out)[k] : other;
        k += is_listed;
    }
    *values_out = values;
    return DV_OK;
}

static dv_status read_scales(dvi_model_reading *r, dvi_model_part *part, const normalized *n,
                             dv_view **table_out, dv_error *err)
{
    static const char *const names[] = {"Offset", "Scale"};
    int32_t count;
    listed list;
    void *values[2]; /* offsets and scales */
    DVI_TRY(read_width(part, n, err));
    DVI_TRY(dvi_model_i32(part, &count, n->slots, n->slots, "slots", err));
    DVI_TRY(read_listed(r, part, n, &list, err));
    DVI_TRY(dvi_model_i32(part, &count, list.count, list.count, "number of scales", err));
    DVI_TRY(read_slots(&values[1], part, n, &list, 1, "scales", err));
    DVI_TRY(dvi_model_i32(part, &count, 0, list.count, "number of offsets", err));
    DVI_REQUIRE(
        count == 0 || count == list.count,
        dvi_model_within(part,
                         dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P5", -1, "number of offsets",
                                  "0 or %d|%d", (int)list.count, (int)count),
                         err));
    if (count > 0)
        DVI_TRY(read_slots(&values[0], part, n, &list, 0, "offsets", err));
    else
        DVI_TRY(dvi_arena_alloc(part->arena, &values[0], (size_t)n->slots * width_of(n), err));
    for (int32_t i = 0; i < n->slots; i++)
        drop_offset(n, values[0], values[1], i);
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " mode=minmax"));
    return make_table(r, table_out, n, names, values, n->slots, err);
}

static dv_status read_deviations(dvi_model_reading *r, dvi_model_part *part, const normalized *n,
                                 dv_view **table_out, dv_error *err)
{
    static const char *const names[] = {"Mean", "Deviation"};
    bool is_log;
    int32_t count;
    void *values[2];
    DVI_TRY(read_width(part, n, err));
    DVI_TRY(dvi_model_flag(part, &is_log, "whether logarithms are taken", err));
    DVI_TRY(dvi_model_i32(part, &count, n->slots, n->slots, "slots", err));
    DVI_TRY(copy_numbers(&values[0], part, n, count, "means", err));
    DVI_TRY(copy_numbers(&values[1], part, n, count, "deviations", err));
    DVI_TRY(
        dvi_model_putf(r, &r->scratch, err, " mode=%s cdf+", is_log ? "logmeanvar" : "meanvar"));
    return make_table(r, table_out, n, names, values, count, err);
}

static dv_status read_bounds(dvi_model_reading *r, dvi_model_part *in, const normalized *n,
                             dv_view **table_out, dv_error *err)
{
    static const char *const names[] = {"Slot", "Bound"};
    dvi_model_part part;
    bool fixes_zero;
    int32_t count;
    size_t rows = 0;
    void *made[2], *bounds;
    DVI_TRY(dvi_model_flag(in, &fixes_zero, "whether 0 stays 0", err));
    DVI_TRY(dvi_model_open_inner(&part, in, "BinNormalizer", err));
    DVI_TRY(dvi_model_check_part(&part, "BIN NORM", 1, err));
    DVI_TRY(read_width(&part, n, err));
    DVI_TRY(dvi_model_i32(&part, &count, n->slots, n->slots, "slots", err));
    const size_t width = width_of(n), most = dvi_reader_left(&part.fields) / width;
    DVI_TRY(dvi_arena_alloc(part.arena, &made[0], 4 * (most + 1), err));
    DVI_TRY(dvi_arena_alloc(part.arena, &made[1], width * (most + 1), err));
    for (int32_t slot = 0; slot < n->slots; slot++) {
        DVI_TRY(dvi_model_count(&part, &count, 1, width, "bounds of a slot", err));
        DVI_TRY(copy_numbers(&bounds, &part, n, count, "bounds of a slot", err));
        memcpy((char *)made[1] + rows * width, bounds, (size_t)count * width);
        for (int32_t i = 0; i < count; i++)
            ((int32_t *)made[0])[rows++] = slot;
    }
    DVI_TRY(dvi_model_end_part(&part, err));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " mode=bin fixzero%c", fixes_zero ? '+' : '-'));
    return make_table(r, table_out, n, names, made, (int64_t)rows, err);
}

static const struct {
    const char *signature;
    uint32_t version;
    dv_status (*read)(dvi_model_reading *r, dvi_model_part *part, const normalized *n,
                      dv_view **table_out, dv_error *err);
} functions[] = {
    {"AFF NORM", 3, read_scales}, {"CDFNORMF", 1, read_deviations}, {"BINNORMF", 1, read_bounds}};

/* A normalizer is read only if it has the numbers of all slots, or of those that are listed, so
 * that a file cannot claim them. */
static dv_status read_type(dvi_model_part *part, normalized *n, dv_error *err)
{
    bool is_vector;
    uint8_t kind;
    int32_t rank = 0, dim;
    int64_t slots = 1;
    DVI_TRY(dvi_model_flag(part, &is_vector, "whether values are vectors", err));
    DVI_TRY(dvi_model_u8(part, &kind, KINDS, "kind of values", err));
    if (kind != R4 && kind != R8)
        return dvi_model_refuse(part, "kind of values", "R4 or R8", "another", err);
    if (is_vector)
        DVI_TRY(dvi_model_count(part, &rank, 1, 4, "dimensions", err));
    for (int32_t i = 0; i < rank; i++) {
        DVI_TRY(dvi_model_i32(part, &dim, 1, SLOTS, "dimension", err));
        slots *= dim;
        DVI_REQUIRE(slots <= SLOTS,
                    dvi_model_within(part,
                                     dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P5", -1, "slots",
                                              "at most %d|more", SLOTS),
                                     err));
    }
    *n = (normalized){kind == R4 ? DV_KIND_R4 : DV_KIND_R8, (int32_t)slots, is_vector};
    return DV_OK;
}

static dv_status read_function(dvi_model_reading *r, dvi_model_part *part, const normalized *n,
                               dv_view **table_out, dv_error *err)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(part->signature.text, functions[i].signature) != 0)
            continue;
        DVI_TRY(dvi_model_check_part(part, functions[i].signature, functions[i].version, err));
        DVI_TRY(functions[i].read(r, part, n, table_out, err));
        if (n->is_vector) /* sums of scores depend on it (modelzip:S5) */
            DVI_TRY(dvi_model_putf(r, &r->scratch, err, " sparse+"));
        return dvi_model_end_part(part, err);
    }
    return dvi_model_refuse(part, "normalizer", "AFF NORM, CDFNORMF or BINNORMF",
                            part->signature.text, err);
}

static dv_status read_normalizer(dvi_model_reading *r, dvi_model_part *part,
                                 dvi_model_column *column, int32_t i, dv_error *err)
{
    char folder[32];
    dvi_model_part function;
    normalized n;
    DVI_TRY(read_type(part, &n, err));
    snprintf(folder, sizeof folder, "Normalizer_%03d", (int)i);
    DVI_TRY(dvi_model_open_inner(&function, part, folder, err));
    DVI_TRY(read_function(r, &function, &n, &column->table, err));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_normalize(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "normalize", read_normalizer, err);
}

/* --- Missing values --------------------------------------------------------------------------- */

/* The slots of a vector, as the rows of a table. */
static dv_status table_of_slots(dvi_model_reading *r, dv_view **table_out, const dv_value *vector,
                                dv_kind kind, dv_error *err)
{
    void *made;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = r->allocator;
    DVI_REQUIRE(dv_value_items(vector) == vector->length && vector->length <= SLOTS,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P6", -1, "values for missing ones",
                         "a dense vector of at most %d|another", SLOTS));
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, 8 * (size_t)vector->length, err));
    for (int32_t i = 0; i < vector->length; i++) {
        const dv_value item = dv_value_item(vector, i);
        if (kind == DV_KIND_R4)
            ((float *)made)[i] = dv_value_r4(&item);
        else
            ((double *)made)[i] = dv_value_r8(&item);
    }
    const dv_table_column column = {.name = "Value", .type = dv_type_of(kind), .values = made};
    return dv_table_create(table_out, &column, 1, vector->length, &options, err);
}

/* The options for the only row of a table; a vector becomes another table. ML.NET does not say by
 * which statistic it found the value. */
static dv_status take_row(dvi_model_reading *r, dvi_model_column *column, const dv_value *value,
                          const dv_type *type, dv_error *err)
{
    if (type->rank == 0) {
        const double number =
            type->kind == DV_KIND_R4 ? (double)dv_value_r4(value) : dv_value_r8(value);
        return dvi_model_putf(r, &r->scratch, err, " mode=value value=%.*g",
                              type->kind == DV_KIND_R4 ? 9 : 17, number);
    }
    dv_view *slots;
    DVI_TRY(table_of_slots(r, &slots, value, type->kind, err));
    dv_view_release(&column->table);
    column->table = slots;
    return dvi_model_putf(r, &r->scratch, err, " mode=mean");
}

static dv_status read_replacement(dvi_model_reading *r, dvi_model_part *part,
                                  dvi_model_column *column, int32_t i, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    (void)i;
    DVI_TRY(dvi_model_value(r, part, &column->table, "Value", err));
    const dv_type type = dv_schema_column(dv_view_schema(column->table), 0)->type;
    if (type.is_key || (type.kind != DV_KIND_R4 && type.kind != DV_KIND_R8))
        return dvi_model_refuse(part, "kind of values", "R4 or R8", "another", err);
    DVI_TRY(dv_cursor_open(&cursor, column->table, &options, err));
    dv_status status = dv_cursor_next(cursor, &batch, err);
    if (status == DV_OK) {
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        status = dvi_model_within(part, take_row(r, column, &value, &type, err), err);
    }
    dv_cursor_close(&cursor);
    return status < 0 ? status : dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_replace_missing(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "replacena", read_replacement, err);
}
