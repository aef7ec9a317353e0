/* SPDX-License-Identifier: MIT */
/* os_network.c: tells network file systems from local ones. */
#include "base/attempt.h"
#include "base/os.h"
#include <errno.h>
#ifdef __linux__
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

/* From linux/magic.h and the sources of the file systems; numbers, since not every system's header
 * has all of them.  FUSE is among them: sshfs, and any program that may end. */
static const struct {
    uint32_t magic;
    const char *name;
} networks[] = {{0x00006969, "NFS"},      {0xFF534D42, "CIFS"},        {0x0000517B, "SMB"},
                {0xFE534D42, "SMB2"},     {0x65735546, "FUSE"},        {0x01021997, "9P"},
                {0x5346414F, "AFS"},      {0x6B414653, "AFS"},         {0x00C36400, "Ceph"},
                {0x0BD00BD0, "Lustre"},   {0x47504653, "GPFS"},        {0x7461636F, "OCFS2"},
                {0x01161970, "GFS2"},     {0x73757245, "Coda"},        {0x0000564C, "NCP"},
                {0x19830326, "BeeGFS"},   {0x20030528, "OrangeFS"},    {0xAAD7AAEA, "PanFS"},
                {0xBEEFDEAD, "StorNext"}, {0x013111A8, "Ibrix"},       {0x61636673, "ACFS"},
                {0xA501FCF5, "VxFS"},     {0xBACBACBC, "VMware HGFS"}, {0x786F4256, "VirtualBox"},
                {0x7C7C6673, "Parallels"}};

const char *dvi_os_network_of(uint32_t magic)
{
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (networks[i].magic == magic)
            return networks[i].name;
    return "";
}

#ifdef __linux__
static const char *name_of(const struct statfs *facts)
{
    return dvi_os_network_of((uint32_t)facts->f_type);
}
#else
/* The system knows whether a file system is local, and no number of its kind. */
static const char *name_of(const struct statfs *facts)
{
    return facts->f_flags & MNT_LOCAL ? "" : "network";
}
#endif

const char *dvi_os_network(int fd)
{
    struct statfs facts;
    int failed;
    do
        failed = !DVI_ATTEMPT("os_network.c dvi_os_network", fstatfs(fd, &facts) == 0);
    while (failed != 0 && errno == EINTR);
    return failed != 0 ? "" : name_of(&facts);
}
