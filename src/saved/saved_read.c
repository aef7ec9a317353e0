/* SPDX-License-Identifier: MIT */
/* saved_read.c: reads fitted pipelines, which may come from anyone.
 *
 * A section is copied before its digest is computed, and what was copied is what is read, so a file
 * that changes meanwhile does no harm. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/reader.h"
#include "base/size.h"
#include "format/idv/idv_format.h"
#include "mlnet/model_zip.h"
#include "mlnet/zip.h"
#include "saved/saved_priv.h"
#include "transform/terms_table.h"
#include "transform/tf_hash_names.h"
#include <dataview/open.h>
#include <inttypes.h>
#include <string.h>

typedef struct reading {
    dvi_map *map;
    const dv_allocator *allocator;
    dvi_arena arena;
    int64_t directory, directory_nbytes;
    dvi_saved_section *sections;
    int32_t count;
    dvi_saved_manifest manifest;
    dv_fitted *fitted;
} reading;

/* --- Header ----------------------------------------------------------------------------------- */

static dv_status check_version(const uint8_t *header, dv_error *err)
{
    const uint32_t version = dvi_load_u32(header + 8), features = dvi_load_u32(header + 12);
    DVI_REQUIRE(
        memcmp(header, DVI_SAVED_MAGIC, 8) == 0,
        dvi_fail(err, DV_ERR_CORRUPT, "dvp:PH1", 0, "content", "a saved pipeline|something else"));
    DVI_REQUIRE(version == DVI_SAVED_VERSION,
                dvi_fail(err, version > DVI_SAVED_VERSION ? DV_ERR_UNSUPPORTED : DV_ERR_CORRUPT,
                         "dvp:PH2", 8, "version of the format", "%d|%" PRIu32, DVI_SAVED_VERSION,
                         version));
    DVI_REQUIRE(features == 0, dvi_fail(err, DV_ERR_UNSUPPORTED, "dvp:PH3", 12, "features",
                                        "none|bits %" PRIx32, features));
    return DV_OK;
}

static dv_status check_places(reading *r, const uint8_t *header, dv_error *err)
{
    static const uint8_t zeros[24];
    const int64_t nbytes = dvi_map_nbytes(r->map), length = dvi_load_i64(header + 16);
    r->directory = dvi_load_i64(header + 24);
    r->directory_nbytes = dvi_load_i64(header + 32);
    DVI_REQUIRE(length == nbytes, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PH4", 16, "length of the file",
                                           "%" PRId64 "|%" PRId64, nbytes, length));
    DVI_REQUIRE_IN(err, r->directory, DVI_SAVED_HEADER, nbytes - DVI_SAVED_DIGEST, "dvp:PH5", 24,
                   "offset of the directory");
    DVI_REQUIRE_IN(err, r->directory_nbytes, 4,
                   4 + DVI_SAVED_SECTIONS * (DVI_SAVED_ENTRY + DVI_SAVED_NAME), "dvp:PH6", 32,
                   "length of the directory");
    DVI_REQUIRE(r->directory_nbytes == nbytes - DVI_SAVED_DIGEST - r->directory,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PH6", 32, "length of the directory",
                         "%" PRId64 ", as it lies|%" PRId64,
                         nbytes - DVI_SAVED_DIGEST - r->directory, r->directory_nbytes));
    DVI_REQUIRE(
        memcmp(header + 40, zeros, sizeof zeros) == 0,
        dvi_fail(err, DV_ERR_CORRUPT, "dvp:PH7", 40, "end of the header", "zeros|something else"));
    return DV_OK;
}

/* --- Directory -------------------------------------------------------------------------------- */

static dv_status check_padding(reading *r, int64_t from, int64_t to, dvi_memory **memory,
                               dv_error *err)
{
    static const uint8_t zeros[DVI_SAVED_HEADER];
    dvi_span span;
    const size_t n = (size_t)(to - from);
    DVI_TRY(dvi_map_copy(r->map, from, n, memory, &span, err));
    DVI_REQUIRE(memcmp(span.data, zeros, n) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD4", from, "padding", "zeros|something else"));
    return DV_OK;
}

/* Sections lie one after the other, each after the padding that aligns it. */
static dv_status read_section(reading *r, dvi_reader *reader, int64_t *end, dvi_memory **memory,
                              dv_error *err)
{
    dvi_saved_section *s = &r->sections[r->count];
    const int64_t at = dvi_reader_offset(reader), start = dvi_saved_align(*end);
    const uint8_t *length = dvi_read_bytes(reader, 2);
    const int64_t n = length ? dvi_load_u16(length) : 0;
    DVI_REQUIRE(n <= DVI_SAVED_NAME,
                dvi_fail_range(err, "dvp:PD2", at, "length of a name", 1, DVI_SAVED_NAME, n));
    const uint8_t *name = dvi_read_bytes(reader, (size_t)n);
    s->offset = dvi_read_i64_le(reader);
    s->nbytes = dvi_read_i64_le(reader);
    s->digest.lo = dvi_read_u64_le(reader);
    s->digest.hi = dvi_read_u64_le(reader);
    DVI_REQUIRE_READ(err, reader, "dvp:PD1", "dvp:PD1", "directory");
    DVI_TRY(dvi_arena_text(&r->arena, &s->name, (dv_text){(const char *)name, n}, err));
    DVI_REQUIRE(s->offset == start,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD3", at, "offset of a section",
                         "%" PRId64 "|%" PRId64, start, s->offset));
    DVI_REQUIRE_IN(err, s->nbytes, 1, r->directory - start, "dvp:PD3", at, "length of a section");
    DVI_TRY(check_padding(r, *end, start, memory, err));
    *end = start + s->nbytes;
    r->count++;
    return DV_OK;
}

