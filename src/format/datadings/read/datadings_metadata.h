/* SPDX-License-Identifier: MIT */
/* datadings_metadata.h: metadata of columns of BY that hold msgpack (datadings:12). */
#ifndef DVI_DATADINGS_METADATA_H
#define DVI_DATADINGS_METADATA_H

/* Kinds of metadata, a BL that is true: each value is one value of msgpack, or a whole message. */
#define DVI_DATADINGS_OPAQUE "MsgpackOpaque"
#define DVI_DATADINGS_MESSAGE "MsgpackMessage"

#endif
