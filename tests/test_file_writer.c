/* SPDX-License-Identifier: MIT */
/* test_file_writer.c: dv_file_writer replaces a file as a whole, or leaves it. */
#include "io/pack_priv.h"
#include "support/allocator.h"
#include "support/faults.h"
#include "support/file.h"
#include "support/saves.h"
#include "support/test.h"
#include "support/written.h"
#include <dataview/writer.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NBYTES ((size_t)1500000)

static const dv_allocator *allocator_used;

/* Bytes from ctx, in pieces. */
static dv_status save(void *ctx, const char *path, dv_error *err)
{
    const uint8_t *data = ctx;
    dv_file_writer *writer;
    dv_status status = dv_file_writer_open(&writer, path, true, allocator_used, err);
    for (size_t at = 0; at < NBYTES && status == DV_OK; at += NBYTES / 10)
        status = dv_file_writer_append(writer, data + at, NBYTES / 10, err);
    if (status == DV_OK)
        status = dv_file_writer_close(&writer, err);
    cr_expect(status == DV_OK ? !writer : true);
    dv_file_writer_abandon(&writer);
    return status;
}

Test(file_writer, is_the_old_or_the_new_file)
{
    uint8_t *data = dvt_pattern(NBYTES);
    const dvt_saves saves = {save, data, data, NBYTES};
    const char *wrong = dvt_saves_check_faults(&saves, DVT_FAULT_ERROR, ENOSPC, NULL);
    cr_expect_null(wrong, "%s", wrong);
    wrong = dvt_saves_check_faults(&saves, DVT_FAULT_SHORT, 0, NULL);
    cr_expect_null(wrong, "%s", wrong);
    wrong = dvt_saves_check_kills(&saves, NULL);
    cr_expect_null(wrong, "%s", wrong);
    free(data);
}

Test(file_writer, abandoned_or_closed)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.log");
    dv_error err = DV_ERROR_INIT;
    dv_file_writer *writer = NULL;
    cr_expect_eq(dv_file_writer_close(&writer, &err), DV_OK);
    dv_file_writer_abandon(&writer);
    cr_assert_eq(dv_file_writer_open(&writer, path.text, false, NULL, &err), DV_OK);
    cr_assert_eq(dv_file_writer_append(writer, "new", 3, &err), DV_OK);
    dv_file_writer_abandon(&writer);
    cr_expect_null(writer);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    cr_assert_eq(dv_file_writer_open(&writer, path.text, false, NULL, &err), DV_OK);
    cr_assert_eq(dv_file_writer_append(writer, "new", 3, &err), DV_OK);
    cr_assert_eq(dv_file_writer_append(writer, NULL, 0, &err), DV_OK);
    cr_assert_eq(dv_file_writer_close(&writer, &err), DV_OK);
    cr_expect(dvt_file_holds(&path, "new", 3));
    const dvt_path inside = dvt_path_in(&folder, "none/x.log");
    cr_expect_eq(dv_file_writer_open(&writer, inside.text, false, NULL, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOENT);
    cr_expect_null(writer);
    dvt_folder_remove(&folder);
}

Test(file_writer, each_allocation_may_fail)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.bin.gz");
    uint8_t *data = dvt_pattern(NBYTES);
    dv_status status = dvi_pack_gzip ? DV_ERR_MEMORY : DV_OK;
    for (int64_t at = 1; status != DV_OK; at++) {
        dv_error err = DV_ERROR_INIT;
        dvt_allocator counted;
        dvt_allocator_init(&counted, at);
        allocator_used = &counted.allocator;
        status = save(data, path.text, &err);
        cr_assert(status == DV_OK || status == DV_ERR_MEMORY, "%s", err.message);
        cr_expect_eq(counted.live, 0);
        cr_expect_eq(dvt_folder_entries(&folder), status == DV_OK);
    }
    allocator_used = NULL;
    if (dvi_pack_gzip) {
        size_t n;
        uint8_t *bytes = dvt_file_read(path.text, &n);
        cr_expect(n > 2 && bytes[0] == 0x1F && bytes[1] == 0x8B);
        free(bytes);
    }
    free(data);
    dvt_folder_remove(&folder);
}