static dv_status read_sections(reading *r, const uint8_t *directory, dvi_memory **memory,
                               dv_error *err)
{
    void *made;
    int64_t end = DVI_SAVED_HEADER;
    dvi_reader reader = dvi_reader_of(directory, (size_t)r->directory_nbytes, r->directory, false);
    const int64_t count = (uint32_t)dvi_read_i32_le(&reader);
    DVI_REQUIRE_IN(err, count, 1, DVI_SAVED_SECTIONS, "dvp:PD1", r->directory,
                   "number of sections");
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, (size_t)count * sizeof *r->sections, err));
    r->sections = made;
    while (r->count < count)
        DVI_TRY(read_section(r, &reader, &end, memory, err));
    DVI_REQUIRE(dvi_reader_left(&reader) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD1", dvi_reader_offset(&reader), "directory",
                         "its end|%zu bytes more", dvi_reader_left(&reader)));
    DVI_REQUIRE(dvi_saved_align(end) == r->directory,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD5", 24, "offset of the directory",
                         "%" PRId64 ", after the sections|%" PRId64, dvi_saved_align(end),
                         r->directory));
    DVI_TRY(check_padding(r, end, r->directory, memory, err));
    DVI_REQUIRE(dv_text_equal(r->sections[0].name, dv_text_of("manifest")),
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD2", r->directory, "first section",
                         "manifest|\"%s\"", dvi_show(r->sections[0].name).text));
    return DV_OK;
}

/* `end` holds the directory and the digest. */
static dv_status check_digest(const reading *r, const uint8_t *header, const uint8_t *end,
                              dv_error *err)
{
    dv_digester *digester;
    const size_t n = (size_t)r->directory_nbytes;
    DVI_TRY(dv_digester_create(&digester, r->allocator, err));
    dv_digester_add(digester, header, DVI_SAVED_HEADER);
    dv_digester_add(digester, end, n);
    const dv_u128 is = dv_digester_result(digester);
    dv_digester_free(&digester);
    DVI_REQUIRE(is.lo == dvi_load_u64(end + n) && is.hi == dvi_load_u64(end + n + 8),
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD6", r->directory + r->directory_nbytes,
                         "digest of header and directory",
                         "that of the bytes|another: the file is damaged"));
    return DV_OK;
}

static dv_status read_frame(reading *r, dvi_memory **head, dvi_memory **end, dvi_memory **padding,
                            dv_error *err)
{
    dvi_span header, directory;
    const int64_t nbytes = dvi_map_nbytes(r->map);
    const size_t n = (size_t)dvi_min_i64(nbytes, DVI_SAVED_HEADER);
    DVI_TRY(dvi_map_copy(r->map, 0, n, head, &header, err));
    DVI_REQUIRE(n == DVI_SAVED_HEADER, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PH4", 0, "bytes",
                                                "%d or more|%" PRId64, DVI_SAVED_HEADER, nbytes));
    DVI_TRY(check_version(header.data, err));
    DVI_TRY(check_places(r, header.data, err));
    DVI_TRY(dvi_map_copy(r->map, r->directory, (size_t)r->directory_nbytes + DVI_SAVED_DIGEST, end,
                         &directory, err));
    DVI_TRY(check_digest(r, header.data, directory.data, err));
    return read_sections(r, directory.data, padding, err);
}

/* --- Sections --------------------------------------------------------------------------------- */

/* The bytes of a section, which the caller releases. */
static dv_status load(reading *r, const dvi_saved_section *s, dvi_memory **memory, dv_error *err)
{
    dvi_span span;
    DVI_TRY(dvi_map_copy(r->map, s->offset, (size_t)s->nbytes, memory, &span, err));
    const dv_u128 is = dv_digest_16(span.data, span.nbytes, 0);
    DVI_REQUIRE(is.lo == s->digest.lo && is.hi == s->digest.hi,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD7", s->offset, "digest of the section",
                         "that of the bytes|another: the file is damaged"));
    return DV_OK;
}

