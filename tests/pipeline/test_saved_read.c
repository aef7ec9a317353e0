/* SPDX-License-Identifier: MIT */
/* test_saved_read.c: saved pipelines whose digests are right and which break another rule. */
#include "base/load.h"
#include "saved/saved_priv.h"
#include "support/fitted_bytes.h"
#include "support/test.h"
#include <dataview/save.h>
#include <dataview/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A section that the directory names, with other bytes. */
typedef struct forged {
    const char *name;
    const void *bytes;
    size_t n;
} forged;

static size_t forge(uint8_t *dst, const forged *sections, uint32_t count)
{
    size_t at = DVI_SAVED_HEADER, entry = 4;
    uint8_t directory[1024];
    memset(dst, 0, DVI_SAVED_HEADER);
    dvi_store_u32(directory, count);
    for (uint32_t i = 0; i < count; i++) {
        const forged *s = &sections[i];
        const size_t n = strlen(s->name), end = at + s->n;
        const dv_u128 digest = dv_digest_16(s->bytes, s->n, 0);
        memcpy(dst + at, s->bytes, s->n);
        dvi_store_u16(directory + entry, (uint16_t)n);
        memcpy(directory + entry + 2, s->name, n);
        entry += 2 + n;
        dvi_store_u64(directory + entry, at);
        dvi_store_u64(directory + entry + 8, s->n);
        dvi_store_u64(directory + entry + 16, digest.lo);
        dvi_store_u64(directory + entry + 24, digest.hi);
        entry += 32;
        at = (size_t)dvi_saved_align((int64_t)end);
        memset(dst + end, 0, at - end);
    }
    memcpy(dst, DVI_SAVED_MAGIC, 8);
    dvi_store_u32(dst + 8, DVI_SAVED_VERSION);
    dvi_store_u64(dst + 16, at + entry + DVI_SAVED_DIGEST);
    dvi_store_u64(dst + 24, at);
    dvi_store_u64(dst + 32, entry);
    memcpy(dst + at, directory, entry);
    uint8_t *both = malloc(DVI_SAVED_HEADER + entry);
    memcpy(both, dst, DVI_SAVED_HEADER);
    memcpy(both + DVI_SAVED_HEADER, directory, entry);
    const dv_u128 digest = dv_digest_16(both, DVI_SAVED_HEADER + entry, 0);
    free(both);
    dvi_store_u64(dst + at + entry, digest.lo);
    dvi_store_u64(dst + at + entry + 8, digest.hi);
    return at + entry + DVI_SAVED_DIGEST;
}

static void expect_forged(const forged *sections, uint32_t count, dv_status status,
                          const char *rule, const char *part)
{
    uint8_t *bytes = malloc(1 << 16);
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    const size_t n = forge(bytes, sections, count);
    cr_expect_eq(dvt_fitted_open(&fitted, bytes, n, NULL, &err), status, "%s: %s",
                 (const char *)sections[0].bytes, err.message);
    cr_expect_str_eq(err.rule, rule, "%s: %s", (const char *)sections[0].bytes, err.message);
    cr_expect(strstr(err.message, part), "%s not in: %s", part, err.message);
    dv_fitted_release(&fitted);
    free(bytes);
}

/* --- The manifest ----------------------------------------------------------------------------- */

#define HEAD "{\"dataview\":\"\",\"rows\":1,\"passes\":1,\"input\":[],\"steps\":["
#define STEP(name, version, text, tables)                                                          \
    "{\"name\":\"" name "\",\"version\":" version ",\"text\":\"" text "\",\"tables\":[" tables "]" \
    "}"

#define INPUT(more)                                                                                \
    "{\"dataview\":\"\",\"rows\":1,\"passes\":1,\"input\":[{\"name\":\"A\",\"type\":\"U4[0-2]"     \
    "\"" more "}],\"steps\":[]}"
#define DIGITS "0123456789abcdef0123456789abcde"

