/* SPDX-License-Identifier: MIT */
/* identity.h: the digest by which views differ (docs/resuming.md). */
#ifndef DVI_VIEW_IDENTITY_H
#define DVI_VIEW_IDENTITY_H

#include "io/map.h"
#include <dataview/digest.h>
#include <dataview/own_view.h>

/* The digest of a view: of its kind, its columns and what its class adds.
 *
 * with_times  for caches, which keep rows: adds the time of change of each file, so that a copy of
 * the file, or a file rewritten anywhere, has another identity; adds all bytes of a source in
 * memory; a class without `identify` is refused with DV_ERR_ARGUMENT.  Without it the identity is
 * made once, then kept
 *
 * DV_OK; DV_ERR_MEMORY; DV_ERR_IO, DV_ERR_ARGUMENT: see dv_identity_add_view. */
dv_status dvi_view_identity(dv_view *view, bool with_times, dv_u128 *identity_out, dv_error *err);

/* Add a number or flag; a type. */
void dvi_identity_add_i8(dv_identity *identity, int64_t number);
void dvi_identity_add_type(dv_identity *identity, const dv_type *type);

/* Add what is cheap to read of a file: its size, its first and its last 64 KiB. DV_OK; DV_ERR_IO,
 * DV_ERR_MEMORY; DV_ERR_ARGUMENT: a pipe. err names the file. */
dv_status dvi_identity_add_map(dv_identity *identity, dvi_map *map, dv_error *err);

#endif
