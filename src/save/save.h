/* SPDX-License-Identifier: MIT */
/* save.h: what savers of every format share: the description of a save, losses, progress. */
#ifndef DVI_VIEW_SAVE_H
#define DVI_VIEW_SAVE_H

#include "base/compiler.h"
#include "save/format.h"
#include <dataview/cursor.h>

/* A save with its options resolved. Lives for the call. */
typedef struct dvi_saving {
    dv_view *view; /* NULL: the rows do not come from a view */
    const dv_schema *schema;
    const int32_t
        *columns; /* columns of the schema in the order of the file; one may be repeated */
    int32_t columns_count;
    int64_t rows;                   /* rows to be saved; -1: unknown until the end */
    int32_t threads;                /* >= 1, the caller's included */
    const dv_save_options *options; /* checked, except options of one format */
    const dv_allocator *allocator;
    const char *path; /* of the file, for errors of the saver's own limits (dvi_error_set_file); ""
                         in memory */
} dvi_saving;

typedef struct dvi_losses dvi_losses;

/* A file in the making, to which a format writes rows as they come: the first member of the
 * format's own struct. After a failure only `free` may be called. */
typedef struct dvi_saver {
    const int32_t *columns; /* of the schema: the columns of each batch, in order */
    int32_t columns_count;
    int64_t batch_rows; /* the number of rows that needs no copy; 0: any */
    int32_t threads;    /* of the cursor that delivers the rows; 0: those of the save */

    /* Write the rows of a batch, which may be retained. */
    dv_status (*put)(struct dvi_saver *saver, const dv_batch *batch, dv_error *err);
    /* Write the rows that `put` kept: after the last one, and also if the source of the rows
     * failed, so that an error in a row before is the one that is reported. NULL: it keeps none. */
    dv_status (*drain)(struct dvi_saver *saver, dv_error *err);
    /* Write what follows the rows, after `drain`. */
    dv_status (*end)(struct dvi_saver *saver, dv_error *err);
    void (*free)(struct dvi_saver *saver);
} dvi_saver;

/* --- For savers ------------------------------------------------------------------------------- */

/* Report a loss that schema or metadata show.
 *
 * column    of the schema; -1: the view as a whole
 * metadata  the kind, or empty text
 * format    printf text, one line without a full stop, which follows `column "x": ` and
 *           `metadata SlotNames: `: "a vector of texts has no place in a BTable"
 */
void dvi_losses_add(dvi_losses *losses, dv_loss loss, int32_t column, dv_text metadata,
                    const char *format, ...) DVI_PRINTF(5, 6);

/* Report what the chosen form of a file never keeps, so that it needs no permission. sentence: one
 * printable line. */
void dvi_losses_imply(dvi_losses *losses, dv_loss loss, const char *sentence);

/* Is the loss allowed?  For losses that only values show, which fail as
 *     dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, "row 17, column \"x\"", "...|...")  */
bool dvi_saving_allows(const dvi_saving *saving, dv_loss loss);

/* Report an allowed loss that values show.  row: of the rows that are saved; -1: all of them.
 * sentence: what `dv_loss_report` says.  DV_OK; DV_ERR_STOPPED. */
dv_status dvi_saving_report(const dvi_saving *saving, dv_loss loss, int64_t row,
                            const char *sentence, dv_error *err);

/* Report the rows saved so far; call it once per batch. DV_OK; DV_ERR_STOPPED. */
dv_status dvi_saving_progress(const dvi_saving *saving, int64_t rows_done, dv_error *err);

/* --- For saving.c ----------------------------------------------------------------------------- */

/* Copy and check options; given NULL: the defaults. DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_save_read_options(const dv_save_options *given, dv_save_options *options,
                                dv_error *err);

/* Create a writer with the options' sync and allocator, which compresses text if the path ends in
 * .gz or .zst. Statuses of dvi_writer_create and dvi_writer_pack. */
dv_status dvi_save_create(dvi_writer **writer_out, const dvi_format *format, const char *path,
                          const dv_save_options *options, dv_error *err);

/* dv_save, dv_save_memory and dv_save_check with a format that can be saved and checked options. */
dv_status dvi_save_file(dv_view *view, const dvi_format *format, const char *path,
                        const dv_save_options *options, dv_error *err);
/* The same into the caller's writer; the caller commits. */
dv_status dvi_save_into(dv_view *view, const dvi_format *format, const char *path,
                        dvi_writer *writer, const dv_save_options *options, dv_error *err);
dv_status dvi_save_memory(dv_view *view, const dvi_format *format, dv_buffer *buffer_out,
                          const dv_save_options *options, dv_error *err);
/* path: its extension can choose the form of the file; "" if there is none. */
dv_status dvi_save_check(dv_view *view, const dvi_format *format, const char *path,
                         const dv_save_options *options,
                         bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                         dv_error *err);

#endif
