/* SPDX-License-Identifier: MIT */
/* file_writer.c: a file of any content that replaces another as a whole (dv_file_writer). */
#include "base/alloc.h"
#include "base/check.h"
#include "io/pack.h"
#include "io/writer.h"
#include <dataview/writer.h>

struct dv_file_writer {
    dv_allocator allocator;
    dvi_writer *file;
};

void dv_file_writer_abandon(dv_file_writer **writer)
{
    dv_file_writer *w = *writer;
    *writer = NULL;
    if (!w)
        return;
    const dv_allocator allocator = w->allocator;
    dvi_writer_close(&w->file);
    dvi_free(&allocator, w, sizeof *w);
}

dv_status dv_file_writer_open(dv_file_writer **writer_out, const char *path, bool sync,
                              const dv_allocator *allocator, dv_error *err)
{
    size_t stem_nbytes;
    void *made;
    *writer_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dv_file_writer), err));
    dv_file_writer *w = made;
    w->allocator = dvi_allocator_of(allocator);
    dv_status status = dvi_writer_create(&w->file, path, sync, &w->allocator, err);
    if (status == DV_OK)
        status = dvi_writer_pack(w->file, dvi_packing_of_path(path, &stem_nbytes), err);
    if (status == DV_OK)
        *writer_out = w;
    else
        dv_file_writer_abandon(&w);
    return status;
}

dv_status dv_file_writer_append(dv_file_writer *writer, const void *data, size_t n, dv_error *err)
{
    return dvi_writer_write(writer->file, data, n, err);
}

dv_status dv_file_writer_close(dv_file_writer **writer, dv_error *err)
{
    const dv_status status = *writer ? dvi_writer_commit((*writer)->file, err) : DV_OK;
    dv_file_writer_abandon(writer);
    return status;
}
