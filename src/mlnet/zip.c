/* SPDX-License-Identifier: MIT */
/* zip.c: reads the directory and the entries of zip files. */
#include "mlnet/zip.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/sort.h"
#include "base/utf8.h"
#include <inttypes.h>
#include <string.h>

enum {
    END_NBYTES = 22,        /* of the record at the end */
    COMMENT_NBYTES = 65535, /* that may follow it, at most */
    ENTRY_NBYTES = 46,      /* of an entry of the directory without its name */
    LOCAL_NBYTES = 30       /* of the header before an entry, without its name */
};

static const uint8_t end_mark[4] = {'P', 'K', 5, 6}, entry_mark[4] = {'P', 'K', 1, 2},
                     local_mark[4] = {'P', 'K', 3, 4};

dv_status dvi_zip_recognize(dvi_map *map, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span span;
    if (dvi_map_nbytes(map) < (int64_t)sizeof local_mark)
        return DV_NOT_FOUND;
    const dv_status status = dvi_map_copy(map, 0, sizeof local_mark, &memory, &span, err);
    const bool is_zip = status == DV_OK && (memcmp(span.data, local_mark, 4) == 0 ||
                                            memcmp(span.data, end_mark, 4) == 0);
    dvi_memory_release(&memory);
    DVI_TRY(status);
    return is_zip ? DV_OK : DV_NOT_FOUND;
}

/* --- The record at the end -------------------------------------------------------------------- */

typedef struct directory {
    const uint8_t *file;
    int64_t file_nbytes, offset, end; /* of the directory: it ends where the last record begins */
    int32_t count;
} directory;

/* The last record whose comment ends with the file. -1: there is none. */
static int64_t find_end(const uint8_t *file, int64_t nbytes)
{
    const int64_t least =
        nbytes > END_NBYTES + COMMENT_NBYTES ? nbytes - END_NBYTES - COMMENT_NBYTES : 0;
    for (int64_t at = nbytes - END_NBYTES; at >= least; at--)
        if (memcmp(file + at, end_mark, 4) == 0 &&
            dvi_load_u16(file + at + 20) == nbytes - END_NBYTES - at)
            return at;
    return -1;
}

static dv_status read_end(directory *d, dv_error *err)
{
    const int64_t at = find_end(d->file, d->file_nbytes);
    DVI_REQUIRE(at >= 0,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z1", d->file_nbytes, "end of the file",
                         "the record that ends a zip file|none: the "
                         "file is damaged or cut off"));
    const uint8_t *p = d->file + at;
    const int64_t nbytes = dvi_load_u32(p + 12);
    d->offset = dvi_load_u32(p + 16);
    d->count = dvi_load_u16(p + 10);
    d->end = at;
    DVI_REQUIRE(d->count != UINT16_MAX && nbytes != UINT32_MAX && d->offset != UINT32_MAX,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:Z1", at, "zip file",
                         "a plain one|one with 64-bit sizes"));
    DVI_REQUIRE(dvi_load_u16(p + 4) == 0 && dvi_load_u16(p + 6) == 0 &&
                    dvi_load_u16(p + 8) == d->count,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:Z1", at, "zip file",
                         "one file|a part of several"));
    DVI_REQUIRE(d->offset <= at && nbytes == at - d->offset,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z1", at + 12, "length of the directory",
                         "%" PRId64 ", as it lies|%" PRId64, at - d->offset, nbytes));
    return DV_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* Neither empty, nor a step out of the folder. */
static bool is_part(const char *part, int64_t n)
{
    return n > 0 && !(n == 1 && part[0] == '.') && !(n == 2 && part[0] == '.' && part[1] == '.');
}

static bool is_utf8(dv_text name)
{
    for (size_t at = 0, n = (size_t)name.nbytes, width; at < n; at += width)
        if ((width = dvi_utf8_step(name.data + at, n - at)) == 0)
            return false;
    return true;
}

/* Files in folders below the root; a folder of its own ends in /. */
static bool is_safe_name(dv_text name)
{
    int64_t start = 0, depth = 0;
    for (int64_t i = 0; i < name.nbytes; i++) {
        if ((uint8_t)name.data[i] < ' ' || name.data[i] == ':')
            return false;
        if (name.data[i] != '/')
            continue;
        if (!is_part(name.data + start, i - start) || ++depth > DVI_ZIP_DEPTH)
            return false;
        start = i + 1;
    }
    return name.nbytes > 0 &&
           (start == name.nbytes || is_part(name.data + start, name.nbytes - start));
}

/* ML.NET writes \ on Windows. */
static void copy_name(char *dst, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = src[i] == '\\' ? '/' : (char)src[i];
}

