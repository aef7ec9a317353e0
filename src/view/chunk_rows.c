/* SPDX-License-Identifier: MIT */
/* chunk_rows.c: how many rows a thread should read at a time. */
#include "view/chunk_rows.h"
#include "base/size.h"
#include "view/column.h"
#include "view/view.h"

#define CHUNK_NBYTES INT64_C(1 << 20) /* all active columns together, roughly */
#define TEXT_NBYTES 32                /* a text, if nothing more is known */
#define BYTES_NBYTES 256              /* a value of bytes */
#define SLOTS 16                      /* a vector of any length */
#define CHUNK_ROWS_MOST INT64_C(65536)

static int64_t width_of(const dv_type *item)
{
    return dvi_max_i64((int64_t)dvi_width_of(item), 1);
}

/* The estimated bytes of a row. */
static int64_t guess_width(const dv_cursor_request *request)
{
    int64_t width = 1;
    for (int32_t k = 0; k < request->columns_count; k++) {
        const dv_type *type = &dv_schema_column(request->schema, request->columns[k])->type;
        const dv_type item = dv_type_item(type);
        const bool is_text = item.kind == DV_KIND_TX, is_bytes = item.kind == DV_KIND_BY;
        const int64_t each = is_text ? TEXT_NBYTES : is_bytes ? BYTES_NBYTES : width_of(&item);
        const int64_t slots = type->rank == 0 ? 1 : type->size > 0 ? type->size : SLOTS;
        width = dvi_min_i64(width + each * slots, INT32_MAX);
    }
    return width;
}

/* Whole blocks, and a chunk for each thread. */
static int64_t fine_chunk_rows(const dv_cursor_request *request, int64_t job_rows, int32_t threads,
                               int64_t block)
{
    const int64_t share = (request->end_row - request->first_row - 1) / threads + 1;
    return dvi_max_i64(dvi_min_i64(job_rows, share) / block, 1) * block;
}

/* Whole blocks, and enough rows to be worth a job. */
int64_t dvi_chunk_rows(const dv_view *base, const dv_cursor_request *request, int64_t job_rows,
                       int32_t threads)
{
    const int64_t block = dv_view_block_rows(base);
    if (job_rows > 0)
        return fine_chunk_rows(request, job_rows, threads, block);
    const int64_t wanted = dvi_max_i64(
        DVI_CHUNK_ROWS_LEAST, dvi_min_i64(CHUNK_NBYTES / guess_width(request), CHUNK_ROWS_MOST));
    const int64_t blocks = block < wanted ? (wanted + block - 1) / block : 1;
    return blocks * block;
}
