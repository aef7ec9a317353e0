/* SPDX-License-Identifier: MIT */
/* bench_shuffle_quality.cc: measures how close each order of an epoch is to a uniform permutation
 * (docs/shuffling.md).
 *
 * Figures are counted. The limit of each is the expected value for a uniform permutation; with a
 * share of 1.00 there is no difference.
 */
#include "harness.h"
#include <dataview/order.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace
{

constexpr int64_t block_rows = 1024;
constexpr double pi = 3.14159265358979323846;

int64_t row_count()
{
    return dvb::is_quick() ? 50000 : 1000000;
}

int64_t epoch_count()
{
    return dvb::is_quick() ? 2 : 20;
}

/* --- Orders ----------------------------------------------------------------------------------- */

struct Order {
    const char *name;
    dv_shuffle shuffle;
    double pool_blocks;
    bool is_drawn; /* instead, by swaps: a permutation as good as its generator */
};

const Order orders[] = {
    {"drawn", DV_SHUFFLE_NONE, 0, true},
    {"uniform", DV_SHUFFLE_UNIFORM, 0, false},
    {"pool_1_block", DV_SHUFFLE_POOL, 1, false},
    {"pool_4_blocks", DV_SHUFFLE_POOL, 4, false},
    {"pool_16_blocks", DV_SHUFFLE_POOL, 16, false},
    {"pool_64_blocks", DV_SHUFFLE_POOL, 64, false},
    {"blocks", DV_SHUFFLE_BLOCKS, 0, false},
    {"none", DV_SHUFFLE_NONE, 0, false},
};

std::vector<int64_t> rows_of(const Order &order, int64_t epoch)
{
    std::vector<int64_t> rows(static_cast<size_t>(row_count()));
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    options.shuffle = order.shuffle;
    options.pool_blocks = order.pool_blocks;
    options.block_rows = block_rows;
    options.epoch = epoch;
    options.seed = 1;
    int64_t count;
    if (order.is_drawn) {
        std::iota(rows.begin(), rows.end(), 0);
        dv_order_mersenne(rows.data(), row_count(), uint64_t(epoch));
    } else if (dv_order_epoch(rows.data(), row_count(), &count, row_count(), &options, nullptr,
                              nullptr) != DV_OK) {
        std::abort();
    }
    return rows;
}

/* The mean of a figure over epochs. */
template <class Figure> double over_epochs(const Order &order, Figure figure)
{
    double sum = 0;
    for (int64_t epoch = 0; epoch < epoch_count(); epoch++)
        sum += figure(rows_of(order, epoch));
    return sum / double(epoch_count());
}

/* --- Figures ---------------------------------------------------------------------------------- */

double distance(const std::vector<int64_t> &rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows.size(); i++)
        sum += std::abs(double(rows[i]) - double(i));
    return sum / double(rows.size());
}

/* Spearman's rank correlation of the positions before and after, without its sign. */
double correlation(const std::vector<int64_t> &rows)
{
    const double n = double(rows.size()), middle = (n - 1) / 2;
    double sum = 0;
    for (size_t i = 0; i < rows.size(); i++)
        sum += (double(i) - middle) * (double(rows[i]) - middle);
    return std::abs(sum / (n * (n * n - 1) / 12));
}

/* Of pairs of rows that followed each other, those that still do, one way or the other. */
double neighbours(const std::vector<int64_t> &rows)
{
    double kept = 0;
    for (size_t i = 1; i < rows.size(); i++)
        kept += std::abs(rows[i] - rows[i - 1]) == 1;
    return kept / double(rows.size() - 1);
}

/* Chi-square of n counts that are expected to be `mean`. */
double chi_square(const std::vector<double> &counts, double mean)
{
    double sum = 0;
    for (const double count : counts)
        sum += (count - mean) * (count - mean) / mean;
    return sum;
}

/* The view in 32 ranges, before and after: chi-squared of the moves between ranges, per degree of
 * freedom. */
double places(const std::vector<int64_t> &rows)
{
    constexpr int64_t parts = 32;
    const int64_t n = int64_t(rows.size());
    std::vector<double> counts(parts * parts);
    for (int64_t i = 0; i < n; i++)
        counts[size_t(i * parts / n * parts + rows[size_t(i)] * parts / n)]++;
    return chi_square(counts, double(n) / (parts * parts)) / ((parts - 1) * (parts - 1));
}

/* Of a view sorted by ten classes: how evenly are they in batches of 100 rows? */
double classes(const std::vector<int64_t> &rows)
{
    constexpr size_t batch = 100;
    const int64_t n = int64_t(rows.size());
    double sum = 0;
    size_t batches = 0;
    for (size_t at = 0; at + batch <= rows.size(); at += batch, batches++) {
        std::vector<double> counts(10);
        for (size_t i = at; i < at + batch; i++)
            counts[size_t(rows[i] * 10 / n)]++;
        sum += chi_square(counts, batch / 10.0) / 9;
    }
    return sum / double(batches);
}

/* --- Rows ------------------------------------------------------------------------------------- */

void add_order(const Order &order)
{
    const std::string name = order.name;
    const auto add = [&](const char *what, const char *unit, double scale, double expected,
                         double (*figure)(const std::vector<int64_t> &)) {
        dvb::add_count(what + ("/" + name), 0, [=]() {
            return dvb::Count{over_epochs(order, figure) * scale, expected * scale, unit,
                              "uniform"};
        });
    };
    const double n = double(row_count());
    if (order.shuffle != DV_SHUFFLE_NONE || order.is_drawn) /* if it is 0 */
        add("distance", "rows", 1, (n * n - 1) / 3 / n, distance);
    add("correlation", "ppm", 1e6, std::sqrt(2 / pi / (n - 1)), correlation);
    add("neighbours", "ppm", 1e6, 2 / n, neighbours);
    add("places", "/1000", 1e3, 1, places);
    add("classes", "/1000", 1e3, 1, classes);
}

void add_rows()
{
    for (const Order &order : orders)
        add_order(order);
}

const dvb::Suite suite("shuffle_quality", add_rows);

} // namespace
