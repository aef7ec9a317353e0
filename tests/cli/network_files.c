/* SPDX-License-Identifier: MIT */
/* network_files.c: preloaded by network_files.py: every file is on NFS. */
#include <string.h>
#include <sys/vfs.h>

int fstatfs(int fd, struct statfs *facts)
{
    (void)fd;
    memset(facts, 0, sizeof *facts);
    facts->f_type = 0x6969;
    return 0;
}
