/* SPDX-License-Identifier: MIT */
/* test_tf_key_value.c: the values of keys, of every type, and their metadata. */
#include "view/identity.h"
#include "support/json_table.h"
#include "support/planned.h"
#include "support/test.h"
#include "transform/tf_key_value.h"
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Values of every type --------------------------------------------------------------------- */

/* Two values of a type, and what key 0 becomes: NA of reals, else the default. */
typedef struct value_type {
    const char *type, *first, *second, *none, *hole;
} value_type;

static const value_type types[] = {
    {"I1", "7", "null", "0", "0"},
    {"U1", "7", "255", "0", "0"},
    {"I2", "-7", "300", "0", "0"},
    {"U2", "7", "65535", "0", "0"},
    {"I4", "null", "1", "0", "0"},
    {"U4", "7", "4294967295", "0", "0"},
    {"I8", "7", "-1", "0", "0"},
    {"U8", "7", "18446744073709551615", "0", "0"},
    {"R4", "\"r4:3f800000\"", "\"r4:80000000\"", "\"r4:ffc00000\"", "\"r4:00000000\""},
    {"R8", "\"r8:3ff0000000000000\"", "\"r8:8000000000000000\"", "\"r8:fff8000000000000\"",
     "\"r8:0000000000000000\""},
    {"BL", "true", "null", "false", "false"},
    {"TX", "null", "\"a longer text than fits in sixteen bytes\"", "\"\"", "\"\""},
    {"TS", "\"ts:7\"", "\"ts:-1\"", "\"ts:0\"", "\"ts:0\""},
    {"DT", "\"dt:7\"", "\"dt:1\"", "\"dt:0\"", "\"dt:0\""},
    {"DZ", "\"dz:600000000:1\"", "\"dz:7:0\"", "\"dz:0:0\"", "\"dz:0:0\""},
    {"U2[0-9]", "7", "10", "0", "0"},
};

#define HEADER(rows, name, type, metadata)                                                         \
    "{\"rows\":" rows ",\"columns\":[{\"name\":\"" name "\",\"type\":\"" type                      \
    "\",\"metadata\":{" metadata "}}]}\n"
#define VALUES                                                                                     \
    "\"KeyValues\":{\"type\":\"V<%s,4>\",\"value\":{\"len\":4,\"idx\":[1,2],\"val\":[%s,%s]}}"
#define VALUES_DENSE "\"KeyValues\":{\"type\":\"V<%s,2>\",\"value\":{\"len\":2,\"dense\":[%s,%s]}}"

static void check(const char *name, const char *table, const char *truth)
{
    const dvt_planned_case one = {name, dvi_key_value_plan, NULL, table, truth};
    dvt_check_planned(&one);
}

Test(tf_key_value, scalars)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        const value_type *t = &types[i];
        char table[1000], truth[1000];
        snprintf(table, sizeof table,
                 HEADER("0", "A", "U1[0-1]", VALUES_DENSE) "[0]\n[1]\n[2]\n[3]\n[255]\n[1]\n",
                 t->type, t->first, t->second);
        snprintf(truth, sizeof truth,
                 HEADER("6", "B", "%s", "") "[%s]\n[%s]\n[%s]\n[%s]\n[%s]\n[%s]\n", t->type,
                 t->none, t->first, t->second, t->none, t->none, t->first);
        check(t->type, table, truth);
    }
}

/* A key whose value the KeyValues do not store has the default, which is not NA. */
Test(tf_key_value, sparse_values)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        const value_type *t = &types[i];
        char table[1000], truth[1000];
        snprintf(table, sizeof table,
                 HEADER("0", "A", "U8[0-3]", VALUES) "[0]\n[1]\n[2]\n[3]\n[4]\n[4294967298]\n",
                 t->type, t->first, t->second);
        snprintf(truth, sizeof truth,
                 HEADER("6", "B", "%s", "") "[%s]\n[%s]\n[%s]\n[%s]\n[%s]\n[%s]\n", t->type,
                 t->none, t->hole, t->first, t->second, t->hole, t->none);
        check(t->type, table, truth);
    }
}

/* Slots without an item stay so, unless they become NA. */
Test(tf_key_value, vectors)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        const value_type *t = &types[i];
        const bool is_real = *t->type == 'R';
        char table[1000], truth[1000], type[40], sparse[300], empty[300];
        snprintf(type, sizeof type, "V<%s,*>", t->type);
        snprintf(sparse, sizeof sparse, "{\"len\":3,\"dense\":[%s,%s,%s]}", t->none, t->none,
                 t->first);
        snprintf(empty, sizeof empty, "{\"len\":2,\"dense\":[%s,%s]}", t->none, t->none);
        if (!is_real) {
            snprintf(sparse, sizeof sparse, "{\"len\":3,\"idx\":[2],\"val\":[%s]}", t->first);
            snprintf(empty, sizeof empty, "{\"len\":2,\"idx\":[],\"val\":[]}");
        }
        snprintf(
            table, sizeof table,
            HEADER("0", "A", "V<U2[0-1],*>",
                   VALUES_DENSE) "[{\"len\":3,\"dense\":[2,0,1]}]\n[{\"len\":0,\"dense\":[]}]\n"
                                 "[{\"len\":3,\"idx\":[2],\"val\":[1]}]\n[{\"len\":2,\"idx\":[],"
                                 "\"val\":[]}]\n",
            t->type, t->first, t->second);
        snprintf(truth, sizeof truth,
                 HEADER("4", "B", "%s", "") "[{\"len\":3,\"dense\":[%s,%s,%s]}]\n"
                                            "[{\"len\":0,\"dense\":[]}]\n[%s]\n[%s]\n",
                 type, t->second, t->none, t->first, sparse, empty);
        check(type, table, truth);
    }
}

