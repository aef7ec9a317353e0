/* SPDX-License-Identifier: MIT */
/* mutate_picture.c: takes a file apart into segments of a JPEG or chunks of a PNG, changes, adds,
 * moves or removes one, and writes all with the lengths that they have; or lets the engine mutate.
 */
#include "mutate_picture.h"
#include "reading.h"
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

enum { PARTS = 64, PART_NBYTES = 1 << 15, ROWS_NBYTES = 1 << 16, PNG_HEAD = 8, JPEG_HEAD = 2 };

/* A chunk, a segment, or bytes that are neither: codes of a scan, what follows the last. */
typedef struct piece {
    uint32_t name; /* of a chunk; the marker of a segment; RAW */
    const uint8_t *data;
    size_t n;
} piece;

#define RAW 0

typedef struct picture {
    bool is_png;
    size_t parts;
    piece part[PARTS];
} picture;

/* --- Files ------------------------------------------------------------------------------------ */

static uint32_t load(const uint8_t *at, size_t n)
{
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++)
        number = number << 8 | at[i];
    return number;
}

static void store(uint8_t *at, uint32_t number, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(number >> 8 * (n - 1 - i));
}

static void add(picture *p, uint32_t name, const uint8_t *data, size_t n)
{
    p->part[p->parts++] = (piece){name, data, n};
}

static void read_png(picture *p, const uint8_t *data, size_t n)
{
    size_t at = PNG_HEAD;
    while (p->parts < PARTS - 1 && n - at >= 12 && load(data + at, 4) <= n - at - 12) {
        const size_t nbytes = load(data + at, 4);
        add(p, load(data + at + 4, 4), data + at + 8, nbytes);
        at += nbytes + 12;
    }
    if (at < n)
        add(p, RAW, data + at, n - at);
}

static bool stands_alone(uint8_t marker)
{
    return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd9);
}

/* The bytes before the next marker, which is neither a stuffed 0xff nor a restart. */
static size_t codes(const uint8_t *data, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && (data[i] != 0xff || data[i + 1] == 0 || data[i + 1] == 0xff ||
                         (data[i + 1] >= 0xd0 && data[i + 1] <= 0xd7)))
        i++;
    return i + 1 < n ? i : n;
}

static void read_jpeg(picture *p, const uint8_t *data, size_t n)
{
    size_t at = JPEG_HEAD;
    while (p->parts < PARTS - 2 && n - at >= 4 && data[at] == 0xff) {
        const uint8_t marker = data[at + 1];
        at += 2;
        if (stands_alone(marker)) {
            add(p, marker, data + at, 0);
            continue;
        }
        const size_t nbytes = load(data + at, 2);
        if (nbytes < 2 || nbytes > n - at) {
            at -= 2;
            break;
        }
        add(p, marker, data + at + 2, nbytes - 2);
        at += nbytes;
        const size_t raw = codes(data + at, n - at);
        if (raw > 0)
            add(p, RAW, data + at, raw);
        at += raw;
    }
    if (at < n)
        add(p, RAW, data + at, n - at);
}

static bool read_picture(picture *p, const uint8_t *data, size_t n)
{
    *p = (picture){.is_png = n > PNG_HEAD && memcmp(data, "\x89PNG\r\n\x1a\n", PNG_HEAD) == 0};
    if (p->is_png)
        read_png(p, data, n);
    else if (n > JPEG_HEAD && memcmp(data, "\xff\xd8", JPEG_HEAD) == 0)
        read_jpeg(p, data, n);
    return p->parts > 0;
}

