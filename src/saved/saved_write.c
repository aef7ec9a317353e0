/* SPDX-License-Identifier: MIT */
/* saved_write.c: writes fitted pipelines. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "format/idv/idv_format.h"
#include "save/save.h"
#include "saved/saved_priv.h"
#include "transform/terms_table.h"
#include <dataview/save.h>
#include <stdio.h>
#include <string.h>

typedef struct writing {
    dv_fitted *fitted;
    dvi_writer *writer;
    const dv_allocator *allocator;
    dvi_saved_name *names;
    dvi_saved_section *sections;
    int32_t count, cap;
} writing;

dvi_saved_name dvi_saved_table_name(int32_t step, int32_t column, const char *kind)
{
    dvi_saved_name name;
    snprintf(name.text, sizeof name.text, "step%d.column%d.%s", (int)step + 1, (int)column + 1,
             kind);
    return name;
}

/* --- Sections --------------------------------------------------------------------------------- */

static dv_status align(dvi_writer *writer, dv_error *err)
{
    const int64_t at = dvi_writer_offset(writer);
    return dvi_writer_pad(writer, (size_t)(dvi_saved_align(at) - at), err);
}

static dv_status put_section(writing *w, const dvi_saved_name *name, const dv_buffer *bytes,
                             dv_error *err)
{
    const int32_t i = w->count++;
    DVI_TRY(align(w->writer, err));
    w->names[i] = *name;
    w->sections[i] = (dvi_saved_section){.name = dv_text_of(w->names[i].text),
                                         .offset = dvi_writer_offset(w->writer),
                                         .nbytes = (int64_t)bytes->nbytes,
                                         .digest = dv_digest_16(bytes->data, bytes->nbytes, 0)};
    return dvi_writer_write(w->writer, bytes->data, bytes->nbytes, err);
}

static dv_status put_manifest(writing *w, dv_error *err)
{
    static const dvi_saved_name name = {"manifest"};
    dvi_writer *memory;
    dv_buffer bytes;
    DVI_TRY(dvi_writer_create_memory(&memory, PTRDIFF_MAX, "memory_nbytes", w->allocator, err));
    const dv_sink sink = {dvi_saved_to_writer, memory};
    dv_status status = dvi_saved_write_manifest(w->fitted, &sink, w->allocator, err);
    if (status == DV_ERR_ARGUMENT)
        status = dvi_writer_write(memory, "", 0, err); /* why the sink stopped */
    if (status == DV_OK && dvi_writer_offset(memory) > DVI_SAVED_MANIFEST)
        status = dvi_fail_argument(err, "the steps take more than 16 MiB: %lld bytes of JSON",
                                   (long long)dvi_writer_offset(memory));
    if (status == DV_OK) {
        dvi_writer_take(memory, &bytes);
        status = put_section(w, &name, &bytes, err);
        dv_buffer_release(&bytes);
    }
    dvi_writer_close(&memory);
    return status;
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Keys that do not count from 0 without gaps exist only in the codec of old readers. */
static bool has_old_keys(const dv_schema *schema)
{
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_type *type = &dv_schema_column(schema, i)->type;
        if (type->is_key && (type->key_min > 0 || !type->key_is_contiguous))
            return true;
    }
    return false;
}

dv_status dvi_saved_table_bytes(dv_buffer *bytes_out, dv_view *table, const dv_allocator *allocator,
                                dv_error *err)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = 1;
    options.memory_nbytes = PTRDIFF_MAX;
    options.idv_old_keys = has_old_keys(dv_view_schema(table));
    return dvi_save_memory(table, &dvi_format_idv, bytes_out, &options, err);
}

static dv_status put_table(writing *w, const dvi_saved_name *name, dv_view *table, dv_error *err)
{
    dv_buffer bytes;
    DVI_TRY(dvi_saved_table_bytes(&bytes, table, w->allocator, err));
    const dv_status status = put_section(w, name, &bytes, err);
    dv_buffer_release(&bytes);
    return status;
}

static dv_status put_learned(writing *w, int32_t i, int32_t k, int32_t table, dv_error *err)
{
    dv_view *view;
    const dvi_step *step = &w->fitted->pipeline->steps.step[i];
    const dvi_saved_name name = dvi_saved_table_name(i, k, dvi_step_table(step, table));
    DVI_TRY(step->cls->open.show(&view, w->fitted->learned[i][k], table, w->allocator, err));
    const dv_status status = put_table(w, &name, view, err);
    dv_view_release(&view);
    return status;
}

/* What has been learned without tables is lost in a file. */
static dv_status check_tables(const dv_fitted *fitted, dv_error *err)
{
    const dvi_steps *steps = &fitted->pipeline->steps;
    for (int32_t i = 0; i < steps->count; i++)
        for (int32_t k = 0; k < steps->step[i].columns_count; k++)
            if (fitted->learned[i][k] && dvi_step_tables(&steps->step[i]) == 0)
                return dvi_fail_argument(err,
                                         "step %d, %s, cannot be saved: its class has no "
                                         "tables for what it has learned",
                                         (int)i + 1, steps->step[i].info->name);
    return DV_OK;
}

