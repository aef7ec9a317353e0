/* SPDX-License-Identifier: MIT */
/* version.h: the release of the library, and the mark of the functions that it exports. */
#ifndef DATAVIEW_VERSION_H
#define DATAVIEW_VERSION_H

/* PRE is ".dev0" between releases, "a1" in the first alpha of a version, and empty in its final
 * release. */
#define DV_VERSION_MAJOR 0
#define DV_VERSION_MINOR 1
#define DV_VERSION_PATCH 0
#define DV_VERSION_PRE ".dev0"

#if defined(__GNUC__)
#define DV_API __attribute__((visibility("default")))
#else
#define DV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library at run time, as PEP 440 spells it: "0.1.0", "0.1.0a1" or, of a commit
 * between releases, "0.1.0.dev0+g1fb5e88eb", with ".dirty" at the end if the files differed from
 * the commit.  Static text.  Any thread. */
DV_API const char *dv_version(void);

#ifdef __cplusplus
}
#endif

#endif
