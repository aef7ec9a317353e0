/* SPDX-License-Identifier: MIT */
/* value_map.c: reads a dictionary from values to values, and looks values up (semantics:7.19).
 *
 * The keys are terms, but for NA and empty text, which are no terms and have places of their own.
 * The values are one column with a row for each row of the table, and a last one for what is no
 * key. */
#include "transform/value_map.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "scan/read_batches.h"
#include "transform/tf_term_priv.h"
#include <dataview/digest.h>
#include <dataview/value.h>
#include <string.h>

#define TEXT_NBYTES ((size_t)1 << 30) /* of keys */
#define ROWS_MOST (INT32_MAX - 1)

struct dvi_value_map {
    dv_allocator allocator;
    dv_view *table;               /* one reference */
    int32_t key, value;           /* columns of the table */
    dv_type key_type, value_type; /* dims are the table's */
    bool missing_is_na;

    dvi_terms *keys;
    dvi_memory *term_rows;      /* int32 of each term: its row of the table */
    int32_t na_row, empty_row;  /* of NA and of empty text; -1: they are no keys */
    dvi_growing_column values;  /* the last row: of what is no key */
    int64_t largest;            /* bytes of a value */
    dvi_column held;            /* all of them */
    dvi_kept_column kept;       /* the same */
    dvi_memory *kept_offsets;   /* which vectors need */
    dv_u128 key_digest, digest; /* of keys and values */

    /* Of values as keys; value_terms is NULL otherwise. */
    dvi_terms *value_terms;
    dvi_memory *numbers; /* of a batch */
    dvi_term names;      /* makes the KeyValues */
};

/* --- Life ------------------------------------------------------------------------------------- */

void dvi_value_map_free(dvi_value_map **map)
{
    dvi_value_map *m = *map;
    *map = NULL;
    if (!m)
        return;
    const dv_allocator allocator = m->allocator;
    dvi_terms_free(&m->keys);
    dvi_terms_free(&m->value_terms);
    dvi_growing_free(&m->values);
    dvi_memory_release(&m->term_rows);
    dvi_memory_release(&m->kept_offsets);
    dvi_memory_release(&m->numbers);
    dv_view_release(&m->table);
    dvi_free(&allocator, m, sizeof *m);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status fail_column(const dvi_value_map *m, int32_t column, const char *what,
                             const char *expected, dv_error *err)
{
    char found[96];
    const dv_column_info *info = dv_schema_column(dv_view_schema(m->table), column);
    dv_type_print(&info->type, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, what, "%s|%s", expected, found);
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_ARGUMENT;
}

static bool is_term_type(const dv_type *type)
{
    return type->rank == 0 && type->kind != DV_KIND_BY && type->kind != DV_KIND_EXTENSION;
}

/* Find the two columns that are not hidden. */
static dv_status find_columns(dvi_value_map *m, bool are_values_keys, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(m->table);
    int32_t found[2] = {-1, -1}, n = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        if (!dv_schema_column(schema, i)->is_hidden) {
            if (n < 2)
                found[n] = i;
            n++;
        }
    if (n != 2)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "columns of a map",
                        "2: keys and values|%d", n);
    m->key = found[0];
    m->value = found[1];
    m->key_type = dv_schema_column(schema, m->key)->type;
    m->value_type = dv_schema_column(schema, m->value)->type;
    const dv_type item = dv_type_item(&m->value_type);
    if (!is_term_type(&m->key_type))
        return fail_column(m, m->key, "keys of a map", "neither vectors nor BY nor an extension",
                           err);
    if (!dv_type_is_primitive(&item) || (are_values_keys && !is_term_type(&m->value_type)))
        return fail_column(
            m, m->value, "values of a map",
            are_values_keys ? "neither vectors nor BY nor an extension" : "no extension", err);
    return DV_OK;
}

/* --- Keys ------------------------------------------------------------------------------------- */

static int32_t term_row(const dvi_value_map *m, uint32_t number)
{
    return dvi_load_i32(m->term_rows->data + 4 * ((size_t)number - 1));
}

/* The row of a value that is no term; -1: it is no key. */
static int32_t other_row(const dvi_value_map *m, const dv_value *value)
{
    if (dv_value_is_na(value))
        return m->na_row;
    const bool is_empty = m->key_type.kind == DV_KIND_TX && dv_value_tx(value).nbytes == 0;
    return is_empty ? m->empty_row : -1;
}

static dv_status fail_twice(int64_t first, int64_t second, dv_error *err)
{
    return dvi_fail_argument(err, "rows %lld and %lld of the map have the same key",
                             (long long)first, (long long)second);
}

