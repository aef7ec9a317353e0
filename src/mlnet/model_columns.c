/* SPDX-License-Identifier: MIT */
/* model_columns.c: steps that copy, join, choose and convert columns, or work on any vector. */
#include "mlnet/model_read.h"
#include <inttypes.h>
#include <math.h>

/* Columns without fields of their own. */
static dv_status read_plain(dvi_model_reading *r, dvi_model_part *part, const char *step,
                            dv_error *err)
{
    dvi_model_column *columns;
    int32_t n;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    return dvi_model_add(r, step, columns, n, err);
}

dv_status dvi_model_copy(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "copy", err);
}

dv_status dvi_model_missing(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "isna", err);
}

dv_status dvi_model_key_value(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "value", err);
}

dv_status dvi_model_key_binary(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "binary", err);
}

/* --- Joining ---------------------------------------------------------------------------------- */

/* An empty one would be no name at all. */
static dv_status put_aliases(dvi_model_reading *r, dvi_model_column *column, const dv_text *aliases,
                             dv_error *err)
{
    static const dv_text none = {"", 0};
    DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of(" aliases=["), err));
    for (int32_t i = 0; i < column->n; i++) {
        DVI_REQUIRE(aliases[i].nbytes != 0,
                    dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:S2", -1, "second name of a source",
                             "a name|an empty one"));
        DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of(" "), err));
        DVI_TRY(
            dvi_model_put_quoted(r, &r->scratch, aliases[i].nbytes < 0 ? none : aliases[i], err));
    }
    DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of("]"), err));
    return dvi_model_set_options(r, column, 1, err);
}

static dv_status read_sources(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                              dv_error *err)
{
    void *made;
    bool has_alias = false;
    DVI_TRY(dvi_model_string(part, &column->name, "name of a column", err));
    DVI_TRY(dvi_model_count(part, &column->n, 1, 8, "number of sources", err));
    DVI_TRY(dvi_arena_alloc(part->arena, &made, (size_t)column->n * sizeof(dv_text), err));
    dv_text *sources = made;
    DVI_TRY(dvi_arena_alloc(part->arena, &made, (size_t)column->n * sizeof(dv_text), err));
    dv_text *aliases = made;
    for (int32_t i = 0; i < column->n; i++) {
        DVI_TRY(dvi_model_string(part, &sources[i], "source of a column", err));
        DVI_TRY(dvi_model_string_or_none(part, &aliases[i], "second name of a source", err));
        has_alias |= aliases[i].nbytes >= 0;
    }
    column->sources = sources;
    return has_alias ? put_aliases(r, column, aliases, err)
                     : dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_concat(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    void *made;
    int32_t n;
    DVI_TRY(dvi_model_count(part, &n, 1, 16, "number of columns", err));
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, (size_t)n * sizeof(dvi_model_column), err));
    dvi_model_column *columns = made;
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(read_sources(r, part, &columns[i], err));
    return dvi_model_add_each(r, "combine", columns, n, err); /* one after the other */
}

/* --- Choosing --------------------------------------------------------------------------------- */

dv_status dvi_model_select(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    void *made;
    bool keeps, keeps_hidden, ignores_missing;
    int32_t n;
    DVI_TRY(dvi_model_flag(part, &keeps, "whether columns are kept", err));
    DVI_TRY(dvi_model_flag(part, &keeps_hidden, "whether hidden columns are kept", err));
    DVI_TRY(dvi_model_flag(part, &ignores_missing, "whether columns may be missing", err));
    DVI_TRY(dvi_model_count(part, &n, 1, 4, "number of columns", err));
    if (keeps && ignores_missing)
        return dvi_model_refuse(part, "columns to keep", "those that are there",
                                "columns that may be missing", err);
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, (size_t)n * sizeof(dvi_model_column), err));
    dvi_model_column *columns = made;
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(dvi_model_string(part, &columns[i].name, "name of a column", err));
    if (keeps && keeps_hidden)
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " hidden+"));
    DVI_TRY(dvi_model_set_options(r, columns, n, err));
    return dvi_model_add(r, keeps ? "select" : "drop", columns, n, err);
}

static dv_status put_range(dvi_model_reading *r, int32_t first, int32_t last, bool is_first,
                           dv_error *err)
{
    const char *before = is_first ? " slots=[" : " ";
    return last >= INT32_MAX - 1
               ? dvi_model_putf(r, &r->scratch, err, "%s\"%d-\"", before, (int)first)
               : dvi_model_putf(r, &r->scratch, err, "%s%d-%d", before, (int)first, (int)last);
}

