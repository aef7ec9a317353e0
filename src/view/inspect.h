/* SPDX-License-Identifier: MIT */
/* inspect.h: facts that every format of files has. */
#ifndef DVI_VIEW_INSPECT_H
#define DVI_VIEW_INSPECT_H

#include "io/map.h"
#include <dataview/inspect.h>

/* Set the length of the file as it is stored, and how its bytes are read. */
void dvi_facts_set_map(dv_facts *shown, dvi_map *map);

#endif
