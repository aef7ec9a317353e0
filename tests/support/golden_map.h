/* SPDX-License-Identifier: MIT */
/* golden_map.h: the map of a case map-* of golden/transform-1.5. */
#ifndef DVT_GOLDEN_MAP_H
#define DVT_GOLDEN_MAP_H

#include "support/json_table.h"
#include "support/lines.h"

typedef struct dvt_golden_map {
    dvt_json_table table; /* of keys and values, to be opened */
    dvt_lines lines;      /* which it reads */
    bool values_as_keys;
} dvt_golden_map;

/* Read the pairs of a params.json. */
void dvt_golden_map_read(dvt_golden_map *map, const char *params);
void dvt_golden_map_free(dvt_golden_map *map);

#endif