static const struct {
    const char *json, *rule, *part;
    dv_status status;
} manifests[] = {
    {HEAD "]}", "", "", DV_OK},
    {" {\n\"steps\" : [ ] , \"input\":[],\"passes\":0,\"rows\":0,\"dataview\":\"\\u00e9\"}\n ", "",
     "", DV_OK},
    {HEAD "]", "dvp:PM1", "JSON", DV_ERR_CORRUPT},
    {HEAD "]} x", "dvp:PM1", "its end", DV_ERR_CORRUPT},
    {"\xFF", "dvp:PM1", "UTF-8", DV_ERR_CORRUPT},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "dvp:PM1", "JSON", DV_ERR_CORRUPT},
    {HEAD "],\"more\":1}", "dvp:PM2", "more", DV_ERR_CORRUPT},
    {HEAD "],\"rows\":1}", "dvp:PM2", "twice", DV_ERR_CORRUPT},
    {"{\"dataview\":\"\"}", "dvp:PM2", "\"rows\"", DV_ERR_CORRUPT},
    {"{\"rows\":-1", "dvp:PM3", "-1", DV_ERR_CORRUPT},
    {"{\"rows\":01", "dvp:PM3", "01", DV_ERR_CORRUPT},
    {"{\"rows\":9223372036854775808", "dvp:PM3", "9223372036854775808", DV_ERR_CORRUPT},
    {"{\"passes\":2147483648", "dvp:PM3", "2147483648", DV_ERR_CORRUPT},
    {HEAD STEP("no", "1", "", "") "," STEP("nor", "1", "", "") "]}", "dvp:PM4", "no, nor",
     DV_ERR_UNSUPPORTED},
    {HEAD STEP("image", "1", "", "") "]}", "dvp:PM4",
     "found image (dvp:PM4); steps for pictures need a build with libturbojpeg",
     DV_ERR_UNSUPPORTED},
    {HEAD STEP("", "1", "copy B:A", "") "]}", "dvp:PM4", "found \"\"", DV_ERR_UNSUPPORTED},
    {HEAD STEP("copy", "2", "copy B:A", "") "]}", "dvp:PM5", "2 of copy", DV_ERR_UNSUPPORTED},
    {HEAD STEP("copy", "0", "copy B:A", "") "]}", "dvp:PM3", "found 0", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "copy  B:A", "") "]}", "dvp:PM6", "copy  B:A", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "copy 'A*'", "") "]}", "dvp:PM6", "copy 'A*'", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "drop A", "") "]}", "dvp:PM6", "drop A", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "copy", "") "]}", "dvp:PM6", "text of the steps", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "copy B:A;copy C:A", "") "," STEP("copy", "1", "# ", "") "]}",
     "dvp:PM6", "text of a step", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "copy B:A", "") "," STEP("copy", "1", "# ", "") "]}", "dvp:PM6",
     "steps in the texts", DV_ERR_CORRUPT},
    {HEAD STEP("term", "1", "term A", "") "]}", "dvp:PM7", "found 0 in step 1", DV_ERR_CORRUPT},
    {HEAD STEP("term", "1", "term A", "\"x\"") "]}", "dvp:PM7", "\"x\"", DV_ERR_CORRUPT},
    {HEAD STEP("copy", "1", "copy B:A", "") "]}", "", "", DV_OK},
    {INPUT(""), "", "", DV_OK},
    {INPUT(",\"digest\":\"" DIGITS "f\",\"keys\":2147483647"), "", "", DV_OK},
    {INPUT(",\"keys\":3"), "dvp:PM2", "\"digest\"", DV_ERR_CORRUPT},
    {INPUT(",\"digest\":\"" DIGITS "f\""), "dvp:PM2", "\"keys\"", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":3,\"keys\":3"), "dvp:PM2", "twice", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":0,\"digest\":\"" DIGITS "f\""), "dvp:PM3", "found 0", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":2147483648,\"digest\":\"" DIGITS "f\""), "dvp:PM3", "2147483648",
     DV_ERR_CORRUPT},
    {INPUT(",\"keys\":3,\"digest\":\"" DIGITS "\""), "dvp:PM8", "32 digits", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":3,\"digest\":\"" DIGITS "f0\""), "dvp:PM8", "32 digits", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":3,\"digest\":\"" DIGITS "F\""), "dvp:PM8", "32 digits", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":3,\"digest\":\"" DIGITS "/\""), "dvp:PM8", "32 digits", DV_ERR_CORRUPT},
    {INPUT(",\"keys\":3,\"digest\":3"), "dvp:PM1", "JSON", DV_ERR_CORRUPT},
};

Test(saved_read, manifests_that_are_wrong)
{
    for (size_t i = 0; i < COUNT(manifests); i++) {
        const forged one = {"manifest", manifests[i].json, strlen(manifests[i].json)};
        expect_forged(&one, 1, manifests[i].status, manifests[i].rule, manifests[i].part);
    }
}

