/* SPDX-License-Identifier: MIT */
/* kept_source.c: a source of a pattern whose blocks a folder keeps, and that counts, waits and
 * fails. */
#include "support/kept_source.h"
#include <dataview/digest.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define PART_NBYTES 150001

static uint8_t byte_at(const dvt_kept *kept, int64_t offset)
{
    return (uint8_t)((uint64_t)offset * UINT64_C(0x9E3779B97F4A7C15) >> 56 ^ kept->salt);
}

static dv_status fetch(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err)
{
    const dvt_kept *kept = ctx;
    dvt_kept_counts *counts = kept->counts;
    atomic_fetch_add(&counts->requests, 1);
    if (counts->delay_ns > 0)
        nanosleep(&(struct timespec){0, counts->delay_ns}, NULL);
    if (offset < 0 || nbytes == 0 || offset + (int64_t)nbytes > kept->nbytes)
        abort();
    if (counts->status != DV_OK) {
        if (err)
            err->status = (dv_status)counts->status;
        return (dv_status)counts->status;
    }
    atomic_fetch_add(&counts->nbytes, (int64_t)nbytes);
    for (size_t i = 0; i < nbytes; i++)
        ((uint8_t *)dst)[i] = byte_at(kept, offset + (int64_t)i);
    return DV_OK;
}

static bool rest(void *ctx)
{
    const dvt_kept *kept = ctx;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    return !kept->counts->is_closing;
}

dv_status dvt_kept_open(dvt_kept *kept, const dvt_path *folder, int64_t disk_nbytes,
                        const char *name, const char *version, int64_t nbytes,
                        dvt_kept_counts *counts, int64_t fail_at)
{
    const dvi_disk_below below = {fetch, rest, kept};
    *kept = (dvt_kept){.counts = counts, .nbytes = nbytes};
    kept->salt =
        (uint8_t)(dv_digest_8(name, strlen(name), 0) ^
                  dv_digest_8(version, version ? strlen(version) : 0, 1) ^ (uint64_t)nbytes);
    dvt_allocator_init(&kept->counted, fail_at);
    const dv_allocator *allocator = &kept->counted.allocator;
    dv_status status =
        dvi_disk_folder_open(&kept->folder, folder->text, disk_nbytes, allocator, NULL);
    if (status == DV_OK)
        status = dvi_disk_source_create(&kept->source, kept->folder, name, version, nbytes, &below,
                                        allocator, NULL);
    if (status != DV_OK)
        dvt_kept_close(kept);
    return status;
}

bool dvt_kept_close(dvt_kept *kept)
{
    dvi_disk_source_free(&kept->source);
    dvi_disk_folder_close(&kept->folder);
    return kept->counted.live == 0;
}

dv_status dvt_kept_read(dvt_kept *kept, int64_t offset, int64_t n, bool *is_right_out)
{
    uint8_t *dst = malloc((size_t)n + 1);
    dv_error err = DV_ERROR_INIT;
    if (!dst)
        abort();
    dst[n] = 0xA5;
    const dv_status status = dvi_disk_source_read(kept->source, offset, n, dst, &err);
    bool is_right = dst[n] == 0xA5;
    for (int64_t i = 0; status == DV_OK && i < n; i++)
        is_right &= dst[i] == byte_at(kept, offset + i);
    free(dst);
    *is_right_out = is_right;
    return status;
}

bool dvt_kept_reads(dvt_kept *kept, int64_t offset, int64_t n)
{
    bool is_right;
    return dvt_kept_read(kept, offset, n, &is_right) == DV_OK && is_right;
}

bool dvt_kept_reads_all(dvt_kept *kept)
{
    bool is_right = true;
    for (int64_t at = 0; at < kept->nbytes; at += PART_NBYTES)
        is_right &= dvt_kept_reads(
            kept, at, kept->nbytes - at < PART_NBYTES ? kept->nbytes - at : PART_NBYTES);
    return is_right;
}

int dvt_kept_files(const dvt_path *folder, const char *suffix, int64_t *nbytes_out,
                   dvt_path *path_out)
{
    DIR *list = opendir(folder->text);
    const struct dirent *entry;
    int n = 0;
    *nbytes_out = 0;
    if (!list)
        abort();
    while ((entry = readdir(list)) != NULL) {
        const size_t length = strlen(entry->d_name), m = strlen(suffix);
        const dvt_path path = dvt_path_in(folder, entry->d_name);
        struct stat facts;
        if (length < m || strcmp(entry->d_name + length - m, suffix) != 0 ||
            lstat(path.text, &facts) != 0)
            continue;
        n++;
        *nbytes_out += facts.st_size;
        if (path_out)
            *path_out = path;
    }
    closedir(list);
    return n;
}
