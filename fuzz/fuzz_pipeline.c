/* SPDX-License-Identifier: MIT */
/* fuzz_pipeline.c: any bytes as a saved pipeline: errors are complete; what opens is saved as a
 * file that opens as the same, and makes the same of every row of a small table. */
#include "meter.h"
#include "mutate_pipeline.h"
#include "pipe_table.h"
#include "saved/saved_pipeline.h"
#include "support/lines.h"
#include "support/produce.h"
#include <string.h>

enum {
    FILE_NBYTES = 1 << 16, /* larger inputs are not looked at */
    STEPS = 8              /* more take long, and find nothing else */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

/* --- Opening and saving ----------------------------------------------------------------------- */

static dv_status open_bytes(dv_fitted **fitted_out, const void *data, size_t n, dv_io io,
                            dv_error *err)
{
    dvi_map *map;
    DVT_CHECK(dvi_map_open_memory(&map, data, n, NULL, NULL, "input", io, &dvt_pipe_allocator,
                                  err) == DV_OK);
    const dv_status status = dvi_saved_read(fitted_out, map, err);
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

/* false: memory does not suffice. */
static bool save_bytes(dv_buffer *bytes_out, dv_fitted *fitted)
{
    dvi_writer *writer;
    DVT_CHECK(dvi_writer_create_memory(&writer, PTRDIFF_MAX, "memory_nbytes", NULL, NULL) == DV_OK);
    const dv_status status = dvi_saved_write(fitted, writer, &dvt_pipe_allocator, NULL);
    DVT_CHECK(status == DV_OK || status == DV_ERR_MEMORY);
    if (status == DV_OK)
        dvi_writer_take(writer, bytes_out);
    dvi_writer_close(&writer);
    return status == DV_OK;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status put_rows(dvt_lines *lines, dv_fitted *fitted, dv_view *table)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    dv_status status = dv_fitted_apply(&view, fitted, table, &dvt_pipe_allocator, &err);
    if (status == DV_OK && dvt_pipe_is_small(view))
        status = dvt_produce_by_value(lines, view, &options, &err);
    DVT_CHECK(status == DV_OK || *err.message);
    dv_view_release(&view);
    return status;
}

static void check_same_rows(dv_fitted *a, dv_fitted *b)
{
    dvt_lines first = {0}, second = {0};
    dv_view *table = dvt_pipe_table();
    const dv_status status = put_rows(&first, a, table), again = put_rows(&second, b, table);
    if (status != DV_ERR_MEMORY && again != DV_ERR_MEMORY)
        DVT_CHECK(status == again && first.nbytes == second.nbytes &&
                  (first.nbytes == 0 || memcmp(first.data, second.data, first.nbytes) == 0));
    dvt_lines_free(&first);
    dvt_lines_free(&second);
    dv_view_release(&table);
}

/* --- All of it -------------------------------------------------------------------------------- */

static void check_fitted(dv_fitted *fitted)
{
    dv_buffer bytes = {0}, again = {0};
    dv_fitted *opened = NULL;
    dv_error err = DV_ERROR_INIT;
    if (!save_bytes(&bytes, fitted))
        return;
    const dv_status status = open_bytes(&opened, bytes.data, bytes.nbytes, DV_IO_AUTO, &err);
    DVT_CHECK(status == DV_OK || status == DV_ERR_MEMORY);
    if (status == DV_OK && save_bytes(&again, opened)) {
        DVT_CHECK(again.nbytes == bytes.nbytes &&
                  memcmp(again.data, bytes.data, bytes.nbytes) == 0);
        if (dv_pipeline_steps(dv_fitted_pipeline(opened)) <= STEPS)
            check_same_rows(fitted, opened);
    }
    dv_buffer_release(&again);
    dv_fitted_release(&opened);
    dv_buffer_release(&bytes);
}

static void check_input(const uint8_t *data, size_t n)
{
    dv_fitted *mapped, *copied;
    dv_error err = DV_ERROR_INIT, own = DV_ERROR_INIT;
    const dv_status status = open_bytes(&mapped, data, n, DV_IO_MMAP, &err);
    DVT_CHECK(open_bytes(&copied, data, n, DV_IO_PREAD, &own) == status);
    if (status == DV_OK) {
        check_fitted(mapped);
    } else {
        check_error(&err, status);
        DVT_CHECK(err.offset == own.offset && strcmp(err.rule, own.rule) == 0);
    }
    dv_fitted_release(&mapped);
    dv_fitted_release(&copied);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n <= FILE_NBYTES) /* a block of its exact size: ASan sees one byte too far */
        check_input(data, n);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_pipeline_mutate(data, n, most, seed);
}