/* --- Tables and sections ---------------------------------------------------------------------- */

static dv_buffer idv_of(const dv_table_column *columns, int32_t n, int64_t rows)
{
    dv_view *view;
    dv_buffer bytes;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    cr_assert_eq(dv_table_create(&view, columns, n, rows, NULL, NULL), DV_OK);
    cr_assert_eq(dv_save_memory(view, &bytes, &options, NULL), DV_OK);
    dv_view_release(&view);
    return bytes;
}

/* A step of each kind of table. */
#define OF(step, text, kind)                                                                       \
    {                                                                                              \
        kind, HEAD STEP(step, "1", text, "\"step1.column1." kind "\"") "]}", "step1.column1." kind \
    }
static const struct {
    const char *kind, *json, *section;
} steps[] = {OF("term", "term A max=2", "terms"),
             OF("hash", "hash A bits=2 invert=1", "names"),
             OF("normalize", "normalize A", "scales"),
             OF("normalize", "normalize A mode=meanvar cdf+", "deviations"),
             OF("normalize", "normalize A mode=bin", "bounds"),
             OF("replacena", "replacena A", "values"),
             OF("selectcount", "selectcount A", "counts"),
             OF("selectmi", "selectmi A label=B", "scores")};

static void expect_table(const char *kind, const dv_table_column *columns, int32_t n, int64_t rows,
                         dv_status status, const char *rule, const char *part)
{
    size_t i = 0;
    dv_buffer bytes = idv_of(columns, n, rows);
    while (i < COUNT(steps) && strcmp(steps[i].kind, kind) != 0)
        i++;
    cr_assert_lt(i, COUNT(steps));
    const forged sections[] = {{"manifest", steps[i].json, strlen(steps[i].json)},
                               {steps[i].section, bytes.data, bytes.nbytes}};
    expect_forged(sections, 2, status, rule, part);
    dv_buffer_release(&bytes);
}

Test(saved_read, tables_of_terms_that_are_wrong)
{
    static const int32_t good[] = {1, 2, 3}, twice[] = {1, 1}, missing[] = {1, INT32_MIN};
    static const float vectors[] = {1, 2};
    const dv_type i4 = dv_type_of(DV_KIND_I4), v = dv_type_vector(dv_type_of(DV_KIND_R4), 2);
    const dv_table_column other = {"Other", i4, good, NULL}, term = {"Term", i4, good, NULL},
                          two[] = {{"Term", i4, good, NULL}, {"More", i4, good, NULL}},
                          same = {"Term", i4, twice, NULL}, na = {"Term", i4, missing, NULL},
                          vector = {"Term", v, vectors, NULL};
    expect_table("terms", &term, 1, 2, DV_OK, "", "");
    expect_table("terms", &term, 1, 0, DV_OK, "", "");
    expect_table("terms", &term, 1, 3, DV_ERR_CORRUPT, "dvp:PT2", "at most 2");
    expect_table("terms", &other, 1, 2, DV_ERR_CORRUPT, "dvp:PT1", "Other");
    expect_table("terms", two, 2, 2, DV_ERR_CORRUPT, "dvp:PT1", "found 2");
    expect_table("terms", &vector, 1, 1, DV_ERR_CORRUPT, "dvp:PT1", "type of terms");
    expect_table("terms", &same, 1, 2, DV_ERR_CORRUPT, "dvp:PT3", "section step1.column1.terms");
    expect_table("terms", &na, 1, 2, DV_ERR_CORRUPT, "dvp:PT3", "different terms");
}

