/* SPDX-License-Identifier: MIT */
/* test_saved.c: saved pipelines make the same again, whole or not at all; all damage is found. */
#include "base/load.h"
#include "saved/saved_priv.h"
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A file, and a pipeline for it. */
typedef struct story {
    const char *file, *pipeline;
} story;

static const story stories[] = {
    {"transform/onehot-indicator-w/input.idv", "onehot B:W; onehot C:A kind=bin; term D:V"},
    {"transform/hash-invert2/input.idv", "hash B:A bits=4 invert=2; onehothash C:A bits=3"},
    {"transform/term-key-in-textkv/input.idv",
     "term B:A sort=value textkv+; value C:B; vector D:B bag+; select C D"},
    {"transform/select-drop/input.idv",
     "combine B:S,R; convert Q type=TX; copy N:S; rowid Id; drop T"},
    {"transform/hash-invert2/input.idv",
     "term B:A terms=[x \"\\\"y\\\\ z\" \xC3\xA9] max=2; copy \"C \x01 D\":B"},
    {"transform/hash-invert2/input.idv", ""},
};

/* --- What both need --------------------------------------------------------------------------- */

static dv_status fit_text(dv_fitted **fitted_out, dv_view *source, dv_text text,
                          const dv_allocator *allocator, dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fit_options fit = DV_FIT_OPTIONS_INIT;
    fit.threads = 1;
    *fitted_out = NULL;
    dv_status status = dv_pipeline_parse(&pipeline, text, allocator, err);
    if (status == DV_OK)
        status = dv_fit(fitted_out, pipeline, source, &fit, allocator, err);
    dv_pipeline_release(&pipeline);
    return status;
}

static dv_status save_memory(dv_buffer *bytes_out, dv_fitted *fitted, const dv_allocator *allocator,
                             dv_error *err)
{
    dvi_writer *writer;
    *bytes_out = (dv_buffer){0};
    dv_status status =
        dvi_writer_create_memory(&writer, PTRDIFF_MAX, "memory_nbytes", allocator, err);
    if (status != DV_OK)
        return status;
    status = dvi_saved_write(fitted, writer, allocator, err);
    if (status == DV_OK)
        dvi_writer_take(writer, bytes_out);
    dvi_writer_close(&writer);
    return status;
}

static dv_status open_memory(dv_fitted **fitted_out, const void *bytes, size_t n,
                             const dv_allocator *allocator, dv_error *err)
{
    dvi_map *map;
    const dv_allocator with = allocator ? *allocator : (dv_allocator){0};
    *fitted_out = NULL;
    dv_status status = dvi_map_open_memory(&map, bytes, n, NULL, NULL, "input", DV_IO_AUTO,
                                           allocator ? &with : NULL, err);
    if (status == DV_OK)
        status = dvi_saved_read(fitted_out, map, err);
    dvi_map_release(&map);
    return status;
}

static dv_view *open_story(const story *s)
{
    dv_view *view;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, s->file);
    cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK, "%s", s->file);
    return view;
}

