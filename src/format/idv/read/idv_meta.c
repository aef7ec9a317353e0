/* SPDX-License-Identifier: MIT */
/* idv_meta.c: reads the metadata TOC of a column, and metadata values on request (idv:3.3). */
#include "base/alloc.h"
#include "base/hashtab.h"
#include "type/schema.h"
#include "view/batch.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <string.h>

#define RULE "idv:3.3"

/* The context of parse_entry. */
typedef struct entry {
    dvi_idv_file *file;
    dv_text kind;
    int64_t kind_at;
    dvi_idv_metadata metadata;
} entry;

static dv_status parse_count(dvi_reader *r, void *ctx, dv_error *err)
{
    int64_t *count = ctx;
    const int64_t at = dvi_reader_offset(r);
    const uint64_t n = dvi_read_leb64(r);
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "metadata count");
    DVI_REQUIRE(n > 0 && n < INT32_MAX, dvi_fail(err, DV_ERR_CORRUPT, "idv:M1", at,
                                                 "metadata count", "1..2147483646|%" PRIu64, n));
    *count = (int64_t)n;
    return DV_OK;
}

static dv_status parse_entry(dvi_reader *r, void *ctx, dv_error *err)
{
    entry *e = ctx;
    dvi_idv_metadata *m = &e->metadata;
    const int64_t tail = e->file->header.tail;
    e->kind_at = dvi_reader_offset(r);
    e->kind = dvi_read_str(r);
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "metadata kind");
    DVI_TRY(dvi_idv_check_str(e->kind, e->kind_at, "metadata kind", err));
    DVI_TRY(dvi_idv_parse_codec(r, e->file->header.version, RULE, &e->file->arena, &m->codec, err));
    m->compression = dvi_read_u8(r);
    const int64_t offset_at = dvi_reader_offset(r);
    m->offset = dvi_read_i64_le(r);
    const int64_t length_at = dvi_reader_offset(r);
    const uint64_t length = dvi_read_leb64(r);
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "metadata entry");

    DVI_REQUIRE(e->kind.nbytes > 0, dvi_fail(err, DV_ERR_CORRUPT, "idv:M2", e->kind_at,
                                             "metadata kind", "a name|none"));
    DVI_REQUIRE_IN(err, m->offset, DVI_IDV_HEADER_NBYTES, tail, "idv:M4", offset_at,
                   "metadata block offset");
    DVI_REQUIRE(length > 0 && length <= (uint64_t)(tail - m->offset),
                dvi_fail(err, DV_ERR_CORRUPT, "idv:M5", length_at, "metadata block length",
                         "1..%" PRId64 "|%" PRIu64, tail - m->offset, length));
    m->nbytes = (int64_t)length;
    return DV_OK;
}

/* Add an entry to the schema and to the list that dvi_idv_metadata_load reads. */
static dv_status add_metadata(dvi_idv_file *file, dv_schema *schema, dv_text kind,
                              const dvi_idv_metadata *metadata, dv_error *err)
{
    void *list = file->metadata;
    const size_t n = file->metadata_count;
    const dv_status status = dvi_array_reserve(&file->allocator, &list, &file->metadata_cap, n + 1,
                                               sizeof *file->metadata, err);
    file->metadata = list;
    DVI_TRY(status);
    file->metadata[n] = *metadata;
    const dvi_metadata_source source = {dvi_idv_metadata_load, file, (int64_t)n, NULL};
    DVI_TRY(dvi_schema_add_metadata(schema, metadata->column, kind, &metadata->codec.type, &source,
                                    err));
    file->metadata_count++;
    return DV_OK;
}

static dv_status open_value(const dvi_idv_file *file, const dvi_idv_metadata *m,
                            dvi_idv_opened *opened, dv_error *err);

/* Do these metadata make values of BY of the column (idv:5.9)?  They are no metadata then. */
static dv_status read_bytes_mark(dvi_idv_file *file, dv_schema *schema, const entry *e,
                                 bool *is_mark_out, dv_error *err)
{
    dvi_idv_column *c = &file->columns[e->metadata.column];
    const dv_type *type = &c->codec.type, *mark = &e->metadata.codec.type;
    const bool is_vector = type->kind == DV_KIND_U1 && !type->is_key && type->rank == 1;
    dvi_idv_opened opened = {0};
    *is_mark_out = false;
    if (!is_vector || type->size > 0 || mark->kind != DV_KIND_BL || mark->rank > 0 ||
        !dv_text_equal(e->kind, dv_text_of(DVI_IDV_BYTES_KIND)))
        return DV_OK;
    const dv_status status = open_value(file, &e->metadata, &opened, err);
    *is_mark_out = status == DV_OK && *(const int8_t *)opened.column.view.as.fixed.values.data == 1;
    dvi_idv_opened_free(&opened);
    if (!*is_mark_out)
        return status;
    c->codec = (dvi_idv_codec){.type = dv_type_of(DV_KIND_BY), .encoding = DVI_IDV_BYTES};
    dvi_schema_set_type(schema, e->metadata.column, &c->codec.type);
    return DV_OK;
}

