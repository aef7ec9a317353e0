/* SPDX-License-Identifier: MIT */
/* delay.h: keeps a thread busy for a moment, so that others overtake it. */
#ifndef DVT_DELAY_H
#define DVT_DELAY_H

#include <sched.h>
#include <stdint.h>

/* About a fifth of a microsecond for each turn, whatever else the machine does.  sched_yield gives
 * a whole time slice away on a busy machine: once in eight numbers of turns is enough. */
static inline void dvt_delay(uint64_t turns)
{
    for (volatile uint64_t i = 0; i < 64 * turns; i++)
        ;
    if (turns % 8 == 7)
        sched_yield();
}

#endif
