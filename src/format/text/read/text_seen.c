/* SPDX-License-Identifier: MIT */
/* text_seen.c: keeps the faults that cursors of a text file counted. */
#include "base/check.h"
#include "base/size.h"
#include "format/text/read/text_priv.h"
#include <string.h>

void dvi_text_seen_init(dvi_text_file *file)
{
    pthread_mutex_init(&file->seen.lock, NULL);
    file->seen.tallies = (dvi_text_tallies){.allocator = &file->allocator, .layout = &file->layout};
}

void dvi_text_seen_destroy(dvi_text_file *file)
{
    dvi_text_tallies_free(&file->seen.tallies);
    pthread_mutex_destroy(&file->seen.lock);
}

/* Rows that were read before are not counted again. */
void dvi_text_seen_add(dvi_text_file *file, dvi_text_tallies *tallies, int64_t first, int64_t end)
{
    dvi_text_seen *seen = &file->seen;
    pthread_mutex_lock(&seen->lock);
    const bool has_failed = seen->tallies.is_failed;
    if (first >= seen->end)
        dvi_text_tallies_move(&seen->tallies, tallies, 0);
    else
        dvi_text_tallies_most(&seen->tallies, tallies);
    seen->tallies.is_failed |= has_failed;
    seen->end = dvi_max_i64(seen->end, end);
    pthread_mutex_unlock(&seen->lock);
}

/* The k-th sum as a sentence. DV_NOT_FOUND: there is none; DV_ERR_MEMORY: a cursor lost some. */
static dv_status read_sum(dvi_text_file *file, size_t k, char text[DVI_TEXT_TALLY_NBYTES],
                          dv_error *err)
{
    dvi_text_seen *seen = &file->seen;
    dv_status status = DV_NOT_FOUND;
    pthread_mutex_lock(&seen->lock);
    if (seen->tallies.is_failed)
        status = dvi_fail_memory(err, sizeof(dvi_text_tally));
    for (size_t i = 0; i < seen->tallies.n && status == DV_NOT_FOUND; i++) {
        const dvi_text_tally *tally = &seen->tallies.list[i];
        if (dvi_text_tally_is_usual(tally, seen->end) || k-- > 0)
            continue;
        dvi_text_tally_sentence(text, tally, file);
        status = DV_OK;
    }
    pthread_mutex_unlock(&seen->lock);
    return status;
}

/* The caller's function is called without the lock. */
dv_status dvi_text_seen_report(void *self, dv_bad_fields_report *report, void *ctx, dv_error *err)
{
    dvi_text_file *file = self;
    char text[DVI_TEXT_TALLY_NBYTES];
    for (const char *note = file->notes; note && *note; note += strlen(note) + 1)
        if (*note == DVI_TEXT_NOTE_DOUBT && !report(ctx, dvi_map_name(file->map), note + 1))
            return DV_END;
    for (size_t k = 0;; k++) {
        const dv_status status = read_sum(file, k, text, err);
        if (status != DV_OK)
            return status == DV_NOT_FOUND ? DV_OK : status;
        if (!report(ctx, dvi_map_name(file->map), text))
            return DV_END;
    }
}
