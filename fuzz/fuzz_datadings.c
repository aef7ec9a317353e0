/* SPDX-License-Identifier: MIT */
/* fuzz_datadings.c: reads any bytes as the files of a set: memory is bounded, mapped and read files
 * give the same results, in steps of any size; verification agrees with a model of the format page
 * and with reading; side files that are written again are sound. */
#include "datadings_parts.h"
#include "format/datadings/index/datadings_files_priv.h"
#include "mutate_datadings.h"
#include "opened.h"
#include "reading.h"
#include <dataview/inspect.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, BATCH = 64 };

/* The flags of an input. */
enum { LENIENT = 1, SCAN = 2, STRICT = 4, SHALLOW = 8, NARROW = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

/* A set of the files of the input, each in an allocation of its exact size. */
typedef struct opened {
    dvt_meter meter;
    dvi_datadings_set *set;
    dv_status status;
    dv_error err;
} opened;

static dv_open_options options_of(const dvt_parts *parts, const dv_allocator *allocator, dv_io io)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = allocator;
    options.io = io;
    options.lenient = parts->flags & LENIENT;
    options.nesting = parts->flags & SHALLOW ? 3 : 1024;
    options.message_nbytes = parts->flags & NARROW ? 40 : 1 << 30;
    return options;
}

static dv_status open_part(dvi_map **map_out, const dvt_part *part, const char *suffix,
                           const dv_open_options *options, dv_error *err)
{
    char name[32] = "set";
    strcat(name, suffix);
    uint8_t *copy = malloc(part->n);
    DVT_CHECK(copy || part->n == 0);
    if (part->n > 0)
        memcpy(copy, part->data, part->n);
    const dv_status status = dvi_map_open_memory(map_out, copy, part->n, free, copy, name,
                                                 options->io, options->allocator, err);
    if (status < 0)
        free(copy);
    return status;
}

static void open_set(opened *o, const dvt_parts *parts, dv_io io, bool scan, long long fail_at)
{
    dvi_map *data = NULL;
    dvi_datadings_maps maps = {{NULL}};
    *o = (opened){.err = DV_ERROR_INIT};
    atomic_store(&o->meter.fail_at, fail_at);
    atomic_store(&o->meter.fail_count, fail_at > 0);
    const dv_allocator allocator = dvt_meter_allocator(&o->meter);
    const dv_open_options options = options_of(parts, &allocator, io);
    o->status = open_part(&data, &parts->data, "", &options, &o->err);
    for (int file = 0; file < DVI_DATADINGS_FILES && o->status == DV_OK && !scan; file++)
        if (parts->side[file].data)
            o->status =
                open_part(&maps.file[file], &parts->side[file],
                          dvi_datadings_suffix((dvi_datadings_side)file), &options, &o->err);
    if (o->status == DV_OK)
        o->status = dvi_datadings_set_of_maps(&o->set, data, &maps, &options, scan, &o->err);
    for (int file = 0; file < DVI_DATADINGS_FILES; file++)
        dvi_map_release(&maps.file[file]);
    dvi_map_release(&data);
    DVT_CHECK((o->status == DV_OK) == (o->set != NULL));
}

static void close_set(opened *o)
{
    dvi_datadings_set_close(&o->set);
    DVT_CHECK(atomic_load(&o->meter.live_nbytes) == 0);
}

