/* SPDX-License-Identifier: MIT */
/* heap_peak.h: what a piece of work needs of the heap at most. */
#ifndef DVB_HEAP_PEAK_H
#define DVB_HEAP_PEAK_H

#include <functional>

namespace dvb
{

/* Runs it, and returns the bytes that were allocated at most at one time meanwhile, by all threads,
 * beyond those that were there before.  One call at a time. */
double heap_peak_of(const std::function<void()> &run);

} // namespace dvb

#endif
