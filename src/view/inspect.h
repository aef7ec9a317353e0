/* SPDX-License-Identifier: MIT */
/* inspect.h: facts that every format of files has. */
#ifndef DVI_VIEW_INSPECT_H
#define DVI_VIEW_INSPECT_H

#include "io/map.h"
#include <dataview/inspect.h>

/* As dv_inspect, or as dv_inspect_briefly. */
dv_status dvi_inspect(dv_facts **facts_out, dv_view *view, bool is_brief, dv_error *err);
/* Whether these are the facts of dv_inspect_briefly: `inspect` of a class then reads no tables. */
bool dvi_facts_are_brief(const dv_facts *shown);

/* Set the length of the file as it is stored, and how its bytes are read. */
void dvi_facts_set_map(dv_facts *shown, dvi_map *map);

#endif
