/* SPDX-License-Identifier: MIT */
/* harness.cc: the main function of the benchmarks, and the rounds that measure a subject as a share
 * of its limit.
 *
 *     dataview_bench [SUITE...] [--quick] [--json] [--benchmark_...]
 *     dataview_bench --machine
 *
 * Runs all suites unless some are named.  --json prints the JSON of Google Benchmark to stdout, and
 * the table to stderr.  --machine prints the name of the machine that figures are kept by. */
#include "harness.h"
#include "growth.h"
#include "heap_peak.h"
#include "report.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>

namespace dvb
{
namespace
{

bool quick, json, failed;
std::vector<Result> results;
std::vector<std::string> skipped;

/* A work and how its rounds went. */
struct Side {
    const Work &work;
    double memory; /* bytes of the heap that its first run needed at most */
    int repeats;
    std::vector<double> rates; /* bytes per second, one per round */
};

/* Time since it was made: on the wall, and of all CPUs on this process. */
class Stopwatch
{
  public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    double cpu_seconds() const
    {
        return static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    }

  private:
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    std::clock_t cpu_start = std::clock();
};

double seconds_of(const Work &work, int repeats)
{
    double seconds = 0;
    for (int i = 0; work.timed && i < repeats; i++)
        seconds += work.timed();
    if (work.timed)
        return seconds;
    const Stopwatch watch;
    for (int i = 0; i < repeats; i++) {
        work.run();
        benchmark::ClobberMemory();
    }
    return watch.seconds();
}

/* The best of a few tries: what else the machine does must not decide. */
double least_seconds_of(const Work &work, int repeats)
{
    return std::min(
        {seconds_of(work, repeats), seconds_of(work, repeats), seconds_of(work, repeats)});
}

/* What is kept for later runs counts, too, so it is the first run that tells. */
double first_run(const Work &work)
{
    return heap_peak_of([&] { seconds_of(work, 1); });
}

/* Enough runs to hide the resolution of the clock and a change of caches. */
Side make_side(const Work &work, double memory)
{
    const double least = quick ? 0.001 : 0.005;
    int repeats = 1;
    double seconds;
    while ((seconds = least_seconds_of(work, repeats)) < least && repeats < 1 << 24)
        repeats = static_cast<int>(std::ceil(std::min(8.0, 1.1 * least / seconds) * repeats));
    return {work, memory, repeats, {}};
}

double play(Side &side)
{
    const double seconds = seconds_of(side.work, side.repeats);
    side.rates.push_back(side.work.nbytes * side.repeats / seconds);
    return seconds / side.repeats;
}

/* The quantile of this share. */
double quantile(std::vector<double> values, double part)
{
    std::sort(values.begin(), values.end());
    const double at = part * static_cast<double>(values.size() - 1);
    const std::size_t i = static_cast<std::size_t>(at);
    const double next = values[std::min(i + 1, values.size() - 1)];
    return values[i] + (at - static_cast<double>(i)) * (next - values[i]);
}

/* The quotients of each round. */
std::vector<double> ratios(const Side &a, const Side &b)
{
    std::vector<double> all;
    for (std::size_t i = 0; i < a.rates.size(); i++)
        all.push_back(a.rates[i] / b.rates[i]);
    return all;
}

double median_rate(const Side &side)
{
    return quantile(side.rates, 0.5);
}

/* A row that is being played: its sides in the order of their turns. */
struct Match {
    Side subject;
    std::vector<Side> limits, base;
};

Result judge(const std::string &name, double goal, const Match &match, double cpu)
{
    const Side &subject = match.subject;
    const Side &limit = *std::max_element(
        match.limits.begin(), match.limits.end(),
        [](const Side &a, const Side &b) { return median_rate(a) < median_rate(b); });
    const std::vector<double> shares = ratios(subject, limit);
    const double gain = match.base.empty() ? 0 : quantile(ratios(subject, match.base.front()), 0.5);
    return {name,
            subject.work.nbytes,
            "B/s",
            median_rate(subject),
            limit.work.name,
            median_rate(limit),
            quantile(shares, 0.5),
            quantile(shares, 0.25),
            quantile(shares, 0.75),
            goal,
            gain,
            cpu,
            subject.memory,
            limit.work.timed ? unknown : limit.memory};
}

void report(benchmark::State &state, const Result &result)
{
    state.counters[result.unit] = result.rate;
    state.counters["limit"] = result.limit;
    state.counters["of_limit"] = result.share;
    state.counters["low"] = result.low;
    state.counters["high"] = result.high;
    state.counters["cpu"] = result.cpu;
    if (result.memory != unknown)
        state.counters["memory"] = result.memory;
    if (result.limit_memory != unknown)
        state.counters["limit_memory"] = result.limit_memory;
    if (result.nbytes > 0)
        state.counters["size"] = result.nbytes;
    if (result.goal > 0)
        state.counters["goal"] = result.goal;
    if (result.gain > 0)
        state.counters["gain"] = result.gain;
    state.SetLabel(result.limit_name);
    results.push_back(result);
}

void fail(benchmark::State &state, const std::string &name, const char *why)
{
    std::fprintf(stderr, "%s: %s\n", name.c_str(), why);
    failed = true;
    state.SkipWithError(why);
}

void run_row(benchmark::State &state, const std::string &name, double goal,
             const std::function<Trial()> &prepare)
{
    const Trial trial = prepare();
    const double memory = first_run(trial.subject);
    if (!trial.is_right())
        return fail(state, name, "wrong result");
    Match match = {make_side(trial.subject, memory), {}, {}};
    for (const Work &limit : trial.limits)
        match.limits.push_back(make_side(limit, first_run(limit)));
    for (const Work &base : trial.base)
        match.base.push_back(make_side(base, unknown));
    const Stopwatch watch;
    for (auto _ : state) {
        state.SetIterationTime(play(match.subject));
        for (Side &limit : match.limits)
            play(limit);
        for (Side &base : match.base)
            play(base);
    }
    const double cpu =
        trial.threads == 0 ? 1 : watch.cpu_seconds() / watch.seconds() / trial.threads;
    report(state, judge(name, goal, match, cpu));
}

void run_count(benchmark::State &state, const std::string &name, double goal,
               const std::function<Count()> &count)
{
    const Count n = count();
    if (!(n.subject > 0 && n.limit > 0))
        return fail(state, name, "nothing was counted");
    for (auto _ : state)
        state.SetIterationTime(1e-9); /* nothing is timed */
    const double share = n.limit / n.subject;
    report(state, {name, 0, n.unit, n.subject, n.limit_name, n.limit, share, share, share, goal, 0,
                   1, unknown, unknown});
}

std::map<std::string, void (*)()> &suites()
{
    static std::map<std::string, void (*)()> all; /* made when the first suite joins */
    return all;
}

[[noreturn]] void fail_usage(const std::string &name)
{
    std::fprintf(stderr, "there is no suite \"%s\"; the suites:", name.c_str());
    for (const auto &suite : suites())
        std::fprintf(stderr, " %s", suite.first.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
}

/* Remove our own arguments, and add the rows of the suites that they name. */
std::vector<char *> read_arguments(int argc, char **argv)
{
    static char as_json[] = "--benchmark_format=json";
    std::vector<char *> rest = {argv[0]};
    std::vector<std::string> names;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--machine") == 0) {
            std::puts(machine_name().c_str());
            std::exit(0);
        }
        if (std::strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (argv[i][0] == '-')
            rest.push_back(std::strcmp(argv[i], "--json") == 0 ? as_json : argv[i]);
        else
            names.push_back(argv[i]);
        json |= std::strcmp(rest.back(), as_json) == 0;
    }
    if (names.empty())
        for (const auto &suite : suites())
            names.push_back(suite.first);
    for (const std::string &name : names) {
        if (suites().count(name) == 0)
            fail_usage(name);
        suites()[name]();
    }
    return rest;
}

} // namespace

Suite::Suite(const char *name, void (*add_rows)())
{
    suites()[name] = add_rows;
}

bool is_quick()
{
    return quick;
}

void add(const std::string &name, double goal, std::function<Trial()> prepare)
{
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State &state) { run_row(state, name, goal, prepare); })
        ->Iterations(quick ? 3 : 11)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
}

void add_count(const std::string &name, double goal, std::function<Count()> count)
{
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State &state) { run_count(state, name, goal, count); })
        ->Iterations(1)
        ->UseManualTime();
}

void skip(const std::string &name, const std::string &missing)
{
    skipped.push_back(name + ": skipped: " + missing);
}

void keep(double value)
{
    benchmark::DoNotOptimize(value);
}

} // namespace dvb

int main(int argc, char **argv)
{
    std::vector<char *> rest = dvb::read_arguments(argc, argv);
    int n = static_cast<int>(rest.size());
    rest.push_back(nullptr);
    benchmark::Initialize(&n, rest.data());
    if (benchmark::ReportUnrecognizedArguments(n, rest.data()))
        return 2;
    benchmark::AddCustomContext("machine", dvb::machine_name());
    benchmark::RunSpecifiedBenchmarks();

    std::FILE *out = dvb::json ? stderr : stdout;
    dvb::print_table(out, dvb::results, dvb::quick);
    dvb::print_growths(out);
    for (const std::string &line : dvb::skipped)
        std::fprintf(out, "%s\n", line.c_str());
    return dvb::failed ? 1 : 0;
}
