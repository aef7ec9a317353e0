/* SPDX-License-Identifier: MIT */
/* idv_toc.c: reads the column TOC: the columns and where their tables are (idv:3.1). */
#include "base/alloc.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define RULE "idv:3.1"
#define WARNINGS_MAX 64 /* more warnings do not help */
#define SLOT_NAME_NBYTES_MIN 5

dv_status dvi_idv_warn(dvi_idv_file *file, const dvi_idv_warning *given, dv_error *err,
                       const char *format, ...)
{
    file->dead_listed += file->warning_count < WARNINGS_MAX && given->loss != DV_LOSS_NONE;
    if (++file->warning_count > WARNINGS_MAX)
        return DV_OK;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dv_text what, unknown;
    void *made;
    DVI_TRY(dvi_arena_text(&file->arena, &what, dv_text_of(text), err));
    DVI_TRY(dvi_arena_text(&file->arena, &unknown, dv_text_of(given->unknown), err));
    DVI_TRY(dvi_arena_alloc(&file->arena, &made, sizeof(dvi_idv_warning), err));
    dvi_idv_warning *warning = made;
    *warning = *given;
    warning->what = what.data;
    warning->unknown = unknown.data;
    *file->warnings_end = warning;
    file->warnings_end = &warning->next;
    return DV_OK;
}

/* The context of parse_column. */
typedef struct entry {
    dvi_idv_file *file;
    dvi_idv_column column;
} entry;

/* Slot names are in the TOC itself only in 1.1.1.3. */
static dv_status parse_slot_names(dvi_reader *r, const dvi_idv_file *file, dvi_idv_column *c,
                                  dv_error *err)
{
    const int64_t tail = file->header.tail;
    const int64_t at = c->slot_names_at = dvi_reader_offset(r);
    c->slot_names = dvi_read_i64_le(r);
    if (c->slot_names > 0) {
        c->slot_names_nbytes = dvi_read_i64_le(r);
        c->slot_names_count = dvi_read_i32_le(r);
    }
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "slot names");
    if (c->slot_names == 0)
        return DV_OK;
    DVI_REQUIRE_IN(err, c->slot_names, DVI_IDV_HEADER_NBYTES, tail, RULE, at, "slot names offset");
    DVI_REQUIRE_IN(err, c->slot_names_nbytes, 0, tail - c->slot_names, RULE, at + 8,
                   "slot names size");
    DVI_REQUIRE_IN(err, c->slot_names_count, 0, c->slot_names_nbytes / SLOT_NAME_NBYTES_MIN, RULE,
                   at + 16, "slot names count");
    return DV_OK;
}

static dv_status parse_column(dvi_reader *r, void *ctx, dv_error *err)
{
    entry *e = ctx;
    const dvi_idv_file *file = e->file;
    dvi_idv_column *c = &e->column;
    *c = (dvi_idv_column){.name_at = dvi_reader_offset(r)};
    c->name = dvi_read_str(r);
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "column name");
    DVI_TRY(dvi_idv_check_str(c->name, c->name_at, "column name", err));
    DVI_TRY(dvi_idv_parse_codec(r, file->header.version, RULE, &e->file->arena, &c->codec, err));
    c->compression = dvi_read_u8(r);
    c->rpb_at = dvi_reader_offset(r);
    const uint64_t rpb = dvi_read_leb64(r);
    c->lookup_at = dvi_reader_offset(r);
    c->lookup = dvi_read_i64_le(r);
    if (file->header.version == DVI_IDV_VERSION(3))
        DVI_TRY(parse_slot_names(r, file, c, err));
    c->metadata_at = dvi_reader_offset(r);
    if (file->header.version >= DVI_IDV_VERSION(4))
        c->metadata = dvi_read_i64_le(r);
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "column entry");

    DVI_REQUIRE(rpb <= INT32_MAX && (rpb > 0 || file->header.rows == 0),
                dvi_fail(err, DV_ERR_CORRUPT, "idv:T1", c->rpb_at, "rows per block",
                         "%d..2147483647|%" PRIu64, file->header.rows > 0, rpb));
    c->rpb = (int64_t)rpb;
    return DV_OK;
}

static dv_status check_column(const dvi_idv_file *file, const dvi_idv_column *c, int32_t number,
                              int64_t rpb, dv_error *err)
{
    const int64_t rows = file->header.rows, tail = file->header.tail;
    DVI_REQUIRE(number == 0 || c->rpb == rpb,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "idv:T2", c->rpb_at, "rows per block",
                         "%" PRId64 " as in the first column|%" PRId64, rpb, c->rpb));
    if (rows > 0) {
        const int64_t blocks = c->rpb > 0 ? (rows - 1) / c->rpb + 1 : 0;
        DVI_REQUIRE_IN(err, c->lookup, DVI_IDV_HEADER_NBYTES, tail, "idv:T3", c->lookup_at,
                       "lookup table offset");
        DVI_REQUIRE(blocks <= (tail - c->lookup) / 16,
                    dvi_fail(err, DV_ERR_CORRUPT, "idv:T3", c->lookup_at, "lookup table",
                             "room for %" PRId64 " blocks before the tail|%" PRId64, blocks,
                             (tail - c->lookup) / 16));
    }
    if (c->metadata != 0)
        DVI_REQUIRE_IN(err, c->metadata, DVI_IDV_HEADER_NBYTES, tail, "idv:T4", c->metadata_at,
                       "metadata TOC offset");
    return DV_OK;
}