static dv_status read_manifest(reading *r, dvi_memory **memory, dv_error *err)
{
    const dvi_saved_section *s = &r->sections[0];
    DVI_REQUIRE_IN(err, s->nbytes, 1, DVI_SAVED_MANIFEST, "dvp:PM1", s->offset,
                   "length of the manifest");
    DVI_TRY(load(r, s, memory, err));
    return dvi_saved_read_manifest(&r->manifest, &r->arena,
                                   (dv_text){(const char *)(*memory)->data, s->nbytes}, s->offset,
                                   r->sections + 1, r->count - 1, err);
}

static void release_memory(void *ctx)
{
    dvi_memory *memory = ctx;
    dvi_memory_release(&memory);
}

dv_status dvi_saved_table_open(dv_view **table_out, dvi_memory *memory, size_t nbytes,
                               const dv_allocator *allocator, dv_error *err)
{
    dvi_map *map = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = allocator;
    options.strict_text = true;
    *table_out = NULL;
    dv_status status = dvi_map_open_memory(&map, memory->data, nbytes, release_memory, memory, "",
                                           DV_IO_AUTO, allocator, err);
    if (status < 0) {
        dvi_memory_release(&memory);
        return status;
    }
    status = dvi_format_idv.open(table_out, map, &options, err);
    dvi_map_release(&map);
    return status;
}

static dv_status open_table(reading *r, const dvi_saved_section *s, dv_view **table_out,
                            dv_error *err)
{
    dvi_memory *memory = NULL;
    *table_out = NULL;
    const dv_status status = load(r, s, &memory, err);
    if (status == DV_OK)
        return dvi_saved_table_open(table_out, memory, (size_t)s->nbytes, r->allocator, err);
    dvi_memory_release(&memory);
    return status;
}

/* Make what column k of step i has learned of its sections. */
static dv_status read_learned(reading *r, int32_t i, int32_t k, const dvi_saved_section *s,
                              dv_view **tables, dv_error *err)
{
    const dvi_step *step = &r->fitted->pipeline->steps.step[i];
    const int32_t n = dvi_step_tables(step);
    for (int32_t t = 0; t < n; t++) {
        const dvi_saved_name name = dvi_saved_table_name(i, k, dvi_step_table(step, t));
        DVI_REQUIRE(dv_text_equal(s[t].name, dv_text_of(name.text)),
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PD2", r->directory, "name of a section",
                             "%s|\"%s\"", name.text, dvi_show(s[t].name).text));
        const dv_status status = open_table(r, &s[t], &tables[t], err);
        if (status < 0)
            dvi_error_within(err, "section %s", name.text);
        DVI_TRY(status);
    }
    const dv_status status =
        step->cls->open.load(&r->fitted->learned[i][k], step, tables, &r->fitted->allocator, err);
    if (status < 0)
        dvi_error_within(err, "section %s",
                         dvi_saved_table_name(i, k, dvi_step_table(step, 0)).text);
    return status;
}

static dv_status read_column(reading *r, int32_t i, int32_t k, const dvi_saved_section *s,
                             dv_error *err)
{
    dv_view *tables[DVI_STEP_TABLES_MAX] = {NULL};
    const dv_status status = read_learned(r, i, k, s, tables, err);
    for (int32_t t = 0; t < DVI_STEP_TABLES_MAX; t++)
        dv_view_release(&tables[t]);
    return status;
}

static dv_status read_tables(reading *r, dv_error *err)
{
    const dvi_steps *steps = &r->fitted->pipeline->steps;
    const dvi_saved_section *s = r->sections + 1;
    for (int32_t i = 0; i < steps->count; i++) {
        const int32_t n = dvi_step_tables(&steps->step[i]);
        for (int32_t k = 0; n > 0 && k < steps->step[i].columns_count; k++, s += n)
            DVI_TRY(read_column(r, i, k, s, err));
    }
    return DV_OK;
}

/* --- The file --------------------------------------------------------------------------------- */

static dv_status copy_inputs(dv_fitted *f, const dvi_saved_manifest *m, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)m->inputs_count * sizeof *f->inputs, err));
    f->inputs = made;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)m->inputs_count * sizeof *f->keys, err));
    f->keys = made;
    for (const dvi_saved_input *in = m->inputs; in; in = in->next) {
        dv_fitted_input *input = &f->inputs[f->inputs_count];
        f->keys[f->inputs_count++] = in->keys;
        DVI_TRY(dvi_arena_text(&f->arena, &input->name, in->input.name, err));
        DVI_TRY(dvi_arena_text(&f->arena, &input->type, in->input.type, err));
    }
    return DV_OK;
}