Test(saved_read, tables_of_names_that_are_wrong)
{
    static const uint32_t good[] = {1, 4}, falling[] = {2, 1}, high[] = {1, 5}, zero[] = {0, 1};
    static const char *const texts[] = {"a", "b"}, *const missing[] = {"a", NULL};
    const dv_type u4 = dv_type_of(DV_KIND_U4), tx = dv_type_of(DV_KIND_TX);
    const dv_table_column fine[] = {{"Key", u4, good, NULL}, {"Text", tx, texts, NULL}},
                          down[] = {{"Key", u4, falling, NULL}, {"Text", tx, texts, NULL}},
                          over[] = {{"Key", u4, high, NULL}, {"Text", tx, texts, NULL}},
                          none[] = {{"Key", u4, zero, NULL}, {"Text", tx, texts, NULL}},
                          na[] = {{"Key", u4, good, NULL}, {"Text", tx, missing, NULL}};
    expect_table("names", fine, 2, 2, DV_OK, "", "");
    expect_table("names", fine, 1, 2, DV_ERR_CORRUPT, "dvp:PT4", "columns");
    expect_table("names", down, 2, 2, DV_ERR_CORRUPT, "semantics:7.7", "key");
    expect_table("names", over, 2, 2, DV_ERR_CORRUPT, "semantics:7.7", "found 5");
    expect_table("names", none, 2, 2, DV_ERR_CORRUPT, "semantics:7.7", "found 0");
    expect_table("names", na, 2, 2, DV_ERR_CORRUPT, "semantics:7.7", "NA");
}

/* Numbers are of two columns, or of the first alone. */
typedef struct numbers {
    const char *kind, *names[2];
    dv_kind kinds[2];
    const void *values[2];
    int32_t columns;
    int64_t rows;
    const char *rule, *part; /* NULL: it is fine */
} numbers;

static void expect_numbers(const numbers *t)
{
    dv_table_column columns[2];
    for (int32_t k = 0; k < 2; k++)
        columns[k] = (dv_table_column){
            .name = t->names[k], .type = dv_type_of(t->kinds[k]), .values = t->values[k]};
    expect_table(t->kind, columns, t->columns, t->rows, t->rule ? DV_ERR_CORRUPT : DV_OK,
                 t->rule ? t->rule : "", t->part ? t->part : "");
}

#define SCALES                                                                                     \
    "scales",                                                                                      \
    {                                                                                              \
        "Offset", "Scale"                                                                          \
    }
#define DEVIATIONS                                                                                 \
    "deviations",                                                                                  \
    {                                                                                              \
        "Mean", "Deviation"                                                                        \
    }
#define BOUNDS                                                                                     \
    "bounds",                                                                                      \
    {                                                                                              \
        "Slot", "Bound"                                                                            \
    }
#define FLOATS                                                                                     \
    {                                                                                              \
        DV_KIND_R4, DV_KIND_R4                                                                     \
    }
#define DOUBLES                                                                                    \
    {                                                                                              \
        DV_KIND_R8, DV_KIND_R8                                                                     \
    }

Test(saved_read, tables_of_numbers_that_are_wrong)
{
    static const float good[] = {1, 2}, nan[] = {1, NAN};
    static const double twice[] = {1, 2};
    static const int32_t integers[] = {1, 2};
    static const numbers tables[] = {
        {SCALES, FLOATS, {good, good}, 2, 2, NULL, NULL},
        {SCALES, DOUBLES, {twice, twice}, 2, 2, NULL, NULL},
        {SCALES, FLOATS, {nan, good}, 2, 2, NULL, NULL}, /* of a column without numbers */
        {SCALES, FLOATS, {good, good}, 1, 2, "dvp:PT10", "expected 2, found 1"},
        {DEVIATIONS, FLOATS, {good, good}, 1, 2, "dvp:PT10", "expected 2, found 1"},
        {BOUNDS, FLOATS, {good, good}, 1, 2, "dvp:PT10", "expected 2, found 1"},
        {"scales", {"Scale", "Offset"}, FLOATS, {good, good}, 2, 2, "dvp:PT10", "\"Scale\""},
        {"scales", {"Mean", "Deviation"}, FLOATS, {good, good}, 2, 2, "dvp:PT10", "\"Mean\""},
        {SCALES, {DV_KIND_R4, DV_KIND_R8}, {good, twice}, 2, 2, "dvp:PT10", "R4"},
        {SCALES, {DV_KIND_I4, DV_KIND_R4}, {integers, good}, 2, 2, "dvp:PT10", "I4"},
        {BOUNDS, FLOATS, {good, good}, 2, 2, "dvp:PT10", "\"Slot\", R4"},
        {SCALES, FLOATS, {good, good}, 2, 0, "dvp:PT11", "slots"},
        {DEVIATIONS, FLOATS, {good, good}, 2, 0, "dvp:PT11", "slots"},
        {BOUNDS, {DV_KIND_I4, DV_KIND_R4}, {integers, good}, 2, 0, "dvp:PT11", "slots"},
        {SCALES, FLOATS, {good, nan}, 2, 2, "dvp:PT11", "Scale: expected a number, found NaN"},
        {DEVIATIONS, FLOATS, {good, nan}, 2, 2, "dvp:PT11", "NaN in row 1"},
        {"values", {"Value", ""}, FLOATS, {good, good}, 1, 2, NULL, NULL},
        {"values", {"Values", ""}, FLOATS, {good, good}, 1, 2, "dvp:PT10", "\"Values\""},
        {"values", {"Value", ""}, FLOATS, {good, good}, 1, 0, "dvp:PT13", "1 or more"},
        {"values", {"Value", ""}, FLOATS, {nan, good}, 1, 2, "dvp:PT13", "NaN in row 1"},
        {"scores", {"Score", ""}, FLOATS, {good, good}, 1, 2, NULL, NULL},
        {"scores", {"Score", ""}, DOUBLES, {twice, good}, 1, 2, "dvp:PT10", "R8"},
        {"scores", {"Score", ""}, FLOATS, {nan, good}, 1, 2, "dvp:PT14", "NaN"},
        {"counts", {"Count", ""}, {DV_KIND_I8, DV_KIND_R4}, {twice, good}, 1, 2, NULL, NULL},
        {"counts",
         {"Count", ""},
         {DV_KIND_I4, DV_KIND_R4},
         {integers, good},
         1,
         2,
         "dvp:PT10",
         "I4"},
    };
    for (size_t i = 0; i < COUNT(tables); i++)
        expect_numbers(&tables[i]);
}