/* --- Metadata and refusals -------------------------------------------------------------------- */

#define I4_VALUES(n)                                                                               \
    "\"KeyValues\":{\"type\":\"V<I4," n ">\",\"value\":{\"len\":" n ",\"idx\":[0],\"val\":[5]}}"
#define NAMES "\"SlotNames\":{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,\"dense\":[\"p\",\"q\"]}}"

Test(tf_key_value, metadata)
{
    check("names of slots pass",
          HEADER("0", "A", "V<U4[0-2],2>",
                 I4_VALUES("3") "," NAMES) "[{\"len\":2,\"dense\":[1,2]}]\n",
          HEADER("1", "B", "V<I4,2>", NAMES) "[{\"len\":2,\"dense\":[5,0]}]\n");
    check("names of other slots do not",
          HEADER("0", "A", "V<U4[0-2],3>",
                 I4_VALUES("3") "," NAMES) "[{\"len\":3,\"idx\":[1],\"val\":[1]}]\n",
          HEADER("1", "B", "V<I4,3>", "") "[{\"len\":3,\"idx\":[1],\"val\":[5]}]\n");
    check("no keys", HEADER("0", "A", "U4", "") "[1]\n", NULL);
    check("unknown number of values", HEADER("0", "A", "U4[0-*]", "") "[1]\n", NULL);
    check("no values", HEADER("0", "A", "U4[0-2]", "") "[1]\n", NULL);
    check("values of another length", HEADER("0", "A", "U4[0-2]", I4_VALUES("4")) "[1]\n", NULL);
}

static dv_u128 identity_of(const char *lines)
{
    static dvt_json_table table;
    dv_view *view;
    dv_u128 identity;
    dvt_json_table_read(&table, lines);
    dv_view *source = dvt_made_table_open(&table.made, NULL);
    cr_assert_eq(dvt_planned_view(&view, source, dvi_key_value_plan, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_view_identity(view, false, &identity, NULL), DV_OK);
    dv_view_release(&view);
    dv_view_release(&source);
    dvt_json_table_free(&table);
    return identity;
}

/* Views whose keys have other values have other identities. */
Test(tf_key_value, is_identified_by_the_values)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        const value_type *t = &types[i];
        char a[1000], b[1000], c[1000];
        snprintf(a, sizeof a, HEADER("0", "A", "U4[0-3]", VALUES) "[1]\n", t->type, t->first,
                 t->second);
        snprintf(b, sizeof b, HEADER("0", "A", "U4[0-3]", VALUES) "[1]\n", t->type, t->second,
                 t->first);
        snprintf(c, sizeof c,
                 HEADER("0", "A", "U4[0-3]",
                        "\"KeyValues\":{\"type\":\"V<%s,4>\",\"value\":{\"len\":4,\"idx\":[1,3],"
                        "\"val\":[%s,%s]}}") "[1]\n",
                 t->type, t->first, t->second);
        cr_expect_eq(identity_of(a).lo, identity_of(a).lo);
        cr_expect_neq(identity_of(a).lo, identity_of(b).lo, "%s", t->type);
        cr_expect_neq(identity_of(a).lo, identity_of(c).lo, "%s", t->type);
    }
}

/* Slots without an item become NA, so a row that claims many is refused before memory is asked
 * for. */
Test(tf_key_value, limits_slots_without_items)
{
    static dvt_json_table table;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    dvt_json_table_read(
        &table, HEADER("0", "A", "V<U4[0-0],*>",
                       "\"KeyValues\":{\"type\":\"V<R4,1>\",\"value\":{\"len\":1,\"dense\":[\"r4:"
                       "3f800000\"]}}") "[{\"len\":2000000000,\"idx\":[],\"val\":[]}]\n");
    dv_view *source = dvt_made_table_open(&table.made, NULL);
    cr_assert_eq(dvt_planned_view(&view, source, dvi_key_value_plan, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "row_nbytes");
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    dvt_json_table_free(&table);
}

Test(tf_key_value, as_the_reference)
{
    const int checked =
        dvt_check_planned_golden("transform", "keytovalue-", dvi_key_value_plan, NULL);
    cr_expect(checked < 0 || checked >= 4);
    dvt_check_planned_golden("transform-1.5", "keytovalue15-dims", dvi_key_value_plan, NULL);
}
