/* SPDX-License-Identifier: MIT */
/* test_tf_key_vector.c: vectors that indicate or count keys, with their metadata. */
#include "base/random.h"
#include "support/allocator.h"
#include "support/json_table.h"
#include "support/planned.h"
#include "support/test.h"
#include "transform/tf_key_vector.h"
#include <dataview/cursor.h>
#include <dataview/value.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const dvi_key_vector_options indicator = {false}, bag = {true};

#define ONE "\"r4:3f800000\""
#define TWO "\"r4:40000000\""
#define ZERO "\"r4:00000000\""
#define VALUES3                                                                                    \
    "\"KeyValues\":{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"dense\":"                          \
    "[\"x\",null,\"z\"]}}"
#define NORMALIZED "\"IsNormalized\":{\"type\":\"BL\",\"value\":true}"
#define TABLE(type, metadata)                                                                      \
    "{\"rows\":0,\"columns\":[{\"name\":\"A\",\"type\":\"" type "\",\"metadata\":{" metadata       \
    "}}]}\n"
#define TRUTH(rows, type, metadata)                                                                \
    "{\"rows\":" rows ",\"columns\":[{\"name\":\"B\",\"type\":\"" type                             \
    "\",\"metadata\":{" metadata "}}]}\n"

/* The same keys of every width: 0, the ends of the range, and beyond it. */
#define SCALARS "[0]\n[1]\n[3]\n[4]\n[255]\n[2]\n"
#define HOT3                                                                                       \
    "[{\"len\":3,\"idx\":[],\"val\":[]}]\n[{\"len\":3,\"idx\":[0],\"val\":[" ONE "]}]\n"           \
    "[{\"len\":3,\"idx\":[2],\"val\":[" ONE "]}]\n[{\"len\":3,\"idx\":[],\"val\":[]}]\n"           \
    "[{\"len\":3,\"idx\":[],\"val\":[]}]\n[{\"len\":3,\"idx\":[1],\"val\":[" ONE "]}]\n"
#define RANGE3                                                                                     \
    "\"CategoricalSlotRanges\":{\"type\":\"V<I4,1,2>\",\"value\":{\"len\":2,\"dense\":[0,2]}}"