/* Add the key of row i of a batch, which is row `row` of the table. */
static dv_status add_key(dvi_value_map *m, const dv_column_view *keys, int64_t i, int64_t row,
                         dv_error *err)
{
    const size_t before = (size_t)dvi_terms_count(m->keys);
    DVI_TRY(dvi_memory_extend(&m->term_rows, 4 * before, 4 * (before + 1), &m->allocator, err));
    DVI_TRY(dvi_terms_add(m->keys, keys, i, 1, err));
    if ((size_t)dvi_terms_count(m->keys) > before) {
        dvi_store_i32(m->term_rows->data + 4 * before, (int32_t)row);
        return DV_OK;
    }
    const dv_value value = dv_value_at(keys, i);
    uint32_t number;
    dvi_terms_find(m->keys, keys, i, 1, &number);
    if (number > 0)
        return fail_twice(term_row(m, number), row, err);
    int32_t *const other = dv_value_is_na(&value) ? &m->na_row : &m->empty_row;
    if (*other >= 0)
        return fail_twice(*other, row, err);
    *other = (int32_t)row;
    return DV_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The values of a batch as keys. */
static dv_status number_values(dvi_value_map *m, dv_column_view *values, dv_error *err)
{
    const size_t nbytes = 4 * (size_t)values->rows;
    DVI_TRY(dvi_memory_reserve(&m->numbers, &m->allocator, nbytes, err));
    DVI_TRY(dvi_terms_number(m->value_terms, values, 0, values->rows,
                             (uint32_t *)(void *)m->numbers->data, err));
    *values = (dv_column_view){
        .type = dv_type_of(DV_KIND_U4), .layout = DV_LAYOUT_FIXED, .rows = values->rows};
    values->as.fixed.values = dvi_memory_buffer(m->numbers, 0, nbytes, 4);
    return DV_OK;
}

static void note_largest(dvi_value_map *m, const dv_column_view *values)
{
    dvi_column left;
    dvi_column_assign(&left, values);
    for (int64_t row = 0; row < values->rows; row++) {
        dvi_growing_size size = {0};
        dvi_growing_measure(&size, &left.view, 1);
        m->largest = dvi_max_i64(m->largest, (int64_t)dvi_growing_nbytes(&values->type, &size));
        dvi_column_advance(&left.view, 1);
    }
}

static dv_status append(dvi_value_map *m, const dv_column_view *values, dv_error *err)
{
    note_largest(m, values);
    DVI_TRY(dvi_growing_reserve(&m->values, values, values->rows, &m->allocator, err));
    dvi_growing_append(&m->values, values, values->rows);
    return DV_OK;
}

/* What stands for the value of no key: the default, NaN if that is asked for, vectors of known size
 * without items, others without slots. */
static dv_status append_missing(dvi_value_map *m, dv_error *err)
{
    static const uint32_t r4 = DV_R4_NA_BITS;
    static const uint64_t r8 = DV_R8_NA_BITS;
    const dv_type item = dv_type_item(&m->value_type);
    dv_column_view value = dvi_column_of_default(&item), vector = {0};
    if (m->value_type.rank > 0) {
        const int32_t size = m->value_type.size, count = size > 0 ? 0 : -1;
        value.rows = 0;
        vector = (dv_column_view){.type = m->value_type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
        vector.as.vector = (dv_vector_layout){.length = size, .items = &value};
        vector.as.vector.counts = (dv_buffer){&count, sizeof count, NULL, false, true};
        return append(m, &vector, err);
    }
    if (m->missing_is_na && item.kind == DV_KIND_R4)
        value.as.fixed.values = (dv_buffer){&r4, sizeof r4, NULL, false, true};
    if (m->missing_is_na && item.kind == DV_KIND_R8)
        value.as.fixed.values = (dv_buffer){&r8, sizeof r8, NULL, false, true};
    return append(m, &value, err);
}

/* --- Reading ---------------------------------------------------------------------------------- */

typedef struct reading {
    dvi_value_map *map;
    dv_digester *digesters[2]; /* for keys and for values */
} reading;

static dv_status see(void *ctx, const dv_batch *batch, dv_error *err)
{
    const reading *r = ctx;
    dvi_value_map *m = r->map;
    const dv_column_view *keys = dv_batch_column(batch, 0);
    dv_column_view values = *dv_batch_column(batch, 1);
    if (batch->position > ROWS_MOST - batch->rows)
        return dvi_fail_argument(err, "a map has more than 2^31-2 rows");
    for (int64_t i = 0; i < batch->rows; i++)
        DVI_TRY(add_key(m, keys, i, batch->position + i, err));
    dv_digester_add_column(r->digesters[0], keys);
    dv_digester_add_column(r->digesters[1], &values);
    if (m->value_terms)
        DVI_TRY(number_values(m, &values, err));
    return append(m, &values, err);
}

static dv_status read_rows(reading *r, dv_error *err)
{
    const int32_t columns[] = {r->map->key, r->map->value};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = 2;
    return dvi_read_batches(r->map->table, &options, see, r, err);
}

static dv_status read_table(dvi_value_map *m, dv_error *err)
{
    reading r = {.map = m};
    dv_status status = dv_digester_create(&r.digesters[0], &m->allocator, err);
    if (status == DV_OK)
        status = dv_digester_create(&r.digesters[1], &m->allocator, err);
    if (status == DV_OK)
        status = read_rows(&r, err);
    if (status == DV_OK) {
        m->key_digest = dv_digester_result(r.digesters[0]);
        m->digest = dv_digester_result(r.digesters[1]);
    }
    dv_digester_free(&r.digesters[0]);
    dv_digester_free(&r.digesters[1]);
    return status;
}

/* All values are there: set their type, and make each one's place known. */
static dv_status finish(dvi_value_map *m, dv_error *err)
{
    if (m->value_terms) {
        const int64_t terms = dvi_terms_count(m->value_terms);
        m->value_type = dv_type_key(DV_KIND_U4, 0, (uint64_t)(terms > 0 ? terms : 1));
        m->names = (dvi_term){.terms = m->value_terms,
                              .are_names_text = true,
                              .source = dv_view_schema(m->table),
                              .column = m->value,
                              .allocator = &m->allocator};
    }
    DVI_TRY(append_missing(m, err));
    dvi_growing_view(&m->values, &m->value_type, &m->held);
    return dvi_kept_column_make(&m->kept, &m->held.view, &m->kept_offsets, &m->allocator, err);
}

static dv_status make(dvi_value_map *m, bool are_values_keys, dv_error *err)
{
    DVI_TRY(find_columns(m, are_values_keys, err));
    DVI_TRY(dvi_terms_create(&m->keys, &m->key_type, ROWS_MOST, TEXT_NBYTES, &m->allocator, err));
    if (are_values_keys)
        DVI_TRY(dvi_terms_create(&m->value_terms, &m->value_type, ROWS_MOST, TEXT_NBYTES,
                                 &m->allocator, err));
    DVI_TRY(read_table(m, err));
    return finish(m, err);
}

dv_status dvi_value_map_create(dvi_value_map **map_out, const dvi_value_map_spec *spec,
                               const dv_allocator *given, dv_error *err)
{
    const dv_allocator allocator = dvi_allocator_of(given);
    void *made;
    *map_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, sizeof(dvi_value_map), err));
    dvi_value_map *m = made;
    m->allocator = allocator;
    m->table = spec->table;
    m->missing_is_na = spec->missing_is_na;
    m->na_row = m->empty_row = -1;
    dv_view_retain(m->table);
    const dv_status status = make(m, spec->values_as_keys, err);
    if (status < 0)
        dvi_value_map_free(&m);
    *map_out = m;
    return status;
}

