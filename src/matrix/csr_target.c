/* SPDX-License-Identifier: MIT */
/* csr_target.c: the arrays of a CSR matrix while it is built. */
#include "matrix/csr_target.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <inttypes.h>
#include <string.h>

dv_status dvi_csr_report(const dvi_csr_target *target, int64_t rows, dv_error *err)
{
    return dvi_report_progress(&target->progress, "no matrix", rows, target->rows_wanted, err);
}

/* Grow an array from room for `held` items to room for `more`; keep `used` of them. */
static dv_status grow(const dvi_csr_target *target, void **array, int64_t held, int64_t used,
                      int64_t more, size_t width, dv_error *err)
{
    void *wider;
    size_t nbytes;
    if (!dvi_size_mul((size_t)more, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(&target->allocator, &wider, nbytes, err));
    if (used > 0)
        memcpy(wider, *array, (size_t)used * width);
    dvi_free(&target->allocator, *array, (size_t)held * width);
    *array = wider;
    return DV_OK;
}

/* At first exactly what is needed, then doubling. */
static int64_t room_for(int64_t held, int64_t wanted)
{
    return dvi_max_i64(wanted, held < INT64_MAX / 2 ? 2 * held : wanted);
}

static dv_status fail_room(const char *option, int64_t room, int64_t wanted, dv_error *err)
{
    return dvi_fail(err, DV_ERR_LIMIT, option, -1, "arrays",
                    "at most %" PRId64 " (%s)|%" PRId64 " or more", room, option, wanted);
}

dv_status dvi_csr_reserve_rows(dvi_csr_target *target, int64_t rows, dv_error *err)
{
    if (rows <= target->rows_room && target->csr.indptr)
        return DV_OK;
    if (!target->is_own)
        return fail_room("rows_room", target->rows_room, rows, err);
    const int64_t room = room_for(target->rows_room, rows);
    const int64_t held = target->csr.indptr ? target->rows_room + 1 : 0;
    DVI_TRY(grow(target, &target->csr.indptr, held, held > 0 ? target->csr.rows + 1 : 0, room + 1,
                 dvi_csr_indptr_width(target), err));
    target->rows_room = room;
    return DV_OK;
}

dv_status dvi_csr_reserve_entries(dvi_csr_target *target, int64_t entries, dv_error *err)
{
    dv_csr *csr = &target->csr;
    if (entries <= target->entries_room)
        return DV_OK;
    if (!target->is_own)
        return fail_room("entries_room", target->entries_room, entries, err);
    const int64_t held = target->entries_room, room = room_for(held, entries);
    const size_t width = dvi_csr_data_width(target);
    void *indices = csr->indices;
    DVI_TRY(grow(target, &indices, held, csr->entries, room, sizeof *csr->indices, err));
    csr->indices = indices;
    const dv_status status = grow(target, &csr->data, held, csr->entries, room, width, err);
    if (status == DV_OK) {
        target->entries_room = room;
        return DV_OK;
    }
    /* both arrays have the same room, so free the one that was allocated */
    dvi_free(&target->allocator, csr->indices, (size_t)room * sizeof *csr->indices);
    dvi_free(&target->allocator, csr->data, (size_t)held * width);
    csr->indices = NULL;
    csr->data = NULL;
    target->entries_room = csr->entries = 0;
    return status;
}

dv_status dvi_csr_check_entries(const dvi_csr_target *target, int64_t entries, dv_error *err)
{
    DVI_REQUIRE(target->csr.indptr_kind == DV_KIND_I8 || entries <= INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "indptr", -1, "entries",
                         "at most 2^31-1 (option indptr: I4)|%" PRId64, entries));
    return DV_OK;
}

void dvi_csr_free_arrays(dvi_csr_target *target)
{
    dv_csr *csr = &target->csr;
    if (!target->is_own)
        return;
    const size_t rows = csr->indptr ? (size_t)target->rows_room + 1 : 0;
    const size_t entries = (size_t)target->entries_room;
    dvi_free(&target->allocator, csr->indptr, rows * dvi_csr_indptr_width(target));
    dvi_free(&target->allocator, csr->indices, entries * sizeof *csr->indices);
    dvi_free(&target->allocator, csr->data, entries * dvi_csr_data_width(target));
    csr->indptr = csr->data = NULL;
    csr->indices = NULL;
    target->rows_room = target->entries_room = csr->rows = csr->entries = 0;
}
