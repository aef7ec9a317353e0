/* SPDX-License-Identifier: MIT */
/* test_tf_key_binary.c: the bits of keys, with their metadata. */
#include "support/json_table.h"
#include "support/planned.h"
#include "support/test.h"
#include "transform/tf_key_binary.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define O "\"r4:3f800000\""
#define Z "\"r4:00000000\""
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

/* Three values have three bits; a key above the count has its bits too, without the highest. */
#define SCALARS "[0]\n[1]\n[2]\n[3]\n[9]\n[16]\n"
#define BITS3                                                                                      \
    "[{\"len\":3,\"dense\":[" O "," O "," O "]}]\n[{\"len\":3,\"idx\":[],\"val\":[]}]\n"           \
    "[{\"len\":3,\"dense\":[" Z "," Z "," O "]}]\n[{\"len\":3,\"dense\":[" Z "," O "," Z "]}]\n"   \
    "[{\"len\":3,\"idx\":[],\"val\":[]}]\n[{\"len\":3,\"dense\":[" O "," O "," O "]}]\n"

static const dvt_planned_case cases[] = {
    {"U1", dvi_key_binary_plan, NULL, TABLE("U1[0-2]", "") SCALARS,
     TRUTH("6", "V<R4,3>", NORMALIZED) BITS3},
    {"U2", dvi_key_binary_plan, NULL, TABLE("U2[0-2]", VALUES3) SCALARS,
     TRUTH("6", "V<R4,3>",
           "\"SlotNames\":{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"dense\":"
           "[\"Bit2\",\"Bit1\",\"Bit0\"]}}," NORMALIZED) BITS3},
    {"U4", dvi_key_binary_plan, NULL, TABLE("U4[5-7]", "") SCALARS,
     TRUTH("6", "V<R4,3>", NORMALIZED) BITS3},
    {"U8", dvi_key_binary_plan, NULL,
     TABLE("U8[0-2]", "") SCALARS "[4294967297]\n[18446744073709551615]\n",
     TRUTH("8", "V<R4,3>", NORMALIZED) BITS3 "[{\"len\":3,\"dense\":[" O "," O "," O "]}]\n"
                                             "[{\"len\":3,\"dense\":[" O "," O "," O "]}]\n"},
    {"one value", dvi_key_binary_plan, NULL, TABLE("U4[0-0]", "") "[1]\n[0]\n[3]\n",
     TRUTH("3", "V<R4,2>", NORMALIZED) "[{\"len\":2,\"idx\":[],\"val\":[]}]\n"
                                       "[{\"len\":2,\"dense\":[" O "," O "]}]\n"
                                       "[{\"len\":2,\"dense\":[" O "," Z "]}]\n"},
    {"2^31-1 values", dvi_key_binary_plan, NULL,
     TABLE("U4[0-2147483646]", "") "[2147483649]\n[3]\n",
     TRUTH("2", "V<R4,32>", NORMALIZED) "[{\"len\":32,\"idx\":[0],\"val\":[" O "]}]\n"
                                        "[{\"len\":32,\"idx\":[30],\"val\":[" O "]}]\n"},
    {"vectors", dvi_key_binary_plan, NULL,
     TABLE("V<U1[0-2],2>",
           VALUES3 ",\"SlotNames\":{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,\"idx\":[1],"
                   "\"val\":"
                   "[\"b\"]}}") "[{\"len\":2,\"dense\":[1,3]}]\n[{\"len\":2,\"dense\":[2,2]}]\n"
                                "[{\"len\":2,\"idx\":[1],\"val\":[1]}]\n[{\"len\":2,\"idx\":[],"
                                "\"val\":[]}]\n",
     TRUTH("4", "V<R4,2,3>",
           "\"SlotNames\":{\"type\":\"V<TX,2,3>\",\"value\":{\"len\":6,\"dense\":"
           "[\"[0].Bit2\",\"[0].Bit1\",\"[0].Bit0\",\"b.Bit2\",\"b.Bit1\",\"b.Bit0\"]}"
           "}") "[{\"len\":6,\"idx\":[4],\"val\":[" O "]}]\n[{\"len\":6,\"idx\":[2,5],\"val\":[" O
                "," O "]}]\n[{\"len\":6,\"dense\":[" O "," O "," O "," Z "," Z "," Z "]}]\n"
                "[{\"len\":6,\"dense\":[" O "," O "," O "," O "," O "," O "]}]\n"},
    {"vectors of one slot", dvi_key_binary_plan, NULL,
     TABLE("V<U4[0-2],1>", "") "[{\"len\":1,\"dense\":[1]}]\n",
     TRUTH("1", "V<R4,3>", "") "[{\"len\":3,\"idx\":[],\"val\":[]}]\n"},
    {"vectors of any size", dvi_key_binary_plan, NULL,
     TABLE("V<U4[0-2],*>", VALUES3) "[{\"len\":1,\"dense\":[2]}]\n[{\"len\":0,\"dense\":[]}]\n"
                                    "[{\"len\":4,\"idx\":[0,1,3],\"val\":[1,1,1]}]\n",
     TRUTH("3", "V<R4,*,3>", "") "[{\"len\":3,\"dense\":[" Z "," Z "," O "]}]\n"
                                 "[{\"len\":0,\"dense\":[]}]\n"
                                 "[{\"len\":12,\"idx\":[6,7,8],\"val\":[" O "," O "," O "]}]\n"},
    {"no keys", dvi_key_binary_plan, NULL, TABLE("R4", "") "[\"r4:3f800000\"]\n", NULL},
    {"unknown number of values", dvi_key_binary_plan, NULL, TABLE("U4[0-*]", "") "[1]\n", NULL},
    {"too many slots", dvi_key_binary_plan, NULL,
     TABLE("V<U4[0-2147483646],67108864>", "") "[{\"len\":67108864,\"idx\":[],\"val\":[]}]\n",
     NULL},
};

Test(tf_key_binary, follows_the_rules)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        dvt_check_planned(&cases[i]);
}

/* Slots without an item have ones, so a row that claims many is refused before memory is asked for.
 */
Test(tf_key_binary, limits_slots_without_items)
{
    static const struct {
        const char *table, *found;
    } wide[] = {
        {TABLE("V<U4[0-2],*>", "") "[{\"len\":1000000000,\"idx\":[],\"val\":[]}]\n", "3000000000"},
        {TABLE("V<U4[0-2],*>", "") "[{\"len\":600000000,\"idx\":[7],\"val\":[1]}]\n", "1799999997"},
    };
    for (size_t i = 0; i < COUNT(wide); i++) {
        static dvt_json_table table;
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = 1;
        dvt_json_table_read(&table, wide[i].table);
        dv_view *source = dvt_made_table_open(&table.made, NULL);
        cr_assert_eq(dvt_planned_view(&view, source, dvi_key_binary_plan, NULL, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_LIMIT);
        cr_expect_str_eq(err.found, wide[i].found);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
        dvt_json_table_free(&table);
    }
}

Test(tf_key_binary, as_the_reference)
{
    const int checked =
        dvt_check_planned_golden("transform", "keytobinary-", dvi_key_binary_plan, NULL);
    cr_expect(checked < 0 || checked >= 5);
    dvt_check_planned_golden("transform-1.5", "keytobinary", dvi_key_binary_plan, NULL);
}