static void check_error(const dv_error *err)
{
    DVT_CHECK(err->status == DV_ERR_CORRUPT || err->status == DV_ERR_LIMIT ||
              err->status == DV_ERR_UNSUPPORTED);
    DVT_CHECK(*err->expected && *err->found && *err->rule && *err->message);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A hash of all that was read from a set, and the first error. */
typedef struct answer {
    uint64_t hash;
    dv_status status;
    dv_error err;
} answer;

static bool is_same(const dv_error *a, const dv_error *b)
{
    return a->status == b->status && a->offset == b->offset && strcmp(a->rule, b->rule) == 0;
}

static bool fail(answer *a, dv_status status)
{
    a->status = status;
    if (status < 0 && status != DV_ERR_MEMORY)
        check_error(&a->err);
    return status != DV_OK;
}

/* Read offsets and keys, `step` at a time. */
static answer read_set(opened *o, size_t step)
{
    static int64_t offsets[BATCH + 1];
    static dv_text keys[BATCH];
    dvi_memory *memory = NULL, *keys_memory = NULL;
    answer a = {.err = DV_ERROR_INIT};
    const int64_t rows = dvi_min_i64(dvi_datadings_rows(o->set), ROWS);
    for (int64_t row = 0; row < rows && a.status == DV_OK; row += (int64_t)step) {
        const size_t n = (size_t)dvi_min_i64(rows - row, (int64_t)step);
        if (fail(&a, dvi_datadings_offsets(o->set, row, n, offsets, &memory, &a.err)) ||
            fail(&a, dvi_datadings_keys(o->set, row, n, keys, &keys_memory, &a.err)))
            break;
        for (size_t i = 0; i < n; i++) {
            DVT_CHECK(offsets[i] >= 0 && offsets[i] < offsets[i + 1]);
            DVT_CHECK(offsets[i + 1] <= dvi_map_nbytes(o->set->data));
            a.hash = dvt_hash_number(a.hash, (uint64_t)offsets[i + 1]);
            if (keys[i].nbytes >= 0)
                a.hash = dvt_hash_bytes(a.hash, keys[i].data, (size_t)keys[i].nbytes);
        }
    }
    dvi_memory_release(&memory);
    dvi_memory_release(&keys_memory);
    return a;
}

/* Every key is found in its row, or there is an error. */
static answer find_all(opened *o)
{
    dvi_memory *memory = NULL;
    answer a = {.err = DV_ERROR_INIT};
    const int64_t rows = dvi_min_i64(dvi_datadings_rows(o->set), ROWS);
    for (int64_t row = 0; row < rows && a.status == DV_OK; row++) {
        dv_text key;
        int64_t found;
        bool does = false;
        if (fail(&a, dvi_datadings_keys(o->set, row, 1, &key, &memory, &a.err)) || key.nbytes < 0)
            continue;
        const dv_status status = dvi_datadings_find(o->set, key, true, &found, &a.err);
        DVT_CHECK(status != DV_OK || (found >= 0 && found < dvi_datadings_rows(o->set)));
        if (status == DV_NOT_FOUND) /* a wrong hash, after those that are compared with keys */
            a.hash = dvt_hash_number(a.hash, 7);
        else if (!fail(&a, status))
            DVT_CHECK(found == row || o->set->maps.file[DVI_DATADINGS_HASHES]);
        if (a.status >= 0 && fail(&a, dvi_datadings_contains(o->set, key, false, &does, &a.err)))
            break;
        a.hash = dvt_hash_number(a.hash, does);
        a.status = a.status == DV_NOT_FOUND ? DV_OK : a.status;
    }
    dvi_memory_release(&memory);
    return a;
}

/* --- Verification ----------------------------------------------------------------------------- */

typedef struct verdict {
    int64_t defects;
    dv_error first;
} verdict;

static bool count_defect(void *ctx, const dv_error *what)
{
    verdict *v = ctx;
    if (what->status != DV_OK)
        check_error(what);
    if (v->defects == 0)
        v->first = *what;
    return ++v->defects < 1000;
}

static verdict verify(opened *o, const dvt_parts *parts)
{
    verdict v = {.first = DV_ERROR_INIT};
    dv_error err = DV_ERROR_INIT;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &v;
    const dv_status status =
        dvi_datadings_verify_files(o->set, parts->flags & STRICT, &options, &err);
    DVT_CHECK(status == (v.defects < 1000 ? DV_OK : DV_END));
    return v;
}

/* --- Side files written again ----------------------------------------------------------------- */

static dvt_part written(dvi_datadings_index *index, dvi_datadings_side side, dv_buffer *buffer)
{
    dvi_writer *writer;
    dvi_datadings_bytes file;
    DVT_CHECK(dvi_writer_create_memory(&writer, 1 << 24, "", NULL, NULL) == DV_OK);
    DVT_CHECK(dvi_datadings_index_file(index, side, &file, NULL) == DV_OK);
    DVT_CHECK(dvi_writer_write(writer, file.data, file.nbytes, NULL) == DV_OK);
    dvi_writer_take(writer, buffer);
    dvi_writer_close(&writer);
    return (dvt_part){buffer->data, buffer->nbytes};
}

/* Do all samples have keys? In a scan, where keys come from messages, a sound one may have none. */
static bool has_keys(opened *o)
{
    dvi_memory *memory = NULL;
    dv_text key = {NULL, 0};
    for (int64_t row = 0; row < dvi_datadings_rows(o->set) && key.nbytes >= 0; row++)
        DVT_CHECK(dvi_datadings_keys(o->set, row, 1, &key, &memory, NULL) == DV_OK);
    dvi_memory_release(&memory);
    return key.nbytes >= 0;
}

/* With side files written again a sound set gives the same results. */
static void check_rebuilt(opened *o, const dvt_parts *parts, const answer *before)
{
    dvi_datadings_index *index;
    dvi_datadings_duplicate duplicate;
    dv_buffer buffers[DVI_DATADINGS_SIDES];
    dvi_memory *memory = NULL;
    dvt_parts rebuilt = {.data = parts->data};
    DVT_CHECK(dvi_datadings_index_create(&index, NULL, NULL) == DV_OK);
    for (int64_t row = 0; row < dvi_datadings_rows(o->set); row++) {
        int64_t ends[2];
        dv_text key;
        DVT_CHECK(dvi_datadings_offsets(o->set, row, 1, ends, NULL, NULL) == DV_OK);
        DVT_CHECK(dvi_datadings_keys(o->set, row, 1, &key, &memory, NULL) == DV_OK);
        DVT_CHECK(dvi_datadings_index_add(index, key, ends[1] - ends[0], NULL) == DV_OK);
    }
    DVT_CHECK(dvi_datadings_index_hash(index, 1, &duplicate, NULL) == DV_OK && duplicate.row < 0);
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        rebuilt.side[side] = written(index, (dvi_datadings_side)side, &buffers[side]);
    opened again;
    open_set(&again, &rebuilt, DV_IO_MMAP, false, 0);
    DVT_CHECK(again.status == DV_OK);
    const answer after = read_set(&again, BATCH);
    DVT_CHECK(after.status == DV_OK && after.hash == before->hash);
    DVT_CHECK(find_all(&again).status == DV_OK);
    close_set(&again);
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        dv_buffer_release(&buffers[side]);
    dvi_memory_release(&memory);
    dvi_datadings_index_free(&index);
}

/* --- The target ------------------------------------------------------------------------------- */

static void check_memory(dvt_input *in, const dvt_parts *parts, bool scan, const answer *want)
{
    opened o;
    open_set(&o, parts, dvt_input_draw(in, 2) ? DV_IO_PREAD : DV_IO_MMAP, scan,
             1 + (long long)dvt_input_draw(in, 12));
    if (o.status != DV_OK) {
        DVT_CHECK(o.status == DV_ERR_MEMORY);
        close_set(&o);
        return;
    }
    atomic_store(&o.meter.fail_at,
                 atomic_load(&o.meter.asked) + 1 + (long long)dvt_input_draw(in, 12));
    atomic_store(&o.meter.fail_count, 1);
    const answer a = read_set(&o, BATCH), b = find_all(&o);
    DVT_CHECK(a.status == DV_ERR_MEMORY || (a.status == want->status && a.hash == want->hash));
    (void)b;
    const answer again = read_set(&o, BATCH);
    DVT_CHECK(again.status == DV_ERR_MEMORY || again.hash == want->hash);
    close_set(&o);
}

/* Check the set mapped and read, and with failing allocations. */
static void check_set(dvt_input *in, const dvt_parts *parts, bool scan)
{
    opened o, other;
    open_set(&o, parts, DV_IO_MMAP, scan, 0);
    open_set(&other, parts, DV_IO_PREAD, scan, 0);
    DVT_CHECK(is_same(&o.err, &other.err));
    if (o.status != DV_OK)
        check_error(&o.err);
    if (o.set) {
        const answer all = read_set(&o, BATCH), some = read_set(&other, 1 + dvt_input_draw(in, 9));
        DVT_CHECK((all.status == DV_OK) == (some.status == DV_OK));
        DVT_CHECK(all.status != DV_OK || all.hash == some.hash);
        const answer found = find_all(&o), same = find_all(&other);
        DVT_CHECK(found.status == same.status && found.hash == same.hash);
        const verdict v = verify(&o, parts), w = verify(&other, parts);
        DVT_CHECK(v.defects == w.defects && is_same(&v.first, &w.first));
        DVT_CHECK(v.defects > 0 || (all.status == DV_OK && found.status == DV_OK));
        if (v.defects == 0 && dvi_datadings_rows(o.set) <= ROWS && !(parts->flags & LENIENT) &&
            has_keys(&o))
            check_rebuilt(&o, parts, &all);
        check_memory(in, parts, scan, &all);
        DVT_CHECK(atomic_load(&o.meter.highest_nbytes) <= 64 * (long long)in->n + (1 << 21));
    }
    close_set(&o);
    close_set(&other);
}

/* With the files that the model knows: the set opens, and is sound, if the model says so. */
static void check_page(const dvt_parts *given)
{
    dvt_parts parts = *given;
    opened o;
    parts.flags = 0;
    parts.side[DVI_DATADINGS_MD5] = parts.side[DVI_DATADINGS_LEGACY] = (dvt_part){NULL, 0};
    const dvt_parts_model model = dvt_parts_model_of(&parts);
    open_set(&o, &parts, DV_IO_MMAP, false, 0);
    DVT_CHECK((o.status == DV_OK) == model.opens);
    if (o.set) {
        const verdict v = verify(&o, &parts);
        DVT_CHECK(dvi_datadings_rows(o.set) == model.rows);
        DVT_CHECK(model.is_sound || v.defects > 0);
        DVT_CHECK(!model.is_sound || model.has_nd || v.defects == 0);
    }
    close_set(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_input in;
    dvt_parts parts;
    if (dvt_input_read(&in, data, n) && dvt_parts_read(&parts, in.data, in.n)) {
        check_set(&in, &parts, parts.flags & SCAN);
        check_page(&parts);
    }
    dvt_input_free(&in);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_datadings_mutate(data, n, most, seed);
}
