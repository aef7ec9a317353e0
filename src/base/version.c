/* SPDX-License-Identifier: MIT */
/* version.c: the version of the library in use. */
#include <dataview/version.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *dv_version(void)
{
    return TEXT(DV_VERSION_MAJOR) "." TEXT(DV_VERSION_MINOR) "." TEXT(DV_VERSION_PATCH);
}
