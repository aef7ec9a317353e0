/* SPDX-License-Identifier: MIT */
/* file_system.h: tells network file systems from local ones. */
#ifndef DVI_IO_FILE_SYSTEM_H
#define DVI_IO_FILE_SYSTEM_H

#include <stdint.h>

/* The name of a file system, by the number that statfs returns, if its files can be cut by another
 * machine or become unreachable while they are mapped: "NFS"; else "".  Static text. */
const char *dvi_file_system_network(uint32_t magic);

/* The same for the file system of an open file; "" also where the system cannot say. */
const char *dvi_file_system_of(int fd);

#endif
