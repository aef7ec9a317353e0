/* SPDX-License-Identifier: MIT */
/* model_words.c: steps that take texts apart, and count runs of words. */
#include "mlnet/model_read.h"
#include "mlnet/stop_words.h"
#include <dataview/table.h>
#include <inttypes.h>

/* --- Words ------------------------------------------------------------------------------------ */

/* In the order of their numbers. */
static const char *const languages[] = {
    "English",   "French",  "German",  "Dutch",      "Danish",
    "Swedish",   "Italian", "Spanish", "Portuguese", "Brazilian Portuguese",
    "Norwegian", "Russian", "Polish",  "Czech",      "Arabic",
    "Japanese"};
enum { ENGLISH, LANGUAGES = sizeof languages / sizeof *languages };

/* A separator is a unit of UTF-16, so one that stands for half a character has no text. */
static dv_status read_separators(dvi_model_reading *r, dvi_model_part *part,
                                 dvi_model_column *column, int32_t i, dv_error *err)
{
    int32_t n;
    const uint8_t *units;
    char text[256] = "";
    size_t used = 0;
    (void)i;
    DVI_TRY(dvi_model_count(part, &n, 0, 2, "number of separators", err));
    DVI_TRY(dvi_model_bytes(part, &units, 2 * (size_t)n, "separators", err));
    if (n < 1 || n > 64)
        return dvi_model_refuse(part, "separators", "1 to 64", "another number", err);
    for (int32_t k = 0; k < n; k++) {
        const uint32_t unit = dvi_load_u16(units + 2 * (size_t)k);
        if (unit >= 0xD800 && unit < 0xE000)
            return dvi_model_refuse(part, "separator", "a character", "half a surrogate pair", err);
        used += dvi_model_utf8(text + used, unit);
    }
    DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of(" sep="), err));
    DVI_TRY(dvi_model_put_quoted(r, &r->scratch, (dv_text){text, (int64_t)used}, err));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_tokenize(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "tokenize", read_separators, err);
}

dv_status dvi_model_stop_words(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_column *columns;
    int32_t n, words;
    dv_text *texts;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    DVI_TRY(dvi_model_count(part, &words, 0, 4, "number of stop words", err));
    DVI_TRY(dvi_model_strings(part, &texts, words, "stop word", err));
    DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of(" words=["), err));
    for (int32_t i = 0; i < words; i++) {
        DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of(" "), err));
        DVI_TRY(dvi_model_put_quoted(r, &r->scratch, texts[i], err));
    }
    DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of("]"), err));
    DVI_TRY(dvi_model_set_options(r, columns, n, err));
    return dvi_model_add(r, "stopwords", columns, n, err);
}

/* The lists are ML.NET's own, so a model names them only. */
static dv_status read_language(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                               int32_t i, dv_error *err)
{
    int32_t language;
    dv_text name;
    (void)i;
    DVI_TRY(dvi_model_i32(part, &language, 0, LANGUAGES - 1, "language", err));
    DVI_TRY(dvi_model_string_or_none(part, &name, "column of languages", err));
    if (name.nbytes >= 0)
        return dvi_model_refuse(part, "language of stop words", "one for all rows",
                                "a column that names it", err);
    if (language != ENGLISH)
        return dvi_model_refuse(part, "language of stop words", "English", languages[language],
                                err);
    DVI_TRY(dvi_model_put(r, &r->scratch, dv_text_of(" words=[" DVI_STOP_WORDS_ENGLISH "]"), err));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_default_stop_words(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "stopwords", read_language, err);
}

/* --- Characters ------------------------------------------------------------------------------- */

dv_status dvi_model_characters(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_column *columns;
    int32_t n;
    bool has_markers, is_old = true;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    DVI_TRY(dvi_model_flag(part, &has_markers, "whether rows are marked", err));
    if (part->readable > 1)
        DVI_TRY(dvi_model_flag(part, &is_old, "whether separators are old ones", err));
    if (is_old)
        return dvi_model_refuse(part, "separators between texts", "31", "3 and 2", err);
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " markers%c", has_markers ? '+' : '-'));
    DVI_TRY(dvi_model_set_options(r, columns, n, err));
    return dvi_model_add(r, "chars", columns, n, err);
}