/* Metadata, such as a name for each key, does not belong there. */
Test(saved_read, numbers_have_no_metadata)
{
    static const uint32_t keys[] = {1, 2};
    const dv_table_column key = {"Value", dv_type_key(DV_KIND_U4, 0, 2), keys, NULL};
    expect_table("values", &key, 1, 2, DV_ERR_CORRUPT, "dvp:PT10", "\"Value\"");
}

Test(saved_read, bounds_that_are_wrong)
{
    static const int32_t slots[] = {0, 0, 1}, late[] = {1, 1, 2}, gap[] = {0, 0, 2},
                         back[] = {0, 1, 0};
    static const float good[] = {1, INFINITY, INFINITY}, same[] = {INFINITY, INFINITY, INFINITY},
                       falling[] = {INFINITY, 1, INFINITY}, nan[] = {NAN, INFINITY, INFINITY},
                       finite[] = {1, 2, INFINITY}, finite_end[] = {1, INFINITY, 3};
    static const struct {
        const int32_t *slots;
        const float *bounds;
        const char *part; /* NULL: it is fine */
    } tables[] = {{slots, good, NULL},
                  {slots, same, NULL},
                  {late, good, "1 after -1"},
                  {gap, good, "2 after 0"},
                  {back, same, "0 after 1"},
                  {slots, falling, "rising"},
                  {slots, nan, "rising"},
                  {slots, finite, "last bound of a slot: expected infinity, found 2 in row 1"},
                  {slots, finite_end, "found 3 in row 2"}};
    for (size_t i = 0; i < COUNT(tables); i++) {
        const numbers t = {BOUNDS,
                           {DV_KIND_I4, DV_KIND_R4},
                           {tables[i].slots, tables[i].bounds},
                           2,
                           3,
                           tables[i].part ? "dvp:PT12" : NULL,
                           tables[i].part};
        expect_numbers(&t);
    }
}

Test(saved_read, sections_that_are_wrong)
{
    static const char json[] = HEAD "]}",
                      term[] = HEAD STEP("term", "1", "term A", "\"terms\"") "]}";
    const size_t n = strlen(json);
    const forged other = {"other", json, n},
                 twice[] = {{"manifest", json, n}, {"manifest", json, n}},
                 named[] = {{"manifest", term, strlen(term)}, {"terms", json, n}},
                 empty = {"manifest", "", 0};
    expect_forged(&other, 1, DV_ERR_CORRUPT, "dvp:PD2", "other");
    expect_forged(&other, 0, DV_ERR_CORRUPT, "dvp:PD1", "found 0");
    expect_forged(twice, 2, DV_ERR_CORRUPT, "dvp:PM7", "1, as sections");
    expect_forged(named, 2, DV_ERR_CORRUPT, "dvp:PD2", "step1.column1.terms");
    expect_forged(&empty, 1, DV_ERR_CORRUPT, "dvp:PD3", "length of a section");
}
