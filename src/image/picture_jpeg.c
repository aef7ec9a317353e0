/* SPDX-License-Identifier: MIT */
/* picture_jpeg.c: decodes JPEG with TurboJPEG, whose functions return: nothing jumps through ours.
 */
#include "image/picture_decode.h"
#include <string.h>
#include <turbojpeg.h>

/* --- What stands before the picture ----------------------------------------------------------- */

/* Of a file, the markers before its first scan. */
typedef struct markers {
    uint8_t frame;       /* the last byte of the marker of the frame, 0xc0..0xcf; 0: none */
    uint8_t components;  /* of the frame */
    int32_t orientation; /* 1: none is given */
    const uint8_t *rest; /* what they end before: the marker of the scan, if the file is sound */
} markers;

enum { BASELINE = 0xc0, PROGRESSIVE = 0xc2, SCAN = 0xda, END = 0xd9, APP1 = 0xe1 };

static uint32_t load(const uint8_t *at, int n, bool is_little)
{
    uint32_t number = 0;
    for (int i = 0; i < n; i++)
        number |= (uint32_t)at[i] << 8 * (is_little ? i : n - 1 - i);
    return number;
}

/* The orientation that an APP1 segment gives: tag 0x112, a SHORT, in the first directory of TIFF.
 * Anything that is not well-formed gives 1. */
static int32_t orientation_of(const uint8_t *segment, size_t nbytes)
{
    enum { HEAD = 6, ENTRY = 12, ORIENTATION = 0x112, SHORT = 3 };
    if (nbytes < HEAD + 8 || memcmp(segment, "Exif\0\0", HEAD) != 0)
        return 1;
    const uint8_t *tiff = segment + HEAD;
    nbytes -= HEAD;
    const bool is_little = tiff[0] == 'I';
    const size_t at = load(tiff + 4, 4, is_little);
    if (at > nbytes || nbytes - at < 2)
        return 1;
    const size_t entries = load(tiff + at, 2, is_little), room = (nbytes - at - 2) / ENTRY;
    for (size_t i = 0; i < entries && i < room; i++) {
        const uint8_t *entry = tiff + at + 2 + i * ENTRY;
        const uint32_t value = load(entry + 8, 2, is_little);
        if (load(entry, 2, is_little) == ORIENTATION && load(entry + 2, 2, is_little) == SHORT)
            return value >= 1 && value <= 8 ? (int32_t)value : 1;
    }
    return 1;
}

static bool is_frame(uint8_t marker)
{
    enum { HUFFMAN = 0xc4, EXTENSION = 0xc8, ARITHMETIC = 0xcc };
    return marker >= 0xc0 && marker <= 0xcf && marker != HUFFMAN && marker != EXTENSION &&
           marker != ARITHMETIC;
}

static markers read_markers(dv_text file)
{
    markers found = {.orientation = 1};
    const uint8_t *at = (const uint8_t *)file.data + 2, *end = at + (file.nbytes - 2);
    while (end - at >= 4 && at[0] == 0xff && at[1] != SCAN) {
        const uint8_t marker = at[1];
        if (marker == 0xff) { /* fills */
            at++;
            continue;
        }
        const size_t nbytes = load(at + 2, 2, false);
        if (nbytes < 2 || nbytes > (size_t)(end - at) - 2)
            break;
        if (marker == APP1 && found.orientation == 1)
            found.orientation = orientation_of(at + 4, nbytes - 2);
        if (is_frame(marker) && !found.frame) {
            found.frame = marker;
            found.components = nbytes >= 8 ? at[9] : 0;
        }
        at += 2 + nbytes;
    }
    found.rest = at;
    return found;
}

/* How far the next marker may lie: codes and what stands alone have no length. */
static size_t step_over(const uint8_t *at)
{
    const uint8_t marker = at[1];
    if (marker == 0xff)
        return 1;
    const bool stands_alone = marker <= 1 || (marker >= 0xd0 && marker <= 0xd7);
    return stands_alone ? 2 : 2 + load(at + 2, 2, false);
}

/* The scans that the decoder will read: one, if the first has all components of a frame that is
 * not progressive. */
static int64_t count_scans(const markers *found, const uint8_t *end)
{
    const uint8_t *at = found->rest;
    int64_t n = 0;
    if (found->frame && found->frame != PROGRESSIVE && end - at >= 5 && at[1] == SCAN &&
        at[4] >= found->components)
        return 1;
    while (end - at >= 4 && (at = memchr(at, 0xff, (size_t)(end - at) - 3)) && at[1] != END) {
        const size_t far = step_over(at);
        n += at[1] == SCAN;
        if (far > (size_t)(end - at))
            break;
        at += far;
    }
    return n;
}

/* --- TurboJPEG -------------------------------------------------------------------------------- */

void dvi_jpeg_free(void *handle)
{
    tjDestroy(handle);
}

static dv_status failure(void *handle, dv_error *err)
{
    const char *said = tjGetErrorStr2(handle);
    return strstr(said, "nsufficient memory") || strstr(said, "emory allocation")
               ? dv_error_set(err, DV_ERR_MEMORY, "no memory for a JPEG")
               : dv_error_set(err, DV_ERR_CORRUPT, said);
}

