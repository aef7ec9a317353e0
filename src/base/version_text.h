/* SPDX-License-Identifier: MIT */
/* version_text.h: the text of the version, in a source that cmake/version.cmake writes. */
#ifndef DVI_VERSION_TEXT_H
#define DVI_VERSION_TEXT_H

extern const char dvi_version_text[];

#endif
