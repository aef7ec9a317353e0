/* SPDX-License-Identifier: MIT */
/* tf_key_binary.c: plans a column of the bits of keys, and its metadata (semantics:7.3). */
#include "transform/tf_key_binary.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/metadata.h"
#include "transform/key_names.h"
#include "transform/key_positions.h"
#include "transform/tf_key_binary_priv.h"

#define BITS_MOST 32

/* --- SlotNames -------------------------------------------------------------------------------- */

/* The names of all bits, the highest first; those of fewer bits are the last ones. */
static const char bit_names[] = "Bit31Bit30Bit29Bit28Bit27Bit26Bit25Bit24Bit23Bit22Bit21Bit20"
                                "Bit19Bit18Bit17Bit16Bit15Bit14Bit13Bit12Bit11Bit10"
                                "Bit9Bit8Bit7Bit6Bit5Bit4Bit3Bit2Bit1Bit0";
static const int32_t bit_ends[BITS_MOST] = {5,   10,  15,  20,  25,  30,  35,  40,  45,  50,  55,
                                            60,  65,  70,  75,  80,  85,  90,  95,  100, 105, 110,
                                            114, 118, 122, 126, 130, 134, 138, 142, 146, 150};

/* A vector of the names of these bits, in memory that stays. */
static void name_bits(dvi_column *column, int32_t bits)
{
    static const int32_t dense = -1;
    const int32_t skipped = BITS_MOST - bits;
    const dv_buffer utf8 = {bit_names, sizeof bit_names - 1, NULL, false, true};
    const dv_buffer ends = {bit_ends + skipped, 4 * (size_t)bits, NULL, false, true};
    column->items =
        (dv_column_view){.type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = bits};
    column->items.as.text = (dv_text_layout){utf8, ends, skipped > 0 ? bit_ends[skipped - 1] : 0};
    column->view = (dv_column_view){
        .type = dv_type_vector(column->items.type, bits), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    column->view.as.vector.length = bits;
    column->view.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    column->view.as.vector.items = &column->items;
}

static dv_type names_type(const dvi_key_binary *b)
{
    dv_type type = b->type;
    type.kind = DV_KIND_TX;
    return type;
}

static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const dvi_key_binary *b = source;
    const dv_type type = names_type(b);
    dvi_column bits;
    (void)number;
    name_bits(&bits, b->bits);
    if (!b->is_vector)
        return dvi_metadata_batch(batch_out, &bits.view, &b->allocator, err);
    const dv_value texts = dv_value_first(&bits.view);
    *batch_out = NULL;
    return dvi_key_names_of_slots(batch_out, &type, b->schema, b->column, &texts, &b->allocator,
                                  err);
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const dvi_key_binary *b = made->mapped.params;
    const dv_type type = names_type(b);
    const dvi_metadata_source names = {load_names, (void *)(uintptr_t)b, 0, NULL};
    (void)source;
    if (b->type.size > 0 && dvi_key_texts(b->schema, b->column) >= 0)
        DVI_TRY(
            dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &names, err));
    return b->is_vector ? DV_OK : dvi_mapper_add_normalized(schema, column, err);
}

static const dvi_maker binary_maker = {.name = "binary",
                                       .describe = describe,
                                       .fill = dvi_key_binary_fill,
                                       .memory = sizeof(dvi_key_binary_memory),
                                       .release = dvi_key_binary_free};

/* One more than the number of the last key needs. */
static int32_t count_bits(uint64_t count)
{
    int32_t bits = 2;
    for (; count > 1; count /= 2)
        bits++;
    return bits;
}

/* Several keys are a dim of their own. */
static dv_status find_type(dvi_key_binary *b, const dv_type *from, dv_error *err)
{
    const dv_type item = dv_type_of(DV_KIND_R4);
    const int64_t size = (int64_t)from->size * b->bits;
    if (!b->is_vector || from->size == 1) {
        b->type = dv_type_vector(item, b->bits);
        return DV_OK;
    }
    if (size > INT32_MAX)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.3", -1, "slots of a vector",
                        "at most 2^31-1|%lld", (long long)size);
    b->dims[0] = from->size;
    b->dims[1] = b->bits;
    b->type = dv_type_tensor(item, b->dims, 2);
    return DV_OK;
}

dv_status dvi_key_binary_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                              int32_t column, const void *options, dv_error *err)
{
    const dv_type *from = &dv_schema_column(source, column)->type;
    void *room;
    (void)options;
    DVI_TRY(dvi_key_check(from, err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_key_binary), err));
    dvi_key_binary *b = room;
    b->schema = source;
    b->column = column;
    b->allocator = arena->allocator;
    b->bits = count_bits(from->key_count);
    b->is_vector = from->rank > 0;
    DVI_TRY(find_type(b, from, err));
    column_out->type = b->type;
    column_out->mapped = (dvi_mapped){&binary_maker, b, &b->column, 1};
    return DV_OK;
}
