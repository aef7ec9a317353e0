/* SPDX-License-Identifier: MIT */
/* test_tf_map.c: values that a map has for values (semantics:7.19): as ML.NET has them, and as a
 * loop over the rows of the map finds them, for keys and values of many types. */
#include "support/golden_map.h"
#include "support/identities.h"
#include "support/json_table.h"
#include "support/many_rows.h"
#include "support/planned.h"
#include "support/starved.h"
#include "support/test.h"
#include "transform/tf_map.h"
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define HEADER(name, type, metadata)                                                               \
    "{\"name\":\"" name "\",\"type\":\"" type "\",\"metadata\":{" metadata "}}"

/* A map that has been made, or what making it returned. */
typedef struct made {
    dv_status status;
    dv_error err;
    dvi_value_map *map;
} made;

/* The plan of a map; a map that was refused is a plan that is. */
static dv_status plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                      int32_t column, const void *options, dv_error *err)
{
    const made *m = options;
    if (m->status < 0 && err)
        *err = m->err;
    return m->status < 0 ? m->status : dvi_map_plan(column_out, arena, source, column, m->map, err);
}

static made make_map_of(dvt_json_table *table, bool values_as_keys, bool missing_is_na)
{
    made m = {.err = DV_ERROR_INIT};
    dv_view *view = dvt_made_table_open(&table->made, NULL);
    m.status = dvi_value_map_create(
        &m.map, &(dvi_value_map_spec){view, values_as_keys, missing_is_na}, NULL, &m.err);
    dv_view_release(&view);
    return m;
}

/* A map of rows as golden files write them, one a line. */
static made make_map(dvt_json_table *table, const char *lines, bool values_as_keys,
                     bool missing_is_na)
{
    dvt_json_table_read(table, lines);
    return make_map_of(table, values_as_keys, missing_is_na);
}

static void check(const char *name, const made *m, const char *table, const char *truth)
{
    const dvt_planned_case one = {name, plan, m, table, truth};
    dvt_check_planned(&one);
}

/* --- ML.NET ----------------------------------------------------------------------------------- */

/* Of one folder after the other. */
static struct {
    made map;
    dvt_golden_map pairs;
    bool is_made;
} golden;

static void let_go(void)
{
    if (!golden.is_made)
        return;
    dvi_value_map_free(&golden.map.map);
    dvt_golden_map_free(&golden.pairs);
    golden.is_made = false;
}

static const void *map_of(const char *params)
{
    let_go();
    dvt_golden_map_read(&golden.pairs, params);
    golden.map = make_map_of(&golden.pairs.table, golden.pairs.values_as_keys, false);
    golden.is_made = true;
    return &golden.map;
}

/* All but the vectors, which ML.NET gives a length that their type does not have. */
Test(tf_map, as_the_reference)
{
    static const char *const prefixes[] = {"map-bl",    "map-dup",    "map-i4",   "map-r4",
                                           "map-tx-bl", "map-tx-key", "map-tx-r", "map-tx-tx",
                                           "map-type",  "map-varvec", "map-vec-"};
    int folders = 0;
    for (size_t i = 0; i < COUNT(prefixes); i++)
        folders += dvt_check_planned_golden("transform-1.5", prefixes[i], plan, map_of);
    let_go();
    cr_expect(folders < 0 || folders == 13, "%d", folders);
}

/* --- A loop over the map ---------------------------------------------------------------------- */

/* Keys of a type; those of one class are the same. */
typedef struct keys {
    const char *type;
    struct {
        const char *text;
        int class;
    } key[6];
    int n;
} keys;

static const keys key_types[] = {
    {"I4", {{"5", 0}, {"-7", 1}, {"0", 2}, {"null", 3}}, 4},
    {"U2", {{"0", 0}, {"7", 1}, {"65535", 2}}, 3},
    {"R4",
     {{"\"r4:3f800000\"", 0},
      {"\"r4:00000000\"", 1},
      {"\"r4:80000000\"", 1},
      {"\"r4:ffc00000\"", 2},
      {"\"r4:7f800000\"", 3}},
     5},
    {"R8",
     {{"\"r8:0000000000000000\"", 0},
      {"\"r8:8000000000000000\"", 0},
      {"\"r8:fff8000000000000\"", 1}},
     3},
    {"TX", {{"\"a\"", 0}, {"\" a\"", 1}, {"\"\"", 2}, {"null", 3}, {"\"A\"", 4}}, 5},
    {"BL", {{"true", 0}, {"false", 1}, {"null", 2}}, 3},
    {"DZ", {{"\"dz:600000000:1\"", 0}, {"\"dz:0:0\"", 0}, {"\"dz:7:0\"", 1}}, 3},
    {"U4[0-9]", {{"0", 0}, {"3", 1}, {"10", 2}, {"11", 0}}, 4},
};

