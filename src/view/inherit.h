/* SPDX-License-Identifier: MIT */
/* inherit.h: see metadata.h. */
#include "view/metadata.h"
