/* SPDX-License-Identifier: MIT */
/* text_check.h: see column.h. */
#include "view/column.h"
