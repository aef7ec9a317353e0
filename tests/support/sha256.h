/* SPDX-License-Identifier: MIT */
/* sha256.h: SHA-256, by which the format page names the filters that the reference writes. */
#ifndef DVT_SHA256_H
#define DVT_SHA256_H

#include <stddef.h>

/* 64 lower-case hexadecimal digits, with a NUL. */
void dvt_sha256(char digits[65], const void *src, size_t n);

#endif