static dv_buffer save_story(const story *s)
{
    dv_buffer bytes;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_story(s);
    cr_assert_eq(fit_text(&fitted, view, dv_text_of(s->pipeline), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(save_memory(&bytes, fitted, NULL, &err), DV_OK, "%s", err.message);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
    return bytes;
}

/* --- The same before and after ---------------------------------------------------------------- */

static void put_applied(dvt_lines *lines, dv_fitted *fitted, dv_view *source)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvt_produce_by_value(lines, view, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
}

/* Tokens and caches of the one hold for the other. */
static bool is_same_identity(dv_fitted *a, dv_fitted *b, dv_view *source)
{
    dv_view *first, *second;
    cr_assert_eq(dv_fitted_apply(&first, a, source, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_apply(&second, b, source, NULL, NULL), DV_OK);
    return dvt_identity_same(dvt_identity_of(first), dvt_identity_of(second));
}

static void expect_same(dv_fitted *fitted, dv_view *source, const char *name)
{
    dv_buffer bytes, again;
    dv_fitted *opened;
    dvt_lines want = {0}, got = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(save_memory(&bytes, fitted, NULL, &err), DV_OK, "%s: %s", name, err.message);
    cr_assert_eq(open_memory(&opened, bytes.data, bytes.nbytes, NULL, &err), DV_OK, "%s: %s", name,
                 err.message);
    put_applied(&want, fitted, source);
    put_applied(&got, opened, source);
    cr_expect(want.nbytes == got.nbytes && memcmp(want.data, got.data, want.nbytes) == 0, "%s",
              name);
    cr_expect(is_same_identity(fitted, opened, source), "%s", name);
    const dv_fitted_info is = dv_fitted_inspect(opened), was = dv_fitted_inspect(fitted);
    cr_expect(is.rows == was.rows && is.passes == was.passes && is.tables == was.tables);
    cr_assert_eq(save_memory(&again, opened, NULL, &err), DV_OK);
    cr_expect(again.nbytes == bytes.nbytes && memcmp(again.data, bytes.data, bytes.nbytes) == 0,
              "%s: other bytes", name);
    dvt_lines_free(&want);
    dvt_lines_free(&got);
    dv_fitted_release(&opened);
    dv_buffer_release(&bytes);
    dv_buffer_release(&again);
}

Test(saved, makes_what_it_made)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_fitted *fitted;
        dv_view *view = open_story(&stories[i]);
        cr_assert_eq(fit_text(&fitted, view, dv_text_of(stories[i].pipeline), NULL, NULL), DV_OK);
        expect_same(fitted, view, stories[i].pipeline);
        dv_fitted_release(&fitted);
        dv_view_release(&view);
    }
}

/* The cases of ML.NET, of which there is one for every type. */
static int check_case(const dvt_path *folder, const char *name, void *ctx)
{
    size_t n;
    dv_fitted *fitted;
    dv_view *view;
    (void)ctx;
    if (access(dvt_path_in(folder, "pipe.txt").text, R_OK) != 0 ||
        access(dvt_path_in(folder, "output.jsonl").text, R_OK) != 0)
        return 0;
    cr_assert_eq(dv_open(&view, dvt_path_in(folder, "input.idv").text, NULL, NULL), DV_OK);
    char *text = (char *)dvt_file_read(dvt_path_in(folder, "pipe.txt").text, &n);
    const dv_status status = fit_text(&fitted, view, dv_text_of(text), NULL, NULL);
    free(text);
    if (status == DV_OK)
        expect_same(fitted, view, name);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
    return status == DV_OK;
}

Test(saved, cases_of_the_reference)
{
    const int today = dvt_golden_folders("transform", true, check_case, NULL);
    const int older = dvt_golden_folders("transform-1.5", true, check_case, NULL);
    cr_expect_geq(dvt_golden_folders("transform", false, check_case, NULL), 10);
    cr_expect(today < 0 || today >= 100);
    cr_expect(older < 0 || older >= 20);
}

/* Keys that begin above 0 are written as old readers have them; terms of every layout. */
Test(saved, types_of_terms)
{
    static const uint8_t keys[] = {3, 1, 0, 3};
    static const dv_zoned times[] = {{7, 60}, {9, -60}, {DV_TICKS_NA, 0}, {7, 0}};
    static const int8_t bools[] = {1, DV_BL_NA, 0, 1};
    const dv_table_column columns[] = {{"K", dv_type_key(DV_KIND_U1, 5, 3), keys, NULL},
                                       {"Z", dv_type_of(DV_KIND_DZ), times, NULL},
                                       {"B", dv_type_of(DV_KIND_BL), bools, NULL}};
    dv_view *view;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_table_create(&view, columns, COUNT(columns), 4, NULL, NULL), DV_OK);
    cr_assert_eq(fit_text(&fitted, view, dv_text_of("term K Z B"), NULL, &err), DV_OK, "%s",
                 err.message);
    expect_same(fitted, view, "types");
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

static const char want_manifest[] =
    "\"rows\":5,\"passes\":1,\n\"input\":[\n{\"name\":\"A\",\"type\":\"TX\"}],\n\"steps\":[\n"
    "{\"name\":\"term\",\"version\":1,\"text\":\"term K:A max=2\",\"tables\":[\"step1.column1."
    "terms\"]},\n"
    "{\"name\":\"select\",\"version\":1,\"text\":\"select K A\",\"tables\":[]}]}\n";

static dv_fitted *fit_little(void)
{
    static const char *const texts[] = {"b", "a", "", "b", "c"};
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    dv_view *view;
    dv_fitted *fitted;
    cr_assert_eq(dv_table_create(&view, &column, 1, COUNT(texts), NULL, NULL), DV_OK);
    cr_assert_eq(fit_text(&fitted, view, dv_text_of("term K:A max=2; select K A"), NULL, NULL),
                 DV_OK);
    dv_view_release(&view);
    return fitted;
}

Test(saved, manifest_is_readable)
{
    dv_buffer bytes;
    dv_fitted *fitted = fit_little();
    cr_assert_eq(save_memory(&bytes, fitted, NULL, NULL), DV_OK);
    const char *json = (const char *)bytes.data + DVI_SAVED_HEADER;
    cr_expect_eq(strncmp(json, "{\"dataview\":\"", 13), 0);
    cr_expect_eq(strncmp(strchr(json, ',') + 1, want_manifest, strlen(want_manifest)), 0, "%s",
                 json);
    dv_buffer_release(&bytes);
    dv_fitted_release(&fitted);
}

/* --- Damage ----------------------------------------------------------------------------------- */

static void expect_refused(const uint8_t *bytes, size_t n, const char *what, size_t at)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    uint8_t *copy = malloc(n > 0 ? n : 1); /* ASan sees the end */
    if (n > 0)
        memcpy(copy, bytes, n);
    const dv_status status = open_memory(&fitted, copy, n, NULL, &err);
    cr_expect(status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED, "%s at %zu: %d", what, at,
              status);
    cr_expect(*err.message && !fitted, "%s at %zu", what, at);
    free(copy);
}

