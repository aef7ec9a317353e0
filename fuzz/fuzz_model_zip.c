/* SPDX-License-Identifier: MIT */
/* fuzz_model_zip.c: any bytes as a model of ML.NET: errors are complete; what opens makes rows of a
 * small table or says why not, and is saved as a pipeline that opens again. */
#include "meter.h"
#include "mlnet/model_zip.h"
#include "mutate_model_zip.h"
#include "pipe_table.h"
#include "saved/saved_pipeline.h"
#include "support/lines.h"
#include "support/produce.h"
#include <string.h>

enum {
    FILE_NBYTES = 1 << 16, /* larger inputs are not looked at */
    STEPS = 16             /* more take long, and find nothing else */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

static dv_status open_bytes(dv_fitted **fitted_out, const void *data, size_t n, dv_io io,
                            bool until_unknown, dv_error *err)
{
    dvi_map *map;
    DVT_CHECK(dvi_map_open_memory(&map, data, n, NULL, NULL, "input", io, &dvt_pipe_allocator,
                                  err) == DV_OK);
    const dv_status status = dvi_model_zip_read(fitted_out, map, until_unknown, err);
    dvi_map_release(&map);
    DVT_CHECK((status == DV_OK) == (*fitted_out != NULL));
    return status;
}

static void check_error(const dv_error *err, dv_status status)
{
    DVT_CHECK(err->status == status && *err->message);
    DVT_CHECK(status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT ||
              status == DV_ERR_MEMORY);
    DVT_CHECK(status == DV_ERR_MEMORY || *err->rule);
}

static void check_rows(dv_fitted *fitted)
{
    dvt_lines lines = {0};
    dv_view *table = dvt_pipe_table(), *view;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    dv_status status = dv_fitted_apply(&view, fitted, table, &dvt_pipe_allocator, &err);
    if (status == DV_OK && dvt_pipe_is_small(view))
        status = dvt_produce_by_value(&lines, view, &options, &err);
    DVT_CHECK(status == DV_OK || *err.message);
    dv_view_release(&view);
    dv_view_release(&table);
    dvt_lines_free(&lines);
}

/* A pipeline may be too large for its file, or have types that .idv does not have. */
static void check_saved(dv_fitted *fitted)
{
    dvi_writer *writer;
    dvi_map *map;
    dv_buffer bytes;
    dv_fitted *again;
    DVT_CHECK(dvi_writer_create_memory(&writer, PTRDIFF_MAX, "memory_nbytes", NULL, NULL) == DV_OK);
    dv_status status = dvi_saved_write(fitted, writer, &dvt_pipe_allocator, NULL);
    if (status == DV_OK) {
        dvi_writer_take(writer, &bytes);
        DVT_CHECK(dvi_map_open_memory(&map, bytes.data, bytes.nbytes, NULL, NULL, "", DV_IO_AUTO,
                                      &dvt_pipe_allocator, NULL) == DV_OK);
        status = dvi_saved_read(&again, map, NULL);
        DVT_CHECK(status == DV_OK || status == DV_ERR_MEMORY);
        dv_fitted_release(&again);
        dvi_map_release(&map);
        dv_buffer_release(&bytes);
    }
    dvi_writer_close(&writer);
}

static void check_input(const uint8_t *data, size_t n)
{
    dv_fitted *mapped, *copied, *cut;
    dv_error err = DV_ERROR_INIT, own = DV_ERROR_INIT;
    const dv_status status = open_bytes(&mapped, data, n, DV_IO_MMAP, false, &err);
    DVT_CHECK(open_bytes(&copied, data, n, DV_IO_PREAD, false, &own) == status);
    if (status != DV_OK) {
        check_error(&err, status);
        DVT_CHECK(err.offset == own.offset && strcmp(err.rule, own.rule) == 0);
    }
    const dv_status cut_status = open_bytes(&cut, data, n, DV_IO_AUTO, true, NULL);
    DVT_CHECK(status != DV_OK || cut_status == DV_OK);
    if (cut && dv_pipeline_steps(dv_fitted_pipeline(cut)) <= STEPS) {
        check_rows(cut);
        check_saved(cut);
    }
    dv_fitted_release(&mapped);
    dv_fitted_release(&copied);
    dv_fitted_release(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n <= FILE_NBYTES) /* a block of its exact size: ASan sees one byte too far */
        check_input(data, n);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_model_zip_mutate(data, n, most, seed);
}
