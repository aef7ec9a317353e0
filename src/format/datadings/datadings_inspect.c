/* SPDX-License-Identifier: MIT */
/* datadings_inspect.c: facts and warnings about an open set. */
#include "base/check.h"
#include "view/inspect.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>
#include <stdio.h>

#define WARNING_NBYTES 500

static dv_status warn_unread(const dvi_datadings_file *file, dv_facts *facts, dv_error *err)
{
    char text[WARNING_NBYTES];
    if (file->unread == 0)
        return DV_OK;
    snprintf(text, sizeof text,
             "%" PRId64 " of the %" PRId64
             " samples from which the columns were inferred are broken; the first: %s",
             file->unread, file->inferred, file->broken.message);
    return dv_facts_warn(facts, text, err);
}

static dv_status warn_mismatches(dvi_datadings_file *file, dv_facts *facts, dv_error *err)
{
    char text[WARNING_NBYTES];
    const int64_t n = atomic_load(&file->mismatches);
    if (n == 0)
        return DV_OK;
    snprintf(text, sizeof text,
             "%" PRId64 " value%s read so far did not fit the type of a column and %s NA "
             "(mismatch=na)",
             n, DVI_S(n), n == 1 ? "is" : "are");
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_datadings_inspect(void *self, struct dv_facts *facts, dv_error *err)
{
    dvi_datadings_file *file = self;
    dvi_facts_set_map(facts, file->map);
    facts->inferred_rows = file->inferred;
    DVI_TRY(dvi_datadings_inspect_files(file->set, facts, err));
    DVI_TRY(warn_unread(file, facts, err));
    if (file->has_unnamed)
        DVI_TRY(dv_facts_warn(facts, "a key is empty: its values are in no column", err));
    return warn_mismatches(file, facts, err);
}
