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

static dv_status allocate(const dvi_csr_target *target, void **array_out, int64_t room,
                          size_t width, dv_error *err)
{
    size_t nbytes;
    if (!dvi_size_mul((size_t)room, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    return dvi_alloc(&target->allocator, array_out, nbytes, err);
}

/* Replace an array with room for `held` items by a wider one; keep `used` of them. Returns it. */
static void *move(const dvi_csr_target *target, void *array, void *wider, int64_t held,
                  int64_t used, size_t width)
{
    if (used > 0)
        memcpy(wider, array, (size_t)used * width);
    dvi_free(&target->allocator, array, (size_t)held * width);
    return wider;
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
    void *wider;
    const int64_t room = room_for(target->rows_room, rows);
    const int64_t held = target->csr.indptr ? target->rows_room + 1 : 0;
    const size_t width = dvi_csr_indptr_width(target);
    DVI_TRY(allocate(target, &wider, room + 1, width, err));
    target->csr.indptr =
        move(target, target->csr.indptr, wider, held, held > 0 ? target->csr.rows + 1 : 0, width);
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
    void *indices, *data;
    const int64_t held = target->entries_room, room = room_for(held, entries);
    const size_t width = dvi_csr_data_width(target), each = sizeof *csr->indices;
    DVI_TRY(allocate(target, &indices, room, each, err));
    const dv_status status = allocate(target, &data, room, width, err);
    if (status < 0) {
        dvi_free(&target->allocator, indices, (size_t)room * each);
        return status;
    }
    csr->indices = move(target, csr->indices, indices, held, csr->entries, each);
    csr->data = move(target, csr->data, data, held, csr->entries, width);
    target->entries_room = room;
    return DV_OK;
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