Test(saved, every_cut_is_found)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_buffer bytes = save_story(&stories[i]);
        for (size_t n = 0; n < bytes.nbytes; n++)
            expect_refused(bytes.data, n, "a cut", n);
        dv_buffer_release(&bytes);
    }
}

Test(saved, every_change_is_found)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_buffer bytes = save_story(&stories[i]);
        uint8_t *copy = malloc(bytes.nbytes + 1);
        memcpy(copy, bytes.data, bytes.nbytes);
        for (size_t at = 0; at < bytes.nbytes; at++) {
            copy[at] ^= (uint8_t)(1 << at % 8);
            expect_refused(copy, bytes.nbytes, "a change", at);
            copy[at] ^= (uint8_t)(1 << at % 8);
        }
        copy[bytes.nbytes] = 0;
        expect_refused(copy, bytes.nbytes + 1, "a byte more", bytes.nbytes);
        free(copy);
        dv_buffer_release(&bytes);
    }
}

/* --- Files that are wrong, with digests that are right ---------------------------------------- */

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
    cr_expect_eq(open_memory(&fitted, bytes, n, NULL, &err), status, "%s: %s",
                 (const char *)sections[0].bytes, err.message);
    cr_expect_str_eq(err.rule, rule, "%s: %s", (const char *)sections[0].bytes, err.message);
    cr_expect(strstr(err.message, part), "%s not in: %s", part, err.message);
    dv_fitted_release(&fitted);
    free(bytes);
}

#define HEAD "{\"dataview\":\"\",\"rows\":1,\"passes\":1,\"input\":[],\"steps\":["
#define STEP(name, version, text, tables)                                                          \
    "{\"name\":\"" name "\",\"version\":" version ",\"text\":\"" text "\",\"tables\":[" tables "]" \
    "}"

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
};

Test(saved, manifests_that_are_wrong)
{
    for (size_t i = 0; i < COUNT(manifests); i++) {
        const forged one = {"manifest", manifests[i].json, strlen(manifests[i].json)};
        expect_forged(&one, 1, manifests[i].status, manifests[i].rule, manifests[i].part);
    }
}

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

static void expect_table(const char *kind, const dv_table_column *columns, int32_t n, int64_t rows,
                         dv_status status, const char *rule, const char *part)
{
    static const char terms[] =
        HEAD STEP("term", "1", "term A max=2", "\"step1.column1.terms\"") "]}",
                      names[] = HEAD STEP("hash", "1", "hash A bits=2 invert=1",
                                          "\"step1.column1.names\"") "]}";
    dv_buffer bytes = idv_of(columns, n, rows);
    const bool is_terms = strcmp(kind, "terms") == 0;
    const char *json = is_terms ? terms : names;
    const forged sections[] = {
        {"manifest", json, strlen(json)},
        {is_terms ? "step1.column1.terms" : "step1.column1.names", bytes.data, bytes.nbytes}};
    expect_forged(sections, 2, status, rule, part);
    dv_buffer_release(&bytes);
}