/* Returns where it ends; `data` has its head.  Parts for which there is no room are left out. */
static size_t write_picture(uint8_t *data, size_t most, const picture *p)
{
    size_t at = p->is_png ? PNG_HEAD : JPEG_HEAD;
    for (size_t i = 0; i < p->parts; i++) {
        const piece *part = &p->part[i];
        const bool is_alone = !p->is_png && stands_alone((uint8_t)part->name);
        const size_t before = part->name == RAW ? 0 : p->is_png ? 8 : is_alone ? 2 : 4;
        const size_t after = p->is_png && part->name != RAW ? 4 : 0;
        if (before + part->n + after > most - at)
            continue;
        if (before > 0 && p->is_png) {
            store(data + at, (uint32_t)part->n, 4);
            store(data + at + 4, part->name, 4);
        } else if (before > 0) {
            store(data + at, 0xff00 | part->name, 2);
            if (!is_alone)
                store(data + at + 2, (uint32_t)part->n + 2, 2);
        }
        if (part->n > 0)
            memcpy(data + at + before, part->data, part->n);
        memset(data + at + before + part->n, 0, after);
        at += before + part->n + after;
    }
    return at;
}

void dvt_png_set_checksums(uint8_t *data, size_t n)
{
    size_t at = PNG_HEAD;
    if (n <= PNG_HEAD || memcmp(data, "\x89PNG\r\n\x1a\n", PNG_HEAD) != 0)
        return;
    while (n - at >= 12 && load(data + at, 4) <= n - at - 12) {
        const size_t nbytes = load(data + at, 4);
        store(data + at + 8 + nbytes, libdeflate_crc32(0, data + at + 4, nbytes + 4), 4);
        at += nbytes + 12;
    }
}

/* --- Changes ---------------------------------------------------------------------------------- */

static size_t draw(uint64_t *draws, size_t below)
{
    *draws = dvt_hash_number(0x5EED, *draws);
    return (size_t)(*draws >> 20) % below;
}

/* A part has a copy of its bytes at `room`, where they may be changed. */
static void copy(piece *part, uint8_t *room)
{
    part->n = part->n < PART_NBYTES ? part->n : PART_NBYTES;
    if (part->n > 0)
        memcpy(room, part->data, part->n);
    part->data = room;
}

/* Kinds and sizes that belong together, where chance seldom makes them. */
static void change_png_head(uint8_t *head, uint64_t *draws)
{
    static const uint8_t kinds[][2] = {{1, 0}, {2, 0},  {4, 0},  {8, 0}, {16, 0},
                                       {8, 2}, {16, 2}, {1, 3},  {2, 3}, {4, 3},
                                       {8, 3}, {8, 4},  {16, 4}, {8, 6}, {16, 6}};
    switch (draw(draws, 3)) {
    case 0:
        memcpy(head + 8, kinds[draw(draws, sizeof kinds / 2)], 2);
        break;
    case 1:
        head[12] ^= 1;
        break;
    default:
        store(head + 4 * draw(draws, 2), 1 + (uint32_t)draw(draws, 70), 4);
    }
}

/* Precision, height, width, components: name, samples along x and y, table. */
static void change_jpeg_frame(piece *frame, uint8_t *data, uint64_t *draws)
{
    static const uint8_t markers[] = {0xc0, 0xc1, 0xc2, 0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca};
    const size_t components = (frame->n - 6) / 3;
    switch (draw(draws, 4)) {
    case 0:
        frame->name = markers[draw(draws, sizeof markers)];
        break;
    case 1:
        store(data + 1 + 2 * draw(draws, 2), (uint32_t)draw(draws, 70), 2);
        break;
    case 2:
        data[5] = (uint8_t)(1 + draw(draws, 4));
        break;
    default:
        if (components > 0)
            data[7 + 3 * draw(draws, components)] =
                (uint8_t)((1 + draw(draws, 4)) << 4 | (1 + draw(draws, 4)));
    }
}

/* At the end of a scan: the first and last coefficient, and how bits are refined. */
static void change_jpeg_scan(piece *scan, uint8_t *data, uint64_t *draws)
{
    const uint8_t first = (uint8_t)draw(draws, 8), last = (uint8_t)draw(draws, 64);
    data[scan->n - 3] = draw(draws, 2) ? 0 : first;
    data[scan->n - 2] = data[scan->n - 3] == 0 && draw(draws, 2) ? 0 : last;
    data[scan->n - 1] = (uint8_t)(draw(draws, 3) << 4 | draw(draws, 3));
}

