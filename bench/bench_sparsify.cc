/* SPDX-License-Identifier: MIT */
/* bench_sparsify.cc: measures finding the items of dense rows.  The limit is a loop that only reads
 * the matrix. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <memory>

namespace
{

/* A matrix with items of T that are 1, its source, and the expected items. */
template <class T> struct Matrix {
    Matrix(std::size_t nbytes, std::size_t slots, double filled)
        : width(slots), n(nbytes / (width * sizeof(T))),
          rows(dvb::sparse_rows(n, width, filled, 17)), dense(n * width * sizeof(T)), counts(n),
          indices(n * width), items(n * width * sizeof(T))
    {
        dvb::set(dense.data(), dense.size());
        T *row = reinterpret_cast<T *>(dense.data());
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; i++, row += width)
            for (int32_t k = 0; k < rows.counts[i]; k++)
                row[rows.indices[next++]] = 1;
    }
    bool is_right(std::size_t sum) const
    {
        const T *item = reinterpret_cast<const T *>(items.data());
        if (sum != rows.indices.size() || counts != rows.counts)
            return false;
        for (std::size_t k = 0; k < sum; k++)
            if (indices[k] != rows.indices[k] || item[k] != 1)
                return false;
        return true;
    }
    std::size_t width, n;
    dvb::SparseRows rows;
    dvb::Buffer dense;
    std::vector<int32_t> counts, indices;
    dvb::Buffer items;
};

template <class T>
using Sparsify = std::size_t (*dvi_kernel_table::*)(int32_t *, int32_t *, T *, const void *,
                                                    std::size_t, std::size_t, std::size_t);

template <class T>
void add_row(const std::string &name, Sparsify<T> kernel, dv_level level, std::size_t size,
             std::size_t width, double filled)
{
    dvb::add(name + "/" + dvb::size_name(double(size)), 0, [=]() -> dvb::Trial {
        auto m = std::make_shared<Matrix<T>>(size, width, filled);
        const double nbytes = double(m->dense.size());
        const auto run_at = [=](dv_level at) {
            return (dvi_kernels_at(at)->*kernel)(m->counts.data(), m->indices.data(),
                                                 reinterpret_cast<T *>(m->items.data()),
                                                 m->dense.data(), m->width, m->width, m->n);
        };
        dvb::Trial trial = {
            {"", nbytes, [=] { dvb::keep(double(run_at(level))); }},
            {{"read loop", nbytes,
              [=] { dvb::keep(double(dvb::read(m->dense.data(), m->dense.size()))); }}},
            [=] { return m->is_right(run_at(level)); }};
        if (level != DV_LEVEL_SCALAR)
            trial.base = {{"scalar", nbytes, [=] { dvb::keep(double(run_at(DV_LEVEL_SCALAR))); }}};
        return trial;
    });
}

/* Few and many items, short rows, in the second cache and beyond the last. */
template <class T> void add_rows(const std::string &name, Sparsify<T> kernel)
{
    struct Shape {
        const char *name;
        std::size_t width;
        double filled;
    };
    const std::size_t large = std::size_t(dvb::is_quick() ? 1 : 64) << 20;
    for (const std::size_t size : {std::size_t(256) << 10, large})
        for (const Shape &shape :
             {Shape{"1%", 1000, 0.01}, Shape{"10%", 1000, 0.1}, Shape{"30%_of_20", 20, 0.3}})
            for (const dv_level level : dvb::levels())
                add_row<T>(name + "/" + dv_level_name(level) + "_" + shape.name, kernel, level,
                           size, shape.width, shape.filled);
}

void add_suite()
{
    add_rows("sparsify_1", &dvi_kernel_table::sparsify_1);
    add_rows("sparsify_2", &dvi_kernel_table::sparsify_2);
    add_rows("sparsify_4", &dvi_kernel_table::sparsify_4);
    add_rows("sparsify_8", &dvi_kernel_table::sparsify_8);
}

const dvb::Suite suite("sparsify", add_suite);

} // namespace
