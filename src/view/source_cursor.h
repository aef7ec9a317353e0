/* SPDX-License-Identifier: MIT */
/* source_cursor.h: see derived.h. */
#include "view/derived.h"
