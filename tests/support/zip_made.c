/* SPDX-License-Identifier: MIT */
/* zip_made.c: zip files, from their entries and back. */
#include "support/zip_made.h"
#include "base/load.h"
#include "codec/deflate.h"
#include "mlnet/zip.h"
#include <stdlib.h>
#include <string.h>

static uint8_t *copy_of(const void *data, size_t n)
{
    uint8_t *copy = malloc(n + 1);
    if (!copy)
        abort();
    if (n > 0)
        memcpy(copy, data, n);
    return copy;
}

void dvt_zip_add(dvt_zip_parts *parts, const char *name, const void *data, size_t n)
{
    if (parts->count == DVT_ZIP_PARTS || strlen(name) >= sizeof parts->part->name)
        abort();
    dvt_zip_part *part = &parts->part[parts->count++];
    strcpy(part->name, name);
    part->data = copy_of(data, n);
    part->n = n;
}

static bool take_entry(dvt_zip_parts *parts, dvi_zip *zip, const dvi_zip_entry *entry)
{
    dvi_memory *bytes;
    char name[sizeof parts->part->name];
    if (entry->name.nbytes >= (int64_t)sizeof name || parts->count == DVT_ZIP_PARTS ||
        dvi_zip_read(zip, entry, &bytes, NULL) != DV_OK)
        return false;
    memcpy(name, entry->name.data, (size_t)entry->name.nbytes);
    name[entry->name.nbytes] = 0;
    dvt_zip_add(parts, name, bytes->data, entry->nbytes);
    dvi_memory_release(&bytes);
    return true;
}

bool dvt_zip_take(dvt_zip_parts *parts, const void *data, size_t nbytes)
{
    dvi_zip zip;
    dvi_map *map;
    parts->count = 0;
    if (dvi_map_open_memory(&map, data, nbytes, NULL, NULL, "", DV_IO_AUTO, NULL, NULL) != DV_OK)
        abort();
    bool is_taken = dvi_zip_open(&zip, map, NULL) == DV_OK;
    for (int32_t i = 0; is_taken && i < zip.count; i++)
        is_taken = take_entry(parts, &zip, &zip.entries[i]);
    dvi_zip_close(&zip);
    dvi_map_release(&map);
    if (!is_taken)
        dvt_zip_free(parts);
    return is_taken;
}

void dvt_zip_free(dvt_zip_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->part[i].data);
    parts->count = 0;
}

/* What the header of an entry and the directory share, from the version to the lengths. */
static void put_common(uint8_t *p, const dvt_zip_part *part)
{
    memset(p, 0, 26);
    dvi_store_u16(p, 20);
    dvi_store_u32(p + 10, dvi_crc32(part->data, part->n));
    dvi_store_u32(p + 14, (uint32_t)part->n);
    dvi_store_u32(p + 18, (uint32_t)part->n);
    dvi_store_u16(p + 22, (uint16_t)strlen(part->name));
}

static uint8_t *put_entry(uint8_t *p, const dvt_zip_part *part)
{
    const size_t name = strlen(part->name);
    memcpy(p, "PK\3\4", 4);
    put_common(p + 4, part);
    memcpy(p + 30, part->name, name);
    memcpy(p + 30 + name, part->data, part->n);
    return p + 30 + name + part->n;
}

static uint8_t *put_listed(uint8_t *p, const dvt_zip_part *part, uint32_t offset)
{
    const size_t name = strlen(part->name);
    memset(p, 0, 46);
    memcpy(p, "PK\1\2\24\0", 6);
    put_common(p + 6, part);
    dvi_store_u32(p + 42, offset);
    memcpy(p + 46, part->name, name);
    return p + 46 + name;
}

uint8_t *dvt_zip_make(const dvt_zip_parts *parts, size_t *nbytes_out)
{
    size_t most = 22;
    uint32_t offsets[DVT_ZIP_PARTS];
    for (size_t i = 0; i < parts->count; i++)
        most += 76 + 2 * strlen(parts->part[i].name) + parts->part[i].n;
    uint8_t *file = malloc(most), *p = file;
    if (!file)
        abort();
    for (size_t i = 0; i < parts->count; i++) {
        offsets[i] = (uint32_t)(p - file);
        p = put_entry(p, &parts->part[i]);
    }
    const uint32_t directory = (uint32_t)(p - file);
    for (size_t i = 0; i < parts->count; i++)
        p = put_listed(p, &parts->part[i], offsets[i]);
    memset(p, 0, 22);
    memcpy(p, "PK\5\6", 4);
    dvi_store_u16(p + 8, (uint16_t)parts->count);
    dvi_store_u16(p + 10, (uint16_t)parts->count);
    dvi_store_u32(p + 12, (uint32_t)(p - file) - directory);
    dvi_store_u32(p + 16, directory);
    *nbytes_out = (size_t)(p - file) + 22;
    return file;
}

/* --- Parts of models -------------------------------------------------------------------------- */

size_t dvt_model_fields(const dvt_zip_part *part)
{
    const size_t least = DVT_MODEL_HEADER + 8;
    if (part->n < least)
        return 0;
    const int64_t n = dvi_load_i64(part->data + 0x18);
    return n > 0 && (uint64_t)n <= part->n - least ? (size_t)n : 0;
}

void dvt_model_set_fields(dvt_zip_part *part, const void *fields, size_t n)
{
    static const size_t places[] = {0x20, 0x30, 0x80, 0x88, 0x90};
    const size_t before = dvt_model_fields(part), rest = part->n - DVT_MODEL_HEADER - before;
    uint8_t *made = malloc(part->n - before + n);
    if (!made)
        abort();
    memcpy(made, part->data, DVT_MODEL_HEADER);
    if (n > 0)
        memcpy(made + DVT_MODEL_HEADER, fields, n);
    memcpy(made + DVT_MODEL_HEADER + n, part->data + DVT_MODEL_HEADER + before, rest);
    dvi_store_i64(made + 0x18, (int64_t)n);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int64_t at = dvi_load_i64(made + places[i]);
        if (at != 0)
            dvi_store_i64(made + places[i], (int64_t)((uint64_t)at - before + n));
    }
    free(part->data);
    part->data = made;
    part->n = DVT_MODEL_HEADER + n + rest;
}