dv_status dvi_model_text_norm(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    static const char *const cases[] = {"lower", "upper", "none"};
    dvi_model_column *columns;
    int32_t n;
    uint8_t to_case;
    bool diacritics, punctuation, numbers;
    DVI_TRY(dvi_model_columns(part, &columns, &n, err));
    DVI_TRY(dvi_model_u8(part, &to_case, 2, "case", err));
    DVI_TRY(dvi_model_flag(part, &diacritics, "whether diacritics are kept", err));
    DVI_TRY(dvi_model_flag(part, &punctuation, "whether punctuation is kept", err));
    DVI_TRY(dvi_model_flag(part, &numbers, "whether numbers are kept", err));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " case=%s diacritics%c punctuation%c numbers%c",
                           cases[to_case], diacritics ? '+' : '-', punctuation ? '+' : '-',
                           numbers ? '+' : '-'));
    DVI_TRY(dvi_model_set_options(r, columns, n, err));
    return dvi_model_add(r, "textnorm", columns, n, err);
}

/* --- Grams ------------------------------------------------------------------------------------ */

enum {
    KEYS = 10,
    HASHED_BITS = 30,
    GRAMS_MOST = 10000000 /* of a length, unless an option says otherwise */
};

/* The grams of a column, as the table that the step loads. */
typedef struct grams {
    int32_t n, skips, weighting, count;
    int32_t *lengths;
    uint32_t *keys; /* n of each gram */
    const uint8_t *idf;
} grams;

static dv_status read_keys(dvi_model_part *part, grams *g, int32_t i, const uint8_t *bytes,
                           size_t nbytes, dv_error *err)
{
    dvi_reader reader = dvi_reader_of(bytes, nbytes, -1, true);
    while (dvi_reader_left(&reader) > 0) {
        const uint64_t key = dvi_read_leb64(&reader);
        DVI_REQUIRE(reader.fault == DVI_READ_FINE && key <= UINT32_MAX && g->lengths[i] < g->n,
                    dvi_model_within(part,
                                     dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S4", -1, "gram",
                                              "at most %d keys of 32 bits|others", (int)g->n),
                                     err));
        g->keys[(size_t)i * (size_t)g->n + (size_t)g->lengths[i]++] = (uint32_t)key;
    }
    DVI_REQUIRE(g->lengths[i] > 0, dvi_model_within(part,
                                                    dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S4", -1,
                                                             "gram", "a key or more|none"),
                                                    err));
    return DV_OK;
}

static dv_status read_grams(dvi_model_part *part, grams *g, dv_error *err)
{
    void *lengths, *keys;
    const uint8_t *starts, *bytes;
    DVI_TRY(dvi_model_count(part, &g->count, 0, 4, "number of grams", err));
    const size_t n = (size_t)g->count;
    DVI_TRY(dvi_model_bytes(part, &starts, 4 * (n + 1), "starts of grams", err));
    const int64_t all = dvi_load_i32(starts + 4 * n);
    DVI_TRY(dvi_model_bytes(part, &bytes, all >= 0 ? (size_t)all : SIZE_MAX, "grams", err));
    DVI_TRY(dvi_arena_alloc(part->arena, &lengths, 4 * (n + 1), err));
    DVI_TRY(dvi_arena_alloc(part->arena, &keys, 4 * (n + 1) * (size_t)g->n, err));
    g->lengths = lengths;
    g->keys = keys;
    for (size_t i = 0; i < n; i++) {
        const int64_t start = dvi_load_i32(starts + 4 * i), end = dvi_load_i32(starts + 4 * i + 4);
        DVI_REQUIRE(start >= 0 && start <= end && end <= all && (i > 0 || start == 0),
                    dvi_fail_range(err, "modelzip:S4", -1, "start of a gram", 0, all, start));
        DVI_TRY(read_keys(part, g, (int32_t)i, bytes + start, (size_t)(end - start), err));
    }
    return DV_OK;
}

static dv_status read_gram_fields(dvi_model_part *part, grams *g, dv_error *err)
{
    const uint8_t *lengths;
    int32_t weights;
    DVI_TRY(dvi_model_i32(part, &g->n, 1, KEYS, "length of grams", err));
    DVI_TRY(dvi_model_i32(part, &g->skips, 0, g->n > 1 ? KEYS - g->n : 0, "keys to skip", err));
    DVI_TRY(dvi_model_i32(part, &g->weighting, 0, 2, "weighting", err));
    DVI_TRY(dvi_model_bytes(part, &lengths, (size_t)g->n, "lengths of grams", err));
    DVI_TRY(read_grams(part, g, err));
    DVI_TRY(
        dvi_model_count(part, &weights, g->weighting ? g->count : 0, 8, "number of weights", err));
    return dvi_model_bytes(part, &g->idf, 8 * (size_t)weights, "weights of grams", err);
}

