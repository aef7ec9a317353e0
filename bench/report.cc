/* SPDX-License-Identifier: MIT */
/* report.cc: prints the results of a run as a table. */
#include "report.h"
#include "simd/kernel.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sys/utsname.h>

namespace dvb
{
namespace
{

/* What the system says of the first CPU, or "". */
std::string cpu_info(const std::string &key)
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, line.find_last_not_of(" \t", line.find(':') - 1) + 1, key) == 0)
            return line.substr(line.find(':') + 2);
    return "";
}

/* 12.3e9 bytes per second as "12.3 GB/s"; counts in full. */
std::string amount_text(const Result &r, double value)
{
    char text[48];
    if (r.nbytes == 0) {
        std::snprintf(text, sizeof text, "%.0f %s", value, r.unit.c_str());
        return text;
    }
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    int prefix = 0;
    for (; value >= 999.5 && prefix < 4; prefix++)
        value /= 1000;
    std::snprintf(text, sizeof text, "%.*f %s%s",
                  value < 9.995   ? 2
                  : value < 99.95 ? 1
                                  : 0,
                  value, prefixes[prefix], r.unit.c_str());
    return text;
}

/* A goal is met if the printed figure meets it. */
bool is_under(const Result &r)
{
    return std::round(r.share * 1000) < std::round(r.goal * 1000);
}

constexpr double least_gain = 1.05; /* below this, a level is not worth having (style: SIMD) */
constexpr double least_cpu = 0.9;   /* below this, the machine was busy with something else */

void print_row(std::FILE *out, const Result &r, int width)
{
    char goal[16] = "", gain[32] = "";
    const std::string memory = r.memory == unknown ? "" : size_name(r.memory),
                      limit = r.limit_memory == unknown ? "" : size_name(r.limit_memory);
    if (r.goal > 0)
        std::snprintf(goal, sizeof goal, "%.2f", r.goal);
    if (r.gain > 0)
        std::snprintf(gain, sizeof gain, "%.2f", r.gain);
    std::fprintf(out, "%-*s %8s %12s %12s  %-15s %6.3f  %.3f..%.3f  %4s  %5s %9s %9s%s%s%s\n",
                 width, r.name.c_str(), r.nbytes > 0 ? size_name(r.nbytes).c_str() : "",
                 amount_text(r, r.rate).c_str(), amount_text(r, r.limit).c_str(),
                 r.limit_name.c_str(), r.share, r.low, r.high, goal, gain, memory.c_str(),
                 limit.c_str(), is_under(r) ? "  under goal" : "",
                 r.gain > 0 && r.gain < least_gain ? "  no gain" : "",
                 r.cpu < least_cpu ? "  disturbed" : "");
}

} // namespace

std::string machine_name()
{
    const benchmark::CPUInfo &cpu = benchmark::CPUInfo::Get();
    int last = 0;
    for (const auto &cache : cpu.caches)
        last = std::max(last, cache.size);
    utsname system;
    uname(&system);
    const std::string release = system.release; /* of which major.minor is kept */
    return cpu_info("model name") + " (family " + cpu_info("cpu family") + ", model " +
           cpu_info("model") + "), " + std::to_string(cpu.num_cpus) + " CPUs, last-level cache " +
           std::to_string(last >> 20) + " MiB, " + system.sysname + " " +
           release.substr(0, release.find('.', release.find('.') + 1)) +
           ", kernels: " + dv_level_name(dv_level_in_use());
}

std::string size_name(double nbytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    int unit = 0;
    for (; nbytes >= 1024 && unit < 3; unit++)
        nbytes /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g%s", nbytes, units[unit]);
    return text;
}

void print_table(std::FILE *out, const std::vector<Result> &results, bool is_quick)
{
    int width = 3;
    for (const Result &r : results)
        width = std::max(width, static_cast<int>(r.name.size()));
    double load = 0; /* of the last minute: what else this machine was doing, and we */
    if (getloadavg(&load, 1) != 1)
        load = -1;
    std::fprintf(out, "\n%s, load %.1f\n", machine_name().c_str(), load);
    if (is_quick)
        std::fprintf(out, "--quick: small inputs, few rounds: these figures mean nothing\n");
    std::fprintf(out, "%-*s %8s %12s %12s  %-15s %6s  %-12s  %4s  %5s %9s %9s\n", width, "row",
                 "size", "rate", "limit", "which", "share", "middle half", "goal", "gain", "memory",
                 "its limit");
    for (const Result &r : results)
        print_row(out, r, width);
    const auto under = std::count_if(results.begin(), results.end(), is_under);
    const auto disturbed = std::count_if(results.begin(), results.end(),
                                         [](const Result &r) { return r.cpu < least_cpu; });
    std::fprintf(out, "%zu rows, %ld under goal, %ld disturbed by other work\n", results.size(),
                 static_cast<long>(under), static_cast<long>(disturbed));
}

} // namespace dvb
