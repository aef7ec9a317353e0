/* SPDX-License-Identifier: MIT */
/* model_keys.c: steps that make keys, vectors of keys, and what a map says. */
#include "mlnet/model_read.h"
#include <inttypes.h>

/* --- Terms ------------------------------------------------------------------------------------ */

enum { TERMS_MOST = 1000000 }; /* unless an option says otherwise */

/* The terms of a column. Those of keys are numbers, whose type is that of the source. */
static dv_status read_terms(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                            int64_t *count_out, dv_error *err)
{
    bool is_typed;
    int32_t n;
    dv_text *texts;
    DVI_TRY(dvi_model_flag(part, &is_typed, "kind of terms", err));
    if (is_typed) {
        DVI_TRY(dvi_model_values(r, part, &column->table, "Term", err));
        *count_out = dv_view_rows(column->table);
        return DV_OK;
    }
    DVI_TRY(dvi_model_count(part, &n, 0, 4, "number of terms", err));
    DVI_TRY(dvi_model_strings(part, &texts, n, "term", err));
    *count_out = n;
    return dvi_model_text_table(r, &column->table, "Term", texts, n, err);
}

static dv_status set_term_options(dvi_model_reading *r, dvi_model_column *column, bool has_texts,
                                  int64_t count, dv_error *err)
{
    if (count > TERMS_MOST)
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " max=%" PRId64, count));
    if (has_texts)
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " textkv+"));
    return dvi_model_set_options(r, column, 1, err);
}

static dv_status read_vocabulary(dvi_model_reading *r, dvi_model_part *vocabulary,
                                 dvi_model_column *columns, int32_t n, const uint8_t *has_texts,
                                 dv_error *err)
{
    int32_t maps;
    int64_t count = 0;
    DVI_TRY(dvi_model_check_part(vocabulary, "TERM MAN", 2, err));
    DVI_TRY(dvi_model_i32(vocabulary, &maps, n, n, "number of lists of terms", err));
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(read_terms(r, vocabulary, &columns[i], &count, err));
        DVI_TRY(set_term_options(r, &columns[i], has_texts[i], count, err));
    }
    return dvi_model_end_part(vocabulary, err);
}

dv_status dvi_model_term(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_column *columns;
    dvi_model_part vocabulary;
    const uint8_t *has_texts;
    int32_t n;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    DVI_TRY(dvi_model_bytes(part, &has_texts, (size_t)n, "whether KeyValues are texts", err));
    for (int32_t i = 0; i < n; i++)
        DVI_REQUIRE_IN(err, has_texts[i], 0, 1, "modelzip:P5", -1, "whether KeyValues are texts");
    DVI_TRY(dvi_model_open_inner(&vocabulary, part, "Vocabulary", err));
    const dv_status status = read_vocabulary(r, &vocabulary, columns, n, has_texts, err);
    if (status < 0)
        return dvi_model_drop_tables(columns, n, status);
    return dvi_model_add(r, "term", columns, n, err);
}

/* --- Hashes ----------------------------------------------------------------------------------- */

enum { BITS = 31, NAMED_BITS = 30, HASH_2 = 3 /* the version whose hashes are of version 2 */ };

static dv_status read_hash(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                           int32_t i, dv_error *err)
{
    int32_t bits, seed;
    bool is_ordered, is_combined = false;
    DVI_TRY(dvi_model_i32(part, &bits, 1, BITS, "bits of a hash", err));
    DVI_TRY(dvi_model_i32(part, &seed, INT32_MIN, INT32_MAX, "seed", err));
    DVI_TRY(dvi_model_flag(part, &is_ordered, "whether slots are hashed too", err));
    if (part->version > HASH_2)
        DVI_TRY(dvi_model_flag(part, &is_combined, "whether vectors have one hash", err));
    DVI_TRY(dvi_model_hash_names(r, part, i, &column->table, err));
    if (column->table && bits > NAMED_BITS)
        return dvi_model_refuse(part, "bits of hashes with names", "at most 30", "31", err);
    DVI_TRY(dvi_model_putf(
        r, &r->scratch, err, " bits=%d seed=%" PRIu32 " ordered%c combine%c%s hashversion=%d",
        (int)bits, (uint32_t)seed, is_ordered ? '+' : '-', is_combined ? '+' : '-',
        column->table ? " invert=-1" : "", part->version < HASH_2 ? 1 : 2));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_hash(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "hash", read_hash, err);
}

/* --- Vectors of keys -------------------------------------------------------------------------- */

static dv_status read_bag(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                          int32_t i, dv_error *err)
{
    bool is_bag;
    (void)i;
    DVI_TRY(dvi_model_flag(part, &is_bag, "whether keys are counted", err));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " bag%c", is_bag ? '+' : '-'));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_key_vector(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "vector", read_bag, err);
}

/* --- Maps ------------------------------------------------------------------------------------- */

static dv_status check_pairs(const dvi_model_part *part, const dv_schema *schema, dv_error *err)
{
    static const char *const names[] = {"Key", "Value"};
    bool is_pair = dv_schema_columns(schema) == 2;
    for (int32_t i = 0; is_pair && i < 2; i++)
        is_pair = dv_text_equal(dv_schema_column(schema, i)->name, dv_text_of(names[i]));
    DVI_REQUIRE(is_pair, dvi_model_within(part,
                                          dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1,
                                                   "columns of a map", "Key and Value|others"),
                                          err));
    return DV_OK;
}

/* All columns have the same map. */
dv_status dvi_model_map(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_column *columns;
    dv_view *pairs;
    int32_t n;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    const dvi_zip_entry *entry = dvi_model_entry(part, "DefaultMap.idv");
    DVI_REQUIRE(entry, dvi_model_within(part,
                                        dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1,
                                                 "DefaultMap.idv beside a map", "a file|none"),
                                        err));
    DVI_TRY(dvi_model_within(part, dvi_model_file(r, entry, &pairs, err), err));
    dv_status status = check_pairs(part, dv_view_schema(pairs), err);
    for (int32_t i = 0; status == DV_OK && i < n; i++) {
        columns[i].table = pairs;
        dv_view_retain(pairs);
    }
    dv_view_release(&pairs);
    return status < 0 ? status : dvi_model_add(r, "map", columns, n, err);
}
