/* SPDX-License-Identifier: MIT */
/* datadings_facts.c: facts about the side files of a set, and warnings if some are missing or
 * belong to another set. */
#include "format/datadings/index/datadings_files_priv.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdio.h>

/* Files without which a set can be read, and the cost of reading without them. */
static const struct {
    dvi_datadings_side file;
    const char *consequence;
} optional_files[] = {
    {DVI_DATADINGS_HASHES, "the first look-up of a key hashes all of them"},
    {DVI_DATADINGS_FILTER, "each look-up of a key needs the table of all keys"},
    {DVI_DATADINGS_MD5, "the files cannot be compared with their digests"},
};

static dv_status add_files(const dvi_datadings_set *set, dv_facts *facts, dv_error *err)
{
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) {
        const dvi_map *map = set->maps.file[file];
        if (map)
            DVI_TRY(dv_facts_add_file(facts, dvi_datadings_suffix((dvi_datadings_side)file),
                                      dvi_map_nbytes(map), err));
    }
    return DV_OK;
}

static dv_status warn_missing(const dvi_datadings_set *set, dv_facts *facts, dv_error *err)
{
    char text[200];
    for (size_t i = 0; i < sizeof optional_files / sizeof *optional_files; i++) {
        if (set->maps.file[optional_files[i].file])
            continue;
        snprintf(text, sizeof text, "no %s: %s", dvi_datadings_suffix(optional_files[i].file),
                 optional_files[i].consequence);
        DVI_TRY(dv_facts_warn(facts, text, err));
    }
    return DV_OK;
}

/* Turn a defect of a file into a warning; return other errors. */
static dv_status warn_wrong(dv_facts *facts, dv_status status, const dv_error *found, dv_error *err)
{
    if (status == DV_ERR_CORRUPT)
        return dv_facts_warn(facts, found->message, err);
    if (status < 0 && err)
        *err = *found;
    return status;
}

static dv_status warn_lookup(dvi_datadings_set *set, dv_facts *facts, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    dvi_bloom bloom;
    dv_status status = DV_OK;
    if (set->maps.file[DVI_DATADINGS_HASHES])
        status = dvi_datadings_compare_hashes(set, &found);
    DVI_TRY(warn_wrong(facts, status, &found, err));
    found = (dv_error)DV_ERROR_INIT;
    status = DV_OK;
    if (set->maps.file[DVI_DATADINGS_FILTER])
        status = dvi_datadings_read_filter(set, &bloom, &found);
    return warn_wrong(facts, status, &found, err);
}

static dv_status warn_trailing(const dvi_datadings_set *set, dv_facts *facts, dv_error *err)
{
    char text[200];
    const int64_t left = dvi_map_nbytes(set->data) - set->end;
    if (left == 0)
        return DV_OK;
    snprintf(text, sizeof text, "%" PRId64 " bytes after the last sample are ignored", left);
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_datadings_inspect_files(dvi_datadings_set *set, struct dv_facts *facts, dv_error *err)
{
    const bool has_offsets = set->maps.file[DVI_DATADINGS_OFFSETS] != NULL;
    DVI_TRY(dv_facts_set_version(facts,
                                 set->is_scanned ? "(messages only)"
                                 : has_offsets   ? "3.1"
                                                 : "3.0 (legacy index)",
                                 err));
    DVI_TRY(warn_trailing(set, facts, err));
    if (set->is_scanned)
        return DV_OK;
    DVI_TRY(add_files(set, facts, err));
    DVI_TRY(warn_missing(set, facts, err));
    return warn_lookup(set, facts, err);
}
