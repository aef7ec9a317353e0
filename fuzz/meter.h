/* SPDX-License-Identifier: MIT */
/* meter.h: an allocator that measures the library's memory, limits it, and fails on request. */
#ifndef DVT_METER_H
#define DVT_METER_H

#include <dataview/buffer.h>
#include <stdatomic.h>
#include <stdint.h>

/* A property of a fuzz target: ends the program with a message unless it holds. */
#define DVT_CHECK(holds) dvt_check(holds, #holds, __FILE__, __LINE__)
void dvt_check(bool holds, const char *property, const char *file, int line);

/* Counts allocations.  Each has exactly its size, so that ASan sees an access one byte past the
 * end, and is filled with garbage.  Any thread. */
typedef struct dvt_meter {
    atomic_llong live_nbytes, highest_nbytes, asked;
    atomic_llong fail_at, fail_count; /* the first that fails, counted by `asked`; how many fail */
    long long most_nbytes;            /* a larger request ends the program; 0: no limit */
} dvt_meter;

dv_allocator dvt_meter_allocator(dvt_meter *meter);

#endif