/* Warn why a column cannot be read. */
static dv_status warn_of_dead(dvi_idv_file *file, const dvi_idv_column *c, int32_t number,
                              dv_error *err)
{
    char unknown[192];
    const dvi_shown codec = dvi_show(c->codec.unknown);
    if (!c->codec.unknown.data)
        snprintf(unknown, sizeof unknown, "compression %u", c->compression);
    else if (c->compression < DVI_IDV_COMPRESSIONS)
        snprintf(unknown, sizeof unknown, "codec \"%s\"", codec.text);
    else
        snprintf(unknown, sizeof unknown, "codec \"%s\" and compression %u", codec.text,
                 c->compression);
    const dvi_idv_warning warning = {
        .loss = DV_LOSS_COLUMNS, .unknown = unknown, .rule = RULE, .offset = c->name_at};
    return dvi_idv_warn(file, &warning, err, "column %d \"%s\"", number, dvi_show(c->name).text);
}

/* What the entries are read into. */
typedef struct target {
    dv_schema *schema;
    bool is_shared; /* the schema has its columns already */
} target;

/* Is it the next column of the schema of another file, which has no metadata? */
static bool is_next(const dvi_idv_file *file, const dv_schema *schema, const dvi_idv_column *c)
{
    const dv_column_info *info = dv_schema_column(schema, file->alive);
    return info && c->metadata == 0 && c->slot_names_count == 0 &&
           dv_text_equal(info->name, c->name) && dv_type_equal(&info->type, &c->codec.type);
}

/* Add an alive column and its metadata to the schema. */
static dv_status add_column(dvi_idv_file *file, const target *to, dvi_idv_column *c, dv_error *err)
{
    DVI_REQUIRE(c->name.nbytes > 0,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:T5", c->name_at, "column name", "a name|none"));
    int32_t index = file->alive;
    if (!to->is_shared)
        DVI_TRY(dv_schema_add(to->schema, c->name, &c->codec.type, &index, err));
    else if (!is_next(file, to->schema, c))
        return DV_NOT_FOUND;
    c->name = dv_schema_column(to->schema, index)->name;
    if (c->codec.is_renamed)
        DVI_TRY(dvi_idv_warn(file, &(dvi_idv_warning){.loss = DV_LOSS_NONE}, err,
                             "column \"%s\" uses an old name of the row id codec: "
                             "current ML.NET versions skip it",
                             dvi_show(c->name).text));
    file->columns[file->alive++] = *c;
    return dvi_idv_read_metadata_toc(file, to->schema, index, err);
}

static dv_status take_column(dvi_idv_file *file, const target *to, dvi_idv_column *c,
                             int32_t number, dv_error *err)
{
    DVI_TRY(check_column(file, c, number, file->rpb, err));
    file->rpb = c->rpb;
    const bool is_dead = c->codec.unknown.data || c->compression >= DVI_IDV_COMPRESSIONS;
    file->dead += is_dead;
    return is_dead ? warn_of_dead(file, c, number, err) : add_column(file, to, c, err);
}

static dv_status read_column(dvi_idv_file *file, const target *to, dvi_idv_region *region,
                             int32_t number, dv_error *err)
{
    entry e = {.file = file};
    dv_status status = dvi_idv_region_parse(region, parse_column, &e, err);
    if (status < 0) {
        dvi_error_within(err, "column %d", number);
        return status;
    }
    status = take_column(file, to, &e.column, number, err);
    if (status < 0)
        dvi_error_within(err, "column %d \"%s\"", number, dvi_show(e.column.name).text);
    return status;
}

static dv_status read_columns(dvi_idv_file *file, const target *to, dv_error *err)
{
    const dvi_idv_header *h = &file->header;
    dvi_idv_region region;
    dv_status status = dvi_idv_region_start(&region, file->map, h->toc, h->tail, err);
    for (int32_t i = 0; i < h->columns && status == DV_OK; i++)
        status = read_column(file, to, &region, i, err);
    dvi_idv_region_free(&region);
    return status;
}

/* Without readable columns no byte of the file confirms the row count, so it is limited. */
static dv_status check_rows(const dvi_idv_file *file, dv_error *err)
{
    const int64_t most = file->limits.rows_without_columns;
    DVI_REQUIRE(file->alive > 0 || file->header.rows <= most,
                dvi_fail(err, DV_ERR_LIMIT, "rows_without_columns", 40,
                         "row count of a file without readable columns",
                         "at most %" PRId64 " (option rows_without_columns)|%" PRId64, most,
                         file->header.rows));
    return DV_OK;
}

dv_status dvi_idv_read_toc(dvi_idv_file *file, dv_schema *schema, bool is_shared, dv_error *err)
{
    const target to = {schema, is_shared};
    const dvi_idv_header *h = &file->header;
    const int32_t n = h->columns;
    DVI_REQUIRE(n <= file->limits.columns,
                dvi_fail(err, DV_ERR_LIMIT, "columns", 48, "column count",
                         "at most %" PRId64 " (option columns)|%d", file->limits.columns, n));
    void *columns;
    DVI_TRY(dvi_alloc_struct(&file->allocator, &columns, (size_t)n * sizeof *file->columns, err));
    file->columns = columns;
    const dv_status status = n > 0 ? read_columns(file, &to, err) : DV_OK;
    if (status != DV_OK)
        return status;
    if (file->alive != dv_schema_columns(schema))
        return DV_NOT_FOUND; /* the other file has more */
    DVI_TRY(check_rows(file, err));
    file->blocks = h->rows > 0 && file->rpb > 0 ? (h->rows - 1) / file->rpb + 1 : 0;
    DVI_REQUIRE(file->blocks <= INT32_MAX,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "idv:L1", 40, "blocks of a column",
                         "at most 2147483647|%" PRId64, file->blocks));
    return DV_OK;
}
