/* SPDX-License-Identifier: MIT */
/* datadings_project.h: messages with some of their entries (options keep and drop). */
#ifndef DVI_DATADINGS_PROJECT_H
#define DVI_DATADINGS_PROJECT_H

#include "codec/msgpack.h"
#include "format/datadings/read/datadings_options.h"

/* Write the message with the entries that the options leave, byte by byte as they are and in their
 * order, to dst, which has room for the whole message. DV_OK; DV_ERR_CORRUPT: rows 24 to 28, 30 and
 * 41 of datadings:8; DV_ERR_LIMIT: nesting. */
dv_status dvi_datadings_project(const dvi_datadings_options *options,
                                const dvi_msgpack_reader *message, uint8_t *dst, size_t *n_out,
                                dv_error *err);

#endif
