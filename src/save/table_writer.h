/* SPDX-License-Identifier: MIT */
/* table_writer.h: a file that is written from batches as they come (dv_writer). */
#ifndef DVI_SAVE_TABLE_WRITER_H
#define DVI_SAVE_TABLE_WRITER_H

#include "save/save.h"
#include <dataview/writer.h>

/* dv_writer_open with a format that can be saved and checked options. */
dv_status dvi_table_writer_open(dv_writer **writer_out, const dvi_format *format, const char *path,
                                const dv_schema *schema, int64_t rows,
                                const dv_save_options *options, dv_error *err);

/* Keep a failure, which every later call repeats. Returns its status. */
dv_status dvi_table_writer_fail(dv_writer *writer, dv_status status, const dv_error *err);
/* The failure that was kept; DV_OK: none. */
dv_status dvi_table_writer_failure(const dv_writer *writer, dv_error *err);

const dv_schema *dvi_table_writer_schema(const dv_writer *writer);
const dv_allocator *dvi_table_writer_allocator(const dv_writer *writer);

#endif