dv_status dvi_jpeg_look(dvi_picture_head *head_out, dv_text file, dvi_decoder *decoder,
                        dv_error *err)
{
    int width = 0, height = 0, samples, colors = -1;
    const markers found = read_markers(file);
    if (found.frame && (found.frame < BASELINE || found.frame > PROGRESSIVE))
        return dv_error_set(err, DV_ERR_UNSUPPORTED,
                            "a JPEG that is neither baseline nor progressive with Huffman codes");
    /* One that is used again keeps the tables of the last file, and stays in a head that was cut.
     */
    if (decoder->jpeg)
        tjDestroy(decoder->jpeg);
    decoder->jpeg = tjInitDecompress();
    if (!decoder->jpeg)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory for a JPEG");
    /* It fails too if it has no name for how the components are sampled: then the sizes are known.
     * It succeeds without a size where there are only tables. */
    const int failed =
        tjDecompressHeader3(decoder->jpeg, (const unsigned char *)file.data,
                            (unsigned long)file.nbytes, &width, &height, &samples, &colors);
    if (width < 1 || height < 1 || colors < 0)
        return failed ? failure(decoder->jpeg, err)
                      : dv_error_set(err, DV_ERR_CORRUPT, "a JPEG without a picture");
    *head_out =
        (dvi_picture_head){.is_jpeg = true,
                           .has_inks = colors == TJCS_CMYK || colors == TJCS_YCCK,
                           .width = width,
                           .height = height,
                           .orientation = found.orientation,
                           .scans = count_scans(&found, (const uint8_t *)file.data + file.nbytes)};
    return DV_OK;
}

/* The smallest 1/8, 1/4, 1/2 or 1 of the sides that is not below the least ones.  TurboJPEG has
 * vectors for these alone: 3/8, 5/8, 6/8 and 7/8 take longer than the whole picture. */
static tjscalingfactor factor(const dvi_picture_head *head, int32_t least_width,
                              int32_t least_height)
{
    tjscalingfactor by = {8, 8};
    if (least_width < 1 || least_height < 1)
        return by;
    for (by.num = 1; by.num < 8; by.num *= 2)
        if (TJSCALED(head->width, by) >= least_width && TJSCALED(head->height, by) >= least_height)
            break;
    return by;
}

/* Inks as Adobe stores them, 255 without any, to red, green and blue; alpha is 255. */
static void mix_inks(dvi_canvas *canvas, const uint8_t *inks)
{
    const size_t n = (size_t)canvas->width * (size_t)canvas->height;
    uint8_t *to = canvas->room.data;
    for (size_t i = 0; i < n; i++, inks += 4, to += canvas->channels) {
        for (int c = 0; c < 3; c++) {
            const uint32_t product = (uint32_t)inks[c] * inks[3] + 128;
            to[c] = (uint8_t)((product + (product >> 8)) >> 8); /* divided by 255, rounded */
        }
        if (canvas->channels == 4)
            to[3] = 255;
    }
}

/* TurboJPEG calls an error after a warning a warning: what it did not reach must be black then. */
static dv_status decompress(uint8_t *to, int32_t width, int32_t height, int format, dv_text file,
                            const dvi_decode_how *how, void *handle, dv_error *err)
{
    const int flags =
        TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | (how->takes_partial ? 0 : TJFLAG_STOPONWARNING);
    if (how->takes_partial)
        memset(to, 0, (size_t)width * (size_t)height * (size_t)tjPixelSize[format]);
    if (tjDecompress2(handle, (const unsigned char *)file.data, (unsigned long)file.nbytes, to,
                      width, 0, height, format, flags) == 0 ||
        (how->takes_partial && tjGetErrorCode(handle) == TJERR_WARNING))
        return DV_OK;
    return failure(handle, err);
}

dv_status dvi_jpeg_decode(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                          int32_t least_width, int32_t least_height, const dvi_decode_how *how,
                          dvi_decoder *decoder, dv_error *err)
{
    const tjscalingfactor by = factor(head, least_width, least_height);
    const int32_t wide = TJSCALED(head->width, by), high = TJSCALED(head->height, by);
    dv_status status = dvi_canvas_fit(canvas, wide, high, how->alpha ? 4 : 3, err);
    if (status != DV_OK)
        return status;
    if (!head->has_inks)
        return decompress(canvas->room.data, wide, high, how->alpha ? TJPF_RGBA : TJPF_RGB, file,
                          how, decoder->jpeg, err);
    dvi_canvas inks = {.room.allocator = decoder->allocator};
    status = dvi_canvas_fit(&inks, wide, high, 4, err);
    if (status == DV_OK)
        status = decompress(inks.room.data, wide, high, TJPF_CMYK, file, how, decoder->jpeg, err);
    if (status == DV_OK)
        mix_inks(canvas, inks.room.data);
    dvi_room_free(&inks.room);
    return status;
}
