/* SPDX-License-Identifier: MIT */
/* meter.h: how much memory does the library hold, and what if there is none? */
#ifndef DVT_METER_H
#define DVT_METER_H

#include <dataview/buffer.h>
#include <stdatomic.h>
#include <stdint.h>

/* A property of a fuzz target: ends the program with the sentence unless it holds. */
#define DVT_CHECK(holds) dvt_check(holds, #holds, __FILE__, __LINE__)
void dvt_check(bool holds, const char *property, const char *file, int line);

/* Counts what is allocated.  Every allocation has exactly its size, so that ASan sees one byte too
 * far, and comes filled with garbage.  Any thread. */
typedef struct dvt_meter {
    atomic_llong live_nbytes, highest_nbytes, asked;
    atomic_llong fail_at, fail_count; /* the first that fails, counted by asked; how many do */
    long long most_nbytes;            /* whoever wants more ends the program; 0: no bound */
} dvt_meter;

dv_allocator dvt_meter_allocator(dvt_meter *meter);

#endif
