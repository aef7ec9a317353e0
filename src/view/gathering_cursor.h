/* SPDX-License-Identifier: MIT */
/* gathering_cursor.h: see derived.h. */
#include "view/derived.h"
