/* SPDX-License-Identifier: MIT */
/* descriptor.h: the descriptor of a regular file that a map reads.
 *
 * A process may have so many descriptors (RLIMIT_NOFILE), of which maps keep at most half, so that
 * a table of ten thousand files opens and the program can still open files of its own. A file
 * beyond that is opened again for each use, and must be the one that it was: a file that was
 * replaced, and one that was cut, give the errors that they give with a descriptor. */
#ifndef DVI_IO_DESCRIPTOR_H
#define DVI_IO_DESCRIPTOR_H

#include "base/os.h"
#include <dataview/buffer.h>
#include <dataview/status.h>

typedef struct dvi_descriptor {
    int fd;     /* kept; -1: opened for each use, or not at all */
    char *path; /* absolute; NULL: the descriptor is kept */
    dvi_os_identity identity;
} dvi_descriptor;

/* Nothing is open yet: dvi_descriptor_close may be called. */
#define DVI_DESCRIPTOR_NONE                                                                        \
    {                                                                                              \
        -1, NULL,                                                                                  \
        {                                                                                          \
            0, 0, 0, 0                                                                             \
        }                                                                                          \
    }

/* Take over the descriptor of a file. */
void dvi_descriptor_own(dvi_descriptor *descriptor, int fd);
/* Half of what the process may have now, but at least one. */
int dvi_descriptor_most(void);
/* Close the descriptor of the file, unless at most `most` are kept; its path, which is relative to
 * the folder in which the process works now, led to it. What cannot be opened again by an absolute
 * path is kept in any case. Before other threads use it. */
void dvi_descriptor_settle(dvi_descriptor *descriptor, const char *path, int most);
void dvi_descriptor_close(dvi_descriptor *descriptor);

/* For dvi_descriptor_take. DV_ERR_IO: the file cannot be opened, or is another one now. */
dv_status dvi_descriptor_reopen(const dvi_descriptor *descriptor, int *fd_out, dv_error *err);
void dvi_descriptor_give_reopened(int fd);

/* Have a descriptor of the file, and give it back after use. Any thread. */
static inline dv_status dvi_descriptor_take(const dvi_descriptor *descriptor, int *fd_out,
                                            dv_error *err)
{
    *fd_out = descriptor->fd;
    return descriptor->path ? dvi_descriptor_reopen(descriptor, fd_out, err) : DV_OK;
}

static inline void dvi_descriptor_give(const dvi_descriptor *descriptor, int fd)
{
    if (descriptor->path)
        dvi_descriptor_give_reopened(fd);
}

#endif