/* Values of a type, and the one of no key. */
typedef struct values {
    const char *type, *first, *second, *none;
} values;

static const values value_types[] = {
    {"I4", "7", "null", "0"},
    {"TX", "null", "\"a longer text than fits in sixteen bytes\"", "\"\""},
    {"R8", "\"r8:3ff0000000000000\"", "\"r8:fff8000000000000\"", "\"r8:0000000000000000\""},
    {"BL", "true", "null", "false"},
    {"DZ", "\"dz:600000000:1\"", "\"dz:7:0\"", "\"dz:0:0\""},
    {"U1[0-8]", "9", "1", "0"},
    {"V<R4,2>", "{\"len\":2,\"dense\":[\"r4:3f800000\",\"r4:40000000\"]}",
     "{\"len\":2,\"idx\":[1],\"val\":[\"r4:3f800000\"]}", "{\"len\":2,\"idx\":[],\"val\":[]}"},
    {"V<TX,*>", "{\"len\":2,\"dense\":[\"x\",null]}", "{\"len\":9,\"idx\":[4],\"val\":[\"y\"]}",
     "{\"len\":0,\"dense\":[]}"},
};

/* The value of a key: the first, the second, or that of none if the draws left its class out. */
static const char *value_of(const values *v, unsigned in_map, int class)
{
    if (!(in_map >> class & 1))
        return v->none;
    return class % 2 ? v->second : v->first;
}

static void put_map(dvt_lines *lines, const keys *k, const values *v, unsigned in_map)
{
    unsigned left = in_map;
    dvt_lines_print(
        lines,
        "{\"rows\":0,\"columns\":[" HEADER("K", "%s", "") "," HEADER("V", "%s", "") "]}"
                                                                                    "\n",
        k->type, v->type);
    for (int i = 0; i < k->n; i++) {
        const int class = k->key[i].class;
        if (left >> class & 1)
            dvt_lines_print(lines, "[%s,%s]\n", k->key[i].text, value_of(v, in_map, class));
        left &= ~(1u << class);
    }
}

#define ROWS 9

static void put_header(dvt_lines *lines, int rows, const char *name, const char *format,
                       const char *type)
{
    dvt_lines_print(lines, "{\"rows\":%d,\"columns\":[{\"name\":\"%s\",\"type\":\"", rows, name);
    dvt_lines_print(lines, format, type);
    dvt_lines_print(lines, "\",\"metadata\":{}}]}\n");
}

/* Scalars, and what they become. */
static void put_scalars(dvt_lines *table, dvt_lines *truth, const keys *k, const values *v,
                        unsigned in_map, uint64_t *seed)
{
    put_header(table, ROWS, "A", "%s", k->type);
    put_header(truth, ROWS, "B", "%s", v->type);
    for (int row = 0; row < ROWS; row++) {
        const int i = (int)(dvt_draw(seed) % (unsigned)k->n);
        dvt_lines_print(table, "[%s]\n", k->key[i].text);
        dvt_lines_print(truth, "[%s]\n", value_of(v, in_map, k->key[i].class));
    }
}

/* Vectors of three slots, dense or with one item. */
static void put_vectors(dvt_lines *table, dvt_lines *truth, const keys *k, const values *v,
                        unsigned in_map, uint64_t *seed)
{
    put_header(table, ROWS, "A", dvt_draw(seed) % 2 ? "V<%s,3>" : "V<%s,*>", k->type);
    put_header(truth, ROWS, "B", "V<%s,*>", v->type);
    for (int row = 0; row < ROWS; row++) {
        const bool is_sparse = dvt_draw(seed) % 2;
        const char *head =
            is_sparse ? "[{\"len\":3,\"idx\":[1],\"val\":[" : "[{\"len\":3,\"dense\":[";
        dvt_lines_print(table, "%s", head);
        dvt_lines_print(truth, "%s", head);
        for (int slot = 0; slot < (is_sparse ? 1 : 3); slot++) {
            const int i = (int)(dvt_draw(seed) % (unsigned)k->n);
            dvt_lines_print(table, "%s%s", slot > 0 ? "," : "", k->key[i].text);
            dvt_lines_print(truth, "%s%s", slot > 0 ? "," : "",
                            value_of(v, in_map, k->key[i].class));
        }
        dvt_lines_print(table, "]}]\n");
        dvt_lines_print(truth, "]}]\n");
    }
}