static const dvt_planned_case cases[] = {
    {"U1", dvi_key_vector_plan, &indicator, TABLE("U1[0-2]", "") SCALARS,
     TRUTH("6", "V<R4,3>", RANGE3 "," NORMALIZED) HOT3},
    {"U2", dvi_key_vector_plan, &indicator, TABLE("U2[0-2]", "") SCALARS,
     TRUTH("6", "V<R4,3>", RANGE3 "," NORMALIZED) HOT3},
    {"U4", dvi_key_vector_plan, &indicator, TABLE("U4[7-9]", VALUES3) SCALARS,
     TRUTH("6", "V<R4,3>",
           "\"SlotNames\":{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"dense\":"
           "[\"x\",null,\"z\"]}}," RANGE3 "," NORMALIZED) HOT3},
    {"U8", dvi_key_vector_plan, &indicator,
     TABLE("U8[0-2]", "") SCALARS "[4294967297]\n[18446744073709551615]\n",
     TRUTH("8", "V<R4,3>", RANGE3 "," NORMALIZED) HOT3
     "[{\"len\":3,\"idx\":[],\"val\":[]}]\n[{\"len\":3,\"idx\":[],\"val\":[]}]\n"},
    {"bag of scalars", dvi_key_vector_plan, &bag, TABLE("U4[0-2]", "") SCALARS,
     TRUTH("6", "V<R4,3>", NORMALIZED) HOT3},
    {"one value", dvi_key_vector_plan, &indicator, TABLE("U4[0-0]", "") "[1]\n[0]\n[2]\n[1]\n",
     TRUTH("4", "V<R4,1>",
           "\"CategoricalSlotRanges\":{\"type\":\"V<I4,1,2>\",\"value\":{\"len\":2,\"dense\":[0,0]}"
           "}," NORMALIZED) "[{\"len\":1,\"dense\":[" ONE "]}]\n[{\"len\":1,\"idx\":[],\"val\":[]}]"
                            "\n[{\"len\":1,\"idx\":[],\"val\":[]}]\n[{\"len\":1,\"dense\":[" ONE
                            "]}]\n"},
    {"2^31-1 values", dvi_key_vector_plan, &indicator,
     TABLE("U4[0-2147483646]", "") "[2147483647]\n[2147483648]\n",
     TRUTH("2", "V<R4,2147483647>",
           "\"CategoricalSlotRanges\":{\"type\":\"V<I4,1,2>\",\"value\":{\"len\":2,\"dense\":"
           "[0,2147483646]}}," NORMALIZED) "[{\"len\":2147483647,\"idx\":[2147483646],\"val\":[" ONE
                                           "]}]\n"
                                           "[{\"len\":2147483647,\"idx\":[],\"val\":[]}]\n"},
    {"vectors", dvi_key_vector_plan, &indicator,
     TABLE("V<U1[0-2],2>",
           VALUES3 ",\"SlotNames\":{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,\"idx\":[1],\"val\":"
                   "[\"b\"]}}") "[{\"len\":2,\"dense\":[1,3]}]\n[{\"len\":2,\"dense\":[4,0]}]\n"
                                "[{\"len\":2,\"idx\":[1],\"val\":[2]}]\n[{\"len\":2,\"idx\":[],"
                                "\"val\":[]}]\n",
     TRUTH("4", "V<R4,2,3>",
           "\"SlotNames\":{\"type\":\"V<TX,2,3>\",\"value\":{\"len\":6,\"dense\":"
           "[\"[0].x\",\"[0].\",\"[0].z\",\"b.x\",\"b.\",\"b.z\"]}},"
           "\"CategoricalSlotRanges\":{\"type\":\"V<I4,2,2>\",\"value\":{\"len\":4,\"dense\":"
           "[0,2,3,5]}}," NORMALIZED) "[{\"len\":6,\"idx\":[0,5],\"val\":[" ONE "," ONE
                                      "]}]\n[{\"len\":6,\"idx\":[],\"val\":[]}]\n"
                                      "[{\"len\":6,\"idx\":[4],\"val\":[" ONE
                                      "]}]\n[{\"len\":6,\"idx\":[],\"val\":[]}]\n"},
    {"vectors of one value", dvi_key_vector_plan, &indicator,
     TABLE("V<U4[0-0],2>", "") "[{\"len\":2,\"dense\":[1,1]}]\n[{\"len\":2,\"dense\":[0,1]}]\n"
                               "[{\"len\":2,\"idx\":[0],\"val\":[1]}]\n",
     TRUTH("3", "V<R4,2,1>",
           "\"CategoricalSlotRanges\":{\"type\":\"V<I4,2,2>\",\"value\":{\"len\":4,\"dense\":"
           "[0,0,1,1]}}," NORMALIZED) "[{\"len\":2,\"dense\":[" ONE "," ONE "]}]\n"
                                      "[{\"len\":2,\"idx\":[1],\"val\":[" ONE "]}]\n"
                                      "[{\"len\":2,\"idx\":[0],\"val\":[" ONE "]}]\n"},
    {"vectors of one slot", dvi_key_vector_plan, &indicator,
     TABLE("V<U4[0-2],1>", VALUES3) "[{\"len\":1,\"dense\":[3]}]\n",
     TRUTH("1", "V<R4,3>",
           "\"SlotNames\":{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"dense\":"
           "[\"[0].x\",\"[0].\",\"[0].z\"]}}," RANGE3
           "," NORMALIZED) "[{\"len\":3,\"idx\":[2],\"val\":[" ONE "]}]\n"},
    {"vectors of any size", dvi_key_vector_plan, &indicator,
     TABLE("V<U2[0-2],*>", VALUES3) "[{\"len\":2,\"dense\":[1,2]}]\n[{\"len\":0,\"dense\":[]}]\n"
                                    "[{\"len\":9,\"idx\":[3,8],\"val\":[9,3]}]\n",
     TRUTH("3", "V<R4,*,3>", NORMALIZED) "[{\"len\":6,\"idx\":[0,4],\"val\":[" ONE "," ONE "]}]\n"
                                         "[{\"len\":0,\"dense\":[]}]\n"
                                         "[{\"len\":27,\"idx\":[26],\"val\":[" ONE "]}]\n"},
    {"bags", dvi_key_vector_plan, &bag,
     TABLE("V<U4[0-6],*>",
           "") "[{\"len\":2,\"dense\":[6,2]}]\n[{\"len\":0,\"dense\":[]}]\n[{\"len\":2,\"dense\":["
               "7,7]}]\n"
               "[{\"len\":4,\"dense\":[2,0,1,2]}]\n[{\"len\":9,\"idx\":[3,8],\"val\":[9,3]}]\n",
     TRUTH("5", "V<R4,7>", "") "[{\"len\":7,\"idx\":[1,5],\"val\":[" ONE "," ONE
                               "]}]\n[{\"len\":7,\"idx\":[],\"val\":[]}]\n"
                               "[{\"len\":7,\"idx\":[6],\"val\":[" TWO "]}]\n"
                               "[{\"len\":7,\"dense\":[" ONE "," TWO "," ZERO "," ZERO "," ZERO
                               "," ZERO "," ZERO "]}]\n"
                               "[{\"len\":7,\"idx\":[2],\"val\":[" ONE "]}]\n"},
    {"bags with names", dvi_key_vector_plan, &bag,
     TABLE("V<U4[0-2],2>", VALUES3) "[{\"len\":2,\"idx\":[],\"val\":[]}]\n",
     TRUTH("1", "V<R4,3>",
           "\"SlotNames\":{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"dense\":"
           "[\"x\",null,\"z\"]}}") "[{\"len\":3,\"idx\":[],\"val\":[]}]\n"},
    {"values of another length", dvi_key_vector_plan, &indicator, TABLE("U4[0-1]", VALUES3) "[2]\n",
     TRUTH("1", "V<R4,2>",
           "\"CategoricalSlotRanges\":{\"type\":\"V<I4,1,2>\",\"value\":{\"len\":2,\"dense\":[0,1]}"
           "}," NORMALIZED) "[{\"len\":2,\"idx\":[1],\"val\":[" ONE "]}]\n"},
    {"no keys", dvi_key_vector_plan, &indicator, TABLE("U4", "") "[1]\n", NULL},
    {"unknown number of values", dvi_key_vector_plan, &bag, TABLE("U4[0-*]", "") "[1]\n", NULL},
    {"2^31 values", dvi_key_vector_plan, &bag, TABLE("U4[0-2147483647]", "") "[1]\n", NULL},
    {"too many slots", dvi_key_vector_plan, &indicator,
     TABLE("V<U4[0-1073741823],2>", "") "[{\"len\":2,\"dense\":[1,1]}]\n", NULL},
};