static void change_fields(piece *part, bool is_png, uint8_t *room, uint64_t *draws)
{
    const uint32_t head = 0x49484452; /* IHDR */
    copy(part, room);
    if (is_png && part->name == head && part->n == 13)
        change_png_head(room, draws);
    else if (!is_png && part->name >= 0xc0 && part->name <= 0xc2 && part->n >= 6)
        change_jpeg_frame(part, room, draws);
    else if (!is_png && part->name == 0xda && part->n >= 6)
        change_jpeg_scan(part, room, draws);
    else
        part->n = LLVMFuzzerMutate(room, part->n, PART_NBYTES);
}

/* Let the engine change the rows behind the codes of a PNG. */
static void change_rows(piece *part, uint8_t *room)
{
    static uint8_t rows[ROWS_NBYTES];
    size_t n;
    struct libdeflate_decompressor *from = libdeflate_alloc_decompressor();
    struct libdeflate_compressor *to = libdeflate_alloc_compressor(1);
    if (from && to &&
        libdeflate_zlib_decompress(from, part->data, part->n, rows, sizeof rows, &n) ==
            LIBDEFLATE_SUCCESS) {
        n = LLVMFuzzerMutate(rows, n, sizeof rows);
        part->n = libdeflate_zlib_compress(to, rows, n, room, PART_NBYTES);
        part->data = room;
    }
    libdeflate_free_decompressor(from);
    libdeflate_free_compressor(to);
}

static void insert(picture *p, size_t at, piece made)
{
    if (p->parts == PARTS)
        return;
    memmove(&p->part[at + 1], &p->part[at], (p->parts - at) * sizeof *p->part);
    p->part[at] = made;
    p->parts++;
}

static void add_part(picture *p, size_t at, uint8_t *room, uint64_t *draws)
{
    static const char *const chunks[] = {"PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP",
                                         "sBIT", "bKGD", "hIST", "pHYs", "tIME", "zTXt",
                                         "iTXt", "acTL", "eXIf", "IDAT", "IEND", "sPLT"};
    static const uint8_t markers[] = {0xc0, 0xc2, 0xc4, 0xda, 0xdb, 0xdc,
                                      0xdd, 0xe0, 0xe1, 0xee, 0xfe, 0xd9};
    const char *chunk = chunks[draw(draws, sizeof chunks / sizeof *chunks)];
    piece made = {p->is_png ? load((const uint8_t *)chunk, 4)
                            : markers[draw(draws, sizeof markers)],
                  room, LLVMFuzzerMutate(room, 0, 64)};
    if (!p->is_png && stands_alone((uint8_t)made.name))
        made.n = 0;
    insert(p, at, made);
}

static void change(picture *p, uint8_t *room, uint64_t *draws)
{
    const uint32_t rows = 0x49444154; /* IDAT */
    const size_t at = draw(draws, p->parts), other = draw(draws, p->parts);
    piece *chosen = &p->part[at];
    const piece kept = *chosen;
    switch (draw(draws, 10)) {
    case 0:
        memmove(chosen, chosen + 1, (p->parts - at - 1) * sizeof *chosen);
        p->parts--;
        break;
    case 1:
        insert(p, other, kept);
        break;
    case 2:
        *chosen = p->part[other];
        p->part[other] = kept;
        break;
    case 3:
        add_part(p, at, room, draws);
        break;
    case 4:
    case 5:
        copy(chosen, room);
        chosen->n = LLVMFuzzerMutate(room, chosen->n, PART_NBYTES);
        break;
    default:
        if (p->is_png && chosen->name == rows)
            change_rows(chosen, room);
        else
            change_fields(chosen, p->is_png, room, draws);
    }
}

size_t dvt_picture_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    picture p;
    uint64_t draws = seed;
    uint8_t *kept = malloc(n + PART_NBYTES + 1);
    if (!kept)
        abort();
    if (n > 0)
        memcpy(kept, data, n);
    if (draw(&draws, 8) > 0 && read_picture(&p, kept, n)) {
        change(&p, kept + n, &draws);
        n = write_picture(data, most, &p);
    } else
        n = LLVMFuzzerMutate(data, n, most);
    free(kept);
    return n;
}
