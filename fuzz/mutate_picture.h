/* SPDX-License-Identifier: MIT */
/* mutate_picture.h: mutates JPEG and PNG files part by part, so that the decoders get past them. */
#ifndef DVT_MUTATE_PICTURE_H
#define DVT_MUTATE_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/* Change the n bytes of a file in place, of at most `most`; returns the new size.  Checksums of PNG
 * may be wrong then: dvt_png_set_checksums. */
size_t dvt_picture_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

/* Give each chunk the checksum that it should have.  Files that are no PNG stay. */
void dvt_png_set_checksums(uint8_t *data, size_t n);

#endif
