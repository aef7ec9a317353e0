/* SPDX-License-Identifier: MIT */
/* report.h: prints the results of a run as a table. */
#ifndef DVB_REPORT_H
#define DVB_REPORT_H

#include <cstdio>
#include <string>
#include <vector>

namespace dvb
{

/* A finished row: medians, and the range of the middle half of the shares. */
struct Result {
    std::string name;
    double nbytes; /* 0: counted, not timed */
    std::string unit;
    double rate;
    std::string limit_name;
    double limit, share, low, high;
    double goal; /* 0: none */
    double gain; /* over the base; 0: none */
    double cpu; /* CPU time of each thread for a second of the rounds; below 1: others had it too */
    double memory, limit_memory; /* bytes of the heap, at most; unknown: not measured */
};
constexpr double unknown = -1;

/* 268435456 as "256MiB". */
std::string size_name(double nbytes);

/* "AMD EPYC 9354 (family 25, model 17), 2 CPUs, last-level cache 32 MiB, Linux 6.1, kernels:
 * avx512": what a figure depends on. */
std::string machine_name();

/* Prints the machine and its load, then a line per row; marks rows that are below their goal,
 * hardly gain, or were disturbed. */
void print_table(std::FILE *out, const std::vector<Result> &results, bool is_quick);

} // namespace dvb

#endif
