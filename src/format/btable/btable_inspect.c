/* SPDX-License-Identifier: MIT */
/* btable_inspect.c: facts and warnings about a BTable, from its labels and counts. */
#include "view/inspect.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>
#include <stdio.h>

#define WARNING_NBYTES 400

static dv_status warn_labels(const dvi_btable_header *h, dv_facts *facts, dv_error *err)
{
    char text[WARNING_NBYTES];
    if (h->slots == 1 && h->has_comma)
        DVI_TRY(dv_facts_warn(facts,
                              "the only label has commas: files of March 2015 joined labels with "
                              "them",
                              err));
    if (h->ill_formed == 0)
        return DV_OK;
    snprintf(text, sizeof text,
             "labels hold %" PRId64 " lone surrogates, the first at offset %" PRId64
             "; each is read as U+FFFD",
             h->ill_formed, h->ill_formed_at);
    return dv_facts_warn(facts, text, err);
}

/* Warn about a defect of the rows, or about bytes after the last row. */
static dv_status warn_end(const dvi_btable_file *file, int64_t at, const dv_error *found,
                          dv_facts *facts, dv_error *err)
{
    char text[WARNING_NBYTES];
    const int64_t left = dvi_map_nbytes(file->map) - at;
    if (found->status < 0)
        return dv_facts_warn(facts, found->message, err);
    if (left == 0)
        return DV_OK;
    snprintf(text, sizeof text, "%" PRId64 " bytes after the last row are ignored", left);
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_btable_inspect(void *self, struct dv_facts *facts, dv_error *err)
{
    dvi_btable_file *file = self;
    int64_t rows, at;
    dv_error found = DV_ERROR_INIT;
    dvi_facts_set_map(facts, file->map);
    DVI_TRY(dv_facts_set_version(facts, "0", err));
    DVI_TRY(warn_labels(&file->header, facts, err));
    if (dvi_facts_are_brief(facts))
        return DV_OK;
    const dv_status status = dvi_btable_find_row(file, INT64_MAX, &rows, &at, &found);
    if (status < 0 && status != DV_ERR_CORRUPT) {
        if (err)
            *err = found;
        return status;
    }
    DVI_TRY(warn_end(file, status < 0 ? facts->file_nbytes : at, &found, facts, err));
    if (status < 0)
        return DV_OK;
    facts->rows = rows;
    const int64_t nbytes = at - file->header.nbytes;
    facts->items = (nbytes - 4 * rows) / DVI_BTABLE_PAIR_NBYTES;
    const dv_column_facts column = {.blocks = -1,
                                    .stored_nbytes = nbytes,
                                    .inflated_nbytes = nbytes,
                                    .in_place_blocks = 0,
                                    .aligned_blocks = 0,
                                    .compression = "none"};
    return dv_facts_set_column(facts, 0, &column, err);
}