Test(saved, tables_of_terms_that_are_wrong)
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

Test(saved, tables_of_names_that_are_wrong)
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

Test(saved, sections_that_are_wrong)
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

/* --- Too much --------------------------------------------------------------------------------- */

static void expect_too_much(const dvt_lines *text, const char *part)
{
    dv_buffer bytes;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_story(&stories[1]);
    cr_assert_eq(fit_text(&fitted, view, (dv_text){text->data, (int64_t)text->nbytes}, NULL, &err),
                 DV_OK, "%s", err.message);
    cr_expect_eq(save_memory(&bytes, fitted, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, part), "%s", err.message);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

Test(saved, more_than_a_file_takes)
{
    char column[32];
    dvt_lines text = {0};
    dvt_lines_add(&text, "term", 4);
    for (int i = 0; i < DVI_SAVED_SECTIONS; i++) {
        snprintf(column, sizeof column, " N%d:A", i);
        dvt_lines_add(&text, column, strlen(column));
    }
    expect_too_much(&text, "4096 tables; a file has at most 4095");
    text.nbytes = 0;
    dvt_lines_add(&text, "term A terms=[", 14);
    for (int i = 0; i < DVI_SAVED_MANIFEST / 16; i++)
        dvt_lines_add(&text, "abcdefghijklmnop", 16);
    dvt_lines_add(&text, "]", 1);
    expect_too_much(&text, "more than 16 MiB");
    dvt_lines_free(&text);
}

/* --- Files ------------------------------------------------------------------------------------ */

Test(saved, a_failed_save_leaves_the_old_file)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.dvp"), missing = dvt_path_in(&folder, "no/a.dvp");
    dv_fitted *fitted = fit_little(), *opened;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_fitted_open(&opened, path.text, NULL, &err), DV_ERR_IO);
    cr_expect_null(opened);
    cr_expect_eq(dv_fitted_save(fitted, missing.text, NULL, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "a.dvp"), "%s", err.message);
    cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
    for (int64_t fail = 1;; fail++) { /* an allocation each time; the file stays readable */
        dvt_allocator counted;
        dvt_allocator_init(&counted, fail);
        const dv_status status = dv_fitted_save(fitted, path.text, &counted.allocator, &err);
        cr_assert_eq(dv_fitted_open(&opened, path.text, NULL, &err), DV_OK, "%s", err.message);
        dv_fitted_release(&opened);
        if (status == DV_OK)
            break;
        cr_assert_eq(status, DV_ERR_MEMORY);
    }
    dv_fitted_release(&fitted);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}

static dv_status use(const void *what, const dv_allocator *allocator,
                     const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_fitted *fitted = NULL, *opened = NULL;
    dv_buffer bytes = {0};
    dv_view *source = open_story(s), *view = NULL;
    dv_status status = fit_text(&fitted, source, dv_text_of(s->pipeline), NULL, err);
    if (status == DV_OK)
        status = save_memory(&bytes, fitted, allocator, err);
    if (status == DV_OK)
        status = open_memory(&opened, bytes.data, bytes.nbytes, allocator, err);
    if (status == DV_OK)
        status = dv_fitted_apply(&view, opened, source, allocator, err);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    dv_fitted_release(&opened);
    dv_fitted_release(&fitted);
    dv_view_release(&source);
    dv_buffer_release(&bytes);
    return status;
}

Test(saved, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.take = 5;
        options.threads = 1;
        dvt_fail_each_allocation(use, &stories[i], stories[i].pipeline, &options);
    }
}

/* --- Old files -------------------------------------------------------------------------------- */

/* Files of version 1 are kept for good. */
Test(saved, version_1_opens)
{
    static const char *const texts[] = {"c", "b", "x", ""};
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    dv_view *source;
    dv_fitted *fitted;
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_table_create(&source, &column, 1, COUNT(texts), NULL, NULL), DV_OK);
    cr_assert_eq(
        dv_fitted_open(&fitted, dvt_test_path("golden/dvp/version-1.dvp").text, NULL, &err), DV_OK,
        "%s", err.message);
    put_applied(&lines, fitted, source);
    size_t n;
    char *want = (char *)dvt_file_read(dvt_test_path("golden/dvp/version-1.jsonl").text, &n);
    cr_expect_str_eq(lines.data, want);
    free(want);
    dvt_lines_free(&lines);
    dv_fitted_release(&fitted);
    dv_view_release(&source);
}
