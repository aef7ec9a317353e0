/* SPDX-License-Identifier: MIT */
/* version.c: the version of the library in use. */
#include "base/version_text.h"
#include <dataview/version.h>

const char *dv_version(void)
{
    return dvi_version_text;
}
