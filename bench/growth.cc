/* SPDX-License-Identifier: MIT */
/* growth.cc: measures how the cost of a task grows with the size of what it works on. */
#include "growth.h"
#include "harness.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <ctime>
#include <malloc.h>

namespace dvb
{
namespace
{

struct Growth {
    std::string name, unit;
    double most;
    std::vector<double> sizes, costs;
    double slope, knee; /* knee 0: there is none */
};
std::vector<Growth> growths;

/* Of the line through the logarithms of the upper half of the points. */
double slope_of(const Growth &g)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = (g.sizes.size() - 1) / 2; i < g.sizes.size(); i++) {
        const double a = std::log(g.sizes[i]), b = std::log(g.costs[i]);
        n++, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

double knee_of(const Growth &g)
{
    for (std::size_t i = 0; i < g.sizes.size(); i++)
        if (g.costs[i] >= 2 * g.costs.front())
            return g.sizes[i];
    return 0;
}

double heap()
{
    const struct mallinfo2 info = mallinfo2();
    return double(info.uordblks) + double(info.hblkhd);
}

double now(clockid_t clock)
{
    timespec time;
    clock_gettime(clock, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/* The least of several runs that together take a while. */
double seconds_of(const Task &task)
{
    const clockid_t clock = task.is_by_clock ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    const double enough = is_quick() ? 0.002 : 0.1;
    double least = HUGE_VAL, total = 0;
    for (int runs = 0; (runs < 3 && total < 10 * enough) || (total < enough && runs < 1000);
         runs++) {
        const double start = now(clock);
        task.run();
        const double took = now(clock) - start;
        task.undo();
        least = std::min(least, took);
        total += took;
    }
    return least;
}

/* What is held after a run; the first one makes what the library makes only once. */
double bytes_of(const Task &task)
{
    task.run();
    task.undo();
    const double before = heap();
    task.run();
    const double after = heap();
    task.undo();
    return std::max(after - before, 1.0);
}

/* The points go into the label: counters are numbers, and have no order. */
void report(benchmark::State &state, Growth &g)
{
    g.slope = slope_of(g);
    g.knee = knee_of(g);
    std::string points;
    for (std::size_t i = 0; i < g.sizes.size(); i++) {
        char point[64];
        std::snprintf(point, sizeof point, "%s%.4g:%.4g", i ? " " : "", g.sizes[i], g.costs[i]);
        points += point;
    }
    state.counters[g.unit] = g.costs.back();
    state.counters["slope"] = g.slope;
    state.counters["most"] = g.most;
    state.counters["knee"] = g.knee;
    state.SetLabel(points);
    growths.push_back(g);
}

void add_row(const Growth &row, const std::function<Task(double)> &prepare,
             double (*cost)(const Task &))
{
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [=](benchmark::State &state) {
                                     Growth g = row;
                                     for (double size : g.sizes)
                                         g.costs.push_back(cost(prepare(size)));
                                     for (auto _ : state)
                                         state.SetIterationTime(1e-9); /* timed above */
                                     report(state, g);
                                 })
        ->Iterations(1)
        ->UseManualTime();
}

} // namespace

void add_growth_of_time(const std::string &name, double most, const std::vector<double> &sizes,
                        std::function<Task(double size)> prepare)
{
    add_row({name + "/time", "s", most, sizes, {}, 0, 0}, prepare, seconds_of);
}

void add_growth_of_memory(const std::string &name, double most, const std::vector<double> &sizes,
                          std::function<Task(double size)> prepare)
{
    add_row({name + "/memory", "B", most, sizes, {}, 0, 0}, prepare, bytes_of);
}

void add_growth(const std::string &name, double most, double most_memory,
                const std::vector<double> &sizes, std::function<Task(double size)> prepare)
{
    add_growth_of_time(name, most, sizes, prepare);
    add_growth_of_memory(name, most_memory, sizes, prepare);
}

std::vector<double> sizes(double first, double last, double factor)
{
    std::vector<double> all;
    for (double size = first; size <= last * 1.0001; size *= factor)
        all.push_back(std::round(size));
    if (is_quick() && all.size() > 3)
        all.resize(3);
    return all;
}

void print_growths(std::FILE *out)
{
    if (growths.empty())
        return;
    std::fprintf(out, "\n%-28s %6s %6s %8s  %s\n", "growth", "slope", "most", "knee",
                 "size and cost, first .. last");
    for (const Growth &g : growths) {
        char knee[16] = "none";
        if (g.knee > 0)
            std::snprintf(knee, sizeof knee, "%.0e", g.knee);
        std::fprintf(out, "%-28s %6.2f %6.2f %8s  %.0e %.3g %s .. %.0e %.3g %s%s\n", g.name.c_str(),
                     g.slope, g.most, knee, g.sizes.front(), g.costs.front(), g.unit.c_str(),
                     g.sizes.back(), g.costs.back(), g.unit.c_str(),
                     g.slope > g.most ? "  grows faster" : "");
    }
}

} // namespace dvb
