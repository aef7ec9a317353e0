/* SPDX-License-Identifier: MIT */
/* picture_decode.h: makes pictures of the bytes of JPEG and PNG files, which may come from anyone.
 */
#ifndef DVI_PICTURE_DECODE_H
#define DVI_PICTURE_DECODE_H

#include "image/picture.h"
#include <dataview/type.h>

/* How a file is read. */
typedef struct dvi_decode_how {
    bool alpha;         /* four channels; else three */
    bool turns;         /* as the EXIF orientation of a JPEG says */
    bool takes_partial; /* of a damaged file what came of it; the rest is black, or gray */
    int64_t pixels_max; /* of the picture; also bounds what scans and bytes there may be */
} dvi_decode_how;

/* What decoding uses again; one thread at a time.  Start from zeros. */
typedef struct dvi_decoder {
    const dv_allocator *allocator;
    void *jpeg;        /* the handle of TurboJPEG; NULL: none yet */
    dvi_canvas stored; /* a picture before it is turned */
} dvi_decoder;

void dvi_decoder_free(dvi_decoder *decoder);

/* What the head of a file says. */
typedef struct dvi_picture_head {
    bool is_jpeg, has_inks; /* a JPEG of cyan, magenta, yellow and black */
    int32_t width, height;  /* as the picture is seen: turned */
    int32_t orientation;    /* as in EXIF, 1..8; 1: as it is stored */
    int64_t scans;          /* of a JPEG: each goes over all pixels */
    uint32_t bits;          /* of a pixel of a PNG */
} dvi_picture_head;

/* Read the head, and check the picture against the limits.
 *
 * DV_OK
 * DV_ERR_CORRUPT      damaged, or cut off; or too few bytes for so many pixels
 * DV_ERR_UNSUPPORTED  neither JPEG nor PNG, or of a kind that is not read
 * DV_ERR_LIMIT        too many pixels, a side of more than DVI_PICTURE_SIDE_MAX; a JPEG with more
 *                     scans than pay, or a PNG of more than 2^30 bytes of pixels
 * DV_ERR_MEMORY */
dv_status dvi_picture_look(dvi_picture_head *head_out, dv_text file, const dvi_decode_how *how,
                           dvi_decoder *decoder, dv_error *err);

/* Decode the file.  A JPEG may come smaller, by 1/2, 1/4 or 1/8, but neither side below these: 0
 * for the whole picture.
 *
 * DV_OK, DV_ERR_CORRUPT, DV_ERR_UNSUPPORTED, DV_ERR_MEMORY */
dv_status dvi_picture_decode(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                             int32_t least_width, int32_t least_height, const dvi_decode_how *how,
                             dvi_decoder *decoder, dv_error *err);

/* --- Of each format --------------------------------------------------------------------------- */

dv_status dvi_jpeg_look(dvi_picture_head *head_out, dv_text file, dvi_decoder *decoder,
                        dv_error *err);
dv_status dvi_jpeg_decode(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                          int32_t least_width, int32_t least_height, const dvi_decode_how *how,
                          dvi_decoder *decoder, dv_error *err);
void dvi_jpeg_free(void *handle);

dv_status dvi_png_look(dvi_picture_head *head_out, dv_text file, dv_error *err);
dv_status dvi_png_decode(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                         const dvi_decode_how *how, const dv_allocator *allocator, dv_error *err);

#endif