static dv_status put_tables(writing *w, dv_error *err)
{
    const dvi_steps *steps = &w->fitted->pipeline->steps;
    for (int32_t i = 0; i < steps->count; i++)
        for (int32_t k = 0; k < steps->step[i].columns_count; k++)
            for (int32_t t = 0; t < dvi_step_tables(&steps->step[i]); t++)
                DVI_TRY(put_learned(w, i, k, t, err));
    return DV_OK;
}

/* --- Directory and header --------------------------------------------------------------------- */

static size_t store_directory(const writing *w, uint8_t *dst)
{
    size_t at = 4;
    dvi_store_u32(dst, (uint32_t)w->count);
    for (int32_t i = 0; i < w->count; i++) {
        const dvi_saved_section *s = &w->sections[i];
        const size_t n = (size_t)s->name.nbytes;
        dvi_store_u16(dst + at, (uint16_t)n);
        memcpy(dst + at + 2, s->name.data, n);
        at += 2 + n;
        dvi_store_i64(dst + at, s->offset);
        dvi_store_i64(dst + at + 8, s->nbytes);
        dvi_store_u64(dst + at + 16, s->digest.lo);
        dvi_store_u64(dst + at + 24, s->digest.hi);
        at += 32;
    }
    return at;
}

static void store_header(uint8_t header[DVI_SAVED_HEADER], int64_t directory, size_t n)
{
    memset(header, 0, DVI_SAVED_HEADER);
    memcpy(header, DVI_SAVED_MAGIC, 8);
    dvi_store_u32(header + 8, DVI_SAVED_VERSION);
    dvi_store_i64(header + 16, directory + (int64_t)n + DVI_SAVED_DIGEST);
    dvi_store_i64(header + 24, directory);
    dvi_store_i64(header + 32, (int64_t)n);
}

/* `bytes` has room for header, directory and digest. */
static dv_status put_end(writing *w, uint8_t *bytes, dv_error *err)
{
    DVI_TRY(align(w->writer, err));
    const size_t n = store_directory(w, bytes + DVI_SAVED_HEADER);
    store_header(bytes, dvi_writer_offset(w->writer), n);
    const dv_u128 digest = dv_digest_16(bytes, DVI_SAVED_HEADER + n, 0);
    dvi_store_u64(bytes + DVI_SAVED_HEADER + n, digest.lo);
    dvi_store_u64(bytes + DVI_SAVED_HEADER + n + 8, digest.hi);
    DVI_TRY(dvi_writer_write(w->writer, bytes + DVI_SAVED_HEADER, n + DVI_SAVED_DIGEST, err));
    return dvi_writer_write_at(w->writer, 0, bytes, DVI_SAVED_HEADER, err);
}

static dv_status put_directory(writing *w, dv_error *err)
{
    void *bytes;
    const size_t entry = DVI_SAVED_ENTRY + DVI_SAVED_NAME;
    const size_t n = DVI_SAVED_HEADER + 4 + entry * (size_t)w->count + DVI_SAVED_DIGEST;
    DVI_TRY(dvi_alloc(w->allocator, &bytes, n, err));
    const dv_status status = put_end(w, bytes, err);
    dvi_free(w->allocator, bytes, n);
    return status;
}

/* --- The file --------------------------------------------------------------------------------- */

static dv_status put_file(writing *w, dv_error *err)
{
    void *made;
    const size_t n = (size_t)w->cap;
    DVI_TRY(dvi_alloc(w->allocator, &made, n * sizeof *w->names, err));
    w->names = made;
    DVI_TRY(dvi_alloc(w->allocator, &made, n * sizeof *w->sections, err));
    w->sections = made;
    DVI_TRY(dvi_writer_pad(w->writer, DVI_SAVED_HEADER, err));
    DVI_TRY(put_manifest(w, err));
    DVI_TRY(put_tables(w, err));
    return put_directory(w, err);
}

dv_status dvi_saved_write(dv_fitted *fitted, dvi_writer *writer, const dv_allocator *allocator,
                          dv_error *err)
{
    const dv_allocator with = dvi_allocator_of(allocator);
    const int32_t tables = dv_fitted_inspect(fitted).tables;
    DVI_TRY(check_tables(fitted, err));
    writing w = {.fitted = fitted, .writer = writer, .allocator = &with, .cap = tables + 1};
    if (tables >= DVI_SAVED_SECTIONS)
        return dvi_fail_argument(err, "the pipeline has learned %d tables; a file has at most %d",
                                 (int)tables, DVI_SAVED_SECTIONS - 1);
    const dv_status status = put_file(&w, err);
    dvi_free(&with, w.names, (size_t)w.cap * sizeof *w.names);
    dvi_free(&with, w.sections, (size_t)w.cap * sizeof *w.sections);
    return status;
}

dv_status dv_fitted_save(dv_fitted *fitted, const char *path, const dv_allocator *allocator,
                         dv_error *err)
{
    const dv_allocator with = dvi_allocator_of(allocator);
    dvi_writer *writer;
    dv_status status = dvi_writer_create(&writer, path, true, &with, err);
    if (status == DV_OK) {
        status = dvi_saved_write(fitted, writer, &with, err);
        if (status == DV_OK)
            status = dvi_writer_commit(writer, err);
        dvi_writer_close(&writer);
    }
    if (status < 0)
        dvi_error_set_file(err, path);
    return status;
}
