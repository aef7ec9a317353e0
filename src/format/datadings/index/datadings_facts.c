/* SPDX-License-Identifier: MIT */
/* datadings_facts.c: which files of a set are there, and do they look as if they belonged to each
 * other? */
#include "format/datadings/index/datadings_files_priv.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdio.h>

/* What goes without a file, and what that costs. */
static const struct {
    dvi_datadings_side file;
    const char *consequence;
} dispensable[] = {
    {DVI_DATADINGS_HASHES, "the first look-up of a key hashes all of them"},
    {DVI_DATADINGS_FILTER, "each look-up of a key needs the table of all"},
    {DVI_DATADINGS_MD5, "nothing tells whether the bytes are those that were written"},
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
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable; i++) {
        if (set->maps.file[dispensable[i].file])
            continue;
        snprintf(text, sizeof text, "no %s: %s", dvi_datadings_suffix(dispensable[i].file),
                 dispensable[i].consequence);
        DVI_TRY(dv_facts_warn(facts, text, err));
    }
    return DV_OK;
}

/* A file that is wrong is a warning here; what the system says is not about the file. */
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

static dv_status warn_behind(const dvi_datadings_set *set, dv_facts *facts, dv_error *err)
{
    char text[200];
    const int64_t left = dvi_map_nbytes(set->data) - set->end;
    if (left == 0)
        return DV_OK;
    snprintf(text, sizeof text, "%" PRId64 " bytes after the last sample are left out", left);
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_datadings_inspect_files(dvi_datadings_set *set, struct dv_facts *facts, dv_error *err)
{
    const bool has_offsets = set->maps.file[DVI_DATADINGS_OFFSETS] != NULL;
    DVI_TRY(dv_facts_set_version(facts,
                                 set->is_scanned ? "(messages alone)"
                                 : has_offsets   ? "3.1"
                                                 : "3.0 (legacy index)",
                                 err));
    DVI_TRY(warn_behind(set, facts, err));
    if (set->is_scanned)
        return DV_OK;
    DVI_TRY(add_files(set, facts, err));
    DVI_TRY(warn_missing(set, facts, err));
    return warn_lookup(set, facts, err);
}