static void check_drawn(const keys *k, const values *v, uint64_t seed)
{
    static dvt_json_table held;
    dvt_lines map = {0}, table = {0}, truth = {0};
    const unsigned in_map = (unsigned)dvt_draw(&seed) & 31;
    const bool is_vector = *v->type != 'V' && dvt_draw(&seed) % 2;
    char name[80];
    put_map(&map, k, v, in_map);
    if (is_vector)
        put_vectors(&table, &truth, k, v, in_map, &seed);
    else
        put_scalars(&table, &truth, k, v, in_map, &seed);
    snprintf(name, sizeof name, "%s to %s, seed %llu", k->type, v->type, (unsigned long long)seed);
    made m = make_map(&held, map.data, false, false);
    cr_assert_eq(m.status, DV_OK, "%s: %s", name, m.err.message);
    check(name, &m, table.data, truth.data);
    dvi_value_map_free(&m.map);
    dvt_json_table_free(&held);
    dvt_lines_free(&map);
    dvt_lines_free(&table);
    dvt_lines_free(&truth);
}

Test(tf_map, as_a_loop_over_the_map)
{
    for (size_t i = 0; i < COUNT(key_types) * COUNT(value_types); i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            check_drawn(&key_types[i / COUNT(value_types)], &value_types[i % COUNT(value_types)],
                        100 * i + seed);
}

/* --- Options and metadata --------------------------------------------------------------------- */

#define TABLE(key, value, metadata)                                                                \
    "{\"rows\":0,\"columns\":[" HEADER("K", key, "") "," HEADER("V", value, metadata) "]}\n"
#define ONE(name, rows, type, metadata)                                                            \
    "{\"rows\":" rows ",\"columns\":[" HEADER(name, type, metadata) "]}\n"
#define NAMES "\"SlotNames\":{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,\"dense\":[\"p\",\"q\"]}}"
#define KEY_VALUES(n, list)                                                                        \
    "\"KeyValues\":{\"type\":\"V<TX," n ">\",\"value\":{\"len\":" n ",\"dense\":[" list "]}}"

static const struct {
    const char *name, *map;
    bool values_as_keys, missing_is_na;
    const char *table, *truth;
} stories[] = {
    {"names of the vectors", TABLE("I4", "V<I4,2>", NAMES) "[1,{\"len\":2,\"dense\":[3,4]}]\n",
     false, true, ONE("A", "2", "I4", "") "[1]\n[2]\n",
     ONE("B", "2", "V<I4,2>", NAMES) "[{\"len\":2,\"dense\":[3,4]}]\n"
                                     "[{\"len\":2,\"idx\":[],\"val\":[]}]\n"},
    {"missing is NaN", TABLE("I4", "R4", "") "[1,\"r4:80000000\"]\n", false, true,
     ONE("A", "2", "I4", "") "[1]\n[2]\n",
     ONE("B", "2", "R4", "") "[\"r4:80000000\"]\n[\"r4:ffc00000\"]\n"},
    {"missing is NaN", TABLE("I4", "R8", "") "", false, true, ONE("A", "1", "I4", "") "[1]\n",
     ONE("B", "1", "R8", "") "[\"r8:fff8000000000000\"]\n"},
    {"missing text stays empty", TABLE("I4", "TX", "") "", false, true,
     ONE("A", "1", "I4", "") "[1]\n", ONE("B", "1", "TX", "") "[\"\"]\n"},
    {"keys of values, NA and empty ones are none",
     TABLE("I4", "TX", "") "[4,\"\"]\n[1,\"y\"]\n[2,\"x\"]\n[3,\"y\"]\n[5,null]\n", true, true,
     ONE("A", "6", "I4", "") "[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n",
     ONE("B", "6", "U4[0-1]", KEY_VALUES("2", "\"y\",\"x\"")) "[1]\n[2]\n[1]\n[0]\n[0]\n[0]\n"},
    {"keys of values, in vectors", TABLE("I4", "R8", "") "[1,\"r8:3ff0000000000000\"]\n", true,
     false, ONE("A", "1", "V<I4,2>", NAMES) "[{\"len\":2,\"dense\":[1,2]}]\n",
     ONE("B", "1", "V<U4[0-0],*>", KEY_VALUES("1", "\"1\"")) "[{\"len\":2,\"dense\":[1,0]}]\n"},
    {"keys of no values", TABLE("I4", "I4", "") "", true, false, ONE("A", "1", "I4", "") "[1]\n",
     ONE("B", "1", "U4[0-0]", "") "[0]\n"},
    {"another type", TABLE("I4", "I4", "") "", false, false, ONE("A", "0", "I8", ""), NULL},
    {"keys of another number", TABLE("U4[0-3]", "I4", "") "", false, false,
     ONE("A", "0", "U4[0-4]", ""), NULL},
    {"vectors of vectors", TABLE("I4", "V<I4,2>", "") "", false, false,
     ONE("A", "0", "V<I4,*>", ""), NULL},
    {"a key twice", TABLE("I4", "I4", "") "[1,1]\n[1,1]\n", false, false, ONE("A", "0", "I4", ""),
     NULL},
    {"NA twice", TABLE("I4", "I4", "") "[null,1]\n[null,1]\n", false, false,
     ONE("A", "0", "I4", ""), NULL},
    {"empty twice", TABLE("TX", "I4", "") "[\"\",1]\n[\"\",1]\n", false, false,
     ONE("A", "0", "TX", ""), NULL},
    {"zero twice", TABLE("R4", "I4", "") "[\"r4:00000000\",1]\n[\"r4:80000000\",1]\n", false, false,
     ONE("A", "0", "R4", ""), NULL},
    {"vectors of keys", TABLE("V<I4,2>", "I4", "") "", false, false, ONE("A", "0", "I4", ""), NULL},
    {"vectors as keys", TABLE("I4", "V<I4,2>", "") "", true, false, ONE("A", "0", "I4", ""), NULL},
    {"one column", ONE("K", "0", "I4", ""), false, false, ONE("A", "0", "I4", ""), NULL},
};

Test(tf_map, options_and_metadata)
{
    static dvt_json_table held;
    for (size_t i = 0; i < COUNT(stories); i++) {
        made m =
            make_map(&held, stories[i].map, stories[i].values_as_keys, stories[i].missing_is_na);
        check(stories[i].name, &m, stories[i].table, stories[i].truth);
        dvi_value_map_free(&m.map);
        dvt_json_table_free(&held);
    }
}

Test(tf_map, what_is_wrong_is_named)
{
    static const struct {
        const char *map, *message;
    } table[] = {{TABLE("I4", "I4", "") "[1,1]\n[2,1]\n[1,1]\n", "rows 0 and 2"},
                 {TABLE("V<I4,2>", "I4", ""), "column \"K\""},
                 {ONE("K", "0", "I4", ""), "found 1"}};
    static dvt_json_table held;
    for (size_t i = 0; i < COUNT(table); i++) {
        made m = make_map(&held, table[i].map, false, false);
        cr_expect_eq(m.status, DV_ERR_ARGUMENT);
        cr_expect_null(m.map);
        cr_expect(strstr(m.err.message, table[i].message), "%s", m.err.message);
        dvt_json_table_free(&held);
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Reads a map, and maps a column with it. */
static dv_status use_map(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    static dvt_json_table held, source_table;
    const size_t i = *(const size_t *)what;
    made m = {0};
    dv_view *view = NULL;
    dvt_json_table_read(&held, stories[i].map);
    dvt_json_table_read(&source_table, stories[i].table);
    dv_view *table = dvt_made_table_open(&held.made, NULL);
    dv_view *source = dvt_made_table_open(&source_table.made, NULL);
    dv_status status = dvi_value_map_create(
        &m.map, &(dvi_value_map_spec){table, stories[i].values_as_keys, stories[i].missing_is_na},
        allocator, err);
    dv_view_release(&table);
    if (status == DV_OK)
        status = dvt_planned_view(&view, source, plan, &m, allocator, err);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    dv_view_release(&source);
    dvi_value_map_free(&m.map);
    dvt_json_table_free(&held);
    dvt_json_table_free(&source_table);
    return status;
}

Test(tf_map, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = 1;
        if (stories[i].truth)
            dvt_fail_each_allocation(use_map, &i, stories[i].name, &options);
    }
}

/* --- Identity --------------------------------------------------------------------------------- */

Test(tf_map, identities_differ)
{
    static const struct {
        const char *map;
        bool values_as_keys, missing_is_na;
    } maps[] = {{TABLE("I4", "R4", "") "[1,\"r4:80000000\"]\n", false, false},
                {TABLE("I4", "R4", "") "[1,\"r4:80000000\"]\n", false, true},
                {TABLE("I4", "R4", "") "[1,\"r4:80000000\"]\n", true, false},
                {TABLE("I4", "R4", "") "[1,\"r4:00000000\"]\n", false, false},
                {TABLE("I4", "R4", "") "[2,\"r4:80000000\"]\n", false, false}};
    static dvt_json_table held, source_table;
    dvt_identities identities = {.n = 0};
    dvt_json_table_read(&source_table, ONE("A", "1", "I4", "") "[1]\n");
    for (size_t i = 0; i < COUNT(maps); i++) {
        made m = make_map(&held, maps[i].map, maps[i].values_as_keys, maps[i].missing_is_na);
        dv_view *view, *source = dvt_made_table_open(&source_table.made, NULL);
        cr_assert_eq(dvt_planned_view(&view, source, plan, &m, NULL, NULL), DV_OK);
        const char *same = dvt_identities_add(&identities, "map", dvt_identity_of(view));
        cr_expect_null(same, "%d", (int)i);
        dv_view_release(&source);
        dvi_value_map_free(&m.map);
        dvt_json_table_free(&held);
    }
    dvt_json_table_free(&source_table);
}