static dv_status make_table(dvi_model_reading *r, dv_view **table_out, const grams *g,
                            dv_error *err)
{
    void *idf;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = r->allocator;
    DVI_TRY(dvi_arena_alloc(&r->arena, &idf, 8 * ((size_t)g->count + 1), err));
    for (int32_t i = 0; g->weighting && i < g->count; i++)
        ((double *)idf)[i] = dvi_load_f8(g->idf + 8 * (size_t)i);
    const dv_table_column columns[] = {
        {.name = "Length", .type = dv_type_of(DV_KIND_I4), .values = g->lengths},
        {.name = "Keys", .type = dv_type_vector(dv_type_of(DV_KIND_U4), g->n), .values = g->keys},
        {.name = "Idf", .type = dv_type_of(DV_KIND_R8), .values = idf}};
    return dv_table_create(table_out, columns, g->weighting ? 3 : 2, g->count, &options, err);
}

static dv_status read_ngram(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                            int32_t i, dv_error *err)
{
    static const char *const weights[] = {"tf", "idf", "tfidf"};
    grams g = {0};
    (void)i;
    DVI_TRY(read_gram_fields(part, &g, err));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " n=%d skips=%d", (int)g.n, (int)g.skips));
    if (g.count > GRAMS_MOST)
        DVI_TRY(dvi_model_putf(r, &r->scratch, err, " max=[%d]", (int)g.count));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " weight=%s", weights[g.weighting]));
    DVI_TRY(dvi_model_set_options(r, column, 1, err));
    return make_table(r, &column->table, &g, err);
}

dv_status dvi_model_ngrams(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return dvi_model_each(r, part, "ngram", read_ngram, err);
}

/* --- Hashed grams ----------------------------------------------------------------------------- */

static dv_status read_hashed(dvi_model_reading *r, dvi_model_part *part, dvi_model_column *column,
                             int32_t i, dv_error *err)
{
    dv_text *sources;
    int32_t n, skips, bits, seed;
    bool rehash, is_ordered, has_all;
    DVI_TRY(dvi_model_count(part, &column->n, 1, 4, "number of sources", err));
    DVI_TRY(dvi_model_strings(part, &sources, column->n, "source of a column", err));
    column->sources = sources;
    DVI_TRY(dvi_model_string(part, &column->name, "name of a column", err));
    DVI_TRY(dvi_model_i32(part, &n, 1, KEYS, "length of grams", err));
    DVI_TRY(dvi_model_i32(part, &skips, 0, n > 1 ? KEYS - n : 0, "keys to skip", err));
    DVI_TRY(dvi_model_i32(part, &bits, 1, HASHED_BITS, "bits of a hash", err));
    DVI_TRY(dvi_model_i32(part, &seed, INT32_MIN, INT32_MAX, "seed", err));
    DVI_TRY(dvi_model_flag(part, &rehash, "whether single keys are hashed", err));
    DVI_TRY(dvi_model_flag(part, &is_ordered, "whether sources are hashed too", err));
    DVI_TRY(dvi_model_flag(part, &has_all, "whether shorter grams are counted", err));
    DVI_TRY(dvi_model_hash_names(r, part, i, &column->table, err));
    DVI_TRY(dvi_model_putf(
        r, &r->scratch, err, " n=%d skips=%d all%c bits=%d seed=%" PRIu32 " ordered%c rehash%c%s",
        (int)n, (int)skips, has_all ? '+' : '-', (int)bits, (uint32_t)seed, is_ordered ? '+' : '-',
        rehash ? '+' : '-', column->table ? " invert=-1" : ""));
    return dvi_model_set_options(r, column, 1, err);
}

dv_status dvi_model_hashed_grams(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    void *made;
    int32_t n;
    dv_status status = DV_OK;
    DVI_TRY(dvi_model_count(part, &n, 1, 24, "number of columns", err));
    DVI_TRY(dvi_arena_alloc(part->arena, &made, (size_t)n * sizeof(dvi_model_column), err));
    dvi_model_column *columns = made;
    for (int32_t i = 0; status == DV_OK && i < n; i++)
        status = read_hashed(r, part, &columns[i], i, err);
    return status < 0 ? dvi_model_drop_tables(columns, n, status)
                      : dvi_model_add(r, "ngramhash", columns, n, err);
}
