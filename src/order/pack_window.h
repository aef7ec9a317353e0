/* SPDX-License-Identifier: MIT */
/* pack_window.h: packs whole documents, window by window. */
#ifndef DVI_ORDER_PACK_WINDOW_H
#define DVI_ORDER_PACK_WINDOW_H

#include "order/pack_documents.h"

#define DVI_WINDOW_DOCUMENTS (1 << 20) /* a window ends after this many, too */

/* Pack all documents by first fit, longest first.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_pack_windows(dvi_pack_plan *plan, dvi_documents *documents, dv_error *err);

#endif
