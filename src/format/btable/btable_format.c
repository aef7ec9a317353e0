/* SPDX-License-Identifier: MIT */
/* btable_format.c: the format record of BTables, and views of one column of sparse vectors
 * (btable:14). */
#include "format/btable/btable_format.h"
#include "base/alloc.h"
#include "type/schema.h"
#include "view/identity.h"
#include "view/view.h"
#include "format/btable/btable_save_priv.h"

static int64_t count_rows(void *self)
{
    return atomic_load(&((dvi_btable_file *)self)->rows);
}

/* A cursor can start at any row: the index finds its offset. */
static int64_t block_rows(void *self)
{
    (void)self;
    return 1;
}

static void close_file(void *self)
{
    dvi_btable_file *file = self;
    const dv_allocator allocator = file->allocator;
    dvi_btable_index_free(file);
    dvi_map_release(&file->map);
    dvi_free(&allocator, file, sizeof *file);
}

/* Option lenient changes values, by repairs. */
static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_btable_file *file = self;
    dvi_identity_add_i8(identity, file->limits.lenient);
    return dvi_identity_add_map(identity, file->map, err);
}

/* Batches are copies and stay valid if the file changes: there is no `check`. */
static const dv_view_class view_class = {
    .size = sizeof(dv_view_class),
    .kind = "btable",
    .rows = count_rows,
    .close = close_file,
    .open_cursor = dvi_btable_open_cursor,
    .next = dvi_btable_next,
    .close_cursor = dvi_btable_close_cursor,
    .seek = dvi_btable_seek,
    .block_rows = block_rows,
    .inspect = dvi_btable_inspect,
    .verify = dvi_btable_verify,
    .identify = identify,
};
static const dvi_view_traits traits = {.fill_csr = dvi_btable_fill_csr,
                                       .measure_csr = dvi_btable_measure_csr};

/* Are some labels not empty? */
static bool has_names(const dvi_btable_header *header)
{
    return header->utf8_nbytes > 0;
}

static dv_status add_labels(dv_schema *schema, dvi_btable_file *file, const char *kind,
                            int64_t number, const dv_type *type, dv_error *err)
{
    const dvi_metadata_source source = {dvi_btable_load_labels, file, number, NULL};
    return dvi_schema_add_metadata(schema, 0, dv_text_of(kind), type, &source, err);
}

static dv_status add_column(dv_schema *schema, dvi_btable_file *file, dv_error *err)
{
    const dvi_btable_header *h = &file->header;
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_R8), h->slots);
    file->names_type = dv_type_vector(dv_type_of(DV_KIND_TX), h->slots);
    DVI_TRY(dv_schema_add(schema, dv_text_of("Features"), &type, NULL, err));
    if (has_names(h))
        DVI_TRY(add_labels(schema, file, DV_SLOT_NAMES, DVI_BTABLE_NAMES, &file->names_type, err));
    if (h->ill_formed == 0)
        return DV_OK;
    file->units_type = dv_type_vector(dv_type_of(DV_KIND_U2), (int32_t)h->units);
    return add_labels(schema, file, "LabelUnits", DVI_BTABLE_UNITS, &file->units_type, err);
}

static dv_status make_view(dv_view **view_out, dvi_btable_file *file, dv_error *err)
{
    dv_schema *schema;
    DVI_TRY(dv_schema_create(&schema, &file->allocator, err));
    dv_status status = add_column(schema, file, err);
    if (status == DV_OK)
        status = dvi_view_create(view_out, &view_class, &traits, file, &schema, NULL, 0,
                                 &file->allocator, err);
    dv_schema_free(&schema);
    return status;
}

static dv_status open_btable(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                             dv_error *err)
{
    const dv_allocator *allocator = dvi_map_allocator(map);
    dvi_btable_header header;
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_btable_read_header(map, options, &header, err));
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_btable_file), err));
    dvi_btable_file *file = made;
    file->allocator = *allocator;
    file->map = map;
    dvi_map_retain(map);
    file->limits = *options;
    file->header = header;
    file->index.at = header.nbytes;
    pthread_mutex_init(&file->index.lock, NULL);
    atomic_init(&file->rows, DV_ROWS_UNKNOWN);
    const dv_status status = make_view(view_out, file, err);
    if (status < 0)
        close_file(file);
    else
        file->view = *view_out;
    return status;
}

/* A BTable starts without a magic number. */
static bool recognizes(const uint8_t *head, size_t n)
{
    (void)head;
    (void)n;
    return false;
}

/* Is the count of the first row plausible? If there are no labels it must not be 0: a file of zeros
 * is no BTable. */
static bool first_row_fits(const uint8_t *p, int64_t left, int64_t units)
{
    const int64_t n = dvi_load_i32_be(p);
    return n >= (units == 0) && n <= units + 1 && n <= (left - 4) / DVI_BTABLE_PAIR_NBYTES;
}

/* Are the sizes those of a BTable (btable:7)? This is weak evidence: all other formats are tried
 * first. */
static dv_status has_sizes(dvi_map *map, dvi_memory **memory, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map);
    dvi_span span;
    if (nbytes < 8)
        return DV_NOT_FOUND;
    DVI_TRY(dvi_map_span(map, 0, 8, memory, &span, err));
    const int64_t units = dvi_load_i32_be(span.data + 4), left = nbytes - 8 - 2 * units;
    if (dvi_load_u32(span.data) != 0 || units < 0 || left < 0 || left % 4 != 0 ||
        (units == 0 && left == 0))
        return DV_NOT_FOUND;
    if (left == 0)
        return DV_OK;
    DVI_TRY(dvi_map_span(map, 8 + 2 * units, 4, memory, &span, err));
    return first_row_fits(span.data, left, units) ? DV_OK : DV_NOT_FOUND;
}

static dv_status resembles(dvi_map *map, dv_error *err)
{
    dvi_memory *memory = NULL;
    const dv_status status = has_sizes(map, &memory, err);
    dvi_memory_release(&memory);
    return status;
}

const dvi_format dvi_format_btable = {
    .info = {.name = "btable",
             .title = "BTable, sparse rows of R8",
             .extensions = ".btable",
             .open_options = "lenient",
             .save_options = "canonical",
             .can_save = true,
             .side_files = ""},
    .recognizes = recognizes,
    .resembles = resembles,
    .open = open_btable,
    .check_save = dvi_btable_check_save,
    .begin_save = dvi_btable_begin_save,
};
