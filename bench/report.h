/* SPDX-License-Identifier: MIT */
/* report.h: what did the run find, in lines that one can read and quote? */
#ifndef DVB_REPORT_H
#define DVB_REPORT_H

#include <cstdio>
#include <string>
#include <vector>

namespace dvb
{

/* A finished row: medians, and between which shares the middle half of the rounds lies. */
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
};

/* 268435456 as "256MiB". */
std::string size_name(double nbytes);

/* The machine, then a line per row; what is below its goal, hardly gains, or was
 * disturbed, is marked. */
void print_table(std::FILE *out, const std::vector<Result> &results, bool is_quick);

} // namespace dvb

#endif
