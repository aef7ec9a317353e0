/* SPDX-License-Identifier: MIT */
/* growth.h: measures how the cost of a task grows with the size of what it works on.
 *
 * A task runs at each of some sizes, which grow by a constant factor.  Its slope is the exponent of
 * the cost: that of the straight line through the logarithms of the upper half of the sizes.  0 is
 * constant, 1 linear, 2 quadratic.  The knee is the first size that costs twice what the smallest
 * one does: below it the fixed part counts. */
#ifndef DVB_GROWTH_H
#define DVB_GROWTH_H

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace dvb
{

/* A task at one size.  run is timed, and what it leaves on the heap is counted; undo frees that.
 * Time is that of CPUs, which other processes disturb least, or that of the clock. */
struct Task {
    std::function<void()> run, undo;
    bool is_by_clock = false;
};

/* A row, <name>/time or <name>/memory.  most: the slope to stay below.  prepare makes the input for
 * a size, which is freed with the task. */
void add_growth_of_time(const std::string &name, double most, const std::vector<double> &sizes,
                        std::function<Task(double size)> prepare);
void add_growth_of_memory(const std::string &name, double most, const std::vector<double> &sizes,
                          std::function<Task(double size)> prepare);

/* Both of them. */
void add_growth(const std::string &name, double most, double most_memory,
                const std::vector<double> &sizes, std::function<Task(double size)> prepare);

/* first, first * factor, ... up to last; a few of them for --quick. */
std::vector<double> sizes(double first, double last, double factor = 10);

/* The rows that ran; nothing if there are none. */
void print_growths(std::FILE *out);

} // namespace dvb

#endif
