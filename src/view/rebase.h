/* SPDX-License-Identifier: MIT */
/* rebase.h: see view_chain.h. */
#include "view/view_chain.h"