static dv_status read_ranges(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                             int32_t i, dv_error *err)
{
    const uint8_t *bytes;
    int32_t n;
    (void)i;
    DVI_TRY(dvi_model_count(part, &n, 1, 8, "number of runs of slots", err));
    DVI_TRY(dvi_model_bytes(part, &bytes, 8 * (size_t)n, "runs of slots", err));
    for (int32_t k = 0; k < n; k++) {
        const int32_t first = dvi_load_i32(bytes + 4 * (size_t)k);
        const int32_t last = dvi_load_i32(bytes + 4 * ((size_t)n + (size_t)k));
        DVI_REQUIRE(
            first >= 0 && last >= first,
            dvi_fail_range(err, "modelzip:S3", -1, "last slot of a run", first, INT32_MAX, last));
        DVI_TRY(put_range(r, first, last, k == 0, err));
    }
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, "]"));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_drop_slots(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "dropslots", read_ranges, err);
}

/* --- Converting ------------------------------------------------------------------------------- */

static const dv_kind kinds[] = {DV_KIND_NONE, DV_KIND_I1, DV_KIND_U1, DV_KIND_I2, DV_KIND_U2,
                                DV_KIND_I4,   DV_KIND_U4, DV_KIND_I8, DV_KIND_U8, DV_KIND_R4,
                                DV_KIND_R8,   DV_KIND_TX, DV_KIND_BL, DV_KIND_TS, DV_KIND_DT,
                                DV_KIND_DZ,   DV_KIND_UG};
enum { KINDS = sizeof kinds / sizeof *kinds, IS_KEY = 0x80 };

/* 3 had the least key, and whether keys follow one another. */
static dv_status read_key(dvi_model_part *part, uint64_t *count_out, dv_error *err)
{
    const uint8_t *bytes;
    const bool is_old = part->version < 4;
    DVI_TRY(dvi_model_bytes(part, &bytes, is_old ? 17 : 8, "keys of a type", err));
    *count_out = dvi_load_u64(bytes + (is_old ? 8 : 0));
    if (is_old && (dvi_load_u64(bytes) != 0 || bytes[16] != 1))
        return dvi_model_refuse(part, "keys of a type", "keys from 0 on", "others", err);
    return DV_OK;
}

static dv_status read_type(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                           int32_t i, dv_error *err)
{
    uint8_t kind;
    uint64_t count = 0;
    char text[64];
    (void)i;
    DVI_TRY(dvi_model_u8(part, &kind, UINT8_MAX, "kind of a type", err));
    DVI_REQUIRE_IN(err, kind & ~IS_KEY, 1, KINDS - 1, "modelzip:S3", -1, "kind of a type");
    dv_type type = dv_type_of(kinds[kind & ~IS_KEY]);
    if (kind & IS_KEY) {
        DVI_TRY(read_key(part, &count, err));
        type = dv_type_key(type.kind, 0, count);
    }
    DVI_REQUIRE(dv_type_check(&type, NULL) == DV_OK,
                dvi_model_within(part,
                                 dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1, "type",
                                          "a type of values or keys|%s of %" PRIu64 " keys",
                                          dv_kind_name(type.kind), count),
                                 err));
    dv_type_print(&type, text, sizeof text);
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " type=%s", text));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_convert(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "convert", read_type, err);
}

/* --- Scaling vectors -------------------------------------------------------------------------- */

enum { NORM_L2, NORM_DEVIATION, NORMS = 4 };

/* lpnorm has any norm, and gcn any scale. Set *is_gcn. */
static dv_status read_norm(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                           bool *is_gcn, dv_error *err)
{
    static const char *const norms[NORMS] = {"l2", "std", "l1", "inf"};
    bool subtracts;
    uint8_t norm;
    const uint8_t *bytes;
    DVI_TRY(dvi_model_flag(part, &subtracts, "whether the mean is subtracted", err));
    DVI_TRY(dvi_model_u8(part, &norm, NORMS - 1, "norm", err));
    DVI_TRY(dvi_model_bytes(part, &bytes, 4, "scale", err));
    const float scale = dvi_load_f4(bytes);
    DVI_REQUIRE(isfinite(scale), dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1, "scale",
                                          "a number|%g", (double)scale));
    *is_gcn = scale != 1;
    if (*is_gcn && norm > NORM_DEVIATION)
        return dvi_model_refuse(part, "scale of this norm", "1", "another", err);
    if (*is_gcn)
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " mean%c std%c scale=%.9g",
                               subtracts ? '+' : '-', norm == NORM_DEVIATION ? '+' : '-',
                               (double)scale));
    else
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " norm=%s mean%c", norms[norm],
                               subtracts ? '+' : '-'));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_rescale(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_column *columns;
    int32_t n;
    bool is_gcn = false, is_first_gcn = false;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(read_norm(r, part, &columns[i], &is_gcn, err));
        is_first_gcn = i == 0 ? is_gcn : is_first_gcn;
        if (is_gcn != is_first_gcn)
            return dvi_model_refuse(part, "scales", "1 for all columns, or for none", "both", err);
    }
    return dvi_model_add(r, is_first_gcn ? "gcn" : "lpnorm", columns, n, err);
}
