/* SPDX-License-Identifier: MIT */
/* model_file.c: opens golden models of ML.NET, and damages them. */
#include "support/model_file.h"
#include "mlnet/model_zip.h"
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/produce.h"
#include "support/starved.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dv_status dvt_model_open(dv_fitted **fitted_out, const void *bytes, size_t n, bool until_unknown,
                         const dv_allocator *allocator, dv_error *err)
{
    dvi_map *map;
    *fitted_out = NULL;
    dv_status status =
        dvi_map_open_memory(&map, bytes, n, NULL, NULL, "", DV_IO_AUTO, allocator, err);
    if (status != DV_OK)
        return status;
    status = dvi_model_zip_read(fitted_out, map, until_unknown, err);
    dvi_map_release(&map);
    return status;
}

uint8_t *dvt_model_read(const char *name, size_t *nbytes_out)
{
    char path[128];
    snprintf(path, sizeof path, "golden/%s/model.zip", name);
    return dvt_file_read(dvt_test_path(path).text, nbytes_out);
}

/* Open the model that has these parts. */
dv_status dvt_model_open_parts(dv_fitted **fitted_out, const dvt_zip_parts *parts,
                               bool until_unknown, dv_error *err)
{
    size_t n;
    uint8_t *zip = dvt_zip_make(parts, &n);
    const dv_status status = dvt_model_open(fitted_out, zip, n, until_unknown, NULL, err);
    free(zip);
    return status;
}

void dvt_model_take(dvt_zip_parts *parts, const char *name)
{
    size_t n;
    uint8_t *bytes = dvt_model_read(name, &n);
    cr_assert(dvt_zip_take(parts, bytes, n), "%s", name);
    free(bytes);
}

dvt_zip_part *dvt_model_part(dvt_zip_parts *parts, const char *name)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->part[i].name, name) == 0)
            return &parts->part[i];
    cr_assert(false, "%s", name);
    return NULL;
}

/* --- Damage ----------------------------------------------------------------------------------- */

/* From one changed byte to the next; by 3, each field of four bytes is met. */
#define CHANGE_STEP ((size_t)dvt_fail_step(1, 7))

/* It opens, or says what is wrong. */
static dv_status try_bytes(const uint8_t *bytes, size_t n, const char *name, size_t at)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    uint8_t *copy = malloc(n > 0 ? n : 1); /* ASan sees the end */
    if (n > 0)
        memcpy(copy, bytes, n);
    const dv_status status = dvt_model_open(&fitted, copy, n, at % 2, NULL, &err);
    cr_expect(status == DV_OK || ((status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED ||
                                   status == DV_ERR_LIMIT) &&
                                  *err.message && *err.rule && !fitted),
              "%s, %zu: %d, %s", name, at, (int)status, err.message);
    dv_fitted_release(&fitted);
    free(copy);
    return status;
}

void dvt_model_cut(const char *name)
{
    size_t n;
    uint8_t *bytes = dvt_model_read(name, &n);
    for (size_t at = 0; at < n; at += CHANGE_STEP)
        cr_expect_neq(try_bytes(bytes, at, name, at), DV_OK);
    free(bytes);
}

void dvt_model_change_bytes(const char *name)
{
    size_t n;
    uint8_t *bytes = dvt_model_read(name, &n);
    for (size_t at = 0; at < n; at += CHANGE_STEP) {
        bytes[at] ^= (uint8_t)(1 << at % 8);
        try_bytes(bytes, n, name, at);
        bytes[at] ^= (uint8_t)(1 << at % 8);
    }
    free(bytes);
}

/* With CRCs that are right, changes reach the fields. */
static int try_fields(dvt_zip_parts *parts, size_t part, const char *name)
{
    int refused = 0;
    dvt_zip_part *p = &parts->part[part];
    for (size_t at = 0; at < p->n; at += CHANGE_STEP) {
        static const uint8_t masks[] = {0x01, 0x80, 0xFF};
        for (size_t m = 0; m < sizeof masks; m++) {
            size_t n;
            p->data[at] ^= masks[m];
            uint8_t *zip = dvt_zip_make(parts, &n);
            refused += try_bytes(zip, n, name, at) < 0;
            p->data[at] ^= masks[m];
            free(zip);
        }
    }
    return refused;
}

void dvt_model_change_fields(const char *name)
{
    int refused = 0;
    dvt_zip_parts parts;
    dvt_model_take(&parts, name);
    for (size_t k = 0; k < parts.count; k++)
        if (strstr(parts.part[k].name, "Model.key") || strstr(parts.part[k].name, "Model.bin"))
            refused += try_fields(&parts, k, name);
    cr_expect_geq(refused, 500 / (int)CHANGE_STEP, "%s: %d", name, refused);
    dvt_zip_free(&parts);
}

void dvt_model_check_change(const dvt_model_change *c)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts;
    dvt_model_take(&parts, c->model);
    memcpy(dvt_model_part(&parts, c->part)->data + DVT_MODEL_HEADER + c->at, &c->value, 4);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), c->status, "%s: %d, %s",
                 c->model, (int)err.status, err.message);
    cr_expect(strcmp(err.rule, c->rule) == 0 && strstr(err.message, c->message), "%s: %s, %s",
              c->model, err.rule, err.message);
    dvt_zip_free(&parts);
}

/* --- Memory ----------------------------------------------------------------------------------- */

typedef struct model {
    uint8_t *bytes;
    size_t n;
    dv_view *source;
} model;

static dv_status attempt(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const model *m = what;
    dv_fitted *fitted;
    dv_view *view;
    dv_status status = dvt_model_open(&fitted, m->bytes, m->n, false, allocator, err);
    if (status != DV_OK)
        return status;
    status = dv_fitted_apply(&view, fitted, m->source, allocator, err);
    dv_fitted_release(&fitted);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    return status;
}

void dvt_model_starve(const char *name)
{
    char input[128];
    model m;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    snprintf(input, sizeof input, "%s/input.idv", name);
    m.bytes = dvt_model_read(name, &m.n);
    m.source = dvt_golden_open(input, NULL);
    dvt_fail_each_allocation(attempt, &m, name, &options);
    dv_view_release(&m.source);
    free(m.bytes);
}
