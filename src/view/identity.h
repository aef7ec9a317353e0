/* SPDX-License-Identifier: MIT */
/* identity.h: is this the view that it was, made again? */
#ifndef DVI_VIEW_IDENTITY_H
#define DVI_VIEW_IDENTITY_H

#include "io/map.h"
#include <dataview/digest.h>
#include <dataview/own_view.h>

/* The digest of a view: of its kind, its columns and what its class adds.
 *
 * with_times  for who keeps the rows: of each file also when it was changed, so that it is another
 *             one for a copy of the same bytes, and for a file that was rewritten anywhere; of
 * bytes in memory all of them; and DV_ERR_ARGUMENT of a class without `identify`.  Without, it is
 * made once, then kept
 *
 * DV_OK; DV_ERR_MEMORY; DV_ERR_IO, DV_ERR_ARGUMENT: see dv_identity_add_view. */
dv_status dvi_view_identity(dv_view *view, bool with_times, dv_u128 *identity_out, dv_error *err);

/* A number or a flag; a type. */
void dvi_identity_add_i8(dv_identity *identity, int64_t number);
void dvi_identity_add_type(dv_identity *identity, const dv_type *type);

/* The bytes of a file, as far as is cheap to say: how many there are, the first and the last 64
 * KiB.  DV_OK; DV_ERR_IO, DV_ERR_MEMORY; DV_ERR_ARGUMENT: a pipe.  err names the file. */
dv_status dvi_identity_add_map(dv_identity *identity, dvi_map *map, dv_error *err);

#endif