Test(tf_key_vector, follows_the_rules)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        dvt_check_planned(&cases[i]);
}

/* --- Rows of any length ----------------------------------------------------------------------- */

#define ROWS 200
#define KEYS 97
#define SLOTS_MOST 400

/* Vectors of keys, dense and sparse, short and long. */
typedef struct drawn {
    uint16_t key[ROWS * SLOTS_MOST];
    int32_t slot[ROWS * SLOTS_MOST], length[ROWS], count[ROWS];
    dv_column_view items, column;
} drawn;

static void draw(drawn *d)
{
    dvi_random random = dvi_random_of(7);
    int64_t items = 0, indices = 0;
    for (int row = 0; row < ROWS; row++) {
        const bool is_dense = (int32_t)dvi_random_below(&random, 2) == 0;
        d->length[row] = (int32_t)dvi_random_below(&random, row % 4 ? 40 : SLOTS_MOST);
        const int64_t first = items;
        for (int32_t slot = 0; slot < d->length[row]; slot++)
            if (is_dense ||
                ((int32_t)dvi_random_below(&random, 3) > 0 && slot + 1 < d->length[row])) {
                d->key[items++] = (uint16_t)(int32_t)dvi_random_below(&random, KEYS + 2);
                if (!is_dense)
                    d->slot[indices++] = slot;
            }
        d->count[row] = is_dense ? -1 : (int32_t)(items - first);
    }
    d->items = dvt_made_fixed(dv_type_key(DV_KIND_U2, 0, KEYS), d->key, items);
    d->column = (dv_column_view){
        .type = dv_type_vector(d->items.type, 0), .layout = DV_LAYOUT_VECTOR, .rows = ROWS};
    dv_vector_layout *vector = &d->column.as.vector;
    vector->lengths = (dv_buffer){d->length, sizeof d->length, NULL, false, true};
    vector->counts = (dv_buffer){d->count, sizeof d->count, NULL, false, true};
    vector->indices = (dv_buffer){d->slot, 4 * (size_t)indices, NULL, false, true};
    vector->items = &d->items;
}

