/* SPDX-License-Identifier: MIT */
/* value_bytes.h: see column.h. */
#include "view/column.h"
