/* SPDX-License-Identifier: MIT */
/* harness.h: measures subjects as shares of their limits.
 *
 * A suite adds rows, Google Benchmark runs them; one iteration is one round, in which subject and
 * limits take turns in this process.  A row's figure is the median of the shares of its rounds. The
 * run ends with a table of all rows. The exit status depends on results only, which are checked
 * before anything is timed, and not on time. */
#ifndef DVB_HARNESS_H
#define DVB_HARNESS_H

#include <functional>
#include <string>
#include <vector>

namespace dvb
{

/* One side of a comparison.  nbytes: what one run moves, counted alike on both sides. */
struct Work {
    std::string name; /* of a limit, in the table */
    double nbytes;
    std::function<void()> run;
    /* Instead of run, where something that does not count goes before it, or another program tells:
     * one run, and its seconds. */
    std::function<double()> timed = {};
};

/* A row, ready to run: what its functions hold is freed with it. */
struct Trial {
    Work subject;
    std::vector<Work> limits;       /* the fastest of them is the limit */
    std::function<bool()> is_right; /* of the results of subject.run */
    std::vector<Work> base = {};    /* one: what the subject is to be faster than */
    int threads = 1;                /* that both sides keep busy; 0: they wait */
};

/* Rows that belong together: bench_<name>.cc has one of these, outside all functions. */
struct Suite {
    Suite(const char *name, void (*add_rows)());
};

/* --quick: small inputs and few rounds, to see that all works; the figures mean nothing. */
bool is_quick();

/* A row named <what>/<variant>/<size>.  goal: the least share to hope for, 0 for none.  prepare
 * makes the input; it runs when the row's turn comes, and not at all when that is filtered out. */
void add(const std::string &name, double goal, std::function<Trial()> prepare);
/* A row that is counted, not timed: of both numbers less is better, so the share is limit /
 * subject. */
struct Count {
    double subject, limit;
    std::string unit, limit_name;
};
void add_count(const std::string &name, double goal, std::function<Count()> count);
/* A row that cannot run here: listed at the end, with the reason. */
void skip(const std::string &name, const std::string &missing);

/* Keep the compiler from leaving out what made this. */
void keep(double value);

} // namespace dvb

#endif
