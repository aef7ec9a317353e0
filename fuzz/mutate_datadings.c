/* SPDX-License-Identifier: MIT */
/* mutate_datadings.c: changes a file of a set, and perhaps makes the others fit, or lets the engine
 * mutate. */
#include "mutate_datadings.h"
#include "datadings_parts.h"
#include "format/datadings/index/datadings_files_priv.h"
#include "reading.h"
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

enum { PART_NBYTES = 1 << 14 };

/* The files of a set with these messages, from a scan: each in a buffer. */
static bool make_sides(dvt_parts *parts, dv_buffer buffers[DVI_DATADINGS_SIDES])
{
    dvi_datadings_maps maps = {{NULL}};
    dvi_datadings_set *set = NULL;
    dvi_datadings_index *index = NULL;
    dvi_map *map = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.lenient = true; /* its sound beginning */
    bool does = dvi_map_open_memory(&map, parts->data.data, parts->data.n, NULL, NULL, "set",
                                    DV_IO_MMAP, NULL, NULL) == DV_OK &&
                dvi_datadings_set_of_maps(&set, map, &maps, &options, true, NULL) == DV_OK &&
                dvi_datadings_index_create(&index, NULL, NULL) == DV_OK;
    for (int64_t row = 0; does && row < set->rows; row++) {
        dvi_memory *memory = NULL;
        dvi_datadings_duplicate duplicate;
        int64_t ends[2];
        dv_text key;
        char number[24];
        dvi_datadings_offsets(set, row, 1, ends, NULL, NULL);
        does = dvi_datadings_keys(set, row, 1, &key, &memory, NULL) == DV_OK;
        if (does && key.nbytes < 0) /* only its own key will be wrong */
            key = (dv_text){number, snprintf(number, sizeof number, "%d", (int)row)};
        does = does && dvi_datadings_index_add(index, key, ends[1] - ends[0], NULL) == DV_OK &&
               dvi_datadings_index_hash(index, 1, &duplicate, NULL) == DV_OK && duplicate.row < 0;
        dvi_memory_release(&memory);
    }
    if (does)
        parts->data.n = (size_t)set->end;
    for (int side = 0; does && side < DVI_DATADINGS_SIDES; side++) {
        dvi_writer *writer;
        dvi_datadings_bytes file;
        does = dvi_writer_create_memory(&writer, 1 << 20, "", NULL, NULL) == DV_OK;
        if (does)
            does =
                dvi_datadings_index_file(index, (dvi_datadings_side)side, &file, NULL) == DV_OK &&
                dvi_writer_write(writer, file.data, file.nbytes, NULL) == DV_OK;
        if (does)
            dvi_writer_take(writer, &buffers[side]);
        dvi_writer_close(&writer);
    }
    dvi_datadings_index_free(&index);
    dvi_datadings_set_close(&set);
    dvi_map_release(&map);
    return does;
}

/* Make all side files, or all but one, fit the messages. */
static void fit(dvt_parts *parts, dv_buffer buffers[DVI_DATADINGS_SIDES], unsigned int draws)
{
    if (!make_sides(parts, buffers))
        return;
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        if ((int)(draws % 8) != side)
            parts->side[side] = (dvt_part){buffers[side].data, buffers[side].nbytes};
}

/* Let the engine change one file. */
static void change(dvt_parts *parts, uint8_t *scratch, unsigned int draws)
{
    const unsigned int file = draws % (DVI_DATADINGS_FILES + 3);
    dvt_part *part = file < DVI_DATADINGS_FILES ? &parts->side[file] : &parts->data;
    const size_t n = part->n < PART_NBYTES ? part->n : PART_NBYTES;
    if (file < DVI_DATADINGS_FILES && draws / 64 % 32 == 0) { /* remove or add it */
        *part = part->data ? (dvt_part){NULL, 0} : (dvt_part){scratch, 0};
        return;
    }
    if (n > 0)
        memcpy(scratch, part->data, n);
    *part = (dvt_part){scratch, LLVMFuzzerMutate(scratch, n, PART_NBYTES)};
}

size_t dvt_datadings_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    dvt_parts parts;
    const unsigned int draws = (unsigned int)(dvt_hash_number(0x5EED, seed) >> 16);
    uint8_t *copy = malloc(n + PART_NBYTES + 1);
    dv_buffer buffers[DVI_DATADINGS_SIDES] = {{0}};
    if (!copy || draws % 16 == 0 || !dvt_parts_read(&parts, data, n)) {
        free(copy);
        return LLVMFuzzerMutate(data, n, most);
    }
    memcpy(copy, data, n);
    dvt_parts_read(&parts, copy, n);
    if (draws % 16 == 1)
        parts.flags ^= (uint8_t)(1u << draws / 16 % 8);
    else
        change(&parts, copy + n, draws / 16);
    if (draws % 16 > 10)
        fit(&parts, buffers, draws / 65536);
    const size_t written = dvt_parts_write(data, most, &parts);
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        dv_buffer_release(&buffers[side]);
    free(copy);
    return written;
}
