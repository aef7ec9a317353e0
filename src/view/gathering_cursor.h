/* SPDX-License-Identifier: MIT */
/* gathering_cursor.h: the beginning of the cursor of a view with one source that copies rows of it
 * into columns of its own: rows that are joined, split or repeated. */
#ifndef DVI_VIEW_GATHERING_CURSOR_H
#define DVI_VIEW_GATHERING_CURSOR_H

#include "view/growing_column.h"
#include "view/source_cursor.h"

typedef struct dvi_gathering_cursor {
    dvi_source_cursor source;
    dvi_arena arena;            /* lives as long as the cursor */
    dvi_growing_column *gather; /* of each active column: the batch that is made */
    size_t size;                /* of the cursor that begins with this one */
} dvi_gathering_cursor;

/* A kind of such cursors. */
typedef struct dvi_gathering {
    size_t size;      /* of the cursor */
    const char *made; /* what it makes: for the refusal of zero_copy_only */
    /* Open source.cursor. The cursor is zeroed but for its beginning. */
    dv_status (*open_source)(void *cursor, dv_error *err);
    /* The member of dv_view_class; it ends with dvi_gathering_close. Also after open_source has
     * failed. */
    void (*close)(void *cursor);
} dvi_gathering;

/* The body of the member open_cursor of dv_view_class. DV_ERR_COPY, DV_ERR_MEMORY, and what
 * open_source returns. */
dv_status dvi_gathering_open(void **cursor_out, const dvi_gathering *kind, void *self,
                             const dv_cursor_request *request, dv_error *err);

/* Close the source's cursor, and free the columns and the cursor itself. */
void dvi_gathering_close(void *cursor);

#endif
