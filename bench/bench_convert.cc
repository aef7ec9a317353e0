/* SPDX-License-Identifier: MIT */
/* bench_convert.cc: measures conversions of numbers, and byte swaps.
 *
 * The limit is a loop that reads and writes the same number of bytes, with ordinary stores or past
 * the cache, whichever is faster.  bench_kernels.cc compares all conversions with memcpy. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

namespace
{

/* Those that stand for the others: each rule, wider, narrower and as wide; and what they read. */
#define CONVERT_LIST(X)                                                                            \
    X(convert_i1_f4, int8_t)                                                                       \
    X(convert_u1_f4, uint8_t)                                                                      \
    X(convert_i2_f4, int16_t)                                                                      \
    X(convert_i4_f4, int32_t)                                                                      \
    X(convert_i4_f8, int32_t)                                                                      \
    X(convert_i8_f8, int64_t)                                                                      \
    X(convert_i8_f4, int64_t)                                                                      \
    X(convert_u8_f8, uint64_t)                                                                     \
    X(convert_f4_f8, float)                                                                        \
    X(convert_f8_f4, double)                                                                       \
    X(convert_i4_i1, int32_t)                                                                      \
    X(convert_i8_i4, int64_t)                                                                      \
    X(convert_u4_u1, uint32_t)                                                                     \
    X(convert_u8_ug, uint64_t)                                                                     \
    X(convert_bl_f4, int8_t)                                                                       \
    X(convert_f4_bl, float)                                                                        \
    X(convert_dt_i8, int64_t)                                                                      \
    X(swap_2, uint16_t)                                                                            \
    X(swap_4, uint32_t)                                                                            \
    X(swap_8, uint64_t)

/* Items as columns have them: small numbers, of which one in 16 is NA; Booleans are 0 or 1. */
template <class S> void fill(S *items, std::size_t n, bool is_boolean)
{
    dvb::Draws draws(16);
    const S na = std::is_floating_point<S>::value ? std::numeric_limits<S>::quiet_NaN()
                                                  : std::numeric_limits<S>::min();
    for (std::size_t i = 0; i < n; i++) {
        const uint64_t drawn = draws.next();
        const S item = static_cast<S>(is_boolean ? drawn % 2 : drawn % 100);
        items[i] = drawn >> 60 == 0 ? na : item;
    }
}

template <class D> using Map = void (*dvi_kernel_table::*)(D *, const void *, std::size_t);

template <class S, class D> struct Work {
    explicit Work(std::size_t items, bool is_boolean)
        : n(items), src(n * sizeof(S)), dst(n * sizeof(D)), other(n * sizeof(D))
    {
        fill(reinterpret_cast<S *>(src.data()), n, is_boolean);
    }
    void run(Map<D> kernel, dv_level level, const dvb::Buffer &to)
    {
        (dvi_kernels_at(level)->*kernel)(reinterpret_cast<D *>(to.data()), src.data(), n);
    }
    std::size_t n;
    dvb::Buffer src, dst, other;
};

template <class S, class D>
void add_row(const std::string &name, Map<D> kernel, dv_level level, std::size_t size, double goal)
{
    const std::string row = name + "/" + dv_level_name(level) + "/" + dvb::size_name(double(size));
    dvb::add(row, goal, [=]() -> dvb::Trial {
        const std::size_t width = sizeof(S) + sizeof(D), n = size / width / 64 * 64;
        auto w = std::make_shared<Work<S, D>>(n, name.find("_bl_") != std::string::npos);
        const double traffic = double(n * width);
        dvb::Trial trial = {
            {"", traffic, [=] { w->run(kernel, level, w->dst); }},
            {{"loop", traffic,
              [=] { dvb::move(w->other.data(), sizeof(D), w->src.data(), sizeof(S), n); }},
             {"past the cache", traffic,
              [=] { dvb::move_stream(w->other.data(), sizeof(D), w->src.data(), sizeof(S), n); }}},
            [=] {
                w->run(kernel, level, w->dst);
                w->run(kernel, DV_LEVEL_SCALAR, w->other);
                return std::memcmp(w->dst.data(), w->other.data(), w->dst.size()) == 0;
            }};
        if (level != DV_LEVEL_SCALAR)
            trial.base = {{"scalar", traffic, [=] { w->run(kernel, DV_LEVEL_SCALAR, w->other); }}};
        return trial;
    });
}

/* In both caches, and beyond. */
template <class S, class D> void add_rows(const std::string &name, Map<D> kernel)
{
    const std::size_t large = dvb::is_quick() ? std::size_t(1) << 20 : dvb::beyond_cache();
    for (const std::size_t size : {std::size_t(16) << 10, std::size_t(256) << 10, large})
        for (const dv_level level : dvb::levels())
            add_row<S, D>(name, kernel, level, size,
                          size == large ? dvb::goal_of(kernel, level, 0.85) : 0);
}

void add_suite()
{
#define ADD(name, S) add_rows<S>(#name, &dvi_kernel_table::name);
    CONVERT_LIST(ADD)
#undef ADD
}

const dvb::Suite suite("convert", add_suite);

} // namespace
