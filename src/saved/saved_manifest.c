/* SPDX-License-Identifier: MIT */
/* saved_manifest.c: reads the manifest of a saved pipeline: JSON that says which steps it has. */
#include "base/check.h"
#include "base/utf8.h"
#include "interop/arrow_exact.h"
#include "interop/arrow_json.h"
#include "saved/saved_priv.h"
#include <inttypes.h>
#include <string.h>

/* Lists are counted as they come; whatever they hold takes bytes of the manifest. */
typedef struct reading {
    dvi_json json;
    dvi_arena *arena;
    int64_t offset; /* of the manifest in the file */
    const dvi_saved_section *tables;
    int32_t tables_count;
    dvi_saved_manifest *manifest;
    dvi_saved_input **last_input;
    dvi_saved_step **last_step;
} reading;

static dv_status check_json(const reading *r, dv_error *err)
{
    DVI_REQUIRE(!r->json.is_wrong, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM1", r->offset, "manifest",
                                            "JSON of the form of dvp:4|something else"));
    return DV_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

static dv_status read_text(reading *r, dv_text *text_out, dv_error *err)
{
    void *made;
    dvi_json ahead = r->json;
    const size_t n = dvi_json_string(&ahead, NULL);
    if (ahead.is_wrong)
        r->json = ahead;
    DVI_TRY(check_json(r, err));
    DVI_TRY(dvi_arena_alloc(r->arena, &made, n + 1, err));
    dvi_json_string(&r->json, made);
    *text_out = (dv_text){made, (int64_t)n};
    return DV_OK;
}

static dv_status read_number(reading *r, int64_t least, int64_t most, const char *what,
                             int64_t *number_out, dv_error *err)
{
    int64_t number = 0;
    const dv_text digits = dvi_json_integer(&r->json);
    DVI_TRY(check_json(r, err));
    const bool is_plain = digits.data[0] != '-' && (digits.data[0] != '0' || digits.nbytes == 1);
    bool is_big = !is_plain;
    for (int64_t i = 0; !is_big && i < digits.nbytes; i++)
        is_big = __builtin_mul_overflow(number, INT64_C(10), &number) ||
                 __builtin_add_overflow(number, (int64_t)(digits.data[i] - '0'), &number);
    DVI_REQUIRE(!is_big && number >= least && number <= most,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM3", r->offset, what,
                         "%" PRId64 "..%" PRId64 "|%s", least, most, dvi_show(digits).text));
    *number_out = number;
    return DV_OK;
}

/* --- Objects and lists ------------------------------------------------------------------------ */

/* The keys of a kind of object, and what reads the value of each. It has all up to the last, but
 * those from `optional` on are all there, or none is. */
typedef struct object {
    const char *what;
    const char *keys[6]; /* NULL after the last */
    dv_status (*read)(reading *r, int key, void *to, dv_error *err);
    int optional; /* 0: none are */
} object;

static int find_key(const object *o, dv_text key)
{
    int i = 0;
    while (o->keys[i] && !dv_text_equal(key, dv_text_of(o->keys[i])))
        i++;
    return o->keys[i] ? i : -1;
}

static dv_status read_member(reading *r, const object *o, uint32_t *seen, void *to, dv_error *err)
{
    const dv_text key = dvi_json_word(&r->json);
    dvi_json_require(&r->json, ':');
    DVI_TRY(check_json(r, err));
    const int i = find_key(o, key);
    DVI_REQUIRE(i >= 0, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM2", r->offset, o->what,
                                 "a key that version 1 has|\"%s\"", dvi_show(key).text));
    DVI_REQUIRE((*seen & 1U << i) == 0, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM2", r->offset, o->what,
                                                 "\"%s\" once|twice", o->keys[i]));
    *seen |= 1U << i;
    return o->read(r, i, to, err);
}

static dv_status read_object(reading *r, const object *o, void *to, dv_error *err)
{
    uint32_t seen = 0;
    dvi_json_require(&r->json, '{');
    do
        DVI_TRY(read_member(r, o, &seen, to, err));
    while (dvi_json_take(&r->json, ','));
    dvi_json_require(&r->json, '}');
    DVI_TRY(check_json(r, err));
    const bool is_short = o->optional > 0 && seen >> o->optional == 0;
    for (int i = 0; o->keys[i] && !(is_short && i == o->optional); i++)
        DVI_REQUIRE(seen & 1U << i, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM2", r->offset, o->what,
                                             "\"%s\"|none", o->keys[i]));
    return DV_OK;
}

static dv_status read_list(reading *r, dv_status (*read)(reading *r, void *to, dv_error *err),
                           void *to, dv_error *err)
{
    dvi_json_require(&r->json, '[');
    if (dvi_json_take(&r->json, ']'))
        return DV_OK;
    do
        DVI_TRY(read(r, to, err));
    while (dvi_json_take(&r->json, ','));
    dvi_json_require(&r->json, ']');
    return check_json(r, err);
}

/* --- The manifest ----------------------------------------------------------------------------- */

