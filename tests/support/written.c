/* SPDX-License-Identifier: MIT */
/* written.c: small files that the writer makes, in a folder of the test's. */
#include "support/written.h"
#include "io/writer.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

dv_status dvt_written(const char *path, const char *text, dv_error *err)
{
    dvi_writer *writer;
    *err = (dv_error)DV_ERROR_INIT;
    dv_status status = dvi_writer_create(&writer, path, true, NULL, err);
    if (status != DV_OK)
        return status;
    status = dvi_writer_write(writer, text, strlen(text), err);
    if (status == DV_OK)
        status = dvi_writer_commit(writer, err);
    dvi_writer_close(&writer);
    return status;
}

bool dvt_file_holds(const dvt_path *path, const void *data, size_t n)
{
    size_t nbytes;
    uint8_t *found = dvt_file_read(path->text, &nbytes);
    const bool is_same = nbytes == n && memcmp(found, data, n) == 0;
    free(found);
    return is_same;
}

bool dvt_is_written(const char *path)
{
    dv_error err;
    size_t nbytes;
    if (dvt_written(path, "new", &err) != DV_OK)
        return false;
    uint8_t *found = dvt_file_read(path, &nbytes);
    const bool is_same = nbytes == 3 && memcmp(found, "new", 3) == 0;
    free(found);
    return is_same;
}

bool dvt_is_refused(const char *path, int os_code)
{
    dv_error err;
    return dvt_written(path, "new", &err) == DV_ERR_IO && err.os_code == os_code && *err.file;
}

bool dvt_become_nobody(const dvt_path *folder)
{
    if (geteuid() != 0)
        return false;
    if (chown(folder->text, DVT_NOBODY, DVT_NOBODY) != 0 || seteuid(DVT_NOBODY) != 0)
        abort();
    return true;
}

void dvt_become_root(void)
{
    if (seteuid(0) != 0)
        abort();
}

bool dvt_mount_small(const dvt_path *folder, const char *size)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder->text, "tmpfs", 0, size) == 0;
}