/* What the vector must hold, slot by slot; returns its length. */
static int32_t naive(const dv_value *keys, bool is_bag, float *slots)
{
    const int32_t length = is_bag ? KEYS : keys->length * KEYS;
    for (int32_t i = 0; i < length; i++)
        slots[i] = 0;
    for (int32_t i = 0; i < dv_value_items(keys); i++) {
        const dv_value item = dv_value_item(keys, i);
        const uint64_t key = dv_value_key(&item);
        if (key >= 1 && key <= KEYS)
            slots[(is_bag ? 0 : dv_value_slot(keys, i) * KEYS) + (int32_t)key - 1] += 1;
    }
    return length;
}

static void check_row(const dv_value *keys, const dv_value *got, bool is_bag)
{
    static float slots[SLOTS_MOST * KEYS];
    int32_t before = -1;
    cr_assert_eq(got->length, naive(keys, is_bag, slots));
    for (int32_t i = 0; i < dv_value_items(got); i++) {
        const dv_value item = dv_value_item(got, i);
        const int32_t slot = dv_value_slot(got, i);
        cr_assert(slot > before && slot < got->length);
        cr_assert_eq(dv_value_r4(&item), slots[slot]);
        slots[slot] = 0;
        before = slot;
    }
    for (int32_t i = 0; i < got->length; i++)
        cr_assert_eq(slots[i], 0);
}

Test(tf_key_vector, rows_of_any_length)
{
    static drawn d;
    draw(&d);
    for (int i = 0; i < 6; i++) {
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        dvt_made_table table = {.columns = 1, .rows = ROWS, .block_rows = ROWS, .bad_row = -1};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        int64_t rows = 0;
        table.column[0] = d.column;
        table.name[0] = "A";
        options.batch_rows = (const int64_t[]){1, 7, ROWS}[i / 2];
        dv_view *source = dvt_made_table_open(&table, NULL);
        cr_assert_eq(dvt_planned_view(&view, source, dvi_key_vector_plan, i % 2 ? &bag : &indicator,
                                      NULL, NULL),
                     DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; rows += batch->rows) {
            dv_value keys = dv_value_first(dv_batch_column(batch, 0));
            dv_value got = dv_value_first(dv_batch_column(batch, 1));
            for (; got.row < batch->rows; dv_value_next(&keys), dv_value_next(&got))
                check_row(&keys, &got, i % 2);
        }
        cr_expect_eq(rows, ROWS);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* --- Names ------------------------------------------------------------------------------------ */

/* The names of 2^30 slots are planned at no cost, and refused when asked for. */
Test(tf_key_vector, limits_names)
{
    static dvt_json_table table;
    dvt_allocator counted;
    dv_view *view;
    const dv_batch *value;
    dv_error err = DV_ERROR_INIT;
    int32_t i;
    dvt_json_table_read(
        &table, TABLE("V<U4[0-1048575],1024>",
                      "\"KeyValues\":{\"type\":\"V<TX,1048576>\",\"value\":{\"len\":1048576,"
                      "\"idx\":[5],\"val\":[\"x\"]}}") "[{\"len\":1024,\"idx\":[],\"val\":[]}]\n");
    dv_view *source = dvt_made_table_open(&table.made, NULL);
    dvt_allocator_init(&counted, 0);
    cr_assert_eq(
        dvt_planned_view(&view, source, dvi_key_vector_plan, &indicator, &counted.allocator, NULL),
        DV_OK);
    const dv_schema *schema = dv_view_schema(view);
    cr_assert_eq(dv_schema_find_metadata(schema, 1, dv_text_of(DV_SLOT_NAMES), &i), DV_OK);
    cr_expect_eq(dv_schema_metadata_value(schema, 1, i, &value, &err), DV_ERR_LIMIT);
    cr_expect_null(value);
    cr_expect_lt(counted.highest, 1 << 17);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
    dv_view_release(&source);
    dvt_json_table_free(&table);
}

/* --- Golden cases ----------------------------------------------------------------------------- */

static const void *options_of(const char *params)
{
    return strstr(params, "\"outputCountVector\": true") ? &bag : &indicator;
}

Test(tf_key_vector, as_the_reference)
{
    const int checked =
        dvt_check_planned_golden("transform", "keytovector-", dvi_key_vector_plan, options_of);
    cr_expect(checked < 0 || checked >= 9);
    dvt_check_planned_golden("transform-1.5", "keytovector", dvi_key_vector_plan, options_of);
}