static dv_status read_digest(reading *r, dv_u128 *digest_out, dv_error *err)
{
    dv_text text;
    DVI_TRY(read_text(r, &text, err));
    const bool is_one = dvi_exact_hex((uint8_t *)digest_out, sizeof *digest_out, text, true);
    DVI_REQUIRE(is_one, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM8", r->offset, "digest of key values",
                                 "32 digits, 0-9 and a-f|\"%s\"", dvi_show(text).text));
    return DV_OK;
}

static dv_status read_input_member(reading *r, int key, void *to, dv_error *err)
{
    int64_t count;
    dvi_saved_input *input = to;
    switch (key) {
    case 0:
        return read_text(r, &input->input.name, err);
    case 1:
        return read_text(r, &input->input.type, err);
    case 2:
        DVI_TRY(read_number(r, 1, INT32_MAX, "key values of an input", &count, err));
        input->keys.count = (int32_t)count;
        return DV_OK;
    default:
        return read_digest(r, &input->keys.digest, err);
    }
}

static const object input_object = {
    "input of the manifest", {"name", "type", "keys", "digest"}, read_input_member, 2};

static dv_status read_input(reading *r, void *to, dv_error *err)
{
    void *made;
    (void)to;
    DVI_TRY(dvi_arena_alloc(r->arena, &made, sizeof(dvi_saved_input), err));
    *r->last_input = made;
    r->last_input = &(*r->last_input)->next;
    r->manifest->inputs_count++;
    return read_object(r, &input_object, made, err);
}

/* The tables of all steps are the sections after the manifest, in order. */
static dv_status read_table(reading *r, void *to, dv_error *err)
{
    dvi_saved_step *step = to;
    dv_text name;
    const int32_t at = r->manifest->tables++;
    DVI_TRY(read_text(r, &name, err));
    const bool is_there = at < r->tables_count && dv_text_equal(name, r->tables[at].name);
    DVI_REQUIRE(is_there, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM7", r->offset, "table of a step",
                                   "the sections in order|\"%s\"", dvi_show(name).text));
    step->tables++;
    return DV_OK;
}

static dv_status read_step_member(reading *r, int key, void *to, dv_error *err)
{
    dvi_saved_step *step = to;
    switch (key) {
    case 0:
        return read_text(r, &step->name, err);
    case 1:
        return read_number(r, 1, INT32_MAX, "version of a step", &step->version, err);
    case 2:
        return read_text(r, &step->text, err);
    default:
        return read_list(r, read_table, step, err);
    }
}

static const object step_object = {
    "step of the manifest", {"name", "version", "text", "tables"}, read_step_member, 0};

static dv_status read_step(reading *r, void *to, dv_error *err)
{
    void *made;
    (void)to;
    DVI_TRY(dvi_arena_alloc(r->arena, &made, sizeof(dvi_saved_step), err));
    *r->last_step = made;
    r->last_step = &(*r->last_step)->next;
    r->manifest->steps_count++;
    return read_object(r, &step_object, made, err);
}

static dv_status read_manifest_member(reading *r, int key, void *to, dv_error *err)
{
    dvi_saved_manifest *m = to;
    dv_text writer;
    switch (key) {
    case 0:
        return read_text(r, &writer, err);
    case 1:
        return read_number(r, 0, INT64_MAX, "rows of the manifest", &m->rows, err);
    case 2:
        return read_number(r, 0, INT32_MAX, "passes of the manifest", &m->passes, err);
    case 3:
        return read_list(r, read_input, NULL, err);
    default:
        return read_list(r, read_step, NULL, err);
    }
}

static const object manifest_object = {
    "manifest", {"dataview", "rows", "passes", "input", "steps"}, read_manifest_member, 0};

static dv_status check_utf8(dv_text text, int64_t offset, dv_error *err)
{
    int64_t step;
    for (int64_t at = 0; at < text.nbytes; at += step) {
        step = (int64_t)dvi_utf8_step(text.data + at, (size_t)(text.nbytes - at));
        DVI_REQUIRE(step > 0, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM1", offset + at, "manifest",
                                       "UTF-8|other bytes"));
    }
    return DV_OK;
}

dv_status dvi_saved_read_manifest(dvi_saved_manifest *manifest_out, dvi_arena *arena, dv_text json,
                                  int64_t offset, const dvi_saved_section *tables, int32_t n,
                                  dv_error *err)
{
    dvi_saved_manifest *m = manifest_out;
    reading r = {.json = dvi_json_of(json),
                 .arena = arena,
                 .offset = offset,
                 .tables = tables,
                 .tables_count = n,
                 .manifest = m,
                 .last_input = &m->inputs,
                 .last_step = &m->steps};
    *m = (dvi_saved_manifest){0};
    DVI_TRY(check_utf8(json, offset, err));
    DVI_TRY(read_object(&r, &manifest_object, m, err));
    DVI_REQUIRE(dvi_json_is_done(&r.json), dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM1", offset,
                                                    "manifest", "its end|something else"));
    DVI_REQUIRE(m->tables == n, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM7", offset, "tables of steps",
                                         "%d, as sections|%d", (int)n, (int)m->tables));
    return DV_OK;
}
