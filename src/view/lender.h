/* SPDX-License-Identifier: MIT */
/* lender.h: see view_chain.h. */
#include "view/view_chain.h"
