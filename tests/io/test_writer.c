/* SPDX-License-Identifier: MIT */
/* test_writer.c: does a file appear whole, or not at all?  (writer.h) */
#include "io/writer.h"
#include "support/file.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool holds(const dvt_path *path, const void *data, size_t n)
{
    size_t nbytes;
    uint8_t *found = dvt_file_read(path->text, &nbytes);
    const bool is_same = nbytes == n && memcmp(found, data, n) == 0;
    free(found);
    return is_same;
}

Test(writer, a_file_appears_at_commit)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer;
    struct stat st;
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dvi_writer_write(writer, "abcdef", 6, &err), DV_OK);
    cr_expect_eq(dvi_writer_pad(writer, 2, &err), DV_OK);
    cr_expect_eq(dvi_writer_write_at(writer, 1, "XY", 2, &err), DV_OK);
    cr_expect_eq(dvi_writer_offset(writer), 8);
    cr_expect_neq(stat(path.text, &st), 0);
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_OK, "%s", err.message);
    dvi_writer_close(&writer);
    cr_expect(holds(&path, "aXYdef\0", 8));
    dvt_folder_remove(&folder);
}
