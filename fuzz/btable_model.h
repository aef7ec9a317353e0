/* SPDX-License-Identifier: MIT */
/* btable_model.h: reads bytes as docs/spec/btable.md says.  Written from the page, not
 * from src. */
#ifndef DVT_BTABLE_MODEL_H
#define DVT_BTABLE_MODEL_H

#include <dataview/status.h>
#include <stdbool.h>
#include <stddef.h>

/* The first thing that is wrong, or DV_OK; and what comes before it. */
typedef struct dvt_btable_model {
    dv_status status;
    const char *rule; /* "INDEX_DUP"; "" */
    int64_t offset;   /* -1 */
    bool opens;       /* the header is sound */
    int64_t labels, header_nbytes, rows, items;
    uint64_t names;     /* hash of the labels */
    uint64_t values;    /* hash of the rows that are sound */
    int64_t zeros;      /* stored ones */
    bool is_whole_rows; /* of sizes that legal files have (btable:5) */
} dvt_btable_model;

dvt_btable_model dvt_btable_model_of(const uint8_t *data, size_t n, bool lenient);

/* How rows are hashed: each begins with its count, -1 when dense; an item is index and bits. */
uint64_t dvt_btable_hash_row(uint64_t hash, int32_t count);
uint64_t dvt_btable_hash_item(uint64_t hash, int32_t index, uint64_t bits);

#endif
