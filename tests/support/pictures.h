/* SPDX-License-Identifier: MIT */
/* pictures.h: files of pictures as a column, and what steps make of them. */
#ifndef DVT_PICTURES_H
#define DVT_PICTURES_H

#include <dataview/view.h>

/* Files as column "F", of type BY, or their paths, of type TX.  Start from zeros. */
typedef struct dvt_pictures {
    uint8_t *bytes;
    int32_t *ends;
    int64_t n;
    bool are_paths;
} dvt_pictures;

void dvt_pictures_add(dvt_pictures *pictures, const void *data, size_t nbytes);
/* A file of tests/golden/image. */
void dvt_pictures_add_golden(dvt_pictures *pictures, const char *name);
void dvt_pictures_free(dvt_pictures *pictures);

/* All of such a file; free() it. */
uint8_t *dvt_golden_picture(const char *name, size_t *nbytes_out);

/* What was made: the numbers of the vectors, or the bytes, of all rows, one after the other. */
typedef struct dvt_made_pixels {
    uint8_t *data; /* free() it */
    size_t nbytes;
} dvt_made_pixels;

/* Apply a pipeline, with which the test has registered the steps, and read its column "X" in
 * batches of `batch_rows`; 0: all at once. */
dv_status dvt_pictures_pipe(dvt_made_pixels *made, const dvt_pictures *pictures,
                            const char *pipeline, int64_t batch_rows, const dv_allocator *allocator,
                            dv_error *err);

#endif
