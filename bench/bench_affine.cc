/* SPDX-License-Identifier: MIT */
/* bench_affine.cc: measures scaling reals, in runs of 512 as a normalizer does, and finding them
 * among 1,024 bounds.  The limit is a copy of the same bytes. */
#include "simd/kernel.h"
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include <limits>
#include <memory>

namespace
{

const std::size_t run = 512, bounds_n = 1024;

template <class T> struct Reals {
    std::vector<T> values, scales, bounds, scaled, scaled_want;
    std::vector<uint32_t> bins, bins_want;
};

/* Numbers from 0 to 1. */
template <class T> std::shared_ptr<Reals<T>> make(std::size_t n)
{
    auto r = std::make_shared<Reals<T>>();
    dvb::Draws draws(15);
    for (std::size_t i = 0; i < n; i++)
        r->values.push_back(T(draws.below(1000)) / 1000);
    for (std::size_t i = 0; i + 1 < bounds_n; i++)
        r->bounds.push_back(T(i) / bounds_n);
    r->bounds.push_back(std::numeric_limits<T>::infinity());
    r->scales.assign(run, T(0.75));
    r->scaled.resize(n);
    r->scaled_want.resize(n);
    r->bins.resize(n);
    r->bins_want.resize(n);
    return r;
}

template <class T, class Kernel>
void scale(const Reals<T> &r, std::vector<T> &dst, Kernel dvi_kernel_table::*kernel, dv_level level)
{
    for (std::size_t i = 0; i < dst.size(); i += run)
        (dvi_kernels_at(level)->*kernel)(&dst[i], &r.values[i], run, r.scales.data(),
                                         r.scales.data(), true);
}

template <class T, class Kernel>
void find(const Reals<T> &r, std::vector<uint32_t> &dst, Kernel dvi_kernel_table::*kernel,
          dv_level level)
{
    (dvi_kernels_at(level)->*kernel)(dst.data(), r.values.data(), dst.size(), r.bounds.data(),
                                     bounds_n);
}

dvb::Work copy_of(std::size_t nbytes)
{
    auto src = std::make_shared<dvb::Buffer>(nbytes / 2), dst = src;
    dst = std::make_shared<dvb::Buffer>(nbytes / 2);
    return {"memcpy", double(nbytes), [=] { dvb::copy(dst->data(), src->data(), src->size()); }};
}

template <class T, class Affine, class Bins>
void add(const char *type, Affine affine, Bins bins, std::size_t n, dv_level level)
{
    const std::string end =
        std::string(type) + "/" + dv_level_name(level) + "/" + std::to_string(n) + " values";
    dvb::add("affine_" + end, 0, [=]() -> dvb::Trial {
        const auto r = make<T>(n);
        const double nbytes = double(2 * n * sizeof(T));
        return {{"", nbytes, [=] { scale(*r, r->scaled, affine, level); }},
                {copy_of(2 * n * sizeof(T))},
                [=] {
                    scale(*r, r->scaled_want, affine, DV_LEVEL_SCALAR);
                    return r->scaled == r->scaled_want;
                }};
    });
    dvb::add("bins_" + end, 0, [=]() -> dvb::Trial {
        const auto r = make<T>(n);
        const double nbytes = double(n * (sizeof(T) + 4));
        return {{"", nbytes, [=] { find(*r, r->bins, bins, level); }},
                {copy_of(n * (sizeof(T) + 4))},
                [=] {
                    find(*r, r->bins_want, bins, DV_LEVEL_SCALAR);
                    return r->bins == r->bins_want;
                }};
    });
}

void add_suite()
{
    for (const std::size_t n : {run * 8, run * 8192})
        for (const dv_level level : dvb::levels()) {
            add<float>("r4", &dvi_kernel_table::affine_r4, &dvi_kernel_table::bins_r4, n, level);
            add<double>("r8", &dvi_kernel_table::affine_r8, &dvi_kernel_table::bins_r8, n, level);
        }
}

const dvb::Suite suite("affine", add_suite);

} // namespace