static dv_status make_fitted(reading *r, dv_error *err)
{
    dv_pipeline *pipeline;
    DVI_TRY(
        dvi_saved_parse_steps(&pipeline, &r->manifest, r->sections[0].offset, r->allocator, err));
    const dv_status status = dvi_fitted_create(&r->fitted, pipeline, 0, r->allocator, err);
    dv_pipeline_release(&pipeline);
    DVI_TRY(status);
    r->fitted->info.rows = r->manifest.rows;
    r->fitted->info.passes = (int32_t)r->manifest.passes;
    DVI_TRY(copy_inputs(r->fitted, &r->manifest, err));
    DVI_TRY(read_tables(r, err));
    return dvi_fitted_seal(r->fitted, err);
}

static dv_status read_file(reading *r, dv_error *err)
{
    dvi_memory *head = NULL, *end = NULL, *padding = NULL, *manifest = NULL;
    dv_status status = read_frame(r, &head, &end, &padding, err);
    dvi_memory_release(&head);
    dvi_memory_release(&end);
    dvi_memory_release(&padding);
    if (status == DV_OK)
        status = read_manifest(r, &manifest, err);
    dvi_memory_release(&manifest);
    return status == DV_OK ? make_fitted(r, err) : status;
}

dv_status dvi_saved_read(dv_fitted **fitted_out, dvi_map *map, dv_error *err)
{
    reading r = {.map = map, .allocator = dvi_map_allocator(map)};
    dvi_arena_init(&r.arena, r.allocator);
    const dv_status status = read_file(&r, err);
    dvi_arena_free(&r.arena);
    if (status < 0)
        dv_fitted_release(&r.fitted);
    *fitted_out = r.fitted;
    return status;
}

static dv_status recognize(const char **format_out, dvi_map *map, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span head;
    const size_t n = sizeof DVI_SAVED_MAGIC - 1;
    const dv_status zip = dvi_zip_recognize(map, err);
    *format_out = zip == DV_OK ? "model.zip" : NULL;
    if (zip != DV_NOT_FOUND || dvi_map_nbytes(map) < (int64_t)n)
        return zip;
    DVI_TRY(dvi_map_copy(map, 0, n, &memory, &head, err));
    if (memcmp(head.data, DVI_SAVED_MAGIC, n) == 0)
        *format_out = "dvp";
    dvi_memory_release(&memory);
    return *format_out ? DV_OK : DV_NOT_FOUND;
}

dv_status dv_fitted_format(const char **format_out, const char *path, dv_error *err)
{
    dvi_map *map;
    *format_out = NULL;
    dv_status status = dvi_map_open(&map, path, DV_IO_PREAD, NULL, err);
    if (status == DV_OK) {
        status = recognize(format_out, map, err);
        dvi_map_release(&map);
    }
    if (status < 0)
        dvi_error_set_file(err, path);
    return status;
}

static dv_status read_any(dv_fitted **fitted_out, dvi_map *map, bool until_unknown, dv_error *err)
{
    const dv_status status = dvi_zip_recognize(map, err);
    DVI_TRY(status);
    return status == DV_OK ? dvi_model_zip_read(fitted_out, map, until_unknown, err)
                           : dvi_saved_read(fitted_out, map, err);
}

dv_status dv_fitted_open_with(dv_fitted **fitted_out, const char *path,
                              const dv_fitted_options *given, const dv_allocator *allocator,
                              dv_error *err)
{
    const dv_allocator with = dvi_allocator_of(allocator);
    dv_fitted_options options = DV_FITTED_OPTIONS_INIT;
    dvi_map *map;
    *fitted_out = NULL;
    DVI_TRY(dvi_options_read(&options, sizeof options, given, "DV_FITTED_OPTIONS_INIT", err));
    dv_status status = dvi_map_open(&map, path, DV_IO_AUTO, &with, err);
    if (status == DV_OK) {
        status = read_any(fitted_out, map, options.until_unknown, err);
        dvi_map_release(&map);
    }
    if (status == DV_OK)
        status = dvi_pipeline_allow((*fitted_out)->pipeline, options.allowed, err);
    if (status < 0) {
        dv_fitted_release(fitted_out);
        dvi_error_set_file(err, path);
    }
    return status;
}

dv_status dv_fitted_open(dv_fitted **fitted_out, const char *path, const dv_allocator *allocator,
                         dv_error *err)
{
    return dv_fitted_open_with(fitted_out, path, NULL, allocator, err);
}

dv_status dv_fitted_open_until_unknown(dv_fitted **fitted_out, const char *path,
                                       const dv_allocator *allocator, dv_error *err)
{
    dv_fitted_options options = DV_FITTED_OPTIONS_INIT;
    options.until_unknown = true;
    return dv_fitted_open_with(fitted_out, path, &options, allocator, err);
}
