/* SPDX-License-Identifier: MIT */
/* version.h: the release of the library, and the mark of the functions that it exports. */
#ifndef DATAVIEW_VERSION_H
#define DATAVIEW_VERSION_H

#define DV_VERSION_MAJOR 0
#define DV_VERSION_MINOR 1
#define DV_VERSION_PATCH 0

#if defined(__GNUC__)
#define DV_API __attribute__((visibility("default")))
#else
#define DV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library at run time, "0.1.0": static text.  Any thread. */
DV_API const char *dv_version(void);

#ifdef __cplusplus
}
#endif

#endif