static dv_status take_name(dvi_zip *zip, dvi_zip_entry *entry, const uint8_t *src, size_t n,
                           size_t at, int64_t offset, dv_error *err)
{
    int32_t before;
    char *name = (char *)zip->names->data + at;
    copy_name(name, src, n);
    entry->name = (dv_text){name, (int64_t)n};
    DVI_REQUIRE(is_safe_name(entry->name) && is_utf8(entry->name),
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z3", offset, "name of an entry",
                         "a path of at most %d folders, inside the file|\"%s\"", DVI_ZIP_DEPTH,
                         dvi_show(entry->name).text));
    DVI_TRY(dvi_hashtab_put(&zip->numbers, entry->name, zip->count, &before, err));
    DVI_REQUIRE(before < 0, dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z3", offset, "name of an entry",
                                     "another name|\"%s\" again", dvi_show(entry->name).text));
    return DV_OK;
}

/* --- Entries ---------------------------------------------------------------------------------- */

static dv_status check_packing(const uint8_t *p, int64_t offset, dv_error *err)
{
    const uint16_t flags = dvi_load_u16(p + 8), method = dvi_load_u16(p + 10);
    DVI_REQUIRE(!(flags & 0x2041),
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:Z4", offset + 8,
                         "entry of the zip file", "a plain one|an encrypted one"));
    DVI_REQUIRE(method == 0 || method == 8,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:Z4", offset + 10, "packing of an entry",
                         "0, stored, or 8, deflated|%d", (int)method));
    return DV_OK;
}

/* The header before an entry says the same as the directory; only its own length is new. */
static dv_status check_local(const directory *d, dvi_zip_entry *entry, const uint8_t *p,
                             dv_error *err)
{
    const int64_t at = entry->header;
    const uint16_t n = dvi_load_u16(p + 28);
    DVI_REQUIRE(at <= d->offset - LOCAL_NBYTES && memcmp(d->file + at, local_mark, 4) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z5", at, "header of an entry",
                         "before the directory|something else"));
    const uint8_t *local = d->file + at;
    const int64_t start = at + LOCAL_NBYTES + dvi_load_u16(local + 26) + dvi_load_u16(local + 28);
    DVI_REQUIRE(start <= d->offset && entry->stored_nbytes <= d->offset - start,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z5", at, "stored bytes of an entry",
                         "before the directory|%" PRIu32 " from %" PRId64 " on",
                         entry->stored_nbytes, start));
    DVI_REQUIRE(dvi_load_u16(local + 8) == dvi_load_u16(p + 10) && dvi_load_u16(local + 26) == n &&
                    memcmp(local + LOCAL_NBYTES, p + ENTRY_NBYTES, n) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z5", at, "header of an entry",
                         "name and packing as in the directory|others"));
    entry->offset = start;
    return DV_OK;
}

static dv_status check_sizes(const dvi_zip_entry *entry, int64_t *all, int64_t at, dv_error *err)
{
    const int64_t most = entry->is_deflated ? (int64_t)entry->stored_nbytes * DVI_DEFLATE_RATIO_MAX
                                            : (int64_t)entry->stored_nbytes;
    DVI_REQUIRE(entry->nbytes <= most && (entry->is_deflated || entry->nbytes == most),
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z6", at + 24, "bytes of an entry",
                         "at most %" PRId64 " of its stored bytes|%" PRIu32, most, entry->nbytes));
    *all += entry->nbytes;
    DVI_REQUIRE(*all <= DVI_ZIP_NBYTES,
                dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", at + 24, "bytes of all entries",
                         "at most %d|more", (int)DVI_ZIP_NBYTES));
    return DV_OK;
}

static dv_status read_entry(dvi_zip *zip, const directory *d, int64_t *at, size_t *names,
                            int64_t *all, dv_error *err)
{
    const uint8_t *p = d->file + *at;
    dvi_zip_entry entry = {.offset = 0};
    DVI_REQUIRE(d->end - *at >= ENTRY_NBYTES && memcmp(p, entry_mark, 4) == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z2", *at, "entry of the directory",
                         "%d of them|something else after %d", (int)d->count, (int)zip->count));
    const uint16_t n = dvi_load_u16(p + 28);
    const int64_t nbytes = ENTRY_NBYTES + n + dvi_load_u16(p + 30) + dvi_load_u16(p + 32);
    DVI_REQUIRE(nbytes <= d->end - *at,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z2", *at, "entry of the directory",
                         "inside the directory|longer"));
    DVI_TRY(check_packing(p, *at, err));
    entry.is_deflated = dvi_load_u16(p + 10) == 8;
    entry.crc = dvi_load_u32(p + 16);
    entry.stored_nbytes = dvi_load_u32(p + 20);
    entry.nbytes = dvi_load_u32(p + 24);
    entry.header = dvi_load_u32(p + 42);
    DVI_TRY(check_sizes(&entry, all, *at, err));
    DVI_TRY(check_local(d, &entry, p, err));
    DVI_TRY(take_name(zip, &entry, p + ENTRY_NBYTES, n, *names, *at, err));
    zip->entries[zip->count++] = entry;
    *names += n;
    *at += nbytes;
    return DV_OK;
}