/* --- Looking up ------------------------------------------------------------------------------- */

const dv_type *dvi_value_map_key_type(const dvi_value_map *m)
{
    return &m->key_type;
}

const dv_type *dvi_value_map_type(const dvi_value_map *m)
{
    return &m->value_type;
}

int64_t dvi_value_map_largest(const dvi_value_map *m)
{
    return m->largest;
}

void dvi_value_map_find(const dvi_value_map *m, const dv_column_view *column, int64_t first,
                        int64_t n, uint32_t *numbers, dvi_row_ref *refs_out)
{
    const bool has_others = m->na_row >= 0 || m->empty_row >= 0;
    const int64_t missing = m->values.rows - 1;
    dvi_terms_find(m->keys, column, first, n, numbers);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = -1;
        if (numbers[i] > 0) {
            row = term_row(m, numbers[i]);
        } else if (has_others) {
            const dv_value value = dv_value_at(column, first + i);
            row = other_row(m, &value);
        }
        refs_out[i] = (dvi_row_ref){&m->kept, row < 0 ? missing : row};
    }
}

dv_status dvi_value_map_describe(const dvi_value_map *m, dv_schema *schema, int32_t column,
                                 dv_error *err)
{
    if (!m->value_terms)
        return dvi_inherit_all_metadata(schema, column, dv_view_schema(m->table), m->value, err);
    const dvi_new_column made = {.mapped.params = &m->names};
    return dvi_term_describe(&made, m->names.source, schema, column, err);
}

void dvi_value_map_identify(const dvi_value_map *m, dv_identity *identity)
{
    const uint64_t digests[] = {m->key_digest.lo, m->key_digest.hi, m->digest.lo, m->digest.hi};
    dvi_identity_add_type(identity, &m->key_type);
    dvi_identity_add_type(identity, &m->value_type);
    dvi_identity_add_i8(identity, m->missing_is_na);
    dv_identity_add(identity, digests, sizeof digests);
}