static dv_status take_entry(dvi_idv_file *file, dv_schema *schema, entry *e, dvi_hashtab *kinds,
                            dv_error *err)
{
    dv_text kind;
    int32_t before;
    DVI_TRY(dvi_arena_text(&file->arena, &kind, e->kind, err));
    DVI_TRY(dvi_hashtab_put(kinds, kind, 0, &before, err));
    DVI_REQUIRE(before < 0, dvi_fail(err, DV_ERR_CORRUPT, "idv:M3", e->kind_at, "metadata kind",
                                     "once per column|%s again", dvi_show(kind).text));
    if (!e->metadata.codec.unknown.data && e->metadata.compression < DVI_IDV_COMPRESSIONS) {
        bool is_mark;
        DVI_TRY(read_bytes_mark(file, schema, e, &is_mark, err));
        return is_mark ? DV_OK : add_metadata(file, schema, kind, &e->metadata, err);
    }
    const dv_column_info *info = dv_schema_column(schema, e->metadata.column);
    file->dead_metadata++;
    const dvi_idv_warning warning = {.loss = DV_LOSS_METADATA,
                                     .unknown =
                                         e->metadata.codec.unknown.data ? "codec" : "compression",
                                     .rule = RULE,
                                     .offset = e->kind_at};
    return dvi_idv_warn(file, &warning, err, "metadata \"%s\" of column \"%s\"",
                        dvi_show(kind).text, dvi_show(info->name).text);
}

static dv_status read_entries(dvi_idv_file *file, dv_schema *schema, int32_t column,
                              dvi_idv_region *region, dvi_hashtab *kinds, dv_error *err)
{
    int64_t count = 0;
    DVI_TRY(dvi_idv_region_parse(region, parse_count, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = region->at;
        entry e = {.file = file, .metadata.column = column};
        DVI_TRY(dvi_idv_region_parse(region, parse_entry, &e, err));
        file->metadata_toc_nbytes += region->at - at;
        DVI_REQUIRE(file->metadata_toc_nbytes <= file->limits.metadata_toc_nbytes,
                    dvi_fail(err, DV_ERR_LIMIT, "metadata_toc_nbytes",
                             file->columns[column].metadata_at, "metadata tables",
                             "at most %" PRId64 " bytes in all (option metadata_toc_nbytes)|more",
                             file->limits.metadata_toc_nbytes));
        const dv_status status = take_entry(file, schema, &e, kinds, err);
        if (status < 0)
            return status;
    }
    return DV_OK;
}

/* Slot names of version 1.1.1.3 become ordinary metadata. */
static dv_status add_slot_names(dvi_idv_file *file, dv_schema *schema, int32_t column,
                                dv_error *err)
{
    const dvi_idv_column *c = &file->columns[column];
    const dv_type *type = &c->codec.type;
    DVI_REQUIRE(dv_type_is_known_size_vector(type),
                dvi_fail(err, DV_ERR_CORRUPT, "idv:3.1", c->slot_names_at + 16, "slot names count",
                         "0, without slots to name|%d", c->slot_names_count));
    const dvi_idv_metadata metadata = {
        .column = column,
        .codec = {.type = dv_type_vector(dv_type_of(DV_KIND_TX), type->size),
                  .encoding = DVI_IDV_TEXT},
        .is_slot_names = true,
        .count = c->slot_names_count,
        .offset = c->slot_names,
        .nbytes = c->slot_names_nbytes,
    };
    return add_metadata(file, schema, dv_text_of(DV_SLOT_NAMES), &metadata, err);
}

dv_status dvi_idv_read_metadata_toc(dvi_idv_file *file, dv_schema *schema, int32_t column,
                                    dv_error *err)
{
    const dvi_idv_column *c = &file->columns[column];
    if (c->slot_names_count > 0)
        return add_slot_names(file, schema, column, err);
    if (c->metadata == 0)
        return DV_OK;
    dvi_idv_region region;
    dvi_hashtab kinds;
    dvi_hashtab_init(&kinds, &file->allocator);
    dv_status status =
        dvi_idv_region_start(&region, file->map, c->metadata, file->header.tail, err);
    if (status == DV_OK)
        status = read_entries(file, schema, column, &region, &kinds, err);
    dvi_idv_region_free(&region);
    dvi_hashtab_free(&kinds);
    return status;
}

/* --- Values ----------------------------------------------------------------------------------- */

static dv_status open_value(const dvi_idv_file *file, const dvi_idv_metadata *m,
                            dvi_idv_opened *opened, dv_error *err)
{
    if (m->is_slot_names)
        return dvi_idv_open_slot_names(file, m, opened, err);
    dvi_inflater *inflater = NULL;
    if (m->compression != DVI_IDV_STORED)
        DVI_TRY(dvi_inflater_create(&inflater, err));
    const dv_status status = dvi_idv_open_metadata(file, m, opened, inflater, err);
    dvi_inflater_free(&inflater);
    return status;
}

dv_status dvi_idv_metadata_load(void *self, int64_t number, const dv_batch **batch_out,
                                dv_error *err)
{
    const dvi_idv_file *file = self;
    const dvi_idv_metadata *m = &file->metadata[number];
    const dv_type *type = &m->codec.type;
    dv_batch *batch;
    *batch_out = NULL;
    DVI_TRY(dvi_batch_create(&batch, file->view, &type, 1, &file->allocator, err));
    const dv_batch *shown = batch;

    dvi_idv_opened opened = {0};
    dv_status status = open_value(file, m, &opened, err);
    if (status == DV_OK)
        status = dv_batch_start(batch, 0, 1, err);
    if (status == DV_OK) {
        dvi_batch_set_slot(batch, 0, &opened.column.view);
        *batch_out = batch;
    } else {
        const dv_schema *schema = dv_view_schema(file->view);
        dvi_error_within(err, "metadata of column \"%s\"",
                         dvi_show(dv_schema_column(schema, m->column)->name).text);
        dvi_error_set_file(err, dvi_map_name(file->map));
        dv_batch_release(&shown);
    }
    dvi_idv_opened_free(&opened);
    return status;
}
