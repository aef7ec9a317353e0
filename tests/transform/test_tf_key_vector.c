/* SPDX-License-Identifier: MIT */
/* test_tf_key_vector.c: vectors that indicate or count keys, with their metadata. */
#include "support/planned.h"
#include "support/test.h"
#include "transform/tf_key_vector.h"
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