/* Entries with their headers lie one after the other. */
static dv_status check_overlap(const dvi_zip *zip, dv_error *err)
{
    void *room;
    const size_t n = (size_t)zip->count, nbytes = 2 * n * sizeof(uint64_t);
    DVI_TRY(dvi_alloc(&zip->allocator, &room, nbytes, err));
    uint64_t *order = room; /* an offset has 32 bits, and the number of an entry 16 */
    for (size_t i = 0; i < n; i++)
        order[i] = (uint64_t)zip->entries[i].header << 16 | i;
    dvi_sort_u64(order, order + n, n);
    int64_t wrong = -1, end = 0;
    for (size_t i = 0; i < n && wrong < 0; i++) {
        const dvi_zip_entry *e = &zip->entries[order[i] & UINT16_MAX];
        wrong = e->header < end ? e->header : -1;
        end = e->offset + e->stored_nbytes;
    }
    dvi_free(&zip->allocator, room, nbytes);
    DVI_REQUIRE(wrong < 0, dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z5", wrong, "header of an entry",
                                    "after the entry before|inside it"));
    return DV_OK;
}

static dv_status read_directory(dvi_zip *zip, directory *d, dv_error *err)
{
    void *made;
    int64_t all = 0, at;
    size_t names = 0;
    DVI_TRY(read_end(d, err));
    DVI_REQUIRE(d->count <= (d->end - d->offset) / ENTRY_NBYTES,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z2", d->end + 10, "number of entries",
                         "as many as the directory has room for|%d", (int)d->count));
    zip->entries_cap = (size_t)d->count * sizeof *zip->entries;
    DVI_TRY(dvi_alloc(&zip->allocator, &made, zip->entries_cap, err));
    zip->entries = made;
    DVI_TRY(dvi_memory_reserve(&zip->names, &zip->allocator, (size_t)(d->end - d->offset), err));
    for (at = d->offset; zip->count < d->count;)
        DVI_TRY(read_entry(zip, d, &at, &names, &all, err));
    DVI_REQUIRE(at == d->end, dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z2", at, "directory",
                                       "its end|%" PRId64 " bytes more", d->end - at));
    return check_overlap(zip, err);
}

dv_status dvi_zip_open(dvi_zip *zip, dvi_map *map, dv_error *err)
{
    dvi_span span;
    const int64_t nbytes = dvi_map_nbytes(map);
    *zip = (dvi_zip){.allocator = *dvi_map_allocator(map)};
    dvi_hashtab_init(&zip->numbers, &zip->allocator);
    DVI_REQUIRE(nbytes <= DVI_ZIP_NBYTES,
                dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "bytes of the file",
                         "at most %d|%" PRId64, (int)DVI_ZIP_NBYTES, nbytes));
    DVI_TRY(dvi_map_copy(map, 0, (size_t)nbytes, &zip->file, &span, err));
    directory d = {.file = span.data, .file_nbytes = nbytes};
    return read_directory(zip, &d, err);
}

void dvi_zip_close(dvi_zip *zip)
{
    dvi_free(&zip->allocator, zip->entries, zip->entries_cap);
    dvi_hashtab_free(&zip->numbers);
    dvi_memory_release(&zip->names);
    dvi_memory_release(&zip->file);
    dvi_inflater_free(&zip->inflater);
}

const dvi_zip_entry *dvi_zip_find(const dvi_zip *zip, dv_text name)
{
    const int32_t i = dvi_hashtab_get(&zip->numbers, name);
    return i >= 0 ? &zip->entries[i] : NULL;
}

/* --- Content ---------------------------------------------------------------------------------- */

static dv_status unpack(dvi_zip *zip, const dvi_zip_entry *entry, uint8_t *dst, dv_error *err)
{
    size_t n = 0, used;
    const uint8_t *stored = zip->file->data + entry->offset;
    if (!entry->is_deflated) {
        memcpy(dst, stored, entry->nbytes);
        return DV_OK;
    }
    if (!zip->inflater)
        DVI_TRY(dvi_inflater_create(&zip->inflater, err));
    const dvi_inflate_result result =
        dvi_inflate(zip->inflater, DVI_WRAPPER_RAW, stored, entry->stored_nbytes, dst,
                    entry->nbytes, &n, &used);
    DVI_REQUIRE(result == DVI_INFLATE_DONE && n == entry->nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z7", entry->offset,
                         "deflated bytes of an entry", "%" PRIu32 " bytes when inflated|%s",
                         entry->nbytes, result == DVI_INFLATE_DONE ? "fewer" : "something else"));
    return DV_OK;
}

dv_status dvi_zip_read(dvi_zip *zip, const dvi_zip_entry *entry, dvi_memory **bytes_out,
                       dv_error *err)
{
    DVI_TRY(dvi_memory_create(bytes_out, &zip->allocator, entry->nbytes, err));
    dv_status status = unpack(zip, entry, (*bytes_out)->data, err);
    if (status == DV_OK && DVI_CHECKED &&
        dvi_crc32((*bytes_out)->data, entry->nbytes) != entry->crc)
        status = dvi_fail(err, DV_ERR_CORRUPT, "modelzip:Z7", entry->offset, "CRC of an entry",
                          "that of its bytes|another: the file is damaged");
    if (status < 0) {
        dvi_error_within(err, "entry %s", dvi_show(entry->name).text);
        dvi_memory_release(bytes_out);
    }
    return status;
}
