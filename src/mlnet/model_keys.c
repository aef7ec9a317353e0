/* SPDX-License-Identifier: MIT */
/* model_keys.c: steps that make keys, and vectors of keys. */
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

/* Release the tables of columns that do not become steps. */
static dv_status drop_tables(dvi_model_column *columns, int32_t n, dv_status status)
{
    for (int32_t i = 0; i < n; i++)
        dv_view_release(&columns[i].table);
    return status;
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
        return drop_tables(columns, n, status);
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
    dvi_model_column *columns;
    int32_t n;
    dv_status status = DV_OK;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    for (int32_t i = 0; status == DV_OK && i < n; i++)
        status = read_hash(r, part, &columns[i], i, err);
    if (status < 0)
        return drop_tables(columns, n, status);
    return dvi_model_add(r, "hash", columns, n, err);
}

/* --- Vectors of keys -------------------------------------------------------------------------- */

dv_status dvi_model_key_vector(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_column *columns;
    int32_t n;
    bool is_bag;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(dvi_model_flag(part, &is_bag, "whether keys are counted", err));
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " bag%c", is_bag ? '+' : '-'));
        DVI_TRY(dvi_model_set_options(r, &columns[i], 1, err));
    }
    return dvi_model_add(r, "vector", columns, n, err);
}
